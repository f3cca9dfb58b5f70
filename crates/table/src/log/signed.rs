//! Signed statements, and evidence: two signed statements that conflict.

use dealerless_connection::hash::Hash;
use dealerless_connection::identity::{Identity, PublicIdentity};
use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::ahead_chain::{Head, SignedAhead};
use super::players::{Match, MatchId};
use super::roll_call::{CallId, SignedVote};
use crate::seat::{Seat, SeatSet};

/// A part that a seat signed in a step, as sent and stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedPart {
    /// The number of the step, counted from 0.
    pub step: u64,
    /// The seat that signed the part.
    pub seat: Seat,
    /// The encoded part.
    pub part: Vec<u8>,
    /// The signature of the seat. It covers the match, the step, the hash of all earlier steps, the
    /// seat and the part.
    pub signature: [u8; 64],
}

impl SignedPart {
    /// The length in bytes of an encoded signed part without `part`.
    pub(super) const OVERHEAD: usize = 8 + 1 + 64;

    /// Signs a part of the match with the id `of`, or of the ahead chain whose head has this hash.
    /// `before` is the hash of all earlier steps.
    pub(super) fn sign(
        identity: &Identity,
        of: &[u8; 32],
        step: u64,
        before: &[u8; 32],
        seat: Seat,
        part: Vec<u8>,
    ) -> Self {
        let (number, place) = (step.to_le_bytes(), [seat.number()]);
        let signature = identity.sign("part", &[of, &number, before, &place, &part]);
        SignedPart {
            step,
            seat,
            part,
            signature,
        }
    }

    /// Whether `by` signed this part, like [`sign`](Self::sign), after steps with the hash `before`.
    #[must_use]
    pub(super) fn is_signed(&self, by: &PublicIdentity, of: &[u8; 32], before: &[u8; 32]) -> bool {
        let (number, place) = (self.step.to_le_bytes(), [self.seat.number()]);
        let fields: [&[u8]; 5] = [of, &number, before, &place, &self.part];
        by.has_signed("part", &fields, &self.signature)
    }

    /// Returns the encoding.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u64(self.step).u8(self.seat.number());
        writer.raw(&self.signature).raw(&self.part).finish()
    }

    /// Decodes a signed part. The part itself takes all remaining bytes.
    ///
    /// # Errors
    /// If there are too few bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        Ok(SignedPart {
            step: reader.u64()?,
            seat: Seat::new(reader.u8()?),
            signature: reader.array()?,
            part: bytes.get(Self::OVERHEAD..).ok_or(Malformed)?.to_vec(),
        })
    }
}

/// The hash of a step and all earlier steps. `before` is the hash of the earlier steps; `parts` are
/// in order of the seats. A roll call has removed the seats in `removed` in this step.
pub(super) fn step_hash<'a>(
    step: u64,
    before: &[u8; 32],
    parts: impl Iterator<Item = &'a SignedPart>,
    removed: SeatSet,
) -> [u8; 32] {
    let mut hash = Hash::new("step").number(step).field(before);
    for part in parts {
        hash = hash.number(u64::from(part.seat.number())).field(&part.part);
    }
    if !removed.is_empty() {
        hash = hash.number(removed.mask().into());
    }
    hash.finish()
}

/// A seat's signed confirmation that it has verified all steps before `step` and has them on its
/// disk. Only in matches with more than two seats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedAck {
    /// The number of the step, counted from 0.
    pub step: u64,
    /// The seat that signed the ack.
    pub seat: Seat,
    /// The signature of the seat. It covers the match, the step, the hash of all earlier steps and
    /// the seat.
    pub signature: [u8; 64],
}

impl SignedAck {
    /// Signs an ack, like [`SignedPart::sign`].
    pub(super) fn sign(
        identity: &Identity,
        of: &MatchId,
        step: u64,
        before: &[u8; 32],
        seat: Seat,
    ) -> Self {
        let (number, place) = (step.to_le_bytes(), [seat.number()]);
        let signature = identity.sign("ack", &[of.as_bytes(), &number, before, &place]);
        SignedAck {
            step,
            seat,
            signature,
        }
    }

    /// Whether `by` signed this ack in the match with the id `of`, after steps with the hash
    /// `before`.
    #[must_use]
    pub(super) fn is_signed(&self, by: &PublicIdentity, of: &MatchId, before: &[u8; 32]) -> bool {
        let (number, place) = (self.step.to_le_bytes(), [self.seat.number()]);
        let fields: [&[u8]; 4] = [of.as_bytes(), &number, before, &place];
        by.has_signed("ack", &fields, &self.signature)
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u64(self.step).u8(self.seat.number());
        writer.raw(&self.signature).finish()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let ack = SignedAck {
            step: reader.u64()?,
            seat: Seat::new(reader.u8()?),
            signature: reader.array()?,
        };
        reader.finish()?;
        Ok(ack)
    }
}

/// What a seat signs in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signed {
    /// A part.
    Part(SignedPart),
    /// An ack.
    Ack(SignedAck),
    /// A shuffle for the next hand.
    Ahead(Box<SignedAhead>),
    /// A vote on a call.
    Vote(Box<SignedVote>),
}

impl Signed {
    const PART: u8 = 0;
    const ACK: u8 = 1;
    const AHEAD: u8 = 2;
    const VOTE: u8 = 4;

    /// The step in its chain.
    pub fn step(&self) -> u64 {
        match self {
            Signed::Part(part) => part.step,
            Signed::Ack(ack) => ack.step,
            Signed::Ahead(ahead) => ahead.part.step,
            Signed::Vote(vote) => vote.step,
        }
    }

    /// The head of the ahead chain. `None` for a statement of the log.
    pub(crate) fn head(&self) -> Option<Head> {
        match self {
            Signed::Part(_) | Signed::Ack(_) | Signed::Vote(_) => None,
            Signed::Ahead(ahead) => Some(ahead.head),
        }
    }

    /// Whether no log can contain these two statements of one seat for one step of one history.
    fn conflicts_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Signed::Part(one), Signed::Part(other)) => one.part != other.part,
            (Signed::Ahead(one), Signed::Ahead(other)) => one.part.part != other.part.part,
            (Signed::Vote(one), Signed::Vote(other)) => {
                one.is_on_the_call_of(other) && !one.says_the_same(other)
            }
            _ => false,
        }
    }

    /// The seat that signed.
    pub fn seat(&self) -> Seat {
        match self {
            Signed::Part(part) => part.seat,
            Signed::Ack(ack) => ack.seat,
            Signed::Ahead(ahead) => ahead.part.seat,
            Signed::Vote(vote) => vote.seat,
        }
    }

    #[must_use]
    fn is_signed(&self, by: &PublicIdentity, of: &MatchId, before: &[u8; 32]) -> bool {
        match self {
            Signed::Part(part) => part.is_signed(by, of.as_bytes(), before),
            Signed::Ack(ack) => ack.is_signed(by, of, before),
            Signed::Ahead(ahead) => ahead.is_signed(by, of, before),
            Signed::Vote(vote) => vote.is_signed(by, of, before),
        }
    }

    fn encode(&self) -> Vec<u8> {
        match self {
            Signed::Part(part) => [&[Self::PART], &part.encode()[..]].concat(),
            Signed::Ack(ack) => [&[Self::ACK], &ack.encode()[..]].concat(),
            Signed::Ahead(ahead) => [&[Self::AHEAD], &ahead.encode()[..]].concat(),
            Signed::Vote(vote) => [&[Self::VOTE], &vote.encode()[..]].concat(),
        }
    }

    /// Decodes a statement inside `depth` votes.
    fn decode(bytes: &[u8], depth: u8) -> Result<Self, Malformed> {
        match bytes.split_first().ok_or(Malformed)? {
            (&Self::PART, part) => Ok(Signed::Part(SignedPart::decode(part)?)),
            (&Self::ACK, ack) => Ok(Signed::Ack(SignedAck::decode(ack)?)),
            (&Self::AHEAD, ahead) => Ok(Signed::Ahead(Box::new(SignedAhead::decode(ahead)?))),
            (&Self::VOTE, vote) => {
                let vote = SignedVote::decode(vote, depth)?;
                Ok(Signed::Vote(Box::new(vote)))
            }
            _ => Err(Malformed),
        }
    }
}

impl From<SignedPart> for Signed {
    fn from(part: SignedPart) -> Self {
        Signed::Part(part)
    }
}

impl From<&SignedPart> for Signed {
    fn from(part: &SignedPart) -> Self {
        Signed::Part(part.clone())
    }
}

impl From<&Signed> for Signed {
    fn from(signed: &Signed) -> Self {
        signed.clone()
    }
}

/// The place of a statement in its chain: the step, its kind (acks, then votes, then parts), the call of
/// a vote, and the seat.
pub(crate) type StatementPlace = (u64, u8, CallId, u8);

/// A signed statement with the hash of its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The hash of all earlier steps of its chain.
    pub before: [u8; 32],
    /// The statement with its signature.
    pub signed: Signed,
}

impl Statement {
    /// The length in bytes of an encoded statement without the part, at most: that of a vote.
    const OVERHEAD: usize = 32 + 1 + SignedVote::OVERHEAD;

    /// Returns the encoding.
    pub(super) fn encode(&self) -> Vec<u8> {
        [&self.before[..], &self.signed.encode()].concat()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        Self::decode_inside(bytes, 0)
    }

    /// Decodes a statement inside `depth` votes.
    pub(super) fn decode_inside(bytes: &[u8], depth: u8) -> Result<Self, Malformed> {
        let (before, signed) = bytes.split_first_chunk().ok_or(Malformed)?;
        Ok(Statement {
            before: *before,
            signed: Signed::decode(signed, depth)?,
        })
    }

    pub(crate) fn place(&self) -> StatementPlace {
        let (kind, call) = match &self.signed {
            Signed::Ack(_) | Signed::Ahead(_) => (0, [0; 32]),
            Signed::Vote(vote) => (1, vote.call.id()),
            Signed::Part(part) => return Self::place_of_part(part),
        };
        (self.signed.step(), kind, call, self.signed.seat().number())
    }

    pub(super) fn place_of_part(part: &SignedPart) -> StatementPlace {
        (part.step, 2, [0; 32], part.seat.number())
    }

    /// Whether a player of the match has signed this, for the history that it names, and the match has
    /// such statements.
    pub(super) fn is_valid(&self, match_info: &Match) -> bool {
        if let Signed::Vote(vote) = &self.signed {
            let is_proven = vote.proof().is_none_or(|proof| proof.is_valid(match_info));
            if !match_info.has_roll_calls() || !is_proven {
                return false;
            }
        }
        let player = match_info.players().get(self.signed.seat().index());
        let of = match_info.id();
        player.is_some_and(|player| self.signed.is_signed(&player.identity, &of, &self.before))
    }
}

/// Two statements of one seat for one step of one chain that no log can contain together: two
/// different parts, two different votes on one call, or statements for two histories. Either
/// the seat cheated, or its program continued from an old copy of the match file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The id of the match.
    pub match_id: MatchId,
    /// The two statements.
    pub statements: [Statement; 2],
}

impl Evidence {
    /// Evidence of two parts that were signed for the same history.
    pub(crate) fn of_parts(match_id: MatchId, before: [u8; 32], parts: [SignedPart; 2]) -> Self {
        let statement = |part| Statement {
            before,
            signed: Signed::Part(part),
        };
        Evidence {
            match_id,
            statements: parts.map(statement),
        }
    }

    /// The seat that the evidence convicts.
    pub fn seat(&self) -> Seat {
        self.statements[0].signed.seat()
    }

    /// The step of both statements.
    pub fn step(&self) -> u64 {
        self.statements[0].signed.step()
    }

    /// The history and the two parts, if both statements are parts for one history.
    fn parts(&self) -> Option<(&[u8; 32], [&SignedPart; 2])> {
        match &self.statements {
            [
                Statement {
                    before: one,
                    signed: Signed::Part(a),
                },
                Statement {
                    before: other,
                    signed: Signed::Part(b),
                },
            ] if one == other => Some((one, [a, b])),
            _ => None,
        }
    }

    /// The history, if this is evidence of two parts or two votes for one history of the log.
    pub(super) fn history(&self) -> Option<&[u8; 32]> {
        let [one, other] = &self.statements;
        let is_one = one.before == other.before && one.signed.head().is_none();
        is_one.then_some(&one.before)
    }

    /// Whether this is evidence of two parts for one history, the only kind in a match of two
    /// seats.
    pub(super) fn is_of_parts(&self) -> bool {
        self.parts().is_some()
    }

    /// Returns the encoding. Evidence of two parts for one history has an encoding of its own,
    /// which `decode_parts` reads.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.raw(self.match_id.as_bytes());
        if let Some((before, parts)) = self.parts() {
            let [one, other] = parts.map(SignedPart::encode);
            writer.raw(before);
            return writer.u32(one.len() as u32).raw(&one).raw(&other).finish();
        }
        let [one, other] = self.statements.each_ref().map(Statement::encode);
        writer.u32(one.len() as u32).raw(&one).raw(&other).finish()
    }

    /// Decodes evidence of two parts for one history. [`holds`](Self::holds) tells whether it is
    /// valid.
    ///
    /// # Errors
    /// If the bytes are not what [`encode`](Self::encode) writes.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn decode_parts(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let (of, before) = (MatchId::new(reader.array()?), reader.array()?);
        let len = reader.u32()? as usize;
        let one = SignedPart::decode(reader.raw(len)?)?;
        let parts = [one, SignedPart::decode(reader.rest())?];
        Ok(Evidence::of_parts(of, before, parts))
    }

    /// Decodes any other evidence, like [`decode_parts`](Self::decode_parts).
    ///
    /// # Errors
    /// If the bytes are not what [`encode`](Self::encode) writes.
    pub(crate) fn decode_statements(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let match_id = MatchId::new(reader.array()?);
        let len = reader.u32()? as usize;
        let one = Statement::decode(reader.raw(len)?)?;
        let evidence = Evidence {
            match_id,
            statements: [one, Statement::decode(reader.rest())?],
        };
        match evidence.is_of_parts() {
            true => Err(Malformed),
            false => Ok(evidence),
        }
    }

    /// The length in bytes of the longest evidence in a match whose parts have at most
    /// `longest_part` bytes.
    pub(super) fn max_len(longest_part: usize) -> usize {
        32 + 4 + 2 * (Statement::OVERHEAD + longest_part)
    }

    /// Whether the evidence convicts a player of this match. Every field is verified. Statements
    /// for two histories convict only in matches with more than two seats: with two, a seat could
    /// be led to sign them.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn holds(&self, match_info: &Match) -> bool {
        let [one, other] = &self.statements;
        let conflict = match one.before == other.before {
            true => one.signed.conflicts_with(&other.signed),
            false => match_info.seats() > 2,
        };
        let place = |signed: &Signed| (signed.head(), signed.step(), signed.seat());
        let same_place = place(&one.signed) == place(&other.signed);
        self.match_id == match_info.id()
            && same_place
            && conflict
            && one.is_valid(match_info)
            && other.is_valid(match_info)
    }
}
