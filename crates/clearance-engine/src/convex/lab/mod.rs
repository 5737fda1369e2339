//! Methods for two convex polyhedra that are here to be compared with: each whole and certified,
//! none of them the fastest. The feature `lab` has them, and so do the engine's own tests.
//!
//! They are the closest features after Lin and Canny, and Mirtich; a separating plane as a linear
//! programme; distance over Dobkin and Kirkpatrick's hierarchy, and as a quadratic programme. [`Method`] names them together with those that
//! the engine uses; `agreement/` holds all of them against an exact oracle. From the survey of
//! Jiménez, Thomas and Torras there are also filters of features that can touch first
//! ([`contact_pairs`]) and the predicates of basic contacts ([`edge_meets_face`]).

#[cfg(test)]
pub(super) mod agreement;
mod applicability;
mod basic_contacts;
mod hierarchical;
mod linear_programme;
mod method;
mod quadratic;
mod separating_plane;
mod vclip;

use super::Separation;
use super::gjk::Bounds;
use super::polyhedron_polyhedron::Polyhedra;
use crate::math::DVec3;
pub use applicability::{ContactFilters, ContactPair, contact_pairs};
#[cfg(test)]
pub(crate) use basic_contacts::edge_meets_face_by;
pub use basic_contacts::{EdgeMeetsFace, edge_beside_edge, edge_meets_face, edge_meets_polygon, vertex_above_face};
pub use hierarchical::hierarchical_distance;
pub use method::{Method, MethodMemory, decide_by, distance_by};
pub use quadratic::quadratic_distance;
pub use separating_plane::separating_plane;
pub use vclip::{ClosestFeatures, Feature};

/// A certain answer: the distance, or that it is no less than the limit.
type Proven = Option<Separation>;

impl Polyhedra<'_> {
    /// The answer, if bounds are tight or reach the limit: then there is none within that.
    fn proven(&self, bounds: &Bounds, limit: f64) -> Option<Proven> {
        if bounds.lower >= limit * self.pair.factor {
            return Some(None);
        }
        (bounds.lower > 0.0 && self.pair.are_tight(bounds)).then(|| Some(self.pair.finished(bounds, None)))
    }

    /// The answer where a point is certainly in both, with the gap along a way out.
    fn overlapping(&self, point: DVec3, way_out: DVec3) -> Separation {
        let mut bounds = Bounds { direction: way_out, ..Bounds::UNKNOWN };
        self.pair.certify(way_out, &mut bounds);
        // What is beyond rounding cannot be positive.
        bounds.lower = bounds.lower.min(0.0);
        self.pair.finished(&bounds, Some((point, true)))
    }
}
