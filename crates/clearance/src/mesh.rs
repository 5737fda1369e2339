//! Triangle meshes with their bounding volume hierarchy.

use crate::{Error, Ray, Result, Threads, Vec3};
use clearance_engine::TriMesh;
use clearance_engine::decompose::{DecomposeOptions, Decomposition, decompose};
use clearance_engine::dispatch::{cast_rays, signed_distances};
use clearance_engine::shape::{ConvexPolyhedron, PointDistance, RayHit, check_closed, component_points};
use clearance_engine::tree::{self, BuildOptions, Bvh8, BvhKind, Geometry, Hierarchy, IntoGeometry};
use clearance_engine::volume::{Aabb, KIos, Kdop16, Kdop18, Kdop24, Obb, Rss, Sphere};
#[cfg(feature = "files")]
use std::path::Path;
use std::sync::Arc;

/// A triangle mesh with its bounding volume hierarchy: a surface, or a [solid](Mesh::solid).
///
/// A clone shares triangles and hierarchy.
///
/// ```
/// use clearance::prelude::*;
/// let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let mesh = Mesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// assert_eq!(mesh.triangles().len(), 4);
/// // The sphere is inside: it touches the solid, not the surface.
/// let (ball, middle) = (Sphere::new(0.01)?, Pose::from_xyz(0.2, 0.2, 0.2)?);
/// assert!(!Pair::new(&mesh, &ball)?.collides(middle));
/// assert!(Pair::new(mesh.solid()?, &ball)?.collides(middle));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Mesh {
    triangles: Arc<TriMesh>,
    geometry: Arc<dyn Geometry>,
    options: MeshOptions,
    /// The nodes and bytes of the hierarchy.
    size: [usize; 2],
}

/// How a [`Mesh`] is made.
///
/// ```no_run
/// use clearance::prelude::*;
/// let options = MeshOptions { bounding_volume: BoundingVolume::Obb, solid: true, ..MeshOptions::default() };
/// let mesh = Mesh::load_with("part.stl", &options)?;
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MeshOptions {
    /// What lies inside of the mesh belongs to it; an error if it is not closed.
    pub solid: bool,
    /// Multiplies all coordinates, along x, y and z: 0.001 for a file in millimetres.
    pub scale: Vec3,
    /// The bounding volume of the hierarchy.
    pub bounding_volume: BoundingVolume,
    /// The threads that build the hierarchy.
    pub threads: Threads,
}

impl Default for MeshOptions {
    fn default() -> Self {
        let bounding_volume = BoundingVolume::default();
        Self { solid: false, scale: Vec3::ONE, bounding_volume, threads: Threads::One }
    }
}

/// The bounding volume of a mesh's hierarchy. The choice changes times, never answers; the default
/// is the fastest in all races of `docs/volumes.md`, the others are there to compare.
///
/// ```
/// use clearance::prelude::*;
/// assert_eq!(BoundingVolume::default(), BoundingVolume::Bvh8);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BoundingVolume {
    /// Oriented boxes and spheres, eight children a node, in SIMD lanes.
    #[default]
    Bvh8,
    /// Spheres.
    Sphere,
    /// Axis-aligned boxes.
    Aabb,
    /// Oriented boxes.
    Obb,
    /// Rectangle swept spheres.
    Rss,
    /// Polytopes of 16 fixed directions.
    Kdop16,
    /// Polytopes of 18 fixed directions.
    Kdop18,
    /// Polytopes of 24 fixed directions.
    Kdop24,
    /// Intersections of spheres.
    KIos,
}

impl Mesh {
    /// A mesh of vertices and triangles that index them; builds the hierarchy.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self> {
        Self::with_options(vertices, triangles, &MeshOptions::default())
    }

    /// The same with options.
    pub fn with_options(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>, options: &MeshOptions) -> Result<Self> {
        let vertices = if options.scale == Vec3::ONE {
            vertices
        } else {
            vertices.into_iter().map(|vertex| vertex * options.scale).collect()
        };
        Self::build(TriMesh::new(vertices, triangles)?.into(), options)
    }

    /// Reads a mesh file: STL, OBJ, PLY, Collada, OFF, glTF or GLB, TRIS.
    #[cfg(feature = "files")]
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::load_with(path, &MeshOptions::default())
    }

    /// The same with options.
    #[cfg(feature = "files")]
    pub fn load_with(path: impl AsRef<Path>, options: &MeshOptions) -> Result<Self> {
        let read = clearance_io::load_mesh(path.as_ref())?;
        let built = if options.scale == Vec3::ONE {
            Self::build(read.into(), options)
        } else {
            Self::with_options(read.vertices().to_vec(), read.triangles().to_vec(), options)
        };
        built.map_err(|error| error.of_file(path.as_ref()))
    }

    fn build(triangles: Arc<TriMesh>, options: &MeshOptions) -> Result<Self> {
        let build = match options.bounding_volume {
            BoundingVolume::Bvh8 => geometry::<Bvh8>,
            BoundingVolume::Sphere => geometry::<Sphere>,
            BoundingVolume::Aabb => geometry::<Aabb>,
            BoundingVolume::Obb => geometry::<Obb>,
            BoundingVolume::Rss => geometry::<Rss>,
            BoundingVolume::Kdop16 => geometry::<Kdop16>,
            BoundingVolume::Kdop18 => geometry::<Kdop18>,
            BoundingVolume::Kdop24 => geometry::<Kdop24>,
            BoundingVolume::KIos => geometry::<KIos>,
        };
        let (geometry, size) = build(&triangles, options)?;
        Ok(Self { triangles, geometry, options: options.clone(), size })
    }

    /// The mesh as a solid: what lies inside of it collides. An error names an open edge if it is
    /// not closed.
    pub fn solid(&self) -> Result<Self> {
        let options = MeshOptions { solid: true, ..self.options.clone() };
        let Some(mesh) = (&*self.geometry as &dyn std::any::Any).downcast_ref::<tree::Mesh>() else {
            return Self::build(self.triangles.clone(), &options);
        };
        let geometry = Arc::new(mesh.clone().into_solid()?);
        Ok(Self { triangles: self.triangles.clone(), geometry, options, size: self.size })
    }

    /// Whether it is a solid.
    pub fn is_solid(&self) -> bool {
        self.options.solid
    }

    /// The vertices.
    pub fn vertices(&self) -> &[Vec3] {
        self.triangles.vertices()
    }

    /// The triangles, by the numbers of their vertices. Answers name triangles by their place here.
    pub fn triangles(&self) -> &[[u32; 3]] {
        self.triangles.triangles()
    }

    /// The lowest and the highest coordinates.
    pub fn bounding_box(&self) -> (Vec3, Vec3) {
        self.geometry.bounding_box()
    }

    /// Why it cannot be a [solid](Self::solid); `None` if it is closed.
    ///
    /// ```
    /// use clearance::prelude::*;
    /// let mesh = Mesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]])?;
    /// assert_eq!(mesh.why_open().expect("a triangle is open").kind(), ErrorKind::Geometry);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn why_open(&self) -> Option<Error> {
        check_closed(&self.triangles).err().map(Error::from)
    }

    /// The number of triangles that are segments or points.
    pub fn degenerate_count(&self) -> usize {
        self.triangles.degenerate_count()
    }

    /// The number of vertices that belong to no triangle.
    pub fn unreferenced_count(&self) -> usize {
        self.triangles.unreferenced_count()
    }

    /// The number of connected parts.
    pub fn component_count(&self) -> usize {
        component_points(&self.triangles).len()
    }

    /// The number of nodes of the hierarchy.
    pub fn node_count(&self) -> usize {
        self.size[0]
    }

    /// The memory of the hierarchy beyond vertices and triangles, in bytes.
    pub fn memory(&self) -> usize {
        self.size[1]
    }

    /// The convex hull of the vertices.
    ///
    /// ```
    /// use clearance::prelude::*;
    /// let mesh = Mesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z], vec![[0, 2, 1], [0, 1, 3]])?;
    /// assert_eq!(mesh.convex_hull()?.face_count(), 4);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn convex_hull(&self) -> Result<ConvexPolyhedron> {
        Ok(ConvexPolyhedron::hull_of(self.vertices())?)
    }

    /// A closed mesh as convex parts that differ from it by at most `error`, which is certified.
    /// An error if the mesh is not closed.
    pub fn decompose(&self, error: f64) -> Result<Decomposition> {
        Ok(decompose(&self.triangles, &DecomposeOptions::new(error))?)
    }

    /// The first triangle that a ray hits, and where. Decided exactly: no ray slips through a closed
    /// mesh, not at edges and vertices either.
    ///
    /// ```
    /// use clearance::prelude::*;
    /// let mesh = Mesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]])?;
    /// let hit = mesh.ray(&Ray::new(Vec3::new(0.2, 0.2, 3.0), -Vec3::Z)?).expect("a hit");
    /// assert_eq!((hit.t, hit.normal, hit.leaf), (3.0, Vec3::Z, 0));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn ray(&self, ray: &Ray) -> Option<RayHit> {
        // Meshes never refuse a ray.
        self.geometry.ray(ray).ok().flatten()
    }

    /// All triangles that a ray hits, in the order of `t`. A ray through an edge hits all triangles
    /// that share it.
    pub fn ray_hits(&self, ray: &Ray) -> Vec<RayHit> {
        self.geometry.ray_hits(ray).unwrap_or_default()
    }

    /// Whether a ray hits any triangle.
    pub fn blocks_ray(&self, ray: &Ray) -> bool {
        self.geometry.blocks_ray(ray).unwrap_or_default()
    }

    /// The first hits of many rays, in their order.
    pub fn rays(&self, rays: &[Ray], threads: Threads) -> Result<Vec<Option<RayHit>>> {
        Ok(cast_rays(&*self.geometry, rays, threads)?)
    }

    /// The signed distance of a point: negative inside. The sign is proven where the mesh is closed;
    /// else it is that of the generalised winding number, and the answer says so.
    ///
    /// ```
    /// use clearance::prelude::*;
    /// let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let mesh = Mesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
    /// let inside = mesh.signed_distance(Vec3::new(0.1, 0.2, 0.2))?;
    /// assert!(inside.lower <= -0.1 && -0.1 <= inside.upper && inside.gradient == -Vec3::X);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn signed_distance(&self, point: Vec3) -> Result<PointDistance> {
        Ok(self.geometry.signed_distance(point)?)
    }

    /// The signed distances of many points, in their order.
    pub fn signed_distances(&self, points: &[Vec3], threads: Threads) -> Result<Vec<PointDistance>> {
        Ok(signed_distances(&*self.geometry, points, threads)?)
    }

    /// The engine's triangles, for the crates below this one.
    pub fn tri_mesh(&self) -> &Arc<TriMesh> {
        &self.triangles
    }
}

/// The geometry, and the nodes and bytes of its hierarchy.
type Built = (Arc<dyn Geometry>, [usize; 2]);

fn geometry<K: BvhKind>(triangles: &Arc<TriMesh>, options: &MeshOptions) -> Result<Built> {
    let build = BuildOptions { parallel: options.threads != Threads::One, ..BuildOptions::default() };
    let mesh = tree::Mesh::<K>::build(triangles.clone(), &build, None)?;
    let size = [mesh.hierarchy().bvh().node_count(), mesh.hierarchy().memory()];
    Ok((Arc::new(if options.solid { mesh.into_solid()? } else { mesh }), size))
}

impl IntoGeometry for Mesh {
    fn into_geometry(self) -> Arc<dyn Geometry> {
        self.geometry
    }
}

impl IntoGeometry for &Mesh {
    fn into_geometry(self) -> Arc<dyn Geometry> {
        self.geometry.clone()
    }
}

impl std::fmt::Debug for Mesh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if self.is_solid() { "solid" } else { "surface" };
        write!(f, "Mesh, a {kind} of {} triangles", self.triangles.len())
    }
}

impl TryFrom<TriMesh> for Mesh {
    type Error = Error;

    fn try_from(triangles: TriMesh) -> Result<Self> {
        Arc::new(triangles).try_into()
    }
}

impl TryFrom<Arc<TriMesh>> for Mesh {
    type Error = Error;

    fn try_from(triangles: Arc<TriMesh>) -> Result<Self> {
        Self::build(triangles, &MeshOptions::default())
    }
}
