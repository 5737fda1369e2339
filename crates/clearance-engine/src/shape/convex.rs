//! The interface of convex shapes: the support function, and a few directions that matter to a
//! search.

use crate::math::{DMat3, DVec3};
use smallvec::SmallVec;

/// The maximum number of directions that a shape offers.
pub(super) const MAX_DIRECTIONS: usize = 8;

/// A short list of directions.
pub type Directions = SmallVec<[DVec3; MAX_DIRECTIONS]>;

/// A convex shape, as GJK and EPA see it: a *core* with a support function, and a
/// [`radius`](Convex::radius) around the core.
///
/// A sphere is a point with a radius, a capsule a segment with one. Shapes with sharp edges have
/// radius zero. The shape is the Minkowski sum of the core and a sphere of that radius. Points of
/// the core are relative to [`center`](Convex::center), which keeps their digits far away from the
/// origin.
///
/// Invariant: every point that a method returns lies within 24 roundings of the core, relative to
/// [`bounding_radius`](Convex::bounding_radius). The support point is as far along the direction as
/// the farthest point of the core, up to the same error.
///
/// ```
/// use clearance_engine::{math::DVec3, shape::{Convex, Cuboid}};
/// let cuboid = Cuboid::from_half_extents(DVec3::new(1.0, 2.0, 3.0))?;
/// assert_eq!(cuboid.support(DVec3::new(0.1, -5.0, 2.0)), DVec3::new(1.0, -2.0, 3.0));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub trait Convex {
    /// A point of the core, the origin of all offsets.
    fn center(&self) -> DVec3;

    /// The radius of a bounding sphere of the core about the centre, up to rounding.
    fn bounding_radius(&self) -> f64;

    /// The radius by which the shape extends beyond its core.
    fn radius(&self) -> f64 {
        0.0
    }

    /// The radius of an inscribed sphere about the centre, up to rounding: the largest one that the
    /// shape has computed.
    fn inner(&self) -> f64 {
        self.radius()
    }

    /// The support function: the point of the core farthest along `direction`, which may have any
    /// length.
    fn support(&self, direction: DVec3) -> DVec3;

    /// A point of the core near to `offset`, from which a search starts; the nearest one if
    /// [`knows_nearest`](Convex::knows_nearest).
    fn nearest(&self, offset: DVec3) -> DVec3;

    /// Whether [`nearest`](Convex::nearest) returns the nearest point; otherwise a search has to
    /// find it.
    fn knows_nearest(&self) -> bool {
        true
    }

    /// The point of the core nearest to `offset`, however long that takes.
    fn surely_nearest(&self, offset: DVec3) -> DVec3 {
        self.nearest(offset)
    }

    /// Normals of the core's planar faces, of any length, one of each two opposite ones. A shape
    /// with many faces returns a few at its support point along `towards`.
    fn face_normals(&self, towards: DVec3) -> Directions;

    /// Calls `visit` with the outward normals of all faces, of any length.
    ///
    /// Shapes with too many faces, or with faces in opposite pairs, call nothing; for these
    /// [`face_normals`](Convex::face_normals) is enough.
    fn each_face_normal(&self, visit: &mut dyn FnMut(DVec3)) {
        let _ = visit;
    }

    /// Directions of the core's straight edges, of any length. A shape with many edges returns a
    /// few at its support point along `towards`.
    fn edge_directions(&self, towards: DVec3) -> Directions;

    /// Directions of the core's edges near to a point of it, of any length: the straight ones, and
    /// tangents of curved ones.
    fn edges_at(&self, offset: DVec3) -> Directions {
        self.edge_directions(offset)
    }

    /// Whether the core has curved parts. The search finds vertices, edges and planar faces in a
    /// few steps.
    #[inline]
    fn is_curved(&self) -> bool {
        false
    }

    /// The derivative of the support point by `direction`, of unit length, or zero where it has
    /// none.
    #[inline]
    fn turning(&self, direction: DVec3) -> DMat3 {
        let _ = direction;
        DMat3::ZERO
    }
}
