//! Pairs of single shapes: primitives, half-spaces and planes. There is nothing to traverse.

use super::{Goal, LeafPair};
use crate::Pose;
use crate::convex::{PolyhedronWarmStart, core_gap_along, overlap_after, rough_distance_after};
use crate::math::DVec3;
use crate::pair::shape::{ClosestPoints, Proximity, SharedPoints};
use crate::shape::{ConvexPolyhedron, HalfSpaceOrPlane, Primitive};
use crate::traversal::{WarmStart, Workspace};
use crate::tree::{DistanceField, HalfSpaceGeometry, Solid};
use std::cell::RefCell;

/// Runs `goal` over two solids. What is remembered is spheres around and inside of them, and more
/// of convex polyhedra.
#[inline]
pub fn test_primitives<G: Goal>(
    a: &Solid,
    b: &Solid,
    a_from_b: &Pose,
    goal: &mut G,
    _workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) {
    goal.stats().leaf_pairs += 1;
    let pair = LeafPair { a: 0, b: 0, rounding: a_from_b.solid_error(b.extent()) };
    let warm_start = warm_start.map(|warm_start| warm_start.of_solids(a, b));
    // One pair is all that there is, whether the goal wants more or not.
    let _ = match polyhedra_of(a, b) {
        Some([first, second]) => {
            let warm_start = RefCell::new(warm_start.map(|warm_start| &mut warm_start.convex));
            let first = WarmPolyhedron { polyhedron: first, warm_start };
            goal.meet(pair, &first, &MovedPolyhedron { polyhedron: second, pose: a_from_b })
        }
        None => goal.meet(pair, a.shape(), &b.shape().transformed(a_from_b)),
    };
}

/// The shapes of two solids that are convex polyhedra.
#[inline]
fn polyhedra_of<'s>(a: &'s Solid, b: &'s Solid) -> Option<[&'s ConvexPolyhedron; 2]> {
    match (a.shape(), b.shape()) {
        (Primitive::ConvexPolyhedron(a), Primitive::ConvexPolyhedron(b)) => Some([a, b]),
        _ => None,
    }
}

/// Runs `goal` over a primitive and a half-space or plane. There is nothing to remember.
pub fn test_primitive_and_half_space<G: Goal>(
    a: &Solid,
    b: &HalfSpaceGeometry,
    a_from_b: &Pose,
    goal: &mut G,
    _workspace: &mut Workspace,
    _warm_start: Option<&mut WarmStart>,
) {
    test_one(a.shape(), a.extent(), b, a_from_b, goal);
}

/// Runs `goal` over two half-spaces or planes. There is nothing to remember.
pub fn test_half_spaces<G: Goal>(
    a: &HalfSpaceGeometry,
    b: &HalfSpaceGeometry,
    a_from_b: &Pose,
    goal: &mut G,
    _workspace: &mut Workspace,
    _warm_start: Option<&mut WarmStart>,
) {
    test_one(a.shape(), a.shape().plane().offset().abs(), b, a_from_b, goal);
}

/// One shape, within `extent` of its origin as far as that matters, and a half-space or plane.
fn test_one<A: Proximity<HalfSpaceOrPlane>, G: Goal>(
    a: &A,
    extent: f64,
    b: &HalfSpaceGeometry,
    a_from_b: &Pose,
    goal: &mut G,
) {
    goal.stats().leaf_pairs += 1;
    let pair = LeafPair { a: 0, b: 0, rounding: a_from_b.solid_error(extent + b.shape().plane().offset().abs()) };
    // One pair is all that there is, whether the goal wants more or not.
    let _ = goal.meet(pair, a, &b.shape().transformed(a_from_b));
}

/// Runs `goal` over a primitive and a distance field. There is nothing to remember.
pub fn test_primitive_and_field<G: Goal>(
    a: &Solid,
    b: &DistanceField,
    a_from_b: &Pose,
    goal: &mut G,
    _workspace: &mut Workspace,
    _warm_start: Option<&mut WarmStart>,
) {
    goal.stats().leaf_pairs += 1;
    let pair = LeafPair { a: 0, b: 0, rounding: a_from_b.solid_error(a.extent() + b.extent()) };
    // One pair is all that there is, whether the goal wants more or not.
    let _ = goal.meet(pair, a.shape(), &b.placed(a_from_b));
}

/// A polyhedron and what its pair remembers, if anything.
struct WarmPolyhedron<'m> {
    polyhedron: &'m ConvexPolyhedron,
    warm_start: RefCell<Option<&'m mut PolyhedronWarmStart>>,
}

/// A polyhedron and where it is: it is only made there for searches that need it.
struct MovedPolyhedron<'m> {
    polyhedron: &'m ConvexPolyhedron,
    pose: &'m Pose,
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
