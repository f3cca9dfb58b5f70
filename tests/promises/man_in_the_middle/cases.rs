//! The changes of the messages of a session, derived from the record of an honest session.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use dealerless::circuit::Party;
use dealerless::mpc::Tag as Mpc;
use dealerless::net::HEADER_BYTES;
use dealerless::ot::Tag as Ot;
use dealerless::testing::kind::Kind;
use rand::RngExt;

use dealerless::testing::session::system_rng;
use dealerless::testing::soak::soak;
use dealerless::testing::tap::{Frame, frame as frame_of};

/// The bytes that replace some frames of a party, by the number of the frame among all frames that
/// this party sends.
pub(crate) type Edits = HashMap<usize, Vec<u8>>;

/// The size in bytes up to which every bit of a message is changed in every game.
const SMALL: usize = 16;
/// The size in bytes up to which every bit of a message is changed in a thorough game.
const DIGESTS: usize = 96;
/// The number of bits changed in a longer message, in addition to the first and the last.
const SAMPLE: usize = 8;

/// The part of a message that is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    Header,
    Content,
    /// The place of the message in the sequence of messages.
    FrameIndex,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Subject::Header => "header",
            Subject::Content => "content",
            Subject::FrameIndex => "place",
        })
    }
}

/// One change by the man in the middle.
pub(crate) struct Case {
    pub(crate) sender: Party,
    pub(crate) tag: u8,
    pub(crate) subject: Subject,
    what: String,
    pub(crate) edits: Edits,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}: {}", self.sender, name_of(self.tag), self.what)
    }
}

pub(crate) fn name_of(tag: u8) -> String {
    Kind::from_byte(tag).map_or(format!("tag {tag}"), |tag| tag.to_string())
}

/// Whether a message belongs to the setup, before the first correlated OT.
pub(crate) fn is_setup(tag: u8) -> bool {
    let setup = [
        Ot::BaseOtPoints,
        Ot::BaseOtPads,
        Ot::BaseOtAnswer,
        Ot::TreeSums,
    ];
    tag == Kind::Hello.byte() || setup.map(Ot::byte).contains(&tag)
}

impl Case {
    /// Whether a party may wait for bytes that never arrive, because the changed frame seems to be
    /// longer than it is.
    pub(crate) fn may_wait(&self) -> bool {
        self.subject != Subject::Content
    }

    /// Whether the change may go unnoticed because the receiver uses only half of the message. This
    /// is true of the messages that protect the base OTs and the trees, and of leaky and garbled
    /// tables. A bit of the receiver that does not depend on any input decides which half is used.
    pub(crate) fn may_go_unnoticed(&self) -> bool {
        let halves = [Ot::BaseOtPads.byte(), Ot::TreeSums.byte()];
        let tables = [Mpc::LeakyTables, Mpc::Tables];
        halves.contains(&self.tag)
            || tables.map(Mpc::byte).contains(&self.tag)
            // Nothing reads the bytes after the last message.
            || self.subject == Subject::FrameIndex && self.what.starts_with("repeated")
    }
}

/// The frames of the garbler and of the evaluator in an honest session.
pub(crate) struct Transcript {
    frames: [Vec<Frame>; 2],
    /// For each party, the ranges of frames that it sent without receiving a frame in between.
    flights: [Vec<Range<usize>>; 2],
}

impl Transcript {
    pub(crate) fn new(records: [Vec<Frame>; 2]) -> Self {
        let mut flights = [Vec::new(), Vec::new()];
        for (record, flights) in records.iter().zip(&mut flights) {
            let mut number = 0;
            for flight in record.chunk_by(|one, next| one.sent && next.sent) {
                if flight[0].sent {
                    flights.push(number..number + flight.len());
                    number += flight.len();
                }
            }
        }
        let sent = |record: Vec<Frame>| record.into_iter().filter(|frame| frame.sent).collect();
        Transcript {
            frames: records.map(sent),
            flights,
        }
    }

    fn of(&self, party: Party) -> &[Frame] {
        &self.frames[party as usize]
    }

    /// The plans of a party, with their numbers among the frames that it sends.
    fn plans(&self, party: Party) -> impl Iterator<Item = (usize, &Frame)> {
        let frames = self.of(party).iter().enumerate();
        frames.filter(|(_, frame)| frame.tag == Mpc::Plan.byte())
    }

    /// Edits of the peer's frames, so that `party` receives its own plans.
    pub(crate) fn own_plans(&self, party: Party) -> Edits {
        let places = self.plans(party.other()).map(|(number, _)| number);
        let own = self.plans(party).map(|(_, plan)| plan.to_bytes());
        places.zip(own).collect()
    }
}

/// Chooses all of `bits` bits if `all` is set or in a soak run, and otherwise a random sample.
fn sample(bits: usize, all: bool) -> Vec<usize> {
    if all || soak().is_some() {
        return (0..bits).collect();
    }
    let random = || system_rng().random_range(0..bits);
    let chosen = std::iter::repeat_with(random).take(SAMPLE);
    [0, bits - 1].into_iter().chain(chosen).collect()
}

/// Flips of every bit of every short message, and of a sample of bits of the long ones.
pub(crate) fn flips(transcript: &Transcript, thorough: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for sender in Party::BOTH {
        for (number, frame) in transcript.of(sender).iter().enumerate() {
            let mut flip = |subject, at: usize, name: &str| {
                let mut bytes = frame.to_bytes();
                bytes[at / 8] ^= 1 << (at % 8);
                cases.push(Case {
                    sender,
                    tag: frame.tag,
                    subject,
                    what: format!(
                        "frame {number} of {} bytes, {name} {at}",
                        frame.payload.len()
                    ),
                    edits: Edits::from([(number, bytes)]),
                });
            };
            let (bytes, hello) = (frame.payload.len(), frame.tag == Kind::Hello.byte());
            if thorough || is_setup(frame.tag) {
                for at in sample(8 * HEADER_BYTES, thorough || hello) {
                    flip(Subject::Header, at, "bit of the header");
                }
            }
            for bit in sample(8 * bytes, bytes <= SMALL || thorough && bytes <= DIGESTS) {
                flip(Subject::Content, 8 * HEADER_BYTES + bit, "bit");
            }
        }
    }
    cases
}

/// Returns a frame with another payload.
fn with_payload(frame: &Frame, payload: &[u8]) -> Vec<u8> {
    frame_of(payload.len() as u32, frame.tag, payload)
}

/// All cases with misplaced messages or blocks. Two messages of a flight are exchanged, or only
/// their contents, or only the first blocks of their contents. The first two blocks of a message
/// are exchanged. A message, or a whole flight, is replaced with an earlier one of the sender. A
/// message is replaced with a message of the other party. A message is sent twice.
pub(crate) fn misplaced(transcript: &Transcript) -> Vec<Case> {
    let mut cases = Vec::new();
    for sender in Party::BOTH {
        let (mine, theirs) = (transcript.of(sender), transcript.of(sender.other()));
        let mut case = |number: usize, what: String, edits: Edits| {
            let unchanged =
                |(number, bytes): (&usize, &Vec<u8>)| *bytes == mine[*number].to_bytes();
            if edits.iter().all(unchanged) {
                return;
            }
            cases.push(Case {
                sender,
                tag: mine[number].tag,
                subject: Subject::FrameIndex,
                what,
                edits,
            });
        };
        for flight in &transcript.flights[sender as usize] {
            for (i, j) in pairs(flight) {
                let (one, other) = (&mine[i], &mine[j]);
                let exchanged = Edits::from([(i, other.to_bytes()), (j, one.to_bytes())]);
                case(i, format!("frame {i} exchanged with {j}"), exchanged);
                if one.payload.len() != other.payload.len() {
                    continue;
                }
                let edits = Edits::from([
                    (i, with_payload(one, &other.payload)),
                    (j, with_payload(other, &one.payload)),
                ]);
                case(i, format!("content of frame {i} exchanged with {j}"), edits);
                let (mut a, mut b) = (one.payload.clone(), other.payload.clone());
                let block = a.len().min(16);
                a[..block].swap_with_slice(&mut b[..block]);
                let edits = Edits::from([(i, with_payload(one, &a)), (j, with_payload(other, &b))]);
                case(
                    i,
                    format!("first block of frame {i} exchanged with {j}"),
                    edits,
                );
            }
        }
        for (j, frame) in mine.iter().enumerate() {
            if let Some((first, rest)) = frame.payload.split_at_checked(16)
                && rest.len() >= 16
            {
                // For example, the two hashes that open a bit.
                let (second, rest) = rest.split_at(16);
                let exchanged = with_payload(frame, &[second, first, rest].concat());
                let what = format!("first two blocks of frame {j} exchanged");
                case(j, what, Edits::from([(j, exchanged)]));
            }
            let twice = [frame.to_bytes(), frame.to_bytes()].concat();
            case(j, format!("repeated: frame {j}"), Edits::from([(j, twice)]));
            let alike = |other: &Frame| {
                other.tag == frame.tag && other.payload.len() == frame.payload.len()
            };
            for (i, earlier) in mine[..j]
                .iter()
                .enumerate()
                .filter(|(_, other)| alike(other))
            {
                let edits = Edits::from([(j, earlier.to_bytes())]);
                case(j, format!("frame {i} instead of {j}"), edits);
            }
            for (i, reflected) in theirs.iter().enumerate().filter(|(_, other)| alike(other)) {
                let edits = Edits::from([(j, reflected.to_bytes())]);
                case(
                    j,
                    format!("the other party's frame {i} instead of {j}"),
                    edits,
                );
            }
        }
        for (flight, again) in pairs(&(0..transcript.flights[sender as usize].len())) {
            let [one, other] = [flight, again].map(|i| &transcript.flights[sender as usize][i]);
            let shape = |flight: &Range<usize>| -> Vec<(u8, usize)> {
                let frames = mine[flight.clone()].iter();
                frames
                    .map(|frame| (frame.tag, frame.payload.len()))
                    .collect()
            };
            if shape(one) != shape(other) {
                continue;
            }
            let edits = other
                .clone()
                .zip(mine[one.clone()].iter().map(Frame::to_bytes));
            let what = format!("frames {one:?} instead of {other:?}");
            case(other.start, what, edits.collect());
        }
    }
    cases
}

fn pairs(range: &Range<usize>) -> impl Iterator<Item = (usize, usize)> + use<> {
    let range = range.clone();
    range
        .clone()
        .flat_map(move |i| (i + 1..range.end).map(move |j| (i, j)))
}
