//! Invites: one line of text with which a guest finds a host and proves that it was invited.
//!
//! An invite is `dealerless2-` and base32 text that encodes the host's X25519 key, a one-time
//! secret, addresses in order of preference, an optional relay, and a checksum. The checksum
//! detects *mistyped* invites. A wrong secret is only detected in the meeting. The 2 is the
//! protocol version of the connection.

use std::fmt;
use std::str::FromStr;

use rand::CryptoRng;
use zeroize::Zeroizing;

use super::prelude::VERSION;
use crate::hash::Hash;
use crate::identity::pasted::{BadText, Kind};
use crate::identity::{Address, is_x25519_key};
use crate::wire::{Malformed, Reader, Writer};

const KIND: Kind = Kind {
    word: "dealerless",
    shown: "dealerless",
    version: (b'0' + VERSION) as char,
    checksum: "invite checksum",
    max_len: 16 << 10,
};
/// The maximum number of addresses in an invite.
pub(super) const MAX_ADDRESSES: usize = 8;

/// The secret of an invite. The invite belongs to the first guest that proves to know the secret.
#[derive(Clone)]
pub(crate) struct InviteSecret(pub(super) Zeroizing<[u8; 32]>);

/// Identifies an invite: a hash of the secret, which does not reveal it.
pub type InviteId = [u8; 8];

impl InviteSecret {
    pub(crate) fn new(rng: &mut impl CryptoRng) -> Self {
        let mut secret = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *secret);
        InviteSecret(secret)
    }

    pub(crate) fn id(&self) -> InviteId {
        let hash = Hash::new("invite id").field(&*self.0).finish();
        *hash.first_chunk().expect("the hash has 32 bytes")
    }

    /// The token by which both players find each other at a relay.
    pub(crate) fn relay_token(&self) -> [u8; 32] {
        Hash::new("relay").field(&*self.0).finish()
    }
}

/// An invite.
#[derive(Clone)]
pub struct Invite {
    pub(crate) host_key: [u8; 32],
    pub(crate) secret: InviteSecret,
    addresses: Vec<Address>,
    relay: Option<Address>,
}

/// The text is not an invite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadInvite {
    /// The text does not contain the prefix of an invite, `dealerless`.
    #[error("this is not an invite: an invite starts with dealerless2-")]
    NoInvite,
    /// The invite was made by a program of another version.
    #[error("this invite was made by a program of another version")]
    OtherVersion,
    /// A character is wrong, or the end of the text is missing.
    #[error("the invite is mistyped or truncated: copy it again")]
    Mistyped,
    /// The checksum is correct, but the contents are not valid.
    #[error("the contents of the invite are not valid")]
    Contents,
}

impl Invite {
    pub(crate) fn new(
        host_key: [u8; 32],
        secret: InviteSecret,
        addresses: Vec<Address>,
        relay: Option<Address>,
    ) -> Self {
        let addresses = addresses.into_iter().take(MAX_ADDRESSES).collect();
        Invite {
            host_key,
            secret,
            addresses,
            relay,
        }
    }

    /// The addresses of the host, the preferred ones first.
    pub fn addresses(&self) -> &[Address] {
        &self.addresses
    }

    /// The relay at which the host waits, if there is one.
    pub fn relay(&self) -> Option<&Address> {
        self.relay.as_ref()
    }

    /// The same invite, with this relay in place of its own.
    #[must_use]
    pub fn at_relay(&self, relay: Option<Address>) -> Self {
        Invite {
            relay,
            ..self.clone()
        }
    }

    pub(super) fn encode(&self) -> Zeroizing<Vec<u8>> {
        let mut writer = Writer::default();
        writer.raw(&self.host_key).raw(&*self.secret.0);
        writer
            .u8(self.addresses.len() as u8)
            .u8(self.relay.is_some().into());
        for address in self.addresses.iter().chain(&self.relay) {
            address.write(&mut writer);
        }
        Zeroizing::new(writer.finish())
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let host_key = reader.array()?;
        let secret = InviteSecret(Zeroizing::new(reader.array()?));
        let count = usize::from(reader.u8()?);
        let has_relay = reader.bool()?;
        if !is_x25519_key(&host_key) || count > MAX_ADDRESSES {
            return Err(Malformed);
        }
        let addresses = (0..count)
            .map(|_| Address::read(&mut reader))
            .collect::<Result<_, _>>()?;
        let relay = has_relay.then(|| Address::read(&mut reader)).transpose()?;
        reader.finish()?;
        Ok(Invite {
            host_key,
            secret,
            addresses,
            relay,
        })
    }
}

impl fmt::Display for Invite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&KIND.write(&self.encode()))
    }
}

impl fmt::Debug for Invite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invite")
            .field("addresses", &self.addresses)
            .field("relay", &self.relay)
            .finish_non_exhaustive()
    }
}

impl FromStr for Invite {
    type Err = BadInvite;

    fn from_str(text: &str) -> Result<Self, BadInvite> {
        let contents = KIND.read(text).map_err(|bad| match bad {
            BadText::NotThisKind => BadInvite::NoInvite,
            BadText::OtherVersion => BadInvite::OtherVersion,
            BadText::Mistyped => BadInvite::Mistyped,
        })?;
        Self::decode(&contents).map_err(|Malformed| BadInvite::Contents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Identity;

    fn invite() -> Invite {
        let key = *Identity::from_seed([1; 32]).public().x25519();
        let secret = InviteSecret(Zeroizing::new([9; 32]));
        let texts = [
            "198.51.100.7:4000",
            "[2001:db8::7]:4000",
            "table.example.org:1",
        ];
        let addresses = texts.map(|text| text.parse().unwrap()).to_vec();
        Invite::new(
            key,
            secret,
            addresses,
            Some("relay.example:4001".parse().unwrap()),
        )
    }

    #[test]
    fn an_invite_survives_reformatting_by_chats() {
        let text = invite().to_string();
        assert!(
            text.bytes()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-')
        );
        let wrapped: Vec<&str> = (0..text.len())
            .step_by(40)
            .map(|i| &text[i..text.len().min(i + 40)])
            .collect();
        for changed in [
            format!(" {text}\r\n"),
            format!("“{text}”"),
            format!("> {}", wrapped.join("\n> ")),
            format!("**`{}`**", wrapped.join(" \u{200b}")),
            format!("dealerless join {text}"),
            text.to_uppercase(),
        ] {
            let read: Invite = changed.parse().unwrap();
            assert_eq!(read.to_string(), text);
            assert_eq!(read.addresses(), invite().addresses());
            assert_eq!(read.relay(), invite().relay());
        }
    }

    #[test]
    fn mistyped_invites_other_texts_and_other_versions_are_distinguished() {
        let text = invite().to_string();
        for at in 12..text.len() {
            let other = if text.as_bytes()[at] == b'7' {
                "8"
            } else {
                "7"
            };
            let mut wrong = text.clone();
            wrong.replace_range(at..=at, other);
            assert_eq!(wrong.parse::<Invite>().unwrap_err(), BadInvite::Mistyped);
            assert_eq!(
                text[..at].parse::<Invite>().unwrap_err(),
                BadInvite::Mistyped
            );
        }
        let error = |text: &str| text.parse::<Invite>().unwrap_err();
        assert_eq!(
            error(&text.replace("less2", "less1")),
            BadInvite::OtherVersion
        );
        assert_eq!(error("hello"), BadInvite::NoInvite);
        assert_eq!(error("dealerless"), BadInvite::NoInvite);
        assert_eq!(error(&"a".repeat(20 << 10)), BadInvite::NoInvite);
        assert_eq!(error(&format!("{text}u")), BadInvite::Mistyped);
    }

    #[test]
    fn an_invite_with_a_weak_key_or_too_many_addresses_is_refused() {
        let mut wrong = invite();
        wrong.host_key = [0; 32];
        assert_eq!(
            wrong.to_string().parse::<Invite>().unwrap_err(),
            BadInvite::Contents
        );
        let mut wrong = invite();
        wrong.addresses = vec!["1.2.3.4:5".parse().unwrap(); MAX_ADDRESSES + 1];
        assert_eq!(
            wrong.to_string().parse::<Invite>().unwrap_err(),
            BadInvite::Contents
        );
    }

    #[test]
    fn debug_output_shows_no_secret() {
        assert!(!format!("{:?}", invite()).contains("9, 9"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_handled_and_valid_contents_round_trip(text: String, contents: Vec<u8>) {
            let _ = text.parse::<Invite>();
            let whole = KIND.write(&contents);
            if let Ok(invite) = whole.parse::<Invite>() {
                proptest::prop_assert_eq!(invite.to_string(), whole.to_string());
            }
        }
    }
}
