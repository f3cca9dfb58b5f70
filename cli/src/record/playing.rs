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
