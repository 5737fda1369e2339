//! Time intervals for swept traversals, halved on demand, with the relative motion of two bodies in
//! each.
//!
//! An interval holds the bodies' poses in its middle and their motion to first order about it, in
//! both bodies' stored units ([`Sweep`]), and bounds the rest. An interval in which the spheres of
//! the whole bodies stay apart is empty, and the traversal does not visit it again. Cost: some 200
//! ns an interval.

use super::piece::Linear;
use crate::Pose;
use crate::math::{DVec3, Frame, Similarity, UNIT_ROUNDOFF, f32_above};
use crate::pair::volume::obb_sphere_block::{NarrowMap, margin};
use crate::pair::volume::swept_block::{Sweep, Turn};
use crate::query::{fits_lanes_of_a, fits_lanes_of_b};
use crate::volume::BoundingSphere;

/// A half of an interval that is not computed yet.
const UNKNOWN: u32 = u32::MAX;
/// A half in which the bodies stay apart.
const EMPTY: u32 = u32::MAX - 1;
/// The largest drift of a sweep, in stored units: squares of larger ones would leave the range of
/// `f32`.
const FASTEST: f64 = 1e12;

/// A time interval with the data of its sweeps.
pub(super) struct Interval {
    pub(super) from: f64,
    pub(super) to: f64,
    /// A time between both, and `half` is at least its distance from either.
    pub(super) middle: f64,
    pub(super) half: f64,
    /// The number of halvings.
    pub(super) depth: u32,
    /// The part of A's pad that halving time would not change, and a tolerance.
    pub(super) still: f32,
    /// Whether lanes can hold the bodies and their drifts.
    pub(super) usable: bool,
    /// The motion of both bodies about the middle.
    pub(super) linear: [Linear; 2],
    /// The addition to all distances: the distance that counts as contact, and the rounding of
    /// poses.
    pub(super) pad: f64,
    /// The maps of volumes of B to A's stored frame, and the other way round.
    pub(super) maps: [NarrowMap; 2],
    /// The sweeps in A's stored units, and in B's.
    pub(super) sweeps: [Sweep; 2],
    halves: [u32; 2],
}

/// Two swept bodies: bounding spheres and frames.
pub(super) struct Swept {
    pub(super) spheres: [BoundingSphere; 2],
    pub(super) frames: [Frame; 2],
    /// The blur of nodes without size below which halving is not worth while.
    pub(super) tolerance: f64,
}

/// The motion of both bodies in one interval, in `f64` and the unit of the bodies.
struct Relative<'m> {
    linear: &'m [Linear; 2],
    a_from_b: Pose,
    half: f64,
    /// The distance that counts as contact, and the rounding of poses.
    pad: f64,
}

impl Relative<'_> {
    /// The drift of a point of B against one of A, both in A's frame, and the error of that motion
    /// for spheres about them.
    fn drift(&self, a: &BoundingSphere, b: &BoundingSphere) -> (DVec3, f64) {
        let [one, other] = self.linear;
        let into_a = one.pose.rotation().transpose();
        let arms = [a.center - one.center, b.center - other.center];
        let turned = [one.pose.transform_vector(arms[0]), other.pose.transform_vector(arms[1])];
        let turning = [one.angular.cross(turned[0]), other.angular.cross(turned[1])];
        let world = other.velocity + turning[1] - one.velocity - turning[0];
        let blur = |linear: &Linear, turning: DVec3, sphere: &BoundingSphere| {
            let angle = linear.angular.length() * self.half;
            linear.bend + angle * (0.5 * turning.length() * self.half + sphere.radius)
        };
        (into_a * world * self.half, blur(one, turning[0], a) + blur(other, turning[1], b))
    }

    /// Whether two spheres, in their bodies' frames, are apart at all times of the interval.
    fn apart(&self, [a, b]: &[BoundingSphere; 2]) -> bool {
        let d = self.a_from_b.transform_point(b.center) - a.center;
        let (w, blur) = self.drift(a, b);
        let nearest = -d.dot(w) / w.length_squared().max(f64::MIN_POSITIVE);
        let nearest = if nearest.is_finite() { nearest.clamp(-1.0, 1.0) } else { 0.0 };
        let size = d.length() + w.length() + a.center.length() + b.center.length();
        let threshold = (a.radius + b.radius + blur + self.pad) * (1.0 + 64.0 * UNIT_ROUNDOFF);
        (d + w * nearest).length() > threshold + 64.0 * UNIT_ROUNDOFF * size
    }

    /// The motion of the body `fixed` against the body `lanes`, in the stored units of the latter.
    fn sweep(&self, lanes: usize, frame: &Frame, lanes_from_fixed: &Pose, map: &Similarity) -> (Sweep, f64) {
        let (one, other) = (&self.linear[lanes], &self.linear[1 - lanes]);
        let into = one.pose.rotation().transpose();
        let pivots = [one.center, lanes_from_fixed.transform_point(other.center)].map(|center| frame.store(center));
        let angles = [one, other].map(|linear| into * linear.angular * self.half);
        // Without a rotation any pivot will do.
        let pivots = [0, 1].map(|k| if angles[k] == DVec3::ZERO { DVec3::ZERO } else { pivots[k] });
        let common = into * (other.velocity - one.velocity) * (self.half * frame.scale);
        let straight = common - angles[1].cross(pivots[1]) + angles[0].cross(pivots[0]);
        let reaches = [2.0, map.offset + 2.0 * map.scale];
        let turning = |k: usize| angles[k].length() * (reaches[k] + pivots[k].length());
        let largest = common.length() + turning(0) + turning(1);
        let narrow = |v: DVec3| v.as_vec3().to_array();
        // The relative rounding error of lane arithmetic in blurs.
        let up = 1.0 + 1e-5;
        let turn = |k: usize| Turn {
            vector: narrow(angles[k]),
            pivot: narrow(pivots[k]),
            angle: f32_above(angles[k].length() * up),
        };
        let angle = angles[0].length() + angles[1].length();
        let lost = 64.0 / 16_777_216.0 * largest * (1.0 + angle);
        let bends = one.bend + other.bend;
        let pad = (self.pad + bends) * frame.scale * up + margin(map) * up + lost;
        let sweep = Sweep { straight: narrow(straight), lanes: turn(0), fixed: turn(1), pad: f32_above(pad) };
        (sweep, largest)
    }
}

/// All intervals so far, by number.
#[derive(Default)]
pub(super) struct TimeIntervals {
    intervals: Vec<Interval>,
}

impl TimeIntervals {
    /// The interval of a number.
    #[inline(always)]
    pub(super) fn get(&self, tag: u32) -> &Interval {
        &self.intervals[tag as usize]
    }

    /// The number of intervals.
    pub(super) fn len(&self) -> usize {
        self.intervals.len()
    }

    /// Adds an interval unless the bodies stay apart in it.
    pub(super) fn add(
        &mut self,
        [from, to]: [f64; 2],
        depth: u32,
        swept: &Swept,
        motion: impl FnOnce(f64, f64) -> ([Linear; 2], f64),
    ) -> Option<u32> {
        let middle = from + 0.5 * (to - from);
        let half = (to - middle).max(middle - from).next_up();
        let (linear, pad) = motion(middle, half);
        let a_from_b = linear[0].pose.inverse().then(&linear[1].pose);
        let relative = Relative { linear: &linear, a_from_b, half, pad };
        if relative.apart(&swept.spheres) {
            return None;
        }
        let [frame_a, frame_b] = &swept.frames;
        let forward = Similarity::between(frame_a, &a_from_b, frame_b);
        let backward = forward.inverse();
        let (sweep_a, largest_a) = relative.sweep(0, frame_a, &a_from_b, &forward);
        let (sweep_b, largest_b) = relative.sweep(1, frame_b, &a_from_b.inverse(), &backward);
        let usable = fits_lanes_of_a(&forward) && fits_lanes_of_b(&forward) && largest_a.max(largest_b) <= FASTEST;
        let tag = self.intervals.len() as u32;
        self.intervals.push(Interval {
            from,
            to,
            middle,
            half,
            depth,
            still: f32_above((pad + swept.tolerance) * frame_a.scale + margin(&forward)),
            usable,
            linear,
            pad,
            maps: [NarrowMap::new(&forward), NarrowMap::new(&backward)],
            sweeps: [sweep_a, sweep_b],
            halves: [UNKNOWN; 2],
        });
        Some(tag)
    }

    /// One half of an interval, unless the bodies stay apart in it.
    pub(super) fn half(
        &mut self,
        tag: u32,
        second: bool,
        swept: &Swept,
        motion: impl FnOnce(f64, f64) -> ([Linear; 2], f64),
    ) -> Option<u32> {
        let Interval { from, to, middle, depth, halves, .. } = *self.get(tag);
        match halves[usize::from(second)] {
            EMPTY => None,
            UNKNOWN => {
                let part = if second { [middle, to] } else { [from, middle] };
                let half = self.add(part, depth + 1, swept, motion);
                self.intervals[tag as usize].halves[usize::from(second)] = half.unwrap_or(EMPTY);
                half
            }
            known => Some(known),
        }
    }
}
