//! Many moving boxes: microseconds a tick of each broad phase, and what the survey of Jiménez,
//! Thomas and Torras says of such scenes.
//!
//! Boxes fly straight through a cube and are thrown back by its walls. All engines get the same
//! boxes in the same ticks, in turns. Ours answer with the pairs of the exact boxes and with those
//! that began and ended; parry's tree and coal's name pairs, and what keeping a table of them would
//! cost is not charged to them.

use crate::placing::Random;
use crate::table::{Table, short};
use crate::{Error, Result, timing};
use clearance_engine::math::DVec3;
use clearance_engine::world::{
    BodyId, BroadPhaseKind, Closing, FinderOptions, Groups, Order, PairFinder, Schedule, SpaceTimeBox,
};

/// Ticks that are timed as one.
const STRETCH: usize = 10;
/// Stretches at the start that do not count, and those that do.
const WARM: usize = 5;
const TIMED: usize = 10;

/// Boxes in motion.
#[derive(Clone)]
pub struct Swarm {
    centers: Vec<DVec3>,
    halves: Vec<DVec3>,
    /// A tick.
    velocities: Vec<DVec3>,
    /// Half the edge of the cube.
    wall: f64,
}

impl Swarm {
    /// `count` boxes with edges of 0.5 to 1.5, or over a factor of 30, one to 6 cubic units of
    /// room, that move by up to `speed` a tick.
    fn new(count: usize, speed: f64, mixed: bool) -> Self {
        let mut random = Random(count as u64);
        let wall = 0.5 * (6.0 * count as f64).cbrt();
        let vector =
            |random: &mut Random, scale: f64| DVec3::new(random.signed(), random.signed(), random.signed()) * scale;
        let mut swarm = Self { centers: vec![], halves: vec![], velocities: vec![], wall };
        for _ in 0..count {
            let size = if mixed { 0.2 * 30.0_f64.powf(random.unit().powi(3)) } else { 1.0 };
            let half = DVec3::new(random.unit(), random.unit(), random.unit()) * 0.5 + 0.25;
            swarm.centers.push(vector(&mut random, wall));
            swarm.halves.push(half * size);
            swarm.velocities.push(vector(&mut random, speed));
        }
        swarm
    }

    fn tick(&mut self) {
        for (center, velocity) in self.centers.iter_mut().zip(&mut self.velocities) {
            *center += *velocity;
            for axis in 0..3 {
                if center[axis].abs() > self.wall {
                    velocity[axis] = -velocity[axis].abs().copysign(center[axis]);
                }
            }
        }
    }

    /// Boxes about these places.
    pub(crate) fn of(centers: Vec<DVec3>, halves: Vec<DVec3>) -> Self {
        Self { centers, halves, velocities: Vec::new(), wall: f64::INFINITY }
    }

    fn vertices(&self, i: usize) -> (DVec3, DVec3) {
        (self.centers[i] - self.halves[i], self.centers[i] + self.halves[i])
    }

    /// Where the boxes are.
    pub fn centers(&self) -> &[DVec3] {
        &self.centers
    }

    /// Half of their edges.
    pub fn halves(&self) -> &[DVec3] {
        &self.halves
    }
}

/// An engine that follows a swarm.
pub trait Follower {
    /// What it is called.
    fn name(&self) -> String;
    /// Takes the boxes of some ticks, one after the other, and finds the pairs of each: the
    /// microseconds of the thread for all of them, and how many pairs it names in all.
    fn follow(&mut self, ticks: &[Swarm]) -> Result<(f64, usize)>;
}

/// What `step` takes for some ticks, and the pairs it names.
fn timed(ticks: &[Swarm], mut step: impl FnMut(&Swarm) -> Result<usize>) -> Result<(f64, usize)> {
    let mut outcome = Ok(0);
    let time = timing::shortest_thread_us(1, || {
        outcome = ticks.iter().try_fold(0, |sum, tick| Ok::<_, Error>(sum + step(tick)?));
    });
    Ok((time, outcome?))
}

pub(crate) struct Ours {
    finder: PairFinder,
    bodies: Vec<BodyId>,
}

impl Ours {
    pub(crate) fn new(options: FinderOptions, swarm: &Swarm) -> Result<Self> {
        let mut finder = PairFinder::new(options)?;
        let mut bodies = Vec::new();
        for i in 0..swarm.centers.len() {
            let (low, high) = swarm.vertices(i);
            bodies.push(finder.insert(low, high, Groups::default())?);
        }
        finder.step();
        Ok(Self { finder, bodies })
    }

    fn step(&mut self, swarm: &Swarm) -> Result<usize> {
        for (i, &body) in self.bodies.iter().enumerate() {
            let (low, high) = swarm.vertices(i);
            self.finder.set_box(body, low, high)?;
        }
        self.finder.step();
        Ok(self.finder.pairs().count())
    }
}

impl Follower for Ours {
    fn name(&self) -> String {
        let FinderOptions { broad_phase, room, .. } = self.finder.options();
        format!("{}, room {room}", broad_phase.name())
    }

    fn follow(&mut self, ticks: &[Swarm]) -> Result<(f64, usize)> {
        timed(ticks, |tick| self.step(tick))
    }
}

/// parry's tree as rapier uses it: leaves in place, all boxes refitted, part of the tree rebuilt,
/// then the tree against itself.
#[cfg(feature = "parry")]
struct Parry {
    tree: parry3d::partitioning::Bvh,
    workspace: parry3d::partitioning::BvhWorkspace,
    pairs: Vec<[u32; 2]>,
    /// 0: all pairs of exact boxes, in every tick. Else only pairs of which a box has left a larger
    /// one.
    skin: f32,
}

#[cfg(feature = "parry")]
fn parry_box((low, high): (DVec3, DVec3)) -> parry3d::bounding_volume::Aabb {
    let vector = |v: DVec3| parry3d::math::Vector::new(v.x as f32, v.y as f32, v.z as f32);
    parry3d::bounding_volume::Aabb::new(vector(low), vector(high))
}

#[cfg(feature = "parry")]
impl Parry {
    fn new(skin: f32, swarm: &Swarm) -> Self {
        let boxes: Vec<_> = (0..swarm.centers.len()).map(|i| parry_box(swarm.vertices(i))).collect();
        let tree = parry3d::partitioning::Bvh::from_leaves(parry3d::partitioning::BvhBuildStrategy::Binned, &boxes);
        Self { tree, workspace: Default::default(), pairs: Vec::new(), skin }
    }

    fn step(&mut self, swarm: &Swarm) -> Result<usize> {
        for i in 0..swarm.centers.len() {
            self.tree.insert_or_update_partially(parry_box(swarm.vertices(i)), i as u32, self.skin);
        }
        self.tree.refit(&mut self.workspace);
        self.tree.optimize_incremental(&mut self.workspace);
        self.pairs.clear();
        let mut keep = |a: u32, b: u32| self.pairs.push([a, b]);
        if self.skin == 0.0 {
            self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut keep);
        } else {
            self.tree.traverse_bvtt_single_tree::<true>(&mut self.workspace, &mut keep);
        }
        Ok(self.pairs.len())
    }
}

#[cfg(feature = "parry")]
impl Follower for Parry {
    fn name(&self) -> String {
        if self.skin == 0.0 { "parry, all pairs".into() } else { format!("parry, changes, skin {}", self.skin) }
    }

    fn follow(&mut self, ticks: &[Swarm]) -> Result<(f64, usize)> {
        timed(ticks, |tick| self.step(tick))
    }
}

fn followers(swarm: &Swarm, room: f32) -> Result<Vec<Box<dyn Follower>>> {
    let mut all: Vec<Box<dyn Follower>> = Vec::new();
    for broad_phase in BroadPhaseKind::ALL {
        all.push(Box::new(Ours::new(FinderOptions { room, broad_phase, ..FinderOptions::default() }, swarm)?));
    }
    #[cfg(feature = "parry")]
    for skin in [0.0, room] {
        all.push(Box::new(Parry::new(skin, swarm)));
    }
    Ok(all)
}

/// One scene: all engines over the same ticks, in turns, `rounds` times; the mean of a tick in the
/// best round.
///
/// A mean, as boxes leave their fat boxes in bursts; the first ticks, in which all of them are new,
/// do not count.
fn race(title: &str, swarm: &Swarm, rounds: usize, peers: Peers<'_>) -> Result<Table> {
    let mut table = Table::new(title, &["broad phase", "µs/tick", "pairs named"]);
    let mut best = Vec::new();
    for _ in 0..rounds {
        let (mut all, mut swarm) = (followers(swarm, FinderOptions::default().room)?, swarm.clone());
        all.extend(peers(&swarm)?);
        let mut means = vec![(0.0, 0); all.len()];
        for stretch in 0..WARM + TIMED {
            let ticks: Vec<Swarm> = (0..STRETCH)
                .map(|_| {
                    swarm.tick();
                    swarm.clone()
                })
                .collect();
            for (follower, mean) in all.iter_mut().zip(&mut means) {
                let (time, pairs) = follower.follow(&ticks)?;
                if stretch >= WARM {
                    *mean = (mean.0 + time / (STRETCH * TIMED) as f64, mean.1 + pairs);
                }
            }
        }
        best.resize(all.len(), (String::new(), f64::INFINITY, 0));
        for ((follower, (time, pairs)), best) in all.iter().zip(means).zip(&mut best) {
            *best = (follower.name(), time.min(best.1), pairs / (STRETCH * TIMED));
        }
    }
    table.rows = best.into_iter().map(|(name, time, pairs)| vec![name, short(time), pairs.to_string()]).collect();
    Ok(table)
}

/// Makes other engines for a swarm.
type Peers<'p> = &'p mut dyn FnMut(&Swarm) -> Result<Vec<Box<dyn Follower>>>;

/// The broad phases on 10,000 boxes, slow and fast, alike and of many sizes ones, and what `peers`
/// makes for each swarm.
pub fn broad_phases(rounds: usize, peers: Peers<'_>) -> Result<Vec<Table>> {
    let scenes = [
        ("1 % of an edge a tick", 0.01, false),
        ("5 % of an edge a tick", 0.05, false),
        ("sizes over a factor of 30, 1 %", 0.01, true),
    ];
    let run = |(title, speed, mixed): (&str, f64, bool)| {
        race(&format!("10,000 boxes, {title}"), &Swarm::new(10_000, speed, mixed), rounds, peers)
    };
    scenes.into_iter().map(run).collect()
}

/// Survey 4.3: sorting by insertion takes expected linear time where motion is coherent.
pub fn linearity() -> Result<Table> {
    let mut table = Table::new("Sweep and prune, 1 % of an edge a tick", &["boxes", "µs/tick", "ns a box"]);
    for count in [1000, 2000, 4000, 8000, 16_000] {
        let mean = sweep_us(count, TIMED * STRETCH)?;
        table.rows.push(vec![count.to_string(), short(mean), short(1e3 * mean / count as f64)]);
    }
    Ok(table)
}

/// Microseconds a tick that sweep and prune takes for `count` boxes that move by up to 1 % of an
/// edge, over the mean of some ticks.
pub(crate) fn sweep_us(count: usize, ticks: usize) -> Result<f64> {
    let mut swarm = Swarm::new(count, 0.01, false);
    let options = FinderOptions { broad_phase: BroadPhaseKind::SweepAndPrune, ..FinderOptions::default() };
    let (mut ours, mut mean) = (Ours::new(options, &swarm)?, 0.0);
    for tick in 0..WARM * STRETCH + ticks {
        swarm.tick();
        let (time, _) = timed(std::slice::from_ref(&swarm), |tick| ours.step(tick))?;
        if tick >= WARM * STRETCH {
            mean += time / ticks as f64;
        }
    }
    Ok(mean)
}

/// Survey 4.3: the share of all pairs whose hyper-trapezoids overlap (0.07 % there), over some
/// numbers of ticks.
pub fn trapezoids() -> Result<Table> {
    let mut table = Table::new("2,000 boxes: pairs whose hyper-trapezoids overlap", &["ticks", "pairs", "share"]);
    for ticks in [1.0, 10.0, 50.0] {
        let (pairs, share) = overlapping_trapezoids(2000, ticks)?;
        table.rows.push(vec![short(ticks), pairs.to_string(), format!("{:.3} %", 100.0 * share)]);
    }
    Ok(table)
}

/// How many pairs of boxes have hyper-trapezoids over some ticks that overlap, and which share of
/// all pairs that is.
pub(crate) fn overlapping_trapezoids(count: usize, ticks: f64) -> Result<(usize, f64)> {
    let swarm = Swarm::new(count, 0.01, false);
    let one = |i: usize| {
        let (low, high) = swarm.vertices(i);
        // Accelerations of up to a tenth of the largest speed a tick; the walls are left out.
        SpaceTimeBox::new(low, high, swarm.velocities[i], 0.001, ticks)
    };
    let boxes: Vec<SpaceTimeBox> = (0..count).map(one).collect::<clearance_engine::Result<_>>()?;
    let meets = |(i, a): (usize, &SpaceTimeBox)| boxes[i + 1..].iter().filter(|b| a.meets(b).is_some()).count();
    let pairs: usize = boxes.iter().enumerate().map(meets).sum();
    Ok((pairs, pairs as f64 / (count * (count - 1) / 2) as f64))
}

/// Survey 4.3: of the contacts of boxes that there are, how many each order of pairs finds with a
/// budget of checks a tick.
pub fn orders() -> Result<Table> {
    const TICKS: usize = 300;
    let mut table = Table::new(
        "300 boxes, all pairs: contacts found with a budget, 300 ticks",
        &["order", "checks a tick", "found", "late by ticks"],
    );
    for budget in [512, 2048, 4096] {
        for order in [Order::Earliest, Order::Awareness, Order::RoundRobin] {
            let Spent { checks, found, late } = spend(300, TICKS, order, budget)?;
            table.rows.push(vec![
                format!("{order:?}, budget {budget}"),
                short(checks),
                format!("{:.1} %", 100.0 * found),
                short(late),
            ]);
        }
    }
    Ok(table)
}

/// What came of a schedule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spent {
    /// Checks a tick.
    pub(crate) checks: f64,
    /// The share of contacts that were found while they lasted.
    pub(crate) found: f64,
    /// How many ticks late those were found, on average.
    pub(crate) late: f64,
}

/// Runs a schedule over all pairs of some boxes, all unknown at the start.
pub(crate) fn spend(count: usize, ticks: usize, order: Order, budget: usize) -> Result<Spent> {
    let mut swarm = Swarm::new(count, 0.05, false);
    let Ours { bodies, .. } = Ours::new(FinderOptions::default(), &swarm)?;
    let mut schedule = Schedule::default();
    let pairs = || (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j]));
    pairs().for_each(|[i, j]| schedule.insert([bodies[i], bodies[j]], 0.0));
    // Since when each pair is in contact, and whether that was found.
    let mut contacts = std::collections::HashMap::<[usize; 2], (usize, bool)>::new();
    let (mut checks, mut began, mut found, mut late) = (0, 0, 0, 0);
    for tick in 0..ticks {
        swarm.tick();
        let gap = |[i, j]: [usize; 2]| {
            let apart = (swarm.centers[i] - swarm.centers[j]).abs() - swarm.halves[i] - swarm.halves[j];
            apart.max(DVec3::ZERO).length()
        };
        for pair in pairs() {
            if gap(pair) > 0.0 {
                contacts.remove(&pair);
            } else {
                contacts.entry(pair).or_insert_with(|| {
                    began += 1;
                    (tick, false)
                });
            }
        }
        let now = tick as f64;
        let done = schedule.tick(now + 1.0, budget, order, |pair| {
            let pair = pair.map(BodyId::slot);
            let distance = gap(pair);
            if let Some((since, known @ false)) = contacts.get_mut(&pair) {
                *known = true;
                found += 1;
                late += tick - *since;
            }
            let speed = [0, 1].map(|side| swarm.velocities[pair[side]].length());
            Ok(now + Closing { speed: speed[0] + speed[1], acceleration: 0.0 }.safe_time(distance))
        })?;
        checks += done.checked;
    }
    let (share, found) = (f64::from(found) / f64::from(began.max(1)), f64::from(found.max(1)));
    Ok(Spent { checks: checks as f64 / ticks as f64, found: share, late: late as f64 / found })
}
