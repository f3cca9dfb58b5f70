//! Long vectors of secrets.

use std::ops::{Deref, DerefMut};

use zeroize::{DefaultIsZeroes, optimization_barrier};

/// A vector that is wiped when it is dropped, with all of its capacity.
///
/// It does what `Zeroizing<Vec<T>>` does, but with one fill where that stores every element by
/// itself, and twice: long vectors are wiped so often here that it shows. A vector that grows
/// leaves copies behind that nobody wipes, so give it its capacity at once.
pub struct SecretVec<T: DefaultIsZeroes>(Vec<T>);

impl<T: DefaultIsZeroes> SecretVec<T> {
    /// An empty vector with room for `capacity` elements.
    pub fn with_capacity(capacity: usize) -> Self {
        SecretVec(Vec::with_capacity(capacity))
    }

    /// So many zeros.
    pub fn zeros(count: usize) -> Self {
        SecretVec(vec![T::default(); count])
    }
}

impl<T: DefaultIsZeroes> Default for SecretVec<T> {
    fn default() -> Self {
        SecretVec(Vec::new())
    }
}

impl<T: DefaultIsZeroes> From<Vec<T>> for SecretVec<T> {
    fn from(elements: Vec<T>) -> Self {
        SecretVec(elements)
    }
}

impl<T: DefaultIsZeroes> FromIterator<T> for SecretVec<T> {
    /// Of an iterator that knows how much it gives, or the vector would grow.
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let elements = elements.into_iter();
        let (least, most) = elements.size_hint();
        debug_assert_eq!(Some(least), most);
        SecretVec(Vec::from_iter(elements))
    }
}

impl<T: DefaultIsZeroes> Deref for SecretVec<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: DefaultIsZeroes> DerefMut for SecretVec<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T: DefaultIsZeroes> Drop for SecretVec<T> {
    fn drop(&mut self) {
        let capacity = self.0.capacity();
        self.0.clear();
        self.0.resize(capacity, T::default());
        // The compiler must not see that nobody reads them again.
        optimization_barrier(self.0.as_slice());
    }
}
