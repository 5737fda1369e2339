//! A checker that lives long: objects come and go, are attached and let go, options change. Its
//! answers are those of a checker made afresh, also where it relies on proofs and old motions.

use clearance_engine::Pose;
use clearance_engine::dispatch::Threads;
use clearance_engine::math::DVec3;
use clearance_engine::shape::{Cuboid, Sphere};
use clearance_robot::{
    Against, CheckOptions, Checker, Edge, ErrorKind, GapOptions, JointSpec, LinkGeometry, LinkShape, Robot,
    RobotBuilder,
};

/// Three spheres in a row, 1 m apart; the outer ones turn by ±0.5 about the one before.
fn arm() -> Robot {
    let sphere = || [LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 })];
    let turn = |name, parent, child| {
        let at = Pose::from_translation(DVec3::X).unwrap();
        JointSpec::revolute(name, parent, child, DVec3::Z, [-0.5, 0.5]).at(at)
    };
    let robot = RobotBuilder::new("arm").link("a", sphere()).link("b", sphere()).link("c", sphere());
    robot.joint(turn("first", "a", "b")).joint(turn("second", "b", "c")).build().unwrap()
}

#[test]
fn what_was_proven_does_not_hold_for_a_link_that_carries_something() {
    let mut checker = Checker::new(arm()).unwrap();
    let gap = checker.prove(&GapOptions::default()).unwrap().gap(0, 2);
    assert!(gap > 0.5, "{gap}");
    let straight = [0.0, 0.0];
    assert!(!checker.collides(&straight).unwrap());
    // From c to a.
    let rod = Cuboid::new(2.0, 0.02, 0.02).unwrap();
    checker.attach("rod", rod, "c", Pose::from_translation(DVec3::X * -1.0).unwrap(), &["b"]).unwrap();
    let hit = checker.self_collision(&straight).unwrap().expect("the rod reaches a");
    let mut names = [hit.a, hit.b];
    names.sort_unstable();
    assert_eq!(names, ["a", "rod"]);
    assert_eq!(hit.against, Against::Itself);
    assert!(matches!(checker.edge(&straight, &[0.01, 0.0]).unwrap(), Edge::Contact { .. }));
    // Let go, all is as before, proofs included.
    let rod = checker.detach("rod").unwrap();
    assert_eq!((rod.name.as_str(), rod.pose.translation()), ("rod", DVec3::X));
    assert!(!checker.collides(&straight).unwrap() && checker.edge(&straight, &[0.3, 0.3]).unwrap().is_free());
    assert_eq!(checker.model().proofs().unwrap().gap(0, 2), gap);
    assert_eq!(checker.detach("rod").unwrap_err().kind(), ErrorKind::Unknown);
}

#[test]
fn a_link_without_geometry_is_checked_once_it_carries_something() {
    let sphere = [LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 })];
    let slide = |name, parent, child| JointSpec::prismatic(name, parent, child, DVec3::X, [-1.0, 1.0]);
    let robot = RobotBuilder::new("r").link("a", sphere).link("b", []).link("c", []);
    let robot = robot.joint(slide("first", "a", "b")).joint(slide("second", "b", "c")).build().unwrap();
    let mut checker = Checker::new(robot).unwrap();
    checker.prove(&GapOptions::default()).unwrap();
    checker.attach("ball", Sphere::new(0.1).unwrap(), "c", Pose::IDENTITY, &[]).unwrap();
    assert!(checker.collides(&[0.0, 0.15]).unwrap() && !checker.collides(&[0.0, 0.25]).unwrap());
}

#[test]
fn motions_see_the_scene_as_it_is_when_they_are_asked_about() {
    let mut checker = Checker::new(arm()).unwrap();
    let (from, to) = ([-0.4, 0.0], [0.4, 0.0]);
    assert!(checker.edge(&from, &to).unwrap().is_free());
    let post = Sphere::new(0.1).unwrap();
    checker.scene_mut().add("post", post, Pose::from_xyz(2.0, 5.0, 0.0).unwrap()).unwrap();
    assert!(checker.edge(&from, &to).unwrap().is_free());
    // It moves into the way: the list of pairs is the same, the pose is not.
    checker.scene_mut().set_pose("post", Pose::from_xyz(2.0, 0.0, 0.0).unwrap()).unwrap();
    let Edge::Contact { a, b, .. } = checker.edge(&from, &to).unwrap() else { panic!("it went through the post") };
    assert_eq!((a.as_str(), b.as_str()), ("c", "post"));
    checker.scene_mut().remove("post").unwrap();
    assert!(checker.edge(&from, &to).unwrap().is_free());
    // Another object gets the place of the removed one.
    checker.scene_mut().add("ball", Sphere::new(0.1).unwrap(), Pose::from_xyz(1.9, 0.0, 0.0).unwrap()).unwrap();
    let Edge::Contact { b, .. } = checker.edge(&from, &to).unwrap() else { panic!("it went through the ball") };
    assert_eq!(b, "ball");
    checker.set_base(Pose::from_xyz(0.0, 0.0, 1.0).unwrap()).unwrap();
    assert!(checker.edge(&from, &to).unwrap().is_free());
}

#[test]
fn options_change_on_a_live_checker_and_errors_change_nothing() {
    let mut checker = Checker::new(arm()).unwrap();
    checker
        .scene_mut()
        .add("wall", Cuboid::new(0.1, 4.0, 4.0).unwrap(), Pose::from_xyz(2.2, 0.0, 0.0).unwrap())
        .unwrap();
    let straight = [0.0, 0.0];
    assert!(!checker.collides(&straight).unwrap());
    checker.set_options(CheckOptions { margin: 0.06, ..CheckOptions::default() }).unwrap();
    assert!(checker.collides(&straight).unwrap());
    let wrong = CheckOptions { paddings: [("nobody".to_owned(), 0.1)].into(), ..CheckOptions::default() };
    assert!(checker.set_options(wrong).is_err());
    assert!(checker.collides(&straight).unwrap(), "the margin is still there");
    let allowed = vec![["c".to_owned(), "wall".to_owned()]];
    checker.set_options(CheckOptions { margin: 0.06, allowed, ..CheckOptions::default() }).unwrap();
    assert!(!checker.collides(&straight).unwrap());
    assert!(checker.attach("x", Sphere::new(0.1).unwrap(), "nowhere", Pose::IDENTITY, &[]).is_err());
    // A padding of something attached is known while it is attached.
    let paddings = [("cup".to_owned(), 0.5)].into();
    checker.attach("cup", Sphere::new(0.01).unwrap(), "a", Pose::from_xyz(0.0, 0.0, 2.0).unwrap(), &[]).unwrap();
    let options = CheckOptions { paddings, ..checker.options().clone() };
    checker.set_options(options).unwrap();
    assert!(!checker.collides(&straight).unwrap());
}

#[test]
fn the_nearest_of_itself_and_the_scene_is_found_and_named() {
    let mut checker = Checker::new(arm()).unwrap();
    let straight = [0.0, 0.0];
    let own = checker.distance(&straight).unwrap().unwrap();
    assert_eq!((own.a.as_str(), own.b.as_str(), own.against), ("a", "c", Against::Itself));
    assert!(own.lower <= 1.8 && 1.8 <= own.upper + 1e-12);
    for (x, against) in [(7.0, Against::Itself), (3.0, Against::Scene)] {
        checker.scene_mut().replace("post", Sphere::new(0.1).unwrap()).unwrap();
        checker.scene_mut().set_pose("post", Pose::from_xyz(x, 0.0, 0.0).unwrap()).unwrap();
        let found = checker.distance(&straight).unwrap().unwrap();
        assert_eq!(found.against, against);
        assert!(found.lower <= found.upper && found.upper <= own.upper);
        assert!((found.point_a.distance(found.point_b) - found.upper).abs() < 1e-12);
    }
}

#[test]
fn clones_and_batches_answer_as_one_checker_does() {
    let mut checker = Checker::new(arm()).unwrap();
    checker.scene_mut().add("post", Sphere::new(0.2).unwrap(), Pose::from_xyz(1.9, 0.4, 0.0).unwrap()).unwrap();
    let value = |i: usize| f64::from(i as u32 % 101) / 101.0 - 0.5;
    let configurations: Vec<[f64; 2]> = (0..1000).map(|i| [value(i * 7), value(i * 13)]).collect();
    let mut one_by_one = Vec::new();
    for configuration in &configurations {
        one_by_one.push(!checker.collides(configuration).unwrap());
    }
    assert!(one_by_one.contains(&true) && one_by_one.contains(&false));
    for threads in [Threads::One, Threads::Count(2), Threads::All] {
        checker.set_threads(threads);
        assert_eq!(checker.are_free(&configurations).unwrap(), one_by_one);
    }
    let mut copy = checker.clone();
    checker.scene_mut().remove("post").unwrap();
    let of_copy: Vec<bool> = configurations.iter().map(|q| !copy.collides(q).unwrap()).collect();
    assert_eq!(of_copy, one_by_one, "a clone has its own scene");
}

#[test]
fn streams_answer_alike_for_any_chunks_and_threads() {
    let mut checker = Checker::new(arm()).unwrap();
    // Two balls that the last link touches together, so that the warm start decides which is named.
    for (name, y) in [("left", 0.12), ("right", -0.12)] {
        checker.scene_mut().add(name, Sphere::new(0.1).unwrap(), Pose::from_xyz(2.0, y, 0.0).unwrap()).unwrap();
    }
    let other = checker.clone();
    let rows: Vec<[f64; 2]> = (0..300).map(|i| [0.5 * f64::from(i).sin(), 0.5 * (0.7 * f64::from(i)).cos()]).collect();
    let answers = |threads: Threads, chunk: usize| {
        let mut checker = checker.clone();
        checker.set_threads(threads);
        let mut stream = checker.stream();
        let mut all = Vec::new();
        for rows in rows.chunks(chunk) {
            let ask = |checker: &mut Checker, i: usize, row: &[f64; 2]| {
                let hit = checker.scene_collision(row).unwrap();
                let robots = checker.robot_collision(row, &other, &[0.1, 0.2]).unwrap();
                (i, hit, robots, checker.distance(row).unwrap(), checker.edge(row, &[0.0, 0.0]).unwrap())
            };
            all.extend(stream.next(rows, ask).unwrap());
        }
        all
    };
    let one = answers(Threads::One, 300);
    assert!(one.iter().filter(|(_, hit, ..)| hit.is_some()).count() > 20);
    assert!(one.iter().enumerate().all(|(i, answer)| i == answer.0));
    for (threads, chunk) in [(Threads::One, 1), (Threads::Count(2), 7), (Threads::Count(3), 100), (Threads::All, 300)] {
        assert_eq!(answers(threads, chunk), one, "{threads:?}, chunks of {chunk}");
    }
}

#[test]
fn another_robot_is_asked_about_where_it_stands() {
    let (mut checker, mut near, mut far) =
        (Checker::new(arm()).unwrap(), Checker::new(arm()).unwrap(), Checker::new(arm()).unwrap());
    near.set_base(Pose::from_xyz(0.0, 0.15, 0.0).unwrap()).unwrap();
    far.set_base(Pose::from_xyz(0.0, 0.5, 0.0).unwrap()).unwrap();
    let straight = [0.0, 0.0];
    // One after the other: what is kept of one robot does not serve for the next.
    for _ in 0..2 {
        assert!(checker.robot_collision(&straight, &near, &straight).unwrap().is_some());
        assert_eq!(checker.robot_collision(&straight, &far, &straight).unwrap(), None);
        let found = checker.robot_distance(&straight, &far, &straight).unwrap().unwrap();
        assert!((found.upper - 0.3).abs() < 1e-12 && found.against == Against::Robot, "{found:?}");
        let request = clearance_engine::query::DistanceRequest { max_d: 0.2, ..Default::default() };
        assert_eq!(checker.robot_distance_with(&straight, &far, &straight, &request).unwrap(), None);
        assert_eq!(checker.robot_near(&straight, &near, &straight, 0.01).unwrap().len(), 3);
    }
    assert!(checker.robot_collision(&straight, &near, &[0.0]).is_err());
    assert!(checker.robot_collision(&straight, &near, &straight).unwrap().is_some());
}

#[test]
fn a_configuration_without_poses_leaves_the_robot_where_it_was() {
    let mut checker = Checker::new(arm()).unwrap();
    checker.attach("cup", Sphere::new(0.05).unwrap(), "c", Pose::IDENTITY, &["b"]).unwrap();
    assert!(!checker.collides(&[0.2, 0.3]).unwrap());
    for bad in [&[f64::NAN, 0.0][..], &[0.1, f64::INFINITY], &[0.0]] {
        assert!(checker.collides(bad).is_err());
    }
    let cup = checker.detach("cup").unwrap();
    let fresh = Checker::new(arm()).unwrap().link_poses(&[0.2, 0.3]).unwrap()[2];
    assert_eq!(cup.pose, fresh);
}

/// The robot is placed once for all questions about a configuration, so what moves it in between
/// must place it again.
#[test]
fn the_same_configuration_again_sees_what_changed_in_between() {
    let q = [0.2, -0.3];
    let ball = Sphere::new(0.1).unwrap();
    let mut checker = Checker::new(arm()).unwrap();
    let tip = checker.link_poses(&q).unwrap()[2].translation();
    checker.scene_mut().add("ball", ball, Pose::from_translation(tip + DVec3::Z).unwrap()).unwrap();
    assert!(!checker.collides(&q).unwrap());
    // The robot comes to the ball, goes back, and then the ball comes.
    checker.set_base(Pose::from_xyz(0.0, 0.0, 1.0).unwrap()).unwrap();
    assert!(checker.collides(&q).unwrap());
    assert!(checker.link_poses(&q).unwrap()[2].translation().abs_diff_eq(tip + DVec3::Z, 1e-12));
    checker.set_base(Pose::IDENTITY).unwrap();
    assert!(!checker.collides(&q).unwrap());
    // What is carried is part of the robot at once, and no longer than it is carried.
    checker.attach("rod", Cuboid::new(0.02, 0.02, 2.0).unwrap(), "c", Pose::IDENTITY, &["b"]).unwrap();
    assert!(checker.scene_collision(&q).unwrap().is_some());
    checker.detach("rod").unwrap();
    assert_eq!(checker.scene_collision(&q).unwrap(), None);
    let padded = CheckOptions { padding: 0.45, ..CheckOptions::default() };
    checker.set_options(padded).unwrap();
    assert!(
        checker.scene_collision(&q).unwrap().is_none() && checker.scene_distance(&q).unwrap().unwrap().upper < 0.36
    );
    checker.set_options(CheckOptions::default()).unwrap();
    // A bad configuration in between leaves the last good one in place.
    assert!(checker.collides(&[f64::NAN, 0.0]).is_err() && !checker.collides(&q).unwrap());
    let mut fresh = Checker::new(arm()).unwrap();
    assert_eq!(checker.link_poses(&q).unwrap(), fresh.link_poses(&q).unwrap());
}

#[test]
fn a_path_of_one_configuration_is_checked_and_one_of_none_is_empty() {
    let mut checker = Checker::new(arm()).unwrap();
    let straight = vec![0.0, 0.0];
    checker.scene_mut().add("post", Sphere::new(0.2).unwrap(), Pose::from_translation(DVec3::X).unwrap()).unwrap();
    assert!(!checker.path(std::slice::from_ref(&straight)).unwrap().iter().all(Edge::is_free));
    checker.scene_mut().remove("post").unwrap();
    assert!(matches!(checker.path(&[straight]).unwrap()[..], [Edge::Free { .. }]));
    assert!(checker.path(&[] as &[Vec<f64>]).unwrap().is_empty());
}

#[test]
fn messages_say_what_is_wrong_with_numbers_and_names() {
    let mut checker = Checker::new(arm()).unwrap();
    let message = checker.collides(&[0.0, f64::NAN]).unwrap_err().to_string();
    assert_eq!(message, "joint 'second': its position is not a finite number: NaN");
    let message = checker.near(&[0.0, 0.0], -1.0).unwrap_err().to_string();
    assert!(message.contains("max_distance must be a number that is not negative, not -1"), "{message}");
    let cup = Sphere::new(0.1).unwrap();
    let message = checker.attach("cup", cup, "c", Pose::IDENTITY, &["finger"]).unwrap_err().to_string();
    assert_eq!(message, "attached object 'cup': it may touch 'finger', but no link is called so; correct the name");
    assert!(!checker.collides(&[0.0, 0.0]).unwrap());
}
