//! The structure of small netlists, counted by hand.

use super::*;

const BOTH: Option<&[Party]> = Some(&Party::BOTH);

fn netlist(text: &str) -> Netlist {
    Netlist::parse(text.as_bytes(), None).unwrap()
}

#[test]
fn and_belongs_to_the_only_party_on_whose_inputs_it_depends() {
    // The garbler's and the evaluator's AND, their XOR, and ANDs of the XOR, of a constant and of a
    // copy.
    let netlist = netlist(
        "8 12\n2 2 2\n1 2\n2 1 0 1 4 AND\n2 1 2 3 5 AND\n2 1 4 5 6 XOR\n1 1 1 7 EQ\n\
         2 1 7 7 8 AND\n1 1 5 9 EQW\n2 1 9 7 10 AND\n2 1 6 0 11 AND\n",
    );
    let ands = AndsByOwner {
        joint: 1,
        garbler: 1,
        evaluator: 2,
        nobody: 1,
    };
    assert_eq!(netlist.structure(BOTH).ands_by_owner, Some(ands));
    assert_eq!(netlist.structure(None).ands_by_owner, None);
    let swapped = [Party::Evaluator, Party::Garbler];
    let structure = netlist.structure(Some(&swapped));
    assert_eq!(structure.ands_by_owner.unwrap().garbler, 2);
}

#[test]
fn dead_gates_are_counted_but_add_no_depth() {
    // The output is an XOR; no output needs the chain of two ANDs and a NOT.
    let structure =
        netlist("4 6\n1 2\n1 1\n2 1 0 1 2 AND\n2 1 2 1 3 AND\n1 1 3 4 INV\n2 1 0 1 5 XOR\n")
            .structure(None);
    assert_eq!((structure.and, structure.xor, structure.not), (2, 1, 1));
    assert_eq!((structure.dead, structure.gates()), (3, 4));
    assert_eq!((structure.and_depth, structure.depth), (0, 1));
    assert_eq!(structure.widest_layer, 0);
    assert_eq!(structure.mean_layer(), 0.0);
}

#[test]
fn layer_is_the_ands_of_one_depth() {
    // Three ANDs of inputs, then one AND of two of them; copies add no depth.
    let structure = netlist(
        "6 10\n1 4\n1 2\n2 1 0 1 4 AND\n2 1 1 2 5 AND\n2 1 2 3 6 AND\n1 1 4 7 EQW\n\
         2 1 7 5 8 AND\n2 1 6 8 9 XOR\n",
    )
    .structure(None);
    assert_eq!((structure.and_depth, structure.depth), (2, 3));
    assert_eq!(structure.widest_layer, 3);
    assert_eq!(structure.mean_layer(), 2.0);
    assert_eq!(structure.copies, 1);
}

#[test]
fn wire_is_live_from_its_gate_to_its_last_reader() {
    let live = |text| netlist(text).structure(None).live_wires.unwrap();
    // Both inputs and the result.
    assert_eq!(live("1 3\n1 2\n1 1\n2 1 0 1 2 AND\n"), 3);
    // A chain holds two wires at a time.
    let chain = "4 5\n1 1\n1 1\n1 1 0 1 INV\n1 1 1 2 INV\n1 1 2 3 INV\n1 1 3 4 INV\n";
    assert_eq!(live(chain), 2);
    // The third input is held for the last gate, and output 3 until the end.
    assert_eq!(live("2 5\n1 3\n1 2\n2 1 0 1 3 AND\n2 1 3 2 4 AND\n"), 4);
    // An input that no gate reads is not held. A result that no gate reads is held only while its
    // gate runs.
    assert_eq!(live("2 5\n1 3\n1 1\n1 1 0 3 INV\n1 1 0 4 INV\n"), 2);
    assert_eq!(live("0 2\n1 2\n1 1\n"), 1);
}

#[test]
fn circuit_and_its_netlist_have_the_same_structure() {
    use crate::shuffle::{Algorithm, ShuffleCircuit, Spec};
    for algorithm in Algorithm::ALL {
        let shuffle = ShuffleCircuit::build(Spec::new(9, 4, algorithm).unwrap());
        let circuit = shuffle.circuit();
        let structure = circuit.structure(BOTH);
        let stats = circuit.stats();
        assert_eq!((structure.and, structure.xor), (stats.and, stats.xor));
        assert_eq!((structure.not, structure.dead), (stats.not, 0));
        assert_eq!(structure.and_depth, stats.and_depth);
        let mut text = Vec::new();
        crate::circuit::bristol::write(circuit, &mut text).unwrap();
        let written = Netlist::parse(&text, None).unwrap().structure(BOTH);
        assert_eq!(written.ands_by_owner, structure.ands_by_owner);
        assert_eq!(written.depth, structure.depth);
        assert_eq!(written.widest_layer, structure.widest_layer);
    }
}
