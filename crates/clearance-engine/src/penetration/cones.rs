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
//! * a sphere around a translation at which a point has signed distances in both whose sum is the
//!   radius.
//!
//! Where no proof reaches far, the cone is cut in two. Rays start as the vertices and centres of a
//! cube's faces and are halved exactly for 45 levels, so that cones have no gaps. A front that no
//! proof moves is where B may leave: such translations are tried, and slide.

use super::search::{Item, Search, Touch};
use crate::Triangle;
use crate::math::DVec3;
use crate::pair::shape::point_triangle;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// Spheres are replaced by finer ones while their slack exceeds this part of a cone's width.
const WAIT: f64 = 1.0;
/// Spheres that a cone keeps.
const KEPT: usize = 48;
/// A front that moves by this part of what is left is not cut.
const GAIN: f64 = 0.25;
/// Translations are tried where spheres prove less than this part of what they lose.
const FREE: f64 = 0.3;
/// Spheres at contacts that are kept.
const TOUCHES: usize = 16;
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
    let touches = search.touches();
    let mut cones =
        Cones { finer: Vec::new(), heap: BinaryHeap::new(), values: Vec::new(), tries: 0, successes: 0, touches };
    let seeds = Rc::new(seeds);
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            let [middle, along, across] = [0, 1, 2].map(|step| DVec3::AXES[(axis + step) % 3]);
            let middle = middle * sign;
            let vertices = [along + across, across - along, -along - across, along - across];
            for number in 0..4 {
                let rays = [middle, middle + vertices[number], middle + vertices[(number + 1) % 4]];
                let (items, reach) = (seeds.clone(), [0.0; 3]);
                cones.heap.push(Cone { key: 0.0, rays, reach, level: 0, items, pair: None });
            }
        }
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

struct Cones {
    /// Items of an opened cone.
    finer: Vec<Item>,
    heap: BinaryHeap<Cone>,
    values: Vec<(f64, u32)>,
    /// Ascents, and how many of them moved a front.
    tries: u32,
    successes: u32,
    /// Spheres at contacts, which are tried everywhere.
    touches: Vec<Touch>,
}

impl Cone {
    fn front(&self) -> [DVec3; 3] {
        [0, 1, 2].map(|i| self.rays[i] * self.reach[i])
    }

    /// At most the distance of the front from the origin.
    fn least_distance(&self) -> f64 {
        point_triangle(DVec3::ZERO, &Triangle(self.front())).lower
    }

    /// Where the rays leave a sphere that the front is in; none if it is not.
    #[inline]
    fn leaves(&self, front: &[DVec3; 3], center: DVec3, radius: f64) -> Option<[f64; 3]> {
        let offsets = front.map(|point| point - center);
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
        let upper = search.best.length;
        // All shorter translations are known to overlap.
        let known = cone.rays.map(|ray| search.lower / ray.length() * LESS);
        if (0..3).all(|i| cone.reach[i] <= known[i]) {
            cone.reach = known;
        }
        let front = cone.front();
        let middle = (front[0] + front[1] + front[2]) / 3.0;
        let axis = (cone.rays[0] + cone.rays[1] + cone.rays[2]).normalize();
        let angle = cone.rays.iter().map(|ray| ray.normalize().distance(axis)).fold(0.0, f64::max);
        let width = angle * middle.length().max(0.25 * upper);
        let t = middle + axis * (0.3 * width);
        let in_b = search.back.transform_vector(t);
        if cone.items.iter().any(|item| item.slack > WAIT * width) {
            let mut items = std::mem::take(&mut self.finer);
            items.clear();
            items.extend_from_slice(&cone.items);
            let mut at = 0;
            while let Some(&(mut item)) = items.get(at) {
                if item.slack > WAIT * width {
                    search.refine(&mut item, &mut items);
                    items[at] = item;
                } else {
                    at += 1;
                }
            }
            cone.items = Rc::new(items.clone());
            self.finer = items;
        }
        search.spent += cone.items.len() as u64 + 10;
        self.values.clear();
        let mut best: Option<(f64, [f64; 3])> = None;
        let (mut value, mut number) = (f64::NEG_INFINITY, usize::MAX);
        for (at, item) in cone.items.iter().enumerate() {
            let (center, radius) = search.proof(item, t, in_b);
            let here = radius - center.distance(t);
            self.values.push((here, at as u32));
            if here > value {
                (value, number) = (here, at);
            }
            if let Some(reach) = cone.leaves(&front, center, radius) {
                let gain = (0..3).map(|i| reach[i] * cone.rays[i].length()).fold(f64::INFINITY, f64::min);
                if best.is_none_or(|best| gain > best.0) {
                    best = Some((gain, reach));
                }
            }
        }
        search.spent += self.touches.len() as u64;
        for touch in &self.touches {
            let radius = touch.a.1 + touch.b.1 - search.error;
            if let Some(reach) = cone.leaves(&front, touch.a.0 - touch.b.0, radius) {
                let gain = (0..3).map(|i| reach[i] * cone.rays[i].length()).fold(f64::INFINITY, f64::min);
                if best.is_none_or(|best| gain > best.0) {
                    best = Some((gain, reach));
                }
            }
        }
        let key = cone.key.max(search.lower);
        let enough = key + GAIN * (upper - key);
        if let Some((_, reach)) = best {
            cone.reach = reach;
            cone.key = cone.least_distance().max(key);
            if cone.key >= enough {
                self.heap.push(cone);
                return;
            }
        }
        let mut item = cone.items.get(number).copied();
        let mut fresh = None;
        if let Some(rough) = item {
            search.spent += 20;
            let touch = search.refined(&rough, t, in_b);
            let radius = touch.a.1 + touch.b.1 - search.error;
            if touch.value(t) - search.error > value {
                value = touch.value(t) - search.error;
                (item, fresh) = (Some(touch.item()), Some(touch.item()));
            }
            if let Some(reach) = cone.leaves(&cone.front(), touch.a.0 - touch.b.0, radius) {
                cone.reach = reach;
                cone.key = cone.least_distance().max(cone.key);
                if cone.key >= enough {
                    self.heap.push(cone);
                    return;
                }
            }
        }
        if let Some(item) = item {
            if self.moved_by_solids(search, &mut cone, &item, t, enough) {
                self.heap.push(cone);
                return;
            }
            // No sphere is there: B may leave.
            let may_leave = value < FREE * search.loss && cone.level.is_multiple_of(2);
            if may_leave && t.length() < 0.999 * search.best.length && search.is_free(t) {
                search.slide(t);
                if self.touches.len() < TOUCHES {
                    self.touches.extend(search.touches());
                }
                value = f64::NEG_INFINITY;
            }
            // What spheres lose may be what is missing.
            let front = cone.front();
            let away = front.iter().map(|point| point.distance(t)).fold(0.0, f64::max);
            let helps = self.tries < 16 || self.successes * 8 > self.tries || cone.level.is_multiple_of(4);
            if helps && value + search.loss > away && value < away && width < search.loss {
                self.tries += 1;
                let length = (0.7 * (away - value)).abs().max(0.1 * search.loss);
                let steps = if width < 0.3 * search.loss { 2 * ASCENT } else { ASCENT };
                let end = search.ascend(&item, [t, in_b], 1.5 * away, (steps, length));
                if end.value > value {
                    fresh = Some(end.item);
                }
                if let Some(reach) = cone.leaves(&front, t, end.value) {
                    cone.reach = reach;
                    cone.key = cone.least_distance().max(key);
                    if cone.key >= enough {
                        self.successes += 1;
                        self.heap.push(cone);
                        return;
                    }
                }
            }
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

    /// Whether convex solids inside of both bodies move the front far enough: those that served the
    /// cone around it, or those about an item.
    fn moved_by_solids(
        &mut self,
        search: &mut Search<'_>,
        cone: &mut Cone,
        item: &Item,
        t: DVec3,
        enough: f64,
    ) -> bool {
        let in_b = search.back.transform_vector(t);
        let (in_a, in_b) = if item.of_b {
            (item.at + t, search.back.transform_point(item.at))
        } else {
            (search.pose.transform_point(item.at - in_b) + t, item.at - in_b)
        };
        let (of_a, of_b) = (search.fields[0].inners_near(in_a), search.fields[1].inners_near(in_b));
        let last = cone.pair;
        let near = of_a.iter().flat_map(|&i| of_b.iter().map(move |&j| (i, j))).filter(|&pair| Some(pair) != last);
        for (number, pair) in last.into_iter().chain(near).enumerate() {
            let mut reached = false;
            if number == 0
                && let Some(depth) = search.depth_of_others(pair, t)
                && let Some(reach) = cone.leaves(&cone.front(), t, depth)
            {
                (reached, cone.reach, cone.pair) = (true, reach, Some(pair));
                cone.key = cone.least_distance().max(cone.key);
            }
            for part in [GAIN, 1.0] {
                let aim = cone.key + part * (search.best.length * 1.001 - cone.key);
                let Some(reach) = self.reach_of(cone, aim) else { break };
                if !search.always_overlap(pair, cone.rays, cone.reach, reach) {
                    break;
                }
                reached = true;
                cone.reach = reach;
                cone.key = cone.least_distance().max(cone.key);
                cone.pair = Some(pair);
            }
            if reached {
                return cone.key >= enough;
            }
        }
        false
    }

    /// Where the front is so far away, or farther.
    fn reach_of(&self, cone: &Cone, aim: f64) -> Option<[f64; 3]> {
        let units = cone.rays.map(DVec3::normalize);
        let normal = (units[1] - units[0]).cross(units[2] - units[0]).try_normalize()?;
        let height = normal.dot(units[0]).abs();
        let reach = [0, 1, 2].map(|i| aim / height / cone.rays[i].length());
        (0..3).all(|i| reach[i] > cone.reach[i] * 1.0001).then_some(reach)
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
