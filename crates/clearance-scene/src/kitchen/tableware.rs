//! The small things: crockery, pots, bottles, fruit. Each stands on z = 0 about the z axis unless
//! it says otherwise.

use super::paint::{self, *};
use crate::picture::Color;
use crate::solid::{
    Ends, Solid, capsule, circle, cuboid, curve, disc, lathe, rounded_box, smooth_lathe, sphere, torus, tube,
};
use clearance_engine::math::DVec3;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

fn at(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// A bent bar from `from` to `to` in the plane y = 0 that stands off by `out` along x: a handle.
fn handle(from: DVec3, to: DVec3, out: f64, radius: f64, steps: usize, around: usize) -> Solid {
    let off = DVec3::X * out;
    let middle = (from + to) * 0.5 + off;
    let path = curve(&[from, from.lerp(to, 0.12) + off * 0.8, middle, to.lerp(from, 0.12) + off * 0.8, to], steps);
    tube(&path, |_| radius, around, Ends::Capped)
}

/// A mug, 9 cm high, with its handle towards +x.
pub(super) fn cup(color: Color) -> Solid {
    let outside = [(0.027, 0.0), (0.034, 0.006), (0.038, 0.030), (0.039, 0.060), (0.0405, 0.088)];
    let inside = [(0.0385, 0.0915), (0.0370, 0.087), (0.0360, 0.060), (0.0350, 0.030), (0.0300, 0.010)];
    let body = smooth_lathe(&[outside, inside].concat(), 2, 24);
    let ear = handle(at(0.0375, 0.0, 0.074), at(0.0365, 0.0, 0.022), 0.030, 0.0048, 3, 8);
    body.with(ear).painted(color)
}

/// A plate 26 cm across.
pub(super) fn plate(color: Color) -> Solid {
    let below = [(0.074, 0.0), (0.080, 0.002), (0.088, 0.008), (0.112, 0.014), (0.130, 0.022)];
    let above = [(0.1305, 0.0245), (0.126, 0.0238), (0.110, 0.0180), (0.088, 0.0120), (0.076, 0.0070)];
    smooth_lathe(&[below, above].concat(), 1, 40).painted(color)
}

/// A bowl of radius 1, scaled to `radius`.
pub(super) fn bowl(radius: f64, color: Color) -> Solid {
    let outside = [(0.36, 0.0), (0.42, 0.03), (0.66, 0.17), (0.86, 0.38), (0.99, 0.62)];
    let inside = [(0.965, 0.645), (0.93, 0.60), (0.80, 0.38), (0.60, 0.19), (0.36, 0.08)];
    smooth_lathe(&[outside, inside].concat(), 2, 28).stretched(radius, radius, radius).painted(color)
}

/// A stemmed glass, 19 cm high.
pub(super) fn wine_glass() -> Solid {
    let outside = [
        (0.034, 0.0),
        (0.033, 0.003),
        (0.010, 0.009),
        (0.0045, 0.022),
        (0.0042, 0.075),
        (0.012, 0.090),
        (0.036, 0.115),
        (0.040, 0.140),
        (0.034, 0.188),
    ];
    let inside = [(0.0322, 0.1885), (0.0378, 0.140), (0.0335, 0.116), (0.010, 0.094)];
    smooth_lathe(&[&outside[..], &inside[..]].concat(), 2, 20).painted(GLASS)
}

/// A tumbler, 12 cm high.
pub(super) fn tumbler() -> Solid {
    let profile = [(0.028, 0.0), (0.031, 0.004), (0.036, 0.118), (0.0345, 0.120), (0.0335, 0.117), (0.029, 0.012)];
    smooth_lathe(&profile, 1, 28).painted(GLASS)
}

/// A pot with two handles; with a lid that has a knob if `lid`.
pub(super) fn pot(radius: f64, height: f64, lid: bool, color: Color) -> Solid {
    let (r, h) = (radius, height);
    let outside = [(r * 0.93, 0.0), (r * 0.99, 0.006), (r, 0.02), (r, h * 0.5), (r, h - 0.006), (r + 0.005, h)];
    let inside = [(r - 0.001, h + 0.002), (r - 0.004, h - 0.008), (r - 0.004, h * 0.5), (r - 0.006, 0.010)];
    let mut pot = smooth_lathe(&[&outside[..], &inside[..]].concat(), 1, 40).painted(color);
    for angle in [0.0, PI] {
        let ear = handle(at(0.0, -0.035, 0.0), at(0.0, 0.035, 0.0), 0.034, 0.0055, 3, 8);
        pot = pot.with(ear.moved(r - 0.002, 0.0, h * 0.78).turned(DVec3::Z, angle).painted(DARK));
    }
    if lid {
        let low = h + 0.003;
        let cover = [(r + 0.002, 0.0), (r + 0.002, 0.004), (r * 0.8, 0.016), (r * 0.4, 0.026), (r * 0.1, 0.028)];
        let knob = smooth_lathe(&[(0.008, 0.0), (0.009, 0.010), (0.018, 0.018), (0.018, 0.026), (0.008, 0.031)], 2, 14);
        let cover = smooth_lathe(&cover, 1, 40).moved(0.0, 0.0, low).painted(color);
        pot = pot.with(cover).with(knob.moved(0.0, 0.0, low + 0.026).painted(DARK));
    }
    pot
}

/// A frying pan with its handle towards +x.
pub(super) fn pan() -> Solid {
    let outside = [(0.100, 0.0), (0.108, 0.003), (0.122, 0.022), (0.132, 0.045)];
    let inside = [(0.1295, 0.046), (0.118, 0.023), (0.104, 0.007), (0.096, 0.005)];
    let body = smooth_lathe(&[outside, inside].concat(), 2, 32);
    let grip = curve(&[at(0.127, 0.0, 0.038), at(0.170, 0.0, 0.052), at(0.240, 0.0, 0.066), at(0.320, 0.0, 0.068)], 3);
    body.with(tube(&grip, |t| 0.008 + 0.004 * (t * PI).sin(), 10, Ends::Capped)).painted(DARK)
}

/// A kettle with spout towards +x and a bail handle.
pub(super) fn kettle(color: Color) -> Solid {
    let body = [(0.080, 0.0), (0.092, 0.010), (0.095, 0.050), (0.084, 0.100), (0.056, 0.135), (0.044, 0.142)];
    let body = smooth_lathe(&body, 2, 36).painted(color);
    let lid = smooth_lathe(&[(0.046, 0.140), (0.044, 0.148), (0.020, 0.158), (0.008, 0.160)], 2, 24).painted(color);
    let knob = sphere(0.011, 12, 6).moved(0.0, 0.0, 0.170).painted(DARK);
    let spout = curve(&[at(0.070, 0.0, 0.060), at(0.115, 0.0, 0.080), at(0.135, 0.0, 0.120), at(0.160, 0.0, 0.145)], 4);
    let spout = tube(&spout, |t| 0.022 - 0.011 * t, 14, Ends::Capped).painted(color);
    let arch = [
        at(-0.075, 0.0, 0.108),
        at(-0.082, 0.0, 0.180),
        at(0.0, 0.0, 0.235),
        at(0.082, 0.0, 0.180),
        at(0.075, 0.0, 0.108),
    ];
    let arch = tube(&curve(&arch, 4), |_| 0.007, 8, Ends::Capped).painted(DARK);
    Solid::union([body, lid, knob, spout, arch])
}

/// A teapot with spout towards +x and an ear behind.
pub(super) fn teapot(color: Color) -> Solid {
    let body = [(0.045, 0.0), (0.050, 0.006), (0.078, 0.040), (0.082, 0.070), (0.064, 0.108), (0.036, 0.122)];
    let lid = [(0.039, 0.120), (0.036, 0.126), (0.020, 0.137), (0.008, 0.140)];
    let spout = curve(&[at(0.066, 0.0, 0.045), at(0.105, 0.0, 0.060), at(0.118, 0.0, 0.095), at(0.140, 0.0, 0.120)], 4);
    let ear = handle(at(-0.062, 0.0, 0.104), at(-0.074, 0.0, 0.042), -0.048, 0.0065, 4, 8);
    Solid::union([
        smooth_lathe(&body, 2, 36),
        smooth_lathe(&lid, 2, 24),
        sphere(0.010, 12, 6).moved(0.0, 0.0, 0.148),
        tube(&spout, |t| 0.019 - 0.010 * t, 12, Ends::Capped),
        ear,
    ])
    .painted(color)
}

/// A bottle with a cap.
pub(super) fn bottle(height: f64, color: Color, cap: Color) -> Solid {
    let body = [(0.030, 0.0), (0.034, 0.02), (0.034, 0.30), (0.034, 0.55), (0.026, 0.68), (0.013, 0.78), (0.012, 0.94)];
    let body: Vec<(f64, f64)> = body.iter().map(|&(r, z)| (r, z * height)).collect();
    let cap = disc(0.014, 0.925 * height, height, 0.002, 16).painted(cap);
    smooth_lathe(&body, 2, 24).painted(color).with(cap)
}

/// A jar with a lid of wood.
pub(super) fn jar(radius: f64, height: f64, color: Color) -> Solid {
    let body = [
        (radius * 0.9, 0.0),
        (radius, height * 0.08),
        (radius, height * 0.5),
        (radius, height * 0.8),
        (radius * 0.8, height * 0.9),
    ];
    let lid = [
        (radius * 0.86, height * 0.9),
        (radius * 0.9, height * 0.92),
        (radius * 0.9, height * 0.97),
        (radius * 0.7, height),
    ];
    smooth_lathe(&body, 2, 24).painted(color).with(smooth_lathe(&lid, 1, 24).painted(WOOD))
}

/// An apple with a stalk.
pub(super) fn apple(color: Color) -> Solid {
    // A cardioid-like profile: dimples above and below.
    let flesh = sphere(0.038, 20, 12).displaced(|v| {
        let up = v.z / 0.038;
        let dimple = 0.28 * up.abs().powi(6);
        at(v.x * (1.05 - 0.10 * up.min(0.0).abs()), v.y * (1.05 - 0.10 * up.min(0.0).abs()), v.z * (0.95 - dimple))
    });
    let stalk = curve(&[at(0.0, 0.0, 0.024), at(0.002, 0.0, 0.036), at(0.007, 0.0, 0.044)], 2);
    let stalk = tube(&stalk, |_| 0.0016, 6, Ends::Capped).painted(DARK_WOOD);
    flesh.painted(color).with(stalk).moved(0.0, 0.0, 0.0257)
}

/// An orange (or, stretched, a lemon) whose skin is slightly uneven.
pub(super) fn orange(radius: f64, stretch: f64, color: Color) -> Solid {
    let uneven = |v: DVec3| v * (1.0 + 0.006 * (v.x * 900.0).sin() * (v.y * 800.0).sin() * (v.z * 850.0).cos());
    sphere(radius, 20, 12)
        .displaced(uneven)
        .stretched(1.0, 1.0, stretch)
        .moved(0.0, 0.0, radius * stretch)
        .painted(color)
}

/// A banana that lies on its side, curved in the plane z = 0.
pub(super) fn banana() -> Solid {
    let point = |k: usize| {
        let angle = -0.75 + 1.5 * k as f64 / 20.0;
        at(0.11 * angle.sin(), 0.11 * (1.0 - angle.cos()), 0.017)
    };
    let path: Vec<DVec3> = (0..=20).map(point).collect();
    let thick = |t: f64| 0.0035 + 0.0135 * (t * PI).sin().powf(0.45);
    tube(&path, thick, 12, Ends::Capped).painted(paint::YELLOW)
}

/// A loaf of bread along y with cuts on top.
pub(super) fn bread() -> Solid {
    let shape = |v: DVec3| {
        let cut = 0.006 * (v.y * 110.0).sin().max(0.0) * (v.z / 0.05).max(0.0);
        at(v.x * 0.9, v.y * 2.1, (v.z - cut) * 0.85)
    };
    sphere(0.06, 28, 17).turned(DVec3::X, FRAC_PI_2).displaced(shape).moved(0.0, 0.0, 0.051).painted(CRUST)
}

/// A board with a hole-less grip, along y.
pub(super) fn cutting_board() -> Solid {
    let board = rounded_box(at(0.24, 0.36, 0.018), 0.008, 4).moved(0.0, 0.0, 0.009);
    board.with(rounded_box(at(0.07, 0.12, 0.018), 0.008, 4).moved(0.0, 0.22, 0.009)).painted(WOOD)
}

/// A kitchen knife that lies along x, its handle towards −x.
pub(super) fn knife() -> Solid {
    let blade =
        crate::solid::prism(&[(0.0, -0.012), (0.15, -0.012), (0.20, 0.008), (0.18, 0.016), (0.0, 0.018)], 0.003, 0.001);
    let grip = rounded_box(at(0.12, 0.024, 0.016), 0.007, 4).moved(-0.058, 0.003, 0.0);
    blade.painted(STEEL).with(grip.painted(DARK)).moved(0.0, 0.0, 0.008)
}

/// A wooden block with five knives in it.
pub(super) fn knife_block() -> Solid {
    let block = rounded_box(at(0.10, 0.12, 0.20), 0.010, 3).painted(DARK_WOOD);
    let grips = (0..5).map(|k| {
        let grip = rounded_box(at(0.020, 0.014, 0.09), 0.006, 3).painted(DARK);
        grip.moved(-0.025 + 0.025 * (k % 3) as f64, -0.04 + 0.02 * k as f64, 0.135)
    });
    block.with(Solid::union(grips)).turned(DVec3::Y, -0.25).moved(0.0, 0.0, 0.112)
}

/// A jug with wooden spoons and a whisk-like ladle.
pub(super) fn utensils() -> Solid {
    let jug = [(0.045, 0.0), (0.050, 0.010), (0.050, 0.080), (0.054, 0.140)];
    let inside = [(0.051, 0.141), (0.046, 0.080), (0.046, 0.020), (0.042, 0.012)];
    let mut jug = smooth_lathe(&[jug, inside].concat(), 1, 28).painted(BLUE);
    for k in 0..5 {
        let angle = TAU * k as f64 / 5.0;
        let (out, lean) = (at(angle.cos(), angle.sin(), 0.0), 0.034);
        let (low, high) = (out * 0.012 + at(0.0, 0.0, 0.02), out * lean + at(0.0, 0.0, 0.24 + 0.02 * (k % 3) as f64));
        let spoon = sphere(0.022, 12, 6).stretched(1.0, 0.35, 1.5).turned(DVec3::Z, angle + FRAC_PI_2);
        let color = if k % 2 == 0 { WOOD } else { STEEL };
        let rod = capsule(low, high, 0.0045, 0.0045, 8, 2);
        jug = jug.with(rod.with(spoon.moved(high.x, high.y, high.z + 0.02)).painted(color));
    }
    jug
}

/// A toaster along y with two slots' worth of toast.
pub(super) fn toaster() -> Solid {
    let body = rounded_box(at(0.17, 0.28, 0.17), 0.030, 4).moved(0.0, 0.0, 0.100).painted(RED);
    let feet = [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)];
    let feet = feet.map(|(x, y)| disc(0.012, 0.0, 0.022, 0.002, 12).moved(0.055 * x, 0.105 * y, 0.0).painted(DARK));
    let toast = [-0.03, 0.03].map(|x| rounded_box(at(0.018, 0.12, 0.10), 0.008, 3).moved(x, 0.0, 0.160).painted(CRUST));
    let lever = rounded_box(at(0.030, 0.020, 0.014), 0.005, 3).moved(0.0, -0.150, 0.120).painted(DARK);
    let dial =
        disc(0.014, 0.0, 0.012, 0.002, 24).aimed(DVec3::NEG_Y, DVec3::X).moved(0.05, -0.138, 0.070).painted(STEEL);
    Solid::union([body, Solid::union(feet), Solid::union(toast), lever, dial])
}

/// A coffee machine that faces −x.
pub(super) fn coffee_machine() -> Solid {
    let base = rounded_box(at(0.26, 0.20, 0.05), 0.012, 4).moved(0.0, 0.0, 0.025).painted(DARK);
    let back = rounded_box(at(0.11, 0.20, 0.30), 0.015, 4).moved(0.075, 0.0, 0.190).painted(DARK);
    let top = rounded_box(at(0.26, 0.20, 0.09), 0.020, 4).moved(0.0, 0.0, 0.335).painted(STEEL);
    let spout = disc(0.030, 0.262, 0.300, 0.004, 20).moved(-0.055, 0.0, 0.0).painted(STEEL);
    let can = smooth_lathe(&[(0.045, 0.0), (0.058, 0.02), (0.058, 0.07), (0.040, 0.12), (0.044, 0.14)], 2, 28);
    let can = can.moved(-0.055, 0.0, 0.052).painted(GLASS);
    let ear = handle(at(-0.111, 0.0, 0.155), at(-0.111, 0.0, 0.080), -0.040, 0.006, 3, 8).painted(DARK);
    let knobs = [-0.05, 0.0, 0.05]
        .map(|y| disc(0.012, 0.0, 0.014, 0.002, 14).aimed(DVec3::NEG_X, DVec3::Z).moved(-0.128, y, 0.340));
    Solid::union([base, back, top, spout, can, ear, Solid::union(knobs).painted(DARK)])
}

/// A plant in a pot: leaves like thin lenses on bent stalks.
pub(super) fn plant() -> Solid {
    let pot = [(0.060, 0.0), (0.064, 0.01), (0.085, 0.14), (0.092, 0.15), (0.092, 0.17)];
    let pot = smooth_lathe(&pot, 1, 28).painted(TERRACOTTA);
    let leaves = (0..16).map(|k| {
        // The golden angle keeps leaves from hiding each other.
        let (angle, level) = (2.399_963 * k as f64, k as f64 / 16.0);
        let (reach, rise) = (0.19 - 0.10 * level, 0.24 + 0.26 * level);
        let tip = at(reach, 0.0, rise);
        let stalk = curve(&[at(0.0, 0.0, 0.165), at(0.15 * reach, 0.0, 0.17 + 0.7 * (rise - 0.17)), tip], 3);
        let leaf = sphere(0.07, 12, 4).stretched(1.0, 0.52, 0.06).turned(DVec3::Y, 0.35 - 0.5 * level);
        let leaf = leaf.moved(tip.x + 0.05, 0.0, tip.z).painted(LEAF);
        tube(&stalk, |t| 0.004 - 0.0015 * t, 6, Ends::Capped).painted(LEAF).with(leaf).turned(DVec3::Z, angle)
    });
    pot.with(Solid::union(leaves))
}

/// A lamp that hangs from the ceiling; the origin is the end of its cable, `drop` above the bulb's
/// middle.
pub(super) fn lamp(drop: f64) -> Solid {
    let outside = [(0.030, 0.105), (0.048, 0.100), (0.110, 0.060), (0.170, 0.0), (0.190, -0.050)];
    let inside = [(0.186, -0.050), (0.166, 0.002), (0.106, 0.056), (0.045, 0.092), (0.028, 0.096)];
    let shade = smooth_lathe(&[outside, inside].concat(), 2, 40).painted(COPPER);
    let bulb = sphere(0.034, 18, 9).stretched(1.0, 1.0, 1.2).painted(BULB);
    let socket = disc(0.018, 0.030, 0.098, 0.004, 16).painted(DARK);
    let cable = capsule(at(0.0, 0.0, 0.095), at(0.0, 0.0, drop), 0.004, 0.004, 10, 2).painted(DARK);
    Solid::union([shade, bulb, socket, cable]).moved(0.0, 0.0, -drop)
}

/// A wall clock that faces +z, with hands.
pub(super) fn clock() -> Solid {
    let rim = torus(0.15, 0.014, 40, 8).painted(DARK);
    let face = disc(0.148, -0.012, 0.004, 0.002, 40).painted(WHITE);
    let hand = |length: f64, angle: f64| {
        capsule(at(0.0, 0.0, 0.009), at(0.0, length, 0.009), 0.004, 0.003, 10, 2).turned(DVec3::Z, -angle).painted(DARK)
    };
    let marks = (0..12)
        .map(|k| cuboid(at(0.006, 0.018, 0.003)).moved(0.0, 0.125, 0.005).turned(DVec3::Z, TAU * k as f64 / 12.0));
    Solid::union([rim, face, hand(0.075, 5.3), hand(0.11, 1.0), Solid::union(marks).painted(DARK)])
}

/// A roll of paper on a stand.
pub(super) fn paper_roll() -> Solid {
    let foot = disc(0.075, 0.0, 0.012, 0.004, 28).painted(WOOD);
    let rod = capsule(at(0.0, 0.0, 0.008), at(0.0, 0.0, 0.29), 0.008, 0.008, 10, 2).painted(WOOD);
    let roll = [
        (0.058, 0.020),
        (0.060, 0.024),
        (0.060, 0.246),
        (0.058, 0.250),
        (0.020, 0.250),
        (0.019, 0.240),
        (0.019, 0.030),
        (0.020, 0.020),
    ];
    Solid::union([foot, rod, lathe(&roll, 32, Ends::Joined).painted(WHITE)])
}

/// A towel on a ring, which hangs in the plane x = 0 from z = 0.
pub(super) fn towel_ring() -> Solid {
    let ring = circle(at(0.0, 0.0, -0.07), DVec3::Y, DVec3::Z, 0.07, 28);
    let ring = tube(&ring, |_| 0.004, 8, Ends::Joined).painted(STEEL);
    // Folds: a thin box, waved across.
    let rows = (0..=12).map(|k| {
        let z = -0.125 - 0.30 * k as f64 / 12.0;
        let side = |y: f64, x: f64| at(x + 0.010 * (y * 70.0 + 1.5 * z).sin() * (0.3 - z), y * (0.7 - z), z);
        let front = (0..=24).map(|j| side(-0.09 + 0.18 * j as f64 / 24.0, -0.010));
        let back = (0..=24).rev().map(|j| side(-0.09 + 0.18 * j as f64 / 24.0, 0.006));
        front.chain(back).collect::<Vec<DVec3>>()
    });
    let peg = capsule(at(-0.004, 0.0, 0.0), at(0.012, 0.0, 0.0), 0.009, 0.009, 12, 3).painted(STEEL);
    ring.with(peg).with(crate::solid::loft(&rows.collect::<Vec<_>>(), Ends::Capped).painted(RED))
}
