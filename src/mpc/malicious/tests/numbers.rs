//! Tests that messages and hashes depend on the numbers of batches, runs and openings: a session
//! that differs only in such a number sends different messages.

use crate::mpc::malicious::Malicious;
use crate::mpc::tag::Tag;
use crate::testing::numbers::assert_that_these_change;

type Session = Malicious;

/// The plan of the opening, and the digests of MACs: for the pool, for the bits opened for the
/// gates, for the check of all gates, and for the opening.
const OPENING: (Tag, usize) = (Tag::Plan, 2);
const POOL: (Tag, usize) = (Tag::MacDigest, 0);
const GATES: (Tag, usize) = (Tag::MacDigest, 1);
const CHECK: (Tag, usize) = (Tag::MacDigest, 2);
const OPENED: (Tag, usize) = (Tag::MacDigest, 3);

#[test]
fn messages_of_a_run_depend_on_its_number() {
    // This includes the pads for outputs, and the ids of the output bits.
    let both = [(Tag::Plan, 1), (Tag::GateBits, 0), GATES, CHECK, OPENING];
    assert_that_these_change(
        |session: &mut Session| session.live.change(|secrets| secrets.runs += 1),
        [&[&both[..], &[(Tag::Tables, 0)]].concat(), &both],
    );
}

#[test]
fn messages_of_an_opening_depend_on_its_number() {
    assert_that_these_change(
        |session: &mut Session| session.live.change(|secrets| secrets.openings += 1),
        [&[OPENING, OPENED]; 2],
    );
}

#[test]
fn messages_of_a_batch_depend_on_its_number() {
    let both = [
        (Tag::Plan, 0),
        (Tag::LeakyTables, 0),
        (Tag::LeakyBits, 0),
        POOL,
    ];
    let garbler = [(Tag::TripleCommitment, 0), (Tag::TripleOpening, 0)];
    let evaluator = [(Tag::TripleDigest, 0)];
    assert_that_these_change(
        |session: &mut Session| {
            session
                .live
                .change(|secrets| secrets.pool.skip_batch_number())
        },
        [
            &[&both[..], &garbler].concat(),
            &[&both[..], &evaluator].concat(),
        ],
    );
}
