//! Hierarchies with volumes inside: early acceptance changes no answer.

mod support;

use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::DVec3;
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::{Convex, ConvexPolyhedron, Cuboid, Sphere};
use clearance_engine::traversal::{WarmStart, Workspace};
use clearance_engine::tree::{BuildOptions, Geometry, InnerKind, Mesh, NestedOptions, NestedTree, Solid};
use clearance_engine::{Pose, TriMesh};
use std::f64::consts::TAU;
use support::Random;

const KINDS: [InnerKind; 3] = [InnerKind::Boxes, InnerKind::Spheres, InnerKind::Nothing];

fn nested(tri_mesh: &TriMesh, inner: InnerKind) -> Mesh<NestedTree> {
    let how = NestedOptions { inner, ..NestedOptions::default() };
    let mesh = Mesh::<NestedTree>::build(tri_mesh.clone(), &BuildOptions::default(), Some(how)).unwrap();
    mesh.validate().unwrap();
    mesh.into_solid().unwrap()
}

/// The paper's bodies, and hulls of a few points, some of them needles and flakes.
fn polyhedron(random: &mut Random, which: usize) -> ConvexPolyhedron {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let points: Vec<DVec3> = match which % 5 {
        0 => (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5).collect(),
        1 => DVec3::AXES.iter().flat_map(|&axis| [axis * 0.7, axis * -0.7]).collect(),
        2 => (0..12)
            .map(|i| {
                let (s, t) = (f64::from(i & 1) * 2.0 - 1.0, f64::from(i >> 1 & 1) * 2.0 - 1.0);
                let p = [0.0, s * 0.4, t * 0.4 * golden];
                DVec3::new(p[(i as usize / 4) % 3], p[(1 + i as usize / 4) % 3], p[(2 + i as usize / 4) % 3])
            })
            .collect(),
        3 => (0..18)
            .map(|i| {
                let angle = TAU * (f64::from(i / 2) + 0.5 * f64::from(i % 2)) / 9.0;
                DVec3::new(0.6 * angle.cos(), 0.6 * angle.sin(), f64::from(i % 2) - 0.5)
            })
            .collect(),
        _ => {
            let stretch = [DVec3::ONE, DVec3::new(1.0, 0.05, 0.05), DVec3::new(1.0, 1.0, 0.03)][random.below(3)];
            (0..8 + random.below(20)).map(|_| random.vector() * stretch * 0.8).collect()
        }
    };
    ConvexPolyhedron::hull_of(&points).unwrap()
}

#[test]
fn convex_meshes_with_inner_volumes_collide_exactly_where_their_polyhedra_do() {
    let (dispatcher, mut workspace, mut random) = (Dispatcher::standard(), Workspace::default(), Random(31));
    let (mut accepted, mut by_faces, mut apart) = (0, 0, 0);
    for round in 0..30 {
        let (p, q) = (polyhedron(&mut random, round), polyhedron(&mut random, round / 5));
        let solids = (Solid::new(p.clone()), Solid::new(q.clone()));
        let kinds = (KINDS[round % 3], KINDS[(round / 3) % 3]);
        let tri_meshes = (p.surface().unwrap(), q.surface().unwrap());
        let meshes = (nested(&tri_meshes.0, kinds.0), nested(&tri_meshes.1, kinds.1));
        let mut warm_start = WarmStart::default();
        for _ in 0..100 {
            let distance = random.between(0.0, 2.5) * (p.bounding_radius() + q.bounding_radius()) * 0.5;
            let pose = random.pose(distance);
            let expected =
                dispatcher.plan(&solids.0, &solids.1).unwrap().collide(&pose, &mut workspace, None).colliding;
            let plan = dispatcher.plan(&meshes.0, &meshes.1).unwrap();
            let found = plan.collide(&pose, &mut workspace, None);
            assert_eq!(found.colliding, expected, "round {round} at {pose:?}");
            let coherent = plan.collide(&pose, &mut workspace, Some(&mut warm_start));
            assert_eq!(coherent.colliding, expected, "round {round} at {pose:?}, coherent");
            accepted += i32::from(found.colliding && found.leaves.is_none());
            by_faces += i32::from(found.leaves.is_some());
            apart += i32::from(!found.colliding);
        }
    }
    assert!(accepted > 200 && by_faces > 100 && apart > 500, "{accepted} {by_faces} {apart}");
}

#[test]
fn a_body_inside_of_another_collides_whichever_is_a_and_without_inner_volumes_too() {
    let (dispatcher, mut workspace, mut random) = (Dispatcher::standard(), Workspace::default(), Random(32));
    for which in 0..5 {
        let p = polyhedron(&mut random, which);
        let small: Vec<DVec3> = p.vertices().map(|v| v * 0.01).collect();
        let small = ConvexPolyhedron::hull_of(&small).unwrap().surface().unwrap();
        for inner in KINDS {
            let (a, b) = (nested(&p.surface().unwrap(), inner), nested(&small, inner));
            let pose = Pose::new(random.rotation(), p.center()).unwrap();
            let ask = |a: &Mesh<NestedTree>, b: &Mesh<NestedTree>, pose: &Pose, workspace: &mut Workspace| {
                dispatcher.plan(a, b).unwrap().collide(pose, workspace, None).colliding
            };
            assert!(ask(&a, &b, &pose, &mut workspace) && ask(&b, &a, &pose.inverse(), &mut workspace));
            // As surfaces they do not meet, and inner volumes must not say that they do.
            let [a, b] = [&a, &b].map(|mesh| Mesh::<NestedTree>::new(mesh.tri_mesh().clone()).unwrap());
            assert!(!ask(&a, &b, &pose, &mut workspace));
        }
    }
}

/// A closed tube around the z axis whose radius swells.
fn torus(around: usize, across: usize) -> TriMesh {
    let mut vertices = Vec::new();
    for i in 0..around {
        let t = TAU * i as f64 / around as f64;
        for j in 0..across {
            let s = TAU * j as f64 / across as f64;
            let r = 1.0 + (0.3 + 0.1 * (3.0 * t).sin()) * s.cos();
            vertices.push(DVec3::new(r * t.cos(), r * t.sin(), 0.3 * s.sin()));
        }
    }
    let id = |i: usize, j: usize| ((i % around) * across + j % across) as u32;
    let quads = (0..around).flat_map(|i| (0..across).map(move |j| (i, j)));
    let triangles = quads.flat_map(|(i, j)| {
        let (a, b, c, d) = (id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1));
        [[a, b, c], [a, c, d]]
    });
    TriMesh::new(vertices, triangles.collect()).unwrap()
}

#[test]
fn other_closed_meshes_with_inner_volumes_collide_exactly_where_default_ones_do() {
    let (dispatcher, mut workspace, mut random) = (Dispatcher::standard(), Workspace::default(), Random(33));
    let tri_mesh = torus(24, 12);
    let plain = Mesh::<clearance_engine::tree::Bvh8>::new(tri_mesh.clone()).unwrap().into_solid().unwrap();
    let expected = dispatcher.plan(&plain, &plain).unwrap();
    for inner in KINDS {
        let mesh = nested(&tri_mesh, inner);
        let (mut accepted, mut by_faces, mut apart) = (0, 0, 0);
        let plan = dispatcher.plan(&mesh, &mesh).unwrap();
        for _ in 0..400 {
            let distance = random.between(0.0, 3.0);
            let pose = random.pose(distance);
            let found = plan.collide(&pose, &mut workspace, None);
            assert_eq!(found.colliding, expected.collide(&pose, &mut workspace, None).colliding, "{pose:?}");
            let request = DistanceRequest::default();
            let distance = plan.distance(&pose, &request, &mut workspace, None).unwrap();
            assert_eq!(distance.colliding(), Some(found.colliding));
            accepted += i32::from(found.colliding && found.leaves.is_none());
            by_faces += i32::from(found.leaves.is_some());
            apart += i32::from(!found.colliding);
        }
        let filled = inner != InnerKind::Nothing;
        assert!(apart > 50 && by_faces > 20 && (accepted > 50) == filled, "{inner:?}: {accepted} {by_faces} {apart}");
    }
}

#[test]
fn simple_solids_are_accepted_by_inner_volumes_exactly_where_they_collide() {
    let (dispatcher, mut workspace, mut random) = (Dispatcher::standard(), Workspace::default(), Random(34));
    let tri_mesh = torus(24, 12);
    let plain = Mesh::<clearance_engine::tree::Bvh8>::new(tri_mesh.clone()).unwrap().into_solid().unwrap();
    let surface = Mesh::<NestedTree>::new(tri_mesh.clone()).unwrap();
    let mut collides = |a: &dyn Geometry, b: &dyn Geometry, pose: &Pose| {
        dispatcher.plan(a, b).unwrap().collide(pose, &mut workspace, None)
    };
    let (mut inside, mut touching, mut apart) = (0, 0, 0);
    let mut opened = [0; 3];
    let meshes = KINDS.map(|inner| nested(&tri_mesh, inner));
    for round in 0..600 {
        let solid = match round % 3 {
            0 => Solid::new(Sphere::new(random.between(0.01, 0.1)).unwrap()),
            1 => Solid::new(Cuboid::from_half_extents(DVec3::new(0.05, random.between(0.01, 0.3), 0.05)).unwrap()),
            _ => Solid::new(polyhedron(&mut random, round)),
        };
        // Half of them about the middle of the tube.
        let (sin, cos) = random.between(0.0, TAU).sin_cos();
        let distance = random.between(0.0, 2.0);
        let middle = Pose::new(random.rotation(), DVec3::new(cos, sin, 0.0) * random.between(0.9, 1.1)).unwrap();
        let pose = if round % 2 == 0 { middle } else { random.pose(distance) };
        let expected = collides(&plain, &solid, &pose).colliding;
        let is_inside = expected && !collides(&surface, &solid, &pose).colliding;
        for (mesh, opened) in meshes.iter().zip(&mut opened) {
            let found = collides(mesh, &solid, &pose);
            assert_eq!(found.colliding, expected, "round {round} at {pose:?}");
            assert_eq!(collides(&solid, mesh, &pose.inverse()).colliding, expected, "round {round}, swapped");
            *opened += if is_inside { found.stats.opened } else { 0 };
        }
        inside += i32::from(is_inside);
        touching += i32::from(expected && !is_inside);
        apart += i32::from(!expected);
    }
    assert!(inside > 15 && touching > 100 && apart > 100, "{inside} {touching} {apart}");
    let [boxes, spheres, nothing] = opened;
    assert!(3 * boxes < nothing && 3 * spheres < nothing, "{opened:?}");
}

#[test]
fn a_refitted_mesh_has_inner_volumes_of_its_new_shape() {
    let (dispatcher, mut workspace) = (Dispatcher::standard(), Workspace::default());
    let mut mesh = nested(&torus(16, 8), InnerKind::Boxes);
    let small: Vec<DVec3> = mesh.tri_mesh().vertices().iter().map(|v| *v * 0.1 + DVec3::Z * 5.0).collect();
    mesh.refit(small).unwrap();
    mesh.validate().unwrap();
    let still = nested(&torus(16, 8), InnerKind::Boxes);
    let plan = dispatcher.plan(&mesh, &still).unwrap();
    assert!(!plan.collide(&Pose::IDENTITY, &mut workspace, None).colliding);
    assert!(
        plan.collide(&Pose::from_translation(DVec3::new(0.95, 0.0, 5.0)).unwrap(), &mut workspace, None).colliding == {
            let ring = dispatcher.plan(&still, &mesh).unwrap();
            ring.collide(&Pose::from_translation(DVec3::new(-0.95, 0.0, -5.0)).unwrap(), &mut workspace, None).colliding
        }
    );
}
