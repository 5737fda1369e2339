//! An assembly against any other geometry, and against another assembly: its parts in the one
//! traversal, each by the dispatcher's own test.
//!
//! Keys are gaps between the spheres and boxes of the assembly's nodes and those of the other
//! geometry. Where a part is reached, its test runs with the same goal, so that what one part
//! yields bounds the search for all others. Two assemblies are no special case: a part of the first
//! one meets the second as a whole. Leaves are called by the number of the part.

use super::{AnyGoal, Dispatcher, PairTest, Session};
use crate::math::{f32_above, f32_below};
use crate::query::{Change, CollideGoal, Composite, DistanceGoal, VisitGoal, WithinGoal};
use crate::traversal::{ArrayLanes, NodePair, Order, Query, Workspace, traverse};
use crate::tree::{Assembly, Bounds, Geometry, Node, Tree, one_leaf, placing_error};
use crate::{Pose, Result};
use std::ops::ControlFlow;

/// The parts of an assembly, each by the test that the dispatcher has for it.
///
/// ```
/// use clearance_engine::{Pose, assembly::Assembly, dispatch::Dispatcher, traversal::Workspace, math::DVec3, query::DistanceRequest};
/// use clearance_engine::{shape::{Sphere, HalfSpace}, tree::{Solid, HalfSpaceGeometry}};
/// use std::sync::Arc;
/// let sphere: Arc<Solid> = Arc::new(Solid::new(Sphere::new(0.5)?));
/// let mut spheres = Assembly::default();
/// spheres.insert(sphere.clone(), Pose::from_translation(DVec3::Z * 2.0)?);
/// spheres.insert(sphere, Pose::from_translation(DVec3::Z)?);
/// let (floor, dispatcher) = (HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, 0.0)?), Dispatcher::standard());
/// let answer = dispatcher.plan(&spheres, &floor)?.distance(&Pose::IDENTITY, &DistanceRequest::default(), &mut Workspace::default(), None)?;
/// assert!((answer.upper - 0.5).abs() < 1e-12 && answer.witness.is_some_and(|witness| witness.leaves == Some((1, 0))));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Assemblies;

impl<B: Geometry> PairTest<Assembly, B> for Assemblies {
    fn check(&self, dispatcher: &Dispatcher, a: &Assembly, b: &B) -> Result<()> {
        a.parts().try_for_each(|part| dispatcher.plan(&**a.geometry(part.number()), b).map(drop))
    }

    fn distance(&self, a: &Assembly, b: &B, a_from_b: &Pose, goal: &mut DistanceGoal, session: &mut Session<'_>) {
        test_parts(a, b, a_from_b, goal, session);
    }

    fn collide(&self, a: &Assembly, b: &B, a_from_b: &Pose, goal: &mut CollideGoal, session: &mut Session<'_>) {
        test_parts(a, b, a_from_b, goal, session);
    }

    fn visit(&self, a: &Assembly, b: &B, a_from_b: &Pose, goal: &mut VisitGoal<'_>, session: &mut Session<'_>) {
        test_parts(a, b, a_from_b, goal, session);
    }

    fn within(&self, a: &Assembly, b: &B, a_from_b: &Pose, goal: &mut WithinGoal, session: &mut Session<'_>) {
        test_parts(a, b, a_from_b, goal, session);
    }
}

/// The other geometry: not opened here.
struct Whole;
one_leaf!(Whole);

struct PartsTraversal<'q, G> {
    dispatcher: &'q Dispatcher,
    b: &'q dyn Geometry,
    a_from_b: &'q Pose,
    /// Of B, in A's frame.
    bounds: Bounds,
    goal: &'q mut G,
    workspace: &'q mut Workspace,
}

impl<G: Composite> PartsTraversal<'_, G> {
    #[inline]
    fn key(&self, a: &Assembly, node: Node) -> f32 {
        f32_below(a.gap_to(node, &self.bounds).max(0.0))
    }
}

impl<G: Composite> Query<Assembly, Whole> for PartsTraversal<'_, G>
where
    for<'g> AnyGoal<'g>: From<&'g mut G>,
{
    type Lanes = ArrayLanes;
    type Order = G::Order;

    fn limit(&self) -> f32 {
        f32_above(self.goal.limit())
    }

    fn is_spent(&self) -> bool {
        self.goal.is_spent()
    }

    fn exhausted(&mut self, floor: f32) {
        self.goal.exhausted(f64::from(floor));
    }

    fn bound_a(&mut self, a: &Assembly, _b: &Whole, pair: &NodePair) -> ArrayLanes {
        let children = a.children_of(pair.a);
        let stats = self.goal.stats();
        stats.opened += 1;
        stats.volume_tests += children.len() as u64;
        ArrayLanes::collect(children.iter().map(|&child| self.key(a, child)))
    }

    fn bound_b(&mut self, _a: &Assembly, _b: &Whole, pair: &NodePair) -> ArrayLanes {
        // A leaf has no children; the loop does not ask.
        ArrayLanes::collect(std::iter::once(pair.key))
    }

    fn leaf(&mut self, a: &Assembly, _b: &Whole, pair: &NodePair, front: &mut G::Order) -> ControlFlow<()> {
        let Some(part) = a.part_of(pair.a) else { return ControlFlow::Continue(()) };
        // There is a test: `check` was asked when this was planned, and neither geometries nor the
        // dispatcher have changed since.
        let Ok(plan) = self.dispatcher.plan(&**a.geometry(part), self.b) else { return ControlFlow::Continue(()) };
        let pose = a.pose(part);
        self.goal.loosen(placing_error((pose, a.part_sphere(part)), (self.a_from_b, &self.bounds.sphere)));
        let change = Change { pose: *pose, swapped: false, part: Some(part) };
        let mark = self.goal.mark(&change);
        let inherited = self.goal.inherit(0.0);
        self.goal.inherit(inherited.max(f64::from(pair.key)));
        plan.run(&pose.inverse().then(self.a_from_b), self.goal, self.workspace, None);
        self.goal.inherit(inherited);
        self.goal.rewrite(mark, &change);
        if self.goal.is_done() {
            self.goal.stopped(f64::from(front.floor().min(pair.key)));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

fn test_parts<G: Composite>(a: &Assembly, b: &dyn Geometry, a_from_b: &Pose, goal: &mut G, session: &mut Session<'_>)
where
    for<'g> AnyGoal<'g>: From<&'g mut G>,
{
    if a.is_empty() {
        return;
    }
    let (dispatcher, workspace) = (session.dispatcher, &mut *session.workspace);
    let mut front: G::Order = workspace.take();
    let mut query = PartsTraversal { dispatcher, b, a_from_b, bounds: Bounds::of(b).moved(a_from_b), goal, workspace };
    let root = NodePair { key: query.key(a, a.root()), ..NodePair::new(a.root(), Whole.root()) };
    let _ = traverse(a, &Whole, &mut query, &mut front, &[root]);
    workspace.put(front);
}
