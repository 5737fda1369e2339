//! THE loop ([`traverse`]), and the driver around it: what every query does.
//!
//! An adapter (`query/`) prepares a [`Search`]: a goal in two trees at one pose. The driver tries
//! the shapes of the warm start, traverses, and remembers what the next query starts with.
//! Containment, which no pair of surfaces tells, follows in the dispatcher's tests.

use super::order::set_bits;
use super::{Lanes, NodePair, Order, Query, Scratch, WarmStart, Workspace};
use crate::Pose;
use crate::math::Similarity;
use crate::math::lanes::{Lanes8, Vectorized, vectorized};
use crate::tree::{MAX_CHILDREN, Tree};
use std::marker::PhantomData;
use std::ops::ControlFlow;

/// Takes pairs from `front`, which starts with `seeds`, until none is left below the query's limit,
/// the query breaks, or its budget [is spent](Query::is_spent).
///
/// Seeds are any pairs that together cover what is asked: the two roots, the front of an earlier
/// traversal, the pairs of a schedule. Memory is `front`'s, so that nothing is allocated once it
/// has grown; there is no recursion.
// Inlined, so that a query inside of `lanes::vectorized` keeps its instructions.
#[inline(always)]
pub fn traverse<A: Tree, B: Tree, Q: Query<A, B>>(
    a: &A,
    b: &B,
    query: &mut Q,
    front: &mut Q::Order,
    seeds: &[NodePair],
) -> ControlFlow<()> {
    front.clear();
    for seed in seeds {
        front.push(*seed, seed.key);
    }
    while let Some(pair) = next_to_open(a, b, query, front)? {
        if query.is_spent() {
            return exhausted(query, front, &pair);
        }
        // A second pair in flight hides the latency of the first one's bounds.
        let second = if Q::TWO_IN_FLIGHT { next_to_open(a, b, query, front)? } else { None };
        let opened = Opened::new(a, b, query, pair);
        if let Some(second) = second {
            let opened = Opened::new(a, b, query, second);
            opened.push_children(a, b, query, front)?;
        }
        opened.push_children(a, b, query, front)?;
    }
    ControlFlow::Continue(())
}

/// Ends a traversal before a pair, for want of budget; apart, so that the loop stays small.
#[cold]
#[inline(never)]
fn exhausted<A: Tree, B: Tree, Q: Query<A, B>>(query: &mut Q, front: &Q::Order, pair: &NodePair) -> ControlFlow<()> {
    query.exhausted(front.floor().min(pair.key));
    ControlFlow::Break(())
}

/// The next pair with a node to open; pairs of leaves meet on the way.
#[inline(always)]
fn next_to_open<A: Tree, B: Tree, Q: Query<A, B>>(
    a: &A,
    b: &B,
    query: &mut Q,
    front: &mut Q::Order,
) -> ControlFlow<(), Option<NodePair>> {
    while let Some(pair) = front.pop(query.limit_of_order()) {
        if pair.key >= query.limit() {
            query.dropped(&pair);
            continue;
        }
        match query.visit(&pair, front) {
            ControlFlow::Continue(()) => {}
            ControlFlow::Break(true) => return ControlFlow::Break(()),
            ControlFlow::Break(false) => continue,
        }
        if a.is_leaf(pair.a) && b.is_leaf(pair.b) {
            query.leaf(a, b, &pair, front)?;
            continue;
        }
        return ControlFlow::Continue(Some(pair));
    }
    ControlFlow::Continue(None)
}

/// A pair of which one side was opened.
struct Opened<L> {
    pair: NodePair,
    opens_a: bool,
    lanes: L,
}

impl<L: Lanes> Opened<L> {
    #[inline(always)]
    fn new<A: Tree, B: Tree, Q: Query<A, B, Lanes = L>>(a: &A, b: &B, query: &mut Q, pair: NodePair) -> Self {
        let opens_a = b.is_leaf(pair.b) || (!a.is_leaf(pair.a) && query.opens_a(a, b, &pair));
        let lanes = if opens_a { query.bound_a(a, b, &pair) } else { query.bound_b(a, b, &pair) };
        Self { pair, opens_a, lanes }
    }

    #[inline(always)]
    fn push_children<A: Tree, B: Tree, Q: Query<A, B, Lanes = L>>(
        self,
        a: &A,
        b: &B,
        query: &mut Q,
        front: &mut Q::Order,
    ) -> ControlFlow<()> {
        let pair = self.pair;
        if self.opens_a {
            let child = a.children(pair.a);
            push(query, front, &pair, &self.lanes, |lane| NodePair { a: child(lane), ..pair })
        } else {
            let child = b.children(pair.b);
            push(query, front, &pair, &self.lanes, |lane| NodePair { b: child(lane), ..pair })
        }
    }
}

/// Pushes the lanes that can still matter. A child inherits its parent's bound: in a tree whose
/// children leave their parent the child's own bound may be the weaker one.
#[inline(always)]
fn push<A: Tree, B: Tree, Q: Query<A, B>>(
    query: &mut Q,
    front: &mut Q::Order,
    parent: &NodePair,
    lanes: &Q::Lanes,
    child: impl Fn(usize) -> NodePair,
) -> ControlFlow<()> {
    for lane in set_bits(lanes.accepted()) {
        query.accept(&child(lane))?;
    }
    let open = lanes.below(query.limit());
    // All lanes at once, used or not: that is one instruction where eight are a register.
    let mut keys = *lanes.keys();
    for key in &mut keys {
        *key = key.max(parent.key);
    }
    let with_key = |lane: usize| NodePair { key: keys[lane & (MAX_CHILDREN - 1)], ..child(lane) };
    if Q::KEEPS_FRONT {
        // Nothing is NaN or more, so this is the set of all lanes.
        let all = lanes.below(f32::NAN);
        set_bits(all & !open).for_each(|lane| query.dropped(&with_key(lane)));
    }
    front.push_block(open, &keys, lanes.guesses(), with_key);
    ControlFlow::Continue(())
}

/// A goal in two trees at one pose, prepared.
pub(crate) trait Search<A: Tree, B: Tree>: Query<A, B> + Sized {
    /// Two shapes that decided an earlier query, by their numbers: those that are not there any
    /// more are passed over.
    fn try_shapes(&mut self, a: &A, b: &B, shapes: (u32, u32)) -> ControlFlow<()>;

    /// The first shapes ended the search: all that was not looked at is at least `floor` apart.
    fn stopped(&mut self, floor: f64);

    /// The pair of shapes to look at first next time.
    fn remembered(&self) -> Option<(u32, u32)>;

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
        search.stopped(0.0);
    } else {
        search.traverse(a, b, front, warm_start.as_deref_mut());
    }
    if let Some(warm_start) = warm_start {
        warm_start.shapes = search.remembered().or(warm_start.shapes);
    }
}

/// The memory of a query about two geometries of these revisions.
pub(crate) struct Driver<'q> {
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
    pub fn run_in_lanes<K: InLanes<A, B, G>, A: Tree, B: Tree, G>(self, placed: Placed<'q, A, B, G>) {
        let Workspace { fronts, scratch, simd_level, .. } = self.workspace;
        let mut front = fronts.take();
        let memory = (self.warm_start, self.revisions);
        let kind = PhantomData::<K>;
        vectorized(*simd_level, Run { placed, scratch: scratch.cleared(), front: &mut front, memory, kind });
        fronts.put(front);
    }
}

/// Two trees, the pose of the second in the first one's frame, and a goal.
pub(crate) struct Placed<'q, A, B, G> {
    pub a: &'q A,
    pub b: &'q B,
    pub a_from_b: &'q Pose,
    /// The same between stored coordinates.
    pub stored: &'q Similarity,
    pub goal: &'q mut G,
}

/// A kind of search whose bounds are SIMD arithmetic.
pub(crate) trait InLanes<A: Tree, B: Tree, G> {
    type Order: Order;
    type Search<'q, S: Lanes8>: Search<A, B, Order = Self::Order>
    where
        A: 'q,
        B: 'q,
        G: 'q;

    /// Prepares what depends on the pose alone.
    fn prepare<'q, S: Lanes8>(simd: S, placed: Placed<'q, A, B, G>, scratch: &'q mut Scratch) -> Self::Search<'q, S>;
}

/// All that a query needs, before the instruction set is chosen.
struct Run<'q, 'f, K, A, B, G, O> {
    placed: Placed<'q, A, B, G>,
    scratch: &'q mut Scratch,
    front: &'f mut O,
    memory: (Option<&'q mut WarmStart>, (u64, u64)),
    kind: PhantomData<K>,
}

impl<K: InLanes<A, B, G>, A: Tree, B: Tree, G> Vectorized for Run<'_, '_, K, A, B, G, K::Order> {
    type Output = ();

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) {
        let (a, b) = (self.placed.a, self.placed.b);
        run(a, b, &mut K::prepare(simd, self.placed, self.scratch), self.front, self.memory);
    }
}
