//! The Python package `clearance`: classes over the facade crate.
//!
//! * `arrays`: NumPy arrays and what becomes one, poses, configurations
//! * `run`: long calls that let the interpreter go on, batches, locks, panics
//! * `errors`: the engine's errors as Python's
//! * `geometry`, `mesh`, `shapes`, `voxels`: what queries are about; `sensing`: rays and points
//! * `motion`: how a body moves
//! * `pictures`, `viewer`: what is drawn and shown
//! * `pair`, `scene`, `robot`, `checker`, `world`: what users hold
//!
//! Everything that is not called often is Python: `clearance/*.py`.

mod arrays;
mod checker;
mod errors;
mod geometry;
mod mesh;
mod motion;
mod pair;
mod pictures;
mod results;
mod robot;
mod run;
mod scene;
mod sensing;
mod shapes;
mod viewer;
mod voxels;
mod world;

use pyo3::prelude::*;

/// The compiled part of the package `clearance`.
#[pymodule]
mod _clearance {
    #[pymodule_export]
    use crate::checker::Checker;
    #[pymodule_export]
    use crate::geometry::{Compound, Geometry};
    #[pymodule_export]
    use crate::mesh::Mesh;
    #[pymodule_export]
    use crate::motion::Motion;
    #[pymodule_export]
    use crate::pair::Pair;
    #[pymodule_export]
    use crate::pictures::draw;
    #[pymodule_export]
    use crate::results::{Distance, Hit};
    #[pymodule_export]
    use crate::robot::{Robot, built_in_humanoid};
    #[pymodule_export]
    use crate::scene::{Scene, built_in_kitchen};
    #[pymodule_export]
    use crate::shapes::{
        Box, Capsule, Cone, Convex, Cylinder, Ellipsoid, HalfSpace, HeightField, Plane, PointCloud, Sphere,
    };
    #[pymodule_export]
    use crate::viewer::{LiveViewer, page, recording};
    #[pymodule_export]
    use crate::voxels::VoxelMap;
    #[pymodule_export]
    use crate::world::World;
}
