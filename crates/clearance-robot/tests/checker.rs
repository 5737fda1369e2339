//! What the options of a checker mean, on a robot of simple solids: a base, a body without
//! geometry, two arms of three links.
//!
//! All answers are held against the dispatcher's distance of each pair alone, with paddings and
//! margins taken off.

use clearance_engine::Pose;
use clearance_engine::assembly::{NearRequest, PartId};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::query::{DistanceRequest, Status};
use clearance_engine::shape::{Cuboid, Sphere};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, Solid};
use clearance_robot::{
    Attachment, CheckOptions, CollisionModel, ErrorKind, GapOptions, JointSpec, LinkGeometry, LinkShape, Object,
    Placement, Robot, RobotBuilder, Scene, Srdf,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

#[path = "../../clearance-engine/src/random.rs"]
#[allow(dead_code)]
mod random;
use random::Random;

/// Distances here are of the order of 1; two ways to the same one may differ by this much.
const ROUNDING: f64 = 1e-12;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

/// `base – turn – {l1 – l2 – l3, r1 – r2 – r3}`, all turning about z within `limit`; `turn` has no
/// geometry, `l3` two spheres.
fn robot(limit: f64) -> Arc<Robot> {
    let limb = || LinkGeometry::new(at(0.5, 0.0, 0.0), LinkShape::Box { size: DVec3::new(0.9, 0.1, 0.1) });
    let rod = || LinkGeometry::new(at(0.5, 0.0, 0.0), LinkShape::Cylinder { radius: 0.06, length: 0.4 });
    let sphere = |x: f64| LinkGeometry::new(at(x, 0.0, 0.0), LinkShape::Sphere { radius: 0.1 });
    let links: [(&str, Vec<LinkGeometry>); 8] = [
        ("base", vec![LinkGeometry::new(Pose::IDENTITY, LinkShape::Box { size: DVec3::splat(0.3) })]),
        ("turn", vec![]),
        ("l1", vec![limb()]),
        ("l2", vec![limb()]),
        ("l3", vec![sphere(0.2), sphere(0.5)]),
        ("r1", vec![limb()]),
        ("r2", vec![rod()]),
        ("r3", vec![limb()]),
    ];
    let builder = links.into_iter().fold(RobotBuilder::new("r"), |builder, (name, shapes)| builder.link(name, shapes));
    let joints = [
        ("base", "turn", at(0.0, 0.0, 0.1)),
        ("turn", "l1", at(0.0, 0.3, 0.0)),
        ("l1", "l2", at(1.0, 0.0, 0.0)),
        ("l2", "l3", at(1.0, 0.0, 0.0)),
        ("turn", "r1", at(0.0, -0.3, 0.0)),
        ("r1", "r2", at(1.0, 0.0, 0.0)),
        ("r2", "r3", at(1.0, 0.0, 0.0)),
    ];
    let joints = joints.map(|(parent, child, origin)| {
        JointSpec::revolute(format!("to_{child}"), parent, child, DVec3::Z, [-limit, limit]).at(origin)
    });
    Arc::new(joints.into_iter().fold(builder, |builder, joint| builder.joint(joint)).build().unwrap())
}

fn checker(options: &CheckOptions) -> CollisionModel {
    CollisionModel::new(robot(3.0), options).unwrap()
}

fn random_configuration(random: &mut Random, count: usize) -> Vec<f64> {
    (0..count).map(|_| random.between(-3.0, 3.0)).collect()
}

fn placed(checker: &CollisionModel, configuration: &[f64]) -> Placement {
    let mut placement = checker.placement().unwrap();
    checker.place(&mut placement, &Pose::IDENTITY, configuration).unwrap();
    placement
}

fn names(checker: &CollisionModel, (a, b): (PartId, PartId)) -> [&str; 2] {
    let mut names = [a, b].map(|part| checker.name(part).unwrap());
    names.sort_unstable();
    names
}

/// Each looked-at pair with its distance less what `offset` says, not below 0.
fn each_pair(
    checker: &CollisionModel,
    placement: &Placement,
    offset: impl Fn([&str; 2]) -> f64,
) -> Vec<((PartId, PartId), f64)> {
    let dispatcher = Dispatcher::standard();
    let placed = |part: PartId| {
        let part = checker.part(part).unwrap();
        (&*part.geometry, placement.link_poses()[part.link].then(&part.link_from_part))
    };
    let alone = |pair: (PartId, PartId)| {
        let ((a, world_from_a), (b, world_from_b)) = (placed(pair.0), placed(pair.1));
        let a_from_b = world_from_a.inverse().then(&world_from_b);
        let plan = dispatcher.plan(a, b).unwrap();
        let distance = plan.distance(&a_from_b, &DistanceRequest::default(), &mut Workspace::default(), None).unwrap();
        (pair, (distance.upper - offset(names(checker, pair))).max(0.0))
    };
    checker.pairs().map(alone).collect()
}

/// All questions about the robot itself against each pair.
fn check_itself(checker: &CollisionModel, placement: &Placement, offset: impl Fn([&str; 2]) -> f64) -> bool {
    let workspace = &mut Workspace::default();
    let pairs = each_pair(checker, placement, offset);
    let all = checker.self_distances(placement, &DistanceRequest::default(), workspace).unwrap();
    assert_eq!(all.len(), pairs.len());
    for ((pair, found), (parts, expected)) in all.iter().zip(&pairs) {
        assert!(pair == parts && (found.upper - expected).abs() <= ROUNDING, "{pair:?}: {found:?}, not {expected}");
        assert!(found.lower <= found.upper && found.colliding() == Some(*expected == 0.0), "{found:?}");
    }
    let least = pairs.iter().map(|pair| pair.1).fold(f64::INFINITY, f64::min);
    let nearest = checker.self_distance(placement, &DistanceRequest::default(), workspace, None).unwrap();
    assert!((nearest.upper - least).abs() <= ROUNDING, "{least} {nearest:?}");
    let witness = nearest.witness.unwrap();
    let parts = (witness.part_a.min(witness.part_b), witness.part_a.max(witness.part_b));
    let own = pairs.iter().find(|pair| pair.0 == parts).expect("only pairs that are looked at").1;
    assert!((own - least).abs() <= ROUNDING, "{:?} is {own} apart, not {least}", names(checker, parts));
    let hits = checker.self_collisions(placement, workspace).unwrap();
    let expected: Vec<(PartId, PartId)> = pairs.iter().filter(|pair| pair.1 == 0.0).map(|pair| pair.0).collect();
    assert_eq!(hits, expected);
    let one = checker.self_collision(placement, workspace, None).unwrap();
    assert_eq!(one.is_some(), !hits.is_empty());
    assert!(one.is_none_or(|(a, b)| hits.contains(&(a.min(b), a.max(b)))));
    assert_eq!(nearest.colliding(), Some(!hits.is_empty()));
    check_near(checker, placement, &pairs);
    !hits.is_empty()
}

/// The lists of near pairs have the least of each two names, if that is within the distance.
fn check_near(checker: &CollisionModel, placement: &Placement, pairs: &[((PartId, PartId), f64)]) {
    let mut least: BTreeMap<[&str; 2], f64> = BTreeMap::new();
    for (pair, distance) in pairs {
        let known = least.entry(names(checker, *pair)).or_insert(f64::INFINITY);
        *known = known.min(*distance);
    }
    for max_distance in [0.0, 0.05, 0.5, f64::INFINITY] {
        let near = checker.self_near(placement, &NearRequest::within(max_distance), &mut Workspace::default()).unwrap();
        for found in &near {
            let expected = least[&names(checker, (found.part_a, found.part_b))];
            assert!(found.part_a < found.part_b && (found.signed.max(0.0) - expected).abs() <= ROUNDING, "{found:?}");
            assert!(found.lower <= found.signed && found.signed <= found.upper, "{found:?}");
            assert!(found.status == Status::Exact && found.upper - found.lower < 1e-6, "{found:?}");
        }
        let listed: BTreeSet<[&str; 2]> = near.iter().map(|near| names(checker, (near.part_a, near.part_b))).collect();
        let expected = least.iter().filter(|(_, distance)| **distance <= max_distance).map(|(names, _)| *names);
        assert_eq!(listed, expected.collect());
        assert_eq!(listed.len(), near.len(), "each pair of names once");
    }
}

#[test]
fn all_questions_about_itself_agree_with_each_pair_alone() {
    let checker = checker(&CheckOptions::default());
    let robot = checker.robot();
    let expected = robot.checked_link_pairs(&Default::default());
    let links = checker.pairs().map(|(a, b)| [a, b].map(|part| checker.part(part).unwrap().link));
    assert_eq!(links.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>(), expected);
    let mut random = Random(1);
    let hits = (0..300).filter(|_| {
        let configuration = random_configuration(&mut random, robot.variables().len());
        check_itself(&checker, &placed(&checker, &configuration), |_| 0.0)
    });
    let hits = hits.count();
    assert!((50..250).contains(&hits), "{hits}");
}

#[test]
fn paddings_and_margins_are_taken_off_the_distance_of_their_pairs() {
    let options = CheckOptions {
        padding: 0.02,
        paddings: HashMap::from([("l3".to_owned(), 0.05), ("base".to_owned(), 0.0)]),
        margin: 0.01,
        margins: HashMap::from([
            (["r3".to_owned(), "l2".to_owned()], 0.2),
            (["base".to_owned(), "l3".to_owned()], 0.0),
        ]),
        ..CheckOptions::default()
    };
    let checker = checker(&options);
    let padding = |name: &str| match name {
        "l3" => 0.05,
        "base" => 0.0,
        _ => 0.02,
    };
    let margin = |pair: [&str; 2]| match pair {
        ["l2", "r3"] => 0.2,
        ["base", "l3"] => 0.0,
        _ => 0.01,
    };
    let offset = |pair: [&str; 2]| padding(pair[0]) + padding(pair[1]) + margin(pair);
    let mut random = Random(2);
    for _ in 0..200 {
        let placement = placed(&checker, &random_configuration(&mut random, 7));
        check_itself(&checker, &placement, offset);
    }
}

#[test]
fn a_padded_link_is_nearer_to_the_scene_and_to_other_robots_by_its_padding() {
    let plain = checker(&CheckOptions::default());
    let (padding, margin) = (0.07, 0.03);
    let padded = checker(&CheckOptions { padding, ..CheckOptions::default() });
    let margined = checker(&CheckOptions { margin, ..CheckOptions::default() });
    let scene = one_box(at(0.3, 2.0, 0.2));
    let (request, workspace) = (DistanceRequest::default(), &mut Workspace::default());
    let mut random = Random(3);
    let mut seen = [0, 0];
    for _ in 0..100 {
        let (q, q_other) = (random_configuration(&mut random, 7), random_configuration(&mut random, 7));
        let mut ask = |own: &CollisionModel, them: &CollisionModel| {
            let (here, mut other) = (placed(own, &q), them.placement().unwrap());
            them.place(&mut other, &at(0.5, 2.5, 0.3), &q_other).unwrap();
            let scene_distance = own.scene_distance(&here, &scene, &request, workspace, None).unwrap();
            let hit = own.scene_collision(&here, &scene, workspace, None).unwrap();
            assert_eq!(scene_distance.colliding(), Some(hit.is_some()));
            assert_eq!(hit.is_some(), !own.scene_collisions(&here, &scene, workspace).unwrap().is_empty());
            let robot_distance = own.robot_distance(&here, (them, &other), &request, workspace, None).unwrap();
            let hit = own.robot_collision(&here, (them, &other), workspace, None).unwrap();
            assert_eq!(robot_distance.colliding(), Some(hit.is_some()));
            [scene_distance.upper, robot_distance.upper]
        };
        let distances = ask(&plain, &plain);
        for (found, offsets) in [
            (ask(&padded, &plain), [padding, padding]),
            (ask(&padded, &padded), [padding, 2.0 * padding]),
            (ask(&plain, &padded), [0.0, padding]),
            (ask(&margined, &plain), [margin, margin]),
        ] {
            for k in [0, 1] {
                let expected = (distances[k] - offsets[k]).max(0.0);
                assert!((found[k] - expected).abs() <= ROUNDING, "{k}: {} {expected}", found[k]);
                seen[k] += usize::from(expected > 0.0 && offsets[k] > 0.0);
            }
        }
    }
    assert!(seen.iter().all(|&seen| seen > 50), "{seen:?}");
}

fn cuboid(half: f64) -> Arc<dyn Geometry> {
    Arc::new(Solid::new(Cuboid::from_half_extents(DVec3::splat(half)).unwrap()))
}

fn one_box(pose: Pose) -> Scene {
    let mut scene = Scene::default();
    scene.insert(Object { name: "crate".into(), geometry: cuboid(0.2), pose }).unwrap();
    scene
}

#[test]
fn allowed_and_disabled_pairs_are_never_reported() {
    let srdf = "<robot name='r'><disable_collisions link1='r1' link2='l1'/><disable_collisions link1='base' link2='l2'/></robot>";
    let disabled = Srdf::read(srdf).unwrap().disabled_pairs(&robot(3.0));
    let allowed = vec![["r2".to_owned(), "l1".to_owned()], ["crate".to_owned(), "l2".to_owned()]];
    let checker = checker(&CheckOptions { disabled, allowed, ..CheckOptions::default() });
    let never = [["l1", "r1"], ["base", "l2"], ["l1", "r2"]];
    assert!(checker.pairs().all(|pair| !never.contains(&names(&checker, pair))));
    assert!(checker.pairs().any(|pair| names(&checker, pair) == ["l1", "r3"]));
    let mut random = Random(4);
    let (scene, workspace) = (one_box(at(0.9, 0.9, 0.1)), &mut Workspace::default());
    let mut met = 0;
    for _ in 0..200 {
        let placement = placed(&checker, &random_configuration(&mut random, 7));
        check_itself(&checker, &placement, |_| 0.0);
        let hits = checker.scene_collisions(&placement, &scene, workspace).unwrap();
        assert!(hits.iter().all(|&(part, _)| checker.name(part).unwrap() != "l2"));
        met += hits.len();
    }
    assert!(met > 20, "{met}");
}

#[test]
fn what_one_robot_may_touch_of_itself_it_may_not_touch_of_another_of_its_kind() {
    let allowed = vec![["base".to_owned(), "l3".to_owned()], ["l3".to_owned(), "drill".to_owned()]];
    let own = checker(&CheckOptions { allowed, ..CheckOptions::default() });
    let drill = RobotBuilder::new("tool")
        .link("drill", [LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.2 })])
        .build()
        .unwrap();
    let drill = CollisionModel::new(Arc::new(drill), &CheckOptions::default()).unwrap();
    let workspace = &mut Workspace::default();
    let here = placed(&own, &[0.0; 7]);
    // Where l3 is: the arm is stretched along x from y = 0.3.
    let there = at(2.2, 0.3, 0.1);
    let (mut twin, mut tool) = (own.placement().unwrap(), drill.placement().unwrap());
    own.place(&mut twin, &there, &[1.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
    drill.place(&mut tool, &there, &[]).unwrap();
    let hit = own.robot_collision(&here, (&own, &twin), workspace, None).unwrap();
    assert!(hit.is_some(), "the base of the other one is not its own");
    let hit = own.robot_collision(&here, (&drill, &tool), workspace, None).unwrap();
    assert!(hit.is_none(), "the drill was allowed by name: {hit:?}");
}

#[test]
fn only_pairs_with_a_link_of_the_group_are_looked_at() {
    let group = ["l2", "l3"].map(str::to_owned).to_vec();
    let all = checker(&CheckOptions::default());
    let some = checker(&CheckOptions { only: Some(group), ..CheckOptions::default() });
    let of_group = |name: &str| name == "l2" || name == "l3";
    let numbers = |(a, b): (PartId, PartId)| (a.number(), b.number());
    let expected = all.pairs().filter(|&pair| names(&all, pair).into_iter().any(of_group));
    assert_eq!(some.pairs().map(numbers).collect::<Vec<_>>(), expected.map(numbers).collect::<Vec<_>>());
    let (scene, workspace) = (one_box(at(0.9, 0.9, 0.1)), &mut Workspace::default());
    let mut random = Random(5);
    for _ in 0..100 {
        let q = random_configuration(&mut random, 7);
        let (here, there) = (placed(&some, &q), placed(&all, &q));
        check_itself(&some, &here, |_| 0.0);
        let mut expected = all.scene_collisions(&there, &scene, workspace).unwrap();
        expected.retain(|&(part, _)| of_group(all.name(part).unwrap()));
        let found = some.scene_collisions(&here, &scene, workspace).unwrap();
        let sorted = |hits: Vec<(PartId, PartId)>| hits.into_iter().map(numbers).collect::<BTreeSet<_>>();
        assert_eq!(sorted(found), sorted(expected));
    }
    let nobody = checker(&CheckOptions { only: Some(vec![]), ..CheckOptions::default() });
    let here = placed(&nobody, &[0.0; 7]);
    let answer = nobody.self_distance(&here, &DistanceRequest::default(), workspace, None).unwrap();
    assert_eq!((answer.status, answer.colliding()), (Status::BeyondMax, Some(false)));
}

fn cup(name: &str, link: &str, link_from_object: Pose, touch_links: &[&str]) -> Attachment {
    let geometry = Arc::new(Solid::new(Sphere::new(0.15).unwrap()));
    let touch_links = touch_links.iter().map(|&link| link.to_owned()).collect();
    Attachment { name: name.into(), link: link.into(), geometry, link_from_object, touch_links }
}

#[test]
fn an_attached_object_moves_with_its_link_and_collides_with_all_that_it_may_not_touch() {
    let attached = vec![cup("cup", "l3", at(0.6, 0.0, 0.0), &["r3"]), cup("lid", "l2", at(0.5, 0.3, 0.0), &[])];
    let checker = checker(&CheckOptions { attached, ..CheckOptions::default() });
    let pairs: Vec<[&str; 2]> = checker.pairs().map(|pair| names(&checker, pair)).collect();
    for looked_at in [["cup", "l2"], ["cup", "l1"], ["base", "cup"], ["cup", "r2"], ["cup", "lid"], ["l1", "lid"]] {
        assert!(pairs.contains(&looked_at), "{looked_at:?}");
    }
    for never in [["cup", "l3"], ["cup", "r3"], ["l2", "lid"]] {
        assert!(!pairs.contains(&never), "{never:?}");
    }
    let mut random = Random(6);
    let mut near = 0;
    for _ in 0..300 {
        let placement = placed(&checker, &random_configuration(&mut random, 7));
        check_itself(&checker, &placement, |_| 0.0);
        let hits = checker.self_collisions(&placement, &mut Workspace::default()).unwrap();
        // The cup touches the link before its own only where that joint folds: neighbours of the
        // carrier count.
        near += hits.iter().filter(|&&pair| names(&checker, pair) == ["cup", "l2"]).count();
    }
    assert!(near > 0);
    // In the scene it is where the link carries it.
    let (link, workspace) = (checker.robot().link_index("l3").unwrap(), &mut Workspace::default());
    for _ in 0..20 {
        let placement = placed(&checker, &random_configuration(&mut random, 7));
        let middle = placement.link_poses()[link].transform_point(DVec3::X * 0.6);
        let scene = one_box(Pose::from_translation(middle + DVec3::Z * 0.34).unwrap());
        let hits = checker.scene_collisions(&placement, &scene, workspace).unwrap();
        assert!(hits.iter().any(|&(part, _)| checker.name(part).unwrap() == "cup"));
    }
}

#[test]
fn bad_options_are_refused_by_name() {
    let refused = |options: CheckOptions| {
        let error = CollisionModel::new(robot(3.0), &options).err().expect("refused");
        (error.kind(), error.to_string())
    };
    let with = |attached: Vec<Attachment>| CheckOptions { attached, ..CheckOptions::default() };
    let unknown = refused(with(vec![cup("cup", "hand", Pose::IDENTITY, &[])]));
    assert_eq!(
        unknown,
        (ErrorKind::Unknown, "attached object 'cup': no link is called 'hand'; correct the name".into())
    );
    let taken = "a link or another object has this name; give it another one";
    let twice = vec![cup("cup", "l2", Pose::IDENTITY, &[]), cup("cup", "l3", Pose::IDENTITY, &[])];
    assert_eq!(refused(with(twice)), (ErrorKind::Repeated, format!("attached object 'cup': {taken}")));
    let link = with(vec![cup("r1", "l3", Pose::IDENTITY, &[])]);
    assert_eq!(refused(link), (ErrorKind::Repeated, format!("attached object 'r1': {taken}")));
    let negative = CheckOptions { padding: -0.1, ..CheckOptions::default() };
    assert_eq!(refused(negative), (ErrorKind::OutOfRange, "the padding must not be negative or infinite: -0.1".into()));
    let margins = HashMap::from([(["l1".to_owned(), "r1".to_owned()], f64::NAN)]);
    let text = "the margin of 'l1' and 'r1' must not be negative or infinite: NaN";
    assert_eq!(refused(CheckOptions { margins, ..CheckOptions::default() }), (ErrorKind::OutOfRange, text.into()));
}

#[test]
fn configurations_outside_of_the_limits_are_answered_like_those_within() {
    let (narrow, wide) =
        (CollisionModel::new(robot(0.4), &CheckOptions::default()).unwrap(), checker(&CheckOptions::default()));
    let mut random = Random(7);
    let mut hits = 0;
    for _ in 0..200 {
        let q = random_configuration(&mut random, 7);
        let (here, there) = (placed(&narrow, &q), placed(&wide, &q));
        hits += usize::from(check_itself(&narrow, &here, |_| 0.0));
        let numbered = |pairs: Vec<((PartId, PartId), f64)>| {
            pairs.into_iter().map(|((a, b), distance)| (a.number(), b.number(), distance)).collect::<Vec<_>>()
        };
        let [one, other] = [each_pair(&narrow, &here, |_| 0.0), each_pair(&wide, &there, |_| 0.0)].map(numbered);
        assert_eq!(one, other);
    }
    assert!(hits > 20);
}

#[test]
fn what_is_proven_about_the_limits_changes_no_answer_within_or_outside_of_them() {
    let attached = vec![cup("cup", "l3", at(0.6, 0.0, 0.0), &["r3"]), cup("lid", "l2", at(0.5, 0.3, 0.0), &[])];
    let options = CheckOptions { attached, padding: 0.02, margin: 0.01, ..CheckOptions::default() };
    let mut checker = CollisionModel::new(robot(0.4), &options).unwrap();
    let proven = checker.prove(&GapOptions::default()).unwrap();
    assert!(proven.pairs().iter().any(|pair| pair.gap > 0.0));
    let mut random = Random(9);
    let mut hits = [0, 0];
    for i in 0..300 {
        let (outside, reach) = (i % 2, [0.4, 3.0][i % 2]);
        let q: Vec<f64> = (0..7).map(|_| random.between(-reach, reach)).collect();
        hits[outside] += usize::from(check_itself(&checker, &placed(&checker, &q), |_| 0.05));
    }
    assert!(hits[1] > 20, "{hits:?}");
}

#[test]
fn what_is_proven_changes_no_answer_where_the_base_is_so_far_away_that_poses_are_rounded() {
    let new = || CollisionModel::new(robot(0.4), &CheckOptions::default()).unwrap();
    let (plain, mut proven) = (new(), new());
    assert!(proven.prove(&GapOptions::default()).unwrap().pairs().iter().any(|pair| pair.gap > 0.0));
    let (mut random, workspace) = (Random(10), &mut Workspace::default());
    for _ in 0..100 {
        let q: Vec<f64> = (0..7).map(|_| random.between(-0.4, 0.4)).collect();
        let away = DVec3::new(random.signed(), random.signed(), random.signed()) * 1e15;
        let answers = [&plain, &proven].map(|checker| {
            let mut placement = checker.placement().unwrap();
            checker.place(&mut placement, &Pose::from_translation(away).unwrap(), &q).unwrap();
            let nearest = checker.self_distance(&placement, &DistanceRequest::default(), workspace, None).unwrap();
            let hits = checker.self_collisions(&placement, workspace).unwrap();
            let numbers: Vec<_> = hits.into_iter().map(|(a, b)| (a.number(), b.number())).collect();
            (nearest.lower, nearest.upper, numbers)
        });
        assert_eq!(answers[0], answers[1]);
    }
}

#[test]
fn a_wrong_configuration_is_an_error_and_the_placement_is_good_for_the_next() {
    let checker = checker(&CheckOptions::default());
    let mut placement = checker.placement().unwrap();
    assert!(checker.place(&mut placement, &Pose::IDENTITY, &[0.0; 3]).is_err());
    assert!(checker.place(&mut placement, &Pose::IDENTITY, &[f64::NAN; 7]).is_err());
    checker.place(&mut placement, &Pose::IDENTITY, &[0.1; 7]).unwrap();
    check_itself(&checker, &placement, |_| 0.0);
    let rows: [&[f64]; 2] = [&[0.0; 7], &[0.0; 6]];
    let error = checker.at_configurations(&Pose::IDENTITY, &rows, 1, |i, _, _, _| Ok(i)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadConfiguration);
}

#[test]
fn batches_give_the_answers_of_single_questions_in_order_for_any_number_of_threads() {
    let checker = checker(&CheckOptions { padding: 0.01, ..CheckOptions::default() });
    let scene = one_box(at(0.9, 0.9, 0.1));
    let mut random = Random(8);
    // A path that moves a little at a time, so that caches have something to remember.
    let mut q = random_configuration(&mut random, 7);
    let path: Vec<Vec<f64>> = (0..300)
        .map(|_| {
            q.iter_mut().for_each(|angle| *angle += 0.1 * random.signed());
            q.clone()
        })
        .collect();
    let rows: Vec<&[f64]> = path.iter().map(Vec::as_slice).collect();
    let base = Pose::new(DQuat::from_rotation_x(0.2), DVec3::new(0.1, 0.2, 0.0)).unwrap();
    let request = DistanceRequest::default();
    let batch = |threads: usize| {
        let ask = checker.at_configurations(&base, &rows, threads, |i, placement, workspace, caches| {
            let own = checker.self_distance(placement, &request, workspace, Some(&mut caches.own))?;
            let around = checker.scene_distance(placement, &scene, &request, workspace, Some(&mut caches.scene))?;
            Ok((i, own, around))
        });
        ask.unwrap()
    };
    let expected = batch(1);
    for threads in [2, 0, 3] {
        assert_eq!(batch(threads), expected, "{threads} threads");
    }
    let (mut placement, mut workspace) = (checker.placement().unwrap(), Workspace::default());
    for (i, &(number, own, around)) in expected.iter().enumerate() {
        assert_eq!(number, i);
        checker.place(&mut placement, &base, rows[i]).unwrap();
        let single = checker.self_distance(&placement, &request, &mut workspace, None).unwrap();
        assert!((single.upper - own.upper).abs() <= ROUNDING && single.colliding() == own.colliding());
        let single = checker.scene_distance(&placement, &scene, &request, &mut workspace, None).unwrap();
        assert!((single.upper - around.upper).abs() <= ROUNDING && single.colliding() == around.colliding());
    }
}

#[test]
fn a_scene_grows_moves_and_shrinks_by_name() {
    let mut scene = one_box(at(9.0, 0.0, 0.0));
    let object = |name: &str| Object { name: name.into(), geometry: cuboid(0.1), pose: Pose::IDENTITY };
    let twice = scene.insert(object("crate")).unwrap_err();
    let text = "the scene has an object 'crate' already; give it another name";
    assert_eq!((twice.kind(), twice.to_string().as_str()), (ErrorKind::Repeated, text));
    for error in [scene.remove("cup").err().unwrap(), scene.set_pose("cup", Pose::IDENTITY).unwrap_err()] {
        assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Unknown, "the scene has no object 'cup'"));
    }
    let checker = checker(&CheckOptions::default());
    let (placement, workspace) = (placed(&checker, &[0.0; 7]), &mut Workspace::default());
    let mut hits = |scene: &Scene| {
        let hits = checker.scene_collisions(&placement, scene, workspace).unwrap();
        hits.iter().map(|&(_, object)| scene.name(object).unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(hits(&scene).is_empty());
    scene.insert(object("cup")).unwrap();
    assert_eq!(hits(&scene), ["cup"]);
    scene.set_pose("crate", at(0.1, 0.0, 0.0)).unwrap();
    assert_eq!(hits(&scene), ["crate", "cup"]);
    let removed = scene.remove("crate").unwrap();
    assert_eq!((removed.name.as_str(), removed.pose), ("crate", at(0.1, 0.0, 0.0)));
    assert_eq!((hits(&scene), scene.names().collect::<Vec<_>>()), (vec!["cup".to_owned()], vec!["cup"]));
    scene.insert(Object { pose: at(-0.2, 0.0, 0.0), ..removed }).unwrap();
    assert_eq!(hits(&scene), ["cup", "crate"]);
    assert_eq!(scene.names().collect::<Vec<_>>(), ["cup", "crate"]);
}
