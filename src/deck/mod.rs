//! The sealed deck: shuffled by both parties, known to neither, opened card by card.
//!
//! [`SealedDeck::shuffle`] runs a shuffle circuit over any [`TwoParty`]; [`SealedDeck::open`] opens
//! drawn cards to one party or to both. A [`KeptDeck`] of a malicious session outlives the session:
//! its cards can be opened one by one over any connection after the session has ended.
//!
//! While the session lives, [`SealedDeck::steal`] takes a random card from a hand. A [`Pile`] is a
//! sealed deck of repeated cards that the parties draw from during a game.

mod card;
mod choice;
mod error;
mod estimate;
mod faces;
mod kept;
mod live;
mod pile;
mod steal;

use rand::CryptoRng;

use self::faces::Faces;
use crate::circuit::{ByParty, Party};
use crate::mpc::{Audience, Demand, Input, Opening, Run, Security, TwoParty, Words};
use crate::shuffle::ShuffleCircuit;

pub use card::Card;
pub use choice::{Choice, UnknownChoice, circuit};
pub use error::{Check, Error, Result};
pub use estimate::Estimate;
pub use faces::Pack;
pub use kept::{KeptDeck, Share};
pub use live::{LiveDeck, UncheckedDeck};
pub use pile::{Kinds, KindsError, Pile};

/// The cards drawn from a shuffled deck. Their bits are shared between the parties. One party's
/// shares alone reveal nothing. There is no `Debug`, so that shares are not printed by mistake.
pub struct SealedDeck<S> {
    /// One word for each drawn card.
    drawn: Vec<Vec<S>>,
    faces: Faces,
    /// For each position, the parties that the card has been opened to.
    opened: Vec<ByParty<bool>>,
}

impl<S: Clone> SealedDeck<S> {
    /// Prepares `count` shuffles, which are then faster: see [`TwoParty::prepare`]. Both parties
    /// call this with the same circuit and the same count.
    ///
    /// # Errors
    /// Any [`Error`] of the session.
    pub fn prepare<P: TwoParty<Shared = S>>(
        session: &mut P,
        shuffle: &ShuffleCircuit,
        count: usize,
    ) -> Result<()> {
        let demand = Demand::of(shuffle.circuit()).times(count);
        Ok(session.prepare(demand)?)
    }

    /// Shuffles and draws: both parties call this with the same circuit. This party's randomness is
    /// drawn from `rng`, which must be the operating system's generator or equally good: a seed of
    /// 256 bits cannot encode all permutations of a large deck.
    ///
    /// If the circuit is [checked](ShuffleCircuit::build_checked), the session first opens to both
    /// parties whether each party's seeds are in range.
    ///
    /// # Errors
    /// [`Error::Usage`] if the session is malicious and the circuit is not checked; nothing has
    /// been sent in that case. [`Check::SeedsOutOfRange`], with the party whose seeds are out of
    /// range. Any error of the session.
    pub fn shuffle<P: TwoParty<Shared = S>>(
        session: &mut P,
        shuffle: &ShuffleCircuit,
        rng: &mut impl CryptoRng,
    ) -> Result<Self> {
        Self::shuffle_in(session, shuffle, &[], rng)
    }

    /// As [`shuffle`](Self::shuffle), but fails unless both parties use the same `context`: what
    /// the deck is for, such as the digest of a log.
    ///
    /// # Errors
    /// Those of [`shuffle`](Self::shuffle).
    pub fn shuffle_in<P: TwoParty<Shared = S>>(
        session: &mut P,
        shuffle: &ShuffleCircuit,
        context: &[u8],
        rng: &mut impl CryptoRng,
    ) -> Result<Self> {
        check_circuit(session.security(), shuffle)?;
        let randomness = shuffle.sample(session.role(), rng);
        let run = Run::new(shuffle.circuit(), &Input::ONE_EACH, randomness.bits());
        let words = session.run(run.in_context(context))?;
        check_seeds(session, shuffle, &words)?;
        let count = shuffle.spec().draw();
        Ok(SealedDeck {
            drawn: words.iter().take(count).map(<[S]>::to_vec).collect(),
            faces: Faces::unseen(Pack::Cards(shuffle.spec().cards() as u32), count),
            opened: vec![ByParty::default(); count],
        })
    }

    /// The number of cards drawn.
    pub fn len(&self) -> usize {
        self.opened.len()
    }

    /// Whether no card was drawn. (A shuffle draws at least one.)
    pub fn is_empty(&self) -> bool {
        self.opened.is_empty()
    }

    /// The number of cards in the whole deck.
    fn cards(&self) -> usize {
        self.faces.pack().cards() as usize
    }

    /// Whether the card at `position` has been opened to a party.
    fn is_open_to(&self, position: usize, party: Party) -> bool {
        self.opened
            .get(position)
            .is_some_and(|opened| opened[party])
    }

    /// The card at `position`, if this party has seen it.
    pub fn seen(&self, position: usize) -> Option<Card> {
        self.faces.at(position)
    }

    /// Opens drawn cards, all in one exchange. For each opening, returns the card if this party has
    /// learned it. The peer must open the same positions to the same audience, in the same order.
    ///
    /// A card is opened to each party only once. A card that one party has seen is later opened
    /// only to the other party, not to both.
    ///
    /// # Errors
    /// [`Error::Usage`] if a position was not drawn, appears twice or has already been opened to
    /// that party; nothing has been sent in that case. [`Check::NotInDeck`] or
    /// [`Check::OpenedTwice`] if an opened card is impossible. Any error of the session.
    pub fn open<P: TwoParty<Shared = S>>(
        &mut self,
        session: &mut P,
        openings: &[(usize, Audience)],
    ) -> Result<Vec<Option<Card>>> {
        self.check(openings)?;
        let requests: Vec<Opening<'_, S>> = (openings.iter())
            .map(|&(position, to)| Opening {
                to,
                bits: &self.drawn[position],
            })
            .collect();
        let opened = session.open(&requests)?;
        let mut learned = Vec::with_capacity(openings.len());
        for (&(position, to), bits) in openings.iter().zip(opened.iter()) {
            for learner in Party::BOTH {
                self.opened[position][learner] |= to.includes(learner);
            }
            let face = bits.map(|bits| self.faces.open(position, bits.iter().copied()));
            learned.push(face.transpose().inspect_err(|_| session.abort())?);
        }
        Ok(learned)
    }

    fn check(&self, openings: &[(usize, Audience)]) -> Result<()> {
        for (i, &(position, to)) in openings.iter().enumerate() {
            let Some(opened) = self.opened.get(position) else {
                return Err(Error::usage(format!(
                    "card {position} was not drawn: the deck has {} drawn cards, numbered from 0",
                    self.len()
                )));
            };
            check_closed(&format!("card {position}"), opened, to)?;
            if openings[..i].iter().any(|(other, _)| *other == position) {
                return Err(Error::usage(format!(
                    "card {position} appears twice in one opening"
                )));
            }
        }
        Ok(())
    }
}

/// Checks that `what` has not already been opened to any party in the audience `to`.
///
/// # Errors
/// [`Error::Usage`], which names the party and, if the card can still be opened to the other party
/// alone, says so.
pub fn check_closed(what: &str, opened: &ByParty<bool>, to: Audience) -> Result<()> {
    let Some(learner) = Party::BOTH
        .into_iter()
        .find(|learner| to.includes(*learner) && opened[*learner])
    else {
        return Ok(());
    };
    let other = learner.other();
    let left = if to == Audience::Both && !opened[other] {
        format!(": open it to the {other} alone")
    } else {
        String::new()
    };
    Err(Error::usage(format!(
        "{what} has already been opened to the {learner}{left}"
    )))
}

/// Opens whether the seeds of each party are in range, and ends the session if any are not. `words`
/// is the result of a run of the shuffle. If the circuit does not check the seeds, nothing is
/// opened.
///
/// [`SealedDeck::shuffle`] calls this function. It is public for callers that run the circuit
/// themselves.
///
/// # Errors
/// [`Check::SeedsOutOfRange`], with the party; any error of the session.
pub fn check_seeds<P: TwoParty>(
    session: &mut P,
    shuffle: &ShuffleCircuit,
    words: &Words<P::Shared>,
) -> Result<()> {
    match shuffle.validity() {
        Some(validity) => check_validity(session, &words[validity]),
        None => Ok(()),
    }
}

/// Opens one bit for each party: whether an honest party could have entered the party's input. Ends
/// the session if a bit is 0.
///
/// # Errors
/// [`Check::SeedsOutOfRange`], with the party; any error of the session.
pub fn check_validity<P: TwoParty>(session: &mut P, valid: &[P::Shared]) -> Result<()> {
    let opened = session.open(&[Opening {
        to: Audience::Both,
        bits: valid,
    }])?;
    let valid = opened.get(0).unwrap_or_default();
    seeds_in_range(valid).map_err(|check| {
        session.abort();
        Error::Check(check)
    })
}

/// Checks the opened validity bits, one for each party. The slice is empty if no input can be out
/// of range.
fn seeds_in_range(valid: &[bool]) -> Result<(), Check> {
    let mut validity = Party::BOTH.into_iter().zip(valid);
    match validity.find(|(_, valid)| !**valid) {
        None => Ok(()),
        Some((owner, _)) => Err(Check::SeedsOutOfRange(owner)),
    }
}

fn check_circuit(security: Security, shuffle: &ShuffleCircuit) -> Result<()> {
    if choice::checks_seeds(security) && !shuffle.is_checked() {
        return Err(Error::usage(
            "a malicious session needs a circuit that checks the seeds",
        ));
    }
    Ok(())
}
