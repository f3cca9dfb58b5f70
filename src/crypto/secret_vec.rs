//! Long lists of secrets.

use std::ops::{Deref, DerefMut};

use zeroize::{DefaultIsZeroes, optimization_barrier};

/// A list that is wiped when it is dropped, with all of its capacity, and that never moves: what
/// grows leaves copies behind that nobody wipes. It has its capacity from the start.
///
/// It wipes with one fill, where `Zeroizing<Vec<T>>` stores every element by itself, and twice: long
/// lists are wiped so often here that it shows.
pub struct SecretVec<T: DefaultIsZeroes>(Vec<T>);

const GROWS: &str = "a list of secrets must have room for them from the start";

impl<T: DefaultIsZeroes> SecretVec<T> {
    /// An empty list with room for `capacity` elements.
    pub fn with_capacity(capacity: usize) -> Self {
        SecretVec(Vec::with_capacity(capacity))
    }

    /// So many zeros.
    pub fn zeros(count: usize) -> Self {
        SecretVec(vec![T::default(); count])
    }

    /// Makes this a list of `count` elements that are to be written anew: each is a zero, or what stood
    /// here before. Within its capacity it stays where it is.
    pub fn reuse(&mut self, count: usize) {
        if count <= self.0.capacity() {
            self.0.resize(count, T::default());
        } else {
            *self = SecretVec::zeros(count);
        }
    }

    /// The elements of all `parts`.
    pub fn concat(parts: &[&[T]]) -> Self {
        SecretVec(parts.concat())
    }

    /// Adds an element.
    ///
    /// # Panics
    /// If there is no room for it.
    #[inline]
    pub fn push(&mut self, element: T) {
        assert!(self.0.len() < self.0.capacity(), "{GROWS}");
        self.0.push(element);
    }

    /// Moves the last `count` elements to a list of their own, and wipes them here.
    ///
    /// # Panics
    /// If there are fewer.
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

/// The compiler must not see that nobody reads the zeros again.
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
    /// If there may be no room: the iterator gives more, or does not know how much it gives at most.
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
    /// If the iterator does not know how much it gives at most.
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
        // Within its capacity it does not move.
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
    fn a_list_of_secrets_does_not_grow() {
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
