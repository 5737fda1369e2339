//! Linear programmes of a few variables and many constraints, in expected linear time.
//!
//! Constraints are added one by one (Seidel, "Small-dimensional linear programming and convex hulls
//! made easy", 1991). As long as the best point so far satisfies the next one, it stays the best;
//! else the best point is on that constraint's plane, and a programme of one variable fewer finds
//! it. The order is scattered by a fixed stride, so that equal input gives equal answers.
//!
//! All variables are bounded by a box. Comparisons are rounded: the answer is a proposal for who
//! can prove it. Cost: about d! · n multiplications for n constraints of d variables.

/// The most variables.
pub(super) const DIMENSION: usize = 4;

/// `row · x ≤ most`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constraint {
    pub row: [f64; DIMENSION],
    pub most: f64,
}

impl Constraint {
    fn height(&self, x: &[f64; DIMENSION], dimension: usize) -> f64 {
        (0..dimension).map(|k| self.row[k] * x[k]).sum()
    }

    /// The same with one variable expressed by the others, on the plane of `plane`; the last
    /// variable takes its number.
    fn without(&self, variable: usize, plane: &Self, dimension: usize) -> Self {
        let factor = self.row[variable] / plane.row[variable];
        let mut row = [0.0; DIMENSION];
        for (k, slot) in kept(variable, dimension).zip(&mut row) {
            *slot = self.row[k] - factor * plane.row[k];
        }
        Self { row, most: self.most - factor * plane.most }
    }
}

/// The variables that are left.
fn kept(variable: usize, dimension: usize) -> impl Iterator<Item = usize> {
    (0..dimension).filter(move |&k| k != variable)
}

/// Finds x with the largest `objective · x` that satisfies all constraints and has no coordinate
/// beyond `bound`; `None` if there is none.
pub(super) fn maximise(
    objective: &[f64; DIMENSION],
    constraints: &[Constraint],
    dimension: usize,
    bound: f64,
) -> Option<[f64; DIMENSION]> {
    if dimension == 1 {
        return on_a_line(objective[0], constraints, bound);
    }
    let mut best = [0.0; DIMENSION];
    (0..dimension).for_each(|k| best[k] = if objective[k] < 0.0 { -bound } else { bound });
    let order: Vec<usize> = scattered(constraints.len()).collect();
    for (done, &i) in order.iter().enumerate() {
        let next = &constraints[i];
        let slack = 1e-12 * (0..dimension).map(|k| (next.row[k] * best[k]).abs()).fold(next.most.abs(), f64::max);
        if next.height(&best, dimension) <= next.most + slack {
            continue;
        }
        let variable = (0..dimension).max_by(|&j, &k| next.row[j].abs().total_cmp(&next.row[k].abs()))?;
        if next.row[variable] == 0.0 {
            return None;
        }
        let mut smaller: Vec<Constraint> = Vec::with_capacity(done + 2);
        // The box of the variable that goes.
        for sign in [1.0, -1.0] {
            let mut row = [0.0; DIMENSION];
            row[variable] = sign;
            smaller.push(Constraint { row, most: bound }.without(variable, next, dimension));
        }
        smaller.extend(order[..done].iter().map(|&i| constraints[i].without(variable, next, dimension)));
        let goal = Constraint { row: *objective, most: 0.0 }.without(variable, next, dimension);
        let found = maximise(&goal.row, &smaller, dimension - 1, bound)?;
        let mut rest = next.most;
        for (k, value) in kept(variable, dimension).zip(found) {
            best[k] = value;
            rest -= next.row[k] * value;
        }
        best[variable] = rest / next.row[variable];
    }
    Some(best)
}

fn on_a_line(objective: f64, constraints: &[Constraint], bound: f64) -> Option<[f64; DIMENSION]> {
    let (mut low, mut high) = (-bound, bound);
    for constraint in constraints {
        let (along, most) = (constraint.row[0], constraint.most);
        if along > 0.0 {
            high = high.min(most / along);
        } else if along < 0.0 {
            low = low.max(most / along);
        } else if most < 0.0 {
            return None;
        }
    }
    let best = if objective < 0.0 { low } else { high };
    // Where rounding has closed the interval it is a point.
    (low <= high + 1e-9 * bound.min(low.abs().max(high.abs()))).then_some([best, 0.0, 0.0, 0.0])
}

/// All of 0 … count − 1, neighbours far from each other.
fn scattered(count: usize) -> impl Iterator<Item = usize> {
    let near = (count as f64 * 0.618_033_988_749_895) as usize;
    let stride = (near.max(1)..).find(|&stride| greatest_common_divisor(stride, count) == 1).unwrap_or(1);
    (0..count).map(move |k| k * stride % count)
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_best_point_is_no_worse_than_any_vertex_of_the_constraints() {
        let mut random = Random(51);
        let mut solved = 0;
        for _ in 0..300 {
            let constraints: Vec<Constraint> = (0..12)
                .map(|_| {
                    let row = [random.signed(), random.signed(), 0.0, 0.0];
                    Constraint { row, most: random.between(-0.2, 1.0) }
                })
                .collect();
            let objective = [random.signed(), random.signed(), 0.0, 0.0];
            let worth = |x: &[f64; 4]| objective[0] * x[0] + objective[1] * x[1];
            let feasible = |x: &[f64; 4]| {
                x[0].abs() <= 10.001
                    && x[1].abs() <= 10.001
                    && constraints.iter().all(|c| c.height(x, 2) <= c.most + 1e-9)
            };
            let mut all = constraints.clone();
            for (row, most) in [([1.0, 0.0], 10.0), ([-1.0, 0.0], 10.0), ([0.0, 1.0], 10.0), ([0.0, -1.0], 10.0)] {
                all.push(Constraint { row: [row[0], row[1], 0.0, 0.0], most });
            }
            let mut truth: Option<f64> = None;
            for c in &all {
                for d in &all {
                    let determinant = c.row[0] * d.row[1] - c.row[1] * d.row[0];
                    let x = (c.most * d.row[1] - c.row[1] * d.most) / determinant;
                    let y = (c.row[0] * d.most - c.most * d.row[0]) / determinant;
                    let point = [x, y, 0.0, 0.0];
                    if determinant.abs() > 1e-9 && feasible(&point) {
                        truth = Some(truth.map_or(worth(&point), |best: f64| best.max(worth(&point))));
                    }
                }
            }
            let found = maximise(&objective, &constraints, 2, 10.0);
            assert_eq!(found.is_some(), truth.is_some());
            if let (Some(found), Some(truth)) = (found, truth) {
                assert!(feasible(&found) && (worth(&found) - truth).abs() < 1e-9, "{found:?} {truth}");
                solved += 1;
            }
        }
        assert!(solved > 100, "{solved}");
    }

    #[test]
    fn the_order_meets_every_constraint_once() {
        for count in [1, 2, 3, 10, 36, 1000] {
            let mut met: Vec<usize> = scattered(count).collect();
            met.sort_unstable();
            assert!(met.into_iter().eq(0..count));
        }
    }
}
