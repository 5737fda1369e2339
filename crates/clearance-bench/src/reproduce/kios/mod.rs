//! Zhang and Kim, *k-IOS: Intersection of Spheres for Efficient Proximity Query* (2012): Table I
//! for every volume of the engine, both methods of construction, and sweeps of the two empirical
//! constants.
//!
//! The printed table names its rows after the two scenes, but its text gives the same numbers as
//! collision and distance of the falling torus, which is what they are compared with here. The
//! rival, PQP, bounds with swept spheres for distance and with oriented boxes for collision; here
//! `rss` and `obb` stand for it, in the same traversal as k-IOS. The figures are drawings and have
//! no numbers; the two scenes with robots are in [`super::humanoid`].

mod findings;
mod measure;

pub use measure::Sample;

use super::{Effort, Report};
use crate::engines::Query;
use crate::table::{Table, short};
use crate::volumes::{self, Contender};
use crate::{Result, Scene, scenes};
use clearance_engine::math::DVec3;
use clearance_engine::volume::{KIosAxes, KIosCount, KIosFit, KIosMethod, KIosTightening, Kdop18};
use measure::measure;
use serde_json::json;
use std::f64::consts::PI;

const RULE: &str = "k-IOS II";
const AS_PRINTED: &str = "k-IOS II, shifted (as printed)";
const LOOSE: &str = "k-IOS II, not tightened";
const ONE: &str = "k-IOS II, k = 1";
const THREE: &str = "k-IOS II, k = 3";
const FIVE: &str = "k-IOS II, k = 5";
const ALIGNED: &str = "k-IOS II, axis-aligned";
const FIXED: &str = "k-IOS II, fixed directions";
const SMALLEST: &str = "k-IOS I";
const RESIZED: &str = "k-IOS I, resized ellipsoid";

/// The flavours of k-IOS that the engine has. Method II and its spheres brought as close as they
/// can be is the default.
fn flavours() -> Vec<(&'static str, KIosFit)> {
    let two = KIosFit::default;
    let one = || KIosFit { method: KIosMethod::SmallestEllipsoid, ..two() };
    let directions: Vec<DVec3> = Kdop18::directions().to_vec();
    vec![
        (RULE, two()),
        (ONE, KIosFit { count: KIosCount::One, ..two() }),
        (THREE, KIosFit { count: KIosCount::Three, ..two() }),
        (FIVE, KIosFit { count: KIosCount::Five, ..two() }),
        (AS_PRINTED, KIosFit { tightening: KIosTightening::Shift, ..two() }),
        (LOOSE, KIosFit { tightening: KIosTightening::None, ..two() }),
        (ALIGNED, KIosFit { axes: KIosAxes::Aligned, ..two() }),
        (FIXED, KIosFit { axes: KIosAxes::Fixed(directions), ..two() }),
        (SMALLEST, one()),
        ("k-IOS I, k = 1", KIosFit { count: KIosCount::One, ..one() }),
        ("k-IOS I, k = 3", KIosFit { count: KIosCount::Three, ..one() }),
        ("k-IOS I, k = 5", KIosFit { count: KIosCount::Five, ..one() }),
        (RESIZED, KIosFit { method: KIosMethod::ResizedEllipsoid, ..two() }),
    ]
}

/// All that Table I is measured for: every volume of the engine, k-IOS in all flavours.
fn contenders() -> Vec<Contender> {
    let plain = volumes::all().into_iter().filter(|volume| volume.name != "kios");
    plain.chain(flavours().into_iter().map(|(name, how)| Contender::kios(name, how))).collect()
}

/// What the paper prints: scene, query, volume, µs, volume tests, floats of either body.
type Printed = (&'static str, Query, &'static str, f64, Option<f64>, Option<(f64, f64)>);

const PRINTED: [Printed; 6] = [
    ("falling", Query::Distance, "printed: k-IOS", 494.0, Some(1896.0), Some((9.8, 9.9))),
    ("falling", Query::Distance, "printed: PQP", 495.0, Some(1194.0), None),
    ("falling", Query::Collide, "printed: k-IOS", 135.0, Some(798.0), Some((9.8, 9.9))),
    ("falling", Query::Collide, "printed: PQP", 269.0, Some(568.0), None),
    ("spinning", Query::Distance, "printed: k-IOS", 491.0, None, Some((9.8, 9.6))),
    ("spinning", Query::Collide, "printed: k-IOS", 0.419, None, Some((9.8, 9.6))),
];

/// The values of Method II's angle, as π over this; the paper's is 6.
const ANGLES: [f64; 8] = [24.0, 16.0, 12.0, 8.0, 6.0, 5.0, 4.0, 3.0];
/// The values of the ratio that decides on the number of spheres; the paper's is 1.5.
const RATIOS: [f64; 7] = [1.0, 1.2, 1.5, 1.75, 2.0, 2.5, 3.0];

fn angle_name(divisor: f64) -> String {
    format!("π/{divisor}")
}

fn angles() -> Vec<Contender> {
    let contender = |&n: &f64| Contender::kios(angle_name(n), KIosFit { angle: PI / n, ..KIosFit::default() });
    ANGLES.iter().map(contender).collect()
}

fn ratios() -> Vec<Contender> {
    let contender = |&ratio: &f64| Contender::kios(ratio.to_string(), KIosFit { ratio, ..KIosFit::default() });
    RATIOS.iter().map(contender).collect()
}

/// Everything that was measured.
struct Measured {
    table: Vec<Sample>,
    angles: Vec<Sample>,
    ratios: Vec<Sample>,
}

/// Measures and compares.
pub fn run(effort: &Effort, progress: &mut dyn FnMut(f64)) -> Result<Report> {
    let mut measured = Measured { table: Vec::new(), angles: Vec::new(), ratios: Vec::new() };
    let mut notes = vec![note(effort)];
    // A constant changes little from pose to pose: half of them tell as much.
    let sweep = Effort { stride: effort.stride.saturating_mul(2), ..*effort };
    for (i, name) in ["falling", "spinning"].into_iter().enumerate() {
        let scene: Scene = scenes::make(name)?;
        notes.extend(scene.note());
        let mut part = |from: f64, share: f64, done: f64| progress(0.5 * (i as f64 + from + share * done));
        measured.table.extend(measure(&scene, &contenders(), effort, &mut |done| part(0.0, 0.7, done))?);
        measured.angles.extend(measure(&scene, &angles(), &sweep, &mut |done| part(0.7, 0.15, done))?);
        measured.ratios.extend(measure(&scene, &ratios(), &sweep, &mut |done| part(0.85, 0.15, done))?);
    }
    let mut tables = table_one(&measured.table);
    tables.push(sweep_table("Method II: the angle (the paper's is π/6)", "angle", &measured.angles));
    tables.push(sweep_table(
        "The ratio above which an axis gets spheres (the paper's is 1.5)",
        "ratio",
        &measured.ratios,
    ));
    let findings = findings::all(&measured);
    let rows = [("Table I", &measured.table), ("angle", &measured.angles), ("ratio", &measured.ratios)];
    let samples = rows.into_iter().flat_map(|(table, samples)| samples.iter().map(move |sample| sample.json(table)));
    let printed = PRINTED.iter().map(|(scene, query, volume, us, volume_tests, floats)| {
        json!({
            "paper": "kios", "table": "Table I", "scene": scene, "query": query.name(), "volume": volume, "us": us,
            "volume_tests": volume_tests, "floats": floats.map(|(a, b)| [a, b]),
        })
    });
    let found = findings.iter().map(|finding| finding.json("kios"));
    let json = samples.chain(printed).chain(found).collect();
    Ok(Report { notes, tables, findings, plots: Vec::new(), json })
}

fn note(effort: &Effort) -> String {
    format!(
        "k-IOS (Zhang and Kim, 2012). One pose in {} of each sequence, the best of {} turns, one core. As in PQP, distance\n\
         remembers the closest pair of the last pose and collide nothing. The printed times are of a 2.67 GHz Core i7.",
        effort.stride, effort.rounds
    )
}

/// One table per scene and query, the printed rows first.
fn table_one(samples: &[Sample]) -> Vec<Table> {
    const HEAD: [&str; 7] =
        ["volume", "µs", "volume tests", "ns a test", "triangle tests", "floats a volume", "build ms"];
    let title = |sample: &Sample| format!("Table I, {} {}", sample.scene, sample.query.name());
    let pair = |(a, b): (f64, f64)| format!("{a:.1} / {b:.1}");
    let cells = |sample: &Sample| {
        vec![
            sample.volume.clone(),
            short(sample.us),
            short(sample.volume_tests),
            short(sample.volume_ns),
            short(sample.leaf_tests),
            pair(sample.floats),
            short(sample.build_ms),
        ]
    };
    let mut tables = Table::grouped(&HEAD, samples, title, cells);
    for (scene, query, volume, us, volume_tests, floats) in PRINTED.iter().rev() {
        let title = format!("Table I, {scene} {}", query.name());
        let or_none = |text: Option<String>| text.unwrap_or("–".into());
        let row = [
            (*volume).to_owned(),
            short(*us),
            or_none(volume_tests.map(short)),
            or_none(volume_tests.map(|tests| format!("{:.0} in all", us * 1e3 / tests))),
            or_none(None),
            or_none(floats.map(pair)),
            or_none(None),
        ];
        if let Some(table) = tables.iter_mut().find(|table| table.title == title) {
            table.rows.insert(0, row.to_vec());
        }
    }
    tables
}

/// One row per value, time and tests of every scene and query beside each other.
fn sweep_table(title: &str, value: &'static str, samples: &[Sample]) -> Table {
    let mut table = Table::new(
        title,
        &[
            value,
            "falling distance µs",
            "tests",
            "collide µs",
            "tests",
            "spinning distance µs",
            "tests",
            "collide µs",
            "tests",
            "floats",
        ],
    );
    for sample in samples.iter().filter(|sample| is(sample, "falling", Query::Distance)) {
        let mut row = vec![sample.volume.clone()];
        for scene in ["falling", "spinning"] {
            for query in [Query::Distance, Query::Collide] {
                let found = samples.iter().find(|other| other.volume == sample.volume && is(other, scene, query));
                row.push(found.map_or("–".into(), |found| short(found.us)));
                row.push(found.map_or("–".into(), |found| short(found.volume_tests)));
            }
        }
        row.push(format!("{:.1}", (sample.floats.0 + sample.floats.1) / 2.0));
        table.rows.push(row);
    }
    table
}

fn is(sample: &Sample, scene: &str, query: Query) -> bool {
    sample.scene == scene && sample.query == query
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::time::Duration;

    #[test]
    fn the_report_has_every_volume_every_value_and_the_printed_figures() {
        let report = run(&Effort { stride: 800, rounds: 1, least: Duration::ZERO }, &mut |_| ()).unwrap();
        let titles: Vec<&str> = report.tables.iter().map(|table| &*table.title).collect();
        assert_eq!(
            titles[..4],
            ["falling distance", "falling collide", "spinning distance", "spinning collide"]
                .map(|title| format!("Table I, {title}"))
        );
        let names: HashSet<String> = contenders().into_iter().map(|contender| contender.name).collect();
        assert_eq!(names.len(), volumes::all().len() - 1 + flavours().len());
        for table in &report.tables[..4] {
            let rows: HashSet<String> = table.rows.iter().map(|row| row[0].clone()).collect();
            assert!(names.is_subset(&rows) && rows.contains("printed: k-IOS"), "{}: {rows:?}", table.title);
        }
        assert_eq!(report.tables[4].rows.len(), ANGLES.len());
        assert_eq!(report.tables[5].rows.len(), RATIOS.len());
        assert!(report.tables.iter().all(|table| table.rows.iter().all(|row| row.len() == table.head.len())));
        let unmeasured =
            report.findings.iter().find(|finding| finding.here.contains("NaN") || finding.here.contains("inf"));
        assert_eq!(unmeasured, None);
    }
}
