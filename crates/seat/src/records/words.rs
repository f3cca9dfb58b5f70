//! Sentences about records, for readers who need not be one of the players.

use std::time::Duration;

use dealerless_connection::identity::Name;
use dealerless_table::Seat;
use dealerless_table::log::{Claim, Claimed, End, Stop, Unsettled};
use dealerless_table::record::{BadRecord, MatchState, Record, RecordedHand};
use dealerless_table::rules::{Hand, Posts, Stakes, Variety};

use crate::ending::{due, unconfirmed, unsettled};
use crate::game_name::title;
use crate::misleading::misleads;
use crate::seated::Kind;
use crate::story::pending;
use crate::words::{self, Names, count, counted, kinds, sentence, with_sources};

/// The names of the players, in texts that address no player as "you".
pub(super) struct Who(Names);

impl Who {
    /// The names of the players. A name that occurs twice or is misleading is followed by the seat.
    pub(super) fn of(record: &Record) -> Self {
        let names = &record.names;
        let name = |seat: usize| {
            let name = &names[seat];
            let same = |other: &&Name| *other == name;
            match names.iter().filter(same).count() {
                1 if !misleads(name.as_str()) => name.to_string(),
                _ => format!("{name} (seat {seat})"),
            }
        };
        let boards = record.log.match_info().header().stakes.boards().is_some();
        Who(Names::of_all((0..names.len()).map(name).collect(), boards))
    }

    pub(super) fn names(&self) -> &Names {
        &self.0
    }

    pub(super) fn name(&self, seat: Seat) -> String {
        self.0.name(seat.number()).to_string()
    }

    /// A list of players.
    pub(super) fn list(&self, seats: &[Seat]) -> String {
        let seats: Vec<u8> = seats.iter().map(|seat| seat.number()).collect();
        self.0.list(&seats).to_string()
    }

    pub(super) fn all(&self) -> &[String] {
        self.0.all()
    }

    /// `Anna has 212 chips, Bert has 188 chips`.
    pub(super) fn chips(&self, stacks: &[u64]) -> String {
        words::chips(&self.0, stacks).to_string()
    }
}

/// The game with its stakes.
pub(super) fn game(stakes: &Stakes) -> String {
    let mut text = title(stakes);
    if let Variety::Deck { cards, drawn } = stakes.variety() {
        let kinds = kinds(&Kind::of(stakes));
        text += &format!(", {drawn} of {cards} cards are drawn{kinds}");
    }
    if let Some(game) = stakes.game() {
        let decks = game.decks().iter().map(|deck| {
            let cards: u32 = deck.kinds.iter().map(|(_, cards)| cards).sum();
            format!("{} ({cards} cards)", deck.name)
        });
        let decks: Vec<String> = decks.collect();
        text += &format!(", {}", decks.join(", "));
    }
    if let Some(boards) = stakes.boards() {
        text += &format!(", {boards} boards dealt together");
    }
    if let Some(rules) = stakes.betting() {
        let posts = match rules.posts {
            Posts::Blinds { small, big } => format!("blinds {small}/{big}"),
            Posts::Antes { ante, bet } => format!("ante {ante}, smallest bet {bet}"),
        };
        text += &format!(", {} chips each, {posts}", count(rules.stack));
    }
    text
}

/// `1 hand` or `20 hands`; `1 set` of boards.
pub(super) fn hands(stakes: &Stakes, number: usize) -> String {
    rounds(stakes.boards().is_some(), number)
}

/// The same as [`hands`], if it is known whether the game has boards.
pub(super) fn rounds(boards: bool, number: usize) -> String {
    let what = if boards { "set" } else { "hand" };
    match number {
        1 => format!("1 {what}"),
        number => format!("{} {what}s", count(number as u64)),
    }
}

/// The state of the match, as a sentence.
pub(super) fn state(who: &Who, record: &Record) -> String {
    match record.state() {
        MatchState::Over(over) => {
            let unconfirmed = unconfirmed(&record.log, |seat| who.name(seat));
            let sentences = [Some(end(who, record, &over)), unconfirmed];
            sentences
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" ")
        }
        MatchState::Open { after, hand, .. } => {
            let after = match after {
                None => "before the first step".to_owned(),
                Some(step) => format!("after step {step}"),
            };
            if let Some(unsettled) = unsettled(&record.log, |seat| who.name(seat)) {
                return format!("Open {after}, in hand {hand}. {unsettled}");
            }
            let (names, due) = (who.list(&pending(&record.log).0), due(&record.log));
            format!("Open {after}, in hand {hand}: {names} must {due}.")
        }
    }
}

/// Why the last hand has no result, as sentences.
pub(super) fn without_result(who: &Who, record: &Record) -> String {
    let state = state(who, record);
    if is_decided(record) {
        state
    } else {
        format!("The hand was not played to its end. {state}")
    }
}

/// Whether everything that decides the hand in play is signed, so that only signatures of its
/// result are missing.
pub(super) fn is_decided(record: &Record) -> bool {
    matches!(record.log.unsettled(), Some(Unsettled::Decided(_)))
}

/// The chips in a pot that nobody has won yet, if there is one.
pub(super) fn undecided_pot(record: &Record) -> Option<u64> {
    match record.log.unsettled()? {
        Unsettled::Undecided { pot } => Some(pot).filter(|&pot| pot > 0),
        Unsettled::Decided(_) => None,
    }
}

/// The seats that are gone from a match whose seats can be removed, while the others played on.
pub(super) fn gone(record: &Record) -> &[Seat] {
    match record.log.match_info().has_roll_calls() {
        true => record.log.gone(),
        false => &[],
    }
}

/// The end of the match, as a sentence.
fn end(who: &Who, record: &Record, end: &End) -> String {
    match end {
        End::Played => "The match was played to its end.".into(),
        End::NoChips => "Fewer than two players have chips.".into(),
        End::Stopped(stops) => {
            let one = |(seat, stop): &(Seat, Stop)| match stop {
                Stop::Leave => format!("{} left the match.", who.name(*seat)),
                Stop::Forfeit => {
                    format!(
                        "{} could not continue and forfeits the hand.",
                        who.name(*seat)
                    )
                }
                Stop::Dispute { step } => {
                    let Dispute { against, pot, .. } = Dispute::of(record, *seat, *step);
                    let at_stake = match pot {
                        0 => String::new(),
                        pot => format!(", with {} chips in the pot", count(pot)),
                    };
                    format!(
                        "{} disputes what {} opened in step {step}{at_stake}. One of the players \
                         cheated, and the record cannot tell which; the hand is undecided.",
                        who.name(*seat),
                        who.list(&against)
                    )
                }
            };
            stops.iter().map(one).collect::<Vec<_>>().join(" ")
        }
        End::Left(seats) => format!(
            "{} left the match. The last hand was played to its end.",
            who.list(seats)
        ),
        End::Changed => {
            "The match ended so that a player could buy chips or sit down. The last hand was \
             played to its end."
                .into()
        }
        End::TooFew(seats) => format!(
            "{} left the match, and too few players remained to open cards.",
            who.list(seats)
        ),
        End::Removed => format!(
            "The other players removed {}, the owner of this file, by a roll call and went on. This \
             record ends there.",
            who.name(record.owner)
        ),
        End::NoKeys => {
            "The keys of the players do not make a key of a deck, which happens only by \
                        chance. No hand was dealt."
                .into()
        }
        End::Cards(bad) => format!(
            "The cards do not belong to this deck: {bad}. One of the players cheated, and \
             the record cannot tell which; the hand is undecided."
        ),
        End::Foul { seat, foul } => format!(
            "{} broke the rules: {foul}. The record contains the signature, which proves it.",
            who.name(*seat)
        ),
        End::Fork { seat } => format!(
            "{} {}. The record contains both signatures, which prove it: {0} cheated, or continued \
             from an old copy of the match.",
            who.name(*seat),
            if who.names().are_several() {
                "signed two statements that are not of one history"
            } else {
                "signed two different parts for one step"
            }
        ),
        _ => "The match has ended.".into(),
    }
}

/// A dispute about the cards that were opened in a step.
pub(super) struct Dispute {
    /// The seat that raised the dispute.
    pub(super) by: Seat,
    /// The seats that opened the cards.
    pub(super) against: Vec<Seat>,
    pub(super) step: u64,
    /// The chips that are undecided because of the dispute.
    pub(super) pot: u64,
}

impl Dispute {
    fn of(record: &Record, by: Seat, step: u64) -> Self {
        let log = &record.log;
        Dispute {
            by,
            against: log.openers(step, by),
            step,
            pot: log.game().map_or(0, Hand::pot),
        }
    }

    /// The disputes that ended the match.
    pub(super) fn all(record: &Record) -> Vec<Self> {
        let stops = match record.state() {
            MatchState::Over(End::Stopped(stops)) => stops,
            _ => Vec::new(),
        };
        let dispute = |(by, stop): (Seat, Stop)| match stop {
            Stop::Dispute { step } => Some(Dispute::of(record, by, step)),
            _ => None,
        };
        stops.into_iter().filter_map(dispute).collect()
    }
}

/// A claim by the owner of a file, as a sentence.
pub(super) fn claim(who: &Who, record: &Record, claim: &Claim) -> String {
    let Claim { step, seat, .. } = *claim;
    let (owner, name) = (who.name(record.owner), who.name(seat));
    let at = date(claim.time);
    match claim.what {
        Claimed::OutOfTime => {
            let mut parts = record.log.history(step);
            let has_moved = parts.any(|part| (part.step, part.seat) == (step, seat));
            let is_valid = claim.is_valid(&record.log);
            let votes = if has_moved && is_valid {
                ": it has not voted on a call"
            } else {
                ""
            };
            // The vote of a seat that had signed could still be lacking.
            let is_past = record.log.step() > step && record.log.match_info().has_roll_calls();
            let worth = match has_moved && !is_past {
                _ if is_valid => format!("It is only {owner}'s word."),
                true => format!("It is void: {name} has moved in that step."),
                false => "It is void: the match has continued since.".to_owned(),
            };
            format!(
                "{owner}'s program noted on {at} UTC that {name} was out of time in step {step}{votes}. \
                 {worth}"
            )
        }
        Claimed::Away => {
            let worth = if claim.is_valid(&record.log) {
                format!("It is only {owner}'s word.")
            } else {
                "It is void: the match has continued since.".to_owned()
            };
            format!(
                "{owner}'s program noted on {at} UTC that {name} was away in step {step}: it waited \
                 for a connection, and there was none. {worth}"
            )
        }
        Claimed::Closed => {
            let since = if record.log.step() > step {
                " It has continued since."
            } else {
                ""
            };
            format!("{owner} closed the match here on {at} UTC, in step {step}.{since}")
        }
        Claimed::Back => format!(
            "{owner}'s program noted on {at} UTC that {name} was connected again in step {step}."
        ),
        _ => format!(
            "{owner}'s program noted something on {at} UTC that this program does not know."
        ),
    }
}

/// The seat that provably broke the rules, if there is one.
pub(super) fn convicted(state: &MatchState) -> Option<Seat> {
    match state {
        MatchState::Over(End::Foul { seat, .. } | End::Fork { seat }) => Some(*seat),
        _ => None,
    }
}

/// Whether some player has cheated.
pub(super) fn is_breach(state: &MatchState) -> bool {
    let disputed = |(_, stop): &(Seat, Stop)| matches!(stop, Stop::Dispute { .. });
    match state {
        MatchState::Over(End::Stopped(stops)) => stops.iter().any(disputed),
        MatchState::Over(End::Cards(_)) => true,
        state => convicted(state).is_some(),
    }
}

/// The error of a file, as sentences.
pub(super) fn bad(bad: &BadRecord) -> String {
    let text = sentence(&with_sources(bad));
    let means = match (bad.evidence(), bad.place()) {
        (Some(evidence), _) => format!(
            "Both parts have the signature of {}, which proves cheating, or play from an old copy of the match.",
            evidence.seat()
        ),
        (None, Some(_)) => {
            "Everything before it is valid. Anybody who had the file could have changed it, so \
                            this proves nothing against a player."
                .to_owned()
        }
        (None, None) => return text,
    };
    format!("{text}\n{means} Seat 0 is the host.")
}

/// A number of boards with its verb, such as `2 boards are`.
pub fn boards_are(number: usize) -> String {
    let verb = if number == 1 { "is" } else { "are" };
    format!("{} {verb}", counted(number as u64, "board"))
}

/// A warning if the hands of a set of boards may not be those that were dealt.
pub fn boards_warning(record: &Record, set: &RecordedHand) -> Option<String> {
    let doubted = set.outcome.is_none() && is_breach(&record.state());
    doubted.then(|| {
        let state = state(&Who::of(record), record);
        format!("These may not be the boards that were dealt. {state}")
    })
}

/// A date and time in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub(super) year: u64,
    pub(super) month: u64,
    pub(super) day: u64,
    pub(super) hour: u64,
    pub(super) minute: u64,
    pub(super) second: u64,
}

impl Moment {
    /// The date and time this many seconds after 1970.
    pub(super) fn of(seconds: u64) -> Self {
        let (days, of_day) = (seconds / 86_400, seconds % 86_400);
        // Counts years that begin in March, so that the leap day is the last day of a year.
        let shifted = days + 719_468;
        let (era, day) = (shifted / 146_097, shifted % 146_097);
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let of_month = day - (153 * month + 2) / 5 + 1;
        let (year, month) = if month < 10 {
            (400 * era + year, month + 3)
        } else {
            (400 * era + year + 1, month - 9)
        };
        Moment {
            year,
            month,
            day: of_month,
            hour: of_day / 3600,
            minute: of_day % 3600 / 60,
            second: of_day % 60,
        }
    }

    /// The date of the hands of a record whose file was changed at `changed`, the time since 1970.
    /// `None` if `changed` is zero, which means that there is no date, or the year is after 9999.
    pub fn of_file(changed: Duration) -> Option<Self> {
        let moment = Moment::of(changed.as_secs());
        (!changed.is_zero() && moment.year <= 9999).then_some(moment)
    }
}

/// The date and minute of a time in seconds since 1970: `2026-11-22 08:15` in UTC.
pub(super) fn date(seconds: u64) -> String {
    let at = Moment::of(seconds);
    format!(
        "{}-{:02}-{:02} {:02}:{:02}",
        at.year, at.month, at.day, at.hour, at.minute
    )
}
