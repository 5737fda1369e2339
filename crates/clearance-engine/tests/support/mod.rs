//! What the integration tests share: random triangle meshes and poses, and the oracle that looks at
//! every pair of triangles.
#![allow(dead_code)]

use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::{DQuat, DVec3, SimdLevel};
use clearance_engine::pair::shape::Proximity;
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::{Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Ellipsoid, Primitive, Sphere};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{
    BuildOptions, Bvh8, BvhKind, Combine, Direction, Geometry, Hierarchy, Mesh, SphereTree, SphereTreeOptions,
    next_revision,
};
use clearance_engine::volume::{Aabb, BoundingSphere, KIos, Kdop16, Kdop18, Kdop24, Obb, Rss, Sphere as SphereVolume};
use clearance_engine::{Pose, TriMesh};
use std::sync::Arc;

pub mod boxes;
pub mod oracle;
pub mod polycubes;
#[path = "../../src/random.rs"]
mod random;
pub(crate) use random::Random;

/// How many cases a test looks at: as many as an environment variable says, or the default.
pub fn count_or(variable: &str, default: usize) -> usize {
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")),
        Err(_) => default,
    }
}

impl Random {
    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    pub fn rotation(&mut self) -> DQuat {
        loop {
            let q = DQuat::from_xyzw(self.signed(), self.signed(), self.signed(), self.signed());
            if q.length() > 0.1 && q.length() < 1.0 {
                return q.normalize();
            }
        }
    }

    /// A rotation and a translation of the given length.
    pub fn pose(&mut self, distance: f64) -> Pose {
        let direction = loop {
            let v = self.vector();
            if v.length() > 0.1 {
                break v.normalize();
            }
        };
        Pose::new(self.rotation(), direction * distance).unwrap()
    }

    /// Triangles of mixed sizes in a cube, some degenerate, some coplanar: what real triangle
    /// meshes contain.
    pub fn tri_mesh(&mut self, count: usize, scale: f64, offset: DVec3) -> TriMesh {
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for _ in 0..count {
            let vertex = self.vector();
            let size = [0.02, 0.1, 0.4][self.below(3)];
            let (mut u, mut v) = (self.vector() * size, self.vector() * size);
            match self.below(12) {
                0 => v = u * self.unit(),
                1 => u = DVec3::ZERO,
                2 => (u.z, v.z) = (0.0, 0.0),
                3 => v *= 1e-6,
                _ => {}
            }
            triangles.push([0, 1, 2].map(|k| vertices.len() as u32 + k));
            vertices.extend([vertex, vertex + u, vertex + v].map(|p| p * scale + offset));
        }
        TriMesh::new(vertices, triangles).unwrap()
    }

    /// A simple solid of one of the seven kinds, up to `scale` large, around the origin.
    pub fn solid(&mut self, which: usize, scale: f64) -> Primitive {
        let mut length = || scale * self.between(0.05, 0.5);
        match which % 7 {
            0 => Sphere::new(length()).unwrap().into(),
            1 => Capsule::from_half_length(length(), length()).unwrap().into(),
            2 => Cuboid::from_half_extents(DVec3::new(length(), length(), length())).unwrap().into(),
            3 => Cylinder::from_half_length(length(), length()).unwrap().into(),
            4 => Cone::from_half_length(length(), length()).unwrap().into(),
            5 => Ellipsoid::new(DVec3::new(length(), length(), length())).unwrap().into(),
            _ => {
                let mut points: Vec<DVec3> = DVec3::AXES.iter().flat_map(|&axis| [axis, -axis]).collect();
                points.iter_mut().for_each(|point| *point *= length());
                points.extend((0..20).map(|_| self.vector() * 0.3 * scale));
                ConvexPolyhedron::hull_of(&points).unwrap().into()
            }
        }
    }
}

/// The smallest certified interval and the number of overlapping pairs over ALL pairs of triangles.
pub struct Brute {
    pub lower: f64,
    pub upper: f64,
    pub overlapping: Vec<(u32, u32)>,
}

pub fn brute_force(a: &TriMesh, b: &TriMesh, a_from_b: &Pose) -> Brute {
    let mut found = Brute { lower: f64::INFINITY, upper: f64::INFINITY, overlapping: Vec::new() };
    for j in 0..b.len() as u32 {
        let triangle_b = b.triangle(j).transformed(a_from_b);
        for i in 0..a.len() as u32 {
            let triangle_a = a.triangle(i);
            let closest = triangle_a.closest_below(&triangle_b, f64::INFINITY).expect("nothing is infinitely far");
            found.lower = found.lower.min(closest.lower);
            found.upper = found.upper.min(closest.upper);
            if triangle_a.overlaps(&triangle_b) {
                found.overlapping.push((i, j));
            }
        }
    }
    found.overlapping.sort_unstable();
    found
}

fn boxed<K: BvhKind>(tri_mesh: &Arc<TriMesh>, options: &BuildOptions) -> Box<dyn Geometry> {
    made::<K>(tri_mesh, options, None)
}

fn made<K: BvhKind>(
    tri_mesh: &Arc<TriMesh>,
    options: &BuildOptions,
    how: Option<<K::Hierarchy as Hierarchy>::FitOptions>,
) -> Box<dyn Geometry> {
    let mesh = Mesh::<K>::build(tri_mesh.clone(), options, how).unwrap();
    mesh.validate().unwrap();
    Box::new(mesh)
}

/// Sphere trees that differ in everything, some with blankets of many leaves a triangle.
pub fn sphere_tree_options(tri_mesh: &TriMesh) -> [SphereTreeOptions; 4] {
    use {Combine::*, Direction::*};
    let (low, high) = tri_mesh.bounding_box();
    let size = (high - low).length();
    [
        (Greedy, TopDown, 0.03 * size),
        (Compact, BottomUp, f64::INFINITY),
        (Smallest, BottomUp, 0.05 * size),
        (SphereOfSpheres, TopDown, 0.05 * size),
    ]
    .map(|(combine, direction, leaf_radius)| SphereTreeOptions { combine, direction, leaf_radius })
}

/// The mesh under every volume of the engine.
pub fn all_volumes(tri_mesh: TriMesh, options: &BuildOptions) -> Vec<Box<dyn Geometry>> {
    let tri_mesh = Arc::new(tri_mesh);
    let sphere_trees = sphere_tree_options(&tri_mesh).map(|how| made::<SphereTree>(&tri_mesh, options, Some(how)));
    let mut all = vec![
        boxed::<Bvh8>(&tri_mesh, options),
        boxed::<SphereVolume>(&tri_mesh, options),
        boxed::<Aabb>(&tri_mesh, options),
        boxed::<Obb>(&tri_mesh, options),
        boxed::<Rss>(&tri_mesh, options),
        boxed::<Kdop16>(&tri_mesh, options),
        boxed::<Kdop18>(&tri_mesh, options),
        boxed::<Kdop24>(&tri_mesh, options),
        boxed::<KIos>(&tri_mesh, options),
        #[cfg(feature = "inner-boxes")]
        boxed::<clearance_engine::tree::NestedTree>(&tri_mesh, options),
    ];
    all.extend(sphere_trees);
    all
}

/// Half of the tolerance that answers must meet: 1e-9·d + 1e-12·L.
pub fn tolerance(distance: f64, size: f64) -> f64 {
    1e-9 * distance + 1e-12 * size
}

pub fn dispatcher() -> Dispatcher {
    Dispatcher::standard()
}

/// A geometry that no dispatcher knows a test for.
pub struct Cloud(u64);

impl Default for Cloud {
    fn default() -> Self {
        Self(next_revision())
    }
}

impl Geometry for Cloud {
    fn kind(&self) -> &'static str {
        "cloud"
    }

    fn revision(&self) -> u64 {
        self.0
    }

    fn sphere(&self) -> BoundingSphere {
        BoundingSphere { center: DVec3::ZERO, radius: 1.0 }
    }
}

/// Asks about a geometry of 2⁻⁵⁰ to 2⁻⁹⁰ beside a triangle of size 1, at a distance of 0.01, at
/// every SIMD level.
pub fn check_tiny_beside_a_triangle(dispatcher: &Dispatcher, small: impl Fn(f64) -> Box<dyn Geometry>) {
    let vertices = vec![DVec3::new(-1.0, -1.0, 0.0), DVec3::X, DVec3::Y];
    let large: Mesh = Mesh::new(TriMesh::new(vertices, vec![[0, 1, 2]]).unwrap()).unwrap();
    let pose = Pose::from_translation(DVec3::new(-0.5, -0.5, 0.01)).unwrap();
    for exponent in 50..90 {
        let small = small(2.0_f64.powi(-exponent));
        let plan = dispatcher.plan(&large, &*small).unwrap();
        for level in SimdLevel::available() {
            let mut workspace = Workspace::default();
            workspace.simd_level = level;
            let request = DistanceRequest { max_d: 0.5, ..DistanceRequest::default() };
            let answer = plan.distance(&pose, &request, &mut workspace, None).unwrap();
            assert!(answer.lower <= 0.01 + 1e-12 && answer.upper >= 0.01 - 1e-12, "{exponent}, {level:?}: {answer:?}");
            assert!(plan.within(&pose, 0.02, &mut workspace).unwrap().0, "{exponent}, {level:?}");
        }
    }
}

/// The cube from -1 to 1, each face in `cuts`² squares, its vertices put where `place` says:
/// closed, and it faces outward.
#[allow(dead_code, reason = "some tests need it")]
pub fn cut_cube(cuts: u32, place: impl Fn(DVec3) -> DVec3) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (axis, side) in (0..3).flat_map(|axis| [(axis, -1.0), (axis, 1.0)]) {
        let first = vertices.len() as u32;
        for (i, j) in (0..=cuts).flat_map(|i| (0..=cuts).map(move |j| (i, j))) {
            let mut vertex = DVec3::ZERO;
            vertex[axis] = side;
            vertex[(axis + 1) % 3] = 2.0 * f64::from(i) / f64::from(cuts) - 1.0;
            vertex[(axis + 2) % 3] = 2.0 * f64::from(j) / f64::from(cuts) - 1.0;
            vertices.push(place(vertex));
        }
        for (i, j) in (0..cuts).flat_map(|i| (0..cuts).map(move |j| (i, j))) {
            let [a, b] = [first + i * (cuts + 1) + j, first + (i + 1) * (cuts + 1) + j];
            let both = [[a, b, b + 1], [a, b + 1, a + 1]];
            triangles.extend(both.map(|[x, y, z]| if side > 0.0 { [x, y, z] } else { [x, z, y] }));
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}
