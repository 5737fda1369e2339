//! The smallest distance of two bodies over all configurations within the limits: branch and bound.
//!
//! A *cell* is a box of the variables between the bodies. Its bound is the certified distance at its centre less what the
//! distance can change within the box (see `path`), or the gap of the swept hulls, or its parent's bound. The weakest cell is
//! cut in three across the variable that contributes most, so that the middle third keeps its centre and its distance.
//! A colliding configuration ends the search; to find one early, samples spread evenly and walks down the gradient of the
//! distance go first. These also give the distance that no proof can exceed.
//!
//! Cost: the number of distances asked for, which is limited. The same input gives the same answer.

use super::gaps::{GapOptions, PairGap, Verdict};
use super::hulls::Hull;
use super::path::Range;
use super::probe::Probe;
use crate::{Result, Robot};
use clearance::assembly::PartDistance;
use clearance::query::DistanceRequest;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What a distance may be off, as a part of it; exact ones cost more and prove little more.
const DISTANCE_ERROR: f64 = 0.02;

/// Samples that must all collide before a pair is said to collide always.
const ALWAYS_SAMPLES: usize = 256;

/// The samples from which a walk starts, and its steps.
const WALKS: usize = 3;
const WALK_STEPS: usize = 12;

/// How far a step aims beyond contact, in metres, and how far it may go, in radians or metres.
const STEP_BEYOND: f64 = 1e-3;
const LONGEST_STEP: f64 = 0.5;

/// A box of variables.
struct Cell {
    /// At most the distance anywhere in the box.
    bound: f64,
    bounds: Vec<[f64; 2]>,
    center: Vec<f64>,
    /// At most the distance at the centre.
    lower: f64,
    /// What each variable contributes to the change of the distance within the box.
    of_variables: Vec<f64>,
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cell {
    /// The weakest is the greatest, as a heap gives that first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound)
    }
}

/// The search for one pair of bodies.
pub(super) struct Search<'p> {
    robot: &'p Robot,
    probe: Probe<'p>,
    hulls: [&'p Hull; 2],
    /// What the rounding of poses may change of a distance.
    slack: f64,
    options: &'p GapOptions,
    /// The smallest distance met, and where.
    nearest: f64,
    nearest_at: Vec<f64>,
}

impl<'p> Search<'p> {
    pub fn new(robot: &'p Robot, probe: Probe<'p>, hulls: [&'p Hull; 2], slack: f64, options: &'p GapOptions) -> Self {
        let nearest_at = middles(&probe.path.bounds);
        Self { robot, probe, hulls, slack, options, nearest: f64::INFINITY, nearest_at }
    }

    /// The verdict on the pair `bodies`.
    pub fn run(mut self, bodies: [usize; 2]) -> Result<PairGap> {
        let mut gap = 0.0;
        let verdict = match self.sample()? {
            Some(verdict) => verdict,
            None => {
                gap = self.branch()?.max(0.0);
                self.conclude(gap)
            }
        };
        if !matches!(verdict, Verdict::Never { .. }) {
            gap = 0.0;
        }
        Ok(PairGap { bodies, gap, verdict, evaluations: self.probe.evaluations })
    }

    fn conclude(&self, gap: f64) -> Verdict {
        match self.configuration() {
            configuration if self.nearest == 0.0 => Verdict::Sometimes { configuration },
            _ if gap > 0.0 => Verdict::Never { gap, nearest: self.nearest },
            configuration => Verdict::Undecided { nearest: self.nearest, configuration },
        }
    }

    /// The nearest configuration met; variables that do not matter at their defaults.
    fn configuration(&self) -> Vec<f64> {
        let mut configuration = self.robot.default_configuration();
        for (&variable, &value) in self.probe.path.variables.iter().zip(&self.nearest_at) {
            configuration[variable] = value;
        }
        configuration
    }

    /// Looks at some configurations; the verdict, if that decides.
    fn sample(&mut self) -> Result<Option<Verdict>> {
        if self.probe.path.bounds.iter().all(|[low, high]| low == high) {
            let center = self.nearest_at.clone();
            let answer = self.ask(&center, &DistanceRequest::default())?;
            return Ok((answer.upper == 0.0).then_some(Verdict::Always { proven: true, samples: 1 }));
        }
        let (mut starts, mut free, mut hit) = (Vec::new(), false, false);
        let request = DistanceRequest { rel_err: 0.1, ..DistanceRequest::default() };
        for number in 0..self.options.samples.max(1) {
            let values = sample(&self.probe.path.bounds, number);
            let distance = self.ask(&values, &request)?.upper;
            (hit, free) = (hit || distance == 0.0, free || distance > 0.0);
            if hit && free {
                return Ok(Some(self.conclude(0.0)));
            }
            starts.push((distance, values));
        }
        if !free {
            return self.sample_always().map(Some);
        }
        starts.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, start) in starts.into_iter().take(WALKS) {
            self.walk(start, WALK_STEPS)?;
            if self.nearest == 0.0 {
                return Ok(Some(self.conclude(0.0)));
            }
        }
        Ok(None)
    }

    /// After only colliding samples: more of them.
    fn sample_always(&mut self) -> Result<Verdict> {
        for number in self.options.samples..ALWAYS_SAMPLES {
            let values = sample(&self.probe.path.bounds, number);
            if !self.probe.collides(&values)? {
                return Ok(self.conclude(0.0));
            }
        }
        Ok(Verdict::Always { proven: false, samples: ALWAYS_SAMPLES.max(self.options.samples) })
    }

    /// Walks from one configuration to nearer ones.
    fn walk(&mut self, start: Vec<f64>, steps: usize) -> Result<()> {
        let (mut at, mut best, mut from, mut slope) = (start.clone(), f64::INFINITY, start, Vec::new());
        let mut factor = 1.0;
        let request = DistanceRequest { rel_err: DISTANCE_ERROR, ..DistanceRequest::default() };
        for _ in 0..steps {
            let answer = self.ask(&at, &request)?;
            let Some(witness) = answer.witness.filter(|_| answer.upper > 0.0) else { return Ok(()) };
            if answer.upper < best {
                slope = self.probe.gradient(&witness);
                (best, from, factor) = (answer.upper, at.clone(), 1.0);
            } else {
                factor *= 0.3;
            }
            let bounds = &self.probe.path.bounds;
            // What would leave the limits does not take part.
            let usable = |i: usize| if slope[i] > 0.0 { from[i] > bounds[i][0] } else { from[i] < bounds[i][1] };
            let squared: f64 = (0..slope.len()).filter(|&i| usable(i)).map(|i| slope[i] * slope[i]).sum();
            if squared < 1e-12 {
                return Ok(());
            }
            let length = ((best + STEP_BEYOND) / squared).min(LONGEST_STEP / squared.sqrt());
            for i in 0..slope.len() {
                at[i] = (from[i] - factor * length * slope[i]).clamp(bounds[i][0], bounds[i][1]);
            }
        }
        Ok(())
    }

    /// The distance at these values, remembered if it is the smallest one.
    fn ask(&mut self, values: &[f64], request: &DistanceRequest) -> Result<PartDistance> {
        let answer = self.probe.distance(values, request)?;
        if answer.upper < self.nearest {
            self.nearest = answer.upper;
            self.nearest_at = values.to_vec();
        }
        Ok(answer)
    }

    /// At most the distance of the bodies over all configurations within the limits.
    fn branch(&mut self) -> Result<f64> {
        let bounds = self.probe.path.bounds.clone();
        let root = self.cell(middles(&bounds), bounds, f64::NEG_INFINITY, None)?;
        let mut open = BinaryHeap::from([root]);
        let mut budget = self.options.evaluations;
        let mut decided = false;
        while let Some(weakest) = open.pop() {
            if weakest.bound > 0.0 && !decided {
                (decided, budget) = (true, self.probe.evaluations + self.options.refinements);
            }
            let done = self.probe.evaluations >= budget || self.nearest == 0.0;
            let thirds = if done || weakest.bound >= self.enough() { None } else { thirds(&weakest) };
            let Some(thirds) = thirds else { return Ok(weakest.bound) };
            for (bounds, center) in thirds {
                let known = (center == weakest.center).then_some(weakest.lower);
                open.push(self.cell(center, bounds, weakest.bound, known)?);
            }
        }
        Ok(0.0)
    }

    /// A bound that needs no improvement.
    fn enough(&self) -> f64 {
        (1.0 - self.options.tightness) * self.nearest
    }

    /// A box with its bound; `known` is the lower end of the distance at the centre.
    fn cell(&mut self, center: Vec<f64>, bounds: Vec<[f64; 2]>, inherited: f64, known: Option<f64>) -> Result<Cell> {
        let a_from_b = self.probe.pose(&center)?;
        let range = Range { bounds: &bounds, center: &center };
        let spread = self.probe.path.spread(self.hulls[0], self.hulls[1], &range, &a_from_b);
        let enough = self.enough() + self.slack;
        // The distance at the centre matters for pieces that are not far enough apart without it.
        let open = spread.pieces.iter().filter(|pair| pair.bound(0.0) < enough);
        let change = open.map(|pair| pair.change).fold(0.0, f64::max);
        let lower = match known {
            Some(lower) => lower,
            // Such a cell is never cut.
            None if inherited >= enough || change == 0.0 => 0.0,
            None => self.look(&center, change + self.slack)?,
        };
        let bounded = spread.pieces.iter().map(|pair| (pair.bound(lower), pair.balls));
        let (bound, balls) = bounded.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, [0, 0]));
        let of_variables = self.probe.path.contributions(&spread, balls);
        Ok(Cell { bound: inherited.max(bound - self.slack), bounds, center, lower, of_variables })
    }

    /// The lower end of the distance at a cell's centre; walks on from there if it is the smallest one so far.
    fn look(&mut self, center: &[f64], change: f64) -> Result<f64> {
        let before = self.nearest;
        let request =
            DistanceRequest { max_d: change + self.nearest, rel_err: DISTANCE_ERROR, ..DistanceRequest::default() };
        let answer = self.ask(center, &request)?;
        if answer.upper < before && answer.upper > 0.0 {
            self.walk(center.to_vec(), WALK_STEPS)?;
        }
        Ok(answer.lower)
    }
}

/// The middle of each range.
fn middles(bounds: &[[f64; 2]]) -> Vec<f64> {
    bounds.iter().map(|[low, high]| low + 0.5 * (high - low)).collect()
}

/// Sample `number` of a sequence that fills the box evenly: steps by powers of the positive root of `x^(n+1) = x + 1` (Roberts,
/// *The unreasonable effectiveness of quasirandom sequences*, 2018). Sample 0 is the centre.
fn sample(bounds: &[[f64; 2]], number: usize) -> Vec<f64> {
    let exponent = 1.0 / (bounds.len() as f64 + 1.0);
    let root = (0..40).fold(2.0_f64, |x, _| (1.0 + x).powf(exponent));
    let mut step = 1.0;
    let value = |[low, high]: &[f64; 2]| {
        step /= root;
        let place = (0.5 + step * number as f64).fract();
        (low + place * (high - low)).min(*high)
    };
    bounds.iter().map(value).collect()
}

/// The thirds of a cell, with their centres, cut across the variable that contributes most; none where it is too small for that.
fn thirds(cell: &Cell) -> Option<[(Vec<[f64; 2]>, Vec<f64>); 3]> {
    let most = |&a: &usize, &b: &usize| cell.of_variables[a].total_cmp(&cell.of_variables[b]);
    let variable = (0..cell.of_variables.len()).max_by(most)?;
    let [low, high] = cell.bounds[variable];
    let third = (high - low) / 3.0;
    let cuts = [low, low + third, high - third, high];
    if !(cuts[0] < cuts[1] && cuts[1] < cell.center[variable] && cell.center[variable] < cuts[2] && cuts[2] < cuts[3]) {
        return None;
    }
    Some([0, 1, 2].map(|i| {
        let (mut bounds, mut center) = (cell.bounds.clone(), cell.center.clone());
        bounds[variable] = [cuts[i], cuts[i + 1]];
        if i != 1 {
            center[variable] = cuts[i] + 0.5 * (cuts[i + 1] - cuts[i]);
        }
        (bounds, center)
    }))
}
