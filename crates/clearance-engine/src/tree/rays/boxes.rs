//! A ray against trees in `f64`: plain hierarchies of meshes under any volume, and height fields.
//!
//! A volume is bounded by the box of its supports along the axes, so that any volume will do. The
//! default hierarchy has a faster way.

use super::bvh8::hit_of;
use crate::Triangle;
use crate::math::{DVec3, Frame, UNIT_ROUNDOFF};
use crate::pair::shape::ray_hit;
use crate::shape::{Ray, RayGoal};
use crate::tree::{Node, VolumeTree};
use crate::volume::Volume;
use smallvec::SmallVec;

/// A ray in the stored frame of a tree, in units of its `t`.
pub(super) struct FramedRay {
    origin: DVec3,
    inverse: DVec3,
    /// The direction has no component along these axes.
    parallel: [bool; 3],
    /// Storing rounds the origin and the boxes' contents, each once; so do poses of parts.
    margin: f64,
}

impl FramedRay {
    pub(super) fn new(ray: &Ray, frame: &Frame) -> Self {
        let origin = frame.store(ray.origin());
        let direction = ray.direction() * frame.scale;
        let margin = 64.0 * UNIT_ROUNDOFF * (origin.abs().max_element() + 4.0);
        Self { origin, inverse: direction.recip(), parallel: direction.to_array().map(|x| x == 0.0), margin }
    }

    /// Where the ray enters a box of the stored frame, at the earliest; `None` if it misses the box
    /// or enters it beyond `max_t`.
    pub(super) fn enters(&self, low: DVec3, high: DVec3, max_t: f64) -> Option<f64> {
        let (mut near, mut far) = (0.0_f64, max_t);
        for k in 0..3 {
            let rounding = |end: f64| self.margin + 64.0 * UNIT_ROUNDOFF * end.abs();
            let below = low[k] - rounding(low[k]) - self.origin[k];
            let above = high[k] + rounding(high[k]) - self.origin[k];
            if self.parallel[k] {
                if below > 0.0 || above < 0.0 {
                    return None;
                }
                continue;
            }
            let (one, other) = (below * self.inverse[k], above * self.inverse[k]);
            // The direction, its inverse and the product are rounded, sums are by the margin.
            near = near.max(one.min(other) * (1.0 - 8.0 * UNIT_ROUNDOFF));
            far = far.min(one.max(other) * (1.0 + 8.0 * UNIT_ROUNDOFF));
        }
        (near <= far).then_some(near)
    }

    /// The same for a volume.
    fn enters_volume<V: Volume>(&self, volume: &V, max_t: f64) -> Option<f64> {
        let low = -DVec3::from_array([DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z].map(|axis| volume.support(axis)));
        let high = DVec3::from_array([DVec3::X, DVec3::Y, DVec3::Z].map(|axis| volume.support(axis)));
        self.enters(low, high, max_t)
    }
}

/// Visits the leaves of a tree that a ray may meet, near ones first, until the goal is done.
///
/// `children` lists those of an inner node that the ray meets, `leaf` offers the hits of a leaf.
pub(super) fn visit(
    goal: &mut RayGoal,
    root: Node,
    is_leaf: impl Fn(Node) -> bool,
    mut children: impl FnMut(Node, f64, &mut SmallVec<[(f64, Node); 8]>),
    mut leaf: impl FnMut(Node, &mut RayGoal),
) {
    let mut waiting: SmallVec<[(f64, Node); 64]> = SmallVec::new();
    waiting.push((0.0, root));
    let mut met = SmallVec::new();
    while let Some((near, node)) = waiting.pop() {
        if near > goal.max_t() {
            continue;
        }
        if is_leaf(node) {
            leaf(node, goal);
            if goal.is_done() {
                return;
            }
        } else {
            met.clear();
            children(node, goal.max_t(), &mut met);
            met.sort_by(|a, b| b.0.total_cmp(&a.0));
            waiting.extend(met.iter().copied());
        }
    }
}

/// Offers the hits of a ray with a tree of triangles.
pub(in crate::tree) fn cast_at_triangles<T: VolumeTree<Shape = Triangle>>(tree: &T, ray: &Ray, goal: &mut RayGoal) {
    let framed = FramedRay::new(ray, tree.frame());
    visit(
        goal,
        tree.root(),
        |node| tree.is_leaf(node),
        |node, max_t, met| {
            for (lane, volume) in tree.block(node).iter().enumerate() {
                met.extend(framed.enters_volume(volume, max_t).map(|near| (near, tree.child(node, lane))));
            }
        },
        |node, goal| tree.shapes(node).for_each(|(id, triangle)| offer_triangle(ray, &triangle, id, goal)),
    );
}

fn offer_triangle(ray: &Ray, triangle: &Triangle, id: u32, goal: &mut RayGoal) {
    if let Some(t) = ray_hit(ray, triangle)
        && t <= goal.max_t()
    {
        goal.offer(hit_of(ray, t, triangle, id));
    }
}
