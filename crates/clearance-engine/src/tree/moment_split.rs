//! Moment split, the default construction of [`Bvh8`](super::Bvh8): into parts of a multiple of
//! 8·8^k triangles, so that nodes and leaves are full, and all leaves at one depth.
//!
//! The splitter tries a few directions and all positions that the capacity allows. Then it turns
//! the plane towards the one between the means of the two parts, as in 2-means clustering, while
//! that is cheaper. A candidate costs √count times the surface of the box along the part's own
//! principal axes, for both parts. The part's moments estimate that surface ([`Moments::surface`]),
//! and moments are additive: all positions along a direction take one pass. Cost: a sample decides
//! the split of a large set ([`Effort`]), after which one selection moves all of it.

use super::build::{BuildOptions, Quality, partition};
use super::bvh::BvhNode;
use super::bvh8::WIDTH;
use super::median_split::{median_split, places};
use crate::TriMesh;
use crate::math::{DVec3, Frame, Moments};
use std::ops::Range;

/// The effort for choosing splits.
#[derive(Clone, Copy)]
struct Effort {
    /// The maximum number of triangles that the choice of a split uses.
    sample: usize,
    /// The number of bins along each direction; a power of two, at most [`MAX_BINS`].
    bins: usize,
    /// The maximum number of turns of the plane.
    turns: usize,
}

const DEFAULT: Effort = Effort { sample: 512, bins: 32, turns: 2 };
/// Some 2 % fewer tests for a quarter more time.
const BEST: Effort = Effort { sample: 1 << 16, bins: MAX_BINS, turns: 6 };
const MAX_BINS: usize = 64;

/// A triangle as the splits see it: its centroid, its weight, and its second moments about the
/// centroid.
#[derive(Clone, Copy)]
struct Patch {
    center: DVec3,
    weight: f32,
    second: [f32; 6],
}

impl Patch {
    /// A patch that counts by its position alone.
    const POINT: Self = Self { center: DVec3::ZERO, weight: 1.0, second: [0.0; 6] };
}

/// The patch of every triangle, in the frame of stored coordinates.
fn patches(mesh: &TriMesh) -> Vec<Patch> {
    let (low, high) = mesh.bounding_box();
    let frame = Frame::around(low, high);
    let patch = |id| {
        let triangle = mesh.triangle(id).map(|vertex| frame.store(vertex));
        let (weight, second) = Moments::about_centroid(triangle.0).weight_and_second();
        // Weights of about one keep products with squared lengths in the range of `f32`.
        let scale = mesh.len() as f64;
        Patch {
            center: triangle.centroid(),
            weight: (weight * scale) as f32,
            second: second.map(|x| (x * scale) as f32),
        }
    };
    (0..mesh.len() as u32).map(patch).collect()
}

/// Sums over some triangles: weight, first moments, second moments (xx, yy, zz, xy, xz, yz), their
/// number, and padding. In `f32`, since they only guide the choice, and three registers wide.
#[derive(Clone, Copy, Default)]
struct Sums([f32; 12]);

impl Sums {
    /// The sums of one triangle with the given centroid.
    #[inline]
    fn of(patch: &Patch, [x, y, z]: [f32; 3]) -> Self {
        let w = patch.weight;
        let [xx, yy, zz, xy, xz, yz] = patch.second;
        let (wx, wy, wz) = (w * x, w * y, w * z);
        Self([w, wx, wy, wz, xx + wx * x, yy + wy * y, zz + wz * z, xy + wx * y, xz + wx * z, yz + wy * z, 1.0, 0.0])
    }

    #[inline]
    fn add(&mut self, other: &Self) {
        for (sum, x) in self.0.iter_mut().zip(other.0) {
            *sum += x;
        }
    }

    /// The sum with a share of another one.
    #[inline]
    fn with_share(mut self, other: &Self, share: f32) -> Self {
        for (sum, x) in self.0.iter_mut().zip(other.0) {
            *sum += x * share;
        }
        self
    }

    #[inline]
    fn count(&self) -> f32 {
        self.0[10]
    }

    #[inline]
    fn moments(&self) -> Moments {
        let [w, x, y, z, xx, yy, zz, xy, xz, yz, ..] = self.0.map(f64::from);
        Moments::from_integrals(w, DVec3::new(x, y, z), [xx, yy, zz, xy, xz, yz])
    }
}

/// Builds the nodes in breadth-first order and the permutation of the triangles that their ranges
/// refer to.
pub(super) fn moment_partition(mesh: &TriMesh, options: &BuildOptions) -> (Vec<BvhNode>, Vec<u32>) {
    if options.quality == Quality::Fast {
        let places = places(mesh);
        return partition(mesh.len(), options.parallel, |depth, ids| {
            median_split(ids, capacity(mesh.len(), depth), &places)
        });
    }
    let effort = if options.quality == Quality::Best { BEST } else { DEFAULT };
    let patches = patches(mesh);
    partition(mesh.len(), options.parallel, |depth, ids| {
        let capacity = capacity(mesh.len(), depth);
        let mut splitter = Splitter::new(&patches, effort, capacity);
        split_into_eight(ids, capacity, |ids| splitter.split(ids))
    })
}

/// The number of triangles of a full child at this depth: 8·8^k; fewer than eight if the node is a
/// leaf.
///
/// It is the same for all nodes of a depth, so that a part of few triangles does not end in a leaf
/// before the others do.
fn capacity(count: usize, depth: usize) -> usize {
    let mut capacity = 1;
    while capacity * WIDTH < count {
        capacity *= WIDTH;
    }
    capacity / WIDTH.pow(depth as u32)
}

/// Splits a node's triangles into up to eight parts of up to `capacity`; into none, a leaf, if that
/// is less than eight.
///
/// `split` permutes some of them so that a multiple of the capacity, which it returns, comes first.
pub(super) fn split_into_eight<T>(
    items: &mut [T],
    capacity: usize,
    mut split: impl FnMut(&mut [T]) -> usize,
) -> Vec<Range<usize>> {
    if capacity < WIDTH {
        return Vec::new();
    }
    let mut parts = Vec::with_capacity(WIDTH);
    parts.push(0..items.len());
    while parts.len() < WIDTH {
        let largest = parts.iter().enumerate().filter(|(_, part)| part.len() > capacity);
        let Some((i, part)) = largest.max_by_key(|(i, part)| (part.len(), usize::MAX - i)) else { break };
        let part = part.clone();
        let middle = part.start + split(&mut items[part.clone()]);
        parts[i] = part.start..middle;
        parts.insert(i + 1, middle..part.end);
    }
    parts
}

/// Half of `count`, to a multiple of the capacity.
pub(super) fn half(count: usize, capacity: usize) -> usize {
    count.div_ceil(capacity) / 2 * capacity
}

/// A split: the `first` triangles along a direction, a multiple of the capacity, against the
/// others.
#[derive(Clone, Copy)]
struct Plane {
    direction: DVec3,
    first: usize,
}

/// A plane with its cost and the vector between the means of the two parts.
struct Candidate {
    plane: Plane,
    cost: f64,
    between: DVec3,
}

/// The scratch memory that the splits of one node share.
struct Splitter<'a> {
    patches: &'a [Patch],
    effort: Effort,
    capacity: usize,
    /// The sampled triangles' centroids by coordinate, relative to the first one's.
    points: [Vec<f32>; 3],
    /// The contribution of each of them to sums, likewise.
    sums: Vec<Sums>,
    total: Moments,
    /// Their positions along the current direction.
    along: Vec<f32>,
    keys: Vec<u64>,
}

impl<'a> Splitter<'a> {
    fn new(patches: &'a [Patch], effort: Effort, capacity: usize) -> Self {
        Self {
            patches,
            effort,
            capacity,
            points: Default::default(),
            sums: Vec::new(),
            total: Moments::default(),
            along: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// Permutes the triangles so that the first part of the best split comes first.
    fn split(&mut self, ids: &mut [u32]) -> usize {
        let plane = self.choose(ids);
        self.apply(ids, &plane);
        plane.first
    }

    /// Chooses the best split.
    fn choose(&mut self, ids: &[u32]) -> Plane {
        self.sample(ids);
        let axes = self.total.principal_axes();
        let (x, y, z) = (axes.x_axis, axes.y_axis, axes.z_axis);
        let middle = Plane { direction: x, first: half(ids.len(), self.capacity) };
        let mut best = Candidate { plane: middle, cost: f64::INFINITY, between: x };
        for direction in [x, y, z, x + y, x - y] {
            self.try_along(ids.len(), direction, &mut best);
        }
        for _ in 0..self.effort.turns {
            if !self.try_along(ids.len(), best.between, &mut best) {
                break;
            }
        }
        best.plane
    }

    /// Fills the sample with every k-th triangle.
    fn sample(&mut self, ids: &[u32]) {
        let origin = self.patches[ids[0] as usize].center;
        self.points.iter_mut().for_each(Vec::clear);
        self.sums.clear();
        for &id in ids.iter().step_by(ids.len().div_ceil(self.effort.sample)) {
            let patch = &self.patches[id as usize];
            let [x, y, z] = (patch.center - origin).as_vec3().to_array();
            self.points[0].push(x);
            self.points[1].push(y);
            self.points[2].push(z);
            self.sums.push(Sums::of(patch, [x, y, z]));
        }
        self.total = total(&self.sums);
        if !self.total.is_positive() {
            let [x, y, z] = &self.points;
            for (i, sums) in self.sums.iter_mut().enumerate() {
                *sums = Sums::of(&Patch::POINT, [x[i], y[i], z[i]]);
            }
            self.total = total(&self.sums);
        }
    }

    /// Compares `best` with the splits of `count` triangles at every multiple of the capacity along
    /// a direction.
    ///
    /// Bins hold sums of the triangles; a position within a bin takes its share of it.
    fn try_along(&mut self, count: usize, direction: DVec3, best: &mut Candidate) -> bool {
        let mut bins = [Sums::default(); MAX_BINS];
        let bins = &mut bins[..self.effort.bins];
        self.fill_bins(direction, bins);
        let (mut below, mut next, mut better) = (Sums::default(), 0, false);
        for first in (self.capacity..count).step_by(self.capacity) {
            let wanted = (first * self.sums.len()) as f32 / count as f32;
            while next < bins.len() - 1 && below.count() + bins[next].count() <= wanted {
                below.add(&bins[next]);
                next += 1;
            }
            let share = (wanted - below.count()) / bins[next].count().max(1.0);
            let part = below.with_share(&bins[next], share).moments();
            better |= self.compare(count, Plane { direction, first }, &part, best);
        }
        better
    }

    fn fill_bins(&mut self, direction: DVec3, bins: &mut [Sums]) {
        let [dx, dy, dz] = direction.as_vec3().to_array();
        let [x, y, z] = &self.points;
        self.along.clear();
        self.along.extend(x.iter().zip(y).zip(z).map(|((x, y), z)| x * dx + y * dy + z * dz));
        let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
        for &along in &self.along {
            low = if along < low { along } else { low };
            high = if along > high { along } else { high };
        }
        // The last bits of a number around 2²³ are that number rounded; any bin will do where all
        // lie at one place.
        let scale = (bins.len() - 1) as f32 / (high - low);
        for (along, sums) in self.along.iter().zip(&self.sums) {
            let bin = ((along - low) * scale + 8_388_608.0).to_bits() as usize & (bins.len() - 1);
            bins[bin].add(sums);
        }
    }

    fn compare(&self, count: usize, plane: Plane, below: &Moments, best: &mut Candidate) -> bool {
        let above = &self.total - below;
        let weight = |count: usize| (count as f64).sqrt();
        let cost = weight(plane.first) * below.surface() + weight(count - plane.first) * above.surface();
        // False also where a part has no area at all.
        let better = cost < best.cost;
        if better {
            *best = Candidate { plane, cost, between: above.mean() - below.mean() };
        }
        better
    }

    /// Permutes the triangles so that the first part comes first.
    fn apply(&mut self, ids: &mut [u32], plane: &Plane) {
        let origin = self.patches[ids[0] as usize].center;
        self.keys.clear();
        let along = |id: u32| plane.direction.dot(self.patches[id as usize].center - origin);
        self.keys.extend(ids.iter().map(|&id| key(along(id), id)));
        self.keys.select_nth_unstable(plane.first);
        for (id, &key) in ids.iter_mut().zip(&self.keys) {
            *id = number(key);
        }
    }
}

fn total(sums: &[Sums]) -> Moments {
    let mut total = Sums::default();
    sums.iter().for_each(|sums| total.add(sums));
    total.moments()
}

/// Orders by `x`, rounded to `f32`, then by a number, which it carries.
#[inline]
fn key(x: f64, number: u32) -> u64 {
    let bits = (x as f32).to_bits();
    // Negative numbers descend with their bits, and come before the others.
    let ascending = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    u64::from(ascending) << 32 | u64::from(number)
}

/// The number that a key carries.
#[inline]
fn number(key: u64) -> u32 {
    key as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_leaves_are_at_one_depth_and_all_but_one_of_each_depth_are_full() {
        for (count, depth) in [(1, 0), (8, 0), (9, 1), (64, 1), (65, 2), (129, 2), (520, 3), (4096, 3), (4097, 4)] {
            let (nodes, _) = partition(count, false, |depth, ids| {
                let capacity = capacity(count, depth);
                split_into_eight(ids, capacity, |ids| half(ids.len(), capacity))
            });
            let inner = nodes.iter().take_while(|node| node.children > 0).count();
            assert!(nodes[inner..].iter().all(|leaf| leaf.children == 0 && leaf.count <= 8), "{count}");
            assert!(nodes[inner..].iter().filter(|leaf| leaf.count < 8).count() <= 1, "{count}");
            let mut first = 0;
            for _ in 0..depth {
                assert!(first < inner, "{count}");
                first = nodes[first].child as usize;
            }
            assert_eq!(first, inner, "{count}: the first leaf");
        }
    }

    #[test]
    fn keys_order_by_position_then_by_number() {
        let ascending = [(-2.0, 9), (-1.5, 0), (-1.5, 1), (0.0, 3), (1e-30, 2), (4.0, 1)];
        let keys = ascending.map(|(x, number)| key(x, number));
        assert!(keys.is_sorted());
        assert_eq!(keys.map(number), ascending.map(|(_, number)| number));
    }
}
