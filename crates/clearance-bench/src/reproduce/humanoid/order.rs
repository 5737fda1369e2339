//! In which order the children of an articulated node are looked at (section III-B): the rigid part
//! first, or the nearest.
//!
//! The engine's own questions about assemblies take the nearest pair of all first and have no other
//! order. So this is a search of its own in the one loop, with gaps between spheres, over the same
//! trees of bodies and branches; only the order differs.

use super::stage::{Act, Stage};
use crate::{Result, timing};
use clearance_engine::assembly::Assembly;
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::{f32_above, f32_below};
use clearance_engine::query::{DistanceRequest, Status};
use clearance_engine::traversal::{
    ArrayLanes, BestFirst, Block, NearestFirst, NodePair, Order, Query, Stats, Workspace, traverse,
};
use clearance_engine::tree::{Node, Tree};
use std::marker::PhantomData;
use std::ops::ControlFlow;

/// Depth first. Children of the robot's nodes come in the order that they have, the rigid part
/// first; those of the room's nodes nearest first.
#[derive(Default)]
struct RigidFirst(Vec<NodePair>);

impl Order for RigidFirst {
    fn clear(&mut self) {
        self.0.clear();
    }

    fn push(&mut self, pair: NodePair, _guess: f32) {
        self.0.push(pair);
    }

    fn push_block(&mut self, lanes: u64, _keys: &Block, _guesses: &Block, pair: impl Fn(usize) -> NodePair) {
        let start = self.0.len();
        self.0.extend((0..Block::default().len()).filter(|lane| lanes >> lane & 1 == 1).map(pair));
        let block = &mut self.0[start..];
        // The last one in is the first one out.
        if block.windows(2).all(|two| two[0].a == two[1].a) {
            block.sort_by(|x, y| y.key.total_cmp(&x.key));
        } else {
            block.reverse();
        }
    }

    fn pop(&mut self, _limit: f32) -> Option<NodePair> {
        self.0.pop()
    }

    fn floor(&self) -> f32 {
        self.0.iter().fold(f32::INFINITY, |least, pair| least.min(pair.key))
    }
}

/// The nearest parts of two assemblies.
struct Search<'s, O> {
    dispatcher: &'s Dispatcher,
    is_allowed: &'s dyn Fn(u32, u32) -> bool,
    workspace: &'s mut Workspace,
    upper: f64,
    stats: Stats,
    /// Pairs of parts that were looked at.
    met: u64,
    error: Option<clearance_engine::Error>,
    order: PhantomData<O>,
}

impl<O> Search<'_, O> {
    fn keys<'n>(&mut self, gaps: impl Iterator<Item = f64> + 'n) -> ArrayLanes {
        self.stats.opened += 1;
        let volume_tests = &mut self.stats.volume_tests;
        ArrayLanes::collect(gaps.map(|gap| {
            *volume_tests += 1;
            f32_below(gap.max(0.0))
        }))
    }

    fn meet(&mut self, a: &Assembly, b: &Assembly, parts: (u32, u32)) -> clearance_engine::Result<()> {
        let request = DistanceRequest { max_d: self.upper, ..DistanceRequest::default() };
        let a_from_b = a.pose(parts.0).inverse().then(b.pose(parts.1));
        let plan = self.dispatcher.plan(&**a.geometry(parts.0), &**b.geometry(parts.1))?;
        let answer = plan.distance(&a_from_b, &request, self.workspace, None)?;
        self.met += 1;
        self.stats += answer.stats;
        if answer.status != Status::BeyondMax {
            self.upper = self.upper.min(answer.upper);
        }
        Ok(())
    }
}

/// The gap between the spheres of two nodes.
fn gap(a: &Assembly, node_a: Node, b: &Assembly, node_b: Node) -> f64 {
    let (a, b) = (a.sphere(node_a), b.sphere(node_b));
    a.center.distance(b.center) - a.radius - b.radius
}

impl<O: Order> Query<Assembly, Assembly> for Search<'_, O> {
    type Lanes = ArrayLanes;
    type Order = O;

    fn limit(&self) -> f32 {
        f32_above(self.upper)
    }

    fn bound_a(&mut self, a: &Assembly, b: &Assembly, pair: &NodePair) -> ArrayLanes {
        self.keys(a.children_of(pair.a).iter().map(|&child| gap(a, child, b, pair.b)))
    }

    fn bound_b(&mut self, a: &Assembly, b: &Assembly, pair: &NodePair) -> ArrayLanes {
        self.keys(b.children_of(pair.b).iter().map(|&child| gap(a, pair.a, b, child)))
    }

    fn leaf(&mut self, a: &Assembly, b: &Assembly, pair: &NodePair, _front: &mut O) -> ControlFlow<()> {
        let Some(parts) = a.part_of(pair.a).zip(b.part_of(pair.b)) else { return ControlFlow::Continue(()) };
        if (self.is_allowed)(parts.0, parts.1) {
            return ControlFlow::Continue(());
        }
        self.error = self.meet(a, b, parts).err();
        if self.error.is_some() || self.upper == 0.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// One order: means over the moments.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sample {
    pub(super) order: &'static str,
    pub(super) us: f64,
    pub(super) volume_tests: f64,
    pub(super) leaf_tests: f64,
    /// Pairs of parts that were looked at.
    pub(super) met: f64,
    /// The distances, by moment.
    pub(super) distances: Vec<f64>,
}

/// The paper's order.
pub(super) const RIGID_FIRST: &str = "depth first, the rigid part first";
/// Quinlan's.
pub(super) const NEAREST_FIRST: &str = "depth first, the nearest child first";

/// The robot against the room under three orders.
pub(super) fn measure(stage: &Stage, act: &Act, repeats: usize) -> Result<Vec<Sample>> {
    Ok(vec![
        sample::<RigidFirst>(stage, act, RIGID_FIRST, repeats)?,
        sample::<NearestFirst>(stage, act, NEAREST_FIRST, repeats)?,
        sample::<BestFirst>(stage, act, "the nearest pair of all first", repeats)?,
    ])
}

fn sample<O: Order>(stage: &Stage, act: &Act, order: &'static str, repeats: usize) -> Result<Sample> {
    let (dispatcher, mut workspace, mut front) = (Dispatcher::standard(), Workspace::default(), O::default());
    let room = stage.scene.assembly();
    // Looked up for every pair of parts, so prepared; a scene that nothing was removed from has no
    // gaps in its numbers.
    let objects = room.part_count() as u32;
    let parts = stage.checker.placement()?;
    let pairs = parts.assembly().parts().flat_map(|part| room.parts().map(move |object| (part, object)));
    let allowed: Vec<bool> = pairs.map(|pair| stage.is_allowed(act, pair)).collect();
    let is_allowed = |part: u32, object: u32| allowed[(part * objects + object) as usize];
    let mut search = |moment: usize| {
        let mut search = Search::<O> {
            dispatcher: &dispatcher,
            is_allowed: &is_allowed,
            workspace: &mut workspace,
            upper: f64::INFINITY,
            stats: Stats::default(),
            met: 0,
            error: None,
            order: PhantomData,
        };
        let robot = stage.placements[moment].assembly();
        let _ = traverse(robot, room, &mut search, &mut front, &[NodePair::new(robot.root(), room.root())]);
        search.error.map_or(Ok((search.upper, search.stats, search.met)), Err)
    };
    let count = stage.placements.len().max(1) as f64;
    let mut sample = Sample { order, us: 0.0, volume_tests: 0.0, leaf_tests: 0.0, met: 0.0, distances: Vec::new() };
    for moment in 0..stage.placements.len() {
        let (upper, stats, met) = search(moment)?;
        sample.distances.push(upper);
        sample.volume_tests += stats.volume_tests as f64 / count;
        sample.leaf_tests += stats.leaf_tests as f64 / count;
        sample.met += met as f64 / count;
        sample.us += timing::shortest_thread_us(repeats, || search(moment).is_ok()) / count;
    }
    Ok(sample)
}
