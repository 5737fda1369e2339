//! Any volume against a simple solid: the best gap along a few directions.
//!
//! The first direction leads from the volume's centre to the nearest point of the solid's core: for
//! nodes that are small against the solid, which are most, it is all but the best one. Then the
//! axes of the volume and the normals of the solid's faces. As in [`super::mixed_gap`] any
//! direction is right, and of the two signs of an axis only the one towards the solid can separate.
//! Cost: two supports per direction. Roundings: fewer than [`super::mixed_gap`] has.

use super::SMALLEST_SQUARE;
use crate::math::DVec3;
use crate::shape::{Convex, Primitive};
use crate::volume::Support;

/// At most the distance between a volume and a solid in its stored coordinates; where it exceeds
/// `enough` no better one is looked for. Negative where no direction separates them.
///
/// Ignores rounding: the caller subtracts [`Similarity::margin`](crate::math::Similarity::margin).
pub(crate) fn solid_gap(volume: &dyn Support, solid: &Primitive, enough: f64) -> f64 {
    let towards = solid.center() - volume.center();
    let along = |direction: DVec3| {
        let squared = direction.length_squared();
        // No direction where the centre is in the solid, and none to trust where squares lose
        // digits.
        if squared <= SMALLEST_SQUARE {
            return f64::NEG_INFINITY;
        }
        let n = direction / squared.sqrt();
        let nearest = n.dot(solid.center()) + n.dot(solid.support(-n)) - Convex::radius(solid);
        nearest - volume.support(n)
    };
    let to_nearest = towards + solid.nearest(-towards);
    let mut best = along(to_nearest);
    // A volume that is small against its distance is well seen from its centre.
    let enough = enough.min(0.5 * to_nearest.length());
    for axis in volume.axes().into_iter().chain(solid.face_normals(-towards)) {
        if best > enough {
            break;
        }
        best = best.max(along(if axis.dot(towards) < 0.0 { -axis } else { axis }));
    }
    // A volume whose centre is in a sphere's leaves no direction at all.
    if best == f64::NEG_INFINITY { 0.0 } else { best }
}
