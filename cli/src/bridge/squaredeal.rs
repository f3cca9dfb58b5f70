//! `bridge squaredeal`: the boards of a tournament from what its organiser published.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use dealerless::bridge::squaredeal::{
    BoardRange, Description, KeyHash, Keys, MAX_BYTES, MAX_SESSIONS, Set, Verdict, canonical_value,
    verify,
};

use crate::failure::AnswerIsNo;
use crate::output::{lines, show, to_standard_output};

/// Checks tournaments that were dealt by SquareDeal.
#[derive(clap::Subcommand)]
#[command(after_help = "Example: dealerless bridge squaredeal verify WBG2024.sqd WBG2024.sqk")]
pub(crate) enum Command {
    Verify(VerifyArgs),
}

/// Checks published keys against their hash, and prints the boards that they give.
///
/// It shows that the organiser did not choose the boards, if the `.sqd` is as it was published before
/// the tournament. Published boards are not read: compare the output with them.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless bridge squaredeal verify WBG2024.sqd WBG2024.sqk\n  \
    dealerless bridge squaredeal verify X.sqd X.sqk --reserve --sessions 9")]
pub(crate) struct VerifyArgs {
    /// A file `.sqd` and its `.sqk`, which is looked for beside it if it is not named.
    #[arg(value_name = "FILES", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// Print the reserve sets, not the original ones.
    #[arg(long)]
    reserve: bool,
    /// The awaited value, if the `.sqd` has none: as SquareDeal takes what is typed, without points and
    /// commas in numbers.
    #[arg(long, value_name = "VALUE")]
    value: Option<String>,
    /// The boards of phases for which the organiser said them later (`?`).
    #[arg(long, value_name = "LOW-HIGH")]
    boards: Option<BoardRange>,
    /// How many sessions the phases had for which that was open.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SESSIONS)))]
    sessions: Option<u32>,
}

/// Runs the command.
pub(super) fn run(command: &Command) -> anyhow::Result<()> {
    let Command::Verify(args) = command;
    let (description_file, keys_file) = named(&args.files)?;
    let description = read(&description_file, Description::read)?;
    let keys = read(&keys_file, Keys::read)?;
    let value = value(&description, args.value.as_deref())?;
    let verdict = verify(&description, &keys);
    show(&head(&description, &keys, &verdict, &value))?;
    // Other keys give boards that nobody was bound to.
    if verdict.key_hash == KeyHash::Agrees && !value.is_empty() {
        to_standard_output(|output| boards(args, &description, &keys, &value, output))?;
    }
    match verdict.agrees() {
        true => Ok(()),
        false => Err(AnswerIsNo("the keys do not agree with the description").into()),
    }
}

/// The description and the keys among the files.
fn named(files: &[PathBuf]) -> anyhow::Result<(PathBuf, PathBuf)> {
    let (mut description, mut keys) = (None, None);
    for file in files {
        let suffix = file.extension().unwrap_or_default().to_ascii_lowercase();
        let place = match suffix.to_str() {
            Some("sqd") => &mut description,
            Some("sqk") => &mut keys,
            _ => bail!("{} is neither a .sqd nor a .sqk", file.display()),
        };
        let before = place.replace(file.clone());
        ensure!(before.is_none(), "give one .sqd and one .sqk");
    }
    let description = description.context("give the .sqd, which says what the keys are for")?;
    let beside = description.with_extension("sqk");
    Ok((description, keys.unwrap_or(beside)))
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

/// What is said before the boards.
fn head(description: &Description, keys: &Keys, verdict: &Verdict, value: &[u8]) -> String {
    let mut said = vec![description.name().to_owned()];
    let shown = match value.is_empty() {
        true => "not known, so there are no boards yet".to_owned(),
        false => String::from_utf8_lossy(value).escape_debug().to_string(),
    };
    said.push(format!("Awaited value, {}: {shown}", description.awaited()));
    let count = keys.count();
    said.push(match verdict.key_hash {
        KeyHash::Agrees => format!("The {count} keys have the published hash."),
        KeyHash::Differs => format!(
            "The {count} keys are not those that were published: their hash is {}.",
            keys.hash()
        ),
        KeyHash::Unpublished => {
            "No hash of the keys was published: there is no KH line.".to_owned()
        }
    });
    let list = |sessions: &[(u32, u32)]| {
        let shown: Vec<String> = (sessions.iter().take(LISTED))
            .map(|(phase, session)| format!("{phase},{session}"))
            .collect();
        let more = sessions.len().saturating_sub(LISTED);
        let more = (more > 0).then(|| format!(" and {more} more"));
        format!("{}{}", shown.join(" "), more.unwrap_or_default())
    };
    if !verdict.without_key.is_empty() {
        said.push(format!(
            "No key (phase,session): {}",
            list(&verdict.without_key)
        ));
    }
    if !verdict.not_described.is_empty() {
        said.push(format!(
            "Keys of no session: {}",
            list(&verdict.not_described)
        ));
    }
    let said: Vec<String> = said.iter().map(|line| lines(line)).collect();
    said.join("\n")
}

/// The most sessions that are listed.
const LISTED: usize = 20;

/// Writes the boards of all sessions, each set with its file's name.
fn boards(
    args: &VerifyArgs,
    description: &Description,
    keys: &Keys,
    value: &[u8],
    output: &mut dyn Write,
) -> io::Result<()> {
    let set = match args.reserve {
        true => Set::Reserve,
        false => Set::Original,
    };
    for (number, phase) in (1..).zip(description.phases()) {
        let sessions = phase.sessions().or(args.sessions).unwrap_or(0);
        let mut unknown = u32::from(sessions == 0);
        for session in 1..=sessions {
            let session = [number, session];
            let Some(session) = description.session(keys, session, set, value, args.boards) else {
                unknown += 1;
                continue;
            };
            writeln!(output, "{}  {}", session.file_name(), session.description())?;
            for board in session.boards() {
                writeln!(output, "{:4}  {}", board.number, board.deal)?;
            }
        }
        if unknown > 0 {
            writeln!(
                output,
                "Phase {number}: sets left out whose key, boards (--boards) or number (--sessions) is not known."
            )?;
        }
    }
    Ok(())
}
