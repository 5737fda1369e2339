//! How much work a decomposition may take, what it has done so far, and why it stopped.

use std::ops::ControlFlow;

/// Why a decomposition has no more or better parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DecomposeStatus {
    /// All parts are within the error that was asked for.
    ErrorMet,
    /// More parts than [`max_parts`](super::DecomposeOptions::max_parts) would be needed, or none
    /// were found that are as few.
    PartLimit,
    /// The search spent [`max_work`](super::DecomposeOptions::max_work).
    WorkLimit,
    /// The observer stopped the search.
    Cancelled,
    /// No plane cuts the parts above the error any further: rounding decides.
    Indivisible,
}

/// How far a decomposition has come.
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
    /// The number of pieces that are above the error, which the search cuts further.
    pub open_count: usize,
    /// Certified: no point of all that is farther from the solid than this. It may be a rough
    /// bound.
    pub error: f64,
}

/// What sees the progress, and may end the search.
pub(super) type Observer<'a> = &'a mut dyn FnMut(&DecomposeProgress) -> ControlFlow<()>;

/// Counts work.
pub(super) struct Ledger<'a> {
    spent: u64,
    /// The search stops here; certificates of what is left have the rest of `max_work`.
    limit: u64,
    max_work: u64,
    observer: Observer<'a>,
    is_cancelled: bool,
}

impl<'a> Ledger<'a> {
    /// One part in as many of the work is left to certificates at the end.
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

    /// Whether nothing more should be tried.
    pub fn is_over(&self) -> bool {
        self.is_cancelled || self.spent >= self.limit
    }

    /// Why nothing more should be tried.
    pub fn status(&self) -> Option<DecomposeStatus> {
        match (self.is_cancelled, self.is_over()) {
            (true, _) => Some(DecomposeStatus::Cancelled),
            (_, true) => Some(DecomposeStatus::WorkLimit),
            _ => None,
        }
    }

    /// Lets one of `count` certificates have an equal part of what is left.
    pub fn allow_share(&mut self, count: usize) {
        self.limit = self.spent.saturating_add(self.max_work.saturating_sub(self.spent) / count.max(1) as u64);
    }

    /// Shows the progress to the observer: the counts of cuts, of parts and of pieces above the
    /// error, and the error.
    pub fn report(&mut self, (cut_count, part_count, open_count): (usize, usize, usize), error: f64) {
        let (work, max_work) = (self.spent, self.max_work);
        let progress = DecomposeProgress { work, max_work, cut_count, part_count, open_count, error };
        self.is_cancelled |= (self.observer)(&progress).is_break();
    }
}
