//! Stealing a random card from the other player's hand.
//!
//! The circuit takes the shares of the hand's cards as they are, so nobody can enter other cards.
//! Each party sets a network that the cards go through ([`Reshuffle`]). The first output is the
//! stolen card. This card is uniform if one party's setting is uniform. It is opened to both
//! parties, because the owner of the hand must know which card was stolen. The other cards are at
//! new positions that neither party knows. They stay sealed for the thief, and are opened to the
//! owner again.
//!
//! Stealing needs a deck whose session is alive. The shares of a [`KeptDeck`](super::KeptDeck) can
//! be opened, but nothing can be computed on them.
//!
//! ```compile_fail,E0599
//! fn after_the_session(kept: &mut dealerless::deck::KeptDeck) {
//!     kept.steal();
//! }
//! ```

use rand::CryptoRng;
use zeroize::Zeroizing;

use super::error::{Check, Error, Result};
use super::{Card, SealedDeck};
use crate::circuit::{ByParty, Party};
use crate::mpc::{Audience, Demand, Input, Opening, Run, TwoParty, Words};
use crate::shuffle::Reshuffle;

/// The prefix of the context of a steal. The owner of the hand and the caller's context follow it.
const CONTEXT: &[u8] = b"dealerless steal v1";

impl<S: Clone> SealedDeck<S> {
    /// Prepares `count` steals from hands of `cards` cards, which are then faster: see
    /// [`TwoParty::prepare`]. Both parties call this with the same numbers.
    ///
    /// # Errors
    /// [`Error::Usage`] if no hand can have that many cards; any [`Error`] of the session.
    pub fn prepare_steals<P: TwoParty<Shared = S>>(
        &self,
        session: &mut P,
        cards: usize,
        count: usize,
    ) -> Result<()> {
        if !(1..=self.len()).contains(&cards) {
            return Err(Error::usage(format!("a hand cannot have {cards} cards")));
        }
        let reshuffle = Reshuffle::new(cards, self.width());
        let circuit = reshuffle.circuit();
        // The cards are already shared, so the parties enter only the settings.
        let demand = Demand::of(circuit).times(count);
        Ok(session.prepare(demand)?)
    }

    /// Takes a uniformly random card from the hand of `owner`, for the other party. Both parties
    /// call this with the same positions, in the same order. This party's randomness is drawn from
    /// `rng`, which must be the operating system's generator or equally good.
    ///
    /// The stolen card is then at the first of the positions, and both parties have seen it. The
    /// other cards of the hand are at the other positions, in an order that neither party has
    /// chosen. The owner has seen these cards. The thief does not know which card is at which
    /// position, not even for cards that the owner had shown before. Only the owner knows the
    /// previous position of the stolen card.
    ///
    /// A party may abort after it has seen the card, as after any opening. A party that aborts
    /// forfeits.
    ///
    /// # Errors
    /// [`Error::Usage`] if the hand is empty, or if a position was not drawn, appears twice, or has
    /// not been opened to the owner; nothing has been sent in that case. [`Check::NotOfTheHand`],
    /// [`Check::NotInDeck`] or [`Check::OpenedTwice`] if the result is impossible. Any error of the
    /// session.
    pub fn steal<P: TwoParty<Shared = S>>(
        &mut self,
        session: &mut P,
        owner: Party,
        hand: &[usize],
        rng: &mut impl CryptoRng,
    ) -> Result<Card> {
        self.steal_in(session, owner, hand, &[], rng)
    }

    /// As [`steal`](Self::steal), but fails unless both parties use the same `context`, such as the
    /// digest of a log.
    ///
    /// # Errors
    /// Those of [`steal`](Self::steal).
    pub fn steal_in<P: TwoParty<Shared = S>>(
        &mut self,
        session: &mut P,
        owner: Party,
        hand: &[usize],
        context: &[u8],
        rng: &mut impl CryptoRng,
    ) -> Result<Card> {
        self.check_owner(owner, hand)?;
        let context = [CONTEXT, &[owner as u8], context].concat();
        let words = reshuffle(session, &self.drawn, hand, &context, rng)?;

        let opened = session.open(&openings(owner, &words))?;
        let before = self.faces_of(hand);
        for (&position, bits) in hand.iter().zip(words.iter()) {
            self.drawn[position] = bits.to_vec();
            self.faces.forget(position);
        }
        self.see(owner, hand, opened.iter(), &before)
            .inspect_err(|_| session.abort())
    }

    /// Records the cards opened after a steal and returns the stolen card. `before` holds the cards
    /// of the hand that this party had seen.
    fn see<'a>(
        &mut self,
        owner: Party,
        hand: &[usize],
        opened: impl Iterator<Item = Option<&'a [bool]>>,
        before: &[Option<Card>],
    ) -> Result<Card> {
        for (number, (&position, bits)) in hand.iter().zip(opened).enumerate() {
            let to = audience(owner, number);
            self.opened[position] = ByParty::from_fn(|party| to.includes(party));
            if let Some(bits) = bits {
                self.faces.open(position, bits.iter().copied())?;
            }
        }
        let stolen = self.seen(hand[0]);
        let stolen = stolen.ok_or(Error::Check(Check::NotOfTheHand))?;
        // A party that had seen all cards of the hand, such as the owner, knows which cards are
        // possible.
        let known = before.iter().all(Option::is_some);
        let after = self.faces_of(hand);
        let mut after = after.iter().filter(|card| card.is_some());
        if known && !after.all(|card| before.contains(card)) {
            return Err(Error::Check(Check::NotOfTheHand));
        }
        Ok(stolen)
    }

    /// The number of bits of a card.
    fn width(&self) -> usize {
        self.drawn.first().map_or(0, Vec::len)
    }

    /// The cards at these positions that this party has seen.
    fn faces_of(&self, hand: &[usize]) -> Zeroizing<Vec<Option<Card>>> {
        let faces = hand.iter().map(|&position| self.seen(position));
        Zeroizing::new(faces.collect())
    }

    fn check_owner(&self, owner: Party, hand: &[usize]) -> Result<()> {
        let mut hand = hand.iter();
        match hand.find(|&&position| !self.is_open_to(position, owner)) {
            None => Ok(()),
            Some(position) => Err(Error::usage(format!(
                "card {position} is not in the hand of the {owner}"
            ))),
        }
    }
}

/// Reshuffles the cards at the positions of `hand`, using the shares of all drawn cards, in a run
/// with this context.
///
/// # Errors
/// [`Error::Usage`] if the hand is empty, or if a position was not drawn or appears twice; nothing
/// has been sent in that case. (A card that was entered twice would come out twice, and
/// [`Check::OpenedTwice`] would blame the peer.) Any error of the session.
pub(super) fn reshuffle<P: TwoParty>(
    session: &mut P,
    drawn: &[Vec<P::Shared>],
    hand: &[usize],
    context: &[u8],
    rng: &mut impl CryptoRng,
) -> Result<Words<P::Shared>> {
    let mut cards = Vec::with_capacity(hand.len());
    for (i, &position) in hand.iter().enumerate() {
        if hand[..i].contains(&position) {
            return Err(Error::usage(format!(
                "card {position} appears twice in one hand"
            )));
        }
        let card = drawn.get(position);
        let card = card.ok_or_else(|| Error::usage(format!("card {position} was not drawn")))?;
        cards.push(Input::Shared(&card[..]));
    }
    let Some(Input::Shared(first)) = cards.first() else {
        return Err(Error::usage("cannot steal from an empty hand"));
    };
    let reshuffle = Reshuffle::new(hand.len(), first.len());
    let setting = reshuffle.sample(rng);
    let inputs: Vec<_> = Input::ONE_EACH.into_iter().chain(cards).collect();
    let run = Run::new(reshuffle.circuit(), &inputs, setting.bits());
    Ok(session.run(run.in_context(context))?)
}

/// The audience of output number `place` of the reshuffle. Output 0 is the stolen card.
fn audience(owner: Party, place: usize) -> Audience {
    match place {
        0 => Audience::Both,
        _ => Audience::Only(owner),
    }
}

fn openings<S>(owner: Party, words: &Words<S>) -> Vec<Opening<'_, S>> {
    words
        .iter()
        .enumerate()
        .map(|(place, bits)| Opening {
            to: audience(owner, place),
            bits,
        })
        .collect()
}
