//! How each collision was decided, and how long each detector takes where bodies collide and where
//! they do not.

use super::bodies::{Body, colliding_at};
use super::rivals::{self, Rival, nested};
use crate::reproduce::{Effort, rounded};
use crate::{Error, Result, timing};
use clearance_engine::Pose;
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::query::{CollideGoal, traverse_trees};
use clearance_engine::traversal::{Stack, Workspace};
use clearance_engine::tree::{InnerKind, VolumeTree};
use serde_json::{Value, json};
use std::hint::black_box;
use std::time::Duration;

/// The seed of all placements, of which fewer are the first of more.
const SEED: u64 = 17;

/// Two bodies in one of the spaces.
pub(super) struct Placed<'b> {
    a: &'b Body,
    b: &'b Body,
    pair: String,
    space: f64,
    /// Poses of B in A's frame, and whether they collide there.
    poses: Vec<Pose>,
    colliding: Vec<bool>,
}

impl<'b> Placed<'b> {
    pub fn new(a: &'b Body, b: &'b Body, space: f64, count: usize) -> Result<Self> {
        let (poses, colliding) = colliding_at(a, b, space, count, SEED)?;
        Ok(Self { a, b, pair: super::pair_name(a, b), space, poses, colliding })
    }

    /// The poses that do, or do not, collide.
    pub fn poses(&self, colliding: bool) -> Vec<Pose> {
        let wanted = self.poses.iter().zip(&self.colliding).filter(|(_, found)| **found == colliding);
        wanted.map(|(pose, _)| *pose).collect()
    }
}

/// A row of Table 2: means, counts per 100,000 placements.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// The two bodies.
    pub pair: String,
    /// The share of the placements that collides, as it was wanted.
    pub space: f64,
    /// Collisions that boxes inside of both bodies decided.
    pub by_inner: f64,
    /// Microseconds each.
    pub inner_us: f64,
    /// Collisions that took triangles.
    pub by_faces: f64,
    /// Microseconds each.
    pub faces_us: f64,
    /// Collisions without any triangles that do: one body contains the other.
    pub by_containment: f64,
}

impl Decided {
    /// The share of the collisions that boxes decided.
    pub fn inner_share(&self) -> f64 {
        self.by_inner / (self.by_inner + self.by_faces + self.by_containment)
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "paper": "boxes", "table": "Table 2", "pair": self.pair, "space": self.space, "by_inner": rounded(self.by_inner),
            "inner_us": rounded(self.inner_us), "by_faces": rounded(self.by_faces), "faces_us": rounded(self.faces_us),
            "by_containment": rounded(self.by_containment),
        })
    }
}

/// Microseconds a pose, the best of the rounds; not a number where there is no pose.
fn mean_us(poses: &[Pose], effort: &Effort, mut ask: impl FnMut(&Pose) -> bool) -> f64 {
    if poses.is_empty() {
        return f64::NAN;
    }
    let mut pass = || {
        for pose in poses {
            black_box(ask(pose));
        }
    };
    let us = (0..effort.rounds.max(1)).map(|_| turn_us(effort.least, &mut pass)).fold(f64::INFINITY, f64::min);
    us / poses.len() as f64
}

fn turn_us(least: Duration, pass: &mut impl FnMut()) -> f64 {
    timing::shortest_us_within(least, pass)
}

/// What decides the collisions of two bodies under the paper's hierarchies.
pub(super) fn decided(placed: &Placed<'_>, effort: &Effort) -> Result<Decided> {
    let [a, b] = [placed.a, placed.b].map(|body| nested(&body.polyhedron, InnerKind::Boxes));
    let (a, b) = (a?, b?);
    let mut workspace = Workspace::default();
    let (mut by_inner, mut by_faces, mut by_containment) = (Vec::new(), Vec::new(), 0);
    for pose in placed.poses(true) {
        let mut goal = CollideGoal::<Stack>::default();
        // The traversal alone: containment is looked for after it.
        traverse_trees(&a, &b, &pose, &mut goal, &mut workspace, None);
        let found = goal.finish();
        match (found.colliding, found.leaves) {
            (true, None) => by_inner.push(pose),
            (true, Some(_)) => by_faces.push(pose),
            (false, _) => by_containment += 1,
        }
    }
    let dispatcher = Dispatcher::standard();
    let plan = dispatcher.plan(&a, &b)?;
    let mut us = |poses: &[Pose]| mean_us(poses, effort, |pose| plan.collide(pose, &mut workspace, None).colliding);
    let (inner_us, faces_us) = (us(&by_inner), us(&by_faces));
    let scaled = |count: usize| count as f64 * super::PLACEMENTS as f64 / placed.poses.len() as f64;
    Ok(Decided {
        pair: placed.pair.clone(),
        space: placed.space,
        by_inner: scaled(by_inner.len()),
        inner_us,
        by_faces: scaled(by_faces.len()),
        faces_us,
        by_containment: scaled(by_containment),
    })
}

/// A row of Table 3, for one space: microseconds a placement.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The two bodies.
    pub pair: String,
    /// The share of the placements that collides, as it was wanted.
    pub space: f64,
    /// What detects.
    pub name: &'static str,
    /// The library of the paper's table whose method it is.
    pub printed: Option<&'static str>,
    /// Where they collide.
    pub colliding_us: f64,
    /// Where they do not.
    pub apart_us: f64,
}

impl Sample {
    pub(super) fn json(&self) -> Value {
        json!({
            "paper": "boxes", "table": "Table 3", "pair": self.pair, "space": self.space, "detector": self.name,
            "stands_for": self.printed, "colliding_us": rounded(self.colliding_us), "apart_us": rounded(self.apart_us),
        })
    }
}

/// The share of placements at which `f32` may differ: bodies that touch to within its rounding.
const LEAST_AGREEMENT: f64 = 0.999;

/// Times of all detectors; an error if one of them gives another answer than GJK.
pub(super) fn race(placed: &Placed<'_>, effort: &Effort) -> Result<Vec<Sample>> {
    let (colliding, apart) = (placed.poses(true), placed.poses(false));
    let mut samples = Vec::new();
    for mut rival in rivals::all(placed.a, placed.b)? {
        check(&mut rival, placed)?;
        samples.push(Sample {
            pair: placed.pair.clone(),
            space: placed.space,
            name: rival.name,
            printed: rival.printed,
            colliding_us: mean_us(&colliding, effort, |pose| rival.detect(pose)),
            apart_us: mean_us(&apart, effort, |pose| rival.detect(pose)),
        });
    }
    Ok(samples)
}

fn check(rival: &mut Rival, placed: &Placed<'_>) -> Result<()> {
    let agree =
        placed.poses.iter().zip(&placed.colliding).filter(|(pose, found)| rival.detect(pose) == **found).count();
    let single = rival.name.ends_with("f32");
    let enough = if single { LEAST_AGREEMENT * placed.poses.len() as f64 } else { placed.poses.len() as f64 };
    if (agree as f64) < enough {
        let wrong = placed.poses.len() - agree;
        return Err(Error::other(format!("{}, {}: {wrong} answers differ from GJK's", placed.pair, rival.name)));
    }
    Ok(())
}

/// How much of a body its largest inner box fills, and how much all of them do at the leaves of its
/// hierarchy.
pub(super) fn inner_shares(body: &Body) -> Result<(f64, f64)> {
    let mesh = nested(&body.polyhedron, InnerKind::Boxes)?;
    let surface = mesh.tri_mesh();
    let signed = |id: u32| {
        let [p, q, r] = surface.triangle(id).0;
        p.cross(q).dot(r) / 6.0
    };
    let volume: f64 = (0..surface.len() as u32).map(signed).sum();
    let unit = mesh.frame().scale.powi(3) * volume;
    let tree = mesh.hierarchy();
    let leaves: f64 = tree.leaf_volumes().map(|volume| volume.inner_volume()).sum();
    Ok((mesh.volume(0).inner_volume() / unit, leaves / unit))
}
