//! Views of a voxel map: the chosen cells as a tree of boxes, for traversals. A view builds
//! nothing; nodes are numbers.
//!
//! A node number is the number of a brick or fork (25 bits) and a part of it (7 bits): all of it,
//! one of its octants, or one of its lanes. So every node has at most eight children, and boxes are
//! tight around the lanes with chosen cells. A view skips levels with one child. A leaf is a cell,
//! or a larger cube whose cells are all of one chosen kind.

use super::cell::{Cell, Cells};
use super::grid::VoxelBox;
use super::leaves::Leaves;
use super::node::{
    CellSphere, Edges, Key, Link, Masks, Range, TOP, Target, block_edges, cell_of, lane_key, lanes_edges, octant_edges,
};
use super::store::VoxelTree;
use crate::math::{DVec3, IVec3};
use crate::tree::{MAX_CHILDREN, Node, Tree};
use smallvec::SmallVec;

/// The root of a view without cells: it has no children and is no leaf.
pub(super) const EMPTY: Node = Node::MAX;
const PART_BITS: u32 = 7;
const ALL: u32 = 0;
const FIRST_OCTANT: u32 = 1;
const FIRST_LANE: u32 = 9;

/// The chosen cells of a [`VoxelTree`] as a tree of boxes; see [`VoxelTree::view`].
#[derive(Debug, Clone, Copy)]
pub struct VoxelView<'a> {
    tree: &'a VoxelTree,
    cells: Cells,
    /// The view leaves out cells outside of it, except within uniform cubes.
    range: Range,
}

/// A cube of cells that are all of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VoxelLeaf {
    /// The first cell along every axis.
    pub low: IVec3,
    /// The number of cells along every axis: a power of two.
    pub side: u32,
    /// The kind of the cells.
    pub cell: Cell,
}

/// The children of a node with their boxes.
#[derive(Debug, Clone, Default)]
pub struct VoxelChildren {
    /// The numbers of the children, as [`Tree::child`] returns them.
    pub nodes: SmallVec<[Node; MAX_CHILDREN]>,
    /// The boxes of the children.
    pub boxes: SmallVec<[VoxelBox; MAX_CHILDREN]>,
}

/// Up to eight nodes.
pub(super) type Nodes = SmallVec<[Node; MAX_CHILDREN]>;

/// The edges around the whole view, and the number of cells in their unit: large enough that `f32`
/// holds the number of edges.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub first: [i64; 3],
    pub last: [i64; 3],
    /// The unit is 2^`shift` cells.
    pub shift: u32,
}

/// Edges of up to eight boxes in lanes, counted from the first ones of an extent, rounded outward.
#[derive(Debug)]
pub(super) struct EdgeLanes {
    extent: Extent,
    /// Axis, lane.
    pub(super) low: [[i32; MAX_CHILDREN]; 3],
    pub(super) high: [[i32; MAX_CHILDREN]; 3],
    pub(super) count: usize,
}

impl EdgeLanes {
    #[inline(always)]
    pub(super) fn new(extent: Extent) -> Self {
        Self { extent, low: [[0; MAX_CHILDREN]; 3], high: [[0; MAX_CHILDREN]; 3], count: 0 }
    }

    /// Adds the box of some edges, clipped to the extent.
    #[inline(always)]
    pub(super) fn push(&mut self, (low, high): &Edges) {
        let Extent { first, last, shift } = self.extent;
        let (lane, up) = (self.count & (MAX_CHILDREN - 1), (1 << shift) - 1);
        for axis in 0..3 {
            self.low[axis][lane] = ((low[axis].clamp(first[axis], last[axis]) - first[axis]) >> shift) as i32;
            self.high[axis][lane] = ((high[axis].clamp(first[axis], last[axis]) - first[axis] + up) >> shift) as i32;
        }
        self.count += 1;
    }
}

/// A brick or fork, and the lanes of it that a node number selects.
struct Part {
    link: Link,
    part: u32,
    key: Key,
    level: u32,
    masks: Masks,
    /// Uniform lanes.
    uniform: u64,
    /// Selected lanes.
    within: u64,
    /// Selected lanes in range.
    in_range: u64,
}

impl<'a> VoxelView<'a> {
    pub(super) fn new(tree: &'a VoxelTree, cells: Cells) -> Self {
        Self { tree, cells, range: Range::ALL }
    }

    /// The view without cells outside of `range`.
    #[inline(always)]
    pub(super) fn within(self, range: Range) -> Self {
        Self { range, ..self }
    }

    /// The voxel tree.
    pub fn tree(&self) -> &'a VoxelTree {
        self.tree
    }

    /// The kinds of cells that the view includes.
    pub fn cells(&self) -> Cells {
        self.cells
    }

    /// Whether the view has no cells: then the root has no children and is no leaf.
    pub fn is_empty(&self) -> bool {
        Tree::root(self) == EMPTY
    }

    /// The low and high ends of a box around the chosen cells of a node: exactly the edges of
    /// [`Grid::low_end`](super::Grid::low_end).
    pub fn ends(&self, node: Node) -> (DVec3, DVec3) {
        let (low, high) = self.edges(node);
        self.tree.grid.ends(low, high)
    }

    /// A box around the chosen cells of a node, rounded outward. A leaf fills its box.
    #[inline]
    pub fn enclosing(&self, node: Node) -> VoxelBox {
        let (low, high) = self.edges(node);
        self.tree.grid.enclosing(low, high)
    }

    /// The children of a node with their boxes; none for a leaf.
    #[inline]
    pub fn open(&self, node: Node) -> VoxelChildren {
        let nodes = if self.is_leaf(node) { SmallVec::new() } else { self.expand(node) };
        let boxes = nodes.iter().map(|&child| self.enclosing(child)).collect();
        VoxelChildren { nodes, boxes }
    }

    /// Whether any number can be that of a node.
    pub(super) fn contains(&self, node: Node) -> bool {
        let part = node & ((1 << PART_BITS) - 1);
        part < FIRST_LANE + 64
            && match Link::from_bits(node >> PART_BITS).target() {
                Target::Brick(number) => self.tree.bricks.contains(number),
                Target::Fork(number) => self.tree.forks.contains(number),
                Target::Uniform(_) => false,
            }
    }

    /// Whether a node is a leaf, or has all of its cubes in one octant of a brick, so that there
    /// are at most eight.
    #[inline(always)]
    pub(super) fn is_group(&self, node: Node) -> bool {
        self.part(node).is_some_and(|part| {
            part.leaf(self.cells).is_some() || part.level == 0 && in_one_octant(part.chosen(self.cells))
        })
    }

    /// The cubes of such a node; the children of any other.
    #[inline]
    pub(super) fn cubes(&self, node: Node) -> Nodes {
        match self.part(node) {
            Some(part) if part.leaf(self.cells).is_some() => SmallVec::from_slice(&[node]),
            Some(part) => match part.whole_octant(self.cells) {
                Some(octant) => SmallVec::from_slice(&[part.link.bits() << PART_BITS | (FIRST_OCTANT + octant)]),
                None => self.expand(node),
            },
            None => SmallVec::new(),
        }
    }

    /// The edges around each of the [`cubes`](Self::cubes), in their order. The masks of a brick
    /// alone define them.
    #[inline(always)]
    pub(super) fn cube_edges(&self, node: Node, lanes: &mut EdgeLanes) {
        let Some(part) = self.part(node) else { return };
        let chosen = part.chosen(self.cells);
        let are_lanes = in_one_octant(chosen);
        if part.leaf(self.cells).is_some() || are_lanes && part.whole_octant(self.cells).is_some() {
            return lanes.push(&lanes_edges(part.key, part.level, chosen));
        }
        let mut rest = chosen;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let octant = lane / 8;
            let byte = if are_lanes { 1 << (lane % 8) } else { (chosen >> (8 * octant)) as u8 };
            rest &= !(u64::from(byte) << (8 * octant));
            lanes.push(&if part.level > 0 && byte.is_power_of_two() {
                // A lane that is alone in its octant is the node itself, whose box is tighter.
                self.edges(self.lane(part.link, lane))
            } else {
                octant_edges(part.key, part.level, octant, byte)
            });
        }
    }

    /// Whether a chosen cell below a node is in range and overlaps a sphere.
    pub(super) fn overlaps(&self, node: Node, sphere: &CellSphere) -> bool {
        let Some(part) = self.part(node) else { return false };
        let uniform = |lane: usize| part.uniform >> lane & 1 == 1;
        super::evidence::lanes(part.chosen(self.cells)).any(|lane| {
            sphere.meets(lane_key(part.key, part.level, lane), part.level)
                && (uniform(lane) || self.overlaps(self.lane(part.link, lane), sphere))
        })
    }

    /// The cells of a leaf.
    pub fn leaf(&self, node: Node) -> Option<VoxelLeaf> {
        let part = self.part(node)?;
        let cell = part.leaf(self.cells)?;
        let first = part.within.trailing_zeros() as usize;
        let side = match part.part {
            ALL => 4,
            FIRST_LANE.. => 1,
            _ => 2,
        };
        Some(VoxelLeaf { low: cell_of(lane_key(part.key, part.level, first)), side: side << (2 * part.level), cell })
    }

    /// All leaves, in an order that the cells alone determine.
    pub fn leaves(&self) -> impl Iterator<Item = VoxelLeaf> + use<'a> {
        Leaves::new(self.tree, Some(self.cells)).map(|(leaf, _)| leaf)
    }

    /// The number of chosen cells.
    pub fn count(&self) -> u128 {
        self.leaves().map(|leaf| u128::from(leaf.side).pow(3)).sum()
    }

    /// The first and the last chosen cell along every axis.
    pub fn extent(&self) -> Option<(IVec3, IVec3)> {
        let mut extent: Option<([i64; 3], [i64; 3])> = None;
        let mut stack = vec![Tree::root(self)];
        while let Some(node) = stack.pop() {
            let (low, high) = self.edges(node);
            let inside = |&(from, to): &([i64; 3], [i64; 3])| {
                (0..3).all(|axis| from[axis] <= low[axis] && high[axis] <= to[axis])
            };
            if extent.as_ref().is_some_and(inside) {
                continue;
            }
            if self.is_leaf(node) {
                let (from, to) = extent.unwrap_or((low, high));
                extent = Some((
                    [0, 1, 2].map(|axis| from[axis].min(low[axis])),
                    [0, 1, 2].map(|axis| to[axis].max(high[axis])),
                ));
            } else {
                stack.extend(self.expand(node));
            }
        }
        let cell = |edge: [i64; 3]| IVec3::from_array(edge.map(|index| index as i32));
        extent.map(|(low, high)| (cell(low), cell(high.map(|edge| edge - 1))))
    }

    /// The edges around the chosen cells of a node.
    #[inline]
    pub(super) fn edges(&self, node: Node) -> Edges {
        let Some(part) = self.part(node) else { return ([0; 3], [0; 3]) };
        if part.part >= FIRST_LANE {
            let lane = part.within.trailing_zeros() as usize;
            return block_edges(lane_key(part.key, part.level, lane), 1 << (2 * part.level));
        }
        let chosen = part.chosen(self.cells);
        if chosen == 0 {
            return ([0; 3], [0; 3]);
        }
        lanes_edges(part.key, part.level, chosen)
    }

    #[inline(always)]
    fn part(&self, node: Node) -> Option<Part> {
        if node == EMPTY {
            return None;
        }
        let link = Link::from_bits(node >> PART_BITS);
        let part = node & ((1 << PART_BITS) - 1);
        let within = match part {
            ALL => u64::MAX,
            FIRST_LANE.. => 1 << (part - FIRST_LANE),
            _ => 0xff << (8 * (part - FIRST_OCTANT)),
        };
        match link.target() {
            Target::Brick(number) => {
                let brick = &self.tree.bricks[number];
                let (masks, key) = (brick.masks, brick.key);
                let in_range = within & self.range.lanes(key, 0);
                Some(Part { link, part, key, level: 0, masks, uniform: u64::MAX, within, in_range })
            }
            Target::Fork(number) => {
                let fork = &self.tree.forks[number];
                let (masks, key, level, uniform) = (fork.masks, fork.key, fork.level, fork.uniform);
                let in_range = within & self.range.lanes(key, level);
                Some(Part { link, part, key, level, masks, uniform, within, in_range })
            }
            Target::Uniform(_) => None,
        }
    }

    /// The children of a node that is no leaf.
    #[inline]
    pub(super) fn expand(&self, node: Node) -> Nodes {
        let mut nodes = Nodes::new();
        let Some(part) = self.part(node) else { return nodes };
        let chosen = part.chosen(self.cells);
        if in_one_octant(chosen) {
            super::evidence::lanes(chosen).for_each(|lane| nodes.push(self.lane(part.link, lane)));
            return nodes;
        }
        for octant in 0..8 {
            let byte = (chosen >> (8 * octant)) as u8;
            if byte.is_power_of_two() {
                nodes.push(self.lane(part.link, 8 * octant + byte.trailing_zeros() as usize));
            } else if byte != 0 {
                nodes.push(part.link.bits() << PART_BITS | (FIRST_OCTANT + octant as u32));
            }
        }
        nodes
    }

    /// The node in a lane.
    #[inline]
    fn lane(&self, link: Link, lane: usize) -> Node {
        let itself = link.bits() << PART_BITS | (FIRST_LANE + lane as u32);
        match link.target() {
            Target::Fork(number) => match self.tree.forks[number].children[lane].target() {
                Target::Uniform(_) => itself,
                _ => self.tree.forks[number].children[lane].bits() << PART_BITS,
            },
            _ => itself,
        }
    }
}

/// Whether a mask has lanes, and all of them are in one octant.
#[inline(always)]
fn in_one_octant(lanes: u64) -> bool {
    lanes != 0 && lanes >> (lanes.trailing_zeros() & !7) <= 0xff
}

impl Part {
    /// The selected lanes with chosen cells.
    #[inline(always)]
    fn chosen(&self, cells: Cells) -> u64 {
        self.masks.chosen(cells) & self.in_range
    }

    /// The octant of a brick that is alone selected and uniform.
    #[inline(always)]
    fn whole_octant(&self, cells: Cells) -> Option<u32> {
        let chosen = self.chosen(cells);
        let octant = chosen.trailing_zeros() / 8;
        let whole = self.level == 0 && chosen != 0 && in_one_octant(chosen);
        (whole && self.masks.uniform(0xff << (8 * octant)).is_some()).then_some(octant)
    }

    /// The kind of a leaf's cells; `None` if this is no leaf.
    #[inline(always)]
    fn leaf(&self, cells: Cells) -> Option<Cell> {
        // The cube of all indices would have a side beyond 32 bits.
        let everything = self.level == TOP && self.part == ALL;
        let same = self.uniform & self.within == self.within && !everything;
        self.masks.uniform(self.within).filter(|&cell| same && cells.contains(cell))
    }
}

impl Tree for VoxelView<'_> {
    /// The smallest node around all selected cells in range.
    #[inline]
    fn root(&self) -> Node {
        let mut link = self.tree.root;
        if matches!(link.target(), Target::Uniform(_)) {
            return EMPTY;
        }
        loop {
            let node = link.bits() << PART_BITS | ALL;
            let Some(part) = self.part(node) else { return EMPTY };
            let chosen = part.chosen(self.cells);
            if chosen == 0 {
                return EMPTY;
            }
            // Only a view of a range may have levels with one child.
            if !chosen.is_power_of_two() || part.level == 0 || part.leaf(self.cells).is_some() {
                return node;
            }
            let lane = self.lane(part.link, chosen.trailing_zeros() as usize);
            if lane & ((1 << PART_BITS) - 1) != ALL {
                return lane;
            }
            link = Link::from_bits(lane >> PART_BITS);
        }
    }

    #[inline]
    fn is_leaf(&self, node: Node) -> bool {
        self.part(node).is_some_and(|part| part.leaf(self.cells).is_some())
    }

    #[inline]
    fn child(&self, node: Node, lane: usize) -> Node {
        self.expand(node)[lane]
    }

    #[inline]
    fn children(&self, node: Node) -> impl Fn(usize) -> Node {
        let children = self.expand(node);
        move |lane| children[lane]
    }

    /// The longest edge of its box.
    #[inline]
    fn size(&self, node: Node) -> f32 {
        let (low, high) = self.edges(node);
        let cells = (0..3).map(|axis| high[axis] - low[axis]).max().unwrap_or(0);
        (cells as f64 * self.tree.grid.resolution()) as f32
    }
}
