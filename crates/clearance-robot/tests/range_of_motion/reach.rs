//! No configuration within the limits takes a link out of its reach, and verdicts on objects agree
//! with what is met on the way.

use crate::random::Random;
use crate::support::{at, made_robots, mobile, points, random_configuration, two_arms};
use clearance_engine::Pose;
use clearance_engine::dispatch::Pair;
use clearance_engine::math::DVec3;
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::{Cuboid, HalfSpace, Sphere};
use clearance_engine::tree::voxel_map::Cell;
use clearance_robot::{Checker, ErrorKind, GapOptions, Verdict};

#[test]
fn links_stay_in_their_reach_and_its_voxels() {
    let (mut random, mut used) = (Random(3), 0.0_f64);
    for robot in made_robots() {
        let mut checker = Checker::new(robot.clone()).unwrap();
        checker.set_base(at(0.3, -0.2, 0.5)).unwrap();
        let links: Vec<_> = robot.links().iter().filter(|link| !link.geometries().is_empty()).collect();
        let reaches: Vec<_> = links.iter().map(|link| checker.reach(link.name())).collect();
        let whole = checker.robot_reach();
        let bounded = reaches.iter().flatten().next().and_then(|reach| reach.bounding_box());
        let zone = bounded.map(|(low, high)| {
            let reach = reaches.iter().flatten().next().unwrap();
            reach.voxel_map((high - low).max_element() / 40.0).unwrap()
        });
        for number in 0..4000 {
            let poses = checker.link_poses(&random_configuration(&robot, &mut random)).unwrap().to_vec();
            let mut is_first = true;
            for (link, reach) in links.iter().zip(&reaches) {
                let Ok(reach) = reach else { continue };
                let pose = poses[robot.link_index(link.name()).unwrap()];
                let geometry = &link.geometries()[number % link.geometries().len()];
                let all = points(&geometry.shape);
                let point = pose.then(&geometry.origin).transform_point(all[number % all.len()]);
                // Rounding of the forward kinematics, which is no part of the reach.
                let rounding = 1e-12 * (1.0 + point.length());
                let depth =
                    |sphere: &clearance_engine::volume::BoundingSphere| sphere.radius - point.distance(sphere.center);
                let inside = reach.spheres().iter().map(depth).fold(f64::NEG_INFINITY, f64::max);
                assert!(inside >= -rounding, "{}, {}: {inside}", robot.name(), link.name());
                let (low, high) = reach.bounding_box().unwrap();
                used = used.max(((point - low) / (high - low)).max_element());
                if let Ok(whole) = &whole {
                    let inside = whole.spheres().iter().map(depth).fold(f64::NEG_INFINITY, f64::max);
                    assert!(inside >= -rounding, "{}, {}: {inside} in all", robot.name(), link.name());
                }
                if let (true, Some(zone)) = (is_first, &zone) {
                    assert_eq!(zone.cell_at(point).unwrap(), Cell::Obstacle, "{} {point}", robot.name());
                }
                is_first = false;
            }
        }
    }
    // Otherwise the spheres would be far too large.
    assert!(used > 0.85, "{used}");
}

#[test]
fn what_nothing_bounds_is_refused_and_what_is_fixed_has_a_reach() {
    let checker = Checker::new(mobile()).unwrap();
    let error = checker.reach("arm").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("'arm'") && error.to_string().contains("no limits"), "{error}");
    assert!(checker.robot_reach().is_err());
    assert_eq!(checker.reach("tail").unwrap_err().kind(), ErrorKind::Unknown);
    assert!(checker.branch_gap("arm", "tail").is_err());
    let checker = Checker::new(two_arms(2, false)).unwrap();
    let error = checker.robot_reach().unwrap().voxel_map(1e-9).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
}

#[test]
fn verdicts_on_objects_agree_with_samples() {
    let (mut random, mut counts) = (Random(11), [0; 3]);
    for robot in made_robots() {
        let mut checker = Checker::new(robot.clone()).unwrap();
        checker.set_base(at(0.1, 0.2, -0.3)).unwrap();
        let Ok((low, high)) = checker.robot_reach().map(|reach| reach.bounding_box().unwrap()) else { continue };
        for number in 0..30 {
            let place = low + (high - low) * DVec3::from_array([0; 3].map(|_| random.between(-0.2, 1.2)));
            let (name, pose) = (format!("box {number}"), Pose::from_translation(place).unwrap());
            let size = random.between(0.02, 0.3) * (high - low).max_element();
            checker.scene_mut().add(&name, Cuboid::new(size, size, 0.5 * size).unwrap(), pose).unwrap();
            let options = GapOptions { evaluations: 2000, ..GapOptions::default() };
            let solid: Vec<_> = robot.links().iter().filter(|link| !link.geometries().is_empty()).collect();
            let link = solid[random.below(solid.len())];
            let verdict = checker.can_touch(link.name(), &name, &options).unwrap();
            let only = Some(vec![link.name().to_owned()]);
            let mut alone = checker.clone();
            alone.set_options(clearance_robot::CheckOptions { only, ..Default::default() }).unwrap();
            let mut least = f64::INFINITY;
            for _ in 0..300 {
                let found =
                    alone.scene_distance_with(&random_configuration(&robot, &mut random), &DistanceRequest::default());
                least = found.unwrap().map_or(least, |found| least.min(found.upper));
            }
            match verdict {
                Verdict::Never { gap, .. } => {
                    assert!(
                        gap > 0.0 && gap <= least,
                        "{}: {} is {least} from {name}, {gap} proven",
                        robot.name(),
                        link.name()
                    );
                    counts[0] += 1;
                }
                Verdict::Sometimes { configuration } => {
                    let found = alone.scene_collision(&configuration).unwrap();
                    assert!(found.is_some_and(|hit| hit.a == link.name()), "{}: {configuration:?}", robot.name());
                    assert_eq!(robot.outside_limits(&configuration).count(), 0);
                    counts[1] += 1;
                }
                Verdict::Always { .. } => assert_eq!(least, 0.0),
                Verdict::Undecided { .. } => counts[2] += 1,
            }
            checker.scene_mut().remove(&name).unwrap();
        }
    }
    eprintln!("never, sometimes, undecided: {counts:?}");
    assert!(counts[0] > 5 && counts[1] > 5, "{counts:?}");
}

#[test]
fn fixed_links_and_endless_objects_have_verdicts_too() {
    let mut checker = Checker::new(two_arms(2, false)).unwrap();
    let root = checker.robot().links()[0].name().to_owned();
    let options = GapOptions { evaluations: 200, ..GapOptions::default() };
    checker.scene_mut().add("floor", HalfSpace::new(DVec3::Z, -20.0).unwrap(), Pose::IDENTITY).unwrap();
    checker.scene_mut().add("around", Sphere::new(50.0).unwrap(), Pose::IDENTITY).unwrap();
    for link in [root.as_str(), "left 1"] {
        let floor = checker.can_touch(link, "floor", &options).unwrap();
        assert!(matches!(floor, Verdict::Never { gap, .. } if gap > 1.0), "{link}: {floor:?}");
        let around = checker.can_touch(link, "around", &options).unwrap();
        let without_geometry = matches!(around, Verdict::Never { gap, .. } if gap == f64::INFINITY);
        assert!(without_geometry || matches!(around, Verdict::Always { .. }), "{link}: {around:?}");
    }
    assert_eq!(checker.can_touch(&root, "moon", &options).unwrap_err().kind(), ErrorKind::Unknown);
    let reach = checker.reach("left 1").unwrap();
    assert!(
        Pair::new(&reach, Sphere::new(0.1).unwrap())
            .unwrap()
            .collides(Pose::from_translation(reach.spheres()[0].center).unwrap())
    );
}

#[test]
fn branches_keep_what_is_proven_of_their_links() {
    let mut checker = Checker::new(two_arms(2, false)).unwrap();
    assert_eq!(checker.branch_gap("left 0", "right 0").unwrap(), 0.0);
    checker.prove(&GapOptions::default()).unwrap();
    let robot = checker.robot().clone();
    let gap = checker.branch_gap("left 0", "right 0").unwrap();
    let mut random = Random(5);
    for _ in 0..2000 {
        let configuration = random_configuration(&robot, &mut random);
        for (names, distance) in checker.self_distances(&configuration, &DistanceRequest::default()).unwrap() {
            let across = names[0].starts_with("left") && names[1].starts_with("right");
            assert!(!across || distance.upper >= gap, "{names:?}: {} < {gap}", distance.upper);
        }
    }
    // What carries the other has no gap.
    assert_eq!(checker.branch_gap("left 0", "left 1").unwrap(), 0.0);
}

#[test]
fn what_is_not_proven_has_no_gap_between_branches() {
    let arms = || two_arms(2, false);
    // Attached after the proof: the sphere reaches the other arm.
    let mut checker = Checker::new(arms()).unwrap();
    checker.prove(&GapOptions::default()).unwrap();
    checker.attach("cup", Sphere::new(10.0).unwrap(), "right 1", Pose::IDENTITY, &[]).unwrap();
    assert_eq!(checker.branch_gap("left 0", "right 0").unwrap(), 0.0);
    // Disabled before the proof.
    let mut disabled = clearance_robot::DisabledPairs::default();
    for (i, k) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        disabled.insert(&format!("left {i}"), &format!("right {k}"));
    }
    let mut checker = Checker::new(arms().with_disabled(&disabled)).unwrap();
    checker.prove(&GapOptions::default()).unwrap();
    assert_eq!(checker.branch_gap("left 0", "right 0").unwrap(), 0.0);
}

#[test]
fn a_solid_star_reaches_as_far_as_its_core() {
    let mut vertices: Vec<DVec3> =
        (0..8).map(|i| DVec3::from_array([1, 2, 4].map(|bit| if i & bit == 0 { -1.0 } else { 1.0 }))).collect();
    let mut triangles = Vec::new();
    // Four triangles over each side of a cube, with the side's middle pulled in.
    for axis in 0..3 {
        for side in [0, 1] {
            let middle = vertices.len() as u32;
            vertices.push(DVec3::AXES[axis] * if side == 0 { -0.1 } else { 0.1 });
            let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
            let at = side << axis;
            let ring = [at, at | u, at | u | v, at | v];
            for i in 0..4 {
                let (a, b) = (ring[i], ring[(i + 1) % 4]);
                triangles.push(if side == 1 { [a, b, middle] } else { [b, a, middle] });
            }
        }
    }
    let star: clearance_engine::tree::Mesh =
        clearance_engine::tree::Mesh::new(clearance_engine::TriMesh::new(vertices, triangles).unwrap()).unwrap();
    let mut checker = Checker::new(two_arms(1, false)).unwrap();
    checker.attach("star", star.into_solid().unwrap(), "base", Pose::IDENTITY, &["left 0", "right 0"]).unwrap();
    let reach = checker.reach("base").unwrap();
    for point in [DVec3::ZERO, DVec3::splat(0.02), DVec3::new(0.05, -0.03, 0.0)] {
        assert!(reach.contains(point), "{point}");
    }
    checker.scene_mut().add("core", Sphere::new(0.01).unwrap(), Pose::IDENTITY).unwrap();
    let verdict = checker.can_touch("base", "core", &GapOptions::default()).unwrap();
    assert!(matches!(verdict, Verdict::Always { proven: true, .. }), "{verdict:?}");
}

#[test]
fn a_floor_is_proven_out_of_reach_and_touching_at_the_start_is_found() {
    let ball =
        clearance_robot::LinkGeometry::new(at(1.0, 0.0, 0.0), clearance_robot::LinkShape::Sphere { radius: 0.1 });
    let joint = clearance_robot::JointSpec::revolute("turn", "base", "arm", DVec3::Z, [-0.5, 0.5]);
    let robot = clearance_robot::RobotBuilder::new("crane").link("base", []).link("arm", [ball.clone()]).joint(joint);
    let mut checker = Checker::new(robot.build().unwrap()).unwrap();
    checker.scene_mut().add("floor", HalfSpace::new(DVec3::Z, -0.15).unwrap(), Pose::IDENTITY).unwrap();
    let verdict = checker.can_touch("arm", "floor", &GapOptions::default()).unwrap();
    assert!(matches!(verdict, Verdict::Never { gap, .. } if gap > 0.04 && gap <= 0.05), "{verdict:?}");
    // Nothing bounds it, and it touches where it starts.
    let joint = clearance_robot::JointSpec::floating("fly", "base", "arm");
    let robot = clearance_robot::RobotBuilder::new("drone").link("base", []).link("arm", [ball]).joint(joint);
    let mut checker = Checker::new(robot.build().unwrap()).unwrap();
    checker.scene_mut().add("ball", Sphere::new(0.1).unwrap(), at(1.0, 0.1, 0.0)).unwrap();
    let verdict = checker.can_touch("arm", "ball", &GapOptions::default()).unwrap();
    assert!(matches!(verdict, Verdict::Sometimes { .. }), "{verdict:?}");
}
