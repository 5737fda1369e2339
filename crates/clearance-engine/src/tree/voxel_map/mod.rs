//! Voxel maps (occupancy grids) that change while queries run.
//!
//! A cell is [`Obstacle`](Cell::Obstacle), [`Unknown`](Cell::Unknown) or [`Free`](Cell::Free), with
//! probabilities behind it where a sensor measured it. Cells stand under a sparse hierarchy in
//! which each block bounds 4×4×4 smaller ones. Untouched cells are the map's *background* and take
//! no memory.
//!
//! Source: the dynamic voxel map of `hetero` (Himmelstein et al., section V), whose bounding voxels
//! appear and vanish with their contents; masks of 64 bits after Museth's VDB ("VDB:
//! High-resolution sparse volumes with dynamic topology", 2013).
//!
//! Invariant: the hierarchy depends on the cells alone, not on their history (`edit.rs` says how,
//! [`VoxelTree::check`] checks it). So a query may follow every change at once, and the map never
//! rebuilds its hierarchy.
//!
//! ```text
//! VoxelMap       changes: set, fill, rasterise, rays, depth images        VoxelSnapshot   the same cells, for other threads
//!    └── VoxelTree   read access to both: cells, probabilities             ──┘
//!           └── VoxelView   chosen cells (obstacles, unknown ones, both) as a tree of boxes with eight children
//!                  └── VoxelCells   a snapshot's view as a geometry: works with meshes, primitives and primitive BVHs
//! ```
//!
//! Cost: 32 bytes for a brick of 64 cells that differ, nothing for a uniform block. Measurements
//! take 264 bytes more for a brick, or for a fork with blocks of which all cells have one
//! measurement; `docs/performance.md` has times.

mod cell;
mod cover;
mod depth_image;
mod edit;
mod evidence;
mod geometry;
mod grid;
mod leaves;
mod map;
mod node;
mod order;
mod paged;
mod raster;
mod raster_mesh;
mod ray;
mod scan;
mod store;
mod table;
mod view;

pub use cell::{Cell, Cells, Probabilities, Thresholds};
pub use depth_image::DepthCamera;
pub use evidence::SensorModel;
pub use geometry::VoxelCells;
pub use grid::{Grid, VoxelBox};
pub use map::{VoxelMap, VoxelOptions, VoxelSnapshot};
pub use raster::Filling;
pub use scan::ScanReport;
pub use store::VoxelTree;
pub use view::{VoxelChildren, VoxelLeaf, VoxelView};
