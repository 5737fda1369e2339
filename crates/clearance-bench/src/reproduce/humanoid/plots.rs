//! The figures.

use super::duets::Sequence;
use super::range::{MARGIN, Sample, TOLERANCES, VARIANTS};
use super::spheres::{COMBINATIONS, Cubes, DIRECTIONS, WAYS};
use super::stage::{COMPACT_SPHERES, Moment};
use super::tables::variant;
use super::{Measured, OnStage, spheres};
use crate::plot::{Axis, Line, Panel, Plot};

/// All figures.
pub(super) fn all(measured: &Measured) -> Vec<Plot> {
    let mut plots = vec![levels(measured), cubes(measured), max_d(measured), near_kitchen(measured)];
    plots.extend(measured.stages.first().map(itself));
    plots.push(robots(measured));
    plots
}

fn levels(measured: &Measured) -> Plot {
    let panel = |(_, direction): (_, &'static str)| {
        let levels = || measured.levels.iter().filter(move |level| level.direction == direction);
        let line = |(i, (_, name)): (usize, (_, &str))| {
            Line::new(name, levels().map(|level| (level.depth as f64, level.volumes[i])).collect())
        };
        Panel {
            x: Axis::linear(format!("level of the tree (grouped {direction}), the root's is 0")),
            y: Axis::logarithmic("volume of spheres / of the L"),
            lines: COMBINATIONS.into_iter().enumerate().map(line).collect(),
        }
    };
    Plot {
        name: "fig-4",
        title: "Fig. 4: sphere volume by level of an L's sphere trees".into(),
        panels: DIRECTIONS.map(panel).into(),
    }
}

fn cubes(measured: &Measured) -> Plot {
    let panel = |way: spheres::Way| {
        let points = |rel_err: f64, extra: fn(&Cubes) -> f64| -> Vec<(f64, f64)> {
            let wanted = measured.cubes.iter().filter(|sample| sample.way == way && sample.rel_err == rel_err);
            wanted.map(|sample| (sample.gap, 1.0 + extra(sample))).collect()
        };
        let lines = spheres::TOLERANCES.into_iter().flat_map(|rel_err| {
            let name = format!("tolerance {:.0} %", rel_err * 100.0);
            [
                Line::new(format!("{name}: time"), points(rel_err, Cubes::extra_time)),
                Line::dashed(format!("{name}: tests"), points(rel_err, Cubes::extra_tests)),
            ]
        });
        Panel {
            x: Axis::logarithmic(format!("gap between the cubes, in edges ({})", way.name)),
            y: Axis::logarithmic("greedy / compact"),
            lines: lines.collect(),
        }
    };
    Plot {
        name: "fig-9a",
        title: "Fig. 9a: what greedy sphere trees take more than compact ones, on two cubes".into(),
        panels: WAYS[..2].iter().map(|&way| panel(way)).collect(),
    }
}

fn max_d(measured: &Measured) -> Plot {
    let mut lines = Vec::new();
    for stage in &measured.stages {
        for samples in stage.max_d.chunk_by(|x, y| x.target == y.target) {
            let without = samples.last().map_or(f64::NAN, |sample| sample.us);
            let point = |sample: &Sample| (sample.value, sample.us / without * 100.0);
            let points = samples.iter().filter(|sample| sample.value.is_finite()).map(point).collect();
            let name = format!("{}, {}", samples[0].target.name(), stage.tree);
            lines.push(if stage.tree == COMPACT_SPHERES {
                Line::new(name, points)
            } else {
                Line::dashed(name, points)
            });
        }
    }
    let panel =
        Panel { x: Axis::logarithmic("max_d / distance"), y: Axis::linear("time, % of that without max_d"), lines };
    Plot {
        name: "fig-9b",
        title: "Fig. 9b: time with an upper bound on the distances of interest".into(),
        panels: vec![panel],
    }
}

/// A number of every moment over time.
fn series(seconds: &[f64], moments: &[Moment], number: impl Fn(&Moment) -> f64) -> Vec<(f64, f64)> {
    seconds.iter().copied().zip(moments.iter().map(number)).collect()
}

fn millimetres(moment: &Moment) -> f64 {
    moment.answer.upper * 1e3
}

fn seconds_axis() -> Axis {
    Axis::linear("seconds of the motion")
}

fn near_kitchen(measured: &Measured) -> Plot {
    let mut panels = Vec::new();
    for stage in &measured.stages {
        let approach = &stage.approach;
        if panels.is_empty() {
            let margin = approach.seconds.iter().map(|&time| (time, MARGIN * 1e3)).collect();
            let distance = |i: usize| series(&approach.seconds, &approach.answers[i], millimetres);
            let lines = vec![
                Line::new("distance", distance(0)),
                Line::new("answer at 30 % tolerance", distance(1)),
                Line::dashed("margin", margin),
            ];
            panels.push(Panel { x: seconds_axis(), y: Axis::linear("to the kitchen, mm"), lines });
        }
        let line =
            |i: usize| Line::new(variant(i), series(&approach.seconds, &approach.answers[i], |moment| moment.us));
        panels.push(Panel {
            x: seconds_axis(),
            y: Axis::logarithmic(format!("µs, {}", stage.tree)),
            lines: (0..VARIANTS.len()).map(line).collect(),
        });
    }
    Plot { name: "fig-10a", title: "Fig. 10a: min_d and tolerance, distance to the kitchen".into(), panels }
}

fn itself(stage: &OnStage) -> Plot {
    let shown = |rel_err: &f64| [0.0, 0.1, 0.3, 0.5].contains(rel_err);
    let of = |number: fn(&Moment) -> f64| -> Vec<Line> {
        let each = TOLERANCES.iter().zip(&stage.own).filter(|(rel_err, _)| shown(rel_err));
        let line = |(rel_err, moments): (&f64, &Vec<Moment>)| {
            Line::new(format!("tolerance {:.0} %", rel_err * 100.0), series(&stage.seconds, moments, number))
        };
        each.map(line).collect()
    };
    let panels = vec![
        Panel { x: seconds_axis(), y: Axis::linear("answer: to itself, mm"), lines: of(millimetres) },
        Panel {
            x: seconds_axis(), y: Axis::logarithmic(format!("µs, {}", stage.tree)), lines: of(|moment| moment.us)
        },
    ];
    Plot { name: "fig-10b", title: "Fig. 10b: tolerance, distance of the robot to itself".into(), panels }
}

fn robots(measured: &Measured) -> Plot {
    let coherent: Vec<_> = measured.duets.iter().filter(|sample| sample.sequence == Sequence::Coherent).collect();
    let panels = coherent.chunk_by(|x, y| x.robots == y.robots).map(|samples| Panel {
        x: Axis::linear(format!("configuration of the motion ({})", samples[0].robots)),
        y: Axis::logarithmic("µs a configuration"),
        lines: samples
            .iter()
            .map(|sample| {
                let points = sample.each_us.iter().enumerate().map(|(i, &us)| (i as f64, us));
                Line::new(sample.tree.clone(), points.collect())
            })
            .collect(),
    });
    Plot {
        name: "kios-robots",
        title: "k-IOS, section V: distances of all links of one robot from another".into(),
        panels: panels.collect(),
    }
}
