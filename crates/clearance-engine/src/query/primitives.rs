//! A simple solid against a mesh of any kind, and against another solid.
//!
//! Meshes are descended by the bounds of `pair/volume/solid.rs`; default ones have a faster
//! traversal (`mesh_primitive.rs`).

use super::mesh_shape::{OneShape, traverse_mesh_and_shape};
use super::{AnyMesh, Goal, LeafPair};
use crate::Pose;
use crate::math::{Similarity, UNIT_ROUNDOFF};
use crate::pair::shape::polyhedron_polyhedron::{MovedPolyhedron, WarmPolyhedron};
use crate::pair::volume::solid_gap;
use crate::shape::{Convex, ConvexPolyhedron, Primitive};
use crate::traversal::{WarmStart, Workspace};
use crate::tree::Solid;
use crate::volume::Support;
use std::cell::RefCell;

/// How far rounding may carry a point of a solid within `extent` of the origin when that is moved
/// into A's frame.
///
/// The centre takes 7 roundings of its size and t (see `moving_error` of meshes), each axis 5 of
/// its half extent, of which there are three, and R is off by 4: below 24 in all.
pub(super) fn moving_error(extent: f64, a_from_b: &Pose) -> f64 {
    24.0 * UNIT_ROUNDOFF * (extent + a_from_b.translation().length())
}

/// Runs `goal` over a mesh of any kind and a solid, helped by what `cache` remembers.
pub fn traverse_mesh_and_primitive<G: Goal>(
    a: &dyn AnyMesh,
    b: &Solid,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
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
    traverse_mesh_and_shape(a, b, one, goal, workspace, warm_start);
}

/// Runs `goal` over two solids. What is remembered is spheres around and inside of them, and more
/// of convex polyhedra.
#[inline]
pub fn test_primitives<G: Goal>(
    a: &Solid,
    b: &Solid,
    a_from_b: &Pose,
    goal: &mut G,
    _workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) {
    goal.stats().leaf_pairs += 1;
    let pair = LeafPair { a: 0, b: 0, rounding: moving_error(b.extent(), a_from_b) };
    let warm_start = warm_start.map(|warm_start| warm_start.of_solids(a, b));
    // One pair is all that there is, whether the goal wants more or not.
    let _ = match polyhedra_of(a, b) {
        Some([first, second]) => {
            let warm_start = RefCell::new(warm_start.map(|warm_start| &mut warm_start.convex));
            let first = WarmPolyhedron { polyhedron: first, warm_start };
            goal.meet(pair, &first, &MovedPolyhedron { polyhedron: second, pose: a_from_b })
        }
        None => goal.meet(pair, a.shape(), &b.shape().transformed(a_from_b)),
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
