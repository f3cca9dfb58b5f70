//! The versions of the engine that a match names.

use std::sync::Arc;

use dealerless::net::VERSION;
use dealerless_connection::testing::players::{Player, connection, invite};
use dealerless_table::log::{DeckTerms, Match};
use dealerless_table::play::{CannotBegin, Seating};
use dealerless_table::testing::test_match::{proposal, stakes_of};

#[test]
fn match_with_another_engine_version_is_refused() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let (door, mut header) = (host.door(), proposal(stakes_of(100, 2, 1)).0);
    let _joined = guest.join(&invite(&door)).unwrap();
    let connection = connection(&door);
    let identity = Arc::clone(host.home.identity());
    let own = (identity.public(), &host.name);
    let mut sitting = Seating::of_meeting(&connection.met, header.clone(), own)
        .unwrap()
        .sitting;
    for engine in [VERSION - 1, VERSION, VERSION + 1] {
        if let DeckTerms::Sealed(terms) = &mut header.deck {
            terms.engine_version = engine;
        }
        let players = sitting.match_info.players().to_vec();
        sitting.match_info = Match::new(header.clone(), players).unwrap();
        let refusals = [
            Seating::of_meeting(&connection.met, header.clone(), own).err(),
            Seating::of_file(sitting.clone()).err(),
            Seating::circuit_of(&header).err(),
        ];
        for refusal in refusals {
            match refusal {
                None => assert_eq!(engine, VERSION),
                Some(CannotBegin::Engine { theirs, ours }) => {
                    assert_eq!((theirs, ours), (engine, VERSION));
                    assert_ne!(theirs, ours);
                }
                Some(other) => panic!("{other}"),
            }
        }
    }
}
