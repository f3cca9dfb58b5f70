//! One pass of a pack: every card goes to a pile, and the piles become a pack again.

/// Says for each card of a pack, from the top, to which pile it goes, face down.
///
/// Then the first pile goes on the second, both on the third, and so on. So the pack that comes of
/// it has on top the card that the first pile got last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    piles: usize,
    places: Vec<u8>,
}

impl Pass {
    /// A pass of 52 cards to so many piles, at most 26; `places[k]` is the pile of the card `k`, from
    /// 0 on.
    ///
    /// `None` if there are not 52 places, or one is no pile.
    pub fn new(piles: usize, places: Vec<u8>) -> Option<Pass> {
        let in_range = places.iter().all(|place| usize::from(*place) < piles);
        (piles <= 26 && places.len() == 52 && in_range).then_some(Pass { piles, places })
    }

    /// A pass of a pack of any size, of which it is known that all places are piles.
    pub(super) fn of(piles: usize, places: Vec<u8>) -> Pass {
        Pass { piles, places }
    }

    /// How many piles there are.
    pub fn piles(&self) -> usize {
        self.piles
    }

    /// The pile of each card.
    pub fn places(&self) -> &[u8] {
        &self.places
    }

    /// How many cards each pile gets.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.piles];
        for place in &self.places {
            sizes[usize::from(*place)] += 1;
        }
        sizes
    }

    /// The pack that this one becomes, top first; it has as many cards as there are places.
    pub(crate) fn restacked<T: Copy>(&self, pack: &[T]) -> Vec<T> {
        // Where the next card of each pile goes: the first one lies at the bottom of its pile.
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
