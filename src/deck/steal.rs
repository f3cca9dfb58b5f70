//! A random card out of the other's hand.
//!
//! The circuit takes the shares of the hand's cards as they are, so nobody can enter other cards.
//! Each party sets a network through which they go ([`Reshuffle`]). The card that comes out first is
//! the stolen one: a uniform one, if one party's setting is uniform. It is opened to both, for its
//! owner must know what it has lost. The others stay sealed, at places that the thief does not
//! know, and are opened to their owner again, which could not know its places either.
//!
//! Only a deck whose session lives can be stolen from: the shares of a [`KeptDeck`](super::KeptDeck)
//! can be opened, and nothing can be computed on them.
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

/// How the context of a steal begins; the owner of the hand follows, and what the caller adds.
const CONTEXT: &[u8] = b"dealerless steal v1";

impl<S: Clone> SealedDeck<S> {
    /// Makes ahead what `count` steals from hands of so many `cards` take: both parties call this
    /// with the same numbers. A steal is faster then; see [`TwoParty::prepare`].
    ///
    /// # Errors
    /// [`Error::Usage`] if no hand has so many cards; any [`Error`] of the session.
    pub fn prepare_steals<P: TwoParty<Shared = S>>(
        &self,
        session: &mut P,
        cards: usize,
        count: usize,
    ) -> Result<()> {
        if !(1..=self.len()).contains(&cards) {
            return Err(Error::usage(format!("no hand has {cards} cards")));
        }
        let reshuffle = Reshuffle::new(cards, self.width());
        let circuit = reshuffle.circuit();
        // The cards are shared already: the settings alone are entered.
        let demand = Demand::of(circuit).times(count);
        Ok(session.prepare(demand)?)
    }

    /// Takes a uniformly random card out of the hand of `owner`, for the other party. Both call this
    /// with the same positions, in the same order. This party's randomness is drawn from `rng`,
    /// which must be the operating system's generator or as good.
    ///
    /// The stolen card then lies at the first of the positions, and both have seen it. The rest of
    /// the hand lies at the others, in an order that neither has chosen: the owner has seen it, and
    /// the thief knows of no position which card lies there, not even of a card that had been shown
    /// to it. Only the owner can tell where the stolen card had lain.
    ///
    /// A party may break off when it has seen the card, as after any opening. That is its forfeit.
    ///
    /// # Errors
    /// [`Error::Usage`] if the hand is empty, a position was not drawn, occurs twice, or has not
    /// been opened to the owner: nothing is sent then. [`Check::NotOfTheHand`],
    /// [`Check::NotInDeck`] or [`Check::OpenedTwice`] if what comes out cannot be. Any error of the
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

    /// As [`steal`](Self::steal), if both parties also mean the same `context`, such as the digest
    /// of a log.
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

    /// Takes in what was opened after a steal, and gives the stolen card. `before` are the cards that
    /// this party had seen of the hand.
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
        // Who had seen all of them, as the owner has, knows what can come out.
        let known = before.iter().all(Option::is_some);
        let after = self.faces_of(hand);
        let mut after = after.iter().filter(|card| card.is_some());
        if known && !after.all(|card| before.contains(card)) {
            return Err(Error::Check(Check::NotOfTheHand));
        }
        Ok(stolen)
    }

    /// The bits of a card.
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

/// Shuffles the cards at the positions of `hand` again, out of the shares of all drawn cards, in a run
/// with this context.
///
/// # Errors
/// [`Error::Usage`] if the hand is empty, a position was not drawn or occurs twice: nothing is sent
/// then. (A card that went in twice would come out twice, and [`Check::OpenedTwice`] would blame the
/// peer.) Any error of the session.
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
                "card {position} is named twice in one hand"
            )));
        }
        let card = drawn.get(position);
        let card = card.ok_or_else(|| Error::usage(format!("card {position} was not drawn")))?;
        cards.push(Input::Shared(&card[..]));
    }
    let Some(Input::Shared(first)) = cards.first() else {
        return Err(Error::usage("nothing can be stolen from an empty hand"));
    };
    let reshuffle = Reshuffle::new(hand.len(), first.len());
    let setting = reshuffle.sample(rng);
    let inputs: Vec<_> = Input::ONE_EACH.into_iter().chain(cards).collect();
    let run = Run::new(reshuffle.circuit(), &inputs, setting.bits());
    Ok(session.run(run.in_context(context))?)
}

/// Who sees the card that comes out at this place: the first is the stolen one.
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
