//! Identities: the player's own keys, the keys of other players, and the list of known peers.

mod address;
mod attempts;
pub(crate) mod base32;
mod fingerprint;
#[cfg(not(target_family = "wasm"))]
mod home;
#[cfg(not(target_family = "wasm"))]
mod identity_file;
mod kept_identity;
mod keys;
mod known_peers;
mod moved;
mod name;
#[cfg(not(target_family = "wasm"))]
mod old_identity;
pub(crate) mod pasted;
mod peer;
mod public;
mod recognise;
mod succession;
#[cfg(test)]
mod tests;

pub use address::{Address, BadAddress};
#[cfg(feature = "internals")]
pub use attempts::Budget;
pub use attempts::{SharedPeers, Standing};
pub use fingerprint::Fingerprint;
#[cfg(not(target_family = "wasm"))]
pub use home::{Home, HomeError, lock_settings};
pub use kept_identity::{
    CannotSucceed, IdentityError, IdentityVaults, Kept, KeptIdentity, Left, NewPlayer,
};
pub use keys::Identity;
pub(crate) use keys::PairSecret;
pub use known_peers::{KnownPeers, PeersError};
pub use moved::{MovedIdentity, NotMoved};
pub use name::Name;
#[cfg(not(target_family = "wasm"))]
pub use old_identity::OldIdentity;
pub use peer::Peer;
pub(crate) use public::is_x25519_key;
pub use public::{BadIdentity, PublicIdentity};
pub use recognise::Recognised;
pub use succession::{BadSuccession, Succession};
