//! The answer about a point: its signed distance from a geometry.

use crate::math::DVec3;

/// How the sign of a [`PointDistance`] was found.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Sign {
    /// The surface is closed, or the shape is a solid: inside and outside are decided.
    Closed,
    /// The mesh is open: its generalised winding number about the point, 1 inside and 0 outside of
    /// a mesh that is nearly closed. The point counts as inside from 1/2 on.
    ///
    /// It is a sum of solid angles (Jacobson, Kavan and Sorkine-Hornung, "Robust inside-outside
    /// segmentation using generalized winding numbers", 2013), in which far triangles are taken
    /// together (Barill et al., "Fast winding numbers for soups and clouds", 2018): a guess, not a
    /// proof.
    Winding(f64),
    /// The geometry has no inside: the distance is never negative.
    Unsigned,
}

/// The signed distance of a point from a geometry: negative inside.
///
/// ```
/// use clearance_engine::{math::DVec3, shape::Sphere, tree::{Geometry, Solid}};
/// let ball = Solid::new(Sphere::new(2.0)?);
/// let inside = ball.signed_distance(DVec3::new(0.0, 0.5, 0.0))?;
/// assert!((inside.distance + 1.5).abs() < 1e-12 && inside.gradient.distance(DVec3::Y) < 1e-12);
/// assert!(inside.lower <= -1.5 && -1.5 <= inside.upper);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PointDistance {
    /// The signed distance: that of the point `nearest`, rounded.
    pub distance: f64,
    /// The true signed distance is at least this, certified.
    pub lower: f64,
    /// The true signed distance is at most this, certified.
    pub upper: f64,
    /// The nearest point of the surface.
    pub nearest: DVec3,
    /// The direction of steepest ascent, of unit length: away from the surface outside, towards it
    /// inside.
    pub gradient: DVec3,
    /// How the sign was found.
    pub sign: Sign,
    /// The triangle, point or cell that is nearest; 0 for a geometry of one shape.
    pub leaf: u32,
    /// The part of an assembly that is nearest; 0 for other geometries.
    pub part: u32,
}

impl PointDistance {
    /// Whether the point is inside.
    pub fn is_inside(&self) -> bool {
        self.distance < 0.0
    }
}
