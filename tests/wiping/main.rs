//! Secrets are wiped from memory when they are dropped, when they are taken from a list, and when a
//! channel ends.

mod verifiable;
mod watcher;

use std::convert::Infallible;
use std::io;
use std::thread;
use std::time::Duration;

use dealerless::circuit::Party;
use dealerless::crypto::{Block, SecretVec, SessionId};
use dealerless::deck::{Card, KeptDeck, Share};
use dealerless::mpc::{Malicious, TwoParty};
use dealerless::net::{
    Channel, Deadlines, HEADER_BYTES, MemoryTransport, Message, Tag, Transport, memory_pair,
};
use dealerless::ot::{CotBits, Delta, Key, setup_both};
use dealerless::shuffle::split::{Split, SplitCircuit};
use dealerless::testing::session::{self, sessions, system_rng};
use rand::{TryCryptoRng, TryRng};
use serde::{Deserialize, Serialize};
use watcher::{MARK, alone, in_memory, overwrite_stack, watch, watch_for};

fn list(count: usize) -> SecretVec<Block> {
    (0..count).map(|_| Block::from(MARK)).collect()
}

#[test]
fn reused_list_is_wiped() {
    watch(|| {
        let mut grown = list(5);
        grown.reuse(9);
        assert_eq!((grown.len(), in_memory()), (9, 0));
    });
    watch(|| list(5).reuse(2));
}

#[test]
fn dropped_list_is_wiped() {
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
fn secrets_taken_from_a_list_are_wiped_there() {
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

/// Queues frames of several lengths, so that the outbox has to grow.
fn queue_secrets(channel: &mut Channel) {
    for _ in 0..20 {
        channel.send_message(&Note { secret: MARK }).unwrap();
        channel.send_bytes(BULK, [MARK; 3].as_flattened()).unwrap();
    }
    assert_eq!(in_memory(), 80);
}

#[test]
fn unflushed_bytes_are_wiped_when_a_channel_ends_or_is_dropped() {
    watch(|| {
        let (end, _peer) = memory_pair();
        let mut channel = Channel::new(end, Deadlines::default());
        queue_secrets(&mut channel);
        channel.abort();
        assert_eq!(in_memory(), 0, "the aborted channel still holds secrets");
    });
    watch(|| {
        let (end, _peer) = memory_pair();
        queue_secrets(&mut Channel::new(end, Deadlines::default()));
    });
}

/// A transport that receives the same note repeatedly.
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
fn received_bytes_are_wiped_with_the_channel() {
    watch(|| {
        let mut channel = Channel::new(Notes, Deadlines::default());
        for _ in 0..3 {
            channel.recv_message::<Note>().unwrap();
        }
    });
}

/// A generator of random bytes. If `marked` is set, the first bytes, from which Delta is made, are
/// the mark.
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
        if std::mem::take(&mut self.marked) {
            bytes.copy_from_slice(&MARK);
            return Ok(());
        }
        system_rng().try_fill_bytes(bytes)
    }
}

impl TryCryptoRng for MarkedRng {}

/// One party's oblivious transfers, in both directions.
fn transfer(me: Party, end: MemoryTransport) {
    let marked = me == Party::Garbler;
    let mut rng = MarkedRng { marked };
    let delta = Delta::random(marked, &mut rng);
    let mut channel = Channel::new(end, Deadlines::default());
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
}

#[test]
fn delta_is_wiped_after_oblivious_transfer() {
    // Starts all threads of rayon's pool here: they would otherwise allocate their data while Delta
    // is on a stack.
    rayon::broadcast(|_| ());
    watch(|| {
        let (one, other) = memory_pair();
        thread::scope(|scope| {
            for (me, end) in [(Party::Garbler, one), (Party::Evaluator, other)] {
                scope.spawn(move || {
                    transfer(me, end);
                    overwrite_stack();
                });
            }
        });
    });
}

fn one_board() -> SplitCircuit {
    SplitCircuit::build(Split::new(13, 1).unwrap())
}

/// Returns the bits of a hand, each as a byte, as in a list of bits.
fn bits(Card(hand): Card) -> [u8; 52] {
    std::array::from_fn(|bit| (hand >> bit & 1) as u8)
}

/// For each party, the file of its kept board, and its share of the validity.
struct Kept([(Vec<u8>, Share); 2]);

impl Kept {
    fn dealt() -> Self {
        let _alone = alone();
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
fn share_of_a_kept_card_is_wiped() {
    let kept = Kept::dealt().read(Party::Garbler);
    let share: [u8; 52] = std::array::from_fn(|bit| kept.share(0).unwrap().bits[bit].into());
    watch_for(&share, || {
        let share = kept.share(0).unwrap();
        assert_eq!(in_memory(), 1);
        drop(share);
    });
}

#[test]
fn opened_hand_is_wiped_with_its_kept_deck() {
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
