//! The game, its players and its terms, and what they risk.

use super::{Names, Sentence, capitalized, count};
use crate::event::TablePlayer;
use crate::game_name::GameName;
use dealerless_table::play::TableTerms;

use crate::seated::{Kind, Posts, Seated, TableOffer, Time};

/// Describes the game and its terms.
pub(super) fn game(seated: &Seated) -> String {
    let title = capitalized(&seated.game.title(seated.has_fixed_limit()));
    let dealt = match seated.game {
        GameName::Deck => {
            let (cards, drawn) = (count(seated.cards as u64), count(seated.drawn as u64));
            format!(
                ": {drawn} of {cards} cards are drawn{}",
                kinds(&seated.kinds)
            )
        }
        GameName::Bridge => {
            let boards = seated.boards().unwrap_or_default();
            format!(": {} boards dealt together", count(boards as u64))
        }
        _ => String::new(),
    };
    let hands = match (seated.hands, seated.boards()) {
        (1, None) => "1 hand".to_owned(),
        (hands, None) => format!("{} hands", count(hands.into())),
        (1, Some(_)) => "once".to_owned(),
        (sets, Some(_)) => format!("{} times", count(sets.into())),
    };
    let chips = match &seated.chips {
        None => String::new(),
        Some(chips) => {
            let posts = posts(&chips.posts);
            let who = match &seated.continues {
                None => "each",
                Some(_) => "for a new player",
            };
            format!(", {} chips {who}, {posts}", count(chips.stack))
        }
    };
    let clock = match seated.clock {
        None => String::new(),
        Some(clock) => format!(" {}", time(clock)),
    };
    // A table lasts until its players leave.
    let hands = match seated.is_at_table() {
        true => String::new(),
        false => format!(", {hands}"),
    };
    format!("{title}{dealt}{chips}{hands}.{clock}")
}

/// Describes the terms of a match of two. A guest can require each of these terms with an option.
pub(super) fn terms(seated: &Seated) -> Vec<Sentence> {
    let others = others(&Names::of(seated), seated);
    let clock = match seated.clock {
        None => " No clock.",
        Some(_) => "",
    };
    let shuffle = match &seated.shuffle {
        None => String::new(),
        Some(shuffle) => format!(" Shuffled by {shuffle}."),
    };
    vec![
        others.and(" wants to play:"),
        format!("  {}{clock}{shuffle}", game(seated)).into(),
    ]
}

/// Describes a table in the few lines that a guest reads before it asks for a seat.
pub(super) fn table_terms(offer: &TableOffer) -> Vec<Sentence> {
    let chips = offer.chips.as_ref();
    let title = offer
        .game
        .title(chips.is_some_and(|chips| chips.fixed_limit));
    let chips = chips.map_or_else(String::new, |chips| {
        format!(
            ", {} chips each, {}",
            count(chips.stack),
            posts(&chips.posts)
        )
    });
    let clock = offer.clock.map_or("No clock.".to_owned(), time);
    let seats = usize::from(offer.seats);
    let first = Sentence::from("The table of ")
        .and(Names::shown(&offer.host))
        .and(format!(
            " (fingerprint {}): {title}, up to {seats} players{chips}. {clock}",
            offer.fingerprint
        ));
    let opens = seats - usize::from(offer.may_leave);
    let risks = in_short(seats, opens, offer.open);
    let changes = come_and_go(offer.chips.as_ref().map(|chips| chips.stack), offer.rebuys);
    [first, changes.into()]
        .into_iter()
        .chain(risks.into_iter().map(Sentence::from))
        .collect()
}

/// Describes how players come and go at a table.
fn come_and_go(stack: Option<u64>, rebuys: Option<u8>) -> String {
    let again = match (stack, rebuys) {
        (None, _) => String::new(),
        (Some(_), Some(0)) => " Nobody can buy chips again.".to_owned(),
        (Some(stack), rebuys) => {
            let most = match rebuys {
                None => String::new(),
                Some(1) => ", once".to_owned(),
                Some(times) => format!(", at most {times} times"),
            };
            format!(
                " A player can buy chips again, up to {}{most}.",
                count(stack)
            )
        }
    };
    format!(
        "Players come and go between hands. A player who leaves keeps the chips in the list of the table, and can \
         come back with them.{again}"
    )
}

/// Describes for the host, in a few sentences, what the others can do at the table.
pub fn table_risks(terms: &TableTerms) -> Vec<String> {
    let seats = terms.stakes.seats();
    let may_leave = terms.may_leave_of(seats);
    let mut lines = in_short(seats, seats - may_leave, terms.is_open);
    lines.truncate(2);
    if may_leave == 0 && seats >= 4 {
        lines[1] += &format!(
            " With --may-leave 1 the others finish it, but any {} of {seats} players together can read all cards.",
            seats - 1
        );
    }
    if terms.is_open {
        lines.push(
            "Everybody who has the link can take every free seat, with several identities. Seats of one person see \
             each other's cards."
                .to_owned(),
        );
    }
    lines
}

/// The lines of [`risks`] that a person reads before sitting down.
fn in_short(seats: usize, opens: usize, is_open: bool) -> Vec<String> {
    let (cards, gone) = match opens == seats {
        true => (
            "Only you see your cards: all other players together cannot read them.".to_owned(),
            "If somebody disappears, the hand waits until that player is out of time. Then it is settled, and the others play on.",
        ),
        false => (
            format!("Only you see your cards, unless {opens} of {seats} players work together."),
            "If somebody disappears at a full table, the others finish the hand without that player; with few players, the hand \
             waits until that player is out of time.",
        ),
    };
    let who = match is_open {
        false => "The host decides who sits down",
        true => "Everybody who has the link can take a seat, or several",
    };
    vec![
        cards,
        gone.to_owned(),
        format!("{who}; players who are one person, or friends, can show each other their cards."),
        "The players learn each other's network addresses.".to_owned(),
    ]
}

/// Describes who has a seat at a table before a match.
pub(super) fn at_table(players: &[TablePlayer], seats: u8, place: u8) -> Sentence {
    let names = players.iter().map(|player| {
        let name = Names::shown(&player.name);
        match player.away {
            true => name.and(" (away)"),
            false => name,
        }
    });
    let here = Sentence::from("Here: ").and(Sentence::joined(names, ", "));
    match place {
        0 => here.and(format!(" ({} of {seats} seats).", players.len())),
        place => here.and(format!(
            ". No seat is free; your place in the queue is {place}."
        )),
    }
}

fn posts(posts: &Posts) -> String {
    match posts {
        Posts::Blinds([small, big]) => format!("blinds {small}/{big}"),
        Posts::Ante([ante, bet]) => format!("ante {ante}, smallest bet {bet}"),
    }
}

fn time(time: Time) -> String {
    let Time { each_move, bank } = time;
    format!("Time: {each_move} s for a move, and a bank of {bank} s.")
}

/// Lists the players with their fingerprints, one on each line. The host has the first seat.
fn seats_of(seated: &Seated) -> Vec<Sentence> {
    let names = Names::of(seated);
    let line = |(seat, fingerprint): (u8, &String)| {
        let host = if seat == 0 { ", the host" } else { "" };
        let stacks = seated.continues.as_ref().map(|before| &before.stacks);
        let chips = match stacks.and_then(|stacks| stacks.get(usize::from(seat))) {
            None => String::new(),
            Some(1) => ", 1 chip".to_owned(),
            Some(chips) => format!(", {} chips", count(*chips)),
        };
        Sentence::from("  ")
            .and(names.name(seat))
            .and(format!(" (fingerprint {fingerprint}){host}{chips}"))
    };
    (0..).zip(&seated.fingerprints).map(line).collect()
}

/// Describes what the other players can do at a table of `seats` players, `opens` of whom open a
/// card together. With two players, there is nothing to describe: each of them knows the other.
pub fn risks(seats: usize, opens: usize) -> Vec<String> {
    if seats <= 2 {
        return Vec::new();
    }
    let vanish = match seats - opens {
        0 => {
            "If one player disappears, the hand cannot go on without that player: it is settled when the time is over, \
             and the others play on in the next match."
                .to_owned()
        }
        1 => "The hand goes on if one player disappears.".to_owned(),
        some => format!("The hand goes on if up to {some} players disappear."),
    };
    let read = if opens == seats {
        format!(
            "Only all {seats} players together can read every card; the other {} together cannot read \
             yours, and cannot play a second table with you.",
            seats - 1
        )
    } else {
        let who = match two_tables(seats, opens) {
            1 => {
                "One player who can also cut the connections between honest players can".to_owned()
            }
            some => format!(
                "{some} players together who can also cut the connections between honest players can"
            ),
        };
        let also = if 2 * opens > seats {
            ""
        } else {
            " If connections fail for long, two groups of honest players can each go on alone."
        };
        format!(
            "Any {opens} players together can read every card, also later. {who} play two tables at \
             once with them; the records of both tables convict a cheat.{also}"
        )
    };
    vec![
        vanish,
        read,
        "The host chooses who sits. Two players can be the same person, and no program can tell; \
         players who work together know each other's cards."
            .to_owned(),
        "All players learn each other's network addresses, and their programs connect to each other."
            .to_owned(),
    ]
}

/// The number of players who can play two tables at once with the honest players of a table of
/// `seats` players, `opens` of whom open a card together, if they can also cut the connections between
/// honest players. Two sets of `opens` players without a common honest player are enough.
pub fn two_tables(seats: usize, opens: usize) -> usize {
    (2 * opens).saturating_sub(seats).max(1)
}

/// Lists the kinds of cards in parentheses; empty if the deck has no kinds.
pub(crate) fn kinds(kinds: &[Kind]) -> String {
    let kind = |kind: &Kind| format!("{} {}", count(kind.count.into()), kind.name);
    let all: Vec<String> = kinds.iter().map(kind).collect();
    if all.is_empty() {
        String::new()
    } else {
        format!(" ({})", all.join(", "))
    }
}

/// Names the other players with their fingerprints, so that a person can check the fingerprints.
pub(super) fn table(names: &Names, seated: &Seated) -> Vec<Sentence> {
    if names.are_several() {
        let title = "You sit at a table with these players, in order of the seats:".into();
        return std::iter::once(title).chain(seats_of(seated)).collect();
    }
    let others = others(names, seated);
    vec![
        Sentence::from("You sit at a table with ")
            .and(others)
            .and("."),
    ]
}

fn others(names: &Names, seated: &Seated) -> Sentence {
    let others = (0..seated.names.len() as u8).filter(|&seat| seat != seated.seat);
    let other = |seat: u8| {
        let fingerprint = &seated.fingerprints[usize::from(seat)];
        let name = names.name(seat);
        name.and(format!(" (fingerprint {fingerprint})"))
    };
    Sentence::joined(others.map(other), ", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guest_of_a_table_is_told_how_players_come_and_go() {
        let told = |rebuys| come_and_go(Some(200), rebuys);
        for (rebuys, end) in [
            (None, "can buy chips again, up to 200."),
            (Some(0), "Nobody can buy chips again."),
            (Some(1), "up to 200, once."),
            (Some(3), "up to 200, at most 3 times."),
        ] {
            assert!(told(rebuys).ends_with(end), "{}", told(rebuys));
        }
    }

    #[test]
    fn several_players_are_told_who_can_read_cards() {
        assert!(risks(2, 2).is_empty());
        let all = risks(6, 6).join(" ");
        for part in [
            "the hand cannot go on",
            "Only all 6 players together",
            "the other 5 together cannot read yours",
            "can be the same person",
            "The host chooses who sits",
            "learn each other's network addresses",
        ] {
            assert!(all.contains(part), "{all}");
        }
        for (seats, opens, numbers) in [
            (
                6,
                4,
                [
                    "up to 2 players disappear",
                    "Any 4 players",
                    "2 players together who",
                ],
            ),
            (
                10,
                9,
                [
                    "if one player disappears",
                    "Any 9 players",
                    "8 players together who",
                ],
            ),
            (
                3,
                2,
                [
                    "if one player disappears",
                    "Any 2 players",
                    "One player who",
                ],
            ),
            (
                4,
                2,
                [
                    "up to 2 players disappear",
                    "groups of honest",
                    "One player who",
                ],
            ),
        ] {
            let some = risks(seats, opens).join(" ");
            for part in numbers {
                assert!(some.contains(part), "{some}");
            }
            assert!(some.contains("convict"), "{some}");
        }
    }
}
