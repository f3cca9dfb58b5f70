//! `bridge own-sheet`: the sheet with which one of two players deals the boards that both have
//! sealed.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use dealerless_bridge::sheets::{Dealer, HalfSheet, Page, own_sheet};
use dealerless_seat::run;
use dealerless_table::Seat;
use dealerless_table::log::Input;
use dealerless_table::play::{DealCircuit, Seating, role};
use serde::Serialize;

use crate::output::{lines, say, show_json};
use crate::table::open::{self, MatchFile};
use crate::table::{FolderArgs, Own};
use crate::whole_file;

/// Writes your sheet for dealing, by hand, the boards that you and the other player have sealed.
///
/// Each of you writes your own sheet, and nobody ever has both. For each board one of you puts the
/// cards of a sorted pack in their places, and the other deals the pack to the four hands. The
/// result is the sealed boards. After the play, open them and compare.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless host --game bridge --boards 24\n  \
    dealerless bridge own-sheet Bert -o evening\n\n\
    The match must not be running: first end its program with Ctrl-C, and open the boards with\n\
    `dealerless resume` after the play. See docs/bridge-boards.md in the repository for why a sheet\n\
    reveals nothing to its owner.")]
pub(crate) struct Args {
    /// The match: the beginning of its id, or the name of the other player [default: the only match
    /// with boards].
    #[arg(value_name = "MATCH")]
    which: Option<String>,
    /// The folder for the files; created if it does not exist.
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// The set of boards, if the match has several [default: the last].
    #[arg(long, value_name = "N")]
    set: Option<u32>,
    /// The number of the first board.
    #[arg(long, value_name = "NUMBER", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=9999))]
    first: u32,
    #[command(flatten)]
    folder: FolderArgs,
    /// Print a JSON object, which reveals nothing about the deals.
    #[arg(long)]
    json: bool,
}

/// The object of `--json`. It reveals nothing about the deals.
#[derive(Serialize)]
struct Report {
    dealer: u8,
    set: u32,
    boards: usize,
    first: u32,
    files: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let own = args.folder.own()?;
    let file = choose(&own, args.which.as_deref())?;
    let stakes = &file.opened.sitting.match_info.header().stakes;
    // After the result of a set, `hand` is the number of the next set, which may not exist.
    let due = file.opened.log.attempt().hand.min(stakes.hands());
    let set = args.set.unwrap_or(due);
    let sheets = sheets(&own, &file, set, args.first)?;
    let (dealer, name) = match file.seat() {
        Seat::HOST => (Dealer::One, "dealer-1"),
        _ => (Dealer::Two, "dealer-2"),
    };
    std::fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot create {}", args.output.display()))?;
    let pages = [(Page::Text, "txt"), (Page::Html, "html")];
    let pages = pages.map(|(page, ending)| (page, args.output.join(format!("{name}.{ending}"))));
    for (_, path) in &pages {
        ensure!(
            path.symlink_metadata().is_err(),
            "{} already exists: it may be for boards that are still to be played",
            path.display()
        );
    }
    let mut files = Vec::new();
    for (page, path) in pages {
        let text = own_sheet(page, dealer, &sheets).context("these are not sheets for bridge")?;
        whole_file::write_private(&path, text.as_bytes())?;
        files.push(path.display().to_string());
    }
    if args.json {
        let report = Report {
            dealer: 1 + file.seat().number(),
            set,
            boards: sheets.len(),
            first: args.first,
            files,
        };
        return show_json("bridge own-sheet", &report);
    }
    say(&lines(&format!(
        "Wrote your sheet of set {set}, {name}.txt and {name}.html, to {}. {} writes the other sheet. Nobody \
         may see both sheets before the boards are played.",
        args.output.display(),
        file.peer_names()
    )));
    Ok(())
}

/// The match with boards that `which` names, or without a name the only match with boards.
fn choose(own: &Own, which: Option<&str>) -> anyhow::Result<MatchFile> {
    let has_boards = |file: &MatchFile| {
        let stakes = &file.opened.sitting.match_info.header().stakes;
        stakes.boards().is_some()
    };
    let none = match which {
        Some(_) => "there is no match with boards of bridge by this name",
        None => "there is no match with boards of bridge; `dealerless history` lists all matches",
    };
    let several = "there are several matches with boards of bridge; name one";
    open::only_one(own, which.unwrap_or_default(), has_boards, none, several)
}

/// This player's half of the work for each board of the set.
fn sheets(own: &Own, file: &MatchFile, set: u32, first: u32) -> anyhow::Result<Vec<HalfSheet>> {
    let input = input(own, file, set)?;
    let seating = Seating::of_file(file.opened.sitting.clone())?;
    let DealCircuit::Boards(split) = &*seating.circuit else {
        bail!("this match was not played with boards of bridge");
    };
    let entries = split.entered(role(file.seat()), &input.bits);
    let entries = entries.context("your inputs are for other boards")?;
    let sheets = (first..).zip(&entries);
    let sheets = sheets.map(|(number, entry)| HalfSheet::entered(number, entry));
    sheets
        .collect::<Option<_>>()
        .context("your inputs are not for a pack of 52 cards")
}

/// This player's inputs for a set that both players have sealed: the inputs to which the player's
/// last deal of the set commits. The file may also contain inputs without a deal, because the
/// program was killed before it sent the deal.
fn input(own: &Own, file: &MatchFile, set: u32) -> anyhow::Result<Input> {
    let log = &file.opened.log;
    let due = log.attempt().hand;
    let sets = file.opened.sitting.match_info.header().stakes.hands();
    ensure!(
        (1..=sets).contains(&set),
        "there is no set {set}; the match has {sets}"
    );
    ensure!(
        set < due || (set == due && log.seal_hash().is_some()),
        "set {set} is not sealed yet, so its boards cannot be dealt"
    );
    let cannot =
        "your inputs no longer exist: they are destroyed after an audit, and after 30 days";
    let inputs = run::inputs(own, file)?.context(cannot)?;
    let deal = log
        .deals(file.seat())
        .into_iter()
        .rfind(|deal| deal.hand == set);
    let deal = deal.context("the record has no deal of this set")?;
    let is_dealt = |input: &Input| {
        let Input {
            attempt: of,
            bits,
            nonce,
        } = input;
        let dealt = deal.deck.sealed().map(|dealt| dealt.input);
        (of.hand, of.attempt) == (deal.hand, deal.attempt)
            && dealt == Some(of.input_commitment(file.seat(), bits, nonce))
    };
    inputs.into_iter().find(is_dealt).context(cannot)
}
