//! Triangles eight at a time while they move, in `f32`: when each may touch one other, before
//! anything is decided in `f64`.
//!
//! To first order all triangles of a leaf move by one drift against those of the other (see
//! [`swept_block`](crate::pair::volume::swept_block)); what is left is their blur. Along any
//! direction the projections overlap for one interval of τ. Looked at are the directions along and
//! across the drift, for which eight projections at once are made once a leaf ([`SweptLeaf`]), and
//! both triangles' normals. The margins are those of boxes: products err relative to coordinates,
//! not to differences.

use super::triangle_lanes::{T8, along, greatest, least, splat_lane};
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

/// The eight triangles of a leaf, their projections on three directions, and their normals.
pub(crate) struct SweptLeaf<S: Lanes8> {
    triangles: T8<S>,
    /// Least and greatest along each direction.
    shadows: [[F8<S>; 2]; 3],
    /// The same lane by lane.
    lanes: [[[f32; 8]; 2]; 3],
    normals: V8<S>,
    /// Least and greatest along the own normal, and its length.
    own: [F8<S>; 3],
}

impl<S: Lanes8> SweptLeaf<S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, triangles: T8<S>, directions: &[[f32; 3]; 3]) -> Self {
        let [x, y, z] = directions;
        let shadows = [shadow(simd, x, &triangles), shadow(simd, y, &triangles), shadow(simd, z, &triangles)];
        let [[a, b], [c, d], [e, f]] = shadows;
        let lanes = [[a.into(), b.into()], [c.into(), d.into()], [e.into(), f.into()]];
        let normals = (triangles[1] - triangles[0]).cross(triangles[2] - triangles[0]);
        let x = along(normals, &triangles);
        Self { triangles, shadows, lanes, normals, own: [least(x), greatest(x), normals.dot(normals).sqrt()] }
    }

    /// One lane of it in all lanes.
    #[inline(always)]
    fn splat(&self, simd: S, lane: u8) -> (T8<S>, V8<S>, [F8<S>; 3]) {
        let [x, y, z] = self.normals.0;
        let [a, b, c] = self.own;
        let picked = simd.pick9([x, y, z, a, b, c, a, a, a], [lane; 8]);
        (
            splat_lane(simd, &self.triangles, lane),
            V8([picked[0], picked[1], picked[2]]),
            [picked[3], picked[4], picked[5]],
        )
    }
}

/// Least and greatest along a direction.
#[inline(always)]
fn shadow<S: Lanes8>(simd: S, direction: &[f32; 3], triangles: &T8<S>) -> [F8<S>; 2] {
    let x = along(V8::splat(simd, *direction), triangles);
    [least(x), greatest(x)]
}

/// What is left of a window where projections on n, of this length, that are `low` to `high` apart
/// and a `blur` more, meet.
#[inline(always)]
fn clip_along<S: Lanes8>(
    window: &mut Window<S>,
    (n, length): (V8<S>, F8<S>),
    w: V8<S>,
    [low, high]: [F8<S>; 2],
    blur: F8<S>,
) {
    let simd = length.token();
    // Normals that are too short prove nothing.
    let usable = (length * length).simd_ge(F8::splat(simd, SHORTEST));
    let pad = usable.select(blur * length, F8::splat(simd, 1e15));
    let slowest = (F8::splat(simd, SLOWEST) * length).max(F8::splat(simd, f32::MIN_POSITIVE));
    window.clip(n.dot(w), slowest, low - pad, high + pad);
}

/// When each of the others may touch triangle `lane` of the ones. The others drift by `drift`
/// against it; `blur` is added to all.
#[inline(always)]
pub(crate) fn windows<S: Lanes8>(
    simd: S,
    lane: usize,
    ones: &SweptLeaf<S>,
    others: &SweptLeaf<S>,
    (drift, directions): ([f32; 3], &[[f32; 3]; 3]),
    blur: f32,
) -> Window<S> {
    let (w, wide) = (V8::splat(simd, drift), F8::splat(simd, blur));
    let mut window = Window::new(simd);
    let slowest = F8::splat(simd, SLOWEST);
    for (k, direction) in directions.iter().enumerate() {
        let [least, greatest] = ones.lanes[k];
        let (low, high) = (F8::splat(simd, least[lane & 7] - blur), F8::splat(simd, greatest[lane & 7] + blur));
        let speed = V8::splat(simd, *direction).dot(w);
        let [other_least, other_greatest] = others.shadows[k];
        window.clip(speed, slowest, low - other_greatest, high - other_least);
    }
    if window.from.simd_gt(window.to).to_bitmask() == 0xff {
        return window;
    }
    let (one, normal, own) = ones.splat(simd, lane as u8);
    let x = along(normal, &others.triangles);
    clip_along(&mut window, (normal, own[2]), w, [own[0] - greatest(x), own[1] - least(x)], wide);
    let (x, other) = (along(others.normals, &one), &others.own);
    clip_along(&mut window, (others.normals, other[2]), w, [least(x) - other[1], greatest(x) - other[0]], wide);
    window
}
