//! A polytope inside of the set of all differences b − a that grows where the origin is nearest to its surface.
//!
//! Where two cores overlap, the origin is inside of the set of their differences, and its distance from the set's surface is how far
//! one must move to leave the other. Differences of farthest points are the corners of a closed surface of triangles within the set.
//! The triangle nearest to the origin gives way to a corner farther out, along its normal, until the set ends at that triangle (van
//! den Bergen, "Proximity queries and penetration depth computation on 3D game objects", 2001).
//!
//! # What is proven
//! The support of the set along any direction bounds the depth from above; no surface is needed for that. From below: let every
//! triangle (p, q, r) of a closed surface turn left seen from outside, det(p, q, r) > 0. Then all its signed solid angles about the
//! origin are positive, their sum is a positive multiple of 4π, and the surface winds around every point of a ball about the
//! origin that it does not cross: the ball is in the hull of the corners, hence in the set. That needs neither convexity nor any
//! decision of [`Expanding::expand`] to be right: only that the surface is closed, which it is by construction (each rim edge of the
//! hole gets one triangle), and the signs. A triangle is at least min(n·p, n·q, n·r) from the origin, for ANY unit vector n.
//!
//! # Rounding
//! With u = 2⁻⁵³: the product n of two edges e and f is off by 4u|e||f|, so that det = n·p is positive where the computed one is above
//! 8u|e||f|ρ; [`SIGN`] has 32u. Heights are dot products with coordinates below ρ: 4uρ, which the pair's error (64uρ) covers
//! together with what corners are off.
//!
//! Cost: 120 ns a step; two cubes take 6 steps, more corners 10 to 60, curved cores as many as they are given. Memory of more than 64
//! corners is allocated.

use super::gjk::{Bounds, LocalPair};
use super::separation::unit;
use super::simplex::Vertex;
use crate::math::lanes::{F4, Simd};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::shape::Convex;
use fearless_simd::prelude::*;
use smallvec::SmallVec;

/// A determinant is certainly positive above this much of |e||f|ρ; derived in the head of this file.
const SIGN: f64 = 32.0 * UNIT_ROUNDOFF;
/// A triangle whose squared sine is less has no normal worth the name.
const THINNEST: f64 = 1e-20;
/// A point whose squared distance from where it should be is less than this part of the depth's is not looked for any longer.
const NEAR_ENOUGH: f64 = 1e-14;
/// Directions across a line in which a set that is not flat may have its extent.
const ACROSS: [(f64, f64); 4] = [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, -1.0)];
/// How many planes are computed side by side.
const LANES: usize = 4;
/// Bits of all lanes.
const ALL: u8 = (1 << LANES) - 1;

/// Where a surface grows: the set of all differences of two cores.
pub(super) trait Differing {
    /// A difference, and how to find what it is one of.
    type Tip: Tip;

    /// The difference of the farthest points towards each other along a direction from a to b, of unit length.
    fn tip(&self, direction: DVec3) -> Self::Tip;

    /// The two points.
    fn points(&self, tip: &Self::Tip) -> (DVec3, DVec3);

    /// How far a difference, or a gap along a direction of unit length, may be off.
    fn error(&self) -> f64;
}

/// A difference b − a.
pub(super) trait Tip: Copy {
    /// Where it is.
    fn place(&self) -> DVec3;
}

impl Tip for Vertex {
    #[inline(always)]
    fn place(&self) -> DVec3 {
        self.difference
    }
}

impl<A: Convex, B: Convex> Differing for LocalPair<'_, A, B> {
    type Tip = Vertex;

    #[inline]
    fn tip(&self, direction: DVec3) -> Vertex {
        self.vertex(direction)
    }

    #[inline]
    fn points(&self, tip: &Vertex) -> (DVec3, DVec3) {
        (tip.a, tip.b)
    }

    #[inline]
    fn error(&self) -> f64 {
        self.error
    }
}

/// A triangle of the surface, left turns seen from outside.
#[derive(Debug, Clone, Copy)]
struct Face {
    corners: [u16; 3],
    /// The faces beyond the edges that start at those corners.
    across: [u16; 3],
    /// Whether the origin is certainly on the inner side.
    surely_inside: bool,
}

/// The planes of some triangles, side by side.
#[derive(Debug, Clone, Copy)]
struct Planes {
    /// Outward, of unit length: coordinate by coordinate.
    normals: [[f64; LANES]; 3],
    /// At most the distances of the triangles from the origin; negative or zero where it is beyond, infinite where there is no triangle.
    heights: [f64; LANES],
}

impl Planes {
    const NONE: Self = Self { normals: [[0.0; LANES]; 3], heights: [f64::INFINITY; LANES] };

    #[inline(always)]
    fn normal(&self, lane: usize) -> DVec3 {
        let [x, y, z] = &self.normals;
        DVec3::new(x[lane], y[lane], z[lane])
    }
}

/// An edge of the hole that visible faces leave, and the face beyond.
#[derive(Debug, Clone, Copy, Default)]
struct RimEdge {
    from: u16,
    to: u16,
    beyond: u16,
}

/// A closed surface of triangles whose corners are differences of two cores.
pub(super) struct Expanding<T> {
    tips: SmallVec<[T; 64]>,
    faces: SmallVec<[Face; 128]>,
    /// Those of face i are in lane `i % LANES` of entry `i / LANES`.
    planes: SmallVec<[Planes; 32]>,
    /// How many faces do not certainly have the origin inside.
    unsure: usize,
    /// By entry of `planes`: bits of the visible ones.
    seen: SmallVec<[u8; 32]>,
    /// The first of them count; what is behind is memory.
    visible: SmallVec<[u16; 256]>,
    visible_count: usize,
    rim: SmallVec<[RimEdge; 64]>,
    rim_count: usize,
    /// By tip: the edge of the rim that starts there.
    starts: SmallVec<[u16; 64]>,
    /// The rim in order, and what leads from the new tip to where its edges start, coordinate by coordinate.
    around: SmallVec<[RimEdge; 32]>,
    spokes: [SmallVec<[f64; 36]>; 3],
    fresh: SmallVec<[Planes; 8]>,
    /// Bits of those that surely have the origin inside.
    fresh_sure: SmallVec<[u8; 8]>,
    reach: f64,
}

/// What came of growing: the depth is at least `lower`, and the points are on the triangle next to the origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grown {
    pub lower: f64,
    pub point_a: DVec3,
    pub point_b: DVec3,
}

impl<T: Tip> Expanding<T> {
    /// No surface yet. It lives where it is made: moving all of its memory would take as long as a step.
    #[inline(always)]
    pub(super) fn empty(reach: f64) -> Self {
        Self {
            tips: SmallVec::new(),
            faces: SmallVec::new(),
            planes: SmallVec::new(),
            unsure: 0,
            seen: SmallVec::new(),
            visible: SmallVec::new(),
            visible_count: 0,
            rim: SmallVec::new(),
            rim_count: 0,
            starts: SmallVec::new(),
            around: SmallVec::new(),
            spokes: [SmallVec::new(), SmallVec::new(), SmallVec::new()],
            fresh: SmallVec::new(),
            fresh_sure: SmallVec::new(),
            reach,
        }
    }

    /// Begins with the surface of a tetrahedron; false where it is too flat to have normals. Lengths are below the reach.
    #[inline(always)]
    pub(super) fn begin<S: Simd>(&mut self, simd: S, corners: [T; 4]) -> bool {
        let [p, q, r, s] = corners.map(|corner| corner.place());
        let turns = (q - p).cross(r - p).dot(s - p) > 0.0;
        let [first, second, third, last] = corners;
        let base = if turns { [first, third, second] } else { [first, second, third] };
        base.into_iter().chain([last]).for_each(|tip| {
            self.tips.push(tip);
            self.starts.push(0);
        });
        let sides: [([u16; 3], [u16; 3]); 4] =
            [([0, 1, 2], [1, 2, 3]), ([0, 3, 1], [3, 2, 0]), ([1, 3, 2], [1, 3, 0]), ([2, 3, 0], [2, 1, 0])];
        let mut columns = [[[0.0; LANES]; 3]; 3];
        for (lane, (corners, _)) in sides.iter().enumerate() {
            for (column, &corner) in columns.iter_mut().zip(corners) {
                let place = self.tips[usize::from(corner)].place();
                (column[0][lane], column[1][lane], column[2][lane]) = (place.x, place.y, place.z);
            }
        }
        let [p, q, r] = &columns;
        let (p, q, r) = (lanes_of(simd, p), lanes_of(simd, q), lanes_of(simd, r));
        let Some((planes, sure)) = planes_of(simd, self.reach, p, minus(q, p), minus(r, p), ALL) else { return false };
        self.planes.push(planes);
        for (i, (corners, across)) in sides.into_iter().enumerate() {
            let surely_inside = sure >> i & 1 == 1;
            self.unsure += usize::from(!surely_inside);
            self.faces.push(Face { corners, across, surely_inside });
        }
        true
    }

    /// The face nearest to the origin, and its height.
    #[inline(always)]
    fn nearest<S: Simd>(&self, simd: S) -> (usize, f64) {
        let mut number: F4<S> = [0.0, 1.0, 2.0, 3.0].simd_into(simd);
        let step = F4::splat(simd, LANES as f64);
        let (mut least, mut numbers) = (F4::splat(simd, f64::INFINITY), number);
        for planes in &self.planes {
            let heights: F4<S> = planes.heights.simd_into(simd);
            let nearer = heights.simd_lt(least);
            least = nearer.select(heights, least);
            numbers = nearer.select(number, numbers);
            number += step;
        }
        let (least, numbers): ([f64; LANES], [f64; LANES]) = (least.into(), numbers.into());
        let place = |lane: usize| (least[lane], numbers[lane]);
        let nearer = |one: (f64, f64), other: (f64, f64)| if other.0 < one.0 { other } else { one };
        let (height, number) = nearer(nearer(place(0), place(1)), nearer(place(2), place(3)));
        (number as i32 as usize, height)
    }

    /// Grows until `done` says that the two bounds of the depth, `lower` (what is known of it) and minus the gap in `bounds`, are close enough, for at most
    /// `steps`; ends also where the set ends at the nearest face, or where rounding hides what the surface would become.
    #[inline(always)]
    pub(super) fn grow<S: Simd, D: Differing<Tip = T>>(
        &mut self,
        simd: S,
        set: &D,
        bounds: &mut Bounds,
        mut lower: f64,
        steps: usize,
        done: impl Fn(f64, &Bounds) -> bool,
    ) -> Grown {
        let error = set.error();
        let (mut nearest, mut height) = self.nearest(simd);
        for _ in 0..steps {
            if self.unsure == 0 {
                lower = lower.max(height - error);
            }
            let normal = self.planes[nearest / LANES].normal(nearest % LANES);
            // A direction leads from a to b, opposite to where the set ends.
            let tip = set.tip(-normal);
            let end = normal.dot(tip.place());
            if -end - error > bounds.lower {
                (bounds.lower, bounds.direction) = (-end - error, -normal);
            }
            if bounds.lower > 0.0 || end - height <= 0.25 * error || done(lower, bounds) {
                break;
            }
            if !self.expand(simd, tip, 0.25 * error) {
                break;
            }
            (nearest, height) = self.nearest(simd);
        }
        if self.unsure == 0 {
            lower = lower.max(height - error);
        }
        let (point_a, point_b) = self.points_at(set, nearest, unit(bounds.direction) * bounds.lower);
        Grown { lower, point_a, point_b }
    }

    /// Replaces all faces that see a new tip by triangles between it and their rim. False, and nothing is changed, where these would
    /// have no normals.
    #[inline(always)]
    fn expand<S: Simd>(&mut self, simd: S, tip: T, level: f64) -> bool {
        if self.tips.len() >= usize::from(u16::MAX) / 4 {
            return false;
        }
        self.tips.push(tip);
        self.starts.push(0);
        // Faces level with the tip go too: beside them new triangles would be thin. Where that fails, they stay.
        for slack in [-level, level] {
            if self.open(simd, tip.place(), slack) && self.fan(simd, tip.place()) {
                self.close();
                return true;
            }
        }
        self.tips.pop();
        self.starts.pop();
        false
    }

    /// Collects the visible faces and the edges of their rim, in no order. No branch depends on what is visible: guessing those wrong would
    /// take longer than all the arithmetic.
    #[inline(always)]
    fn open<S: Simd>(&mut self, simd: S, tip: DVec3, slack: f64) -> bool {
        let (x, y, z) = (F4::splat(simd, tip.x), F4::splat(simd, tip.y), F4::splat(simd, tip.z));
        let slack = F4::splat(simd, slack);
        self.seen.clear();
        at_least(&mut self.visible, self.faces.len() + LANES, 0);
        let visible = self.visible.as_mut_slice();
        let mut count = 0;
        for (entry, Planes { normals: [xs, ys, zs], heights }) in self.planes.iter().enumerate() {
            let (xs, ys, zs): (F4<S>, F4<S>, F4<S>) =
                ((*xs).simd_into(simd), (*ys).simd_into(simd), (*zs).simd_into(simd));
            let heights: F4<S> = (*heights).simd_into(simd);
            let above = z.mul_add(zs, y.mul_add(ys, x * xs)) - heights;
            let bits = above.simd_gt(slack).to_bitmask() as u8;
            self.seen.push(bits);
            for lane in 0..LANES {
                visible[count] = (entry * LANES + lane) as u16;
                count += usize::from(bits >> lane & 1);
            }
        }
        at_least(&mut self.rim, 3 * count + 1, RimEdge::default());
        let (faces, rim, seen) = (self.faces.as_slice(), self.rim.as_mut_slice(), self.seen.as_slice());
        let mut edges = 0;
        for &at in &visible[..count] {
            let Face { corners: [p, q, r], across, .. } = faces[usize::from(at)];
            for (from, to, beyond) in [(p, q, across[0]), (q, r, across[1]), (r, p, across[2])] {
                rim[edges] = RimEdge { from, to, beyond };
                let beyond = usize::from(beyond);
                edges += usize::from(seen[beyond / LANES] >> (beyond % LANES) & 1 == 0);
            }
        }
        (self.visible_count, self.rim_count) = (count, edges);
        // A hole in a sphere that is a disc has two edges more than faces.
        edges == count + 2
    }

    /// Makes the planes of the new triangles, in the rim's order. False if one is too thin or the rim is no single loop.
    #[inline(always)]
    fn fan<S: Simd>(&mut self, simd: S, tip: DVec3) -> bool {
        // Slices, as asking each time where the memory is would take as long as the rest.
        let (tips, rim, starts) = (self.tips.as_slice(), &self.rim[..self.rim_count], self.starts.as_mut_slice());
        let count = rim.len();
        for (i, edge) in rim.iter().enumerate() {
            starts[usize::from(edge.from)] = i as u16;
        }
        self.around.clear();
        let length = count.next_multiple_of(LANES) + 1;
        let [xs, ys, zs] = &mut self.spokes;
        at_least(xs, length, 0.0);
        at_least(ys, length, 0.0);
        at_least(zs, length, 0.0);
        let (xs, ys, zs) = (xs.as_mut_slice(), ys.as_mut_slice(), zs.as_mut_slice());
        let mut edge = rim[0];
        for i in 0..count {
            self.around.push(edge);
            let spoke = tips[usize::from(edge.from)].place() - tip;
            (xs[i], ys[i], zs[i]) = (spoke.x, spoke.y, spoke.z);
            let next = rim.get(usize::from(starts[usize::from(edge.to)])).copied().unwrap_or(edge);
            // Not so where the loop is closed before all edges are in it, or where two loops meet in a corner.
            if next.from != edge.to || (next.from == rim[0].from && i + 1 < count) {
                return false;
            }
            edge = next;
        }
        // Behind the last the first, and copies of it where there is no triangle.
        (count..length).for_each(|i| (xs[i], ys[i], zs[i]) = (xs[0], ys[0], zs[0]));
        self.fresh.clear();
        self.fresh_sure.clear();
        let (x, y, z) = (F4::splat(simd, tip.x), F4::splat(simd, tip.y), F4::splat(simd, tip.z));
        for i in (0..count).step_by(LANES) {
            let (e, f) = (spokes_at(simd, [xs, ys, zs], i), spokes_at(simd, [xs, ys, zs], i + 1));
            let used = ALL >> (LANES - (count - i).min(LANES));
            let Some((planes, sure)) = planes_of(simd, self.reach, [x, y, z], e, f, used) else { return false };
            self.fresh.push(planes);
            self.fresh_sure.push(sure);
        }
        true
    }

    /// Puts the new triangles where the visible faces were.
    #[inline(always)]
    fn close(&mut self) {
        let (around, visible) = (self.around.as_slice(), &self.visible[..self.visible_count]);
        let (count, tip) = (around.len(), (self.tips.len() - 1) as u16);
        for &slot in visible {
            self.unsure -= usize::from(!self.faces[usize::from(slot)].surely_inside);
        }
        // The first take the places of visible faces, the last two come behind all others.
        let behind = self.faces.len() - visible.len();
        let slot = |i: usize| visible.get(i).copied().unwrap_or((behind + i) as u16);
        for _ in visible.len()..count {
            self.faces.push(Face { corners: [0; 3], across: [0; 3], surely_inside: false });
        }
        if self.faces.len() > self.planes.len() * LANES {
            self.planes.push(Planes::NONE);
        }
        let (faces, planes) = (self.faces.as_mut_slice(), self.planes.as_mut_slice());
        let (mut before, mut here) = (slot(count - 1), slot(0));
        for (i, &RimEdge { from, to, beyond }) in around.iter().enumerate() {
            let after = slot(if i + 1 < count { i + 1 } else { 0 });
            let (entry, lane) = (i / LANES, i % LANES);
            let surely_inside = self.fresh_sure[entry] >> lane & 1 == 1;
            self.unsure += usize::from(!surely_inside);
            faces[usize::from(here)] =
                Face { corners: [from, to, tip], across: [beyond, after, before], surely_inside };
            let (fresh, place) = (&self.fresh[entry], &mut planes[usize::from(here) / LANES]);
            let at = usize::from(here) % LANES;
            for (to, from) in place.normals.iter_mut().zip(&fresh.normals) {
                to[at] = from[lane];
            }
            place.heights[at] = fresh.heights[lane];
            let beyond = &mut faces[usize::from(beyond)];
            let back = usize::from(beyond.corners[1] == to) + 2 * usize::from(beyond.corners[2] == to);
            beyond.across[back.min(2)] = here;
            (before, here) = (here, after);
        }
    }

    /// The points of both cores that stand for the point of the surface nearest to one outside: on this face, or among faces that are not farther from
    /// the origin than that is.
    fn points_at<D: Differing<Tip = T>>(&self, set: &D, face: usize, outside: DVec3) -> (DVec3, DVec3) {
        let farthest = outside.length();
        // Mostly on the last face that was looked at.
        let mut nearest = self.points_on(set, &self.faces[face]);
        let mut least = (nearest.1 - nearest.0).distance_squared(outside);
        if least <= NEAR_ENOUGH * farthest * farthest {
            return nearest;
        }
        // First those whose normals lead there; the others matter only where the search ended early.
        for least_cosine in [1.0 - 1e-9, -1.0] {
            let may_be = |&(i, _): &(usize, &Face)| {
                let (planes, lane) = (&self.planes[i / LANES], i % LANES);
                planes.heights[lane] <= farthest && planes.normal(lane).dot(outside) >= least_cosine * farthest
            };
            for (_, face) in self.faces.iter().enumerate().filter(may_be) {
                let (point_a, point_b) = self.points_on(set, face);
                let squared = (point_b - point_a).distance_squared(outside);
                if squared < least {
                    (nearest, least) = ((point_a, point_b), squared);
                }
            }
            if least <= NEAR_ENOUGH * farthest * farthest {
                break;
            }
        }
        nearest
    }

    /// The points of both cores that stand for the point of a face's plane nearest to the origin, or for one of the face that is near to it.
    fn points_on<D: Differing<Tip = T>>(&self, set: &D, face: &Face) -> (DVec3, DVec3) {
        let corners = face.corners.map(|corner| self.tips[usize::from(corner)]);
        let [p, q, r] = corners.map(|corner| corner.place());
        let normal = (q - p).cross(r - p);
        let parts = [q.cross(r), r.cross(p), p.cross(q)].map(|part| part.dot(normal).max(0.0));
        let sum: f64 = parts.iter().sum();
        let weights = if sum > 0.0 { parts.map(|part| part / sum) } else { [1.0, 0.0, 0.0] };
        let mut points = (DVec3::ZERO, DVec3::ZERO);
        for (corner, weight) in corners.iter().zip(weights) {
            let (point_a, point_b) = set.points(corner);
            points.0 += point_a * weight;
            points.1 += point_b * weight;
        }
        points
    }
}

/// Lengthens memory that is too short.
#[inline(always)]
fn at_least<A: smallvec::Array>(memory: &mut SmallVec<A>, length: usize, filling: A::Item)
where
    A::Item: Copy,
{
    if memory.len() < length {
        memory.resize(length.next_multiple_of(32), filling);
    }
}

#[inline(always)]
fn lanes_of<S: Simd>(simd: S, [x, y, z]: &[[f64; LANES]; 3]) -> [F4<S>; 3] {
    [(*x).simd_into(simd), (*y).simd_into(simd), (*z).simd_into(simd)]
}

/// Some spokes, the first of this number.
#[inline(always)]
fn spokes_at<S: Simd>(simd: S, [xs, ys, zs]: [&[f64]; 3], first: usize) -> [F4<S>; 3] {
    let lanes = first..first + LANES;
    let [x, y, z] = [&xs[lanes.clone()], &ys[lanes.clone()], &zs[lanes]];
    [F4::from_slice(simd, x), F4::from_slice(simd, y), F4::from_slice(simd, z)]
}

/// The planes of triangles with a corner p and edges e and f from there, and which of them surely have the origin inside; none if one of the `used`
/// ones is too thin. Lengths are below `reach`.
#[inline(always)]
fn planes_of<S: Simd>(
    simd: S,
    reach: f64,
    p: [F4<S>; 3],
    e: [F4<S>; 3],
    f: [F4<S>; 3],
    used: u8,
) -> Option<(Planes, u8)> {
    let product = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    let (squared, size) = (dots(product, product), dots(e, e) * dots(f, f));
    // Not so either where lengths are zero or no numbers.
    let thick = squared.simd_gt(F4::splat(simd, THINNEST) * size).to_bitmask() as u8;
    if thick & used != used {
        return None;
    }
    let length = squared.sqrt();
    let scale = F4::splat(simd, 1.0) / length;
    let normals = [product[0] * scale, product[1] * scale, product[2] * scale];
    // Lower where the other corners are lower than p.
    let lower = dots(normals, e).min(dots(normals, f)).min(F4::splat(simd, 0.0));
    let heights = dots(normals, p) + lower;
    let (volume, unsure) = (heights * length, SIGN * reach);
    let sure =
        volume.simd_gt(F4::splat(simd, 0.0)) & (volume * volume).simd_gt(F4::splat(simd, unsure * unsure) * size);
    let [x, y, z] = normals;
    Some((Planes { normals: [x.into(), y.into(), z.into()], heights: heights.into() }, sure.to_bitmask() as u8))
}

#[inline(always)]
fn dots<S: Simd>(a: [F4<S>; 3], b: [F4<S>; 3]) -> F4<S> {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

#[inline(always)]
fn minus<S: Simd>(a: [F4<S>; 3], b: [F4<S>; 3]) -> [F4<S>; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Four differences that span a tetrahedron, or none where the set is flat; what is looked along on the way bounds the gap. The origin
/// need not be inside: faces that do not have it there are the first to grow.
pub(super) fn spanning<A: Convex, B: Convex>(pair: &LocalPair<'_, A, B>, bounds: &mut Bounds) -> Option<[Vertex; 4]> {
    let mut ends = |direction: DVec3| {
        [direction, -direction].map(|direction| {
            let vertex = pair.vertex(direction);
            pair.certify_by(direction, &vertex, bounds);
            vertex
        })
    };
    let least = 4.0 * pair.error;
    let length = |[p, q]: &[Vertex; 2]| p.difference.distance_squared(q.difference);
    let [p, q] = DVec3::AXES.map(&mut ends).into_iter().max_by(|one, other| length(one).total_cmp(&length(other)))?;
    let line = (q.difference - p.difference).try_normalize().filter(|_| length(&[p, q]) > least * least)?;
    let (u, v) = line.any_orthonormal_pair();
    let off_line = |vertex: &Vertex| line.cross(vertex.difference - p.difference).length_squared();
    let around = ACROSS.map(|(x, y)| ends(u * x + v * y));
    let r = around.into_iter().flatten().max_by(|one, other| off_line(one).total_cmp(&off_line(other)))?;
    let normal = line.cross(r.difference - p.difference);
    let normal = normal.try_normalize().filter(|_| off_line(&r) > least * least)?;
    let height = |vertex: &Vertex| normal.dot(vertex.difference - p.difference).abs();
    let s = ends(normal).into_iter().max_by(|one, other| height(one).total_cmp(&height(other)))?;
    (height(&s) > least).then_some([p, q, r, s])
}
