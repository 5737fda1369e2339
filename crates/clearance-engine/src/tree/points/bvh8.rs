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
use crate::pair::volume::point_block::{ahead, margin, squared_gaps};
use crate::tree::Node;
use crate::tree::bvh8::Bvh8Tree;
use crate::tree::rays::{Waiting, nearest_first};
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

/// Triangles that may be the nearest: lower bounds in stored units, margins not subtracted, and
/// their positions in the tree.
type Candidates = SmallVec<[(f32, u32); 32]>;

impl Vectorized for Nearest<'_> {
    type Output = NearestTriangle;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> NearestTriangle {
        let margin = f32_above(margin(self.stored));
        let lanes = V8::splat(simd, self.stored.as_vec3().to_array());
        // The nearest triangle is not farther than this, margin included.
        let mut within = f32::INFINITY;
        let mut candidates = Candidates::new();
        let mut waiting: Waiting = SmallVec::new();
        let mut node = self.tree.root();
        'all: loop {
            if Bvh8Tree::is_leaf(node) {
                let (triangles, first, count) = self.tree.leaf(node);
                let bounds = point_bounds(simd, &load(simd, &triangles.lanes), lanes);
                within = within.min(above(least(bounds.upper.into()).sqrt() + margin));
                let met = bounds.lower.simd_le(F8::splat(simd, above(within + margin))).to_bitmask();
                let (mut met, lowers) = (met & (0xff >> (8 - count)), <[f32; 8]>::from(bounds.lower));
                while met != 0 {
                    let lane = met.trailing_zeros();
                    met &= met - 1;
                    candidates.push((lowers[lane as usize & 7], first + lane));
                }
            } else {
                let block = self.tree.block(node);
                let (keys, farthest) = squared_gaps(simd, block, lanes);
                within = within.min(above(least(farthest.into()) + margin));
                let limit = key_of(within, margin);
                let met = keys.simd_le(F8::splat(simd, limit)).to_bitmask() & (0xff >> (8 - block.count));
                if met != 0 {
                    node = nearest_first(met, &keys.into(), block.first, &mut waiting);
                    continue;
                }
            }
            let limit = key_of(within, margin);
            node = loop {
                match waiting.pop() {
                    Some((key, node)) if key <= limit => break node,
                    Some(_) => {}
                    None => break 'all,
                }
            };
        }
        let reach = above(within + margin);
        let mut nearest = NearestTriangle::default();
        for &(_, position) in candidates.iter().filter(|(lower, _)| *lower <= reach) {
            let id = self.tree.triangle_at(position);
            nearest.offer(self.point, &self.mesh.triangle(id), id);
        }
        nearest
    }
}

/// A number that is not below the exact result of an operation whose result was rounded to this.
#[inline(always)]
fn above(x: f32) -> f32 {
    x * (1.0 + f32::EPSILON)
}

/// Boxes with keys beyond this are farther than `within`.
#[inline(always)]
fn key_of(within: f32, margin: f32) -> f32 {
    let sum = above(within + margin);
    above(sum * sum)
}

#[inline(always)]
fn least([a, b, c, d, e, f, g, h]: [f32; 8]) -> f32 {
    a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)))
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
