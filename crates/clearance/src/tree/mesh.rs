//! A mesh with its hierarchy: the geometry that users hold.

use super::{BuildOptions, Geometry, Hierarchy, Kind, Node, Tree, VolumeTree, Wide};
use crate::math::{DVec3, Frame};
use crate::shape::{check_closed, component_points, encloses_volume, is_one_surface};
use crate::volume::BoundingBall;
use crate::{Result, TriMesh, Triangle};
use std::sync::{Arc, OnceLock};

/// A triangle mesh with its hierarchy; a surface, unless [declared solid](Mesh::into_solid).
///
/// `Mesh` has the fastest hierarchy, `Mesh<Obb>` and the like a plain one of that volume.
///
/// ```
/// use clearance::{TriMesh, math::DVec3, tree::Mesh, volume::Obb};
/// let soup = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let mesh: Mesh = Mesh::new(soup.clone())?;
/// let plain: Mesh<Obb> = Mesh::new(soup)?;
/// assert_eq!(mesh.soup().len(), plain.soup().len());
/// # Ok::<(), clearance::Error>(())
/// ```
pub struct Mesh<K: Kind = Wide> {
    pub(super) soup: Arc<TriMesh>,
    pub(super) hierarchy: K::Hierarchy,
    pub(super) solid: bool,
    components: OnceLock<Vec<DVec3>>,
    /// Whether it is one closed surface that faces outward.
    outward: OnceLock<bool>,
    pub(super) extent: f64,
    ball: BoundingBall,
    /// Of the smallest box.
    corners: (DVec3, DVec3),
}

/// How the hierarchy of a kind of mesh is made.
type How<K> = <<K as Kind>::Hierarchy as Hierarchy>::How;

impl<K: Kind> Mesh<K> {
    /// Builds the default hierarchy over `soup`.
    pub fn new(soup: impl Into<Arc<TriMesh>>) -> Result<Self> {
        Self::build(soup, &BuildOptions::default(), None)
    }

    /// Builds a hierarchy with chosen options and, if given, another way to make it or fit its volumes than the default.
    pub fn build(soup: impl Into<Arc<TriMesh>>, options: &BuildOptions, how: Option<How<K>>) -> Result<Self> {
        let soup = soup.into();
        let hierarchy = K::Hierarchy::build(&soup, options, how)?;
        Ok(Self::assemble(soup, hierarchy))
    }

    pub(super) fn assemble(soup: Arc<TriMesh>, hierarchy: K::Hierarchy) -> Self {
        let (corners, ball) = (soup.bounding_box(), BoundingBall::around(soup.vertices()));
        let (components, outward) = (OnceLock::new(), OnceLock::new());
        Self { soup, hierarchy, solid: false, components, outward, extent: extent(corners), ball, corners }
    }

    /// Declares the mesh solid: what lies inside of it collides. An error names an open edge if it is not closed.
    pub fn into_solid(mut self) -> Result<Self> {
        check_closed(&self.soup)?;
        self.solid = true;
        Ok(self)
    }

    /// The triangles.
    pub fn soup(&self) -> &Arc<TriMesh> {
        &self.soup
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

    /// A vertex of each connected component, found when first asked for.
    pub fn component_points(&self) -> &[DVec3] {
        self.components.get_or_init(|| component_points(&self.soup))
    }

    /// Whether the mesh was declared solid, is one surface with two triangles at each edge, and its triangles turn left seen from outside; found when first asked for.
    pub(crate) fn faces_outward(&self) -> bool {
        let whole = || is_one_surface(&self.soup) && encloses_volume(&self.soup);
        self.solid && *self.outward.get_or_init(whole)
    }

    /// Moves the vertices and fits the hierarchy anew, keeping its topology: distances are those of a rebuilt mesh.
    pub fn refit(&mut self, vertices: Vec<DVec3>) -> Result<()> {
        let soup = self.soup.with_vertices(vertices)?;
        // Moved vertices may come to coincide or part, which changes what is closed.
        if self.solid {
            check_closed(&soup)?;
        }
        self.hierarchy.refit(&soup, false);
        self.corners = soup.bounding_box();
        self.extent = extent(self.corners);
        self.ball = BoundingBall::around(soup.vertices());
        self.components = OnceLock::new();
        self.outward = OnceLock::new();
        self.soup = Arc::new(soup);
        Ok(())
    }

    /// Checks the hierarchy: every triangle in a leaf, every volume around all of its triangles.
    pub fn validate(&self) -> Result<()> {
        self.hierarchy.validate(&self.soup)
    }
}

fn extent((low, high): (DVec3, DVec3)) -> f64 {
    low.abs().max(high.abs()).length()
}

impl<K: Kind> Clone for Mesh<K> {
    fn clone(&self) -> Self {
        Self {
            soup: self.soup.clone(),
            hierarchy: self.hierarchy.clone(),
            solid: self.solid,
            components: self.components.clone(),
            outward: self.outward.clone(),
            extent: self.extent,
            ball: self.ball,
            corners: self.corners,
        }
    }
}

impl<K: Kind> std::fmt::Debug for Mesh<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = K::Hierarchy::NAME;
        write!(f, "Mesh<{name}> of {} triangles", self.soup.len())
    }
}

impl<K: Kind> Tree for Mesh<K> {
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

impl<K: Kind> VolumeTree for Mesh<K> {
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
        self.triangles_of(node).iter().map(|&id| (id, self.soup.triangle(id)))
    }

    fn shape(&self, id: u32) -> Option<Triangle> {
        ((id as usize) < self.soup.len()).then(|| self.soup.triangle(id))
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

impl<K: Kind> Geometry for Mesh<K> {
    fn kind(&self) -> &'static str {
        K::Hierarchy::NAME
    }

    fn revision(&self) -> u64 {
        self.hierarchy.bvh().revision
    }

    fn ball(&self) -> BoundingBall {
        self.ball
    }

    fn bounding_box(&self) -> (DVec3, DVec3) {
        self.corners
    }
}
