//! What the radii around two cores add to, and take from, the distance of the cores.

use crate::math::UNIT_ROUNDOFF;
use crate::shape::Convex;

/// The radii around two cores.
pub(crate) struct Radii {
    pub a: f64,
    pub b: f64,
    /// At least their sum.
    pub most: f64,
    /// At most their sum.
    pub least: f64,
}

impl Radii {
    /// Those of cores alone.
    pub(super) const NONE: Self = Self { a: 0.0, b: 0.0, most: 0.0, least: 0.0 };

    #[inline]
    pub(crate) fn of<A: Convex, B: Convex>(a: &A, b: &B) -> Self {
        let (a, b) = (a.radius(), b.radius());
        let sum = a + b;
        let exact = a == 0.0 || b == 0.0;
        Self { a, b, most: if exact { sum } else { sum.next_up() }, least: if exact { sum } else { sum.next_down() } }
    }

    /// At most the distance of the solids whose cores are at least this far apart.
    #[inline]
    pub(crate) fn below(&self, lower: f64) -> f64 {
        if self.most == 0.0 { lower } else { (lower - self.most).next_down() }
    }

    /// At least the distance of the solids whose cores are at most this far apart.
    #[inline]
    pub(crate) fn above(&self, upper: f64) -> f64 {
        if self.most == 0.0 { upper } else { (upper - self.least).next_up() }
    }

    /// Cores that are certainly this far apart belong to solids that are `limit` apart.
    #[inline]
    pub(crate) fn limit(&self, limit: f64) -> f64 {
        if self.most == 0.0 { limit } else { ((self.most + limit) * (1.0 + 4.0 * UNIT_ROUNDOFF)).next_up() }
    }
}
