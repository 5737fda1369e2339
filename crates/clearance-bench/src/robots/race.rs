//! Engines take turns on a robot, as in [`crate::race`].

use super::{RobotEngine, RobotQuery, RobotScene};
use crate::Result;
use crate::engines::Answers;
use crate::race::{Disagreements, Row, best_of_turns, different_booleans, different_distances};

/// Races `engines` through all questions about `scene`: compares their answers with the first
/// one's, then measures `rounds` times in turn.
pub fn run(
    scene: &RobotScene,
    engines: &mut [&mut dyn RobotEngine],
    rounds: usize,
) -> Result<(Vec<Row>, Disagreements)> {
    for engine in engines.iter_mut() {
        engine.load(scene)?;
    }
    let (mut rows, mut disagreements) = (Vec::new(), Vec::new());
    for &query in scene.queries() {
        disagreements.extend(compare(scene, query, engines)?);
        let sweeps = best_of_turns(rounds, engines, |_| (), |engine| engine.sweep(scene, query))?;
        let row = |(engine, sweep): (&&mut dyn RobotEngine, crate::engines::Sweep)| Row {
            scene: scene.name,
            query: query.name(),
            engine: engine.name().to_owned(),
            us: sweep.us,
            n: sweep.n,
        };
        rows.extend(engines.iter().zip(sweeps).map(row));
    }
    Ok((rows, disagreements))
}

fn compare(scene: &RobotScene, query: RobotQuery, engines: &mut [&mut dyn RobotEngine]) -> Result<Disagreements> {
    let mut lines = Vec::new();
    let Some((first, others)) = engines.split_first_mut() else { return Ok(lines) };
    let expected = first.answers(scene, query)?;
    let distances = match query {
        RobotQuery::SelfCollide => Some(first.answers(scene, RobotQuery::SelfDistance)?),
        RobotQuery::Verdict => {
            let mut nearest = first.answers(scene, RobotQuery::SelfDistance)?;
            let around = first.answers(scene, RobotQuery::Environment)?;
            nearest.values.iter_mut().zip(around.values).for_each(|(own, other)| *own = own.min(other));
            Some(nearest)
        }
        _ => None,
    };
    for other in others {
        let found = other.answers(scene, query)?;
        let label = format!("{} {}: {} and {}", scene.name, query.name(), other.name(), first.name());
        if found.values.len() != expected.values.len() {
            lines.push(format!("{label} gave {} and {} answers", found.values.len(), expected.values.len()));
            continue;
        }
        let different = match &distances {
            Some(distances) => different_booleans(&label, &found, &expected, distances),
            None => different_distances(&label, &found, &expected, 0.0, 1.0),
        };
        lines.extend(different.map(|line| line + &place(scene, query, &found, &expected)));
    }
    Ok(lines)
}

/// For answers about pairs: which links they are about, with how many differences each, as numbers
/// of answers say little.
fn place(scene: &RobotScene, query: RobotQuery, found: &Answers, expected: &Answers) -> String {
    if query != RobotQuery::SelfDistances {
        return String::new();
    }
    let checker = &scene.checker;
    let pairs: Vec<_> = checker.pairs().collect();
    let mut counts = vec![0; pairs.len()];
    for (i, (f, e)) in found.values.iter().zip(&expected.values).enumerate() {
        counts[i % pairs.len()] += usize::from((f - e).abs() > found.allowed);
    }
    let listed = pairs.iter().zip(counts).filter(|(_, count)| *count > 0);
    let name = |part| checker.name(part).unwrap_or_default();
    let text = listed.map(|(&(a, b), count)| format!("{}/{} {count}×", name(a), name(b)));
    format!(" ({})", text.collect::<Vec<_>>().join(", "))
}
