//! Triangles eight at a time in `f32`: filters and bounds before anything is decided in `f64`.
//!
//! Every lower bound here is a *support gap*: for any direction n, the projections of the two
//! triangles on n are `(min n·b − max n·a)/|n|` apart, and so are the triangles at least. n may
//! come from arithmetic as poor as it likes (slivers, parallel edges, a false "inside"); only the
//! rounding of the dot products themselves matters, relative to |n|.
//!
//! # The margin
//! In A's stored units, with ε = 2⁻²⁴, T the length of the translation, A's coordinates up to 1 and
//! B's up to ρ; vectors are measured by their length, with or without fused operations:
//! * a vertex of A is rounded by √3ε, one of B by √3ερ, then moved: rotation entries 3ερ, t εT, six
//!   roundings of partial sums 12ερ + 3εT: ε(4T + 17ρ) in all;
//! * differences from one vertex of A, at most D = T + √3ρ + √3 long (2√3 within A), round by ε of
//!   themselves; what that vertex itself was rounded by cancels;
//! * *lower bound*: dot products err by 3ε|n|D and 3ε|n|·2√3, their difference by ε of it, length
//!   and quotient by 4εD. With the vertices: ε(2 + 4T + 17ρ + 5(D + 2√3) + 4D) < ε(13T + 33ρ + 35).
//!   The length of n is squared: directions whose square is below [`SHORTEST`] prove nothing;
//! * *upper bound*: two points on edges, their parameters in [0, 1] whatever their arithmetic. With
//!   the vertices, which enter as convex combinations: edges round by 2√3ε(1 + ρ), products by as
//!   much, the three sums by 3εD, the length by 3εD: ε(6 + 4T + 17ρ + D + 7 + 7ρ + 6D) < ε(11T +
//!   37ρ + 26); two vertices ([`nearest_vertices`]) err by less;
//! * a gap along a unit vector of `f32` (length up to 1 + 4ε): 3ε(√3 + √3ρ + T) for the products,
//!   5εD: ε(12T + 31ρ + 16).
//!
//! [`margin`] is ε(16T + 40ρ + 40), in which the conversion of vertices to stored `f64` coordinates
//! is added. What meets a box ([`near_box`]) is subject to the margin of boxes, which is larger.
//!
//! A vertex above a face realises an upper bound only if the foot really is inside: face cases are
//! never taken as one.

use crate::math::Similarity;
use crate::math::lanes::{F8, Lanes8, M8, V8};
use crate::pair::volume::obb_sphere_block::{FixedObbSphere, SHORTEST, splat3};
use fearless_simd::prelude::*;

/// What rounding may add to a bound between triangles, see the head of this file.
pub(crate) fn margin(a_from_b: &Similarity) -> f64 {
    const EPSILON: f64 = 1.0 / 16_777_216.0;
    EPSILON * (16.0 * a_from_b.offset + 40.0 * a_from_b.scale + 40.0) + a_from_b.margin
}

/// Eight triangles: vertex by vertex.
pub(crate) type T8<S> = [V8<S>; 3];

#[inline(always)]
pub(super) fn least<S: Lanes8>(x: [F8<S>; 3]) -> F8<S> {
    x[0].min(x[1]).min(x[2])
}

#[inline(always)]
pub(super) fn greatest<S: Lanes8>(x: [F8<S>; 3]) -> F8<S> {
    x[0].max(x[1]).max(x[2])
}

#[inline(always)]
pub(super) fn along<S: Lanes8>(n: V8<S>, triangle: &T8<S>) -> [F8<S>; 3] {
    [n.dot(triangle[0]), n.dot(triangle[1]), n.dot(triangle[2])]
}

/// The eight triangles of a leaf.
#[inline(always)]
pub(crate) fn load<S: Lanes8>(simd: S, triangles: &[[[f32; 8]; 3]; 3]) -> T8<S> {
    [V8::load(simd, &triangles[0]), V8::load(simd, &triangles[1]), V8::load(simd, &triangles[2])]
}

/// Sixteen triangles: vertex, coordinate, lane.
pub(crate) type Triangles16 = [[[f32; 16]; 3]; 3];

/// Eight of sixteen triangles, from `at`, which is at most eight.
#[inline(always)]
fn load_from<S: Lanes8>(simd: S, triangles: &Triangles16, at: usize) -> T8<S> {
    let mut loaded = [V8([F8::splat(simd, 0.0); 3]); 3];
    for (vertex, rows) in loaded.iter_mut().zip(triangles) {
        for (lanes, row) in vertex.0.iter_mut().zip(rows) {
            *lanes = F8::from_slice(simd, &row[at.min(8)..][..8]);
        }
    }
    loaded
}

/// Writes eight triangles over those from `at`, which is at most eight.
#[inline(always)]
pub(crate) fn store<S: Lanes8>(t: &T8<S>, into: &mut Triangles16, at: usize) {
    for (vertex, rows) in t.iter().zip(into) {
        for (lanes, row) in vertex.0.iter().zip(rows) {
            row[at.min(8)..][..8].copy_from_slice(&<[f32; 8]>::from(*lanes));
        }
    }
}

/// Lanes picked from eight triangles.
#[inline(always)]
pub(crate) fn pick<S: Lanes8>(simd: S, t: &T8<S>, picks: [u8; 8]) -> T8<S> {
    let [a, b, c] = t;
    let flat = [a.0[0], a.0[1], a.0[2], b.0[0], b.0[1], b.0[2], c.0[0], c.0[1], c.0[2]];
    let [ax, ay, az, bx, by, bz, cx, cy, cz] = simd.pick9(flat, picks);
    [V8([ax, ay, az]), V8([bx, by, bz]), V8([cx, cy, cz])]
}

/// One lane of eight triangles in all lanes.
#[inline(always)]
pub(crate) fn splat_lane<S: Lanes8>(simd: S, t: &T8<S>, lane: u8) -> T8<S> {
    pick(simd, t, [lane; 8])
}

/// The lanes whose triangles may be nearer to the box than the root of `limit` (in the key's
/// measure).
#[inline(always)]
pub(crate) fn near_box<S: Lanes8>(simd: S, t: &T8<S>, fixed: &FixedObbSphere, limit: f32) -> u64 {
    simd.vectorize(
        #[inline(always)]
        move || near_box_here(simd, t, fixed, limit),
    )
}

#[inline(always)]
fn near_box_here<S: Lanes8>(simd: S, t: &T8<S>, fixed: &FixedObbSphere, limit: f32) -> u64 {
    let zero = F8::splat(simd, 0.0);
    let center = splat3(simd, &fixed.center);
    let local = [t[0] - center, t[1] - center, t[2] - center];
    let mut squares = zero;
    for i in 0..3 {
        let x = along(splat3(simd, &fixed.axes[i]), &local);
        let gap = (least(x).max(-greatest(x)) - F8::splat(simd, fixed.half[i])).max(zero);
        squares = gap.mul_add(gap, squares);
    }
    let n = (local[1] - local[0]).cross(local[2] - local[0]);
    let x = along(n, &local);
    let mut gap = least(x).max(-greatest(x));
    for i in 0..3 {
        let extent = n.dot(splat3(simd, &fixed.axes[i])).abs();
        gap = (-extent).mul_add(F8::splat(simd, fixed.half[i]), gap);
    }
    let limit = F8::splat(simd, limit);
    let apart = squares.simd_ge(limit) | proves(simd, gap, n.dot(n), limit);
    !apart.to_bitmask() & 0xff
}

/// As [`near_box`], along the nine directions that are perpendicular to an edge of the triangle and
/// one of the box: with those of `near_box` all that separate a triangle from a box
/// (Akenine-Möller, "Fast 3D triangle-box overlap testing", 2001).
///
/// In coordinates along the box's axes U, which need not be quite orthonormal: with an edge e and
/// i, j, k in turn, n = eₖUⱼ − eⱼUₖ is a direction whose dot products are those of the coordinates;
/// that n·Uⱼ is eₖ and |n|² their squares errs by 6ε, and that both ends of the edge project to one
/// point by 8ε|n|D: much less than the margin of boxes has room for.
#[inline(always)]
pub(crate) fn near_box_edges<S: Lanes8>(simd: S, t: &T8<S>, fixed: &FixedObbSphere, limit: f32) -> u64 {
    simd.vectorize(
        #[inline(always)]
        move || near_box_edges_here(simd, t, fixed, limit),
    )
}

#[inline(always)]
fn near_box_edges_here<S: Lanes8>(simd: S, t: &T8<S>, fixed: &FixedObbSphere, limit: f32) -> u64 {
    let center = splat3(simd, &fixed.center);
    let axes = [0, 1, 2].map(|i| splat3(simd, &fixed.axes[i]));
    let half = [0, 1, 2].map(|i| F8::splat(simd, fixed.half[i]));
    let limit = F8::splat(simd, limit);
    let vertices = [0, 1, 2].map(|k| {
        let local = t[k] - center;
        [axes[0].dot(local), axes[1].dot(local), axes[2].dot(local)]
    });
    let mut apart = half[0].simd_lt(F8::splat(simd, 0.0));
    for edge in 0..3 {
        let (start, end, opposite) = (&vertices[edge], &vertices[(edge + 1) % 3], &vertices[(edge + 2) % 3]);
        for axis in 0..3 {
            let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
            let (ej, ek) = (end[j] - start[j], end[k] - start[k]);
            let along = |vertex: &[F8<S>; 3]| ek * vertex[j] - ej * vertex[k];
            let (x, y) = (along(start), along(opposite));
            let extent = ek.abs() * half[j] + ej.abs() * half[k];
            apart |= proves(simd, x.min(y).max(-x.max(y)) - extent, ej * ej + ek * ek, limit);
        }
    }
    !apart.to_bitmask() & 0xff
}

/// Whether a gap along a direction of squared length `nn` is at least the root of `limit`.
#[inline(always)]
fn proves<S: Lanes8>(simd: S, gap: F8<S>, nn: F8<S>, limit: F8<S>) -> M8<S> {
    simd.step(
        #[inline(always)]
        || {
            let positive = gap.max(F8::splat(simd, 0.0));
            (positive * positive).simd_ge(nn * limit) & nn.simd_gt(F8::splat(simd, SHORTEST))
        },
    )
}

/// The lanes of `others` that may be nearer to `one` (the same triangle in all lanes) than the root
/// of `limit`: tries the line of the centroids, and the normals of `one` if asked.
#[inline(always)]
pub(crate) fn near_triangle<S: Lanes8, const NORMAL: bool>(simd: S, one: &T8<S>, others: &T8<S>, limit: f32) -> u64 {
    let limit = F8::splat(simd, limit);
    let local = [others[0] - one[0], others[1] - one[0], others[2] - one[0]];
    let edges = [one[1] - one[0], one[2] - one[0]];
    // Three times the difference of the centroids.
    let n = (local[0] + local[1] + local[2]) - (edges[0] + edges[1]);
    let own = n.dot(edges[0]).max(n.dot(edges[1])).max(F8::splat(simd, 0.0));
    let mut apart = proves(simd, least(along(n, &local)) - own, n.dot(n), limit);
    if NORMAL {
        let n = edges[0].cross(edges[1]);
        let x = along(n, &local);
        // The triangle's own extent along its computed normal: zero but for rounding, which may
        // matter on slivers.
        let (e, f) = (n.dot(edges[0]), n.dot(edges[1]));
        let (low, high) = (e.min(f).min(F8::splat(simd, 0.0)), e.max(f).max(F8::splat(simd, 0.0)));
        let gap = (least(x) - high).max(low - greatest(x));
        apart |= proves(simd, gap, n.dot(n), limit);
    }
    !apart.to_bitmask() & 0xff
}

/// The least squared distance between the first vertex of a triangle of one side and that of one of
/// the other: no less than theirs.
#[inline(always)]
pub(crate) fn nearest_vertices<S: Lanes8>(simd: S, a: &T8<S>, b: &T8<S>) -> f32 {
    let [x, y, z] = a[0].0;
    let [x, y, z]: [[f32; 8]; 3] = [x.into(), y.into(), z.into()];
    let mut least = F8::splat(simd, f32::MAX);
    for lane in 0..8 {
        let d = b[0] - V8::splat(simd, [x[lane], y[lane], z[lane]]);
        least = least.min(d.dot(d));
    }
    <[f32; 8]>::from(least).into_iter().fold(f32::MAX, f32::min)
}

/// What eight pairs of triangles yield.
#[derive(Clone, Copy)]
pub(crate) struct PairBounds<S: Lanes8> {
    /// The squared distance of points on two edges: realised.
    pub edges: F8<S>,
    /// The squared distance that was found, perhaps of a vertex above a face.
    pub found: F8<S>,
    /// A lower bound of the distance, up to the margin; may be negative; NaN where nothing is
    /// proven.
    pub lower: F8<S>,
    /// From the first to the second triangle: the direction of the bound, not normalised.
    pub direction: V8<S>,
}

/// `1/x` to about 20 bits.
#[inline(always)]
pub(crate) fn inverse<S: Lanes8>(simd: S, x: F8<S>) -> F8<S> {
    simd.step(
        #[inline(always)]
        || {
            let guess = x.approximate_recip();
            guess * (-x).mul_add(guess, F8::splat(simd, 2.0))
        },
    )
}

#[inline(always)]
pub(crate) fn clamped<S: Lanes8>(simd: S, x: F8<S>) -> F8<S> {
    // A NaN (0·∞ of degenerate edges) must end in [0, 1] too.
    simd.step(
        #[inline(always)]
        || x.max_precise(F8::splat(simd, 0.0)).min(F8::splat(simd, 1.0)),
    )
}

/// The nearest of the given candidates so far.
struct Nearest<S: Lanes8> {
    squared: F8<S>,
    direction: V8<S>,
}

impl<S: Lanes8> Nearest<S> {
    #[inline(always)]
    fn offer(&mut self, squared: F8<S>, direction: V8<S>, valid: M8<S>) {
        let nearer = squared.simd_lt(self.squared) & valid;
        self.squared = nearer.select(squared, self.squared);
        self.direction = direction.or(nearer, self.direction);
    }
}

/// Bounds of eight pairs of triangles, those from `at` of sixteen: nine pairs of edges, six
/// vertices against faces.
///
/// Where the edges alone show all of the lanes in `valid` to be `reach` or more apart, the faces
/// are left out. May be a function of its own, as
/// [`block_keys`](crate::pair::volume::obb_sphere_block::block_keys).
#[inline(always)]
pub(crate) fn pair_bounds<S: Lanes8>(
    simd: S,
    a: &Triangles16,
    b: &Triangles16,
    at: usize,
    reach: f32,
    valid: u64,
) -> PairBounds<S> {
    simd.vectorize(
        #[inline(always)]
        move || pair_bounds_here(simd, &load_from(simd, a, at), &load_from(simd, b, at), reach, valid),
    )
}

#[inline(always)]
fn pair_bounds_here<S: Lanes8>(simd: S, a: &T8<S>, b: &T8<S>, reach: f32, valid: u64) -> PairBounds<S> {
    let origin = a[0];
    let zero = F8::splat(simd, 0.0);
    let nil = V8([zero; 3]);
    let a = [nil, a[1] - origin, a[2] - origin];
    let b = [b[0] - origin, b[1] - origin, b[2] - origin];
    let edges_a = [a[1], a[2] - a[1], nil - a[2]];
    let edges_b = [b[1] - b[0], b[2] - b[1], b[0] - b[2]];
    let [e0, e1, e2] = edges_b;
    let squares_b = [e0.dot(e0), e1.dot(e1), e2.dot(e2)];
    let inverses_b = [inverse(simd, squares_b[0]), inverse(simd, squares_b[1]), inverse(simd, squares_b[2])];
    let starts_b = [e0.dot(b[0]), e1.dot(b[1]), e2.dot(b[2])];
    let mut nearest = Nearest { squared: F8::splat(simd, f32::MAX), direction: nil };
    let always = zero.simd_eq(zero);
    for i in 0..3 {
        let e = edges_a[i];
        let ee = e.dot(e);
        let inverse_a = inverse(simd, ee);
        let own = e.dot(a[i]);
        let on_b = along(e, &b);
        for j in 0..3 {
            let ef = on_b[(j + 1) % 3] - on_b[j];
            let c = own - on_b[j];
            let f = edges_b[j].dot(a[i]) - starts_b[j];
            // Minimise |a + s·e − b − t·f| over the unit square: the unconstrained s, then t, then
            // s again.
            let denominator = ee.mul_sub(squares_b[j], ef * ef);
            let s = clamped(simd, ef.mul_sub(f, c * squares_b[j]) * inverse(simd, denominator));
            let t = clamped(simd, ef.mul_add(s, f) * inverses_b[j]);
            let s = clamped(simd, ef.mul_sub(t, c) * inverse_a);
            let d = (b[j] - a[i]).plus_scaled(edges_b[j], t).plus_scaled(e, -s);
            nearest.offer(d.dot(d), d, always);
        }
    }
    let edges = nearest.squared;
    let mut lower = support_gap(simd, nearest.direction, &a, &b);
    let open = !lower.simd_ge(F8::splat(simd, reach)).to_bitmask() & valid;
    if open != 0 {
        faces(simd, &b, &a, &edges_a, &mut nearest, 1.0);
        faces(simd, &a, &b, &edges_b, &mut nearest, -1.0);
        lower = support_gap(simd, nearest.direction, &a, &b);
    }
    PairBounds { edges, found: nearest.squared, lower, direction: nearest.direction }
}

/// How far the projections on n are apart, b being ahead; zero where n is too short to prove
/// anything.
#[inline(always)]
fn support_gap<S: Lanes8>(simd: S, n: V8<S>, a: &T8<S>, b: &T8<S>) -> F8<S> {
    let nn = n.dot(n);
    let proven = nn.simd_gt(F8::splat(simd, SHORTEST));
    proven.select((least(along(n, b)) - greatest(along(n, a))) / nn.sqrt(), F8::splat(simd, 0.0))
}

/// The vertices of `points` above the faces of `face`; `sign` turns the direction from a to b.
#[inline(always)]
fn faces<S: Lanes8>(simd: S, points: &T8<S>, face: &T8<S>, edges: &T8<S>, nearest: &mut Nearest<S>, sign: f32) {
    let n = edges[0].cross(edges[1]);
    let inverse_nn = inverse(simd, n.dot(n));
    let inward = [n.cross(edges[0]), n.cross(edges[1]), n.cross(edges[2])];
    let borders = [inward[0].dot(face[0]), inward[1].dot(face[1]), inward[2].dot(face[2])];
    let height_of_face = n.dot(face[0]);
    let zero = F8::splat(simd, 0.0);
    for point in points {
        let inside = least([
            inward[0].dot(*point) - borders[0],
            inward[1].dot(*point) - borders[1],
            inward[2].dot(*point) - borders[2],
        ]);
        let height = n.dot(*point) - height_of_face;
        let weight = height * inverse_nn;
        nearest.offer(height * weight, n.scaled(weight * F8::splat(simd, sign)), inside.simd_ge(zero));
    }
}
