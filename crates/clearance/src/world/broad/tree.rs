//! A tree of boxes that changes with its bodies.
//!
//! A leaf that comes goes down to where it adds least surface (Goldsmith and Salmon's heuristic, 1987), and on the way back up a child is
//! exchanged with a grandchild where that makes a node smaller (Kensler, *Tree rotations*, 2008; Catto, *Dynamic bounding volume hierarchies*,
//! 2019). A leaf that moves stays in its place as long as the box three levels above holds it, else it is taken out and put in again.
//!
//! Invariant: the box of an inner node is the smallest one around its two children.
//! Cost: the depth of the tree for each change, and the nodes that a changed box overlaps for the search.

use super::{BroadPhase, Tracked};
use crate::world::WorldBox;

const NONE: u32 = u32::MAX;

/// A leaf that moves keeps its place as long as its ancestor of this degree holds it.
const STAYS: usize = 3;

#[derive(Clone, Copy)]
struct Node {
    bounds: WorldBox,
    parent: u32,
    /// `[NONE, body]` in a leaf.
    children: [u32; 2],
}

impl Node {
    #[inline]
    fn is_leaf(&self) -> bool {
        self.children[0] == NONE
    }
}

/// A binary tree of boxes.
pub struct TreeOfBoxes {
    nodes: Vec<Node>,
    root: u32,
    free: Vec<u32>,
    /// The leaf of each body.
    leaves: Vec<u32>,
    /// Bodies too large for a tree: floors, walls without end.
    large: Vec<u32>,
    stack: Vec<u32>,
}

impl Default for TreeOfBoxes {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            root: NONE,
            free: Vec::new(),
            leaves: Vec::new(),
            large: Vec::new(),
            stack: Vec::new(),
        }
    }
}

impl BroadPhase for TreeOfBoxes {
    fn update(&mut self, tracked: &Tracked, changed: &[u32], found: &mut Vec<[u32; 2]>) {
        self.leaves.resize(tracked.now.len(), NONE);
        for &body in changed {
            self.place(body, &tracked.now[body as usize]);
        }
        let mut stack = std::mem::take(&mut self.stack);
        for &body in changed {
            let bounds = &tracked.now[body as usize];
            if bounds.is_empty() {
                continue;
            }
            self.search(bounds, &mut stack, |other| {
                if tracked.is_new_from(body, other) {
                    found.push([body, other]);
                }
            });
        }
        self.stack = stack;
    }

    fn overlapping(&self, tracked: &Tracked, region: &WorldBox, found: &mut Vec<u32>) {
        self.search(region, &mut Vec::new(), |body| {
            if tracked.now[body as usize].overlaps(region) {
                found.push(body);
            }
        });
    }
}

impl TreeOfBoxes {
    /// Names every body whose box overlaps `region`, and all large ones.
    #[inline]
    fn search(&self, region: &WorldBox, stack: &mut Vec<u32>, mut hit: impl FnMut(u32)) {
        self.large.iter().for_each(|&body| hit(body));
        if self.root == NONE || !self.nodes[self.root as usize].bounds.overlaps(region) {
            return;
        }
        stack.clear();
        stack.push(self.root);
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at as usize];
            if node.is_leaf() {
                hit(node.children[1]);
                continue;
            }
            for child in node.children {
                if self.nodes[child as usize].bounds.overlaps(region) {
                    stack.push(child);
                }
            }
        }
    }

    /// Puts a body where its box is now: into the tree, among the large ones, or nowhere.
    fn place(&mut self, body: u32, bounds: &WorldBox) {
        let leaf = self.leaves[body as usize];
        let belongs = !bounds.is_empty() && !bounds.is_large();
        if belongs && leaf != NONE && self.stays(leaf, bounds) {
            self.nodes[leaf as usize].bounds = *bounds;
            return self.refit_above(leaf);
        }
        if leaf != NONE {
            self.take_out(leaf);
            self.leaves[body as usize] = NONE;
        } else {
            self.large.retain(|&other| other != body);
        }
        if belongs {
            let leaf = self.new_node(Node { bounds: *bounds, parent: NONE, children: [NONE, body] });
            self.leaves[body as usize] = leaf;
            self.put_in(leaf);
        } else if !bounds.is_empty() {
            self.large.push(body);
        }
    }

    /// Whether a leaf with a new box is still well placed.
    fn stays(&self, leaf: u32, bounds: &WorldBox) -> bool {
        let mut at = leaf;
        for _ in 0..STAYS {
            match self.nodes[at as usize].parent {
                NONE => return true,
                parent => at = parent,
            }
        }
        self.nodes[at as usize].bounds.contains(bounds)
    }

    fn new_node(&mut self, node: Node) -> u32 {
        if let Some(at) = self.free.pop() {
            self.nodes[at as usize] = node;
            return at;
        }
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    fn area_with(&self, node: u32, bounds: &WorldBox) -> f32 {
        self.nodes[node as usize].bounds.with(bounds).half_area()
    }

    /// The node that a new leaf becomes the sibling of.
    fn best_sibling(&self, bounds: &WorldBox) -> u32 {
        let (mut at, mut added) = (self.root, 0.0);
        loop {
            let node = &self.nodes[at as usize];
            if node.is_leaf() {
                return at;
            }
            let whole = self.area_with(at, bounds);
            // What all nodes from here up grow by, if it goes farther down.
            let below = added + whole - node.bounds.half_area();
            let cost = |child: u32| {
                let child_node = &self.nodes[child as usize];
                let own = if child_node.is_leaf() { 0.0 } else { child_node.bounds.half_area() };
                below + self.area_with(child, bounds) - own
            };
            let [left, right] = node.children.map(cost);
            if added + whole <= left.min(right) {
                return at;
            }
            added = below;
            at = node.children[usize::from(right < left)];
        }
    }

    fn put_in(&mut self, leaf: u32) {
        if self.root == NONE {
            self.root = leaf;
            return;
        }
        let bounds = self.nodes[leaf as usize].bounds;
        let sibling = self.best_sibling(&bounds);
        let parent = self.nodes[sibling as usize].parent;
        let both =
            Node { bounds: self.nodes[sibling as usize].bounds.with(&bounds), parent, children: [sibling, leaf] };
        let group = self.new_node(both);
        self.replace_child(parent, sibling, group);
        self.nodes[sibling as usize].parent = group;
        self.nodes[leaf as usize].parent = group;
        let mut at = parent;
        while at != NONE {
            self.rotate(at);
            // Above a node that did not grow nothing has changed.
            if !self.fit(at) {
                return;
            }
            at = self.nodes[at as usize].parent;
        }
    }

    fn take_out(&mut self, leaf: u32) {
        let parent = self.nodes[leaf as usize].parent;
        self.free.push(leaf);
        if parent == NONE {
            self.root = NONE;
            return;
        }
        let Node { parent: above, children, .. } = self.nodes[parent as usize];
        let sibling = children[usize::from(children[0] == leaf)];
        self.nodes[sibling as usize].parent = above;
        self.replace_child(above, parent, sibling);
        self.free.push(parent);
        self.refit_above(sibling);
    }

    fn replace_child(&mut self, parent: u32, old: u32, new: u32) {
        match self.nodes.get_mut(parent as usize) {
            Some(node) => node.children[usize::from(node.children[1] == old)] = new,
            None => self.root = new,
        }
    }

    /// Gives a node the box around its children; whether it is another one than before.
    fn fit(&mut self, node: u32) -> bool {
        let [a, b] = self.nodes[node as usize].children.map(|child| self.nodes[child as usize].bounds);
        let fitted = a.with(&b);
        let node = &mut self.nodes[node as usize].bounds;
        std::mem::replace(node, fitted) != fitted
    }

    fn refit_above(&mut self, node: u32) {
        let mut at = self.nodes[node as usize].parent;
        while at != NONE && self.fit(at) {
            at = self.nodes[at as usize].parent;
        }
    }

    /// Exchanges a child of a node with a child of the other one, if that one becomes smaller by it.
    fn rotate(&mut self, node: u32) {
        let children = self.nodes[node as usize].children;
        let (mut best, mut least) = (None, 0.0);
        for side in 0..2 {
            let (mover, group) = (children[side], children[1 - side]);
            let group_node = self.nodes[group as usize];
            if group_node.is_leaf() {
                continue;
            }
            let bounds = self.nodes[mover as usize].bounds;
            for lane in 0..2 {
                // The other grandchild stays, with the mover as its new sibling.
                let change = self.area_with(group_node.children[1 - lane], &bounds) - group_node.bounds.half_area();
                if change < least {
                    (best, least) = (Some((side, lane)), change);
                }
            }
        }
        let Some((side, lane)) = best else { return };
        let (mover, group) = (children[side], children[1 - side]);
        let grandchild = std::mem::replace(&mut self.nodes[group as usize].children[lane], mover);
        self.nodes[node as usize].children[side] = grandchild;
        self.nodes[mover as usize].parent = group;
        self.nodes[grandchild as usize].parent = node;
        self.fit(group);
    }
}
