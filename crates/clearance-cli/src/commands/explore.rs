//! `clearance explore`: the humanoid finds its way through a room that it does not know; a picture
//! per iteration and a recording.

use super::{explore_record, record};
use crate::progress::{self, Busy};
use crate::{numbers, outputs};
use anyhow::Result;
use clap::Args;
use clearance::scene::explore::{Body, ExploreOptions, Iteration, MotionTest, Recording, Room, Stop, draw, explore};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// The arguments of `clearance explore`.
#[derive(Args)]
pub struct Explore {
    /// The folder for clearance-explore-N.png, one per iteration, and clearance-explore.json, the
    /// recording; made if it is not there
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// What the planner's samples and the camera's noise depend on
    #[arg(long, value_name = "N", default_value_t = ExploreOptions::default().seed, value_parser = numbers::seed,
        allow_hyphen_values = true)]
    seed: u64,
    /// The edge of a cell in metres
    #[arg(long, value_name = "M", default_value_t = ExploreOptions::default().resolution, value_parser = resolution,
        allow_hyphen_values = true)]
    resolution: f64,
    /// The planner's motions are sampled finely, instead of proven to keep their margin at every
    /// time
    #[arg(long)]
    sampled: bool,
    /// A room without a way to the goal
    #[arg(long)]
    divided: bool,
    /// Also record the walk, what the robot knew and how near it came: animated glTF (.glb) for
    /// `clearance view` and other viewers, or a page (.html)
    #[arg(long, value_name = "F")]
    record: Option<PathBuf>,
    /// One JSON object per iteration and one for the outcome on standard output, and nothing else
    /// there
    #[arg(long)]
    json: bool,
}

impl Explore {
    /// Explores, tells, draws, records.
    pub fn run(&self) -> Result<()> {
        outputs::check_folder(&self.out)?;
        self.record.iter().try_for_each(|path| outputs::check(path))?;
        if self.out.exists() {
            outputs::check(&self.recording())?;
        }
        let body = Body::new()?;
        let room = if self.divided { Room::divided()? } else { Room::with_passage()? };
        let motions = if self.sampled { MotionTest::Sampled } else { MotionTest::Proven };
        let options =
            ExploreOptions { seed: self.seed, resolution: self.resolution, motions, ..ExploreOptions::default() };
        if !self.json {
            let [x, y, _] = room.goal;
            let at = room.start;
            writeln!(
                std::io::stdout(),
                "A humanoid at ({}, {}) is to go to ({x}, {y}) in a room of 6 × 6 × 1 m that it does not know; cells of {} cm.",
                at[0],
                at[1],
                self.resolution * 100.0
            )?;
        }
        let clock = Instant::now();
        let (mut number, mut failed, busy) = (0, Ok(()), Busy::new("iteration 1"));
        let recording = explore(&body, &room, &options, &mut |iteration| {
            number += 1;
            let told = busy.suspend(|| self.tell(number, iteration));
            busy.set(format!("iteration {}", number + 1));
            failed = std::mem::replace(&mut failed, Ok(())).and(told);
        })?;
        drop(busy);
        failed?;
        let seconds = clock.elapsed().as_secs_f64();
        self.conclude(&recording, seconds)?;
        self.store(&body, &recording)?;
        if let Some(path) = &self.record {
            let walk = progress::during("recording", || explore_record::recorded(&body, &room, &recording))?;
            record::write(path, &walk)?;
            writeln!(std::io::stderr(), "Recording: {}", path.display())?;
        }
        Ok(())
    }

    /// Where the recording goes.
    fn recording(&self) -> PathBuf {
        self.out.join("clearance-explore.json")
    }

    fn tell(&self, number: usize, iteration: &Iteration) -> Result<()> {
        let mut out = std::io::stdout().lock();
        if self.json {
            writeln!(out, "{}", as_json(number, iteration))?;
        } else {
            write!(out, "{}", as_text(number, iteration))?;
        }
        Ok(out.flush()?)
    }

    fn conclude(&self, recording: &Recording, seconds: f64) -> Result<()> {
        let walked: f64 = recording.iterations.iter().fold(0.0, |sum, iteration| sum + iteration.walked_m);
        let (iterations, words) = (recording.iterations.len(), recording.outcome.words());
        let mut out = std::io::stdout().lock();
        if self.json {
            let outcome = json!({
                "outcome": recording.outcome, "iterations": iterations, "walked_m": walked, "seconds": seconds,
            });
            writeln!(out, "{outcome}")?;
        } else {
            writeln!(out, "After {iterations} iterations and {walked:.1} m, {seconds:.1} s: {words}.")?;
        }
        Ok(out.flush()?)
    }

    /// Writes pictures and recording, and tells where on standard error: standard output may be
    /// JSON.
    fn store(&self, body: &Body, recording: &Recording) -> Result<()> {
        let busy = Busy::new("drawing");
        for number in 0..recording.iterations.len() {
            let path = self.out.join(format!("clearance-explore-{}.png", number + 1));
            let picture = draw(body, recording, number)?;
            outputs::write(&path, |path| Ok(picture.save(path)?))?;
            busy.suspend(|| writeln!(std::io::stderr(), "Picture: {}", path.display()))?;
        }
        drop(busy);
        let (path, text) = (self.recording(), serde_json::to_string(recording)?);
        outputs::write(&path, |path| Ok(std::fs::write(path, text)?))?;
        writeln!(std::io::stderr(), "Recording: {}", path.display())?;
        Ok(())
    }
}

/// The widths of cells that tell a passage from a wall and leave the map a size that can be
/// handled.
fn resolution(text: &str) -> Result<f64, String> {
    numbers::metres(text, 0.02..=0.5)
}

/// Why it stopped, in words.
fn reason(stop: Stop) -> &'static str {
    match stop {
        Stop::Goal => "all of it is known to be free: it is there",
        Stop::Unknown => "beyond that the path enters unknown cells",
        Stop::NoPath => "there is no path",
    }
}

fn as_text(number: usize, iteration: &Iteration) -> String {
    let Iteration { images, counts, look_ms, set_up_ms, plan_ms, checks, samples, walked_m, path_m, stop, .. } =
        iteration;
    let per_check = if *checks > 0 { plan_ms * 1e3 / *checks as f64 } else { 0.0 };
    format!(
        "Iteration {number}\n  \
         looks     {images} images in {look_ms:.0} ms: {} cells obstacle, {} unknown, {} free\n  \
         sets up   both views of the map in {set_up_ms:.3} ms\n  \
         plans     {plan_ms:.0} ms, {samples} samples, {checks} configurations checked, {per_check:.1} µs each\n  \
         walks     {walked_m:.2} of {path_m:.2} m; {}\n",
        counts.obstacle,
        counts.unknown,
        counts.free,
        reason(*stop)
    )
}

fn as_json(number: usize, iteration: &Iteration) -> Value {
    json!({
        "iteration": number,
        "images": iteration.images,
        "cells": iteration.counts,
        "look_ms": iteration.look_ms,
        "set_up_ms": iteration.set_up_ms,
        "plan_ms": iteration.plan_ms,
        "samples": iteration.samples,
        "checks": iteration.checks,
        "path_m": iteration.path_m,
        "walked_m": iteration.walked_m,
        "stop": iteration.stop,
    })
}
