//! Two convex polyhedra by a method of choice ([`Method`]), as a pair of shapes like any other.

use super::{ClosestPoints, Proximity, SharedPoints};
use crate::Pose;
use crate::convex::{Method, MethodMemory, core_gap_along, overlap_after, rough_distance_after};
use crate::math::DVec3;
use crate::shape::{ConvexPolyhedron, Primitive};
use std::cell::RefCell;

/// A polyhedron that meets others by one method, and what that remembers, if anything.
pub(crate) struct ByMethod<'m> {
    pub polyhedron: &'m ConvexPolyhedron,
    pub method: Method,
    pub memory: RefCell<Option<&'m mut MethodMemory>>,
}

/// A polyhedron and where it is: it is only made there for methods that need it.
pub(crate) struct Moved<'m> {
    pub polyhedron: &'m ConvexPolyhedron,
    pub pose: &'m Pose,
}

impl Moved<'_> {
    fn made(&self) -> ConvexPolyhedron {
        self.polyhedron.transformed(self.pose)
    }
}

impl Proximity<Moved<'_>> for ByMethod<'_> {
    #[inline(always)]
    fn overlaps(&self, b: &Moved<'_>) -> bool {
        let mut memory = self.memory.borrow_mut();
        overlap_after(self.method, self.polyhedron, b.polyhedron, b.pose, memory.as_deref_mut())
    }

    #[inline(always)]
    fn closest_below(&self, b: &Moved<'_>, limit: f64) -> Option<ClosestPoints> {
        let mut memory = self.memory.borrow_mut();
        rough_distance_after(self.method, self.polyhedron, b.polyhedron, b.pose, limit, memory.as_deref_mut())
    }

    fn gap_along(&self, b: &Moved<'_>, direction: DVec3) -> f64 {
        core_gap_along(self.polyhedron, &b.made(), direction)
    }

    /// As any two solids do: methods differ in how they find distances and decide.
    fn shared_points(&self, b: &Moved<'_>) -> Option<SharedPoints> {
        Primitive::from(self.polyhedron.clone()).shared_points(&Primitive::from(b.made()))
    }
}
