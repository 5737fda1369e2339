//! The articulated runs of the k-IOS paper: how far every link of one robot is from the other
//! robot, under k-IOS, swept spheres (PQP's volume for distance, in the same traversal) and the
//! default tree.

use super::super::Effort;
use super::robots::Duet;
use super::stage::DEFAULT;
use crate::placing::Random;
use crate::volumes::Contender;
use crate::{Result, timing};
use clearance_engine::assembly::{Assembly, AssemblyPair, AssemblyWarmStart, Everything};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::{Stats, Workspace};
use clearance_engine::tree::Bvh8;
use clearance_engine::volume::{KIosFit, KIosTightening, Rss};
use clearance_robot::{CheckOptions, CollisionModel, Placement};

/// k-IOS as the paper prints it.
pub(super) const KIOS: &str = "k-IOS II, shifted (as printed)";
/// The rival.
pub(super) const RSS: &str = "rss";

/// The trees that are compared.
fn trees() -> [Contender; 3] {
    let printed = KIosFit { tightening: KIosTightening::Shift, ..KIosFit::default() };
    [Contender::kios(KIOS, printed), Contender::new::<Rss>(RSS, None), Contender::new::<Bvh8>(DEFAULT, None)]
}

/// Which configurations follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sequence {
    /// Random ones; nothing is remembered.
    Random,
    /// Those of a motion; every link remembers what was nearest.
    Coherent,
}

impl Sequence {
    pub(super) const BOTH: [Self; 2] = [Self::Coherent, Self::Random];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Coherent => "coherent",
        }
    }
}

/// What was measured of one tree: means over the configurations.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sample {
    pub(super) robots: &'static str,
    pub(super) sequence: Sequence,
    pub(super) tree: String,
    /// Distances a configuration.
    pub(super) links: usize,
    /// µs for all links of a configuration.
    pub(super) us: f64,
    pub(super) volume_tests: f64,
    pub(super) leaf_tests: f64,
    /// The same of each configuration.
    pub(super) each_us: Vec<f64>,
    /// How many times as fast as swept spheres, at the best configuration.
    pub(super) best_gain: f64,
    /// The distances, by configuration and link.
    pub(super) distances: Vec<f64>,
}

/// Two robots under one kind of tree.
struct NodePair {
    checker: CollisionModel,
    placements: [Placement; 2],
    /// Each part of the first robot on its own.
    alone: Vec<Assembly>,
    caches: Vec<AssemblyWarmStart>,
    dispatcher: Dispatcher,
    workspace: Workspace,
}

impl NodePair {
    fn build(duet: &Duet, tree: &Contender) -> Result<Self> {
        let checker =
            CollisionModel::with_meshes(duet.robot.clone(), &CheckOptions::default(), &|tri_mesh| tree.mesh(tri_mesh))?;
        let placements = [checker.placement()?, checker.placement()?];
        let alone = checker.parts().iter().map(|part| {
            let mut assembly = Assembly::default();
            assembly.insert(part.geometry.clone(), part.link_from_part);
            assembly
        });
        let (alone, dispatcher, workspace) = (alone.collect(), Dispatcher::standard(), Workspace::default());
        Ok(Self { placements, alone, caches: Vec::new(), checker, dispatcher, workspace })
    }

    fn place(&mut self, duet: &Duet, configurations: &[Vec<f64>; 2]) -> Result<()> {
        for ((placement, base), configuration) in self.placements.iter_mut().zip(&duet.bases).zip(configurations) {
            self.checker.place(placement, base, configuration)?;
        }
        for (part, alone) in self.alone.iter_mut().enumerate() {
            alone.place_all(|_| *self.placements[0].assembly().pose(part as u32));
        }
        Ok(())
    }

    fn are_apart(&mut self) -> Result<bool> {
        let other = (&self.checker, &self.placements[1]);
        let hit = self.checker.robot_collision(&self.placements[0], other, &mut self.workspace, None)?;
        Ok(hit.is_none())
    }

    fn forget(&mut self) {
        self.caches.clear();
        self.caches.resize_with(self.alone.len(), AssemblyWarmStart::default);
    }

    /// The distance of every link of the first robot from the second one; behind `distances`.
    fn ask(&mut self, sequence: Sequence, distances: &mut Vec<f64>) -> Result<Stats> {
        let mut stats = Stats::default();
        let request = DistanceRequest::default();
        for (alone, warm_start) in self.alone.iter().zip(&mut self.caches) {
            let meet = AssemblyPair::new(&self.dispatcher, alone, self.placements[1].assembly(), &Everything);
            let warm_start = (sequence == Sequence::Coherent).then_some(warm_start);
            let nearest = meet.distance(&request, &mut self.workspace, warm_start)?;
            stats += nearest.stats;
            distances.push(nearest.upper);
        }
        Ok(stats)
    }
}

/// Configurations without contact, as in the paper's motions.
fn configurations(duet: &Duet, sequence: Sequence, count: usize) -> Result<Vec<[Vec<f64>; 2]>> {
    let mut pair = NodePair::build(duet, &Contender::default_mesh())?;
    let mut random = Random(0x10b);
    let mut free = Vec::new();
    // Most are free; a robot that always collides ends the loop too.
    for step in 0..4 * count {
        let drawn = match sequence {
            Sequence::Random => duet.random(&mut random),
            Sequence::Coherent => duet.coherent(step as f64 * 0.05),
        };
        pair.place(duet, &drawn)?;
        if free.len() < count && pair.are_apart()? {
            free.push(drawn);
        }
    }
    Ok(free)
}

/// Measures both pairs of robots, `count` configurations each.
pub(super) fn measure(
    duets: &[Duet],
    count: usize,
    effort: &Effort,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for (i, duet) in duets.iter().enumerate() {
        for (j, sequence) in Sequence::BOTH.into_iter().enumerate() {
            progress((2 * i + j) as f64 / (2 * duets.len()) as f64);
            samples.extend(measure_sequence(duet, sequence, &configurations(duet, sequence, count)?, effort)?);
        }
    }
    Ok(samples)
}

fn measure_sequence(
    duet: &Duet,
    sequence: Sequence,
    configurations: &[[Vec<f64>; 2]],
    effort: &Effort,
) -> Result<Vec<Sample>> {
    let count = configurations.len();
    let (mut samples, mut times): (Vec<Sample>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    let trees = trees();
    let mut pairs = trees.iter().map(|tree| NodePair::build(duet, tree)).collect::<Result<Vec<_>>>()?;
    for round in 0..=effort.rounds.max(1) {
        for (i, (tree, pair)) in trees.iter().zip(&mut pairs).enumerate() {
            let (mut total, mut distances) = (Stats::default(), Vec::new());
            let mut us = vec![f64::INFINITY; count];
            pair.forget();
            for (us, configuration) in us.iter_mut().zip(configurations) {
                pair.place(duet, configuration)?;
                let mut stats = Ok(Stats::default());
                *us = timing::shortest_thread_us(1, || stats = pair.ask(sequence, &mut distances));
                total += stats?;
            }
            if round > 0 {
                times[i].iter_mut().zip(us).for_each(|(best, us)| *best = best.min(us));
                continue;
            }
            times.push(us);
            let each = |number: u64| number as f64 / count.max(1) as f64;
            samples.push(Sample {
                robots: duet.name,
                sequence,
                tree: tree.name.clone(),
                links: pair.alone.len(),
                us: 0.0,
                each_us: Vec::new(),
                volume_tests: each(total.volume_tests),
                leaf_tests: each(total.leaf_tests),
                best_gain: 0.0,
                distances,
            });
        }
    }
    let rival = trees.iter().position(|tree| tree.name == RSS).unwrap_or(0);
    for (sample, us) in samples.iter_mut().zip(&times) {
        sample.each_us.clone_from(us);
        sample.us = us.iter().sum::<f64>() / count.max(1) as f64;
        sample.best_gain = times[rival].iter().zip(us).map(|(rival, us)| rival / us).fold(0.0, f64::max);
    }
    Ok(samples)
}
