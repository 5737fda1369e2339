//! Peers with a harness in C++ (`harness.hpp`) as engines of the races: a process of its own that
//! is asked through pipes.
//!
//! A scene file is five counts (u64: vertices and triangles of A, of B, poses), then for A and for
//! B the vertices (f64) and the indices (u32), then the rows of every pose's 3×4 matrix (f64), all
//! little-endian.

use crate::process::Process;
use clearance_bench::engines::{Answers, Engine, Query, Sweep};
use clearance_bench::{Error, Result, Scene};
use clearance_engine::TriMesh;
use std::cell::RefCell;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

/// The process behind all methods of a peer.
struct Harness {
    process: Process,
    /// Where scenes are handed over.
    scene_file: PathBuf,
    scene: Option<&'static str>,
}

impl Harness {
    fn load(&mut self, scene: &Scene) -> Result<()> {
        if self.scene != Some(scene.name) {
            write_scene(&self.scene_file, scene)?;
            self.process.ask(&format!("load {}", self.scene_file.display()))?;
            self.scene = Some(scene.name);
        }
        Ok(())
    }
}

/// What a peer can be asked for.
pub struct Method {
    /// What the tables call it.
    pub name: &'static str,
    /// What the harness calls it.
    pub word: &'static str,
    pub queries: &'static [Query],
    /// The error that is excused, relative to the size of the scene.
    pub allowed: f64,
}

/// One method of a peer.
pub struct HarnessEngine {
    method: Method,
    harness: Rc<RefCell<Harness>>,
    /// Poses and triangles of A.
    counts: (usize, usize),
}

impl HarnessEngine {
    /// `methods` of the peer called `peer`, behind one process of the harness of that name in
    /// `folder`, through which scenes pass too.
    pub fn start(
        peer: &'static str,
        folder: &Path,
        methods: impl IntoIterator<Item = Method>,
    ) -> Result<Vec<Box<dyn Engine>>> {
        let process = Process::start(peer, &mut Command::new(folder.join(peer)))?;
        let harness = Harness { process, scene_file: folder.join("scene.bin"), scene: None };
        let harness = Rc::new(RefCell::new(harness));
        let engine =
            |method| -> Box<dyn Engine> { Box::new(Self { method, harness: Rc::clone(&harness), counts: (0, 0) }) };
        Ok(methods.into_iter().map(engine).collect())
    }
}

impl Engine for HarnessEngine {
    fn name(&self) -> &str {
        self.method.name
    }

    fn answers_to(&self, query: Query) -> bool {
        self.method.queries.contains(&query)
    }

    fn load(&mut self, scene: &Scene) -> Result<()> {
        self.counts = (scene.poses.len(), scene.a.len());
        self.harness.borrow_mut().load(scene)
    }

    fn sweep(&mut self, query: Query) -> Result<Sweep> {
        let command = format!("sweep {} {}", self.method.word, query.name());
        let us = self.harness.borrow_mut().process.number(&command)?;
        Ok(Sweep { us, n: if query == Query::Build { self.counts.1 } else { self.counts.0 } })
    }

    fn answers(&mut self, query: Query) -> Result<Answers> {
        let Method { name, word, allowed, .. } = self.method;
        let values = self.harness.borrow_mut().process.numbers(&format!("answers {word} {}", query.name()))?;
        if values.len() != self.counts.0 {
            return Err(Error::other(format!("{name} gave {} answers for {} poses", values.len(), self.counts.0)));
        }
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
