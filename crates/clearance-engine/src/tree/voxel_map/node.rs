//! The nodes of a voxel map's hierarchy: bricks of 4×4×4 cells, forks of 4×4×4 smaller blocks, and
//! the links between them.
//!
//! The 64 lanes of a node are in Morton order (bits z₁y₁x₁z₀y₀x₀): each byte of a mask is one of
//! its eight octants, as in an octree such as OctoMap's.

use super::cell::{Cell, Cells};
use crate::math::{DVec3, IVec3};

/// The indices of a cell along the axes, shifted so that the least is zero: blocks are aligned at
/// multiples of their size.
pub(super) type Key = [u32; 3];

const BIAS: u32 = 1 << 31;
/// The level of a fork that contains all cells.
pub(super) const TOP: u32 = 15;
/// The number for a brick or fork without evidence.
pub(super) const NO_EVIDENCE: u32 = u32::MAX;

#[inline(always)]
pub(super) fn key_of(cell: IVec3) -> Key {
    [cell.x as u32 ^ BIAS, cell.y as u32 ^ BIAS, cell.z as u32 ^ BIAS]
}

#[inline(always)]
pub(super) fn cell_of(key: Key) -> IVec3 {
    IVec3::from_array(key.map(|index| (index ^ BIAS) as i32))
}

/// The edge of the first cell, as [`Grid::low_end`](super::Grid::low_end) counts them.
#[inline(always)]
pub(super) fn first_edge(key: Key) -> [i64; 3] {
    key.map(|index| i64::from(index) - i64::from(BIAS))
}

/// The first cell of the block of level `level` (4^(level+1) cells wide) that contains `key`.
#[inline(always)]
pub(super) fn aligned(key: Key, level: u32) -> Key {
    let mask = !(((1_u64 << (2 * level + 2)) - 1) as u32);
    key.map(|index| index & mask)
}

/// Whether both keys are in the same block of that level.
#[inline(always)]
pub(super) fn same_block(a: Key, b: Key, level: u32) -> bool {
    let differing = (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]);
    u64::from(differing) >> (2 * level + 2) == 0
}

/// The least level at which both keys are in one block.
pub(super) fn common_level(a: Key, b: Key) -> u32 {
    let differing = (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]);
    let bits = u32::BITS - differing.leading_zeros();
    bits.div_ceil(2).max(1) - 1
}

/// The lane of a node of that level that contains the key.
#[inline(always)]
pub(super) fn lane_of(key: Key, level: u32) -> usize {
    let [x, y, z] = key.map(|index| {
        let pair = index >> (2 * level);
        (pair & 1) | (pair & 2) << 2
    });
    (x | y << 1 | z << 2) as usize
}

/// The place of a lane within its node, in lanes along each axis.
#[inline(always)]
pub(super) fn place_of(lane: usize) -> [u32; 3] {
    let lane = lane as u32;
    [0, 1, 2].map(|axis| (lane >> axis & 1) | (lane >> (axis + 3) & 1) << 1)
}

/// The first cell of lane `lane` of the node of level `level` that begins at `key`.
#[inline(always)]
pub(super) fn lane_key(key: Key, level: u32, lane: usize) -> Key {
    let place = place_of(lane);
    [0, 1, 2].map(|axis| key[axis] + (place[axis] << (2 * level)))
}

/// The smallest box around a mask that is not zero: its first place and the one past its last,
/// along each axis.
#[inline(always)]
pub(super) fn extent(mask: u64) -> ([u32; 3], [u32; 3]) {
    // A lane's number is z₁y₁x₁z₀y₀x₀: or-ing over the bits of the other two axes leaves four bits,
    // those of the places.
    let fold = |shifts: [u32; 4]| shifts.iter().fold(mask, |mask, shift| mask | mask >> shift);
    let (x, y, z) = (fold([32, 16, 4, 2]), fold([32, 8, 4, 1]), fold([16, 8, 2, 1]));
    let places = [
        x & 3 | x >> 6 & 12,
        y & 1 | y >> 1 & 2 | y >> 14 & 4 | y >> 15 & 8,
        z & 1 | z >> 3 & 2 | z >> 30 & 4 | z >> 33 & 8,
    ];
    (places.map(u64::trailing_zeros), places.map(|places| u64::BITS - places.leading_zeros()))
}

/// A box of cells from one to another along every axis, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    pub from: Key,
    pub to: Key,
}

/// By axis: the lanes at places from the first to the second one.
const BETWEEN: [[[u64; 4]; 4]; 3] = {
    let mut masks = [[[0; 4]; 4]; 3];
    let mut lane = 0;
    while lane < 64 {
        let mut axis = 0;
        while axis < 3 {
            let place = (lane >> axis & 1) | (lane >> (axis + 3) & 1) << 1;
            let mut first = 0;
            while first <= place {
                let mut last = place;
                while last < 4 {
                    masks[axis][first][last] |= 1 << lane;
                    last += 1;
                }
                first += 1;
            }
            axis += 1;
        }
        lane += 1;
    }
    masks
};

impl Range {
    pub(super) const ALL: Self = Self { from: [0; 3], to: [u32::MAX; 3] };

    /// The cells from the one at `low` to the one at `high`, in cells from the origin, clamped to
    /// valid indices.
    #[inline(always)]
    pub(super) fn around(low: DVec3, high: DVec3) -> Self {
        // An instruction, not a call, takes the floor of non-negative numbers; the sum is off by
        // less than a millionth of a cell.
        let key = |cells: DVec3| (cells + f64::from(BIAS)).to_array().map(|index| index as u32);
        Self { from: key(low), to: key(high) }
    }

    /// The lanes of the node of level `level` at `key` that have cells in range.
    #[inline(always)]
    pub(super) fn lanes(&self, key: Key, level: u32) -> u64 {
        let mut lanes = u64::MAX;
        for axis in 0..3 {
            let first = self.from[axis].saturating_sub(key[axis]) >> (2 * level);
            let last = (self.to[axis].saturating_sub(key[axis]) >> (2 * level)).min(3);
            if self.to[axis] < key[axis] || first > last {
                return 0;
            }
            lanes &= BETWEEN[axis][first as usize & 3][last as usize];
        }
        lanes
    }
}

/// A sphere in units of cells, in the coordinates of keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellSphere {
    center: DVec3,
    radius_squared: f64,
}

impl CellSphere {
    /// A sphere about a point, in cells from the origin.
    #[inline(always)]
    pub(super) fn new(center: DVec3, radius: f64) -> Self {
        // The sum is off by half of 2⁻²¹ of a cell; far out, where it is off by more, so are the
        // cells. More than the roundings of `meets` too.
        let radius = radius + 1.0 / 1_048_576.0;
        Self { center: center + f64::from(BIAS), radius_squared: radius * radius * (1.0 + 1e-12) }
    }

    /// Whether the block of level `level` at `key` overlaps the sphere, conservatively: true also
    /// where it nearly does.
    #[inline(always)]
    pub(super) fn meets(&self, key: Key, level: u32) -> bool {
        let (low, side) = (DVec3::from_array(key.map(f64::from)), (1_u64 << (2 * level)) as f64);
        let gap = (low - self.center).max(self.center - (low + side)).max(DVec3::ZERO);
        gap.length_squared() <= self.radius_squared
    }
}

/// The content of a lane of a fork: a brick, a fork, or a uniform block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Link(u32);

/// A decoded [`Link`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Uniform(Cell),
    Brick(u32),
    Fork(u32),
}

impl Link {
    const FORK: u32 = 1 << 24;
    const UNIFORM: u32 = 1 << 25;

    #[inline(always)]
    pub(super) fn brick(number: u32) -> Self {
        Self(number)
    }

    #[inline(always)]
    pub(super) fn fork(number: u32) -> Self {
        Self(number | Self::FORK)
    }

    #[inline(always)]
    pub(super) fn uniform(cell: Cell) -> Self {
        Self(Self::UNIFORM | cell as u32)
    }

    #[inline(always)]
    pub(super) fn target(self) -> Target {
        if self.0 & Self::UNIFORM != 0 {
            Target::Uniform(match self.0 & 3 {
                0 => Cell::Free,
                1 => Cell::Unknown,
                _ => Cell::Obstacle,
            })
        } else if self.0 & Self::FORK != 0 {
            Target::Fork(self.0 & !Self::FORK)
        } else {
            Target::Brick(self.0)
        }
    }

    /// The 25 bits of a brick or fork.
    #[inline(always)]
    pub(super) fn bits(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(super) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

/// The lanes with obstacles, and those with unknown cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Masks {
    pub obstacle: u64,
    pub unknown: u64,
}

impl Masks {
    /// All lanes are `cell`.
    #[inline(always)]
    pub(super) fn all(cell: Cell) -> Self {
        let all = |is: Cell| if cell == is { u64::MAX } else { 0 };
        Self { obstacle: all(Cell::Obstacle), unknown: all(Cell::Unknown) }
    }

    /// Sets the lanes of `mask` to `cell`.
    #[inline(always)]
    pub(super) fn paint(&mut self, mask: u64, cell: Cell) {
        let painted = Self::all(cell);
        self.obstacle = self.obstacle & !mask | painted.obstacle & mask;
        self.unknown = self.unknown & !mask | painted.unknown & mask;
    }

    /// The lanes with chosen cells.
    #[inline(always)]
    pub(super) fn chosen(&self, cells: Cells) -> u64 {
        let obstacle = if cells.contains(Cell::Obstacle) { self.obstacle } else { 0 };
        let unknown = if cells.contains(Cell::Unknown) { self.unknown } else { 0 };
        obstacle | unknown
    }

    /// The common cell of all lanes of a brick in `within`, if they are equal.
    #[inline(always)]
    pub(super) fn uniform(&self, within: u64) -> Option<Cell> {
        match (self.obstacle & within, self.unknown & within) {
            (0, 0) => Some(Cell::Free),
            (obstacle, 0) if obstacle == within => Some(Cell::Obstacle),
            (0, unknown) if unknown == within => Some(Cell::Unknown),
            _ => None,
        }
    }

    /// The cell in a lane of a brick.
    #[inline(always)]
    pub(super) fn cell(&self, lane: usize) -> Cell {
        if self.obstacle >> lane & 1 != 0 {
            Cell::Obstacle
        } else if self.unknown >> lane & 1 != 0 {
            Cell::Unknown
        } else {
            Cell::Free
        }
    }

    /// Whether any cell is an obstacle, and whether any is unknown.
    #[inline(always)]
    pub(super) fn any(&self) -> (bool, bool) {
        (self.obstacle != 0, self.unknown != 0)
    }
}

/// 4×4×4 cells.
#[derive(Debug, Clone, Default)]
pub(super) struct Brick {
    pub masks: Masks,
    pub key: Key,
    /// The number of its evidence, or [`NO_EVIDENCE`].
    pub evidence: u32,
}

/// 4×4×4 blocks, each 4^level cells wide.
#[derive(Debug, Clone)]
pub(super) struct Fork {
    /// For each lane, whether any cell in it is an obstacle, or unknown.
    pub masks: Masks,
    /// Lanes that are not uniform background, or have a measurement.
    pub present: u64,
    /// Lanes that are present and uniform.
    pub uniform: u64,
    pub key: Key,
    pub level: u32,
    /// The number of the evidence of its uniform lanes, or [`NO_EVIDENCE`].
    pub evidence: u32,
    pub children: [Link; 64],
}

impl Default for Fork {
    fn default() -> Self {
        Self::filled(Cell::Free, [0; 3], 1, false)
    }
}

impl Fork {
    /// A fork whose lanes are all `cell`: present, or background without a measurement.
    pub(super) fn filled(cell: Cell, key: Key, level: u32, present: bool) -> Self {
        let present = if present { u64::MAX } else { 0 };
        let (masks, key, children) = (Masks::all(cell), aligned(key, level), [Link::uniform(cell); 64]);
        Self { masks, present, uniform: present, key, level, evidence: NO_EVIDENCE, children }
    }

    /// Puts a uniform block of `cell` into a lane: present, or background without a measurement.
    pub(super) fn put_uniform(&mut self, lane: usize, cell: Cell, present: bool) {
        let bit = 1 << lane;
        self.children[lane] = Link::uniform(cell);
        self.masks.paint(bit, cell);
        let present = if present { bit } else { 0 };
        self.present = self.present & !bit | present;
        self.uniform = self.uniform & !bit | present;
    }

    /// Puts a node into a lane; `any` says whether it has obstacles and unknown cells.
    pub(super) fn put_node(&mut self, lane: usize, node: Link, any: (bool, bool)) {
        let bit = 1 << lane;
        self.children[lane] = node;
        self.present |= bit;
        self.uniform &= !bit;
        self.mark(lane, any);
    }

    /// Marks whether a lane has obstacles and unknown cells.
    pub(super) fn mark(&mut self, lane: usize, (obstacle, unknown): (bool, bool)) {
        self.masks.obstacle = self.masks.obstacle & !(1 << lane) | u64::from(obstacle) << lane;
        self.masks.unknown = self.masks.unknown & !(1 << lane) | u64::from(unknown) << lane;
    }
}

/// The first edges of some cells and those past the last ones, along each axis.
pub(super) type Edges = ([i64; 3], [i64; 3]);

/// The box of the lanes of `mask` in the node of level `level` at `key`.
#[inline]
pub(super) fn lanes_edges(key: Key, level: u32, mask: u64) -> Edges {
    let (low, high) = extent(mask);
    let start = first_edge(key);
    let at = |place: [u32; 3]| [0, 1, 2].map(|axis| start[axis] + (i64::from(place[axis]) << (2 * level)));
    (at(low), at(high))
}

/// The box of the lanes of `byte`, which is not zero, in an octant of the node of level `level` at
/// `key`.
#[inline(always)]
pub(super) fn octant_edges(key: Key, level: u32, octant: usize, byte: u8) -> Edges {
    // The lanes of an octant that are at its first place along x, y, z.
    const AT_FIRST: [u8; 3] = [0x55, 0x33, 0x0f];
    let start = first_edge(key);
    let (mut low, mut high) = (start, start);
    for axis in 0..3 {
        let place = 2 * (octant >> axis & 1) as i64;
        let (first, second) = (byte & AT_FIRST[axis] != 0, byte & !AT_FIRST[axis] != 0);
        low[axis] += (place + i64::from(!first)) << (2 * level);
        high[axis] += (place + 1 + i64::from(second)) << (2 * level);
    }
    (low, high)
}

/// The edges of a block of that many cells along each axis.
#[inline(always)]
pub(super) fn block_edges(key: Key, side: u64) -> Edges {
    let low = first_edge(key);
    (low, low.map(|edge| edge + side as i64))
}

/// A few equal blocks that cover all cells from `low` to `high`, each with its level: 4^level cells
/// wide, level 1 or more.
pub(super) fn blocks_over(low: Key, high: Key) -> impl Iterator<Item = (Key, u32)> {
    let span = (0..3).map(|axis| high[axis] - low[axis]).max().unwrap_or(0);
    let level = (1..TOP).find(|level| span >> (2 * level) < 4).unwrap_or(TOP);
    let range = move |axis: usize| low[axis] >> (2 * level)..=high[axis] >> (2 * level);
    let along_x = move |y: u32, z: u32| range(0).map(move |x| ([x, y, z].map(|index| index << (2 * level)), level));
    range(2).flat_map(move |z| range(1).flat_map(move |y| along_x(y, z)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_where_they_say() {
        for lane in 0..64 {
            for level in [0, 3, TOP] {
                let key = lane_key([0; 3], level, lane);
                assert_eq!(lane_of(key, level), lane);
                assert_eq!(extent(1 << lane), (place_of(lane), place_of(lane).map(|place| place + 1)));
            }
        }
        let corners = 1 << lane_of([1, 0, 2], 0) | 1 << lane_of([2, 3, 2], 0);
        assert_eq!(extent(corners), ([1, 0, 2], [3, 4, 3]));
    }

    #[test]
    fn boxes_of_octants_are_those_of_their_lanes() {
        let key = [BIAS - 64, 128, BIAS + 640];
        for octant in 0..8 {
            for byte in 1..=255_u8 {
                for level in [0, 2] {
                    let mask = u64::from(byte) << (8 * octant);
                    assert_eq!(octant_edges(key, level, octant, byte), lanes_edges(key, level, mask));
                }
                let places = || super::super::evidence::lanes(u64::from(byte) << (8 * octant)).map(place_of);
                let least = places().reduce(|a, b| [0, 1, 2].map(|k: usize| a[k].min(b[k])));
                let most = places().reduce(|a, b| [0, 1, 2].map(|k: usize| a[k].max(b[k])));
                let expected = (least.unwrap(), most.unwrap().map(|place| place + 1));
                assert_eq!(extent(u64::from(byte) << (8 * octant)), expected);
            }
        }
    }

    #[test]
    fn lanes_in_range_are_those_with_cells_in_it() {
        let mut random = crate::random::Random(5);
        for _ in 0..2000 {
            let level = random.below(3) as u32;
            let key = aligned([0; 3].map(|_: u32| BIAS + random.below(512) as u32), level);
            let from = [0; 3].map(|_: u32| BIAS + random.below(600) as u32);
            let to = from.map(|index| index + random.below(200) as u32);
            let lanes = Range { from, to }.lanes(key, level);
            for lane in 0..64 {
                let first = lane_key(key, level, lane);
                let side = (1 << (2 * level)) - 1;
                let meets = (0..3).all(|axis| first[axis] <= to[axis] && first[axis] + side >= from[axis]);
                assert_eq!(lanes >> lane & 1 == 1, meets, "{key:?} {level} {from:?} {to:?}");
            }
        }
        assert_eq!(Range::ALL.lanes([0; 3], TOP), u64::MAX);
    }

    #[test]
    fn the_common_level_is_the_least_whose_block_holds_both() {
        for (a, b, level) in [
            ([0; 3], [3, 3, 3], 0),
            ([0; 3], [4, 0, 0], 1),
            ([5, 0, 0], [16, 0, 0], 2),
            ([0; 3], [0, 0, u32::MAX], TOP),
            ([BIAS; 3], [BIAS - 1, BIAS, BIAS], TOP),
        ] {
            assert_eq!(common_level(a, b), level);
            assert!(same_block(a, b, level) && aligned(a, level) == aligned(b, level));
            assert!(level == 0 || !same_block(a, b, level - 1));
        }
    }

    #[test]
    fn cells_and_keys_are_two_names_of_the_same() {
        for cell in [IVec3::ZERO, IVec3::MIN, IVec3::MAX, IVec3::new(-1, 7, -100_000)] {
            assert_eq!(cell_of(key_of(cell)), cell);
            assert_eq!(first_edge(key_of(cell)), cell.to_array().map(i64::from));
        }
    }
}
