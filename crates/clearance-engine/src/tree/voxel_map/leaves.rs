//! Iteration over all stored contents, in Morton order.

use super::cell::{Cell, Cells, Probabilities};
use super::evidence::{Evidence, lanes};
use super::node::{Key, Link, Target, cell_of, lane_key};
use super::store::VoxelTree;
use super::view::VoxelLeaf;

/// The remaining nodes and leaves, the next one last.
enum Task {
    Node(Link),
    Leaf(VoxelLeaf, Option<Probabilities>),
}

/// The cubes of equal cells: the chosen ones; or, without a choice, all that are not background,
/// and those with a measurement, as they are stored: cell by cell in a brick, whole lanes of a
/// fork.
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

    /// The evidence of a node, if the iteration includes it.
    fn kept(&self, number: u32) -> Option<&'a Evidence> {
        if self.cells.is_some() { None } else { self.tree.evidence_of(number) }
    }

    fn push(&mut self, low: Key, side: u32, cell: Cell, measured: Option<Probabilities>) {
        if measured.is_some() || self.wants(cell) {
            self.stack.push(Task::Leaf(VoxelLeaf { low: cell_of(low), side, cell }, measured));
        }
    }

    fn open_fork(&mut self, number: u32) {
        let fork = &self.tree.forks[number];
        let wanted = self.cells.map_or(fork.present, |cells| fork.masks.chosen(cells));
        let evidence = self.kept(fork.evidence);
        for lane in lanes(wanted.reverse_bits()).map(|lane| 63 - lane) {
            match fork.children[lane].target() {
                Target::Uniform(cell) => {
                    let measured = evidence.and_then(|evidence| evidence.get(lane));
                    self.push(lane_key(fork.key, fork.level, lane), 1 << (2 * fork.level), cell, measured);
                }
                _ => self.stack.push(Task::Node(fork.children[lane])),
            }
        }
    }

    fn open_brick(&mut self, number: u32) {
        let brick = &self.tree.bricks[number];
        let evidence = self.kept(brick.evidence);
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
