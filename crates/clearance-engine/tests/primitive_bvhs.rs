//! Trees of solids (point clouds, and boxes as the smallest example) against meshes of every kind,
//! single solids, half-spaces, planes, height fields and each other: every goal agrees with a look
//! at every pair by the shapes' own arithmetic, which `primitive_pairs.rs` judges.

mod support;

use clearance_engine::dispatch::{Dispatcher, PairQuery, PrimitiveBvhs};
use clearance_engine::math::{DVec3, SimdLevel};
use clearance_engine::pair::shape::{Proximity, Shape};
use clearance_engine::query::{ContactsRequest, DistanceRequest, Status};
use clearance_engine::shape::{HalfSpace, HalfSpaceOrPlane, Plane, Primitive, Sphere};
use clearance_engine::traversal::{WarmStart, Workspace};
use clearance_engine::tree::{
    BuildOptions, Geometry, HalfSpaceGeometry, HeightField, Mesh, PointCloud, PrimitiveBvh, Solid, VolumeTree,
};
use clearance_engine::{ErrorKind, Pose, TriMesh};
use support::boxes::Boxes;
use support::{Random, all_volumes, tolerance};

fn dispatcher() -> Dispatcher {
    let mut dispatcher = Dispatcher::standard();
    dispatcher.register_primitive_bvh::<Boxes>();
    dispatcher
}

/// What looking at every pair yields.
struct Truth {
    lower: f64,
    upper: f64,
    overlapping: Vec<(u32, u32)>,
}

fn truth<A: Proximity<B>, B: Shape>(a: &[A], b: &[B], a_from_b: &Pose) -> Truth {
    let mut found = Truth { lower: f64::INFINITY, upper: f64::INFINITY, overlapping: Vec::new() };
    for (j, shape) in b.iter().enumerate() {
        let moved = shape.transformed(a_from_b);
        for (i, shape) in a.iter().enumerate() {
            let closest = shape.closest_below(&moved, f64::INFINITY).unwrap();
            found.lower = found.lower.min(closest.lower);
            found.upper = found.upper.min(closest.upper);
            if shape.overlaps(&moved) {
                found.overlapping.push((i as u32, j as u32));
            }
        }
    }
    found.overlapping.sort_unstable();
    found
}

fn triangles(tri_mesh: &TriMesh) -> Vec<clearance_engine::Triangle> {
    (0..tri_mesh.len() as u32).map(|id| tri_mesh.triangle(id)).collect()
}

/// A tree of solids with its solids.
struct Tree {
    geometry: Box<dyn Geometry>,
    solids: Vec<Primitive>,
}

fn with_solids(tree: impl PrimitiveBvh, count: usize) -> Tree {
    let solids = (0..count as u32).map(|number| tree.solid(number).unwrap()).collect();
    assert!(tree.solid(count as u32).is_none());
    Tree { geometry: Box::new(tree), solids }
}

/// A cloud or boxes of up to `count` solids within about `scale` of `offset`, some of them at the
/// same place.
fn tree(random: &mut Random, which: usize, count: usize, scale: f64, offset: DVec3) -> Tree {
    let count = 1 + random.below(count);
    let mut points: Vec<DVec3> = (0..count).map(|_| random.vector() * scale + offset).collect();
    for i in 0..count / 8 {
        points[i] = points[random.below(count)];
    }
    if which.is_multiple_of(2) {
        let radius = scale * [0.0, 0.02, 0.1, 0.4][random.below(4)];
        return with_solids(PointCloud::new(points, radius).unwrap(), count);
    }
    let cube = scale * random.between(0.02, 0.2);
    let boxes: Vec<_> = points
        .into_iter()
        .map(|center| match random.below(4) {
            0 => (center, DVec3::new(random.unit(), 0.0, random.unit()) * 0.2 * scale),
            1 => (center, DVec3::splat(4.0 * cube)),
            _ => (center, DVec3::splat(cube)),
        })
        .collect();
    with_solids(Boxes::new(&boxes, 2 + random.below(7), 1 + random.below(8)), count)
}

/// Asks everything and compares; `size` is about the bodies' size and distance.
fn check(plan: &PairQuery<'_>, pose: &Pose, truth: &Truth, size: f64, level: SimdLevel, label: &str) {
    let mut workspace = Workspace::default();
    workspace.simd_level = level;
    let colliding = !truth.overlapping.is_empty();
    let mut warm_start = WarmStart::default();
    for _ in 0..2 {
        let answer = plan.distance(pose, &DistanceRequest::default(), &mut workspace, Some(&mut warm_start)).unwrap();
        assert!(answer.lower <= truth.upper && truth.lower <= answer.upper, "{label}: {answer:?} {}", truth.upper);
        let off = (answer.upper - truth.upper).abs();
        assert!(off <= tolerance(truth.upper, size), "{label}: {answer:?} {}", truth.upper);
        assert!(answer.upper - answer.lower <= tolerance(truth.upper, 100.0 * size), "{label}: {answer:?}");
        assert_eq!(answer.colliding(), Some(colliding), "{label}");
        let collision = plan.collide(pose, &mut workspace, Some(&mut warm_start));
        assert_eq!(collision.colliding, colliding, "{label}");
        assert!(collision.leaves.is_none_or(|leaves| truth.overlapping.contains(&leaves)), "{label}");
    }
    let contacts = plan.contacts(pose, &ContactsRequest::default(), &mut workspace).unwrap();
    let mut pairs: Vec<_> = contacts.contacts.iter().map(|c| (c.leaf_a, c.leaf_b)).collect();
    pairs.sort_unstable();
    assert_eq!(pairs, truth.overlapping, "{label}");
    for contact in &contacts.contacts {
        assert!((contact.normal.length() - 1.0).abs() < 1e-9 && contact.points[0].is_finite(), "{label}");
    }
    for (factor, expected) in [(0.99, colliding), (1.01, true), (3.0, true)] {
        let (within, _) = plan.within(pose, factor * truth.upper, &mut workspace).unwrap();
        assert_eq!(within, expected, "{label}");
    }
    if !colliding {
        check_ranges(plan, pose, truth.upper, &mut workspace, label);
    }
}

fn check_ranges(plan: &PairQuery<'_>, pose: &Pose, d: f64, workspace: &mut Workspace, label: &str) {
    let mut ask = |request: DistanceRequest| plan.distance(pose, &request, workspace, None).unwrap();
    for (rel_err, abs_err) in [(0.1, 0.0), (0.5, 0.0), (0.0, 0.2 * d)] {
        let answer = ask(DistanceRequest { rel_err, abs_err, ..Default::default() });
        assert!(answer.lower <= d * (1.0 + 1e-9) && d <= answer.upper * (1.0 + 1e-9), "{label}: {answer:?} {d}");
        let allowed = abs_err.max(rel_err * answer.upper) + 1e-9 * d;
        assert!(answer.upper - answer.lower <= allowed, "{label}: {answer:?}");
    }
    let beyond = ask(DistanceRequest { max_d: 0.9 * d, ..Default::default() });
    assert_eq!((beyond.status, beyond.witness), (Status::BeyondMax, None), "{label}");
    let near = ask(DistanceRequest { min_d: 1.1 * d, ..Default::default() });
    assert!(near.status == Status::BelowMin && near.upper <= 1.1 * d, "{label}: {near:?} {d}");
    assert!(near.lower <= d * (1.0 + 1e-9), "{label}: {near:?} {d}");
}

/// Where two bodies of about a size meet, and how large all is.
fn placed(random: &mut Random, scale: f64, offset: DVec3) -> (Pose, f64) {
    let apart = [0.5, 1.5, 2.5, 40.0][random.below(4)] * scale;
    let near = random.pose(apart);
    let pose = Pose::from_matrix(*near.rotation(), near.translation() + offset).unwrap();
    (pose, 4.0 * (apart + scale) + 1e-2 * offset.length())
}

fn scale_of(seed: u64) -> f64 {
    10.0_f64.powi([0, 0, -6, 6][seed as usize / 4 % 4])
}

#[test]
fn every_goal_agrees_with_every_pair_for_every_kind_of_mesh() {
    let dispatcher = dispatcher();
    let mut hits = 0;
    for seed in 0..60 {
        let mut random = Random(500 + seed);
        let scale = scale_of(seed);
        let offset = if seed % 5 == 0 { random.vector() * 1e6 * scale } else { DVec3::ZERO };
        let tri_mesh = random.tri_mesh(60, scale, offset);
        let b = tree(&mut random, seed as usize, 50, scale, DVec3::ZERO);
        let (pose, size) = placed(&mut random, scale, offset);
        let truth = truth(&triangles(&tri_mesh), &b.solids, &pose);
        hits += usize::from(!truth.overlapping.is_empty());
        let options = BuildOptions { arity: 2 + random.below(7), leaf: 1 + random.below(5), ..Default::default() };
        for a in all_volumes(tri_mesh.clone(), &options) {
            let label = format!("seed {seed}, {} against {}", a.kind(), b.geometry.kind());
            let plan = dispatcher.plan(&*a, &*b.geometry).unwrap();
            check(&plan, &pose, &truth, size, SimdLevel::Best, &label);
            let mirrored = dispatcher.plan(&*b.geometry, &*a).unwrap();
            let request = DistanceRequest::default();
            let swapped = mirrored.distance(&pose.inverse(), &request, &mut Workspace::default(), None).unwrap();
            assert!((swapped.upper - truth.upper).abs() <= tolerance(truth.upper, 10.0 * size), "{label}");
        }
    }
    assert!((12..48).contains(&hits), "{hits} of 60 seeds collide: the test must see both");
}

#[test]
fn default_meshes_agree_with_every_pair_at_every_simd_level() {
    let dispatcher = dispatcher();
    let mut hits = 0;
    for seed in 0..120 {
        let mut random = Random(1500 + seed);
        let scale = scale_of(seed);
        let mesh: Mesh = Mesh::new(random.tri_mesh(150, scale, DVec3::ZERO)).unwrap();
        let b = tree(&mut random, seed as usize, 300, scale, DVec3::ZERO);
        let (pose, size) = placed(&mut random, scale, DVec3::ZERO);
        let truth = truth(&triangles(mesh.tri_mesh()), &b.solids, &pose);
        hits += usize::from(!truth.overlapping.is_empty());
        let plan = dispatcher.plan(&mesh, &*b.geometry).unwrap();
        for level in SimdLevel::available() {
            check(&plan, &pose, &truth, size, level, &format!("seed {seed}, {level:?}, {}", b.geometry.kind()));
        }
    }
    assert!((24..100).contains(&hits), "{hits} of 120 seeds collide: the test must see both");
}

#[test]
fn single_solids_agree_with_every_solid_of_a_tree_at_every_simd_level() {
    let dispatcher = dispatcher();
    let mut hits = 0;
    for seed in 0..160 {
        let mut random = Random(2500 + seed);
        let scale = scale_of(seed);
        let a = tree(&mut random, seed as usize, 400, scale, DVec3::ZERO);
        let shape = random.solid(seed as usize / 2, scale * [1.0, 0.1, 1e-8, 1e8][seed as usize / 16 % 4]);
        let (pose, size) = placed(&mut random, scale, DVec3::ZERO);
        let truth = truth(&a.solids, std::slice::from_ref(&shape), &pose);
        hits += usize::from(!truth.overlapping.is_empty());
        let b = Solid::new(shape.clone());
        let plan = dispatcher.plan(&*a.geometry, &b).unwrap();
        let size = size + b.extent();
        for level in SimdLevel::available() {
            check(
                &plan,
                &pose,
                &truth,
                size,
                level,
                &format!("seed {seed}, {level:?}, {} {shape:?}", a.geometry.kind()),
            );
        }
    }
    assert!((32..140).contains(&hits), "{hits} of 160 seeds collide: the test must see both");
}

#[test]
fn half_spaces_and_planes_agree_with_every_solid_of_a_tree() {
    let dispatcher = dispatcher();
    let mut hits = 0;
    for seed in 0..160 {
        let mut random = Random(5500 + seed);
        let scale = scale_of(seed);
        let offset = if seed % 5 == 0 { random.vector() * 1e4 * scale } else { DVec3::ZERO };
        let a = tree(&mut random, seed as usize, 300, scale, offset);
        let (normal, d) = (random.vector(), random.signed() * scale);
        let flat: HalfSpaceOrPlane = if seed % 3 == 0 {
            HalfSpace::new(normal, d).unwrap().into()
        } else {
            Plane::new(normal, d).unwrap().into()
        };
        let (pose, size) = placed(&mut random, scale, offset);
        let truth = truth(&a.solids, &[flat], &pose);
        hits += usize::from(!truth.overlapping.is_empty());
        let b = HalfSpaceGeometry::new(flat);
        let label = format!("seed {seed}, {} against {}", a.geometry.kind(), b.kind());
        let plan = dispatcher.plan(&*a.geometry, &b).unwrap();
        check(&plan, &pose, &truth, size + offset.length(), SimdLevel::Best, &label);
    }
    assert!((30..140).contains(&hits), "{hits} of 160 seeds collide: the test must see both");
}

fn hills(random: &mut Random, scale: f64) -> HeightField {
    let (columns, rows) = (2 + random.below(6), 2 + random.below(6));
    let heights: Vec<f64> = (0..columns * rows).map(|_| scale * random.between(0.0, 0.4)).collect();
    HeightField::new(columns, rows, [0.3 * scale, 0.2 * scale], heights).unwrap()
}

#[test]
fn height_fields_agree_with_every_solid_of_a_tree() {
    let dispatcher = dispatcher();
    let mut hits = 0;
    for seed in 0..80 {
        let mut random = Random(6500 + seed);
        let scale = scale_of(seed);
        let field = hills(&mut random, scale);
        let triangles: Vec<_> = (0..field.triangle_count() as u32).map(|id| field.shape(id).unwrap()).collect();
        let b = tree(&mut random, seed as usize, 60, scale, DVec3::ZERO);
        let (pose, size) = placed(&mut random, scale, DVec3::ZERO);
        let truth = truth(&triangles, &b.solids, &pose);
        hits += usize::from(!truth.overlapping.is_empty());
        let label = format!("seed {seed}, a height field against {}", b.geometry.kind());
        check(&dispatcher.plan(&field, &*b.geometry).unwrap(), &pose, &truth, size, SimdLevel::Best, &label);
    }
    assert!((16..66).contains(&hits), "{hits} of 80 seeds collide: the test must see both");
}

#[test]
fn one_sphere_below_the_ground_of_a_solid_height_field_collides_though_it_touches_nothing() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    let mut random = Random(7500);
    let surface = HeightField::new(5, 5, [1.0, 1.0], vec![0.0; 25]).unwrap();
    let solid = surface.clone().into_solid(-4.0).unwrap();
    let mut points: Vec<DVec3> = (0..400).map(|_| random.vector() + DVec3::new(2.0, 2.0, 3.0)).collect();
    let above = PointCloud::new(points.clone(), 0.1).unwrap();
    points[123] = DVec3::new(2.0, 2.0, -2.0);
    let below = PointCloud::new(points, 0.1).unwrap();
    for (field, cloud, expected) in
        [(&surface, &above, false), (&solid, &above, false), (&surface, &below, false), (&solid, &below, true)]
    {
        let plan = dispatcher.plan(field, cloud).unwrap();
        assert_eq!(plan.collide(&Pose::IDENTITY, &mut workspace, None).colliding, expected);
        let answer = plan.distance(&Pose::IDENTITY, &DistanceRequest::default(), &mut workspace, None).unwrap();
        assert_eq!(answer.upper == 0.0, expected, "{answer:?}");
    }
}

#[test]
fn two_trees_agree_with_every_pair_of_their_solids() {
    let dispatcher = dispatcher();
    let mut hits = 0;
    for seed in 0..120 {
        let mut random = Random(3500 + seed);
        let scale = scale_of(seed);
        let a = tree(&mut random, seed as usize, 60, scale, DVec3::ZERO);
        let b = tree(&mut random, seed as usize / 2, 60, scale, DVec3::ZERO);
        let (pose, size) = placed(&mut random, scale, DVec3::ZERO);
        let truth = truth(&a.solids, &b.solids, &pose);
        hits += usize::from(!truth.overlapping.is_empty());
        let plan = dispatcher.plan(&*a.geometry, &*b.geometry).unwrap();
        let label = format!("seed {seed}, {} against {}", a.geometry.kind(), b.geometry.kind());
        check(&plan, &pose, &truth, size, SimdLevel::Best, &label);
    }
    assert!((24..100).contains(&hits), "{hits} of 120 seeds collide: the test must see both");
}

/// The surface of a box from −1 to 1, cut into triangles, outward.
fn cube() -> TriMesh {
    let vertex = |k: u32| {
        DVec3::new([-1.0, 1.0][k as usize & 1], [-1.0, 1.0][k as usize >> 1 & 1], [-1.0, 1.0][k as usize >> 2])
    };
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh::new((0..8).map(vertex).collect(), triangles).unwrap()
}

#[test]
fn a_solid_inside_of_a_mesh_collides_only_if_that_was_declared_solid() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    let surface: Mesh = Mesh::new(cube()).unwrap();
    let solid: Mesh = Mesh::new(cube()).unwrap().into_solid().unwrap();
    let plain: Mesh<clearance_engine::volume::Obb> = Mesh::new(cube()).unwrap().into_solid().unwrap();
    // Thousands of spheres all around, of which one is inside.
    let mut random = Random(77);
    let far: Vec<DVec3> = (0..3000).map(|_| random.vector() * 4.0).filter(|p| p.abs().max_element() > 1.2).collect();
    for inside in [None, Some(DVec3::ZERO), Some(DVec3::new(0.85, -0.85, 0.85))] {
        let points: Vec<DVec3> = far.iter().copied().chain(inside).collect();
        let boxes: Vec<_> = points.iter().map(|&point| (point, DVec3::splat(0.05))).collect();
        let trees: [Box<dyn Geometry>; 2] =
            [Box::new(PointCloud::new(points, 0.1).unwrap()), Box::new(Boxes::new(&boxes, 8, 8))];
        for tree in &trees {
            for (mesh, expected) in
                [(&surface as &dyn Geometry, false), (&solid, inside.is_some()), (&plain, inside.is_some())]
            {
                let plan = dispatcher.plan(mesh, &**tree).unwrap();
                let label = format!("{inside:?} {} {}", mesh.kind(), tree.kind());
                assert_eq!(plan.collide(&Pose::IDENTITY, &mut workspace, None).colliding, expected, "{label}");
                let request = DistanceRequest::default();
                let answer = plan.distance(&Pose::IDENTITY, &request, &mut workspace, None).unwrap();
                assert_eq!(answer.upper == 0.0, expected, "{label}");
                let contacts = plan.contacts(&Pose::IDENTITY, &ContactsRequest::default(), &mut workspace).unwrap();
                assert_eq!(contacts.contained.is_some(), expected, "{label}");
                if let Some(point) = contacts.contained {
                    assert!(point.abs().max_element() < 1.0, "{label}: {point}");
                }
                assert_eq!(plan.within(&Pose::IDENTITY, 1e-3, &mut workspace).unwrap().0, expected, "{label}");
            }
        }
    }
}

#[test]
fn a_mesh_inside_of_a_sphere_touches_it() {
    let dispatcher = dispatcher();
    let mesh: Mesh = Mesh::new(cube()).unwrap();
    let cloud = PointCloud::new(vec![DVec3::splat(0.5), DVec3::X * 40.0], 10.0).unwrap();
    let plan = dispatcher.plan(&mesh, &cloud).unwrap();
    assert!(plan.collide(&Pose::IDENTITY, &mut Workspace::default(), None).colliding);
}

#[test]
fn a_margin_of_contacts_finds_every_pair_that_is_as_near() {
    let dispatcher = dispatcher();
    for seed in 0..20 {
        let mut random = Random(4500 + seed);
        let mesh: Mesh = Mesh::new(random.tri_mesh(80, 1.0, DVec3::ZERO)).unwrap();
        let b = tree(&mut random, seed as usize, 60, 1.0, DVec3::ZERO);
        let pose = random.pose(2.5);
        let moved: Vec<_> = b.solids.iter().map(|solid| solid.transformed(&pose)).collect();
        let margin = 0.7;
        let near = |id: u32, solid: &Primitive| {
            mesh.tri_mesh().triangle(id).closest_below(solid, 10.0).is_some_and(|closest| closest.upper <= margin)
        };
        let expected = (0..80).map(|id| moved.iter().filter(|solid| near(id, solid)).count()).sum::<usize>();
        let request = ContactsRequest { margin, ..Default::default() };
        let plan = dispatcher.plan(&mesh, &*b.geometry).unwrap();
        let contacts = plan.contacts(&pose, &request, &mut Workspace::default()).unwrap();
        assert_eq!(contacts.contacts.len(), expected, "seed {seed}");
    }
}

#[test]
fn what_makes_no_cloud_is_refused_with_its_place() {
    let points = vec![DVec3::ZERO, DVec3::new(0.0, f64::NAN, 0.0)];
    let error = PointCloud::new(points.clone(), 0.1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFinite);
    assert!(error.to_string().contains("point 1"), "{error}");
    assert_eq!(PointCloud::new(vec![], 0.1).unwrap_err().kind(), ErrorKind::Empty);
    assert_eq!(PointCloud::new(vec![DVec3::X * 1e200], 0.1).unwrap_err().kind(), ErrorKind::OutOfRange);
    for radius in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(PointCloud::new(points[..1].to_vec(), radius).is_err(), "{radius}");
    }
}

#[test]
fn a_cloud_that_is_tiny_beside_a_mesh_is_where_it_is() {
    let points = |scale: f64| {
        let mut random = Random(8500);
        (0..40).map(|_| random.vector() * scale).collect::<Vec<DVec3>>()
    };
    support::check_tiny_beside_a_triangle(&dispatcher(), |scale| {
        Box::new(PointCloud::new(points(scale), 0.0).unwrap())
    });
}

#[test]
fn a_cloud_of_one_point_many_equal_ones_or_tiny_extent_is_as_good_as_any() {
    let dispatcher = dispatcher();
    let sphere = Solid::new(Sphere::new(1.0).unwrap());
    let mut workspace = Workspace::default();
    let at = DVec3::new(3.0, -2.0, 1.0);
    let clouds = [vec![at], vec![at; 1000], (0..1000).map(|i| at + DVec3::X * f64::from(i) * 1e-15).collect()];
    for (points, radius) in clouds.iter().flat_map(|points| [0.0, 1e-12, 0.5].map(|radius| (points, radius))) {
        let cloud = PointCloud::new(points.clone(), radius).unwrap();
        let plan = dispatcher.plan(&cloud, &sphere).unwrap();
        let pose = Pose::from_translation(at + DVec3::Z * 4.0).unwrap();
        let answer = plan.distance(&pose, &DistanceRequest::default(), &mut workspace, None).unwrap();
        assert!((answer.upper - (3.0 - radius)).abs() < 1e-12, "{cloud:?}: {answer:?}");
        assert!(plan.collide(&Pose::from_translation(at).unwrap(), &mut workspace, None).colliding, "{cloud:?}");
    }
}

#[test]
fn a_test_of_two_kinds_of_trees_takes_one_line() {
    let mut dispatcher = Dispatcher::empty();
    dispatcher.register::<Boxes, PointCloud>("boxes", PrimitiveBvhs);
    let boxes = Boxes::new(&[(DVec3::ZERO, DVec3::ONE)], 2, 1);
    let cloud = PointCloud::new(vec![DVec3::X * 3.0], 0.5).unwrap();
    let request = DistanceRequest::default();
    let answer =
        dispatcher.plan(&cloud, &boxes).unwrap().distance(&Pose::IDENTITY, &request, &mut Workspace::default(), None);
    assert!((answer.unwrap().upper - 1.5).abs() < 1e-12);
}
