//! A tool that is followed through a model at 1 kHz, as a haptic device would ask: the signed
//! distance at every step, within a budget.
//!
//! The tool, a bumpy ball of 5,120 triangles, winds around a knobby torus of 80,000 and dips in and
//! out of it, up to half of its own radius deep. Percentiles are of the steps apart and of those in
//! contact; each step counts with the least processor time of all rounds, since what another
//! process takes away from one says nothing of the query.

use crate::table::{Table, short};
use crate::{Result, models, thread_time};
use clearance_engine::convex::PenetrationRequest;
use clearance_engine::dispatch::Pair;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::tree::Mesh;
use clearance_engine::{Pose, TriMesh};
use std::f64::consts::TAU;

/// Steps of a second.
const RATE: usize = 1_000;
/// How long the tool is followed, in seconds.
const DURATION: usize = 60;
/// The budget of one step.
const MAX_STEPS: usize = 16_000;
/// Vertices along the ring of the torus of 80,000 triangles.
pub(crate) const ALONG: usize = 400;
/// Of the torus, and of the ball.
const MAJOR: f64 = 1.0;
const MINOR: f64 = 0.4;
const BALL: f64 = 0.12;

/// Where the tool is at a time in seconds.
fn pose(time: f64) -> Result<Pose> {
    // Around the ring in 20 s, around its tube in 7 s, in and out in 3 s.
    let (u, v) = (TAU * time / 20.0, TAU * time / 7.0);
    let out = DVec3::new(u.cos(), u.sin(), 0.0);
    let normal = out * v.cos() + DVec3::Z * v.sin();
    let height = MINOR + BALL * (1.0 + 0.9 * (TAU * time / 3.0).sin());
    let turn = DQuat::from_scaled_axis(DVec3::new(0.3, 1.1, 0.7) * time);
    Ok(Pose::new(turn, out * MAJOR + normal * height)?)
}

/// One step: the processor time in microseconds, the signed distance and the width of its interval.
#[derive(Debug, Clone, Copy)]
struct Step {
    us: f64,
    signed: f64,
    width: f64,
}

/// The pair of a model, with so many vertices along the ring, and the tool, with all that penetration depths need.
fn pair(along: usize) -> Result<Pair> {
    let model = models::knobby_torus(MAJOR, MINOR, 7, along, along / 4)?;
    let ball = models::icosphere(4, 0.2)?;
    let ball = TriMesh::new(ball.vertices().iter().map(|&p| p * BALL).collect(), ball.triangles().to_vec())?;
    let solid = |mesh: TriMesh| -> Result<Mesh> { Ok(Mesh::<_>::new(mesh)?.into_solid()?) };
    let mut pair = Pair::new(solid(model)?, solid(ball)?)?;
    pair.penetration(Pose::from_xyz(MAJOR + MINOR, 0.0, 0.0)?)?;
    Ok(pair)
}

/// Follows the tool `rounds` times, for so many seconds.
fn follow(rounds: usize, duration: usize, along: usize) -> Result<Vec<Step>> {
    let pair = pair(along)?;
    let request = PenetrationRequest { rel_err: 0.01, max_steps: Some(MAX_STEPS), ..PenetrationRequest::default() };
    let mut steps: Vec<Step> = Vec::with_capacity(duration * RATE);
    for round in 0..rounds.max(1) {
        // As a program would that starts now: its own warm start, and memory that has yet to grow.
        let mut pair = pair.clone();
        for number in 0..duration * RATE {
            let pose = pose(number as f64 / RATE as f64)?;
            let start = thread_time();
            let found = pair.signed_distance_with(pose, &request)?;
            let us = (thread_time() - start).as_secs_f64() * 1e6;
            if round == 0 {
                steps.push(Step { us, signed: found.signed, width: found.upper - found.lower });
            } else {
                steps[number].us = steps[number].us.min(us);
            }
        }
    }
    Ok(steps)
}

/// The value that a part of sorted ones does not exceed.
fn percentile(sorted: &[f64], part: f64) -> f64 {
    let rank = (part * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied().unwrap_or(f64::NAN)
}

/// The table; every step counts with its best of `rounds` turns.
pub fn run(rounds: usize) -> Result<Table> {
    table(&follow(rounds, DURATION, ALONG)?)
}

/// The longest steps apart and in contact, in microseconds, of so many seconds: 99 % take no longer.
pub(crate) fn longest_us(rounds: usize, duration: usize, along: usize) -> Result<[f64; 2]> {
    let steps = follow(rounds, duration, along)?;
    Ok([false, true].map(|in_contact| {
        let of_kind = steps.iter().filter(|step| (step.signed <= 0.0) == in_contact);
        let mut times: Vec<f64> = of_kind.map(|step| step.us).collect();
        times.sort_unstable_by(f64::total_cmp);
        percentile(&times, 0.99)
    }))
}

fn table(steps: &[Step]) -> Result<Table> {
    let title = "A tool of 5,120 triangles at a model of 80,000, signed, 1 kHz for 60 s, µs of processor time";
    let head = ["", "steps", "p50", "p99", "p99.99", "max", "width p50, % of the depth"];
    let mut table = Table::new(title, &head);
    for (name, in_contact) in [("apart", false), ("in contact", true)] {
        let of_kind: Vec<&Step> = steps.iter().filter(|step| (step.signed <= 0.0) == in_contact).collect();
        let sorted = |of: &dyn Fn(&Step) -> f64| {
            let mut all: Vec<f64> = of_kind.iter().map(|step| of(step)).collect();
            all.sort_unstable_by(f64::total_cmp);
            all
        };
        let times = sorted(&|step| step.us);
        let widths = sorted(&|step| 100.0 * step.width / step.signed.abs().max(f64::MIN_POSITIVE));
        let cells = [0.5, 0.99, 0.9999, 1.0].map(|part| short(percentile(&times, part)));
        let width = if in_contact { short(percentile(&widths, 0.5)) } else { String::new() };
        let row = [name.to_owned(), times.len().to_string()].into_iter().chain(cells).chain([width]);
        table.rows.push(row.collect());
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let sorted: Vec<f64> = (1..=1000).map(f64::from).collect();
        assert_eq!([0.5, 0.99, 0.9999, 1.0].map(|part| percentile(&sorted, part)), [500.0, 990.0, 1000.0, 1000.0]);
        assert!(percentile(&[], 0.5).is_nan());
    }

    #[test]
    fn the_tool_is_apart_and_in_contact_and_touches_when_it_should() {
        let apart = pose(0.75).unwrap().translation();
        let ring = DVec3::new(apart.x, apart.y, 0.0).normalize() * MAJOR;
        assert!((apart.distance(ring) - (MINOR + 1.9 * BALL)).abs() < 1e-12);
        let steps = [Step { us: 2.0, signed: 0.1, width: 0.0 }, Step { us: 4.0, signed: -0.1, width: 0.01 }];
        let table = table(&steps).unwrap();
        assert_eq!(table.rows[0][..3], ["apart".to_owned(), "1".to_owned(), short(2.0)]);
        assert_eq!(table.rows[1][6], short(10.0));
    }
}
