//! The place of a match at its table.

use dealerless::verifiable::MAX_SEATS;
use dealerless_connection::hash::Hash;
use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::past::Past;
use crate::rules::Stakes;

/// The place of a match at its table. A table is a chain of matches of one evening: each names the
/// result of the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtTable {
    /// The id of the table.
    pub id: TableId,
    /// The number of this proposal after the result before, counted from 1.
    pub number: u16,
    /// The result of the match before. `None` for the first match of the table.
    pub past: Option<Past>,
    /// The chips that each seat buys before the first hand.
    pub buys: Vec<u64>,
}

/// The id of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId([u8; 32]);

impl TableId {
    /// The id of a table that `host` opens for these terms, with random bytes.
    pub fn new(host: &PublicIdentity, random: &[u8; 32], terms: &[u8]) -> Self {
        let hash = Hash::new("table").field(&host.encode());
        TableId(hash.field(random).field(terms).finish())
    }

    /// The id in a header before a table is opened.
    pub const NONE: Self = TableId([0; 32]);

    /// The id with these bytes.
    pub const fn of_bytes(bytes: [u8; 32]) -> Self {
        TableId(bytes)
    }

    /// The bytes of the id.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl AtTable {
    /// The maximum length in bytes of an encoding without the result before.
    pub(super) const MAX_LEN: usize = 32 + 2 + 1 + 8 * MAX_SEATS;

    /// The first match of a table, in which each seat buys a stack.
    pub fn first(id: TableId, stakes: &Stakes) -> Self {
        AtTable {
            id,
            number: 1,
            past: None,
            buys: vec![stakes.stack(); stakes.seats()],
        }
    }

    /// Whether these can be the numbers of a match with these stakes.
    pub(crate) fn is_valid(&self, stakes: &Stakes) -> bool {
        // A game without chips would destroy those of the match before.
        let has_chips = stakes.betting().is_some();
        let most = if has_chips { Stakes::MAX_STACK } else { 0 };
        let before = self.past.iter().flat_map(|past| &past.players);
        let before: u64 = before.map(|member| member.chips).sum();
        self.number > 0
            && self.buys.len() == stakes.seats()
            && (has_chips || self.past.is_none())
            && self.buys.iter().all(|buy| *buy <= most)
            && before + self.buys.iter().sum::<u64>() <= Past::MAX_CHIPS
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        writer.raw(&self.id.0).u16(self.number);
        writer.bools(&[self.past.is_some()]);
        if let Some(past) = &self.past {
            past.write(writer);
        }
        for buy in &self.buys {
            writer.u64(*buy);
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>, stakes: &Stakes) -> Result<Self, Malformed> {
        let (id, number) = (TableId(reader.array()?), reader.u16()?);
        let past = match reader.bool()? {
            false => None,
            true => Some(Past::read(reader)?),
        };
        let buys = (0..stakes.seats()).map(|_| reader.u64());
        let table = AtTable {
            id,
            number,
            past,
            buys: buys.collect::<Result<_, _>>()?,
        };
        table.is_valid(stakes).then_some(table).ok_or(Malformed)
    }
}
