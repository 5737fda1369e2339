//! Branch and bound over all directions in which B may leave A.
//!
//! A cone of directions has three rays. Its *front* is a triangle with a vertex on each; all
//! translations of the cone before the front overlap, so that the front's distance from the origin
//! is a lower bound of the lengths beyond it. The cone with the nearest front is next: a *proof*, a
//! convex set of translations at which the solids overlap, moves its front outward if the front is
//! in it, as far as the rays are. Proofs are
//!
//! * the translations at which a sphere of A and one of B overlap: a sphere around the difference
//!   of their centres;
//! * those at which a convex solid inside of A and one of B overlap;
//! * those at which a triangle of A and one of B cross;
//! * a sphere around a translation at which a point has signed distances in both whose sum is the
//!   radius.
//!
//! Where no proof reaches far, the cone is cut in two. Rays start as the six axes and are halved
//! exactly for 45 levels, so that cones have no gaps. A front that no proof moves is where B may
//! leave: such translations are tried, and slide. Where B does not leave, the triangles that block
//! it are the next proof, and the place where they cross is where an ascent starts.

use super::search::{Item, Region, Search};
use crate::Triangle;
use crate::math::DVec3;
use crate::pair::shape::point_triangle;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// Spheres are replaced by finer ones while their slack exceeds this part of a cone's width.
const WAIT: f64 = 2.0;
/// Spheres that a cone keeps.
const KEPT: usize = 20;
/// Spheres of translations that are kept for all cones.
const PROOFS: usize = 48;
/// Pairs of convex solids that are tried at a front.
const PAIRS: usize = 4;
/// A front that moves by this part of what is left is not cut.
const GAIN: f64 = 0.25;
/// Triangles are tried for a smaller part, too.
const LEAST_GAIN: f64 = 0.1;
/// Translations are tried where spheres prove less than this part of what they lose.
const FREE: f64 = 0.3;
/// Steps of an ascent.
const ASCENT: usize = 4;
/// Halvings after which a cone is as narrow as rounding.
const MAX_LEVEL: u32 = 45;
/// Less than one, by more than a few roundings.
const LESS: f64 = 1.0 - 1e-12;

/// A cone of directions, and how far it is known to overlap.
struct Cone {
    /// At most the length of translations beyond the front.
    key: f64,
    rays: [DVec3; 3],
    /// The front's vertices, as multiples of the rays.
    reach: [f64; 3],
    level: u32,
    items: Rc<Vec<Item>>,
    /// Convex solids inside of both that proved something around.
    pair: Option<(usize, usize)>,
    /// Triangles of both that did.
    crossing: Option<(u32, u32)>,
}

/// A translation near a front, the same in B's frame, and how wide the cone is there.
struct Place {
    t: DVec3,
    in_b: DVec3,
    width: f64,
}

/// The sphere of translations that moves a front farthest, and how far the rays are in it.
#[derive(Default)]
struct Farthest {
    gain: f64,
    found: Option<([f64; 3], (DVec3, f64))>,
}

impl Farthest {
    #[inline]
    fn look_at(&mut self, cone: &Cone, (center, radius): (DVec3, f64)) {
        if let Some(reach) = cone.leaves(center, radius) {
            let gain = (0..3).map(|i| reach[i] * cone.rays[i].length()).fold(f64::INFINITY, f64::min);
            if self.found.is_none() || gain > self.gain {
                *self = Self { gain, found: Some((reach, (center, radius))) };
            }
        }
    }
}

impl PartialEq for Cone {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cone {}

impl PartialOrd for Cone {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The cone with the nearest front is the greatest.
impl Ord for Cone {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.total_cmp(&self.key)
    }
}

/// Searches all translations that are shorter than the best one.
pub(super) fn search(search: &mut Search<'_>, roots: Vec<Item>, mut seeds: Vec<Item>) {
    seeds.extend(search.within(roots, search.best.length));
    let seeds = Rc::new(seeds);
    let mut cones = Cones::default();
    for octant in 0..8 {
        let rays = [0, 1, 2].map(|axis| if octant >> axis & 1 == 0 { DVec3::AXES[axis] } else { -DVec3::AXES[axis] });
        let items = seeds.clone();
        cones.heap.push(Cone { key: 0.0, rays, reach: [0.0; 3], level: 0, items, pair: None, crossing: None });
    }
    while let Some(cone) = cones.heap.pop() {
        search.raise(cone.key);
        if cone.key >= search.best.length {
            return;
        }
        if search.is_done() || cone.level >= MAX_LEVEL {
            return;
        }
        cones.open(search, cone);
    }
    // Nothing shorter is left.
    search.raise(search.best.length);
}

#[derive(Default)]
struct Cones {
    /// Items of an opened cone.
    finer: Vec<Item>,
    heap: BinaryHeap<Cone>,
    values: Vec<(f64, u32)>,
    /// Ascents, and how many of them moved a front.
    tries: u32,
    successes: u32,
    /// Spheres of translations that moved a front: their centres and radii. They are tried
    /// everywhere, as they reach beyond that cone.
    proofs: Vec<(DVec3, f64)>,
    /// Where the oldest of them is.
    oldest: usize,
}

impl Cone {
    fn front(&self) -> [DVec3; 3] {
        [0, 1, 2].map(|i| self.rays[i] * self.reach[i])
    }

    /// At most the distance of the front from the origin.
    fn least_distance(&self) -> f64 {
        point_triangle(DVec3::ZERO, &Triangle(self.front())).lower
    }

    /// Whether convex solids inside of both bodies move the front far enough: those that served the
    /// cone around it, or those about an item.
    fn moved_by_solids(&mut self, search: &mut Search<'_>, item: &Item, at: &Place, enough: f64) -> bool {
        let &Place { t, in_b, .. } = at;
        let (in_a, in_b) = if item.of_b {
            (item.at + t, search.back.transform_point(item.at))
        } else {
            (search.pose.transform_point(item.at - in_b) + t, item.at - in_b)
        };
        let (of_a, of_b) = (search.fields[0].inners_near(in_a), search.fields[1].inners_near(in_b));
        let last = self.pair;
        let near = of_a.iter().flat_map(|&i| of_b.iter().map(move |&j| (i, j))).filter(|&pair| Some(pair) != last);
        for (number, pair) in last.into_iter().chain(near).take(PAIRS).enumerate() {
            let mut reached = false;
            if number == 0
                && let Some(depth) = search.depth_of_others(pair, t)
            {
                let mut best = Farthest::default();
                best.look_at(self, (t, depth));
                self.take(&best);
                reached = best.found.is_some();
            }
            for part in [GAIN, 1.0] {
                let aim = self.key + part * (search.best.length * 1.001 - self.key);
                let Some(region) = self.region(aim) else { break };
                if !search.always_overlap(pair, &region) {
                    break;
                }
                reached = true;
                self.move_to(region.far);
            }
            if reached {
                self.pair = Some(pair);
                return self.key >= enough;
            }
        }
        false
    }

    /// Whether two triangles, which cross near the front, move it far enough.
    fn moved_by_triangles(&mut self, search: &mut Search<'_>, leaves: (u32, u32), enough: f64) -> bool {
        for part in [1.0, GAIN, LEAST_GAIN] {
            let aim = self.key + part * (search.best.length * 1.001 - self.key);
            let Some(region) = self.region(aim) else { continue };
            if search.always_cross(leaves, &region) {
                self.crossing = Some(leaves);
                self.move_to(region.far);
                return self.key >= enough;
            }
        }
        false
    }

    /// What is between the front and a place that is so far away, or farther.
    fn region(&self, aim: f64) -> Option<Region> {
        let units = self.rays.map(DVec3::normalize);
        let normal = (units[1] - units[0]).cross(units[2] - units[0]).try_normalize()?;
        let height = normal.dot(units[0]).abs();
        let far = [0, 1, 2].map(|i| aim / height / self.rays[i].length());
        let is_farther = (0..3).all(|i| far[i] > self.reach[i] * 1.0001);
        is_farther.then_some(Region { rays: self.rays, near: self.reach, far })
    }

    fn take(&mut self, best: &Farthest) {
        if let Some((reach, _)) = best.found {
            self.move_to(reach);
        }
    }

    fn move_to(&mut self, reach: [f64; 3]) {
        self.reach = reach;
        self.key = self.key.max(self.least_distance());
    }

    /// Where the rays leave a sphere that the front is in; none if it is not.
    #[inline]
    fn leaves(&self, center: DVec3, radius: f64) -> Option<[f64; 3]> {
        let offsets = self.front().map(|point| point - center);
        let squared = radius * radius * LESS;
        if radius <= 0.0 || offsets.iter().any(|offset| offset.length_squared() >= squared) {
            return None;
        }
        Some([0, 1, 2].map(|i| {
            let (ray, offset) = (self.rays[i], offsets[i]);
            let (a, b, c) = (ray.length_squared(), ray.dot(offset), offset.length_squared() - squared);
            let far = self.reach[i] + ((b * b - a * c).max(0.0).sqrt() - b) / a;
            let is_in = (ray * far - center).length_squared() <= radius * radius;
            if is_in { far.max(self.reach[i]) } else { self.reach[i] }
        }))
    }
}

impl Cones {
    /// Moves the front of a cone, or cuts the cone in two.
    fn open(&mut self, search: &mut Search<'_>, mut cone: Cone) {
        // All shorter translations are known to overlap.
        let known = cone.rays.map(|ray| search.lower / ray.length() * LESS);
        if (0..3).all(|i| cone.reach[i] <= known[i]) {
            cone.reach = known;
        }
        cone.key = cone.key.max(search.lower);
        let front = cone.front();
        let middle = (front[0] + front[1] + front[2]) / 3.0;
        let axis = (cone.rays[0] + cone.rays[1] + cone.rays[2]).normalize();
        let angle = cone.rays.iter().map(|ray| ray.normalize().distance(axis)).fold(0.0, f64::max);
        let width = angle * middle.length().max(0.25 * search.best.length);
        let t = middle + axis * (0.3 * width);
        let at = Place { t, in_b: search.back.transform_vector(t), width };
        let enough = cone.key + GAIN * (search.best.length - cone.key);
        let (is_moved, fresh) = self.move_front(search, &mut cone, &at, enough);
        if is_moved {
            self.heap.push(cone);
            return;
        }
        let upper = search.best.length;
        let region = cone.rays.iter().map(|ray| (*ray * (upper / ray.length())).distance(t)).fold(0.0, f64::max);
        // Within reach of the next fronts, the values of two spheres come nearer by twice the way
        // at most.
        let best = self.values.iter().map(|&(value, _)| value).fold(f64::NEG_INFINITY, f64::max);
        let least = (best - 3.0 * width).max(-region);
        self.values.retain(|&(value, at)| value + cone.items[at as usize].slack > least);
        if self.values.len() > KEPT {
            self.values.select_nth_unstable_by(KEPT, |p, q| q.0.total_cmp(&p.0));
            self.values.truncate(KEPT);
        }
        let kept = self.values.iter().map(|&(_, at)| cone.items[at as usize]);
        cone.items = Rc::new(fresh.into_iter().chain(kept).collect());
        self.cut(search, cone);
    }

    /// Whether proofs move the front far enough, the cheap ones first; and else the sphere that is
    /// best there, if it is none of the cone's.
    fn move_front(
        &mut self,
        search: &mut Search<'_>,
        cone: &mut Cone,
        at: &Place,
        enough: f64,
    ) -> (bool, Option<Item>) {
        let &Place { t, in_b, width } = at;
        search.spent += 10 + self.proofs.len() as u64 / 4;
        let mut best = Farthest::default();
        self.proofs.iter().for_each(|&proof| best.look_at(cone, proof));
        cone.take(&best);
        if cone.key >= enough {
            return (true, None);
        }
        self.replace_coarse(search, cone, width);
        let (mut value, number) = self.look_at_items(search, cone, at);
        if cone.key >= enough {
            return (true, None);
        }
        let (mut item, mut fresh) = (cone.items.get(number).copied(), None);
        if let Some(rough) = item {
            search.spent += 20;
            let touch = search.refined(&rough, t, in_b);
            if touch.value(t) - search.error > value {
                value = touch.value(t) - search.error;
                (item, fresh) = (Some(touch.item()), Some(touch.item()));
            }
            self.take_and_keep(cone, (touch.a.0 - touch.b.0, touch.a.1 + touch.b.1 - search.error));
            if cone.key >= enough {
                return (true, None);
            }
        }
        let by_triangles = cone.crossing.is_some_and(|leaves| cone.moved_by_triangles(search, leaves, enough));
        if by_triangles || item.is_some_and(|item| cone.moved_by_solids(search, &item, at, enough)) {
            return (true, None);
        }
        // No sphere is there: B may leave.
        let mut crossing = None;
        let may_leave = value < FREE * search.loss && cone.level.is_multiple_of(2);
        if may_leave && t.length() < 0.999 * search.best.length {
            if search.is_free(t) {
                search.slide(t);
                return (false, fresh);
            }
            // Without an answer, a larger budget would go another way from here, and might prove less.
            if search.is_spent() {
                return (false, fresh);
            }
            if search.crossing.is_some_and(|leaves| cone.moved_by_triangles(search, leaves, enough)) {
                return (true, None);
            }
            crossing = search.at_crossing(t, 0.3 * width);
        }
        if width >= search.loss {
            return (false, fresh);
        }
        if crossing.is_some_and(|start| cone.moved_by_solids(search, &start, at, enough)) {
            return (true, None);
        }
        // What spheres lose may be what is missing.
        let away = cone.front().iter().map(|point| point.distance(t)).fold(0.0, f64::max);
        let helps = self.tries < 16 || self.successes * 8 > self.tries || cone.level.is_multiple_of(4);
        let from_item = item.filter(|_| helps && value + search.loss > away);
        let starts = [(from_item, (0.7 * (away - value)).max(0.1 * search.loss)), (crossing, 0.7 * away)];
        for (start, length) in starts {
            let Some(start) = start.filter(|_| value < away && !search.is_spent()) else { continue };
            self.tries += 1;
            let steps = if width < 0.3 * search.loss { 3 * ASCENT } else { ASCENT };
            let end = search.ascend(&start, [t, in_b], 1.5 * away, (steps, length));
            if end.value > value {
                (value, fresh) = (end.value, Some(end.item));
            }
            self.take_and_keep(cone, (t, end.value));
            if cone.key >= enough {
                self.successes += 1;
                return (true, None);
            }
        }
        (false, fresh)
    }

    /// Replaces spheres by finer ones where their slack is large.
    fn replace_coarse(&mut self, search: &mut Search<'_>, cone: &mut Cone, width: f64) {
        if cone.items.iter().all(|item| item.slack <= WAIT * width) {
            return;
        }
        self.finer.clear();
        self.finer.extend_from_slice(&cone.items);
        let mut at = 0;
        while let Some(&(mut item)) = self.finer.get(at) {
            if item.slack > WAIT * width {
                search.refine(&mut item, &mut self.finer);
                self.finer[at] = item;
            } else {
                at += 1;
            }
        }
        cone.items = Rc::new(self.finer.clone());
    }

    /// Moves the front by the spheres of a cone; the largest radius about the place, and whose.
    fn look_at_items(&mut self, search: &mut Search<'_>, cone: &mut Cone, at: &Place) -> (f64, usize) {
        search.spent += cone.items.len() as u64;
        self.values.clear();
        let (mut value, mut number) = (f64::NEG_INFINITY, usize::MAX);
        let mut best = Farthest::default();
        for (here, item) in cone.items.iter().enumerate() {
            let (center, radius) = search.proof(item, at.t, at.in_b);
            let depth = radius - center.distance(at.t);
            self.values.push((depth, here as u32));
            if depth > value {
                (value, number) = (depth, here);
            }
            best.look_at(cone, (center, radius));
        }
        if let Some((_, proof)) = best.found {
            cone.take(&best);
            self.keep(proof);
        }
        (value, number)
    }

    /// Moves the front by a sphere of translations, which is kept if it does.
    fn take_and_keep(&mut self, cone: &mut Cone, proof: (DVec3, f64)) {
        let mut best = Farthest::default();
        best.look_at(cone, proof);
        if best.found.is_some() {
            cone.take(&best);
            self.keep(proof);
        }
    }

    /// Keeps a proof, instead of the oldest one where there are many.
    fn keep(&mut self, proof: (DVec3, f64)) {
        if self.proofs.len() < PROOFS {
            self.proofs.push(proof);
        } else {
            self.proofs[self.oldest] = proof;
            self.oldest = (self.oldest + 1) % PROOFS;
        }
    }

    /// Cuts a cone in two, across the longest side of its front.
    fn cut(&mut self, search: &Search<'_>, cone: Cone) {
        let side = |i: usize| cone.rays[i].normalize().distance_squared(cone.rays[(i + 1) % 3].normalize());
        let longest = (0..3).max_by(|&i, &j| side(i).total_cmp(&side(j))).unwrap_or(0);
        let (i, j) = (longest, (longest + 1) % 3);
        let ray = (cone.rays[i] + cone.rays[j]) * 0.5;
        let (p, q) = (cone.reach[i], cone.reach[j]);
        // Where the ray meets the front's side.
        let reach = if p + q > 0.0 { 2.0 * p * q / (p + q) * LESS } else { 0.0 };
        for replaced in [i, j] {
            let mut half = Cone { level: cone.level + 1, items: cone.items.clone(), ..cone };
            half.rays[replaced] = ray;
            half.reach[replaced] = reach;
            half.key = half.least_distance().max(cone.key);
            if half.key < search.best.length {
                self.heap.push(half);
            }
        }
    }
}
