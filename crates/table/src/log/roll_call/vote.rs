//! The signed vote: a seat signs or refuses a call.

use dealerless_connection::hash::Hash;
use dealerless_connection::identity::{Identity, PublicIdentity};
use dealerless_connection::wire::{Malformed, Reader, Writer};

use crate::log::players::MatchId;
use crate::log::signed::{SignedPart, Statement};
use crate::seat::{Seat, SeatSet};

/// The hash of a call.
pub type CallId = [u8; 32];

/// What a seat has not received from another one in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Missing {
    /// Any statement: the seat has signed no ack, no part and no vote.
    Statement,
    /// The part, which is due.
    Part,
    /// A shuffle made ahead. The deals wait for it.
    Shuffle,
    /// A valid part: the seat has committed a foul. No time has to pass.
    Foul,
    /// A vote of the seat on the call with this id. Nobody has refused the call either.
    Vote(CallId),
    /// Nothing: a won late call of an earlier step names the seat, so this call removes it. No time has to
    /// pass.
    Removed,
}

const STATEMENT: u8 = 0;
const PART: u8 = 1;
const FOUL: u8 = 2;
const VOTE: u8 = 3;
const SHUFFLE: u8 = 4;
const REMOVED: u8 = 5;

/// A call in a step: a set of claims that seats lack something, and that the time for it is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Pairs of a seat and what is missing from it, sorted.
    claims: Vec<(Seat, Missing)>,
    id: CallId,
}

impl Call {
    /// The maximum number of claims. A seat makes one or two about each other seat, and one for each of
    /// its open calls on which the other seat has not voted.
    pub(in crate::log) const MAX_CLAIMS: usize = 64;

    /// The maximum length in bytes of an encoded call.
    const MAX_LEN: usize = 1 + Self::MAX_CLAIMS * (1 + 1 + 32);

    /// A call in this step with these claims. The step is part of its id, so that claims about votes of
    /// several steps can be kept together. `None` without a claim, or with too many.
    pub(in crate::log) fn new(
        step: u64,
        claims: impl IntoIterator<Item = (Seat, Missing)>,
    ) -> Option<Self> {
        let mut claims: Vec<_> = claims.into_iter().collect();
        claims.sort_unstable();
        claims.dedup();
        let fits = (1..=Self::MAX_CLAIMS).contains(&claims.len());
        fits.then(|| Call {
            id: Hash::new("call")
                .number(step)
                .field(&encode(&claims))
                .finish(),
            claims,
        })
    }

    /// The claims, in order.
    pub(super) fn claims(&self) -> &[(Seat, Missing)] {
        &self.claims
    }

    /// The hash of the step and the claims.
    pub(crate) fn id(&self) -> CallId {
        self.id
    }

    /// Whether the call is *late*: it says only that votes are lacking, so it does not end its step.
    pub(super) fn is_late(&self) -> bool {
        let mut claims = self.claims.iter();
        claims.all(|(_, missing)| matches!(missing, Missing::Vote(_)))
    }

    /// The seats that this call removes because of late calls.
    pub(super) fn removed(&self) -> SeatSet {
        let claims = self
            .claims
            .iter()
            .filter(|(_, missing)| *missing == Missing::Removed);
        claims.map(|(seat, _)| *seat).collect()
    }

    /// The seats from which something is missing.
    pub fn named(&self) -> SeatSet {
        self.claims.iter().map(|(seat, _)| *seat).collect()
    }

    pub(super) fn has(&self, claim: &(Seat, Missing)) -> bool {
        self.claims.binary_search(claim).is_ok()
    }

    fn decode(step: u64, reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let count = usize::from(reader.u8()?);
        let mut claims = Vec::new();
        for _ in 0..count {
            let seat = Seat::new(reader.u8()?);
            let missing = match reader.u8()? {
                STATEMENT => Missing::Statement,
                PART => Missing::Part,
                FOUL => Missing::Foul,
                VOTE => Missing::Vote(reader.array()?),
                SHUFFLE => Missing::Shuffle,
                REMOVED => Missing::Removed,
                _ => return Err(Malformed),
            };
            claims.push((seat, missing));
        }
        let is_in_order = claims.is_sorted_by(|one, next| one < next);
        let call = Call::new(step, claims).filter(|_| is_in_order);
        call.ok_or(Malformed)
    }
}

fn encode(claims: &[(Seat, Missing)]) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.u8(claims.len() as u8);
    for (seat, missing) in claims {
        writer.u8(seat.number());
        match missing {
            Missing::Statement => writer.u8(STATEMENT),
            Missing::Part => writer.u8(PART),
            Missing::Shuffle => writer.u8(SHUFFLE),
            Missing::Foul => writer.u8(FOUL),
            Missing::Vote(call) => writer.u8(VOTE).raw(call),
            Missing::Removed => writer.u8(REMOVED),
        };
    }
    writer.finish()
}

/// What a seat says to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::log) enum Answer {
    /// The seat lacks the same. With the signature of its own part in the step, and the part, if it had
    /// signed one.
    Signs(Option<([u8; 64], Vec<u8>)>),
    /// One of the claims is false, as this statement shows. The vote's signature does not cover it.
    Refuses(Box<Statement>),
}

/// A vote on a call, as sent and stored. Only in matches whose threshold is below the number of seats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedVote {
    /// The number of the step, counted from 0.
    pub step: u64,
    /// The seat that votes.
    pub seat: Seat,
    /// The call.
    pub call: Call,
    pub(in crate::log) answer: Answer,
    /// The signature of the seat. It covers the match, the step, the hash of all earlier steps, the
    /// seat, the id of the call, and the answer with the own part.
    pub signature: [u8; 64],
}

const REFUSES: u8 = 0;
const SIGNS: u8 = 1;
const SIGNS_WITH_PART: u8 = 2;

impl SignedVote {
    /// The maximum number of votes inside each other: the proof of a refusal can be another refusal.
    const MAX_DEPTH: u8 = 9;

    /// The maximum length in bytes of an encoded vote without the part. There is one part at most: a
    /// vote has either an own part or a proof.
    pub(in crate::log) const OVERHEAD: usize = Self::MAX_DEPTH as usize * Self::OVERHEAD_OF_ONE;

    /// The same without the proof, with the history and the kind of the statement in the proof.
    const OVERHEAD_OF_ONE: usize = 8 + 1 + 64 + Call::MAX_LEN + 1 + 64 + 32 + 1;

    /// Signs a vote, like [`SignedPart::sign`].
    pub(in crate::log) fn sign(
        identity: &Identity,
        of: &MatchId,
        before: &[u8; 32],
        (step, seat): (u64, Seat),
        call: Call,
        answer: Answer,
    ) -> Self {
        let mut vote = SignedVote {
            step,
            seat,
            call,
            answer,
            signature: [0; 64],
        };
        let fields = vote.fields();
        let [number, seat, call, answer] = fields.each_ref().map(Vec::as_slice);
        let fields = [of.as_bytes(), number, before, seat, call, answer];
        vote.signature = identity.sign("vote", &fields);
        vote
    }

    /// The signed fields: step, seat, call, and the answer with the own part.
    fn fields(&self) -> [Vec<u8>; 4] {
        let answer = match &self.answer {
            Answer::Refuses(_) => vec![REFUSES],
            Answer::Signs(None) => vec![SIGNS],
            Answer::Signs(Some((_, part))) => [&[SIGNS_WITH_PART], &part[..]].concat(),
        };
        [
            self.step.to_le_bytes().to_vec(),
            vec![self.seat.number()],
            self.call.id.to_vec(),
            answer,
        ]
    }

    /// Whether `by` signed this vote and the part in it, in the match with the id `of`, after steps
    /// with the hash `before`. A proof has a signature of its own.
    #[must_use]
    pub(in crate::log) fn is_signed(
        &self,
        by: &PublicIdentity,
        of: &MatchId,
        before: &[u8; 32],
    ) -> bool {
        let fields = self.fields();
        let [number, seat, call, answer] = fields.each_ref().map(Vec::as_slice);
        let fields = [of.as_bytes(), number, before, seat, call, answer];
        let own_part = self.own_part();
        by.has_signed("vote", &fields, &self.signature)
            && own_part.is_none_or(|part| part.is_signed(by, of.as_bytes(), before))
    }

    /// Whether the seat refuses the call.
    pub fn refuses(&self) -> bool {
        matches!(self.answer, Answer::Refuses(_))
    }

    /// The statement that shows that a claim of the call is false, if the seat refuses the call.
    pub(in crate::log) fn proof(&self) -> Option<&Statement> {
        match &self.answer {
            Answer::Signs(_) => None,
            Answer::Refuses(proof) => Some(proof),
        }
    }

    /// The seat's own part in this step, if the vote carries it.
    pub(in crate::log) fn own_part(&self) -> Option<SignedPart> {
        let Answer::Signs(Some((signature, part))) = &self.answer else {
            return None;
        };
        Some(SignedPart {
            step: self.step,
            seat: self.seat,
            part: part.clone(),
            signature: *signature,
        })
    }

    /// Whether the two votes are on the same call.
    pub(in crate::log) fn is_on_the_call_of(&self, other: &Self) -> bool {
        self.call.id == other.call.id
    }

    /// Whether the two votes give the same answer, with the same part or both without one. Two
    /// refusals can have different proofs.
    pub(in crate::log) fn says_the_same(&self, other: &Self) -> bool {
        self.fields() == other.fields()
    }

    pub(in crate::log) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u64(self.step).u8(self.seat.number());
        writer.raw(&self.signature).raw(&encode(&self.call.claims));
        match &self.answer {
            Answer::Refuses(proof) => writer.u8(REFUSES).raw(&proof.encode()),
            Answer::Signs(None) => writer.u8(SIGNS),
            Answer::Signs(Some((signature, part))) => {
                writer.u8(SIGNS_WITH_PART).raw(signature).raw(part)
            }
        };
        writer.finish()
    }

    /// Decodes a vote inside `depth` others.
    pub(in crate::log) fn decode(bytes: &[u8], depth: u8) -> Result<Self, Malformed> {
        if depth >= Self::MAX_DEPTH {
            return Err(Malformed);
        }
        let mut reader = Reader::new(bytes);
        let (step, seat) = (reader.u64()?, Seat::new(reader.u8()?));
        let signature = reader.array()?;
        let call = Call::decode(step, &mut reader)?;
        let answer = match reader.u8()? {
            REFUSES => {
                let proof = Statement::decode_inside(reader.rest(), depth + 1)?;
                Answer::Refuses(Box::new(proof))
            }
            SIGNS => {
                reader.finish()?;
                Answer::Signs(None)
            }
            SIGNS_WITH_PART => Answer::Signs(Some((reader.array()?, reader.rest().to_vec()))),
            _ => return Err(Malformed),
        };
        Ok(SignedVote {
            step,
            seat,
            call,
            answer,
            signature,
        })
    }
}
