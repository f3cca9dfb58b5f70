//! The circuit of a split.

use rand::CryptoRng;
use zeroize::Zeroizing;

use super::draw::{HANDS, Split};
use super::entry::{Entry, read_hands, read_places};
use crate::circuit::{Bit, Builder, ByParty, Circuit, Party, gadgets};
use crate::shuffle::Randomness;
use crate::shuffle::network::{Network, waksman};
use crate::shuffle::randomness::check_permutation;

/// The circuit of a [`Split`].
///
/// Input value 0 is the garbler's entries, and value 1 the evaluator's, board after board: for a
/// permutation, one bit for each switch of a Waksman network; for a word, two bits for each
/// position. The outputs are the hands, numbers with bit c set if card c is in the hand, and then
/// [one more value](Self::validity).
#[derive(Clone, Debug)]
pub struct SplitCircuit {
    split: Split,
    network: Network,
    circuit: Circuit,
}

impl SplitCircuit {
    /// Records the circuit. The same split always gives the same circuit.
    pub fn build(split: Split) -> Self {
        let network = waksman(split.cards());
        let inputs = Party::BOTH.map(|party| {
            (0..split.boards())
                .map(|board| entry_bits(&split, &network, board, party))
                .sum()
        });
        let mut b = Builder::new(&inputs);
        let mut entered = ByParty::from_fn(|party| b.input(party as usize));
        let mut valid = ByParty::from_fn(|_| Bit::ONE);
        let mut outputs = Vec::with_capacity(split.hands() + 1);
        for board in 0..split.boards() {
            let permutes = split.permutes(board);
            let mut take = |party| {
                let bits = entry_bits(&split, &network, board, party);
                entered[party].drain(..bits).collect::<Vec<Bit>>()
            };
            let (controls, word) = (take(permutes), take(permutes.other()));
            let balanced = is_balanced(&mut b, &word, split.ranks());
            let other = &mut valid[permutes.other()];
            *other = b.and(*other, balanced);
            outputs.extend(hands(&mut b, &network, &controls, &word));
        }
        outputs.push(Party::BOTH.map(|party| valid[party]).to_vec());
        SplitCircuit {
            split,
            network,
            circuit: b.build(outputs),
        }
    }

    /// The size of the deal.
    pub fn split(&self) -> Split {
        self.split
    }

    /// The circuit itself.
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// The number, from 0, of an output value of two bits: whether all words of the garbler contain
    /// each hand equally often, and whether all words of the evaluator do. Each bit depends only on
    /// that party's input, so both may be opened. Every permutation is in range.
    pub fn validity(&self) -> usize {
        self.split.hands()
    }

    /// Draws a party's entries, exactly uniform. Not in constant time: see
    /// [`ShuffleCircuit::sample`](crate::shuffle::ShuffleCircuit::sample).
    pub fn sample(&self, party: Party, rng: &mut impl CryptoRng) -> Randomness {
        let cards = self.split.cards();
        let entries: Vec<Entry> = (0..self.split.boards())
            .map(|board| {
                if self.split.permutes(board) == party {
                    Entry::places(cards, rng)
                } else {
                    Entry::hands(cards, rng)
                }
            })
            .collect();
        self.written(&entries)
    }

    /// Encodes a party's entries from the caller: for each board its positions or its word. This is
    /// for tests and enumeration; players [`sample`](Self::sample).
    ///
    /// # Errors
    /// An [`EntryError`] with the first board that has no valid entry. For a board on which the
    /// party [permutes](Split::permutes), an entry is positions that form a permutation. For any
    /// other board, it is a word of hands 0 to 3, which need not be balanced.
    pub fn encode(&self, party: Party, entries: &[Entry]) -> Result<Randomness, EntryError> {
        let cards = self.split.cards();
        for board in 0..self.split.boards().max(entries.len()) {
            let permutes = self.split.permutes(board) == party;
            let fits = match entries.get(board) {
                Some(Entry::Places(places)) if permutes => {
                    let places = places.iter().map(|&place| place.into());
                    check_permutation(cards, places).is_ok()
                }
                Some(Entry::Hands(word)) if !permutes => {
                    word.len() == cards && word.iter().all(|&hand| usize::from(hand) < HANDS)
                }
                _ => false,
            };
            if !fits || board >= self.split.boards() {
                return Err(EntryError(board));
            }
        }
        Ok(self.written(entries))
    }

    fn written(&self, entries: &[Entry]) -> Randomness {
        // Allocate all bits at once: a growing vector leaves copies behind that nobody wipes.
        let mut bits = Zeroizing::new(Vec::with_capacity(
            entries.iter().map(|entry| entry.width(&self.network)).sum(),
        ));
        for entry in entries {
            entry.write(&self.network, &mut bits);
        }
        Randomness::from_bits(bits)
    }

    /// Decodes a party's entries from its input bits. `None` if the number of bits is wrong.
    pub fn entered(&self, party: Party, bits: &[bool]) -> Option<Vec<Entry>> {
        let mut rest = bits;
        let mut entries = Vec::with_capacity(self.split.boards());
        for board in 0..self.split.boards() {
            let bits;
            let width = entry_bits(&self.split, &self.network, board, party);
            (bits, rest) = rest.split_at_checked(width)?;
            entries.push(if self.split.permutes(board) == party {
                read_places(&self.network, bits)
            } else {
                read_hands(bits)
            });
        }
        rest.is_empty().then_some(entries)
    }

    /// The hands encoded by the output bits. Bit c of a hand is set if card c is in the hand.
    pub fn decode(&self, outputs: &[Vec<bool>]) -> Vec<u64> {
        outputs
            .iter()
            .take(self.split.hands())
            .map(|word| (word.iter().rev()).fold(0, |n, &bit| n << 1 | u64::from(bit)))
            .collect()
    }
}

/// A missing or invalid entry for a board, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid entry for board {0}")]
pub struct EntryError(pub usize);

/// The number of bits that a party enters for a board.
fn entry_bits(split: &Split, network: &Network, board: usize, party: Party) -> usize {
    if split.permutes(board) == party {
        network.switches().len()
    } else {
        2 * split.cards()
    }
}

/// Whether a word contains each hand equally often: half of the first bits are set, half of the
/// second bits are set, and both bits are set at a quarter of all positions.
fn is_balanced(b: &mut Builder, word: &[Bit], ranks: usize) -> Bit {
    let (low, high): (Vec<Bit>, Vec<Bit>) = word.chunks_exact(2).map(|w| (w[0], w[1])).unzip();
    let both: Vec<Bit> = low.iter().zip(&high).map(|(&l, &h)| b.and(l, h)).collect();
    let counts = [(low, 2 * ranks), (high, 2 * ranks), (both, ranks)];
    counts.into_iter().fold(Bit::ONE, |all, (bits, count)| {
        let counted = gadgets::count_ones(b, &bits);
        let right = gadgets::equals(b, &counted, count as u64);
        b.and(all, right)
    })
}

/// The four hands of a board.
fn hands(b: &mut Builder, network: &Network, controls: &[Bit], word: &[Bit]) -> Vec<Vec<Bit>> {
    let mut lines: Vec<Vec<Bit>> = word.chunks_exact(2).map(<[Bit]>::to_vec).collect();
    for (switch, &control) in network.switches().iter().zip(controls) {
        let (upper, lower) = (&lines[switch.upper], &lines[switch.lower]);
        let exchanged = gadgets::conditional_swap(b, control, upper, lower);
        (lines[switch.upper], lines[switch.lower]) = exchanged;
    }
    let mut hands = vec![Vec::new(); HANDS];
    for &line in network.outputs() {
        let (low, high) = (lines[line][0], lines[line][1]);
        let both = b.and(low, high);
        let only_high = b.xor(high, both);
        let one_of_them = b.xor(low, only_high);
        let in_hand = [b.not(one_of_them), b.xor(low, both), only_high, both];
        for (hand, bit) in hands.iter_mut().zip(in_hand) {
            hand.push(bit);
        }
    }
    hands
}
