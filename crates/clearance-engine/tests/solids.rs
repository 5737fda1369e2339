//! Meshes declared solid: what is inside collides.

mod support;

use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::DVec3;
use clearance_engine::query::{ContactsRequest, DistanceRequest, winding_number};
use clearance_engine::shape::ConvexPolyhedron;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Mesh, Solid};
use clearance_engine::volume::{KIos, Obb};
use clearance_engine::{ErrorKind, Pose, TriMesh};
use support::Random;

/// A closed box given by two vertices; `outward` false turns it inside out.
fn cuboid(low: DVec3, high: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let vertex = |i: u32| {
        let pick = |bit: u32, axis: usize| if i >> bit & 1 == 1 { high[axis] } else { low[axis] };
        DVec3::new(pick(0, 0), pick(1, 1), pick(2, 2))
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    ((0..8).map(vertex).collect(), triangles)
}

fn cube(half: f64) -> TriMesh {
    let (vertices, triangles) = cuboid(DVec3::splat(-half), DVec3::splat(half));
    TriMesh::new(vertices, triangles).unwrap()
}

fn two_cubes(half: f64, apart: f64) -> TriMesh {
    let (mut vertices, mut triangles) = cuboid(DVec3::splat(-half), DVec3::splat(half));
    let (more, faces) = cuboid(DVec3::splat(-half) + DVec3::X * apart, DVec3::splat(half) + DVec3::X * apart);
    let base = vertices.len() as u32;
    vertices.extend(more);
    triangles.extend(faces.iter().map(|face| face.map(|i| i + base)));
    TriMesh::new(vertices, triangles).unwrap()
}

#[test]
fn a_body_inside_of_a_solid_collides_and_inside_of_a_surface_does_not() {
    let dispatcher = Dispatcher::standard();
    let mut workspace = Workspace::default();
    let pose = Pose::from_translation(DVec3::new(0.1, 0.2, -0.1)).unwrap();
    let surface = |mesh: TriMesh| Mesh::<Obb>::new(mesh).unwrap();
    let solid = |mesh: TriMesh| Mesh::<Obb>::new(mesh).unwrap().into_solid().unwrap();
    let cases = [
        (surface(cube(1.0)), surface(cube(0.1)), false),
        (solid(cube(1.0)), surface(cube(0.1)), true),
        (solid(cube(0.1)), surface(cube(1.0)), false),
        (surface(cube(0.1)), solid(cube(1.0)), true),
        (solid(cube(1.0)), solid(cube(0.1)), true),
        (solid(cube(0.1)), solid(cube(1.0)), true),
        // Only the second component is inside.
        (solid(cube(1.0)), solid(two_cubes(0.1, -5.0)), true),
        (solid(cube(1.0)), surface(two_cubes(0.1, 0.4)), true),
    ];
    for (i, (a, b, expected)) in cases.iter().enumerate() {
        let plan = dispatcher.plan(a, b).unwrap();
        let collision = plan.collide(&pose, &mut workspace, None);
        assert_eq!((collision.colliding, collision.leaves), (*expected, None), "case {i}");
        let distance = plan.distance(&pose, &DistanceRequest::default(), &mut workspace, None).unwrap();
        assert_eq!(distance.colliding(), Some(*expected), "case {i}");
        assert_eq!(distance.upper == 0.0, *expected);
        assert_eq!(distance.witness.unwrap().leaves.is_none(), *expected);
        let contacts = plan.contacts(&pose, &ContactsRequest::default(), &mut workspace).unwrap();
        assert!(contacts.contacts.is_empty() && contacts.contained.is_some() == *expected, "case {i}");
        assert_eq!(plan.within(&pose, 0.0, &mut workspace).unwrap().0, *expected, "case {i}");
    }
}

#[test]
fn an_open_mesh_is_refused_as_solid_with_the_edge_named() {
    let (vertices, triangles) = cuboid(DVec3::ZERO, DVec3::ONE);
    let open = TriMesh::new(vertices, triangles[1..].to_vec()).unwrap();
    let error = Mesh::<Obb>::new(open).unwrap().into_solid().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotClosed);
    assert!(error.to_string().contains("vertices 0"), "{error}");
}

#[test]
fn the_winding_number_is_right_also_where_the_ray_hits_edges_and_vertices() {
    let mut workspace = Workspace::default();
    let mesh: Mesh<KIos> = Mesh::new(two_cubes(1.0, 4.0)).unwrap();
    let inside = |p: DVec3| {
        let within = |center: f64| (p - DVec3::X * center).abs().max_element() < 1.0;
        within(0.0) || within(4.0)
    };
    // A grid whose rays pass through diagonals, edges and vertices of the cubes; points on the
    // surface are left out.
    for x in -8..=22 {
        for y in -6..=6 {
            for z in -6..=6 {
                let p = DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * 0.25;
                let on_surface = [0.0, 4.0].iter().any(|c| (p - DVec3::X * *c).abs().max_element() == 1.0);
                if !on_surface {
                    assert_eq!(winding_number(&mesh, p, &mut workspace), i64::from(inside(p)), "{p}");
                }
            }
        }
    }
    let mut random = Random(7);
    for _ in 0..2000 {
        let p = random.vector() * 6.0;
        assert_eq!(winding_number(&mesh, p, &mut workspace), i64::from(inside(p)), "{p}");
    }
}

/// The hulls touch in one point, exactly: so do the meshes of their surfaces, wherever the motion
/// is applied.
#[test]
fn surfaces_of_hulls_of_integers_touch_where_the_hulls_do() {
    let hull = |points: &[[i32; 3]]| {
        let points: Vec<DVec3> = points.iter().map(|point| DVec3::from_array(point.map(f64::from))).collect();
        ConvexPolyhedron::hull_of(&points).unwrap()
    };
    let a = hull(&[[-2, -1, 2], [2, -1, -2], [2, -2, -1], [1, -2, -1]]);
    let b = hull(&[[2, -2, 0], [2, 2, -1], [-2, 1, 2], [2, 0, -2], [-2, -1, -2], [-2, -1, 0], [2, 0, 1]]);
    let pose = Pose::from_translation(DVec3::new(0.0, -1.0, 3.0)).unwrap();
    let (dispatcher, mut workspace) = (Dispatcher::standard(), Workspace::default());
    let solid = |hull: &ConvexPolyhedron| Mesh::<Obb>::new(hull.surface().unwrap()).unwrap().into_solid().unwrap();
    for (b, pose) in [(solid(&b), pose), (solid(&b.transformed(&pose)), Pose::IDENTITY)] {
        let a = solid(&a);
        let found = dispatcher.plan(&a, &b).unwrap().distance(&pose, &DistanceRequest::default(), &mut workspace, None);
        assert_eq!(found.unwrap().upper, 0.0);
    }
    let (a, b) = (Solid::new(a), Solid::new(b));
    let hulls = dispatcher.plan(&a, &b).unwrap().collide(&pose, &mut workspace, None).colliding;
    assert!(hulls);
}
