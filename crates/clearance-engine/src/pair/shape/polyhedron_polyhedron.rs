//! Two convex polyhedra as a pair of shapes like any other, with their warm start.

use super::{ClosestPoints, Proximity, SharedPoints};
use crate::Pose;
use crate::convex::{PolyhedronWarmStart, core_gap_along, overlap_after, rough_distance_after};
use crate::math::DVec3;
use crate::shape::{ConvexPolyhedron, Primitive};
use std::cell::RefCell;

/// A polyhedron and what its pair remembers, if anything.
pub(crate) struct WarmPolyhedron<'m> {
    pub polyhedron: &'m ConvexPolyhedron,
    pub warm_start: RefCell<Option<&'m mut PolyhedronWarmStart>>,
}

/// A polyhedron and where it is: it is only made there for searches that need it.
pub(crate) struct MovedPolyhedron<'m> {
    pub polyhedron: &'m ConvexPolyhedron,
    pub pose: &'m Pose,
}

impl MovedPolyhedron<'_> {
    fn made(&self) -> ConvexPolyhedron {
        self.polyhedron.transformed(self.pose)
    }
}

impl Proximity<MovedPolyhedron<'_>> for WarmPolyhedron<'_> {
    #[inline(always)]
    fn overlaps(&self, b: &MovedPolyhedron<'_>) -> bool {
        let mut warm_start = self.warm_start.borrow_mut();
        overlap_after(self.polyhedron, b.polyhedron, b.pose, warm_start.as_deref_mut())
    }

    #[inline(always)]
    fn closest_below(&self, b: &MovedPolyhedron<'_>, limit: f64) -> Option<ClosestPoints> {
        let mut warm_start = self.warm_start.borrow_mut();
        rough_distance_after(self.polyhedron, b.polyhedron, b.pose, limit, warm_start.as_deref_mut())
    }

    fn gap_along(&self, b: &MovedPolyhedron<'_>, direction: DVec3) -> f64 {
        core_gap_along(self.polyhedron, &b.made(), direction)
    }

    /// As any two solids do.
    fn shared_points(&self, b: &MovedPolyhedron<'_>) -> Option<SharedPoints> {
        Primitive::from(self.polyhedron.clone()).shared_points(&Primitive::from(b.made()))
    }
}
