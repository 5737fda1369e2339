//! What the tests of the scene share.

use clearance_engine::TriMesh;
use clearance_engine::tree::Mesh;
use clearance_robot::{LinkShape, Robot};
use std::sync::Arc;

/// The links that have a mesh, with their numbers.
pub fn link_meshes(robot: &Robot) -> Vec<(usize, Arc<TriMesh>)> {
    let mesh = |shape: &LinkShape| match shape {
        LinkShape::Mesh(mesh) => Arc::clone(mesh),
        other => panic!("{other:?}"),
    };
    let links = robot.links().iter().enumerate();
    links.flat_map(|(i, link)| link.geometries().iter().map(move |geometry| (i, mesh(&geometry.shape)))).collect()
}

/// The same as solids to ask about.
pub fn link_solids(robot: &Robot) -> Vec<(usize, Mesh)> {
    let solid = |mesh| Mesh::new(mesh).unwrap().into_solid().unwrap();
    link_meshes(robot).into_iter().map(|(link, mesh)| (link, solid(mesh))).collect()
}

/// Panics unless `mesh` is closed, without degenerate triangles and without one that stands there
/// twice.
pub fn assert_clean_solid(mesh: &TriMesh, name: &str) {
    clearance_engine::shape::check_closed(mesh).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!((mesh.degenerate_count(), mesh.unreferenced_count()), (0, 0), "{name}");
    let places = |i| mesh.triangle(i).0.map(|vertex| vertex.to_array().map(f64::to_bits));
    let mut vertices: Vec<_> = (0..mesh.len() as u32).map(places).collect();
    vertices.iter_mut().for_each(|vertices| vertices.sort_unstable());
    vertices.sort_unstable();
    assert!(vertices.windows(2).all(|pair| pair[0] != pair[1]), "{name}: a triangle stands there twice");
}
