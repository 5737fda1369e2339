//! k-DOPs (discrete oriented polytopes): the intersection of 8, 9 or 12 slabs with fixed normals.
//!
//! Reference: Klosowski, Held, Mitchell, Sowizral, Zikan, *Efficient collision detection using
//! bounding volume hierarchies of k-DOPs* (1998). Normals are integer vectors: three axes, diagonals
//! of the faces of a cube, diagonals of the cube.
//!
//! Invariant: `supports[i]` bounds `d·p` and `-d·p` over the contents, `d` the i-th of
//! [`DIRECTIONS`] (not of unit length).
//!
//! Any other direction `g` is a non-negative combination of three signed normals: `g = Σ wₘ·dₘ`,
//! hence `max g·p ≤ Σ wₘ·supportₘ`. Of all combinations [`combine`] takes the one with the least
//! `Σ wₘ·|dₘ|`: the ray along `g` meets the hull of the unit normals in the facet that those three
//! span. The facets are listed once per process. The sum is below 1.48·|g|: that much for 16-DOPs
//! close to the diagonal that they lack, 1.23·|g| for the others.
//!
//! Cost: fitting is one pass; a combination is one scan of 14 to 22 facets.

use super::fit::{UNDERFLOW, vertices};
use super::{Axes, Volume};
use crate::Triangle;
use crate::math::{DMat3, DVec3, UNIT_ROUNDOFF, f32_above};
use std::sync::LazyLock;

/// The slab normals; a k-DOP of `SLABS` slabs uses the first `SLABS` of them.
const DIRECTIONS: [DVec3; 12] = [
    DVec3::new(1.0, 0.0, 0.0),
    DVec3::new(0.0, 1.0, 0.0),
    DVec3::new(0.0, 0.0, 1.0),
    DVec3::new(1.0, 1.0, 0.0),
    DVec3::new(1.0, -1.0, 0.0),
    DVec3::new(1.0, 0.0, 1.0),
    DVec3::new(1.0, 0.0, -1.0),
    DVec3::new(0.0, 1.0, 1.0),
    DVec3::new(0.0, 1.0, -1.0),
    DVec3::new(1.0, 1.0, -1.0),
    DVec3::new(1.0, -1.0, 1.0),
    DVec3::new(-1.0, 1.0, 1.0),
];

/// The largest distance of the contents from the origin: every stored coordinate is within [-1, 1].
pub(crate) const FARTHEST: f64 = 1.7320508075688774;

/// A k-DOP: the intersection of `SLABS` slabs. Values other than 8, 9 and 12 do not compile.
///
/// ```
/// use clearance_engine::{Triangle, math::DVec3, volume::{Kdop18, Volume}};
/// let volume = Kdop18::fit(&[Triangle([DVec3::X, DVec3::Y, DVec3::Z])], &());
/// assert!((volume.support(DVec3::ONE) - 1.5).abs() < 1e-6); // (1, 1, 1) is none of its normals
/// assert!(volume.support(DVec3::NEG_X).abs() < 1e-14);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kdop<const SLABS: usize> {
    /// For each normal `d`, upper bounds of `d·p` and `-d·p`.
    supports: [[f32; 2]; SLABS],
}

/// The 16-DOP: 8 slabs along the axes and five of the six diagonals of faces.
pub type Kdop16 = Kdop<8>;
/// The 18-DOP: 9 slabs along the axes and the six diagonals of faces.
pub type Kdop18 = Kdop<9>;
/// The 24-DOP: the 12 slabs of [`Kdop18`] and three of the four diagonals of the cube.
pub type Kdop24 = Kdop<12>;

impl<const SLABS: usize> Kdop<SLABS> {
    /// The slab normals, as integer vectors.
    #[inline]
    pub fn directions() -> &'static [DVec3] {
        &DIRECTIONS[..SLABS]
    }

    /// The supports along each normal and against it: the largest `d·p` and the largest `-d·p`.
    #[inline]
    pub(crate) fn supports(&self) -> &[[f32; 2]; SLABS] {
        &self.supports
    }

    /// `supports` as one array for the indices of a [`Combination`].
    #[inline]
    pub(crate) fn lookup(&self) -> Lookup {
        let mut table = [0.0; LOOKUP];
        for (entry, &supports) in table.iter_mut().zip(self.supports.as_flattened()) {
            *entry = f64::from(supports);
        }
        Lookup(table)
    }
}

/// A power of two above twice the number of slabs: a masked index needs no bounds check.
const LOOKUP: usize = 32;

/// The numbers of one k-DOP, twice as many as slabs: `2i` is along normal `i`, `2i + 1` against it.
pub(crate) struct Lookup([f64; LOOKUP]);

/// Three signed normals and their weights: `g ≈ Σ weight·normal`, up to a vector of length
/// `residual`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Combination {
    index: [u8; 3],
    weight: [f64; 3],
    pub(crate) residual: f64,
}

impl Combination {
    /// A placeholder for combinations that are not yet computed.
    pub(crate) const NONE: Self = Self { index: [0; 3], weight: [0.0; 3], residual: 0.0 };

    /// Upper bounds of `g·p` and `-g·p`, up to the residual and rounding.
    #[inline]
    pub(crate) fn supports(&self, lookup: &Lookup) -> [f64; 2] {
        let along = |flip: u8| {
            let term = |m: usize| self.weight[m] * lookup.0[(self.index[m] ^ flip) as usize % LOOKUP];
            term(0) + term(1) + term(2)
        };
        [along(0), along(1)]
    }
}

/// A facet of the hull of the unit normals, and with it the cone over that facet (and the opposite
/// one).
struct Facet {
    /// `plane·x = 1` on the facet: over all facets, the largest `|plane·g|` is the one that the ray
    /// along `g` meets.
    plane: DVec3,
    slabs: [u8; 3],
    /// Cramer's rule: integer cofactors and determinant, so that a slab normal itself is combined
    /// exactly.
    cofactors: [DVec3; 3],
    determinant: f64,
}

/// Writes `g` as a non-negative combination of three signed normals of a k-DOP of `SLABS` slabs.
pub(crate) fn combine<const SLABS: usize>(g: DVec3) -> Combination {
    let facets = facets::<SLABS>();
    let mut best = &facets[0];
    let mut height = best.plane.dot(g).abs();
    for facet in &facets[1..] {
        let candidate = facet.plane.dot(g).abs();
        if candidate > height {
            (best, height) = (facet, candidate);
        }
    }
    let mut combination = Combination::NONE;
    let mut residual = g;
    for m in 0..3 {
        // The sign of the weight chooses the side of the slab: also right where rounding turned a
        // zero negative.
        let weight = best.cofactors[m].dot(g) / best.determinant;
        combination.weight[m] = weight.abs();
        combination.index[m] = 2 * best.slabs[m] + u8::from(weight < 0.0);
        residual -= DIRECTIONS[best.slabs[m] as usize] * weight;
    }
    combination.residual = residual.length();
    combination
}

fn facets<const SLABS: usize>() -> &'static [Facet] {
    static OF_8: LazyLock<Vec<Facet>> = LazyLock::new(|| hull_facets(8));
    static OF_9: LazyLock<Vec<Facet>> = LazyLock::new(|| hull_facets(9));
    static OF_12: LazyLock<Vec<Facet>> = LazyLock::new(|| hull_facets(12));
    const { assert!(matches!(SLABS, 8 | 9 | 12), "a k-DOP has 8, 9 or 12 slabs") };
    match SLABS {
        8 => &OF_8,
        9 => &OF_9,
        _ => &OF_12,
    }
}

/// The length that the hull of the normals takes the one of `slab` to have: a little more than one
/// unit, each differently.
///
/// 16-DOPs have four unit normals in one facet. Of its overlapping triples, this keeps the two that
/// cover it once, so that a direction is never combined of a triple that it lies outside of.
fn perturbed(slab: usize) -> f64 {
    1.0 + 1e-9 * (1_u32 << slab) as f64
}

/// All triples of signed unit normals whose plane has all others on one side; one of each two
/// opposite facets.
fn hull_facets(slabs: usize) -> Vec<Facet> {
    let normals = &DIRECTIONS[..slabs];
    let height = |slab: usize| normals[slab].length() / perturbed(slab);
    let mut facets = Vec::new();
    for i in 0..slabs {
        for j in i + 1..slabs {
            for k in j + 1..slabs {
                let [d0, d1, d2] = [i, j, k].map(|slab| normals[slab]);
                let cofactors = [d1.cross(d2), d2.cross(d0), d0.cross(d1)];
                let determinant = cofactors[0].dot(d0);
                if determinant == 0.0 {
                    continue;
                }
                // plane·(sign·d/|d|) = 1, solved by the same cofactors; the first sign may be
                // fixed.
                for signs in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
                    let [l0, l1, l2] = [i, j, k].map(height);
                    let lengths = DVec3::new(l0, signs[0] * l1, signs[1] * l2);
                    let plane = DMat3::from_cols(cofactors[0], cofactors[1], cofactors[2]) * lengths / determinant;
                    if (0..slabs).all(|slab| plane.dot(normals[slab]).abs() <= height(slab) * (1.0 + 1e-12)) {
                        facets.push(Facet { plane, slabs: [i as u8, j as u8, k as u8], cofactors, determinant });
                    }
                }
            }
        }
    }
    facets
}

impl<const SLABS: usize> Volume for Kdop<SLABS> {
    const NAME: &'static str = match SLABS {
        8 => "kdop16",
        9 => "kdop18",
        12 => "kdop24",
        _ => panic!("a k-DOP has 8, 9 or 12 slabs"),
    };
    const FLOATS: usize = 2 * SLABS;
    type Fit = ();

    fn fit(triangles: &[Triangle], _options: &()) -> Self {
        let mut supports = [[f64::NEG_INFINITY; 2]; SLABS];
        for vertex in vertices(triangles) {
            let sizes = vertex.abs();
            for (i, supports) in supports.iter_mut().enumerate() {
                let along = DIRECTIONS[i].dot(vertex);
                // Along an axis nothing is rounded; else two additions, and one more to add the
                // slack, each on values no larger than the sum of sizes.
                let slack = if i < 3 { 0.0 } else { 4.0 * UNIT_ROUNDOFF * sizes.dot(DIRECTIONS[i].abs()) };
                supports[0] = supports[0].max(along + slack);
                supports[1] = supports[1].max(-along + slack);
            }
        }
        Self { supports: supports.map(|sides| sides.map(f32_above)) }
    }

    fn support(&self, direction: DVec3) -> f64 {
        let combination = combine::<SLABS>(direction);
        // On contents within √3, per unit of the direction's length: the residual is rounded 3
        // times per entry on values no larger than 2.5, the weighted sum 3 times on √3·1.48, and
        // this sum twice: below 40 roundings.
        let slack = combination.residual * FARTHEST + 64.0 * UNIT_ROUNDOFF * direction.length() + UNDERFLOW;
        combination.supports(&self.lookup())[0] + slack
    }

    fn center(&self) -> DVec3 {
        DVec3::from_array([0, 1, 2].map(|i| 0.5 * (f64::from(self.supports[i][0]) - f64::from(self.supports[i][1]))))
    }

    fn size(&self) -> f64 {
        let widths = [0, 1, 2].map(|i| f64::from(self.supports[i][0]) + f64::from(self.supports[i][1]));
        0.5 * DVec3::from_array(widths).length()
    }

    fn axes(&self) -> Axes {
        Self::directions().iter().map(|d| d.normalize()).collect()
    }

    fn store(&self, out: &mut Vec<f32>) {
        out.extend_from_slice(self.supports.as_flattened());
    }

    fn restore(floats: &[f32]) -> Option<Self> {
        let mut supports = [[0.0; 2]; SLABS];
        for (entry, &float) in supports.as_flattened_mut().iter_mut().zip(floats) {
            *entry = float;
        }
        supports.iter().all(|[above, below]| above + below >= 0.0).then_some(Self { supports })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::samples::{Random, triangle_set};

    #[test]
    fn every_slab_touches_the_contents_up_to_rounding() {
        let mut random = Random(42);
        for case in 0..200 {
            let set = triangle_set(&mut random);
            for (&d, supports) in DIRECTIONS.iter().zip(Kdop24::fit(&set, &()).supports()) {
                let along = |d: DVec3| vertices(&set).fold(f64::NEG_INFINITY, |most, v| most.max(v.dot(d)));
                let beyond = [f64::from(supports[0]) - along(d), f64::from(supports[1]) - along(-d)];
                assert!(beyond.iter().all(|&beyond| beyond < 4e-7), "case {case}: {beyond:?}");
            }
        }
    }

    /// The largest `Σ wₘ·|dₘ|` over random unit directions and those through the faces, edges and
    /// vertices of a cube.
    fn max_weight<const SLABS: usize>() -> f64 {
        let mut random = Random(41);
        let cube = (0..27).map(|i| DVec3::new(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9)) - DVec3::ONE);
        let directions: Vec<DVec3> =
            cube.filter_map(DVec3::try_normalize).chain((0..20_000).map(|_| random.direction())).collect();
        directions.iter().fold(0.0, |most: f64, &g| {
            let combination = combine::<SLABS>(g);
            assert!(combination.residual < 1e-15, "{g}: {}", combination.residual);
            let lengths = combination.index.map(|i| DIRECTIONS[usize::from(i / 2)].length());
            most.max((0..3).map(|m| combination.weight[m] * lengths[m]).sum())
        })
    }

    #[test]
    fn the_weights_of_a_unit_direction_sum_to_what_the_rounding_budget_says() {
        let most = [max_weight::<8>(), max_weight::<9>(), max_weight::<12>()];
        assert!(most[0] > 1.47 && most[0] < 1.48, "{most:?}");
        assert!(most[1..].iter().all(|&most| most > 1.22 && most < 1.23), "{most:?}");
    }

    #[test]
    fn the_facets_cover_every_direction_once() {
        // A closed surface of triangles has twice as many as vertices, less four; opposite ones are
        // listed once.
        assert_eq!([8, 9, 12].map(|slabs| hull_facets(slabs).len()), [8, 9, 12].map(|slabs| (2 * 2 * slabs - 4) / 2));
    }

    #[test]
    fn a_normal_of_the_slabs_is_combined_of_itself_alone() {
        for (i, &d) in DIRECTIONS.iter().enumerate() {
            for sign in [1.0, -1.0] {
                let combination = combine::<12>(d * sign);
                assert_eq!(combination.residual, 0.0);
                let used: Vec<usize> = (0..3).filter(|&m| combination.weight[m] != 0.0).collect();
                assert_eq!(used.len(), 1, "{combination:?}");
                assert_eq!(combination.weight[used[0]], 1.0);
                assert_eq!(usize::from(combination.index[used[0]]), 2 * i + usize::from(sign < 0.0));
            }
        }
    }
}
