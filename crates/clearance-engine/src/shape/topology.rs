//! The topology of a mesh: whether it is closed, and one point of each connected component.

use crate::math::DVec3;
use crate::{Error, ErrorKind, Readable, Result, TriMesh};
use std::collections::HashMap;

/// Checks that `mesh` is closed (watertight): every directed edge has its opposite. Vertices at the
/// same place count as one. The error names an open edge.
pub fn check_closed(mesh: &TriMesh) -> Result<()> {
    let vertices = welded(mesh);
    let vertex = |id: u32| vertices[id as usize];
    let mut balance: HashMap<(u32, u32), i64> = HashMap::with_capacity(mesh.len() * 2);
    for triangle in mesh.triangles() {
        for k in 0..3 {
            let (from, to) = (vertex(triangle[k]), vertex(triangle[(k + 1) % 3]));
            if from != to {
                *balance.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
            }
        }
    }
    // The smallest open edge, so that the message does not depend on the hash order.
    let open = balance.iter().filter(|(_, balance)| **balance != 0).min_by_key(|(edge, _)| **edge);
    let Some(((from, to), _)) = open else { return Ok(()) };
    let [a, b] = [from, to].map(|&id| mesh.vertices()[id as usize]);
    let message =
        format!("the mesh is not closed: the edge of vertices {from} {} and {to} {} is open", Readable(a), Readable(b));
    Err(Error::new(ErrorKind::NotClosed, message))
}

/// Returns one vertex of each connected component of `mesh`, in the order of their first triangles.
pub fn component_points(mesh: &TriMesh) -> Vec<DVec3> {
    let mut points = Vec::new();
    let mut taken = vec![false; mesh.vertices().len()];
    for component in components(mesh) {
        if !std::mem::replace(&mut taken[component as usize], true) {
            points.push(mesh.vertices()[component as usize]);
        }
    }
    points
}

/// Returns a vertex for each triangle, the same one for all triangles of a connected component.
pub(crate) fn components(mesh: &TriMesh) -> Vec<u32> {
    let vertices = welded(mesh);
    let mut parent: Vec<u32> = (0..vertices.len() as u32).collect();
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|id| find(&mut parent, vertices[id as usize]));
        let least = a.min(b).min(c);
        for i in [a, b, c] {
            let root = find(&mut parent, i);
            parent[root as usize] = least;
        }
    }
    mesh.triangles().iter().map(|triangle| find(&mut parent, vertices[triangle[0] as usize])).collect()
}

/// The representative of a number in a union-find structure.
fn find(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        parent[i as usize] = parent[parent[i as usize] as usize];
        i = parent[i as usize];
    }
    i
}

/// Whether all triangles form one surface, connected by edges of two triangles each.
pub(crate) fn is_one_surface(mesh: &TriMesh) -> bool {
    let vertices = welded(mesh);
    let mut parent: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
    let mut edges: HashMap<(u32, u32), (u32, u32)> = HashMap::new();
    for (number, triangle) in (0..).zip(mesh.triangles()) {
        let points = triangle.map(|id| vertices[id as usize]);
        for k in 0..3 {
            let (from, to) = (points[k], points[(k + 1) % 3]);
            let (first, count) = edges.entry((from.min(to), from.max(to))).or_insert((number, 0));
            *count += 1;
            let (one, other) = (find(&mut parent, *first), find(&mut parent, number));
            parent[one.max(other) as usize] = one.min(other);
        }
    }
    edges.values().all(|&(_, count)| count == 2) && (0..parent.len() as u32).all(|i| find(&mut parent, i) == 0)
}

/// The neighbours of each triangle across its edges, for edges that exactly two triangles have.
/// Vertices at the same place count as one.
pub(crate) fn edge_neighbors(mesh: &TriMesh) -> Vec<[Option<u32>; 3]> {
    let vertices = welded(mesh);
    let mut edges: Vec<(u32, u32, u32, u8)> = Vec::with_capacity(3 * mesh.len());
    for (number, triangle) in (0..).zip(mesh.triangles()) {
        let points = triangle.map(|id| vertices[id as usize]);
        for k in 0..3 {
            let (from, to) = (points[k], points[(k + 1) % 3]);
            edges.push((from.min(to), from.max(to), number, k as u8));
        }
    }
    edges.sort_unstable();
    let mut neighbors = vec![[None; 3]; mesh.len()];
    for edge in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        if let [(_, _, a, i), (_, _, b, j)] = *edge {
            neighbors[a as usize][i as usize] = Some(b);
            neighbors[b as usize][j as usize] = Some(a);
        }
    }
    neighbors
}

/// Vertex → the first vertex at the same place.
pub(crate) fn welded(mesh: &TriMesh) -> Vec<u32> {
    let mut first = HashMap::with_capacity(mesh.vertices().len());
    // Adding 0.0 makes -0.0 and 0.0 one place.
    let place = |v: &DVec3| v.to_array().map(|x| (x + 0.0).to_bits());
    mesh.vertices().iter().enumerate().map(|(i, v)| *first.entry(place(v)).or_insert(i as u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron(offset: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let at = |x, y, z| DVec3::new(x + offset, y, z);
        let vertices = vec![at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), at(0.0, 1.0, 0.0), at(0.0, 0.0, 1.0)];
        (vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    }

    #[test]
    fn a_tetrahedron_is_closed_and_one_without_a_face_names_the_open_edge() {
        let (vertices, triangles) = tetrahedron(0.0);
        let closed = TriMesh::new(vertices.clone(), triangles.clone()).unwrap();
        assert!(check_closed(&closed).is_ok());
        assert_eq!(component_points(&closed).len(), 1);
        let open = TriMesh::new(vertices, triangles[..3].to_vec()).unwrap();
        let error = check_closed(&open).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotClosed);
        assert!(error.to_string().contains("edge of vertices 0"), "{error}");
    }

    #[test]
    fn vertices_at_one_place_count_as_one_and_each_component_has_a_point() {
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for offset in [0.0, 5.0] {
            let (points, faces) = tetrahedron(offset);
            for face in faces {
                triangles.push([0, 1, 2].map(|k| vertices.len() as u32 + k));
                vertices.extend(face.map(|i| points[i as usize]));
            }
        }
        let mesh = TriMesh::new(vertices, triangles).unwrap();
        assert!(check_closed(&mesh).is_ok());
        assert_eq!(component_points(&mesh), [DVec3::ZERO, DVec3::new(5.0, 0.0, 0.0)]);
    }

    #[test]
    fn what_hangs_together_by_a_vertex_or_an_edge_of_four_triangles_is_not_one_surface() {
        let (vertices, faces) = tetrahedron(0.0);
        let mesh = |mirrored: DVec3| {
            let mut vertices = vertices.clone();
            let mut faces = faces.clone();
            let shared = vertices.len() as u32;
            vertices.extend(vertices.clone().into_iter().map(|vertex| vertex * mirrored));
            faces.extend(faces.clone().into_iter().map(|face| face.map(|i| i + shared)));
            TriMesh::new(vertices, faces).unwrap()
        };
        assert!(is_one_surface(&TriMesh::new(vertices.clone(), faces.clone()).unwrap()));
        let (at_a_vertex, at_an_edge) = (mesh(-DVec3::ONE), mesh(DVec3::new(1.0, -1.0, -1.0)));
        assert_eq!((component_points(&at_a_vertex).len(), component_points(&at_an_edge).len()), (1, 1));
        assert!(!is_one_surface(&at_a_vertex) && !is_one_surface(&at_an_edge));
        assert!(!is_one_surface(&TriMesh::new(vertices.clone(), faces[..3].to_vec()).unwrap()));
    }

    #[test]
    fn a_face_turned_inside_out_is_refused() {
        let (vertices, mut triangles) = tetrahedron(0.0);
        triangles[2].swap(0, 1);
        assert!(check_closed(&TriMesh::new(vertices, triangles).unwrap()).is_err());
    }
}
