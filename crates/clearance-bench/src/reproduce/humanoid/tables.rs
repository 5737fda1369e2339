//! The tables, and all their numbers as JSON.

use super::super::rounded;
use super::caching::REUSES;
use super::range::{MARGIN, Sample, VARIANTS};
use super::spheres::{COMBINATIONS, COMPACT, Cubes, GREEDY, Level};
use super::stage::{Moment, mean};
use super::{Measured, OnStage, duets};
use crate::table::{Table, short};
use serde_json::{Value, json};

fn percent(part: f64) -> String {
    format!("{:.0} %", part * 100.0)
}

/// A multiple that may be infinite.
fn multiple(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { "none".into() }
}

/// All tables, in the order of the paper's figures.
pub(super) fn all(measured: &Measured) -> Vec<Table> {
    let mut tables = levels(&measured.levels);
    tables.extend(cubes(&measured.cubes));
    let of = |samples: fn(&OnStage) -> &Vec<Sample>| -> Vec<Sample> {
        measured.stages.iter().flat_map(|stage| samples(stage).iter().cloned()).collect()
    };
    tables.extend(parameter(
        "Fig. 9b: max_d, as a multiple of the distance",
        "max_d",
        &of(|stage| &stage.max_d),
        multiple,
    ));
    tables.push(approaches(measured));
    tables.extend(parameter("Figs. 10a, 10b: tolerance", "tolerance", &of(|stage| &stage.tolerance), percent));
    tables.push(caching(measured));
    tables.push(order(measured));
    tables.extend(robots(measured));
    tables
}

fn levels(levels: &[Level]) -> Vec<Table> {
    let names = COMBINATIONS.map(|(_, name)| name);
    let head: Vec<&'static str> = ["level", "spheres"].into_iter().chain(names).collect();
    let title = |level: &Level| format!("Fig. 4: volume of the spheres over that of an L, grouped {}", level.direction);
    let cells = |level: &Level| {
        let volumes = level.volumes.iter().map(|&volume| short(volume));
        [level.depth.to_string(), level.spheres.to_string()].into_iter().chain(volumes).collect()
    };
    Table::grouped(&head, levels, title, cells)
}

fn cubes(samples: &[Cubes]) -> Vec<Table> {
    const HEAD: [&str; 8] = [
        "gap in edges",
        "tolerance",
        "greedy µs",
        "compact µs",
        "greedy's extra time",
        "extra tests",
        "smallest µs",
        "ball of balls µs",
    ];
    let mut sorted = samples.to_vec();
    sorted.sort_by_key(|sample| sample.way.name);
    let title = |sample: &Cubes| format!("Fig. 9a: two cubes, {}", sample.way.name);
    let cells = |sample: &Cubes| {
        vec![
            sample.gap.to_string(),
            percent(sample.rel_err),
            short(sample.us[GREEDY]),
            short(sample.us[COMPACT]),
            percent(sample.extra_time()),
            percent(sample.extra_tests()),
            short(sample.us[2]),
            short(sample.us[3]),
        ]
    };
    Table::grouped(&HEAD, &sorted, title, cells)
}

/// One table per target and tree, one row per value.
fn parameter(what: &str, name: &'static str, samples: &[Sample], value: fn(f64) -> String) -> Vec<Table> {
    let title = |sample: &Sample| format!("{what}; distance {}, {}", sample.target.name(), sample.tree);
    let cells = |sample: &Sample| {
        vec![
            value(sample.value),
            short(sample.us),
            short(sample.volume_tests),
            short(sample.leaf_tests),
            format!("{:.1} %", sample.error * 100.0),
        ]
    };
    Table::grouped(&[name, "µs", "volume tests", "triangle tests", "largest error"], samples, title, cells)
}

/// The name of a line of Fig. 10a.
pub(super) fn variant(i: usize) -> String {
    let (min_d, rel_err) = VARIANTS[i];
    format!("min_d {:.0} mm, tolerance {}", min_d * 1e3, percent(rel_err))
}

fn approaches(measured: &Measured) -> Table {
    let margin = MARGIN * 1e3;
    let title = format!("Fig. 10a: near the kitchen, where it is within {margin:.0} mm, and elsewhere");
    let mut table = Table::new(
        title,
        &["tree, min_d, tolerance", "moments", "µs", "volume tests", "elsewhere", "µs", "volume tests"],
    );
    for stage in &measured.stages {
        for i in 0..VARIANTS.len() {
            let mut row = vec![format!("{}, {}", stage.tree, variant(i))];
            for within in [true, false] {
                let moments = stage.approach.of(i, within);
                row.push(moments.len().to_string());
                row.push(short(mean(&moments, |moment| moment.us)));
                row.push(short(mean(&moments, tests)));
            }
            table.rows.push(row);
        }
    }
    table
}

pub(super) fn tests(moment: &Moment) -> f64 {
    moment.answer.stats.volume_tests as f64
}

fn caching(measured: &Measured) -> Table {
    let title = "Section II-C: how long a moved centre is kept, compact spheres; printed: caching saves about 30 %";
    let mut table = Table::new(title, &["bodies, kept …", "pairs", "µs", "tests", "saved"]);
    for sample in &measured.caching {
        for ((_, name), us) in REUSES.iter().zip(sample.us) {
            table.rows.push(vec![
                format!("{}, {name}", sample.bodies),
                sample.pairs.to_string(),
                short(us),
                short(sample.tests),
                percent(1.0 - us / sample.us[0]),
            ]);
        }
    }
    table
}

fn order(measured: &Measured) -> Table {
    let title = "Section III-B: which child of an articulated node comes first; distance to the kitchen, default tree";
    let mut table = Table::new(title, &["order", "µs", "volume tests", "triangle tests", "pairs of parts"]);
    for sample in &measured.order {
        table.rows.push(vec![
            sample.order.to_owned(),
            short(sample.us),
            short(sample.volume_tests),
            short(sample.leaf_tests),
            short(sample.met),
        ]);
    }
    table
}

/// What the k-IOS paper prints of its articulated runs: robots, volume, ms, the best gain.
const PRINTED: [(&str, &str, f64, &str); 4] = [
    ("two arms of 7 links", "printed: k-IOS", 9.6, "4"),
    ("two arms of 7 links", "printed: PQP", 20.0, "1"),
    ("two humanoids of 19 links", "printed: k-IOS", 98.0, "2.8"),
    ("two humanoids of 19 links", "printed: PQP", 215.0, "1"),
];

fn robots(measured: &Measured) -> Vec<Table> {
    const HEAD: [&str; 6] = ["tree", "links", "ms", "volume tests", "triangle tests", "times rss's speed at best"];
    let title = |sample: &duets::Sample| {
        format!(
            "k-IOS, section V: {}, {} configurations, distances of all links",
            sample.robots,
            sample.sequence.name()
        )
    };
    let cells = |sample: &duets::Sample| {
        vec![
            sample.tree.clone(),
            sample.links.to_string(),
            short(sample.us * 1e-3),
            short(sample.volume_tests),
            short(sample.leaf_tests),
            short(sample.best_gain),
        ]
    };
    let mut tables = Table::grouped(&HEAD, &measured.duets, title, cells);
    // The printed motions are coherent; 33 is the number of links in print for both.
    for (robots, name, ms, gain) in PRINTED.iter().rev() {
        let row = [*name, "33", &short(*ms), "–", "–", gain].map(str::to_owned);
        let wanted = |table: &&mut Table| table.title.contains(robots) && table.title.contains("coherent");
        if let Some(table) = tables.iter_mut().find(wanted) {
            table.rows.insert(0, row.to_vec());
        }
    }
    tables
}

/// One object per row.
pub(super) fn json(measured: &Measured) -> Vec<Value> {
    let list = |numbers: &[f64]| numbers.iter().map(|&x| rounded(x)).collect::<Vec<f64>>();
    let combinations = COMBINATIONS.map(|(_, name)| name);
    let levels = measured.levels.iter().map(|level| {
        json!({
            "paper": "humanoid", "table": "Fig. 4", "direction": level.direction, "level": level.depth,
            "spheres": level.spheres, "combinations": combinations, "volumes": list(&level.volumes),
        })
    });
    let cubes = measured.cubes.iter().map(|sample| {
        json!({
            "paper": "humanoid", "table": "Fig. 9a", "way": sample.way.name, "gap": sample.gap, "rel_err": sample.rel_err,
            "combinations": combinations, "us": list(&sample.us), "volume_tests": list(&sample.tests),
        })
    });
    let parameter = |table: &'static str| {
        move |sample: &Sample| {
            // No `max_d` at all is null.
            let value = sample.value.is_finite().then_some(sample.value);
            json!({
                "paper": "humanoid", "table": table, "tree": sample.tree, "target": sample.target.name(), "value": value,
                "us": rounded(sample.us), "volume_tests": rounded(sample.volume_tests),
                "leaf_tests": rounded(sample.leaf_tests), "largest_error": sample.error,
            })
        }
    };
    let caching = measured.caching.iter().map(|sample| {
        json!({
            "paper": "humanoid", "table": "caching", "bodies": sample.bodies, "pairs": sample.pairs,
            "kept": REUSES.map(|(_, name)| name), "us": list(&sample.us), "volume_tests": rounded(sample.tests),
        })
    });
    let robots = measured.duets.iter().map(|sample| {
        json!({
            "paper": "humanoid", "table": "k-IOS V", "robots": sample.robots, "configurations": sample.sequence.name(),
            "tree": sample.tree, "links": sample.links, "us": rounded(sample.us),
            "volume_tests": rounded(sample.volume_tests), "leaf_tests": rounded(sample.leaf_tests),
            "best_gain": rounded(sample.best_gain),
        })
    });
    let order = measured.order.iter().map(|sample| {
        json!({
            "paper": "humanoid", "table": "order", "order": sample.order, "us": rounded(sample.us),
            "volume_tests": rounded(sample.volume_tests), "leaf_tests": rounded(sample.leaf_tests),
            "part_pairs": rounded(sample.met),
        })
    });
    let mut rows: Vec<Value> = levels.chain(cubes).chain(caching).chain(order).chain(robots).collect();
    for stage in &measured.stages {
        rows.extend(stage.max_d.iter().map(parameter("Fig. 9b")));
        rows.extend(stage.tolerance.iter().map(parameter("tolerance")));
        for (i, &(min_d, rel_err)) in VARIANTS.iter().enumerate() {
            let near = stage.approach.of(i, true);
            rows.push(json!({
                "paper": "humanoid", "table": "Fig. 10a", "tree": stage.tree, "min_d": min_d, "rel_err": rel_err,
                "moments": near.len(), "us": rounded(mean(&near, |moment| moment.us)),
                "volume_tests": rounded(mean(&near, tests)),
            }));
        }
    }
    rows
}
