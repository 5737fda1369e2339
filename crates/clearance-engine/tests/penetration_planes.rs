//! Penetration depth of half-spaces and planes with bodies of any number of pieces, and of voxel
//! maps, height fields and very large solids.

mod support;

use clearance_engine::convex::{Penetration, Status};
use clearance_engine::dispatch::Pair;
use clearance_engine::math::{DMat3, DQuat, DVec3, IVec3};
use clearance_engine::shape::{Cuboid, HalfSpace, Plane};
use clearance_engine::tree::voxel_map::{Cell, Cells, VoxelMap};
use clearance_engine::tree::{Assembly, Geometry, HeightField, IntoGeometry, Mesh, PointCloud};
use clearance_engine::{ErrorKind, Pose, TriMesh};
use std::collections::BTreeSet;
use std::sync::Arc;
use support::polycubes::{PARTS, Polycube, squared_depth};
use support::{Random, cut_cube};

/// Cells anywhere in a grid of five each way, mostly of several pieces.
fn scattered(random: &mut Random, count: usize) -> Polycube {
    let mut cell = || [0; 3].map(|_| random.below(5) as i64);
    Polycube((0..count).map(|_| cell()).collect::<BTreeSet<_>>())
}

fn mesh(tri_mesh: TriMesh) -> Arc<dyn Geometry> {
    Arc::new(Mesh::<_>::new(tri_mesh).unwrap()) as Arc<Mesh>
}

fn assembly(cubes: &Polycube, frame: &Pose) -> Arc<dyn Geometry> {
    let unit = Cuboid::new(1.0, 1.0, 1.0).unwrap().into_geometry();
    let mut assembly = Assembly::default();
    for cell in &cubes.0 {
        let center = DVec3::from_array(cell.map(|x| x as f64 + 0.5));
        assembly.insert(unit.clone(), frame.then(&Pose::from_translation(center).unwrap()));
    }
    Arc::new(assembly)
}

fn voxels(cubes: &Polycube) -> Arc<dyn Geometry> {
    let mut map = VoxelMap::new(1.0).unwrap();
    for cell in &cubes.0 {
        let [x, y, z] = cell.map(|x| x as i32);
        map.fill(IVec3::new(x, y, z), IVec3::new(x, y, z), Cell::Obstacle).unwrap();
    }
    Arc::new(map.snapshot().geometry(Cells::OBSTACLE).unwrap())
}

/// How deep a plane at `at` eighths is in unit intervals, in eighths; the second number is that of
/// the half-space below it.
fn exact(cubes: &Polycube, axis: usize, at: i64) -> (i64, i64) {
    let is_covered = |place: i64| {
        let mut low = cubes.0.iter().map(|cell| cell[axis] * PARTS);
        low.any(|low| low <= place && place <= low + PARTS)
    };
    let out = |step: i64| (0..).find(|&count| !is_covered(at + step * count) || !is_covered(at + step * (count + 1)));
    let lowest = cubes.0.iter().map(|cell| cell[axis] * PARTS).min().unwrap();
    let plane = if is_covered(at) { out(1).unwrap().min(out(-1).unwrap()) } else { 0 };
    (plane, (at - lowest).max(0))
}

fn check(found: Option<Penetration>, truth: f64, case: &str) -> f64 {
    let Some(found) = found else {
        assert!(truth < 1e-12, "{case}: nothing was found, and the depth is {truth}");
        return 0.0;
    };
    assert!(0.0 <= found.lower && found.lower <= truth && truth <= found.upper, "{case}: {truth}, {found:?}");
    assert!((found.normal.length() - 1.0).abs() < 1e-12, "{case}: {found:?}");
    found.upper - found.lower
}

#[test]
fn planes_and_half_spaces_leave_scattered_cells_by_the_exact_depth() {
    let mut random = Random(3);
    let (mut gaps, mut narrow, mut cases) = (0, 0, 0);
    for case in 0..120 {
        let cubes = scattered(&mut random, 1 + case % 9);
        let axis = random.below(3);
        let at = random.below(7 * PARTS as usize) as i64 - PARTS;
        let (plane, half_space) = exact(&cubes, axis, at);
        let truth = [plane, half_space].map(|parts| parts as f64 / PARTS as f64);
        let (normal, offset) = (DVec3::AXES[axis], at as f64 / PARTS as f64);
        let bodies = [
            ("surface", mesh(cubes.mesh(|p| p))),
            ("assembly", assembly(&cubes, &Pose::IDENTITY)),
            ("voxels", voxels(&cubes)),
        ];
        for (name, body) in bodies {
            let case = format!("case {case}, {name}: {cubes:?}, {normal} {offset}");
            let plane = Plane::new(normal, offset).unwrap();
            let half_space = HalfSpace::new(normal, offset).unwrap();
            for swapped in [false, true] {
                let pair = |boundary: Arc<dyn Geometry>| match swapped {
                    true => Pair::new(body.clone(), boundary).unwrap(),
                    false => Pair::new(boundary, body.clone()).unwrap(),
                };
                let (mut plane, mut half_space) = (pair(plane.into_geometry()), pair(half_space.into_geometry()));
                let found = plane.penetration(Pose::IDENTITY).unwrap();
                let width = check(found, truth[0], &format!("plane, {case}"));
                if let Some(found) = found {
                    let apart = found.separated(&Pose::IDENTITY).unwrap();
                    assert!(!plane.collides(apart), "{case}: {found:?}");
                    gaps += usize::from(found.upper < 0.99 * truth[1]);
                    narrow += usize::from(width < 1e-12);
                    cases += 1;
                }
                let found = half_space.penetration(Pose::IDENTITY).unwrap();
                assert!(check(found, truth[1], &format!("half-space, {case}")) < 1e-12, "{case}");
                if let Some(found) = found {
                    assert!(!half_space.collides(found.separated(&Pose::IDENTITY).unwrap()), "{case}: {found:?}");
                }
            }
        }
    }
    assert!(gaps > 50 && narrow * 2 > cases && cases > 300, "{gaps} {narrow} {cases}");
}

/// Along any normal: nothing shorter than `lower` separates, and the interval is as narrow as
/// rounding, unless pieces end next to each other.
#[test]
fn no_shorter_way_off_a_tilted_plane_is_free() {
    let mut random = Random(4);
    let mut narrow = 0;
    for case in 0..80 {
        let cubes = scattered(&mut random, 2 + case % 7);
        let frame = Pose::new(random.rotation(), random.vector()).unwrap();
        let points: Vec<DVec3> = cubes.0.iter().map(|cell| DVec3::from_array(cell.map(|x| x as f64))).collect();
        let bodies = [
            mesh(cubes.mesh(|p| frame.transform_point(p))),
            assembly(&cubes, &frame),
            Arc::new(PointCloud::new(points, 0.4).unwrap()),
            voxels(&cubes),
        ];
        let normal = random.vector().normalize_or(DVec3::X);
        let pose = random.pose(1.0);
        for body in bodies {
            let sphere = body.sphere();
            let place = pose.transform_point(sphere.center) + normal * (sphere.radius * random.signed());
            let mut pair = Pair::new(Plane::new(normal, normal.dot(place)).unwrap(), body).unwrap();
            let Some(found) = pair.penetration(pose).unwrap() else { continue };
            let name = format!("case {case}: {found:?}");
            assert!(!pair.collides(found.separated(&pose).unwrap()), "{name}");
            for by in [-0.999, -0.5, 0.1, 0.7, 0.999].map(|part| normal * (found.lower * part)) {
                let moved = Pose::from_matrix(*pose.rotation(), pose.translation() + by).unwrap();
                assert!(pair.collides(moved), "{name}");
            }
            narrow += usize::from(found.upper - found.lower < 1e-10);
        }
    }
    assert!(narrow > 150, "{narrow}");
}

#[test]
fn a_height_field_leaves_half_spaces_and_planes_by_its_vertices() {
    let heights = vec![0.0, 0.5, 0.25, 1.0, 0.125, 0.0];
    let field = HeightField::new(3, 2, [1.0, 2.0], heights).unwrap();
    let solid = Arc::new(field.clone().into_solid(-1.0).unwrap());
    for (body, lowest) in [(Arc::new(field), 0.0), (solid, -1.0)] {
        for swapped in [false, true] {
            let pair = |boundary: Arc<dyn Geometry>| match swapped {
                true => Pair::new(&body, boundary).unwrap(),
                false => Pair::new(boundary, &body).unwrap(),
            };
            let mut above = pair(HalfSpace::new(DVec3::Z, 0.75).unwrap().into_geometry());
            check(above.penetration(Pose::IDENTITY).unwrap(), 0.75 - lowest, "half-space");
            let mut plane = pair(Plane::new(DVec3::Z, 0.75).unwrap().into_geometry());
            assert!(check(plane.penetration(Pose::IDENTITY).unwrap(), 0.25, "plane") < 1e-12);
        }
    }
}

#[test]
fn parts_far_from_the_origin_charge_their_rounding() {
    // A box is some 2²⁷ away, and the assembly is moved back: its place is off by some 2⁻²⁶.
    let far = DVec3::new(3.0, 5.0, 7.0) * f64::from(1 << 24);
    let turn = Pose::new(DQuat::from_scaled_axis(DVec3::new(0.3, -0.2, 0.5)), DVec3::ZERO).unwrap();
    let unit = Cuboid::new(1.0, 1.0, 1.0).unwrap().into_geometry();
    let mut assembly = Assembly::default();
    assembly.insert(unit, Pose::from_matrix(*turn.rotation(), far).unwrap());
    let back = Pose::from_matrix(DMat3::IDENTITY, -far).unwrap();
    let mut pair = Pair::new(HalfSpace::new(DVec3::Z, 0.0).unwrap(), assembly).unwrap();
    let found = pair.penetration(back).unwrap().expect("it is half below");
    let depth = 0.5 * turn.rotation().transpose().z_axis.abs().element_sum();
    assert!(found.lower <= depth && depth <= found.upper, "{depth}: {found:?}");
    assert!((1e-7..1e-4).contains(&(found.upper - found.lower)), "{found:?}");
}

#[test]
fn voxel_cells_have_the_exact_depth_in_the_interval() {
    let mut random = Random(6);
    let (mut deep, mut sharp) = (0, 0);
    for case in 0..30 {
        let [a, b] = [1, 2].map(|more| Polycube::random(&mut random, case % 4 + more));
        let parts = [0; 3].map(|_| random.below(3 * PARTS as usize) as i64 - 3 * PARTS / 2);
        let pose = Pose::from_translation(DVec3::from_array(parts.map(|x| x as f64 / PARTS as f64))).unwrap();
        let truth = (squared_depth(&a, &b, parts) as f64).sqrt() / PARTS as f64;
        let solid = Mesh::<_>::new(b.mesh(|p| p)).unwrap().into_solid().unwrap();
        let mut pair = Pair::new(voxels(&a), Arc::new(solid) as Arc<Mesh>).unwrap();
        let case = format!("case {case}: {a:?} {b:?} {parts:?}");
        let Some(found) = pair.penetration(pose).unwrap() else {
            assert!(truth < 1e-12, "{case}");
            continue;
        };
        assert!(found.lower <= truth + 1e-13 && truth - 1e-13 <= found.upper, "{case}: {truth}, {found:?}");
        assert!(!pair.collides(found.separated(&pose).unwrap()), "{case}: {found:?}");
        deep += usize::from(truth > 0.0);
        sharp += usize::from(truth > 0.0 && found.upper < 1.5 * truth && found.lower > 0.2 * truth);
    }
    assert!(deep > 10 && sharp > 4, "{deep} {sharp}");
}

#[test]
fn solids_too_large_for_products_are_refused_and_others_are_not() {
    for scale in [1e-60, 1e-20, 1e30, 1e65, 1e72, 1e78, 1e99] {
        let solid = Mesh::<_>::new(cut_cube(3, |p| p * scale)).unwrap().into_solid().unwrap();
        let solid = Arc::new(solid) as Arc<Mesh>;
        let mut pair = Pair::new(&solid, &solid).unwrap();
        // Cubes from −1 to 1, in units of the scale.
        let pose = Pose::from_xyz(0.1 * scale, 0.2 * scale, 1.5 * scale).unwrap();
        match pair.penetration(pose) {
            Ok(found) => {
                let found = found.expect("they overlap");
                assert!(scale < 1e70 && found.status != Status::Exact, "{scale}: {found:?}");
                assert!(found.lower <= 0.5 * scale && 0.5 * scale <= found.upper, "{scale}: {found:?}");
                assert!(found.upper < 0.6 * scale && found.lower > 0.4 * scale, "{scale}: {found:?}");
            }
            Err(error) => {
                assert!(scale > 1e70 && error.kind() == ErrorKind::OutOfRange, "{scale}: {error}");
                assert!(error.to_string().contains("larger unit"), "{error}");
            }
        }
        let mut floor = Pair::new(HalfSpace::new(DVec3::Z, 0.0).unwrap(), &solid).unwrap();
        let found = floor.penetration(Pose::IDENTITY).unwrap().expect("half of it is below");
        assert!(found.lower <= scale && scale <= found.upper && found.lower > 0.99 * scale, "{scale}: {found:?}");
    }
}
