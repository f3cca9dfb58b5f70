//! Two seats of a match in one process, over an encrypted loopback connection. The match and the known players are
//! in memory.

use std::net::Ipv4Addr;
use std::panic::resume_unwind;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use dealerless_connection::Invite;
use dealerless_native::{RunningProgram, in_memory};
use dealerless_seat::command::Said;
use dealerless_seat::event::{Ask, Cost, Ended, Event, YourTurn};
use dealerless_seat::run::{AnyMatch, Guest, Route};
use dealerless_seat::seat::PlayerNeeds;
use dealerless_table::Seat;
use dealerless_table::log::Header;
use dealerless_table::rules::PokerKind;

use super::hand::{View, named};
use crate::progress::Progress;

/// The names of the host, who garbles, and of the guest.
pub(super) const NAMES: [&str; 2] = ["Alice", "Bob"];

/// Timeout for each step of the other seat, which plays without pauses.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The maximum number of cards that a player of five-card draw exchanges.
const EXCHANGED: usize = 3;

/// View and cost of the match at one seat.
#[derive(Default)]
pub(super) struct Side {
    hands: Vec<View>,
    /// Time from the first connection to the first sealed deck, without the deal.
    pub(super) setup: Duration,
    /// The cost of each deal.
    pub(super) deals: Vec<Cost>,
    /// Bytes that this seat sent over the encrypted connection.
    pub(super) sent: u64,
}

impl Side {
    /// This seat's view of each hand.
    pub(super) fn into_hands(self) -> Vec<View> {
        self.hands
    }
}

/// Plays a match. Returns the sides of the host and of the guest.
///
/// # Errors
/// If the seats cannot meet, or one of them fails.
pub(super) fn play(header: &Header, progress: &Progress) -> anyhow::Result<[Side; 2]> {
    let begun = Instant::now();
    let (kind, _) = (header.stakes.variety().poker()).context("a demo without chips")?;
    let (host, invite) = host(header)?;
    let seats = [host, guest(invite)?];
    let play = |playing: RunningProgram, own| {
        let mut watcher = Watcher {
            side: Side::default(),
            kind,
            own,
            begun,
            heard: begun,
            playing: &playing,
            progress,
        };
        playing.play(&mut watcher).map(|()| watcher.side)
    };
    let [host, guest] = seats;
    let (host, guest) = thread::scope(|scope| {
        let guest = scope.spawn(move || play(guest, Seat::GUEST));
        let host = play(host, Seat::HOST);
        let guest = guest.join().unwrap_or_else(|panic| resume_unwind(panic));
        (host, guest)
    });
    Ok([host?, guest?])
}

/// The needs of both players: no question, no pause.
const NEEDS: PlayerNeeds = PlayerNeeds {
    pauses: false,
    each_second: false,
    never_asked: true,
    is_program: false,
    is_told_nothing: false,
};

/// A new player, who waits on this machine. Also returns its invite.
fn host(header: &Header) -> anyhow::Result<(RunningProgram, Invite)> {
    let mut invite = None;
    let playing = dealerless_native::begin(false, in_memory(NAMES[0])?, |own, now| {
        let at = (Ipv4Addr::LOCALHOST, 0).into();
        let (host, made) = dealerless_native::host(own, header.clone().into(), at, NEEDS, now)?;
        invite = Some(made);
        Ok(Box::new(host))
    })?;
    Ok((playing, invite.context("the host has begun")?))
}

/// A new player, who joins with an invite.
fn guest(invite: Invite) -> anyhow::Result<RunningProgram> {
    let route = Route::to_host(invite);
    dealerless_native::begin(false, in_memory(NAMES[1])?, |own, now| {
        let guest = Guest::joining(own, Box::new(AnyMatch), NEEDS, route, now)?;
        Ok(Box::new(guest))
    })
}

/// A player who checks, calls and shows, and keeps what it sees.
struct Watcher<'a> {
    side: Side,
    kind: PokerKind,
    own: Seat,
    begun: Instant,
    /// When something has happened last.
    heard: Instant,
    playing: &'a RunningProgram,
    progress: &'a Progress,
}

impl dealerless_native::Player for Watcher<'_> {
    fn tell(&mut self, event: &Event) -> anyhow::Result<()> {
        self.heard = Instant::now();
        let side = &mut self.side;
        let hand = side.hands.last_mut().context("no hand was dealt");
        match event {
            Event::Dealt { .. } => side.hands.push(View::new(self.kind)),
            Event::Sealed { cost, .. } => {
                let cost = cost.context("the cost of the deal is missing")?;
                if side.deals.is_empty() {
                    let shuffle = Duration::from_secs_f64(cost.shuffle_ms / 1e3);
                    side.setup = self.begun.elapsed().saturating_sub(shuffle);
                }
                side.deals.push(cost);
                self.progress.step();
            }
            Event::Card {
                position,
                card,
                holder,
                ..
            } => {
                let card = named(card).context("an unknown card")?;
                hand?.add(self.own, holder.map(Seat::new), *position, card);
            }
            Event::Result(result) => hand?.ends(result.as_ref().clone()),
            Event::Over { how, .. } => {
                let is_played = *how == Ended::Played;
                ensure!(is_played, "the match ended early: this is a bug");
                side.sent = self.playing.sent();
            }
            Event::LineLost { message } => bail!("the connection was lost: {message}"),
            _ => {}
        }
        Ok(())
    }

    fn answer(&mut self, event: &Event) -> Option<Said> {
        match event {
            Event::YourTurn(turn) => Some(choose(turn)),
            Event::AskRebuy { .. } => Some(Said::Rebuy { agree: true }),
            _ => None,
        }
    }

    fn due(&self) -> Option<Duration> {
        Some(TIMEOUT.saturating_sub(self.heard.elapsed()))
    }

    fn show_due(&mut self) -> anyhow::Result<()> {
        let is_in_time = self.heard.elapsed() < TIMEOUT;
        ensure!(
            is_in_time,
            "the other seat of this process did not answer in time"
        );
        Ok(())
    }
}

fn choose(turn: &YourTurn) -> Said {
    match turn.ask {
        Ask::Bet { call: None, .. } => Said::Check {},
        Ask::Bet { .. } => Said::Call {},
        Ask::Exchange {} => Said::Exchange {
            places: unpaired(turn),
        },
        _ => Said::Show {},
    }
}

/// The places of the lowest unpaired cards in a seat's own hand, at most [`EXCHANGED`].
fn unpaired(turn: &YourTurn) -> Vec<u8> {
    let cards = turn.cards.iter();
    let ranks: Vec<_> = cards.map(|card| named(card.as_deref()?)?.rank()).collect();
    let is_single = |rank| ranks.iter().filter(|other| **other == rank).count() == 1;
    let mut places: Vec<u8> = (0..).take(ranks.len()).collect();
    places.retain(|&place| is_single(ranks[usize::from(place)]));
    places.sort_by_key(|&place| ranks[usize::from(place)]);
    places.truncate(EXCHANGED);
    places.sort_unstable();
    places
}
