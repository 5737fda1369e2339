//! What it is worth to keep the moved centre of a sphere (section II-C), on pairs of bodies under
//! compact sphere trees.

use super::spheres::sphere_tree;
use super::stage::{Stage, Target};
use crate::placing::{Placer, Random};
use crate::{Result, models, timing};
use clearance_engine::Pose;
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::query::{Distance, DistanceGoal, DistanceRequest, Reuse, TreePairTraversal};
use clearance_engine::traversal::{BestFirst, NodePair, Scratch, Workspace, traverse};
use clearance_engine::tree::{Combine, Direction, Geometry, Mesh, SphereTree, Tree};
use std::any::Any;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

/// How long moved centres are kept, with the names in the tables: the paper without, ours, the
/// paper with.
pub(super) const REUSES: [(Reuse, &str); 3] = [
    (Reuse::Test, "for one test (as without caching)"),
    (Reuse::Block, "for the children of a node (the engine's)"),
    (Reuse::Node, "until another node comes (the paper's)"),
];

/// Pairs of bodies of one kind, asked in all ways.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sample {
    /// What the bodies are.
    pub(super) bodies: &'static str,
    pub(super) pairs: usize,
    /// µs a query, by [`REUSES`].
    pub(super) us: [f64; 3],
    /// Tests of two spheres; the same for all.
    pub(super) tests: f64,
    /// Whether all three ways gave the same answers with the same counts.
    pub(super) agree: bool,
}

/// Two bodies at a pose.
type Met = (Arc<dyn Geometry>, Arc<dyn Geometry>, Pose);

fn spheres(geometry: &Arc<dyn Geometry>) -> Option<&Mesh<SphereTree>> {
    (&**geometry as &dyn Any).downcast_ref()
}

/// Two cubes, the nearest links of each moment, and the nearest link and object; `stage` has sphere
/// trees.
pub(super) fn measure(stage: &Stage, cuts: u32, least: Duration, rounds: usize) -> Result<Vec<Sample>> {
    let mut samples = vec![sample("two cubes", &cubes(cuts)?, least, rounds)];
    for (target, name) in [(Target::Own, "the nearest two links"), (Target::Room, "the nearest link and object")] {
        samples.push(sample(name, &nearest(stage, target)?, least, rounds));
    }
    Ok(samples)
}

fn cubes(cuts: u32) -> Result<Vec<Met>> {
    let tri_mesh = Arc::new(models::cubes(&[[0, 0, 0]], cuts)?);
    let (mesh, dispatcher) = (sphere_tree(&tri_mesh, Combine::Compact, Direction::BottomUp)?, Dispatcher::standard());
    let mut placer = Placer::new(dispatcher.plan(&mesh, &mesh)?, &tri_mesh, &tri_mesh, Random(0xcac4e));
    let poses: Vec<Pose> = (0..8).map(|_| placer.apart(0.3)).collect::<Result<_>>()?;
    let mesh: Arc<dyn Geometry> = Arc::new(mesh);
    Ok(poses.into_iter().map(|pose| (Arc::clone(&mesh), Arc::clone(&mesh), pose)).collect())
}

/// Of how many moments one is used: pairs of bodies tell as much as all.
const EVERY: usize = 4;

/// The two bodies that are nearest to each other, at some of the moments.
fn nearest(stage: &Stage, target: Target) -> Result<Vec<Met>> {
    let mut workspace = Workspace::default();
    let mut pairs = Vec::new();
    for (moment, placement) in stage.placements.iter().enumerate().step_by(EVERY) {
        let answer = stage.answer(target, moment, &DistanceRequest::default(), &mut workspace)?;
        let Some(witness) = answer.witness else { continue };
        let robot = placement.assembly();
        let other = if target == Target::Own { robot } else { stage.scene.assembly() };
        let [a, b] = [witness.part_a, witness.part_b].map(|part| part.number());
        let a_from_b = robot.pose(a).inverse().then(other.pose(b));
        pairs.push((Arc::clone(robot.geometry(a)), Arc::clone(other.geometry(b)), a_from_b));
    }
    Ok(pairs)
}

fn sample(bodies: &'static str, pairs: &[Met], least: Duration, rounds: usize) -> Sample {
    let met: Vec<(&Mesh<SphereTree>, &Mesh<SphereTree>, &Pose)> =
        pairs.iter().filter_map(|(a, b, pose)| Some((spheres(a)?, spheres(b)?, pose))).collect();
    let mut front = BestFirst::default();
    let mut all = |reuse| -> Vec<Distance> {
        let ask =
            |&(a, b, pose): &(&Mesh<SphereTree>, &Mesh<SphereTree>, &Pose)| distance((a, b), pose, reuse, &mut front);
        met.iter().map(ask).collect()
    };
    let answers = REUSES.map(|(reuse, _)| all(reuse));
    let count = met.len().max(1) as f64;
    let mut us = [f64::INFINITY; 3];
    for _ in 0..rounds.max(1) {
        for (best, (reuse, _)) in us.iter_mut().zip(REUSES) {
            *best = best.min(timing::shortest_us_within(least, || drop(black_box(all(reuse)))) / count);
        }
    }
    Sample {
        bodies,
        pairs: met.len(),
        us,
        tests: answers[0].iter().map(|answer| answer.stats.volume_tests as f64).sum::<f64>() / count,
        agree: answers.iter().all(|other| *other == answers[0]),
    }
}

fn distance(
    (a, b): (&Mesh<SphereTree>, &Mesh<SphereTree>),
    pose: &Pose,
    reuse: Reuse,
    front: &mut BestFirst,
) -> Distance {
    let mut goal = <DistanceGoal>::new(&DistanceRequest::default());
    let mut scratch = Scratch::default();
    let mut query = TreePairTraversal::new(a, b, pose, &mut goal, &mut scratch).reusing(reuse);
    let _ = traverse(a, b, &mut query, front, &[NodePair::new(a.root(), b.root())]);
    goal.finish()
}
