//! Tests of identities and successions: the statement, following a peer, the files and the vaults.

mod following;
mod moved;
mod moving;
mod statement;
mod vaults;

use super::{Identity, Name, PublicIdentity, Succession};

fn identity(seed: u8) -> Identity {
    Identity::from_seed([seed; 32])
}

fn public(seed: u8) -> PublicIdentity {
    identity(seed).public().clone()
}

/// The identity of the last seed. The identity of each seed has succeeded the identity of the
/// previous seed.
fn heir(seeds: impl IntoIterator<Item = u8>) -> Identity {
    let mut seeds = seeds.into_iter().map(identity);
    let first = seeds.next().expect("at least one seed");
    seeds.fold(first, |old, new| {
        let succession = Succession::new(&old, &new).expect("different keys");
        new.having_succeeded(succession)
            .expect("its own succession")
    })
}

fn chain(seeds: impl IntoIterator<Item = u8>) -> Succession {
    heir(seeds).succession().clone()
}

fn bob() -> Name {
    Name::clean("Bob")
}

/// An identity with the signing key of one identity and the connection key of another.
fn half(ed25519: u8, x25519: u8) -> PublicIdentity {
    let (one, other) = (identity(ed25519), identity(x25519));
    let proof = one.sign("identity", &[other.public().x25519()]);
    PublicIdentity::own(*one.public().ed25519(), *other.public().x25519(), proof)
}
