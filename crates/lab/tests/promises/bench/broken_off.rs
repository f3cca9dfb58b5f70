//! An interrupted bench reports the measurements made so far, and does not wait for an absent peer.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::process::Command;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::{assert_complete, listening, netlist, number};
use crate::common::PROGRAM;
use crate::common::processes::{Finished, SHORT, free_address, run, start};

/// Interrupts a bench after longer and longer times, until it has measured `rows` before.
fn measured(rows: &str, interrupted: impl Fn(Duration) -> Finished) -> Finished {
    let times = [2, 8, 32, 128].map(Duration::from_secs);
    let text = format!("Measured before the interruption: {rows}");
    let mut ended = times.into_iter().map(interrupted);
    let measured = ended.find(|finished| finished.stderr.contains(&text));
    measured.expect("a measurement")
}

#[test]
fn ctrl_c_shows_the_measurements_so_far() {
    let line = "bench --cards 5 --draw 2 --rounds 4000000000 --json --rtt 1ms";
    let finished = measured("1 of 1", |time| {
        let side = start(line.split_whitespace());
        thread::sleep(time);
        side.signal("INT");
        side.finish().exits(130)
    });
    let finished = finished.says("Ended by Ctrl-C");
    let report = finished.json();
    assert_complete(&report);
    assert_eq!(report["interrupted"], true);
    assert!(number(&report["rounds"]) > 0.0);
}

#[test]
fn ctrl_c_before_any_measurement_is_reported() {
    // Six setups with five flights in a row each, and a first round with eleven, take 41 s.
    let side = start("bench --cards 5 --draw 2 --rtt 2s".split_whitespace());
    thread::sleep(Duration::from_secs(5));
    side.signal("INT");
    let finished = side
        .finish()
        .exits(130)
        .says("Nothing was measured before the interruption");
    assert_eq!(finished.stdout, "");
}

#[test]
fn ctrl_c_ends_the_wait_for_a_peer() {
    let (side, _) = listening("--cards 5");
    side.signal("INT");
    side.finish()
        .exits(130)
        .says("Nothing was measured before the interruption");
}

#[test]
fn measurements_survive_the_loss_of_the_peer() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("time.svg");
    let what = "--cards 5 --draw 1,5 --algorithm lehmer --rounds 4000000000";
    let finished = measured("2 of 2", |time| {
        let (side, address) = listening(&format!("{what} --json -o {}", picture.display()));
        let other = start(format!("bench {what} --connect {address}").split_whitespace());
        thread::sleep(time);
        other.signal("KILL");
        other.finish();
        side.finish().exits(3)
    });
    let mut lines = finished.json_lines();
    let error = lines.pop().unwrap()["error"].clone();
    assert_eq!(error["exit_code"], 3);
    assert!(error["message"].as_str().unwrap().starts_with("lehmer "));
    assert_eq!(lines.len(), 2);
    for report in &lines {
        assert_complete(report);
        assert_eq!(report["interrupted"], true);
    }
    let picture = fs::read_to_string(picture).unwrap();
    assert!(picture.contains("m of 5 cards"));
}

#[test]
fn rows_before_a_failing_configuration_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let rounds = folder.path().join("rounds.csv");
    let netlist = netlist(folder.path());
    // The 63 configurations of shuffles are measured together, and need more sockets than the
    // limit allows.
    let line = format!(
        "bench --netlist {netlist} --cards 2 --algorithm all --pool 1,2,3,4,5,6,7,8,9 --rounds 1 \
         --security semi-honest --csv --rounds-csv {}",
        rounds.display()
    );
    let limited = "ulimit -n 64; exec \"$0\" \"$@\"";
    let ended = Command::new("sh")
        .args(["-c", limited, PROGRAM])
        .args(line.split_whitespace())
        .output()
        .unwrap();
    let [stdout, stderr] =
        [ended.stdout, ended.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(ended.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("cannot open a loopback connection"),
        "{stderr}"
    );
    assert!(
        stderr.contains("Measured before the interruption: 9 of 72 rows."),
        "{stderr}"
    );
    assert_eq!(stdout.lines().count(), 1 + 9, "{stdout}");
    let rounds = fs::read_to_string(rounds).unwrap();
    assert!(rounds.contains(",9,total,1,false,"), "{rounds}");
}

#[test]
fn waiting_bench_outlives_strangers() {
    let garbage: &[u8] = b"GET / HTTP/1.1\r\nHost: somewhere else\r\n\r\n";
    let (mut garbler, address) = listening("--cards 5 --rounds 1 --json");
    for bytes in [garbage, b""] {
        let mut stranger = TcpStream::connect(address).unwrap();
        stranger.write_all(bytes).unwrap();
        drop(stranger);
        let dropped = garbler.message_with("Dropped a connection");
        assert!(
            dropped.contains("Waiting for the other party."),
            "{dropped}"
        );
    }
    // A silent stranger is dropped before the real party gives up.
    let silent = TcpStream::connect(address).unwrap();
    let line = format!("bench --connect {address} --cards 5 --rounds 1 --json");
    let evaluator = run(&line).exits(0).json();
    drop(silent);
    garbler.message_with("waiting for the first byte of the peer");
    let garbler = garbler.finish().exits(0).json();
    for field in ["garbler_cpu_ms", "evaluator_cpu_ms"] {
        let cpu = |report: &Value| report["total"][field].as_f64().expect("a time");
        assert!(cpu(&garbler) > 0.0);
        assert_eq!(cpu(&garbler), cpu(&evaluator));
    }
    // Without a peer, it ends at its timeout, even if a stranger is connected.
    let (side, address) = listening(&format!("--cards 5 --timeout {SHORT} --json"));
    let silent = TcpStream::connect(address).unwrap();
    assert_eq!(side.finish().exits(3).json()["error"]["exit_code"], 3);
    drop(silent);
}

/// The evaluator begins before the garbler listens.
#[test]
fn connecting_bench_tries_until_the_other_party_listens() {
    let address = free_address();
    let line = format!("bench --connect {address} --cards 5 --rounds 1 --json");
    let evaluator = start(line.split_whitespace());
    thread::sleep(Duration::from_secs(1));
    let line = format!("bench --listen {address} --cards 5 --rounds 1 --json");
    run(&line).exits(0);
    evaluator.finish().exits(0);
    let line = format!("bench --connect {address} --cards 5 --timeout 1 --json");
    run(&line).exits(3);
}

#[test]
fn given_timeout_applies_to_a_slow_link() {
    let line = "bench --cards 4 --draw 1 --rounds 1 --rtt 3s --timeout 1";
    run(line).exits(3).says("1s");
}
