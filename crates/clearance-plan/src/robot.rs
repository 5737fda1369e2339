//! Planning for a robot in its scene.

use crate::connect::plan_unless;
use crate::{PlanOptions, Random, Search, Space, Verdict};
use clearance_robot::{Checker, Error, ErrorKind, JointKind, Result};
use std::f64::consts::PI;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

/// How far beyond start and goal joints without limits are tried, in metres.
const ROOM: f64 = 1.0;

/// How many samples the first search has; each further one has twice as many.
const FIRST_SEARCH: usize = 1000;

/// A robot's joints as a [`Space`]: straight motions are proven collision-free, and the metric is the
/// length of the change, in radians and metres.
///
/// It is several times as fast after [`Checker::prepare_for_planning`].
#[derive(Debug)]
pub struct RobotSpace<'c> {
    checker: &'c mut Checker,
    bounds: Vec<[f64; 2]>,
}

impl<'c> RobotSpace<'c> {
    /// The space between two configurations: all within the joint limits; joints without limits up to
    /// half a turn or a metre beyond either. Floating joints must rest.
    pub fn new(checker: &'c mut Checker, from: &[f64], to: &[f64]) -> Result<Self> {
        let robot = checker.robot();
        for configuration in [from, to] {
            if configuration.len() != robot.variables().len() {
                let (given, count) = (configuration.len(), robot.variables().len());
                let reason = format!("a configuration of {given} numbers for a robot with {count}");
                return Err(Error::new(ErrorKind::BadConfiguration, reason));
            }
        }
        let mut bounds = vec![[0.0; 2]; robot.variables().len()];
        for joint in robot.joints().iter().filter(|joint| joint.mimic().is_none()) {
            for variable in joint.variables() {
                let ends = [from[variable].min(to[variable]), from[variable].max(to[variable])];
                let first = joint.variables().start;
                let beyond = match joint.kind() {
                    JointKind::Prismatic { .. } => ROOM,
                    JointKind::Planar { .. } if variable < first + 2 => ROOM,
                    JointKind::Floating if variable < first + 3 => ROOM,
                    JointKind::Floating => 0.0,
                    _ => PI,
                };
                if matches!(joint.kind(), JointKind::Floating) && variable >= first + 3 && ends[0] != ends[1] {
                    let reason = format!("joint '{}' floats and turns; plan for it with a Space", joint.name());
                    return Err(Error::new(ErrorKind::Unsupported, reason));
                }
                bounds[variable] = match robot.variables()[variable].limits {
                    Some(limits) => [limits.lower, limits.upper],
                    None => [ends[0] - beyond, ends[1] + beyond],
                };
            }
        }
        Ok(Self { checker, bounds })
    }
}

impl Space for RobotSpace<'_> {
    type Error = Error;

    fn bounds(&self) -> &[[f64; 2]] {
        &self.bounds
    }

    #[inline]
    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }

    fn is_free(&mut self, configuration: &[f64]) -> Result<bool> {
        self.checker.is_free(configuration)
    }

    fn is_motion_free(&mut self, from: &[f64], to: &[f64]) -> Result<bool> {
        self.checker.is_edge_free(from, to)
    }
}

/// Searches a path for a robot in its scene; each straight motion of it is proven collision-free.
///
/// Searches start anew with ever more samples until one finds a path, or `max_samples` were drawn
/// in all. Prepare the checker with [`Checker::prepare_for_planning`]: that decides most questions
/// in SIMD lanes.
///
/// ```
/// use clearance_engine::{Pose, math::DVec3, shape::Cuboid};
/// use clearance_plan::{PlanOptions, Verdict, plan_motion};
/// use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
/// let hand = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
/// let robot = RobotBuilder::new("gantry").link("base", []).link("beam", []).link("hand", [hand])
///     .joint(JointSpec::prismatic("x", "base", "beam", DVec3::X, [-1.0, 1.0]))
///     .joint(JointSpec::prismatic("y", "beam", "hand", DVec3::Y, [-1.0, 1.0])).build()?;
/// let mut checker = Checker::new(robot)?;
/// checker.scene_mut().add("wall", Cuboid::new(0.1, 1.5, 1.0)?, Pose::IDENTITY)?;
/// checker.prepare_for_planning(&Default::default())?;
/// let found = plan_motion(&checker, &[-0.5, 0.0], &[0.5, 0.0], &PlanOptions::for_robots())?;
/// assert_eq!(found.verdict, Verdict::Found);
/// assert!(checker.path(&found.path)?.iter().all(|edge| edge.is_free()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan_motion(checker: &Checker, from: &[f64], to: &[f64], options: &PlanOptions) -> Result<Search> {
    let searches = searches(options);
    let threads = match options.threads {
        0 => thread::available_parallelism().map_or(1, NonZero::get),
        threads => threads,
    };
    let deadline = options.max_time.and_then(|time| Instant::now().checked_add(time));
    let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    // The first search that finds a path counts, whatever the order in which they end.
    let (next, found) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
    let work = |mut own: Checker| -> Vec<(usize, Result<Search>)> {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= searches.len() || found.load(Ordering::Relaxed) < number || number > 0 && is_late() {
                return done;
            }
            let stop = || found.load(Ordering::Relaxed) < number || is_late();
            let search = RobotSpace::new(&mut own, from, to)
                .and_then(|mut space| plan_unless(&mut space, from, to, &searches[number], &stop));
            let ends = !matches!(&search, Ok(search) if search.verdict == Verdict::GaveUp);
            if ends {
                found.fetch_min(number, Ordering::Relaxed);
            }
            done.push((number, search));
        }
    };
    let mut done: Vec<(usize, Result<Search>)> = if threads == 1 {
        work(checker.clone())
    } else {
        thread::scope(|scope| {
            let begin = |_| {
                let (work, own) = (&work, checker.clone());
                scope.spawn(move || work(own))
            };
            let workers: Vec<_> = (0..threads.min(searches.len())).map(begin).collect();
            let results = workers.into_iter().map(|worker| worker.join());
            results.flat_map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        })
    };
    done.sort_by_key(|(number, _)| *number);
    let mut all = Search { verdict: Verdict::GaveUp, path: Vec::new(), samples: 0, nodes: 0 };
    for (_, search) in done {
        let search = search?;
        all = Search { samples: all.samples + search.samples, nodes: all.nodes + search.nodes, ..search };
        if all.verdict != Verdict::GaveUp {
            break;
        }
    }
    Ok(all)
}

/// The options of all searches, in their order.
fn searches(options: &PlanOptions) -> Vec<PlanOptions> {
    let (mut random, mut left, mut size) = (Random(options.seed), options.max_samples, FIRST_SEARCH);
    let mut searches = Vec::new();
    while left > 0 || searches.is_empty() {
        let max_samples = if left < 2 * size { left } else { size };
        searches.push(PlanOptions { seed: random.bits(), max_samples, max_time: None, ..*options });
        left -= max_samples;
        size *= 2;
    }
    searches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_draw_all_samples_and_no_more() {
        for max_samples in [0, 1, 999, 1000, 1999, 2000, 2999, 100_000] {
            let options = PlanOptions { max_samples, ..PlanOptions::for_robots() };
            let all = searches(&options);
            assert_eq!(all.iter().map(|search| search.max_samples).sum::<usize>(), max_samples);
            assert!(
                all.windows(2).all(|pair| pair[0].max_samples <= pair[1].max_samples && pair[0].seed != pair[1].seed)
            );
        }
    }
}
