//! Two processes run the same netlist over TCP.

use std::io::Write;
use std::net::TcpStream;

use crate::common::processes::{PATIENT, SHORT, start, start_run};

/// Exports a netlist. Returns its folder and path.
fn exported(draw: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder
        .path()
        .join("netlist.txt")
        .to_str()
        .unwrap()
        .to_owned();
    let shape = [
        "--algorithm",
        "fisher-yates",
        "--cards",
        "4",
        "--draw",
        draw,
    ];
    start([&["circuit", "export", "-o", &path], shape.as_slice()].concat())
        .finish()
        .exits(0);
    (folder, path)
}

/// The garbler's seeds are 1 and 2, and the evaluator's seeds are 3 and 0. Their sums are 0
/// modulo 4 and 2 modulo 3.
const GARBLER: [&str; 2] = ["--garbler", "1001"];
const EVALUATOR: [&str; 2] = ["--evaluator", "111101"];

#[test]
fn exported_netlist_runs_in_either_role() {
    let (_folder, path) = exported("2");
    for (listener, connector) in [(GARBLER, EVALUATOR), (EVALUATOR, GARBLER)] {
        let (near, address) = start_run(&[path.as_str(), listener[0], listener[1]]);
        let address = address.to_string();
        let connect = ["circuit", "run", &path, "--json", "--connect", &address];
        let far = start([connect.as_slice(), &connector].concat())
            .finish()
            .exits(0)
            .json();
        let near = near.finish().exits(0).json();
        assert_eq!(near["outputs"], serde_json::json!(["00", "11"]));
        assert_eq!(near["outputs"], far["outputs"]);
        assert_eq!(near["cost"]["garbler_bytes"], far["cost"]["garbler_bytes"]);
    }
}

#[test]
fn listener_drops_strangers_and_waits_for_the_peer() {
    let (_folder, path) = exported("2");
    let (near, address) = start_run(&[&path, GARBLER[0], GARBLER[1], "--timeout", PATIENT]);
    for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"\x20\0\0\0\x01deal", b""] {
        let mut stranger = TcpStream::connect(address).unwrap();
        stranger.write_all(garbage).unwrap();
    }
    let address = address.to_string();
    let connect = ["circuit", "run", &path, "--connect", &address];
    start([&connect[..], &EVALUATOR].concat()).finish().exits(0);
    near.finish()
        .exits(0)
        .says("Dropped a connection: the peer broke the protocol")
        .says("Dropped a connection: the connection was lost");
}

#[test]
fn listener_times_out_even_if_strangers_connect() {
    let (_folder, path) = exported("2");
    let (near, address) = start_run(&[&path, GARBLER[0], GARBLER[1], "--timeout", SHORT]);
    drop(TcpStream::connect(address).unwrap());
    near.finish()
        .exits(3)
        .says("waiting for the peer to connect");
}

#[test]
fn different_netlists_are_refused_before_the_run() {
    let (_one, mine) = exported("2");
    let (_other, theirs) = exported("1");
    let (near, address) = start_run(&[mine.as_str(), "--garbler", "1001"]);
    let address = address.to_string();
    let far = [
        "circuit",
        "run",
        &theirs,
        "--evaluator",
        "111",
        "--connect",
        &address,
    ];
    start(far).finish().exits(2);
    near.finish().exits(2).says("a different netlist");
}
