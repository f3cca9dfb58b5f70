//! Any bytes are rejected with an error, or parsed as a netlist in either format. The circuit built
//! from a netlist computes the same function, and can be written and parsed again. So does the
//! optimised netlist, which is not larger.

#![no_main]

use dealerless::circuit::Party;
use dealerless::circuit::bristol::{self, Format, Inputs, Netlist, first_difference};
use dealerless_logic::{Pass, Size, Watch, optimise};
use libfuzzer_sys::fuzz_target;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Watches nothing.
struct Unwatched;

impl Watch for Unwatched {
    fn begin(&self, _: Pass, _: usize) {}
    fn end(&self, _: Pass, _: Size) {}
}

fn check(netlist: &Netlist) {
    let circuit = netlist.circuit();
    let mut text = Vec::new();
    bristol::write(&circuit, &mut text).expect("writing to memory cannot fail");
    let again =
        Netlist::parse(&text, Some(Format::Fashion)).expect("the written netlist is readable");
    assert_eq!(again.circuit().digest(), circuit.digest());

    let mut rng = StdRng::seed_from_u64(0);
    let word = &mut || rng.random();
    let inputs = Inputs::Some { random: 64, word };
    let difference = first_difference(netlist, &again, inputs, |_| ());
    assert_eq!(difference, Ok(None));

    // Larger netlists would be too slow.
    if netlist.gates() <= 300 {
        let inputs = Inputs::Some { random: 64, word };
        let optimised = optimise(netlist, None, &Unwatched);
        let difference = first_difference(netlist, &optimised, inputs, |_| ());
        assert_eq!(difference, Ok(None));
        let (before, after) = (netlist.structure(None), optimised.structure(None));
        assert!(after.and <= before.and && after.gates() + before.dead <= before.gates());
    }

    let owners = vec![Party::Evaluator; netlist.inputs().len()];
    let (before, after) = (netlist.structure(Some(&owners)), again.structure(None));
    assert!(after.and <= before.and && after.dead == 0);
    assert_eq!(before.ands_by_owner.expect("owners are given").joint, 0);
    assert_eq!(after.and_depth, circuit.stats().and_depth);
    assert!(before.live_wires.unwrap() <= netlist.gates() + netlist.inputs().iter().sum::<usize>());
}

fuzz_target!(|bytes: &[u8]| {
    for format in [None, Some(Format::Fashion), Some(Format::Old)] {
        let Ok(netlist) = Netlist::parse(bytes, format) else {
            continue;
        };
        assert!(format.is_none_or(|format| format == netlist.format()));
        check(&netlist);
    }
});
