//! What a body's field says, against all triangles and against rational or independent tests.

use super::field::{ConvexField, Field, MeshField};
use crate::dispatch::Pair;
use crate::math::{DMat3, DVec3};
use crate::query::Surface;
use crate::shape::{ConvexPolyhedron, Cuboid};
use crate::tree::{Geometry, Mesh, Solid};
use crate::volume::BoundingSphere;
use crate::volume::samples::Random;
use crate::{Pose, TriMesh};
use std::sync::Arc;

/// A ring with a wavy section, about a point.
fn ring(along: usize, around: usize, center: DVec3) -> Arc<TriMesh> {
    let angle = |i: usize, count: usize| std::f64::consts::TAU * (i % count) as f64 / count as f64;
    let place = |i: usize| {
        let (u, v) = (angle(i / around, along), angle(i % around, around));
        let minor = 0.3 + 0.05 * (5.0 * u).sin();
        let radius = 1.0 + minor * v.cos();
        center + DVec3::new(radius * u.cos(), radius * u.sin(), minor * v.sin())
    };
    let number = |i: usize, j: usize| (i % along * around + j % around) as u32;
    let triangles = (0..along * around).flat_map(|k| {
        let (i, j) = (k / around, k % around);
        let [p, q, r, s] = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
        [[p, q, r], [p, r, s]]
    });
    Arc::new(TriMesh::new((0..along * around).map(place).collect(), triangles.collect()).unwrap())
}

fn field_of(mesh: &Arc<TriMesh>) -> MeshField {
    MeshField::new(mesh, BoundingSphere::around(mesh.vertices()))
}

/// The signed distance from above: the surface's own bounds on the other side.
fn highest(surface: &Surface, point: DVec3) -> f64 {
    let found = surface.nearest(point);
    if surface.winding_number(point) != 0 { found.upper } else { -found.lower }
}

#[test]
fn no_signed_distance_is_above_the_true_one_and_each_sphere_is_inside() {
    let mut random = Random(3);
    for center in [DVec3::ZERO, DVec3::new(1e3, -2e5, 7.0)] {
        let mesh = ring(20, 11, center);
        let surface = Surface::new(mesh.clone());
        let field = Field::Mesh(Arc::new(field_of(&mesh)));
        let mut far_off = 0.0_f64;
        for _ in 0..4000 {
            let point = center + random.vector() * DVec3::new(1.6, 1.6, 0.7);
            let highest = highest(&surface, point);
            let signed = field.signed(point, &mut 0).value;
            assert!(
                signed <= highest && signed > highest - 1e-9 * (1.0 + center.length()),
                "{point}: {signed} {highest}"
            );
            let coarse = field.coarse(point);
            assert!(coarse <= highest, "{point}: {coarse} {highest}");
            far_off = far_off.max(highest - coarse);
        }
        assert!(far_off < 2.0 * field.grain(), "{far_off}");
        for ball in field.balls() {
            assert!(ball.radius > 0.0 && ball.radius <= highest(&surface, ball.center), "{ball:?}");
        }
        assert!(field.balls().len() > 20 && field.inner_count() > 4, "{} {}", field.balls().len(), field.inner_count());
    }
}

#[test]
fn polyhedra_inside_do_not_meet_the_surface() {
    let mesh = ring(20, 11, DVec3::new(3.0, 0.5, -1.0));
    let field = Field::Mesh(Arc::new(field_of(&mesh)));
    let surface: Arc<Mesh> = Arc::new(Mesh::new(mesh.clone()).unwrap());
    let tree = Surface::new(mesh);
    for number in 0..field.inner_count() {
        let inner = field.inner(number).unwrap();
        assert!(!Pair::new(&surface, inner.clone()).unwrap().collides(Pose::IDENTITY), "{number}");
        assert!(tree.winding_number(inner.sphere().center) != 0, "{number}");
    }
    assert!(field.inner(field.inner_count()).is_none());
}

#[test]
fn a_primitive_is_as_deep_as_its_mesh() {
    let mut random = Random(7);
    let half = DVec3::new(0.7, 0.4, 0.2);
    let turned = Pose::from_matrix(random.rotation(), DVec3::new(0.3, -5.0, 2.0)).unwrap();
    let corner = |i: i32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 2.0 - 1.0;
    let corners: Vec<DVec3> = (0..8).map(|i| turned.transform_point(corner(i) * half)).collect();
    let hull = ConvexPolyhedron::hull_of(&corners).unwrap();
    let surface = Surface::new(Arc::new(hull.surface().unwrap()));
    let cuboid = Cuboid::from_half_extents(half).unwrap().transformed(&turned);
    for solid in [Solid::new(hull), Solid::new(cuboid)] {
        let field = Field::Convex(ConvexField::new(&solid));
        for _ in 0..2000 {
            let point = turned.transform_point(random.vector() * half * 1.5);
            let (signed, highest) = (field.signed(point, &mut 0).value, highest(&surface, point));
            // The box's vertices are rounded for the mesh.
            assert!(signed <= highest + 1e-14 && signed > highest * 1.001 - 1e-3, "{point}: {signed} {highest}");
        }
        assert!(field.balls().iter().all(|ball| ball.radius <= highest(&surface, ball.center) + 1e-14));
    }
    assert!(DMat3::IDENTITY != *turned.rotation());
}

#[test]
fn what_a_mesh_of_20_000_triangles_keeps_takes_less_than_3_mb() {
    let mesh = ring(125, 80, DVec3::ZERO);
    assert_eq!(mesh.len(), 20_000);
    let bytes = field_of(&mesh).bytes();
    assert!((100_000..3_000_000).contains(&bytes), "{bytes}");
}
