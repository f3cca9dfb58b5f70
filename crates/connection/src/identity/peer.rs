//! A known peer and its line in the file of known peers.

use super::address::Address;
use super::base32;
use super::name::Name;
use super::public::PublicIdentity;

/// A known peer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Peer {
    /// The current keys.
    pub identity: PublicIdentity,
    /// The past keys of the peer, the oldest first. A peer that still uses them is refused.
    pub before: Vec<PublicIdentity>,
    /// The name under which the peer is remembered.
    pub name: Name,
    /// The number of completed hands with this peer.
    pub hands: u64,
    /// The number of attempts that failed, or have started and not ended.
    pub attempts: u64,
    /// The number of these attempts since the last successful one.
    pub in_a_row: u32,
    /// How often the user has reset the attempts with `forgive`.
    pub forgiven: u32,
    /// The number of failed checks that only a cheating peer or a broken machine fails.
    pub failed_checks: u32,
    /// Whether the user has blocked the peer.
    pub blocked: bool,
    /// The time of the last contact, in seconds since 1970.
    pub last_seen: u64,
    /// The addresses at which the peer was reached, the latest first.
    pub addresses: Vec<Address>,
    /// The relay over which the peer was reached.
    pub relay: Option<Address>,
}

impl Peer {
    /// The maximum number of addresses of a peer.
    pub(super) const MAX_ADDRESSES: usize = 8;
    /// The maximum number of past keys of a peer. Older ones are dropped.
    pub(super) const MAX_BEFORE: usize = 16;

    pub(super) fn new(identity: PublicIdentity, name: Name) -> Self {
        Peer {
            identity,
            before: Vec::new(),
            name,
            hands: 0,
            attempts: 0,
            in_a_row: 0,
            forgiven: 0,
            failed_checks: 0,
            blocked: false,
            last_seen: 0,
            addresses: Vec::new(),
            relay: None,
        }
    }

    /// The past keys, the oldest first, followed by the current keys.
    pub(super) fn all_keys(&self) -> impl Iterator<Item = &PublicIdentity> {
        self.before.iter().chain([&self.identity])
    }

    /// The keys of this peer that have directly succeeded `old`. `None` if they are not known.
    pub(super) fn successor_of(&self, old: &PublicIdentity) -> Option<&PublicIdentity> {
        self.all_keys().skip_while(|keys| *keys != old).nth(1)
    }

    /// Adds the counts of another entry of the same person. The result is blocked if one of the two
    /// entries is blocked.
    pub(super) fn add_counts(&mut self, other: &Peer) {
        self.hands = self.hands.saturating_add(other.hands);
        self.attempts = self.attempts.saturating_add(other.attempts);
        self.in_a_row = self.in_a_row.saturating_add(other.in_a_row);
        self.forgiven = self.forgiven.saturating_add(other.forgiven);
        self.failed_checks = self.failed_checks.saturating_add(other.failed_checks);
        self.blocked |= other.blocked;
        self.last_seen = self.last_seen.max(other.last_seen);
    }

    /// Puts the addresses in `first` before the known ones, without duplicates.
    pub(super) fn add_addresses(&mut self, first: &[Address]) {
        let older = self.addresses.iter();
        let older = older.filter(|address| !first.contains(address));
        let all = first.iter().chain(older).cloned();
        self.addresses = all.take(Self::MAX_ADDRESSES).collect();
    }
}

/// The number of characters of an encoded identity.
const KEYS_LEN: usize = (PublicIdentity::LEN * 8).div_ceil(5);
/// The maximum length of a line: eight addresses, a relay, the keys, older keys, a name and the
/// counts.
const MAX_LEN: usize = 10 * (Address::MAX_LEN + 1) + Peer::MAX_BEFORE * (KEYS_LEN + 1) + 1024;

/// Encodes a peer as a line, without the line break.
pub(super) fn text_of(peer: &Peer) -> String {
    let listed: Vec<String> = peer.addresses.iter().map(Address::to_string).collect();
    let relay = peer.relay.as_ref().map(Address::to_string);
    let keys = |keys: &PublicIdentity| base32::encode(&keys.encode());
    let before: Vec<String> = peer.before.iter().map(keys).collect();
    let before = if before.is_empty() {
        String::new()
    } else {
        format!("before={} ", before.join(","))
    };
    let blocked = if peer.blocked { "blocked=yes " } else { "" };
    format!(
        "hands={} attempts={} in_a_row={} forgiven={} failed_checks={} seen={} at={} relay={} \
         {blocked}{before}keys={} name={}",
        peer.hands,
        peer.attempts,
        peer.in_a_row,
        peer.forgiven,
        peer.failed_checks,
        peer.last_seen,
        listed.join(","),
        relay.unwrap_or_default(),
        keys(&peer.identity),
        peer.name.as_str(),
    )
}

/// Decodes a line. `None` if it is not an output of [`text_of`].
pub(super) fn peer_in(line: &str) -> Option<Peer> {
    if line.len() > MAX_LEN {
        return None;
    }
    let mut rest = line;
    let mut word = |key: &str| {
        let word = rest.strip_prefix(key)?.strip_prefix('=')?;
        // The name comes last and may contain spaces.
        let (word, after) = match key {
            "name" => (word, ""),
            _ => word.split_once(' ')?,
        };
        rest = after;
        Some(word)
    };
    let hands = word("hands")?.parse().ok()?;
    let attempts = word("attempts")?.parse().ok()?;
    let in_a_row = word("in_a_row")?.parse().ok()?;
    let forgiven = word("forgiven")?.parse().ok()?;
    let failed_checks = word("failed_checks")?.parse().ok()?;
    let last_seen = word("seen")?.parse().ok()?;
    let addresses = word("at")?.split(',').filter(|text| !text.is_empty());
    let addresses: Option<Vec<Address>> = addresses.map(|text| text.parse().ok()).collect();
    let addresses = addresses?;
    let relay = match word("relay")? {
        "" => None,
        text => Some(text.parse().ok()?),
    };
    let keys = |text: &str| PublicIdentity::decode(&base32::decode(text)?).ok();
    let blocked = word("blocked").is_some();
    let before = word("before").unwrap_or_default().split(',');
    let before: Option<Vec<_>> = before.filter(|text| !text.is_empty()).map(keys).collect();
    let peer = Peer {
        before: before?,
        identity: keys(word("keys")?)?,
        name: Name::clean(word("name")?),
        hands,
        attempts,
        in_a_row,
        forgiven,
        failed_checks,
        blocked,
        last_seen,
        addresses,
        relay,
    };
    let short =
        peer.addresses.len() <= Peer::MAX_ADDRESSES && peer.before.len() <= Peer::MAX_BEFORE;
    (short && text_of(&peer) == line).then_some(peer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Identity;

    fn peer() -> Peer {
        let mut peer = Peer::new(
            Identity::from_seed([5; 32]).public().clone(),
            Name::clean("B. C"),
        );
        (peer.hands, peer.attempts, peer.in_a_row, peer.last_seen) = (7, 3, 2, 1_800_000_000);
        peer.addresses = vec!["1.2.3.4:5".parse().unwrap(), "[::1]:6".parse().unwrap()];
        peer.relay = Some("relay.example:4001".parse().unwrap());
        peer
    }

    #[test]
    fn lines_round_trip() {
        let mut peer = peer();
        assert_eq!(peer_in(&text_of(&peer)), Some(peer.clone()));
        (peer.addresses, peer.relay) = (vec![], None);
        assert_eq!(peer_in(&text_of(&peer)), Some(peer.clone()));
        let old = |seed| Identity::from_seed([seed; 32]).public().clone();
        peer.before = (6..6 + Peer::MAX_BEFORE as u8).map(old).collect();
        assert_eq!(peer_in(&text_of(&peer)), Some(peer.clone()));
        peer.blocked = true;
        assert_eq!(peer_in(&text_of(&peer)), Some(peer.clone()));
        peer.before.push(old(99));
        assert_eq!(peer_in(&text_of(&peer)), None);
    }

    #[test]
    fn truncated_or_non_canonical_lines_are_refused() {
        let line = text_of(&peer());
        let name = line.find(" name=").unwrap();
        for end in (0..name + 6).filter(|&end| line.is_char_boundary(end)) {
            assert_eq!(peer_in(&line[..end]), None, "{end}");
        }
        for (from, to) in [
            ("hands=7", "hands=+7"),
            ("hands=7", "hands=07"),
            ("attempts=3", "attempts=-3"),
            ("hands=7", "hands=18446744073709551616"),
            (" at=", " at=,"),
            ("keys=", "keys=0"),
            ("keys=", "before= keys="),
            ("keys=", "blocked= keys="),
            ("keys=", "blocked=no keys="),
            ("keys=", "before=0 keys="),
            ("name=", "name= "),
            ("name=", "name=\u{202e}"),
            ("attempts", "atempts"),
        ] {
            assert_eq!(peer_in(&line.replacen(from, to, 1)), None, "{to}");
        }
        let crowd = ["1.2.3.4:5"; 9].join(",");
        assert_eq!(peer_in(&line.replacen("1.2.3.4:5", &crowd, 1)), None);
    }

    proptest::proptest! {
        #[test]
        fn a_modified_line_never_panics_or_reads_as_another_line(
            at in 0usize..500,
            text in ".{0,8}",
        ) {
            let mut line = text_of(&peer());
            let at = at.min(line.len());
            line.insert_str(at, &text);
            if let Some(peer) = peer_in(&line) {
                proptest::prop_assert_eq!(text_of(&peer), line);
            }
        }
    }
}
