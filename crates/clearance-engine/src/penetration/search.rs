//! The search for the penetration depth of two solids: first a point that is deep in both, then a
//! translation that separates them, then all translations, cell by cell.

use super::cones;
use super::field::Field;
use super::slide::directions;
use crate::convex::{PenetrationRequest, PolyhedronWarmStart, Status, overlap_after};
use crate::dispatch::{Dispatcher, PairQuery};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::pair::shape::triangles_overlap;
use crate::query::{self, Witness};
use crate::shape::Primitive;
use crate::traversal::{Stats, Workspace};
use crate::tree::{Geometry, Solid};
use crate::{Pose, Result, Triangle};

/// The first look takes spheres with a larger slack apart, as a part of the size.
const COARSE: f64 = 0.03;
/// The list that cones begin with has spheres with no larger slack, as a part of the size.
const LIST: f64 = 0.07;
/// Steps of an ascent from such a place.
const ASCENT: usize = 8;
/// A gap that is wider than this multiple of the error proves that the solids are apart.
const CLEARANCE: f64 = 4.0;
/// An interval is as narrow as rounding allows at this multiple of the clearance.
const FINEST: f64 = 16.0;
/// About the steps that one of a traversal counts as.
pub(super) const STEPS_OF_TRAVERSAL: usize = 4;
/// Looks around for deeper spheres.
const LOOKS: usize = 4;
/// Rays along which B is led out, …
const RAYS: usize = 6;
/// … spheres that each of them passes, and spheres that are looked at for that.
const SPHERES: usize = 8;
const MAX_ON_RAYS: usize = 256;
/// What spheres lose, as a part of the size; see `medial.rs`.
const LOSS: f64 = 0.002;
/// Steps that a query of two hierarchies counts as beside those of its traversal.
const QUERY: u64 = 50;
/// Convex solids of each body that are looked at about a point.
const PAIRS: usize = 3;
/// Steps that a penetration depth of two convex solids counts as, growths of its polytope at most, …
const CONVEX_DEPTH: u64 = 100;
const MAX_GROWTH: usize = 128;
/// … and whether they overlap.
const CONVEX_OVERLAP: u64 = 12;
/// The test of two triangles rounds coordinates below it.
const LEAST_ERROR: f64 = 1e-90;
/// Steps that two triangles count as.
const CROSSING: u64 = 4;

/// A sphere that is fixed to one body, seen in the frame of the other one while nothing is
/// translated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub at: DVec3,
    pub radius: f64,
    /// Whether it is a sphere in B, seen in A's frame.
    pub of_b: bool,
    /// What it may lose against spheres below it.
    pub slack: f64,
    /// Its number in its body, and the level of those below it that are in the list already.
    pub number: u32,
    pub level: u8,
}

impl Item {
    /// A sphere that is none of a body's own ones.
    pub fn free(at: DVec3, radius: f64, of_b: bool) -> Self {
        Self { at, radius, of_b, slack: 0.0, number: u32::MAX, level: u8::MAX }
    }
}

/// The translations of a cone of directions between two fronts.
pub(super) struct Region {
    pub rays: [DVec3; 3],
    pub near: [f64; 3],
    pub far: [f64; 3],
}

impl Region {
    /// Six points, the farthest first, whose hull is a little larger than the region: where convex
    /// sets are known up to the error of a point, and these points are in one, the region is in it
    /// without an error. None where the region is too flat for that.
    fn points(&self, error: f64) -> Option<impl Iterator<Item = DVec3>> {
        let fronts = [self.near, self.far].map(|reach| [0, 1, 2].map(|i| self.rays[i] * reach[i]));
        let points = fronts[0].into_iter().chain(fronts[1]);
        let middle = points.clone().sum::<DVec3>() / 6.0;
        // All within the error of the region is in a region that is larger about its middle, by the
        // least distance of its planes.
        let error = 2.0 * error;
        let height = |[p, q, r]: [DVec3; 3]| (q - p).cross(r - p).normalize_or_zero().dot(middle - p).abs();
        let side = |i: usize| height([DVec3::ZERO, self.rays[i], self.rays[(i + 1) % 3]]);
        let least = side(0).min(side(1)).min(side(2)).min(height(fronts[0])).min(height(fronts[1]));
        let growth = 1.0 + 1.1 * error / least;
        (growth <= 1.01).then(|| points.rev().map(move |point| middle + (point - middle) * growth))
    }
}

/// Spheres of A and of B, in A's frame while nothing is translated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    pub a: (DVec3, f64),
    pub b: (DVec3, f64),
}

impl Touch {
    /// How deep they are in each other where B is translated.
    pub fn value(&self, t: DVec3) -> f64 {
        self.a.1 + self.b.1 - self.a.0.distance(self.b.0 + t)
    }

    pub fn item(&self) -> Item {
        Item::free(self.b.0, self.b.1, true)
    }
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
    /// What spheres of the bodies lose against signed distances, about.
    pub loss: f64,
    /// Two shapes that crossed where a translation was not free last.
    pub crossing: Option<(u32, u32)>,
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

/// The steps of a query of two hierarchies.
pub(super) fn steps_of(stats: &Stats) -> u64 {
    stats.volume_tests / 4 + stats.opened + 4 * stats.leaf_tests + QUERY
}

impl<'q> Search<'q> {
    pub fn new(
        dispatcher: &'q Dispatcher,
        bodies: [&'q dyn Geometry; 2],
        fields: [Field<'q>; 2],
        pose: Pose,
        workspace: &'q mut Workspace,
        (request, budget, spent): (PenetrationRequest, u64, u64),
    ) -> Result<Self> {
        let plan = dispatcher.plan(bodies[0], bodies[1])?;
        let (by, length, error) = separating(bodies, &pose);
        let clearance = CLEARANCE * error;
        let largest = error / (64.0 * UNIT_ROUNDOFF);
        let best = Separated { by, length, witness: None };
        let scale = fields[0].size().min(fields[1].size());
        let back = pose.inverse();
        Ok(Self {
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
            spent,
            lower: 0.0,
            hints: [0; 2],
            crossing: None,
            loss: 2.0 * LOSS * scale,
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
        self.is_spent() || self.is_narrow()
    }

    /// Whether the budget is used up.
    pub fn is_spent(&self) -> bool {
        self.spent >= self.budget
    }

    /// Counts the steps of a query of two hierarchies. One that the budget ended uses it up:
    /// otherwise a larger budget would go on from another answer.
    pub fn count(&mut self, stats: &Stats, status: Status) {
        self.spent += steps_of(stats);
        if status == Status::Budget {
            self.spent = self.spent.max(self.budget);
        }
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
        self.count(&overlap.stats, overlap.status);
        if !overlap.colliding {
            return false;
        }
        let roots = self.roots();
        let mut seeds = self.start(&roots);
        if self.best.witness.is_none() {
            self.leave_in_any_direction();
        }
        self.along_contact_normal();
        seeds.extend(self.raise_at_contact());
        if !self.is_done() {
            self.leave_by_rays(&roots);
        }
        if !self.is_done() {
            cones::search(self, roots, seeds);
        }
        true
    }

    /// The coarsest spheres of both bodies, each in the other one's frame.
    fn roots(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        for of_b in [true, false] {
            let balls = self.fields[usize::from(of_b)].balls();
            let count = balls.iter().take_while(|ball| ball.level == 0).count();
            items.extend((0..count).map(|number| self.item(of_b, number)));
        }
        self.spent += items.len() as u64;
        items
    }

    /// Spheres below those, with little slack, that may prove something of translations up to a
    /// length.
    pub fn within(&mut self, roots: Vec<Item>, length: f64) -> Vec<Item> {
        let (mut items, mut at) = (roots, 0);
        while let Some(&(mut item)) = items.get(at)
            && self.spent < self.budget
        {
            self.spent += 1;
            if self.estimate(&item, DVec3::ZERO, DVec3::ZERO) + item.slack + length <= 0.0 {
                items.swap_remove(at);
            } else if item.slack > LIST * self.scale {
                self.refine(&mut item, &mut items);
                items[at] = item;
            } else {
                at += 1;
            }
        }
        items
    }

    /// The sphere that is deepest in the other body while nothing is translated, about: level by
    /// level, without those that have none below them which is deeper than the best.
    fn deepest(&mut self, roots: &[Item]) -> Option<Item> {
        let (mut items, mut known) = (roots.to_vec(), 0);
        let mut best: Option<(f64, Item)> = None;
        loop {
            self.spent += 2 * items.len() as u64;
            for item in &items[known..] {
                let (center, radius) = self.proof(item, DVec3::ZERO, DVec3::ZERO);
                let value = radius - center.length();
                if best.is_none_or(|best| value > best.0) {
                    best = Some((value, *item));
                }
            }
            let (value, item) = best?;
            let is_promising = |item: &Item| {
                item.slack > COARSE * self.scale && self.estimate(item, DVec3::ZERO, DVec3::ZERO) + item.slack > value
            };
            items.retain(is_promising);
            if items.is_empty() {
                return Some(item);
            }
            known = items.len();
            for at in 0..known {
                let mut item = items[at];
                self.refine(&mut item, &mut items);
                items[at] = item;
            }
        }
    }

    /// A sphere of a body in the other one's frame.
    fn item(&self, of_b: bool, number: usize) -> Item {
        let ball = &self.fields[usize::from(of_b)].balls()[number];
        let pose = if of_b { &self.pose } else { &self.back };
        let (at, number, level) = (pose.transform_point(ball.center), number as u32, ball.level);
        Item { at, radius: ball.radius, of_b, slack: ball.slack, number, level }
    }

    /// Adds the spheres of the next level that lie in an item up to its slack, and halves that.
    pub fn refine(&mut self, item: &mut Item, finer: &mut Vec<Item>) {
        let field = &self.fields[usize::from(item.of_b)];
        let Some(ball) = field.balls().get(item.number as usize) else { return };
        item.level += 1;
        let balls = field.balls();
        let mut finest = 0.0_f64;
        for &child in field.children(ball) {
            let below = &balls[usize::from(child)];
            if below.level == item.level {
                finer.push(self.item(item.of_b, usize::from(child)));
            }
            finest = if below.level > item.level { finest.max(0.5 * item.slack) } else { finest };
        }
        item.slack = finest;
        self.spent += field.children(ball).len() as u64 / 4;
    }

    /// About the certified radius of translations around `t` that an item proves; `in_b` is `t` in
    /// B's frame.
    #[inline]
    pub fn estimate(&self, item: &Item, t: DVec3, in_b: DVec3) -> f64 {
        let [a, b] = &self.fields;
        item.radius + if item.of_b { a.estimate(item.at + t) } else { b.estimate(item.at - in_b) }
    }

    /// A sphere of translations at which the solids overlap, as an item and a sphere of the other
    /// body prove: its centre and its radius. `in_b` is the translation `t` in B's frame.
    #[inline]
    pub fn proof(&self, item: &Item, t: DVec3, in_b: DVec3) -> (DVec3, f64) {
        let [a, b] = &self.fields;
        let (center, radius) = if item.of_b {
            let (center, radius) = a.ball_near(item.at + t);
            (center - item.at, radius)
        } else {
            let (center, radius) = b.ball_near(item.at - in_b);
            (self.pose.transform_vector(item.at - center), radius)
        };
        (center, item.radius + radius - self.error)
    }

    /// Whether convex solids inside of the bodies surely overlap at all translations of a cone
    /// between two fronts.
    pub fn always_overlap(&mut self, (i, j): (usize, usize), region: &Region) -> bool {
        let (Some(a), Some(b)) = (self.fields[0].inner(i), self.fields[1].inner(j)) else { return false };
        let (Primitive::ConvexPolyhedron(a), Primitive::ConvexPolyhedron(b)) = (a.shape(), b.shape()) else {
            return false;
        };
        let mut warm_start = PolyhedronWarmStart::default();
        let (pose, spent) = (self.pose, &mut self.spent);
        region.points(self.error).is_some_and(|mut points| {
            points.all(|t| {
                *spent += CONVEX_OVERLAP;
                overlap_after(a, b, &pose.shifted(t), Some(&mut warm_start))
            })
        })
    }

    /// Whether a triangle of A and one of B surely cross at all translations of a cone between two
    /// fronts: those at which they do are a convex set.
    pub fn always_cross(&mut self, leaves: (u32, u32), region: &Region) -> bool {
        let Some([a, b]) = self.crossing_triangles(leaves) else { return false };
        // Coordinates that the test of triangles rounds must be below the error.
        if self.error < LEAST_ERROR {
            return false;
        }
        let spent = &mut self.spent;
        region.points(self.error).is_some_and(|mut points| {
            points.all(|t| {
                *spent += CROSSING;
                triangles_overlap(&a, &Triangle(b.0.map(|vertex| vertex + t)))
            })
        })
    }

    /// Two triangles, both in A's frame while nothing is translated; none of other shapes.
    pub fn crossing_triangles(&self, (i, j): (u32, u32)) -> Option<[Triangle; 2]> {
        let [a, b] = [self.bodies[0].leaf_triangle(i)?, self.bodies[1].leaf_triangle(j)?];
        Some([a, b.transformed(&self.pose)])
    }

    /// The radius of a sphere of translations about `t` at which convex solids that are not both
    /// polyhedra overlap.
    pub fn depth_of_others(&mut self, (i, j): (usize, usize), t: DVec3) -> Option<f64> {
        let is_other =
            |solid: Option<&Solid>| solid.is_some_and(|solid| !matches!(solid.shape(), Primitive::ConvexPolyhedron(_)));
        let others = is_other(self.fields[0].inner(i)) || is_other(self.fields[1].inner(j));
        if others { self.pair_depth((i, j), t).map(|(depth, _)| depth) } else { None }
    }

    /// Two spheres, of A and of B, both in A's frame while nothing is translated, about the item
    /// where B is translated by `t`, as deep in each other as a few looks around find.
    pub fn refined(&self, item: &Item, t: DVec3, in_b: DVec3) -> Touch {
        let [a, b] = &self.fields;
        let mut best = if item.of_b {
            Touch { a: a.ball_near(item.at + t), b: (item.at, item.radius) }
        } else {
            let (center, radius) = b.ball_near(item.at - in_b);
            Touch {
                a: (self.pose.transform_point(item.at), item.radius),
                b: (self.pose.transform_point(center), radius),
            }
        };
        for _ in 0..LOOKS {
            let (from, to) = (best.a.0, best.b.0 + t);
            let distance = from.distance(to);
            let (low, high) = ((distance - best.b.1).max(0.0), best.a.1.min(distance));
            let x = if distance > 0.0 { from + (to - from) * (0.5 * (low + high) / distance) } else { from };
            let of_b = b.best_ball(self.back.transform_point(x - t));
            let next = Touch { a: a.best_ball(x), b: (self.pose.transform_point(of_b.0), of_b.1) };
            if next.value(t) <= best.value(t) {
                break;
            }
            best = next;
        }
        best
    }

    /// Finds a point that is deep in both bodies, and leaves them by the way that it tells.
    fn start(&mut self, roots: &[Item]) -> Vec<Item> {
        let Some(item) = self.deepest(roots) else { return Vec::new() };
        let touch = self.refined(&item, DVec3::ZERO, DVec3::ZERO);
        self.raise(touch.value(DVec3::ZERO) - self.error);
        let middle = 0.5 * (touch.a.0 + touch.b.0);
        let mut ways = vec![((touch.b.0 - touch.a.0).normalize_or_zero(), touch.value(DVec3::ZERO))];
        if let Some((depth, normal)) = self.pair_depth_at(middle) {
            self.raise(depth);
            ways.push((normal, depth));
        }
        ways.sort_by(|p, q| q.1.total_cmp(&p.1));
        for (normal, depth) in ways {
            let first = depth.max(1e-6 * self.scale).max(self.clearance) * 1.0001;
            if normal != DVec3::ZERO {
                self.leave_along(normal, first, 1.3);
            }
        }
        vec![touch.item()]
    }

    /// Ascends to where both bodies are deepest about the way that is blocked last.
    fn raise_at_contact(&mut self) -> Vec<Item> {
        let Separated { by, witness: Some(witness), .. } = self.best else { return Vec::new() };
        if self.is_done() {
            return Vec::new();
        }
        let at = 0.5 * (witness.point_a + witness.point_b) - 0.5 * by;
        let item = Item::free(at, 0.0, true);
        let grain = self.fields[0].grain().min(self.fields[1].grain());
        let end = self.ascend(&item, [DVec3::ZERO; 2], f64::INFINITY, (ASCENT, 0.3 * grain));
        self.raise(end.value);
        if end.value > f64::NEG_INFINITY && !self.is_done() {
            let at = if end.item.of_b { end.item.at } else { self.pose.transform_point(end.item.at) };
            if let Some((depth, _)) = self.pair_depth_at(at) {
                self.raise(depth);
            }
        }
        // The start is a guess, and proves nothing where no point was better, as in a body of which
        // nothing is known to be inside.
        if end.value > f64::NEG_INFINITY { vec![end.item] } else { Vec::new() }
    }

    /// Marches along rays from sphere to sphere, and leaves where that ends soonest.
    fn leave_by_rays(&mut self, roots: &[Item]) {
        let upper = self.best.length;
        let near = |item: &&Item| self.estimate(item, DVec3::ZERO, DVec3::ZERO) + upper > 0.0;
        let stride = roots.len().div_ceil(MAX_ON_RAYS).max(1);
        let items: Vec<Item> = roots.iter().step_by(stride).filter(near).copied().collect();
        let mut ends: Vec<(f64, DVec3)> = Vec::new();
        for direction in self.directions() {
            if self.is_done() {
                return;
            }
            let mut length = self.lower;
            for _ in 0..SPHERES {
                let t = direction * (length * 1.0001);
                let in_b = self.back.transform_vector(t);
                let mut farthest = length;
                for item in &items {
                    let (center, radius) = self.proof(item, t, in_b);
                    let along = direction.dot(center);
                    let rest = radius * radius - (center - direction * along).length_squared();
                    if radius > 0.0 && rest > 0.0 && (along - length).powi(2) <= rest {
                        farthest = farthest.max(along + rest.sqrt());
                    }
                }
                self.spent += items.len() as u64;
                let gains = farthest > length * 1.01;
                length = farthest;
                if !gains || length >= upper {
                    break;
                }
            }
            if length < upper {
                ends.push((length, direction));
            }
        }
        ends.sort_by(|p, q| p.0.total_cmp(&q.0));
        for (length, direction) in ends.into_iter().take(RAYS) {
            if length < self.best.length * 0.97 {
                self.leave_along(direction, length * 1.01 + 0.1 * self.loss, 1.1);
            }
        }
    }

    /// The largest lower bound of the depth that convex solids about a point prove, and the way out.
    fn pair_depth_at(&mut self, point: DVec3) -> Option<(f64, DVec3)> {
        let in_b = self.back.transform_point(point);
        let (of_a, of_b) = (self.fields[0].inners_near(point), self.fields[1].inners_near(in_b));
        let mut best: Option<(f64, DVec3)> = None;
        for &i in of_a.iter().take(PAIRS) {
            for &j in of_b.iter().take(PAIRS) {
                let found = if self.spent < self.budget { self.pair_depth((i, j), DVec3::ZERO) } else { None };
                if found.is_some_and(|found| best.is_none_or(|best| found.0 > best.0)) {
                    best = found;
                }
            }
        }
        best
    }

    /// A lower bound of the depth of two convex solids inside of the bodies, B translated, and the
    /// way out; none where they are apart.
    pub fn pair_depth(&mut self, (i, j): (usize, usize), t: DVec3) -> Option<(f64, DVec3)> {
        let (Some(a), Some(b)) = (self.fields[0].inner(i), self.fields[1].inner(j)) else { return None };
        self.spent += CONVEX_DEPTH;
        let request =
            PenetrationRequest { rel_err: 1e-3, max_steps: Some(MAX_GROWTH), ..PenetrationRequest::default() };
        let found = query::penetration(a, b, &self.pose.shifted(t), &request).ok()??;
        // The rounding of the shifted pose.
        Some((found.lower - self.error, found.normal))
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
}
