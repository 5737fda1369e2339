//! Motions as values: paths of rigid bodies over time.
//!
//! Invariant: pieces start one after the other, the first at 0, and each where the one before it
//! ends, up to a jump. Every bound across a jump includes it.

use super::piece::{Coefficients, Linear, Piece};
use crate::math::{DQuat, DVec3, UNIT_ROUNDOFF, unit};
use crate::volume::BoundingSphere;
use crate::{Error, ErrorKind, Pose, Readable, Result};

/// The maximum number of coefficients: bounds allow for the rounding of so many.
const MAX_COEFFICIENTS: usize = 16;
/// The largest jump between two motions in a row, relative to coordinates.
const LARGEST_JUMP: f64 = 1e-9;

/// The motion of a rigid body: its pose over time, from 0 to [`duration`](Motion::duration).
///
/// *The motion* is the real-number function of the numbers it was made from, its pieces starting at
/// the rounded sums of their durations. [`pose`](Motion::pose) is that up to rounding, which all
/// bounds include. A motion keeps its last pose after its end and has its first one before its
/// start.
///
/// ```
/// use clearance_engine::{Pose, math::DVec3, motion::Motion, volume::BoundingSphere};
/// // A wheel of radius 1 rolls along x.
/// let wheel = Motion::moving(&Pose::IDENTITY, DVec3::ZERO, DVec3::X, DVec3::Y, 10.0)?;
/// assert!(wheel.pose(2.0).translation().distance(DVec3::X * 2.0) < 1e-12);
/// let rim = BoundingSphere { center: DVec3::ZERO, radius: 1.0 };
/// assert!(wheel.displacement(0.0, 0.1, &rim) >= 0.1 && wheel.displacement(0.0, 0.1, &rim) < 0.2001);
/// assert!(wheel.advance(0.0, 0.1, &rim, DVec3::Y) < 1e-12);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    pieces: Vec<Timed>,
    duration: f64,
}

/// Bounds of a body's motion from a time on: any point of its sphere moves by `t` times a velocity
/// between the two `velocities` plus or minus `spin`, axis by axis, up to `shift`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Drift {
    /// The least and largest mean velocity of the path, along each axis.
    pub(crate) velocities: [DVec3; 2],
    /// What rotation adds to the speed along each axis.
    pub(crate) spin: DVec3,
    /// Jumps and rounding.
    pub(crate) shift: f64,
    /// Whether the body rotates.
    pub(crate) turns: bool,
    /// The centre of rotation at the start, and the radius of the sphere about it that the body
    /// stays in, which only the path moves; for a body with one centre in all of the time.
    pub(crate) hub: Option<BoundingSphere>,
}

impl Drift {
    /// An upper bound of the mean speed of any point.
    pub(crate) fn speed(&self) -> f64 {
        (self.velocities[0].abs().max(self.velocities[1].abs()) + self.spin).length()
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Timed {
    start: f64,
    piece: Piece,
    /// The jump of the origin where this piece begins, and the further jump of a point at distance
    /// 1 from it.
    jump: [f64; 2],
}

impl Motion {
    /// A body at rest.
    pub fn still(pose: &Pose) -> Self {
        let path = Coefficients::from_slice(&[pose.translation()]);
        let rotation = DQuat::from_mat3(pose.rotation());
        let piece = Piece { center: DVec3::ZERO, path, rotation, axis: DVec3::Z, rate: 0.0 };
        Self { pieces: vec![Timed { start: 0.0, piece, jump: [0.0; 2] }], duration: 0.0 }
    }

    /// A steady motion: a point `center` of the body (in its coordinates) moves along a straight
    /// line, and the body rotates about it. Velocities are in the world.
    pub fn moving(start: &Pose, center: DVec3, linear: DVec3, angular: DVec3, duration: f64) -> Result<Self> {
        Self::polynomial(start, center, &[linear], angular, duration)
    }

    /// A screw motion: the body rotates with `angular` about the axis along it through `point` of
    /// the world, and slides along it.
    pub fn screw(start: &Pose, point: DVec3, angular: DVec3, sliding: f64, duration: f64) -> Result<Self> {
        let axis = unit(angular).unwrap_or(DVec3::ZERO);
        Self::polynomial(start, start.inverse().transform_point(point), &[axis * sliding], angular, duration)
    }

    /// A thrown body: its point `center` has a velocity at the start and a constant acceleration,
    /// and the body rotates about it.
    pub fn thrown(
        start: &Pose,
        center: DVec3,
        [velocity, acceleration]: [DVec3; 2],
        angular: DVec3,
        duration: f64,
    ) -> Result<Self> {
        Self::polynomial(start, center, &[velocity, acceleration * 0.5], angular, duration)
    }

    /// A polynomial motion: a point `center` of the body moves by `Σ coefficients[k]·tᵏ⁺¹` from its
    /// start, and the body rotates about it.
    pub fn polynomial(
        start: &Pose,
        center: DVec3,
        coefficients: &[DVec3],
        angular: DVec3,
        duration: f64,
    ) -> Result<Self> {
        if !(duration.is_finite() && duration >= 0.0) {
            return Err(Error::new(ErrorKind::BadRequest, format!("a motion cannot last {}", Readable(duration))));
        }
        if !coefficients.iter().chain([&center, &angular]).all(|vector| vector.is_finite()) {
            return Err(Error::new(ErrorKind::NotFinite, "a centre or velocity of a motion is not finite"));
        }
        let path = [start.transform_point(center)].into_iter().chain(coefficients.iter().copied()).collect();
        if coefficients.len() > MAX_COEFFICIENTS {
            let reason = format!("a motion has {} coefficients; at most {MAX_COEFFICIENTS}", coefficients.len());
            return Err(Error::new(ErrorKind::BadRequest, reason));
        }
        let axis = unit(angular);
        // Along the axis, so that no square leaves the range of numbers.
        let rate = axis.map_or(0.0, |axis| angular.dot(axis));
        let rotation = DQuat::from_mat3(start.rotation());
        let piece = Piece { center, path, rotation, axis: axis.unwrap_or(DVec3::Z), rate };
        let farthest = piece.displacement(0.0, duration, &BoundingSphere { center: DVec3::ZERO, radius: 0.0 });
        // Beyond this no pose could be made; a pose in between is not farther away.
        Pose::from_translation(start.translation().abs() + DVec3::splat(farthest))?;
        Ok(Self { pieces: vec![Timed { start: 0.0, piece, jump: [0.0; 2] }], duration })
    }

    /// Interpolates two poses: the origin along a straight line, the rotation by the shorter way at
    /// a constant rate (slerp).
    pub fn between(from: &Pose, to: &Pose, duration: f64) -> Result<Self> {
        if duration == 0.0 && from != to {
            return Err(Error::new(ErrorKind::BadRequest, "a motion between two poses takes time"));
        }
        let per_time = if duration > 0.0 { 1.0 / duration } else { 0.0 };
        let turn = DQuat::from_mat3(to.rotation()) * DQuat::from_mat3(from.rotation()).inverse();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        // The arc cosine of `w` would lose half of the digits of a small angle.
        let (axis, half) = (unit(turn.xyz()).unwrap_or(DVec3::ZERO), turn.xyz().length().atan2(turn.w));
        let linear = (to.translation() - from.translation()) * per_time;
        Self::moving(from, DVec3::ZERO, linear, axis * (2.0 * half * per_time), duration)
    }

    /// Interpolates poses at ascending times, each two by [`between`](Motion::between); the first
    /// time must be 0.
    pub fn through(waypoints: &[(f64, Pose)]) -> Result<Self> {
        let Some((first, rest)) = waypoints.split_first() else {
            return Err(Error::new(ErrorKind::Empty, "a motion through no pose at all"));
        };
        if first.0 != 0.0 {
            return Err(Error::new(
                ErrorKind::BadRequest,
                format!("the first pose of a motion is at {}, not 0", Readable(first.0)),
            ));
        }
        let (mut motion, mut last) = (Self::still(&first.1), first);
        for next in rest {
            motion = motion.then(Self::between(&last.1, &next.1, next.0 - last.0)?)?;
            last = next;
        }
        Ok(motion)
    }

    /// Appends another motion, which must start at the end of this one.
    pub fn then(mut self, next: Self) -> Result<Self> {
        let (end, begin) = (self.pose(self.duration), next.pose(0.0));
        let [shift, turn] = jump(&end, &begin);
        let size = end.translation().abs().element_sum() + begin.translation().abs().element_sum();
        if shift > LARGEST_JUMP * size.max(f64::MIN_POSITIVE) || turn > LARGEST_JUMP {
            let message = format!(
                "a motion starts {} away, turned by {}, from where the one before it ends",
                Readable(shift),
                Readable(turn)
            );
            return Err(Error::new(ErrorKind::BadRequest, message));
        }
        let first = self.pieces.len();
        let later = next.pieces.into_iter().map(|timed| Timed { start: self.duration + timed.start, ..timed });
        self.pieces.extend(later);
        self.pieces[first].jump = [shift, turn];
        self.set_jumps(first + 1);
        self.duration += next.duration;
        Ok(self)
    }

    /// The same motion, started later: the body is at its first pose until `by`.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3, motion::Motion};
    /// let leaving = Motion::moving(&Pose::IDENTITY, DVec3::ZERO, DVec3::X, DVec3::ZERO, 2.0)?.delayed(10.0)?;
    /// assert_eq!((leaving.pose(10.0).translation(), leaving.duration()), (DVec3::ZERO, 12.0));
    /// assert!(leaving.pose(11.5).translation().distance(DVec3::X * 1.5) < 1e-12);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn delayed(mut self, by: f64) -> Result<Self> {
        if !(by >= 0.0 && (by + self.duration).is_finite()) {
            return Err(Error::new(ErrorKind::BadRequest, format!("a motion cannot start {} later", Readable(by))));
        }
        if by == 0.0 {
            return Ok(self);
        }
        for timed in &mut self.pieces {
            timed.start += by;
        }
        self.set_jumps(1);
        // The first piece at its start, to the last bit: no jump where it begins.
        let first = &self.pieces[0].piece;
        let path = first.path.iter().copied().take(1).collect();
        let waiting = Piece { path, rate: 0.0, ..first.clone() };
        self.pieces.insert(0, Timed { start: 0.0, piece: waiting, jump: [0.0; 2] });
        self.duration += by;
        Ok(self)
    }

    /// Sets the jumps of pieces from one on, whose starts have changed: rounded, they make the
    /// pieces before longer or shorter.
    fn set_jumps(&mut self, from: usize) {
        for number in from..self.pieces.len() {
            let [before, after] = [&self.pieces[number - 1], &self.pieces[number]];
            let end = before.piece.pose(after.start - before.start).unwrap_or(Pose::IDENTITY);
            let begin = after.piece.pose(0.0).unwrap_or(Pose::IDENTITY);
            self.pieces[number].jump = jump(&end, &begin);
        }
    }

    /// The time at which the motion ends.
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// The pose of the body at a time.
    pub fn pose(&self, t: f64) -> Pose {
        let t = self.clamped(t);
        let timed = &self.pieces[self.piece_at(t)];
        // The constructors check the extent of the piece, and its rotation has length 1.
        timed.piece.pose(t - timed.start).unwrap_or(Pose::IDENTITY)
    }

    /// The times at which a piece begins, and the end: between two of them in a row the motion is
    /// smooth.
    pub(super) fn breaks(&self) -> impl Iterator<Item = f64> {
        self.pieces.iter().map(|timed| timed.start).chain([self.duration])
    }

    /// The motion to first order about a time, for `half` after it and, unless a piece begins or
    /// the motion ends there, before.
    pub(super) fn linear(&self, t: f64, half: f64) -> Linear {
        let timed = &self.pieces[self.piece_at(self.clamped(t))];
        let still = || {
            let (pose, zero) = (self.pose(t), DVec3::ZERO);
            Linear { pose, center: zero, velocity: zero, bend: 0.0, angular: zero }
        };
        // As for `pose`, the piece has a pose at each of its times.
        if t >= self.duration { still() } else { timed.piece.linear(t - timed.start, half).unwrap_or_else(|_| still()) }
    }

    /// The velocity of a body that translates along a straight line until its end, without
    /// rotation.
    pub(super) fn straight(&self) -> Option<DVec3> {
        match &self.pieces[..] {
            [Timed { piece, .. }] if piece.rate == 0.0 && piece.path.len() <= 2 => {
                Some(piece.path.get(1).copied().unwrap_or_default())
            }
            _ => None,
        }
    }

    /// The coefficients of the path of the centre of rotation, after a time; none from the end on.
    pub(super) fn taylor(&self, t: f64) -> Coefficients {
        let timed = &self.pieces[self.piece_at(self.clamped(t))];
        if t >= self.duration { Coefficients::new() } else { timed.piece.taylor(t - timed.start) }
    }

    fn clamped(&self, t: f64) -> f64 {
        // In this order NaN becomes 0.
        t.max(0.0).min(self.duration)
    }

    /// The piece at `t`: the last one that has begun.
    fn piece_at(&self, t: f64) -> usize {
        self.pieces.partition_point(|timed| timed.start <= t).saturating_sub(1)
    }

    /// A motion bound: an upper bound of the distance of any point of a sphere that moves with the
    /// body, at any time until `to`, from its place in `pose(from)`.
    pub fn displacement(&self, from: f64, to: f64, sphere: &BoundingSphere) -> f64 {
        self.sum(from, to, sphere, |piece, from, to| piece.displacement(from, to, sphere))
    }

    /// A motion bound along `direction`, a vector of length 1 in the world; at least 0.
    pub fn advance(&self, from: f64, to: f64, sphere: &BoundingSphere, direction: DVec3) -> f64 {
        self.sum(from, to, sphere, |piece, from, to| piece.advance(from, to, sphere, direction))
    }

    /// Bounds of where a sphere that moves with the body gets from `from` on, until `to`, as lines
    /// over time.
    pub(crate) fn drift(&self, from: f64, to: f64, sphere: &BoundingSphere) -> Drift {
        let (begin, to) = (self.clamped(from), to.max(from));
        let first = self.piece_at(begin);
        let velocities = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let mut drift = Drift { velocities, spin: DVec3::ZERO, shift: 0.0, hub: None, turns: false };
        if from >= self.duration {
            let last = &self.pieces[first];
            let shift = last.piece.rounding(begin - last.start, sphere);
            return Drift { velocities: [DVec3::ZERO; 2], shift, ..drift };
        }
        let mut pieces = 0;
        for (number, timed) in self.pieces.iter().enumerate().skip(first).take_while(|(_, timed)| timed.start <= to) {
            let end = self.pieces.get(number + 1).map_or(to.min(self.duration), |next| next.start.min(to));
            let local = [begin.max(timed.start) - timed.start, (end - timed.start).max(0.0)];
            let [low, high] = timed.piece.mean_velocities(local);
            drift.velocities = [drift.velocities[0].min(low), drift.velocities[1].max(high)];
            drift.spin = drift.spin.max(timed.piece.spin(sphere));
            drift.turns |= timed.piece.rate != 0.0;
            if number > first {
                drift.shift += timed.jump[0] + timed.jump[1] * (sphere.center.length() + sphere.radius);
            }
            drift.shift += timed.piece.rounding(local[1], sphere);
            pieces += 1;
        }
        if to > self.duration {
            drift.velocities = [drift.velocities[0].min(DVec3::ZERO), drift.velocities[1].max(DVec3::ZERO)];
        }
        if pieces == 1 && drift.turns {
            let timed = &self.pieces[first];
            drift.hub = timed.piece.hub(begin - timed.start, sphere);
        }
        // What sums and roundings of the world's times lose.
        let fastest = drift.velocities[0].abs().max(drift.velocities[1].abs()) + drift.spin;
        drift.shift += 1e-15 * (4 + pieces) as f64 * (fastest.element_sum() * to.abs() + drift.shift);
        drift
    }

    /// Sums the bounds of single pieces to one over an interval.
    fn sum(&self, from: f64, to: f64, sphere: &BoundingSphere, bound: impl Fn(&Piece, f64, f64) -> f64) -> f64 {
        let (from, to) = (self.clamped(from), self.clamped(to));
        let first = self.piece_at(from);
        let mut sum = 0.0;
        for (number, timed) in self.pieces.iter().enumerate().skip(first).take_while(|(_, timed)| timed.start <= to) {
            let end = self.pieces.get(number + 1).map_or(to, |next| next.start.min(to));
            sum += bound(&timed.piece, from.max(timed.start) - timed.start, end - timed.start);
            if number > first {
                sum += timed.jump[0] + timed.jump[1] * (sphere.center.length() + sphere.radius);
            }
        }
        sum * (1.0 + 1e-15 * (1 + self.pieces.len()) as f64)
    }
}

/// An upper bound of the jump of the origin from one pose to another, and the further jump of a
/// point at distance 1 from it.
fn jump(end: &Pose, begin: &Pose) -> [f64; 2] {
    let slack = 1.0 + 16.0 * UNIT_ROUNDOFF;
    let turn = *end.rotation() - *begin.rotation();
    let turn = turn.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt();
    [end.translation().distance(begin.translation()) * slack, turn * slack]
}
