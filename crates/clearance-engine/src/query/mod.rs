//! The questions: [`collide`](CollideGoal), [`contacts`](Contacts), [`distance`](DistanceGoal),
//! [`within`](WithinGoal), and users' own, [`Visitor`]; of two solids also how deep they overlap,
//! [`penetration`].
//!
//! A *goal* is the running state of a question: what it asked, what it found, and the limit beyond
//! which nothing matters any more. It does not know what trees it is asked about, so that one goal
//! runs through all parts of a composite geometry. [`TreePairTraversal`] joins a goal with two
//! trees and a pose to a [`Query`](crate::traversal::Query) of the traversal.

mod any_trees;
mod collide;
mod contacts;
mod containment;
mod distance;
mod distance_fields;
mod goal;
mod gradient;
mod mesh_mesh;
mod mesh_mesh_leaves;
mod mesh_primitive;
mod mesh_primitive_bvh;
mod penetration;
mod primitive_bvh_primitive;
mod primitives;
mod surface;
mod tree_tree;
mod visit;
mod within;

pub use crate::convex::Status;
pub use crate::tree::AnyMesh;
pub use any_trees::{
    traverse_mesh_and_half_space, traverse_mesh_and_primitive, traverse_mesh_and_primitive_bvh, traverse_mixed_meshes,
    traverse_primitive_bvh_and_half_space, traverse_primitive_bvhs,
};
pub use collide::{CollideGoal, CollideRequest, Collision};
pub(crate) use contacts::ContactList;
pub use contacts::{Contact, Contacts, ContactsRequest};
pub use containment::{
    contained, contained_distance_field, contained_distance_field_below, contained_distance_fields, contained_fields,
    contained_solid, contained_solid_below, contained_solids, contained_solids_below, contained_with_field,
    winding_number,
};
pub use distance::{Distance, DistanceGoal, DistanceRequest, Witness};
pub use distance_fields::{
    traverse_field_and_half_space, traverse_fields, traverse_mesh_and_field, traverse_primitive_bvh_and_field,
};
pub(crate) use goal::CONTACT;
pub use goal::{Change, Composite, Defer, Goal, LeafPair};
pub use gradient::Gradient;
pub(crate) use gradient::{NearestLine, TIE, nearest_is_unique};
pub use mesh_mesh::traverse_meshes;
pub(crate) use mesh_mesh::{Bvh8Lanes, fits_lanes_of_a, fits_lanes_of_b, used};
pub use mesh_primitive::traverse_bvh8_and_primitive;
pub use mesh_primitive_bvh::traverse_bvh8_and_primitive_bvh;
pub use penetration::penetration;
pub use primitive_bvh_primitive::traverse_primitive_bvh_and_primitive;
pub use primitives::{test_half_spaces, test_primitive_and_field, test_primitive_and_half_space, test_primitives};
pub(crate) use surface::{Nearest, Surface};
#[cfg(feature = "lab")]
pub use tree_tree::Reuse;
pub use tree_tree::{TreePairTraversal, traverse_trees};
pub(crate) use visit::Visit;
pub use visit::{VisitGoal, Visitor};
pub use within::WithinGoal;
