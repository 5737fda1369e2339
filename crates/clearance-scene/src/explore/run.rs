//! The loop: look, classify, plan against obstacles only, walk up to the border of what is unknown,
//! look again.

use super::barrier::is_barred;
use super::belief::Belief;
use super::body::{Among, Body, MARGIN, MotionTest};
use super::recording::{Iteration, Outcome, Recording, Stop};
use super::room::Room;
use super::sensor::{RANGE, look_around};
use crate::Result;
use crate::planner::{Configuration, PlanOptions, Search, Space, Verdict, between, plan};
use clearance_engine::tree::voxel_map::Cells;
use clearance_robot::Scene;
use std::time::Instant;

/// How to explore.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExploreOptions {
    /// What the camera's noise and the planner's samples depend on.
    pub seed: u64,
    /// The edge of a cell, in metres; it should divide a metre.
    pub resolution: f64,
    /// Give up after so many iterations.
    pub max_iterations: usize,
    /// Keep what the planner asked about; where motions are proven, only the ends of a search.
    pub keep_asked: bool,
    /// How the planner's motions are shown to be free.
    pub motions: MotionTest,
}

impl Default for ExploreOptions {
    /// Cells of 20 cm, as in the paper.
    fn default() -> Self {
        Self { seed: 2, resolution: 0.2, max_iterations: 12, keep_asked: false, motions: MotionTest::default() }
    }
}

/// The robot is put down where there is room to move: cells this near to it are free, in metres.
const ROOM_TO_MOVE: f64 = 1.0;
/// How far before the border of the unknown the robot stops, so that it can bend over it: in the
/// planner's metric.
const STANDOFF: f64 = 0.15;
/// How far beyond the border the robot looks, in the planner's metric.
const AHEAD: f64 = 0.6;
/// A walk that is shorter, in the planner's metric, after a look that showed hardly anything new,
/// leads nowhere.
const SHORTEST_WALK: f64 = 0.05;
/// The least share of the unknown cells that a look has to show.
const LEAST_NEWS: f64 = 0.01;

/// Explores a room until the goal is reached or cannot be; `observe` is called after each
/// iteration.
///
/// ```no_run
/// use clearance_scene::explore::{Body, ExploreOptions, Outcome, Room, explore};
/// let recording = explore(&Body::new()?, &Room::with_passage()?, &ExploreOptions::default(), &mut |_| ())?;
/// assert_eq!(recording.outcome, Outcome::Reached);
/// # Ok::<(), clearance_scene::Error>(())
/// ```
pub fn explore(
    body: &Body,
    room: &Room,
    options: &ExploreOptions,
    observe: &mut dyn FnMut(&Iteration),
) -> Result<Recording> {
    let mut belief = Belief::new(options.resolution, RANGE)?;
    belief.clear_around(room.start[0], room.start[1], ROOM_TO_MOVE)?;
    let (start, goal) = (body.at(room.start), body.at(room.goal));
    let names = body.humanoid.robot.variables().iter().map(|variable| variable.name.clone());
    let mut recording = Recording {
        seed: options.seed,
        resolution: options.resolution,
        origin: belief.origin().to_array(),
        variables: names.collect(),
        start: body.full(&start),
        goal: body.full(&goal),
        iterations: Vec::new(),
        outcome: Outcome::GaveUp,
    };
    let mut explorer = Explorer { body, room, options, belief, at: start, goal };
    let mut unknown = u64::MAX;
    for number in 0..options.max_iterations as u64 {
        let (iteration, walked, outcome) = explorer.iterate(number)?;
        let nothing_new = iteration.counts.unknown as f64 > unknown as f64 * (1.0 - LEAST_NEWS);
        unknown = iteration.counts.unknown;
        observe(&iteration);
        recording.iterations.push(iteration);
        let stuck = (nothing_new && walked < SHORTEST_WALK).then_some(Outcome::Stuck);
        if let Some(outcome) = outcome.or(stuck) {
            recording.outcome = outcome;
            break;
        }
    }
    Ok(recording)
}

struct Explorer<'a> {
    body: &'a Body,
    room: &'a Room,
    options: &'a ExploreOptions,
    belief: Belief,
    /// Where the robot is, in planned numbers.
    at: Configuration,
    goal: Configuration,
}

/// A walk along a path.
struct Walk {
    vertices: Vec<Configuration>,
    /// In the planner's metric.
    length: f64,
    stop: Stop,
}

impl Explorer<'_> {
    /// One iteration, how far it led in the planner's metric, and whether that is the end.
    fn iterate(&mut self, number: u64) -> Result<(Iteration, f64, Option<Outcome>)> {
        let seed = self.options.seed.wrapping_add(number.wrapping_mul(0x9e37_79b9));
        let clock = Instant::now();
        let look = look_around(self.body, self.room, &self.body.full(&self.at), &mut self.belief, seed)?;
        let look_ms = milliseconds(clock);
        let clock = Instant::now();
        let (obstacles, unknown) = (self.belief.scene(Cells::OBSTACLE)?, self.belief.scene(Cells::UNKNOWN)?);
        let set_up_ms = milliseconds(clock);
        let cells = self.belief.listed(Cells::OBSTACLE)?;
        let base = |at: &[f64]| [at[0], at[1]];
        let clock = Instant::now();
        let barred = is_barred(&cells, self.belief.origin(), self.options.resolution, base(&self.at), base(&self.goal));
        let (search, checks, asked) = if barred { (None, 0, Vec::new()) } else { self.search(&obstacles, seed)? };
        let plan_ms = milliseconds(clock);
        let path = search.as_ref().map(|search| search.path.clone()).unwrap_or_default();
        let closed = self.belief.scene(Cells::NOT_FREE)?;
        let walk = self.walk(&path, &unknown, &closed)?;
        let full = |vertices: &[Configuration]| vertices.iter().map(|vertex| self.body.full(vertex)).collect();
        let iteration = Iteration {
            images: look.images,
            postures: look.postures,
            counts: self.belief.counts(),
            obstacles: cells,
            unknown: self.belief.listed(Cells::UNKNOWN)?,
            look_ms,
            set_up_ms,
            plan_ms,
            checks,
            samples: search.as_ref().map_or(0, |search| search.samples),
            path: full(&path),
            walked: full(&walk.vertices),
            walked_m: base_length(&walk.vertices),
            path_m: base_length(&path),
            stop: walk.stop,
            asked,
        };
        if let Some(last) = walk.vertices.last() {
            self.at.clone_from(last);
        }
        let outcome = match search.map(|search| search.verdict) {
            None => Some(Outcome::Unreachable),
            Some(Verdict::GoalBlocked) => Some(Outcome::GoalBlocked),
            Some(Verdict::StartBlocked) => Some(Outcome::Stuck),
            Some(Verdict::GaveUp) => Some(Outcome::NoPath),
            Some(Verdict::Found) => (walk.stop == Stop::Goal).then_some(Outcome::Reached),
        };
        Ok((iteration, walk.length, outcome))
    }

    /// Plans against obstacles only.
    fn search(&self, obstacles: &Scene, seed: u64) -> Result<(Option<Search>, usize, Vec<Configuration>)> {
        let mut space = Among::with_motions(self.body, obstacles, self.options.motions)?;
        space.log = self.options.keep_asked.then(Vec::new);
        let search = plan(&mut space, &self.at, &self.goal, &PlanOptions { seed, ..PlanOptions::default() })?;
        Ok((Some(search), space.checks, space.log.unwrap_or_default()))
    }

    /// Walks a path up to shortly before the first configuration that touches what is unknown, and
    /// turns to face that: a little earlier if there is no room to turn.
    fn walk(&self, path: &[Configuration], unknown: &Scene, closed: &Scene) -> Result<Walk> {
        let mut space = Among::new(self.body, unknown)?;
        let known = known_length(&mut space, path)?;
        let whole = crate::planner::length(&space, path);
        let Some(known) = known.filter(|_| !path.is_empty()) else {
            let stop = if path.is_empty() { Stop::NoPath } else { Stop::Goal };
            return Ok(Walk { vertices: path.to_vec(), length: whole, stop });
        };
        let ahead = first_part(&space, path, (known + AHEAD).min(whole));
        let towards = ahead.last().map_or([0.0; 2], |at| [at[0], at[1]]);
        let mut among = Among::with_motions(self.body, closed, self.options.motions)?;
        let longest = (known - STANDOFF).max(0.0);
        let mut length = longest;
        while length >= 0.0 {
            let mut vertices = first_part(&space, path, length);
            let turned = vertices.last().map(|last| self.body.facing(last, towards));
            if let (Some(last), Some(turned)) = (vertices.last(), turned)
                && among.is_motion_free(last, &turned)?
            {
                vertices.push(turned);
                return Ok(Walk { vertices, length, stop: Stop::Unknown });
            }
            length -= STANDOFF;
        }
        Ok(Walk { vertices: first_part(&space, path, longest), length: longest, stop: Stop::Unknown })
    }
}

/// How far along a path the robot gets before a sample of it is not free; `None` if all are.
fn known_length(space: &mut Among<'_>, path: &[Configuration]) -> Result<Option<f64>> {
    let mut along = 0.0;
    for pair in path.windows(2) {
        let distance = space.distance(&pair[0], &pair[1]);
        let parts = (distance / MARGIN).ceil().max(1.0) as usize;
        for part in 0..=parts {
            let t = part as f64 / parts as f64;
            if !space.is_free(&between(&pair[0], &pair[1], t))? {
                return Ok(Some((along + distance * t - MARGIN).max(0.0)));
            }
        }
        along += distance;
    }
    Ok(None)
}

/// The vertices of a path up to a length.
fn first_part(space: &Among<'_>, path: &[Configuration], mut length: f64) -> Vec<Configuration> {
    let mut vertices: Vec<Configuration> = path.iter().take(1).cloned().collect();
    for pair in path.windows(2) {
        let distance = space.distance(&pair[0], &pair[1]);
        if distance > length {
            if length > 0.0 {
                vertices.push(between(&pair[0], &pair[1], length / distance));
            }
            break;
        }
        length -= distance;
        vertices.push(pair[1].clone());
    }
    vertices
}

fn base_length(vertices: &[Configuration]) -> f64 {
    vertices.windows(2).fold(0.0, |sum, pair| sum + (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]))
}

fn milliseconds(clock: Instant) -> f64 {
    clock.elapsed().as_secs_f64() * 1e3
}
