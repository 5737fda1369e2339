//! The work limit, progress and status of a decomposition.

use std::ops::ControlFlow;

/// The reason why a decomposition has no more or better parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DecomposeStatus {
    /// All parts are within the requested error.
    ErrorMet,
    /// The error needs more parts than [`max_parts`](super::DecomposeOptions::max_parts), or the
    /// search found no decomposition with so few.
    PartLimit,
    /// The search spent [`max_work`](super::DecomposeOptions::max_work).
    WorkLimit,
    /// The observer stopped the search.
    Cancelled,
    /// No plane cuts the parts above the error any further: rounding decides.
    Indivisible,
}

/// The progress of a decomposition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecomposeProgress {
    /// The work so far, in the units of [`max_work`](super::DecomposeOptions::max_work).
    pub work: u64,
    /// The work after which the search stops.
    pub max_work: u64,
    /// The number of cuts so far.
    pub cut_count: usize,
    /// The number of parts within the error.
    pub part_count: usize,
    /// The number of pieces above the error, which the search cuts further.
    pub open_count: usize,
    /// A certified bound: no point of all parts and pieces is farther from the solid than this. It
    /// may be rough.
    pub error: f64,
}

/// A callback that sees the progress and may end the search.
pub(super) type Observer<'a> = &'a mut dyn FnMut(&DecomposeProgress) -> ControlFlow<()>;

/// The account of work.
pub(super) struct Ledger<'a> {
    spent: u64,
    /// The work at which the search stops; certificates of the rest have the remainder of
    /// `max_work`.
    limit: u64,
    max_work: u64,
    observer: Observer<'a>,
    is_cancelled: bool,
}

impl<'a> Ledger<'a> {
    /// One part in so many of the work is left for certificates at the end.
    const RESERVE: u64 = 4;

    pub fn new(max_work: u64, observer: Observer<'a>) -> Self {
        Self { spent: 0, limit: max_work - max_work / Self::RESERVE, max_work, observer, is_cancelled: false }
    }

    pub fn spent(&self) -> u64 {
        self.spent
    }

    pub fn spend(&mut self, work: u64) {
        self.spent = self.spent.saturating_add(work);
    }

    /// Whether the search has to stop.
    pub fn is_over(&self) -> bool {
        self.is_cancelled || self.spent >= self.limit
    }

    /// The reason why the search has to stop, if it has to.
    pub fn status(&self) -> Option<DecomposeStatus> {
        match (self.is_cancelled, self.is_over()) {
            (true, _) => Some(DecomposeStatus::Cancelled),
            (_, true) => Some(DecomposeStatus::WorkLimit),
            _ => None,
        }
    }

    /// Lets one of `count` certificates have an equal part of the remaining work.
    pub fn allow_share(&mut self, count: usize) {
        self.limit = self.spent.saturating_add(self.max_work.saturating_sub(self.spent) / count.max(1) as u64);
    }

    /// Reports the progress to the observer: the counts of cuts, of parts and of pieces above the
    /// error, and the error.
    pub fn report(&mut self, (cut_count, part_count, open_count): (usize, usize, usize), error: f64) {
        let (work, max_work) = (self.spent, self.max_work);
        let progress = DecomposeProgress { work, max_work, cut_count, part_count, open_count, error };
        self.is_cancelled |= (self.observer)(&progress).is_break();
    }
}
