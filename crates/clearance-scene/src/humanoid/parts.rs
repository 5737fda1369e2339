//! The pieces that the humanoid's joints are made of: forks and the tongues that turn in them.
//!
//! A joint across a limb is a fork on one link and a tongue on the other, 3 mm apart; a joint along
//! a limb is two flat faces. So neighbours do not touch within the limits either.

use crate::picture::Color;
use crate::solid::{Solid, disc, prism};
use clearance_engine::math::DVec3;
use std::f64::consts::{FRAC_PI_2, PI};

/// Painted shells.
pub(super) const SHELL: Color = [226, 230, 234];
/// Blue shells.
pub(super) const ACCENT: Color = [58, 110, 168];
/// Bare metal.
pub(super) const METAL: Color = [150, 156, 164];
/// Rubber, lenses and cables.
pub(super) const DARK: Color = [42, 46, 52];

/// The gap between a tongue and each cheek of its fork.
const PLAY: f64 = 0.003;

/// A fork: two cheeks with round ends about the turning axis, which reach back to the link's body.
#[derive(Clone, Copy)]
pub(super) struct Fork {
    /// The turning axis.
    pub axis: DVec3,
    /// From the axis of the joint towards the body that carries the fork.
    pub back: DVec3,
    /// Between the cheeks.
    pub gap: f64,
    /// The thickness of a cheek.
    pub cheek: f64,
    /// The radius of the round ends.
    pub radius: f64,
    /// How far the cheeks reach back.
    pub reach: f64,
}

impl Fork {
    /// The cheeks, with a cover on each, about the joint at the origin.
    pub(super) fn cheeks(&self, round: usize) -> Solid {
        let side = |sign: f64| {
            let middle = self.axis * (sign * 0.5 * (self.gap + self.cheek));
            let outer = self.axis * (sign * (0.5 * self.gap + self.cheek));
            let cheek = paddle(self.axis, self.back, self.radius, self.reach, self.cheek, round).painted(METAL);
            let cover = disc(self.radius * 0.62, -0.002, 0.004, 0.002, round).painted(ACCENT);
            let cover = cover.aimed(self.axis * sign, self.back).moved(outer.x, outer.y, outer.z);
            cheek.moved(middle.x, middle.y, middle.z).with(cover)
        };
        side(1.0).with(side(-1.0))
    }

    /// The tongue of the link that turns in this fork, towards `forward` as far as `reach`.
    pub(super) fn tongue(&self, forward: DVec3, reach: f64, round: usize) -> Solid {
        paddle(self.axis, forward, self.radius * 0.9, reach, self.gap - 2.0 * PLAY, round).painted(DARK)
    }
}

/// A plate across `axis` with a round end about the origin that reaches as far as `reach` towards
/// `along`: 8 · (round + 3) triangles.
fn paddle(axis: DVec3, along: DVec3, radius: f64, reach: f64, thickness: f64, round: usize) -> Solid {
    let arc = (0..=round).map(|i| FRAC_PI_2 + PI * i as f64 / round as f64);
    let mut outline: Vec<(f64, f64)> = arc.map(|angle| (radius * angle.cos(), radius * angle.sin())).collect();
    outline.extend([(reach, -radius), (reach, radius)]);
    prism(&outline, thickness, (thickness * 0.2).min(0.004)).aimed(axis, along)
}
