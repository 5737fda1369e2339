//! What a robot consists of: a tree of links with geometry, connected by joints.
//!
//! Invariants, kept by [`RobotBuilder::build`](crate::RobotBuilder::build), the only way to a
//! [`Robot`]: link 0 is the root; links stand depth first, so that parents come before children and
//! a subtree is a range; joint `j` carries link `j + 1`; names are unique; numbers are finite, axes
//! have length 1, limits are ordered.

use crate::bodies::{Body, DisabledPairs};
use crate::kinematics::{Step, Variable};
use crate::{Error, ErrorKind, GroupMembers, Result, Srdf, UrdfOptions, load_urdf, read_urdf};
use clearance_engine::math::DVec3;
use clearance_engine::shape::ConvexPolyhedron;
use clearance_engine::{Pose, TriMesh};
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A kinematic tree with geometry. Immutable; share it between threads by reference.
///
/// ```
/// use clearance_engine::{Pose, math::DVec3};
/// use clearance_robot::{JointSpec, LinkGeometry, LinkShape, RobotBuilder};
/// let capsule = LinkShape::Capsule { radius: 0.1, length: 1.0 };
/// let robot = RobotBuilder::new("pendulum")
///     .link("ceiling", [])
///     .link("arm", [LinkGeometry::new(Pose::from_translation(DVec3::Z * 0.5)?, capsule)])
///     .joint(JointSpec::revolute("hinge", "ceiling", "arm", DVec3::Y, [-1.0, 1.0]))
///     .build()?;
/// let mut poses = Vec::new();
/// robot.link_poses(&Pose::IDENTITY, &[0.5], &mut poses)?;
/// let tip = poses[robot.link_index("arm").unwrap()].transform_point(DVec3::Z);
/// assert!((tip.x - 0.5_f64.sin()).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Robot {
    /// What is proven of a robot is known by it; copies have the same, no other robot has.
    pub(crate) identity: u64,
    pub(crate) name: String,
    pub(crate) links: Vec<Link>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) link_numbers: HashMap<String, usize>,
    pub(crate) joint_numbers: HashMap<String, usize>,
    pub(crate) variables: Vec<Variable>,
    /// How joint `j` places link `j + 1`.
    pub(crate) steps: Vec<Step>,
    pub(crate) bodies: Vec<Body>,
    pub(crate) notes: Vec<String>,
    /// Pairs of links that need no check, by an SRDF file.
    pub(crate) disabled: DisabledPairs,
    /// The groups of the SRDF files, by name.
    pub(crate) groups: Vec<(String, GroupMembers)>,
}

/// A rigid part of a robot.
#[derive(Debug, Clone)]
pub struct Link {
    pub(crate) name: String,
    pub(crate) geometries: Vec<LinkGeometry>,
    pub(crate) body: usize,
    /// One past the last link of the subtree below.
    pub(crate) subtree_end: usize,
}

/// One shape on a link.
///
/// ```
/// use clearance_engine::{Pose, math::DVec3};
/// use clearance_robot::{LinkGeometry, LinkShape};
/// let plate = LinkGeometry::new(Pose::from_xyz(0.0, 0.0, 0.1)?, LinkShape::Box { size: DVec3::new(0.2, 0.2, 0.01) });
/// assert_eq!(plate.origin.translation().z, 0.1);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LinkGeometry {
    /// Empty where the file or the code gives none.
    pub name: String,
    /// Where the shape is in the link's frame: `link_from_shape`.
    pub origin: Pose,
    /// What it is.
    pub shape: LinkShape,
}

impl LinkGeometry {
    /// A shape without a name, placed by `origin` (`link_from_shape`).
    pub fn new(origin: Pose, shape: LinkShape) -> Self {
        Self { name: String::new(), origin, shape }
    }

    /// The same with a name.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }
}

/// The shapes a link may have. Meshes are surfaces, the others are solids, all but the hull around
/// their own origin.
///
/// ```
/// use clearance_robot::LinkShape;
/// let tube = LinkShape::Cylinder { radius: 0.05, length: 0.4 };
/// assert!(matches!(tube, LinkShape::Cylinder { length, .. } if length == 0.4));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LinkShape {
    /// Triangles, scaled already; geometries that use the same file at the same scale share them.
    Mesh(Arc<TriMesh>),
    /// A convex polyhedron, such as the hull of a mesh
    /// ([`UrdfOptions::hulls`](crate::UrdfOptions::hulls)). Every question is about this solid
    /// then, not about the mesh in it.
    Hull(ConvexPolyhedron),
    /// A box with these full edge lengths.
    Box {
        /// Along x, y and z.
        size: DVec3,
    },
    /// A sphere.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A cylinder along z.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// From end to end.
        length: f64,
    },
    /// A cylinder along z with half a sphere on either end.
    Capsule {
        /// Of the cylinder and the spheres.
        radius: f64,
        /// Of the cylindrical part, without the spheres.
        length: f64,
    },
}

/// What connects two links.
#[derive(Debug, Clone)]
pub struct Joint {
    pub(crate) name: String,
    pub(crate) kind: JointKind,
    pub(crate) parent: usize,
    pub(crate) child: usize,
    pub(crate) origin: Pose,
    pub(crate) mimic: Option<Mimic>,
    pub(crate) variables: Range<usize>,
}

/// How a joint moves its child link. Axes have length 1 and stand in the joint's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum JointKind {
    /// Not at all.
    Fixed,
    /// Turns about an axis within limits in radians.
    Revolute {
        /// The axis of rotation.
        axis: DVec3,
        /// The allowed angles.
        limits: Limits,
    },
    /// Turns about an axis without limits.
    Continuous {
        /// The axis of rotation.
        axis: DVec3,
    },
    /// Slides along an axis within limits in metres.
    Prismatic {
        /// The direction of motion.
        axis: DVec3,
        /// The allowed displacements.
        limits: Limits,
    },
    /// Slides in a plane and turns about its normal. `x` and `y` are the joint's axes after the
    /// shortest turn of z to the normal.
    Planar {
        /// The normal of the plane.
        normal: DVec3,
    },
    /// Moves freely.
    Floating,
}

impl JointKind {
    /// The name that URDF has for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute { .. } => "revolute",
            Self::Continuous { .. } => "continuous",
            Self::Prismatic { .. } => "prismatic",
            Self::Planar { .. } => "planar",
            Self::Floating => "floating",
        }
    }

    /// The axis of rotation, the direction of motion, or the normal of the plane.
    pub fn axis(&self) -> Option<DVec3> {
        match *self {
            Self::Revolute { axis, .. } | Self::Continuous { axis } | Self::Prismatic { axis, .. } => Some(axis),
            Self::Planar { normal } => Some(normal),
            Self::Fixed | Self::Floating => None,
        }
    }

    /// The limits of a revolute or prismatic joint.
    pub fn limits(&self) -> Option<Limits> {
        match *self {
            Self::Revolute { limits, .. } | Self::Prismatic { limits, .. } => Some(limits),
            _ => None,
        }
    }

    /// How many numbers state its position: 0, 1, 3 (planar) or 7 (floating).
    pub fn variable_count(&self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute { .. } | Self::Continuous { .. } | Self::Prismatic { .. } => 1,
            Self::Planar { .. } => 3,
            Self::Floating => 7,
        }
    }
}

/// The positions a joint may take: `lower ≤ upper`, both finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The smallest allowed position.
    pub lower: f64,
    /// The largest allowed position.
    pub upper: f64,
}

impl Limits {
    /// Whether `value` is allowed.
    pub fn contain(&self, value: f64) -> bool {
        (self.lower..=self.upper).contains(&value)
    }
}

/// A joint that follows another one: its position is `multiplier · position of joint + offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mimic {
    /// The joint that is followed, which may follow another one itself.
    pub joint: usize,
    /// The factor.
    pub multiplier: f64,
    /// What is added, in radians or metres.
    pub offset: f64,
}

impl Robot {
    /// Reads a robot from the URDF file at `path`, with the meshes that it names.
    ///
    /// ```no_run
    /// use clearance_robot::Robot;
    /// let robot = Robot::load("panda.urdf")?.with_srdf("panda.srdf")?;
    /// println!("{} has {} links", robot.name(), robot.links().len());
    /// # Ok::<(), clearance_robot::Error>(())
    /// ```
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        load_urdf(path.as_ref(), &UrdfOptions::default())
    }

    /// The same with package folders, visual geometry, hulls in the place of meshes, or limits.
    pub fn load_with(path: impl AsRef<Path>, options: &UrdfOptions) -> Result<Self> {
        load_urdf(path.as_ref(), options)
    }

    /// Reads a robot from the text of a URDF file; its meshes are still files.
    ///
    /// ```
    /// use clearance_robot::{Robot, UrdfOptions};
    /// let robot = Robot::from_urdf("<robot name='stone'><link name='body'/></robot>", &UrdfOptions::default())?;
    /// assert_eq!(robot.name(), "stone");
    /// # Ok::<(), clearance_robot::Error>(())
    /// ```
    pub fn from_urdf(text: &str, options: &UrdfOptions) -> Result<Self> {
        read_urdf(text, options)
    }

    /// The robot with the pairs of links disabled that the SRDF file at `path` disables, besides
    /// those that are disabled already, and with the file's groups.
    pub fn with_srdf(self, path: impl AsRef<Path>) -> Result<Self> {
        let known = self.notes.len();
        let mut robot = self.with(&Srdf::load(path.as_ref())?);
        robot.notes[known..].iter_mut().for_each(|note| *note = format!("{}: {note}", path.as_ref().display()));
        Ok(robot)
    }

    /// The same from the text of an SRDF file.
    ///
    /// ```
    /// use clearance_robot::{Robot, UrdfOptions};
    /// let robot = Robot::from_urdf("<robot name='r'><link name='hand'/></robot>", &UrdfOptions::default())?;
    /// let robot = robot.with_srdf_text("<robot name='r'><group name='all'><link name='hand'/></group></robot>")?;
    /// assert_eq!(robot.group("all").unwrap().links, [0]);
    /// # Ok::<(), clearance_robot::Error>(())
    /// ```
    pub fn with_srdf_text(self, text: &str) -> Result<Self> {
        Ok(self.with(&Srdf::read(text)?))
    }

    fn with(self, srdf: &Srdf) -> Self {
        let disabled = srdf.disabled_pairs(&self);
        let mut robot = self.with_disabled(&disabled);
        robot.notes.extend(srdf.notes().iter().chain(&disabled.notes).cloned());
        for group in srdf.groups() {
            // Files name groups of links that a variant of the robot lacks; those are left out.
            if let Ok(members) = srdf.group_members(&robot, &group.name) {
                robot.set_group(&group.name, members);
            }
        }
        robot
    }

    /// The robot with a group of these links and the joints above them, instead of one of that
    /// name; an error if it lacks a link.
    pub fn with_group(mut self, name: &str, links: &[impl AsRef<str>]) -> Result<Self> {
        let number = |link: &str| {
            let reason = || format!("group '{name}': the robot has no link '{link}'; correct the name");
            self.link_index(link).ok_or_else(|| Error::new(ErrorKind::Unknown, reason()))
        };
        let links = links.iter().map(|link| number(link.as_ref())).collect::<Result<Vec<_>>>()?;
        let joints = links.iter().filter_map(|&link| self.joint_above(link)).collect();
        self.set_group(name, GroupMembers { links, joints });
        Ok(self)
    }

    fn set_group(&mut self, name: &str, members: GroupMembers) {
        self.groups.retain(|(group, _)| group != name);
        self.groups.push((name.to_owned(), members));
    }

    /// The names of the groups of the SRDF files.
    pub fn group_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.groups.iter().map(|(name, _)| name.as_str())
    }

    /// The links and joints of a group of the SRDF files; `None` if there is none of that name.
    pub fn group(&self, name: &str) -> Option<&GroupMembers> {
        self.groups.iter().find(|(group, _)| group == name).map(|(_, members)| members)
    }

    /// The robot with these pairs of links disabled, besides those that are disabled already.
    pub fn with_disabled(mut self, pairs: &DisabledPairs) -> Self {
        pairs.pairs().for_each(|[a, b]| self.disabled.insert(a, b));
        self
    }

    /// The pairs of links that need no check, besides neighbours.
    pub fn disabled_pairs(&self) -> &DisabledPairs {
        &self.disabled
    }

    /// The robot's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All links: the root first, then depth first. A link's number is its place here.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// All joints; joint `j` carries link `j + 1`.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The number of the link with this name.
    pub fn link_index(&self, name: &str) -> Option<usize> {
        self.link_numbers.get(name).copied()
    }

    /// The number of the joint with this name.
    pub fn joint_index(&self, name: &str) -> Option<usize> {
        self.joint_numbers.get(name).copied()
    }

    /// The joint that carries `link`; the root has none.
    pub fn joint_above(&self, link: usize) -> Option<usize> {
        link.checked_sub(1)
    }

    /// The link that carries `link`; the root has none.
    pub fn parent_link(&self, link: usize) -> Option<usize> {
        self.joint_above(link).map(|joint| self.joints[joint].parent)
    }

    /// `link` and all links that it carries, directly or not. Panics if `link` is out of range.
    pub fn subtree(&self, link: usize) -> Range<usize> {
        link..self.links[link].subtree_end
    }

    /// What a reader ignored or assumed, one sentence each, with the line.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

impl Link {
    /// The link's name, unique among links.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its shapes; there may be none.
    pub fn geometries(&self) -> &[LinkGeometry] {
        &self.geometries
    }
}

impl Joint {
    /// The joint's name, unique among joints.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How it moves.
    pub fn kind(&self) -> &JointKind {
        &self.kind
    }

    /// The link that carries this joint.
    pub fn parent(&self) -> usize {
        self.parent
    }

    /// The link that this joint carries.
    pub fn child(&self) -> usize {
        self.child
    }

    /// Where the joint's frame is in its parent link, `parent_from_joint`; the child's frame is
    /// this one, moved by the joint.
    pub fn origin(&self) -> &Pose {
        &self.origin
    }

    /// The rule of a joint that follows another one.
    pub fn mimic(&self) -> Option<&Mimic> {
        self.mimic.as_ref()
    }

    /// The places of its own numbers in a configuration: none for a fixed joint and for one that
    /// follows another.
    pub fn variables(&self) -> Range<usize> {
        self.variables.clone()
    }

    /// Whether it can move at all.
    pub fn is_moving(&self) -> bool {
        !matches!(self.kind, JointKind::Fixed)
    }
}
