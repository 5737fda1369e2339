//! The cells of an iteration as a voxel map and as polygon triangle meshes.

use crate::Result;
use clearance_engine::TriMesh;
use clearance_engine::math::{DVec3, IVec3};
use clearance_engine::tree::voxel_map::{Cell, Cells, VoxelCells, VoxelMap, VoxelOptions};
use clearance_scene::explore::{Cell3, Iteration};
use std::collections::HashMap;

/// Where cells lie: their edge and the lower vertex of cell (0, 0, 0).
#[derive(Debug, Clone, Copy)]
pub(super) struct Lattice {
    pub(super) edge: f64,
    pub(super) origin: DVec3,
}

fn cells_of(iteration: &Iteration) -> impl Iterator<Item = (IVec3, Cell)> + '_ {
    let of = |cells: &'_ [Cell3], kind: Cell| {
        cells.iter().map(move |&cell| (IVec3::from_array(cell), kind)).collect::<Vec<_>>()
    };
    of(&iteration.obstacles, Cell::Obstacle).into_iter().chain(of(&iteration.unknown, Cell::Unknown))
}

/// A map with the cells of an iteration.
pub(super) fn map_of(lattice: &Lattice, iteration: &Iteration) -> Result<VoxelMap> {
    let options = VoxelOptions { origin: lattice.origin, ..VoxelOptions::new(lattice.edge) };
    let mut map = VoxelMap::with_options(&options)?;
    map.set_all(cells_of(iteration))?;
    Ok(map)
}

/// What is different from one iteration to the next.
pub(super) fn changes(before: &Iteration, after: &Iteration) -> Vec<(IVec3, Cell)> {
    let old: HashMap<IVec3, Cell> = cells_of(before).collect();
    let new: HashMap<IVec3, Cell> = cells_of(after).collect();
    let gone = cells_of(before).filter(|(at, _)| !new.contains_key(at)).map(|(at, _)| (at, Cell::Free));
    let changed = cells_of(after).filter(|(at, cell)| old.get(at) != Some(cell));
    gone.chain(changed).collect()
}

/// Both grids of a map, obstacles first, ready to be asked; none where there are no such cells.
pub(super) fn grids(map: &mut VoxelMap) -> Result<[Option<VoxelCells>; 2]> {
    let snapshot = map.snapshot();
    let grid = |cells: Cells| match snapshot.geometry(cells) {
        Ok(geometry) => Ok(Some(geometry)),
        Err(error) if error.kind() == clearance_engine::ErrorKind::Empty => Ok(None),
        Err(error) => Err(error),
    };
    Ok([grid(Cells::OBSTACLE)?, grid(Cells::UNKNOWN)?])
}

/// Twelve triangles for each cell; no mesh without cells.
pub(super) fn tri_mesh(lattice: &Lattice, cells: &[Cell3]) -> Result<Option<TriMesh>> {
    const FACES: [[u32; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    if cells.is_empty() {
        return Ok(None);
    }
    let mut vertices = Vec::with_capacity(8 * cells.len());
    let mut triangles = Vec::with_capacity(12 * cells.len());
    for cell in cells {
        let first = vertices.len() as u32;
        let vertex = |k: i32| {
            lattice.origin + DVec3::from_array([0, 1, 2].map(|i| f64::from(cell[i] + (k >> i & 1)))) * lattice.edge
        };
        vertices.extend((0..8).map(vertex));
        triangles.extend(FACES.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).map(|t| t.map(|v| v + first)));
    }
    Ok(Some(TriMesh::new(vertices, triangles)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_engine::tree::Mesh;

    #[test]
    fn the_tri_mesh_of_cells_is_their_closed_surface() {
        let lattice = Lattice { edge: 0.5, origin: DVec3::ONE };
        let tri_mesh = tri_mesh(&lattice, &[[0, 0, 0], [2, 0, -1]]).unwrap().unwrap();
        assert_eq!((tri_mesh.len(), tri_mesh.vertices().len()), (24, 16));
        assert_eq!(tri_mesh.bounding_box(), (DVec3::new(1.0, 1.0, 0.5), DVec3::new(2.5, 1.5, 1.5)));
        let mesh: Mesh = Mesh::new(tri_mesh).unwrap().into_solid().unwrap();
        assert!(mesh.is_solid());
    }
}
