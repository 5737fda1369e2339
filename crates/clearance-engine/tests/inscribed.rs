//! No box or sphere behind walls is larger than those that are found: bounds from prices of the
//! walls prove it, without any solver.
//!
//! Let `yⱼ ≥ 0` be prices of the walls `nⱼ·x ≤ bⱼ` with `Σ yⱼnⱼ = 0`. For a box with centre c and
//! half extents h behind all of them the sum of `yⱼ(nⱼ·c + Σᵢ|nⱼ·aᵢ|hᵢ) ≤ yⱼbⱼ` is `Σᵢ gᵢhᵢ ≤ B`
//! with `gᵢ = Σⱼ yⱼ|nⱼ·aᵢ|` and `B = Σⱼ yⱼbⱼ`, and since no geometric mean is above the arithmetic
//! one, `h₁h₂h₃ ≤ (B/3)³ / (g₁g₂g₃)`; a sphere has the radius `B / Σ yⱼ` at most. Any prices give
//! such bounds; where `Σ yⱼnⱼ = r` is not quite 0, B is larger by `|r|` times how far from the
//! origin a centre can be. The best prices make `gᵢhᵢ = 1`, or `Σ yⱼ = 1`, and are 0 for walls that
//! are not touched: linear equations, whose solutions need not be exact for the bound to hold.

mod support;

use clearance_engine::math::{DMat3, DVec3};
use clearance_engine::shape::ConvexPolyhedron;
use clearance_engine::volume::{Wall, largest_box, largest_sphere};
use support::Random;

fn walls_of(hull: &ConvexPolyhedron) -> Vec<Wall> {
    let wall = |face: u32| {
        let normal = hull.face_normal(face);
        Wall { normal, offset: normal.dot(hull.vertex(hull.face(face)[0])) }
    };
    (0..hull.face_count() as u32).map(wall).collect()
}

/// Those y with `Σ yⱼ columnⱼ` nearest to `wanted`; a ridge picks one where columns depend on each
/// other.
fn least_squares(columns: &[[f64; 6]], wanted: &[f64; 6]) -> Vec<f64> {
    let dot = |a: &[f64; 6], b: &[f64; 6]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let count = columns.len();
    let row = |i: usize| (0..count).map(move |j| dot(&columns[i], &columns[j]) + if i == j { 1e-15 } else { 0.0 });
    let mut rows: Vec<Vec<f64>> = (0..count).map(|i| row(i).chain([dot(&columns[i], wanted)]).collect()).collect();
    for k in 0..count {
        let (above, below) = rows.split_at_mut(k + 1);
        for row in below {
            let factor = row[k] / above[k][k];
            row.iter_mut().zip(&above[k]).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let mut found = vec![0.0; count];
    for k in (0..count).rev() {
        let known: f64 = (k + 1..count).map(|i| rows[k][i] * found[i]).sum();
        found[k] = (rows[k][count] - known) / rows[k][k];
    }
    found
}

/// Prices y ≥ 0 with `Σ yⱼ columnⱼ` nearest to `wanted` (Lawson and Hanson, *Solving Least Squares
/// Problems*, 1974, chapter 23).
fn prices(columns: &[[f64; 6]], wanted: [f64; 6]) -> Vec<f64> {
    let mut y = vec![0.0; columns.len()];
    let mut used: Vec<usize> = Vec::new();
    let missing = |y: &[f64]| -> [f64; 6] {
        std::array::from_fn(|k| wanted[k] - columns.iter().zip(y).map(|(column, y)| column[k] * y).sum::<f64>())
    };
    for _ in 0..100 {
        let left = missing(&y);
        let gain = |i: &usize| columns[*i].iter().zip(left).map(|(x, y)| x * y).sum::<f64>();
        let unused = (0..columns.len()).filter(|i| !used.contains(i) && gain(i) > 1e-15);
        let Some(next) = unused.max_by(|i, j| gain(i).total_cmp(&gain(j))) else { break };
        used.push(next);
        while !used.is_empty() {
            let columns_used: Vec<[f64; 6]> = used.iter().map(|&i| columns[i]).collect();
            let mut goal = y.clone();
            // What the ridge and roundings leave is made up for.
            for _ in 0..20 {
                let more = least_squares(&columns_used, &missing(&goal));
                used.iter().zip(more).for_each(|(&i, more)| goal[i] += more);
            }
            // As far towards it as all prices are positive.
            let share = |&i: &usize| if goal[i] > 0.0 { 1.0 } else { y[i] / (y[i] - goal[i]) };
            let share = used.iter().map(share).fold(1.0, f64::min);
            y.iter_mut().zip(&goal).for_each(|(y, goal)| *y += share * (goal - *y));
            if share == 1.0 {
                break;
            }
            used.retain(|&i| y[i] > 1e-15);
            (0..y.len()).filter(|i| !used.contains(i)).for_each(|i| y[i] = 0.0);
        }
    }
    y
}

/// At least `Σ yⱼ(bⱼ − nⱼ·c)` for centres c up to `reach` away from the origin, and the prices of
/// the walls that leave less than `touch`.
fn bound(
    walls: &[Wall],
    (slack, touch): (&impl Fn(&Wall) -> f64, f64),
    column: impl Fn(&Wall) -> [f64; 6],
    wanted: [f64; 6],
    reach: f64,
) -> (f64, Vec<(Wall, f64)>) {
    let touched: Vec<Wall> = walls.iter().filter(|wall| slack(wall) < touch).copied().collect();
    let columns: Vec<[f64; 6]> = touched.iter().map(column).collect();
    let priced: Vec<(Wall, f64)> = touched.into_iter().zip(prices(&columns, wanted)).collect();
    let left: DVec3 = priced.iter().map(|(wall, y)| wall.normal * *y).sum();
    (priced.iter().map(|(wall, y)| wall.offset * y).sum::<f64>() + left.length() * reach, priced)
}

/// The largest share of a bound that is reached, over ways to tell which walls are touched: all of
/// the bounds hold.
fn tightest(share: impl Fn(f64) -> f64) -> f64 {
    (3..14).map(|digits| share(0.1_f64.powi(digits))).fold(0.0, f64::max)
}

#[test]
fn bounds_prove_that_no_box_or_sphere_is_larger() {
    let mut random = Random(17);
    for case in 0..200 {
        // Thin and long ones too.
        let stretch = DVec3::from_array([(); 3].map(|()| 10.0_f64.powf(random.signed() * f64::from(case % 3))));
        let points: Vec<DVec3> = (0..4 + case % 70).map(|_| random.vector() * stretch).collect();
        let Ok(hull) = ConvexPolyhedron::hull_of(&points) else { continue };
        let (walls, axes) = (walls_of(&hull), DMat3::from_quat(random.rotation()));
        let middle = hull.vertices().sum::<DVec3>() / hull.vertex_count() as f64;
        let reach = hull.vertices().map(DVec3::length).fold(0.0, f64::max);
        let along = |wall: &Wall| axes.transpose() * wall.normal;

        let (center, half) = largest_box(&walls, &axes, middle).unwrap();
        let slack = |wall: &Wall| wall.offset - wall.normal.dot(center) - along(wall).abs().dot(half);
        assert!(walls.iter().all(|wall| slack(wall) > -1e-14 * reach), "case {case}");
        let column = |wall: &Wall| {
            let (n, m) = (along(wall) * half, along(wall).abs() * half);
            [n.x, n.y, n.z, m.x, m.y, m.z]
        };
        let share = tightest(|touch| {
            let (most, priced) = bound(&walls, (&slack, touch * reach), column, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0], reach);
            let g: DVec3 = priced.iter().map(|(wall, y)| along(wall).abs() * *y).sum();
            half.element_product() * g.element_product() / (most / 3.0).powi(3)
        });
        assert!((1.0 - 1e-6..1.0 + 1e-9).contains(&share), "case {case}: {share}");

        let (center, radius) = largest_sphere(&walls, middle).unwrap();
        let slack = |wall: &Wall| wall.offset - wall.normal.dot(center) - radius;
        assert!(walls.iter().all(|wall| slack(wall) > -1e-14 * reach), "case {case}");
        let column = |wall: &Wall| [wall.normal.x, wall.normal.y, wall.normal.z, 1.0, 0.0, 0.0];
        let share = tightest(|touch| {
            let (most, priced) = bound(&walls, (&slack, touch * reach), column, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0], reach);
            radius * priced.iter().map(|(_, y)| y).sum::<f64>() / most
        });
        assert!((1.0 - 1e-6..1.0 + 1e-9).contains(&share), "case {case}: {share}");
    }
}
