//! The fast search between two convex polyhedra: that of [`super::gjk`] over numbers of vertices,
//! in the first one's own coordinates.
//!
//! What is left out of the general search makes it fast: the first polyhedron's vertices are looked
//! at where they are stored, the second's are turned once; a vertex of the simplex is a difference
//! and two numbers, from which points are made at the end; there is no division and no root before
//! that; and the search has come to its end when the support vertices are those of the simplex
//! already, without a tolerance. Spheres inside of the polyhedra answer first (`placed_polyhedra.rs`).
//!
//! Nothing is answered without proof, as everywhere here: bounds of a distance must be tight, an
//! origin inside must be so beyond rounding. Else [`Separated::Undecided`] says that another search is
//! needed.
//!
//! # Rounding
//! With u = 2⁻⁵³ and ρ as there, in units of a's vertices: axes are off by up to 8u as operators,
//! the product of two and what turns a vertex with it by 26u of b's reach, and the direction,
//! turned twice, by 10u; the offset of the centres by 16u of itself, by the axes and its own turn.
//! With the support vertices' 7u and the 10 roundings of a gap that is at most 54u of b's side and
//! 50u of a's, below the 64uρ that a gap is charged.
//!
//! Cost: 30 ns a step with few vertices, 80 ns with many; 3 to 6 steps.

use super::gjk::{ABSOLUTE_WIDTH, RELATIVE_WIDTH, SHORTEST_SQUARED, tight};
use super::placed_polyhedra::Places;
use super::polyhedron_polyhedron::Vertices;
use super::vertex_simplex::{Difference, Inside, Nearest, Simplex};
use super::{Separated, SeparatingAxis, Separation};
use crate::math::lanes::{Lanes8, Simd, Vectorized, vectorized};
use crate::math::{DMat3, DVec3, SimdLevel, UNIT_ROUNDOFF};

/// Steps after which another search is asked: random hulls take 12 at most.
const MAX_STEPS: usize = 32;
/// What a gap may be off by, as a part of ρ; derived in the head of this file.
pub(super) const ERROR: f64 = 64.0 * UNIT_ROUNDOFF;
/// Below and beyond these ρ, in a's units, products of lengths might leave the range of numbers.
/// Own coordinates of bodies below 1e-77 are that small.
const NEAREST: f64 = 1e-20;
const FARTHEST: f64 = 1e30;

/// Where vertices are farther than those that were closest before by more than this part of the
/// reach, a search from nothing is as good.
const STALE: f64 = 0.1;

/// What a search came to: the support vertices along an axis, which is one of a's coordinates; four
/// differences with the origin certainly between them; or the distance.
pub(super) type Found = Separated<(SeparatingAxis, Vertices), Tetrahedron, Separation>;

/// Vertices of two polyhedra at which a search ended, from which the next one starts: up to three
/// pairs between which the distance was found, or four with the origin between their differences.
/// None at first.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LastVertices {
    vertex_pair: [Vertices; 4],
    count: usize,
}

impl LastVertices {
    /// Those of a simplex.
    #[inline(always)]
    fn of_simplex(simplex: &Simplex) -> Self {
        let [p, q, r, s] = &simplex.vertices;
        Self { vertex_pair: [p.vertex_pair, q.vertex_pair, r.vertex_pair, s.vertex_pair], count: simplex.count }
    }

    /// Whether there are any.
    #[inline]
    pub(super) fn is_some(&self) -> bool {
        self.count > 0
    }

    /// Whether they were closest to each other: from there a search does not go far, as it does
    /// from an overlap.
    #[inline]
    fn are_closest(&self) -> bool {
        (1..4).contains(&self.count)
    }

    #[inline(always)]
    fn as_slice(&self) -> &[Vertices] {
        &self.vertex_pair[..self.count.min(4)]
    }
}

/// Four differences with the origin certainly between them.
pub(super) struct Tetrahedron {
    vertex_pair: [Vertices; 4],
    /// Six times the volumes of the origin with the faces across from each.
    parts: [f64; 4],
}

impl Tetrahedron {
    /// Its vertices. Last is the one that the origin is nearest to: it is the least likely to leave
    /// by the face across from there, from which a search that adds the last vertex to the others
    /// does not go on.
    pub(super) fn vertex_pair(&self) -> LastVertices {
        let mut vertex_pair = self.vertex_pair;
        vertex_pair.swap(self.nearest(), 3);
        LastVertices { vertex_pair, count: 4 }
    }

    /// Which vertex the origin is nearest to, across from the face with which it makes the largest
    /// volume.
    fn nearest(&self) -> usize {
        let parts = &self.parts;
        (0..3).fold(3, |largest, i| if parts[i] > parts[largest] { i } else { largest })
    }
}

/// All differences of vertices of two polyhedra, in the coordinates of the first.
pub(super) struct Differences<'p> {
    pub places: &'p Places<'p>,
    /// b's coordinates, turned into a's.
    pub turn: DMat3,
    /// From a's centre to b's.
    pub shift: DVec3,
    pub reach: f64,
    pub error: f64,
}

impl<'p> Differences<'p> {
    #[inline(always)]
    pub(super) fn new(places: &'p Places<'p>) -> Self {
        let Places { a, b, offset, .. } = places;
        // Powers of two.
        let (ratio, units) = (b.scale / a.scale, 1.0 / a.scale);
        let (turn, shift) = (a.axes_of(b) * ratio, a.turned_in(*offset * units));
        let reach = shift.length() + a.bounding_radius() + b.bounding_radius() * ratio;
        Self { places, turn, shift, reach, error: ERROR * reach }
    }

    /// The support vertices towards each other along a direction from a to b.
    #[inline(always)]
    pub(super) fn support<S: Simd>(&self, simd: S, direction: DVec3) -> Difference {
        let Places { a, b, .. } = self.places;
        self.difference((a.support(simd, direction), b.support(simd, self.towards_a(direction))))
    }

    /// The opposite of a direction, in b's coordinates.
    #[inline(always)]
    pub(super) fn towards_a(&self, direction: DVec3) -> DVec3 {
        let Self { turn, .. } = self;
        -DVec3::new(turn.x_axis.dot(direction), turn.y_axis.dot(direction), turn.z_axis.dot(direction))
    }

    /// The difference of two vertices, which must exist.
    #[inline(always)]
    fn difference(&self, vertex_pair: Vertices) -> Difference {
        Difference { place: self.vertex_b(vertex_pair.1) - self.vertex_a(vertex_pair.0), vertex_pair }
    }

    /// Whether products of lengths are numbers, and not too small to tell anything.
    #[inline(always)]
    pub(super) fn is_in_range(&self) -> bool {
        (NEAREST..=FARTHEST).contains(&self.reach)
    }

    /// Whether both polyhedra have vertices of these numbers.
    #[inline(always)]
    fn have(&self, vertex_pair: Vertices) -> bool {
        (vertex_pair.0 as usize) < self.places.a.vertices.len()
            && (vertex_pair.1 as usize) < self.places.b.vertices.len()
    }

    #[inline(always)]
    pub(super) fn vertex_a(&self, i: u32) -> DVec3 {
        self.places.a.vertices[i as usize]
    }

    #[inline(always)]
    pub(super) fn vertex_b(&self, i: u32) -> DVec3 {
        self.turn * self.places.b.vertices[i as usize] + self.shift
    }

    /// A length in the coordinates of the world.
    #[inline(always)]
    pub(super) fn true_length(&self, length: f64) -> f64 {
        length * self.places.a.scale
    }

    /// A point in the coordinates of the world.
    #[inline(always)]
    pub(super) fn true_place(&self, point: DVec3) -> DVec3 {
        self.places.a.center + self.places.a.turned_out(point * self.places.a.scale)
    }

    /// A direction in the coordinates of the world.
    #[inline(always)]
    pub(super) fn true_direction(&self, direction: DVec3) -> DVec3 {
        self.places.a.turned_out(direction)
    }

    /// The distance, or that it is `limit` or more.
    #[inline]
    pub(super) fn search(&self, limit: f64) -> Found {
        self.search_from(&mut LastVertices::default(), limit)
    }

    /// The same, from vertices at which an earlier search ended; where it finds a distance, these
    /// are then the vertices between which that is, and where it finds nothing for certain they are
    /// to be forgotten.
    #[inline]
    pub(super) fn search_from(&self, last: &mut LastVertices, limit: f64) -> Found {
        // Apart, since what follows from a memory is not what follows from nothing: 8 of 100 ns for
        // eight vertices.
        if last.are_closest() {
            return vectorized(SimdLevel::Best, Search::<true> { differences: self, last, limit });
        }
        vectorized(SimdLevel::Best, Search::<false> { differences: self, last, limit })
    }

    /// Makes the simplex that a search starts with: all but the last vertices at which an earlier
    /// one ended. Those come out, to be added to it.
    #[inline(always)]
    fn start(&self, start: &LastVertices, simplex: &mut Simplex) -> Option<Difference> {
        let [others @ .., last] = start.as_slice() else { return None };
        for &vertex_pair in start.as_slice() {
            if !self.have(vertex_pair) {
                return None;
            }
        }
        for (vertex, &vertex_pair) in simplex.vertices.iter_mut().zip(others) {
            *vertex = self.difference(vertex_pair);
        }
        simplex.count = others.len();
        Some(self.difference(*last))
    }

    /// `CLOSEST`: the vertices at which it starts were closest.
    #[inline(always)]
    pub(super) fn search_with<S: Simd, const CLOSEST: bool>(
        &self,
        simd: S,
        last: &mut LastVertices,
        limit: f64,
    ) -> Found {
        if !self.is_in_range() {
            return Found::Undecided;
        }
        let far = limit / self.places.a.scale + self.error;
        let (squared_far, width) = (far * far, ABSOLUTE_WIDTH * self.reach);
        let squared_width = width * width;
        let mut simplex = Simplex::EMPTY;
        let mut added = self.start(last, &mut simplex);
        let (mut remembered, stale) = (CLOSEST && added.is_some(), STALE * self.reach);
        let mut direction = self.shift;
        for _ in 0..MAX_STEPS {
            if let Some(next) = added {
                match simplex.add(next) {
                    Nearest::Towards(nearest) => direction = nearest,
                    Nearest::Inside(inside) => return self.around(&simplex, inside),
                    Nearest::Unsure => return Found::Undecided,
                }
            }
            let next = self.support(simd, direction);
            let gap = direction.dot(next.place);
            let squared = direction.length_squared();
            let is_long = squared > SHORTEST_SQUARED;
            // Of centres that nearly coincide a first vertex is all that is wanted; else a
            // direction that short proves nothing.
            if simplex.count > 0 && !is_long {
                return Found::Undecided;
            }
            if is_long && gap > 0.0 && gap * gap > squared_far * squared {
                let length = squared.sqrt();
                let lower = gap / length - self.error;
                if lower > 0.0 && lower >= far - self.error {
                    let axis = SeparatingAxis { normal: direction / length, gap: self.true_length(lower) };
                    return Found::Apart((axis, next.vertex_pair));
                }
            }
            // Other vertices of a face are as far as those of the simplex, up to rounding.
            let nearer = direction.dot(simplex.vertices[0].place) - gap;
            if simplex.count > 0 && (nearer <= RELATIVE_WIDTH * gap || nearer * nearer <= squared_width * squared) {
                // A memory that is right stays as it is: the next search need not wait for this
                // one's end.
                if !(remembered && simplex.count == last.count) {
                    *last = LastVertices::of_simplex(&simplex);
                }
                return self.closest(&simplex, direction, gap);
            }
            if std::mem::take(&mut remembered) && nearer > 0.0 && nearer * nearer > stale * stale * squared {
                return Found::Undecided;
            }
            added = Some(next);
        }
        Found::Undecided
    }

    /// The distance from a simplex that cannot come nearer, and the gap along the direction, times
    /// its length.
    #[inline(always)]
    fn closest(&self, simplex: &Simplex, direction: DVec3, gap: f64) -> Found {
        let (mut point_a, mut apart) = (DVec3::ZERO, DVec3::ZERO);
        for (vertex, weight) in simplex.vertices[..simplex.count.min(3)].iter().zip(simplex.weights()) {
            point_a += self.vertex_a(vertex.vertex_pair.0) * weight;
            apart += vertex.place * weight;
        }
        let length = direction.length();
        let upper = apart.length() + self.error;
        let lower = gap / length - self.error;
        if !(lower > 0.0 && tight(lower, upper, self.reach, self.error)) {
            return Found::Undecided;
        }
        Found::Closest(Separation {
            lower: self.true_length(lower),
            upper: self.true_length(upper),
            point_a: self.true_place(point_a),
            point_b: self.true_place(point_a + apart),
            normal: self.true_direction(direction / length),
        })
    }

    /// Four vertices, if the origin is certainly between them.
    #[inline(always)]
    fn around(&self, simplex: &Simplex, inside: Inside) -> Found {
        if !inside.is_sure(self.error) {
            return Found::Undecided;
        }
        Found::Overlapping(Tetrahedron {
            vertex_pair: LastVertices::of_simplex(simplex).vertex_pair,
            parts: inside.parts,
        })
    }

    /// The differences that a tetrahedron has for vertices.
    #[inline(always)]
    pub(super) fn tips(&self, found: &Tetrahedron) -> [Difference; 4] {
        let [p, q, r, s] = found.vertex_pair;
        [self.difference(p), self.difference(q), self.difference(r), self.difference(s)]
    }

    /// Directions no longer than 1 from the origin to the faces across from the
    /// [vertices](Tetrahedron::vertices) of a tetrahedron.
    pub(super) fn ways_out(&self, found: &Tetrahedron) -> [DVec3; 4] {
        let [
            Difference { place: p, .. },
            Difference { place: q, .. },
            Difference { place: r, .. },
            Difference { place: s, .. },
        ] = self.tips(found);
        // Not by a map of arrays, which takes 10 ns more.
        let mut ways = [way_out(q, r, s), way_out(p, r, s), way_out(p, q, s), way_out(p, q, r)];
        ways.swap(found.nearest(), 3);
        ways
    }

    /// Whether the origin, which was certainly between the differences of four pairs of vertices
    /// once, still is, by the [ways out](Self::ways_out) there were: as long as all vertices of
    /// each face are beyond the origin along its own, the origin was on no face on the straight way
    /// of all vertices from where they were, and has not left. Differences may be off by the error.
    #[inline]
    pub(super) fn still_around(&self, vertex_pair: &LastVertices, ways_out: &[DVec3; 4]) -> bool {
        let [p, q, r, s] = vertex_pair.vertex_pair;
        let places = [self.difference(p), self.difference(q), self.difference(r), self.difference(s)];
        let beyond = |i: usize, j: usize| i == j || ways_out[i].dot(places[j].place) > 2.0 * self.error;
        (0..4).all(|i| (0..4).all(|j| beyond(i, j)))
    }

    /// A point of both polyhedra, in the coordinates of the world: in the middle between what each
    /// has there. Of a flat tetrahedron the parts are hardly more than their rounding, however sure
    /// their signs are: there is none where these two differ by more than the error.
    #[inline]
    pub(super) fn shared_point(&self, found: &Tetrahedron) -> Option<DVec3> {
        let total = 1.0 / found.parts.iter().sum::<f64>();
        let (mut point_a, mut apart) = (DVec3::ZERO, DVec3::ZERO);
        for (tip, part) in self.tips(found).iter().zip(found.parts) {
            point_a += self.vertex_a(tip.vertex_pair.0) * (part * total);
            apart += tip.place * (part * total);
        }
        (apart.length_squared() <= self.error * self.error).then(|| self.true_place(point_a + apart * 0.5))
    }
}

/// The direction from the origin to a triangle, across it. The sizes of its coordinates add up to
/// 1, so that it is no longer than that; there is no root.
#[inline(always)]
fn way_out(p: DVec3, q: DVec3, r: DVec3) -> DVec3 {
    let normal = (q - p).cross(r - p);
    normal * (1.0_f64.copysign(normal.dot(p)) / normal.abs().element_sum())
}

/// The search with all instructions that the processor has: most of its time is spent on the
/// heights of vertices side by side.
struct Search<'s, 'p, const CLOSEST: bool> {
    differences: &'s Differences<'p>,
    last: &'s mut LastVertices,
    limit: f64,
}

impl<const CLOSEST: bool> Vectorized for Search<'_, '_, CLOSEST> {
    type Output = Found;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> Found {
        self.differences.search_with::<S, CLOSEST>(simd, self.last, self.limit)
    }
}
