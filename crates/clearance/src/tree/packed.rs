//! Splitting for the wide tree: into parts of a multiple of 8·8^k triangles, so that nodes and leaves are full.

use super::build::Quality;
use super::wide::WIDTH;
use crate::math::{DMat3, DVec3, symmetric_eigenvectors};
use std::ops::Range;

/// Positions that are tried along each axis.
const BINS: usize = 32;

/// Splits a node's triangles into up to eight parts; one part, a leaf, if there are at most eight triangles.
pub(super) fn split_packed(ids: &mut [u32], centroids: &[DVec3], quality: Quality) -> Vec<Range<usize>> {
    let mut parts = Vec::with_capacity(WIDTH);
    parts.push(0..ids.len());
    if ids.len() <= WIDTH {
        return parts;
    }
    let mut capacity = WIDTH;
    while capacity * WIDTH < ids.len() {
        capacity *= WIDTH;
    }
    while parts.len() < WIDTH {
        let largest = parts.iter().enumerate().filter(|(_, part)| part.len() > capacity);
        let Some((i, part)) = largest.max_by_key(|(i, part)| (part.len(), usize::MAX - i)) else { break };
        let part = part.clone();
        let middle = part.start + split(&mut ids[part.clone()], centroids, capacity, quality);
        parts[i] = part.start..middle;
        parts.insert(i + 1, middle..part.end);
    }
    parts
}

/// What lies in one bin, in the principal frame.
#[derive(Clone, Copy)]
struct Bin {
    count: usize,
    low: DVec3,
    high: DVec3,
}

impl Bin {
    const EMPTY: Self = Self { count: 0, low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    fn add(&mut self, point: DVec3) {
        self.count += 1;
        self.low = self.low.min(point);
        self.high = self.high.max(point);
    }

    fn with(&self, other: &Self) -> Self {
        Self { count: self.count + other.count, low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The cost of a part: its triangles times its squared diagonal.
    fn cost(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.count as f64 * (self.high - self.low).length_squared() }
    }
}

/// Permutes `ids` so that a multiple of `capacity` comes first, returned: the best of three principal axes and some positions.
fn split(ids: &mut [u32], centroids: &[DVec3], capacity: usize, quality: Quality) -> usize {
    let origin = centroids[ids[0] as usize];
    let point = |id: u32| centroids[id as usize] - origin;
    let count = ids.len() as f64;
    let (mut sum, mut squares) = (DVec3::ZERO, DMat3::ZERO);
    for &id in ids.iter() {
        let p = point(id);
        sum += p;
        squares += DMat3::from_cols(p * p.x, p * p.y, p * p.z);
    }
    let mean = sum / count;
    let axes = match quality {
        Quality::Fast => DMat3::IDENTITY,
        _ => symmetric_eigenvectors(
            squares * (1.0 / count) - DMat3::from_cols(mean * mean.x, mean * mean.y, mean * mean.z),
        ),
    };
    let into_axes = axes.transpose();
    let bounds = ids.iter().fold(Bin::EMPTY, |mut bounds, &id| {
        bounds.add(into_axes * point(id));
        bounds
    });
    let extent = bounds.high - bounds.low;
    let scale = DVec3::splat(BINS as f64 * (1.0 - 1e-9)) / extent;
    let mut best = (f64::INFINITY, 0, ids.len().div_ceil(capacity) / 2 * capacity);
    let tried: &[usize] = match quality {
        Quality::Fast => &[longest(extent)],
        _ => &[0, 1, 2],
    };
    let mut bins = [[Bin::EMPTY; BINS]; 3];
    for &id in ids.iter() {
        let p = into_axes * point(id);
        let at = (p - bounds.low) * scale;
        for &axis in tried {
            // A flat axis has an infinite scale; its points all land in one bin, and it is never chosen.
            bins[axis][(at[axis] as usize).min(BINS - 1)].add(p);
        }
    }
    for &axis in tried {
        if extent[axis] <= 0.0 {
            continue;
        }
        let mut above = [Bin::EMPTY; BINS + 1];
        for i in (0..BINS).rev() {
            above[i] = above[i + 1].with(&bins[axis][i]);
        }
        let mut below = Bin::EMPTY;
        for i in 0..BINS {
            below = below.with(&bins[axis][i]);
            let first = ((below.count as f64 / capacity as f64).round() as usize).max(1) * capacity;
            if first >= ids.len() {
                break;
            }
            // The bin's edge and the multiple of the capacity differ by less than half of it: its triangles count as they would.
            let share = first.min(ids.len() - first) as f64 / count;
            let uneven = if share < 0.2 { 1.3 } else { 1.0 };
            let scaled = |bin: &Bin, wanted: usize| bin.cost() * wanted as f64 / bin.count.max(1) as f64;
            let cost = (scaled(&below, first) + scaled(&above[i + 1], ids.len() - first)) * uneven;
            if cost < best.0 {
                best = (cost, axis, first);
            }
        }
    }
    let (_, axis, first) = best;
    let direction = axes.col(axis);
    ids.select_nth_unstable_by(first, |&i, &j| {
        direction.dot(point(i)).total_cmp(&direction.dot(point(j))).then(i.cmp(&j))
    });
    first
}

fn longest(extent: DVec3) -> usize {
    let longest = extent.max_element();
    (0..3).find(|&axis| extent[axis] == longest).unwrap_or(0)
}
