//! Himmelstein, Ginioux, Ferré, Nakhaei, Lamiraux and Laumond, *Efficient Architecture for
//! Collision Detection between Heterogeneous Data Structures* (2010): Tables I and II, a voxel map
//! against a polygon tri_mesh of the same cells while a humanoid explores a room.
//!
//! HRP-2 and its images are not to be had: the built-in humanoid explores the built-in room of the
//! same size, 6 × 6 × 1 m. As in the paper, the cells of each iteration are given, and what is
//! measured begins there: the time until both grids (obstacles and unknown cells) can be asked
//! about, and the time of a test of the whole robot against the obstacles in the configurations
//! that the planner asked about. The paper's robot is under oriented boxes; here everything is
//! measured with that and with the default tree.

mod cells;
mod findings;
mod measure;

pub use measure::Sample;

use super::{Effort, Report};
use crate::Result;
use crate::table::{Table, short};
use clearance_scene::explore::{Body, ExploreOptions, MotionTest, Room, explore};
use serde_json::json;

const VOXELS: &str = "voxel map";
const POLYGONS: &str = "polygons";

/// A row of the printed tables: iteration, obstacle cells, unknown cells, type, set-up in ms, ms a
/// test, kB.
type Printed = (usize, u64, u64, &'static str, f64, f64, f64);

const PRINTED: [Printed; 6] = [
    (1, 147, 2332, VOXELS, 20.0, 0.924, 74.0),
    (1, 147, 2332, POLYGONS, 65_761.0, 1.083, 111.0),
    (2, 202, 1012, VOXELS, 10.0, 0.779, 73.0),
    (2, 202, 1012, POLYGONS, 17_626.0, 1.292, 92.0),
    (3, 284, 306, VOXELS, 7.0, 0.547, 73.0),
    (3, 284, 306, POLYGONS, 5_304.0, 1.712, 83.0),
];
/// The text's set-up times at 10 cm, in ms: voxels and polygons.
const PRINTED_FINE: [f64; 2] = [38.1, 9.7 * 60e3];

/// The edges of cells.
const EDGES: [f64; 2] = [0.2, 0.1];
/// Configurations that are asked about, at a stride of 1.
const CONFIGURATIONS: usize = 900;

/// Measures and compares.
pub fn run(effort: &Effort, progress: &mut dyn FnMut(f64)) -> Result<Report> {
    let samples = measured(&EDGES, CONFIGURATIONS / effort.stride.max(1), effort, progress)?;
    let findings = findings::all(&samples);
    let mut json: Vec<_> = samples.iter().map(Sample::json).collect();
    json.extend(PRINTED.iter().map(|&(iteration, obstacle, unknown, kind, set_up_ms, test_ms, memory_kb)| {
        json!({
            "paper": "hetero", "table": "printed", "edge_m": 0.2, "iteration": iteration, "type": kind, "obstacle": obstacle,
            "unknown": unknown, "set_up_ms": set_up_ms, "test_us": test_ms * 1e3, "memory_kb": memory_kb,
        })
    }));
    json.extend(findings.iter().map(|finding| finding.json("hetero")));
    Ok(Report { notes: vec![note()], tables: tables(&samples), findings, plots: Vec::new(), json })
}

fn note() -> String {
    "Heterogeneous data structures (Himmelstein et al., 2010). The built-in humanoid explores the built-in room; set-up is from a list\n\
     of cells to both grids, `changes` from the grids of the iteration before; a test is the whole robot against the obstacles, without\n\
     its kinematics. One core; the printed times are of another robot, room and computer."
        .to_owned()
}

/// All iterations at all edges.
fn measured(edges: &[f64], count: usize, effort: &Effort, progress: &mut dyn FnMut(f64)) -> Result<Vec<Sample>> {
    let (body, room) = (Body::new()?, Room::with_passage()?);
    let robots = measure::Robots::new(&body)?;
    let mut samples = Vec::new();
    for (i, &edge) in edges.iter().enumerate() {
        let motions = MotionTest::Sampled;
        let options = ExploreOptions { resolution: edge, keep_asked: true, motions, ..ExploreOptions::default() };
        let recording = explore(&body, &room, &options, &mut |_| ())?;
        let share = 1.0 / (edges.len() * recording.iterations.len()) as f64;
        for number in 0..recording.iterations.len() {
            samples.extend(measure::iteration(&robots, &body, &recording, number, count, effort)?);
            progress(i as f64 / edges.len() as f64 + share * (number + 1) as f64);
        }
    }
    Ok(samples)
}

/// One table per edge, the printed rows first.
fn tables(samples: &[Sample]) -> Vec<Table> {
    const HEAD: [&str; 9] = [
        "iteration, type",
        "obstacle",
        "unknown",
        "set-up ms",
        "changes ms",
        "µs a test",
        "OBB robot: µs a test",
        "colliding",
        "memory kB",
    ];
    let title = |edge: f64| format!("Tables I and II, cells of {:.0} cm", edge * 100.0);
    let name = |iteration: usize, kind: &str| format!("{iteration}, {kind}");
    let cells = |sample: &Sample| {
        vec![
            name(sample.iteration, sample.name()),
            sample.obstacle.to_string(),
            sample.unknown.to_string(),
            short(sample.set_up_ms),
            sample.changes_ms.map_or("–".into(), short),
            sample.test_us.map_or("–".into(), short),
            sample.obb_test_us.map_or("–".into(), short),
            format!("{:.0} %", sample.colliding * 100.0),
            short(sample.memory_kb),
        ]
    };
    let mut tables = Table::grouped(&HEAD, samples, |sample| title(sample.edge), cells);
    let none = || "–".to_owned();
    for &(iteration, obstacle, unknown, kind, set_up, test, memory) in PRINTED.iter().rev() {
        let row = vec![
            format!("printed: {}", name(iteration, kind)),
            obstacle.to_string(),
            unknown.to_string(),
            short(set_up),
            none(),
            none(),
            short(test * 1e3),
            none(),
            short(memory),
        ];
        if let Some(table) = tables.first_mut() {
            table.rows.insert(0, row);
        }
    }
    if let Some(table) = tables.get_mut(1) {
        for (kind, set_up) in [POLYGONS, VOXELS].into_iter().zip([PRINTED_FINE[1], PRINTED_FINE[0]]) {
            let mut row = vec![format!("printed: {kind}"), none(), none(), short(set_up)];
            row.extend((row.len()..HEAD.len()).map(|_| none()));
            table.rows.insert(0, row);
        }
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn voxels_and_polygons_of_the_same_cells_agree_and_every_row_is_there() {
        let effort = Effort { stride: 20, rounds: 1, least: Duration::ZERO };
        let samples = measured(&EDGES[..1], 60, &effort, &mut |_| ()).unwrap();
        let iterations = samples.iter().map(|sample| sample.iteration).max().unwrap();
        assert!((2..=5).contains(&iterations) && samples.len() == 3 * iterations);
        for kinds in samples.chunks(3) {
            assert!(kinds[0].tests > 20, "{kinds:?}");
            // A link inside of a cell does not touch the cell's surface: of solids more collide.
            assert!(kinds.iter().all(|kind| kind.colliding <= kinds[0].colliding), "{kinds:?}");
            assert!(kinds.iter().all(|kind| kind.colliding >= kinds[0].colliding - 0.1), "{kinds:?}");
            assert!(kinds[0].set_up_ms < kinds[1].set_up_ms && kinds[0].memory_kb < kinds[1].memory_kb, "{kinds:?}");
        }
        let tables = tables(&samples);
        assert_eq!((tables.len(), tables[0].rows.len()), (1, samples.len() + PRINTED.len()));
        assert!(tables[0].rows.iter().all(|row| row.len() == tables[0].head.len()));
        let found = findings::all(&samples);
        assert!(found.iter().all(|finding| !finding.here.contains("NaN")), "{found:?}");
    }
}
