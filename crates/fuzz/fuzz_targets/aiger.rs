//! Any bytes are rejected with an error, or parsed as AIGER. The netlist has no more ANDs than the
//! file, and can be written in both encodings and parsed again: it then computes the same function.

#![no_main]

use dealerless::circuit::aiger::{Aig, Encoding, write};
use dealerless::circuit::bristol::{Inputs, Netlist, first_difference};
use libfuzzer_sys::fuzz_target;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Parses a file that `write` wrote. Values without bits do not exist in AIGER.
fn again(netlist: &Netlist, encoding: Encoding) -> Netlist {
    let mut file = Vec::new();
    write(netlist, encoding, &mut file).expect("writing to memory cannot fail");
    let aig = Aig::parse(&file).expect("the written file is readable");
    let again = aig.netlist(None, None).expect("no widths are given");
    assert_eq!(again.inputs(), netlist.inputs());
    assert_eq!(again.outputs(), netlist.outputs());
    let mut rng = StdRng::seed_from_u64(0);
    let word = &mut || rng.random();
    let inputs = Inputs::Some { random: 64, word };
    assert_eq!(first_difference(netlist, &again, inputs, |_| ()), Ok(None));
    again
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(aig) = Aig::parse(bytes) else {
        return;
    };
    let netlist = aig.netlist(None, None).expect("no widths are given");
    let structure = netlist.structure(None);
    assert!(structure.and + structure.xor <= aig.ands());
    assert!(netlist.circuit().ands() <= structure.and);
    let [ascii, binary] = [Encoding::Ascii, Encoding::Binary].map(|encoding| again(&netlist, encoding));
    assert_eq!(ascii.steps(), binary.steps());

    // The bits in the order of the file, in one value.
    let (inputs, outputs) = (aig.inputs(), aig.outputs());
    let flat = aig.netlist(Some(&[inputs]), Some(&[outputs]));
    assert_eq!(flat.expect("the widths fit").gates(), netlist.gates());
    assert!(aig.netlist(Some(&[inputs, 1]), None).is_err());
});
