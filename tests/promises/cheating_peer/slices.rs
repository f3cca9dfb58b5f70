//! A run in three slices. A cheating peer lies about each message of each slice.

use std::collections::HashMap;

use dealerless::circuit::Party;
use dealerless::mpc::{self, Check, Error};
use dealerless::net;
use dealerless::ot;
use dealerless::testing::form::Form;
use dealerless::testing::kind::Kind;
use dealerless::testing::session::system_rng;
use dealerless::testing::tap::{Fates, FrameIndex, changing, garble, unchanged};
use rand::RngExt;

use super::cases::FORMS;
use super::play::{ANDS, Ending, Learned, Patience, SLICE, Setup, run};

const PLAN: Kind = Kind::Mpc(mpc::Tag::Plan);
const TABLES: Kind = Kind::Mpc(mpc::Tag::Tables);
const LEAKY_TABLES: Kind = Kind::Mpc(mpc::Tag::LeakyTables);
const GATE_BITS: Kind = Kind::Mpc(mpc::Tag::GateBits);
const GATE_VALUES: Kind = Kind::Mpc(mpc::Tag::GateValues);
const OUTPUT_BITS: Kind = Kind::Mpc(mpc::Tag::OutputBits);
const POOL_BITS: Kind = Kind::Mpc(mpc::Tag::PoolBits);
const MAC_DIGEST: Kind = Kind::Mpc(mpc::Tag::MacDigest);

const SLICES: usize = ANDS.div_ceil(SLICE);

fn play(cheater: Party, lie: Fates, input: bool, patience: Patience) -> Ending<Learned> {
    run(cheater, lie, input, (Setup::Sliced, patience))
}

/// The messages that a party sends after the setup of an honest session, with their slices.
fn messages(sender: Party) -> Vec<(FrameIndex, usize)> {
    let ending = play(sender.other(), unchanged(), false, Patience::Long);
    assert!(ending.honest.is_ok() && ending.cheater.is_ok());
    let mut slice = 0;
    // A slice begins with the plan of its batch. The first slice also has the plan of the run.
    let mut plans = 0;
    (ending.sent.iter())
        .filter(|frame| matches!(frame.kind(), Kind::Ot(_) | Kind::Mpc(_)))
        .map(|frame| {
            if frame.kind() == PLAN {
                plans += 1;
                slice = usize::saturating_sub(plans, 2).min(SLICES - 1);
            }
            (frame.place(), slice)
        })
        .collect()
}

#[test]
fn slices_are_opened_garbled_and_checked_one_after_the_other() {
    let of_slices = |party| {
        let sent: Vec<Kind> = messages(party).iter().map(|((kind, _), _)| *kind).collect();
        let of_run = |kind: &Kind| ![PLAN, LEAKY_TABLES].contains(kind) && !is_of_a_batch(*kind);
        sent.into_iter().filter(of_run).collect::<Vec<_>>()
    };
    let entered = [
        Kind::Mpc(mpc::Tag::MaskedValues),
        Kind::Mpc(mpc::Tag::ProductProof),
    ];
    let opened = [OUTPUT_BITS, MAC_DIGEST];
    // Each batch ends with a digest as well.
    let first = [MAC_DIGEST, GATE_BITS, MAC_DIGEST];
    let garbler = [TABLES, MAC_DIGEST];
    let evaluator = [GATE_VALUES, MAC_DIGEST];
    let more = |slice: [Kind; 2]| [first.as_slice(), &slice].concat().repeat(SLICES - 1);
    assert_eq!(
        of_slices(Party::Garbler),
        [&first[..], &entered, &garbler, &more(garbler), &opened].concat()
    );
    assert_eq!(
        of_slices(Party::Evaluator),
        [&first[..], &entered, &evaluator, &more(evaluator), &opened].concat()
    );
}

/// Whether a message belongs to the preprocessing, except for digests and plans.
fn is_of_a_batch(kind: Kind) -> bool {
    match kind {
        Kind::Ot(_) => true,
        Kind::Mpc(tag) => matches!(
            tag,
            mpc::Tag::LeakyTables
                | mpc::Tag::LeakyBits
                | mpc::Tag::TripleCommitment
                | mpc::Tag::TripleDigest
                | mpc::Tag::TripleOpening
                | mpc::Tag::PoolBits
        ),
        _ => false,
    }
}

/// Flips a bit of a payload.
fn flip(payload: &mut [u8], byte: usize, bit: u8) {
    payload[byte] ^= 1 << bit;
}

/// The changes of the content of a message.
const CHANGES: [fn(&mut [u8]); 4] = [
    |payload| flip(payload, 0, 0),
    |payload| flip(payload, payload.len() - 1, 0),
    // The last byte may have unused bits.
    |payload| {
        let byte = system_rng().random_range(0..payload.len().max(2) - 1);
        flip(payload, byte, system_rng().random_range(0..8));
    },
    garble,
];

/// Whether a lie about the message may have no effect, because a half of a table is not used.
fn may_pass(kind: Kind) -> bool {
    matches!(kind, TABLES | LEAKY_TABLES)
}

/// Checks that the honest party has no result, and opens nothing of the slices after `slice`.
/// `what` describes the lie.
#[track_caller]
fn assert_caught(ending: &Ending<Learned>, slice: usize, what: &str) {
    assert!(ending.honest.is_err(), "{what}: {:?}", ending.honest);
    let opened = ending.sent_kinds();
    let opened = opened.iter().filter(|&&kind| kind == GATE_BITS).count();
    assert!(opened <= slice + 1, "{what}: {opened} slices were opened");
}

#[test]
fn lie_about_any_message_of_a_slice_stops_all_later_slices() {
    for cheater in Party::BOTH {
        let messages = messages(cheater);
        for &(place, slice) in &messages {
            for (number, change) in CHANGES.into_iter().enumerate() {
                for input in [false, true] {
                    let lie = changing(move |frame| {
                        if frame.place() == place {
                            change(&mut frame.payload);
                        }
                    });
                    let ending = play(cheater, lie, input, Patience::Long);
                    let what = format!("{cheater}, {} {}, change {number}", place.0, place.1);
                    match &ending.honest {
                        Ok(_) => assert!(may_pass(place.0), "{what}"),
                        // A wrong label spoils a later gate, which can be in any slice.
                        Err(_) if place.0 == TABLES => {}
                        Err(_) => assert_caught(&ending, slice, &what),
                    }
                }
            }
        }
    }
}

#[test]
fn malformed_message_ends_a_run_in_slices_in_time() {
    for cheater in Party::BOTH {
        let messages = messages(cheater);
        let last = messages.len() - 1;
        for (number, &(place, slice)) in messages.iter().enumerate() {
            // All lies about the form for the messages that open and check a slice, and one such
            // lie for each other message.
            let all = [GATE_BITS, GATE_VALUES, MAC_DIGEST].contains(&place.0);
            let forms = if all {
                &FORMS[..]
            } else {
                &FORMS[number % FORMS.len()..][..1]
            };
            for form in forms
                .iter()
                .filter(|form| !(number == last && **form == Form::Repeated))
            {
                let patience = if form.may_keep_waiting() {
                    Patience::Short
                } else {
                    Patience::Long
                };
                let ending = play(cheater, form.fates(place), false, patience);
                let what = format!("{cheater}, {} {}, {form:?}", place.0, place.1);
                assert_caught(&ending, slice, &what);
            }
        }
    }
}

/// For each `(from, to)`, replaces the message at `to` with the earlier message at `from`.
fn replay(places: Vec<(FrameIndex, FrameIndex)>) -> Fates {
    let mut kept = HashMap::<FrameIndex, Vec<u8>>::new();
    changing(move |frame| {
        let place = frame.place();
        if let Some((from, _)) = places.iter().find(|(_, to)| *to == place) {
            frame.payload = kept[from].clone();
        }
        kept.insert(place, frame.payload.clone());
    })
}

/// The places of the messages that `sender` sends in a slice.
fn of_slice(sender: Party, slice: usize) -> Vec<FrameIndex> {
    let all = messages(sender).into_iter();
    all.filter(|&(_, of)| of == slice)
        .map(|(place, _)| place)
        .collect()
}

#[test]
fn messages_of_a_slice_cannot_be_replayed_in_the_next_one() {
    for cheater in Party::BOTH {
        let digests = |slice: usize| 3 * slice;
        let next = |kind, nth, later| ((kind, nth), (kind, later));
        let own = match cheater {
            Party::Garbler => TABLES,
            Party::Evaluator => GATE_VALUES,
        };
        // A slice has three digests: of its batch, of its opening and of its check.
        let opening = vec![
            next(GATE_BITS, 0, 1),
            next(MAC_DIGEST, digests(0) + 1, digests(1) + 1),
        ];
        let check = vec![
            next(own, 0, 1),
            next(MAC_DIGEST, digests(0) + 2, digests(1) + 2),
        ];
        let digest = vec![next(MAC_DIGEST, digests(0) + 2, digests(1) + 2)];
        let opening_for_check = vec![next(MAC_DIGEST, digests(1) + 1, digests(1) + 2)];
        for (places, expected) in [
            (opening, Check::GateMacs),
            (check, Check::AndGates),
            (digest, Check::AndGates),
            (opening_for_check, Check::AndGates),
        ] {
            let ending = play(cheater, replay(places), false, Patience::Long);
            let found = ending.findings().next().expect("a finding");
            assert!(
                matches!(found, Error::Check(check) if *check == expected),
                "{found}"
            );
            assert_caught(&ending, 1, "a replay");
        }
        // All messages of a slice and of its batch at once.
        let (second, third) = (of_slice(cheater, 1), of_slice(cheater, 2));
        let places = second.into_iter().filter_map(|from| {
            let same = third.iter().find(|to| to.0 == from.0)?;
            Some((from, *same))
        });
        let ending = play(cheater, replay(places.collect()), false, Patience::Long);
        assert_caught(&ending, 2, "a replay of all");
    }
}

#[test]
fn abort_between_slices_opens_no_later_slice() {
    for cheater in Party::BOTH {
        for slice in 1..SLICES {
            let first = of_slice(cheater, slice)[0];
            let ending = play(cheater, Form::Aborted.fates(first), true, Patience::Long);
            assert!(matches!(
                ending.honest,
                Err(Error::Channel(net::Error::Aborted))
            ));
            assert_caught(&ending, slice - 1, "gone");
        }
    }
}

#[test]
fn every_slice_has_a_batch_with_all_checks() {
    for party in Party::BOTH {
        for slice in 0..SLICES {
            let kinds: Vec<Kind> = of_slice(party, slice).iter().map(|place| place.0).collect();
            for kind in [
                Kind::Ot(ot::Tag::CotCorrection),
                Kind::Ot(ot::Tag::CotCheck),
                LEAKY_TABLES,
                POOL_BITS,
                GATE_BITS,
            ] {
                assert!(kinds.contains(&kind), "{party}: {kind} in slice {slice}");
            }
        }
    }
}
