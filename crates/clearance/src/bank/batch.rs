//! Many poses of one pair, or many of anything, in one call, on as many threads as asked.
//!
//! Poses are worked off in runs of [`RUN`] neighbours, each with its own cache: the runs, and so the answers, are the same for any
//! number of threads. Threads share nothing that is written.

use super::Plan;
use crate::descent::{PairCache, Workspace};
use crate::query::{Collision, Distance, DistanceRequest};
use crate::{Pose, Result};

/// Poses that share a cache: long enough for it to pay, short enough for threads to share the work evenly.
const RUN: usize = 64;

impl Plan<'_> {
    /// The distances at many poses of B in A's frame, in their order.
    ///
    /// `threads` is how many to use, 0 for all; without the feature `parallel` it is always one.
    ///
    /// ```
    /// use clearance::{Pose, TriMesh, bank::Bank, math::DVec3, query::DistanceRequest, tree::Mesh};
    /// let soup = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let (a, b): (Mesh, Mesh) = (Mesh::new(soup.clone())?, Mesh::new(soup)?);
    /// let bank = Bank::standard();
    /// let plan = bank.plan(&a, &b)?;
    /// let poses = [1.0, 2.0, 3.0].map(|z| Pose::from_translation(DVec3::new(0.0, 0.0, z)));
    /// let poses = poses.into_iter().collect::<Result<Vec<_>, _>>()?;
    /// let distances = plan.distances(&poses, &DistanceRequest::default(), 2)?;
    /// assert!((distances[2].upper - 3.0).abs() < 1e-12);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn distances(&self, poses: &[Pose], request: &DistanceRequest, threads: usize) -> Result<Vec<Distance>> {
        request.check()?;
        let ask = |pose: &Pose, workspace: &mut Workspace, cache: &mut PairCache| {
            self.distance(pose, request, workspace, Some(cache))
        };
        self.at_poses(poses, threads, ask)?.into_iter().collect()
    }

    /// Whether they touch or overlap at each of many poses; `threads` as in [`distances`](Plan::distances).
    pub fn collisions(&self, poses: &[Pose], threads: usize) -> Result<Vec<Collision>> {
        self.at_poses(poses, threads, |pose, workspace, cache| self.collide(pose, workspace, Some(cache)))
    }

    /// What `ask` says about each of many poses, in their order; `threads` as in [`distances`](Plan::distances).
    ///
    /// The cache that `ask` gets is that of the pose before, or an empty one.
    pub fn at_poses<R: Send>(
        &self,
        poses: &[Pose],
        threads: usize,
        ask: impl Fn(&Pose, &mut Workspace, &mut PairCache) -> R + Sync,
    ) -> Result<Vec<R>> {
        in_runs(poses, threads, Workspace::default, |workspace, poses| {
            let mut cache = PairCache::default();
            poses.iter().map(|pose| ask(pose, workspace, &mut cache)).collect()
        })
    }
}

/// What `run` says about runs of neighbouring items, in their order; `threads` as in [`Plan::distances`].
///
/// Each thread has a state of its own, made by `state`; answers that do not depend on it are the same for any number of threads.
///
/// ```
/// let squares = clearance::bank::in_runs(&[1, 2, 3], 2, || (), |_, run| run.iter().map(|x| x * x).collect())?;
/// assert_eq!(squares, [1, 4, 9]);
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn in_runs<T: Sync, S, R: Send>(
    items: &[T],
    threads: usize,
    state: impl Fn() -> S + Sync + Send,
    run: impl Fn(&mut S, &[T]) -> Vec<R> + Sync + Send,
) -> Result<Vec<R>> {
    #[cfg(feature = "parallel")]
    if threads != 1 && items.len() > RUN {
        use crate::{Error, ErrorKind};
        use rayon::prelude::*;
        let refused = |error| Error::new(ErrorKind::BadRequest, format!("{threads} threads: {error}"));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(refused)?;
        let runs: Vec<Vec<R>> = pool.install(|| items.par_chunks(RUN).map_init(state, run).collect());
        return Ok(runs.into_iter().flatten().collect());
    }
    let _ = threads;
    let mut state = state();
    Ok(items.chunks(RUN).flat_map(|items| run(&mut state, items)).collect())
}
