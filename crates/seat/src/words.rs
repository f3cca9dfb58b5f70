//! Sentences that describe events to people.

mod names;
mod narrator;
mod sentence;
pub(crate) mod tables;
mod terms;

use std::error::Error;

use crate::command::{Said, To};
use crate::event::{Ask, Awaited, HandResult, Reveal, Shown, YourTurn};
use crate::hands;
use crate::seated::{Seated, Time};
use dealerless::dice::Dice;
pub use names::Names;
pub(crate) use names::list;
pub use narrator::Narrator;
pub use sentence::Sentence;
pub(crate) use terms::kinds;
use terms::{at_table, game, table, table_terms, terms};
pub use terms::{risks, table_risks, two_tables};

/// Describes a choice of a seat. `all_in` means that the seat has bet its last chips. The sentence is empty
/// if there is nothing to say.
pub(crate) fn chose(names: &Names, seat: u8, said: &Said, all_in: bool) -> Sentence {
    let does = |verb, what: &str| names.does(seat, verb).and(what);
    let all_in = if all_in { ", all in" } else { "" };
    match said {
        Said::Fold {} => does("fold", "."),
        Said::Check {} => does("check", "."),
        Said::Call {} => does("call", &format!("{all_in}.")),
        Said::Bet { to } => does("bet", &format!(" {}{all_in}.", count(*to))),
        Said::Raise { to } => does("raise", &format!(" to {}{all_in}.", count(*to))),
        Said::Exchange { places } => match places.len() {
            0 => does("keep", " all cards."),
            1 => does("exchange", " one card."),
            number => does("exchange", &format!(" {number} cards.")),
        },
        // Another seat's cards are in the next event.
        Said::Show {} if !names.is_own(seat) => Sentence::default(),
        Said::Show {} => does("show", "."),
        Said::Muck {} => does("muck", ": the cards stay closed."),
        Said::Propose { cards } => does("propose", " to open ")
            .and(proposed(names, cards))
            .and("."),
        Said::Agree { proposal } => does("agree", &format!(" to proposal {proposal}.")),
        Said::Refuse { proposal } => does("refuse", &format!(" proposal {proposal}.")),
        Said::Pass {} => does("pass", "."),
        Said::Roll { dice } => does("roll", &format!(" {dice}.")),
        Said::Draw {} => does("draw", " a card."),
        Said::Reveal { position } => {
            let place = names.place((*position).into());
            does("reveal", &format!(" {place}."))
        }
        Said::ShowCard { position } => {
            let keeps = if names.is_own(seat) { "keep" } else { "keeps" };
            let place = names.place((*position).into());
            does("show", &format!(" {place}, and {keeps} it."))
        }
        Said::Steal { from } if names.is_own(*from) => does("steal", " a card from your hand."),
        Said::Steal { from } => does("steal", " a card from the hand of ")
            .and(names.name(*from))
            .and("."),
        Said::Goods { what } => names.name(seat).and(format!(" {what}.")),
        // These commands are not choices of the game.
        Said::Rebuy { .. }
        | Said::SitOut {}
        | Said::Back {}
        | Said::Again {}
        | Said::Close {}
        | Said::Next {}
        | Said::Leave { .. }
        | Said::Stay {}
        | Said::Sit { .. }
        | Said::TopUp { .. }
        | Said::Accept { .. }
        | Said::Decline { .. }
        | Said::Start {}
        | Said::LinkNew {} => Sentence::default(),
    }
}

/// Describes the choice that the program has made for a player who has run out of time.
fn chosen_for_you(said: &Said) -> [Sentence; 2] {
    let what = match said {
        Said::Fold {} => "folded your hand",
        Said::Check {} => "checked for you",
        Said::Exchange { .. } => "kept all your cards",
        Said::Show {} => "shown your hand",
        Said::Muck {} => "mucked your hand, which was beaten",
        _ => "passed for you",
    };
    [
        format!("Your time is up: the program has {what}.").into(),
        "You sit out from the next hand on.".into(),
    ]
}

/// Describes the choice that the program will make when the time is up.
fn chooses_for_you(turn: &YourTurn) -> &'static str {
    match turn.ask {
        Ask::Bet { call: None, .. } => "checks for you",
        Ask::Bet { .. } => "folds your hand",
        Ask::Exchange {} => "keeps all your cards",
        Ask::ShowOrMuck { wins: true } => "shows your hand",
        Ask::ShowOrMuck { wins: false } => "mucks your hand",
        Ask::Speak { .. } => "passes for you",
    }
}

/// Describes the time that is left for a turn.
pub fn time_left(turn: &YourTurn, time: Time) -> String {
    let Time { each_move, bank } = time;
    match (each_move + bank, each_move) {
        (left @ ..=10, _) => format!(
            "Only {left} s left. After that, the program {} and you sit out.",
            chooses_for_you(turn)
        ),
        (_, 0) => format!("Time: {bank} s left in your bank."),
        _ => format!("Time: {each_move} s, and {bank} s in your bank."),
    }
}

/// Describes a call that `seat` has signed: it lacks something of the `missing` seats.
fn roll_call(names: &Names, seat: u8, missing: &[u8]) -> Sentence {
    let (whom, time, them) = match missing {
        [one] if names.is_own(*one) => ("you".into(), "your", "you"),
        [_] => (names.list(missing), "the", "that player"),
        missing => (names.list(missing), "their", "them"),
    };
    let who = match names.is_own(seat) {
        true => "Your program lacks".into(),
        false => names.does(seat, "lack"),
    };
    who.and(" something of ").and(whom).and(format!(
        ", and {time} time is over. If nobody else has it, the match goes on without {them}."
    ))
}

/// Describes that a seat is gone.
fn gone(names: &Names, seat: u8) -> Sentence {
    names.are(seat).and(" gone, and the others play on.")
}

/// Describes the ways to stop a match and the cost of each.
pub fn ways_to_stop(seated: Option<&Seated>) -> [String; 3] {
    let has_chips = seated.is_none_or(|seated| seated.chips.is_some());
    let has_clock = seated.is_some_and(|seated| seated.clock.is_some());
    let close = if has_chips {
        "no chips move, and the match can be resumed"
    } else {
        "and the match can be resumed"
    };
    let several = seated.is_some_and(|seated| seated.names.len() > 2);
    let plays_on = seated.is_some_and(|seated| seated.may_leave() > 0);
    let break_off = match (has_clock, several) {
        _ if plays_on => {
            "and the match stays open. If you are not back before your time is up, the others fold your \
             hand and play on without you"
        }
        (true, false) => {
            "and the match stays open. The other player may close it when your time is up"
        }
        (true, true) => {
            "and the match stays open. Another player may close it when your time is up"
        }
        (false, _) => "and the match stays open",
    };
    let leave = if several {
        let read = match plays_on {
            true => String::new(),
            false => format!(" {}", several_may_read()),
        };
        format!(
            "your hand is folded at your next turn. {}{read}",
            others_play_on(None)
        )
    } else if has_chips {
        "the match ends at your next turn, and the other player gets the pot of the hand in play."
            .to_owned()
    } else {
        "the match ends at your next turn, and all closed cards stay closed forever.".to_owned()
    };
    [
        format!("Close here: your program stops waiting, {close}."),
        format!("Stop for now: your program ends now, {break_off}."),
        match several {
            true => format!("Leave the table: {leave}"),
            false => format!("Leave for good: {leave}"),
        },
    ]
}

/// Describes what happens at a table when a player leaves it, with this number of chips if it is known.
pub(crate) fn others_play_on(chips: Option<u64>) -> String {
    let chips = chips.map_or("other chips".to_owned(), |chips| counted(chips, "chip"));
    format!(
        "The others play on. You keep your {chips} in the list of the table, and can come back by the link."
    )
}

/// Describes what a seat that leaves gives away when it publishes its key.
pub(crate) fn several_may_read() -> &'static str {
    "If cards are still to come in that hand, the other players together can then read all your \
     cards of this match, also those of earlier hands."
}

/// Describes the result of dice: the number on each die and, if there are several, their sum.
pub(crate) fn rolled(dice: Dice, faces: &[u32], sum: u64) -> String {
    let each: Vec<String> = faces.iter().map(|&face| count(face.into())).collect();
    match each.len() {
        1 => format!("{dice}: {}.", each[0]),
        _ => format!("{dice}: {} = {}.", each.join(" + "), count(sum)),
    }
}

/// Describes cards and the seats that are to see them. Cards are counted from 1.
pub fn proposed(names: &Names, cards: &[Reveal]) -> Sentence {
    let to = |to: To| match to {
        To::Everybody(_) => "all".into(),
        To::Seat(seat) if names.is_own(seat) => "you".into(),
        To::Seat(seat) => names.name(seat),
    };
    if names.has_boards() {
        let hand = |reveal: &Reveal| (usize::from(reveal.position), reveal.to);
        let hands: Vec<_> = cards.iter().map(hand).collect();
        return hands::proposed(&hands, to);
    }
    let card = |reveal: &Reveal| {
        Sentence::from(format!("card {} to ", reveal.position + 1)).and(to(reveal.to))
    };
    Sentence::joined(cards.iter().map(card), ", ")
}

/// Describes the sealing of a deck.
fn sealed(names: &Names, seal: &str) -> Vec<Sentence> {
    if names.has_boards() {
        return vec![
            "The boards are sealed: nobody knows them, and nobody can change a card.".into(),
            "Publish this before play starts. Anyone with the record can then show that these boards \
             were dealt before play:"
                .into(),
            seal.into(),
        ];
    }
    vec![match names.are_several() {
        true => "All players have shuffled: nobody can change a card.".into(),
        false => "The deck is sealed: nobody can change its cards.".into(),
    }]
}

/// Describes the result of a hand, with a sentence for each shown hand and each win.
fn result(names: &Names, result: &HandResult) -> Vec<Sentence> {
    let mut lines = Vec::new();
    for shown in &result.shown {
        let line = names.name(shown.seat).and(": ");
        let line = line.and(Sentence::cards(shown.cards.clone()));
        let line = line.and(format!(", {}", shown.worth));
        let line = match rank_explains_result(result, shown) {
            true => line,
            false => line
                .and(" (")
                .and(Sentence::cards(shown.best.clone()))
                .and(")"),
        };
        lines.push(line.and("."));
    }
    for (number, pot) in result.pots.iter().enumerate() {
        let which = match (result.pots.len(), number) {
            (1, _) => String::new(),
            (_, 0) => " of the main pot".to_owned(),
            (_, number) => format!(" of side pot {number}"),
        };
        let split = if pot.winners.len() > 1 {
            ": the pot is split"
        } else {
            ""
        };
        for winner in &pot.winners {
            let chips = count(winner.chips);
            let wins = names.does(winner.seat, "win");
            lines.push(wins.and(format!(" {chips}{which}{split}.")));
        }
    }
    if !result.pots.is_empty() {
        lines.push(chips(names, &result.stacks).and("."));
    }
    lines
}

/// Whether the rank of a shown hand, in words, explains the result. If not, the hand was decided by
/// a card that the words do not mention.
fn rank_explains_result(result: &HandResult, shown: &Shown) -> bool {
    let same = |other: &&Shown| other.worth == shown.worth;
    let is_alone = result.shown.iter().filter(same).count() == 1;
    let is_split = result.pots.iter().any(|pot| pot.winners.len() > 1);
    is_alone || is_split || shown.best.is_empty()
}

/// Describes the chips of all seats.
pub fn chips(names: &Names, stacks: &[u64]) -> Sentence {
    let stack = |(place, (seat, &stack)): (usize, (u8, &u64))| match (names.are_several(), place) {
        (true, 1..) => names.name(seat).and(format!(" {}", count(stack))),
        _ => names
            .does(seat, "have")
            .and(format!(" {} chips", count(stack))),
    };
    Sentence::joined(own_first(names, stacks).enumerate().map(stack), ", ")
}

/// Describes the blinds or antes that the seats have paid, with several players in the order in
/// which they are due.
pub fn posted(names: &Names, posted: &[u64], button: u8) -> String {
    let mut paid: Vec<(u8, &u64)> = (0..).zip(posted).collect();
    if names.are_several() {
        paid.rotate_left((usize::from(button) + 1).min(posted.len()));
    }
    paid.retain(|(_, chips)| **chips > 0);
    if names.are_several() && paid.len() == 2 && paid[1].0 == button {
        // With two seats in the hand, the button has the small blind.
        paid.swap(0, 1);
    }
    let paid = paid.iter();
    let paid = paid.map(|(seat, chips)| format!("{} {}", names.name(*seat), count(**chips)));
    paid.collect::<Vec<_>>().join(", ")
}

/// Describes the chips of all seats and their bets in this round. `playing` are the seats that can
/// still win; it is empty if all can. The other seats are only named.
pub fn bets(names: &Names, stacks: &[u64], bets: &[u64], playing: &[u8]) -> String {
    let chips = |(seat, &stack): (u8, &u64)| {
        let bet = match bets.get(usize::from(seat)) {
            Some(&bet) if bet > 0 => format!(" + {} bet", count(bet)),
            _ => String::new(),
        };
        format!("{} {}{bet}", names.name(seat), count(stack))
    };
    let plays = |seat: &u8| playing.is_empty() || playing.contains(seat);
    let (plays, out): (Vec<_>, Vec<_>) =
        own_first(names, stacks).partition(|(seat, _)| plays(seat));
    let mut all: Vec<String> = plays.into_iter().map(chips).collect();
    if !out.is_empty() {
        let out: Vec<u8> = out.into_iter().map(|(seat, _)| seat).collect();
        all.push(format!("out: {}", names.list(&out)));
    }
    all.join(", ")
}

/// The chips of all seats, from the reader's seat on to its left.
fn own_first<'a>(names: &Names, stacks: &'a [u64]) -> impl Iterator<Item = (u8, &'a u64)> {
    let mut all: Vec<(u8, &u64)> = (0..).zip(stacks).collect();
    let own = all.iter().position(|&(seat, _)| names.is_own(seat));
    all.rotate_left(own.unwrap_or(0));
    all.into_iter()
}

/// Returns a message as a sentence, with a capital letter and a full stop.
pub fn sentence(message: &str) -> String {
    capitalized(message.trim_end_matches('.')) + "."
}

/// The text with a capital first letter.
pub fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).collect()
}

/// Formats a number with a comma between thousands.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number with a noun that forms its plural with `s`: `1 check` or `2 checks`.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number))
}

/// An error and its sources, on one line.
pub(crate) fn with_sources(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let more = error.to_string();
        if !text.ends_with(&more) {
            text = format!("{text}: {more}");
        }
        source = error.source();
    }
    text
}

/// Describes the pending seats and the action that they must take. `seconds` is the length of the wait, and
/// `left` the time until the first of these seats is out of time, in seconds.
fn waiting(
    names: &Names,
    seats: &[u8],
    what: Awaited,
    seconds: u64,
    left: Option<u64>,
) -> Sentence {
    let who = match seats {
        [] if what == Awaited::Line => "a connection".into(),
        [] if names.are_several() => "your program".into(),
        [] => "the shuffle".into(),
        seats => names.list(seats),
    };
    let what = match what {
        Awaited::Keys => " to send keys",
        Awaited::Deal if !seats.is_empty() => " to deal",
        Awaited::Shuffle if names.are_several() => " to shuffle",
        Awaited::Shuffle if !seats.is_empty() => " to seal the deck",
        Awaited::Cards => " to open cards",
        Awaited::Dice => " to roll",
        Awaited::Move => " to choose",
        Awaited::Line if !seats.is_empty() => " to reconnect",
        Awaited::History => " to resume the match",
        Awaited::Vote => " to vote on a call",
        Awaited::Back => " to sit in again",
        _ => "",
    };
    let time = |seconds| match seconds {
        0..120 => format!("{seconds} s"),
        _ => format!("{} min", seconds / 60),
    };
    let left = match left {
        Some(0) => ", out of time".to_owned(),
        Some(left) => format!(", out of time in {}", time(left)),
        None => String::new(),
    };
    Sentence::from("Waiting for ")
        .and(who)
        .and(format!("{what}: {}{left}", time(seconds)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn count_has_a_comma_between_thousands() {
        let texts = [0, 999, 1000, 1_234_567].map(count);
        assert_eq!(texts, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn only_one_takes_the_singular() {
        let texts = [0, 1, 1000].map(|number| counted(number, "check"));
        assert_eq!(texts, ["0 checks", "1 check", "1,000 checks"]);
    }

    #[test]
    fn sentences_address_a_player_or_a_third_person() {
        let of_all = Names::of_all(vec!["Anna".into(), "Youri".into()], false);
        let own = of_all.clone().read_by(0);
        let to = |seat| {
            [Reveal {
                position: 0,
                to: To::Seat(seat),
            }]
        };
        for (names, expected) in [
            (&own, ["You fold", "Youri has", "card 1 to you"]),
            (&of_all, ["Anna folds", "Youri has", "card 1 to Anna"]),
        ] {
            let (folds, has) = (names.does(0, "fold"), names.does(1, "have"));
            let shown = [folds, has, proposed(names, &to(0))].map(|text| text.to_string());
            assert_eq!(shown, expected);
            assert_eq!(proposed(names, &to(1)).to_string(), "card 1 to Youri");
        }
    }

    #[test]
    fn chips_of_several_players_begin_with_the_reader_and_name_seats_that_are_out_last() {
        let all = ["Anna", "Bert", "Cleo", "Dora"].map(String::from).to_vec();
        let names = Names::of_all(all, false).read_by(2);
        let stacks = [199, 198, 200, 150];
        assert_eq!(
            chips(&names, &stacks).to_string(),
            "You have 200 chips, Dora 150, Anna 199, Bert 198"
        );
        assert_eq!(
            bets(&names, &stacks, &[1, 2, 0, 50], &[0, 2, 3]),
            "You 200, Dora 150 + 50 bet, Anna 199 + 1 bet, out: Bert"
        );
        assert_eq!(names.list(&[0, 1, 2]).to_string(), "Anna, Bert and You");
    }

    #[test]
    fn wait_names_the_pending_seats_and_their_action() {
        let all = ["Anna", "Bert", "Cleo"].map(String::from).to_vec();
        let names = Names::of_all(all, false).read_by(0);
        for (seats, what, text) in [
            (&[1, 2][..], Awaited::Back, "Bert and Cleo to sit in again"),
            (&[2], Awaited::Vote, "Cleo to vote on a call"),
            (&[1], Awaited::History, "Bert to resume the match"),
            (&[1], Awaited::Line, "Bert to reconnect"),
            (&[], Awaited::Line, "a connection"),
            (&[], Awaited::Shuffle, "your program to shuffle"),
        ] {
            assert_eq!(
                waiting(&names, seats, what, 15, None).to_string(),
                format!("Waiting for {text}: 15 s")
            );
        }
        for (left, text) in [
            (0, "out of time"),
            (1, "out of time in 1 s"),
            (590, "out of time in 9 min"),
        ] {
            assert_eq!(
                waiting(&names, &[1], Awaited::Move, 15, Some(left)).to_string(),
                format!("Waiting for Bert to choose: 15 s, {text}")
            );
        }
    }

    #[test]
    fn roll_call_names_its_seat_and_those_that_are_missing() {
        let all = ["Anna", "Bert", "Cleo"].map(String::from).to_vec();
        let names = Names::of_all(all, false).read_by(0);
        let own = roll_call(&names, 0, &[1, 2]).to_string();
        assert!(
            own.starts_with(
                "Your program lacks something of Bert and Cleo, and their time is over."
            )
        );
        assert!(own.ends_with("without them."));
        let theirs = roll_call(&names, 1, &[0]).to_string();
        assert!(theirs.starts_with("Bert lacks something of you, and your time is over."));
        assert!(theirs.ends_with("without you."));
        let texts = [0, 2].map(|seat| gone(&names, seat).to_string());
        assert_eq!(
            texts,
            [
                "You are gone, and the others play on.",
                "Cleo is gone, and the others play on."
            ]
        );
    }
}
