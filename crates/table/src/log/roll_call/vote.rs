//! The signed roll call: the statement of a seat that names the seats from which it lacks something.

use crate::identity::{Identity, PublicIdentity};
use crate::log::signed::{BadSignedPart, SignedPart};
use crate::seat::{Seat, SeatSet};
use crate::wire::{Reader, Writer};

/// A roll call, as sent and stored: the seat lacks something from each of the `missing` seats. With no
/// missing seat, it is an *answer* to the roll calls with this number. Only in matches whose threshold
/// is below the number of seats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedRollCall {
    /// The number of the step, counted from 0.
    pub step: u64,
    /// The seat that signed the roll call.
    pub seat: Seat,
    /// The number of the roll call in its step. A seat signs one roll call or answer with each number.
    pub round: u8,
    /// The missing seats. Empty for an answer.
    pub missing: SeatSet,
    /// The signature of the seat's own part in this step, and the part, if the seat had signed one.
    pub(in crate::log) own: Option<([u8; 64], Vec<u8>)>,
    /// The signature of the seat. It covers the match, the step, the hash of all earlier steps, the
    /// seat, the number, the missing seats and the own part.
    pub signature: [u8; 64],
}

const NO_PART: u8 = 0;
const WITH_PART: u8 = 1;

impl SignedRollCall {
    /// The maximum length in bytes of an encoded roll call without the part.
    pub(in crate::log) const OVERHEAD: usize = 8 + 1 + 64 + 1 + 2 + 1 + 64;

    /// Signs a roll call, like [`SignedPart::sign`]. `own` is the seat's part in this step.
    pub(in crate::log) fn sign(
        identity: &Identity,
        of: &[u8; 32],
        before: &[u8; 32],
        (step, seat): (u64, Seat),
        (round, missing): (u8, SeatSet),
        own: Option<&SignedPart>,
    ) -> Self {
        let mut call = SignedRollCall {
            step,
            seat,
            round,
            missing,
            own: own.map(|part| (part.signature, part.part.clone())),
            signature: [0; 64],
        };
        let fields = call.fields();
        let fields = fields.each_ref().map(Vec::as_slice);
        let [number, seat, round, missing, own] = fields;
        let fields = [of, number, before, seat, round, missing, own];
        call.signature = identity.sign("roll call", &fields);
        call
    }

    /// The signed fields: step, seat, number, missing seats, and the part or none.
    fn fields(&self) -> [Vec<u8>; 5] {
        let own = match &self.own {
            None => vec![NO_PART],
            Some((_, part)) => [&[WITH_PART], &part[..]].concat(),
        };
        [
            self.step.to_le_bytes().to_vec(),
            vec![self.seat.number()],
            vec![self.round],
            self.missing.mask().to_le_bytes().to_vec(),
            own,
        ]
    }

    /// Whether `by` signed this roll call and the part in it, in the match with the id `of`, after
    /// steps with the hash `before`.
    pub(in crate::log) fn is_signed(
        &self,
        by: &PublicIdentity,
        of: &[u8; 32],
        before: &[u8; 32],
    ) -> bool {
        let fields = self.fields();
        let [number, seat, round, missing, own] = fields.each_ref().map(Vec::as_slice);
        let fields = [of, number, before, seat, round, missing, own];
        let own_part = self.own_part();
        by.verify("roll call", &fields, &self.signature).is_ok()
            && own_part.is_none_or(|part| part.is_signed(by, of, before))
    }

    /// The seat's own part in this step, if the seat had signed one.
    pub fn own_part(&self) -> Option<SignedPart> {
        let (signature, part) = self.own.clone()?;
        Some(SignedPart {
            step: self.step,
            seat: self.seat,
            part,
            signature,
        })
    }

    /// Whether the two roll calls name the same seats and carry the same part, or both none.
    pub(in crate::log) fn says_the_same(&self, other: &Self) -> bool {
        let part = |call: &Self| call.own.as_ref().map(|(_, part)| part.clone());
        self.missing == other.missing && part(self) == part(other)
    }

    /// Whether this is an answer.
    pub fn is_answer(&self) -> bool {
        self.missing.is_empty()
    }

    pub(in crate::log) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u64(self.step).u8(self.seat.number());
        writer.raw(&self.signature).u8(self.round);
        writer.u16(self.missing.mask());
        match &self.own {
            None => writer.u8(NO_PART),
            Some((signature, part)) => writer.u8(WITH_PART).raw(signature).raw(part),
        };
        writer.finish()
    }

    pub(in crate::log) fn decode(bytes: &[u8]) -> Result<Self, BadSignedPart> {
        let mut reader = Reader::new(bytes);
        let (step, seat) = (reader.u64()?, Seat::new(reader.u8()?));
        let (signature, round) = (reader.array()?, reader.u8()?);
        let missing = SeatSet::of_mask(reader.u16()?);
        let own = match reader.u8()? {
            NO_PART => {
                reader.finish()?;
                None
            }
            WITH_PART => Some((reader.array()?, reader.rest().to_vec())),
            _ => return Err(BadSignedPart),
        };
        Ok(SignedRollCall {
            step,
            seat,
            round,
            missing,
            own,
            signature,
        })
    }
}
