//! Every point and scalar of every part has one encoding, and every byte of a part is bound.

use super::*;

/// The sum of two numbers of 32 bytes modulo 2^256.
fn plus(a: [u8; 32], b: [u8; 32]) -> [u8; 32] {
    let mut carry = 0;
    std::array::from_fn(|i| {
        carry = u16::from(a[i]) + u16::from(b[i]) + (carry >> 8);
        carry as u8
    })
}

/// Verifies bytes in place of a part, and returns the name of the error.
type Verify<'a> = Box<dyn Fn(&[u8]) -> Option<String> + 'a>;

fn verify<'a, T: 'a, E: std::fmt::Debug>(
    verify: impl Fn(&[u8]) -> Result<T, E> + 'a,
) -> Verify<'a> {
    Box::new(move |part| verify(part).err().map(|error| format!("{error:?}")))
}

#[test]
fn every_point_and_scalar_of_every_part_has_one_encoding_and_is_bound() {
    let one: [u8; 32] = std::array::from_fn(|i| u8::from(i == 0));
    // p = 2^255 - 19, and the order of the group, 2^252 + 27742317777372353535851937790883648493.
    let mut prime = [0xff; 32];
    (prime[0], prime[31]) = (0xed, 0x7f);
    let mut order = [0; 32];
    order[..16].copy_from_slice(&0x14def9dea2f79cd65812631a5cf5d3ed_u128.to_le_bytes());
    order[31] = 0x10;

    for count in [2, 3, 6, 10] {
        let mut rng = StdRng::seed_from_u64(2);
        let setup = Setup::new(count, count);
        let (seats, keys, dealings) = (setup.seats, &setup.keys, &setup.dealings);
        let maker = &setup.contributions[0];
        let complaint = maker.complain(keys, 1, maker.shared(&keys[1]), &mut rng);
        let fixture = setup.fixture();
        let deck = fixture.deck(2, &mut rng);
        let (first, last) = (fixture.context(0, 50), fixture.context(count - 1, 50));
        let (shuffle, _) = deck.shuffle(&first, &mut rng);
        let decks = Decks::new(vec![deck.clone()]);
        let slots = [to_all(0), to_seat(1, 0)];
        let others: Vec<usize> = (1..count).collect();
        let shown = [Shown {
            deck: 0,
            position: 1,
            partials: fixture.gather(&decks, &others, to_seat(1, 0)),
        }];
        let (to, key) = (Receiver::Seat(1), &fixture.secrets[0]);
        let show = Show::make(&first, &decks, to, &shown, key, &mut rng).unwrap();

        // Each part, where its points begin, and the numbers of its points and scalars.
        let parts: [(Vec<u8>, usize, usize, usize, Verify<'_>); 6] = [
            (
                keys[0].to_bytes(),
                0,
                1,
                2,
                verify(|part| Keys::verify(&MATCH, 0, part)),
            ),
            (
                dealings[0].to_bytes(),
                0,
                count,
                2,
                verify(|part| Dealing::verify(&MATCH, seats, keys, 0, part)),
            ),
            (
                complaint.to_bytes(),
                1,
                1,
                2,
                verify(|part| Complaint::verify(&MATCH, seats, keys, dealings, 0, part)),
            ),
            (
                shuffle,
                0,
                15,
                8,
                verify(|part| deck.verify_shuffle(&first, part)),
            ),
            (
                fixture.part(&decks, count - 1, &slots),
                0,
                3,
                3,
                verify(|part| Partials::verify(&last, &decks, &slots, part)),
            ),
            (
                show,
                0,
                2,
                4,
                verify(|part| Show::verify(&first, &decks, to, &shown, part)),
            ),
        ];
        for (part, start, points, scalars, verify) in &parts {
            assert_eq!(verify(part), None);
            for element in 0..points + scalars {
                let place = start + 32 * element;
                let honest: [u8; 32] = part[place..][..32].try_into().unwrap();
                let replaced = |bytes: [u8; 32]| {
                    let mut changed = part.clone();
                    changed[place..][..32].copy_from_slice(&bytes);
                    verify(&changed)
                };
                // The identity, the negative encoding of the point, and a number above the prime; or
                // another number for the same scalar.
                let wrong = if element < *points {
                    let negative = plus(plus(prime, honest.map(|byte| !byte)), one);
                    vec![[0; 32], negative, [0xff; 32]]
                } else {
                    vec![plus(honest, order), [0xff; 32]]
                };
                for bytes in wrong {
                    assert_eq!(replaced(bytes).as_deref(), Some("Encoding"), "{element}");
                }
                let other = if element < *points {
                    *fixture.roster.deck.bytes()
                } else {
                    Scalar::from(5_u8).to_bytes()
                };
                let refused = replaced(other);
                assert!(
                    refused.is_some_and(|error| error != "Encoding"),
                    "{element}"
                );
                // Exchanged with each later point or scalar of the part.
                let end = if element < *points {
                    *points
                } else {
                    points + scalars
                };
                for other in element + 1..end {
                    let mut exchanged = part.clone();
                    let (left, right) = exchanged.split_at_mut(start + 32 * other);
                    left[place..][..32].swap_with_slice(&mut right[..32]);
                    let refused = verify(&exchanged);
                    assert!(
                        refused.is_some_and(|error| error != "Encoding"),
                        "{element} {other}"
                    );
                }
            }
        }
    }
}

#[test]
fn every_changed_byte_of_a_pad_is_noticed_by_its_receiver_alone() {
    let mut setup = Setup::new(3, 2);
    let honest = setup.dealings[1].clone();
    let part = honest.to_bytes();
    for byte in 0..64 {
        let mut changed = part.clone();
        changed[32 * (2 + 2) + byte] ^= 1;
        setup.dealings[1] = Dealing::verify(&MATCH, setup.seats, &setup.keys, 1, &changed).unwrap();
        let receiver = if byte < 32 { 0 } else { 2 };
        let complaint = setup
            .receive(receiver)
            .err()
            .expect("a wrong share")
            .to_bytes();
        assert_eq!(setup.judge(receiver, &complaint), Ok(1), "{byte}");
        assert!(setup.receive(2 - receiver).is_ok() && setup.receive(1).is_ok());
    }
    // The pads of two receivers exchanged.
    let mut changed = part.clone();
    changed[32 * (2 + 2)..].rotate_left(32);
    setup.dealings[1] = Dealing::verify(&MATCH, setup.seats, &setup.keys, 1, &changed).unwrap();
    assert!([0, 2].iter().all(|&seat| setup.receive(seat).is_err()));
}
