//! `clearance check ROBOT.urdf --motion F`: each segment between two waypoints, straight or of a spline, proven free or with its first contact.

use super::check::{Check, Posed};
use crate::output::number;
use crate::progress;
use anyhow::{Result, bail};
use clearance::bank::in_runs;
use clearance_robot::{JointCurve, MotionChecker, MotionVerdict, Obstacle, Scene};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// What is known of one segment.
struct Segment {
    colliding: Option<bool>,
    json: Value,
    text: String,
}

/// Asks about all segments and prints the answers; `loaded` is how long it took to get here.
pub fn run(check: &Check, path: &Path, robot: &Posed, scene: Option<&Scene>, loaded: Duration) -> Result<()> {
    let rows: Vec<&[f64]> = robot.configs.rows().collect();
    if rows.len() < 2 {
        bail!("{}: a motion takes two waypoints, not {}", path.display(), rows.len());
    }
    let (scene, request) = (if check.own { None } else { scene }, check.motion_request());
    let curves = if check.spline { JointCurve::through(&rows)? } else { Vec::new() };
    let segments: Vec<(usize, [&[f64]; 2])> = rows.windows(2).map(|pair| [pair[0], pair[1]]).enumerate().collect();
    let bar = progress::bar(segments.len());
    let start = Instant::now();
    let state = || MotionChecker::new(&robot.checker, scene);
    let answers = in_runs(&segments, check.jobs, state, |motions, segments| {
        let one = |&(i, [from, to]): &(usize, [&[f64]; 2])| {
            bar.inc(1);
            // A state that could not be made is an error of each of its segments.
            let motions = motions.as_mut().map_err(|error| anyhow::anyhow!("{error}"))?;
            let verdict = match curves.get(i) {
                Some(curve) => motions.curve(&robot.base, curve, &request)?,
                None => motions.segment(&robot.base, from, to, &request)?,
            };
            Ok(segment(i, &verdict, robot, scene))
        };
        segments.iter().map(one).collect()
    })?;
    let answers: Vec<Segment> = answers.into_iter().collect::<Result<_>>()?;
    let asked = start.elapsed();
    bar.finish_and_clear();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for answer in &answers {
        if check.json { writeln!(out, "{}", answer.json)? } else { writeln!(out, "{}", answer.text)? }
    }
    out.flush()?;
    let free = answers.iter().filter(|answer| answer.colliding == Some(false)).count();
    let undecided = answers.iter().filter(|answer| !answer.json["proven"].is_null()).count();
    let each = asked.as_secs_f64() * 1e6 / answers.len() as f64;
    let (count, built) = (answers.len(), loaded.as_secs_f64() * 1e3);
    eprintln!("{count} segments, {free} proven free; {each:.1} µs each; loaded and built in {built:.0} ms");
    if undecided > 0 {
        eprintln!("{undecided} segments are undecided: the search gave up after --most-looks {}", request.most_looks);
    }
    Ok(())
}

fn segment(i: usize, verdict: &MotionVerdict, robot: &Posed, scene: Option<&Scene>) -> Segment {
    let mut json = json!({ "i": i, "colliding": null, "margin": null, "t_lower": null, "t_upper": null, "gap": null,
        "with": null, "link_a": null, "link_b": null, "proven": null });
    let contact = match verdict {
        MotionVerdict::Free { margin } => {
            json["colliding"] = json!(false);
            json["margin"] = number(*margin);
            return Segment { colliding: Some(false), json, text: format!("{i:>6}  free, margin {margin:.6}") };
        }
        MotionVerdict::Undecided { t_lower, proven } => {
            json["t_lower"] = number(*t_lower);
            json["proven"] = number(*proven);
            let share = 100.0 * proven;
            let text = format!("{i:>6}  undecided: free until {t_lower:.6} of the segment, {share:.2} % of it proven");
            return Segment { colliding: None, json, text };
        }
        MotionVerdict::Contact(contact) => contact,
    };
    let (with, other) = match contact.other {
        Obstacle::Own(part) => ("self", robot.checker.name(part).unwrap_or_default()),
        Obstacle::Scene(object) => ("environment", scene.map_or("", |scene| scene.name(object).unwrap_or_default())),
    };
    let (link, colliding) =
        (robot.checker.name(contact.part).unwrap_or_default(), (contact.gap == 0.0).then_some(true));
    json["colliding"] = json!(colliding);
    for (key, value) in [("t_lower", contact.t_lower), ("t_upper", contact.t_upper), ("gap", contact.gap)] {
        json[key] = number(value);
    }
    for (key, value) in [("with", with), ("link_a", link), ("link_b", other)] {
        json[key] = json!(value);
    }
    let (lower, upper) = (contact.t_lower, contact.t_upper);
    let what = if colliding.is_some() { "touches".to_owned() } else { format!("comes within {:e} of", contact.gap) };
    let text = format!("{i:>6}  {link} {what} {other} ({with}) at {lower:.6} to {upper:.6} of the segment");
    Segment { colliding, json, text }
}
