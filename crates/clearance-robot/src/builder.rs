//! Robots made in code. [`RobotBuilder::build`] is the one place where a robot is checked; the URDF
//! reader goes through it.

use crate::bodies::group;
use crate::checks::{check_geometry, check_joint, check_mimics, check_unique, check_variable_names};
use crate::kinematics::{steps, variables};
use crate::tree::{Tree, find_tree};
use crate::{Joint, JointKind, Limits, Link, LinkGeometry, Mimic, Result, Robot};
use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use std::collections::HashMap;

/// Collects links and joints in any order.
///
/// ```
/// use clearance_engine::{Pose, math::DVec3};
/// use clearance_robot::{JointSpec, LinkGeometry, LinkShape, RobotBuilder};
/// let finger = || LinkGeometry::new(Pose::IDENTITY, LinkShape::Box { size: DVec3::new(0.01, 0.02, 0.05) });
/// let gripper = RobotBuilder::new("gripper")
///     .link("palm", [LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.03 })])
///     .link("left", [finger()])
///     .link("right", [finger()])
///     .joint(JointSpec::prismatic("open", "palm", "left", DVec3::Y, [0.0, 0.04]))
///     .joint(JointSpec::prismatic("follow", "palm", "right", DVec3::NEG_Y, [0.0, 0.04]).mimic("open", 1.0, 0.0))
///     .build()?;
/// assert_eq!(gripper.variables().len(), 1);
/// # Ok::<(), clearance_robot::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct RobotBuilder {
    name: String,
    pub(crate) links: Vec<LinkSpec>,
    pub(crate) joints: Vec<JointSpec>,
    pub(crate) notes: Vec<String>,
}

/// A link as it was described, before it is checked.
#[derive(Debug, Clone)]
pub(crate) struct LinkSpec {
    pub name: String,
    pub geometries: Vec<LinkGeometry>,
    /// Where in a file it stands.
    pub line: Option<usize>,
}

/// A joint as it is described, before it is checked: names instead of numbers, an axis of any
/// length.
///
/// ```
/// use clearance_engine::{Pose, math::DVec3};
/// use clearance_robot::{JointSpec, RobotBuilder};
/// let elbow = JointSpec::revolute("elbow", "upper", "lower", DVec3::Y, [-2.0, 2.0]).at(Pose::from_xyz(0.0, 0.0, 0.3)?);
/// let robot = RobotBuilder::new("arm").link("upper", []).link("lower", []).joint(elbow).build()?;
/// assert_eq!(robot.variables().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct JointSpec {
    pub(crate) name: String,
    pub(crate) parent: String,
    pub(crate) child: String,
    pub(crate) origin: Pose,
    pub(crate) kind: JointKind,
    pub(crate) mimic: Option<MimicSpec>,
    /// Where in a file it stands.
    pub(crate) line: Option<usize>,
}

#[derive(Debug, Clone)]
pub(crate) struct MimicSpec {
    pub joint: String,
    pub multiplier: f64,
    pub offset: f64,
}

impl JointSpec {
    fn new(name: impl Into<String>, parent: impl Into<String>, child: impl Into<String>, kind: JointKind) -> Self {
        let (name, parent, child) = (name.into(), parent.into(), child.into());
        Self { name, parent, child, origin: Pose::IDENTITY, kind, mimic: None, line: None }
    }

    /// A joint of any kind.
    pub fn of_kind(
        kind: JointKind,
        name: impl Into<String>,
        parent: impl Into<String>,
        child: impl Into<String>,
    ) -> Self {
        Self::new(name, parent, child, kind)
    }

    /// A joint that does not move.
    pub fn fixed(name: impl Into<String>, parent: impl Into<String>, child: impl Into<String>) -> Self {
        Self::new(name, parent, child, JointKind::Fixed)
    }

    /// A joint that turns about `axis` within `[lower, upper]` radians.
    pub fn revolute(
        name: impl Into<String>,
        parent: impl Into<String>,
        child: impl Into<String>,
        axis: DVec3,
        [lower, upper]: [f64; 2],
    ) -> Self {
        Self::new(name, parent, child, JointKind::Revolute { axis, limits: Limits { lower, upper } })
    }

    /// A joint that turns about `axis` without limits.
    pub fn continuous(
        name: impl Into<String>,
        parent: impl Into<String>,
        child: impl Into<String>,
        axis: DVec3,
    ) -> Self {
        Self::new(name, parent, child, JointKind::Continuous { axis })
    }

    /// A joint that slides along `axis` within `[lower, upper]` metres.
    pub fn prismatic(
        name: impl Into<String>,
        parent: impl Into<String>,
        child: impl Into<String>,
        axis: DVec3,
        [lower, upper]: [f64; 2],
    ) -> Self {
        Self::new(name, parent, child, JointKind::Prismatic { axis, limits: Limits { lower, upper } })
    }

    /// A joint that slides in the plane with this normal and turns about the normal.
    pub fn planar(name: impl Into<String>, parent: impl Into<String>, child: impl Into<String>, normal: DVec3) -> Self {
        Self::new(name, parent, child, JointKind::Planar { normal })
    }

    /// A joint that moves freely.
    pub fn floating(name: impl Into<String>, parent: impl Into<String>, child: impl Into<String>) -> Self {
        Self::new(name, parent, child, JointKind::Floating)
    }

    /// Places the joint's frame in its parent link (`parent_from_joint`); without it they are the
    /// same.
    pub fn at(self, origin: Pose) -> Self {
        Self { origin, ..self }
    }

    /// Makes it follow another joint: its position is
    /// `multiplier · position of the other + offset`.
    pub fn mimic(self, joint: impl Into<String>, multiplier: f64, offset: f64) -> Self {
        Self { mimic: Some(MimicSpec { joint: joint.into(), multiplier, offset }), ..self }
    }

    pub(crate) fn label(&self) -> String {
        format!("joint '{}'", self.name)
    }
}

impl LinkSpec {
    pub(crate) fn label(&self) -> String {
        format!("link '{}'", self.name)
    }
}

impl RobotBuilder {
    /// A robot without links, which is not complete yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), links: Vec::new(), joints: Vec::new(), notes: Vec::new() }
    }

    /// Adds a link with its shapes.
    pub fn link(mut self, name: impl Into<String>, geometries: impl IntoIterator<Item = LinkGeometry>) -> Self {
        self.links.push(LinkSpec { name: name.into(), geometries: geometries.into_iter().collect(), line: None });
        self
    }

    /// Adds a joint.
    pub fn joint(mut self, joint: JointSpec) -> Self {
        self.joints.push(joint);
        self
    }

    /// Checks everything and makes the robot.
    ///
    /// An error names the link or joint: names must be there once, joints must make one tree,
    /// numbers must be finite, axes not zero, limits in order, sizes positive, and a joint that
    /// follows another one needs one with a single variable.
    pub fn build(self) -> Result<Robot> {
        let link_numbers = check_unique(self.links.iter().map(|link| (&link.name, link.line)), "link")?;
        let joint_numbers = check_unique(self.joints.iter().map(|joint| (&joint.name, joint.line)), "joint")?;
        for link in &self.links {
            link.geometries.iter().enumerate().try_for_each(|(i, geometry)| check_geometry(link, i, geometry))?;
        }
        let kinds = self.joints.iter().map(check_joint).collect::<Result<Vec<_>>>()?;
        check_mimics(&self.joints, &joint_numbers)?;
        let tree = find_tree(&self.links, &self.joints, &link_numbers)?;
        let mut robot = self.assemble(tree, &kinds, &joint_numbers);
        check_variable_names(&robot)?;
        robot.steps = steps(&robot.joints);
        Ok(robot)
    }

    /// Renumbers links and joints in the order of the tree.
    fn assemble(self, tree: Tree, kinds: &[JointKind], joint_numbers: &HashMap<String, usize>) -> Robot {
        let mut new_joint = vec![0; self.joints.len()];
        tree.joints.iter().enumerate().for_each(|(new, &old)| new_joint[old] = new);
        let mut joints: Vec<Joint> = Vec::with_capacity(self.joints.len());
        let mut drafts: Vec<Option<JointSpec>> = self.joints.into_iter().map(Some).collect();
        for (new, &old) in tree.joints.iter().enumerate() {
            let Some(draft) = drafts[old].take() else { continue };
            let mimic = draft.mimic.as_ref().map(|rule| Mimic {
                joint: new_joint[joint_numbers[&rule.joint]],
                multiplier: rule.multiplier,
                offset: rule.offset,
            });
            let (parent, child) = (tree.parents[new], new + 1);
            let JointSpec { name, origin, .. } = draft;
            joints.push(Joint { name, kind: kinds[old], parent, child, origin, mimic, variables: 0..0 });
        }
        let (bodies, body_of) = group(&tree.parents, |joint| joints[joint].is_moving());
        let mut drafts: Vec<Option<LinkSpec>> = self.links.into_iter().map(Some).collect();
        let links = tree.links.iter().enumerate().filter_map(|(new, &old)| {
            let LinkSpec { name, geometries, .. } = drafts[old].take()?;
            Some(Link { name, geometries, body: body_of[new], subtree_end: tree.subtree_ends[new] })
        });
        let links: Vec<Link> = links.collect();
        let variables = variables(&mut joints);
        Robot {
            identity: clearance_engine::tree::next_revision(),
            link_numbers: links.iter().enumerate().map(|(i, link)| (link.name.clone(), i)).collect(),
            joint_numbers: joints.iter().enumerate().map(|(i, joint)| (joint.name.clone(), i)).collect(),
            name: self.name,
            links,
            joints,
            variables,
            steps: Vec::new(),
            bodies,
            notes: self.notes,
            disabled: crate::DisabledPairs::default(),
            groups: Vec::new(),
        }
    }
}
