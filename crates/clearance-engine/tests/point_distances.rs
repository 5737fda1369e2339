//! Signed distances of points against rational numbers and solid angles.

mod support;

use clearance_engine::math::DVec3;
use clearance_engine::pair::shape::winding_number;
use clearance_engine::shape::{Convex, PointDistance, Sign};
use clearance_engine::tree::{Geometry, Mesh, Solid};
use clearance_engine::volume::{Aabb, KIos};
use clearance_engine::{TriMesh, Triangle};
use num_bigint::BigInt;
use std::cmp::Ordering;
use std::f64::consts::PI;
use support::{Random, count_or};

/// A vector of integers, in a unit that is a power of two.
type Exact = [BigInt; 3];

/// A number as an integer times a power of two.
fn decoded(x: f64) -> (i64, i32) {
    let (bits, exponent) = (x.to_bits(), (x.to_bits() >> 52 & 0x7ff) as i32);
    let mantissa = (bits & ((1 << 52) - 1)) as i64 | if exponent > 0 { 1 << 52 } else { 0 };
    (if x < 0.0 { -mantissa } else { mantissa }, exponent.max(1) - 1075)
}

/// Vectors in the largest unit that suits all, 2 to the second part of the answer.
fn exact<const N: usize>(vectors: [DVec3; N]) -> ([Exact; N], i32) {
    let numbers = vectors.map(|v| v.to_array().map(decoded));
    let exponents = numbers.iter().flatten().filter(|(mantissa, _)| *mantissa != 0).map(|(_, exponent)| *exponent);
    let unit = exponents.min().unwrap_or(0);
    let integer = |(mantissa, exponent): (i64, i32)| BigInt::from(mantissa) << (exponent - unit).max(0);
    (numbers.map(|v| v.map(integer)), unit)
}

fn minus(a: &Exact, b: &Exact) -> Exact {
    [0, 1, 2].map(|k| &a[k] - &b[k])
}

fn dot(a: &Exact, b: &Exact) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

/// A squared length: a fraction of integers times a power of two. Common factors stay, as finding
/// them takes nearly all of the time.
struct Squared {
    numerator: BigInt,
    denominator: BigInt,
    exponent: i32,
}

impl Squared {
    fn whole(length: BigInt, exponent: i32) -> Self {
        Self { numerator: length, denominator: BigInt::from(1), exponent }
    }

    /// The smaller one of two in the same unit.
    fn min(self, other: Self) -> Self {
        let is_less = &self.numerator * &other.denominator <= &other.numerator * &self.denominator;
        if is_less { self } else { other }
    }

    fn is_zero(&self) -> bool {
        self.numerator == BigInt::from(0)
    }

    /// How it compares with the square of a number.
    fn compare(&self, x: f64) -> Ordering {
        let (mantissa, exponent) = decoded(x);
        let square = &self.denominator * BigInt::from(mantissa) * BigInt::from(mantissa);
        let shift = self.exponent - 2 * exponent;
        (&self.numerator << shift.max(0)).cmp(&(square << (-shift).max(0)))
    }
}

/// The exact squared distance of a point from a segment: its ends, or the foot between them.
fn to_segment(point: &Exact, from: &Exact, to: &Exact, exponent: i32) -> Squared {
    let (edge, way) = (minus(to, from), minus(point, from));
    let (along, length, whole) = (dot(&edge, &way), dot(&edge, &edge), dot(&way, &way));
    if along > BigInt::from(0) && along < length {
        return Squared { numerator: whole * &length - &along * &along, denominator: length, exponent };
    }
    let other = minus(point, to);
    Squared::whole(whole.min(dot(&other, &other)), exponent)
}

/// The exact squared distance of a point from a triangle: its edges, or its plane where the foot is
/// inside.
fn to_triangle(point: DVec3, triangle: &Triangle) -> Squared {
    let [p, q, r] = triangle.0;
    let ([point, p, q, r], unit) = exact([point, p, q, r]);
    let edge = |from: &Exact, to: &Exact| to_segment(&point, from, to, 2 * unit);
    let nearest = edge(&p, &q).min(edge(&q, &r)).min(edge(&r, &p));
    // The foot is p + (x·e + y·f) / area.
    let (e, f, way) = (minus(&q, &p), minus(&r, &p), minus(&point, &p));
    let (ee, ef, ff, ew, fw) = (dot(&e, &e), dot(&e, &f), dot(&f, &f), dot(&e, &way), dot(&f, &way));
    let (area, zero) = (&ee * &ff - &ef * &ef, BigInt::from(0));
    let (x, y) = (&ew * &ff - &fw * &ef, &fw * &ee - &ew * &ef);
    if area == zero || x < zero || y < zero || &x + &y > area {
        return nearest;
    }
    let normal = [0, 1, 2].map(|k| &e[(k + 1) % 3] * &f[(k + 2) % 3] - &e[(k + 2) % 3] * &f[(k + 1) % 3]);
    let height = dot(&normal, &way);
    Squared { numerator: &height * &height, denominator: area, exponent: 2 * unit }
}

/// Whether no point of a triangle is nearer than `lower`: a plane across the way shows it where it
/// is far, else rational numbers do.
fn is_no_nearer(point: DVec3, triangle: &Triangle, lower: f64, size: f64) -> bool {
    let offset = point - triangle.0[0];
    let way = (offset - triangle.nearest(offset)).normalize_or_zero();
    let height = triangle.0.iter().map(|vertex| (point - vertex).dot(way)).fold(f64::INFINITY, f64::min);
    height > lower + 1e-9 * size || lower <= 0.0 || to_triangle(point, triangle).compare(lower).is_ge()
}

fn solid_angles(mesh: &TriMesh, point: DVec3) -> f64 {
    let angle = |i: u32| {
        let [a, b, c] = mesh.triangle(i).0.map(|vertex| (vertex - point).normalize());
        let volume = a.dot(b.cross(c));
        2.0 * volume.atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a))
    };
    (0..mesh.len() as u32).map(angle).sum::<f64>() / (4.0 * PI)
}

/// A closed surface of few triangles.
fn closed_surface(random: &mut Random) -> TriMesh {
    let count = [6, 10, 40][random.below(3)];
    let points: Vec<DVec3> = (0..count).map(|_| random.vector()).collect();
    match clearance_engine::shape::ConvexPolyhedron::hull_of(&points) {
        Ok(hull) if random.below(2) == 0 => hull.surface().unwrap(),
        // Two that overlap, which is closed too.
        Ok(hull) => {
            let surface = hull.surface().unwrap();
            let shift = surface.vertices().len() as u32;
            let mut vertices = surface.vertices().to_vec();
            vertices.extend(surface.vertices().iter().map(|vertex| *vertex * 0.7 + DVec3::new(0.4, 0.1, 0.2)));
            let mut triangles = surface.triangles().to_vec();
            triangles.extend(surface.triangles().iter().map(|triangle| triangle.map(|i| i + shift)));
            TriMesh::new(vertices, triangles).unwrap()
        }
        Err(_) => closed_surface(random),
    }
}

/// A point anywhere, near to the surface, on it, or on a grid with its vertices.
fn point_about(random: &mut Random, mesh: &TriMesh) -> DVec3 {
    let [p, q, r] = mesh.triangle(random.below(mesh.len()) as u32).0;
    let on = p + (q - p) * random.unit() * 0.5 + (r - p) * random.unit() * 0.5;
    match random.below(6) {
        0 => on + random.vector() * 0.01,
        1 => on + random.vector() * 1e-9,
        2 => p,
        3 => random.vector() * [1e3, 1e7][random.below(2)],
        4 => DVec3::new(on.x + random.signed(), p.y, p.z),
        _ => random.vector() * 1.2,
    }
}

/// Compares signed distances with exact ones: every bound with rational numbers where rounding could
/// matter, every sign with exact predicates.
fn compare(seed: u64, points: usize) -> (usize, usize) {
    let mut random = Random(seed);
    let (mut asked, mut inside_count) = (0, 0);
    while asked < points {
        let surface = closed_surface(&mut random);
        let (scale, offset) = [(1.0, 0.0), (1e-4, 0.0), (1e5, 0.0), (1.0, 1e3)][random.below(4)];
        let move_to = random.vector() * offset;
        let vertices = surface.vertices().iter().map(|v| *v * scale + move_to).collect();
        let surface = surface.with_vertices(vertices).unwrap();
        let mesh: Mesh = Mesh::new(surface.clone()).unwrap();
        for _ in 0..100 {
            asked += 1;
            let local = point_about(&mut random, &closed_local(&surface, scale, move_to));
            let point = local * scale + move_to;
            let found = mesh.signed_distance(point).unwrap();
            let label = format!("seed {seed}, point {asked}: {point}, {found:?}, {mesh:?}");
            let all = || (0..surface.len() as u32).map(|i| surface.triangle(i));
            let nearest =
                all().map(|t| (point - t.0[0] - t.nearest(point - t.0[0])).length()).fold(f64::INFINITY, f64::min);
            let size = (point - move_to).length() + 2.0 * scale + offset;
            assert!((found.distance.abs() - nearest).abs() <= 1e-13 * size, "{label}: {nearest}");
            assert!(found.lower <= found.distance && found.distance <= found.upper, "{label}");
            assert!(found.upper - found.lower <= 1e-12 * size, "{label}");
            assert_eq!(found.sign, Sign::Closed);
            assert!((found.gradient.length() - 1.0).abs() < 1e-12, "{label}");
            assert!((found.nearest + found.gradient * found.distance).distance(point) <= 1e-12 * size, "{label}");
            if nearest > 1e-6 * scale && (point - move_to).length() < 10.0 * scale {
                let winding = solid_angles(&surface, point);
                assert!((winding - winding.round()).abs() < 0.01, "{label}: {winding}");
                assert_eq!(found.is_inside(), winding.round() != 0.0, "{label}: {winding}");
            }
            inside_count += usize::from(found.is_inside());
            let (low, high) = if found.is_inside() { (-found.upper, -found.lower) } else { (found.lower, found.upper) };
            assert!(all().all(|t| is_no_nearer(point, &t, low, size)), "{label}");
            let squared = to_triangle(point, &surface.triangle(found.leaf));
            assert!(squared.compare(high).is_le(), "{label}");
            if !squared.is_zero() {
                assert_eq!(found.distance < 0.0, winding_number(point, all()) != 0, "{label}");
            }
        }
    }
    (asked, inside_count)
}

/// The surface before it was scaled and moved, up to rounding.
fn closed_local(surface: &TriMesh, scale: f64, move_to: DVec3) -> TriMesh {
    surface.with_vertices(surface.vertices().iter().map(|v| (*v - move_to) / scale).collect()).unwrap()
}

/// So many points by default, or `CLEARANCE_POINTS`.
#[test]
fn signed_distances_of_closed_meshes_hold_the_rational_ones() {
    let (asked, inside) = compare(1, count_or("CLEARANCE_POINTS", 4000));
    eprintln!("{asked} points, {inside} inside");
    assert!(inside * 20 > asked, "{inside} of {asked}");
}

/// Surfaces that overlap, contain, touch or fold onto each other, all closed.
fn surfaces_together(random: &mut Random, which: usize) -> TriMesh {
    let count = [6, 10, 40][random.below(3)];
    let points: Vec<DVec3> = (0..count).map(|_| random.vector()).collect();
    let Ok(hull) = clearance_engine::shape::ConvexPolyhedron::hull_of(&points) else {
        return surfaces_together(random, which);
    };
    let one = hull.surface().unwrap();
    let (mut vertices, mut triangles) = (one.vertices().to_vec(), one.triangles().to_vec());
    let shift = vertices.len() as u32;
    let mut add = |place: &dyn Fn(DVec3) -> DVec3, inward: bool| {
        vertices.extend(one.vertices().iter().map(|&vertex| place(vertex)));
        let moved = one.triangles().iter().map(|triangle| triangle.map(|i| i + shift));
        triangles.extend(moved.map(|[a, b, c]| if inward { [a, c, b] } else { [a, b, c] }));
    };
    let mean = one.vertices().iter().sum::<DVec3>() / f64::from(shift);
    let within = |vertex: DVec3| mean + (vertex - mean) * 0.5;
    match which {
        0 => {}
        1 => add(&|vertex| vertex * 0.7 + DVec3::new(0.4, 0.1, 0.2), false),
        // A hollow, a solid in a solid, and one that is inside out in another.
        2 => add(&within, true),
        3 => add(&within, false),
        4 => add(&|vertex| vertex * 3.0, true),
        // Mirrored at a vertex: that is all they share. At its highest vertex, and at any.
        5 => {
            let top = one.vertices().iter().copied().fold(DVec3::NEG_INFINITY, |a, b| if b.z > a.z { b } else { a });
            add(&|vertex| top * 2.0 - vertex, true);
        }
        6 => add(&|vertex| one.vertices()[0] * 2.0 - vertex, true),
        // The same twice, once inward.
        7 => add(&|vertex| vertex, false),
        _ => add(&|vertex| vertex, true),
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// After as many points as there are triangles, the sides of triangles decide instead of rays.
#[test]
fn signs_are_exact_where_surfaces_overlap_contain_or_touch_each_other() {
    let mut random = Random(31);
    let mut inside_count = [0; 9];
    for case in 0..90 {
        let which = case % 9;
        let surface = surfaces_together(&mut random, which);
        let mesh: Mesh = Mesh::new(surface.clone()).unwrap();
        let all = || (0..surface.len() as u32).map(|i| surface.triangle(i));
        for asked in 0..4 * surface.len() + 100 {
            let [p, q, r] = surface.triangle(random.below(surface.len()) as u32).0;
            let on = p + (q - p) * random.unit() * 0.5 + (r - p) * random.unit() * 0.5;
            let point = on + random.vector() * [1e-12, 1e-3, 0.1, 0.5][random.below(4)];
            let found = mesh.signed_distance(point).unwrap();
            if found.lower.abs().min(found.upper.abs()) > 0.0 && found.lower * found.upper > 0.0 {
                let winding = winding_number(point, all());
                assert_eq!(found.is_inside(), winding != 0, "case {case}, point {asked}: {point} {found:?} {winding}");
                inside_count[which] += usize::from(found.is_inside());
            }
        }
    }
    // The last one has no inside.
    assert!(inside_count[..8].iter().all(|&count| count > 300) && inside_count[8] == 0, "{inside_count:?}");
}

#[test]
fn batches_on_any_number_of_threads_answer_as_single_points_do() {
    use clearance_engine::dispatch::{Threads, signed_distances};
    let mut random = Random(8);
    let open = random.tri_mesh(300, 1.0, DVec3::ZERO);
    for surface in [closed_surface(&mut random), surfaces_together(&mut random, 1), open] {
        let mut points: Vec<DVec3> = (0..3000).map(|_| point_about(&mut random, &surface)).collect();
        points.extend([DVec3::ZERO, DVec3::splat(1e90)]);
        // A mesh of its own for each: what one finds out must not change what another says.
        let mesh: Mesh = Mesh::new(surface).unwrap();
        let one_by_one: Vec<PointDistance> = points.iter().map(|&p| mesh.signed_distance(p).unwrap()).collect();
        for threads in [Threads::One, Threads::Count(3)] {
            let mesh = Mesh::<clearance_engine::tree::Bvh8>::new(mesh.tri_mesh().clone()).unwrap();
            assert_eq!(signed_distances(&mesh, &points, threads).unwrap(), one_by_one);
            assert_eq!(signed_distances(&mesh, &points[..1], threads).unwrap(), one_by_one[..1]);
        }
        let mesh: &dyn Geometry = &mesh;
        assert!(signed_distances(mesh, &[], Threads::One).unwrap().is_empty());
        points[7] = DVec3::NAN;
        let error = signed_distances(mesh, &points, Threads::Count(2)).unwrap_err();
        assert!(error.to_string().contains("point 7"), "{error}");
    }
}

#[test]
fn points_too_far_for_lanes_are_answered_wherever_they_are_in_a_batch() {
    use clearance_engine::dispatch::{Threads, signed_distances};
    let mut random = Random(21);
    let mesh = || Mesh::<clearance_engine::tree::Bvh8>::new(closed_surface(&mut Random(3))).unwrap();
    let near: Vec<DVec3> = (0..40).map(|_| random.vector()).collect();
    for count in 1..=40_usize {
        for far in [0..1, 0..count.div_ceil(3), count / 2..count, 0..count] {
            let mut points = near[..count].to_vec();
            points[far].iter_mut().for_each(|point| *point = DVec3::new(-1e7, 0.5, 0.25) + *point);
            let one_by_one: Vec<PointDistance> = points.iter().map(|&p| mesh().signed_distance(p).unwrap()).collect();
            assert_eq!(mesh().signed_distances(&points).unwrap(), one_by_one, "{count}");
            for threads in [Threads::One, Threads::Count(2)] {
                assert_eq!(signed_distances(&mesh(), &points, threads).unwrap(), one_by_one, "{count}");
            }
        }
    }
}

#[test]
fn other_hierarchies_agree_and_open_meshes_have_the_generalised_winding_number() {
    let mut random = Random(4);
    for _ in 0..20 {
        let surface = closed_surface(&mut random);
        let open = TriMesh::new(surface.vertices().to_vec(), surface.triangles()[1..].to_vec()).unwrap();
        for (tri_mesh, closed) in [(surface, true), (open, false)] {
            let mesh: Mesh = Mesh::new(tri_mesh.clone()).unwrap();
            let others: [Box<dyn Geometry>; 2] = [
                Box::new(Mesh::<Aabb>::new(tri_mesh.clone()).unwrap()),
                Box::new(Mesh::<KIos>::new(tri_mesh.clone()).unwrap()),
            ];
            for _ in 0..50 {
                let point = random.vector() * 1.5;
                let found = mesh.signed_distance(point).unwrap();
                for other in &others {
                    let other = other.signed_distance(point).unwrap();
                    assert_eq!(other.distance.abs(), found.distance.abs(), "{point}");
                    assert!(other.leaf == found.leaf && other.nearest == found.nearest);
                    assert!(!closed || other == found, "{other:?} {found:?}");
                }
                if let Sign::Winding(winding) = found.sign {
                    assert!(!closed);
                    let expected = solid_angles(&tri_mesh, point);
                    assert!((winding - expected).abs() < 0.05, "{winding} {expected}");
                    assert_eq!(found.is_inside(), winding >= 0.5);
                } else {
                    assert!(closed);
                }
            }
        }
    }
}

#[test]
fn signed_distances_of_primitives_are_certified_and_reach_the_surface() {
    let mut random = Random(6);
    let mut inside = [0; 7];
    for case in 0..14_000 {
        let which = case % 7;
        let primitive = random.solid(which, 2.0).transformed(&random.pose(3.0));
        let solid = Solid::new(primitive.clone());
        let center = primitive.center();
        let point = center + random.vector() * [0.3, 1.0, 5.0][random.below(3)];
        let found = solid.signed_distance(point).unwrap();
        let label = format!("case {case}: {point} {found:?} {primitive:?}");
        assert!(found.lower <= found.distance && found.distance <= found.upper, "{label}");
        assert!(found.upper - found.lower < 1e-11, "{label}");
        let offset = point - center;
        let outside = (offset - primitive.surely_nearest(offset)).length() - primitive.radius();
        if found.distance > 1e-9 {
            assert!((outside - found.distance).abs() < 1e-12, "{label}");
        } else {
            assert!(outside <= 1e-9, "{label}");
            inside[which] += 1;
        }
        // No plane that touches the primitive is nearer than the depth, and none lets the point be
        // farther outside than it is.
        for _ in 0..20 {
            let n = random.vector().normalize();
            let height = offset.dot(n) - primitive.support(n).dot(n) - primitive.radius();
            assert!(height <= found.upper + 1e-12, "{label}: {height}");
        }
        let tight =
            offset.dot(found.gradient) - primitive.support(found.gradient).dot(found.gradient) - primitive.radius();
        assert!((tight - found.distance).abs() < 1e-11, "{label}: {tight}");
        assert!((found.nearest + found.gradient * found.distance).distance(point) < 1e-12, "{label}");
    }
    assert!(inside.iter().all(|&count| count > 100), "{inside:?}");
}

#[test]
fn unions_are_as_far_as_their_nearest_part_and_honest_inside() {
    use clearance_engine::assembly::Assembly;
    use clearance_engine::math::IVec3;
    use clearance_engine::shape::{HalfSpace, Plane};
    use clearance_engine::tree::voxel_map::{Cell, Cells, VoxelMap};
    use clearance_engine::tree::{HalfSpaceGeometry, PointCloud, PrimitiveBvhNodes};
    use std::sync::Arc;
    let mut random = Random(12);
    let cloud = PointCloud::new((0..200).map(|_| random.vector()).collect(), 0.05).unwrap();
    let mut map = VoxelMap::new(0.25).unwrap();
    for _ in 0..60 {
        let mut index = || random.below(8) as i32 - 4;
        map.set(IVec3::new(index(), index(), index()), Cell::Obstacle).unwrap();
    }
    let cells = map.snapshot().geometry(Cells::OBSTACLE).unwrap();
    let mut assembly = Assembly::default();
    let parts: Vec<(Arc<dyn Geometry>, clearance_engine::Pose)> = (0..6)
        .map(|which| (Arc::new(Solid::new(random.solid(which, 1.0))) as Arc<dyn Geometry>, random.pose(1.0)))
        .chain([(
            Arc::new(HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, -2.0).unwrap())) as _,
            clearance_engine::Pose::IDENTITY,
        )])
        .collect();
    for (geometry, pose) in &parts {
        assembly.insert(geometry.clone(), *pose);
    }
    let mut inside = 0;
    for _ in 0..2000 {
        let point = random.vector() * 2.0;
        let spheres = (0..200).map(|i| Solid::new(cloud.solid(i).unwrap()).signed_distance(point).unwrap().distance);
        let nearest = spheres.fold(f64::INFINITY, f64::min);
        let found = cloud.signed_distance(point).unwrap();
        assert!((found.distance - nearest).abs() < 1e-12, "{found:?} {nearest}");
        let index = (point / 0.25).floor().as_ivec3();
        let found = cells.signed_distance(point).unwrap();
        let in_cell = index.abs().max_element() < 100 && map.cell(index) == Cell::Obstacle;
        assert_eq!(found.distance < 0.0, in_cell, "{point} {found:?}");
        inside += usize::from(in_cell);
        // The whole cells between the point and the nearest free one, inside; outside, the walk to
        // all cells.
        let mut true_distance = f64::INFINITY;
        for x in -10..10 {
            for y in -10..10 {
                for z in -10..10 {
                    let cell = IVec3::new(x, y, z);
                    if (map.cell(cell) == Cell::Obstacle) != in_cell {
                        let low = cell.as_dvec3() * 0.25;
                        true_distance = true_distance.min((point - point.clamp(low, low + 0.25)).length());
                    }
                }
            }
        }
        let signed = if in_cell { -true_distance } else { true_distance };
        assert!(found.lower <= signed + 1e-12 && signed <= found.upper + 1e-12, "{signed} {found:?}");
        let expected = parts
            .iter()
            .map(|(geometry, pose)| geometry.signed_distance(pose.inverse().transform_point(point)).unwrap().distance);
        let expected: Vec<f64> = expected.collect();
        let found = assembly.signed_distance(point).unwrap();
        let least = expected.iter().copied().fold(f64::INFINITY, f64::min);
        assert!((found.distance - least).abs() < 1e-12 && (expected[found.part as usize] - least).abs() < 1e-12);
    }
    assert!(inside > 20, "{inside}");
    let plane = HalfSpaceGeometry::new(Plane::new(DVec3::X, 1.0).unwrap());
    let found = plane.signed_distance(DVec3::new(-1.0, 2.0, 0.0)).unwrap();
    assert!((found.distance, found.gradient, found.sign) == (2.0, DVec3::NEG_X, Sign::Unsigned));
    assert!(Assembly::default().signed_distance(DVec3::ZERO).is_err());
    assert!(plane.signed_distance(DVec3::NAN).is_err());
}

#[test]
fn bounds_of_tiny_triangles_and_needles_hold() {
    use clearance_engine::shape::Ellipsoid;
    let mut random = Random(77);
    for scale in [1e-40, 1e-53, 1e-60, 1e-90] {
        let vertices = [DVec3::ZERO, DVec3::X, DVec3::new(0.3, 0.8, 0.0)].map(|vertex| vertex * scale);
        let mesh: Mesh = Mesh::new(TriMesh::new(vertices.to_vec(), vec![[0, 1, 2]]).unwrap()).unwrap();
        for _ in 0..200 {
            let below = random.between(1e-15, 1e-10);
            let point = DVec3::new(random.between(0.1, 0.9), -below, 0.0) * scale;
            let found = mesh.signed_distance(point).unwrap();
            let (lower, upper) = (found.lower.abs().min(found.upper.abs()), found.lower.abs().max(found.upper.abs()));
            let rounding = 1e-15 * scale;
            assert!(lower <= -point.y + rounding && upper >= -point.y - rounding, "{scale} {point} {found:?}");
        }
    }
    let needle = Solid::new(Ellipsoid::new(DVec3::new(1.0, 1e-170, 1e-170)).unwrap());
    let found = needle.signed_distance(DVec3::ZERO).unwrap();
    assert!(found.lower <= 0.0 && found.upper >= -1e-160 && found.nearest.is_finite(), "{found:?}");
}
