//! `verify`: replays the record of a match, and compares the records of several sides.

use std::path::PathBuf;

use dealerless::shuffle::split::Split;
use dealerless_table::log::Evidence;
use dealerless_table::record::{BadRecord, Compared, Record, RecordedHand, compare};
use dealerless_table::{Seat, hex};

use super::boards;
use super::decks::Decks;
use super::json::{self, Verified};
use super::source::{path_of, read};
use super::words::{self, Who};
use crate::counted::counted;
use crate::failure::AnswerIsNo;
use crate::output::{count, show, show_json};
use crate::table::FolderArgs;

/// Replays the record of a match: every signature, card, choice and result.
///
/// This needs no keys, so anybody can settle an argument with the file of either side. A valid
/// record proves who signed what in which order, that each opened card is the one that was sealed,
/// and that the chips add up. It does not prove that a shuffle took place, who lied when an opening
/// is disputed, or who interrupted an open match. The record of more than two players also proves
/// that each of them shuffled, and opened the right cards.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless verify match.log\n  \
    dealerless verify Bert\n  \
    dealerless verify mine.log theirs.log\n  \
    dealerless verify mine.log --audit mine.audit\n\n\
    Exit codes: 0 everything is valid and agrees, 1 a file cannot be read, 4 a file was changed,\n\
    the two files do not agree, or a file shows that somebody broke the rules.")]
pub(crate) struct Args {
    /// The file of one side, or the id of one of your own matches, or the name of a player for your
    /// latest match with that player. With several files of one match, also checks that all of them
    /// agree.
    #[arg(value_name = "FILE|MATCH", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    folder: FolderArgs,
    /// Recompute every deck from the inputs that both players opened in an audit.
    #[arg(long, value_name = "AUDIT")]
    audit: Option<PathBuf>,
    /// Show the result of each hand.
    #[arg(long, short)]
    verbose: bool,
    /// Print one JSON object; everything else goes to standard error.
    #[arg(long)]
    json: bool,
}

/// A file and its record.
pub(super) struct Read {
    pub(super) file: String,
    pub(super) record: Result<Record, BadRecord>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let mut files = Vec::new();
    for given in &args.files {
        let path = path_of(given, &args.folder)?;
        let bytes = read(&path)?;
        files.push(Read {
            file: path.display().to_string(),
            record: Record::read(&bytes, None),
        });
    }
    let compared = compared(&files);
    let decks = match (&args.audit, &files[0].record) {
        (Some(path), Ok(record)) => Some(Decks::of_file(record, path)?),
        _ => None,
    };
    if args.json {
        let verified = Verified::of(&files, compared.as_ref());
        show_json("verify", &verified.with(decks.as_ref()))?;
    } else {
        show(&report(&files, compared.as_ref(), args.verbose))?;
        if let Some(decks) = &decks {
            show(&format!("\n{decks}"))?;
        }
    }
    outcome(&files, compared.as_ref())?;
    Ok(decks.as_ref().map_or(Ok(()), Decks::outcome)?)
}

/// Compares each file with each other one, if all are valid. Returns the first pair that does not
/// agree, or else the first pair. `None` for a single file.
pub(super) fn compared(files: &[Read]) -> Option<Pair> {
    let records: Result<Vec<&Record>, &BadRecord> =
        files.iter().map(|read| read.record.as_ref()).collect();
    let records = records.ok()?;
    let pairs = (0..records.len()).flat_map(|a| (a + 1..records.len()).map(move |b| [a, b]));
    let mut first = None;
    for places in pairs {
        let compared = compare(records[places[0]], records[places[1]]);
        let pair = Pair { places, compared };
        if !pair.agrees() {
            return Some(pair);
        }
        first = first.or(Some(pair));
    }
    first
}

/// Two of the files, compared.
pub(super) struct Pair {
    /// The places of the two files in the list of files.
    places: [usize; 2],
    pub(super) compared: Compared,
}

impl Pair {
    /// Whether the two files agree in everything.
    fn agrees(&self) -> bool {
        match &self.compared {
            Compared::Together { renamed, .. } => renamed.is_empty(),
            _ => false,
        }
    }
}

/// The error that decides the exit code, if there is one.
pub(super) fn outcome(files: &[Read], compared: Option<&Pair>) -> Result<(), AnswerIsNo> {
    if files.iter().any(|read| read.record.is_err()) {
        return Err(AnswerIsNo("a record does not verify"));
    }
    if !compared.is_none_or(Pair::agrees) {
        return Err(AnswerIsNo("the two records do not agree"));
    }
    let breach = |record: &Record| words::is_breach(&record.state());
    if files.iter().flat_map(|read| &read.record).any(breach) {
        Err(AnswerIsNo("somebody broke the rules of this match"))
    } else {
        Ok(())
    }
}

/// The report for people.
pub(super) fn report(files: &[Read], compared: Option<&Pair>, verbose: bool) -> String {
    let mut parts: Vec<String> = files.iter().map(|read| of_file(read, verbose)).collect();
    if let Some(pair) = compared {
        let both = pair.places.map(|place| &files[place]);
        if files.len() > 2 && pair.agrees() {
            parts.push(format!("All {} records agree.", files.len()));
        } else if let Ok(record) = &both[0].record {
            let text = of_both(&Who::of(record), &pair.compared, both);
            parts.push(match files.len() {
                2 => text,
                _ => format!("{} and {}\n{text}", both[0].file, both[1].file),
            });
        }
    }
    parts.join("\n\n")
}

fn of_file(read: &Read, verbose: bool) -> String {
    let record = match &read.record {
        Err(error) => return format!("{}\n{}", read.file, words::bad(error)),
        Ok(record) => record,
    };
    let who = Who::of(record);
    let stakes = &record.log.match_info().header().stakes;
    let mut lines = vec![
        read.file.clone(),
        format!(
            "Match {}: {}, {}.",
            words::short_id(&record.log.match_info().id()),
            words::game(stakes),
            words::hands(stakes, stakes.hands() as usize)
        ),
    ];
    for (name, player) in who.all().iter().zip(record.log.match_info().players()) {
        lines.push(format!("  {name}   {}", player.identity.fingerprint()));
    }
    if verbose {
        let hand = |hand| of_hand(&who, record, hand);
        lines.extend(record.hands.iter().map(hand));
    }
    lines.push(format!(
        "{} played. Every signature is valid, every opened {}",
        match record.played() {
            1 => format!("{} was", words::hands(stakes, 1)),
            number => format!("{} were", words::hands(stakes, number)),
        },
        match stakes.betting() {
            Some(_) if record.log.match_info().header().sealed().is_none() => {
                "card follows from shuffles with valid proofs, and the chips add up."
            }
            Some(_) => "card is the one that was sealed, and the chips add up.",
            None if stakes.boards().is_some() => "hand is the one that was sealed.",
            None => "card is the one that was sealed.",
        }
    ));
    if stakes.boards().is_some() {
        lines.extend(record.hands.iter().map(|hand| of_boards(&who, hand)));
    }
    lines.push(words::state(&who, record));
    if stakes.betting().is_some() {
        let chips = who.chips(&record.log.final_stacks());
        lines.push(match words::undecided_pot(record) {
            None => format!("{chips}."),
            Some(_) => format!("Before this hand: {chips}."),
        });
    }
    lines.extend(
        record
            .claims
            .iter()
            .map(|claim| words::claim(&who, record, claim)),
    );
    lines.extend(extra_contents(record));
    if !record.read_by_owner {
        lines.push(UNPROVEN.to_owned());
    }
    lines.join("\n")
}

/// The note about the fields that the signatures do not cover.
const UNPROVEN: &str = "The names, the owner, notes and claims are unproven: anybody who had the file could \
                        have changed them.";

/// The players that dealt a set of boards, and the seal that identifies the set.
fn of_boards(who: &Who, set: &RecordedHand) -> String {
    let of_board = |board: usize| 4 * board..4 * board + 4;
    let is_open = |&board: &usize| of_board(board).all(|hand| set.public.contains_key(&hand));
    let opened = boards::are((0..Split::MAX_BOARDS).filter(is_open).count());
    let number = set.begun.hand;
    match set.seal {
        None => format!(
            "Set {number} was not sealed by both players, or could still be declared void: none of its hands was opened."
        ),
        Some(seal) => format!(
            "Set {number} was dealt and sealed by {}, in step {}, before any hand was opened; {opened} \
             open to all. Its seal, which they may have published before the play:\n  {}",
            who.all().join(" and "),
            set.step,
            hex(&seal)
        ),
    }
}

/// The contents of the file other than the match itself.
fn extra_contents(record: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    if record.notes > 0 {
        lines.push(format!(
            "The file has {} of cards that only its owner saw and can read. Such notes prove nothing.",
            counted(record.notes as u64, "note")
        ));
    }
    if record.torn > 0 {
        lines.push(format!(
            "The end of the file, {}, is not a complete record: either a crash left it, and it was \
             never sent, or the file was cut there.",
            counted(record.torn as u64, "byte")
        ));
    }
    lines
}

/// The result of a hand, on one line.
fn of_hand(who: &Who, record: &Record, hand: &RecordedHand) -> String {
    let void = void_tries(who, &hand.voided);
    let Some(outcome) = &hand.outcome else {
        if words::is_decided(record) {
            let unsigned = who.list(&record.log.waits_for());
            return format!(
                "  Hand {}{void}: decided, not signed by {unsigned}.",
                hand.begun.hand
            );
        }
        let sealed = if hand.seal.is_some() {
            ""
        } else {
            ", not sealed"
        };
        return format!(
            "  Hand {}{void}: not played to its end{sealed}.",
            hand.begun.hand
        );
    };
    let winners = outcome.pots.iter().flat_map(|pot| &pot.winners);
    let won: Vec<String> = winners
        .map(|&(seat, chips)| format!("{} wins {}", who.name(seat), count(chips)))
        .collect();
    let chips = if won.is_empty() {
        "over".to_owned()
    } else {
        format!("{}; {}", won.join(", "), who.chips(&outcome.stacks))
    };
    format!("  Hand {}{void}: {chips}.", hand.begun.hand)
}

/// The number of void tries before the one that was played, and the seats that declared them void.
fn void_tries(who: &Who, declared: &[Seat]) -> String {
    let by = |seat: Seat| match declared.iter().filter(|&&by| by == seat).count() {
        0 => None,
        tries if tries == declared.len() => Some(who.name(seat)),
        tries => Some(format!("{} ({tries})", who.name(seat))),
    };
    let by: Vec<String> = Seat::all(who.all().len()).filter_map(by).collect();
    let by = by.join(" and ");
    match declared.len() {
        0 => String::new(),
        1 => format!(" (1 try before was declared void by {by})"),
        tries => format!(" ({tries} tries before were declared void by {by})"),
    }
}

fn of_both(who: &Who, compared: &Compared, files: [&Read; 2]) -> String {
    match compared {
        Compared::OtherMatch => "These are the records of two different matches.".into(),
        Compared::Together {
            more,
            renamed,
            same_owner,
        } => {
            let extra = |(read, &more): (&Read, &usize)| match more {
                0 => None,
                1 => Some(format!("{} has 1 more part.", read.file)),
                more => Some(format!(
                    "{} has {} more parts.",
                    read.file,
                    count(more as u64)
                )),
            };
            let more: Vec<String> = files.into_iter().zip(more).filter_map(extra).collect();
            let what = if renamed.is_empty() {
                "agree"
            } else {
                "hold the same signed parts"
            };
            let mut lines = vec![if more.is_empty() {
                format!("Both records {what}.")
            } else {
                format!("Both records {what} as far as both go. {}", more.join(" "))
            }];
            lines.extend(renamed.iter().map(|&seat| renaming(&files, seat)));
            if *same_owner {
                lines.push("Both name the same seat as their owner; that is unproven.".to_owned());
            }
            lines.join("\n")
        }
        Compared::Forked { hand, evidence } => fork(who, *hand, evidence),
        _ => "The two records do not agree.".into(),
    }
}

/// Reports that two files have different names for a seat.
fn renaming(files: &[&Read; 2], seat: Seat) -> String {
    let called = |read: &&Read| {
        let record = read.record.as_ref().ok()?;
        let name = record.names.get(seat.index())?;
        Some(format!("{name} in {}", read.file))
    };
    let called: Vec<String> = files.iter().filter_map(called).collect();
    format!(
        "They disagree on the name of {seat}: {}. Neither name is proven.",
        called.join(", ")
    )
}

fn fork(who: &Who, hand: u32, evidence: &Evidence) -> String {
    let (seat, step) = (evidence.seat(), evidence.step());
    format!(
        "The records diverge in hand {hand}, step {step}: {name} signed two different parts for it. \
         Both signatures prove it to anybody: {name} cheated, or continued from an old copy of the \
         match.\nThe evidence, in hexadecimal digits, is printed by --json.",
        name = who.name(seat)
    )
}

impl Verified {
    fn of(files: &[Read], compared: Option<&Pair>) -> Self {
        let good = outcome(files, compared).is_ok();
        json::verified(files, compared.map(|pair| &pair.compared), good)
    }
}
