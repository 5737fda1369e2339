//! Set-up, tests and memory of one iteration's cells, as voxels and as polygons.

use super::cells::{Lattice, changes, grids, map_of, tri_mesh};
use super::{POLYGONS, VOXELS};
use crate::reproduce::{Effort, rounded};
use crate::{Result, timing};
use clearance_engine::math::DVec3;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Bvh8, BvhKind, Geometry, Hierarchy, Mesh};
use clearance_engine::volume::Obb;
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{CheckOptions, CollisionModel, Object, Placement, Scene};
use clearance_scene::explore::{Body, Cell3, Recording};
use serde_json::{Value, json};
use std::sync::Arc;

/// The robot under both kinds of trees.
pub(super) struct Robots {
    default: CollisionModel,
    obb: CollisionModel,
}

impl Robots {
    pub(super) fn new(body: &Body) -> Result<Self> {
        let (robot, options) = (body.checker.robot(), CheckOptions::default());
        let obb = |mesh: &Arc<TriMesh>| {
            let built: Mesh<Obb> = Mesh::new(mesh.clone())?;
            Ok(Arc::new(built) as Arc<dyn Geometry>)
        };
        Ok(Self {
            default: CollisionModel::new(robot.clone(), &options)?,
            obb: CollisionModel::with_meshes(robot.clone(), &options, &obb)?,
        })
    }
}

/// What was measured of one iteration's cells in one form.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The edge of a cell, in metres.
    pub edge: f64,
    /// From 1 on.
    pub iteration: usize,
    /// Voxels or polygons.
    pub kind: &'static str,
    /// Of polygons: their tree.
    pub tree: Option<&'static str>,
    /// How many cells hold something.
    pub obstacle: usize,
    /// How many cells are not known.
    pub unknown: usize,
    /// Milliseconds from the list of cells to both grids.
    pub set_up_ms: f64,
    /// Milliseconds from the grids of the iteration before; nothing but a voxel map can do that.
    pub changes_ms: Option<f64>,
    /// Microseconds a test, the robot under default trees.
    pub test_us: Option<f64>,
    /// Microseconds a test, the robot under oriented boxes.
    pub obb_test_us: Option<f64>,
    /// The share of the tests that find a collision.
    pub colliding: f64,
    /// How many configurations were asked about.
    pub tests: usize,
    /// Of both grids, with the polygons themselves.
    pub memory_kb: f64,
}

impl Sample {
    /// Kind and tree.
    pub(super) fn name(&self) -> &'static str {
        self.tree.unwrap_or(self.kind)
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "paper": "hetero", "table": "Tables I and II", "edge_m": self.edge, "iteration": self.iteration, "type": self.kind,
            "tree": self.tree, "obstacle": self.obstacle, "unknown": self.unknown, "set_up_ms": rounded(self.set_up_ms),
            "changes_ms": self.changes_ms.map(rounded), "test_us": self.test_us.map(rounded),
            "obb_test_us": self.obb_test_us.map(rounded), "colliding": rounded(self.colliding), "tests": self.tests,
            "memory_kb": rounded(self.memory_kb),
        })
    }
}

/// The polygons under oriented boxes, and under the default tree.
pub(super) const UNDER_OBB: &str = "polygons, oriented boxes";
pub(super) const UNDER_DEFAULT: &str = "polygons, default tree";

/// The robot where the planner asked about it.
struct Posed<'r> {
    checker: &'r CollisionModel,
    placements: Vec<Placement>,
}

impl<'r> Posed<'r> {
    fn new(checker: &'r CollisionModel, configurations: &[Vec<f64>]) -> Result<Self> {
        let place = |configuration: &Vec<f64>| {
            let mut placement = checker.placement()?;
            checker.place(&mut placement, &Pose::IDENTITY, configuration)?;
            Ok(placement)
        };
        Ok(Self { checker, placements: configurations.iter().map(place).collect::<Result<_>>()? })
    }

    /// Microseconds a test against a geometry, and how many find a collision.
    fn test(&self, geometry: Arc<dyn Geometry>, effort: &Effort) -> Result<(f64, usize)> {
        let mut scene = Scene::default();
        scene.insert(Object { name: "cells".into(), geometry, pose: Pose::IDENTITY })?;
        let mut workspace = Workspace::default();
        let mut hits = |placement: &Placement| self.checker.scene_collision(placement, &scene, &mut workspace, None);
        let mut colliding = 0;
        for placement in &self.placements {
            colliding += usize::from(hits(placement)?.is_some());
        }
        let count = self.placements.len().max(1) as f64;
        let us = timing::shortest_us_within(effort.least, || {
            self.placements.iter().filter(|placement| hits(placement).is_ok_and(|hit| hit.is_some())).count()
        });
        Ok((us / count, colliding))
    }
}

/// Measures an iteration of a run: voxels, polygons under oriented boxes, polygons under the
/// default tree.
pub(super) fn iteration(
    robots: &Robots,
    body: &Body,
    recording: &Recording,
    number: usize,
    count: usize,
    effort: &Effort,
) -> Result<Vec<Sample>> {
    let iteration = &recording.iterations[number];
    let lattice = Lattice { edge: recording.resolution, origin: DVec3::from_array(recording.origin) };
    let stride = iteration.asked.len().div_ceil(count.max(1)).max(1);
    let configurations: Vec<Vec<f64>> = iteration.asked.iter().step_by(stride).map(|asked| body.full(asked)).collect();
    let (default, obb) = (Posed::new(&robots.default, &configurations)?, Posed::new(&robots.obb, &configurations)?);
    let blank = Sample {
        edge: recording.resolution,
        iteration: number + 1,
        kind: POLYGONS,
        tree: None,
        obstacle: iteration.obstacles.len(),
        unknown: iteration.unknown.len(),
        set_up_ms: 0.0,
        changes_ms: None,
        test_us: None,
        obb_test_us: None,
        colliding: 0.0,
        tests: configurations.len(),
        memory_kb: 0.0,
    };
    let share = |colliding: usize| colliding as f64 / configurations.len().max(1) as f64;

    let mut map = map_of(&lattice, iteration)?;
    let mut voxels = Sample { kind: VOXELS, memory_kb: map.memory() as f64 * 1e-3, ..blank.clone() };
    voxels.set_up_ms =
        timing::shortest_us_within(effort.least, || map_of(&lattice, iteration).and_then(|mut map| grids(&mut map)))
            * 1e-3;
    voxels.changes_ms = match number.checked_sub(1) {
        Some(before) => Some(changes_ms(&lattice, recording, before, effort)?),
        None => None,
    };
    let [obstacles, _] = grids(&mut map)?;
    if let Some(obstacles) = obstacles {
        let geometry: Arc<dyn Geometry> = Arc::new(obstacles);
        let (us, hits) = default.test(geometry.clone(), effort)?;
        voxels.colliding = share(hits);
        voxels.test_us = Some(us);
        voxels.obb_test_us = Some(obb.test(geometry, effort)?.0);
    }

    let grids = [&iteration.obstacles[..], &iteration.unknown];
    let under_obb = Polygons::<Obb>::measure(&lattice, grids, effort)?;
    let mut polygons = Sample { tree: Some(UNDER_OBB), ..under_obb.filled(&blank) };
    if let Some(geometry) = under_obb.obstacles {
        let (us, hits) = obb.test(geometry, effort)?;
        (polygons.obb_test_us, polygons.colliding) = (Some(us), share(hits));
    }
    let under_default = Polygons::<Bvh8>::measure(&lattice, grids, effort)?;
    let mut ours = Sample { tree: Some(UNDER_DEFAULT), ..under_default.filled(&blank) };
    if let Some(geometry) = under_default.obstacles {
        let (us, hits) = default.test(geometry, effort)?;
        (ours.test_us, ours.colliding) = (Some(us), share(hits));
    }
    Ok(vec![voxels, polygons, ours])
}

/// From the map of one iteration to the grids of the next.
fn changes_ms(lattice: &Lattice, recording: &Recording, before: usize, effort: &Effort) -> Result<f64> {
    let (old, new) = (&recording.iterations[before], &recording.iterations[before + 1]);
    let changes = changes(old, new);
    let repeats = effort.rounds.max(1) + 2;
    let mut maps = (0..repeats).map(|_| map_of(lattice, old)).collect::<Result<Vec<_>>>()?;
    let us = timing::shortest_of_us(repeats, || {
        let mut map = maps.pop()?;
        let changed = map.set_all(changes.iter().copied()).is_ok();
        let grids = grids(&mut map).ok().filter(|_| changed);
        // What is dropped is not timed.
        Some((map, grids))
    });
    Ok(us * 1e-3)
}

/// Both grids as polygons under a kind of tree.
struct Polygons<K: BvhKind> {
    set_up_ms: f64,
    memory_kb: f64,
    obstacles: Option<Arc<dyn Geometry>>,
    kind: std::marker::PhantomData<K>,
}

impl<K: BvhKind> Polygons<K> {
    fn build(lattice: &Lattice, cells: &[Cell3]) -> Result<Option<Mesh<K>>> {
        Ok(tri_mesh(lattice, cells)?.map(Mesh::new).transpose()?)
    }

    fn measure(lattice: &Lattice, grids: [&[Cell3]; 2], effort: &Effort) -> Result<Self> {
        let set_up_ms =
            timing::shortest_us_within(effort.least, || grids.map(|cells| Self::build(lattice, cells).is_ok())) * 1e-3;
        let [obstacles, unknown] = grids.map(|cells| Self::build(lattice, cells));
        let (obstacles, unknown) = (obstacles?, unknown?);
        let tri_mesh_bytes = |tri_mesh: &TriMesh| size_of_val(tri_mesh.vertices()) + size_of_val(tri_mesh.triangles());
        let bytes = |mesh: &Mesh<K>| mesh.hierarchy().memory() + tri_mesh_bytes(mesh.tri_mesh());
        let memory_kb = obstacles.iter().chain(&unknown).map(bytes).sum::<usize>() as f64 * 1e-3;
        let obstacles = obstacles.map(|mesh| Arc::new(mesh) as Arc<dyn Geometry>);
        Ok(Self { set_up_ms, memory_kb, obstacles, kind: std::marker::PhantomData })
    }

    fn filled(&self, blank: &Sample) -> Sample {
        Sample { set_up_ms: self.set_up_ms, memory_kb: self.memory_kb, ..blank.clone() }
    }
}
