//! The promise: jointly dealt boards are complete deals. A hand reaches only the parties to which
//! it is opened. If a party enters an unbalanced word (one without each hand 13 times), the error
//! names this party, and no hand is opened.

use dealerless::Blame;
use dealerless::circuit::Party;
use dealerless::deck;
use dealerless::mpc::{self, Audience, Disagreement, Input, Malicious, Run, TwoParty};
use dealerless::net;
use dealerless::shuffle::split::{Entry, Split, SplitCircuit};
use dealerless::testing::forgery::Forgery;
use dealerless::testing::session::{Engine, in_memory, reveal, sessions, system_rng};
use dealerless_bridge::{Board, Compass, Hand, SealedBoards};

type Boards<E> = SealedBoards<<E as TwoParty>::Shared>;

dealerless::with_both_engines! {
    both_see_the_same_complete_and_distinct_deals,
    deal_is_determined_by_both_entries,
    hands_of_one_party_stay_hidden_from_the_other,
    invalid_openings_are_refused_before_sending_and_the_session_continues,
    circuit_for_another_pack_is_refused_before_sending,
    both_parties_need_the_same_context,
}

const GARBLER: Audience = Audience::Only(Party::Garbler);
const EVALUATOR: Audience = Audience::Only(Party::Evaluator);
const BOTH: Audience = Audience::Both;

fn circuit(ranks: usize, boards: usize) -> SplitCircuit {
    SplitCircuit::build(Split::new(ranks, boards).unwrap())
}

fn dealt<E: Engine>(session: &mut E, circuit: &SplitCircuit) -> Boards<E> {
    SealedBoards::deal(session, circuit, b"a tournament", &mut system_rng()).unwrap()
}

fn both_see_the_same_complete_and_distinct_deals<E: Engine>() {
    let circuit = circuit(13, 7);
    let [mine, theirs] = sessions(in_memory(), |session: &mut E| {
        SealedBoards::prepare(session, &circuit, 2).unwrap();
        let mut all = Vec::new();
        for first in [1, 8] {
            let mut boards = dealt(session, &circuit);
            assert_eq!((boards.len(), boards.is_empty()), (7, false));
            assert_eq!(boards.boards(first), None);
            boards.open_all(session).unwrap();
            all.extend(boards.boards(first).unwrap());
            // Opening all hands again is allowed.
            boards.open_all(session).unwrap();
            // Board numbers must not overflow.
            assert!(boards.boards(u32::MAX - 6).is_some());
            assert_eq!(boards.boards(u32::MAX - 5), None);
        }
        all
    });
    assert_eq!(mine, theirs);
    let numbers: Vec<u32> = mine.iter().map(|board| board.number).collect();
    assert_eq!(numbers, (1..=14).collect::<Vec<_>>());
    for (at, Board { deal, .. }) in mine.iter().enumerate() {
        assert!(mine[..at].iter().all(|earlier| earlier.deal != *deal));
    }
}

/// Compares the hands of a joint run with those of a plaintext evaluation of the same inputs.
fn deal_is_determined_by_both_entries<E: Engine>() {
    let circuit = circuit(13, 2);
    let entered = Party::BOTH.map(|party| circuit.sample(party, &mut system_rng()));
    let bits = entered.each_ref().map(|of| of.bits().to_vec());
    let expected = circuit.decode(&circuit.circuit().evaluate(&bits).unwrap());
    let [mine, theirs] = sessions(in_memory(), |session: &mut E| {
        let bits = &bits[session.role() as usize];
        let run = Run::new(circuit.circuit(), &Input::ONE_EACH, bits);
        let words = session.run(run).unwrap();
        let hands = words.iter().take(8);
        let hands: Vec<_> = hands.map(|hand| reveal(session, hand).unwrap()).collect();
        circuit.decode(&hands)
    });
    assert_eq!((&mine, &theirs), (&expected, &expected));
}

fn hands_of_one_party_stay_hidden_from_the_other<E: Engine>() {
    let circuit = circuit(13, 2);
    let [north_south, east_west] = sessions(in_memory(), |session: &mut E| {
        let mut boards = dealt(session, &circuit);
        let me = session.role();
        let openings = [
            (1, Compass::East, EVALUATOR),
            (0, Compass::North, GARBLER),
            (1, Compass::North, GARBLER),
            (0, Compass::South, GARBLER),
            (0, Compass::East, EVALUATOR),
            (1, Compass::West, BOTH),
        ];
        let learned = boards.open(session, &openings).unwrap();
        for (&(board, seat, to), hand) in openings.iter().zip(&learned) {
            assert_eq!(hand.is_some(), to.includes(me));
            assert_eq!(boards.seen(board, seat), *hand);
        }
        assert_eq!((boards.boards(1), boards.deal_of(0)), (None, None));
        // The garbler opens one of its hands to the evaluator, and then all hands are opened.
        let shown = [(0, Compass::North, EVALUATOR)];
        let shown = boards.open(session, &shown).unwrap()[0];
        assert_eq!(shown.is_some(), me == Party::Evaluator);
        let first = boards.seen(0, Compass::North);
        assert!(first.is_some() && boards.deal_of(0).is_none());
        boards.open_all(session).unwrap();
        let all = boards.boards(1).unwrap();
        for (&(board, seat, _), hand) in openings.iter().zip(&learned) {
            let hand = hand.unwrap_or(all[board].deal.hand(seat));
            assert_eq!(all[board].deal.hand(seat), hand);
        }
        assert_eq!(first, Some(all[0].deal.hand(Compass::North)));
        all
    });
    assert_eq!(north_south, east_west);
}

fn usage(outcome: deck::Result<Vec<Option<Hand>>>) -> String {
    match outcome {
        Err(deck::Error::Usage(what)) => what,
        other => panic!("{other:?}"),
    }
}

fn invalid_openings_are_refused_before_sending_and_the_session_continues<E: Engine>() {
    let circuit = circuit(13, 3);
    let [mine, theirs] = sessions(in_memory(), |session: &mut E| {
        let mut boards = dealt(session, &circuit);
        let opened = [(0, Compass::North, GARBLER), (1, Compass::West, BOTH)];
        boards.open(session, &opened).unwrap();
        let before = session.traffic();
        let (north, west) = (Compass::North, Compass::West);
        for (openings, reason) in [
            (&[(3, north, BOTH)][..], "board 3 does not exist"),
            (
                &[(2, west, GARBLER), (usize::MAX, north, BOTH)],
                "does not exist",
            ),
            (&[(0, north, GARBLER)], "already been opened to the garbler"),
            (
                &[(0, north, BOTH)],
                "opened to the garbler: open it to the evaluator alone",
            ),
            (&[(1, west, EVALUATOR)], "opened to the evaluator"),
            (&[(2, west, GARBLER), (1, west, BOTH)], "already"),
            (&[(2, west, GARBLER), (2, west, EVALUATOR)], "named twice"),
        ] {
            let what = usage(boards.open(session, openings));
            assert!(what.contains(reason), "{what}");
        }
        assert_eq!(session.traffic(), before);
        assert_eq!(boards.seen(2, Compass::West), None);
        assert_eq!(boards.seen(usize::MAX, Compass::West), None);
        boards.open_all(session).unwrap();
        boards.boards(1).unwrap()
    });
    assert_eq!(mine, theirs);
}

fn circuit_for_another_pack_is_refused_before_sending<E: Engine>() {
    let small = circuit(12, 1);
    sessions(in_memory(), |session: &mut E| {
        let before = session.traffic();
        let prepared = SealedBoards::prepare(session, &small, 1);
        let dealt = SealedBoards::deal(session, &small, &[], &mut system_rng()).map(drop);
        for outcome in [prepared, dealt] {
            let what = usage(outcome.map(|()| Vec::new()));
            assert!(what.contains("52 cards, not 48"), "{what}");
        }
        assert_eq!(session.traffic(), before);
    });
}

fn both_parties_need_the_same_context<E: Engine>() {
    let circuit = circuit(13, 1);
    let contexts: [&[u8]; 2] = [b"round 1", b"round 2"];
    let outcomes = sessions(in_memory(), |session: &mut E| {
        let context = contexts[session.role() as usize];
        SealedBoards::deal(session, &circuit, context, &mut system_rng()).map(drop)
    });
    let errors = outcomes.map(|outcome| match outcome {
        Err(deck::Error::Session(error)) => error,
        other => panic!("{other:?}"),
    });
    let named = |error: &mpc::Error| matches!(error, mpc::Error::Disagreement(Disagreement::Plan));
    let aborted = |error: &mpc::Error| matches!(error, mpc::Error::Channel(net::Error::Aborted));
    assert!(errors.iter().any(named), "{errors:?}");
    assert!(
        errors.iter().all(|error| named(error) || aborted(error)),
        "{errors:?}"
    );
}

/// The garbler enters the word of the second board, and the evaluator the word of the first board.
/// The cheater changes one hand in its word. The honest party ends the session before it opens any
/// bit of a hand.
#[test]
fn party_with_an_unbalanced_word_is_named_and_sees_no_hand() {
    let circuit = circuit(13, 2);
    for cheater in Party::BOTH {
        let outcomes = sessions(in_memory(), |session: &mut Malicious| {
            if session.role() != cheater {
                let outcome = SealedBoards::deal(session, &circuit, &[], &mut system_rng());
                return Some(outcome.map(drop));
            }
            let bits = circuit.sample(cheater, &mut system_rng());
            let mut entries = circuit.entered(cheater, bits.bits()).unwrap();
            let words = entries.iter_mut().filter_map(|entry| match entry {
                Entry::Hands(word) => Some(word),
                Entry::Places(_) => None,
            });
            for word in words {
                let first = word[0];
                let other = word.iter_mut().find(|hand| **hand != first).unwrap();
                *other = first;
            }
            let entered = circuit.encode(cheater, &entries).unwrap();
            let run = Run::new(circuit.circuit(), &Input::ONE_EACH, entered.bits());
            let words = session.run(run).unwrap();
            let valid = reveal(session, &words[circuit.validity()]).unwrap();
            assert_eq!(valid, Party::BOTH.map(|party| party != cheater));
            assert!(reveal(session, &words[0]).is_err());
            None
        });
        match &outcomes[cheater.other() as usize] {
            Some(Err(error)) => {
                let named = deck::Check::SeedsOutOfRange(cheater);
                let of_deck = matches!(error, deck::Error::Check(check) if *check == named);
                assert!(of_deck, "{error:?}");
                assert_eq!(error.blame(), Blame::CheatOrConnection);
            }
            other => panic!("{other:?}"),
        }
    }
}

/// A peer that cheats in a semi-honest session can cause impossible hands.
#[test]
fn impossible_hands_end_the_session() {
    let circuit = circuit(13, 1);
    let thirteen = (1 << 13) - 1;
    let valid = 0b11;
    let hands = |words: [u64; 4]| words.into_iter().chain([valid]).collect::<Vec<u64>>();
    let good = [thirteen, thirteen << 13, thirteen << 26, thirteen << 39];
    let openings = Compass::ALL.map(|seat| (0, seat, BOTH));
    let opened = |words: [u64; 4], at_once: bool| {
        let mut forgery = Forgery::of([hands(words)]);
        let mut boards =
            SealedBoards::deal(&mut forgery, &circuit, &[], &mut system_rng()).unwrap();
        let outcome = if at_once {
            boards.open(&mut forgery, &openings).map(drop)
        } else {
            (openings.iter())
                .try_for_each(|opening| boards.open(&mut forgery, &[*opening]).map(drop))
        };
        assert_eq!(forgery.aborted, outcome.is_err());
        assert_eq!(boards.boards(1).is_some(), outcome.is_ok());
        outcome
    };
    for at_once in [true, false] {
        assert!(opened(good, at_once).is_ok());
        for (hand, bits) in [(0, 0), (1, 0xfff << 13), (2, thirteen << 26 | 1), (3, !0)] {
            let mut words = good;
            words[hand] = bits;
            let outcome = opened(words, at_once);
            assert!(
                matches!(outcome, Err(deck::Error::Check(deck::Check::NotInDeck))),
                "{hand} {outcome:?}"
            );
        }
        for (hand, other) in [(1, 0), (3, 0), (3, 2)] {
            let mut words = good;
            words[hand] = words[other] ^ 1 << (13 * other) ^ 1 << (13 * hand);
            let twice = deck::Check::OpenedTwice;
            let outcome = opened(words, at_once);
            let is_twice = matches!(&outcome, Err(deck::Error::Check(check)) if *check == twice);
            assert!(is_twice, "{hand} {other} {outcome:?}");
        }
    }
}
