//! Assemblies against a look at every pair of parts: each pair is asked alone through the
//! dispatcher, which `agreement.rs` and `primitive_meshes.rs` judge, and the least of all must be
//! what the one traversal finds.

mod support;

use clearance_engine::assembly::{
    Assembly, AssemblyBuilder, AssemblyPair, AssemblyWarmStart, Everything, Pairing, PartDistance, PartId,
};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::DVec3;
use clearance_engine::query::{DistanceRequest, Status};
use clearance_engine::shape::Sphere;
use clearance_engine::traversal::{NodePair, Workspace};
use clearance_engine::tree::{Geometry, Mesh, Node, PointCloud, Solid, Tree};
use clearance_engine::volume::Obb;
use clearance_engine::{ErrorKind, Pose};
use num_rational::BigRational;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use support::{Cloud, Random, dispatcher};

/// Distances here are of the order of 1; two ways to the same one may differ by this much.
const ROUNDING: f64 = 1e-12;

fn geometry(random: &mut Random) -> Arc<dyn Geometry> {
    let count = 4 + random.below(30);
    match random.below(9) {
        0 | 1 => Arc::new(Mesh::<clearance_engine::tree::Bvh8>::new(random.tri_mesh(count, 0.3, DVec3::ZERO)).unwrap()),
        2 => Arc::new(Mesh::<Obb>::new(random.tri_mesh(count, 0.3, DVec3::ONE)).unwrap()),
        which => Arc::new(Solid::new(random.solid(which, 0.5))),
    }
}

fn pose(random: &mut Random, reach: f64) -> Pose {
    Pose::new(random.rotation(), random.vector() * reach).unwrap()
}

fn assembly(random: &mut Random, count: usize, reach: f64) -> Assembly {
    let mut assembly = Assembly::default();
    for _ in 0..count {
        assembly.insert(geometry(random), pose(random, reach));
    }
    assembly
}

/// Offsets that look random but are a function of the pair; some pairs are not looked at.
#[derive(Clone, Copy)]
struct Mixed {
    seed: u64,
    /// At least every offset.
    largest: f64,
    /// Of 10 pairs, how many are left out.
    left_out: usize,
    /// Only pairs of a smaller and a larger number: for one assembly and itself.
    ordered: bool,
}

impl Pairing for Mixed {
    fn offset(&self, part_a: u32, part_b: u32) -> Option<f64> {
        let mut random = Random(self.seed ^ (u64::from(part_a) << 32 | u64::from(part_b)));
        let left_out = random.below(10) < self.left_out || (self.ordered && part_a >= part_b);
        let offset = if random.below(3) == 0 { 0.0 } else { random.between(0.0, self.largest) };
        (!left_out).then_some(offset)
    }

    fn largest_offset(&self) -> f64 {
        self.largest
    }
}

fn mixed(random: &mut Random) -> Mixed {
    let largest = [0.0, 0.05, 0.4][random.below(3)];
    Mixed { seed: random.bits(), largest, left_out: random.below(8), ordered: false }
}

/// A pair that is looked at, with its certified distance, its offset not yet taken off.
#[derive(Clone, Copy)]
struct Looked {
    parts: (PartId, PartId),
    lower: f64,
    upper: f64,
    offset: f64,
}

impl Looked {
    fn lower(&self) -> f64 {
        (self.lower - self.offset).max(0.0)
    }

    fn upper(&self) -> f64 {
        (self.upper - self.offset).max(0.0)
    }
}

fn every_pair(dispatcher: &Dispatcher, a: &Assembly, b: &Assembly, pairing: &impl Pairing) -> Vec<Looked> {
    let mut workspace = Workspace::default();
    let mut found = Vec::new();
    for ids in a.parts().flat_map(|part_a| b.parts().map(move |part_b| (part_a, part_b))) {
        let (part_a, part_b) = (ids.0.number(), ids.1.number());
        let Some(offset) = pairing.offset(part_a, part_b) else { continue };
        let a_from_b = a.pose(part_a).inverse().then(b.pose(part_b));
        let plan = dispatcher.plan(&**a.geometry(part_a), &**b.geometry(part_b)).unwrap();
        let answer = plan.distance(&a_from_b, &DistanceRequest::default(), &mut workspace, None).unwrap();
        let colliding = plan.collide(&a_from_b, &mut workspace, None).colliding;
        assert_eq!(answer.upper == 0.0, colliding);
        found.push(Looked { parts: ids, lower: answer.lower, upper: answer.upper, offset });
    }
    found
}

/// The least distance of all pairs, less their offsets.
fn least(pairs: &[Looked]) -> f64 {
    pairs.iter().map(Looked::upper).fold(f64::INFINITY, f64::min)
}

type PartPairs = BTreeSet<(PartId, PartId)>;

/// All pairs that collide, and those of which rounding decides.
fn colliding(pairs: &[Looked]) -> (PartPairs, PartPairs) {
    let of =
        |least: f64| pairs.iter().filter(|pair| pair.upper <= pair.offset + least).map(|pair| pair.parts).collect();
    let (surely, perhaps): (BTreeSet<_>, BTreeSet<_>) = (of(0.0), of(ROUNDING));
    let doubtful = perhaps.difference(&surely).copied().collect();
    (surely, doubtful)
}

/// What an answer promises, against every pair.
fn check(answer: &PartDistance, pairs: &[Looked], request: &DistanceRequest) {
    let truth = least(pairs);
    if answer.status == Status::BeyondMax {
        assert_eq!((answer.upper, answer.witness, answer.lower), (f64::INFINITY, None, request.max_d));
        assert!(truth >= request.max_d - ROUNDING, "{truth} is not beyond {}", request.max_d);
        return;
    }
    assert!(answer.upper <= request.max_d, "{answer:?}");
    assert!(answer.lower <= truth && truth <= answer.upper + ROUNDING, "{truth}: {answer:?}");
    assert!(0.0 <= answer.lower && answer.lower <= answer.upper, "{answer:?}");
    let witness = answer.witness.expect("there are points unless all is beyond the range");
    let pair = pairs.iter().find(|pair| pair.parts == (witness.part_a, witness.part_b)).expect("the pair is looked at");
    let apart = witness.point_a.distance(witness.point_b);
    assert!(((apart - pair.offset).max(0.0) - answer.upper).abs() <= ROUNDING, "{apart} {} {answer:?}", pair.offset);
    assert!(pair.lower() <= answer.upper + ROUNDING, "{} {answer:?}", pair.lower());
    let allowed = request.abs_err.max(request.rel_err * answer.upper);
    match answer.status {
        Status::BelowMin => assert!(0.0 < answer.upper && answer.upper <= request.min_d, "{answer:?}"),
        Status::Exact => assert!(answer.upper - answer.lower <= ROUNDING, "{answer:?}"),
        _ => assert!(answer.upper - answer.lower <= allowed + ROUNDING && allowed > 0.0, "{answer:?}"),
    }
    if let Some(colliding) = answer.colliding()
        && (truth == 0.0 || truth > ROUNDING)
    {
        assert_eq!(colliding, truth == 0.0, "{answer:?}");
    }
}

fn requests(random: &mut Random, truth: f64) -> Vec<DistanceRequest> {
    let exact = DistanceRequest::default();
    let near = if truth.is_finite() { truth * random.between(0.3, 1.7) } else { 1.0 };
    vec![
        exact,
        DistanceRequest { max_d: near, ..exact },
        DistanceRequest { min_d: near, ..exact },
        DistanceRequest { min_d: 0.5 * near, max_d: near, ..exact },
        DistanceRequest { min_d: 0.0, max_d: 0.0, ..exact },
        DistanceRequest { rel_err: random.between(0.0, 0.9), ..exact },
        DistanceRequest { abs_err: near * random.unit(), ..exact },
        DistanceRequest { rel_err: 0.2, abs_err: 0.02, max_d: 1.5 * near, ..exact },
    ]
}

#[test]
fn distance_collide_and_collisions_agree_with_every_pair() {
    let (dispatcher, mut workspace) = (dispatcher(), Workspace::default());
    let (mut touching, mut apart) = (0, 0);
    for seed in 0..90 {
        let mut random = Random(seed);
        let (count_a, count_b) = (1 + random.below(12), 1 + random.below(20));
        let a = assembly(&mut random, count_a, 1.0);
        let mut b = assembly(&mut random, count_b, 1.0);
        let away = random.vector() * [0.0, 2.0, 4.0][seed as usize % 3];
        let (before, away) = (b.clone(), Pose::from_translation(away).unwrap());
        b.place_all(|part| away.then(before.pose(part)));
        let pairing = mixed(&mut random);
        let pairs = every_pair(&dispatcher, &a, &b, &pairing);
        let truth = least(&pairs);
        let meet = AssemblyPair::new(&dispatcher, &a, &b, &pairing);
        for request in requests(&mut random, truth) {
            check(&meet.distance(&request, &mut workspace, None).unwrap(), &pairs, &request);
        }
        let (surely, doubtful) = colliding(&pairs);
        let all: BTreeSet<_> = meet.collisions(&mut workspace).unwrap().0.into_iter().collect();
        assert!(all.is_superset(&surely), "seed {seed}: {all:?} {surely:?}");
        assert!(all.difference(&surely).all(|pair| doubtful.contains(pair)), "seed {seed}: {all:?} {surely:?}");
        let one = meet.collide(&mut workspace, None).unwrap().0;
        assert_eq!(one.is_some(), !all.is_empty());
        assert!(one.is_none_or(|pair| all.contains(&pair)));
        touching += usize::from(truth == 0.0);
        apart += usize::from(truth > 0.0 && truth.is_finite());
    }
    assert!(touching >= 10 && apart >= 10, "{touching} touching, {apart} apart");
}

#[test]
fn small_parts_inside_of_a_room_that_is_one_mesh_agree_with_every_pair() {
    let (dispatcher, mut workspace) = (dispatcher(), Workspace::default());
    let mut apart = 0;
    for seed in 0..40 {
        let mut random = Random(500 + seed);
        let mut robot = assembly(&mut random, 6, 1.0);
        let mut room = assembly(&mut random, 2, 1.0);
        let triangles = [10, 40, 150][seed as usize % 3];
        room.insert(
            Arc::new(Mesh::<clearance_engine::tree::Bvh8>::new(random.tri_mesh(triangles, 3.0, DVec3::ONE)).unwrap()),
            pose(&mut random, 1.0),
        );
        // A triangle of no size at the origin is legal, and so is the sphere of no size around it.
        let point = clearance_engine::TriMesh::new(vec![DVec3::ZERO; 3], vec![[0, 1, 2]]).unwrap();
        robot.insert(Arc::new(Mesh::<clearance_engine::tree::Bvh8>::new(point).unwrap()), Pose::IDENTITY);
        let pairing = mixed(&mut random);
        for (a, b) in [(&robot, &room), (&room, &robot)] {
            let pairs = every_pair(&dispatcher, a, b, &pairing);
            let meet = AssemblyPair::new(&dispatcher, a, b, &pairing);
            for request in requests(&mut random, least(&pairs)) {
                check(&meet.distance(&request, &mut workspace, None).unwrap(), &pairs, &request);
            }
            let (surely, doubtful) = colliding(&pairs);
            let all: BTreeSet<_> = meet.collisions(&mut workspace).unwrap().0.into_iter().collect();
            assert!(all.symmetric_difference(&surely).all(|pair| doubtful.contains(pair)), "{all:?} {surely:?}");
            apart += usize::from(least(&pairs) > 0.0);
        }
    }
    assert!(apart >= 10, "{apart}");
}

#[test]
fn collisions_come_in_ascending_order_and_once() {
    let (dispatcher, mut random) = (dispatcher(), Random(5));
    let (a, b) = (assembly(&mut random, 24, 0.4), assembly(&mut random, 24, 0.4));
    let all = AssemblyPair::new(&dispatcher, &a, &b, &Everything).collisions(&mut Workspace::default()).unwrap().0;
    assert!(all.len() > 10 && all.is_sorted_by(|x, y| x < y), "{all:?}");
}

/// A pairing with what is known of pairs of nodes: the least distance of all that is looked at
/// below them, and a little less.
struct Proven<'p> {
    pairing: Mixed,
    pairs: &'p [Looked],
    a: &'p Assembly,
    b: &'p Assembly,
}

impl Pairing for Proven<'_> {
    fn offset(&self, part_a: u32, part_b: u32) -> Option<f64> {
        self.pairing.offset(part_a, part_b)
    }

    fn largest_offset(&self) -> f64 {
        self.pairing.largest_offset()
    }

    fn proven_gap(&self, a: Node, b: Node) -> f64 {
        let (below_a, below_b) = (self.a.parts_below(a), self.b.parts_below(b));
        let below =
            |pair: &&Looked| below_a.contains(&pair.parts.0.number()) && below_b.contains(&pair.parts.1.number());
        self.pairs.iter().filter(below).map(|pair| pair.lower).fold(f64::INFINITY, f64::min)
    }
}

#[test]
fn gaps_that_are_true_change_no_answer_and_save_work() {
    let (dispatcher, mut workspace) = (dispatcher(), Workspace::default());
    let mut tests = [0, 0];
    for seed in 0..40 {
        let mut random = Random(1000 + seed);
        let (a, b) = (assembly(&mut random, 12, 0.8), assembly(&mut random, 9, 0.8));
        let pairing = mixed(&mut random);
        let pairs = every_pair(&dispatcher, &a, &b, &pairing);
        let proven = Proven { pairing, pairs: &pairs, a: &a, b: &b };
        let (plain, sharp) =
            (AssemblyPair::new(&dispatcher, &a, &b, &pairing), AssemblyPair::new(&dispatcher, &a, &b, &proven));
        for request in requests(&mut random, least(&pairs)) {
            check(&sharp.distance(&request, &mut workspace, None).unwrap(), &pairs, &request);
        }
        let [one, other] = [plain.collisions(&mut workspace).unwrap(), sharp.collisions(&mut workspace).unwrap()];
        assert_eq!(one.0, other.0);
        tests[0] += one.1.leaf_tests;
        tests[1] += other.1.leaf_tests;
    }
    assert!(tests[1] < tests[0], "{tests:?}");
}

#[test]
fn caches_over_a_coherent_sequence_change_no_answer() {
    let (dispatcher, mut workspace) = (dispatcher(), Workspace::default());
    let request = DistanceRequest::default();
    let mut hits = 0;
    for seed in 0..6 {
        let mut random = Random(2000 + seed);
        let mut a = assembly(&mut random, 8, 1.0);
        let mut b = assembly(&mut random, 8, 1.0);
        let pairing = mixed(&mut random);
        let mut caches = [AssemblyWarmStart::default(), AssemblyWarmStart::default()];
        let (steps, velocity) = (40, random.vector() * 0.2);
        for step in 0..steps {
            let mut next = |part: u32| {
                let moved = Pose::new(random.rotation(), DVec3::ZERO).unwrap();
                let small = a.pose(part).translation() + velocity * 0.2 + random.vector() * 0.01;
                let turned = if step % 10 == 0 { *moved.rotation() } else { *a.pose(part).rotation() };
                Pose::from_matrix(turned, small).unwrap()
            };
            let poses: Vec<Pose> = (0..a.part_count() as u32).map(&mut next).collect();
            a.place_all(|part| poses[part as usize]);
            // What was remembered may be gone.
            if step % 13 == 12 {
                let part = b.parts().nth(random.below(3)).unwrap();
                b.remove(part);
            }
            let pairs = every_pair(&dispatcher, &a, &b, &pairing);
            let meet = AssemblyPair::new(&dispatcher, &a, &b, &pairing);
            let fresh = meet.distance(&request, &mut workspace, None).unwrap();
            let cached = meet.distance(&request, &mut workspace, Some(&mut caches[0])).unwrap();
            check(&cached, &pairs, &request);
            assert!((fresh.upper - cached.upper).abs() <= ROUNDING || fresh.upper == cached.upper);
            assert_eq!((fresh.status, fresh.colliding()), (cached.status, cached.colliding()));
            let without = meet.collide(&mut workspace, None).unwrap().0;
            let with = meet.collide(&mut workspace, Some(&mut caches[1])).unwrap().0;
            assert_eq!(without.is_some(), with.is_some());
            hits += usize::from(with.is_some());
            for other in requests(&mut random, least(&pairs)) {
                check(&meet.distance(&other, &mut workspace, Some(&mut caches[0])).unwrap(), &pairs, &other);
            }
        }
    }
    assert!((20..220).contains(&hits), "{hits}");
}

#[test]
fn one_assembly_meets_itself_through_its_seeds() {
    let (dispatcher, mut workspace) = (dispatcher(), Workspace::default());
    for seed in 0..30 {
        let mut random = Random(3000 + seed);
        let one = assembly(&mut random, 14, [1.0, 3.0][seed as usize % 2]);
        let pairing = Mixed { ordered: true, ..mixed(&mut random) };
        let pairs = every_pair(&dispatcher, &one, &one, &pairing);
        let children = one.children_of(one.root());
        let by_children = children.iter().flat_map(|&a| children.iter().map(move |&b| NodePair::new(a, b))).collect();
        for seeds in [vec![NodePair::new(one.root(), one.root())], by_children] {
            let meet = AssemblyPair::within(&dispatcher, &one, &seeds, &pairing);
            for request in requests(&mut random, least(&pairs)) {
                check(&meet.distance(&request, &mut workspace, None).unwrap(), &pairs, &request);
            }
            let (surely, doubtful) = colliding(&pairs);
            let all: BTreeSet<_> = meet.collisions(&mut workspace).unwrap().0.into_iter().collect();
            assert!(all.symmetric_difference(&surely).all(|pair| doubtful.contains(pair)), "{all:?} {surely:?}");
        }
        // What no seed covers is not looked at.
        let none = AssemblyPair::within(&dispatcher, &one, &[], &pairing).distance(
            &DistanceRequest::default(),
            &mut workspace,
            None,
        );
        assert_eq!(none.unwrap().status, Status::BeyondMax);
    }
}

/// Every sphere contains those below it, and below the root are exactly the parts that are there.
fn check_tree(assembly: &Assembly) {
    if assembly.is_empty() {
        assert_eq!(assembly.parts().count(), 0);
        return;
    }
    let mut below = assembly.parts_below(assembly.root());
    below.sort_unstable();
    assert_eq!(below, assembly.parts().map(PartId::number).collect::<Vec<_>>());
    let mut open = vec![assembly.root()];
    while let Some(node) = open.pop() {
        let around = assembly.sphere(node);
        for part in assembly.parts_below(node) {
            let (geometry, pose) = (assembly.geometry(part), assembly.pose(part));
            if assembly.is_leaf(node) {
                let own = geometry.sphere().moved(pose);
                assert!(around.center.distance(own.center) + own.radius <= around.radius + ROUNDING);
                continue;
            }
            let (low, high) = geometry.bounding_box();
            for vertex in 0..8 {
                let at = |axis: usize| if vertex >> axis & 1 == 0 { low[axis] } else { high[axis] };
                let reach = around.center.distance(pose.transform_point(DVec3::new(at(0), at(1), at(2))));
                assert!(reach <= around.radius + ROUNDING, "part {part} reaches {reach} of {}", around.radius);
            }
        }
        assert_eq!(assembly.is_leaf(node), assembly.children_of(node).is_empty());
        open.extend(assembly.children_of(node));
    }
}

#[test]
fn inserting_removing_and_moving_in_any_order_is_like_building_afresh() {
    let (dispatcher, mut workspace) = (dispatcher(), Workspace::default());
    for seed in 0..8 {
        let mut random = Random(4000 + seed);
        let body = assembly(&mut random, 5, 0.7);
        let mut scene = Assembly::default();
        let mut expected: BTreeMap<PartId, (Arc<dyn Geometry>, Pose)> = BTreeMap::new();
        for step in 0..150 {
            let any = expected.keys().nth(random.below(expected.len().max(1))).copied();
            // It grows, then shrinks to nothing, then grows again.
            let removing = if (60..120).contains(&step) { 8 } else { 1 };
            match (random.below(10), any) {
                (which, Some(part)) if which < removing => {
                    let (_, place) = expected.remove(&part).unwrap();
                    assert_eq!(scene.remove(part).unwrap().1, place);
                    assert!(scene.remove(part).is_none() && !scene.contains(part));
                }
                (8, Some(part)) => {
                    let to = pose(&mut random, 1.5);
                    assert!(scene.set_pose(part, to));
                    expected.get_mut(&part).unwrap().1 = to;
                }
                (9, _) => {
                    expected.values_mut().for_each(|(_, place)| *place = pose(&mut random, 1.5));
                    let poses: BTreeMap<u32, Pose> =
                        expected.iter().map(|(part, held)| (part.number(), held.1)).collect();
                    scene.place_all(|part| poses[&part]);
                }
                _ => {
                    let (geometry, place) = (geometry(&mut random), pose(&mut random, 1.5));
                    expected.insert(scene.insert(geometry.clone(), place), (geometry, place));
                }
            }
            check_tree(&scene);
            assert_eq!(scene.parts().collect::<BTreeSet<_>>(), expected.keys().copied().collect::<BTreeSet<_>>());
            assert_eq!(scene.part_count(), expected.len());
            let mut afresh = Assembly::default();
            let mut same = BTreeMap::new();
            for (part, (geometry, place)) in &expected {
                same.insert(afresh.insert(geometry.clone(), *place), *part);
            }
            let ask = |scene: &Assembly, workspace: &mut Workspace| {
                let meet = AssemblyPair::new(&dispatcher, &body, scene, &Everything);
                let answer = meet.distance(&DistanceRequest::default(), workspace, None).unwrap();
                (answer.upper, meet.collisions(workspace).unwrap().0)
            };
            let (dynamic, fresh) = (ask(&scene, &mut workspace), ask(&afresh, &mut workspace));
            assert!(dynamic.0 == fresh.0 || (dynamic.0 - fresh.0).abs() <= ROUNDING, "{} {}", dynamic.0, fresh.0);
            // Both are in the order in which parts were added.
            let renumbered: Vec<(PartId, PartId)> = fresh.1.iter().map(|&(a, b)| (a, same[&b])).collect();
            assert_eq!(dynamic.1, renumbered);
        }
    }
}

#[test]
fn a_part_that_was_removed_or_never_there_is_left_alone() {
    let mut random = Random(6);
    let mut scene = assembly(&mut random, 3, 1.0);
    let (removed, foreign) = (scene.id(1).unwrap(), assembly(&mut random, 3, 1.0).id(1).unwrap());
    scene.remove(removed).unwrap();
    // It has the number of the one that was removed, and that of another assembly's.
    let new = scene.insert(geometry(&mut random), pose(&mut random, 1.0));
    assert_eq!([new.number(), foreign.number()], [removed.number(); 2]);
    let (before, place) = (scene.parts_below(scene.root()), *scene.pose(new.number()));
    for other in [removed, foreign] {
        assert!(!scene.set_pose(other, Pose::from_translation(DVec3::X * 9.0).unwrap()));
        assert!(scene.remove(other).is_none() && !scene.contains(other));
    }
    assert_eq!((scene.parts_below(scene.root()), *scene.pose(new.number())), (before, place));
    assert!(scene.contains(new) && scene.id(77).is_none());
    check_tree(&scene);
}

#[test]
fn a_builder_groups_any_number_of_parts_and_what_it_made_can_grow() {
    let mut random = Random(7);
    for count in [0, 1, 2, 8, 9, 64, 65, 200] {
        let mut builder = AssemblyBuilder::default();
        let sphere = geometry(&mut random);
        let nodes: Vec<Node> = (0..count).map(|_| builder.part(sphere.clone(), pose(&mut random, 2.0))).collect();
        let root = builder.group(&nodes);
        assert_eq!(root.is_none(), count == 0);
        let mut assembly = builder.build(root);
        check_tree(&assembly);
        assert_eq!(assembly.part_count(), count);
        for _ in 0..20 {
            assembly.insert(sphere.clone(), pose(&mut random, 2.0));
            check_tree(&assembly);
        }
        assembly.parts().collect::<Vec<_>>().into_iter().rev().for_each(|part| {
            assembly.remove(part).unwrap();
            check_tree(&assembly);
        });
        assert!(assembly.is_empty());
    }
}

#[test]
fn parts_that_a_builder_leaves_outside_of_the_root_are_not_there() {
    let mut random = Random(8);
    let mut builder = AssemblyBuilder::default();
    let sphere = geometry(&mut random);
    let nodes = [0, 1, 2].map(|_| builder.part(sphere.clone(), pose(&mut random, 1.0)));
    builder.group(&nodes[..2]);
    let mut assembly = builder.build(Some(nodes[0]));
    assert_eq!(assembly.parts().map(PartId::number).collect::<Vec<_>>(), [0]);
    assembly.insert(sphere, Pose::IDENTITY);
    assert_eq!(assembly.parts().count(), 2);
    check_tree(&assembly);
}

#[test]
fn nothing_is_infinitely_far_and_collides_with_nothing() {
    let (dispatcher, mut workspace, empty) = (dispatcher(), Workspace::default(), Assembly::default());
    let some = assembly(&mut Random(9), 3, 1.0);
    let mut warm_start = AssemblyWarmStart::default();
    for (a, b) in [(&empty, &empty), (&empty, &some), (&some, &empty)] {
        let meet = AssemblyPair::new(&dispatcher, a, b, &Everything);
        for max_d in [f64::INFINITY, 2.5] {
            let request = DistanceRequest { max_d, ..DistanceRequest::default() };
            let answer = meet.distance(&request, &mut workspace, Some(&mut warm_start)).unwrap();
            assert_eq!((answer.lower, answer.upper, answer.status), (max_d, f64::INFINITY, Status::BeyondMax));
            assert_eq!((answer.witness, answer.colliding()), (None, Some(false)));
        }
        assert_eq!(meet.collide(&mut workspace, Some(&mut warm_start)).unwrap().0, None);
        assert!(meet.collisions(&mut workspace).unwrap().0.is_empty());
    }
}

#[test]
fn a_bad_request_is_an_error_also_where_there_is_nothing_to_ask_about() {
    let (dispatcher, empty) = (dispatcher(), Assembly::default());
    let request = DistanceRequest { max_d: f64::NAN, ..DistanceRequest::default() };
    let error =
        AssemblyPair::new(&dispatcher, &empty, &empty, &Everything).distance(&request, &mut Workspace::default(), None);
    assert_eq!(error.unwrap_err().kind(), ErrorKind::BadRequest);
}

#[test]
fn a_pair_without_a_test_is_an_error_unless_it_is_left_out() {
    let (dispatcher, mut workspace) = (dispatcher(), Workspace::default());
    let mut random = Random(10);
    let a = assembly(&mut random, 3, 0.1);
    let mut b = assembly(&mut random, 2, 5.0);
    b.insert(Arc::new(Cloud::default()), Pose::IDENTITY);
    let (request, mut warm_start) = (DistanceRequest::default(), AssemblyWarmStart::default());
    let meet = AssemblyPair::new(&dispatcher, &a, &b, &Everything);
    let errors = [
        meet.distance(&request, &mut workspace, Some(&mut warm_start)).unwrap_err(),
        meet.collide(&mut workspace, Some(&mut warm_start)).unwrap_err(),
        meet.collisions(&mut workspace).unwrap_err(),
    ];
    assert!(errors.iter().all(|error| error.kind() == ErrorKind::Unsupported && error.to_string().contains("cloud")));
    struct NoCloud;
    impl Pairing for NoCloud {
        fn offset(&self, _part_a: u32, part_b: u32) -> Option<f64> {
            (part_b != 2).then_some(0.0)
        }
    }
    let pairs = every_pair(&dispatcher, &a, &b, &NoCloud);
    check(
        &AssemblyPair::new(&dispatcher, &a, &b, &NoCloud)
            .distance(&request, &mut workspace, Some(&mut warm_start))
            .unwrap(),
        &pairs,
        &request,
    );
}

#[test]
fn an_offset_makes_a_pair_collide_up_to_that_distance() {
    let dispatcher = dispatcher();
    let cube = || {
        Arc::new(Solid::new(clearance_engine::shape::Cuboid::from_half_extents(DVec3::splat(0.5)).unwrap()))
            as Arc<dyn Geometry>
    };
    let (mut a, mut b) = (Assembly::default(), Assembly::default());
    a.insert(cube(), Pose::IDENTITY);
    b.insert(cube(), Pose::from_translation(DVec3::X * 1.25).unwrap());
    struct Padded(f64);
    impl Pairing for Padded {
        fn offset(&self, _part_a: u32, _part_b: u32) -> Option<f64> {
            Some(self.0)
        }

        fn largest_offset(&self) -> f64 {
            self.0
        }
    }
    for (padding, left) in [(0.0, 0.25), (0.125, 0.125), (0.25 + ROUNDING, 0.0), (0.3, 0.0)] {
        let padded = Padded(padding);
        let meet = AssemblyPair::new(&dispatcher, &a, &b, &padded);
        for max_d in [f64::INFINITY, 0.3] {
            let request = DistanceRequest { max_d, ..DistanceRequest::default() };
            let answer = meet.distance(&request, &mut Workspace::default(), None).unwrap();
            assert!((answer.upper - left).abs() <= ROUNDING && answer.lower <= left, "{padding}: {answer:?}");
            assert_eq!((answer.colliding(), answer.status), (Some(left == 0.0), Status::Exact));
        }
        assert_eq!(meet.collide(&mut Workspace::default(), None).unwrap().0.is_some(), left == 0.0);
    }
    // Asked for contact alone, with no range left beyond it.
    let (request, padded) = (DistanceRequest { max_d: 0.0, ..DistanceRequest::default() }, Padded(0.25 + ROUNDING));
    let answer =
        AssemblyPair::new(&dispatcher, &a, &b, &padded).distance(&request, &mut Workspace::default(), None).unwrap();
    assert_eq!(answer.colliding(), Some(true), "{answer:?}");
}

#[test]
fn the_lower_bound_is_not_above_the_distance_where_parts_are_far_from_the_origin() {
    let (dispatcher, mut workspace, mut random) = (Dispatcher::standard(), Workspace::default(), Random(64));
    let point = Arc::new(Solid::new(Sphere::new(0.0).unwrap()));
    for case in 0..20_000 {
        let place_a = random.vector() * [0.1, 10.0, 1e3, 1e6][case % 4];
        let place_b = place_a + random.vector();
        let mut placed = |place: DVec3| {
            let mut assembly = Assembly::default();
            assembly.insert(point.clone(), Pose::new(random.rotation(), place).unwrap());
            assembly
        };
        let (a, b) = (placed(place_a), placed(place_b));
        let meet = AssemblyPair::new(&dispatcher, &a, &b, &Everything);
        // Near numbers have an exact difference.
        let truth = (place_b - place_a).length();
        for max_d in [f64::INFINITY, truth * (1.0 + 1e-15), truth * (1.0 - 1e-15)] {
            let request = DistanceRequest { max_d, ..DistanceRequest::default() };
            let answer = meet.distance(&request, &mut workspace, None).unwrap();
            assert!(answer.lower <= truth * (1.0 + 1e-15), "{case}, {max_d}: {answer:?}, not {truth}");
        }
    }
}

#[test]
fn a_pair_of_which_one_is_not_there_has_no_distance() {
    let (dispatcher, mut workspace) = (Dispatcher::standard(), Workspace::default());
    let sphere = Arc::new(Solid::new(Sphere::new(0.1).unwrap()));
    let mut scene = Assembly::default();
    let [a, b, c, d] =
        [0.0, 1.0, 2.0, 3.0].map(|x| scene.insert(sphere.clone(), Pose::from_translation(DVec3::X * x).unwrap()));
    scene.remove(b);
    scene.remove(d);
    scene.insert(sphere.clone(), Pose::IDENTITY);
    let meet = AssemblyPair::new(&dispatcher, &scene, &scene, &Everything);
    let mut ask = |pair| meet.pair_distance(pair, &DistanceRequest::default(), &mut workspace, None).unwrap();
    assert!(ask((a, c)).is_some());
    for pair in [(a, b), (b, c), (a, d), (d, a)] {
        assert_eq!(ask(pair), None);
    }
}

fn exact(x: f64) -> BigRational {
    BigRational::from_float(x).unwrap()
}

/// The image of a point under the numbers of a pose, in exact arithmetic.
fn image(pose: &Pose, p: DVec3) -> [BigRational; 3] {
    [0, 1, 2].map(|i| {
        let terms = (0..3).map(|j| exact(pose.rotation().row(i)[j]) * exact(p[j]));
        terms.fold(exact(pose.translation()[i]), |sum, term| sum + term)
    })
}

#[test]
fn lower_bounds_of_parts_far_from_the_origin_hold_in_exact_arithmetic() {
    let (dispatcher, mut workspace) = (dispatcher(), Workspace::default());
    let mut close = 0;
    for seed in 0..400 {
        let mut random = Random(9000 + seed);
        let far = 10.0_f64.powi([0, 3, 6, 9][seed as usize % 4]);
        let (part, other) = (pose(&mut random, far), pose(&mut random, 0.0));
        let (p, q) = (random.vector() * far, random.vector());
        // The second point is put next to the first, by a translation that rounds.
        let near = part.transform_point(p) - other.transform_point(q) + random.vector() * 1e-12 * far;
        let placed = Pose::from_matrix(*other.rotation(), near).unwrap();
        let squared: BigRational =
            image(&part, p).into_iter().zip(image(&placed, q)).fold(exact(0.0), |sum, (x, y)| {
                let apart = x - y;
                sum + apart.clone() * apart
            });
        let point = |p: DVec3| Arc::new(PointCloud::new(vec![p], 0.0).unwrap());
        let (mut a, mut b) = (Assembly::default(), Assembly::default());
        a.insert(point(p), part);
        b.insert(point(q), placed);
        let request = DistanceRequest::default();
        let plan = dispatcher.plan(&a, b.geometry(0).as_ref()).unwrap();
        let through_dispatcher = plan.distance(&placed, &request, &mut workspace, None).unwrap().lower;
        let meet = AssemblyPair::new(&dispatcher, &a, &b, &Everything);
        let by_parts = meet.distance(&request, &mut workspace, None).unwrap().lower;
        for lower in [through_dispatcher, by_parts] {
            assert!(exact(lower) * exact(lower) <= squared, "seed {seed}: {lower}");
            close += usize::from(lower > 0.0);
        }
    }
    assert!(close > 100, "{close} of 800 bounds say anything");
}
