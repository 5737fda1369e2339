//! Table 1's polyhedra, and where they are put.

use crate::Result;
use crate::placing::Random;
use clearance_engine::Pose;
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::DVec3;
use clearance_engine::shape::ConvexPolyhedron;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::Solid;
use std::f64::consts::{PI, TAU};

/// A polyhedron of Table 1, all vertices within 1 of the origin.
pub(super) struct Body {
    /// What it is.
    pub name: &'static str,
    /// What the paper calls it.
    pub printed: &'static str,
    /// The printed numbers of vertices, edges and faces.
    pub counts: [usize; 3],
    pub polyhedron: ConvexPolyhedron,
}

/// The four bodies, in the order of Table 1.
pub(super) fn all() -> Result<[Body; 4]> {
    let signs = |i: u32| DVec3::from_array([0, 1, 2].map(|bit| if i >> bit & 1 == 0 { 1.0 } else { -1.0 }));
    let cube: Vec<DVec3> = (0..8).map(|i| signs(i) / 3.0_f64.sqrt()).collect();
    let octahedron: Vec<DVec3> = DVec3::AXES.iter().flat_map(|&axis| [axis, -axis]).collect();
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let rectangle = DVec3::new(0.0, 1.0, golden).normalize();
    let icosahedron: Vec<DVec3> = (0..12)
        .map(|i| {
            let vertex = signs(2 * i) * rectangle;
            [vertex, DVec3::new(vertex.y, vertex.z, vertex.x), DVec3::new(vertex.z, vertex.x, vertex.y)][i as usize / 4]
        })
        .collect();
    let body = |name, printed, counts, points: &[DVec3]| -> Result<Body> {
        Ok(Body { name, printed, counts, polyhedron: ConvexPolyhedron::hull_of(points)? })
    };
    Ok([
        body("cube", "cubo", [8, 12, 6], &cube)?,
        body("octahedron", "octaedro", [6, 12, 8], &octahedron)?,
        body("icosahedron", "dodecaedro", [12, 30, 20], &icosahedron)?,
        body("antiprism", "eneagonal", [18, 36, 20], &antiprism(9))?,
    ])
}

/// The vertices of the antiprism over a regular polygon with all edges alike, on the unit sphere.
fn antiprism(sides: u32) -> Vec<DVec3> {
    let edge = 2.0 * (PI / f64::from(sides)).sin();
    // A slanted edge spans half a step around a circle of radius 1.
    let chord = 2.0 * (PI / f64::from(2 * sides)).sin();
    let height = (edge * edge - chord * chord).sqrt();
    // One height for all vertices of a polygon, so that they are in one plane exactly.
    let radius = 1.0 / (1.0 + 0.25 * height * height).sqrt();
    let vertex = |i: u32| {
        let (sin, cos) = (TAU * f64::from(i) / f64::from(2 * sides)).sin_cos();
        let half = 0.5 * height * radius;
        DVec3::new(cos * radius, sin * radius, if i.is_multiple_of(2) { half } else { -half })
    };
    (0..2 * sides).map(vertex).collect()
}

/// Random places of two bodies in a sphere, as poses of the second in the first one's frame.
///
/// Both centres are uniform in the sphere and both bodies are turned at random.
fn placements(radius: f64, count: usize, random: &mut Random) -> Result<Vec<Pose>> {
    let mut poses = Vec::with_capacity(count);
    for _ in 0..count {
        let mut place = || {
            let distance = random.unit().cbrt() * radius;
            Ok::<_, crate::Error>(Pose::new(random.rotation(), random.direction() * distance)?)
        };
        let (a, b) = (place()?, place()?);
        poses.push(a.inverse().then(&b));
    }
    Ok(poses)
}

/// Placements in a sphere of such a size that the wanted share of them collides, and which of them
/// do.
pub(super) fn colliding_at(
    a: &Body,
    b: &Body,
    probability: f64,
    count: usize,
    seed: u64,
) -> Result<(Vec<Pose>, Vec<bool>)> {
    // The standard error of the share is then less than a hundredth.
    const TRIALS: usize = 3000;
    let (a, b) = (Solid::new(a.polyhedron.clone()), Solid::new(b.polyhedron.clone()));
    let (dispatcher, mut workspace) = (Dispatcher::standard(), Workspace::default());
    let plan = dispatcher.plan(&a, &b)?;
    let mut colliding = |poses: &[Pose]| -> Vec<bool> {
        poses.iter().map(|pose| plan.collide(pose, &mut workspace, None).colliding).collect()
    };
    let (mut small, mut large) = (0.0, 8.0);
    for _ in 0..12 {
        let radius = 0.5 * (small + large);
        // The same numbers at every radius: the share then falls with it.
        let found = colliding(&placements(radius, TRIALS, &mut Random(seed))?);
        let share = found.iter().filter(|&&colliding| colliding).count() as f64 / TRIALS as f64;
        if share > probability { small = radius } else { large = radius }
    }
    let poses = placements(0.5 * (small + large), count, &mut Random(seed + 1))?;
    let found = colliding(&poses);
    Ok((poses, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bodies_have_the_printed_numbers_of_vertices_edges_and_faces() {
        for body in all().unwrap() {
            let p = &body.polyhedron;
            assert_eq!([p.vertex_count(), p.edge_count(), p.face_count()], body.counts, "{}", body.name);
            assert!(p.vertices().all(|v| (v.length() - 1.0).abs() < 1e-12), "{}", body.name);
        }
    }

    #[test]
    fn the_wanted_share_of_the_placements_collides() {
        let [cube, _, _, antiprism] = all().unwrap();
        for probability in [0.25, 0.75] {
            let (poses, colliding) = colliding_at(&cube, &antiprism, probability, 4000, 3).unwrap();
            let share = colliding.iter().filter(|&&colliding| colliding).count() as f64 / poses.len() as f64;
            assert!((share - probability).abs() < 0.04, "{share}");
        }
    }
}
