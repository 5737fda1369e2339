//! Eight configurations, or eight intervals of an edge, at once: which are certainly free, which
//! certainly collide, and which pairs are left.
//!
//! Coarse to fine: the sphere around a part, then the few of the middle level, then the fine ones under
//! those, and the finest where these do not decide and an exact test costs more: over intervals, and
//! among fields. A pair is open in the lanes in which two of the last spheres are not apart.

mod by_lane;

use super::forward::{Frame8, LANES, Row, U, rows};
use super::model::{Component, ScreenModel, ScreenPair, ScreenPart};
use super::obstacles::Obstacles;
use clearance_engine::math::lanes::{F8, Lanes8, V8, prelude::*};

/// Two things that are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Item {
    /// Two parts of the robot: the number of the pair.
    Own(u32),
    /// A part of the robot and an obstacle: their numbers.
    Scene(u32, u32),
}

/// The lanes in which something is not decided.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    pub(super) item: Item,
    /// In configurations, or over intervals.
    pub(super) lanes: u32,
    /// Of these, at the ends of the intervals.
    pub(super) still: u32,
}

/// What a list has for a lane.
pub(super) fn of_lane(list: &[Open], lane: usize) -> impl Iterator<Item = Item> {
    list.iter().filter(move |open| open.lanes >> lane & 1 == 1).map(|open| open.item)
}

/// The lanes in which the sphere around a part meets an obstacle.
#[derive(Debug, Clone, Copy)]
struct Near {
    part: u32,
    place: u32,
    lanes: u32,
}

/// The two configurations that a lane has: of an edge the start and the end of an interval, else
/// the first alone.
pub(super) const START: usize = 0;
pub(super) const END: usize = 1;

/// The memory of one thread.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    /// By variable.
    pub(super) configurations: [Vec<[f64; LANES]>; 2],
    frames: [Vec<Frame8>; 2],
    centers: [Vec<[Row; 3]>; 2],
    /// When centres were computed.
    stamps: [Vec<u32>; 2],
    now: [u32; 2],
    /// Middles of chords with the radii that hold the way.
    swept: Vec<([Row; 3], Row)>,
    swept_stamps: Vec<u32>,
    swept_now: u32,
    /// Where the robot was looked at last: what meets by the spheres around the wholes, of parts and
    /// obstacles and of pairs.
    near: Vec<Near>,
    near_pairs: Vec<(u32, u32)>,
    /// The obstacles that one part may meet.
    candidates: Vec<u32>,
    pub(super) open: Vec<Open>,
    /// What probably touches, and the lanes that were left alone since then.
    pub(super) guesses: Vec<Open>,
    pub(super) dropped: u32,
    /// Of an edge, by part and by pair: what is added to radii over an interval of the current
    /// length.
    pub(super) part_growth: Vec<f32>,
    pub(super) pair_growth: Vec<f32>,
}

impl Scratch {
    /// Makes room for a robot.
    pub(super) fn fit(&mut self, model: &ScreenModel) {
        let (bodies, spheres) = (model.chain.bodies().len(), model.radii.len());
        for slot in [START, END] {
            self.frames[slot].resize(bodies, Frame8::default());
            self.centers[slot].resize(spheres, Default::default());
            self.stamps[slot].clear();
            self.stamps[slot].resize(spheres, 0);
        }
        self.now = [0; 2];
        self.swept.resize(spheres, Default::default());
        self.swept_stamps.clear();
        self.swept_stamps.resize(spheres, 0);
        self.swept_now = 0;
        self.part_growth.resize(model.parts.len(), 0.0);
        self.pair_growth.resize(model.pairs.len(), 0.0);
    }

    /// The lanes in which something probably touches.
    pub(super) fn guessed(&self) -> u32 {
        self.guesses.iter().fold(0, |lanes, guess| lanes | guess.lanes)
    }

    /// Starts anew where stamps would repeat themselves.
    fn tick(stamps: &mut [u32], now: &mut u32) {
        if *now == u32::MAX {
            stamps.fill(0);
            *now = 0;
        }
        *now += 1;
    }
}

/// The lanes of an answer.
#[inline(always)]
fn lanes<S: Lanes8>(mask: clearance_engine::math::lanes::M8<S>) -> u32 {
    mask.to_bitmask() as u32 & 0xff
}

#[inline(always)]
fn square<S: Lanes8>(vector: V8<S>) -> F8<S> {
    vector.dot(vector)
}

/// The least lane; NaN does not count, and is nowhere where lanes are screened.
#[inline(always)]
fn least(row: Row) -> f32 {
    let mut least = row[0];
    for &value in &row[1..] {
        least = if value < least { value } else { least };
    }
    least
}

/// One pass over a block.
pub(super) struct Kernel<'k, S> {
    pub(super) simd: S,
    pub(super) model: &'k ScreenModel,
    pub(super) obstacles: &'k Obstacles,
    pub(super) scratch: &'k mut Scratch,
    /// Whether contacts are guessed where they cannot be proven.
    pub(super) guess: bool,
    /// Whether lanes are far from each other, so that each is looked at by itself.
    pub(super) by_lane: bool,
}

impl<S: Lanes8> Kernel<'_, S> {
    /// Places the robot in the scratch's configurations.
    #[inline(always)]
    pub(super) fn place(&mut self, slot: usize) {
        let Scratch { configurations, frames, stamps, now, swept_stamps, swept_now, .. } = &mut *self.scratch;
        Scratch::tick(&mut stamps[slot], &mut now[slot]);
        Scratch::tick(swept_stamps, swept_now);
        self.model.chain.place(self.simd, &configurations[slot], &mut frames[slot]);
    }

    #[inline(always)]
    fn center(&mut self, slot: usize, sphere: u32) -> V8<S> {
        let i = sphere as usize;
        let scratch = &mut *self.scratch;
        if scratch.stamps[slot][i] == scratch.now[slot] {
            return V8::load(self.simd, &scratch.centers[slot][i]);
        }
        let frame = &scratch.frames[slot][self.model.bodies[i] as usize];
        let center = frame.point(self.simd, self.model.centers[i]);
        scratch.centers[slot][i] = rows(center);
        scratch.stamps[slot][i] = scratch.now[slot];
        center
    }

    #[inline(always)]
    fn radius(&self, sphere: u32) -> f32 {
        self.model.radii[sphere as usize]
    }

    /// A sphere that holds another one all over the interval: its centre and radius.
    #[inline(always)]
    fn swept(&mut self, sphere: u32, growth: f32) -> (V8<S>, F8<S>) {
        let i = sphere as usize;
        if self.scratch.swept_stamps[i] == self.scratch.swept_now {
            let (center, radius) = &self.scratch.swept[i];
            return (V8::load(self.simd, center), (*radius).simd_into(self.simd));
        }
        let (start, end) = (self.center(START, sphere), self.center(END, sphere));
        let (middle, half) = self.chord(start, end);
        let radius = half + F8::splat(self.simd, self.radius(sphere) + growth);
        self.scratch.swept[i] = (rows(middle), radius.into());
        self.scratch.swept_stamps[i] = self.scratch.swept_now;
        (middle, radius)
    }

    /// The middle and half the length of a chord, that a few roundings longer.
    #[inline(always)]
    fn chord(&self, start: V8<S>, end: V8<S>) -> (V8<S>, F8<S>) {
        let half = F8::splat(self.simd, 0.5);
        let way = square(end - start).sqrt();
        ((start + end).scaled(half), way * F8::splat(self.simd, 0.5 * (1.0 + 16.0 * U) as f32))
    }

    /// Lists the obstacles that spheres may meet in any lane: by a box around all of them where lanes
    /// are near each other.
    #[inline(always)]
    fn candidates(&mut self, center: V8<S>, radius: F8<S>, number: usize, together: bool) -> Vec<u32> {
        let mut candidates = std::mem::take(&mut self.scratch.candidates);
        if !together {
            candidates.clear();
            candidates.extend(0..self.obstacles.list.len() as u32);
            return candidates;
        }
        let radius = radius + F8::splat(self.simd, self.obstacles.max_around(number));
        let mut low = [0.0; 3];
        let mut high = [0.0; 3];
        for axis in 0..3 {
            low[axis] = least((center.0[axis] - radius).into());
            high[axis] = -least((-(center.0[axis] + radius)).into());
        }
        self.obstacles.candidates(self.simd, low, high, &mut candidates);
        candidates
    }

    /// The lanes that certainly collide: a sphere inside of a part meets an obstacle that is too
    /// large to be inside of the part, or a sphere inside of another part. With `first`, one will do.
    ///
    /// A sphere inside that probably reaches an obstacle is a guess: to be tested exactly, before
    /// anything else is. Where the obstacle's contacts are never proven, the lane is looked at no
    /// further.
    #[inline(always)]
    pub(super) fn certain(&mut self, slot: usize, alive: u32, first: bool, together: bool) -> u32 {
        self.scratch.near.clear();
        self.scratch.near_pairs.clear();
        self.scratch.guesses.clear();
        self.scratch.dropped = 0;
        let mut hit = 0;
        for number in (0..self.model.parts.len()).rev() {
            if self.model.parts[number].body == 0 {
                continue;
            }
            hit |= self.certain_in_scene(slot, number, alive & !hit & !self.scratch.dropped, together);
            let done = hit | self.scratch.dropped;
            if alive & !done == 0 || done != 0 && first {
                return hit;
            }
        }
        let alive = alive & !self.scratch.dropped;
        for number in 0..self.model.pairs.len() {
            hit |= self.certain_pair(slot, number, alive & !hit);
            if alive & !hit == 0 || hit != 0 && first {
                return hit;
            }
        }
        hit
    }

    /// The same of one part among obstacles; lists those that it is near to.
    #[inline(always)]
    fn certain_in_scene(&mut self, slot: usize, number: usize, alive: u32, together: bool) -> u32 {
        let (simd, model, obstacles) = (self.simd, self.model, self.obstacles);
        let part = &model.parts[number];
        let (whole, radius) = (self.center(slot, part.whole), self.radius(part.whole));
        let candidates = self.candidates(whole, F8::splat(simd, radius), number, together);
        let mut hit = 0;
        for &place in &candidates {
            let obstacle = &obstacles.list[place as usize];
            let reach = radius + obstacles.around(number, place as usize);
            let open = alive & !hit & !self.scratch.dropped;
            if reach < 0.0 || open == 0 {
                continue;
            }
            let open = open & !obstacle.apart(simd, whole, F8::splat(simd, reach), open);
            if open == 0 {
                continue;
            }
            self.scratch.near.push(Near { part: number as u32, place, lanes: open });
            for point in &part.points {
                let point = self.scratch.frames[slot][part.body].point(simd, *point);
                hit |= open & obstacle.contains(simd, point, part.tip_error);
            }
            let inside = obstacles.inside(number, place as usize);
            if let Some(field) = &obstacle.field {
                let open = open & !hit;
                let [found, likely] = if self.by_lane {
                    self.inside_field_by_lane(slot, part, obstacle, field, inside, open)
                } else {
                    self.inside_field(slot, part, obstacle, field, inside, open)
                };
                hit |= found;
                if self.guess && likely & !found != 0 {
                    let (item, lanes) = (Item::Scene(number as u32, place), likely & !found);
                    self.scratch.guesses.push(Open { item, lanes, still: 0 });
                    self.scratch.dropped |= if inside.is_none() { lanes } else { 0 };
                }
                continue;
            }
            let Some(grown) = inside else { continue };
            for sphere in part.inner.clone() {
                let reach = self.radius(sphere) + grown;
                if reach <= 0.0 {
                    continue;
                }
                let distance = obstacle.squared_distance(simd, self.center(slot, sphere));
                hit |= open & lanes(distance.simd_lt(F8::splat(simd, reach * reach)));
            }
        }
        self.scratch.candidates = candidates;
        hit
    }

    /// The same of a pair, which is listed if it is near.
    #[inline(always)]
    fn certain_pair(&mut self, slot: usize, number: usize, alive: u32) -> u32 {
        let model = self.model;
        let pair = &model.pairs[number];
        let whole_a = self.center(slot, pair.wholes[0]);
        let whole_b = self.center(slot, pair.wholes[1]);
        let mut open = alive & !self.apart(whole_a, whole_b, pair.wholes, pair);
        if open == 0 {
            return 0;
        }
        let mut hit = 0;
        if let Some((table, bit)) = pair.table {
            let (free, touching) = model.tables[table].decide(&self.scratch.configurations[slot], open, bit);
            hit = touching;
            open &= !(free | touching);
        }
        if open == 0 {
            return hit;
        }
        self.scratch.near_pairs.push((number as u32, open));
        if !pair.inner {
            return hit;
        }
        let ([a, b], grown) = (model.both(pair), pair.offsets[1]);
        for component_b in &b.components {
            for component_a in &a.components {
                let mut found =
                    self.inner_meet(slot, [component_a, component_b], (whole_a, a.whole), grown, open & !hit);
                // Of two surfaces that hang together and do not meet, either one is inside of the other
                // or their insides do not meet; what is inside of a solid touches it.
                if found != 0 && !b.solid {
                    found &= self.outside(slot, (a, component_a), b, found);
                }
                if found != 0 && !a.solid {
                    found &= self.outside(slot, (b, component_b), a, found);
                }
                hit |= found;
            }
        }
        hit
    }

    /// The lanes in which spheres inside of two components meet.
    #[inline(always)]
    fn inner_meet(
        &mut self,
        slot: usize,
        [a, b]: [&Component; 2],
        (whole_a, sphere_a): (V8<S>, u32),
        grown: f32,
        open: u32,
    ) -> u32 {
        let simd = self.simd;
        let mut found = 0;
        for inner_b in b.inner.clone() {
            let center_b = self.center(slot, inner_b);
            let reach = self.radius(sphere_a) + self.radius(inner_b) + grown;
            let near = open & !found & !lanes(square(whole_a - center_b).simd_gt(F8::splat(simd, reach * reach)));
            if near == 0 {
                continue;
            }
            for inner_a in a.inner.clone() {
                // The offset was rounded down, and the sum of radii rounds by less than they were
                // shortened by.
                let reach = self.radius(inner_a) + self.radius(inner_b) + grown;
                let distance = square(self.center(slot, inner_a) - center_b);
                found |= near & lanes(distance.simd_lt(F8::splat(simd, reach * reach)));
            }
        }
        found
    }

    /// The lanes in which a component is certainly not inside of another part: from one of its points a
    /// ray away from the other misses all spheres that hold the other's surface.
    ///
    /// With v from the point to a sphere's centre and d the direction, it does if v is longer than
    /// the radius r and either v·d < 0 or |v|²|d|² − (v·d)² > r²|d|². The difference is off by 10u of
    /// its first term.
    #[inline(always)]
    fn outside(
        &mut self,
        slot: usize,
        (inside, component): (&ScreenPart, &Component),
        around: &ScreenPart,
        alive: u32,
    ) -> u32 {
        let simd = self.simd;
        let zero = F8::splat(simd, 0.0);
        let center = self.center(slot, around.whole);
        let frame = self.scratch.frames[slot][inside.body];
        let off = 2.0 * inside.tip_error;
        let mut outside = 0;
        for tip in &component.tips {
            let point = frame.point(simd, *tip);
            let away = point - center;
            let length = square(away);
            let mut misses = alive & !outside;
            for group in &around.groups {
                if misses == 0 {
                    break;
                }
                let radius = F8::splat(simd, (self.radius(group.sphere) + inside.tip_error) * 1.000_01);
                let to_sphere = self.center(slot, group.sphere) - point;
                let (squared, along) = (square(to_sphere), to_sphere.dot(away));
                let outer = squared.simd_gt(radius * radius);
                // A ten-thousandth is far above the 16u that either side needs.
                let beside = (squared * length).mul_add(F8::splat(simd, 0.9999), -(along * along));
                let sure = squared.mul_add(F8::splat(simd, 1e-8), F8::splat(simd, off * off)) * length;
                let behind = along.simd_lt(zero) & (along * along).simd_gt(sure);
                misses &= lanes(outer & (behind | beside.simd_gt(radius * radius * length)));
            }
            outside |= misses;
            if alive & !outside == 0 {
                break;
            }
        }
        outside
    }

    /// Lists what is open in the configurations of a slot, of what [`certain`](Self::certain) listed
    /// as near there.
    #[inline(always)]
    pub(super) fn screen(&mut self, slot: usize, alive: u32) {
        self.scratch.open.clear();
        for i in 0..self.scratch.near.len() {
            let Near { part, place, lanes } = self.scratch.near[i];
            if alive & lanes != 0 {
                let open = self.scene_still(slot, part as usize, place as usize, alive & lanes);
                self.list(Item::Scene(part, place), open);
            }
        }
        for i in 0..self.scratch.near_pairs.len() {
            let (number, lanes) = self.scratch.near_pairs[i];
            let open = self.pair_groups_still(slot, number as usize, alive & lanes);
            self.list(Item::Own(number), open);
        }
    }

    /// Lists what is open over the intervals between both slots; looks at all there is.
    #[inline(always)]
    pub(super) fn screen_edge(&mut self, alive: u32) {
        self.scratch.open.clear();
        for number in (0..self.model.parts.len()).rev() {
            if self.model.parts[number].body == 0 {
                continue;
            }
            let (center, radius) = self.swept(self.model.parts[number].whole, self.scratch.part_growth[number]);
            let candidates = self.candidates(center, radius, number, true);
            for &place in &candidates {
                self.item_open(Item::Scene(number as u32, place), alive);
            }
            self.scratch.candidates = candidates;
        }
        for number in 0..self.model.pairs.len() {
            self.item_open(Item::Own(number as u32), alive);
        }
    }

    /// Lists one thing if it is open over the intervals.
    #[inline(always)]
    pub(super) fn item_open(&mut self, item: Item, alive: u32) {
        let open = match item {
            Item::Scene(part, place) => self.scene_open(part as usize, place as usize, alive),
            Item::Own(pair) => self.pair_open(pair as usize, alive),
        };
        if open == 0 {
            return;
        }
        let still = match item {
            Item::Scene(part, place) => self.scene_still(END, part as usize, place as usize, open),
            Item::Own(pair) => self.pair_still(END, pair as usize, open),
        };
        self.scratch.open.push(Open { item, lanes: open, still });
    }

    #[inline(always)]
    fn list(&mut self, item: Item, lanes: u32) {
        if lanes != 0 {
            self.scratch.open.push(Open { item, lanes, still: lanes });
        }
    }

    /// The sphere to look at: where it is, or one that holds its way.
    #[inline(always)]
    fn sphere<const MOVES: bool>(&mut self, slot: usize, sphere: u32, growth: f32) -> (V8<S>, F8<S>) {
        if MOVES {
            self.swept(sphere, growth)
        } else {
            (self.center(slot, sphere), F8::splat(self.simd, self.radius(sphere)))
        }
    }

    #[inline(always)]
    fn scene_open(&mut self, number: usize, place: usize, alive: u32) -> u32 {
        let (simd, part, obstacle) = (self.simd, &self.model.parts[number], &self.obstacles.list[place]);
        let grown = self.obstacles.around(number, place);
        if grown < 0.0 {
            return 0;
        }
        let (center, radius) = self.swept(part.whole, self.scratch.part_growth[number]);
        let reach = radius + F8::splat(simd, grown);
        let open = alive & !obstacle.apart(simd, center, reach, alive);
        if open == 0 { 0 } else { self.scene_groups_open::<true>(END, number, place, open) }
    }

    /// The lanes in which a part may touch an obstacle, where the spheres around the wholes meet.
    #[inline(always)]
    fn scene_still(&mut self, slot: usize, number: usize, place: usize, open: u32) -> u32 {
        if self.by_lane && self.obstacles.list[place].field.is_some() {
            self.open_by_lane(slot, number, place, open)
        } else {
            self.scene_groups_open::<false>(slot, number, place, open)
        }
    }

    /// The same over intervals or, all lanes at a time, in configurations.
    #[inline(always)]
    fn scene_groups_open<const MOVES: bool>(&mut self, slot: usize, number: usize, place: usize, open: u32) -> u32 {
        let (simd, part, obstacle) = (self.simd, &self.model.parts[number], &self.obstacles.list[place]);
        let grown = F8::splat(simd, self.obstacles.around(number, place));
        let growth = self.scratch.part_growth[number];
        let mut left = 0;
        for group in &part.groups {
            let (center, radius) = self.sphere::<MOVES>(slot, group.sphere, growth);
            let reach = radius + grown;
            let open = open & !left;
            let open = open & !obstacle.apart(simd, center, reach, open);
            if open == 0 {
                continue;
            }
            for fine in &group.fine {
                let (center, radius) = self.sphere::<MOVES>(slot, fine.sphere, growth);
                let reach = radius + grown;
                let open = open & !left;
                let open = open & !obstacle.apart(simd, center, reach, open);
                if fine.below.len() == 1 || !MOVES && obstacle.field.is_none() {
                    left |= open;
                    continue;
                }
                for &sphere in &self.model.finest[fine.below.clone()] {
                    let open = open & !left;
                    if open == 0 {
                        break;
                    }
                    let (center, radius) = self.sphere::<MOVES>(slot, sphere, growth);
                    let reach = radius + grown;
                    left |= open & !obstacle.apart(simd, center, reach, open);
                }
            }
        }
        left
    }

    /// The lanes in which neither spheres nor a table prove two parts apart.
    #[inline(always)]
    fn pair_still(&mut self, slot: usize, number: usize, open: u32) -> u32 {
        let still = self.pair_groups_still(slot, number, open);
        match self.model.pairs[number].table {
            Some((table, bit)) if still != 0 => {
                still & !self.model.tables[table].decide(&self.scratch.configurations[slot], still, bit).0
            }
            _ => still,
        }
    }

    /// The lanes in which two parts are not apart, where the spheres around the wholes meet.
    #[inline(always)]
    fn pair_groups_still(&mut self, slot: usize, number: usize, open: u32) -> u32 {
        if open == 0 {
            return 0;
        }
        let pair = &self.model.pairs[number];
        let [a, b] = self.model.both(pair);
        let whole_b = self.center(slot, b.whole);
        let mut left = 0;
        for group_a in &a.groups {
            let center_a = self.center(slot, group_a.sphere);
            let open = open & !left & !self.apart(center_a, whole_b, [group_a.sphere, b.whole], pair);
            if open == 0 {
                continue;
            }
            for group_b in &b.groups {
                let center_b = self.center(slot, group_b.sphere);
                let open = open & !left & !self.apart(center_a, center_b, [group_a.sphere, group_b.sphere], pair);
                if open == 0 {
                    continue;
                }
                for fine_a in &group_a.fine {
                    let center_a = self.center(slot, fine_a.sphere);
                    let open = open & !left & !self.apart(center_a, center_b, [fine_a.sphere, group_b.sphere], pair);
                    if open == 0 {
                        continue;
                    }
                    for fine_b in &group_b.fine {
                        let center_b = self.center(slot, fine_b.sphere);
                        left |= open & !self.apart(center_a, center_b, [fine_a.sphere, fine_b.sphere], pair);
                    }
                }
            }
        }
        left
    }

    #[inline(always)]
    fn apart(&self, a: V8<S>, b: V8<S>, spheres: [u32; 2], pair: &ScreenPair) -> u32 {
        let reach = self.radius(spheres[0]) + self.radius(spheres[1]) + pair.offsets[0];
        lanes(square(a - b).simd_gt(F8::splat(self.simd, reach * reach)))
    }

    /// A sphere of the second part that holds its way in the frame of the first one.
    #[inline(always)]
    fn relative(&mut self, seen_from: usize, sphere: u32, growth: f32) -> (V8<S>, F8<S>) {
        let simd = self.simd;
        let (start, end) = (self.center(START, sphere), self.center(END, sphere));
        let (at_start, at_end) = (&self.scratch.frames[START][seen_from], &self.scratch.frames[END][seen_from]);
        let start = at_start.along(simd, start - at_start.column(simd, 3));
        let end = at_end.along(simd, end - at_end.column(simd, 3));
        let (middle, half) = self.chord(start, end);
        (middle, half + F8::splat(simd, self.radius(sphere) + growth))
    }

    /// The lanes in which two parts may touch within the interval.
    #[inline(always)]
    fn pair_open(&mut self, number: usize, alive: u32) -> u32 {
        let pair = &self.model.pairs[number];
        let [a, b] = self.model.both(pair);
        // What both do in the world is a coarse bound, but at hand.
        let growth_a = self.scratch.part_growth[pair.parts[0]];
        let growth_b = self.scratch.part_growth[pair.parts[1]];
        let (center_a, radius_a) = self.swept(a.whole, growth_a);
        let (center_b, radius_b) = self.swept(b.whole, growth_b);
        let reach = radius_a + radius_b + F8::splat(self.simd, pair.offsets[0]);
        let alive = alive & !lanes(square(center_a - center_b).simd_gt(reach * reach));
        if alive == 0 {
            return 0;
        }
        let growth = self.scratch.pair_growth[number] + pair.offsets[0];
        let whole_b = self.relative(a.body, b.whole, growth);
        let open = alive & !self.apart_from(a.whole, whole_b);
        if open == 0 {
            return 0;
        }
        let mut left = 0;
        for group_b in &b.groups {
            let near_b = self.relative(a.body, group_b.sphere, growth);
            let open = open & !left & !self.apart_from(a.whole, near_b);
            if open == 0 {
                continue;
            }
            for group_a in &a.groups {
                let mut open = open & !left & !self.apart_from(group_a.sphere, near_b);
                if open == 0 {
                    continue;
                }
                for fine_b in &group_b.fine {
                    let near_b = self.relative(a.body, fine_b.sphere, growth);
                    open &= !left;
                    let open = open & !self.apart_from(group_a.sphere, near_b);
                    if open == 0 {
                        continue;
                    }
                    let mut meets = 0;
                    for fine_a in &group_a.fine {
                        meets |= open & !self.apart_from(fine_a.sphere, near_b);
                    }
                    for &finest_b in &self.model.finest[fine_b.below.clone()] {
                        let open = meets & !left;
                        if open == 0 {
                            break;
                        }
                        let near_b = self.relative(a.body, finest_b, growth);
                        for fine_a in &group_a.fine {
                            let open = open & !left & !self.apart_from(fine_a.sphere, near_b);
                            if open == 0 {
                                continue;
                            }
                            for &finest_a in &self.model.finest[fine_a.below.clone()] {
                                left |= open & !self.apart_from(finest_a, near_b);
                            }
                        }
                    }
                }
            }
        }
        match pair.table {
            Some((table, bit)) if left != 0 => {
                left & !self.model.tables[table].free_between(&self.scratch.configurations, left, bit)
            }
            _ => left,
        }
    }

    /// The lanes in which a sphere of the first part is apart from one in its frame.
    #[inline(always)]
    fn apart_from(&self, sphere: u32, (center, radius): (V8<S>, F8<S>)) -> u32 {
        let fixed = V8::splat(self.simd, self.model.centers[sphere as usize]);
        let reach = radius + F8::splat(self.simd, self.radius(sphere));
        lanes(square(center - fixed).simd_gt(reach * reach))
    }

    /// The ways of a part, and of a pair's second part seen from the first.
    #[cfg(test)]
    #[inline(always)]
    pub(super) fn ways(&mut self, part: usize, pair: usize) -> [([Row; 3], Row); 2] {
        let (center, radius) = self.swept(self.model.parts[part].whole, self.scratch.part_growth[part]);
        let [first, second] = self.model.pairs[pair].parts.map(|part| &self.model.parts[part]);
        let (seen, seen_radius) = self.relative(first.body, second.whole, self.scratch.pair_growth[pair]);
        [(rows(center), radius.into()), (rows(seen), seen_radius.into())]
    }
}
