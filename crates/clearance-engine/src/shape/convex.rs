//! What a convex shape says about itself: the farthest point along a direction, and a few
//! directions that matter.

use crate::math::{DMat3, DVec3};
use smallvec::SmallVec;

/// The most directions that a shape has to offer.
pub(super) const MAX_DIRECTIONS: usize = 8;

/// A handful of directions.
pub type Directions = SmallVec<[DVec3; MAX_DIRECTIONS]>;

/// A convex set: a *core*, known by its farthest points, and all that is within
/// [`radius`](Convex::radius) of the core.
///
/// A sphere is a point with a radius, a capsule a segment with one; what has sharp edges has radius
/// zero. Points of the core are given relative to [`center`](Convex::center), so that nothing is
/// lost far away from the origin.
///
/// Invariant: points come out within 24 roundings of the core, relative to
/// [`bounding_radius`](Convex::bounding_radius), and the farthest one is as far as the farthest of
/// the core up to as much.
///
/// ```
/// use clearance_engine::{math::DVec3, shape::{Convex, Cuboid}};
/// let cuboid = Cuboid::from_half_extents(DVec3::new(1.0, 2.0, 3.0))?;
/// assert_eq!(cuboid.support(DVec3::new(0.1, -5.0, 2.0)), DVec3::new(1.0, -2.0, 3.0));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub trait Convex {
    /// A point of the core.
    fn center(&self) -> DVec3;

    /// At least the distance of any point of the core from the centre, up to rounding.
    fn bounding_radius(&self) -> f64;

    /// How far the set extends beyond its core.
    fn radius(&self) -> f64 {
        0.0
    }

    /// The radius of a sphere about the centre that is inside of the set, up to rounding: of the
    /// largest one that is known.
    fn inner(&self) -> f64 {
        self.radius()
    }

    /// The point of the core that is farthest along `direction`, which may have any length.
    fn support(&self, direction: DVec3) -> DVec3;

    /// A point of the core near to `offset`, the nearest where that is known: a search starts
    /// there.
    fn nearest(&self, offset: DVec3) -> DVec3;

    /// Whether [`nearest`](Convex::nearest) is the nearest point; else a search has to find that.
    fn knows_nearest(&self) -> bool {
        true
    }

    /// The point of the core nearest to `offset`, however long that takes.
    fn surely_nearest(&self, offset: DVec3) -> DVec3 {
        self.nearest(offset)
    }

    /// Normals of the core's flat faces, of any length, one of each two opposite ones; of many, a
    /// few that meet what is farthest along `towards`.
    fn face_normals(&self, towards: DVec3) -> Directions;

    /// Calls `visit` with outward normals of all faces, of any length, unless these are too many or
    /// come in opposite pairs: then [`face_normals`](Convex::face_normals) says what there is to
    /// say.
    fn each_face_normal(&self, visit: &mut dyn FnMut(DVec3)) {
        let _ = visit;
    }

    /// Directions of the core's straight edges, of any length; of many, a few that meet what is
    /// farthest along `towards`.
    fn edge_directions(&self, towards: DVec3) -> Directions;

    /// Directions of the core's edges near to a point of it, of any length: the straight ones, and
    /// tangents of curved ones.
    fn edges_at(&self, offset: DVec3) -> Directions {
        self.edge_directions(offset)
    }

    /// Whether the core has curved parts; vertices, edges and flat faces are found by the search in
    /// a few steps.
    #[inline]
    fn is_curved(&self) -> bool {
        false
    }

    /// How the farthest point moves as `direction`, of unit length, turns: its derivative, or zero
    /// where it has none.
    #[inline]
    fn turning(&self, direction: DVec3) -> DMat3 {
        let _ = direction;
        DMat3::ZERO
    }
}
