//! The smallest tree of solids: boxes, each along the axes, under nodes of a chosen arity.

use clearance_engine::Pose;
use clearance_engine::math::{DVec3, Frame};
use clearance_engine::shape::{Convex, Cuboid, Primitive};
use clearance_engine::tree::{Geometry, Node, PrimitiveBvh, PrimitiveBvhNodes, Tree, next_revision};
use clearance_engine::volume::{Aabb, BoundingSphere, BoxBlock};

struct BoxNode {
    bounds: Aabb,
    size: f32,
    /// First child or first place in `order`, and how many follow.
    first: u32,
    count: u32,
    leaf: bool,
}

/// Boxes that can be asked about.
pub struct Boxes {
    boxes: Vec<Cuboid>,
    nodes: Vec<BoxNode>,
    order: Vec<u32>,
    frame: Frame,
    vertices: (DVec3, DVec3),
    revision: u64,
}

fn vertices(cuboid: &Cuboid) -> (DVec3, DVec3) {
    (cuboid.center() - cuboid.half(), cuboid.center() + cuboid.half())
}

impl Boxes {
    /// A tree over boxes given by centre and half extents; nodes have up to `arity` children,
    /// leaves up to `leaf` boxes.
    pub fn new(boxes: &[(DVec3, DVec3)], arity: usize, leaf: usize) -> Self {
        let boxes: Vec<Cuboid> = boxes
            .iter()
            .map(|&(center, half)| {
                Cuboid::from_half_extents(half).unwrap().transformed(&Pose::from_translation(center).unwrap())
            })
            .collect();
        let low = boxes.iter().map(|one| vertices(one).0).reduce(|a, b| a.min(b)).unwrap();
        let high = boxes.iter().map(|one| vertices(one).1).reduce(|a, b| a.max(b)).unwrap();
        let order = (0..boxes.len() as u32).collect();
        let frame = Frame::around(low, high);
        let mut tree =
            Self { boxes, nodes: Vec::new(), order, frame, vertices: (low, high), revision: next_revision() };
        let count = tree.boxes.len();
        let root = tree.node(0..count);
        tree.nodes.push(root);
        let mut next = 0;
        while next < tree.nodes.len() {
            let (first, count) = (tree.nodes[next].first as usize, tree.nodes[next].count as usize);
            if count > leaf {
                let parts = tree.split(first..first + count, arity, leaf);
                tree.nodes[next].first = tree.nodes.len() as u32;
                tree.nodes[next].count = parts.len() as u32;
                tree.nodes[next].leaf = false;
                for part in parts {
                    let node = tree.node(part);
                    tree.nodes.push(node);
                }
            }
            next += 1;
        }
        tree
    }

    /// Cuts a range of `order` along its longest side, the most populous part first.
    fn split(&mut self, range: std::ops::Range<usize>, arity: usize, leaf: usize) -> Vec<std::ops::Range<usize>> {
        let mut parts = vec![range];
        while parts.len() < arity {
            let Some(i) = (0..parts.len()).filter(|&i| parts[i].len() > leaf).max_by_key(|&i| parts[i].len()) else {
                break;
            };
            let part = parts[i].clone();
            let centers = || self.order[part.clone()].iter().map(|&id| self.boxes[id as usize].center());
            let low = centers().reduce(|a, b| a.min(b)).unwrap();
            let high = centers().reduce(|a, b| a.max(b)).unwrap();
            let axis = (0..3).max_by(|&i, &j| (high - low)[i].total_cmp(&(high - low)[j])).unwrap();
            let boxes = &self.boxes;
            let along = |id: &u32| boxes[*id as usize].center()[axis];
            // In the middle, unless all are at one place.
            self.order[part.clone()].sort_by(|x, y| along(x).total_cmp(&along(y)));
            let below = self.order[part.clone()].partition_point(|id| along(id) < 0.5 * (low + high)[axis]);
            let middle = part.start + if below == 0 || below == part.len() { part.len() / 2 } else { below };
            parts[i] = part.start..middle;
            parts.push(middle..part.end);
        }
        parts
    }

    fn node(&self, range: std::ops::Range<usize>) -> BoxNode {
        let block: Vec<Aabb> = self.order[range.clone()].iter().map(|&id| self.stored(id)).collect();
        let bounds = block.chunks(8).map(|chunk| BoxBlock::new(chunk).hull()).collect::<Vec<_>>();
        let bounds = bounds.into_iter().reduce(|a, b| BoxBlock::new(&[a, b]).hull()).unwrap();
        let size = (bounds.half().length() / self.frame.scale) as f32;
        BoxNode { bounds, size, first: range.start as u32, count: range.len() as u32, leaf: true }
    }

    fn stored(&self, id: u32) -> Aabb {
        let cuboid = &self.boxes[id as usize];
        Aabb::around(self.frame.store(cuboid.center()), cuboid.half() * self.frame.scale)
    }

    /// The boxes in the order in which they were given.
    pub fn boxes(&self) -> &[Cuboid] {
        &self.boxes
    }
}

impl Tree for Boxes {
    fn root(&self) -> Node {
        0
    }

    fn is_leaf(&self, node: Node) -> bool {
        self.nodes[node as usize].leaf
    }

    fn child(&self, node: Node, lane: usize) -> Node {
        self.nodes[node as usize].first + lane as Node
    }

    fn size(&self, node: Node) -> f32 {
        self.nodes[node as usize].size
    }
}

impl PrimitiveBvh for Boxes {}

impl PrimitiveBvhNodes for Boxes {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn extent(&self) -> f64 {
        self.vertices.0.abs().max(self.vertices.1.abs()).length()
    }

    fn radius(&self) -> f64 {
        0.0
    }

    fn bounds(&self, node: Node) -> Aabb {
        self.nodes[node as usize].bounds
    }

    fn block(&self, node: Node) -> BoxBlock {
        let BoxNode { first, count, leaf, .. } = self.nodes[node as usize];
        let entries = first as usize..(first + count) as usize;
        let boxes: Vec<Aabb> = if leaf {
            self.order[entries].iter().map(|&id| self.stored(id)).collect()
        } else {
            self.nodes[entries].iter().map(|node| node.bounds).collect()
        };
        BoxBlock::new(&boxes)
    }

    fn primitive_number(&self, leaf: Node, lane: usize) -> u32 {
        self.order[self.nodes[leaf as usize].first as usize + lane]
    }

    fn solid(&self, number: u32) -> Option<Primitive> {
        self.boxes.get(number as usize).map(|&cuboid| cuboid.into())
    }
}

impl Geometry for Boxes {
    fn kind(&self) -> &'static str {
        "boxes"
    }

    fn revision(&self) -> u64 {
        self.revision
    }

    fn sphere(&self) -> BoundingSphere {
        let (low, high) = self.vertices;
        let vertex = |k: usize| DVec3::new([low, high][k & 1].x, [low, high][k >> 1 & 1].y, [low, high][k >> 2].z);
        BoundingSphere::around(&(0..8).map(vertex).collect::<Vec<_>>())
    }
}
