//! `bridge boards`: the opened boards of a match, as a file of boards.

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use dealerless_bridge::formats::Format;
use dealerless_bridge::{Board, Card, Compass, Deal, Hand};
use dealerless_connection::hex;
use dealerless_seat::hands;
use dealerless_seat::records::words::{boards_are, boards_warning};
use dealerless_seat::words::counted;
use dealerless_table::record::{Record, RecordedHand};
use serde::Serialize;

use super::source::Folder;
use crate::output::{count, say, show_json};
use crate::table::FolderArgs;
use crate::whole_file;

/// Writes the opened boards of a match as PBN.
///
/// These are the boards with at least three known hands: hands that are open to all and, if the
/// record is yours, hands that were opened to you.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless bridge boards 3f2a9c0d -o set.pbn\n  \
    dealerless bridge boards set.log --public > set.pbn\n\n\
    `dealerless verify` shows who dealt the set, and `dealerless bridge convert` converts it\n\
    to other formats.")]
pub(crate) struct Args {
    /// The file of a match, the beginning of its id, or the name of the other player.
    #[arg(value_name = "FILE|MATCH")]
    which: String,
    #[command(flatten)]
    folder: FolderArgs,
    /// The file to write [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Use only hands that are open to all.
    #[arg(long)]
    public: bool,
    /// The set of boards, if the match has several.
    #[arg(long, value_name = "N")]
    set: Option<u32>,
    /// The number of the first board.
    #[arg(long, value_name = "NUMBER", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=9999))]
    first: u32,
    /// Print one JSON object instead of PBN; everything else goes to standard error.
    #[arg(long, conflicts_with = "output")]
    json: bool,
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report {
    #[serde(rename = "match")]
    of: String,
    set: u32,
    seal: Option<String>,
    boards: Vec<Open>,
    closed: usize,
}

/// An open board.
#[derive(Serialize)]
struct Open {
    board: u32,
    deal: String,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let output = args.output.as_deref();
    whole_file::check_output(output, &["pbn"], &[Path::new(&args.which)])?;
    let (record, _) = Folder::open(&args.folder)?.record(&args.which)?;
    let set = set_of(&record, args.set)?;
    let number = record
        .log
        .match_info()
        .header()
        .stakes
        .boards()
        .unwrap_or_default();
    let (mut boards, mut closed) = (Vec::new(), 0);
    for board in 1..=number {
        let known = |position| {
            if args.public {
                set.public.get(&position).copied()
            } else {
                set.card(position)
            }
        };
        match deal(board as usize, known) {
            Some(deal) => boards.push(Board {
                number: args.first + board - 1,
                deal,
            }),
            None => closed += 1,
        }
    }
    ensure!(
        !boards.is_empty(),
        "no board of this set is open; `dealerless resume` continues a match"
    );
    let warning = boards_warning(&record, set);
    warning.iter().for_each(|text| say(text));
    if args.json {
        let open = |board: &Board| Open {
            board: board.number,
            deal: board.deal.to_string(),
        };
        let report = Report {
            of: hex(record.log.match_info().id().as_bytes()),
            set: set.begun.hand,
            seal: set.seal.map(|seal| hex(&seal)),
            boards: boards.iter().map(open).collect(),
            closed,
        };
        return show_json("bridge boards", &report);
    }
    let bytes = Format::Pbn.write(&boards)?;
    let written = whole_file::write_output(output, |file| file.write_all(&bytes))?;
    let opened = counted(boards.len() as u64, "board");
    let closed = match closed {
        0 => String::new(),
        closed => format!(" {} not open.", boards_are(closed)),
    };
    say(&match written {
        Some(path) => format!("Wrote {opened} to {}.{closed}", path.display()),
        None => format!("{opened}.{closed}"),
    });
    Ok(())
}

/// The set with this number, or without a number the only set.
fn set_of(record: &Record, number: Option<u32>) -> anyhow::Result<&RecordedHand> {
    ensure!(
        record.log.match_info().header().stakes.boards().is_some(),
        "this match was not played with boards of bridge: see `dealerless show`"
    );
    let sets = &record.hands;
    let wanted = |set: &&RecordedHand| number.is_none_or(|number| set.begun.hand == number);
    let mut found = sets.iter().filter(wanted);
    match (found.next(), found.next()) {
        (Some(set), None) => Ok(set),
        (Some(_), Some(_)) => bail!(
            "the match has {} sets; name one with --set",
            count(sets.len() as u64)
        ),
        (None, _) => bail!(
            "there is no such set; the match has {}",
            count(sets.len() as u64)
        ),
    }
}

/// The deal of a board, counted from 1, if at least three of its hands are known.
fn deal(board: usize, known: impl Fn(usize) -> Option<dealerless::deck::Card>) -> Option<Deal> {
    let hands: [Option<Hand>; 4] =
        Compass::ALL.map(|seat| known(hands::position(board, seat)).map(Hand::of_set));
    let missing = Compass::ALL
        .into_iter()
        .filter(|&seat| hands[seat as usize].is_none());
    let missing: Vec<Compass> = missing.collect();
    let rest = match missing[..] {
        [] => Compass::North,
        [seat] => seat,
        _ => return None,
    };
    let holds =
        |card: Card, seat: Compass| hands[seat as usize].is_some_and(|hand| hand.holds(card));
    let owner = |card: Card| {
        let mut seats = Compass::ALL.into_iter();
        seats.find(|&seat| holds(card, seat)).unwrap_or(rest)
    };
    let mut owners = [Compass::North; 52];
    for card in Card::all() {
        owners[card.number()] = owner(card);
    }
    Deal::new(owners).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_hands_determine_a_board() {
        let deal: Deal = "N:J2.AQ.A7652.J543 QT87.T8.KJ843.A2 6543.J42.Q9.QT76 AK9.K97653.T.K98"
            .parse()
            .unwrap();
        let hands = Compass::ALL.map(|seat| deal.hand(seat).as_set());
        for (known, expected) in [
            (0b11, None),
            (0b111, Some(deal)),
            (0b1101, Some(deal)),
            (0b1111, Some(deal)),
        ] {
            let at = |position: usize| {
                let of_board = position
                    .checked_sub(4)
                    .filter(|seat| known >> seat & 1 == 1);
                of_board.and_then(|seat| hands.get(seat).copied())
            };
            assert_eq!(super::deal(2, at), expected);
            assert_eq!(super::deal(1, at), None);
            assert_eq!(super::deal(3, at), None);
        }
    }
}
