//! The promise: `bridge convert` converts files of boards to other formats, reports what is lost,
//! and overwrites nothing.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use dealerless_bridge::formats::Format;
use dealerless_bridge::{Board, Compass, Deal};
use rand::seq::SliceRandom;

/// Random boards with consecutive numbers.
fn boards(first: u32, last: u32) -> Vec<Board> {
    let mut owners: [Compass; 52] = std::array::from_fn(|card| Compass::ALL[card % 4]);
    let rng = &mut rand::rng();
    let boards = (first..=last).map(|number| {
        owners.shuffle(rng);
        let deal = Deal::new(owners).unwrap();
        Board { number, deal }
    });
    boards.collect()
}

fn write(folder: &Path, name: &str, format: Format, boards: &[Board]) {
    fs::write(folder.join(name), format.write(boards).unwrap()).unwrap();
}

fn read(folder: &Path, name: &str, format: Format) -> Vec<Board> {
    let reading = format.read(&fs::read(folder.join(name)).unwrap());
    reading.unwrap().boards
}

/// The formats that a file extension selects.
fn by_suffix() -> impl Iterator<Item = Format> {
    let formats = Format::ALL.iter().copied();
    formats.filter(|format| Format::of_suffix(format.suffix()) == Some(*format))
}

/// Runs `bridge convert` in a folder. Returns the exit code and standard error.
fn convert(folder: &Path, args: &str) -> (i32, String) {
    let output = output(folder, args);
    let message = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), message)
}

fn output(folder: &Path, args: &str) -> Output {
    output_of("convert", folder, args)
}

/// Runs a command of `bridge` in a folder.
fn output_of(command: &str, folder: &Path, args: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(["bridge", command])
        .args(args.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap()
}

#[test]
fn formats_are_chosen_by_extension_or_option() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let set = boards(1, 30);
    write(folder, "set.pbn", Format::Pbn, &set);
    for &format in Format::ALL {
        let name = format!("{}.out", format.name());
        let args = format!("set.pbn {name} --to {}", format.name());
        let (code, message) = convert(folder, &args);
        assert_eq!(code, 0, "{message}");
        assert!(message.contains("30 boards, 1 to 30"), "{message}");
        let bytes = fs::read(folder.join(&name)).unwrap();
        assert_eq!(bytes, format.write(&set).unwrap());
        if format.is_readable() {
            let back = format!("{name} {}.back.PBN --from {}", format.name(), format.name());
            assert_eq!(convert(folder, &back).0, 0);
            let name = format!("{}.back.PBN", format.name());
            assert_eq!(read(folder, &name, Format::Pbn), set);
        }
    }
    let output = output(folder, "set.pbn - --to lin");
    assert_eq!(output.stdout, Format::Lin.write(&set).unwrap());
    assert!(output.stderr.is_empty());
}

#[test]
fn records_are_text_or_html_by_extension() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "set.pbn", Format::Pbn, &boards(3, 5));
    let records = |args: &[&str]| {
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_dealerless"))
            .args(["bridge", "records", "set.pbn"])
            .args(args)
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
        String::from_utf8(done.stdout).unwrap()
    };
    let text = records(&[]);
    assert!(text.contains("Board 5") && !text.contains('<'), "{text}");
    assert!(records(&["--curtain-cards"]).contains("Board 4 West"));
    assert!(records(&["-o", "records.HTML"]).is_empty());
    let html = fs::read_to_string(folder.join("records.HTML")).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>"), "{html}");
}

#[test]
fn existing_files_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "set.pbn", Format::Pbn, &boards(1, 120));
    for there in ["set.lin", "long-2.dlm"] {
        fs::write(folder.join(there), "what was there").unwrap();
    }
    for args in [
        "set.pbn set.lin",
        "set.pbn set.pbn",
        "set.pbn long.dlm --split",
    ] {
        let (code, message) = convert(folder, args);
        assert_eq!(code, 1);
        assert!(message.contains("already exists"), "{message}");
    }
    assert_eq!(fs::read(folder.join("set.lin")).unwrap(), b"what was there");
    assert!(!folder.join("long-1.dlm").exists());
}

#[test]
fn boards_beyond_99_are_refused_for_machines_or_split() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let set = boards(1, 200);
    write(folder, "set.pbn", Format::Pbn, &set);
    let formats = by_suffix().filter(|format| format.is_for_machines());
    for format in formats {
        let suffix = format.suffix();
        let (code, message) = convert(folder, &format!("set.pbn set.{suffix}"));
        assert_eq!(code, 1);
        assert!(message.contains("ends at board 99"), "{message}");
        assert!(message.contains("--split"), "{message}");
        assert!(!folder.join(format!("set.{suffix}")).exists());

        let (code, message) = convert(folder, &format!("set.pbn set.{suffix} --split"));
        assert_eq!(code, 0, "{message}");
        let names = (1..=3).map(|number| format!("set-{number}.{suffix}"));
        let pieces: Vec<Board> = names.flat_map(|name| read(folder, &name, format)).collect();
        assert_eq!(pieces.len(), 200);
        for (before, after) in set.iter().zip(pieces) {
            assert_eq!(before.deal, after.deal);
            assert_eq!(before.dealer(), after.dealer());
            assert_eq!(before.vulnerability(), after.vulnerability());
        }
    }
}

#[test]
fn lost_board_numbers_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let set = boards(11, 20);
    write(folder, "set.pbn", Format::Pbn, &set);
    for format in by_suffix() {
        let suffix = format.suffix();
        let (code, message) = convert(folder, &format!("set.pbn out.{suffix}"));
        assert_eq!(code, 0, "{suffix}: {message}");
        let is_lost = !format.says_numbers(&set);
        assert_eq!(
            message.contains("other numbers"),
            is_lost,
            "{suffix}: {message}"
        );
        if !format.is_readable() {
            continue;
        }
        let notice =
            format!("out.{suffix} has no board numbers; its boards are numbered 1 to 10.\n");
        for command in ["convert", "records"] {
            let args = match command {
                "convert" => format!("out.{suffix} - --to csv"),
                _ => format!("out.{suffix}"),
            };
            let output = output_of(command, folder, &args);
            let message = String::from_utf8(output.stderr).unwrap();
            let expected = if format.holds_numbers() { "" } else { &notice };
            assert_eq!(message, expected, "{command}");
        }
    }
    convert(folder, "out.bri back.pbn");
    let (_, message) = convert(folder, "back.pbn again.bri");
    assert!(
        message.contains("which gives the numbers here"),
        "{message}"
    );
}

#[test]
fn errors_name_the_file_and_place() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "set.pbn", Format::Pbn, &boards(1, 3));
    let text = fs::read_to_string(folder.join("set.pbn")).unwrap();
    let wrong = text.replace("[Dealer \"E\"]", "[Dealer \"N\"]");
    fs::write(folder.join("wrong.pbn"), wrong).unwrap();
    let (code, message) = convert(folder, "wrong.pbn out.lin --strict");
    assert_eq!(code, 1);
    assert!(
        message.contains("wrong.pbn: line 28: the dealer of board 2 is N"),
        "{message}"
    );
    assert!(!folder.join("out.lin").exists());

    for (args, complaint) in [
        ("set.pbn out.txt", "--to"),
        ("no.pbn out.lin", "cannot read no.pbn"),
        ("set.csv out.lin", "cannot read set.csv"),
        ("set.pbn out.lin --from ber", "invalid value"),
    ] {
        let (code, message) = convert(folder, args);
        assert_eq!(code, 1);
        assert!(message.contains(complaint), "{message}");
    }
}

/// Practice files have the same dealer on all boards, and files of several events repeat numbers.
#[test]
fn contradictions_are_warnings_unless_strict() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "set.pbn", Format::Pbn, &boards(1, 16));
    let text = fs::read_to_string(folder.join("set.pbn")).unwrap();
    let mut practice = text.clone();
    for dealer in ["E", "S", "W"] {
        practice = practice.replace(&format!("[Dealer \"{dealer}\"]"), "[Dealer \"N\"]");
    }
    fs::write(folder.join("practice.pbn"), practice).unwrap();
    write(folder, "other.pbn", Format::Pbn, &boards(1, 16));
    let other = fs::read_to_string(folder.join("other.pbn")).unwrap();
    fs::write(folder.join("two.pbn"), format!("{text}\r\n{other}")).unwrap();

    for (name, boards, warning, further) in [
        (
            "practice",
            16,
            "line 28: the dealer of board 2 is N here, but E by the Laws",
            2,
        ),
        (
            "two",
            32,
            "line 265: board 1 appears again with a different deal",
            6,
        ),
    ] {
        let args = format!("{name}.pbn {name}.lin --json");
        let output = output(folder, &args);
        let message = String::from_utf8(output.stderr).unwrap();
        let first = format!("{name}.pbn: warning: {warning}\n");
        assert!(message.starts_with(&first), "{message}");
        let rest = format!("{name}.pbn: {further} further warnings");
        assert!(message.contains(&rest), "{message}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["boards"], boards);
        assert_eq!(report["warnings"][0], warning);
        assert_eq!(report["further_warnings"], further);

        let records = output_of("records", folder, &format!("{name}.pbn"));
        assert!(records.status.success(), "{records:?}");
        assert!(
            String::from_utf8(records.stderr)
                .unwrap()
                .starts_with(&first)
        );
        for command in ["convert", "records"] {
            let to = if command == "convert" {
                "- --to lin"
            } else {
                ""
            };
            let args = format!("{name}.pbn {to} --strict");
            let refused = output_of(command, folder, &args);
            assert_eq!(refused.status.code(), Some(1), "{refused:?}");
            let message = String::from_utf8(refused.stderr).unwrap();
            assert!(
                message.contains(&format!("{name}.pbn: {warning}")),
                "{message}"
            );
            assert!(refused.stdout.is_empty());
        }
    }
    // The boards of a machine are consecutive.
    let (code, message) = convert(folder, "two.pbn two.dlm");
    assert_eq!(code, 1);
    assert!(message.contains("board 1 follows board 16"), "{message}");
    assert!(!folder.join("two.dlm").exists());
}

#[test]
fn files_of_deals_only_are_numbered_from_1() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let set = boards(1, 4);
    let deals: String = (set.iter())
        .map(|board| format!("[Deal \"{}\"]\n\n", board.deal))
        .collect();
    fs::write(folder.join("deals.pbn"), deals).unwrap();
    let output = output(folder, "deals.pbn - --as big-deal");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stdout, Format::BigDeal.write(&set).unwrap());
    let notice = "deals.pbn has no board numbers; its boards are numbered 1 to 4.\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), notice);
}

#[test]
fn ten_thousand_boards_are_converted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let set = boards(1, 10_000);
    write(folder, "set.pbn", Format::Pbn, &set);
    assert_eq!(convert(folder, "set.pbn set.lin").0, 0);
    assert_eq!(read(folder, "set.lin", Format::Lin), set);
}

/// The files are a sparse file of 1 GiB and an endless device.
#[test]
fn huge_files_are_refused_after_64_mib() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for format in by_suffix().filter(|format| format.is_readable()) {
        let name = format!("huge.{}", format.suffix());
        let file = fs::File::create(folder.join(&name)).unwrap();
        file.set_len(1 << 30).unwrap();
        let (code, message) = convert(folder, &format!("{name} out.csv"));
        assert_eq!(code, 1);
        let complaint = format!("{name} is too large: a file of boards has at most 64 MiB");
        assert!(message.contains(&complaint), "{message}");
    }
    if Path::new("/dev/zero").exists() {
        let (code, message) = convert(folder, "/dev/zero out.csv --from pbn");
        assert_eq!(code, 1);
        assert!(message.contains("/dev/zero is too large"), "{message}");
    }
}

/// Malicious files of boards: the name, the bytes, and the error.
fn hostile_files() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let board = |from: &str, to: &str| {
        let deal = "J2.AQ.A7652.J543 QT87.T8.KJ843.A2 6543.J42.Q9.QT76 AK9.K97653.T.K98";
        let deal = deal.replace(from, to);
        let head = "[Board \"1\"]\n[Dealer \"N\"]\n[Vulnerable \"None\"]\n";
        format!("{head}[Deal \"N:{deal}\"]\n").into_bytes()
    };
    let whole = board("", "");
    let utf_16 = whole.iter().flat_map(|byte| [*byte, 0]).collect();
    let open = b"{ {{ }\n{\n\n".to_vec();
    let hash = b"\n[Deal \"#\"]\n".to_vec();
    let commas = b"\nmd|1,,,,,|".to_vec();
    let keys = b"[Document]\nStatus\n".to_vec();
    let twice = "line 4: the card SQ appears twice";
    let escape = "line 4: '\\u{1b}' is not a rank";
    let hands = "line 2: a LIN deal has three or four hands";
    vec![
        (
            "53.pbn",
            board("J2.", "J32."),
            "line 4: the card S3 appears",
        ),
        (
            "51.pbn",
            board("J2.", "J."),
            "line 4: N has 12 cards, not 13",
        ),
        ("twice.pbn", board("J2.", "Q2."), twice),
        ("ten.pbn", board("T87", "1087"), "line 4: '1' is not a rank"),
        ("bytes.pbn", board("J2.", "\u{1b}[2J."), escape),
        ("utf16.pbn", utf_16, "line 1: zero byte in the line"),
        ("cut.pbn", whole[..60].to_vec(), "line 4: invalid tag"),
        ("open.pbn", open, "line 2: the comment that begins here"),
        (
            "hash.pbn",
            hash,
            "line 2: Deal must have a value of its own",
        ),
        ("cut.bri", vec![b'0'; 127], "byte 127: the file ends within"),
        ("zero.dup", vec![0; 156], "byte 146: the last 10 bytes"),
        ("commas.lin", commas, hands),
        ("keys.dlm", keys, "line 2: expected KEY=VALUE or [SECTION]"),
        ("empty.lin", Vec::new(), "line 1: the file has no boards"),
    ]
}

#[test]
fn hostile_files_are_refused_with_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, file, complaint) in hostile_files() {
        fs::write(folder.join(name), file).unwrap();
        let (code, message) = convert(folder, &format!("{name} out.csv"));
        assert_eq!(code, 1, "{name}");
        assert!(
            message.contains(&format!("{name}: {complaint}")),
            "{message}"
        );
        assert!(!folder.join("out.csv").exists());
    }
}

#[test]
fn json_report_names_the_written_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "set.pbn", Format::Pbn, &boards(1, 120));
    let report = |args: &str| -> serde_json::Value {
        serde_json::from_slice(&output(folder, args).stdout).unwrap()
    };
    let split = report("set.pbn set.dup --split --json");
    assert_eq!(split["boards"], 120);
    assert_eq!(
        (&split["from"], &split["to"]),
        (&"pbn".into(), &"dup".into())
    );
    let second = serde_json::json!({
        "file": "set-2.dup", "boards": 24, "first": 1, "last": 24, "numbered": true
    });
    assert_eq!(split["written"][1], second);
    let bri = report("set.pbn set.bri --json");
    assert_eq!(bri["written"][0]["numbered"], false);
    let refused = report("set.pbn - --to lin --json");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("--json uses standard output"), "{message}");
}
