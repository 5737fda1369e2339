//! Bodies drawn into maps, against the certified distance of every cell.

use crate::random::Random;
use crate::{cube, map_with};
use clearance_engine::convex::core_distance;
use clearance_engine::math::{DQuat, DVec3, IVec3};
use clearance_engine::pair::shape::winding_number;
use clearance_engine::shape::{Capsule, Convex, Cuboid, Cylinder, Primitive, Sphere};
use clearance_engine::tree::voxel_map::{Cell, Filling, VoxelMap};
use clearance_engine::{ErrorKind, Pose, TriMesh};

/// Cells beyond this are certainly not touched: what a cell that is drawn without need may be away.
const NEAR: f64 = 1e-12;

/// Whether a cell touches the body, and whether it nearly does.
fn touches(map: &VoxelMap, at: IVec3, body: &impl Convex) -> (bool, bool) {
    let space = map.grid().cell_box(at);
    let place = Pose::from_translation(space.center).unwrap();
    let cube = Cuboid::from_half_extents(space.half).unwrap().transformed(&place);
    match core_distance(&cube, body, body.radius() + NEAR) {
        None => (false, false),
        Some(parting) => (parting.upper <= body.radius(), true),
    }
}

fn random_pose(random: &mut Random) -> Pose {
    let rotation = DQuat::from_xyzw(random.signed(), random.signed(), random.signed(), 1.0).normalize();
    Pose::new(rotation, DVec3::from_array([0; 3].map(|_| random.between(-0.3, 0.3)))).unwrap()
}

#[test]
fn a_cell_is_set_if_and_only_if_it_touches_the_solid() {
    let mut random = Random(51);
    for round in 0..24 {
        let mut size = || random.between(0.02, 0.5);
        let solid: Primitive = match round % 4 {
            0 => Cuboid::from_half_extents(DVec3::new(size(), size(), size())).unwrap().into(),
            1 => Sphere::new(size()).unwrap().into(),
            2 => Capsule::from_half_length(size() / 2.0, size()).unwrap().into(),
            _ => Cylinder::from_half_length(size(), size()).unwrap().into(),
        };
        let pose = random_pose(&mut random);
        let mut map = map_with(Cell::Free);
        map.rasterize(&solid, &pose, Cell::Obstacle).unwrap();
        map.check().unwrap();
        let placed = solid.transformed(&pose);
        for at in cube(14) {
            let (surely, perhaps) = touches(&map, at, &placed);
            match map.cell(at) {
                Cell::Obstacle => assert!(perhaps, "{at} is set and does not touch {placed:?}"),
                _ => assert!(!surely, "{at} touches {placed:?}"),
            }
        }
    }
}

#[test]
fn a_box_along_the_edges_of_cells_touches_the_cells_around_it_too() {
    let mut map = VoxelMap::new(1.0).unwrap();
    map.rasterize(&Cuboid::from_half_extents(DVec3::splat(2.0)).unwrap().into(), &Pose::IDENTITY, Cell::Obstacle)
        .unwrap();
    for at in cube(5) {
        let inside = at.cmpge(IVec3::splat(-3)).all() && at.cmple(IVec3::splat(2)).all();
        assert_eq!(map.cell(at) == Cell::Obstacle, inside, "{at}");
    }
}

/// An icosahedron-like closed body: the hull of a cube's faces pulled outward, 24 triangles.
fn spiky_cube() -> TriMesh {
    let mut vertices = Vec::new();
    for vertex in 0..8 {
        let sign = |axis: usize| if vertex >> axis & 1 == 0 { -0.4 } else { 0.4 };
        vertices.push(DVec3::new(sign(0), sign(1), sign(2)));
    }
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let mut triangles = Vec::new();
    for (i, face) in faces.iter().enumerate() {
        let middle: DVec3 = face.iter().map(|&vertex: &usize| vertices[vertex]).sum::<DVec3>() / 4.0;
        // Some spikes point outward, some inward.
        vertices.push(middle * if i % 2 == 0 { 2.0 } else { 0.3 });
        let tip = vertices.len() as u32 - 1;
        for k in 0..4 {
            triangles.push([face[k] as u32, face[(k + 1) % 4] as u32, tip]);
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

#[test]
fn a_mesh_sets_the_cells_that_its_triangles_touch_and_if_solid_those_inside() {
    let mut random = Random(53);
    let mesh = spiky_cube();
    for filling in [Filling::Surface, Filling::Solid, Filling::Solid] {
        let pose = random_pose(&mut random);
        let mut map = map_with(Cell::Free);
        map.rasterize_mesh(&mesh, &pose, filling, Cell::Unknown).unwrap();
        map.check().unwrap();
        let triangles: Vec<_> = (0..mesh.len() as u32).map(|i| mesh.triangle(i).transformed(&pose)).collect();
        let mut inside = 0;
        for at in cube(13) {
            let touched: Vec<_> = triangles.iter().map(|triangle| touches(&map, at, triangle)).collect();
            let contained = winding_number(map.grid().center(at), triangles.iter().copied()) != 0;
            let solid = filling == Filling::Solid && contained;
            inside += usize::from(solid && touched.iter().all(|touch| !touch.1));
            if map.cell(at) == Cell::Unknown {
                assert!(solid || touched.iter().any(|touch| touch.1), "{at} is set and does not touch");
            } else {
                assert!(!solid && !touched.iter().any(|touch| touch.0), "{at} touches or is inside");
            }
        }
        assert_eq!(inside > 100, filling == Filling::Solid, "{inside} cells inside");
    }
}

#[test]
fn bodies_beyond_the_map_and_open_solids_are_refused() {
    let mut map = VoxelMap::new(1e-3).unwrap();
    let far = Pose::from_translation(DVec3::X * 1e8).unwrap();
    let sphere = Sphere::new(0.01).unwrap().into();
    assert_eq!(map.rasterize(&sphere, &far, Cell::Obstacle).unwrap_err().kind(), ErrorKind::OutOfRange);
    let open = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
    let error = map.rasterize_mesh(&open, &Pose::IDENTITY, Filling::Solid, Cell::Obstacle).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotClosed);
    assert!(map.is_empty());
}
