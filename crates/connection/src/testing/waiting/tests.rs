//! What a door counts when a guest tries several routes.

use std::sync::Arc;
use std::time::Duration;

use super::{Door, Guest};
use crate::identity::{Address, Home, Name};
use crate::{DoorEvent, MeetingError, Timing};

const SOON: Duration = Duration::from_secs(60);

/// A door that listens on two addresses of this machine.
fn door(folder: &tempfile::TempDir) -> (Door, Vec<Address>) {
    let home = Arc::new(Home::open(folder.path(), None, &mut rand::rng()).unwrap());
    let peers = home.known_peers().unwrap();
    let listen = ["127.0.0.1:0", "127.0.0.2:0"].map(|at| at.parse().unwrap());
    let (name, timing) = (Name::clean("Anna"), Timing::default());
    let door = Door::open(home, peers, name, Vec::new(), &listen, timing).unwrap();
    let addresses = door.addresses().iter().map(|at| (*at).into()).collect();
    (door, addresses)
}

#[test]
fn door_counts_wrong_invites_and_not_the_routes_that_a_guest_leaves() {
    let [folder, own] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (door, addresses) = door(&folder);
    let guest = Home::open(own.path(), None, &mut rand::rng()).unwrap();
    let guest = Guest {
        identity: guest.identity(),
        name: &Name::clean("Bob"),
        timing: Timing::default(),
    };
    for _ in 0..20 {
        let invite = door.invite(addresses.clone(), None).unwrap();
        guest.join(&invite).unwrap();
        assert!(matches!(door.next(SOON), Some(DoorEvent::Connection(_))));
    }
    // A route that the guest leaves before its prelude has arrived counts. On a busy machine, this happens
    // now and then.
    let left = door.failures();
    assert!(left < 5, "{left}");
    let wrong = door.invite(addresses[..1].to_vec(), None).unwrap();
    door.end_invite(&wrong).unwrap();
    let refused = guest.join(&wrong);
    assert!(matches!(refused, Err(MeetingError::NotAnswered)));
    assert_eq!(door.failures(), left + 1);
    assert!(door.next(Duration::from_millis(50)).is_none());
}
