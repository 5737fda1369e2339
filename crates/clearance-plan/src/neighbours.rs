//! The nearest of many configurations in any metric, while they grow in number.
//!
//! Vantage-point trees (Yianilos, *Data structures and algorithms for nearest neighbor search in
//! general metric spaces*, 1993) do not grow. So there are several, each twice as large as the next
//! at least, and new configurations are merged with the small ones (Bentley and Saxe, *Decomposable
//! searching problems*, 1980): log² n distances for each insertion on average. Of configurations
//! that are as near the first one counts, as in a search one by one, which
//! `the_nearest_is_that_of_a_search_one_by_one` compares.

/// How many are searched one by one.
const RECENT: usize = 32;

/// How much more than the metric's rounding may spoil the triangle inequality, of the distances.
const ERROR: f64 = 1e-12;

/// A vantage point: all others of its range within the radius are in the first part of the rest.
#[derive(Debug, Clone, Copy)]
struct Vantage {
    item: u32,
    radius: f64,
}

/// Items 0, 1, 2, … by distances from each other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Neighbours {
    count: u32,
    recent: Vec<u32>,
    /// The largest first; of a range the first is the vantage point, and the rest is two halves.
    trees: Vec<Vec<Vantage>>,
}

impl Neighbours {
    /// Adds the next item; `distance` is that of two items.
    pub(crate) fn insert(&mut self, distance: &impl Fn(u32, u32) -> f64) {
        self.recent.push(self.count);
        self.count += 1;
        if self.recent.len() < RECENT {
            return;
        }
        let mut items = std::mem::take(&mut self.recent);
        while let Some(last) = self.trees.pop_if(|last| last.len() <= items.len()) {
            items.extend(last.iter().map(|vantage| vantage.item));
        }
        items.sort_unstable();
        let mut tree: Vec<Vantage> = items.iter().map(|&item| Vantage { item, radius: 0.0 }).collect();
        divide(&mut tree, distance);
        self.trees.push(tree);
    }

    /// The nearest item, by a distance from each; 0 if there is none.
    pub(crate) fn nearest(&self, distance: &impl Fn(u32) -> f64) -> u32 {
        let mut best = (f64::INFINITY, 0);
        self.recent.iter().for_each(|&item| improve(&mut best, item, distance(item)));
        self.trees.iter().for_each(|tree| search(tree, distance, &mut best));
        best.1
    }
}

fn improve(best: &mut (f64, u32), item: u32, distance: f64) {
    if (distance, item) < *best {
        *best = (distance, item);
    }
}

/// How many of the rest are in the first part.
fn inside(rest: usize) -> usize {
    rest.div_ceil(2)
}

fn divide(range: &mut [Vantage], distance: &impl Fn(u32, u32) -> f64) {
    let Some((first, rest)) = range.split_first_mut() else { return };
    if rest.is_empty() {
        return;
    }
    rest.iter_mut().for_each(|other| other.radius = distance(first.item, other.item));
    let middle = inside(rest.len()) - 1;
    let by_distance = |a: &Vantage, b: &Vantage| a.radius.total_cmp(&b.radius).then(a.item.cmp(&b.item));
    first.radius = rest.select_nth_unstable_by(middle, by_distance).1.radius;
    let (near, far) = rest.split_at_mut(middle + 1);
    divide(near, distance);
    divide(far, distance);
}

fn search(range: &[Vantage], distance: &impl Fn(u32) -> f64, best: &mut (f64, u32)) {
    let Some((vantage, rest)) = range.split_first() else { return };
    let from = distance(vantage.item);
    improve(best, vantage.item, from);
    let (near, far) = rest.split_at(inside(rest.len()));
    let slack = ERROR * (from + vantage.radius);
    // Items within the radius are at least `from − radius` away, the others `radius − from`.
    if from <= vantage.radius {
        search(near, distance, best);
        if vantage.radius - from <= best.0 + slack {
            search(far, distance, best);
        }
    } else {
        search(far, distance, best);
        if from - vantage.radius <= best.0 + slack {
            search(near, distance, best);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use std::cell::Cell;

    #[test]
    fn the_nearest_is_that_of_a_search_one_by_one() {
        for (seed, dimensions) in [(1, 1), (2, 2), (3, 7)] {
            let mut random = Random(seed);
            // On a grid too, where many are as near.
            let mut draw = |grid: bool| -> Vec<f64> {
                let number = |x: f64| if grid { (4.0 * x).floor() } else { 4.0 * x };
                (0..dimensions).map(|_| number(random.unit())).collect()
            };
            let between = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            let (mut items, mut neighbours): (Vec<Vec<f64>>, _) = (Vec::new(), Neighbours::default());
            for i in 0..1500 {
                items.push(draw(i % 3 == 0));
                let (known, looked) = (&items, Cell::new(0));
                neighbours.insert(&|a, b| between(&known[a as usize], &known[b as usize]));
                let target = draw(i % 2 == 0);
                let found = neighbours.nearest(&|item| {
                    looked.set(looked.get() + 1);
                    between(&known[item as usize], &target)
                });
                let one_by_one = (0..items.len())
                    .min_by(|&a, &b| between(&items[a], &target).total_cmp(&between(&items[b], &target)));
                assert_eq!(Some(found as usize), one_by_one);
                assert!(looked.get() <= items.len());
                assert!(dimensions > 2 || i < 1000 || looked.get() < 200, "{} of {i}", looked.get());
            }
        }
    }
}
