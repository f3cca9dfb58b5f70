//! Counts outcomes.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use hashbrown::{DefaultHashBuilder, HashMap};

/// The maximum number of different outcomes. With their counts, they take at most a gigabyte if an
/// outcome has up to 64 bits.
pub(super) const MAX_OUTCOMES: usize = if cfg!(test) { 1 << 14 } else { 1 << 24 };

/// The bits of an outcome, the first bit lowest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Key<const W: usize>(pub(super) [u64; W]);

impl<const W: usize> Hash for Key<W> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.iter().for_each(|&word| state.write_u64(word));
    }
}

/// How often each outcome occurred. Several threads count into parts of it.
pub(super) struct Tally<const W: usize> {
    parts: Vec<Mutex<HashMap<Key<W>, u64, DefaultHashBuilder>>>,
    hasher: DefaultHashBuilder,
    outcomes: AtomicUsize,
    full: AtomicBool,
}

/// The number of outcomes that a thread collects before it locks their part.
const COLLECTED: usize = 256;

impl<const W: usize> Tally<W> {
    /// A tally of 2^`digits` parts.
    pub(super) fn new(digits: u32) -> Self {
        let hasher = DefaultHashBuilder::default();
        let parts = (0..1 << digits).map(|_| Mutex::new(HashMap::with_hasher(hasher.clone())));
        Tally {
            parts: parts.collect(),
            hasher,
            outcomes: AtomicUsize::new(0),
            full: AtomicBool::new(false),
        }
    }

    /// Whether there were more than [`MAX_OUTCOMES`] outcomes. Then the tally is incomplete.
    pub(super) fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// The outcomes that occurred, each with its number.
    pub(super) fn into_counts(self) -> Vec<(Key<W>, u64)> {
        let parts = self.parts.into_iter();
        let parts = parts.map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner));
        parts.flatten().collect()
    }

    fn add(&self, part: usize, collected: &mut Vec<(Key<W>, u64)>) {
        if self.is_full() {
            collected.clear();
            return;
        }
        let mut counts = (self.parts[part].lock()).unwrap_or_else(PoisonError::into_inner);
        let before = counts.len();
        for (key, times) in collected.drain(..) {
            *counts.entry(key).or_insert(0) += times;
        }
        let new = counts.len() - before;
        drop(counts);
        if new > 0 && self.outcomes.fetch_add(new, Ordering::Relaxed) + new > MAX_OUTCOMES {
            self.full.store(true, Ordering::Relaxed);
        }
    }
}

/// The maximum number of outcome bits for which a thread counts in an array.
const MAX_ARRAY_BITS: usize = 16;

/// What one thread counts.
pub(super) enum Counter<'t, const W: usize> {
    /// One number for each possible outcome.
    Array(&'t Tally<W>, Vec<u64>),
    /// Outcomes for each part of the tally.
    Parts(&'t Tally<W>, Vec<Vec<(Key<W>, u64)>>),
}

impl<'t, const W: usize> Counter<'t, W> {
    /// A counter of outcomes of `bits` bits.
    pub(super) fn new(tally: &'t Tally<W>, bits: usize) -> Self {
        if bits <= MAX_ARRAY_BITS {
            return Counter::Array(tally, vec![0; 1 << bits]);
        }
        Counter::Parts(tally, vec![Vec::new(); tally.parts.len()])
    }

    #[inline]
    pub(super) fn count(&mut self, key: [u64; W]) {
        match self {
            Counter::Array(_, counts) => counts[key[0] as usize] += 1,
            Counter::Parts(tally, parts) => {
                let key = Key(key);
                let part = match parts.len() {
                    1 => 0,
                    // A map uses the lowest and the highest bits of a hash.
                    count => (tally.hasher.hash_one(key) >> 32) as usize & (count - 1),
                };
                parts[part].push((key, 1));
                if parts[part].len() == COLLECTED {
                    tally.add(part, &mut parts[part]);
                }
            }
        }
    }

    /// Adds to the tally what has been counted.
    pub(super) fn finish(&mut self) {
        match self {
            Counter::Array(tally, counts) => {
                let mut parts = vec![Vec::new(); tally.parts.len()];
                for (key, times) in counts.iter_mut().enumerate().filter(|(_, n)| **n > 0) {
                    let mut words = [0; W];
                    words[0] = key as u64;
                    parts[key % tally.parts.len()].push((Key(words), std::mem::take(times)));
                }
                for (part, collected) in parts.iter_mut().enumerate() {
                    tally.add(part, collected);
                }
            }
            Counter::Parts(tally, parts) => {
                for (part, collected) in parts.iter_mut().enumerate() {
                    tally.add(part, collected);
                }
            }
        }
    }
}
