//! Broad phases behind one interface: they find the boxes that overlap now and did not before.
//!
//! A broad phase gets the boxes that have changed and reports the new overlapping pairs, each once.
//! It keeps no list of pairs and needs no hash table of them: a pair is new iff the present boxes
//! overlap and the former ones do not, and [`Tracked`] holds both. A removed box becomes
//! [`WorldBox::EMPTY`], an inserted one was empty before: there is no other kind of change.

mod grid;
mod sweep_and_prune;
mod tree;

pub use grid::Grid;
pub use sweep_and_prune::SweepAndPrune;
pub use tree::TreeOfBoxes;

use super::WorldBox;
use super::pair_finder::Rules;

/// The broad-phase algorithm; all find the same pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BroadPhaseKind {
    /// Sweep and prune: [`SweepAndPrune`].
    SweepAndPrune,
    /// A dynamic AABB tree: [`TreeOfBoxes`].
    #[default]
    Tree,
    /// Hashed grids: [`Grid`].
    Grid,
}

impl BroadPhaseKind {
    /// All algorithms.
    pub const ALL: [Self; 3] = [Self::SweepAndPrune, Self::Tree, Self::Grid];

    /// The name in tables.
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

/// The boxes of all bodies by their slots, before and after a change, and the rules of which may
/// collide.
#[derive(Default)]
pub struct Tracked {
    /// The present boxes; empty where there is no body.
    pub(super) now: Vec<WorldBox>,
    /// The boxes at the last update.
    pub(super) before: Vec<WorldBox>,
    /// Whether the box has changed since.
    pub(super) changed: Vec<bool>,
    pub(super) rules: Rules,
}

impl Tracked {
    /// The present boxes of all slots; empty where there is no body.
    pub fn boxes(&self) -> &[WorldBox] {
        &self.now
    }

    /// Whether two bodies are a new pair: their boxes overlap and did not before, and they may
    /// collide.
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

    /// Whether two bodies are a new pair, for searches from every changed body `a`: a pair of two
    /// changed ones counts for one of them only.
    #[inline]
    pub fn is_new_from(&self, a: u32, b: u32) -> bool {
        self.is_new(a, b) && self.counts_from(a, b)
    }

    /// [`is_new_from`](Self::is_new_from) for two boxes that overlap.
    #[inline]
    pub(super) fn overlap_is_new_from(&self, a: u32, b: u32) -> bool {
        self.were_apart(a, b) && self.counts_from(a, b)
    }

    #[inline]
    fn counts_from(&self, a: u32, b: u32) -> bool {
        a < b || !self.changed[b as usize]
    }
}

/// A broad phase: an incremental search for overlapping boxes.
pub trait BroadPhase: Send + Sync {
    /// Updates the boxes of the bodies in `changed`, and appends the pairs that are
    /// [new](Tracked::is_new) to `found`, each once.
    fn update(&mut self, tracked: &Tracked, changed: &[u32], found: &mut Vec<[u32; 2]>);

    /// Appends all bodies whose boxes, as of the last update, overlap `region`, to `found`, each
    /// once.
    fn overlapping(&self, tracked: &Tracked, region: &WorldBox, found: &mut Vec<u32>);
}
