//! Encodings of headers, matches and parts.

use dealerless_connection::hash::Hash;

use super::super::part::Part;
use super::super::*;
use super::test_match::{draw, free_deck, holdem};
use crate::rules::{Stakes, StakesError};

#[test]
fn header_with_too_many_seats_is_refused() {
    let header = free_deck(Stakes::MAX_SEATS).match_info.header().clone();
    let mut bytes = header.encode();
    // The stakes come after two versions and a length. Their last five bytes are the seats and the
    // hands.
    let at = 2 + 2 + 2 + header.stakes.encode().len() - 5;
    for seats in [Stakes::MAX_SEATS + 1, u8::MAX] {
        bytes[at] = seats;
        let most = Stakes::MAX_SEATS;
        let refused = HeaderError::Stakes(StakesError::Seats { seats, most });
        assert_eq!(Header::decode(&bytes), Err(refused));
    }
}

#[test]
fn header_is_read_as_written_and_has_one_encoding() {
    let tables = [holdem(2, 1), draw(5, 1000), free_deck(Stakes::MAX_SEATS)];
    let mut headers = tables
        .map(|table| table.match_info.header().clone())
        .to_vec();
    let kinds = "knight=14,castle=5,road=2".parse().unwrap();
    headers.push(Header {
        stakes: Stakes::of_kinds(kinds, 7, Stakes::MAX_SEATS, 3).unwrap(),
        ..headers[2].clone()
    });
    for header in headers {
        let bytes = header.encode();
        assert!(bytes.len() <= Header::MAX_LEN);
        assert_eq!(Header::decode(&bytes), Ok(header.clone()));
        for at in 0..bytes.len() {
            assert!(Header::decode(&bytes[..at]).is_err());
            for bit in 0..8 {
                let mut other = bytes.clone();
                other[at] ^= 1 << bit;
                if let Ok(changed) = Header::decode(&other) {
                    assert_eq!(changed.encode(), other);
                    assert_ne!(changed, header);
                }
            }
        }
        assert!(Header::decode(&[&bytes[..], &[0]].concat()).is_err());
    }
}

#[test]
fn other_versions_of_the_log_are_unknown() {
    let mut bytes = holdem(2, 1).match_info.header().encode();
    for version in [0, 1, 2, 5] {
        bytes[0] = version;
        let unknown = HeaderError::Version(version.into());
        assert_eq!(Header::decode(&bytes), Err(unknown));
    }
}

#[test]
fn id_of_a_match_depends_on_everything_in_it() {
    let table = holdem(2, 1);
    let (header, players) = (
        table.match_info.header().clone(),
        table.match_info.players().to_vec(),
    );
    let mut ids = vec![table.match_info.id(), holdem(2, 2).match_info.id()];
    let mut other_nonce = players.clone();
    other_nonce[1].nonce[0] ^= 1;
    let mut other_seats = players.clone();
    other_seats.reverse();
    for players in [other_nonce, other_seats] {
        ids.push(Match::new(header.clone(), players).unwrap().id());
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 4);
    let twice = vec![players[0].clone(); 2];
    assert!(matches!(
        Match::new(header.clone(), twice),
        Err(CannotSit::SameKey(_))
    ));
    assert!(matches!(
        Match::new(header, players[..1].to_vec()),
        Err(CannotSit::Players { .. })
    ));
}

#[test]
fn random_bytes_are_refused_or_are_the_encoding_of_the_decoded_part() {
    use rand::{RngExt, SeedableRng};
    let mut rng = rand::rngs::StdRng::seed_from_u64(3);
    let table = holdem(2, 1);
    let shape = table.match_info.header().shape();
    for _ in 0..20_000 {
        let len = rng.random_range(0..400);
        let mut bytes: Vec<u8> = (0..len).map(|_| rng.random_range(0..3)).collect();
        if let Some(first) = bytes.first_mut() {
            *first = rng.random_range(0..12);
        }
        if let Ok(part) = Part::decode(&bytes, &shape) {
            assert_eq!(part.encode(&shape, bytes.len()), bytes);
        }
    }
}

#[test]
fn hashes_and_signatures_cover_what_the_protocol_requires() {
    let table = holdem(2, 1);
    let log = table.played();
    let header = table.match_info.header().encode();
    let mut start = Hash::new("match").number(2);
    for (seat, player) in table.match_info.players().iter().enumerate() {
        start = start.number(seat as u64).field(&player.identity.encode());
    }
    let nonces = start.field(&[9; 32]).field(&[9; 32]);
    let mut hash = nonces.field(&header).finish();
    assert_eq!(hash, *table.match_info.id().as_bytes());
    for step in 0..log.step() {
        assert_eq!(log.hash_before(step), Some(hash));
        let mut next = Hash::new("step").number(step).field(&hash);
        for seat in table.seats() {
            let Some(signed) = log.part(step, seat) else {
                continue;
            };
            let id = table.match_info.id();
            let (number, place) = (step.to_le_bytes(), [seat.number()]);
            let fields: [&[u8]; 5] = [id.as_bytes(), &number, &hash, &place, &signed.part];
            let by = table.identities[seat.index()].public();
            assert!(by.has_signed("part", &fields, &signed.signature));
            next = next.number(u64::from(seat.number())).field(&signed.part);
        }
        hash = next.finish();
    }
    assert_eq!(log.hash(), hash);
}
