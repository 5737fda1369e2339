//! `clearance check ROBOT.urdf --motion F`: each segment between two waypoints, straight or of a
//! spline, proven collision-free or with its first contact.

use super::check::Check;
use super::check_rows::{Rows, note};
use super::record;
use crate::output::number;
use crate::stream;
use anyhow::{Context, Result};
use clearance::robot::{Against, Configurations, EdgeClearance, JointCurve};
use clearance::viewer::{self, between};
use clearance::{Checker, Edge};
use serde_json::{Value, json};
use std::time::Duration;

/// What is known of one segment.
struct Segment {
    colliding: Option<bool>,
    json: Value,
    text: String,
}

impl Segment {
    /// What the recording says about it, with units.
    fn recorded(&self) -> viewer::Segment {
        let number = |value: &Value| value.as_f64().unwrap_or_default();
        let length = |value: &Value| format!("{:.3} mm", number(value) * 1e3);
        let share = |value: &Value| format!("{:.4} %", number(value) * 1e2);
        let name = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (json, i) = (&self.json, &self.json["i"]);
        let (verdict, found) = match self.colliding {
            Some(false) if json["clearance"].is_null() => {
                ("free", format!("collision-free, proven; all pairs stay at least {} apart", length(&json["margin"])))
            }
            Some(false) => {
                let found = &json["clearance"];
                let [lower, upper] = [&found["lower"], &found["upper"]].map(length);
                let (a, b, t) = (name(&found["link_a"]), name(&found["link_b"]), share(&found["t"]));
                let words = format!("clearance at least {lower}, at most {upper} ({a} – {b}, at {t} of the segment)");
                ("free", format!("collision-free, proven; {words}"))
            }
            None if !json["proven"].is_null() => {
                let [until, proven] = [&json["t_lower"], &json["proven"]].map(share);
                ("undecided", format!("undecided: collision-free until {until} of the segment, {proven} of it proven"))
            }
            colliding => {
                let (a, b) = (name(&json["link_a"]), name(&json["link_b"]));
                let near = || format!("comes within {} of", length(&json["gap"]));
                let what = colliding.map_or_else(near, |_| "touches".to_owned());
                let [lower, upper] = [&json["t_lower"], &json["t_upper"]].map(share);
                ("contact", format!("{a} {what} {b} between {lower} and {upper} of the segment"))
            }
        };
        let (from, text) = (number(i), format!("Segment {i}: {found}"));
        viewer::Segment { from, to: from + 1.0, verdict: verdict.to_owned(), text }
    }
}

/// Waypoints that are needed for segments still to be asked about.
struct Waypoints {
    chunk: Configurations,
    rows: Vec<Vec<f64>>,
    lines: Vec<usize>,
    /// The first segment to ask about begins at this one of `rows`; a spline needs the one before
    /// it too.
    begin: usize,
    /// How many segments are asked about.
    count: usize,
    total: usize,
}

impl Waypoints {
    /// Reads waypoints until there are segments to ask about, `max_rows` at most. Segments of a
    /// spline are known once the waypoint after them is.
    fn read(&mut self, rows: &mut Rows, spline: bool, max_rows: usize) -> (usize, Result<()>) {
        let answered = (self.begin + self.count).saturating_sub(usize::from(spline));
        self.begin = self.begin + self.count - answered;
        self.rows.drain(..answered);
        self.lines.drain(..answered);
        loop {
            let good = rows.reader.read(max_rows, &mut self.chunk).map_err(anyhow::Error::from);
            note(&rows.bar, self.chunk.notes());
            self.total += self.chunk.len();
            self.rows.extend(self.chunk.rows().map(<[f64]>::to_vec));
            self.lines.extend((0..self.chunk.len()).map(|i| self.chunk.line(i)));
            let ended = good.is_ok() && self.chunk.is_empty();
            let unknown = 1 + usize::from(spline && !ended);
            self.count = self.rows.len().saturating_sub(self.begin + unknown);
            if ended && self.total < 2 {
                let name = rows.reader.name().display();
                return (0, Err(anyhow::anyhow!("{name}: a motion takes two waypoints, not {}", self.total)));
            }
            if self.count > 0 || ended || good.is_err() {
                return (self.count, good);
            }
        }
    }
}

/// Asks about all segments and prints the answers; `loaded` is how long it took to get here.
pub fn run(check: &Check, mut rows: Rows, checker: &Checker, loaded: Duration) -> Result<()> {
    let request = check.motion_request();
    let clearance_error = check.clearance_error()?;
    let (bar, name) = (rows.bar.clone(), rows.reader.name().display().to_string());
    let chunk = rows.reader.chunk();
    let mut waypoints = Waypoints { chunk, rows: Vec::new(), lines: Vec::new(), begin: 0, count: 0, total: 0 };
    let read = |max_rows: usize, waypoints: &mut Waypoints| waypoints.read(&mut rows, check.spline, max_rows);
    let mut questions = checker.stream();
    let (mut free, mut undecided) = (0, 0);
    let mut recorded = check.records().then(record::Rows::default);
    let done = stream::answer_all(check.jobs, &bar, &mut waypoints, read, |waypoints| {
        let rows: Vec<&[f64]> = waypoints.rows.iter().map(Vec::as_slice).collect();
        let curves = if check.spline { JointCurve::through(&rows)? } else { Vec::new() };
        let segments: Vec<usize> = (waypoints.begin..waypoints.begin + waypoints.count).collect();
        let answers = questions.next(&segments, |checker, i, &at| {
            let (curve, [from, to]) = (curves.get(at), [rows[at], rows[at + 1]]);
            let edge = match curve {
                Some(curve) => checker.curve(curve, &request)?,
                None => checker.edge_with(from, to, &request)?,
            };
            let clearance = match (clearance_error.filter(|_| edge.is_free()), curve) {
                (None, _) => None,
                (Some(error), Some(curve)) => checker.curve_clearance(curve, &request, error)?,
                (Some(error), None) => checker.edge_clearance(from, to, &request, error)?,
            };
            Ok(Answer { edge, clearance, with_clearance: check.clearance }.segment(i))
        })?;
        let line = |(at, answer): (usize, clearance::robot::Result<Segment>)| {
            let line = waypoints.lines[waypoints.begin + at];
            let answer = answer.with_context(|| format!("{name}: line {line}: the segment from here"))?;
            free += usize::from(answer.colliding == Some(false));
            undecided += usize::from(!answer.json["proven"].is_null());
            if let Some(recorded) = &mut recorded {
                let (start, [from, to]) = (waypoints.begin + at, [0, 1].map(|end| rows[waypoints.begin + at + end]));
                let between = |t: f64| between(checker.robot(), from, to, t);
                let also = answer.json["t_upper"].as_f64().or(answer.json["clearance"]["t"].as_f64());
                let at = |t: f64| curves.get(start).map_or_else(|| between(t), |curve| curve.at(t));
                recorded.push_segment(answer.recorded(), also, at);
            }
            Ok(if check.json { answer.json.to_string() } else { answer.text })
        };
        Ok(answers.into_iter().enumerate().map(line).collect())
    })?;
    let (count, each, built) = (done.count, done.each(), loaded.as_secs_f64() * 1e3);
    eprintln!("{count} segments, {free} proven collision-free; {each:.1} µs each; loaded and built in {built:.0} ms");
    if undecided > 0 {
        eprintln!(
            "{undecided} segments are undecided: the search gave up after --max-evaluations {}",
            request.max_evaluations
        );
    }
    check.write_record(recorded, "segment", checker)
}

/// What was found out about a segment.
struct Answer {
    edge: Edge,
    /// None where it was not asked for, where the segment is not free, or where there is nothing to
    /// come near to.
    clearance: Option<EdgeClearance>,
    with_clearance: bool,
}

/// How the contract calls what a link meets.
fn with(against: Against) -> &'static str {
    match against {
        Against::Itself => "self",
        _ => "environment",
    }
}

impl Answer {
    fn segment(&self, i: usize) -> Segment {
        let mut json = json!({ "i": i, "colliding": null, "margin": null, "t_lower": null, "t_upper": null, "gap": null,
            "with": null, "link_a": null, "link_b": null, "proven": null, "clearance": null });
        match &self.edge {
            Edge::Free { clearance: margin } => {
                json["colliding"] = json!(false);
                json["margin"] = number(*margin);
                let mut text = format!("{i:>6}  collision-free (proven)");
                match &self.clearance {
                    Some(found) => {
                        // Both are proven.
                        let (lower, upper, t) = (found.lower.max(*margin).min(found.upper), found.upper, found.t);
                        let EdgeClearance { a, b, against, .. } = found;
                        json["clearance"] = json!({ "lower": number(lower), "upper": number(upper), "t": number(t),
                            "with": with(*against), "link_a": a, "link_b": b });
                        text += &format!(
                            "; clearance at least {lower:.6}, at most {upper:.6} ({a} – {b} at {t:.6} of the segment)"
                        );
                    }
                    None if self.with_clearance => text += "; nothing to come near to",
                    None => {}
                }
                Segment { colliding: Some(false), json, text }
            }
            Edge::Undecided { t, proven } => {
                json["t_lower"] = number(*t);
                json["proven"] = number(*proven);
                let share = 100.0 * proven;
                let text =
                    format!("{i:>6}  undecided: collision-free until {t:.6} of the segment, {share:.2} % of it proven");
                Segment { colliding: None, json, text }
            }
            Edge::Contact { t: [lower, upper], a, b, against, gap } => {
                let (colliding, with) = ((*gap == 0.0).then_some(true), with(*against));
                json["colliding"] = json!(colliding);
                for (key, value) in [("t_lower", lower), ("t_upper", upper), ("gap", gap)] {
                    json[key] = number(*value);
                }
                for (key, value) in [("with", with), ("link_a", a), ("link_b", b)] {
                    json[key] = json!(value);
                }
                let what = if colliding.is_some() { "touches".to_owned() } else { format!("comes within {gap:e} of") };
                let text = format!("{i:>6}  {a} {what} {b} ({with}) at {lower:.6} to {upper:.6} of the segment");
                Segment { colliding, json, text }
            }
        }
    }
}
