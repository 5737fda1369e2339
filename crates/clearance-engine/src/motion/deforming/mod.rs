//! Continuous collision of deforming surfaces, with themselves and each other.
//!
//! In a step each vertex moves along a straight line, from one place to another in unit time. A
//! [`DeformingMesh`] keeps the topology and the tree of the surface; a step refits the boxes, each
//! around both ends of the way. The one loop takes pairs of nodes whose boxes overlap; of two
//! triangles their vertices meet faces and their edges edges (`features.rs`). Each vertex and edge
//! belongs to one of its triangles and meets others with that one alone (Curtis, Tamstorf and
//! Manocha, *Fast collision detection for deformable models using representative-triangles*, 2008).
//! For self-collision the pairs of children of every node are the seeds, but within patches that
//! cannot touch themselves (`patches.rs`).
//!
//! Invariant: two features that touch in the step are in boxes that overlap, of two triangles that
//! are not in one such patch.
//!
//! Sources: Jiménez, Thomas and Torras, *3D collision detection: a survey* (2001), sections 2.4 and
//! 4.2.1.

mod features;
mod patches;

use self::features::Features;
use self::patches::Normal;
use crate::math::{DVec3, Vec3A, f32_above, f32_below, unit};
use crate::pair::shape::triangles_overlap;
use crate::shape::{check_points, welded};
use crate::traversal::{Lanes, NodePair, Query, Stack, traverse};
use crate::tree::{MAX_CHILDREN, Mesh, Node, Tree};
use crate::{Error, ErrorKind, Readable, Result, TriMesh, Triangle};
use std::ops::ControlFlow;

/// What touches first: features by their vertices' numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TouchingFeatures {
    /// A vertex of the first surface and a face of the second.
    VertexFace(u32, [u32; 3]),
    /// A face of the first surface and a vertex of the second; of one surface always the former.
    FaceVertex([u32; 3], u32),
    /// An edge of each.
    EdgeEdge([u32; 2], [u32; 2]),
}

/// The first contact of deforming surfaces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeformingImpact {
    /// A lower bound of the time of impact: before it no features touch.
    pub t_lower: f64,
    /// A time soon after at which the features are as near as [`gap`](DeformingImpact::gap).
    pub t_upper: f64,
    /// An upper bound of the features' distance at `t_upper`: within the tolerance, or rounding.
    pub gap: f64,
    /// The features.
    pub features: TouchingFeatures,
}

/// A box around all places of something in a step.
#[derive(Clone, Copy)]
struct SweptBox {
    low: Vec3A,
    high: Vec3A,
}

impl SweptBox {
    const EMPTY: Self = Self { low: Vec3A::INFINITY, high: Vec3A::NEG_INFINITY };

    fn around(points: [DVec3; 2]) -> Self {
        let (low, high) = (points[0].min(points[1]), points[0].max(points[1]));
        Self {
            low: Vec3A::from_array(low.to_array().map(f32_below)),
            high: Vec3A::from_array(high.to_array().map(f32_above)),
        }
    }

    #[inline(always)]
    fn with(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    #[inline(always)]
    fn overlaps(&self, other: &Self) -> bool {
        (self.low.cmple(other.high) & other.low.cmple(self.high)).all()
    }
}

/// The boxes of a node's children, or of a leaf's triangles: lower and upper sides by axis and lane.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Block {
    low: [[f32; MAX_CHILDREN]; 3],
    high: [[f32; MAX_CHILDREN]; 3],
}

impl Block {
    const EMPTY: Self = Self { low: [[f32::INFINITY; MAX_CHILDREN]; 3], high: [[f32::NEG_INFINITY; MAX_CHILDREN]; 3] };

    fn set(&mut self, lane: usize, bounds: &SweptBox) {
        for axis in 0..3 {
            (self.low[axis][lane], self.high[axis][lane]) = (bounds.low[axis], bounds.high[axis]);
        }
    }

    /// A bit for each box that overlaps.
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "the counter names a lane of several arrays")]
    fn overlaps(&self, other: &SweptBox) -> u64 {
        let (low, high) = (other.low.to_array(), other.high.to_array());
        let mut apart = [false; MAX_CHILDREN];
        for axis in 0..3 {
            for lane in 0..MAX_CHILDREN {
                apart[lane] |= (self.low[axis][lane] > high[axis]) | (self.high[axis][lane] < low[axis]);
            }
        }
        (0..MAX_CHILDREN).fold(0, |bits, lane| bits | u64::from(!apart[lane]) << lane)
    }
}

/// A node: children in a row, or places in the order of triangles.
#[derive(Clone, Copy)]
struct TreeNode {
    first: u32,
    count: u32,
    leaf: bool,
}

/// A surface whose vertices move in straight lines during a step.
///
/// ```
/// use clearance_engine::{TriMesh, math::DVec3, motion::DeformingMesh};
/// // A sheet of two triangles is folded: one free corner moves through the other.
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0), DVec3::new(0.2, 0.2, 1.0)];
/// let mesh = TriMesh::new(corners.clone(), vec![[0, 1, 2], [1, 3, 2], [1, 4, 3]])?;
/// let mut moved = corners.clone();
/// moved[4].z = -1.0;
/// let mut sheet = DeformingMesh::new(&mesh)?;
/// sheet.step(&corners, &moved)?;
/// let touch = sheet.self_impact(1e-9)?.expect("it goes through the first triangle");
/// assert!(touch.t_lower <= 0.5 && touch.t_upper >= 0.5 - 1e-8 && touch.gap < 2e-9);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub struct DeformingMesh {
    triangles: Vec<[u32; 3]>,
    nodes: Vec<TreeNode>,
    /// The triangles in the order of leaves.
    order: Vec<u32>,
    /// For each triangle: the vertices that it owns, and from bit 3 on the edges.
    owned: Vec<u8>,
    /// For each node: the outline of its triangles, if they are a disc.
    outlines: Vec<Option<Vec<u32>>>,
    /// The places in the order of leaves below a node.
    ranges: Vec<[u32; 2]>,
    from: Vec<DVec3>,
    to: Vec<DVec3>,
    vertices: Vec<SweptBox>,
    bounds: Vec<SweptBox>,
    blocks: Vec<Block>,
    /// In the order of leaves.
    normals: Vec<Normal>,
    /// Whether a node's patch cannot touch itself.
    smooth: Vec<bool>,
    front: Stack,
    seeds: Vec<NodePair>,
}

impl DeformingMesh {
    /// Builds the tree of a surface; its first step is one at rest.
    pub fn new(mesh: &TriMesh) -> Result<Self> {
        let tree: Mesh = Mesh::new(mesh.clone())?;
        let (mut nodes, mut order, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
        // Breadth first, so that children are in a row.
        let mut sources = vec![tree.root()];
        let mut next = 0;
        while next < sources.len() {
            let source = sources[next];
            if tree.is_leaf(source) {
                let triangles = tree.triangles_of(source);
                nodes.push(TreeNode { first: order.len() as u32, count: triangles.len() as u32, leaf: true });
                order.extend_from_slice(triangles);
            } else {
                let count = tree.hierarchy().block(source).count;
                nodes.push(TreeNode { first: sources.len() as u32, count, leaf: false });
                sources.extend((0..count as usize).map(|lane| tree.child(source, lane)));
            }
            next += 1;
        }
        ranges.resize(nodes.len(), [0; 2]);
        let triangles = mesh.triangles().to_vec();
        let mut outlines = vec![None; nodes.len()];
        for number in (0..nodes.len()).rev() {
            let TreeNode { first, count, leaf } = nodes[number];
            let last = (first + count - 1) as usize;
            // Leaves are one after the other, and so is what is below a node.
            ranges[number] = if leaf { [first, first + count] } else { [ranges[first as usize][0], ranges[last][1]] };
            let [begin, end] = ranges[number].map(|place| place as usize);
            let patch: Vec<[u32; 3]> = order[begin..end].iter().map(|id| triangles[*id as usize]).collect();
            outlines[number] = patches::outline(&patch);
        }
        let owned = owners(&triangles);
        let mut deforming = Self {
            triangles,
            order,
            owned,
            outlines,
            ranges,
            from: Vec::new(),
            to: Vec::new(),
            vertices: Vec::new(),
            bounds: vec![SweptBox::EMPTY; nodes.len()],
            blocks: vec![Block::EMPTY; nodes.len()],
            normals: Vec::new(),
            smooth: vec![false; nodes.len()],
            nodes,
            front: Stack::default(),
            seeds: Vec::new(),
        };
        deforming.from.resize(mesh.vertices().len(), DVec3::ZERO);
        deforming.step(mesh.vertices(), mesh.vertices())?;
        Ok(deforming)
    }

    /// Sets the step: where the vertices are at its start and at its end.
    pub fn step(&mut self, from: &[DVec3], to: &[DVec3]) -> Result<()> {
        for points in [from, to] {
            if points.len() != self.from.len() {
                let message = format!("{} vertices given for a mesh of {}", points.len(), self.from.len());
                return Err(Error::new(ErrorKind::OutOfRange, message));
            }
            check_points("vertex", points)?;
        }
        self.from.clear();
        self.from.extend_from_slice(from);
        self.to.clear();
        self.to.extend_from_slice(to);
        self.vertices.clear();
        self.vertices.extend(from.iter().zip(to).map(|(from, to)| SweptBox::around([*from, *to])));
        self.normals.clear();
        for &id in &self.order {
            let [a, b, c] = self.triangles[id as usize].map(|v| v as usize);
            let edge = |p: usize, q: usize| [from[q] - from[p], to[q] - to[p]];
            self.normals.push(Normal::across(edge(a, b), edge(a, c)));
        }
        for number in (0..self.nodes.len()).rev() {
            let TreeNode { first, count, leaf } = self.nodes[number];
            let (mut block, mut sum) = (Block::EMPTY, SweptBox::EMPTY);
            for lane in 0..count as usize {
                let at = first as usize + lane;
                let bounds = if leaf { self.triangle_box(self.order[at]) } else { self.bounds[at] };
                block.set(lane, &bounds);
                sum = sum.with(bounds);
            }
            (self.blocks[number], self.bounds[number]) = (block, sum);
        }
        for number in 0..self.nodes.len() {
            self.smooth[number] = self.is_smooth(number);
        }
        Ok(())
    }

    /// A bit for each child or triangle of a node whose box overlaps. An unused lane is an empty
    /// box, which an infinite one overlaps.
    #[inline(always)]
    fn overlapping(&self, node: Node, bounds: &SweptBox) -> u64 {
        let used = (1_u64 << self.nodes[node as usize].count) - 1;
        self.blocks[node as usize].overlaps(bounds) & used
    }

    fn triangle_box(&self, id: u32) -> SweptBox {
        let [a, b, c] = self.triangles[id as usize].map(|v| self.vertices[v as usize]);
        a.with(b).with(c)
    }

    /// Whether a node's patch certainly does not touch itself in the step.
    fn is_smooth(&self, number: usize) -> bool {
        let Some(outline) = &self.outlines[number] else { return false };
        let [begin, end] = self.ranges[number].map(|place| place as usize);
        let normals = &self.normals[begin..end];
        let direction = normals.iter().map(|n| n.coefficients[0] + n.coefficients[2]).sum::<DVec3>();
        // Of unit length, so that no product leaves the range of numbers.
        let Some(direction) = unit(direction) else { return false };
        normals.iter().all(|normal| normal.is_along(direction))
            && patches::turns_once(outline, &self.from, &self.to, direction)
    }

    /// Pairs of nodes that together cover all pairs of triangles outside of smooth patches.
    fn own_seeds(&self, seeds: &mut Vec<NodePair>) {
        seeds.clear();
        let mut open = vec![0_u32];
        while let Some(number) = open.pop() {
            if self.smooth[number as usize] {
                continue;
            }
            let TreeNode { first, count, leaf } = self.nodes[number as usize];
            if leaf {
                seeds.push(NodePair::new(number, number));
                continue;
            }
            open.extend(first..first + count);
            for a in first..first + count {
                let others =
                    (a + 1..first + count).filter(|b| self.bounds[a as usize].overlaps(&self.bounds[*b as usize]));
                seeds.extend(others.map(|b| NodePair::new(a, b)));
            }
        }
    }

    /// Finds the first contact of the surface with itself: of a vertex with a face or of two edges
    /// that have no vertex in common.
    ///
    /// `None` is proof that there is none in the step. A surface that does not cross itself at the
    /// start ([`self_intersections`]) then does not at any time of it. A clearance of `tolerance` or
    /// less may count as contact where the features get into one plane.
    pub fn self_impact(&mut self, tolerance: f64) -> Result<Option<DeformingImpact>> {
        check_tolerance(tolerance)?;
        let (mut front, mut seeds) = (std::mem::take(&mut self.front), std::mem::take(&mut self.seeds));
        self.own_seeds(&mut seeds);
        let (this, goal) = (&*self, FirstContact { tolerance, limit: 2.0, best: None });
        let mut query = Pairs { a: this, b: this, own: true, goal };
        let _ = traverse(this, this, &mut query, &mut front, &seeds);
        let best = query.goal.best;
        (self.front, self.seeds) = (front, seeds);
        Ok(best)
    }

    /// Finds the first contact of two surfaces, as [`self_impact`](Self::self_impact).
    pub fn impact(&mut self, other: &Self, tolerance: f64) -> Result<Option<DeformingImpact>> {
        check_tolerance(tolerance)?;
        let mut front = std::mem::take(&mut self.front);
        let goal = FirstContact { tolerance, limit: 2.0, best: None };
        let this = &*self;
        let mut query = Pairs { a: this, b: other, own: false, goal };
        let _ = traverse(this, other, &mut query, &mut front, &[NodePair::new(0, 0)]);
        let best = query.goal.best;
        self.front = front;
        Ok(best)
    }

    fn way(&self, vertex: u32) -> [DVec3; 2] {
        [self.from[vertex as usize], self.to[vertex as usize]]
    }

    fn edge_box(&self, edge: [u32; 2]) -> SweptBox {
        self.vertices[edge[0] as usize].with(self.vertices[edge[1] as usize])
    }
}

fn check_tolerance(tolerance: f64) -> Result<()> {
    if tolerance.is_finite() && tolerance >= 0.0 {
        return Ok(());
    }
    let message = format!("a tolerance must be a finite number that is not negative, not {}", Readable(tolerance));
    Err(Error::new(ErrorKind::BadRequest, message))
}

/// For each triangle the vertices (bits 0 to 2) and edges (3 to 5) of which it is the first.
fn owners(triangles: &[[u32; 3]]) -> Vec<u8> {
    let mut vertices = std::collections::HashSet::new();
    let mut edges = std::collections::HashSet::new();
    let mut owned = Vec::with_capacity(triangles.len());
    for t in triangles {
        let mut bits = 0;
        for k in 0..3 {
            let edge = edge_of(t, k);
            bits |= u8::from(vertices.insert(t[k])) << k;
            bits |= u8::from(edges.insert([edge[0].min(edge[1]), edge[0].max(edge[1])])) << (3 + k);
        }
        owned.push(bits);
    }
    owned
}

fn edge_of(triangle: &[u32; 3], k: usize) -> [u32; 2] {
    [triangle[k], triangle[(k + 1) % 3]]
}

impl Tree for DeformingMesh {
    fn root(&self) -> Node {
        0
    }

    #[inline(always)]
    fn is_leaf(&self, node: Node) -> bool {
        self.nodes[node as usize].leaf
    }

    #[inline(always)]
    fn child(&self, node: Node, lane: usize) -> Node {
        self.nodes[node as usize].first + lane as u32
    }

    #[inline(always)]
    fn size(&self, node: Node) -> f32 {
        let SweptBox { low, high } = self.bounds[node as usize];
        (high - low).max_element()
    }
}

/// Lanes that overlap, all alike.
struct Overlaps(u64);

impl Lanes for Overlaps {
    #[inline(always)]
    fn below(&self, _limit: f32) -> u64 {
        self.0
    }

    #[inline(always)]
    fn keys(&self) -> &[f32; MAX_CHILDREN] {
        &[0.0; MAX_CHILDREN]
    }
}

/// What is to be known of two triangles.
trait PairGoal {
    fn meet(&mut self, a: &DeformingMesh, b: &DeformingMesh, own: bool, triangles: [u32; 2]) -> ControlFlow<()>;
}

/// All pairs of triangles whose swept boxes overlap.
struct Pairs<'q, G> {
    a: &'q DeformingMesh,
    b: &'q DeformingMesh,
    /// Whether both are one surface.
    own: bool,
    goal: G,
}

impl<G: PairGoal> Query<DeformingMesh, DeformingMesh> for Pairs<'_, G> {
    type Lanes = Overlaps;
    type Order = Stack;

    #[inline(always)]
    fn limit(&self) -> f32 {
        f32::INFINITY
    }

    #[inline(always)]
    fn bound_a(&mut self, a: &DeformingMesh, b: &DeformingMesh, pair: &NodePair) -> Overlaps {
        Overlaps(a.overlapping(pair.a, &b.bounds[pair.b as usize]))
    }

    #[inline(always)]
    fn bound_b(&mut self, a: &DeformingMesh, b: &DeformingMesh, pair: &NodePair) -> Overlaps {
        Overlaps(b.overlapping(pair.b, &a.bounds[pair.a as usize]))
    }

    fn leaf(&mut self, a: &DeformingMesh, b: &DeformingMesh, pair: &NodePair, _front: &mut Stack) -> ControlFlow<()> {
        let (leaf_a, leaf_b) = (a.nodes[pair.a as usize], b.nodes[pair.b as usize]);
        for lane in 0..leaf_a.count {
            let one = a.order[(leaf_a.first + lane) as usize];
            let mut bits = b.overlapping(pair.b, &a.triangle_box(one));
            if self.own && pair.a == pair.b {
                // Each pair once, and none with itself.
                bits &= u64::MAX << (lane + 1);
            }
            while bits != 0 {
                let other = b.order[(leaf_b.first + bits.trailing_zeros()) as usize];
                bits &= bits - 1;
                self.goal.meet(self.a, self.b, self.own, [one, other])?;
            }
        }
        ControlFlow::Continue(())
    }
}

struct FirstContact {
    tolerance: f64,
    limit: f64,
    best: Option<DeformingImpact>,
}

impl FirstContact {
    #[inline]
    fn test(&mut self, features: &Features, touching: impl FnOnce() -> TouchingFeatures) {
        if let Some(found) = features.first_contact(self.tolerance, self.limit) {
            self.limit = found.t_lower;
            let features::Contact { t_lower, t_upper, gap } = found;
            self.best = Some(DeformingImpact { t_lower, t_upper, gap, features: touching() });
        }
    }
}

impl PairGoal for FirstContact {
    #[inline]
    fn meet(&mut self, a: &DeformingMesh, b: &DeformingMesh, own: bool, [one, other]: [u32; 2]) -> ControlFlow<()> {
        let [face_a, face_b] = [a.triangles[one as usize], b.triangles[other as usize]];
        let [owned_a, owned_b] = [a.owned[one as usize], b.owned[other as usize]];
        let [box_a, box_b] = [a.triangle_box(one), b.triangle_box(other)];
        for k in 0..3 {
            let (v, w) = (face_a[k], face_b[k]);
            if owned_a >> k & 1 == 1 && !(own && face_b.contains(&v)) && a.vertices[v as usize].overlaps(&box_b) {
                let features = Features::vertex_face(a.way(v), face_b.map(|v| b.way(v)));
                self.test(&features, || TouchingFeatures::VertexFace(v, face_b));
            }
            if owned_b >> k & 1 == 1 && !(own && face_a.contains(&w)) && b.vertices[w as usize].overlaps(&box_a) {
                let features = Features::vertex_face(b.way(w), face_a.map(|v| a.way(v)));
                let touching =
                    if own { TouchingFeatures::VertexFace(w, face_a) } else { TouchingFeatures::FaceVertex(face_a, w) };
                self.test(&features, || touching);
            }
        }
        if owned_a < 8 || owned_b < 8 {
            return ControlFlow::Continue(());
        }
        let edges_b = [0, 1, 2].map(|k| edge_of(&face_b, k));
        let boxes_b = edges_b.map(|edge| b.edge_box(edge));
        for i in (0..3).filter(|i| owned_a >> (3 + i) & 1 == 1) {
            let e = edge_of(&face_a, i);
            let around = a.edge_box(e);
            if !around.overlaps(&box_b) {
                continue;
            }
            for j in (0..3).filter(|j| owned_b >> (3 + j) & 1 == 1) {
                let f = edges_b[j];
                if (own && (f.contains(&e[0]) || f.contains(&e[1]))) || !around.overlaps(&boxes_b[j]) {
                    continue;
                }
                let features = Features::edges(e.map(|v| a.way(v)), f.map(|v| b.way(v)));
                self.test(&features, || TouchingFeatures::EdgeEdge(e, f));
            }
        }
        ControlFlow::Continue(())
    }
}

/// Collects triangles that cross at rest.
struct Crossings<'v> {
    vertices: &'v [DVec3],
    found: Vec<[u32; 2]>,
    max: usize,
}

impl PairGoal for Crossings<'_> {
    fn meet(&mut self, a: &DeformingMesh, _b: &DeformingMesh, _own: bool, pair: [u32; 2]) -> ControlFlow<()> {
        if self.cross(pair.map(|id| a.triangles[id as usize])) {
            self.found.push([pair[0].min(pair[1]), pair[0].max(pair[1])]);
            if self.found.len() >= self.max {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

impl Crossings<'_> {
    /// Whether two triangles share more than the vertices and edges that they have in common.
    fn cross(&self, [a, b]: [[u32; 3]; 2]) -> bool {
        let place = |v: u32| self.vertices[v as usize];
        let of = |t: [u32; 3]| Triangle(t.map(place));
        let (one, other) = (of(a), of(b));
        if one.is_degenerate() || other.is_degenerate() {
            return false;
        }
        let common: Vec<u32> = a.into_iter().filter(|v| b.contains(v)).collect();
        // What is across from a common vertex, as a triangle without area.
        let across = |t: [u32; 3], v: u32| {
            let k = t.iter().position(|w| *w == v).unwrap_or(0);
            Triangle([place(t[(k + 1) % 3]), place(t[(k + 2) % 3]), place(t[(k + 2) % 3])])
        };
        match common[..] {
            [] => triangles_overlap(&one, &other),
            // Where they share more than the vertex, what they share ends across from it.
            [v] => triangles_overlap(&across(a, v), &other) || triangles_overlap(&across(b, v), &one),
            [v, w] => {
                // They share more than the edge only if one lies on the other.
                let third = |t: [u32; 3]| t.into_iter().find(|x| *x != v && *x != w).map(place);
                let (Some(p), Some(q)) = (third(a), third(b)) else { return true };
                let dot = |x: DVec3| Triangle([x, x, x]);
                let edge = |x: DVec3, end: u32| Triangle([x, place(end), place(end)]);
                triangles_overlap(&dot(p), &other)
                    || triangles_overlap(&dot(q), &one)
                    || [(p, v, q, w), (p, w, q, v)]
                        .into_iter()
                        .any(|(p, v, q, w)| triangles_overlap(&edge(p, v), &edge(q, w)))
            }
            _ => true,
        }
    }
}

/// Finds pairs of triangles of a mesh that cross or lie on each other, up to `max` of them, each in
/// the order of numbers. The verdict is exact.
///
/// Vertices at the same place count as one. Triangles that share vertices or edges cross if they
/// share anything else. Degenerate triangles, which are segments or points, do not count.
///
/// ```
/// use clearance_engine::{TriMesh, math::DVec3, motion::self_intersections};
/// let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
/// let floor = [at(0.0, 0.0, 0.0), at(3.0, 0.0, 0.0), at(0.0, 3.0, 0.0)];
/// let needle = [at(0.5, 0.5, -1.0), at(0.6, 0.5, -1.0), at(0.5, 0.5, 1.0)];
/// let mesh = TriMesh::new([floor, needle].concat(), vec![[0, 1, 2], [3, 4, 5]])?;
/// assert_eq!(self_intersections(&mesh, 10)?, [[0, 1]]);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn self_intersections(mesh: &TriMesh, max: usize) -> Result<Vec<[u32; 2]>> {
    if max == 0 {
        return Ok(Vec::new());
    }
    let first = welded(mesh);
    let triangles = mesh.triangles().iter().map(|t| t.map(|v| first[v as usize])).collect();
    let mut surface = DeformingMesh::new(&TriMesh::new(mesh.vertices().to_vec(), triangles)?)?;
    let (mut front, mut seeds) = (std::mem::take(&mut surface.front), Vec::new());
    surface.own_seeds(&mut seeds);
    let goal = Crossings { vertices: mesh.vertices(), found: Vec::new(), max };
    let mut query = Pairs { a: &surface, b: &surface, own: true, goal };
    let _ = traverse(&surface, &surface, &mut query, &mut front, &seeds);
    let mut found = query.goal.found;
    found.sort_unstable();
    Ok(found)
}

#[cfg(test)]
mod tests;
