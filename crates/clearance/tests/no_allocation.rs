//! After warm-up no query allocates.

mod support;

use clearance::descent::{PairCache, Workspace};
use clearance::math::DVec3;
use clearance::query::DistanceRequest;
use clearance::shape::{ConvexPolyhedron, Cylinder};
use clearance::tree::{BuildOptions, Geometry, PointCloud, Solid};
use support::{Random, all_volumes, bank};

#[test]
fn distance_collide_and_within_do_not_allocate_after_warm_up() {
    let bank = bank();
    let mut random = Random(11);
    let options = BuildOptions::default();
    let a = all_volumes(random.soup(300, 1.0, DVec3::ZERO), &options);
    let b = all_volumes(random.soup(300, 1.0, DVec3::ZERO), &options);
    let can = || Box::new(Solid::new(Cylinder::new(0.3, 0.5).unwrap())) as Box<dyn Geometry>;
    let points: Vec<DVec3> = (0..200).map(|_| random.vector() * 0.5).collect();
    let hull = || Box::new(Solid::new(ConvexPolyhedron::hull_of(&points).unwrap())) as Box<dyn Geometry>;
    let meshes = a.iter().zip(&b);
    let (solids, can, stone) = ([can(), hull()], can(), hull());
    let points = (0..300).map(|_| random.vector()).collect();
    let cloud = Box::new(PointCloud::new(points, 0.02).unwrap()) as Box<dyn Geometry>;
    let with_solids = a.iter().chain(&solids).flat_map(|a| [(a, &can), (a, &stone)]);
    let with_points = a.iter().chain([&can, &cloud]).map(|a| (a, &cloud));
    for (a, b) in meshes.chain(with_solids).chain(with_points) {
        let plan = bank.plan(&**a, &**b).unwrap();
        let mut workspace = Workspace::default();
        let mut cache = PairCache::default();
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
                plan.distance(pose, &request, &mut workspace, Some(&mut cache)).unwrap();
                plan.collide(pose, &mut workspace, Some(&mut cache));
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
