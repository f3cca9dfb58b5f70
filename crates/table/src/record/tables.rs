//! The records of a table: the chain of its matches, its list of players, and who owes whom.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use dealerless_connection::identity::{Fingerprint, Name};

use super::Record;
use crate::log::{AtTable, MatchId, Member, Past, Phase, TableId};

/// The matches of a table, as far as there are records of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedTable {
    /// The id of the table.
    pub id: TableId,
    /// The matches, each after the match that it continues.
    pub matches: Vec<MatchId>,
    /// The matches that a match continues, and of which there is no record.
    pub missing: Vec<MatchId>,
    /// The matches that begin with another result than the records of the match before.
    pub broken: Vec<MatchId>,
    /// The players with the names that they gave themselves, as the last match in which cards were
    /// opened leaves them.
    pub list: Vec<(Name, Member)>,
    /// The players who took part in two matches that continue one result, after a card was opened in one
    /// of them.
    pub twice: Vec<Fingerprint>,
}

/// A payment that settles a part of the differences between the chips of a list and those bought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payment {
    /// The place of the player who pays in the list.
    pub from: usize,
    /// The place of the player who is paid in the list.
    pub to: usize,
    /// The number of chips.
    pub chips: u64,
}

/// The tables of these records. Tables whose games have no chips are left out.
pub fn tables<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<RecordedTable> {
    let mut tables: BTreeMap<TableId, BTreeMap<MatchId, Vec<&Record>>> = BTreeMap::new();
    for record in records {
        let of = record.log.match_info();
        if let (Some(table), Some(_)) = (&of.header().table, of.header().stakes.betting()) {
            let matches = tables.entry(table.id).or_default();
            matches.entry(of.id()).or_default().push(record);
        }
    }
    let tables = tables.into_iter();
    tables.map(|(id, matches)| of_table(id, &matches)).collect()
}

/// The payments that settle the differences of a list: whoever has lost most pays whoever has won most,
/// as much as both differences allow, until all are even.
pub fn payments(list: &[Member]) -> Vec<Payment> {
    let difference = |member: &Member| i128::from(member.chips) - i128::from(member.bought);
    let mut left: Vec<i128> = list.iter().map(difference).collect();
    let mut payments = Vec::new();
    loop {
        // The first one of those who have won or lost equally.
        let most = |sign: i128| (0..left.len()).min_by_key(|&at| Reverse(sign * left[at]));
        let (Some(from), Some(to)) = (most(-1), most(1)) else {
            return payments;
        };
        let chips = left[to].min(-left[from]);
        if chips <= 0 {
            return payments;
        }
        (left[from], left[to]) = (left[from] + chips, left[to] - chips);
        payments.push(Payment {
            from,
            to,
            chips: chips as u64,
        });
    }
}

fn of_table(id: TableId, matches: &BTreeMap<MatchId, Vec<&Record>>) -> RecordedTable {
    let past = |of: &MatchId| matches[of][0].log.match_info().header().past();
    let before = |of: &MatchId| past(of).map(|past| past.match_id);
    let is_here = |of: &MatchId| matches.contains_key(of);
    let depth = |of: &MatchId| {
        let known = |of: &MatchId| before(of).filter(is_here);
        std::iter::successors(known(of), known)
            .take(matches.len())
            .count()
    };
    let mut order: Vec<MatchId> = matches.keys().copied().collect();
    order.sort_by_key(depth);
    let missing = order.iter().filter_map(before).filter(|of| !is_here(of));
    let is_broken = |of: &&MatchId| {
        let past = past(of).filter(|past| is_here(&past.match_id));
        past.is_some_and(|past| !follows(past, &matches[&past.match_id]))
    };
    // A match counts from its first opened card on.
    let counts =
        |of: &&MatchId| before(of).is_none() || matches[of].iter().any(|record| opened(record));
    let last = order.iter().rev().find(counts).or(order.last());
    RecordedTable {
        id,
        missing: missing.collect(),
        broken: order.iter().filter(is_broken).copied().collect(),
        list: last.map_or_else(Vec::new, |last| list(matches, last)),
        twice: twice(&order, matches),
        matches: order,
    }
}

/// Whether this result follows from one of the records of its match. A record whose owner the others have
/// removed shows only a part of the result, so it counts only if no other one shows the result.
fn follows(past: &Past, records: &[&Record]) -> bool {
    let is_whole = |record: &&&Record| {
        let is_over = matches!(record.log.phase(), Phase::Over(_));
        !record.log.is_removed() && (past.is_open || is_over)
    };
    let has_whole = records.iter().any(|record| is_whole(&record));
    let mut records = records
        .iter()
        .filter(|record| !has_whole || is_whole(record));
    records.any(|record| past.follows_from(&record.log))
}

/// Whether a card was opened.
fn opened(record: &Record) -> bool {
    let mut players = record.log.match_info().players().iter();
    players.any(|player| record.log.has_opened(player.identity.fingerprint()))
}

/// The list after a match, with the names of the players in the records.
fn list(matches: &BTreeMap<MatchId, Vec<&Record>>, last: &MatchId) -> Vec<(Name, Member)> {
    let knows = |record: &&&Record| {
        let is_over = matches!(record.log.phase(), Phase::Over(_));
        (!record.log.is_removed(), is_over, record.log.step())
    };
    let Some(record) = matches[last].iter().max_by_key(knows) else {
        return Vec::new();
    };
    let name = |member: &Member| {
        let named = |record: &&Record| {
            let of = record.log.match_info();
            let mut players = of.players().iter().zip(&record.names);
            let is_it = players.find(|(player, _)| player.identity.fingerprint() == member.player);
            Some(is_it?.1.clone())
        };
        let found = matches.values().flatten().find_map(named);
        found.unwrap_or_else(|| Name::clean(&member.player.to_string()))
    };
    let members = record.log.members().into_iter();
    members.map(|member| (name(&member), member)).collect()
}

/// The players who have opened cards in a match, and also in another one that continues the same result,
/// or have signed in one with a higher number.
fn twice(order: &[MatchId], matches: &BTreeMap<MatchId, Vec<&Record>>) -> Vec<Fingerprint> {
    let of = |id: &MatchId| matches[id][0].log.match_info();
    let number = |id: &MatchId| {
        of(id)
            .header()
            .table
            .as_ref()
            .map(|table: &AtTable| table.number)
    };
    let before = |id: &MatchId| of(id).header().past().map(|past| past.match_id);
    let mut twice = Vec::new();
    for one in order.iter().filter(|one| before(one).is_some()) {
        let others = order
            .iter()
            .filter(|other| *other != one && before(other) == before(one));
        for other in others {
            for player in of(one).players() {
                let player = player.identity.fingerprint();
                let has = |id: &MatchId, what: &dyn Fn(&Record) -> bool| {
                    matches[id].iter().any(|record| what(record))
                };
                let opened = |id: &MatchId| has(id, &|record| record.log.has_opened(player));
                let signed = |id: &MatchId| has(id, &|record| record.log.has_part_of(player));
                let later = number(other) > number(one) && signed(other);
                if opened(one) && (later || opened(other)) && !twice.contains(&player) {
                    twice.push(player);
                }
            }
        }
    }
    twice
}
