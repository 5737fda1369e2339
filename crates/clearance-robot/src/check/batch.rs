//! Many configurations in one call, on as many threads as asked: no lock, and the same answers in
//! the same order.

use super::collision_model::{CollisionModel, Placement};
use super::parts::from_engine;
use crate::Result;
use clearance_engine::Pose;
use clearance_engine::assembly::AssemblyWarmStart;
use clearance_engine::dispatch::Runs;
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

/// Configurations that come in chunks, asked about on several threads; made by
/// [`CollisionModel::batches`].
pub struct Batches<'c> {
    checker: &'c CollisionModel,
    base: Pose,
    start: Placement,
    runs: Runs<WarmStarts>,
    count: usize,
}

impl Batches<'_> {
    /// What `ask` says about each of the next configurations, in their order; `ask` also gets the
    /// number of the configuration, counted over all chunks. A configuration without poses has an
    /// error as its answer.
    pub fn next<R: Send>(
        &mut self,
        configurations: &[&[f64]],
        ask: impl Fn(usize, &Placement, &mut Workspace, &mut WarmStarts) -> Result<R> + Sync + Send,
    ) -> Result<Vec<Result<R>>> {
        let Self { checker, base, start, runs, count } = self;
        let numbered: Vec<(usize, &[f64])> = (*count..).zip(configurations.iter().copied()).collect();
        *count += configurations.len();
        let state = || (start.clone(), Workspace::default());
        let answers = runs.next(&numbered, state, |(placement, workspace), caches, run| {
            let mut one = |&(i, configuration): &(usize, &[f64])| {
                checker.place(placement, base, configuration)?;
                ask(i, placement, workspace, caches)
            };
            run.iter().map(&mut one).collect()
        });
        answers.map_err(from_engine)
    }
}

impl CollisionModel {
    /// Takes configurations chunk by chunk, for streams that are longer than the memory. The
    /// answers depend neither on the sizes of the chunks nor on the number of threads.
    ///
    /// `base` is the root link's pose in the world; `threads` is how many to use, 0 for all;
    /// without the feature `parallel` it is always one.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3};
    /// use clearance_robot::{CheckOptions, CollisionModel, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
    /// let sphere = || [LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 })];
    /// let slide = |name, parent, child| JointSpec::prismatic(name, parent, child, DVec3::X, [-1.0, 1.0]);
    /// let robot = RobotBuilder::new("r").link("a", sphere()).link("b", []).link("c", sphere())
    ///     .joint(slide("first", "a", "b")).joint(slide("second", "b", "c")).build()?;
    /// let checker = CollisionModel::new(robot.into(), &CheckOptions::default())?;
    /// let mut batches = checker.batches(&Pose::IDENTITY, 1)?;
    /// for (chunk, colliding) in [([&[0.0, 0.1][..], &[1.0, 0.0]], [true, false]), ([&[0.5, 0.5], &[0.5, -0.5]], [false, true])] {
    ///     let answers = batches.next(&chunk, |_, placement, workspace, caches| {
    ///         Ok(checker.self_collision(placement, workspace, Some(&mut caches.own))?.is_some())
    ///     })?;
    ///     assert_eq!(answers.into_iter().collect::<Result<Vec<_>, _>>()?, colliding);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn batches(&self, base: &Pose, threads: usize) -> Result<Batches<'_>> {
        Ok(Batches { checker: self, base: *base, start: self.placement()?, runs: Runs::new(threads), count: 0 })
    }

    /// What `ask` says about the robot in each of many configurations, in their order; `ask` also
    /// gets the number of the configuration.
    ///
    /// `threads` is how many to use, 0 for all; without the feature `parallel` it is always one.
    pub fn at_configurations<R: Send>(
        &self,
        base: &Pose,
        configurations: &[&[f64]],
        threads: usize,
        ask: impl Fn(usize, &Placement, &mut Workspace, &mut WarmStarts) -> Result<R> + Sync + Send,
    ) -> Result<Vec<R>> {
        self.batches(base, threads)?.next(configurations, ask)?.into_iter().collect()
    }
}
