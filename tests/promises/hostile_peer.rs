//! If a peer changes any message of a session, this side ends in time, with an error or with the
//! right cards.
//!
//! The cheating peer follows the protocol behind a [`Tap`] that makes one change. The session is
//! semi-honest, so a careful lie may succeed. But garbage is noticed or has no effect (see
//! [`guard`]).

use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use dealerless::circuit::Party;
use dealerless::deck::{self, Card, SealedDeck};
use dealerless::mpc::{self, Audience, Check, Disagreement, Error, Result, SemiHonest};
use dealerless::net::{self, Channel, Deadlines, Malformed};
use dealerless::ot;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use dealerless::testing::form::Form;
use dealerless::testing::kind::Kind;
use dealerless::testing::line::{End, tcp_pair};
use dealerless::testing::session::{PATIENT, SOON, both, in_memory, system_rng};
use dealerless::testing::tap::{Fates, Frame, FrameIndex, Tap, changing, garble};
use rand::rngs::ChaCha20Rng;
use rand::{RngExt, SeedableRng};

/// A deadline that expires while the test waits.
const SHORT: Duration = Duration::from_millis(150);

const HASTY: Deadlines = Deadlines {
    message: SHORT,
    ..PATIENT
};

/// The number of concurrent sessions. It may exceed the number of processors, since many sessions
/// wait.
const PARALLEL: usize = 8;

/// The protection against wrong cards from a changed message.
enum Guard {
    /// If the message is garbled, a party ends in one of these errors, or the cards are right.
    Finds(fn(&Error) -> bool),
    /// No successful semi-honest session has such a message.
    Absent,
}

/// Returns the guard of a message. A tag without a case does not compile, and a tag that the
/// session of these tests never sends fails [`guards_cover_every_message_of_a_session`].
fn guard(tag: Kind) -> Guard {
    match tag {
        Kind::Hello => Guard::Finds(is_found_in_a_hello),
        Kind::Abort | Kind::Dice(_) => Guard::Absent,
        Kind::Ot(tag) => guard_of_ot(tag),
        Kind::Mpc(tag) => guard_of_mpc(tag),
    }
}

fn is_found_in_a_hello(error: &Error) -> bool {
    matches!(
        error,
        Error::Channel(net::Error::Malformed(Malformed::Stranger) | net::Error::Version { .. })
            | Error::Disagreement(
                Disagreement::SameRole
                    | Disagreement::Engine { .. }
                    | Disagreement::StatisticalSecurity { .. }
            )
            | Error::Check(
                // With another nonce or key, the parties are in different sessions.
                Check::HelloKey | Check::ObliviousTransfer(ot::Check::BaseOtChallenge)
            )
    )
}

fn guard_of_ot(tag: ot::Tag) -> Guard {
    use ot::Check::{
        BaseOtAnswer, BaseOtChallenge, BaseOtReceiverPoint, BaseOtSenderPoint, CotConsistency,
        Trees,
    };
    match tag {
        ot::Tag::BaseOtPoints => {
            Guard::Finds(|error| is_check_of_ot(error, &[BaseOtReceiverPoint, BaseOtChallenge]))
        }
        ot::Tag::BaseOtPads => {
            Guard::Finds(|error| is_check_of_ot(error, &[BaseOtSenderPoint, BaseOtChallenge]))
        }
        ot::Tag::BaseOtAnswer => Guard::Finds(|error| is_check_of_ot(error, &[BaseOtAnswer])),
        ot::Tag::TreeSums => Guard::Finds(|error| is_check_of_ot(error, &[Trees])),
        ot::Tag::CotCorrection | ot::Tag::CotCheck => {
            Guard::Finds(|error| is_check_of_ot(error, &[CotConsistency]))
        }
    }
}

fn is_check_of_ot(error: &Error, checks: &[ot::Check]) -> bool {
    matches!(error, Error::Check(Check::ObliviousTransfer(check)) if checks.contains(check))
}

fn guard_of_mpc(tag: mpc::Tag) -> Guard {
    match tag {
        mpc::Tag::Plan => {
            Guard::Finds(|error| matches!(error, Error::Disagreement(Disagreement::Plan)))
        }
        mpc::Tag::MaskedInputs | mpc::Tag::InputDigest => {
            Guard::Finds(|error| matches!(error, Error::Check(Check::MaskedInputs)))
        }
        // A wrong label spoils all labels that depend on it, and is noticed when one of them is
        // opened.
        mpc::Tag::Tables | mpc::Tag::OpenedHashes => {
            Guard::Finds(|error| matches!(error, Error::Check(Check::OpeningHash)))
        }
        mpc::Tag::OpenedPairs | mpc::Tag::PairsDigest => {
            Guard::Finds(|error| matches!(error, Error::Check(Check::OpenedPairs)))
        }
        mpc::Tag::LeakyTables
        | mpc::Tag::LeakyBits
        | mpc::Tag::TripleCommitment
        | mpc::Tag::TripleDigest
        | mpc::Tag::TripleOpening
        | mpc::Tag::PoolBits
        | mpc::Tag::MacDigest
        | mpc::Tag::GateBits
        | mpc::Tag::MaskedValues
        | mpc::Tag::GateValues
        | mpc::Tag::OutputBits
        | mpc::Tag::ProductProof => Guard::Absent,
    }
}

/// Whether a flipped bit of a message with this tag may have no effect. Delta decides which half of
/// the messages about the base OTs and the trees is used. Possibly no label selects the row of a
/// garbled table, or the row affects only a card that is not opened.
fn may_be_harmless(tag: Kind) -> bool {
    matches!(
        tag,
        Kind::Ot(ot::Tag::BaseOtPads | ot::Tag::TreeSums) | Kind::Mpc(mpc::Tag::Tables)
    )
}

/// Whether the encoding of a message is invalid, which any change of its content can cause.
fn is_form(error: &Error) -> bool {
    matches!(
        error,
        Error::Channel(net::Error::Malformed(
            Malformed::Undecodable(_)
                | Malformed::TrailingBytes { .. }
                | Malformed::PaddingBits(_)
                | Malformed::ListLength { .. }
        ))
    )
}

/// Whether the error names a fault in a message of the peer.
fn is_finding(error: &Error) -> bool {
    matches!(
        error,
        Error::Check(_)
            | Error::Disagreement(_)
            | Error::Channel(net::Error::Malformed(_) | net::Error::Version { .. })
    )
}

type Session = SemiHonest;

type Cards = [Option<Card>; 4];

/// Shuffles a deck and opens three of four cards, each to another audience. The randomness of the
/// setup is fresh, but the randomness of the shuffle is fixed, so the cards are always the same.
///
/// Also returns the session, which keeps the connection open.
fn play(party: Party, end: End, deadlines: Deadlines) -> Result<(Cards, Session)> {
    let spec = Spec::new(10, 4, Algorithm::FisherYates).unwrap();
    let channel = Channel::new(end, deadlines);
    let mut session = SemiHonest::new(channel, party, &mut system_rng())?;
    let mut rng = ChaCha20Rng::from_seed([party as u8; 32]);
    let shuffle = ShuffleCircuit::build(spec);
    let deck = SealedDeck::shuffle(&mut session, &shuffle, &mut rng);
    let mut deck = deck.map_err(of_session)?;
    let openings = [
        (0, Audience::Only(Party::Garbler)),
        (1, Audience::Only(Party::Evaluator)),
        (2, Audience::Both),
    ];
    deck.open(&mut session, &openings).map_err(of_session)?;
    let cards = std::array::from_fn(|position| deck.seen(position));
    Ok((cards, session))
}

/// Returns the error of the session. Garbled data never reaches the deck, which would notice a
/// wrong card that is not in the deck.
fn of_session(error: deck::Error) -> Error {
    match error {
        deck::Error::Session(error) => error,
        other => panic!("{other}"),
    }
}

/// The cards that honest parties see, and the frames that they send.
struct Honest {
    cards: [Cards; 2],
    sent: [Vec<Frame>; 2],
}

fn honest() -> Honest {
    let [garbler, evaluator] = both(in_memory(), |party, end| {
        let tap = Tap::new(end);
        let record = tap.record();
        let (cards, _) = play(party, Box::new(tap), PATIENT).unwrap();
        (cards, record.take_sent())
    });
    Honest {
        cards: [garbler.0, evaluator.0],
        sent: [garbler.1, evaluator.1],
    }
}

/// A change of a message.
#[derive(Clone, Copy, Debug)]
enum Lie {
    Form(Form),
    /// Flips the bits of `mask` in this byte of the payload.
    Flip(usize, u8),
    /// Replaces the payload with garbage.
    Garbage,
}

/// A lie of one party about one of its messages.
#[derive(Debug)]
struct Case {
    liar: Party,
    place: FrameIndex,
    lie: Lie,
}

impl Case {
    fn fates(&self) -> Fates {
        let place = self.place;
        match self.lie {
            Lie::Form(form) => form.fates(place),
            lie => changing(move |frame| match lie {
                _ if frame.place() != place => {}
                Lie::Flip(byte, mask) => frame.payload[byte] ^= mask,
                _ => garble(&mut frame.payload),
            }),
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { liar, place, lie } = self;
        let (kind, nth) = place;
        write!(f, "the {liar} lies about its {kind} {nth}: {lie:?}")
    }
}

/// The lies about the form of a message.
const FORMS: [Form; 10] = [
    Form::CutBefore,
    Form::CutWithin,
    Form::Repeated,
    Form::Dropped,
    Form::Endless,
    Form::ShorterThanItSays,
    Form::OtherTag,
    Form::Aborted,
    Form::StalledBefore,
    Form::StalledWithin,
];

/// Whether a lie about the form of a message may end in this error at the honest party.
fn may_end_in(form: Form, error: &Error) -> bool {
    let error = match error {
        Error::Channel(error) => error,
        // The payload then includes the next header, so the content is different.
        Error::Check(_) | Error::Disagreement(_) => return form == Form::ShorterThanItSays,
        _ => return false,
    };
    match error {
        net::Error::Lost { .. } => matches!(form, Form::CutBefore | Form::CutWithin),
        net::Error::Malformed(_) => !matches!(
            form,
            Form::CutBefore | Form::CutWithin | Form::StalledBefore | Form::StalledWithin
        ),
        net::Error::Timeout { limit: SHORT, .. } => form.may_keep_waiting(),
        net::Error::Aborted => matches!(form, Form::Aborted | Form::ShorterThanItSays),
        _ => false,
    }
}

/// Runs a case over a connection whose first end belongs to the liar. Checks that the session ends
/// soon. Returns the outcome of the garbler, and the outcome of the evaluator.
fn play_case(case: &Case, [lying, honest]: [End; 2], victims: Deadlines) -> [Result<Cards>; 2] {
    let lying: End = Box::new(Tap::with(lying, case.fates()));
    let ends = match case.liar {
        Party::Garbler => [lying, honest],
        Party::Evaluator => [honest, lying],
    };
    let begun = Instant::now();
    let outcomes = both(ends, |party, end| {
        play(
            party,
            end,
            if party == case.liar { PATIENT } else { victims },
        )
    });
    assert!(begun.elapsed() < SOON, "{case}");
    outcomes.map(|outcome| outcome.map(|(cards, _)| cards))
}

/// Calls `act` for all cases, several at a time.
fn for_each<C: Sync>(cases: &[C], act: impl Fn(&C) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..PARALLEL {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    act(case);
                }
            });
        }
    });
}

/// All frames of an honest session, with their senders.
fn messages(honest: &Honest) -> impl Iterator<Item = (Party, &Frame)> {
    (Party::BOTH.into_iter().zip(&honest.sent))
        .flat_map(|(sender, sent)| sent.iter().map(move |frame| (sender, frame)))
}

#[test]
fn guards_cover_every_message_of_a_session() {
    let honest = honest();
    let shown: HashSet<Kind> = messages(&honest).map(|(_, frame)| frame.kind()).collect();
    for tag in Kind::all() {
        assert_eq!(
            shown.contains(&tag),
            !matches!(guard(tag), Guard::Absent),
            "{tag}"
        );
    }
}

#[test]
fn malformed_message_ends_in_an_error_in_time() {
    let honest = honest();
    let cases: Vec<(Form, Case)> = messages(&honest)
        .flat_map(|(liar, frame)| {
            FORMS.map(|form| {
                let (place, lie) = (frame.place(), Lie::Form(form));
                (form, Case { liar, place, lie })
            })
        })
        .collect();
    for_each(&cases, |(form, case)| {
        let deadlines = if form.may_keep_waiting() {
            HASTY
        } else {
            PATIENT
        };
        for ends in [in_memory(), over_tcp()] {
            let outcomes = play_case(case, ends, deadlines);
            let victim = usize::from(case.liar == Party::Garbler);
            match &outcomes[victim] {
                Err(error) if may_end_in(*form, error) => {}
                // Nothing reads the bytes after the last message.
                Ok(cards) if *form == Form::Repeated && *cards == honest.cards[victim] => {}
                other => panic!("{case}: {other:?}"),
            }
        }
    });
}

/// Runs a case that leaves the form of all messages valid. Checks that only errors of the guard of
/// the message catch the lie, at either party, and that each party without an error has the right
/// cards. Returns whether the lie was caught.
fn play_content(case: &Case, honest: &Honest) -> bool {
    let outcomes = play_case(case, in_memory(), PATIENT);
    for (outcome, right) in outcomes.iter().zip(&honest.cards) {
        match outcome {
            Ok(cards) => assert_eq!(cards, right, "{case}"),
            Err(Error::Channel(net::Error::Aborted)) => {}
            Err(error) => assert!(is_finding(error), "{case}: {error}"),
        }
    }
    let caught_by = (outcomes.iter())
        .filter_map(|outcome| outcome.as_ref().err())
        .find(|error| is_finding(error));
    match (guard(case.place.0), caught_by) {
        (Guard::Finds(finds), Some(error)) => {
            assert!(finds(error) || is_form(error), "{case}: {error}");
        }
        (_, caught_by) => {
            assert!(caught_by.is_none(), "{case}: {caught_by:?}");
            assert!(outcomes.iter().all(Result::is_ok), "{case}: {outcomes:?}");
        }
    }
    caught_by.is_some()
}

#[test]
fn garbage_in_a_message_is_caught_by_its_check() {
    let honest = honest();
    let cases: Vec<Case> = messages(&honest)
        .map(|(liar, frame)| Case {
            liar,
            place: frame.place(),
            lie: Lie::Garbage,
        })
        .collect();
    for_each(&cases, |case| {
        assert!(play_content(case, &honest), "{case}");
    });
}

#[test]
fn flipped_bit_is_caught_by_a_check_or_harmless() {
    const SAMPLES: usize = 20;
    let honest = honest();
    let cases: Vec<Case> = messages(&honest)
        .flat_map(|(liar, frame)| {
            let bytes = frame.payload.len();
            let mut places = vec![0, bytes - 1];
            places.extend((0..SAMPLES).map(|_| system_rng().random_range(0..bytes)));
            places.into_iter().map(move |byte| Case {
                liar,
                place: frame.place(),
                lie: Lie::Flip(byte, 1 << system_rng().random_range(0..8)),
            })
        })
        .collect();
    for_each(&cases, |case| {
        let caught = play_content(case, &honest);
        assert!(caught || may_be_harmless(case.place.0), "{case}");
    });
}

/// Checks that the evaluator notices a garbler that applies `change` to a pair of hashes, for each
/// pair.
fn assert_pairs_are_bound(change: impl Fn(&mut [u8], &mut [u8]) + Copy + Send + 'static) {
    // Two cards of four bits are opened to the evaluator.
    for pair in 0..8 {
        let lie = changing(move |frame| {
            if frame.kind() == Kind::Mpc(mpc::Tag::OpenedPairs) {
                assert_eq!(frame.payload.len(), 8 * 32);
                let (zero, one) = frame.payload[32 * pair..][..32].split_at_mut(16);
                change(zero, one);
            }
        });
        let [lying, honest] = in_memory();
        let ends: [End; 2] = [Box::new(Tap::with(lying, lie)), honest];
        let [_, evaluator] = both(ends, |party, end| play(party, end, PATIENT).map(drop));
        assert!(
            matches!(evaluator, Err(Error::Check(Check::OpenedPairs))),
            "{evaluator:?}"
        );
    }
}

#[test]
fn two_wrong_hashes_of_a_pair_are_caught() {
    assert_pairs_are_bound(|zero, one| {
        for hash in [zero, one] {
            hash[system_rng().random_range(0..16)] ^= 1 << system_rng().random_range(0..8);
        }
    });
}

#[test]
fn swapped_hashes_of_a_pair_are_caught() {
    assert_pairs_are_bound(|zero, one| zero.swap_with_slice(one));
}

fn over_tcp() -> [End; 2] {
    let (one, other) = tcp_pair();
    [Box::new(one), Box::new(other)]
}
