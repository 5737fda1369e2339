//! Rigid bodies under sphere trees: the volume of an L's levels (Fig. 4), and two cubes at many
//! gaps (Fig. 9a).
//!
//! The paper groups from the bottom and searches depth first, the nearer child first (Quinlan's
//! way); the engine's own search takes the nearest pair of all. Both searches are measured, and
//! trees that are grouped from the top.

use super::super::Effort;
use crate::placing::{Placer, Random};
use crate::{Result, models, timing};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::query::{Distance, DistanceGoal, DistanceRequest, traverse_trees};
use clearance_engine::traversal::{BestFirst, NearestFirst, Order, Workspace};
use clearance_engine::tree::{BuildOptions, Combine, Direction, Mesh, SphereTree, SphereTreeOptions};
use clearance_engine::{Pose, TriMesh};
use std::hint::black_box;
use std::sync::Arc;

/// What the spheres above others are, with their names in the tables.
pub(super) const COMBINATIONS: [(Combine, &str); 4] = [
    (Combine::Greedy, "greedy"),
    (Combine::Compact, "compact"),
    (Combine::Smallest, "smallest"),
    (Combine::SphereOfSpheres, "ball of balls"),
];
/// Where they stand in [`COMBINATIONS`].
pub(super) const GREEDY: usize = 0;
pub(super) const COMPACT: usize = 1;

/// How pieces are grouped, with the names in the tables.
pub(super) const DIRECTIONS: [(Direction, &str); 2] =
    [(Direction::BottomUp, "from the bottom"), (Direction::TopDown, "from the top")];

/// A sphere tree over `tri_mesh`.
pub(super) fn sphere_tree(tri_mesh: &Arc<TriMesh>, combine: Combine, direction: Direction) -> Result<Mesh<SphereTree>> {
    let how = SphereTreeOptions { combine, direction, ..SphereTreeOptions::default() };
    Ok(Mesh::build(Arc::clone(tri_mesh), &BuildOptions::default(), Some(how))?)
}

/// One level of the L's trees.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Level {
    /// How its pieces were grouped.
    pub(super) direction: &'static str,
    /// The root's is 0.
    pub(super) depth: usize,
    /// Spheres that stand for the L here: those of the level, and the leaves of the levels above.
    pub(super) spheres: usize,
    /// Their volume, as a multiple of the L's, by [`COMBINATIONS`].
    pub(super) volumes: [f64; 4],
}

/// The cubes of edge 1 that the L is made of.
const L: [[i32; 3]; 5] = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [0, 2, 0]];

/// Fig. 4: the levels of an L whose faces have 2 · `cuts`² triangles per cube's side.
pub(super) fn levels(cuts: u32) -> Result<Vec<Level>> {
    let tri_mesh = Arc::new(models::cubes(&L, cuts)?);
    let mut levels = Vec::new();
    for (direction, name) in DIRECTIONS {
        let trees = COMBINATIONS.map(|(combine, _)| sphere_tree(&tri_mesh, combine, direction));
        let mut of_trees = Vec::new();
        for tree in trees {
            of_trees.push(tree?.hierarchy().levels());
        }
        let mut leaves_above = 0;
        for (depth, level) in of_trees[0].iter().enumerate() {
            let volumes = std::array::from_fn(|i| of_trees[i][depth].cover_volume / L.len() as f64);
            levels.push(Level { direction: name, depth, spheres: leaves_above + level.spheres.len(), volumes });
            leaves_above += level.leaves;
        }
    }
    Ok(levels)
}

/// The gaps between the cubes, in edges, from far to near.
pub(super) const GAPS: [f64; 7] = [10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01];
/// The tolerances of the paper's figure.
pub(super) const TOLERANCES: [f64; 2] = [0.0, 0.3];

/// How a pair of trees is made and searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Way {
    /// What the tables call it.
    pub(super) name: &'static str,
    direction: Direction,
    depth_first: bool,
}

/// The paper's way first.
pub(super) const WAYS: [Way; 3] = [
    Way { name: "grouped from the bottom, depth first", direction: Direction::BottomUp, depth_first: true },
    Way { name: "grouped from the bottom, best first", direction: Direction::BottomUp, depth_first: false },
    Way { name: "grouped from the top, best first", direction: Direction::TopDown, depth_first: false },
];

/// Two cubes at one gap: means over several poses.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cubes {
    pub(super) way: Way,
    /// In edges.
    pub(super) gap: f64,
    /// The tolerance.
    pub(super) rel_err: f64,
    /// µs a query, by [`COMBINATIONS`].
    pub(super) us: [f64; 4],
    /// Tests of two spheres.
    pub(super) tests: [f64; 4],
    /// The greatest difference between two of the four answers, as a part of the gap.
    pub(super) spread: f64,
}

impl Cubes {
    /// By what part the greedy trees take longer.
    pub(super) fn extra_time(&self) -> f64 {
        self.us[GREEDY] / self.us[COMPACT] - 1.0
    }

    /// By what part they take more tests.
    pub(super) fn extra_tests(&self) -> f64 {
        self.tests[GREEDY] / self.tests[COMPACT] - 1.0
    }
}

/// Fig. 9a: cubes of 12 · `cuts`² triangles at `poses` random poses a gap.
pub(super) fn cubes(cuts: u32, poses: usize, effort: &Effort, progress: &mut dyn FnMut(f64)) -> Result<Vec<Cubes>> {
    let tri_mesh = Arc::new(models::cubes(&[[0, 0, 0]], cuts)?);
    let (mesh, dispatcher) =
        (Mesh::<clearance_engine::tree::Bvh8>::new(Arc::clone(&tri_mesh))?, Dispatcher::standard());
    let mut placer = Placer::new(dispatcher.plan(&mesh, &mesh)?, &tri_mesh, &tri_mesh, Random(0x9a));
    let mut samples = Vec::new();
    for (i, gap) in GAPS.into_iter().enumerate() {
        let poses: Vec<Pose> = (0..poses).map(|_| placer.apart(gap)).collect::<Result<_>>()?;
        for (j, way) in WAYS.into_iter().enumerate() {
            progress((i * WAYS.len() + j) as f64 / (GAPS.len() * WAYS.len()) as f64);
            let mut trees = Vec::new();
            for (combine, _) in COMBINATIONS {
                trees.push(sphere_tree(&tri_mesh, combine, way.direction)?);
            }
            for rel_err in TOLERANCES {
                let request = DistanceRequest { rel_err, ..DistanceRequest::default() };
                samples.push(measure(&trees, &poses, (way, gap), &request, effort));
            }
        }
    }
    Ok(samples)
}

fn measure(
    trees: &[Mesh<SphereTree>],
    poses: &[Pose],
    (way, gap): (Way, f64),
    request: &DistanceRequest,
    effort: &Effort,
) -> Cubes {
    let mut workspace = Workspace::default();
    let mut ask = |tree: &Mesh<SphereTree>, pose: &Pose| {
        if way.depth_first {
            distance::<NearestFirst>(tree, pose, request, &mut workspace)
        } else {
            distance::<BestFirst>(tree, pose, request, &mut workspace)
        }
    };
    let (mut us, mut tests, mut spread) = ([f64::INFINITY; 4], [0.0; 4], 0.0_f64);
    for pose in poses {
        let answers: Vec<Distance> = trees.iter().map(|tree| ask(tree, pose)).collect();
        for (sum, answer) in tests.iter_mut().zip(&answers) {
            *sum += answer.stats.volume_tests as f64 / poses.len() as f64;
        }
        let (low, high) = answers
            .iter()
            .fold((f64::INFINITY, 0.0_f64), |(low, high), answer| (low.min(answer.upper), high.max(answer.upper)));
        spread = spread.max((high - low) / gap);
    }
    for _ in 0..effort.rounds.max(1) {
        for (best, tree) in us.iter_mut().zip(trees) {
            let pass = || poses.iter().map(|pose| black_box(ask(tree, pose)).upper).sum::<f64>();
            *best = best.min(timing::shortest_us_within(effort.least / 8, pass) / poses.len() as f64);
        }
    }
    Cubes { way, gap, rel_err: request.rel_err, us, tests, spread }
}

fn distance<O: Order>(
    tree: &Mesh<SphereTree>,
    pose: &Pose,
    request: &DistanceRequest,
    workspace: &mut Workspace,
) -> Distance {
    let mut goal = DistanceGoal::<O>::new(request);
    traverse_trees(tree, tree, pose, &mut goal, workspace, None);
    goal.finish()
}
