//! What a question is to the traversals: a [`Goal`], and what some of them ask of it besides.

use crate::Pose;
use crate::math::DVec3;
use crate::pair::shape::Proximity;
use crate::traversal::{Order, Stats};
use std::ops::ControlFlow;

/// A limit below which only contact is left to find. Unlike those of the smallest positive number,
/// its products with the scales of frames (2⁻³³³ and more) are not subnormal, which costs 27 ns
/// each: a fourth of a far `collide`.
pub(crate) const CONTACT: f64 = 1e-200;

/// A request's budget of steps, as goals compare it.
#[inline(always)]
pub(super) fn max_steps(request: Option<usize>) -> u64 {
    request.map_or(u64::MAX, |steps| steps as u64)
}

/// The numbers of two shapes that meet, and how far rounding may have moved them against each
/// other.
#[derive(Debug, Clone, Copy)]
pub struct LeafPair {
    /// Number of the shape in the first tree.
    pub a: u32,
    /// Number of the shape in the second tree.
    pub b: u32,
    /// At least the error of the distance that comes from moving the second shape into the first
    /// one's frame.
    pub rounding: f64,
}

/// The running state of a question.
pub trait Goal {
    /// The order in which its traversals take their pairs.
    type Order: Order;

    /// Whether only overlap matters: then volumes are asked
    /// [`apart`](crate::pair::volume::Gap::apart), not for a gap, and volumes inside of solids that
    /// surely overlap [satisfy](Goal::accept) the goal.
    const OVERLAP_ONLY: bool;

    /// Pairs that are certainly this far apart, or farther, cannot matter.
    fn limit(&self) -> f64;

    /// What was counted.
    fn stats(&mut self) -> &mut Stats;

    /// Two shapes in one frame.
    fn meet<A: Proximity<B>, B>(&mut self, pair: LeafPair, a: &A, b: &B) -> ControlFlow<()>;

    /// Everything that is `reach` or nearer satisfies the goal at once; negative if nothing does.
    fn accepts_within(&self) -> f64 {
        -1.0
    }

    /// A pair whose contents are certainly within [`accepts_within`](Goal::accepts_within), or
    /// overlap.
    fn accept(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// A point that two solids share though their surfaces do not.
    fn contain(&mut self, point: DVec3);

    /// Whether the goal already knows of an overlap.
    fn overlaps(&self) -> bool;

    /// The traversal was ended by this goal; all that was not looked at is at least `floor` apart.
    fn stopped(&mut self, _floor: f64) {}

    /// Whether the request's budget of [steps](Stats::steps) is used up.
    #[inline(always)]
    fn is_spent(&self) -> bool {
        false
    }

    /// The budget ended a traversal; all that was not looked at is at least `floor` apart.
    fn exhausted(&mut self, _floor: f64) {}

    /// Whether the budget ended a traversal.
    fn is_exhausted(&self) -> bool {
        false
    }

    /// The pair of shapes to look at first next time.
    fn remembered(&self) -> Option<(u32, u32)> {
        None
    }
}

/// What leaves of two default meshes ask of a goal: whether pairs of triangles may wait until
/// there are eight, or until nearer ones are known (`mesh_mesh.rs`).
pub trait Defer: Goal {
    /// Whether only the nearest pair matters, so that one that is certainly apart may be looked at
    /// later, when nearer ones are known, and need not be where nearer ones are sure to follow.
    const DEFERS: bool = false;

    /// Some pair, to be looked at later, is certainly not farther apart than `upper`.
    fn promise(&mut self, _upper: f64) {}

    /// A promise below this is worth making: not less than the limit, and more where a tolerance
    /// lowers that.
    fn worth_promising(&self) -> f64 {
        self.limit()
    }

    /// Whether what was found is as near as what was promised.
    fn keeps_promise(&self) -> bool {
        true
    }
}

/// What the dispatcher asks of a goal: to run through the parts of a composite, and through tests
/// of B against A.
pub trait Composite: Goal {
    /// Where the goal stands, for [`rewrite`](Composite::rewrite).
    type Mark: Copy;

    /// The present state; what is found from here on is of parts, and will be
    /// [rewritten](Composite::rewrite) by `change`.
    fn mark(&mut self, change: &Change) -> Self::Mark;

    /// Brings what was found since `mark` into another frame, with the two sides exchanged if
    /// asked.
    fn rewrite(&mut self, mark: Self::Mark, change: &Change);

    /// Whether nothing that might still be found matters.
    fn is_done(&self) -> bool;

    /// All that is met from here on is at least `floor` apart, however early a search of it ends:
    /// the bound of two parts, which their own traversal does not know. Returns the floor before.
    fn inherit(&mut self, _floor: f64) -> f64 {
        0.0
    }

    /// Distances may be off by as much from here on, because of how what is met came to its place.
    fn loosen(&mut self, _rounding: f64) {}

    /// `overlapping` tells whether two geometries overlap, if what is remembered settles that:
    /// whether this is all that the goal asks.
    fn recall(&mut self, _overlapping: impl FnOnce() -> Option<bool>) -> bool {
        false
    }
}

/// How an answer about two parts becomes one about the wholes.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    /// From the frame of the answer to the one it is wanted in.
    pub pose: Pose,
    /// Whether first and second are exchanged.
    pub swapped: bool,
    /// What the first one is a part of calls it by this number, whatever its own leaves are called.
    pub part: Option<u32>,
}

impl Change {
    pub(super) fn point_pair(&self, a: DVec3, b: DVec3) -> (DVec3, DVec3) {
        let (a, b) = (self.pose.transform_point(a), self.pose.transform_point(b));
        if self.swapped { (b, a) } else { (a, b) }
    }

    pub(super) fn leaves(&self, (a, b): (u32, u32)) -> (u32, u32) {
        let (a, b) = if self.swapped { (b, a) } else { (a, b) };
        (self.part.unwrap_or(a), b)
    }
}
