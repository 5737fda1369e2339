//! Configurations from CSV.

use clearance_engine::math::DVec3;
use clearance_robot::{Configurations, ErrorKind, JointSpec, Robot, RobotBuilder};

/// `lift` in [0.2, 1], `follow` = −2·lift + 0.1, `drive` planar, `fly` floating, `weld` fixed.
fn robot() -> Robot {
    let builder =
        ["a", "b", "c", "d", "e", "f"].into_iter().fold(RobotBuilder::new("r"), |builder, link| builder.link(link, []));
    builder
        .joint(JointSpec::prismatic("lift", "a", "b", DVec3::Z, [0.2, 1.0]))
        .joint(JointSpec::prismatic("follow", "b", "c", DVec3::Z, [-9.0, 9.0]).mimic("lift", -2.0, 0.1))
        .joint(JointSpec::planar("drive", "c", "d", DVec3::Z))
        .joint(JointSpec::floating("fly", "d", "e"))
        .joint(JointSpec::fixed("weld", "e", "f"))
        .build()
        .unwrap()
}

fn message(text: &str) -> String {
    Configurations::read(text, &robot()).unwrap_err().to_string()
}

#[test]
fn columns_go_by_name_and_the_rest_stays_at_its_default() {
    let text = "drive.theta, fly.qz,fly.qw,lift\n\n0.5,1,0,0.3\n-0.5,0,1,0.4\n";
    let read = Configurations::read(text, &robot()).unwrap();
    let rows: Vec<&[f64]> = read.rows().collect();
    assert_eq!(rows[0], [0.3, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(rows[1], [0.4, 0.0, 0.0, -0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!((read.len(), read.line(0), read.line(1)), (2, 3, 4));
    assert_eq!(Configurations::read("drive.x\n1\n", &robot()).unwrap().row(0)[0], 0.2, "the limit nearest to 0");
    assert!(Configurations::read("lift\n", &robot()).unwrap().is_empty());
}

#[test]
fn columns_that_name_no_variable_are_refused_with_the_reason() {
    assert_eq!(
        message("lift,elbow\n"),
        "line 1: column \"elbow\": the robot 'r' has no joint or variable of this name"
    );
    assert_eq!(message("weld\n"), "line 1: column \"weld\": the joint is fixed and has no position; remove the column");
    assert_eq!(
        message("drive\n"),
        "line 1: column \"drive\": the joint is planar; its columns are drive.x,drive.y,drive.theta"
    );
    assert_eq!(message("lift,lift\n"), "line 1: the column lift is there twice");
    assert_eq!(message(""), "there is no line with the names of the columns");
}

#[test]
fn a_file_without_a_header_is_told_what_it_should_be() {
    for text in ["0,0\n", "0.5\n1\n", "0.1,0.2,0.3\n"] {
        assert_eq!(
            message(text),
            "line 1: the header is missing: before these numbers must stand a line with the names of the columns, as \
             lift,drive.x,drive.y,drive.theta,fly.x,fly.y,fly.z,fly.qw,fl…"
        );
    }
    // Joints may be called by numbers.
    let joint = JointSpec::revolute("1", "a", "b", DVec3::Z, [-1.0, 1.0]);
    let robot = RobotBuilder::new("r").link("a", []).link("b", []).joint(joint).build().unwrap();
    assert_eq!(Configurations::read("1\n0.5\n", &robot).unwrap().row(0), [0.5]);
    assert!(Configurations::read("2\n0.5\n", &robot).unwrap_err().to_string().contains("the header is missing"));
}

#[test]
fn positions_that_look_like_degrees_are_noted_once() {
    let builder = ["a", "b", "c", "d"].into_iter().fold(RobotBuilder::new("r"), |builder, link| builder.link(link, []));
    let robot = builder
        .joint(JointSpec::revolute("elbow", "a", "b", DVec3::Z, [-2.0, 2.0]))
        .joint(JointSpec::prismatic("slide", "b", "c", DVec3::Z, [-2.0, 2.0]))
        .joint(JointSpec::continuous("wheel", "c", "d", DVec3::Z))
        .build()
        .unwrap();
    for (row, degrees) in [
        ([2.0, 0.0, 0.0], false),
        // Outside of the limits, but not beyond a turn.
        ([6.0, 0.0, 0.0], false),
        ([7.0, 0.0, 0.0], true),
        ([-90.0, 0.0, 0.0], true),
        // Not within the limits as degrees either.
        ([400.0, 0.0, 0.0], false),
        ([0.0, 90.0, 90.0], false),
    ] {
        let [elbow, slide, wheel] = row;
        let text = format!("elbow,slide,wheel\n{elbow},{slide},{wheel}\n");
        let notes = Configurations::read(&text, &robot).unwrap().notes().concat();
        assert_eq!(notes.contains("looks like degrees"), degrees, "{row:?}: {notes}");
    }
    let read = Configurations::read("elbow\n0\n6\n45\n90\n", &robot).unwrap();
    let notes = [
        "line 3: column elbow: 6 is outside of the limits [-2, 2]",
        "line 4: column elbow: 45 looks like degrees; positions are in radians",
    ];
    assert_eq!(read.notes(), notes);
}

#[test]
fn the_column_of_a_mimic_joint_must_agree_with_its_rule() {
    assert!(Configurations::read("lift,follow\n0.5,-0.9000009\n", &robot()).is_ok());
    assert_eq!(
        message("lift,follow\n0.5,-0.9\n0.5,-0.90001\n"),
        "line 3: column follow: it is -0.90001, but the joint follows another one and must be -0.9"
    );
    // Without a column of its own, the joint that is followed stays at its default.
    assert!(Configurations::read("follow\n-0.3\n", &robot()).is_ok());
}

#[test]
fn values_that_make_no_pose_are_refused_with_their_line() {
    assert_eq!(message("lift\n1\nx\n"), "line 3: column lift: \"x\" is not a number");
    assert_eq!(message("lift\n1\ninf\n"), "line 3: column lift: \"inf\" is not finite");
    assert_eq!(message("lift\n1\n1,2\n"), "line 3: 2 fields stand where there are 1 columns");
    let quaternion = message("fly.qw\n1.0005\n0.9\n");
    assert!(quaternion.starts_with("line 3: joint 'fly': its position makes no pose: the quaternion"), "{quaternion}");
}

#[test]
fn files_are_named_in_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.csv");
    let error = Configurations::load(&path, &robot()).unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::Io, Some(&*path)));
    std::fs::write(&path, "lift\n0.5\nnan\n").unwrap();
    let error = Configurations::load(&path, &robot()).unwrap_err();
    assert_eq!((error.kind(), error.path(), error.line()), (ErrorKind::NotFinite, Some(&*path), Some(3)));
    std::fs::write(&path, "lift\n5\n").unwrap();
    let notes = Configurations::load(&path, &robot()).unwrap().notes().to_vec();
    assert_eq!(notes, ["line 2: column lift: 5 is outside of the limits [0.2, 1]"]);
}
