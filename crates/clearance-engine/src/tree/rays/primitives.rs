//! A ray against trees of primitives: point clouds, voxel maps, and those that users make.

use super::boxes::{FramedRay, visit};
use crate::pair::shape::cast_at_primitive;
use crate::shape::{Ray, RayGoal};
use crate::tree::PrimitiveBvhNodes;
use crate::volume::Volume;

/// Offers the hits of a ray with the primitives of a tree.
///
/// Trees of primitives of your own use it to implement
/// [`Geometry::cast_ray`](crate::tree::Geometry::cast_ray).
pub fn cast_at_primitives<T: PrimitiveBvhNodes>(tree: &T, ray: &Ray, goal: &mut RayGoal) {
    if tree.is_empty() {
        return;
    }
    let framed = FramedRay::new(ray, tree.frame());
    // Boxes bound cores.
    let radius = tree.radius() * tree.frame().scale * (1.0 + 1e-12);
    let meets = |node, lane: usize, max_t| {
        let bounds = tree.block(node).get(lane);
        framed.enters(bounds.center() - bounds.half() - radius, bounds.center() + bounds.half() + radius, max_t)
    };
    visit(
        goal,
        tree.root(),
        |node| tree.is_leaf(node),
        |node, max_t, met| {
            for lane in 0..tree.block(node).count as usize {
                met.extend(meets(node, lane, max_t).map(|near| (near, tree.child(node, lane))));
            }
        },
        |node, goal| {
            for lane in 0..tree.block(node).count as usize {
                let number = tree.primitive_number(node, lane);
                if meets(node, lane, goal.max_t()).is_some()
                    && let Some(solid) = tree.solid(number)
                {
                    cast_at_primitive(ray, &solid, number, goal);
                }
            }
        },
    );
}
