//! The smallest distance of two bodies over all configurations within the limits: branch and bound.
//!
//! A *cell* is a box of the variables of either side of a pivot between the bodies (see `side`).
//! Its bound is the gap of what the bodies' pieces sweep there, or the certified distance at its
//! centre less what the pieces can move from it, or its parent's bound. Of the weakest cell the
//! side that moves more is cut in three across the variable that contributes most, so that the
//! middle third keeps its centre and its distance; the distance is asked for when the motion is
//! smaller than the pieces. A colliding configuration ends the search; to find one early, samples
//! spread evenly and walks down the gradient of the distance go first. These also give the distance
//! that no proof can exceed.
//!
//! Cost: the number of distances asked for, which is limited. The same input gives the same answer.

use super::gaps::{GapOptions, PairGap, Verdict};
use super::hulls::Hull;
use super::probe::Probe;
use super::side::{RegionPair, Side, middles};
use crate::{Result, Robot};
use clearance_engine::assembly::PartDistance;
use clearance_engine::query::DistanceRequest;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What a distance may be off, as a part of it; exact ones cost more and prove little more.
const DISTANCE_ERROR: f64 = 0.02;

/// Pairs of regions that take as long as one distance.
const CELLS_PER_EVALUATION: usize = 128;

/// The distance at a cell's centre is asked for once the pieces move less than this part of their
/// radii. On five robots, 0.5 decides most pairs in the same time (Talos: 146 of 496 proven; 138 at
/// 1, 142 at 0.25).
const MOTION_PER_SIZE: f64 = 0.5;

/// Samples that must all collide before a pair is said to collide always.
const ALWAYS_SAMPLES: usize = 256;

/// The samples from which a walk starts, and its steps.
const WALKS: usize = 5;
const WALK_STEPS: usize = 12;

/// How far a step aims beyond contact, in metres, and how far it may go, in radians or metres.
const STEP_BEYOND: f64 = 1e-3;
const LONGEST_STEP: f64 = 0.5;

/// A region of either side.
struct Cell {
    /// At most the distance of the bodies in these regions, and the pieces that this is about.
    bound: f64,
    pair: RegionPair,
    a: usize,
    b: usize,
    /// At most the distance where both are at their centres; none if it was not asked for.
    distance: Option<f64>,
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
    /// How many pairs of regions were met.
    cells: usize,
}

impl<'p> Search<'p> {
    pub fn new(robot: &'p Robot, probe: Probe<'p>, hulls: [&'p Hull; 2], slack: f64, options: &'p GapOptions) -> Self {
        let nearest_at = middles(&probe.path.bounds);
        Self { robot, probe, hulls, slack, options, nearest: f64::INFINITY, nearest_at, cells: 0 }
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
        Ok(PairGap { bodies, gap, verdict, evaluations: self.effort() })
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
        let path = self.probe.path;
        let mut sides = Side::both(self.robot, path, self.hulls)?;
        let mut open = BinaryHeap::from([self.cell(&sides, [0, 0], None, f64::NEG_INFINITY)]);
        // Boxes of few variables are soon small enough: there, more effort pays.
        let many = path.variables.len().clamp(4, 8) - 4;
        let (mut budget, mut decided) = (self.options.evaluations >> many, false);
        while let Some(weakest) = open.pop() {
            if weakest.bound > 0.0 && !decided {
                (decided, budget) = (true, self.effort() + self.options.refinements);
            }
            if self.effort() >= budget || self.nearest == 0.0 || weakest.bound >= self.enough() {
                return Ok(weakest.bound);
            }
            let Cell { bound, pair, a, b, distance } = weakest;
            let [change_a, change_b] = pair.changes;
            // What the pieces' spheres leave open, the distance of the bodies may settle, and the
            // other way round.
            if distance.is_none() && change_a + change_b <= MOTION_PER_SIZE * (pair.radii[0] + pair.radii[1]) {
                let distance = self.look(&sides, [a, b])?;
                open.push(self.cell(&sides, [a, b], Some(distance), bound));
                continue;
            }
            let first = usize::from(change_b > change_a);
            let Some((side, thirds)) = cut(&mut sides, [a, b], first)? else { return Ok(bound) };
            for (number, third) in (thirds..thirds + 3).enumerate() {
                let regions = if side == 0 { [third, b] } else { [a, third] };
                open.push(self.cell(&sides, regions, distance.filter(|_| number == 1), bound));
            }
        }
        Ok(0.0)
    }

    /// What was spent of the budget.
    fn effort(&self) -> usize {
        self.probe.evaluations + self.cells / CELLS_PER_EVALUATION
    }

    /// A bound that needs no improvement.
    fn enough(&self) -> f64 {
        (1.0 - self.options.tightness) * self.nearest
    }

    fn cell(&mut self, sides: &[Side<'_>; 2], [a, b]: [usize; 2], distance: Option<f64>, inherited: f64) -> Cell {
        self.cells += 1;
        let floor = inherited + self.slack;
        let pair = sides[0].get(a).nearest(sides[1].get(b), distance.unwrap_or(0.0), floor);
        Cell { bound: inherited.max(pair.bound - self.slack), pair, a, b, distance }
    }

    /// The lower end of the distance where both regions are at their centres; walks on from there
    /// if it is the smallest one so far.
    fn look(&mut self, sides: &[Side<'_>; 2], regions: [usize; 2]) -> Result<f64> {
        let mut values = self.nearest_at.clone();
        sides.iter().zip(regions).for_each(|(side, region)| side.write_center(region, &mut values));
        let enough = self.enough() + self.slack;
        let change = sides[0].get(regions[0]).open_change(sides[1].get(regions[1]), enough);
        let (before, max_d) = (self.nearest, change + self.nearest + self.slack);
        let request = DistanceRequest { max_d, rel_err: DISTANCE_ERROR, ..DistanceRequest::default() };
        let answer = self.ask(&values, &request)?;
        if answer.upper < before && answer.upper > 0.0 {
            self.walk(values, WALK_STEPS)?;
        }
        Ok(answer.lower)
    }
}

/// Cuts the region of side `first`, or that of the other side if it cannot be cut: the side and the
/// number of the first third.
fn cut(sides: &mut [Side<'_>; 2], regions: [usize; 2], first: usize) -> Result<Option<(usize, usize)>> {
    for side in [first, 1 - first] {
        if let Some(thirds) = sides[side].children(regions[side])? {
            return Ok(Some((side, thirds)));
        }
    }
    Ok(None)
}

/// Sample `number` of a sequence that fills the box evenly: steps by powers of the positive root of
/// `x^(n+1) = x + 1` (Roberts, *The unreasonable effectiveness of quasirandom sequences*, 2018).
/// Sample 0 is the centre.
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
