//! The exported netlists are valid Bristol Fashion, and an independent evaluator deals the same
//! cards from them.

use dealerless::circuit::bristol;
use dealerless::shuffle::{Algorithm, plaintext};
use dealerless::testing::bristol_evaluator::Netlist;
use dealerless::testing::shuffles::{
    Seeds, cards, fresh_generator, input_bits, lanes, random_seeds, shuffle,
};

#[test]
fn independent_evaluator_agrees_with_the_definition() {
    let mut rng = fresh_generator();
    for algorithm in Algorithm::ALL {
        for (n, m) in [(2, 1), (2, 2), (7, 7), (52, 9), (52, 52)] {
            let shuffle = shuffle(n, m, algorithm);
            let mut text = Vec::new();
            bristol::write(shuffle.circuit(), &mut text).expect("writing to a vector");
            let netlist = Netlist::read(std::str::from_utf8(&text).expect("ASCII"));
            assert_eq!(netlist.inputs(), shuffle.circuit().inputs());
            assert_eq!(netlist.outputs(), vec![shuffle.spec().word_bits(); m]);

            let seeds: Vec<Seeds> = (0..64).map(|_| random_seeds(&shuffle, &mut rng)).collect();
            let inputs: Vec<_> = seeds
                .iter()
                .map(|pair| input_bits(&shuffle, pair))
                .collect();
            let outputs = netlist.evaluate(&lanes(&inputs));
            for (draw, (a, b)) in cards(&shuffle, &outputs, 64).iter().zip(&seeds) {
                let expected = plaintext(shuffle.spec(), a, b).expect("honest seeds");
                assert_eq!(
                    draw, &expected,
                    "{algorithm} {m} of {n}, seeds {a:?} and {b:?}"
                );
            }
        }
    }
}
