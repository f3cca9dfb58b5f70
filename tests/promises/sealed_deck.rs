//! A sealed deck opens card by card, and only to the given audience. Its cards are those that the
//! seeds of both parties determine.

use dealerless::circuit::Party;
use dealerless::deck::{Card, Check, Error, SealedDeck};
use dealerless::mpc::{self, Audience, Disagreement, Input, Malicious, Run, TwoParty};
use dealerless::net;
use dealerless::shuffle::{Algorithm, Randomness, ShuffleCircuit, Spec, plaintext};
use dealerless::testing::forgery::Forgery;
use dealerless::testing::session::{Engine, in_memory, reveal, sessions, system_rng};
use rand::rngs::ChaCha20Rng;
use rand::{RngExt, SeedableRng};

type Deck<E> = SealedDeck<<E as TwoParty>::Shared>;

dealerless::with_both_engines! {
    full_deck_is_the_same_permutation_for_both,
    cards_open_only_to_their_audience_in_any_order,
    owner_of_a_card_can_show_it_later,
    invalid_openings_are_refused_and_the_session_stays_usable,
    decks_of_one_session_do_not_mix,
    hundreds_of_shuffles_agree_with_their_seeds,
    decks_need_the_same_context_on_both_sides,
}

const GARBLER: Audience = Audience::Only(Party::Garbler);
const EVALUATOR: Audience = Audience::Only(Party::Evaluator);

fn circuit(cards: usize, draw: usize, algorithm: Algorithm) -> ShuffleCircuit {
    ShuffleCircuit::build_checked(Spec::new(cards, draw, algorithm).unwrap())
}

/// Shuffles a deck with fresh randomness, and lets both parties act on it.
fn with_deck<E: Engine, R: Send>(
    shuffle: &ShuffleCircuit,
    act: impl Fn(&mut E, &mut Deck<E>) -> R + Sync,
) -> [R; 2] {
    sessions(in_memory(), |session: &mut E| {
        let mut deck = SealedDeck::shuffle(session, shuffle, &mut system_rng()).unwrap();
        assert_eq!(deck.len(), shuffle.spec().draw());
        assert!((0..deck.len()).all(|position| deck.seen(position).is_none()));
        act(session, &mut deck)
    })
}

/// Opens one card to both parties.
fn show<E: Engine>(session: &mut E, deck: &mut Deck<E>, position: usize) -> Card {
    deck.open(session, &[(position, Audience::Both)]).unwrap()[0].expect("a card opened to both")
}

#[track_caller]
fn assert_permutation(mut cards: Vec<Card>, of: u64) {
    cards.sort();
    assert_eq!(cards, (0..of).map(Card).collect::<Vec<_>>());
}

fn full_deck_is_the_same_permutation_for_both<E: Engine>() {
    for algorithm in Algorithm::ALL {
        for cards in [2, 3, 5, 16, 52] {
            let shuffle = circuit(cards, cards, algorithm);
            let [mine, theirs] = with_deck(&shuffle, |session: &mut E, deck| {
                // The cards are opened from the last to the first, each in its own exchange.
                (0..cards)
                    .rev()
                    .map(|position| show(session, deck, position))
                    .collect::<Vec<_>>()
            });
            assert_eq!(mine, theirs);
            assert_permutation(mine, cards as u64);
        }
    }
}

fn cards_open_only_to_their_audience_in_any_order<E: Engine>() {
    for algorithm in Algorithm::ALL {
        let shuffle = circuit(52, 9, algorithm);
        let [garbler, evaluator] = with_deck(&shuffle, |session: &mut E, deck| {
            let mut learned = [None; 9];
            // The hole cards in one exchange, then the board in three, out of order.
            for exchange in [
                &[(3, EVALUATOR), (0, GARBLER), (2, GARBLER), (1, EVALUATOR)][..],
                &[
                    (8, Audience::Both),
                    (4, Audience::Both),
                    (6, Audience::Both),
                ],
                &[(5, Audience::Both)],
                &[(7, Audience::Both)],
                &[],
            ] {
                let cards = deck.open(session, exchange).unwrap();
                assert_eq!(cards.len(), exchange.len());
                for (&(position, to), card) in exchange.iter().zip(cards) {
                    assert_eq!(card.is_some(), to.includes(session.role()));
                    learned[position] = card;
                }
            }
            assert_eq!(learned, std::array::from_fn(|position| deck.seen(position)));
            learned
        });
        assert_eq!(
            garbler.map(|card| card.is_some())[..4],
            [true, false, true, false]
        );
        assert_eq!(
            evaluator.map(|card| card.is_some())[..4],
            [false, true, false, true]
        );
        assert_eq!(garbler[4..], evaluator[4..]);
        let mut all: Vec<Card> = garbler.into_iter().chain(evaluator).flatten().collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 9, "a card was dealt twice: {all:?}");
        assert!(all.iter().all(|card| card.0 < 52));
    }
}

fn owner_of_a_card_can_show_it_later<E: Engine>() {
    let [garbler, evaluator] = with_deck(
        &circuit(10, 4, Algorithm::FisherYates),
        |session: &mut E, deck| {
            let dealt = deck.open(session, &[(2, GARBLER)]).unwrap()[0];
            let shown = deck.open(session, &[(2, EVALUATOR)]).unwrap()[0];
            assert_eq!(deck.seen(2), dealt.or(shown));
            (dealt, shown)
        },
    );
    assert!(garbler.0.is_some() && garbler.1.is_none());
    assert_eq!(evaluator, (None, garbler.0));
}

fn invalid_openings_are_refused_and_the_session_stays_usable<E: Engine>() {
    let [mine, theirs] = with_deck(
        &circuit(6, 5, Algorithm::FisherYates),
        |session: &mut E, deck| {
            deck.open(session, &[(0, GARBLER), (1, Audience::Both)])
                .unwrap();
            let before = session.traffic();
            for (openings, reason) in [
                (&[(5, Audience::Both)][..], "was not drawn"),
                (&[(2, GARBLER), (usize::MAX, EVALUATOR)], "was not drawn"),
                (&[(0, GARBLER)], "already been opened to the garbler"),
                (
                    &[(0, Audience::Both)],
                    "opened to the garbler: open it to the evaluator alone",
                ),
                (&[(1, GARBLER)], "already been opened to the garbler"),
                (
                    &[(2, GARBLER), (1, EVALUATOR)],
                    "already been opened to the evaluator",
                ),
                (
                    &[(2, GARBLER), (3, Audience::Both), (2, GARBLER)],
                    "appears twice",
                ),
                (&[(2, GARBLER), (2, EVALUATOR)], "appears twice"),
            ] {
                match deck.open(session, openings) {
                    Err(Error::Usage(what)) => assert!(what.contains(reason), "{what}"),
                    other => panic!("{openings:?}: {other:?}"),
                }
            }
            assert_eq!(session.traffic(), before);
            assert!((2..5).all(|position| deck.seen(position).is_none()));
            // The session can still show the garbler's card, open the other cards and shuffle
            // another deck.
            deck.open(session, &[(0, EVALUATOR)]).unwrap();
            for position in 2..5 {
                show(session, deck, position);
            }
            let shuffle = circuit(6, 1, Algorithm::Bubble);
            let mut next = SealedDeck::shuffle(session, &shuffle, &mut system_rng()).unwrap();
            show(session, &mut next, 0);
            (0..5)
                .map(|position| deck.seen(position).unwrap())
                .collect::<Vec<_>>()
        },
    );
    assert_eq!(mine, theirs);
}

fn decks_of_one_session_do_not_mix<E: Engine>() {
    let shuffle = circuit(20, 20, Algorithm::FisherYates);
    let [mine, theirs] = with_deck(&shuffle, |session: &mut E, first| {
        let mut second = SealedDeck::shuffle(session, &shuffle, &mut system_rng()).unwrap();
        let mut cards = [vec![], vec![]];
        for position in 0..20 {
            cards[1].push(show(session, &mut second, position));
            cards[0].push(show(session, first, position));
        }
        cards
    });
    assert_eq!(mine, theirs);
    for deck in mine {
        assert_permutation(deck, 20);
    }
}

fn hundreds_of_shuffles_agree_with_their_seeds<E: Engine>() {
    let shuffles = [
        circuit(10, 4, Algorithm::FisherYates),
        circuit(7, 7, Algorithm::Bubble),
        circuit(52, 5, Algorithm::FisherYates),
        circuit(13, 2, Algorithm::Bubble),
    ];
    let seed: u64 = system_rng().random();
    println!("seed {seed}");
    sessions(in_memory(), |session: &mut E| {
        let mut coins = ChaCha20Rng::seed_from_u64(seed);
        for number in 0..300 {
            let shuffle = &shuffles[number % shuffles.len()];
            let values = Party::BOTH.map(|party| {
                (shuffle.seeds(party).iter())
                    .map(|seed| coins.random_range(0..seed.modulus))
                    .collect::<Vec<u64>>()
            });
            let me = session.role();
            let mine = Randomness::from_values(shuffle, me, &values[me as usize]).unwrap();
            let run = Run::new(shuffle.circuit(), &Input::ONE_EACH, mine.bits());
            let words = session.run(run).unwrap();
            let opened: Vec<Vec<bool>> = words
                .iter()
                .map(|word| reveal(session, word).unwrap())
                .collect();
            let expected = plaintext(shuffle.spec(), &values[0], &values[1]).unwrap();
            assert_eq!(shuffle.decode(&opened), expected, "shuffle {number}");
        }
    });
}

fn decks_need_the_same_context_on_both_sides<E: Engine>() {
    let shuffle = circuit(10, 2, Algorithm::FisherYates);
    let outcomes = |contexts: [&[u8]; 2]| {
        sessions(in_memory(), |session: &mut E| {
            let context = contexts[session.role() as usize];
            let rng = &mut system_rng();
            SealedDeck::shuffle_in(session, &shuffle, context, rng).map(drop)
        })
    };
    assert!(outcomes([b"hand 1"; 2]).iter().all(Result::is_ok));
    for others in [[&b"hand 1"[..], b"hand 2"], [b"hand 1", b""]] {
        let errors = outcomes(others).map(|outcome| match outcome {
            Err(Error::Session(error)) => error,
            other => panic!("{other:?}"),
        });
        let detected =
            |error: &mpc::Error| matches!(error, mpc::Error::Disagreement(Disagreement::Plan));
        let aborted =
            |error: &mpc::Error| matches!(error, mpc::Error::Channel(net::Error::Aborted));
        assert!(errors.iter().any(detected), "{errors:?}");
        assert!(
            errors.iter().all(|error| detected(error) || aborted(error)),
            "{errors:?}"
        );
    }
}

#[test]
fn impossible_card_ends_the_session() {
    let shuffle = ShuffleCircuit::build(Spec::new(52, 3, Algorithm::FisherYates).unwrap());
    for (words, check) in [
        (vec![51, 0, 52], Check::NotInDeck),
        (vec![51, 0, 63], Check::NotInDeck),
        (vec![51, 0, 51], Check::OpenedTwice),
        (vec![51, 0, 0], Check::OpenedTwice),
    ] {
        for at_once in [true, false] {
            let mut forgery = Forgery::of([words.clone()]);
            let mut deck = SealedDeck::shuffle(&mut forgery, &shuffle, &mut system_rng()).unwrap();
            let openings = [(0, EVALUATOR), (1, Audience::Both), (2, EVALUATOR)];
            let outcome = if at_once {
                deck.open(&mut forgery, &openings)
            } else {
                assert_eq!(
                    deck.open(&mut forgery, &openings[..2]).unwrap(),
                    [Some(Card(51)), Some(Card(0))]
                );
                assert!(!forgery.aborted);
                deck.open(&mut forgery, &openings[2..])
            };
            match outcome {
                Err(Error::Check(found)) => assert_eq!(found, check),
                other => panic!("{words:?}: {other:?}"),
            }
            assert!(forgery.aborted);
            assert_eq!(deck.seen(2), None);
        }
    }
}

#[test]
fn seeds_out_of_range_end_the_session() {
    let shuffle = ShuffleCircuit::build_checked(Spec::new(52, 2, Algorithm::FisherYates).unwrap());
    assert_eq!(shuffle.validity(), Some(2));
    // The third word has a bit for the garbler and a bit for the evaluator: whether the seeds of
    // the party are in range.
    for (validity, culprit) in [
        (0b11, None),
        (0b10, Some(Party::Garbler)),
        (0b01, Some(Party::Evaluator)),
    ] {
        let mut forgery = Forgery::of([vec![5, 6, validity]]);
        match SealedDeck::shuffle(&mut forgery, &shuffle, &mut system_rng()) {
            Ok(deck) => assert_eq!((deck.len(), culprit), (2, None)),
            Err(Error::Check(Check::SeedsOutOfRange(party))) => assert_eq!(Some(party), culprit),
            Err(other) => panic!("{other}"),
        }
        assert_eq!(forgery.aborted, culprit.is_some());
    }
}

#[test]
fn malicious_session_refuses_an_unchecked_circuit_before_anything_is_sent() {
    sessions(in_memory(), |session: &mut Malicious| {
        let before = session.traffic();
        let spec = Spec::new(10, 2, Algorithm::FisherYates).unwrap();
        let unchecked = ShuffleCircuit::build(spec);
        let outcome = SealedDeck::shuffle(session, &unchecked, &mut system_rng());
        assert!(matches!(outcome, Err(Error::Usage(_))));
        assert_eq!(session.traffic(), before);
        let checked = ShuffleCircuit::build_checked(spec);
        assert!(SealedDeck::shuffle(session, &checked, &mut system_rng()).is_ok());
    });
}
