//! Whether surfaces stay closed, whatever grows out of them.

use super::*;
use crate::math::lanes::with_baseline;
use crate::random::Random;

/// Every edge has two triangles that know each other, and vertices, edges and faces are those of
/// one sphere.
fn assert_closed(surface: &Surface) {
    let faces = surface.faces();
    let mut vertices: Vec<u16> = faces.iter().flat_map(|face| face.vertices).collect();
    vertices.sort_unstable();
    vertices.dedup();
    assert_eq!(faces.len(), 2 * vertices.len() - 4);
    for (i, face) in faces.iter().enumerate() {
        for k in 0..3 {
            let (from, to) = (face.vertices[k], face.vertices[(k + 1) % 3]);
            let beyond = &faces[usize::from(face.across[k])];
            let back = (0..3).find(|&j| (beyond.vertices[j], beyond.vertices[(j + 1) % 3]) == (to, from));
            assert_eq!(back.map(|j| usize::from(beyond.across[j])), Some(i), "{faces:?}");
        }
    }
    for (i, planes) in surface.planes.iter().enumerate() {
        for lane in 0..LANES {
            assert_eq!(planes.heights[lane].is_finite(), i * LANES + lane < faces.len());
        }
    }
}

fn tetrahedron() -> Surface {
    let mut surface = Surface::empty(32.0);
    let vertices = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    assert!(with_baseline!(simd => surface.begin(simd, vertices.map(DVec3::from_array))));
    assert_closed(&surface);
    surface
}

/// Adds a vertex, if a face sees it.
fn expand(surface: &mut Surface, vertex: DVec3) -> bool {
    let above = |&face: &usize| surface.normal(face).dot(vertex) - surface.height(face) > 1e-12;
    let visible = (0..surface.face_count).find(above);
    let grown = visible.is_some_and(|face| with_baseline!(simd => surface.expand(simd, vertex, 1e-12, face)));
    assert_closed(surface);
    let (nearest, height) = with_baseline!(simd => surface.nearest(simd));
    let least = (0..surface.face_count).map(|face| surface.height(face)).fold(f64::INFINITY, f64::min);
    assert_eq!([surface.height(nearest), height], [least; 2]);
    grown
}

fn direction(random: &mut Random) -> DVec3 {
    DVec3::new(random.signed(), random.signed(), random.signed()).normalize()
}

#[test]
fn vertices_that_a_new_one_hides_are_swallowed_and_the_surface_stays_closed() {
    let mut random = Random(17);
    let (mut grown, mut swallowed) = (0, 0);
    for _ in 0..200 {
        let mut surface = tetrahedron();
        // Ever farther out, so that the last vertices hide those before.
        for step in 0..30 {
            let before = surface.face_count;
            grown += usize::from(expand(&mut surface, direction(&mut random) * (1.5 + 0.3 * f64::from(step))));
            swallowed += usize::from(surface.face_count <= before);
        }
    }
    assert!(grown > 5000 && swallowed > 1000, "{grown} {swallowed}");
}

#[test]
fn of_many_faces_the_same_are_visible_and_nearest() {
    let mut random = Random(18);
    let mut surface = tetrahedron();
    for _ in 0..1000 {
        expand(&mut surface, direction(&mut random) * 4.0);
    }
    assert!(surface.face_count > 3 * MANY, "{}", surface.face_count);
    // Far vertices hide ever more of the others, until not many are left.
    let mut grown = 0;
    for step in 0..40 {
        grown += usize::from(expand(&mut surface, direction(&mut random) * (6.0 + 0.5 * f64::from(step))));
    }
    assert!(grown > 30 && surface.face_count < MANY, "{grown} {}", surface.face_count);
}
