//! The match that a match continues: its players keep their chips, and the button moves on.

use dealerless::verifiable::MAX_SEATS;
use dealerless_connection::identity::Fingerprint;
use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::header::DeckTerms;
use super::match_log::MatchLog;
use super::phase::Phase;
use super::players::{Match, MatchId, Player};
use crate::rules::Stakes;
use crate::seat::Seat;

/// The previous match at a table of several seats, as the header of the next match names it. Each
/// player of the previous match compares it with [`Past::of`] its own log, or with
/// [`MatchLog::agrees_to`] if the match is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Past {
    /// The id of the previous match.
    pub match_id: MatchId,
    /// The number of its complete steps.
    pub steps: u64,
    /// The hash of these steps.
    pub hash: [u8; 32],
    /// The seats without which the match was settled, in order: they were absent, or had left before.
    /// Empty if the match is over.
    pub without: Vec<Seat>,
    /// The seat that had the button in its last hand with a result.
    pub button: Option<Seat>,
    /// The number of players of the previous match. They are the first ones of `players`.
    pub seats: usize,
    /// The players with their chips at the end: those of the previous match in order of the seats,
    /// then the absent players of earlier matches who still have chips.
    pub players: Vec<(Fingerprint, u64)>,
}

/// The encoded button if no hand has a result.
const NO_BUTTON: u8 = u8::MAX;

impl Past {
    /// The maximum number of players.
    const MOST: usize = 32;
    /// The maximum number of chips of all players, so that rebuys cannot overflow the sum.
    const MAX_CHIPS: u64 = Stakes::MAX_STACK * Stakes::MAX_HANDS as u64;
    /// The maximum length of an encoding in bytes.
    pub(super) const MAX_LEN: usize =
        32 + 8 + 32 + 2 + 1 + 1 + 1 + Self::MOST * (Fingerprint::LEN + 8);

    /// The match of this log, as the header of the next match names it. `None` if the match is not
    /// over or has a sealed deck, if the others went on without the owner of the log, or if too many
    /// players have chips.
    pub fn of(log: &MatchLog) -> Option<Self> {
        let is_over = matches!(log.phase(), Phase::Over(_));
        let end = || (log.counted_steps(), log.final_stacks(), log.last_button());
        is_over.then(|| Self::ended(log, Vec::new(), end()))?
    }

    /// The match of this log, which ends after `steps` with these chips and this last button, without
    /// these seats.
    pub(super) fn ended(
        log: &MatchLog,
        without: Vec<Seat>,
        (steps, stacks, button): (u64, Vec<u64>, Option<Seat>),
    ) -> Option<Self> {
        let of = log.match_info();
        if !matches!(of.header().deck, DeckTerms::Verifiable(_)) || log.is_removed() {
            return None;
        }
        let fingerprint = |player: &Player| player.identity.fingerprint();
        let seated = of.players().iter().map(fingerprint);
        let mut players: Vec<_> = seated.zip(stacks).collect();
        let before = of.header().past.iter().flat_map(|past| &past.players);
        for away in before.filter(|(_, chips)| *chips > 0) {
            if players.iter().all(|(player, _)| *player != away.0) {
                players.push(*away);
            }
        }
        let past = Past {
            match_id: of.id(),
            steps,
            hash: log.hash_before(steps)?,
            without,
            button,
            seats: of.seats(),
            players,
        };
        past.is_valid().then_some(past)
    }

    /// Whether this can be the end of the match of this log. If the others have removed the owner of the
    /// log and went on, the log does not have the end: then the owner must have at least the chips that
    /// it had not bet in this log. They can be more, because its last bet can be void.
    pub fn agrees_with(&self, log: &MatchLog) -> bool {
        if !log.is_removed() {
            return Past::of(log).as_ref() == Some(self);
        }
        let (of, owner) = (log.match_info(), log.owner());
        let own = of.players()[owner.index()].identity.fingerprint();
        let stacks = log
            .game()
            .map_or_else(|| log.stacks().to_vec(), |game| game.stacks());
        let chips = stacks[owner.index()];
        let has_chips = |player: &(Fingerprint, u64)| player.0 == own && player.1 >= chips;
        self.match_id == of.id() && self.players.iter().any(has_chips)
    }

    /// The chips that a player brings from the previous match, if there are any.
    pub(super) fn chips_of(&self, player: Fingerprint) -> Option<u64> {
        let found = self.players.iter().find(|(other, _)| *other == player);
        found.map(|(_, chips)| *chips).filter(|chips| *chips > 0)
    }

    /// The place of a player who sits to the left of the host `host`, if everybody keeps the seat
    /// that they had. Players who were not there come last.
    pub fn place_after(&self, host: Fingerprint, player: Fingerprint) -> usize {
        let place = |of| self.players.iter().position(|(other, _)| *other == of);
        match place(player) {
            Some(found) => {
                let count = self.players.len();
                (found + count - place(host).unwrap_or(0)) % count
            }
            None => usize::MAX,
        }
    }

    /// The seat of the next match that counts as the last one with the button: that of the player
    /// who had it, or of the nearest player to the right who is still there.
    pub(super) fn last_button(&self, of: &Match) -> Option<Seat> {
        let seat = |player: Fingerprint| {
            let mut seats = Seat::all(of.seats()).zip(of.players());
            let found = seats.find(|(_, other)| other.identity.fingerprint() == player);
            found.map(|(seat, _)| seat)
        };
        let (right, left) = self.players.split_at(self.button?.index() + 1);
        let mut from_the_button = right.iter().rev().chain(left.iter().rev());
        from_the_button.find_map(|(player, _)| seat(*player))
    }

    /// The player at a seat of the previous match, with the chips at its end.
    pub fn player(&self, seat: Seat) -> Option<(Fingerprint, u64)> {
        let mut seated = self.players.iter().take(self.seats);
        seated.nth(seat.index()).copied()
    }

    /// The seats of the previous match that are not lost.
    pub fn remaining(&self) -> impl Iterator<Item = Seat> {
        Seat::all(self.seats).filter(|seat| !self.without.contains(seat))
    }

    fn is_valid(&self) -> bool {
        let players = &self.players;
        let settles = match self.without.is_empty() {
            true => true,
            false => self.seats > 2 && self.remaining().count() >= 2,
        };
        let twice = |at: usize| {
            players[..at]
                .iter()
                .any(|(other, _)| *other == players[at].0)
        };
        let chips = (players.iter()).try_fold(0u64, |sum, (_, chips)| sum.checked_add(*chips));
        (1..=Self::MOST).contains(&players.len())
            && !(0..players.len()).any(twice)
            && chips.is_some_and(|chips| chips <= Self::MAX_CHIPS)
            && (2..=MAX_SEATS.min(players.len())).contains(&self.seats)
            && self.button.is_none_or(|button| button.index() < self.seats)
            && self.without.iter().all(|seat| seat.index() < self.seats)
            && settles
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        let button = self.button.map_or(NO_BUTTON, Seat::number);
        let without = self
            .without
            .iter()
            .fold(0, |mask, seat| mask | 1 << seat.number());
        writer.raw(self.match_id.as_bytes());
        writer.u64(self.steps).raw(&self.hash);
        writer.u16(without).u8(button).u8(self.seats as u8);
        writer.u8(self.players.len() as u8);
        for (player, chips) in &self.players {
            writer.raw(&player.encode()).u64(*chips);
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let match_id = MatchId::new(reader.array()?);
        let (steps, hash) = (reader.u64()?, reader.array()?);
        let without = reader.u16()?;
        let button = Some(reader.u8()?).filter(|&button| button != NO_BUTTON);
        let seats = usize::from(reader.u8()?);
        let mut players = Vec::new();
        for _ in 0..reader.u8()? {
            let player = Fingerprint::decode(reader.array()?).ok_or(Malformed)?;
            players.push((player, reader.u64()?));
        }
        let past = Past {
            match_id,
            steps,
            hash,
            without: Seat::all(u16::BITS as usize)
                .filter(|seat| without & 1 << seat.number() != 0)
                .collect(),
            button: button.map(Seat::new),
            seats,
            players,
        };
        past.is_valid().then_some(past).ok_or(Malformed)
    }
}
