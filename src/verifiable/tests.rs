//! The deck from end to end, and the attacks on keys, openings and shows. Those on shuffles are next
//! to the proof.

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use rand::rngs::StdRng;
use rand::{CryptoRng, SeedableRng};

use super::group::{LogProof, Logarithm, Point, Transcript, vartime_sum};
use super::keys::lagrange;
use super::*;
use crate::deck::Card;

mod attacks;
mod encodings;
mod known_answers;
mod leaving;
mod places;
mod secrecy;

pub(super) const MATCH: [u8; 32] = [7; 32];

/// The keys of a match, all of whose seats are here.
pub(super) struct Fixture {
    pub(super) roster: Roster,
    pub(super) secrets: Vec<SecretKey>,
}

/// The first two parts of all seats.
pub(super) struct Setup {
    pub(super) seats: Seats,
    pub(super) contributions: Vec<Contribution>,
    pub(super) keys: Vec<Keys>,
    pub(super) dealings: Vec<Dealing>,
}

impl Setup {
    pub(super) fn new(count: usize, threshold: usize) -> Self {
        let mut rng = StdRng::seed_from_u64(count as u64 * 100 + threshold as u64);
        Self::draw(count, threshold, &mut rng)
    }

    fn draw(count: usize, threshold: usize, rng: &mut impl CryptoRng) -> Self {
        let seats = Seats::new(count, threshold).unwrap();
        let contribution = |seat| Contribution::generate(MATCH, seats, seat, rng);
        let contributions: Vec<Contribution> = (0..count).map(contribution).collect();
        let keys = contributions
            .iter()
            .enumerate()
            .map(|(seat, contribution)| {
                let part = contribution.keys().to_bytes();
                assert_eq!(part.len(), 128);
                Keys::verify(&MATCH, seat, &part).unwrap()
            });
        let keys: Vec<Keys> = keys.collect();
        let dealings = contributions
            .iter()
            .enumerate()
            .map(|(seat, contribution)| {
                let part = contribution.dealing(&keys).to_bytes();
                assert_eq!(part.len(), 32 * (threshold + count + 1));
                Dealing::verify(&MATCH, seats, &keys, seat, &part).unwrap()
            });
        Setup {
            dealings: dealings.collect(),
            seats,
            contributions,
            keys,
        }
    }

    pub(super) fn receive(&self, seat: usize) -> Result<SecretKey, Box<Complaint>> {
        let mut rng = StdRng::seed_from_u64(5);
        let received = self.contributions[seat].receive(&self.keys, &self.dealings, &mut rng);
        received.map_err(|error| match error {
            NoKey::Complaint(complaint) => complaint,
            other => panic!("{other}"),
        })
    }

    fn fixture(&self) -> Fixture {
        let secrets = (0..self.seats.count()).map(|seat| self.receive(seat).ok().unwrap());
        Fixture {
            secrets: secrets.collect(),
            roster: Roster::new(&MATCH, self.seats, &self.keys, &self.dealings).unwrap(),
        }
    }

    pub(super) fn judge(&self, seat: usize, part: &[u8]) -> Result<usize, BadKeys> {
        Complaint::verify(&MATCH, self.seats, &self.keys, &self.dealings, seat, part)
    }
}

impl Fixture {
    pub(super) fn new(count: usize, threshold: usize) -> Self {
        Setup::new(count, threshold).fixture()
    }

    pub(super) fn context(&self, seat: usize, step: u64) -> Context<'_> {
        Context {
            roster: &self.roster,
            match_id: MATCH,
            chain: MATCH,
            hand: 3,
            deck: 0,
            step,
            before: [step as u8; 32],
            seat,
        }
    }

    /// A deck that every seat has shuffled.
    pub(super) fn deck(&self, cards: usize, rng: &mut StdRng) -> VerifiedDeck {
        let start = VerifiedDeck::start(&Cards::new("deck", cards).unwrap());
        (0..self.secrets.len()).fold(start, |deck, seat| {
            let context = self.context(seat, seat as u64);
            let (part, _) = deck.shuffle(&context, rng);
            deck.verify_shuffle(&context, &part).unwrap()
        })
    }

    /// The verified partials of a seat.
    fn partials(&self, decks: &Decks, seat: usize, slots: &[Slot]) -> Partials {
        let context = self.context(seat, 50);
        Partials::verify(&context, decks, slots, &self.part(decks, seat, slots)).unwrap()
    }

    pub(super) fn part(&self, decks: &Decks, seat: usize, slots: &[Slot]) -> Vec<u8> {
        let mut rng = StdRng::seed_from_u64(6 + seat as u64);
        let (context, key) = (self.context(seat, 50), &self.secrets[seat]);
        let (part, _) = Partials::make(&context, decks, slots, key, &mut rng).unwrap();
        assert_eq!(part.len(), Partials::part_len(slots));
        part
    }

    /// The first partials of these seats for a slot.
    pub(super) fn gather(&self, decks: &Decks, seats: &[usize], slot: Slot) -> Vec<Partial> {
        let partial = |&seat: &usize| self.partials(decks, seat, &[slot]).iter().next().unwrap().1;
        seats.iter().map(partial).collect()
    }

    pub(super) fn opens(&self, decks: &Decks, seats: &[usize], position: usize) -> Option<Card> {
        let partials = self.gather(decks, seats, to_all(position));
        decks.open(self.roster.seats(), 0, position, &partials)
    }

    /// All cards of a deck, in order.
    pub(super) fn open_all(&self, deck: VerifiedDeck) -> Vec<Card> {
        let seats: Vec<usize> = (0..self.roster.seats().threshold()).collect();
        let (count, decks) = (deck.count(), Decks::new(vec![deck]));
        (0..count)
            .map(|position| self.opens(&decks, &seats, position).unwrap())
            .collect()
    }

    pub(super) fn dealt(count: usize, threshold: usize) -> (Self, Decks) {
        let fixture = Fixture::new(count, threshold);
        let deck = fixture.deck(5, &mut StdRng::seed_from_u64(9));
        (fixture, Decks::new(vec![deck]))
    }
}

pub(super) fn to_all(position: usize) -> Slot {
    Slot {
        deck: 0,
        position,
        receiver: Receiver::All,
    }
}

pub(super) fn to_seat(position: usize, seat: usize) -> Slot {
    Slot {
        receiver: Receiver::Seat(seat),
        ..to_all(position)
    }
}

/// All contexts that differ from this one in one field.
pub(super) fn contexts<'a>(context: Context<'a>, other: &'a Roster) -> Vec<Context<'a>> {
    let changed = |change: &dyn Fn(&mut Context<'a>)| {
        let mut context = context;
        change(&mut context);
        context
    };
    vec![
        changed(&|context| context.roster = other),
        changed(&|context| context.match_id[31] ^= 1),
        changed(&|context| context.chain[0] ^= 1),
        changed(&|context| context.hand += 1),
        changed(&|context| context.deck += 1),
        changed(&|context| context.step += 1),
        changed(&|context| context.before[5] ^= 1),
        changed(&|context| context.seat = (context.seat + 1) % 2),
    ]
}

#[test]
fn all_seats_shuffle_and_any_threshold_of_them_opens_every_card() {
    for (count, threshold) in [(2, 2), (3, 2), (3, 3), (6, 6), (10, 10)] {
        let fixture = Fixture::new(count, threshold);
        let deck = fixture.deck(5, &mut StdRng::seed_from_u64(1));
        let cards = fixture.open_all(deck.clone());
        let mut sorted = cards.clone();
        sorted.sort_by_key(|card| card.0);
        assert_eq!(sorted, (0..5).map(Card).collect::<Vec<_>>());
        let last: Vec<usize> = (count - threshold..count).collect();
        let decks = Decks::new(vec![deck]);
        for (position, card) in cards.iter().enumerate() {
            assert_eq!(fixture.opens(&decks, &last, position), Some(*card));
        }
    }
}

#[test]
fn a_card_for_one_seat_is_seen_by_it_and_shown_to_all_or_to_one() {
    for (count, openers) in [(3, vec![1, 2]), (4, vec![1, 3])] {
        let (fixture, decks) = Fixture::dealt(count, 3);
        let seats = fixture.roster.seats();
        let partials = fixture.gather(&decks, &openers, to_seat(2, 0));
        let own = decks.open_own(seats, 0, 2, &partials, &fixture.secrets[0]);
        assert_eq!(own, fixture.opens(&decks, &[0, 1, 2], 2));
        assert_eq!(
            decks.open_own(seats, 0, 2, &partials, &fixture.secrets[openers[0]]),
            None
        );

        let shown = [Shown {
            deck: 0,
            position: 2,
            partials,
        }];
        let context = fixture.context(0, 60);
        let mut rng = StdRng::seed_from_u64(3);
        for receiver in [Receiver::All, Receiver::Seat(2)] {
            let key = &fixture.secrets[0];
            let part = Show::make(&context, &decks, receiver, &shown, key, &mut rng).unwrap();
            assert_eq!(part.len(), Show::part_len(receiver, 1));
            let show = Show::verify(&context, &decks, receiver, &shown, &part).unwrap();
            let seen = |seat: usize| show.card_for(&decks, 0, &shown[0], &fixture.secrets[seat]);
            match receiver {
                Receiver::All => assert_eq!(show.card(&decks, 0, &shown[0]), own),
                Receiver::Seat(_) => {
                    assert_eq!(show.card(&decks, 0, &shown[0]), None);
                    assert_eq!((seen(2), seen(1)), (own, None));
                }
            }
            for byte in 0..part.len() {
                let mut changed = part.clone();
                changed[byte] ^= 1;
                assert!(Show::verify(&context, &decks, receiver, &shown, &changed).is_err());
            }
            let other = Fixture::new(count, 2);
            for elsewhere in contexts(context, &other.roster) {
                let refused = Show::verify(&elsewhere, &decks, receiver, &shown, &part);
                assert!(refused.is_err(), "{elsewhere:?}");
            }
            let others = [Receiver::All, Receiver::Seat(1), Receiver::Seat(2)];
            for other in others.into_iter().filter(|other| *other != receiver) {
                assert!(Show::verify(&context, &decks, other, &shown, &part).is_err());
            }
        }
    }
}

#[test]
fn a_proof_for_a_key_chosen_after_its_challenge_is_refused() {
    // Without the key in the hash, the key follows from the challenge and a key of another seat,
    // and nobody knows its logarithm.
    let context = Transcript::new("pop E").bytes(&MATCH).number(1);
    let other = Setup::new(2, 2).keys[0].encryption;
    let first = Point::new(-other.get());
    let challenge = context.clone().point(&first).scalar();
    let response = Scalar::from(5_u8);
    let image = RistrettoPoint::mul_base(&response) - first.get();
    let image = Point::new(image * challenge.invert());
    let proof = LogProof {
        challenge,
        response,
    };
    let statement = Logarithm {
        context,
        image: &image,
        second: None,
    };
    assert!(!statement.check(&proof));
}

#[test]
fn a_rogue_key_or_a_copied_one_has_no_proof_of_possession() {
    let setup = Setup::new(3, 3);
    // The last seat makes the key of the deck its own: its key minus those of the others.
    let zeroed = setup.dealings[..2]
        .iter()
        .map(|dealing| dealing.to_bytes())
        .map(|part| {
            let mut reader = group::Reader::new(&part[..32], 32).unwrap();
            *reader.point().unwrap().get()
        });
    let own = RistrettoPoint::mul_base(&Scalar::from(11_u8));
    let rogue = Point::new(own - zeroed.sum::<RistrettoPoint>());
    let mut part = setup.dealings[2].to_bytes();
    part[..32].copy_from_slice(rogue.bytes());
    let verify =
        |seat, part: &[u8]| Dealing::verify(&MATCH, setup.seats, &setup.keys, seat, part).err();
    assert_eq!(verify(2, &part), Some(BadKeys::Possession));
    // Parts of another seat or match, and keys that are copied.
    assert_eq!(
        verify(2, &setup.dealings[1].to_bytes()),
        Some(BadKeys::Possession)
    );
    let dealing = setup.dealings[2].to_bytes();
    let elsewhere = Dealing::verify(&[8; 32], setup.seats, &setup.keys, 2, &dealing).err();
    assert_eq!(elsewhere, Some(BadKeys::Possession));
    let fewer = Seats::new(3, 2).unwrap();
    let elsewhere = Dealing::verify(&MATCH, fewer, &setup.keys, 2, &dealing).err();
    assert_eq!(elsewhere, Some(BadKeys::Encoding));
    let keys = setup.keys[0].to_bytes();
    assert_eq!(
        Keys::verify(&MATCH, 1, &keys).err(),
        Some(BadKeys::Possession)
    );
    assert_eq!(
        Keys::verify(&[8; 32], 0, &keys).err(),
        Some(BadKeys::Possession)
    );
}

#[test]
fn a_dealing_chosen_after_those_of_the_others_does_not_match_its_commitment() {
    let setup = Setup::new(3, 2);
    let mut rng = StdRng::seed_from_u64(77);
    let late = Contribution::generate(MATCH, setup.seats, 2, &mut rng).dealing(&setup.keys);
    let verify = |part: &[u8]| Dealing::verify(&MATCH, setup.seats, &setup.keys, 2, part).err();
    assert_eq!(verify(&late.to_bytes()), Some(BadKeys::Commitment));
    // Each byte but those of the pads is bound here, the pads by their receivers.
    let part = setup.dealings[2].to_bytes();
    for byte in 0..32 * (2 + 2) {
        let mut changed = part.clone();
        changed[byte] ^= 1;
        assert!(verify(&changed).is_some(), "{byte}");
    }
    assert_eq!(verify(&part[1..]), Some(BadKeys::Encoding));
}

#[test]
fn every_changed_byte_of_keys_is_refused_or_another_commitment() {
    let setup = Setup::new(2, 2);
    let part = setup.keys[0].to_bytes();
    for byte in 0..part.len() {
        let mut changed = part.clone();
        changed[byte] ^= 1;
        let verified = Keys::verify(&MATCH, 0, &changed);
        assert_eq!(verified.is_ok(), byte >= 96, "{byte}");
        if let Ok(changed) = verified {
            let (keys, dealing) = (
                [changed, setup.keys[1].clone()],
                setup.dealings[0].to_bytes(),
            );
            let refused = Dealing::verify(&MATCH, setup.seats, &keys, 0, &dealing).err();
            assert_eq!(refused, Some(BadKeys::Commitment));
        }
    }
}

#[test]
fn a_wrong_share_convicts_its_dealer_and_a_false_complaint_its_maker() {
    let mut setup = Setup::new(4, 3);
    assert!((0..4).all(|seat| setup.receive(seat).is_ok()));
    let honest = setup.dealings[1].clone();
    // A share that fits no polynomial, or is not a canonical scalar once decrypted.
    for (byte, bit) in [(0, 1), (31, 0x80)] {
        let mut part = honest.to_bytes();
        let pads = part.len() - 3 * 32;
        part[pads + 2 * 32 + byte] ^= bit;
        setup.dealings[1] = Dealing::verify(&MATCH, setup.seats, &setup.keys, 1, &part).unwrap();
        assert!(setup.receive(0).is_ok());
        let complaint = setup.receive(3).err().unwrap().to_bytes();
        assert_eq!(complaint.len(), Complaint::LEN);
        assert_eq!(setup.judge(3, &complaint), Ok(1));
        // Another seat or match cannot use it, and no byte of it can be changed.
        assert_eq!(setup.judge(2, &complaint), Err(BadKeys::Complaint));
        let (keys, dealings) = (&setup.keys, &setup.dealings);
        let elsewhere =
            Complaint::verify(&[8; 32], setup.seats, keys, dealings, 3, &complaint).err();
        assert_eq!(elsewhere, Some(BadKeys::Complaint));
        for byte in 0..complaint.len() {
            let mut changed = complaint.clone();
            changed[byte] ^= 1;
            let judged = setup.judge(3, &changed);
            assert!(judged.is_err(), "{byte}: {judged:?}");
        }
        // The same complaint about a share that fits.
        let wrong = std::mem::replace(&mut setup.dealings[1], honest.clone());
        assert_eq!(setup.judge(3, &complaint), Ok(3));
        setup.dealings[1] = wrong;
    }
    // A wrong key, with a proof made for it: it would reveal a share that does not fit.
    let wrong = Point::new(RistrettoPoint::mul_base(&Scalar::from(3_u8)));
    let maker = &setup.contributions[3];
    let false_key = maker.complain(&setup.keys, 0, wrong, &mut StdRng::seed_from_u64(1));
    assert_eq!(
        setup.judge(3, &false_key.to_bytes()),
        Err(BadKeys::Complaint)
    );
    // About itself, with a valid proof.
    let shared = maker.shared(&setup.keys[3]);
    let own = maker.complain(&setup.keys, 3, shared, &mut StdRng::seed_from_u64(1));
    assert_eq!(setup.judge(3, &own.to_bytes()), Err(BadKeys::Complaint));
    for dealer in [3, 4, 255] {
        let mut part = setup.receive(3).err().unwrap().to_bytes();
        part[0] = dealer;
        assert_eq!(setup.judge(3, &part), Err(BadKeys::Complaint));
    }
}

#[test]
fn the_numbers_of_seats_and_cards_have_bounds() {
    for (count, threshold, valid) in [
        (2, 2, true),
        (10, 2, true),
        (1, 1, false),
        (3, 1, false),
        (3, 4, false),
        (11, 11, false),
    ] {
        assert_eq!(
            Seats::new(count, threshold).is_some(),
            valid,
            "{count} {threshold}"
        );
    }
    assert!(Cards::new("deck", 0).is_none() && Cards::new("deck", deck::MAX_CARDS + 1).is_none());
}

#[test]
fn cards_and_generators_are_all_distinct() {
    let (one, two) = (
        Cards::new("tiles", 60).unwrap(),
        Cards::new("numbers", 60).unwrap(),
    );
    let decks = [VerifiedDeck::start(&one), VerifiedDeck::start(&two)];
    let cards = decks
        .iter()
        .flat_map(|deck| deck.places.iter().map(|place| *place.b.bytes()));
    let generators = one
        .generators
        .iter()
        .chain([&one.generator])
        .map(|point| *point.bytes());
    let all: std::collections::BTreeSet<[u8; 32]> = cards.chain(generators).collect();
    assert_eq!(all.len(), 2 * 60 + 60 + 1);
}

#[test]
fn the_same_random_bytes_give_the_same_part_and_unrelated_ones_for_another_statement() {
    let (fixture, decks) = Fixture::dealt(3, 3);
    let key = &fixture.secrets[0];
    let shown = |position| {
        [Shown {
            deck: 0,
            position,
            partials: fixture.gather(&decks, &[1, 2], to_seat(position, 0)),
        }]
    };
    let show = |step, position| {
        let context = fixture.context(0, step);
        let rng = &mut StdRng::seed_from_u64(1);
        Show::make(&context, &decks, Receiver::All, &shown(position), key, rng).unwrap()
    };
    let open = |step, position| {
        let (context, rng) = (fixture.context(0, step), &mut StdRng::seed_from_u64(1));
        Partials::make(&context, &decks, &[to_all(position)], key, rng)
            .unwrap()
            .0
    };
    // A challenge and the response for the share: with one nonce for two challenges, the share is
    // the difference of the responses divided by that of the challenges.
    let scalars = |part: &[u8]| {
        let mut reader = group::Reader::new(&part[32..96], 64).unwrap();
        (reader.scalar().unwrap(), reader.scalar().unwrap())
    };
    let parts = [
        show(60, 1),
        show(60, 2),
        show(61, 1),
        open(60, 1),
        open(61, 1),
    ];
    assert_eq!(parts[0], show(60, 1));
    assert_eq!(parts[3], open(60, 1));
    for (number, one) in parts.iter().enumerate() {
        for other in &parts[..number] {
            let ((z, s), (z2, s2)) = (scalars(one), scalars(other));
            let share = (s - s2) * (z - z2).invert();
            assert_ne!(share, key.secret);
        }
    }

    // Two shuffles of the same deck: the permutations differ.
    let cards = Cards::new("deck", 20).unwrap();
    let orders = [1, 2].map(|step| {
        let context = fixture.context(0, step);
        let (_, deck) =
            VerifiedDeck::start(&cards).shuffle(&context, &mut StdRng::seed_from_u64(1));
        fixture.open_all(deck)
    });
    assert_ne!(orders[0], orders[1]);

    // Keys of two matches, with the same random bytes.
    let seats = fixture.roster.seats();
    let contribution = |match_id| {
        Contribution::generate(match_id, seats, 0, &mut StdRng::seed_from_u64(1))
            .keys()
            .to_bytes()
    };
    assert_eq!(contribution([1; 32]), contribution([1; 32]));
    assert_ne!(contribution([1; 32])[..32], contribution([2; 32])[..32]);
}

#[test]
fn seats_and_numbers_of_parts_that_do_not_exist_are_errors() {
    let setup = Setup::new(3, 3);
    let part = setup.dealings[2].to_bytes();
    let verify =
        |keys: &[Keys], seat| Dealing::verify(&MATCH, setup.seats, keys, seat, &part).err();
    assert_eq!(verify(&setup.keys, 3), Some(BadKeys::Seats));
    assert_eq!(verify(&setup.keys[..2], 2), Some(BadKeys::Seats));
    assert_eq!(setup.judge(3, &[0; Complaint::LEN]), Err(BadKeys::Seats));
    let roster = |keys: &[Keys], dealings: &[Dealing]| {
        Roster::new(&MATCH, setup.seats, keys, dealings).is_some()
    };
    assert!(roster(&setup.keys, &setup.dealings));
    assert!(!roster(&setup.keys[..1], &setup.dealings[..1]) && !roster(&setup.keys, &[]));
    let two = Setup::new(3, 2);
    assert!(!roster(&two.keys, &two.dealings));
    let fixture = Fixture::new(3, 3);
    assert!(!fixture.roster.is_share(3, &fixture.secrets[0].share()));
    let late = Contribution::generate(MATCH, setup.seats, 0, &mut StdRng::seed_from_u64(77));
    let received = late.receive(&setup.keys, &setup.dealings, &mut StdRng::seed_from_u64(1));
    assert!(matches!(received, Err(NoKey::NotOwn)));

    let deck = fixture.deck(2, &mut StdRng::seed_from_u64(1));
    let (context, nobody) = (fixture.context(0, 9), fixture.context(3, 9));
    let (part, _) = deck.shuffle(&context, &mut StdRng::seed_from_u64(1));
    assert_eq!(
        deck.verify_shuffle(&nobody, &part).err(),
        Some(BadShuffle::Seat)
    );
    // Another seat's key, and a deck that nobody has shuffled.
    let make = |decks: &Decks, seat: usize| {
        let (key, rng) = (&fixture.secrets[seat], &mut StdRng::seed_from_u64(1));
        Partials::make(&context, decks, &[to_all(0)], key, rng).err()
    };
    let start = VerifiedDeck::start(&Cards::new("deck", 2).unwrap());
    assert_eq!(make(&Decks::new(vec![start]), 0), Some(BadPartials::Slot));
    let decks = Decks::new(vec![deck]);
    assert_eq!(
        (make(&decks, 0), make(&decks, 1)),
        (None, Some(BadPartials::Slot))
    );
    let seats = fixture.roster.seats();
    let openers = openers(seats, &to_all(usize::MAX), |_| true, |_| false);
    assert_eq!(openers, [0, 1, 2]);
}
