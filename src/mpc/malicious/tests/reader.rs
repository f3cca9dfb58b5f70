//! Tests that fresh masks of outputs alone do not protect against an eavesdropper who knows the
//! shares of `d`. The pads hide the XOR of a hand, or the other party's input, from the
//! eavesdropper.

use crate::circuit::{Builder, Party};
use crate::mpc::Audience;
use crate::mpc::malicious::{Malicious, outputs};
use crate::shuffle::Algorithm;
use crate::testing::reader::{Play, read};

/// The bits that an eavesdropper with both parties' pads can compute. Each pad has `bits` bits in
/// each run.
fn leaks_with_pads(play: &Play, bits: usize) -> Vec<String> {
    let reading = read(play, |session: &Malicious| {
        let secrets = session.live.secrets().expect("the session has not ended");
        let pads = |sender| outputs::pads(&secrets.context, secrets.runs - 1, sender, bits);
        let pads = Party::BOTH.map(|sender| pads(sender).to_vec());
        pads.into_iter().flatten().map(|bit| bit.reveal()).collect()
    });
    reading.leaks().into_iter().map(str::to_owned).collect()
}

#[test]
fn eavesdropper_with_the_pads_of_a_full_deal_learns_the_sum_of_each_hand() {
    let [garbler, evaluator] = Party::BOTH.map(|party| Some(Audience::Only(party)));
    let learners = [garbler, garbler, evaluator, evaluator];
    let deal = Play::of_deck(Algorithm::Waksman, 4, &learners);
    // A leaked sum is named after its last bit.
    assert_eq!(
        leaks_with_pads(&deal, 8),
        ["output 1 bit 0", "output 1 bit 1"]
    );
}

#[test]
fn eavesdropper_with_the_pads_of_an_opened_sum_learns_the_other_input() {
    let mut builder = Builder::new(&[1, 1]);
    let (a, b) = (builder.input(0)[0], builder.input(1)[0]);
    let sum = builder.xor(a, b);
    let circuit = builder.build(vec![vec![sum]]);
    for learner in Party::BOTH {
        let play = Play::of_circuit("a sum", circuit.clone(), &[Some(Audience::Only(learner))]);
        let leaks = leaks_with_pads(&play, 1);
        assert_eq!(leaks.len(), 1, "{learner}: {leaks:?}");
    }
}
