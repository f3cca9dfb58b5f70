//! Signed parts, and evidence: two signed parts that conflict.

use super::players::Match;
use crate::hash::Hash;
use crate::identity::{Identity, PublicIdentity};
use crate::seat::Seat;
use crate::wire::{Malformed, Reader, Writer};

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

/// The bytes are not a signed part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are not a valid signed part")]
pub struct BadSignedPart;

impl From<Malformed> for BadSignedPart {
    fn from(Malformed: Malformed) -> Self {
        BadSignedPart
    }
}

impl SignedPart {
    /// The length in bytes of an encoded signed part without `part`.
    pub(super) const OVERHEAD: usize = 8 + 1 + 64;

    /// Signs a part of the match with the id `of`. `before` is the hash of all earlier steps.
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

    /// Whether `by` signed this part in the match with the id `of`, after steps with the hash
    /// `before`.
    pub(super) fn is_signed(&self, by: &PublicIdentity, of: &[u8; 32], before: &[u8; 32]) -> bool {
        let (number, place) = (self.step.to_le_bytes(), [self.seat.number()]);
        let fields: [&[u8]; 5] = [of, &number, before, &place, &self.part];
        by.verify("part", &fields, &self.signature).is_ok()
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
    pub fn decode(bytes: &[u8]) -> Result<Self, BadSignedPart> {
        let mut reader = Reader::new(bytes);
        Ok(SignedPart {
            step: reader.u64()?,
            seat: Seat::new(reader.u8()?),
            signature: reader.array()?,
            part: bytes.get(Self::OVERHEAD..).ok_or(BadSignedPart)?.to_vec(),
        })
    }
}

/// The hash of a step and all earlier steps. `before` is the hash of the earlier steps; `parts` are
/// in order of the seats.
pub(super) fn step_hash<'a>(
    step: u64,
    before: &[u8; 32],
    parts: impl Iterator<Item = &'a SignedPart>,
) -> [u8; 32] {
    let mut hash = Hash::new("step").number(step).field(before);
    for part in parts {
        hash = hash.number(u64::from(part.seat.number())).field(&part.part);
    }
    hash.finish()
}

/// Two different parts that one seat signed for the same step of the same history. No log can
/// contain both parts. Either the seat cheated, or its program continued from an old copy of the
/// match file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The id of the match.
    pub match_id: [u8; 32],
    /// The hash of all earlier steps.
    pub before: [u8; 32],
    /// The two signed parts.
    pub parts: [SignedPart; 2],
}

impl Evidence {
    /// The seat that the evidence convicts.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn seat(&self) -> Seat {
        self.parts[0].seat
    }

    /// Returns the encoding.
    pub fn encode(&self) -> Vec<u8> {
        let [one, other] = self.parts.each_ref().map(SignedPart::encode);
        let mut writer = Writer::default();
        writer.raw(&self.match_id).raw(&self.before);
        writer.u32(one.len() as u32).raw(&one).raw(&other).finish()
    }

    /// Decodes evidence. [`holds`](Self::holds) tells whether it is valid.
    ///
    /// # Errors
    /// If the bytes are not what [`encode`](Self::encode) writes.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, BadSignedPart> {
        let mut reader = Reader::new(bytes);
        let (of, before) = (reader.array()?, reader.array()?);
        let len = reader.u32()? as usize;
        let one = SignedPart::decode(reader.raw(len)?)?;
        let rest = bytes.get(32 + 32 + 4 + len..).unwrap_or_default();
        let parts = [one, SignedPart::decode(rest)?];
        Ok(Evidence {
            match_id: of,
            before,
            parts,
        })
    }

    /// Whether the evidence convicts a player of this match. Every field is verified.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn holds(&self, match_info: &Match) -> bool {
        let [one, other] = &self.parts;
        let player = match_info.players().get(one.seat.index());
        let same_place = one.step == other.step && one.seat == other.seat;
        let signed = player.is_some_and(|player| {
            let by =
                |part: &SignedPart| part.is_signed(&player.identity, &self.match_id, &self.before);
            by(one) && by(other)
        });
        self.match_id == match_info.id() && same_place && one.part != other.part && signed
    }
}
