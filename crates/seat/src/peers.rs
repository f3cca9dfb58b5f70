//! What a player is told and asked about the other players, and what is counted about them.

use std::fmt::Display;

use dealerless::Blame;
use dealerless_connection::identity::{
    Address, Fingerprint, KnownPeers, Name, PeersError, PublicIdentity, Recognised, SharedPeers,
    Standing, Succession,
};
use dealerless_connection::{InviteId, SecondGuest};
use dealerless_table::play::PlayError;

use crate::event::Event;
use crate::words::counted;

/// The error about a player whom this side's player has blocked.
pub const BLOCKED: &str =
    "you have blocked this player; to play with them again, run: dealerless peers unblock NAME";

/// The further players who came with each used invite of a host.
pub struct Leaks {
    /// The known peers, for their names.
    peers: SharedPeers,
    /// The invite that a second player used last is the last.
    invites: Vec<(InviteId, Vec<PublicIdentity>)>,
}

impl Leaks {
    /// The maximum number of players of an invite whom the host is told of: anybody can make new keys.
    const MOST: usize = 16;
    /// The maximum number of invites. A further one replaces the oldest one.
    const MOST_INVITES: usize = 32;

    /// No players yet.
    pub fn new(peers: SharedPeers) -> Self {
        let invites = Vec::new();
        Leaks { peers, invites }
    }

    /// Notice to the host that another guest came with a used invite. `None` if there is nothing new: each
    /// player is reported once for an invite, and the first one with an explanation.
    pub fn notice(&mut self, met: &SecondGuest) -> Option<String> {
        let SecondGuest {
            invite,
            first,
            second,
            name,
        } = met;
        let known = self.invites.iter().position(|(id, _)| id == invite);
        let index = known.unwrap_or_else(|| {
            if self.invites.len() == Self::MOST_INVITES {
                self.invites.remove(0);
            }
            self.invites.push((*invite, Vec::new()));
            self.invites.len() - 1
        });
        let players = &mut self.invites[index].1;
        if players.len() > Self::MOST || players.contains(second) {
            return None;
        }
        players.push(second.clone());
        let second = format!("{name} ({})", second.fingerprint());
        Some(match players.len() {
            1 => {
                let peers = self.peers.lock();
                let name = peers.get(first).map(|peer| &peer.name);
                let name = name.map_or_else(|| "a player".to_owned(), Name::to_string);
                format!(
                    "A second player used the invite and was turned away: {second}. It belongs to {name} ({}), \
                     who came first. If both are you or your friend, on two devices, nothing is wrong. \
                     Otherwise somebody else has the invite: compare fingerprints.",
                    first.fingerprint()
                )
            }
            2..=Self::MOST => {
                format!("Another player used the invite and was turned away: {second}.")
            }
            _ => "Further players who use this invite are turned away too, and are not shown."
                .to_owned(),
        })
    }
}

/// Notice to the host that a guest was refused because the file of invites cannot be written.
pub fn cannot_burn(error: &impl Display) -> String {
    format!("a guest used the invite, but the file of invites cannot be written: {error}")
}

/// Whether this side's player has blocked these keys.
pub fn is_blocked(peers: &KnownPeers, peer: &PublicIdentity) -> bool {
    peers.get(peer).is_some_and(|peer| peer.blocked)
}

/// Returns the keys of a player, and the keys that they have succeeded. A match with any of them is a
/// match with this player: a player must not get another deal by creating a new identity.
pub fn all_keys(peers: &KnownPeers, peer: &PublicIdentity) -> Vec<PublicIdentity> {
    let before = peers.get(peer).map(|known| known.before.clone());
    [peer.clone()]
        .into_iter()
        .chain(before.unwrap_or_default())
        .collect()
}

/// A peer that has connected and has proved that it holds its keys.
#[derive(Clone, Copy, Debug)]
pub struct MetPeer<'a> {
    /// The keys, and past keys that they have succeeded.
    pub succession: &'a Succession,
    /// The name that the peer chose.
    pub name: &'a Name,
    /// The addresses on which the peer listens, as far as this connection shows them.
    pub addresses: &'a [Address],
    /// The relay at which to meet the peer again.
    pub relay: Option<&'a Address>,
}

/// Looks up a connected peer in the list of known peers, and stores the peer with its addresses and
/// relay. Returns a notice for the player if the keys are new. `own` are the keys of this player.
///
/// # Errors
/// If the peer's keys are not accepted, or the list cannot be written.
pub fn recognise(
    peers: &mut KnownPeers,
    own: &PublicIdentity,
    met: MetPeer<'_>,
) -> Result<Option<String>, PeersError> {
    let MetPeer {
        succession, name, ..
    } = met;
    let peer = succession.current();
    let fingerprint = peer.fingerprint();
    let notice = match peers.recognise(succession, name)? {
        Recognised::Successor { known, name } => {
            // This comes before anything reads the counts of the new keys.
            peers.follow(succession)?;
            Some(format!(
                "{name} has a new identity, signed by the old one, for example on another machine. \
                 The counts of attempts and hands carry over to the new keys. The old keys are \
                 refused from now on.\n  old  {known}\n  now  {fingerprint}"
            ))
        }
        Recognised::OtherKeys { known } => Some(other_keys(name, &known, &fingerprint)),
        Recognised::New => Some(format!(
            "{name} is new here. To be sure who it is, compare fingerprints over another channel:\n  theirs \
             {fingerprint}\n  yours  {}",
            own.fingerprint()
        )),
        _ => None,
    };
    peers.remember(peer, name, met.addresses, met.relay)?;
    // Adds the past keys of a peer that was new until now. They are refused later.
    peers.follow(succession)?;
    Ok(notice)
}

/// Notice that a peer has the name of a known player with other keys.
pub(crate) fn other_keys(name: &Name, known: &Fingerprint, now: &Fingerprint) -> String {
    format!(
        "WARNING: {name} IS KNOWN WITH OTHER KEYS. This may be another machine of the same person, \
         or somebody else using the name. Ask which fingerprint is theirs:\n  known  {known}\n  now    {now}"
    )
}

/// No further engine session with a peer is allowed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotAllowed {
    /// The limit of failed attempts is reached.
    #[error(
        "the limit of failed attempts with {name} is reached ({attempts}). To reset the count, \
         at a small cost in security, run: dealerless peers forgive {fingerprint}"
    )]
    Attempts {
        /// The name of the peer.
        name: Name,
        /// The number of failed attempts.
        attempts: u64,
        /// The fingerprint of the peer.
        fingerprint: Fingerprint,
    },
    /// Another reason.
    #[error("playing with {0} is not allowed")]
    Other(Name),
}

/// The question that the player must answer before another engine session with this peer, or `None`
/// if no answer is needed. `name` is the name that the peer chose.
///
/// # Errors
/// If no further session is allowed.
pub fn question(
    peers: &KnownPeers,
    peer: &PublicIdentity,
    name: &Name,
) -> Result<Option<Event>, NotAllowed> {
    let fingerprint = peer.fingerprint();
    // The name in the list of known peers comes first, because the peer can send any name.
    let name = peers.get(peer).map_or(name, |known| &known.name);
    match peers.standing(peer) {
        Standing::Fine => Ok(None),
        Standing::Ask {
            in_a_row,
            failed_checks,
        } => Ok(Some(Event::AskAgain {
            in_a_row,
            failed_checks,
            message: format!(
                "The last {} with {name} failed, and {} failed: a bad connection, or attempts to \
                 cheat. To reset these counts for good, run: dealerless peers forgive {fingerprint}",
                match in_a_row {
                    1 => "attempt".to_owned(),
                    number => counted(number.into(), "attempt"),
                },
                counted(failed_checks.into(), "check"),
            ),
        })),
        Standing::Refuse { attempts } => Err(NotAllowed::Attempts {
            name: name.clone(),
            attempts,
            fingerprint,
        }),
        _ => Err(NotAllowed::Other(name.clone())),
    }
}

/// After this number of void tries of a hand, the player is asked before each further try.
pub(crate) const MOST_VOID: u32 = 8;

/// The question before another try of a hand, after the peer has declared `tries` tries void.
pub(crate) fn question_of_tries(
    peers: &KnownPeers,
    peer: &PublicIdentity,
    name: &Name,
    tries: u32,
) -> Event {
    Event::AskAgain {
        in_a_row: tries,
        failed_checks: peers.get(peer).map_or(0, |known| known.failed_checks),
        message: format!(
            "{name} has declared {tries} deals of this hand void in a row: a bad connection, or \
             attempts to cheat"
        ),
    }
}

/// Whether this error shows that the peer has failed a check. An honest peer on an encrypted
/// connection does not cause such an error.
pub(crate) fn is_failed_check(error: &PlayError) -> bool {
    error.blame() == Blame::CheatOrConnection
}

/// Counts the `hands` that were completed with the `others`, and a failed check if the match has
/// `failed` by the fault of the peer. With several players, the record names the one at fault, and
/// nothing is counted against them here.
///
/// # Errors
/// If the list of known peers cannot be written.
pub fn count(
    peers: &mut KnownPeers,
    others: &[&PublicIdentity],
    hands: u32,
    failed: bool,
) -> Result<(), PeersError> {
    for other in others.iter().filter(|_| hands > 0) {
        // Guests do not become known peers of each other.
        if peers.get(other).is_some() {
            peers.count_hands(other, hands.into())?;
        }
    }
    if failed && let [other] = others {
        peers.count_failed_check(other)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::slice;

    use dealerless_connection::identity::{Identity, KeptIdentity, NewPlayer};
    use dealerless_connection::storage::MemoryVault;

    use super::*;

    fn identity(seed: u8) -> Identity {
        Identity::from_seed([seed; 32])
    }

    fn known() -> KnownPeers {
        known_to(1)
    }

    fn known_to(own: u8) -> KnownPeers {
        let own = identity(own).public().clone();
        let vault = Box::new(MemoryVault::default());
        KnownPeers::open(vault, Path::new("peers"), own.into(), || 1).unwrap()
    }

    fn meet(peers: &mut KnownPeers, seed: u8, name: &str) -> Result<Option<String>, PeersError> {
        let (peer, name) = (identity(seed), Name::clean(name));
        let met = MetPeer {
            succession: peer.succession(),
            name: &name,
            addresses: &[],
            relay: None,
        };
        recognise(peers, identity(1).public(), met)
    }

    #[test]
    fn notice_about_new_keys_comes_once_and_names_the_fingerprints() {
        let mut peers = known();
        let fingerprint = |seed| identity(seed).public().fingerprint().to_string();
        let new = meet(&mut peers, 2, "Bob").unwrap().unwrap();
        assert!(new.starts_with("Bob is new here."), "{new}");
        assert!(new.contains(&fingerprint(1)) && new.contains(&fingerprint(2)));
        assert_eq!(meet(&mut peers, 2, "Robert").unwrap(), None);
        let other = meet(&mut peers, 3, "bob").unwrap().unwrap();
        assert!(other.starts_with("WARNING: bob IS KNOWN WITH OTHER KEYS."));
        assert!(other.contains(&fingerprint(2)) && other.contains(&fingerprint(3)));
    }

    #[test]
    fn own_keys_and_blocked_players_are_noticed() {
        let mut peers = known();
        let own = meet(&mut peers, 1, "Me");
        assert!(matches!(own, Err(PeersError::Oneself)));
        meet(&mut peers, 2, "Bob").unwrap();
        assert!(!is_blocked(&peers, identity(2).public()));
        peers.block(identity(2).public(), true).unwrap();
        assert!(is_blocked(&peers, identity(2).public()));
        assert!(!is_blocked(&peers, identity(3).public()));
    }

    #[test]
    fn all_keys_of_a_player_include_succeeded_ones() {
        let mut peers = known();
        meet(&mut peers, 2, "Bob").unwrap();
        let [old, new] = [2, 3].map(|seed| identity(seed).public().clone());
        assert_eq!(all_keys(&peers, &old), slice::from_ref(&old));
        assert_eq!(all_keys(&peers, &new), slice::from_ref(&new));
        let succeeded = KeptIdentity {
            identity: identity(2),
            left: None,
        };
        let heir = NewPlayer {
            identity: &identity(3),
            succession: &mut MemoryVault::default(),
            peers: known_to(3),
            has_played: false,
        };
        let moved = succeeded.be_succeeded(&mut MemoryVault::default(), None, heir);
        peers.follow(&moved.unwrap().0).unwrap();
        assert_eq!(all_keys(&peers, &new), [new, old]);
    }

    #[test]
    fn hands_are_counted_only_for_known_players() {
        let mut peers = known();
        meet(&mut peers, 2, "Bob").unwrap();
        let others = [identity(2), identity(3)];
        let others = [others[0].public(), others[1].public()];
        count(&mut peers, &others, 5, false).unwrap();
        assert_eq!(peers.get(others[0]).unwrap().hands, 5);
        assert!(peers.get(others[1]).is_none());
    }

    #[test]
    fn each_further_player_of_an_invite_is_reported_once_and_only_the_first_with_an_explanation() {
        let mut peers = known();
        meet(&mut peers, 201, "Bob").unwrap();
        let mut leaks = Leaks::new(SharedPeers::new(peers));
        let mut notice = |invite, first, second| {
            leaks.notice(&SecondGuest {
                invite: [invite; 8],
                first: identity(first).public().clone(),
                second: identity(second).public().clone(),
                name: Name::clean("Carl"),
            })
        };
        let mut notices = Vec::new();
        for seed in (0..100).chain(0..100) {
            notices.extend(notice(0, 201, seed));
        }
        assert_eq!(notices.len(), Leaks::MOST + 1);
        let [bob, carl] = [201, 0].map(|seed| identity(seed).public().fingerprint());
        let expected = format!(
            "A second player used the invite and was turned away: Carl ({carl}). It belongs to Bob ({bob}), who came first."
        );
        assert!(notices[0].starts_with(&expected), "{}", notices[0]);
        for (seed, notice) in (1..).zip(&notices[1..Leaks::MOST]) {
            let fingerprint = identity(seed).public().fingerprint().to_string();
            assert!(
                notice.contains(&fingerprint) && notice.len() < 100,
                "{notice}"
            );
        }
        assert!(notices[Leaks::MOST].contains("are not shown"));
        // Each other invite has its own explanation. The oldest invite is forgotten.
        for id in 1..=32 {
            let first = notice(id, 202, 0).unwrap();
            assert!(first.contains("It belongs to a player ("), "{first}");
            assert_eq!(notice(id, 202, 0), None);
        }
        assert_eq!(leaks.invites.len(), Leaks::MOST_INVITES);
        assert!(leaks.invites.iter().all(|(id, _)| *id != [0; 8]));
    }
}
