//! The command line: parsing, the end of each help text, and errors of usage.

use std::error::Error as _;
use std::ffi::OsString;
use std::io;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};
use dealerless_seat::ending::LOCAL;

use crate::Cli;

use crate::failure::{EXIT_CODES, Reports, report_to_program};
use crate::output::{MAX_WIDTH, say, wrapped};

/// The command that was called, and whether it reports to a program.
pub(crate) struct Called {
    /// The command with its parents, such as `circuit stats`.
    name: String,
    json: bool,
}

/// The commands that report events of a match to a program.
const EVENT_COMMANDS: [&str; 4] = ["host", "join", "resume", "audit"];

impl Called {
    /// How the command reports to a program.
    pub(crate) fn reports(&self) -> Reports<'_> {
        if !self.json {
            Reports::ToNobody
        } else if EVENT_COMMANDS.contains(&&*self.name) {
            Reports::Events
        } else {
            Reports::Objects(&self.name)
        }
    }

    fn of(matches: &ArgMatches) -> Self {
        let (mut names, mut matches) = (Vec::new(), matches);
        while let Some((name, inner)) = matches.subcommand() {
            names.push(name);
            matches = inner;
        }
        // `try_get_one` fails for a command without the option `--json`.
        let json = matches.try_get_one("json").ok().flatten();
        Called {
            name: names.join(" "),
            json: json.copied().unwrap_or(false),
        }
    }

    /// The command in arguments that do not parse, as far as it can be recognised.
    fn of_wrong(command: &Command, args: &[OsString]) -> Self {
        let (mut names, mut command) = (Vec::new(), command);
        for arg in args.iter().skip(1) {
            if let Some(inner) = arg.to_str().and_then(|arg| command.find_subcommand(arg)) {
                names.push(inner.get_name());
                command = inner;
            }
        }
        Called {
            name: names.join(" "),
            json: args.iter().any(|arg| arg == "--json"),
        }
    }
}

/// Parses the arguments of the program. The first one is the name of the program.
///
/// # Errors
/// The exit code, if there is nothing to run: help was printed, or an error of usage was reported.
pub(crate) fn parse(args: impl Iterator<Item = OsString>) -> Result<(Cli, Called), u8> {
    let args: Vec<OsString> = args.collect();
    let mut command = command();
    let read = command.try_get_matches_from_mut(&args);
    let read =
        read.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, Called::of(&matches))));
    read.map_err(|error| {
        if !error.use_stderr() {
            return printed(&error);
        }
        let text = explained(&error).unwrap_or_else(|| error.to_string());
        let message = text.trim_start_matches("error: ").trim_end();
        report_to_program(LOCAL, message, Called::of_wrong(&command, &args).reports());
        say(text.trim_end());
        LOCAL
    })
}

/// Prints the help or the version that was asked for. Returns the exit code.
fn printed(error: &clap::Error) -> u8 {
    match error.print() {
        // A closed pipe or terminal needs no report.
        Ok(()) => 0,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(error) => {
            say(&format!("error: cannot write to standard output: {error}"));
            LOCAL
        }
    }
}

/// The text of an error about a number, with a sentence of this program instead of the standard
/// library's. Returns `None` for other errors.
fn explained(error: &clap::Error) -> Option<String> {
    let source = match error.kind() {
        ErrorKind::ValueValidation => error.source()?,
        ErrorKind::UnknownArgument => return of_minus(error),
        _ => return None,
    };
    let given = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(given)) => given.as_str(),
        _ => "",
    };
    let sentence = match source.downcast_ref::<ParseIntError>() {
        Some(error) => of_number(error, given).to_owned(),
        None if source.is::<ParseFloatError>() => "give a number, such as 2.5".to_owned(),
        None => of_range(&source.to_string())?,
    };
    Some(error.to_string().replace(&source.to_string(), &sentence))
}

/// The text for a value such as `-5,1`, which the parser takes for an option.
fn of_minus(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let is_number = (given.strip_prefix('-')?).starts_with(|first: char| first.is_ascii_digit());
    is_number.then(|| format!("error: unknown option {given}; negative values are not allowed"))
}

/// The sentence for the parser's message about a range, such as `-1 is not in 0..=9`.
fn of_range(words: &str) -> Option<String> {
    let (_, range) = words.split_once(" is not in ")?;
    let (first, last) = range.split_once("..=")?;
    Some(format!("give a whole number from {first} to {last}"))
}

fn of_number(error: &ParseIntError, given: &str) -> &'static str {
    match error.kind() {
        IntErrorKind::PosOverflow => "the number is too large",
        IntErrorKind::NegOverflow => "the number is too small",
        _ if given.starts_with('-') => "give a whole number that is not negative, such as 9",
        _ => "give a whole number in digits, such as 9",
    }
}

/// The command line, for parsing, completions and manual pages.
pub(crate) fn command() -> Command {
    complete(Cli::command(), "")
}

/// Adds the exit codes to the help of a command and its subcommands. Lets options take negative
/// numbers as values, so that the error names the option instead of an unknown option `-5`.
fn complete(command: Command, path: &str) -> Command {
    let mut command = command.mut_args(|arg| {
        if arg.get_action().takes_values() && !arg.is_positional() {
            arg.allow_negative_numbers(true)
        } else {
            arg
        }
    });
    let names: Vec<String> = command
        .get_subcommands()
        .map(|inner| inner.get_name().to_owned())
        .collect();
    for name in names {
        let path = format!("{path} {name}");
        command = command.mut_subcommand(name, |inner| complete(inner, path.trim_start()));
    }
    let help = (command.get_after_help()).map_or(String::new(), |help| help.to_string());
    // Some commands describe the codes themselves.
    let codes = if help.contains("Exit codes:") {
        String::new()
    } else {
        exit_codes(path)
    };
    let help = reflow(&format!("{help}\n\n{codes}"));
    command.after_help(help.trim_start().to_owned())
}

/// The exit codes of a command in addition to 0 and 1. Those of a group are the codes of all its
/// commands.
fn further_codes(path: &str) -> &'static [u8] {
    match path {
        "" => &[2, 3, 4, 130, 141],
        "demo" | "circuit run" => &[2, 3],
        "bench" => &[2, 3, 130],
        "host" => &[2, 3, 130],
        "join" | "resume" => &[2, 3, 4, 130],
        "audit" => &[2, 3, 4, 130],
        "verify" | "circuit compare" | "circuit prove" => &[4],
        "circuit" => &[2, 3, 4],
        "bridge" | "bridge squaredeal" | "bridge squaredeal verify" => &[4],
        _ => &[],
    }
}

fn exit_codes(path: &str) -> String {
    let further = further_codes(path);
    let codes = EXIT_CODES
        .iter()
        .filter(|(code, _)| *code <= 1 || further.contains(code))
        .map(|(code, meaning)| format!("{code} {meaning}"));
    let codes = codes.collect::<Vec<_>>().join(", ");
    wrapped(&format!("Exit codes: {codes}."), MAX_WIDTH, "")
}

/// Wraps the paragraphs of a help text to the maximum width. Indented lines stay as they are.
fn reflow(help: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut paragraph = String::new();
    for line in help.lines().chain([""]) {
        if !line.is_empty() && !line.starts_with(' ') {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(line);
            continue;
        }
        if !paragraph.is_empty() {
            parts.push(wrapped(&std::mem::take(&mut paragraph), MAX_WIDTH, ""));
        }
        parts.push(line.to_owned());
    }
    parts.join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_valid() {
        command().debug_assert();
    }

    /// The help of a command and of its subcommands, each with its name.
    fn helps(command: &Command) -> Vec<(String, String)> {
        let own = command.get_after_help().map(ToString::to_string);
        let own = (command.get_name().to_owned(), own.unwrap_or_default());
        let inner = command.get_subcommands().flat_map(helps);
        [own].into_iter().chain(inner).collect()
    }

    #[test]
    fn help_texts_fit_80_columns() {
        let helps = helps(&command());
        assert!(helps.len() > 20);
        for (name, help) in helps {
            for line in help.lines() {
                assert!(line.chars().count() <= 80, "{name}: {line}");
            }
        }
    }

    #[test]
    fn a_wrong_command_line_is_attributed_to_its_command() {
        for (line, name, json) in [
            ("dealerless", "", false),
            ("dealerless deal --json", "", true),
            (
                "dealerless circuit stats --cards x --json",
                "circuit stats",
                true,
            ),
            (
                "dealerless identity --json --home x succeed",
                "identity succeed",
                true,
            ),
            ("dealerless show verify", "show", false),
        ] {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let called = Called::of_wrong(&command(), &args);
            assert_eq!((&*called.name, called.json), (name, json), "{line}");
        }
    }
}
