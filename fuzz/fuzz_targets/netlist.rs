//! Any bytes are refused with an error, or read as a circuit that a netlist gives back.

#![no_main]

use dealerless::circuit::bristol;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(circuit) = bristol::parse(bytes) else {
        return;
    };
    let mut netlist = Vec::new();
    bristol::write(&circuit, &mut netlist).expect("memory takes any write");
    let again = bristol::parse(&netlist).expect("what was written can be read");
    assert_eq!(again.digest(), circuit.digest());

    let zeros: Vec<Vec<u64>> = circuit.inputs().iter().map(|&bits| vec![0; bits]).collect();
    let outputs = circuit
        .evaluate_lanes(&zeros)
        .expect("inputs of the right shape");
    let shape: Vec<usize> = outputs.iter().map(Vec::len).collect();
    assert_eq!(shape, circuit.stats().outputs);
});
