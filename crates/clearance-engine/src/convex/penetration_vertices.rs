//! How deep two convex polyhedra overlap: the polytope of [`super::epa`] over numbers of vertices,
//! as [`super::gjk_vertices`] has them.

use super::epa::{Differing, Expanding, Tip};
use super::gjk::{ABSOLUTE_WIDTH, Bounds};
use super::gjk_vertices::{Differences, Found, LastVertices};
use super::placed_polyhedra::Places;
use super::vertex_simplex::Difference;
use super::{Penetration, PenetrationRequest};
use crate::math::lanes::{Lanes8, Simd, Vectorized, vectorized};
use crate::math::{DVec3, SimdLevel};

/// What a search for a depth came to.
pub(super) enum Depth {
    /// The polyhedra are certainly apart.
    Apart,
    Found(Penetration),
    /// The same, with an interval that is wider than was asked though no number of steps ended the
    /// search: another one may know more.
    Wide(Penetration),
    /// Nothing for certain: another search is needed.
    Open,
}

impl Depth {
    /// The depth; where that is left open or wide, by the other search, which is told what is
    /// known.
    #[inline]
    pub(super) fn or_by(self, search: impl FnOnce(Option<Penetration>) -> Option<Penetration>) -> Option<Penetration> {
        match self {
            Self::Apart => None,
            Self::Found(found) => Some(found),
            Self::Wide(found) => search(Some(found)),
            Self::Open => search(None),
        }
    }
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
        self.differences.support(self.simd, direction)
    }

    #[inline(always)]
    fn points(&self, tip: &Difference) -> (DVec3, DVec3) {
        (self.differences.vertex_a(tip.vertex_pair.0), self.differences.vertex_b(tip.vertex_pair.1))
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
        let around = match self.search_with::<S, false>(simd, &mut LastVertices::default(), f64::MIN_POSITIVE) {
            Found::Apart(_) => return Depth::Apart,
            Found::Overlapping(around) => around,
            Found::Closest(_) | Found::Undecided => return Depth::Open,
        };
        let mut polytope = Expanding::empty(self.reach);
        if !polytope.begin(simd, self.tips(&around)) {
            return Depth::Open;
        }
        let mut bounds = Bounds::UNKNOWN;
        let allowed = (request.abs_err / self.places.a.scale).max(ABSOLUTE_WIDTH * self.reach) + 2.0 * self.error;
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
        let (lower, upper) = (self.true_length(grown.lower).max(0.0), self.true_length(-bounds.lower));
        let Places { a, b, .. } = self.places;
        let found = Penetration {
            lower,
            upper,
            status: request.status(lower, upper, (a.bounding_radius() * a.scale).min(b.bounding_radius() * b.scale)),
            normal: self.true_direction(bounds.direction).normalize(),
            point_a: self.true_place(grown.point_a),
            point_b: self.true_place(grown.point_b),
        };
        let asked = request.max_steps.is_some() || done(grown.lower, &bounds);
        if asked { Depth::Found(found) } else { Depth::Wide(found) }
    }
}
