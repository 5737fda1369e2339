//! RRT-Connect: of a tree from the start and one from the goal the smaller one takes a step towards a
//! sample, and the other one steps towards where that led until something is in the way or both
//! have met. Trees of one size take turns.

use crate::neighbours::Neighbours;
use crate::{Configuration, PlanOptions, Random, Space, between, shorten};
use std::time::Instant;

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// With a path.
    Found,
    /// The start is not free.
    StartBlocked,
    /// The goal is not free.
    GoalBlocked,
    /// Without a path after all samples or all time, which proves nothing.
    GaveUp,
}

/// What a search came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// How it ended.
    pub verdict: Verdict,
    /// The vertices of the path, start and goal included; none if there is none.
    pub path: Vec<Configuration>,
    /// The samples that were drawn.
    pub samples: usize,
    /// The configurations in both trees.
    pub nodes: usize,
}

struct Tree {
    /// By node: the one that it was reached from.
    parents: Vec<usize>,
    /// The configurations of all nodes, one after the other.
    numbers: Vec<f64>,
    /// How many numbers each has.
    width: usize,
    neighbours: Neighbours,
}

/// What came of a step.
enum Step {
    Blocked,
    /// A node on the way, or at the target.
    Advanced(usize),
    Reached(usize),
}

impl Tree {
    fn new<S: Space + ?Sized>(space: &S, root: &[f64]) -> Self {
        let (parents, numbers, neighbours) = (Vec::new(), Vec::new(), Neighbours::default());
        let mut tree = Self { parents, numbers, width: root.len(), neighbours };
        tree.push(space, root, 0);
        tree
    }

    fn at(&self, number: usize) -> &[f64] {
        &self.numbers[number * self.width..][..self.width]
    }

    fn push<S: Space + ?Sized>(&mut self, space: &S, at: &[f64], parent: usize) {
        self.parents.push(parent);
        // A space of another kind of samples must not shift the nodes that follow.
        self.numbers.extend(at.iter().take(self.width));
        self.numbers.resize(self.parents.len() * self.width, 0.0);
        let (numbers, width) = (&self.numbers, self.width);
        let at = |number: u32| &numbers[number as usize * width..][..width];
        self.neighbours.insert(&|a, b| space.distance(at(a), at(b)));
    }

    fn nearest<S: Space + ?Sized>(&self, space: &S, to: &[f64]) -> usize {
        self.neighbours.nearest(&|node| space.distance(self.at(node as usize), to)) as usize
    }

    /// A step of at most `longest` from a node towards a configuration.
    fn extend<S: Space + ?Sized>(
        &mut self,
        space: &mut S,
        from: usize,
        to: &[f64],
        longest: f64,
    ) -> Result<Step, S::Error> {
        let distance = space.distance(self.at(from), to);
        let arrives = distance <= longest;
        let at = if arrives { to.to_vec() } else { between(self.at(from), to, longest / distance) };
        if !space.is_motion_free(self.at(from), &at)? {
            return Ok(Step::Blocked);
        }
        self.push(space, &at, from);
        let number = self.parents.len() - 1;
        Ok(if arrives { Step::Reached(number) } else { Step::Advanced(number) })
    }

    /// Steps until something is in the way; the node at `to` if it gets there.
    fn connect<S: Space + ?Sized>(
        &mut self,
        space: &mut S,
        to: &[f64],
        longest: f64,
    ) -> Result<Option<usize>, S::Error> {
        let mut from = self.nearest(space, to);
        loop {
            match self.extend(space, from, to, longest)? {
                Step::Blocked => return Ok(None),
                Step::Reached(number) => return Ok(Some(number)),
                Step::Advanced(number) => from = number,
            }
        }
    }

    /// From a node to the root.
    fn branch(&self, mut number: usize) -> Vec<Configuration> {
        let mut branch = vec![self.at(number).to_vec()];
        while number != 0 {
            number = self.parents[number];
            branch.push(self.at(number).to_vec());
        }
        branch
    }
}

/// Searches a path and shortens it.
///
/// ```
/// use clearance_plan::{PlanOptions, Space, Verdict, plan, samples_are_free};
/// /// A point that keeps out of a disc.
/// struct Disc;
/// impl Space for Disc {
///     type Error = std::convert::Infallible;
///     fn bounds(&self) -> &[[f64; 2]] { &[[-1.0, 1.0]; 2] }
///     fn distance(&self, a: &[f64], b: &[f64]) -> f64 { (a[0] - b[0]).hypot(a[1] - b[1]) }
///     fn is_free(&mut self, at: &[f64]) -> Result<bool, Self::Error> { Ok(at[0].hypot(at[1]) > 0.5) }
///     fn is_motion_free(&mut self, from: &[f64], to: &[f64]) -> Result<bool, Self::Error> {
///         samples_are_free(self, from, to, 0.01)
///     }
/// }
/// let search = plan(&mut Disc, &[-0.9, 0.0], &[0.9, 0.0], &PlanOptions::default())?;
/// assert_eq!(search.verdict, Verdict::Found);
/// assert!(search.path.len() > 2);
/// # Ok::<(), std::convert::Infallible>(())
/// ```
pub fn plan<S: Space + ?Sized>(
    space: &mut S,
    start: &[f64],
    goal: &[f64],
    options: &PlanOptions,
) -> Result<Search, S::Error> {
    plan_unless(space, start, goal, options, &|| false)
}

/// The same, given up when `stop` says so.
pub(crate) fn plan_unless<S: Space + ?Sized>(
    space: &mut S,
    start: &[f64],
    goal: &[f64],
    options: &PlanOptions,
    stop: &dyn Fn() -> bool,
) -> Result<Search, S::Error> {
    let mut search = Search { verdict: Verdict::GaveUp, path: Vec::new(), samples: 0, nodes: 2 };
    if !space.is_free(start)? {
        search.verdict = Verdict::StartBlocked;
        return Ok(search);
    }
    if !space.is_free(goal)? {
        search.verdict = Verdict::GoalBlocked;
        return Ok(search);
    }
    let mut random = Random(options.seed);
    search.path = if space.is_motion_free(start, goal)? {
        vec![start.to_vec(), goal.to_vec()]
    } else {
        grow(space, [start, goal], options, &mut random, &mut search, stop)?
    };
    if !search.path.is_empty() {
        search.verdict = Verdict::Found;
        shorten(space, &mut search.path, options.shortcuts, random.bits())?;
    }
    Ok(search)
}

/// Grows both trees until they meet or no samples are left.
fn grow<S: Space + ?Sized>(
    space: &mut S,
    ends: [&[f64]; 2],
    options: &PlanOptions,
    random: &mut Random,
    search: &mut Search,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<Configuration>, S::Error> {
    let mut trees = ends.map(|end| Tree::new(space, end));
    let mut path = Vec::new();
    let deadline = options.max_time.and_then(|time| Instant::now().checked_add(time));
    let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    while path.is_empty() && search.samples < options.max_samples && !is_late() && !stop() {
        search.samples += 1;
        let [of_start, of_goal] = [&trees[0], &trees[1]].map(|tree| tree.parents.len());
        // The smaller tree grows; every fourth time they take turns, so that one that cannot grow, in a
        // narrow place, does not keep the other from coming to it.
        let from_start = match search.samples % 4 {
            0 => search.samples.is_multiple_of(8),
            _ if of_start == of_goal => search.samples % 2 == 1,
            _ => of_start < of_goal,
        };
        let [first, second] = &mut trees;
        let (grown, other) = if from_start { (first, second) } else { (second, first) };
        let target = space.sample(&mut || random.unit());
        let nearest = grown.nearest(space, &target);
        let (Step::Advanced(number) | Step::Reached(number)) = grown.extend(space, nearest, &target, options.step)?
        else {
            continue;
        };
        let place = grown.at(number).to_vec();
        if let Some(met) = other.connect(space, &place, options.step)? {
            let (of_grown, of_other) = (grown.branch(number), other.branch(met));
            let (of_start, of_goal) = if from_start { (of_grown, of_other) } else { (of_other, of_grown) };
            // Both hold the place where they met.
            path = of_start.into_iter().rev().chain(of_goal.into_iter().skip(1)).collect();
        }
    }
    search.nodes = trees.iter().map(|tree| tree.parents.len()).sum();
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Square;

    const START: [f64; 2] = [-0.8, -0.8];
    const GOAL: [f64; 2] = [0.8, -0.8];

    #[test]
    fn a_path_through_a_gap_is_found_and_every_motion_of_it_is_free() {
        for seed in 0..20 {
            let mut square = Square { gap: 0.03, checks: 0 };
            let search = plan(&mut square, &START, &GOAL, &PlanOptions { seed, ..PlanOptions::default() }).unwrap();
            assert_eq!(search.verdict, Verdict::Found);
            assert_eq!((&search.path[0][..], &search.path[search.path.len() - 1][..]), (&START[..], &GOAL[..]));
            for pair in search.path.windows(2) {
                assert!(square.is_motion_free(&pair[0], &pair[1]).unwrap());
            }
        }
    }

    #[test]
    fn equal_seeds_give_equal_paths() {
        let path = |seed| {
            let options = PlanOptions { seed, ..PlanOptions::default() };
            plan(&mut Square { gap: 0.1, checks: 0 }, &START, &GOAL, &options).unwrap().path
        };
        assert_eq!(path(3), path(3));
        assert_ne!(path(3), path(4));
    }

    #[test]
    fn what_cannot_be_reached_is_given_up_and_what_is_blocked_is_named() {
        let options = PlanOptions { max_samples: 200, ..PlanOptions::default() };
        let verdict = |start: &[f64], goal: &[f64]| {
            plan(&mut Square { gap: 0.0, checks: 0 }, start, goal, &options).unwrap().verdict
        };
        assert_eq!(verdict(&START, &GOAL), Verdict::GaveUp);
        assert_eq!(verdict(&[0.0, 0.0], &GOAL), Verdict::StartBlocked);
        assert_eq!(verdict(&START, &[0.0, 0.0]), Verdict::GoalBlocked);
    }
}
