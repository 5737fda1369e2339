//! What `max_d` (Fig. 9b), `min_d` (Fig. 10a) and the tolerance (Figs. 10a and 10b) save on the
//! built-in scene.

use super::stage::{Moment, Stage, Target, mean};
use crate::Result;
use clearance_engine::query::DistanceRequest;

/// The values of `max_d`, as multiples of the distance that it is about; the last one is none at
/// all.
pub(super) const MAX_D: [f64; 10] = [0.25, 0.5, 0.75, 0.9, 1.1, 1.5, 2.0, 4.0, 8.0, f64::INFINITY];
/// The tolerances.
pub(super) const TOLERANCES: [f64; 6] = [0.0, 0.05, 0.1, 0.2, 0.3, 0.5];
/// The paper's safety margin, in metres.
pub(super) const MARGIN: f64 = 0.01;

/// One value of a parameter, for one target under one kind of tree: means over the moments.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sample {
    pub(super) tree: String,
    pub(super) target: Target,
    /// The parameter: `max_d` over the distance, or the tolerance.
    pub(super) value: f64,
    pub(super) us: f64,
    pub(super) volume_tests: f64,
    pub(super) leaf_tests: f64,
    /// The largest error of any answer, as a part of the answer.
    pub(super) error: f64,
}

fn sample(stage: &Stage, target: Target, value: f64, moments: &[Moment], exact: &[Moment]) -> Sample {
    let error = |(found, exact): (&Moment, &Moment)| {
        let (found, exact) = (found.answer.upper, exact.answer.upper);
        if found.is_finite() && found > 0.0 { (found - exact).abs() / found } else { 0.0 }
    };
    Sample {
        tree: stage.tree.clone(),
        target,
        value,
        us: mean(moments, |moment| moment.us),
        volume_tests: mean(moments, |moment| moment.answer.stats.volume_tests as f64),
        leaf_tests: mean(moments, |moment| moment.answer.stats.leaf_tests as f64),
        error: moments.iter().zip(exact).map(error).fold(0.0, f64::max),
    }
}

/// Fig. 9b, for both targets.
pub(super) fn max_d(stage: &Stage, repeats: usize) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for target in Target::BOTH {
        let exact = stage.ask(target, |_| vec![DistanceRequest::default()], 1)?.remove(0);
        let request = |moment: usize, value: f64| DistanceRequest {
            max_d: value * exact[moment].answer.upper,
            ..DistanceRequest::default()
        };
        let answers = stage.ask(target, |moment| MAX_D.map(|value| request(moment, value)).to_vec(), repeats)?;
        samples
            .extend(MAX_D.iter().zip(&answers).map(|(&value, moments)| sample(stage, target, value, moments, &exact)));
    }
    Ok(samples)
}

/// The tolerance, for one target: the samples, and the answers of every moment by tolerance.
pub(super) fn tolerance(stage: &Stage, target: Target, repeats: usize) -> Result<(Vec<Sample>, Vec<Vec<Moment>>)> {
    let request = |rel_err: f64| DistanceRequest { rel_err, ..DistanceRequest::default() };
    let answers = stage.ask(target, |_| TOLERANCES.map(request).to_vec(), repeats)?;
    let each = TOLERANCES.iter().zip(&answers);
    let samples = each.map(|(&value, moments)| sample(stage, target, value, moments, &answers[0])).collect();
    Ok((samples, answers))
}

/// `min_d` and tolerance of the lines of Fig. 10a.
pub(super) const VARIANTS: [(f64, f64); 4] = [(0.0, 0.0), (0.0, 0.3), (MARGIN, 0.0), (MARGIN, 0.3)];

/// Fig. 10a: the robot comes near the kitchen and touches it, under one kind of tree.
pub(super) struct Approach {
    pub(super) seconds: Vec<f64>,
    /// By [`VARIANTS`].
    pub(super) answers: Vec<Vec<Moment>>,
}

impl Approach {
    /// Measures it.
    pub(super) fn measure(stage: &Stage, repeats: usize) -> Result<Self> {
        let request = |(min_d, rel_err)| DistanceRequest { min_d, rel_err, ..DistanceRequest::default() };
        let answers = stage.ask(Target::Room, |_| VARIANTS.map(request).to_vec(), repeats)?;
        Ok(Self { seconds: stage.seconds.clone(), answers })
    }

    /// The answers of a variant where the robot is within the margin of the kitchen, or farther;
    /// never those in contact, where all searches end at once.
    pub(super) fn of(&self, variant: usize, within: bool) -> Vec<Moment> {
        let exact = &self.answers[0];
        let wanted = |exact: &Moment| exact.answer.upper > 0.0 && (exact.answer.upper <= MARGIN) == within;
        exact.iter().zip(&self.answers[variant]).filter(|(exact, _)| wanted(exact)).map(|(_, moment)| *moment).collect()
    }
}
