//! The search for the penetration depth of two solids: first a point that is deep in both, then a
//! translation that separates them, then all translations, cell by cell.

use super::cells;
use super::field::Field;
use super::slide::directions;
use crate::convex::PenetrationRequest;
use crate::dispatch::{Dispatcher, PairQuery};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::query::{self, Witness};
use crate::traversal::{Stats, Workspace};
use crate::tree::Geometry;
use crate::{Pose, Result};

/// Places of deep overlap that the search starts from.
const SITES: usize = 3;
/// The first look leaves out spheres with a smaller slack, as a part of the size.
const COARSE: f64 = 0.012;
/// Steps of an ascent from such a place.
const ASCENT: usize = 14;
/// A gap that is wider than this multiple of the error proves that the solids are apart.
const CLEARANCE: f64 = 4.0;
/// An interval is as narrow as rounding allows at this multiple of the clearance.
const FINEST: f64 = 16.0;
/// About the steps that one of a traversal counts as.
pub(super) const STEPS_OF_TRAVERSAL: usize = 4;
/// Steps that a penetration depth of two convex solids counts as.
const CONVEX_DEPTH: u64 = 100;

/// A sphere that is fixed to one body, seen in the frame of the other one while nothing is
/// translated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub at: DVec3,
    pub radius: f64,
    /// Whether it is a sphere in B, seen in A's frame.
    pub of_b: bool,
    /// What the search would lose without it.
    pub slack: f64,
}

/// A translation of B that provably separates the solids.
#[derive(Debug, Clone, Copy)]
pub(super) struct Separated {
    pub by: DVec3,
    /// At least the length of the translation.
    pub length: f64,
    /// Closest points after the translation, in A's frame.
    pub witness: Option<Witness>,
}

/// The state of a search; both bounds hold at any time, and only come nearer.
pub(super) struct Search<'q> {
    pub dispatcher: &'q Dispatcher,
    pub bodies: [&'q dyn Geometry; 2],
    pub plan: PairQuery<'q>,
    pub fields: [Field<'q>; 2],
    pub pose: Pose,
    pub back: Pose,
    pub workspace: &'q mut Workspace,
    pub request: PenetrationRequest,
    pub budget: u64,
    /// Steps so far.
    pub spent: u64,
    pub lower: f64,
    pub best: Separated,
    /// The size of the smaller body.
    pub scale: f64,
    /// No coordinate that the search computes with is larger.
    pub largest: f64,
    /// At least the error of a sum of two signed distances; see [the module](super).
    pub error: f64,
    /// A gap that is wider proves that the solids are apart, also at the pose that a user computes.
    pub clearance: f64,
    /// Hints for the nearest triangles of both bodies.
    pub hints: [u32; 2],
}

/// A translation of B that separates the spheres around both bodies, at least its length, and the
/// error of a sum of two signed distances; see [the module](super).
pub(super) fn separating(bodies: [&dyn Geometry; 2], pose: &Pose) -> (DVec3, f64, f64) {
    let spheres = bodies.map(|body| body.sphere());
    let extent = |i: usize| spheres[i].center.length() + spheres[i].radius;
    let offset = pose.transform_point(spheres[1].center) - spheres[0].center;
    let radii = spheres[0].radius + spheres[1].radius;
    let all = extent(0) + extent(1) + pose.translation().length() + radii;
    let error = 64.0 * UNIT_ROUNDOFF * (8.0 * all);
    let outward = offset.try_normalize().unwrap_or(DVec3::Z);
    let by = outward * ((radii - offset.length()).max(0.0) + 4.0 * CLEARANCE * error);
    (by, by.length() + error, error)
}

impl<'q> Search<'q> {
    pub fn new(
        dispatcher: &'q Dispatcher,
        bodies: [&'q dyn Geometry; 2],
        fields: [Field<'q>; 2],
        pose: Pose,
        workspace: &'q mut Workspace,
        (request, budget): (PenetrationRequest, u64),
    ) -> Result<Self> {
        let plan = dispatcher.plan(bodies[0], bodies[1])?;
        let (by, length, error) = separating(bodies, &pose);
        let clearance = CLEARANCE * error;
        let largest = error / (64.0 * UNIT_ROUNDOFF);
        let best = Separated { by, length, witness: None };
        let scale = fields[0].size().min(fields[1].size());
        let back = pose.inverse();
        Ok(Self {
            dispatcher,
            bodies,
            plan,
            fields,
            pose,
            back,
            workspace,
            request,
            budget,
            best,
            scale,
            largest,
            error,
            clearance,
            spent: 0,
            lower: 0.0,
            hints: [0; 2],
        })
    }

    /// Whether the interval is as narrow as asked for.
    pub fn is_narrow(&self) -> bool {
        let upper = self.best.length;
        let finest = FINEST * self.clearance;
        upper - self.lower <= self.request.abs_err.max(self.request.rel_err * upper).max(finest)
    }

    /// Whether nothing is left to do, or the budget is used up.
    pub fn is_done(&self) -> bool {
        self.spent >= self.budget || self.is_narrow()
    }

    /// Counts the steps of a query of two hierarchies.
    pub fn count(&mut self, stats: &Stats) {
        self.spent += stats.volume_tests / 4 + stats.opened + 4 * stats.leaf_tests + 10;
    }

    /// What is left of the budget, in steps of one traversal.
    pub fn steps_left(&self) -> Option<usize> {
        Some(self.budget.saturating_sub(self.spent) as usize / STEPS_OF_TRAVERSAL)
    }

    pub fn raise(&mut self, lower: f64) {
        self.lower = self.lower.max(lower.min(self.best.length));
    }

    /// Runs to the end or until the budget is used up; false where the solids are apart.
    pub fn run(&mut self) -> bool {
        // Whether they overlap at all is decided in any case.
        let overlap = self.plan.collide(&self.pose, self.workspace, None);
        self.count(&overlap.stats);
        if !overlap.colliding {
            return false;
        }
        let items = self.items();
        let seeds = self.start_at_sites(&items);
        if self.best.witness.is_none() {
            self.leave_in_any_direction();
        }
        self.along_contact_normal();
        self.raise_by_blocking();
        self.in_all_directions();
        self.raise_by_blocking();
        if !self.is_done() {
            cells::search(self, items, seeds);
        }
        true
    }

    /// The spheres of both bodies, each in the other one's frame.
    fn items(&mut self) -> Vec<Item> {
        let [a, b] = &self.fields;
        let mut items = Vec::with_capacity(a.balls().len() + b.balls().len());
        let of_b = |ball: &super::medial::Ball| Item {
            at: self.pose.transform_point(ball.center),
            radius: ball.radius,
            of_b: true,
            slack: ball.slack,
        };
        let of_a = |ball: &super::medial::Ball| Item {
            at: self.back.transform_point(ball.center),
            radius: ball.radius,
            of_b: false,
            slack: ball.slack,
        };
        items.extend(b.balls().iter().map(of_b));
        items.extend(a.balls().iter().map(of_a));
        items
    }

    /// About the certified radius of translations around `t` that an item proves; `in_b` is `t` in
    /// B's frame.
    #[inline]
    pub fn estimate(&self, item: &Item, t: DVec3, in_b: DVec3) -> f64 {
        let [a, b] = &self.fields;
        item.radius + if item.of_b { a.estimate(item.at + t) } else { b.estimate(item.at - in_b) }
    }

    /// The same, certified and coarse.
    pub fn coarse(&self, item: &Item, t: DVec3, in_b: DVec3) -> f64 {
        let [a, b] = &self.fields;
        item.radius + if item.of_b { a.coarse(item.at + t) } else { b.coarse(item.at - in_b) } - self.error
    }

    /// The same, certified and sharp.
    pub fn exact(&mut self, item: &Item, t: DVec3, in_b: DVec3) -> f64 {
        let [a, b] = &self.fields;
        let found = if item.of_b {
            a.signed(item.at + t, &mut self.hints[0])
        } else {
            b.signed(item.at - in_b, &mut self.hints[1])
        };
        self.spent += found.work;
        item.radius + found.value - self.error
    }

    /// Where an item is in A's frame while nothing is translated.
    fn place(&self, item: &Item) -> DVec3 {
        if item.of_b { item.at } else { self.pose.transform_point(item.at) }
    }

    /// Looks at the places where spheres of one body are deepest in the other, and leaves them along
    /// the normals found there. Returns the points that the ascents ended at.
    fn start_at_sites(&mut self, items: &[Item]) -> Vec<Item> {
        let coarse: Vec<&Item> = items.iter().filter(|item| item.slack >= COARSE * self.scale).collect();
        self.spent += coarse.len() as u64;
        let values: Vec<f64> = coarse.iter().map(|item| self.estimate(item, DVec3::ZERO, DVec3::ZERO)).collect();
        let grain = self.fields[0].grain();
        let finest = grain.min(self.fields[1].grain());
        let (mut picked, mut ends): (Vec<&Item>, Vec<Item>) = (Vec::new(), Vec::new());
        while picked.len() < SITES && !self.is_done() {
            let is_new = |item: &Item| {
                let is_near = |other: &&Item| self.place(other).distance(self.place(item)) < other.radius + 2.0 * grain;
                !picked.iter().any(is_near)
            };
            let candidates = coarse.iter().zip(&values).filter(|(item, value)| **value > 0.0 && is_new(item));
            let Some((item, _)) = candidates.max_by(|p, q| p.1.total_cmp(q.1)) else { break };
            picked.push(item);
            let mut ways: Vec<(DVec3, f64)> = Vec::new();
            let middle = self.middle(item);
            if let Some((depth, normal)) = self.inner_depth(middle, middle, 3) {
                self.raise(depth);
                ways.push((normal, depth));
            }
            if picked.len() == 1 || ways.first().is_none_or(|way| way.1 > 0.7 * self.lower) {
                let end = self.ascend(item, [DVec3::ZERO; 2], f64::INFINITY, (ASCENT, 0.5 * finest));
                self.raise(end.value);
                ends.push(end.item);
                if end.normal != DVec3::ZERO && end.value > 0.0 {
                    ways.push((end.normal, end.value));
                }
            }
            ways.sort_by(|p, q| q.1.total_cmp(&p.1));
            for (normal, depth) in ways {
                let first = depth.max(1e-6 * self.scale).max(self.clearance) * 1.0001;
                self.leave_along(normal, first, 1.5);
            }
        }
        ends
    }

    /// A point between an item's centre and the inside of the other body, in A's frame.
    fn middle(&mut self, item: &Item) -> DVec3 {
        let [a, b] = &self.fields;
        let field = if item.of_b { a } else { b };
        let found = field.signed(item.at, &mut self.hints[usize::from(!item.of_b)]);
        self.spent += found.work;
        let place = self.place(item);
        if found.value >= 0.0 {
            return place;
        }
        // Half way between where both are entered.
        let length = 0.5 * (item.radius + found.value).max(0.0) - found.value;
        let way = (found.nearest - item.at).normalize_or_zero() * length;
        place + if item.of_b { way } else { self.pose.transform_vector(way) }
    }

    /// The largest depth of pairs of convex solids inside of A about one point and of B about
    /// another, both in A's frame, and the way out.
    fn inner_depth(&mut self, in_a: DVec3, in_b: DVec3, tries: usize) -> Option<(f64, DVec3)> {
        let in_b = self.back.transform_point(in_b);
        let (of_a, of_b) = (self.deepest_inner(0, in_a), self.deepest_inner(1, in_b));
        let pairs = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| (of_a[i], of_b[j]));
        let depths = pairs.into_iter().take(tries).filter_map(|pair| self.pair_depth(pair, DVec3::ZERO));
        depths.max_by(|p, q| p.0.total_cmp(&q.0))
    }

    /// The two convex solids inside of a body that a point of its frame is deepest in.
    pub fn deepest_inner(&mut self, body: usize, point: DVec3) -> [usize; 2] {
        let field = &self.fields[body];
        self.spent += field.inner_count() as u64;
        let mut best = [(f64::NEG_INFINITY, usize::MAX); 2];
        for number in 0..field.inner_count() {
            let margin = field.inner_margin(number, point, best[1].0);
            if margin > best[0].0 {
                best = [(margin, number), best[0]];
            } else if margin > best[1].0 {
                best[1] = (margin, number);
            }
        }
        best.map(|(_, number)| number)
    }

    /// A lower bound of the depth of two convex solids inside of the bodies, B translated, and the
    /// way out; none where they are apart.
    pub fn pair_depth(&mut self, (i, j): (usize, usize), t: DVec3) -> Option<(f64, DVec3)> {
        let (Some(a), Some(b)) = (self.fields[0].inner(i), self.fields[1].inner(j)) else { return None };
        self.spent += CONVEX_DEPTH;
        let request = PenetrationRequest { rel_err: 1e-4, ..PenetrationRequest::default() };
        let found = query::penetration(a, b, &self.pose.shifted(t), &request).ok()??;
        // The rounding of the shifted pose.
        Some((found.lower - self.error, found.normal))
    }

    /// Convex solids about the points that touch after the best translation: what blocks the way.
    fn raise_by_blocking(&mut self) {
        let Separated { by, length, witness: Some(witness) } = self.best else { return };
        let inward = by.normalize_or_zero() * length;
        for part in [0.05, 0.5] {
            if self.is_done() {
                return;
            }
            let (in_a, in_b) = (witness.point_a - inward * part, witness.point_b - by + inward * part);
            if let Some((depth, _)) = self.inner_depth(in_a, in_b, 3) {
                self.raise(depth);
            }
        }
    }

    /// Directions from the centre of A to that of B, and all around.
    fn directions(&self) -> Vec<DVec3> {
        let [a, b] = self.bodies.map(|body| body.sphere().center);
        directions(self.pose.transform_point(b) - a)
    }

    /// Leaves along many directions, where no place of deep overlap told one.
    fn leave_in_any_direction(&mut self) {
        for direction in self.directions() {
            let first = self.lower.max(0.01 * self.scale).max(self.clearance) * 1.1;
            self.leave_along(direction, first, 1.4);
        }
    }

    /// Looks a little below the best length along many directions.
    fn in_all_directions(&mut self) {
        let all = self.directions();
        for part in [0.97, 0.85] {
            for &direction in &all {
                let by = direction * (self.best.length * part);
                if self.is_done() {
                    return;
                }
                if by.length() > self.lower && self.is_free(by) {
                    self.slide(by);
                }
            }
        }
    }
}
