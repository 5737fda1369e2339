//! Merging of parts where the hull of two is near enough to the solid: planes run through more than
//! the place that they were chosen for.
//!
//! Pairs whose hull adds the least volume come first. Cost: a hull for each pair of parts that
//! touch, and some measurements a part.

use super::budget::Ledger;
use super::gauge::{Gauge, Precision};
use super::planes::{HULL_POINT, volume};
use super::{Scale, widen};
use crate::Result;
use crate::math::DVec3;
use crate::shape::{ConvexPolyhedron, hull_volume};

/// The number of pairs that a merger measures for each part.
const TRIES_A_PART: usize = 8;

/// A finished part.
#[derive(Clone)]
pub(super) struct Part {
    pub hull: ConvexPolyhedron,
    /// A certified bound of the distance of its points from the solid.
    pub error: f64,
    /// The distance by which vertices of its cells were moved.
    pub nudge: f64,
}

impl Part {
    fn bounds(&self) -> (DVec3, DVec3) {
        let vertices_of = self.hull.vertices();
        vertices_of.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
    }
}

/// Two parts that touch, by their places, and the volume that their hull adds.
struct Couple {
    excess: f64,
    places: (usize, usize),
}

/// Finished parts, with the untried couples. Parts may come between mergers: no couple is tried
/// twice.
#[derive(Default)]
pub(super) struct Merger {
    /// The parts; `None` at the places of merged ones.
    parts: Vec<Option<Part>>,
    couples: Vec<Couple>,
    tries: usize,
}

impl Merger {
    /// The number of parts.
    pub fn len(&self) -> usize {
        self.parts().count()
    }

    pub fn insert(&mut self, part: Part, scale: Scale, ledger: &mut Ledger<'_>) {
        self.tries += TRIES_A_PART;
        self.place(part, scale, ledger);
    }

    fn place(&mut self, part: Part, scale: Scale, ledger: &mut Ledger<'_>) {
        self.parts.push(Some(part));
        self.couples.extend(couples_of(&self.parts, self.parts.len() - 1, scale, ledger));
    }

    /// Merges parts as long as no merger brings an error above `target` that its parts did not
    /// have.
    pub fn merge(&mut self, gauge: &Gauge, target: f64, scale: Scale, ledger: &mut Ledger<'_>) -> Result<()> {
        self.sort();
        while self.tries > 0 && !ledger.is_over() {
            let Some(Couple { places: (i, j), .. }) = self.couples.pop() else { break };
            let (Some(a), Some(b)) = (&self.parts[i], &self.parts[j]) else { continue };
            self.tries -= 1;
            let points = vertices_of(a, b);
            ledger.spend(HULL_POINT * points.len() as u64);
            let hull = widen::hull(&points, scale)?;
            let error = gauge.measure(&hull, target, Precision::Verdict, ledger)?.upper;
            if error > target {
                continue;
            }
            let both = Part { hull, error, nudge: a.nudge.max(b.nudge) };
            (self.parts[i], self.parts[j]) = (None, None);
            self.place(both, scale, ledger);
            self.sort();
        }
        Ok(())
    }

    /// Sorts the couples; the one that adds the least volume comes last.
    fn sort(&mut self) {
        self.couples.sort_by(|p, q| q.excess.total_cmp(&p.excess));
    }

    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().flatten()
    }
}

fn vertices_of(a: &Part, b: &Part) -> Vec<DVec3> {
    a.hull.vertices().chain(b.hull.vertices()).collect()
}

/// The couples of the part at a place with all parts before it that touch it.
fn couples_of(parts: &[Option<Part>], place: usize, scale: Scale, ledger: &mut Ledger<'_>) -> Vec<Couple> {
    let Some(part) = &parts[place] else { return Vec::new() };
    let (low, high) = part.bounds();
    let margin = DVec3::splat(8.0 * scale.on_plane);
    let couple = |(other_place, other): (usize, &Option<Part>)| {
        let other = other.as_ref()?;
        let (other_low, other_high) = other.bounds();
        let touches = (low - margin).cmple(other_high).all() && other_low.cmple(high + margin).all();
        let mut excess = || {
            let points = vertices_of(part, other);
            ledger.spend(HULL_POINT * points.len() as u64);
            let both = hull_volume(&points).unwrap_or(0.0);
            both - volume(&part.hull) - volume(&other.hull)
        };
        touches.then(|| Couple { excess: excess(), places: (other_place, place) })
    };
    parts[..place].iter().enumerate().filter_map(couple).collect()
}
