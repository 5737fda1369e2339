//! Walks over everything that is stored, in Morton order.

use super::cell::{Cell, Cells, Probabilities};
use super::evidence::lanes;
use super::node::{Key, Link, NO_EVIDENCE, Target, cell_of, lane_key};
use super::store::VoxelTree;
use super::view::VoxelLeaf;

/// What is left to do, the next one last.
enum Task {
    Node(Link),
    Leaf(VoxelLeaf, Option<Probabilities>),
}

/// The cubes of equal cells: those that are chosen; or all that are not background, and every cell of which anything was measured.
pub(super) struct Leaves<'a> {
    tree: &'a VoxelTree,
    cells: Option<Cells>,
    stack: Vec<Task>,
}

impl<'a> Leaves<'a> {
    pub(super) fn new(tree: &'a VoxelTree, cells: Option<Cells>) -> Self {
        Self { tree, cells, stack: vec![Task::Node(tree.root)] }
    }

    fn wants(&self, cell: Cell) -> bool {
        self.cells.map_or(cell != self.tree.background, |cells| cells.contains(cell))
    }

    fn push(&mut self, low: Key, side: u32, cell: Cell, measured: Option<Probabilities>) {
        if measured.is_some() || self.wants(cell) {
            self.stack.push(Task::Leaf(VoxelLeaf { low: cell_of(low), side, cell }, measured));
        }
    }

    fn open_fork(&mut self, number: u32) {
        let fork = &self.tree.forks[number];
        let wanted = self.cells.map_or(fork.present, |cells| fork.masks.chosen(cells));
        for lane in lanes(wanted.reverse_bits()).map(|lane| 63 - lane) {
            match fork.children[lane].target() {
                Target::Uniform(cell) => {
                    self.push(lane_key(fork.key, fork.level, lane), 1 << (2 * fork.level), cell, None);
                }
                _ => self.stack.push(Task::Node(fork.children[lane])),
            }
        }
    }

    fn open_brick(&mut self, number: u32) {
        let brick = &self.tree.bricks[number];
        let tree = self.tree;
        let evidence = (self.cells.is_none() && brick.evidence != NO_EVIDENCE).then(|| &tree.evidence[brick.evidence]);
        let measured = evidence.map_or(0, |evidence| evidence.measured);
        if let (Some(cell), 0) = (brick.masks.uniform(u64::MAX), measured) {
            return self.push(brick.key, 4, cell, None);
        }
        for octant in (0..8).rev() {
            let within = 0xff << (8 * octant);
            if let (Some(cell), 0) = (brick.masks.uniform(within), measured & within) {
                self.push(lane_key(brick.key, 0, 8 * octant), 2, cell, None);
                continue;
            }
            for lane in (8 * octant..8 * octant + 8).rev() {
                let probabilities = evidence.and_then(|evidence| evidence.get(lane));
                self.push(lane_key(brick.key, 0, lane), 1, brick.masks.cell(lane), probabilities);
            }
        }
    }
}

impl Iterator for Leaves<'_> {
    type Item = (VoxelLeaf, Option<Probabilities>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.stack.pop()? {
                Task::Leaf(leaf, probabilities) => return Some((leaf, probabilities)),
                Task::Node(link) => match link.target() {
                    Target::Fork(number) => self.open_fork(number),
                    Target::Brick(number) => self.open_brick(number),
                    Target::Uniform(_) => {}
                },
            }
        }
    }
}
