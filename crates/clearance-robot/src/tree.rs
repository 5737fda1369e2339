//! Finds the tree that joints make of links, or says why they make none. Cost: linear, without
//! recursion.

use crate::builder::{JointSpec, LinkSpec};
use crate::{Error, ErrorKind, Result};
use std::collections::HashMap;

/// The order depth first, children in the order of their joints. Entries of `links` and `joints`
/// are the given numbers, all others are places in this order; joint `j` carries link `j + 1`.
pub(crate) struct Tree {
    pub links: Vec<usize>,
    pub joints: Vec<usize>,
    /// The link that carries each joint.
    pub parents: Vec<usize>,
    /// One past the last link of each link's subtree.
    pub subtree_ends: Vec<usize>,
}

/// The names that an error lists before it goes on with "…".
const MAX_NAMES: usize = 8;

pub(crate) fn find_tree(links: &[LinkSpec], joints: &[JointSpec], numbers: &HashMap<String, usize>) -> Result<Tree> {
    let Edges { above, below } = edges(links, joints, numbers)?;
    let root = find_root(links, joints, numbers, &above)?;
    let tree = walk(root, joints, numbers, &below);
    if tree.links.len() == links.len() {
        return Ok(tree);
    }
    let mut reached = vec![false; links.len()];
    tree.links.iter().for_each(|&link| reached[link] = true);
    // Every link that is not reached has a joint above it, so that upwards there is no end.
    let lost = reached.iter().position(|reached| !reached).unwrap_or(root);
    Err(cycle(lost, joints, numbers, &above))
}

/// The joint above each link, and the joints below it.
struct Edges {
    above: Vec<Option<usize>>,
    below: Vec<Vec<usize>>,
}

fn edges(links: &[LinkSpec], joints: &[JointSpec], numbers: &HashMap<String, usize>) -> Result<Edges> {
    let mut edges = Edges { above: vec![None; links.len()], below: vec![Vec::new(); links.len()] };
    for (number, joint) in joints.iter().enumerate() {
        let find = |name: &String, role: &str| {
            let reason = || format!("its {role} link '{name}' does not exist; add the link or correct the name");
            numbers.get(name).copied().ok_or_else(|| error(ErrorKind::Unknown, joint, reason()))
        };
        let (parent, child) = (find(&joint.parent, "parent")?, find(&joint.child, "child")?);
        if parent == child {
            let reason = format!("its parent and its child are the same link '{}'; correct one of them", joint.child);
            return Err(error(ErrorKind::Structure, joint, reason));
        }
        if let Some(other) = edges.above[child] {
            let reason = format!(
                "its child link '{}' is the child of joint '{}' already; a link hangs on one joint only",
                joint.child, joints[other].name
            );
            return Err(error(ErrorKind::Structure, joint, reason));
        }
        edges.above[child] = Some(number);
        edges.below[parent].push(number);
    }
    Ok(edges)
}

fn find_root(
    links: &[LinkSpec],
    joints: &[JointSpec],
    numbers: &HashMap<String, usize>,
    above: &[Option<usize>],
) -> Result<usize> {
    let roots: Vec<usize> = (0..links.len()).filter(|&link| above[link].is_none()).collect();
    match roots[..] {
        [root] => Ok(root),
        [] if links.is_empty() => Err(Error::new(ErrorKind::Missing, "the robot has no link; add at least one")),
        [] => Err(cycle(0, joints, numbers, above)),
        [_, second, ..] => {
            let names = list(roots.iter().map(|&link| &links[link].name));
            let reason = format!(
                "the links {names} are not the child of any joint; a robot has one root: connect the others by joints (fixed \
                 ones, if they do not move) or remove them"
            );
            Err(Error::new(ErrorKind::Structure, reason).of(links[second].label()).at_line(links[second].line))
        }
    }
}

/// The error for a circle, met upwards from `link`.
fn cycle(link: usize, joints: &[JointSpec], numbers: &HashMap<String, usize>, above: &[Option<usize>]) -> Error {
    let up = |joint: usize| numbers.get(&joints[joint].parent).and_then(|&parent| above[parent]);
    let path: Vec<usize> = std::iter::successors(above[link], |&joint| up(joint)).take(joints.len() + 1).collect();
    // After as many steps as there are joints the path is inside of the circle.
    let Some(&start) = path.last() else { return Error::new(ErrorKind::Structure, "the joints go in a circle") };
    let mut circle = vec![start];
    circle.extend(std::iter::successors(up(start), |&joint| up(joint)).take_while(|&joint| joint != start));
    let first = &joints[circle.iter().copied().min().unwrap_or(start)];
    circle.reverse();
    let names = list(circle.iter().map(|&joint| &joints[joint].name));
    let reason = format!("the joints {names} go in a circle; correct the parent or the child of one of them");
    error(ErrorKind::Structure, first, reason)
}

fn walk(root: usize, joints: &[JointSpec], numbers: &HashMap<String, usize>, below: &[Vec<usize>]) -> Tree {
    let mut tree = Tree { links: vec![root], joints: Vec::new(), parents: Vec::new(), subtree_ends: Vec::new() };
    // The last child is pushed first, so that the first one is taken first.
    let mut open: Vec<(usize, usize)> = below[root].iter().rev().map(|&joint| (joint, 0)).collect();
    while let Some((joint, parent)) = open.pop() {
        let Some(&child) = numbers.get(&joints[joint].child) else { continue };
        let place = tree.links.len();
        tree.links.push(child);
        tree.joints.push(joint);
        tree.parents.push(parent);
        open.extend(below[child].iter().rev().map(|&joint| (joint, place)));
    }
    tree.subtree_ends = (1..=tree.links.len()).collect();
    for link in (1..tree.links.len()).rev() {
        let parent = tree.parents[link - 1];
        tree.subtree_ends[parent] = tree.subtree_ends[parent].max(tree.subtree_ends[link]);
    }
    tree
}

fn error(kind: ErrorKind, joint: &JointSpec, reason: String) -> Error {
    Error::new(kind, reason).of(joint.label()).at_line(joint.line)
}

/// `'a', 'b', 'c'`.
pub(crate) fn list<'a>(names: impl ExactSizeIterator<Item = &'a String>) -> String {
    let more = if names.len() > MAX_NAMES { ", …" } else { "" };
    let names: Vec<String> = names.take(MAX_NAMES).map(|name| format!("'{name}'")).collect();
    names.join(", ") + more
}
