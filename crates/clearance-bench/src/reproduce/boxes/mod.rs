//! Arcila, Dinás and Bañón, *Un modelo de detector de colisiones basado en cajas rectangulares
//! externas e internas*: Tables 2 and 3, convex polyhedra with boxes around and inside of them
//! against five public libraries of their time.
//!
//! The paper does not give the sizes of its bodies, nor what its eneagonal body is in particular:
//! all vertices are on the unit sphere here, and it is the antiprism with equal edges, which has
//! the printed numbers of vertices, edges and faces. Bodies are put at random into a sphere of such
//! a size that 25 or 75 % of the placements collide. The five libraries are represented by our
//! implementations of what they do; all answers are checked against GJK's.

mod bodies;
mod findings;
mod measure;
mod meshes;
mod peers;
mod rivals;
mod scenes;

pub use measure::{Decided, Sample};
pub use meshes::MeshSample;
pub use peers::{PeerTime, peer_times};
pub use scenes::{NAMES as SCENES, scene};

use super::{Effort, Report, rounded};
use crate::Result;
use crate::table::{Table, short};
use bodies::Body;
use serde_json::{Value, json};

/// Placements of each pair and space, at a stride of 1: as many as the paper has.
const PLACEMENTS: usize = 100_000;
/// The two spaces: the share of placements that collide.
const SPACES: [f64; 2] = [0.25, 0.75];
/// The pairs, by their numbers in Table 1.
const PAIRS: [[usize; 2]; 4] = [[0, 0], [0, 3], [3, 3], [2, 1]];
/// Those of Table 3.
const RACED: [[usize; 2]; 2] = [[2, 1], [0, 3]];

/// Table 2 as it is printed: pair, then for each space how many were decided by inner boxes and by
/// faces with the µs of each.
type PrintedDecided = (&'static str, [[(u64, f64); 2]; 2]);

const PRINTED_TABLE_2: [PrintedDecided; 4] = [
    ("cube – cube", [[(28_046, 5.8), (0, 0.0)], [(76_521, 4.9), (0, 0.0)]]),
    ("cube – antiprism", [[(24_749, 5.69), (654, 375.28)], [(73_816, 3.86), (1_246, 379.59)]]),
    ("antiprism – antiprism", [[(15_812, 38.56), (9_259, 121.38)], [(54_138, 27.86), (20_740, 111.17)]]),
    ("icosahedron – octahedron", [[(16_401, 0.66), (8_503, 46.29)], [(57_783, 0.65), (17_171, 49.01)]]),
];

/// Table 3 as it is printed: detector, then for each pair and space µs where they collide and where
/// they do not.
type PrintedRace = (&'static str, [[[f64; 2]; 2]; 2]);

/// The pairs of the printed Table 3, from left to right.
const PRINTED_PAIRS: [&str; 2] = ["icosahedron – octahedron", "cube – antiprism"];

const PRINTED_TABLE_3: [PrintedRace; 6] = [
    ("PQP", [[[56.75, 29.21], [48.03, 78.46]], [[48.70, 5.31], [29.56, 19.55]]]),
    ("RAPID", [[[45.73, 14.70], [28.64, 39.10]], [[27.01, 5.30], [28.74, 19.55]]]),
    ("SOLID", [[[40.74, 26.52], [40.81, 70.31]], [[51.02, 22.81], [50.81, 99.17]]]),
    ("I-COLLIDE", [[[63.50, 49.14], [51.22, 80.21]], [[73.12, 45.60], [60.09, 100.09]]]),
    ("QUICKCD", [[[27.83, 10.69], [29.05, 44.84]], [[23.83, 12.03], [37.67, 43.44]]]),
    ("PROPUESTO", [[[8.86, 22.77], [5.93, 61.50]], [[5.61, 2.39], [4.80, 8.48]]]),
];

/// Measures and compares; times of peers that raced on Table 3's placements stand below ours.
pub fn run(effort: &Effort, peers: &[PeerTime], progress: &mut dyn FnMut(f64)) -> Result<Report> {
    report(effort, &meshes::all()?, peers, progress)
}

fn report(
    effort: &Effort,
    solids: &[meshes::Solid],
    peers: &[PeerTime],
    progress: &mut dyn FnMut(f64),
) -> Result<Report> {
    let bodies = bodies::all()?;
    let count = placement_count(effort);
    let (decided, samples) = measured(&bodies, count, effort, &mut |share| progress(0.6 * share))?;
    let meshes = meshes::measured(solids, effort, &mut |share| progress(0.6 + 0.4 * share))?;
    let findings = findings::all(&decided, &samples, &meshes, peers);
    let mut tables = vec![table_1(&bodies), table_2(&decided)];
    tables.extend(table_3(&samples, peers));
    tables.push(meshes::table(&meshes));
    let mut json: Vec<Value> = decided.iter().map(Decided::json).chain(samples.iter().map(Sample::json)).collect();
    json.extend(meshes.iter().map(MeshSample::json));
    json.extend(PRINTED_PAIRS.iter().flat_map(|pair| peers::json(peers, pair)));
    json.extend(printed_json());
    json.extend(findings.iter().map(|finding| finding.json("boxes")));
    Ok(Report { notes: vec![note(count, effort)], tables, findings, plots: Vec::new(), json })
}

/// How many placements of each pair and space are made.
fn placement_count(effort: &Effort) -> usize {
    (PLACEMENTS / effort.stride.max(1)).max(1)
}

fn note(count: usize, effort: &Effort) -> String {
    format!(
        "Outer and inner boxes (Arcila, Dinás and Bañón). {count} random placements of each pair in a small and a large ball (the paper has\n\
         {PLACEMENTS}; counts are scaled to as many), the best of {} turns, one core; trees are cut to level 4. Rivals are our own\n\
         implementations of their methods, all of solids: containment counts (and parry, where it is built in; coal by --peers, from\n\
         crates/clearance-bench/peers/run --json boxes, at up to 2000 of the same placements of either kind). I-COLLIDE's closest features\n\
         are looked for from scratch. The printed times are of a 2.8 GHz Xeon; sizes of the bodies are not printed, here all vertices are\n\
         on the unit sphere.",
        effort.rounds
    )
}

fn measured(
    bodies: &[Body; 4],
    count: usize,
    effort: &Effort,
    progress: &mut dyn FnMut(f64),
) -> Result<(Vec<Decided>, Vec<Sample>)> {
    let (mut decided, mut samples) = (Vec::new(), Vec::new());
    for (i, pair) in PAIRS.iter().enumerate() {
        let [a, b] = pair.map(|body| &bodies[body]);
        for (j, &space) in SPACES.iter().enumerate() {
            let placed = measure::Placed::new(a, b, space, count)?;
            decided.push(measure::decided(&placed, effort)?);
            if RACED.contains(pair) {
                samples.extend(measure::race(&placed, effort)?);
            }
            progress((2 * i + j + 1) as f64 / (2 * PAIRS.len()) as f64);
        }
    }
    Ok((decided, samples))
}

fn pair_name(a: &Body, b: &Body) -> String {
    format!("{} – {}", a.name, b.name)
}

fn percent(space: f64) -> String {
    format!("{:.0} %", space * 100.0)
}

fn table_1(bodies: &[Body; 4]) -> Table {
    let mut table = Table::new(
        "Table 1, polyhedra",
        &["body", "printed as", "vertices", "edges", "faces", "inner box, % of the volume", "level 4"],
    );
    for body in bodies {
        let (share, shares) = measure::inner_shares(body).unwrap_or_default();
        let mut row = vec![body.name.to_owned(), body.printed.to_owned()];
        row.extend(body.counts.map(|count| count.to_string()));
        row.extend([share, shares].map(|share| format!("{:.1}", share * 100.0)));
        table.rows.push(row);
    }
    table
}

fn table_2(decided: &[Decided]) -> Table {
    let mut table = Table::new(
        "Table 2, what decides collisions, per 100,000 placements",
        &["pair", "space", "by inner boxes", "µs", "by faces", "µs", "by containment", "% by inner boxes"],
    );
    for sample in decided {
        let printed = PRINTED_TABLE_2.iter().find(|(pair, _)| *pair == sample.pair);
        let space = SPACES.iter().position(|space| *space == sample.space);
        if let Some(((_, spaces), space)) = printed.zip(space) {
            let [(boxes, boxes_us), (faces, faces_us)] = spaces[space];
            table.rows.push(vec![
                format!("printed: {}", sample.pair),
                percent(sample.space),
                boxes.to_string(),
                short(boxes_us),
                faces.to_string(),
                if faces == 0 { "–".into() } else { short(faces_us) },
                "–".into(),
                format!("{:.1}", 100.0 * boxes as f64 / (boxes + faces) as f64),
            ]);
        }
        table.rows.push(vec![
            sample.pair.clone(),
            percent(sample.space),
            format!("{:.0}", sample.by_inner),
            short(sample.inner_us),
            format!("{:.0}", sample.by_faces),
            short(sample.faces_us),
            format!("{:.0}", sample.by_containment),
            format!("{:.1}", 100.0 * sample.inner_share()),
        ]);
    }
    table
}

/// One table per pair, printed rows first, peers last.
fn table_3(samples: &[Sample], peers: &[PeerTime]) -> Vec<Table> {
    const HEAD: [&str; 5] = ["detector", "25 %: colliding µs", "apart µs", "75 %: colliding µs", "apart µs"];
    let mut pairs: Vec<&str> = samples.iter().map(|sample| &*sample.pair).collect();
    pairs.dedup();
    let table = |pair: &&str| {
        let mut table = Table::new(format!("Table 3, {pair}"), &HEAD);
        for (name, times) in PRINTED_TABLE_3 {
            let mut row = vec![format!("printed: {name}")];
            let spaces =
                PRINTED_PAIRS.iter().zip(times).find(|(printed, _)| *printed == pair).map(|(_, spaces)| spaces);
            row.extend(spaces.unwrap_or_default().as_flattened().iter().copied().map(short));
            table.rows.push(row);
        }
        let at = |space: f64| samples.iter().filter(move |sample| sample.pair == **pair && sample.space == space);
        for (large, small) in at(SPACES[0]).zip(at(SPACES[1])) {
            let name = large.printed.map_or(large.name.to_owned(), |printed| format!("{} ({printed})", large.name));
            let mut row = vec![name];
            row.extend([large.colliding_us, large.apart_us, small.colliding_us, small.apart_us].map(short));
            table.rows.push(row);
        }
        table.rows.extend(peers::rows(peers, pair));
        table
    };
    pairs.iter().map(table).collect()
}

fn printed_json() -> Vec<Value> {
    let mut json = Vec::new();
    for (pair, spaces) in PRINTED_TABLE_2 {
        for (space, [(by_inner, inner_us), (by_faces, faces_us)]) in SPACES.into_iter().zip(spaces) {
            json.push(json!({
                "paper": "boxes", "table": "Table 2, printed", "pair": pair, "space": space, "by_inner": by_inner,
                "inner_us": inner_us, "by_faces": by_faces, "faces_us": faces_us,
            }));
        }
    }
    for (name, pairs) in PRINTED_TABLE_3 {
        for (pair, spaces) in PRINTED_PAIRS.into_iter().zip(pairs) {
            for (space, [colliding_us, apart_us]) in SPACES.into_iter().zip(spaces) {
                json.push(json!({
                    "paper": "boxes", "table": "Table 3, printed", "pair": pair, "space": space, "detector": name,
                    "colliding_us": rounded(colliding_us), "apart_us": rounded(apart_us),
                }));
            }
        }
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn as_many_placements_are_made_as_the_paper_has_unless_fewer_are_asked_for() {
        let effort = Effort::of("boxes");
        assert_eq!((placement_count(&effort), placement_count(&Effort { stride: 50, ..effort })), (100_000, 2000));
    }

    #[test]
    fn every_row_is_there_cubes_are_decided_by_boxes_and_no_number_is_missing() {
        let effort = Effort { stride: 500, rounds: 1, least: Duration::ZERO };
        let line = r#"{"scene":"boxes-cube-antiprism-75-separated","query":"collide","engine":"coal","us":1.25,"n":9}"#;
        let peers = peer_times(&[line, &line.replace("coal", "ccd-mpr")].join("\n")).unwrap();
        let report = report(&effort, &meshes::all().unwrap()[3..], &peers, &mut |_| ()).unwrap();
        let rows: Vec<usize> = report.tables.iter().map(|table| table.rows.len()).collect();
        assert_eq!(rows[..2], [4, 16]);
        assert!(rows.len() == 5 && rows[2] == rows[3] && rows[2] >= 6 + 10, "{rows:?}");
        assert!(report.tables.iter().all(|table| table.rows.iter().all(|row| row.len() == table.head.len())));
        // The printed figures stand above those of the same pair.
        assert_eq!(report.tables[2].title, "Table 3, cube – antiprism");
        assert_eq!(report.tables[2].rows[5], ["printed: PROPUESTO", "5.61", "2.39", "4.80", "8.48"]);
        let live = report.tables[2].rows.iter().rev().take(2).map(|row| row.join(" "));
        assert!(live.eq(["coal, live – – – 1.25", "libccd, MPR, live – – – 1.25"]));
        assert_eq!(report.json.iter().filter(|line| line["table"] == "Table 3, live").count(), 8);
        let cubes = &report.tables[1].rows[1];
        assert_eq!((&*cubes[0], &*cubes[4], &*cubes[7]), ("cube – cube", "0", "100.0"));
        assert!(report.findings.iter().all(|finding| !finding.here.contains("NaN")), "{:?}", report.findings);
    }
}
