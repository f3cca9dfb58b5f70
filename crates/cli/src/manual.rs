//! `completions` and `man`: shell completions and manual pages.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::output::{say, to_standard_output};
use crate::usage;
use crate::whole_file;

/// Prints a shell script that completes command lines of this program.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless completions bash \\\n      \
    > ~/.local/share/bash-completion/completions/dealerless\n  \
    dealerless completions fish > ~/.config/fish/completions/dealerless.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the manual page of this program, or writes one page for each command.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless man | man -l -\n  \
    dealerless man -o ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write a page for each command into this folder, which is created if it is missing. `-` is
    /// standard output.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Runs `completions`.
pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut usage::command(), "dealerless", &mut script);
    to_standard_output(|output| output.write_all(&script))
}

/// Runs `man`.
pub(crate) fn man(args: &ManArgs) -> anyhow::Result<()> {
    let mut command = usage::command();
    command.build();
    let folder = match &args.output {
        Some(folder) if !whole_file::is_standard_output(folder) => folder,
        _ => {
            let page = page(command)?;
            return to_standard_output(|output| output.write_all(&page));
        }
    };
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut written = 0;
    let mut left = vec![command.display_name("dealerless")];
    while let Some(command) = left.pop() {
        let name = command.get_display_name().unwrap_or(command.get_name());
        let file = folder.join(format!("{name}.1"));
        let inner = command
            .get_subcommands()
            .filter(|inner| inner.get_name() != "help");
        left.extend(inner.cloned());
        let page = page(command)?;
        whole_file::write(&file, |file| file.write_all(&page))?;
        written += 1;
    }
    say(&format!("Wrote {written} pages into {}.", folder.display()));
    Ok(())
}

fn page(command: clap::Command) -> anyhow::Result<Vec<u8>> {
    let mut page = Vec::new();
    let source = concat!("dealerless ", env!("CARGO_PKG_VERSION"));
    Man::new(command).source(source).render(&mut page)?;
    let page = String::from_utf8(page).context("a page is text")?;
    Ok(as_typed(&page).into_bytes())
}

/// Returns the page with commands that keep the lines of indented examples and tables. Without the
/// commands, `man` would join these lines into paragraphs.
fn as_typed(page: &str) -> String {
    let mut typed = String::new();
    let mut inside = false;
    for line in page.lines() {
        if line.starts_with(' ') != inside {
            inside = !inside;
            typed += if inside { ".nf\n.in 0\n" } else { ".in\n.fi\n" };
        }
        typed += match line {
            ".SH EXTRA" => ".SH NOTES",
            line => line,
        };
        typed.push('\n');
    }
    typed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indented_lines_are_kept_as_typed() {
        let page = ".SH EXTRA\nExamples:\n  one\n  two\n\nThree\n";
        let typed = ".SH NOTES\nExamples:\n.nf\n.in 0\n  one\n  two\n.in\n.fi\n\nThree\n";
        assert_eq!(as_typed(page), typed);
    }
}
