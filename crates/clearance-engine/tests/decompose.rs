//! Convex decompositions: few parts where few are enough, and bounds that hold against samples and
//! exact distances.

mod support;

use clearance_engine::decompose::{
    DecomposeOptions, DecomposeProgress, DecomposeStatus, Decomposition, decompose, decompose_with,
};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::{ConvexPolyhedron, Sphere};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, Mesh, Solid};
use clearance_engine::{ErrorKind, Pose, TriMesh};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use support::Random;

/// The surface of unit cubes, by their places.
fn cubes(cells: &[[i32; 3]]) -> TriMesh {
    let filled: HashSet<[i32; 3]> = cells.iter().copied().collect();
    let (mut vertices, mut numbers, mut triangles) = (Vec::new(), HashMap::new(), Vec::new());
    for cell in &filled {
        for axis in 0..3 {
            for side in [0, 1] {
                let mut beyond = *cell;
                beyond[axis] += 2 * side - 1;
                if filled.contains(&beyond) {
                    continue;
                }
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let quad = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(i, j)| {
                    let mut at = *cell;
                    at[axis] += side;
                    at[u] += i;
                    at[v] += j;
                    *numbers.entry(at).or_insert_with(|| {
                        vertices.push(DVec3::from_array(at.map(f64::from)));
                        vertices.len() as u32 - 1
                    })
                });
                let [a, b, c, d] = if side == 1 { quad } else { [quad[3], quad[2], quad[1], quad[0]] };
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

fn torus(major: f64, minor: f64, around: u32, across: u32) -> TriMesh {
    let vertex = |i: u32, j: u32| {
        let (u, v) = (f64::from(i) / f64::from(around), f64::from(j) / f64::from(across));
        let ((sin_u, cos_u), (sin_v, cos_v)) =
            ((u * std::f64::consts::TAU).sin_cos(), (v * std::f64::consts::TAU).sin_cos());
        DVec3::new((major + minor * cos_v) * cos_u, (major + minor * cos_v) * sin_u, minor * sin_v)
    };
    let vertices = (0..around).flat_map(|i| (0..across).map(move |j| vertex(i, j))).collect();
    let number = |i: u32, j: u32| (i % around) * across + j % across;
    let quad = |i: u32, j: u32| {
        let [a, b, c, d] = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
        [[a, b, c], [a, c, d]]
    };
    TriMesh::new(vertices, (0..around).flat_map(|i| (0..across).flat_map(move |j| quad(i, j))).collect()).unwrap()
}

fn moved(mesh: &TriMesh, map: impl Fn(DVec3) -> DVec3) -> TriMesh {
    mesh.with_vertices(mesh.vertices().iter().map(|&v| map(v)).collect()).unwrap()
}

const L: [[i32; 3]; 3] = [[0, 0, 0], [1, 0, 0], [0, 1, 0]];
const U: [[i32; 3]; 7] = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [2, 1, 0], [0, 2, 0], [2, 2, 0]];
/// Steps whose plane has faces of both directions in it.
const S: [[i32; 3]; 4] = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [2, 1, 0]];

/// A square with a hole through it.
fn frame() -> TriMesh {
    let all = (0..9).map(|i| [i % 3, i / 3, 0]).filter(|cell| *cell != [1, 1, 0]);
    cubes(&all.collect::<Vec<_>>())
}

/// A cube with an empty one inside.
fn hollow() -> TriMesh {
    let all = (0..27).map(|i| [i % 3, i / 3 % 3, i / 9]).filter(|cell| *cell != [1, 1, 1]);
    cubes(&all.collect::<Vec<_>>())
}

fn volume(part: &ConvexPolyhedron) -> f64 {
    let surface = part.surface().unwrap();
    let tip = surface.vertices()[0];
    let part = |i: u32| {
        let [a, b, c] = surface.triangle(i).0.map(|v| v - tip);
        a.dot(b.cross(c)) / 6.0
    };
    (0..surface.len() as u32).map(part).sum()
}

fn total_volume(parts: &[ConvexPolyhedron]) -> f64 {
    parts.iter().map(volume).sum()
}

/// How far a point is from a geometry.
fn distance(geometry: &dyn Geometry, point: DVec3, dispatcher: &Dispatcher, workspace: &mut Workspace) -> f64 {
    let sphere = Solid::new(Sphere::new(0.0).unwrap());
    let pose = Pose::from_translation(point).unwrap();
    dispatcher
        .plan(geometry, &sphere)
        .unwrap()
        .distance(&pose, &DistanceRequest::default(), workspace, None)
        .unwrap()
        .lower
}

/// How high a point is above a polyhedron, seen along the normals of its faces (of which slivers'
/// are noise): negative inside.
fn height_above(part: &ConvexPolyhedron, point: DVec3) -> f64 {
    let above = |face: u32| {
        let normal = part.face_normal(face);
        normal.dot(point - part.vertex(part.support_vertex(normal)))
    };
    (0..part.face_count() as u32).map(above).fold(f64::NEG_INFINITY, f64::max)
}

/// The largest distance from the solid of many points of the parts: their vertices, points of their
/// faces and of their insides.
fn sampled_error(mesh: &TriMesh, made: &Decomposition, count: usize) -> f64 {
    let solid: Mesh = Mesh::new(mesh.clone()).unwrap().into_solid().unwrap();
    let (dispatcher, mut workspace, mut random) = (Dispatcher::standard(), Workspace::default(), Random(11));
    let mut worst = 0.0_f64;
    for part in &made.parts {
        let points: Vec<DVec3> = part.vertices().collect();
        for i in 0..count {
            let few = 1 + i % 4;
            let some: Vec<(DVec3, f64)> =
                (0..few).map(|_| (points[random.below(points.len())], random.unit() + 1e-3)).collect();
            let weight: f64 = some.iter().map(|(_, w)| w).sum();
            let point = some.iter().map(|(p, w)| *p * (w / weight)).sum();
            worst = worst.max(distance(&solid, point, &dispatcher, &mut workspace));
        }
    }
    worst
}

/// All vertices, points of triangles, and points of the inside, are in a part.
fn assert_contains(mesh: &TriMesh, made: &Decomposition, count: usize) {
    let solid: Mesh = Mesh::new(mesh.clone()).unwrap().into_solid().unwrap();
    let (dispatcher, mut workspace, mut random) = (Dispatcher::standard(), Workspace::default(), Random(12));
    let parts: Vec<Solid> = made.parts.iter().map(|part| Solid::new(part.clone())).collect();
    let contains = |point: DVec3, workspace: &mut Workspace| {
        parts.iter().zip(&made.parts).any(|(solid, part)| {
            height_above(part, point) < 0.0 && distance(solid, point, &dispatcher, workspace) == 0.0
        })
    };
    for &vertex in mesh.vertices() {
        assert!(contains(vertex, &mut workspace), "vertex {vertex} is outside");
    }
    let (low, high) = mesh.bounding_box();
    let mut inside = 0;
    for _ in 0..count {
        let [a, b, c] = mesh.triangle(random.below(mesh.len()) as u32).0;
        let (u, v) = (random.unit(), random.unit());
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        let on_surface = a + (b - a) * u + (c - a) * v;
        assert!(contains(on_surface, &mut workspace), "{on_surface} is outside");
        let within = low + (high - low) * DVec3::new(random.unit(), random.unit(), random.unit());
        if distance(&solid, within, &dispatcher, &mut workspace) == 0.0 {
            inside += 1;
            assert!(contains(within, &mut workspace), "{within} is outside");
        }
    }
    assert!(inside > count / 50);
}

#[test]
fn an_l_is_two_boxes_exactly() {
    let made = decompose(&cubes(&L), &DecomposeOptions::new(0.01)).unwrap();
    assert_eq!(made.parts.len(), 2);
    assert!(made.error < 1e-12 && made.gap < 1e-10, "{:e} {:e}", made.error, made.gap);
    assert!((total_volume(&made.parts) - 3.0).abs() < 1e-14);
    let points = made.parts.iter().flat_map(ConvexPolyhedron::vertices);
    assert!(points.into_iter().all(|vertex| vertex == vertex.round()));
    assert!(made.parts.iter().all(|part| part.vertex_count() == 8 && part.face_count() == 6));
}

#[test]
fn a_u_is_three_parts_and_one_whose_walls_face_both_ways_two() {
    for (cells, parts) in [(&U[..], 3), (&S[..], 2)] {
        let made = decompose(&cubes(cells), &DecomposeOptions::new(0.01)).unwrap();
        assert_eq!(made.parts.len(), parts);
        assert!((total_volume(&made.parts) - cells.len() as f64).abs() < 1e-13);
        assert!(made.error < 1e-12, "{:e}", made.error);
    }
}

#[test]
fn a_hole_is_left_open() {
    let made = decompose(&frame(), &DecomposeOptions::new(0.01)).unwrap();
    assert_eq!(made.parts.len(), 4);
    assert!((total_volume(&made.parts) - 8.0).abs() < 1e-12 && made.error < 1e-12);
}

#[test]
fn a_cavity_counts_though_the_hull_ends_at_the_surface() {
    let mesh = hollow();
    let whole = decompose(&mesh, &DecomposeOptions { max_parts: 1, ..DecomposeOptions::new(0.01) }).unwrap();
    assert_eq!(whole.parts.len(), 1);
    assert!(whole.error >= 0.5 && whole.error < 0.55, "{}", whole.error);
    let made = decompose(&mesh, &DecomposeOptions::new(0.01)).unwrap();
    assert!((total_volume(&made.parts) - 26.0).abs() < 1e-12 && made.error < 1e-12, "{}", made.error);
    assert!(made.parts.len() <= 8, "{}", made.parts.len());
}

#[test]
fn what_is_convex_is_one_part_with_its_own_vertices() {
    let mut random = Random(3);
    for count in [4, 10, 100, 1000] {
        let points: Vec<DVec3> = (0..count).map(|_| random.vector().normalize()).collect();
        let hull = ConvexPolyhedron::hull_of(&points).unwrap();
        let made = decompose(&hull.surface().unwrap(), &DecomposeOptions::new(1e-6)).unwrap();
        assert_eq!(made.parts.len(), 1);
        assert_eq!(made.parts[0].vertex_count(), hull.vertex_count());
        assert!(made.error < 1e-11, "{count}: {:e}", made.error);
    }
}

#[test]
fn what_is_open_and_what_is_not_an_error_is_refused() {
    let closed = cubes(&L);
    let open = TriMesh::new(closed.vertices().to_vec(), closed.triangles()[1..].to_vec()).unwrap();
    let error = decompose(&open, &DecomposeOptions::new(0.1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotClosed);
    assert!(error.to_string().contains("is not closed"), "{error}");
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = decompose(&closed, &DecomposeOptions::new(bad)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadRequest);
    }
    let none = DecomposeOptions { max_parts: 0, ..DecomposeOptions::new(0.1) };
    assert_eq!(decompose(&closed, &none).unwrap_err().kind(), ErrorKind::BadRequest);
}

#[test]
fn a_torus_keeps_the_stated_error_or_says_how_large_it_is() {
    let mesh = torus(1.0, 0.3, 48, 24);
    for (error, max_parts) in [(0.1, 256), (0.05, 256), (0.05, 6), (0.05, 1)] {
        let made = decompose(&mesh, &DecomposeOptions { max_parts, ..DecomposeOptions::new(error) }).unwrap();
        let sampled = sampled_error(&mesh, &made, 500);
        assert!(made.parts.len() <= max_parts);
        assert!(sampled <= made.error, "{sampled} > {}", made.error);
        assert!(made.error <= error || made.parts.len() == max_parts);
        if max_parts == 1 {
            // The middle of the hole.
            assert!(made.error > 0.69 && made.error < 0.76, "{}", made.error);
        }
    }
}

#[test]
fn the_limit_is_on_parts_not_on_the_pieces_before_they_are_merged() {
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    let mesh = moved(&torus(1.0, 0.35, 12, 8), |v| turn * v);
    // Mergers make room for what is missing; or pieces are more than parts may be before they are
    // merged.
    for (error, max_parts) in [(0.05, 20), (0.08, 12)] {
        let options = DecomposeOptions { max_parts, ..DecomposeOptions::new(error) };
        let made = decompose(&mesh, &options).unwrap();
        assert!(made.error <= error && made.parts.len() <= max_parts, "{} {}", made.error, made.parts.len());
        assert!(sampled_error(&mesh, &made, 200) <= made.error);
        let again = decompose(&mesh, &options).unwrap();
        assert!(again.error == made.error && again.parts.len() == made.parts.len());
    }
}

#[test]
fn an_error_below_rounding_is_not_cut_for() {
    for (cells, parts) in [(&L[..], 2), (&U[..], 3)] {
        let made = decompose(&cubes(cells), &DecomposeOptions::new(1e-15)).unwrap();
        assert_eq!(made.parts.len(), parts);
        assert!(made.error < 1e-12 && made.gap < 1e-10, "{:e} {:e}", made.error, made.gap);
    }
}

#[test]
fn far_from_the_origin_parts_are_rounded_as_coordinates_are() {
    let far = DVec3::new(1e12, -3e12, 2e12);
    // Twice the distance between neighbouring coordinates there, along each axis.
    let rounding = 2.0 * 3.0_f64.sqrt() * 2.0_f64.powi(42 - 53);
    for conservative in [false, true] {
        let options = DecomposeOptions { conservative, ..DecomposeOptions::new(0.03) };
        let made = decompose(&moved(&cubes(&L), |v| v + far), &options).unwrap();
        assert_eq!(made.parts.len(), 2);
        assert!(made.gap <= if conservative { 0.0 } else { rounding }, "{:e}", made.gap);
        assert!(made.error <= if conservative { 4.0 * rounding } else { rounding }, "{:e}", made.error);
        let points = || made.parts.iter().flat_map(ConvexPolyhedron::vertices).map(|vertex| vertex - far);
        let off = |vertex: DVec3| vertex.distance(vertex.round());
        assert!(points().map(off).fold(0.0, f64::max) <= made.error);
        let near = made.parts.iter().map(|part| {
            ConvexPolyhedron::hull_of(&part.vertices().map(|vertex| vertex - far).collect::<Vec<_>>()).unwrap()
        });
        let near = Decomposition { parts: near.collect(), ..made };
        if conservative {
            assert_contains(&cubes(&L), &near, 500);
        }
        assert!(sampled_error(&cubes(&L), &near, 200) <= near.error);
    }
}

#[test]
fn a_mesh_of_another_size_has_the_same_parts_in_that_size() {
    for (cells, conservative) in [(&L[..1], false), (&L[..], false), (&U[..], true)] {
        // Once, since the order of its triangles is another one each time.
        let mesh = cubes(cells);
        let decomposed = |power: i32| {
            let size = 2.0_f64.powi(power);
            let options = DecomposeOptions { conservative, ..DecomposeOptions::new(0.01 * size) };
            let start = Instant::now();
            let made = decompose(&moved(&mesh, |v| v * size), &options).unwrap();
            assert!(start.elapsed() < Duration::from_secs(20), "2^{power}");
            let points = made.parts.iter().flat_map(ConvexPolyhedron::vertices).map(|vertex| vertex / size);
            (made.parts.len(), points.collect::<Vec<_>>(), made.error / size, made.gap / size)
        };
        let unit = decomposed(0);
        // Up to 1.7e99 and down to 9e-61: powers of two change nothing.
        for power in [329, 100, 30, -30, -100, -199] {
            assert_eq!(decomposed(power), unit, "2^{power}");
        }
        // 1.2e-105 to 1.2e-119: parts are made anew.
        for power in [-201, -349, -366, -395] {
            let (count, points, error, gap) = decomposed(power);
            assert!(count == unit.0 && points.iter().zip(&unit.1).all(|(p, q)| p.distance(*q) < 1e-12), "2^{power}");
            assert!(
                error < unit.2 + 1e-12 && (gap > 0.0) != conservative && gap < 1e-10,
                "2^{power}: {error:e} {gap:e}"
            );
        }
    }
    // Beyond that parts are flat, or too far away.
    let options = DecomposeOptions::new(1.0);
    assert_eq!(decompose(&moved(&cubes(&L), |v| v * 1e-150), &options).unwrap_err().kind(), ErrorKind::Degenerate);
    let widened = DecomposeOptions { conservative: true, ..options };
    let error = decompose(&moved(&cubes(&L), |v| v * 5e99), &widened).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfRange, "{error}");
}

#[test]
fn a_vertex_that_no_triangle_uses_may_be_anywhere() {
    let mesh = moved(&cubes(&L), |v| v * 1e90 + DVec3::X * 9e99);
    let mut vertices = mesh.vertices().to_vec();
    vertices.push(DVec3::X * -9e99);
    let mesh = TriMesh::new(vertices, mesh.triangles().to_vec()).unwrap();
    let made = decompose(&mesh, &DecomposeOptions::new(1e89)).unwrap();
    assert_eq!(made.parts.len(), 2);
}

#[test]
fn conservative_parts_contain_the_solid_however_it_lies() {
    let mut random = Random(5);
    for mesh in [cubes(&L), cubes(&U), cubes(&S), frame(), hollow(), torus(1.0, 0.3, 24, 12)] {
        for (size, far) in [(1.0, 0.0), (1e-6, 1e-5), (1e6, 0.0), (1.0, 1e3)] {
            let (turn, offset) = (random.rotation(), random.vector() * far);
            let mesh = moved(&mesh, |v| turn * v * size + offset);
            let options = DecomposeOptions { conservative: true, ..DecomposeOptions::new(0.1 * size) };
            let made = decompose(&mesh, &options).unwrap();
            assert!(made.error <= 0.1 * size && made.gap == 0.0, "{} {}", made.error, made.parts.len());
            assert_contains(&mesh, &made, 500);
            assert!(sampled_error(&mesh, &made, 200) <= made.error);
        }
    }
}

#[test]
fn an_inverted_mesh_has_the_same_parts() {
    let mesh = cubes(&S);
    let inverted: Vec<[u32; 3]> = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let inverted = TriMesh::new(mesh.vertices().to_vec(), inverted).unwrap();
    let made = decompose(&inverted, &DecomposeOptions::new(0.01)).unwrap();
    assert!(made.parts.len() == 2 && (total_volume(&made.parts) - 4.0).abs() < 1e-14);
}

#[test]
fn a_flat_closed_mesh_becomes_a_thin_part() {
    let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    let mesh = TriMesh::new(vertices, vec![[0, 1, 2], [0, 2, 1]]).unwrap();
    for conservative in [false, true] {
        let made = decompose(&mesh, &DecomposeOptions { conservative, ..DecomposeOptions::new(0.01) }).unwrap();
        assert_eq!(made.parts.len(), 1);
        assert!(made.error < 0.01 && total_volume(&made.parts) < 1e-9);
    }
}

#[test]
fn distances_of_the_parts_differ_from_those_of_the_mesh_by_no_more_than_the_error() {
    let mut random = Random(6);
    let (dispatcher, mut workspace, request) =
        (Dispatcher::standard(), Workspace::default(), DistanceRequest::default());
    let other: Mesh = Mesh::new(torus(0.4, 0.1, 16, 8)).unwrap().into_solid().unwrap();
    for (mesh, error) in [(torus(1.0, 0.3, 32, 16), 0.08), (frame(), 0.01), (cubes(&U), 0.01)] {
        let solid: Mesh = Mesh::new(mesh.clone()).unwrap().into_solid().unwrap();
        let made = decompose(&mesh, &DecomposeOptions { conservative: true, ..DecomposeOptions::new(error) }).unwrap();
        let error = made.error;
        let parts = made.into_assembly();
        let (mut apart, mut touching) = (0, 0);
        for _ in 0..200 {
            let turn = DQuat::from_axis_angle(random.vector().normalize(), random.between(0.0, 3.0));
            let pose = Pose::new(turn, random.vector() * 1.6 + DVec3::splat(0.5)).unwrap();
            let exact =
                dispatcher.plan(&solid, &other).unwrap().distance(&pose, &request, &mut workspace, None).unwrap();
            let found =
                dispatcher.plan(&parts, &other).unwrap().distance(&pose, &request, &mut workspace, None).unwrap();
            assert!(found.lower <= exact.upper && found.upper >= exact.lower - error, "{found:?} {exact:?}");
            let collides = dispatcher.plan(&parts, &other).unwrap().collide(&pose, &mut workspace, None).colliding;
            let must = dispatcher.plan(&solid, &other).unwrap().collide(&pose, &mut workspace, None).colliding;
            assert!(collides >= must && (!collides || exact.lower <= error));
            if must { touching += 1 } else { apart += 1 }
        }
        assert!(apart > 20 && touching > 20, "{apart} {touching}");
    }
}

/// 192 triangles, in no position that axes know of.
fn turned_torus() -> TriMesh {
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    moved(&torus(1.0, 0.35, 12, 8), |v| turn * v)
}

fn vertices_of(made: &Decomposition) -> Vec<Vec<DVec3>> {
    made.parts.iter().map(|part| part.vertices().collect()).collect()
}

#[test]
fn a_fine_error_of_a_torus_takes_bounded_work() {
    // Each of the 12 segments is convex.
    for mesh in [torus(1.0, 0.35, 12, 8), turned_torus()] {
        let made = decompose(&mesh, &DecomposeOptions::new(0.001)).unwrap();
        assert_eq!((made.status, made.parts.len()), (DecomposeStatus::ErrorMet, 12));
        assert!(made.work < 5_000_000, "{}", made.work);
        assert!(made.error < 1e-11 && sampled_error(&mesh, &made, 200) <= made.error, "{:e}", made.error);
    }
}

#[test]
fn bodies_that_have_no_exact_parts_take_bounded_work_too() {
    // A torus that is not round: quads of it are not flat.
    let mesh = moved(&turned_torus(), |v| v + DVec3::new(0.1 * v.y * v.z, 0.2 * v.x * v.z, 0.15 * v.x * v.y));
    let made = decompose(&mesh, &DecomposeOptions::new(0.003)).unwrap();
    assert_eq!(made.status, DecomposeStatus::ErrorMet);
    assert!(made.error <= 0.003 && made.work < 60_000_000, "{} {}", made.error, made.work);
    assert!(sampled_error(&mesh, &made, 200) <= made.error);
}

#[test]
fn a_larger_work_limit_has_no_larger_error_and_each_is_certified() {
    let mesh = torus(1.0, 0.3, 24, 12);
    let mut last: Option<Decomposition> = None;
    for max_work in [0, 100_000, 400_000, 1_600_000, 6_400_000, 100_000_000] {
        let options = DecomposeOptions { max_work, conservative: true, ..DecomposeOptions::new(0.01) };
        let made = decompose(&mesh, &options).unwrap();
        assert!(sampled_error(&mesh, &made, 100) <= made.error);
        assert_contains(&mesh, &made, 300);
        // The same work, the same answer.
        let again = decompose(&mesh, &options).unwrap();
        assert_eq!((vertices_of(&made), made.error, made.work), (vertices_of(&again), again.error, again.work));
        let is_met = made.status == DecomposeStatus::ErrorMet;
        assert_eq!(is_met, made.error <= options.error, "{:?} {}", made.status, made.error);
        assert!(is_met || made.status == DecomposeStatus::WorkLimit, "{:?}", made.status);
        // By the first bounds of what there is.
        assert!(made.work < max_work + 100_000, "{} of {max_work}", made.work);
        if let Some(last) = last {
            // Certificates end within 5 % of what they find.
            assert!(made.error <= 1.06 * last.error, "{max_work}: {} > {}", made.error, last.error);
        }
        last = Some(made);
    }
    assert_eq!(last.map(|made| made.status), Some(DecomposeStatus::ErrorMet));
}

#[test]
fn an_observer_sees_the_progress_and_ends_it() {
    let (mesh, options) = (turned_torus(), DecomposeOptions { conservative: true, ..DecomposeOptions::new(0.01) });
    let mut seen: Vec<DecomposeProgress> = Vec::new();
    let whole = decompose_with(&mesh, &options, &mut |progress| {
        seen.push(*progress);
        ControlFlow::Continue(())
    });
    let (whole, plain) = (whole.unwrap(), decompose(&mesh, &options).unwrap());
    assert_eq!((vertices_of(&whole), whole.work), (vertices_of(&plain), plain.work));
    assert!(seen.windows(2).all(|two| two[0].work < two[1].work && two[0].cut_count <= two[1].cut_count));
    assert!(seen.iter().all(|progress| progress.max_work == options.max_work && progress.error.is_finite()));
    let last = seen.last().unwrap();
    assert!(last.open_count == 0 && last.part_count == whole.parts.len() && last.error <= options.error);
    for max_cuts in [1, 3, 6] {
        let mut count = 0;
        let made = decompose_with(&mesh, &options, &mut |progress| {
            count += 1;
            if progress.cut_count < max_cuts { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        let made = made.unwrap();
        assert_eq!(made.status, DecomposeStatus::Cancelled);
        // Once more, after what was found is put together.
        assert!(made.parts.len() == max_cuts + 1 && count <= max_cuts + 1, "{} {count}", made.parts.len());
        assert!(made.error > options.error && sampled_error(&mesh, &made, 200) <= made.error);
        assert_contains(&mesh, &made, 300);
    }
}

#[test]
fn the_status_says_why_there_are_no_better_parts() {
    let status = |mesh: &TriMesh, options: DecomposeOptions| decompose(mesh, &options).unwrap().status;
    let (mesh, options) = (cubes(&U), DecomposeOptions::new(0.01));
    assert_eq!(status(&mesh, options), DecomposeStatus::ErrorMet);
    assert_eq!(status(&mesh, DecomposeOptions { max_parts: 2, ..options }), DecomposeStatus::PartLimit);
    assert_eq!(status(&mesh, DecomposeOptions { max_work: 1, ..options }), DecomposeStatus::WorkLimit);
    assert_eq!(status(&mesh, DecomposeOptions { error: 1e-17, ..options }), DecomposeStatus::Indivisible);
}
