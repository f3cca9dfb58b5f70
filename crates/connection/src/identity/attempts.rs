//! Counts of *attempts* per peer. In each [`Attempt`] of the engine (setup, batch or run), the peer
//! could try to cheat.
//!
//! An identity has two keys. Each key has its own count, the sum over all known identities with
//! this key, and the larger of the two counts applies. So a peer cannot reset its count by
//! combining a new key with an old one.
//!
//! **The count on disk** is never too small: before an attempt starts, it includes all failed
//! attempts and all attempts in progress. When an attempt succeeds, the count on disk is not
//! reduced, so it already includes the next attempt. So a session usually takes one write for its
//! first attempt and one at its end, when the exact count is written. After a crash, an attempt
//! that may have succeeded counts as failed.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dealerless::mpc::{Attempt, Attempts};

use super::known_peers::{KnownPeers, PeersError};
use super::peer::Peer;
use super::public::PublicIdentity;

/// How many attempts a peer is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    allowed_bits: u8,
    /// The number of consecutive failed attempts after which the user is asked.
    ask_after: u32,
}

impl Budget {
    /// Allows 2^`allowed_bits` attempts in total, at most 2^32.
    fn new(allowed_bits: u8) -> Self {
        let allowed_bits = allowed_bits.min(32);
        Budget {
            allowed_bits,
            ask_after: 8,
        }
    }

    /// The total number of allowed attempts.
    fn allowed(self) -> u64 {
        1 << self.allowed_bits
    }

    /// The statistical security of one attempt in bits, chosen so that all attempts together have
    /// 40 bits.
    #[cfg(feature = "internals")]
    pub fn rho(self) -> u8 {
        40 + self.allowed_bits
    }
}

impl Default for Budget {
    fn default() -> Self {
        Budget::new(16)
    }
}

/// Whether the program may play with a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// The program may play with the peer.
    Fine,
    /// The program may only play after the user has agreed. An attacker who can cut connections can
    /// increase `in_a_row`.
    Ask {
        /// The number of consecutive failed attempts.
        in_a_row: u32,
        /// The number of failed checks that only a cheating peer fails.
        failed_checks: u32,
    },
    /// The budget is used up. The program may only play after the user has run `forgive`.
    Refuse {
        /// The number of failed attempts.
        attempts: u64,
    },
}

impl KnownPeers {
    /// The number of attempts that count against these keys.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn attempts(&self, identity: &PublicIdentity) -> u64 {
        let of = |fits: &dyn Fn(&Peer) -> bool| -> u64 {
            let counts = self
                .peers()
                .iter()
                .filter(|peer| fits(peer))
                .map(|peer| peer.attempts);
            counts.fold(0, u64::saturating_add)
        };
        let ed25519 = of(&|peer| peer.identity.ed25519() == identity.ed25519());
        let x25519 = of(&|peer| peer.identity.x25519() == identity.x25519());
        ed25519.max(x25519)
    }

    /// Whether the program may play with the holder of these keys.
    pub fn standing(&self, identity: &PublicIdentity) -> Standing {
        self.standing_within(identity, Budget::default())
    }

    fn standing_within(&self, identity: &PublicIdentity, budget: Budget) -> Standing {
        let attempts = self.attempts(identity);
        let same = || {
            self.peers()
                .iter()
                .filter(|p| p.identity.shares_a_key_with(identity))
        };
        let in_a_row = same().map(|peer| peer.in_a_row).max().unwrap_or(0);
        let failed_checks = same().map(|peer| peer.failed_checks).max().unwrap_or(0);
        if attempts >= budget.allowed() {
            Standing::Refuse { attempts }
        } else if in_a_row >= budget.ask_after || failed_checks > 0 {
            Standing::Ask {
                in_a_row,
                failed_checks,
            }
        } else {
            Standing::Fine
        }
    }

    /// Resets the attempts of these keys. If a whole budget is forgiven, a cheating peer has twice
    /// as many attempts, which costs one of the 40 bits of security.
    ///
    /// # Errors
    /// If the peer is unknown, or the file cannot be written.
    pub fn forgive(&mut self, identity: &PublicIdentity) -> Result<(), PeersError> {
        let same = self.peers().iter().map(|peer| peer.identity.clone());
        let same: Vec<_> = same
            .filter(|other| other.shares_a_key_with(identity))
            .collect();
        if same.is_empty() {
            return Err(PeersError::Unknown);
        }
        same.iter().try_for_each(|identity| {
            self.change(identity, |peer| {
                (peer.attempts, peer.in_a_row, peer.failed_checks) = (0, 0, 0);
                peer.forgiven = peer.forgiven.saturating_add(1);
            })
        })
    }
}

/// The known peers, shared between threads.
#[derive(Clone, Debug)]
pub struct SharedPeers(Arc<Mutex<KnownPeers>>);

impl SharedPeers {
    /// Shares the list between threads.
    pub fn new(peers: KnownPeers) -> Self {
        SharedPeers(Arc::new(Mutex::new(peers)))
    }

    /// Waits until no other thread uses the list.
    pub fn lock(&self) -> MutexGuard<'_, KnownPeers> {
        // A change is either on disk or undone, so the list is still valid after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the counter of attempts for a new engine session with a known peer.
    ///
    /// # Errors
    /// [`PeersError::Unknown`] if the peer is not known.
    pub fn counted(&self, peer: &PublicIdentity) -> Result<Box<dyn Attempts>, PeersError> {
        Ok(Box::new(CountedAttempts::new(
            self,
            peer,
            Budget::default(),
        )?))
    }
}

/// Counts the attempts of one engine session in the list of known peers. There is only one session
/// at a time with a peer.
struct CountedAttempts {
    peers: SharedPeers,
    peer: PublicIdentity,
    budget: Budget,
    /// The failed attempts of earlier sessions.
    lost: u64,
    lost_in_a_row: u32,
    in_progress: u32,
}

impl CountedAttempts {
    /// Starts a session with a known peer.
    ///
    /// # Errors
    /// [`PeersError::Unknown`] if the peer is not known.
    fn new(peers: &SharedPeers, peer: &PublicIdentity, budget: Budget) -> Result<Self, PeersError> {
        let known = peers.lock().get(peer).ok_or(PeersError::Unknown)?.clone();
        Ok(CountedAttempts {
            peers: peers.clone(),
            peer: peer.clone(),
            budget,
            lost: known.attempts,
            lost_in_a_row: known.in_a_row,
            in_progress: 0,
        })
    }

    /// Writes the counts if the counts on disk are too small. With `exactly`, also if they are too
    /// large.
    fn write(&self, exactly: bool) -> io::Result<()> {
        let mut peers = self.peers.lock();
        let attempts = self.lost.saturating_add(self.in_progress.into());
        let in_a_row = self.lost_in_a_row.saturating_add(self.in_progress);
        let known = peers.get(&self.peer).ok_or(io::ErrorKind::NotFound)?;
        let more = attempts.saturating_sub(known.attempts);
        let total = peers.attempts(&self.peer).saturating_add(more);
        if !exactly && total > self.budget.allowed() {
            return Err(io::Error::other("the peer's budget of attempts is used up"));
        }
        let enough = more == 0 && in_a_row <= known.in_a_row;
        let same = (known.attempts, known.in_a_row) == (attempts, in_a_row);
        if if exactly { same } else { enough } {
            return Ok(());
        }
        let changed = peers.change(&self.peer, |peer| {
            (peer.attempts, peer.in_a_row) = (attempts, in_a_row);
        });
        changed.map_err(io::Error::other)
    }
}

impl Attempts for CountedAttempts {
    fn begins(&mut self, _: Attempt) -> io::Result<()> {
        self.in_progress += 1;
        self.write(false).inspect_err(|_| self.in_progress -= 1)
    }

    fn ends_well(&mut self, _: Attempt) {
        self.in_progress = self.in_progress.saturating_sub(1);
        // The success ends a sequence of consecutive failures. This is written at once. Otherwise
        // several crashes, each after a successful attempt, would look like consecutive failures.
        if std::mem::take(&mut self.lost_in_a_row) > 0 {
            // If the write fails, the count on disk stays too large, which is safe.
            let _ = self.write(true);
        }
    }
}

impl Drop for CountedAttempts {
    /// Writes the exact counts. Attempts still in progress count as failed.
    fn drop(&mut self) {
        // If the write fails, the count on disk stays too large, which is safe.
        let _ = self.write(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::{Home, Identity, Name};

    const BUDGET: Budget = Budget {
        allowed_bits: 4,
        ask_after: 8,
    };

    fn public(seed: u8) -> PublicIdentity {
        Identity::from_seed([seed; 32]).public().clone()
    }

    struct PeersFolder(tempfile::TempDir, SharedPeers);

    impl PeersFolder {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let home = Home::open(folder.path(), None, &mut rand::rng()).unwrap();
            let peers = home.known_peers().unwrap();
            (peers.lock())
                .remember(&public(2), &Name::clean("Bob"), &[], None)
                .unwrap();
            PeersFolder(folder, peers)
        }

        fn session(&self) -> CountedAttempts {
            CountedAttempts::new(&self.1, &public(2), BUDGET).unwrap()
        }

        /// The total number of attempts and the number of consecutive ones, as a new process reads
        /// them.
        fn on_disk(&self) -> (u64, u32) {
            let home = Home::open(self.0.path(), None, &mut rand::rng()).unwrap();
            let peers = home.list_of_peers().unwrap();
            let peer = peers.get(&public(2)).unwrap();
            (peer.attempts, peer.in_a_row)
        }
    }

    #[test]
    fn an_attempt_is_on_disk_before_it_starts_until_a_session_succeeds() {
        let folder = PeersFolder::new();
        let mut session = folder.session();
        for attempt in [Attempt::Setup, Attempt::Batch, Attempt::Run] {
            session.begins(attempt).unwrap();
            assert_eq!(folder.on_disk(), (1, 1));
            session.ends_well(attempt);
        }
        session.begins(Attempt::Batch).unwrap();
        session.begins(Attempt::Run).unwrap();
        assert_eq!(folder.on_disk(), (2, 2));
        session.ends_well(Attempt::Run);
        session.ends_well(Attempt::Batch);
        drop(session);
        assert_eq!(folder.on_disk(), (0, 0));
    }

    #[test]
    fn failed_attempts_stay_and_a_crash_counts_as_one() {
        let folder = PeersFolder::new();
        for lost in 1..=3 {
            folder.session().begins(Attempt::Setup).unwrap();
            assert_eq!(folder.on_disk(), (lost, lost as u32));
        }
        let mut session = folder.session();
        session.begins(Attempt::Setup).unwrap();
        session.ends_well(Attempt::Setup);
        assert_eq!(folder.on_disk(), (3, 0));
        session.begins(Attempt::Run).unwrap();
        session.ends_well(Attempt::Run);
        std::mem::forget(session);
        assert_eq!(folder.on_disk(), (4, 1));
    }

    #[test]
    fn eight_consecutive_failures_ask_the_user_and_a_spent_budget_refuses() {
        let folder = PeersFolder::new();
        let standing = || folder.1.lock().standing_within(&public(2), BUDGET);
        for lost in 0..16 {
            match standing() {
                Standing::Fine => assert!(lost < 8),
                Standing::Ask { in_a_row, .. } => assert!(lost >= 8 && in_a_row == lost),
                Standing::Refuse { .. } => panic!("{lost}"),
            }
            folder.session().begins(Attempt::Run).unwrap();
        }
        assert_eq!(standing(), Standing::Refuse { attempts: 16 });
        assert!(folder.session().begins(Attempt::Run).is_err());
        assert_eq!(folder.on_disk(), (16, 16));
        folder.1.lock().forgive(&public(2)).unwrap();
        assert_eq!(standing(), Standing::Fine);
        assert_eq!(folder.1.lock().get(&public(2)).unwrap().forgiven, 1);
        folder.session().begins(Attempt::Run).unwrap();
    }

    #[test]
    fn a_new_key_with_an_old_one_does_not_reset_the_count() {
        let folder = PeersFolder::new();
        folder.session().begins(Attempt::Run).unwrap();
        let (two, three) = (Identity::from_seed([2; 32]), public(3));
        let proof = two.sign("identity", &[three.x25519()]);
        let keys = [&two.public().ed25519()[..], three.x25519(), &proof].concat();
        let half = PublicIdentity::decode(&keys).unwrap();
        folder
            .1
            .lock()
            .remember(&half, &Name::clean("Eve"), &[], None)
            .unwrap();
        assert_eq!(folder.1.lock().attempts(&half), 1);
        CountedAttempts::new(&folder.1, &half, BUDGET)
            .unwrap()
            .begins(Attempt::Run)
            .unwrap();
        assert_eq!(folder.1.lock().attempts(&public(2)), 2);
        assert_eq!(folder.1.lock().attempts(&three), 1);
    }

    #[test]
    fn a_failed_check_asks_the_user() {
        let folder = PeersFolder::new();
        folder.1.lock().count_failed_check(&public(2)).unwrap();
        let asked = folder.1.lock().standing_within(&public(2), BUDGET);
        assert_eq!(
            asked,
            Standing::Ask {
                in_a_row: 0,
                failed_checks: 1
            }
        );
    }

    #[test]
    fn rho_leaves_forty_bits_for_all_attempts() {
        assert_eq!(Budget::default().rho(), 56);
        assert_eq!(Budget::default().allowed(), 65_536);
    }
}
