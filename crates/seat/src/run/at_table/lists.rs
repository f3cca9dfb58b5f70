//! The list of the players of the next match: how its proposer makes it, and what a member checks.

use dealerless_connection::identity::{Fingerprint, Name, PublicIdentity};
use dealerless_table::Seat;
use dealerless_table::log::{Past, Player};
use dealerless_table::play::{GuestAddresses, Roster};

use super::AtTable;
use crate::run::gathering::Gathering;
use crate::run::handover::Refusal;
use crate::run::own::Own;
use crate::run::world::SeatWorld;

/// A player in a list.
struct Entry {
    player: Player,
    name: Name,
    addresses: GuestAddresses,
    buy: u64,
    is_member: bool,
}

impl<W: SeatWorld> AtTable<W> {
    /// The list that this player proposes: these members, and the newcomers who are ready. `None` if they cannot play a
    /// match of the table.
    pub(super) fn proposed_list(
        &self,
        own: &Own<W>,
        members: &[Fingerprint],
        waiting: Option<&Gathering<W::Sockets>>,
    ) -> Option<Roster> {
        let between = self.between.as_ref()?;
        let this = own.identity.public();
        let buy_of = |player: &PublicIdentity| between.buys.get(&player.fingerprint()).copied();
        let mut entries = vec![Entry {
            player: Player {
                identity: this.clone(),
                nonce: between.handover.nonce(),
            },
            name: own.name.clone(),
            addresses: self.reach.addresses.clone(),
            buy: buy_of(this)?,
            is_member: true,
        }];
        for other in self.seat.iter().flat_map(|seat| seat.others()) {
            let fingerprint = other.identity.fingerprint();
            if let Some(ready) = between.handover.ready_of(fingerprint)
                && members.contains(&fingerprint)
            {
                entries.push(Entry {
                    player: Player {
                        identity: other.identity.clone(),
                        nonce: ready.nonce,
                    },
                    name: other.name.clone(),
                    addresses: ready.addresses.clone(),
                    buy: buy_of(&other.identity)?,
                    is_member: true,
                });
            }
        }
        for (connection, ready) in waiting.iter().flat_map(|waiting| waiting.ready()) {
            let (peer, name) = (&connection.met.peer, &connection.met.peer_name);
            let mut listed = entries.iter().map(|entry| &entry.player.identity);
            if listed.any(|other| other.shares_a_key_with(peer)) {
                continue;
            }
            let member = between.past.as_ref();
            let member = member.and_then(|past| past.member(peer.fingerprint()));
            let fits = |buy: &u64| self.terms.allows_buy(member, *buy);
            // A player who returns may not know its chips. A player who has some buys none.
            let has_chips = member.is_some_and(|member| member.chips > 0);
            let asked = if has_chips { 0 } else { ready.buy };
            let Some(buy) = Some(buy_of(peer).unwrap_or(asked)).filter(fits) else {
                continue;
            };
            entries.push(Entry {
                player: Player {
                    identity: peer.clone(),
                    nonce: ready.nonce,
                },
                name: name.clone(),
                addresses: ready.addresses.clone(),
                buy,
                is_member: false,
            });
        }
        entries.truncate(self.terms.stakes.seats());
        loop {
            if let Some(list) = self.signed_list(own, &entries) {
                return Some(list);
            }
            // The list of the table may be full.
            entries.pop_if(|entry| !entry.is_member)?;
        }
    }

    /// The signed list of these players, in the order of the seats that follows from the result.
    fn signed_list(&self, own: &Own<W>, entries: &[Entry]) -> Option<Roster> {
        let between = self.between.as_ref()?;
        let mut entries: Vec<&Entry> = entries.iter().collect();
        let host = own.identity.public().fingerprint();
        if let Some(past) = &between.past {
            let place =
                |entry: &&Entry| past.place_after(host, entry.player.identity.fingerprint());
            entries.sort_by_key(place);
        }
        let players = entries.iter().map(|entry| entry.player.clone());
        let players: Vec<Player> = players.collect();
        let buys = entries.iter().map(|entry| entry.buy).collect();
        let number = between.handover.number();
        let fingerprints = players.iter().map(|player| player.identity.fingerprint());
        let past = self.past_for(&fingerprints.collect::<Vec<_>>())?;
        let header = self.terms.header_of(&players, past, number, buys);
        let names = entries.iter().map(|entry| entry.name.clone());
        let addresses = entries.iter().map(|entry| entry.addresses.clone());
        let (names, addresses) = (names.collect(), addresses.collect());
        let list = Roster::sign(&own.identity, header.ok()?, players, names, addresses);
        let sitting = list.sitting(own.identity.public(), &between.handover.nonce());
        sitting.is_ok().then_some(list)
    }

    /// The result before a match of these players, `Some(None)` before the first match. An open match is settled without the
    /// seats that have not left and are not among these players. `None` if that settlement is not allowed.
    fn past_for(&self, players: &[Fingerprint]) -> Option<Option<Past>> {
        let between = self.between.as_ref()?;
        let past = match &between.past {
            Some(past) if past.is_open => past,
            past => return Some(past.clone()),
        };
        let seat = self.seat.as_ref()?;
        let gone = seat.log().gone();
        let is_out = |place: &Seat| {
            let player = past.player(*place).map(|(player, _)| player);
            !gone.contains(place) && player.is_none_or(|player| !players.contains(&player))
        };
        let out: Vec<Seat> = Seat::all(past.seats).filter(is_out).collect();
        seat.settled_without(&out).map(|settled| Some(settled.past))
    }

    /// Checks a list against this player's log and the terms (S1 to S5, S12, S14).
    ///
    /// # Errors
    /// If this player must not sign in its match.
    pub(super) fn check(&mut self, own: &Own<W>, list: &Roster) -> Result<(), Refusal> {
        let players = list.players.iter();
        let players: Vec<Fingerprint> = players
            .map(|player| player.identity.fingerprint())
            .collect();
        let at = list.header.table.as_ref().ok_or(Refusal::Terms)?;
        if let Some(between) = &mut self.between {
            between.handover.check(at.number, &players)?;
        }
        let between = self.between.as_ref().ok_or(Refusal::Terms)?;
        let buys = players.iter().zip(&at.buys).map(|(player, buy)| {
            let signed = between
                .buys
                .get(player)
                .filter(|_| between.handover.is_member(*player));
            *signed.unwrap_or(buy)
        });
        let past = self.past_for(&players).ok_or(Refusal::Terms)?;
        let expected = (self.terms).header_of(&list.players, past, at.number, buys.collect());
        let is_mine = list.sitting(own.identity.public(), &between.handover.nonce());
        let is_allowed = self.terms.allow(&list.header, &list.players);
        match expected.as_ref() == Ok(&list.header) && is_allowed && is_mine.is_ok() {
            true => Ok(()),
            false => Err(Refusal::Terms),
        }
    }
}
