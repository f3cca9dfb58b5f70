//! Known answers: what the seats of log version 4 sign and hash, and how evidence is encoded.

use dealerless_connection::identity::Identity;

use super::super::signed::step_hash;
use super::super::*;
use super::many_seats::verifiable;
use crate::rules::Blinds;
use crate::seat::{Seat, SeatSet};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The first bytes of a hash of these bytes.
fn digest(bytes: &[u8]) -> String {
    let hash = dealerless_connection::hash::Hash::new("known answer").field(bytes);
    hex(&hash.finish()[..8])
}

const OF: MatchId = MatchId::new([1; 32]);
const BEFORE: [u8; 32] = [2; 32];
const HEAD: Head = Head {
    hand: 7,
    after: [3; 32],
};

fn identity() -> Identity {
    Identity::from_seed([4; 32])
}

fn part(of: &[u8; 32], before: &[u8; 32], byte: u8) -> SignedPart {
    SignedPart::sign(&identity(), of, 9, before, Seat::new(2), vec![byte; 5])
}

fn statements() -> [Statement; 4] {
    let ack = SignedAck::sign(&identity(), &OF, 9, &BEFORE, Seat::new(2));
    let ahead = SignedAhead {
        head: HEAD,
        part: part(&HEAD.hash(&OF), &BEFORE, 1),
    };
    let statement = |signed| Statement {
        before: BEFORE,
        signed,
    };
    [
        statement(Signed::Part(part(OF.as_bytes(), &BEFORE, 1))),
        statement(Signed::Part(part(OF.as_bytes(), &BEFORE, 2))),
        statement(Signed::Ack(ack)),
        statement(Signed::Ahead(Box::new(ahead))),
    ]
}

#[test]
fn step_and_the_head_of_an_ahead_chain_have_known_hashes() {
    let [one, other] = [1, 2].map(|byte| part(OF.as_bytes(), &BEFORE, byte));
    let other = SignedPart {
        seat: Seat::new(3),
        ..other
    };
    let hash = step_hash(9, &BEFORE, [&one, &other].into_iter(), SeatSet::default());
    assert_eq!(
        hex(&hash),
        "c37b330025b645875855be13a44fc0eea72dab54427b3831b8c4f4ac3d8471db"
    );
    let removed = [Seat::HOST, Seat::new(9)].into_iter().collect();
    let hash = step_hash(9, &BEFORE, [&one].into_iter(), removed);
    assert_eq!(
        hex(&hash),
        "9577266856c1a34c41db1a1ff9936c2d2f2e4c89d8e52ac674cc99ae72f5a199"
    );
    assert_eq!(
        hex(&HEAD.hash(&OF)),
        "8a2510cee489e4d8323658c1bba3732f7501e607374f0b711e1d69d447c55a72"
    );
}

#[test]
fn header_of_a_later_match_has_a_known_encoding() {
    let player = |number| Identity::from_seed([number; 32]).public().fingerprint();
    let member = |number, chips, bought| Member {
        player: player(number),
        chips,
        bought,
    };
    let mut header = verifiable(2, 7).match_info.header().clone();
    let table = header.table.as_mut().unwrap();
    (table.number, table.buys) = (3, vec![0, 70]);
    table.past = Some(Past {
        match_id: OF,
        steps: 9,
        hash: BEFORE,
        is_open: false,
        without: vec![Seat::new(2)],
        blinds: Blinds {
            last: Seat::new(2),
            waits: [Seat::GUEST].into_iter().collect(),
        },
        seats: 3,
        players: vec![member(0, 200, 100), member(1, 30, 100), member(2, 0, 30)],
    });
    let encoded = header.encode();
    assert_eq!(
        (encoded.len(), &digest(&encoded)[..]),
        (269, "712fc5952400767d")
    );
    assert_eq!(Header::decode(&encoded), Ok(header));
}

#[test]
fn statements_have_known_signatures_and_encodings() {
    let encoded = statements().map(|one| {
        let encoded = one.encode();
        (encoded.len(), digest(&encoded))
    });
    let encoded = encoded.each_ref().map(|(len, hash)| (*len, &hash[..]));
    assert_eq!(
        encoded,
        [
            (111, "a706964c38f39f76"),
            (111, "218b8bacf3613fa2"),
            (106, "25fc0ae813663b9c"),
            (147, "bcb914d411710fd3")
        ]
    );
}

#[test]
fn evidence_has_known_encodings() {
    let [part, other, ack, ahead] = statements();
    let evidence = |statements| {
        Evidence {
            match_id: OF,
            statements,
        }
        .encode()
    };
    // Two parts for one history, and any other two statements.
    let all = [
        evidence([part.clone(), other]),
        evidence([part, ack]),
        evidence([ahead.clone(), ahead]),
    ];
    let all = all.map(|encoded| (encoded.len(), digest(&encoded)));
    let all = all.each_ref().map(|(len, hash)| (*len, &hash[..]));
    assert_eq!(
        all,
        [
            (224, "8bf393a88d9e16de"),
            (253, "4fde5029093edf36"),
            (330, "7ed1f0037367933e")
        ]
    );
}
