//! Evenings of several matches, compared with a direct port of part 2 of the model of the design: the
//! chips and the big blinds over leaving, busting, buying, returning and sitting out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use dealerless_connection::identity::{Identity, PublicIdentity};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::super::*;
use super::test_match::{header, stakes_of};
use crate::rules::{Blinds, Hand, Stakes};
use crate::seat::Seat;

/// The model. A player is a number.
#[derive(Clone, Default)]
struct Evening {
    chips: BTreeMap<u8, u64>,
    bought: BTreeMap<u8, u64>,
    /// The seated, beginning at the left of the last big blind: a player who sits down there has the next
    /// one.
    ring: Vec<u8>,
    out: BTreeSet<u8>,
    missed: BTreeSet<u8>,
}

/// What happens between two matches.
#[derive(Clone, Copy, Debug)]
enum Change {
    Leave(u8),
    Sit(u8),
    TopUp(u8),
    Bust(u8),
    Out(u8),
}

impl Evening {
    fn new(players: &[u8], first_big: usize) -> Self {
        let mut ring = players.to_vec();
        ring.rotate_left(first_big);
        Evening {
            chips: players.iter().map(|player| (*player, 100)).collect(),
            bought: players.iter().map(|player| (*player, 100)).collect(),
            ring,
            ..Evening::default()
        }
    }

    fn stands_up(&mut self, player: u8) {
        self.ring.retain(|other| *other != player);
        self.out.remove(&player);
        self.missed.remove(&player);
    }

    /// Applies a change. `sat` is the number of players who have sat down at this boundary. Returns
    /// whether it is possible.
    fn change(&mut self, change: Change, sat: usize) -> bool {
        let is_seated = |player: u8| self.ring.contains(&player);
        match change {
            Change::Sit(player) if !is_seated(player) => {
                let chips = self.chips.entry(player).or_default();
                if *chips == 0 {
                    *chips = 100;
                    *self.bought.entry(player).or_default() += 100;
                }
                self.ring.insert(sat, player);
            }
            Change::Leave(player) if is_seated(player) => self.stands_up(player),
            Change::TopUp(player) if is_seated(player) && self.chips[&player] < 100 => {
                let buy = 100 - self.chips[&player];
                *self.bought.get_mut(&player).unwrap() += buy;
                self.chips.insert(player, 100);
            }
            Change::Bust(player) if is_seated(player) && self.ring.len() > 1 => {
                let winner = self.ring.iter().copied().find(|other| *other != player);
                let lost = self.chips.insert(player, 0).unwrap();
                *self.chips.get_mut(&winner.unwrap()).unwrap() += lost;
                self.stands_up(player);
            }
            Change::Out(player) if is_seated(player) => {
                if !self.out.remove(&player) {
                    self.out.insert(player);
                }
            }
            _ => return false,
        }
        true
    }

    /// Plays a hand: the first player wins a chip from the last one. Returns the big blind and the players
    /// with cards, from the big blind on.
    fn hand(&mut self) -> Option<(u8, Vec<u8>)> {
        let can: Vec<u8> = self
            .ring
            .iter()
            .copied()
            .filter(|player| !self.out.contains(player))
            .collect();
        if can.len() < 2 {
            return None;
        }
        let big = can[0];
        let at = self.ring.iter().position(|player| *player == big).unwrap();
        self.missed.extend(&self.ring[..at]);
        let plays = |player: &u8| *player == big || !self.missed.contains(player);
        let mut dealt: Vec<u8> = can.iter().copied().filter(plays).collect();
        if dealt.len() < 2 {
            dealt.clone_from(&can);
            self.missed.retain(|player| !can.contains(player));
        }
        self.missed.remove(&big);
        self.ring.rotate_left(at + 1);
        let last = dealt[dealt.len() - 1];
        if self.chips[&last] > 1 {
            *self.chips.get_mut(&dealt[0]).unwrap() += 1;
            *self.chips.get_mut(&last).unwrap() -= 1;
        }
        Some((big, dealt))
    }
}

/// A table whose matches name each other's results.
struct Played {
    of: Match,
    /// The players with the numbers of their identities, in order of the seats.
    players: Vec<u8>,
    stacks: Vec<u64>,
    blinds: Blinds,
}

static IDENTITIES: LazyLock<Vec<PublicIdentity>> = LazyLock::new(|| {
    let identities = (0..5).map(|number| Identity::from_seed([number; 32]));
    identities
        .map(|identity| identity.public().clone())
        .collect()
});

fn identity(number: u8) -> &'static PublicIdentity {
    &IDENTITIES[usize::from(number)]
}

fn stakes(seats: usize) -> Stakes {
    stakes_of(100, seats as u8, 1000)
}

impl Played {
    fn begin(header: Header, players: Vec<u8>) -> Self {
        let player = |number: &u8| Player {
            identity: identity(*number).clone(),
            nonce: [0; 32],
        };
        // As another program reads the header.
        let header = Header::decode(&header.encode()).unwrap();
        let of = Match::new(header, players.iter().map(player).collect()).unwrap();
        let log = MatchLog::new(of.clone(), Seat::HOST);
        Played {
            stacks: log.stacks().to_vec(),
            blinds: log.standing(0).unwrap().blinds,
            players,
            of,
        }
    }

    /// Plays a hand without the seats of these players.
    fn hand(&mut self, out: &BTreeSet<u8>) -> Option<(u8, Vec<u8>)> {
        let seats = self.players.len();
        let stakes = stakes(seats);
        let place = |player: &u8| {
            let found = self.players.iter().position(|other| other == player);
            Seat::new(found.unwrap() as u8)
        };
        let out: Vec<Seat> = out.iter().map(place).collect();
        let can_play = stakes.can_play(&self.stacks, &out);
        let (button, after) = self.blinds.next(&stakes, &can_play)?;
        let out: Vec<Seat> = out.into_iter().chain(after.waits.iter()).collect();
        let hand = Hand::new(&stakes, &self.stacks, &out, button).unwrap();
        self.blinds = after;
        let plays = |seat: &Seat| hand.is_live(*seat);
        let dealt: Vec<Seat> = after.last.around(seats).filter(plays).collect();
        // The blinds are those of the rules of poker.
        let posted = hand.posted();
        let small = dealt[dealt.len() - 1];
        for seat in Seat::all(seats) {
            let due = match seat {
                seat if seat == after.last => 2,
                seat if seat == small => 1,
                _ => 0,
            };
            assert_eq!(posted[seat.index()], due.min(self.stacks[seat.index()]));
        }
        let last = small.index();
        if self.stacks[last] > 1 {
            self.stacks[dealt[0].index()] += 1;
            self.stacks[last] -= 1;
        }
        let number = |seat: &Seat| self.players[seat.index()];
        Some((number(&after.last), dealt.iter().map(number).collect()))
    }

    /// The result of the match.
    fn past(&self) -> Past {
        let ends = self.stacks.iter().copied().zip(self.of.first_bought());
        Past {
            match_id: self.of.id(),
            steps: 9,
            hash: [9; 32],
            is_open: false,
            without: Vec::new(),
            blinds: self.blinds,
            seats: self.of.seats(),
            players: Past::list(&self.of, ends),
        }
    }

    /// The next match, of those of `stays` who are here and of `sits`, which buy these chips.
    fn next(self, stays: &[u8], sits: &[u8], buys: &BTreeMap<u8, u64>) -> Self {
        let print = |number: u8| identity(number).fingerprint();
        let all: Vec<_> = stays
            .iter()
            .chain(sits)
            .map(|number| print(*number))
            .collect();
        let past = self.past().before(&all);
        let stays = self.players.iter().filter(|player| stays.contains(player));
        let mut players: Vec<u8> = stays.chain(sits).copied().collect();
        let host = print(players[0]);
        players.sort_by_key(|player| past.place_after(host, print(*player)));
        let mut header = header(stakes(players.len()), players.len());
        let table = header.table.as_mut().unwrap();
        table.past = Some(past);
        let buy = |player: &u8| buys.get(player).copied().unwrap_or(0);
        table.buys = players.iter().map(buy).collect();
        Played::begin(header, players)
    }

    fn chips(&self) -> BTreeMap<u8, (u64, u64)> {
        let past = self.past();
        let sum = |of: fn(&Member) -> u64| past.players.iter().map(of).sum::<u64>();
        assert_eq!(sum(|member| member.chips), sum(|member| member.bought));
        let numbers = (0..5u8).filter_map(|number| {
            let member = past.member(identity(number).fingerprint())?;
            Some((number, (member.chips, member.bought)))
        });
        numbers.collect()
    }
}

/// A player and its change.
fn any_change(rng: &mut StdRng) -> (u8, Change) {
    let player = rng.random_range(0..5);
    let kinds: [fn(u8) -> Change; 6] = [
        Change::Leave,
        Change::Sit,
        Change::Sit,
        Change::TopUp,
        Change::Bust,
        Change::Out,
    ];
    (player, kinds.choose(rng).unwrap()(player))
}

#[test]
fn chips_and_blinds_of_evenings_are_those_of_the_model() {
    let mut rng = StdRng::seed_from_u64(1);
    let (mut hands, mut waits) = (0, 0);
    for _ in 0..400 {
        let count = rng.random_range(2..=4u8);
        let players: Vec<u8> = (0..count).collect();
        let first_big = if count == 2 { 1 } else { 2 };
        let mut model = Evening::new(&players, first_big);
        let mut played = Played::begin(header(stakes(players.len()), players.len()), players);
        for _ in 0..=5 {
            for _ in 0..3 {
                let hand = model.hand();
                assert_eq!(played.hand(&model.out), hand);
                hands += usize::from(hand.is_some());
                waits += model.missed.len();
            }
            // Up to three changes at one boundary, of different players. Those who sit down come last.
            let before = model.clone();
            let changes: BTreeMap<u8, Change> = (0..rng.random_range(0..=3))
                .map(|_| any_change(&mut rng))
                .collect();
            let sits_down = |change: &Change| matches!(change, Change::Sit(_));
            let (mut sits, others): (Vec<Change>, Vec<Change>) =
                changes.into_values().partition(sits_down);
            for change in others {
                model.change(change, 0);
            }
            let mut sat = 0;
            sits.retain(|change| {
                let sits = model.change(*change, sat);
                sat += usize::from(sits);
                sits
            });
            let sits: Vec<u8> = (sits.iter().map(|change| match change {
                Change::Sit(player) => *player,
                _ => unreachable!(),
            }))
            .collect();
            let stays: Vec<u8> = before
                .ring
                .iter()
                .copied()
                .filter(|player| model.ring.contains(player))
                .collect();
            if stays.is_empty() || model.ring.len() < 2 {
                break;
            }
            // The last hand of the match moves the chips of those who went broke.
            let bought = |of: &Evening, player: &u8| of.bought.get(player).copied().unwrap_or(0);
            let buys: BTreeMap<u8, u64> = (model.bought.keys())
                .map(|player| (*player, bought(&model, player) - bought(&before, player)))
                .collect();
            for (seat, player) in played.players.iter().enumerate() {
                played.stacks[seat] = model.chips[player] - buys[player];
            }
            played = played.next(&stays, &sits, &buys);
            let all = model
                .chips
                .iter()
                .map(|(player, chips)| (*player, (*chips, model.bought[player])));
            assert_eq!(played.chips(), all.collect());
        }
    }
    assert!(hands > 4_000 && waits > 800, "{hands} {waits}");
}
