//! The statements of the players between two matches of a table: *Ready* and *Goes*.

use dealerless_connection::identity::{Identity, PublicIdentity};
use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::guest_addresses::GuestAddresses;
use crate::log::{MatchId, Past};
use crate::seat::Seat;

/// The id of a result, by which the statements about the next match name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultId {
    /// The match.
    pub of: MatchId,
    /// The number of its complete steps.
    pub steps: u64,
    /// The hash of these steps.
    pub hash: [u8; 32],
}

impl From<&Past> for ResultId {
    fn from(past: &Past) -> Self {
        ResultId {
            of: past.match_id,
            steps: past.steps,
            hash: past.hash,
        }
    }
}

impl ResultId {
    fn write(&self, writer: &mut Writer) {
        writer
            .raw(self.of.as_bytes())
            .u64(self.steps)
            .raw(&self.hash);
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(ResultId {
            of: MatchId::new(reader.array()?),
            steps: reader.u64()?,
            hash: reader.array()?,
        })
    }
}

/// The statement of a player that is ready for the next match. The connection authenticates it, and it is not forwarded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ready {
    /// The result that the player continues. `None` from a player who was not in a match of the table.
    pub past: Option<ResultId>,
    /// The number of the list of players for which it is ready.
    pub number: u16,
    /// The nonce of the player for this number.
    pub nonce: [u8; 32],
    /// The chips that a player without a seat in the match before buys. Those of a seat are signed in its log.
    pub buy: u64,
    /// The addresses at which the other players may reach this one.
    pub addresses: GuestAddresses,
}

impl Ready {
    pub(super) fn write(&self, writer: &mut Writer) {
        writer.bools(&[self.past.is_some()]);
        if let Some(past) = &self.past {
            past.write(writer);
        }
        writer.u16(self.number).raw(&self.nonce).u64(self.buy);
        self.addresses.write(writer);
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let past = match reader.bool()? {
            false => None,
            true => Some(ResultId::read(reader)?),
        };
        Ok(Ready {
            past,
            number: reader.u16()?,
            nonce: reader.array()?,
            buy: reader.u64()?,
            addresses: GuestAddresses::read(reader)?,
        })
    }
}

/// The statement of a seat that does not play on after the result of a match. It counts like leaving with that result.
/// Each program forwards it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goes {
    /// The result.
    pub past: ResultId,
    /// The seat of the match.
    pub seat: Seat,
    /// The signature of the seat. It covers the result and the seat.
    signature: [u8; 64],
}

impl Goes {
    /// The statement of the seat `seat`, signed by its player.
    pub fn sign(identity: &Identity, past: ResultId, seat: Seat) -> Self {
        let place = [seat.number()];
        let signature = identity.sign(CONTEXT, &fields(&past, &past.steps.to_le_bytes(), &place));
        Goes {
            past,
            seat,
            signature,
        }
    }

    /// Whether `by` signed this.
    #[must_use]
    pub fn is_signed(&self, by: &PublicIdentity) -> bool {
        let (past, place) = (&self.past, [self.seat.number()]);
        by.has_signed(
            CONTEXT,
            &fields(past, &past.steps.to_le_bytes(), &place),
            &self.signature,
        )
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        self.past.write(writer);
        writer.u8(self.seat.number()).raw(&self.signature);
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(Goes {
            past: ResultId::read(reader)?,
            seat: Seat::new(reader.u8()?),
            signature: reader.array()?,
        })
    }
}

const CONTEXT: &str = "goes";

fn fields<'a>(past: &'a ResultId, steps: &'a [u8; 8], seat: &'a [u8; 1]) -> [&'a [u8]; 4] {
    [past.of.as_bytes(), steps, &past.hash, seat]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_goes_only_by_its_own_signature_over_every_field() {
        let identities = [1, 2].map(|seed| Identity::from_seed([seed; 32]));
        let past = ResultId {
            of: MatchId::new([1; 32]),
            steps: 2,
            hash: [3; 32],
        };
        let goes = Goes::sign(&identities[0], past, Seat::new(1));
        assert!(goes.is_signed(identities[0].public()));
        assert!(!goes.is_signed(identities[1].public()));
        let mut others = [(); 4].map(|()| goes.clone());
        others[0].past.of = MatchId::new([2; 32]);
        others[1].past.steps = 3;
        others[2].past.hash = [4; 32];
        others[3].seat = Seat::new(2);
        assert!(
            others
                .iter()
                .all(|other| !other.is_signed(identities[0].public()))
        );
    }
}
