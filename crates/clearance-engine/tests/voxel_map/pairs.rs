//! Chosen cells as a geometry, against the union of their cubes: every cube is looked at, by the
//! arithmetic that `primitive_pairs.rs` judges.

use crate::map_with;
use crate::random::Random;
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::{DQuat, DVec3, IVec3};
use clearance_engine::pair::shape::Proximity;
use clearance_engine::query::{ContactsRequest, DistanceRequest};
use clearance_engine::shape::{Cuboid, Primitive, Sphere};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::voxel_map::{Cell, Cells, VoxelCells, VoxelLeaf, VoxelMap, VoxelOptions};
use clearance_engine::tree::{Geometry, Mesh, PointCloud, PrimitiveBvh, PrimitiveBvhNodes, QueryRegion, Solid, Tree};
use clearance_engine::volume::{BoundingSphere, Obb, Volume};
use clearance_engine::{ErrorKind, Pose, TriMesh};

/// Blocks and single cells of all kinds within ±12 cells.
fn random_map(random: &mut Random) -> VoxelMap {
    let mut map = map_with(Cell::Free);
    for round in 0..random.below(4) {
        let (a, b) = (random.cell(24), random.cell(24));
        map.fill(a.min(b), a.max(b), [Cell::Obstacle, Cell::Unknown, Cell::Free][round % 3]).unwrap();
    }
    for _ in 0..1 + random.below(80) {
        map.set(random.cell(24), [Cell::Obstacle, Cell::Unknown][random.below(2)]).unwrap();
    }
    map
}

fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(random.signed(), random.signed(), random.signed())
}

fn tri_mesh(random: &mut Random, size: f64) -> TriMesh {
    let points: Vec<DVec3> = (0..60).map(|_| vector(random) * size).collect();
    let vertices = (0..30).flat_map(|_| {
        let at = points[random.below(60)];
        [at, at + vector(random) * 0.3 * size, at + vector(random) * 0.3 * size]
    });
    TriMesh::new(vertices.collect(), (0..30).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap()
}

/// The chosen cubes.
fn cubes(map: &VoxelMap, cells: Cells) -> Vec<Primitive> {
    let cube = |leaf: clearance_engine::tree::voxel_map::VoxelLeaf| {
        let first = leaf.low.to_array().map(i64::from);
        let (low, high) = (map.grid().low_end(first), map.grid().low_end(first.map(|i| i + i64::from(leaf.side))));
        let place = Pose::from_translation((low + high) * 0.5).unwrap();
        Primitive::from(Cuboid::from_half_extents((high - low) * 0.5).unwrap().transformed(&place))
    };
    map.view(cells).unwrap().leaves().map(cube).collect()
}

/// The least distance, and how many pairs overlap.
fn truth<A: Proximity<Primitive>>(shapes: &[A], cubes: &[Primitive], a_from_map: &Pose) -> (f64, usize) {
    let (mut least, mut overlaps) = (f64::INFINITY, 0);
    for cube in cubes {
        let moved = cube.transformed(a_from_map);
        for shape in shapes {
            least = least.min(shape.closest_below(&moved, f64::INFINITY).unwrap().upper);
            overlaps += usize::from(shape.overlaps(&moved));
        }
    }
    (least, overlaps)
}

fn check(
    dispatcher: &Dispatcher,
    a: &dyn Geometry,
    b: &VoxelCells,
    pose: &Pose,
    (least, overlaps): (f64, usize),
    label: &str,
) {
    let plan = dispatcher.plan(a, b).unwrap();
    let mut workspace = Workspace::default();
    let answer = plan.distance(pose, &DistanceRequest::default(), &mut workspace, None).unwrap();
    assert!((answer.upper - least).abs() < 1e-9 && answer.lower <= least + 1e-12, "{label}: {answer:?} {least}");
    assert!(answer.upper - answer.lower < 1e-9, "{label}: {answer:?}");
    assert_eq!(plan.collide(pose, &mut workspace, None).colliding, overlaps > 0, "{label}");
    let contacts = plan.contacts(pose, &ContactsRequest::default(), &mut workspace).unwrap();
    assert_eq!(contacts.contacts.len(), overlaps, "{label}");
    for contact in &contacts.contacts {
        assert!(b.leaf(contact.leaf_b).is_some_and(|leaf| b.cells().contains(leaf.cell)), "{label}");
    }
}

#[test]
fn meshes_solids_and_clouds_meet_the_union_of_the_cubes() {
    let (dispatcher, mut hits) = (Dispatcher::standard(), 0);
    for seed in 0..60 {
        let mut random = Random(100 + seed);
        let mut map = random_map(&mut random);
        let turn = DQuat::from_scaled_axis(vector(&mut random) * 3.0);
        let pose = Pose::new(turn, vector(&mut random) * [0.5, 1.0, 2.5][seed as usize % 3]).unwrap();
        let mesh = tri_mesh(&mut random, 0.4);
        let triangles: Vec<_> = (0..mesh.len() as u32).map(|id| mesh.triangle(id)).collect();
        let sphere = Primitive::from(Sphere::new(0.3).unwrap());
        let points: Vec<DVec3> = (0..40).map(|_| vector(&mut random) * 0.5).collect();
        let spheres: Vec<Primitive> = points
            .iter()
            .map(|&point| Sphere::new(0.02).unwrap().transformed(&Pose::from_translation(point).unwrap()).into())
            .collect();
        for cells in [Cells::OBSTACLE, Cells::UNKNOWN, Cells::NOT_FREE] {
            let Ok(voxels) = map.snapshot().geometry(cells) else { continue };
            let cubes = cubes(&map, cells);
            let label = |what: &str| format!("seed {seed}, {what}, {cells:?}");
            let with_mesh = truth(&triangles, &cubes, &pose);
            hits += usize::from(with_mesh.1 > 0);
            let (wide, plain): (Mesh, Mesh<Obb>) = (Mesh::new(mesh.clone()).unwrap(), Mesh::new(mesh.clone()).unwrap());
            check(&dispatcher, &wide, &voxels, &pose, with_mesh, &label("wide"));
            check(&dispatcher, &plain, &voxels, &pose, with_mesh, &label("obb"));
            let with_sphere = truth(std::slice::from_ref(&sphere), &cubes, &pose);
            check(&dispatcher, &Solid::new(sphere.clone()), &voxels, &pose, with_sphere, &label("ball"));
            let cloud = PointCloud::new(points.clone(), 0.02).unwrap();
            check(&dispatcher, &cloud, &voxels, &pose, truth(&spheres, &cubes, &pose), &label("points"));
        }
    }
    assert!((30..150).contains(&hits), "{hits} of 180 collide: the test must see both");
}

#[test]
fn two_maps_meet_where_their_cubes_do() {
    let dispatcher = Dispatcher::standard();
    for seed in 0..20 {
        let mut random = Random(900 + seed);
        let (mut a, mut b) = (random_map(&mut random), random_map(&mut random));
        let pose = Pose::from_translation(vector(&mut random) * 3.0).unwrap();
        let (Ok(of_a), Ok(of_b)) = (a.snapshot().geometry(Cells::NOT_FREE), b.snapshot().geometry(Cells::OBSTACLE))
        else {
            continue;
        };
        let known = truth(&cubes(&a, Cells::NOT_FREE), &cubes(&b, Cells::OBSTACLE), &pose);
        check(&dispatcher, &of_a, &of_b, &pose, known, &format!("seed {seed}"));
    }
}

#[test]
fn a_tree_of_cells_keeps_what_trees_of_solids_promise() {
    for seed in 0..10 {
        let mut random = Random(40 + seed);
        let mut map = random_map(&mut random);
        let Ok(voxels) = map.snapshot().geometry(Cells::OBSTACLE) else { continue };
        let frame = *voxels.frame();
        let (mut stack, mut numbers) = (vec![voxels.root()], Vec::new());
        while let Some(node) = stack.pop() {
            let block = voxels.block(node);
            assert!((1..=8).contains(&block.count));
            for lane in 0..block.count as usize {
                if voxels.is_leaf(node) {
                    let number = voxels.primitive_number(node, lane);
                    let leaf = voxels.leaf(number).unwrap();
                    let first = leaf.low.to_array().map(i64::from);
                    let high = frame.store(map.grid().low_end(first.map(|i| i + i64::from(leaf.side))));
                    let low = frame.store(map.grid().low_end(first));
                    let held = block.get(lane);
                    let (center, half) = (DVec3::from_array(block.center.map(|x| f64::from(x[lane]))), held.half());
                    assert!((center - half).cmple(low).all() && (center + half).cmpge(high).all());
                    assert!(low.abs().max(high.abs()).max_element() <= 1.0);
                    numbers.push(number);
                } else {
                    stack.push(voxels.child(node, lane));
                }
            }
        }
        let count = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!((numbers.len(), count), (map.view(Cells::OBSTACLE).unwrap().leaves().count(), count));
        assert!([u32::MAX, u32::MAX >> 1, 1 << 31, 127].iter().all(|&number| voxels.solid(number).is_none()));
    }
}

/// Cells near and far, down to a pair of neighbours and up to all that indices reach, in a grid
/// that begins anywhere.
fn scattered(random: &mut Random) -> VoxelMap {
    let reach = [2, 40, 3000, 1 << 23, 1 << 27, 1 << 30][random.below(6)];
    let origin = vector(random) * [0.0, 1.0, 1e6][random.below(3)];
    let mut map = VoxelMap::with_options(&VoxelOptions { origin, ..VoxelOptions::new(0.1) }).unwrap();
    let away = [1, 1 << 29][random.below(2)];
    let about = random.cell(away);
    for _ in 0..2 + random.below(40) {
        let first = about + random.cell(reach);
        map.fill(first, first + random.below(6) as i32, Cell::Obstacle).unwrap();
    }
    map
}

/// A cube of cells in stored coordinates.
fn stored(map: &VoxelMap, voxels: &VoxelCells, leaf: &VoxelLeaf) -> (DVec3, DVec3) {
    let first = leaf.low.to_array().map(i64::from);
    let last = first.map(|index| index + i64::from(leaf.side));
    (voxels.frame().store(map.grid().low_end(first)), voxels.frame().store(map.grid().low_end(last)))
}

/// The cubes below a node, each with its number, once it is seen that all boxes on the way contain
/// them.
fn cubes_below(tree: &impl PrimitiveBvhNodes, cube: &impl Fn(u32) -> (DVec3, DVec3), node: u32) -> Vec<u32> {
    let (block, mut all) = (tree.block(node), Vec::new());
    for lane in 0..block.count as usize {
        let below = match tree.is_leaf(node) {
            true => vec![tree.primitive_number(node, lane)],
            false => cubes_below(tree, cube, tree.child(node, lane)),
        };
        let cubes = below.iter().map(|&number| cube(number)).filter(|(low, high)| low.cmple(*high).all());
        for (low, high) in cubes {
            for bounds in [block.get(lane), tree.bounds(node)] {
                let (center, half) = (bounds.center(), bounds.half());
                assert!(
                    (center - half).cmple(low).all() && (center + half).cmpge(high).all(),
                    "{low} {high} {bounds:?}"
                );
            }
        }
        all.extend(below);
    }
    all
}

#[test]
fn boxes_of_all_nodes_contain_their_cells_however_far_apart_these_are() {
    for seed in 0..120 {
        let mut random = Random(600 + seed);
        let mut map = scattered(&mut random);
        let voxels = map.snapshot().geometry(Cells::OBSTACLE).unwrap();
        let cube = |number: u32| stored(&map, &voxels, &voxels.leaf(number).unwrap());
        let mut found = cubes_below(&voxels, &cube, voxels.root());
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), map.view(Cells::OBSTACLE).unwrap().leaves().count(), "seed {seed}");
    }
}

#[test]
fn nothing_that_is_in_reach_is_left_out() {
    let (mut left_out, mut out_of_reach) = (0, 0);
    for seed in 0..400 {
        let mut random = Random(800 + seed);
        let mut map = scattered(&mut random);
        let voxels = map.snapshot().geometry(Cells::OBSTACLE).unwrap();
        let all: Vec<VoxelLeaf> = map.view(Cells::OBSTACLE).unwrap().leaves().collect();
        let corner = |cell: IVec3| map.grid().low_end(cell.to_array().map(i64::from));
        let ends = [all[random.below(all.len())].low, all[random.below(all.len())].low].map(corner);
        let (low, high) = (ends[0].min(ends[1]) - 0.1 * random.unit(), ends[0].max(ends[1]) + 0.1 * random.unit());
        // A sphere about a cell, through a corner of another one, or without an end.
        let pick = |random: &mut Random| corner(all[random.below(all.len())].low + random.below(2) as i32);
        let (center, through) = (pick(&mut random) + random.unit() * 0.1, pick(&mut random));
        let radius = if random.below(4) == 0 { f64::INFINITY } else { center.distance(through) };
        let within = voxels.within(|| QueryRegion { low, high, sphere: BoundingSphere { center, radius } });
        let in_reach =
            |point: DVec3| low.cmple(point).all() && point.cmple(high).all() && point.distance(center) <= radius;
        if within.is_empty() {
            let corners = |leaf: &VoxelLeaf| [leaf.low, leaf.low + leaf.side as i32].map(corner);
            let nearest = |leaf: &VoxelLeaf| center.clamp(corners(leaf)[0], corners(leaf)[1]);
            let missed = all.iter().find(|leaf| in_reach(nearest(leaf)));
            assert!(missed.is_none(), "seed {seed}: {missed:?} is in reach of {center}, {radius}");
            out_of_reach += 1;
            continue;
        }
        // Boxes need not contain what of a cube is outside.
        let cube = |number: u32| {
            let (from, to) = stored(&map, &voxels, &voxels.leaf(number).unwrap());
            (from.max(voxels.frame().store(low)), to.min(voxels.frame().store(high)))
        };
        // What is kept may be a piece of a larger cube.
        let kept: Vec<VoxelLeaf> =
            cubes_below(&within, &cube, within.root()).iter().map(|&number| voxels.leaf(number).unwrap()).collect();
        let first = |leaf: &VoxelLeaf| corner(leaf.low);
        let last = |leaf: &VoxelLeaf| corner(leaf.low + leaf.side as i32);
        for leaf in &all {
            for _ in 0..4 {
                let t = DVec3::new(random.unit(), random.unit(), random.unit());
                let point = first(leaf) + (last(leaf) - first(leaf)) * t;
                if in_reach(point) {
                    let holds = |leaf: &VoxelLeaf| first(leaf).cmple(point).all() && point.cmple(last(leaf)).all();
                    assert!(kept.iter().any(holds), "seed {seed}: {point} is in {leaf:?}, which is missing");
                }
            }
        }
        left_out += usize::from(kept.len() < all.len());
    }
    assert!(left_out > 50 && out_of_reach > 20, "{left_out} leave something out, {out_of_reach} all");
}

#[test]
fn a_geometry_is_of_its_moment_and_there_is_none_without_cells() {
    let mut map = map_with(Cell::Free);
    assert_eq!(map.snapshot().geometry(Cells::OBSTACLE).unwrap_err().kind(), ErrorKind::Empty);
    map.set(IVec3::ZERO, Cell::Obstacle).unwrap();
    let before = map.snapshot().geometry(Cells::OBSTACLE).unwrap();
    map.set(IVec3::ZERO, Cell::Free).unwrap();
    map.set(IVec3::new(50, 0, 0), Cell::Obstacle).unwrap();
    let after = map.snapshot().geometry(Cells::OBSTACLE).unwrap();
    assert_ne!(before.revision(), after.revision());
    let (dispatcher, sphere) = (Dispatcher::standard(), Solid::new(Sphere::new(0.05).unwrap()));
    let collides = |cells: &VoxelCells| {
        dispatcher.plan(cells, &sphere).unwrap().collide(&Pose::IDENTITY, &mut Workspace::default(), None).colliding
    };
    assert!(collides(&before) && !collides(&after));
}
