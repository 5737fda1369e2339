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
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::shape::Convex;
use smallvec::SmallVec;

/// A determinant is certainly positive above this much of |e||f|ρ; derived in the head of this file.
const SIGN: f64 = 32.0 * UNIT_ROUNDOFF;
/// A triangle whose squared sine is less has no normal worth the name.
const THINNEST: f64 = 1e-20;
/// A point whose squared distance from where it should be is less than this part of the depth's is not looked for any longer.
const NEAR_ENOUGH: f64 = 1e-14;
/// Directions across a line in which a set that is not flat may have its extent.
const ACROSS: [(f64, f64); 4] = [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, -1.0)];
/// The corner after each of a triangle.
const NEXT: [usize; 3] = [1, 2, 0];

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
    /// Outward, of unit length.
    normal: DVec3,
    /// At most the distance of the triangle from the origin; negative or zero where the origin is beyond.
    height: f64,
    /// Whether the origin is certainly on the inner side.
    surely_inside: bool,
    /// The last search for a rim that found this face to be visible.
    seen_in: u16,
}

/// An edge of the hole that visible faces leave, the face beyond, and which of that one's edges it is.
#[derive(Debug, Clone, Copy)]
struct RimEdge {
    from: u16,
    to: u16,
    beyond: u16,
    back: u16,
}

/// A closed surface of triangles whose corners are differences of two cores.
pub(super) struct Expanding<T> {
    tips: SmallVec<[T; 64]>,
    faces: SmallVec<[Face; 128]>,
    /// The faces' heights: where to look next is one pass over these.
    heights: SmallVec<[f64; 128]>,
    /// How many faces do not certainly have the origin inside.
    unsure: usize,
    visible: SmallVec<[u16; 32]>,
    /// Edges of visible faces that are still to be crossed.
    ways: SmallVec<[(u16, u16); 32]>,
    rim: SmallVec<[RimEdge; 32]>,
    fresh: SmallVec<[Face; 32]>,
    searches: u16,
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
            heights: SmallVec::new(),
            unsure: 0,
            visible: SmallVec::new(),
            ways: SmallVec::new(),
            rim: SmallVec::new(),
            fresh: SmallVec::new(),
            searches: 0,
            reach,
        }
    }

    /// Begins with the surface of a tetrahedron; false where it is too flat to have normals. Lengths are below the reach.
    #[inline(always)]
    pub(super) fn begin(&mut self, corners: [T; 4]) -> bool {
        let [p, q, r, s] = corners.map(|corner| corner.place());
        self.tips.extend(corners);
        if (q - p).cross(r - p).dot(s - p) > 0.0 {
            self.tips.swap(1, 2);
        }
        let sides = [([0, 1, 2], [1, 2, 3]), ([0, 3, 1], [3, 2, 0]), ([1, 3, 2], [1, 3, 0]), ([2, 3, 0], [2, 1, 0])];
        for (corners, across) in sides {
            let Some(face) = face_of(&self.tips, self.reach, corners, across) else { return false };
            self.heights.push(face.height);
            self.unsure += usize::from(!face.surely_inside);
            self.faces.push(face);
        }
        true
    }

    /// The face nearest to the origin.
    #[inline(always)]
    fn nearest(&self) -> usize {
        let (mut nearest, mut least) = (0, f64::INFINITY);
        for (i, &height) in self.heights.iter().enumerate() {
            let nearer = height < least;
            nearest = if nearer { i } else { nearest };
            least = if nearer { height } else { least };
        }
        nearest
    }

    /// Grows until `done` says that the two bounds of the depth, `lower` (what is known of it) and minus the gap in `bounds`, are close enough, for at most
    /// `steps`; ends also where the set ends at the nearest face, or where rounding hides what the surface would become.
    #[inline(always)]
    pub(super) fn grow<D: Differing<Tip = T>>(
        &mut self,
        set: &D,
        bounds: &mut Bounds,
        mut lower: f64,
        steps: usize,
        done: impl Fn(f64, &Bounds) -> bool,
    ) -> Grown {
        let (error, mut nearest) = (set.error(), self.nearest());
        for _ in 0..steps {
            if self.unsure == 0 {
                lower = lower.max(self.heights[nearest] - error);
            }
            let Face { normal, height, .. } = self.faces[nearest];
            // A direction leads from a to b, opposite to where the set ends.
            let tip = set.tip(-normal);
            let end = normal.dot(tip.place());
            if -end - error > bounds.lower {
                (bounds.lower, bounds.direction) = (-end - error, -normal);
            }
            if bounds.lower > 0.0 || end - height <= 0.25 * error || done(lower, bounds) {
                break;
            }
            if !self.expand(nearest, tip, 0.25 * error) {
                break;
            }
            nearest = self.nearest();
        }
        if self.unsure == 0 {
            lower = lower.max(self.heights[nearest] - error);
        }
        let (point_a, point_b) = self.points_at(set, -unit(bounds.direction) * -bounds.lower);
        Grown { lower, point_a, point_b }
    }

    /// Replaces all faces that see a new tip by triangles between it and their rim. False, and nothing is changed, where these would
    /// have no normals.
    #[inline(always)]
    fn expand(&mut self, seed: usize, tip: T, level: f64) -> bool {
        if self.tips.len() >= usize::from(u16::MAX) / 4 {
            return false;
        }
        self.tips.push(tip);
        // Faces level with the tip go too: beside them new triangles would be thin. Where that fails, they stay.
        for slack in [-level, level] {
            if self.open(seed, tip.place(), slack) && self.fan() {
                self.close();
                return true;
            }
        }
        self.tips.pop();
        false
    }

    /// Collects the visible faces, starting from one that sees the tip, and their rim, edge after edge: edges are crossed from left to right.
    #[inline(always)]
    fn open(&mut self, seed: usize, tip: DVec3, slack: f64) -> bool {
        // After so many searches marks begin anew, and old ones would count.
        let Some(search) = self.searches.checked_add(1) else { return false };
        self.searches = search;
        self.visible.clear();
        self.rim.clear();
        self.ways.clear();
        let faces = self.faces.as_mut_slice();
        let seed = seed as u16;
        faces[usize::from(seed)].seen_in = search;
        self.visible.push(seed);
        self.ways.extend([(seed, 2), (seed, 1), (seed, 0)]);
        while let Some((at, side)) = self.ways.pop() {
            let Face { corners, across, .. } = &faces[usize::from(at)];
            let side = usize::from(side);
            let (from, to, beyond) = (corners[side], corners[NEXT[side]], across[side]);
            let other = &mut faces[usize::from(beyond)];
            if other.seen_in == search {
                continue;
            }
            let back = if other.corners[0] == to { 0 } else { 1 + usize::from(other.corners[1] != to) };
            if other.normal.dot(tip) - other.height > slack {
                other.seen_in = search;
                self.visible.push(beyond);
                self.ways.push((beyond, NEXT[NEXT[back]] as u16));
                self.ways.push((beyond, NEXT[back] as u16));
            } else {
                self.rim.push(RimEdge { from, to, beyond, back: back as u16 });
            }
        }
        // A hole in a sphere that is a disc has two edges more than faces.
        self.rim.len() == self.visible.len() + 2
    }

    /// Makes the new triangles, without putting them into the surface. False if one is too thin or the rim is no single loop.
    #[inline(always)]
    fn fan(&mut self) -> bool {
        // Slices, as asking each time where the memory is would take as long as the rest.
        let (tips, visible, rim) = (self.tips.as_slice(), self.visible.as_slice(), self.rim.as_slice());
        let (tip, behind) = ((tips.len() - 1) as u16, self.faces.len() - visible.len());
        // The first take the places of visible faces, the last two come behind all others.
        let slot = |i: usize| visible.get(i).copied().unwrap_or((behind + i) as u16);
        self.fresh.clear();
        let (mut before, mut here) = (slot(rim.len() - 1), slot(0));
        for (i, edge) in rim.iter().enumerate() {
            let next = if i + 1 < rim.len() { i + 1 } else { 0 };
            if edge.to != rim[next].from {
                return false;
            }
            let after = slot(next);
            let (corners, across) = ([edge.from, edge.to, tip], [edge.beyond, after, before]);
            let Some(face) = face_of(tips, self.reach, corners, across) else { return false };
            self.fresh.push(face);
            (before, here) = (here, after);
        }
        true
    }

    /// Puts the new triangles where the visible faces were.
    #[inline(always)]
    fn close(&mut self) {
        let (fresh, rim, visible) = (self.fresh.as_slice(), self.rim.as_slice(), self.visible.as_slice());
        let unsure = |face: &Face| usize::from(!face.surely_inside);
        for &slot in visible {
            self.unsure -= unsure(&self.faces[usize::from(slot)]);
        }
        let behind = self.faces.len() - visible.len();
        for face in &fresh[visible.len()..] {
            self.faces.push(*face);
            self.heights.push(face.height);
        }
        let (faces, heights) = (self.faces.as_mut_slice(), self.heights.as_mut_slice());
        for (i, (face, edge)) in fresh.iter().zip(rim).enumerate() {
            let slot = visible.get(i).map_or(behind + i, |&slot| usize::from(slot));
            self.unsure += unsure(face);
            faces[slot] = *face;
            heights[slot] = face.height;
            faces[usize::from(edge.beyond)].across[usize::from(edge.back)] = slot as u16;
        }
    }

    /// The points of both cores that stand for the point of the surface nearest to one outside, among faces that are not farther from
    /// the origin than that is.
    fn points_at<D: Differing<Tip = T>>(&self, set: &D, outside: DVec3) -> (DVec3, DVec3) {
        let (mut nearest, mut least) = ((DVec3::ZERO, DVec3::ZERO), f64::INFINITY);
        let farthest = outside.length();
        // First those whose normals lead there; the others matter only where the search ended early.
        for least_cosine in [1.0 - 1e-9, -1.0] {
            let may_be = |face: &&Face| face.height <= farthest && face.normal.dot(outside) >= least_cosine * farthest;
            for face in self.faces.iter().filter(may_be) {
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

/// A triangle; none if it is too thin. Lengths are below `reach`.
#[inline(always)]
fn face_of<T: Tip>(tips: &[T], reach: f64, corners: [u16; 3], across: [u16; 3]) -> Option<Face> {
    let difference = |i: usize| tips[usize::from(corners[i])].place();
    let (p, q, r) = (difference(0), difference(1), difference(2));
    let (e, f) = (q - p, r - p);
    let normal = e.cross(f);
    let (squared, size) = (normal.length_squared(), e.length_squared() * f.length_squared());
    // Also where lengths are zero.
    if squared <= THINNEST * size || squared.is_nan() {
        return None;
    }
    let length = squared.sqrt();
    let normal = normal * (1.0 / length);
    let height = normal.dot(p).min(normal.dot(q)).min(normal.dot(r));
    let (volume, unsure) = (height * length, SIGN * reach);
    let surely_inside = volume > 0.0 && volume * volume > unsure * unsure * size;
    Some(Face { corners, across, normal, height, surely_inside, seen_in: 0 })
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
