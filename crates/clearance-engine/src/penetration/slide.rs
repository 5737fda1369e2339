//! Upper bounds: translations that separate, slid along contacts until they are short.
//!
//! From a translation that separates, B moves towards the origin until it touches. The closest
//! points there give a plane that B stays behind; the shortest translation behind all of the last
//! planes is the next aim. Only proven translations count.

use super::search::{Search, Separated};
use crate::math::DVec3;
use crate::query::{CollideRequest, Distance, DistanceRequest, Witness};

/// Steps of one slide.
const STEPS: usize = 16;
/// Halvings of a way that is blocked, and at most until a part of it is free.
const HALVINGS: usize = 3;
const MAX_HALVINGS: usize = 9;
/// Planes that it keeps.
const PLANES: usize = 6;
/// Depths below this part of the size are shallow.
const SHALLOW: f64 = 1e-6;

impl Search<'_> {
    /// Whether B, translated by `t`, does not meet A as far as the collision query tells within the
    /// budget.
    pub fn is_free(&mut self, t: DVec3) -> bool {
        let request = CollideRequest { max_steps: self.steps_left() };
        let found = self.plan.collide_with(&self.pose.shifted(t), &request, self.workspace, None);
        self.count(&found.stats, found.status);
        self.crossing = found.leaves;
        !found.colliding
    }

    /// The distance after a translation, if it proves that this separates; a shorter translation
    /// than the best so far is kept.
    fn prove(&mut self, t: DVec3) -> Option<Distance> {
        let pose = self.pose.shifted(t);
        let request = DistanceRequest { max_steps: self.steps_left(), rel_err: 0.01, ..DistanceRequest::default() };
        let found = self.plan.distance(&pose, &request, self.workspace, None).ok()?;
        self.count(&found.stats, found.status);
        if found.lower <= self.clearance || found.lower.is_nan() {
            return None;
        }
        let length = t.length() + self.error;
        if length < self.best.length {
            self.best = Separated { by: t, length, witness: found.witness };
        }
        Some(found)
    }

    /// Where the bodies hardly overlap, the shortest way out is along the contact normal, which
    /// shows once they are a little apart.
    pub fn along_contact_normal(&mut self) {
        if self.best.length > SHALLOW * self.scale || self.spent >= self.budget {
            return;
        }
        let outward = self.best.by.normalize_or_zero() * (100.0 * SHALLOW * self.scale);
        let points = self.prove(self.best.by + outward).and_then(|found| found.witness);
        if let Some(normal) = points.and_then(|points| (points.point_b - points.point_a).try_normalize()) {
            let mut length = 1.1 * self.clearance.max(self.lower);
            while length < self.best.length && !self.is_done() && self.prove(normal * length).is_none() {
                length *= 1.3;
            }
        }
    }

    /// Goes along a direction in growing steps until B is free, and slides from there.
    pub fn leave_along(&mut self, direction: DVec3, first: f64, factor: f64) {
        let mut length = first;
        while length < self.best.length && !self.is_done() {
            if self.is_free(direction * length) {
                return self.slide(direction * length);
            }
            length *= factor;
        }
    }

    /// Slides from a translation that separates to shorter ones.
    pub fn slide(&mut self, start: DVec3) {
        let Some(mut found) = self.prove(start) else { return };
        let mut t = start;
        let mut planes: Vec<(DVec3, f64)> = Vec::with_capacity(PLANES);
        let least_gain = 0.1 * self.request.rel_err.clamp(1e-6, 0.05);
        for _ in 0..STEPS {
            let Some(Witness { point_a, point_b, .. }) = found.witness else { break };
            let Some(normal) = (point_b - point_a).try_normalize() else { break };
            if planes.len() == PLANES {
                planes.remove(0);
            }
            let gap = (1e-2 * self.request.rel_err.clamp(1e-6, 1e-3) * t.length()).max(4.0 * self.clearance);
            planes.push((normal, normal.dot(t) - found.lower + gap));
            let Some(aim) = shortest_behind(&planes) else {
                planes.drain(..planes.len() / 2 + 1);
                continue;
            };
            if self.is_done() || aim.length() > t.length() * (1.0 - least_gain) {
                break;
            }
            let Some(next) = self.nearest_free(t, aim) else { break };
            match self.prove(next) {
                Some(closer) => (t, found) = (next, closer),
                _ => break,
            }
        }
    }

    /// A translation between one that is free and another one that is free too, close to the
    /// latter.
    fn nearest_free(&mut self, free: DVec3, aim: DVec3) -> Option<DVec3> {
        if self.is_free(aim) {
            return Some(aim);
        }
        let (mut near, mut far) = (0.0, 1.0);
        for number in 0..MAX_HALVINGS {
            if near > 0.0 && number >= HALVINGS || self.is_done() {
                break;
            }
            let middle = 0.5 * (near + far);
            *if self.is_free(free + (aim - free) * middle) { &mut near } else { &mut far } = middle;
        }
        (near > 0.0).then(|| free + (aim - free) * near)
    }
}

/// The shortest vector that is at least so far along each of a few unit normals.
fn shortest_behind(planes: &[(DVec3, f64)]) -> Option<DVec3> {
    let is_behind =
        |t: DVec3| planes.iter().all(|(normal, least)| normal.dot(t) >= least - 1e-10 * (1e-3 + least.abs()));
    let mut best: Option<DVec3> = None;
    let mut take = |t: DVec3| {
        if t.is_finite() && best.is_none_or(|best| t.length_squared() < best.length_squared()) && is_behind(t) {
            best = Some(t);
        }
    };
    take(DVec3::ZERO);
    for (i, &(n, a)) in planes.iter().enumerate() {
        take(n * a);
        for (j, &(m, b)) in planes[..i].iter().enumerate() {
            let cosine = n.dot(m);
            let det = 1.0 - cosine * cosine;
            if det < 1e-9 {
                continue;
            }
            take(n * ((a - b * cosine) / det) + m * ((b - a * cosine) / det));
            for &(o, c) in &planes[..j] {
                let volume = n.dot(m.cross(o));
                if volume.abs() > 1e-9 {
                    take((m.cross(o) * a + o.cross(n) * b + n.cross(m) * c) / volume);
                }
            }
        }
    }
    best
}

/// The 26 directions to the neighbours of a cube, and one more.
pub(super) fn directions(first: DVec3) -> Vec<DVec3> {
    let neighbor = |code: i32| DVec3::new(f64::from(code % 3), f64::from(code / 3 % 3), f64::from(code / 9)) - 1.0;
    [first].into_iter().chain((0..27).map(neighbor)).filter_map(DVec3::try_normalize).collect()
}
