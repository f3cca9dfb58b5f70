//! What was secret is gone from memory: when it is dropped, when it is taken from a list, when a
//! channel ends.

mod watcher;

use std::convert::Infallible;
use std::io;
use std::thread;
use std::time::Duration;

use dealerless::circuit::Party;
use dealerless::crypto::{Block, SecretVec, SessionId};
use dealerless::deck::{Card, KeptDeck, Share};
use dealerless::mpc::{Malicious, TwoParty};
use dealerless::net::{Channel, Deadlines, HEADER_BYTES, Message, Tag, Transport, memory_pair};
use dealerless::ot::{CotBits, Delta, Key, setup_both};
use dealerless::shuffle::split::{Split, SplitCircuit};
use dealerless::testing::session::{self, sessions, system_rng};
use rand::{TryCryptoRng, TryRng};
use serde::{Deserialize, Serialize};
use watcher::{MARK, in_memory, watch, watch_for};

fn list(count: usize) -> SecretVec<Block> {
    (0..count).map(|_| Block::from(MARK)).collect()
}

#[test]
fn a_list_that_is_used_again_leaves_nothing_behind() {
    watch(|| {
        let mut grown = list(5);
        grown.reuse(9);
        assert_eq!((grown.len(), in_memory()), (9, 0));
    });
    watch(|| list(5).reuse(2));
}

#[test]
fn a_list_of_secrets_is_wiped_when_it_is_dropped() {
    watch(|| {
        let mut list = list(5);
        assert_eq!(in_memory(), 5);
        list[2] = Block::ZERO;
        assert_eq!(in_memory(), 4);
    });
    watch(|| {
        let mut list = SecretVec::with_capacity(9);
        list.extend([Block::from(MARK); 3]);
        list.push(Block::from(MARK));
        assert_eq!(in_memory(), 4);
        let both = SecretVec::concat(&[&list, &list]);
        drop(list);
        assert_eq!(in_memory(), both.len());
    });
}

#[test]
fn what_is_taken_from_a_list_of_secrets_is_gone_there() {
    watch(|| {
        let mut pool = list(7);
        let taken = pool.take_last(3);
        assert_eq!((pool.len(), taken.len(), in_memory()), (4, 3, 7));
        drop(taken);
        assert_eq!(in_memory(), 4);
        let rest = pool.take_last(4);
        assert_eq!((pool.len(), rest.len(), in_memory()), (0, 4, 4));
    });
}

const BULK: Tag = Tag::new(128, "bulk");

#[derive(Serialize, Deserialize)]
struct Note {
    secret: [u8; 16],
}

impl Message for Note {
    const TAG: Tag = Tag::new(129, "note");
    const MAX_BYTES: usize = 16;
}

/// Something in the outbox: frames of several lengths, so that it has had to grow.
fn say(channel: &mut Channel) {
    for _ in 0..20 {
        channel.send_message(&Note { secret: MARK }).unwrap();
        channel.send_bytes(BULK, [MARK; 3].as_flattened()).unwrap();
    }
    assert_eq!(in_memory(), 80);
}

#[test]
fn what_was_not_flushed_is_wiped_when_a_channel_ends_and_when_it_is_dropped() {
    watch(|| {
        let (line, _far) = memory_pair();
        let mut channel = Channel::new(line, Deadlines::default());
        say(&mut channel);
        channel.abort();
        assert_eq!(in_memory(), 0, "the channel is still there");
    });
    watch(|| {
        let (line, _far) = memory_pair();
        say(&mut Channel::new(line, Deadlines::default()));
    });
}

/// A line from which the same note comes again and again.
struct Notes;

impl Transport for Notes {
    fn send(&mut self, _: Vec<u8>, _: Duration) -> io::Result<()> {
        Ok(())
    }

    fn recv(&mut self, buf: &mut [u8], _: Duration) -> io::Result<usize> {
        let (header, rest) = buf.split_at_mut(HEADER_BYTES);
        header.copy_from_slice(&[16, 0, 0, 0, Note::TAG.byte()]);
        rest[..16].copy_from_slice(&MARK);
        Ok(HEADER_BYTES + 16)
    }
}

#[test]
fn what_has_come_is_wiped_with_the_channel() {
    watch(|| {
        let mut channel = Channel::new(Notes, Deadlines::default());
        for _ in 0..3 {
            channel.recv_message::<Note>().unwrap();
        }
    });
}

/// Draws the mark for a Delta, and chance for all else.
struct MarkedRng {
    marked: bool,
}

impl TryRng for MarkedRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        system_rng().try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        system_rng().try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        match std::mem::take(&mut self.marked) {
            true => bytes.copy_from_slice(&MARK),
            false => system_rng().try_fill_bytes(bytes)?,
        }
        Ok(())
    }
}

impl TryCryptoRng for MarkedRng {}

#[test]
fn delta_is_nowhere_after_oblivious_transfer() {
    watch(|| {
        let (one, other) = memory_pair();
        thread::scope(|scope| {
            for (me, line) in [(Party::Garbler, one), (Party::Evaluator, other)] {
                scope.spawn(move || {
                    let marked = me == Party::Garbler;
                    let mut rng = MarkedRng { marked };
                    let delta = Delta::random(marked, &mut rng);
                    let mut channel = Channel::new(line, Deadlines::default());
                    let session = SessionId([7; 32]);
                    let both = setup_both(&mut channel, &session, me, delta, &mut rng);
                    let (sender, mut receiver) = both.unwrap();
                    let mut sender = Box::new(sender);
                    let mut bits = CotBits::default();
                    bits.reuse(128 * 70);
                    receiver.extend(&mut channel, &mut bits).unwrap();
                    sender
                        .extend(&mut channel, &mut [Key::default(); 128 * 70])
                        .unwrap();
                });
            }
        });
    });
}

fn one_board() -> SplitCircuit {
    SplitCircuit::build(Split::new(13, 1).unwrap())
}

/// The bits of a hand as they stand in a list of bits.
fn bits(Card(hand): Card) -> [u8; 52] {
    std::array::from_fn(|bit| (hand >> bit & 1) as u8)
}

/// A board that both have kept, as it is read from a file and its seeds are checked.
struct Kept([(Vec<u8>, Share); 2]);

impl Kept {
    fn dealt() -> Self {
        let circuit = one_board();
        Kept(sessions(session::in_memory(), |session: &mut Malicious| {
            let entered = circuit.sample(session.role(), &mut system_rng());
            let kept = KeptDeck::split(session, &circuit, &entered, b"board").unwrap();
            (kept.to_bytes().to_vec(), kept.validity())
        }))
    }

    fn read(&self, me: Party) -> KeptDeck {
        let [(bytes, _), (_, theirs)] = [me, me.other()].map(|party| &self.0[party as usize]);
        let mut kept = KeptDeck::from_bytes(bytes, b"board").unwrap();
        kept.check_seeds(theirs).unwrap();
        kept
    }
}

#[test]
fn a_share_of_a_kept_card_is_wiped() {
    let kept = Kept::dealt().read(Party::Garbler);
    let share: [u8; 52] = std::array::from_fn(|bit| kept.share(0).unwrap().bits[bit].into());
    watch_for(&share, || {
        let share = kept.share(0).unwrap();
        assert_eq!(in_memory(), 1);
        drop(share);
    });
}

#[test]
fn a_hand_that_was_opened_from_a_kept_deck_is_wiped_with_it() {
    let kept = Kept::dealt();
    let theirs = kept.read(Party::Evaluator).share(0).unwrap();
    let hand = kept.read(Party::Garbler).open(0, &theirs).unwrap();
    watch_for(&bits(hand), || {
        kept.read(Party::Garbler).open(0, &theirs).unwrap();
    });
    watch_for(&hand.0.to_le_bytes(), || {
        let mut deck = kept.read(Party::Garbler);
        deck.open(0, &theirs).unwrap();
        assert_eq!(in_memory(), 1);
        drop(deck);
    });
}
