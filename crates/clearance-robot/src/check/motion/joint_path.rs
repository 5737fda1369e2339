//! Where a motion leads: a straight line or a curve.

use super::MotionRequest;
use crate::check::JointCurve;
use clearance_engine::Pose;
use clearance_engine::math::{DQuat, DVec3};

/// The motion that is asked about.
pub(super) struct Asked<'a> {
    pub(super) base: &'a Pose,
    pub(super) way: Way<'a>,
    pub(super) request: &'a MotionRequest,
    /// All of it is.
    pub(super) within_limits: bool,
    /// At least what rounding may change of all joints' positions together.
    pub(super) strays: f64,
    /// By how much more than nothing pairs must be apart to be proven, in metres.
    pub(super) clearance: f64,
}

/// A way through configurations, from 0 to 1.
#[derive(Clone, Copy)]
pub(super) enum Way<'w> {
    Line([&'w [f64]; 2]),
    Curve(&'w JointCurve),
}

impl Way<'_> {
    /// The configuration at a time; `floats` says where quaternions begin.
    pub(super) fn at(&self, t: f64, floats: &[usize], out: &mut Vec<f64>) {
        out.clear();
        match self {
            Self::Curve(curve) => out.extend(curve.values(t)),
            Self::Line([from, to]) => {
                out.extend(from.iter().zip(*to).map(|(a, b)| a + (b - a) * t));
                for &first in floats {
                    let (start, axis, angle) = turn_between(from, to, first);
                    let (sin, cos) = (0.5 * angle * t).sin_cos();
                    let [x, y, z, w] =
                        (DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos) * start).to_array();
                    out[first..first + 4].copy_from_slice(&[w, x, y, z]);
                }
            }
        }
    }
}

/// The turn by the shorter way between two quaternions of configurations, w first, from place
/// `first` on: the first one as a unit quaternion, the axis and the angle. Quaternions that are
/// none stay what they are, and make no pose.
pub(super) fn turn_between(from: &[f64], to: &[f64], first: usize) -> (DQuat, DVec3, f64) {
    let read = |numbers: &[f64]| {
        let quaternion = DQuat::from_xyzw(numbers[first + 1], numbers[first + 2], numbers[first + 3], numbers[first]);
        let length = quaternion.length();
        if length > 0.0 && length.is_finite() { quaternion / length } else { quaternion }
    };
    let (start, end) = (read(from), read(to));
    let turn = end * start.conjugate();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    // The arc cosine of `w` would lose half of the digits of a small angle.
    let length = turn.xyz().length();
    (start, turn.xyz() / length.max(f64::MIN_POSITIVE), 2.0 * length.atan2(turn.w))
}
