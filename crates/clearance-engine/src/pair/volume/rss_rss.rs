//! Two swept rectangles: the distance of the rectangles less both radii.
//!
//! # Certified
//! For any vector x, the rectangles' projections on x are apart by `x·d − Σ|x·side|·half`, and
//! their distance is at least that over |x|. The bound returned is always such a quotient,
//! evaluated with the stored (not quite orthonormal) sides: a badly chosen x makes it smaller,
//! never wrong, so neither parallel edges nor rounded axes need a case of their own.
//!
//! # And exact, up to the rounding of the axes
//! If the rectangles are apart, their distance is the quotient for the x that joins two nearest
//! points. Nearest points are either interior to two edges that are not parallel, and then x is the
//! product of the edges' directions (4 products of sides); or else some nearest pair has a vertex,
//! and then x leads from the nearest point of a rectangle to the nearest of the 8 vertices of the
//! other (nearest points of a rectangle are clamped projections). Trying these 5 vectors therefore
//! reaches the maximum over all vectors (Larsen, Gottschalk, Lin and Manocha, 1999, search the same
//! pairs of features through their Voronoi regions). The length of a joining vector bounds the
//! distance from above, so where its quotient reaches that length the distance is found and the
//! rest is not tried. A guess by three alternating projections comes first: it settles most pairs.
//! Cost: about 60 products and a root where the guess is right, 110 more for the vertices, 100 more
//! for the edges. No chain is longer than 40 dependent roundings, each relative to |x| times the
//! bodies' size, hence to the size after the division.

use super::{Gap, SMALLEST_SQUARE};
use crate::math::{DVec3, Similarity};
use crate::volume::{Rss, Volume};

/// A swept rectangle in the other side's frame.
#[derive(Debug, Clone, Copy)]
pub struct FixedRss {
    center: DVec3,
    sides: [DVec3; 2],
    /// The product of the sides: a unit vector up to the rounding of the sides.
    normal: DVec3,
    half: [f64; 2],
    radius: f64,
}

/// Where a quotient reaches this share of an upper bound, the rest is not worth four more
/// directions.
const AS_GOOD_AS_EXACT: f64 = 1.0 - 1e-6;

impl FixedRss {
    /// A swept rectangle where it is stored; for the side that does not move.
    #[inline]
    fn unmoved(rss: &Rss) -> Self {
        let sides = rss.sides();
        let normal = sides[0].cross(sides[1]);
        Self { center: rss.center(), sides, normal, half: rss.half(), radius: rss.radius() }
    }

    fn moved(&self, self_from_b: &Similarity) -> Self {
        Self {
            center: self_from_b.transform_point(self.center),
            sides: self.sides.map(|side| self_from_b.rotate(side)),
            normal: self_from_b.rotate(self.normal),
            half: self.half.map(|half| half * self_from_b.scale),
            radius: self.radius * self_from_b.scale,
        }
    }

    /// The coordinates of `direction` along the sides and the normal.
    #[inline]
    fn coordinates(&self, direction: DVec3) -> DVec3 {
        DVec3::new(self.sides[0].dot(direction), self.sides[1].dot(direction), self.normal.dot(direction))
    }

    /// From the centre to the point of the rectangle that is nearest to `center + offset`, up to
    /// the rounding of the sides.
    #[inline]
    fn nearest(&self, offset: DVec3) -> DVec3 {
        let [s, t] = self.half;
        let along = |side: DVec3, half: f64| side * side.dot(offset).max(-half).min(half);
        along(self.sides[0], s) + along(self.sides[1], t)
    }

    /// Half the rectangle's extent along x, times |x|.
    #[inline]
    fn extent(&self, x: DVec3) -> f64 {
        self.sides[0].dot(x).abs() * self.half[0] + self.sides[1].dot(x).abs() * self.half[1]
    }

    /// What the projections on x prove about the rectangles' distance, zero where they prove
    /// nothing.
    #[inline]
    fn gap_along(&self, b: &Self, x: DVec3) -> f64 {
        let projected = x.dot(b.center - self.center).abs() - self.extent(x) - b.extent(x);
        let squared = x.length_squared();
        // No direction where vertices touch or edges are parallel, and none to trust where squares
        // lose digits.
        if projected > 0.0 && squared > SMALLEST_SQUARE { projected / squared.sqrt() } else { 0.0 }
    }

    /// At most the distance between the rectangles (radii left out) and at least zero.
    ///
    /// Any result above `enough` may be returned as soon as it is found.
    #[inline]
    fn rectangle_gap(&self, b: &Self, enough: f64) -> f64 {
        let offset = b.center - self.center;
        let settled = |gap: f64, upper_squared: f64| gap > enough || gap * gap >= upper_squared * AS_GOOD_AS_EXACT;
        let on_b = b.nearest(self.nearest(offset) - offset);
        let guess = offset + on_b - self.nearest(offset + on_b);
        let guessed = self.gap_along(b, guess);
        if settled(guessed, guess.length_squared()) {
            return guessed;
        }
        let (from_a, a_squared) = self.nearest_vertex_beyond(b, self.coordinates(offset));
        let (from_b, b_squared) = b.nearest_vertex_beyond(self, -b.coordinates(offset));
        let (x, second_x, upper_squared) =
            if a_squared <= b_squared { (from_a, from_b, a_squared) } else { (from_b, from_a, b_squared) };
        let mut best = guessed.max(self.gap_along(b, x));
        if settled(best, upper_squared) {
            return best;
        }
        // The rounding of the axes may have decided which of two vertices is nearer.
        best = best.max(self.gap_along(b, second_x));
        if settled(best, upper_squared) {
            return best;
        }
        for a_side in self.sides {
            for b_side in b.sides {
                best = best.max(self.gap_along(b, a_side.cross(b_side)));
            }
        }
        best
    }

    /// The shortest vector from this rectangle to a vertex of `other`, whose centre is given in
    /// coordinates of this one, and its squared length; both up to the rounding of the axes.
    #[inline]
    fn nearest_vertex_beyond(&self, other: &Self, center: DVec3) -> (DVec3, f64) {
        let first = self.coordinates(other.sides[0]) * other.half[0];
        let second = self.coordinates(other.sides[1]) * other.half[1];
        let limit = DVec3::new(self.half[0], self.half[1], 0.0);
        let mut best = (DVec3::ZERO, f64::INFINITY);
        for vertex in [first + second, first - second, second - first, -first - second] {
            let p = center + vertex;
            let beyond = p - p.clamp(-limit, limit);
            let squared = beyond.length_squared();
            if squared < best.1 {
                best = (beyond, squared);
            }
        }
        let (beyond, squared) = best;
        (self.sides[0] * beyond.x + self.sides[1] * beyond.y + self.normal * beyond.z, squared)
    }
}

impl Gap<Rss> for Rss {
    type Prepared = Similarity;
    type Fixed = FixedRss;

    fn prepare(self_from_b: &Similarity) -> Similarity {
        *self_from_b
    }

    fn fix(b: &Rss, self_from_b: &Similarity) -> FixedRss {
        FixedRss::unmoved(b).moved(self_from_b)
    }

    #[inline]
    fn gap(&self, b: &FixedRss) -> f64 {
        FixedRss::unmoved(self).rectangle_gap(b, f64::INFINITY) - self.radius() - b.radius
    }

    #[inline]
    fn apart(&self, b: &FixedRss, margin: f64) -> bool {
        let needed = self.radius() + b.radius + margin;
        let a = FixedRss::unmoved(self);
        // Along the centres first: it settles what is far apart at a third of the cost.
        a.gap_along(b, b.center - a.center) > needed || a.rectangle_gap(b, needed) > needed
    }
}
