//! Section 4.2.1: bounding volumes of hierarchies in clutter, and when bodies change their shape.

use super::Effort;
use crate::placing::Random;
use crate::volumes::Raced;
use crate::{Result, models, timing};
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::query::CollideGoal;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::Mesh;
use clearance_engine::volume::{Aabb, Kdop18, Obb, Sphere, Volume};
use clearance_engine::{Pose, TriMesh};
use std::sync::Arc;

/// What hierarchies of one kind take.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// Of a volume, and milliseconds to build the hierarchy and to refit it.
    pub(super) floats: usize,
    pub(super) build: f64,
    pub(super) refit: f64,
    /// Tests of volumes and of triangles, and microseconds, of a boolean query in clutter.
    pub(super) volume_tests: f64,
    pub(super) leaf_tests: f64,
    pub(super) us: f64,
    pub(super) colliding: usize,
}

/// Long, thin bars in a heap, and a bumpy sphere among them.
fn clutter(bars: usize) -> Result<TriMesh> {
    let mut random = Random(0xc1077e4);
    let bar = models::cubes(&[[0, 0, 0]], 4)?;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for _ in 0..bars {
        let thin = bar.vertices().iter().map(|&point| point * DVec3::new(1.0, 0.05, 0.05)).collect();
        let place = DVec3::new(random.signed(), random.signed(), random.signed());
        let bar = models::placed(&TriMesh::new(thin, bar.triangles().to_vec())?, random.rotation(), place)?;
        let first = vertices.len() as u32;
        vertices.extend_from_slice(bar.vertices());
        triangles.extend(bar.triangles().iter().map(|triangle| triangle.map(|vertex| vertex + first)));
    }
    Ok(TriMesh::new(vertices, triangles)?)
}

/// Spheres, boxes of both kinds and k-DOPs, all asked the same.
pub(super) fn kinds(effort: &Effort) -> Result<Vec<Kind>> {
    let (bars, level, poses) = if effort.stride > 10 { (20, 2, 40) } else { (150, 4, 600) };
    let room = Arc::new(clutter(bars)?);
    let tool = models::icosphere(level, 0.2)?;
    let small = tool.vertices().iter().map(|&point| point * 0.15).collect();
    let tool = Arc::new(TriMesh::new(small, tool.triangles().to_vec())?);
    let mut random = Random(0x9001);
    let place = |random: &mut Random| -> Result<Pose> {
        let place = DVec3::new(random.signed(), random.signed(), random.signed());
        Ok(Pose::new(random.rotation(), place)?)
    };
    let poses: Vec<Pose> = (0..poses).map(|_| place(&mut random)).collect::<Result<_>>()?;
    Ok(vec![
        kind::<Sphere>(&room, &tool, &poses, effort)?,
        kind::<Aabb>(&room, &tool, &poses, effort)?,
        kind::<Obb>(&room, &tool, &poses, effort)?,
        kind::<Kdop18>(&room, &tool, &poses, effort)?,
    ])
}

fn kind<V: Raced + Volume>(room: &Arc<TriMesh>, tool: &Arc<TriMesh>, poses: &[Pose], effort: &Effort) -> Result<Kind> {
    let mesh = |tri_mesh: &Arc<TriMesh>| Mesh::<V>::new(Arc::clone(tri_mesh));
    let rounds = effort.rounds.max(1);
    let build = 1e-3 * timing::shortest_thread_us(rounds, || mesh(room));
    let (mut a, b) = (mesh(room)?, mesh(tool)?);
    let mut workspace = Workspace::default();
    let mut sum = (0, 0, 0);
    let us = timing::shortest_thread_us(rounds, || {
        sum = (0, 0, 0);
        for pose in poses {
            let mut goal: CollideGoal = CollideGoal::default();
            V::meet(&a, &b, pose, &mut goal, &mut workspace);
            let found = goal.finish();
            sum.0 += found.stats.volume_tests;
            sum.1 += found.stats.leaf_tests;
            sum.2 += usize::from(found.colliding);
        }
    });
    // Twisted by up to half a turn about z, as a soft body might be.
    let twisted = |angle: f64| -> Vec<DVec3> {
        room.vertices().iter().map(|&point| DQuat::from_rotation_z(angle * point.z) * point).collect()
    };
    let mut refit = f64::INFINITY;
    for round in 1..=rounds {
        let vertices = twisted(round as f64);
        let mut outcome = Ok(());
        let once = timing::shortest_thread_us(1, || outcome = a.refit(vertices.clone()));
        outcome?;
        refit = refit.min(1e-3 * once);
    }
    let each = poses.len() as f64;
    let (volume_tests, leaf_tests) = (sum.0 as f64 / each, sum.1 as f64 / each);
    Ok(Kind {
        name: V::NAME,
        floats: V::FLOATS,
        build,
        refit,
        volume_tests,
        leaf_tests,
        us: us / each,
        colliding: sum.2,
    })
}
