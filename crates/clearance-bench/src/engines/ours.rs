//! Our engine: the default tree with and without the cache from the previous pose, and every other
//! volume.

use super::{Answers, Engine, Query, Sweep};
use crate::volumes::{Bodies, Contender};
use crate::{Error, Result, Scene, timing};
use clearance_engine::dispatch::{Dispatcher, PairQuery};
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::{Stats, WarmStart, Workspace};
use clearance_engine::tree::{Bvh8, Geometry, Mesh};
use clearance_engine::{Pose, TriMesh};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

/// The hierarchy that takes part in races: the one that measured best.
pub fn best_mesh(tri_mesh: &Arc<TriMesh>) -> Result<impl Geometry + use<>> {
    Ok(Mesh::<Bvh8>::new(Arc::clone(tri_mesh))?)
}

/// What the engine holds of a scene.
struct Loaded {
    tri_mesh: Arc<TriMesh>,
    bodies: Box<dyn Bodies>,
    poses: Vec<Pose>,
    /// The poses without contact.
    free: Vec<usize>,
}

/// Our engine; *warm* means with one [`WarmStart`] along the sequence of poses.
pub struct Clearance {
    name: String,
    volume: Contender,
    queries: &'static [Query],
    warm: bool,
    dispatcher: Dispatcher,
    workspace: Workspace,
    loaded: Option<Loaded>,
}

impl Clearance {
    fn new(name: impl Into<String>, volume: Contender, queries: &'static [Query], warm: bool) -> Self {
        let (dispatcher, workspace) = (Dispatcher::standard(), Workspace::default());
        Self { name: name.into(), volume, queries, warm, dispatcher, workspace, loaded: None }
    }

    /// The default tree with the cache from the previous pose: `clearance`.
    pub fn warm() -> Self {
        Self::new("clearance", Contender::default_mesh(), &Query::ALL, true)
    }

    /// The default tree, every query on its own: `clearance-cold`.
    pub fn cold() -> Self {
        let but_build = &[Query::Distance, Query::Collide, Query::DistanceFree, Query::DistanceTenth];
        Self::new("clearance-cold", Contender::default_mesh(), but_build, false)
    }

    /// Another volume, warm, under its own name.
    pub fn of(volume: Contender) -> Self {
        Self::new(volume.name.clone(), volume, &[Query::Distance, Query::Collide, Query::Build], true)
    }
}

/// One pass over poses, with or without memory.
pub(crate) struct Pass<'p> {
    plan: PairQuery<'p>,
    workspace: &'p mut Workspace,
    warm_start: Option<WarmStart>,
}

impl<'p> Pass<'p> {
    pub(crate) fn new(
        dispatcher: &'p Dispatcher,
        bodies: &'p dyn Bodies,
        workspace: &'p mut Workspace,
        warm: bool,
    ) -> Result<Self> {
        let (a, b) = bodies.geometries();
        Ok(Self { plan: dispatcher.plan(a, b)?, workspace, warm_start: warm.then(WarmStart::default) })
    }

    fn forget(&mut self) {
        self.warm_start = self.warm_start.is_some().then(WarmStart::default);
    }

    /// The distance, or 0 and 1, and what it took; an error comes out as NaN, which agrees with
    /// nothing.
    pub(crate) fn answer(&mut self, query: Query, pose: &Pose) -> (f64, Stats) {
        let rel_err = if query == Query::DistanceTenth { 0.1 } else { 0.0 };
        match query {
            Query::Collide => {
                let answer = self.plan.collide(pose, self.workspace, self.warm_start.as_mut());
                (f64::from(answer.colliding), answer.stats)
            }
            _ => {
                let request = DistanceRequest { rel_err, ..DistanceRequest::default() };
                let answer = self.plan.distance(pose, &request, self.workspace, self.warm_start.as_mut());
                answer.map_or((f64::NAN, Stats::default()), |answer| (answer.upper, answer.stats))
            }
        }
    }

    fn ask(&mut self, query: Query, pose: &Pose) -> f64 {
        self.answer(query, pose).0
    }

    /// The answers to all poses, and what they took together.
    pub(crate) fn answers(&mut self, query: Query, poses: &[Pose]) -> (Vec<f64>, Stats) {
        self.forget();
        let mut total = Stats::default();
        let mut answer = |pose: &Pose| {
            let (value, stats) = self.answer(query, pose);
            total += stats;
            value
        };
        (poses.iter().map(&mut answer).collect(), total)
    }

    /// Microseconds a query, along all poses; the best of as many passes as fit into `least`, one
    /// at least.
    pub(crate) fn sweep_us(&mut self, query: Query, poses: &[Pose], least: Duration) -> f64 {
        let us = timing::shortest_us_within(least, || {
            self.forget();
            for pose in poses {
                black_box(self.ask(query, pose));
            }
        });
        us / poses.len().max(1) as f64
    }
}

/// The poses that `query` is about.
fn subset(scene: &Loaded, query: Query) -> Vec<usize> {
    match query {
        Query::DistanceFree | Query::DistanceTenth => scene.free.clone(),
        _ => (0..scene.poses.len()).collect(),
    }
}

impl Engine for Clearance {
    fn name(&self) -> &str {
        &self.name
    }

    fn answers_to(&self, query: Query) -> bool {
        self.queries.contains(&query)
    }

    fn load(&mut self, scene: &Scene) -> Result<()> {
        let (bodies, poses) = (self.volume.bodies(scene)?, scene.poses.clone());
        let mut loaded = Loaded { tri_mesh: Arc::clone(&scene.a), bodies, poses, free: Vec::new() };
        let mut pass = Pass::new(&self.dispatcher, &*loaded.bodies, &mut self.workspace, self.warm)?;
        loaded.free = (0..loaded.poses.len()).filter(|&i| pass.ask(Query::Collide, &loaded.poses[i]) == 0.0).collect();
        self.loaded = Some(loaded);
        Ok(())
    }

    fn sweep(&mut self, query: Query) -> Result<Sweep> {
        let scene = self.loaded.as_ref().ok_or_else(|| Error::other("no scene is loaded"))?;
        if query == Query::Build {
            let us = timing::shortest_us(|| self.volume.mesh(&scene.tri_mesh).is_ok());
            return Ok(Sweep { us, n: scene.tri_mesh.len() });
        }
        let poses: Vec<Pose> = subset(scene, query).into_iter().map(|i| scene.poses[i]).collect();
        let mut pass = Pass::new(&self.dispatcher, &*scene.bodies, &mut self.workspace, self.warm)?;
        Ok(Sweep { us: pass.sweep_us(query, &poses, timing::LEAST), n: poses.len() })
    }

    fn answers(&mut self, query: Query) -> Result<Answers> {
        let scene = self.loaded.as_ref().ok_or_else(|| Error::other("no scene is loaded"))?;
        let poses = if query == Query::Build { Vec::new() } else { subset(scene, query) };
        let mut pass = Pass::new(&self.dispatcher, &*scene.bodies, &mut self.workspace, self.warm)?;
        let values = poses.iter().map(|&i| pass.ask(query, &scene.poses[i])).collect();
        Ok(Answers { poses, values, allowed: 1e-12 })
    }
}

/// How many times faster than the exact distance one to within 10 % is, over the poses without
/// contact, cold.
#[derive(Debug, Clone, Copy)]
pub struct ToleranceGain {
    /// The median time of the exact distance against the median time of the other.
    pub of_medians: f64,
    /// The median of the poses' gains.
    pub median: f64,
}

/// Measures what a tolerance gains; none where every pose collides.
pub fn tolerance_gain(scene: &Scene) -> Result<Option<ToleranceGain>> {
    const REPEATS: usize = 5;
    let mut engine = Clearance::cold();
    engine.load(scene)?;
    let Clearance { dispatcher, workspace, loaded: Some(scene), .. } = &mut engine else { return Ok(None) };
    let mut pass = Pass::new(dispatcher, &*scene.bodies, workspace, false)?;
    let mut us = |query, i: usize| timing::shortest_of_us(REPEATS, || pass.ask(query, &scene.poses[i]));
    let times: Vec<[f64; 2]> =
        scene.free.iter().map(|&i| [us(Query::Distance, i), us(Query::DistanceTenth, i)]).collect();
    let median = |of: &dyn Fn(&[f64; 2]) -> f64| {
        let mut values: Vec<f64> = times.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    let gain = || {
        let of_medians = median(&|[exact, _]| *exact)? / median(&|[_, tolerant]| *tolerant)?;
        Some(ToleranceGain { of_medians, median: median(&|[exact, tolerant]| exact / tolerant)? })
    };
    Ok(gain())
}
