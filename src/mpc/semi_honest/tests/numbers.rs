//! Tests that messages and hashes depend on the numbers of runs and openings.

use crate::mpc::semi_honest::SemiHonest;
use crate::mpc::tag::Tag;
use crate::testing::numbers::assert_that_these_change;

type Session = SemiHonest;

#[test]
fn messages_of_a_run_depend_on_its_number() {
    // The plan of the opening contains the ids of the run's output bits.
    let plans = [(Tag::Plan, 0), (Tag::Plan, 1)];
    let garbler = [
        (Tag::InputDigest, 0),
        (Tag::Tables, 0),
        (Tag::OpenedPairs, 0),
        (Tag::PairsDigest, 0),
    ];
    assert_that_these_change(
        |session: &mut Session| session.live.change(|secrets| secrets.runs += 1),
        [
            &[&plans[..], &garbler].concat(),
            &[&plans[..], &[(Tag::OpenedHashes, 0)]].concat(),
        ],
    );
}

#[test]
fn messages_of_an_opening_depend_on_its_number() {
    assert_that_these_change(
        |session: &mut Session| session.live.change(|secrets| secrets.openings += 1),
        [
            &[(Tag::Plan, 1), (Tag::OpenedPairs, 0), (Tag::PairsDigest, 0)],
            &[(Tag::Plan, 1), (Tag::OpenedHashes, 0)],
        ],
    );
}
