//! Many configurations in one call, on as many threads as asked: no lock, and the same answers in the same order.

use super::checker::{Checker, Placement};
use super::parts::from_engine;
use crate::Result;
use clearance::Pose;
use clearance::assembly::AssemblyCache;
use clearance::bank::in_runs;
use clearance::descent::Workspace;

/// What is remembered from one configuration to the next, for each kind of question.
#[derive(Debug, Default)]
pub struct Caches {
    /// For questions about the robot itself.
    pub own: AssemblyCache,
    /// For questions about a scene.
    pub scene: AssemblyCache,
    /// For questions about another robot.
    pub robot: AssemblyCache,
}

impl Checker {
    /// What `ask` says about the robot in each of many configurations, in their order; `ask` also gets the number of the configuration.
    ///
    /// `threads` is how many to use, 0 for all; without the feature `parallel` it is always one.
    pub fn at_configurations<R: Send>(
        &self,
        base: &Pose,
        configurations: &[&[f64]],
        threads: usize,
        ask: impl Fn(usize, &Placement, &mut Workspace, &mut Caches) -> Result<R> + Sync + Send,
    ) -> Result<Vec<R>> {
        let start = self.placement()?;
        let numbered: Vec<(usize, &[f64])> = configurations.iter().copied().enumerate().collect();
        let state = || (start.clone(), Workspace::default());
        let answers = in_runs(&numbered, threads, state, |(placement, workspace), run| {
            let mut caches = Caches::default();
            let mut one = |&(i, configuration): &(usize, &[f64])| {
                self.place(placement, base, configuration)?;
                ask(i, placement, workspace, &mut caches)
            };
            run.iter().map(&mut one).collect()
        });
        answers.map_err(from_engine)?.into_iter().collect()
    }
}
