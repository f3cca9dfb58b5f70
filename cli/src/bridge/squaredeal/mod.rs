//! `bridge squaredeal`: the boards of a tournament from what its organiser published.

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
use sets::SaidLater;
use verdict::Checked;

/// Checks the boards of a tournament that was dealt by SquareDeal.
///
/// SquareDeal is a program by which an organiser deals so that everybody can check later that nobody chose
/// the boards.
#[derive(clap::Subcommand)]
#[command(after_help = "Example: dealerless bridge squaredeal verify WBG2024.sqd WBG2024.sqk")]
pub(crate) enum Command {
    Verify(VerifyArgs),
}

/// Checks the published keys of a tournament, and published boards against them.
///
/// The organiser publishes two files: X.sqd before the tournament, and X.sqk with the keys after it.
/// From both come all boards. That nobody chose them is shown if X.sqd is still as it was published:
/// compare it with a copy that was saved then.
///
/// Without files of boards the command prints the boards that the keys give.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless bridge squaredeal verify WBG2024.sqd WBG2024.sqk\n  \
    dealerless bridge squaredeal verify WBG2024.sqd OPRR01.pbn OPRR02.pbn\n  \
    dealerless bridge squaredeal verify X.sqd --reserve --sessions 9\n\n\
    A file of boards, in any format that `bridge convert` reads, is compared with\n\
    the set that has its name: OPRR01.pbn with OPRR01, OPRR01reserve.pbn with the\n\
    reserve set. If no set has its name, its boards are looked for in all sets. A\n\
    board agrees if the set has its deal under its number. Boards of a file that\n\
    holds no numbers, and of a DUP file that begins with 1, are counted from the\n\
    first of the set.\n\n\
    Exit codes: 0 all agrees, 1 wrong usage, or a file that cannot be read, 4 the\n\
    keys are not those of the description, or a board does not agree.")]
pub(crate) struct VerifyArgs {
    /// X.sqd, X.sqk (looked for beside X.sqd if it is not named), and any files of boards.
    #[arg(value_name = "FILES", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// Print the boards of the reserve sets, not of the original ones.
    #[arg(long)]
    reserve: bool,
    /// The value that was awaited, a share index for example, if X.sqd does not have it. Points and
    /// commas in numbers are left out, as SquareDeal does.
    #[arg(long, value_name = "VALUE")]
    value: Option<String>,
    /// The numbers of the boards, if the organiser said them later (? in X.sqd).
    #[arg(long, value_name = "LOW-HIGH")]
    boards: Option<BoardRange>,
    /// How many sessions were played, if that was open before (0 in X.sqd).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SESSIONS)))]
    sessions: Option<u32>,
    /// Print JSON objects: one for the keys, and one for each set or file.
    #[arg(long)]
    json: bool,
}

/// What the objects of `--json` call the command.
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
        "no boards can be compared before the value is known that was awaited: give it with --value"
    );
    checked.tell(COMMAND, args.json)?;
    let mut agrees = true;
    if has_files && !checked.has_boards() {
        say("The files of boards were not compared: the keys are not those that were promised.");
    }
    if checked.has_boards() {
        to_standard_output(|output| {
            let later = SaidLater {
                boards: args.boards,
                sessions: args.sessions,
            };
            let json = args.json.then_some(COMMAND);
            let set = match args.reserve {
                true => Set::Reserve,
                false => Set::Original,
            };
            match has_files {
                true => agrees = files.compare(&checked, later, json, output)?,
                false => sets::write(&checked, later, set, json, output)?,
            }
            Ok(())
        })?;
    }
    match (checked.verdict.agrees(), agrees) {
        (true, true) => Ok(()),
        (true, false) => Err(AnswerIsNo("published boards differ from those of the keys").into()),
        _ => Err(AnswerIsNo("the keys do not agree with the description").into()),
    }
}

/// The files that were named.
struct Named {
    description: PathBuf,
    keys: PathBuf,
    boards: Vec<(PathBuf, Format)>,
}

impl Named {
    /// What each file is, by the end of its name.
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
                        "{} is neither a .sqd nor a .sqk, nor a file of boards that can be read: .{}",
                        file.display(),
                        endings.join(", .")
                    )
                }
            };
            let before = place.replace(file.clone());
            ensure!(before.is_none(), "give one .sqd and one .sqk");
        }
        let description = description
            .context("give the .sqd too: the file that was published before the tournament")?;
        let beside = description.with_extension("sqk");
        Ok(Named {
            description,
            keys: keys.unwrap_or(beside),
            boards,
        })
    }
}

/// What `parse` makes of a file.
fn read<T, E>(path: &Path, parse: impl Fn(&[u8]) -> Result<T, E>) -> anyhow::Result<T>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let name = path.display();
    let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
    let mut bytes = Vec::new();
    // One more tells `parse` that the file is too large.
    file.take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {name}"))?;
    parse(&bytes).with_context(|| name.to_string())
}

/// The awaited value: of the file, or as it was given.
fn value(description: &Description, given: Option<&str>) -> anyhow::Result<Vec<u8>> {
    let known = description.value();
    ensure!(
        given.is_none() || known.is_empty(),
        "the .sqd has a value already: leave out --value"
    );
    Ok(given.map_or(known.to_vec(), |given| canonical_value(given).into_bytes()))
}
