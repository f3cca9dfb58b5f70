//! The promise: the pages in `docs/` are correct. Their links work, the commands on the pages about
//! circuits print the output shown, and the tables there have the figures of the program.

use crate::common;

use std::fs;
use std::path::{Path, PathBuf};

use dealerless::circuit::Party;
use dealerless::shuffle::split::{Split, SplitCircuit};
use dealerless::shuffle::{Algorithm, Computed};
use dealerless_bridge::formats::Format;
use dealerless_seat::game_name::GameName;

use common::processes::start_in;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The pages in a folder and its subfolders.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    found
}

/// All pages.
fn all_pages() -> Vec<PathBuf> {
    let root = Path::new(ROOT);
    let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
    let top = top.map(|name| root.join(name));
    [top.to_vec(), pages(&root.join("docs"))].concat()
}

/// The pages about circuits, without the one whose commands the module `verilog` runs.
fn pages_of_circuits() -> Vec<PathBuf> {
    let folder = Path::new(ROOT).join("docs/circuits");
    let mut found = pages(&folder);
    found.retain(|page| !page.ends_with("aiger.md"));
    found.push(folder.with_extension("md"));
    found
}

/// The page without its code blocks.
fn prose(page: &str) -> String {
    page.split("```").step_by(2).collect()
}

/// The targets of the links and pictures.
fn links(page: &str) -> Vec<String> {
    let page = prose(page).replace('\n', "");
    let targets = page.split("](").skip(1);
    targets
        .map(|rest| rest.split(')').next().expect("a target").to_owned())
        .collect()
}

/// The anchors of the headings.
fn anchors(page: &str) -> Vec<String> {
    let page = prose(page);
    let headings = page.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|heading| {
            let kept = heading.trim_start_matches('#').trim().to_lowercase();
            kept.chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect()
        })
        .collect()
}

#[test]
fn every_link_target_exists() {
    let mut checked = 0;
    for page in all_pages() {
        for link in links(&read(&page)) {
            if link.starts_with("http") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => page.clone(),
                file => page.parent().expect("a folder").join(file),
            };
            let place = format!("{}: {link}", page.display());
            assert!(target.exists(), "{place}");
            if !anchor.is_empty() {
                let anchors = anchors(&read(&target));
                assert!(anchors.iter().any(|other| other == anchor), "{place}");
            }
            checked += 1;
        }
    }
    assert!(checked > 30, "{checked} links");
}

/// The commands of a page that are shown with their output, or that write a netlist for later ones.
fn shown(page: &str) -> Vec<(String, String)> {
    let mut shown = Vec::new();
    for block in page.split("```console\n").skip(1) {
        let block = block.split("```").next().expect("the end of a block");
        for command in block.split("$ dealerless ").skip(1) {
            let (line, output) = command.split_once('\n').expect("a line");
            let writes = line.starts_with("circuit export") && line.contains(" -o ");
            if writes || !output.trim().is_empty() {
                shown.push((line.to_owned(), output.trim_end().to_owned()));
            }
        }
    }
    shown
}

#[test]
fn commands_on_the_circuit_pages_print_the_output_shown() {
    let mut proofs = 0;
    let folder = tempfile::tempdir().expect("a folder");
    for page in pages_of_circuits() {
        // The netlists that a page shows begin with their name in a comment.
        for block in read(&page).split("```text\n# ").skip(1) {
            let (netlist, _) = block.split_once("```").expect("the end of a block");
            let (name, _) = netlist.split_once(':').expect("a name");
            fs::write(folder.path().join(name), format!("# {netlist}")).expect("written");
        }
        for (line, output) in shown(&read(&page)) {
            let finished = start_in(folder.path(), line.split_whitespace()).finish();
            let printed: Vec<&str> = finished
                .stdout
                .trim_end()
                .lines()
                .map(str::trim_end)
                .collect();
            assert_eq!(printed.join("\n"), output, "{}: {line}", page.display());
            proofs += usize::from(line.starts_with("circuit prove"));
        }
    }
    assert!(proofs >= 10, "{proofs} proofs");
}

/// The cells of each table row on a page. Rows whose first cell fails the filter are left out.
fn rows(page: &str, first: impl Fn(&str) -> bool) -> Vec<Vec<String>> {
    let page = read(&Path::new(ROOT).join("docs").join(page));
    let cells = |line: &str| -> Vec<String> {
        line.split('|')
            .skip(1)
            .map(|cell| cell.trim().to_owned())
            .collect()
    };
    let rows = page
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(cells);
    rows.filter(|row| first(&row[0])).collect()
}

/// The number in a cell, from its digits.
fn number(cell: &str) -> usize {
    let digits: String = cell.chars().filter(char::is_ascii_digit).collect();
    digits
        .parse()
        .unwrap_or_else(|_| panic!("not a number: {cell:?}"))
}

/// The computed sizes of a shuffle.
fn computed(cards: usize, draw: usize, algorithm: Algorithm) -> Computed {
    let computed = Computed::of(cards, draw, algorithm).expect("within bounds");
    assert!(computed.exact, "{algorithm} {draw} of {cards}");
    computed
}

/// Asserts the figures for 52 cards in the first row whose first cell has this prefix.
fn assert_row(page: &str, begins: &str, count: impl Fn(usize) -> usize) {
    const DRAWS: [usize; 5] = [5, 9, 20, 26, 52];
    let rows = rows(page, |first| first.starts_with(begins));
    let row = rows.first().unwrap_or_else(|| panic!("{page}: {begins}"));
    let found: Vec<usize> = row[1..=5].iter().map(|cell| number(cell)).collect();
    assert_eq!(found, DRAWS.map(count), "{page}: {begins}");
}

#[test]
fn tables_of_the_circuit_page_match_the_program() {
    let page = "circuits.md";
    for algorithm in Algorithm::ALL {
        let joint = |draw| computed(52, draw, algorithm).joint_and;
        assert_row(page, &format!("`{algorithm}`"), joint);
    }
    for algorithm in [Algorithm::Bitonic, Algorithm::OddEven, Algorithm::Waksman] {
        let garblers = |draw| computed(52, draw, algorithm).owned_and.garbler;
        assert_row(page, &format!("garbler's copy of `{algorithm}`"), garblers);
    }
    let check = |draw| computed(52, draw, Algorithm::Cut).owned_and;
    let row = |party| format!("check of the seeds for the first four, the {party}'s");
    assert_row(page, &row("garbler"), |draw| check(draw).garbler);
    assert_row(page, &row("evaluator"), |draw| check(draw).evaluator);
    let both = |draw| check(draw).garbler + check(draw).evaluator;
    assert_row("circuits/range-checks.md", "check of the seeds", both);
}

#[test]
fn factors_of_the_bitonic_network_match_the_program() {
    const BITONIC: Algorithm = Algorithm::Bitonic;
    const DRAWS: [usize; 3] = [9, 20, 52];
    let others = Algorithm::ALL.into_iter().filter(|a| *a != BITONIC);
    for other in others.clone() {
        let begins = format!("bitonic / `{other}`");
        let rows = rows("circuits.md", |first| first == begins);
        let counts = |draw| [BITONIC, other].map(|a| computed(52, draw, a));
        let joint = DRAWS.map(|draw| counts(draw).map(|counts| counts.joint_and));
        let all = DRAWS.map(|draw| counts(draw).map(|counts| counts.and));
        let factors = joint.into_iter().chain(all);
        let factors = factors.map(|[ours, theirs]| format!("{:.2}", ours as f64 / theirs as f64));
        assert_eq!(rows[0][1..=6], factors.collect::<Vec<_>>(), "{other}");
    }
    // For each other shuffle, in the order of the page: the smallest draw from which the bitonic
    // network stays below it.
    let from = |count: fn(&Computed) -> usize, other| {
        let below = |draw: &usize| {
            let [ours, theirs] = [BITONIC, other].map(|a| count(&computed(52, *draw, a)));
            ours < theirs
        };
        let first = (1..=52).find(below);
        assert!((first.unwrap_or(53)..=52).all(|draw| below(&draw)));
        first
    };
    let additive = [
        Algorithm::Bubble,
        Algorithm::FisherYates,
        Algorithm::Lehmer,
        Algorithm::Cut,
    ];
    for (count, expected) in [
        (
            (|counts| counts.joint_and) as fn(&Computed) -> usize,
            [5, 15, 17, 19],
        ),
        (|counts| counts.and, [15, 25, 31, 33]),
    ] {
        assert_eq!(additive.map(|other| from(count, other)), expected.map(Some));
        for network in [Algorithm::OddEven, Algorithm::Waksman] {
            let counts = |draw| [BITONIC, network].map(|a| count(&computed(52, draw, a)));
            assert!((2..=52).map(counts).all(|[ours, theirs]| ours > theirs));
        }
    }
    let page = read(&Path::new(ROOT).join("docs/circuits.md")).replace('\n', " ");
    assert!(page.contains(
        "`bubble` from 5 draws on, than `fisher-yates` from 15, than `lehmer` from 17, and than `cut` from 19."
    ));
    assert!(page.contains("these numbers are 15, 25, 31 and 33."));
}

/// The entries of the bibliography, each from its heading to the next.
fn bibliography() -> Vec<String> {
    let page = read(&Path::new(ROOT).join("docs/bibliography.md"));
    page.split("\n### ").skip(1).map(str::to_owned).collect()
}

/// The documentation, and the comments of the source files below a folder.
fn texts(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        if path.is_dir() {
            if !matches!(&*name, "target" | ".git" | "node_modules") {
                texts(&path, found);
            }
        } else if name.ends_with(".rs") {
            let text = read(&path);
            let comments = text.lines().filter_map(|line| {
                let comment = line.trim_start().strip_prefix("//")?;
                Some(comment.trim_start_matches(['/', '!']))
            });
            found.push((path.clone(), comments.collect::<Vec<_>>().join(" ")));
        } else if name.ends_with(".md") && folder.starts_with(Path::new(ROOT).join("docs")) {
            found.push((path.clone(), read(&path)));
        }
    }
}

#[test]
fn citation_file_has_the_version_and_the_licences() {
    let file = read(&Path::new(ROOT).join("CITATION.cff"));
    let version = format!("\nversion: {}\n", env!("CARGO_PKG_VERSION"));
    assert!(file.contains(&version), "{file}");
    let licences = env!("CARGO_PKG_LICENSE").split(" OR ");
    let listed: String = licences.map(|licence| format!("  - {licence}\n")).collect();
    assert!(file.contains(&format!("\nlicense:\n{listed}")), "{file}");
}

/// A citation ends with a name or a venue and a year, such as `Roy 2022` or `(CRYPTO 2022)`.
#[test]
fn every_citation_is_in_the_bibliography() {
    let entries = bibliography();
    let mut sources = Vec::new();
    texts(Path::new(ROOT), &mut sources);
    let mut citations = 0;
    for (path, text) in &sources {
        let trimmed = |word: &str| -> String {
            let (text, _link) = word.split_once("](").unwrap_or((word, ""));
            text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
        };
        let words: Vec<String> = text.split_whitespace().map(trimmed).collect();
        for pair in words.windows(2) {
            let [name, number] = [&pair[0], &pair[1]];
            let is_year = number
                .parse()
                .is_ok_and(|year| (1900..2026).contains(&year));
            let found = if name == "RFC" && number.parse::<u32>().is_ok() {
                let whole = format!("RFC {number}]");
                entries.iter().any(|entry| entry.contains(&whole))
            } else if is_year && name.starts_with(char::is_uppercase) {
                let has = |entry: &&String| entry.contains(name) && entry.contains(number);
                entries.iter().any(|entry| has(&entry))
            } else {
                continue;
            };
            assert!(found, "{name} {number} in {}", path.display());
            citations += 1;
        }
    }
    assert!(citations > 60, "{citations} citations");
}

#[test]
fn and_counts_of_a_split_match_the_program() {
    let [one, four] = [1, 4].map(|boards| {
        let circuit = SplitCircuit::build(Split::new(13, boards).expect("within bounds"));
        let structure = circuit.circuit().structure(Some(&Party::BOTH));
        structure.ands_by_owner.expect("the owners are known")
    });
    let split = &rows("circuits.md", |first| first == "**a split**")[0];
    let numbers = |cell: &str| -> Vec<usize> {
        let words = cell.split(|c: char| !c.is_ascii_digit());
        words.filter_map(|word| word.parse().ok()).collect()
    };
    assert_eq!(numbers(&split[1])[0], one.joint);
    assert_eq!(numbers(&split[2]), [one.evaluator, four.evaluator]);
    assert_eq!((one.garbler, four.garbler), (0, four.evaluator));
}

#[test]
fn table_of_crossing_points_matches_the_program() {
    let is_number = |cell: &str| cell.starts_with(|c: char| c.is_ascii_digit());
    let rows = rows("circuits/crossings.md", is_number);
    assert_eq!(rows.last().map(|row| number(&row[0])), Some(4096));
    let additive = [
        Algorithm::FisherYates,
        Algorithm::Bubble,
        Algorithm::Lehmer,
        Algorithm::Cut,
    ];
    for row in &rows {
        let n = number(&row[0]);
        for (cell, algorithm) in row[1..].iter().zip(additive) {
            let m = number(cell);
            let joint = |m, algorithm| computed(n, m, algorithm).joint_and;
            let waksman_is_cheaper = |m| joint(m, Algorithm::Waksman) < joint(m, algorithm);
            assert!(waksman_is_cheaper(m), "{algorithm} {m} of {n}");
            assert!(!waksman_is_cheaper(m - 1), "{algorithm} {} of {n}", m - 1);
            if algorithm == Algorithm::Cut {
                let there = [Algorithm::Cut, Algorithm::Waksman].map(|a| joint(m, a));
                let shown: Vec<usize> = row[5].split(", ").map(number).collect();
                assert_eq!(shown, there, "{n}");
            }
        }
        let estimate = (0.7 * n as f64 * (n as f64).log2()).sqrt().round();
        assert_eq!(number(&row[6]), estimate as usize, "{n}");
    }
}

/// The text between two markers in a file of the web page.
fn part(file: &str, from: &str, to: &str) -> String {
    let text = read(&Path::new(ROOT).join("crates/cli/page").join(file));
    let (_, rest) = text.split_once(from).expect("the start marker");
    let (part, _) = rest.split_once(to).expect("the end marker");
    part.to_owned()
}

#[test]
fn web_page_lists_the_games_of_the_program() {
    let names = GameName::ALL.map(GameName::as_str);
    let keys = |object: String| -> Vec<String> {
        let lines = object.lines().filter_map(|line| line.split_once(": "));
        lines
            .map(|(key, _)| key.trim().trim_matches('"').to_owned())
            .collect()
    };
    assert_eq!(
        keys(part("lobby.js", "select(\"host-game\", {", "});")),
        names
    );
    let union = part("protocol.js", "@property {\"holdem\"", "} game\n");
    let quoted = format!("\"holdem\"{union}");
    let named: Vec<&str> = quoted
        .split(" | ")
        .map(|name| name.trim_matches('"'))
        .collect();
    assert_eq!(named, names);
}

#[test]
fn tables_of_board_formats_match_the_program() {
    let all = rows("bridge-files.md", |_| true);
    let formats = all.iter().filter(|row| row[1].starts_with("`."));
    let listed: Vec<[&str; 4]> = formats
        .map(|row| {
            let numbers = if row[3] == "no" { "no" } else { "yes" };
            [&row[0], &row[1], &row[2], numbers]
        })
        .collect();
    let yes_or_no = |value: bool| if value { "yes" } else { "no" };
    let expected = Format::ALL.iter().map(|format| {
        let [name, ending] = [
            format!("`{}`", format.name()),
            format!("`.{}`", format.suffix()),
        ];
        let [read, numbers] = [format.is_readable(), format.holds_numbers()].map(yes_or_no);
        [name, ending, read.to_owned(), numbers.to_owned()]
    });
    assert_eq!(listed, expected.collect::<Vec<_>>());
    let formats = Format::ALL.iter().filter(|format| !format.is_readable());
    let only_written: Vec<String> = formats.map(|format| format.name().to_uppercase()).collect();
    let described = all.iter().map(|row| &row[0]);
    let described: Vec<&String> = described
        .filter(|name| only_written.contains(name))
        .collect();
    assert_eq!(described, only_written.iter().collect::<Vec<_>>());
}
