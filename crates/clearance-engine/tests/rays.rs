//! Rays against exact arithmetic: every triangle by half-planes in rational numbers, and closed
//! surfaces that no ray may slip through.

mod support;

use clearance_engine::dispatch::{Threads, cast_rays};
use clearance_engine::math::DVec3;
use clearance_engine::pair::shape::ray_hit;
use clearance_engine::shape::{Convex, Ray};
use clearance_engine::tree::{Geometry, HeightField, Mesh};
use clearance_engine::volume::{Aabb, KIos, Sphere};
use clearance_engine::{TriMesh, Triangle};
use num_bigint::BigInt;
use num_rational::BigRational;
use support::{Random, count_or};

type Exact = [BigRational; 3];

fn exact(v: DVec3) -> Exact {
    v.to_array().map(|x| BigRational::from_float(x).unwrap())
}

fn minus(a: &Exact, b: &Exact) -> Exact {
    [0, 1, 2].map(|k| &a[k] - &b[k])
}

fn dot(a: &Exact, b: &Exact) -> BigRational {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn cross(a: &Exact, b: &Exact) -> Exact {
    [0, 1, 2].map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        &a[i] * &b[j] - &a[j] * &b[i]
    })
}

/// The part of a ray's parameters that satisfy conditions.
struct Part {
    low: BigRational,
    high: Option<BigRational>,
    empty: bool,
}

impl Part {
    /// Keeps the parameters t with `at + slope·t ≥ 0`.
    fn keep(&mut self, at: &BigRational, slope: &BigRational) {
        let zero = BigRational::from(BigInt::from(0));
        if *slope == zero {
            self.empty |= *at < zero;
            return;
        }
        let bound = -at / slope;
        if *slope > zero {
            if bound > self.low {
                self.low = bound;
            }
        } else if self.high.as_ref().is_none_or(|high| bound < *high) {
            self.high = Some(bound);
        }
        self.empty |= self.high.as_ref().is_some_and(|high| *high < self.low);
    }
}

/// The oracle: the least `t` of the ray's points in the closed triangle, by cutting the ray with
/// the planes that bound the triangle: its own from both sides, and one through each edge.
fn exact_hit(ray: &Ray, triangle: &Triangle) -> Option<BigRational> {
    let zero = BigRational::from(BigInt::from(0));
    let (o, d) = (exact(ray.origin()), exact(ray.direction()));
    let vertices = triangle.0.map(exact);
    let mut part = Part { low: zero.clone(), high: None, empty: false };
    let mut both_sides = |normal: &Exact, through: &Exact| {
        let (at, slope) = (dot(normal, &minus(&o, through)), dot(normal, &d));
        part.keep(&at, &slope);
        part.keep(&-at, &-slope);
    };
    let (e, f) = (minus(&vertices[1], &vertices[0]), minus(&vertices[2], &vertices[0]));
    let normal = cross(&e, &f);
    if normal.iter().all(|x| *x == zero) {
        // A segment: its two farthest ends, and planes around its line.
        let pairs = [[0, 1], [1, 2], [2, 0]];
        let length = |[i, j]: [usize; 2]| {
            let edge = minus(&vertices[i], &vertices[j]);
            dot(&edge, &edge)
        };
        let longest = pairs.into_iter().max_by(|a, b| length(*a).cmp(&length(*b))).unwrap();
        let [from, to] = longest.map(|k| &vertices[k]);
        let edge = minus(to, from);
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            // Around a point all planes are needed, around a line those along it.
            let normal = if edge.iter().all(|x| *x == zero) { exact(axis) } else { cross(&edge, &exact(axis)) };
            both_sides(&normal, from);
        }
        part.keep(&dot(&edge, &minus(&o, from)), &dot(&edge, &d));
        part.keep(&-dot(&edge, &minus(&o, to)), &-dot(&edge, &d));
    } else {
        both_sides(&normal, &vertices[0]);
        for k in 0..3 {
            let inward = cross(&normal, &minus(&vertices[(k + 1) % 3], &vertices[k]));
            part.keep(&dot(&inward, &minus(&o, &vertices[k])), &dot(&inward, &d));
        }
    }
    (!part.empty).then_some(part.low)
}

/// A ray and a triangle that are nearly or exactly degenerate, more often than not.
fn hard_case(random: &mut Random) -> (Ray, Triangle) {
    let grid = [3, 8, 1 << 20][random.below(3)];
    let scale = [1.0, 0.1, 1e-30, 1e30][random.below(4)];
    let mut vertex = || DVec3::from_array([0; 3].map(|_| random.below(grid) as f64 * scale));
    let triangle = Triangle([vertex(), vertex(), vertex()]);
    let mut origin = vertex();
    let [p, q, r] = triangle.0;
    // Towards a vertex, a point of an edge, a point of the plane, or anywhere; all are rounded.
    let (x, y) = (random.unit(), random.unit());
    let target = match random.below(6) {
        0 => p,
        1 => p + (q - p) * x,
        2 => p + (q - p) * 0.5,
        3 => p + (q - p) * x + (r - p) * y,
        4 => r,
        _ => DVec3::from_array([0; 3].map(|_| random.below(grid) as f64 * scale)),
    };
    if random.below(8) == 0 {
        origin = p + (q - p) * random.unit() + (r - p) * random.signed();
    }
    if random.below(4) == 0 {
        // Far away or next to the target.
        origin = target + (origin - target) * [1e9, 1e-9][random.below(2)];
    }
    let mut direction = target - origin;
    if random.below(4) == 0 {
        direction *= 3.7;
    }
    match Ray::new(origin, direction) {
        Ok(ray) => (ray, triangle),
        Err(_) => hard_case(random),
    }
}

fn compare_with_rationals(seed: u64, count: usize) -> (usize, usize) {
    let mut random = Random(seed);
    let (mut hits, mut touches) = (0, 0);
    for case in 0..count {
        let (ray, triangle) = hard_case(&mut random);
        let expected = exact_hit(&ray, &triangle);
        let found = ray_hit(&ray, &triangle);
        assert_eq!(found.is_some(), expected.is_some(), "seed {seed}, case {case}: {ray:?} {triangle:?}");
        if let (Some(found), Some(expected)) = (found, expected) {
            hits += 1;
            let error = (BigRational::from_float(found).unwrap() - &expected) * BigRational::from_float(1e12).unwrap();
            assert!(
                -&expected <= error && error <= expected,
                "seed {seed}, case {case}: t = {found}, {ray:?} {triangle:?}"
            );
            // Moved a little, most of those that touch an edge would miss.
            touches += usize::from(triangle.0.iter().any(|v| {
                let [a, b] = [minus(&exact(*v), &exact(ray.origin())), exact(ray.direction())];
                cross(&a, &b).iter().all(|x| *x == BigRational::from(BigInt::from(0)))
            }));
        }
    }
    (hits, touches)
}

/// So many cases by default, or `CLEARANCE_RAYS`.
#[test]
fn a_ray_and_a_triangle_meet_exactly_where_rational_numbers_say() {
    let count = count_or("CLEARANCE_RAYS", 4000);
    let (hits, touches) = compare_with_rationals(1, count);
    eprintln!("{count} rays and triangles: {hits} hits, {touches} through vertices");
    assert!(hits * 10 > count && hits * 10 < count * 9 && touches * 80 > count, "{hits}, {touches} of {count}");
}

/// A closed surface of few triangles about the origin: a random hull, a torus, or a box, with
/// coordinates on a grid or not.
fn closed_surface(random: &mut Random) -> TriMesh {
    match random.below(3) {
        0 => {
            let axes = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
            let count = [0, 4, 60][random.below(3)];
            let mut points: Vec<DVec3> = axes.into_iter().collect();
            points.extend((0..count).map(|_| random.vector()));
            clearance_engine::shape::ConvexPolyhedron::hull_of(&points).unwrap().surface().unwrap()
        }
        1 => torus(1.0, 0.4, 5 + random.below(20), 3 + random.below(12)),
        _ => {
            let n = 1 + random.below(5);
            grid_box(n)
        }
    }
}

fn torus(major: f64, minor: f64, along: usize, around: usize) -> TriMesh {
    use std::f64::consts::TAU;
    let mut vertices = Vec::new();
    for i in 0..along {
        let (s, c) = (i as f64 / along as f64 * TAU).sin_cos();
        for j in 0..around {
            let (t, u) = (j as f64 / around as f64 * TAU).sin_cos();
            vertices.push(DVec3::new(c * (major + minor * u), s * (major + minor * u), minor * t));
        }
    }
    let id = |i: usize, j: usize| ((i % along) * around + j % around) as u32;
    let quads = (0..along).flat_map(|i| (0..around).map(move |j| (i, j)));
    let triangles = quads.flat_map(|(i, j)| {
        let (a, b, c, d) = (id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1));
        [[a, b, c], [a, c, d]]
    });
    TriMesh::new(vertices, triangles.collect()).unwrap()
}

/// The surface of [-1, 1]³, each face of n × n squares.
fn grid_box(n: usize) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let first = vertices.len() as u32;
            for i in 0..=n {
                for j in 0..=n {
                    let mut vertex = [0.0; 3];
                    vertex[axis] = side;
                    vertex[(axis + 1) % 3] = 2.0 * i as f64 / n as f64 - 1.0;
                    vertex[(axis + 2) % 3] = 2.0 * j as f64 / n as f64 - 1.0;
                    vertices.push(DVec3::from_array(vertex));
                }
            }
            for i in 0..n {
                for j in 0..n {
                    let at = |i: usize, j: usize| first + (i * (n + 1) + j) as u32;
                    let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
                    let (one, two) = ([a, b, c], [a, c, d]);
                    if side > 0.0 {
                        triangles.extend([one, two]);
                    } else {
                        triangles.extend([one, two].map(|[a, b, c]| [a, c, b]));
                    }
                }
            }
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// A ray from `origin`, most often through a vertex or an edge.
fn ray_towards(random: &mut Random, mesh: &TriMesh, origin: DVec3) -> Ray {
    loop {
        let triangle = mesh.triangle(random.below(mesh.len()) as u32);
        let [p, q, r] = triangle.0;
        let target = match random.below(5) {
            0 => p,
            1 => (p + q) * 0.5,
            2 => p + (q - p) * random.unit(),
            3 => triangle.centroid(),
            _ => p + (q - p) * random.unit() + (r - p) * random.unit(),
        };
        let axis = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X][random.below(4)];
        let direction = if random.below(8) == 0 { axis } else { target - origin };
        if let Ok(ray) = Ray::new(origin, direction) {
            return ray;
        }
    }
}

/// Casts rays at closed surfaces: the tree's hits are those of all triangles, and a ray between a
/// point inside and one outside hits.
fn compare_with_all_triangles(seed: u64, rays: usize) -> (usize, usize) {
    let mut random = Random(seed);
    let (mut cast, mut from_inside) = (0, 0);
    while cast < rays {
        let base = closed_surface(&mut random);
        let (scale, offset) = [(1.0, 0.0), (1e-3, 0.0), (1e5, 0.0), (1.0, 1e4), (0.37, 1.0)][random.below(5)];
        let move_to = random.vector() * offset;
        let vertices = base.vertices().iter().map(|v| *v * scale + move_to).collect();
        let mesh: Mesh = Mesh::new(base.with_vertices(vertices).unwrap()).unwrap();
        let tri_mesh = mesh.tri_mesh().clone();
        let (low, high) = tri_mesh.bounding_box();
        let size = (high - low).length();
        let mut one_by_one = Vec::new();
        for _ in 0..100 {
            cast += 1;
            let origin = match random.below(6) {
                0 => tri_mesh.vertices()[random.below(tri_mesh.vertices().len())],
                1 => low + (high - low) * 0.5 + random.vector() * size * 1e7,
                2 => low + (high - low) * 0.5,
                _ => low + (high - low) * 0.5 + random.vector() * size * 0.7,
            };
            let ray = ray_towards(&mut random, &tri_mesh, origin);
            let hits = mesh.ray_hits(&ray).unwrap();
            let all = (0..tri_mesh.len() as u32).filter_map(|i| Some((ray_hit(&ray, &tri_mesh.triangle(i))?, i)));
            let mut all: Vec<(f64, u32)> = all.collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let label = format!("seed {seed}, ray {cast}: {ray:?} at {mesh:?}");
            assert_eq!(hits.iter().map(|hit| (hit.t, hit.leaf)).collect::<Vec<_>>(), all, "{label}");
            assert_eq!(mesh.ray(&ray).unwrap(), hits.first().copied(), "{label}");
            assert_eq!(mesh.blocks_ray(&ray).unwrap(), !hits.is_empty(), "{label}");
            one_by_one.push((ray, hits.first().copied()));
            if let Some(last) = hits.last() {
                let shorter = ray.up_to(last.t * 0.75).unwrap();
                let expected: Vec<_> = hits.iter().copied().filter(|hit| hit.t <= last.t * 0.75).collect();
                assert_eq!(mesh.ray_hits(&shorter).unwrap(), expected, "{label}");
            }
            let winding = clearance_engine::pair::shape::winding_number(
                origin,
                (0..tri_mesh.len() as u32).map(|i| tri_mesh.triangle(i)),
            );
            if winding != 0 && hits.first().is_none_or(|hit| hit.t > 0.0) {
                from_inside += 1;
                assert!(!hits.is_empty(), "slipped out: {label}");
            }
        }
        let (rays, firsts): (Vec<_>, Vec<_>) = one_by_one.into_iter().unzip();
        for count in [rays.len(), 1, 0] {
            let found = cast_rays(&mesh, &rays[..count], Threads::One).unwrap();
            assert_eq!(found, firsts[..count], "seed {seed}, {count} rays up to {cast} at {mesh:?}");
        }
    }
    (cast, from_inside)
}

/// So many rays by default, or `CLEARANCE_RAYS`.
#[test]
fn no_ray_slips_through_a_closed_surface_and_the_tree_finds_what_all_triangles_have() {
    let (cast, from_inside) = compare_with_all_triangles(3, count_or("CLEARANCE_RAYS", 20_000));
    eprintln!("{cast} rays at closed surfaces, {from_inside} from inside");
    assert!(from_inside * 10 > cast, "{from_inside} of {cast}");
}

#[test]
fn hierarchies_of_other_volumes_have_the_same_hits() {
    let mut random = Random(11);
    for _ in 0..30 {
        let tri_mesh = random.tri_mesh(60, 1.0, DVec3::ZERO);
        let mesh: Mesh = Mesh::new(tri_mesh.clone()).unwrap();
        let others: [Box<dyn Geometry>; 3] = [
            Box::new(Mesh::<Aabb>::new(tri_mesh.clone()).unwrap()),
            Box::new(Mesh::<Sphere>::new(tri_mesh.clone()).unwrap()),
            Box::new(Mesh::<KIos>::new(tri_mesh.clone()).unwrap()),
        ];
        for _ in 0..50 {
            let origin = random.vector() * 2.0;
            let ray = ray_towards(&mut random, &tri_mesh, origin);
            let hits = mesh.ray_hits(&ray).unwrap();
            for other in &others {
                assert_eq!(other.ray_hits(&ray).unwrap(), hits, "{}: {ray:?}", other.kind());
                assert_eq!(other.ray(&ray).unwrap(), hits.first().copied());
                assert_eq!(other.blocks_ray(&ray).unwrap(), !hits.is_empty());
            }
        }
    }
}

#[test]
fn a_solid_height_field_is_closed_and_hit_by_the_rays_that_its_triangles_are() {
    let mut random = Random(5);
    let heights: Vec<f64> = (0..63).map(|_| random.below(4) as f64 * 0.25).collect();
    let field = HeightField::new(9, 7, [0.5, 0.25], heights).unwrap().into_solid(-1.0).unwrap();
    for _ in 0..3000 {
        let inside = DVec3::new(random.between(0.1, 3.9), random.between(0.1, 1.4), -0.5);
        // Through the places above vertices and edges of cells.
        let above = DVec3::new(0.25 * random.below(17) as f64, 0.125 * random.below(13) as f64, 3.0);
        let ray = Ray::new(above, inside - above).unwrap();
        let hit = field.ray(&ray).unwrap().expect("a ray into the ground hits");
        let triangle = field.leaf_triangle(hit.leaf).unwrap();
        assert_eq!(ray_hit(&ray, &triangle), Some(hit.t));
        assert!(triangle.nearest(hit.point - triangle.0[0]).distance(hit.point - triangle.0[0]) < 1e-12);
    }
}

/// How far a point is from the surface of a primitive, up to rounding; from the primitive where it
/// is outside, by its supports where it is inside.
fn off_surface(primitive: &clearance_engine::shape::Primitive, point: DVec3, normal: DVec3) -> f64 {
    let offset = point - primitive.center();
    let outside = (offset - primitive.surely_nearest(offset)).length() - primitive.radius();
    // The plane across the normal touches the primitive from outside: it bounds how deep a point is.
    let top = primitive.support(normal).dot(normal) + primitive.radius();
    outside.max(top - offset.dot(normal))
}

#[test]
fn hits_of_primitives_lie_on_their_surface_and_their_normals_are_those_of_tangent_planes() {
    use clearance_engine::tree::Solid;
    let mut random = Random(21);
    let mut hits = [0; 7];
    for case in 0..14_000 {
        let which = case % 7;
        let primitive = random.solid(which, 2.0).transformed(&random.pose(3.0));
        let solid = Solid::new(primitive.clone());
        let center = primitive.center();
        let far = [1.0, 3.0, 1e4][random.below(3)];
        let origin = center + random.vector() * far;
        let target = center + random.vector() * 0.6;
        let Ok(ray) = Ray::new(origin, (target - origin) * random.between(0.1, 3.0)) else { continue };
        let found = solid.ray_hits(&ray).unwrap();
        assert_eq!(solid.ray(&ray).unwrap().map(|hit| hit.t), found.first().map(|hit| hit.t));
        assert_eq!(solid.blocks_ray(&ray).unwrap(), !found.is_empty());
        for hit in &found {
            hits[which] += 1;
            let off = off_surface(&primitive, hit.point, hit.normal);
            assert!(off.abs() < 1e-12 * (1.0 + far), "case {case}: {off} at {hit:?} of {primitive:?}");
            assert!((hit.normal.length() - 1.0).abs() < 1e-12);
        }
        // Between its hits the ray is inside: the first one faces the origin, the other does not.
        let inside = |t: f64| {
            let offset = ray.at(t) - center;
            (offset - primitive.surely_nearest(offset)).length() <= primitive.radius() + 1e-12 * (1.0 + far)
        };
        if let [first, .., last] = found[..] {
            assert!(inside(0.5 * (first.t + last.t)) || last.t - first.t < 1e-6, "case {case}");
            assert!(first.normal.dot(ray.direction()) <= 1e-9 && last.normal.dot(ray.direction()) >= -1e-9);
        }
        // No ray that comes inside is missed.
        let steps = (0..50).map(|k| ray.at(f64::from(k) * 0.1));
        let deep = primitive.inner() > 0.0
            && steps.into_iter().any(|point| (point - center).length() < 0.9 * primitive.inner());
        assert!(!deep || !found.is_empty(), "case {case}: {ray:?} misses {primitive:?}");
    }
    assert!(hits.iter().all(|&count| count > 500), "{hits:?}");
}

#[test]
fn clouds_voxels_planes_and_assemblies_have_the_hits_of_their_parts() {
    use clearance_engine::Pose;
    use clearance_engine::assembly::Assembly;
    use clearance_engine::math::IVec3;
    use clearance_engine::shape::{HalfSpace, Primitive, RayHit, Sphere as Ball};
    use clearance_engine::tree::voxel_map::{Cell, Cells, VoxelMap};
    use clearance_engine::tree::{HalfSpaceGeometry, PointCloud, PrimitiveBvhNodes, Solid};
    use std::sync::Arc;
    let mut random = Random(8);
    let points: Vec<DVec3> = (0..300).map(|_| random.vector()).collect();
    let cloud = PointCloud::new(points.clone(), 0.05).unwrap();
    let mut map = VoxelMap::new(0.125).unwrap();
    for _ in 0..400 {
        let mut index = || random.below(16) as i32 - 8;
        map.set(IVec3::new(index(), index(), index()), Cell::Obstacle).unwrap();
    }
    let cells = map.snapshot().geometry(Cells::OBSTACLE).unwrap();
    let floor: Arc<dyn Geometry> = Arc::new(HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, -1.5).unwrap()));
    let pose = random.pose(1.0);
    let mut assembly = Assembly::default();
    let parts: Vec<(Arc<dyn Geometry>, Pose)> = vec![
        (floor, Pose::IDENTITY),
        (Arc::new(cloud.clone()), pose),
        (Arc::new(Solid::new(Ball::new(0.5).unwrap())), random.pose(2.0)),
        (Arc::new(Mesh::<clearance_engine::tree::Bvh8>::new(torus(1.0, 0.3, 12, 8)).unwrap()), random.pose(1.5)),
    ];
    for (geometry, pose) in &parts {
        assembly.insert(geometry.clone(), *pose);
    }
    let index = |p: DVec3| (p / 0.125).floor().as_ivec3();
    let nearest = |hits: Vec<RayHit>| hits.into_iter().map(|hit| hit.t).fold(f64::INFINITY, f64::min);
    let mut hit_count = 0;
    for _ in 0..2000 {
        let ray = Ray::new(random.vector() * 3.0, random.vector()).unwrap();
        let of = |solid: Primitive| Solid::new(solid).ray_hits(&ray).unwrap();
        let all: Vec<RayHit> = (0..300).flat_map(|i| of(cloud.solid(i).unwrap())).collect();
        assert_eq!(cloud.ray_hits(&ray).unwrap().len(), all.len());
        assert_eq!(cloud.ray(&ray).unwrap().map_or(f64::INFINITY, |hit| hit.t), nearest(all));
        if let Some(hit) = cells.ray(&ray).unwrap() {
            hit_count += 1;
            let cell = index(hit.point - hit.normal * 1e-6);
            assert_eq!(map.cell(cell), Cell::Obstacle, "{hit:?}");
            // Before the hit the ray is free, but for cells that it starts in.
            let before = index(ray.at(hit.t * 0.999));
            let start = index(ray.origin());
            assert!(map.cell(before) != Cell::Obstacle || map.cell(start) == Cell::Obstacle, "{ray:?}");
        }
        let by_part = parts.iter().map(|(geometry, pose)| {
            geometry.ray(&ray.transformed(&pose.inverse())).unwrap().map_or(f64::INFINITY, |hit| hit.t)
        });
        let expected: Vec<f64> = by_part.collect();
        let found = assembly.ray(&ray).unwrap();
        let least = expected.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(found.map_or(f64::INFINITY, |hit| hit.t), least);
        if let Some(hit) = found {
            assert_eq!(expected[hit.part as usize], hit.t);
            assert!(hit.point.distance(ray.at(hit.t)) == 0.0 && (hit.normal.length() - 1.0).abs() < 1e-12);
            let (geometry, pose) = &parts[hit.part as usize];
            let local = geometry.ray(&ray.transformed(&pose.inverse())).unwrap().unwrap();
            assert!(pose.transform_vector(local.normal).distance(hit.normal) < 1e-12);
        }
        assert_eq!(assembly.blocks_ray(&ray).unwrap(), least < f64::INFINITY);
    }
    assert!(hit_count > 100, "{hit_count}");
}

#[test]
fn a_boundary_that_a_ray_never_reaches_is_not_hit() {
    use clearance_engine::shape::HalfSpace;
    use clearance_engine::tree::HalfSpaceGeometry;
    let boundary = HalfSpaceGeometry::new(HalfSpace::new(DVec3::new(1.0, 0.0, 1e-250), -1e60).unwrap());
    let hit = boundary.ray(&Ray::new(DVec3::ZERO, DVec3::NEG_Z).unwrap()).unwrap();
    assert!(hit.is_none_or(|hit| hit.t.is_finite() && hit.point.is_finite()), "{hit:?}");
}
