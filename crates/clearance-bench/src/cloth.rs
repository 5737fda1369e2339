//! Continuous self-collision of cloth: milliseconds a step, on one core, in turns with peers.
//!
//! Sheets of 20,000 triangles that are folded, rolled up and crumpled, and one that falls on a
//! torus. A step moves every vertex along a straight line, from one shape to the next. The question
//! is the first contact. All engines get the same vertices to the last bit; what they build for a
//! topology is not counted, and what they refit for a step is.

use crate::placing::Random;
use crate::table::{Table, short};
use crate::{Result, models, timing};
use clearance_engine::TriMesh;
use clearance_engine::math::DVec3;
use clearance_engine::motion::DeformingMesh;
use std::f64::consts::{PI, TAU};

/// Squares along an edge of a sheet.
const SIDE: u32 = 100;
/// The tolerance of contacts, here and for peers.
const TOLERANCE: f64 = 1e-6;

/// A surface and where its vertices are at the start and the end of a step.
pub struct Step {
    /// What happens.
    pub name: &'static str,
    /// The surface at the start.
    pub mesh: TriMesh,
    /// The vertices at the end.
    pub end: Vec<DVec3>,
}

/// A sheet by where its points are.
fn sheet(place: impl Fn(f64, f64) -> DVec3) -> Result<TriMesh> {
    let edge = f64::from(SIDE);
    let vertices = (0..=SIDE).flat_map(|j| (0..=SIDE).map(move |i| (f64::from(i) / edge, f64::from(j) / edge)));
    let at = |i: u32, j: u32| j * (SIDE + 1) + i;
    let squares = (0..SIDE).flat_map(|j| (0..SIDE).map(move |i| (i, j)));
    let triangles = squares
        .flat_map(|(i, j)| [[at(i, j), at(i + 1, j), at(i, j + 1)], [at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]]);
    Ok(TriMesh::new(vertices.map(|(x, y)| place(x, y)).collect(), triangles.collect())?)
}

/// Pleats that are pushed together, the more the greater `t`, and then lean on each other.
fn pleats(x: f64, y: f64, t: f64, lean: f64) -> DVec3 {
    let z = 0.12 * (12.0 * PI * x).sin() * (1.0 + 0.05 * (17.0 * y + 5.0 * x).sin());
    DVec3::new(x * (1.0 - 0.8 * t) + 0.02 * (9.0 * y).sin() + lean * z * z * (40.0 * x).cos(), y, z)
}

/// A sheet that is rolled up, in layers that are `gap` apart.
fn roll(x: f64, y: f64, gap: f64) -> DVec3 {
    let turns = 4.0;
    let (angle, radius) = (TAU * turns * x, 0.03 + gap * turns * x);
    DVec3::new(radius * angle.cos(), y + 0.01 * (7.0 * angle).sin(), radius * angle.sin())
}

fn step(name: &'static str, mesh: TriMesh, end: &TriMesh) -> Step {
    Step { name, mesh, end: end.vertices().to_vec() }
}

/// The steps of the race.
pub fn steps() -> Result<Vec<Step>> {
    let folded = |t: f64, lean: f64| sheet(|x, y| pleats(x, y, t, lean));
    let rolled = |gap: f64| sheet(|x, y| roll(x, y, gap));
    let flat = sheet(|x, y| DVec3::new(x, y, 0.02 * (20.0 * x).sin() * (23.0 * y).cos()))?;
    let mut random = Random(11);
    let mut noise = |amount: f64| DVec3::new(random.signed(), random.signed(), random.signed()) * amount;
    let crumpled: Vec<DVec3> = flat.vertices().iter().map(|p| *p + noise(0.004)).collect();
    let crushed: Vec<DVec3> = flat.vertices().iter().map(|p| *p + noise(0.02)).collect();
    let (falling, landed) = on_a_torus()?;
    Ok(vec![
        step("pleats that close, free", folded(0.6, 0.0)?, &folded(0.65, 0.0)?),
        step("pleats that are tight, free", folded(0.9, 0.0)?, &folded(0.95, 0.0)?),
        step("pleats that touch", folded(0.9, 0.0)?, &folded(0.95, 6.0)?),
        step("a roll that tightens, free", rolled(0.01)?, &rolled(0.009)?),
        step("a roll that shuts", rolled(0.01)?, &rolled(-0.001)?),
        Step { name: "noise", mesh: flat.clone(), end: crumpled },
        Step { name: "noise that crosses", mesh: flat, end: crushed },
        Step { name: "a sheet that falls on a torus", mesh: falling, end: landed },
    ])
}

/// A sheet above a torus of as many triangles, and where it lands: the first contact is that of the
/// lowest part.
fn on_a_torus() -> Result<(TriMesh, Vec<DVec3>)> {
    let above = sheet(|x, y| DVec3::new(x - 0.5, y - 0.5, 0.45 + 0.02 * (8.0 * x + 3.0 * y).sin()))?;
    let torus = models::torus(0.3, 0.1, 200, 50)?;
    let mut vertices = above.vertices().to_vec();
    let (first, count) = (vertices.len() as u32, vertices.len());
    vertices.extend_from_slice(torus.vertices());
    let mut triangles = above.triangles().to_vec();
    triangles.extend(torus.triangles().iter().map(|t| t.map(|v| v + first)));
    let mut end = vertices.clone();
    end[..count].iter_mut().for_each(|p| p.z -= 0.5 - 0.2 * p.x * p.x);
    Ok((TriMesh::new(vertices, triangles)?, end))
}

/// Another engine.
pub trait Peer {
    /// Its name, the head of a column of milliseconds.
    fn name(&self) -> &'static str;

    /// Finds the first contact of a step with a tolerance: the milliseconds of CPU time, and the
    /// time of it, or infinity.
    fn first(&mut self, step: &Step, tolerance: f64) -> Result<(f64, f64)>;
}

/// The table: `rounds` turns, of which the best counts. A peer that calls a step free in which we
/// find a contact, or is late by more than the tolerance, misses it; and the other way round.
pub fn race(rounds: usize, peers: &mut [Box<dyn Peer>]) -> Result<Table> {
    let mut head = vec!["step", "triangles", "first contact", "clearance, ms"];
    head.extend(peers.iter().flat_map(|peer| [peer.name(), "ratio", "its first contact"]));
    let mut table = Table::new("Cloth: the first contact of a step", &head);
    let time = |t: f64| if t <= 1.0 { format!("{t:.6}") } else { "free".into() };
    for step in steps()? {
        let mut surface = DeformingMesh::new(&step.mesh)?;
        let mut least = vec![f64::INFINITY; 1 + peers.len()];
        let mut firsts = vec![f64::INFINITY; 1 + peers.len()];
        for _ in 0..rounds {
            let mut outcome = Ok(None);
            let us = timing::shortest_thread_us(1, || {
                let found = surface.step(step.mesh.vertices(), &step.end);
                outcome = found.and_then(|()| surface.self_impact(TOLERANCE));
            });
            firsts[0] = outcome?.map_or(f64::INFINITY, |found| found.t_lower);
            least[0] = least[0].min(us / 1e3);
            for (k, peer) in peers.iter_mut().enumerate() {
                let (ms, first) = peer.first(&step, TOLERANCE)?;
                least[1 + k] = least[1 + k].min(ms);
                firsts[1 + k] = first;
            }
        }
        let mut row = vec![step.name.to_owned(), step.mesh.len().to_string(), time(firsts[0]), short(least[0])];
        for k in 1..least.len() {
            row.extend([short(least[k]), short(least[k] / least[0]), time(firsts[k])]);
        }
        table.rows.push(row);
    }
    Ok(table)
}
