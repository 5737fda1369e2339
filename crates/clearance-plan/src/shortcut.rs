//! Shorter paths: straight motions between two places of a path, and partial ones, which straighten
//! one number and leave the others. Partial ones are what brings a posture back that a sample
//! changed without need.

use crate::Random;
use crate::{Configuration, Space, between};

/// The longest of the short shortcuts, of the path's length.
const LOCAL: f64 = 0.15;

/// The length of a path in a space's metric.
pub fn length<S: Space + ?Sized>(space: &S, path: &[Configuration]) -> f64 {
    path.windows(2).map(|pair| space.distance(&pair[0], &pair[1])).sum()
}

/// A place on a path: the vertex before it and the configuration.
struct Place {
    vertex: usize,
    at: Configuration,
}

fn place<S: Space + ?Sized>(space: &S, path: &[Configuration], mut along: f64) -> Place {
    for (vertex, pair) in path.windows(2).enumerate() {
        let distance = space.distance(&pair[0], &pair[1]);
        if along <= distance && distance > 0.0 {
            return Place { vertex, at: between(&pair[0], &pair[1], along / distance) };
        }
        along -= distance;
    }
    let last = path.len().saturating_sub(1);
    Place { vertex: last.saturating_sub(1), at: path[last].clone() }
}

/// Tries `tries` shortcuts between random places of a path of two or more vertices; all of its
/// motions stay free.
pub fn shorten<S: Space + ?Sized>(
    space: &mut S,
    path: &mut Vec<Configuration>,
    tries: usize,
    seed: u64,
) -> Result<(), S::Error> {
    let mut random = Random(seed);
    let numbers = space.bounds().len();
    for _ in 0..tries {
        let whole = length(space, path);
        // Long ones straighten a detour, short ones cut vertices and take fewer checks.
        let span = if random.below(2) == 0 { whole } else { LOCAL * whole };
        let a = random.unit() * whole;
        let b = (a + random.signed() * span).clamp(0.0, whole);
        let (from, to) = (place(space, path, a.min(b)), place(space, path, a.max(b)));
        // Half of the tries are for single numbers.
        let only = random.below(2 * numbers);
        let candidate =
            if only < numbers { partial(space, path, &from, &to, only) } else { straight(path, &from, &to) };
        // What shortcuts gain less is not worth their checks.
        if length(space, &candidate) < whole - 1e-3 && is_free(space, &candidate, from.vertex, path)? {
            *path = candidate;
        }
    }
    path.dedup();
    Ok(())
}

/// The path with a straight motion between two of its places.
fn straight(path: &[Configuration], from: &Place, to: &Place) -> Vec<Configuration> {
    let mut changed = path[..=from.vertex].to_vec();
    changed.extend([from.at.clone(), to.at.clone()]);
    changed.extend_from_slice(&path[to.vertex + 1..]);
    changed
}

/// The path with one number changing steadily between two of its places.
fn partial<S: Space + ?Sized>(
    space: &S,
    path: &[Configuration],
    from: &Place,
    to: &Place,
    number: usize,
) -> Vec<Configuration> {
    let mut between = vec![from.at.clone()];
    between.extend_from_slice(&path[from.vertex + 1..=to.vertex]);
    between.push(to.at.clone());
    let whole = length(space, &between);
    let (first, last) = (from.at[number], to.at[number]);
    let mut along = 0.0;
    let mut steady = between.clone();
    for i in 1..between.len() {
        along += space.distance(&between[i - 1], &between[i]);
        steady[i][number] = first + (last - first) * if whole > 0.0 { along / whole } else { 1.0 };
    }
    let mut changed = path[..=from.vertex].to_vec();
    changed.extend(steady);
    changed.extend_from_slice(&path[to.vertex + 1..]);
    changed
}

/// Whether the motions of a changed path are free, from a vertex on up to where it is the old path
/// again.
fn is_free<S: Space + ?Sized>(
    space: &mut S,
    changed: &[Configuration],
    from: usize,
    old: &[Configuration],
) -> Result<bool, S::Error> {
    for (i, pair) in changed.windows(2).enumerate().skip(from) {
        let left = changed.len() - i;
        // The same motion as far from the end.
        let same = left <= old.len() && old[old.len() - left..][..2] == *pair;
        if !same && pair[0] != pair[1] && !space.is_motion_free(&pair[0], &pair[1])? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Square;

    #[test]
    fn a_detour_is_straightened_and_stays_free() {
        let mut square = Square { gap: 0.2, checks: 0 };
        let detour = [[-0.8, -0.8], [-0.9, 0.9], [-0.2, 0.7], [0.0, 0.7], [0.2, 0.8], [0.9, 0.9], [0.8, -0.8]];
        let mut path: Vec<Configuration> = detour.iter().map(|at| at.to_vec()).collect();
        let before = length(&square, &path);
        shorten(&mut square, &mut path, 300, 5).unwrap();
        let after = length(&square, &path);
        // Straight to the lower vertices of the gap and across: 2 · |(0.7, 1.3)| + 0.2.
        let shortest = 2.0 * 0.7_f64.hypot(1.3) + 0.2;
        assert!(after < before && after < 1.02 * shortest && after >= shortest - 0.02, "{before} {after} {shortest}");
        for pair in path.windows(2) {
            assert!(square.is_motion_free(&pair[0], &pair[1]).unwrap());
        }
        assert_eq!((path[0].clone(), path[path.len() - 1].clone()), (vec![-0.8, -0.8], vec![0.8, -0.8]));
    }
}
