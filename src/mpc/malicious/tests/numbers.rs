//! The numbers of batches, runs and openings go into what is said and hashed for them: a session
//! that counts otherwise, and is the same in all else, says other things.

use crate::mpc::malicious::{Malicious, Secrets};
use crate::mpc::tag::Tag;
use crate::testing::line::End;
use crate::testing::numbers::assert_that_these_change;

type Session = Malicious<End>;

/// The plan of the opening, and the digests of MACs: of the pool, of the gates' bits, of the check
/// of all gates, of the opening.
const OPENING: (Tag, usize) = (Tag::Plan, 2);
const POOL: (Tag, usize) = (Tag::MacDigest, 0);
const GATES: (Tag, usize) = (Tag::MacDigest, 1);
const CHECK: (Tag, usize) = (Tag::MacDigest, 2);
const OPENED: (Tag, usize) = (Tag::MacDigest, 3);

fn change(session: &mut Session, change: impl FnOnce(&mut Secrets)) {
    let changed = session.live.step("counting", |_, secrets| {
        change(secrets);
        Ok(())
    });
    changed.expect("a session that has not ended");
}

#[test]
fn what_a_run_says_bears_its_number() {
    // The pads of the masks of outputs too, and what names the bits that come out of it.
    let both = [(Tag::Plan, 1), (Tag::GateBits, 0), GATES, CHECK, OPENING];
    assert_that_these_change(
        |session: &mut Session| change(session, |secrets| secrets.runs += 1),
        [&[&both[..], &[(Tag::Tables, 0)]].concat(), &both],
    );
}

#[test]
fn what_an_opening_says_bears_its_number() {
    assert_that_these_change(
        |session: &mut Session| change(session, |secrets| secrets.openings += 1),
        [&[OPENING, OPENED]; 2],
    );
}

#[test]
fn what_a_batch_says_bears_its_number() {
    let both = [
        (Tag::Plan, 0),
        (Tag::LeakyTables, 0),
        (Tag::LeakyBits, 0),
        POOL,
    ];
    let garbler = [(Tag::TripleCommitment, 0), (Tag::TripleOpening, 0)];
    let evaluator = [(Tag::TripleDigest, 0)];
    assert_that_these_change(
        |session: &mut Session| change(session, |secrets| secrets.pool.skip_a_number()),
        [
            &[&both[..], &garbler].concat(),
            &[&both[..], &evaluator].concat(),
        ],
    );
}
