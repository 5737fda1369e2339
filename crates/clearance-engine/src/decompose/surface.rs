//! A BVH of AABBs over a mesh's triangles, for point queries: is a point inside, and how far is it
//! from the surface. These two decide the time of a decomposition.
//!
//! The general queries ([`winding_number`](crate::query::winding_number), a plan's distance) take
//! ten times as long: their volumes suit two bodies in any pose, and their leaves any convex shape.

use crate::math::DVec3;
use crate::pair::shape::ray_crossing;
use crate::shape::Convex;
use crate::{TriMesh, Triangle};
use smallvec::SmallVec;

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
pub(super) struct Nearest {
    /// Certified up to the rounding of a few products.
    pub lower: f64,
    pub upper: f64,
    /// The triangle that has a point at the distance `upper`.
    pub triangle: Triangle,
}

/// Triangles under a binary BVH of AABBs.
pub(super) struct Surface {
    triangles: Vec<Triangle>,
    nodes: Vec<Node>,
}

impl Surface {
    pub fn new(mesh: &TriMesh) -> Self {
        let mut triangles: Vec<Triangle> = (0..mesh.len() as u32).map(|i| mesh.triangle(i)).collect();
        let mut nodes = Vec::with_capacity(triangles.len());
        build(&mut triangles, 0, &mut nodes);
        Self { triangles, nodes }
    }

    /// The winding number of a closed surface around a point that is not on it.
    pub fn winding_number(&self, point: DVec3) -> i32 {
        let (mut winding, mut at) = (0, 0);
        while let Some(node) = self.nodes.get(at) {
            let Node { low, high, .. } = node;
            let misses = point.x > high.x || point.y < low.y || point.y > high.y || point.z < low.z || point.z > high.z;
            if !misses {
                winding += self.of(node).iter().map(|triangle| ray_crossing(point, triangle)).sum::<i32>();
            }
            at = if misses { node.end as usize } else { at + 1 };
        }
        winding
    }

    /// The distance of a point from the surface.
    pub fn nearest(&self, point: DVec3) -> Nearest {
        let mut nearest = Nearest { lower: f64::INFINITY, upper: f64::INFINITY, triangle: Triangle([DVec3::ZERO; 3]) };
        let mut stack: SmallVec<[(f64, u32); 64]> = SmallVec::new();
        stack.push((0.0, 0));
        while let Some((distance, at)) = stack.pop() {
            // Skipped boxes are as far as the nearest triangle so far, or farther.
            if distance >= nearest.upper {
                continue;
            }
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
            for triangle in self.of(node) {
                let (lower, upper) = distances(triangle, point);
                nearest.lower = nearest.lower.min(lower);
                if upper < nearest.upper {
                    (nearest.upper, nearest.triangle) = (upper, *triangle);
                }
            }
        }
        nearest.lower = nearest.lower.min(nearest.upper);
        nearest
    }

    fn of(&self, node: &Node) -> &[Triangle] {
        &self.triangles[node.first as usize..(node.first + node.count) as usize]
    }
}

fn build(triangles: &mut [Triangle], first: u32, nodes: &mut Vec<Node>) {
    let grown = |(low, high): (DVec3, DVec3), p: &DVec3| (low.min(*p), high.max(*p));
    let vertices = triangles.iter().flat_map(|triangle| &triangle.0);
    let (low, high) = vertices.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), grown);
    let (at, count) = (nodes.len(), triangles.len());
    nodes.push(Node { low, high, end: 0, first, count: if count <= LEAF { count as u32 } else { 0 } });
    if count > LEAF {
        let extent = high - low;
        let axis = if extent.x >= extent.max_element() { 0 } else { 1 + usize::from(extent.z > extent.y) };
        let key = |triangle: &Triangle| triangle.0.iter().map(|vertex| vertex[axis]).sum::<f64>();
        triangles.select_nth_unstable_by(count / 2, |p, q| key(p).total_cmp(&key(q)));
        let (left, right) = triangles.split_at_mut(count / 2);
        build(left, first, nodes);
        build(right, first + (count / 2) as u32, nodes);
    }
    nodes[at].end = nodes.len() as u32;
}

/// The distance of a point from a node's box, from below.
fn box_distance(node: &Node, point: DVec3) -> f64 {
    // Two roundings of each square and its root.
    (point - point.clamp(node.low, node.high)).length() * (1.0 - 1e-15)
}

/// Bounds of the distance of a point from a triangle: a plane across the way to its nearest point
/// proves the lower one.
fn distances(triangle: &Triangle, point: DVec3) -> (f64, f64) {
    let offset = point - triangle.0[0];
    let way = offset - triangle.nearest(offset);
    let upper = way.length();
    let lower = triangle.0.iter().map(|vertex| (point - vertex).dot(way)).fold(f64::INFINITY, f64::min) / upper;
    (if upper > 0.0 { lower.clamp(0.0, upper) } else { 0.0 }, upper)
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
            let mesh = ConvexPolyhedron::hull_of(&points).unwrap().surface().unwrap();
            let surface = Surface::new(&mesh);
            let all = || (0..mesh.len() as u32).map(|i| mesh.triangle(i));
            for _ in 0..300 {
                let point = random.vector() * 1.5;
                assert_eq!(surface.winding_number(point), all().map(|t| ray_crossing(point, &t)).sum::<i32>());
                let nearest = surface.nearest(point);
                let expected = all().map(|t| distances(&t, point).1).fold(f64::INFINITY, f64::min);
                assert_eq!(nearest.upper, expected);
                assert!(nearest.lower <= expected && nearest.lower > expected * (1.0 - 1e-9), "{nearest:?}");
                assert_eq!(distances(&nearest.triangle, point).1, expected);
            }
        }
    }
}
