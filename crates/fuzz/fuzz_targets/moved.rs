//! A player who has moved from machine to machine.

use dealerless_connection::identity::{Home, OldIdentity, Succession};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// The succession of a player with `moves` old identities.
pub fn chain(moves: usize) -> Succession {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let open = |number: usize| {
        // Each run uses the same identities.
        let rng = &mut StdRng::from_seed([100 + number as u8; 32]);
        let home = Home::open(&folder.path().join(number.to_string()), None, rng);
        home.expect("cannot create an identity")
    };
    drop(open(0));
    for number in 0..moves {
        let old = OldIdentity::open(&folder.path().join(number.to_string()));
        let done = old
            .expect("the folder is not in use")
            .be_succeeded(open(number + 1));
        done.expect("the folder is writable");
    }
    open(moves).identity().succession().clone()
}
