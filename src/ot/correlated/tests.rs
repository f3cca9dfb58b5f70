//! Tests which corrections the sender accepts, and that a batch is bound to its session, direction
//! and number.

use std::slice;

use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;

use super::super::all_but_one::{self, LEAVES, tests::ideal_base_ot};
use super::*;
use crate::circuit::Party;
use crate::crypto::SessionId;

const DIRECTION: Direction = Direction {
    session: SessionId([8; 32]),
    sender: Party::Garbler,
};

fn pair(seed: u8) -> (Sender, Receiver) {
    let mut rng = ChaCha20Rng::from_seed([seed; 32]);
    let delta = Delta::random(true, &mut rng);
    let (pads, chosen) = ideal_base_ot(&delta, &mut rng);
    let (all, sums) = all_but_one::plant(DIRECTION, &pads);
    let known = all_but_one::puncture(DIRECTION, &delta, &chosen, &sums).unwrap();
    (
        Sender::new(DIRECTION, delta, known),
        Receiver::new(DIRECTION, all),
    )
}

/// Makes the receiver's next batch and returns its message. The OTs are discarded.
fn matrix(receiver: &mut Receiver, blocks: usize) -> Correction {
    let mut choices = vec![SecretBit::default(); 128 * blocks];
    let mut macs = vec![Mac::default(); 128 * blocks];
    make(receiver, &mut choices, &mut macs)
}

/// Makes the receiver's next batch and returns its message.
fn make(receiver: &mut Receiver, choices: &mut [SecretBit], macs: &mut [Mac]) -> Correction {
    let mut made = receiver.extend(macs.len(), choices, macs).unwrap();
    assert_eq!(made.len(), 1);
    made.remove(0)
}

/// The result of the sender's check of a batch of 128 OTs.
fn take(sender: &mut Sender, correction: &Correction) -> Result<()> {
    sender.extend(128, slice::from_ref(correction), &mut [Key::default(); 128])
}

/// The outputs of both parties for the next batch.
fn ots(
    sender: &mut Sender,
    receiver: &mut Receiver,
    blocks: usize,
) -> (Vec<SecretBit>, Vec<Mac>, Vec<Key>) {
    let mut choices = vec![SecretBit::default(); 128 * blocks];
    let mut macs = vec![Mac::default(); 128 * blocks];
    let mut keys = vec![Key::default(); 128 * blocks];
    let made = make(receiver, &mut choices, &mut macs);
    let made = slice::from_ref(&made);
    sender.extend(macs.len(), made, &mut keys).unwrap();
    (choices, macs, keys)
}

#[test]
fn every_mac_is_the_key_plus_choice_times_delta() {
    let (mut sender, mut receiver) = pair(1);
    for blocks in [1, 2, MAX_BLOCKS, 30, MAX_BLOCKS - 1] {
        let (choices, macs, keys) = ots(&mut sender, &mut receiver, blocks);
        for ((key, mac), bit) in keys.iter().zip(&macs).zip(&choices) {
            let expected = key.0 ^ sender.delta.select(*bit);
            assert_eq!(mac.0.to_bytes(), expected.to_bytes());
        }
        let ones = choices.iter().filter(|bit| bit.reveal()).count();
        assert!(ones > 0 && ones < 128 * blocks, "choices are random");
    }
}

#[test]
fn no_two_batches_start_with_the_same_ots() {
    let (mut sender, mut receiver) = pair(5);
    let mut begun = Vec::new();
    for blocks in [1, 2, 1, MAX_BLOCKS, 1] {
        let (choices, _, keys) = ots(&mut sender, &mut receiver, blocks);
        let choices: Vec<bool> = choices[..128].iter().map(|bit| bit.reveal()).collect();
        let first = (choices, keys[0].0.to_bytes());
        for (choices, key) in &begun {
            assert!(*choices != first.0 && *key != first.1);
        }
        begun.push(first);
    }
}

#[test]
fn wrong_correction_is_caught_unless_it_guesses_bits_of_delta() {
    // A cheating receiver adds an error to the correction of tree 5. After the challenge is fixed,
    // it computes the check that is right if Delta_5 = guess. The sender accepts exactly if the
    // guess is right; for K = 4 bits this has probability 1/16.
    for guess in 0..LEAVES {
        let (mut sender, mut receiver) = pair(2);
        let path: usize = (0..K)
            .map(|bit| usize::from(sender.delta.block().bit(5 * K + bit).reveal()) << bit)
            .sum();
        let (mut correction, _) = matrix(&mut receiver, 1);
        correction[4 * 2] ^= Block::from([1; 16]);
        // Recompute the honest rows from a fresh copy of the receiver.
        let (_, mut receiver) = pair(2);
        let batch = receiver.next.take(2).unwrap();
        let mut choices = Vec::new();
        let mut matrix = Matrix::new();
        matrix.expand((batch.position, 2), &receiver.leaves, 0, |tree, total| {
            if tree == 0 {
                choices = total.to_vec();
            }
        });
        for bit in (0..K).filter(|bit| guess >> bit & 1 == 1) {
            let row = matrix.rows_mut().nth(5 * K + bit).unwrap();
            row[0] ^= Block::from([1; 16]);
        }
        let hash = batch.challenge(&correction);
        let hashes: Vec<Block> = matrix.rows().map(|row| hash.hash(row)).collect();
        let check = CotCheck {
            choices: hash.hash(&choices).to_bytes(),
            rows: batch.rows_digest(&hashes),
        };
        let outcome = take(&mut sender, &(correction, check));
        assert_eq!(outcome.is_ok(), guess == path);
    }
}

#[test]
fn every_field_of_the_check_matters_and_no_batch_can_be_replayed() {
    let honest = || {
        let (sender, mut receiver) = pair(3);
        (sender, matrix(&mut receiver, 1))
    };
    let (mut sender, made) = honest();
    assert!(take(&mut sender, &made).is_ok());
    assert!(take(&mut sender, &made).is_err(), "replayed");

    let refused = |change: &dyn Fn(&mut Correction)| {
        let (mut sender, mut made) = honest();
        change(&mut made);
        assert!(take(&mut sender, &made).is_err());
    };
    refused(&|(_, check)| check.choices[0] ^= 1);
    refused(&|(_, check)| check.rows[0] ^= 1);
    for index in 0..correction_blocks(1) {
        refused(&|(correction, _)| correction[index] ^= Block::from([0x10; 16]));
    }
}

#[test]
fn parallel_batches_equal_sequential_batches() {
    const SIZES: [usize; 3] = [256, 256, 128];
    let all = SIZES.iter().sum();
    let (mut sender, mut receiver) = pair(6);
    let mut choices = vec![SecretBit::default(); all];
    let mut macs = vec![Mac::default(); all];
    let mut keys = vec![Key::default(); all];
    let made = receiver.extend(256, &mut choices, &mut macs).unwrap();
    sender.extend(256, &made, &mut keys).unwrap();
    let (_, mut receiver) = pair(6);
    let mut first = 0;
    for (size, at_once) in SIZES.into_iter().zip(&made) {
        let one = matrix(&mut receiver, size / 128);
        assert_eq!(cast_slice::<_, u8>(&one.0), cast_slice::<_, u8>(&at_once.0));
        assert_eq!(one.1.rows, at_once.1.rows);
        for i in first..first + size {
            let expected = sender.delta.mac(keys[i], choices[i]);
            assert_eq!(macs[i].0.to_bytes(), expected.0.to_bytes());
        }
        first += size;
    }
    // A wrong batch among correct ones is rejected.
    for wrong in 0..SIZES.len() {
        let (mut sender, mut receiver) = pair(6);
        let mut made = receiver.extend(256, &mut choices, &mut macs).unwrap();
        made[wrong].1.rows[0] ^= 1;
        assert!(sender.extend(256, &made, &mut keys).is_err());
    }
}

#[test]
#[should_panic = "one correction per batch"]
fn missing_correction_panics() {
    let (mut sender, mut receiver) = pair(7);
    let mut choices = [SecretBit::default(); 384];
    let mut macs = [Mac::default(); 384];
    let made = receiver.extend(128, &mut choices, &mut macs).unwrap();
    let _ = sender.extend(128, &made[..2], &mut [Key::default(); 384]);
}

#[test]
fn hashes_of_a_check_are_bound_to_session_direction_and_batch() {
    let batch = |session, sender, finished| {
        let mut batch = Batch::first(Direction::of(&SessionId([session; 32]), sender));
        for _ in 0..finished {
            batch.take(1).unwrap();
        }
        batch
    };
    let batches = [
        batch(8, Party::Garbler, 0),
        batch(9, Party::Garbler, 0),
        batch(8, Party::Evaluator, 0),
        batch(8, Party::Garbler, 1),
    ];
    let blocks = [Block::from([1; 16]), Block::from([2; 16])];
    let challenges = batches.each_ref().map(|batch| {
        let hash = batch.challenge(&blocks).hash(&blocks);
        hash.to_bytes()
    });
    let rows = batches.map(|batch| batch.rows_digest(&blocks));
    for i in 0..challenges.len() {
        assert!(!challenges[..i].contains(&challenges[i]));
        assert!(!rows[..i].contains(&rows[i]));
    }
}

#[test]
fn batch_numbers_end_before_they_overlap_the_direction() {
    let mut batch = Batch::first(DIRECTION);
    batch.number = (1 << 32) - 2;
    for number in [(1 << 32) - 2, (1 << 32) - 1] {
        assert_eq!(batch.take(1).unwrap().number, number);
    }
    assert!(matches!(batch.take(1), Err(Error::Exhausted)));
}

#[test]
fn known_answers() {
    let (mut sender, mut receiver) = pair(4);
    let mut choices = [SecretBit::default(); 256];
    let mut macs = [Mac::default(); 256];
    let mut keys = [Key::default(); 256];
    let made = make(&mut receiver, &mut choices, &mut macs);
    sender
        .extend(256, slice::from_ref(&made), &mut keys)
        .unwrap();
    let (correction, check) = made;
    let digest = |bytes: &[u8]| blake3::hash(bytes).to_hex()[..16].to_string();
    assert_eq!(
        [
            digest(cast_slice(&correction)),
            digest(&check.choices),
            digest(&check.rows),
            digest(cast_slice(&keys)),
            digest(cast_slice(&macs)),
        ],
        [
            "e3fe87fadd1486e0",
            "3a528559b79adae1",
            "0d705c4025b32575",
            "be07febf28057a9e",
            "b6e15f9a58160a4b"
        ]
    );
}
