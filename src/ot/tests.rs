//! A peer that sends back what it gets takes part in no OT: every hash is bound to the direction.

use super::*;
use crate::net::{Deadlines, memory_pair};
use crate::testing::session::system_rng;

/// The next message of a kind is sent back as it is.
fn reflect<M: crate::net::Message, T: Transport>(channel: &mut Channel<T>) -> Result<()> {
    let message: M = channel.recv_message()?;
    Ok(channel.send_message(&message)?)
}

#[test]
fn a_peer_that_sends_back_every_message_of_the_base_ots_is_caught() {
    for me in [Party::Garbler, Party::Evaluator] {
        let (honest, mirror) = memory_pair();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut channel = Channel::new(mirror, Deadlines::default());
                // Then the party that has caught it is gone.
                let _ = reflect::<BaseOtPoints, _>(&mut channel)
                    .and_then(|()| reflect::<BaseOtPads, _>(&mut channel))
                    .and_then(|()| reflect::<BaseOtAnswer, _>(&mut channel))
                    .and_then(|()| reflect::<TreeSums, _>(&mut channel))
                    .and_then(|()| Ok(channel.flush()?));
            });
            let mut channel = Channel::new(honest, Deadlines::default());
            let rng = &mut system_rng();
            let delta = Delta::random(me == Party::Garbler, rng);
            let outcome = setup_both(&mut channel, &SessionId([3; 32]), me, delta, rng);
            assert!(matches!(outcome, Err(Error::Check(Check::BaseOtChallenge))));
            channel.abort();
        });
    }
}
