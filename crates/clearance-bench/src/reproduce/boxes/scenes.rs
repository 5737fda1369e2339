//! Table 3's pairs as scenes of a race, for peers that are not linked to this crate: `peers/run boxes` lets coal race.
//!
//! Names are `boxes-A-B-SPACE-KIND`: the two bodies, 25 or 75 percent of all placements colliding, and of these `colliding` ones or
//! `separated` ones.

use super::bodies::{self, colliding_at};
use crate::{Error, Query, Result, Scene};
use std::sync::Arc;

/// The seed of the placements.
const SEED: u64 = 41;
/// How many placements are made; a scene has those of its kind.
const PLACEMENTS: usize = 8000;
/// The most of them that a scene has.
const POSES: usize = 2000;

/// The scenes in the order of the tables.
pub const NAMES: [&str; 8] = [
    "boxes-icosahedron-octahedron-25-colliding",
    "boxes-icosahedron-octahedron-25-separated",
    "boxes-icosahedron-octahedron-75-colliding",
    "boxes-icosahedron-octahedron-75-separated",
    "boxes-cube-antiprism-25-colliding",
    "boxes-cube-antiprism-25-separated",
    "boxes-cube-antiprism-75-colliding",
    "boxes-cube-antiprism-75-separated",
];

/// Makes the scene called `name`.
///
/// ```
/// let scene = clearance_bench::reproduce::boxes::scene("boxes-cube-antiprism-25-separated")?;
/// assert_eq!((scene.a.vertices().len(), scene.b.vertices().len(), scene.poses.len()), (8, 18, 2000));
/// # Ok::<(), clearance_bench::Error>(())
/// ```
pub fn scene(name: &str) -> Result<Scene> {
    let unknown = || Error::other(format!("no scene is called {name}; there are {}", NAMES.join(", ")));
    let name = NAMES.into_iter().find(|known| *known == name).ok_or_else(unknown)?;
    let mut parts = name.split('-').skip(1);
    let mut next = || parts.next().unwrap_or("");
    let (names, space, kind) = ([next(), next()], next(), next());
    let all = bodies::all()?;
    let body = |name: &str| all.iter().find(|body| body.name == name).ok_or_else(unknown);
    let (a, b) = (body(names[0])?, body(names[1])?);
    let (poses, colliding) = colliding_at(a, b, if space == "25" { 0.25 } else { 0.75 }, PLACEMENTS, SEED)?;
    let wanted = poses.into_iter().zip(colliding).filter(|(_, colliding)| *colliding == (kind == "colliding"));
    Ok(Scene {
        name,
        a: Arc::new(a.polyhedron.surface()?),
        b: Arc::new(b.polyhedron.surface()?),
        poses: wanted.map(|(pose, _)| pose).take(POSES).collect(),
        queries: vec![Query::Collide],
        stand_in: false,
    })
}
