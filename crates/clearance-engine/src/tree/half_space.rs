//! Half-spaces and planes as geometries: a tree of one leaf, without bounds.

use super::{Geometry, Node, Tree, next_revision, one_leaf};
use crate::Result;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::shape::{HalfSpaceOrPlane, PointDistance, Ray, RayGoal, RayHit, Sign, check_points};
use crate::volume::BoundingSphere;

/// The geometry of a half-space or plane: a floor, a wall, a safety plane.
///
/// Its bounding sphere is infinite, and so is its bounding box, except along a normal that is an
/// axis of its coordinates. Two whose normals agree up to 32 roundings count as parallel, though
/// they may meet 10¹⁴ units away: a rotated plane has a rounded normal.
///
/// ```
/// use clearance_engine::{Pose, dispatch::Dispatcher, traversal::Workspace, math::DVec3, query::DistanceRequest};
/// use clearance_engine::{shape::{Sphere, HalfSpace}, tree::{Solid, HalfSpaceGeometry}};
/// let (floor, sphere) = (HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, 0.0)?), Solid::new(Sphere::new(0.2)?));
/// let dispatcher = Dispatcher::standard();
/// let plan = dispatcher.plan(&floor, &sphere)?;
/// let above = Pose::from_translation(DVec3::new(3.0, 4.0, 0.5))?;
/// let answer = plan.distance(&above, &DistanceRequest::default(), &mut Workspace::default(), None)?;
/// assert!(answer.lower <= 0.3 && 0.3 <= answer.upper && answer.upper - answer.lower < 1e-12);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct HalfSpaceGeometry {
    shape: HalfSpaceOrPlane,
    revision: u64,
}

impl HalfSpaceGeometry {
    /// Creates the geometry of a [`HalfSpace`](crate::shape::HalfSpace) or
    /// [`Plane`](crate::shape::Plane).
    pub fn new(shape: impl Into<HalfSpaceOrPlane>) -> Self {
        Self { shape: shape.into(), revision: next_revision() }
    }

    /// The half-space or plane.
    pub fn shape(&self) -> &HalfSpaceOrPlane {
        &self.shape
    }
}

one_leaf!(HalfSpaceGeometry);

impl Geometry for HalfSpaceGeometry {
    fn kind(&self) -> &'static str {
        self.shape.name()
    }

    fn revision(&self) -> u64 {
        self.revision
    }

    fn sphere(&self) -> BoundingSphere {
        BoundingSphere { center: DVec3::ZERO, radius: f64::INFINITY }
    }

    fn bounding_box(&self) -> (DVec3, DVec3) {
        let (mut low, mut high) = (DVec3::NEG_INFINITY, DVec3::INFINITY);
        let (normal, offset) = (self.shape.plane().normal(), self.shape.plane().offset());
        for axis in 0..3 {
            // Not along a normal that is nearly an axis: far away such a plane is somewhere else.
            if normal[axis].abs() == 1.0 && (0..3).all(|other| other == axis || normal[other] == 0.0) {
                let end = offset * normal[axis];
                let upward = normal[axis] > 0.0;
                if upward || !self.shape.is_solid() {
                    high[axis] = end;
                }
                if !upward || !self.shape.is_solid() {
                    low[axis] = end;
                }
            }
        }
        (low, high)
    }

    fn support_bound(&self, direction: DVec3, radius: f64) -> f64 {
        let plane = self.shape.plane();
        let (normal, offset) = (plane.normal(), plane.offset());
        // A plane has two normals; take the one along the direction.
        let (normal, offset) =
            if self.shape.is_solid() || normal.dot(direction) > 0.0 { (normal, offset) } else { (-normal, -offset) };
        // direction·x = normal·x + (direction − normal)·x
        let beside = (direction - normal).length() * radius;
        offset + beside + 16.0 * UNIT_ROUNDOFF * (offset.abs() + beside + radius)
    }

    fn signed_distance(&self, point: DVec3) -> Result<PointDistance> {
        check_points("point", &[point])?;
        let plane = self.shape.plane();
        let height = plane.normal().dot(point) - plane.offset();
        let error = 8.0 * UNIT_ROUNDOFF * (point.abs().element_sum() + plane.offset().abs());
        let (solid, nearest) = (self.shape.is_solid(), point - plane.normal() * height);
        let turned = if solid || height >= 0.0 { 1.0 } else { -1.0 };
        let distance = height * turned;
        Ok(PointDistance {
            distance,
            lower: if solid { distance - error } else { (distance - error).max(0.0) },
            upper: distance + error,
            nearest,
            gradient: plane.normal() * turned,
            sign: if solid { Sign::Closed } else { Sign::Unsigned },
            leaf: 0,
            part: 0,
        })
    }

    fn cast_ray(&self, ray: &Ray, goal: &mut RayGoal) -> Result<()> {
        let plane = self.shape.plane();
        let fall = plane.normal().dot(ray.direction());
        // A ray in the plane runs along it and meets it nowhere.
        if fall != 0.0 {
            let t = (plane.offset() - plane.normal().dot(ray.origin())) / fall;
            goal.offer(RayHit::new(ray, t, plane.normal(), 0));
        }
        Ok(())
    }
}
