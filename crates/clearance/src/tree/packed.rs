//! Splitting for the wide tree: into parts of a multiple of 8·8^k triangles, so that nodes and leaves are full.
//!
//! A split is chosen among a few directions and all positions that the capacity allows, then its plane is turned towards
//! the one between the means of the two parts, as in 2-means clustering, while that is cheaper. A candidate costs √count
//! times the surface of the box along the part's own principal axes, for both parts. That surface is estimated from the
//! part's moments ([`Moments::surface`]), and moments are additive: all positions along a direction take one pass.
//! Cost: splits of more than [`SAMPLE`] triangles are chosen by a sample, after which one selection moves all of them.

use super::build::Quality;
use super::wide::WIDTH;
use crate::TriMesh;
use crate::math::{DVec3, Frame, Moments};
use std::ops::Range;

/// The most triangles that the choice of a split looks at.
const SAMPLE: usize = 512;
/// How often the plane of a split may turn.
const TURNS: usize = 2;

/// A triangle as the splits see it: its centroid, and its moments about that.
#[derive(Clone, Copy)]
pub(super) struct Patch {
    center: DVec3,
    moments: Moments,
}

/// The patch of every triangle, in the frame of stored coordinates.
pub(super) fn patches(mesh: &TriMesh) -> Vec<Patch> {
    let (low, high) = mesh.bounding_box();
    let frame = Frame::around(low, high);
    let patch = |id| {
        let triangle = mesh.triangle(id).map(|vertex| frame.store(vertex));
        Patch { center: triangle.centroid(), moments: Moments::about_centroid(triangle.0) }
    };
    (0..mesh.len() as u32).map(patch).collect()
}

/// Splits a node's triangles into up to eight parts; one part, a leaf, if there are at most eight triangles.
pub(super) fn split_packed(ids: &mut [u32], patches: &[Patch], quality: Quality) -> Vec<Range<usize>> {
    let mut parts = Vec::with_capacity(WIDTH);
    parts.push(0..ids.len());
    if ids.len() <= WIDTH {
        return parts;
    }
    let mut capacity = WIDTH;
    while capacity * WIDTH < ids.len() {
        capacity *= WIDTH;
    }
    let mut splitter = Splitter { patches, capacity, ..Splitter::default() };
    while parts.len() < WIDTH {
        let largest = parts.iter().enumerate().filter(|(_, part)| part.len() > capacity);
        let Some((i, part)) = largest.max_by_key(|(i, part)| (part.len(), usize::MAX - i)) else { break };
        let part = part.clone();
        let ids = &mut ids[part.clone()];
        let plane = match quality {
            Quality::Fast => splitter.halves(ids),
            Quality::Default | Quality::Best => splitter.choose(ids),
        };
        splitter.apply(ids, &plane);
        let middle = part.start + plane.first;
        parts[i] = part.start..middle;
        parts.insert(i + 1, middle..part.end);
    }
    parts
}

/// A split: the `first` triangles along a direction, a multiple of the capacity, against the others.
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

/// What the splits of one node share: memory that they use in turn.
#[derive(Default)]
struct Splitter<'a> {
    patches: &'a [Patch],
    capacity: usize,
    /// The sampled triangles' centroids and moments relative to the first one's centroid.
    points: Vec<DVec3>,
    moments: Vec<Moments>,
    total: Moments,
    keys: Vec<u64>,
}

impl Splitter<'_> {
    /// Halves, up to the capacity, along the longest side of the box around the centroids.
    fn halves(&self, ids: &[u32]) -> Plane {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &id in ids {
            let center = self.patches[id as usize].center;
            (low, high) = (low.min(center), high.max(center));
        }
        let direction = DVec3::AXES[(high - low).max_position()];
        Plane { direction, first: ids.len().div_ceil(self.capacity) / 2 * self.capacity }
    }

    /// The best split that was found.
    fn choose(&mut self, ids: &[u32]) -> Plane {
        self.sample(ids);
        let axes = self.total.principal_axes();
        let (x, y, z) = (axes.x_axis, axes.y_axis, axes.z_axis);
        let middle = Plane { direction: x, first: ids.len().div_ceil(self.capacity) / 2 * self.capacity };
        let mut best = Candidate { plane: middle, cost: f64::INFINITY, between: x };
        for direction in [x, y, z, x + y, x - y] {
            self.try_positions(ids.len(), direction, &mut best);
        }
        for _ in 0..TURNS {
            let turned = Plane { direction: best.between, first: best.plane.first };
            if !self.try_turned(ids.len(), turned, &mut best) {
                break;
            }
        }
        best.plane
    }

    /// Fills the sample, every k-th of the triangles.
    fn sample(&mut self, ids: &[u32]) {
        let origin = self.patches[ids[0] as usize].center;
        self.points.clear();
        self.moments.clear();
        for &id in ids.iter().step_by(ids.len().div_ceil(SAMPLE)) {
            let patch = &self.patches[id as usize];
            let point = patch.center - origin;
            self.points.push(point);
            self.moments.push(patch.moments.moved(point));
        }
        self.total = sum(self.moments.iter());
        if !self.total.is_positive() {
            // Mere points.
            self.moments.clear();
            self.moments.extend(self.points.iter().map(|&point| Moments::of_point(point)));
            self.total = sum(self.moments.iter());
        }
    }

    /// Compares `best` with the splits of `count` triangles at every multiple of the capacity along a direction.
    fn try_positions(&mut self, count: usize, direction: DVec3, best: &mut Candidate) {
        self.fill_keys(direction);
        self.keys.sort_unstable();
        let mut below = Moments::default();
        let mut passed = 0;
        for first in (self.capacity..count).step_by(self.capacity) {
            let next = self.in_sample(first, count);
            for &key in &self.keys[passed..next] {
                below += &self.moments[number(key) as usize];
            }
            passed = next;
            self.compare(count, Plane { direction, first }, &below, best);
        }
    }

    /// Compares `best` with one other plane.
    fn try_turned(&mut self, count: usize, plane: Plane, best: &mut Candidate) -> bool {
        self.fill_keys(plane.direction);
        let first = self.in_sample(plane.first, count);
        let (below, ..) = self.keys.select_nth_unstable(first);
        let below = sum(below.iter().map(|&key| &self.moments[number(key) as usize]));
        self.compare(count, plane, &below, best)
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

    /// The position in the sample that stands for one among all of `count` triangles.
    fn in_sample(&self, position: usize, count: usize) -> usize {
        position * self.points.len() / count
    }

    fn fill_keys(&mut self, direction: DVec3) {
        self.keys.clear();
        self.keys.extend((0..).zip(&self.points).map(|(i, point)| key(direction.dot(*point), i)));
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

fn sum<'a>(moments: impl Iterator<Item = &'a Moments>) -> Moments {
    moments.fold(Moments::default(), |mut sum, moments| {
        sum += moments;
        sum
    })
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
    fn keys_order_by_position_then_by_number() {
        let ascending = [(-2.0, 9), (-1.5, 0), (-1.5, 1), (0.0, 3), (1e-30, 2), (4.0, 1)];
        let keys = ascending.map(|(x, number)| key(x, number));
        assert!(keys.is_sorted());
        assert_eq!(keys.map(number), ascending.map(|(_, number)| number));
    }
}
