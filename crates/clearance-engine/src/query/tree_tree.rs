//! Two trees, a pose and a goal: the query that every pair of volume trees runs.

use super::{Goal, LeafPair};
use crate::Pose;
use crate::math::{Similarity, f32_above, f32_below};
use crate::pair::shape::{Proximity, Shape};
use crate::pair::volume::Gap;
use crate::traversal::{
    ArrayLanes, Driver, Lanes, MetShapes, NodePair, Order, Query, Scratch, Search, WarmStart, Workspace, traverse,
};
use crate::tree::{Geometry, Node, VolumeTree};
use crate::volume::Volume;
#[cfg(feature = "lab")]
use std::hint::black_box;
use std::ops::ControlFlow;

/// How long a node that was moved into the other side's frame is kept: for measuring what that is
/// worth.
///
/// Steinbach et al. (2006) keep the moved centre of a sphere while its side stays put, instead of
/// moving it for every test, and gain 30 %. Here a block of children shares one moved volume, and
/// neither more nor less of that makes a difference in time that can be measured: moving a centre
/// is a small part of opening a pair of nodes.
#[cfg(feature = "lab")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Reuse {
    /// For one test: as much work as the paper does without keeping.
    Test,
    /// For the children of one node.
    #[default]
    Block,
    /// Until another node of its side is met.
    Node,
}

/// One side's view: bounds of its blocks against single volumes of the other side.
struct Side<V: Gap<W>, W: Volume> {
    prepared: V::Prepared,
    #[cfg(feature = "lab")]
    reuse: Reuse,
    /// The last node of the other side that was fixed.
    #[cfg(feature = "lab")]
    kept: Option<(Node, V::Fixed)>,
    /// Stored units times this are the geometry's units; a power of two.
    unit: f64,
    /// What rounding may have added to a bound, in stored units.
    margin: f64,
    /// Whether both geometries own what their surfaces enclose.
    filled: bool,
}

impl<V: Gap<W>, W: Volume> Side<V, W> {
    fn new(v_from_w: &Similarity, scale: f64, filled: bool) -> Self {
        let prepared = V::prepare(v_from_w);
        Self {
            prepared,
            #[cfg(feature = "lab")]
            reuse: Reuse::default(),
            #[cfg(feature = "lab")]
            kept: None,
            unit: 1.0 / scale,
            margin: v_from_w.margin,
            filled,
        }
    }

    /// The keys of `block` against the volume of a node of the other side.
    #[inline]
    fn bound<G: Goal>(&mut self, block: &[V], _node: Node, volume: &W, goal: &mut G) -> ArrayLanes {
        let stats = goal.stats();
        stats.opened += 1;
        stats.volume_tests += block.len() as u64;
        #[cfg(feature = "lab")]
        if self.reuse != Reuse::Block {
            return self.bound_reusing(block, _node, volume, goal);
        }
        self.lanes(block, &V::fix(volume, &self.prepared), goal)
    }

    /// The same with another way of keeping moved nodes.
    #[cfg(feature = "lab")]
    fn bound_reusing<G: Goal>(&mut self, block: &[V], node: Node, volume: &W, goal: &mut G) -> ArrayLanes {
        let kept = self.kept.take().filter(|kept| kept.0 == node);
        let fixed = kept.map_or_else(|| V::fix(volume, &self.prepared), |kept| kept.1);
        if self.reuse == Reuse::Test {
            // The other tests would get the same: only the work is done again.
            (1..block.len()).for_each(|_| drop(black_box(V::fix(black_box(volume), &self.prepared))));
        }
        let lanes = self.lanes(block, &fixed, goal);
        if self.reuse == Reuse::Node {
            self.kept = Some((node, fixed));
        }
        lanes
    }

    #[inline]
    fn lanes<G: Goal>(&self, block: &[V], fixed: &V::Fixed, goal: &mut G) -> ArrayLanes {
        if G::OVERLAP_ONLY {
            let lanes = ArrayLanes::collect(
                block.iter().map(|volume| if volume.apart(fixed, self.margin) { f32::INFINITY } else { 0.0 }),
            );
            if !(V::HAS_INNER && self.filled) {
                return lanes;
            }
            let near = lanes.below(f32_above(goal.limit()));
            let sure = |lane: usize, volume: &V| near >> lane & 1 == 1 && volume.surely_overlaps(fixed, self.margin);
            let lane_bits = block.iter().enumerate().map(|(lane, volume)| u64::from(sure(lane, volume)) << lane);
            return lanes.accepting(lane_bits.sum());
        }
        let lanes = ArrayLanes::collect(block.iter().map(|volume| {
            // A bound that is not a number (overflow between bodies of extreme sizes) bounds
            // nothing: max gives 0.
            f32_below((volume.gap(fixed) - self.margin).max(0.0) * self.unit)
        }));
        let accepts = goal.accepts_within();
        if accepts < 0.0 {
            return lanes;
        }
        let within = |volume: &V| (volume.max_distance(fixed) + self.margin) * self.unit <= accepts;
        let bits = block.iter().enumerate().fold(0, |bits, (lane, volume)| bits | u64::from(within(volume)) << lane);
        lanes.accepting(bits)
    }
}

/// A front longer than this costs more to test again than starting from the roots.
const LONGEST_FRONT: usize = 512;

/// The pairs of nodes, or leaves, that a `collide` finds apart, for the next one to start from.
struct KeptFront {
    pairs: Vec<NodePair>,
    too_long: bool,
}

impl KeptFront {
    /// None yet, in this memory.
    fn new(mut memory: Vec<NodePair>) -> Self {
        memory.clear();
        memory.reserve(LONGEST_FRONT);
        Self { pairs: memory, too_long: false }
    }

    #[inline]
    fn push(&mut self, pair: &NodePair) {
        if self.pairs.len() < LONGEST_FRONT {
            self.pairs.push(NodePair { key: 0.0, ..*pair });
        } else {
            self.too_long = true;
        }
    }
}

/// The query of two volume trees under a rigid pose.
pub struct TreePairTraversal<'q, A: VolumeTree, B: VolumeTree, G>
where
    A::Volume: Gap<B::Volume>,
    B::Volume: Gap<A::Volume>,
{
    a_from_b: &'q Pose,
    a: Side<A::Volume, B::Volume>,
    b: Side<B::Volume, A::Volume>,
    rounding: f64,
    met: &'q mut MetShapes,
    /// Where the goal is a `collide` that has a warm start.
    kept: Option<KeptFront>,
    goal: &'q mut G,
}

impl<'q, A: VolumeTree, B: VolumeTree, G: Goal> TreePairTraversal<'q, A, B, G>
where
    A::Volume: Gap<B::Volume>,
    B::Volume: Gap<A::Volume>,
{
    /// Prepares what depends on the pose alone.
    pub fn new(a: &A, b: &B, a_from_b: &'q Pose, goal: &'q mut G, scratch: &'q mut Scratch) -> Self {
        let forward = Similarity::between(a.frame(), a_from_b, b.frame());
        let filled = a.is_filled() && b.is_filled();
        Self {
            a_from_b,
            a: Side::new(&forward, a.frame().scale, filled),
            b: Side::new(&forward.inverse(), b.frame().scale, filled),
            rounding: a_from_b.point_error(b.extent()),
            met: &mut scratch.cleared().met,
            kept: None,
            goal,
        }
    }

    /// The same query with another way of keeping moved nodes; answers and counts stay the same.
    #[cfg(feature = "lab")]
    pub fn reusing(mut self, reuse: Reuse) -> Self {
        (self.a.reuse, self.b.reuse) = (reuse, reuse);
        self
    }

    fn meet(&mut self, a: (u32, A::Shape), b: (u32, B::Shape)) -> ControlFlow<()>
    where
        A::Shape: Proximity<B::Shape>,
    {
        self.goal.meet(LeafPair { a: a.0, b: b.0, rounding: self.rounding }, &a.1, &b.1)
    }

    /// Whether two nodes are certainly apart.
    fn apart(&mut self, a: &A, b: &B, pair: &NodePair) -> bool {
        let fixed = <A::Volume as Gap<B::Volume>>::fix(b.volume(pair.b), &self.a.prepared);
        self.goal.stats().volume_tests += 1;
        a.volume(pair.a).apart(&fixed, self.a.margin)
    }
}

impl<A: VolumeTree, B: VolumeTree, G: Goal> Query<A, B> for TreePairTraversal<'_, A, B, G>
where
    A::Volume: Gap<B::Volume>,
    B::Volume: Gap<A::Volume>,
    A::Shape: Proximity<B::Shape>,
{
    type Lanes = ArrayLanes;
    type Order = G::Order;
    const KEEPS_FRONT: bool = G::OVERLAP_ONLY;

    #[inline]
    fn limit(&self) -> f32 {
        f32_above(self.goal.limit())
    }

    #[inline]
    fn bound_a(&mut self, a: &A, b: &B, pair: &NodePair) -> ArrayLanes {
        self.a.bound(a.block(pair.a), pair.b, b.volume(pair.b), self.goal)
    }

    #[inline]
    fn bound_b(&mut self, a: &A, b: &B, pair: &NodePair) -> ArrayLanes {
        self.b.bound(b.block(pair.b), pair.a, a.volume(pair.a), self.goal)
    }

    fn leaf(&mut self, a: &A, b: &B, pair: &NodePair, front: &mut G::Order) -> ControlFlow<()> {
        self.goal.stats().leaf_pairs += 1;
        for (id_b, shape_b) in b.shapes(pair.b) {
            let in_a = shape_b.transformed(self.a_from_b);
            for shape_a in a.shapes(pair.a) {
                if (a.repeats(shape_a.0) || b.repeats(id_b)) && !self.met.is_new(shape_a.0, id_b) {
                    continue;
                }
                if self.meet(shape_a, (id_b, in_a)).is_break() {
                    self.goal.stopped(f64::from(front.floor().min(pair.key)));
                    return ControlFlow::Break(());
                }
            }
        }
        self.dropped(pair);
        ControlFlow::Continue(())
    }

    fn accept(&mut self, _pair: &NodePair) -> ControlFlow<()> {
        self.goal.accept()
    }

    #[inline]
    fn is_spent(&self) -> bool {
        self.goal.is_spent()
    }

    fn exhausted(&mut self, floor: f32) {
        self.goal.exhausted(f64::from(floor));
    }

    fn dropped(&mut self, pair: &NodePair) {
        if let Some(kept) = &mut self.kept {
            kept.push(pair);
        }
    }
}

impl<A: VolumeTree, B: VolumeTree, G: Goal> Search<A, B> for TreePairTraversal<'_, A, B, G>
where
    A::Volume: Gap<B::Volume>,
    B::Volume: Gap<A::Volume>,
    A::Shape: Proximity<B::Shape>,
{
    fn stopped(&mut self, floor: f64) {
        self.goal.stopped(floor);
    }

    fn remembered(&self) -> Option<(u32, u32)> {
        self.goal.remembered()
    }

    fn try_shapes(&mut self, a: &A, b: &B, (i, j): (u32, u32)) -> ControlFlow<()> {
        let (Some(shape_a), Some(shape_b)) = (a.shape(i), b.shape(j)) else { return ControlFlow::Continue(()) };
        self.meet((i, shape_a), (j, shape_b.transformed(self.a_from_b)))
    }

    fn accepts_roots(&mut self, a: &A, b: &B) -> bool {
        if !(<A::Volume as Gap<B::Volume>>::HAS_INNER && G::OVERLAP_ONLY && self.a.filled) {
            return false;
        }
        let fixed = <A::Volume as Gap<B::Volume>>::fix(b.volume(b.root()), &self.a.prepared);
        a.volume(a.root()).surely_overlaps(&fixed, self.a.margin) && self.goal.accept().is_break()
    }

    /// A `collide` starts where the last one ended: pairs of its front that are still apart stay in
    /// the front.
    fn traverse(&mut self, a: &A, b: &B, front: &mut G::Order, warm_start: Option<&mut WarmStart>) {
        let roots = [NodePair::new(a.root(), b.root())];
        let Some(warm_start) = warm_start.filter(|_| G::OVERLAP_ONLY) else {
            let _ = traverse(a, b, self, front, &roots);
            return;
        };
        let [next_front, mut seeds] = std::mem::take(&mut warm_start.spare);
        self.kept = Some(KeptFront::new(next_front));
        seeds.clear();
        if warm_start.front.is_empty() {
            seeds.extend(roots);
        }
        for pair in &warm_start.front {
            if self.apart(a, b, pair) {
                self.dropped(pair);
            } else {
                seeds.push(*pair);
            }
        }
        let _ = traverse(a, b, self, front, &seeds);
        let Some(KeptFront { mut pairs, too_long }) = self.kept.take() else { return };
        if too_long || self.goal.overlaps() || self.goal.is_exhausted() {
            pairs.clear();
        }
        warm_start.spare = [std::mem::replace(&mut warm_start.front, pairs), seeds];
    }
}

/// Runs `goal` over two volume trees, helped by what `warm_start` remembers.
pub fn traverse_trees<A, B, G>(
    a: &A,
    b: &B,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) where
    A: VolumeTree + Geometry,
    B: VolumeTree + Geometry,
    G: Goal,
    A::Volume: Gap<B::Volume>,
    B::Volume: Gap<A::Volume>,
    A::Shape: Proximity<B::Shape>,
{
    let driver = Driver { workspace, warm_start, revisions: (a.revision(), b.revision()) };
    driver.run(a, b, |scratch| TreePairTraversal::<A, B, G>::new(a, b, a_from_b, goal, scratch));
}
