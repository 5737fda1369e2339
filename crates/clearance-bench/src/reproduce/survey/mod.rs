//! Jiménez, Thomas and Torras, *3D collision detection: a survey* (2001): its statements that can
//! be checked, with what they were measured by.
//!
//! The survey prints few numbers and no test beds. Bodies are generated: hulls of random points on
//! a sphere and closed meshes for the filters of section 4.2.2, boxes that fly through a cube for
//! section 4.3, two polytopes and two tori for the steps of section 2.3, a heap of bars for the
//! volumes of section 4.2.1. Counts do not depend on the machine; times do.

mod bodies;
mod filters;
mod findings;
mod growth;
mod hierarchies;
mod steps;

use super::{Effort, Report, rounded};
use crate::plot::{Axis, Line, Panel, Plot};
use crate::table::{Table, short};
use crate::{Result, haptics};
use bodies::{Ordered, Sweep, Trapezoids};
use filters::{Fronts, Pairs};
use growth::{Growth, Sizes};
use hierarchies::Kind;
use serde_json::{Value, json};
use steps::Steps;

/// The printed share of hyper-trapezoids that overlap (section 4.3).
const PRINTED_SHARE: f64 = 0.0007;
/// The printed share of faces that back-face culling leaves (section 4.2.2).
const PRINTED_FRONTS: f64 = 0.5;
/// The printed number of tests an edge ("close to 1", section 4.2.2).
const PRINTED_TESTS: f64 = 1.0;

/// All that was measured.
struct Measured {
    fronts: Vec<Fronts>,
    pairs: Vec<Pairs>,
    sweeps: Vec<Sweep>,
    orders: Vec<Ordered>,
    all_pairs: usize,
    trapezoids: Vec<Trapezoids>,
    steps: Vec<Steps>,
    growth: Vec<Growth>,
    sizes: Vec<Sizes>,
    kinds: Vec<Kind>,
    /// Microseconds that 99 % of the steps of a tool take, apart and in contact.
    haptics: [f64; 2],
}

/// Measures and compares; a stride above 10 takes smaller scenes too, and seconds.
pub fn run(effort: &Effort, progress: &mut dyn FnMut(f64)) -> Result<Report> {
    let mut done = 0.0;
    let mut step = || {
        done += 0.1;
        progress(done);
    };
    let fronts = filters::fronts(effort)?;
    step();
    let pairs = filters::pairs(effort)?;
    step();
    let sweeps = bodies::sweeps(effort)?;
    step();
    let (orders, all_pairs) = bodies::orders(effort)?;
    step();
    let trapezoids = bodies::trapezoids(effort)?;
    step();
    let steps = steps::steps(effort)?;
    step();
    let growth = growth::growth(effort)?;
    step();
    let sizes = growth::sizes(effort)?;
    step();
    let kinds = hierarchies::kinds(effort)?;
    step();
    let (duration, along) = if effort.stride > 10 { (1, 40) } else { (3, haptics::ALONG) };
    let haptics = haptics::longest_us(effort.rounds, duration, along)?;
    step();
    let measured =
        Measured { fronts, pairs, sweeps, orders, all_pairs, trapezoids, steps, growth, sizes, kinds, haptics };
    let findings = findings::all(&measured);
    let mut json = measured.json();
    json.extend(findings.iter().map(|finding| finding.json("survey")));
    Ok(Report { notes: vec![note()], tables: measured.tables(), findings, plots: vec![measured.plot()], json })
}

fn note() -> String {
    "3D collision detection: a survey (Jiménez, Thomas and Torras, 2001): its statements that can be checked. The survey names no test beds;\n\
     bodies are generated here. One core; what is not a time is a count."
        .to_owned()
}

impl Measured {
    fn tables(&self) -> Vec<Table> {
        vec![
            self.fronts_table(),
            self.pairs_table(),
            self.sweep_table(),
            self.orders_table(),
            self.trapezoids_table(),
            self.steps_table(),
            self.growth_table(),
            self.sizes_table(),
            self.kinds_table(),
        ]
    }

    fn fronts_table(&self) -> Table {
        let head = ["body", "triangles", "kept %", "at most %", "tests of all", "of front faces"];
        let mut table = Table::new("4.2.2, back-face culling, a body that falls on itself", &head);
        let percent = |share: f64| format!("{:.1}", 100.0 * share);
        let none = || "–".to_owned();
        table.rows.push(vec!["printed".into(), none(), percent(PRINTED_FRONTS), none(), none(), none()]);
        table.rows.extend(self.fronts.iter().map(|row| {
            let Fronts { body, triangles, kept, most, tests, .. } = row;
            let tests = tests.map(short);
            [vec![(*body).to_owned(), triangles.to_string(), percent(*kept), percent(*most)], tests.to_vec()].concat()
        }));
        table
    }

    fn pairs_table(&self) -> Table {
        let head = [
            "vertices a body",
            "edges of both",
            "all pairs",
            "front faces",
            "applicable",
            "an edge",
            "both filters",
            "an edge",
        ];
        let mut table = Table::new("4.2.2, pairs of features that can touch first", &head);
        let none = || "–".to_owned();
        let printed = format!("{PRINTED_TESTS:.2}");
        table.rows.push(vec!["printed".into(), none(), none(), none(), none(), printed, none(), none()]);
        table.rows.extend(self.pairs.iter().map(|row| {
            let each = |count: f64| format!("{:.2}", count / row.edges);
            vec![
                row.vertices.to_string(),
                short(row.edges),
                short(row.all),
                short(row.fronts),
                short(row.applicable),
                each(row.applicable),
                short(row.both),
                each(row.both),
            ]
        }));
        table
    }

    fn sweep_table(&self) -> Table {
        let mut table = Table::new("4.3, sweep and prune, 1 % of an edge a tick", &["boxes", "µs/tick", "ns a box"]);
        table.rows.push(vec!["printed".into(), "linear".into(), "constant".into()]);
        let row = |row: &Sweep| vec![row.boxes.to_string(), short(row.us), short(1e3 * row.us / row.boxes as f64)];
        table.rows.extend(self.sweeps.iter().map(row));
        table
    }

    fn orders_table(&self) -> Table {
        let title = format!("4.3, contacts found with a budget of checks a tick, {} pairs of boxes", self.all_pairs);
        let mut table = Table::new(title, &["order", "budget", "checks a tick", "found %", "late by ticks"]);
        table.rows.extend(self.orders.iter().map(|row| {
            let found = format!("{:.1}", 100.0 * row.spent.found);
            let order = format!("{:?}", row.order);
            vec![order, row.budget.to_string(), short(row.spent.checks), found, short(row.spent.late)]
        }));
        table
    }

    fn trapezoids_table(&self) -> Table {
        let mut table =
            Table::new("4.3, pairs whose hyper-trapezoids overlap", &["boxes", "ticks", "pairs", "share %"]);
        let percent = |share: f64| format!("{:.3}", 100.0 * share);
        table.rows.push(vec!["printed".into(), "–".into(), "–".into(), percent(PRINTED_SHARE)]);
        table.rows.extend(self.trapezoids.iter().map(|row| {
            vec![row.boxes.to_string(), format!("{:.0}", row.ticks), row.pairs.to_string(), percent(row.share)]
        }));
        table
    }

    fn steps_table(&self) -> Table {
        let head = ["motion", "motions", "distance alone", "with direction", "ratio"];
        let mut table = Table::new("2.3, steps of advancement a motion", &head);
        table.rows.extend(self.steps.iter().map(|row| {
            let [distance, direction] = row.steps;
            let numbers = [row.count.to_string(), short(distance), short(direction), short(distance / direction)];
            [vec![format!("{}, {}", row.bodies, row.motion)], numbers.to_vec()].concat()
        }));
        table
    }

    fn growth_table(&self) -> Table {
        let head =
            ["vertices a body", "pairs of features a step", "tracking, ns", "hierarchy, ns", "separating plane, ns"];
        let mut table = Table::new("3.1, 4.1, 4.2.3, two convex polyhedra by their size", &head);
        table.rows.push(["printed", "constant", "constant", "log n log m", "linear"].map(str::to_owned).to_vec());
        table.rows.extend(self.growth.iter().map(|row| {
            let [steps, ns] = row.tracked;
            [vec![row.vertices.to_string()], [steps, ns, row.hierarchy, row.plane].map(short).to_vec()].concat()
        }));
        table
    }

    fn sizes_table(&self) -> Table {
        let head = ["boxes", "largest by smallest", "ns a box", "pairs a box"];
        let mut table = Table::new("4.3, a grid of all scales, 1 % of an edge a tick", &head);
        table.rows.push(vec!["printed".into(), "R".into(), "1 + log R".into(), "–".into()]);
        table.rows.extend(
            self.sizes
                .iter()
                .map(|row| vec![row.boxes.to_string(), format!("{:.0}", row.ratio), short(row.ns), short(row.pairs)]),
        );
        table
    }

    fn kinds_table(&self) -> Table {
        let head = ["volume", "floats", "build, ms", "refit, ms", "volume tests", "triangle tests", "µs"];
        let mut table = Table::new("4.2.1, a body in a heap of bars: hierarchies and boolean queries", &head);
        table.rows.extend(self.kinds.iter().map(|row| {
            let numbers = [row.build, row.refit, row.volume_tests, row.leaf_tests, row.us].map(short);
            [vec![row.name.to_owned(), row.floats.to_string()], numbers.to_vec()].concat()
        }));
        table
    }

    fn plot(&self) -> Plot {
        let line = |tests: fn(&Pairs) -> f64| self.pairs.iter().map(|row| (row.edges, tests(row))).collect();
        let lines = vec![
            Line::new("all pairs", line(|row| row.all)),
            Line::new("front faces", line(|row| row.fronts)),
            Line::new("applicable", line(|row| row.applicable)),
            Line::new("both", line(|row| row.both)),
            Line::dashed("one an edge", line(|row| PRINTED_TESTS * row.edges)),
        ];
        let panel =
            Panel { x: Axis::logarithmic("edges of both bodies"), y: Axis::logarithmic("pairs of features"), lines };
        Plot { name: "filters", title: "Pairs of features that can touch first".into(), panels: vec![panel] }
    }

    fn json(&self) -> Vec<Value> {
        let row = |table: &str, mut row: Value| {
            row["paper"] = json!("survey");
            row["table"] = json!(table);
            row
        };
        let mut json = Vec::new();
        json.extend(self.fronts.iter().map(|x| {
            let tests = x.tests.map(rounded);
            row("culling", json!({ "body": x.body, "triangles": x.triangles, "kept": rounded(x.kept), "most": rounded(x.most),
                "tests_of_all": tests[0], "tests_of_fronts": tests[1], "different": x.different, "printed_kept": PRINTED_FRONTS }))
        }));
        json.extend(self.pairs.iter().map(|x| {
            let fronts = (!x.fronts.is_nan()).then(|| rounded(x.fronts));
            row(
                "applicability",
                json!({ "vertices": x.vertices, "edges": rounded(x.edges), "all": rounded(x.all), "fronts": fronts,
                "applicable": rounded(x.applicable), "both": rounded(x.both), "printed_per_edge": PRINTED_TESTS }),
            )
        }));
        json.extend(self.sweeps.iter().map(|x| row("sweep", json!({ "boxes": x.boxes, "us": rounded(x.us) }))));
        json.extend(self.orders.iter().map(|x| {
            row(
                "orders",
                json!({ "order": format!("{:?}", x.order), "budget": x.budget, "pairs": self.all_pairs,
                "checks": rounded(x.spent.checks), "found": rounded(x.spent.found), "late": rounded(x.spent.late) }),
            )
        }));
        json.extend(self.trapezoids.iter().map(|x| {
            row(
                "trapezoids",
                json!({ "boxes": x.boxes, "ticks": x.ticks, "pairs": x.pairs, "share": x.share,
                "printed_share": PRINTED_SHARE }),
            )
        }));
        json.extend(self.steps.iter().map(|x| {
            let steps = x.steps.map(rounded);
            row(
                "steps",
                json!({ "bodies": x.bodies, "motion": x.motion, "motions": x.count, "distance": steps[0], "directional": steps[1],
                "different": x.different }),
            )
        }));
        json.extend(self.growth.iter().map(|x| {
            let [steps, ns] = x.tracked.map(rounded);
            row(
                "growth",
                json!({ "vertices": x.vertices, "steps": steps, "tracking_ns": ns, "hierarchy_ns": rounded(x.hierarchy),
                "plane_ns": rounded(x.plane) }),
            )
        }));
        json.extend(self.sizes.iter().map(|x| {
            let numbers = json!({ "boxes": x.boxes, "ratio": x.ratio, "ns": rounded(x.ns), "pairs": rounded(x.pairs) });
            row("sizes", numbers)
        }));
        json.extend(self.kinds.iter().map(|x| {
            row(
                "volumes",
                json!({ "volume": x.name, "floats": x.floats, "build_ms": rounded(x.build), "refit_ms": rounded(x.refit),
                "volume_tests": rounded(x.volume_tests), "leaf_tests": rounded(x.leaf_tests), "us": rounded(x.us),
                "colliding": x.colliding }),
            )
        }));
        let [apart, in_contact] = self.haptics.map(rounded);
        json.push(row("haptics", json!({ "apart_us": apart, "in_contact_us": in_contact })));
        json
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::Verdict;
    use std::time::Duration;

    #[test]
    fn every_row_is_there_and_counts_show_what_the_survey_states() {
        let effort = Effort { stride: 40, rounds: 1, least: Duration::ZERO };
        let report = run(&effort, &mut |_| ()).unwrap();
        let rows: Vec<usize> = report.tables.iter().map(|table| table.rows.len()).collect();
        assert_eq!((rows.len(), &rows[..5], &rows[6..]), (9, &[5, 6, 4, 10, 7][..], &[4, 8, 4][..]), "{rows:?}");
        assert!(report.tables.iter().all(|table| table.rows.iter().all(|row| row.len() == table.head.len())));
        assert!(report.findings.iter().all(|finding| !finding.here.contains("NaN")), "{:?}", report.findings);
        // What is counted is the same on every machine: culling, applicability, orders, steps, the
        // features of tracking, volumes in clutter. Hyper-trapezoids depend on the density.
        for i in [0, 1, 3, 5, 6, 10] {
            let finding = &report.findings[i];
            assert_eq!(finding.verdict, Verdict::Holds, "{i}: {}", finding.here);
        }
        assert_eq!(report.findings[4].verdict, Verdict::Depends);
        let same = report.json.iter().filter_map(|row| row["colliding"].as_u64()).collect::<Vec<_>>();
        assert!(same.len() == 4 && same[0] > 0 && same.iter().all(|&count| count == same[0]), "{same:?}");
    }
}
