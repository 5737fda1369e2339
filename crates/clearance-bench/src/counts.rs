//! Every volume on every scene: time, tests, floats, and how far the search is from its certificate. Makes `docs/volumes.md`.

use crate::certificate::Certificate;
use crate::engines::{Pass, Query};
use crate::table::{Table, short};
use crate::timing::LEAST;
use crate::volumes::Contender;
use crate::{Result, Scene};
use clearance::Pose;
use clearance::bank::Bank;
use clearance::descent::Workspace;
use serde_json::json;

/// What stands above the tables of `docs/volumes.md`.
pub const PREFACE: &str = "\
# The volumes, measured

Every bounding volume of the engine on every scene of the races (`crates/clearance-bench/src/scenes.rs` says what they are).
This page is the output of
```
cargo run --release --bin clearance -- bench volumes --markdown > docs/volumes.md
```
on one core, with PQP's models for `falling` and `spinning` (`CLEARANCE_DATA`). Times are of the machine that made it; what
carries over are counts and ratios. `wide` is the default: eight boxes with balls at a time in SIMD lanes, leaves of up to eight
triangles. All others are binary trees with one triangle a leaf, one test at a time.

* **µs** a query, each on its own; **warm** with the cache from the previous pose, which helps on the two sequences and is of
  no use on random poses. Means over all poses of a sequence and over 100 of the random ones.
* **volume tests**, **triangle tests** a query, cold. **floats** that a volume uses, the mean over both trees.
* **certificate**: what no search can do without, for these trees, this volume and this rule of which side to open: all that is
  looked at by a search that starts out knowing the true distance. Its time is volume tests × ns a volume test + pairs of
  leaves × ns a leaf pair, each the best time of that kernel, measured by handing it the certificate's own pairs over and
  over, without a queue.
  For `collide` the search is its own certificate. Only poses without contact count: with contact, two triangles are proof enough.
* **ratio**: time of the search at those poses ÷ time of the certificate. A loose volume has a good ratio and a bad time.
";

/// One volume, one scene, one query; means over the poses.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The scene's name.
    pub scene: &'static str,
    /// The query's name.
    pub query: &'static str,
    /// The volume's name.
    pub engine: String,
    /// Microseconds a query, each on its own.
    pub us: f64,
    /// The number of poses.
    pub n: usize,
    /// Microseconds a query, with the cache from the previous pose.
    pub warm_us: f64,
    /// Bounds between two volumes.
    pub volume_tests: f64,
    /// Tests between two triangles.
    pub leaf_tests: f64,
    /// Floats that a volume uses: the mean of both bodies.
    pub floats: f64,
    /// What no search can do without; none where there is contact at every pose.
    pub certificate: Option<Certificate>,
    /// Microseconds a query, each on its own, over the poses without contact, which the certificate is about.
    pub free_us: f64,
}

impl Row {
    /// How many times the certificate's time the search takes, where there is one.
    pub fn ratio(&self) -> Option<f64> {
        self.certificate.as_ref().map(|certificate| self.free_us / certificate.us())
    }

    /// As one line of JSON: the fields of the races, then the counts; times to the nanosecond.
    pub fn to_json(&self) -> String {
        let round = |x: f64| (x * 1e3).round() / 1e3;
        let proof = |number: fn(&Certificate) -> f64| self.certificate.as_ref().map(|c| round(number(c)));
        let line = json!({
            "scene": self.scene,
            "query": self.query,
            "engine": self.engine,
            "us": round(self.us),
            "n": self.n,
            "warm_us": round(self.warm_us),
            "volume_tests": round(self.volume_tests),
            "leaf_tests": round(self.leaf_tests),
            "floats": round(self.floats),
            "certificate_volume_tests": proof(|c| c.volume_tests),
            "certificate_leaf_pairs": proof(|c| c.leaf_pairs),
            "volume_ns": proof(|c| c.volume_ns),
            "leaf_ns": proof(|c| c.leaf_ns),
            "certificate_us": proof(Certificate::us),
            "ratio": self.ratio().map(round),
        });
        line.to_string()
    }
}

/// Measures `volume` through both queries of `scene`.
///
/// ```
/// use clearance_bench::{counts, scenes, volumes::Contender};
/// let mut scene = scenes::make("20k-near")?;
/// scene.poses.truncate(3);
/// let rows = counts::measure(&scene, &Contender::default_mesh())?;
/// assert_eq!(rows.iter().map(|row| row.query).collect::<Vec<_>>(), ["distance", "collide"]);
/// # Ok::<(), clearance_bench::Error>(())
/// ```
pub fn measure(scene: &Scene, volume: &Contender) -> Result<Vec<Row>> {
    let bodies = volume.bodies(scene)?;
    let (bank, mut memory, mut warm_memory) = (Bank::standard(), Workspace::default(), Workspace::default());
    let mut pass = Pass::new(&bank, &*bodies, &mut memory, false)?;
    let mut warm = Pass::new(&bank, &*bodies, &mut warm_memory, true)?;
    let (colliding, _) = pass.answers(Query::Collide, &scene.poses);
    let free = scene.poses.iter().zip(&colliding).filter(|(_, colliding)| **colliding == 0.0);
    let free: Vec<Pose> = free.map(|(pose, _)| *pose).collect();
    let (floats_a, floats_b) = bodies.floats();
    let mut row = |query: Query| {
        let (_, total) = pass.answers(query, &scene.poses);
        let each = |count: u64| count as f64 / scene.poses.len().max(1) as f64;
        let us = pass.sweep_us(query, &scene.poses, LEAST);
        let all_free = free.len() == scene.poses.len();
        Row {
            scene: scene.name,
            query: query.name(),
            engine: volume.name.clone(),
            us,
            n: scene.poses.len(),
            warm_us: warm.sweep_us(query, &scene.poses, LEAST),
            volume_tests: each(total.volume_tests),
            leaf_tests: each(total.leaf_tests),
            floats: (floats_a + floats_b) / 2.0,
            certificate: Certificate::measure(&*bodies, query, &free, &mut pass),
            free_us: if all_free { us } else { pass.sweep_us(query, &free, LEAST) },
        }
    };
    Ok([Query::Distance, Query::Collide].map(&mut row).to_vec())
}

/// Measures all of `volumes`: first the distance rows of each, then the collide rows. `progress` is told how much is done.
pub fn run(scene: &Scene, volumes: &[Contender], progress: &mut dyn FnMut(f64)) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (i, volume) in volumes.iter().enumerate() {
        progress(i as f64 / volumes.len() as f64);
        rows.extend(measure(scene, volume)?);
    }
    rows.sort_by_key(|row| row.query != Query::Distance.name());
    Ok(rows)
}

/// One table per scene and query.
pub fn tables(rows: &[Row]) -> Vec<Table> {
    const HEAD: [&str; 10] = [
        "volume",
        "µs",
        "warm µs",
        "volume tests",
        "triangle tests",
        "floats",
        "ns a volume test",
        "ns a leaf pair",
        "certificate µs",
        "ratio",
    ];
    let cells = |row: &Row| {
        let proof =
            |number: fn(&Certificate) -> f64| row.certificate.as_ref().map_or("–".to_owned(), |c| short(number(c)));
        vec![
            row.engine.clone(),
            short(row.us),
            short(row.warm_us),
            short(row.volume_tests),
            short(row.leaf_tests),
            short(row.floats),
            proof(|c| c.volume_ns),
            proof(|c| c.leaf_ns),
            proof(Certificate::us),
            row.ratio().map_or("–".to_owned(), short),
        ]
    };
    Table::grouped(&HEAD, rows, |row| format!("{} {}", row.scene, row.query), cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{scenes, volumes};

    #[test]
    fn every_volume_has_a_row_in_every_table() {
        let mut scene = scenes::make("falling").unwrap();
        scene.poses = scene.poses.into_iter().step_by(240).collect();
        let volumes = volumes::all();
        let rows = run(&scene, &volumes, &mut |_| ()).unwrap();
        let tables = tables(&rows);
        assert_eq!(
            tables.iter().map(|table| &*table.title).collect::<Vec<_>>(),
            ["falling distance", "falling collide"]
        );
        for table in tables {
            let names: Vec<&String> = table.rows.iter().map(|row| &row[0]).collect();
            assert_eq!(names, volumes.iter().map(|volume| &volume.name).collect::<Vec<_>>());
            assert!(table.rows.iter().all(|row| row.len() == table.head.len()), "{table:?}");
        }
        for row in rows {
            assert!(row.us > 0.0 && row.warm_us > 0.0 && row.volume_tests >= 1.0, "{row:?}");
            assert!(row.floats >= 4.0 && row.ratio().unwrap() > 0.0, "{row:?}");
            let line: serde_json::Value = serde_json::from_str(&row.to_json()).unwrap();
            assert_eq!((&line["scene"], &line["engine"]), (&"falling".into(), &row.engine.clone().into()));
        }
    }
}
