//! What is not a netlist is refused with the line at fault, and what a file declares is believed as far as
//! its size goes.

use std::io::{self, BufReader, Read};

use dealerless::circuit::bristol::{self, NetlistErrorKind};

use super::read;

/// Netlists that are none, each with the message that says why.
const MALFORMED: &[(&str, &str)] = &[
    // The header.
    (
        "",
        "line 1 of the netlist: the file ends where the number of gates and of wires should be",
    ),
    (
        "\n\n",
        "line 3 of the netlist: the file ends where the number of gates and of wires should be",
    ),
    ("1", "line 1 of the netlist: a field is missing"),
    ("1 2 3", "line 1 of the netlist: there is a field too many"),
    (
        "one 2",
        "line 1 of the netlist: a field that should be a decimal number is none",
    ),
    (
        "-1 2",
        "line 1 of the netlist: a field that should be a decimal number is none",
    ),
    (
        "+1 2",
        "line 1 of the netlist: a field that should be a decimal number is none",
    ),
    (
        "0x1 2",
        "line 1 of the netlist: a field that should be a decimal number is none",
    ),
    (
        "18446744073709551616 2",
        "line 1 of the netlist: a number is too large",
    ),
    (
        "1000000000000000000 2",
        "line 1 of the netlist: it declares 1000000000000000000 gates, \
         more than the 65536 that a file of this size may",
    ),
    (
        "1 65537",
        "line 1 of the netlist: it declares 65537 wires, \
         more than the 65536 that a file of this size may",
    ),
    (
        "0 2",
        "line 2 of the netlist: the file ends where the input values should be",
    ),
    ("0 2\n2 1", "line 2 of the netlist: a field is missing"),
    (
        "0 2\n1 1 1",
        "line 2 of the netlist: there is a field too many",
    ),
    (
        "0 2\n18446744073709551615 1",
        "line 2 of the netlist: a field is missing",
    ),
    (
        "0 2\n2 1 2",
        "line 2 of the netlist: the input values have more bits than there are wires (2)",
    ),
    (
        "0 2\n2 2 18446744073709551615",
        "line 2 of the netlist: the input values have more bits than there are wires (2)",
    ),
    (
        "0 2\n2 1 1",
        "line 3 of the netlist: the file ends where the output values should be",
    ),
    (
        "0 2\n2 1 1\n1 3",
        "line 3 of the netlist: the output values have more bits than there are wires (2)",
    ),
    // The number of gates.
    (
        "1 3\n2 1 1\n1 1\n",
        "line 4 of the netlist: the file ends where a gate should be",
    ),
    (
        "0 2\n2 1 1\n1 1\n\n2 1 0 1 2 AND",
        "line 5 of the netlist: there are more lines than the 0 gates declared",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 2 AND\n\nthe end",
        "line 6 of the netlist: there are more lines than the 1 gates declared",
    ),
    // The fields of a gate.
    (
        "1 3\n2 1 1\n1 1\n2",
        "line 4 of the netlist: a field is missing",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1",
        "line 4 of the netlist: a field is missing",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 2",
        "line 4 of the netlist: a field is missing",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 AND",
        "line 4 of the netlist: a field is missing",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 2 2 AND",
        "line 4 of the netlist: there is a field too many",
    ),
    (
        "1 3\n2 1 1\n1 1\n18446744073709551615 18446744073709551615 0 1 2 MAND",
        "line 4 of the netlist: a field is missing",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 x 2 AND",
        "line 4 of the netlist: a field that should be a decimal number is none",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 99999999999999999999 2 AND",
        "line 4 of the netlist: a number is too large",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 2 NAND",
        "line 4 of the netlist: it is none of XOR, AND, INV, NOT, EQ, EQW and MAND",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 2 and",
        "line 4 of the netlist: it is none of XOR, AND, INV, NOT, EQ, EQW and MAND",
    ),
    (
        "1 3\n2 1 1\n1 1\n1 1 0 2 AND",
        "line 4 of the netlist: a gate of this kind does not have 1 inputs and 1 outputs",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 2 INV",
        "line 4 of the netlist: a gate of this kind does not have 2 inputs and 1 outputs",
    ),
    (
        "1 4\n2 1 1\n1 1\n2 2 0 1 2 3 XOR",
        "line 4 of the netlist: a gate of this kind does not have 2 inputs and 2 outputs",
    ),
    (
        "1 3\n2 1 1\n1 1\n3 1 0 1 1 2 MAND",
        "line 4 of the netlist: a gate of this kind does not have 3 inputs and 1 outputs",
    ),
    (
        "1 2\n2 1 1\n1 1\n0 0 MAND",
        "line 4 of the netlist: a gate of this kind does not have 0 inputs and 0 outputs",
    ),
    (
        "1 3\n2 1 1\n1 1\n1 1 2 2 EQ",
        "line 4 of the netlist: EQ takes the constant 0 or 1, not 2",
    ),
    // The wires of a gate.
    (
        "1 3\n2 1 1\n1 1\n2 1 0 3 2 AND",
        "line 4 of the netlist: wire 3 does not exist: there are 3, numbered from 0",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 3 AND",
        "line 4 of the netlist: wire 3 does not exist: there are 3, numbered from 0",
    ),
    (
        "1 3\n2 1 1\n1 1\n1 1 18446744073709551615 2 EQW",
        "line 4 of the netlist: wire 18446744073709551615 does not exist: \
         there are 3, numbered from 0",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 2 2 AND",
        "line 4 of the netlist: wire 2 is read before it is set",
    ),
    (
        "2 4\n2 1 1\n1 1\n1 1 3 2 INV\n2 1 0 1 3 AND",
        "line 4 of the netlist: wire 3 is read before it is set",
    ),
    (
        "1 6\n1 4\n1 2\n4 2 0 1 2 4 4 5 MAND",
        "line 4 of the netlist: wire 4 is read before it is set",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 1 XOR",
        "line 4 of the netlist: wire 1 is set for the second time",
    ),
    (
        "2 3\n2 1 1\n1 1\n2 1 0 1 2 XOR\n\n2 1 0 1 2 AND",
        "line 6 of the netlist: wire 2 is set for the second time",
    ),
    (
        "1 6\n1 4\n1 2\n4 2 0 1 2 3 4 4 MAND",
        "line 4 of the netlist: wire 4 is set for the second time",
    ),
    (
        "1 4\n2 1 1\n1 2\n2 1 0 1 3 AND\n",
        "line 5 of the netlist: the file ends and output wire 2 has not been set",
    ),
    // The text.
    (
        "0 2\n2 1 1\n1 ١\n",
        "line 3 of the netlist: it is not plain ASCII text",
    ),
];

#[test]
fn a_malformed_netlist_is_refused_with_its_line_and_fault() {
    for (netlist, message) in MALFORMED {
        match bristol::parse(netlist.as_bytes()) {
            Ok(_) => panic!("read without a fault: {netlist:?}"),
            Err(error) => assert_eq!(error.to_string(), *message, "{netlist:?}"),
        }
    }
    let not_utf8 = bristol::parse(b"0 2\n2 1 1\n1 \xff\n").expect_err("no netlist");
    assert_eq!(
        not_utf8.to_string(),
        "line 3 of the netlist: it is not plain ASCII text"
    );
}

#[test]
fn no_more_wires_are_believed_than_the_file_can_name() {
    let declare = |wires: u64, size: u64| {
        let netlist = format!("0 {wires}\n0\n0\n");
        bristol::read(netlist.as_bytes(), size)
    };
    assert!(declare(65_536, 12).is_ok());
    assert!(declare(100_000, 500_000).is_ok());
    let error = declare(100_001, 500_000).expect_err("one wire too many");
    assert!(matches!(error.kind, NetlistErrorKind::Implausible { .. }));
    let error = declare(1 << 31, u64::MAX).expect_err("no builder holds so many");
    assert!(matches!(error.kind, NetlistErrorKind::TooLarge));
}

#[test]
fn a_file_that_names_each_of_its_many_wires_in_few_bytes_is_believed() {
    // The shortest there are: every wire is an operand or a result once, in one long line.
    let wires = 65_538;
    let numbers: Vec<String> = (0..wires).map(|wire| wire.to_string()).collect();
    let (ins, outs) = (2 * wires / 3, wires / 3);
    let netlist = format!(
        "1 {wires}\n1 {ins}\n1 {outs}\n{ins} {outs} {} MAND\n",
        numbers.join(" ")
    );
    assert_eq!(read(&netlist).ands(), outs);
}

#[test]
fn a_line_without_end_is_refused_before_it_fills_the_memory() {
    let endless = BufReader::new(b"1 3\n2 1 1\n1 1\n".chain(io::repeat(b'1')));
    let error = bristol::read(endless, u64::MAX).expect_err("no netlist");
    assert_eq!(error.line, 4);
    assert!(matches!(error.kind, NetlistErrorKind::LongLine));
}

#[test]
fn a_reader_that_fails_is_reported_with_the_line() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let netlist = BufReader::new(b"1 3\n2 1 1\n".chain(Broken));
    let error = bristol::read(netlist, 100).expect_err("no netlist");
    assert_eq!(
        error.to_string(),
        "line 3 of the netlist: it cannot be read: the disk is gone"
    );
}
