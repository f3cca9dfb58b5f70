//! The definition of the command line, and the end of each help text.

use clap::{Command, CommandFactory};

use crate::Cli;
use crate::failure::EXIT_CODES;
use crate::output::{MAX_WIDTH, wrapped};

/// The command line, for parsing, completions and manual pages.
pub(crate) fn command() -> Command {
    complete(Cli::command(), "")
}

/// Adds the exit codes to the help of a command and its subcommands.
fn complete(mut command: Command, path: &str) -> Command {
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
}
