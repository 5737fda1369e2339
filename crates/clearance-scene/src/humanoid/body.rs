//! The links of the mobile base, the torso and the head, each about the joint that carries it.
//! Forward is +x, left is +y.

use super::parts::{ACCENT, DARK, Fork, METAL, SHELL};
use crate::picture::Color;
use crate::solid::{
    Ends, Solid, capsule, circle, disc, lathe, loft, rounded_box, section, smooth_lathe, sphere, torus, tube,
};
use clearance_engine::math::DVec3;
use std::f64::consts::TAU;

/// The flat face on top of the base's column.
pub(super) const COLUMN: f64 = 0.580;
/// From that face to the torso's pitch axis.
pub(super) const HIP: f64 = 0.135;
/// From the pitch axis to the roll axis.
pub(super) const SPINE: f64 = 0.150;
/// The shoulders in the chest, beside and above the roll axis.
pub(super) const SHOULDER: (f64, f64) = (0.215, 0.330);
/// From the roll axis to the neck's pitch axis.
pub(super) const NECK: f64 = 0.500;
/// From the neck's pitch axis to its roll axis.
pub(super) const NAPE: f64 = 0.080;
/// From there to the flat face below the head.
pub(super) const SKULL: f64 = 0.056;

const FACE: f64 = 0.0015;
const LENS: Color = [20, 26, 40];
const GLINT: Color = [120, 190, 230];
const RED: Color = [200, 40, 36];

const HIP_FORK: Fork =
    Fork { axis: DVec3::Y, back: DVec3::NEG_Z, gap: 0.100, cheek: 0.024, radius: 0.054, reach: 0.092 };
const SPINE_FORK: Fork =
    Fork { axis: DVec3::X, back: DVec3::NEG_Z, gap: 0.090, cheek: 0.020, radius: 0.048, reach: 0.070 };
const NECK_FORK: Fork =
    Fork { axis: DVec3::Y, back: DVec3::NEG_Z, gap: 0.050, cheek: 0.011, radius: 0.028, reach: 0.056 };
const NAPE_FORK: Fork =
    Fork { axis: DVec3::X, back: DVec3::NEG_Z, gap: 0.042, cheek: 0.010, radius: 0.024, reach: 0.038 };

/// A shell over box-like sections: (height, half length, half width, shift forward, exponent).
fn hull(sections: &[(f64, f64, f64, f64, f64)], around: usize) -> Solid {
    let ring = |&(z, x, y, shift, exponent): &(f64, f64, f64, f64, f64)| {
        section(DVec3::new(shift, 0.0, z), x, y, exponent, around)
    };
    loft(&sections.iter().map(ring).collect::<Vec<_>>(), Ends::Capped)
}

/// The wheeled platform with a column, on three wheels with rollers.
pub(super) fn platform() -> Solid {
    let skirt = hull(
        &[
            (0.050, 0.245, 0.225, 0.0, 4.0),
            (0.062, 0.265, 0.245, 0.0, 4.0),
            (0.100, 0.275, 0.255, 0.0, 4.0),
            (0.235, 0.275, 0.255, 0.0, 4.0),
            (0.275, 0.262, 0.242, -0.003, 3.6),
            (0.300, 0.235, 0.215, -0.010, 3.2),
        ],
        36,
    );
    let column = hull(
        &[
            (0.298, 0.190, 0.180, -0.02, 3.0),
            (0.330, 0.165, 0.160, -0.02, 2.8),
            (0.420, 0.140, 0.140, -0.01, 2.4),
            (0.500, 0.125, 0.125, 0.0, 2.0),
            (0.560, 0.118, 0.118, 0.0, 2.0),
            (COLUMN - FACE, 0.108, 0.108, 0.0, 2.0),
        ],
        28,
    );
    let bumper = section(DVec3::new(0.0, 0.0, 0.150), 0.277, 0.257, 4.0, 36);
    let bumper = tube(&bumper, |_| 0.012, 4, Ends::Joined).painted(DARK);
    let mut platform = Solid::union([skirt.painted(SHELL), column.painted(ACCENT), bumper]);
    for k in 0..3 {
        platform = platform.with(wheel().turned(DVec3::Z, TAU * k as f64 / 3.0));
    }
    let scanner = smooth_lathe(&[(0.040, 0.0), (0.044, 0.014), (0.040, 0.030), (0.044, 0.044), (0.026, 0.062)], 2, 16);
    let scanner = scanner.moved(0.190, 0.0, 0.294).painted(DARK);
    let button = disc(0.018, 0.0, 0.016, 0.003, 12).moved(-0.180, 0.120, 0.296).painted(RED);
    let socket = disc(0.026, -0.004, 0.004, 0.002, 12).moved(-0.180, 0.120, 0.294).painted(METAL);
    Solid::union([platform, scanner, button, socket])
}

/// An omnidirectional wheel whose axis points outward: a hub with rollers along its rim.
fn wheel() -> Solid {
    let (radius, roller, count) = (0.055, 0.011, 8);
    let hub = disc(radius - 1.4 * roller, -0.016, 0.016, 0.004, 14).aimed(DVec3::X, DVec3::Z).painted(METAL);
    let rim = radius - roller;
    let vertices = circle(DVec3::ZERO, DVec3::Y, DVec3::Z, rim, count);
    let rollers = (0..count).map(|i| {
        let (a, b) = (vertices[i], vertices[(i + 1) % count]);
        capsule(a.lerp(b, 0.28), a.lerp(b, 0.72), roller * 0.85, roller * 0.85, 6, 1).painted(DARK)
    });
    hub.with(Solid::union(rollers)).moved(0.150, 0.0, radius)
}

/// Turns on the column and carries the fork of the torso's pitch axis.
pub(super) fn waist() -> Solid {
    let table = smooth_lathe(&[(0.104, FACE), (0.112, 0.008), (0.112, 0.030), (0.098, 0.046)], 2, 28).painted(SHELL);
    table.with(HIP_FORK.cheeks(9).moved(0.0, 0.0, HIP))
}

/// The cross of the torso: turns about y below and carries a fork across x above.
pub(super) fn spine() -> Solid {
    let block = rounded_box(DVec3::new(0.132, 0.092, 0.030), 0.008, 2).moved(0.0, 0.0, 0.072).painted(METAL);
    let tongue = HIP_FORK.tongue(DVec3::Z, 0.066, 9);
    Solid::union([tongue, block, SPINE_FORK.cheeks(9).moved(0.0, 0.0, SPINE)])
}

/// The trunk with the shoulders' seats and the fork of the neck.
pub(super) fn chest() -> Solid {
    let trunk = hull(
        &[
            (0.062, 0.060, 0.058, 0.000, 2.4),
            (0.076, 0.082, 0.086, 0.000, 2.4),
            (0.110, 0.094, 0.108, 0.004, 2.6),
            (0.160, 0.104, 0.128, 0.008, 2.8),
            (0.210, 0.114, 0.148, 0.012, 3.0),
            (0.260, 0.122, 0.164, 0.016, 3.0),
            (0.310, 0.124, 0.172, 0.016, 3.0),
            (0.350, 0.118, 0.170, 0.012, 3.0),
            (0.385, 0.104, 0.154, 0.006, 2.8),
            (0.412, 0.082, 0.120, 0.002, 2.4),
            (0.430, 0.058, 0.082, 0.000, 2.2),
            (0.436, 0.050, 0.060, 0.000, 2.0),
        ],
        32,
    );
    let collar = disc(0.048, 0.426, 0.450, 0.006, 20).painted(METAL);
    let mut chest = Solid::union([SPINE_FORK.tongue(DVec3::Z, 0.070, 9), trunk.painted(SHELL), collar]);
    for side in [1.0, -1.0] {
        let seat = [(0.076, 0.150), (0.076, 0.180), (0.066, 0.198), (0.054, SHOULDER.0 - FACE)];
        let seat = smooth_lathe(&seat, 1, 20).aimed(DVec3::Y * side, DVec3::X).moved(0.0, 0.0, SHOULDER.1);
        chest = chest.with(seat.painted(ACCENT));
    }
    Solid::union([chest, chest_front(), NECK_FORK.cheeks(6).moved(0.0, 0.0, NECK)])
}

/// A panel, a lamp and a power pack on the trunk.
fn chest_front() -> Solid {
    let panel = rounded_box(DVec3::new(0.016, 0.150, 0.110), 0.006, 2).turned(DVec3::Y, 0.06).moved(0.134, 0.0, 0.285);
    let lamp = disc(0.016, 0.0, 0.010, 0.003, 12).aimed(DVec3::X, DVec3::Z).moved(0.138, 0.0, 0.300);
    let ring = torus(0.022, 0.003, 16, 5).aimed(DVec3::X, DVec3::Z).moved(0.142, 0.0, 0.300);
    let pack = rounded_box(DVec3::new(0.070, 0.220, 0.200), 0.020, 3).moved(-0.118, 0.0, 0.260);
    Solid::union([panel.painted(ACCENT), lamp.painted(GLINT), ring.painted(METAL), pack.painted(DARK)])
}

/// The cross of the neck: turns about y below and carries a fork across x above.
pub(super) fn neck() -> Solid {
    let block = rounded_box(DVec3::new(0.062, 0.046, 0.014), 0.004, 2).moved(0.0, 0.0, 0.038).painted(METAL);
    let tongue = NECK_FORK.tongue(DVec3::Z, 0.036, 6);
    Solid::union([tongue, block, NAPE_FORK.cheeks(6).moved(0.0, 0.0, NAPE)])
}

/// Turns about x in the neck and ends in the flat face below the head.
pub(super) fn nape() -> Solid {
    let plate = smooth_lathe(&[(0.026, 0.032), (0.034, 0.040), (0.044, 0.046), (0.044, SKULL - FACE)], 2, 20);
    NAPE_FORK.tongue(DVec3::Z, 0.038, 6).with(plate.painted(ACCENT))
}

/// The head: a skull with a dark face, two cameras, ears and an antenna.
pub(super) fn head() -> Solid {
    let skull = hull(
        &[
            (FACE, 0.046, 0.046, 0.000, 2.0),
            (0.012, 0.062, 0.056, 0.006, 2.2),
            (0.034, 0.080, 0.066, 0.012, 2.4),
            (0.062, 0.092, 0.075, 0.012, 2.5),
            (0.094, 0.098, 0.081, 0.010, 2.5),
            (0.126, 0.100, 0.084, 0.006, 2.5),
            (0.156, 0.096, 0.082, 0.002, 2.4),
            (0.182, 0.085, 0.074, -0.002, 2.3),
            (0.202, 0.066, 0.059, -0.005, 2.2),
            (0.216, 0.042, 0.038, -0.006, 2.1),
            (0.222, 0.018, 0.016, -0.006, 2.0),
        ],
        32,
    );
    let visor = rounded_box(DVec3::new(0.030, 0.128, 0.058), 0.013, 3).moved(0.099, 0.0, 0.112);
    let mouth = rounded_box(DVec3::new(0.012, 0.046, 0.008), 0.0035, 1).moved(0.091, 0.0, 0.044);
    let mut head = Solid::union([skull.painted(SHELL), visor.painted(DARK), mouth.painted(DARK)]);
    for side in [1.0, -1.0] {
        let barrel = [(0.021, 0.0), (0.022, 0.010), (0.018, 0.014), (0.013, 0.008), (0.0, 0.008)];
        let barrel = lathe(&barrel, 16, Ends::Capped).painted(METAL);
        let lens = sphere(0.013, 12, 4).stretched(1.0, 1.0, 0.5).moved(0.0, 0.0, 0.009).painted(LENS);
        let glint = sphere(0.0035, 8, 3).moved(0.003, 0.004, 0.0145).painted(GLINT);
        let eye = Solid::union([barrel, lens, glint]).aimed(DVec3::X, DVec3::Z).moved(0.110, side * 0.034, 0.114);
        let ear = [(0.034, 0.0), (0.036, 0.010), (0.028, 0.018), (0.012, 0.016), (0.0, 0.014)];
        let ear = lathe(&ear, 15, Ends::Capped).aimed(DVec3::Y * side, DVec3::X).moved(0.0, side * 0.076, 0.108);
        head = Solid::union([head, eye, ear.painted(ACCENT)]);
    }
    let rod = capsule(DVec3::new(-0.04, -0.088, 0.120), DVec3::new(-0.055, -0.096, 0.230), 0.003, 0.002, 6, 1);
    head.with(rod.painted(DARK))
}
