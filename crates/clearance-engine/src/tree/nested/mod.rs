//! Nested hierarchies with inner volumes: outer boxes prove separation, inner ones prove overlap.
//!
//! For a convex mesh this is the double hierarchy of Arcila, Dinás and Bañón (*Un modelo de
//! detector de colisiones basado en cajas rectangulares externas e internas*). A node is a convex
//! part of the polyhedron. The plane through its centre of mass across its longest principal axis
//! cuts it in two. It has the box around it along its principal axes and the largest box inside of
//! it along the same. The build cuts a part without any of the polyhedron's surface (INTERIOR) no
//! further. Two things differ from the print: queries test parts for sure overlap at every node,
//! and moments are those of the volume, not of the triangles' vertices, so that a cube keeps its
//! axes.
//!
//! For any other closed mesh the nodes are those of a plain hierarchy of oriented boxes. Those of
//! the upper levels get a volume that grows inside of the solid near their triangles
//! (`inflate.rs`). Open meshes have no inner volumes; closed ones may face inward.
//!
//! Invariant: every outer box contains the triangles, or pieces of triangles, below its node, and
//! every inner volume is provably inside of the surface (`inside.rs`). Leaves hold whole triangles,
//! also where planes cut them: answers stay those of the mesh. Only `collide` uses inner volumes,
//! for solid meshes with another of this kind and with primitives.
//!
//! Cost of a build: a convex sphere of 20,000 triangles takes 3 s with boxes, 1.5 s with spheres
//! and 0.3 s without inner volumes on a shared core (5,000 triangles: 0.5, 0.3 and 0.06 s): a
//! part's volume grows among all of its walls, and the proof visits all triangles. Other meshes
//! take some 0.5 s for 5,000 triangles, with six volumes tried at each of 2⁷ nodes.

mod cells;
mod inflate;
mod inside;
#[cfg(test)]
mod tests;

use super::build::{centroids, partition, split_node};
use super::bvh::{Bvh, BvhNode};
use super::{BuildOptions, BvhKind, Hierarchy, Node, next_revision};
use crate::math::{DMat3, DVec3, Frame};
use crate::pair::shape::winding_number;
use crate::shape::{ConvexPolyhedron, check_closed};
use crate::volume::{InnerFit, Nested, Volume, Wall, largest_box, largest_sphere};
use crate::{Error, ErrorKind, Result, TriMesh, Triangle};
use cells::{Cell, settled_axes};
use inflate::{Region, inflate, room_along};
use inside::{is_inside, with_proven};
use std::collections::VecDeque;

/// The kind of inner volumes of a [`NestedTree`].
///
/// ```
/// use clearance_engine::{TriMesh, math::DVec3, tree::{BuildOptions, InnerKind, Mesh, NestedOptions, NestedTree}};
/// let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let tri_mesh = TriMesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])?;
/// for (inner, has_any) in [(InnerKind::Boxes, true), (InnerKind::Spheres, true), (InnerKind::Nothing, false)] {
///     let fit_options = NestedOptions { inner, ..NestedOptions::default() };
///     let mesh = Mesh::<NestedTree>::build(tri_mesh.clone(), &BuildOptions::default(), Some(fit_options))?;
///     assert_eq!(mesh.hierarchy().inner_count() > 0, has_any);
/// }
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum InnerKind {
    /// Boxes along the axes of the outer ones.
    #[default]
    Boxes,
    /// Spheres.
    Spheres,
    /// No inner volumes, for comparisons.
    Nothing,
}

/// Options for building a [`NestedTree`].
///
/// ```
/// use clearance_engine::{TriMesh, math::DVec3, tree::{BuildOptions, Mesh, NestedOptions, NestedTree}};
/// let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let tri_mesh = TriMesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])?;
/// let cut = |cuts: usize| {
///     let fit_options = NestedOptions { cuts, ..NestedOptions::default() };
///     Mesh::<NestedTree>::build(tri_mesh.clone(), &BuildOptions::default(), Some(fit_options))
/// };
/// // Each cut halves all parts.
/// assert_eq!((cut(0)?.hierarchy().leaf_volumes().count(), cut(3)?.hierarchy().leaf_volumes().count()), (1, 8));
/// assert!(cut(11).is_err());
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NestedOptions {
    /// The kind of inner volumes.
    pub inner: InnerKind,
    /// The number of times that planes cut a convex mesh; the paper's is 4. At most 10.
    pub cuts: usize,
    /// The number of levels with inner volumes of any other mesh, the root being the first. At most
    /// 16.
    pub inner_levels: usize,
}

impl Default for NestedOptions {
    fn default() -> Self {
        Self { inner: InnerKind::Boxes, cuts: 4, inner_levels: 7 }
    }
}

impl NestedOptions {
    fn check(&self) -> Result<()> {
        let refuse = |message: String| Err(Error::new(ErrorKind::BadRequest, message));
        if self.cuts > 10 {
            return refuse(format!("a convex mesh can be cut up to 10 times in a row, not {}", self.cuts));
        }
        if self.inner_levels > 16 {
            return refuse(format!("at most 16 levels can have something inside, not {}", self.inner_levels));
        }
        Ok(())
    }
}

/// A BVH of oriented boxes with inner volumes of the solid; use it as `Mesh<NestedTree>`.
///
/// ```
/// use clearance_engine::{Pose, TriMesh, dispatch::Dispatcher, traversal::Workspace, math::DVec3, tree::{Mesh, NestedTree}};
/// let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let tri_mesh = TriMesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])?;
/// let tetrahedron = Mesh::<NestedTree>::new(tri_mesh)?.into_solid()?;
/// let dispatcher = Dispatcher::standard();
/// let answer = dispatcher.plan(&tetrahedron, &tetrahedron)?.collide(&Pose::IDENTITY, &mut Workspace::default(), None);
/// // The inner boxes of both prove it: the query tested no triangle.
/// assert!(answer.colliding && answer.leaves.is_none() && answer.stats.leaf_tests == 0);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NestedTree {
    bvh: Bvh<Nested>,
    /// Triangle of the mesh → whether planes cut it, so that it is in several leaves.
    cut: Vec<bool>,
    options: NestedOptions,
    build: BuildOptions,
}

impl BvhKind for NestedTree {
    type Hierarchy = NestedTree;
}

impl NestedTree {
    /// The number of nodes with an inner volume.
    pub fn inner_count(&self) -> usize {
        self.bvh.volumes.iter().filter(|volume| volume.inner_center().is_some()).count()
    }

    /// The volumes of the leaves.
    pub fn leaf_volumes(&self) -> impl Iterator<Item = &Nested> {
        let leaves = self.bvh.nodes.iter().zip(&self.bvh.volumes).filter(|(node, _)| node.children == 0);
        leaves.map(|(_, volume)| volume)
    }

    fn make(mesh: &TriMesh, build: &BuildOptions, options: NestedOptions) -> Self {
        let (low, high) = mesh.bounding_box();
        let frame = Frame::around(low, high);
        let triangles: Vec<Triangle> =
            (0..mesh.len() as u32).map(|id| mesh.triangle(id).map(|vertex| frame.store(vertex))).collect();
        let closed = check_closed(mesh).is_ok();
        let options = if closed { options } else { NestedOptions { inner: InnerKind::Nothing, ..options } };
        if closed && is_convex(&triangles) {
            Self::cut_up(frame, &triangles, build, options)
        } else {
            Self::filled(mesh, &triangles, build, options)
        }
    }

    /// The paper's hierarchy of a convex mesh.
    fn cut_up(frame: Frame, triangles: &[Triangle], build: &BuildOptions, options: NestedOptions) -> Self {
        let whole = Part::of(Cell::whole(triangles), &DMat3::IDENTITY, 0, triangles, &options);
        let (nodes, volumes, order) = flattened(whole);
        let sizes = volumes.iter().map(|volume: &Nested| (volume.size() / frame.scale) as f32).collect();
        let mut seen = vec![0_u32; triangles.len()];
        order.iter().for_each(|&id| seen[id as usize] += 1);
        let bvh =
            Bvh { frame, nodes, volumes, sizes, order, fit_options: Default::default(), revision: next_revision() };
        Self { bvh, cut: seen.iter().map(|&times| times > 1).collect(), options, build: *build }
    }

    /// A plain hierarchy whose upper nodes have inner volumes.
    fn filled(mesh: &TriMesh, triangles: &[Triangle], build: &BuildOptions, options: NestedOptions) -> Self {
        let centroids = centroids(mesh);
        let (nodes, order) = partition(mesh.len(), build.parallel, |_, ids| split_node(ids, &centroids, build));
        let mut bvh = Bvh::<Nested>::over(mesh, nodes, order, Default::default(), build.parallel);
        let mut level = 0..1;
        for _ in 0..if options.inner == InnerKind::Nothing { 0 } else { options.inner_levels } {
            let numbers: Vec<usize> = level.clone().collect();
            let with_inner = super::build::map(&numbers, build.parallel, |&i| {
                fill(&bvh.volumes[i], bvh.triangles(i as Node), triangles, options.inner)
            });
            bvh.volumes[level.clone()].copy_from_slice(&with_inner);
            // Nodes are breadth first.
            let children = bvh.nodes[level.clone()].iter().map(|node| node.children as usize).sum::<usize>();
            level = level.end..level.end + children;
        }
        Self { bvh, cut: vec![false; mesh.len()], options, build: *build }
    }
}

/// Whether no vertex is beyond the plane of any triangle, by more than rounding, all facing outward
/// or all inward. Proofs of inner volumes do not depend on it.
fn is_convex(triangles: &[Triangle]) -> bool {
    const ROUNDING: f64 = 1e-14;
    /// So many triangles reveal most meshes that are not convex.
    const SAMPLES: usize = 16;
    let vertices: Vec<DVec3> = triangles.iter().flat_map(|triangle| triangle.0).collect();
    let normal = |triangle: &Triangle, outward: f64| triangle.scaled_normal() * outward;
    let below = |triangle: &Triangle, outward: f64, point: DVec3| {
        normal(triangle, outward).dot(point - triangle.0[0]) <= ROUNDING
    };
    let may_be = |outward: &f64| {
        let mut some = triangles.iter().step_by(triangles.len().div_ceil(SAMPLES).max(1));
        some.all(|triangle| vertices.iter().all(|&point| below(triangle, *outward, point)))
    };
    let Some(outward) = [1.0, -1.0].into_iter().find(may_be) else { return false };
    // The hull finds support vertices without a scan of all.
    match ConvexPolyhedron::hull_of(&vertices) {
        Ok(hull) => triangles.iter().all(|triangle| {
            let farthest = hull.support_vertex(normal(triangle, outward));
            below(triangle, outward, hull.vertex(farthest))
        }),
        // All vertices are in one plane.
        Err(error) => error.kind() == ErrorKind::Degenerate,
    }
}

/// A node of a convex mesh's hierarchy.
struct Part {
    volume: Nested,
    /// `None` for a leaf.
    halves: Option<Box<[Part; 2]>>,
    /// The triangles of a leaf.
    triangles: Vec<u32>,
}

impl Part {
    fn of(cell: Cell, parent: &DMat3, depth: usize, triangles: &[Triangle], options: &NestedOptions) -> Self {
        let moments = cell.moments();
        let (axes, middle) = (settled_axes(&moments, parent), moments.mean());
        let outer = Nested::along(&axes, &cell.surface(), cells::SLACK);
        let walls = cell.walls(middle);
        let fit = match options.inner {
            InnerKind::Boxes => largest_box(&walls, &axes, middle).map(|(center, half)| InnerFit::Box(center, half)),
            InnerKind::Spheres => {
                largest_sphere(&walls, middle).map(|(center, radius)| InnerFit::Sphere(center, radius))
            }
            InnerKind::Nothing => None,
        };
        let volume = fit.map_or(outer, |fit| with_proven(&outer, &fit, &walls, triangles));
        let plane = Wall { normal: axes.x_axis, offset: axes.x_axis.dot(middle) };
        let is_cut = depth < options.cuts && !cell.is_interior();
        let halves = if is_cut { cell.cut(&plane) } else { None };
        let Some(halves) = halves else {
            return Self { volume, halves: None, triangles: cell.triangles().collect() };
        };
        let halves = halves.map(|half| Self::of(half, &axes, depth + 1, triangles, options));
        Self { volume, halves: Some(Box::new(halves)), triangles: Vec::new() }
    }

    fn leaf_size(&self) -> usize {
        self.halves.as_ref().map_or(self.triangles.len(), |halves| halves.iter().map(Part::leaf_size).sum())
    }
}

/// Nodes breadth first, their volumes, and the triangles of the leaves from left to right.
fn flattened(whole: Part) -> (Vec<BvhNode>, Vec<Nested>, Vec<u32>) {
    let mut order = vec![0; whole.leaf_size()];
    let (mut nodes, mut volumes) = (Vec::new(), Vec::new());
    let mut queue = VecDeque::from([(0, whole)]);
    while let Some((first, part)) = queue.pop_front() {
        let mut node = BvhNode { first: first as u32, count: part.leaf_size() as u32, child: 0, children: 0 };
        if let Some(halves) = part.halves {
            (node.child, node.children) = ((nodes.len() + queue.len() + 1) as u32, 2);
            let mut start = first;
            for half in *halves {
                let next = start + half.leaf_size();
                queue.push_back((start, half));
                start = next;
            }
        } else {
            order[first..first + part.triangles.len()].copy_from_slice(&part.triangles);
        }
        nodes.push(node);
        volumes.push(part.volume);
    }
    (nodes, volumes, order)
}

/// The number of triangles of a node from which inner volumes grow.
const SEEDS: usize = 6;

/// Gives a node's box the largest inner volume that grows near some of its triangles.
fn fill(outer: &Nested, ids: &[u32], triangles: &[Triangle], kind: InnerKind) -> Nested {
    let half = outer.outer().half();
    // A flat patch has no room in its own box: the solid is beside it.
    let half = half.max(DVec3::splat(half.max_element() * 0.6));
    let axes = settled_rotation(&outer.outer().axis_matrix());
    let region = Region { center: outer.center(), axes, half };
    let mut best = *outer;
    for &id in ids.iter().step_by(ids.len().div_ceil(SEEDS).max(1)) {
        let triangle = &triangles[id as usize];
        let Some(normal) = triangle.scaled_normal().try_normalize() else { continue };
        // Inward, from a point that is off the triangle itself; triangles of a solid may face
        // either way.
        let off = |inward: DVec3| (triangle.centroid() + inward * (1e-9 * half.max_element()), inward);
        let is_solid = |(start, _): &(DVec3, DVec3)| winding_number(*start, triangles.iter().copied()) != 0;
        let Some((start, inward)) = [-normal, normal].map(off).into_iter().find(is_solid) else { continue };
        let room = room_along(triangles, start, inward, half.max_element());
        let Some((fit, walls)) = inflate(triangles, &region, start + inward * (0.5 * room), kind) else { continue };
        let nested = with_proven(outer, &fit, &walls, triangles);
        if nested.inner_volume() > best.inner_volume() {
            best = nested;
        }
    }
    best
}

/// Stored axes, made orthonormal to `f64` precision.
fn settled_rotation(axes: &DMat3) -> DMat3 {
    let x = axes.x_axis.normalize();
    let y = (axes.y_axis - x * x.dot(axes.y_axis)).normalize();
    DMat3::from_cols(x, y, x.cross(y))
}

impl Hierarchy for NestedTree {
    type Volume = Nested;
    type FitOptions = NestedOptions;
    const NAME: &'static str = "nested";

    fn build(mesh: &TriMesh, options: &BuildOptions, fit_options: Option<NestedOptions>) -> Result<Self> {
        options.check()?;
        let fit_options = fit_options.unwrap_or_default();
        fit_options.check()?;
        Ok(Self::make(mesh, options, fit_options))
    }

    fn bvh(&self) -> &Bvh<Nested> {
        &self.bvh
    }

    /// Builds anew: a volume inside of the old surface need not be inside of the moved one.
    fn refit(&mut self, mesh: &TriMesh, parallel: bool) {
        *self = Self::make(mesh, &BuildOptions { parallel, ..self.build }, self.options);
    }

    fn validate(&self, mesh: &TriMesh) -> Result<()> {
        let bad = |message: String| Err(Error::new(ErrorKind::BadData, message));
        let stored: Vec<Triangle> =
            (0..mesh.len() as u32).map(|id| mesh.triangle(id).map(|vertex| self.bvh.frame.store(vertex))).collect();
        if let Some(i) = self.bvh.volumes.iter().position(|nested| !is_inside(nested, &[], &stored)) {
            return bad(format!("what node {i} has inside is not proven to be inside of the surface"));
        }
        if !self.cut.contains(&true) {
            return self.bvh.validate(mesh);
        }
        for (id, triangle) in stored.iter().enumerate() {
            for point in samples(triangle) {
                if !self.holds(0, id as u32, point) {
                    return bad(format!("no leaf holds the point {point} of triangle {id}"));
                }
            }
        }
        Ok(())
    }

    fn memory(&self) -> usize {
        self.bvh.memory() + size_of_val(&self.cut[..])
    }

    #[inline]
    fn root(&self) -> Node {
        self.bvh.root()
    }

    #[inline]
    fn is_leaf(&self, node: Node) -> bool {
        self.bvh.is_leaf(node)
    }

    #[inline]
    fn children(&self, node: Node) -> impl Fn(usize) -> Node {
        self.bvh.children(node)
    }

    #[inline]
    fn size(&self, node: Node) -> f32 {
        self.bvh.size(node)
    }

    #[inline]
    fn plain(&self, node: Node) -> usize {
        self.bvh.plain(node)
    }

    #[inline]
    fn repeats(&self, triangle: u32) -> bool {
        self.cut[triangle as usize]
    }
}

/// Points of a triangle: a grid with its vertices.
fn samples(triangle: &Triangle) -> impl Iterator<Item = DVec3> {
    const STEPS: usize = 6;
    let [p, q, r] = triangle.0;
    let at = move |i: usize, j: usize| p + ((q - p) * i as f64 + (r - p) * j as f64) / STEPS as f64;
    (0..=STEPS).flat_map(move |i| (0..=STEPS - i).map(move |j| at(i, j)))
}

impl NestedTree {
    /// Whether a leaf below `node`, all nodes on the way included, holds a triangle and has a point
    /// of it in its box.
    fn holds(&self, node: Node, triangle: u32, point: DVec3) -> bool {
        let obb = self.bvh.volumes[node as usize].outer();
        let along = (obb.axis_matrix().transpose() * (point - Volume::center(obb))).abs();
        if !along.cmple(obb.half()).all() {
            return false;
        }
        let BvhNode { child, children, .. } = self.bvh.nodes[node as usize];
        match children {
            0 => self.bvh.triangles(node).contains(&triangle),
            _ => (child..child + children).any(|child| self.holds(child, triangle, point)),
        }
    }
}
