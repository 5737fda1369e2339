//! One piece of a motion: a point of the body follows a polynomial, and the body rotates about it
//! at a constant rate.
//!
//! Screws, straight interpolation with slerp, and thrown bodies are all of this form; that is why
//! there is only one. With `c(s) = Σ aₖ sᵏ` and `R(s) = exp(s·ω)·R₀`, a point p of the body is at
//! `c(s) + R(s)(p − center)`.
//!
//! Bounds: from s to s + h the centre moves by at most `Σ |Taylor coefficient k at s|·hᵏ`, k ≥ 1
//! (exact for a straight line), and a point at distance ρ from the axis by the chord
//! `2ρ·sin(min(h|ω|, π)/2)`. Along a unit vector n the chord of a point at r from the centre is
//! `A·sin θ − B·(1 − cos θ)` with `A = n·(axis × r)` and `B = n·r⊥`, which peaks at θ = atan2(A,
//! B).
//!
//! Rounding: a pose takes a Horner sum, a sine and cosine of an angle off by a few of its own
//! roundings, a product of quaternions and their matrix: less than 64 roundings of what
//! [`Piece::size`] sums up. Bounds are enlarged by as many.

use crate::math::{DQuat, DVec3, UNIT_ROUNDOFF};
use crate::volume::BoundingSphere;
use crate::{Pose, Result};
use smallvec::SmallVec;
use std::f64::consts::PI;

/// The rounding error of the arithmetic here, relative to the sizes in it.
const SLACK: f64 = 64.0 * UNIT_ROUNDOFF;

/// The coefficients of a polynomial, constant first.
pub(super) type Coefficients = SmallVec<[DVec3; 4]>;

/// A motion about one time, to first order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Linear {
    /// The pose at that time, up to rounding.
    pub(super) pose: Pose,
    /// The centre of rotation, in the body's coordinates.
    pub(super) center: DVec3,
    /// The velocity of the centre, in the world.
    pub(super) velocity: DVec3,
    /// An upper bound of the distance of the centre from its linear motion, in the given time.
    pub(super) bend: f64,
    /// The angular velocity of the body about it, in the world.
    pub(super) angular: DVec3,
}

/// A polynomial path of a point of the body, and a steady rotation about it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    /// The centre of rotation, in the body's coordinates.
    pub(super) center: DVec3,
    /// The path of the centre, in the world; never empty.
    pub(super) path: Coefficients,
    /// The rotation at the start.
    pub(super) rotation: DQuat,
    /// The axis, of length 1, in the world; any direction where the rate is 0.
    pub(super) axis: DVec3,
    /// The rate in radians per unit of time, not negative.
    pub(super) rate: f64,
}

/// An upper bound of a vector's length, also where its square is too small a number.
pub(super) fn length(v: DVec3) -> f64 {
    let length = v.length();
    if length > 1e-140 { length } else { v.abs().element_sum() }
}

impl Piece {
    /// The pose of the body at `s` after the piece's start.
    pub(super) fn pose(&self, s: f64) -> Result<Pose> {
        let center = self.path.iter().rev().fold(DVec3::ZERO, |sum, &coefficient| sum * s + coefficient);
        let (sin, cos) = (0.5 * self.rate * s).sin_cos();
        let turn = DQuat::from_xyzw(self.axis.x * sin, self.axis.y * sin, self.axis.z * sin, cos);
        let turned = Pose::new(turn * self.rotation, DVec3::ZERO)?;
        Pose::new(turn * self.rotation, center - turned.transform_vector(self.center))
    }

    /// The sum of the lengths, with their factors, that place a point of a sphere at `s`: rounding
    /// is relative to it.
    fn size(&self, s: f64, sphere: &BoundingSphere) -> f64 {
        let path = self.path.iter().rev().fold(0.0, |sum, coefficient| sum * s + coefficient.abs().element_sum());
        let arm = self.center.abs().element_sum() + sphere.center.abs().element_sum() + sphere.radius;
        path + arm * (2.0 + self.rate * s)
    }

    /// The Taylor coefficients of the path about `s`.
    pub(super) fn taylor(&self, s: f64) -> Coefficients {
        let mut shifted = self.path.clone();
        // Horner's scheme, repeated: each round leaves one coefficient behind.
        for done in 0..shifted.len() {
            for k in (done..shifted.len() - 1).rev() {
                let next = shifted[k + 1];
                shifted[k] += next * s;
            }
        }
        shifted
    }

    /// The motion about `s`, for `half` before and after.
    pub(super) fn linear(&self, s: f64, half: f64) -> Result<Linear> {
        let taylor = self.taylor(s);
        let bend = taylor.iter().skip(2).rev().fold(0.0, |sum, term| (sum + length(*term)) * half) * half;
        Ok(Linear {
            pose: self.pose(s)?,
            center: self.center,
            velocity: taylor.get(1).copied().unwrap_or_default(),
            bend: bend * (1.0 + SLACK),
            angular: self.axis * self.rate,
        })
    }

    /// An upper bound of the distance of any point of a sphere of the body from its place at
    /// `from`, until `to`; with the rounding of one pose.
    pub(super) fn displacement(&self, from: f64, to: f64, sphere: &BoundingSphere) -> f64 {
        let h = to - from;
        let straight = match &self.path[..] {
            [_] => 0.0,
            [_, velocity] => length(*velocity) * h,
            _ => self.taylor(from)[1..].iter().rev().fold(0.0, |sum, term| (sum + length(*term)) * h),
        };
        let arm = self.axis.cross(self.rotation * (sphere.center - self.center)).length() + sphere.radius;
        let chord = 2.0 * (0.5 * (self.rate * h).min(PI)).sin();
        let turning = if chord > 0.0 { chord * arm } else { 0.0 };
        straight + turning + self.rounding(to, sphere)
    }

    /// Bounds of the centre's mean velocity, axis by axis, between the first time and any later one
    /// up to the second.
    pub(super) fn mean_velocities(&self, [from, to]: [f64; 2]) -> [DVec3; 2] {
        let (taylor, h) = (self.taylor(from), (to - from).max(0.0));
        let linear = taylor.get(1).copied().unwrap_or_default();
        let (mut low, mut high, mut power) = (linear, linear, 1.0);
        for term in taylor.iter().skip(2) {
            power *= h;
            low += (*term * power).min(DVec3::ZERO);
            high += (*term * power).max(DVec3::ZERO);
        }
        let slack = SLACK * low.abs().max(high.abs());
        [low - slack, high + slack]
    }

    /// An upper bound of the speed, along each axis of the world, at which rotation moves any point
    /// of a sphere of the body.
    pub(super) fn spin(&self, sphere: &BoundingSphere) -> DVec3 {
        if self.rate == 0.0 {
            return DVec3::ZERO;
        }
        let arm = self.axis.cross(self.rotation * (sphere.center - self.center)).length() + sphere.radius;
        let fastest = self.rate * arm * (1.0 + SLACK);
        let along = |axis: usize| {
            let part = self.axis.cross(DVec3::AXES[axis]).length();
            if part == 0.0 { 0.0 } else { fastest * part }
        };
        DVec3::from_array([0, 1, 2].map(along))
    }

    /// The sphere about the centre of rotation that holds a sphere of the body, at `s`.
    pub(super) fn hub(&self, s: f64, sphere: &BoundingSphere) -> Option<BoundingSphere> {
        let radius = sphere.center.distance(self.center) + sphere.radius;
        let center = self.path.iter().rev().fold(DVec3::ZERO, |sum, coefficient| sum * s + *coefficient);
        radius.is_finite().then_some(BoundingSphere { center, radius: radius * (1.0 + SLACK) })
    }

    /// The rounding error of a point of a sphere in a pose, up to `s`.
    pub(super) fn rounding(&self, s: f64, sphere: &BoundingSphere) -> f64 {
        SLACK * self.size(s, sphere)
    }

    /// An upper bound of the motion of any point of a sphere of the body along the unit vector
    /// `direction`, from its place at `from`, until `to`.
    pub(super) fn advance(&self, from: f64, to: f64, sphere: &BoundingSphere, direction: DVec3) -> f64 {
        let h = to - from;
        let taylor = self.taylor(from);
        let higher = taylor.iter().skip(2).rev().fold(0.0, |sum, term| (sum + term.dot(direction).abs()) * h) * h;
        let linear = taylor.get(1).map_or(0.0, |velocity| velocity.dot(direction)) * h;
        // A straight line and a convex rest: the maximum is at one of the ends.
        let straight = (linear + higher).max(0.0);
        let turning = if self.rate > 0.0 { self.turning_along(from, h, sphere, direction) } else { 0.0 };
        straight + turning + self.rounding(to, sphere)
    }

    fn turning_along(&self, from: f64, h: f64, sphere: &BoundingSphere, direction: DVec3) -> f64 {
        let angle = self.rate * h;
        let turned = DQuat::from_axis_angle(self.axis, self.rate * from) * self.rotation;
        let arm = turned * (sphere.center - self.center);
        let across = arm - self.axis * arm.dot(self.axis);
        let (a, b) = (direction.dot(self.axis.cross(arm)), direction.dot(across));
        let peak = a.atan2(b);
        let peak = if peak < 0.0 { peak + 2.0 * PI } else { peak };
        let value = |angle: f64| a * angle.sin() - b * (1.0 - angle.cos());
        // Near the peak its own rounding decides whether it is before the end: then it counts.
        let of_center = if peak <= angle * (1.0 + SLACK) + SLACK { a.hypot(b) - b } else { value(angle).max(0.0) };
        let of_radius = 2.0 * (0.5 * angle.min(PI)).sin() * self.axis.cross(direction).length() * sphere.radius;
        of_center.max(0.0) + of_radius
    }
}
