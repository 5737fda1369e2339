//! Bounding volume hierarchies (BVH) and the geometries over them: meshes, point clouds, height
//! fields, voxel maps, assemblies.
//!
//! Traversals see a tree through node numbers only. Its storage is its own business, so that a tree
//! can be made on the fly over a user's data.

mod agglomerative;
mod any_mesh;
mod assembly;
mod build;
mod bvh;
mod bvh8;
mod derived;
mod distance_field;
mod half_space;
mod height_field;
mod hierarchy;
mod into_geometry;
mod median_split;
mod mesh;
mod moment_split;
mod morton;
#[cfg(feature = "inner-boxes")]
mod nested;
mod point_cloud;
mod points;
mod primitive;
mod primitive_bvh;
mod rays;
mod saved;
mod sphere_tree;
mod subdivision;
mod turns;
mod validate;
pub mod voxel_map;

pub use any_mesh::AnyMesh;
pub use assembly::{Assembly, AssemblyBuilder, PartId};
pub(crate) use assembly::{Bounds, placing_error};
pub use build::{BuildOptions, Quality};
pub use bvh::Bvh;
pub use bvh8::Bvh8Tree;
pub use derived::{Derived, MeshView};
pub use distance_field::{Csg, DistanceField, VoxelField};
pub(crate) use distance_field::{FieldTree, error_of_fields};
pub use half_space::HalfSpaceGeometry;
pub use height_field::HeightField;
pub use hierarchy::{Bvh8, BvhKind, Hierarchy, Saved};
pub use into_geometry::IntoGeometry;
pub use mesh::Mesh;
pub(crate) use morton::morton_order;
#[cfg(feature = "inner-boxes")]
pub use nested::{InnerKind, NestedOptions, NestedTree};
pub use point_cloud::PointCloud;
pub(crate) use points::winding_in_bvh8;
pub use primitive::Solid;
pub use primitive_bvh::{PrimitiveBvh, PrimitiveBvhNodes, QueryRegion};
pub use rays::cast_at_primitives;
pub(crate) use saved::{Reader, bad};
pub use sphere_tree::{Combine, Direction, SphereLevel, SphereTree, SphereTreeOptions};

use crate::math::{DVec3, Frame, UNIT_ROUNDOFF};
use crate::pair::shape::Shape;
use crate::shape::{PointDistance, Ray, RayGoal, RayHit};
use crate::volume::{BoundingSphere, Volume};
use crate::{Error, ErrorKind, Result, Triangle};
use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};

/// A node of a tree: an index or a packed key, as the tree likes.
pub type Node = u32;

/// The maximum number of children of a node.
pub const MAX_CHILDREN: usize = 8;

/// The part of a hierarchy that the traversal needs.
pub trait Tree {
    /// The root node, which contains everything.
    fn root(&self) -> Node;

    /// Whether `node` has shapes instead of children.
    fn is_leaf(&self, node: Node) -> bool;

    /// Child number `lane` of an inner node.
    fn child(&self, node: Node, lane: usize) -> Node;

    /// The children of an inner node by lane, for several of them; trees with a lookup override it.
    #[inline(always)]
    fn children(&self, node: Node) -> impl Fn(usize) -> Node
    where
        Self: Sized,
    {
        move |lane| self.child(node, lane)
    }

    /// The size of a node in the geometry's own unit; a traversal opens the larger side of a pair.
    fn size(&self, node: Node) -> f32;
}

/// Implements [`Tree`] for a type with one leaf, and with parameters where these follow.
macro_rules! one_leaf {
    ($whole:ty $(, $parameter:ident)*) => {
        impl<$($parameter),*> Tree for $whole {
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

/// A BVH of one kind of volume over one kind of shape, for collision, distance and contact queries.
pub trait VolumeTree: Tree {
    /// The bounding volume of a node.
    type Volume: Volume;
    /// The shape in a leaf.
    type Shape: Shape + Copy;

    /// The frame of the volumes' coordinates.
    fn frame(&self) -> &Frame;

    /// The volume of a node.
    fn volume(&self, node: Node) -> &Self::Volume;

    /// The volumes of an inner node's children: between 1 and [`MAX_CHILDREN`].
    fn block(&self, node: Node) -> &[Self::Volume];

    /// The shapes of a leaf with their numbers, in the geometry's own coordinates.
    fn shapes(&self, node: Node) -> impl Iterator<Item = (u32, Self::Shape)>;

    /// The shape of a number that [`shapes`](VolumeTree::shapes) returned, if it still exists.
    fn shape(&self, id: u32) -> Option<Self::Shape>;

    /// Whether the shape of that number is in several leaves; a query then tests no two shapes
    /// twice.
    #[inline(always)]
    fn repeats(&self, _id: u32) -> bool {
        false
    }

    /// An upper bound of the distance of any shape's point from the origin of the geometry's
    /// coordinates.
    fn extent(&self) -> f64;

    /// Whether the interior of the shapes belongs to the geometry: only then do inner volumes prove
    /// a collision.
    #[inline]
    fn is_filled(&self) -> bool {
        false
    }
}

/// A geometry of a query: a mesh, a primitive, or a user's own.
///
/// ```
/// use clearance_engine::{math::DVec3, shape::{Ray, Sphere}, tree::{Geometry, IntoGeometry}};
/// let ball = Sphere::new(1.0)?.into_geometry();
/// let (low, high) = ball.bounding_box();
/// assert!(low.x <= -1.0 && high.x >= 1.0 && high.x < 1.001);
/// assert!(ball.signed_distance(DVec3::X * 3.0)?.lower > 1.999);
/// assert!(ball.blocks_ray(&Ray::new(DVec3::X * 3.0, DVec3::NEG_X)?)?);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub trait Geometry: Any + Send + Sync {
    /// The name of this kind of geometry in messages.
    fn kind(&self) -> &'static str;

    /// A number that no other state of any geometry has; a warm start from another revision does
    /// not count.
    fn revision(&self) -> u64;

    /// A bounding sphere, in the geometry's own coordinates.
    fn sphere(&self) -> BoundingSphere;

    /// The low and high corner of a bounding box (AABB), in the geometry's own coordinates.
    fn bounding_box(&self) -> (DVec3, DVec3) {
        let sphere = self.sphere();
        (sphere.center - sphere.radius, sphere.center + sphere.radius)
    }

    /// The support function, bounded from above: `direction · p` over all points within `radius` of
    /// the own origin.
    ///
    /// `direction` has length 1 up to rounding. By default this is the bounding box's support;
    /// convex geometries return their own.
    fn support_bound(&self, direction: DVec3, radius: f64) -> f64 {
        let (low, high) = self.bounding_box();
        let (low, high) = (low.max(DVec3::splat(-radius)), high.min(DVec3::splat(radius)));
        let support = (direction * low).max(direction * high).element_sum();
        support + 8.0 * UNIT_ROUNDOFF * low.abs().max(high.abs()).element_sum()
    }

    /// The triangle with this number in answers; all of its points belong to the geometry.
    ///
    /// It is `None` by default, for shapes of other kinds and for unknown numbers. Time-of-impact
    /// queries prove contacts with it.
    fn leaf_triangle(&self, _number: u32) -> Option<Triangle> {
        None
    }

    /// The triangles of a mesh, whatever its hierarchy; `None` by default, for all other
    /// geometries.
    fn mesh(&self) -> Option<MeshView<'_>> {
        None
    }

    /// Offers the points in which a ray meets the surface to a goal; an error for geometries that
    /// rays cannot be cast at, which is the default.
    ///
    /// Callers use [`ray`](Geometry::ray), [`ray_hits`](Geometry::ray_hits) and
    /// [`blocks_ray`](Geometry::blocks_ray).
    fn cast_ray(&self, ray: &Ray, goal: &mut RayGoal) -> Result<()> {
        let _ = (ray, goal);
        Err(Error::new(ErrorKind::Unsupported, format!("rays cannot be cast at a {}", self.kind())))
    }

    /// The signed distance of a point: negative inside. An error for geometries that have none,
    /// which is the default.
    ///
    /// ```
    /// use clearance_engine::{math::DVec3, shape::Cuboid, tree::{Geometry, Solid}};
    /// let table = Solid::new(Cuboid::new(1.0, 1.0, 0.1)?);
    /// let above = table.signed_distance(DVec3::new(0.0, 0.0, 0.25))?;
    /// assert!(above.lower <= 0.2 && 0.2 <= above.upper && above.gradient == DVec3::Z);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    fn signed_distance(&self, point: DVec3) -> Result<PointDistance> {
        let _ = point;
        Err(Error::new(ErrorKind::Unsupported, format!("a {} has no signed distance of points", self.kind())))
    }

    /// The signed distances of points, in their order, as [`signed_distance`](Self::signed_distance)
    /// has them. Meshes find those of points that follow their neighbours sooner.
    fn signed_distances(&self, points: &[DVec3]) -> Result<Vec<PointDistance>> {
        points.iter().map(|&point| self.signed_distance(point)).collect()
    }

    /// The first point in which a ray meets the surface.
    ///
    /// ```
    /// use clearance_engine::{TriMesh, math::DVec3, shape::Ray, tree::{Geometry, Mesh}};
    /// let triangle = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let mesh: Mesh = Mesh::new(triangle)?;
    /// let hit = mesh.ray(&Ray::new(DVec3::new(0.2, 0.2, 3.0), DVec3::NEG_Z)?)?.expect("a hit");
    /// assert_eq!((hit.t, hit.normal), (3.0, DVec3::Z));
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    fn ray(&self, ray: &Ray) -> Result<Option<RayHit>> {
        let mut goal = RayGoal::first(ray);
        self.cast_ray(ray, &mut goal)?;
        Ok(goal.into_first())
    }

    /// The first points in which rays meet the surface, in their order, as [`ray`](Self::ray) has
    /// them.
    fn first_hits(&self, rays: &[Ray]) -> Result<Vec<Option<RayHit>>> {
        // Room for all: collecting results grows by and by.
        let mut hits = Vec::with_capacity(rays.len());
        for ray in rays {
            hits.push(self.ray(ray)?);
        }
        Ok(hits)
    }

    /// All points in which a ray meets the surface, in the order of `t`.
    ///
    /// A ray through an edge or a vertex hits all triangles that share it.
    fn ray_hits(&self, ray: &Ray) -> Result<Vec<RayHit>> {
        let mut goal = RayGoal::all(ray);
        self.cast_ray(ray, &mut goal)?;
        Ok(goal.into_all())
    }

    /// Whether a ray meets the surface at all.
    fn blocks_ray(&self, ray: &Ray) -> Result<bool> {
        let mut goal = RayGoal::any(ray);
        self.cast_ray(ray, &mut goal)?;
        Ok(goal.into_first().is_some())
    }
}

/// Returns a revision number that this process never returned before.
///
/// ```
/// use clearance_engine::tree::next_revision;
/// assert_ne!(next_revision(), next_revision());
/// ```
pub fn next_revision() -> u64 {
    next_revisions(1)
}

/// Returns the first of `count` such numbers in a row, for state that changes at every query, on
/// several threads.
fn next_revisions(count: u64) -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(count, Ordering::Relaxed)
}
