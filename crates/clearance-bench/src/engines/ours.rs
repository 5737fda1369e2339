//! Our engine, with and without the cache from the previous pose.

use super::{Answers, Engine, Query, Sweep};
use crate::{Error, Result, Scene, timing};
use clearance::bank::{Bank, Plan};
use clearance::descent::{PairCache, Workspace};
use clearance::query::DistanceRequest;
use clearance::tree::{Geometry, Mesh, Wide};

use clearance::{Pose, TriMesh};
use std::hint::black_box;
use std::sync::Arc;

/// The hierarchy that takes part in races: the one that measured best.
pub fn best_mesh(soup: &Arc<TriMesh>) -> Result<impl Geometry + use<>> {
    Ok(Mesh::<Wide>::new(Arc::clone(soup))?)
}

/// What the engine holds of a scene.
struct Loaded {
    soup: Arc<TriMesh>,
    a: Box<dyn Geometry>,
    b: Box<dyn Geometry>,
    poses: Vec<Pose>,
    /// The poses without contact.
    free: Vec<usize>,
}

/// Our engine; *warm* means with one [`PairCache`] along the sequence of poses.
pub struct Clearance {
    warm: bool,
    bank: Bank,
    workspace: Workspace,
    loaded: Option<Loaded>,
}

impl Clearance {
    /// With the cache from the previous pose: `clearance`.
    pub fn warm() -> Self {
        Self { warm: true, bank: Bank::standard(), workspace: Workspace::default(), loaded: None }
    }

    /// Every query on its own: `clearance-cold`.
    pub fn cold() -> Self {
        Self { warm: false, ..Self::warm() }
    }
}

/// One pass over poses, with or without memory.
struct Pass<'p> {
    plan: Plan<'p>,
    workspace: &'p mut Workspace,
    cache: Option<PairCache>,
}

impl<'p> Pass<'p> {
    fn new(bank: &'p Bank, scene: &'p Loaded, workspace: &'p mut Workspace, warm: bool) -> Result<Self> {
        Ok(Self { plan: bank.plan(&*scene.a, &*scene.b)?, workspace, cache: warm.then(PairCache::default) })
    }

    fn forget(&mut self) {
        self.cache = self.cache.is_some().then(PairCache::default);
    }

    /// The distance, or 0 and 1; an error comes out as NaN, which agrees with nothing.
    fn ask(&mut self, query: Query, pose: &Pose) -> f64 {
        let rel_err = if query == Query::DistanceTenth { 0.1 } else { 0.0 };
        match query {
            Query::Collide => f64::from(self.plan.collide(pose, self.workspace, self.cache.as_mut()).colliding),
            _ => {
                let request = DistanceRequest { rel_err, ..DistanceRequest::default() };
                let answer = self.plan.distance(pose, &request, self.workspace, self.cache.as_mut());
                answer.map_or(f64::NAN, |answer| answer.upper)
            }
        }
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
        if self.warm { "clearance" } else { "clearance-cold" }
    }

    fn answers_to(&self, query: Query) -> bool {
        self.warm || query != Query::Build
    }

    fn load(&mut self, scene: &Scene) -> Result<()> {
        let (a, b) = (Box::new(best_mesh(&scene.a)?), Box::new(best_mesh(&scene.b)?));
        let poses = scene.poses.clone();
        let mut loaded = Loaded { soup: Arc::clone(&scene.a), a, b, poses, free: Vec::new() };
        let mut pass = Pass::new(&self.bank, &loaded, &mut self.workspace, self.warm)?;
        loaded.free = (0..loaded.poses.len()).filter(|&i| pass.ask(Query::Collide, &loaded.poses[i]) == 0.0).collect();
        self.loaded = Some(loaded);
        Ok(())
    }

    fn sweep(&mut self, query: Query) -> Result<Sweep> {
        let scene = self.loaded.as_ref().ok_or_else(|| Error::other("no scene is loaded"))?;
        if query == Query::Build {
            let us = timing::shortest_us(|| best_mesh(&scene.soup));
            return Ok(Sweep { us, n: scene.soup.len() });
        }
        let poses: Vec<Pose> = subset(scene, query).into_iter().map(|i| scene.poses[i]).collect();
        let mut pass = Pass::new(&self.bank, scene, &mut self.workspace, self.warm)?;
        let us = timing::shortest_us(|| {
            pass.forget();
            for pose in &poses {
                black_box(pass.ask(query, pose));
            }
        });
        Ok(Sweep { us: us / poses.len().max(1) as f64, n: poses.len() })
    }

    fn answers(&mut self, query: Query) -> Result<Answers> {
        let scene = self.loaded.as_ref().ok_or_else(|| Error::other("no scene is loaded"))?;
        let poses = if query == Query::Build { Vec::new() } else { subset(scene, query) };
        let mut pass = Pass::new(&self.bank, scene, &mut self.workspace, self.warm)?;
        let values = poses.iter().map(|&i| pass.ask(query, &scene.poses[i])).collect();
        Ok(Answers { poses, values, allowed: 1e-12 })
    }
}

/// How many times faster than the exact distance one to within 10 % is: the median over the poses without contact, cold.
///
/// None where every pose collides.
pub fn tolerance_gain(scene: &Scene) -> Result<Option<f64>> {
    const REPEATS: usize = 5;
    let mut engine = Clearance::cold();
    engine.load(scene)?;
    let Clearance { bank, workspace, loaded: Some(scene), .. } = &mut engine else { return Ok(None) };
    let mut pass = Pass::new(bank, scene, workspace, false)?;
    let mut gain = |i: &usize| {
        let pose = &scene.poses[*i];
        let mut us = |query| timing::shortest_of_us(REPEATS, || pass.ask(query, pose));
        us(Query::Distance) / us(Query::DistanceTenth)
    };
    let mut gains: Vec<f64> = scene.free.iter().map(&mut gain).collect();
    gains.sort_by(f64::total_cmp);
    Ok(gains.get(gains.len() / 2).copied())
}
