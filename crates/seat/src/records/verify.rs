//! The verification of the records of one or several sides of a match.

use dealerless::shuffle::split::Split;
use dealerless_connection::hex;
use dealerless_connection::identity::Identity;
use dealerless_table::Seat;
use dealerless_table::log::{Evidence, Header, Signed};
use dealerless_table::record::{BadRecord, Compared, Record, RecordedHand, compare};
use serde::Serialize;
use serde_json::Value;

use super::tables::{of_table, tables_of};
use super::words::{self, Who, boards_are};
use super::{json, show};
use crate::ending;
use crate::story::pending;
use crate::words::{count, counted};

/// A file and its record.
pub struct Read {
    /// The name of the file in messages.
    pub file: String,
    /// The record.
    pub record: Result<Record, BadRecord>,
    /// Whether the record was read without the given key, because it belongs to another identity.
    is_foreign: bool,
}

impl Read {
    /// Reads the record in `bytes`, with the key of the reader if it is given and the record belongs to
    /// this identity.
    pub fn of(file: String, bytes: &[u8], own: Option<&Identity>) -> Self {
        let record = show::read(bytes, own);
        let is_read = record.as_ref().is_ok_and(|record| !record.read_by_owner);
        Read {
            file,
            is_foreign: own.is_some() && is_read,
            record,
        }
    }
}

/// The comparison of two files, with their places in the list of files.
pub struct Pair {
    pub(super) files: [usize; 2],
    pub(super) compared: Compared,
}

impl Pair {
    /// Whether the two files agree, also in the names of the players.
    fn agrees(&self) -> bool {
        match &self.compared {
            Compared::Together { renamed, .. } => renamed.is_empty(),
            // The match between them, or the table, shows whether they fit together.
            Compared::SameTable => true,
            Compared::Continues {
                agrees,
                unsigned,
                beyond,
            } => *agrees && unsigned.is_empty() && beyond.is_empty(),
            _ => false,
        }
    }
}

/// Compares each pair of valid files.
pub fn pairs(files: &[Read]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (second, b) in files.iter().enumerate() {
        for (first, a) in files[..second].iter().enumerate() {
            if let (Ok(a), Ok(b)) = (&a.record, &b.record) {
                pairs.push(Pair {
                    files: [first, second],
                    compared: compare(a, b),
                });
            }
        }
    }
    pairs
}

/// Whether all files are valid and agree, and show no breach of the rules.
///
/// # Errors
/// The reason why not.
pub fn outcome(files: &[Read], pairs: &[Pair]) -> Result<(), &'static str> {
    if files.iter().any(|read| read.record.is_err()) {
        return Err("a record does not verify");
    }
    if !pairs.iter().all(Pair::agrees) {
        return Err(match files.len() {
            ..=2 => "the two records do not agree",
            _ => "the records do not agree",
        });
    }
    if tables_of(files).iter().any(|table| !table.twice.is_empty()) {
        return Err("a player took part in two matches that continue one result");
    }
    let breach = |record: &Record| words::is_breach(&record.state());
    if files.iter().flat_map(|read| &read.record).any(breach) {
        Err("somebody broke the rules of this match")
    } else {
        Ok(())
    }
}

/// The output of `verify --json`.
#[derive(Serialize)]
pub struct Verified {
    /// Whether the exit code is 0.
    good: bool,
    records: Vec<Value>,
    /// `None` unless there are exactly two files and both are valid.
    compared: Option<Value>,
    /// The comparison of each pair of valid files, if there are more than two files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pairs: Vec<Value>,
    /// The tables, if there are several matches of one, or a later one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tables: Vec<Value>,
    /// The recomputed decks, if they were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    audit: Option<Value>,
}

impl Verified {
    /// The output for these files.
    pub fn of(files: &[Read], pairs: &[Pair]) -> Self {
        let (only, several) = match pairs {
            [pair] if files.len() == 2 => (Some(pair), &[][..]),
            pairs => (None, pairs),
        };
        Verified {
            good: outcome(files, pairs).is_ok(),
            records: files.iter().map(json::of_file).collect(),
            compared: only.map(|pair| json::of_both(&pair.compared)),
            pairs: several.iter().map(json::of_pair).collect(),
            tables: tables_of(files).iter().map(json::of_table).collect(),
            audit: None,
        }
    }

    /// Adds the decks of an audit, and whether they agree with the record.
    pub fn with_audit(self, good: bool, decks: Value) -> Self {
        Verified {
            good: self.good && good,
            audit: Some(decks),
            ..self
        }
    }
}

/// The report for people.
pub fn report(files: &[Read], pairs: &[Pair], verbose: bool) -> String {
    let mut parts: Vec<String> = files.iter().map(|read| of_file(read, verbose)).collect();
    match pairs {
        [] => {}
        [pair] if files.len() == 2 => parts.push(of_pair(pair, files)),
        pairs => parts.extend(of_pairs(pairs, files)),
    }
    parts.extend(tables_of(files).iter().map(of_table));
    parts.join("\n\n")
}

/// The comparisons of more than two files: the pairs that do not agree, or one sentence for all.
fn of_pairs(pairs: &[Pair], files: &[Read]) -> Vec<String> {
    let differ = pairs.iter().filter(|pair| !pair.agrees());
    let mut parts: Vec<String> = differ
        .map(|pair| {
            let [a, b] = pair.files.map(|file| &files[file].file);
            format!("{a} and {b}:\n{}", of_pair(pair, files))
        })
        .collect();
    if parts.is_empty() {
        let mut lacks = vec![0; files.len()];
        for Pair { files, compared } in pairs {
            if let Compared::Together { more, .. } = compared {
                lacks[files[0]] = lacks[files[0]].max(more[1]);
                lacks[files[1]] = lacks[files[1]].max(more[0]);
            }
        }
        let lacks = files.iter().zip(lacks).filter(|(_, parts)| *parts > 0);
        let lacks = lacks.map(|(read, parts)| {
            let parts = counted(parts as u64, "part");
            format!(" {} lacks {parts} that another record has.", read.file)
        });
        let lacks: String = lacks.collect();
        let far = if lacks.is_empty() {
            ""
        } else {
            " as far as they go"
        };
        let mut lines = vec![format!("All {} records agree{far}.{lacks}", files.len())];
        lines.extend(pairs.iter().filter_map(|pair| of_one_owner(pair, files)));
        parts.push(lines.join("\n"));
    }
    parts
}

/// The note about two files that name the same seat as their owner.
fn of_one_owner(pair: &Pair, files: &[Read]) -> Option<String> {
    let [a, b] = pair.files.map(|file| &files[file].file);
    matches!(
        &pair.compared,
        Compared::Together {
            same_owner: true,
            ..
        }
    )
    .then(|| format!("{a} and {b} name the same seat as their owner; that is unproven."))
}

/// The result of the comparison of two files.
fn of_pair(pair: &Pair, files: &[Read]) -> String {
    let [a, b] = pair.files.map(|file| &files[file]);
    match &a.record {
        Ok(record) => of_both(&Who::of(record), &pair.compared, [a, b]),
        Err(error) => words::bad(error),
    }
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
            record.log.match_info().id(),
            words::game(stakes),
            words::hands(stakes, stakes.hands() as usize)
        ),
    ];
    for (name, player) in who.all().iter().zip(record.log.match_info().players()) {
        lines.push(format!("  {name}   {}", player.identity.fingerprint()));
    }
    if let Some(past) = record.log.match_info().header().past() {
        lines.push(format!(
            "Continues match {} after its {} steps: {}. The players have accepted these chips; the \
             file of that match proves them.",
            past.match_id,
            past.steps,
            who.chips(&record.log.match_info().first_stacks())
        ));
        let missing = past.without.iter().filter_map(|seat| past.player(*seat));
        lines.extend(missing.map(|(player, chips)| {
            let chips = counted(chips, "chip");
            format!("  without {player}, who was absent or had left, and has {chips}")
        }));
    }
    if verbose {
        let hand = |hand| of_hand(&who, record, hand);
        lines.extend(record.hands.iter().map(hand));
    }
    lines.push(format!(
        "{} played. {}",
        match record.played() {
            1 => format!("{} was", words::hands(stakes, 1)),
            number => format!("{} were", words::hands(stakes, number)),
        },
        proven(record.log.match_info().header())
    ));
    if stakes.boards().is_some() {
        lines.extend(record.hands.iter().map(|hand| of_boards(&who, hand)));
    }
    lines.push(words::state(&who, record));
    if let gone @ [_, ..] = words::gone(record) {
        lines.push(format!(
            "Gone while the others played on: {}. The votes of the others on a call, or a signed departure, \
             are in the record; silence proves no misconduct.",
            who.list(gone)
        ));
    }
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
    match (record.read_by_owner, read.is_foreign) {
        (true, _) => lines.push(PROVEN.to_owned()),
        (false, true) => lines.push(format!(
            "The file belongs to another identity than yours. {UNPROVEN}"
        )),
        (false, false) => lines.push(UNPROVEN.to_owned()),
    }
    lines.join("\n")
}

/// What the signatures and proofs of a valid record show.
fn proven(header: &Header) -> &'static str {
    let stakes = &header.stakes;
    match (header.sealed(), stakes.betting()) {
        (None, _) => {
            "Every signature is valid. The proof of every key, shuffle, opening and shown card is valid, \
             as anybody can check again with this command, and the chips add up."
        }
        (_, Some(_)) => {
            "Every signature is valid, every opened card is the one that was sealed, and the chips add up."
        }
        (_, None) if stakes.boards().is_some() => {
            "Every signature is valid, every opened hand is the one that was sealed."
        }
        (_, None) => "Every signature is valid, every opened card is the one that was sealed.",
    }
}

/// The note about a file that was read with the key of its owner.
const PROVEN: &str = "This is your file: nobody has changed a byte of it.";

/// The note about the fields that the signatures do not cover.
const UNPROVEN: &str = "The names, the owner, notes and claims are unproven: anybody who had the file could \
                        have changed them.";

/// The players that dealt a set of boards, and the seal that identifies the set.
fn of_boards(who: &Who, set: &RecordedHand) -> String {
    let of_board = |board: usize| 4 * board..4 * board + 4;
    let is_open = |&board: &usize| of_board(board).all(|hand| set.public.contains_key(&hand));
    let opened = boards_are((0..Split::MAX_BOARDS).filter(is_open).count());
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
            let unsigned = who.list(&pending(&record.log).0);
            return format!(
                "  Hand {}{void}: decided, not signed by {unsigned}.",
                hand.begun.hand
            );
        }
        let header = record.log.match_info().header();
        let sealed = match (hand.seal, header.sealed()) {
            (Some(_), _) => "",
            (None, Some(_)) => ", not sealed",
            (None, None) => ", not shuffled by all",
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
        Compared::SameTable => {
            "These are two matches of one table. Neither continues the other.".into()
        }
        Compared::Continues {
            agrees,
            unsigned,
            beyond,
        } => continuation(files, *agrees, unsigned, beyond),
        Compared::Together {
            more,
            renamed,
            same_owner,
        } => {
            let extra = |(read, &more): (&&Read, &usize)| match more {
                0 => None,
                1 => Some(format!("{} has 1 more part.", read.file)),
                more => Some(format!(
                    "{} has {} more parts.",
                    read.file,
                    count(more as u64)
                )),
            };
            let more: Vec<String> = files.iter().zip(more).filter_map(extra).collect();
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
            lines.extend(renamed.iter().map(|&seat| renaming(files, seat)));
            if *same_owner {
                lines.push("Both name the same seat as their owner; that is unproven.".to_owned());
            }
            lines.join("\n")
        }
        Compared::Forked { hand, evidence } => fork(who, *hand, evidence),
        _ => "The two records do not agree.".into(),
    }
}

/// Reports whether a match continues another one with its chips. `unsigned` and `beyond` are seats of
/// the match before.
fn continuation(files: [&Read; 2], agrees: bool, unsigned: &[Seat], beyond: &[Seat]) -> String {
    let records = files.map(|read| read.record.as_ref().ok());
    let [Some(a), Some(b)] = records else {
        return String::new();
    };
    let past = |record: &'_ Record| record.log.match_info().header().past().cloned();
    let continues = |next: &Record, before: &Record| {
        past(next).filter(|past| past.match_id == before.log.match_info().id())
    };
    let (past, before) = match continues(b, a) {
        Some(past) => (Some(past), a),
        None => (continues(a, b), b),
    };
    let who = Who::of(before);
    let settled = past.filter(|past| past.is_open);
    let Some(past) = settled else {
        return match agrees {
            true => "One match continues the other with the chips of its end.".into(),
            false => {
                "One match claims to continue the other, but this record of the other has another \
                      end."
                    .into()
            }
        };
    };
    let mut lines = vec![match before.log.settled_like(&past).filter(|_| agrees) {
        Some(settled) => format!(
            "One match continues the other, which was open after {} steps. {}",
            past.steps,
            ending::settled(&settled, |seat| who.name(seat))
        ),
        None if before.log.step() < past.steps => format!(
            "One match continues the other after {} steps without {}. This record of the other has only \
             {}, so it does not show whether the chips are right.",
            past.steps,
            who.list(&past.without),
            before.log.step()
        ),
        None => format!(
            "One match claims to continue the other without {}, but this record of the other leads to \
             other chips or has another history.",
            who.list(&past.without)
        ),
    }];
    let signed = "All others have signed in the new match. That the missing players were absent is only \
                  their word.";
    lines.push(match unsigned {
        [] => signed.to_owned(),
        seats => format!(
            "It does not count yet: not signed in the new match by {}.",
            who.list(seats)
        ),
    });
    if !beyond.is_empty() {
        lines.push(format!(
            "This record of the other match has later steps that were signed by {}: hidden in the \
             settlement, or lost with an older copy of a file.",
            who.list(beyond)
        ));
    }
    lines.join("\n")
}

/// Reports that two files have different names for a seat.
fn renaming(files: [&Read; 2], seat: Seat) -> String {
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
    // The steps of an ahead chain have numbers of their own.
    let place = match evidence.statements[0].signed {
        Signed::Ahead(_) => format!("the shuffles made ahead for hand {hand}"),
        _ => format!("hand {hand}, step {step}"),
    };
    format!(
        "The records diverge in {place}: {name} signed two different parts for it. \
         Both signatures prove it to anybody: {name} cheated, or continued from an old copy of the \
         match.\nThe evidence, in hexadecimal digits, is printed by --json.",
        name = who.name(seat)
    )
}
