//! Scratch memory of traversals: one per thread, handed to every query, so that nothing is
//! allocated after warm-up.

use super::order::{BestFirst, NearestFirst, Order, Stack};
use crate::math::SimdLevel;
use std::any::Any;
use std::collections::HashSet;

/// A pair of triangles that may matter once nearer ones are known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    /// At most the distance, up to the margin; in the query's own units.
    pub lower: f32,
    /// Position in the first tree.
    pub a: u32,
    /// Position in the second tree.
    pub b: u32,
}

/// Up to sixteen pairs of triangles side by side: vertex, coordinate, lane; and their positions in
/// the two trees.
#[derive(Debug, Default)]
pub(crate) struct PairLanes {
    pub a: [[[f32; 16]; 3]; 3],
    pub b: [[[f32; 16]; 3]; 3],
    pub positions: [[u32; 16]; 2],
}

/// Which pairs of shapes have met already, of those that are in several leaves.
#[derive(Debug, Default)]
pub(crate) struct MetShapes(HashSet<(u32, u32)>);

impl MetShapes {
    /// Takes in a pair; true if it was not in before.
    pub fn is_new(&mut self, a: u32, b: u32) -> bool {
        self.0.insert((a, b))
    }
}

/// What one search keeps besides its front: the memory of the search before it.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) waiting: PairLanes,
    pub(crate) met: MetShapes,
}

impl Scratch {
    /// The same memory without what the last search has left there.
    pub(crate) fn cleared(&mut self) -> &mut Self {
        // Some are left where a goal has panicked.
        self.candidates.clear();
        self.met.0.clear();
        self
    }
}

/// Fronts of every kind that are not in use.
#[derive(Debug, Default)]
pub(crate) struct Fronts {
    stacks: Vec<Stack>,
    nearest: Vec<NearestFirst>,
    best: Vec<BestFirst>,
    others: Vec<Box<dyn Any + Send + Sync>>,
}

impl Fronts {
    /// See [`Workspace::take`].
    pub fn take<O: Order>(&mut self) -> O {
        self.pool::<O>().and_then(Vec::pop).unwrap_or_default()
    }

    /// See [`Workspace::put`].
    pub fn put<O: Order>(&mut self, front: O) {
        if let Some(pool) = self.pool::<O>() {
            pool.push(front);
        }
    }

    fn pool<O: Order>(&mut self) -> Option<&mut Vec<O>> {
        let pools: [&mut dyn Any; 3] = [&mut self.stacks, &mut self.nearest, &mut self.best];
        for pool in pools {
            if pool.is::<Vec<O>>() {
                return pool.downcast_mut();
            }
        }
        if !self.others.iter().any(|pool| pool.is::<Vec<O>>()) {
            self.others.push(Box::new(Vec::<O>::new()));
        }
        self.others.iter_mut().find_map(|pool| pool.downcast_mut())
    }
}

/// The memory that queries work in. Descents may nest (a leaf that is a geometry of its own): each
/// takes its own front.
///
/// ```
/// use clearance_engine::traversal::{Stack, Workspace};
/// let mut workspace = Workspace::default();
/// let front: Stack = workspace.take();
/// workspace.put(front);
/// ```
#[derive(Debug, Default)]
pub struct Workspace {
    /// Which instructions kernels may use: the best by default; forced in tests.
    pub simd_level: SimdLevel,
    /// Where a traversal of assemblies starts.
    pub(crate) seeds: Vec<super::NodePair>,
    pub(crate) scratch: Scratch,
    pub(crate) fronts: Fronts,
}

impl Workspace {
    /// A front of kind `O`, with the memory of one used before where there is one.
    pub fn take<O: Order>(&mut self) -> O {
        self.fronts.take()
    }

    /// Gives a front back for the next query.
    pub fn put<O: Order>(&mut self, front: O) {
        self.fronts.put(front);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traversal::NodePair;

    #[test]
    fn a_front_comes_back_with_its_memory_and_nested_ones_are_apart() {
        let mut workspace = Workspace::default();
        let mut outer: Stack = workspace.take();
        (0..100).for_each(|i| outer.push(NodePair::new(i, i), 0.0));
        let inner: Stack = workspace.take();
        workspace.put(inner);
        assert_eq!(outer.pop(1.0), Some(NodePair::new(99, 99)));
        workspace.put(outer);
        assert_eq!(workspace.fronts.stacks.len(), 2);
    }
}
