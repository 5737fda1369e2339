//! Worlds of many bodies. Referees: all pairs of boxes for broad phases, all pairs of bodies at
//! every tick for schedules.
//!
//! What must hold: every broad phase has the pairs that all pairs of boxes have, whatever comes,
//! goes and jumps; what began and ended leads from one step's pairs to the next; no body touches
//! another one before the time that a schedule guarantees, unless a check found it.

mod support;

use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::DVec3;
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::{Cuboid, HalfSpace, Sphere};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, HalfSpaceGeometry, Solid};
use clearance_engine::world::{
    BodyId, BodyPair, BroadPhaseKind, Closing, FinderOptions, Groups, Order, PairFinder, Schedule, SpaceTimeBox, World,
    WorldBox,
};
use clearance_engine::{ErrorKind, Pose};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use support::Random;

/// A body of the referee.
#[derive(Clone, Copy)]
struct Plain {
    center: DVec3,
    half: DVec3,
    velocity: DVec3,
    groups: Groups,
}

struct Referee {
    finder: PairFinder,
    bodies: BTreeMap<BodyId, Plain>,
    excluded: BTreeSet<BodyPair>,
    pairs: BTreeSet<BodyPair>,
    random: Random,
}

fn sorted([a, b]: BodyPair) -> BodyPair {
    if a.slot() < b.slot() { [a, b] } else { [b, a] }
}

impl Referee {
    fn new(options: FinderOptions, seed: u64) -> Self {
        let finder = PairFinder::new(options).unwrap();
        let (bodies, excluded, pairs) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
        Self { finder, bodies, excluded, pairs, random: Random(seed) }
    }

    fn vector(&mut self, scale: f64) -> DVec3 {
        self.random.vector() * scale
    }

    fn groups(&mut self) -> Groups {
        match self.random.below(3) {
            0 => Groups::default(),
            1 => Groups { member: 2, meets: 1 },
            _ => Groups { member: 1 << self.random.below(3), meets: self.random.bits() as u32 },
        }
    }

    fn insert(&mut self) {
        // Sizes over four powers of ten, some flat, some that lie on a lattice and touch, some
        // without end.
        let size = 10.0_f64.powf(self.random.between(-3.0, 1.0));
        let center = self.vector(4.0);
        let (center, half) = match self.random.below(8) {
            0 => (center.round(), DVec3::splat(0.5)),
            1 => (center, DVec3::new(size, 0.0, size)),
            2 if self.random.below(4) == 0 => (center, DVec3::new(f64::INFINITY, f64::INFINITY, size)),
            3 if self.random.below(8) == 0 => (center, DVec3::INFINITY),
            _ => (center, DVec3::splat(size) + self.vector(0.5 * size)),
        };
        let (velocity, groups) = (self.vector(0.05 * size.min(1.0)), self.groups());
        let id = self.finder.insert(center - half, center + half, groups).unwrap();
        self.bodies.insert(id, Plain { center, half, velocity, groups });
    }

    fn some(&mut self) -> Option<BodyId> {
        let at = self.random.below(self.bodies.len().max(1));
        self.bodies.keys().nth(at).copied()
    }

    /// Moves all, and lets something rare happen.
    fn change(&mut self, most: usize) {
        for (&id, body) in &mut self.bodies {
            if body.half.is_finite() {
                body.center += body.velocity;
                if body.center.abs().max_element() > 5.0 {
                    body.velocity = -body.velocity;
                }
                self.finder.set_box(id, body.center - body.half, body.center + body.half).unwrap();
            }
        }
        match self.random.below(12) {
            0..=2 if self.bodies.len() < most => self.insert(),
            3 | 4 => {
                if let Some(id) = self.some() {
                    self.bodies.remove(&id);
                    self.excluded.retain(|pair| !pair.contains(&id));
                    self.finder.remove(id).unwrap();
                    assert_eq!(self.finder.remove(id).unwrap_err().kind(), ErrorKind::OutOfRange);
                }
            }
            5 => {
                let (id, to) = (self.some(), self.vector(5.0));
                if let Some(body) = id.and_then(|id| self.bodies.get_mut(&id)) {
                    body.center = to;
                }
            }
            6 => {
                let (id, groups) = (self.some(), self.groups());
                if let Some(id) = id {
                    self.finder.set_groups(id, groups).unwrap();
                    self.bodies.get_mut(&id).unwrap().groups = groups;
                }
            }
            7 => {
                if let (Some(a), Some(b)) = (self.some(), self.some()) {
                    let out = self.random.below(2) == 0;
                    self.finder.exclude(a, b, out).unwrap();
                    if out {
                        self.excluded.insert(sorted([a, b]))
                    } else {
                        self.excluded.remove(&sorted([a, b]))
                    };
                }
            }
            8 if self.random.below(20) == 0 => {
                // Coherence fails for all at once.
                for body in self.bodies.values_mut() {
                    body.center = DVec3::new(body.center.y, body.center.z, body.center.x) * -0.9;
                }
            }
            _ => {}
        }
    }

    fn brute_force(&self) -> BTreeSet<BodyPair> {
        let all: Vec<(BodyId, Plain)> = self.bodies.iter().map(|(&id, &body)| (id, body)).collect();
        let mut pairs = BTreeSet::new();
        for (i, &(a, body_a)) in all.iter().enumerate() {
            let bounds = self.finder.bounds(a).unwrap();
            for &(b, body_b) in &all[i + 1..] {
                let pair = sorted([a, b]);
                if bounds.overlaps(self.finder.bounds(b).unwrap())
                    && body_a.groups.may_touch(&body_b.groups)
                    && !self.excluded.contains(&pair)
                {
                    pairs.insert(pair);
                }
            }
        }
        pairs
    }

    /// Steps and compares; how many pairs there are.
    fn judge(&mut self, case: &str) -> usize {
        self.finder.step();
        let found: Vec<BodyPair> = self.finder.pairs().collect();
        let set: BTreeSet<BodyPair> = found.iter().copied().collect();
        assert_eq!(found.len(), set.len(), "{case}: a pair twice");
        assert_eq!(set, self.brute_force(), "{case}");
        let began: BTreeSet<BodyPair> = self.finder.began().collect();
        let ended: BTreeSet<BodyPair> = self.finder.ended().iter().copied().collect();
        let persisting: BTreeSet<BodyPair> = self.finder.persisting().collect();
        assert!(ended.is_subset(&self.pairs) && persisting.is_subset(&self.pairs), "{case}");
        let left: BTreeSet<BodyPair> = self.pairs.difference(&ended).copied().collect();
        assert_eq!(left, persisting, "{case}: what did not end persists");
        assert_eq!(left.union(&began).copied().collect::<BTreeSet<_>>(), set, "{case}");
        self.pairs = set;
        self.pairs.len()
    }
}

/// Steps of one broad phase in the run that looks at 100,000 in all, for three margins and rooms.
fn agree(kind: BroadPhaseKind, steps: usize) {
    let mut pairs = 0;
    for (case, (margin, room)) in [(0.0, 0.0), (0.0, 0.1), (0.3, 0.5)].into_iter().enumerate() {
        let options = FinderOptions { margin, room, broad_phase: kind };
        let mut referee = Referee::new(options, 1000 + case as u64);
        for step in 0..steps.div_ceil(3) {
            referee.change(24);
            pairs += referee.judge(&format!("{kind:?} {case} step {step}"));
        }
    }
    assert!(pairs > steps, "only {pairs} pairs in {steps} steps");
}

#[test]
fn sweep_and_prune_has_the_pairs_of_brute_force() {
    agree(BroadPhaseKind::SweepAndPrune, 33_334);
}

#[test]
fn the_tree_has_the_pairs_of_brute_force() {
    agree(BroadPhaseKind::Tree, 33_334);
}

#[test]
fn the_grid_has_the_pairs_of_brute_force() {
    agree(BroadPhaseKind::Grid, 33_334);
}

#[test]
fn many_bodies_at_once_have_the_pairs_of_brute_force() {
    for kind in BroadPhaseKind::ALL {
        let mut referee = Referee::new(FinderOptions { broad_phase: kind, ..FinderOptions::default() }, 5);
        (0..400).for_each(|_| referee.insert());
        for step in 0..40 {
            referee.judge(&format!("{kind:?} step {step}"));
            referee.change(500);
        }
    }
}

#[test]
fn far_and_large_boxes_are_found_too() {
    for kind in BroadPhaseKind::ALL {
        let mut referee = Referee::new(FinderOptions { broad_phase: kind, ..FinderOptions::default() }, 6);
        for scale in [1e-30, 1e-3, 1e5, 1e15, 1e25, 1e60] {
            for shift in 0..8 {
                let center = DVec3::new(scale, -scale, 0.5 * scale) + DVec3::X * (f64::from(shift) * 1e-5 * scale);
                let half = DVec3::splat(scale * 10.0_f64.powi(-shift));
                let id = referee.finder.insert(center - half, center + half, Groups::default()).unwrap();
                let plain = Plain { center, half, velocity: DVec3::ZERO, groups: Groups::default() };
                referee.bodies.insert(id, plain);
            }
        }
        assert!(referee.judge(&format!("{kind:?}")) > 50);
    }
}

#[test]
fn boxes_and_options_that_are_no_numbers_are_refused() {
    for margin in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(PairFinder::new(FinderOptions { margin, ..FinderOptions::default() }).is_err());
    }
    let mut finder = PairFinder::new(FinderOptions::default()).unwrap();
    assert!(finder.insert(DVec3::ZERO, DVec3::new(1.0, f64::NAN, 1.0), Groups::default()).is_err());
    assert!(finder.insert(DVec3::ONE, DVec3::ZERO, Groups::default()).is_err());
    let body = finder.insert(DVec3::ZERO, DVec3::ONE, Groups::default()).unwrap();
    assert!(finder.set_box(body, DVec3::splat(f64::NAN), DVec3::ONE).is_err() && finder.len() == 1);
}

fn at(center: DVec3) -> Pose {
    Pose::from_translation(center).unwrap()
}

#[test]
fn nearest_bodies_are_those_of_a_look_at_all() {
    let (dispatcher, mut workspace, mut random) = (Dispatcher::standard(), Workspace::default(), Random(7));
    for kind in BroadPhaseKind::ALL {
        let mut world = World::new(FinderOptions { broad_phase: kind, ..FinderOptions::default() }).unwrap();
        let mut bodies = Vec::new();
        for i in 0..120 {
            let size = random.between(0.05, 0.5);
            let geometry: Arc<dyn Geometry> = match i % 3 {
                0 => Arc::new(Solid::new(Sphere::new(size).unwrap())),
                _ => Arc::new(Solid::new(Cuboid::from_half_extents(DVec3::new(size, 0.3, 0.1)).unwrap())),
            };
            let center = random.vector() * 10.0;
            bodies.push(world.insert(geometry, at(center), Groups::default()).unwrap());
        }
        let floor = Arc::new(HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, -9.0).unwrap()));
        bodies.push(world.insert(floor, Pose::IDENTITY, Groups::default()).unwrap());
        world.step();
        for &body in &bodies[..30] {
            let mut distance = |other: BodyId| {
                world
                    .distance(&dispatcher, [body, other], &DistanceRequest::default(), &mut workspace, None)
                    .unwrap()
                    .upper
            };
            let mut all: Vec<f64> = bodies.iter().filter(|&&other| other != body).map(|&b| distance(b)).collect();
            all.sort_by(f64::total_cmp);
            for (count, max_d) in [(1, f64::INFINITY), (5, f64::INFINITY), (5, 1.0), (200, f64::INFINITY), (0, 1.0)] {
                let near = world.nearest(&dispatcher, body, count, max_d, &mut workspace).unwrap();
                let wanted: Vec<f64> = all.iter().copied().filter(|&d| d <= max_d).take(count).collect();
                assert_eq!(near.len(), wanted.len(), "{kind:?} {count} {max_d}");
                for (found, wanted) in near.iter().zip(wanted) {
                    assert!(found.lower <= wanted && (found.upper - wanted).abs() < 1e-9, "{found:?} {wanted}");
                }
            }
        }
    }
}

#[test]
fn nearest_bodies_within_no_distance_are_refused() {
    let (dispatcher, mut workspace) = (Dispatcher::standard(), Workspace::default());
    let mut world = World::new(FinderOptions::default()).unwrap();
    let [body, _] = [0.0, 9.0].map(|x| {
        let ball: Arc<dyn Geometry> = Arc::new(Solid::new(Sphere::new(1.0).unwrap()));
        world.insert(ball, at(DVec3::X * x), Groups::default()).unwrap()
    });
    world.step();
    for wrong in [f64::NAN, -1.0, f64::NEG_INFINITY] {
        let found = world.nearest(&dispatcher, body, 1, wrong, &mut workspace);
        assert_eq!(found.map(drop).map_err(|error| error.kind()), Err(ErrorKind::BadRequest), "{wrong}");
    }
    assert!(world.nearest(&dispatcher, body, 1, 0.0, &mut workspace).unwrap().is_empty());
}

#[test]
fn what_is_everywhere_meets_whoever_comes_and_lets_go_of_whoever_leaves() {
    for broad_phase in BroadPhaseKind::ALL {
        let mut world = World::new(FinderOptions { broad_phase, ..FinderOptions::default() }).unwrap();
        let slope = Arc::new(HalfSpaceGeometry::new(HalfSpace::new(DVec3::ONE, 0.0).unwrap()));
        let sphere = Arc::new(Solid::new(Sphere::new(0.1).unwrap()));
        let slope = world.insert(slope, Pose::IDENTITY, Groups::default()).unwrap();
        world.step();
        for turn in 0..3 {
            let sphere = world.insert(sphere.clone(), at(DVec3::X * f64::from(turn)), Groups::default()).unwrap();
            world.step();
            let pair = sorted([slope, sphere]);
            assert_eq!(world.finder().began().map(sorted).collect::<Vec<_>>(), [pair], "{broad_phase:?}");
            world.remove(sphere).unwrap();
            world.step();
            assert_eq!(world.finder().ended().iter().copied().map(sorted).collect::<Vec<_>>(), [pair]);
            assert_eq!(world.finder().pairs().count(), 0);
        }
        let everywhere = WorldBox::new(DVec3::NEG_INFINITY, DVec3::INFINITY, 0.0).unwrap();
        let mut found = Vec::new();
        world.finder().overlapping(&everywhere, &mut found);
        assert_eq!(found, [slope]);
    }
}

/// Spheres that fly about in a cube, at speeds that never exceed `SPEED`.
struct Swarm {
    world: World,
    bodies: Vec<(BodyId, DVec3, DVec3)>,
    random: Random,
}

const SPEED: f64 = 1.0;
const TICK: f64 = 0.05;
const RADIUS: f64 = 0.3;
const MARGIN: f64 = 1.0;

impl Swarm {
    fn new(seed: u64, margin: f64) -> Self {
        let mut random = Random(seed);
        let mut world = World::new(FinderOptions { margin, ..FinderOptions::default() }).unwrap();
        let sphere = Arc::new(Solid::new(Sphere::new(RADIUS).unwrap()));
        let mut vector = |scale: f64| random.vector() * scale;
        let mut body = |_| {
            let (center, velocity) = (vector(5.0), vector(0.57 * SPEED));
            (world.insert(sphere.clone(), at(center), Groups::default()).unwrap(), center, velocity)
        };
        let bodies = (0..60).map(&mut body).collect();
        Self { world, bodies, random }
    }

    fn advance(&mut self) {
        for (id, center, velocity) in &mut self.bodies {
            if self.random.below(20) == 0 || center.abs().max_element() > 5.0 {
                let aim = self.random.vector() * 3.0 - *center;
                *velocity = aim.normalize_or_zero() * SPEED * 0.999;
            }
            *center += *velocity * TICK;
            self.world.set_pose(*id, &at(*center)).unwrap();
        }
        self.world.step();
    }

    /// The pairs whose spheres overlap by more than `depth`.
    fn touching(&self, depth: f64) -> BTreeSet<BodyPair> {
        let mut pairs = BTreeSet::new();
        for (i, (a, at_a, _)) in self.bodies.iter().enumerate() {
            let near = self.bodies[i + 1..].iter().filter(|(_, at_b, _)| at_a.distance(*at_b) < 2.0 * RADIUS - depth);
            pairs.extend(near.map(|&(b, _, _)| sorted([*a, b])));
        }
        pairs
    }
}

/// Runs a swarm with a budget; contacts inside of the guaranteed horizon must have been found.
/// (checks, contacts found, contacts there were)
fn watch(order: Order, budget: usize, ticks: usize) -> (usize, usize, usize) {
    let (dispatcher, mut workspace) = (Dispatcher::standard(), Workspace::default());
    let mut swarm = Swarm::new(11, MARGIN);
    let mut schedule = Schedule::default();
    let closing = Closing { speed: 2.0 * SPEED, acceleration: 0.0 };
    let (mut checks, mut seen, mut total) = (0, 0, 0);
    for tick in 1..=ticks {
        // Boxes that are farther apart than the margin are not in the schedule, and need this long
        // to meet.
        let last = (tick - 1) as f64 * TICK;
        let promised = schedule.guaranteed_until().min(last + closing.safe_time(MARGIN));
        swarm.advance();
        let now = tick as f64 * TICK;
        let world = &swarm.world;
        for pair in world.finder().began() {
            schedule.insert(pair, now + closing.safe_time(world.gap(pair).unwrap()));
        }
        world.finder().ended().iter().for_each(|&pair| assert!(schedule.remove(pair)));
        let mut found = BTreeSet::new();
        let done = schedule
            .tick(now + TICK, budget, order, |pair| {
                let answer = world.distance(&dispatcher, pair, &DistanceRequest::default(), &mut workspace, None)?;
                if answer.upper <= 0.0 {
                    found.insert(pair);
                }
                Ok(now + closing.safe_time(answer.lower))
            })
            .unwrap();
        checks += done.checked;
        let truth = swarm.touching(1e-9);
        assert!(found.is_subset(&swarm.touching(-1e-9)), "{order:?}: found what is not there at {now}");
        if done.guaranteed_until > now {
            assert_eq!(truth.difference(&found).count(), 0, "{order:?}: missed at {now}");
        }
        if promised >= now && tick > 1 {
            assert!(truth.is_empty(), "{order:?}: a contact at {now} although nothing was to happen before {promised}");
        }
        if budget == usize::MAX {
            assert_eq!(truth.difference(&found).count(), 0, "{order:?}: missed at {now}");
        }
        seen += found.len();
        total += truth.len();
    }
    (checks, seen, total)
}

#[test]
fn schedules_miss_no_contact_inside_of_the_horizon_and_spend_budgets_where_contacts_are() {
    let ticks = 400;
    let (due, seen, total) = watch(Order::Earliest, usize::MAX, ticks);
    assert!(total > 100, "{total}");
    assert_eq!(seen, total);
    let (all, ..) = watch(Order::Awareness, usize::MAX, ticks);
    assert!(3 * due < all, "{due} checks of due pairs, {all} of all");
    let [earliest, awareness] = [Order::Earliest, Order::Awareness].map(|order| watch(order, BUDGET, ticks));
    assert!(earliest.1 > awareness.1, "{earliest:?} {awareness:?}");
}

/// Checks a tick that are too few for all pairs.
const BUDGET: usize = 8;

#[cfg(feature = "lab")]
#[test]
fn schedules_find_more_contacts_than_round_robin() {
    let [awareness, turn] = [Order::Awareness, Order::RoundRobin].map(|order| watch(order, BUDGET, 400));
    assert!(awareness.1 > turn.1, "{awareness:?} {turn:?}");
}

#[test]
fn a_schedule_is_in_the_order_of_a_sorted_list() {
    let mut finder = PairFinder::new(FinderOptions::default()).unwrap();
    let bodies: Vec<BodyId> =
        (0..40).map(|_| finder.insert(DVec3::ZERO, DVec3::ZERO, Groups::default()).unwrap()).collect();
    let (mut random, mut schedule, mut list) = (Random(3), Schedule::default(), BTreeMap::<BodyPair, f64>::new());
    for _ in 0..20_000 {
        let pair = [bodies[random.below(20)], bodies[20 + random.below(20)]];
        match random.below(3) {
            0 => assert_eq!(schedule.remove(pair), list.remove(&pair).is_some()),
            1 => {
                let time = random.unit();
                schedule.insert(pair, time);
                list.insert(pair, time);
            }
            _ => {
                let (until, budget) = (random.unit(), random.below(5));
                let mut due: Vec<(f64, BodyPair)> = list.iter().map(|(&pair, &time)| (time, pair)).collect();
                due.sort_by(|a, b| a.0.total_cmp(&b.0));
                let wanted = due.iter().filter(|(time, _)| *time < until).take(budget).map(|&(_, pair)| pair);
                let (wanted, mut asked) = (wanted.collect::<Vec<_>>(), Vec::new());
                let check = |pair| {
                    asked.push(pair);
                    Ok(1.0 + asked.len() as f64)
                };
                schedule.tick(until, budget, Order::Earliest, check).unwrap();
                assert_eq!(asked, wanted);
                list.extend(asked.iter().enumerate().map(|(i, &pair)| (pair, 2.0 + i as f64)));
            }
        }
        assert_eq!(schedule.guaranteed_until(), list.values().copied().fold(f64::INFINITY, f64::min));
        assert_eq!(schedule.len(), list.len());
    }
}

#[test]
fn trapezoids_meet_where_samples_of_accelerated_boxes_do() {
    let mut random = Random(9);
    let mut met = 0;
    for _ in 0..3000 {
        let duration = random.between(0.1, 2.0);
        let acceleration = random.between(0.0, 2.0);
        let mut vector = |scale: f64| random.vector() * scale;
        let mut body = || {
            let (center, half) = (vector(3.0), vector(0.5).abs());
            (center, half, vector(2.0), vector(1.0).normalize_or_zero() * acceleration)
        };
        let (a, b) = (body(), body());
        let bounds = |(center, half, velocity, _): (DVec3, DVec3, DVec3, DVec3)| {
            SpaceTimeBox::new(center - half, center + half, velocity, acceleration, duration).unwrap()
        };
        let times = bounds(a).meets(&bounds(b));
        met += usize::from(times.is_some());
        for i in 0..=50 {
            let t = duration * f64::from(i) / 50.0;
            let place = |(center, _, velocity, push): (DVec3, DVec3, DVec3, DVec3)| {
                center + velocity * t + push * (0.5 * t * t)
            };
            let overlap = (place(a) - place(b)).abs().cmple(a.1 + b.1).all();
            assert!(!overlap || times.is_some_and(|[begin, end]| begin <= t && t <= end), "{t} {times:?}");
        }
    }
    assert!(met > 100 && met < 2500, "{met}");
}
