//! The seats that play in a hand: a seat may sit out, or leave in the middle of the hand.

use dealerless_table::Seat;
use dealerless_table::log::LogEvent;
use dealerless_table::record::RecordedHand;
use dealerless_table::rules::Choice;

/// The seats that were dealt in, in ascending order. Before any card is dealt, the seats with chips.
pub(super) fn players(hand: &RecordedHand) -> Vec<Seat> {
    let dealt = |seat: &Seat| {
        let mut events = hand.events.iter();
        events.any(|event| matches!(event, LogEvent::Dealt { seat: to, .. } if to == seat))
    };
    let seats = Seat::all(hand.begun.stacks.len());
    let players: Vec<Seat> = seats.clone().filter(dealt).collect();
    if players.is_empty() {
        let has_chips = |seat: &Seat| hand.begun.stacks[seat.index()] > 0;
        return seats.filter(has_chips).collect();
    }
    players
}

/// Whether a seat that leaves after these events of a hand of poker mucks, because the betting is
/// over. Otherwise it folds. `rounds` is the number of betting rounds.
pub(super) fn mucks_when_leaving(before: &[LogEvent], seat: Seat, rounds: usize) -> bool {
    let (mut round, mut has_bet_all, mut is_done) = (1, false, false);
    for event in before {
        match event {
            LogEvent::Board(_) => (round, is_done) = (round + 1, false),
            LogEvent::Chose(chosen) => match chosen.choice {
                Choice::Show | Choice::Muck => return true,
                Choice::Exchange(_) => (round, is_done) = (2, false),
                _ => {
                    let raises = matches!(chosen.choice, Choice::Bet { .. } | Choice::Raise { .. });
                    is_done = chosen.seat == seat || (is_done && !raises);
                    has_bet_all |= chosen.seat == seat && chosen.all_in;
                }
            },
            _ => {}
        }
    }
    round == rounds && (is_done || has_bet_all)
}

#[cfg(test)]
mod tests {
    use dealerless_table::log::Chosen;

    use super::*;

    fn chose(seat: u8, choice: Choice, all_in: bool) -> LogEvent {
        LogEvent::Chose(Chosen {
            seat: Seat::new(seat),
            choice,
            level: 0,
            paid: 0,
            all_in,
            held: Vec::new(),
        })
    }

    #[test]
    fn a_seat_that_leaves_mucks_only_after_the_last_betting_round() {
        let board = || LogEvent::Board(Vec::new());
        let bet = || chose(1, Choice::Bet { to: 20 }, false);
        let leaves =
            |rounds, before: Vec<LogEvent>| mucks_when_leaving(&before, Seat::new(0), rounds);
        let river = |choices: Vec<LogEvent>| {
            let streets = [board(), board(), board()];
            leaves(4, streets.into_iter().chain(choices).collect())
        };
        let checks = || chose(0, Choice::Check, false);
        assert!(!river(vec![]));
        assert!(!river(vec![bet()]));
        assert!(!river(vec![checks(), bet()]));
        assert!(river(vec![checks()]));
        assert!(river(vec![
            bet(),
            chose(0, Choice::Call, false),
            chose(2, Choice::Fold, false)
        ]));
        assert!(river(vec![chose(2, Choice::Show, false)]));
        // A check on the turn is no reason to muck.
        assert!(!leaves(4, vec![board(), board(), checks()]));
        // An all-in seat has no further turn to bet.
        let all_in = chose(0, Choice::Raise { to: 90 }, true);
        assert!(leaves(4, vec![all_in, board(), board(), board(), bet()]));

        let keeps = |seat| chose(seat, Choice::Exchange(Vec::new()), false);
        assert!(!leaves(2, vec![checks()]));
        assert!(!leaves(2, vec![checks(), keeps(0), keeps(1)]));
        assert!(leaves(2, vec![checks(), keeps(0), keeps(1), checks()]));
    }
}
