//! An invalid netlist is refused with the line of the error, and the sizes that a file declares are
//! limited by the size of the file.

use std::io::{self, BufReader, Read};

use dealerless::circuit::bristol::{self, NetlistErrorKind};

use super::read;

/// Invalid netlists with their error messages.
const MALFORMED: &[(&str, &str)] = &[
    // The header.
    (
        "",
        "line 1 of the netlist: expected the number of gates and of wires, found the end of the file",
    ),
    (
        "\n\n",
        "line 3 of the netlist: expected the number of gates and of wires, found the end of the file",
    ),
    ("1", "line 1 of the netlist: a field is missing"),
    ("1 2 3", "line 1 of the netlist: too many fields"),
    ("one 2", "line 1 of the netlist: expected a decimal number"),
    ("-1 2", "line 1 of the netlist: expected a decimal number"),
    ("+1 2", "line 1 of the netlist: expected a decimal number"),
    ("0x1 2", "line 1 of the netlist: expected a decimal number"),
    (
        "18446744073709551616 2",
        "line 1 of the netlist: the number is too large",
    ),
    (
        "1000000000000000000 2",
        "line 1 of the netlist: 1000000000000000000 gates declared, \
         but a file of this size may have at most 65536",
    ),
    (
        "1 65537",
        "line 1 of the netlist: 65537 wires declared, \
         but a file of this size may have at most 65536",
    ),
    (
        "0 2",
        "line 2 of the netlist: expected the input values, found the end of the file",
    ),
    ("0 2\n2 1", "line 2 of the netlist: a field is missing"),
    ("0 2\n1 1 1", "line 2 of the netlist: too many fields"),
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
        "line 3 of the netlist: expected the output values, found the end of the file",
    ),
    (
        "0 2\n2 1 1\n1 3",
        "line 3 of the netlist: the output values have more bits than there are wires (2)",
    ),
    // The number of gates.
    (
        "1 3\n2 1 1\n1 1\n",
        "line 4 of the netlist: expected a gate, found the end of the file",
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
        "line 4 of the netlist: too many fields",
    ),
    (
        "1 3\n2 1 1\n1 1\n18446744073709551615 18446744073709551615 0 1 2 MAND",
        "line 4 of the netlist: a field is missing",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 x 2 AND",
        "line 4 of the netlist: expected a decimal number",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 99999999999999999999 2 AND",
        "line 4 of the netlist: the number is too large",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 2 NAND",
        "line 4 of the netlist: unknown operation \"NAND\"; expected XOR, AND, OR, INV, NOT, EQ, EQW or MAND",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 2 and",
        "line 4 of the netlist: unknown operation \"and\"; expected XOR, AND, OR, INV, NOT, EQ, EQW or MAND",
    ),
    (
        "1 3\n2 1 1\n1 1\n1 1 0 2 AND",
        "line 4 of the netlist: a gate of this kind cannot have 1 inputs and 1 outputs",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 2 INV",
        "line 4 of the netlist: a gate of this kind cannot have 2 inputs and 1 outputs",
    ),
    (
        "1 4\n2 1 1\n1 1\n2 2 0 1 2 3 XOR",
        "line 4 of the netlist: a gate of this kind cannot have 2 inputs and 2 outputs",
    ),
    (
        "1 3\n2 1 1\n1 1\n3 1 0 1 1 2 MAND",
        "line 4 of the netlist: a gate of this kind cannot have 3 inputs and 1 outputs",
    ),
    (
        "1 2\n2 1 1\n1 1\n0 0 MAND",
        "line 4 of the netlist: a gate of this kind cannot have 0 inputs and 0 outputs",
    ),
    (
        "1 3\n2 1 1\n1 1\n1 1 2 2 EQ",
        "line 4 of the netlist: EQ takes the constant 0 or 1, not 2",
    ),
    // The wires of a gate.
    (
        "1 3\n2 1 1\n1 1\n2 1 0 3 2 AND",
        "line 4 of the netlist: wire 3 does not exist: the netlist has 3 wires, numbered from 0",
    ),
    (
        "1 3\n2 1 1\n1 1\n2 1 0 1 3 AND",
        "line 4 of the netlist: wire 3 does not exist: the netlist has 3 wires, numbered from 0",
    ),
    (
        "1 3\n2 1 1\n1 1\n1 1 18446744073709551615 2 EQW",
        "line 4 of the netlist: wire 18446744073709551615 does not exist: \
         the netlist has 3 wires, numbered from 0",
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
        "line 4 of the netlist: wire 1 is set twice",
    ),
    (
        "2 3\n2 1 1\n1 1\n2 1 0 1 2 XOR\n\n2 1 0 1 2 AND",
        "line 6 of the netlist: wire 2 is set twice",
    ),
    (
        "1 6\n1 4\n1 2\n4 2 0 1 2 3 4 4 MAND",
        "line 4 of the netlist: wire 4 is set twice",
    ),
    (
        "1 4\n2 1 1\n1 2\n2 1 0 1 3 AND\n",
        "line 5 of the netlist: output wire 2 is never set",
    ),
    // The text.
    (
        "0 2\n2 1 1\n1 ١\n",
        "line 3 of the netlist: not plain ASCII text",
    ),
];

#[test]
fn malformed_netlist_is_refused_with_its_line_and_error() {
    for (netlist, message) in MALFORMED {
        match bristol::parse(netlist.as_bytes()) {
            Ok(_) => panic!("read without an error: {netlist:?}"),
            Err(error) => assert_eq!(error.to_string(), *message, "{netlist:?}"),
        }
    }
    let not_utf8 = bristol::parse(b"0 2\n2 1 1\n1 \xff\n").expect_err("no netlist");
    assert_eq!(
        not_utf8.to_string(),
        "line 3 of the netlist: not plain ASCII text"
    );
}

#[test]
fn declared_wires_are_limited_by_the_file_size() {
    let declare = |wires: u64, size: u64| {
        let netlist = format!("0 {wires}\n0\n0\n");
        bristol::read(netlist.as_bytes(), size)
    };
    assert!(declare(65_536, 12).is_ok());
    assert!(declare(100_000, 500_000).is_ok());
    let error = declare(100_001, 500_000).expect_err("one wire too many");
    assert!(matches!(error.kind, NetlistErrorKind::Implausible { .. }));
    let error = declare(1 << 31, u64::MAX).expect_err("too many wires for a builder");
    assert!(matches!(error.kind, NetlistErrorKind::TooLarge));
}

#[test]
fn smallest_file_that_names_all_its_wires_is_read() {
    // The shortest possible file: every wire is an operand or a result once, in one long line.
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
fn endless_line_is_refused_before_it_fills_the_memory() {
    let endless = BufReader::new(b"1 3\n2 1 1\n1 1\n".chain(io::repeat(b'1')));
    let error = bristol::read(endless, u64::MAX).expect_err("no netlist");
    assert_eq!(error.line, 4);
    assert!(matches!(error.kind, NetlistErrorKind::LongLine));
}

#[test]
fn read_error_is_reported_with_the_line() {
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
        "line 3 of the netlist: cannot be read: the disk is gone"
    );
}
