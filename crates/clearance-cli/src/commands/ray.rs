//! `clearance ray FILE --rays F`: where rays hit a mesh.

use crate::numbers;
use crate::output::{number, point};
use crate::progress::Busy;
use crate::rows::RowReader;
use crate::stream::{self, Source};
use anyhow::Result;
use clap::Args;
use clearance::engine::Readable;
use clearance::engine::shape::RayHit;
use clearance::{Mesh, MeshOptions, Ray, Vec3};
use serde_json::json;
use std::path::PathBuf;

const COLUMNS: [&str; 6] = ["ox", "oy", "oz", "dx", "dy", "dz"];

/// The arguments of `clearance ray`.
#[derive(Args)]
pub struct RayArgs {
    /// The mesh
    mesh: PathBuf,
    /// CSV with columns ox,oy,oz,dx,dy,dz: origins and directions; `-` is standard input. Rows are
    /// answered as they come, and a bad one ends the run after the answers of all before it
    #[arg(long, value_name = "FILE")]
    rays: PathBuf,
    /// Ignore hits beyond this t, in lengths of the direction
    #[arg(long, value_name = "T", value_parser = numbers::length, allow_hyphen_values = true)]
    max_t: Option<f64>,
    /// Threads; 0 uses all
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = numbers::jobs, allow_hyphen_values = true)]
    jobs: usize,
    /// One JSON object per ray on standard output, and nothing else there
    #[arg(long)]
    json: bool,
}

impl RayArgs {
    /// Reads and checks options and the mesh, then casts ray by ray.
    pub fn run(&self) -> Result<()> {
        let Source { read, name, bar } = Source::open(&self.rays)?;
        let mut rays = RowReader::new(read, &name, COLUMNS, ray)?;
        let busy = Busy::new("reading the mesh and building its hierarchy");
        let threads = numbers::threads(self.jobs);
        let mesh = Mesh::load_with(&self.mesh, &MeshOptions { threads, ..MeshOptions::default() })?;
        drop(busy);
        let (mut count, mut hits) = (0, 0);
        let read = |max_rows: usize, chunk: &mut Vec<Ray>| {
            let good = rays.read(max_rows, chunk);
            (chunk.len(), good)
        };
        let max_t = self.max_t.unwrap_or(f64::INFINITY);
        let done = stream::answer_all(self.jobs, &bar, &mut Vec::new(), read, |rays| {
            let rays = rays.iter().map(|ray| Ok(ray.up_to(max_t)?)).collect::<Result<Vec<Ray>>>()?;
            let line = |hit: Option<RayHit>| {
                let i = count;
                count += 1;
                hits += usize::from(hit.is_some());
                Ok(if self.json { json(i, hit) } else { text(i, hit) })
            };
            Ok(mesh.rays(&rays, threads)?.into_iter().map(line).collect())
        })?;
        eprintln!("{count} rays, {hits} hits; {:.2} µs each", done.each());
        Ok(())
    }
}

fn ray([ox, oy, oz, dx, dy, dz]: [f64; 6]) -> Result<Ray> {
    Ok(Ray::new(Vec3::new(ox, oy, oz), Vec3::new(dx, dy, dz))?)
}

fn json(i: usize, hit: Option<RayHit>) -> String {
    json!({
        "i": i,
        "hit": hit.is_some(),
        "t": hit.map(|hit| number(hit.t)),
        "point": hit.map(|hit| point(hit.point)),
        "normal": hit.map(|hit| point(hit.normal)),
        "leaf": hit.map(|hit| hit.leaf),
    })
    .to_string()
}

fn text(i: usize, hit: Option<RayHit>) -> String {
    let Some(hit) = hit else { return format!("{i:>6}  no hit") };
    let (t, point, normal) = (Readable(hit.t), Readable(hit.point), Readable(hit.normal));
    format!("{i:>6}  t {t} at {point}, normal {normal}, triangle {}", hit.leaf)
}
