//! The chosen cells of a voxel map as a geometry: a primitive BVH of boxes.
//!
//! It builds nothing: nodes are those of the [view](super::VoxelView), and the traversal makes
//! boxes on the fly, as `hetero`'s test tree of a voxel map "merely references the included voxel
//! maps". A snapshot lets a query outlive the map's next change. A leaf is a cube of equal cells,
//! or a group of up to eight cells of a brick, so that lanes are full where cells are single.
//!
//! Invariant: the primitive of a cube is the box of the grid's rounded edges, rounded outward by a
//! unit in the last place. Cost of making one: a walk along the border of the chosen cells, for
//! their extent.

use super::cell::Cells;
use super::map::{VoxelMap, VoxelSnapshot};
use super::node::{CellSphere, Range};
use super::view::{EMPTY, EdgeLanes, Extent, VoxelLeaf, VoxelView};
use crate::math::{DVec3, Frame, UNIT_ROUNDOFF, f32_above};
use crate::shape::{Cuboid, PointDistance, Primitive, Ray, RayGoal, check_points};
use crate::tree::points::primitives_distance;
use crate::tree::{
    Assembly, Geometry, MAX_CHILDREN, Node, PrimitiveBvh, PrimitiveBvhNodes, QueryRegion, Tree, cast_at_primitives,
};
use crate::volume::{Aabb, BoundingSphere, BoxBlock};
use crate::{Error, ErrorKind, Pose, Result};
use std::cell::OnceCell;
use std::sync::Arc;

/// An upper bound of the error of centres, made in `f32` of numbers of edges, in stored units.
///
/// Along each axis a centre is `first + cell·n`, in which both are rounded: `first`, at most 1, by
/// 2⁻²⁵; `cell·n`, at most 2, by 2⁻²³ for the cell and by 2⁻²⁴; the sum by 2⁻²⁵: 2⁻²² in all.
const ROUNDED: f64 = 1.0 / 4_194_304.0;
/// More than the roundings of half-extents.
const WIDER: f32 = 1.0 + 1.0 / 1_048_576.0;
/// The maximum number of edges, in units of a power of two of cells: their sums are exact in `f32`.
const MAX_EDGES: i64 = 1 << 22;

/// The chosen cells of a [snapshot](VoxelSnapshot) as a geometry: the union of their solid cubes.
///
/// ```
/// use clearance_engine::{Pose, dispatch::Dispatcher, traversal::Workspace, math::{DVec3, IVec3}, query::DistanceRequest, shape::Sphere, tree::Solid};
/// use clearance_engine::tree::voxel_map::{Cell, Cells, VoxelMap};
/// let mut map = VoxelMap::new(0.5)?;
/// map.fill(IVec3::ZERO, IVec3::new(9, 9, 0), Cell::Obstacle)?;
/// let (floor, sphere) = (map.snapshot().geometry(Cells::OBSTACLE)?, Solid::new(Sphere::new(0.25)?));
/// let dispatcher = Dispatcher::standard();
/// let above = Pose::from_translation(DVec3::new(2.0, 2.0, 1.0))?;
/// let answer = dispatcher.plan(&floor, &sphere)?.distance(&above, &DistanceRequest::default(), &mut Workspace::default(), None)?;
/// assert!((answer.upper - 0.25).abs() < 1e-12);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct VoxelCells {
    snapshot: VoxelSnapshot,
    cells: Cells,
    frame: Frame,
    root: Node,
    corners: (DVec3, DVec3),
    edges: Extent,
    /// The first edges, and half of a unit of edges, in stored units.
    first_stored: [f32; 3],
    half_unit: f32,
    /// An upper bound of the rounding error of the middle of two edges, in stored units.
    rounding: f32,
    revision: u64,
}

impl VoxelSnapshot {
    /// The chosen cells as a geometry; an error if there are none, or if the background is among
    /// them.
    pub fn geometry(&self, cells: Cells) -> Result<VoxelCells> {
        let view = self.view(cells)?;
        let empty = || Error::new(ErrorKind::Empty, "the voxel map has no such cells");
        let (first, last) = view.extent().ok_or_else(empty)?;
        let (first, last) = (first.to_array().map(i64::from), last.to_array().map(i64::from));
        let last = last.map(|index| index + 1);
        let (low, high) = self.grid().ends(first, last);
        let frame = Frame::around(low, high);
        let (grid, scale) = (self.grid(), frame.scale);
        let most = (0..3).map(|axis| last[axis] - first[axis]).max().unwrap_or(1);
        let shift = (0..).find(|shift| most >> shift < MAX_EDGES).unwrap_or(0);
        let half_unit = (0.5 * grid.resolution() * scale * (1_u64 << shift) as f64) as f32;
        let first_stored = frame.store(low).to_array().map(|x| x as f32);
        // Edges are rounded sums, whose parts may be larger than they are; so are the numbers made
        // of them here.
        let parts = low.abs().max(high.abs()) + grid.low_end([0; 3]).abs() * 2.0 + frame.center.abs();
        let rounding = f32_above(ROUNDED + 16.0 * UNIT_ROUNDOFF * parts.max_element() * scale);
        // Views of different cells of one snapshot are different geometries.
        let revision = crate::tree::next_revision();
        let (corners, edges) = ((low, high), Extent { first, last, shift });
        let (root, snapshot) = (view.root(), self.clone());
        Ok(VoxelCells { snapshot, cells, frame, root, corners, edges, first_stored, half_unit, rounding, revision })
    }
}

impl VoxelMap {
    /// The present obstacles as a geometry for pairs and scenes; the map may change afterwards.
    ///
    /// It builds nothing. A map without obstacles gives a geometry that nothing touches; a map whose
    /// background is obstacles is an error.
    ///
    /// ```
    /// use clearance_engine::{Pose, dispatch::Pair, math::DVec3, shape::Sphere, tree::voxel_map::{Cell, VoxelMap}};
    /// let mut map = VoxelMap::new(0.1)?;
    /// assert!(!Pair::new(map.obstacles()?, Sphere::new(0.1)?)?.collides(Pose::IDENTITY));
    /// map.set_at(DVec3::ZERO, Cell::Obstacle)?;
    /// assert!(Pair::new(map.obstacles()?, Sphere::new(0.1)?)?.collides(Pose::IDENTITY));
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn obstacles(&mut self) -> Result<Arc<dyn Geometry>> {
        match self.snapshot().geometry(Cells::OBSTACLE) {
            Ok(cells) => Ok(Arc::new(cells)),
            Err(error) if error.kind() == ErrorKind::Empty => Ok(Arc::new(Assembly::default())),
            Err(error) => Err(error),
        }
    }
}

impl VoxelCells {
    /// The snapshot of the map.
    pub fn snapshot(&self) -> &VoxelSnapshot {
        &self.snapshot
    }

    /// The kinds of cells that it includes.
    pub fn cells(&self) -> Cells {
        self.cells
    }

    /// The cube of a number in an answer; `None` if no cube has that number.
    pub fn leaf(&self, number: u32) -> Option<VoxelLeaf> {
        let view = self.view();
        if view.contains(number) { view.leaf(number) } else { None }
    }

    /// The tree of the chosen cells.
    #[inline(always)]
    fn view(&self) -> VoxelView<'_> {
        VoxelView::new(&self.snapshot, self.cells)
    }

    /// All chosen cells.
    #[inline(always)]
    fn all(&self) -> CellsInRange<'_> {
        CellsInRange { whole: self, view: self.view(), root: self.root }
    }

    /// Empty edge lanes.
    #[inline(always)]
    fn lanes(&self) -> EdgeLanes {
        EdgeLanes::new(self.edges)
    }

    /// The centre and half-extent along an axis, in stored coordinates.
    #[inline(always)]
    fn along(&self, axis: usize, low: i32, high: i32) -> (f32, f32) {
        let center = self.first_stored[axis] + self.half_unit * (low + high) as f32;
        (center, (self.half_unit * (high - low) as f32 + self.rounding) * WIDER)
    }
}

/// The chosen cells in a range, which are a mask here; other trees need a traversal.
#[derive(Clone, Copy)]
struct CellsInRange<'c> {
    whole: &'c VoxelCells,
    view: VoxelView<'c>,
    /// Computed once, since it takes a traversal.
    root: Node,
}

impl Tree for CellsInRange<'_> {
    #[inline]
    fn root(&self) -> Node {
        self.root
    }

    #[inline(always)]
    fn is_leaf(&self, node: Node) -> bool {
        self.view.is_group(node)
    }

    #[inline]
    fn child(&self, node: Node, lane: usize) -> Node {
        self.view.child(node, lane)
    }

    #[inline(always)]
    fn children(&self, node: Node) -> impl Fn(usize) -> Node {
        // Computed on first use, since the traversal often wants none.
        let children = OnceCell::new();
        move |lane| children.get_or_init(|| self.view.expand(node))[lane]
    }

    #[inline]
    fn size(&self, node: Node) -> f32 {
        self.view.size(node)
    }
}

impl PrimitiveBvhNodes for CellsInRange<'_> {
    #[inline(always)]
    fn frame(&self) -> &Frame {
        &self.whole.frame
    }

    fn extent(&self) -> f64 {
        self.whole.corners.0.abs().max(self.whole.corners.1.abs()).length()
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        0.0
    }

    #[inline]
    fn bounds(&self, node: Node) -> Aabb {
        let mut lanes = self.whole.lanes();
        lanes.push(&self.view.edges(node));
        let (mut center, mut half) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            (center[axis], half[axis]) = self.whole.along(axis, lanes.low[axis][0], lanes.high[axis][0]);
        }
        Aabb::from_parts(center, half)
    }

    // Inlined, so that it has the instructions of the query.
    #[inline(always)]
    fn block(&self, node: Node) -> BoxBlock {
        let mut lanes = self.whole.lanes();
        self.view.cube_edges(node, &mut lanes);
        // Unused lanes are cubes about the first corner.
        let mut block = BoxBlock { center: [[0.0; 8]; 3], half: [[0.0; 8]; 3], count: lanes.count as u32 };
        for axis in 0..3 {
            for lane in 0..MAX_CHILDREN {
                (block.center[axis][lane], block.half[axis][lane]) =
                    self.whole.along(axis, lanes.low[axis][lane], lanes.high[axis][lane]);
            }
        }
        block
    }

    #[inline]
    fn primitive_number(&self, leaf: Node, lane: usize) -> u32 {
        self.view.cubes(leaf)[lane]
    }

    #[inline]
    fn solid(&self, number: u32) -> Option<Primitive> {
        self.whole.leaf(number)?;
        let space = self.whole.view().enclosing(number);
        Some(Cuboid::about(space.center, space.half).into())
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.root == EMPTY
    }
}

impl Tree for VoxelCells {
    fn root(&self) -> Node {
        self.all().root()
    }

    fn is_leaf(&self, node: Node) -> bool {
        self.all().is_leaf(node)
    }

    fn child(&self, node: Node, lane: usize) -> Node {
        self.all().child(node, lane)
    }

    fn size(&self, node: Node) -> f32 {
        self.all().size(node)
    }
}

impl PrimitiveBvhNodes for VoxelCells {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn extent(&self) -> f64 {
        self.all().extent()
    }

    fn radius(&self) -> f64 {
        self.all().radius()
    }

    fn bounds(&self, node: Node) -> Aabb {
        self.all().bounds(node)
    }

    fn block(&self, node: Node) -> BoxBlock {
        self.all().block(node)
    }

    fn primitive_number(&self, leaf: Node, lane: usize) -> u32 {
        self.all().primitive_number(leaf, lane)
    }

    fn solid(&self, number: u32) -> Option<Primitive> {
        self.all().solid(number)
    }
}

impl PrimitiveBvh for VoxelCells {
    #[inline]
    fn within(&self, region: impl FnOnce() -> QueryRegion) -> impl PrimitiveBvhNodes {
        let QueryRegion { low, high, sphere } = region();
        let (grid, all) = (self.snapshot.grid(), self.all());
        // The rounding error of edges, in cells; a box has one more on each side.
        let rounding = |p: DVec3| 16.0 * UNIT_ROUNDOFF / grid.resolution() * (grid.origin().abs() + p.abs());
        let cells = |p: DVec3| (p - grid.origin()) / grid.resolution();
        let corner = |p: DVec3, outward: f64| cells(p) + outward * (1.0 + rounding(p));
        let view = all.view.within(Range::around(corner(low, -1.0), corner(high, 1.0)));
        let radius =
            sphere.radius / grid.resolution() * (1.0 + 4.0 * UNIT_ROUNDOFF) + rounding(sphere.center).element_sum();
        let root = match view.root() {
            root if view.overlaps(root, &CellSphere::new(cells(sphere.center), radius)) => root,
            _ => EMPTY,
        };
        CellsInRange { view, root, ..all }
    }
}

impl Geometry for VoxelCells {
    fn kind(&self) -> &'static str {
        "voxel map"
    }

    fn revision(&self) -> u64 {
        self.revision
    }

    fn sphere(&self) -> BoundingSphere {
        let (low, high) = self.corners;
        let center = low + (high - low) * 0.5;
        let radius = (high - center).max(center - low).length();
        BoundingSphere { center, radius }.moved(&Pose::IDENTITY)
    }

    fn bounding_box(&self) -> (DVec3, DVec3) {
        let rounding = 4.0 * UNIT_ROUNDOFF * self.corners.0.abs().max(self.corners.1.abs());
        (self.corners.0 - rounding, self.corners.1 + rounding)
    }

    fn signed_distance(&self, point: DVec3) -> Result<PointDistance> {
        check_points("point", &[point])?;
        primitives_distance(&self.all(), point, self.bounding_box())
    }

    fn cast_ray(&self, ray: &Ray, goal: &mut RayGoal) -> Result<()> {
        cast_at_primitives(&self.all(), ray, goal);
        Ok(())
    }
}
