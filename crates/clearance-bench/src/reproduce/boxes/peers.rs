//! Times of peers that are not linked to this crate, for Table 3: what `peers/run --json boxes`
//! printed.

use super::SPACES;
use crate::table::short;
use crate::{Error, Result};
use serde::Deserialize;
use serde_json::{Value, json};

/// One line of a race's output.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct PeerTime {
    scene: String,
    query: String,
    engine: String,
    us: f64,
}

/// The times of peers on Table 3's placements, from lines of JSON; those of other scenes and our
/// own are left out.
///
/// ```
/// let line = r#"{"scene":"boxes-cube-antiprism-25-separated","query":"collide","engine":"coal","us":1.2,"n":2000}"#;
/// assert_eq!(clearance_bench::reproduce::boxes::peer_times(line)?.len(), 1);
/// let other = r#"{"scene":"falling","query":"distance","engine":"coal","us":343.6,"n":2398}"#;
/// assert!(clearance_bench::reproduce::boxes::peer_times(other).is_err());
/// # Ok::<(), clearance_bench::Error>(())
/// ```
pub fn peer_times(text: &str) -> Result<Vec<PeerTime>> {
    let mut times = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let time: PeerTime =
            serde_json::from_str(line).map_err(|error| Error::other(format!("line {number}: {error}")))?;
        if super::SCENES.contains(&&*time.scene) && !time.engine.starts_with("clearance") {
            times.push(time);
        }
    }
    if times.is_empty() {
        return Err(Error::other("no peer's time on a scene of `peers/run --json boxes` is in it"));
    }
    Ok(times)
}

/// The µs of a peer where a pair collides and where it does not, for each space; none where it did
/// not race.
type Times = [[Option<f64>; 2]; 2];

/// Who raced on a pair, by name.
fn racers<'t>(times: &'t [PeerTime], pair: &str) -> Vec<(&'t str, Times)> {
    let mut names: Vec<&str> = times.iter().map(|time| &*time.engine).collect();
    names.sort_unstable();
    names.dedup();
    let at = |engine: &str, space: f64, kind: &str| {
        let scene = format!("boxes-{}-{:.0}-{kind}", pair.replace(" – ", "-"), space * 100.0);
        let mut of_scene = times.iter().filter(|time| time.scene == scene && time.engine == engine);
        of_scene.find(|time| time.query == "collide").map(|time| time.us)
    };
    let spaces = |engine: &str| SPACES.map(|space| ["colliding", "separated"].map(|kind| at(engine, space, kind)));
    names.into_iter().map(|name| (name, spaces(name))).collect()
}

/// What Table 3 calls an engine of the races.
fn label(engine: &str) -> &str {
    match engine {
        "ccd-mpr" => "libccd, MPR",
        "ccd-gjk" => "libccd, GJK",
        other => other,
    }
}

/// Rows of Table 3.
pub(super) fn rows(times: &[PeerTime], pair: &str) -> Vec<Vec<String>> {
    let cell = |us: &Option<f64>| us.map_or("–".into(), short);
    let row = |(name, spaces): (&str, Times)| {
        [format!("{}, live", label(name))].into_iter().chain(spaces.as_flattened().iter().map(cell)).collect()
    };
    racers(times, pair).into_iter().map(row).collect()
}

/// The same as lines of JSON.
pub(super) fn json(times: &[PeerTime], pair: &str) -> Vec<Value> {
    let mut lines = Vec::new();
    for (name, spaces) in racers(times, pair) {
        for (space, [colliding_us, apart_us]) in SPACES.into_iter().zip(spaces) {
            lines.push(json!({
                "paper": "boxes", "table": "Table 3, live", "pair": pair, "space": space, "detector": name,
                "colliding_us": colliding_us, "apart_us": apart_us,
            }));
        }
    }
    lines
}

/// Who raced.
pub(super) fn names(times: &[PeerTime]) -> impl Iterator<Item = &str> {
    times.iter().map(|time| label(&time.engine))
}

/// The µs of each peer at a pair and space, where it collides and where it does not; not a number
/// where it did not race.
pub(super) fn times_at(times: &[PeerTime], pair: &str, space: f64) -> Vec<[f64; 2]> {
    let place = SPACES.iter().position(|known| *known == space);
    let at = |(_, spaces): (&str, Times)| place.map(|place| spaces[place].map(|us| us.unwrap_or(f64::NAN)));
    racers(times, pair).into_iter().filter_map(at).collect()
}
