//! The lies about each message, with the rates at which they must be caught.

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

/// The rate at which the honest party ends without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rate {
    /// Always.
    Always,
    /// One half: the lie has an effect only if a certain bit is 1. This bit is uniform and does not
    /// depend on any input.
    Half,
    /// Never, since the changed part is not used.
    Never,
    /// The rate depends on the changed bit, which is drawn at random for each run.
    Mixed,
}

/// A change of the content of a frame that leaves its form valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Flips the bits of `mask` in this byte.
    Flip(usize, u8),
    /// Flips the lowest bit of the last byte.
    Last,
    /// Flips the lowest bit of the byte that is this many bytes before the last byte.
    FromEnd(usize),
    /// Flips a random bit, except in the last byte, which may have unused bits.
    Random,
    /// Flips the highest bit of the last byte, which is unused.
    Padding,
    /// Replaces all bytes with random ones.
    Garbage,
    /// Replaces all bytes with random ones except the last, which may have unused bits.
    GarbledBits,
    /// Replaces the garbled tables with random ones.
    GarbledTables,
}

use Change::{Flip, FromEnd, Garbage, GarbledBits, GarbledTables, Last, Padding, Random};
use Rate::{Always, Half, Mixed, Never};

const FIRST: Change = Flip(0, 1);

/// The change that flips bit `number` of packed bits.
const fn bit(number: usize) -> Change {
    Flip(number / 8, 1 << (number % 8))
}

type Changes = &'static [(Change, Rate)];
type Finds = fn(&Error) -> bool;

/// The changes of the content of a message with their rates, and the errors that they may cause.
pub(crate) struct Content {
    pub(crate) changes: Changes,
    pub(crate) finds: Finds,
}

/// The offsets of the fields of a hello: after the magic and the version come the role, the
/// security with its bits, the nonce, the key and the length of the terms.
pub(crate) const ROLE: usize = 10 + 2;
pub(crate) const NONCE: usize = ROLE + 3;
pub(crate) const KEY: usize = NONCE + 32;

/// The size in bytes of the length that precedes a list of 32-byte elements in a message.
const LENGTH: usize = 8;
/// The offset of the check values in the tree sums, after three levels of 32 trees with two blocks
/// each.
const TREE_CHECKS: usize = LENGTH + 3 * 32 * 32 + LENGTH;

/// The changes of a message in which every bit is checked.
const THROUGHOUT: Changes = &[
    (FIRST, Always),
    (Last, Always),
    (Random, Always),
    (Garbage, Always),
];

/// The changes of packed bits that do not fill the last byte. The padding is checked first.
const BITS: Changes = &[
    (FIRST, Always),
    (Last, Always),
    (Random, Always),
    (GarbledBits, Always),
    (Padding, Always),
    (Garbage, Always),
];

/// Returns all lies about the content of the `nth` message with a tag that the cheating party
/// sends. A tag without a case does not compile, and a tag that no session sends fails a test.
///
/// Rates other than [`Always`] depend on one of these bits:
///
/// - a bit of Delta, which decides whether its holder uses a challenge or a sum. Bit 0 of Delta is
///   1 at the garbler and 0 at the evaluator, and decides level 3 of tree 0.
/// - the honest bit `x` of a leaky triple, which selects the table.
/// - a masked value, which selects a half of a garbled table.
///
/// All these bits are uniform and independent of the inputs.
pub(crate) fn content((tag, nth): FrameIndex, cheater: Party) -> Option<Content> {
    match tag {
        Kind::Hello => Some(of_hello()),
        Kind::Ot(tag) => Some(of_oblivious_transfer(tag, cheater)),
        Kind::Mpc(tag) => of_batches(tag).or_else(|| of_runs(tag, nth)),
        // An abort is itself a lie about another message, and dice have no session.
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
            // These changes of the key give a non-canonical encoding, possibly another point, and a
            // non-canonical encoding.
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
                        | Disagreement::Engine { .. }
                        | Disagreement::StatisticalSecurity { .. }
                ) | Error::Check(
                    // With another nonce or key, the parties are in different sessions.
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
        // A seed and points. The cheating party itself notices a changed point.
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
        // The challenge depends on the whole matrix. So a receiver that changes the matrix but does
        // not recompute its check is always caught. A receiver that guesses four bits of Delta is
        // caught in 15 of 16 cases; a test of the correlated OT covers this.
        ot::Tag::CotCorrection => Content {
            changes: THROUGHOUT,
            finds: |error| is_check_of_ot(error, &[CotConsistency]),
        },
        // The hash of the choices, and a digest of the hashes of the rows.
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

/// The changes of a point, challenges and a proof. Challenge i is used if choice i is 1. Choice 3
/// is the lowest bit of Delta.
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

/// The changes of sums, check values and a digest. Only the sums off Delta's path are used.
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

/// The lies about the messages of a batch of the pool.
fn of_batches(tag: mpc::Tag) -> Option<Content> {
    let (changes, finds): (Changes, Finds) = match tag {
        // Bit 0 of a table is also opened, as part of the low bit.
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
        // In this session a bucket has eight triples, so their bits fill whole bytes.
        mpc::Tag::LeakyBits => (THROUGHOUT, |error| {
            matches!(error, Error::Check(Check::TripleEquality))
        }),
        mpc::Tag::TripleCommitment => (THROUGHOUT, |error| {
            matches!(error, Error::Check(Check::TripleCommitment))
        }),
        // A digest and a share of the coin. With another coin, the parties' buckets differ.
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
        // A digest, a share of the coin and a nonce.
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
        // The differences within the buckets. In this session, they fill whole bytes.
        mpc::Tag::PoolBits => (THROUGHOUT, |error| {
            matches!(error, Error::Check(Check::PoolMacs))
        }),
        _ => return None,
    };
    Some(Content { changes, finds })
}

/// The lies about the messages of runs and openings, and about the messages that all steps have.
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
        // The challenge depends on all inputs of the sender.
        mpc::Tag::MaskedValues => (BITS, |error| matches!(error, Error::Check(Check::Products))),
        mpc::Tag::ProductProof => (THROUGHOUT, |error| {
            matches!(error, Error::Check(Check::Products))
        }),
        // The parties' masked values differ, so the digests of the check differ as well.
        mpc::Tag::GateValues => (BITS, |error| matches!(error, Error::Check(Check::AndGates))),
        mpc::Tag::Tables => (TABLES, |error| {
            matches!(error, Error::Check(Check::AndGates))
        }),
        mpc::Tag::OutputBits => (BITS, |error| {
            matches!(error, Error::Check(Check::OpeningMacs))
        }),
        // `of_batches` covers these.
        mpc::Tag::LeakyTables
        | mpc::Tag::LeakyBits
        | mpc::Tag::TripleCommitment
        | mpc::Tag::TripleDigest
        | mpc::Tag::TripleOpening
        | mpc::Tag::PoolBits => return None,
        // Only semi-honest sessions have these.
        mpc::Tag::MaskedInputs
        | mpc::Tag::InputDigest
        | mpc::Tag::OpenedPairs
        | mpc::Tag::PairsDigest
        | mpc::Tag::OpenedHashes => return None,
    };
    Some(Content { changes, finds })
}

/// The changes of the bits e and f of the gates, and of the bits d of the outputs, which are masked
/// with pads.
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

/// The changes of garbled tables. G0 of a gate is used if the masked value of its first input is 1,
/// and G1 if the masked value of its second input is 1. A wrong label of the first layer spoils the
/// second layer, and a wrong label of the last layer spoils an output. The low bit of a table is
/// always used, and the other bits of its byte must be 0.
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

/// Whether the encoding of a message is invalid, which any change of its content can cause.
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

/// The lies about the form of a message.
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

/// Returns the rate of a lie about the form of a message. `last` states whether it is the last
/// message of the session. Nothing reads the bytes after the last message.
pub(crate) fn rate_of_form(form: Form, last: bool) -> Rate {
    match form {
        Form::Repeated if last => Never,
        _ => Always,
    }
}

/// A lie about a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    Content(Change),
    Form(Form),
}

/// A lie of a cheating peer, and the rate at which it is caught.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) cheater: Party,
    pub(crate) place: FrameIndex,
    pub(crate) lie: Lie,
    pub(crate) rate: Rate,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, nth) = self.place;
        write!(f, "{}, {kind} {nth}, ", self.cheater)?;
        match self.lie {
            Lie::Content(change) => write!(f, "{change:?}"),
            Lie::Form(form) => write!(f, "{form:?}"),
        }
    }
}

impl Case {
    pub(crate) fn fates(&self) -> Fates {
        let Case { place, lie, .. } = *self;
        match lie {
            Lie::Form(form) => form.fates(place),
            Lie::Content(change) => changing(move |frame| {
                if frame.place() == place {
                    apply(change, &mut frame.payload);
                }
            }),
        }
    }

    /// Returns the setup of the session: with dealt OTs, unless the lie is about the setup itself.
    pub(crate) fn setup(&self) -> Setup {
        match self.place.0 {
            Kind::Ot(ot::Tag::CotCorrection | ot::Tag::CotCheck) | Kind::Mpc(_) => Setup::Dealt,
            Kind::Hello | Kind::Abort | Kind::Ot(_) | Kind::Dice(_) => Setup::Made,
        }
    }

    /// Returns the patience of the honest party.
    pub(crate) fn patience(&self) -> Patience {
        match self.lie {
            Lie::Form(form) if form.may_keep_waiting() => Patience::Short,
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
