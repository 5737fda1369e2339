//! The smallest example of everything that the one loop must be able to carry: seed lists,
//! composites, inherited bounds, early acceptance, time intervals. (Workspaces: `no_allocation.rs`;
//! revisions and kept fronts: `agreement.rs`.)

mod support;

use clearance_engine::Pose;
use clearance_engine::dispatch::{AnyGoal, Dispatcher, PairQuery, PairTest, Session};
use clearance_engine::math::{DVec3, f32_above, f32_below};
use clearance_engine::query::{
    Change, CollideGoal, Composite, DistanceGoal, DistanceRequest, TreePairTraversal, VisitGoal, WithinGoal,
};
use clearance_engine::traversal::{ArrayLanes, BestFirst, NodePair, Order, Query, Scratch, Stack, Workspace, traverse};
use clearance_engine::tree::{Geometry, Mesh, Node, Tree, next_revision};
use clearance_engine::volume::{BoundingSphere, Obb};
use std::ops::ControlFlow;
use support::Random;

#[test]
fn a_descent_from_a_list_of_seeds_that_covers_the_roots_gives_the_same_answer() {
    let mut random = Random(1);
    let a: Mesh<Obb> = Mesh::new(random.tri_mesh(100, 1.0, DVec3::ZERO)).unwrap();
    let b: Mesh<Obb> = Mesh::new(random.tri_mesh(100, 1.0, DVec3::ZERO)).unwrap();
    let pose = random.pose(3.0);
    let distance = |seeds: &[NodePair]| {
        let mut goal = <DistanceGoal>::new(&DistanceRequest::default());
        let (mut front, mut scratch) = (BestFirst::default(), Scratch::default());
        let mut query = TreePairTraversal::new(&a, &b, &pose, &mut goal, &mut scratch);
        let _ = traverse(&a, &b, &mut query, &mut front, seeds);
        goal.finish().upper
    };
    let children = |mesh: &Mesh<Obb>| [mesh.child(0, 0), mesh.child(0, 1)];
    let seeds: Vec<NodePair> = children(&a).iter().flat_map(|&i| children(&b).map(|j| NodePair::new(i, j))).collect();
    assert_eq!(distance(&seeds), distance(&[NodePair::new(0, 0)]));
    assert!(distance(&seeds[..1]) >= distance(&seeds));
}

/// A composite: posed meshes, each a leaf below one root.
struct Assembly {
    parts: Vec<(Pose, Mesh<Obb>)>,
    revision: u64,
}

impl Geometry for Assembly {
    fn kind(&self) -> &'static str {
        "assembly"
    }

    fn revision(&self) -> u64 {
        self.revision
    }

    fn sphere(&self) -> BoundingSphere {
        let spheres = self.parts.iter().map(|(pose, mesh)| mesh.sphere().moved(pose));
        spheres.reduce(|a, b| a.with(&b)).unwrap()
    }
}

/// Node 0 is the root, node i + 1 is part i.
impl Tree for Assembly {
    fn root(&self) -> Node {
        0
    }

    fn is_leaf(&self, node: Node) -> bool {
        node > 0
    }

    fn child(&self, _node: Node, lane: usize) -> Node {
        lane as Node + 1
    }

    fn size(&self, _node: Node) -> f32 {
        1.0
    }
}

/// The other side: a whole mesh as one leaf.
struct Whole<'m>(&'m Mesh<Obb>);

impl Tree for Whole<'_> {
    fn root(&self) -> Node {
        0
    }

    fn is_leaf(&self, _node: Node) -> bool {
        true
    }

    fn child(&self, node: Node, _lane: usize) -> Node {
        node
    }

    fn size(&self, _node: Node) -> f32 {
        0.0
    }
}

/// Bounds parts by spheres; a leaf asks the dispatcher with the same goal, hence the same running
/// bound.
struct AssemblyQuery<'q, 's, G> {
    a_from_b: &'q Pose,
    goal: &'q mut G,
    session: &'q mut Session<'s>,
    nested: usize,
}

fn sphere(mesh: &Mesh<Obb>) -> (DVec3, f64) {
    let (low, high) = mesh.tri_mesh().bounding_box();
    ((low + high) * 0.5, (high - low).length() * 0.5)
}

impl<G: Composite> Query<Assembly, Whole<'_>> for AssemblyQuery<'_, '_, G>
where
    for<'g> AnyGoal<'g>: From<&'g mut G>,
{
    type Lanes = ArrayLanes;
    type Order = BestFirst;

    fn limit(&self) -> f32 {
        f32_above(self.goal.limit())
    }

    fn bound_a(&mut self, a: &Assembly, b: &Whole<'_>, _pair: &NodePair) -> ArrayLanes {
        let (center_b, radius_b) = sphere(b.0);
        let center_b = self.a_from_b.transform_point(center_b);
        ArrayLanes::collect(a.parts.iter().map(|(pose, mesh)| {
            let (center, radius) = sphere(mesh);
            let gap = pose.transform_point(center).distance(center_b) - radius - radius_b;
            f32_below((gap - 1e-9).max(0.0))
        }))
    }

    fn bound_b(&mut self, _a: &Assembly, _b: &Whole<'_>, _pair: &NodePair) -> ArrayLanes {
        ArrayLanes::collect(std::iter::empty())
    }

    fn leaf(&mut self, a: &Assembly, b: &Whole<'_>, pair: &NodePair, _front: &mut BestFirst) -> ControlFlow<()> {
        let (whole_from_part, part) = &a.parts[pair.a as usize - 1];
        let part_from_b = whole_from_part.inverse().then(self.a_from_b);
        let plan: PairQuery<'_> = self.session.dispatcher.plan(part, b.0).unwrap();
        self.nested += 1;
        let change = Change { pose: *whole_from_part, swapped: false, part: None };
        let mark = self.goal.mark(&change);
        plan.run(&part_from_b, self.goal, self.session.workspace, None);
        self.goal.rewrite(mark, &change);
        ControlFlow::Continue(())
    }
}

struct AssemblyTest;

fn run<G: Composite>(a: &Assembly, b: &Mesh<Obb>, a_from_b: &Pose, goal: &mut G, session: &mut Session<'_>) -> usize
where
    for<'g> AnyGoal<'g>: From<&'g mut G>,
{
    let mut front: BestFirst = session.workspace.take();
    let mut query = AssemblyQuery { a_from_b, goal, session, nested: 0 };
    let _ = traverse(a, &Whole(b), &mut query, &mut front, &[NodePair::new(0, 0)]);
    let nested = query.nested;
    session.workspace.put(front);
    nested
}

impl PairTest<Assembly, Mesh<Obb>> for AssemblyTest {
    fn distance(&self, a: &Assembly, b: &Mesh<Obb>, pose: &Pose, goal: &mut DistanceGoal, session: &mut Session<'_>) {
        // All parts but the nearest ones are never asked about.
        assert!(run(a, b, pose, goal, session) < a.parts.len());
    }

    fn collide(&self, a: &Assembly, b: &Mesh<Obb>, pose: &Pose, goal: &mut CollideGoal, session: &mut Session<'_>) {
        run(a, b, pose, goal, session);
    }

    fn visit(&self, a: &Assembly, b: &Mesh<Obb>, pose: &Pose, goal: &mut VisitGoal<'_>, session: &mut Session<'_>) {
        run(a, b, pose, goal, session);
    }

    fn within(&self, a: &Assembly, b: &Mesh<Obb>, pose: &Pose, goal: &mut WithinGoal, session: &mut Session<'_>) {
        run(a, b, pose, goal, session);
    }
}

#[test]
fn a_composite_asks_the_dispatcher_about_its_parts_and_shares_one_bound() {
    let mut random = Random(2);
    let mut dispatcher = Dispatcher::standard();
    dispatcher.register::<Assembly, Mesh<Obb>>("parts", AssemblyTest);
    let parts = (0..6)
        .map(|i| {
            let pose = Pose::new(random.rotation(), DVec3::X * 4.0 * f64::from(i)).unwrap();
            (pose, Mesh::new(random.tri_mesh(40, 1.0, DVec3::ZERO)).unwrap())
        })
        .collect();
    let assembly = Assembly { parts, revision: next_revision() };
    let other: Mesh<Obb> = Mesh::new(random.tri_mesh(40, 1.0, DVec3::ZERO)).unwrap();
    let mut workspace = Workspace::default();
    let request = DistanceRequest::default();
    for i in 0..12 {
        let a_from_b = Pose::new(random.rotation(), DVec3::new(2.0 * f64::from(i), 3.0, 0.5)).unwrap();
        let answer =
            dispatcher.plan(&assembly, &other).unwrap().distance(&a_from_b, &request, &mut workspace, None).unwrap();
        let expected = assembly.parts.iter().map(|(pose, part)| {
            let pose = pose.inverse().then(&a_from_b);
            dispatcher.plan(part, &other).unwrap().distance(&pose, &request, &mut workspace, None).unwrap().upper
        });
        let expected = expected.fold(f64::INFINITY, f64::min);
        assert!((answer.upper - expected).abs() < 1e-12);
        let witness = answer.witness.unwrap();
        assert!((witness.point_a.distance(witness.point_b) - answer.upper).abs() < 1e-12);
        // The mirrored pair finds the same, seen from the other side.
        let mirrored = dispatcher.plan(&other, &assembly).unwrap();
        let mirrored = mirrored.distance(&a_from_b.inverse(), &request, &mut workspace, None).unwrap();
        assert!((mirrored.upper - expected).abs() < 1e-12);
        let back = a_from_b.transform_point(mirrored.witness.unwrap().point_a);
        assert!(back.distance(witness.point_b) < 1e-9, "{back} {}", witness.point_b);
    }
}

/// A binary tree of the given depth; its bounds get worse downwards.
struct Loose {
    depth: u32,
}

impl Tree for Loose {
    fn root(&self) -> Node {
        1
    }

    fn is_leaf(&self, node: Node) -> bool {
        node.ilog2() == self.depth
    }

    fn child(&self, node: Node, lane: usize) -> Node {
        2 * node + lane as Node
    }

    fn size(&self, node: Node) -> f32 {
        1.0 / node as f32
    }
}

/// The lower bound of a node falls with its depth, as in a sphere tree whose children leave their
/// parent.
#[derive(Default)]
struct KeyRecorder {
    leaf_keys: Vec<f32>,
    accept_at: Option<Node>,
    accepted: Vec<Node>,
}

impl Query<Loose, Loose> for KeyRecorder {
    type Lanes = ArrayLanes;
    type Order = Stack;

    fn limit(&self) -> f32 {
        10.0
    }

    fn bound_a(&mut self, _a: &Loose, _b: &Loose, pair: &NodePair) -> ArrayLanes {
        let key = 1.0 / pair.a as f32;
        let bits = match self.accept_at {
            Some(node) if node / 2 == pair.a => 1 << (node % 2),
            _ => 0,
        };
        ArrayLanes::collect([key, key].into_iter()).accepting(bits)
    }

    fn bound_b(&mut self, _a: &Loose, _b: &Loose, pair: &NodePair) -> ArrayLanes {
        let key = 0.5 / pair.b as f32;
        ArrayLanes::collect([key, key].into_iter())
    }

    fn leaf(&mut self, _a: &Loose, _b: &Loose, pair: &NodePair, _front: &mut Stack) -> ControlFlow<()> {
        self.leaf_keys.push(pair.key);
        ControlFlow::Continue(())
    }

    fn accept(&mut self, pair: &NodePair) -> ControlFlow<()> {
        self.accepted.push(pair.a);
        ControlFlow::Break(())
    }
}

#[test]
fn a_pair_inherits_the_lower_bound_of_its_parents() {
    let tree = Loose { depth: 3 };
    let mut query = KeyRecorder::default();
    let flow = traverse(&tree, &tree, &mut query, &mut Stack::default(), &[NodePair::new(1, 1)]);
    assert!(flow.is_continue());
    assert_eq!(query.leaf_keys.len(), 64);
    assert!(query.leaf_keys.iter().all(|&key| key == 1.0), "{:?}", query.leaf_keys);
}

#[test]
fn a_lane_that_surely_satisfies_the_query_ends_it_without_a_leaf() {
    let tree = Loose { depth: 3 };
    let mut query = KeyRecorder { accept_at: Some(3), ..KeyRecorder::default() };
    let flow = traverse(&tree, &tree, &mut query, &mut Stack::default(), &[NodePair::new(1, 1)]);
    assert!(flow.is_break());
    assert_eq!(query.accepted, [3]);
    assert!(query.leaf_keys.is_empty());
}

#[test]
fn a_question_that_spheres_can_answer_evaluations_at_no_triangle() {
    let mut random = Random(3);
    let dispatcher = Dispatcher::standard();
    let [a, b] =
        [0, 1].map(|_| Mesh::<clearance_engine::volume::Sphere>::new(random.tri_mesh(50, 1.0, DVec3::ZERO)).unwrap());
    let plan = dispatcher.plan(&a, &b).unwrap();
    let (near, stats) = plan.within(&random.pose(3.0), 20.0, &mut Workspace::default()).unwrap();
    assert!(near);
    assert_eq!(stats.leaf_tests, 0);
}

/// Two points on a line, at x = 0 and at x(t) = 1 − t − t²; a tag is an interval of time.
struct TimeOfImpact {
    intervals: Vec<(f64, f64)>,
    contact: Option<(f64, f64)>,
}

/// A point: a tree of one leaf.
struct Point;

impl Tree for Point {
    fn root(&self) -> Node {
        0
    }

    fn is_leaf(&self, _node: Node) -> bool {
        true
    }

    fn child(&self, node: Node, _lane: usize) -> Node {
        node
    }

    fn size(&self, _node: Node) -> f32 {
        0.0
    }
}

impl Query<Point, Point> for TimeOfImpact {
    type Lanes = ArrayLanes;
    type Order = Stack;

    fn limit(&self) -> f32 {
        f32::MIN_POSITIVE
    }

    fn bound_a(&mut self, _a: &Point, _b: &Point, _pair: &NodePair) -> ArrayLanes {
        ArrayLanes::collect(std::iter::empty())
    }

    fn bound_b(&mut self, _a: &Point, _b: &Point, _pair: &NodePair) -> ArrayLanes {
        ArrayLanes::collect(std::iter::empty())
    }

    /// Splits the interval until it is small, earlier half first; drops intervals in which the
    /// points cannot meet.
    fn leaf(&mut self, _a: &Point, _b: &Point, pair: &NodePair, front: &mut Stack) -> ControlFlow<()> {
        let (from, to) = self.intervals[pair.tag as usize];
        let at = |t: f64| 1.0 - t - t * t;
        if at(from) * at(to) > 0.0 {
            return ControlFlow::Continue(());
        }
        if to - from < 1e-9 {
            self.contact = Some((from, to));
            return ControlFlow::Break(());
        }
        let middle = 0.5 * (from + to);
        let first_new = self.intervals.len() as u32;
        self.intervals.extend([(middle, to), (from, middle)]);
        (0..2).for_each(|k| front.push(NodePair { tag: first_new + k, ..*pair }, 0.0));
        ControlFlow::Continue(())
    }
}

#[test]
fn time_intervals_travel_as_tags_and_splitting_one_pushes_seeds() {
    let mut query = TimeOfImpact { intervals: vec![(0.0, 1.0)], contact: None };
    let flow = traverse(&Point, &Point, &mut query, &mut Stack::default(), &[NodePair::new(0, 0)]);
    assert!(flow.is_break());
    let (from, to) = query.contact.unwrap();
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    assert!(from <= golden && golden <= to, "{from} {to}");
}
