//! Rasterisation of meshes into a voxel map.
//!
//! `raster.rs` draws the surface triangle by triangle. A cell that no triangle touches is inside or
//! outside with all its points, and so is a block of such cells: one winding number decides
//! (exactly, `pair/shape/ray_triangle.rs`), of a ray along +x from the centre of a cell. A table
//! lists triangles by the columns of cells along x that they stand in, so that a ray tests few.

use super::cell::{Cell, Thresholds};
use super::map::VoxelMap;
use super::node::{Key, Link, Target, blocks_over, cell_of, key_of, lane_key, lane_of, same_block};
use super::raster::{Filling, draw};
use super::store::VoxelTree;
use crate::math::{DVec3, IVec3};
use crate::pair::shape::winding_number;
use crate::shape::check_closed;
use crate::{Pose, Result, TriMesh, Triangle};

impl VoxelMap {
    /// Rasterises a mesh: sets every cell that a triangle touches and, with [`Filling::Solid`],
    /// every cell inside of the closed mesh.
    ///
    /// ```
    /// use clearance_engine::{Pose, TriMesh, math::DVec3, tree::voxel_map::{Cell, Cells, Filling, VoxelMap}};
    /// let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let tetrahedron = TriMesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
    /// let mut count = |filling| {
    ///     let mut map = VoxelMap::new(0.02)?;
    ///     map.rasterize_mesh(&tetrahedron, &Pose::IDENTITY, filling, Cell::Obstacle)?;
    ///     Ok::<_, clearance_engine::Error>(map.view(Cells::OBSTACLE)?.count())
    /// };
    /// assert!(count(Filling::Surface)? < count(Filling::Solid)?);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn rasterize_mesh(&mut self, mesh: &TriMesh, map_from_mesh: &Pose, filling: Filling, cell: Cell) -> Result<()> {
        let placed = mesh.with_vertices(mesh.vertices().iter().map(|&p| map_from_mesh.transform_point(p)).collect())?;
        let (low, high) = mesh.bounding_box();
        let moved = map_from_mesh.translation().abs().max_element() + low.abs().max(high.abs()).max_element();
        if filling == Filling::Surface {
            return triangles(&placed).try_for_each(|triangle| draw(&mut self.tree, &triangle, moved, cell));
        }
        check_closed(mesh)?;
        let mut surface = VoxelTree::new(self.tree.grid, Cell::Free, Thresholds::default());
        triangles(&placed).try_for_each(|triangle| draw(&mut surface, &triangle, moved, Cell::Obstacle))?;
        let columns = Columns::new(&placed, &surface)?;
        let inside = Inside { surface: &surface, mesh: &placed, columns };
        let (low, high) = placed.bounding_box();
        let [low, high] = [surface.grid.cell_at(low)?, surface.grid.cell_at(high)?];
        blocks_over(key_of(low), key_of(high))
            .try_for_each(|(key, level)| inside.fill(&mut self.tree, key, level, cell))?;
        for (leaf, _) in surface.contents() {
            self.fill(leaf.low, leaf.low + IVec3::splat(leaf.side as i32 - 1), cell)?;
        }
        Ok(())
    }
}

fn triangles(mesh: &TriMesh) -> impl Iterator<Item = Triangle> {
    (0..mesh.len() as u32).map(|index| mesh.triangle(index))
}

/// The triangles in each column of cells along x, by the column's indices in y and z; in order.
struct Columns(Vec<([i32; 2], u32)>);

impl Columns {
    fn new(mesh: &TriMesh, surface: &VoxelTree) -> Result<Self> {
        let mut columns = Vec::new();
        for (index, triangle) in triangles(mesh).enumerate() {
            let [a, b, c] = triangle.0;
            let low = surface.grid.cell_at(a.min(b).min(c))?;
            let high = surface.grid.cell_at(a.max(b).max(c))?;
            for z in low.z..=high.z {
                columns.extend((low.y..=high.y).map(|y| ([y, z], index as u32)));
            }
        }
        columns.sort_unstable();
        Ok(Self(columns))
    }

    fn of(&self, cell: IVec3) -> impl Iterator<Item = u32> {
        let column = [cell.y, cell.z];
        let first = self.0.partition_point(|entry| entry.0 < column);
        self.0[first..].iter().take_while(move |entry| entry.0 == column).map(|entry| entry.1)
    }
}

/// The inside of a closed mesh without the cells that its surface touches.
struct Inside<'a> {
    surface: &'a VoxelTree,
    mesh: &'a TriMesh,
    columns: Columns,
}

impl Inside<'_> {
    /// Fills the inside within the block of 4^level cells at `key`.
    fn fill(&self, tree: &mut VoxelTree, key: Key, level: u32, cell: Cell) -> Result<()> {
        match self.surface.uniform_block(key, level) {
            Some(Cell::Free) if self.contains(key) => tree.fill_block(key, level, cell),
            Some(_) => Ok(()),
            None if level > 1 => {
                (0..64).try_for_each(|lane| self.fill(tree, lane_key(key, level - 1, lane), level - 1, cell))
            }
            None => {
                let untouched = |lane: &usize| self.surface.cell(cell_of(lane_key(key, 0, *lane))) == Cell::Free;
                let inside = |lane: &usize| self.contains(lane_key(key, 0, *lane));
                let mask = (0..64).filter(untouched).filter(inside).fold(0, |mask, lane| mask | 1 << lane);
                if mask == 0 { Ok(()) } else { tree.paint(key, mask, cell) }
            }
        }
    }

    /// Whether the centre of a cell is inside.
    fn contains(&self, key: Key) -> bool {
        let cell = cell_of(key);
        let middle: DVec3 = self.surface.grid.center(cell);
        winding_number(middle, self.columns.of(cell).map(|index| self.mesh.triangle(index))) != 0
    }
}

impl VoxelTree {
    /// The common cell of the block of 4^level cells (level 1 or more) that contains `key`, if the
    /// tree stores it as uniform.
    fn uniform_block(&self, key: Key, level: u32) -> Option<Cell> {
        let mut link: Link = self.root;
        loop {
            let (at, size) = match link.target() {
                Target::Uniform(cell) => return Some(cell),
                Target::Brick(number) => (self.bricks[number].key, 0),
                Target::Fork(number) => (self.forks[number].key, self.forks[number].level),
            };
            if same_block(at, key, level - 1) && size < level {
                return None;
            }
            let Target::Fork(number) = link.target() else { return Some(self.background) };
            if !same_block(at, key, size) {
                return Some(self.background);
            }
            link = self.forks[number].children[lane_of(key, size)];
        }
    }
}
