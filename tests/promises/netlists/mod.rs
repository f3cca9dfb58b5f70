//! Netlists in Bristol Fashion: a written netlist computes its circuit, a circuit that was read
//! computes its netlist, and an invalid netlist is refused with the line of the error.

mod random;
mod refused;

use std::io::{self, BufReader, Read};

use dealerless::circuit::bristol::{self, Netlist};
use dealerless::circuit::{Bit, Builder, Circuit};

/// Evaluates a circuit on bits that are assigned to its input values in order.
fn evaluate_circuit(circuit: &Circuit, inputs: &[bool]) -> Vec<bool> {
    let mut bits = inputs.iter().copied();
    let values: Vec<Vec<bool>> = circuit
        .inputs()
        .iter()
        .map(|&width| bits.by_ref().take(width).collect())
        .collect();
    let outputs = circuit
        .evaluate(&values)
        .expect("inputs of the right shape");
    outputs.concat()
}

fn written(circuit: &Circuit) -> String {
    let mut netlist = Vec::new();
    bristol::write(circuit, &mut netlist).expect("writing to a vector");
    String::from_utf8(netlist).expect("a netlist is ASCII")
}

fn read(netlist: &str) -> Circuit {
    bristol::parse(netlist.as_bytes()).unwrap_or_else(|error| panic!("{error} in\n{netlist}"))
}

#[test]
fn gates_of_a_written_netlist_drive_its_outputs_directly() {
    let mut b = Builder::new(&[2, 1]);
    let ([x, y], [z]) = (
        b.input(0).try_into().expect("two bits"),
        b.input(1).try_into().expect("one bit"),
    );
    let sum: Bit = b.xor(x, y);
    let product = b.and(sum, z);
    let not_product = b.not(product);
    let circuit = b.build(vec![
        vec![not_product, Bit::ONE, x],
        vec![],
        vec![sum, not_product, Bit::ZERO],
    ]);
    // The sum and the negation are among the last six wires; only the product is an inner wire.
    assert_eq!(
        written(&circuit),
        "7 10\n\
         2 2 1\n\
         3 3 0 3\n\
         \n\
         2 1 0 1 7 XOR\n\
         2 1 7 2 3 AND\n\
         1 1 3 4 INV\n\
         1 1 1 5 EQ\n\
         1 1 0 6 EQW\n\
         1 1 4 8 EQW\n\
         1 1 0 9 EQ\n"
    );
}

#[test]
fn negations_keep_their_order_through_writing_and_reading() {
    let mut b = Builder::new(&[3]);
    let [x, y, z] = b.input(0).try_into().expect("three bits");
    // The XOR is recorded before an AND of the same layer, but the ANDs of a layer are stored
    // first.
    let product = b.and(x, y);
    let sum = b.xor(product, z);
    let other_product = b.and(y, z);
    let negations = vec![b.not(sum), b.not(other_product)];
    let circuit = b.build(vec![negations]);
    assert_eq!(read(&written(&circuit)).digest(), circuit.digest());
}

#[test]
fn empty_circuits_can_be_written_and_read() {
    let empty = Builder::new(&[]).build(vec![]);
    assert_eq!(written(&empty), "0 0\n0\n0\n\n");
    assert_eq!(read("0 0\n0\n0\n\n").digest(), empty.digest());
    let constant = read("1 1\n0\n1 1\n\n1 1 1 0 EQ\n");
    assert_eq!(constant.evaluate(&[]), Ok(vec![vec![true]]));
    let identity = read("0 2\n2 0 2\n3 1 0 1\n");
    let outputs = identity.evaluate(&[vec![], vec![true, false]]);
    assert_eq!(outputs, Ok(vec![vec![true], vec![], vec![false]]));
}

#[test]
fn values_without_bits_are_read_fast_up_to_a_limit() {
    let netlist = |inputs: usize, outputs: usize| {
        let values = |count| format!("{count}{}", " 0".repeat(count));
        format!("0 0\n{}\n{}\n", values(inputs), values(outputs))
    };
    let circuit = read(&netlist(65_536, 65_536));
    assert_eq!(circuit.inputs().len(), 65_536);
    assert_eq!(circuit.outputs().len(), 65_536);
    for (line, inputs, outputs) in [(2, 1_000_000, 1), (3, 1, 8_000_000)] {
        let error = bristol::parse(netlist(inputs, outputs).as_bytes()).expect_err("too many");
        let declared = inputs.max(outputs);
        assert_eq!(
            error.to_string(),
            format!(
                "line {line} of the netlist: {declared} values without bits declared, \
                 but a file of this size may have at most 65536"
            )
        );
    }
}

#[test]
fn many_values_of_one_bit_are_read_fast() {
    let wires = 100_000;
    let ones = format!("{wires}{}", " 1".repeat(wires));
    let netlist = format!("0 {wires}\n{ones}\n{ones}\n{}", "\n".repeat(wires));
    assert_eq!(read(&netlist).outputs().len(), wires);
}

#[test]
fn blank_lines_and_any_white_space_are_accepted() {
    let plain = read("2 5\n2 1 2\n1 1\n\n2 1 0 1 3 AND\n2 1 3 2 4 XOR\n");
    let odd = read("\n2 5 \r\n\t2 1 2 \n\n1 1\n\r\n\n2 1\t0 1  3 AND\n\n 2 1 3 2 4 XOR \n \n\n");
    assert_eq!(odd.digest(), plain.digest());
    let without_final_newline = read("2 5\n2 1 2\n1 1\n2 1 0 1 3 AND\n2 1 3 2 4 XOR");
    assert_eq!(without_final_newline.digest(), plain.digest());
}

#[test]
fn comments_and_a_byte_order_mark_are_skipped_in_both_formats() {
    let commented = |text: &str| {
        let lines = text.lines();
        let lines: String = lines
            .map(|line| format!("// über\n{line}# 7 AND\n"))
            .collect();
        format!("# by hand\n\n{lines}#")
    };
    for netlist in [
        "2 5\n2 1 2\n1 1\n2 1 0 1 3 AND\n2 1 3 2 4 XOR",
        "2 5\n2 1 1\n2 1 0 1 3 AND\n2 1 3 2 4 XOR",
    ] {
        let read = |text: &str| Netlist::parse(text.as_bytes(), None).expect("a netlist");
        let [plain, other] = [read(netlist), read(&commented(netlist))];
        assert_eq!(other.format(), plain.format());
        assert_eq!(other.circuit().digest(), plain.circuit().digest());
    }
}

#[test]
fn misplaced_byte_order_mark_or_single_slash_is_refused_with_its_line() {
    for (netlist, line) in [
        ("0 1\n\u{feff}1 1\n1 1\n", 2),
        ("\u{feff}0 1\n1 1\n1 1\n", 1),
        ("0 1\n1 1 / one\n1 1\n", 2),
    ] {
        let error = bristol::parse(netlist.as_bytes()).expect_err("no netlist");
        assert_eq!(error.line, line, "{error}");
    }
}

#[test]
fn mand_pairs_the_two_halves_of_its_operands() {
    let circuit = read("1 6\n1 4\n1 2\n\n4 2 0 2 1 3 4 5 MAND\n");
    assert_eq!(circuit.ands(), 2);
    for input in 0..16 {
        let bits: Vec<bool> = (0..4).map(|i| input >> i & 1 == 1).collect();
        let expected = [bits[0] && bits[1], bits[2] && bits[3]];
        assert_eq!(evaluate_circuit(&circuit, &bits), expected);
    }
}

#[test]
fn bytes_beyond_the_stated_size_are_not_read() {
    let netlist = b"0 1\n1 1\n1 1\n";
    let endless = netlist.chain(io::repeat(b'\n'));
    let circuit = bristol::read(BufReader::new(endless), netlist.len() as u64);
    assert_eq!(circuit.expect("a complete netlist").wires(), 1);
}
