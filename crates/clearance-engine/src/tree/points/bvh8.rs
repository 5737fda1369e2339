//! The nearest triangle of a point, and its winding number, under the default hierarchy of meshes.
//!
//! Bounds in `f32` rule out boxes and triangles by a derived margin
//! ([`crate::pair::volume::point_block`], [`crate::pair::shape::point_lanes`]); `f64` and exact
//! predicates decide.

use super::surface::NearestTriangle;
use crate::TriMesh;
use crate::math::lanes::{F8, Lanes8, SimdLevel, V8, Vectorized, vectorized};
use crate::math::{DVec3, f32_above};
use crate::pair::shape::point_lanes::point_bounds;
use crate::pair::shape::ray_crossing;
use crate::pair::shape::triangle_lanes::load;
use crate::pair::volume::point_block::{ahead, key_of, margin, squared_gaps};
use crate::tree::Node;
use crate::tree::bvh8::Bvh8Tree;
use crate::tree::rays::nearest_first;
use fearless_simd::prelude::*;
use smallvec::SmallVec;

/// Points farther away than so many times the mesh's size are left to `f64`.
const FARTHEST: f64 = 1e4;

/// The nearest triangle; `None` where the point is too far away for lanes.
pub(super) fn nearest_in_bvh8(tree: &Bvh8Tree, mesh: &TriMesh, point: DVec3) -> Option<NearestTriangle> {
    let stored = tree.frame().store(point);
    if stored.abs().max_element() > FARTHEST {
        return None;
    }
    Some(vectorized(SimdLevel::Best, Nearest { tree, mesh, point, stored }))
}

struct Nearest<'p> {
    tree: &'p Bvh8Tree,
    mesh: &'p TriMesh,
    point: DVec3,
    stored: DVec3,
}

impl Vectorized for Nearest<'_> {
    type Output = NearestTriangle;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> NearestTriangle {
        let (scale, margin) = (self.tree.frame().scale, margin(self.stored));
        let lanes = V8::splat(simd, self.stored.as_vec3().to_array());
        let mut nearest = NearestTriangle::default();
        // Keys from this on cannot be nearer.
        let mut limit = f32::INFINITY;
        let mut waiting: SmallVec<[(f32, Node); 64]> = SmallVec::new();
        let mut node = self.tree.root();
        loop {
            if Bvh8Tree::is_leaf(node) {
                self.leaf(simd, node, lanes, &mut nearest, &mut limit, margin, scale);
            } else {
                let block = self.tree.block(node);
                let keys = squared_gaps(simd, block, lanes);
                let met = keys.simd_lt(F8::splat(simd, limit)).to_bitmask() & (0xff >> (8 - block.count));
                if met != 0 {
                    node = nearest_first(met, &keys.into(), block.first, &mut waiting);
                    continue;
                }
            }
            node = loop {
                match waiting.pop() {
                    Some((key, node)) if key < limit => break node,
                    Some(_) => {}
                    None => return nearest,
                }
            };
        }
    }
}

impl Nearest<'_> {
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "the state of one loop")]
    fn leaf<S: Lanes8>(
        &self,
        simd: S,
        node: Node,
        lanes: V8<S>,
        nearest: &mut NearestTriangle,
        limit: &mut f32,
        margin: f64,
        scale: f64,
    ) {
        let (triangles, first, count) = self.tree.leaf(node);
        let bounds = point_bounds(simd, &load(simd, &triangles.lanes), lanes);
        let used = 0xff >> (8 - count);
        // The least upper bound of the leaf, which limits its own triangles too.
        let uppers: [f32; 8] = bounds.upper.into();
        let least = uppers.into_iter().fold(f32::INFINITY, f32::min);
        let within = f64::from(least).sqrt() + margin;
        let reach = f32_above((nearest.upper * scale).min(within) + margin);
        let mut met = bounds.lower.simd_le(F8::splat(simd, reach)).to_bitmask() & used;
        while met != 0 {
            let id = self.tree.triangle_at(first + met.trailing_zeros());
            met &= met - 1;
            nearest.offer(self.point, &self.mesh.triangle(id), id);
        }
        *limit = key_of(nearest.upper * scale, margin);
    }
}

/// How often a closed mesh winds around a point that is not on its surface, as
/// [`winding_number`](crate::pair::shape::winding_number) says; `None` where the point is too far
/// away for lanes.
pub(super) fn winding_in_bvh8(tree: &Bvh8Tree, mesh: &TriMesh, point: DVec3) -> Option<i64> {
    let stored = tree.frame().store(point);
    if stored.abs().max_element() > FARTHEST {
        return None;
    }
    Some(vectorized(SimdLevel::Best, Winding { tree, mesh, point, stored }))
}

struct Winding<'p> {
    tree: &'p Bvh8Tree,
    mesh: &'p TriMesh,
    point: DVec3,
    stored: DVec3,
}

impl Vectorized for Winding<'_> {
    type Output = i64;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> i64 {
        let margin = f32_above(margin(self.stored));
        let margins = F8::splat(simd, margin);
        let lanes = V8::splat(simd, self.stored.as_vec3().to_array());
        let mut waiting: SmallVec<[Node; 64]> = SmallVec::new();
        waiting.push(self.tree.root());
        let mut winding = 0;
        while let Some(node) = waiting.pop() {
            if Bvh8Tree::is_leaf(node) {
                let (triangles, first, count) = self.tree.leaf(node);
                let t = load(simd, &triangles.lanes);
                let (low, high) = (
                    |k: usize| t[0].0[k].min(t[1].0[k]).min(t[2].0[k]),
                    |k: usize| t[0].0[k].max(t[1].0[k]).max(t[2].0[k]),
                );
                let [x, y, z] = lanes.0;
                let beside = (low(1) - y).max(y - high(1)).max((low(2) - z).max(z - high(2))).max(x - high(0));
                let mut met = beside.simd_le(margins).to_bitmask() & (0xff >> (8 - count));
                while met != 0 {
                    let id = self.tree.triangle_at(first + met.trailing_zeros());
                    met &= met - 1;
                    winding += i64::from(ray_crossing(self.point, &self.mesh.triangle(id)));
                }
            } else {
                let block = self.tree.block(node);
                let mut met = ahead(simd, block, lanes, margins);
                while met != 0 {
                    waiting.push(block.first + met.trailing_zeros());
                    met &= met - 1;
                }
            }
        }
        winding
    }
}
