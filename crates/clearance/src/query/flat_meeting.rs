//! Half-spaces and planes against meshes of any kind, solids and each other.
//!
//! The flat is moved into the other's frame once. A mesh is descended by the heights of its volumes above the plane: a support along the
//! normal bounds the lowest point of a node, one against it the highest.
//! Nothing is ever contained: a bounded body that does not reach a flat is on one side of it.

use super::one_meeting::{OneShape, meet_mesh_and_one};
use super::{AnyMesh, Goal, LeafPair};
use crate::Pose;
use crate::descent::{PairCache, Workspace};
use crate::math::UNIT_ROUNDOFF;
use crate::pair::shape::Proximity;
use crate::shape::Flat;
use crate::tree::{Solid, Unbounded};
use crate::volume::Support;

/// How far rounding may shift a moved plane, seen by points within `extent` of A's origin.
///
/// The turned normal takes 5 roundings and R is off by 4u: 9u of a point's distance from the origin, and as much of t; offset and
/// dot product take 6 of |d| + |t|: below 16 in all.
fn moving_error(extent: f64, flat: &Flat, a_from_b: &Pose) -> f64 {
    24.0 * UNIT_ROUNDOFF * (extent + flat.plane().offset().abs() + a_from_b.translation().length())
}

/// Runs `goal` over a mesh of any kind and a flat, helped by what `cache` remembers.
pub fn meet_mesh_and_flat<G: Goal>(
    a: &dyn AnyMesh,
    b: &Unbounded,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    cache: Option<&mut PairCache>,
) {
    let flat = b.shape().transformed(a_from_b);
    let (frame, rounding) = (a.stored_frame(), moving_error(a.farthest(), b.shape(), a_from_b));
    let (n, d, solid) = (flat.plane().normal(), flat.plane().offset(), flat.is_solid());
    // The plane's own rounding, that of its stored offset, and of supports and stored coordinates below 2.
    let arithmetic = 64.0 * UNIT_ROUNDOFF * (frame.scale * (d.abs() + frame.center.length()) + 4.0);
    let stored = (d - n.dot(frame.center)) * frame.scale;
    let gap = |volume: &dyn Support, enough: f64| {
        let above = -volume.support(-n) - stored;
        if solid || above > enough { above } else { above.max(stored - volume.support(n)) }
    };
    let one = OneShape { shape: flat, gap, margin: rounding * frame.scale + arithmetic, rounding };
    meet_mesh_and_one(a, b, one, goal, workspace, cache);
}

/// Runs `goal` over a solid and a flat. There is nothing to remember.
pub fn meet_solid_and_flat<G: Goal>(
    a: &Solid,
    b: &Unbounded,
    a_from_b: &Pose,
    goal: &mut G,
    _workspace: &mut Workspace,
    _cache: Option<&mut PairCache>,
) {
    meet_one(a.shape(), a.extent(), b, a_from_b, goal);
}

/// Runs `goal` over two flats. There is nothing to remember.
pub fn meet_flats<G: Goal>(
    a: &Unbounded,
    b: &Unbounded,
    a_from_b: &Pose,
    goal: &mut G,
    _workspace: &mut Workspace,
    _cache: Option<&mut PairCache>,
) {
    meet_one(a.shape(), a.shape().plane().offset().abs(), b, a_from_b, goal);
}

/// One shape, within `extent` of its origin as far as that matters, and a flat.
fn meet_one<A: Proximity<Flat>, G: Goal>(a: &A, extent: f64, b: &Unbounded, a_from_b: &Pose, goal: &mut G) {
    goal.stats().leaf_pairs += 1;
    let pair = LeafPair { a: 0, b: 0, rounding: moving_error(extent, b.shape(), a_from_b) };
    // One pair is all that there is, whether the goal wants more or not.
    let _ = goal.meet(pair, a, &b.shape().transformed(a_from_b));
}
