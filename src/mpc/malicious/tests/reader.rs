//! Fresh masks of outputs do not help against a reader who has the shares of `d` in the clear: what
//! hides from him the sum of a hand, or the other's input, is the pad.

use crate::circuit::{Builder, Party};
use crate::mpc::Audience;
use crate::mpc::malicious::{Malicious, outputs};
use crate::shuffle::Algorithm;
use crate::testing::line::End;
use crate::testing::reader::{Play, read};

/// What a reader can compute who has the pads of both parties, so many bits of each in a run.
fn leaks_with_pads(play: &Play, bits: usize) -> Vec<String> {
    let reading = read(play, |session: &Malicious<End>| {
        let secrets = session
            .live
            .secrets()
            .expect("a session that has not ended");
        let pads = |sender| outputs::pads(&secrets.context, secrets.runs - 1, sender, bits);
        let pads = Party::BOTH.map(|sender| pads(sender).to_vec());
        pads.into_iter().flatten().map(|bit| bit.reveal()).collect()
    });
    reading.leaks().into_iter().map(str::to_owned).collect()
}

#[test]
fn a_reader_who_has_the_pads_of_a_full_deal_learns_the_sum_of_each_hand() {
    let [garbler, evaluator] = Party::BOTH.map(|party| Some(Audience::Only(party)));
    let learners = [garbler, garbler, evaluator, evaluator];
    let deal = Play::of_deck(Algorithm::Waksman, 4, &learners);
    // The sum with the first card is what is named.
    assert_eq!(
        leaks_with_pads(&deal, 8),
        ["output 1 bit 0", "output 1 bit 1"]
    );
}

#[test]
fn a_reader_who_has_the_pads_of_a_sum_learns_the_input_of_who_does_not_learn_it() {
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
