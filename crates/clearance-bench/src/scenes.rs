//! The scenes of the races: two bodies, the poses of the second in the first one's frame, and what
//! is asked about them.
//!
//! | name | bodies | poses |
//! | --- | --- | --- |
//! | `falling` | PQP's demo: a torus of 1,332 triangles falls through one of 3,240 | all 2,398 of its path files |
//! | `spinning` | PQP's demo: a bunny of 2,204 triangles and a torus of 1,332 spin beside each other | 2,000 |
//! | `20k-far`, `20k-near`, `20k-overlapping` | two displaced icospheres of 20,480 triangles | 1,000 at random |
//! | `80k-far`, `80k-near`, `80k-overlapping` | a displaced icosphere of 81,920, a torus knot of 80,000 | 1,000 at random |
//! | `80k` | the icosphere of 81,920 alone | none: only its hierarchy is built |
//!
//! Sizes are lengths of the first body's longest side. Near is a gap of 2 % of the size, far one of
//! a whole size, overlapping is pushed in by up to half of it. PQP's models are read from the
//! folder `CLEARANCE_DATA` (default `../shared/data` beside the repository); without it generated
//! bodies of as many triangles stand in.
//!
//! How bumpy the bodies are and how far is far were chosen before anything was measured. Ratios
//! between engines depend on both, so they are not to be changed for the sake of a ratio.

use crate::engines::{Query, best_mesh};
use crate::placing::{Placer, Random};
use crate::{Error, Result, models, motions};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::{DMat3, DVec3};
use clearance_engine::{Pose, TriMesh};
use clearance_io::load_mesh;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The scenes in the order of the tables.
pub const NAMES: [&str; 9] =
    ["falling", "spinning", "20k-far", "20k-near", "20k-overlapping", "80k-far", "80k-near", "80k-overlapping", "80k"];

/// The scene without poses, of which only a hierarchy is built.
pub const BUILD: &str = "80k";

/// The number of random poses.
const RANDOM_POSES: usize = 1000;
/// The gap of the near poses, in sizes.
const NEAR: f64 = 0.02;

/// Two bodies, their poses, and the questions that make sense for them.
#[derive(Debug, Clone)]
pub struct Scene {
    /// One of [`NAMES`].
    pub name: &'static str,
    /// The first body.
    pub a: Arc<TriMesh>,
    /// The second body.
    pub b: Arc<TriMesh>,
    /// The second body in the first one's frame.
    pub poses: Vec<Pose>,
    /// What the races ask.
    pub queries: Vec<Query>,
    /// Whether generated bodies stand in for PQP's.
    pub stand_in: bool,
}

impl Scene {
    /// The scene with at most `most` of its poses, evenly spread, if they are unrelated: a sequence
    /// stays as it is.
    pub fn thinned(mut self, most: usize) -> Self {
        let (count, sequence) = (self.poses.len(), matches!(self.name, "falling" | "spinning"));
        if !sequence && count > most {
            self.poses = (0..most).map(|i| self.poses[i * count / most]).collect();
        }
        self
    }

    /// What to tell whoever expects PQP's models, where generated ones stand in.
    pub fn note(&self) -> Option<String> {
        let note =
            || format!("{}: PQP's models are not there, generated ones stand in (set CLEARANCE_DATA)", self.name);
        self.stand_in.then(note)
    }
}

/// Makes the scene called `name`.
///
/// ```
/// let scene = clearance_bench::scenes::make("20k-far")?;
/// assert_eq!((scene.a.len(), scene.poses.len()), (20_480, 1000));
/// # Ok::<(), clearance_bench::Error>(())
/// ```
pub fn make(name: &str) -> Result<Scene> {
    match name {
        "falling" => falling(pqp_folder().as_deref()),
        "spinning" => spinning(pqp_folder().as_deref()),
        _ => generated(name),
    }
}

/// The names that `words` ask for: a name, or the part of it before a dash. No word asks for all.
///
/// ```
/// use clearance_bench::scenes::select;
/// assert_eq!(select(&["20k"])?, ["20k-far", "20k-near", "20k-overlapping"]);
/// assert!(select(&["30k"]).is_err());
/// # Ok::<(), clearance_bench::Error>(())
/// ```
pub fn select(words: &[impl AsRef<str>]) -> Result<Vec<&'static str>> {
    let fits = |name: &str, word: &str| name == word || name.split('-').next() == Some(word);
    for word in words.iter().map(AsRef::as_ref) {
        if !NAMES.iter().any(|name| fits(name, word)) {
            return Err(Error::other(format!("no scene is called {word}; there are {}", NAMES.join(", "))));
        }
    }
    let wanted = |name: &&str| words.is_empty() || words.iter().any(|word| fits(name, word.as_ref()));
    Ok(NAMES.into_iter().filter(wanted).collect())
}

/// The folder with models that are not generated, whether it is there or not.
pub(crate) fn data_folder() -> PathBuf {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os("CLEARANCE_DATA").map_or_else(default, PathBuf::from)
}

/// PQP's models, where the data folder has them.
fn pqp_folder() -> Option<PathBuf> {
    let folder = data_folder().join("pqp");
    folder.is_dir().then_some(folder)
}

fn falling(folder: Option<&Path>) -> Result<Scene> {
    let (a, b, poses) = match folder {
        Some(folder) => {
            let (from_a, from_b) = (path_file(&folder.join("torus1.path"))?, path_file(&folder.join("torus2.path"))?);
            let poses = from_a.iter().zip(&from_b).map(|(a, b)| a.inverse().then(b)).collect();
            (load_mesh(&folder.join("torus1.tris"))?, load_mesh(&folder.join("torus2.tris"))?, poses)
        }
        None => {
            let poses = motions::falling(1.6, 2398)?.iter().map(Pose::inverse).collect();
            (models::bent_torus(0.45, 0.1, 37, 18)?, models::knobby_torus(1.0, 0.35, 6, 54, 30)?, poses)
        }
    };
    let queries = vec![Query::Distance, Query::Collide, Query::DistanceFree, Query::DistanceTenth];
    Ok(Scene { name: "falling", a: Arc::new(a), b: Arc::new(b), poses, queries, stand_in: folder.is_none() })
}

fn spinning(folder: Option<&Path>) -> Result<Scene> {
    let (a, b) = match folder {
        Some(folder) => (load_mesh(&folder.join("bunny.tris"))?, load_mesh(&folder.join("torus.tris"))?),
        None => (models::knobby_torus(0.45, 0.25, 4, 38, 29)?, models::torus(0.3, 0.28, 37, 18)?),
    };
    let queries = vec![Query::Distance, Query::Collide, Query::DistanceTenth];
    let poses = motions::spinning(2000)?;
    Ok(Scene { name: "spinning", a: Arc::new(a), b: Arc::new(b), poses, queries, stand_in: folder.is_none() })
}

fn generated(name: &str) -> Result<Scene> {
    let Some(name) = NAMES.into_iter().find(|known| *known == name) else {
        return Err(Error::other(format!("no scene is called {name}")));
    };
    let (bodies, kind) = name.split_once('-').unwrap_or((name, ""));
    let (a, b) = match bodies {
        "20k" => (models::icosphere(5, 0.1)?, models::icosphere(5, 0.2)?),
        _ => (models::icosphere(6, 0.1)?, models::torus_knot(1000, 40)?),
    };
    let (a, b) = (Arc::new(a), Arc::new(b));
    let queries = match kind {
        "far" => vec![Query::Distance, Query::DistanceTenth],
        "near" => vec![Query::Distance, Query::Collide, Query::DistanceTenth],
        "overlapping" => vec![Query::Collide],
        _ => vec![Query::Build],
    };
    let poses = if kind.is_empty() { Vec::new() } else { random_poses(&a, &b, kind)? };
    Ok(Scene { name, a, b, poses, queries, stand_in: false })
}

fn random_poses(a: &Arc<TriMesh>, b: &Arc<TriMesh>, kind: &str) -> Result<Vec<Pose>> {
    let (low, high) = a.bounding_box();
    let size = (high - low).max_element();
    let (mesh_a, mesh_b, dispatcher) = (best_mesh(a)?, best_mesh(b)?, Dispatcher::standard());
    let mut placer = Placer::new(dispatcher.plan(&mesh_a, &mesh_b)?, a, b, Random(0x5ce7e));
    let one = |_| match kind {
        "far" => placer.apart(size),
        "near" => placer.apart(NEAR * size),
        _ => placer.crossing(NEAR * size, 0.5 * size),
    };
    (0..RANDOM_POSES).map(one).collect()
}

/// PQP's `.path`: the number of poses, then twelve numbers for each: the rows of the rotation and
/// the translation.
fn path_file(path: &Path) -> Result<Vec<Pose>> {
    let bad = |what: &str| Error::other(format!("{}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| bad(&error.to_string()))?;
    let mut words = text.split_whitespace();
    let count: usize = words.next().and_then(|word| word.parse().ok()).ok_or_else(|| bad("no number of poses"))?;
    let numbers: Vec<f64> = words.map(str::parse).collect::<Result<_, _>>().map_err(|_| bad("not a number"))?;
    if Some(numbers.len()) != count.checked_mul(12) {
        return Err(bad(&format!("{count} poses announced, but there are {} numbers", numbers.len())));
    }
    let pose = |row: &[f64]| {
        let rotation = DMat3::from_cols_slice(&row[..9]).transpose();
        Ok(Pose::from_matrix(rotation, DVec3::from_slice(&row[9..]))?)
    };
    numbers.chunks_exact(12).map(pose).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_engine::query::DistanceRequest;
    use clearance_engine::traversal::Workspace;
    use ndarray::Array1;
    use ndarray_npy::NpzReader;
    use std::fs::File;

    fn distances(scene: &Scene, poses: &[Pose]) -> Vec<f64> {
        let (a, b, dispatcher) = (best_mesh(&scene.a).unwrap(), best_mesh(&scene.b).unwrap(), Dispatcher::standard());
        let (plan, mut workspace) = (dispatcher.plan(&a, &b).unwrap(), Workspace::default());
        let mut distance =
            |pose: &Pose| plan.distance(pose, &DistanceRequest::default(), &mut workspace, None).unwrap().upper;
        poses.iter().map(&mut distance).collect()
    }

    #[test]
    fn poses_of_the_pqp_scenes_give_the_reference_distances() {
        let Some(folder) = pqp_folder() else {
            return eprintln!("SKIPPED the PQP scenes: no data (set CLEARANCE_DATA)");
        };
        for (name, count) in [("falling", 2398), ("spinning", 600)] {
            let path = folder.join(format!("../pairs/pqp_{name}.npz"));
            let mut npz = NpzReader::new(File::open(path).unwrap()).unwrap();
            let reference: Array1<f64> = npz.by_name("distance").unwrap();
            assert_eq!(reference.len(), count);
            let scene = make(name).unwrap();
            for (i, found) in distances(&scene, &scene.poses[..count]).into_iter().enumerate() {
                assert!((found - reference[i]).abs() < 1e-9, "{name} pose {i}: {found} {}", reference[i]);
            }
        }
    }

    #[test]
    fn near_poses_have_a_gap_of_two_percent_and_far_ones_of_a_whole_size() {
        for (name, gap) in [("20k-near", 0.02), ("20k-far", 1.0)] {
            let scene = make(name).unwrap();
            let (low, high) = scene.a.bounding_box();
            let wanted = gap * (high - low).max_element();
            for found in distances(&scene, &scene.poses[..50]) {
                assert!((found - wanted).abs() <= 0.011 * wanted, "{name}: {found} instead of {wanted}");
            }
        }
    }

    #[test]
    fn stand_ins_have_as_many_triangles_as_pqp_and_meet_at_some_poses_of_the_fall() {
        let (fall, spin) = (falling(None).unwrap(), spinning(None).unwrap());
        let counts = [&fall, &spin].map(|scene| (scene.a.len(), scene.b.len(), scene.poses.len()));
        assert_eq!(counts, [(1332, 3240, 2398), (2204, 1332, 2000)]);
        let every: Vec<Pose> = fall.poses.iter().step_by(10).copied().collect();
        let touching = distances(&fall, &every).into_iter().filter(|&d| d == 0.0).count();
        assert!(touching > 0 && touching < every.len(), "{touching} of {}", every.len());
    }
}
