//! Whatever a peer does to any message of a session, this side ends in time: with an error, or with
//! the right cards.
//!
//! The liar is a party that follows the protocol behind a [`Tap`] that does not. The session is a
//! semi-honest one, which does not protect against a peer that lies with care; but whatever is
//! garbled is noticed, or was nothing that this side looks at (see [`guard`]).

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use dealerless::circuit::Party;
use dealerless::deck::{self, Card, SealedDeck};
use dealerless::mpc::{self, Audience, Check, Disagreement, Error, Result, SemiHonest};
use dealerless::net::{self, Channel, Deadlines, HEADER_BYTES, Malformed};
use dealerless::ot;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use dealerless::testing::kind::Kind;
use dealerless::testing::liar::{self, Liar};
use dealerless::testing::line::{End, tcp_pair};
use dealerless::testing::session::{SOON, both, in_memory, system_rng};
use dealerless::testing::tap::{Fault, Tap, frames};
use rand::rngs::ChaCha20Rng;
use rand::{RngExt, SeedableRng};

/// A deadline that passes while the test waits.
const SHORT: Duration = Duration::from_millis(150);

/// A deadline that never passes in a test that is right.
const PATIENT: Deadlines = Deadlines {
    message: Duration::from_secs(60),
    phase: Duration::from_secs(60),
};

const HASTY: Deadlines = Deadlines {
    message: SHORT,
    ..PATIENT
};

/// Sessions that are played at the same time: more than processors, since many of them wait.
const PARALLEL: usize = 8;

/// What stands between a changed message and a wrong card.
enum Guard {
    /// However the message is garbled, one side ends in one of these errors, or the cards are right.
    Finds(fn(&Error) -> bool),
    /// No semi-honest session that goes well has such a message.
    Absent,
}

/// A tag without a case here does not compile; one that the session of these tests does not show
/// fails [`every_message_of_a_session_is_lied_about`].
fn guard(tag: Kind) -> Guard {
    match tag {
        Kind::Hello => Guard::Finds(is_found_in_a_hello),
        Kind::Abort => Guard::Absent,
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
                    | Disagreement::Security { .. }
                    | Disagreement::StatisticalSecurity { .. }
            )
            | Error::Check(
                // With another nonce or key it is another session.
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
        // A wrong label spoils all that are made from it, and is noticed where one is opened.
        mpc::Tag::InputLabels
        | mpc::Tag::Tables
        | mpc::Tag::OpenedPairs
        | mpc::Tag::OpenedHashes => {
            Guard::Finds(|error| matches!(error, Error::Check(Check::OpeningHash)))
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
        | mpc::Tag::OutputBits => Guard::Absent,
    }
}

/// Whether a flipped bit of such a message may be one that nobody looks at: half of what guards
/// the base OTs and the trees, as Delta says; a row that a label does not select, and labels on
/// which only a card depends that is not opened; of a pair of hashes the other one.
fn may_be_harmless(tag: Kind) -> bool {
    matches!(
        tag,
        Kind::Ot(ot::Tag::BaseOtPads | ot::Tag::TreeSums)
            | Kind::Mpc(mpc::Tag::InputLabels | mpc::Tag::Tables | mpc::Tag::OpenedPairs)
    )
}

/// Whether it is the form of a message's content that is wrong, as it may be in any of them.
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

/// Whether the error says what this side found in what the peer sent.
fn is_found(error: &Error) -> bool {
    matches!(
        error,
        Error::Check(_)
            | Error::Disagreement(_)
            | Error::Channel(net::Error::Malformed(_) | net::Error::Version { .. })
    )
}

type Session = SemiHonest<End>;

type Cards = [Option<Card>; 4];

/// Two parties shuffle a deck and open three of four cards, each to somebody else. The cards are
/// the same every time: the setup's randomness is fresh, that of the shuffle is fixed.
///
/// Gives the session too, which keeps the line open.
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

/// The session's error. What is garbled never gets as far as the deck, which would see a wrong card
/// if it is not in the deck.
fn of_session(error: deck::Error) -> Error {
    match error {
        deck::Error::Session(error) => error,
        other => panic!("{other}"),
    }
}

/// What honest parties see, and what each of them sends.
struct Honest {
    cards: [Cards; 2],
    sent: [Vec<u8>; 2],
}

fn honest() -> Honest {
    let [garbler, evaluator] = both(in_memory(), |party, end| {
        let tap = Tap::new(end);
        let recording = tap.recording();
        let (cards, _) = play(party, Box::new(tap), PATIENT).unwrap();
        let sent = std::mem::take(&mut recording.lock().unwrap().sent);
        (cards, sent)
    });
    Honest {
        cards: [garbler.0, evaluator.0],
        sent: [garbler.1, evaluator.1],
    }
}

/// A change of what a liar sends, within one message.
struct Case {
    liar: Party,
    tag: Kind,
    fault: Fault,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} lies about its {}", self.liar, self.tag)?;
        match self.fault {
            Fault::Flip { at, mask } => write!(f, " (byte {at} of all, bits {mask:#x})"),
            _ => Ok(()),
        }
    }
}

/// What a liar does to the form of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    CutBefore,
    CutWithin,
    Repeated,
    Dropped,
    Endless,
    OneByteMore,
    OtherTag,
    Aborted,
    StalledBefore,
    StalledWithin,
}

impl Lie {
    const ALL: [Lie; 10] = [
        Lie::CutBefore,
        Lie::CutWithin,
        Lie::Repeated,
        Lie::Dropped,
        Lie::Endless,
        Lie::OneByteMore,
        Lie::OtherTag,
        Lie::Aborted,
        Lie::StalledBefore,
        Lie::StalledWithin,
    ];

    /// The fault that tells the lie about a frame with this payload.
    fn fault(self, tag: Kind, payload: &Range<usize>) -> Fault {
        let header = payload.start - HEADER_BYTES..payload.start;
        let frame = header.start..payload.end;
        let within = payload.start + payload.len() / 2;
        let with_header = |len: u32, tag: Kind| Fault::Replace {
            range: header.clone(),
            with: [&len.to_le_bytes()[..], &[tag.byte()]].concat(),
        };
        let len = payload.len() as u32;
        match self {
            Lie::CutBefore => Fault::Truncate { at: frame.start },
            Lie::CutWithin => Fault::Truncate { at: within },
            Lie::Repeated => Fault::Duplicate { range: frame },
            Lie::Dropped => Fault::Replace {
                range: frame,
                with: vec![],
            },
            Lie::Endless => with_header(u32::MAX, tag),
            Lie::OneByteMore => with_header(len + 1, tag),
            Lie::OtherTag => {
                let others = Kind::all().filter(|other| ![tag, Kind::Abort].contains(other));
                let others: Vec<Kind> = others.collect();
                with_header(len, others[system_rng().random_range(0..others.len())])
            }
            Lie::Aborted => Fault::Replace {
                range: frame,
                with: vec![0, 0, 0, 0, Kind::Abort.byte()],
            },
            Lie::StalledBefore => Fault::Stall { at: frame.start },
            Lie::StalledWithin => Fault::Stall { at: within },
        }
    }

    /// Whether only a deadline may end it: the victim waits for what does not come.
    fn needs_a_deadline(self) -> bool {
        match self {
            Lie::Dropped | Lie::OneByteMore | Lie::StalledBefore | Lie::StalledWithin => true,
            Lie::CutBefore
            | Lie::CutWithin
            | Lie::Repeated
            | Lie::Endless
            | Lie::OtherTag
            | Lie::Aborted => false,
        }
    }

    /// Whether the lie may end in this error at the victim.
    fn may_end_in(self, error: &Error) -> bool {
        match self {
            Lie::CutBefore | Lie::CutWithin => {
                matches!(error, Error::Channel(net::Error::Lost { .. }))
            }
            Lie::Repeated | Lie::Endless | Lie::OtherTag => {
                matches!(error, Error::Channel(net::Error::Malformed(_)))
            }
            Lie::Dropped | Lie::OneByteMore => {
                matches!(
                    error,
                    Error::Channel(net::Error::Malformed(_) | net::Error::Timeout { .. })
                )
            }
            Lie::Aborted => matches!(error, Error::Channel(net::Error::Aborted)),
            Lie::StalledBefore | Lie::StalledWithin => {
                matches!(
                    error,
                    Error::Channel(net::Error::Timeout { limit: SHORT, .. })
                )
            }
        }
    }
}

/// Plays a case over a line, of which the liar has the first end. Gives what both make of it, the
/// garbler first, after seeing that neither took long.
fn play_case(case: &Case, [lying, honest]: [End; 2], victims: Deadlines) -> [Result<Cards>; 2] {
    let lying: End = Box::new(Tap::with_fault(lying, case.fault.clone()));
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

/// Does something with every case, several at a time.
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

/// Every frame of an honest session: who sends it, its tag, and where its payload is.
fn messages(honest: &Honest) -> Vec<(Party, Kind, Range<usize>)> {
    (Party::BOTH.into_iter().zip(&honest.sent))
        .flat_map(|(sender, sent)| {
            (frames(sent).into_iter())
                .map(move |(tag, payload)| (sender, Kind::from_byte(tag).unwrap(), payload))
        })
        .collect()
}

#[test]
fn every_message_of_a_session_is_lied_about() {
    let shown: HashSet<Kind> = messages(&honest()).iter().map(|(_, tag, _)| *tag).collect();
    for tag in Kind::all() {
        assert_eq!(
            shown.contains(&tag),
            !matches!(guard(tag), Guard::Absent),
            "{tag}"
        );
    }
}

#[test]
fn a_message_of_another_form_ends_in_an_error_in_time() {
    let honest = honest();
    let cases: Vec<_> = messages(&honest)
        .into_iter()
        .flat_map(|(liar, tag, payload)| {
            Lie::ALL.map(|lie| {
                (
                    lie,
                    Case {
                        liar,
                        tag,
                        fault: lie.fault(tag, &payload),
                    },
                )
            })
        })
        .collect();
    for_each(&cases, |(lie, case)| {
        let deadlines = if lie.needs_a_deadline() {
            HASTY
        } else {
            PATIENT
        };
        for ends in [in_memory(), over_tcp()] {
            let outcomes = play_case(case, ends, deadlines);
            let victim = usize::from(case.liar == Party::Garbler);
            match &outcomes[victim] {
                Err(error) if lie.may_end_in(error) => {}
                // Nothing reads what follows the last message.
                Ok(cards) if *lie == Lie::Repeated && *cards == honest.cards[victim] => {}
                other => panic!("{lie:?}, {case}: {other:?}"),
            }
        }
    });
}

/// Plays a case in which the form of all messages is right, and sees that its check has caught it,
/// on either side, and that whoever has cards has the right ones. Gives whether it was caught.
fn play_content(case: &Case, honest: &Honest) -> bool {
    let outcomes = play_case(case, in_memory(), PATIENT);
    for (outcome, right) in outcomes.iter().zip(&honest.cards) {
        match outcome {
            Ok(cards) => assert_eq!(cards, right, "{case}"),
            Err(Error::Channel(net::Error::Aborted)) => {}
            Err(error) => assert!(is_found(error), "{case}: {error}"),
        }
    }
    let caught_by = (outcomes.iter())
        .filter_map(|outcome| outcome.as_ref().err())
        .find(|error| is_found(error));
    match (guard(case.tag), caught_by) {
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
    for_each(&messages(&honest), |(liar, tag, payload)| {
        let case = Case {
            liar: *liar,
            tag: *tag,
            fault: Fault::Replace {
                range: payload.clone(),
                with: payload.clone().map(|_| system_rng().random()).collect(),
            },
        };
        assert!(play_content(&case, &honest), "{case}");
    });
}

#[test]
fn a_flipped_bit_is_caught_by_a_check_or_harmless() {
    const SAMPLES: usize = 20;
    let honest = honest();
    let cases: Vec<Case> = messages(&honest)
        .into_iter()
        .flat_map(|(liar, tag, payload)| {
            let mut places = vec![payload.start, payload.end - 1];
            places.extend((0..SAMPLES).map(|_| system_rng().random_range(payload.clone())));
            places.into_iter().map(move |at| Case {
                liar,
                tag,
                fault: Fault::Flip {
                    at,
                    mask: 1 << system_rng().random_range(0..8),
                },
            })
        })
        .collect();
    for_each(&cases, |case| {
        let caught = play_content(case, &honest);
        assert!(caught || may_be_harmless(case.tag), "{case}");
    });
}

/// Plays with a garbler that does this to one pair of hashes after the other, and sees that the
/// evaluator notices.
fn assert_pairs_are_bound(change: impl Fn(&mut [u8], &mut [u8]) + Copy + Send + 'static) {
    // Two cards of four bits are opened to the evaluator.
    for pair in 0..8 {
        let lie: liar::Lie = Box::new(move |mut frame| {
            if frame.tag == Kind::Mpc(mpc::Tag::OpenedPairs) {
                assert_eq!(frame.payload.len(), 8 * 32);
                let (zero, one) = frame.payload[32 * pair..][..32].split_at_mut(16);
                change(zero, one);
            }
            frame.to_bytes()
        });
        let [lying, honest] = in_memory();
        let ends: [End; 2] = [Box::new(Liar::new(lying, lie)), honest];
        let [_, evaluator] = both(ends, |party, end| play(party, end, PATIENT).map(drop));
        assert!(
            matches!(evaluator, Err(Error::Check(Check::OpeningHash))),
            "{evaluator:?}"
        );
    }
}

#[test]
fn a_pair_of_hashes_of_which_neither_is_right_is_caught() {
    assert_pairs_are_bound(|zero, one| {
        for hash in [zero, one] {
            hash[system_rng().random_range(0..16)] ^= 1 << system_rng().random_range(0..8);
        }
    });
}

#[test]
fn a_pair_of_hashes_that_have_changed_places_is_caught() {
    assert_pairs_are_bound(|zero, one| zero.swap_with_slice(one));
}

fn over_tcp() -> [End; 2] {
    let (one, other) = tcp_pair();
    [Box::new(one), Box::new(other)]
}
