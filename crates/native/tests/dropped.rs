//! A seat that is dropped ends its connection.

use std::time::Duration;

use dealerless_connection::testing::players::{Player, SOON, connection, invite};
use dealerless_connection::{ConnectionError, Credentials};
use dealerless_native::testing::stored;
use dealerless_native::{Native, NativeFiles, NativeProgram};
use dealerless_seat::run::{Finder, InPlay, NewMatch, SeatFiles, SeatInPlay};
use dealerless_seat::seat::PlayerNeeds;
use dealerless_table::play::Seating;
use dealerless_table::testing::test_match::{proposal, stakes_of};

#[test]
fn dropped_seat_ends_the_connection() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    host.remember(&guest);
    let door = host.door();
    let joined = guest.join(&invite(&door)).unwrap();
    let guest = connection(&door);
    let own = Credentials {
        identity: host.home.identity().clone(),
        name: host.name.clone(),
    };
    let kept = stored(NativeFiles::Memory, own, host.peers.clone());
    let (header, _) = proposal(stakes_of(100, 2, 1));
    let seating = Seating::of_meeting(&guest.met, header, kept.player());
    let Seating { sitting, circuit } = seating.unwrap();
    let playing = dealerless_native::begin(false, kept, |run_own, now| {
        let of = sitting.match_info.id();
        let files: SeatFiles<Native> =
            NewMatch::create(run_own, sitting)?.begin(run_own, Some(circuit))?;
        let finder = Finder::new(run_own, of, vec![guest.met.peer.clone()]);
        let needs = PlayerNeeds::default();
        let mut seat = SeatInPlay::new(run_own, files, needs, finder, now)?;
        seat.begin(guest.into_polled().expect("nobody has taken it"), now)?;
        Ok(Box::new(InPlay(seat)) as NativeProgram)
    });
    // The host's program fails while its engine waits for the guest's engine, which sends nothing.
    playing.unwrap().wait(Duration::from_millis(200));
    let error = loop {
        if let Err(error) = joined.recv(SOON) {
            break error;
        }
    };
    assert!(
        matches!(error, ConnectionError::Closed | ConnectionError::Cut(_)),
        "{error:?}"
    );
}
