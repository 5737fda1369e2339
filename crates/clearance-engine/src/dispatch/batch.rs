//! Many poses of one pair, or many of anything, in one call, on as many threads as asked.
//!
//! Poses are worked off in runs of [`RUN`] neighbours, each with its own cache: the runs, and so
//! the answers, are the same for any number of threads. Threads share nothing that is written.

use super::PairQuery;
use crate::math::DVec3;
use crate::query::{Collision, Distance, DistanceRequest};
use crate::shape::{PointDistance, Ray, RayHit, check_points};
use crate::traversal::{WarmStart, Workspace};
use crate::tree::{Geometry, morton_order};
use crate::{Error, ErrorKind, Pose, Result};

/// Poses that share a cache: long enough for it to pay, short enough for threads to share the work
/// evenly.
const RUN: usize = 64;

/// How many threads a batch may use; without the feature `parallel` it is always one.
///
/// The number changes no answer.
///
/// ```
/// use clearance_engine::dispatch::Threads;
/// assert_eq!(Threads::default(), Threads::One);
/// let half = Threads::Count(4);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Threads {
    /// The calling thread alone.
    #[default]
    One,
    /// As many as the machine has cores.
    All,
    /// So many; 0 counts as one.
    Count(usize),
}

impl Threads {
    /// The number as the functions below take it, which is 0 for all.
    pub fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::All => 0,
            Self::Count(count) => count.max(1),
        }
    }
}

impl PairQuery<'_> {
    /// The distances at many poses of B in A's frame, in their order.
    ///
    /// `threads` is how many to use, 0 for all, 1024 at most; without the feature `parallel` one is
    /// used whatever it is.
    ///
    /// ```
    /// use clearance_engine::{Pose, TriMesh, dispatch::Dispatcher, math::DVec3, query::DistanceRequest, tree::Mesh};
    /// let tri_mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let (a, b): (Mesh, Mesh) = (Mesh::new(tri_mesh.clone())?, Mesh::new(tri_mesh)?);
    /// let dispatcher = Dispatcher::standard();
    /// let plan = dispatcher.plan(&a, &b)?;
    /// let poses = [1.0, 2.0, 3.0].map(|z| Pose::from_translation(DVec3::new(0.0, 0.0, z)));
    /// let poses = poses.into_iter().collect::<Result<Vec<_>, _>>()?;
    /// let distances = plan.distances(&poses, &DistanceRequest::default(), 2)?;
    /// assert!((distances[2].upper - 3.0).abs() < 1e-12);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn distances(&self, poses: &[Pose], request: &DistanceRequest, threads: usize) -> Result<Vec<Distance>> {
        request.check()?;
        let ask = |pose: &Pose, workspace: &mut Workspace, warm_start: &mut WarmStart| {
            self.distance(pose, request, workspace, Some(warm_start))
        };
        self.at_poses(poses, threads, ask)?.into_iter().collect()
    }

    /// Whether they touch or overlap at each of many poses; `threads` as in
    /// [`distances`](PairQuery::distances).
    pub fn collisions(&self, poses: &[Pose], threads: usize) -> Result<Vec<Collision>> {
        self.at_poses(poses, threads, |pose, workspace, warm_start| self.collide(pose, workspace, Some(warm_start)))
    }

    /// What `ask` says about each of many poses, in their order; `threads` as in
    /// [`distances`](PairQuery::distances).
    ///
    /// The cache that `ask` gets is that of the pose before, or an empty one.
    pub fn at_poses<R: Send>(
        &self,
        poses: &[Pose],
        threads: usize,
        ask: impl Fn(&Pose, &mut Workspace, &mut WarmStart) -> R + Sync,
    ) -> Result<Vec<R>> {
        in_runs(poses, threads, Workspace::default, |workspace, poses| {
            let mut warm_start = WarmStart::default();
            poses.iter().map(|pose| ask(pose, workspace, &mut warm_start)).collect()
        })
    }
}

/// The first hits of many rays, in their order.
///
/// ```
/// use clearance_engine::{dispatch::{Threads, cast_rays}, math::DVec3, shape::{Ray, Sphere}, tree::Solid};
/// let ball = Solid::new(Sphere::new(1.0)?);
/// let rays = [Ray::new(DVec3::X * 3.0, DVec3::NEG_X)?, Ray::new(DVec3::X * 3.0, DVec3::Y)?];
/// let hits = cast_rays(&ball, &rays, Threads::One)?;
/// assert!((hits[0].unwrap().t - 2.0).abs() < 1e-12 && hits[1].is_none());
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn cast_rays(geometry: &dyn Geometry, rays: &[Ray], threads: Threads) -> Result<Vec<Option<RayHit>>> {
    all_in_runs(rays, threads, |rays| geometry.first_hits(rays))
}

/// What `ask` says about all items, in their order; one thread asks once.
fn all_in_runs<T: Sync, R: Send>(
    items: &[T],
    threads: Threads,
    ask: impl Fn(&[T]) -> Result<Vec<R>> + Sync + Send,
) -> Result<Vec<R>> {
    if threads.count() == 1 {
        return ask(items);
    }
    let run = |_: &mut (), items: &[T]| match ask(items) {
        Ok(found) => found.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    };
    in_runs(items, threads.count(), || (), run)?.into_iter().collect()
}

/// The signed distances of many points, in their order; see [`Geometry::signed_distance`].
///
/// The points are worked off along a curve that fills space, so that neighbours follow each other.
pub fn signed_distances(geometry: &dyn Geometry, points: &[DVec3], threads: Threads) -> Result<Vec<PointDistance>> {
    check_points("point", points)?;
    let order = morton_order(points);
    let sorted: Vec<DVec3> = order.iter().map(|&i| points[i as usize]).collect();
    let found = all_in_runs(&sorted, threads, |points| geometry.signed_distances(points))?;
    let mut place = vec![0; points.len()];
    (0..).zip(&order).for_each(|(at, &i)| place[i as usize] = at);
    Ok(place.into_iter().map(|at: usize| found[at]).collect())
}

/// What `run` says about runs of neighbouring items, in their order; `threads` as in
/// [`PairQuery::distances`].
///
/// Each thread has a state of its own, made by `state`; answers that do not depend on it are the
/// same for any number of threads.
///
/// ```
/// let squares = clearance_engine::dispatch::in_runs(&[1, 2, 3], 2, || (), |_, run| run.iter().map(|x| x * x).collect())?;
/// assert_eq!(squares, [1, 4, 9]);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn in_runs<T: Sync, S, R: Send>(
    items: &[T],
    threads: usize,
    state: impl Fn() -> S + Sync + Send,
    run: impl Fn(&mut S, &[T]) -> Vec<R> + Sync + Send,
) -> Result<Vec<R>> {
    Runs::<()>::new(threads).next(items, state, |state, (), items| run(state, items))
}

/// Works off a stream of items that come in chunks, in runs of neighbours on several threads.
///
/// Each run has a memory of its own (a warm start). A run that a chunk leaves unfinished goes on
/// with the next chunk, so that the answers depend neither on the sizes of the chunks nor on the
/// number of threads.
///
/// ```
/// let mut runs = clearance_engine::dispatch::Runs::<u32>::new(2);
/// // The memory counts the items of its run.
/// let mut number = |items: &[char]| {
///     runs.next(items, || (), |_, count, items| items.iter().map(|item| { *count += 1; (*count, *item) }).collect())
/// };
/// assert_eq!(number(&['a', 'b'])?, [(1, 'a'), (2, 'b')]);
/// assert_eq!(number(&['c'])?, [(3, 'c')]);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug)]
pub struct Runs<M> {
    threads: usize,
    #[cfg(feature = "parallel")]
    pool: Option<rayon::ThreadPool>,
    /// The memory of the run that the last chunk left unfinished, and how many of its items are
    /// done.
    unfinished: Option<(M, usize)>,
}

/// More threads than this take minutes to start, where they start at all.
const MAX_THREADS: usize = 1024;

impl<M: Default + Send> Runs<M> {
    /// For `threads` threads, 0 for all; without the feature `parallel` one is used whatever it is.
    /// [`next`](Self::next) refuses more than 1024, with and without the feature.
    pub fn new(threads: usize) -> Self {
        Self {
            threads,
            #[cfg(feature = "parallel")]
            pool: None,
            unfinished: None,
        }
    }

    /// What `run` says about the next items, in their order. It is called with a thread's state,
    /// made by `state`, the memory of the run and items that belong to it.
    pub fn next<T: Sync, S, R: Send>(
        &mut self,
        items: &[T],
        state: impl Fn() -> S + Sync + Send,
        run: impl Fn(&mut S, &mut M, &[T]) -> Vec<R> + Sync + Send,
    ) -> Result<Vec<R>> {
        check_threads(self.threads)?;
        let (memory, done) = self.unfinished.take().unwrap_or_default();
        let (first, rest) = items.split_at(items.len().min(RUN - done));
        let others = rest.chunks(RUN).map(|items| (M::default(), items));
        let mut pieces: Vec<(M, &[T])> = std::iter::once((memory, first)).chain(others).collect();
        let answers = self.answers(&mut pieces, state, run)?;
        let before = if pieces.len() == 1 { done } else { 0 };
        self.unfinished = pieces.pop().map(|(memory, items)| (memory, before + items.len()));
        self.unfinished.take_if(|(_, done)| *done == RUN);
        Ok(answers)
    }

    fn answers<T: Sync, S, R: Send>(
        &mut self,
        pieces: &mut [(M, &[T])],
        state: impl Fn() -> S + Sync + Send,
        run: impl Fn(&mut S, &mut M, &[T]) -> Vec<R> + Sync + Send,
    ) -> Result<Vec<R>> {
        #[cfg(feature = "parallel")]
        if self.threads != 1 && pieces.len() > 1 {
            use rayon::prelude::*;
            let pool = self.pool()?;
            let pieces = pieces.par_iter_mut();
            let one = |state: &mut S, (memory, items): &mut (M, &[T])| run(state, memory, items);
            let runs: Vec<Vec<R>> = pool.install(|| pieces.map_init(state, one).collect());
            return Ok(runs.into_iter().flatten().collect());
        }
        let mut state = state();
        Ok(pieces.iter_mut().flat_map(|(memory, items)| run(&mut state, memory, items)).collect())
    }

    /// The threads, started when they are needed first.
    #[cfg(feature = "parallel")]
    fn pool(&mut self) -> Result<&rayon::ThreadPool> {
        match &mut self.pool {
            Some(pool) => Ok(pool),
            none => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
                Ok(none.insert(pool.map_err(|error| refused(self.threads, &error.to_string()))?))
            }
        }
    }
}

/// An error for more threads than a machine can start: what asks for a million of them would hang.
///
/// ```
/// use clearance_engine::dispatch::check_threads;
/// assert!(check_threads(8).is_ok() && check_threads(1_000_000).is_err());
/// ```
pub fn check_threads(threads: usize) -> Result<()> {
    if threads > MAX_THREADS {
        return Err(refused(threads, &format!("there may be {MAX_THREADS} at most")));
    }
    Ok(())
}

fn refused(threads: usize, reason: &str) -> Error {
    Error::new(ErrorKind::BadRequest, format!("{threads} threads: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_depend_neither_on_chunks_nor_on_threads() {
        let items: Vec<usize> = (0..1000).collect();
        // An answer tells where in its run the item came.
        let all = |sizes: &[usize], threads: usize| {
            let (mut runs, mut answers, mut rest) = (Runs::<usize>::new(threads), Vec::new(), &items[..]);
            for &size in sizes.iter().cycle() {
                let chunk;
                (chunk, rest) = rest.split_at(size.min(rest.len()));
                let number = |_: &mut (), count: &mut usize, items: &[usize]| {
                    let mut one = |item: &usize| {
                        *count += 1;
                        (*item, *count)
                    };
                    items.iter().map(&mut one).collect()
                };
                answers.extend(runs.next(chunk, || (), number).unwrap());
                if rest.is_empty() {
                    return answers;
                }
            }
            answers
        };
        let expected: Vec<(usize, usize)> = items.iter().map(|&item| (item, item % RUN + 1)).collect();
        for (sizes, threads) in
            [(&[1000][..], 1), (&[1000], 3), (&[1], 1), (&[64, 0, 128], 2), (&[7, 300, 63, 1], 3), (&[65], 2)]
        {
            assert_eq!(all(sizes, threads), expected, "{sizes:?}");
        }
    }

    #[test]
    fn more_threads_than_any_machine_has_are_refused_for_any_number_of_items() {
        for count in [0, 1, 2 * RUN] {
            let items = vec![0; count];
            let error = in_runs(&items, 100_000_000, || (), |_, items| items.to_vec()).unwrap_err();
            assert_eq!(error.to_string(), "100000000 threads: there may be 1024 at most", "{count}");
        }
    }
}
