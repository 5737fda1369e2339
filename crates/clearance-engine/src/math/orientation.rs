//! The exact orientation predicate: on which side of a plane a point lies.

use super::DVec3;
use robust::{Coord3D, orient3d};

/// Has the sign of `(q − p) × (r − p) · (s − p)`: positive when `s` is on the side to which
/// `p, q, r` turn left.
///
/// The sign is exact and the size about right (Shewchuk, "Adaptive precision floating-point
/// arithmetic and fast robust geometric predicates", 1997), as long as no product of three
/// coordinate differences overflows or loses bits to underflow.
#[inline]
pub(crate) fn volume(p: DVec3, q: DVec3, r: DVec3, s: DVec3) -> f64 {
    let coordinates = |point: DVec3| Coord3D { x: point.x, y: point.y, z: point.z };
    -orient3d(coordinates(p), coordinates(q), coordinates(r), coordinates(s))
}

/// A vector of any size, scaled to length 1; none for zero.
pub(crate) fn unit(vector: DVec3) -> Option<DVec3> {
    let largest = vector.abs().max_element();
    // First by size, so that squares stay in range.
    if largest > 0.0 { (vector / largest).try_normalize() } else { None }
}
