//! How narrow certified penetration depths of solid meshes get, and how long that takes: for each
//! family of bodies and each budget, the width of the interval as a part of its upper end and the
//! processor time. Prints a table in Markdown. Poses are random, 1 to 20 % of the size deep along a
//! random direction.
//!
//! `cargo run --release -p clearance-bench --example penetration_speed [poses]`
#![allow(clippy::print_stdout)]

#[path = "../../clearance-engine/src/random.rs"]
#[allow(dead_code)]
mod random;

use clearance_bench::models;
use clearance_bench::thread_time;
use clearance_engine::convex::PenetrationRequest;
use clearance_engine::dispatch::Pair;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::tree::{Geometry, Mesh};
use clearance_engine::{Pose, Result, TriMesh};
use random::Random;
use std::f64::consts::TAU;
use std::sync::Arc;

const BUDGETS: [usize; 5] = [8_000, 45_000, 150_000, 250_000, 1_000_000];

/// A tube around a closed curve; `section` gives the offset at an angle along and around.
fn tube(along: usize, around: usize, place: impl Fn(f64, f64) -> DVec3) -> Result<TriMesh> {
    let angle = |i: usize, count: usize| TAU * (i % count) as f64 / count as f64;
    let vertices = (0..along * around).map(|i| place(angle(i / around, along), angle(i % around, around))).collect();
    let number = |i: usize, j: usize| (i % along * around + j % around) as u32;
    let quad = |i: usize, j: usize| {
        let [p, q, r, s] = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
        [[p, q, r], [p, r, s]]
    };
    TriMesh::new(vertices, (0..along * around).flat_map(|i| quad(i / around, i % around)).collect())
}

/// A ring with a square section that turns half around itself: sharp edges that wind.
fn twisted_ring(along: usize, around: usize) -> Result<TriMesh> {
    tube(along, around, |u, v| {
        let square = |x: f64| x / v.cos().abs().max(v.sin().abs());
        let (x, y) = (square(0.3 * v.cos()), square(0.3 * v.sin()));
        let (sin, cos) = (u * 0.5 * 2.0).sin_cos();
        let (x, y) = (x * cos - y * sin, x * sin + y * cos);
        DVec3::new((1.0 + x) * u.cos(), (1.0 + x) * u.sin(), y)
    })
}

/// A bowl: a shell of revolution, closed at its rim and about its axis.
fn bowl(along: usize, around: usize, thickness: f64) -> Result<TriMesh> {
    let mut random = Random(3);
    let waves: Vec<f64> = (0..4).map(|_| random.between(0.0, TAU)).collect();
    tube(around, along, |u, v| {
        // Inside from the axis to the rim and outside back; a hole in the bottom keeps it a tube.
        let (share, radius) = if v < TAU / 2.0 { (2.0 * v / TAU, 1.0 - thickness) } else { (2.0 - 2.0 * v / TAU, 1.0) };
        let polar = 0.2 + 1.3 * share;
        let radius = radius * (1.0 + 0.05 * (3.0 * u + waves[0]).sin() * polar);
        DVec3::new(radius * polar.sin() * u.cos(), radius * polar.sin() * u.sin(), -radius * polar.cos())
    })
}

/// A gear: a ring with teeth.
fn gear(along: usize, around: usize, teeth: f64) -> Result<TriMesh> {
    tube(along, around, |u, v| {
        let tooth = ((teeth * u).sin() * 4.0).tanh() * 0.12;
        let square = |x: f64| x / v.cos().abs().max(v.sin().abs());
        let outer = square(0.35 * v.cos());
        let x = if outer > 0.0 { outer + tooth } else { outer };
        DVec3::new((1.0 + x) * u.cos(), (1.0 + x) * u.sin(), square(0.2 * v.sin()))
    })
}

/// A ring with a triangular section that turns once around itself.
fn screw_ring(along: usize, around: usize) -> Result<TriMesh> {
    tube(along, around, |u, v| {
        let sector = (v + TAU).rem_euclid(TAU / 3.0) - TAU / 6.0;
        let radius = 0.35 * (TAU / 6.0).cos() / sector.cos();
        let (x, y) = (radius * (v + u).cos(), radius * (v + u).sin());
        DVec3::new((1.0 + x) * u.cos(), (1.0 + x) * u.sin(), y)
    })
}

/// A ball with seven ribs from pole to pole.
fn ribbed_ball() -> Result<TriMesh> {
    let ball = models::icosphere(4, 0.0)?;
    let ribbed = |p: &DVec3| *p * (1.0 + 0.3 * (7.0 * p.y.atan2(p.x)).cos() * (1.0 - p.z * p.z / p.length_squared()));
    TriMesh::new(ball.vertices().iter().map(ribbed).collect(), ball.triangles().to_vec())
}

/// A flat star with five arms.
fn starfish() -> Result<TriMesh> {
    let ball = models::icosphere(4, 0.0)?;
    let arms = |p: &DVec3| {
        let length = 1.0 + 0.5 * (5.0 * p.y.atan2(p.x)).cos() * (1.0 - p.z * p.z / p.length_squared());
        *p * DVec3::new(length, length, 0.4)
    };
    TriMesh::new(ball.vertices().iter().map(arms).collect(), ball.triangles().to_vec())
}

/// A ring that rises and falls six times.
fn crown(along: usize, around: usize) -> Result<TriMesh> {
    tube(along, around, |u, v| {
        let radius = 1.0 + 0.15 * v.cos();
        DVec3::new(radius * u.cos(), radius * u.sin(), 0.3 * (6.0 * u).sin() + 0.15 * v.sin())
    })
}

/// A cube with rounded edges.
fn rounded_cube() -> Result<TriMesh> {
    let ball = models::icosphere(4, 0.0)?;
    let rounded = |p: &DVec3| *p / p.abs().powf(8.0).element_sum().powf(0.125);
    TriMesh::new(ball.vertices().iter().map(rounded).collect(), ball.triangles().to_vec())
}

/// Two bodies' meshes by name; the last three were never used to tune the search.
fn families() -> Result<Vec<(&'static str, TriMesh, TriMesh)>> {
    let ring = |along, around| models::torus(1.0, 0.4, along, around);
    Ok(vec![
        ("torus 1024", ring(32, 16)?, ring(32, 16)?),
        ("torus 5184", ring(72, 36)?, ring(72, 36)?),
        ("knobby torus 5184", models::knobby_torus(1.0, 0.4, 7, 72, 36)?, models::knobby_torus(1.0, 0.3, 5, 72, 36)?),
        ("bumpy sphere 5120", models::icosphere(4, 0.2)?, models::icosphere(4, 0.2)?),
        ("bumpy sphere 20480", models::icosphere(5, 0.2)?, models::icosphere(5, 0.2)?),
        ("twisted ring 5000", twisted_ring(50, 50)?, twisted_ring(50, 50)?),
        ("gear 19200", gear(240, 40, 12.0)?, gear(240, 40, 9.0)?),
        ("bowl of 8 % and gear", bowl(60, 40, 0.08)?, gear(120, 20, 9.0)?),
        ("bowls of 1 %", bowl(60, 40, 0.01)?, bowl(60, 40, 0.01)?),
        ("knot and bent torus", models::torus_knot(180, 14)?, models::bent_torus(1.0, 0.3, 72, 36)?),
        ("threefold screw ring 5184", screw_ring(72, 36)?, screw_ring(72, 36)?),
        ("ribbed ball and screw ring", ribbed_ball()?, screw_ring(72, 36)?),
        ("held out: starfish 5120", starfish()?, starfish()?),
        ("held out: crowns 10000", crown(250, 20)?, crown(250, 20)?),
        ("held out: rounded cube and starfish", rounded_cube()?, starfish()?),
    ])
}

/// A pose that is so deep along a random direction.
fn pose_at(pair: &mut Pair, random: &mut Random, size: f64, depth: f64) -> Result<Pose> {
    let vector = |random: &mut Random| DVec3::new(random.signed(), random.signed(), random.signed());
    let (spin, direction) = (vector(random) * 3.0, vector(random).normalize_or(DVec3::X));
    let at = |length: f64| Pose::new(DQuat::from_scaled_axis(spin), direction * length);
    let (mut inside, mut outside) = (0.0, 4.0 * size);
    for _ in 0..30 {
        let middle = 0.5 * (inside + outside);
        *if pair.collides(at(middle)?) { &mut inside } else { &mut outside } = middle;
    }
    at(inside - depth)
}

fn main() -> Result<()> {
    let poses: usize = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(24);
    let only = std::env::args().nth(2).unwrap_or_default();
    let head: Vec<String> = BUDGETS.iter().map(|budget| format!("{budget} steps")).collect();
    println!("| bodies | derived in s | {} |", head.join(" | "));
    println!("| --- |{}", " --- |".repeat(1 + BUDGETS.len()));
    for (name, a, b) in families()?.into_iter().filter(|family| family.0.contains(&only)) {
        let solid = |mesh: TriMesh| -> Result<Arc<Mesh>> { Ok(Arc::new(Mesh::<_>::new(mesh)?.into_solid()?)) };
        let (a, b) = (solid(a)?, solid(b)?);
        let size = |mesh: &Mesh| (mesh.bounding_box().1 - mesh.bounding_box().0).length();
        let size = size(&a).min(size(&b));
        let mut pair = Pair::new(&a, &b)?;
        let mut random = Random(7);
        let start = thread_time();
        pair.penetration(pose_at(&mut pair.clone(), &mut random, size, 0.1 * size)?)?;
        let derived = (thread_time() - start).as_secs_f64();
        let mut results: Vec<Vec<(f64, f64)>> = vec![Vec::new(); BUDGETS.len()];
        while results[0].len() < poses {
            let depth = random.between(0.01, 0.2) * size;
            let pose = pose_at(&mut pair, &mut random, size, depth)?;
            for (budget, results) in BUDGETS.iter().zip(&mut results) {
                let request = PenetrationRequest { rel_err: 0.005, max_steps: Some(*budget), ..Default::default() };
                let start = thread_time();
                let found = pair.penetration_with(pose, &request)?;
                let time = (thread_time() - start).as_secs_f64() * 1e3;
                let Some(found) = found else { break };
                results.push(((found.upper - found.lower) / found.upper * 100.0, time));
            }
        }
        let cell = |results: &Vec<(f64, f64)>| {
            let sorted = |of: fn(&(f64, f64)) -> f64| {
                let mut all: Vec<f64> = results.iter().map(of).collect();
                all.sort_by(f64::total_cmp);
                [all[all.len() / 2], all[all.len() * 9 / 10]]
            };
            let ([width, wide], [time, long]) = (sorted(|result| result.0), sorted(|result| result.1));
            format!("{width:.1} / {wide:.1} %, {time:.2} / {long:.2} ms")
        };
        println!("| {name} | {derived:.2} | {} |", results.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    Ok(())
}
