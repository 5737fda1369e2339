//! coal as an engine of the races: a process of its own (`coal.cpp`) that is asked through pipes.
//!
//! A scene file is five counts (u64: vertices and triangles of A, of B, poses), then for A and for B the vertices (f64) and
//! the indices (u32), then the rows of every pose's 3×4 matrix (f64), all little-endian.

use crate::process::Process;
use clearance::TriMesh;
use clearance_bench::engines::{Answers, Engine, Query, Sweep};
use clearance_bench::{Error, Result, Scene};
use std::cell::RefCell;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

/// The process behind all of coal's volumes.
struct Harness {
    process: Process,
    /// Where scenes are handed over.
    scene_file: PathBuf,
    scene: Option<&'static str>,
}

impl Harness {
    fn start(program: &Path, folder: &Path) -> Result<Rc<RefCell<Self>>> {
        let process = Process::start("coal", &mut Command::new(program))?;
        Ok(Rc::new(RefCell::new(Self { process, scene_file: folder.join("scene.bin"), scene: None })))
    }

    fn load(&mut self, scene: &Scene) -> Result<()> {
        if self.scene != Some(scene.name) {
            write_scene(&self.scene_file, scene)?;
            self.process.ask(&format!("load {}", self.scene_file.display()))?;
            self.scene = Some(scene.name);
        }
        Ok(())
    }
}

/// One of coal's volumes.
pub struct Coal {
    name: String,
    volume: &'static str,
    queries: &'static [Query],
    harness: Rc<RefCell<Harness>>,
    /// Poses and triangles of A.
    counts: (usize, usize),
}

impl Coal {
    /// The volumes that have a fast path for a query, behind one process of `program`; scenes pass through `folder`.
    pub fn start(program: &Path, folder: &Path) -> Result<Vec<Self>> {
        let harness = Harness::start(program, folder)?;
        let volumes: [(&'static str, &'static [Query]); 4] = [
            ("OBBRSS", &[Query::Distance, Query::Collide, Query::Build]),
            ("kIOS", &[Query::Distance, Query::Collide, Query::Build]),
            ("RSS", &[Query::Distance]),
            ("OBB", &[Query::Collide]),
        ];
        let engine = |(volume, queries)| Self {
            name: format!("coal-{volume}"),
            volume,
            queries,
            harness: Rc::clone(&harness),
            counts: (0, 0),
        };
        Ok(volumes.into_iter().map(engine).collect())
    }

    /// Convex bodies without a hierarchy, behind a process of their own.
    pub fn start_convex(program: &Path, folder: &Path) -> Result<Self> {
        Ok(Self {
            name: "coal".to_owned(),
            volume: "convex",
            queries: &[Query::Distance, Query::Collide, Query::Penetration],
            harness: Harness::start(program, folder)?,
            counts: (0, 0),
        })
    }
}

impl Engine for Coal {
    fn name(&self) -> &str {
        &self.name
    }

    fn answers_to(&self, query: Query) -> bool {
        self.queries.contains(&query)
    }

    fn load(&mut self, scene: &Scene) -> Result<()> {
        self.counts = (scene.poses.len(), scene.a.len());
        self.harness.borrow_mut().load(scene)
    }

    fn sweep(&mut self, query: Query) -> Result<Sweep> {
        let command = format!("sweep {} {}", self.volume, query.name());
        let us = self.harness.borrow_mut().process.number(&command)?;
        Ok(Sweep { us, n: if query == Query::Build { self.counts.1 } else { self.counts.0 } })
    }

    fn answers(&mut self, query: Query) -> Result<Answers> {
        let values = self.harness.borrow_mut().process.numbers(&format!("answers {} {}", self.volume, query.name()))?;
        if values.len() != self.counts.0 {
            return Err(Error::other(format!("coal gave {} answers for {} poses", values.len(), self.counts.0)));
        }
        // Convex bodies are measured to within 1e-6 by default.
        let allowed = if self.volume == "convex" { 2e-6 } else { 1e-10 };
        Ok(Answers { poses: (0..values.len()).collect(), values, allowed })
    }
}

fn write_scene(path: &Path, scene: &Scene) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let bodies = [&scene.a, &scene.b];
    let counts = bodies.iter().flat_map(|body| [body.vertices().len(), body.len()]).chain([scene.poses.len()]);
    for count in counts {
        file.write_all(&(count as u64).to_le_bytes())?;
    }
    for body in bodies {
        write_mesh(&mut file, body)?;
    }
    for pose in &scene.poses {
        for row in 0..3 {
            let rotation = pose.rotation().row(row).to_array();
            for number in rotation.into_iter().chain([pose.translation()[row]]) {
                file.write_all(&number.to_le_bytes())?;
            }
        }
    }
    Ok(file.flush()?)
}

/// The vertices, then the indices.
pub fn write_mesh(file: &mut impl Write, mesh: &TriMesh) -> Result<()> {
    for coordinate in mesh.vertices().iter().flat_map(|vertex| vertex.to_array()) {
        file.write_all(&coordinate.to_le_bytes())?;
    }
    for index in mesh.triangles().iter().flatten() {
        file.write_all(&index.to_le_bytes())?;
    }
    Ok(())
}
