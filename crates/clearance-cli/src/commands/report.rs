//! `clearance check … --report F.html`: what was found about a motion, and all that was assumed, as one
//! page that prints.

use super::check::{Check, GeometryKind};
use crate::{plots, stream};
use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clearance::Checker;
use clearance::robot::{GapOptions, Srdf};
use clearance::viewer::{Clearance, Recording};
use clearance_bench::plot::{Axis, Line, Panel, Plot};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

/// The pairs that are listed, and the moments that have a picture.
const PAIRS: usize = 12;
const MOMENTS: usize = 3;
const PICTURE: [u32; 2] = [720, 480];

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;color:#1a202c;max-width:60rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.6rem;margin:0}h2{font-size:1.15rem;margin:2rem 0 .5rem;border-bottom:1px solid #cbd5e0}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;\
border-bottom:1px solid #e2e8f0;overflow-wrap:anywhere}.short{white-space:nowrap}.verdict{font-size:1.2rem;padding:.6rem 1rem;\
border-left:.5rem solid}.free{border-color:#2f9e44}.contact{border-color:#c92a2a}.undecided{border-color:#868e96}\
td.free,td.contact,td.undecided{border-left:.3rem solid;padding-left:.6rem}td.free{border-left-color:#2f9e44}\
td.contact{border-left-color:#c92a2a}td.undecided{border-left-color:#868e96}\
code{font-size:.85rem}img,svg{max-width:100%;height:auto}figure{margin:1rem 0;break-inside:avoid}\
@media print{body{margin:0;max-width:none;font-size:11pt}h2{break-after:avoid}tr{break-inside:avoid}}";

/// A pair at its nearest.
struct Nearest {
    names: String,
    upper: f64,
    frame: usize,
    clearance: usize,
}

/// The whole page.
pub fn page(check: &Check, checker: &Checker, recording: &Recording) -> Result<String> {
    let nearest = nearest(recording);
    let name = checker.robot().name();
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Motion of {0}: report</title><style>{STYLE}</style></head><body>\n<h1>Motion of {0}</h1>\n",
        escaped(name)
    );
    summary(&mut page, check, recording, &nearest);
    if !nearest.is_empty() {
        let plot = plots::svg(&plot(recording))?;
        let svg = plot.find("<svg").map_or("", |start| &plot[start..]);
        write!(
            page,
            "<h2>Clearance over time</h2>\n<p>The distances at {} moments.</p>{svg}",
            recording.frame_count()
        )?;
    }
    segments(&mut page, recording);
    pairs(&mut page, recording, &nearest);
    pictures(&mut page, recording, &nearest)?;
    assumptions(&mut page, check, checker)?;
    files(&mut page, check, checker)?;
    page += "</body></html>\n";
    Ok(page)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn millimetres(metres: f64) -> String {
    format!("{:.3} mm", metres * 1e3)
}

/// When a frame is, as the segments' table counts.
fn moment(recording: &Recording, frame: usize) -> String {
    let time = recording.timeline().times[frame];
    let last = recording.segments().len().saturating_sub(1) as f64;
    let segment = time.floor().min(last);
    format!("segment {segment}, at {:.3} of it", time - segment)
}

/// All pairs that are the nearest at some moment, the nearest ones first.
fn nearest(recording: &Recording) -> Vec<Nearest> {
    let mut pairs: HashMap<(usize, usize), Nearest> = HashMap::new();
    for (number, clearance) in recording.clearances().iter().enumerate() {
        for (frame, (witness, upper)) in clearance.witnesses.iter().zip(&clearance.upper).enumerate() {
            let (Some(witness), Some(upper)) = (witness, *upper) else { continue };
            let key = (witness.a, witness.b);
            if pairs.get(&key).is_none_or(|known| upper < known.upper) {
                let names = format!("{} – {}", recording.body_name(witness.a), recording.body_name(witness.b));
                pairs.insert(key, Nearest { names, upper, frame, clearance: number });
            }
        }
    }
    let mut pairs: Vec<Nearest> = pairs.into_values().collect();
    pairs.sort_by(|a, b| a.upper.total_cmp(&b.upper).then_with(|| a.names.cmp(&b.names)));
    pairs
}

fn summary(page: &mut String, check: &Check, recording: &Recording, nearest: &[Nearest]) {
    let count = |verdict: &str| recording.segments().iter().filter(|segment| segment.verdict == verdict).count();
    let (all, free) = (recording.segments().len(), count("free"));
    let class = if free == all {
        "free"
    } else if count("contact") > 0 {
        "contact"
    } else {
        "undecided"
    };
    let words = match class {
        "free" => format!("Collision-free: {free} of {all} segments proven, at every time and not at samples alone."),
        "contact" => {
            format!(
                "Not collision-free: {} of {all} segments touch something or come within the tolerance, {free} proven free.",
                count("contact")
            )
        }
        _ => format!("Undecided: {free} of {all} segments proven free, {} not decided.", all - free),
    };
    let _ = writeln!(page, "<p class=\"verdict {class}\">{words}</p>");
    if let Some(first) = nearest.first() {
        let kept = if check.margin > 0.0 || check.padding > 0.0 { ", less paddings and margins" } else { "" };
        let _ = writeln!(
            page,
            "<p>The smallest distance at the recorded moments is {}{kept}: {}, {}.</p>",
            millimetres(first.upper),
            escaped(&first.names),
            moment(recording, first.frame)
        );
    }
}

/// Clearance over the motion.
fn plot(recording: &Recording) -> Plot {
    let line = |clearance: &Clearance| {
        let points = recording.timeline().times.iter().zip(&clearance.upper);
        Line::new(&clearance.name, points.filter_map(|(time, upper)| Some((*time, upper.as_ref()? * 1e3))).collect())
    };
    let lines = recording.clearances().iter().map(line).collect();
    let panel = Panel { x: Axis::linear("segment"), y: Axis::linear("clearance in mm"), lines };
    Plot { name: "report", title: String::new(), panels: vec![panel] }
}

fn segments(page: &mut String, recording: &Recording) {
    *page += "<h2>Verdicts</h2>\n<table><tr><th>Verdict</th><th>What was found</th></tr>\n";
    for segment in recording.segments() {
        let (verdict, text) = (&segment.verdict, escaped(&segment.text));
        let _ = writeln!(page, "<tr><td class=\"short {verdict}\">{verdict}</td><td>{text}</td></tr>");
    }
    *page += "</table>\n";
}

fn pairs(page: &mut String, recording: &Recording, nearest: &[Nearest]) {
    if nearest.is_empty() {
        return;
    }
    *page += "<h2>Nearest pairs</h2>\n<table><tr><th>Distance</th><th>Pair</th><th>When</th></tr>\n";
    for pair in nearest.iter().take(PAIRS) {
        let (distance, names, when) = (millimetres(pair.upper), escaped(&pair.names), moment(recording, pair.frame));
        let _ = writeln!(page, "<tr><td class=\"short\">{distance}</td><td>{names}</td><td>{when}</td></tr>");
    }
    *page += "</table>\n";
}

fn pictures(page: &mut String, recording: &Recording, nearest: &[Nearest]) -> Result<()> {
    if nearest.is_empty() {
        return Ok(());
    }
    *page += "<h2>The worst moments</h2>\n";
    for pair in nearest.iter().take(MOMENTS) {
        let picture = recording.picture(pair.frame, Some(pair.clearance), PICTURE)?.encode()?;
        let apart =
            if pair.upper == 0.0 { "in contact".to_owned() } else { format!("{} apart", millimetres(pair.upper)) };
        let words = format!("{}: {apart}, {}", escaped(&pair.names), moment(recording, pair.frame));
        writeln!(
            page,
            "<figure><img width=\"{}\" height=\"{}\" alt=\"{words}\" src=\"data:image/png;base64,{}\"><figcaption>{words}</figcaption></figure>",
            PICTURE[0],
            PICTURE[1],
            STANDARD.encode(picture)
        )?;
    }
    Ok(())
}

fn assumptions(page: &mut String, check: &Check, checker: &Checker) -> Result<()> {
    let model = checker.robot();
    let against = match (check.own, check.environment, &check.scene) {
        (_, true, _) => "the surroundings alone",
        (true, ..) | (_, _, None) => "itself alone",
        _ => "itself and the surroundings",
    };
    let geometry = match check.geometry {
        GeometryKind::Collision => "the collision geometry of the links",
        GeometryKind::Visual => "the visual geometry of the links",
    };
    let hulls = if check.hull.is_empty() { "none".to_owned() } else { check.hull.join(", ") };
    let rows = [
        ("Robot", format!("{}: {} links, {} variables", model.name(), model.links().len(), model.variables().len())),
        ("Checked against", against.to_owned()),
        ("Geometry", geometry.to_owned()),
        ("Links replaced by their convex hulls", hulls),
        ("Padding of every link", millimetres(check.padding)),
        ("Distance that counts as a collision", millimetres(check.margin)),
        ("Contacts that could not be excluded", format!("count from {} on", millimetres(check.tolerance))),
        ("Evaluations before a segment is given up", check.max_evaluations.to_string()),
        (
            "Between waypoints",
            if check.spline {
                "a Catmull–Rom spline of the joints".into()
            } else {
                "straight lines of the joints".into()
            },
        ),
        ("Pose of the root link, x y z qw qx qy qz, in metres", check.base.clone().unwrap_or("0 0 0 1 0 0 0".into())),
        ("Neighbours", "links that one joint joins are not checked against each other".to_owned()),
        ("Version", format!("clearance {}", env!("CARGO_PKG_VERSION"))),
    ];
    *page += "<h2>What was assumed</h2>\n<table>\n";
    for (name, value) in rows {
        writeln!(page, "<tr><th>{name}</th><td>{}</td></tr>", escaped(&value))?;
    }
    *page += "</table>\n<h2>Pairs that need no check</h2>\n";
    let Some(path) = &check.srdf else {
        *page += "<p>None, besides neighbours.</p>\n";
        return Ok(());
    };
    *page += "<table><tr><th>Links</th><th>Reason that the SRDF file gives</th></tr>\n";
    for (a, b, reason) in Srdf::load(path)?.disabled() {
        let reason = reason.map_or_else(|| "none".to_owned(), escaped);
        writeln!(page, "<tr><td>{} – {}</td><td>{reason}</td></tr>", escaped(a), escaped(b))?;
    }
    *page += "</table>\n";
    Ok(())
}

fn files(page: &mut String, check: &Check, checker: &Checker) -> Result<()> {
    *page += "<h2>Files</h2>\n<table><tr><th>File</th><th>SHA-256</th></tr>\n";
    let read = [Some(&check.robot), check.srdf.as_ref(), check.motion.as_ref(), check.scene.as_ref()];
    for path in read.into_iter().flatten() {
        let hash = if stream::is_standard_input(path) { "standard input".to_owned() } else { hash(path)? };
        writeln!(page, "<tr><td>{}</td><td><code>{hash}</code></td></tr>", escaped(&path.display().to_string()))?;
    }
    let identity = checker.proof_identity(&GapOptions::default())?;
    writeln!(
        page,
        "<tr><td>Links with all their meshes, pairs and paddings</td><td><code>{identity:016x}</code> (64 bits, of this version)</td></tr>\n</table>"
    )?;
    Ok(())
}

fn hash(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}
