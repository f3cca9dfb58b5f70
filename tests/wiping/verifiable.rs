//! The secrets of a seat at a verifiable deck are wiped.
//!
//! The tests compute the secrets from the random bytes that they give, as the library derives them,
//! and compare them with the parts that the seat sends.

use std::convert::Infallible;

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use dealerless::verifiable::{
    Cards, Context, Contribution, Dealing, Decks, Keys, Partials, Receiver, Roster, Seats,
    SecretKey, Show, Shown, Slot, VerifiedDeck,
};
use rand::{TryCryptoRng, TryRng};

use crate::watcher::{alone, in_memory, overwrite_stack, watch_for};

const MATCH: [u8; 32] = [7; 32];
const CARDS: usize = 6;

/// A generator that fills its n-th request with bytes n, counted from the number given.
struct Counting(u8);

impl TryRng for Counting {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("only bytes are requested")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        unreachable!("only bytes are requested")
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.fill(self.0);
        self.0 += 1;
        Ok(())
    }
}

impl TryCryptoRng for Counting {}

/// The numbers of the first random bytes of seat 0 for its keys, its shuffle, its partial and its
/// show.
const SEEDS: [u8; 4] = [10, 20, 30, 40];

/// What seat 0 sends in a hand of two seats, and what it needs of the other seat.
struct Parts {
    keys: [Vec<u8>; 2],
    dealings: [Vec<u8>; 2],
    shuffle: Vec<u8>,
    partial: Vec<u8>,
    /// The partial of the other seat, for seat 0.
    received: Vec<u8>,
    show: Vec<u8>,
}

fn context(roster: &Roster, seat: usize) -> Context<'_> {
    Context {
        roster,
        match_id: MATCH,
        chain: MATCH,
        hand: 0,
        deck: 0,
        step: 3,
        before: MATCH,
        seat,
    }
}

/// Plays a hand: keys, a shuffle of seat 0, a card for each seat, and a card that seat 0 shows to
/// seat 1. Calls `alive` while the secrets of both seats are in memory.
fn play(alive: impl FnOnce(&SecretKey)) -> Parts {
    let seats = Seats::new(2, 2).unwrap();
    let own = [0, 1].map(|seat| {
        let rng = &mut Counting(SEEDS[0] + 100 * seat as u8);
        Box::new(Contribution::generate(MATCH, seats, seat, rng))
    });
    let keys = [0, 1].map(|seat| own[seat].keys().to_bytes());
    let verified = [0, 1].map(|seat| Keys::verify(&MATCH, seat, &keys[seat]).unwrap());
    let dealings = [0, 1].map(|seat| own[seat].dealing(&verified).to_bytes());
    let dealt = [0, 1]
        .map(|seat| Dealing::verify(&MATCH, seats, &verified, seat, &dealings[seat]).unwrap());
    let secrets = [0, 1].map(|seat| {
        let received = own[seat].receive(&verified, &dealt, &mut Counting(200));
        Box::new(received.expect("the shares fit"))
    });
    alive(&secrets[0]);
    drop(own);

    let roster = Roster::new(&MATCH, seats, &verified, &dealt).unwrap();
    let start = VerifiedDeck::start(&Cards::new("deck", CARDS).unwrap());
    let (shuffle, deck) = start.shuffle(&context(&roster, 0), &mut Counting(SEEDS[1]));
    let decks = Decks::new(vec![deck]);
    let open = |seat: usize| {
        let slot = Slot {
            deck: 0,
            position: seat,
            receiver: Receiver::Seat(1 - seat),
        };
        let rng = &mut Counting(SEEDS[2] + 100 * seat as u8);
        let context = context(&roster, seat);
        Partials::make(&context, &decks, &[slot], &secrets[seat], rng).unwrap()
    };
    let ((partial, _), (received, partials)) = (open(0), open(1));
    let shown = [Shown {
        deck: 0,
        position: 1,
        partials: partials.iter().map(|(_, partial)| *partial).collect(),
    }];
    let (context, to, rng) = (
        context(&roster, 0),
        Receiver::Seat(1),
        &mut Counting(SEEDS[3]),
    );
    let show = Show::make(&context, &decks, to, &shown, &secrets[0], rng).unwrap();
    Parts {
        keys,
        dealings,
        shuffle,
        partial,
        received,
        show,
    }
}

/// Bytes that may not be left in memory: a scalar, or a part of a list.
type Secret = [u8; 48];

fn scalar(secret: &Scalar) -> Secret {
    let mut bytes = [0; 48];
    bytes[..32].copy_from_slice(secret.as_bytes());
    bytes
}

/// Checks that the first `length` bytes of none of these secrets are left after a hand, and that they
/// are in memory as often as given while the keys exist.
fn check<const N: usize>(secrets: &[Secret; N], length: usize, while_alive: &[usize; N]) {
    for (secret, expected) in secrets.iter().zip(while_alive) {
        overwrite_stack();
        watch_for(&secret[..length], || {
            drop(play(|_| assert_eq!(in_memory(), *expected)));
        });
    }
}

/// The fields of a hash.
#[derive(Clone)]
struct Fields(Vec<u8>);

impl Fields {
    fn field(mut self, bytes: &[u8]) -> Self {
        self.0.extend((bytes.len() as u64).to_le_bytes());
        self.0.extend(bytes);
        self
    }

    fn number(self, number: u64) -> Self {
        self.field(&number.to_le_bytes())
    }

    /// The output of the hash for the purpose `tag`.
    fn hash(&self, tag: &str) -> blake3::OutputReader {
        let context = format!("dealerless-verifiable 2026-11 {tag} v1");
        let mut hasher = blake3::Hasher::new_derive_key(&context);
        hasher.update(&self.0).finalize_xof()
    }

    fn digest(&self, tag: &str) -> [u8; 32] {
        let mut bytes = [0; 32];
        self.hash(tag).fill(&mut bytes);
        bytes
    }
}

fn next_scalar(output: &mut blake3::OutputReader) -> Scalar {
    let mut wide = [0; 64];
    output.fill(&mut wide);
    Scalar::from_bytes_mod_order_wide(&wide)
}

impl Parts {
    fn context(&self) -> Fields {
        let fields = Fields(Vec::new()).field(&MATCH).field(&MATCH);
        let fields = fields.number(0).number(0).number(3).field(&MATCH);
        fields.number(0).field(&self.roster())
    }

    /// The digest of the public keys.
    fn roster(&self) -> [u8; 32] {
        let coefficient = |k| point(&self.dealings[0], k) + point(&self.dealings[1], k);
        let (deck, slope) = (coefficient(0), coefficient(1));
        let shares = [1_u8, 2].map(|at| (deck + slope * Scalar::from(at)).compress().0);
        let encryption = [0, 1].map(|seat| <[u8; 32]>::try_from(&self.keys[seat][..32]).unwrap());
        let fields = Fields(Vec::new()).field(&MATCH).number(2).number(2);
        let fields = fields.field(deck.compress().as_bytes());
        let fields = fields.field(shares.as_flattened());
        fields.field(encryption.as_flattened()).digest("roster")
    }

    /// The context and the deck, for partials and shows.
    fn decks(&self) -> Fields {
        let deck = &self.shuffle[..64 * CARDS];
        let decks = Fields(Vec::new()).number(1).field(deck);
        self.context().field(&decks.digest("decks"))
    }

    /// `e`, `f_0` and `f_1` of seat 0.
    fn contribution(&self) -> [Scalar; 3] {
        let fields = Fields(Vec::new()).field(&MATCH).number(2).number(2);
        let fields = fields.number(0).field(&[SEEDS[0]; 32]);
        let mut output = fields.hash("dkg secrets");
        let secrets = [(); 3].map(|()| next_scalar(&mut output));
        let images = secrets.map(|secret| RistrettoPoint::mul_base(&secret).compress());
        assert_eq!(images[0].as_bytes(), &self.keys[0][..32]);
        let coefficients = [images[1], images[2]].map(|image| image.0);
        assert_eq!(coefficients.as_flattened(), &self.dealings[0][..64]);
        secrets
    }
}

/// The scalar at this place of a part, counted in elements.
fn element(part: &[u8], number: usize) -> Scalar {
    Scalar::from_canonical_bytes(part[32 * number..][..32].try_into().unwrap()).unwrap()
}

/// The point at this place of a part.
fn point(part: &[u8], number: usize) -> RistrettoPoint {
    let bytes = CompressedRistretto::from_slice(&part[32 * number..][..32]);
    bytes.unwrap().decompress().unwrap()
}

/// The nonce of the proof in a part whose challenge and response are at these places.
fn nonce(part: &[u8], challenge: usize, response: usize, secret: Scalar) -> Scalar {
    element(part, response) - element(part, challenge) * secret
}

#[test]
fn secrets_of_the_keys_are_wiped() {
    let secrets = {
        let _alone = alone();
        let mut share = Scalar::ZERO;
        let parts = play(|key| {
            share = Option::from(Scalar::from_canonical_bytes(*key.share())).unwrap();
        });
        let [e, f0, f1] = parts.contribution();
        // The key of the pads between the two seats.
        let shared = (point(&parts.keys[1], 0) * e).compress();
        let nonces = [
            nonce(&parts.keys[0], 1, 2, e),
            nonce(&parts.dealings[0], 2, 3, f0),
        ];
        let [e, f0, f1, share, n0, n1] =
            [e, f0, f1, share, nonces[0], nonces[1]].map(|secret| scalar(&secret));
        let mut key = [0; 48];
        key[..32].copy_from_slice(shared.as_bytes());
        [e, f0, f1, share, n0, n1, key]
    };
    // The contribution and the secret key contain `e`.
    check(&secrets, 32, &[2, 1, 1, 1, 0, 0, 0]);
}

#[test]
fn secrets_of_a_shuffle_are_wiped() {
    let (scalars, lists) = {
        let _alone = alone();
        let parts = play(|_| ());
        let start = (0..CARDS as u64).flat_map(|number| {
            let mut wide = [0; 64];
            let fields = Fields(Vec::new()).field(b"deck").number(number);
            fields.hash("card").fill(&mut wide);
            let card = RistrettoPoint::from_uniform_bytes(&wide);
            [[0; 32], card.compress().0]
        });
        let start: Vec<u8> = start.flatten().collect();
        let deck = &parts.shuffle[..64 * CARDS];
        let fields = parts.context().field(&start).field(&[SEEDS[1]; 32]);
        let mut output = fields.hash("shuffle secrets");
        let mut keys = [[0; 8]; CARDS];
        output.fill(keys.as_flattened_mut());
        let added = [(); CARDS].map(|()| next_scalar(&mut output));
        let numbers = keys.map(u64::from_le_bytes);
        let rank = |key: u64| numbers.iter().filter(|other| **other < key).count();
        let permutation = numbers.map(rank);
        let key = point(&parts.dealings[0], 0) + point(&parts.dealings[1], 0);
        for (i, (added, from)) in added.iter().zip(permutation).enumerate() {
            assert_eq!(point(deck, 2 * i), RistrettoPoint::mul_base(added));
            assert_eq!(
                point(deck, 2 * i + 1),
                point(&start, 2 * from + 1) + key * added
            );
        }

        let statement = parts.context().number(CARDS as u64);
        let digest = statement.field(&start).field(deck).digest("shuffle");
        let fields = parts.context().field(&digest).field(&[SEEDS[1] + 1; 32]);
        let mut output = fields.hash("shuffle nonces");
        let nonces = [(); 4 * CARDS + 4].map(|()| next_scalar(&mut output));
        let firsts = [0, 1].map(|i| point(&parts.shuffle, 5 * CARDS + i));
        let known = [0, 1].map(|i| RistrettoPoint::mul_base(&nonces[4 * CARDS + i]));
        assert_eq!(firsts, known);

        // The challenges in the order of the permutation: the end of one and the beginning of the
        // next one, which do not follow each other in the list of all challenges.
        let commitments = &parts.shuffle[64 * CARDS..][..32 * CARDS];
        let fields = parts.context().field(&digest).field(commitments);
        let mut output = fields.hash("shuffle u");
        let challenges = [(); CARDS].map(|()| next_scalar(&mut output));
        let apart = (1..CARDS)
            .find(|&i| permutation[i] != permutation[i - 1] + 1)
            .unwrap();
        let pair = [apart - 1, apart].map(|i| challenges[permutation[i]].to_bytes());
        let ranks = permutation.map(|rank| (rank as u64).to_le_bytes());
        let lists = [&keys, &ranks].map(|list| list.as_flattened().try_into().unwrap());
        let pair: Secret = pair.as_flattened()[8..56].try_into().unwrap();
        let [keys, ranks]: [Secret; 2] = lists;
        let [r, q, big_w, w] = [0, 1, 2, 3].map(|list| nonces[list * CARDS + 2]);
        let last: [Scalar; 4] = nonces[4 * CARDS..].try_into().unwrap();
        let secrets = [added[0], added[5], r, q, big_w, w, last[0], last[3]];
        (secrets.map(|secret| scalar(&secret)), [keys, ranks, pair])
    };
    check(&scalars, 32, &[0; 8]);
    check(&lists, 48, &[0; 3]);
}

#[test]
fn secrets_of_a_partial_and_of_a_show_are_wiped() {
    let secrets = {
        let _alone = alone();
        let mut share = Scalar::ZERO;
        let parts = play(|key| {
            share = Option::from(Scalar::from_canonical_bytes(*key.share())).unwrap();
        });
        let e = parts.contribution()[0];

        let (decks, partial) = (parts.decks(), &parts.partial);
        let slots = decks.clone().number(1).number(0).number(0).number(2);
        let fields = slots.clone().field(&[SEEDS[2]; 32]).field(share.as_bytes());
        let mask = next_scalar(&mut fields.hash("open secrets"));
        assert_eq!(RistrettoPoint::mul_base(&mask), point(partial, 0));
        let digest = slots.field(&partial[..64]).digest("open");
        let weight = next_scalar(&mut decks.clone().field(&digest).hash("open w"));
        let sum = weight * mask;
        let of_partial = [
            mask,
            sum,
            nonce(partial, 2, 3, share),
            nonce(partial, 2, 4, sum),
        ];

        let (received, show) = (&parts.received[..64], &parts.show);
        let cards = decks.clone().number(2).number(1).number(0).number(1);
        let cards = cards.number(1).number(1).field(received);
        let fields = cards.clone().field(&[SEEDS[3]; 32]).field(share.as_bytes());
        let mask = next_scalar(&mut fields.field(e.as_bytes()).hash("show secrets"));
        assert_eq!(RistrettoPoint::mul_base(&mask), point(show, 0));
        let digest = cards.field(&show[..64]).digest("show");
        let weight = next_scalar(&mut decks.field(&digest).hash("show w"));
        let sum = weight * mask;
        let nonces = [
            nonce(show, 2, 3, share),
            nonce(show, 2, 4, e),
            nonce(show, 2, 5, sum),
        ];
        let [a, b, c, d] = of_partial;
        let [k, l, m] = nonces;
        [a, b, c, d, mask, sum, k, l, m].map(|secret| scalar(&secret))
    };
    check(&secrets, 32, &[0; 9]);
}
