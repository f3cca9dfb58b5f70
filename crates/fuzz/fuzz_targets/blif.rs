//! Any bytes are rejected with an error, or parsed as BLIF. The netlist computes the same function
//! after it is written as AIGER and parsed again.

#![no_main]

use dealerless::circuit::aiger::{Aig, Encoding, write};
use dealerless::circuit::blif;
use dealerless::circuit::bristol::{Inputs, first_difference};
use libfuzzer_sys::fuzz_target;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

fuzz_target!(|bytes: &[u8]| {
    let Ok(aig) = blif::read(bytes, bytes.len() as u64) else {
        return;
    };
    let netlist = aig.netlist(None, None).expect("no widths are given");
    let mut file = Vec::new();
    write(&netlist, Encoding::Binary, &mut file).expect("writing to memory cannot fail");
    let again = Aig::parse(&file).expect("the written file is readable");
    let again = again.netlist(None, None).expect("no widths are given");
    let mut rng = StdRng::seed_from_u64(0);
    let word = &mut || rng.random();
    let inputs = Inputs::Some { random: 64, word };
    assert_eq!(first_difference(&netlist, &again, inputs, |_| ()), Ok(None));
});
