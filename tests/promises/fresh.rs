//! All randomness is fresh: no block of 16 bytes is sent twice, neither within a session nor in two
//! sessions, even if the parties enter the same inputs.

use std::collections::HashMap;

use dealerless::circuit::{Builder, Circuit, Party};
use dealerless::mpc::{self, Input, Run};
use dealerless::net::Channel;
use dealerless::testing::circuits::bits;
use dealerless::testing::kind::Kind;
use dealerless::testing::line::End;
use dealerless::testing::session::{Engine, PATIENT, both, in_memory, reveal, system_rng};
use dealerless::testing::tap::{Frame, Tap};

dealerless::with_both_engines! {
    no_block_is_sent_twice,
}

/// The number of bits that each party enters, enough for packed bits to fill whole blocks.
const WIDTH: usize = 256;

fn ands() -> Circuit {
    let mut builder = Builder::new(&[WIDTH, WIDTH]);
    let (a, b) = (builder.input(0), builder.input(1));
    let products = a.iter().zip(&b).map(|(&a, &b)| builder.and(a, b)).collect();
    builder.build(vec![products])
}

/// The frames that each party sends in a session with two runs on the same inputs.
fn sent<E: Engine>(values: &[Vec<bool>; 2]) -> [Vec<Frame>; 2] {
    let circuit = ands();
    both(in_memory(), |party, end| {
        let tap = Tap::new(end);
        let record = tap.record();
        let channel = Channel::new(Box::new(tap) as End, PATIENT);
        let mut session = E::begin(channel, party, &mut system_rng()).unwrap();
        for _ in 0..2 {
            let run = Run::new(&circuit, &Input::ONE_EACH, &values[party as usize]);
            let shared = session.run(run).unwrap();
            reveal(&mut session, &shared[0]).unwrap();
        }
        record.take_sent()
    })
}

/// The part of a payload in which every block is random or a hash of random data.
fn random_part(frame: &Frame) -> &[u8] {
    match frame.kind() {
        // The nonce and the key.
        Kind::Hello => &frame.payload[15..79],
        // The first 32 bytes repeat the other party's digest.
        Kind::Mpc(mpc::Tag::TripleOpening) => &frame.payload[32..],
        _ => &frame.payload,
    }
}

fn no_block_is_sent_twice<E: Engine>() {
    let values = Party::BOTH.map(|_| bits(&mut system_rng(), WIDTH));
    let mut seen = HashMap::new();
    for session in 0..2 {
        for (sender, sent) in Party::BOTH.into_iter().zip(sent::<E>(&values)) {
            for frame in sent {
                let (number, kind) = (frame.number, frame.kind());
                let place = format!("session {session}, {sender}, frame {number}, {kind}");
                for block in random_part(&frame).as_chunks::<16>().0 {
                    let earlier = seen.insert(*block, place.clone());
                    assert_eq!(earlier, None, "repeated in {place}");
                }
            }
        }
    }
}
