//! One kind of secret in the pool, in the order of the batches.

use std::collections::VecDeque;

use zeroize::DefaultIsZeroes;

use crate::crypto::SecretVec;

/// Secrets of several batches. They are taken from the end of the oldest batch, and wiped in the
/// batch. Adding or using up a batch does not move the other batches.
pub(super) struct Queue<S: DefaultIsZeroes> {
    /// The batches, the oldest first. No batch is empty.
    batches: VecDeque<SecretVec<S>>,
    len: usize,
}

impl<S: DefaultIsZeroes> Default for Queue<S> {
    fn default() -> Self {
        Queue {
            batches: VecDeque::new(),
            len: 0,
        }
    }
}

impl<S: DefaultIsZeroes> Queue<S> {
    /// The number of secrets.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds the secrets of a batch.
    pub(super) fn put(&mut self, fresh: SecretVec<S>) {
        if !fresh.is_empty() {
            self.len += fresh.len();
            self.batches.push_back(fresh);
        }
    }

    /// Takes `count` secrets. The secrets of the oldest batch come last in the result.
    ///
    /// # Panics
    /// If there are fewer than `count` secrets.
    pub(super) fn take(&mut self, count: usize) -> SecretVec<S> {
        let mut parts = Vec::new();
        let mut missing = count;
        while missing > 0 {
            let oldest = self.batches.front_mut().expect(TOO_FEW);
            let part = oldest.take_last(missing.min(oldest.len()));
            if oldest.is_empty() {
                self.batches.pop_front();
            }
            missing -= part.len();
            parts.push(part);
        }
        self.len -= count;
        if parts.len() == 1 {
            return parts.pop().expect("the list has one part");
        }
        let parts: Vec<&[S]> = parts.iter().rev().map(|part| &**part).collect();
        SecretVec::concat(&parts)
    }

    /// Returns the result of the next [`take`](Self::take).
    #[cfg(test)]
    pub(super) fn next(&self, count: usize) -> Vec<S> {
        let oldest_first = self.batches.iter().flat_map(|batch| batch.iter().rev());
        let mut next: Vec<S> = oldest_first.take(count).copied().collect();
        assert_eq!(next.len(), count, "{TOO_FEW}");
        next.reverse();
        next
    }
}

const TOO_FEW: &str = "the pool must hold the secrets that are taken";

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue of two batches that hold consecutive numbers.
    fn two() -> Queue<u32> {
        let mut queue = Queue::default();
        queue.put((0..5).collect());
        queue.put((5..8).collect());
        queue
    }

    #[test]
    fn oldest_batch_is_used_up_first_from_its_end() {
        let mut queue = two();
        assert_eq!(queue.next(2), [3, 4]);
        assert_eq!(*queue.take(2), [3, 4]);
        assert_eq!(queue.next(5), [6, 7, 0, 1, 2]);
        assert_eq!(*queue.take(5), [6, 7, 0, 1, 2]);
        assert_eq!(queue.len(), 1);
        assert_eq!(*queue.take(1), [5]);
        assert_eq!((queue.len(), queue.batches.len()), (0, 0));
        assert!(queue.take(0).is_empty());
    }

    #[test]
    fn empty_batch_is_not_stored() {
        let mut queue = two();
        queue.put(SecretVec::default());
        assert_eq!((queue.len(), queue.batches.len()), (8, 2));
    }

    #[test]
    #[should_panic = "the pool must hold the secrets that are taken"]
    fn taking_more_than_the_queue_holds_panics() {
        two().take(9);
    }
}
