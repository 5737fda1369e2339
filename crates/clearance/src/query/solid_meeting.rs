//! A simple solid against a mesh of any kind, and against another solid.
//!
//! Meshes are descended by the bounds of `pair/volume/solid.rs`; default ones have a faster descent (`wide_solid_meeting.rs`).

use super::one_meeting::{OneShape, meet_mesh_and_one};
use super::{AnyMesh, Goal, LeafPair};
use crate::Pose;
use crate::convex::Method;
use crate::descent::{PairCache, Workspace};
use crate::math::{Similarity, UNIT_ROUNDOFF};
use crate::pair::shape::polyhedra_by::{ByMethod, Moved};
use crate::pair::volume::solid_gap;
use crate::shape::{Convex, ConvexPolyhedron, Primitive};
use crate::tree::Solid;
use crate::volume::Support;
use std::cell::RefCell;

/// How far rounding may carry a point of a solid within `extent` of the origin when that is moved into A's frame.
///
/// The centre takes 7 roundings of its size and t (see `moving_error` of meshes), each axis 5 of its half extent, of which there are
/// three, and R is off by 4: below 24 in all.
pub(super) fn moving_error(extent: f64, a_from_b: &Pose) -> f64 {
    24.0 * UNIT_ROUNDOFF * (extent + a_from_b.translation().length())
}

/// Runs `goal` over a mesh of any kind and a solid, helped by what `cache` remembers.
pub fn meet_mesh_and_solid<G: Goal>(
    a: &dyn AnyMesh,
    b: &Solid,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    cache: Option<&mut PairCache>,
) {
    let shape = b.shape().transformed(a_from_b);
    let stored = shape.stored(a.stored_frame());
    let one = OneShape {
        point: Some(stored.center()),
        shape,
        gap: |volume: &dyn Support, enough: f64| solid_gap(volume, &stored, enough),
        margin: Similarity::between(a.stored_frame(), a_from_b, b.frame()).margin,
        rounding: moving_error(b.extent(), a_from_b),
    };
    meet_mesh_and_one(a, b, one, goal, workspace, cache);
}

/// Runs `goal` over two solids. What is remembered is balls around and inside of them, and more of convex polyhedra.
#[inline]
pub fn meet_solids<G: Goal>(
    a: &Solid,
    b: &Solid,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    cache: Option<&mut PairCache>,
) {
    meet_solids_by(Method::Coherent, a, b, a_from_b, goal, workspace, cache);
}

/// Runs `goal` over two solids, by a method of choice where both are convex polyhedra; what that remembers is kept in `cache`.
#[inline]
pub fn meet_solids_by<G: Goal>(
    method: Method,
    a: &Solid,
    b: &Solid,
    a_from_b: &Pose,
    goal: &mut G,
    _workspace: &mut Workspace,
    cache: Option<&mut PairCache>,
) {
    goal.stats().leaf_pairs += 1;
    let pair = LeafPair { a: 0, b: 0, rounding: moving_error(b.extent(), a_from_b) };
    // Methods to compare with decide by themselves: see `PairTest::trusts_balls`.
    let known = |cache| if method == Method::Coherent { PairCache::of_solids(cache, a, b) } else { cache };
    // One pair is all that there is, whether the goal wants more or not.
    let _ = match polyhedra_of(a, b) {
        Some([first, second]) => {
            let memory = RefCell::new(cache.map(|cache| &mut known(cache).convex));
            let first = ByMethod { polyhedron: first, method, memory };
            goal.meet(pair, &first, &Moved { polyhedron: second, pose: a_from_b })
        }
        None => {
            let _ = cache.map(known);
            goal.meet(pair, a.shape(), &b.shape().transformed(a_from_b))
        }
    };
}

/// The shapes of two solids that are convex polyhedra.
#[inline]
fn polyhedra_of<'s>(a: &'s Solid, b: &'s Solid) -> Option<[&'s ConvexPolyhedron; 2]> {
    match (a.shape(), b.shape()) {
        (Primitive::ConvexPolyhedron(a), Primitive::ConvexPolyhedron(b)) => Some([a, b]),
        _ => None,
    }
}
