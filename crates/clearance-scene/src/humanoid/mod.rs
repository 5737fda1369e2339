//! The humanoid: 23 joints in five subsystems and 16,440 triangles, as the robot of the paper that this scene is made after
//! (Steinhaus, Becher and Dillmann's ARMAR as modelled in *Efficient Collision and Self-Collision Detection for Humanoids
//! Based on Sphere Trees Hierarchies*): a mobile base (3), a torso (3), two arms (7 each) and a head (3).

mod arm;
mod body;
mod parts;

use crate::solid::Solid;
use clearance::math::DVec3;

/// A joint as it stands in the table below: its place is given in the parent link, whose axes are parallel to the child's
/// when the joint is at zero.
pub struct Row {
    pub joint: String,
    pub parent: String,
    pub child: String,
    pub place: DVec3,
    pub axis: DVec3,
    pub limits: Option<[f64; 2]>,
    pub slides: bool,
    pub solid: Option<Solid>,
}

fn row(
    joint: &str,
    parent: &str,
    child: &str,
    place: (f64, f64, f64),
    axis: DVec3,
    limits: [f64; 2],
    solid: Solid,
) -> Row {
    let place = DVec3::new(place.0, place.1, place.2);
    let (joint, parent, child) = (joint.to_string(), parent.to_string(), child.to_string());
    Row { joint, parent, child, place, axis, limits: Some(limits), slides: false, solid: Some(solid) }
}

pub fn rows() -> Vec<Row> {
    let mut rows = vec![
        Row {
            slides: true,
            solid: None,
            ..row("base_x", "world", "base_x", (0.0, 0.0, 0.0), DVec3::X, [-3.0, 3.0], Solid::default())
        },
        Row {
            slides: true,
            solid: None,
            ..row("base_y", "base_x", "base_y", (0.0, 0.0, 0.0), DVec3::Y, [-3.0, 3.0], Solid::default())
        },
        Row {
            limits: None,
            ..row("base_yaw", "base_y", "platform", (0.0, 0.0, 0.0), DVec3::Z, [0.0; 2], body::platform())
        },
        row("torso_yaw", "platform", "waist", (0.0, 0.0, body::COLUMN), DVec3::Z, [-1.2, 1.2], body::waist()),
        row("torso_pitch", "waist", "spine", (0.0, 0.0, body::HIP), DVec3::Y, [-0.3, 0.9], body::spine()),
        row("torso_roll", "spine", "chest", (0.0, 0.0, body::SPINE), DVec3::X, [-0.3, 0.3], body::chest()),
        row("neck_pitch", "chest", "neck", (0.0, 0.0, body::NECK), DVec3::Y, [-0.5, 0.7], body::neck()),
        row("neck_roll", "neck", "nape", (0.0, 0.0, body::NAPE), DVec3::X, [-0.4, 0.4], body::nape()),
        row("neck_yaw", "nape", "head", (0.0, 0.0, body::SKULL), DVec3::Z, [-1.3, 1.3], body::head()),
    ];
    for (name, side) in [("left", 1.0), ("right", -1.0)] {
        rows.extend(arm_rows(name, side));
    }
    rows
}

fn arm_rows(name: &str, side: f64) -> Vec<Row> {
    let (out, up) = body::SHOULDER;
    let of = |part: &str| format!("{name}_{part}");
    let down = |length: f64| (0.0, 0.0, -length);
    let r = |joint: &str, parent: &str, child: &str, place, axis, limits, solid| {
        let parent = if parent == "chest" { parent.to_string() } else { of(parent) };
        row(&of(joint), &parent, &of(child), place, axis, limits, solid)
    };
    vec![
        r("shoulder_pitch", "chest", "shoulder", (0.0, side * out, up), DVec3::NEG_Y, [-1.0, 2.8], arm::shoulder(side)),
        r(
            "shoulder_roll",
            "shoulder",
            "mount",
            (0.0, side * arm::SHOULDER_WIDTH, 0.0),
            DVec3::X * side,
            [-0.1, 2.2],
            arm::mount(side),
        ),
        r("arm_yaw", "mount", "upper_arm", down(arm::MOUNT), DVec3::Z * side, [-1.6, 1.6], arm::upper_arm(side)),
        r("elbow", "upper_arm", "elbow", down(arm::UPPER_ARM), DVec3::NEG_Y, [0.0, 1.95], arm::elbow(side)),
        r("forearm_yaw", "elbow", "forearm", down(arm::ELBOW), DVec3::Z * side, [-1.6, 1.6], arm::forearm(side)),
        r("wrist_pitch", "forearm", "wrist", down(arm::FOREARM), DVec3::NEG_Y, [-0.8, 0.8], arm::wrist(side)),
        r("wrist_yaw", "wrist", "hand", down(arm::WRIST), DVec3::X * side, [-0.6, 0.6], arm::hand(side)),
    ]
}
