//! The ascent to a point that is deep in both bodies.
//!
//! The sum of both signed distances has kinks along the medial axes. A bundle of the last gradients
//! tells a direction that ascends on all sides: the shortest vector of their hull. Only the values
//! at visited points count, so that nothing here has to be exact.

use super::search::{Item, Search};
use crate::Triangle;
use crate::math::DVec3;
use crate::shape::Convex;

/// Gradients that the bundle keeps.
const BUNDLE: usize = 6;
/// Steps of the search for the shortest vector.
const SHORTENING: usize = 12;

/// Projections towards a common point of two triangles.
const PROJECTIONS: usize = 6;

/// Where an ascent ended.
pub(super) struct Ascent {
    /// The certified radius of translations around the given one that overlap.
    pub value: f64,
    /// A sphere about the point, in the body that it is in.
    pub item: Item,
}

impl Search<'_> {
    /// A start for an ascent where the triangles cross that met last, B translated by `t`: about so
    /// deep in both, near an edge that spheres do not reach.
    pub fn at_crossing(&mut self, t: DVec3, depth: f64) -> Option<Item> {
        let [a, b] = self.crossing_triangles(self.crossing?)?;
        let b = Triangle(b.0.map(|vertex| vertex + t));
        // Nearest points of one triangle and of the other come near to a common point.
        let nearest = |of: &Triangle, to: DVec3| of.0[0] + of.nearest(to - of.0[0]);
        let mut point = nearest(&a, (b.0[0] + b.0[1] + b.0[2]) / 3.0);
        for _ in 0..PROJECTIONS {
            point = nearest(&a, nearest(&b, point));
        }
        self.spent += PROJECTIONS as u64;
        let outward = [a, b].map(|triangle| triangle.scaled_normal().normalize_or_zero());
        let inward = -(outward[0] + outward[1]);
        Some(Item::free(point + inward * depth - t, 0.0, true))
    }

    /// Ascends from an item while B is translated by `t`, which is `t_in_b` in its own frame, by
    /// steps of about the given length; ends early above `enough`.
    pub fn ascend(
        &mut self,
        from: &Item,
        [t, t_in_b]: [DVec3; 2],
        enough: f64,
        (steps, length): (usize, f64),
    ) -> Ascent {
        let mut point = if from.of_b { from.at + t } else { self.pose.transform_point(from.at - t_in_b) + t };
        let mut best = Ascent { value: f64::NEG_INFINITY, item: *from };
        let mut step = length;
        let mut direction = DVec3::ZERO;
        let mut bundle: Vec<DVec3> = Vec::with_capacity(BUNDLE);
        for number in 0..steps {
            let trial = point + direction * step;
            if number > 0 && self.spent >= self.budget {
                break;
            }
            // Errors are derived for coordinates below the largest one.
            if trial.is_nan() || trial.abs().max_element() > 0.5 * self.largest {
                break;
            }
            let in_b = self.back.transform_point(trial - t);
            let [a, b] = &self.fields;
            let (of_a, of_b) = (a.signed(trial, &mut self.hints[0]), b.signed(in_b, &mut self.hints[1]));
            self.spent += of_a.work + of_b.work;
            let inward =
                |point: DVec3, nearest: DVec3, value: f64| (point - nearest).normalize_or_zero() * value.signum();
            let slope_a = inward(trial, of_a.nearest, of_a.value);
            let slope_b = self.pose.transform_vector(inward(in_b, of_b.nearest, of_b.value));
            let value = of_a.value + of_b.value - self.error;
            let rises = value > best.value;
            if rises {
                let gain = value - best.value;
                point = trial;
                let item = if of_b.value >= 0.0 {
                    Item::free(trial - t, of_b.value, true)
                } else {
                    Item::free(in_b + t_in_b, of_a.value, false)
                };
                best = Ascent { value, item };
                if value > enough || (number > 0 && gain < 1e-5 * value.abs()) {
                    break;
                }
            }
            if bundle.len() == BUNDLE {
                bundle.remove(0);
            }
            bundle.push(slope_a + slope_b);
            let mut shortest = shortest_of_hull(&bundle);
            if shortest.length() < 0.02 {
                step *= 0.3;
                bundle.drain(..bundle.len() - 1);
                shortest = slope_a + slope_b;
                if shortest.length() < 1e-3 || step < 1e-5 * self.scale.min(length) {
                    break;
                }
            } else if number > 0 {
                step *= if rises { 1.5 } else { 0.6 };
            }
            direction = shortest.normalize_or_zero();
        }
        best
    }
}

/// About the shortest vector of the hull of vectors (the Frank–Wolfe algorithm).
fn shortest_of_hull(vectors: &[DVec3]) -> DVec3 {
    let mut shortest = vectors.last().copied().unwrap_or_default();
    for _ in 0..SHORTENING {
        let against = vectors.iter().copied().min_by(|p, q| p.dot(shortest).total_cmp(&q.dot(shortest)));
        let way = against.unwrap_or(shortest) - shortest;
        let share = (-shortest.dot(way) / way.length_squared().max(1e-30)).clamp(0.0, 1.0);
        shortest += way * share;
    }
    shortest
}
