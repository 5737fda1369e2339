//! Pairs of triangles that the default tree puts off until nearer ones are known: they may be the
//! only ones that realise a promised distance, and the nearest of all when a search stops before
//! their turn.

mod support;

use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::query::{Distance, DistanceRequest, Status};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::Mesh;
use clearance_engine::{Pose, TriMesh};
use support::{Random, brute_force, dispatcher};

/// Fins, one triangle each, whose edges lie side by side in a plane of constant z, up to `uneven`.
struct Fins {
    count: u32,
    /// Half of each edge.
    along: DVec3,
    /// From the first to the last edge.
    across: DVec3,
    /// From the edges to the other vertices.
    depth: f64,
    uneven: f64,
}

impl Fins {
    fn triangles(&self, random: &mut Random) -> Vec<[DVec3; 3]> {
        let fin = |k| {
            let low = DVec3::Z * self.depth;
            let middle = self.across * (f64::from(k) / f64::from(self.count) - 0.5) + low * self.uneven * random.unit();
            [middle - self.along, middle + self.along, middle + low]
        };
        (0..self.count).map(fin).collect()
    }
}

/// Two bodies, the second lifted by 1, and by brute force their distance.
struct Scene {
    a: TriMesh,
    b: TriMesh,
    pose: Pose,
    distance: f64,
}

impl Scene {
    fn new(a: &[[DVec3; 3]], b: &[[DVec3; 3]]) -> Self {
        let [a, b] = [a, b].map(|triangles| {
            let ids = (0..triangles.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
            TriMesh::new(triangles.as_flattened().to_vec(), ids).unwrap()
        });
        let pose = Pose::new(DQuat::IDENTITY, DVec3::Z).unwrap();
        let distance = brute_force(&a, &b, &pose).upper;
        Self { a, b, pose, distance }
    }

    /// Fins along x with their edges up and, above, fins along y with theirs down: where edges
    /// cross they are nearest, and pairs of edges are always put off. Groups of eight of B, a leaf
    /// each, are raised by what `raise` says.
    fn crossing(random: &mut Random, counts: [u32; 2], uneven: f64, raise: impl Fn(usize) -> f64) -> Self {
        let [of_a, of_b] = counts;
        let a = Fins { count: of_a, along: DVec3::X, across: DVec3::Y, depth: -1.0, uneven };
        let b = Fins { count: of_b, along: DVec3::Y, across: DVec3::X, depth: 1.0, uneven };
        let (a, mut b) = (a.triangles(random), b.triangles(random));
        for (group, fins) in b.chunks_mut(8).enumerate() {
            fins.as_flattened_mut().iter_mut().for_each(|vertex| vertex.z += raise(group));
        }
        Self::new(&a, &b)
    }

    fn ask(&self, request: &DistanceRequest) -> Distance {
        let [a, b]: [Mesh; 2] = [&self.a, &self.b].map(|tri_mesh| Mesh::new(tri_mesh.clone()).unwrap());
        dispatcher().plan(&a, &b).unwrap().distance(&self.pose, request, &mut Workspace::default(), None).unwrap()
    }
}

#[test]
fn a_tolerance_always_gets_its_witness_where_only_edges_are_nearest() {
    let mut random = Random(1);
    for case in 0..60 {
        let counts = [0; 2].map(|_| 1 + random.below(40) as u32);
        let uneven = [0.3, 1e-3, 1e-6][case % 3];
        let scene = Scene::crossing(&mut random, counts, uneven, |_| 0.0);
        let d = scene.distance;
        for (rel_err, abs_err) in [(0.01, 0.0), (0.1, 0.0), (0.5, 0.0), (0.0, 0.1), (0.0, 2.0), (0.99, 0.5)] {
            let answer = scene.ask(&DistanceRequest { rel_err, abs_err, ..Default::default() });
            let label = format!("case {case}, errors {rel_err} {abs_err}: {answer:?}, in truth {d}");
            assert_eq!(answer.status, Status::Tolerance, "{label}");
            assert!(answer.lower <= d && d <= answer.upper + 1e-12, "{label}");
            assert!(answer.upper - answer.lower <= abs_err.max(rel_err * answer.upper) + 1e-12, "{label}");
            let witness = answer.witness.unwrap();
            assert!((witness.point_a.distance(witness.point_b) - answer.upper).abs() <= 1e-12, "{label}");
        }
    }
}

#[test]
fn a_tolerance_takes_the_nearest_of_the_pairs_that_are_met_at_once() {
    let mut random = Random(5);
    for case in 0..40 {
        // One triangle against eight: whichever comes first, the others need not be looked at with
        // this tolerance, but are already.
        let scene = Scene::crossing(&mut random, [1, 8], 0.3, |_| 0.0);
        let answer = scene.ask(&DistanceRequest { rel_err: 0.9, ..Default::default() });
        assert!((answer.upper - scene.distance).abs() <= 1e-12, "case {case}: {answer:?}, in truth {}", scene.distance);
    }
}

#[test]
fn the_lower_bound_of_a_stopped_search_counts_the_pairs_that_were_put_off() {
    let mut tight = 0;
    for seed in 0..30 {
        let mut random = Random(seed);
        for uneven in [1e-6, 1e-7, 3e-8] {
            for group in 0..5 {
                // Four leaves of B fill the list of what is put off; the fifth, a little farther,
                // comes when it is full.
                let raise = 2e-4 * random.unit();
                let scene = Scene::crossing(&mut random, [8, 40], uneven, |k| if k == group { raise } else { 0.0 });
                let answer = scene.ask(&DistanceRequest { min_d: 1.5, ..Default::default() });
                assert_eq!(answer.status, Status::BelowMin);
                assert!(answer.lower <= scene.distance, "seed {seed}: {answer:?}, in truth {}", scene.distance);
                assert!(answer.upper >= scene.distance - 1e-12 && answer.upper <= 1.5, "seed {seed}: {answer:?}");
                tight += usize::from(answer.lower > 0.999 * scene.distance);
            }
        }
    }
    assert!(tight > 100, "only {tight} of 450 lower bounds are worth something");
}

#[test]
fn the_lower_bound_of_a_stopped_search_counts_the_pairs_that_wait_for_full_lanes() {
    let mut random = Random(11);
    let (mut stopped, mut tight) = (0, 0);
    for case in 0..6000 {
        // A few leaves each, of which pairs are left that do not fill the lanes.
        let mut tri_mesh = |count: u64, z: f64| -> Vec<[DVec3; 3]> {
            let vertex = |random: &mut Random| DVec3::new(random.unit(), random.unit(), random.unit());
            (0..count)
                .map(|_| {
                    let center = vertex(&mut random) + DVec3::Z * z;
                    [0; 3].map(|_| center + 0.3 * vertex(&mut random))
                })
                .collect()
        };
        let scene = Scene::new(&tri_mesh(20 + case % 30, 0.0), &tri_mesh(50 - case % 30, 0.9));
        let rel_err = if case % 2 == 0 { 0.0 } else { 0.02 };
        let request = DistanceRequest { min_d: 1.3 * scene.distance, rel_err, ..Default::default() };
        let answer = scene.ask(&request);
        assert!(answer.lower <= scene.distance, "case {case}: {answer:?}, in truth {}", scene.distance);
        stopped += usize::from(answer.status == Status::BelowMin && answer.upper > scene.distance + 1e-9);
        tight += usize::from(answer.lower > 0.9 * scene.distance);
    }
    assert!(stopped > 100, "only {stopped} searches stopped before they found the nearest");
    assert!(tight > 2000, "only {tight} of 6000 lower bounds are worth something");
}

#[test]
fn a_promise_that_another_pair_keeps_is_not_taken_for_decided() {
    let mut random = Random(7);
    let p = DVec3::new;
    for case in 0..400 {
        // An edge above an edge, which is put off, and a vertex above a face, which is not; of
        // nearly the same height, up to f32's rounding.
        let [dx, dy] = [0; 2].map(|_| 1.2e-5 * random.unit());
        let mut a = [
            [p(19.0, 0.0, 100.5 + dx), p(21.0, 0.0, 100.5 + dx), p(20.0, 0.0, 102.0)],
            [p(0.0, 0.0, 0.5 + dy), p(1.0, 0.0, 2.0), p(-1.0, 0.25, 2.0)],
        ];
        let mut b = [
            [p(20.0, -1.0, 99.0), p(20.0, 1.0, 99.0), p(20.0, 0.0, 98.0)],
            [p(-10.0, -10.0, -1.0), p(10.0, -10.0, -1.0), p(0.0, 10.0, -1.0)],
        ];
        if case % 2 == 1 {
            a.reverse();
            b.reverse();
        }
        let scene = Scene::new(&a, &b);
        let answer = scene.ask(&DistanceRequest::default());
        assert!(answer.lower <= scene.distance && scene.distance <= answer.upper + 1e-12, "case {case}: {answer:?}");
    }
}
