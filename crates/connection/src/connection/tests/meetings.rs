//! Meetings of two sides joined in memory.

use std::io::ErrorKind;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::super::error::MeetingError;
use super::super::invite::Invite;
use super::super::invites::Invites;
use super::super::meeting::{Credentials, Established, Meeting, Step};
use super::super::prelude::Prelude;
use super::super::{again, first};
use crate::identity::{Identity, Name};
use crate::storage::MemoryVault;

const DEADLINE: Duration = Duration::from_secs(10);
const PRELUDE_DEADLINE: Duration = Duration::from_secs(1);

/// Two players, and an invite of the first one.
pub(super) struct Players {
    pub(super) identities: [Arc<Identity>; 2],
    names: [Name; 2],
    invites: Arc<Mutex<Invites>>,
    pub(super) invite: Invite,
}

impl Players {
    pub(super) fn new() -> Self {
        let mut invites = Invites::open(Box::<MemoryVault>::default()).unwrap();
        let identities = [1, 2].map(|seed| Arc::new(Identity::from_seed([seed; 32])));
        let invite = invites.invite(identities[0].public(), Vec::new(), None);
        Players {
            invite: invite.unwrap(),
            identities,
            names: ["Anna", "Bob"].map(Name::clean),
            invites: Arc::new(Mutex::new(invites)),
        }
    }

    pub(super) fn own(&self, index: usize) -> Credentials {
        Credentials {
            identity: Arc::clone(&self.identities[index]),
            name: self.names[index].clone(),
        }
    }

    /// The meetings of the host and of the guest, by the invite or as known peers.
    pub(super) fn meetings(&self, by_invite: bool) -> [Meeting; 2] {
        let rng = &mut rand::rng();
        let [host, guest] = [self.own(0), self.own(1)];
        let first = if by_invite {
            first::as_guest(guest.clone(), self.invite.clone(), rng)
        } else {
            again::as_guest(guest.clone(), host.identity.public().clone(), rng)
        };
        let (invites, header) = (Arc::clone(&self.invites), b"header".to_vec());
        let greeted = move |prelude| match prelude {
            Prelude::First(id) => first::as_host(host, id, invites, header, &mut rand::rng()),
            Prelude::Again { .. } => {
                let peer = guest.identity.public().clone();
                again::as_host(host, peer, prelude, header, &mut rand::rng())
            }
        };
        [
            Meeting::host(Step::prelude(greeted), [PRELUDE_DEADLINE, DEADLINE]),
            Meeting::guest(first.unwrap(), DEADLINE),
        ]
    }
}

/// Passes bytes in chunks until no side sends more. `pass` changes the bytes of one message. Returns
/// the results of the host and the guest.
pub(super) fn run(
    meetings: &mut [Meeting; 2],
    chunk: usize,
    mut pass: impl FnMut(usize, Vec<u8>) -> Vec<u8>,
) -> [Option<Result<Established, MeetingError>>; 2] {
    let mut results = [None, None];
    for number in 0..8 {
        let from = (number + 1) % 2;
        let bytes = pass(number, meetings[from].outgoing());
        for mut part in bytes.chunks(chunk) {
            while !part.is_empty() && results[1 - from].is_none() {
                let met = meetings[1 - from].received(&mut part, Duration::ZERO);
                results[1 - from] = met.transpose();
            }
        }
    }
    results
}

#[test]
fn sides_meet_in_chunks_of_any_size() {
    let players = Players::new();
    for by_invite in [true, false] {
        for chunk in [1, 3, 10_000] {
            let mut meetings = players.meetings(by_invite);
            let results = run(&mut meetings, chunk, |_, bytes| bytes);
            let [host, guest] = results.map(|met| met.unwrap().unwrap().0);
            assert_eq!(host.handshake_hash, guest.handshake_hash);
            assert_eq!(host.nonces, guest.nonces);
            assert_eq!(guest.header, b"header");
            assert_eq!(
                [host.peer_name, guest.peer_name],
                ["Bob", "Anna"].map(Name::clean)
            );
            assert_eq!(&host.peer, players.identities[1].public());
            assert_eq!(&guest.peer, players.identities[0].public());
        }
    }
}

#[test]
fn bytes_after_the_meeting_are_left_for_the_connection() {
    let players = Players::new();
    // By invite, the guest sends the last message; a known peer receives it.
    for (by_invite, last) in [(true, 4), (false, 3)] {
        let mut meetings = players.meetings(by_invite);
        let mut final_bytes = Vec::new();
        let results = run(&mut meetings, 10_000, |number, bytes| {
            if number < last {
                return bytes;
            }
            final_bytes.extend(bytes);
            Vec::new()
        });
        let receiver = usize::from(!by_invite);
        assert!(results[receiver].is_none() && results[1 - receiver].is_some());
        final_bytes.extend(b"frames");
        let mut rest = &final_bytes[..];
        let met = meetings[receiver].received(&mut rest, Duration::ZERO);
        assert!(met.unwrap().is_some());
        assert_eq!(rest, b"frames");
    }
}

#[test]
fn meeting_that_is_cut_at_any_byte_fails_at_its_deadline() {
    let players = Players::new();
    for by_invite in [true, false] {
        let mut lens = Vec::new();
        run(&mut players.meetings(by_invite), 10_000, |_, bytes| {
            lens.push(bytes.len());
            bytes
        });
        for (last, len) in lens.into_iter().enumerate() {
            for cut in (0..len).step_by(len / 9 + 1) {
                let mut meetings = players.meetings(by_invite);
                let results = run(&mut meetings, 10_000, |number, mut bytes| {
                    bytes.truncate(match number.cmp(&last) {
                        std::cmp::Ordering::Less => usize::MAX,
                        std::cmp::Ordering::Equal => cut,
                        std::cmp::Ordering::Greater => 0,
                    });
                    bytes
                });
                let receiver = last % 2;
                assert!(results[receiver].is_none(), "{last} {cut}");
                let meeting = &mut meetings[receiver];
                let prelude = if by_invite { 14 } else { 38 };
                let deadline = if last == 0 && cut < prelude {
                    PRELUDE_DEADLINE
                } else {
                    DEADLINE
                };
                assert_eq!(meeting.deadline(), deadline, "{last} {cut}");
                // Bytes that trickle do not move the deadline.
                let late = meeting.received(&mut &[0][..], deadline).err().unwrap();
                match late {
                    MeetingError::NotAnswered => assert!(receiver == 1 && last == 1),
                    MeetingError::Connection(error) => {
                        assert_eq!(error.kind(), ErrorKind::TimedOut);
                    }
                    error => panic!("{error}"),
                }
            }
        }
    }
}
