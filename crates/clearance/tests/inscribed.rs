//! The largest boxes and balls inside of polyhedra against those that a solver for general cones finds, Clarabel.

mod support;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, SupportedConeT};
use clearance::math::{DMat3, DVec3};
use clearance::shape::ConvexPolyhedron;
use clearance::volume::{Wall, largest_ball, largest_box};
use std::time::Instant;
use support::Random;

/// The largest product of the last of some variables behind `Σ row · x ≤ limit`, of which the first three are a centre: with each extent a variable below its
/// logarithm, whose sum is to grow.
fn by_clarabel(rows: &[(Vec<f64>, f64)], extents: usize) -> Vec<f64> {
    let variables = 3 + 2 * extents;
    let (mut at, mut along, mut values, mut right) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut add = |row: usize, column: usize, value: f64| {
        at.push(row);
        along.push(column);
        values.push(value);
    };
    for (i, (row, limit)) in rows.iter().enumerate() {
        row.iter().enumerate().for_each(|(k, &x)| add(i, k, x));
        right.push(*limit);
    }
    let mut cones = vec![SupportedConeT::NonnegativeConeT(rows.len())];
    for k in 0..extents {
        // exp(logarithm / 1) · 1 ≤ extent
        let first = right.len();
        add(first, 3 + extents + k, -1.0);
        add(first + 2, 3 + k, -1.0);
        right.extend([0.0, 1.0, 0.0]);
        cones.push(SupportedConeT::ExponentialConeT());
    }
    let matrix = CscMatrix::new_from_triplets(right.len(), variables, at, along, values);
    let mut wanted = vec![0.0; variables];
    wanted[3 + extents..].fill(-1.0);
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-11)
        .tol_gap_rel(1e-11)
        .tol_feas(1e-11)
        .build()
        .unwrap();
    let nothing = CscMatrix::zeros((variables, variables));
    let mut solver = DefaultSolver::new(&nothing, &wanted, &matrix, &right, &cones, settings).unwrap();
    solver.solve();
    solver.solution.x
}

fn walls_of(hull: &ConvexPolyhedron) -> Vec<Wall> {
    let wall = |face: u32| {
        let normal = hull.face_normal(face);
        Wall { normal, offset: normal.dot(hull.vertex(hull.face(face)[0])) }
    };
    (0..hull.face_count() as u32).map(wall).collect()
}

#[test]
#[allow(clippy::print_stdout)]
fn clarabel_finds_the_same_boxes_and_balls() {
    let mut random = Random(17);
    let (mut ours, mut theirs) = (0.0, 0.0);
    for case in 0..60 {
        let points: Vec<DVec3> = (0..6 + 2 * case).map(|_| random.vector()).collect();
        let hull = ConvexPolyhedron::hull_of(&points).unwrap();
        let (walls, axes) = (walls_of(&hull), DMat3::from_quat(random.rotation()));
        let middle = hull.vertices().sum::<DVec3>() / hull.vertex_count() as f64;
        let rows = |row: &dyn Fn(DVec3) -> Vec<f64>| -> Vec<(Vec<f64>, f64)> {
            walls.iter().map(|wall| (row(wall.normal), wall.offset - wall.normal.dot(middle))).collect()
        };

        let start = Instant::now();
        let (center, half) = largest_box(&walls, &axes, middle).unwrap();
        ours += start.elapsed().as_secs_f64();
        let box_rows = rows(&|normal| {
            let n = axes.transpose() * normal;
            vec![n.x, n.y, n.z, n.x.abs(), n.y.abs(), n.z.abs()]
        });
        let start = Instant::now();
        let found = by_clarabel(&box_rows, 3);
        theirs += start.elapsed().as_secs_f64();
        let other = DVec3::from_slice(&found[3..6]);
        let share = half.element_product() / other.element_product();
        assert!((share - 1.0).abs() < 1e-8, "case {case}: {share}");
        // Where the volume hardly changes the box may be another one.
        assert!(half.distance(other) < 1e-4, "case {case}: {half} {other}");
        let other_center = middle + axes * DVec3::from_slice(&found[..3]);
        assert!(center.distance(other_center) < 1e-4, "case {case}: {center} {other_center}");

        let (_, radius) = largest_ball(&walls, middle).unwrap();
        let found = by_clarabel(&rows(&|n| vec![n.x, n.y, n.z, 1.0]), 1);
        assert!((radius / found[3] - 1.0).abs() < 1e-8, "case {case}: {radius} {}", found[3]);
    }
    println!("60 boxes: {:.1} ms, by Clarabel {:.1} ms", ours * 1e3, theirs * 1e3);
}
