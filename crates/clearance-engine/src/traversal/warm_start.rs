//! What is remembered from one query of a pair to the next: it makes the next one faster and never
//! changes its answer, unless a budget ends the search: then the interval may be a narrower one.

use super::NodePair;
use crate::Pose;
use crate::convex::{PolyhedronWarmStart, SphereBounds};
use crate::tree::{Geometry, Solid};

/// The memory of one pair of geometries; ignored as soon as either has another revision.
///
/// ```
/// use clearance_engine::traversal::WarmStart;
/// let cache = WarmStart::default(); // one per pair, handed to every query of that pair
/// ```
#[derive(Debug, Default, Clone)]
pub struct WarmStart {
    revisions: Option<(u64, u64)>,
    /// The closest, or a colliding, pair of shapes of the last query.
    pub(crate) shapes: Option<(u32, u32)>,
    /// Pairs of nodes that cover both trees and were all found apart by the last `collide`; empty:
    /// none.
    pub(crate) front: Vec<NodePair>,
    /// Memory for the next front and for the seeds of a traversal.
    pub(crate) spare: [Vec<NodePair>; 2],
    /// Two solids by their revisions, and what spheres around and inside of both tell.
    solids: Option<(u64, u64)>,
    spheres: SphereBounds,
    /// What two convex polyhedra remember; they check it themselves.
    pub(crate) convex: PolyhedronWarmStart,
}

impl WarmStart {
    /// The shapes to look at first; forgets everything that was learnt about other revisions.
    pub(crate) fn last_shapes(&mut self, revisions: (u64, u64)) -> Option<(u32, u32)> {
        if self.revisions != Some(revisions) {
            self.revisions = Some(revisions);
            self.shapes = None;
            self.front.clear();
        }
        self.shapes
    }

    /// The memory of two solids; what spheres tell of them is known from here on.
    #[inline]
    pub(crate) fn of_solids(&mut self, a: &Solid, b: &Solid) -> &mut Self {
        if self.solids != Some((a.revision(), b.revision())) {
            self.learn_solids(a, b);
        }
        self
    }

    #[cold]
    fn learn_solids(&mut self, a: &Solid, b: &Solid) {
        self.solids = Some((a.revision(), b.revision()));
        self.spheres = SphereBounds::of(a.shape(), b.shape());
    }

    /// Whether two solids overlap in this pose, if what is remembered tells without a look at them.
    #[inline]
    pub(crate) fn overlap_at(&self, revisions: (u64, u64), a_from_b: &Pose) -> Option<bool> {
        if self.solids == Some(revisions) { self.spheres.overlap_at(a_from_b) } else { None }
    }
}
