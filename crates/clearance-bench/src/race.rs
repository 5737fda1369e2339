//! Engines take turns on a scene; the best time of each counts.
//!
//! What is compared must be the same thing: before a query is measured, all answers are compared
//! with those of the first engine. Interleaving the rounds spreads whatever else the machine does
//! over all engines alike.

use crate::engines::{Answers, Engine, Query, Sweep};
use crate::table::{Table, short};
use crate::{Result, Scene};
use serde::Serialize;

/// The best of an engine's rounds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The scene's name.
    pub scene: &'static str,
    /// The query's name.
    pub query: &'static str,
    /// The engine's name.
    pub engine: String,
    /// Microseconds a query, or of the whole build.
    pub us: f64,
    /// The number of poses, or of triangles for a build.
    pub n: usize,
}

impl Row {
    /// As one line of JSON, the time to the nanosecond.
    ///
    /// ```
    /// use clearance_bench::race::Row;
    /// let row = Row { scene: "falling", query: "distance", engine: "coal-kIOS".into(), us: 385.1004, n: 2398 };
    /// let line = r#"{"scene":"falling","query":"distance","engine":"coal-kIOS","us":385.1,"n":2398}"#;
    /// assert_eq!(row.to_json(), line);
    /// ```
    pub fn to_json(&self) -> String {
        let rounded = Self { us: (self.us * 1e3).round() / 1e3, ..self.clone() };
        serde_json::to_string(&rounded).unwrap_or_default()
    }
}

/// What differs from the first engine's answers, in words, one line each.
pub type Disagreements = Vec<String>;

/// Races `engines` through all queries of `scene`: compares their answers, then measures `rounds`
/// times in turn. `progress` is told now and then how much of it is done, from 0 to 1.
///
/// ```
/// use clearance_bench::{Engine, engines::Clearance, race, scenes};
/// let mut scene = scenes::make("20k-far")?;
/// scene.poses.truncate(10);
/// let mut engines: [&mut dyn Engine; 2] = [&mut Clearance::warm(), &mut Clearance::cold()];
/// let (rows, disagreements) = race::run(&scene, &mut engines, 1, &mut |_done| ())?;
/// assert!(rows.len() == 2 * scene.queries.len() && disagreements.is_empty());
/// # Ok::<(), clearance_bench::Error>(())
/// ```
pub fn run(
    scene: &Scene,
    engines: &mut [&mut dyn Engine],
    rounds: usize,
    progress: &mut dyn FnMut(f64),
) -> Result<(Vec<Row>, Disagreements)> {
    for engine in engines.iter_mut() {
        engine.load(scene)?;
    }
    let rounds = rounds.max(1);
    // The comparison is one more round.
    let total = (scene.queries.len() * (rounds + 1)) as f64;
    let (mut rows, mut disagreements) = (Vec::new(), Vec::new());
    for (asked, &query) in scene.queries.iter().enumerate() {
        let mut done = |rounds_done: usize| progress((asked * (rounds + 1) + rounds_done) as f64 / total);
        done(0);
        disagreements.extend(compare(scene, query, engines)?);
        let takers = engines.iter_mut().filter(|engine| engine.answers_to(query));
        let mut takers: Vec<&mut dyn Engine> = takers.map(|engine| &mut **engine as &mut dyn Engine).collect();
        let sweeps = best_of_turns(rounds, &mut takers, |round| done(round + 1), |engine| engine.sweep(query))?;
        let row = |(engine, sweep): (&&mut dyn Engine, Sweep)| Row {
            scene: scene.name,
            query: query.name(),
            engine: engine.name().to_owned(),
            us: sweep.us,
            n: sweep.n,
        };
        rows.extend(takers.iter().zip(sweeps).map(row));
    }
    Ok((rows, disagreements))
}

/// Lets all of `takers` measure in turn, `rounds` times; the best of each. `begin` is told the
/// number of each round.
pub(crate) fn best_of_turns<E>(
    rounds: usize,
    takers: &mut [E],
    mut begin: impl FnMut(usize),
    mut sweep: impl FnMut(&mut E) -> Result<Sweep>,
) -> Result<Vec<Sweep>> {
    let mut best: Vec<Sweep> = Vec::new();
    for round in 0..rounds.max(1) {
        begin(round);
        for (i, taker) in takers.iter_mut().enumerate() {
            let found = sweep(taker)?;
            match best.get_mut(i) {
                Some(best) => best.us = best.us.min(found.us),
                None => best.push(found),
            }
        }
    }
    Ok(best)
}

/// One table per scene and query, with the ratio to the engine called `clearance`.
///
/// ```
/// use clearance_bench::race::{Row, tables};
/// let row = |engine: &str, us| Row { scene: "falling", query: "collide", engine: engine.into(), us, n: 10 };
/// let tables = tables(&[row("clearance", 2.0), row("obb", 5.0)]);
/// assert_eq!(tables[0].title, "falling collide");
/// assert_eq!(tables[0].rows[1], ["obb", "5.00", "10", "2.50"]);
/// ```
pub fn tables(rows: &[Row]) -> Vec<Table> {
    let ours = |row: &Row| {
        let same = |other: &&Row| (other.scene, other.query, &*other.engine) == (row.scene, row.query, "clearance");
        rows.iter().find(same).map_or(f64::NAN, |ours| ours.us)
    };
    let cells = |row: &Row| vec![row.engine.clone(), short(row.us), row.n.to_string(), short(row.us / ours(row))];
    Table::grouped(&["engine", "µs", "n", "× clearance"], rows, |row| format!("{} {}", row.scene, row.query), cells)
}

fn compare(scene: &Scene, query: Query, engines: &mut [&mut dyn Engine]) -> Result<Disagreements> {
    let mut lines = Vec::new();
    let Some((first, others)) = engines.split_first_mut() else { return Ok(lines) };
    if query == Query::Build || !first.answers_to(query) {
        return Ok(lines);
    }
    let expected = first.answers(query)?;
    let distances = if query == Query::Collide { Some(first.answers(Query::Distance)?) } else { None };
    for other in others.iter_mut().filter(|other| other.answers_to(query)) {
        let found = other.answers(query)?;
        let label = format!("{} {}: {} and {}", scene.name, query.name(), other.name(), first.name());
        if let Some(distances) = &distances {
            lines.extend(different_booleans(&label, &found, &expected, distances));
        } else {
            // Both are at most 10 % above the truth, hence of each other.
            let relative = if query == Query::DistanceTenth { 0.12 } else { 0.0 };
            lines.extend(different_distances(&label, &found, &expected, relative, size(scene)));
        }
    }
    Ok(lines)
}

/// The size that absolute errors are measured by.
fn size(scene: &Scene) -> f64 {
    let reach = |low: clearance_engine::math::DVec3, high: clearance_engine::math::DVec3| {
        low.abs().max(high.abs()).max_element()
    };
    let [(a_low, a_high), (b_low, b_high)] = [scene.a.bounding_box(), scene.b.bounding_box()];
    let farthest = scene.poses.iter().fold(0.0_f64, |far, pose| far.max(pose.translation().length()));
    reach(a_low, a_high) + reach(b_low, b_high) + farthest
}

pub(crate) fn different_booleans(
    label: &str,
    found: &Answers,
    expected: &Answers,
    distances: &Answers,
) -> Option<String> {
    let at = |pose: usize| pairs(distances, distances).find(|(i, ..)| *i == pose).map_or(f64::NAN, |(_, d, _)| d);
    let differing: Vec<_> = pairs(found, expected).filter(|(_, f, e)| f != e).collect();
    // The farthest from contact.
    let (i, f, e) = *differing.iter().max_by(|x, y| at(x.0).total_cmp(&at(y.0)))?;
    Some(format!("{label} differ at {} poses: {f} and {e} at pose {i}, distance {:e}", differing.len(), at(i)))
}

pub(crate) fn different_distances(
    label: &str,
    found: &Answers,
    expected: &Answers,
    relative: f64,
    size: f64,
) -> Option<String> {
    let allowed = found.allowed.max(expected.allowed) * size;
    let differs = |(_, f, e): &(usize, f64, f64)| f.is_nan() || e.is_nan() || (f - e).abs() > relative * e + allowed;
    let differing: Vec<_> = pairs(found, expected).filter(differs).collect();
    // The largest difference; NaN counts as the largest.
    let (i, f, e) = *differing.iter().max_by(|x, y| (x.1 - x.2).abs().total_cmp(&(y.1 - y.2).abs()))?;
    let count = differing.len();
    Some(format!("{label} differ at {count} poses, by {:e} at pose {i}: {f:e} and {e:e}", (f - e).abs()))
}

/// (pose, found, expected) for the poses that both were asked about.
fn pairs<'x>(found: &'x Answers, expected: &'x Answers) -> impl Iterator<Item = (usize, f64, f64)> + 'x {
    found.poses.iter().zip(&found.values).filter_map(|(&pose, &value)| {
        let at = expected.poses.binary_search(&pose).ok()?;
        Some((pose, value, expected.values[at]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(values: &[f64]) -> Answers {
        Answers { poses: (0..values.len()).collect(), values: values.to_vec(), allowed: 1e-12 }
    }

    #[test]
    fn a_wrong_distance_and_one_that_is_no_number_are_reported() {
        let right = answers(&[1.0, 2.0, 3.0]);
        assert_eq!(different_distances("x", &right, &right, 0.0, 1.0), None);
        let wrong = different_distances("x", &answers(&[1.0, 2.5, 3.1]), &right, 0.0, 1.0).unwrap();
        assert!(wrong.contains("2 poses") && wrong.contains("pose 1"), "{wrong}");
        let nan = different_distances("x", &answers(&[1.0, 2.5, f64::NAN]), &right, 0.0, 1.0).unwrap();
        assert!(nan.contains("pose 2"), "{nan}");
    }

    #[test]
    fn a_wrong_boolean_is_reported_with_its_distance() {
        let (found, expected, distances) = (answers(&[0.0, 1.0]), answers(&[0.0, 0.0]), answers(&[1.0, 0.25]));
        let line = different_booleans("x", &found, &expected, &distances).unwrap();
        assert_eq!(line, "x differ at 1 poses: 1 and 0 at pose 1, distance 2.5e-1");
        assert_eq!(different_booleans("x", &expected, &expected, &distances), None);
    }

    #[test]
    fn answers_about_a_part_of_the_poses_meet_their_own_poses() {
        let part = Answers { poses: vec![1], values: vec![2.0], allowed: 1e-12 };
        assert_eq!(different_distances("x", &part, &answers(&[1.0, 2.0, 3.0]), 0.0, 1.0), None);
    }
}
