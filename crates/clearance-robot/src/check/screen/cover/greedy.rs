//! Few spheres that hold all pieces and stick out of the body as little as possible.
//!
//! For a limit of how far spheres may stick out, each candidate centre has a largest radius, and the
//! sphere that holds most of what is left is taken. The limit is bisected until as many spheres are
//! enough as there may be. Then each sphere moves about a little, as long as that is better.

use super::grid::Grid;
use super::{Fine, Group};
use clearance_engine::math::DVec3;
use clearance_engine::volume::BoundingSphere;

/// Centres that are tried.
const CANDIDATES: usize = 600;
/// Radii that are tried for each.
const STEPS: usize = 48;
/// Directions in which a sphere is looked at.
const DIRECTIONS: usize = 64;
/// Bisections of the limit.
const BISECTIONS: usize = 8;
/// Rounds in which pieces and spheres are fitted to each other, and moves of a sphere in each.
const ROUNDS: usize = 3;
const MOVES: usize = 40;

pub(super) struct Greedy<'g> {
    grid: &'g Grid,
    pieces: &'g [[DVec3; 3]],
    candidates: Vec<DVec3>,
    directions: Vec<DVec3>,
    /// By candidate and radius: how far such a sphere sticks out.
    sticks: Vec<[f32; STEPS]>,
    step: f64,
}

/// A sphere and the pieces that it holds.
struct Holder {
    sphere: BoundingSphere,
    pieces: Vec<u32>,
}

impl<'g> Greedy<'g> {
    pub(super) fn new(grid: &'g Grid, pieces: &'g [[DVec3; 3]], radius: f64) -> Self {
        let mut candidates = grid.candidates(CANDIDATES);
        // A mesh may have no inside.
        candidates.extend(grid.samples.iter().copied().step_by(grid.samples.len().div_ceil(CANDIDATES / 4).max(1)));
        // Evenly over the sphere, by the golden angle.
        let direction = |i: usize| {
            let z = 1.0 - (2 * i + 1) as f64 / DIRECTIONS as f64;
            let (sin, cos) = (i as f64 * 2.399_963_229_728_653).sin_cos();
            DVec3::new((1.0 - z * z).sqrt() * cos, (1.0 - z * z).sqrt() * sin, z)
        };
        let directions: Vec<DVec3> = (0..DIRECTIONS).map(direction).collect();
        let step = 1.1 * radius / STEPS as f64;
        let mut greedy = Self { grid, pieces, candidates, directions, sticks: Vec::new(), step };
        let sticks = |&center: &DVec3| {
            let mut most = 0.0_f64;
            std::array::from_fn(|i| {
                most = most.max(greedy.stick(center, (i + 1) as f64 * step)[0]);
                most as f32
            })
        };
        let sticks = greedy.candidates.iter().map(sticks).collect();
        greedy.sticks = sticks;
        greedy
    }

    /// How far a sphere sticks out of the body, at most and in the mean.
    fn stick(&self, center: DVec3, radius: f64) -> [f64; 2] {
        let (mut most, mut sum) = (0.0_f64, 0.0);
        for direction in &self.directions {
            let out = self.grid.at(center + *direction * radius).max(0.0);
            most = most.max(out);
            sum += out;
        }
        [most, sum / DIRECTIONS as f64]
    }

    /// Covers of three levels with at most so many spheres; those of the finest are a list.
    pub(super) fn groups(&self, [coarse, fine, finest]: [usize; 3], error: f64) -> (Vec<Group>, Vec<BoundingSphere>) {
        let finest = self.holders(finest);
        let fine = self.holders(fine);
        let coarse = self.holders(coarse);
        let mut holder_of = vec![0; self.pieces.len()];
        for (number, holder) in finest.iter().enumerate() {
            holder.pieces.iter().for_each(|&piece| holder_of[piece as usize] = number as u32);
        }
        let vertices = |holder: &Holder| -> Vec<DVec3> {
            holder.pieces.iter().flat_map(|&piece| self.pieces[piece as usize]).collect()
        };
        let around = |holder: &Holder, held: &[DVec3]| BoundingSphere {
            radius: farthest(holder.sphere.center, held) + error,
            ..holder.sphere
        };
        let mut groups: Vec<(BoundingSphere, Vec<Fine>)> =
            coarse.iter().map(|holder| (BoundingSphere { radius: 0.0, ..holder.sphere }, Vec::new())).collect();
        for holder in &fine {
            let held = vertices(holder);
            let excess = |i: usize| farthest(coarse[i].sphere.center, &held) - coarse[i].sphere.radius;
            let Some(best) = (0..coarse.len()).min_by(|&a, &b| excess(a).total_cmp(&excess(b))) else { continue };
            let (sphere, below) = &mut groups[best];
            sphere.radius = sphere.radius.max(farthest(sphere.center, &held) + error);
            let mut numbers: Vec<u32> = holder.pieces.iter().map(|&piece| holder_of[piece as usize]).collect();
            numbers.sort_unstable();
            numbers.dedup();
            below.push(Fine { sphere: around(holder, &held), below: numbers });
        }
        let used = groups.into_iter().filter(|(_, fine)| !fine.is_empty());
        let groups = used.map(|(sphere, fine)| Group { sphere, fine }).collect();
        (groups, finest.iter().map(|holder| around(holder, &vertices(holder))).collect())
    }

    /// Spheres that hold all pieces, each piece by one of them.
    fn holders(&self, count: usize) -> Vec<Holder> {
        let (mut low, mut high) = (1e-3 * self.step, 1.1 * STEPS as f64 * self.step);
        let mut best = vec![(self.candidates[0], high)];
        for _ in 0..BISECTIONS {
            let limit = (low * high).sqrt();
            match self.chosen(limit, count) {
                Some(spheres) => (best, high) = (spheres, limit),
                None => low = limit,
            }
        }
        let sphere = |(center, radius)| Holder { sphere: BoundingSphere { center, radius }, pieces: Vec::new() };
        let mut holders: Vec<Holder> = best.into_iter().map(sphere).collect();
        self.share(&mut holders);
        let mut seed = 12_345_u64;
        let mut draw = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
        };
        for _ in 0..ROUNDS {
            for holder in &mut holders {
                let held: Vec<DVec3> = holder.pieces.iter().flat_map(|&piece| self.pieces[piece as usize]).collect();
                let badness = |center: DVec3, radius: f64| self.stick(center, radius).iter().sum::<f64>();
                let BoundingSphere { mut center, .. } = holder.sphere;
                let mut radius = farthest(center, &held);
                let (mut bad, mut width) = (badness(center, radius), 2.0 * self.grid.edge);
                for _ in 0..MOVES {
                    let moved = center + DVec3::new(draw(), draw(), draw()) * width;
                    let reach = farthest(moved, &held);
                    let worse = badness(moved, reach);
                    if worse < bad {
                        (center, radius, bad) = (moved, reach, worse);
                    } else {
                        width *= 0.93;
                    }
                }
                holder.sphere = BoundingSphere { center, radius };
            }
            self.share(&mut holders);
        }
        holders
    }

    /// Gives every piece to the sphere that it is deepest in.
    fn share(&self, holders: &mut Vec<Holder>) {
        holders.iter_mut().for_each(|holder| holder.pieces.clear());
        for (number, piece) in self.pieces.iter().enumerate() {
            let slack = |holder: &Holder| holder.sphere.radius - farthest(holder.sphere.center, piece);
            let best = (0..holders.len()).max_by(|&a, &b| slack(&holders[a]).total_cmp(&slack(&holders[b])));
            holders[best.unwrap_or(0)].pieces.push(number as u32);
        }
        holders.retain(|holder| !holder.pieces.is_empty());
    }

    /// At most `count` spheres that stick out no farther than `limit` and hold all samples.
    fn chosen(&self, limit: f64, count: usize) -> Option<Vec<(DVec3, f64)>> {
        let samples = &self.grid.samples;
        let words = samples.len().div_ceil(64);
        let radii: Vec<f64> = self.sticks.iter().map(|sticks| self.step * largest(sticks, limit) as f64).collect();
        let mut sets = vec![0_u64; words * self.candidates.len()];
        for ((center, radius), set) in self.candidates.iter().zip(&radii).zip(sets.chunks_mut(words)) {
            for (i, sample) in samples.iter().enumerate() {
                if sample.distance_squared(*center) <= radius * radius {
                    set[i / 64] |= 1 << (i % 64);
                }
            }
        }
        let mut open = vec![u64::MAX; words];
        if !samples.len().is_multiple_of(64) {
            open[words - 1] = (1 << (samples.len() % 64)) - 1;
        }
        let mut chosen = Vec::new();
        while open.iter().any(|&word| word != 0) {
            if chosen.len() == count {
                return None;
            }
            let gain = |set: &[u64]| set.iter().zip(&open).map(|(a, b)| (a & b).count_ones()).sum::<u32>();
            let gains = sets.chunks(words).map(gain).enumerate();
            let (best, most) = gains.fold((0, 0), |best, next| if next.1 > best.1 { next } else { best });
            if most == 0 {
                return None;
            }
            for (open, set) in open.iter_mut().zip(&sets[best * words..]) {
                *open &= !set;
            }
            chosen.push((self.candidates[best], radii[best]));
        }
        Some(chosen)
    }
}

/// How many radii stick out no farther than a limit.
fn largest(sticks: &[f32; STEPS], limit: f64) -> usize {
    sticks.iter().take_while(|&&stick| f64::from(stick) <= limit).count()
}

fn farthest(center: DVec3, points: &[DVec3]) -> f64 {
    points.iter().map(|point| point.distance_squared(center)).fold(0.0, f64::max).sqrt()
}
