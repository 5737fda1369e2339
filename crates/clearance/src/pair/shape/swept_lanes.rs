//! Triangles eight at a time while they move, in `f32`: when each may touch one other, before anything is decided in `f64`.
//!
//! To first order all triangles of a leaf move by one drift against those of the other (see
//! [`swept_block`](crate::pair::volume::swept_block)); what is left is their blur. Along any direction the projections overlap for one
//! interval of τ. Looked at are the directions along and across the drift, for which eight projections at once are made once a leaf
//! ([`Shadows`]), and both triangles' normals. The margins are those of boxes: products err relative to coordinates, not to differences.

use super::triangle_lanes::{T8, along, greatest, least};
use crate::math::lanes::{F8, Lanes8, V8};
use crate::pair::volume::obb_sphere_block::SHORTEST;
use crate::pair::volume::swept_block::Window;
use fearless_simd::prelude::*;

/// Drifts slower than this, times the length of the direction, are taken as that fast.
const SLOWEST: f32 = 1e-20;

/// Three directions, the first along a drift, the others across; all of about length 1.
pub(crate) fn directions_of(drift: [f32; 3]) -> [[f32; 3]; 3] {
    let [x, y, z] = drift;
    let length = (x * x + y * y + z * z).sqrt();
    // Neither too small nor too large to be normalised.
    if !(1e-12..1e15).contains(&length) {
        return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    }
    let [x, y, z] = [x / length, y / length, z / length];
    let across = if x.abs() < 0.6 { [0.0, z, -y] } else { [-z, 0.0, x] };
    let length = (across[0] * across[0] + across[1] * across[1] + across[2] * across[2]).sqrt();
    let [a, b, c] = across.map(|x| x / length);
    [[x, y, z], [a, b, c], [y * c - z * b, z * a - x * c, x * b - y * a]]
}

/// The projections of eight triangles on three directions.
pub(crate) struct Shadows<S: Lanes8> {
    least: [F8<S>; 3],
    greatest: [F8<S>; 3],
}

impl<S: Lanes8> Shadows<S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, triangles: &T8<S>, directions: &[[f32; 3]; 3]) -> Self {
        let project = |k: usize| along(V8::splat(simd, directions[k]), triangles);
        let [x, y, z] = [project(0), project(1), project(2)];
        Self { least: [least(x), least(y), least(z)], greatest: [greatest(x), greatest(y), greatest(z)] }
    }
}

/// One leaf's triangles and their shadows.
pub(crate) struct SweptLeaf<'t, S: Lanes8> {
    pub(crate) triangles: &'t T8<S>,
    pub(crate) shadows: &'t Shadows<S>,
}

/// When each of the others may touch one triangle, given in all lanes and as lane `lane` of its shadows. The others drift by `drift`
/// against it; `blur` is added to all.
#[inline(always)]
pub(crate) fn windows<S: Lanes8>(
    simd: S,
    (one, shadows, lane): (&T8<S>, &Shadows<S>, usize),
    others: &SweptLeaf<'_, S>,
    (drift, directions): ([f32; 3], &[[f32; 3]; 3]),
    blur: f32,
) -> Window<S> {
    let (w, blur) = (V8::splat(simd, drift), F8::splat(simd, blur));
    let mut window = Window::new(simd);
    let slowest = F8::splat(simd, SLOWEST);
    for k in 0..3 {
        let at = |x: &F8<S>| F8::splat(simd, <[f32; 8]>::from(*x)[lane & 7]);
        let (low, high) = (at(&shadows.least[k]) - blur, at(&shadows.greatest[k]) + blur);
        let speed = V8::splat(simd, directions[k]).dot(w);
        window.clip(speed, slowest, low - others.shadows.greatest[k], high - others.shadows.least[k]);
    }
    let normal = |t: &T8<S>| (t[1] - t[0]).cross(t[2] - t[0]);
    for n in [normal(one), normal(others.triangles)] {
        let squared = n.dot(n);
        let length = squared.sqrt();
        // Normals that are too short prove nothing.
        let pad = squared.simd_ge(F8::splat(simd, SHORTEST)).select(blur * length, F8::splat(simd, 1e15));
        let (x, y) = (along(n, one), along(n, others.triangles));
        let slowest = (slowest * length).max(F8::splat(simd, f32::MIN_POSITIVE));
        window.clip(n.dot(w), slowest, least(x) - pad - greatest(y), greatest(x) + pad - least(y));
    }
    window
}
