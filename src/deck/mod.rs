//! The sealed deck: shuffled by both parties, known to neither, opened card by card.
//!
//! [`SealedDeck::shuffle`] runs a shuffle circuit over any [`TwoParty`]; [`SealedDeck::open`]
//! opens drawn cards to one party or to both.

mod card;
mod choice;
mod estimate;

use rand::CryptoRng;

use crate::circuit::Party;
use crate::mpc::{Input, Opening, Security, To, TwoParty};
use crate::shuffle::ShuffleCircuit;
use crate::{Check, Error, Result};

pub use card::Card;
pub use choice::{Choice, UnknownChoice, circuit};
pub use estimate::Estimate;

/// The cards that were drawn from a shuffled deck. Their bits are shared between the parties: the
/// deck alone shows nothing, which is why it has no `Debug`.
pub struct SealedDeck<S> {
    cards: u32,
    drawn: Vec<Drawn<S>>,
}

/// A drawn card, sealed until it is opened.
struct Drawn<S> {
    bits: Vec<S>,
    opened_to_garbler: bool,
    opened_to_evaluator: bool,
    /// What it is, once this party has seen it.
    face: Option<Card>,
}

impl<S> Drawn<S> {
    fn opened_to(&mut self, party: Party) -> &mut bool {
        match party {
            Party::Garbler => &mut self.opened_to_garbler,
            Party::Evaluator => &mut self.opened_to_evaluator,
        }
    }
}

impl<S: Clone> SealedDeck<S> {
    /// Makes ahead what `count` shuffles take: both parties call this with the same circuit. A
    /// shuffle is faster then; see [`TwoParty::prepare`].
    ///
    /// # Errors
    /// Any [`Error`] of the session.
    pub fn prepare<P: TwoParty<Shared = S>>(
        party: &mut P,
        shuffle: &ShuffleCircuit,
        count: usize,
    ) -> Result<()> {
        let circuit = shuffle.circuit();
        // Too many are refused by the session.
        let inputs = std::array::from_fn(|owner| count.saturating_mul(circuit.inputs()[owner]));
        party.prepare(count.saturating_mul(circuit.ands()), inputs)
    }

    /// Shuffles and draws: both parties call this with the same circuit. This party's randomness
    /// is drawn from `rng`, which must be the operating system's generator or as good: no seed of
    /// 256 bits holds the choice of a large deck's permutation.
    ///
    /// If the circuit is [checked](ShuffleCircuit::build_checked), whether each party's seeds are
    /// in range is opened to both before there is a deck.
    ///
    /// # Errors
    /// [`Error::Usage`] if the session is malicious and the circuit not checked: nothing is sent
    /// then. [`Check::SeedsOutOfRange`], naming the party, if its seeds are. Any other [`Error`]
    /// of the session.
    pub fn shuffle<P: TwoParty<Shared = S>>(
        party: &mut P,
        shuffle: &ShuffleCircuit,
        rng: &mut impl CryptoRng,
    ) -> Result<Self> {
        if party.security() == Security::Malicious && !shuffle.is_checked() {
            return Err(Error::usage(
                "against a malicious peer the circuit must check the seeds",
            ));
        }
        let randomness = shuffle.sample(party.party(), rng);
        let bits = randomness.bits();
        let inputs = match party.party() {
            Party::Garbler => [Input::Mine(bits), Input::Peer],
            Party::Evaluator => [Input::Peer, Input::Mine(bits)],
        };
        let mut words = party.run(shuffle.circuit(), &inputs)?;
        if let Some(validity) = shuffle.validity() {
            check_seeds(party, &words.remove(validity))?;
        }
        Ok(SealedDeck {
            cards: shuffle.spec().cards() as u32,
            drawn: words
                .into_iter()
                .map(|bits| Drawn {
                    bits,
                    opened_to_garbler: false,
                    opened_to_evaluator: false,
                    face: None,
                })
                .collect(),
        })
    }

    /// How many cards were drawn.
    pub fn len(&self) -> usize {
        self.drawn.len()
    }

    /// Whether no card was drawn. (A shuffle draws at least one.)
    pub fn is_empty(&self) -> bool {
        self.drawn.is_empty()
    }

    /// The card at `position`, if this party has seen it.
    pub fn seen(&self, position: usize) -> Option<Card> {
        self.drawn.get(position)?.face
    }

    /// Opens drawn cards, all in one exchange, and gives for each what this party learned. The
    /// peer must open the same positions in the same order.
    ///
    /// A card is opened to a party once: what I have been dealt may later be shown with
    /// [`To::Peer`].
    ///
    /// # Errors
    /// [`Error::Usage`] if a position was not drawn, occurs twice or was opened to that party
    /// before: nothing is sent then. [`Check::CardNotInDeck`] or [`Check::CardOpenedTwice`] if what
    /// comes out cannot be.
    pub fn open<P: TwoParty<Shared = S>>(
        &mut self,
        party: &mut P,
        openings: &[(usize, To)],
    ) -> Result<Vec<Option<Card>>> {
        let me = party.party();
        self.check(me, openings)?;
        let requests: Vec<Opening<'_, S>> = openings
            .iter()
            .map(|&(position, to)| Opening {
                to,
                bits: &self.drawn[position].bits,
            })
            .collect();
        let opened = party.open(&requests)?;
        let mut learned = Vec::with_capacity(openings.len());
        for (&(position, to), bits) in openings.iter().zip(opened) {
            for learner in [me, me.other()] {
                if to.includes(me, learner) {
                    *self.drawn[position].opened_to(learner) = true;
                }
            }
            let face = bits
                .map(|bits| self.face(&bits))
                .transpose()
                .inspect_err(|_| party.abort())?;
            if face.is_some() {
                self.drawn[position].face = face;
            }
            learned.push(face);
        }
        Ok(learned)
    }

    /// The card that opened bits are, if it can be in this deck and has not been seen before.
    fn face(&self, bits: &[bool]) -> Result<Card> {
        let number = bits
            .iter()
            .rev()
            .fold(0, |number, &bit| number << 1 | u32::from(bit));
        if number >= self.cards {
            return Err(Error::Check(Check::CardNotInDeck));
        }
        let card = Card(number);
        if self.drawn.iter().any(|drawn| drawn.face == Some(card)) {
            return Err(Error::Check(Check::CardOpenedTwice));
        }
        Ok(card)
    }

    fn check(&mut self, me: Party, openings: &[(usize, To)]) -> Result<()> {
        for (i, &(position, to)) in openings.iter().enumerate() {
            let count = self.drawn.len();
            let Some(drawn) = self.drawn.get_mut(position) else {
                return Err(Error::usage(format!(
                    "card {position} was not drawn: there are {count}, counted from 0"
                )));
            };
            for learner in [me, me.other()] {
                if to.includes(me, learner) && *drawn.opened_to(learner) {
                    return Err(Error::usage(format!(
                        "card {position} has already been opened to the {learner}"
                    )));
                }
            }
            if openings[..i].iter().any(|(other, _)| *other == position) {
                return Err(Error::usage(format!(
                    "card {position} is named twice in one opening"
                )));
            }
        }
        Ok(())
    }
}

/// Opens whether the seeds of each party are in range, and ends the session if some are not.
fn check_seeds<P: TwoParty>(party: &mut P, validity: &[P::Shared]) -> Result<()> {
    let opened = party.open(&[Opening {
        to: To::Both,
        bits: validity,
    }])?;
    let valid = opened.into_iter().flatten().flatten();
    for (owner, valid) in [Party::Garbler, Party::Evaluator].into_iter().zip(valid) {
        if !valid {
            party.abort();
            return Err(Error::Check(Check::SeedsOutOfRange(owner)));
        }
    }
    Ok(())
}
