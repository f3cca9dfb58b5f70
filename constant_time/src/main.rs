//! Shows that no branch and no address depends on a secret in garbling, oblivious transfer and
//! openings.
//!
//! The program runs itself under valgrind. All randomness of the parties is marked as undefined,
//! and valgrind follows whatever is made of it, bit by bit, and reports each conditional jump and
//! each address that depends on it. What is sent over the line is public and marked so. Every
//! report is one of the [`exceptions`], each with its reason, or a finding.

mod exceptions;
mod log;
mod memcheck;
mod poison;
mod workloads;

use std::process::{Command, ExitCode};

use exceptions::{EXCEPTIONS, Kind};
use log::Report;

/// What the program is called with under valgrind.
const WORKLOADS: &str = "--workloads";

/// As many frames of a finding as say where it is, those of the standard library aside.
const SHOWN_FRAMES: usize = 8;

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == WORKLOADS) {
        assert!(memcheck::is_watching(), "{WORKLOADS} runs under valgrind");
        workloads::all();
        return ExitCode::SUCCESS;
    }
    let this = std::env::current_exe().expect("this program has a path");
    let outcome = Command::new("valgrind")
        // Comparisons that are decided by defined bits are followed exactly.
        .args(["--tool=memcheck", "--expensive-definedness-checks=yes"])
        .args(["--error-limit=no", "--num-callers=60", "--fullpath-after="])
        .arg(this)
        .arg(WORKLOADS)
        .output()
        .expect("valgrind is installed");
    let log = String::from_utf8_lossy(&outcome.stderr);
    if !outcome.status.success() {
        println!(
            "{log}\nthe program under valgrind failed: {}",
            outcome.status
        );
        return ExitCode::FAILURE;
    }
    if judge(&log::parse(&log)) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Prints what was found where; whether all is as it must be.
fn judge(reports: &[Report]) -> bool {
    let mut missing = 0;
    for (kind, title) in [
        (
            Kind::Control,
            "Mistakes made on purpose, which must be found:",
        ),
        (
            Kind::Outcome,
            "Outcomes, which are public, and must be found:",
        ),
        (Kind::Public, "Other values that are public:"),
        (Kind::Known, "Not constant-time, as documented:"),
    ] {
        println!("{title}");
        for exception in EXCEPTIONS.iter().filter(|exception| exception.kind == kind) {
            let count = (reports.iter())
                .filter(|report| exception.covers(report))
                .count();
            println!("{count:>5}  {}: {}", exception.file, exception.why);
            if count == 0 && matches!(kind, Kind::Control | Kind::Outcome) {
                missing += 1;
            }
        }
    }
    let findings: Vec<&Report> = (reports.iter())
        .filter(|report| !EXCEPTIONS.iter().any(|exception| exception.covers(report)))
        .collect();
    for finding in &findings {
        println!("\nFINDING: {}", finding.what);
        let ours = (finding.frames.iter()).filter(|frame| !frame.file.starts_with("/rustc/"));
        for frame in ours.take(SHOWN_FRAMES) {
            println!("  {}:{}\n      {}", frame.file, frame.line, frame.text());
        }
    }
    println!(
        "\n{} reports: {} findings; {missing} of what must be found are missing",
        reports.len(),
        findings.len()
    );
    findings.is_empty() && missing == 0
}
