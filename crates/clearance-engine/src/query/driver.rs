//! The driver: what every query does around the one traversal.
//!
//! An adapter prepares a [`Search`]: a goal in two trees at one pose. The driver tries the shapes
//! of the warm start, traverses, and remembers what the next query starts with. Containment, which
//! no pair of surfaces tells, follows in the dispatcher's table.

use super::Goal;
use crate::Pose;
use crate::math::Similarity;
use crate::math::lanes::{Lanes8, Vectorized, vectorized};
use crate::traversal::{NodePair, Query, Scratch, WarmStart, Workspace, traverse};
use crate::tree::Tree;
use std::marker::PhantomData;
use std::ops::ControlFlow;

/// A goal in two trees at one pose, prepared.
pub(super) trait Search<A: Tree, B: Tree>: Query<A, B> + Sized {
    type Goal: Goal<Order = Self::Order>;

    fn goal(&mut self) -> &mut Self::Goal;

    /// Two shapes that decided an earlier query, by their numbers: those that are not there any
    /// more are passed over.
    fn try_shapes(&mut self, a: &A, b: &B, shapes: (u32, u32)) -> ControlFlow<()>;

    /// Whether what is inside of the two roots satisfies the goal, which is then told: seeds have
    /// no lanes that could.
    #[inline(always)]
    fn accepts_roots(&mut self, _a: &A, _b: &B) -> bool {
        false
    }

    /// From the roots down; `warm_start` may know a better start.
    #[inline(always)]
    fn traverse(&mut self, a: &A, b: &B, front: &mut Self::Order, _warm_start: Option<&mut WarmStart>) {
        let _ = traverse(a, b, self, front, &[NodePair::new(a.root(), b.root())]);
    }
}

/// Runs a search, from the warm start on.
#[inline(always)]
fn run<A: Tree, B: Tree, Q: Search<A, B>>(
    a: &A,
    b: &B,
    search: &mut Q,
    front: &mut Q::Order,
    (mut warm_start, revisions): (Option<&mut WarmStart>, (u64, u64)),
) {
    if search.accepts_roots(a, b) {
        return;
    }
    let last = warm_start.as_deref_mut().and_then(|warm_start| warm_start.last_shapes(revisions));
    if last.is_some_and(|shapes| search.try_shapes(a, b, shapes).is_break()) {
        search.goal().stopped(0.0);
    } else {
        search.traverse(a, b, front, warm_start.as_deref_mut());
    }
    if let Some(warm_start) = warm_start {
        warm_start.shapes = search.goal().remembered().or(warm_start.shapes);
    }
}

/// The memory of a query about two geometries of these revisions.
pub(super) struct Driver<'q> {
    pub workspace: &'q mut Workspace,
    pub warm_start: Option<&'q mut WarmStart>,
    pub revisions: (u64, u64),
}

impl<'q> Driver<'q> {
    /// Runs the search that `prepare` makes.
    #[inline(always)]
    pub fn run<A: Tree, B: Tree, Q: Search<A, B>>(self, a: &A, b: &B, prepare: impl FnOnce(&'q mut Scratch) -> Q) {
        let Workspace { fronts, scratch, .. } = self.workspace;
        let mut front = fronts.take();
        run(a, b, &mut prepare(scratch.cleared()), &mut front, (self.warm_start, self.revisions));
        fronts.put(front);
    }

    /// Runs the search of kind `K`, in the widest lanes that there are.
    #[inline(always)]
    pub fn run_in_lanes<K: InLanes<A, B, G>, A: Tree, B: Tree, G: Goal>(self, placed: Placed<'q, A, B, G>) {
        let Workspace { fronts, scratch, simd_level, .. } = self.workspace;
        let mut front = fronts.take();
        let memory = (self.warm_start, self.revisions);
        let kind = PhantomData::<K>;
        vectorized(*simd_level, Run { placed, scratch: scratch.cleared(), front: &mut front, memory, kind });
        fronts.put(front);
    }
}

/// Two trees, the pose of the second in the first one's frame, and a goal.
pub(super) struct Placed<'q, A, B, G> {
    pub a: &'q A,
    pub b: &'q B,
    pub a_from_b: &'q Pose,
    /// The same between stored coordinates.
    pub stored: &'q Similarity,
    pub goal: &'q mut G,
}

/// A kind of search whose bounds are SIMD arithmetic.
pub(super) trait InLanes<A: Tree, B: Tree, G: Goal> {
    type Search<'q, S: Lanes8>: Search<A, B, Goal = G, Order = G::Order>
    where
        A: 'q,
        B: 'q,
        G: 'q;

    /// Prepares what depends on the pose alone.
    fn prepare<'q, S: Lanes8>(simd: S, placed: Placed<'q, A, B, G>, scratch: &'q mut Scratch) -> Self::Search<'q, S>;
}

/// All that a query needs, before the instruction set is chosen.
struct Run<'q, 'f, K, A, B, G: Goal> {
    placed: Placed<'q, A, B, G>,
    scratch: &'q mut Scratch,
    front: &'f mut G::Order,
    memory: (Option<&'q mut WarmStart>, (u64, u64)),
    kind: PhantomData<K>,
}

impl<K: InLanes<A, B, G>, A: Tree, B: Tree, G: Goal> Vectorized for Run<'_, '_, K, A, B, G> {
    type Output = ();

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) {
        let (a, b) = (self.placed.a, self.placed.b);
        run(a, b, &mut K::prepare(simd, self.placed, self.scratch), self.front, self.memory);
    }
}
