//! RRT-Connect on two threads, with a planner of your own: each thread has a clone of the checker,
//! and every edge of the path that comes back is proven collision-free.
#![allow(clippy::print_stdout)]

use clearance::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

#[path = "data/mod.rs"]
mod data;

/// A configuration, and the number of the one that it was reached from.
type Tree = Vec<(Vec<f64>, usize)>;

fn main() -> clearance::Result<()> {
    let mut checker = Checker::new(Robot::load(data::robot_file()?)?)?;
    checker.set_scene(Scene::load(data::scene_file()?)?);
    let ([start, goal], done) = (data::ends(), AtomicBool::new(false));
    let paths = std::thread::scope(|scope| {
        let threads = [1, 2].map(|seed| {
            let (checker, done) = (checker.clone(), &done);
            scope.spawn(move || plan(checker, [start.to_vec(), goal.to_vec()], seed, done))
        });
        threads.map(|thread| thread.join().expect("a planner does not panic"))
    });
    for path in paths {
        let Some(path) = path? else { continue };
        let free = checker.path(&path)?.iter().all(Edge::is_free);
        println!("a path of {} configurations, proven collision-free: {free}", path.len());
    }
    Ok(())
}

/// Grows a tree from either end until they meet, or another thread has a path.
fn plan(
    mut checker: Checker,
    ends: [Vec<f64>; 2],
    seed: u64,
    done: &AtomicBool,
) -> clearance::Result<Option<Vec<Vec<f64>>>> {
    let (lower, upper) = (checker.robot().lower(), checker.robot().upper());
    let mut random = data::Random(seed);
    let mut trees: [Tree; 2] = ends.map(|end| vec![(end, 0)]);
    for round in 0..20_000 {
        if done.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let target: Vec<f64> = lower.iter().zip(&upper).map(|(low, high)| low + (high - low) * random.unit()).collect();
        let (grown, other) = (round % 2, 1 - round % 2);
        if !extend(&mut checker, &mut trees[grown], &target)? {
            continue;
        }
        let reached = trees[grown][trees[grown].len() - 1].0.clone();
        while extend(&mut checker, &mut trees[other], &reached)? {
            if trees[other][trees[other].len() - 1].0 == reached {
                done.store(true, Ordering::Relaxed);
                let [from_start, from_goal] = trees.map(|tree| branch(&tree));
                return Ok(Some(from_start.into_iter().rev().chain(from_goal.into_iter().skip(1)).collect()));
            }
        }
    }
    Ok(None)
}

/// Adds a step of at most 0.3 from the nearest configuration of the tree, if it is collision-free.
fn extend(checker: &mut Checker, tree: &mut Tree, target: &[f64]) -> clearance::Result<bool> {
    let distance = |at: &[f64]| at.iter().zip(target).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let far = |entry: &(Vec<f64>, usize)| distance(&entry.0);
    let Some((nearest, (from, _))) = tree.iter().enumerate().min_by(|a, b| far(a.1).total_cmp(&far(b.1))) else {
        return Ok(false);
    };
    let part = (0.3 / distance(from)).min(1.0);
    let step = |(a, b): (&f64, &f64)| if part < 1.0 { a + (b - a) * part } else { *b };
    let to: Vec<f64> = from.iter().zip(target).map(step).collect();
    let free = checker.edge(from, &to)?.is_free();
    if free {
        tree.push((to, nearest));
    }
    Ok(free)
}

/// From the last configuration of a tree to its root.
fn branch(tree: &Tree) -> Vec<Vec<f64>> {
    let mut path = vec![tree[tree.len() - 1].0.clone()];
    let mut at = tree.len() - 1;
    while at != 0 {
        at = tree[at].1;
        path.push(tree[at].0.clone());
    }
    path
}
