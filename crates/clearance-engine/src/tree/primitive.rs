//! A convex primitive as a geometry: a tree of one leaf.

use super::{Geometry, Node, PrimitiveBvh, PrimitiveBvhNodes, Tree, next_revision, one_leaf};
use crate::math::{DVec3, Frame, UNIT_ROUNDOFF};
use crate::pair::shape::{cast_at_primitive, point_primitive};
use crate::shape::{Convex, PointDistance, Primitive, Ray, RayGoal, Sphere, check_points};
use crate::volume::{Aabb, BoundingSphere, BoxBlock};
use crate::{Pose, Result};

/// The geometry of a convex primitive: a solid sphere, capsule, box, cylinder, cone, ellipsoid or
/// convex polyhedron.
///
/// Geometries inside of it collide with it.
///
/// ```
/// use clearance_engine::{Pose, dispatch::Dispatcher, traversal::Workspace, math::DVec3, query::DistanceRequest, shape::{Sphere, Cuboid}, tree::Solid};
/// let (table, sphere) = (Solid::new(Cuboid::from_half_extents(DVec3::new(1.0, 0.5, 0.05))?), Solid::new(Sphere::new(0.2)?));
/// let dispatcher = Dispatcher::standard();
/// let plan = dispatcher.plan(&table, &sphere)?;
/// let above = Pose::from_translation(DVec3::Z * 0.5)?;
/// let answer = plan.distance(&above, &DistanceRequest::default(), &mut Workspace::default(), None)?;
/// assert!(answer.lower <= 0.25 && 0.25 <= answer.upper && answer.upper - answer.lower < 1e-12);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Solid {
    shape: Primitive,
    frame: Frame,
    extent: f64,
    sphere: BoundingSphere,
    revision: u64,
}

impl Solid {
    /// Creates the geometry of one primitive, at its place in the geometry's coordinates.
    pub fn new(shape: impl Into<Primitive>) -> Self {
        let shape = shape.into();
        let (center, radius) = (shape.center(), shape.bounding_radius() + Convex::radius(&shape));
        // A point is tiny, not of size 1 as a single point of a mesh: nothing else gives its size.
        let corner = DVec3::splat(radius.max(f64::MIN_POSITIVE));
        let frame = Frame { center, ..Frame::around(-corner, corner) };
        let sphere = match &shape {
            // About its own point: the centre is that of the vertices.
            Primitive::ConvexPolyhedron(polyhedron) => {
                BoundingSphere::around(&polyhedron.vertices().collect::<Vec<_>>())
            }
            _ => BoundingSphere { center, radius },
        };
        let sphere = sphere.moved(&Pose::IDENTITY);
        Self { shape, frame, extent: center.length() + radius, sphere, revision: next_revision() }
    }

    /// A sphere about the origin for one query alone. It is cheaper, since it takes no revision
    /// number for warm starts.
    pub(crate) fn passing(sphere: Sphere) -> Self {
        let radius = sphere.radius().max(f64::MIN_POSITIVE);
        let (corner, extent) = (DVec3::splat(radius), radius);
        let sphere_around = BoundingSphere { center: DVec3::ZERO, radius };
        Self { shape: sphere.into(), frame: Frame::around(-corner, corner), extent, sphere: sphere_around, revision: 0 }
    }

    /// The primitive.
    pub fn shape(&self) -> &Primitive {
        &self.shape
    }

    /// The stored frame: coordinates about the centre in which no point of the primitive is farther
    /// away than 1.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// An upper bound of the distance of any point from the origin of the geometry's coordinates,
    /// up to rounding.
    pub fn extent(&self) -> f64 {
        self.extent
    }
}

one_leaf!(Solid);

/// A tree of one leaf with one primitive; its box is an AABB of the coordinates, however the
/// primitive lies.
impl PrimitiveBvhNodes for Solid {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn extent(&self) -> f64 {
        self.extent
    }

    fn radius(&self) -> f64 {
        Convex::radius(&self.shape)
    }

    fn bounds(&self, _node: Node) -> Aabb {
        let support = |axis: DVec3| self.shape.support(axis).dot(axis).max(-self.shape.support(-axis).dot(axis));
        let half = DVec3::new(support(DVec3::X), support(DVec3::Y), support(DVec3::Z));
        // Support points are within 24 roundings, relative to the bounding radius.
        let rounding = 32.0 * UNIT_ROUNDOFF * self.shape.bounding_radius();
        Aabb::around(DVec3::ZERO, (half + rounding) * self.frame.scale)
    }

    fn block(&self, node: Node) -> BoxBlock {
        BoxBlock::new(&[self.bounds(node)])
    }

    fn primitive_number(&self, _leaf: Node, _lane: usize) -> u32 {
        0
    }

    fn solid(&self, number: u32) -> Option<Primitive> {
        (number == 0).then(|| self.shape.clone())
    }
}

impl PrimitiveBvh for Solid {}

impl Geometry for Solid {
    fn kind(&self) -> &'static str {
        self.shape.name()
    }

    fn revision(&self) -> u64 {
        self.revision
    }

    fn sphere(&self) -> BoundingSphere {
        self.sphere
    }

    fn bounding_box(&self) -> (DVec3, DVec3) {
        // Support points are relative to the centre.
        let center = self.shape.center();
        let support = |axis: DVec3| (center + self.shape.support(axis)).dot(axis) + Convex::radius(&self.shape);
        let high = DVec3::new(support(DVec3::X), support(DVec3::Y), support(DVec3::Z));
        let low = -DVec3::new(support(-DVec3::X), support(-DVec3::Y), support(-DVec3::Z));
        // Roundings of coordinates no larger than the extent: 24 of the primitive's, a few of the
        // sums.
        let rounding = 32.0 * UNIT_ROUNDOFF * self.extent;
        (low - rounding, high + rounding)
    }

    fn support_bound(&self, direction: DVec3, _radius: f64) -> f64 {
        let core = self.shape.center().dot(direction) + self.shape.support(direction).dot(direction);
        // As for the box; a direction may be a few roundings longer than 1.
        core + Convex::radius(&self.shape) * direction.length() + 48.0 * UNIT_ROUNDOFF * self.extent
    }

    fn signed_distance(&self, point: DVec3) -> Result<PointDistance> {
        check_points("point", &[point])?;
        Ok(point_primitive(point, &self.shape, 0))
    }

    fn cast_ray(&self, ray: &Ray, goal: &mut RayGoal) -> Result<()> {
        cast_at_primitive(ray, &self.shape, 0, goal);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::ConvexPolyhedron;

    #[test]
    fn the_box_around_a_polyhedron_away_from_the_origin_is_where_the_polyhedron_is() {
        let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|vertex| vertex + DVec3::new(5.0, -7.0, 1.0));
        let solid = Solid::new(ConvexPolyhedron::hull_of(&vertices).unwrap());
        let (low, high) = solid.bounding_box();
        assert!(low.distance(vertices[0]) < 1e-12 && high.distance(vertices[0] + 1.0) < 1e-12, "{low} {high}");
    }
}
