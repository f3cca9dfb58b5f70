//! A peer that cheats in a steal. The thief or the owner of the hand, in either role, lies about
//! any message. Or the owner enters other cards than those of the hand.

use dealerless::circuit::Party;
use dealerless::deck::{self, SealedDeck};
use dealerless::mpc::{
    self, Audience, Disagreement, Error, Input, Malicious, Result, Run, TwoParty,
};
use dealerless::net;
use dealerless::shuffle::{Algorithm, Reshuffle, ShuffleCircuit, Spec};
use dealerless::testing::kind::Kind;
use dealerless::testing::line::End;
use dealerless::testing::session::{PATIENT, system_rng};
use dealerless::testing::tap::{Fate, Frame, at, frame, garble, unchanged};
use rand::rngs::ChaCha20Rng;
use rand::{RngExt, SeedableRng};

use super::play::{self, Ending, Seed, Setup, with_liar};

const CARDS: usize = 8;
const HAND: [usize; 3] = [0, 1, 2];

/// The cards of the hand that a party has seen after the steal.
type Seen = [Option<u64>; 3];

fn shuffle() -> ShuffleCircuit {
    let spec =
        Spec::new(CARDS, HAND.len(), Algorithm::FisherYates).expect("3 of 8 cards can be drawn");
    ShuffleCircuit::build_checked(spec)
}

/// Returns the randomness of a party in a game.
fn coins(game: u64, party: Party) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(2 * game + party as u64)
}

/// Returns the hand after the steal if both parties follow the protocol.
fn expected(game: u64) -> Vec<u64> {
    let mut coins = Party::BOTH.map(|party| coins(game, party));
    let (shuffle, reshuffle) = (shuffle(), Reshuffle::new(HAND.len(), 3));
    let seeds = Party::BOTH.map(|party| shuffle.sample(party, &mut coins[party as usize]));
    let seeds = seeds.each_ref().map(|seeds| seeds.bits().to_vec());
    let hand = shuffle
        .circuit()
        .evaluate(&seeds)
        .expect("inputs of the circuit");
    let settings = coins.each_mut().map(|coins| reshuffle.sample(coins));
    let settings = settings.iter().map(|setting| setting.bits().to_vec());
    let inputs: Vec<_> = settings.chain(hand[..3].iter().cloned()).collect();
    let after = reshuffle
        .circuit()
        .evaluate(&inputs)
        .expect("inputs of the circuit");
    let number = |bits: &Vec<bool>| bits.iter().rev().fold(0, |n, &bit| n << 1 | u64::from(bit));
    after.iter().map(number).collect()
}

fn of_session(error: deck::Error) -> Error {
    match error {
        deck::Error::Session(error) => error,
        // The session must end before the deck finds an impossible card.
        error => panic!("{error}"),
    }
}

/// Deals the hand to `owner`.
fn deal(
    session: &mut Malicious,
    owner: Party,
    rng: &mut ChaCha20Rng,
) -> deck::Result<SealedDeck<mpc::AuthenticatedBit>> {
    let mut deck = SealedDeck::shuffle(session, &shuffle(), rng)?;
    let hand = HAND.map(|position| (position, Audience::Only(owner)));
    deck.open(session, &hand)?;
    Ok(deck)
}

/// Deals a hand to `owner` and steals a card from it.
fn play_steal(party: Party, end: End, seed: Seed, owner: Party, game: u64) -> Result<Seen> {
    let rng = &mut coins(game, party);
    let mut session = play::begin(party, end, PATIENT, Setup::Dealt, seed)?;
    let mut deck = deal(&mut session, owner, rng).map_err(of_session)?;
    let stolen = deck.steal(&mut session, owner, &HAND, rng);
    stolen.map_err(of_session)?;
    Ok(HAND.map(|position| deck.seen(position).map(|card| card.0)))
}

/// The frames that `party` sends in a steal, with their numbers in the session.
fn frames_of_a_steal(party: Party, owner: Party) -> Vec<(usize, Kind)> {
    let cheater = party.other();
    let dealt = with_liar(cheater, unchanged(), |party, end, seed| {
        let mut session = play::begin(party, end, PATIENT, Setup::Dealt, seed)?;
        let dealt = deal(&mut session, owner, &mut coins(0, party));
        dealt.map(drop).map_err(of_session)
    });
    let stolen = with_liar(cheater, unchanged(), |party, end, seed| {
        play_steal(party, end, seed, owner, 0)
    });
    assert!(dealt.honest.is_ok() && stolen.honest.is_ok());
    let kinds = stolen.sent_kinds().into_iter().enumerate();
    kinds.skip(dealt.sent.len()).collect()
}

/// A lie about a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lie {
    First,
    Somewhere,
    Garbage,
    Repeated,
    Shorter,
    Longer,
    Cut,
}

const LIES: [Lie; 7] = [
    Lie::First,
    Lie::Somewhere,
    Lie::Garbage,
    Lie::Repeated,
    Lie::Shorter,
    Lie::Longer,
    Lie::Cut,
];

fn fate(lie: Lie, original: &Frame) -> Fate {
    let Frame { tag, payload, .. } = original;
    let mut payload = payload.clone();
    // The last byte may have unused bits.
    let end = payload.len().max(2) - 1;
    match lie {
        Lie::First => payload[0] ^= 1,
        Lie::Somewhere => payload[system_rng().random_range(0..end)] ^= 1,
        Lie::Garbage => garble(&mut payload),
        Lie::Repeated => return Fate::Sent(original.to_bytes().repeat(2)),
        Lie::Shorter => drop(payload.pop()),
        Lie::Longer => payload.push(0),
        Lie::Cut => return Fate::Cut(Vec::new()),
    }
    Fate::Sent(frame(payload.len() as u32, *tag, &payload))
}

/// Whether a lie may have no effect: it changes a half of a table, which the receiver possibly
/// does not read, or it adds bytes after the last message.
fn may_pass(kind: Kind, lie: Lie, last: bool) -> bool {
    let halves = matches!(kind, Kind::Mpc(mpc::Tag::Tables | mpc::Tag::LeakyTables));
    match lie {
        Lie::First | Lie::Somewhere => halves,
        Lie::Repeated => last,
        _ => false,
    }
}

fn assert_right(ending: &Ending<Seen>, honest: Party, owner: Party, game: u64) {
    if let Ok(seen) = &ending.honest {
        let expected = expected(game).into_iter().enumerate();
        let of_honest = |(place, card)| (place == 0 || honest == owner).then_some(card);
        let expected: Vec<Option<u64>> = expected.map(of_honest).collect();
        assert_eq!(seen[..], expected, "a wrong card");
    }
}

#[test]
fn lie_about_any_message_of_a_steal_gives_no_wrong_card() {
    let (mut runs, mut caught) = (0, 0);
    for (cheater, owner) in Party::BOTH.map(|c| Party::BOTH.map(|o| (c, o))).concat() {
        let frames = frames_of_a_steal(cheater, owner);
        for (i, &(number, kind)) in frames.iter().enumerate() {
            for lie in LIES {
                let game = system_rng().random_range(1..1 << 40);
                let fates = at(number, move |frame| fate(lie, frame));
                let ending = with_liar(cheater, fates, |party, end, seed| {
                    play_steal(party, end, seed, owner, game)
                });
                assert_right(&ending, cheater.other(), owner, game);
                let passed = ending.honest.is_ok();
                let case = format!("{cheater} lies, hand of {owner}, {kind} {number}, {lie:?}");
                let last = i + 1 == frames.len();
                assert!(!passed || may_pass(kind, lie, last), "{case} passed");
                if let Err(error) = &ending.honest {
                    let found = play::is_finding(error)
                        || matches!(
                            error,
                            Error::Channel(net::Error::Aborted | net::Error::Lost { .. })
                        );
                    assert!(found, "{case}: {error}");
                }
                runs += 1;
                caught += usize::from(!passed);
            }
        }
    }
    println!("{runs} runs, {caught} caught, the others with the right cards");
    assert!(runs > 300, "{runs}");
}

#[test]
fn honest_steal_gives_the_card_that_both_settings_determine() {
    for owner in Party::BOTH {
        for game in 0..20 {
            let ending = with_liar(Party::Garbler, unchanged(), |party, end, seed| {
                play_steal(party, end, seed, owner, game)
            });
            assert!(ending.honest.is_ok() && ending.cheater.is_ok());
            assert_right(&ending, Party::Evaluator, owner, game);
        }
    }
}

#[test]
fn cards_that_are_not_in_the_hand_are_refused() {
    for cheater in Party::BOTH {
        let owner = cheater;
        let ending = with_liar(cheater, unchanged(), |party, end, seed| {
            let rng = &mut coins(0, party);
            let mut session = play::begin(party, end, PATIENT, Setup::Dealt, seed)?;
            let mut deck = deal(&mut session, owner, rng).map_err(of_session)?;
            if party != cheater {
                let stolen = deck.steal(&mut session, owner, &HAND, rng);
                return stolen.map(drop).map_err(of_session);
            }
            let reshuffle = Reshuffle::new(HAND.len(), 3);
            let mut inputs = Input::ONE_EACH.to_vec();
            inputs.extend([Input::By(cheater); HAND.len()]);
            let mine = [reshuffle.sample(rng).bits(), &[true; 9]].concat();
            let context = [&b"dealerless steal v1"[..], &[owner as u8]].concat();
            let run = Run::new(reshuffle.circuit(), &inputs, &mine);
            session.run(run.in_context(&context)).map(drop)
        });
        assert!(ending.honest.is_err());
        let mut findings = ending.findings();
        let found = findings.next().expect("one of the parties finds the fault");
        // The plans may already differ for the batch, since the peer needs other preprocessing.
        assert!(
            matches!(found, Error::Disagreement(Disagreement::Plan)),
            "{found}"
        );
    }
}
