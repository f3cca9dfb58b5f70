//! The promise to users of `bench`: figures with their spread and environment, for one shuffle or
//! many, for any netlist, over any link, between two machines.

#[cfg(unix)]
mod broken_off;

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use serde_json::Value;

use crate::common::processes::{Running, run, start};

/// The fields of every object.
const FIELDS: [&str; 16] = [
    "security",
    "algorithm",
    "cards",
    "draw",
    "and",
    "pool_shuffles",
    "rounds",
    "setup",
    "pool",
    "online",
    "total",
    "netlist",
    "interrupted",
    "seen_by",
    "line",
    "environment",
];

const PHASES: [&str; 4] = ["setup", "pool", "online", "total"];

#[track_caller]
fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("not a number: {value}"))
}

#[track_caller]
fn assert_complete(report: &Value) {
    assert_eq!(report["version"], 1);
    assert_eq!(report["command"], "bench");
    for field in FIELDS {
        assert!(report.get(field).is_some(), "{field}: {report}");
    }
    for phase in PHASES {
        let phase = &report[phase];
        let times = ["min", "q1", "ms", "q3", "max"].map(|name| number(&phase[name]));
        assert!(times.is_sorted(), "{phase}");
        let bytes = ["bytes_min", "bytes", "bytes_max"].map(|name| phase[name].as_u64());
        assert!(bytes.is_sorted() && bytes[0].is_some(), "{phase}");
        let flights = ["flights_in_a_row", "flights"].map(|name| phase[name].as_u64());
        assert!(flights.is_sorted() && flights[0].is_some(), "{phase}");
    }
    assert!(
        number(&report["total"]["flights_in_a_row"]) > 0.0,
        "{report}"
    );
}

fn netlist(folder: &Path) -> String {
    let path = folder.join("and,two.txt");
    fs::write(&path, "2 4\n2 1 1\n2 1 1\n\n2 1 0 1 2 AND\n2 1 0 1 3 XOR\n").unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn report_has_medians_quartiles_and_the_environment() {
    let report = run("bench --cards 5 --rounds 4 --json").exits(0).json();
    assert_complete(&report);
    assert_eq!((&report["draw"], &report["rounds"]), (&5.into(), &4.into()));
    assert_eq!(report["seen_by"], "both");
    assert_eq!(
        (&report["line"], &report["interrupted"]),
        (&Value::Null, &false.into())
    );
    for bytes in ["bytes_min", "bytes_max"] {
        let sum = ["pool", "online"].map(|phase| number(&report[phase][bytes]));
        assert_eq!(number(&report["total"][bytes]), sum[0] + sum[1]);
    }
    let environment = &report["environment"];
    assert_eq!(environment["version"], env!("CARGO_PKG_VERSION"));
    assert!(
        environment["compiler"]
            .as_str()
            .unwrap()
            .starts_with("rustc ")
    );
    assert!(environment["cores"].as_u64() > Some(0));
    assert_eq!(environment["shared_cores"], true);
    let screen = run("bench --cards 5 --rounds 1").exits(0).stdout;
    for word in [
        "median",
        "q3",
        "AND gates per second",
        "rustc ",
        "shared by both parties",
        "bytes, mean",
        "in a row",
        "base OTs of 1 new session; not in the total",
        "what earlier rounds left over",
        "no card is opened",
    ] {
        assert!(screen.contains(word), "{word}: {screen}");
    }
}

#[test]
fn sweep_is_printed_as_table_json_csv_and_picture() {
    let folder = tempfile::tempdir().unwrap();
    let [picture, rounds] = ["bytes.svg", "rounds.csv"].map(|name| folder.path().join(name));
    let sweep = "bench --cards 6 --draw 2..4 --algorithm lehmer,fisher-yates --pool 1,2 \
                 --security malicious,semi-honest --rounds 2";
    let files = format!(
        "--plot bytes -o {} --rounds-csv {}",
        picture.display(),
        rounds.display()
    );
    let reports = run(&format!("{sweep} {files} --json"))
        .exits(0)
        .json_lines();
    assert_eq!(reports.len(), 3 * 2 * 2 * 2);
    reports.iter().for_each(assert_complete);

    let svg = fs::read_to_string(picture).unwrap();
    for text in [
        "m of 6 cards",
        "lehmer, semi-honest, pool 2",
        "Bytes both ways",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    let rounds = fs::read_to_string(rounds).unwrap();
    let malicious = "malicious,,fisher-yates,6,3,";
    let of = |phase: &str| {
        let line = |line: &&str| line.starts_with(malicious) && line.contains(phase);
        rounds.lines().filter(line).count()
    };
    // Each pool has three rounds and three setups. In each round a pool of two serves two shuffles.
    assert_eq!(
        (of(",pool,"), of(",total,"), of(",online,"), of(",setup,")),
        (6, 6, 9, 6)
    );
    assert_eq!((of(",total,0,true,"), of(",setup,0,true,")), (2, 2));
    // A row fills either the columns of its phase or those of the total, so that a
    // sum over a column counts each value once.
    assert_eq!((of(",total,0,true,,,,,"), of(",pool,0,true,,")), (2, 0));
    let header = rounds.lines().next().unwrap();
    assert!(
        header.ends_with("version,commit,machine,cores,load"),
        "{header}"
    );
    let columns = |line: &str| line.split(',').count();
    assert!(
        rounds.lines().all(|line| columns(line) == columns(header)),
        "{rounds}"
    );

    let csv = run(&format!("{sweep} --csv")).exits(0).stdout;
    let names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    for (line, report) in csv.lines().skip(1).zip(&reports) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), names.len());
        let cell = |name| cells[names.iter().position(|other| *other == name).unwrap()];
        assert_eq!(cell("algorithm"), report["algorithm"]);
        assert_eq!(cell("draw"), report["draw"].to_string());
        let total = |name: &str| report["total"][name].to_string();
        assert_eq!(cell("total_bytes_min"), total("bytes_min"));
        assert_eq!(cell("total_flights"), total("flights"));
        assert_eq!(cell("total_flights_in_a_row"), total("flights_in_a_row"));
        assert_eq!(cell("version"), env!("CARGO_PKG_VERSION"));
    }
    assert_eq!(csv.lines().count(), 1 + reports.len());

    let latex = run(&format!("{sweep} --latex")).exits(0).stdout;
    assert!(latex.contains("\\begin{tabular}{llrr"), "{latex}");
    let rows: Vec<&str> = latex.lines().filter(|line| line.contains('/')).collect();
    assert_eq!(rows.len(), reports.len());
    for (row, report) in rows.iter().zip(&reports) {
        let cells: Vec<String> = row
            .split(" & ")
            .map(|cell| cell.replace("\\,", ""))
            .collect();
        assert_eq!(cells[1], report["security"]);
        assert_eq!(cells[3], report["and"].to_string());
    }

    let table = run(sweep).exits(0).stdout;
    assert!(
        table.lines().all(|line| line.chars().count() <= 80),
        "{table}"
    );
    let rows = table.lines().filter(|line| line.contains("lehmer")).count();
    assert_eq!(rows, reports.len() / 2);
}

#[test]
fn netlists_are_measured_alone_or_with_shuffles() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = netlist(folder.path());
    let reports = run(&format!("bench --netlist {netlist} --rounds 2 --json"));
    let report = reports.exits(0).json();
    assert_complete(&report);
    assert_eq!(
        (&report["netlist"], &report["and"]),
        (&"and,two.txt".into(), &1.into())
    );
    assert_eq!(
        (&report["algorithm"], &report["cards"]),
        (&Value::Null, &Value::Null)
    );
    let both = format!("bench --netlist {netlist} --algorithm cut --cards 6 --draw 2 --rounds 1");
    let csv = run(&format!("{both} --csv")).exits(0).stdout;
    assert!(csv.contains("malicious,\"and,two.txt\",,"), "{csv}");
    let table = run(&both).exits(0).stdout;
    assert!(
        table.contains("and,two.txt") && table.contains("cut 2/6"),
        "{table}"
    );
    let screen = run(&format!("bench --netlist {netlist} --rounds 1"))
        .exits(0)
        .stdout;
    assert!(screen.contains("outputs, opened to both"), "{screen}");
    run(&format!("bench --netlist {netlist} --owner g"))
        .exits(1)
        .says("--owner names 1");
    let wrong = run(&format!("{both} -o {netlist}.svg")).exits(1);
    wrong.says("a picture cannot show netlists");
}

#[test]
fn shaped_link_is_reported_and_affects_the_times() {
    let line = "bench --cards 4 --draw 1 --rounds 1 --rtt 30ms --bandwidth 10mbit --json";
    let report = run(line).exits(0).json();
    assert_eq!(report["line"]["rtt_ms"], 30.0);
    assert_eq!(report["line"]["bits_per_second"], 10_000_000);
    for sweep in ["", "--draw 1,2", "--draw 1,2 --pool 1,2"] {
        let screen =
            "bench --cards 4 --rounds 1 --security semi-honest --rtt 1.25ms --bandwidth 0.5gbit";
        let screen = run(&format!("{screen} {sweep}")).exits(0).stdout;
        assert!(
            screen.lines().all(|line| line.chars().count() <= 80),
            "{screen}"
        );
        assert!(
            screen.contains("1.25 ms RTT and 500 Mbit/s each way"),
            "{screen}"
        );
    }
    // The online phase takes at least one round trip.
    assert!(number(&report["online"]["min"]) >= 30.0, "{report}");
}

#[test]
fn figures_on_a_simulated_link_are_independent_of_other_rows() {
    let names = ["fisher-yates", "cut", "waksman"];
    let measure = |names: &str| {
        let line = "--cards 16 --draw 5 --rounds 2 --rtt 50ms --bandwidth 20mbit --simulate";
        let reports = run(&format!("bench --algorithm {names} {line} --json"));
        reports.exits(0).json_lines()
    };
    let sweep = measure(&names.join(","));
    for report in &sweep {
        assert_complete(report);
        assert_eq!(report["line"]["simulated"], true);
        let alone = measure(report["algorithm"].as_str().unwrap());
        for phase in PHASES {
            // Computing takes no time on the simulated link, but it takes CPU time.
            let without_cpu = |report: &Value| {
                let mut phase = report[phase].as_object().expect("a phase").clone();
                phase.retain(|field, _| !field.ends_with("cpu_ms"));
                phase
            };
            assert_eq!(without_cpu(report), without_cpu(&alone[0]), "{phase}");
        }
        // Each flight takes half a round trip. The bytes take additional time.
        let total = &report["total"];
        let (ms, flights) = (number(&total["ms"]), number(&total["flights_in_a_row"]));
        assert!(
            ms >= 25.0 * flights && ms < 25.0 * (flights + 4.0),
            "{total}"
        );
    }
}

#[test]
fn flights_in_a_row_do_not_depend_on_the_link() {
    let what = "--cards 5 --draw 2 --algorithm cut --rounds 1 --json";
    let here = run(&format!("bench {what}")).exits(0).json();
    let long = run(&format!("bench {what} --rtt 2ms")).exits(0).json();
    let (listening_side, address) = listening(what);
    let apart = run(&format!("bench {what} --connect {address}"))
        .exits(0)
        .json();
    listening_side.finish().exits(0);
    for phase in PHASES {
        let flights = |report: &Value| report[phase]["flights_in_a_row"].clone();
        assert_eq!(flights(&here), flights(&long), "{phase}");
        assert_eq!(flights(&here), flights(&apart), "{phase}");
        assert_eq!(here[phase]["bytes"], apart[phase]["bytes"], "{phase}");
    }
}

#[test]
fn each_machine_shapes_what_it_sends() {
    let what = "--cards 5 --draw 2 --algorithm cut --rounds 1 --rtt 20ms --bandwidth 50mbit --json";
    let (listening_side, address) = listening(what);
    let other = run(&format!("bench {what} --connect {address}"))
        .exits(0)
        .json();
    let report = listening_side.finish().exits(0).json();
    assert_eq!(report["line"]["rtt_ms"], 20.0);
    for phase in PHASES {
        assert_eq!(report[phase], other[phase]);
    }
    // Each flight in a row takes at least half a round trip. Both sides start within that time.
    let total = &report["total"];
    let flights = number(&total["flights_in_a_row"]);
    assert!(number(&total["min"]) >= 10.0 * (flights - 1.0), "{report}");
}

/// Starts a side that listens on a free port. Returns the side and its address.
fn listening(line: &str) -> (Running, SocketAddr) {
    let mut side = start(format!("bench {line} --listen 127.0.0.1:0").split_whitespace());
    let address = side.listening_address();
    (side, address)
}

#[test]
fn both_machines_report_the_same_figures_and_mismatches() {
    let what = "--cards 5 --draw 1,5 --algorithm lehmer --rounds 2";
    let (listening_side, address) = listening(&format!("{what} --json"));
    let other = run(&format!("bench {what} --connect {address} --json")).exits(0);
    let [garbler, evaluator] = [listening_side.finish().exits(0), other].map(|it| it.json_lines());
    assert_eq!((garbler.len(), evaluator.len()), (2, 2));
    for (ours, theirs) in garbler.iter().zip(&evaluator) {
        assert_complete(ours);
        assert_eq!(
            (&ours["seen_by"], &theirs["seen_by"]),
            (&"garbler".into(), &"evaluator".into())
        );
        for phase in PHASES {
            assert_eq!(ours[phase], theirs[phase], "{phase}");
        }
        assert_eq!(ours["environment"]["shared_cores"], Value::Null);
    }
    for other in [
        "--cards 5 --rounds 3",
        "--cards 6 --rounds 2",
        "--cards 5 --rounds 2 --rtt 5ms",
    ] {
        let (listening_side, address) = listening("--cards 5 --rounds 2");
        let other = run(&format!("bench {other} --connect {address}"));
        for side in [listening_side.finish(), other] {
            side.exits(2)
                .says("do not agree")
                .says("the same arguments");
        }
    }
}

#[test]
fn statistical_security_is_chosen_reported_and_agreed() {
    let what = "bench --cards 8 --draw 8 --rounds 1";
    let at = |bits: &str| {
        let report = run(&format!("{what} {bits} --json")).exits(0).json();
        (
            report["statistical_security"].clone(),
            number(&report["total"]["bytes"]),
        )
    };
    let (by_default, fifty) = at("");
    let (chosen, forty) = at("--statistical-security 40");
    assert_eq!((by_default, chosen), (50.into(), 40.into()));
    assert!(forty < fifty, "{forty} and {fifty} bytes");
    let semi_honest = run(&format!("{what} --security semi-honest --json")).exits(0);
    assert_eq!(semi_honest.json()["statistical_security"], Value::Null);

    let screen = run(&format!("{what} --statistical-security 40")).exits(0);
    assert!(
        screen.stdout.contains("malicious at 40 bits"),
        "{}",
        screen.stdout
    );

    let (listening_side, address) = listening("--cards 5 --statistical-security 41");
    let other = run(&format!("bench --cards 5 --connect {address}"));
    let sides = [(listening_side.finish(), "50"), (other, "41")];
    for (side, theirs) in sides {
        side.exits(2)
            .says(&format!("wants {theirs} bits of statistical security"));
    }
}

#[test]
fn repeated_configurations_are_measured_once_and_speed_needs_ands() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = folder.path().join("xor.txt");
    fs::write(&netlist, "1 3\n2 1 1\n1 1\n\n2 1 0 1 2 XOR\n").unwrap();
    let twice = "--pool 1,1 --security semi-honest,semi-honest --rounds 1";
    let screen = run(&format!("bench --netlist {} {twice}", netlist.display())).exits(0);
    assert!(screen.stdout.contains("xor.txt, semi-honest: 0 AND gates."));
    assert!(!screen.stdout.contains("a second"), "{}", screen.stdout);
    let security = "Security: semi-honest.";
    assert_eq!(screen.stderr.matches(security).count(), 1);
}

#[test]
fn invalid_options_are_refused_with_an_explanation() {
    for (line, sentence) in [
        ("--rtt 50", "50ms, 0.15s"),
        ("--bandwidth 20", "20mbit"),
        ("--simulate", "--rtt"),
        (
            "--rtt 5ms --simulate --listen 127.0.0.1:0",
            "cannot be used with",
        ),
        ("--pool 1,0", "a whole number from 1"),
        ("--json --csv", "cannot be used with"),
        ("--csv --latex", "cannot be used with"),
        ("--draw 1,2 --latex -o -", "standard output"),
        ("-o x.svg", "a picture needs several points"),
        (
            "--cards 5,6,7 --draw 1,2 -o x.svg",
            "a picture has one horizontal axis",
        ),
        ("--draw 1,2 -o x.txt", "must end in .svg or .png or .pdf"),
        ("--owner g", "--netlist"),
        ("--cards 4 --draw 1,2 --json -o -", "standard output"),
        ("--rounds 0", "a whole number from 1"),
        ("--rounds 99999999999", "a whole number from 1"),
        ("--draw 52..1", "must be ascending"),
        ("--draw 53", "53"),
        ("--bandwidth 0mbit", "20mbit"),
        ("--pool 4294967295", "needs up to"),
        ("--netlist nowhere.txt", "nowhere.txt"),
        (
            "--draw 1,2 -o nowhere/x.svg",
            "folder nowhere does not exist",
        ),
        (
            "--rounds-csv nowhere/x.csv",
            "folder nowhere does not exist",
        ),
        ("--draw 1,2 -o x.svg --rounds-csv x.svg", "the same file"),
        ("--listen 5252", "HOST:PORT"),
        ("--statistical-security 39", "from 40 to 80"),
        ("--statistical-security 81", "from 40 to 80"),
        (
            "--listen 127.0.0.1:0 --connect 127.0.0.1:1",
            "cannot be used with",
        ),
    ] {
        let refused = run(&format!("bench {line}")).exits(1).says(sentence);
        let error = refused.stdout.is_empty() || refused.json()["error"]["exit_code"] == 1;
        assert!(error, "{line}: {}", refused.stdout);
    }
}

#[test]
fn verifiable_deck_is_measured_with_the_bytes_of_each_part() {
    let line = "bench --deck verifiable --cards 6 --seats 3 --rounds 2";
    let report: Value =
        serde_json::from_str(&run(&format!("{line} --json")).exits(0).stdout).unwrap();
    let bytes = |name: &str| {
        let operations = report["operations"].as_array().unwrap();
        let found = operations
            .iter()
            .find(|operation| operation["name"] == name);
        found.unwrap_or_else(|| panic!("{name}: {report}"))["bytes"].clone()
    };
    assert_eq!(
        (&report["seats"], &report["threshold"]),
        (&3.into(), &3.into())
    );
    assert_eq!(bytes("keys of all seats"), 128 + 32 * (3 + 3 + 1));
    assert_eq!(bytes("shuffle and prove"), 224 * 6 + 288);
    assert_eq!(bytes("decode and verify a shuffle"), Value::Null);
    assert_eq!(bytes("a partial to a seat: make"), 160);
    let screen = run(line).exits(0).stdout;
    assert!(
        screen.contains("6 cards, 3 seats") && screen.contains("1,632"),
        "{screen}"
    );
    let some = run(&format!("{line} --may-leave 1 --json")).exits(0).json();
    assert_eq!([&some["seats"], &some["threshold"]], [3, 2]);
    let keys = &some["operations"][0];
    assert_eq!(keys["bytes"], 128 + 32 * (2 + 3 + 1), "{keys}");
    for wrong in [
        "--deck verifiable --seats 3 --may-leave 2",
        "--deck verifiable --cards 6,7",
        "--deck verifiable --csv",
        "--deck verifiable --latex",
        "--seats 3",
    ] {
        run(&format!("bench {wrong}")).exits(1);
    }
}
