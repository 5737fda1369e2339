//! SRDF files against a small robot: a tree with two arms.

use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_robot::{
    DisableReason, DisabledPairs, ErrorKind, JointSpec, LinkGeometry, LinkShape, Robot, RobotBuilder, Srdf,
    VirtualJointKind,
};
use std::collections::BTreeSet;

/// `base – turn – {l1 – l2 – tip, r1 – r2}`; all joints turn except the one to `tip`. `turn` has no
/// geometry.
fn robot() -> Robot {
    let sphere = || LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
    let builder = ["base", "l1", "l2", "tip", "r1", "r2"]
        .into_iter()
        .fold(RobotBuilder::new("r").link("turn", []), |builder, link| builder.link(link, [sphere()]));
    let joints = [("base", "turn"), ("turn", "l1"), ("l1", "l2"), ("turn", "r1"), ("r1", "r2")];
    let builder = joints.into_iter().fold(builder, |builder, (parent, child)| {
        builder.joint(JointSpec::continuous(format!("to_{child}"), parent, child, DVec3::Z))
    });
    builder.joint(JointSpec::fixed("to_tip", "l2", "tip")).build().unwrap()
}

fn names(robot: &Robot, links: &[usize]) -> String {
    links.iter().map(|&link| robot.links()[link].name()).collect::<Vec<_>>().join(" ")
}

fn pair_names(robot: &Robot, disabled: &DisabledPairs) -> String {
    let pairs = robot.checked_link_pairs(disabled);
    pairs.iter().map(|pair| names(robot, pair).replace(' ', "-")).collect::<Vec<_>>().join(" ")
}

#[test]
fn pairs_within_a_body_and_with_its_parent_are_not_checked_and_empty_links_separate() {
    let robot = robot();
    let checked = "base-l1 base-l2 base-tip base-r1 base-r2 l1-r1 l1-r2 l2-r1 l2-r2 tip-r1 tip-r2";
    assert_eq!(pair_names(&robot, &DisabledPairs::default()), checked);
    let body = |name: &str| robot.body_of(robot.link_index(name).unwrap());
    assert_eq!((body("tip"), robot.bodies().len()), (body("l2"), 6));
    assert_eq!(robot.bodies()[body("l1")].parent(), Some(body("turn")));
}

#[test]
fn disabled_pairs_go_in_either_order_and_unknown_names_are_noted() {
    let text = "<robot name='other'>
        <disable_collisions link1='r1' link2='base' reason='Never'/>
        <disable_collisions link1='base' link2='l1'/>
        <disable_collisions link1='base' link2='head'/>
        <disable_collisions link1='head' link2='l1'/>
        <disable_collision link1='l2' link2='r2'/>
        </robot>";
    let (robot, srdf) = (robot(), Srdf::read(text).unwrap());
    assert_eq!(srdf.notes(), ["line 6: the element <disable_collision> is unknown and ignored"]);
    assert_eq!(srdf.disabled().next(), Some(("r1", "base", Some("Never"))));
    let disabled = srdf.disabled_pairs(&robot);
    let notes = ["the SRDF is for the robot 'other', not for 'r'", "line 4: the robot has no link 'head'"];
    assert_eq!(disabled.notes, notes);
    assert_eq!(pair_names(&robot, &disabled), "base-l2 base-tip base-r2 l1-r1 l1-r2 l2-r1 l2-r2 tip-r1 tip-r2");
}

#[test]
fn a_link_disabled_against_all_is_enabled_again_pair_by_pair() {
    let text =
        "<robot name='r'><disable_default_collisions link='base'/><enable_collisions link1='r2' link2='base'/></robot>";
    let robot = robot();
    let disabled = Srdf::read(text).unwrap().disabled_pairs(&robot);
    assert_eq!(pair_names(&robot, &disabled), "base-r2 l1-r1 l1-r2 l2-r1 l2-r2 tip-r1 tip-r2");
}

#[test]
fn groups_hold_links_joints_chains_and_subgroups() {
    let text = "<robot name='r'>
        <group name='links'><link name='r1'/></group>
        <group name='joints'><joint name='to_l2'/><joint name='to_tip'/></group>
        <group name='chain'><chain base_link='turn' tip_link='l2'/></group>
        <group name='both_arms'><chain base_link='r2' tip_link='l1'/></group>
        <group name='all'><group name='links'/><group name='chain'/><group name='all'/></group>
        <virtual_joint name='world' type='planar' parent_frame='odom' child_link='base'/>
        <group_state name='home' group='all'/>
        </robot>";
    let (robot, srdf) = (robot(), Srdf::read(text).unwrap());
    let members = |name| {
        let members = srdf.group_members(&robot, name).unwrap();
        let joints: Vec<&str> = members.joints.iter().map(|&joint| robot.joints()[joint].name()).collect();
        (names(&robot, &members.links), joints.join(" "))
    };
    let pair = |links: &str, joints: &str| (links.to_owned(), joints.to_owned());
    assert_eq!(members("links"), pair("r1", "to_r1"));
    assert_eq!(members("joints"), pair("l2 tip", "to_l2 to_tip"));
    assert_eq!(members("chain"), pair("l1 l2", "to_l1 to_l2"));
    assert_eq!(members("both_arms"), pair("l1 r1 r2", "to_l1 to_r1 to_r2"));
    assert_eq!(members("all"), pair("l1 l2 r1", "to_l1 to_l2 to_r1"));
    assert_eq!((srdf.groups().len(), srdf.notes().len()), (5, 0));
    let joint = &srdf.virtual_joints()[0];
    assert_eq!(
        (joint.kind, joint.parent_frame.as_str(), joint.child_link.as_str()),
        (VirtualJointKind::Planar, "odom", "base")
    );
}

#[test]
fn what_is_written_says_the_same_when_it_is_read() {
    let robot = robot();
    let mut srdf = Srdf::new(robot.name());
    for (a, b, reason) in [
        ("base", "l1", DisableReason::Adjacent),
        ("base", "l2", DisableReason::Never),
        ("r1", "base", DisableReason::Default),
        ("l1", "r1", DisableReason::Always),
        ("tip", "r2", DisableReason::User),
    ] {
        srdf.disable(a, b, reason);
    }
    let read = Srdf::read(&srdf.to_xml()).unwrap();
    assert_eq!(read.disabled().collect::<Vec<_>>(), srdf.disabled().collect::<Vec<_>>());
    let reasons: Vec<_> = read.disabled().filter_map(|(_, _, reason)| reason).collect();
    assert_eq!(reasons, ["Adjacent", "Never", "Default", "Always", "User"]);
    let [before, after] = [&srdf, &read].map(|srdf| srdf.disabled_pairs(&robot));
    assert_eq!(before, after);
    assert_eq!(pair_names(&robot, &after), "base-tip base-r2 l1-r2 l2-r1 l2-r2 tip-r1");
    // Names that XML escapes, rules of all kinds, groups and virtual joints; and lines for notes.
    let text = "<robot name='a &amp; &quot;b&quot; &lt;&#10;&#9;'>
        <disable_default_collisions link='base'/><enable_collisions link1='r2' link2='base'/>
        <disable_collisions link1='a&lt;b' link2='&quot;&amp;amp;'/>
        <group name='g'><link name='r1'/><joint name='to_l2'/><chain base_link='turn' tip_link='l2'/><group name='h'/></group>
        <group name='h'/>
        <virtual_joint name='world' type='planar' parent_frame='odom' child_link='base'/></robot>";
    let srdf = Srdf::read(text).unwrap();
    let read = Srdf::read(&srdf.to_xml()).unwrap();
    assert_eq!((read.name(), read.to_xml()), ("a & \"b\" <\n\t", srdf.to_xml()));
    assert_eq!(read.disabled().next(), Some(("a<b", "\"&amp;", None)));
    let [before, after] = [&srdf, &read].map(|srdf| srdf.disabled_pairs(&robot));
    assert_eq!(before.pairs().collect::<BTreeSet<_>>(), after.pairs().collect::<BTreeSet<_>>());
    let (before, after) = (&srdf.groups()[0], &read.groups()[0]);
    assert_eq!((&before.links, &before.joints), (&after.links, &after.joints));
    assert_eq!((&before.chains, &before.subgroups), (&after.chains, &after.subgroups));
    assert_eq!(srdf.virtual_joints(), read.virtual_joints());
    let mut srdf = Srdf::new("r");
    srdf.disable("base", "l1", DisableReason::User);
    srdf.disable("base", "head", DisableReason::User);
    let notes = [&srdf, &Srdf::read(&srdf.to_xml()).unwrap()].map(|srdf| srdf.disabled_pairs(&robot).notes);
    assert_eq!(notes[0], ["line 4: the robot has no link 'head'"]);
    assert_eq!(notes[0], notes[1]);
}

#[test]
fn mistakes_are_named_with_element_and_line() {
    for (body, kind, message) in [
        (
            "<disable_collisions link1='a'/>",
            ErrorKind::Missing,
            "line 2: <disable_collisions> has no attribute 'link2'; add it",
        ),
        ("<group/>", ErrorKind::Missing, "line 2: <group> has no attribute 'name'; add it"),
        (
            "<group name='g'>\n<chain base_link='a'/></group>",
            ErrorKind::Missing,
            "line 3: group 'g': <chain> has no attribute 'tip_link'; add it",
        ),
        (
            "<group name='g'/>\n<group name='g'/>",
            ErrorKind::Repeated,
            "line 3: group 'g': two groups have this name (the first is in line 2); rename one",
        ),
        (
            "<virtual_joint name='v' type='ball' parent_frame='w' child_link='a'/>",
            ErrorKind::Unsupported,
            "line 2: virtual joint 'v': its type 'ball' is none of fixed, planar, floating",
        ),
    ] {
        let error = Srdf::read(&format!("<robot>\n{body}</robot>")).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.kind()), (message, kind));
    }
    let text = "<robot>\n<group name='g'><link name='x'/></group>\n<group name='h'><joint name='y'/></group>\n<group name='i'><group name='z'/></group></robot>";
    let (robot, srdf) = (robot(), Srdf::read(text).unwrap());
    for (name, message) in [
        ("g", "line 2: group 'g': the robot has no link 'x'; correct the name or remove it"),
        ("h", "line 3: group 'h': the robot has no joint 'y'; correct the name or remove it"),
        ("i", "line 4: there is no group 'z'; correct the name"),
        ("k", "there is no group 'k'; correct the name"),
    ] {
        let error = srdf.group_members(&robot, name).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.kind()), (message, ErrorKind::Unknown));
    }
}

#[test]
fn a_urdf_is_refused_with_the_line_of_its_first_element() {
    for tag in ["link", "joint"] {
        let text = format!("<robot name='r'>\n<disable_default_collisions link='a'/>\n<{tag} name='a'/></robot>");
        let error = Srdf::read(&text).unwrap_err();
        assert_eq!(error.line(), Some(3));
        assert!(error.to_string().contains("URDF"), "{error}");
    }
}
