//! Convex decompositions: seconds and parts of each engine at equal error.
//!
//! An engine ([`Decomposer`]) chooses parts with its own settings. Samples of these parts tell
//! their error: the largest distance from the solid. Ours is then asked for that error, which it
//! certifies, where the samples only bound the others' error from below. What parts leave out of
//! the solid counts beside it, as the largest distance of samples of the surface from all parts.

use crate::placing::Random;
use crate::scenes::data_folder;
use crate::table::{Table, short};
use crate::{Result, models, timing};
use clearance_engine::assembly::Assembly;
use clearance_engine::decompose::{DecomposeOptions, DecomposeStatus, decompose};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::DVec3;
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::{ConvexPolyhedron, Sphere, check_closed};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, Mesh, Solid};
use clearance_engine::{Pose, TriMesh};
use clearance_robot::LinkShape;
use std::sync::Arc;

/// Samples of each part.
const PART_SAMPLES: usize = 2000;
/// Samples of the mesh's surface.
const SURFACE_SAMPLES: usize = 5000;
/// Ours is not asked for less than this share of the diagonal: samples see no less.
const LEAST_ERROR: f64 = 1e-6;
/// The work after which ours gives up.
const MAX_WORK: u64 = 2_000_000_000;

/// A closed mesh to decompose.
pub struct Body {
    /// Such as `torus 12×8`.
    pub name: String,
    /// Closed.
    pub mesh: TriMesh,
}

/// What an engine made of a mesh.
pub struct Parts {
    /// The CPU time that it took.
    pub seconds: f64,
    /// The vertices of each part.
    pub points: Vec<Vec<DVec3>>,
}

/// An engine that decomposes meshes.
pub trait Decomposer {
    /// With its settings.
    fn name(&self) -> String;
    /// Decomposes one mesh.
    fn decompose(&mut self, mesh: &TriMesh) -> Result<Parts>;
}

/// Tori, bodies of the built-in scenes, and the closed meshes of the data folder, if there is one.
pub fn bodies() -> Result<Vec<Body>> {
    let mut bodies = Vec::new();
    let mut add = |name: String, mesh: TriMesh| bodies.push(Body { name, mesh });
    for (along, around) in [(12, 8), (24, 12), (48, 24)] {
        add(format!("torus {along}×{around}"), models::torus(1.0, 0.35, along, around)?);
    }
    add("torus knot".into(), models::torus_knot(64, 8)?);
    for object in clearance_scene::kitchen()? {
        if ["chair 1", "counter cup 1"].contains(&object.name.as_str()) {
            add(object.name.clone(), object.mesh.as_ref().clone());
        }
    }
    for link in clearance_scene::humanoid()?.robot.links().iter().filter(|link| link.name() == "platform") {
        for geometry in link.geometries() {
            if let LinkShape::Mesh(mesh) = &geometry.shape {
                add("humanoid platform".into(), mesh.as_ref().clone());
            }
        }
    }
    let folder = data_folder().join("meshes");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("SKIPPED the meshes of the data folder: it is not there (set CLEARANCE_DATA)");
        return Ok(bodies);
    };
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let mesh = clearance_io::load_mesh(&path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match check_closed(&mesh) {
            Ok(()) => bodies.push(Body { name, mesh }),
            Err(error) => eprintln!("SKIPPED {name}: {error}"),
        }
    }
    Ok(bodies)
}

/// One row for each engine and body: `each` is called with it as soon as it is there.
pub fn run(bodies: &[Body], engines: &mut [Box<dyn Decomposer>], each: &mut dyn FnMut(&[String])) -> Result<Table> {
    let head = [
        "body",
        "triangles",
        "engine",
        "error %",
        "missing %",
        "parts",
        "s",
        "our error %",
        "our parts",
        "our s",
        "ratio",
    ];
    let mut table = Table::new("convex decompositions, ours at the engine's sampled error", &head);
    for Body { name, mesh } in bodies {
        let (low, high) = mesh.bounding_box();
        let percent = |length: f64| format!("{:.4}", 100.0 * length / (high - low).length());
        for engine in &mut *engines {
            let theirs = engine.decompose(mesh)?;
            let parts: Vec<ConvexPolyhedron> =
                theirs.points.iter().filter_map(|points| ConvexPolyhedron::hull_of(points).ok()).collect();
            let (error, missing) = (sampled_error(mesh, &parts)?, sampled_gap(mesh, &parts)?);
            let asked = error.max(LEAST_ERROR * (high - low).length());
            let options = DecomposeOptions { max_parts: 1024, max_work: MAX_WORK, ..DecomposeOptions::new(asked) };
            let mut made = None;
            let seconds = timing::shortest_thread_us(1, || made = Some(decompose(mesh, &options))) / 1e6;
            let mut row = vec![name.clone(), mesh.len().to_string(), engine.name(), percent(error), percent(missing)];
            row.extend([theirs.points.len().to_string(), short(theirs.seconds)]);
            if let Some(made) = made.transpose()? {
                let missed = if made.status == DecomposeStatus::ErrorMet { "" } else { " (not met)" };
                let parts = made.parts.len().to_string();
                row.extend([percent(made.error) + missed, parts, short(seconds), short(theirs.seconds / seconds)]);
            }
            each(&row);
            table.rows.push(row);
        }
    }
    Ok(table)
}

/// The distance of points from a geometry.
struct Ruler<'g> {
    geometry: &'g dyn Geometry,
    dispatcher: Dispatcher,
    workspace: Workspace,
    point: Solid,
}

impl<'g> Ruler<'g> {
    fn new(geometry: &'g dyn Geometry) -> Result<Self> {
        let (dispatcher, workspace, point) =
            (Dispatcher::standard(), Workspace::default(), Solid::new(Sphere::new(0.0)?));
        Ok(Self { geometry, dispatcher, workspace, point })
    }

    fn distance(&mut self, point: DVec3) -> Result<f64> {
        let (pose, request) = (Pose::from_translation(point)?, DistanceRequest::default());
        Ok(self
            .dispatcher
            .plan(self.geometry, &self.point)?
            .distance(&pose, &request, &mut self.workspace, None)?
            .lower)
    }
}

/// The largest distance from the solid of samples of parts: vertices, and points between up to four
/// of them.
fn sampled_error(mesh: &TriMesh, parts: &[ConvexPolyhedron]) -> Result<f64> {
    let solid: Mesh = Mesh::new(mesh.clone())?.into_solid()?;
    let (mut ruler, mut random, mut worst) = (Ruler::new(&solid)?, Random(11), 0.0_f64);
    for part in parts {
        let vertices: Vec<DVec3> = part.vertices().collect();
        for &vertex in &vertices {
            worst = worst.max(ruler.distance(vertex)?);
        }
        for i in 0..PART_SAMPLES {
            let some: Vec<(DVec3, f64)> =
                (0..2 + i % 3).map(|_| (vertices[random.below(vertices.len())], random.unit() + 1e-3)).collect();
            let weight: f64 = some.iter().map(|(_, weight)| weight).sum();
            worst = worst.max(ruler.distance(some.iter().map(|(point, share)| *point * (share / weight)).sum())?);
        }
    }
    Ok(worst)
}

/// The largest distance from all parts of samples of a mesh's surface.
fn sampled_gap(mesh: &TriMesh, parts: &[ConvexPolyhedron]) -> Result<f64> {
    let mut assembly = Assembly::default();
    for part in parts {
        assembly.insert(Arc::new(Solid::new(part.clone())), Pose::IDENTITY);
    }
    let (mut ruler, mut random, mut worst) = (Ruler::new(&assembly)?, Random(12), 0.0_f64);
    for i in 0..SURFACE_SAMPLES {
        let [a, b, c] = mesh.triangle((i % mesh.len()) as u32).0;
        let (u, v) = (random.unit(), random.unit());
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        worst = worst.max(ruler.distance(a + (b - a) * u + (c - a) * v)?);
    }
    Ok(worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the hull of everything.
    struct Hull;

    impl Decomposer for Hull {
        fn name(&self) -> String {
            "hull".into()
        }

        fn decompose(&mut self, mesh: &TriMesh) -> Result<Parts> {
            Ok(Parts { seconds: 1.0, points: vec![mesh.vertices().to_vec()] })
        }
    }

    #[test]
    fn ours_keeps_the_error_that_samples_find_of_others() {
        let mesh = models::torus(1.0, 0.35, 12, 8).unwrap();
        let body = Body { name: "torus".into(), mesh };
        let table = run(&[body], &mut [Box::new(Hull)], &mut |_| ()).unwrap();
        let number = |column: &str| {
            let at = table.head.iter().position(|head| *head == column).unwrap();
            table.rows[0][at].parse::<f64>().unwrap()
        };
        // The middle of the hull's top face is 0.713 from the torus, of a diagonal of 3.88.
        let error = number("error %");
        assert!(error > 17.0 && error < 18.4, "{error}");
        assert!(number("missing %") < 1e-9, "{}", number("missing %"));
        assert!(number("our error %") <= number("error %"));
    }
}
