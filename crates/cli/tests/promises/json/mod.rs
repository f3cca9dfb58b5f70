//! The JSON output: every line that a command prints with `--json` matches `docs/json.schema.json`,
//! and `docs/json.md` describes each command.

use crate::common;
mod schema;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use common::matches;
use common::side::{Side, folders};

/// The command lines to test, each with its exit code and the name of the schema definition that
/// every line of its output matches. A name in braces stands for a file of the test, and `~` for a
/// space within an argument. The commands run in this order, because some use files that earlier
/// commands wrote.
const LINES: &[(&str, i32, &str)] = &[
    ("bench --cards 5 --draw 2 --rounds 1", 0, "bench"),
    ("bench --netlist {netlist} --rounds 1 --rtt 1ms", 0, "bench"),
    (
        "bench --deck verifiable --cards 5 --seats 3 --rounds 1",
        0,
        "bench verifiable",
    ),
    (
        "bridge leakage --samples 1000 --scheme cut,thirteen",
        0,
        "bridge leakage",
    ),
    ("bridge sheets --boards 2 -o {sheets}", 0, "bridge sheets"),
    ("circuit compare {netlist} {netlist}", 0, "circuit compare"),
    ("circuit compare {netlist} {other}", 4, "circuit compare"),
    ("circuit convert {netlist} -o {out}", 0, "circuit convert"),
    (
        "circuit evaluate {netlist} --input 01,11",
        0,
        "circuit evaluate",
    ),
    (
        "circuit export --algorithm cut --cards 5 --draw 2 -o {out}",
        0,
        "circuit export",
    ),
    (
        "circuit export --checked --algorithm cut --cards 5 --draw 2 -o {out}",
        0,
        "circuit export",
    ),
    ("circuit optimise {netlist} -o {out}", 0, "circuit optimise"),
    ("circuit plot --cards 9 -o {out}", 0, "circuit plot"),
    (
        "circuit plot --cards 9 --y depth --checked --comparison -o {out}",
        0,
        "circuit plot",
    ),
    (
        "circuit run {netlist} --garbler 10 --evaluator 11",
        0,
        "circuit run",
    ),
    (
        "circuit run --algorithm cut --cards 5 --draw 2 --garbler random --evaluator random",
        0,
        "circuit run",
    ),
    (
        "circuit prove --algorithm cut --cards 4 --draw 2 --checked",
        0,
        "circuit prove",
    ),
    (
        "circuit prove --algorithm bubble-fair-bits --cards 4",
        4,
        "circuit prove",
    ),
    ("circuit prove {other} --outputs 4*c1", 4, "circuit prove"),
    (
        "circuit prove {other} --outputs x2,c2 --seed 7 --limit 200",
        0,
        "circuit prove",
    ),
    ("circuit prove {netlist} --owner g", 1, "error"),
    ("circuit split --ranks 2 -o {out}", 0, "circuit split"),
    ("circuit split", 1, "error"),
    ("circuit standard {folder}", 0, "circuit standard"),
    ("circuit stats", 0, "circuit stats"),
    (
        "circuit stats --cards 5,9 --draw 2,3 --comparison",
        0,
        "circuit stats",
    ),
    ("circuit stats {netlist} {other}", 0, "circuit stats"),
    (
        "bridge number N:...AKQJT98765432~..AKQJT98765432.~.AKQJT98765432..~AKQJT98765432...",
        0,
        "bridge number",
    ),
    ("bridge deal 14 --order andrews", 0, "bridge deal"),
    ("bridge convert {boards} {lin}", 0, "bridge convert"),
    (
        "bridge squaredeal verify {sqd}",
        0,
        "bridge squaredeal verify",
    ),
    (
        "bridge squaredeal verify {sqd} {boards}",
        4,
        "bridge squaredeal verify",
    ),
    ("bridge boards {set}", 0, "bridge boards"),
    ("bridge records {boards} -o {out}", 0, "bridge records"),
    ("bridge records {boards}", 1, "error"),
    (
        "bridge own-sheet -o {evening} --home {dealers-home}",
        0,
        "bridge own-sheet",
    ),
    ("bridge own-sheet -o {evening}", 1, "error"),
    ("bridge boards {log}", 1, "error"),
    ("demo", 0, "demo"),
    ("demo --game draw --hands 2", 0, "demo"),
    ("config", 0, "config"),
    ("config relay wss://relay.example.org/", 0, "config"),
    ("config relay none", 0, "config"),
    ("config relay relay.example.org", 1, "error"),
    ("doctor", 0, "doctor"),
    ("history", 0, "history"),
    ("identity", 0, "identity"),
    ("identity --home {new} succeed {old}", 0, "identity succeed"),
    ("identity --home {new} statement", 0, "identity statement"),
    ("identity --home {old}", 0, "identity"),
    ("identity --home {new} move {moved}", 0, "identity move"),
    ("peers", 0, "peers"),
    ("peers forgive Bert", 0, "peers forgive"),
    ("peers block Bert", 0, "peers block"),
    ("peers unblock Bert", 0, "peers unblock"),
    ("resume --list", 0, "resume"),
    ("show {log}", 0, "show"),
    ("verify {log}", 0, "verify"),
    ("verify {log} {theirs}", 0, "verify"),
    ("verify {netlist}", 4, "verify"),
    ("verify {log} --audit {audit}", 0, "verify"),
    ("audit --decline --home {theirs-home}", 1, "event"),
    ("history --delete Bert", 0, "history"),
    // Commands that fail.
    ("bridge convert {boards} {lin}", 1, "error"),
    ("bridge convert {boards} - --to lin", 1, "error"),
    ("bridge deal 1,00", 1, "error"),
    ("bridge number N:AK", 1, "error"),
    ("bridge squaredeal verify {boards}", 1, "error"),
    ("bench --rounds 0", 1, "error"),
    ("bridge leakage --samples 1000 --csv -", 1, "error"),
    ("bridge sheets --deals no-such-file -o {sheets}", 1, "error"),
    ("circuit evaluate no-such-file --input 0", 1, "error"),
    (
        "circuit export --algorithm cut --cards 5 --draw 2 -o -",
        1,
        "error",
    ),
    ("circuit run no-such-file --garbler 0", 1, "error"),
    ("circuit stats --cards -5", 1, "error"),
    ("circuit stats --csv", 1, "error"),
    ("demo --hands 0", 1, "error"),
    ("deal", 1, "error"),
    ("relay --page no-such-folder", 1, "error"),
    ("show nobody", 1, "error"),
    ("table --port 99999", 1, "error"),
    ("verify no-such-file", 1, "error"),
    ("audit nobody", 1, "event"),
    ("host --listen nowhere", 1, "event"),
    ("host --kinds 2a", 1, "event"),
    ("join nobody", 1, "event"),
    ("resume nobody", 1, "event"),
];

/// The schema definitions of commands that are not tested in [`LINES`], because they need a second
/// player, a player who moved to another machine, or a program that keeps running.
const ELSEWHERE: [&str; 5] = ["audit", "audit decline", "peers follow", "relay", "table"];

fn docs(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(name);
    fs::read_to_string(path).unwrap()
}

fn run(folder: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(line.split_whitespace().map(|arg| arg.replace('~', " ")))
        .env("DEALERLESS_HOME", folder)
        .output()
        .unwrap()
}

/// The file with the extension `ending` in the folder of matches.
fn file(folder: &Path, ending: &str) -> PathBuf {
    matches::file(folder, ending).expect(ending)
}

/// Checks each line of `output` against the definition `name` and against the whole schema. An
/// error must also contain the exit code and a message. `line` is the command line.
fn assert_matches(schema: &Value, name: &str, line: &str, output: &Output) {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(!text.is_empty(), "{line}: {output:?}");
    for object in text.lines() {
        let value: Value =
            serde_json::from_str(object).unwrap_or_else(|error| panic!("{error}: {object}"));
        let definition = schema["$defs"]
            .get(name)
            .unwrap_or_else(|| panic!("{name} is missing in the schema"));
        schema::check(schema, definition, &value, line).unwrap_or_else(|wrong| panic!("{wrong}"));
        schema::check(schema, schema, &value, line).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let error = if name == "event" {
        &last
    } else {
        &last["error"]
    };
    if matches!(name, "error" | "event") {
        assert_eq!(
            error["exit_code"].as_i64(),
            output.status.code().map(i64::from),
            "{line}: {last}"
        );
        assert!(
            error["message"].as_str().unwrap().len() > 10,
            "{line}: {last}"
        );
    }
}

/// Writes the SquareDeal description of a tournament, its keys, and a file with a board that does
/// not belong to the tournament.
fn bridge_files(folder: &Path) {
    let description = "TN Test\nDI a number\nDV 7\nSN 1:1-2:A#:Session #\nSN 0:1-2:B#:Open #\n\
        KH 8395ccd62913881ad3cf494f122088ae2d57f9edecbb218d97496b761b885a3f\n";
    let boards = "[Board \"1\"]\n[Dealer \"N\"]\n[Vulnerable \"None\"]\n\
        [Deal \"N:...AKQJT98765432 ..AKQJT98765432. .AKQJT98765432.. AKQJT98765432...\"]\n";
    for (name, text) in [
        ("x.sqd", description),
        ("x.sqk", "1,1:abcdefgh\r\n2,0:ijklmnop\r\n"),
        ("x.pbn", boards),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
}

/// Plays a bridge match of one board, in which all hands are opened to both players.
fn play_bridge_match(a: &Path, b: &Path) {
    let (host, invite) = Side::host(a, &["--game", "bridge", "--boards", "1", "--auto"]);
    let mut guest = Side::join(b, &invite, &[]);
    let turn = guest.until("your-turn");
    let hand = |position| json!({ "position": position, "to": "all" });
    let cards: Vec<Value> = (0..4).map(hand).collect();
    match turn["proposals"].as_array().map(Vec::len) {
        Some(0) => guest.say(&json!({ "do": "propose", "cards": cards })),
        _ => guest.say(&json!({ "do": "agree", "proposal": 0 })),
    }
    guest.until("card");
    guest.until("your-turn");
    guest.say(&json!({ "do": "pass" }));
    assert_eq!((guest.finish().1, host.finish().1), (0, 0));
}

#[test]
fn json_output_and_errors_match_the_schema() {
    let schema: Value = serde_json::from_str(&docs("json.schema.json")).unwrap();
    let [a, b] = folders();
    let (host, invite) = Side::host(a.path(), &["--hands", "1", "--auto"]);
    let (_, code) = Side::join(b.path(), &invite, &["--auto"]).finish();
    assert_eq!((code, host.finish().1), (0, 0));
    let mut host = Side::start(a.path(), &["audit", "--json", "--listen", "127.0.0.1:0"]);
    let at = host.until("listening")["addresses"][0]
        .as_str()
        .unwrap()
        .to_owned();
    let audited = run(b.path(), &format!("audit --json --at {at}"));
    assert_eq!(host.finish().1, 0);
    assert_matches(&schema, "audit", "audit", &audited);

    let [c, d] = folders();
    play_bridge_match(c.path(), d.path());

    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| {
        // The commands recognise the types of these files by their extensions.
        let ends = [("sqd", "x.sqd"), ("boards", "x.pbn"), ("lin", "x.lin")];
        let end = ends.iter().find(|(short, _)| *short == name);
        let name = end.map_or(name, |(_, whole)| whole);
        scratch.path().join(name).display().to_string()
    };
    for (name, gate) in [("netlist", "AND"), ("other", "XOR")] {
        let text = format!(
            "4 8\n2 2 2\n2 2 2\n\n2 1 0 2 4 {gate}\n2 1 1 3 5 AND\n2 1 0 2 6 XOR\n2 1 1 3 7 XOR\n"
        );
        fs::write(at(name), text).unwrap();
    }
    bridge_files(scratch.path());
    assert!(
        run(a.path(), &format!("identity --home {}", at("old")))
            .status
            .success()
    );
    let files = [
        ("{log}", file(a.path(), "log").display().to_string()),
        ("{theirs}", file(b.path(), "log").display().to_string()),
        ("{audit}", file(b.path(), "audit").display().to_string()),
        ("{theirs-home}", b.path().display().to_string()),
        ("{set}", file(c.path(), "log").display().to_string()),
        ("{dealers-home}", c.path().display().to_string()),
    ];
    // Files that the test or the tested commands write.
    let made = [
        "netlist", "other", "out", "folder", "sheets", "evening", "old", "new", "sqd", "boards",
        "lin", "moved",
    ];
    let files: Vec<(String, String)> = (files
        .into_iter()
        .map(|(name, path)| (name.to_owned(), path)))
    .chain(made.map(|name| (format!("{{{name}}}"), at(name))))
    .collect();
    for &(row, code, name) in LINES {
        let fill = |line: String, (name, path): &(String, String)| line.replace(name, path);
        let line = files.iter().fold(format!("{row} --json"), fill);
        let output = run(a.path(), &line);
        assert_eq!(output.status.code(), Some(code), "{line}: {output:?}");
        assert_matches(&schema, name, &line, &output);
    }
}

#[test]
fn every_command_in_the_schema_is_documented_and_tested() {
    let schema: Value = serde_json::from_str(&docs("json.schema.json")).unwrap();
    let page = docs("json.md");
    let printed: BTreeSet<&str> = LINES
        .iter()
        .map(|(_, _, name)| *name)
        .chain(ELSEWHERE)
        .collect();
    let mut commands = BTreeSet::new();
    for (name, of) in schema["$defs"].as_object().unwrap() {
        if of["properties"]["command"]["const"] == name.as_str() {
            commands.insert(name.as_str());
            assert!(
                page.contains(&format!("## `{name}`")),
                "{name} is missing in docs/json.md"
            );
            for field in of["properties"].as_object().unwrap().keys() {
                assert!(
                    page.contains(&format!("`{field}`")),
                    "{name}: {field} is missing in docs/json.md"
                );
            }
        }
    }
    let of_commands: BTreeSet<&str> = (printed.into_iter())
        .filter(|name| !matches!(*name, "error" | "event"))
        .collect();
    assert_eq!(commands, of_commands);
    let known: Vec<&str> = (schema["anyOf"].as_array().unwrap().iter())
        .map(|reference| reference["$ref"].as_str().unwrap())
        .collect();
    for name in commands {
        assert!(
            known.contains(&&*format!("#/$defs/{}", name.replace(' ', "%20"))),
            "{name}"
        );
    }
}

#[test]
fn schema_checker_finds_errors() {
    let schema = json!({
        "$defs": { "a b": { "type": ["integer", "null"], "minimum": 0 } },
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": { "$ref": "#/$defs/a%20b" },
            "b": { "type": "array", "items": { "enum": ["x", "y"] } },
            "c": { "const": 1 },
            "d": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
        },
    });
    let good = [
        json!({ "a": 1 }),
        json!({ "a": null, "b": ["x"], "c": 1, "d": "", "e": [] }),
    ];
    for value in good {
        assert_eq!(schema::check(&schema, &schema, &value, ""), Ok(()));
    }
    for value in [
        json!({}),
        json!([]),
        json!({ "a": -1 }),
        json!({ "a": 1.5 }),
        json!({ "a": 1, "b": "x" }),
        json!({ "a": 1, "b": ["x", "z"] }),
        json!({ "a": 1, "c": 2 }),
        json!({ "a": 1, "d": 1 }),
    ] {
        assert!(
            schema::check(&schema, &schema, &value, "").is_err(),
            "{value}"
        );
    }
}
