//! A run in three slices, in which every message of every slice is lied about.

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

/// What a party sends after the setup in an honest session, with the slice that it belongs to.
fn messages(sender: Party) -> Vec<(FrameIndex, usize)> {
    let ending = play(sender.other(), unchanged(), false, Patience::Long);
    assert!(ending.honest.is_ok() && ending.cheater.is_ok());
    let mut slice = 0;
    // A slice begins with the plan of its batch, and has the plan of the run if it is the first.
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
fn a_run_in_slices_opens_garbles_and_checks_one_after_the_other() {
    let batch_and_slice = |party| {
        let sent: Vec<Kind> = messages(party).iter().map(|((kind, _), _)| *kind).collect();
        let of_run = |kind: &Kind| ![PLAN, LEAKY_TABLES].contains(kind) && !is_of_a_batch(*kind);
        sent.into_iter().filter(of_run).collect::<Vec<_>>()
    };
    let entered = [
        Kind::Mpc(mpc::Tag::MaskedValues),
        Kind::Mpc(mpc::Tag::ProductProof),
    ];
    let opened = [OUTPUT_BITS, MAC_DIGEST];
    // Each batch ends with a digest too.
    let first = [MAC_DIGEST, GATE_BITS, MAC_DIGEST];
    let garbler = [TABLES, MAC_DIGEST];
    let evaluator = [GATE_VALUES, MAC_DIGEST];
    let more = |slice: [Kind; 2]| [first.as_slice(), &slice].concat().repeat(SLICES - 1);
    assert_eq!(
        batch_and_slice(Party::Garbler),
        [&first[..], &entered, &garbler, &more(garbler), &opened].concat()
    );
    assert_eq!(
        batch_and_slice(Party::Evaluator),
        [&first[..], &entered, &evaluator, &more(evaluator), &opened].concat()
    );
}

/// Whether it is of the preprocessing, and not a digest or a plan.
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

/// What is done to the content of a message.
const CHANGES: [fn(&mut [u8]); 4] = [
    |payload| flip(payload, 0, 0),
    |payload| flip(payload, payload.len() - 1, 0),
    // The last byte may have bits that are not used.
    |payload| {
        let byte = system_rng().random_range(0..payload.len().max(2) - 1);
        flip(payload, byte, system_rng().random_range(0..8));
    },
    garble,
];

/// Whether a lie about the message may have no effect: a table that is not used, or a sum that is not.
fn may_pass(kind: Kind) -> bool {
    matches!(kind, TABLES | LEAKY_TABLES)
}

/// The honest party opens nothing of a slice after the one in which it was lied to, and has no result.
#[track_caller]
fn assert_caught(ending: &Ending<Learned>, slice: usize, what: &str) {
    assert!(ending.honest.is_err(), "{what}: {:?}", ending.honest);
    let opened = ending.sent_kinds();
    let opened = opened.iter().filter(|&&kind| kind == GATE_BITS).count();
    assert!(opened <= slice + 1, "{what}: {opened} slices were opened");
}

#[test]
fn every_message_of_every_slice_is_lied_about_and_no_later_slice_is_opened() {
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
                        // A wrong label spoils a later gate, whichever slice that is in.
                        Err(_) if place.0 == TABLES => {}
                        Err(_) => assert_caught(&ending, slice, &what),
                    }
                }
            }
        }
    }
}

#[test]
fn a_message_of_another_form_ends_a_run_in_slices_in_time() {
    for cheater in Party::BOTH {
        let messages = messages(cheater);
        let last = messages.len() - 1;
        for (number, &(place, slice)) in messages.iter().enumerate() {
            // One form for each message, and all of them for those of the last two slices' checks.
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
                let patience = match form.may_keep_waiting() {
                    true => Patience::Short,
                    false => Patience::Long,
                };
                let ending = play(cheater, form.fates(place), false, patience);
                let what = format!("{cheater}, {} {}, {form:?}", place.0, place.1);
                assert_caught(&ending, slice, &what);
            }
        }
    }
}

/// Sends what it has sent at some places again at others, `(from, to)`.
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

/// The places of a party's messages of a slice: the `nth` of each tag.
fn of_slice(sender: Party, slice: usize) -> Vec<FrameIndex> {
    let all = messages(sender).into_iter();
    all.filter(|&(_, of)| of == slice)
        .map(|(place, _)| place)
        .collect()
}

#[test]
fn the_messages_of_a_slice_are_not_those_of_the_next_one() {
    for cheater in Party::BOTH {
        let digests = |slice: usize| 3 * slice;
        let next = |kind, nth, later| ((kind, nth), (kind, later));
        let own = match cheater {
            Party::Garbler => TABLES,
            Party::Evaluator => GATE_VALUES,
        };
        // The digests of a slice: of its batch, of what is opened, of the check.
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
        // All of a slice and of its batch at once.
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
fn a_party_that_goes_away_between_slices_leaves_nothing_behind() {
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
fn every_slice_has_a_batch_with_the_checks_of_the_first() {
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
