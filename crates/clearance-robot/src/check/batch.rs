//! Many configurations in one call, or in chunks as they come, on as many threads as asked: no lock,
//! and the same answers in the same order.

use super::checker::Checker;
use super::collision_model::{CollisionModel, Placement};
use super::motion::MotionMemory;
use super::parts::from_engine;
use crate::Result;
use clearance_engine::Pose;
use clearance_engine::assembly::AssemblyWarmStart;
use clearance_engine::dispatch::{Runs, in_runs};
use clearance_engine::traversal::Workspace;

/// What is remembered from one configuration to the next, for each kind of question.
#[derive(Debug, Default)]
pub struct WarmStarts {
    /// For questions about the robot itself.
    pub own: AssemblyWarmStart,
    /// For questions about a scene.
    pub scene: AssemblyWarmStart,
    /// For questions about another robot.
    pub robot: AssemblyWarmStart,
}

/// Questions that come in chunks, for streams that are longer than the memory: clones of a checker
/// answer them on its threads. Made by [`Checker::stream`].
pub struct Stream<'c> {
    checker: &'c Checker,
    runs: Runs<Memory>,
    count: usize,
}

/// What a checker remembers from one question to the next.
#[derive(Default)]
struct Memory {
    warm_starts: WarmStarts,
    motions: Option<MotionMemory>,
}

impl Stream<'_> {
    /// What `ask` says about each of the next items, in their order; it gets a checker, the number
    /// of the item, counted over all chunks, and the item. It must not change the checker's scene or
    /// options: which items a clone of it serves depends on the threads.
    pub fn next<T: Sync, R: Send>(
        &mut self,
        items: &[T],
        ask: impl Fn(&mut Checker, usize, &T) -> R + Sync + Send,
    ) -> Result<Vec<R>> {
        let Self { checker, runs, count } = self;
        let numbered: Vec<(usize, &T)> = (*count..).zip(items).collect();
        *count += items.len();
        let state = || Checker::clone(checker);
        let answers = runs.next(&numbered, state, |checker, memory, run| {
            memory.swap(checker);
            let answers = run.iter().map(|&(i, item)| ask(checker, i, item)).collect();
            memory.swap(checker);
            answers
        });
        answers.map_err(from_engine)
    }
}

impl Memory {
    /// Gives the checker this memory, and takes the checker's.
    fn swap(&mut self, checker: &mut Checker) {
        std::mem::swap(&mut self.warm_starts, &mut checker.warm_starts);
        std::mem::swap(&mut self.motions, &mut checker.motions);
    }
}

impl Checker {
    /// Takes questions chunk by chunk. The answers depend neither on the sizes of the chunks nor on
    /// the number of threads.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3, shape::Sphere};
    /// use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
    /// let sphere = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
    /// let robot = RobotBuilder::new("r").link("base", []).link("hand", [sphere])
    ///     .joint(JointSpec::prismatic("lift", "base", "hand", DVec3::Z, [0.0, 1.0])).build()?;
    /// let mut checker = Checker::new(robot)?;
    /// checker.scene_mut().add("lamp", Sphere::new(0.1)?, Pose::from_xyz(0.0, 0.0, 0.9)?)?;
    /// let mut stream = checker.stream();
    /// for (chunk, colliding) in [([0.0, 0.8], [false, true]), ([0.9, 0.1], [true, false])] {
    ///     let answers = stream.next(&chunk, |checker, _, height| checker.collides(&[*height]))?;
    ///     assert_eq!(answers.into_iter().collect::<Result<Vec<_>, _>>()?, colliding);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stream(&self) -> Stream<'_> {
        Stream { checker: self, runs: Runs::new(self.threads.count()), count: 0 }
    }
}

impl CollisionModel {
    /// What `ask` says about the robot in each of many configurations, in their order; `ask` also
    /// gets the number of the configuration.
    ///
    /// `base` is the root link's pose in the world; `threads` is how many to use, 0 for all;
    /// without the feature `parallel` it is always one.
    pub fn at_configurations<R: Send>(
        &self,
        base: &Pose,
        configurations: &[&[f64]],
        threads: usize,
        ask: impl Fn(usize, &Placement, &mut Workspace, &mut WarmStarts) -> Result<R> + Sync + Send,
    ) -> Result<Vec<R>> {
        let start = self.placement()?;
        let numbered: Vec<(usize, &[f64])> = configurations.iter().copied().enumerate().collect();
        let state = || (start.clone(), Workspace::default());
        let answers = in_runs(&numbered, threads, state, |(placement, workspace), run| {
            let mut warm_starts = WarmStarts::default();
            let mut one = |&(i, configuration): &(usize, &[f64])| {
                self.place(placement, base, configuration)?;
                ask(i, placement, workspace, &mut warm_starts)
            };
            run.iter().map(&mut one).collect()
        });
        answers.map_err(from_engine)?.into_iter().collect()
    }
}
