//! The scenes of the races between convex bodies: a body and itself, the poses of the second in the
//! first one's frame.
//!
//! | name | poses |
//! | --- | --- |
//! | `convex-BODY-25-colliding`, `convex-BODY-75-colliding` | 2,000 at random that collide |
//! | `convex-BODY-25-separated`, `convex-BODY-75-separated` | 2,000 at random that do not |
//! | `convex-BODY-sequence` | 20,000 in a row, a degree and 1 % of the size apart |
//! | `convex-BODY-near` | the same, where neither spheres around nor spheres inside of the bodies decide whether they collide |
//!
//! Bodies: those of the boxes paper (`cube`, `octahedron`, `icosahedron`, `antiprism`: the
//! nonagonal one), and hulls of 30, 300 and 3,000 points on a sphere (`hull30`, `hull300`,
//! `hull3000`). Positions are uniform in a cube, turns uniform over all rotations; the cube is so
//! large that 25 or 75 percent of all poses collide.

use crate::engines::Query;
use crate::placing::Random;
use crate::reproduce::boxes;
use crate::{Error, Result, Scene};
use clearance_engine::Pose;
use clearance_engine::dispatch::{Dispatcher, PairQuery};
use clearance_engine::math::{DMat3, DQuat, DVec3};
use clearance_engine::shape::ConvexPolyhedron;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::Solid;
use std::f64::consts::TAU;
use std::sync::Arc;

/// The number of poses of a scene.
const POSES: usize = 2000;
/// And of a motion: a processor that sees the same 2,000 poses again and again foresees the
/// branches of each, which it does not in a motion that goes on.
const STEPS: usize = 20_000;
/// How many poses decide how large the cube is.
const TRIAL_POSES: usize = 4000;
/// A step of a sequence: this angle and this part of the size.
const STEP: (f64, f64) = (TAU / 360.0, 0.01);

/// Draws the names: those of one body after those of another.
macro_rules! names {
    ($($body:literal)*) => {
        [$(
            concat!("convex-", $body, "-25-colliding"),
            concat!("convex-", $body, "-25-separated"),
            concat!("convex-", $body, "-75-colliding"),
            concat!("convex-", $body, "-75-separated"),
            concat!("convex-", $body, "-sequence"),
            concat!("convex-", $body, "-near"),
        )*]
    };
}

/// The scenes in the order of the tables.
pub const NAMES: [&str; 42] = names!("cube" "octahedron" "icosahedron" "antiprism" "hull30" "hull300" "hull3000");

/// Whether a scene of this name has convex bodies.
pub fn is_convex(name: &str) -> bool {
    name.starts_with("convex") || name.starts_with("boxes")
}

/// Whether the poses of a scene of convex bodies follow each other in small steps.
///
/// ```
/// use clearance_bench::convex_scenes::{NAMES, is_motion};
/// assert_eq!(NAMES.into_iter().filter(|name| is_motion(name)).count(), 14);
/// ```
pub fn is_motion(name: &str) -> bool {
    name.ends_with("-sequence") || name.ends_with("-near")
}

/// The names that `words` ask for, which are beginnings of them: of these scenes, or those of the
/// boxes paper ([`boxes::SCENES`]).
///
/// ```
/// use clearance_bench::convex_scenes::{NAMES, select};
/// assert_eq!(select(&["convex"])?, NAMES);
/// assert_eq!(select(&["convex-cube"])?.len(), 6);
/// assert_eq!(select(&["convex-cube-sequence"])?, ["convex-cube-sequence"]);
/// assert_eq!(select(&["boxes"])?.len(), 8);
/// assert!(select(&["convex-torus"]).is_err());
/// # Ok::<(), clearance_bench::Error>(())
/// ```
pub fn select(words: &[impl AsRef<str>]) -> Result<Vec<&'static str>> {
    let fits =
        |name: &str, word: &str| name.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    for word in words.iter().map(AsRef::as_ref) {
        if !all().any(|name| fits(name, word)) {
            let names: Vec<&str> = all().collect();
            return Err(Error::other(format!("no scene is called {word}; there are {}", names.join(", "))));
        }
    }
    let wanted = |name: &&str| words.iter().any(|word| fits(name, word.as_ref()));
    Ok(all().filter(wanted).collect())
}

fn all() -> impl Iterator<Item = &'static str> {
    NAMES.into_iter().chain(boxes::SCENES)
}

/// The vertices of a body.
fn vertices(body: &str) -> Vec<DVec3> {
    let on_sphere = |count: usize| {
        let mut random = Random(count as u64);
        (0..count).map(|_| random.direction()).collect::<Vec<_>>()
    };
    match body {
        "cube" => {
            (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5).collect()
        }
        "octahedron" => DVec3::AXES.iter().flat_map(|&axis| [axis * 0.5, -axis * 0.5]).collect(),
        "icosahedron" => {
            let golden = 0.5 + 1.25_f64.sqrt();
            let vertex = |x: f64, y: f64| [DVec3::new(0.0, x, y), DVec3::new(x, y, 0.0), DVec3::new(y, 0.0, x)];
            [(0.5, golden), (0.5, -golden), (-0.5, golden), (-0.5, -golden)]
                .into_iter()
                .flat_map(|(x, y)| vertex(x * 0.5, y * 0.25))
                .collect()
        }
        "antiprism" => (0..18)
            .map(|i| {
                let (sin, cos) = (TAU * f64::from(i) / 18.0).sin_cos();
                DVec3::new(0.5 * cos, 0.5 * sin, if i % 2 == 0 { 0.25 } else { -0.25 })
            })
            .collect(),
        "hull30" => on_sphere(30),
        "hull300" => on_sphere(300),
        _ => on_sphere(3000),
    }
}

/// Makes the scene called `name`.
///
/// ```
/// let scene = clearance_bench::convex_scenes::make("convex-antiprism-75-colliding")?;
/// assert_eq!((scene.a.vertices().len(), scene.a.len(), scene.poses.len()), (18, 32, 2000));
/// # Ok::<(), clearance_bench::Error>(())
/// ```
pub fn make(name: &str) -> Result<Scene> {
    if name.starts_with("boxes") {
        return boxes::scene(name);
    }
    let Some(name) = NAMES.into_iter().find(|known| *known == name) else {
        return Err(Error::other(format!("no scene is called {name}")));
    };
    let mut parts = name.split('-').skip(1);
    let (body, kind, colliding) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next());
    let body = ConvexPolyhedron::hull_of(&vertices(body))?;
    let mesh = Arc::new(body.surface()?);
    let (low, high) = mesh.bounding_box();
    let size = (high - low).max_element();
    let spheres = spheres(&body);
    let (solid, dispatcher) = (Solid::new(body), Dispatcher::standard());
    let mut places =
        Places { plan: dispatcher.plan(&solid, &solid)?, workspace: Workspace::default(), random: Random(0xc07) };
    let (poses, queries) = match (kind, colliding) {
        ("25", Some("colliding")) => (places.some(size, 0.25, true)?, vec![Query::Collide, Query::Penetration]),
        ("75", Some("colliding")) => (places.some(size, 0.75, true)?, vec![Query::Collide, Query::Penetration]),
        ("25", _) => (places.some(size, 0.25, false)?, vec![Query::Collide, Query::Distance]),
        ("75", _) => (places.some(size, 0.75, false)?, vec![Query::Collide, Query::Distance]),
        ("near", _) => (places.near_sequence(size, spheres)?, vec![Query::Collide, Query::Distance]),
        _ => (places.sequence(size)?, vec![Query::Collide, Query::Distance]),
    };
    Ok(Scene { name, a: Arc::clone(&mesh), b: mesh, poses, queries, stand_in: false })
}

/// The radii of spheres about the middle of a body's vertices: inside of it and around it.
fn spheres(body: &ConvexPolyhedron) -> (f64, f64) {
    let middle = body.vertices().sum::<DVec3>() / body.vertex_count() as f64;
    let height = |face: u32| body.face_normal(face).dot(body.vertex(body.face(face)[0]) - middle);
    let inner = (0..body.face_count() as u32).map(height).fold(f64::INFINITY, f64::min);
    (inner, body.vertices().map(|point| point.distance(middle)).fold(0.0, f64::max))
}

/// Where the second body may be.
struct Places<'p> {
    plan: PairQuery<'p>,
    workspace: Workspace,
    random: Random,
}

impl Places<'_> {
    fn anywhere(&mut self, reach: f64) -> Result<Pose> {
        let place = DVec3::new(self.random.signed(), self.random.signed(), self.random.signed()) * reach;
        Ok(Pose::new(self.random.rotation(), place)?)
    }

    fn collides(&mut self, pose: &Pose) -> bool {
        self.plan.collide(pose, &mut self.workspace, None).colliding
    }

    /// Half the side of the cube in which this part of all poses collides.
    fn reach(&mut self, size: f64, probability: f64) -> Result<f64> {
        let (mut low, mut high) = (0.0, 4.0 * size);
        for _ in 0..12 {
            let middle = 0.5 * (low + high);
            self.random = Random(1);
            let mut hits = 0;
            for _ in 0..TRIAL_POSES {
                let pose = self.anywhere(middle)?;
                hits += usize::from(self.collides(&pose));
            }
            let often = hits as f64 > probability * TRIAL_POSES as f64;
            (low, high) = if often { (middle, high) } else { (low, middle) };
        }
        Ok(low)
    }

    /// Random poses, only those that collide or only those that do not.
    fn some(&mut self, size: f64, probability: f64, colliding: bool) -> Result<Vec<Pose>> {
        let reach = self.reach(size, probability)?;
        let mut poses = Vec::with_capacity(POSES);
        while poses.len() < POSES {
            let pose = self.anywhere(reach)?;
            if self.collides(&pose) == colliding {
                poses.push(pose);
            }
        }
        Ok(poses)
    }

    /// A walk through the cube in which half of all poses collide; it turns back at the walls.
    fn sequence(&mut self, size: f64) -> Result<Vec<Pose>> {
        let reach = self.reach(size, 0.5)?;
        let start = self.anywhere(reach)?;
        self.walk(start, size, |place, heading| {
            let outside = place.abs().cmpgt(DVec3::splat(reach));
            (place, DVec3::select(outside, -heading.abs() * place.signum(), heading))
        })
    }

    /// A walk around the first body: spheres inside of both are apart, and spheres around both
    /// overlap.
    fn near_sequence(&mut self, size: f64, (inner, outer): (f64, f64)) -> Result<Vec<Pose>> {
        let start = Pose::new(self.random.rotation(), self.random.direction() * (inner + outer))?;
        self.walk(start, size, |place, heading| {
            let (distance, outward) = (place.length(), place.normalize());
            let inside = distance.clamp(2.0 * inner, 2.0 * outer);
            // It turns back where it would leave.
            let away = outward * heading.dot(outward);
            let leaves = (distance - inside) * heading.dot(outward) > 0.0;
            (outward * inside, if leaves { heading - 2.0 * away } else { heading })
        })
    }

    /// Poses a degree and 1 % of the size apart; `keep` says where a place and a heading become
    /// others.
    fn walk(&mut self, start: Pose, size: f64, keep: impl Fn(DVec3, DVec3) -> (DVec3, DVec3)) -> Result<Vec<Pose>> {
        let (mut pose, mut heading) = (start, self.random.direction());
        let turn = DMat3::from_quat(DQuat::from_axis_angle(self.random.direction(), STEP.0));
        let mut poses = Vec::with_capacity(STEPS);
        for _ in 0..STEPS {
            poses.push(pose);
            heading = (heading + self.random.direction() * 0.1).normalize();
            let place;
            (place, heading) = keep(pose.translation() + heading * (STEP.1 * size), heading);
            pose = Pose::from_matrix(turn * *pose.rotation(), place)?;
        }
        Ok(poses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_hold_what_their_names_say() {
        for name in ["convex-cube-25-colliding", "convex-icosahedron-75-separated", "convex-hull30-25-separated"] {
            let scene = make(name).unwrap();
            let solid = Solid::new(ConvexPolyhedron::hull_of_mesh(&scene.a).unwrap());
            let dispatcher = Dispatcher::standard();
            let plan = dispatcher.plan(&solid, &solid).unwrap();
            let collides = |pose: &Pose| plan.collide(pose, &mut Workspace::default(), None).colliding;
            assert!(scene.poses.iter().all(|pose| collides(pose) == name.ends_with("colliding")), "{name}");
        }
        let sequence = make("convex-octahedron-sequence").unwrap();
        for pair in sequence.poses.windows(2) {
            let step = pair[0].translation().distance(pair[1].translation());
            assert!((step - 0.01).abs() < 1e-12, "{step}");
        }
        let near = make("convex-octahedron-near").unwrap();
        for pair in near.poses.windows(2) {
            let [from, to] = [&pair[0], &pair[1]].map(Pose::translation);
            assert!(from.distance(to) < 0.02 && (0.577..1.001).contains(&to.length()), "{from} {to}");
        }
    }
}
