//! One line of text that brings two players together.
//!
//! `dealerless1-` and base32: the host's X25519 key, a one-time secret, addresses in order of
//! preference, a relay, and a checksum. Chats wrap and quote, so white space, quotes and signs of
//! quoting are passed over. The checksum says *mistyped*; a wrong secret is another matter.

use std::fmt;
use std::str::FromStr;

use rand::CryptoRng;
use zeroize::Zeroizing;

use crate::hash::Hash;
use crate::identity::{Address, base32, is_x25519_key};
use crate::wire::{Malformed, Reader, Writer};

const PREFIX: &str = "dealerless";
const VERSION: char = '1';
const MAX_ADDRESSES: usize = 8;
/// Longer than any invite, with a sign of quoting in each of its lines.
const MAX_TEXT: usize = 16 << 10;

/// The secret of an invite, which lets in one guest.
#[derive(Clone)]
pub(crate) struct InviteSecret(pub(super) Zeroizing<[u8; 32]>);

/// What the prelude calls an invite: a hash, which tells nothing of the secret.
pub(crate) type InviteId = [u8; 8];

impl InviteSecret {
    pub(crate) fn new(rng: &mut impl CryptoRng) -> Self {
        let mut secret = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *secret);
        InviteSecret(secret)
    }

    pub(crate) fn id(&self) -> InviteId {
        let hash = Hash::new("invite id").field(&*self.0).finish();
        *hash.first_chunk().expect("32 bytes")
    }

    /// The word by which both find each other at a relay.
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

/// A text is no invite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadInvite {
    /// It does not begin as one.
    #[error("this is no invite: an invite begins with dealerless1-")]
    NoInvite,
    /// A newer program made it.
    #[error("a program of another version made this invite")]
    OtherVersion,
    /// A character is wrong, or the end is missing.
    #[error("the invite is mistyped or cut: copy it again")]
    Mistyped,
    /// It is whole, and no honest program makes one like it.
    #[error("no honest program makes such an invite")]
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

    /// Where the host can be reached, the best first.
    pub fn addresses(&self) -> &[Address] {
        &self.addresses
    }

    /// The relay at which the host waits too.
    pub fn relay(&self) -> Option<&Address> {
        self.relay.as_ref()
    }

    fn encode(&self) -> Zeroizing<Vec<u8>> {
        let mut writer = Writer::default();
        writer.raw(&self.host_key).raw(&*self.secret.0);
        writer
            .u8(self.addresses.len() as u8)
            .u8(self.relay.is_some().into());
        for address in self.addresses.iter().chain(&self.relay) {
            writer.string(address.to_string().as_bytes());
        }
        let mut bytes = Zeroizing::new(writer.finish());
        let sum = checksum(&bytes);
        bytes.extend_from_slice(&sum);
        bytes
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let host_key = reader.array()?;
        let secret = InviteSecret(Zeroizing::new(reader.array()?));
        let count = usize::from(reader.u8()?);
        let relays = reader.u8()?;
        if !is_x25519_key(&host_key) || count > MAX_ADDRESSES || relays > 1 {
            return Err(Malformed);
        }
        let address = |reader: &mut Reader| -> Result<Address, Malformed> {
            let text = std::str::from_utf8(reader.string(Address::MAX_LEN)?);
            let text = text.map_err(|_| Malformed)?;
            let address: Address = text.parse().map_err(|_| Malformed)?;
            (address.to_string() == text)
                .then_some(address)
                .ok_or(Malformed)
        };
        let addresses = (0..count)
            .map(|_| address(&mut reader))
            .collect::<Result<_, _>>()?;
        let relay = (relays == 1).then(|| address(&mut reader)).transpose()?;
        reader.finish()?;
        Ok(Invite {
            host_key,
            secret,
            addresses,
            relay,
        })
    }
}

fn checksum(bytes: &[u8]) -> [u8; 4] {
    let hash = Hash::new("invite checksum").field(bytes).finish();
    *hash.first_chunk().expect("32 bytes")
}

impl fmt::Display for Invite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Zeroizing::new(base32::encode(&self.encode()));
        write!(f, "{PREFIX}{VERSION}-{}", *text)
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
        if text.len() > MAX_TEXT {
            return Err(BadInvite::NoInvite);
        }
        let kept = text.chars().filter(|&c| !is_from_a_chat(c));
        let text = Zeroizing::new(kept.collect::<String>().to_ascii_lowercase());
        // The alphabet of the rest has no `l`: this is the only place.
        let (_, rest) = text.rsplit_once(PREFIX).ok_or(BadInvite::NoInvite)?;
        let rest = match rest.strip_prefix(VERSION) {
            Some(rest) => rest,
            None if rest.starts_with(|c: char| c.is_ascii_digit()) => {
                return Err(BadInvite::OtherVersion);
            }
            None => return Err(BadInvite::NoInvite),
        };
        let bytes = Zeroizing::new(base32::decode(rest).ok_or(BadInvite::Mistyped)?);
        let (contents, sum) = bytes.split_last_chunk().ok_or(BadInvite::Mistyped)?;
        if checksum(contents) != *sum {
            return Err(BadInvite::Mistyped);
        }
        Self::decode(contents).map_err(|Malformed| BadInvite::Contents)
    }
}

/// What chats put between and around the characters of a line.
fn is_from_a_chat(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(
            c,
            '-' | '>' | '<' | '|' | '"' | '\'' | '`' | '*' | '_' | '.' | ','
        )
        || matches!(c, '«' | '»' | '‹' | '›' | '\u{2018}'..='\u{201f}')
        || matches!(
            c,
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
        )
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
    fn an_invite_survives_what_chats_do_to_it() {
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
    fn typing_mistakes_are_told_from_other_texts_and_other_versions() {
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
            error(&text.replace("less1", "less2")),
            BadInvite::OtherVersion
        );
        assert_eq!(error("hello"), BadInvite::NoInvite);
        assert_eq!(error("dealerless"), BadInvite::NoInvite);
        assert_eq!(error(&"a".repeat(20 << 10)), BadInvite::NoInvite);
        assert_eq!(error(&format!("{text}u")), BadInvite::Mistyped);
    }

    #[test]
    fn an_invite_with_a_key_of_small_order_or_too_much_in_it_is_refused() {
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
    fn a_printed_invite_shows_no_secret() {
        assert!(!format!("{:?}", invite()).contains("9, 9"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic_and_whole_contents_come_back(text: String, contents: Vec<u8>) {
            let _ = text.parse::<Invite>();
            let sum = checksum(&contents);
            let whole = base32::encode(&[&contents[..], &sum].concat());
            if let Ok(invite) = format!("dealerless1-{whole}").parse::<Invite>() {
                proptest::prop_assert_eq!(invite.to_string(), format!("dealerless1-{whole}"));
            }
        }
    }
}
