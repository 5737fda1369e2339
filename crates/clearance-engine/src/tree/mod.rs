//! Hierarchies, and what the engine asks of one.
//!
//! A tree is seen through *proxies*: node numbers. How it stores itself is its own business, so
//! that one can be made on the fly over a user's data.

mod agglomerative;
mod assembly;
mod build;
mod bvh;
mod bvh8;
mod half_space;
mod height_field;
mod hierarchy;
mod into_geometry;
mod median_split;
mod mesh;
mod moment_split;
mod morton;
mod nested;
mod point_cloud;
mod primitive;
mod primitive_bvh;
mod saved;
mod sphere_tree;
mod subdivision;
mod validate;
pub mod voxel_map;

pub use assembly::{Assembly, AssemblyBuilder, PartId};
pub(crate) use assembly::{Bounds, placing_error};
pub use build::{BuildOptions, Quality};
pub use bvh::Bvh;
pub use bvh8::Bvh8Tree;
pub use half_space::HalfSpaceGeometry;
pub use height_field::HeightField;
pub use hierarchy::{Bvh8, BvhKind, Hierarchy, Saved};
pub use into_geometry::IntoGeometry;
pub use mesh::Mesh;
pub use nested::{InnerKind, NestedOptions, NestedTree};
pub use point_cloud::PointCloud;
pub use primitive::Solid;
pub use primitive_bvh::{PrimitiveBvh, PrimitiveBvhNodes, QueryRegion};
pub use sphere_tree::{Combine, Direction, SphereLevel, SphereTree, SphereTreeOptions};

use crate::Triangle;
use crate::math::{DVec3, Frame, UNIT_ROUNDOFF};
use crate::pair::shape::Shape;
use crate::volume::{BoundingSphere, Volume};
use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};

/// A node of a tree: an index, a packed key, whatever the tree makes of it.
pub type Node = u32;

/// The most children that one node may have.
pub const MAX_CHILDREN: usize = 8;

/// What the traversal needs to know of a hierarchy.
pub trait Tree {
    /// The node that contains everything.
    fn root(&self) -> Node;

    /// Whether `node` has shapes instead of children.
    fn is_leaf(&self, node: Node) -> bool;

    /// Child number `lane` of an inner node.
    fn child(&self, node: Node, lane: usize) -> Node;

    /// The children of an inner node by lane, for several of them; trees that look something up
    /// override it.
    #[inline(always)]
    fn children(&self, node: Node) -> impl Fn(usize) -> Node
    where
        Self: Sized,
    {
        move |lane| self.child(node, lane)
    }

    /// The size of a node in the geometry's own unit; of a pair the larger side is opened.
    fn size(&self, node: Node) -> f32;
}

/// Makes a type a tree of one leaf.
macro_rules! one_leaf {
    ($whole:ty) => {
        impl Tree for $whole {
            fn root(&self) -> Node {
                0
            }

            #[inline(always)]
            fn is_leaf(&self, _node: Node) -> bool {
                true
            }

            fn child(&self, node: Node, _lane: usize) -> Node {
                node
            }

            fn size(&self, _node: Node) -> f32 {
                0.0
            }
        }
    };
}
pub(crate) use one_leaf;

/// A tree of one kind of volume over one kind of shape: all that a distance, collision or contact
/// query needs.
pub trait VolumeTree: Tree {
    /// What bounds a node.
    type Volume: Volume;
    /// What a leaf holds.
    type Shape: Shape + Copy;

    /// Where the volumes' coordinates lie.
    fn frame(&self) -> &Frame;

    /// The volume of a node.
    fn volume(&self, node: Node) -> &Self::Volume;

    /// The volumes of an inner node's children: between 1 and [`MAX_CHILDREN`].
    fn block(&self, node: Node) -> &[Self::Volume];

    /// The shapes of a leaf with their numbers, in the geometry's own coordinates.
    fn shapes(&self, node: Node) -> impl Iterator<Item = (u32, Self::Shape)>;

    /// The shape of a number that [`shapes`](VolumeTree::shapes) gave, if there still is one.
    fn shape(&self, id: u32) -> Option<Self::Shape>;

    /// Whether the shape of that number is in several leaves: then no two shapes meet twice.
    #[inline(always)]
    fn repeats(&self, _id: u32) -> bool {
        false
    }

    /// At least the distance of any shape's point from the origin of the geometry's coordinates.
    fn extent(&self) -> f64;

    /// Whether what the shapes enclose belongs to the geometry: only then do volumes inside of it
    /// tell that it is touched.
    #[inline]
    fn is_filled(&self) -> bool {
        false
    }
}

/// Anything that can be asked about: a mesh, or a user's own.
pub trait Geometry: Any + Send + Sync {
    /// How messages call this kind of geometry.
    fn kind(&self) -> &'static str;

    /// A number that no other state of any geometry has: what was remembered about another revision
    /// is ignored.
    fn revision(&self) -> u64;

    /// A sphere around all of it, in its own coordinates.
    fn sphere(&self) -> BoundingSphere;

    /// The vertices of a box around all of it, along the axes of its own coordinates.
    fn bounding_box(&self) -> (DVec3, DVec3) {
        let sphere = self.sphere();
        (sphere.center - sphere.radius, sphere.center + sphere.radius)
    }

    /// At least how far any of its points within `radius` of its own origin reaches along
    /// `direction`, which has length 1 up to rounding.
    ///
    /// By default as far as the bounding box does; convex geometries say it exactly.
    fn support_bound(&self, direction: DVec3, radius: f64) -> f64 {
        let (low, high) = self.bounding_box();
        let (low, high) = (low.max(DVec3::splat(-radius)), high.min(DVec3::splat(radius)));
        let reach = (direction * low).max(direction * high).element_sum();
        reach + 8.0 * UNIT_ROUNDOFF * low.abs().max(high.abs()).element_sum()
    }

    /// The triangle that answers call by this number, all of whose points are the geometry's own;
    /// `None` by default, for shapes of other kinds and for numbers that it has not. Contacts of
    /// motions are proven by it.
    fn leaf_triangle(&self, _number: u32) -> Option<Triangle> {
        None
    }
}

/// A revision number never given out before by this process.
///
/// ```
/// use clearance_engine::tree::next_revision;
/// assert_ne!(next_revision(), next_revision());
/// ```
pub fn next_revision() -> u64 {
    next_revisions(1)
}

/// The first one of `count` such numbers in a row: for what changes at every query, on several
/// threads.
fn next_revisions(count: u64) -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(count, Ordering::Relaxed)
}
