//! Help, exit codes, and arguments that are refused before any work.

#[cfg(target_os = "linux")]
use std::fs;
#[cfg(target_os = "linux")]
use std::process::Command;
use std::time::Duration;

#[cfg(target_os = "linux")]
use crate::common::PROGRAM;
use crate::common::processes::run;

#[test]
fn help_of_every_command_has_an_example() {
    for command in [
        "",
        "demo",
        "host",
        #[cfg(feature = "browser")]
        "table",
        "join",
        "history",
        "show",
        "verify",
        "peers",
        "config",
        "doctor",
        "relay",
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

#[cfg(feature = "browser")]
#[test]
fn browser_options_are_checked() {
    for line in [
        "host --browser --json",
        "host --no-open",
        "join somebody --browser --json",
        "resume --browser --list",
        "table --port 65536",
    ] {
        run(line).exits(1);
    }
}

#[test]
fn wrong_usage_exits_with_1_and_prints_nothing() {
    for line in [
        "",
        "deal",
        "demo --game bridge",
        "demo --game deck",
        "demo --hands 0",
        "demo --algorithm riffle",
        "demo --algorithm bubble-fair-bits",
        "demo --algorithm bitonic-48-bit-keys",
        "host --game deck --cards 1",
        "host --game deck --cards 5000",
        "host --game deck --cards 10 --draw 11",
        "host --game deck --draw 0",
        "host --timeout 0",
        "host --timeout NaN",
        "host --listen nowhere",
        "host --game draw --draw 5",
        "join",
        "join nobody-known",
        "join dealerless2-mistyped",
        "host --blinds 1",
        "host --blinds 2/1",
        "host --blinds 1/2 --ante 1/2",
        "host --hands 0",
        "host --stack 0",
        "host --game draw --cards 40",
        "peers forgive nobody",
        "host --json --timeout soon",
        "host --listen 5252",
        "relay --listen 4001",
        "relay --page no-such-folder --json",
        "relay --listen 127.0.0.1:0 --status 0.0.0.0:0",
        "relay --listen 127.0.0.1:0 --status 4002",
        "relay --allow-page page.example.org",
        "relay --allow-page https://page.example.org/",
        "relay --allow-page wss://page.example.org",
        "relay --max-rate 1023",
        "relay --max-rate 1k",
    ] {
        let finished = run(line).exits(1);
        if line.contains("--json") {
            // Only the error.
            assert_eq!(finished.stdout.lines().count(), 1, "{line}");
        } else {
            assert_eq!(finished.stdout, "", "{line}");
        }
        assert!(finished.stderr.len() > 20, "{line}: {finished:?}");
    }
}

#[test]
fn security_of_the_demo_is_malicious() {
    let caught = "Security: malicious.";
    assert!(run("demo").exits(0).stdout.contains(caught));
    run("demo --json").exits(0).says(caught);
}

#[test]
fn too_large_memory_needs_are_refused_at_once() {
    let refused = run("host --game deck --cards 2048").exits(1);
    assert!(refused.took < Duration::from_secs(10), "{refused:?}");
    assert_eq!(refused.stdout, "");
    refused
        .says("2,048 of 2,048 cards")
        .says("to allow more, use --memory");
}

#[cfg(target_os = "linux")]
#[test]
fn full_output_is_an_error() {
    for command in ["--version", "completions bash", "man"] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = Command::new(PROGRAM)
            .args(command.split(' '))
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{command}");
        let error = String::from_utf8(output.stderr).unwrap();
        let full = "cannot write to standard output: No space left";
        assert!(error.contains(full), "{command}: {error}");
    }
}
