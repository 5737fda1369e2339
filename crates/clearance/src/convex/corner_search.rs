//! The fast search between two convex polyhedra: that of [`super::gjk`] over numbers of corners, in the first one's own coordinates.
//!
//! What is left out of the general search makes it fast: the first polyhedron's corners are looked at where they are stored, the second's are turned
//! once; a vertex of the simplex is a difference and two numbers, from which points are made at the end; there is no division and no
//! root before that; and the search has come to its end when the farthest corners are those of the simplex already, without a tolerance.
//! Balls inside of and around the polyhedra answer first, where only a collision is asked about.
//!
//! Nothing is answered without proof, as everywhere here: bounds of a distance must be tight, an origin inside must be so beyond rounding.
//! Else [`Found::Open`] says that another search is needed.
//!
//! # Rounding
//! With u = 2⁻⁵³ and ρ as there, in units of a's corners: axes are off by up to 8u as operators, the product of two and what turns a corner with it by
//! 26u of b's reach, and the direction, turned twice, by 10u; the offset of the centres by 16u of itself, by the axes and its own turn. With the farthest
//! corners' 7u and the 10 roundings of a gap that is at most 54u of b's side and 50u of a's, below the 64uρ that a gap is charged.
//!
//! Cost: 30 ns a step with few corners, 100 ns with many; 3 to 6 steps.

use super::corner_simplex::{Difference, Inside, Nearest, Simplex};
use super::expanding::{Differing, Expanding, Tip};
use super::gjk::{ABSOLUTE_WIDTH, Bounds, RELATIVE_WIDTH, SHORTEST_SQUARED, tight};
use super::polyhedra::Corners;
use super::separation::unit;
use super::{Parting, Penetration, PenetrationRequest};
use crate::math::lanes::{Lanes8, Simd, Vectorized, vectorized, with_baseline};
use crate::math::{DMat3, DVec3, SimdLevel, UNIT_ROUNDOFF};
use crate::shape::{Convex, ConvexPolyhedron, Local};

/// Steps after which another search is asked: random hulls take 12 at most.
const MOST_STEPS: usize = 32;
/// What a gap may be off by, as a part of ρ; derived in the head of this file.
pub(super) const ERROR: f64 = 64.0 * UNIT_ROUNDOFF;
/// Below and beyond these ρ, in a's units, products of lengths might leave the range of numbers. Own coordinates of bodies below 1e-77 are that small.
const NEAREST: f64 = 1e-20;
const FARTHEST: f64 = 1e30;

/// Where corners are farther than those that were closest before by more than this part of the reach, a search from nothing is as good.
const STALE: f64 = 0.1;

/// What a search came to.
pub(super) enum Found {
    /// They are certainly as far apart as was asked about, or farther: by `gap` along a direction of unit length in a's coordinates.
    Far { direction: DVec3, gap: f64, corners: Corners },
    /// The origin is certainly between these four differences.
    Around(Tetrahedron),
    /// The distance, and the corners between which it is.
    Closest(Parting, ClosestCorners),
    /// Nothing for certain.
    Open,
}

/// Corners of two polyhedra between which their distance was found: the next search starts there. None at first.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ClosestCorners {
    corners: [Corners; 3],
    count: usize,
}

impl ClosestCorners {
    /// A corner of each.
    pub(super) fn one(corners: Corners) -> Self {
        Self { corners: [corners; 3], count: 1 }
    }

    /// Whether there are any.
    #[inline]
    pub(super) fn is_some(&self) -> bool {
        self.count > 0
    }
}

/// Four differences with the origin certainly between them.
pub(super) struct Tetrahedron {
    pub tips: [Difference; 4],
    inside: Inside,
}

/// All differences of corners of two polyhedra, in the coordinates of the first.
pub(super) struct Differences<'p> {
    a: Local<'p>,
    b: Local<'p>,
    /// b's coordinates, turned into a's.
    pub turn: DMat3,
    /// From a's centre to b's.
    pub shift: DVec3,
    pub reach: f64,
    pub error: f64,
    center: DVec3,
}

impl<'p> Differences<'p> {
    #[inline]
    pub(super) fn new(a: &'p ConvexPolyhedron, b: &'p ConvexPolyhedron) -> Self {
        let (center, offset) = (a.center(), b.center() - a.center());
        let (a, b) = (a.local(), b.local());
        let into = a.axes.transpose();
        // Powers of two.
        let (ratio, units) = (b.scale / a.scale, 1.0 / a.scale);
        let (turn, shift) = (into * b.axes * ratio, into * (offset * units));
        let reach = shift.length() + a.reach() + b.reach() * ratio;
        Self { a, b, turn, shift, reach, error: ERROR * reach, center }
    }

    /// The farthest corners towards each other along a direction from a to b.
    #[inline(always)]
    pub(super) fn farthest<S: Simd>(&self, simd: S, direction: DVec3) -> Difference {
        let towards_a = self.towards_a(direction);
        self.difference((self.a.farthest(simd, direction), self.b.farthest(simd, towards_a)))
    }

    /// The opposite of a direction, in b's coordinates.
    #[inline(always)]
    fn towards_a(&self, direction: DVec3) -> DVec3 {
        let Self { turn, .. } = self;
        -DVec3::new(turn.x_axis.dot(direction), turn.y_axis.dot(direction), turn.z_axis.dot(direction))
    }

    /// The difference of two corners, which must exist.
    #[inline(always)]
    fn difference(&self, corners: Corners) -> Difference {
        Difference { place: self.corner_b(corners.1) - self.corner_a(corners.0), corners }
    }

    /// Whether both polyhedra have corners of these numbers.
    #[inline(always)]
    fn have(&self, corners: Corners) -> bool {
        (corners.0 as usize) < self.a.corners.len() && (corners.1 as usize) < self.b.corners.len()
    }

    #[inline(always)]
    pub(super) fn corner_a(&self, i: u32) -> DVec3 {
        self.a.corners[i as usize]
    }

    #[inline(always)]
    pub(super) fn corner_b(&self, i: u32) -> DVec3 {
        self.turn * self.b.corners[i as usize] + self.shift
    }

    /// A length in the coordinates of the world.
    #[inline(always)]
    fn true_length(&self, length: f64) -> f64 {
        length * self.a.scale
    }

    /// A point in the coordinates of the world.
    #[inline(always)]
    pub(super) fn true_place(&self, point: DVec3) -> DVec3 {
        self.center + self.a.axes * (point * self.a.scale)
    }

    /// A direction in the coordinates of the world.
    #[inline(always)]
    pub(super) fn true_direction(&self, direction: DVec3) -> DVec3 {
        self.a.axes * direction
    }

    /// Whether the balls inside of both certainly overlap.
    #[inline]
    pub(super) fn balls_overlap(&self) -> bool {
        let inner = self.a.inner() + self.b.inner() * (self.b.scale / self.a.scale) - self.error;
        inner > 0.0 && self.shift.length_squared() < inner * inner
    }

    /// The distance, or that it is `limit` or more.
    #[inline]
    pub(super) fn search(&self, limit: f64) -> Found {
        self.search_from(&ClosestCorners::default(), limit)
    }

    /// The same, from corners that were closest before.
    #[inline]
    pub(super) fn search_from(&self, start: &ClosestCorners, limit: f64) -> Found {
        vectorized(SimdLevel::Best, Search { differences: self, start, limit })
    }

    /// A simplex of corners that were closest before and the direction towards it; else an empty one and the line of the centres.
    #[inline(always)]
    fn start(&self, start: &ClosestCorners) -> (Simplex, DVec3) {
        let (mut simplex, mut direction) = (Simplex::EMPTY, self.shift);
        for &corners in &start.corners[..start.count] {
            if !self.have(corners) {
                return (Simplex::EMPTY, self.shift);
            }
            match simplex.add(self.difference(corners)) {
                Nearest::Towards(nearest) => direction = nearest,
                _ => return (Simplex::EMPTY, self.shift),
            }
        }
        (simplex, direction)
    }

    #[inline(always)]
    fn search_with<S: Simd>(&self, simd: S, start: &ClosestCorners, limit: f64) -> Found {
        if !(NEAREST..=FARTHEST).contains(&self.reach) {
            return Found::Open;
        }
        let far = limit / self.a.scale + self.error;
        let (squared_far, width) = (far * far, ABSOLUTE_WIDTH * self.reach);
        let squared_width = width * width;
        let (mut simplex, mut direction) = self.start(start);
        let (mut remembered, stale) = (simplex.count > 0, STALE * self.reach);
        for _ in 0..MOST_STEPS {
            let next = self.farthest(simd, direction);
            let gap = direction.dot(next.place);
            let squared = direction.length_squared();
            let is_long = squared > SHORTEST_SQUARED;
            // Of centres that nearly coincide a first vertex is all that is wanted; else a direction that short proves nothing.
            if simplex.count > 0 && !is_long {
                return Found::Open;
            }
            if is_long && gap > 0.0 && gap * gap > squared_far * squared {
                let length = squared.sqrt();
                let lower = gap / length - self.error;
                if lower > 0.0 && lower >= far - self.error {
                    let gap = self.true_length(lower);
                    return Found::Far { direction: direction / length, gap, corners: next.corners };
                }
            }
            // Other corners of a face are as far as those of the simplex, up to rounding.
            let nearer = direction.dot(simplex.vertices[0].place) - gap;
            if simplex.count > 0 && (nearer <= RELATIVE_WIDTH * gap || nearer * nearer <= squared_width * squared) {
                return self.closest(&simplex, direction, &next);
            }
            if std::mem::take(&mut remembered) && nearer > 0.0 && nearer * nearer > stale * stale * squared {
                return Found::Open;
            }
            match simplex.add(next) {
                Nearest::Towards(nearest) => direction = nearest,
                Nearest::Inside(inside) => {
                    let around = self.around(&simplex, inside);
                    return around.map_or(Found::Open, Found::Around);
                }
                Nearest::Unsure => return Found::Open,
            }
        }
        Found::Open
    }

    /// The distance from a simplex that cannot come nearer.
    fn closest(&self, simplex: &Simplex, direction: DVec3, last: &Difference) -> Found {
        let weights = simplex.weights();
        let (mut point_a, mut point_b) = (DVec3::ZERO, DVec3::ZERO);
        for (vertex, weight) in simplex.vertices[..simplex.count].iter().zip(weights) {
            point_a += self.corner_a(vertex.corners.0) * weight;
            point_b += self.corner_b(vertex.corners.1) * weight;
        }
        let upper = point_a.distance(point_b) + self.error;
        let length = direction.length();
        let lower = direction.dot(last.place) / length - self.error;
        let sure = lower > 0.0 && tight(lower, upper, self.reach, self.error);
        if !sure {
            return Found::Open;
        }
        let parting = Parting {
            lower: self.true_length(lower),
            upper: self.true_length(upper),
            point_a: self.true_place(point_a),
            point_b: self.true_place(point_b),
            normal: self.true_direction(direction / length),
        };
        let mut closest = ClosestCorners { count: simplex.count, ..ClosestCorners::default() };
        for (corners, vertex) in closest.corners.iter_mut().zip(&simplex.vertices) {
            *corners = vertex.corners;
        }
        Found::Closest(parting, closest)
    }

    /// Four vertices, if the origin is certainly between them.
    #[inline(always)]
    fn around(&self, simplex: &Simplex, inside: Inside) -> Option<Tetrahedron> {
        inside.is_sure(self.error).then_some(Tetrahedron { tips: simplex.vertices, inside })
    }

    /// The differences of four pairs of corners, if the polyhedra have these and the origin is certainly between them.
    pub(super) fn still_around(&self, corners: &[Corners; 4]) -> Option<Tetrahedron> {
        if !corners.iter().all(|&corners| self.have(corners)) || !(NEAREST..=FARTHEST).contains(&self.reach) {
            return None;
        }
        let [p, q, r, s] = *corners;
        let mut simplex = Simplex { count: 3, ..Simplex::EMPTY };
        (simplex.vertices[0], simplex.vertices[1]) = (self.difference(p), self.difference(q));
        simplex.vertices[2] = self.difference(r);
        match simplex.add(self.difference(s)) {
            Nearest::Inside(inside) => self.around(&simplex, inside),
            Nearest::Towards(_) | Nearest::Unsure => None,
        }
    }

    /// The radius of a ball about the origin that is certainly between four differences.
    pub(super) fn radius(&self, found: &Tetrahedron) -> f64 {
        found.inside.radius(self.error)
    }

    /// At least how far any difference of corners is from where it was when b was turned and moved like that. Both may be off by the error.
    #[inline]
    pub(super) fn moved(&self, turn: &DMat3, shift: DVec3) -> f64 {
        let turned = self.turn - *turn;
        let squared = turned.x_axis.length_squared() + turned.y_axis.length_squared() + turned.z_axis.length_squared();
        squared.sqrt() * self.b.reach() + self.shift.distance(shift) + 4.0 * self.error
    }

    /// The answer where the polyhedra certainly share a point, with the gap along the line of the centres.
    pub(super) fn overlapping(&self, shared: DVec3) -> Parting {
        let direction = if self.shift.length_squared() > SHORTEST_SQUARED { self.shift } else { DVec3::X };
        let gap = direction.dot(with_baseline!(simd => self.farthest(simd, direction)).place) / direction.length()
            - self.error;
        let point = self.true_place(shared);
        let normal = unit(self.true_direction(direction));
        // What is beyond rounding cannot be positive.
        Parting { lower: self.true_length(gap.min(0.0)), upper: 0.0, point_a: point, point_b: point, normal }
    }

    /// The same without a look at the gap: it is not less than what the reaches leave.
    pub(super) fn roughly_overlapping(&self, shared: DVec3) -> Parting {
        let point = self.true_place(shared);
        let normal = unit(self.true_direction(self.shift));
        Parting { lower: -self.true_length(self.reach), upper: 0.0, point_a: point, point_b: point, normal }
    }

    /// A point of both polyhedra.
    pub(super) fn shared_point(&self, found: &Tetrahedron) -> DVec3 {
        let parts = found.tips.iter().zip(found.inside.weights());
        parts
            .map(|(Difference { corners, .. }, weight)| {
                (self.corner_a(corners.0) + self.corner_b(corners.1)) * (0.5 * weight)
            })
            .sum()
    }

    /// A point of both polyhedra where their balls overlap.
    pub(super) fn between_balls(&self) -> DVec3 {
        let (a, b) = (self.a.inner(), self.b.inner() * (self.b.scale / self.a.scale));
        self.shift * (a / (a + b))
    }
}

/// The search with all instructions that the processor has: most of its time is spent on the heights of corners side by side.
struct Search<'s, 'p> {
    differences: &'s Differences<'p>,
    start: &'s ClosestCorners,
    limit: f64,
}

impl Vectorized for Search<'_, '_> {
    type Output = Found;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> Found {
        self.differences.search_with(simd, self.start, self.limit)
    }
}

/// What a search for a depth came to.
pub(super) enum Depth {
    /// The polyhedra are certainly apart.
    Apart,
    Found(Penetration),
    /// Nothing for certain: another search is needed.
    Open,
}

/// The differences with the instructions that the processor has.
struct Lanes<'s, 'p, S> {
    differences: &'s Differences<'p>,
    simd: S,
}

impl Tip for Difference {
    #[inline(always)]
    fn place(&self) -> DVec3 {
        self.place
    }
}

impl<S: Simd> Differing for Lanes<'_, '_, S> {
    type Tip = Difference;

    #[inline(always)]
    fn tip(&self, direction: DVec3) -> Difference {
        self.differences.farthest(self.simd, direction)
    }

    #[inline(always)]
    fn points(&self, tip: &Difference) -> (DVec3, DVec3) {
        (self.differences.corner_a(tip.corners.0), self.differences.corner_b(tip.corners.1))
    }

    #[inline(always)]
    fn error(&self) -> f64 {
        self.differences.error
    }
}

/// The depth with all instructions that the processor has.
struct Deep<'s, 'p> {
    differences: &'s Differences<'p>,
    request: &'s PenetrationRequest,
}

impl Vectorized for Deep<'_, '_> {
    type Output = Depth;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> Depth {
        self.differences.depth_with(simd, self.request)
    }
}

impl Differences<'_> {
    /// How deep the polyhedra overlap.
    pub(super) fn depth(&self, request: &PenetrationRequest) -> Depth {
        vectorized(SimdLevel::Best, Deep { differences: self, request })
    }

    #[inline(always)]
    fn depth_with<S: Simd>(&self, simd: S, request: &PenetrationRequest) -> Depth {
        let around = match self.search_with(simd, &ClosestCorners::default(), f64::MIN_POSITIVE) {
            Found::Far { .. } => return Depth::Apart,
            Found::Around(around) => around,
            Found::Closest(..) | Found::Open => return Depth::Open,
        };
        let mut polytope = Expanding::empty(self.reach);
        if !polytope.begin(simd, around.tips) {
            return Depth::Open;
        }
        let mut bounds = Bounds::UNKNOWN;
        let allowed = (request.abs_err / self.a.scale).max(ABSOLUTE_WIDTH * self.reach) + 2.0 * self.error;
        let done = |lower: f64, bounds: &Bounds| {
            let upper = -bounds.lower;
            upper - lower <= allowed.max(request.rel_err * upper + 2.0 * self.error)
        };
        // One at least, or nothing would be known of the depth.
        let steps = request.steps(false).max(1);
        let grown = polytope.grow(simd, &Lanes { differences: self, simd }, &mut bounds, 0.0, steps, done);
        if bounds.lower > 0.0 {
            return Depth::Open;
        }
        Depth::Found(Penetration {
            lower: self.true_length(grown.lower).max(0.0),
            upper: self.true_length(-bounds.lower),
            normal: unit(self.true_direction(bounds.direction)),
            point_a: self.true_place(grown.point_a),
            point_b: self.true_place(grown.point_b),
        })
    }
}
