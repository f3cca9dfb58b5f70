//! Counting what a peer could have tried to cheat in.
//!
//! Each key of a peer is counted by itself, over all identities in which it was seen, and the
//! larger count holds: with a new key beside an old one nobody begins anew.
//!
//! **On disk** stands a number that is never too small: the attempts that did not end well, and the
//! most that were under way at once. It is written before an attempt begins, and an attempt that
//! ended well leaves its mark for the next one, so a session costs one write for its first attempt
//! and one when it is over, not one for each. After a crash the marks stay: an attempt that may have
//! ended well then counts as one that did not.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dealerless::mpc::{Attempt, Attempts};

use super::known_peers::{KnownPeers, PeersError};
use super::peer::Peer;
use super::public::PublicIdentity;

/// How many attempts a peer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    allowed_bits: u8,
    ask_after: u32,
}

impl Budget {
    /// 2^`allowed_bits` attempts in all, at most 2^32.
    pub(crate) fn new(allowed_bits: u8) -> Self {
        let allowed_bits = allowed_bits.min(32);
        Budget {
            allowed_bits,
            ask_after: 8,
        }
    }

    /// Attempts in all.
    pub(crate) fn allowed(self) -> u64 {
        1 << self.allowed_bits
    }

    /// The statistical security of one attempt, in bits, so that all of them together have 40.
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
    /// It may.
    Fine,
    /// Not before its user has said so: whoever can cut lines drives the first number.
    Ask {
        /// Attempts that did not end well, one after the other.
        in_a_row: u32,
        /// Checks that only a cheat fails.
        failed_checks: u32,
    },
    /// Not before its user has said `forgive`: the budget is spent.
    Refuse {
        /// Attempts that did not end well.
        attempts: u64,
    },
}

impl KnownPeers {
    /// The attempts that count against these keys.
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

    /// Whether to play with these keys.
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

    /// Forgives the attempts of these keys. Each time that a whole budget is forgiven doubles what
    /// a cheat can try: it costs a bit of the 40.
    ///
    /// # Errors
    /// If the peer is not known, or the file cannot be written.
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

/// Known peers that several threads use.
#[derive(Clone, Debug)]
pub struct SharedPeers(Arc<Mutex<KnownPeers>>);

impl SharedPeers {
    /// Shares them.
    pub(super) fn new(peers: KnownPeers) -> Self {
        SharedPeers(Arc::new(Mutex::new(peers)))
    }

    /// Waits until no other thread uses them.
    pub fn lock(&self) -> MutexGuard<'_, KnownPeers> {
        // A change is on disk or undone: after a panic the list is as good as before.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the attempts of a session with a known peer, which begins.
    ///
    /// # Errors
    /// [`PeersError::Unknown`].
    pub fn counted(&self, peer: &PublicIdentity) -> Result<Box<dyn Attempts>, PeersError> {
        Ok(Box::new(CountedAttempts::new(
            self,
            peer,
            Budget::default(),
        )?))
    }
}

/// Counts the attempts of one engine session in the list of known peers. There is one session at a
/// time with one peer.
struct CountedAttempts {
    peers: SharedPeers,
    peer: PublicIdentity,
    budget: Budget,
    /// What did not end well, of this session and all before.
    lost: u64,
    lost_in_a_row: u32,
    under_way: u32,
}

impl CountedAttempts {
    /// A session with a known peer begins.
    ///
    /// # Errors
    /// [`PeersError::Unknown`].
    fn new(peers: &SharedPeers, peer: &PublicIdentity, budget: Budget) -> Result<Self, PeersError> {
        let known = peers.lock().get(peer).ok_or(PeersError::Unknown)?.clone();
        Ok(CountedAttempts {
            peers: peers.clone(),
            peer: peer.clone(),
            budget,
            lost: known.attempts,
            lost_in_a_row: known.in_a_row,
            under_way: 0,
        })
    }

    /// Writes the counts, if the disk does not hold enough of them, or with `exactly` if it holds
    /// others.
    fn write(&self, exactly: bool) -> io::Result<()> {
        let mut peers = self.peers.lock();
        let attempts = self.lost.saturating_add(self.under_way.into());
        let in_a_row = self.lost_in_a_row.saturating_add(self.under_way);
        let known = peers.get(&self.peer).ok_or(io::ErrorKind::NotFound)?;
        let more = attempts.saturating_sub(known.attempts);
        let in_all = peers.attempts(&self.peer).saturating_add(more);
        if !exactly && in_all > self.budget.allowed() {
            return Err(io::Error::other("the peer's budget of attempts is spent"));
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
        self.under_way += 1;
        self.write(false).inspect_err(|_| self.under_way -= 1)
    }

    fn ends_well(&mut self, _: Attempt) {
        self.under_way = self.under_way.saturating_sub(1);
        // The row ends on disk at once, if it was one: otherwise some crashes, each after an
        // attempt that ended well, would look like attempts in a row.
        if std::mem::take(&mut self.lost_in_a_row) > 0 {
            // Should it fail, the disk says too many.
            let _ = self.write(true);
        }
    }
}

impl Drop for CountedAttempts {
    /// What is under way has not ended well; what has, is taken back on disk.
    fn drop(&mut self) {
        // Should it fail, the disk says too many.
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

        /// Attempts in all and in a row, as a new process would read them.
        fn on_disk(&self) -> (u64, u32) {
            let home = Home::open(self.0.path(), None, &mut rand::rng()).unwrap();
            let peers = home.list_of_peers().unwrap();
            let peer = peers.get(&public(2)).unwrap();
            (peer.attempts, peer.in_a_row)
        }
    }

    #[test]
    fn an_attempt_is_on_disk_before_it_begins_and_gone_after_a_session_that_ended_well() {
        let place = PeersFolder::new();
        let mut session = place.session();
        for attempt in [Attempt::Setup, Attempt::Batch, Attempt::Run] {
            session.begins(attempt).unwrap();
            assert_eq!(place.on_disk(), (1, 1));
            session.ends_well(attempt);
        }
        session.begins(Attempt::Batch).unwrap();
        session.begins(Attempt::Run).unwrap();
        assert_eq!(place.on_disk(), (2, 2));
        session.ends_well(Attempt::Run);
        session.ends_well(Attempt::Batch);
        drop(session);
        assert_eq!(place.on_disk(), (0, 0));
    }

    #[test]
    fn what_does_not_end_well_stays_and_a_crash_counts_as_one() {
        let place = PeersFolder::new();
        for lost in 1..=3 {
            place.session().begins(Attempt::Setup).unwrap();
            assert_eq!(place.on_disk(), (lost, lost as u32));
        }
        let mut session = place.session();
        session.begins(Attempt::Setup).unwrap();
        session.ends_well(Attempt::Setup);
        assert_eq!(place.on_disk(), (3, 0));
        session.begins(Attempt::Run).unwrap();
        session.ends_well(Attempt::Run);
        std::mem::forget(session);
        assert_eq!(place.on_disk(), (4, 1));
    }

    #[test]
    fn after_eight_in_a_row_the_user_is_asked_and_beyond_the_budget_it_is_refused() {
        let place = PeersFolder::new();
        let standing = || place.1.lock().standing_within(&public(2), BUDGET);
        for lost in 0..16 {
            match standing() {
                Standing::Fine => assert!(lost < 8),
                Standing::Ask { in_a_row, .. } => assert!(lost >= 8 && in_a_row == lost),
                Standing::Refuse { .. } => panic!("{lost}"),
            }
            place.session().begins(Attempt::Run).unwrap();
        }
        assert_eq!(standing(), Standing::Refuse { attempts: 16 });
        assert!(place.session().begins(Attempt::Run).is_err());
        assert_eq!(place.on_disk(), (16, 16));
        place.1.lock().forgive(&public(2)).unwrap();
        assert_eq!(standing(), Standing::Fine);
        assert_eq!(place.1.lock().get(&public(2)).unwrap().forgiven, 1);
        place.session().begins(Attempt::Run).unwrap();
    }

    #[test]
    fn a_new_key_beside_an_old_one_does_not_begin_anew() {
        let place = PeersFolder::new();
        place.session().begins(Attempt::Run).unwrap();
        let (two, three) = (Identity::from_seed([2; 32]), public(3));
        let proof = two.sign("identity", &[three.x25519()]);
        let keys = [&two.public().ed25519()[..], three.x25519(), &proof].concat();
        let half = PublicIdentity::decode(&keys).unwrap();
        place
            .1
            .lock()
            .remember(&half, &Name::clean("Eve"), &[], None)
            .unwrap();
        assert_eq!(place.1.lock().attempts(&half), 1);
        CountedAttempts::new(&place.1, &half, BUDGET)
            .unwrap()
            .begins(Attempt::Run)
            .unwrap();
        assert_eq!(place.1.lock().attempts(&public(2)), 2);
        assert_eq!(place.1.lock().attempts(&three), 1);
    }

    #[test]
    fn a_failed_check_asks_the_user() {
        let place = PeersFolder::new();
        place.1.lock().count_failed_check(&public(2)).unwrap();
        let asked = place.1.lock().standing_within(&public(2), BUDGET);
        assert_eq!(
            asked,
            Standing::Ask {
                in_a_row: 0,
                failed_checks: 1
            }
        );
    }

    #[test]
    fn rho_leaves_forty_bits_for_all_attempts_together() {
        assert_eq!(Budget::default().rho(), 56);
        assert_eq!(Budget::default().allowed(), 65_536);
    }
}
