//! Which pairs of a robot's parts can collide at all: what self-collision skips without a look.
//!
//! Three things prune. The seeds of the traversal leave out bodies that a joint connects. The
//! [rules](Rules) leave out pairs that an SRDF file or the user disables. Gaps that are proven for
//! all configurations within the limits leave out pairs that no configuration brings together.

use super::Part;
use super::rules::Rules;
use crate::Robot;
use clearance_engine::assembly::{Assembly, AssemblyBuilder, Pairing};
use clearance_engine::traversal::NodePair;
use clearance_engine::tree::Node;

/// Pairs within the robot.
pub(super) struct Inward<'a> {
    pub(super) rules: &'a Rules,
    /// By pair of nodes, or empty where nothing proven holds (outside of the limits).
    pub(super) gaps: &'a [f32],
    pub(super) nodes: usize,
}

impl Pairing for Inward<'_> {
    #[inline]
    fn offset(&self, part_a: u32, part_b: u32) -> Option<f64> {
        self.rules.offset(part_a, part_b)
    }

    fn largest_offset(&self) -> f64 {
        self.rules.largest
    }

    #[inline]
    fn proven_gap(&self, a: Node, b: Node) -> f64 {
        self.gaps.get(a as usize * self.nodes + b as usize).map_or(f64::NEG_INFINITY, |gap| f64::from(*gap))
    }
}

/// Gaps of pairs of parts as those of pairs of nodes, row by row.
///
/// A node's gaps are the least of its children's, so that each of the pairs of nodes is looked at
/// once.
pub(super) fn node_gaps(assembly: &Assembly, gap_of_parts: impl Fn(u32, u32) -> f32) -> Vec<f32> {
    let nodes = assembly.node_count();
    let mut gaps = vec![f32::INFINITY; nodes * nodes];
    let upward = assembly.upward();
    for &a in &upward {
        let row = a as usize * nodes;
        if let Some(part) = assembly.part_of(a) {
            for &b in &upward {
                let children = assembly.children_of(b).iter().map(|&child| gaps[row + child as usize]);
                let least = children.fold(f32::INFINITY, f32::min);
                gaps[row + b as usize] = assembly.part_of(b).map_or(least, |other| gap_of_parts(part, other));
            }
        }
        for &child in assembly.children_of(a) {
            for b in 0..nodes {
                gaps[row + b] = gaps[row + b].min(gaps[child as usize * nodes + b]);
            }
        }
    }
    gaps
}

/// A tree that follows the robot's: a node for each body's parts (R), and one for each branch (M).
/// The seeds are the three steps of Steinbach et al., all levels at once: what belongs to a body
/// against the branches two joints down, and branches from the same body against each other. What a
/// link carries is looked at against neighbours too: one seed for each such pair.
pub(super) fn kinematic_assembly(robot: &Robot, parts: &[Part], rules: &Rules) -> (Assembly, Vec<NodePair>) {
    let bodies = robot.bodies();
    let mut builder = AssemblyBuilder::default();
    let mut nodes_of_body: Vec<Vec<Node>> = vec![Vec::new(); bodies.len()];
    let mut leaves = Vec::with_capacity(parts.len());
    for part in parts {
        let node = builder.part(part.geometry.clone(), part.link_from_part);
        nodes_of_body[robot.body_of(part.link)].push(node);
        leaves.push(node);
    }
    let own: Vec<Option<Node>> = nodes_of_body.iter().map(|nodes| builder.group(nodes)).collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); bodies.len()];
    let mut branch: Vec<Option<Node>> = vec![None; bodies.len()];
    // Bodies stand parents first.
    for body in (0..bodies.len()).rev() {
        let below: Vec<Node> = own[body].into_iter().chain(children[body].iter().filter_map(|&c| branch[c])).collect();
        branch[body] = builder.group(&below);
        if let Some(parent) = bodies[body].parent() {
            children[parent].push(body);
        }
    }
    let mut seeds = Vec::new();
    let mut seed = |a: Option<Node>, b: Option<Node>| seeds.extend(a.zip(b).map(|(a, b)| NodePair::new(a, b)));
    for body in 0..bodies.len() {
        for (i, &child) in children[body].iter().enumerate() {
            children[child].iter().for_each(|&grandchild| seed(own[body], branch[grandchild]));
            children[body][..i].iter().for_each(|&sibling| seed(branch[sibling], branch[child]));
        }
    }
    for (a, b) in rules.pairs().map(|(a, b)| (a as usize, b as usize)) {
        if !robot.are_checked(parts[a].link, parts[b].link) {
            seeds.push(NodePair::new(leaves[a], leaves[b]));
        }
    }
    (builder.build(branch[0]), seeds)
}
