//! Table 3's pairs as scenes of a race, for peers that are not linked to this crate:
//! `peers/run boxes` lets coal race.
//!
//! Their placements are the first ones of `clearance reproduce boxes`, from the same generator,
//! seed and space ([`Placed`]): up to 2,000 that collide, or that do not, which is enough for a
//! mean and sooner sent. Names are `boxes-A-B-SPACE-KIND`: the two bodies, 25 or 75 percent of all
//! placements colliding, and of these `colliding` ones or `separated` ones.

use super::bodies;
use super::measure::Placed;
use crate::{Error, Query, Result, Scene};
use std::sync::Arc;

/// How many placements are made; a scene has those of its kind. A quarter of them is more than
/// enough.
const PLACEMENTS: usize = 10_000;
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
    let placed = Placed::new(a, b, if space == "25" { 0.25 } else { 0.75 }, PLACEMENTS)?;
    Ok(Scene {
        name,
        a: Arc::new(a.polyhedron.surface()?),
        b: Arc::new(b.polyhedron.surface()?),
        poses: placed.poses(kind == "colliding").into_iter().take(POSES).collect(),
        queries: vec![Query::Collide],
        stand_in: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_race_at_the_first_placements_of_the_papers_table() {
        let [_, octahedron, icosahedron, _] = bodies::all().unwrap();
        for space in [0.25, 0.75] {
            // As the table makes them, of which there are more.
            let placed = Placed::new(&icosahedron, &octahedron, space, 15_000).unwrap();
            for (kind, colliding) in [("colliding", true), ("separated", false)] {
                let name = format!("boxes-icosahedron-octahedron-{:.0}-{kind}", space * 100.0);
                assert_eq!(scene(&name).unwrap().poses, placed.poses(colliding)[..POSES], "{name}");
            }
        }
    }
}
