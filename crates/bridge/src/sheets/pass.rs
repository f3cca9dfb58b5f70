//! A pass: the cards of a pack are dealt to piles, and the piles are stacked to a pack again.

/// A pass: for each card of a pack, from the top, the pile to which it is dealt face down.
///
/// Then the first pile is put on the second, both on the third, and so on. So the top card of the
/// new pack is the last card that was dealt to the first pile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    piles: usize,
    places: Vec<u8>,
}

impl Pass {
    /// A pass of 52 cards to at most 26 piles. `places[k]` is the pile of the card at position `k`
    /// from the top. Positions and piles count from 0.
    ///
    /// `None` if there are more than 26 piles, if the length of `places` is not 52, or if an
    /// element is not below `piles`.
    pub fn new(piles: usize, places: Vec<u8>) -> Option<Pass> {
        let in_range = places.iter().all(|place| usize::from(*place) < piles);
        (piles <= 26 && places.len() == 52 && in_range).then_some(Pass { piles, places })
    }

    /// A pass of a pack of any size. The caller guarantees that each element of `places` is below
    /// `piles`.
    pub(super) fn of(piles: usize, places: Vec<u8>) -> Pass {
        Pass { piles, places }
    }

    /// The number of piles.
    pub fn piles(&self) -> usize {
        self.piles
    }

    /// The pile of each card, from the top of the pack.
    pub fn places(&self) -> &[u8] {
        &self.places
    }

    /// The number of cards in each pile.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.piles];
        for place in &self.places {
            sizes[usize::from(*place)] += 1;
        }
        sizes
    }

    /// The pack after the pass, from the top. `pack` must have a card for each element of `places`.
    pub(crate) fn restacked<T: Copy>(&self, pack: &[T]) -> Vec<T> {
        // For each pile, the index after its free places in `restacked`. A pile is filled from the
        // last index down, since its first card is at the bottom.
        let mut free = [0; 26];
        let mut end = 0;
        for (free, size) in free.iter_mut().zip(self.sizes()) {
            end += size;
            *free = end;
        }
        let mut restacked = pack.to_vec();
        for (card, place) in pack.iter().zip(&self.places) {
            let free = &mut free[usize::from(*place)];
            *free -= 1;
            restacked[*free] = *card;
        }
        restacked
    }
}
