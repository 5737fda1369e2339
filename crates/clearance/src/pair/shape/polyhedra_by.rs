//! Two convex polyhedra by a method of choice ([`Method`]), as a pair of shapes like any other.

use super::{ClosestPoints, Proximity, Shape, SharedPoints};
use crate::Pose;
use crate::convex::{Method, MethodMemory, core_gap_along, decide_by, rough_distance_by};
use crate::math::DVec3;
use crate::shape::{ConvexPolyhedron, Primitive};
use std::borrow::Cow;
use std::cell::RefCell;

impl Shape for ConvexPolyhedron {
    #[inline]
    fn transformed(&self, pose: &Pose) -> Self {
        ConvexPolyhedron::transformed(self, pose)
    }
}

/// A polyhedron that meets others by one method, and what that remembers.
#[derive(Debug, Clone)]
pub(crate) struct ByMethod<'m> {
    pub polyhedron: Cow<'m, ConvexPolyhedron>,
    pub method: Method,
    pub memory: &'m RefCell<&'m mut MethodMemory>,
}

impl Shape for ByMethod<'_> {
    fn transformed(&self, pose: &Pose) -> Self {
        Self { polyhedron: Cow::Owned(self.polyhedron.transformed(pose)), ..self.clone() }
    }
}

impl Proximity<ConvexPolyhedron> for ByMethod<'_> {
    fn overlaps(&self, b: &ConvexPolyhedron) -> bool {
        decide_by(self.method, &self.polyhedron, b, &mut self.memory.borrow_mut()).overlaps()
    }

    fn closest_below(&self, b: &ConvexPolyhedron, limit: f64) -> Option<ClosestPoints> {
        let found = rough_distance_by(self.method, &self.polyhedron, b, limit, &mut self.memory.borrow_mut())?;
        if found.upper == 0.0 {
            return Some(ClosestPoints::overlapping(found.point_a));
        }
        let (lower, upper) = (found.lower, found.upper);
        Some(ClosestPoints { lower, upper, point_a: found.point_a, point_b: found.point_b })
    }

    fn gap_along(&self, b: &ConvexPolyhedron, direction: DVec3) -> f64 {
        core_gap_along(&*self.polyhedron, b, direction)
    }

    /// As any two solids do: methods differ in how they find distances and decide.
    fn shared_points(&self, b: &ConvexPolyhedron) -> Option<SharedPoints> {
        Primitive::from(self.polyhedron.clone().into_owned()).shared_points(&Primitive::from(b.clone()))
    }
}
