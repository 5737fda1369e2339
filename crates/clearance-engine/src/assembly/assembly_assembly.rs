//! Two assemblies, or one and itself, in the one traversal.
//!
//! Keys are gaps between spheres or boxes, or what a [`Pairing`] has proven, less the largest
//! offset. Two leaves are two parts: their pair's offset is looked up, their relative pose computed
//! once, and the dispatcher's test runs up to the distance that still matters. Where one part is
//! much larger than the other (a room as one mesh), spheres and boxes say nothing: then the sphere
//! around the smaller one is asked about first, and the pair waits at what that yields for its
//! turn.

use super::answers::{AssemblyWarmStart, Nearest, PartDistance, PartPairIds};
use crate::dispatch::Dispatcher;
use crate::math::{LARGEST_COORDINATE, f32_above, f32_below};
use crate::query::{CONTACT, Composite, DistanceRequest, Goal, Status, Witness};
use crate::shape::Sphere;
use crate::traversal::{ArrayLanes, BestFirst, NodePair, Order, Query, Stack, Stats, WarmStart, Workspace, traverse};
use crate::tree::{Assembly, Node, PartId, Solid, Tree, placing_error};
use crate::{Error, ErrorKind, Pose, Result};
use std::ops::ControlFlow;

/// Which pairs of parts are looked at, and how.
pub trait Pairing {
    /// By how much the pair counts as nearer than it is (paddings, a margin), at least 0; `None`:
    /// it is not looked at.
    fn offset(&self, part_a: u32, part_b: u32) -> Option<f64>;

    /// At least every offset.
    fn largest_offset(&self) -> f64 {
        0.0
    }

    /// At most the distance of any pair below the two nodes that is looked at, whatever the spheres
    /// say.
    fn proven_gap(&self, _a: Node, _b: Node) -> f64 {
        f64::NEG_INFINITY
    }
}

/// Every part of one against every part of the other.
#[derive(Debug, Clone, Copy, Default)]
pub struct Everything;

impl Pairing for Everything {
    fn offset(&self, _part_a: u32, _part_b: u32) -> Option<f64> {
        Some(0.0)
    }
}

/// Two assemblies in one frame, ready to be asked about.
///
/// ```
/// use clearance_engine::{Pose, TriMesh, assembly::{Assembly, Everything, AssemblyPair}, dispatch::Dispatcher, traversal::Workspace};
/// use clearance_engine::{math::DVec3, query::DistanceRequest, tree::Mesh};
/// use std::sync::Arc;
/// let tri_mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let mesh: Arc<Mesh> = Arc::new(Mesh::new(tri_mesh)?);
/// let (mut a, mut b, dispatcher) = (Assembly::default(), Assembly::default(), Dispatcher::standard());
/// a.insert(mesh.clone(), Pose::IDENTITY);
/// b.insert(mesh.clone(), Pose::from_translation(DVec3::Z * 3.0)?);
/// let near = b.insert(mesh, Pose::from_translation(DVec3::Z)?);
/// let meet = AssemblyPair::new(&dispatcher, &a, &b, &Everything);
/// let nearest = meet.distance(&DistanceRequest::default(), &mut Workspace::default(), None)?;
/// assert!((nearest.upper - 1.0).abs() < 1e-12 && nearest.witness.is_some_and(|witness| witness.part_b == near));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct AssemblyPair<'m, P> {
    pub(super) dispatcher: &'m Dispatcher,
    pub(super) a: &'m Assembly,
    pub(super) b: &'m Assembly,
    pairing: &'m P,
    /// Where the traversal starts; the roots if `None`.
    seeds: Option<&'m [NodePair]>,
}

impl<'m, P: Pairing> AssemblyPair<'m, P> {
    /// All of `a` against all of `b`, in their common frame.
    pub fn new(dispatcher: &'m Dispatcher, a: &'m Assembly, b: &'m Assembly, pairing: &'m P) -> Self {
        Self { dispatcher, a, b, pairing, seeds: None }
    }

    /// An assembly against itself: `seeds` are pairs of nodes that together cover all pairs of
    /// parts that `pairing` looks at. Queries refuse nodes that the assembly does not have.
    pub fn within(dispatcher: &'m Dispatcher, assembly: &'m Assembly, seeds: &'m [NodePair], pairing: &'m P) -> Self {
        Self { dispatcher, a: assembly, b: assembly, pairing, seeds: Some(seeds) }
    }

    /// The nearest two parts, each pair's distance counted less its offset.
    pub fn distance(
        &self,
        request: &DistanceRequest,
        workspace: &mut Workspace,
        warm_start: Option<&mut AssemblyWarmStart>,
    ) -> Result<PartDistance> {
        request.check()?;
        let mut nearest = Nearest::new(request);
        self.run::<_, BestFirst>(&mut nearest, workspace, warm_start)?;
        Ok(nearest.finish())
    }

    /// The distance of two parts alone, less their offset; `None` if they are not there or not
    /// looked at.
    pub fn pair_distance(
        &self,
        (part_a, part_b): (PartId, PartId),
        request: &DistanceRequest,
        workspace: &mut Workspace,
        warm_start: Option<&mut WarmStart>,
    ) -> Result<Option<PartDistance>> {
        request.check()?;
        let Some(pair) = self.pair_of((part_a, part_b))? else { return Ok(None) };
        let mut nearest = Nearest::new(request);
        nearest.meet(&pair, workspace, warm_start)?;
        Ok(Some(nearest.finish()))
    }

    /// Two parts ready to meet; `None` if they are not there or not looked at.
    pub(super) fn pair_of(&self, (part_a, part_b): PartPairIds) -> Result<Option<PartPair<'m>>> {
        let are_there = self.a.contains(part_a) && self.b.contains(part_b);
        if are_there { self.pair(part_a.number(), part_b.number()) } else { Ok(None) }
    }

    fn ids(&self, part_a: u32, part_b: u32) -> Option<PartPairIds> {
        self.a.id(part_a).zip(self.b.id(part_b))
    }

    /// Two parts, by numbers in use, ready to meet; `None` if they are not looked at.
    fn pair(&self, part_a: u32, part_b: u32) -> Result<Option<PartPair<'m>>> {
        let Some(offset) = self.pairing.offset(part_a, part_b) else { return Ok(None) };
        let (pose_a, pose_b) = (self.a.pose(part_a), self.b.pose(part_b));
        let plan = self.dispatcher.plan(&**self.a.geometry(part_a), &**self.b.geometry(part_b))?;
        let a_from_b = pose_a.inverse().then(pose_b);
        let rounding = placing_error((pose_a, self.a.part_sphere(part_a)), (pose_b, self.b.part_sphere(part_b)));
        let Some(parts) = self.ids(part_a, part_b) else { return Ok(None) };
        Ok(Some(PartPair { plan, parts, a_from_b, pose_a, offset, rounding }))
    }

    /// Two parts that touch or overlap, with their offset, if there are any; and what it took.
    pub fn collide(
        &self,
        workspace: &mut Workspace,
        warm_start: Option<&mut AssemblyWarmStart>,
    ) -> Result<(Option<(PartId, PartId)>, Stats)> {
        let mut hits = Hits { all: false, found: Vec::new(), stats: Stats::default() };
        self.run::<_, Stack>(&mut hits, workspace, warm_start)?;
        Ok((hits.found.first().copied(), hits.stats))
    }

    /// All pairs of parts that touch or overlap, with their offset, the older ones first; and what
    /// it took.
    pub fn collisions(&self, workspace: &mut Workspace) -> Result<(Vec<(PartId, PartId)>, Stats)> {
        let mut hits = Hits { all: true, found: Vec::new(), stats: Stats::default() };
        self.run::<_, Stack>(&mut hits, workspace, None)?;
        hits.found.sort_unstable();
        Ok((hits.found, hits.stats))
    }

    pub(super) fn run<Q: Question, O: Order>(
        &self,
        question: &mut Q,
        workspace: &mut Workspace,
        mut warm_start: Option<&mut AssemblyWarmStart>,
    ) -> Result<()> {
        if self.a.is_empty() || self.b.is_empty() {
            return Ok(());
        }
        let is_here =
            |pair: &NodePair| (pair.a as usize) < self.a.node_count() && (pair.b as usize) < self.b.node_count();
        if !self.seeds.is_none_or(|seeds| seeds.iter().all(is_here)) {
            return Err(Error::new(ErrorKind::OutOfRange, "the seeds name nodes that the assembly does not have"));
        }
        let (seen, mut of_pair) = match &mut warm_start {
            Some(warm_start) => (warm_start.last.take(), std::mem::take(&mut warm_start.pair)),
            None => (None, WarmStart::default()),
        };
        let mut front: O = workspace.take();
        let largest_offset = self.pairing.largest_offset();
        let mut query = AssemblyTraversal {
            meet: self,
            question,
            workspace,
            largest_offset,
            seen: None,
            error: None,
            order: front_of(&front),
        };
        let mut flow = ControlFlow::Continue(());
        if let Some(last) = seen.filter(|last| self.a.contains(last.0) && self.b.contains(last.1)) {
            let (part_a, part_b) = (last.0.number(), last.1.number());
            flow = query.test_parts(part_a, part_b, Some(&mut of_pair));
            query.seen = Some((part_a, part_b));
        }
        if flow.is_break() {
            query.question.stopped(0.0);
        } else {
            let roots = [NodePair::new(self.a.root(), self.b.root())];
            let mut seeds = std::mem::take(&mut query.workspace.seeds);
            let bounded = |pair: &NodePair| NodePair { key: query.key(pair.a, pair.b), ..*pair };
            let matters = |pair: &NodePair| pair.key < f32_above(query.question.limit());
            seeds.extend(self.seeds.unwrap_or(&roots).iter().map(bounded).filter(matters));
            // Farthest first: orders put each next one on top of the others, and need not move
            // them.
            seeds.sort_unstable_by(|x, y| y.key.total_cmp(&x.key).then((x.a, x.b).cmp(&(y.a, y.b))));
            let _ = traverse(self.a, self.b, &mut query, &mut front, &seeds);
            seeds.clear();
            query.workspace.seeds = seeds;
        }
        let error = query.error;
        workspace.put(front);
        if let Some(warm_start) = warm_start {
            warm_start.last = question.decided_by();
            warm_start.pair = of_pair;
        }
        error.map_or(Ok(()), Err)
    }
}

/// Ties a type parameter to a value's.
fn front_of<O>(_front: &O) -> std::marker::PhantomData<O> {
    std::marker::PhantomData
}

/// The tag of pairs that were.
const SCREENED: u32 = 1;

/// Two parts at the moment they meet.
pub(super) struct PartPair<'p> {
    pub(super) plan: crate::dispatch::PairQuery<'p>,
    pub(super) parts: PartPairIds,
    pub(super) a_from_b: Pose,
    pub(super) pose_a: &'p Pose,
    pub(super) offset: f64,
    /// What the rounding of `a_from_b` may change of their distance.
    pub(super) rounding: f64,
}

/// The running state of a question about two assemblies.
pub(super) trait Question {
    /// Pairs whose parts differ in size by more than this factor are screened.
    const MUCH_LARGER: f64;
    /// Whether it pays to look at nearer pairs first; otherwise all pairs that matter have key 0,
    /// which takes no roots.
    const NEAREST_FIRST: bool;
    /// Pairs that are certainly this far apart, less their offset, or farther, cannot matter.
    fn limit(&self) -> f64;
    /// Two parts.
    fn meet(
        &mut self,
        pair: &PartPair<'_>,
        workspace: &mut Workspace,
        warm_start: Option<&mut WarmStart>,
    ) -> Result<bool>;
    /// A certified lower bound of what the pair can yield, by a sphere around one of its parts in
    /// its place; `None` if it cannot matter.
    fn screen(&mut self, pair: &PartPair<'_>, workspace: &mut Workspace) -> Result<Option<f64>>;
    /// The search was ended by `meet`: what was not looked at is at least this far away.
    fn stopped(&mut self, floor: f64);
    /// The parts that meet next are at least this far apart, less their offset.
    fn inherit(&mut self, _floor: f64) {}
    /// Whether the request's budget of steps is used up.
    fn is_spent(&self) -> bool {
        false
    }
    /// The budget ended the search: what was not looked at is at least this far away.
    fn exhausted(&mut self, _floor: f64) {}
    fn stats(&mut self) -> &mut Stats;
    /// The parts that are worth a look first the next time.
    fn decided_by(&self) -> Option<PartPairIds>;
}

impl Question for Nearest {
    const MUCH_LARGER: f64 = 3.0;
    const NEAREST_FIRST: bool = true;

    fn limit(&self) -> f64 {
        Nearest::limit(self)
    }

    fn meet(
        &mut self,
        pair: &PartPair<'_>,
        workspace: &mut Workspace,
        warm_start: Option<&mut WarmStart>,
    ) -> Result<bool> {
        let request = self.goal().request_of_parts(pair.offset, pair.rounding);
        let answer = pair.plan.distance(&pair.a_from_b, &request, workspace, warm_start)?;
        *self.stats() += answer.stats;
        let Some(found) = answer.witness else {
            // The parts are beyond what matters, or the budget ended before any were found.
            if answer.status == Status::Budget {
                self.goal().exhausted((answer.lower - (pair.offset + pair.rounding)).next_down().max(0.0));
            }
            return Ok(false);
        };
        let (point_a, point_b) =
            (pair.pose_a.transform_point(found.point_a), pair.pose_a.transform_point(found.point_b));
        let nearest = (pair.parts, pair.plan.smaller_size());
        Ok(self.offer(&answer, nearest, (pair.offset, pair.rounding), Witness { point_a, point_b, ..found }))
    }

    fn screen(&mut self, pair: &PartPair<'_>, workspace: &mut Workspace) -> Result<Option<f64>> {
        // A lower bound is wanted here: a near point of the sphere, however near, tells nothing.
        let request = DistanceRequest { min_d: 0.0, ..self.goal().request_of_parts(pair.offset, pair.rounding) };
        let answer = pair.plan.distance(&pair.a_from_b, &request, workspace, None)?;
        *self.stats() += answer.stats;
        let lower = (answer.lower - (pair.offset + pair.rounding)).next_down();
        Ok((answer.status != Status::BeyondMax).then_some(lower))
    }

    fn stopped(&mut self, floor: f64) {
        self.goal().stopped(floor.max(0.0));
    }

    fn inherit(&mut self, floor: f64) {
        self.goal().inherit(floor);
    }

    fn is_spent(&self) -> bool {
        Nearest::is_spent(self)
    }

    fn exhausted(&mut self, floor: f64) {
        self.goal().exhausted(floor.max(0.0));
    }

    fn stats(&mut self) -> &mut Stats {
        self.goal().stats()
    }

    fn decided_by(&self) -> Option<PartPairIds> {
        self.parts()
    }
}

/// Pairs that touch: the first one, or all.
struct Hits {
    all: bool,
    found: Vec<PartPairIds>,
    stats: Stats,
}

impl Question for Hits {
    // A look at two links costs hardly more than one at a link and a sphere: with 3, UR5 takes 400
    // instructions more, of 15,000; but without screening a room takes 170 instead of 10 µs.
    const MUCH_LARGER: f64 = 8.0;
    const NEAREST_FIRST: bool = false;

    fn limit(&self) -> f64 {
        CONTACT
    }

    fn meet(
        &mut self,
        pair: &PartPair<'_>,
        workspace: &mut Workspace,
        warm_start: Option<&mut WarmStart>,
    ) -> Result<bool> {
        let colliding = if pair.offset > 0.0 {
            let (within, stats) = pair.plan.within(&pair.a_from_b, pair.offset, workspace)?;
            self.stats += stats;
            within
        } else {
            let answer = pair.plan.collide(&pair.a_from_b, workspace, warm_start);
            self.stats += answer.stats;
            answer.colliding
        };
        if colliding {
            self.found.push(pair.parts);
        }
        Ok(colliding && !self.all)
    }

    fn screen(&mut self, pair: &PartPair<'_>, workspace: &mut Workspace) -> Result<Option<f64>> {
        let reach = (pair.offset + pair.rounding).next_up();
        let (within, stats) = pair.plan.within(&pair.a_from_b, reach, workspace)?;
        self.stats += stats;
        Ok(within.then_some(0.0))
    }

    fn stopped(&mut self, _floor: f64) {}

    fn stats(&mut self) -> &mut Stats {
        &mut self.stats
    }

    fn decided_by(&self) -> Option<PartPairIds> {
        self.found.first().copied()
    }
}

/// The query of the traversal.
struct AssemblyTraversal<'q, 'm, P, Q, O> {
    meet: &'q AssemblyPair<'m, P>,
    question: &'q mut Q,
    workspace: &'q mut Workspace,
    largest_offset: f64,
    /// The pair that was looked at before the traversal.
    seen: Option<(u32, u32)>,
    error: Option<Error>,
    order: std::marker::PhantomData<O>,
}

impl<P: Pairing, Q: Question, O: Order> AssemblyTraversal<'_, '_, P, Q, O> {
    fn test_parts(&mut self, part_a: u32, part_b: u32, warm_start: Option<&mut WarmStart>) -> ControlFlow<()> {
        let met = match self.meet.pair(part_a, part_b) {
            Ok(None) => return ControlFlow::Continue(()),
            Ok(Some(pair)) => self.question.meet(&pair, self.workspace, warm_start),
            Err(error) => Err(error),
        };
        match met {
            Ok(false) => ControlFlow::Continue(()),
            Ok(true) => ControlFlow::Break(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// A lower bound of what two parts of very different sizes can yield, `None` if they cannot
    /// matter.
    fn screen(&mut self, part_a: u32, part_b: u32) -> Result<Option<f64>> {
        let AssemblyPair { dispatcher, a, b, pairing, .. } = *self.meet;
        let Some(offset) = pairing.offset(part_a, part_b) else { return Ok(None) };
        let (sphere_a, sphere_b) = (a.part_sphere(part_a), b.part_sphere(part_b));
        let (large, pose, sphere) = if sphere_a.radius > sphere_b.radius {
            (a.geometry(part_a), a.pose(part_a), sphere_b)
        } else {
            (b.geometry(part_b), b.pose(part_b), sphere_a)
        };
        // A sphere may be beyond the range of coordinates though the part in it is not.
        let Ok(shape) = Sphere::new(sphere.radius) else { return Ok(Some(0.0)) };
        if sphere.center.abs().max_element() > LARGEST_COORDINATE {
            return Ok(Some(0.0));
        }
        let solid = Solid::passing(shape);
        // Only geometries that meet spheres can be screened.
        let Ok(plan) = dispatcher.plan(&**large, &solid) else { return Ok(Some(0.0)) };
        let a_from_b = pose.inverse().then_moved(sphere.center);
        let rounding = placing_error((a.pose(part_a), sphere_a), (b.pose(part_b), sphere_b));
        let Some(parts) = self.meet.ids(part_a, part_b) else { return Ok(None) };
        let pair = PartPair { plan, parts, a_from_b, pose_a: pose, offset, rounding };
        self.question.screen(&pair, self.workspace)
    }

    /// Whether one part is so much larger than the other, and around it, that its bounds say
    /// nothing.
    fn is_worth_screening(&self, part_a: u32, part_b: u32) -> bool {
        let (a, b) = (self.meet.a.part_sphere(part_a), self.meet.b.part_sphere(part_b));
        let (small, large) = (a.radius.min(b.radius), a.radius.max(b.radius));
        large > Q::MUCH_LARGER * small && a.center.distance(b.center) < large
    }

    #[inline]
    fn key(&self, a: Node, b: Node) -> f32 {
        let AssemblyPair { a: tree_a, b: tree_b, pairing, .. } = self.meet;
        let matters = self.question.limit() + self.largest_offset;
        if tree_a.are_apart(a, tree_b, b, matters) {
            return f32::INFINITY;
        }
        let gap = if Q::NEAREST_FIRST { tree_a.gap(a, tree_b, b) } else { 0.0 };
        f32_below((gap.max(pairing.proven_gap(a, b)) - self.largest_offset).max(0.0))
    }
}

impl<P: Pairing, Q: Question, O: Order> Query<Assembly, Assembly> for AssemblyTraversal<'_, '_, P, Q, O> {
    type Lanes = ArrayLanes;
    type Order = O;

    fn limit(&self) -> f32 {
        f32_above(self.question.limit())
    }

    fn is_spent(&self) -> bool {
        self.question.is_spent()
    }

    fn exhausted(&mut self, floor: f32) {
        self.question.exhausted(f64::from(floor));
    }

    fn bound_a(&mut self, a: &Assembly, _b: &Assembly, pair: &NodePair) -> ArrayLanes {
        let children = a.children_of(pair.a);
        let stats = self.question.stats();
        stats.opened += 1;
        stats.volume_tests += children.len() as u64;
        ArrayLanes::collect(children.iter().map(|&child| self.key(child, pair.b)))
    }

    fn bound_b(&mut self, _a: &Assembly, b: &Assembly, pair: &NodePair) -> ArrayLanes {
        let children = b.children_of(pair.b);
        let stats = self.question.stats();
        stats.opened += 1;
        stats.volume_tests += children.len() as u64;
        ArrayLanes::collect(children.iter().map(|&child| self.key(pair.a, child)))
    }

    fn leaf(&mut self, a: &Assembly, b: &Assembly, pair: &NodePair, front: &mut O) -> ControlFlow<()> {
        let (Some(part_a), Some(part_b)) = (a.part_of(pair.a), b.part_of(pair.b)) else {
            return ControlFlow::Continue(());
        };
        if self.seen == Some((part_a, part_b)) {
            return ControlFlow::Continue(());
        }
        if pair.tag != SCREENED && self.is_worth_screening(part_a, part_b) {
            match self.screen(part_a, part_b) {
                Ok(None) => return ControlFlow::Continue(()),
                Ok(Some(lower)) => {
                    let key = f32_below(lower.max(0.0)).max(pair.key);
                    front.push(NodePair { key, tag: SCREENED, ..*pair }, key);
                    return ControlFlow::Continue(());
                }
                Err(error) => {
                    self.error = Some(error);
                    return ControlFlow::Break(());
                }
            }
        }
        self.question.inherit(f64::from(pair.key));
        let flow = self.test_parts(part_a, part_b, None);
        self.question.inherit(0.0);
        if flow.is_break() {
            self.question.stopped(f64::from(front.floor().min(pair.key)));
        }
        flow
    }
}
