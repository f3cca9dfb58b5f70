//! The command line of a program: parsing, and errors of usage.

use std::env;
use std::error::Error as _;
use std::ffi::OsString;
use std::io;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command, FromArgMatches};
use dealerless::Blame;

use crate::output::say;

/// The exit code of wrong usage and local errors.
pub const LOCAL: u8 = Blame::ThisSide.exit_code();

/// The command that was called, and whether it reports to a program.
pub struct Called {
    /// The command with its parents, such as `circuit stats`.
    pub name: String,
    /// Whether the option `--json` was given.
    pub json: bool,
}

impl Called {
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

/// Parses the arguments of the program by the definition `command`. An error of usage is shown, and
/// `report` gets the called command, the exit code and the message.
///
/// # Errors
/// The exit code, if there is nothing to run: help was printed, or an error of usage was reported.
pub fn parse<C: FromArgMatches>(
    command: Command,
    report: impl FnOnce(&Called, u8, &str),
) -> Result<(C, Called), u8> {
    let args: Vec<OsString> = env::args_os().collect();
    let mut command = takes_negative_numbers(command);
    let read = command.try_get_matches_from_mut(&args);
    let read = read.and_then(|matches| Ok((C::from_arg_matches(&matches)?, Called::of(&matches))));
    read.map_err(|error| {
        if !error.use_stderr() {
            return printed(&error);
        }
        let text = explained(&error).unwrap_or_else(|| error.to_string());
        let message = text.trim_start_matches("error: ").trim_end();
        report(&Called::of_wrong(&command, &args), LOCAL, message);
        say(text.trim_end());
        LOCAL
    })
}

/// Lets the options of a command and its subcommands take negative numbers as values, so that the error
/// names the option instead of an unknown option `-5`.
fn takes_negative_numbers(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        if arg.get_action().takes_values() && !arg.is_positional() {
            arg.allow_negative_numbers(true)
        } else {
            arg
        }
    });
    command.mut_subcommands(takes_negative_numbers)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_command_line_is_attributed_to_its_command() {
        let circuit = Command::new("circuit").subcommand(Command::new("stats"));
        let identity = Command::new("identity").subcommand(Command::new("succeed"));
        let others = ["show", "verify"].map(Command::new);
        let command = Command::new("dealerless")
            .subcommands([circuit, identity])
            .subcommands(others);
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
            let called = Called::of_wrong(&command, &args);
            assert_eq!((&*called.name, called.json), (name, json), "{line}");
        }
    }
}
