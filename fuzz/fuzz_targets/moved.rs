//! Somebody who has moved from machine to machine.

use dealerless_table::identity::{Home, OldIdentity, Succession};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// The chain of a player with so many old identities.
pub fn chain(moves: usize) -> Succession {
    let folder = tempfile::tempdir().expect("a folder");
    let open = |number: usize| {
        // The same identities in each run.
        let rng = &mut StdRng::from_seed([100 + number as u8; 32]);
        let home = Home::open(&folder.path().join(number.to_string()), None, rng);
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
