//! Checks that no branch and no address depends on a secret in garbling, oblivious transfer and
//! openings.
//!
//! The program runs itself under valgrind. All randomness of the parties is marked as undefined.
//! Valgrind tracks all values derived from undefined bits, bit by bit, and reports each conditional
//! jump and each address that depends on such a value. Data sent over the connection is public and
//! marked as defined. A report that none of the [`exceptions`] covers is a finding. Each exception
//! has its reason.

mod exceptions;
mod log;
mod memcheck;
mod poison;
mod workloads;

use std::process::{Command, ExitCode};

use exceptions::{EXCEPTIONS, Kind};
use log::Report;

/// The argument that makes the program run the workloads under valgrind.
const WORKLOADS: &str = "--workloads";

/// The maximum number of frames shown for a finding, not counting those of the standard library.
const SHOWN_FRAMES: usize = 8;

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == WORKLOADS) {
        assert!(
            memcheck::is_watching(),
            "{WORKLOADS} must run under valgrind"
        );
        workloads::all();
        return ExitCode::SUCCESS;
    }
    let this = std::env::current_exe().expect("the path of this program is unknown");
    let outcome = Command::new("valgrind")
        // With this option, a comparison that is decided by defined bits counts as defined.
        .args(["--tool=memcheck", "--expensive-definedness-checks=yes"])
        .args(["--error-limit=no", "--num-callers=60", "--fullpath-after="])
        .arg(this)
        .arg(WORKLOADS)
        .output()
        .expect("cannot run valgrind; is it installed?");
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

/// Prints all reports by exception. Returns whether the result is as expected.
fn judge(reports: &[Report]) -> bool {
    let mut missing = 0;
    for (kind, title) in [
        (
            Kind::Control,
            "Deliberate mistakes, which must be reported:",
        ),
        (
            Kind::Outcome,
            "Outcomes, which are public and must be reported:",
        ),
        (Kind::Public, "Other public values:"),
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
        "\n{} reports: {} findings; {missing} required reports are missing",
        reports.len(),
        findings.len()
    );
    findings.is_empty() && missing == 0
}
