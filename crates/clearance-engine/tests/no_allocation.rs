//! After warm-up no query allocates.

mod support;

use clearance_engine::math::DVec3;
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::{ConvexPolyhedron, Cylinder, HalfSpace};
use clearance_engine::traversal::{WarmStart, Workspace};
use clearance_engine::tree::{BuildOptions, Geometry, HalfSpaceGeometry, HeightField, PointCloud, Solid};
use support::{Random, all_volumes, dispatcher};

#[test]
fn distance_collide_and_within_do_not_allocate_after_warm_up() {
    let dispatcher = dispatcher();
    let mut random = Random(11);
    let options = BuildOptions::default();
    let a = all_volumes(random.tri_mesh(300, 1.0, DVec3::ZERO), &options);
    let b = all_volumes(random.tri_mesh(300, 1.0, DVec3::ZERO), &options);
    let can = || Box::new(Solid::new(Cylinder::from_half_length(0.3, 0.5).unwrap())) as Box<dyn Geometry>;
    let points: Vec<DVec3> = (0..200).map(|_| random.vector() * 0.5).collect();
    let hull = || Box::new(Solid::new(ConvexPolyhedron::hull_of(&points).unwrap())) as Box<dyn Geometry>;
    let meshes = a.iter().zip(&b);
    let (solids, can, stone) = ([can(), hull()], can(), hull());
    let points = (0..300).map(|_| random.vector()).collect();
    let cloud = Box::new(PointCloud::new(points, 0.02).unwrap()) as Box<dyn Geometry>;
    let floor: Box<dyn Geometry> = Box::new(HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, 0.0).unwrap()));
    let heights: Vec<f64> = (0..100).map(|_| random.unit()).collect();
    let hills = HeightField::new(10, 10, [0.3, 0.3], heights).unwrap().into_solid(-1.0).unwrap();
    let hills: Box<dyn Geometry> = Box::new(hills);
    let with_solids = a.iter().chain(&solids).flat_map(|a| [(a, &can), (a, &stone)]);
    let with_points = a.iter().chain([&can, &cloud]).map(|a| (a, &cloud));
    let with_floor = a.iter().chain(&solids).chain([&cloud]).map(|a| (a, &floor));
    let with_hills = a.iter().chain(&solids).chain([&floor, &hills, &cloud]).map(|a| (a, &hills));
    for (a, b) in meshes.chain(with_solids).chain(with_points).chain(with_floor).chain(with_hills) {
        let plan = dispatcher.plan(&**a, &**b).unwrap();
        let mut workspace = Workspace::default();
        let mut warm_start = WarmStart::default();
        let poses: Vec<_> = (0..30)
            .map(|_| {
                let apart = 3.0 * random.unit();
                random.pose(apart)
            })
            .collect();
        let mut ask_all = || {
            for pose in &poses {
                let request = DistanceRequest::default();
                plan.distance(pose, &request, &mut workspace, None).unwrap();
                plan.distance(pose, &request, &mut workspace, Some(&mut warm_start)).unwrap();
                plan.collide(pose, &mut workspace, Some(&mut warm_start));
                plan.collide(pose, &mut workspace, None);
                plan.within(pose, 0.1, &mut workspace).unwrap();
            }
        };
        // Two rounds: the cache hands its memory back and forth.
        ask_all();
        ask_all();
        let counted = allocation_counter::measure(ask_all);
        assert_eq!(counted.count_total, 0, "{}", a.kind());
    }
}
