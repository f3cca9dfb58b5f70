//! The promise to researchers: single commands print the table of all circuits, plot them, and
//! write the netlists of the standard decks.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use dealerless::circuit::Party;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec, plaintext};
use dealerless::testing::bristol_evaluator::Netlist;
use dealerless::testing::shuffles::{cards, fresh_generator, input_bits, lanes, random_seeds};
use serde_json::Value;

use crate::common::processes::{run, start};

/// The columns that every row of a shuffle has.
const FIELDS: [&str; 23] = [
    "algorithm",
    "comparison",
    "checked",
    "and",
    "xor",
    "not",
    "gates",
    "and_depth",
    "garbler_inputs",
    "evaluator_inputs",
    "outputs",
    "half_gate_bytes",
    "joint_and",
    "garbler_and",
    "evaluator_and",
    "run_and",
    "depth",
    "widest_layer",
    "mean_layer",
    "live_wires",
    "copies",
    "dead",
    "digest",
];

fn rows(report: &Value) -> &Vec<Value> {
    report["rows"].as_array().expect("rows")
}

fn number(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

#[track_caller]
fn assert_counts(row: &Value, shuffle: &ShuffleCircuit) {
    let stats = shuffle.circuit().stats();
    let structure = shuffle.circuit().structure(Some(&Party::BOTH));
    let owned = structure.ands_by_owner.expect("the owners are known");
    for (field, count) in [
        ("joint_and", owned.joint),
        ("garbler_and", owned.garbler),
        ("evaluator_and", owned.evaluator),
        ("depth", structure.depth),
        ("live_wires", structure.live_wires.unwrap()),
        ("dead", 0),
        ("and", stats.and),
        ("xor", stats.xor),
        ("not", stats.not),
        ("gates", stats.and + stats.xor + stats.not),
        ("and_depth", stats.and_depth),
        ("garbler_inputs", stats.inputs[0]),
        ("evaluator_inputs", stats.inputs[1]),
        ("outputs", stats.outputs.iter().sum()),
        ("half_gate_bytes", 32 * owned.joint),
    ] {
        assert_eq!(row[field], count, "{}: {field}", row["algorithm"]);
    }
}

#[test]
fn stats_count_every_algorithm_with_and_without_the_check() {
    let report = run("circuit stats --cards 52 --draw 9 --algorithm all --json");
    let report = report.exits(0).json();
    assert_eq!((&report["cards"], &report["draw"]), (&52.into(), &9.into()));
    let rows = rows(&report);
    assert_eq!(rows.len(), 2 * Algorithm::ALL.len());
    for (pair, algorithm) in rows.chunks(2).zip(Algorithm::ALL) {
        let spec = Spec::new(52, 9, algorithm).unwrap();
        for (row, checked) in pair.iter().zip([false, true]) {
            assert_eq!(row["algorithm"], algorithm.name());
            assert_eq!(row["checked"], checked);
            assert_eq!(row["comparison"], false);
        }
        assert_counts(&pair[0], &ShuffleCircuit::build(spec));
        assert_counts(&pair[1], &ShuffleCircuit::build_checked(spec));
    }
}

#[test]
fn stats_draw_all_52_cards_by_default() {
    let report = run("circuit stats --json --algorithm waksman")
        .exits(0)
        .json();
    let deal = (&report["cards"], &report["draw"]);
    assert_eq!(deal, (&52.into(), &52.into()));
}

#[test]
fn csv_and_table_agree_with_json() {
    let sweep = "circuit stats --cards 5,20 --draw 2,9 --comparison";
    let report = run(&format!("{sweep} --json")).exits(0).json_lines();
    let csv = run(&format!("{sweep} --csv")).exits(0).stdout;
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(names[..2], ["cards", "draw"]);
    assert_eq!(names[2..25], FIELDS);
    let last = [
        "file",
        "format",
        "computed",
        "exact",
        "malicious_bytes",
        "circuit",
    ];
    assert_eq!(names[25..], last);
    let table = run(sweep).exits(0).stdout;
    for deal in &report {
        for row in rows(deal) {
            let line = lines.next().unwrap();
            for (name, value) in names[..25].iter().zip(line.split(',')) {
                let expected = deal.get(name).unwrap_or(&row[name]);
                assert_eq!(expected.to_string().replace('"', ""), value, "{name}");
            }
            let name = row["algorithm"].as_str().unwrap();
            assert!(table.contains(name), "{name}");
        }
        let heading = format!("{} of {}", deal["draw"], deal["cards"]);
        assert!(table.contains(&heading), "{heading}");
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn latex_has_the_counts_of_the_json_and_the_rules_of_booktabs() {
    let sweep = "circuit stats --cards 5,52 --draw 2,52 --comparison";
    let report = run(&format!("{sweep} --json")).exits(0).json_lines();
    let latex = run(&format!("{sweep} --latex")).exits(0).stdout;
    let lines: Vec<&str> = latex.lines().map(str::trim).collect();
    assert!(lines[0].contains("\\usepackage{booktabs}"), "{latex}");
    let alignment = lines[1].strip_prefix("\\begin{tabular}{").unwrap();
    let columns = alignment.trim_end_matches('}').len();
    assert_eq!((lines[2], lines[4]), ("\\toprule", "\\midrule"));
    let cells = |line: &str| -> Vec<String> {
        let line = line.strip_suffix(" \\\\").unwrap();
        let cells = line.split(" & ").map(|cell| cell.replace("\\,", ""));
        cells.collect()
    };
    let names = cells(lines[3]);
    let mut rows_of_latex = lines[5..].iter();
    for deal in &report {
        for row in rows(deal) {
            let cells = cells(rows_of_latex.next().unwrap());
            assert_eq!(cells.len(), columns);
            let cell = |name: &str| &cells[names.iter().position(|other| other == name).unwrap()];
            for (name, value) in [
                ("cards", &deal["cards"]),
                ("drawn", &deal["draw"]),
                ("AND", &row["and"]),
                ("joint AND", &row["joint_and"]),
                ("XOR", &row["xor"]),
                ("NOT", &row["not"]),
                ("AND depth", &row["and_depth"]),
                ("output bits", &row["outputs"]),
                ("bytes garbled", &row["half_gate_bytes"]),
            ] {
                assert_eq!(cell(name), &value.to_string(), "{name}");
            }
            assert!(cell("circuit").starts_with(row["algorithm"].as_str().unwrap()));
            let bits = |party| row[party].as_u64().unwrap();
            let bits = bits("garbler_inputs") + bits("evaluator_inputs");
            assert_eq!(cell("input bits"), &bits.to_string());
        }
    }
    let rest: Vec<&&str> = rows_of_latex.collect();
    assert_eq!(rest, [&"\\bottomrule", &"\\end{tabular}"]);
}

#[test]
fn latex_of_a_netlist_escapes_its_name_and_has_no_empty_column() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("50%_of&x.txt");
    let adder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/adder.txt");
    std::fs::copy(adder, &file).unwrap();
    let arguments = ["circuit", "stats", file.to_str().unwrap(), "--latex"];
    let latex = start(arguments).finish().exits(0).stdout;
    assert!(latex.contains("50\\%\\_of\\&x.txt & 4 &"), "{latex}");
    assert!(!latex.contains("cards"), "{latex}");
}

#[test]
fn each_row_of_a_deck_and_draw_names_a_different_circuit() {
    let csv = run("circuit stats --draw 9 --algorithm cut,waksman --comparison --csv");
    let csv = csv.exits(0).stdout;
    let cell = |line: &str, column: usize| line.split(',').nth(column).map(str::to_owned);
    let last = |line: &str| line.rsplit(',').next().map(str::to_owned);
    let rows: Vec<_> = csv
        .lines()
        .skip(1)
        .map(|line| (last(line), cell(line, 5)))
        .collect();
    let names: HashSet<_> = rows.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), rows.len());
    for (name, ands) in [("cut", "362"), ("cut+check", "457")] {
        let row = (Some(name.to_owned()), Some(ands.to_owned()));
        assert!(rows.contains(&row), "{rows:?}");
    }
}

#[test]
fn sweep_covers_ranges_and_doublings_and_skips_impossible_draws() {
    let deals = |arguments: &str| -> Vec<(usize, usize)> {
        let line = format!("circuit stats {arguments} --algorithm lehmer --json");
        let sweep = run(&line).exits(0).json_lines();
        sweep
            .iter()
            .map(|deal| (number(&deal["cards"]), number(&deal["draw"])))
            .collect()
    };
    let whole: Vec<_> = (1..=52).map(|m| (52, m)).collect();
    assert_eq!(deals("--draw 1..52"), whole);
    let doublings = [(8, 8), (16, 16), (32, 32), (64, 64)];
    assert_eq!(deals("--cards 8,16,…,64"), doublings);
    assert_eq!(deals("--cards 4,8 --draw 3,5"), [(4, 3), (8, 3), (8, 5)]);
    assert_eq!(deals("--cards 4,8 --draw 5"), [(8, 5)]);
}

#[test]
fn algorithms_can_be_listed_and_auto_is_the_cheapest() {
    let names = |list: &str| -> HashSet<String> {
        let line = format!("circuit stats --cards 20 --draw 3 --algorithm {list} --json");
        let report = run(&line).exits(0).json();
        let name = |row: &Value| row["algorithm"].as_str().unwrap().to_owned();
        rows(&report).iter().map(name).collect()
    };
    let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(names("bubble,waksman"), set(&["bubble", "waksman"]));
    let cheapest = Algorithm::cheapest(20, 3).unwrap().name();
    assert_eq!(names("auto"), set(&[cheapest]));
}

#[test]
fn comparison_circuits_are_marked_and_optional() {
    let report = run("circuit stats --draw 5 --comparison --json")
        .exits(0)
        .json();
    let marked: BTreeMap<&str, usize> = (rows(&report).iter())
        .filter(|row| row["comparison"] == true)
        .map(|row| (row["algorithm"].as_str().unwrap(), number(&row["and"])))
        .collect();
    // The numbers are not larger than those of the published table.
    assert!(marked["bubble-fair-bits"] <= 1_302);
    assert!(marked["bitonic-48-bit-keys"] <= 38_199);
    for name in marked.keys() {
        run(&format!("circuit stats --algorithm {name}")).exits(1);
    }
}

#[test]
fn circuits_above_the_memory_limit_are_refused() {
    for (line, name) in [
        (
            "stats --cards 4096 --algorithm waksman --comparison",
            "bubble-fair-bits",
        ),
        ("plot --against cards --cards 4,8,...,4096", "fisher-yates"),
        ("plot --cards 4096", "bubble"),
        (
            "export --cards 4096 --draw 4096 --algorithm bitonic --memory 150M",
            "bitonic",
        ),
    ] {
        let refused = run(&format!("circuit {line}")).exits(1);
        assert_eq!(refused.stdout, "", "{line}");
        refused
            .says(&format!("the {name} circuit that draws"))
            .says("--memory");
    }
    // This circuit is small enough.
    run("circuit stats --cards 300 --draw 5 --comparison").exits(0);
    run("circuit stats --cards 300 --draw 5 --comparison --memory 100M").exits(1);
}

#[test]
fn counts_of_large_circuits_are_computed_and_marked() {
    for (line, computed) in [
        ("--cards 4096 --draw 9 --algorithm lehmer,cut", false),
        ("--cards 2048 --algorithm cut", true),
        ("--draw 52 --algorithm cut,waksman --memory 1M", true),
        ("--cards 65536 --algorithm lehmer,cut", true),
    ] {
        let report = run(&format!("circuit stats {line} --json"));
        let report = report.exits(0).json();
        for row in rows(&report) {
            assert_eq!(row["computed"], computed, "{line}");
            assert_eq!(row["xor"].is_null(), computed, "{line}");
            assert_eq!(row["exact"], true, "{line}");
        }
    }
    let table = run("circuit stats --cards 65536 --draw 9 --algorithm cut").exits(0);
    assert!(table.stdout.contains("† Computed"), "{}", table.stdout);
    let csv = run("circuit stats --cards 65536 --draw 9 --algorithm cut --csv").exits(0);
    let row = csv.stdout.lines().nth(1).unwrap();
    assert!(row.contains(",,,,,"), "{row}");
    assert!(row.contains(",true,true,"), "{row}");
    let about = run("circuit stats --cards 33 --draw 18 --algorithm fisher-yates --computed");
    assert!(about.exits(0).stdout.contains("about 1,"));
    run("circuit stats --cards 65537").exits(1);
}

#[test]
fn large_circuits_are_built_and_written_in_slices() {
    let shuffle = "--cards 380 --draw 380 --algorithm fisher-yates --memory 150M";
    let report = |built: &str| {
        let line = format!("circuit stats {shuffle} --json {built}");
        run(&line).exits(0).json()
    };
    let (built, computed) = (report("--built"), report(""));
    for (row, computed) in rows(&built).iter().zip(rows(&computed)) {
        assert_eq!(row["computed"], false);
        assert_eq!(computed["computed"], true);
        for name in ["and", "garbler_inputs", "evaluator_inputs", "outputs"] {
            assert_eq!(row[name], computed[name]);
        }
        assert!(row["digest"].is_null() && number(&row["and_depth"]) > 0);
    }
    let netlist = run(&format!("circuit export {shuffle}")).exits(0).stdout;
    let row = &rows(&built)[0];
    let gates = number(&row["gates"]) + number(&row["outputs"]);
    assert_eq!(netlist.lines().count(), 4 + gates);
    assert!(netlist.starts_with(&format!("{gates} ")));
    let line = "circuit stats --cards 380 --algorithm cut --built --memory 100M";
    run(line).exits(1).says("in slices needs up to");
}

#[test]
fn computed_counts_equal_built_counts() {
    let counts = |arguments: &str| -> Vec<[usize; 9]> {
        let line = format!("circuit stats --cards 52 --draw 5,52 --json {arguments}");
        let deals = run(&line).exits(0).json_lines();
        let fields = [
            "and",
            "joint_and",
            "garbler_and",
            "evaluator_and",
            "garbler_inputs",
            "evaluator_inputs",
            "outputs",
            "half_gate_bytes",
            "malicious_bytes",
        ];
        let all = deals.iter().flat_map(rows);
        all.map(|row| fields.map(|name| number(&row[name])))
            .collect()
    };
    assert_eq!(counts("--computed"), counts(""));
}

/// The content of each file in a folder.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder");
    let content = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a plain name");
        (name, fs::read(entry.path()).expect("a file"))
    };
    entries.map(content).collect()
}

fn standard_circuits() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../circuits"))
}

#[test]
fn circuits_folder_matches_the_output_of_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("circuit standard {} --json", folder.path().display());
    let report = run(&line).exits(0).json();
    let (kept, made) = (contents(standard_circuits()), contents(folder.path()));
    assert!(kept.keys().eq(made.keys()), "the sets of files differ");
    for (name, content) in &made {
        // Compares digests, because `assert_eq!` would print both files.
        let digests = [content, &kept[name]].map(|content| blake3::hash(content));
        assert_eq!(
            digests[0], digests[1],
            "{name}: run `dealerless circuit standard circuits`"
        );
    }
    assert!(kept.values().map(Vec::len).sum::<usize>() < 5_000_000);

    let page = String::from_utf8(made["README.md"].clone()).unwrap();
    let files = report["files"].as_array().unwrap();
    assert_eq!(files.len(), 4 * Algorithm::ALL.len());
    for file in files {
        let (name, digest) = (&file["file"], &file["blake3"]);
        let (name, digest) = (name.as_str().unwrap(), digest.as_str().unwrap());
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| {name} ")));
        assert!(row.expect("a row").contains(digest));
        assert_eq!(made.contains_key(name), file["written"] == true, "{name}");
        if let Some(content) = made.get(name) {
            assert_eq!(blake3::hash(content).to_string(), digest);
        }
    }
}

#[test]
fn standard_netlists_match_the_definition_in_another_evaluator() {
    let mut rng = fresh_generator();
    let mut netlists = contents(standard_circuits());
    netlists.remove("README.md");
    for (name, content) in netlists {
        let (algorithm, deal) = parse_name(&name);
        let spec = Spec::new(deal.1, deal.0, algorithm).unwrap();
        let shuffle = ShuffleCircuit::build(spec);
        let seeds: Vec<_> = (0..64).map(|_| random_seeds(&shuffle, &mut rng)).collect();
        let inputs: Vec<_> = seeds
            .iter()
            .map(|pair| input_bits(&shuffle, pair))
            .collect();
        let netlist = Netlist::read(&String::from_utf8(content).unwrap());
        let draws = cards(&shuffle, &netlist.evaluate(&lanes(&inputs)), 64);
        for ((garbler, evaluator), draw) in seeds.iter().zip(draws) {
            assert_eq!(plaintext(spec, garbler, evaluator), Ok(draw), "{name}");
        }
    }
}

/// Parses `A-M-of-N.txt` into the algorithm A and the deal (M, N).
fn parse_name(name: &str) -> (Algorithm, (usize, usize)) {
    let (rest, cards) = name
        .strip_suffix(".txt")
        .unwrap()
        .split_once("-of-")
        .unwrap();
    let (algorithm, draw) = rest.rsplit_once('-').unwrap();
    let number = |text: &str| text.parse().unwrap();
    (algorithm.parse().unwrap(), (number(draw), number(cards)))
}
