//! No configuration within the limits leaves a hull.

use crate::random::Random;
use crate::support::{made_robots, mobile, parts, points, random_configuration};
use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_engine::volume::BoundingSphere;
use clearance_robot::{Hull, Hulls, Robot};

/// Some points of each body in its own frame: the outermost ones along a few directions.
fn outer_points(robot: &Robot) -> Vec<Vec<DVec3>> {
    let body_from_links = robot.body_from_links();
    let directions: Vec<DVec3> = (0..26)
        .map(|i| if i < 13 { i } else { i + 1 })
        .map(|i| DVec3::new(f64::from(i % 3 - 1), f64::from(i / 3 % 3 - 1), f64::from(i / 9 - 1)))
        .collect();
    let outer = robot.bodies().iter().map(|body| {
        let all: Vec<DVec3> = body
            .links()
            .iter()
            .flat_map(|&link| {
                let geometries = robot.links()[link].geometries();
                let pose = body_from_links[link];
                geometries.iter().flat_map(move |g| {
                    points(&g.shape).into_iter().map(move |p| pose.then(&g.origin).transform_point(p))
                })
            })
            .collect();
        let most =
            |direction: &DVec3| all.iter().copied().max_by(|a, b| a.dot(*direction).total_cmp(&b.dot(*direction)));
        let mut outer: Vec<DVec3> = directions.iter().filter_map(most).collect();
        outer.dedup();
        outer
    });
    outer.collect()
}

/// Checks `count` configurations, all bodies, all hulls of the bodies above; gives the largest
/// share of a hull's radius that was used.
pub fn never_left(robot: &Robot, count: usize) -> f64 {
    let (hulls, outer) = (Hulls::new(robot, &parts(robot)), outer_points(robot));
    let reach: Vec<Option<BoundingSphere>> = (0..robot.bodies().len()).map(|body| hulls.reach(body).sphere()).collect();
    let (mut random, mut poses, mut used) = (Random(7), Vec::new(), 0.0_f64);
    for number in 0..count {
        robot.link_poses(&Pose::IDENTITY, &random_configuration(robot, &mut random), &mut poses).unwrap();
        let to_bodies: Vec<Pose> = (0..reach.len()).map(|body| robot.body_pose(&poses, body).inverse()).collect();
        // One point of each body in each configuration: all of them are tried many times.
        for (body, points) in outer.iter().enumerate().filter(|(_, points)| !points.is_empty()) {
            let point = points[number % points.len()];
            assert!(hulls.rigid(body).contains(point), "{} {body}: R", robot.name());
            let world = robot.body_pose(&poses, body).transform_point(point);
            // Rounding of the forward kinematics, which is no part of the hull.
            let rounding = 1e-13 * (1.0 + world.length());
            let inside = |hull: &Hull, frame: usize| {
                let point = to_bodies[frame].transform_point(world);
                hull.spheres().iter().any(|sphere| point.distance(sphere.center) <= sphere.radius + rounding)
            };
            let mut above = Some(body);
            while let Some(ancestor) = above {
                let parent = robot.bodies()[ancestor].parent();
                assert!(inside(hulls.reach(ancestor), ancestor), "{} {body}: MR of {ancestor}", robot.name());
                assert!(
                    inside(hulls.motion(ancestor), parent.unwrap_or(0)),
                    "{} {body}: M of {ancestor}",
                    robot.name()
                );
                if let Some(sphere) = reach[ancestor].filter(|sphere| sphere.radius.is_finite()) {
                    let here = to_bodies[ancestor].transform_point(world);
                    used = used.max(here.distance(sphere.center) / sphere.radius);
                }
                above = parent;
            }
        }
    }
    used
}

#[test]
fn no_configuration_within_the_limits_leaves_a_hull() {
    for robot in made_robots() {
        let used = never_left(&robot, 100_000);
        // Otherwise the hulls would contain everything because they are far too large.
        assert!(used > 0.8, "{}: {used}", robot.name());
    }
}

#[test]
fn planar_and_floating_joints_reach_everywhere_and_what_they_carry_does_not() {
    let robot = mobile();
    let hulls = Hulls::new(&robot, &parts(&robot));
    let [base, arm, camera] = ["base", "arm", "camera"].map(|link| robot.body_of(robot.link_index(link).unwrap()));
    assert_eq!(hulls.motion(base).sphere().unwrap().radius, f64::INFINITY);
    assert_eq!(hulls.motion(camera).sphere().unwrap().radius, f64::INFINITY);
    assert!(hulls.motion(arm).sphere().unwrap().radius < 1.0);
    assert!(hulls.rigid(camera).contains(DVec3::X * 0.1) && !hulls.rigid(camera).contains(DVec3::X * 0.2));
}

#[test]
fn a_configuration_outside_of_the_limits_does_leave_the_hull() {
    let robot = crate::support::two_arms(2, false);
    let hulls = Hulls::new(&robot, &parts(&robot));
    let (mut poses, body) = (Vec::new(), robot.body_of(robot.link_index("left 1").unwrap()));
    robot.link_poses(&Pose::IDENTITY, &[3.1, 0.0, 0.0, 0.0], &mut poses).unwrap();
    let tip = robot.body_pose(&poses, body).transform_point(DVec3::Z * 0.3);
    assert!(!hulls.reach(0).contains(tip));
}
