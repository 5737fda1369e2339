//! The volumes of the engine as contenders: each can be built for a scene, asked, and measured.

use crate::certificate::Tape;
use crate::{Result, Scene};
use clearance_engine::query::{CollideGoal, Defer, DistanceGoal, DistanceRequest, traverse_meshes, traverse_trees};
use clearance_engine::traversal::{NodePair, Stats, Workspace};
use clearance_engine::tree::{BuildOptions, Bvh8, BvhKind, Geometry, Hierarchy, Mesh, SphereTree, Tree};
use clearance_engine::volume::{Aabb, KIos, KIosFit, Kdop16, Kdop18, Kdop24, Obb, Rss, Sphere, Volume};
use clearance_engine::{Pose, TriMesh};
use std::sync::Arc;

/// How the hierarchy of a kind of mesh is made.
type FitOptions<K> = <<K as BvhKind>::Hierarchy as Hierarchy>::FitOptions;

/// A kind of mesh over two of which any goal can be run, not only those that the dispatcher knows.
pub trait Raced: BvhKind + Sized {
    /// Runs `goal` from scratch.
    fn meet<G: Defer>(a: &Mesh<Self>, b: &Mesh<Self>, a_from_b: &Pose, goal: &mut G, workspace: &mut Workspace);
}

impl Raced for Bvh8 {
    fn meet<G: Defer>(a: &Mesh<Self>, b: &Mesh<Self>, a_from_b: &Pose, goal: &mut G, workspace: &mut Workspace) {
        traverse_meshes(a, b, a_from_b, goal, workspace, None);
    }
}

macro_rules! raced {
    ($($volume:ident)*) => {
        $(impl Raced for $volume {
            fn meet<G: Defer>(a: &Mesh<Self>, b: &Mesh<Self>, a_from_b: &Pose, goal: &mut G, workspace: &mut Workspace) {
                traverse_trees(a, b, a_from_b, goal, workspace, None);
            }
        })*
    };
}

raced!(Sphere SphereTree Aabb Obb Rss Kdop16 Kdop18 Kdop24 KIos);

/// A bounding volume of the engine, with a way to fit it.
pub struct Contender {
    /// What the tables call it.
    pub name: String,
    maker: Box<dyn Maker>,
}

impl Contender {
    /// A kind of mesh, its volumes fitted in the default way or in another.
    pub fn new<K: Raced>(name: impl Into<String>, how: Option<FitOptions<K>>) -> Self {
        Self { name: name.into(), maker: Box::new(Fitted::<K>(how)) }
    }

    /// The hierarchy that meshes have by default.
    pub fn default_mesh() -> Self {
        Self::new::<Bvh8>(<Bvh8 as BvhKind>::Hierarchy::NAME, None)
    }

    /// k-IOS with choices of its own.
    pub fn kios(name: impl Into<String>, how: KIosFit) -> Self {
        Self::new::<KIos>(name, Some(how))
    }

    /// Builds the hierarchy of one body.
    pub fn mesh(&self, tri_mesh: &Arc<TriMesh>) -> clearance_engine::Result<Arc<dyn Geometry>> {
        self.maker.mesh(tri_mesh)
    }

    /// Builds the hierarchies of a scene's bodies.
    pub fn bodies(&self, scene: &Scene) -> Result<Box<dyn Bodies>> {
        self.maker.bodies(scene)
    }
}

/// Every volume of the engine, the default first.
///
/// ```
/// let names: Vec<String> = clearance_bench::volumes::all().into_iter().map(|volume| volume.name).collect();
/// assert_eq!(names, ["wide", "sphere", "aabb", "obb", "rss", "kdop16", "kdop18", "kdop24", "kios"]);
/// ```
pub fn all() -> Vec<Contender> {
    fn plain<V: Raced + Volume>() -> Contender {
        Contender::new::<V>(V::NAME, None)
    }
    vec![
        Contender::default_mesh(),
        plain::<Sphere>(),
        plain::<Aabb>(),
        plain::<Obb>(),
        plain::<Rss>(),
        plain::<Kdop16>(),
        plain::<Kdop18>(),
        plain::<Kdop24>(),
        plain::<KIos>(),
    ]
}

/// Makes meshes of a kind that was forgotten.
trait Maker {
    fn mesh(&self, tri_mesh: &Arc<TriMesh>) -> clearance_engine::Result<Arc<dyn Geometry>>;
    fn bodies(&self, scene: &Scene) -> Result<Box<dyn Bodies>>;
}

struct Fitted<K: Raced>(Option<FitOptions<K>>);

impl<K: Raced> Fitted<K> {
    fn build(&self, tri_mesh: &Arc<TriMesh>) -> clearance_engine::Result<Mesh<K>> {
        Mesh::build(Arc::clone(tri_mesh), &BuildOptions::default(), self.0.clone())
    }
}

impl<K: Raced> Maker for Fitted<K> {
    fn mesh(&self, tri_mesh: &Arc<TriMesh>) -> clearance_engine::Result<Arc<dyn Geometry>> {
        Ok(Arc::new(self.build(tri_mesh)?))
    }

    fn bodies(&self, scene: &Scene) -> Result<Box<dyn Bodies>> {
        Ok(Box::new(Both { a: self.build(&scene.a)?, b: self.build(&scene.b)? }))
    }
}

/// What a [`Tape`] is run for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Asked {
    /// The distance, by a search that starts out knowing that it is this.
    Distance(f64),
    /// Whether they touch.
    Collide,
}

/// The two bodies of a scene under one volume.
pub trait Bodies {
    /// As the dispatcher takes them.
    fn geometries(&self) -> (&dyn Geometry, &dyn Geometry);

    /// The mean number of floats that a volume of each body uses.
    fn floats(&self) -> (f64, f64);

    /// Whether both nodes of a pair are leaves.
    fn are_leaves(&self, pair: &NodePair) -> bool;

    /// Asks in the order of the [`Tape`] that `workspace` holds.
    fn follow_tape(&self, asked: Asked, pose: &Pose, workspace: &mut Workspace) -> Stats;
}

struct Both<K: BvhKind> {
    a: Mesh<K>,
    b: Mesh<K>,
}

fn floats_per_volume<K: BvhKind>(mesh: &Mesh<K>) -> f64 {
    let volumes = mesh.hierarchy().bvh().volumes();
    let used: usize = volumes.iter().map(Volume::floats_used).sum();
    used as f64 / volumes.len() as f64
}

impl<K: Raced> Bodies for Both<K> {
    fn geometries(&self) -> (&dyn Geometry, &dyn Geometry) {
        (&self.a, &self.b)
    }

    fn floats(&self) -> (f64, f64) {
        (floats_per_volume(&self.a), floats_per_volume(&self.b))
    }

    fn are_leaves(&self, pair: &NodePair) -> bool {
        self.a.is_leaf(pair.a) && self.b.is_leaf(pair.b)
    }

    fn follow_tape(&self, asked: Asked, pose: &Pose, workspace: &mut Workspace) -> Stats {
        match asked {
            Asked::Distance(max_d) => {
                let mut goal = DistanceGoal::<Tape>::new(&DistanceRequest { max_d, ..DistanceRequest::default() });
                K::meet(&self.a, &self.b, pose, &mut goal, workspace);
                goal.finish().stats
            }
            Asked::Collide => {
                let mut goal = CollideGoal::<Tape>::default();
                K::meet(&self.a, &self.b, pose, &mut goal, workspace);
                goal.finish().stats
            }
        }
    }
}
