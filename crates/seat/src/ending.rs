//! The end of a match, as an exit code and as a sentence.

use std::collections::BTreeMap;

use dealerless::Blame;
use dealerless_table::Seat;
use dealerless_table::log::{End, MatchLog, Opening, PartKind, Phase, Settled, Stop, Unsettled};
use dealerless_table::rules::{Learners, Legal, Outcome, SettledBy};

use crate::event::{Awaited, Ended, Event};
use crate::story::pending;
use crate::words::{Names, capitalized, count, list};

/// The exit code for incorrect usage and local errors.
const LOCAL: u8 = Blame::ThisSide.exit_code();
/// The exit code when a check failed or the peer broke the protocol, disagreed or aborted.
pub const PEER: u8 = Blame::Peer.exit_code();
/// The exit code when no connection could be made, or the other players did not receive in time what was due.
pub const CONNECTION: u8 = Blame::Connection.exit_code();

/// The error of a match that ended with a breach of its rules. The log contains the breach.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Breach {
    message: String,
    exit_code: u8,
}

impl Breach {
    /// Checks that the match ended by its rules.
    ///
    /// # Errors
    /// If the end is a breach of the rules.
    pub fn check(end: &End, seat: Seat, names: &Names) -> Result<(), Self> {
        match exit_code(end, seat) {
            0 => Ok(()),
            exit_code => Err(Breach {
                message: in_words(end, seat, names),
                exit_code,
            }),
        }
    }

    /// Returns the program's exit code for this breach.
    pub fn exit_code(&self) -> u8 {
        self.exit_code
    }
}

/// Returns the kind of an end, for the `over` event.
pub fn how(end: &End) -> Ended {
    match end {
        End::Played => Ended::Played,
        End::NoChips => Ended::NoChips,
        End::Left(_) => Ended::Left,
        End::Changed => Ended::Changed,
        End::Removed => Ended::Removed,
        End::TooFew(_) => Ended::TooFew,
        End::NoKeys => Ended::NoKeys,
        End::Cards(_) => Ended::BadCards,
        End::Fork { .. } => Ended::Fork,
        End::Stopped(stops) => match worst(stops) {
            Some((_, Stop::Dispute { .. })) => Ended::Disputed,
            Some((_, Stop::Forfeit)) => Ended::Forfeited,
            _ => Ended::Left,
        },
        _ => Ended::Foul,
    }
}

/// Returns the most serious stop: a dispute, else a forfeit, else a leave.
fn worst(stops: &[(Seat, Stop)]) -> Option<&(Seat, Stop)> {
    stops.iter().max_by_key(|(_, stop)| match stop {
        Stop::Leave => 0,
        Stop::Forfeit => 1,
        Stop::Dispute { .. } => 2,
    })
}

/// Returns the exit code of the program at this seat.
pub fn exit_code(end: &End, seat: Seat) -> u8 {
    let own = |other: &Seat| if *other == seat { LOCAL } else { PEER };
    match end {
        End::Played | End::NoChips | End::Left(_) | End::Changed | End::TooFew(_) => 0,
        End::Removed => CONNECTION,
        End::Stopped(stops) => match worst(stops) {
            Some((_, Stop::Dispute { .. })) => PEER,
            Some((by, Stop::Forfeit)) if *by == seat => LOCAL,
            _ => 0,
        },
        End::Foul { seat, .. } | End::Fork { seat } => own(seat),
        _ => PEER,
    }
}

/// Describes the end to the player at this seat. With two players, the sentence needs no names.
pub fn in_words(end: &End, seat: Seat, names: &Names) -> String {
    let within = |seats: &[Seat]| called(seats, seat, names);
    let name = |other: &Seat| capitalized(&within(&[*other]));
    match end {
        End::Played => "The match was played to its end.".into(),
        End::NoChips => "Fewer than two players have chips.".into(),
        End::Stopped(stops) => match worst(stops) {
            Some((by, Stop::Dispute { step })) => {
                // Only a sealed deck has disputes, and it has two seats.
                let opener = within(&[by.next(2)]);
                format!(
                    "{} disputes the cards that {opener} opened in step {step}. One of the players \
                     cheated, and the record cannot show which one. The hand is undecided. Do not \
                     play against these keys again.",
                    name(by)
                )
            }
            Some((by, Stop::Forfeit)) => {
                format!("{} cannot continue and forfeits the hand.", name(by))
            }
            Some((by, Stop::Leave)) if *by == seat => "You have left the match.".into(),
            Some((by, Stop::Leave)) => format!("{} has left the match.", name(by)),
            None => "The match has ended.".into(),
        },
        End::Changed => "The match ends here, so that a player can buy chips or sit down. The last hand \
             was played to its end."
            .into(),
        End::Left(seats) => {
            let left = match seats[..] {
                [one] if one == seat => "You have left the match".to_owned(),
                [one] => format!("{} has left the match", name(&one)),
                _ => format!("{} have left the match", capitalized(&within(seats))),
            };
            format!("{left}. The last hand was played to its end.")
        }
        End::TooFew(seats) => {
            let verb = match seats[..] {
                [one] if one != seat => "has",
                _ => "have",
            };
            let who = match seats[..] {
                [one] if one == seat => "You".to_owned(),
                _ => capitalized(&within(seats)),
            };
            format!(
                "{who} {verb} left the match, and too few players remain to open cards. The bets of the \
                 last hand were returned or divided."
            )
        }
        End::Removed => {
            "The other players did not receive in time what was due from you, and play on without you. Your \
             hand is folded. Your other chips are yours: you can return with them in the next match of this \
             table."
                .into()
        }
        End::NoKeys => {
            "The keys of the players do not make a key of a deck, which happens only by \
                        chance. Nobody is to blame, and no hand was dealt."
                .into()
        }
        End::Cards(bad) => format!(
            "The opened cards are not cards of this deck ({bad}). One of the players cheated, and \
             the record cannot show which one. The hand is undecided."
        ),
        End::Foul { seat: by, foul } => format!(
            "{} broke the rules: {foul}. The record has the signed message that proves this.",
            name(by)
        ),
        End::Fork { seat: by } => format!(
            "{} signed two different messages for the same step. Both signatures are in the record.",
            name(by)
        ),
        _ => "The match has ended.".into(),
    }
}

/// Describes the chips of a match that was settled without absent seats, and the rule that decides
/// them. `name` returns the name of a seat.
pub fn settled(settled: &Settled, name: impl Fn(Seat) -> String) -> String {
    let names = |seats: Vec<Seat>| list(seats.into_iter().map(&name));
    let without = names(settled.past.without.clone());
    let rule = match settled.rule {
        None => "No hand was in play.".to_owned(),
        Some(SettledBy::Result) => "The result of the hand counts.".to_owned(),
        Some(SettledBy::NotFinal) => {
            "The deck of the hand was not final, so all take back their bets.".to_owned()
        }
        Some(SettledBy::OneLeft(winner)) => format!(
            "Of the others, only one player had not folded and wins the pot: {}.",
            name(winner)
        ),
        Some(SettledBy::Showdown) => {
            "The others have shown or mucked their hands, and the pots are paid.".to_owned()
        }
        Some(SettledBy::Division) => format!(
            "The others take back their bets of the hand. The bets of {without} are divided among those \
             who had not folded."
        ),
    };
    let seats = Seat::all(settled.past.seats);
    let chips = seats.filter_map(|seat| {
        let (_, chips) = settled.past.player(seat)?;
        Some(format!("{} {}", name(seat), count(chips)))
    });
    let chips: Vec<String> = chips.collect();
    format!(
        "The match is settled without {without}. {rule} Chips: {}.",
        chips.join(", ")
    )
}

/// Describes the hand whose result not all seats have signed, if there is such a hand. `name`
/// returns the name of a seat within a sentence.
pub fn unsettled(log: &MatchLog, name: impl Fn(Seat) -> String) -> Option<String> {
    let (waits_for, _) = pending(log);
    let names = list(waits_for.iter().map(|&seat| name(seat)));
    match log.unsettled()? {
        Unsettled::Decided(outcome) => {
            let wins = |(seat, chips)| format!("{} wins {}", name(seat), count(chips));
            let won: Vec<String> = won_by_each(&outcome).into_iter().map(wins).collect();
            let won = if won.is_empty() {
                String::new()
            } else {
                format!(": {}", won.join(", "))
            };
            let verb = if waits_for.len() > 1 { "have" } else { "has" };
            let hand = log.attempt().hand;
            let may_dispute = |seat: &Seat| log.may_sign(*seat).contains(&PartKind::Dispute);
            let dispute = if waits_for.iter().any(may_dispute) {
                " and may still dispute the last opening"
            } else {
                ""
            };
            Some(format!(
                "Hand {hand} is decided{won}; {names} {verb} not signed the result{dispute}."
            ))
        }
        Unsettled::Undecided { pot: 0 } => None,
        Unsettled::Undecided { pot } => {
            let (pot, due) = (count(pot), due(log));
            Some(format!(
                "The pot of {pot} is undecided: {names} must {due}."
            ))
        }
    }
}

/// Same as [`unsettled`], for the player at this seat.
pub fn unsettled_at(log: &MatchLog, seat: Seat, names: &Names) -> Option<String> {
    unsettled(log, |other| called(&[other], seat, names))
}

/// States that the chips can still change, or that the last steps do not count, after a conviction at
/// a table of several seats. `name` returns the name of a seat within a sentence.
pub fn unconfirmed(log: &MatchLog, name: impl Fn(Seat) -> String) -> Option<String> {
    let seats = log.unconfirmed();
    if seats.is_empty() {
        return None;
    }
    let verb = if seats.len() > 1 { "have" } else { "has" };
    let names = list(seats.into_iter().map(name));
    let counted = log.counted_steps();
    Some(match log.step() > counted {
        true => format!(
            "The steps from {counted} on do not count unless {names} confirm{} them.",
            if verb == "has" { "s" } else { "" }
        ),
        false => format!(
            "{names} {verb} not confirmed the end of the match, so the chips can still change."
        ),
    })
}

/// Same as [`unconfirmed`], for the player at this seat.
pub fn unconfirmed_at(log: &MatchLog, seat: Seat, names: &Names) -> Option<String> {
    unconfirmed(log, |other| called(&[other], seat, names))
}

/// The names of seats within a sentence. The seat `own` is "this side". Of two players, the other
/// one needs no name.
fn called(seats: &[Seat], own: Seat, names: &Names) -> String {
    let name = |&seat: &Seat| match seat {
        seat if seat == own => "this side".to_owned(),
        _ if !names.are_several() => "the other player".to_owned(),
        seat => names.name(seat.number()).to_string(),
    };
    list(seats.iter().map(name)).to_string()
}

/// The chips that each winning seat gets from all pots together.
fn won_by_each(outcome: &Outcome) -> BTreeMap<Seat, u64> {
    let mut won = BTreeMap::new();
    for &(seat, chips) in outcome.pots.iter().flat_map(|pot| &pot.winners) {
        *won.entry(seat).or_default() += chips;
    }
    won
}

/// Returns the action that the pending seats must take next.
pub fn due(log: &MatchLog) -> &'static str {
    let shows_its_own = |opening: &Opening| {
        let held = log.game().map(|game| game.held(opening.opener));
        let mut cards = opening.cards.iter();
        cards.any(|(position, to)| {
            *to == Learners::All && held.iter().flatten().any(|held| held == position)
        })
    };
    match log.phase() {
        _ if pending(log).1 == Awaited::Vote => "vote on a call",
        _ if pending(log).1 == Awaited::Back => "sit in again",
        Phase::Deal => "deal",
        Phase::Seal(_) => "seal the deck",
        Phase::Keys | Phase::KeyDealing | Phase::Complaints => "agree to the keys of the deck",
        Phase::Shuffle(_) => "shuffle the deck",
        Phase::Key(_) => "publish the key of a player who leaves",
        Phase::Open(openings) if openings.iter().any(shows_its_own) => "open its cards",
        Phase::Open(_) => "open cards",
        Phase::Choose {
            legal: Legal::ShowOrMuck,
            ..
        } => "show or muck",
        Phase::Choose { .. } => "choose",
        Phase::Reseal(..) => "seal the hand again",
        Phase::Commit(_) | Phase::Reveal(_) => "roll",
        Phase::Result(_) => "sign the result",
        _ => "speak",
    }
}

/// Returns the event for a match that was closed on this side. `log` is the path of its file, and
/// `unsettled` describes the hand in play.
pub fn closed(log: Option<String>, unsettled: Option<String>) -> Event {
    let closed = "The match is closed here, but it is not over: `dealerless resume` continues it if you \
                  name it.";
    Event::Closed {
        log,
        message: match unsettled {
            None => closed.into(),
            Some(unsettled) => format!("{closed} {unsettled}"),
        },
    }
}

/// Returns the event for a player who has left a match that the others play on.
pub(crate) fn left(log: Option<String>) -> Event {
    let message = "You have left the match, and the others play on. Your chips are yours: you can return \
                   with them in the next match of this table. Join again when this one is over, to \
                   receive its end.";
    Event::Closed {
        log,
        message: message.into(),
    }
}

/// Whether the peer has cheated, or one of the two players has cheated and nobody can tell which
/// one. If so, the program asks before the next match with this peer.
pub fn counts_against_peer(end: &End, own: Seat) -> bool {
    match end {
        End::Cards(_) => true,
        End::Foul { seat, .. } | End::Fork { seat } => *seat != own,
        End::Stopped(stops) => {
            let disputed = |(_, stop): &(Seat, Stop)| matches!(stop, Stop::Dispute { .. });
            stops.iter().any(disputed)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_of_a_match_of_three_names_its_players() {
        let names = ["Anna", "Bert", "Carl"].map(str::to_owned).to_vec();
        let names = Names::of_all(names, false);
        let [me, other] = [Seat::HOST, Seat::new(2)];
        let fork = in_words(&End::Fork { seat: other }, me, &names);
        assert!(fork.starts_with("Carl signed two"), "{fork}");
        let left = in_words(&End::Left(vec![Seat::GUEST, other]), me, &names);
        assert!(left.contains("Bert") && left.contains("Carl"), "{left}");
    }

    #[test]
    fn exit_code_tells_regular_ends_from_breaches() {
        let [me, other] = [Seat::HOST, Seat::GUEST];
        let stopped = |stops: &[(Seat, Stop)]| End::Stopped(stops.to_vec());
        let dispute = Stop::Dispute { step: 7 };
        let cases = [
            (End::Played, 0),
            (End::NoChips, 0),
            (stopped(&[(me, Stop::Leave)]), 0),
            (stopped(&[(other, Stop::Leave)]), 0),
            (stopped(&[(other, Stop::Forfeit)]), 0),
            (stopped(&[(me, Stop::Forfeit)]), 1),
            (stopped(&[(me, Stop::Leave), (other, dispute)]), 2),
            (End::Fork { seat: other }, 2),
            (End::Fork { seat: me }, 1),
            (End::Left(vec![other]), 0),
            (End::TooFew(vec![other]), 0),
            (End::TooFew(vec![me]), 0),
            (End::Removed, 3),
        ];
        for (end, code) in cases {
            assert_eq!(exit_code(&end, me), code, "{end:?}");
            let names = Names::default();
            assert_eq!(Breach::check(&end, me, &names).is_ok(), code == 0);
            assert!(in_words(&end, me, &names).ends_with('.'));
            // A player's own breach does not count against the peer.
            assert_eq!(counts_against_peer(&end, me), code == PEER, "{end:?}");
        }
    }

    #[test]
    fn of_several_players_the_end_names_the_seats() {
        let of_all = |names: &[&str]| {
            let names = names.iter().map(|&name| name.to_owned());
            Names::of_all(names.collect(), false)
        };
        let several = of_all(&["Anna", "Bert", "Cleo"]);
        let [anna, bert, cleo] = [0, 1, 2].map(Seat::new);
        let left = End::Left(vec![bert]);
        let cases = [
            (
                left.clone(),
                anna,
                "Bert has left the match. The last hand was played to its end.",
            ),
            (
                left.clone(),
                bert,
                "You have left the match. The last hand was played to its end.",
            ),
            (
                End::Left(vec![bert, cleo]),
                cleo,
                "Bert and this side have left the match. The last hand was played to its end.",
            ),
            (
                End::Fork { seat: cleo },
                anna,
                "Cleo signed two different messages for the same step. Both signatures are in the record.",
            ),
        ];
        for (end, seat, text) in cases {
            assert_eq!(in_words(&end, seat, &several), text);
        }
        assert_eq!((exit_code(&left, anna), how(&left)), (0, Ended::Left));
        assert!(
            in_words(&left, anna, &of_all(&["Anna", "Bert"])).starts_with("The other player has")
        );
    }
}
