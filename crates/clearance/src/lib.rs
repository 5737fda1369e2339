//! Certified proximity queries for robots: do these collide, how far apart are they, how deep,
//! where, and until when?
//!
//! For motion planners, trajectory optimisers, controllers, simulators and grasp tools, and for
//! whoever has meshes to compare. Nothing is simulated here.
//!
//! # Start here
//!
//! A [`Pair`] answers questions about two geometries, a [`Checker`] about a robot in its [`Scene`].
//! Both own their scratch memory and warm starts; clone one for each thread.
//!
//! ```no_run
//! use clearance::prelude::*;
//! # fn main() -> clearance::Result<()> {
//! let (a, b) = (Mesh::load("gripper.stl")?, Mesh::load("part.obj")?);
//! let d = Pair::new(&a, &b)?.distance(Pose::from_xyz(0.2, 0.0, 0.1)?);
//! println!("between {} and {} m, at {:?}", d.lower, d.upper, d.witness);
//! # Ok(())
//! # }
//! ```
//!
//! ```no_run
//! use clearance::prelude::*;
//! # fn main() -> clearance::Result<()> {
//! let mut checker = Checker::new(Robot::load("panda.urdf")?.with_srdf("panda.srdf")?)?;
//! checker.scene_mut().add("table", Cuboid::new(1.2, 0.8, 0.05)?, Pose::from_xyz(0.6, 0.0, 0.4)?)?;
//! if let Some(hit) = checker.collision(&[0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.8, 0.02])? {
//!     println!("{} touches {}", hit.a, hit.b);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # What answers mean
//!
//! A distance is an interval: `lower ≤ distance ≤ upper`, certified against rounding, with witness
//! points that realise `upper`. Overlap is decided by exact predicates. A motion that is called
//! free is proven free at every time, not sampled. Poses are named `a_from_b`: they map coordinates
//! of frame B to frame A.
//!
//! # Where things are
//!
//! * Geometries: [`Mesh`], [`Sphere`], [`Capsule`], [`Cuboid`], [`Cylinder`], [`Cone`],
//!   [`Ellipsoid`], [`ConvexPolyhedron`], [`HalfSpace`], [`Plane`], [`HeightField`],
//!   [`PointCloud`], [`VoxelMap`].
//! * Two geometries: [`Pair`] with [`Distance`], [`Contacts`], [`Penetration`], [`SignedDistance`],
//!   [`TimeOfImpact`].
//! * Rays and points at one geometry: [`Ray`], [`Mesh::ray`], [`Mesh::signed_distance`].
//! * Robots: [`Robot`], [`Scene`], [`Checker`] with [`Hit`], [`RobotDistance`], [`NearPair`],
//!   [`Edge`].
//! * Many moving bodies: [`World`].
//! * Geometries and pair tests of your own: [`Geometry`], [`Dispatcher`].
//!
//! The crates below stay reachable for those who extend or compare, or who need an option that few
//! programs name: [`engine`], [`io`], [`robot`], [`scene`], [`viewer`].
//!
//! # Features
//!
//! All are on by default.
//!
//! | feature | what |
//! | --- | --- |
//! | `files` | mesh, point cloud and OctoMap files |
//! | `robots` | robots (URDF, SRDF), scenes and their files, checkers |
//! | `pictures` | pictures as PNG, the built-in humanoid and kitchen |
//! | `viewer` | recordings as animated glTF and as a page for the browser |
//! | `parallel` | batches, proofs and builds on several threads |

mod error;
mod mesh;

pub use error::{Error, ErrorKind, Result};
pub use mesh::{BoundingVolume, Mesh, MeshOptions};

pub use clearance_engine::Pose;
pub use clearance_engine::convex::{Penetration, PenetrationRequest};
pub use clearance_engine::dispatch::{Dispatcher, Pair, Threads};
pub use clearance_engine::math::{DQuat as Quat, DVec3 as Vec3};
pub use clearance_engine::motion::{Motion, TimeOfImpact};
pub use clearance_engine::penetration::SignedDistance;
pub use clearance_engine::query::{Contacts, ContactsRequest, Distance, DistanceRequest, Status};
pub use clearance_engine::shape::{
    Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Ellipsoid, HalfSpace, Plane, Ray, Sphere,
};
pub use clearance_engine::tree::voxel_map::{Cell, DepthCamera, VoxelMap};
pub use clearance_engine::tree::{Geometry, HeightField, IntoGeometry, PointCloud};
pub use clearance_engine::world::World;

#[cfg(feature = "robots")]
pub use clearance_robot::{
    CheckOptions, Checker, Edge, Hit, JointSpec, LinkGeometry, LinkShape, MotionRequest, NearPair, Robot, RobotBuilder,
    RobotDistance, Scene, UrdfOptions,
};

pub use clearance_engine as engine;
#[cfg(feature = "files")]
pub use clearance_io as io;
#[cfg(feature = "robots")]
pub use clearance_robot as robot;
#[cfg(feature = "pictures")]
pub use clearance_scene as scene;
#[cfg(feature = "viewer")]
pub use clearance_view as viewer;

/// Everything that most programs name: `use clearance::prelude::*;`.
///
/// [`Result`] and the names of the crates below are left out, so that nothing hides what a program
/// has already.
pub mod prelude {
    pub use crate::{
        BoundingVolume, Capsule, Cell, Cone, Contacts, ConvexPolyhedron, Cuboid, Cylinder, DepthCamera, Dispatcher,
        Distance, DistanceRequest, Ellipsoid, Error, ErrorKind, Geometry, HalfSpace, HeightField, IntoGeometry, Mesh,
        MeshOptions, Motion, Pair, Plane, PointCloud, Pose, Quat, Ray, Sphere, Threads, TimeOfImpact, Vec3, VoxelMap,
        World,
    };
    #[cfg(feature = "robots")]
    pub use crate::{
        CheckOptions, Checker, Edge, Hit, JointSpec, LinkGeometry, LinkShape, NearPair, Robot, RobotBuilder,
        RobotDistance, Scene,
    };
}

/// Compiles and runs the code of the guide and of the README.
#[cfg(all(doctest, feature = "viewer"))]
mod guide {
    macro_rules! chapters {
        ($($name:ident: $file:literal,)*) => {$(
            #[doc = include_str!($file)]
            mod $name {}
        )*};
    }
    chapters! {
        readme: "../../../README.md",
        start_here: "../../../docs/guide/src/start-here.md",
        concepts: "../../../docs/guide/src/concepts.md",
        meshes: "../../../docs/guide/src/meshes.md",
        robots: "../../../docs/guide/src/robots.md",
        scenes: "../../../docs/guide/src/scenes.md",
        motions: "../../../docs/guide/src/motions.md",
        voxel_maps: "../../../docs/guide/src/voxel-maps.md",
        worlds: "../../../docs/guide/src/worlds.md",
        extending: "../../../docs/guide/src/extending.md",
        viewer: "../../../docs/guide/src/viewer.md",
    }
}
