use super::*;
use crate::identity::BadSuccession;

const LINK: usize = 256;
/// The offset of the first link: after the current identity and the number of links.
const FIRST: usize = PublicIdentity::LEN + 1;

fn decode(bytes: &[u8]) -> Result<Succession, BadSuccession> {
    Succession::decode(bytes)
}

/// Encodes these identities, oldest first, with these pairs of signatures.
fn bytes(all: &[PublicIdentity], signatures: &[[[u8; 64]; 2]]) -> Vec<u8> {
    let (current, past) = all.split_last().unwrap();
    let mut bytes = [&current.encode()[..], &[past.len() as u8]].concat();
    for (old, [by_old, by_new]) in past.iter().zip(signatures) {
        bytes.extend_from_slice(&[&old.encode()[..], by_old, by_new].concat());
    }
    bytes
}

/// The signatures of an old and a new identity, made with the keys of `by` and `of`.
fn signatures(old: &PublicIdentity, new: &PublicIdentity, [by, of]: [u8; 2]) -> [[u8; 64]; 2] {
    let fields = [&old.encode()[..], &new.encode()];
    [
        identity(by).sign("succeed", &fields),
        identity(of).sign("successor", &fields),
    ]
}

#[test]
fn a_chain_round_trips_as_bytes_text_and_padded_bytes() {
    for seeds in [1..2, 1..3, 1..5, 1..10] {
        let shown = chain(seeds.clone());
        let all: Vec<_> = seeds.map(public).collect();
        assert_eq!(shown.current(), all.last().unwrap());
        assert!(shown.past().eq(&all[..all.len() - 1]));
        assert_eq!(decode(&shown.encode()), Ok(shown.clone()));
        assert_eq!(shown.to_string().parse(), Ok(shown.clone()));
        let quoted = shown.to_string().replace('w', "W\n> ");
        assert_eq!(quoted.parse(), Ok(shown.clone()));
        let padded = shown.padded();
        assert_eq!(padded.len(), Succession::PADDED);
        let read = Succession::of_padded(&padded, shown.current().clone());
        assert_eq!(read, Ok(shown));
    }
}

#[test]
fn a_long_chain_drops_its_oldest_links() {
    let shown = chain(1..12);
    let all: Vec<_> = (3..11).map(public).collect();
    assert!(shown.past().eq(&all));
    let mut longer = shown.encode();
    longer[PublicIdentity::LEN] += 1;
    assert_eq!(decode(&longer), Err(BadSuccession::Form));
    longer.splice(FIRST..FIRST, shown.encode()[FIRST..FIRST + LINK].to_vec());
    assert_eq!(decode(&longer), Err(BadSuccession::Form));
    longer[PublicIdentity::LEN] = 255;
    assert_eq!(decode(&longer), Err(BadSuccession::Form));
}

#[test]
fn every_modified_byte_of_a_statement_is_detected() {
    let whole = chain(1..4).encode();
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(decode(&changed).is_err(), "{at}");
    }
    for end in 0..whole.len() {
        assert!(decode(&whole[..end]).is_err(), "{end}");
    }
    let more = [&whole[..], &[0]].concat();
    assert_eq!(decode(&more), Err(BadSuccession::Form));
}

#[test]
fn every_modified_byte_of_a_padded_chain_is_detected() {
    let shown = chain(1..3);
    let current = || shown.current().clone();
    let whole = shown.padded();
    // Not every byte of the padding is tested, because each test verifies a whole chain.
    for at in (0..FIRST + 2 * LINK).chain((FIRST + 2 * LINK..whole.len()).step_by(61)) {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(Succession::of_padded(&changed, current()).is_err(), "{at}");
    }
    assert!(Succession::of_padded(&whole[1..], current()).is_err());
    let another = Succession::of_padded(&whole, public(3));
    assert_eq!(another, Err(BadSuccession::Signature));
}

#[test]
fn mistyped_texts_other_texts_and_other_versions_are_distinguished() {
    let text = chain([1, 2]).to_string();
    let read = |text: &str| text.parse::<Succession>().unwrap_err();
    assert_eq!(
        read(&text.replace("sion1", "sion2")),
        BadSuccession::OtherVersion
    );
    assert_eq!(read(&text[..text.len() - 1]), BadSuccession::Mistyped);
    assert_eq!(
        read(&text.replacen('-', "", 2).replacen('0', "7", 1)),
        BadSuccession::Mistyped
    );
    assert_eq!(read("dealerless2-0123"), BadSuccession::NoStatement);
    assert_eq!(read(&"a".repeat(20 << 10)), BadSuccession::NoStatement);
    assert!(text.parse::<crate::connection::Invite>().is_err());
}

#[test]
fn both_identities_must_sign_for_their_own_side() {
    let [old, new] = [1, 2].map(public);
    let with = |signatures| decode(&bytes(&[old.clone(), new.clone()], &[signatures]));
    let [by_old, by_new] = signatures(&old, &new, [1, 2]);
    assert_eq!(with([by_old, by_new]), Ok(chain([1, 2])));
    // Swapped signatures, one missing signature, or signatures of a predecessor or successor with
    // the wrong keys.
    for wrong in [
        [by_new, by_old],
        [by_old, [0; 64]],
        signatures(&old, &new, [1, 1]),
        signatures(&old, &new, [2, 2]),
        signatures(&old, &new, [3, 2]),
        signatures(&old, &new, [1, 3]),
        signatures(&new, &old, [1, 2]),
        signatures(&old, &public(3), [1, 2]),
        signatures(&public(3), &new, [1, 2]),
    ] {
        assert_eq!(with(wrong), Err(BadSuccession::Signature));
    }
}

#[test]
fn missing_or_reordered_links_are_refused() {
    let all = [1, 2, 3, 4].map(public);
    let signed: Vec<_> = [[1, 2], [2, 3], [3, 4]]
        .map(|[a, b]| signatures(&public(a), &public(b), [a, b]))
        .into();
    assert_eq!(decode(&bytes(&all, &signed)), Ok(chain(1..5)));
    // The oldest link may be dropped: the chain then only contains fewer past keys.
    assert_eq!(decode(&bytes(&all[1..], &signed[1..])), Ok(chain(2..5)));
    let [a, b, c, d] = all;
    for (all, places) in [
        (vec![a.clone(), b.clone(), d.clone()], vec![0, 1]),
        (vec![a.clone(), c.clone(), d.clone()], vec![0, 2]),
        (
            vec![b.clone(), a.clone(), c.clone(), d.clone()],
            vec![0, 1, 2],
        ),
        (
            vec![a.clone(), b.clone(), c.clone(), d.clone()],
            vec![1, 0, 2],
        ),
        (vec![a, b, c], vec![0, 2]),
    ] {
        let signed: Vec<_> = places.iter().map(|&place| signed[place]).collect();
        assert_eq!(decode(&bytes(&all, &signed)), Err(BadSuccession::Signature));
    }
}

#[test]
fn a_chain_must_not_repeat_a_key() {
    assert_eq!(
        Succession::new(&identity(1), &identity(1)),
        Err(BadSuccession::Circle)
    );
    assert_eq!(
        Succession::new(&heir([1, 2]), &identity(1)),
        Err(BadSuccession::Circle)
    );
    for all in [
        vec![public(1), public(1)],
        vec![public(1), public(2), public(1)],
        vec![public(1), half(1, 2)],
        vec![half(2, 1), public(2), public(1)],
    ] {
        let none = vec![[[0; 64]; 2]; all.len()];
        assert_eq!(decode(&bytes(&all, &none)), Err(BadSuccession::Circle));
    }
}

#[test]
fn a_chain_with_an_invalid_identity_is_refused() {
    let mut whole = chain([1, 2]).encode();
    whole[FIRST + 32..FIRST + 64].fill(0);
    assert!(matches!(decode(&whole), Err(BadSuccession::Identity(_))));
}
