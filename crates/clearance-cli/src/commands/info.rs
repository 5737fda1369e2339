//! `clearance info FILE…`: what a mesh holds, what is wrong with it, cost of its hierarchy.

use anyhow::Result;
use clap::Args;
use clearance::TriMesh;
use clearance::shape::{check_closed, component_points};
use clearance::tree::{Hierarchy, Mesh};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// The arguments of `clearance info`.
#[derive(Args)]
pub struct Info {
    /// Mesh files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// One JSON object per file
    #[arg(long)]
    json: bool,
}

impl Info {
    /// Loads every file before it prints anything.
    pub fn run(&self) -> Result<()> {
        let meshes: Vec<TriMesh> =
            self.files.iter().map(|file| clearance_io::load_mesh(file)).collect::<Result<_, _>>()?;
        let mut out = std::io::stdout().lock();
        for (file, mesh) in self.files.iter().zip(meshes) {
            let mesh = Arc::new(mesh);
            let (low, high) = mesh.bounding_box();
            let degenerate = mesh.degenerate_count();
            let unused = mesh.unreferenced_count();
            let components = component_points(&mesh).len();
            let open = check_closed(&mesh).err().map(|error| error.to_string());
            let start = Instant::now();
            let built: Mesh = Mesh::new(mesh.clone())?;
            let milliseconds = start.elapsed().as_secs_f64() * 1e3;
            let bytes = built.hierarchy().memory();
            if self.json {
                let value = json!({
                    "file": file.display().to_string(),
                    "triangles": mesh.len(),
                    "vertices": mesh.vertices().len(),
                    "low": low.to_array(),
                    "high": high.to_array(),
                    "degenerate": degenerate,
                    "unreferenced_vertices": unused,
                    "components": components,
                    "closed": open.is_none(),
                    "hierarchy": { "build_ms": milliseconds, "nodes": built.hierarchy().bvh().node_count(), "bytes": bytes },
                });
                writeln!(out, "{value}")?;
                continue;
            }
            writeln!(out, "{}", file.display())?;
            writeln!(
                out,
                "  triangles    {} on {} vertices, {components} connected parts",
                mesh.len(),
                mesh.vertices().len()
            )?;
            writeln!(out, "  box          {low} to {high}")?;
            match &open {
                None => writeln!(out, "  closed       yes: may be declared solid")?,
                Some(reason) => writeln!(out, "  closed       no: {reason}")?,
            }
            if degenerate > 0 {
                writeln!(out, "  degenerate   {degenerate} triangles are segments or points")?;
            }
            if unused > 0 {
                writeln!(out, "  unreferenced {unused} vertices belong to no triangle")?;
            }
            let each = bytes as f64 / mesh.len() as f64;
            writeln!(
                out,
                "  hierarchy    {milliseconds:.1} ms to build, {:.0} kB ({each:.0} bytes a triangle)",
                bytes as f64 / 1e3
            )?;
        }
        Ok(())
    }
}
