//! Copy-on-write arrays: pages that snapshots share until the map writes to them.
//!
//! A page is owned or shared. Writing to a shared page copies it first (or takes it back where no
//! snapshot is left), so a snapshot costs one reference count per page, and an edit after it one
//! copy of each page that it touches. A tag and not a reference count marks owned pages: an atomic
//! operation per edit would take longer than the edit.

use std::ops::Index;
use std::sync::Arc;

/// The number of entries of a page; a power of two.
const fn page_entries<T>() -> usize {
    // About four kilobytes: cheap to copy, few enough to share.
    let mut entries = 8;
    while 2 * entries * size_of::<T>() <= 5000 {
        entries *= 2;
    }
    entries
}

#[derive(Debug)]
enum Page<T> {
    Own(Box<[T]>),
    Shared(Arc<Box<[T]>>),
}

/// An array of `T` whose entries keep their numbers.
#[derive(Debug)]
pub(super) struct Paged<T> {
    pages: Vec<Page<T>>,
    /// The number of entries ever allocated.
    used: u32,
    /// The number of entries in use.
    live: u32,
    free: Vec<u32>,
}

impl<T: Clone + Default> Paged<T> {
    const SHIFT: u32 = page_entries::<T>().trailing_zeros();
    const MASK: usize = page_entries::<T>() - 1;
    /// The maximum number of entries: node numbers have this many bits.
    const MOST: u32 = 1 << 24;

    pub(super) fn new() -> Self {
        Self { pages: Vec::new(), used: 0, live: 0, free: Vec::new() }
    }

    /// The number of entries that still fit.
    pub(super) fn room(&self) -> u32 {
        Self::MOST - self.live
    }

    /// Whether an entry of that number was ever allocated.
    pub(super) fn contains(&self, number: u32) -> bool {
        number < self.used
    }

    /// The number of entries in use.
    pub(super) fn len(&self) -> usize {
        self.live as usize
    }

    /// Inserts an entry and returns its number; there must be [`room`](Self::room).
    pub(super) fn insert(&mut self, entry: T) -> u32 {
        self.live += 1;
        if let Some(number) = self.free.pop() {
            *self.get_mut(number) = entry;
            return number;
        }
        let number = self.used;
        self.used += 1;
        if number as usize >> Self::SHIFT == self.pages.len() {
            self.pages.push(Page::Own(vec![T::default(); Self::MASK + 1].into()));
        }
        *self.get_mut(number) = entry;
        number
    }

    /// Frees a number.
    pub(super) fn remove(&mut self, number: u32) {
        self.live -= 1;
        self.free.push(number);
    }

    #[inline(always)]
    pub(super) fn get_mut(&mut self, number: u32) -> &mut T {
        let page = &mut self.pages[number as usize >> Self::SHIFT];
        if let Page::Shared(_) = page {
            Self::take_back(page);
        }
        match page {
            Page::Own(entries) => &mut entries[number as usize & Self::MASK],
            Page::Shared(_) => unreachable!("the page has just been taken back"),
        }
    }

    #[cold]
    fn take_back(page: &mut Page<T>) {
        let Page::Shared(shared) = std::mem::replace(page, Page::Own(Box::default())) else { return };
        *page = Page::Own(Arc::try_unwrap(shared).unwrap_or_else(|shared| Box::clone(&shared)));
    }

    /// The same entries for a snapshot; from now on both share them.
    pub(super) fn share(&mut self) -> Self {
        let share = |page: &mut Page<T>| {
            let shared = match std::mem::replace(page, Page::Own(Box::default())) {
                Page::Own(entries) => Arc::new(entries),
                Page::Shared(shared) => shared,
            };
            *page = Page::Shared(shared.clone());
            Page::Shared(shared)
        };
        Self { pages: self.pages.iter_mut().map(share).collect(), used: self.used, live: self.live, free: Vec::new() }
    }

    /// The bytes allocated, including those shared with snapshots.
    pub(super) fn memory(&self) -> usize {
        let page = (Self::MASK + 1) * size_of::<T>();
        self.pages.capacity() * size_of::<Page<T>>() + self.pages.len() * page + self.free.capacity() * size_of::<u32>()
    }
}

impl<T: Clone + Default> Index<u32> for Paged<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, number: u32) -> &T {
        let entries = match &self.pages[number as usize >> Self::SHIFT] {
            Page::Own(entries) => entries,
            Page::Shared(entries) => &**entries,
        };
        &entries[number as usize & Self::MASK]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_keeps_what_was_there_and_the_array_goes_on() {
        let mut array = Paged::new();
        let numbers: Vec<u32> = (0..10_000_u64).map(|value| array.insert(value)).collect();
        let snapshot = array.share();
        for &number in &numbers {
            *array.get_mut(number) += 1;
        }
        array.remove(numbers[5]);
        assert_eq!(array.insert(77), numbers[5]);
        assert!(numbers.iter().all(|&number| snapshot[number] == u64::from(number)));
        assert_eq!((array[numbers[5]], array[numbers[6]]), (77, 7));
        assert_eq!(array.len(), 10_000);
    }
}
