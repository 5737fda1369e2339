//! Filters of features against all pairs of features and against certified first contacts: the
//! first contact is the same with them as without.

mod support;

use clearance_engine::convex::lab::{ContactFilters, ContactPair, contact_pairs};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::motion::{ImpactRequest, Motion, TimeOfImpact, time_of_impact};
use clearance_engine::shape::{ConvexPolyhedron, front_faces};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, Mesh, Solid};
use clearance_engine::{ErrorKind, Pose, TriMesh};
use std::collections::HashSet;
use support::Random;

const FILTERS: [ContactFilters; 3] = [
    ContactFilters { back_faces: true, applicability: false },
    ContactFilters { back_faces: false, applicability: true },
    ContactFilters::ALL,
];

/// Bodies in general position, and ones with many parallel edges and faces.
fn body(random: &mut Random, kind: usize) -> ConvexPolyhedron {
    let points: Vec<DVec3> = match kind % 5 {
        0 => (0..4 + random.below(12)).map(|_| random.vector()).collect(),
        1 => (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect(),
        2 => {
            let half = DVec3::new(random.unit(), random.unit(), random.unit()) + 0.05;
            (0..8)
                .map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * half - half * 0.5)
                .collect()
        }
        3 => {
            let count = 3 + random.below(5);
            let vertex = |i: usize, z: f64| {
                let (sin, cos) = (std::f64::consts::TAU * i as f64 / count as f64).sin_cos();
                DVec3::new(cos, sin, z)
            };
            (0..count).flat_map(|i| [vertex(i, 0.0), vertex(i, 0.7)]).collect()
        }
        // Flat: a sliver.
        _ => (0..6).map(|i| DVec3::new(random.signed(), random.signed(), 1e-5 * f64::from(i % 2))).collect(),
    };
    ConvexPolyhedron::hull_of(&points).unwrap()
}

/// Turned not at all, by right angles, or anyhow.
fn turn(random: &mut Random) -> DQuat {
    match random.below(4) {
        0 => DQuat::IDENTITY,
        1 => DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2 * random.below(4) as f64),
        _ => random.rotation(),
    }
}

/// The earliest time of some pairs; infinite if none touches.
fn earliest(pairs: &[ContactPair], [a, b]: [&ConvexPolyhedron; 2], velocity: DVec3) -> f64 {
    pairs.iter().filter_map(|pair| pair.touching_time(a, b, velocity)).fold(f64::INFINITY, f64::min)
}

/// When moving `a` first touches `b`, certified; none if it does not within a unit of time.
fn certified(a: &dyn Geometry, b: &dyn Geometry, velocity: DVec3) -> Option<[f64; 2]> {
    let moving = Motion::moving(&Pose::IDENTITY, DVec3::ZERO, velocity, DVec3::ZERO, 1.0).unwrap();
    let bodies = [(a, &moving), (b, &Motion::still(&Pose::IDENTITY))];
    let request = ImpactRequest::default();
    match time_of_impact(&Dispatcher::standard(), bodies, &request, &mut Workspace::default()).unwrap().first {
        TimeOfImpact::Contact(touch) if touch.gap == 0.0 => Some([touch.t_lower, touch.t_upper]),
        _ => None,
    }
}

#[test]
fn the_first_contact_over_all_features_is_the_same_with_any_filters() {
    let mut random = Random(701);
    let (mut touching, mut missing, mut degenerate) = (0, 0, 0);
    for case in 0..1500 {
        let kinds = [random.below(5), random.below(5)];
        let far = 4.0 * 10.0_f64.powf(random.between(0.0, 2.0));
        let place = random.pose(far).translation();
        let (a, b) = (body(&mut random, kinds[0]), body(&mut random, kinds[1]));
        let a = a.transformed(&Pose::new(turn(&mut random), place).unwrap());
        let b = b.transformed(&Pose::new(turn(&mut random), DVec3::ZERO).unwrap());
        let aimed = -place + random.vector() * random.unit();
        // Straight at it, or along an axis of aligned bodies: then many features touch at once.
        let velocity = if case % 3 == 0 { DVec3::from_array([0, 1, 2].map(|i| aimed[i].round())) } else { aimed };
        if velocity == DVec3::ZERO {
            continue;
        }
        let all = contact_pairs(&a, &b, velocity, &ContactFilters::default());
        let truth = earliest(&all, [&a, &b], velocity);
        for filters in FILTERS {
            let few = contact_pairs(&a, &b, velocity, &filters);
            assert!(few.len() < all.len(), "case {case} {filters:?}");
            let first = earliest(&few, [&a, &b], velocity);
            let same = first == truth || (first - truth).abs() <= 1e-9 * truth.max(1.0);
            assert!(same, "case {case} {filters:?}: {first} instead of {truth}");
            degenerate += usize::from(first != truth);
        }
        match certified(&Solid::new(a), &Solid::new(b), velocity * 2.0) {
            Some([lower, upper]) if truth < 2.0 => {
                let time = truth * 0.5;
                assert!(lower - 1e-9 <= time && time <= upper + 1e-9, "case {case}: {time} {lower} {upper}");
                touching += 1;
            }
            Some(found) => panic!("case {case}: {found:?}, but no features touch: {truth}"),
            None => missing += usize::from(!truth.is_finite()),
        }
    }
    assert!(touching > 300 && missing > 20 && degenerate < 100, "{touching} {missing} {degenerate}");
}

/// The definition: all edges lead to above the face, by more than `margin`.
fn is_above(a: &ConvexPolyhedron, vertex: u32, normal: DVec3, margin: f64) -> bool {
    a.neighbors(vertex).iter().all(|&other| (a.vertex(other) - a.vertex(vertex)).dot(normal) > margin)
}

/// The definition: the arc of one edge on the sphere of normals crosses the negated arc of the
/// other, not next to an end of one.
fn arcs_cross([a, b]: [DVec3; 2], [c, d]: [DVec3; 2], margin: f64) -> bool {
    let (c, d) = (-c, -d);
    let (of_a, of_b) = (a.cross(b).normalize(), c.cross(d).normalize());
    let across = |normal: DVec3, p: DVec3, q: DVec3| p.dot(normal) * q.dot(normal) < 0.0;
    let clear = [of_a.dot(c), of_a.dot(d), of_b.dot(a), of_b.dot(b)].iter().all(|x| x.abs() > margin);
    // On the same side of the sphere: the middles of both arcs are less than a right angle off the
    // crossing.
    let at = of_a.cross(of_b);
    let near = at.dot(a + b) * at.dot(c + d) > 0.0;
    clear && across(of_a, c, d) && across(of_b, a, b) && near
}

#[test]
fn applicable_pairs_are_those_of_the_definition() {
    let mut random = Random(702);
    let mut counts = [0; 2];
    for case in 0..120 {
        let [a, b] =
            [0, 1].map(|_| body(&mut random, 0).transformed(&Pose::new(random.rotation(), DVec3::ZERO).unwrap()));
        let filters = ContactFilters { applicability: true, back_faces: false };
        let found: HashSet<ContactPair> = contact_pairs(&a, &b, DVec3::ZERO, &filters).into_iter().collect();
        let mut judge = |pair: ContactPair, surely: bool, perhaps: bool| {
            let kept = found.contains(&pair);
            assert!(kept || !surely, "case {case}: {pair:?} is missing");
            assert!(!kept || perhaps, "case {case}: {pair:?} is not applicable");
            counts[usize::from(kept)] += 1;
        };
        for pair in contact_pairs(&a, &b, DVec3::ZERO, &ContactFilters::default()) {
            let (surely, perhaps) = match pair {
                ContactPair::VertexFace { vertex, face } => {
                    let normal = b.face_normal(face);
                    (is_above(&a, vertex, normal, 1e-9), is_above(&a, vertex, normal, -1e-9))
                }
                ContactPair::FaceVertex { face, vertex } => {
                    let normal = a.face_normal(face);
                    (is_above(&b, vertex, normal, 1e-9), is_above(&b, vertex, normal, -1e-9))
                }
                ContactPair::EdgeEdge { edge_a, edge_b } => {
                    let normals = |body: &ConvexPolyhedron, [from, to]: [u32; 2]| {
                        [(from, to), (to, from)].map(|(from, to)| body.face_normal(body.face_beside(from, to).unwrap()))
                    };
                    let (of_a, of_b) = (normals(&a, edge_a), normals(&b, edge_b));
                    // Where an arc ends next to the other, either answer will do.
                    let unclear = [of_a, of_b].iter().any(|ends| ends[0].dot(ends[1]) > 1.0 - 1e-9);
                    let crossing = arcs_cross(of_a, of_b, 1e-6);
                    (crossing, crossing || unclear || arcs_cross(of_a, of_b, 0.0) || near_end(of_a, of_b))
                }
            };
            judge(pair, surely, perhaps);
        }
    }
    assert!(counts.iter().all(|&count| count > 1000), "{counts:?}");
}

/// Whether an end of one arc is next to the great circle of the other.
fn near_end([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> bool {
    let (of_a, of_b) = (a.cross(b).normalize(), c.cross(d).normalize());
    [of_a.dot(c), of_a.dot(d), of_b.dot(a), of_b.dot(b)].iter().any(|x| x.abs() <= 1e-6)
}

#[test]
fn half_of_the_faces_go_and_the_applicable_pairs_are_about_as_many_as_the_edges() {
    let mut random = Random(703);
    let sphere = |random: &mut Random, count: usize| {
        let points: Vec<DVec3> = (0..count).map(|_| random.pose(1.0).translation()).collect();
        ConvexPolyhedron::hull_of(&points).unwrap()
    };
    for count in [30, 300, 1500] {
        let (a, b) = (sphere(&mut random, count), sphere(&mut random, count));
        let front = front_faces(&a.surface().unwrap(), random.vector()).unwrap().len();
        assert!((front as f64 / a.face_count() as f64 - 0.5).abs() < 0.15, "{front} of {}", a.face_count());
        let edges = (a.edge_count() + b.edge_count()) as f64;
        let both = contact_pairs(&a, &b, random.vector(), &ContactFilters::ALL).len() as f64;
        let one = contact_pairs(&a, &b, DVec3::ZERO, &FILTERS[1]).len() as f64;
        assert!(one / edges < 2.0 && one / edges > 0.7, "{count}: {one} {edges}");
        assert!(both / one < 0.7 && both / one > 0.3, "{count}: {both} {one}");
    }
}

#[test]
fn bodies_at_the_end_of_the_range_are_filtered_like_others() {
    let mut random = Random(704);
    let turned = Pose::new(random.rotation(), DVec3::ZERO).unwrap();
    let pairs = |scale: f64, speed: f64| {
        let vertices: Vec<DVec3> =
            (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * scale).collect();
        let body = ConvexPolyhedron::hull_of(&vertices).unwrap();
        contact_pairs(&body, &body.transformed(&turned), DVec3::new(1.0, 2.0, 0.5) * speed, &ContactFilters::ALL)
    };
    let usual = pairs(1.0, 1.0);
    assert!(usual.len() < 40, "{}", usual.len());
    for scale in [1e-90, 1e90] {
        for speed in [1e-300, 1e300] {
            assert_eq!(pairs(scale, speed), usual, "{scale} {speed}");
        }
    }
    let nothing = contact_pairs(&body(&mut random, 1), &body(&mut random, 1), DVec3::NAN, &FILTERS[0]);
    assert_eq!(nothing.len(), 2 * 8 * 6 + 12 * 12, "a velocity that is none turns nothing away");
}

/// A closed L, which is not convex.
fn bracket() -> TriMesh {
    let outline = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)];
    let vertices = [0.0, 1.0].iter().flat_map(|&z| outline.map(|(x, y)| DVec3::new(x, y, z))).collect();
    let top = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    let mut triangles: Vec<[u32; 3]> = top.iter().flat_map(|&[a, b, c]| [[a + 6, b + 6, c + 6], [a, c, b]]).collect();
    for i in 0..6 {
        let j = (i + 1) % 6;
        triangles.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
    }
    TriMesh::new(vertices, triangles).unwrap()
}

#[test]
fn closed_bodies_that_are_not_convex_first_touch_with_their_front_faces() {
    let mut random = Random(705);
    let front = |mesh: &TriMesh, direction: DVec3| {
        let faces = front_faces(mesh, direction).unwrap();
        let triangles = faces.iter().map(|&i| mesh.triangles()[i as usize]).collect();
        (
            faces.len(),
            Mesh::<clearance_engine::volume::Obb>::new(TriMesh::new(mesh.vertices().to_vec(), triangles).unwrap())
                .unwrap(),
        )
    };
    let (mut touching, mut kept, mut all) = (0, 0, 0);
    for case in 0..150 {
        let placed = |pose: &Pose| {
            let mesh = bracket();
            mesh.with_vertices(mesh.vertices().iter().map(|&v| pose.transform_point(v)).collect()).unwrap()
        };
        let [a, b] = [random.pose(9.0), random.pose(1.0)].map(|pose| placed(&pose));
        let aim = (b.bounding_box().0 + b.bounding_box().1) * 0.5 - (a.bounding_box().0 + a.bounding_box().1) * 0.5;
        let velocity = aim * 1.5 + random.vector();
        let whole = [&a, &b].map(|mesh| Mesh::<clearance_engine::volume::Obb>::new(mesh.clone()).unwrap());
        let ((of_a, part_a), (of_b, part_b)) = (front(&a, velocity), front(&b, -velocity));
        (kept, all) = (kept + of_a + of_b, all + a.len() + b.len());
        let (of_whole, of_parts) = (certified(&whole[0], &whole[1], velocity), certified(&part_a, &part_b, velocity));
        match (of_whole, of_parts) {
            (Some(x), Some(y)) => {
                assert!(x[0] <= y[1] && y[0] <= x[1], "case {case}: {x:?} {y:?}");
                touching += 1;
            }
            (None, None) => {}
            _ => panic!("case {case}: {of_whole:?} {of_parts:?}"),
        }
    }
    assert!(touching > 80, "{touching}");
    assert!((f64::from(kept as u32) / f64::from(all as u32) - 0.5).abs() < 0.05, "{kept} of {all}");
}

#[test]
fn faces_along_the_motion_stay_and_those_turned_away_go() {
    let vertex = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
    let points: Vec<DVec3> = (0..8).map(vertex).collect();
    for scale in [1e-90, 1.0, 1e90] {
        let points: Vec<DVec3> = points.iter().map(|&point| point * scale).collect();
        let cube = ConvexPolyhedron::hull_of(&points).unwrap().surface().unwrap();
        let front = front_faces(&cube, DVec3::X * 1e-200).unwrap();
        // All but the two triangles at x = 0.
        let behind = |i: u32| cube.triangle(i).0.iter().all(|vertex| vertex.x < 0.5 * scale);
        let expected: Vec<u32> = (0..12).filter(|&i| !behind(i)).collect();
        assert_eq!((front.len(), &front), (10, &expected), "{scale}");
    }
}

#[test]
fn what_is_open_inside_out_or_without_direction_is_refused() {
    let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let body = ConvexPolyhedron::hull_of(&points).unwrap().surface().unwrap();
    assert!(front_faces(&body, DVec3::Z).is_ok());
    let kind = |mesh: &TriMesh, direction: DVec3| front_faces(mesh, direction).unwrap_err().kind();
    assert_eq!(kind(&body, DVec3::ZERO), ErrorKind::BadRequest);
    assert_eq!(kind(&body, DVec3::new(f64::NAN, 1.0, 0.0)), ErrorKind::BadRequest);
    let turned = body.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    assert_eq!(kind(&TriMesh::new(body.vertices().to_vec(), turned).unwrap(), DVec3::Z), ErrorKind::NotClosed);
    let open = body.triangles()[1..].to_vec();
    assert_eq!(kind(&TriMesh::new(body.vertices().to_vec(), open).unwrap(), DVec3::Z), ErrorKind::NotClosed);
}
