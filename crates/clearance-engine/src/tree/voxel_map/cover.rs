//! Spheres drawn generously, geometries of any kind as cells, and the surface of cells as a mesh.

use super::cell::{Cell, Cells};
use super::geometry::VoxelCells;
use super::map::VoxelMap;
use super::raster::Filling;
use super::store::VoxelTree;
use crate::math::{DVec3, IVec3, UNIT_ROUNDOFF};
use crate::shape::{Cuboid, Primitive};
use crate::tree::{Assembly, DistanceField, Geometry, HeightField, PointCloud, PrimitiveBvhNodes, Solid};
use crate::volume::BoundingSphere;
use crate::{Error, ErrorKind, Pose, Readable, Result, TriMesh};
use std::any::Any;
use std::collections::HashMap;

/// A sphere has at most so many cells in its radius: 70 million in all.
const MAX_CELLS_PER_RADIUS: f64 = 256.0;

/// The most cells that are listed one by one.
const MAX_CELLS: u128 = 1 << 27;

impl VoxelMap {
    /// Sets every cell that a sphere touches, and some within half a diagonal of it: cells whose middle
    /// is no farther away than that. Unlike [`rasterize`](Self::rasterize) it looks at middles alone.
    ///
    /// ```
    /// use clearance_engine::{math::DVec3, tree::voxel_map::{Cell, Cells, VoxelMap}, volume::BoundingSphere};
    /// let mut map = VoxelMap::new(0.1)?;
    /// map.cover(&BoundingSphere { center: DVec3::splat(0.05), radius: 0.25 }, Cell::Obstacle)?;
    /// assert_eq!(map.cell_at(DVec3::new(0.29, 0.05, 0.05))?, Cell::Obstacle);
    /// assert_eq!(map.cell_at(DVec3::splat(0.45))?, Cell::Free);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn cover(&mut self, sphere: &BoundingSphere, cell: Cell) -> Result<()> {
        let grid = *self.grid();
        let resolution = grid.resolution();
        if !(0.0..=MAX_CELLS_PER_RADIUS * resolution).contains(&sphere.radius) {
            let message = format!(
                "cells of {} are too small for a sphere of radius {}",
                Readable(resolution),
                Readable(sphere.radius)
            );
            return Err(Error::new(ErrorKind::OutOfRange, message));
        }
        // A few roundings of all coordinates on top.
        let size = sphere.center.abs().max_element() + sphere.radius + resolution + grid.origin().abs().max_element();
        let radius = sphere.radius + 0.5 * 3.0_f64.sqrt() * resolution + 64.0 * UNIT_ROUNDOFF * size;
        let (low, high) = (grid.cell_at(sphere.center - radius)?, grid.cell_at(sphere.center + radius)?);
        let (low, high) = (low.saturating_sub(IVec3::ONE), high.saturating_add(IVec3::ONE));
        let rows = (low.z..=high.z).flat_map(|z| (low.y..=high.y).map(move |y| (y, z)));
        let cells = rows.flat_map(|(y, z)| (low.x..=high.x).map(move |x| IVec3::new(x, y, z)));
        let touched = cells.filter(|&cell| grid.center(cell).distance_squared(sphere.center) <= radius * radius);
        self.set_all(touched.map(|at| (at, cell)))
    }

    /// Sets every cell that a geometry of any kind touches, and that is inside of a solid one;
    /// `map_from_geometry` places it. An error for geometries without an end, and for those of users.
    ///
    /// ```
    /// use clearance_engine::{Pose, shape::Sphere, tree::{IntoGeometry, voxel_map::{Cell, Cells, VoxelMap}}};
    /// let mut map = VoxelMap::new(0.1)?;
    /// let ball = Sphere::new(0.3)?.into_geometry();
    /// map.rasterize_geometry(&*ball, &Pose::IDENTITY, Cell::Obstacle)?;
    /// assert!(map.view(Cells::OBSTACLE)?.count() > 100);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn rasterize_geometry(&mut self, geometry: &dyn Geometry, map_from_geometry: &Pose, cell: Cell) -> Result<()> {
        let any: &dyn Any = geometry;
        if let Some(mesh) = geometry.mesh() {
            let filling = if mesh.is_solid { Filling::Solid } else { Filling::Surface };
            return self.rasterize_mesh(mesh.tri_mesh, map_from_geometry, filling, cell);
        }
        if let Some(solid) = any.downcast_ref::<Solid>() {
            return self.rasterize(solid.shape(), map_from_geometry, cell);
        }
        if let Some(cloud) = any.downcast_ref::<PointCloud>() {
            let numbers = 0..cloud.points().len() as u32;
            return self.rasterize_all(numbers.filter_map(|number| cloud.solid(number)), map_from_geometry, cell);
        }
        if let Some(cells) = any.downcast_ref::<VoxelCells>() {
            let grid = *cells.snapshot().grid();
            let boxes = cells.snapshot().view(cells.cells())?.leaves().map(|leaf| {
                let last = leaf.low.as_i64vec3() + i64::from(leaf.side);
                let space = grid.enclosing(leaf.low.as_i64vec3().to_array(), last.to_array());
                Cuboid::about(space.center, space.half).into()
            });
            return self.rasterize_all(boxes, map_from_geometry, cell);
        }
        if let Some(field) = any.downcast_ref::<HeightField>() {
            let filling = if field.is_solid() { Filling::Solid } else { Filling::Surface };
            return self.rasterize_mesh(&closed_surface(field)?, map_from_geometry, filling, cell);
        }
        if let Some(field) = any.downcast_ref::<DistanceField>() {
            let cubes =
                field.field().solid_cells().map(|(center, half)| Cuboid::about(center, DVec3::splat(half)).into());
            return self.rasterize_all(cubes, map_from_geometry, cell);
        }
        if let Some(assembly) = any.downcast_ref::<Assembly>() {
            return assembly.parts().try_for_each(|part| {
                let (geometry, pose) = (assembly.geometry(part.number()), assembly.pose(part.number()));
                self.rasterize_geometry(&**geometry, &map_from_geometry.then(pose), cell)
            });
        }
        let message = format!("a {} cannot be drawn into a voxel map", geometry.kind());
        Err(Error::new(ErrorKind::Unsupported, message))
    }

    fn rasterize_all(&mut self, mut solids: impl Iterator<Item = Primitive>, pose: &Pose, cell: Cell) -> Result<()> {
        solids.try_for_each(|solid| self.rasterize(&solid, pose, cell))
    }
}

/// The triangles of a height field; of a solid one with walls and a ground that share vertices.
fn closed_surface(field: &HeightField) -> Result<TriMesh> {
    let (columns, rows) = field.size();
    let [step_x, step_y] = field.spacing();
    let number = |column: usize, row: usize| (row * columns + column) as u32;
    let place =
        |at: usize, height: f64| DVec3::new((at % columns) as f64 * step_x, (at / columns) as f64 * step_y, height);
    let mut vertices: Vec<DVec3> = field.heights().iter().enumerate().map(|(at, height)| place(at, *height)).collect();
    let mut faces = Vec::new();
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            let [p, q] = [number(column, row), number(column + 1, row)];
            let [r, s] = [number(column + 1, row + 1), number(column, row + 1)];
            faces.extend([[p, q, r], [p, r, s]]);
        }
    }
    if let Some(base) = field.base() {
        let down = (columns * rows) as u32;
        vertices.extend((0..columns * rows).map(|at| place(at, base)));
        let ground: Vec<_> = faces.iter().map(|&[p, q, r]: &[u32; 3]| [p + down, r + down, q + down]).collect();
        faces.extend(ground);
        // Along the border the surface is on the left.
        let across = (0..columns - 1).flat_map(|column| {
            let [last, next] = [rows - 1, column + 1];
            [[number(column, 0), number(next, 0)], [number(next, last), number(column, last)]]
        });
        let along = (0..rows - 1).flat_map(|row| {
            let [last, next] = [columns - 1, row + 1];
            [[number(0, next), number(0, row)], [number(last, row), number(last, next)]]
        });
        for [from, to] in across.chain(along) {
            faces.extend([[to, from, from + down], [to, from + down, to + down]]);
        }
    }
    TriMesh::new(vertices, faces)
}

impl VoxelTree {
    /// The surface of the chosen cells as a mesh of squares, two triangles each, that look outward. It
    /// is closed; an error if the background is chosen, or if there are no such cells.
    ///
    /// ```
    /// use clearance_engine::{math::IVec3, tree::{Mesh, voxel_map::{Cell, Cells, VoxelMap}}};
    /// let mut map = VoxelMap::new(0.5)?;
    /// map.fill(IVec3::ZERO, IVec3::new(1, 0, 0), Cell::Obstacle)?;
    /// let mesh = map.surface(Cells::OBSTACLE)?;
    /// assert_eq!((mesh.len(), mesh.vertices().len()), (20, 12));
    /// let solid: Mesh = Mesh::new(mesh)?.into_solid()?;
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn surface(&self, cells: Cells) -> Result<TriMesh> {
        let mut numbers: HashMap<[i64; 3], u32> = HashMap::new();
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        self.each_cell(cells, |cell, outer| {
            for (side, _) in outer.into_iter().enumerate().filter(|(_, is_outer)| *is_outer) {
                let (axis, up) = (side / 2, side % 2);
                let square = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[u, v]| {
                    let mut at = cell.as_i64vec3().to_array();
                    at[axis] += up as i64;
                    at[(axis + 1) % 3] += u;
                    at[(axis + 2) % 3] += v;
                    *numbers.entry(at).or_insert_with(|| {
                        vertices.push(self.grid().low_end(at));
                        vertices.len() as u32 - 1
                    })
                });
                let [a, b, c, d] = square;
                triangles.extend(if up == 1 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
            }
        })?;
        if triangles.is_empty() {
            return Err(Error::new(ErrorKind::Empty, "the voxel map has no such cells"));
        }
        TriMesh::new(vertices, triangles)
    }

    /// Calls a function with every chosen cell, and whether its neighbours along -x, x, -y, y, -z, z are
    /// others. An error if there are too many.
    pub(crate) fn each_cell(&self, cells: Cells, mut of: impl FnMut(IVec3, [bool; 6])) -> Result<()> {
        let count = self.view(cells)?.count();
        if count > MAX_CELLS {
            let message = format!("{count} cells are too many to be listed one by one: at most {MAX_CELLS}");
            return Err(Error::new(ErrorKind::OutOfRange, message));
        }
        for leaf in self.view(cells)?.leaves() {
            let last = leaf.low.as_i64vec3() + i64::from(leaf.side) - 1;
            let is_outer = |at: [i64; 3], axis: usize, up: bool| {
                let mut next = at;
                next[axis] += if up { 1 } else { -1 };
                let inside = next[axis] >= i64::from(leaf.low[axis]) && next[axis] <= last[axis];
                let [x, y, z] = next.map(i32::try_from);
                match (inside, x, y, z) {
                    (true, ..) => false,
                    (_, Ok(x), Ok(y), Ok(z)) => !cells.contains(self.cell(IVec3::new(x, y, z))),
                    _ => true,
                }
            };
            for x in i64::from(leaf.low.x)..=last.x {
                for y in i64::from(leaf.low.y)..=last.y {
                    for z in i64::from(leaf.low.z)..=last.z {
                        let at = [x, y, z];
                        let sides = [0, 1, 2, 3, 4, 5].map(|side| is_outer(at, side / 2, side % 2 == 1));
                        of(IVec3::from_array(at.map(|index| index as i32)), sides);
                    }
                }
            }
        }
        Ok(())
    }
}
