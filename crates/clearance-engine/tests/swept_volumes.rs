//! Swept volumes against samples of the motion: no point that the body gets to is missing, none is
//! farther than the stated error, and the mesh is the surface of the cells.

mod support;

use clearance_engine::dispatch::Pair;
use clearance_engine::math::DVec3;
use clearance_engine::motion::{Motion, SweptVolume};
use clearance_engine::shape::{Capsule, Cone, Cuboid, HalfSpace, Sphere};
use clearance_engine::tree::voxel_map::{Cell, Cells, VoxelMap};
use clearance_engine::tree::{DistanceField, Geometry, HalfSpaceGeometry, HeightField, IntoGeometry, Mesh, PointCloud};
use clearance_engine::{Pose, TriMesh};
use std::sync::Arc;
use support::Random;

fn motions(random: &mut Random) -> Vec<Motion> {
    let start = random.pose(0.3);
    let turn = random.vector() * 2.0;
    vec![
        Motion::still(&start),
        Motion::moving(&start, DVec3::ZERO, random.vector(), DVec3::ZERO, 1.0).unwrap(),
        Motion::moving(&start, random.vector() * 0.3, random.vector() * 0.5, turn, 1.0).unwrap(),
        Motion::thrown(&start, DVec3::ZERO, [random.vector(), DVec3::NEG_Z * 2.0], turn, 0.7).unwrap(),
        Motion::through(&[(0.0, start), (0.4, random.pose(0.5)), (1.0, random.pose(0.5))]).unwrap(),
    ]
}

/// A tetrahedron, closed.
fn tetrahedron() -> TriMesh {
    let vertices = vec![DVec3::ZERO, DVec3::X * 0.5, DVec3::Y * 0.4, DVec3::Z * 0.3];
    TriMesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]).unwrap()
}

#[test]
fn no_point_that_a_body_gets_to_is_missing_and_none_is_farther_than_the_error() {
    let mut random = Random(41);
    let solid: Mesh = Mesh::new(tetrahedron()).unwrap().into_solid().unwrap();
    let cloud = PointCloud::new((0..10).map(|_| random.vector() * 0.3).collect(), 0.05).unwrap();
    let bodies: Vec<Arc<dyn Geometry>> = vec![
        Cuboid::new(0.5, 0.3, 0.2).unwrap().into_geometry(),
        Capsule::new(0.1, 0.4).unwrap().into_geometry(),
        Cone::new(0.2, 0.4).unwrap().into_geometry(),
        solid.into_geometry(),
        cloud.into_geometry(),
    ];
    let resolution = 0.05;
    let (mut inside, mut outside) = (0, 0);
    for body in &bodies {
        for motion in motions(&mut random) {
            let swept = SweptVolume::of(&**body, &motion, resolution).unwrap();
            let times: Vec<f64> = (0..=100).map(|i| motion.duration() * f64::from(i) / 100.0).collect();
            for _ in 0..2000 {
                let t = times[random.below(times.len())];
                let point = random.vector() * 0.3;
                if body.signed_distance(point).unwrap().upper <= 0.0 {
                    let there = motion.pose(t).transform_point(point);
                    assert!(swept.contains(there), "{} at {t}: {point}", body.kind());
                    inside += 1;
                }
            }
            // Between two samples points move by no more than this.
            let sphere = body.sphere();
            let step = times.windows(2).map(|t| motion.displacement(t[0], t[1], &sphere)).fold(0.0, f64::max);
            let grid = *swept.map().grid();
            let back: Vec<Pose> = times.iter().map(|&t| motion.pose(t).inverse()).collect();
            for leaf in swept.map().view(Cells::OBSTACLE).unwrap().leaves().step_by(7) {
                let center = grid.center(leaf.low);
                let distances =
                    back.iter().map(|pose| body.signed_distance(pose.transform_point(center)).unwrap().lower);
                let nearest = distances.fold(f64::INFINITY, f64::min);
                assert!(nearest <= swept.error() + step, "{}: {nearest} at {center}", body.kind());
                outside += usize::from(nearest > 0.0);
            }
        }
    }
    assert!(inside > 1000 && outside > 1000, "{inside} {outside}");
}

#[test]
fn the_inside_of_a_solid_is_swept_too_and_a_finer_volume_is_tighter() {
    let block = Cuboid::new(0.6, 0.6, 0.6).unwrap().into_geometry();
    let turn = Motion::moving(&Pose::IDENTITY, DVec3::ZERO, DVec3::X * 0.3, DVec3::Z * 1.5, 1.0).unwrap();
    let mut last = f64::INFINITY;
    for resolution in [0.1, 0.05, 0.025] {
        let swept = SweptVolume::of(&*block, &turn, resolution).unwrap();
        assert!(swept.contains(DVec3::ZERO) && swept.contains(DVec3::X * 0.3));
        let cells = swept.map().view(Cells::OBSTACLE).unwrap().count() as f64;
        let volume = cells * resolution.powi(3);
        assert!(volume > 0.3 && volume < last, "{volume} at {resolution}");
        last = volume;
    }
    // A block of 0.6 that turns by 86° while it slides by half its length.
    assert!(last < 0.62, "{last}");
}

#[test]
fn the_mesh_of_a_swept_volume_is_the_surface_of_its_cells() {
    let mut random = Random(7);
    let motion = Motion::screw(&Pose::from_xyz(0.5, 0.0, 0.0).unwrap(), DVec3::ZERO, DVec3::Z * 3.0, 0.2, 1.0).unwrap();
    let mut swept = SweptVolume::of(&*Sphere::new(0.15).unwrap().into_geometry(), &motion, 0.05).unwrap();
    let mesh: Mesh = Mesh::new(swept.mesh().unwrap()).unwrap().into_solid().unwrap();
    let cells = swept.map_mut().obstacles().unwrap();
    let (mut met, mut tried) = (0, 0);
    for _ in 0..2000 {
        let point = random.vector();
        let (by_mesh, by_cells) = (mesh.signed_distance(point).unwrap(), cells.signed_distance(point).unwrap());
        if by_cells.distance.abs() > 1e-9 {
            assert_eq!(by_mesh.is_inside(), by_cells.is_inside(), "{point}");
            met += usize::from(by_mesh.is_inside());
            tried += 1;
        }
        if by_cells.lower > 0.0 {
            assert!((by_mesh.distance - by_cells.distance).abs() < 1e-9, "{point}");
        }
    }
    assert!(met > 50 && tried > 1500, "{met} of {tried}");
    let mut pair = Pair::new(mesh, Sphere::new(0.05).unwrap()).unwrap();
    assert!(pair.collides(Pose::from_xyz(0.0, 0.5, 0.1).unwrap()) && !pair.collides(Pose::IDENTITY));
    // Cells that share an edge or a vertex alone make a closed mesh too.
    for other in [[1, 1, 0], [1, 1, 1]] {
        let mut map = VoxelMap::new(1.0).unwrap();
        map.set([0; 3].into(), Cell::Obstacle).unwrap();
        map.set(other.into(), Cell::Obstacle).unwrap();
        assert!(
            Mesh::<clearance_engine::tree::Bvh8>::new(map.surface(Cells::OBSTACLE).unwrap())
                .unwrap()
                .into_solid()
                .is_ok()
        );
    }
}

#[test]
fn a_solid_height_field_is_drawn_with_what_is_below_it() {
    for base in [-0.5, 0.0] {
        let heights: Vec<f64> = (0..20).map(|i| 0.1 + 0.05 * f64::from(i % 3)).collect();
        let hills = HeightField::new(5, 4, [0.3, 0.4], heights).unwrap().into_solid(base).unwrap();
        let mut map = VoxelMap::new(0.05).unwrap();
        map.rasterize_geometry(&hills, &Pose::IDENTITY, Cell::Obstacle).unwrap();
        let mut random = Random(3);
        let mut inside = 0;
        for _ in 0..5000 {
            let point = DVec3::new(0.6, 0.6, 0.0) + random.vector();
            let cell = map.cell_at(point).unwrap();
            assert!(!hills.contains(point) || cell == Cell::Obstacle, "{base}: {point}");
            inside += usize::from(hills.contains(point));
        }
        assert!(inside > 100, "{inside}");
        assert_eq!(map.cell_at(DVec3::new(0.6, 0.6, 0.35)).unwrap(), Cell::Free);
        assert_eq!(map.cell_at(DVec3::new(0.6, 0.6, base - 0.12)).unwrap(), Cell::Free);
    }
}

#[test]
fn a_field_that_is_swept_states_its_error_and_what_has_no_end_is_refused() {
    let field = DistanceField::of(&*Sphere::new(0.3).unwrap().into_geometry(), 0.1).unwrap();
    let rest = Motion::still(&Pose::IDENTITY);
    let swept = SweptVolume::of(&field, &rest, 0.02).unwrap();
    assert!(swept.error() >= 0.064 + field.error(), "{}", swept.error());
    let grid = *swept.map().grid();
    for leaf in swept.map().view(Cells::OBSTACLE).unwrap().leaves() {
        assert!(grid.center(leaf.low).length() - 0.3 <= swept.error());
    }
    let far = Pose::from_xyz(1e15, 0.0, 0.0).unwrap();
    let moves = Motion::moving(&far, DVec3::ZERO, DVec3::X, DVec3::Z, 1.0).unwrap();
    let ball = Sphere::new(0.05).unwrap().into_geometry();
    assert!(SweptVolume::of(&*ball, &moves, 0.05).is_err());
}

#[test]
fn what_cannot_be_swept_is_refused() {
    let floor = HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, 0.0).unwrap());
    let rest = Motion::still(&Pose::IDENTITY);
    assert!(SweptVolume::of(&floor, &rest, 0.1).unwrap_err().to_string().contains("half-space"));
    let ball = Sphere::new(0.1).unwrap().into_geometry();
    for resolution in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(SweptVolume::of(&*ball, &rest, resolution).is_err(), "{resolution}");
    }
    assert!(SweptVolume::new(0.1).unwrap().mesh().is_err());
}
