//! Who can take part in a race, and what is asked of them.

mod convex;
mod ours;
#[cfg(feature = "parry")]
mod parry;

pub use convex::ConvexClearance;
pub(crate) use ours::Pass;
pub use ours::{Clearance, ToleranceGain, best_mesh, tolerance_gain};
#[cfg(feature = "parry")]
pub use parry::{Parry32, Parry64};
#[cfg(feature = "parry")]
pub(crate) use parry::{pose_f32, pose_f64};

use crate::{Result, Scene, volumes};

/// A question of the races.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Query {
    /// The exact distance, at every pose.
    Distance,
    /// Whether they touch, at every pose.
    Collide,
    /// The exact distance, at the poses without contact.
    DistanceFree,
    /// The distance to within 10 %, at the poses without contact.
    DistanceTenth,
    /// The hierarchy of the first body.
    Build,
    /// How deep convex bodies overlap, at every pose.
    Penetration,
}

impl Query {
    /// Every question about meshes.
    pub const ALL: [Query; 5] =
        [Query::Distance, Query::Collide, Query::DistanceFree, Query::DistanceTenth, Query::Build];

    /// What the tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Query::Distance => "distance",
            Query::Collide => "collide",
            Query::DistanceFree => "distance-free",
            Query::DistanceTenth => "distance-10%",
            Query::Build => "build",
            Query::Penetration => "penetration",
        }
    }
}

/// One measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sweep {
    /// Microseconds a query (a build: for all of it): the mean over the poses, the least of a few
    /// repeats.
    pub us: f64,
    /// The number of poses (of triangles, for a build).
    pub n: usize,
}

/// An answer for each pose that was asked about.
#[derive(Debug, Clone, PartialEq)]
pub struct Answers {
    /// The poses' numbers; of the engine that others are compared with in rising order.
    pub poses: Vec<usize>,
    /// The distance, or 0 and 1 for apart and colliding.
    pub values: Vec<f64>,
    /// The error that the engine's arithmetic excuses, relative to the size of the scene.
    pub allowed: f64,
}

/// A library that answers the questions of a race, loaded with one scene at a time.
pub trait Engine {
    /// What the tables call it.
    fn name(&self) -> &str;

    /// Whether it takes part in `query`.
    fn answers_to(&self, query: Query) -> bool;

    /// Takes over the scene: hierarchies are built here, outside of any measurement.
    fn load(&mut self, scene: &Scene) -> Result<()>;

    /// Measures one query along all poses.
    fn sweep(&mut self, query: Query) -> Result<Sweep>;

    /// The answers, unmeasured; none for a build.
    fn answers(&mut self, query: Query) -> Result<Answers>;
}

/// parry's engines; none without the feature `parry`.
pub fn parry() -> Vec<Box<dyn Engine>> {
    #[cfg(feature = "parry")]
    return vec![Box::new(Parry32::default()), Box::new(Parry64::default())];
    #[cfg(not(feature = "parry"))]
    Vec::new()
}

/// All that can race without anything from outside: our default tree warm and cold, every other
/// volume, parry.
pub fn all() -> Vec<Box<dyn Engine>> {
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(Clearance::warm()), Box::new(Clearance::cold())];
    // The first of the volumes is the default.
    engines.extend(volumes::all().into_iter().skip(1).map(|volume| Box::new(Clearance::of(volume)) as Box<dyn Engine>));
    engines.extend(parry());
    engines
}
