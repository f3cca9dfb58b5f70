//! A stolen card is a uniformly random card of the hand. Both parties learn this card. The thief
//! learns nothing about the other cards or their places.

use std::collections::HashMap;

use dealerless::circuit::Party;
use dealerless::deck::{Card, Check, Error, SealedDeck};
use dealerless::mpc::{self, Audience, Disagreement, Malicious, TwoParty};
use dealerless::net;
use dealerless::shuffle::{Algorithm, Reshuffle, ShuffleCircuit, Spec};
use dealerless::testing::chi_square::{SUSPICIOUS, ln_p_of_pair, ln_p_of_places_and_cards};
use dealerless::testing::forgery::Forgery;
use dealerless::testing::session::{Engine, in_memory, sessions, system_rng};

type Deck<E> = SealedDeck<<E as TwoParty>::Shared>;

dealerless::with_both_engines! {
    hands_that_steal_from_each_other_lose_no_card,
    last_card_of_a_hand_can_be_stolen,
    invalid_steals_are_refused_before_anything_is_sent,
    different_steals_are_noticed,
}

/// All permutations of `0..n`.
fn permutations(n: u32) -> Vec<Vec<u32>> {
    (0..n).fold(vec![Vec::new()], |all, item| {
        let longer = |shorter: &Vec<u32>| {
            let shorter = shorter.clone();
            let at = move |place| [&shorter[..place], &[item], &shorter[place..]].concat();
            (0..=item as usize).map(at).collect::<Vec<_>>()
        };
        all.iter().flat_map(longer).collect()
    })
}

fn word(card: u32, bits: usize) -> Vec<bool> {
    (0..bits).map(|bit| card >> bit & 1 == 1).collect()
}

fn number(bits: &[bool]) -> u32 {
    bits.iter().rev().fold(0, |n, &bit| n << 1 | u32::from(bit))
}

/// Reshuffles a hand of the cards 0, 1, … with these settings. Each card has `bits` bits.
fn shuffled(reshuffle: &Reshuffle, settings: [&[bool]; 2], bits: usize) -> Vec<u32> {
    let mut inputs: Vec<Vec<bool>> = settings.map(<[bool]>::to_vec).into();
    inputs.extend((0..reshuffle.cards() as u32).map(|card| word(card, bits)));
    let outputs = reshuffle.circuit().evaluate(&inputs).unwrap();
    outputs.iter().map(|word| number(word)).collect()
}

#[test]
fn reshuffle_composes_the_permutations_of_both_parties() {
    for n in 1..=4 {
        let reshuffle = Reshuffle::new(n, 3);
        let all = permutations(n as u32);
        for (g, e) in all.iter().flat_map(|g| all.iter().map(move |e| (g, e))) {
            let settings = [g, e].map(|permutation| reshuffle.set(permutation).unwrap());
            let cards = shuffled(&reshuffle, settings.each_ref().map(|set| set.bits()), 3);
            let expected: Vec<u32> = e.iter().map(|&place| g[place as usize]).collect();
            assert_eq!(cards, expected, "{g:?} {e:?}");
        }
    }
}

/// This implies that the first card, which is stolen, is uniform. Given this card and the inputs of
/// the thief, all orders of the other cards are equally likely.
#[test]
fn every_order_is_equally_frequent_over_the_permutations_of_each_party() {
    for n in 1..=5 {
        let reshuffle = Reshuffle::new(n, 3);
        let all = permutations(n as u32);
        let settings: Vec<_> = all.iter().map(|p| reshuffle.set(p).unwrap()).collect();
        // For five cards, every eighth setting is enough, since all settings would take too long.
        for fixed in settings.iter().step_by(if n == 5 { 8 } else { 1 }) {
            for mine in Party::BOTH {
                let mut orders: Vec<Vec<u32>> = (settings.iter())
                    .map(|other| {
                        let both = match mine {
                            Party::Garbler => [fixed.bits(), other.bits()],
                            Party::Evaluator => [other.bits(), fixed.bits()],
                        };
                        shuffled(&reshuffle, both, 3)
                    })
                    .collect();
                orders.sort();
                let mut expected = all.clone();
                expected.sort();
                assert_eq!(orders, expected, "{n} cards, {mine}");
            }
        }
    }
}

#[test]
fn any_input_bits_only_permute_the_hand() {
    for n in 1..=4 {
        let reshuffle = Reshuffle::new(n, 3);
        let switches = reshuffle.circuit().inputs()[0];
        for settings in 0..1_u32 << (2 * switches) {
            let [mine, theirs] = [settings, settings >> switches].map(|bits| word(bits, switches));
            let mut cards = shuffled(&reshuffle, [&mine, &theirs], 3);
            cards.sort_unstable();
            assert!(cards.into_iter().eq(0..n as u32), "{settings:b}");
        }
    }
}

#[test]
fn seven_cards_are_uniform_over_thousands_of_shuffles() {
    let reshuffle = Reshuffle::new(7, 6);
    let draws: Vec<Vec<u32>> = (0..20_000)
        .map(|_| {
            let settings = [(); 2].map(|()| reshuffle.sample(&mut system_rng()));
            shuffled(&reshuffle, settings.each_ref().map(|set| set.bits()), 6)
        })
        .collect();
    for (of, ln_p) in [
        ("places and cards", ln_p_of_places_and_cards(&draws, 7)),
        (
            "the stolen card and the next",
            ln_p_of_pair(&draws, 7, (0, 1)),
        ),
        ("the first and the last", ln_p_of_pair(&draws, 7, (0, 6))),
    ] {
        println!("{of}: p = {:e}", ln_p.exp());
        assert!(ln_p > SUSPICIOUS, "{of}: {}", ln_p.exp());
    }
}

#[test]
fn reshuffle_of_seven_cards_has_145_ands() {
    assert_eq!(Reshuffle::new(7, 6).circuit().ands(), 145);
    assert_eq!(Reshuffle::new(1, 6).circuit().ands(), 0);
}

#[test]
fn invalid_permutations_are_refused() {
    let reshuffle = Reshuffle::new(3, 2);
    for values in [&[0, 1][..], &[0, 1, 3], &[0, 1, 1], &[0, 1, 2, 3]] {
        assert!(reshuffle.set(values).is_err());
    }
}

fn circuit(cards: usize, draw: usize) -> ShuffleCircuit {
    ShuffleCircuit::build_checked(Spec::new(cards, draw, Algorithm::FisherYates).unwrap())
}

/// Deals the first `garblers` cards to the garbler and the other `evaluators` cards to the
/// evaluator, and lets both parties act.
fn with_hands<E: Engine, R: Send>(
    [garblers, evaluators]: [usize; 2],
    act: impl Fn(&mut E, &mut Deck<E>) -> R + Sync,
) -> [R; 2] {
    let shuffle = circuit(52, garblers + evaluators);
    sessions(in_memory(), |session: &mut E| {
        let mut deck = SealedDeck::shuffle(session, &shuffle, &mut system_rng()).unwrap();
        let to = |position| {
            if position < garblers {
                Party::Garbler
            } else {
                Party::Evaluator
            }
        };
        let openings: Vec<_> = (0..deck.len())
            .map(|position| (position, Audience::Only(to(position))))
            .collect();
        deck.open(session, &openings).unwrap();
        act(session, &mut deck)
    })
}

fn seen<E: Engine>(deck: &Deck<E>, hand: &[usize]) -> Vec<Card> {
    let mut cards: Vec<Card> = hand.iter().filter_map(|&at| deck.seen(at)).collect();
    cards.sort();
    cards
}

fn hands_that_steal_from_each_other_lose_no_card<E: Engine>() {
    let outcomes = with_hands([4, 3], |session: &mut E, deck| {
        let me = session.role();
        let mut hands = [vec![0, 1, 2, 3], vec![4, 5, 6]];
        // The evaluator already knows one of the garbler's cards and its place.
        deck.open(session, &[(2, Audience::Only(Party::Evaluator))])
            .unwrap();
        let mut stolen = Vec::new();
        for owner in [0, 1, 0, 0, 1, 1, 1] {
            let party = Party::BOTH[owner];
            let hand = hands[owner].clone();
            let before = seen::<E>(deck, &hand);
            deck.prepare_steals(session, hand.len(), 1).unwrap();
            let card = deck
                .steal(session, party, &hand, &mut system_rng())
                .unwrap();
            assert_eq!(deck.seen(hand[0]), Some(card));
            let after = seen::<E>(deck, &hand);
            if me == party {
                // The owner knows all cards of its hand, including the stolen card.
                assert_eq!(before, after);
            } else {
                // The thief knows only the stolen card, and no place of another card.
                assert_eq!(after, [card]);
            }
            let taken = hands[owner].remove(0);
            hands[1 - owner].push(taken);
            stolen.push(card);
        }
        (stolen, hands.map(|hand| seen::<E>(deck, &hand)))
    });
    let [(stolen, [garblers, _]), (same, [_, evaluators])] = outcomes;
    assert_eq!(stolen, same);
    let mut all = [garblers, evaluators].concat();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 7, "a card is lost or appears twice");
}

fn last_card_of_a_hand_can_be_stolen<E: Engine>() {
    let [mine, theirs] = with_hands([1, 1], |session: &mut E, deck| {
        let own = deck.seen(0);
        let rng = &mut system_rng();
        let card = deck.steal(session, Party::Garbler, &[0], rng).unwrap();
        assert!(own.is_none_or(|own| own == card));
        // The card can be stolen back, because its new owner has seen it as well.
        let again = deck.steal(session, Party::Evaluator, &[0], rng).unwrap();
        assert_eq!(again, card);
        card
    });
    assert_eq!(mine, theirs);
}

fn invalid_steals_are_refused_before_anything_is_sent<E: Engine>() {
    with_hands([3, 2], |session: &mut E, deck| {
        let rng = &mut system_rng();
        let before = session.traffic();
        for (hand, reason) in [
            (&[][..], "an empty hand"),
            (&[0, 3], "card 3 is not in the hand of the garbler"),
            (&[5], "card 5 is not in the hand of the garbler"),
            (&[0, usize::MAX], "is not in the hand of the garbler"),
            (&[1, 0, 1], "appears twice"),
        ] {
            match deck.steal(session, Party::Garbler, hand, rng) {
                Err(Error::Usage(what)) => assert!(what.contains(reason), "{what}"),
                other => panic!("{hand:?}: {other:?}"),
            }
        }
        for cards in [0, 6, usize::MAX] {
            let refused = deck.prepare_steals(session, cards, 1);
            assert!(matches!(refused, Err(Error::Usage(_))));
        }
        assert_eq!(session.traffic(), before);
        // The hand of a party has only cards that the party has seen. So it also has the cards that
        // the party has stolen.
        deck.steal(session, Party::Garbler, &[2, 0, 1], rng)
            .unwrap();
        deck.steal(session, Party::Evaluator, &[2, 3, 4], rng)
            .unwrap();
    });
}

fn different_steals_are_noticed<E: Engine>() {
    type Steal = (Party, &'static [usize], &'static [u8]);
    const ONE: Steal = (Party::Garbler, &[0, 1], b"");
    let others: [Steal; 3] = [
        (Party::Garbler, &[1, 0], b""),
        (Party::Garbler, &[0, 1], b"robber"),
        (Party::Evaluator, &[0, 1], b""),
    ];
    for other in others {
        let errors = with_hands([2, 2], |session: &mut E, deck| {
            // Both parties have seen both cards, so that either could be the owner.
            let show = |at| (at, Audience::Only(Party::Evaluator));
            deck.open(session, &[show(0), show(1)]).unwrap();
            let (owner, hand, context) = [ONE, other][session.role() as usize];
            let rng = &mut system_rng();
            match deck.steal_in(session, owner, hand, context, rng) {
                Err(Error::Session(error)) => error,
                other => panic!("{other:?}"),
            }
        });
        let detected =
            |error: &mpc::Error| matches!(error, mpc::Error::Disagreement(Disagreement::Plan));
        let aborted =
            |error: &mpc::Error| matches!(error, mpc::Error::Channel(net::Error::Aborted));
        assert!(errors.iter().any(detected), "{errors:?}");
        assert!(
            errors.iter().all(|e| detected(e) || aborted(e)),
            "{errors:?}"
        );
    }
}

#[test]
fn steals_in_a_session_take_every_card_of_the_hand() {
    const STEALS: usize = 240;
    let [counts, _] = with_hands([3, 1], |session: &mut Malicious, deck| {
        let mut counts: HashMap<Option<Card>, usize> = HashMap::new();
        let hand = [0, 1, 2];
        for steal in 0..STEALS {
            if steal % 40 == 0 {
                deck.prepare_steals(session, 3, 40).unwrap();
            }
            // The garbler remains the owner of the hand, as if it got each stolen card back.
            let card = deck.steal(session, Party::Garbler, &hand, &mut system_rng());
            *counts.entry(card.ok()).or_default() += 1;
        }
        counts
    });
    // Each count is binomial with mean 80 and standard deviation 7.3. It exceeds these bounds with
    // probability 2^-48.
    assert_eq!(counts.len(), 3, "{counts:?}");
    assert!(
        counts.values().all(|count| (26..140).contains(count)),
        "{counts:?}"
    );
}

#[test]
fn reshuffled_hand_with_other_cards_ends_the_session() {
    use Party::{Evaluator, Garbler};
    let shuffle = ShuffleCircuit::build(Spec::new(52, 4, Algorithm::FisherYates).unwrap());
    for (owner, after, check) in [
        (Evaluator, [8, 7, 6], None),
        (Evaluator, [5, 7, 8], Some(Check::NotOfTheHand)),
        (Evaluator, [6, 7, 5], Some(Check::NotOfTheHand)),
        (Evaluator, [6, 7, 7], Some(Check::OpenedTwice)),
        (Evaluator, [6, 7, 9], Some(Check::OpenedTwice)),
        (Evaluator, [6, 7, 52], Some(Check::NotInDeck)),
        // A thief does not know the hand and sees only one card of it.
        (Garbler, [5, 7, 7], None),
        (Garbler, [9, 7, 8], Some(Check::OpenedTwice)),
        (Garbler, [63, 7, 8], Some(Check::NotInDeck)),
    ] {
        let mut forgery = Forgery::of([vec![6, 7, 8, 9], after.to_vec()]);
        let mut deck = SealedDeck::shuffle(&mut forgery, &shuffle, &mut system_rng()).unwrap();
        let hand = [0, 1, 2].map(|position| (position, Audience::Only(owner)));
        deck.open(&mut forgery, &hand).unwrap();
        deck.open(&mut forgery, &[(3, Audience::Both)]).unwrap();
        let stolen = deck.steal(&mut forgery, owner, &[0, 1, 2], &mut system_rng());
        match (stolen, check) {
            (Ok(card), None) => assert_eq!(card, Card(after[0])),
            (Err(Error::Check(found)), Some(check)) => assert_eq!(found, check),
            (other, _) => panic!("{owner} {after:?}: {other:?}"),
        }
        assert_eq!(forgery.aborted, check.is_some());
    }
}
