//! Point clouds: spheres of one radius about many points, under an eight-wide BVH of boxes.
//!
//! The nodes split along the Morton curve ([`super::morton`]). Boxes bound the points, and tests
//! subtract the radius: a box with its radius is tighter than a box around spheres. The tree stores
//! points twice: in `f64` as they came, to decide, and in `f32` lanes of eight, to bound.
//!
//! The collision-affording point tree (Ramsey, Kingston, Thomason and Kavraki, RSS 2024) copies
//! into each leaf the points that matter for spheres of a known size. SIMD lanes gain as much here
//! without a known size: they bound eight boxes at once. Cost: about 50 bytes a point.

use super::bvh::BvhNode;
use super::morton::partition_points;
use super::points::primitives_distance;
use super::{Geometry, Node, PrimitiveBvh, PrimitiveBvhNodes, Tree, cast_at_primitives, next_revision};
use crate::math::{DVec3, Frame, UNIT_ROUNDOFF};
use crate::shape::{PointDistance, Primitive, Ray, RayGoal, Sphere, check_points};
use crate::volume::{Aabb, BoundingSphere, BoxBlock};
use crate::{Error, ErrorKind, Result};

/// Set in the number of a node that is a leaf.
const LEAF: u32 = 1 << 31;
/// An upper bound of the rounding error of a stored coordinate in `f32`.
const ROUNDED: f32 = 1.0 / 16_777_216.0;

/// The data of a node that a search needs before it opens the node.
#[derive(Debug, Clone, Copy)]
struct CloudNode {
    bounds: Aabb,
    /// In the geometry's unit.
    size: f32,
    /// Inner: number of the first child. Leaf: position of the first point.
    first: u32,
    /// Number of its block, or of its lanes.
    link: u32,
    /// Inner: a bit per child that is a leaf.
    leaves: u8,
    /// The number of children or points.
    count: u8,
}

/// A point cloud with a radius: the union of the solid spheres about its points.
///
/// ```
/// use clearance_engine::{Pose, dispatch::Dispatcher, traversal::Workspace, math::DVec3, query::DistanceRequest, shape::Sphere, tree::{PointCloud, Solid}};
/// let points = (0..1000).map(|i| DVec3::new(f64::from(i % 40), f64::from(i / 40), 0.0)).collect();
/// let cloud = PointCloud::new(points, 0.1)?;
/// let (dispatcher, probe) = (Dispatcher::standard(), Solid::new(Sphere::new(0.5)?));
/// let plan = dispatcher.plan(&cloud, &probe)?;
/// let above = Pose::from_translation(DVec3::new(3.0, 4.0, 1.0))?;
/// let answer = plan.distance(&above, &DistanceRequest::default(), &mut Workspace::default(), None)?;
/// assert!((answer.upper - 0.4).abs() < 1e-12);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Clone)]
pub struct PointCloud {
    points: Vec<DVec3>,
    radius: f64,
    frame: Frame,
    extent: f64,
    sphere: BoundingSphere,
    vertices: (DVec3, DVec3),
    nodes: Vec<CloudNode>,
    blocks: Vec<BoxBlock>,
    /// The points of the leaves in stored coordinates; lanes without a point repeat the last one.
    lanes: Vec<[[f32; 8]; 3]>,
    /// Position in the tree → number of the point.
    order: Vec<u32>,
    revision: u64,
}

impl PointCloud {
    /// Creates the spheres of `radius` about `points`; an error names the first point that is not
    /// finite, or says that there is none.
    pub fn new(points: Vec<DVec3>, radius: f64) -> Result<Self> {
        let sphere = Sphere::new(radius)?;
        if points.is_empty() {
            return Err(Error::new(ErrorKind::Empty, "the cloud has no points"));
        }
        if u32::try_from(points.len()).is_err() {
            return Err(Error::new(ErrorKind::OutOfRange, format!("{} points are more than 2^32", points.len())));
        }
        check_points("point", &points)?;
        let radius = sphere.radius();
        let mut low = points[0];
        let mut high = points[0];
        for &point in &points {
            (low, high) = (low.min(point), high.max(point));
        }
        // A single point without a radius is tiny, not of size 1.
        let padding = radius.max(f64::MIN_POSITIVE);
        let frame = Frame::around(low - padding, high + padding);
        let (nodes, order) = partition_points(&points, &frame);
        let rounding = 4.0 * UNIT_ROUNDOFF * (low.abs().max(high.abs()) + radius);
        let vertices = (low - radius - rounding, high + radius + rounding);
        let mut cloud = Self {
            points,
            radius,
            frame,
            extent: low.abs().max(high.abs()).length() + radius,
            sphere: sphere_around(low, high, radius),
            vertices,
            nodes: Vec::with_capacity(nodes.len()),
            blocks: Vec::new(),
            lanes: Vec::new(),
            order,
            revision: next_revision(),
        };
        cloud.lay_out(&nodes);
        Ok(cloud)
    }

    /// The points, in their original order.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// The memory of the tree beyond the points, in bytes.
    pub fn memory(&self) -> usize {
        size_of_val(&self.nodes[..])
            + size_of_val(&self.blocks[..])
            + size_of_val(&self.lanes[..])
            + size_of_val(&self.order[..])
    }

    /// Fits boxes from the last node to the first, so that children come before their parents.
    fn lay_out(&mut self, nodes: &[BvhNode]) {
        let leaves = nodes.iter().filter(|node| node.children == 0).count();
        self.lanes.reserve_exact(leaves);
        self.blocks.reserve_exact(nodes.len() - leaves);
        let mut bounds = vec![Aabb::around(DVec3::ZERO, DVec3::ZERO); nodes.len()];
        let mut links = vec![0; nodes.len()];
        for (index, node) in nodes.iter().enumerate().rev() {
            if node.children == 0 {
                let lanes = self.in_lanes(node);
                bounds[index] = box_around(&lanes);
                links[index] = self.lanes.len() as u32;
                self.lanes.push(lanes);
            } else {
                let block = BoxBlock::new(&bounds[node.child as usize..(node.child + node.children) as usize]);
                bounds[index] = block.hull();
                links[index] = self.blocks.len() as u32;
                self.blocks.push(block);
            }
        }
        self.nodes.extend(nodes.iter().zip(bounds).zip(links).map(|((node, bounds), link)| {
            let size = (bounds.half().length() / self.frame.scale) as f32;
            let leaf = node.children == 0;
            let children = &nodes[node.child as usize..(node.child + node.children) as usize];
            let bits =
                children.iter().enumerate().fold(0, |bits, (lane, child)| bits | u8::from(child.children == 0) << lane);
            let (first, count) = if leaf { (node.first, node.count) } else { (node.child, node.children) };
            CloudNode { bounds, size, first, link, leaves: bits, count: count as u8 }
        }));
    }

    fn in_lanes(&self, node: &BvhNode) -> [[f32; 8]; 3] {
        let ids = &self.order[node.first as usize..(node.first + node.count) as usize];
        let mut lanes = [[0.0; 8]; 3];
        for lane in 0..8 {
            let point = self.frame.store(self.points[ids[lane.min(ids.len() - 1)] as usize]);
            for (slots, x) in lanes.iter_mut().zip(point.to_array()) {
                slots[lane] = x as f32;
            }
        }
        lanes
    }

    #[inline(always)]
    fn node(&self, node: Node) -> &CloudNode {
        &self.nodes[(node & !LEAF) as usize]
    }
}

/// A box around eight points with an error of up to [`ROUNDED`].
fn box_around(lanes: &[[f32; 8]; 3]) -> Aabb {
    let (mut center, mut half) = ([0.0; 3], [0.0; 3]);
    for k in 0..3 {
        let (low, high) = lanes[k].iter().fold((1.0_f32, -1.0_f32), |(low, high), &x| (low.min(x), high.max(x)));
        center[k] = 0.5 * (low + high);
        // A difference, a sum and a product are rounded, each by less than a quarter of what the
        // factor adds.
        half[k] = ((high - center[k]).max(center[k] - low) + ROUNDED) * (1.0 + 4.0 * ROUNDED);
    }
    Aabb::from_parts(center, half)
}

/// A bounding sphere of a box with a radius.
fn sphere_around(low: DVec3, high: DVec3, radius: f64) -> BoundingSphere {
    let center = low + (high - low) * 0.5;
    let half_diagonal = (high - center).max(center - low).length();
    BoundingSphere { center, radius: half_diagonal + radius }.moved(&crate::Pose::IDENTITY)
}

impl std::fmt::Debug for PointCloud {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PointCloud of {} points with radius {}", self.points.len(), self.radius)
    }
}

impl Tree for PointCloud {
    #[inline(always)]
    fn root(&self) -> Node {
        if self.blocks.is_empty() { LEAF } else { 0 }
    }

    #[inline(always)]
    fn is_leaf(&self, node: Node) -> bool {
        node & LEAF != 0
    }

    #[inline(always)]
    fn child(&self, node: Node, lane: usize) -> Node {
        self.children(node)(lane)
    }

    #[inline(always)]
    fn children(&self, node: Node) -> impl Fn(usize) -> Node {
        let node = self.node(node);
        let (first, leaves) = (node.first, u32::from(node.leaves));
        move |lane| (first + lane as u32) | (leaves >> lane << 31)
    }

    #[inline(always)]
    fn size(&self, node: Node) -> f32 {
        self.node(node).size
    }
}

impl PrimitiveBvhNodes for PointCloud {
    #[inline(always)]
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn extent(&self) -> f64 {
        self.extent
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        self.radius
    }

    #[inline(always)]
    fn bounds(&self, node: Node) -> Aabb {
        self.node(node).bounds
    }

    #[inline(always)]
    fn block(&self, node: Node) -> BoxBlock {
        let &CloudNode { link, count, .. } = self.node(node);
        if self.is_leaf(node) {
            BoxBlock { center: self.lanes[link as usize], half: [[ROUNDED; 8]; 3], count: count.into() }
        } else {
            self.blocks[link as usize]
        }
    }

    #[inline(always)]
    fn primitive_number(&self, leaf: Node, lane: usize) -> u32 {
        self.order[self.node(leaf).first as usize + lane]
    }

    #[inline]
    fn solid(&self, number: u32) -> Option<Primitive> {
        self.points.get(number as usize).map(|&point| Sphere::about(point, self.radius).into())
    }
}

impl PrimitiveBvh for PointCloud {}

impl Geometry for PointCloud {
    fn kind(&self) -> &'static str {
        "point cloud"
    }

    fn revision(&self) -> u64 {
        self.revision
    }

    fn sphere(&self) -> BoundingSphere {
        self.sphere
    }

    fn bounding_box(&self) -> (DVec3, DVec3) {
        self.vertices
    }

    fn signed_distance(&self, point: DVec3) -> Result<PointDistance> {
        check_points("point", &[point])?;
        primitives_distance(self, point, self.vertices)
    }

    fn cast_ray(&self, ray: &Ray, goal: &mut RayGoal) -> Result<()> {
        cast_at_primitives(self, ray, goal);
        Ok(())
    }
}
