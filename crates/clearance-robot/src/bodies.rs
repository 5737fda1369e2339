//! Links that never move against each other: grouped by the last moving joint above them.
//!
//! Pairs within a body, and of a body with the one that carries it, are never checked for
//! collision: the first cannot change, the second touch where the joint is. A moving link without
//! geometry still counts as a body of its own.

use crate::Robot;
use clearance_engine::Pose;
use std::collections::HashSet;
use std::ops::Range;

/// Links connected by fixed joints. Body 0 holds the root; bodies stand in the order of their first
/// links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    pub(crate) joint: Option<usize>,
    pub(crate) parent: Option<usize>,
    pub(crate) links: Vec<usize>,
}

/// The pairs of links that an SRDF file excludes from checks, by name: they mean the same for every
/// robot that has the links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DisabledPairs {
    /// The names of each pair in ascending order.
    pairs: HashSet<[String; 2]>,
    /// Names that the robot has not, and other peculiarities.
    pub notes: Vec<String>,
}

impl DisabledPairs {
    /// Excludes a pair of links.
    ///
    /// ```
    /// use clearance_robot::DisabledPairs;
    /// let mut disabled = DisabledPairs::default();
    /// disabled.insert("hand", "camera");
    /// assert!(disabled.contains("camera", "hand"));
    /// disabled.remove("camera", "hand");
    /// assert!(!disabled.contains("hand", "camera"));
    /// ```
    pub fn insert(&mut self, link_a: &str, link_b: &str) {
        self.pairs.insert(sorted(link_a, link_b));
    }

    /// Takes a pair in again.
    pub fn remove(&mut self, link_a: &str, link_b: &str) {
        self.pairs.remove(&sorted(link_a, link_b));
    }

    /// Whether a pair is excluded.
    pub fn contains(&self, link_a: &str, link_b: &str) -> bool {
        self.pairs.contains(&sorted(link_a, link_b))
    }

    /// The pairs that are excluded, each with its names in ascending order.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = [&str; 2]> {
        self.pairs.iter().map(|pair| pair.each_ref().map(String::as_str))
    }

    /// The pairs as `[smaller, larger]` numbers of a robot's links; it need not have them all.
    pub(crate) fn of(&self, robot: &Robot) -> HashSet<[usize; 2]> {
        let numbers = |[a, b]: &[String; 2]| Some([robot.link_index(a)?, robot.link_index(b)?]);
        self.pairs.iter().filter_map(numbers).map(|[a, b]| [a.min(b), a.max(b)]).collect()
    }
}

/// Two names in ascending order: pairs are unordered.
pub(crate) fn sorted(a: &str, b: &str) -> [String; 2] {
    if a <= b { [a.to_owned(), b.to_owned()] } else { [b.to_owned(), a.to_owned()] }
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

    /// Where a body is, given the poses of all links: the frame of its first link, which its moving
    /// joint carries. Panics if `body` or the number of poses is wrong.
    pub fn body_pose<'p>(&self, link_poses: &'p [Pose], body: usize) -> &'p Pose {
        &link_poses[self.bodies[body].links[0]]
    }

    /// Where each link is in the frame of its body, which never changes.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3};
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

    /// Whether no other link of its body has geometry: what holds for a body then holds for the
    /// link. Panics if `link` is out of range.
    pub fn is_alone(&self, link: usize) -> bool {
        let together = &self.bodies[self.body_of(link)].links;
        together.iter().all(|&other| other == link || self.links[other].geometries.is_empty())
    }

    /// Whether two links may move against each other other than by the one joint between them.
    pub fn are_checked(&self, link_a: usize, link_b: usize) -> bool {
        let [a, b] = [link_a, link_b].map(|link| self.body_of(link));
        a != b && self.bodies[a].parent != Some(b) && self.bodies[b].parent != Some(a)
    }

    /// The pairs of links with geometry that can collide, `[smaller, larger]` in ascending order,
    /// without those that [`Srdf::disabled_pairs`](crate::Srdf::disabled_pairs) gives;
    /// `DisabledPairs::default()` disables none.
    pub fn checked_link_pairs(&self, disabled: &DisabledPairs) -> Vec<[usize; 2]> {
        let disabled = disabled.of(self);
        let solid: Vec<usize> = (0..self.links.len()).filter(|&link| !self.links[link].geometries.is_empty()).collect();
        let pairs = solid.iter().enumerate().flat_map(|(i, &a)| solid[i + 1..].iter().map(move |&b| [a, b]));
        pairs.filter(|pair| self.are_checked(pair[0], pair[1]) && !disabled.contains(pair)).collect()
    }
}

/// The bodies of a tree, whose joint `j` carries link `j + 1` from the link `parents[j]`, and the
/// body of each link.
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
