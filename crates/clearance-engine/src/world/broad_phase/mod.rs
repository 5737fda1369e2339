//! Broad phases behind one interface: which boxes overlap that did not overlap before.
//!
//! A broad phase is told which boxes have changed and names the pairs that overlap now and did not
//! then, each once. It keeps no list of pairs and needs no hash table of them: a pair is new iff
//! the present boxes overlap and the former ones do not, which [`Tracked`] knows for all. A box
//! that goes away becomes [`WorldBox::EMPTY`], one that comes was empty before: there is no other
//! kind of change.

mod grid;
mod sweep_and_prune;
mod tree;

pub use grid::Grid;
pub use sweep_and_prune::SweepAndPrune;
pub use tree::TreeOfBoxes;

use super::WorldBox;
use super::finder::Rules;

/// How pairs of boxes are searched; all find the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BroadPhaseKind {
    /// [`SweepAndPrune`].
    SweepAndPrune,
    /// [`TreeOfBoxes`].
    #[default]
    Tree,
    /// [`Grid`].
    Grid,
}

impl BroadPhaseKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::SweepAndPrune, Self::Tree, Self::Grid];

    /// How tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::SweepAndPrune => "sweep and prune",
            Self::Tree => "tree",
            Self::Grid => "grid",
        }
    }

    pub(super) fn make(self) -> Box<dyn BroadPhase> {
        match self {
            Self::SweepAndPrune => Box::new(SweepAndPrune::default()),
            Self::Tree => Box::new(TreeOfBoxes::default()),
            Self::Grid => Box::new(Grid::default()),
        }
    }
}

/// The boxes of all bodies by their slots, before and after a change, and which of them may meet.
#[derive(Default)]
pub struct Tracked {
    /// As they are; empty where there is no body.
    pub(super) now: Vec<WorldBox>,
    /// As they were at the last update.
    pub(super) before: Vec<WorldBox>,
    /// Whether the box has changed since.
    pub(super) changed: Vec<bool>,
    pub(super) rules: Rules,
}

impl Tracked {
    /// The boxes of all slots as they are; empty where there is no body.
    pub fn boxes(&self) -> &[WorldBox] {
        &self.now
    }

    /// Whether two bodies are a new pair: their boxes overlap and did not before, and they may
    /// meet.
    #[inline]
    pub fn is_new(&self, a: u32, b: u32) -> bool {
        let (i, j) = (a as usize, b as usize);
        self.now[i].overlaps(&self.now[j]) && self.were_apart(a, b)
    }

    /// Whether two bodies whose boxes overlap are a new pair.
    #[inline]
    fn were_apart(&self, a: u32, b: u32) -> bool {
        a != b && !self.before[a as usize].overlaps(&self.before[b as usize]) && self.rules.may_touch(a, b)
    }

    /// The same for searches from every changed body `a`: a pair of two changed ones counts for one
    /// of them only.
    #[inline]
    pub fn is_new_from(&self, a: u32, b: u32) -> bool {
        self.is_new(a, b) && self.counts_from(a, b)
    }

    /// The same for two boxes that are known to overlap.
    #[inline]
    pub(super) fn overlap_is_new_from(&self, a: u32, b: u32) -> bool {
        self.were_apart(a, b) && self.counts_from(a, b)
    }

    #[inline]
    fn counts_from(&self, a: u32, b: u32) -> bool {
        a < b || !self.changed[b as usize]
    }
}

/// A search for overlapping boxes that remembers what it can from one update to the next.
pub trait BroadPhase: Send + Sync {
    /// Takes over the boxes of the bodies in `changed`, and adds the pairs that are
    /// [new](Tracked::is_new) to `found`, each once.
    fn update(&mut self, tracked: &Tracked, changed: &[u32], found: &mut Vec<[u32; 2]>);

    /// Adds all bodies whose boxes, as of the last update, overlap `region`, to `found`, each once.
    fn overlapping(&self, tracked: &Tracked, region: &WorldBox, found: &mut Vec<u32>);
}
