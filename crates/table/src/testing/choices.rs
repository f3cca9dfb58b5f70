//! The choices of players.

use crate::log::MatchLog;
use crate::rules::{Choice, Learners, Legal, Proposal};
use crate::seat::Seat;

/// The choice of a player who checks or calls, and shows.
pub fn passive(legal: &Legal) -> Choice {
    match legal {
        Legal::Bet { call: None, .. } => Choice::Check,
        Legal::Bet { .. } => Choice::Call,
        Legal::Exchange => Choice::Exchange(vec![0, 2]),
        Legal::ShowOrMuck => Choice::Show,
        _ => Choice::Pass,
    }
}

/// The choice of a seat with boards: the host proposes which seat sees which hands of the first
/// board, and then that all seats see all hands. The guest agrees to each proposal, and then both
/// seats pass.
pub fn of_boards(log: &MatchLog, seat: Seat, proposals: &[Proposal]) -> Choice {
    let game = log.game().expect("a hand in play");
    let drawn = log.match_info().header().stakes.deck().1 as u16;
    let is_public = (0..usize::from(drawn)).any(|position| game.public(position).is_some());
    match proposals.first() {
        Some(proposal) if proposal.by == seat => Choice::Pass,
        Some(proposal) => Choice::Agree(proposal.number),
        None if is_public || seat != Seat::HOST => Choice::Pass,
        None if game.held(seat).is_empty() => {
            let seats = [Seat::HOST, Seat::GUEST].into_iter().cycle();
            Choice::Propose((0..4).zip(seats.map(Learners::Seat)).collect())
        }
        None => Choice::Propose((0..drawn).map(|hand| (hand, Learners::All)).collect()),
    }
}
