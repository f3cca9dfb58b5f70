//! Vectors of secrets.

use std::ops::{Deref, DerefMut};

use zeroize::{DefaultIsZeroes, optimization_barrier};

/// A vector that is wiped on drop, with all of its capacity. Its capacity is set at creation and
/// never grows, because a vector that grows leaves unwiped copies behind.
///
/// The vector is wiped with one fill. `Zeroizing<Vec<T>>` overwrites each element separately, and
/// twice. Long vectors are wiped often enough in this crate that the difference is measurable.
pub struct SecretVec<T: DefaultIsZeroes>(Vec<T>);

const GROWS: &str = "a list of secrets must be created with enough capacity";

impl<T: DefaultIsZeroes> SecretVec<T> {
    /// An empty list with room for `capacity` elements.
    pub fn with_capacity(capacity: usize) -> Self {
        SecretVec(Vec::with_capacity(capacity))
    }

    /// `count` zeros.
    pub fn zeros(count: usize) -> Self {
        SecretVec(vec![T::default(); count])
    }

    /// Resizes this list to `count` elements that the caller overwrites: each element is zero or
    /// keeps its old value. The list is not reallocated if `count` is within its capacity.
    pub fn reuse(&mut self, count: usize) {
        if count <= self.0.capacity() {
            self.0.resize(count, T::default());
        } else {
            *self = SecretVec::zeros(count);
        }
    }

    /// Concatenates all `parts`.
    pub fn concat(parts: &[&[T]]) -> Self {
        SecretVec(parts.concat())
    }

    /// Adds an element.
    ///
    /// # Panics
    /// If the list is full.
    #[inline]
    pub fn push(&mut self, element: T) {
        assert!(self.0.len() < self.0.capacity(), "{GROWS}");
        self.0.push(element);
    }

    /// Moves the last `count` elements to a new list, and wipes them in this list.
    ///
    /// # Panics
    /// If there are fewer than `count` elements.
    pub fn take_last(&mut self, count: usize) -> Self {
        let rest = self.0.len() - count;
        if rest == 0 {
            return std::mem::take(self);
        }
        let last = SecretVec(self.0[rest..].to_vec());
        wipe(&mut self.0[rest..]);
        self.0.truncate(rest);
        last
    }
}

/// The barrier keeps the compiler from removing the fill, although nothing reads the zeros.
fn wipe<T: DefaultIsZeroes>(secrets: &mut [T]) {
    secrets.fill(T::default());
    optimization_barrier(secrets);
}

impl<T: DefaultIsZeroes> Default for SecretVec<T> {
    fn default() -> Self {
        SecretVec(Vec::new())
    }
}

impl<T: DefaultIsZeroes> Extend<T> for SecretVec<T> {
    /// # Panics
    /// If the iterator has no upper bound, or its upper bound exceeds the free capacity.
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        let elements = elements.into_iter();
        let room = self.0.capacity() - self.0.len();
        let (_, most) = elements.size_hint();
        assert!(most.is_some_and(|most| most <= room), "{GROWS}");
        self.0.extend(elements);
    }
}

impl<T: DefaultIsZeroes> FromIterator<T> for SecretVec<T> {
    /// # Panics
    /// If the iterator has no upper bound.
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let elements = elements.into_iter();
        let (_, most) = elements.size_hint();
        let mut list = SecretVec::with_capacity(most.expect(GROWS));
        list.extend(elements);
        list
    }
}

impl<T: DefaultIsZeroes> Deref for SecretVec<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: DefaultIsZeroes> DerefMut for SecretVec<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: DefaultIsZeroes> Drop for SecretVec<T> {
    fn drop(&mut self) {
        // The length stays within the capacity, so this does not reallocate.
        let capacity = self.0.capacity();
        self.0.resize(capacity, T::default());
        wipe(&mut self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::Block;

    #[test]
    fn list_of_secrets_does_not_grow() {
        let grow: [fn(&mut SecretVec<Block>); 3] = [
            |list| list.push(Block::ZERO),
            |list| list.extend([Block::ZERO]),
            |list| list.extend(std::iter::from_fn(|| None)),
        ];
        for grow in grow {
            assert!(std::panic::catch_unwind(|| grow(&mut SecretVec::with_capacity(0))).is_err());
        }
    }
}
