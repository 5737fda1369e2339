//! Distance fields against the solids that they were made of: bounds of points and distances of bodies
//! hold the truth whatever the field was made of, changed fields are those made afresh, and what cannot
//! be a field is refused.

mod support;

use clearance_engine::dispatch::Pair;
use clearance_engine::math::{DVec3, IVec3};
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Implicit, Primitive, SampledField, Sphere};
use clearance_engine::tree::voxel_map::{Cell, Cells, VoxelMap};
use clearance_engine::tree::{
    Assembly, Csg, DistanceField, Geometry, HalfSpaceGeometry, IntoGeometry, Mesh, PointCloud, Solid, VoxelField,
};
use clearance_engine::{ErrorKind, Pose, TriMesh};
use std::sync::Arc;
use support::Random;

/// The box from -half to half as twelve triangles that look outward.
fn box_mesh(half: DVec3) -> TriMesh {
    let vertices =
        (0..8).map(|i| half * (DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64) * 2.0 - 1.0)).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh::new(vertices, triangles).unwrap()
}

/// The signed distance of a point from a box about the origin.
fn from_box(point: DVec3, half: DVec3) -> f64 {
    let beyond = point.abs() - half;
    beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0)
}

/// A sphere by its squared radius, whose slope is not 1 anywhere but on one shell.
struct Quadric(f64);

impl Implicit for Quadric {
    fn value(&self, p: DVec3) -> f64 {
        p.length_squared() - self.0 * self.0
    }

    fn lipschitz(&self) -> f64 {
        2.2 * 3.0_f64.sqrt() * self.0
    }

    fn bounding_box(&self) -> (DVec3, DVec3) {
        (DVec3::splat(-self.0 * 1.1), DVec3::splat(self.0 * 1.1))
    }
}

/// A sphere by its distance.
struct Ball(f64);

impl Implicit for Ball {
    fn value(&self, p: DVec3) -> f64 {
        p.length() - self.0
    }

    fn lipschitz(&self) -> f64 {
        1.0
    }

    fn bounding_box(&self) -> (DVec3, DVec3) {
        (DVec3::splat(-self.0), DVec3::splat(self.0))
    }

    fn holds_outside(&self) -> bool {
        true
    }
}

/// Holds bounds at many points against the truth, and returns the widest interval near the solid.
fn check_points(field: &SampledField, truth: impl Fn(DVec3) -> f64, label: &str) -> f64 {
    let mut random = Random(77);
    let (low, high) = field.bounding_box();
    let (mut widest, mut inside) = (0.0_f64, 0);
    for case in 0..20_000 {
        let scale = [1.0, 1.0, 1.0, 5.0][case % 4];
        let point = (low + high) * 0.5 + (high - low) * random.vector() * 0.5 * scale;
        let (bounds, true_distance) = (field.bounds(point), truth(point));
        assert!(
            bounds.lower <= true_distance + 1e-9 && true_distance <= bounds.upper + 1e-9,
            "{label}: {point} {true_distance} {bounds:?}"
        );
        if bounds.upper > 0.0 {
            assert!(truth(bounds.nearest) <= 1e-6, "{label}: {bounds:?} is not of the solid");
            assert!(bounds.nearest.distance(point) <= bounds.upper + 1e-9, "{label}: {bounds:?}");
        } else {
            inside += 1;
            assert!(truth(point) <= 1e-9, "{label}");
        }
        if scale == 1.0 {
            widest = widest.max(bounds.upper - bounds.lower);
        }
    }
    assert!(widest <= field.error(), "{label}: {widest} is more than {}", field.error());
    assert!(inside > 100, "{label}: {inside} points are inside: the test must see some");
    widest
}

#[test]
fn bounds_of_points_hold_the_truth_whatever_the_field_is_of() {
    let half = DVec3::new(0.5, 0.3, 0.2);
    let closed: Mesh = Mesh::new(box_mesh(half)).unwrap().into_solid().unwrap();
    let fields: [(&str, &dyn Geometry); 2] =
        [("solid", &Solid::new(Cuboid::from_half_extents(half).unwrap())), ("mesh", &closed)];
    for (label, geometry) in fields {
        let mut last = f64::INFINITY;
        for spacing in [0.1, 0.05, 0.02] {
            let field = DistanceField::of(geometry, spacing).unwrap();
            let widest = check_points(field.field(), |point| from_box(point, half), label);
            assert!(widest < last, "{label}: a finer grid is no better");
            last = widest;
            assert!(field.error() < 2.0 * spacing, "{label}: {} at {spacing}", field.error());
        }
    }
    let ball = DistanceField::implicit(Ball(0.4), 0.05).unwrap();
    check_points(ball.field(), |point| point.length() - 0.4, "ball");
    let quadric = DistanceField::implicit(Quadric(0.4), 0.05).unwrap();
    check_points(quadric.field(), |point| point.length() - 0.4, "quadric");
    let mut random = Random(5);
    let points: Vec<DVec3> = (0..50).map(|_| random.vector()).collect();
    let cloud = PointCloud::new(points.clone(), 0.3).unwrap();
    let field = DistanceField::of(&cloud, 0.1).unwrap();
    let outside = |p: DVec3| points.iter().map(|q| q.distance(p) - 0.3).fold(f64::INFINITY, f64::min);
    let mut met = 0;
    for _ in 0..5000 {
        let point = random.vector() * 2.0;
        let (bounds, truth) = (field.field().bounds(point), outside(point));
        // Inside, the depth of a union is more than that of any of its spheres.
        assert!(truth <= bounds.upper + 1e-9 || truth < 0.0, "{point} {truth} {bounds:?}");
        assert!(bounds.lower <= truth.max(0.0) + 1e-9, "{point} {truth} {bounds:?}");
        assert!(bounds.upper > 0.0 || truth <= 1e-9, "{point} {truth} {bounds:?}");
        met += usize::from(bounds.upper <= 0.0);
    }
    assert!(met > 50, "{met}");
}

/// Every solid against the field of a sphere, whose distance is that of its centre.
#[test]
fn distances_of_solids_from_the_field_of_a_sphere_hold_the_true_ones() {
    let mut random = Random(11);
    let solids: Vec<Primitive> = vec![
        Sphere::new(0.2).unwrap().into(),
        Capsule::new(0.1, 0.5).unwrap().into(),
        Cuboid::new(0.5, 0.2, 0.3).unwrap().into(),
        Cylinder::new(0.2, 0.6).unwrap().into(),
        Cone::new(0.3, 0.5).unwrap().into(),
        Ellipsoid::new(DVec3::new(0.3, 0.2, 0.1)).unwrap().into(),
        clearance_engine::shape::ConvexPolyhedron::hull_of(&(0..12).map(|_| random.vector() * 0.3).collect::<Vec<_>>())
            .unwrap()
            .into(),
    ];
    let radius = 0.4;
    let center: Primitive = Sphere::new(radius).unwrap().into();
    let exact = DistanceField::implicit(Ball(radius), 0.05).unwrap();
    let sampled = DistanceField::of(&Solid::new(center.clone()), 0.05).unwrap();
    let rough = DistanceField::implicit(Quadric(radius), 0.05).unwrap();
    for (label, field, width) in [("exact", exact, 0.02), ("sampled", sampled, 0.18), ("rough", rough, f64::INFINITY)] {
        let error = field.error();
        for solid in &solids {
            let mut pair = Pair::new(field.clone(), solid.clone()).unwrap();
            let mut truth = Pair::new(center.clone(), solid.clone()).unwrap();
            let mut met = 0;
            for case in 0..60 {
                let pose = random.pose([0.3, 0.5, 0.7, 1.0, 3.0][case % 5]);
                let (found, there) = (pair.distance(pose), truth.distance(pose));
                let label = || format!("{label}, {}, {case}: {found:?} {there:?}", solid.name());
                assert!(found.lower <= there.upper + 1e-9 && there.lower <= found.upper + 1e-9, "{}", label());
                // Twice where the body is beyond the grid.
                assert!(found.upper - found.lower <= (2.0 * error).min(width), "{}", label());
                let collides = pair.collides(pose);
                assert!(collides || there.lower > 0.0, "{}", label());
                assert!(!collides || there.lower < error, "{}", label());
                met += usize::from(collides);
                let request = DistanceRequest { max_d: 0.5 * there.lower, ..DistanceRequest::default() };
                let beyond = pair.distance_with(pose, &request).unwrap();
                assert!(beyond.lower <= there.upper + 1e-9, "{}", label());
            }
            assert!((5..55).contains(&met), "{}: {met}", solid.name());
        }
    }
}

#[test]
fn fields_inside_of_solids_and_solids_inside_of_fields_are_found() {
    let room = || DistanceField::of(&Solid::new(Cuboid::new(2.0, 2.0, 2.0).unwrap()), 0.1).unwrap();
    let small = || DistanceField::implicit(Ball(0.2), 0.05).unwrap();
    let mesh: Mesh = Mesh::new(box_mesh(DVec3::ONE)).unwrap().into_solid().unwrap();
    let tiny: Mesh = Mesh::new(box_mesh(DVec3::splat(0.05))).unwrap();
    assert!(Pair::new(room(), Sphere::new(0.1).unwrap()).unwrap().collides(Pose::IDENTITY));
    assert!(Pair::new(room(), tiny).unwrap().collides(Pose::IDENTITY));
    assert!(Pair::new(room(), small()).unwrap().collides(Pose::IDENTITY));
    assert!(Pair::new(small(), room()).unwrap().collides(Pose::IDENTITY));
    assert!(Pair::new(mesh.clone(), small()).unwrap().collides(Pose::IDENTITY));
    assert!(Pair::new(small(), Cuboid::new(2.0, 2.0, 2.0).unwrap()).unwrap().collides(Pose::IDENTITY));
    assert!(!Pair::new(mesh, small()).unwrap().collides(Pose::from_xyz(1.3, 0.0, 0.0).unwrap()));
    let floor = HalfSpaceGeometry::new(clearance_engine::shape::HalfSpace::new(DVec3::Z, 0.0).unwrap());
    let mut pair = Pair::new(floor, small()).unwrap();
    assert!(pair.collides(Pose::from_xyz(0.0, 0.0, -3.0).unwrap()));
    let above = pair.distance(Pose::from_xyz(0.0, 0.0, 1.0).unwrap());
    assert!(above.lower <= 0.8 && 0.8 <= above.upper && above.upper - above.lower < 0.09, "{above:?}");
}

fn map_with(cells: impl IntoIterator<Item = IVec3>) -> VoxelMap {
    let mut map = VoxelMap::new(0.1).unwrap();
    map.set_all(cells.into_iter().map(|cell| (cell, Cell::Obstacle))).unwrap();
    map
}

fn random_cell(random: &mut Random) -> IVec3 {
    IVec3::from_array([0; 3].map(|_: i32| random.below(16) as i32 - 4))
}

#[test]
fn the_field_of_a_voxel_map_holds_the_distances_of_its_cells_and_follows_its_changes() {
    let mut random = Random(23);
    let (first, last) = (IVec3::splat(-4), IVec3::splat(11));
    let mut map = map_with([]);
    let mut field = VoxelField::new(&map.snapshot(), Cells::OBSTACLE, first, last).unwrap();
    let empty = field.geometry();
    assert!(Pair::new(empty, Sphere::new(1.0).unwrap()).unwrap().distance(Pose::IDENTITY).witness.is_none());
    for round in 0..30 {
        // Cells come and go, some of them outside of the box, and now and then in blocks.
        for _ in 0..random.below(12) {
            let (cell, kind) = (random_cell(&mut random), [Cell::Obstacle, Cell::Free][random.below(2)]);
            let size = if random.below(5) == 0 { 3 } else { 0 };
            map.fill(cell, cell + size, kind).unwrap();
        }
        field.update(&map.snapshot()).unwrap();
        assert_eq!(field.update(&map.snapshot()).unwrap(), 0, "nothing changed");
        let afresh = VoxelField::new(&map.snapshot(), Cells::OBSTACLE, first, last).unwrap();
        let (now, anew) = (field.geometry(), afresh.geometry());
        let cells: Vec<IVec3> = (0..4096)
            .map(|i| IVec3::new(i & 15, i >> 4 & 15, i >> 8) - 4)
            .filter(|&cell| map.cell(cell) == Cell::Obstacle)
            .collect();
        for case in 0..300 {
            let point = DVec3::splat(0.4) + random.vector() * [0.85, 3.0][case % 2];
            let (bounds, other) = (now.field().bounds(point), anew.field().bounds(point));
            assert_eq!((bounds.lower, bounds.upper), (other.lower, other.upper), "round {round}: {point}");
            let from_cell = |cell: &IVec3| {
                let low = cell.as_dvec3() * 0.1;
                (low - point).max(point - (low + 0.1)).max(DVec3::ZERO).length()
            };
            let truth = cells.iter().map(from_cell).fold(f64::INFINITY, f64::min);
            assert!(bounds.lower <= truth + 1e-9, "round {round}: {point} {truth} {bounds:?}");
            assert!(truth <= bounds.upper.max(0.0) + 1e-9 || truth.is_infinite(), "round {round}: {truth} {bounds:?}");
            if truth > 0.2 && truth.is_finite() && case % 2 == 0 {
                assert!(bounds.upper - bounds.lower < 0.09, "round {round}: {truth} {bounds:?}");
            }
        }
    }
    let elsewhere = VoxelMap::new(0.2).unwrap().snapshot();
    assert_eq!(field.update(&elsewhere).unwrap_err().kind(), ErrorKind::BadRequest);
}

#[test]
fn a_point_in_a_wall_of_one_cell_is_surely_inside() {
    let mut map = map_with((0..64).map(|i| IVec3::new(i % 8, i / 8, 0)));
    let field = VoxelField::new(&map.snapshot(), Cells::OBSTACLE, IVec3::ZERO, IVec3::splat(10)).unwrap().geometry();
    let found = field.field().bounds(DVec3::new(0.35, 0.35, 0.05));
    assert!(found.upper <= 0.0 && found.lower > -0.15, "{found:?}");
}

#[test]
fn solids_made_of_others_are_where_their_parts_say() {
    let pose = Pose::from_xyz(0.3, 0.1, 0.0).unwrap();
    let block = || Csg::new(Cuboid::new(0.8, 0.6, 0.4).unwrap(), Pose::IDENTITY).unwrap();
    let ball = || Csg::new(Sphere::new(0.35).unwrap(), pose).unwrap();
    let rod = || Csg::new(Cylinder::new(0.1, 2.0).unwrap(), Pose::IDENTITY).unwrap();
    let in_block = |p: DVec3| (p.abs() - DVec3::new(0.4, 0.3, 0.2)).max_element();
    let in_ball = |p: DVec3| p.distance(DVec3::new(0.3, 0.1, 0.0)) - 0.35;
    let in_rod = |p: DVec3| (p.x.hypot(p.y) - 0.1).max(p.z.abs() - 1.0);
    // Each with a function that is negative exactly inside.
    type Side<'s> = Box<dyn Fn(DVec3) -> f64 + 's>;
    let solids: Vec<(Csg, Side<'_>)> = vec![
        (block().or(ball()), Box::new(|p| in_block(p).min(in_ball(p)))),
        (block().and(ball()), Box::new(|p| in_block(p).max(in_ball(p)))),
        (block().without(ball()), Box::new(|p| in_block(p).max(-in_ball(p)))),
        (block().or(ball()).without(rod()), Box::new(|p| in_block(p).min(in_ball(p)).max(-in_rod(p)))),
    ];
    let mut random = Random(3);
    for (number, (solid, side)) in solids.into_iter().enumerate() {
        let field = DistanceField::implicit(solid, 0.05).unwrap();
        // Points of the solid on a fine lattice, a step of which is `fine` from any point of it.
        let step = 0.02;
        let lattice = |i: i32| (i as f64 - 40.0) * step;
        let points: Vec<DVec3> = (0..81 * 81 * 81)
            .map(|i| DVec3::new(lattice(i % 81), lattice(i / 81 % 81), lattice(i / 6561)))
            .filter(|&point| side(point) <= 0.0)
            .collect();
        assert!(points.len() > 500);
        let mut sides = [0; 2];
        for _ in 0..400 {
            let point = random.vector() * 0.8;
            let bounds = field.field().bounds(point);
            let least = points.iter().map(|q| q.distance(point)).fold(f64::INFINITY, f64::min);
            assert!(bounds.lower <= least + 1e-9, "{number}: {point} {least} {bounds:?}");
            if bounds.upper <= 0.0 {
                assert!(side(point) <= 1e-9, "{number}: {point}");
                sides[0] += 1;
            } else {
                assert!(side(bounds.nearest) <= 1e-7, "{number}: {bounds:?}");
                assert!(bounds.nearest.distance(point) <= bounds.upper + 1e-9, "{number}: {bounds:?}");
                // Sharp edges hold less of the lattice.
                assert!(bounds.upper <= least + field.error(), "{number}: {point} {least} {bounds:?}");
                sides[1] += 1;
            }
            let mut ball = Pair::new(field.clone(), Sphere::new(0.05).unwrap()).unwrap();
            let place = Pose::from_xyz(point.x, point.y, point.z).unwrap();
            if least < 0.05 {
                assert!(ball.collides(place), "{number}: {point}");
            }
        }
        assert!(sides.iter().all(|&count| count > 5), "{number}: {sides:?}");
    }
    let floor = HalfSpaceGeometry::new(clearance_engine::shape::HalfSpace::new(DVec3::Z, 0.0).unwrap());
    assert!(Csg::new(floor, Pose::IDENTITY).is_err());
    let far = Csg::new(Sphere::new(0.1).unwrap(), Pose::from_xyz(5.0, 0.0, 0.0).unwrap()).unwrap();
    assert!(DistanceField::implicit(block().and(far), 0.05).is_err());
}

#[test]
fn what_makes_no_field_is_refused() {
    let ball = Solid::new(Sphere::new(1.0).unwrap());
    for spacing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = DistanceField::of(&ball, spacing).unwrap_err();
        assert!(error.kind() == ErrorKind::OutOfRange && error.to_string().len() < 300, "{spacing}: {error}");
    }
    let floor = HalfSpaceGeometry::new(clearance_engine::shape::HalfSpace::new(DVec3::Z, 0.0).unwrap());
    assert!(DistanceField::of(&floor, 0.1).is_err());
    struct Odd(f64, f64, f64);
    impl Implicit for Odd {
        fn value(&self, _: DVec3) -> f64 {
            self.0
        }
        fn lipschitz(&self) -> f64 {
            self.1
        }
        fn bounding_box(&self) -> (DVec3, DVec3) {
            (DVec3::ZERO, DVec3::splat(self.2))
        }
    }
    for odd in [Odd(1.0, 1.0, 1.0), Odd(f64::NAN, 1.0, 1.0), Odd(-1.0, 0.0, 1.0), Odd(-1.0, f64::NAN, 1.0)] {
        assert!(DistanceField::implicit(odd, 0.1).is_err());
    }
    assert!(DistanceField::implicit(Odd(-1.0, 1.0, f64::NAN), 0.1).is_err());
    let everything = DistanceField::implicit(Odd(-9.0, 1.0, 1.0), 0.1).unwrap();
    let found = everything.field().bounds(DVec3::splat(0.5));
    assert!(found.upper < 0.0 && found.lower >= -0.6, "{found:?}");
    let mut map = map_with([]);
    assert!(VoxelField::new(&map.snapshot(), Cells::OBSTACLE, IVec3::ONE, IVec3::ZERO).is_err());
    let nowhere = DistanceField::of(&ball, 0.2).unwrap();
    assert!(nowhere.signed_distance(DVec3::splat(f64::NAN)).is_err());
}

/// Each way to make a field, just beyond the limit and far beyond it. Were memory asked for first, the
/// largest of these would end the test's process.
#[test]
fn fields_that_are_too_large_are_refused_before_memory_is_asked_for() {
    let refused = |name: &str, found: clearance_engine::Result<()>| {
        let error = found.expect_err(name);
        assert_eq!(error.kind(), ErrorKind::TooLarge, "{name}: {error}");
        let message = error.to_string();
        assert!(message.contains("33554432") && message.contains("spacing") && message.len() < 300, "{name}: {error}");
    };
    let long = || Cuboid::new(16_400.0, 1.0, 1.0).unwrap();
    let cube = || Cuboid::new(320.0, 320.0, 320.0).unwrap();
    for (shape, spacing) in [(long(), 1.0), (cube(), 1.0), (cube(), 1e-6), (cube(), 1e-300)] {
        let name = format!("{shape:?} {spacing}");
        refused(&name, DistanceField::of(&Solid::new(shape), spacing).map(drop));
        refused(&name, DistanceField::implicit(Csg::new(shape, Pose::IDENTITY).unwrap(), spacing).map(drop));
    }
    let mut map = map_with([]);
    let last = [IVec3::new(16_384, 0, 0), IVec3::splat(320), IVec3::splat(1 << 19), IVec3::MAX];
    for last in last {
        let first = if last == IVec3::MAX { IVec3::MIN } else { IVec3::ZERO };
        let found = VoxelField::new(&map.snapshot(), Cells::OBSTACLE, first, last);
        refused(&format!("cells to {last}"), found.map(drop));
    }
}

#[test]
fn a_thin_plate_between_grid_planes_may_be_as_deep_as_it_is() {
    let plate = DistanceField::of(&Solid::new(Cuboid::new(1.0, 1.0, 0.04).unwrap()), 0.1).unwrap();
    let found = plate.field().bounds(DVec3::ZERO);
    assert!(found.lower <= -0.02 && 0.0 <= found.upper, "{found:?}");
    let block = Csg::new(Cuboid::new(1.0, 1.0, 1.0).unwrap(), Pose::IDENTITY).unwrap();
    let slab = Csg::new(Cuboid::new(3.0, 3.0, 0.04).unwrap(), Pose::IDENTITY).unwrap();
    let both = DistanceField::implicit(block.or(slab), 0.1).unwrap();
    let found = both.signed_distance(DVec3::X * 1.2).unwrap();
    assert!(found.lower <= -0.02 && found.lower <= found.upper, "{found:?}");
    assert!(found.lower <= found.distance && found.distance <= found.upper, "{found:?}");
}

/// Far from the origin grid points are rounded, each on its own.
#[test]
fn bounds_far_from_the_origin_hold_the_truth() {
    let center = DVec3::splat(5e6) + 0.3;
    let pose = Pose::from_xyz(center.x, center.y, center.z).unwrap();
    let mut assembly = Assembly::default();
    assembly.insert(Sphere::new(0.5).unwrap().into_geometry(), pose);
    let field = DistanceField::of(&assembly, 0.1).unwrap();
    let mut random = Random(8);
    for _ in 0..20_000 {
        let point = center + random.vector() * 0.62;
        let (bounds, truth) = (field.field().bounds(point), (point - center).length() - 0.5);
        assert!(truth < 0.0 || bounds.lower <= truth, "{point} {truth} {bounds:?}");
        assert!(truth <= bounds.upper || truth < 0.0, "{point} {truth} {bounds:?}");
    }
}

/// A point on the face that two blocks share is deep in their union.
#[test]
fn a_grid_plane_on_a_face_that_two_solids_share_is_not_outside() {
    let mut assembly = Assembly::default();
    for x in [-0.5, 0.5] {
        assembly.insert(Cuboid::new(1.0, 1.0, 1.0).unwrap().into_geometry(), Pose::from_xyz(x, 0.0, 0.0).unwrap());
    }
    let field = DistanceField::of(&assembly, 0.1).unwrap();
    for i in 0..200 {
        let point = DVec3::new(0.0003 * f64::from(i - 100), 0.01, 0.02);
        let bounds = field.field().bounds(point);
        assert!(bounds.lower <= -0.48, "{point}: {bounds:?}");
        assert!(bounds.upper - bounds.lower <= field.error(), "{bounds:?}");
    }
}

#[test]
fn open_parts_and_fields_in_others_are_refused() {
    let open = || TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
    let mesh: Mesh = Mesh::new(open()).unwrap();
    assert!(DistanceField::of(&mesh, 0.1).is_ok(), "one open mesh is a surface");
    let mut inner = Assembly::default();
    inner.insert(mesh.into_geometry(), Pose::IDENTITY);
    let mut outer = Assembly::default();
    outer.insert(Sphere::new(0.5).unwrap().into_geometry(), Pose::IDENTITY);
    let whole = DistanceField::of(&outer, 0.1).unwrap();
    let mut with_field = outer.clone();
    with_field.insert(Arc::new(whole.clone()), Pose::IDENTITY);
    outer.insert(Arc::new(inner), Pose::from_xyz(3.0, 0.0, 0.0).unwrap());
    let error = DistanceField::of(&outer, 0.1).unwrap_err();
    assert!(error.kind() == ErrorKind::Unsupported && error.to_string().contains("closed"), "{error}");
    assert!(Csg::new(outer, Pose::IDENTITY).is_err());
    for error in [Csg::new(whole, Pose::IDENTITY), Csg::new(with_field, Pose::IDENTITY)].map(Result::unwrap_err) {
        assert!(error.kind() == ErrorKind::Unsupported && error.to_string().contains("distance field"), "{error}");
    }
}

/// Two cells that are in one group of the grid's, or far apart: either is found in a solid.
#[test]
fn every_body_of_a_field_is_looked_for_inside_of_a_solid() {
    let mesh: Mesh = Mesh::new(box_mesh(DVec3::new(2.4, 3.0, 3.0))).unwrap().into_solid().unwrap();
    for other in [2, 3, 6] {
        let mut map = map_with([IVec3::ZERO, IVec3::new(other, 0, 0)]);
        let field = VoxelField::new(&map.snapshot(), Cells::OBSTACLE, IVec3::splat(-2), IVec3::splat(8)).unwrap();
        // The solid begins between the two.
        let place = Pose::from_xyz(0.05 * f64::from(other + 1) + 2.4, 0.0, 0.0).unwrap();
        assert!(Pair::new(field.geometry(), mesh.clone()).unwrap().collides(place), "{other}");
        let room = DistanceField::of(&mesh, 0.1).unwrap();
        assert!(Pair::new(field.geometry(), room).unwrap().collides(place), "{other}");
    }
}
