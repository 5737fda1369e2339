//! A simple solid against a mesh of any kind, and against another solid.
//!
//! Meshes are descended by the bounds of `pair/volume/solid.rs`; default ones have a faster descent (`wide_solid_meeting.rs`).

use super::one_meeting::{OneShape, meet_mesh_and_one};
use super::{AnyMesh, Goal, LeafPair};
use crate::Pose;
use crate::convex::Method;
use crate::descent::{PairCache, Workspace};
use crate::math::{Similarity, UNIT_ROUNDOFF};
use crate::pair::shape::polyhedra_by::ByMethod;
use crate::pair::volume::solid_gap;
use crate::shape::Primitive;
use crate::tree::Solid;
use crate::volume::Support;
use std::borrow::Cow;
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
        shape,
        gap: |volume: &dyn Support, enough: f64| solid_gap(volume, &stored, enough),
        margin: Similarity::between(a.stored_frame(), a_from_b, b.frame()).margin,
        rounding: moving_error(b.extent(), a_from_b),
    };
    meet_mesh_and_one(a, b, one, goal, workspace, cache);
}

/// Runs `goal` over two solids. There is nothing to remember but of convex polyhedra.
pub fn meet_solids<G: Goal>(
    a: &Solid,
    b: &Solid,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    cache: Option<&mut PairCache>,
) {
    let polyhedra = |solid: &Solid| matches!(solid.shape(), Primitive::ConvexPolyhedron(_));
    if cache.is_some() && polyhedra(a) && polyhedra(b) {
        return meet_solids_by(Method::Coherent, a, b, a_from_b, goal, workspace, cache);
    }
    goal.stats().leaf_pairs += 1;
    let pair = LeafPair { a: 0, b: 0, rounding: moving_error(b.extent(), a_from_b) };
    // One pair is all that there is, whether the goal wants more or not.
    let _ = goal.meet(pair, a.shape(), &b.shape().transformed(a_from_b));
}

/// Runs `goal` over two solids, by a method of choice where both are convex polyhedra; what that remembers is kept in `cache`.
pub fn meet_solids_by<G: Goal>(
    method: Method,
    a: &Solid,
    b: &Solid,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    cache: Option<&mut PairCache>,
) {
    let (Primitive::ConvexPolyhedron(polyhedron), Primitive::ConvexPolyhedron(other)) = (a.shape(), b.shape()) else {
        return meet_solids(a, b, a_from_b, goal, workspace, cache);
    };
    // Nothing is made that is not needed.
    let Some(cache) = cache else {
        let mut cache = PairCache::default();
        return meet_solids_by(method, a, b, a_from_b, goal, workspace, Some(&mut cache));
    };
    goal.stats().leaf_pairs += 1;
    let memory = RefCell::new(&mut cache.convex);
    let pair = LeafPair { a: 0, b: 0, rounding: moving_error(b.extent(), a_from_b) };
    let first = ByMethod { polyhedron: Cow::Borrowed(polyhedron), method, memory: &memory };
    let _ = goal.meet(pair, &first, &other.transformed(a_from_b));
}
