//! Acks, and when a seat may open cards.
//!
//! In a match with more than two seats, other seats may have seen another log than this one, if a
//! seat cheats. So a seat opens cards only after the others have signed the hash of the same steps.
//! A step in which cards are opened or a share of the deck's key is published is a *release*. Each
//! seat signs an ack for a release as soon as it has all earlier steps on its disk. With two seats
//! there are no acks: a seat that signs a part shows the log that it has.

use dealerless_connection::identity::Identity;

use super::foul::Refused;
use super::match_log::{Accepted, CannotSign, MatchLog};
use super::phase::Phase;
use super::signed::{Signed, SignedAck, Statement};
use crate::seat::Seat;

impl MatchLog {
    /// Whether the current step is a release.
    pub(super) fn is_release(&self) -> bool {
        let phase = self.phase();
        self.state().deck.verifiable().is_some() && matches!(phase, Phase::Open(_) | Phase::Key(_))
    }

    /// Whether `seat` may sign its part of a release only with a statement of `other`: a seat other
    /// than these two can have shown them different logs. This is not possible if only these two
    /// have signed parts since (and in) the last step with a part of `other`. With roll calls it is
    /// always possible, because a third seat can speak by a vote.
    fn needs(&self, seat: Seat, other: Seat) -> bool {
        if self.match_info().has_roll_calls() {
            return self.step() > 0;
        }
        for step in (0..self.step()).rev() {
            let signers = || self.steps().signers(step);
            if signers().any(|signer| signer != seat && signer != other) {
                return true;
            }
            if signers().any(|signer| signer == other) {
                return false;
            }
        }
        false
    }

    fn live(&self) -> impl Iterator<Item = Seat> {
        let seats = Seat::all(self.match_info().seats());
        seats.filter(|seat| self.state().deck.is_live(*seat))
    }

    /// Whether `seat` has to sign an ack now: it has signed nothing for this release, and another
    /// seat needs its statement; or it has signed nothing for this step, and a call names it, so that the
    /// others learn that it is there. Or the match ended with a conviction, and this seat remains and has
    /// not [confirmed](Self::unconfirmed) the end of its log.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn owes_ack(&self, seat: Seat) -> bool {
        if self.is_removed() {
            return false;
        }
        if self.confirms_end() {
            return self.unsigned_now().contains(&seat);
        }
        let is_needed = || {
            let mut others = self.live().filter(|other| *other != seat);
            self.is_release() && others.any(|other| self.needs(other, seat))
        };
        self.state().deck.is_live(seat)
            && !self.has_spoken(self.step(), seat)
            && (is_needed() || self.is_named(seat) && !self.is_over())
    }

    /// The seats whose statements `seat` still needs before it may sign its part of this release.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn lacks(&self, seat: Seat) -> Vec<Seat> {
        if !self.is_release() {
            return Vec::new();
        }
        let lacks = |other: &Seat| {
            let has_spoken = self.has_spoken(self.step(), *other);
            *other != seat && !has_spoken && self.needs(seat, *other)
        };
        self.live().filter(lacks).collect()
    }

    /// Signs an ack for the current step, and adds it to the log. The caller must
    /// [write](super::Journal::append) it before sending it.
    ///
    /// # Errors
    /// [`CannotSign::NoAck`] if the seat owes none.
    pub(crate) fn sign_ack(
        &mut self,
        identity: &Identity,
        seat: Seat,
    ) -> Result<SignedAck, CannotSign> {
        if !self.owes_ack(seat) {
            return Err(CannotSign::NoAck);
        }
        Ok(self.new_ack(identity, seat))
    }

    /// Signs an ack that shows the others that the owner is present. They restart the time for its part
    /// when they receive the ack. `None` if seats cannot be removed, or if the owner has already signed a
    /// statement in this step. The caller must [write](super::Journal::append) it before sending it.
    pub(crate) fn sign_presence(&mut self, identity: &Identity) -> Option<SignedAck> {
        let (step, owner) = (self.step(), self.owner());
        let can_be_removed = self.match_info().has_roll_calls() && !self.is_over();
        let is_due =
            can_be_removed && self.live_at(step).contains(owner) && !self.has_spoken(step, owner);
        is_due.then(|| self.new_ack(identity, owner))
    }

    fn new_ack(&mut self, identity: &Identity, seat: Seat) -> SignedAck {
        let (of, step) = (self.match_info().id(), self.step());
        let ack = SignedAck::sign(identity, &of, step, &self.hash(), seat);
        self.add_ack(ack.clone());
        ack
    }

    /// Adds a statement of any seat, which names the history for which it was signed.
    ///
    /// # Errors
    /// Those of [`accept`](Self::accept), and [`Refused::OtherHistory`] if the seat has another
    /// history than this log. The log is unchanged, except that an invalid shuffle for the next hand
    /// ends the ahead chain.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn accept_statement(&mut self, statement: Statement) -> Result<Accepted, Refused> {
        if let Signed::Ahead(ahead) = statement.signed {
            return self.accept_ahead(*ahead, Some(statement.before));
        }
        let before = self.before(statement.signed.step(), statement.signed.seat())?;
        if statement.before != before {
            return Err(self.other_history(statement, before));
        }
        self.accept_signed(statement.signed)
    }

    /// Adds a statement that was signed for the history of this log.
    ///
    /// # Errors
    /// Those of [`accept`](Self::accept).
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn accept_signed(&mut self, signed: Signed) -> Result<Accepted, Refused> {
        match signed {
            Signed::Part(part) => self.accept(part),
            Signed::Ack(ack) => {
                let before = self.before(ack.step, ack.seat)?;
                self.accept_ack(ack, before)
            }
            Signed::Ahead(ahead) => self.accept_ahead(*ahead, None),
            Signed::Vote(vote) => {
                let before = self.before(vote.step, vote.seat)?;
                self.accept_vote(*vote, before)
            }
        }
    }

    /// Adds an ack for a history that this log has. `before` is the hash of this history. An ack
    /// that nobody needs is added as well and has no effect: whether a log accepts an ack must not
    /// depend on how many later steps or convictions the log has.
    fn accept_ack(&mut self, ack: SignedAck, before: [u8; 32]) -> Result<Accepted, Refused> {
        let (step, seat) = (ack.step, ack.seat);
        if self.steps().ack(step, seat).is_some() {
            return Ok(Accepted::Known);
        }
        let player = &self.match_info().players()[seat.index()];
        if !ack.is_signed(&player.identity, &self.match_info().id(), &before) {
            return Err(Refused::Signature(seat));
        }
        if self.match_info().seats() == 2 {
            return Err(Refused::NoAck(seat));
        }
        self.add_ack(ack);
        Ok(Accepted::Ack)
    }

    /// Judges a valid statement for another history than `own`, that of this log.
    fn other_history(&self, statement: Statement, own: [u8; 32]) -> Refused {
        let (step, seat) = (statement.signed.step(), statement.signed.seat());
        if !statement.is_valid(self.match_info()) {
            return Refused::Signature(seat);
        }
        let part = self.part(step, seat).cloned().map(Signed::Part);
        let ack = || self.steps().ack(step, seat).cloned().map(Signed::Ack);
        let vote = || {
            let mut votes = self.steps().votes(step).iter();
            let vote = votes.find(|vote| vote.seat == seat)?;
            Some(Signed::Vote(Box::new(vote.clone())))
        };
        let known = part.or_else(ack).or_else(vote);
        match known {
            Some(signed) => {
                let known = Statement {
                    before: own,
                    signed,
                };
                Refused::Fork(Box::new(super::signed::Evidence {
                    match_id: self.match_info().id(),
                    statements: [known, statement],
                }))
            }
            None => Refused::OtherHistory { seat, step },
        }
    }
}
