//! What happens between two matches of a table, and its list at the end.

use std::cmp::Ordering;

use dealerless_connection::identity::{Fingerprint, Name};
use dealerless_table::log::{Member, Past};
use dealerless_table::record::{Payment, payments};

use super::{count, counted};
use crate::event::{Event, TableMember};
use crate::misleading::misleads;

/// A change of the table between two matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change<'a> {
    /// The player leaves with these chips.
    Leaves(u64),
    /// The player was silent or was removed, and keeps these chips in the list.
    LeftOut(u64),
    /// The player has no chips left. A full stack has this number of chips; `None` if the player may not buy one.
    Broke(Option<u64>),
    /// The player buys these chips.
    Buys(u64),
    /// The player sits down with these chips: for the first time, or again.
    SitsDown(u64),
    /// The player hosts the table from now on. Only the own program knows the new link.
    Hosts(Option<&'a str>),
}

/// What follows the end of a match of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The reader and others stay.
    Begins,
    /// Others play on without the reader.
    GoesOn,
    /// The table waits for a second player.
    Waits,
    /// Nobody stays.
    Ends,
}

/// The answer to a person who asks between two matches what leaving costs.
pub(crate) const ASK_LEAVE_BETWEEN: &str = "No hand is in play, so leaving costs no chips, and the others play on. You can come \
                                     back by the link. Type q again to leave.";

/// Tells a player without a seat that its connection to the host is lost.
pub(crate) const COME_BACK: &str = "You have no seat, and are not connected to the host. You can come back by the link, or with \
                             `dealerless resume`.";

/// Tells a player who has no chips left, and whose seat is in the match that goes on, how to buy in again.
pub(crate) fn broke(stack: u64) -> String {
    of_reader(Change::Broke(Some(stack)))
}

/// Tells a player who has no chips left how to sit down again.
pub(crate) fn stands_up(stack: u64) -> String {
    format!(
        "{} `sit` sits down with as many.",
        of_reader(Change::Broke(Some(stack)))
    )
}

/// Tells a player who was absent that the table has gone on. All this is only the word of other players.
pub(crate) fn went_on(chips: u64) -> String {
    format!(
        "The table has gone on without you. You keep {} in its list. Your program asks for a seat again.",
        chips_of(chips)
    )
}

/// Tells a host that one of the players has continued the match without it, by the word of this player.
pub(crate) fn says_went_on(name: &Name) -> String {
    format!(
        "{name} says that the table has gone on without you. If most players say so, you become a guest of it."
    )
}

/// Tells a player that it hosts the table from now on, by this link.
pub(crate) fn hosts(link: &str) -> String {
    of_reader(Change::Hosts(Some(link)))
}

/// Tells a player that it leaves, because it has blocked a player of the next match.
pub(crate) fn blocked(name: &Name) -> String {
    format!("You leave the table: {name}, whom you have blocked, sits down.")
}

/// The event after a match with the result `past`. `list` is its list with names, in the same order, `stays` are the
/// players who stay, `buys` what they buy, and `stack` what a player without chips may buy.
pub(crate) fn ended(
    own: Fingerprint,
    list: &[(Name, Member)],
    past: &Past,
    (stays, buys): (&[Fingerprint], &[(Fingerprint, u64)]),
    stack: Option<u64>,
) -> Event {
    let next = match (stays.len(), stays.contains(&own)) {
        (0, _) => Next::Ends,
        (1, _) => Next::Waits,
        (_, true) => Next::Begins,
        (_, false) => Next::GoesOn,
    };
    let names: Vec<String> = (0..list.len()).map(|at| called(list, at)).collect();
    let change = |member: &Member| {
        let buys = buys.iter().find(|(player, _)| *player == member.player);
        let buys = buys.map_or(0, |(_, chips)| *chips);
        match (stays.contains(&member.player), member.chips, buys) {
            (false, 0, _) => Some(Change::Broke(stack)),
            (false, chips, _) => Some(Change::Leaves(chips)),
            (true, _, 0) => None,
            (true, _, buys) => Some(Change::Buys(buys)),
        }
    };
    let seats = list.iter().zip(&names).take(past.seats);
    let changes = seats.filter_map(|((_, member), name)| {
        let name = (member.player != own).then_some(name.as_str());
        Some((name, change(member)?))
    });
    let changes: Vec<(Option<&str>, Change<'_>)> = changes.collect();
    let member = |(name, member): &(Name, Member)| TableMember {
        name: name.to_string(),
        fingerprint: member.player.to_string(),
        chips: member.chips,
        bought: member.bought,
    };
    Event::Between {
        message: after(&changes, next),
        members: list.iter().map(member).collect(),
    }
}

/// The list of a result with names: `names` are those of its seats. `of` returns the name of a player of an earlier match,
/// if it is known; otherwise the fingerprint takes its place.
pub(crate) fn named(
    names: &[Name],
    past: &Past,
    of: impl Fn(Fingerprint) -> Option<Name>,
) -> Vec<(Name, Member)> {
    let members = past.players.iter().enumerate();
    let named = members.map(|(at, member)| {
        let name = names.get(at).filter(|_| at < past.seats).cloned();
        let name = name.or_else(|| of(member.player));
        let name = name.unwrap_or_else(|| Name::clean(&member.player.to_string()));
        (name, *member)
    });
    named.collect()
}

/// Describes the changes between two matches, each with the name of its player, or `None` for the reader, and what
/// follows.
pub(crate) fn after(changes: &[(Option<&str>, Change<'_>)], next: Next) -> String {
    let next = match next {
        Next::Begins => "The next match begins.",
        Next::GoesOn => "The others play on.",
        Next::Waits => "The table waits for another player.",
        Next::Ends => "Nobody stays at the table.",
    };
    format!("{} {next}", self::changes(changes))
        .trim_start()
        .to_owned()
}

/// Describes these changes, each with the name of its player, or `None` for the reader.
pub(crate) fn changes(changes: &[(Option<&str>, Change<'_>)]) -> String {
    let changes = changes.iter().map(|(name, change)| match name {
        None => of_reader(*change),
        Some(name) => of_other(name, *change),
    });
    changes.collect::<Vec<String>>().join(" ")
}

fn of_reader(change: Change<'_>) -> String {
    match change {
        Change::Leaves(chips) => format!("You leave the table with {}.", chips_of(chips)),
        Change::LeftOut(chips) => format!(
            "You are left out, because your program did not answer in time. You keep your {} in the list of the \
             table; `sit` asks for a seat again.",
            chips_of(chips)
        ),
        Change::Broke(Some(stack)) => {
            format!("You have no chips left; `buy {stack}` sits down again.")
        }
        Change::Broke(None) => "You have no chips left, and may not buy in again.".to_owned(),
        Change::Buys(chips) => format!("You buy {}.", chips_of(chips)),
        Change::SitsDown(chips) => format!("You sit down with {}.", chips_of(chips)),
        Change::Hosts(None) => "You host the table now.".to_owned(),
        Change::Hosts(Some(link)) => {
            format!("You host the table now. The old link is void; the new one is {link}")
        }
    }
}

fn of_other(name: &str, change: Change<'_>) -> String {
    match change {
        Change::Leaves(chips) => format!("{name} leaves the table with {}.", chips_of(chips)),
        Change::LeftOut(chips) => format!(
            "{name} did not answer and is left out. The program of {name} sits down again with {} when it is back.",
            chips_of(chips)
        ),
        Change::Broke(_) => format!("{name} has no chips left."),
        Change::Buys(chips) => format!("{name} buys {}.", chips_of(chips)),
        Change::SitsDown(chips) => format!("{name} sits down with {}.", chips_of(chips)),
        Change::Hosts(_) => format!("{name} hosts the table now."),
    }
}

fn chips_of(chips: u64) -> String {
    counted(chips, "chip")
}

/// The list of a table that is over for the reader, and the payments that settle it.
pub(crate) fn closed(list: &[(Name, Member)]) -> String {
    let title = "The list of the table:".to_owned();
    let lines: Vec<String> = std::iter::once(title).chain(settlement(list)).collect();
    lines.join("\n")
}

/// The list of a table, a line for each player, and then a line for each payment.
pub(crate) fn settlement(list: &[(Name, Member)]) -> Vec<String> {
    let line = |(at, (_, member)): (usize, &(Name, Member))| {
        let Member { chips, bought, .. } = *member;
        let difference = match chips.cmp(&bought) {
            Ordering::Equal => "even".to_owned(),
            Ordering::Greater => format!("won {}", count(chips - bought)),
            Ordering::Less => format!("lost {}", count(bought - chips)),
        };
        let (chips, bought) = (chips_of(chips), count(bought));
        let name = called(list, at);
        format!("  {name}   {chips}, bought {bought}: {difference}")
    };
    let members: Vec<Member> = list.iter().map(|(_, member)| *member).collect();
    let pays = |due: Payment| {
        let [from, to] = [due.from, due.to].map(|at| called(list, at));
        format!("  {from} owes {to} {}.", chips_of(due.chips))
    };
    let lines = list.iter().enumerate().map(line);
    lines
        .chain(payments(&members).into_iter().map(pays))
        .collect()
}

/// The name of a player in the list of a table, with the fingerprint if the name is not unique or misleading.
pub(crate) fn called(list: &[(Name, Member)], at: usize) -> String {
    let (name, member) = &list[at];
    if name.as_str() == member.player.to_string() {
        // The name is not known.
        return member.player.to_string();
    }
    let same = list.iter().filter(|(other, _)| other == name).count();
    match same == 1 && !misleads(name.as_str()) {
        true => name.to_string(),
        false => format!("{name} ({})", member.player),
    }
}

#[cfg(test)]
mod tests {
    use dealerless_connection::identity::Identity;
    use dealerless_table::Seat;
    use dealerless_table::log::MatchId;
    use dealerless_table::rules::Blinds;

    use super::*;

    #[test]
    fn changes_between_two_matches_are_sentences() {
        let told = |name, change| after(&[(name, change)], Next::Begins);
        for (name, change, text) in [
            (
                Some("Bert"),
                Change::Leaves(180),
                "Bert leaves the table with 180 chips.",
            ),
            (None, Change::Leaves(1), "You leave the table with 1 chip."),
            (
                Some("Dora"),
                Change::LeftOut(1_200),
                "Dora did not answer and is left out. The program of Dora sits down again with 1,200 chips when it \
                 is back.",
            ),
            (
                None,
                Change::Broke(Some(200)),
                "You have no chips left; `buy 200` sits down again.",
            ),
            (
                None,
                Change::Broke(None),
                "You have no chips left, and may not buy in again.",
            ),
            (Some("Anna"), Change::Broke(None), "Anna has no chips left."),
            (Some("Anna"), Change::Buys(50), "Anna buys 50 chips."),
            (
                Some("Cleo"),
                Change::SitsDown(200),
                "Cleo sits down with 200 chips.",
            ),
            (
                Some("Bert"),
                Change::Hosts(None),
                "Bert hosts the table now.",
            ),
            (
                None,
                Change::Hosts(Some("dealerless2-0")),
                "You host the table now. The old link is void; the new one is dealerless2-0",
            ),
        ] {
            assert_eq!(told(name, change), format!("{text} The next match begins."));
        }
    }

    #[test]
    fn several_changes_are_told_in_order_and_then_what_follows() {
        let changes = [
            (Some("Bert"), Change::Leaves(180)),
            (Some("Cleo"), Change::SitsDown(200)),
        ];
        for (next, text) in [
            (Next::Begins, "The next match begins."),
            (Next::Waits, "The table waits for another player."),
        ] {
            let all = "Bert leaves the table with 180 chips. Cleo sits down with 200 chips.";
            assert_eq!(after(&changes, next), format!("{all} {text}"));
        }
    }

    #[test]
    fn result_of_a_match_tells_who_leaves_who_is_broke_and_who_buys() {
        let player = |seed| Identity::from_seed([seed; 32]).public().fingerprint();
        let member = |seed, chips, bought| Member {
            player: player(seed),
            chips,
            bought,
        };
        let past = Past {
            match_id: MatchId::new([1; 32]),
            steps: 9,
            hash: [2; 32],
            is_open: false,
            without: Vec::new(),
            blinds: Blinds {
                last: Seat::new(1),
                waits: std::iter::empty().collect(),
            },
            seats: 4,
            players: vec![
                member(0, 20, 200),
                member(1, 480, 200),
                member(2, 0, 200),
                member(3, 300, 200),
                member(4, 200, 200),
            ],
        };
        let names = ["Anna", "Bert", "Cleo", "Dora"].map(Name::clean);
        let list = named(&names, &past, |_| None);
        assert_eq!(list[4].0.as_str(), player(4).to_string());
        let stays = [0, 3].map(player);
        let buys = [(player(0), 180), (player(3), 0)];
        let told = |own| {
            let event = ended(player(own), &list, &past, (&stays, &buys), Some(200));
            let Event::Between { message, members } = event else {
                panic!("{event:?}");
            };
            assert_eq!((members.len(), members[1].chips), (5, 480));
            message
        };
        assert_eq!(
            told(0),
            "You buy 180 chips. Bert leaves the table with 480 chips. Cleo has no chips left. The next match begins."
        );
        assert_eq!(
            told(2),
            "Anna buys 180 chips. Bert leaves the table with 480 chips. You have no chips left; `buy 200` sits down \
             again. The others play on."
        );
        assert_eq!(
            told(1),
            "Anna buys 180 chips. You leave the table with 480 chips. Cleo has no chips left. The others play on."
        );
    }

    #[test]
    fn list_of_a_closed_table_has_all_players_and_payments() {
        let entry = |number, name: &str, chips, bought| {
            let player = Identity::from_seed([number; 32]).public().fingerprint();
            let member = Member {
                player,
                chips,
                bought,
            };
            (Name::clean(name), member)
        };
        let list = [entry(0, "Anna", 250, 200), entry(1, "Bert", 350, 400)];
        assert_eq!(
            closed(&list),
            "The list of the table:\n  \
             Anna   250 chips, bought 200: won 50\n  \
             Bert   350 chips, bought 400: lost 50\n  \
             Bert owes Anna 50 chips."
        );
    }
}
