//! What the end of a match means for the caller of the program, and in words.

use std::collections::BTreeMap;

use dealerless_table::Seat;
use dealerless_table::log::{End, MatchLog, PartKind, Phase, Stop, Unsettled};
use dealerless_table::rules::{Learners, Legal, Opening, Outcome};

use crate::event::Ended;
use crate::words::count;

/// The exit code of wrong usage and of local faults.
pub const LOCAL: u8 = 1;
/// The exit code when a check failed, the peer broke the protocol, disagreed or aborted.
pub const PEER: u8 = 2;

/// The match ended with a breach of its rules, which the log holds.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Breach {
    message: String,
    exit_code: u8,
}

impl Breach {
    /// What this end comes to: nothing where a match ends as matches do.
    ///
    /// # Errors
    /// If it is a breach.
    pub fn check(end: &End, seat: Seat) -> Result<(), Self> {
        match exit_code(end, seat) {
            0 => Ok(()),
            exit_code => Err(Breach {
                message: in_words(end, seat),
                exit_code,
            }),
        }
    }

    /// The exit code of the program.
    pub fn exit_code(&self) -> u8 {
        self.exit_code
    }
}

/// How it ended, as one word.
pub fn how(end: &End) -> Ended {
    match end {
        End::Played => Ended::Played,
        End::NoChips => Ended::NoChips,
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

/// A dispute counts before a forfeit, and that before leaving.
fn worst(stops: &[(Seat, Stop)]) -> Option<&(Seat, Stop)> {
    stops.iter().max_by_key(|(_, stop)| match stop {
        Stop::Leave => 0,
        Stop::Forfeit => 1,
        Stop::Dispute { .. } => 2,
    })
}

/// The exit code, seen from a seat.
pub fn exit_code(end: &End, seat: Seat) -> u8 {
    let own = |other: &Seat| if *other == seat { LOCAL } else { PEER };
    match end {
        End::Played | End::NoChips => 0,
        End::Stopped(stops) => match worst(stops) {
            Some((_, Stop::Dispute { .. })) => PEER,
            Some((who, Stop::Forfeit)) if *who == seat => LOCAL,
            _ => 0,
        },
        End::Foul { seat, .. } | End::Fork { seat } => own(seat),
        _ => PEER,
    }
}

/// What happened, in words for one who plays at this seat.
pub fn in_words(end: &End, seat: Seat) -> String {
    let who = |other: &Seat| match *other == seat {
        true => "This side",
        false => "The other player",
    };
    match end {
        End::Played => "The match was played to its end.".into(),
        End::NoChips => "A player has no chips, and no rebuy was agreed.".into(),
        End::Stopped(stops) => match worst(stops) {
            Some((by, Stop::Dispute { step })) => {
                let opener = match *by == seat {
                    true => "the other player",
                    false => "this side",
                };
                format!(
                    "{} disputes what {opener} opened in step {step}: one of the two cheated, and \
                     the record cannot tell which. The hand is undecided. Do not play these keys again.",
                    who(by)
                )
            }
            Some((by, Stop::Forfeit)) => {
                format!("{} cannot go on, and forfeits the hand.", who(by))
            }
            Some((by, Stop::Leave)) if *by == seat => "You have left the match.".into(),
            _ => "The other player has left the match.".into(),
        },
        End::Cards(bad) => format!(
            "The cards that came out are none of this deck ({bad}). One of the two cheated, and the \
             record cannot tell which. The hand is undecided."
        ),
        End::Foul { seat: by, foul } => format!(
            "{} broke the rules: {foul}. Its signature on that is in the record.",
            who(by)
        ),
        End::Fork { seat: by } => format!(
            "{} signed two different things for one step. Both signatures are in the record.",
            who(by)
        ),
        _ => "The match has ended.".into(),
    }
}

/// What the signed parts say of a hand whose result is not signed by all; none if there is no such hand. `name` gives
/// what the seats are called in a sentence.
pub fn unsettled(log: &MatchLog, name: impl Fn(Seat) -> String) -> Option<String> {
    let waits_for = log.waits_for();
    let names: Vec<String> = waits_for.iter().map(|&seat| name(seat)).collect();
    let (names, several) = (names.join(" and "), waits_for.len() > 1);
    match log.unsettled()? {
        Unsettled::Decided(outcome) => {
            let wins = |(seat, chips)| format!("{} wins {}", name(seat), count(chips));
            let won: Vec<String> = won_by_each(&outcome).into_iter().map(wins).collect();
            let won = match won.is_empty() {
                true => String::new(),
                false => format!(": {}", won.join(", ")),
            };
            let verb = if several { "have" } else { "has" };
            let hand = log.attempt().hand;
            let may_dispute = |seat: &Seat| log.may_say(*seat).contains(&PartKind::Dispute);
            let dispute = match waits_for.iter().any(may_dispute) {
                true => ", and may still dispute the last opening",
                false => "",
            };
            Some(format!(
                "Hand {hand} is decided{won}; {names} {verb} not signed{dispute}."
            ))
        }
        Unsettled::Undecided { pot: 0 } => None,
        Unsettled::Undecided { pot } => {
            let (pot, due) = (count(pot), due(log));
            let verb = if several { "are" } else { "is" };
            Some(format!(
                "The pot of {pot} is undecided: {names} {verb} to {due}."
            ))
        }
    }
}

/// Does what [`unsettled`] does, for the player at this seat.
pub fn unsettled_at(log: &MatchLog, seat: Seat) -> Option<String> {
    let name = |other| match other == seat {
        true => "this side".to_owned(),
        false => "the other player".to_owned(),
    };
    unsettled(log, name)
}

/// The chips that each winning seat gets from all pots.
fn won_by_each(outcome: &Outcome) -> BTreeMap<Seat, u64> {
    let mut won = BTreeMap::new();
    for &(seat, chips) in outcome.pots.iter().flat_map(|pot| &pot.winners) {
        *won.entry(seat).or_default() += chips;
    }
    won
}

/// The action that is due from the pending seats.
pub fn due(log: &MatchLog) -> &'static str {
    let shows_its_own = |opening: &Opening| {
        let held = log.game().map(|game| game.held(opening.opener));
        let mut cards = opening.cards.iter();
        cards.any(|(position, to)| {
            *to == Learners::All && held.iter().flatten().any(|held| held == position)
        })
    };
    match log.phase() {
        Phase::Deal => "deal",
        Phase::Seal(_) => "seal the deck",
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

/// Whether the other player has cheated, or one of the two, and nobody can tell which. It is asked
/// about before the next match then.
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
    fn an_end_by_the_rules_is_no_failure_and_a_breach_is() {
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
        ];
        for (end, code) in cases {
            assert_eq!(exit_code(&end, me), code, "{end:?}");
            assert_eq!(Breach::check(&end, me).is_ok(), code == 0);
            assert!(in_words(&end, me).ends_with('.'));
            // Nobody counts its own faults against the other.
            assert_eq!(counts_against_peer(&end, me), code == 2, "{end:?}");
        }
    }
}
