//! The links of an arm that hangs down (−z), each about the joint that carries it. `side` is 1 for
//! the left (+y), −1 for the right; the palm faces the body and the thumb points forward.

use super::parts::{ACCENT, DARK, Fork, METAL, SHELL};
use crate::solid::{Solid, capsule, disc, rounded_box, smooth_lathe};
use clearance_engine::math::DVec3;

/// From the shoulder's first axis outward to the second.
pub(super) const SHOULDER_WIDTH: f64 = 0.13;
/// From the second axis down to the flat face of the upper arm.
pub(super) const MOUNT: f64 = 0.100;
/// From that face to the elbow.
pub(super) const UPPER_ARM: f64 = 0.225;
/// From the elbow to the flat face of the forearm.
pub(super) const ELBOW: f64 = 0.095;
/// From that face to the wrist's first axis.
pub(super) const FOREARM: f64 = 0.200;
/// From the wrist's first axis to the second.
pub(super) const WRIST: f64 = 0.088;

/// Half of the gap between two flat faces.
const FACE: f64 = 0.0015;

const ROLL: Fork = Fork { axis: DVec3::X, back: DVec3::NEG_Y, gap: 0.070, cheek: 0.016, radius: 0.044, reach: 0.076 };
const ELBOW_FORK: Fork = Fork { axis: DVec3::Y, back: DVec3::Z, gap: 0.060, cheek: 0.013, radius: 0.040, reach: 0.085 };
const WRIST_FORK: Fork = Fork { axis: DVec3::Y, back: DVec3::Z, gap: 0.044, cheek: 0.010, radius: 0.027, reach: 0.062 };
const PALM_FORK: Fork = Fork { axis: DVec3::X, back: DVec3::Z, gap: 0.034, cheek: 0.008, radius: 0.022, reach: 0.040 };

/// Turns about y on the chest's side and carries the fork of the second axis.
pub(super) fn shoulder(side: f64) -> Solid {
    let outward = DVec3::Y * side;
    let drum = smooth_lathe(&[(0.050, FACE), (0.064, 0.010), (0.066, 0.035), (0.060, 0.055)], 2, 16).painted(SHELL);
    let fork = Fork { back: -outward, ..ROLL };
    drum.aimed(outward, DVec3::X).with(fork.cheeks(7).moved(0.0, side * SHOULDER_WIDTH, 0.0))
}

/// Turns about x in the shoulder's fork and ends in the flat face of the upper arm.
pub(super) fn mount() -> Solid {
    let collar = smooth_lathe(&[(0.042, MOUNT - FACE), (0.047, 0.090), (0.042, 0.070), (0.032, 0.058)], 2, 16);
    ROLL.tongue(DVec3::NEG_Z, 0.064, 7).with(collar.painted(ACCENT).stretched(1.0, 1.0, -1.0))
}

/// Turns about its own length and ends in the elbow's fork.
pub(super) fn upper_arm() -> Solid {
    let profile = [(0.044, -FACE), (0.050, -0.012), (0.052, -0.060), (0.049, -0.110), (0.044, -0.140), (0.030, -0.158)];
    let shell = smooth_lathe(&profile, 2, 16).painted(SHELL);
    shell.with(ELBOW_FORK.cheeks(7).moved(0.0, 0.0, -UPPER_ARM))
}

/// Turns in the elbow's fork and ends in the flat face of the forearm.
pub(super) fn elbow() -> Solid {
    let collar = smooth_lathe(&[(0.024, 0.052), (0.030, 0.064), (0.040, 0.078), (0.038, ELBOW - FACE)], 2, 16);
    ELBOW_FORK.tongue(DVec3::NEG_Z, 0.060, 7).with(collar.painted(ACCENT).stretched(1.0, 1.0, -1.0))
}

/// Turns about its own length and ends in the wrist's fork.
pub(super) fn forearm() -> Solid {
    let profile = [(0.038, -FACE), (0.044, -0.015), (0.043, -0.060), (0.037, -0.110), (0.034, -0.140), (0.026, -0.153)];
    let shell = smooth_lathe(&profile, 2, 16).painted(SHELL);
    shell.with(WRIST_FORK.cheeks(6).moved(0.0, 0.0, -FOREARM))
}

/// The cross of the wrist: turns about y above and carries a fork across x below.
pub(super) fn wrist() -> Solid {
    let block = rounded_box(DVec3::new(0.052, 0.044, 0.014), 0.004, 2).moved(0.0, 0.0, -0.042).painted(METAL);
    let tongue = WRIST_FORK.tongue(DVec3::NEG_Z, 0.038, 6);
    Solid::union([tongue, block, PALM_FORK.cheeks(6).moved(0.0, 0.0, -WRIST)])
}

/// A hand that is about to take a cup: the fingers half bent towards the body, the thumb against
/// them.
pub(super) fn hand(side: f64) -> Solid {
    let inward = -side;
    let tongue = PALM_FORK.tongue(DVec3::NEG_Z, 0.038, 6);
    let ankle = disc(0.021, 0.030, 0.050, 0.003, 12).stretched(1.0, 1.0, -1.0).painted(METAL);
    let palm = rounded_box(DVec3::new(0.086, 0.030, 0.086), 0.010, 2).moved(0.0, 0.0, -0.088).painted(SHELL);
    let back =
        rounded_box(DVec3::new(0.064, 0.008, 0.062), 0.003, 1).moved(0.0, -inward * 0.016, -0.086).painted(ACCENT);
    let mut hand = Solid::union([tongue, ankle, palm, back]);
    for (x, length) in [(0.033, 0.94), (0.011, 1.06), (-0.011, 1.0), (-0.033, 0.82)] {
        let root = DVec3::new(x, 0.0, -0.131);
        hand = hand.with(finger(root, DVec3::NEG_Z, DVec3::Y * inward, [0.040, 0.030, 0.022].map(|l| l * length)));
    }
    let thumb_root = DVec3::new(0.040, inward * 0.006, -0.068);
    let thumb = DVec3::new(0.62, inward * 0.62, -0.48).normalize();
    let bend = DVec3::new(-0.30, inward * 0.55, -0.78).normalize();
    hand.with(finger(thumb_root, thumb, bend, [0.040, 0.032, 0.024]))
}

/// Three phalanges that bend from `straight` towards `bend`.
fn finger(root: DVec3, straight: DVec3, bend: DVec3, lengths: [f64; 3]) -> Solid {
    const ANGLES: [f64; 3] = [0.25, 0.75, 1.15];
    const RADII: [f64; 4] = [0.0098, 0.0090, 0.0082, 0.0072];
    let bend = (bend - straight * bend.dot(straight)).normalize();
    let mut finger = Solid::default();
    let mut start = root;
    for k in 0..3 {
        let end = start + (straight * ANGLES[k].cos() + bend * ANGLES[k].sin()) * lengths[k];
        let color = if k == 2 { DARK } else { SHELL };
        finger = finger.with(capsule(start, end, RADII[k], RADII[k + 1], 8, 2).painted(color));
        start = end;
    }
    finger
}
