//! Assemblies: many placed geometries (robots, scenes, attached objects) under a BVH of spheres and
//! boxes.
//!
//! An assembly is a geometry itself, and its parts may be assemblies. It works with every geometry
//! that its parts work with.
//!
//! Invariant: the bounds of a node contain those of its children, those of a leaf its part.
//! [`AssemblyBuilder`] makes nodes bottom up (kinematic trees). [`Assembly::insert`] makes them one
//! by one (scenes) and opens the child that grows least. Cost of moving everything: one box around
//! boxes a node; of moving one part: its ancestors.

mod bounds;

pub(crate) use bounds::{Bounds, placing_error};

use super::points::assembly_distance;
use super::rays::cast_at_assembly;
use super::{Geometry, MAX_CHILDREN, Node, Tree, next_revision, next_revisions};
use crate::math::lanes::{Lanes8, Vectorized, vectorized};
use crate::math::{DVec3, SimdLevel};
use crate::shape::{PointDistance, Ray, RayGoal, check_points};
use crate::volume::BoundingSphere;
use crate::{Pose, Result};
use smallvec::SmallVec;
use std::sync::Arc;

/// The number of no node and no part.
const NONE: u32 = u32::MAX;

/// The identity of a part of an [`Assembly`] or of its copies. No other part of any assembly ever
/// has the same id; ids are ordered by age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartId {
    /// Unique in this process.
    serial: u64,
    number: u32,
}

impl PartId {
    /// The index of the part in the assembly. Indices are small, and a later part may reuse that of
    /// a removed one. Parts of an [`AssemblyBuilder`] have them in their order.
    #[inline]
    pub fn number(self) -> u32 {
        self.number
    }
}

/// A geometry at a pose.
#[derive(Clone)]
struct Part {
    geometry: Arc<dyn Geometry>,
    /// The bounds in the geometry's own coordinates.
    bounds: Bounds,
    pose: Pose,
    /// Its leaf.
    node: Node,
    /// That of its [`PartId`].
    serial: u64,
}

#[derive(Clone)]
struct AssemblyNode {
    bounds: Bounds,
    children: SmallVec<[Node; MAX_CHILDREN]>,
    /// The part, if it is a leaf.
    part: u32,
    parent: Node,
}

/// The number of revision numbers that an assembly takes at once.
const REVISIONS: u64 = 1 << 20;

/// The revision number of an assembly's state, and how many more it may use before it takes others.
struct Revision {
    number: u64,
    left: u64,
}

impl Default for Revision {
    fn default() -> Self {
        Self { number: next_revisions(REVISIONS), left: REVISIONS - 1 }
    }
}

// A copy goes its own way from here.
impl Clone for Revision {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Revision {
    fn advance(&mut self) {
        match self.left.checked_sub(1) {
            Some(left) => (self.number, self.left) = (self.number + 1, left),
            None => *self = Self::default(),
        }
    }
}

/// Placed geometries under a bounding volume hierarchy of spheres and boxes: a robot, a scene.
///
/// As a [`Geometry`] it works with every geometry that all of its parts work with; the number of a
/// leaf is then that of the part. A removed part leaves nothing behind: memory follows the largest
/// number of parts at any one time.
///
/// ```
/// use clearance_engine::{Pose, TriMesh, assembly::Assembly, math::DVec3, tree::Mesh};
/// use std::sync::Arc;
/// let tri_mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let mesh: Arc<Mesh> = Arc::new(Mesh::new(tri_mesh)?);
/// let mut scene = Assembly::default();
/// let one = scene.insert(mesh.clone(), Pose::IDENTITY);
/// let other = scene.insert(mesh, Pose::from_translation(DVec3::Z)?);
/// scene.remove(one);
/// assert!(scene.contains(other) && !scene.contains(one));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Clone)]
pub struct Assembly {
    /// The parts by number; `None` where a part was removed.
    parts: Vec<Option<Part>>,
    /// Numbers without a part.
    vacant: Vec<u32>,
    nodes: Vec<AssemblyNode>,
    root: Node,
    /// Nodes that are not in use.
    free: Vec<Node>,
    /// Children before parents; empty after a change, until it is needed.
    upward: Vec<Node>,
    revision: Revision,
}

impl Default for Assembly {
    fn default() -> Self {
        Self {
            parts: Vec::new(),
            vacant: Vec::new(),
            nodes: Vec::new(),
            root: NONE,
            free: Vec::new(),
            upward: Vec::new(),
            revision: Revision::default(),
        }
    }
}

/// Builds an [`Assembly`] with a given tree: parts, then groups of the nodes before.
#[derive(Default)]
pub struct AssemblyBuilder(Assembly);

impl AssemblyBuilder {
    /// Adds a part; its number is the number of parts before it.
    pub fn part(&mut self, geometry: Arc<dyn Geometry>, pose: Pose) -> Node {
        self.0.new_part(geometry, pose).1
    }

    /// Adds a node above others; it groups more than eight of them further. `None` for no children.
    pub fn group(&mut self, children: &[Node]) -> Option<Node> {
        match children {
            [] => None,
            [only] => Some(*only),
            _ if children.len() <= MAX_CHILDREN => Some(self.0.new_group(children)),
            _ => {
                let size = children.len().div_ceil(MAX_CHILDREN);
                let groups: Vec<Node> = children.chunks(size).filter_map(|some| self.group(some)).collect();
                self.group(&groups)
            }
        }
    }

    /// Builds the assembly below `root`, an empty one for `None`; parts that are not below it count
    /// as removed.
    pub fn build(mut self, root: Option<Node>) -> Assembly {
        let mut below = vec![false; self.0.parts.len()];
        if let Some(root) = root {
            self.0.root = root;
            self.0.nodes[root as usize].parent = NONE;
            self.0.parts_below(root).into_iter().for_each(|part| below[part as usize] = true);
        }
        for number in (0..below.len()).filter(|&number| !below[number]) {
            self.0.parts[number] = None;
            self.0.vacant.push(number as u32);
        }
        self.0
    }
}

/// Moves all parts to their poses and refits the tree above them.
struct PlaceAll<'a, F> {
    assembly: &'a mut Assembly,
    pose_of: F,
}

impl<F: Fn(u32) -> Pose> Vectorized for PlaceAll<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) {
        let Assembly { parts, nodes, .. } = self.assembly;
        for (number, part) in parts.iter_mut().enumerate() {
            if let Some(part) = part {
                part.pose = (self.pose_of)(number as u32);
                nodes[part.node as usize].bounds = part.bounds.moved_in(simd, &part.pose);
            }
        }
        self.assembly.refit();
    }
}

impl Assembly {
    fn new_node(&mut self, entry: AssemblyNode) -> Node {
        if let Some(node) = self.free.pop() {
            self.nodes[node as usize] = entry;
            return node;
        }
        self.nodes.push(entry);
        self.nodes.len() as Node - 1
    }

    fn new_part(&mut self, geometry: Arc<dyn Geometry>, pose: Pose) -> (PartId, Node) {
        self.revision.advance();
        let number = self.vacant.pop().unwrap_or_else(|| {
            self.parts.push(None);
            self.parts.len() as u32 - 1
        });
        let (serial, bounds) = (next_revision(), Bounds::of(&*geometry));
        let leaf = AssemblyNode { bounds: bounds.moved(&pose), children: SmallVec::new(), part: number, parent: NONE };
        let node = self.new_node(leaf);
        self.parts[number as usize] = Some(Part { geometry, bounds, pose, node, serial });
        self.upward.clear();
        (PartId { serial, number }, node)
    }

    /// The part of a number in use; every leaf and every [`PartId`] of this assembly has one.
    #[inline]
    fn part(&self, number: u32) -> &Part {
        self.parts[number as usize].as_ref().expect("the number of a part that is there")
    }

    fn new_group(&mut self, children: &[Node]) -> Node {
        let bounds = self.nodes[children[0] as usize].bounds;
        let node = self.new_node(AssemblyNode { bounds, children: SmallVec::from(children), part: NONE, parent: NONE });
        for &child in children {
            self.nodes[child as usize].parent = node;
        }
        self.nodes[node as usize].bounds = self.bounds_of_children(node);
        node
    }

    // Inlined, so that it has the instructions of its caller.
    #[inline(always)]
    fn bounds_of_children(&self, node: Node) -> Bounds {
        let entry = &self.nodes[node as usize];
        Bounds::around(entry.children.iter().map(|&child| &self.nodes[child as usize].bounds)).unwrap_or(entry.bounds)
    }

    /// The number of parts.
    pub fn part_count(&self) -> usize {
        self.parts.len() - self.vacant.len()
    }

    /// Whether the assembly has no part.
    pub fn is_empty(&self) -> bool {
        self.root == NONE
    }

    /// All parts, by their numbers.
    pub fn parts(&self) -> impl Iterator<Item = PartId> + '_ {
        (0..self.parts.len() as u32).filter_map(|number| self.id(number))
    }

    /// Whether a part belongs to this assembly and still exists.
    pub fn contains(&self, part: PartId) -> bool {
        self.id(part.number) == Some(part)
    }

    /// The part that has this number now.
    #[inline]
    pub fn id(&self, number: u32) -> Option<PartId> {
        let part = self.parts.get(number as usize)?.as_ref()?;
        Some(PartId { serial: part.serial, number })
    }

    /// The geometry of the part that has this number now.
    ///
    /// # Panics
    /// If none has it. An [`id`](Assembly::id) that is [contained](Assembly::contains) has a valid
    /// number. The same holds for all methods that take a number.
    #[inline]
    pub fn geometry(&self, number: u32) -> &Arc<dyn Geometry> {
        &self.part(number).geometry
    }

    /// The pose of the part that has this number now.
    #[inline]
    pub fn pose(&self, number: u32) -> &Pose {
        &self.part(number).pose
    }

    /// The bounding sphere of a part at its pose.
    #[inline]
    pub fn part_sphere(&self, part: u32) -> &BoundingSphere {
        &self.nodes[self.part(part).node as usize].bounds.sphere
    }

    /// A lower bound of the distance between a part and one of another assembly, by their spheres
    /// and boxes.
    #[inline]
    pub fn part_gap(&self, part: u32, other: &Self, other_part: u32) -> f64 {
        self.gap(self.part(part).node, other, other.part(other_part).node)
    }

    /// The low and high corner of the box (AABB) around a node.
    pub fn bounds_of(&self, node: Node) -> (DVec3, DVec3) {
        self.nodes[node as usize].bounds.vertices()
    }

    /// The part of a leaf, `None` for an inner node.
    #[inline]
    pub fn part_of(&self, node: Node) -> Option<u32> {
        let part = self.nodes[node as usize].part;
        (part != NONE).then_some(part)
    }

    /// The nodes below and including one, parents before children. A list, since a chain of links
    /// is as deep as it is long.
    fn downward(&self, node: Node) -> Vec<Node> {
        let (mut nodes, mut waiting) = (Vec::new(), vec![node]);
        while let Some(node) = waiting.pop() {
            nodes.push(node);
            waiting.extend(self.children_of(node).iter().rev());
        }
        nodes
    }

    /// All nodes, children before parents.
    pub fn upward(&self) -> Vec<Node> {
        let mut nodes = if self.root == NONE { Vec::new() } else { self.downward(self.root) };
        nodes.reverse();
        nodes
    }

    /// The numbers of the parts below a node.
    pub fn parts_below(&self, node: Node) -> Vec<u32> {
        self.downward(node).into_iter().filter_map(|node| self.part_of(node)).collect()
    }

    /// The number of node numbers.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The bounding sphere of a node.
    #[inline]
    pub fn sphere(&self, node: Node) -> &BoundingSphere {
        &self.nodes[node as usize].bounds.sphere
    }

    /// A lower bound of the distance between the contents of a node and of some bounds.
    #[inline]
    pub(crate) fn gap_to(&self, node: Node, bounds: &Bounds) -> f64 {
        self.nodes[node as usize].bounds.gap(bounds)
    }

    /// A lower bound of the distance between the contents of a node and of one of another assembly.
    #[inline]
    pub(crate) fn gap(&self, node: Node, other: &Self, other_node: Node) -> f64 {
        self.nodes[node as usize].bounds.gap(&other.nodes[other_node as usize].bounds)
    }

    /// Whether the contents of a node are provably farther than `distance` from those of one of
    /// another assembly.
    #[inline]
    pub(crate) fn are_apart(&self, node: Node, other: &Self, other_node: Node, distance: f64) -> bool {
        self.nodes[node as usize].bounds.are_apart(&other.nodes[other_node as usize].bounds, distance)
    }

    /// The children of a node; none for a leaf.
    #[inline]
    pub fn children_of(&self, node: Node) -> &[Node] {
        &self.nodes[node as usize].children
    }

    /// Inserts a part.
    pub fn insert(&mut self, geometry: Arc<dyn Geometry>, pose: Pose) -> PartId {
        let (part, node) = self.new_part(geometry, pose);
        if self.root == NONE {
            self.root = node;
            return part;
        }
        let bounds = self.nodes[node as usize].bounds;
        let mut at = self.root;
        if !bounds.is_bounded() && self.nodes[at as usize].children.len() == MAX_CHILDREN {
            // Below any of the children it would make that one unbounded too.
            self.root = self.new_group(&[at, node]);
            return part;
        }
        loop {
            let entry = &self.nodes[at as usize];
            if entry.children.is_empty() {
                // A leaf becomes a group of both.
                let parent = entry.parent;
                let group = self.new_group(&[at, node]);
                self.nodes[group as usize].parent = parent;
                self.replace_child(parent, at, Some(group));
                break;
            }
            if entry.children.len() < MAX_CHILDREN {
                self.nodes[at as usize].children.push(node);
                self.nodes[node as usize].parent = at;
                break;
            }
            let growth = |child: &Node| {
                let own = &self.nodes[*child as usize].bounds;
                let both = Bounds::around([own, &bounds]).filter(Bounds::is_bounded);
                both.map_or(f64::INFINITY, |both| both.sphere.radius - own.sphere.radius)
            };
            let Some(least) = entry.children.iter().copied().min_by(|a, b| growth(a).total_cmp(&growth(b))) else {
                break;
            };
            at = least;
        }
        self.refit_above(node);
        part
    }

    /// Removes a part and returns it with its pose; `None` if it does not belong to this assembly
    /// or was removed before.
    pub fn remove(&mut self, part: PartId) -> Option<(Arc<dyn Geometry>, Pose)> {
        if !self.contains(part) {
            return None;
        }
        let Part { geometry, pose, node, .. } = self.parts[part.number as usize].take()?;
        self.vacant.push(part.number);
        self.revision.advance();
        self.remove_leaf(node);
        Some((geometry, pose))
    }

    /// Takes a leaf out of the tree, with those of its ancestors that have nothing else below them.
    fn remove_leaf(&mut self, mut node: Node) {
        loop {
            let parent = self.nodes[node as usize].parent;
            self.replace_child(parent, node, None);
            self.upward.clear();
            // A stale node number finds nothing below it.
            self.nodes[node as usize].part = NONE;
            self.nodes[node as usize].children.clear();
            self.free.push(node);
            if parent == NONE {
                return;
            }
            if !self.nodes[parent as usize].children.is_empty() {
                self.nodes[parent as usize].bounds = self.bounds_of_children(parent);
                return self.refit_above(parent);
            }
            node = parent;
        }
    }

    /// Replaces `old` by `new` among the children of `parent`, or removes it.
    fn replace_child(&mut self, parent: Node, old: Node, new: Option<Node>) {
        if parent == NONE {
            self.root = new.unwrap_or(NONE);
            return;
        }
        let children = &mut self.nodes[parent as usize].children;
        match (children.iter().position(|&child| child == old), new) {
            (Some(at), Some(new)) => children[at] = new,
            (Some(at), None) => drop(children.remove(at)),
            (None, _) => {}
        }
    }

    /// Moves one part; returns false if it does not belong to this assembly or was removed.
    pub fn set_pose(&mut self, part: PartId, pose: Pose) -> bool {
        if !self.contains(part) {
            return false;
        }
        let Some(part) = &mut self.parts[part.number as usize] else { return false };
        self.revision.advance();
        part.pose = pose;
        let node = part.node;
        self.nodes[node as usize].bounds = part.bounds.moved(&pose);
        self.refit_above(node);
        true
    }

    /// Moves all parts at once, each to the pose that `pose_of` returns for its number. It skips
    /// removed parts.
    ///
    /// ```
    /// use clearance_engine::{Pose, assembly::Assembly, math::DVec3, shape::Sphere, tree::Solid};
    /// use std::sync::Arc;
    /// let mut row = Assembly::default();
    /// let sphere = Arc::new(Solid::new(Sphere::new(0.1)?));
    /// let numbers = [0, 1].map(|_| row.insert(sphere.clone(), Pose::IDENTITY));
    /// let there = Pose::from_translation(DVec3::X)?;
    /// row.place_all(|part| if part == numbers[0].number() { Pose::IDENTITY } else { there });
    /// assert_eq!(row.part_sphere(numbers[1].number()).center, DVec3::X);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn place_all(&mut self, pose_of: impl Fn(u32) -> Pose) {
        if self.upward.is_empty() && self.root != NONE {
            self.upward = self.upward();
            self.upward.retain(|&node| self.nodes[node as usize].part == NONE);
        }
        self.revision.advance();
        vectorized(SimdLevel::Best, PlaceAll { assembly: self, pose_of });
    }

    /// Refits the boxes of all inner nodes to their contents.
    #[inline(always)]
    fn refit(&mut self) {
        for i in 0..self.upward.len() {
            let node = self.upward[i];
            self.nodes[node as usize].bounds = self.bounds_of_children(node);
        }
    }

    fn refit_above(&mut self, node: Node) {
        let mut node = self.nodes[node as usize].parent;
        while node != NONE {
            self.nodes[node as usize].bounds = self.bounds_of_children(node);
            node = self.nodes[node as usize].parent;
        }
    }
}

impl Tree for Assembly {
    fn root(&self) -> Node {
        self.root
    }

    #[inline]
    fn is_leaf(&self, node: Node) -> bool {
        self.nodes[node as usize].part != NONE
    }

    #[inline]
    fn child(&self, node: Node, lane: usize) -> Node {
        self.nodes[node as usize].children[lane]
    }

    #[inline]
    fn size(&self, node: Node) -> f32 {
        self.nodes[node as usize].bounds.sphere.radius as f32
    }
}

impl Geometry for Assembly {
    fn kind(&self) -> &'static str {
        "assembly"
    }

    fn revision(&self) -> u64 {
        self.revision.number
    }

    fn sphere(&self) -> BoundingSphere {
        match self.nodes.get(self.root as usize) {
            Some(root) => root.bounds.sphere,
            None => BoundingSphere { center: DVec3::ZERO, radius: 0.0 },
        }
    }

    fn bounding_box(&self) -> (DVec3, DVec3) {
        self.nodes.get(self.root as usize).map_or((DVec3::ZERO, DVec3::ZERO), |root| root.bounds.vertices())
    }

    fn signed_distance(&self, point: DVec3) -> Result<PointDistance> {
        check_points("point", &[point])?;
        assembly_distance(self, point, self.bounding_box())
    }

    fn cast_ray(&self, ray: &Ray, goal: &mut RayGoal) -> Result<()> {
        cast_at_assembly(self, ray, goal)
    }
}
