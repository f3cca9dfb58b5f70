//! Identities that succeed each other: the statement, who follows, and the files.

mod following;
mod moving;
mod statement;

use super::{Identity, Name, PublicIdentity, Succession};

fn identity(seed: u8) -> Identity {
    Identity::from_seed([seed; 32])
}

fn public(seed: u8) -> PublicIdentity {
    identity(seed).public().clone()
}

/// The last of these identities, each of which has succeeded the one before.
fn heir(seeds: impl IntoIterator<Item = u8>) -> Identity {
    let mut seeds = seeds.into_iter().map(identity);
    let first = seeds.next().expect("somebody begins");
    seeds.fold(first, |old, new| {
        let succession = Succession::new(&old, &new).expect("they share no key");
        new.having_succeeded(succession).expect("its own")
    })
}

fn chain(seeds: impl IntoIterator<Item = u8>) -> Succession {
    heir(seeds).succession().clone()
}

fn bob() -> Name {
    Name::clean("Bob")
}

/// An identity with the signing key of one and the line's key of another: both faces of one person.
fn half(ed25519: u8, x25519: u8) -> PublicIdentity {
    let (one, other) = (identity(ed25519), identity(x25519));
    let proof = one.sign("identity", &[other.public().x25519()]);
    PublicIdentity::own(*one.public().ed25519(), *other.public().x25519(), proof)
}
