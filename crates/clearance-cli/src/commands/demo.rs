//! `clearance demo`: one torus falls through another; clearance over time, with a plot.

use crate::progress;
use anyhow::{Context, Result};
use clap::Args;
use clearance::bank::Bank;
use clearance::descent::{PairCache, Stats, Workspace};
use clearance::query::{Distance, DistanceRequest};
use clearance::tree::Mesh;
use clearance_bench::{models, motions};
use plotters::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The arguments of `clearance demo`.
#[derive(Args)]
pub struct Demo {
    /// Poses along the fall
    #[arg(long, default_value_t = 2000)]
    steps: usize,
    /// Where the plot goes
    #[arg(long, default_value = "clearance-demo.svg")]
    plot: PathBuf,
}

impl Demo {
    /// Generates, asks, reports, plots.
    pub fn run(&self) -> Result<()> {
        let mut out = std::io::stdout();
        let fixed = models::knobby_torus(1.0, 0.35, 6, 54, 30)?;
        let falling = models::bent_torus(0.38, 0.09, 37, 18)?;
        writeln!(out, "A bent torus of {} triangles falls through a knobby one of {}.", falling.len(), fixed.len())?;
        let start = Instant::now();
        let (fixed, falling): (Mesh, Mesh) = (Mesh::new(fixed)?, Mesh::new(falling)?);
        writeln!(out, "Hierarchies built in {:.1} ms.", start.elapsed().as_secs_f64() * 1e3)?;
        let poses = motions::falling(1.6, self.steps.max(2))?;
        let bank = Bank::standard();
        let plan = bank.plan(&fixed, &falling)?;
        let (mut workspace, mut cache) = (Workspace::default(), PairCache::default());
        let bar = progress::bar(poses.len());
        let start = Instant::now();
        let mut answers = Vec::with_capacity(poses.len());
        for pose in &poses {
            answers.push(plan.distance(pose, &DistanceRequest::default(), &mut workspace, Some(&mut cache))?);
            bar.inc(1);
        }
        let seconds = start.elapsed().as_secs_f64();
        bar.finish_and_clear();
        report(&mut out, &answers, seconds)?;
        plot(&self.plot, &answers).with_context(|| format!("{}: cannot write", self.plot.display()))?;
        writeln!(out, "Plot: {}", self.plot.display())?;
        Ok(())
    }
}

fn report(out: &mut impl Write, answers: &[Distance], seconds: f64) -> Result<()> {
    let count = answers.len();
    let colliding = answers.iter().filter(|answer| answer.upper == 0.0).count();
    writeln!(
        out,
        "{count} exact distances in {:.0} ms: {:.0} queries a second on one core.",
        seconds * 1e3,
        count as f64 / seconds
    )?;
    writeln!(out, "Colliding at {colliding} of {count} poses.")?;
    let free = answers.iter().enumerate().filter(|(_, answer)| answer.upper > 0.0);
    if let Some((i, closest)) = free.min_by(|a, b| a.1.upper.total_cmp(&b.1.upper)) {
        writeln!(
            out,
            "Closest without touching: {:.6} at pose {i}, certified at least {:.6}.",
            closest.upper, closest.lower
        )?;
    }
    let total = answers.iter().fold(Stats::default(), |mut sum, answer| {
        sum += answer.stats;
        sum
    });
    let each = |count_of: u64| count_of as f64 / count as f64;
    writeln!(
        out,
        "Per query: {:.0} volume tests, {:.0} triangle tests.",
        each(total.volume_tests),
        each(total.leaf_tests)
    )?;
    Ok(())
}

/// Clearance over the fall; where it is zero the band is red.
fn plot(path: &Path, answers: &[Distance]) -> Result<()> {
    let top = answers.iter().fold(0.0_f64, |top, answer| top.max(answer.upper)) * 1.08;
    let end = answers.len() as f64 - 1.0;
    let root = SVGBackend::new(path, (900, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("Clearance of a torus falling through another", ("sans-serif", 20))
        .margin(14)
        .x_label_area_size(40)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..end, 0.0..top)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("pose")
        .y_desc("clearance (red: touching)")
        .x_label_formatter(&|x| format!("{x:.0}"))
        .draw()?;
    let mut i = 0;
    while i < answers.len() {
        let run = answers[i..].iter().take_while(|answer| answer.upper == 0.0).count();
        if run > 0 {
            let band = Rectangle::new(
                [(i as f64 - 0.5, 0.0), ((i + run) as f64 - 0.5, top)],
                RGBColor(214, 60, 50).mix(0.25).filled(),
            );
            chart.draw_series([band])?;
        }
        i += run + 1;
    }
    let line = answers.iter().enumerate().map(|(i, answer)| (i as f64, answer.upper));
    chart.draw_series(LineSeries::new(line, RGBColor(20, 90, 160).stroke_width(2)))?;
    root.present()?;
    Ok(())
}
