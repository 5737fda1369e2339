//! Sections 3.1, 4.1, 4.2.3 and 4.3: what grows how with the size of the problem.

use super::Effort;
use crate::many::{Follower, Ours, Swarm};
use crate::placing::Random;
use crate::{Result, timing};
use clearance_engine::Pose;
use clearance_engine::convex::lab::{ClosestFeatures, hierarchical_distance, separating_plane};
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::shape::ConvexPolyhedron;
use clearance_engine::world::{BroadPhaseKind, FinderOptions};
use std::hint::black_box;

/// What the methods take for two hulls of so many points on a sphere each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Growth {
    pub(super) vertices: usize,
    /// Pairs of features looked at in a step of a motion, and nanoseconds.
    pub(super) tracked: [f64; 2],
    /// Nanoseconds of a distance over the hierarchy, and of a separating plane.
    pub(super) hierarchy: f64,
    pub(super) plane: f64,
}

/// Poses of a motion, and relative poses for methods without a memory.
const POSES: usize = 100;
/// How far a body moves and turns from one pose to the next: a hundredth of its radius.
const STEP: f64 = 0.01;

/// Ever larger hulls.
pub(super) fn growth(effort: &Effort) -> Result<Vec<Growth>> {
    let largest = if effort.stride > 10 { 512 } else { 8192 };
    let sizes = std::iter::successors(Some(32), |&size| (size < largest).then_some(4 * size));
    sizes.map(|size| growth_of(size, effort.rounds)).collect()
}

fn growth_of(vertices: usize, rounds: usize) -> Result<Growth> {
    let mut random = Random(vertices as u64);
    let mut hull = || -> Result<ConvexPolyhedron> {
        let points: Vec<DVec3> = (0..vertices).map(|_| random.direction()).collect();
        Ok(ConvexPolyhedron::hull_of(&points)?)
    };
    let (fixed, moving) = (hull()?, hull()?);
    let axis = random.direction();
    // Once around, a tenth of the radius apart.
    let path = (0..POSES).map(|i| {
        let turn = DQuat::from_axis_angle(axis, STEP * i as f64);
        Ok(moving.transformed(&Pose::new(turn, DQuat::from_rotation_z(STEP * i as f64) * (DVec3::X * 2.1))?))
    });
    let path: Vec<ConvexPolyhedron> = path.collect::<Result<_>>()?;
    let anywhere = (0..POSES).map(|_| Ok(moving.transformed(&Pose::new(random.rotation(), random.direction() * 2.1)?)));
    let anywhere: Vec<ConvexPolyhedron> = anywhere.collect::<Result<_>>()?;
    let each_ns = |work: &mut dyn FnMut()| 1e3 * timing::shortest_thread_us(rounds.max(1), work) / POSES as f64;
    let mut steps = 0;
    let tracked = each_ns(&mut || {
        let mut features = ClosestFeatures::default();
        steps = 0;
        for (i, body) in path.iter().enumerate() {
            black_box(features.distance(&fixed, body, f64::INFINITY));
            // The first walk begins anywhere.
            steps += if i > 0 { features.steps() } else { 0 };
        }
    });
    let hierarchy = each_ns(&mut || {
        for body in &anywhere {
            black_box(hierarchical_distance(&fixed, body, f64::INFINITY));
        }
    });
    let plane = each_ns(&mut || {
        for body in &anywhere {
            black_box(separating_plane(&fixed, body));
        }
    });
    Ok(Growth { vertices, tracked: [f64::from(steps) / (POSES - 1) as f64, tracked], hierarchy, plane })
}

/// Boxes of many sizes, and the nanoseconds a box that a grid of all scales takes for a tick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sizes {
    pub(super) boxes: usize,
    /// The largest edge by the smallest one.
    pub(super) ratio: f64,
    pub(super) ns: f64,
    /// Pairs that are named, a box.
    pub(super) pairs: f64,
}

/// Ever more boxes of one range of sizes, and as many of ever wider ranges.
pub(super) fn sizes(effort: &Effort) -> Result<Vec<Sizes>> {
    let (few, ticks) = if effort.stride > 10 { (200, 3) } else { (4000, 20) };
    let scenes =
        [(1.0, few), (10.0, few), (100.0, few), (1000.0, few), (100.0, few / 4), (100.0, few / 2), (100.0, 2 * few)];
    scenes.into_iter().map(|(ratio, boxes)| sizes_of(boxes, ratio, ticks, effort.rounds)).collect()
}

fn sizes_of(boxes: usize, ratio: f64, ticks: usize, rounds: usize) -> Result<Sizes> {
    let mut random = Random(boxes as u64);
    let edges: Vec<f64> = (0..boxes).map(|_| ratio.powf(-random.unit())).collect();
    // As much room as six times what the boxes fill, whatever their sizes: pairs stay few.
    let wall = 0.5 * (6.0 * edges.iter().map(|edge| edge.powi(3)).sum::<f64>()).cbrt();
    let vector = |random: &mut Random| DVec3::new(random.signed(), random.signed(), random.signed());
    let start: Vec<DVec3> = (0..boxes).map(|_| vector(&mut random) * wall).collect();
    let steps: Vec<DVec3> = edges.iter().map(|edge| vector(&mut random) * (0.01 * edge)).collect();
    let at = |tick: usize| {
        let centers = start.iter().zip(&steps).map(|(&start, &step)| start + step * tick as f64).collect();
        Swarm::of(centers, edges.iter().map(|&edge| DVec3::splat(0.5 * edge)).collect())
    };
    let motion: Vec<Swarm> = (1..=ticks).map(at).collect();
    // Room around a box is a part of the smallest ones.
    let room = (0.1 / ratio) as f32;
    let options = FinderOptions { room, broad_phase: BroadPhaseKind::Grid, ..FinderOptions::default() };
    let (mut best, mut named) = (f64::INFINITY, 0);
    for _ in 0..rounds.max(1) {
        let (us, pairs) = Ours::new(options, &at(0))?.follow(&motion)?;
        (best, named) = (best.min(us), pairs);
    }
    let each = (boxes * ticks) as f64;
    Ok(Sizes { boxes, ratio, ns: 1e3 * best / each, pairs: named as f64 / each })
}
