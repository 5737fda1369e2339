//! The run as it can be stored and drawn.

use super::belief::Counts;
use serde::{Deserialize, Serialize};

/// The numbers of a cell along the axes.
pub type Cell3 = [i32; 3];

/// How an exploration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The robot is at the goal.
    Reached,
    /// Obstacles that were seen leave no way, not even for the platform alone: this is proven.
    Unreachable,
    /// Something stands at the goal.
    GoalBlocked,
    /// The planner found no way, which proves nothing.
    NoPath,
    /// The way leads into cells that cannot be seen from where the robot is.
    Stuck,
    /// After all iterations that were allowed.
    GaveUp,
}

impl Outcome {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Reached => "the goal is reached",
            Self::Unreachable => {
                "the goal cannot be reached: what was seen leaves no way, not even for the platform alone"
            }
            Self::GoalBlocked => "the goal cannot be reached: something stands there",
            Self::NoPath => "no path was found, which proves nothing",
            Self::Stuck => "the way leads into cells that cannot be seen from here",
            Self::GaveUp => "given up after the last iteration",
        }
    }
}

/// Why the robot stopped walking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It is there.
    Goal,
    /// The next step would touch a cell that it does not know.
    Unknown,
    /// There is no path.
    NoPath,
}

/// One iteration: look, plan, walk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// The images that were taken.
    pub images: usize,
    /// The configurations of the look, all numbers of the robot: none touches more than is known to
    /// be free.
    pub postures: Vec<Vec<f64>>,
    /// How many cells are what after the look.
    pub counts: Counts,
    /// The cells that hold something.
    pub obstacles: Vec<Cell3>,
    /// The cells that are not known.
    pub unknown: Vec<Cell3>,
    /// Milliseconds for all images, from rendering to the map.
    pub look_ms: f64,
    /// Milliseconds until the map could be asked: both views.
    pub set_up_ms: f64,
    /// Milliseconds for the plan.
    pub plan_ms: f64,
    /// Configurations that the planner asked about.
    pub checks: usize,
    /// Samples that it drew.
    pub samples: usize,
    /// The vertices of the planned path, all numbers of the robot.
    pub path: Vec<Vec<f64>>,
    /// The part of it that was walked.
    pub walked: Vec<Vec<f64>>,
    /// How far the base went, in metres.
    pub walked_m: f64,
    /// How far the base would have gone along the whole path.
    pub path_m: f64,
    /// Why it stopped.
    pub stop: Stop,
    /// What the planner asked about, in the planned numbers; only where that was wanted.
    #[serde(skip)]
    pub asked: Vec<Vec<f64>>,
}

/// A whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// What the run depends on.
    pub seed: u64,
    /// The edge of a cell.
    pub resolution: f64,
    /// The lower vertex of cell (0, 0, 0).
    pub origin: [f64; 3],
    /// The names of a configuration's numbers.
    pub variables: Vec<String>,
    /// The configuration at the start.
    pub start: Vec<f64>,
    /// The configuration that is wanted.
    pub goal: Vec<f64>,
    /// What was done.
    pub iterations: Vec<Iteration>,
    /// How it ended.
    pub outcome: Outcome,
}
