//! Beyond the paper: volumes inside of closed meshes that are not convex. When do they pay?
//!
//! A mesh meets a copy of itself. For each random rotation and direction the copy is moved in until
//! the solids first touch, and then to a share of that distance of the centres: small shares are
//! deep overlaps, those above 1 are apart.

use crate::placing::Random;
use crate::reproduce::{Effort, rounded};
use crate::table::{Table, short};
use crate::{Result, models, timing};
use clearance_engine::dispatch::{Dispatcher, PairQuery};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{BuildOptions, Bvh8, InnerKind, Mesh, NestedOptions, NestedTree};
use clearance_engine::{Pose, TriMesh};
use serde_json::{Value, json};
use std::hint::black_box;
use std::sync::Arc;

/// Distances of the centres, as shares of that of the first touch.
const SHARES: [f64; 5] = [0.2, 0.5, 0.8, 0.95, 1.05];
/// Rotations and directions, at a stride of 1.
const PLACEMENTS: usize = 400;

/// What was measured of one mesh at one share.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshSample {
    /// The mesh.
    pub mesh: &'static str,
    /// Its triangles.
    pub triangles: usize,
    /// The distance of the centres, as a share of that of the first touch.
    pub share: f64,
    /// The share of the placements that collides.
    pub colliding: f64,
    /// The share of these that volumes inside decide: boxes and spheres.
    pub decided: [f64; 2],
    /// Microseconds a query: boxes, spheres, the same tree with nothing inside, the default tree.
    pub us: [f64; 4],
    /// Milliseconds to build each of them.
    pub build_ms: [f64; 4],
}

impl MeshSample {
    pub(super) fn json(&self) -> Value {
        json!({
            "paper": "boxes", "table": "meshes", "mesh": self.mesh, "triangles": self.triangles, "share": self.share,
            "colliding": rounded(self.colliding), "decided": self.decided.map(rounded), "us": self.us.map(rounded),
            "build_ms": self.build_ms.map(rounded),
        })
    }
}

/// A closed mesh and its name.
pub(super) type Solid = (&'static str, Arc<TriMesh>);

/// The meshes: bulky and rough, thin and winding, with vertices.
pub(super) fn all() -> Result<[Solid; 4]> {
    let l = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [0, 2, 0]];
    Ok([
        ("rough ball", Arc::new(models::icosphere(4, 0.3)?)),
        ("torus", Arc::new(models::knobby_torus(1.0, 0.3, 6, 72, 36)?)),
        ("knot", Arc::new(models::torus_knot(200, 16)?)),
        ("L of cubes", Arc::new(models::cubes(&l, 8)?)),
    ])
}

/// Poses of the copy at a share of the first touch, for each rotation and direction.
fn placements(plan: &PairQuery<'_>, tri_mesh: &TriMesh, count: usize) -> Result<Vec<[Pose; SHARES.len()]>> {
    let (low, high) = tri_mesh.bounding_box();
    let (center, size) = ((low + high) / 2.0, (high - low).length());
    let (mut random, mut workspace) = (Random(29), Workspace::default());
    let mut placed = Vec::with_capacity(count);
    for _ in 0..count {
        let (rotation, direction) = (random.rotation(), random.direction());
        let pose = |distance: f64| Pose::new(rotation, center + direction * distance - rotation * center);
        let (mut inside, mut outside) = (0.0, size);
        for _ in 0..20 {
            let middle: f64 = 0.5 * (inside + outside);
            let colliding = plan.collide(&pose(middle)?, &mut workspace, None).colliding;
            if colliding { inside = middle } else { outside = middle }
        }
        let mut at = [Pose::IDENTITY; SHARES.len()];
        for (at, share) in at.iter_mut().zip(SHARES) {
            *at = pose(share * outside)?;
        }
        placed.push(at);
    }
    Ok(placed)
}

fn nested(tri_mesh: &Arc<TriMesh>, inner: InnerKind) -> Result<Mesh<NestedTree>> {
    let how = NestedOptions { inner, ..NestedOptions::default() };
    Ok(Mesh::<NestedTree>::build(Arc::clone(tri_mesh), &BuildOptions::default(), Some(how))?.into_solid()?)
}

/// Something made, and the milliseconds that took.
fn timed<T>(make: impl Fn() -> Result<T>) -> Result<(T, f64)> {
    let mut made = None;
    let us = timing::shortest_thread_us(1, || made = Some(make()));
    let made = made.unwrap_or_else(&make)?;
    Ok((made, us * 1e-3))
}

/// Measures meshes.
pub(super) fn measured(bodies: &[Solid], effort: &Effort, progress: &mut dyn FnMut(f64)) -> Result<Vec<MeshSample>> {
    let dispatcher = Dispatcher::standard();
    let mut samples = Vec::new();
    for (i, (name, tri_mesh)) in bodies.iter().enumerate() {
        let (boxes, boxes_ms) = timed(|| nested(tri_mesh, InnerKind::Boxes))?;
        let (spheres, spheres_ms) = timed(|| nested(tri_mesh, InnerKind::Spheres))?;
        let (nothing, nothing_ms) = timed(|| nested(tri_mesh, InnerKind::Nothing))?;
        let (wide, wide_ms) = timed(|| Ok(Mesh::<Bvh8>::new(Arc::clone(tri_mesh))?.into_solid()?))?;
        let plans = [
            dispatcher.plan(&boxes, &boxes)?,
            dispatcher.plan(&spheres, &spheres)?,
            dispatcher.plan(&nothing, &nothing)?,
            dispatcher.plan(&wide, &wide)?,
        ];
        let placed = placements(&plans[3], tri_mesh, (PLACEMENTS / effort.stride.max(1)).max(1))?;
        for (k, share) in SHARES.into_iter().enumerate() {
            let poses: Vec<Pose> = placed.iter().map(|at| at[k]).collect();
            samples.push(MeshSample {
                mesh: name,
                triangles: tri_mesh.len(),
                share,
                build_ms: [boxes_ms, spheres_ms, nothing_ms, wide_ms],
                ..at_poses(&plans, &poses, effort)
            });
        }
        progress((i + 1) as f64 / bodies.len() as f64);
    }
    Ok(samples)
}

fn at_poses(plans: &[PairQuery<'_>; 4], poses: &[Pose], effort: &Effort) -> MeshSample {
    let mut workspace = Workspace::default();
    let mut us = [f64::INFINITY; 4];
    for _ in 0..effort.rounds.max(1) {
        for (us, plan) in us.iter_mut().zip(plans) {
            let pass = || {
                for pose in poses {
                    black_box(plan.collide(pose, &mut workspace, None));
                }
            };
            *us = us.min(timing::shortest_us_within(effort.least, pass) / poses.len().max(1) as f64);
        }
    }
    let mut decided = [0; 2];
    let mut colliding = 0;
    for pose in poses {
        let found = plans.map(|plan| plan.collide(pose, &mut workspace, None));
        colliding += usize::from(found[3].colliding);
        // Where even the tree without anything inside names no triangles, it is containment.
        for (count, answer) in decided.iter_mut().zip(&found) {
            *count += usize::from(answer.colliding && answer.leaves.is_none() && found[2].leaves.is_some());
        }
    }
    let share = |count: usize, all: usize| count as f64 / all.max(1) as f64;
    MeshSample {
        mesh: "",
        triangles: 0,
        share: 0.0,
        colliding: share(colliding, poses.len()),
        decided: decided.map(|count| share(count, colliding)),
        us,
        build_ms: [0.0; 4],
    }
}

/// One row per mesh and share.
pub(super) fn table(samples: &[MeshSample]) -> Table {
    let mut table = Table::new(
        "Beyond the paper: solid meshes against themselves, the distance of their centres as a share of that of the first touch",
        &[
            "mesh",
            "share",
            "colliding %",
            "by boxes %",
            "by balls %",
            "boxes µs",
            "balls µs",
            "nothing inside µs",
            "default tree µs",
            "build ms: boxes",
            "balls",
            "nothing",
            "default",
        ],
    );
    for sample in samples {
        let percent = |share: f64| format!("{:.0}", share * 100.0);
        let mut row = vec![format!("{} ({})", sample.mesh, sample.triangles), format!("{}", sample.share)];
        row.push(percent(sample.colliding));
        row.extend(sample.decided.map(|share| if sample.colliding < 0.01 { "–".into() } else { percent(share) }));
        row.extend(sample.us.map(short));
        row.extend(sample.build_ms.map(short));
        table.rows.push(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_engine::math::DVec3;

    #[test]
    fn deep_overlaps_collide_and_placements_beyond_the_first_touch_mostly_do_not() {
        let tri_mesh = models::icosphere(2, 0.2).unwrap();
        let mesh = Mesh::<Bvh8>::new(tri_mesh.clone()).unwrap().into_solid().unwrap();
        let dispatcher = Dispatcher::standard();
        let plan = dispatcher.plan(&mesh, &mesh).unwrap();
        let mut workspace = Workspace::default();
        for at in placements(&plan, &tri_mesh, 20).unwrap() {
            let colliding = at.map(|pose| plan.collide(&pose, &mut workspace, None).colliding);
            assert!(colliding[0] && !colliding[4], "{colliding:?}");
            assert!(at[0].translation().distance(at[4].translation()) > 0.5 && at[0].translation() != DVec3::ZERO);
        }
    }
}
