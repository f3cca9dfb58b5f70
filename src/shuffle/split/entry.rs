//! What a party enters for a board, in the clear.

use rand::CryptoRng;
use zeroize::Zeroizing;

use super::draw::HANDS;
use crate::shuffle::network::Network;
use crate::uniform;

/// What a party enters for a board. It is secret, and wiped when it is dropped.
pub enum Entry {
    /// The place of each card in the pack.
    Places(Zeroizing<Vec<u32>>),
    /// The hand, 0 to 3, to which the card at each place goes.
    Hands(Zeroizing<Vec<u8>>),
}

impl Entry {
    /// Uniform places for the given number of cards.
    pub(super) fn places(cards: usize, rng: &mut impl CryptoRng) -> Self {
        Entry::Places(Zeroizing::new(uniform::permutation(cards, || {
            rng.next_u64()
        })))
    }

    /// A uniform word with each hand as often as the others.
    pub(super) fn hands(cards: usize, rng: &mut impl CryptoRng) -> Self {
        let mut word = Zeroizing::new(vec![0; cards]);
        for (place, hand) in word.iter_mut().enumerate() {
            *hand = (place % HANDS) as u8;
        }
        uniform::shuffle(&mut word, || rng.next_u64());
        Entry::Hands(word)
    }

    /// How many bits stand for it.
    pub(super) fn width(&self, network: &Network) -> usize {
        match self {
            Entry::Places(_) => network.switches().len(),
            Entry::Hands(word) => 2 * word.len(),
        }
    }

    /// Appends its bits: the control bits of the network, or of each place the two bits of its hand, the
    /// lower one first.
    pub(super) fn write(&self, network: &Network, bits: &mut Vec<bool>) {
        match self {
            Entry::Places(places) => bits.extend_from_slice(&network.route(places)),
            Entry::Hands(word) => {
                bits.extend(word.iter().flat_map(|hand| [hand & 1 == 1, hand >> 1 == 1]));
            }
        }
    }
}

/// The places that a setting of the network gives.
pub(super) fn read_places(network: &Network, setting: &[bool]) -> Entry {
    // In vectors of our own, which are wiped.
    let mut lines: Zeroizing<Vec<u32>> = Zeroizing::new((0..network.lines() as u32).collect());
    for (switch, &exchange) in network.switches().iter().zip(setting) {
        if exchange {
            lines.swap(switch.upper, switch.lower);
        }
    }
    let mut places = Zeroizing::new(vec![0; lines.len()]);
    for (place, &line) in places.iter_mut().zip(network.outputs()) {
        *place = lines[line];
    }
    Entry::Places(places)
}

/// The word of these bits.
pub(super) fn read_hands(bits: &[bool]) -> Entry {
    let mut word = Zeroizing::new(vec![0; bits.len() / 2]);
    for (hand, pair) in word.iter_mut().zip(bits.chunks_exact(2)) {
        *hand = u8::from(pair[0]) | u8::from(pair[1]) << 1;
    }
    Entry::Hands(word)
}
