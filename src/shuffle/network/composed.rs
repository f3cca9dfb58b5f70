//! A shuffle by two copies of a network. The fresh deck goes through the garbler's copy first, and
//! then through the evaluator's copy, which has only the switches that the drawn cards need.
//!
//! A party's secret is a permutation of the n positions. The garbler's copy puts card `g[p]` at
//! position p. The evaluator's copy takes draw j from position `e[j]`. So draw j is card `g[e[j]]`.
//! For a fixed e, the draws are uniform over uniform g, since the m positions `e[j]` are different.
//! For a fixed g, they are uniform over uniform e, since the cards of g are different.
//!
//! The two copies have different layouts:
//!
//! - The garbler's copy acts on constants. It is split so that the cards that can be on a line stay
//!   similar for as long as possible, and some of its switches cost nothing (see
//!   [`translation`](super::translation)).
//! - The evaluator's copy acts on words about which nothing is known. It is the network with the
//!   fewest switches for m outputs. A sorting network is *flipped*: its switches are in reverse
//!   order. So it begins with the switches at the end of the garbler's copy, which can be joined
//!   (see [`seam`](super::seam)). And a small draw needs only few of its switches.

use zeroize::Zeroizing;

use super::translation::{Translation, translate, translations};
use super::{Network, seam::Seam};
use crate::circuit::{Bit, Builder, Party, gadgets};
use crate::shuffle::Spec;
use crate::shuffle::deck::{Card, fresh_deck};

/// The networks of a shuffle that composes two permutations.
pub(in crate::shuffle) struct Copies {
    /// The garbler's copy for n lines.
    pub(in crate::shuffle) garbler: fn(lines: usize) -> Network,
    /// The evaluator's copy for n lines, laid out for its first m outputs.
    pub(in crate::shuffle) evaluator: fn(lines: usize, wanted: usize) -> Network,
}

/// Both parties' copies.
#[derive(Clone, Debug)]
pub(in crate::shuffle) struct Composed {
    spec: Spec,
    garbler: Network,
    translations: Vec<Translation>,
    evaluator: Network,
    /// The switches of the evaluator's copy that the wanted outputs need.
    needed: Vec<usize>,
}

impl Composed {
    /// The copies for a spec.
    pub(in crate::shuffle) fn new(spec: Spec, copies: &Copies) -> Self {
        let (n, m) = (spec.cards(), spec.draw());
        let (garbler, evaluator) = ((copies.garbler)(n), (copies.evaluator)(n, m));
        Self {
            spec,
            translations: translations(&garbler),
            garbler,
            needed: evaluator.needed(m),
            evaluator,
        }
    }

    /// The number of control bits of a party's copy.
    pub(in crate::shuffle) fn switches(&self, party: Party) -> usize {
        match party {
            Party::Garbler => self.garbler.switches().len(),
            Party::Evaluator => self.needed.len(),
        }
    }

    /// The control bits for a party's permutation of `0..n`.
    pub(in crate::shuffle) fn route(
        &self,
        party: Party,
        permutation: &[u32],
    ) -> Zeroizing<Vec<bool>> {
        match party {
            Party::Garbler => {
                let mut setting = self.garbler.route(permutation);
                translate(&self.translations, &mut setting);
                setting
            }
            Party::Evaluator => {
                let setting = self.evaluator.route(permutation);
                Zeroizing::new(self.needed.iter().map(|&switch| setting[switch]).collect())
            }
        }
    }

    /// Records the circuit and returns the m drawn cards.
    pub(in crate::shuffle) fn record(&self, b: &mut Builder) -> Vec<Card> {
        let mut deck = fresh_deck(self.spec);
        let controls = b.input(0);
        for translation in &self.translations {
            for card in &mut deck[translation.block.clone()] {
                let bit = &mut card[translation.bit];
                *bit = b.xor(*bit, controls[translation.switch]);
            }
        }
        let steps = self.seam(b, &controls, &b.input(1)).into_steps(b);
        for step in steps {
            let [first, second] = step.lines();
            (deck[first], deck[second]) =
                gadgets::conditional_swap(b, step.control, &deck[first], &deck[second]);
        }
        let place = self.garbler.outputs();
        (self.evaluator.outputs()[..self.spec.draw()].iter())
            .map(|&line| std::mem::take(&mut deck[place[line]]))
            .collect()
    }

    /// The switches of both copies without the translations, given the control bits of both
    /// parties.
    fn seam(&self, b: &mut Builder, garbler: &[Bit], evaluator: &[Bit]) -> Seam {
        let mut is_translation = vec![false; garbler.len()];
        for translation in &self.translations {
            is_translation[translation.switch] = true;
        }
        let mut seam = Seam::new(self.spec.cards());
        for (number, switch) in self.garbler.switches().iter().enumerate() {
            if !is_translation[number] {
                let lines = [switch.upper, switch.lower];
                seam.push(b, Party::Garbler, lines, garbler[number]);
            }
        }
        let place = self.garbler.outputs();
        for (&number, &control) in self.needed.iter().zip(evaluator) {
            let switch = self.evaluator.switches()[number];
            let lines = [place[switch.upper], place[switch.lower]];
            seam.push(b, Party::Evaluator, lines, control);
        }
        seam
    }

    /// The ANDs of [`record`](Self::record), computed without a deck: a switch takes one AND for
    /// each independent bit in which its two cards can differ. The ANDs of the garbler's copy
    /// depend only on the garbler's inputs, except for joined switches and the ANDs of squares (see
    /// [`seam`](super::seam)).
    pub(in crate::shuffle) fn cost(&self) -> RoutedCost {
        // The joining of switches does not depend on their control bits.
        let controls = Party::BOTH.map(|party| vec![Bit::ZERO; self.switches(party)]);
        let mut b = Builder::new(&[]);
        let seam = self.seam(&mut b, &controls[0], &controls[1]);
        let switches = seam.len();
        let steps = seam.into_steps(&mut b);
        // For each line, the bits that translations flip in its card, and the span of all other
        // changes of the card.
        let mut translated = vec![0; self.spec.cards()];
        for translation in &self.translations {
            for bits in &mut translated[translation.block.clone()] {
                *bits |= 1u16 << translation.bit;
            }
        }
        let mut changes = vec![Span::default(); self.spec.cards()];
        let mut cost = RoutedCost {
            garbler: 0,
            // One AND for each switch that was removed from a square.
            joint: switches - steps.len(),
        };
        let word_bits = self.spec.word_bits();
        for step in steps {
            let [x, y] = step.lines();
            let mut span = changes[x];
            if span.rank() < word_bits {
                span.insert_all(&changes[y]);
            }
            // Two lines of the same block share the translation of the block.
            let apart = (1 << (x ^ y).ilog2()) - 1;
            let flipped = (translated[x] | translated[y]) & apart;
            if span.rank() < word_bits {
                span.insert_bits(flipped);
            }
            *match step.owner() {
                Some(Party::Garbler) => &mut cost.garbler,
                Some(Party::Evaluator) | None => &mut cost.joint,
            } += span.rank();
            span.insert((x ^ y) as u16);
            (changes[x], changes[y]) = (span, span);
        }
        cost
    }
}

/// The number of ANDs of both copies.
pub(in crate::shuffle) struct RoutedCost {
    /// ANDs that depend only on the garbler's inputs.
    pub(in crate::shuffle) garbler: usize,
    /// All other ANDs.
    pub(in crate::shuffle) joint: usize,
}

/// A vector space of words: for each bit, the basis word with that highest bit, or 0.
#[derive(Clone, Copy, Default, PartialEq)]
struct Span([u16; 16]);

impl Span {
    fn insert(&mut self, mut word: u16) {
        while word != 0 {
            let member = &mut self.0[word.ilog2() as usize];
            if *member == 0 {
                *member = word;
                return;
            }
            word ^= *member;
        }
    }

    /// Inserts the basis of another space.
    fn insert_all(&mut self, other: &Self) {
        if self != other {
            other.0.iter().for_each(|&word| self.insert(word));
        }
    }

    /// Inserts each bit of `bits` as a separate word.
    fn insert_bits(&mut self, bits: u16) {
        let bits = (0..u16::BITS).map(|bit| bits & 1 << bit);
        bits.for_each(|bit| self.insert(bit));
    }

    fn rank(&self) -> usize {
        self.0.iter().filter(|&&member| member != 0).count()
    }
}

/// The m drawn cards, given the permutations of both parties.
pub(in crate::shuffle) fn plaintext(spec: Spec, garbler: &[u64], evaluator: &[u64]) -> Vec<u32> {
    (evaluator[..spec.draw()].iter())
        .map(|&place| garbler[place as usize] as u32)
        .collect()
}
