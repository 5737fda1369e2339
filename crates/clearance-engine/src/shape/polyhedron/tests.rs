//! Hulls of points that are everything but in general position, judged by exact predicates.

use super::hull::convex_hull;
use super::{Body, ConvexPolyhedron};
use crate::math::double_double::DoubleDouble;
use crate::math::{DMat3, DQuat, DVec3, volume};
use crate::random::Random;
use crate::shape::{Convex, TriMesh};
use crate::{ErrorKind, Pose};

fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(random.signed(), random.signed(), random.signed())
}

/// Points of a grid, each coordinate one of `count`.
fn grid(count: i32) -> Vec<DVec3> {
    let all = || (0..count).map(f64::from);
    all().flat_map(|x| all().flat_map(move |y| all().map(move |z| DVec3::new(x, y, z)))).collect()
}

/// A round or a prism: points on a circle, at two heights.
fn prism(count: usize) -> Vec<DVec3> {
    let vertex = |i: usize, z: f64| {
        let (sin, cos) = (std::f64::consts::TAU * i as f64 / count as f64).sin_cos();
        DVec3::new(cos, sin, z)
    };
    (0..count).flat_map(|i| [vertex(i, 0.0), vertex(i, 1.0)]).collect()
}

/// Points that need care, of sizes from 1e-6 to 1e6, some of them 1e6 away; some sets are flat.
pub(super) fn point_sets(random: &mut Random) -> Vec<(String, Vec<DVec3>)> {
    let on_sphere = |random: &mut Random, count: usize| -> Vec<DVec3> {
        (0..count).filter_map(|_| vector(random).try_normalize()).collect()
    };
    let mut sets = vec![
        ("tetrahedron".to_owned(), vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]),
        ("grid of 2".to_owned(), grid(2)),
        ("grid of 5".to_owned(), grid(5)),
        ("prism".to_owned(), prism(40)),
        ("ball".to_owned(), on_sphere(random, 800)),
        ("cube".to_owned(), (0..500).map(|_| vector(random)).collect()),
    ];
    for count in [4, 5, 8, 20, 60] {
        sets.push((format!("{count} random"), (0..count).map(|_| vector(random)).collect()));
        // Few different coordinates: duplicates, lines and planes everywhere.
        let coarse = |random: &mut Random| (vector(random) * 2.0).round() * 0.1;
        sets.push((format!("{count} coarse"), (0..count).map(|_| coarse(random)).collect()));
        let thin = DVec3::new(1.0, 1.0, 1e-13);
        sets.push((format!("{count} thin"), (0..count).map(|_| vector(random) * thin).collect()));
    }
    let plain = sets.clone();
    for (name, points) in plain {
        let turn = DMat3::from_quat(DQuat::from_xyzw(0.3, -0.5, 0.1, 0.8).normalize());
        // Planes that are planes no more, by rounding.
        sets.push((format!("{name}, turned"), points.iter().map(|&p| turn * p).collect()));
        for scale in [1e-6, 1e6] {
            sets.push((format!("{name} times {scale:e}"), points.iter().map(|&p| turn * p * scale).collect()));
            let far = DVec3::new(1e6, -1e6, 0.5e6);
            sets.push((format!("{name} times {scale:e}, far"), points.iter().map(|&p| p * scale + far).collect()));
        }
    }
    sets
}

#[test]
fn every_point_is_inside_or_on_the_hull_exactly_and_vertices_are_extreme() {
    let mut random = Random(11);
    let mut flat = 0;
    for (name, points) in point_sets(&mut random) {
        let hull = match convex_hull(&points) {
            Ok(hull) => hull,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Degenerate, "{name}");
                let [a, b] = [points[0], *points.iter().find(|&&p| p != points[0]).unwrap()];
                let spanning = |c: &&DVec3| points.iter().any(|&d| volume(a, b, **c, d) != 0.0);
                assert!(!points.iter().any(|c| spanning(&c)), "{name} is not flat");
                flat += 1;
                continue;
            }
        };
        let at = |vertex: u32| points[hull.vertices[vertex as usize] as usize];
        let mut edges = 0;
        let mut degrees = vec![0; hull.vertices.len()];
        for face in &hull.faces {
            edges += face.len();
            face.iter().for_each(|&vertex| degrees[vertex as usize] += 1);
            let plane = [0, 1, 2].map(|k| at(face[k]));
            let mut on_plane = 0;
            for &point in &points {
                let height = volume(plane[0], plane[1], plane[2], point);
                assert!(height <= 0.0, "{name}: {point} is outside");
                on_plane += usize::from(height == 0.0);
            }
            assert!(on_plane >= face.len(), "{name}");
            assert!(face.iter().all(|&vertex| volume(plane[0], plane[1], plane[2], at(vertex)) == 0.0), "{name}");
        }
        assert!(degrees.iter().all(|&degree| degree >= 3), "{name}: a vertex has no three faces");
        assert_eq!(hull.vertices.len() + hull.faces.len(), edges / 2 + 2, "{name}: not a closed surface");
        // No two faces are in one plane.
        for (i, face) in hull.faces.iter().enumerate().take(50) {
            let [p, q, r] = [0, 1, 2].map(|k| at(face[k]));
            let coplanar = |other: &&Vec<u32>| other.iter().all(|&vertex| volume(p, q, r, at(vertex)) == 0.0);
            assert!(!hull.faces[i + 1..].iter().any(|other| coplanar(&other)), "{name}: face {i} was not merged");
        }
    }
    assert!(flat >= 3, "the sets must contain flat ones: {flat}");
}

#[test]
fn a_grid_becomes_a_box_of_six_squares_and_a_prism_keeps_its_ends() {
    let cube = ConvexPolyhedron::hull_of(&grid(6)).unwrap();
    assert_eq!((cube.vertex_count(), cube.edge_count(), cube.face_count()), (8, 12, 6));
    for face in 0..6 {
        assert_eq!(cube.face(face).len(), 4);
        assert_eq!(cube.face_normal(face).abs().element_sum(), 1.0);
    }
    let prism = ConvexPolyhedron::hull_of(&prism(40)).unwrap();
    assert_eq!(prism.vertex_count(), 80);
    let ends = (0..prism.face_count() as u32).filter(|&face| prism.face(face).len() == 40).count();
    assert_eq!(ends, 2);
}

#[test]
fn vertices_edges_and_faces_know_each_other() {
    let mut random = Random(12);
    for (name, points) in point_sets(&mut random) {
        let Ok(hull) = ConvexPolyhedron::hull_of(&points) else { continue };
        for face in 0..hull.face_count() as u32 {
            let vertices = hull.face(face);
            for (k, &across) in hull.faces_across(face).iter().enumerate() {
                let (from, to) = (vertices[k], vertices[(k + 1) % vertices.len()]);
                assert!(across != face && hull.faces_across(across).contains(&face), "{name}");
                assert!(hull.neighbors(from).contains(&to) && hull.neighbors(to).contains(&from), "{name}");
                assert!(hull.faces_around(from).contains(&face) && hull.face(across).contains(&from), "{name}");
            }
        }
        let ends: usize = (0..hull.vertex_count() as u32).map(|vertex| hull.neighbors(vertex).len()).sum();
        assert_eq!(ends, 2 * hull.edge_count(), "{name}");
    }
}

#[test]
fn what_has_no_volume_is_refused_and_says_why() {
    let line: Vec<DVec3> = (0..9).map(|i| DVec3::new(0.1, 0.2, 0.3) * f64::from(i * i)).collect();
    let line: Vec<DVec3> = line.iter().map(|p| DVec3::new(p.x, p.x * 2.0, p.x * 4.0)).collect();
    let square: Vec<DVec3> = grid(3).into_iter().map(|p| DVec3::new(p.x, p.y, p.x + p.y)).collect();
    for (points, kind, message) in [
        (vec![], ErrorKind::Empty, "no points"),
        (vec![DVec3::ONE; 7], ErrorKind::Degenerate, "one place"),
        (line, ErrorKind::Degenerate, "one line"),
        (square, ErrorKind::Degenerate, "one plane"),
        (vec![DVec3::ZERO, DVec3::X, DVec3::new(0.0, f64::NAN, 1.0)], ErrorKind::NotFinite, "point 2"),
        (vec![DVec3::ZERO, DVec3::X * 1e101], ErrorKind::OutOfRange, "point 1"),
    ] {
        let error = ConvexPolyhedron::hull_of(&points).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn coordinates_of_all_sizes_end_in_a_hull_or_an_error() {
    let mut random = Random(13);
    for case in 0..3000 {
        let magnitude = |random: &mut Random| 10.0_f64.powf(random.between(-300.0, 100.0)) * random.signed().signum();
        let points: Vec<DVec3> = (0..5 + case % 20)
            .map(|_| match case % 3 {
                0 => DVec3::new(magnitude(&mut random), magnitude(&mut random), magnitude(&mut random)),
                _ => vector(&mut random) * magnitude(&mut random),
            })
            .collect();
        if let Ok(hull) = ConvexPolyhedron::hull_of(&points) {
            assert!(hull.vertices().all(|vertex| vertex.is_finite()) && hull.bounding_radius().is_finite());
        }
    }
}

#[test]
fn faces_are_taken_for_what_they_are() {
    let vertex = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1));
    let cube: Vec<DVec3> = (0..8).map(vertex).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let quads: Vec<Vec<u32>> = quads.iter().map(|quad| quad.to_vec()).collect();
    let turn = Pose::new(DQuat::from_rotation_x(0.3), DVec3::splat(7.0)).unwrap();
    let turned: Vec<DVec3> = cube.iter().map(|&p| turn.transform_point(p)).collect();
    for vertices in [&cube, &turned] {
        assert_eq!(ConvexPolyhedron::from_faces(vertices, &quads).unwrap().vertex_count(), 8);
    }
    let refused = |vertices: &[DVec3], faces: &[Vec<u32>]| ConvexPolyhedron::from_faces(vertices, faces).unwrap_err();
    let mut dented = cube.clone();
    dented[7] = DVec3::splat(0.4);
    let error = refused(&dented, &quads);
    assert!(error.kind() == ErrorKind::NotConvex && error.to_string().starts_with("face "), "{error}");
    // A notch: flat faces, closed, one of them within the hull.
    let notch = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(0.1)];
    let faces = [[0, 2, 1], [0, 1, 3], [2, 0, 3], [1, 2, 4], [2, 3, 4], [3, 1, 4]].map(|face| face.to_vec());
    let error = refused(&notch, &faces);
    assert_eq!(error.kind(), ErrorKind::NotConvex);
    assert!(error.to_string().contains("face 3 is not on the hull"), "{error}");
    let mut inside_out = quads.clone();
    inside_out.iter_mut().for_each(|quad| quad.reverse());
    assert_eq!(refused(&cube, &inside_out).kind(), ErrorKind::NotConvex);
    let mut one_turned = quads.clone();
    one_turned[2].reverse();
    let error = refused(&cube, &one_turned);
    assert!(error.kind() == ErrorKind::NotClosed && error.to_string().contains("same side"), "{error}");
    assert_eq!(refused(&cube, &quads[..5]).kind(), ErrorKind::NotClosed);
    assert_eq!(refused(&cube, &[]).to_string(), "the polyhedron has no faces");
    assert!(refused(&cube, &[vec![0, 1, 8]]).to_string().contains("face 0 refers to vertex 8"));
    assert!(refused(&cube, &[vec![0, 1]]).to_string().contains("face 0 has 2 vertices"));
}

#[test]
fn faces_that_go_back_or_have_no_area_are_refused_though_they_close() {
    let refused = |vertices: &[DVec3], faces: &[Vec<u32>]| ConvexPolyhedron::from_faces(vertices, faces).unwrap_err();
    let tetrahedron = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]].map(|face| face.to_vec());
    for (there_and_back, vertex) in [(vec![0, 1, 0], 0), (vec![3, 3, 3], 3), (vec![0, 1, 2, 1], 1)] {
        let error = refused(&tetrahedron, std::slice::from_ref(&there_and_back));
        assert_eq!(error.to_string(), format!("face 0 has vertex {vertex} twice"));
        assert_eq!(error.kind(), ErrorKind::NotConvex);
        let error = refused(&tetrahedron, &[&faces[..], &[there_and_back]].concat());
        assert_eq!(error.to_string(), format!("face 4 has vertex {vertex} twice"));
    }
    // A third of an edge, where its faces' own triangles leave a gap without width; exactly on it,
    // and up to rounding.
    for (turn, scale) in [(0.0, 1.0), (0.3, 1.0), (0.3, 1e-9), (0.3, 1e60)] {
        let pose = Pose::new(DQuat::from_xyzw(turn, turn, -turn, 1.0).normalize(), DVec3::splat(turn)).unwrap();
        let on_edge = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::X / 3.0];
        let vertices = on_edge.map(|vertex| pose.transform_point(vertex) * scale);
        let mut split = vec![vec![0, 2, 4], vec![4, 2, 1], vec![0, 1, 3], vec![1, 2, 3], vec![2, 0, 3], vec![0, 4, 1]];
        let error = refused(&vertices, &split);
        assert_eq!(error.to_string(), "face 5 has no area: its vertices are on one line");
        assert_eq!(error.kind(), ErrorKind::Degenerate);
        // With that vertex in the face beyond the edge there is no gap.
        split.pop();
        split[2] = vec![0, 4, 1, 3];
        ConvexPolyhedron::from_faces(&vertices, &split).unwrap();
    }
}

#[test]
fn triangles_of_one_face_and_vertices_without_a_face_are_legal() {
    let mut points = grid(2);
    points.extend([DVec3::splat(0.5), DVec3::new(0.5, 0.5, 0.0), DVec3::ZERO]);
    let surface = ConvexPolyhedron::hull_of(&grid(2)).unwrap().surface().unwrap();
    let triangles: Vec<Vec<u32>> = surface.triangles().iter().map(|triangle| triangle.to_vec()).collect();
    let cube = ConvexPolyhedron::from_faces(&points, &triangles).unwrap();
    assert_eq!((triangles.len(), cube.face_count(), cube.vertex_count()), (12, 6, 8));
    // One that is beyond the faces is not.
    points.push(DVec3::splat(1.5));
    assert_eq!(ConvexPolyhedron::from_faces(&points, &triangles).unwrap_err().kind(), ErrorKind::NotConvex);
    // Nor is a part of the hull's surface, or a surface within it: a cube's vertices without one of
    // its sides' faces.
    let lid = ConvexPolyhedron::hull_of(&points[..7]).unwrap().surface().unwrap();
    let seven: Vec<Vec<u32>> = lid.triangles().iter().map(|triangle| triangle.to_vec()).collect();
    let error = ConvexPolyhedron::from_faces(&grid(2), &seven).unwrap_err();
    assert!(error.kind() == ErrorKind::NotConvex && error.to_string().starts_with("face "), "{error}");
}

#[test]
fn the_hull_of_a_mesh_ignores_what_no_triangle_uses() {
    let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(9.0)];
    let mesh = TriMesh::new(vertices, vec![[0, 2, 1], [0, 1, 3]]).unwrap();
    assert_eq!(ConvexPolyhedron::hull_of_mesh(&mesh).unwrap().vertex_count(), 4);
    let flat = TriMesh::new(mesh.vertices().to_vec(), vec![[0, 2, 1]]).unwrap();
    assert_eq!(ConvexPolyhedron::hull_of_mesh(&flat).unwrap_err().kind(), ErrorKind::Degenerate);
}

#[test]
fn every_vertex_is_in_the_box_around_and_within_reach() {
    let mut random = Random(14);
    for (name, points) in point_sets(&mut random) {
        let Ok(body) = Body::hull_of(&points) else { continue };
        for &vertex in &body.vertices {
            assert!(vertex.length() <= body.bounding_radius * (1.0 + 1e-15) && body.bounding_radius <= 1.0, "{name}");
            let along = body.around.axes.transpose() * (vertex - body.around.center);
            assert!(along.abs().cmple(body.around.half).all(), "{name}");
        }
        assert!(body.around.half.max_element() <= 1.1 * body.bounding_radius, "{name}");
    }
}

#[test]
fn the_inner_sphere_is_inside_and_that_of_a_cube_touches_its_faces() {
    let mut random = Random(78);
    for (name, points) in point_sets(&mut random) {
        let Ok(body) = Body::hull_of(&points) else { continue };
        // Along every direction the polyhedron ends beyond the sphere; along the faces' normals
        // first.
        let others: Vec<DVec3> = (0..200).filter_map(|_| vector(&mut random).try_normalize()).collect();
        for direction in body.normals.iter().chain(&others) {
            let height = direction.dot(body.vertices[body.support(*direction) as usize]);
            assert!(body.inner <= height, "{name}: {} {height}", body.inner);
        }
    }
    let cube = Body::hull_of(&grid(2)).unwrap();
    let half = cube.vertices[0].abs().max_element();
    assert!(cube.inner <= half && cube.inner > half * (1.0 - 1e-12), "{} {half}", cube.inner);
}

#[test]
fn a_polyhedron_that_is_moved_ten_thousand_times_stays_rigid() {
    let step = Pose::new(DQuat::from_xyzw(0.1, -0.2, 0.3, 1.0).normalize(), DVec3::ZERO).unwrap();
    let mut cube = ConvexPolyhedron::hull_of(&grid(2)).unwrap();
    for _ in 0..10_000 {
        cube = cube.transformed(&step);
    }
    let deviation = cube.axes.transpose() * cube.axes - DMat3::IDENTITY;
    assert!(deviation.to_cols_array().iter().all(|x| x.abs() <= 4.0 * f64::EPSILON), "{deviation}");
}

/// Points with few digits and points with all of them; zeros of both signs, sizes from 1e-100 to
/// 1e99.
#[test]
fn vertices_are_returned_as_they_were_given_to_the_last_bit() {
    let given = [[0, 1, -2], [0, -2, 1], [-1, 1, -3], [-1, -3, -2], [-2, 0, -3]];
    let given = given.map(|point| DVec3::from_array(point.map(f64::from)));
    assert!(ConvexPolyhedron::hull_of(&given).unwrap().vertices().eq(given));
    let mut random = Random(37);
    let mut sets = point_sets(&mut random);
    for case in 0..2000 {
        let size = 10.0_f64.powi(case % 200 - 100);
        let points = |random: &mut Random, some: &dyn Fn(&mut Random) -> DVec3| (0..8).map(|_| some(random)).collect();
        sets.push((format!("integers {case}"), points(&mut random, &|random| (vector(random) * 4.0).round())));
        sets.push((format!("floats {case}"), points(&mut random, &|random| vector(random) * size)));
        sets.push((format!("far {case}"), points(&mut random, &|random| vector(random) + DVec3::splat(1e3))));
    }
    let bits = |point: &DVec3| point.to_array().map(f64::to_bits);
    let mut solid = 0;
    for (name, points) in sets {
        let Ok(hull) = ConvexPolyhedron::hull_of(&points) else { continue };
        solid += 1;
        let inputs: std::collections::HashSet<_> = points.iter().map(bits).collect();
        assert!(hull.vertices().all(|vertex| inputs.contains(&bits(&vertex))), "{name}");
        assert!((0..).zip(hull.vertices()).all(|(i, vertex)| bits(&hull.vertex(i)) == bits(&vertex)), "{name}");
        assert!(hull.surface().unwrap().vertices().iter().all(|vertex| inputs.contains(&bits(vertex))), "{name}");
        // Queries see vertices rounded by 2⁻⁵³ of the bounding radius, and not at all where the
        // digits are few.
        for (seen, vertex) in hull.body.vertices.iter().zip(hull.vertices()) {
            let [exact, seen] = [vertex, *seen * hull.scale].map(|v| v / hull.scale);
            let center = hull.center / hull.scale;
            let off =
                (0..3).map(|k| (DoubleDouble::difference(exact[k], center[k]) - DoubleDouble::from(seen[k])).nearest());
            let most = if name.starts_with("integers") { 0.0 } else { f64::EPSILON / 2.0 };
            assert!(off.map(f64::abs).fold(0.0, f64::max) <= most, "{name}");
        }
    }
    assert!(solid > 5000, "{solid}");
}
