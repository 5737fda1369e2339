//! A triangle mesh with its BVH: the geometry that users hold.

use super::points::{Signs, mesh_distance, mesh_distances};
use super::rays::{cast_at_bvh8, cast_at_triangles, first_hits_at_bvh8};
use super::{
    BuildOptions, Bvh8, Bvh8Tree, BvhKind, Derived, Geometry, Hierarchy, MeshView, Node, Tree, VolumeTree,
    next_revision,
};
use crate::math::{DVec3, Frame};
use crate::shape::{
    PointDistance, Ray, RayGoal, RayHit, check_closed, check_points, component_points, encloses_volume, is_one_surface,
};
use crate::volume::BoundingSphere;
use crate::{Result, TriMesh, Triangle};
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// A triangle mesh with a bounding volume hierarchy; a surface, unless [declared
/// solid](Mesh::into_solid).
///
/// `Mesh` has the fastest hierarchy, `Mesh<Obb>` and the like a [`Bvh`](super::Bvh) of that volume.
///
/// ```
/// use clearance_engine::{TriMesh, math::DVec3, tree::Mesh, volume::Obb};
/// let tri_mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let mesh: Mesh = Mesh::new(tri_mesh.clone())?;
/// let plain: Mesh<Obb> = Mesh::new(tri_mesh)?;
/// assert_eq!(mesh.tri_mesh().len(), plain.tri_mesh().len());
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub struct Mesh<K: BvhKind = Bvh8> {
    pub(super) tri_mesh: Arc<TriMesh>,
    pub(super) hierarchy: K::Hierarchy,
    pub(super) solid: bool,
    revision: u64,
    components: OnceLock<Vec<DVec3>>,
    /// Whether it is one closed surface that faces outward.
    outward: OnceLock<bool>,
    derived: Derived,
    signs: Signs,
    pub(super) extent: f64,
    sphere: BoundingSphere,
    /// The corners of the smallest AABB.
    bounds: (DVec3, DVec3),
}

/// The options of a mesh kind's hierarchy.
type FitOptions<K> = <<K as BvhKind>::Hierarchy as Hierarchy>::FitOptions;

impl<K: BvhKind> Mesh<K> {
    /// Builds the default hierarchy over `tri_mesh`.
    pub fn new(tri_mesh: impl Into<Arc<TriMesh>>) -> Result<Self> {
        Self::build(tri_mesh, &BuildOptions::default(), None)
    }

    /// Builds a hierarchy with the given options and, if `Some`, other options for its kind than
    /// the default.
    pub fn build(
        tri_mesh: impl Into<Arc<TriMesh>>,
        options: &BuildOptions,
        fit_options: Option<FitOptions<K>>,
    ) -> Result<Self> {
        let tri_mesh = tri_mesh.into();
        let hierarchy = K::Hierarchy::build(&tri_mesh, options, fit_options)?;
        Ok(Self::assemble(tri_mesh, hierarchy))
    }

    pub(super) fn assemble(tri_mesh: Arc<TriMesh>, hierarchy: K::Hierarchy) -> Self {
        let (bounds, sphere) = (tri_mesh.bounding_box(), BoundingSphere::around(tri_mesh.vertices()));
        Self {
            revision: hierarchy.bvh().revision,
            tri_mesh,
            hierarchy,
            solid: false,
            components: OnceLock::new(),
            outward: OnceLock::new(),
            derived: Derived::default(),
            signs: Signs::default(),
            extent: extent(bounds),
            sphere,
            bounds,
        }
    }

    /// Declares the mesh solid: geometries inside of it collide. An error names an open edge if it
    /// is not closed.
    pub fn into_solid(mut self) -> Result<Self> {
        check_closed(&self.tri_mesh)?;
        if !self.solid {
            // Others may keep what they know of the surface by its revision.
            self.revision = next_revision();
        }
        self.solid = true;
        Ok(self)
    }

    /// The triangles.
    pub fn tri_mesh(&self) -> &Arc<TriMesh> {
        &self.tri_mesh
    }

    /// The hierarchy.
    #[inline(always)]
    pub fn hierarchy(&self) -> &K::Hierarchy {
        &self.hierarchy
    }

    /// The numbers of the triangles under a node.
    pub fn triangles_of(&self, node: Node) -> &[u32] {
        self.hierarchy.bvh().triangles(self.hierarchy.plain(node) as u32)
    }

    /// Whether the mesh was declared solid.
    pub fn is_solid(&self) -> bool {
        self.solid
    }

    /// One vertex of each connected component, computed on first use.
    pub fn component_points(&self) -> &[DVec3] {
        self.components.get_or_init(|| component_points(&self.tri_mesh))
    }

    /// Whether the mesh is solid, one surface with two triangles at each edge, and its triangles
    /// turn left seen from outside. Computed on first use.
    pub(crate) fn faces_outward(&self) -> bool {
        let whole = || is_one_surface(&self.tri_mesh) && encloses_volume(&self.tri_mesh);
        self.solid && *self.outward.get_or_init(whole)
    }

    /// Moves the vertices and refits the hierarchy, keeping its topology: distances are those of a
    /// rebuilt mesh.
    pub fn refit(&mut self, vertices: Vec<DVec3>) -> Result<()> {
        let tri_mesh = self.tri_mesh.with_vertices(vertices)?;
        // Moved vertices may come to coincide or part, which changes whether the mesh is closed.
        if self.solid {
            check_closed(&tri_mesh)?;
        }
        self.hierarchy.refit(&tri_mesh, false);
        self.revision = self.hierarchy.bvh().revision;
        self.bounds = tri_mesh.bounding_box();
        self.extent = extent(self.bounds);
        self.sphere = BoundingSphere::around(tri_mesh.vertices());
        self.components = OnceLock::new();
        self.outward = OnceLock::new();
        self.derived = Derived::default();
        self.signs = Signs::default();
        self.tri_mesh = Arc::new(tri_mesh);
        Ok(())
    }
}

fn extent((low, high): (DVec3, DVec3)) -> f64 {
    low.abs().max(high.abs()).length()
}

impl<K: BvhKind> Clone for Mesh<K> {
    fn clone(&self) -> Self {
        Self {
            tri_mesh: self.tri_mesh.clone(),
            hierarchy: self.hierarchy.clone(),
            solid: self.solid,
            revision: self.revision,
            components: self.components.clone(),
            outward: self.outward.clone(),
            derived: self.derived.clone(),
            signs: self.signs.clone(),
            extent: self.extent,
            sphere: self.sphere,
            bounds: self.bounds,
        }
    }
}

impl<K: BvhKind> std::fmt::Debug for Mesh<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = K::Hierarchy::NAME;
        write!(f, "Mesh<{name}> of {} triangles", self.tri_mesh.len())
    }
}

impl<K: BvhKind> Tree for Mesh<K> {
    #[inline(always)]
    fn root(&self) -> Node {
        self.hierarchy.root()
    }

    #[inline(always)]
    fn is_leaf(&self, node: Node) -> bool {
        self.hierarchy.is_leaf(node)
    }

    #[inline(always)]
    fn child(&self, node: Node, lane: usize) -> Node {
        self.hierarchy.children(node)(lane)
    }

    #[inline(always)]
    fn children(&self, node: Node) -> impl Fn(usize) -> Node {
        self.hierarchy.children(node)
    }

    #[inline(always)]
    fn size(&self, node: Node) -> f32 {
        self.hierarchy.size(node)
    }
}

impl<K: BvhKind> VolumeTree for Mesh<K> {
    type Volume = <K::Hierarchy as Hierarchy>::Volume;
    type Shape = Triangle;

    fn frame(&self) -> &Frame {
        &self.hierarchy.bvh().frame
    }

    #[inline]
    fn volume(&self, node: Node) -> &Self::Volume {
        &self.hierarchy.bvh().volumes[self.hierarchy.plain(node)]
    }

    #[inline]
    fn block(&self, node: Node) -> &[Self::Volume] {
        let bvh = self.hierarchy.bvh();
        let node = &bvh.nodes[self.hierarchy.plain(node)];
        &bvh.volumes[node.child as usize..(node.child + node.children) as usize]
    }

    fn shapes(&self, node: Node) -> impl Iterator<Item = (u32, Triangle)> {
        self.triangles_of(node).iter().map(|&id| (id, self.tri_mesh.triangle(id)))
    }

    fn shape(&self, id: u32) -> Option<Triangle> {
        ((id as usize) < self.tri_mesh.len()).then(|| self.tri_mesh.triangle(id))
    }

    #[inline(always)]
    fn repeats(&self, id: u32) -> bool {
        self.hierarchy.repeats(id)
    }

    fn extent(&self) -> f64 {
        self.extent
    }

    #[inline]
    fn is_filled(&self) -> bool {
        self.solid
    }
}

impl<K: BvhKind> Geometry for Mesh<K> {
    fn kind(&self) -> &'static str {
        K::Hierarchy::NAME
    }

    fn revision(&self) -> u64 {
        self.revision
    }

    fn sphere(&self) -> BoundingSphere {
        self.sphere
    }

    fn bounding_box(&self) -> (DVec3, DVec3) {
        self.bounds
    }

    fn leaf_triangle(&self, number: u32) -> Option<Triangle> {
        self.shape(number)
    }

    fn mesh(&self) -> Option<MeshView<'_>> {
        let (tri_mesh, derived, components) = (&self.tri_mesh, &self.derived, &self.components);
        Some(MeshView { tri_mesh, is_solid: self.solid, derived, components })
    }

    fn signed_distance(&self, point: DVec3) -> Result<PointDistance> {
        check_points("point", &[point])?;
        Ok(mesh_distance(self, point, &self.signs))
    }

    fn signed_distances(&self, points: &[DVec3]) -> Result<Vec<PointDistance>> {
        check_points("point", points)?;
        Ok(mesh_distances(self, points, &self.signs))
    }

    fn first_hits(&self, rays: &[Ray]) -> Result<Vec<Option<RayHit>>> {
        match (&self.hierarchy as &dyn Any).downcast_ref::<Bvh8Tree>() {
            Some(tree) => Ok(first_hits_at_bvh8(tree, &self.tri_mesh, rays)),
            None => rays.iter().map(|ray| self.ray(ray)).collect(),
        }
    }

    fn cast_ray(&self, ray: &Ray, goal: &mut RayGoal) -> Result<()> {
        match (&self.hierarchy as &dyn Any).downcast_ref::<Bvh8Tree>() {
            Some(tree) => cast_at_bvh8(tree, &self.tri_mesh, ray, goal),
            None => cast_at_triangles(self, ray, goal),
        }
        Ok(())
    }
}
