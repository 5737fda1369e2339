//! A dynamic AABB tree: eight children a node, no pointers, sorted anew when it has become loose.
//!
//! Leaves stand in a spatial order: eight in a row are a node, eight nodes in a row a node of the
//! next level, so that a node's number gives the places of its children and its parent. The boxes
//! of eight children fill SIMD lanes, which one test compares. A moving body keeps its place, and
//! the boxes above it follow as far as they change. That makes nodes larger with time. A rebuild
//! sorts all leaves again when the surface of the nodes (Goldsmith and Salmon's surface area
//! heuristic, 1987) has grown by a part and enough bodies have moved to pay for it. It splits at
//! the middle across the longest axis of the centres, or by size where that leaves less surface
//! (small boxes beside large ones). New bodies take free places or the last ones until then.
//!
//! Invariant: the box in a lane is the smallest one around the child's lanes, or the body's; lanes
//! without a child are empty. Cost: a few nodes for each change, the nodes that a changed box
//! overlaps for the search, n log n now and then for the order.

use super::{BroadPhase, Tracked};
use crate::math::{Vec3A, Vec4};
use crate::world::WorldBox;

const NONE: u32 = u32::MAX;

/// Children of a node.
const WIDTH: usize = 8;

/// The growth of the nodes' surface at which the tree sorts its leaves, …
const LOOSE: f64 = 1.3;

/// … if one of so many bodies has moved since the last time.
const MOVED: usize = 2;

/// The ratio of box sizes beyond which the tree may split by size.
const MIXED: f32 = 2.0;

/// The boxes of eight children: lower and upper ends along each axis, in two halves.
#[derive(Clone, Copy)]
struct Block {
    low: [[Vec4; 2]; 3],
    high: [[Vec4; 2]; 3],
}

impl Block {
    const EMPTY: Self = Self { low: [[Vec4::INFINITY; 2]; 3], high: [[Vec4::NEG_INFINITY; 2]; 3] };

    #[inline]
    fn get(&self, lane: usize) -> WorldBox {
        let corner = |ends: &[[Vec4; 2]; 3]| Vec3A::from_array([0, 1, 2].map(|axis| ends[axis][lane / 4][lane % 4]));
        WorldBox { low: corner(&self.low), high: corner(&self.high) }
    }

    #[inline]
    fn set(&mut self, lane: usize, bounds: &WorldBox) {
        for axis in 0..3 {
            self.low[axis][lane / 4][lane % 4] = bounds.low[axis];
            self.high[axis][lane / 4][lane % 4] = bounds.high[axis];
        }
    }

    /// The smallest box around all of them.
    #[inline]
    fn bounds(&self) -> WorldBox {
        let low = [0, 1, 2].map(|axis| self.low[axis][0].min(self.low[axis][1]).min_element());
        let high = [0, 1, 2].map(|axis| self.high[axis][0].max(self.high[axis][1]).max_element());
        WorldBox { low: Vec3A::from_array(low), high: Vec3A::from_array(high) }
    }
}

/// A box in all lanes.
struct Region {
    low: [Vec4; 3],
    high: [Vec4; 3],
}

impl Region {
    fn new(bounds: &WorldBox) -> Self {
        let lanes = |corner: Vec3A| corner.to_array().map(Vec4::splat);
        Self { low: lanes(bounds.low), high: lanes(bounds.high) }
    }

    /// A bit for each child whose box overlaps.
    #[inline]
    fn overlaps(&self, block: &Block) -> u32 {
        let half = |half: usize| {
            let axis = |axis: usize| {
                self.low[axis].cmple(block.high[axis][half]) & block.low[axis][half].cmple(self.high[axis])
            };
            (axis(0) & axis(1) & axis(2)).bitmask()
        };
        half(0) | half(1) << 4
    }
}

/// The sort key of a leaf.
#[derive(Clone, Copy)]
struct Item {
    /// Twice the centre, and the longest edge.
    keys: [f32; 4],
    body: u32,
}

/// A broad phase by a dynamic AABB tree.
#[derive(Default)]
pub struct TreeOfBoxes {
    /// The levels from the leaves up; the last one is a single node.
    levels: Vec<Vec<Block>>,
    /// The bodies at the places of leaves; `NONE` where a place is free.
    order: Vec<u32>,
    /// The place of each body.
    places: Vec<u32>,
    free: Vec<u32>,
    /// Bodies too large for a tree: floors, unbounded walls.
    large: Vec<u32>,
    /// The surface of the nodes above leaves, now and after the last sort.
    area: [f64; 2],
    /// Changes since then.
    moved: usize,
    /// The nodes that a search has to open, of this level and of the next one.
    open: [Vec<u32>; 2],
}

impl BroadPhase for TreeOfBoxes {
    fn update(&mut self, tracked: &Tracked, changed: &[u32], found: &mut Vec<[u32; 2]>) {
        self.places.resize(tracked.now.len(), NONE);
        for &body in changed {
            self.place(body, &tracked.now[body as usize]);
        }
        self.moved += changed.len();
        // Bodies that were large at the last sort may be gone.
        self.area[1] = self.area[1].min(self.area[0].max(0.0));
        let bodies = self.order.len() - self.free.len();
        if self.moved * MOVED > bodies && self.area[0] > self.area[1] * LOOSE {
            self.put_in_order(&tracked.now);
        }
        let mut open = std::mem::take(&mut self.open);
        for &body in changed {
            let bounds = &tracked.now[body as usize];
            if bounds.is_empty() {
                continue;
            }
            found.extend(
                self.large.iter().filter(|&&other| tracked.is_new_from(body, other)).map(|&other| [body, other]),
            );
            self.search(bounds, &mut open, |other| {
                if tracked.overlap_is_new_from(body, other) {
                    found.push([body, other]);
                }
            });
        }
        self.open = open;
    }

    fn overlapping(&self, tracked: &Tracked, region: &WorldBox, found: &mut Vec<u32>) {
        found.extend(self.large.iter().filter(|&&body| tracked.now[body as usize].overlaps(region)));
        self.search(region, &mut Default::default(), |body| found.push(body));
    }
}

impl TreeOfBoxes {
    /// Reports every body in the tree whose box overlaps `region`.
    #[inline]
    fn search(&self, region: &WorldBox, [open, next]: &mut [Vec<u32>; 2], mut hit: impl FnMut(u32)) {
        let region = Region::new(region);
        let children = |node: u32, level: &[Block], found: &mut dyn FnMut(u32)| {
            let mut lanes = region.overlaps(&level[node as usize]);
            while lanes != 0 {
                found(node * WIDTH as u32 + lanes.trailing_zeros());
                lanes &= lanes - 1;
            }
        };
        let Some((leaves, above)) = self.levels.split_first() else { return };
        open.clear();
        open.push(0);
        for level in above.iter().rev() {
            next.clear();
            open.iter().for_each(|&node| children(node, level, &mut |child| next.push(child)));
            std::mem::swap(open, next);
        }
        open.iter().for_each(|&node| children(node, leaves, &mut |place| hit(self.order[place as usize])));
    }

    /// Puts a body at the place of its present box: into the tree, among the large ones, or
    /// nowhere.
    fn place(&mut self, body: u32, bounds: &WorldBox) {
        let (place, belongs) = (self.places[body as usize], !bounds.is_empty() && !bounds.is_large());
        match (place != NONE, belongs) {
            (true, true) => self.set(place, bounds),
            (true, false) => {
                self.set(place, &WorldBox::EMPTY);
                self.places[body as usize] = NONE;
                self.order[place as usize] = NONE;
                self.free.push(place);
            }
            (false, _) => self.large.retain(|&other| other != body),
        }
        if belongs && place == NONE {
            let place = self.free.pop().unwrap_or_else(|| self.new_place());
            self.places[body as usize] = place;
            self.order[place as usize] = body;
            self.set(place, bounds);
        } else if !belongs && !bounds.is_empty() {
            self.large.push(body);
        }
    }

    /// Appends one place behind all others.
    fn new_place(&mut self) -> u32 {
        let place = self.order.len();
        self.order.push(NONE);
        let (mut node, mut level) = (place / WIDTH, 0);
        loop {
            if level == self.levels.len() {
                self.levels.push(Vec::new());
            }
            if node == self.levels[level].len() {
                self.levels[level].push(Block::EMPTY);
            }
            if node == 0 {
                return place as u32;
            }
            if level + 1 == self.levels.len() {
                // There was one node so far.
                let mut root = Block::EMPTY;
                root.set(0, &self.levels[level][0].bounds());
                self.levels.push(vec![root]);
            }
            (node, level) = (node / WIDTH, level + 1);
        }
    }

    /// Sets the box of a place, and updates those above it.
    fn set(&mut self, place: u32, bounds: &WorldBox) {
        let (mut at, mut bounds) = (place as usize, *bounds);
        for (height, level) in self.levels.iter_mut().enumerate() {
            let block = &mut level[at / WIDTH];
            let old = block.get(at % WIDTH);
            if old == bounds {
                return;
            }
            block.set(at % WIDTH, &bounds);
            if height == 1 {
                self.area[0] += surface(&bounds) - surface(&old);
            }
            bounds = block.bounds();
            at /= WIDTH;
        }
    }

    /// Sorts all leaves and rebuilds the tree.
    fn put_in_order(&mut self, boxes: &[WorldBox]) {
        let item = |&body: &u32| {
            let bounds = &boxes[body as usize];
            let [x, y, z] = (bounds.low + bounds.high).to_array();
            Item { keys: [x, y, z, bounds.longest()], body }
        };
        let mut items: Vec<Item> = self.order.iter().filter(|&&body| body != NONE).map(item).collect();
        split(&mut items, boxes, &mut Vec::new());
        self.free.clear();
        self.order.clear();
        self.order.extend(items.iter().map(|item| item.body));
        for (place, &body) in self.order.iter().enumerate() {
            self.places[body as usize] = place as u32;
        }
        let mut children: Vec<WorldBox> = self.order.iter().map(|&body| boxes[body as usize]).collect();
        self.levels.clear();
        self.area = [0.0; 2];
        while children.len() > 1 || self.levels.is_empty() {
            if self.levels.len() == 1 {
                self.area = [children.iter().map(surface).sum(); 2];
            }
            let mut blocks = vec![Block::EMPTY; children.len().div_ceil(WIDTH).max(1)];
            for (number, bounds) in children.iter().enumerate() {
                blocks[number / WIDTH].set(number % WIDTH, bounds);
            }
            children = blocks.iter().map(Block::bounds).collect();
            self.levels.push(blocks);
        }
        self.moved = 0;
    }
}

/// The surface of a box, 0 of an empty one.
fn surface(bounds: &WorldBox) -> f64 {
    if bounds.is_empty() { 0.0 } else { f64::from(bounds.half_area()) }
}

/// Sorts leaves so that eight in a row, eight of those and so on are near each other.
fn split(items: &mut [Item], boxes: &[WorldBox], other: &mut Vec<Item>) {
    if items.len() <= WIDTH {
        return;
    }
    // A multiple of as many leaves as the largest nodes have that are smaller than all of these.
    let mut unit = WIDTH;
    while unit * WIDTH < items.len() {
        unit *= WIDTH;
    }
    let middle = items.len().div_ceil(unit) / 2 * unit;
    let spread = |key: usize| {
        let range = items.iter().fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], item| {
            [low.min(item.keys[key]), high.max(item.keys[key])]
        });
        range[1] - range[0]
    };
    let spreads = [0, 1, 2].map(spread);
    let longest = if spreads[0] >= spreads[1].max(spreads[2]) { 0 } else { 1 + usize::from(spreads[2] > spreads[1]) };
    let sizes =
        items.iter().fold([f32::INFINITY, 0.0_f32], |[min, max], item| [min.min(item.keys[3]), max.max(item.keys[3])]);
    let by = |items: &mut [Item], key: usize| {
        items.select_nth_unstable_by(middle, |a, b| a.keys[key].total_cmp(&b.keys[key]));
    };
    let mixed = sizes[1] > MIXED * sizes[0];
    if mixed {
        other.clear();
        other.extend_from_slice(items);
        by(other, 3);
    }
    by(items, longest);
    if mixed && cost(other, middle, boxes) < cost(items, middle, boxes) {
        items.copy_from_slice(other);
    }
    let (front, back) = items.split_at_mut(middle);
    split(front, boxes, other);
    split(back, boxes, other);
}

/// The cost of searches in two nodes by the surface area heuristic: their surfaces times their
/// leaves.
fn cost(items: &[Item], middle: usize, boxes: &[WorldBox]) -> f64 {
    let (front, back) = items.split_at(middle);
    let part = |items: &[Item]| {
        let bounds = items.iter().fold(WorldBox::EMPTY, |sum, item| sum.with(&boxes[item.body as usize]));
        surface(&bounds) * items.len() as f64
    };
    part(front) + part(back)
}
