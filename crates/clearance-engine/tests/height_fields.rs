//! Height fields against everything: every answer is that of a mesh made of the same triangles,
//! which other tests judge.

mod support;

use clearance_engine::math::{DMat3, DVec3};
use clearance_engine::query::{ContactsRequest, DistanceRequest, Status};
use clearance_engine::shape::{Cuboid, HalfSpace, Plane, Sphere};
use clearance_engine::traversal::{WarmStart, Workspace};
use clearance_engine::tree::{BuildOptions, Geometry, HalfSpaceGeometry, HeightField, Mesh, Solid, Tree, VolumeTree};
use clearance_engine::volume::{Aabb, Volume};
use clearance_engine::{Pose, TriMesh};
use std::collections::BTreeSet;
use support::{Random, all_volumes, dispatcher};

fn hills(random: &mut Random, columns: usize, rows: usize, scale: f64) -> HeightField {
    let heights: Vec<f64> = (0..columns * rows).map(|_| scale * random.between(0.0, 0.4)).collect();
    HeightField::new(columns, rows, [0.2 * scale, 0.3 * scale], heights).unwrap()
}

/// All triangles, as a triangle mesh.
fn tri_mesh(field: &HeightField) -> TriMesh {
    let triangles = (0..field.triangle_count() as u32).map(|id| field.shape(id).unwrap());
    let vertices: Vec<DVec3> = triangles.flat_map(|triangle| triangle.0).collect();
    let ids = (0..vertices.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    TriMesh::new(vertices, ids).unwrap()
}

/// Asks both about `other`, which both meet at `pose`.
fn compare(field: &HeightField, twin: &Mesh<Aabb>, other: &dyn Geometry, pose: &Pose, size: f64, label: &str) -> bool {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    let (plan, judge) = (dispatcher.plan(field, other).unwrap(), dispatcher.plan(twin, other).unwrap());
    let expected = judge.distance(pose, &DistanceRequest::default(), &mut workspace, None).unwrap();
    let (d, slack) = (expected.upper, 1e-12 * size);
    let mut warm_start = WarmStart::default();
    for warm_start in [None, Some(&mut warm_start)] {
        let answer = plan.distance(pose, &DistanceRequest::default(), &mut workspace, warm_start).unwrap();
        assert!(
            answer.lower <= d + slack && expected.lower <= answer.upper + slack,
            "{label}: {answer:?} {expected:?}"
        );
        assert!((answer.upper - d).abs() <= slack + 1e-11 * d, "{label}: {answer:?} {expected:?}");
    }
    let warm = plan.distance(pose, &DistanceRequest::default(), &mut workspace, Some(&mut warm_start)).unwrap();
    assert!((warm.upper - d).abs() <= slack + 1e-11 * d, "{label}");
    assert_eq!(plan.collide(pose, &mut workspace, None).colliding, d == 0.0, "{label}");
    let mirrored = dispatcher.plan(other, field).unwrap();
    assert_eq!(mirrored.collide(&pose.inverse(), &mut workspace, None).colliding, d == 0.0, "{label}");
    let margin = if d > 0.0 { 1.5 * d } else { 0.0 };
    let request = ContactsRequest { margin, ..Default::default() };
    let mut pairs = |plan: &clearance_engine::dispatch::PairQuery<'_>| -> BTreeSet<(u32, u32)> {
        let contacts = plan.contacts(pose, &request, &mut workspace).unwrap();
        contacts.contacts.iter().map(|contact| (contact.leaf_a, contact.leaf_b)).collect()
    };
    assert_eq!(pairs(&plan), pairs(&judge), "{label}");
    if d > 0.0 {
        assert!(!plan.within(pose, 0.99 * d, &mut workspace).unwrap().0, "{label}");
        assert!(plan.within(pose, 1.01 * d, &mut workspace).unwrap().0, "{label}");
        let request = DistanceRequest { max_d: 0.9 * d, ..Default::default() };
        assert_eq!(plan.distance(pose, &request, &mut workspace, None).unwrap().status, Status::BeyondMax, "{label}");
        let request = DistanceRequest { rel_err: 0.3, ..Default::default() };
        let loose = plan.distance(pose, &request, &mut workspace, None).unwrap();
        assert!(loose.lower <= d + slack && loose.upper >= d - slack && loose.lower >= 0.69 * loose.upper, "{label}");
    }
    d == 0.0
}

#[test]
fn every_pair_answers_as_a_mesh_of_the_same_triangles() {
    let (dispatcher, mut workspace) = (dispatcher(), Workspace::default());
    let mut hits = 0;
    for seed in 0..16 {
        let mut random = Random(100 + seed);
        let scale = 10.0_f64.powi([0, 0, -6, 6][seed as usize % 4]);
        let (columns, rows) = [(2, 2), (9, 6), (5, 12), (2, 7), (3, 3)][seed as usize % 5];
        let field = hills(&mut random, columns, rows, scale);
        let field = if seed % 2 == 0 { field } else { field.into_solid(-0.1 * scale).unwrap() };
        let twin: Mesh<Aabb> = Mesh::new(tri_mesh(&field)).unwrap();
        let mut others: Vec<Box<dyn Geometry>> =
            all_volumes(random.tri_mesh(40, 0.5 * scale, DVec3::ZERO), &BuildOptions::default());
        for which in 0..6 {
            others.push(Box::new(Solid::new(random.solid(which, 0.5 * scale))));
        }
        let (normal, offset) = (random.vector(), random.signed() * scale);
        others.push(Box::new(HalfSpaceGeometry::new(HalfSpace::new(normal, offset).unwrap())));
        others.push(Box::new(HalfSpaceGeometry::new(Plane::new(normal, offset).unwrap())));
        others.push(Box::new(hills(&mut random, 4, 5, 0.7 * scale)));
        for other in &others {
            let height = [0.2, 0.6, 2.0][random.below(3)];
            let place = DVec3::new(random.unit(), random.unit(), height) * scale;
            let pose = Pose::from_matrix(*random.pose(0.0).rotation(), place).unwrap();
            // Whether something floats inside of a solid one is another test's business: a triangle
            // mesh of its triangles has no inside.
            let collision = dispatcher.plan(&field, &**other).unwrap().collide(&pose, &mut workspace, None);
            if collision.colliding && collision.leaves.is_none() {
                continue;
            }
            let label = format!("seed {seed}, against {}", other.kind());
            hits += usize::from(compare(&field, &twin, &**other, &pose, 4.0 * scale, &label));
        }
    }
    assert!((60..300).contains(&hits), "{hits} collide: the test must see both");
}

#[test]
fn every_triangle_is_in_one_leaf_and_in_the_boxes_above_it() {
    let mut random = Random(1);
    for (columns, rows) in [(2, 2), (2, 9), (17, 3), (33, 20), (5, 5)] {
        let surface = hills(&mut random, columns, rows, 1.0);
        let solid = surface.clone().into_solid(-1.0).unwrap();
        for field in [surface, solid] {
            let mut seen = BTreeSet::new();
            let mut open = vec![(field.root(), vec![field.root()])];
            while let Some((node, path)) = open.pop() {
                if !field.is_leaf(node) {
                    for lane in 0..field.block(node).len() {
                        let child = field.child(node, lane);
                        assert_eq!(field.volume(child), &field.block(node)[lane]);
                        open.push((child, [&path[..], &[child]].concat()));
                    }
                    continue;
                }
                for (id, triangle) in field.shapes(node) {
                    assert!(seen.insert(id), "{id} is in two leaves");
                    assert_eq!(field.shape(id), Some(triangle));
                    let stored = triangle.map(|vertex| field.frame().store(vertex));
                    for direction in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z] {
                        let highest = stored.0.iter().fold(f64::MIN, |most, vertex| most.max(direction.dot(*vertex)));
                        assert!(path.iter().all(|&node| field.volume(node).support(direction) >= highest));
                    }
                }
            }
            assert_eq!(seen.len(), field.triangle_count());
            assert_eq!(seen.last(), Some(&(field.triangle_count() as u32 - 1)));
            assert!(field.shape(field.triangle_count() as u32).is_none());
        }
    }
}

/// A closed cube of half edge 0.1.
fn cube() -> TriMesh {
    let vertex = |i: u32| DVec3::from_array([0, 1, 2].map(|bit| if i >> bit & 1 == 1 { 0.1 } else { -0.1 }));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh::new((0..8).map(vertex).collect(), triangles).unwrap()
}

#[test]
fn what_is_below_a_solid_field_collides_and_below_a_surface_it_does_not() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    // A ramp along x from 2 to 4 over a square of edge 4.
    let heights: Vec<f64> = (0..25).map(|i| 2.0 + 0.5 * f64::from(i % 5)).collect();
    let surface = HeightField::new(5, 5, [1.0, 1.0], heights).unwrap();
    let solid = surface.clone().into_solid(0.0).unwrap();
    let mesh: Mesh = Mesh::new(cube()).unwrap();
    let low = HeightField::new(2, 2, [0.1, 0.1], vec![0.0; 4]).unwrap();
    let others: [Box<dyn Geometry>; 4] = [
        Box::new(Solid::new(Sphere::new(0.1).unwrap())),
        Box::new(Solid::new(Cuboid::from_half_extents(DVec3::splat(0.1)).unwrap())),
        Box::new(mesh),
        Box::new(low),
    ];
    for other in &others {
        for (place, inside, outside) in [
            (DVec3::new(1.3, 1.7, 1.0), true, 0.0),
            (DVec3::new(3.6, 0.4, 3.3), true, 0.0),
            (DVec3::new(1.3, 1.7, 4.0), false, 1.0),
            (DVec3::new(-1.0, 2.0, 1.0), false, 0.8),
            (DVec3::new(2.0, 5.0, 1.0), false, 0.8),
            (DVec3::new(2.0, 2.0, -1.0), false, 0.8),
        ] {
            let pose = Pose::from_translation(place).unwrap();
            let plan = dispatcher.plan(&solid, &**other).unwrap();
            assert_eq!(plan.collide(&pose, &mut workspace, None).colliding, inside, "{} {place}", other.kind());
            let answer = plan.distance(&pose, &DistanceRequest::default(), &mut workspace, None).unwrap();
            assert!(answer.upper >= outside - 1e-12 && (answer.upper == 0.0) == inside, "{place} {answer:?}");
            let contacts = plan.contacts(&pose, &ContactsRequest::default(), &mut workspace).unwrap();
            assert_eq!(contacts.contained.is_some(), inside);
            assert_eq!(plan.within(&pose, 0.0, &mut workspace).unwrap().0, inside);
            let free = dispatcher.plan(&**other, &surface).unwrap();
            assert!(!free.collide(&pose.inverse(), &mut workspace, None).colliding, "{} {place}", other.kind());
        }
    }
    // A field in a solid mesh around it.
    let far = Pose::from_matrix(DMat3::IDENTITY, DVec3::splat(-0.01)).unwrap();
    let tiny = HeightField::new(2, 2, [0.02, 0.02], vec![0.0, 0.01, 0.0, 0.0]).unwrap();
    let around: Mesh<Aabb> = Mesh::new(cube()).unwrap();
    assert!(!dispatcher.plan(&around, &tiny).unwrap().collide(&far, &mut workspace, None).colliding);
    let around = around.into_solid().unwrap();
    assert!(dispatcher.plan(&around, &tiny).unwrap().collide(&far, &mut workspace, None).colliding);
}

#[test]
fn points_are_contained_up_to_the_surface_and_to_the_border() {
    let field = HeightField::new(3, 3, [0.1, 0.1], vec![0.0, 0.1, 0.0, 0.1, 0.3, 0.1, 0.0, 0.1, 0.0]).unwrap();
    assert!(!field.contains(DVec3::new(0.1, 0.1, 0.1)));
    let field = field.into_solid(-1.0).unwrap();
    for (point, inside) in [
        (DVec3::new(0.1, 0.1, 0.3), true),
        (DVec3::new(0.1, 0.1, 0.3_f64.next_up()), false),
        (DVec3::new(0.05, 0.05, 0.15), true),
        (DVec3::new(0.05, 0.05, 0.1501), false),
        // On either side of the diagonal.
        (DVec3::new(0.07, 0.02, 0.1099), true),
        (DVec3::new(0.07, 0.02, 0.1101), false),
        (DVec3::new(0.02, 0.07, 0.1099), true),
        (DVec3::new(0.02, 0.07, 0.1101), false),
        (DVec3::new(0.0, 0.0, -1.0), true),
        (DVec3::new(0.0, 0.0, -1.1), false),
        (DVec3::new(-1e-300, 0.0, -0.5), false),
        (DVec3::new(0.2, 0.2, -0.5), true),
        (DVec3::new(0.2001, 0.2, -0.5), false),
        (DVec3::new(f64::NAN, 0.1, 0.0), false),
    ] {
        assert_eq!(field.contains(point), inside, "{point}");
    }
}

#[test]
fn grids_that_are_none_are_refused() {
    let flat = |columns, rows, count| HeightField::new(columns, rows, [1.0, 1.0], vec![0.0; count]);
    assert!(flat(2, 2, 4).is_ok());
    for (columns, rows, count) in [(1, 4, 4), (4, 1, 4), (2, 2, 3), (2, 2, 5), (0, 0, 0), (usize::MAX, 2, 4)] {
        assert!(flat(columns, rows, count).is_err(), "{columns} {rows} {count}");
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e100] {
        assert!(HeightField::new(2, 2, [bad, 1.0], vec![0.0; 4]).is_err());
        assert!(HeightField::new(2, 2, [1.0, bad], vec![0.0; 4]).is_err());
    }
    for bad in [f64::NAN, f64::INFINITY, -1e101] {
        assert!(HeightField::new(2, 2, [1.0, 1.0], vec![0.0, bad, 0.0, 0.0]).is_err());
        assert!(flat(2, 2, 4).unwrap().into_solid(bad).is_err());
    }
    assert!(flat(2, 2, 4).unwrap().into_solid(0.1).is_err() && flat(2, 2, 4).unwrap().into_solid(0.0).is_ok());
}
