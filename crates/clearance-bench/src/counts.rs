//! Every volume on every scene: time, tests, floats, and how far the search is from its
//! certificate. Makes `docs/volumes.md`.

use crate::certificate::{Certificate, Recording};
use crate::engines::{Pass, Query};
use crate::table::{Table, short};
use crate::timing::LEAST;
use crate::volumes::{Bodies, Contender};
use crate::{Result, Scene, race};
use clearance_engine::Pose;
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::traversal::Workspace;
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
    /// Scene, query, volume and time as the races have them; each query on its own.
    pub race: race::Row,
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
    /// Microseconds a query, each on its own, over the poses without contact, which the certificate
    /// is about.
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
            "scene": self.race.scene,
            "query": self.race.query,
            "engine": self.race.engine,
            "us": round(self.race.us),
            "n": self.race.n,
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

/// Measures all of `volumes` with both queries: counts once, times in `rounds` turns, of which the
/// best counts. First come the distance rows of all volumes, then the collide rows. `progress` is
/// told how much is done, from 0 to 1.
///
/// ```
/// use clearance_bench::{counts, scenes, volumes::Contender};
/// let mut scene = scenes::make("20k-near")?;
/// scene.poses.truncate(3);
/// let rows = counts::run(&scene, &[Contender::default_mesh()], 1, &mut |_done| ())?;
/// assert_eq!(rows.iter().map(|row| row.race.query).collect::<Vec<_>>(), ["distance", "collide"]);
/// # Ok::<(), clearance_bench::Error>(())
/// ```
pub fn run(scene: &Scene, volumes: &[Contender], rounds: usize, progress: &mut dyn FnMut(f64)) -> Result<Vec<Row>> {
    let dispatcher = Dispatcher::standard();
    let bodies: Vec<Box<dyn Bodies>> = volumes.iter().map(|volume| volume.bodies(scene)).collect::<Result<_>>()?;
    let rounds = rounds.max(1);
    let mut subjects = Vec::new();
    for (query_index, query) in [Query::Distance, Query::Collide].into_iter().enumerate() {
        let start = subjects.len();
        for turn in 0..rounds * volumes.len() {
            let (round, i) = (turn / volumes.len(), turn % volumes.len());
            progress((query_index as f64 + turn as f64 / (rounds * volumes.len()) as f64) / 2.0);
            if round == 0 {
                subjects.push(Subject::new(scene, query, &volumes[i], &*bodies[i], &dispatcher)?);
            }
            subjects[start + i].time(&dispatcher)?;
        }
    }
    Ok(subjects.into_iter().map(Subject::finish).collect())
}

/// A row in the making.
struct Subject<'s> {
    bodies: &'s dyn Bodies,
    query: Query,
    poses: &'s [Pose],
    /// The poses without contact.
    free: Vec<Pose>,
    recording: Option<Recording>,
    row: Row,
}

impl<'s> Subject<'s> {
    /// All counts, no times.
    fn new(
        scene: &'s Scene,
        query: Query,
        volume: &Contender,
        bodies: &'s dyn Bodies,
        dispatcher: &Dispatcher,
    ) -> Result<Self> {
        let (poses, mut workspace) = (&scene.poses, Workspace::default());
        let mut pass = Pass::new(dispatcher, bodies, &mut workspace, false)?;
        let (colliding, _) = pass.answers(Query::Collide, poses);
        let free: Vec<Pose> =
            poses.iter().zip(colliding).filter(|(_, colliding)| *colliding == 0.0).map(|(pose, _)| *pose).collect();
        let (_, total) = pass.answers(query, poses);
        let each = |count: u64| count as f64 / poses.len().max(1) as f64;
        let (floats_a, floats_b) = bodies.floats();
        let engine = volume.name.clone();
        let row = Row {
            race: race::Row { scene: scene.name, query: query.name(), engine, us: f64::INFINITY, n: poses.len() },
            warm_us: f64::INFINITY,
            volume_tests: each(total.volume_tests),
            leaf_tests: each(total.leaf_tests),
            floats: (floats_a + floats_b) / 2.0,
            certificate: None,
            free_us: f64::INFINITY,
        };
        let recording = Recording::new(bodies, query, &free, &mut pass);
        Ok(Self { bodies, query, poses, free, recording, row })
    }

    /// One turn of all measurements.
    fn time(&mut self, dispatcher: &Dispatcher) -> Result<()> {
        let mut workspace = Workspace::default();
        let mut sweep = |poses: &[Pose], warm: bool| -> Result<f64> {
            Ok(Pass::new(dispatcher, self.bodies, &mut workspace, warm)?.sweep_us(self.query, poses, LEAST))
        };
        let us = sweep(self.poses, false)?;
        let free_us = if self.free.len() == self.poses.len() { us } else { sweep(&self.free, false)? };
        self.row.race.us = self.row.race.us.min(us);
        self.row.free_us = self.row.free_us.min(free_us);
        self.row.warm_us = self.row.warm_us.min(sweep(self.poses, true)?);
        if let Some(recording) = &mut self.recording {
            recording.replay(self.bodies);
        }
        Ok(())
    }

    fn finish(self) -> Row {
        Row { certificate: self.recording.map(|recording| recording.certificate), ..self.row }
    }
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
            row.race.engine.clone(),
            short(row.race.us),
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
    Table::grouped(&HEAD, rows, |row| format!("{} {}", row.race.scene, row.race.query), cells)
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
        let rows = run(&scene, &volumes, 1, &mut |_| ()).unwrap();
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
            assert!(row.race.us > 0.0 && row.warm_us > 0.0 && row.volume_tests >= 1.0, "{row:?}");
            assert!(row.floats >= 4.0 && row.ratio().unwrap() > 0.0, "{row:?}");
            let line: serde_json::Value = serde_json::from_str(&row.to_json()).unwrap();
            assert_eq!((&line["scene"], &line["engine"]), (&"falling".into(), &row.race.engine.clone().into()));
        }
    }
}
