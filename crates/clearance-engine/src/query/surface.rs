//! A BVH of AABBs over a mesh's triangles, for point queries: is a point inside, and how far is it
//! from the surface.
//!
//! The general queries ([`winding_number`](crate::query::winding_number), a plan's distance) take
//! ten times as long: their volumes suit two bodies in any pose, and their leaves any convex shape.
//!
//! [`point_triangle`] has the bounds of single triangles and their derivation.

use crate::math::DVec3;
use crate::pair::shape::{point_triangle, ray_crossing};
use crate::{TriMesh, Triangle};
use smallvec::SmallVec;
use std::sync::Arc;

/// The maximum number of triangles in a leaf.
const LEAF: usize = 4;

struct Node {
    low: DVec3,
    high: DVec3,
    /// The place behind all nodes below this one. The first child is next, the second one behind
    /// all nodes below that.
    end: u32,
    /// Of a leaf, its first triangle and their count; the count is 0 for others.
    first: u32,
    count: u32,
}

/// The distance of a point from a surface.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nearest {
    /// Certified.
    pub lower: f64,
    /// Certified.
    pub upper: f64,
    /// The nearest point, up to rounding.
    pub point: DVec3,
    /// The number of the triangle that has this point.
    pub triangle: u32,
    /// How many nodes and triangles the search looked at.
    pub work: u32,
}

/// Triangles under a binary BVH of AABBs.
pub(crate) struct Surface {
    mesh: Arc<TriMesh>,
    /// The triangles' numbers, leaf by leaf.
    order: Vec<u32>,
    nodes: Vec<Node>,
}

impl Surface {
    pub fn new(mesh: Arc<TriMesh>) -> Self {
        let mut order: Vec<u32> = (0..mesh.len() as u32).collect();
        let mut nodes = Vec::with_capacity(order.len());
        build(&mesh, &mut order, 0, &mut nodes);
        Self { mesh, order, nodes }
    }

    /// The triangles.
    pub fn mesh(&self) -> &Arc<TriMesh> {
        &self.mesh
    }

    /// The memory that the tree takes beside the triangles, in bytes.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.order.len() * size_of::<u32>() + self.nodes.len() * size_of::<Node>()
    }

    /// The winding number of a closed surface around a point that is not on it.
    pub fn winding_number(&self, point: DVec3) -> i32 {
        let (mut winding, mut at) = (0, 0);
        while let Some(node) = self.nodes.get(at) {
            let Node { low, high, .. } = node;
            let misses = point.x > high.x || point.y < low.y || point.y > high.y || point.z < low.z || point.z > high.z;
            if !misses {
                let crossing = |&id: &u32| ray_crossing(point, &self.mesh.triangle(id));
                winding += self.of(node).iter().map(crossing).sum::<i32>();
            }
            at = if misses { node.end as usize } else { at + 1 };
        }
        winding
    }

    /// The distance of a point from the surface.
    pub fn nearest(&self, point: DVec3) -> Nearest {
        self.nearest_from(point, self.order[0])
    }

    /// The same, faster where triangle number `hint` is near.
    pub fn nearest_from(&self, point: DVec3, hint: u32) -> Nearest {
        let mut nearest = Nearest { lower: f64::INFINITY, upper: f64::INFINITY, point, triangle: hint, work: 1 };
        let hint = if (hint as usize) < self.mesh.len() { hint } else { 0 };
        nearest.take(&self.mesh.triangle(hint), hint, point);
        let mut stack: SmallVec<[(f64, u32); 64]> = SmallVec::new();
        stack.push((0.0, 0));
        while let Some((distance, at)) = stack.pop() {
            // Skipped boxes are as far as the nearest triangle so far, or farther.
            if distance >= nearest.upper {
                continue;
            }
            nearest.work += 1;
            let node = &self.nodes[at as usize];
            if node.count == 0 {
                let children = [at + 1, self.nodes[at as usize + 1].end];
                let [mut near, mut far] =
                    children.map(|child| (box_distance(&self.nodes[child as usize], point), child));
                if far.0 < near.0 {
                    (near, far) = (far, near);
                }
                stack.push(far);
                stack.push(near);
            }
            for &id in self.of(node) {
                nearest.take(&self.mesh.triangle(id), id, point);
            }
        }
        nearest.lower = nearest.lower.min(nearest.upper);
        nearest
    }

    /// Visits triangles, roughly from near to far, but for those in boxes that `is_out` rejects
    /// when their turn comes.
    pub fn visit_outward(
        &self,
        point: DVec3,
        is_out: &mut dyn FnMut(DVec3, DVec3) -> bool,
        visit: &mut dyn FnMut(u32),
    ) {
        let mut heap = std::collections::BinaryHeap::new();
        // Distances are not negative, so their bits are in their order.
        heap.push((std::cmp::Reverse(0), 0_u32));
        while let Some((_, at)) = heap.pop() {
            let node = &self.nodes[at as usize];
            if is_out(node.low, node.high) {
                continue;
            }
            if node.count == 0 {
                for child in [at + 1, self.nodes[at as usize + 1].end] {
                    let distance = box_distance(&self.nodes[child as usize], point);
                    heap.push((std::cmp::Reverse(distance.to_bits()), child));
                }
            }
            self.of(node).iter().for_each(|&id| visit(id));
        }
    }

    fn of(&self, node: &Node) -> &[u32] {
        &self.order[node.first as usize..(node.first + node.count) as usize]
    }
}

impl Nearest {
    #[inline]
    fn take(&mut self, triangle: &Triangle, id: u32, point: DVec3) {
        let found = point_triangle(point, triangle);
        self.lower = self.lower.min(found.lower);
        if found.upper < self.upper {
            (self.upper, self.point, self.triangle) = (found.upper, point - found.way, id);
        }
        self.work += 1;
    }
}

fn build(mesh: &TriMesh, order: &mut [u32], first: u32, nodes: &mut Vec<Node>) {
    let grown = |(low, high): (DVec3, DVec3), p: DVec3| (low.min(p), high.max(p));
    let vertices = order.iter().flat_map(|&id| mesh.triangle(id).0);
    let (low, high) = vertices.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), grown);
    let (at, count) = (nodes.len(), order.len());
    nodes.push(Node { low, high, end: 0, first, count: if count <= LEAF { count as u32 } else { 0 } });
    if count > LEAF {
        let extent = high - low;
        let axis = if extent.x >= extent.max_element() { 0 } else { 1 + usize::from(extent.z > extent.y) };
        let key = |id: u32| mesh.triangle(id).0.iter().map(|vertex| vertex[axis]).sum::<f64>();
        order.select_nth_unstable_by(count / 2, |&p, &q| key(p).total_cmp(&key(q)));
        let (left, right) = order.split_at_mut(count / 2);
        build(mesh, left, first, nodes);
        build(mesh, right, first + (count / 2) as u32, nodes);
    }
    nodes[at].end = nodes.len() as u32;
}

/// The distance of a point from a node's box, from below.
#[inline]
fn box_distance(node: &Node, point: DVec3) -> f64 {
    // Two roundings of each square and its root.
    (point - point.clamp(node.low, node.high)).length() * (1.0 - 1e-15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::ConvexPolyhedron;
    use crate::volume::samples::Random;

    #[test]
    fn a_tree_of_boxes_answers_as_all_triangles_do() {
        let mut random = Random(17);
        for count in [4, 5, 30, 300] {
            let points: Vec<DVec3> = (0..count).map(|_| random.vector()).collect();
            let mesh = Arc::new(ConvexPolyhedron::hull_of(&points).unwrap().surface().unwrap());
            let surface = Surface::new(mesh.clone());
            let all = || (0..mesh.len() as u32).map(|i| mesh.triangle(i));
            for _ in 0..300 {
                let point = random.vector() * 1.5;
                assert_eq!(surface.winding_number(point), all().map(|t| ray_crossing(point, &t)).sum::<i32>());
                let nearest = surface.nearest(point);
                let expected = all().map(|t| point_triangle(point, &t).upper).fold(f64::INFINITY, f64::min);
                assert_eq!(nearest.upper, expected);
                assert!(nearest.lower <= expected && nearest.lower > expected * (1.0 - 1e-9), "{nearest:?}");
                assert_eq!(point_triangle(point, &mesh.triangle(nearest.triangle)).upper, expected);
                let other = surface.nearest_from(point, (mesh.len() / 2) as u32);
                assert_eq!((other.lower, other.upper), (nearest.lower, nearest.upper));
            }
        }
    }
}
