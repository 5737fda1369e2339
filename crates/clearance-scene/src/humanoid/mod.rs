//! The humanoid: 23 joints in five subsystems and 16,440 triangles, as many as the robot ARMAR has
//! in Steinbach, Kuffner, Asfour and Dillmann, *Efficient Collision and Self-Collision Detection
//! for Humanoids Based on Sphere Trees Hierarchies*: a mobile base (3 joints), a torso (3), a head
//! (3) and two arms (7 each). Its shape is our own.
//!
//! When all joints are at zero the frames of all links are parallel: forward is +x, left is +y, the
//! arms hang down. Links are closed meshes, one each; the two links between the world and the
//! platform have none. Neighbours are 3 mm apart or more within the limits
//! (`tests/scene/humanoid.rs` samples that).

mod arm;
mod body;
mod parts;

use crate::Result;
use crate::picture::{Color, Picture};
use crate::solid::Solid;
use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_robot::{JointSpec, LinkGeometry, LinkShape, Robot, RobotBuilder};
use std::collections::HashMap;
use std::sync::Arc;

/// How far the platform may drive from the middle of the room, in metres.
const ROOM: [f64; 2] = [-4.0, 4.0];

/// The five subsystems, each with its joints, in the order of a configuration.
///
/// ```
/// assert_eq!(clearance_scene::SUBSYSTEMS.iter().map(|(_, joints)| joints.len()).sum::<usize>(), 23);
/// ```
pub const SUBSYSTEMS: [(&str, &[&str]); 5] = [
    ("base", &["base_x", "base_y", "base_yaw"]),
    ("torso", &["torso_yaw", "torso_pitch", "torso_roll"]),
    ("head", &["neck_pitch", "neck_roll", "neck_yaw"]),
    ("left arm", &LEFT_ARM),
    ("right arm", &RIGHT_ARM),
];

const LEFT_ARM: [&str; 7] = [
    "left_shoulder_pitch",
    "left_shoulder_roll",
    "left_arm_yaw",
    "left_elbow",
    "left_forearm_yaw",
    "left_wrist_pitch",
    "left_wrist_yaw",
];
const RIGHT_ARM: [&str; 7] = [
    "right_shoulder_pitch",
    "right_shoulder_roll",
    "right_arm_yaw",
    "right_elbow",
    "right_forearm_yaw",
    "right_wrist_pitch",
    "right_wrist_yaw",
];

/// The robot and what it looks like.
#[derive(Debug, Clone)]
pub struct Humanoid {
    /// Links, joints and meshes.
    pub robot: Robot,
    /// For each link the colours of its triangles; empty for links without a mesh.
    pub colors: Vec<Vec<Color>>,
}

impl Humanoid {
    /// Draws the robot with its links at these poses (see [`Robot::link_poses`]).
    pub fn draw(&self, picture: &mut Picture, world_from_links: &[Pose]) {
        for ((link, colors), world_from_link) in self.robot.links().iter().zip(&self.colors).zip(world_from_links) {
            for geometry in link.geometries() {
                if let LinkShape::Mesh(mesh) = &geometry.shape {
                    picture.draw_colored(mesh, &world_from_link.then(&geometry.origin), colors);
                }
            }
        }
    }
}

/// Makes the humanoid.
///
/// ```
/// let humanoid = clearance_scene::humanoid()?;
/// assert_eq!(humanoid.robot.joints().len(), 23);
/// # Ok::<(), clearance_scene::Error>(())
/// ```
pub fn humanoid() -> Result<Humanoid> {
    let slide = |name: &str, parent: &str, axis: DVec3| JointSpec::prismatic(name, parent, name, axis, ROOM);
    let builder = RobotBuilder::new("humanoid").link("world", []).link("base_x", []).link("base_y", []);
    let builder = builder.joint(slide("base_x", "world", DVec3::X)).joint(slide("base_y", "base_x", DVec3::Y));
    let builder = builder.joint(JointSpec::continuous("base_yaw", "base_y", "platform", DVec3::Z));
    let draft = Draft { builder, colors: HashMap::new() }.link("platform", body::platform())?;
    let draft = torso_and_head(draft)?;
    let draft = arm_links(draft, &LEFT_ARM, "left", 1.0)?;
    let mut draft = arm_links(draft, &RIGHT_ARM, "right", -1.0)?;
    let robot = draft.builder.build()?;
    let colors = robot.links().iter().map(|link| draft.colors.remove(link.name()).unwrap_or_default()).collect();
    Ok(Humanoid { robot, colors })
}

/// What is there of the robot so far.
struct Draft {
    builder: RobotBuilder,
    colors: HashMap<String, Vec<Color>>,
}

/// A revolute joint: its name, its place in the parent link, its axis and its limits.
type Hinge<'h> = (&'h str, DVec3, DVec3, [f64; 2]);

impl Draft {
    fn link(mut self, name: &str, solid: Solid) -> Result<Self> {
        let (mesh, colors) = solid.into_parts()?;
        let geometry = LinkGeometry::new(Pose::IDENTITY, LinkShape::Mesh(Arc::new(mesh)));
        self.colors.insert(name.to_owned(), colors);
        Ok(Self { builder: self.builder.link(name, [geometry]), ..self })
    }

    /// Adds a link that turns on another one.
    fn hinge(self, parent: &str, child: &str, (name, place, axis, limits): Hinge<'_>, solid: Solid) -> Result<Self> {
        let joint = JointSpec::revolute(name, parent, child, axis, limits).at(Pose::from_translation(place)?);
        let draft = self.link(child, solid)?;
        Ok(Self { builder: draft.builder.joint(joint), ..draft })
    }
}

fn torso_and_head(draft: Draft) -> Result<Draft> {
    use DVec3 as V;
    let up = |height: f64| V::Z * height;
    draft
        .hinge("platform", "waist", ("torso_yaw", up(body::COLUMN), V::Z, [-1.2, 1.2]), body::waist())?
        .hinge("waist", "spine", ("torso_pitch", up(body::HIP), V::Y, [-0.3, 0.9]), body::spine())?
        .hinge("spine", "chest", ("torso_roll", up(body::SPINE), V::X, [-0.3, 0.3]), body::chest())?
        .hinge("chest", "neck", ("neck_pitch", up(body::NECK), V::Y, [-0.5, 0.7]), body::neck())?
        .hinge("neck", "nape", ("neck_roll", up(body::NAPE), V::X, [-0.4, 0.4]), body::nape())?
        .hinge("nape", "head", ("neck_yaw", up(body::SKULL), V::Z, [-1.3, 1.3]), body::head())
}

/// Adds an arm; `side` is 1 for the left one. Positive angles lift the arm forward and outward,
/// turn it inward, bend the elbow and the wrist forward, and bend the hand inward.
fn arm_links(mut draft: Draft, joints: &[&str; 7], name: &str, side: f64) -> Result<Draft> {
    let (out, up) = body::SHOULDER;
    let down = |length: f64| DVec3::Z * -length;
    let hinges: [(&str, DVec3, DVec3, [f64; 2], Solid); 7] = [
        ("shoulder", DVec3::new(0.0, side * out, up), DVec3::NEG_Y, [-1.0, 2.8], arm::shoulder(side)),
        ("mount", DVec3::Y * (side * arm::SHOULDER_WIDTH), DVec3::X * side, [-0.1, 2.2], arm::mount()),
        ("upper_arm", down(arm::MOUNT), DVec3::Z * -side, [-1.6, 1.6], arm::upper_arm()),
        ("elbow", down(arm::UPPER_ARM), DVec3::NEG_Y, [0.0, 1.95], arm::elbow()),
        ("forearm", down(arm::ELBOW), DVec3::Z * -side, [-1.6, 1.6], arm::forearm()),
        ("wrist", down(arm::FOREARM), DVec3::NEG_Y, [-0.8, 0.8], arm::wrist()),
        ("hand", down(arm::WRIST), DVec3::X * -side, [-0.6, 0.6], arm::hand(side)),
    ];
    let mut parent = "chest".to_owned();
    for (joint, (link, place, axis, limits, solid)) in joints.iter().zip(hinges) {
        let child = format!("{name}_{link}");
        draft = draft.hinge(&parent, &child, (joint, place, axis, limits), solid)?;
        parent = child;
    }
    Ok(draft)
}
