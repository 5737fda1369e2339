//! A polytope inside of the set of all differences b − a that grows where the origin is nearest to
//! its surface.
//!
//! Where two cores overlap, the origin is inside of the set of their differences, and its distance
//! from the set's surface is how far one must move to leave the other. Differences of farthest
//! points are the vertices of a closed surface of triangles within the set. The triangle nearest to
//! the origin gives way to a vertex farther out, along its normal, until the set ends at that
//! triangle (van den Bergen, "Proximity queries and penetration depth computation on 3D game
//! objects", 2001).
//!
//! # What is proven
//! The support of the set along any direction bounds the depth from above; no surface is needed for
//! that. From below: let every triangle (p, q, r) of a closed surface turn left seen from outside,
//! det(p, q, r) > 0. Then all its signed solid angles about the origin are positive, their sum is a
//! positive multiple of 4π, and the surface winds around every point of a sphere about the origin
//! that it does not cross: the sphere is in the hull of the vertices, hence in the set. That needs
//! neither convexity nor any decision of [`Surface::expand`] to be right: only that the surface is
//! closed, which it is by construction (each rim edge of the hole gets one triangle), and the
//! signs. A triangle is at least min(n·p, n·q, n·r) from the origin, for ANY unit vector n.
//!
//! # Rounding
//! With u = 2⁻⁵³: the product n of two edges e and f is off by 4u|e||f|, so that det = n·p is
//! positive where the computed one is above 8u|e||f|ρ; `SIGN` of the surface has 32u. Heights are
//! dot products with coordinates below ρ: 4uρ, which the pair's error (64uρ) covers together with
//! what vertices are off.
//!
//! Cost: 120 ns a step, more than 500 ns only beyond thousands of them; two cubes take 6 steps,
//! more vertices 10 to 60, curved cores as many as they are given. Memory of more than 64 vertices
//! is allocated.

mod surface;

use self::surface::{Face, Surface};
use super::gjk::{Bounds, LocalPair};
use super::simplex::Vertex;
use crate::math::DVec3;
use crate::math::lanes::Simd;
use crate::shape::Convex;
use smallvec::SmallVec;

/// A point whose squared distance from where it should be is less than this part of the depth's is
/// not looked for any longer.
const NEAR_ENOUGH: f64 = 1e-14;
/// How many vertices may come again while neither bound gets better; mostly none does.
const MAX_REPEATS: usize = 8;
/// Directions across a line in which a set that is not flat may have its extent.
const ACROSS: [(f64, f64); 4] = [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, -1.0)];

/// Where a surface grows: the set of all differences of two cores.
pub(super) trait Differing {
    /// A difference, and how to find what it is one of.
    type Tip: Tip;

    /// The difference of the support points towards each other along a direction from a to b, of
    /// unit length.
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

/// A closed surface of triangles whose vertices are differences of two cores.
pub(super) struct Expanding<T> {
    tips: SmallVec<[T; 64]>,
    surface: Surface,
}

/// What came of growing: the depth is at least `lower`, and the points are on the triangle next to
/// the origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grown {
    pub lower: f64,
    pub point_a: DVec3,
    pub point_b: DVec3,
}

impl<T: Tip> Expanding<T> {
    /// No surface yet.
    #[inline(always)]
    pub(super) fn empty(reach: f64) -> Self {
        Self { tips: SmallVec::new(), surface: Surface::empty(reach) }
    }

    /// Begins with the surface of a tetrahedron; false where it is too flat to have normals.
    /// Lengths are below the reach.
    #[inline(always)]
    pub(super) fn begin<S: Simd>(&mut self, simd: S, vertices: [T; 4]) -> bool {
        let [first, second, third, last] = vertices;
        // Not by a map of arrays, which is not compiled in here.
        let (p, q, r, s) = (first.place(), second.place(), third.place(), last.place());
        let turns = (q - p).cross(r - p).dot(s - p) > 0.0;
        let (second, third, q, r) = if turns { (third, second, r, q) } else { (second, third, q, r) };
        self.tips.extend_from_slice(&[first, second, third, last]);
        self.surface.begin(simd, [p, q, r, s])
    }

    /// Grows until `done` says that the two bounds of the depth, `lower` (what is known of it) and
    /// minus the gap in `bounds`, are close enough, for at most `steps`; ends also where the set
    /// ends at the nearest face, or where rounding hides what the surface would become. The
    /// direction in `bounds` is of unit length.
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
        let (mut nearest, mut height) = self.surface.nearest(simd);
        let (mut known, mut repeats) = ((lower, bounds.lower), 0);
        for _ in 0..steps {
            if height > 0.0 {
                lower = lower.max(height - error);
            }
            let normal = self.surface.normal(nearest);
            // A direction leads from a to b, opposite to where the set ends.
            let tip = set.tip(-normal);
            let end = normal.dot(tip.place());
            if -end - error > bounds.lower {
                (bounds.lower, bounds.direction) = (-end - error, -normal);
            }
            if bounds.lower > 0.0 || end - height <= 0.25 * error || done(lower, bounds) {
                break;
            }
            // Vertices that hide each other in turn, up to rounding, would come again and again.
            if (lower, bounds.lower) != known {
                (known, repeats) = ((lower, bounds.lower), 0);
            } else if self.was_here(&tip) {
                repeats += 1;
                if repeats > MAX_REPEATS {
                    break;
                }
            }
            if !self.expand(simd, tip, 0.25 * error, nearest) {
                break;
            }
            (nearest, height) = self.surface.nearest(simd);
        }
        if height > 0.0 {
            lower = lower.max(height - error);
        }
        let (point_a, point_b) = self.points_at(set, nearest, bounds.direction * bounds.lower);
        Grown { lower, point_a, point_b }
    }

    /// Whether a tip has been a vertex already, and others hid it.
    #[cold]
    fn was_here(&self, tip: &T) -> bool {
        self.tips.iter().any(|other| other.place() == tip.place())
    }

    /// Replaces all faces that see a new tip, as the nearest one does, by triangles between it and
    /// their rim. False, and nothing is changed, where these would have no normals.
    #[inline(always)]
    fn expand<S: Simd>(&mut self, simd: S, tip: T, level: f64, nearest: usize) -> bool {
        // Faces level with the tip go too: beside them new triangles would be thin. Where that
        // fails, they stay.
        if self.tips.len() >= usize::from(u16::MAX) / 4 {
            return false;
        }
        // No closure: compiled by itself it would do without the processor's own instructions, in
        // twice the time.
        for slack in [-level, level] {
            if self.surface.expand(simd, tip.place(), slack, nearest) {
                self.tips.push(tip);
                return true;
            }
        }
        false
    }

    /// The points of both cores that stand for the point of the surface nearest to one outside: on
    /// this face, or among faces that are not farther from the origin than that is.
    fn points_at<D: Differing<Tip = T>>(&self, set: &D, face: usize, outside: DVec3) -> (DVec3, DVec3) {
        let farthest = outside.length();
        // Mostly on the last face that was looked at.
        let mut nearest = self.points_on(set, &self.surface.faces()[face]);
        let mut least = (nearest.1 - nearest.0).distance_squared(outside);
        if least <= NEAR_ENOUGH * farthest * farthest {
            return nearest;
        }
        // First those whose normals lead there; the others matter only where the search ended
        // early.
        for least_cosine in [1.0 - 1e-9, -1.0] {
            let may_be = |&(i, _): &(usize, &Face)| {
                self.surface.height(i) <= farthest && self.surface.normal(i).dot(outside) >= least_cosine * farthest
            };
            for (_, face) in self.surface.faces().iter().enumerate().filter(may_be) {
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

    /// The points of both cores that stand for the point of a face's plane nearest to the origin,
    /// or for one of the face that is near to it.
    fn points_on<D: Differing<Tip = T>>(&self, set: &D, face: &Face) -> (DVec3, DVec3) {
        let [p, q, r] = face.vertices;
        let vertices = [&self.tips[usize::from(p)], &self.tips[usize::from(q)], &self.tips[usize::from(r)]];
        let (p, q, r) = (vertices[0].place(), vertices[1].place(), vertices[2].place());
        let normal = (q - p).cross(r - p);
        let part = |across: DVec3| across.dot(normal).max(0.0);
        let parts = [part(q.cross(r)), part(r.cross(p)), part(p.cross(q))];
        let sum = parts[0] + parts[1] + parts[2];
        let weights = if sum > 0.0 { [parts[0] / sum, parts[1] / sum, parts[2] / sum] } else { [1.0, 0.0, 0.0] };
        let mut points = (DVec3::ZERO, DVec3::ZERO);
        for (vertex, weight) in vertices.into_iter().zip(weights) {
            let (point_a, point_b) = set.points(vertex);
            points.0 += point_a * weight;
            points.1 += point_b * weight;
        }
        points
    }
}

/// Four differences that span a tetrahedron, or none where the set is flat; what is looked along on
/// the way bounds the gap. The origin need not be inside: faces that do not have it there are the
/// first to grow.
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
