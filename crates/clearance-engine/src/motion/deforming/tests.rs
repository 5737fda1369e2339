//! What the proofs of patches need; `tests/deforming.rs` has the referee.

use super::*;

/// A strip of `n` by `n` squares, by where its points are.
fn sheet(n: u32, place: impl Fn(f64, f64) -> DVec3) -> TriMesh {
    let step = 1.0 / f64::from(n);
    let places = (0..=n).flat_map(|j| (0..=n).map(move |i| (f64::from(i) * step, f64::from(j) * step)));
    let at = |i: u32, j: u32| j * (n + 1) + i;
    let squares = (0..n).flat_map(|j| (0..n).map(move |i| (i, j)));
    let triangles = squares
        .flat_map(|(i, j)| [[at(i, j), at(i + 1, j), at(i, j + 1)], [at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]]);
    TriMesh::new(places.map(|(x, y)| place(x, y)).collect(), triangles.collect()).unwrap()
}

#[test]
fn patches_are_smooth_where_they_are_a_graph_all_the_time_and_not_where_they_wind() {
    let flat = sheet(8, |x, y| DVec3::new(x, y, 0.0));
    let bent = sheet(8, |x, y| DVec3::new(x, y, x * x));
    let mut surface = DeformingMesh::new(&flat).unwrap();
    assert!(surface.smooth[0]);
    surface.step(flat.vertices(), bent.vertices()).unwrap();
    assert!(surface.smooth[0]);
    // It turns over on the way.
    let back: Vec<DVec3> = flat.vertices().iter().map(|p| DVec3::new(-p.x, p.y, p.z)).collect();
    surface.step(flat.vertices(), &back).unwrap();
    assert!(!surface.smooth[0]);
    // A spiral ramp of two turns: all normals point up, and the outline goes round twice.
    let ramp = sheet(12, |x, y| {
        let (sin, cos) = (4.0 * std::f64::consts::PI * x).sin_cos();
        DVec3::new((0.2 + y) * cos, (0.2 + y) * sin, 0.01 * x)
    });
    assert!(!DeformingMesh::new(&ramp).unwrap().smooth[0]);
}

#[test]
fn only_discs_have_outlines() {
    let disc = [[0, 1, 2], [2, 1, 3]];
    assert_eq!(patches::outline(&disc).map(|outline| outline.len()), Some(4));
    // Two parts, parts that share a vertex, a closed surface, a ring, and triangles turned against
    // each other.
    assert_eq!(patches::outline(&[[0, 1, 2], [3, 4, 5]]), None);
    assert_eq!(patches::outline(&[[0, 1, 2], [2, 3, 4]]), None);
    assert_eq!(patches::outline(&[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]), None);
    let ring = [[0, 1, 3], [3, 1, 4], [1, 2, 4], [4, 2, 5], [2, 0, 5], [5, 0, 3]];
    assert_eq!(patches::outline(&ring), None);
    assert_eq!(patches::outline(&[[0, 1, 2], [1, 2, 3]]), None);
}
