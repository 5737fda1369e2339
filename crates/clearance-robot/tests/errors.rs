//! Every mistake in a robot gets an error that names the element and its line, and says what to
//! fix.

use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_robot::{Error, ErrorKind, JointSpec, LinkGeometry, LinkShape, RobotBuilder, UrdfOptions, read_urdf};

/// The error for the given elements, of which the first stands on line 2.
fn error(body: &str) -> Error {
    read_urdf(&format!("<robot name='r'>\n{body}\n</robot>"), &UrdfOptions::default()).unwrap_err()
}

fn check(body: &str, kind: ErrorKind, message: &str) {
    let error = error(body);
    assert_eq!((error.to_string().as_str(), error.kind()), (message, kind), "{body}");
}

/// Two links and a joint between them of this type, with more elements in it.
fn with_joint(kind: &str, more: &str) -> String {
    format!(
        "<link name='a'/><link name='b'/>\n<joint name='j' type='{kind}'><parent link='a'/><child link='b'/>\n{more}</joint>"
    )
}

/// One link with this collision geometry.
fn with_shape(shape: &str) -> String {
    format!("<link name='a'>\n<collision>\n<geometry>\n{shape}</geometry></collision></link>")
}

const LIMIT: &str = "<limit lower='0' upper='1'/>";

#[test]
fn text_that_is_no_urdf_is_refused() {
    let read = |text| read_urdf(text, &UrdfOptions::default()).unwrap_err();
    assert!(read("<robot>\n<link").to_string().starts_with("line 2: the file is no well-formed XML: "));
    assert!(read("<robot>\n<xacro:arm/></robot>").to_string().contains("expand it first (xacro FILE > robot.urdf)"));
    assert_eq!(read("\n<sdf/>").to_string(), "line 2: the outermost element is <sdf> instead of <robot>");
    let text = "<robot xmlns:xacro='http://ros.org/wiki/xacro'>\n<xacro:include filename='x'/></robot>";
    let expected = "line 2: <xacro:include> is no element of a URDF; the file has xacro macros: expand it first (xacro FILE > \
                    robot.urdf)";
    assert_eq!(read(text).to_string(), expected);
}

#[test]
fn names_must_be_there_once() {
    check("<link/>", ErrorKind::Missing, "line 2: <link> has no attribute 'name'; add it");
    check("<link name=' '/>", ErrorKind::Missing, "line 2: <link> has no attribute 'name'; add it");
    check(
        "<link name='a'/>\n<link name='a'/>",
        ErrorKind::Repeated,
        "line 3: link 'a': two links have this name (the first is in line 2); rename or remove one",
    );
    let joint = |child| format!("<joint name='j' type='fixed'><parent link='a'/><child link='{child}'/></joint>\n");
    check(
        &format!("<link name='a'/><link name='b'/><link name='c'/>\n{}{}", joint("b"), joint("c")),
        ErrorKind::Repeated,
        "line 4: joint 'j': two joints have this name (the first is in line 3); rename or remove one",
    );
    let built = RobotBuilder::new("r").link("", []).build().unwrap_err();
    assert_eq!(built.to_string(), "a link has no name; give it one");
    let clash = RobotBuilder::new("r").link("a", []).link("b", []).link("c", []);
    let clash = clash.joint(JointSpec::planar("p", "a", "b", DVec3::Z));
    let clash = clash.joint(JointSpec::continuous("p.x", "b", "c", DVec3::Z)).build().unwrap_err();
    assert_eq!(clash.to_string(), "the joints 'p' and 'p.x' both have a variable 'p.x'; rename one");
}

#[test]
fn joints_must_make_one_tree() {
    check("", ErrorKind::Missing, "line 1: the robot has no link; add at least one");
    let joint = |name: &str, parent: &str, child: &str| {
        format!("\n<joint name='{name}' type='fixed'><parent link='{parent}'/><child link='{child}'/></joint>")
    };
    let links = "<link name='a'/><link name='b'/><link name='c'/>";
    check(
        &format!("{links}{}", joint("ab", "a", "b")),
        ErrorKind::Structure,
        "line 2: link 'c': the links 'a', 'c' are not the child of any joint; a robot has one root: connect the others by \
         joints (fixed ones, if they do not move) or remove them",
    );
    let cycle = [joint("ab", "a", "b"), joint("bc", "b", "c"), joint("ca", "c", "a")].concat();
    check(
        &format!("{links}{cycle}"),
        ErrorKind::Structure,
        "line 3: joint 'ab': the joints 'ab', 'bc', 'ca' go in a circle; correct the parent or the child of one of them",
    );
    let beside = [joint("bc", "b", "c"), joint("cb", "c", "b")].concat();
    check(
        &format!("{links}{beside}"),
        ErrorKind::Structure,
        "line 3: joint 'bc': the joints 'bc', 'cb' go in a circle; correct the parent or the child of one of them",
    );
    check(
        &format!("{links}{}", joint("aa", "a", "a")),
        ErrorKind::Structure,
        "line 3: joint 'aa': its parent and its child are the same link 'a'; correct one of them",
    );
    check(
        &format!("{links}{}{}", joint("ab", "a", "b"), joint("cb", "c", "b")),
        ErrorKind::Structure,
        "line 4: joint 'cb': its child link 'b' is the child of joint 'ab' already; a link hangs on one joint only",
    );
    check(
        &format!("{links}{}", joint("ax", "a", "x")),
        ErrorKind::Unknown,
        "line 3: joint 'ax': its child link 'x' does not exist; add the link or correct the name",
    );
    check(
        &format!("{links}{}", joint("xa", "x", "a")),
        ErrorKind::Unknown,
        "line 3: joint 'xa': its parent link 'x' does not exist; add the link or correct the name",
    );
}

#[test]
fn a_joint_needs_a_known_type_and_both_links() {
    let known = "none of revolute, continuous, prismatic, fixed, planar, floating";
    check(&with_joint("ball", ""), ErrorKind::Unsupported, &format!("line 3: joint 'j': its type 'ball' is {known}"));
    check(
        "<link name='a'/>\n<joint name='j'><parent link='a'/><child link='b'/></joint>",
        ErrorKind::Missing,
        "line 3: joint 'j': <joint> has no attribute 'type'; add it",
    );
    check(
        "<joint name='j' type='fixed'><child link='b'/></joint>",
        ErrorKind::Missing,
        "line 2: joint 'j': it has no <parent link=\"…\"/>; add the name of its parent link",
    );
    check(
        "<joint name='j' type='fixed'><parent link='a'/><child/></joint>",
        ErrorKind::Missing,
        "line 2: joint 'j': <child> has no attribute 'link'; add it",
    );
    check(
        &with_joint("fixed", "<origin/>\n<origin/>"),
        ErrorKind::Malformed,
        "line 5: joint 'j': <origin> stands twice in <joint>; remove one",
    );
}

#[test]
fn limits_must_be_there_finite_and_in_order() {
    check(
        &with_joint("revolute", ""),
        ErrorKind::Missing,
        "line 3: joint 'j': a revolute joint needs limits; add <limit lower=\"…\" upper=\"…\"/>, or make it continuous",
    );
    check(
        &with_joint("prismatic", ""),
        ErrorKind::Missing,
        "line 3: joint 'j': a prismatic joint needs limits; add <limit lower=\"…\" upper=\"…\"/>",
    );
    check(
        &with_joint("revolute", "<limit lower='nan' upper='1'/>"),
        ErrorKind::NotFinite,
        "line 4: joint 'j': 'lower' of <limit> is NaN, which is not finite; give a finite number",
    );
    check(
        &with_joint("prismatic", "<limit lower='0' upper='1e999'/>"),
        ErrorKind::NotFinite,
        "line 4: joint 'j': 'upper' of <limit> is inf, which is not finite; give a finite number",
    );
    check(
        &with_joint("revolute", "<limit lower='2' upper='1'/>"),
        ErrorKind::OutOfRange,
        "line 3: joint 'j': the lower limit 2 is above the upper limit 1; exchange or correct them",
    );
    let built = RobotBuilder::new("r").link("a", []).link("b", []);
    let nan = built.joint(JointSpec::revolute("j", "a", "b", DVec3::X, [f64::NAN, 1.0])).build().unwrap_err();
    assert_eq!(nan.to_string(), "joint 'j': the lower limit is NaN, which is not finite; give a finite number");
}

#[test]
fn axes_and_numbers_must_make_sense() {
    check(
        &with_joint("continuous", "<axis xyz='0 0 0'/>"),
        ErrorKind::OutOfRange,
        "line 3: joint 'j': its axis is 0 0 0; give a direction, such as 0 0 1",
    );
    check(
        &with_joint("continuous", "<axis xyz='0 1'/>"),
        ErrorKind::Malformed,
        "line 4: joint 'j': 'xyz' of <axis> is '0 1', it must hold 3 numbers",
    );
    check(
        &with_joint("continuous", "<axis/>"),
        ErrorKind::Missing,
        "line 4: joint 'j': <axis> has no attribute 'xyz'; add it",
    );
    check(
        &with_joint("fixed", "<origin xyz='0 ${h} 1'/>"),
        ErrorKind::Malformed,
        "line 4: joint 'j': '${h}' in 'xyz' of <origin> is not a number; the file has xacro macros: expand it first (xacro \
         FILE > robot.urdf)",
    );
    check(
        &with_joint("fixed", "<origin rpy='0 0 1e200'/>"),
        ErrorKind::NotFinite,
        "line 4: joint 'j': 'rpy' of <origin> is 1e200, which is beyond 1e100; give a finite number",
    );
    let tiny = RobotBuilder::new("r").link("a", []).link("b", []);
    let tiny = tiny.joint(JointSpec::continuous("j", "a", "b", DVec3::new(0.0, -1e-200, 0.0))).build().unwrap();
    assert_eq!(*tiny.joints()[0].kind(), clearance_robot::JointKind::Continuous { axis: DVec3::NEG_Y });
}

#[test]
fn mimic_rules_must_lead_to_a_joint_with_one_position() {
    check(
        &with_joint("revolute", &format!("{LIMIT}<mimic joint='k'/>")),
        ErrorKind::Unknown,
        "line 3: joint 'j': it mimics the joint 'k', which does not exist; correct the name",
    );
    check(
        &with_joint("revolute", &format!("{LIMIT}<mimic joint='j'/>")),
        ErrorKind::Structure,
        "line 3: joint 'j': the joints 'j' mimic each other in a circle; one of them must not mimic",
    );
    check(
        &with_joint("floating", "<mimic joint='j'/>"),
        ErrorKind::Unsupported,
        "line 3: joint 'j': a floating joint cannot mimic another one; remove the mimic rule",
    );
    check(
        &with_joint("revolute", &format!("{LIMIT}<mimic joint='j' multiplier='inf'/>")),
        ErrorKind::NotFinite,
        "line 4: joint 'j': 'multiplier' of <mimic> is inf, which is not finite; give a finite number",
    );
    let joint = |name, parent, child| JointSpec::continuous(name, parent, child, DVec3::X);
    let three = || ["a", "b", "c"].into_iter().fold(RobotBuilder::new("r"), |builder, link| builder.link(link, []));
    let circle =
        three().joint(joint("i", "a", "b").mimic("k", 1.0, 0.0)).joint(joint("k", "b", "c").mimic("i", 1.0, 0.0));
    assert_eq!(
        circle.build().unwrap_err().to_string(),
        "joint 'i': the joints 'i', 'k' mimic each other in a circle; one of them must not mimic"
    );
    let fixed = three().joint(JointSpec::fixed("i", "a", "b")).joint(joint("k", "b", "c").mimic("i", 1.0, 0.0));
    assert_eq!(
        fixed.build().unwrap_err().to_string(),
        "joint 'k': it mimics the joint 'i', which is fixed and has no single position"
    );
    let nan = three().joint(joint("i", "a", "b")).joint(joint("k", "b", "c").mimic("i", 1.0, f64::NAN));
    assert_eq!(
        nan.build().unwrap_err().to_string(),
        "joint 'k': the offset of its mimic rule is NaN, which is not finite; give a finite number"
    );
}

#[test]
fn shapes_must_be_known_and_have_positive_sizes() {
    check(
        "<link name='a'>\n<collision/></link>",
        ErrorKind::Missing,
        "line 3: link 'a': <collision> has no <geometry> with a shape in it; add one or remove the <collision>",
    );
    check(
        &with_shape("<cone radius='1'/>"),
        ErrorKind::Unsupported,
        "line 5: link 'a': the shape <cone> is none of <mesh>, <box>, <sphere>, <cylinder>, <capsule>",
    );
    check(
        &with_shape("<sphere radius='1'/>\n<sphere radius='1'/>"),
        ErrorKind::Malformed,
        "line 6: link 'a': <geometry> holds two shapes; put each into a <collision> of its own",
    );
    check(&with_shape("<sphere/>"), ErrorKind::Missing, "line 5: link 'a': <sphere> has no attribute 'radius'; add it");
    check(
        &with_shape("<box size='1 -1 1'/>"),
        ErrorKind::OutOfRange,
        "line 2: link 'a', geometry 0: an edge of the box is -1, it must be greater than 0",
    );
    check(
        &with_shape("<cylinder radius='1' length='0'/>"),
        ErrorKind::OutOfRange,
        "line 2: link 'a', geometry 0: the length of the cylinder is 0, it must be greater than 0",
    );
    check(
        &with_shape("<mesh filename='x.stl' scale='1 0 1'/>"),
        ErrorKind::OutOfRange,
        "line 5: link 'a': the mesh's scale has a zero, which makes it flat; give the factors for x, y and z",
    );
    check(&with_shape("<mesh/>"), ErrorKind::Missing, "line 5: link 'a': <mesh> has no attribute 'filename'; add it");
    let sphere = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: f64::NAN }).named("ball");
    assert_eq!(
        RobotBuilder::new("r").link("a", [sphere]).build().unwrap_err().to_string(),
        "link 'a', geometry 'ball': the radius of the sphere is NaN, which is not finite; give a finite number"
    );
    let capsule = LinkGeometry::new(Pose::IDENTITY, LinkShape::Capsule { radius: 1.0, length: 0.0 });
    assert!(RobotBuilder::new("r").link("a", [capsule]).build().is_ok(), "a capsule of length 0 is a ball");
}

#[test]
fn an_error_is_one_short_line_whatever_the_names_are() {
    let name = "x\u{85}\ny".repeat(1000);
    let error = RobotBuilder::new("r").link(&name, []).link(&name, []).build().unwrap_err().to_string();
    assert!(error.len() < 1000 && !error.contains(char::is_control), "{error}");
    let quoting = format!("<robot></{}>", "é".repeat(2000));
    let error = read_urdf(&quoting, &UrdfOptions::default()).unwrap_err().to_string();
    assert!(error.contains('é') && error.chars().count() < 600, "{error}");
}
