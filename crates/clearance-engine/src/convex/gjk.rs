//! The search for the closest points of two convex cores (Gilbert, Johnson and Keerthi, "A fast
//! procedure for computing the distance between complex objects in three-dimensional space", 1988).
//!
//! All differences b − a make a convex set; its point nearest to the origin is wanted. A simplex of
//! differences comes nearer step by step: the support points of both cores towards each other,
//! along the present direction, are added to it. The same two points bound the distance from below,
//! along that direction (van den Bergen, "Proximity queries and penetration depth computation on 3D
//! game objects", 2001), and the search ends when both bounds meet, or when steps do not come
//! nearer any more; the best bounds of all steps are the answer.
//!
//! # Rounding
//! Coordinates are relative to a's centre and scaled by a power of two so that ρ, the distance of
//! the centres plus both reaches, is in [1, 2). With u = 2⁻⁵³: support points are off by 24u of a
//! reach each ([`Convex`]), the offset of the centres by u, a difference by u more; dot product,
//! length and quotient take 12 roundings: less than 40uρ for a gap. A point of the simplex is a sum
//! of four weighted vertices whose weights sum to 1 within 4u: 24u + 8u for both points, their
//! difference and length 4u: less than 40uρ. Both are charged [`ERROR`]·ρ = 64uρ.
//!
//! Cost: 20 to 60 ns a step; boxes and triangles take 2 to 6; a curved core against an edge or a
//! face up to 200 in one pair of a hundred, 10 µs.

use super::simplex::{Simplex, Vertex};
use crate::math::{DMat3, DVec3, UNIT_ROUNDOFF};
use crate::shape::{Convex, Directions, Triangle};

/// Rounding of one bound, relative to ρ; derived in the head of this file.
const ERROR: f64 = 64.0 * UNIT_ROUNDOFF;
/// The bounds are close enough when they differ, beyond rounding, by this much of the distance …
pub(super) const RELATIVE_WIDTH: f64 = 1e-12;
/// … or by this much of ρ.
pub(super) const ABSOLUTE_WIDTH: f64 = 1e-14;
/// How often each shape looks for its point next to the other's before the search begins: vertices
/// are found at once.
const MAX_GUESSES: usize = 3;
/// How often a point is moved until it is in both cores; those that merely touch come close only
/// slowly.
const MAX_MOVES: usize = 64;
/// Where patience ends: boxes take 10 steps at most, cylinders 64 in 20,000 random pairs.
const MAX_STEPS: usize = 200;
/// How many steps need not come nearer …
const MAX_IDLE: usize = 7;
/// … if they do not lead away by more than this part of the squared distance: a third as many pairs
/// are left with loose bounds.
const SAME: f64 = 1e-13;
/// Below this a squared length may have lost bits to underflow.
pub(super) const SHORTEST_SQUARED: f64 = 1e-200;

/// Two cores in scaled coordinates relative to the first one's centre.
pub(super) struct LocalPair<'s, A, B> {
    a: &'s A,
    b: &'s B,
    /// From a's centre to b's.
    pub offset: DVec3,
    /// Scaled lengths are true ones times this, a power of two.
    pub factor: f64,
    /// ρ.
    pub reach: f64,
    pub error: f64,
}

/// The best that is known so far, in scaled coordinates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub lower: f64,
    /// The direction, from a to b, along which `lower` was measured; not zero.
    pub direction: DVec3,
    pub upper: f64,
    pub point_a: DVec3,
    pub point_b: DVec3,
}

impl Bounds {
    /// Says nothing.
    pub(super) const UNKNOWN: Self = Self {
        lower: f64::NEG_INFINITY,
        direction: DVec3::X,
        upper: f64::INFINITY,
        point_a: DVec3::ZERO,
        point_b: DVec3::ZERO,
    };
}

/// How a search ended.
pub(super) struct Walk {
    pub bounds: Bounds,
    /// The cores share this point; certainly so if the second is true.
    pub shared: Option<(DVec3, bool)>,
    /// Four differences certainly around the origin, and the inward normal of their face that is
    /// nearest to it.
    pub around: Option<([Vertex; 4], DVec3)>,
}

impl<'s, A: Convex, B: Convex> LocalPair<'s, A, B> {
    pub(super) fn new(a: &'s A, b: &'s B) -> Self {
        Self::apart(a, b, b.center() - a.center())
    }

    /// The pair with b's centre elsewhere: at `offset` from a's.
    fn apart(a: &'s A, b: &'s B, offset: DVec3) -> Self {
        let reach = offset.length() + a.bounding_radius() + b.bounding_radius();
        // 2^-e for reach in [2^e, 2^(e+1)); 1 for two points at one place.
        let exponent = (reach.to_bits() >> 52) & 0x7ff;
        let factor = if reach > 0.0 { f64::from_bits((2046 - exponent.clamp(1, 2045)) << 52) } else { 1.0 };
        Self { a, b, offset: offset * factor, factor, reach: reach * factor, error: ERROR * reach * factor }
    }

    /// The size of the smaller body, radius included.
    pub(super) fn smaller(&self) -> f64 {
        (self.a.bounding_radius() + self.a.radius()).min(self.b.bounding_radius() + self.b.radius())
    }

    /// Where the scaled coordinates have their origin.
    pub(super) fn origin(&self) -> DVec3 {
        self.a.center()
    }

    /// The same pair with b moved.
    pub(super) fn pushed(&self, push: DVec3) -> Self {
        let reach = self.reach + push.length();
        Self { offset: self.offset + push, reach, error: ERROR * reach, ..*self }
    }

    /// The support points towards each other along a direction from a to b.
    #[inline]
    pub(super) fn vertex(&self, direction: DVec3) -> Vertex {
        let a = self.a.support(direction) * self.factor;
        let b = self.offset + self.b.support(-direction) * self.factor;
        Vertex { difference: b - a, a, b }
    }

    /// Whether one of the cores is curved.
    #[inline]
    pub(super) fn is_curved(&self) -> bool {
        self.a.is_curved() || self.b.is_curved()
    }

    /// How fast the support points of both move as a direction of unit length turns.
    #[inline]
    pub(super) fn curvature(&self, direction: DVec3) -> DMat3 {
        (self.a.turning(direction) + self.b.turning(-direction)) * self.factor
    }

    /// At most the distance, measured along a direction from a to b.
    pub(super) fn certify(&self, direction: DVec3, bounds: &mut Bounds) {
        self.certify_by(direction, &self.vertex(direction), bounds);
    }

    #[inline]
    pub(super) fn certify_by(&self, direction: DVec3, vertex: &Vertex, bounds: &mut Bounds) {
        let squared = direction.length_squared();
        let gap = direction.dot(vertex.difference) / squared.sqrt() - self.error;
        if squared > SHORTEST_SQUARED && gap > bounds.lower {
            (bounds.lower, bounds.direction) = (gap, direction);
        }
    }

    /// At least the distance: that of a point of a and one of b.
    #[inline]
    pub(super) fn offer(&self, point_a: DVec3, point_b: DVec3, bounds: &mut Bounds) {
        let upper = point_a.distance(point_b) + self.error;
        if upper < bounds.upper {
            *bounds = Bounds { upper, point_a, point_b, ..*bounds };
        }
    }

    pub(super) fn are_tight(&self, bounds: &Bounds) -> bool {
        tight(bounds.lower, bounds.upper, self.reach, self.error)
    }

    /// The point of a's core nearest to a point.
    #[inline]
    fn near_a(&self, point: DVec3) -> DVec3 {
        nearest(self.a, point / self.factor) * self.factor
    }

    /// The point of b's core nearest to a point.
    #[inline]
    fn near_b(&self, point: DVec3) -> DVec3 {
        self.offset + nearest(self.b, (point - self.offset) / self.factor) * self.factor
    }

    /// A point of both cores near to one that is almost: it is moved to each in turn, and beyond,
    /// as far as two planes would have it (Bauschke, Combettes and Kruk, "Extrapolation algorithm
    /// for affine-convex feasibility problems", 2006). Where there is none, the two points of the
    /// cores that were nearest to each other.
    pub(super) fn shared_near(&self, point: DVec3) -> [DVec3; 2] {
        let (mut on_b, mut best, mut least) = (self.near_b(point), [point; 2], f64::INFINITY);
        for _ in 0..MAX_MOVES {
            let on_a = self.near_a(on_b);
            let next = self.near_b(on_a);
            let apart = on_a.distance(next);
            if apart < least {
                (best, least) = ([on_a, next], apart);
            }
            if apart <= self.error {
                break;
            }
            let (gained, left) = ((on_b - next).dot(on_b - on_a), on_b.distance_squared(on_a));
            let beyond = if gained > 0.0 { (left / gained).max(1.0) } else { 1.0 };
            on_b = self.near_b(on_b + (next - on_b) * beyond);
        }
        best
    }

    /// Whether both cores know their nearest points, without a search.
    pub(super) fn know_nearest(&self) -> bool {
        self.a.knows_nearest() && self.b.knows_nearest()
    }

    /// Two points of the cores that are near to each other and the gap along their difference. Ends
    /// early where that is `limit` or more.
    pub(super) fn guess(&self, limit: f64) -> Bounds {
        let mut bounds = Bounds { point_b: self.offset, ..Bounds::UNKNOWN };
        if self.know_nearest() {
            // From the smaller one's centre, which is nearer to everything.
            let start = if self.a.bounding_radius() <= self.b.bounding_radius() {
                DVec3::ZERO
            } else {
                self.near_a(self.offset)
            };
            self.alternate(start, &mut bounds, limit);
        } else {
            // A polyhedron would search for longer than the search for both takes.
            let first = self.vertex(self.offset);
            self.certify_by(self.offset, &first, &mut bounds);
            self.offer(first.a, first.b, &mut bounds);
        }
        bounds
    }

    /// Improves the bounds by points of the cores that are, each in turn, nearest to the other;
    /// ends early where the gap along their difference is `limit` or more, or all that there is to
    /// know.
    pub(super) fn alternate(&self, mut point_a: DVec3, bounds: &mut Bounds, limit: f64) {
        // Between two curved cores the steps of `newton.rs` are better than a second guess.
        let rounds = if self.a.is_curved() && self.b.is_curved() { 1 } else { MAX_GUESSES };
        for _ in 0..rounds {
            let point_b = self.near_b(point_a);
            let next = self.near_a(point_b);
            let upper = bounds.upper;
            self.offer(next, point_b, bounds);
            if bounds.upper >= upper {
                break;
            }
            self.certify(point_b - next, bounds);
            if next == point_a || bounds.lower >= limit || self.are_tight(bounds) {
                break;
            }
            point_a = next;
        }
    }

    /// Improves both bounds until they meet, or the lower one reaches `limit`, or no step comes
    /// nearer.
    pub(super) fn walk(&self, mut bounds: Bounds, limit: f64) -> Walk {
        if bounds.lower >= limit || self.are_tight(&bounds) {
            return Walk { bounds, shared: None, around: None };
        }
        let between = bounds.point_b - bounds.point_a;
        let apart = between.length_squared() > SHORTEST_SQUARED;
        let first = if apart && bounds.upper < f64::INFINITY && !self.is_curved() && !self.know_nearest() {
            // The guess is one of support points already.
            Vertex { difference: between, a: bounds.point_a, b: bounds.point_b }
        } else {
            let start = if apart { between } else { bounds.direction };
            let first = self.vertex(start);
            self.certify_by(start, &first, &mut bounds);
            self.offer(first.a, first.b, &mut bounds);
            first
        };
        let (mut simplex, mut idle) = (Simplex::new(first), 0);
        let (mut direction, mut squared) = (first.difference, first.difference.length_squared());
        for _ in 0..MAX_STEPS {
            if squared <= SHORTEST_SQUARED {
                break;
            }
            let vertex = self.vertex(direction);
            self.certify_by(direction, &vertex, &mut bounds);
            if bounds.lower >= limit || self.are_tight(&bounds) {
                break;
            }
            let nearest = simplex.add(vertex, self.error);
            if nearest.inside {
                // Of those who know for certain that the cores overlap few ask along what.
                if !nearest.deep && nearest.direction.length_squared() > SHORTEST_SQUARED && bounds.lower <= 0.0 {
                    self.certify(nearest.direction, &mut bounds);
                }
                let (point_a, point_b) = simplex.points();
                self.offer(point_a, point_b, &mut bounds);
                let point = (point_a + point_b) * 0.5;
                let around = nearest.deep.then(|| (simplex.vertices(), nearest.direction));
                return Walk { bounds, shared: Some((point, nearest.deep)), around };
            }
            if nearest.squared >= squared {
                // Between curved shapes the direction still gets better when the distance does not.
                idle += 1;
                if idle > MAX_IDLE || nearest.squared > squared * (1.0 + SAME) {
                    break;
                }
            }
            (direction, squared) = (nearest.direction, nearest.squared);
            let (point_a, point_b) = simplex.points();
            self.offer(point_a, point_b, &mut bounds);
        }
        Walk { bounds, shared: None, around: None }
    }

    /// Looks along all faces' normals, as far as the cores tell.
    pub(super) fn certify_faces(&self, bounds: &mut Bounds) {
        self.a.each_face_normal(&mut |normal| self.certify(normal, bounds));
        self.b.each_face_normal(&mut |normal| self.certify(-normal, bounds));
    }

    /// Directions that may separate the cores, from a to b: normals of faces, products of edges,
    /// and what of the line of the centres is across an edge; of shapes that have many, those next
    /// to each other along `towards`. For two polytopes with inner points the first two kinds are
    /// all that it takes.
    pub(super) fn candidate_directions(&self, towards: DVec3) -> impl Iterator<Item = DVec3> + use<'s, A, B> {
        let faces = [units(self.a.face_normals(towards)), units(self.b.face_normals(-towards))];
        let edges = [units(self.a.edge_directions(towards)), units(self.b.edge_directions(-towards))];
        let products = faces.into_iter().flatten().chain(products(&edges[0], &edges[1]));
        self.towards_b(products.chain(across(edges, self.offset)))
    }

    /// Directions that may separate the cores at two points that are near to each other: products
    /// of the edges there, and what of the difference of the points is across an edge. The
    /// difference alone is mostly rounding where it is short: along an edge, or around a rim, that
    /// costs more than the gap.
    pub(super) fn local_directions(
        &self,
        point_a: DVec3,
        point_b: DVec3,
    ) -> impl Iterator<Item = DVec3> + use<'s, A, B> {
        let edges_a = units(self.a.edges_at(point_a / self.factor));
        let edges_b = units(self.b.edges_at((point_b - self.offset) / self.factor));
        let own = products(&edges_a, &edges_a).chain(products(&edges_b, &edges_b));
        let products = own.chain(products(&edges_a, &edges_b));
        self.towards_b(products.chain(across([edges_a, edges_b], point_b - point_a)))
    }

    /// Both centres are in their cores: only the sign towards b can separate.
    fn towards_b<I: Iterator<Item = DVec3>>(&self, directions: I) -> impl Iterator<Item = DVec3> + use<'s, A, B, I> {
        let offset = self.offset;
        directions.map(move |n| if n.dot(offset) < 0.0 { -n } else { n })
    }
}

/// Whether two bounds of a distance, each charged with `error`, are as close as they need be.
#[inline]
pub(super) fn tight(lower: f64, upper: f64, reach: f64, error: f64) -> bool {
    // Infinite bounds are not tight, though they differ by no more than a part of infinity.
    upper < f64::INFINITY && upper - lower - 2.0 * error <= (RELATIVE_WIDTH * upper).max(ABSOLUTE_WIDTH * reach)
}

/// The point of a core that is nearest to one at `offset` from its centre: where the core does not
/// know it, the search does.
#[inline]
fn nearest<C: Convex>(core: &C, offset: DVec3) -> DVec3 {
    if core.knows_nearest() {
        return core.nearest(offset);
    }
    let point = Triangle([DVec3::ZERO; 3]);
    let pair = LocalPair::apart(&point, core, -offset);
    let walk = pair.walk(pair.guess(f64::INFINITY), f64::INFINITY);
    if let Some((_, true)) = walk.shared {
        return offset;
    }
    if !pair.are_tight(&walk.bounds) {
        // On thin cores the search may end before it is sure whether the point is inside.
        return core.surely_nearest(offset);
    }
    // The pair's coordinates are relative to the point.
    offset + walk.bounds.point_b / pair.factor
}

/// Unit length: products of long edges would overflow.
fn units(directions: Directions) -> Directions {
    directions.into_iter().filter_map(|d| (d / d.abs().max_element()).try_normalize()).collect()
}

/// The products of each of one with each of the other; where two are nearly parallel, what rounding
/// leaves along the first is taken away.
fn products(ones: &Directions, others: &Directions) -> impl Iterator<Item = DVec3> + use<> {
    let others = others.clone();
    ones.clone()
        .into_iter()
        .flat_map(move |e| others.clone().into_iter().map(move |f| e.cross(f)).map(move |n| n - e * e.dot(n)))
}

/// What of a vector is across each edge.
fn across(edges: [Directions; 2], vector: DVec3) -> impl Iterator<Item = DVec3> {
    edges.into_iter().flatten().map(move |e| vector - e * e.dot(vector))
}
