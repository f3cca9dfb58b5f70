//! The command line keeps its promises: fields, exit codes, help, and what it refuses.

mod common;

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use dealerless::circuit::Party;
use dealerless::shuffle::{self, Algorithm, Randomness, ShuffleCircuit, Spec};
use serde_json::Value;

use common::processes::{Finished, start};
use dealerless::testing::shuffles::{fresh_generator, random_seeds};

fn run(line: &str) -> Finished {
    run_args(line.split_whitespace())
}

fn run_args<'a>(args: impl IntoIterator<Item = &'a str>) -> Finished {
    start(args).finish()
}

fn numbers(list: &Value) -> Vec<u64> {
    let list = list.as_array().expect("a list");
    list.iter().map(|n| n.as_u64().expect("a number")).collect()
}

fn keys(object: &Value) -> HashSet<&str> {
    object
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn the_help_of_every_command_holds_an_example_and_is_no_error() {
    for command in [
        "",
        "demo",
        "host",
        "join",
        "history",
        "show",
        "verify",
        "peers",
        "doctor",
        "circuit",
        "circuit stats",
        "circuit plot",
        "circuit export",
        "circuit standard",
        "circuit run",
    ] {
        let help = run(&format!("{command} --help")).exits(0);
        let examples = help.stdout.split_once("Example").expect("examples").1;
        let example = format!("dealerless {command}");
        assert!(examples.contains(example.trim_end()), "{command}: {help:?}");
    }
    assert!(run("--version").exits(0).stdout.starts_with("dealerless "));
}

#[test]
fn wrong_usage_exits_with_1_and_says_nothing_on_standard_output() {
    for line in [
        "",
        "deal",
        "demo --game bridge",
        "demo --cards 40",
        "demo --game deck --cards 1",
        "demo --game deck --cards 5000",
        "demo --game deck --cards 10 --draw 11",
        "demo --game deck --draw 0",
        "demo --hands 0",
        "demo --algorithm riffle",
        "demo --timeout 0",
        "demo --timeout NaN",
        "demo --security none",
        "host --listen nowhere",
        "host --game draw --draw 5",
        "join",
        "join nobody-known",
        "join --insecure-plain no-port",
        "join dealerless2-mistyped",
        "host --blinds 1",
        "host --blinds 2/1",
        "host --blinds 1/2 --ante 1/2",
        "host --hands 0",
        "host --stack 0",
        "host --game draw --cards 40",
        "host --security semi-honest",
        "host --insecure-plain --game fixed-holdem",
        "peers forgive nobody",
        "join localhost:5252 --json --timeout soon",
        "host --listen 5252",
        "circuit",
        "circuit stats --cards 1",
        "circuit stats --json --csv",
        "circuit stats --cards 8,16,...,100",
        "circuit stats --draw 5..1",
        "circuit stats --draw 1..5000000000",
        "circuit stats --cards 5,6 --draw 7",
        "circuit stats --algorithm bubble,riffle",
        "circuit plot --json",
        "circuit plot --cards 20,52",
        "circuit plot --draw 9",
        "circuit plot --against cards --draw 5,9",
        "circuit plot --against suits",
        "circuit standard",
        "circuit export --algorithm bubble --cards 5",
        "circuit export --algorithm bubble --cards 5 --draw 2 --json",
        "circuit run no-such-file --garbler 0",
    ] {
        let finished = run(line).exits(1);
        assert_eq!(finished.stdout, "", "{line}");
        assert!(finished.stderr.len() > 20, "{line}: {finished:?}");
    }
}

#[test]
fn malicious_security_is_the_default_and_semi_honest_must_be_asked_for_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = small_netlist(folder.path());
    let circuit = format!("circuit run {netlist} --garbler 10 --evaluator 11");
    let caught = "Security: malicious.";
    let warning = "It does NOT protect against a peer that deviates";
    for (option, notice) in [("", caught), (" --security semi-honest", warning)] {
        assert!(
            run(&format!("demo{option}"))
                .exits(0)
                .stdout
                .contains(notice)
        );
        run(&format!("demo --json{option}")).exits(0).says(notice);
        run(&format!("{circuit}{option}")).exits(0).says(notice);
        let joiner = run(&format!("join --insecure-plain 127.0.0.1:1{option}"));
        let joiner = joiner.exits(3).says("Begin anew");
        assert!(joiner.stdout.contains(notice));
        assert!(
            joiner
                .stdout
                .contains("neither encrypted nor authenticated")
        );
    }
}

#[test]
fn the_demo_of_a_deck_opens_different_cards_and_says_what_they_cost() {
    let report = run("demo --game deck --cards 20 --draw 7 --hands 3 --json")
        .exits(0)
        .json();
    assert_eq!(report["game"], "deck");
    assert_eq!(report["security"], "malicious");
    assert_eq!(report["algorithm"], "fisher-yates");
    assert_eq!((&report["cards"], &report["draw"]), (&20.into(), &7.into()));
    let hands = report["hands"].as_array().unwrap();
    assert_eq!(hands.len(), 3);
    for hand in hands {
        assert_eq!(keys(hand), HashSet::from(["cards"]));
        let cards = numbers(&hand["cards"]);
        assert_eq!(cards.len(), 7);
        assert!(cards.iter().all(|&card| card < 20));
        assert_eq!(cards.iter().collect::<HashSet<_>>().len(), 7);
    }
    let cost = &report["cost"];
    for field in ["setup_ms", "shuffle_ms"] {
        assert!(cost[field].as_f64().unwrap() > 0.0, "{cost}");
    }
    // A half gate is 32 bytes.
    let stats = run("circuit stats --cards 20 --draw 7 --algorithm fisher-yates --json").json();
    let tables = stats["rows"][0]["half_gate_bytes"].as_u64().unwrap();
    assert!(
        cost["garbler_bytes"].as_u64().unwrap() > 3 * tables,
        "{cost}"
    );
    assert!(cost["evaluator_bytes"].as_u64().unwrap() > 0, "{cost}");
    assert!(cost["rounds"].as_u64().unwrap() > 6, "{cost}");
}

#[test]
fn a_whole_deck_is_a_permutation_for_every_algorithm() {
    for algorithm in Algorithm::ALL {
        let report = run(&format!("demo --game deck --algorithm {algorithm} --json")).json();
        assert_eq!(report["algorithm"], algorithm.name());
        let mut cards = numbers(&report["hands"][0]["cards"]);
        cards.sort_unstable();
        assert_eq!(cards, (0..52).collect::<Vec<_>>());
    }
}

#[test]
fn auto_plays_with_the_cheapest_shuffle() {
    for draw in [5, 52] {
        let deal = format!("--cards 52 --draw {draw} --algorithm auto --json");
        let report = run(&format!("demo --game deck {deal}")).exits(0).json();
        let cheapest = Algorithm::cheapest(52, draw, true).unwrap();
        assert_eq!(report["algorithm"], cheapest.name());
        let stats = run(&format!("circuit stats {deal}")).exits(0).json();
        assert_eq!(stats["rows"][0]["algorithm"], cheapest.name());
    }
}

#[test]
fn what_takes_too_much_memory_is_refused_before_anything_is_built() {
    for (line, what) in [
        ("demo --game deck --cards 1024", "1,024 of 1,024 cards"),
        ("host --game deck --cards 2048", "2,048 of 2,048 cards"),
        ("bench --pool 2000", "2,000 shuffles at once"),
        ("bench --pool 4294967295", "4,294,967,295 shuffles at once"),
        (
            "bench --cards 4096 --draw 4096 --algorithm cut",
            "4,096 of 4,096 cards",
        ),
        ("demo --memory 1M", "9 of 52 cards"),
    ] {
        let refused = run(line).exits(1).says(what);
        assert!(refused.took < Duration::from_secs(10), "{line}");
        assert_eq!(refused.stdout, "", "{line}");
        let (_, enough) = refused.stderr.trim_end().rsplit_once(' ').unwrap();
        assert!(
            refused.stderr.contains("to allow more, say --memory"),
            "{line}"
        );
        if line == "demo --memory 1M" {
            run(&format!("demo --memory {enough}")).exits(0);
        }
    }
}

#[test]
fn a_bench_measures_at_least_one_shuffle_of_one_round() {
    for zero in [
        "--pool 0",
        "--rounds 0",
        "--pool 4294967296",
        "--rounds some",
    ] {
        let refused = run(&format!("bench {zero}")).exits(1);
        assert_eq!(refused.stdout, "", "{zero}");
        refused.says("a whole number from 1");
    }
    let line = "bench --cards 5 --draw 5 --pool 2 --rounds 1 --json";
    let report = run(line).exits(0).json();
    assert_eq!(
        (&report["pool_shuffles"], &report["rounds"]),
        (&2.into(), &1.into())
    );
    assert!(report["online"]["ms"].as_f64().unwrap() > 0.0);
}

#[test]
fn in_holdem_each_player_sees_its_own_cards_first_and_the_board_is_common() {
    let report = run("demo --hands 2 --json").exits(0).json();
    assert_eq!(report["game"], "holdem");
    for hand in report["hands"].as_array().unwrap() {
        let step = |player: &str, number: usize| numbers(&hand[player][number]["cards"]);
        let names = |player: &str| -> Vec<String> {
            let steps = hand[player].as_array().unwrap();
            steps
                .iter()
                .map(|step| step["step"].as_str().unwrap().into())
                .collect()
        };
        for player in ["garbler", "evaluator"] {
            assert_eq!(
                names(player),
                ["hole cards", "flop", "turn", "river", "showdown"]
            );
        }
        for (number, count) in [(1, 3), (2, 1), (3, 1)] {
            assert_eq!(step("garbler", number).len(), count);
            assert_eq!(step("garbler", number), step("evaluator", number));
        }
        assert_eq!(step("garbler", 0), step("evaluator", 4));
        assert_eq!(step("evaluator", 0), step("garbler", 4));
        assert_eq!(numbers(&hand["cards"]).len(), 9);
    }
}

#[test]
fn in_five_card_draw_what_is_thrown_away_stays_hidden() {
    let report = run("demo --game draw --json").exits(0).json();
    let hand = &report["hands"][0];
    let seen = |player: &str| -> HashSet<u64> {
        let steps = hand[player].as_array().unwrap();
        steps
            .iter()
            .flat_map(|step| numbers(&step["cards"]))
            .collect()
    };
    assert_eq!(seen("garbler").len(), 13);
    assert_eq!(seen("evaluator").len(), 13);
    let common: HashSet<u64> = numbers(&hand["cards"]).into_iter().collect();
    assert_eq!(&seen("garbler") & &seen("evaluator"), common);
    assert_eq!(common.len(), 10);
}

#[test]
fn the_demo_shows_both_players_in_80_columns() {
    for game in ["holdem", "draw", "deck"] {
        let screen = run(&format!("demo --game {game}")).exits(0).stdout;
        assert!(screen.contains("Alice") && screen.contains("Bob"));
        assert_eq!(screen.contains('▒'), game != "deck");
        for line in screen.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}

/// Writes the shuffle of 5 cards, 2 drawn, and gives the path.
fn export(folder: &Path, algorithm: Algorithm) -> (String, Value) {
    let path = folder.join(format!("{algorithm}.txt"));
    let path = path.to_str().unwrap().to_owned();
    let line =
        format!("circuit export --algorithm {algorithm} --cards 5 --draw 2 --output {path} --json");
    (path, run(&line).exits(0).json())
}

#[test]
fn an_export_describes_its_input_wires_and_leaves_one_file() {
    let folder = tempfile::tempdir().unwrap();
    for algorithm in Algorithm::ALL {
        let (path, layout) = export(folder.path(), algorithm);
        assert_eq!(layout["file"], path.as_str());
        assert_eq!(keys(&layout["output"]), HashSet::from(["words", "bits"]));
        assert_eq!(layout["output"]["words"], 2);
        assert_eq!(layout["output"]["bits"], 3);
        let circuit = ShuffleCircuit::build(Spec::new(5, 2, algorithm).unwrap());
        let mut widths = vec![];
        for party in [Party::Garbler, Party::Evaluator] {
            let seeds = layout[party.to_string()].as_array().unwrap();
            for (seed, expected) in seeds.iter().zip(circuit.seeds(party)) {
                assert_eq!(seed["bits"], expected.bits);
                assert_eq!(seed["modulus"], expected.modulus);
                assert_eq!(seed["encoding"], expected.encoding.to_string());
            }
            let bits: u64 = seeds
                .iter()
                .map(|seed| seed["bits"].as_u64().unwrap())
                .sum();
            widths.push(bits.to_string());
        }
        let netlist = fs::read_to_string(&path).unwrap();
        let inputs = format!("2 {}", widths.join(" "));
        assert_eq!(netlist.lines().nth(1), Some(inputs.as_str()));
        assert_eq!(netlist.lines().nth(2), Some("2 3 3"));
        let line = format!("circuit export --algorithm {algorithm} --cards 5 --draw 2");
        assert_eq!(
            run(&line).exits(0).stdout,
            netlist,
            "the same to standard output"
        );
    }
    let files = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, Algorithm::ALL.len());
}

#[test]
fn an_export_into_a_missing_folder_is_an_error_that_names_the_file() {
    run("circuit export --algorithm bubble --cards 5 --draw 2 -o no-such-folder/x.txt")
        .exits(1)
        .says("no-such-folder/x.txt");
}

#[test]
fn two_parties_who_run_an_exported_netlist_draw_what_the_definition_says() {
    let folder = tempfile::tempdir().unwrap();
    for algorithm in Algorithm::ALL {
        let (path, _) = export(folder.path(), algorithm);
        let spec = Spec::new(5, 2, algorithm).unwrap();
        let circuit = ShuffleCircuit::build(spec);
        let (mine, theirs) = random_seeds(&circuit, &mut fresh_generator());
        let text = |party, values: &[u64]| -> String {
            let randomness = Randomness::from_values(&circuit, party, values).unwrap();
            randomness
                .bits()
                .iter()
                .map(|&bit| if bit { '1' } else { '0' })
                .collect()
        };
        let report = run(&format!(
            "circuit run {path} --garbler {} --evaluator {} --json",
            text(Party::Garbler, &mine),
            text(Party::Evaluator, &theirs)
        ))
        .exits(0)
        .json();
        assert_eq!(
            keys(&report),
            HashSet::from(["outputs", "and", "security", "cost"])
        );
        assert_eq!(report["and"], circuit.circuit().ands());
        assert_eq!(report["security"], "malicious");
        let drawn: Vec<u32> = report["outputs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| {
                let first_wire_first = word.as_str().unwrap();
                let binary: String = first_wire_first.chars().rev().collect();
                u32::from_str_radix(&binary, 2).unwrap()
            })
            .collect();
        assert_eq!(drawn, shuffle::plaintext(spec, &mine, &theirs).unwrap());
    }
}

/// x AND y, and x XOR y, of two bits each.
fn small_netlist(folder: &Path) -> String {
    write(
        folder,
        "small.txt",
        "4 8\n2 2 2\n2 2 2\n\n\
         2 1 0 2 4 AND\n2 1 1 3 5 AND\n2 1 0 2 6 XOR\n2 1 1 3 7 XOR\n",
    )
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn outputs(line: &str) -> Vec<String> {
    let report = run(&format!("{line} --json")).exits(0).json();
    let outputs = report["outputs"].as_array().unwrap();
    outputs
        .iter()
        .map(|word| word.as_str().unwrap().into())
        .collect()
}

#[test]
fn bits_are_read_and_shown_first_wire_first() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = small_netlist(folder.path());
    assert_eq!(
        outputs(&format!(
            "circuit run {netlist} --garbler 10 --evaluator 11"
        )),
        ["10", "01"]
    );
    assert_eq!(
        outputs(&format!(
            "circuit run {netlist} --garbler hex:01 --evaluator hex:03"
        )),
        ["10", "01"]
    );
    let screen = run(&format!(
        "circuit run {netlist} --garbler 10 --evaluator 11"
    ))
    .exits(0);
    assert_eq!(screen.stdout, "output 1: 10\noutput 2: 01\n");
}

/// The outputs of a netlist for two numbers, with either security, as numbers.
fn compute(netlist: &str, bits: usize, [x, y]: [u32; 2]) -> [Vec<u32>; 2] {
    let text = |number: u32| -> String {
        let bit = |i| char::from(b'0' + (number >> i & 1) as u8);
        (0..bits).map(bit).collect()
    };
    let number = |bits: &String| {
        let digits: String = bits.chars().rev().collect();
        u32::from_str_radix(&digits, 2).unwrap()
    };
    let line = format!(
        "circuit run {netlist} --garbler {} --evaluator {}",
        text(x),
        text(y)
    );
    ["malicious", "semi-honest"].map(|security| {
        let outputs = outputs(&format!("{line} --security {security}"));
        outputs.iter().map(number).collect()
    })
}

#[test]
fn the_adder_of_the_readme_adds_with_either_security() {
    let adder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/adder.txt");
    for [x, y] in [[6, 5], [15, 15], [8, 9], [0, 0], [15, 1]] {
        assert_eq!(compute(adder, 4, [x, y]), [[x + y]; 2]);
    }
}

/// Whether x is less than y, and whether it equals y, of 8 bits each: with every operation that a
/// netlist may have.
fn comparator(folder: &Path) -> String {
    let mut gates = Vec::new();
    let mut wires = 16;
    let mut gate = |gate: String, results: usize| {
        let first = wires;
        wires += results;
        let (operands, operation) = gate.rsplit_once(' ').unwrap();
        let ins = operands.split(' ').count();
        let results: Vec<String> = (first..wires).map(|wire| wire.to_string()).collect();
        let outs = results.len();
        let results = results.join(" ");
        gates.push(format!("{ins} {outs} {operands} {results} {operation}\n"));
        first
    };
    // Behind bit i: y_i if the bits differ, otherwise what it was before.
    let mut less = gate("0 EQ".into(), 1);
    let mut same = Vec::new();
    for (x, y) in (0..8).zip(8..16) {
        let differ = gate(format!("{x} {y} XOR"), 1);
        same.push(gate(
            format!("{differ} {}", if x < 4 { "INV" } else { "NOT" }),
            1,
        ));
        let change = gate(format!("{y} {less} XOR"), 1);
        let kept = gate(format!("{} {change} AND", same[x]), 1);
        less = gate(format!("{y} {kept} XOR"), 1);
    }
    while same.len() > 1 {
        let half = same.len() / 2;
        let operands: Vec<String> = same.iter().map(usize::to_string).collect();
        let first = gate(format!("{} MAND", operands.join(" ")), half);
        same = (first..first + half).collect();
    }
    gate(format!("{less} EQW"), 1);
    gate(format!("{} EQW", same[0]), 1);
    let header = format!("{} {wires}\n2 8 8\n2 1 1\n\n", gates.len());
    write(folder, "comparator.txt", &(header + &gates.concat()))
}

#[test]
fn a_comparator_compares_with_either_security() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = comparator(folder.path());
    for [x, y] in [[0, 0], [255, 255], [7, 8], [8, 7], [128, 127], [200, 200]] {
        let expected = vec![u32::from(x < y), u32::from(x == y)];
        assert_eq!(compute(&netlist, 8, [x, y]), [expected.clone(), expected]);
    }
}

#[test]
fn bits_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = small_netlist(folder.path());
    for (garbler, complaint) in [
        ("1", "the garbler's input has 2 bits, 1 were given"),
        ("1x", "character 2 is neither 0 nor 1"),
        ("12", "has 2 bits, and the number that was given has more"),
        ("hex:04", "a bit behind them is not 0"),
        ("hex:1", "takes 2 hexadecimal digits, 1 were given"),
        ("hex:0x", "digit 2 is not hexadecimal"),
    ] {
        run(&format!(
            "circuit run {netlist} --garbler {garbler} --evaluator 11"
        ))
        .exits(1)
        .says(complaint);
    }
    run(&format!("circuit run {netlist} --garbler 11"))
        .exits(1)
        .says("the evaluator's input of 2 bits is missing");
}

#[test]
fn the_only_input_value_of_a_netlist_is_the_garblers() {
    let folder = tempfile::tempdir().unwrap();
    let text = "1 3\n1 2\n1 1\n\n2 1 0 1 2 AND\n";
    let netlist = write(folder.path(), "one.txt", text);
    assert_eq!(
        outputs(&format!("circuit run {netlist} --garbler 11")),
        ["1"]
    );
    assert_eq!(
        run_args([
            "circuit",
            "run",
            &netlist,
            "--garbler",
            "01",
            "--evaluator",
            ""
        ])
        .exits(0)
        .stdout,
        "output 1: 0\n"
    );
    run(&format!("circuit run {netlist} --garbler 11 --evaluator 1"))
        .exits(1)
        .says("the evaluator's input has 0 bits");
    assert_eq!(
        outputs(&format!("circuit run {netlist} --owner e --evaluator 11")),
        ["1"]
    );
}

#[test]
fn three_input_values_need_owners() {
    let folder = tempfile::tempdir().unwrap();
    // (a AND b) XOR c
    let text = "2 5\n3 1 1 1\n1 1\n\n2 1 0 1 3 AND\n2 1 3 2 4 XOR\n";
    let netlist = write(folder.path(), "three.txt", text);
    run(&format!("circuit run {netlist} --garbler 10 --evaluator 1"))
        .exits(1)
        .says("--owner");
    run(&format!(
        "circuit run {netlist} --owner g,e --garbler 10 --evaluator 1"
    ))
    .exits(1)
    .says("3 input values, and --owner names 2");
    for (garbler, evaluator, output) in [("10", "1", "1"), ("11", "1", "0"), ("01", "1", "1")] {
        let inputs = format!("--garbler {garbler} --evaluator {evaluator}");
        assert_eq!(
            outputs(&format!("circuit run {netlist} --owner g,e,g {inputs}")),
            [output]
        );
    }
}

#[test]
fn a_malformed_netlist_is_an_error_that_names_the_line() {
    let folder = tempfile::tempdir().unwrap();
    for (text, line) in [
        ("1 3\n2 1 1\n1 1\n\n2 1 0 1 2 NAND\n", "line 5"),
        ("1000000000000000000 3\n", "line 1"),
        ("", "line 1"),
    ] {
        let netlist = write(folder.path(), "odd.txt", text);
        run(&format!("circuit run {netlist} --garbler 1 --evaluator 1"))
            .exits(1)
            .says(line);
    }
}
