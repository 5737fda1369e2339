//! What a robot can reach within its joint limits: hulls around the motion of its bodies, and
//! proven gaps between them.
//!
//! After Steinbach, Kuffner, Asfour and Dillmann, *Efficient collision and self-collision detection
//! for humanoids based on sphere trees hierarchies* (2006), with two changes. Hulls are spheres
//! swept exactly instead of sampled, so that no configuration within the limits leaves them. Tables
//! hold a proven smallest distance instead of a boolean, because a pair that never collides can
//! still be the closest.
//!
//! *Within the limits* means: every variable is, see
//! [`Robot::outside_limits`](crate::Robot::outside_limits); joints that follow another one go
//! wherever their rule takes them. Nothing here speaks about other configurations.
//!
//! Modules stand in dependency order: `sweep` (one sphere, one joint) → `parts` → `hulls` → `reach`
//! (one body in the root's frame), `path`
//! (the joints between two bodies) → `probe` (two bodies at one configuration) → `side` (one body
//! over boxes of variables) → `search` (branch and bound) → `gaps` → `saved` (in files) and
//! `tables`.

mod gaps;
mod hulls;
mod parts;
mod path;
mod probe;
mod reach;
mod saved;
mod search;
mod side;
mod sweep;
mod tables;

pub use gaps::{GapOptions, Gaps, PairGap, Verdict};
pub use hulls::{Hull, Hulls};
pub use parts::BodyPart;
pub(crate) use saved::{Subject, write_whole};
pub use tables::Tables;
