//! Links that never move against each other: grouped by the last moving joint above them.
//!
//! Pairs within a body, and of a body with the one that carries it, are never checked for collision: the first cannot
//! change, the second touch where the joint is. A moving link without geometry still counts as a body of its own.

use crate::Robot;
use clearance::Pose;
use std::collections::HashSet;
use std::ops::Range;

/// Links connected by fixed joints. Body 0 holds the root; bodies stand in the order of their first links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    pub(crate) joint: Option<usize>,
    pub(crate) parent: Option<usize>,
    pub(crate) links: Vec<usize>,
}

/// The pairs of links that an SRDF file excludes from checks.
#[derive(Debug, Clone, Default)]
pub struct DisabledPairs {
    /// `[smaller, larger]` numbers of links, for [`Robot::checked_link_pairs`].
    pub pairs: HashSet<[usize; 2]>,
    /// Names that the robot has not, and other peculiarities.
    pub notes: Vec<String>,
}

impl Body {
    /// The moving joint that carries it; none for the body of the root.
    pub fn joint(&self) -> Option<usize> {
        self.joint
    }

    /// The body that carries it; none for the body of the root.
    pub fn parent(&self) -> Option<usize> {
        self.parent
    }

    /// Its links in ascending order; all others follow the first one rigidly.
    pub fn links(&self) -> &[usize] {
        &self.links
    }
}

impl Robot {
    /// The groups of links that move as one.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The body that `link` belongs to. Panics if `link` is out of range.
    pub fn body_of(&self, link: usize) -> usize {
        self.links[link].body
    }

    /// Where a body is, given the poses of all links: the frame of its first link, which its moving joint carries. Panics if `body` or
    /// the number of poses is wrong.
    pub fn body_pose<'p>(&self, link_poses: &'p [Pose], body: usize) -> &'p Pose {
        &link_poses[self.bodies[body].links[0]]
    }

    /// Where each link is in the frame of its body, which never changes.
    ///
    /// ```
    /// use clearance::{Pose, math::DVec3};
    /// use clearance_robot::{JointSpec, RobotBuilder};
    /// let robot = RobotBuilder::new("r").link("hand", []).link("camera", [])
    ///     .joint(JointSpec::fixed("mount", "hand", "camera").at(Pose::from_translation(DVec3::Z)?)).build()?;
    /// assert_eq!(robot.body_from_links()[1].translation(), DVec3::Z);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn body_from_links(&self) -> Vec<Pose> {
        let mut poses = vec![Pose::IDENTITY];
        for joint in &self.joints {
            let pose = if joint.is_moving() { Pose::IDENTITY } else { poses[joint.parent].then(&joint.origin) };
            poses.push(pose);
        }
        poses
    }

    /// A body and all that it carries, directly or not. Panics if `body` is out of range.
    pub fn body_subtree(&self, body: usize) -> Range<usize> {
        let end = self.links[self.bodies[body].links[0]].subtree_end;
        body..self.bodies.partition_point(|other| other.links[0] < end)
    }

    /// Whether two links may move against each other other than by the one joint between them.
    pub fn are_checked(&self, link_a: usize, link_b: usize) -> bool {
        let [a, b] = [link_a, link_b].map(|link| self.body_of(link));
        a != b && self.bodies[a].parent != Some(b) && self.bodies[b].parent != Some(a)
    }

    /// The pairs of links with geometry that can collide, `[smaller, larger]` in ascending order, without those that
    /// [`Srdf::disabled_pairs`](crate::Srdf::disabled_pairs) gives; `DisabledPairs::default()` disables none.
    pub fn checked_link_pairs(&self, disabled: &DisabledPairs) -> Vec<[usize; 2]> {
        let solid: Vec<usize> = (0..self.links.len()).filter(|&link| !self.links[link].geometries.is_empty()).collect();
        let pairs = solid.iter().enumerate().flat_map(|(i, &a)| solid[i + 1..].iter().map(move |&b| [a, b]));
        pairs.filter(|pair| self.are_checked(pair[0], pair[1]) && !disabled.pairs.contains(pair)).collect()
    }
}

/// The bodies of a tree, whose joint `j` carries link `j + 1` from the link `parents[j]`, and the body of each link.
pub(crate) fn group(parents: &[usize], is_moving: impl Fn(usize) -> bool) -> (Vec<Body>, Vec<usize>) {
    let mut bodies = vec![Body { joint: None, parent: None, links: vec![0] }];
    let mut body_of = vec![0];
    for (joint, &parent) in parents.iter().enumerate() {
        let (link, mut body) = (joint + 1, body_of[parent]);
        if is_moving(joint) {
            bodies.push(Body { joint: Some(joint), parent: Some(body), links: Vec::new() });
            body = bodies.len() - 1;
        }
        bodies[body].links.push(link);
        body_of.push(body);
    }
    (bodies, body_of)
}
