//! The end of a match, as the next match of the table names it: all players of the evening with the
//! chips that they have and those that they have bought, and the blinds.

use dealerless::verifiable::MAX_SEATS;
use dealerless_connection::identity::Fingerprint;
use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::header::DeckTerms;
use super::match_log::MatchLog;
use super::phase::{End, Phase};
use super::players::{Match, MatchId};
use super::signed::SignedPart;
use crate::rules::{Blinds, Stakes};
use crate::seat::{Seat, SeatSet};

/// The result of a match with a verifiable deck: what the header of the next match says about it. Each
/// player of the match compares it with [`Past::of`] its own log, or with [`MatchLog::agrees_to`] if
/// the match is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Past {
    /// The id of the match.
    pub match_id: MatchId,
    /// The number of its complete steps.
    pub steps: u64,
    /// The hash of these steps.
    pub hash: [u8; 32],
    /// Whether the match was open, and was settled without the seats in `without`: they were absent, or
    /// had left before.
    pub is_open: bool,
    /// The seats that are not in the next match, in order. [`Past::of`] a match that is over does not
    /// know them.
    pub without: Vec<Seat>,
    /// The blinds after its last hand with a result.
    pub blinds: Blinds,
    /// The number of its seats. Their players are the first ones of `players`.
    pub seats: usize,
    /// All players of the evening: those of the match in order of the seats, then those of earlier
    /// matches.
    pub players: Vec<Member>,
}

/// A player of the evening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The player.
    pub player: Fingerprint,
    /// The chips that the player has.
    pub chips: u64,
    /// All chips that the player has bought this evening.
    pub bought: u64,
}

impl Past {
    /// The maximum number of players of an evening.
    pub const MOST: usize = 32;
    /// The maximum number of chips of all players, so that no sum overflows.
    pub(super) const MAX_CHIPS: u64 = Stakes::MAX_STACK * Stakes::MAX_HANDS as u64;
    /// The maximum length of an encoding in bytes.
    pub(super) const MAX_LEN: usize =
        32 + 8 + 32 + 1 + 2 + 1 + 2 + 1 + 1 + Self::MOST * (Fingerprint::LEN + 8 + 8);

    /// The result of the match of this log. `None` if the match is not over or has a sealed deck, or if
    /// the others went on without the owner of the log.
    pub fn of(log: &MatchLog) -> Option<Self> {
        let steps = log.counted_steps();
        let is_over = matches!(log.phase(), Phase::Over(_));
        is_over.then(|| Self::ended(log, None, steps, log.final_stacks()))?
    }

    /// The result of the match of this log, which ends after `steps` with these chips. If it is open,
    /// it was settled without the seats in `without`.
    pub(super) fn ended(
        log: &MatchLog,
        without: Option<Vec<Seat>>,
        steps: u64,
        stacks: Vec<u64>,
    ) -> Option<Self> {
        let of = log.match_info();
        if !matches!(of.header().deck, DeckTerms::Verifiable(_)) || log.is_removed() {
            return None;
        }
        let standing = log.standing(steps)?;
        let ends = stacks.into_iter().zip(standing.bought);
        let past = Past {
            match_id: of.id(),
            steps,
            hash: log.hash_before(steps)?,
            is_open: without.is_some(),
            without: without.unwrap_or_default(),
            blinds: standing.blinds,
            seats: of.seats(),
            players: Self::list(of, ends),
        };
        past.is_valid().then_some(past)
    }

    /// The list after a match whose seats end with these chips, and have bought these this evening.
    pub(super) fn list(of: &Match, ends: impl Iterator<Item = (u64, u64)>) -> Vec<Member> {
        let member = |(player, (chips, bought))| Member {
            player,
            chips,
            bought,
        };
        let mut players: Vec<Member> = of.fingerprints().zip(ends).map(member).collect();
        let before = of
            .header()
            .past()
            .into_iter()
            .flat_map(|past| &past.players);
        let away = before.filter(|member| of.fingerprints().all(|other| other != member.player));
        players.extend(away);
        players
    }

    /// Whether this can be the end of the match of this log, without regard to the seats that are not in
    /// the next match. If the others have removed the owner of the log and went on, the log does not have
    /// the end: then the owner must have at least the chips that it had not bet in this log. They can be
    /// more, because its last bet can be void. The players and the chips that they have bought are those of
    /// the log.
    pub fn agrees_with(&self, log: &MatchLog) -> bool {
        if !log.is_removed() {
            return Past::of(log).is_some_and(|own| own.with(self.without.clone()) == *self);
        }
        let (of, owner) = (log.match_info(), log.owner());
        let stacks = log
            .game()
            .map_or_else(|| log.stacks().to_vec(), |game| game.stacks());
        let chips = stacks[owner.index()];
        let own = self.player(owner).is_some_and(|(_, own)| own >= chips);
        // In a match, nobody buys chips, and those of players who are away do not change.
        let list = Self::list(of, stacks.into_iter().zip(of.first_bought()));
        let is_same = |(at, (one, other)): (usize, (&Member, &Member))| {
            let is_away = at >= of.seats();
            (one.player, one.bought) == (other.player, other.bought)
                && (!is_away || one.chips == other.chips)
        };
        let mut members = self.players.iter().zip(&list).enumerate();
        self.match_id == of.id()
            && self.seats == of.seats()
            && self.players.len() == list.len()
            && members.all(is_same)
            && own
    }

    /// Whether this is the result of the match of this log, or if it is open, its settlement.
    pub fn follows_from(&self, log: &MatchLog) -> bool {
        match self.is_open {
            false => self.agrees_with(log),
            true => log
                .settled_like(self)
                .is_some_and(|settled| settled.past == *self),
        }
    }

    /// This end, without these seats in the next match.
    fn with(self, without: Vec<Seat>) -> Self {
        Past { without, ..self }
    }

    /// The result of a match that is over, as the header of a match of these players names it.
    pub(crate) fn before(self, players: &[Fingerprint]) -> Self {
        if self.is_open {
            return self;
        }
        let plays = |seat: &Seat| {
            let of_seat = self.player(*seat);
            of_seat.is_some_and(|(player, _)| players.contains(&player))
        };
        let without = Seat::all(self.seats).filter(|seat| !plays(seat)).collect();
        self.with(without)
    }

    /// The entry of a player.
    pub fn member(&self, player: Fingerprint) -> Option<&Member> {
        self.players.iter().find(|member| member.player == player)
    }

    /// The order of the players of the next match, from its host `host` on: a key to sort them by. The
    /// players of this match keep their order. All others sit to the left of the last big blind.
    pub fn place_after(&self, host: Fingerprint, player: Fingerprint) -> (usize, bool) {
        let (seats, last) = (self.seats, self.blinds.last.index());
        let mut first = 0;
        let mut place = (last, true);
        for (seat, member) in self.players.iter().take(seats).enumerate() {
            if member.player == host {
                first = seat;
            }
            if member.player == player {
                place = (seat, false);
            }
        }
        ((place.0 + seats - first) % seats, place.1)
    }

    /// The blinds before the first hand of the next match. If the player who had the last big blind is
    /// not there, that blind counts as one of the nearest player to the right.
    pub(super) fn blinds_in(&self, of: &Match) -> Option<Blinds> {
        let seat_of = |seat: Seat| {
            let (player, _) = self.player(seat)?;
            let found = of.fingerprints().position(|other| other == player)?;
            Some(Seat::new(found as u8))
        };
        let last = self.blinds.last.next(self.seats).around(self.seats);
        Some(Blinds {
            last: last.filter_map(seat_of).last()?,
            waits: self.blinds.waits.iter().filter_map(seat_of).collect(),
        })
    }

    /// The player at a seat of the match, with the chips at its end.
    pub fn player(&self, seat: Seat) -> Option<(Fingerprint, u64)> {
        let mut seated = self.players.iter().take(self.seats);
        let member = seated.nth(seat.index())?;
        Some((member.player, member.chips))
    }

    /// The seats of the match that are in the next one.
    pub fn remaining(&self) -> impl Iterator<Item = Seat> {
        Seat::all(self.seats).filter(|seat| !self.without.contains(seat))
    }

    pub(super) fn is_valid(&self) -> bool {
        let players = &self.players;
        let is_seat = |seat: Seat| seat.index() < self.seats;
        let twice = |at: usize| {
            let mut before = players[..at].iter();
            before.any(|other| other.player == players[at].player)
        };
        let sum = |of: fn(&Member) -> u64| {
            let mut numbers = players.iter().map(of);
            numbers.try_fold(0u64, |sum, chips| sum.checked_add(chips))
        };
        let chips = sum(|member| member.chips);
        (1..=Self::MOST).contains(&players.len())
            && !(0..players.len()).any(twice)
            && chips.is_some_and(|chips| chips <= Self::MAX_CHIPS)
            && chips == sum(|member| member.bought)
            && (2..=MAX_SEATS.min(players.len())).contains(&self.seats)
            && is_seat(self.blinds.last)
            && self.blinds.waits.iter().all(is_seat)
            && self.without.iter().copied().all(is_seat)
            && self.remaining().next().is_some()
            && (!self.is_open || self.seats > 2 && !self.without.is_empty())
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        writer.raw(self.match_id.as_bytes());
        writer.u64(self.steps).raw(&self.hash);
        writer.bools(&[self.is_open]);
        let without: SeatSet = self.without.iter().copied().collect();
        writer.u16(without.mask()).u8(self.blinds.last.number());
        writer.u16(self.blinds.waits.mask()).u8(self.seats as u8);
        writer.u8(self.players.len() as u8);
        for member in &self.players {
            writer.raw(&member.player.encode());
            writer.u64(member.chips).u64(member.bought);
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let match_id = MatchId::new(reader.array()?);
        let (steps, hash) = (reader.u64()?, reader.array()?);
        let (is_open, without) = (reader.bool()?, SeatSet::of_mask(reader.u16()?));
        let blinds = Blinds {
            last: Seat::new(reader.u8()?),
            waits: SeatSet::of_mask(reader.u16()?),
        };
        let seats = usize::from(reader.u8()?);
        let mut players = Vec::new();
        for _ in 0..reader.u8()? {
            players.push(Member {
                player: Fingerprint::decode(reader.array()?).ok_or(Malformed)?,
                chips: reader.u64()?,
                bought: reader.u64()?,
            });
        }
        let past = Past {
            match_id,
            steps,
            hash,
            is_open,
            without: without.iter().collect(),
            blinds,
            seats,
            players,
        };
        past.is_valid().then_some(past).ok_or(Malformed)
    }
}

impl MatchLog {
    /// The list after this match, or as far as it has been played.
    pub fn members(&self) -> Vec<Member> {
        let bought = self
            .standing(self.counted_steps())
            .map(|standing| standing.bought);
        let stacks = match self.phase() {
            Phase::Over(_) | Phase::Result(_) => self.final_stacks(),
            _ => self.state().undecided(),
        };
        let ends = stacks.into_iter().zip(bought.unwrap_or_default());
        Past::list(self.match_info(), ends)
    }

    /// Whether a player has signed a part in this match.
    pub fn has_part_of(&self, player: Fingerprint) -> bool {
        self.parts_of(player).next().is_some()
    }

    /// Whether a player has opened a card in this match.
    pub fn has_opened(&self, player: Fingerprint) -> bool {
        self.parts_of(player).any(SignedPart::opens_cards)
    }

    /// Whether this log has a part of a seat that opens cards, even if a roll call has made it void.
    pub(crate) fn has_opening_of(&self, seat: Seat) -> bool {
        let mut parts = (0..=self.step()).filter_map(|step| self.part(step, seat));
        parts.any(SignedPart::opens_cards)
    }

    /// Whether cards were opened in a complete step.
    pub fn has_open_cards(&self) -> bool {
        let now = self.step();
        let mut parts = self.history(0).take_while(|part| part.step < now);
        parts.any(SignedPart::opens_cards)
    }

    fn parts_of(&self, player: Fingerprint) -> impl Iterator<Item = &SignedPart> {
        let seat = self
            .match_info()
            .fingerprints()
            .position(|other| other == player);
        self.history(0)
            .filter(move |part| Some(part.seat.index()) == seat)
    }

    /// The seats that are gone after this result of the log: they have left, or were removed or convicted.
    pub(crate) fn gone_after(&self, past: &Past) -> Vec<Seat> {
        let Some(standing) = self.standing(past.steps) else {
            return Seat::all(past.seats).collect();
        };
        let mut gone = [standing.gone, standing.left].concat();
        gone.extend(self.convictions().seats(past.steps));
        if let Phase::Over(End::Stopped(stops)) = self.phase() {
            gone.extend(stops.iter().map(|(seat, _)| *seat));
        }
        gone
    }

    /// The chips that each seat has signed to buy after this result of the log.
    pub(crate) fn signed_buys(&self, past: &Past) -> Vec<u64> {
        let standing = self.standing(past.steps);
        standing.map_or_else(|| vec![0; past.seats], |standing| standing.buys)
    }
}
