//! A hash table from the keys of bricks to their numbers that stores no keys.
//!
//! A slot holds a hash of 32 bits and a number; the caller confirms that a match is the right one.
//! Linear probing, at most half full; a removal leaves no mark, as later slots move up. Cost: one
//! cache line for a lookup.

use super::node::Key;

/// Numbers of bricks by their keys.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The hash in the high half, the number plus one in the low one; zero is empty. The length is
    /// a power of two, or zero.
    slots: Vec<u64>,
    len: usize,
}

/// Spreads neighbouring bricks: the high bits of products with odd factors.
#[inline(always)]
fn hash([x, y, z]: Key) -> u32 {
    let [x, y, z] = [x >> 2, y >> 2, z >> 2].map(u64::from);
    let mixed = x.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ y.wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
        ^ z.wrapping_mul(0x1656_67b1_9e37_79f9);
    (mixed >> 32) as u32
}

impl Table {
    /// The number of the brick of `key`, of those that `is_it` confirms.
    #[inline(always)]
    pub(super) fn get(&self, key: Key, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let hash = hash(key);
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            let number = slot as u32 - 1;
            if (slot >> 32) as u32 == hash && is_it(number) {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds the number of a brick that is not in the table.
    #[inline]
    pub(super) fn insert(&mut self, key: Key, number: u32) {
        if 2 * (self.len + 1) > self.slots.len() {
            self.grow();
        }
        self.len += 1;
        self.place(u64::from(hash(key)) << 32 | u64::from(number + 1));
    }

    fn place(&mut self, slot: u64) {
        let mask = self.slots.len() - 1;
        let mut at = (slot >> 32) as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![0; (2 * self.slots.len()).max(64)];
        for slot in std::mem::replace(&mut self.slots, larger) {
            if slot != 0 {
                self.place(slot);
            }
        }
    }

    /// Removes the number of a brick that is in the table.
    pub(super) fn remove(&mut self, key: Key, number: u32) {
        let Some(mask) = self.slots.len().checked_sub(1) else { return };
        let wanted = u64::from(hash(key)) << 32 | u64::from(number + 1);
        let mut hole = hash(key) as usize & mask;
        while self.slots[hole] != wanted {
            if self.slots[hole] == 0 {
                return;
            }
            hole = (hole + 1) & mask;
        }
        self.len -= 1;
        let mut at = hole;
        loop {
            at = (at + 1) & mask;
            let slot = self.slots[at];
            if slot == 0 {
                break;
            }
            // A slot may move up to the hole unless its own place is behind that.
            let home = (slot >> 32) as usize & mask;
            if (at.wrapping_sub(home) & mask) >= (at.wrapping_sub(hole) & mask) {
                self.slots[hole] = slot;
                hole = at;
            }
        }
        self.slots[hole] = 0;
    }

    /// Removes all, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.slots.fill(0);
        self.len = 0;
    }

    pub(super) fn memory(&self) -> usize {
        self.slots.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::collections::HashMap;

    #[test]
    fn numbers_are_found_until_they_are_removed() {
        let mut random = Random(61);
        let mut table = Table::default();
        let mut keys: Vec<Key> = Vec::new();
        let mut expected = HashMap::new();
        for round in 0..200_000 {
            let key = [0; 3].map(|_| 4 * random.below(12) as u32);
            match expected.remove(&key) {
                Some(number) => table.remove(key, number),
                None => {
                    keys.push(key);
                    table.insert(key, keys.len() as u32 - 1);
                    expected.insert(key, keys.len() as u32 - 1);
                }
            }
            let key = [0; 3].map(|_| 4 * random.below(12) as u32);
            let found = table.get(key, |number| keys[number as usize] == key);
            assert_eq!(found, expected.get(&key).copied(), "round {round}");
        }
        assert_eq!(table.len, expected.len());
        assert!(table.slots.iter().filter(|slot| **slot != 0).count() == expected.len());
    }
}
