//! Files for the `clearance` engine.
//!
//! [`load_mesh`] reads a mesh by its extension, [`read_mesh`] reads one from memory;
//! [`load_points`] and [`read_points`] point clouds. Text coordinates are kept as the nearest
//! `f64`, triangles keep the file's order (degenerate ones too), polygons become fans. A broken
//! file gives an [`Error`] that names the place; never a panic, and never a part of the mesh.
//!
//! ```
//! use clearance_io::{LoadOptions, MeshFormat, read_mesh};
//! let text = b"OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";
//! assert_eq!(read_mesh(text, MeshFormat::Off, &LoadOptions::default())?.len(), 2);
//! # Ok::<(), clearance_io::Error>(())
//! ```
//!
//! [`load_octomap`] reads OctoMap's `.bt` and `.ot` files, which become voxel maps
//! ([`OctoMap::to_voxel_map`]) and come from them.

mod error;
mod hierarchy;
mod mesh;
mod octomap;
mod points;
mod scan;
mod table;
mod text;

pub use error::{Error, ErrorKind, Place, Result};
pub use hierarchy::{load_hierarchy, save_hierarchy};
pub use mesh::{LoadOptions, MeshFormat, UnitPolicy, UpAxisPolicy, load_mesh, load_mesh_with, read_mesh, write_off};
pub use octomap::{Keep, OctoFormat, OctoLeaf, OctoMap, load_octomap, read_octomap, save_octomap, write_octomap};
pub use points::{PointFormat, PointOptions, Points, load_points, load_points_with, read_points, read_points_with};
pub use table::{Table, TableReader, load_table, read_table};
pub use text::{LineTable, OneLine, shortened, xml_excess};
