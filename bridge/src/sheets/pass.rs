//! One pass of a pack: the cards are dealt to piles, and the piles are stacked to a pack again.

/// A pass: for each card of a pack, from the top, the pile to which it is dealt face down.
///
/// Afterwards the first pile is put on the second, both on the third, and so on. So the top card of
/// the new pack is the last card that was dealt to the first pile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    piles: usize,
    places: Vec<u8>,
}

impl Pass {
    /// A pass of 52 cards to at most 26 piles. `places[k]` is the pile of card `k`; both count from
    /// 0.
    ///
    /// `None` if the number of places is not 52, or a place is not a pile.
    pub fn new(piles: usize, places: Vec<u8>) -> Option<Pass> {
        let in_range = places.iter().all(|place| usize::from(*place) < piles);
        (piles <= 26 && places.len() == 52 && in_range).then_some(Pass { piles, places })
    }

    /// A pass of a pack of any size. The caller guarantees that every place is a pile.
    pub(super) fn of(piles: usize, places: Vec<u8>) -> Pass {
        Pass { piles, places }
    }

    /// The number of piles.
    pub fn piles(&self) -> usize {
        self.piles
    }

    /// The pile of each card.
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

    /// The pack after the pass, top first. `pack` must have as many cards as there are places.
    pub(crate) fn restacked<T: Copy>(&self, pack: &[T]) -> Vec<T> {
        // The next free index of each pile, from the bottom up: the first card of a pile is at its
        // bottom.
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
