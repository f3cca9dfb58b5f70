//! The report of `verify` on the matches of a table.

use dealerless_connection::hex;
use dealerless_table::log::MatchId;
use dealerless_table::record::{RecordedTable, tables};

use super::verify::Read;
use crate::words::tables::{called, settlement};

/// The tables of which there are several matches here, or a later one.
pub(super) fn tables_of(files: &[Read]) -> Vec<RecordedTable> {
    let mut tables = tables(files.iter().flat_map(|read| &read.record));
    tables.retain(|table| table.matches.len() > 1 || !table.missing.is_empty());
    tables
}

/// A table: its matches, its list of players, and who owes whom.
pub(super) fn of_table(table: &RecordedTable) -> String {
    let mut lines = vec![format!(
        "Table {}: {} here.",
        hex(&table.id.as_bytes()[..8]),
        match table.matches.len() {
            1 => "1 match".to_owned(),
            number => format!("{number} matches"),
        }
    )];
    let records =
        |of: &MatchId| format!("There is no record of match {of}, which another one continues.");
    lines.extend(table.missing.iter().map(records));
    let broken = |of: &MatchId| {
        format!("Match {of} begins with another result than the record of the match before.")
    };
    lines.extend(table.broken.iter().map(broken));
    lines.extend(settlement(&table.list));
    lines.extend(table.twice.iter().map(|player| {
        let mut list = table.list.iter();
        let place = list.position(|(_, member)| member.player == *player);
        let name = place.map_or_else(|| player.to_string(), |at| called(&table.list, at));
        format!(
            "{name} took part in two matches that continue one result, after a card was opened. Both \
             records prove it: {name} cheated, or continued from an old copy of the match."
        )
    }));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use dealerless_connection::identity::{Identity, Name};
    use dealerless_table::log::{Member, TableId};

    use super::*;

    #[test]
    fn list_says_who_won_and_who_owes_whom() {
        let player = |number: u8| Identity::from_seed([number; 32]).public().fingerprint();
        let entry = |number, name: &str, chips, bought| {
            let player = player(number);
            let member = Member {
                player,
                chips,
                bought,
            };
            (Name::clean(name), member)
        };
        let table = RecordedTable {
            id: TableId::of_bytes([0xab; 32]),
            matches: vec![MatchId::new([1; 32]), MatchId::new([2; 32])],
            missing: vec![MatchId::new([3; 32])],
            broken: Vec::new(),
            list: vec![
                entry(0, "Anna", 250, 200),
                entry(1, "Bert", 0, 100),
                entry(2, "Cleo", 150, 100),
                entry(3, "Cleo", 1, 1),
            ],
            twice: vec![player(1)],
        };
        let [third, fourth] = [2, 3].map(player);
        let text = format!(
            "Table abababababababab: 2 matches here.\n\
             There is no record of match 0303030303030303, which another one continues.\n  \
             Anna   250 chips, bought 200: won 50\n  \
             Bert   0 chips, bought 100: lost 100\n  \
             Cleo ({third})   150 chips, bought 100: won 50\n  \
             Cleo ({fourth})   1 chip, bought 1: even\n  \
             Bert owes Anna 50 chips.\n  \
             Bert owes Cleo ({third}) 50 chips.\n\
             Bert took part in two matches"
        );
        assert!(of_table(&table).starts_with(&text), "{}", of_table(&table));
    }
}
