//! Somebody who has moved from machine to machine.

use dealerless_table::{Home, OldIdentity, Succession, system_rng};

/// The chain of a player with so many old identities.
pub fn chain(moves: usize) -> Succession {
    let folder = tempfile::tempdir().expect("a folder");
    let open = |number: usize| {
        let home = Home::open(&folder.path().join(number.to_string()), &mut system_rng());
        home.expect("a new identity")
    };
    drop(open(0));
    for number in 0..moves {
        let old = OldIdentity::open(&folder.path().join(number.to_string()));
        let done = old.expect("nobody plays").be_succeeded(open(number + 1));
        done.expect("a folder of our own");
    }
    open(moves).identity().succession().clone()
}
