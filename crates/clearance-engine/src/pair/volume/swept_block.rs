//! One box-and-sphere against a block of eight while both move, in `f32` lanes: when the earliest
//! of them can meet.
//!
//! # The bound
//! Time is τ in [-1, 1]. To first order a point at p of the lanes' body moves by `τ(s_L + T_L×p)`
//! and one of the other body by `τ(s_F + T_F×q)`, T being the angle that a body turns in unit time;
//! both in the lanes' frame in the middle of the interval. The centre of a node at c leaves that
//! line by at most `½|T|·|T×(c − pivot)|` (the arc's sagitta: `|e^{iθ} − 1 − iθ| ≤ θ²/2`), and any
//! other point of the node turns about the centre by at most `|T|·r` more: together with what the
//! path of the bodies bends this is the *blur*. So the difference of two points of two nodes is
//! that of the box centres, `d + τw`, and something from both boxes, and a blur. Along each of the
//! six axes boxes and blur overlap for one interval of τ (slabs, as rays meet boxes), the spheres
//! come no nearer than their closest approach, and what is left of [-1, 1] begins no later than the
//! first contact. For bodies that only translate nothing is lost: the sweep of a box is exact but
//! for its edges.
//!
//! # The margin
//! Positions err as those of `obb_sphere_block`, by its margin. With ω the largest
//! `|s| + |T|·(|p| + |pivot|)` of both bodies, drifts w and arms are sums of at most 8 roundings of
//! terms up to ω, products with axes err by 38ε more, and a τ that is off by 4ε of itself moves
//! what it stands for by 4ε|w|: below `64ε·ω`, times `1 + |T|` for what the blur multiplies. A
//! drift along an axis of less than [`SLOWEST`] is replaced by that, which moves nothing by more.

use super::obb_sphere_block::{FixedObbSphere, splat3};
use crate::math::lanes::{F8, Lanes8, V8};
use crate::volume::ObbSphereBlock;
use fearless_simd::prelude::*;

/// The least drift that is divided by.
const SLOWEST: f32 = 1e-20;

/// How one of two bodies turns while τ goes from 0 to 1, in the frame of the lanes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Turn {
    /// The axis, as long as the angle.
    pub(crate) vector: [f32; 3],
    /// A point on the axis.
    pub(crate) pivot: [f32; 3],
    /// The angle, rounded up.
    pub(crate) angle: f32,
}

impl Turn {
    /// What the turn moves a point by, per unit of τ, apart from what all points have in common.
    #[inline(always)]
    pub(crate) fn drift(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let [a, b, c] = self.vector;
        [b * z - c * y, c * x - a * z, a * y - b * x]
    }

    /// How far points of a sphere get from where the drift of its centre takes them.
    #[inline(always)]
    pub(crate) fn blur(&self, center: [f32; 3], radius: f32) -> f32 {
        let [px, py, pz] = self.pivot;
        let [x, y, z] = self.drift([center[0] - px, center[1] - py, center[2] - pz]);
        self.angle * (0.5 * (x * x + y * y + z * z).sqrt() + radius)
    }
}

/// How two bodies move against each other.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sweep {
    /// Of the fixed body's points against those of the lanes', but for the turns.
    pub(crate) straight: [f32; 3],
    /// Of the lanes' body.
    pub(crate) lanes: Turn,
    /// Of the fixed one.
    pub(crate) fixed: Turn,
    /// What all are enlarged by: bends of the paths, the distance that counts as contact, margins.
    pub(crate) pad: f32,
}

impl Sweep {
    /// The drift of a point of the fixed body against the lanes' origin.
    #[inline(always)]
    pub(crate) fn fixed_drift(&self, point: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = self.fixed.drift(point);
        let [a, b, c] = self.straight;
        [a + x, b + y, c + z]
    }
}

/// The τ from which on each of eight volumes may meet a fixed one, infinite where they do not in
/// all of [-1, 1].
///
/// See [`block_keys`](super::obb_sphere_block::block_keys) for why this is two functions.
#[inline(always)]
pub(crate) fn block_entries<S: Lanes8>(
    simd: S,
    block: &ObbSphereBlock,
    fixed: &FixedObbSphere,
    sweep: &Sweep,
) -> F8<S> {
    simd.vectorize(
        #[inline(always)]
        move || block_entries_here(simd, block, fixed, sweep),
    )
}

/// An interval of τ.
#[derive(Clone, Copy)]
pub(crate) struct Window<S: Lanes8> {
    pub(crate) from: F8<S>,
    pub(crate) to: F8<S>,
}

impl<S: Lanes8> Window<S> {
    /// All of [-1, 1].
    #[inline(always)]
    pub(crate) fn new(simd: S) -> Self {
        Self { from: F8::splat(simd, -1.0), to: F8::splat(simd, 1.0) }
    }

    /// What is left where `τ·drift` is in [low, high]; drifts slower than `slowest` are taken as
    /// that fast.
    #[inline(always)]
    pub(crate) fn clip(&mut self, drift: F8<S>, slowest: F8<S>, low: F8<S>, high: F8<S>) {
        let one = F8::splat(drift.token(), 1.0);
        let inverse = one / drift.abs().simd_ge(slowest).select(drift, slowest);
        let (one_end, other_end) = (low * inverse, high * inverse);
        self.from = self.from.max(one_end.min(other_end));
        self.to = self.to.min(one_end.max(other_end));
    }
}

#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "the counter names an axis of several arrays")]
fn block_entries_here<S: Lanes8>(simd: S, block: &ObbSphereBlock, fixed: &FixedObbSphere, sweep: &Sweep) -> F8<S> {
    let (u, v) = (V8::load(simd, &block.u), V8::load(simd, &block.v));
    let axes = [u, v, u.cross(v)];
    let half = V8::load(simd, &block.half);
    let center = V8::load(simd, &block.center);
    let radii: F8<S> = block.radius.simd_into(simd);
    let [x, y, z, _] = fixed.center;
    let d = splat3(simd, &fixed.center) - center;
    let turn = V8::splat(simd, sweep.lanes.vector);
    let w = V8::splat(simd, sweep.fixed_drift([x, y, z])) - turn.cross(center);
    let arm = turn.cross(center - V8::splat(simd, sweep.lanes.pivot));
    let lane_blur = arm.dot(arm).sqrt().mul_add(F8::splat(simd, 0.5), radii) * F8::splat(simd, sweep.lanes.angle);
    let blur = lane_blur + F8::splat(simd, sweep.fixed.blur([x, y, z], fixed.radius) + sweep.pad);
    let slowest = F8::splat(simd, SLOWEST);
    let mut window = Window::new(simd);
    let mut reach = V8([half.0[0] + blur, half.0[1] + blur, half.0[2] + blur]);
    for j in 0..3 {
        let axis = splat3(simd, &fixed.axes[j]);
        let extent = F8::splat(simd, fixed.half[j]);
        let cosines = V8([axis.dot(axes[0]), axis.dot(axes[1]), axis.dot(axes[2])]).abs();
        reach = reach.plus_scaled(cosines, extent);
        let (along, other_reach) = (axis.dot(d), extent + cosines.dot(half) + blur);
        window.clip(axis.dot(w), slowest, -other_reach - along, other_reach - along);
    }
    for i in 0..3 {
        let along = axes[i].dot(d);
        window.clip(axes[i].dot(w), slowest, -reach.0[i] - along, reach.0[i] - along);
    }
    let one = F8::splat(simd, 1.0);
    let nearest = (-d.dot(w) / w.dot(w).max(F8::splat(simd, SLOWEST))).max(-one).min(one);
    let apart = d.plus_scaled(w, nearest);
    let radii = radii + F8::splat(simd, fixed.radius) + blur;
    let never = apart.dot(apart).simd_gt(radii * radii) | window.from.simd_gt(window.to);
    // What is not a number excludes nothing.
    never.select(F8::splat(simd, f32::INFINITY), window.from.max_precise(-one))
}
