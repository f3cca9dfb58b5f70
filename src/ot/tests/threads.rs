//! A party sends the same bytes with any number of threads.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::circuit::Party;
use crate::crypto::{SecretVec, SessionId};
use crate::net::{Channel, Deadlines, memory_pair};
use crate::ot::dealt::deal;
use crate::ot::{CotBits, Key};
use crate::parallel::tests::with_threads;
use crate::testing::tap::{Frame, Tap};

/// Extends correlated OTs over several batches, the last one smaller. The receiver uses `threads`
/// threads and the sender two. Returns the frames that the receiver sends, and whether the sender's
/// keys and the receiver's MACs match.
fn ots(threads: usize) -> (Vec<Vec<u8>>, bool) {
    const OTS: usize = 128 * 400;
    let session = SessionId([3; 32]);
    let mut seed = [0; 32];
    StdRng::seed_from_u64(4).fill_bytes(&mut seed);
    let [(_, mut receiver), (mut sender, _)] = Party::BOTH.map(|me| deal(&session, me, seed));
    let (near, far) = memory_pair();
    let near = Tap::new(near);
    let record = near.record();
    let mut near = Channel::new(near, Deadlines::default());
    let mut far = Channel::new(far, Deadlines::default());
    let mut bits = CotBits::default();
    bits.reuse(OTS);
    let mut keys = SecretVec::<Key>::zeros(OTS);
    with_threads(threads, || receiver.extend(&mut near, &mut bits)).unwrap();
    with_threads(2, || sender.extend(&mut far, &mut keys)).unwrap();
    let fit = (0..OTS).all(|i| {
        let mac = sender.delta().mac(keys[i], bits.choices[i]);
        mac.0.to_bytes() == bits.macs[i].0.to_bytes()
    });
    let sent = record.take_sent();
    (sent.iter().map(Frame::to_bytes).collect(), fit)
}

#[test]
fn sent_bytes_do_not_depend_on_the_number_of_threads() {
    let (alone, fit) = ots(1);
    assert!(fit && alone.len() >= 2 * 7);
    assert!(ots(3) == (alone, true));
}
