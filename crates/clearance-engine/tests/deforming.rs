//! Deforming surfaces. The referee looks at all pairs of features: roots of the cubic of each, cut
//! where its derivative is zero and halved, and whether the features meet there.
//!
//! What must hold: no pair meets before the first contact that is found, none at all where there is
//! none, and what is found is as near as it says. Crossings at rest are those of all pairs of
//! triangles.

mod support;

use clearance_engine::math::DVec3;
use clearance_engine::motion::{DeformingImpact, DeformingMesh, TouchingFeatures, self_intersections};
use clearance_engine::pair::shape::triangles_overlap;
use clearance_engine::{ErrorKind, TriMesh, Triangle};
use support::Random;

/// A sheet of `n` by `n` squares, by where its points are.
fn sheet(n: u32, place: impl Fn(f64, f64) -> DVec3) -> TriMesh {
    let step = 1.0 / f64::from(n);
    let places = (0..=n).flat_map(|j| (0..=n).map(move |i| (f64::from(i) * step, f64::from(j) * step)));
    let at = |i: u32, j: u32| j * (n + 1) + i;
    let squares = (0..n).flat_map(|j| (0..n).map(move |i| (i, j)));
    let triangles = squares
        .flat_map(|(i, j)| [[at(i, j), at(i + 1, j), at(i, j + 1)], [at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]]);
    TriMesh::new(places.map(|(x, y)| place(x, y)).collect(), triangles.collect()).unwrap()
}

/// A point of a sheet that is rolled about the y axis by `turns`.
fn rolled(x: f64, y: f64, turns: f64, lean: f64) -> DVec3 {
    let (sin, cos) = (std::f64::consts::TAU * turns * x).sin_cos();
    let radius = 0.3 - 0.1 * x * lean;
    DVec3::new(radius * sin, y, radius * (1.0 - cos))
}

fn noisy(points: &[DVec3], amount: f64, random: &mut Random) -> Vec<DVec3> {
    points.iter().map(|p| *p + random.vector() * amount).collect()
}

type Way = [DVec3; 2];

fn at(points: [Way; 4], t: f64) -> [DVec3; 4] {
    points.map(|[from, to]| from + (to - from) * t)
}

fn volume(points: [Way; 4], t: f64) -> f64 {
    let [a, b, c, d] = at(points, t);
    (b - a).dot((c - a).cross(d - a))
}

/// The distance of a vertex from a face, or of two edges.
fn distance([a, b, c, d]: [DVec3; 4], vertex: bool) -> f64 {
    let segment = |p: DVec3, [q, r]: [DVec3; 2]| {
        let along = (r - q).length_squared();
        let part = if along > 0.0 { ((p - q).dot(r - q) / along).clamp(0.0, 1.0) } else { 0.0 };
        p.distance(q + (r - q) * part)
    };
    if vertex {
        let normal = (c - b).cross(d - b);
        let inside = [[b, c], [c, d], [d, b]].iter().all(|[p, q]| (*q - *p).cross(a - *p).dot(normal) >= 0.0);
        let edges = [[b, c], [c, d], [d, b]].map(|edge| segment(a, edge)).into_iter().fold(f64::INFINITY, f64::min);
        return if inside { edges.min((a - b).dot(normal).abs() / normal.length()) } else { edges };
    }
    // Ends, or inside of both.
    let ends = [segment(a, [c, d]), segment(b, [c, d]), segment(c, [a, b]), segment(d, [a, b])];
    let ends = ends.into_iter().fold(f64::INFINITY, f64::min);
    let normal = (b - a).cross(d - c);
    let sides = |p: DVec3, q: DVec3, r: DVec3, s: DVec3| {
        let across = (q - p).cross(normal);
        (r - p).dot(across) * (s - p).dot(across) <= 0.0
    };
    let crossing = normal != DVec3::ZERO && sides(a, b, c, d) && sides(c, d, a, b);
    if crossing { ends.min((c - a).dot(normal).abs() / normal.length()) } else { ends }
}

/// The first root at which the features meet.
fn first_root(points: [Way; 4], vertex: bool) -> f64 {
    // The cubic through four of its values, and where its derivative is zero.
    let [p, q, r, s] = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(|t| volume(points, t));
    let (c3, c2) = (4.5 * (s - 3.0 * r + 3.0 * q - p), 9.0 * p - 22.5 * q + 18.0 * r - 4.5 * s);
    let c1 = -5.5 * p + 9.0 * q - 4.5 * r + s;
    let (half, root) = (c2 / (3.0 * c3), ((c2 * c2 - 3.0 * c3 * c1).max(0.0)).sqrt() / (3.0 * c3));
    let mut cuts = vec![0.0, 1.0];
    cuts.extend([-half - root, -half + root, -c1 / (2.0 * c2)].into_iter().filter(|t| *t > 0.0 && *t < 1.0));
    cuts.sort_by(f64::total_cmp);
    for part in cuts.windows(2) {
        let (mut low, mut high) = (part[0], part[1]);
        if volume(points, low) * volume(points, high) > 0.0 {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if volume(points, low) * volume(points, middle) <= 0.0 { high = middle } else { low = middle }
        }
        if distance(at(points, low), vertex) < 1e-13 {
            return low;
        }
    }
    f64::INFINITY
}

struct Moving {
    mesh: TriMesh,
    end: Vec<DVec3>,
}

impl Moving {
    fn way(&self, v: u32) -> Way {
        [self.mesh.vertices()[v as usize], self.end[v as usize]]
    }

    fn edges(&self) -> Vec<[u32; 2]> {
        let triangles = self.mesh.triangles().iter();
        let edge = |p: u32, q: u32| [p.min(q), p.max(q)];
        let mut edges: Vec<_> = triangles.flat_map(|&[a, b, c]| [edge(a, b), edge(b, c), edge(c, a)]).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

/// The first time at which any features of two surfaces meet, or of one with itself.
fn brute(a: &Moving, b: &Moving, own: bool) -> f64 {
    let mut first = f64::INFINITY;
    for (one, other) in [(a, b), (b, a)] {
        for v in 0..one.end.len() as u32 {
            for face in other.mesh.triangles().iter().filter(|face| !(own && face.contains(&v))) {
                let [p, q, r] = face.map(|w| other.way(w));
                first = first.min(first_root([one.way(v), p, q, r], true));
            }
        }
    }
    for e in a.edges() {
        for f in b.edges() {
            if !(own && (f.contains(&e[0]) || f.contains(&e[1]))) {
                first = first.min(first_root([a.way(e[0]), a.way(e[1]), b.way(f[0]), b.way(f[1])], false));
            }
        }
    }
    first
}

/// Holds an answer against the referee; says whether there is a contact.
fn judge(found: Option<DeformingImpact>, a: &Moving, b: &Moving, first: f64, tolerance: f64, label: &str) -> bool {
    let Some(found) = found else {
        assert_eq!(first, f64::INFINITY, "{label}: missed at {first}");
        return false;
    };
    assert!(found.t_lower <= first && found.t_lower <= found.t_upper, "{label}: {found:?} is after {first}");
    let (points, vertex) = match found.features {
        TouchingFeatures::VertexFace(v, [p, q, r]) => ([a.way(v), b.way(p), b.way(q), b.way(r)], true),
        TouchingFeatures::FaceVertex([p, q, r], v) => ([b.way(v), a.way(p), a.way(q), a.way(r)], true),
        TouchingFeatures::EdgeEdge([p, q], [r, s]) => ([a.way(p), a.way(q), b.way(r), b.way(s)], false),
    };
    let near = distance(at(points, found.t_upper), vertex);
    assert!(near <= found.gap + 1e-13 && found.gap <= 2.0 * tolerance + 1e-12, "{label}: {near} {found:?}");
    true
}

#[test]
fn a_sheet_meets_itself_when_the_first_of_all_its_features_do() {
    let mut random = Random(31);
    let (mut hits, mut free) = (0, 0);
    for case in 0..30 {
        let (turns, more) = (random.between(0.2, 0.95), random.unit());
        let lean = f64::from(case % 2);
        let (start, end) =
            (sheet(9, |x, y| rolled(x, y, turns, 0.0)), sheet(9, |x, y| rolled(x, y, turns + more, lean)));
        let amount = [0.0, 1e-3, 0.01][case as usize % 3];
        let mesh = start.with_vertices(noisy(start.vertices(), amount, &mut random)).unwrap();
        let moving = Moving { end: noisy(end.vertices(), amount, &mut random), mesh };
        let mut surface = DeformingMesh::new(&start).unwrap();
        surface.step(moving.mesh.vertices(), &moving.end).unwrap();
        let first = brute(&moving, &moving, true);
        let found = surface.self_impact(1e-9).unwrap();
        match judge(found, &moving, &moving, first, 1e-9, &format!("case {case}")) {
            true => hits += 1,
            false => free += 1,
        }
        // A surface that does not cross itself, and does not meet itself, does not cross itself after.
        if found.is_none() && self_intersections(&moving.mesh, 1).unwrap().is_empty() {
            let after = moving.mesh.with_vertices(moving.end.clone()).unwrap();
            assert_eq!(self_intersections(&after, 1).unwrap(), [[0; 2]; 0], "case {case}");
        }
    }
    assert!(hits > 4 && free > 4, "{hits} {free}");
}

#[test]
fn two_surfaces_meet_when_the_first_of_all_their_features_do() {
    let mut random = Random(32);
    let (mut hits, mut free) = (0, 0);
    for case in 0..30 {
        let lower = sheet(6, |x, y| DVec3::new(x, y, 0.1 * (7.0 * x).sin()));
        let upper = sheet(5, |x, y| DVec3::new(x, y, 0.5 + 0.1 * (9.0 * y).sin()));
        let fall = DVec3::new(random.signed(), random.signed(), -random.between(0.0, 0.8));
        let end = noisy(upper.vertices(), 0.05, &mut random).iter().map(|p| *p + fall).collect();
        let a = Moving { end: noisy(lower.vertices(), 0.05, &mut random), mesh: lower };
        let b = Moving { end, mesh: upper };
        let [mut one, mut other] = [&a, &b].map(|moving| {
            let mut surface = DeformingMesh::new(&moving.mesh).unwrap();
            surface.step(moving.mesh.vertices(), &moving.end).unwrap();
            surface
        });
        let first = brute(&a, &b, false);
        let found = one.impact(&other, 1e-9).unwrap();
        let back = other.impact(&one, 1e-9).unwrap();
        judge(back, &b, &a, first, 1e-9, &format!("case {case}, swapped"));
        assert_eq!(found.map(|found| found.t_lower), back.map(|back| back.t_lower), "case {case}");
        if judge(found, &a, &b, first, 1e-9, &format!("case {case}")) { hits += 1 } else { free += 1 }
    }
    assert!(hits > 4 && free > 4, "{hits} {free}");
}

#[test]
fn crossings_at_rest_are_those_of_all_pairs() {
    let mut random = Random(33);
    let mut sum = 0;
    for case in 0..20 {
        let mesh = sheet(7, |x, y| rolled(x, y, 1.1, 0.0));
        let mesh = mesh.with_vertices(noisy(mesh.vertices(), [0.0, 0.01, 0.1][case % 3], &mut random)).unwrap();
        let found = self_intersections(&mesh, usize::MAX).unwrap();
        for a in 0..mesh.len() as u32 {
            for b in a + 1..mesh.len() as u32 {
                let (one, other) = (mesh.triangles()[a as usize], mesh.triangles()[b as usize]);
                let common = one.iter().filter(|v| other.contains(v)).count();
                // Of neighbours: whether an edge that has no vertex in common passes through.
                let edges = [0, 1, 2].map(|k| [k, (k + 1) % 3, (k + 1) % 3]);
                let through = |t: [u32; 3], o: [u32; 3]| {
                    let free = edges.iter().map(|edge| edge.map(|k| t[k])).filter(|e| !e.iter().any(|v| o.contains(v)));
                    let triangle = |t: [u32; 3]| Triangle(t.map(|v| mesh.vertices()[v as usize]));
                    free.into_iter().any(|edge| triangles_overlap(&triangle(edge), &triangle(o)))
                };
                let truth = match common {
                    0 => triangles_overlap(&mesh.triangle(a), &mesh.triangle(b)),
                    1 => through(one, other) || through(other, one),
                    // Noise puts no triangle upon its neighbour.
                    _ => false,
                };
                assert_eq!(found.contains(&[a, b]), truth, "case {case}: {a} {b}");
                sum += usize::from(truth);
            }
        }
    }
    assert!(sum > 100, "{sum}");
}

#[test]
fn neighbours_cross_where_they_share_more_than_what_they_have_in_common() {
    let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let base = [at(0.0, 0.0, 0.0), at(4.0, 0.0, 0.0), at(0.0, 4.0, 0.0)];
    let crossed = |more: &[DVec3], other: [u32; 3]| {
        let mesh = TriMesh::new([&base[..], more].concat(), vec![[0, 1, 2], other]).unwrap();
        !self_intersections(&mesh, 9).unwrap().is_empty()
    };
    // Across an edge: open, folded upon it, partly upon it, and standing on it.
    assert!(!crossed(&[at(3.0, 3.0, 0.0)], [1, 3, 2]));
    assert!(crossed(&[at(0.5, 0.5, 0.0)], [1, 3, 2]));
    assert!(crossed(&[at(3.0, -1.0, 0.0)], [1, 3, 2]));
    assert!(!crossed(&[at(1.0, 1.0, 1e-300)], [1, 3, 2]));
    // About a vertex: beside it, through it, and touching it along an edge.
    assert!(!crossed(&[at(-1.0, -1.0, 0.0), at(-1.0, -1.0, 1.0)], [0, 3, 4]));
    assert!(crossed(&[at(1.0, 1.0, -1.0), at(1.0, 1.0, 1.0)], [0, 3, 4]));
    assert!(crossed(&[at(9.0, 0.0, 0.0), at(1.0, 1.0, 1.0)], [0, 3, 4]));
    // The same vertices at the same place with other numbers.
    assert!(!crossed(&[at(4.0, 0.0, 0.0), at(3.0, 3.0, 0.0), at(0.0, 4.0, 0.0)], [3, 4, 5]));
    assert!(crossed(&base, [3, 4, 5]));
}

#[test]
fn a_spiral_whose_normals_all_point_up_crosses_itself() {
    let ramp = sheet(12, |x, y| {
        let (sin, cos) = (4.0 * std::f64::consts::PI * x).sin_cos();
        DVec3::new((0.2 + y) * cos, (0.2 + y) * sin, 0.0)
    });
    assert_eq!(self_intersections(&ramp, 1).unwrap().len(), 1);
    // And meets itself when it is pressed flat.
    let high = ramp.vertices().iter().zip(0..).map(|(p, i)| *p + DVec3::Z * (f64::from(i % 13) / 13.0)).collect();
    let high = ramp.with_vertices(high).unwrap();
    assert!(self_intersections(&high, 1).unwrap().is_empty());
    let mut surface = DeformingMesh::new(&high).unwrap();
    surface.step(high.vertices(), ramp.vertices()).unwrap();
    let found = surface.self_impact(1e-9).unwrap().expect("it is flat in the end");
    assert!(found.t_lower > 0.99, "{found:?}");
}

#[test]
fn steps_that_do_not_fit_and_numbers_that_are_none_are_errors() {
    let mesh = sheet(2, |x, y| DVec3::new(x, y, 0.0));
    let mut surface = DeformingMesh::new(&mesh).unwrap();
    let mut points = mesh.vertices().to_vec();
    assert_eq!(surface.step(&points[1..], &points).unwrap_err().kind(), ErrorKind::OutOfRange);
    assert_eq!(surface.self_impact(f64::NAN).unwrap_err().kind(), ErrorKind::BadRequest);
    points[0].x = f64::NAN;
    assert_eq!(surface.step(mesh.vertices(), &points).unwrap_err().kind(), ErrorKind::NotFinite);
    // The step before still holds.
    assert_eq!(surface.self_impact(0.0).unwrap(), None);
    // Numbers that leave the range of products prove nothing, and stop nothing.
    for scale in [1e-120, 1e99] {
        let far: Vec<DVec3> = mesh.vertices().iter().map(|p| *p * scale).collect();
        let moved: Vec<DVec3> = far.iter().map(|p| DVec3::new(p.y, p.x, p.x)).collect();
        surface.step(&far, &moved).unwrap();
        surface.self_impact(0.0).unwrap();
    }
}

#[test]
fn coordinates_beyond_the_boxes_numbers_meet_no_triangle_that_is_none() {
    // All boxes are infinite.
    let far = |x: f64, y: f64, z: f64| DVec3::new(x, y, z) * 1e39;
    let places = [far(-1.0, -1.0, -1.0), far(1.0, 1.0, 1.0), far(1.0, -1.0, 0.0)];
    let shifted = places.map(|place| place + far(0.0, 0.0, 0.125));
    let mesh = TriMesh::new([places, shifted].concat(), vec![[0, 1, 2], [3, 4, 5]]).unwrap();
    assert!(self_intersections(&mesh, 10).unwrap().is_empty());
    let mut surface = DeformingMesh::new(&mesh).unwrap();
    surface.self_impact(0.0).unwrap();
    let other = DeformingMesh::new(&mesh).unwrap();
    assert!(surface.impact(&other, 0.0).unwrap().is_some());
}
