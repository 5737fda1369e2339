//! The limit that a search is measured against: its *certificate*.
//!
//! For given trees, volume and opening rule, the certificate of a query is all pairs of nodes and
//! of leaves that are looked at when the search starts out knowing the true distance: whatever its
//! order, no search that is allowed to drop only what is certainly not nearer looks at fewer. A
//! search of `collide` without contact is its own certificate. With contact, two triangles are
//! proof enough, so that there it says nothing.
//!
//! Its time is Σ count × best ns a test. The ns are measured on the certificate's own pairs: a
//! [`Tape`] records them, then takes the place of the search's queue and hands out the same pairs,
//! only those to be opened or only those of leaves, over and over: everything is in the cache,
//! there is no queue, and what is left of the loop is hardly more than the kernel.

use crate::engines::{Pass, Query};
use crate::timing;
use crate::volumes::{Asked, Bodies};
use clearance_engine::Pose;
use clearance_engine::traversal::{NodePair, Order, Stats, Workspace};

/// An order of traversals that records what it hands out, or hands out what it was given whatever
/// comes in.
#[derive(Debug, Default)]
pub struct Tape {
    /// What is handed out; empty while recording.
    script: Vec<NodePair>,
    next: usize,
    /// How many times the script begins again.
    repeats: usize,
    repeats_left: usize,
    waiting: Vec<NodePair>,
    recorded: Vec<NodePair>,
}

impl Tape {
    /// One that hands out `script` (not empty) `times` times.
    fn playing(script: Vec<NodePair>, times: usize) -> Self {
        Self { script, repeats: times.max(1) - 1, ..Self::default() }
    }
}

impl Order for Tape {
    fn clear(&mut self) {
        (self.next, self.repeats_left) = (0, self.repeats);
        self.waiting.clear();
        self.recorded.clear();
    }

    #[inline(always)]
    fn push(&mut self, pair: NodePair, _guess: f32) {
        if self.script.is_empty() {
            self.waiting.push(pair);
        }
    }

    #[inline(always)]
    fn pop(&mut self, _limit: f32) -> Option<NodePair> {
        if self.script.is_empty() {
            let pair = self.waiting.pop()?;
            self.recorded.push(pair);
            return Some(pair);
        }
        if self.next == self.script.len() {
            self.repeats_left = self.repeats_left.checked_sub(1)?;
            self.next = 0;
        }
        self.next += 1;
        Some(self.script[self.next - 1])
    }

    fn floor(&self) -> f32 {
        0.0
    }
}

/// The certificate of a query, and the search's counts beside it: means over the poses without
/// contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Certificate {
    /// Volume tests that no search can do without.
    pub volume_tests: f64,
    /// Pairs of leaves that no search can do without.
    pub leaf_pairs: f64,
    /// The best time of a volume test.
    pub volume_ns: f64,
    /// The best time of a pair of leaves.
    pub leaf_ns: f64,
    /// Volume tests of the search.
    pub search_volume_tests: f64,
    /// Pairs of leaves of the search.
    pub search_leaf_pairs: f64,
}

impl Certificate {
    /// The time that no search with these trees and kernels can fall below, in microseconds.
    pub fn us(&self) -> f64 {
        (self.volume_tests * self.volume_ns + self.leaf_pairs * self.leaf_ns) * 1e-3
    }
}

/// At how many poses the kernels are measured.
const SAMPLES: usize = 24;
/// How many pairs of a pose are kept for that, how many a replay hands out at least, and how often
/// it is repeated.
const KEPT: usize = 2000;
const REPLAYED: usize = 2000;
const REPEATS: usize = 5;

/// A certificate with some of its pairs, so that its kernels can be measured as often as wanted.
pub(crate) struct Recording {
    /// What is known so far.
    pub(crate) certificate: Certificate,
    samples: Vec<Sample>,
}

/// Pairs of one pose's certificate.
struct Sample {
    asked: Asked,
    pose: Pose,
    opened: Vec<NodePair>,
    leaves: Vec<NodePair>,
}

impl Recording {
    /// Counts what `query` takes at `poses`, none of which has contact; `None` if there is no pose.
    pub(crate) fn new(bodies: &dyn Bodies, query: Query, poses: &[Pose], pass: &mut Pass<'_>) -> Option<Self> {
        if poses.is_empty() {
            return None;
        }
        let mut workspace = Workspace::default();
        let (mut proof, mut search) = (Stats::default(), Stats::default());
        let mut samples = Vec::new();
        let stride = poses.len().div_ceil(SAMPLES);
        for (i, &pose) in poses.iter().enumerate() {
            let (value, found) = pass.answer(query, &pose);
            search += found;
            let asked = if query == Query::Collide { Asked::Collide } else { Asked::Distance(value) };
            let (stats, recorded) = record(bodies, asked, &pose, &mut workspace);
            proof += stats;
            if i % stride == 0 {
                let (leaves, opened): (Vec<NodePair>, Vec<NodePair>) =
                    recorded.into_iter().partition(|pair| bodies.are_leaves(pair));
                samples.push(Sample { asked, pose, opened: thinned(&opened), leaves: thinned(&leaves) });
            }
        }
        let each = |count: u64| count as f64 / poses.len() as f64;
        let certificate = Certificate {
            volume_tests: each(proof.volume_tests),
            leaf_pairs: each(proof.leaf_pairs),
            volume_ns: f64::INFINITY,
            leaf_ns: f64::INFINITY,
            search_volume_tests: each(search.volume_tests),
            search_leaf_pairs: each(search.leaf_pairs),
        };
        Some(Self { certificate, samples })
    }

    /// Measures the kernels; the best of all times that this was called counts.
    pub(crate) fn replay(&mut self, bodies: &dyn Bodies) {
        let (mut opening, mut leaves) = (Kernel::default(), Kernel::default());
        let mut workspace = Workspace::default();
        for sample in &self.samples {
            opening.replay(bodies, sample, &sample.opened, &mut workspace);
            leaves.replay(bodies, sample, &sample.leaves, &mut workspace);
        }
        let ns = |us: f64, tests: u64| us * 1e3 / (tests as f64).max(1.0);
        let certificate = &mut self.certificate;
        certificate.volume_ns = certificate.volume_ns.min(ns(opening.us, opening.tests.volume_tests));
        certificate.leaf_ns = certificate.leaf_ns.min(ns(leaves.us, leaves.tests.leaf_pairs));
    }
}

/// At most [`KEPT`] of the pairs, evenly spread.
fn thinned(pairs: &[NodePair]) -> Vec<NodePair> {
    pairs.iter().step_by(pairs.len().div_ceil(KEPT).max(1)).copied().collect()
}

/// Runs the certificate of one pose: its counts, and all pairs that were handed out.
fn record(bodies: &dyn Bodies, asked: Asked, pose: &Pose, workspace: &mut Workspace) -> (Stats, Vec<NodePair>) {
    workspace.put(Tape::default());
    let stats = bodies.follow_tape(asked, pose, workspace);
    (stats, workspace.take::<Tape>().recorded)
}

/// The time that tests of one kind took.
#[derive(Default)]
struct Kernel {
    us: f64,
    tests: Stats,
}

impl Kernel {
    fn replay(&mut self, bodies: &dyn Bodies, sample: &Sample, script: &[NodePair], workspace: &mut Workspace) {
        if script.is_empty() {
            return;
        }
        workspace.put(Tape::playing(script.to_vec(), REPLAYED.div_ceil(script.len())));
        self.tests += bodies.follow_tape(sample.asked, &sample.pose, workspace);
        let mut again = || bodies.follow_tape(sample.asked, &sample.pose, workspace);
        self.us += timing::shortest_thread_us(REPEATS, &mut again);
        let _ = workspace.take::<Tape>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{scenes, volumes};
    use clearance_engine::dispatch::Dispatcher;

    #[test]
    fn a_playing_tape_hands_out_its_script_as_often_as_asked_whatever_comes_in() {
        let script = [NodePair::new(1, 2), NodePair::new(3, 4)];
        let mut tape = Tape::playing(script.to_vec(), 2);
        tape.clear();
        tape.push(NodePair::new(5, 6), 0.0);
        let handed_out: Vec<NodePair> = std::iter::from_fn(|| tape.pop(1.0)).collect();
        assert_eq!(handed_out, [script, script].concat());
    }

    /// A few poses of the fall without contact, near and far.
    fn free_poses(scene: &crate::Scene) -> Vec<Pose> {
        let a = crate::engines::best_mesh(&scene.a).unwrap();
        let b = crate::engines::best_mesh(&scene.b).unwrap();
        let (dispatcher, mut workspace) = (Dispatcher::standard(), Workspace::default());
        let plan = dispatcher.plan(&a, &b).unwrap();
        let free = scene.poses.iter().step_by(60).filter(|pose| !plan.collide(pose, &mut workspace, None).colliding);
        free.copied().collect()
    }

    #[test]
    fn no_certificate_counts_more_than_its_search_and_free_collide_is_its_own() {
        let scene = scenes::make("falling").unwrap();
        let poses = free_poses(&scene);
        assert!(poses.len() > 10);
        for volume in volumes::all() {
            let bodies = volume.bodies(&scene).unwrap();
            let (dispatcher, mut workspace) = (Dispatcher::standard(), Workspace::default());
            let mut pass = Pass::new(&dispatcher, &*bodies, &mut workspace, false).unwrap();
            for pose in &poses {
                let mut measure = |query| {
                    let mut recording = Recording::new(&*bodies, query, &[*pose], &mut pass).unwrap();
                    recording.replay(&*bodies);
                    recording.certificate
                };
                let distance = measure(Query::Distance);
                let context = format!("{}: {distance:?}", volume.name);
                assert!(distance.volume_tests <= distance.search_volume_tests, "{context}");
                assert!(distance.leaf_pairs <= distance.search_leaf_pairs, "{context}");
                assert!(distance.volume_tests > 0.0 && distance.volume_ns > 0.0 && distance.us() > 0.0, "{context}");
                let collide = measure(Query::Collide);
                assert_eq!(collide.volume_tests, collide.search_volume_tests, "{}", volume.name);
                assert_eq!(collide.leaf_pairs, collide.search_leaf_pairs, "{}", volume.name);
            }
        }
    }

    #[test]
    fn a_replay_does_the_recorded_tests_again() {
        let scene = scenes::make("falling").unwrap();
        let pose = free_poses(&scene)[3];
        let mut workspace = Workspace::default();
        for volume in volumes::all() {
            let bodies = volume.bodies(&scene).unwrap();
            let (stats, recorded) = record(&*bodies, Asked::Collide, &pose, &mut workspace);
            let opened: Vec<NodePair> = recorded.into_iter().filter(|pair| !bodies.are_leaves(pair)).collect();
            let times = REPLAYED.div_ceil(opened.len()) as u64;
            let sample = Sample { asked: Asked::Collide, pose, opened, leaves: Vec::new() };
            let mut kernel = Kernel::default();
            kernel.replay(&*bodies, &sample, &sample.opened, &mut workspace);
            assert_eq!(kernel.tests.volume_tests, times * stats.volume_tests, "{}", volume.name);
            assert_eq!(kernel.tests.leaf_pairs, 0, "{}", volume.name);
        }
    }
}
