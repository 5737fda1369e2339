//! The order in which a traversal takes its pairs.

use super::NodePair;
use crate::tree::MAX_CHILDREN;

/// A number for each child of a node.
pub type Block = [f32; MAX_CHILDREN];

/// A set of pairs that hands them out in some order.
pub trait Order: Default + Send + Sync + 'static {
    /// Forgets all pairs, keeping the memory.
    fn clear(&mut self);

    /// Takes in a pair; of the pairs of one block, those with a smaller `guess` look more
    /// promising.
    fn push(&mut self, pair: NodePair, guess: f32);

    /// Takes in the pairs of a block, with their keys and guesses: those of the set bits of
    /// `lanes`.
    #[inline(always)]
    fn push_block(&mut self, lanes: u64, _keys: &Block, guesses: &Block, pair: impl Fn(usize) -> NodePair) {
        for lane in set_bits(lanes) {
            self.push(pair(lane), guesses[lane & (MAX_CHILDREN - 1)]);
        }
    }

    /// The next pair. Orders that know that all others are `limit` or more may end here.
    fn pop(&mut self, limit: f32) -> Option<NodePair>;

    /// At most the key of any pair that is still in.
    fn floor(&self) -> f32;
}

/// The numbers of the set bits, ascending.
#[inline(always)]
pub(super) fn set_bits(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = bits.trailing_zeros() as usize;
        let more = bits != 0;
        bits &= bits.wrapping_sub(1);
        more.then_some(lowest)
    })
}

/// Last in, first out, the most promising pair of a block on top: for queries that end with the
/// first hit or must look at everything anyway.
#[derive(Debug, Default)]
pub struct Stack(Vec<NodePair>);

impl Order for Stack {
    fn clear(&mut self) {
        self.0.clear();
    }

    #[inline(always)]
    fn push(&mut self, pair: NodePair, _guess: f32) {
        self.0.push(pair);
    }

    #[inline(always)]
    fn push_block(&mut self, lanes: u64, _keys: &Block, guesses: &Block, pair: impl Fn(usize) -> NodePair) {
        // One or none, as mostly where bodies are apart: nothing to choose (3 to 4 % of a
        // `collide`).
        if lanes & lanes.wrapping_sub(1) == 0 {
            if lanes != 0 {
                self.0.push(pair(lanes.trailing_zeros() as usize));
            }
            return;
        }
        // Of the lanes even if no guess is a number.
        let (mut top, mut least) = (lanes.trailing_zeros() as usize, f32::INFINITY);
        for lane in set_bits(lanes) {
            let guess = guesses[lane & (MAX_CHILDREN - 1)];
            (top, least) = if guess <= least { (lane, guess) } else { (top, least) };
        }
        for lane in set_bits(lanes & !(1 << top)) {
            self.0.push(pair(lane));
        }
        self.0.push(pair(top));
    }

    #[inline(always)]
    fn pop(&mut self, _limit: f32) -> Option<NodePair> {
        self.0.pop()
    }

    fn floor(&self) -> f32 {
        least_key(&self.0)
    }
}

/// Depth first, the nearest child of a block first: the classic order of distance queries.
#[derive(Debug, Default)]
pub struct NearestFirst {
    /// Pairs with their guesses, those of the last block in descending order.
    pairs: Vec<(NodePair, f32)>,
    /// Where the last block begins.
    block: usize,
}

impl Order for NearestFirst {
    fn clear(&mut self) {
        self.pairs.clear();
        self.block = 0;
    }

    #[inline(always)]
    fn push_block(&mut self, lanes: u64, _keys: &Block, guesses: &Block, pair: impl Fn(usize) -> NodePair) {
        self.block = self.pairs.len();
        for lane in set_bits(lanes) {
            self.push(pair(lane), guesses[lane & (MAX_CHILDREN - 1)]);
        }
    }

    #[inline(always)]
    fn push(&mut self, pair: NodePair, guess: f32) {
        let mut at = self.pairs.len();
        self.pairs.push((pair, guess));
        while at > self.block && self.pairs[at - 1].1 < guess {
            self.pairs[at] = self.pairs[at - 1];
            at -= 1;
        }
        self.pairs[at] = (pair, guess);
    }

    #[inline(always)]
    fn pop(&mut self, _limit: f32) -> Option<NodePair> {
        self.pairs.pop().map(|(pair, _)| pair)
    }

    fn floor(&self) -> f32 {
        self.pairs.iter().fold(f32::INFINITY, |least, (pair, _)| least.min(pair.key))
    }
}

fn least_key(pairs: &[NodePair]) -> f32 {
    pairs.iter().fold(f32::INFINITY, |least, pair| least.min(pair.key))
}

/// The marker for "no entry" in the lists of [`BestFirst`].
const NONE: u32 = u32::MAX;
const BUCKETS: usize = 512;
const WORDS: usize = BUCKETS / 64;
/// Buckets per factor of two of the key: 2⁵, by the top five bits of the mantissa.
const BUCKET_SHIFT: u32 = 18;

/// Best first, for distance: dives depth first while nothing bounds the answer, then takes pairs by
/// their keys.
///
/// A key's bucket is its exponent and five bits of its mantissa, counted down from the limit at the
/// end of the dive: 16 factors of two, all that is nearer shares the first bucket. Near bodies need
/// the range (with 4 factors of two they took 3 times the tests), far ones the resolution (with
/// three bits 12 % more). Inside a bucket the last pair in is the first out. A heap orders more
/// finely than a search needs and costs more per pair. Places of pairs that were taken are not used
/// again before the next traversal: searches are short, and lists of free places cost a fifth of
/// the queue. Which pair comes next is settled when the one before it is handed out: what that one
/// yields, even if it is nearer, comes one later, and the processor need not wait for its bounds to
/// start with the next.
#[derive(Debug)]
pub struct BestFirst {
    dive: Stack,
    /// The least guess of the pairs that came one by one: that of the top one.
    top_guess: f32,
    /// Pairs with the next of the same bucket; those from `used` on are free.
    entries: Vec<(NodePair, u32)>,
    used: usize,
    /// Boxed: fronts are moved in and out of a workspace.
    heads: Box<[u32; BUCKETS]>,
    /// Bit per non-empty bucket.
    occupied: [u64; WORDS],
    /// Bit per non-zero word of `occupied`.
    words: u32,
    /// The bucket number of key bits `b` is `(b >> BUCKET_SHIFT) - base`; `None` during the dive.
    base: Option<i32>,
    /// After the dive: the pair that comes next.
    ahead: Option<NodePair>,
}

impl Default for BestFirst {
    fn default() -> Self {
        Self {
            dive: Stack::default(),
            top_guess: f32::INFINITY,
            entries: Vec::new(),
            used: 0,
            heads: Box::new([NONE; BUCKETS]),
            occupied: [0; WORDS],
            words: 0,
            base: None,
            ahead: None,
        }
    }
}

impl BestFirst {
    #[inline(always)]
    fn bucket(base: i32, key: f32) -> usize {
        // Keys are at least zero, so their bits ascend with them; a NaN key lands in the last
        // bucket and is still taken.
        ((key.to_bits() >> BUCKET_SHIFT) as i32 - base).clamp(0, BUCKETS as i32 - 1) as usize
    }

    /// Takes in the pairs of the set bits of `lanes`, whose keys are `keys`.
    #[inline(always)]
    fn insert_block(&mut self, base: i32, lanes: u64, keys: &Block, pair: impl Fn(usize) -> NodePair) {
        // All lanes at once, which is a few instructions where eight are a register.
        let mut buckets = [0; MAX_CHILDREN];
        for (bucket, &key) in buckets.iter_mut().zip(keys) {
            *bucket = Self::bucket(base, key) as u32;
        }
        if self.used + MAX_CHILDREN > self.entries.len() {
            self.grow();
        }
        let Some(places) = self.entries[self.used..].first_chunk_mut::<MAX_CHILDREN>() else { return };
        // By themselves, so that they stay in registers.
        let (heads, first, mut words) = (&mut *self.heads, self.used as u32, self.words);
        let mut count = 0;
        for lane in set_bits(lanes) {
            let bucket = buckets[lane & (MAX_CHILDREN - 1)] as usize & (BUCKETS - 1);
            places[count & (MAX_CHILDREN - 1)] = (pair(lane), heads[bucket]);
            heads[bucket] = first + count as u32;
            self.occupied[bucket >> 6] |= 1 << (bucket & 63);
            words |= 1 << (bucket >> 6);
            count += 1;
        }
        self.words = words;
        self.used += count;
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let len = (2 * self.entries.len()).max(1024);
        self.entries.resize(len, (NodePair::new(0, 0), NONE));
    }

    /// The first bucket that is not empty, if there is one.
    #[inline(always)]
    fn first_bucket(&self) -> Option<usize> {
        if self.words == 0 {
            return None;
        }
        let word = self.words.trailing_zeros() as usize & (WORDS - 1);
        Some(word * 64 + (self.occupied[word].trailing_zeros() & 63) as usize)
    }

    /// Takes the last pair out of a bucket that is not empty.
    #[inline(always)]
    fn take(&mut self, bucket: usize) -> NodePair {
        let (pair, next) = self.entries[self.heads[bucket] as usize];
        self.heads[bucket] = next;
        let occupied = self.occupied[bucket >> 6] & !(u64::from(next == NONE) << (bucket & 63));
        self.occupied[bucket >> 6] = occupied;
        self.words &= !(u32::from(occupied == 0) << (bucket >> 6));
        pair
    }

    /// At most any key of a bucket other than the first, which also holds all that is nearer.
    #[inline(always)]
    fn floor_of(&self, bucket: usize) -> f32 {
        f32::from_bits(((self.base.unwrap_or(0) + bucket as i32).max(0) as u32) << BUCKET_SHIFT)
    }

    /// Takes out a pair of the first bucket, unless all that is left is `limit` or more.
    #[inline(always)]
    fn take_first(&mut self, limit: f32) -> Option<NodePair> {
        let bucket = self.first_bucket()?;
        // All that is left is in this bucket or beyond.
        if bucket > 0 && self.floor_of(bucket) >= limit {
            return None;
        }
        Some(self.take(bucket))
    }

    fn end_dive(&mut self, limit: f32) {
        let base = (limit.to_bits() >> BUCKET_SHIFT) as i32 - (BUCKETS as i32 - 1);
        self.base = Some(base);
        // As blocks again, for all keys of one at once.
        let pairs = std::mem::take(&mut self.dive.0);
        for block in pairs.chunks(MAX_CHILDREN) {
            let (mut lanes, mut keys) = (0, [f32::INFINITY; MAX_CHILDREN]);
            for (lane, pair) in block.iter().enumerate() {
                keys[lane] = pair.key;
                lanes |= u64::from(pair.key < limit) << lane;
            }
            self.insert_block(base, lanes, &keys, |lane| block[lane]);
        }
        self.dive.0 = pairs;
        self.dive.clear();
    }
}

impl Order for BestFirst {
    fn clear(&mut self) {
        self.dive.clear();
        self.top_guess = f32::INFINITY;
        for (word, occupied) in self.occupied.iter_mut().enumerate() {
            set_bits(std::mem::take(occupied)).for_each(|bit| self.heads[word * 64 + bit] = NONE);
        }
        self.words = 0;
        self.used = 0;
        self.base = None;
        self.ahead = None;
    }

    #[inline(always)]
    fn push(&mut self, pair: NodePair, guess: f32) {
        match self.base {
            Some(base) => self.insert_block(base, 1, &[pair.key; MAX_CHILDREN], |_| pair),
            None => {
                self.dive.push(pair, guess);
                // The most promising one stays on top.
                if let [.., below, top] = &mut self.dive.0[..]
                    && self.top_guess < guess
                {
                    std::mem::swap(below, top);
                }
                self.top_guess = self.top_guess.min(guess);
            }
        }
    }

    #[inline(always)]
    fn push_block(&mut self, lanes: u64, keys: &Block, guesses: &Block, pair: impl Fn(usize) -> NodePair) {
        match self.base {
            Some(base) => self.insert_block(base, lanes, keys, pair),
            None => self.dive.push_block(lanes, keys, guesses, pair),
        }
    }

    #[inline(always)]
    fn pop(&mut self, limit: f32) -> Option<NodePair> {
        if self.base.is_none() {
            if limit == f32::INFINITY {
                return self.dive.pop(limit);
            }
            self.end_dive(limit);
        }
        let pair = match self.ahead {
            Some(pair) => pair,
            None => self.take_first(limit)?,
        };
        self.ahead = self.take_first(limit);
        Some(pair)
    }

    fn floor(&self) -> f32 {
        if self.base.is_none() {
            return self.dive.floor();
        }
        let ahead = self.ahead.map_or(f32::INFINITY, |pair| pair.key);
        // All other buckets are beyond the first one.
        let mut entry = self.first_bucket().map_or(NONE, |bucket| self.heads[bucket]);
        let mut least = ahead;
        while let Some(&(pair, next)) = self.entries.get(entry as usize) {
            // A key that is not a number bounds nothing.
            least = if pair.key < least || pair.key.is_nan() { pair.key } else { least };
            entry = next;
        }
        if least.is_nan() { 0.0 } else { least }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(key: f32) -> NodePair {
        NodePair { key, ..NodePair::new(0, 0) }
    }

    fn push_block(order: &mut impl Order, keys: &[f32]) {
        for keys in keys.chunks(MAX_CHILDREN) {
            let mut block = [f32::INFINITY; MAX_CHILDREN];
            block[..keys.len()].copy_from_slice(keys);
            order.push_block(u64::MAX >> (64 - keys.len()), &block, &block, |lane| pair(keys[lane]));
        }
    }

    fn drain(order: &mut impl Order, limit: f32) -> Vec<f32> {
        std::iter::from_fn(|| order.pop(limit)).map(|pair| pair.key).collect()
    }

    #[test]
    fn best_first_returns_every_pair_and_orders_them_by_bucket() {
        let keys: Vec<f32> = (0..500).map(|i| ((i * 7919) % 1000) as f32 / 1000.0).collect();
        let mut order = BestFirst::default();
        push_block(&mut order, &keys);
        let first = drain(&mut order, 1.0);
        assert_eq!(first.len(), keys.len());
        let out_of_order = first.windows(2).filter(|w| w[0] > w[1] * 1.032 && w[1] > 1e-4).count();
        assert_eq!(out_of_order, 0);
    }

    #[test]
    fn best_first_dives_to_the_nearest_until_there_is_a_limit() {
        let mut order = BestFirst::default();
        push_block(&mut order, &[0.5, 0.2, 0.9]);
        assert_eq!(order.pop(f32::INFINITY).unwrap().key, 0.2);
        push_block(&mut order, &[0.7, 0.6]);
        assert_eq!(order.pop(f32::INFINITY).unwrap().key, 0.6);
        assert_eq!(order.pop(0.8).unwrap().key, 0.5);
        assert_eq!(drain(&mut order, 0.8), [0.7]);
    }

    #[test]
    fn a_stack_returns_the_lanes_that_are_open_and_the_most_promising_first() {
        let pushed = |lanes: u64, guesses: Block| {
            let mut order = Stack::default();
            order.push_block(lanes, &guesses, &guesses, |lane| pair(lane as f32));
            drain(&mut order, f32::INFINITY)
        };
        let guesses = [3.0, 1.0, 2.0, 0.5, 4.0, 5.0, 6.0, 7.0];
        assert!(pushed(0, guesses).is_empty());
        assert_eq!(pushed(0b1000_0000, guesses), [7.0]);
        assert_eq!(pushed(0b0001_0110, guesses), [1.0, 4.0, 2.0]);
        assert_eq!(pushed(0b0001_0110, [f32::NAN; MAX_CHILDREN]), [1.0, 4.0, 2.0]);
    }

    #[test]
    fn nearest_first_pops_each_block_by_key() {
        let mut order = NearestFirst::default();
        push_block(&mut order, &[3.0, 1.0, 2.0]);
        assert_eq!(drain(&mut order, f32::INFINITY), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn the_floor_is_never_above_the_least_key() {
        let mut order = BestFirst::default();
        push_block(&mut order, &[0.5, 0.21, 0.9]);
        assert!(order.floor() <= 0.21);
        assert_eq!(order.pop(1.0).unwrap().key, 0.21);
        assert!(order.floor() <= 0.5 && order.floor() > 0.4, "{}", order.floor());
    }
}
