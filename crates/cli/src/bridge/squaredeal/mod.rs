//! `bridge squaredeal`: checks the boards of a tournament against what its organiser published.

mod published;
mod sets;
mod verdict;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use dealerless_bridge::formats::Format;
use dealerless_bridge::squaredeal::{
    BoardRange, Description, Keys, MAX_BYTES, MAX_SESSIONS, Set, canonical_value, verify,
};

use super::board_file;
use crate::failure::AnswerIsNo;
use crate::output::{say, to_standard_output};
use published::Files;
use sets::Announced;
use verdict::Checked;

/// Checks the boards of a tournament that was dealt with SquareDeal.
///
/// SquareDeal is a program with which an organiser deals boards so that anybody can check later
/// that nobody chose them.
#[derive(clap::Subcommand)]
#[command(after_help = "Example: dealerless bridge squaredeal verify WBG2024.sqd WBG2024.sqk")]
pub(crate) enum Command {
    Verify(VerifyArgs),
}

/// Checks the published keys of a tournament, and published boards against them.
///
/// The organiser publishes two files: X.sqd before the tournament, and X.sqk with the keys after
/// it. Together the files determine all boards. They prove that nobody chose the boards only if
/// X.sqd was not changed later: compare it with a copy that was saved before the tournament.
///
/// Without files of boards, the command prints the boards that the keys determine.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless bridge squaredeal verify WBG2024.sqd WBG2024.sqk\n  \
    dealerless bridge squaredeal verify WBG2024.sqd OPRR01.pbn OPRR02.pbn\n  \
    dealerless bridge squaredeal verify X.sqd --reserve --sessions 9\n\n\
    A file of boards, in any format that `bridge convert` reads, is compared with\n\
    the set of the same name: OPRR01.pbn with OPRR01, OPRR01reserve.pbn with the\n\
    reserve set. If no set has this name, all sets are searched for its boards. A\n\
    board agrees if the set has its deal under its number. Boards of a file without\n\
    numbers, and of a DUP file that begins with 1, are numbered from the first board\n\
    of the set.\n\n\
    Exit codes: 0 everything agrees, 1 wrong usage, or a file that cannot be read, 4\n\
    the keys do not match the description, or a board differs.")]
pub(crate) struct VerifyArgs {
    /// X.sqd, X.sqk (searched for next to X.sqd if it is not given), and any files of boards.
    #[arg(value_name = "FILES", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// Print the boards of the reserve sets instead of the original ones.
    #[arg(long)]
    reserve: bool,
    /// The awaited value, for example a share index, if X.sqd does not contain it. Points and
    /// commas in numbers are removed, as SquareDeal does.
    #[arg(long, value_name = "VALUE")]
    value: Option<String>,
    /// The numbers of the boards, if the organiser announced them later (? in X.sqd).
    #[arg(long, value_name = "LOW-HIGH")]
    boards: Option<BoardRange>,
    /// The number of sessions played, if X.sqd leaves the number open (0 in X.sqd).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SESSIONS)))]
    sessions: Option<u32>,
    /// Print JSON objects: one for the keys, and one for each set or file.
    #[arg(long)]
    json: bool,
}

/// The name of the command in the objects of `--json`.
const COMMAND: &str = "bridge squaredeal verify";

/// Runs the command.
pub(super) fn run(command: &Command) -> anyhow::Result<()> {
    let Command::Verify(args) = command;
    let named = Named::of(&args.files)?;
    let description = read(&named.description, Description::read)?;
    let keys = read(&named.keys, Keys::read)?;
    let value = value(&description, args.value.as_deref())?;
    let files = Files::read(&named.boards)?;
    let has_files = !named.boards.is_empty();
    let checked = Checked {
        verdict: verify(&description, &keys),
        description: &description,
        keys: &keys,
        value: &value,
    };
    ensure!(
        !has_files || !value.is_empty(),
        "boards cannot be compared before the awaited value is known: give it with --value"
    );
    checked.report(COMMAND, args.json)?;
    let mut agrees = true;
    if has_files && !checked.has_boards() {
        say("The files of boards were not compared: the keys do not match the published hash.");
    }
    if checked.has_boards() {
        to_standard_output(|output| {
            let later = Announced {
                boards: args.boards,
                sessions: args.sessions,
            };
            let json = args.json.then_some(COMMAND);
            let set = if args.reserve {
                Set::Reserve
            } else {
                Set::Original
            };
            if has_files {
                agrees = files.compare(&checked, later, json, output)?
            } else {
                sets::write(&checked, later, set, json, output)?
            }
            Ok(())
        })?;
    }
    match (checked.verdict.agrees(), agrees) {
        (true, true) => Ok(()),
        (true, false) => Err(AnswerIsNo("published boards differ from those of the keys").into()),
        _ => Err(AnswerIsNo("the keys do not match the description").into()),
    }
}

/// The given files, by kind.
struct Named {
    description: PathBuf,
    keys: PathBuf,
    boards: Vec<(PathBuf, Format)>,
}

impl Named {
    /// Sorts the files by their extensions.
    fn of(files: &[PathBuf]) -> anyhow::Result<Named> {
        let (mut description, mut keys, mut boards) = (None, None, Vec::new());
        for file in files {
            let suffix = file.extension().unwrap_or_default().to_ascii_lowercase();
            let place = match (suffix.to_str(), board_file::by_suffix(file)) {
                (Some("sqd"), _) => &mut description,
                (Some("sqk"), _) => &mut keys,
                (_, Some(format)) if format.is_readable() => {
                    boards.push((file.clone(), format));
                    continue;
                }
                _ => {
                    let endings = board_file::names(|format| {
                        format.is_readable() && format.name() == format.suffix()
                    });
                    bail!(
                        "{} is neither a .sqd file, nor a .sqk file, nor a readable file of boards: .{}",
                        file.display(),
                        endings.join(", .")
                    )
                }
            };
            let before = place.replace(file.clone());
            ensure!(before.is_none(), "give one .sqd file and one .sqk file");
        }
        let description = description
            .context("give the .sqd file too: the one that was published before the tournament")?;
        let sibling = description.with_extension("sqk");
        Ok(Named {
            description,
            keys: keys.unwrap_or(sibling),
            boards,
        })
    }
}

/// Reads and parses a file.
fn read<T, E>(path: &Path, parse: impl Fn(&[u8]) -> Result<T, E>) -> anyhow::Result<T>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let name = path.display();
    let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
    let mut bytes = Vec::new();
    // One byte over the limit lets `parse` report that the file is too large.
    file.take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {name}"))?;
    parse(&bytes).with_context(|| name.to_string())
}

/// The awaited value, from the file or from the option.
fn value(description: &Description, given: Option<&str>) -> anyhow::Result<Vec<u8>> {
    let known = description.value();
    ensure!(
        given.is_none() || known.is_empty(),
        "the .sqd file already has a value: omit --value"
    );
    Ok(given.map_or(known.to_vec(), |given| canonical_value(given).into_bytes()))
}
