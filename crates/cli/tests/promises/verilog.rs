//! The promise to users of Yosys and ABC: the commands of `docs/circuits/aiger.md` lead from Verilog
//! to a run between two parties, and print what the page shows.

use crate::common;

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use common::processes::start;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The beginning of the output of `yosys -V`, for the version whose figures the page shows.
const YOSYS: &str = "Yosys 0.23 ";

/// The commands in the blocks of a page, each with the output shown.
fn shown(page: &str) -> Vec<(String, String)> {
    let mut shown = Vec::new();
    for block in page.split("```console\n").skip(1) {
        let block = block.split("```").next().expect("the end of a block");
        let block = block.replace("\\\n", "");
        for command in block.split("$ ").skip(1) {
            let (line, output) = command.split_once('\n').expect("a line");
            shown.push((line.to_owned(), output.to_owned()));
        }
    }
    shown
}

/// Runs a line in a shell that finds our program. Returns its outputs and errors.
fn shell(folder: &Path, line: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_dealerless"));
    let mut path = program.parent().expect("a folder").as_os_str().to_owned();
    path.push(":");
    path.push(env::var_os("PATH").expect("a path"));
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .expect("a shell");
    let text = [stdout, stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(status.success(), "{line}: {text}");
    text
}

/// Whether both programs are installed.
fn are_installed() -> bool {
    let installed = |program, option| Command::new(program).arg(option).output().is_ok();
    installed("yosys", "-V") && installed("berkeley-abc", "-h")
}

#[test]
fn commands_of_the_page_lead_from_verilog_to_a_run_of_two_parties() {
    if !are_installed() {
        println!("yosys or berkeley-abc is not installed: the test was skipped");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for file in fs::read_dir(Path::new(ROOT).join("examples/verilog")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), at.join(file.file_name())).unwrap();
    }
    let same_version = shell(at, "yosys -V").starts_with(YOSYS);
    let page = fs::read_to_string(Path::new(ROOT).join("docs/circuits/aiger.md")).unwrap();
    let (run, rest): (Vec<_>, Vec<_>) = (shown(&page).into_iter())
        .partition(|(line, _)| line.contains("--listen") || line.contains("--connect"));
    for (line, output) in &rest {
        let printed = shell(at, line);
        if same_version && !output.is_empty() {
            assert_eq!(&printed, output, "{line}");
        }
    }

    let rows = page.lines().filter(|line| line.starts_with("| `"));
    for row in rows.filter(|_| same_version) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let file = cells[1].trim_matches('`');
        let begins = fs::read(at.join(file)).unwrap();
        let header = String::from_utf8_lossy(&begins[..begins.len().min(60)]).into_owned();
        let ands = header.lines().next().unwrap().rsplit(' ').next().unwrap();
        let convert = shell(
            at,
            &format!("dealerless circuit convert {file} -o x.txt --json"),
        );
        let optimise = shell(
            at,
            &format!("dealerless circuit optimise {file} -o x.txt --json"),
        );
        let [convert, optimise] = [convert, optimise].map(|report| {
            let lines = report.lines().find(|line| line.starts_with('{'));
            serde_json::from_str::<serde_json::Value>(lines.expect("an object")).unwrap()
        });
        let found = [
            ands.to_owned(),
            convert["and"].to_string(),
            convert["xor"].to_string(),
            optimise["after"]["and"].to_string(),
        ];
        assert_eq!(
            cells[2..6]
                .iter()
                .map(|cell| cell.replace(' ', ""))
                .collect::<Vec<_>>(),
            found,
            "{file}"
        );
    }

    // The two sides of the run, at a free port and in this folder.
    let words = |side: usize, address: &str| -> Vec<String> {
        let words = run[side].0.split_whitespace().skip(1);
        let words = words.map(|word| match word {
            "127.0.0.1:5252" => address.to_owned(),
            file if file.ends_with(".aig") => at.join(file).display().to_string(),
            word => word.to_owned(),
        });
        words.collect()
    };
    let mut garbler = start(words(0, "127.0.0.1:0"));
    let address = garbler.listening_address().to_string();
    let evaluator = start(words(1, &address)).finish().exits(0);
    assert_eq!(evaluator.stdout, run[1].1);
    assert_eq!(garbler.finish().exits(0).stdout, run[1].1);
}
