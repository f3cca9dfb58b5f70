//! Shuffles cards that are already shared between the parties, such as the cards of a hand.
//!
//! The cards are outputs of an earlier run, and nothing is known about them. They go through two
//! Waksman networks, one set by each party. So position j gets card `g[e[j]]`, where g is the
//! garbler's permutation and e the evaluator's, as in the shuffles by [networks](super). This
//! composed permutation is uniform if one party's permutation is uniform and independent of the
//! other's. Neither party learns it.
//!
//! **The position of one card**: the first output is the card at position `g[e[0]]`, a joint
//! uniform index that nobody knows. The alternative is to draw the index by additive seeds, select
//! the card, and send the other cards through two networks. For 7 cards of 6 bits, this takes 164
//! ANDs instead of 145, and it needs a check that the seeds are in range. Here every input is in
//! range: whatever bits a party enters, its network can only permute.

use rand::CryptoRng;
use zeroize::Zeroizing;

use super::seam::Seam;
use super::{Network, waksman};
use crate::circuit::{Builder, Circuit, Party, gadgets};
use crate::shuffle::randomness::{Randomness, SeedError, check_permutation};
use crate::uniform;

/// The circuit that reshuffles n shared cards.
///
/// Input value 0 is the setting of the garbler's network, and value 1 that of the evaluator's
/// network, one bit for each switch. The next n values are the cards, with the same width as in
/// their deck. The outputs are the n cards in their new order. Every input is in range.
#[derive(Clone, Debug)]
pub struct Reshuffle {
    network: Network,
    circuit: Circuit,
}

impl Reshuffle {
    /// The maximum number of cards.
    pub const MAX_CARDS: usize = 4096;

    /// Records the circuit for `cards` cards (1 to [`MAX_CARDS`](Self::MAX_CARDS)) of `word_bits`
    /// bits. The same numbers always give the same circuit.
    ///
    /// # Panics
    /// Panics if `cards` is out of range.
    pub fn new(cards: usize, word_bits: usize) -> Self {
        assert!((1..=Self::MAX_CARDS).contains(&cards), "{cards} cards");
        let network = waksman(cards);
        let switches = network.switches().len();
        let mut widths = vec![switches; 2];
        widths.resize(2 + cards, word_bits);
        let mut b = Builder::new(&widths);
        let mut deck: Vec<_> = (0..cards).map(|card| b.input(2 + card)).collect();

        // The evaluator's network begins at the outputs of the garbler's network.
        let mut seam = Seam::new(cards);
        for (switch, control) in network.switches().iter().zip(b.input(0)) {
            let lines = [switch.upper, switch.lower];
            seam.push(&mut b, Party::Garbler, lines, control);
        }
        let place = network.outputs();
        for (switch, control) in network.switches().iter().zip(b.input(1)) {
            let lines = [place[switch.upper], place[switch.lower]];
            seam.push(&mut b, Party::Evaluator, lines, control);
        }
        for step in seam.into_steps(&mut b) {
            let [first, second] = step.lines();
            (deck[first], deck[second]) =
                gadgets::conditional_swap(&mut b, step.control, &deck[first], &deck[second]);
        }
        let outputs = (place.iter())
            .map(|&line| std::mem::take(&mut deck[place[line]]))
            .collect();
        Reshuffle {
            circuit: b.build(outputs),
            network,
        }
    }

    /// The circuit itself.
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// The number of cards that the circuit shuffles.
    pub fn cards(&self) -> usize {
        self.network.lines()
    }

    /// Draws a party's permutation, exactly uniform, and sets its network accordingly. Not in
    /// constant time: see [`ShuffleCircuit::sample`](crate::shuffle::ShuffleCircuit::sample).
    pub fn sample(&self, rng: &mut impl CryptoRng) -> Randomness {
        let permutation = Zeroizing::new(uniform::permutation(self.cards(), || rng.next_u64()));
        Randomness::from_bits(self.network.route(&permutation))
    }

    /// The setting for a permutation from the caller. This is for tests and enumeration; players
    /// [`sample`](Self::sample).
    ///
    /// # Errors
    /// When `permutation` is not a permutation of the numbers from 0 to the number of cards minus
    /// 1.
    pub fn set(&self, permutation: &[u32]) -> Result<Randomness, SeedError> {
        let values = permutation.iter().map(|&value| value.into());
        check_permutation(self.cards(), values)?;
        Ok(Randomness::from_bits(self.network.route(permutation)))
    }
}
