//! The questions: [`collide`](CollideGoal), [`contacts`](ContactsGoal), [`distance`](DistanceGoal),
//! [`within`](WithinGoal); of two solids also how deep they overlap, [`penetration`].
//!
//! A *goal* is the running state of a question: what it asked, what it found, and the limit beyond
//! which nothing matters any more. It does not know what trees it is asked about, so that one goal
//! runs through all parts of a composite geometry. [`TreePairTraversal`] joins a goal with two
//! trees and a pose to a [`Query`](crate::traversal::Query) of the traversal.

mod collide;
mod contacts;
mod containment;
mod distance;
mod half_spaces;
mod mesh_mesh;
mod mesh_mesh_leaves;
mod mesh_primitive;
mod mesh_primitive_bvh;
mod mesh_shape;
mod mixed_meshes;
mod penetration;
mod primitive_bvh_primitive;
mod primitive_bvhs;
mod primitives;
mod tree_tree;
mod within;

pub use crate::convex::Status;
pub use collide::{CollideGoal, Collision};
pub use contacts::{Contact, Contacts, ContactsGoal, ContactsRequest};
pub use containment::{
    contained, contained_fields, contained_solid, contained_solids, contained_solids_below, contained_with_field,
    winding_number,
};
pub use distance::{Distance, DistanceGoal, DistanceRequest, Witness};
pub use half_spaces::{
    test_half_spaces, test_primitive_and_half_space, traverse_mesh_and_half_space,
    traverse_primitive_bvh_and_half_space,
};
pub use mesh_mesh::traverse_meshes;
pub(crate) use mesh_mesh::{Bvh8Lanes, fits_lanes_of_a, fits_lanes_of_b, used};
pub use mesh_primitive::traverse_bvh8_and_primitive;
pub use mesh_primitive_bvh::traverse_bvh8_and_primitive_bvh;
pub use mixed_meshes::{AnyMesh, traverse_mixed_meshes};
pub use penetration::penetration;
pub use primitive_bvh_primitive::traverse_primitive_bvh_and_primitive;
pub use primitive_bvhs::{traverse_mesh_and_primitive_bvh, traverse_primitive_bvhs};
pub use primitives::{test_primitives, traverse_mesh_and_primitive};
#[cfg(feature = "lab")]
pub use tree_tree::Reuse;
pub(crate) use tree_tree::moving_error;
pub use tree_tree::{TreePairTraversal, traverse_trees};
pub use within::WithinGoal;

use crate::Pose;
use crate::math::DVec3;
use crate::pair::shape::Proximity;
use crate::traversal::{NodePair, Order, Stats};
use std::ops::ControlFlow;

/// A limit below which only contact is left to find. Unlike those of the smallest positive number,
/// its products with the scales of frames (2⁻³³³ and more) are not subnormal, which costs 27 ns
/// each: a fourth of a far `collide`.
pub(crate) const CONTACT: f64 = 1e-200;

/// The numbers of two shapes that meet, and how far rounding may have moved them against each
/// other.
#[derive(Debug, Clone, Copy)]
pub struct LeafPair {
    /// Number of the shape in the first tree.
    pub a: u32,
    /// Number of the shape in the second tree.
    pub b: u32,
    /// At least the error of the distance that comes from moving the second shape into the first
    /// one's frame.
    pub rounding: f64,
}

/// The running state of a question.
pub trait Goal {
    /// The order in which its traversals take their pairs.
    type Order: Order;

    /// Whether only overlap matters: then volumes are asked
    /// [`apart`](crate::pair::volume::Gap::apart), not for a gap.
    const OVERLAP_ONLY: bool;

    /// Pairs that are certainly this far apart, or farther, cannot matter.
    fn limit(&self) -> f64;

    /// What was counted.
    fn stats(&mut self) -> &mut Stats;

    /// Two shapes in one frame.
    fn meet<A: Proximity<B>, B>(&mut self, pair: LeafPair, a: &A, b: &B) -> ControlFlow<()>;

    /// Whether only the nearest pair matters, so that one that is certainly apart may be looked at
    /// later, when nearer ones are known, and need not be where nearer ones are sure to follow.
    const DEFERS: bool = false;

    /// Some pair, to be looked at later, is certainly not farther apart than `upper`.
    fn promise(&mut self, _upper: f64) {}

    /// A promise below this is worth making: not less than the limit, and more where a tolerance
    /// lowers that.
    fn worth_promising(&self) -> f64 {
        self.limit()
    }

    /// Whether what was found is as near as what was promised.
    fn keeps_promise(&self) -> bool {
        true
    }

    /// A point that two solids share though their surfaces do not.
    fn contain(&mut self, point: DVec3);

    /// Whether the goal already knows of an overlap.
    fn overlaps(&self) -> bool;

    /// Whether nothing that might still be found matters.
    fn is_done(&self) -> bool;

    /// Distances may be off by as much from here on, because of how what is met came to its place.
    fn loosen(&mut self, _rounding: f64) {}

    /// Everything that is `reach` or nearer satisfies the goal at once; negative if nothing does.
    fn accepts_within(&self) -> f64 {
        -1.0
    }

    /// A pair whose contents are certainly within [`accepts_within`](Goal::accepts_within), or
    /// overlap.
    fn accept(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Whether volumes that surely overlap, inside of solids, satisfy the goal:
    /// [`accept`](Goal::accept) is then told of them.
    const ACCEPTS_INNER: bool = false;

    /// The traversal was ended by this goal; all that was not looked at is at least `floor` apart.
    fn stopped(&mut self, _floor: f64) {}

    /// `overlapping` tells whether two geometries overlap, if what is remembered settles that:
    /// whether this is all that the goal asks.
    fn recall(&mut self, _overlapping: impl FnOnce() -> Option<bool>) -> bool {
        false
    }

    /// The pair of shapes to look at first next time.
    fn remembered(&self) -> Option<(u32, u32)> {
        None
    }

    /// Whether the goal can use the front of its last traversal.
    const KEEPS_FRONT: bool = false;

    /// Asks the goal to keep the front of its traversal, in `memory`.
    fn keep_front(&mut self, _memory: Vec<NodePair>) {}

    /// A pair of nodes, or leaves, that is certainly apart.
    fn dropped(&mut self, _pair: &NodePair) {}

    /// The front of the traversal that ended without a hit, empty if the goal did not keep it.
    fn take_front(&mut self) -> Vec<NodePair> {
        Vec::new()
    }

    /// Where the goal stands, for [`rewrite`](Goal::rewrite).
    type Mark: Copy;

    /// The present state.
    fn mark(&self) -> Self::Mark;

    /// Brings what was found since `mark` into another frame, with the two sides exchanged if
    /// asked.
    fn rewrite(&mut self, mark: Self::Mark, change: &Change);
}

/// How an answer about two parts becomes one about the wholes.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    /// From the frame of the answer to the one it is wanted in.
    pub pose: Pose,
    /// Whether first and second are exchanged.
    pub swapped: bool,
    /// What the first one is a part of calls it by this number, whatever its own leaves are called.
    pub part: Option<u32>,
}

impl Change {
    fn point_pair(&self, a: DVec3, b: DVec3) -> (DVec3, DVec3) {
        let (a, b) = (self.pose.transform_point(a), self.pose.transform_point(b));
        if self.swapped { (b, a) } else { (a, b) }
    }

    fn leaves(&self, (a, b): (u32, u32)) -> (u32, u32) {
        let (a, b) = if self.swapped { (b, a) } else { (a, b) };
        (self.part.unwrap_or(a), b)
    }
}
