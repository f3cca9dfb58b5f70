//! The list of players that a host sends to each of several guests.

use dealerless_connection::testing::Connection;
use dealerless_connection::testing::players::{Player, connection, invite};
use dealerless_connection::{Met, Timing};
use dealerless_table::Seat;
use dealerless_table::play::{BuyTerms, CannotBegin, Roster, TableTerms};
use dealerless_table::testing::test_match::verifiable;

/// Two guests who have met a host, and the list that the host sends to each player.
struct Three {
    guests: [Player; 2],
    /// The guests' connections to the host.
    to_host: [Connection; 2],
    rosters: Vec<Roster>,
    /// The lists of the same host and guests for another match.
    others: Vec<Roster>,
}

fn three() -> Three {
    let [host, one, two] = ["Anna", "Bob", "Cleo"].map(Player::new);
    let guests = [one, two];
    let door = host.door_with(Timing::default());
    let mut to_guests = Vec::new();
    let to_host = [0, 1].map(|number| {
        let invite = invite(&door);
        let joined = guests[number].guest().join(&invite).unwrap();
        to_guests.push(connection(&door));
        joined
    });
    let to_guests: Vec<&Met> = to_guests
        .iter()
        .map(|connection| &*connection.met)
        .collect();
    let own = (host.home.identity().public(), &host.name);
    let terms = terms();
    let rosters = |nonce| Roster::of_guests(&terms, None, own, nonce, &to_guests).unwrap();
    Three {
        rosters: rosters([1; 32]),
        others: rosters([2; 32]),
        guests,
        to_host,
    }
}

/// The terms of a table of up to four players.
fn terms() -> TableTerms {
    let of = verifiable(4, 1);
    let header = of.match_info.header();
    let buys = BuyTerms::of_stack(100);
    TableTerms::new(header.stakes.clone(), buys, 0, false, false, header.clock).unwrap()
}

#[test]
fn guest_refuses_a_list_of_players_that_is_not_for_it_or_not_of_its_host() {
    let three = three();
    let own = three.guests[0].home.identity().public();
    let other = three.guests[1].home.identity().public();
    let check = |roster: &Roster| roster.check(&three.to_host[0].met, own);
    let good = &three.rosters[1];
    assert!(check(good).is_ok());
    assert_eq!(good.players.len(), 3);
    let changed = |change: &dyn Fn(&mut Roster)| {
        let mut roster = good.clone();
        change(&mut roster);
        roster
    };
    for (number, wrong) in [
        // The list of the host, and that of the other guest.
        three.rosters[0].clone(),
        three.rosters[2].clone(),
        changed(&|roster| roster.seat = Seat::new(3)),
        changed(&|roster| roster.players[1].identity = other.clone()),
        changed(&|roster| roster.players[1].nonce[31] ^= 1),
        changed(&|roster| roster.players[0].identity = other.clone()),
        changed(&|roster| roster.players.swap(0, 1)),
        changed(&|roster| roster.players.truncate(1)),
        changed(&|roster| roster.players.clear()),
    ]
    .into_iter()
    .enumerate()
    {
        let refused = check(&wrong);
        assert!(
            matches!(refused, Err(CannotBegin::Roster)),
            "{number}: {refused:?}"
        );
    }
    // It is for this guest only on this connection.
    assert!(good.check(&three.to_host[1].met, own).is_err());
}

/// No signature of one of them is valid for the other.
#[test]
fn guests_with_different_lists_of_players_are_in_different_matches() {
    let three = three();
    let id = |roster: &Roster| {
        let sitting = roster.clone().sitting().unwrap();
        sitting.match_info.id()
    };
    let of_first = id(&three.rosters[1]);
    assert_eq!(of_first, id(&three.rosters[2]));
    assert_ne!(of_first, id(&three.others[2]));
    let mut other = three.rosters[2].clone();
    other.players[1].nonce[0] ^= 1;
    assert_ne!(of_first, id(&other));
    let mut swapped = three.rosters[2].clone();
    swapped.players.swap(1, 2);
    assert_ne!(of_first, id(&swapped));
    // Names are not part of the match.
    let mut renamed = three.rosters[2].clone();
    renamed.names.swap(1, 2);
    assert_eq!(of_first, id(&renamed));
    for count in [2, 4] {
        let mut wrong = three.rosters[1].clone();
        let last = wrong.players[2].clone();
        wrong.players.resize(count, last);
        assert!(wrong.sitting().is_err(), "{count} players");
    }
}
