//! Every lie about every message, with the rate at which it must be caught.

use std::fmt;

use dealerless::circuit::Party;
use dealerless::mpc::{self, Check, Disagreement, Error};
use dealerless::net::{self, Malformed};
use dealerless::ot;
use dealerless::testing::form::Form;
use dealerless::testing::kind::Kind;
use dealerless::testing::session::system_rng;
use dealerless::testing::tap::{Fates, FrameIndex, changing, garble};
use rand::RngExt;

use super::play::{ANDS, OUTPUTS, Patience, Setup};

/// How often the honest party ends without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rate {
    /// Always.
    Always,
    /// The lie matters if a bit is 1 that is uniform and does not depend on any input.
    Half,
    /// What was changed is not looked at.
    Never,
    /// Depends on the place in the message, which is drawn anew for each run.
    Mixed,
}

/// What is done to a frame whose form stays right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Flips the bits of `mask` in this byte.
    Flip(usize, u8),
    /// Flips the lowest bit of the last byte.
    Last,
    /// Flips the lowest bit of the byte that is this many before the end.
    FromEnd(usize),
    /// Flips a random bit, not of the last byte, which may have bits that are not used.
    Random,
    /// Flips the highest bit of the last byte, which is not used.
    Padding,
    /// Other random bytes.
    Garbage,
    /// Other random bytes, but the last, which may have bits that are not used.
    GarbledBits,
    /// Other random garbled tables.
    GarbledTables,
}

use Change::{Flip, FromEnd, Garbage, GarbledBits, GarbledTables, Last, Padding, Random};
use Rate::{Always, Half, Mixed, Never};

const FIRST: Change = Flip(0, 1);

/// Flips bit `number` of packed bits.
const fn bit(number: usize) -> Change {
    Flip(number / 8, 1 << (number % 8))
}

type Changes = &'static [(Change, Rate)];
type Finds = fn(&Error) -> bool;

/// The changes of content of a message with their rates, and the errors in which they may end.
pub(crate) struct Content {
    pub(crate) changes: Changes,
    pub(crate) finds: Finds,
}

/// Where the fields of a hello begin: behind magic and version are the role, the security and its
/// bits, the nonce, the key and the length of the terms.
pub(crate) const ROLE: usize = 10 + 2;
pub(crate) const NONCE: usize = ROLE + 3;
pub(crate) const KEY: usize = NONCE + 32;

/// A list of 32-byte elements in a message begins with its length, in 8 bytes.
const LENGTH: usize = 8;
/// Where the parts of the tree sums begin: three levels of 32 trees, two blocks each.
const TREE_CHECKS: usize = LENGTH + 3 * 32 * 32 + LENGTH;

const THROUGHOUT: Changes = &[
    (FIRST, Always),
    (Last, Always),
    (Random, Always),
    (Garbage, Always),
];

/// Packed bits that do not fill their last byte. What is behind them is looked at first.
const BITS: Changes = &[
    (FIRST, Always),
    (Last, Always),
    (Random, Always),
    (GarbledBits, Always),
    (Padding, Always),
    (Garbage, Always),
];

/// All lies about the content of the `nth` message with a tag, as the cheating party sends it. A
/// tag without a case does not compile; one that no session shows fails a test.
///
/// The rates that are not 1 come from these bits: a challenge or sum that the holder of Delta uses
/// or not, as a bit of Delta says (bit 0 of Delta is 1 at the garbler and 0 at the evaluator, and
/// decides level 3 of tree 0); the honest bit `x` of a leaky triple, which selects the table; a
/// masked value, which selects a half of a garbled table. All are uniform and independent of the
/// inputs.
pub(crate) fn content((tag, nth): FrameIndex, cheater: Party) -> Option<Content> {
    match tag {
        Kind::Hello => Some(of_hello()),
        Kind::Ot(tag) => Some(of_oblivious_transfer(tag, cheater)),
        Kind::Mpc(tag) => of_batches(tag).or_else(|| of_runs(tag, nth)),
        // A lie about another message; and rolls have no session.
        Kind::Abort | Kind::Dice(_) => None,
    }
}

fn of_hello() -> Content {
    Content {
        changes: &[
            (FIRST, Always),
            (Flip(10, 1), Always),
            (Flip(12, 1), Always),
            (Flip(13, 1), Always),
            (Flip(14, 1), Always),
            (Flip(NONCE, 1), Always),
            (Flip(KEY - 1, 0x80), Always),
            // Not canonical; perhaps another point; not canonical.
            (Flip(KEY, 1), Always),
            (Flip(KEY, 2), Always),
            (Flip(KEY + 31, 0x80), Always),
            (Last, Always),
            (Random, Always),
            (Garbage, Always),
        ],
        finds: |error| {
            matches!(
                error,
                Error::Channel(
                    net::Error::Malformed(Malformed::Stranger) | net::Error::Version { .. }
                ) | Error::Disagreement(
                    Disagreement::SameRole
                        | Disagreement::Security { .. }
                        | Disagreement::StatisticalSecurity { .. }
                ) | Error::Check(
                    // With another nonce or key it is another session.
                    Check::HelloKey | Check::ObliviousTransfer(ot::Check::BaseOtChallenge)
                )
            )
        },
    }
}

fn of_oblivious_transfer(tag: ot::Tag, cheater: Party) -> Content {
    use ot::Check::{
        BaseOtAnswer, BaseOtChallenge, BaseOtReceiverPoint, BaseOtSenderPoint, CotConsistency,
        Trees,
    };
    match tag {
        // A seed, points. A point that is another one is noticed by the cheater itself.
        ot::Tag::BaseOtPoints => Content {
            changes: &[
                (FIRST, Always),
                (Flip(32, 1), Always),
                (Flip(32 + LENGTH, 1), Always),
                (Flip(32 + LENGTH + 127 * 32, 2), Always),
                (Last, Always),
                (Random, Always),
                (Garbage, Always),
            ],
            finds: |error| is_check_of_ot(error, &[BaseOtReceiverPoint, BaseOtChallenge]),
        },
        ot::Tag::BaseOtPads => Content {
            changes: pads(cheater),
            finds: |error| is_check_of_ot(error, &[BaseOtSenderPoint, BaseOtChallenge]),
        },
        ot::Tag::BaseOtAnswer => Content {
            changes: THROUGHOUT,
            finds: |error| is_check_of_ot(error, &[BaseOtAnswer]),
        },
        ot::Tag::TreeSums => Content {
            changes: tree_sums(cheater),
            finds: |error| is_check_of_ot(error, &[Trees]),
        },
        // The challenge is made of the whole matrix, so that a receiver that does not make its
        // check anew is always caught; one that guesses four bits of Delta, in 15 of 16 cases
        // (a test of the correlated OT plays it).
        ot::Tag::CotCorrection => Content {
            changes: THROUGHOUT,
            finds: |error| is_check_of_ot(error, &[CotConsistency]),
        },
        // The hash of the choices, a digest of those of the rows.
        ot::Tag::CotCheck => Content {
            changes: &[
                (FIRST, Always),
                (Flip(16, 1), Always),
                (Last, Always),
                (Random, Always),
                (Garbage, Always),
            ],
            finds: |error| is_check_of_ot(error, &[CotConsistency]),
        },
    }
}

fn is_check_of_ot(error: &Error, checks: &[ot::Check]) -> bool {
    matches!(error, Error::Check(Check::ObliviousTransfer(check)) if checks.contains(check))
}

/// A point, challenges, a proof. Challenge i counts if choice i is 1. The lowest bit of Delta is
/// choice 3.
fn pads(cheater: Party) -> Changes {
    const fn changes(of_choice_3: Rate) -> [(Change, Rate); 8] {
        [
            (FIRST, Always),
            (Flip(32, 1), Always),
            (Flip(32 + LENGTH, 1), Half),
            (Flip(32 + LENGTH + 3 * 32, 1), of_choice_3),
            (Flip(32 + LENGTH + 127 * 32, 1), Half),
            (Last, Always),
            (Random, Mixed),
            (Garbage, Always),
        ]
    }
    match cheater {
        Party::Garbler => const { &changes(Always) },
        Party::Evaluator => const { &changes(Never) },
    }
}

/// Sums, of which the side off Delta's path counts; check values; a digest.
fn tree_sums(cheater: Party) -> Changes {
    const fn changes(side_0: Rate, side_1: Rate) -> [(Change, Rate); 10] {
        [
            (Flip(0, 1), Always),
            (Flip(LENGTH, 1), Half),
            (Flip(LENGTH + 16, 1), Half),
            (Flip(LENGTH + 2 * 32, 1), side_0),
            (Flip(LENGTH + 2 * 32 + 16, 1), side_1),
            (Flip(TREE_CHECKS, 1), Always),
            (FromEnd(32), Always),
            (Last, Always),
            (Random, Mixed),
            (Garbage, Always),
        ]
    }
    match cheater {
        Party::Garbler => const { &changes(Never, Always) },
        Party::Evaluator => const { &changes(Always, Never) },
    }
}

/// The messages of a batch of the pool.
fn of_batches(tag: mpc::Tag) -> Option<Content> {
    let (changes, finds): (Changes, Finds) = match tag {
        // Bit 0 of a table is also opened as a part of the low bit.
        mpc::Tag::LeakyTables => (
            &[
                (FIRST, Half),
                (Flip(0, 0x80), Half),
                (Last, Half),
                (Random, Half),
                (Garbage, Always),
            ],
            |error| matches!(error, Error::Check(Check::TripleEquality)),
        ),
        // A bucket has eight here, and so their bits fill their bytes.
        mpc::Tag::LeakyBits => (THROUGHOUT, |error| {
            matches!(error, Error::Check(Check::TripleEquality))
        }),
        mpc::Tag::TripleCommitment => (THROUGHOUT, |error| {
            matches!(error, Error::Check(Check::TripleCommitment))
        }),
        // A digest and a share of the coin: with another coin the parties' buckets differ.
        mpc::Tag::TripleDigest => (
            &[
                (FIRST, Always),
                (Flip(31, 0x80), Always),
                (Flip(32, 1), Always),
                (Last, Always),
                (Random, Always),
                (Garbage, Always),
            ],
            |error| matches!(error, Error::Check(Check::TripleEquality | Check::PoolMacs)),
        ),
        // A digest, a share of the coin, a nonce.
        mpc::Tag::TripleOpening => (
            &[
                (FIRST, Always),
                (Flip(32, 1), Always),
                (Flip(48, 1), Always),
                (Last, Always),
                (Random, Always),
                (Garbage, Always),
            ],
            |error| matches!(error, Error::Check(Check::TripleCommitment)),
        ),
        // The differences within the buckets; here they fill their bytes.
        mpc::Tag::PoolBits => (THROUGHOUT, |error| {
            matches!(error, Error::Check(Check::PoolMacs))
        }),
        _ => return None,
    };
    Some(Content { changes, finds })
}

/// The messages of runs and openings, and those that all steps have.
fn of_runs(tag: mpc::Tag, nth: usize) -> Option<Content> {
    let (changes, finds): (Changes, Finds) = match tag {
        mpc::Tag::MacDigest => (
            THROUGHOUT,
            match nth {
                0 => |error| matches!(error, Error::Check(Check::PoolMacs)),
                1 => |error| matches!(error, Error::Check(Check::GateMacs)),
                2 => |error| matches!(error, Error::Check(Check::AndGates)),
                _ => |error| matches!(error, Error::Check(Check::OpeningMacs)),
            },
        ),
        mpc::Tag::Plan => (THROUGHOUT, |error| {
            matches!(error, Error::Disagreement(Disagreement::Plan))
        }),
        mpc::Tag::GateBits => (GATE_BITS, |error| {
            matches!(error, Error::Check(Check::GateMacs))
        }),
        // The challenge depends on all values that the sender enters.
        mpc::Tag::MaskedValues => (BITS, |error| matches!(error, Error::Check(Check::Products))),
        mpc::Tag::ProductProof => (THROUGHOUT, |error| {
            matches!(error, Error::Check(Check::Products))
        }),
        // The parties' masked values differ, and so do the digests of the check.
        mpc::Tag::GateValues => (BITS, |error| matches!(error, Error::Check(Check::AndGates))),
        mpc::Tag::Tables => (TABLES, |error| {
            matches!(error, Error::Check(Check::AndGates))
        }),
        mpc::Tag::OutputBits => (BITS, |error| {
            matches!(error, Error::Check(Check::OpeningMacs))
        }),
        // Those of a batch are above.
        mpc::Tag::LeakyTables
        | mpc::Tag::LeakyBits
        | mpc::Tag::TripleCommitment
        | mpc::Tag::TripleDigest
        | mpc::Tag::TripleOpening
        | mpc::Tag::PoolBits => return None,
        // These are of semi-honest sessions.
        mpc::Tag::MaskedInputs
        | mpc::Tag::InputDigest
        | mpc::Tag::OpenedPairs
        | mpc::Tag::PairsDigest
        | mpc::Tag::OpenedHashes => return None,
    };
    Some(Content { changes, finds })
}

/// e and f of the gates; then, under pads, d of the outputs.
const GATE_BITS: Changes = &[
    (FIRST, Always),
    (bit(2 * ANDS - 1), Always),
    (bit(2 * ANDS), Always),
    (bit(2 * ANDS + OUTPUTS - 1), Always),
    (Last, Always),
    (Random, Always),
    (GarbledBits, Always),
    (Padding, Always),
    (Garbage, Always),
];

/// G0 of a gate counts if the masked value of its first input is 1, G1 if that of the second is: a
/// wrong label of the first layer spoils the second, and one of the last is that of an output. The
/// low bit counts always, and the bits next to it must be 0.
const TABLES: Changes = &[
    (FIRST, Half),
    (Flip(9, 0x10), Half),
    (Flip(16, 1), Half),
    (Flip(31, 0x80), Half),
    (Flip(32, 1), Always),
    (Flip(32, 0x80), Always),
    (FromEnd(32), Half),
    (FromEnd(20), Half),
    (FromEnd(16), Half),
    (FromEnd(1), Half),
    (Last, Always),
    (Random, Mixed),
    (GarbledTables, Always),
    (Garbage, Always),
];

/// Whether it is the form of a message's content that is wrong, as it may be in any of them.
pub(crate) fn is_form(error: &Error) -> bool {
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

/// What is done to the form of a message here.
pub(crate) const FORMS: [Form; 9] = [
    Form::Repeated,
    Form::Dropped,
    Form::AfterTheNext,
    Form::Shorter,
    Form::ShorterThanItSays,
    Form::Longer,
    Form::Endless,
    Form::OtherTag,
    Form::Aborted,
];

/// Nothing reads what follows the last message of a session.
pub(crate) fn rate_of_form(form: Form, last: bool) -> Rate {
    match form {
        Form::Repeated if last => Never,
        _ => Always,
    }
}

/// What is done to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Content(Change),
    Form(Form),
}

/// One thing that a cheating peer does, and how often it is caught.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) cheater: Party,
    pub(crate) place: FrameIndex,
    pub(crate) what: What,
    pub(crate) rate: Rate,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, nth) = self.place;
        write!(f, "{}, {kind} {nth}, ", self.cheater)?;
        match self.what {
            What::Content(change) => write!(f, "{change:?}"),
            What::Form(form) => write!(f, "{form:?}"),
        }
    }
}

impl Case {
    pub(crate) fn lie(&self) -> Fates {
        let Case { place, what, .. } = *self;
        match what {
            What::Form(form) => form.fates(place),
            What::Content(change) => changing(move |frame| {
                if frame.place() == place {
                    apply(change, &mut frame.payload);
                }
            }),
        }
    }

    /// How the session begins: without real base OTs, unless the lie is about what makes them.
    pub(crate) fn setup(&self) -> Setup {
        match self.place.0 {
            Kind::Ot(ot::Tag::CotCorrection | ot::Tag::CotCheck) | Kind::Mpc(_) => Setup::Dealt,
            Kind::Hello | Kind::Abort | Kind::Ot(_) | Kind::Dice(_) => Setup::Made,
        }
    }

    /// How long the victim waits for a message.
    pub(crate) fn patience(&self) -> Patience {
        match self.what {
            What::Form(form) if form.may_keep_waiting() => Patience::Short,
            _ => Patience::Long,
        }
    }
}

fn apply(change: Change, payload: &mut [u8]) {
    let mut rng = system_rng();
    let end = payload.len();
    match change {
        Flip(byte, mask) => payload[byte] ^= mask,
        Last => payload[end - 1] ^= 1,
        FromEnd(before) => payload[end - 1 - before] ^= 1,
        Random => payload[rng.random_range(0..end - 1)] ^= 1 << rng.random_range(0..8),
        Padding => payload[end - 1] ^= 0x80,
        Garbage => garble(payload),
        GarbledBits => garble(&mut payload[..end - 1]),
        GarbledTables => {
            garble(payload);
            for low in payload.iter_mut().skip(32).step_by(33) {
                *low &= 1;
            }
        }
    }
}
