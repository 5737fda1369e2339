//! k-DOP against k-DOP: separation along the slab normals of both, also under rotation.
//!
//! Rotated, B's slabs are not A's. Once per query each of A's normals is written as a non-negative
//! combination of three of B's, and each of B's as one of A's ([`combine`]). A combination of
//! reaches bounds the reach along the combined direction, so one weighted sum of three numbers
//! replaces the vertices of a polytope. B's reach along A's normals is computed once per opened
//! node, A's along B's normals once per pair.
//!
//! Separations along orthogonal normals add up as squares: the bound is the largest norm over the
//! orthogonal sets of normals, which is far better than the largest single separation where the
//! bodies lie diagonally.
//!
//! # Rounding
//! u = 2⁻⁵³, lengths per unit of `|d|`, ρ = scale·√3 as in [`crate::math::Similarity`]. Normals
//! have entries 0 and ±1, so `Rᵀd` takes 2 additions. What a combination misses is measured: its
//! residual, times the farthest point of the contents, is added to the reach. The residual's
//! entries are rounded 3 times on terms of at most 2.5 (weights of a unit direction sum to less
//! than 1.48), which makes 13uρ, the weighted sum 3 times on 1.5ρ, the offset `d·t` twice, the sums
//! with offset and reach 3 times on `|t| + 1.5ρ + √3`; `RᵀR` for B's own normals moves 8uρ. Up to
//! three separations make a norm, 5 more roundings: together below 60u·(|t| + ρ + √3).

use super::Gap;
use crate::math::Similarity;
use crate::volume::{Combination, FARTHEST, Kdop, combine};

/// The combinations of one relative pose.
#[derive(Debug, Clone)]
pub struct PreparedKdop<const SLABS: usize> {
    scale: f64,
    /// A's normals from B's, and what to add for `-d` and `+d`.
    a_from_b: [(Combination, [f64; 2]); SLABS],
    /// B's normals from A's, and what to add for B's reach along `-d` and `+d` (A's residual
    /// included).
    b_from_a: [(Combination, [f64; 2]); SLABS],
}

/// B's reaches in A's frame, those against a normal first: added to A's, they are minus the
/// separation.
#[derive(Debug, Clone)]
pub struct FixedKdop<const SLABS: usize> {
    along_a: [[f64; 2]; SLABS],
    along_b: [[f64; 2]; SLABS],
    b_from_a: [Combination; SLABS],
}

impl<const SLABS: usize> Gap<Kdop<SLABS>> for Kdop<SLABS> {
    type Prepared = PreparedKdop<SLABS>;
    type Fixed = FixedKdop<SLABS>;

    fn prepare(self_from_b: &Similarity) -> PreparedKdop<SLABS> {
        let Similarity { scale, translation: t, .. } = *self_from_b;
        let offsets = |along: f64, missed: f64| [missed - along, missed + along];
        let none = [(Combination::NONE, [0.0; 2]); SLABS];
        let mut prepared = PreparedKdop { scale, a_from_b: none, b_from_a: none };
        for (i, &d) in Self::directions().iter().enumerate() {
            let from_b = combine::<SLABS>(self_from_b.rotate_back(d));
            prepared.a_from_b[i] = (from_b, offsets(d.dot(t), from_b.residual * FARTHEST * scale));
            let rotated = self_from_b.rotate(d);
            let from_a = combine::<SLABS>(rotated);
            prepared.b_from_a[i] = (from_a, offsets(rotated.dot(t), from_a.residual * FARTHEST));
        }
        prepared
    }

    fn fix(b: &Kdop<SLABS>, prepared: &PreparedKdop<SLABS>) -> FixedKdop<SLABS> {
        let lookup = b.lookup();
        let scale = prepared.scale;
        let mut fixed = FixedKdop {
            along_a: [[0.0; 2]; SLABS],
            along_b: [[0.0; 2]; SLABS],
            b_from_a: prepared.b_from_a.map(|(combination, _)| combination),
        };
        for i in 0..SLABS {
            let (from_b, offset) = &prepared.a_from_b[i];
            let [with, against] = from_b.supports(&lookup);
            fixed.along_a[i] = [scale * against + offset[0], scale * with + offset[1]];
            let (_, offset) = &prepared.b_from_a[i];
            let [with, against] = b.supports()[i].map(f64::from);
            fixed.along_b[i] = [scale * against + offset[0], scale * with + offset[1]];
        }
        fixed
    }

    fn gap(&self, b: &FixedKdop<SLABS>) -> f64 {
        let own = self.separations_along_own(b);
        let other = self.separations_along_other(b);
        let square = larger(proven_square(&own), proven_square(&other));
        if square > 0.0 { square.sqrt() } else { larger(nearest(&own), nearest(&other)) }
    }

    fn apart(&self, b: &FixedKdop<SLABS>, margin: f64) -> bool {
        if margin < 0.0 {
            return self.gap(b) > margin;
        }
        let square = margin * margin;
        proven_square(&self.separations_along_own(b)) > square
            || proven_square(&self.separations_along_other(b)) > square
    }
}

impl<const SLABS: usize> Kdop<SLABS> {
    #[inline]
    fn separations_along_own(&self, b: &FixedKdop<SLABS>) -> [f64; SLABS] {
        std::array::from_fn(|i| separation(self.supports()[i].map(f64::from), b.along_a[i]))
    }

    #[inline]
    fn separations_along_other(&self, b: &FixedKdop<SLABS>) -> [f64; SLABS] {
        let lookup = self.lookup();
        std::array::from_fn(|i| separation(b.b_from_a[i].supports(&lookup), b.along_b[i]))
    }
}

/// Nothing here is NaN, and a plain comparison is one instruction, unlike `f64::max`.
#[inline]
fn larger(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}

/// How far two slabs with a common normal are apart, from A's reach along it and B's against it,
/// and the other way round.
#[inline]
fn separation(a: [f64; 2], b: [f64; 2]) -> f64 {
    larger(-(a[0] + b[0]), -(a[1] + b[1]))
}

/// One over the squared length of each normal.
const INVERSE_SQUARES: [f64; 12] = [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0];

/// The square of the distance that separations along the normals prove; zero where none is
/// positive.
#[inline]
fn proven_square<const SLABS: usize>(separations: &[f64; SLABS]) -> f64 {
    let mut square = [0.0; 12];
    for i in 0..SLABS {
        let positive = larger(separations[i], 0.0);
        square[i] = positive * positive * INVERSE_SQUARES[i];
    }
    let mut best = square[0] + square[1] + square[2];
    best = larger(best, square[2] + (square[3] + square[4]));
    best = larger(best, square[1] + (square[5] + square[6]));
    best = larger(best, square[0] + (square[7] + square[8]));
    if SLABS > 9 {
        // A diagonal of the cube is orthogonal to three diagonals of faces.
        best = larger(best, square[9] + larger(square[4], larger(square[5], square[7])));
        best = larger(best, square[10] + larger(square[3], larger(square[6], square[7])));
        best = larger(best, square[11] + larger(square[3], larger(square[5], square[8])));
    }
    best
}

/// The largest separation along a unit normal, where none is positive.
#[inline]
fn nearest<const SLABS: usize>(separations: &[f64; SLABS]) -> f64 {
    (0..SLABS).fold(f64::NEG_INFINITY, |nearest, i| larger(nearest, separations[i] * INVERSE_SQUARES[i].sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::samples::{Random, triangle_set};
    use crate::volume::{Kdop24, Volume};

    #[test]
    fn without_rotation_the_separations_are_exactly_those_of_the_slabs() {
        let mut random = Random(7);
        let prepared = <Kdop24 as Gap<Kdop24>>::prepare(&Similarity::IDENTITY);
        for _ in 0..1000 {
            let [a, b] = [0, 1].map(|_| Kdop24::fit(&triangle_set(&mut random), &()));
            let fixed = <Kdop24 as Gap<Kdop24>>::fix(&b, &prepared);
            for (i, (a, b)) in a.supports().iter().zip(b.supports()).enumerate() {
                let [a, b] = [a, b].map(|reach| reach.map(f64::from));
                assert_eq!([fixed.along_a[i][1], fixed.along_a[i][0]], b);
                assert_eq!(fixed.along_a[i], fixed.along_b[i]);
                assert_eq!(separation(a, fixed.along_a[i]), (-b[1] - a[0]).max(-a[1] - b[0]));
            }
            let separations = a.separations_along_own(&fixed);
            assert_eq!(separations, a.separations_along_other(&fixed));
            let largest = nearest(&separations);
            // The root of a sum of squares takes up to 5 roundings.
            let gap = <Kdop24 as Gap<Kdop24>>::gap(&a, &fixed);
            assert!(gap >= largest - 5.0 * f64::EPSILON * largest.abs(), "{gap} < {largest}");
        }
    }
}
