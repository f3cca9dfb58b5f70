//! The plaintext input of a party for a board.

use rand::CryptoRng;
use zeroize::Zeroizing;

use super::draw::HANDS;
use crate::shuffle::network::Network;
use crate::uniform;

/// The input of a party for a board. It is secret, and wiped on drop.
pub enum Entry {
    /// The position of each card in the pack.
    Places(Zeroizing<Vec<u32>>),
    /// The hand, 0 to 3, of the card at each position.
    Hands(Zeroizing<Vec<u8>>),
}

impl Entry {
    /// Uniform positions for the given number of cards.
    pub(super) fn places(cards: usize, rng: &mut impl CryptoRng) -> Self {
        Entry::Places(Zeroizing::new(uniform::permutation(cards, || {
            rng.next_u64()
        })))
    }

    /// A uniform word that contains each hand equally often.
    pub(super) fn hands(cards: usize, rng: &mut impl CryptoRng) -> Self {
        let mut word = Zeroizing::new(vec![0; cards]);
        for (place, hand) in word.iter_mut().enumerate() {
            *hand = (place % HANDS) as u8;
        }
        uniform::shuffle(&mut word, || rng.next_u64());
        Entry::Hands(word)
    }

    /// The number of bits of the encoded entry.
    pub(super) fn width(&self, network: &Network) -> usize {
        match self {
            Entry::Places(_) => network.switches().len(),
            Entry::Hands(word) => 2 * word.len(),
        }
    }

    /// Appends the encoded entry: the control bits of the network, or two bits for the hand at each
    /// position, the lower bit first.
    pub(super) fn write(&self, network: &Network, bits: &mut Vec<bool>) {
        match self {
            Entry::Places(places) => bits.extend_from_slice(&network.route(places)),
            Entry::Hands(word) => {
                bits.extend(word.iter().flat_map(|hand| [hand & 1 == 1, hand >> 1 == 1]));
            }
        }
    }
}

/// The positions that a setting of the network produces.
pub(super) fn read_places(network: &Network, setting: &[bool]) -> Entry {
    // Both vectors hold secret positions and are wiped.
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

/// Decodes a word from its bits.
pub(super) fn read_hands(bits: &[bool]) -> Entry {
    let mut word = Zeroizing::new(vec![0; bits.len() / 2]);
    for (hand, pair) in word.iter_mut().zip(bits.chunks_exact(2)) {
        *hand = u8::from(pair[0]) | u8::from(pair[1]) << 1;
    }
    Entry::Hands(word)
}
