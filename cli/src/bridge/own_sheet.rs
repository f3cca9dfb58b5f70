//! `bridge own-sheet`: the sheet by which one of two players deals the boards that both have sealed.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use dealerless::bridge::sheets::{Dealer, HalfSheet, Page, own_sheet};
use dealerless_table::{DealCircuit, DiskStorage, Input, Inputs, Seat, Seating, role};
use serde::Serialize;

use crate::output::{lines, say, show_json};
use crate::table::open::{self, MatchFile, inputs_file};
use crate::table::{Own, OwnArgs};
use crate::whole_file;

/// Writes your sheet for dealing, by hand, the boards that you and the other player have sealed.
///
/// Each of the two writes its own, and nobody ever has both. For each board one of you brings the cards of a
/// sorted pack to their places, and the other deals the pack to the four hands. What comes out are the
/// sealed boards. After the play open them, and compare.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless host --game bridge --boards 24\n  \
    dealerless bridge own-sheet Bert -o evening\n\n\
    The match must not be running: Ctrl-C ends the program, and `dealerless resume` opens the\n\
    boards after the play. docs/bridge.md of the repository says why a sheet tells nothing.")]
pub(crate) struct Args {
    /// The match: the beginning of its id, or the name of the other player.
    #[arg(value_name = "MATCH", default_value = "")]
    which: String,
    /// The folder for the files; it is made if it is not there.
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Which set of boards, if the match has several [default: the last].
    #[arg(long, value_name = "N")]
    set: Option<u32>,
    /// The number of the first board.
    #[arg(long, value_name = "NUMBER", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=9999))]
    first: u32,
    #[command(flatten)]
    own: OwnArgs,
}

/// The object of `--json`. Nothing in it tells anything of the deals.
#[derive(Serialize)]
struct Report {
    dealer: u8,
    boards: usize,
    first: u32,
    files: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let own = args.own.open()?;
    let file = choose(&own, &args.which)?;
    let sheets = sheets(&own, &file, args)?;
    let (dealer, name) = match file.seat() {
        Seat::HOST => (Dealer::One, "dealer-1"),
        _ => (Dealer::Two, "dealer-2"),
    };
    std::fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot make {}", args.output.display()))?;
    let mut files = Vec::new();
    for (page, ending) in [(Page::Text, "txt"), (Page::Html, "html")] {
        let text = own_sheet(page, dealer, &sheets).context("these are no sheets for bridge")?;
        let path = args.output.join(format!("{name}.{ending}"));
        ensure!(
            !path.exists(),
            "{} is there already: these may be boards that are still to be played",
            path.display()
        );
        whole_file::write(&path, |file| file.write_all(text.as_bytes()))?;
        files.push(path.display().to_string());
    }
    if args.own.json {
        let report = Report {
            dealer: 1 + file.seat().number(),
            boards: sheets.len(),
            first: args.first,
            files,
        };
        return show_json("bridge own-sheet", &report);
    }
    say(&lines(&format!(
        "Wrote your sheet, {name}.txt and {name}.html, into {}. {} writes the other one. Nobody may see both \
         before the boards are played.",
        args.output.display(),
        file.peer_name()
    )));
    Ok(())
}

/// The match with boards that is named, or the only one.
fn choose(own: &Own, which: &str) -> anyhow::Result<MatchFile> {
    let has_boards = |file: &MatchFile| {
        let stakes = &file.opened.sitting.of.header().stakes;
        stakes.boards().is_some()
    };
    let mut found = open::called(own, which, has_boards)?;
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => bail!("there is no match with boards of bridge that is called so"),
        _ => {
            say(&found
                .iter()
                .map(MatchFile::line)
                .collect::<Vec<_>>()
                .join("\n"));
            bail!("there are several matches with boards of bridge: say which")
        }
    }
}

/// What this player does for each board of the set.
fn sheets(own: &Own, file: &MatchFile, args: &Args) -> anyhow::Result<Vec<HalfSheet>> {
    let input = input(own, file, args.set)?;
    let seating = Seating::of_file(file.opened.sitting.clone())?;
    let DealCircuit::Boards(split) = &*seating.circuit else {
        bail!("this match was not played with boards of bridge");
    };
    let entries = split.entered(role(file.seat()), &input.bits);
    let entries = entries.context("what you entered was for other boards")?;
    let sheets = (args.first..).zip(&entries);
    let sheets = sheets.map(|(number, entry)| HalfSheet::entered(number, entry));
    sheets
        .collect::<Option<_>>()
        .context("what you entered was for no pack of 52 cards")
}

/// What this player has entered for the set, in the try that was sealed.
fn input(own: &Own, file: &MatchFile, set: Option<u32>) -> anyhow::Result<Input> {
    let log = &file.opened.log;
    let sealed = log.seal_hash().is_some();
    let last = log.attempt();
    // Behind the result of a set, the next one is due.
    let set = set.unwrap_or(match sealed {
        true => last.hand,
        false => last.hand.saturating_sub(1),
    });
    ensure!(
        set > 0 && (set < last.hand || sealed),
        "these boards are not sealed: nobody can deal them yet"
    );
    let path = inputs_file(&file.path);
    let cannot = "what you entered is gone: it is destroyed after an audit, and after 30 days";
    ensure!(path.exists(), cannot);
    let storage = DiskStorage::open(&path).context("cannot open what you entered")?;
    let inputs = Inputs::open(storage, own.home.identity().file_key(), file.of());
    let inputs = inputs.context("cannot read what you entered")?.inputs;
    last_try(inputs, set).context(cannot)
}

/// What was entered in the last try of a set: those that were void came before it.
fn last_try(inputs: Vec<Input>, set: u32) -> Option<Input> {
    let of_set = inputs.into_iter().filter(|input| input.of.hand == set);
    of_set.max_by_key(|input| input.of.attempt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dealerless_table::Attempt;

    #[test]
    fn a_set_is_dealt_from_what_was_entered_in_its_last_try() {
        let tries = [(1, 0), (2, 0), (2, 2), (2, 1), (3, 0)];
        let inputs = tries.map(|(hand, attempt)| Input {
            of: Attempt {
                of: [0; 32],
                hand,
                attempt,
            },
            bits: Vec::new().into(),
            nonce: [0; 32].into(),
        });
        let last = |set| {
            let last = last_try(inputs.to_vec(), set);
            last.map(|input| input.of.attempt)
        };
        assert_eq!([1, 2, 3, 4].map(last), [Some(0), Some(2), Some(0), None]);
    }
}
