//! A pile has several cards of each kind. Every order of the kinds is equally likely. Until a drawn
//! card is shown, only the party that drew it knows it.

use std::collections::HashMap;

use dealerless::circuit::Party;
use dealerless::deck::{Card, Choice, Error, Kinds, Pile, SealedDeck, circuit};
use dealerless::mpc::Security;
use dealerless::shuffle::{Algorithm, Spec, plaintext};
use dealerless::testing::session::{Engine, in_memory, sessions, system_rng};

dealerless::with_both_engines! {
    drawn_card_is_known_to_its_owner_until_it_is_shown,
    position_that_nobody_holds_cannot_be_shown_or_played,
    stolen_card_changes_hands,
}

/// Shuffles a pile, and lets both parties act on it.
fn with_pile<E: Engine, R: Send>(
    counts: &[u32],
    act: impl Fn(&mut E, &mut Pile<E::Shared>) -> R + Sync,
) -> [R; 2] {
    let kinds = Kinds::new(counts).unwrap();
    let spec = Choice::Cheapest.spec(kinds.cards(), kinds.cards());
    let shuffle = circuit(spec.unwrap(), Security::Malicious);
    sessions(in_memory(), |session: &mut E| {
        let deck = SealedDeck::shuffle(session, &shuffle, &mut system_rng()).unwrap();
        let mut pile = Pile::new(kinds.clone(), deck).unwrap();
        act(session, &mut pile)
    })
}

#[test]
fn every_order_of_the_kinds_is_equally_frequent() {
    for (counts, orders) in [
        (&[2, 2][..], 6),
        (&[3, 1, 1], 20),
        (&[4, 1], 5),
        (&[2, 2, 1], 30),
    ] {
        let kinds = Kinds::new(counts).unwrap();
        let n = kinds.cards();
        let spec = Spec::new(n, n, Algorithm::FisherYates).unwrap();
        // All seeds of one party, with fixed seeds of the other party.
        let mut seen: HashMap<Vec<usize>, usize> = HashMap::new();
        let mut decks = 0;
        let mut seeds = vec![0; n - 1];
        'all: loop {
            let cards = plaintext(spec, &seeds, &vec![0; n - 1]).unwrap();
            let order = cards
                .iter()
                .map(|&card| kinds.of(Card(card.into())).unwrap());
            *seen.entry(order.collect()).or_default() += 1;
            decks += 1;
            for (draw, seed) in seeds.iter_mut().enumerate() {
                *seed += 1;
                if *seed < (n - draw) as u64 {
                    continue 'all;
                }
                *seed = 0;
            }
            break;
        }
        assert_eq!(seen.len(), orders);
        assert!(
            seen.values().all(|&times| times == decks / orders),
            "{seen:?}"
        );
    }
}

#[test]
fn counts_determine_the_kind_of_a_card() {
    let kinds = Kinds::new(&[2, 0, 3]).unwrap();
    assert_eq!((kinds.cards(), kinds.counts()), (5, &[2, 0, 3][..]));
    let of: Vec<_> = (0..6).map(|card| kinds.of(Card(card))).collect();
    assert_eq!(of, [Some(0), Some(0), Some(2), Some(2), Some(2), None]);
    assert_eq!(kinds.of(Card(u64::MAX)), None);
    for counts in [&[][..], &[1], &[0, 0], &[4000, 97], &[u32::MAX, u32::MAX]] {
        assert!(Kinds::new(counts).is_err(), "{counts:?}");
    }
}

fn drawn_card_is_known_to_its_owner_until_it_is_shown<E: Engine>() {
    use Party::{Evaluator, Garbler};
    let [mine, theirs] = with_pile(&[3, 2, 1], |session: &mut E, pile| {
        let me = session.role();
        let mut shown = Vec::new();
        for (number, by) in [Garbler, Evaluator, Garbler].into_iter().enumerate() {
            let position = pile.draw(session, by).unwrap();
            assert_eq!((position, pile.left()), (number, 5 - number));
            assert_eq!(pile.kind(position).is_some(), by == me);
        }
        assert_eq!(
            (pile.hand(Garbler), pile.hand(Evaluator)),
            (vec![0, 2], vec![1])
        );
        // A card is shown and stays in the hand. Then it is played.
        shown.push(pile.show(session, 2).unwrap());
        assert_eq!(pile.kind(2), Some(shown[0]));
        assert_eq!(pile.hand(Garbler), [0, 2]);
        assert_eq!(pile.play(session, 2).unwrap(), shown[0]);
        assert_eq!(pile.hand(Garbler), [0]);
        // A card that has not been shown is played.
        let own = pile.kind(1);
        shown.push(pile.play(session, 1).unwrap());
        assert!(own.is_none_or(|own| own == shown[1]));
        assert!(pile.hand(Evaluator).is_empty());
        assert_eq!(pile.kind(0).is_some(), me == Garbler);
        for _ in 0..3 {
            let drawn = pile.draw(session, Evaluator).unwrap();
            shown.push(pile.show(session, drawn).unwrap());
        }
        shown.push(pile.play(session, 0).unwrap());
        assert_eq!(pile.left(), 0);
        shown
    });
    assert_eq!(mine, theirs);
    let mut kinds = mine;
    kinds.sort_unstable();
    assert_eq!(kinds, [0, 0, 0, 1, 1, 2]);
}

fn position_that_nobody_holds_cannot_be_shown_or_played<E: Engine>() {
    with_pile(&[1, 1], |session: &mut E, pile| {
        let drawn = pile.draw(session, Party::Garbler).unwrap();
        pile.play(session, drawn).unwrap();
        let before = session.traffic();
        for position in [drawn, 1, 2, usize::MAX] {
            for refused in [pile.show(session, position), pile.play(session, position)] {
                assert!(matches!(refused, Err(Error::Usage(_))), "{position}");
            }
        }
        for owner in Party::BOTH {
            let refused = pile.steal(session, owner, &mut system_rng());
            assert!(matches!(refused, Err(Error::Usage(_))));
        }
        assert_eq!(session.traffic(), before);
        let last = pile.draw(session, Party::Evaluator).unwrap();
        pile.show(session, last).unwrap();
        assert!(matches!(pile.show(session, last), Err(Error::Usage(_))));
        assert!(matches!(
            pile.draw(session, Party::Garbler),
            Err(Error::Usage(_))
        ));
    });
}

fn stolen_card_changes_hands<E: Engine>() {
    let [mine, theirs] = with_pile(&[3, 3], |session: &mut E, pile| {
        for _ in 0..3 {
            pile.draw(session, Party::Garbler).unwrap();
        }
        // A played card cannot be stolen, but a shown card can.
        pile.play(session, 0).unwrap();
        pile.show(session, 2).unwrap();
        let kind = pile.steal(session, Party::Garbler, &mut system_rng());
        let kind = kind.unwrap();
        assert_eq!(
            (pile.hand(Party::Garbler), pile.hand(Party::Evaluator)),
            (vec![2], vec![1])
        );
        assert_eq!(pile.kind(1), Some(kind));
        assert_eq!(pile.kind(2).is_some(), session.role() == Party::Garbler);
        // Both parties know the stolen card, and the thief plays it as its own.
        assert_eq!(pile.play(session, 1).unwrap(), kind);
        (kind, pile.play(session, 2).unwrap())
    });
    assert_eq!(mine, theirs);
}

#[test]
fn pile_and_deck_must_have_the_same_number_of_cards() {
    let outcomes = sessions(in_memory(), |session: &mut dealerless::mpc::SemiHonest| {
        let spec = Spec::new(6, 6, Algorithm::FisherYates).unwrap();
        let shuffle = circuit(spec, Security::SemiHonest);
        let deck = SealedDeck::shuffle(session, &shuffle, &mut system_rng()).unwrap();
        Pile::new(Kinds::new(&[3, 2]).unwrap(), deck).map(drop)
    });
    assert!(
        outcomes
            .iter()
            .all(|outcome| matches!(outcome, Err(Error::Usage(_))))
    );
}
