//! One seat's secrets of a match with a verifiable deck, and the parts that the seat makes with them.
//!
//! All random values are derived from the secret of the match and from the place in the log. A seat
//! that is restored from an older file therefore makes the same parts again, and convicts itself of
//! nothing.

use dealerless::deck::Card;
use dealerless::verifiable::{Contribution, Decks, Keys, NoKey, Partials, SecretKey, Show};
use dealerless_connection::hash::Hash;
use dealerless_connection::random::Derived;
use zeroize::Zeroizing;

use super::error::PlayError;
use crate::log::{DeckNow, KnownGoods, MatchLog, Opens, Part, Phase};
use crate::seat::Seat;

/// The secrets of a seat.
pub(crate) struct VerifiableSeat {
    seat: Seat,
    contribution: Contribution,
    /// The secret of the match. It must not leave the disk of the seat, and is destroyed after the
    /// match.
    secret: Zeroizing<[u8; 32]>,
    /// The seat's key, once all seats have dealt their shares.
    key: Option<SecretKey>,
    /// The hidden goods that the seat knows.
    goods: KnownGoods,
}

impl VerifiableSeat {
    /// The seat with the secret of its match. `None` if the deck of the match is not verifiable.
    pub(crate) fn new(log: &MatchLog, seat: Seat, secret: Zeroizing<[u8; 32]>) -> Option<Self> {
        let seats = log.deck_now(seat)?.seats();
        let of = *log.match_info().id().as_bytes();
        let mut rng = Derived::new(Hash::new("own keys").field(&*secret).field(&of));
        Some(VerifiableSeat {
            seat,
            contribution: Contribution::generate(of, seats, seat.index(), &mut rng),
            secret,
            key: None,
            goods: KnownGoods::default(),
        })
    }

    /// Whether the keys in the log, if it has any, are those of this secret.
    pub(crate) fn is_own(&self, log: &MatchLog) -> bool {
        let deck = log.deck_now(self.seat);
        let own = deck.and_then(|deck| deck.keys().get(self.seat.index()).map(Keys::to_bytes));
        own.is_none_or(|own| own == self.contribution.keys().to_bytes())
    }

    /// The seat's shuffle for the next hand, in the current step of the ahead chain, and the decks after
    /// it.
    ///
    /// # Errors
    /// [`PlayError::NotOwnKeys`] as for [`part`](Self::part), or if there is no chain.
    pub(crate) fn ahead(&self, log: &MatchLog) -> Result<(Vec<u8>, Decks), PlayError> {
        let deck = log.deck_now(self.seat).filter(|_| self.is_own(log));
        let deck = deck.ok_or(PlayError::NotOwnKeys)?;
        let context = deck.ahead_context().ok_or(PlayError::NotOwnKeys)?;
        let before = deck.ahead_deck().ok_or(PlayError::NotOwnKeys)?;
        let mut rng = made(&self.secret, &context.chain, context.step, &context.before);
        Ok(before.shuffle(&context, &mut rng))
    }

    /// The part of the deck that the seat signs in this step. `None` if the phase is not one of the
    /// deck.
    ///
    /// # Errors
    /// [`PlayError::NotOwnKeys`] if the log has parts for the keys that this seat has not made, for
    /// example because its secret was lost.
    pub(crate) fn part(&mut self, log: &MatchLog) -> Result<Option<Part>, PlayError> {
        let deck = log.deck_now(self.seat).ok_or(PlayError::NotOwnKeys)?;
        if !self.is_own(log) {
            return Err(PlayError::NotOwnKeys);
        }
        let of = log.match_info().id();
        let mut rng = made(&self.secret, of.as_bytes(), log.step(), &log.hash());
        Ok(Some(match log.phase() {
            Phase::Keys => Part::Keys(self.contribution.keys().to_bytes()),
            Phase::KeyDealing => {
                Part::KeyDealing(self.contribution.dealing(deck.keys()).to_bytes())
            }
            Phase::Complaints => match self.receive(&deck, &mut rng) {
                Ok(key) => {
                    self.key = Some(key);
                    Part::Fine
                }
                Err(NoKey::Complaint(complaint)) => Part::Complain(complaint.to_bytes()),
                Err(_) => return Err(PlayError::NotOwnKeys),
            },
            Phase::Shuffle(_) => {
                let context = deck.context().ok_or(PlayError::NotOwnKeys)?;
                Part::Shuffle(deck.deck().shuffle(&context, &mut rng).0)
            }
            Phase::Open(_) => self.open(&deck, &mut rng)?,
            Phase::Mix { .. } => {
                let (context, goods, numbers) = deck.mix().ok_or(PlayError::NotOwnKeys)?;
                let made = goods.mix(&context, &numbers, &mut rng);
                Part::Mix(made.map_err(|_| PlayError::NotOwnKeys)?.0)
            }
            Phase::Key(_) => Part::Key(*self.key(&deck)?.share()),
            _ => return Ok(None),
        }))
    }

    fn receive(&self, deck: &DeckNow<'_>, rng: &mut Derived) -> Result<SecretKey, NoKey> {
        self.contribution.receive(deck.keys(), deck.dealings(), rng)
    }

    /// The seat's key. After a restart, it follows from the parts in the log.
    fn key(&mut self, deck: &DeckNow<'_>) -> Result<&SecretKey, PlayError> {
        if self.key.is_none() {
            // No complaint is made here, so the random values are not used.
            let mut rng = Derived::new(Hash::new("unused"));
            let key = self
                .receive(deck, &mut rng)
                .map_err(|_| PlayError::NotOwnKeys)?;
            self.key = Some(key);
        }
        self.key.as_ref().ok_or(PlayError::NotOwnKeys)
    }

    /// The seat's key.
    #[cfg(test)]
    pub(crate) fn secret_key(&self, deck: &DeckNow<'_>) -> Option<SecretKey> {
        let mut rng = Derived::new(Hash::new("unused"));
        self.receive(deck, &mut rng).ok()
    }

    fn open(&mut self, deck: &DeckNow<'_>, rng: &mut Derived) -> Result<Part, PlayError> {
        let context = deck.context().ok_or(PlayError::NotOwnKeys)?;
        let decks = deck.hand().ok_or(PlayError::NotOwnKeys)?;
        let opens = deck.opens().ok_or(PlayError::NotOwnKeys)?;
        let key = self.key(deck)?;
        match opens {
            Opens::Slots(slots) => {
                let made = Partials::make(&context, decks, &slots, key, rng);
                made.map(|(part, _)| Part::Partials(part))
                    .map_err(|_| PlayError::NotOwnKeys)
            }
            Opens::Shown(to, shown) => {
                let made = Show::make(&context, decks, to, &shown, key, rng);
                made.map(Part::Show).map_err(|_| PlayError::NotOwnKeys)
            }
        }
    }

    /// The card at a position, if it was opened to this seat alone, or the good, if the seat alone knows
    /// its kind.
    pub(crate) fn card(&mut self, log: &MatchLog, position: usize) -> Option<Card> {
        let deck = log.deck_now(self.seat)?;
        self.key(&deck).ok()?;
        let key = self.key.as_ref()?;
        if !deck.is_good(position) {
            return deck.card(position, key);
        }
        let of = log.match_info().id();
        let rng = |step, before: &[u8; 32]| made(&self.secret, of.as_bytes(), step, before);
        deck.follow_goods(&mut self.goods, key, rng);
        self.goods.kind(position)
    }
}

/// The random values for the part in a step of a chain: the match, or an ahead chain. `before` is the
/// hash of all earlier steps.
fn made(secret: &[u8; 32], chain: &[u8; 32], step: u64, before: &[u8; 32]) -> Derived {
    let hash = Hash::new("made").field(secret);
    Derived::new(hash.field(chain).number(step).field(before))
}
