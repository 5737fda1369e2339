//! What is particular to sphere trees: children that leave their parents, triangles in several
//! leaves, moved nodes that are kept. That they give the answers of all other trees is checked with
//! those, in `agreement.rs`.

mod support;

use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_engine::pair::shape::Proximity;
use clearance_engine::query::{
    DistanceGoal, DistanceRequest, Reuse, TreePairTraversal, traverse_trees, winding_number,
};
use clearance_engine::traversal::{ArrayLanes, BestFirst, Lanes, NodePair, Query, Scratch, Workspace, traverse};
use clearance_engine::tree::{BuildOptions, Combine, Direction, Mesh, Node, SphereTree, SphereTreeOptions, Tree};
use std::collections::HashMap;
use std::ops::ControlFlow;
use support::{Random, brute_force, dispatcher, sphere_tree_options};

type Spheres = Mesh<SphereTree>;

fn sphere_tree(tri_mesh: clearance_engine::TriMesh, how: SphereTreeOptions) -> Spheres {
    Mesh::build(tri_mesh, &BuildOptions::default(), Some(how)).unwrap()
}

/// A distance query that remembers what each pair's own bound is and what its parents' was.
struct Spy<'q> {
    query: TreePairTraversal<'q, Spheres, Spheres, DistanceGoal>,
    bounds: HashMap<(Node, Node), (f32, f32)>,
    visited: Vec<NodePair>,
    /// Visited pairs whose own bound is weaker than their parents'.
    weaker: usize,
}

impl Spy<'_> {
    fn remember(&mut self, lanes: ArrayLanes, parent: &NodePair, child: impl Fn(usize) -> (Node, Node)) -> ArrayLanes {
        for lane in 0..2 {
            self.bounds.insert(child(lane), (lanes.keys()[lane], parent.key));
        }
        lanes
    }
}

impl Query<Spheres, Spheres> for Spy<'_> {
    type Lanes = ArrayLanes;
    type Order = BestFirst;

    fn limit(&self) -> f32 {
        self.query.limit()
    }

    fn bound_a(&mut self, a: &Spheres, b: &Spheres, pair: &NodePair) -> ArrayLanes {
        let lanes = self.query.bound_a(a, b, pair);
        self.remember(lanes, pair, |lane| (a.child(pair.a, lane), pair.b))
    }

    fn bound_b(&mut self, a: &Spheres, b: &Spheres, pair: &NodePair) -> ArrayLanes {
        let lanes = self.query.bound_b(a, b, pair);
        self.remember(lanes, pair, |lane| (pair.a, b.child(pair.b, lane)))
    }

    fn leaf(&mut self, a: &Spheres, b: &Spheres, pair: &NodePair, front: &mut BestFirst) -> ControlFlow<()> {
        self.query.leaf(a, b, pair, front)
    }

    fn visit(&mut self, pair: &NodePair, _front: &mut BestFirst) -> ControlFlow<bool> {
        if let Some(&(own, parents)) = self.bounds.get(&(pair.a, pair.b)) {
            assert_eq!(pair.key, own.max(parents), "own bound {own}, parents' {parents}");
            self.weaker += usize::from(own < parents);
        }
        self.visited.push(*pair);
        ControlFlow::Continue(())
    }
}

/// The distance between the triangles below two nodes, found among all of them.
fn distance_below(a: &Spheres, b: &Spheres, pose: &Pose, pair: &NodePair) -> f64 {
    let mut least = f64::INFINITY;
    for &j in b.triangles_of(pair.b) {
        let triangle_b = b.tri_mesh().triangle(j).transformed(pose);
        for &i in a.triangles_of(pair.a) {
            let closest = a.tri_mesh().triangle(i).closest_below(&triangle_b, f64::INFINITY);
            least = least.min(closest.unwrap().upper);
        }
    }
    least
}

#[test]
fn where_children_leave_their_parents_pairs_inherit_their_parents_bounds_and_these_are_right() {
    for combine in [Combine::Compact, Combine::Smallest, Combine::SphereOfSpheres] {
        let mut weaker = 0;
        for seed in 0..8 {
            let mut random = Random(seed);
            let [a, b] = [0; 2].map(|_| {
                let how = SphereTreeOptions { combine, ..Default::default() };
                sphere_tree(random.tri_mesh(40, 1.0, DVec3::ZERO), how)
            });
            assert!(a.hierarchy().leaving() > 0 && b.hierarchy().leaving() > 0);
            let pose = random.pose(2.5);
            let truth = brute_force(a.tri_mesh(), b.tri_mesh(), &pose).upper;
            let mut goal = <DistanceGoal>::new(&DistanceRequest::default());
            let mut scratch = Scratch::default();
            let query = TreePairTraversal::new(&a, &b, &pose, &mut goal, &mut scratch);
            let mut spy = Spy { query, bounds: HashMap::new(), visited: Vec::new(), weaker: 0 };
            let _ = traverse(&a, &b, &mut spy, &mut BestFirst::default(), &[NodePair::new(a.root(), b.root())]);
            weaker += spy.weaker;
            for pair in &spy.visited {
                let below = distance_below(&a, &b, &pose, pair);
                assert!(f64::from(pair.key) <= below, "{combine:?}, seed {seed}: {pair:?} {below}");
            }
            let answer = goal.finish();
            assert!(answer.lower <= truth && (answer.upper - truth).abs() <= 1e-12, "{answer:?} {truth}");
        }
        assert!(weaker > 0, "{combine:?}: no child's bound was weaker than its parent's, so the test shows nothing");
    }
}

#[test]
fn a_blanket_of_many_leaves_a_triangle_meets_no_two_triangles_twice() {
    let mut random = Random(20);
    let mut workspace = Workspace::default();
    let (a, b) = (random.tri_mesh(12, 1.0, DVec3::ZERO), random.tri_mesh(12, 1.0, DVec3::ZERO));
    let pose = random.pose(0.2);
    let how = SphereTreeOptions { leaf_radius: 0.05, ..Default::default() };
    let (a, b) = (sphere_tree(a, how), sphere_tree(b, how));
    assert!(a.hierarchy().piece_count() > 10 * a.tri_mesh().len(), "{}", a.hierarchy().piece_count());
    // All pairs of leaves are nearer than this, and most triangles have dozens of them.
    let request = clearance_engine::query::ContactsRequest { margin: 10.0, ..Default::default() };
    let contacts = dispatcher().plan(&a, &b).unwrap().contacts(&pose, &request, &mut workspace).unwrap();
    let pairs: std::collections::HashSet<_> = contacts.contacts.iter().map(|c| (c.leaf_a, c.leaf_b)).collect();
    assert_eq!((pairs.len(), contacts.contacts.len()), (144, 144));
    assert_eq!(contacts.stats.leaf_tests, 144);
}

#[test]
fn a_ray_crosses_a_triangle_in_several_leaves_once() {
    let vertex = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 2.0 - 1.0;
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let cube = clearance_engine::TriMesh::new((0..8).map(vertex).collect(), triangles).unwrap();
    let mut workspace = Workspace::default();
    let mut random = Random(21);
    for how in sphere_tree_options(&cube) {
        let solid = sphere_tree(cube.clone(), how).into_solid().unwrap();
        for _ in 0..300 {
            let point = random.vector() * 1.5;
            let inside = point.abs().max_element() < 1.0;
            assert_eq!(winding_number(&solid, point, &mut workspace), i64::from(inside), "{how:?} {point}");
        }
    }
}

#[cfg(feature = "lab")]
#[test]
fn keeping_moved_nodes_for_longer_or_shorter_changes_neither_answers_nor_counts() {
    let mut random = Random(22);
    for _ in 0..20 {
        let (a, b) = (random.tri_mesh(150, 1.0, DVec3::ZERO), random.tri_mesh(150, 0.3, DVec3::ZERO));
        let (a, b) = (sphere_tree(a, SphereTreeOptions::default()), sphere_tree(b, SphereTreeOptions::default()));
        let pose = random.pose(1.5);
        let answers = [Reuse::Test, Reuse::Block, Reuse::Node].map(|reuse| {
            let mut goal = <DistanceGoal>::new(&DistanceRequest::default());
            let mut scratch = Scratch::default();
            let mut query = TreePairTraversal::new(&a, &b, &pose, &mut goal, &mut scratch).reusing(reuse);
            let _ = traverse(&a, &b, &mut query, &mut BestFirst::default(), &[NodePair::new(a.root(), b.root())]);
            goal.finish()
        });
        assert_eq!(answers[0], answers[1]);
        assert_eq!(answers[1], answers[2]);
    }
}

#[test]
fn a_refitted_sphere_tree_gives_the_distances_of_a_rebuilt_one() {
    let mut random = Random(23);
    let mut workspace = Workspace::default();
    let (tri_mesh, other) = (random.tri_mesh(60, 1.0, DVec3::ZERO), random.tri_mesh(60, 1.0, DVec3::ZERO));
    for how in sphere_tree_options(&tri_mesh) {
        let mut mesh = sphere_tree(tri_mesh.clone(), how);
        let other = sphere_tree(other.clone(), how);
        for step in 0..4 {
            let size = 10.0_f64.powi(step);
            let moved: Vec<DVec3> = tri_mesh.vertices().iter().map(|&v| v * size + random.vector() * 0.3).collect();
            mesh.refit(moved).unwrap();
            mesh.validate().unwrap();
            let pose = random.pose(3.0 * size);
            let mut goal = <DistanceGoal>::new(&DistanceRequest::default());
            traverse_trees(&mesh, &other, &pose, &mut goal, &mut workspace, None);
            let truth = brute_force(mesh.tri_mesh(), other.tri_mesh(), &pose).upper;
            assert!((goal.finish().upper - truth).abs() <= 1e-12 * size, "{how:?}");
        }
    }
}

#[test]
fn sphere_trees_count_less_the_larger_the_tolerance() {
    let mut random = Random(24);
    let (a, b) = (random.tri_mesh(400, 1.0, DVec3::ZERO), random.tri_mesh(400, 1.0, DVec3::ZERO));
    let mut workspace = Workspace::default();
    for combine in [Combine::Greedy, Combine::Compact, Combine::Smallest, Combine::SphereOfSpheres] {
        for direction in [Direction::TopDown, Direction::BottomUp] {
            let how = SphereTreeOptions { combine, direction, leaf_radius: 0.1 };
            let (a, b) = (sphere_tree(a.clone(), how), sphere_tree(b.clone(), how));
            let pose = Pose::from_translation(DVec3::new(2.3, 0.4, 0.0)).unwrap();
            let [exact, rough] = [0.0, 0.3].map(|rel_err| {
                let mut goal = <DistanceGoal>::new(&DistanceRequest { rel_err, ..Default::default() });
                traverse_trees(&a, &b, &pose, &mut goal, &mut workspace, None);
                goal.finish()
            });
            assert!(rough.stats.volume_tests < exact.stats.volume_tests, "{how:?}: {rough:?} {exact:?}");
            assert!(rough.lower <= exact.upper && exact.upper <= rough.upper, "{how:?}");
            assert!(rough.upper - rough.lower <= 0.3 * rough.upper + 1e-12, "{how:?}");
        }
    }
}
