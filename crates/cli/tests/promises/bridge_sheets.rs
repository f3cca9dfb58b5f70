//! The promise: `bridge sheets` writes the sheets for two dealers, the players and the record,
//! prints nothing about the deals, and overwrites nothing.

use crate::common;

use std::fs;
use std::path::Path;

use common::processes::{Finished, start};

const DEAL: &str = "N:J2.AQ.A7652.J543 QT87.T8.KJ843.A2 6543.J42.Q9.QT76 AK9.K97653.T.K98";

fn sheets(args: &str, folder: &Path) -> Finished {
    let line = format!("bridge sheets {args} -o {}", folder.display());
    start(line.split_whitespace()).finish()
}

#[test]
fn eight_files_are_written_and_no_deal_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let deals = folder.path().join("deals.txt");
    fs::write(&deals, format!("{DEAL}\n{DEAL}\n")).unwrap();
    let output = folder.path().join("evening");
    let args = format!("--deals {} --first 25", deals.display());
    let finished = sheets(&args, &output).exits(0);
    assert_eq!(finished.stdout, "");
    assert!(!finished.stderr.contains("J2.AQ"), "{}", finished.stderr);
    let mut names: Vec<String> = fs::read_dir(&output)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected = ["curtain-cards", "dealer-1", "dealer-2", "records"];
    let expected = expected.map(|name| [format!("{name}.html"), format!("{name}.txt")]);
    assert_eq!(names, expected.as_flattened());
    let record = fs::read_to_string(output.join("records.txt")).unwrap();
    assert!(record.starts_with("Board 25. North deals. East-West vulnerable.\n"));
    assert!(record.contains("Board 26. East deals."));
    let again = sheets(&args, &output).exits(1);
    assert!(again.stderr.contains("already exists"), "{}", again.stderr);
}

#[test]
fn list_with_an_invalid_deal_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let deals = folder.path().join("deals.txt");
    fs::write(&deals, format!("{DEAL}\n{}\n", DEAL.replace("J2", "J"))).unwrap();
    let output = folder.path().join("evening");
    let finished = sheets(&format!("--deals {}", deals.display()), &output).exits(1);
    assert!(
        finished.stderr.contains("line 2: N has 12 cards, not 13"),
        "{}",
        finished.stderr
    );
    assert!(!output.exists());
}

#[test]
fn leakage_study_is_reproducible() {
    let line = "bridge leakage --samples 2000 --scheme published,thirteen";
    let run = || start(line.split_whitespace()).finish().exits(0).stdout;
    let printed = run();
    assert!(
        printed.contains("published") && printed.contains("thirteen"),
        "{printed}"
    );
    assert!(
        printed.lines().all(|line| line.chars().count() <= 80),
        "{printed}"
    );
    assert_eq!(printed, run());
    let csv = start(format!("{line} --csv -").split_whitespace())
        .finish()
        .exits(0);
    assert_eq!(csv.stdout.lines().count(), 1 + 2 * (4 * 52 + 1326));
    let latex = start(format!("{line} --latex").split_whitespace())
        .finish()
        .exits(0);
    let row = "  by chance & 25.00 & 1.92 & 25.00 & 7.69 & 23.53 \\\\\n";
    assert!(latex.stdout.contains(row), "{}", latex.stdout);
    assert_eq!(latex.stdout.lines().count(), 5 + 3 + 2);
}

#[test]
fn leakage_picture_is_labelled() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("leaks.svg");
    let line = "bridge leakage --samples 2000 --scheme published,thirteen --picture";
    let printed = start(line.split_whitespace().chain([path.to_str().unwrap()]))
        .finish()
        .exits(0);
    assert!(printed.stdout.contains("by chance"), "{}", printed.stdout);
    let svg = fs::read_to_string(&path).unwrap();
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    let texts: Vec<&str> = svg.lines().filter(|line| !line.starts_with('<')).collect();
    for text in [
        "published, 104",
        "thirteen, 156",
        "who has a card",
        "two of one suit",
        "published",
        "thirteen",
    ] {
        assert!(texts.contains(&text), "{text} of {texts:?}");
    }
    // One disc for each scheme and question.
    assert_eq!(svg.matches("<circle").count(), 2 * 5);
    assert!(svg.contains("2,000 boards of each scheme"));
}

#[test]
fn standard_output_takes_only_one_format() {
    for both in [
        "--csv - --json",
        "--csv - --latex",
        "--picture - --json",
        "--csv - --picture -",
    ] {
        let line = format!("bridge leakage --samples 1000 --scheme cut {both}");
        let finished = start(line.split_whitespace()).finish().exits(1);
        assert!(
            !finished.stdout.contains("scheme,samples"),
            "{}",
            finished.stdout
        );
        let error = "can use standard output";
        assert!(finished.stderr.contains(error), "{}", finished.stderr);
    }
}
