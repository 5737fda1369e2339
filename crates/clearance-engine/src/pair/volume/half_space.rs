//! Any volume against a half-space or plane: by its height above the plane.
//!
//! A support along the normal bounds the highest point of a volume, one against it the lowest.

use crate::math::{DVec3, Frame, UNIT_ROUNDOFF};
use crate::shape::HalfSpaceOrPlane;
use crate::volume::Support;

/// A half-space or plane in stored coordinates.
pub(crate) struct StoredHalfSpace {
    normal: DVec3,
    offset: f64,
    is_solid: bool,
    /// What rounding may add to a gap.
    pub margin: f64,
}

impl StoredHalfSpace {
    /// One that rounding may have moved by `rounding`.
    pub fn new(flat: &HalfSpaceOrPlane, frame: &Frame, rounding: f64) -> Self {
        let (n, d) = (flat.plane().normal(), flat.plane().offset());
        // The plane's own rounding, that of its stored offset, and of supports and stored
        // coordinates below 2.
        let arithmetic = 64.0 * UNIT_ROUNDOFF * (frame.scale * (d.abs() + frame.center.length()) + 4.0);
        Self {
            normal: n,
            offset: (d - n.dot(frame.center)) * frame.scale,
            is_solid: flat.is_solid(),
            margin: rounding * frame.scale + arithmetic,
        }
    }

    /// At most the distance of a volume, rounding ignored; where it exceeds `enough` no better one
    /// is looked for.
    pub fn gap(&self, volume: &dyn Support, enough: f64) -> f64 {
        let above = -volume.support(-self.normal) - self.offset;
        if self.is_solid || above > enough { above } else { above.max(self.offset - volume.support(self.normal)) }
    }
}
