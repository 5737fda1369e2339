//! How a distance changes with the pose of either body: its gradient as a twist.
//!
//! Let `n` be the unit vector from the nearest point of A to that of B, and `p` a point of the line
//! through both. A small motion of B, the translation `v` and the rotation `w` about B's origin `o`,
//! changes the distance by `n·(v + w × (p − o)) = n·v + ((p − o) × n)·w` (Danskin's theorem: of a
//! minimum over pairs of points only the nearest pair matters). All `p` of that line give the same
//! product.
//!
//! **Where several pairs of points are nearest** each has such a gradient, and the distance changes
//! by the least of their products: it has a kink. A face parallel to a face is the common case. The
//! normal is the same for all nearest points of two convex bodies, so that the derivative by
//! translations exists; that by rotations does not. [`nearest_is_unique`] looks at the two features
//! that the nearest points lie on: the points that the support functions find along directions that
//! differ from the normal by [`TILT`]. Of meshes it looks at all pairs of leaves that are as near.

use super::{Contact, Contacts, ContactsRequest, Distance};
use crate::convex::Penetration;
use crate::math::DVec3;
use crate::shape::{Convex, Primitive};
use crate::tree::{Geometry, HalfSpaceGeometry, Solid};
use crate::{Pose, Triangle};
use std::any::Any;

/// The gradient of a distance, or of minus a penetration depth, by the pose of either body.
///
/// A twist is a translation and a rotation about the moved body's origin, both in A's frame.
///
/// ```
/// use clearance_engine::{Pose, dispatch::Pair, shape::{Cuboid, Sphere}};
/// let mut pair = Pair::new(Cuboid::new(1.0, 1.0, 0.1)?, Sphere::new(0.2)?)?;
/// let above = Pose::from_xyz(0.1, 0.0, 0.5)?;
/// let distance = pair.distance(above);
/// let gradient = pair.gradient(above, &distance).expect("they are apart");
/// assert!((gradient.by_b[2] - 1.0).abs() < 1e-12 && gradient.unique == Some(true));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gradient {
    /// By the pose of A: translation, then rotation about A's origin.
    pub by_a: [f64; 6],
    /// By the pose of B: translation, then rotation about B's origin.
    pub by_b: [f64; 6],
    /// Whether the nearest points are the only ones, up to rounding: then the gradient is the
    /// derivative. If not, the distance has a kink, and this is one of several gradients. `None`
    /// where it is not known: for point clouds, voxels and assemblies, and where many triangles are
    /// as near.
    pub unique: Option<bool>,
}

impl Gradient {
    /// The gradient for a unit `normal` from A to B and a point of its line of action, in A's frame.
    pub(crate) fn new(
        NearestLine { normal, point_b: point, .. }: &NearestLine,
        a_from_b: &Pose,
        unique: Option<bool>,
    ) -> Self {
        let twist = |[x, y, z]: [f64; 3], [u, v, w]: [f64; 3]| [x, y, z, u, v, w];
        let about = |origin: DVec3| (*point - origin).cross(*normal);
        Self {
            by_a: twist((-*normal).to_array(), (-about(DVec3::ZERO)).to_array()),
            by_b: twist(normal.to_array(), about(a_from_b.translation()).to_array()),
            unique,
        }
    }
}

/// The nearest points in A's frame, and the unit vector from that of A to that of B.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearestLine {
    pub(crate) normal: DVec3,
    pub(crate) point_a: DVec3,
    pub(crate) point_b: DVec3,
}

impl NearestLine {
    /// Those that a search found on two leaves, as exact as rounding allows; `None` where there is
    /// no direction.
    pub(crate) fn of(
        [point_a, point_b]: [DVec3; 2],
        leaves: Option<(u32, u32)>,
        [a, b]: [&dyn Geometry; 2],
        a_from_b: &Pose,
    ) -> Option<Self> {
        let nearest = Self { normal: (point_b - point_a).try_normalize()?, point_a, point_b };
        let leaves = leaves.and_then(|(leaf_a, leaf_b)| Leaf::of(a, leaf_a).zip(Leaf::of(b, leaf_b)));
        let Some((a, b)) = &leaves else { return Some(nearest) };
        let (a, b) = (a.shape(), b.shape());
        let curved = a.is_curved() || b.is_curved();
        let polished = if curved { nearest.polished(a, b, a_from_b) } else { None };
        Some(polished.unwrap_or(nearest))
    }

    /// The same with the digits of the direction that a search for the distance leaves open: the
    /// distance of curved bodies changes with the square of an error of the direction.
    ///
    /// Points are projected from core to core in turn. The errors that this leaves shrink nearly
    /// linearly, so that four of the points of B tell where the sequence ends (reduced rank
    /// extrapolation: Eddy 1979; exact for two directions of error).
    fn polished(&self, a: &dyn Convex, b: &dyn Convex, a_from_b: &Pose) -> Option<Self> {
        let b_from_a = a_from_b.inverse();
        let on_a = |point: DVec3| a.center() + a.surely_nearest(point - a.center());
        let on_b = |point: DVec3| {
            let local = b_from_a.transform_point(point) - b.center();
            a_from_b.transform_point(b.center() + b.surely_nearest(local))
        };
        let mut points = [self.point_b + self.normal * b.radius(); 4];
        for i in 1..4 {
            points[i] = on_b(on_a(points[i - 1]));
        }
        let steps = [0, 1, 2].map(|i| points[i + 1] - points[i]);
        let [first, second] = [steps[1] - steps[0], steps[2] - steps[1]];
        let (xx, xy, yy) = (first.length_squared(), first.dot(second), second.length_squared());
        let (x, y) = (-steps[0].dot(first), -steps[0].dot(second));
        let determinant = xx * yy - xy * xy;
        // One direction of error where the differences are parallel, none where they are rounding.
        let (along_first, along_second) = if determinant > 1e-6 * xx * yy {
            ((yy * x - xy * y) / determinant, (xx * y - xy * x) / determinant)
        } else {
            (x / xx.max(f64::MIN_POSITIVE), 0.0)
        };
        let limit = points[0] + steps[0] * along_first + steps[1] * along_second;
        let core_b = on_b(if limit.is_finite() { limit } else { points[3] });
        let core_a = on_a(core_b);
        let normal = (core_b - core_a).try_normalize()?;
        let (point_a, point_b) = (core_a + normal * a.radius(), core_b - normal * b.radius());
        // Projections only come nearer, but the end of the sequence is a guess.
        let before = self.point_a.distance(self.point_b) + a.radius() + b.radius();
        (core_a.distance(core_b) <= before * (1.0 + 1e-12)).then_some(Self { normal, point_a, point_b })
    }
}

/// The convex shape that nearest points lie on.
enum Leaf<'g> {
    Primitive(&'g Primitive),
    Triangle(Triangle),
}

impl<'g> Leaf<'g> {
    /// `None` for kinds of geometry whose leaves are not known here.
    fn of(geometry: &'g dyn Geometry, number: u32) -> Option<Self> {
        let any: &dyn Any = geometry;
        match any.downcast_ref::<Solid>() {
            Some(solid) => Some(Self::Primitive(solid.shape())),
            None => geometry.leaf_triangle(number).map(Self::Triangle),
        }
    }

    fn shape(&self) -> &dyn Convex {
        match self {
            Self::Primitive(shape) => *shape,
            Self::Triangle(triangle) => triangle,
        }
    }
}

impl Penetration {
    /// The gradient of minus the depth by the pose of either solid. Where several directions are
    /// equally good this is that of one of them.
    ///
    /// ```
    /// use clearance_engine::{Pose, convex::PenetrationRequest, math::DVec3, query::penetration, shape::{Cuboid, Sphere}, tree::Solid};
    /// let (table, sphere) = (Solid::new(Cuboid::new(2.0, 1.0, 0.1)?), Solid::new(Sphere::new(0.2)?));
    /// let sunk = Pose::from_translation(DVec3::Z * 0.1)?;
    /// let depth = penetration(&table, &sphere, &sunk, &PenetrationRequest::default())?.expect("they overlap");
    /// assert!((depth.gradient(&sunk).by_b[2] - 1.0).abs() < 1e-12);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn gradient(&self, a_from_b: &Pose) -> Gradient {
        let Self { normal, point_a, point_b, .. } = *self;
        Gradient::new(&NearestLine { normal, point_a, point_b }, a_from_b, None)
    }
}

/// Features that differ in direction by no more than this are parallel.
const TILT: f64 = 1e-7;
/// What moves by no more than this part of a shape's size when its direction tilts is one point:
/// a curved surface moves by [`TILT`] times its radius.
const SPREAD: f64 = 1e-5;

/// Pairs of leaves that are as near as the nearest, up to this part of the distance, count as ties
/// …
pub(crate) const TIE: f64 = 1e-9;
/// … of which no more than these are looked at …
const MAX_TIES: usize = 64;
/// … and which have the same nearest points up to this part of the smaller body's size.
const SAME_PLACE: f64 = 1e-7;

/// Where a shape is extreme along a direction.
enum Feature {
    Vertex,
    /// With its direction, of unit length.
    Edge(DVec3),
    Face,
}

/// Whether no other points are as near as those of a distance, see [`Gradient::unique`]; `ties` are
/// the contacts within a margin, or `None` where nobody asks for them.
pub(crate) fn nearest_is_unique(
    geometries: [&dyn Geometry; 2],
    distance: &Distance,
    nearest: &NearestLine,
    a_from_b: &Pose,
    ties: impl FnOnce(&ContactsRequest) -> Option<Contacts>,
) -> Option<bool> {
    let NearestLine { normal, point_b, .. } = *nearest;
    let unique = leaves_are_unique(geometries, distance.witness?.leaves?, normal, a_from_b)?;
    if !unique || geometries.into_iter().all(is_convex) {
        return Some(unique);
    }
    // A mesh has other triangles, which may be as near.
    let request =
        ContactsRequest { max_contacts: MAX_TIES, margin: distance.upper * (1.0 + TIE), ..Default::default() };
    let Contacts { contacts, truncated, .. } = ties(&request)?;
    let size = geometries[0].sphere().radius.min(geometries[1].sphere().radius);
    let is_elsewhere = |contact: &Contact| {
        let moved = contact.points.last().map_or(DVec3::ZERO, |point| *point - point_b);
        moved.cross(normal).length() > SAME_PLACE * size
    };
    let leaves = |contact: &Contact| (contact.leaf_a, contact.leaf_b);
    let is_single = |contact: &Contact| leaves_are_unique(geometries, leaves(contact), normal, a_from_b);
    if contacts.iter().any(|contact| is_elsewhere(contact) || is_single(contact) == Some(false)) {
        return Some(false);
    }
    (!truncated).then_some(true)
}

/// Whether no other points of two leaves are as near as those along `normal`; `None` where the
/// leaves are not known.
fn leaves_are_unique(
    [a, b]: [&dyn Geometry; 2],
    (leaf_a, leaf_b): (u32, u32),
    normal: DVec3,
    a_from_b: &Pose,
) -> Option<bool> {
    let of_b = || feature_of(b, leaf_b, -(a_from_b.rotation().transpose() * normal));
    Some(match (feature_of(a, leaf_a, normal)?, of_b()?) {
        (Feature::Vertex, _) | (_, Feature::Vertex) => true,
        (Feature::Edge(a), Feature::Edge(b)) => a.cross(a_from_b.transform_vector(b)).length() > TILT,
        _ => false,
    })
}

/// Whether the geometry has one leaf, which is convex.
fn is_convex(geometry: &dyn Geometry) -> bool {
    let any: &dyn Any = geometry;
    any.is::<Solid>() || any.is::<HalfSpaceGeometry>()
}

/// The feature of a leaf that is farthest along `direction`; `None` for kinds of geometry whose
/// leaves are not known here.
fn feature_of(geometry: &dyn Geometry, leaf: u32, direction: DVec3) -> Option<Feature> {
    let any: &dyn Any = geometry;
    if any.is::<HalfSpaceGeometry>() {
        return Some(Feature::Face);
    }
    let leaf = Leaf::of(geometry, leaf)?;
    // They are strictly convex.
    if let Leaf::Primitive(Primitive::Sphere(_) | Primitive::Ellipsoid(_)) = leaf {
        return Some(Feature::Vertex);
    }
    let shape = leaf.shape();
    Some(feature_along(direction, shape.bounding_radius(), |along| shape.support(along)))
}

fn feature_along(direction: DVec3, size: f64, support: impl Fn(DVec3) -> DVec3) -> Feature {
    let (u, v) = direction.any_orthonormal_pair();
    // The two ends of the feature along a direction beside the normal, as a vector.
    let span = |beside: DVec3| support(direction + beside * TILT) - support(direction - beside * TILT);
    let spans = [span(u), span(v)];
    let longest = if spans[0].length_squared() >= spans[1].length_squared() { spans[0] } else { spans[1] };
    let length = longest.length();
    if length <= SPREAD * size {
        return Feature::Vertex;
    }
    let edge = longest / length;
    let across = direction.cross(edge);
    if span(across).dot(across).abs() <= SPREAD * size { Feature::Edge(edge) } else { Feature::Face }
}
