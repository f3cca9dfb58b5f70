//! `table`, and `--browser` of `host`, `join` and `resume`: the match on a page that this program serves
//! to a browser of this machine.
//!
//! The process that serves the page never opens the keys. It starts this same program once more, with
//! `--json`, and passes the lines of docs/table-protocol.md between that child and the page; what the
//! lobby shows is what the commands with `--json` print. So the page knows nothing that another program
//! does not, and what a browser sends is read by a process that has no secrets but the way to itself.
//!
//! docs/browser.md describes what page and program say to each other.

mod answers;
mod assets;
mod gate;
mod lines;
mod page_lines;
mod printed;
mod programs;
mod qr;
mod routes;
mod server;
mod wishes;

use std::ffi::OsString;
use std::io::{self, BufRead, IsTerminal};
use std::sync::Arc;
use std::thread;

use anyhow::Context;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::failure::BrokenOff;
use crate::output::{say, show, show_json};
use crate::table::FolderArgs;
use gate::Gate;
use programs::{Own, Programs};
use server::Server;

/// Opens the table in a browser: host, join, go on with a match, look at records.
///
/// The page is served by this program, on this machine and to this machine alone. It knows nothing
/// that the terminal does not; keys and files stay with the program.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless table\n  \
    dealerless table --no-open --port 41952 --name Anna\n\n\
    The address that it prints can be used once. Enter prints another, Ctrl-C ends it; a match that\n\
    is being played then stays open.")]
pub(crate) struct Args {
    #[command(flatten)]
    folder: FolderArgs,
    /// What the other player sees as your name [default: the name of the user].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The port of the page, on 127.0.0.1; 0 takes a free one. A browser may keep parts of what another
    /// server has shown at the same port: take one that no other uses.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Open no browser.
    #[arg(long)]
    no_open: bool,
    /// Print one JSON object with the address; everything else goes to standard error.
    #[arg(long)]
    json: bool,
}

/// Runs `table`.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let own = Own::new(args.folder.again(), args.name.as_deref());
    Page {
        own,
        port: args.port,
        opens: !args.no_open,
        json: args.json,
        first: None,
    }
    .serve()
}

/// Plays on a page what this process was started for, by the player of this folder and name.
pub(crate) fn play(
    (folder, name): (Vec<OsString>, Option<&str>),
    opens: bool,
) -> anyhow::Result<()> {
    Page {
        own: Own::new(folder, name),
        port: 0,
        opens,
        json: false,
        first: Some(same_arguments(std::env::args_os().skip(1))),
    }
    .serve()
}

/// The arguments of this process for the program behind the page.
fn same_arguments(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let of_page = |arg: &OsString| arg == "--browser" || arg == "--no-open";
    let mut args: Vec<OsString> = args.filter(|arg| !of_page(arg)).collect();
    // Behind the command, before anything that `--` keeps from being an option.
    let at = 1.min(args.len());
    args.splice(at..at, ["--json".into(), "--pause".into()]);
    args
}

/// What is to be served.
struct Page {
    own: Own,
    port: u16,
    opens: bool,
    json: bool,
    /// The arguments of the program with which the page begins.
    first: Option<Vec<OsString>>,
}

impl Page {
    fn serve(self) -> anyhow::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("cannot begin to serve the page")?;
        runtime.block_on(self.until_ended())
    }

    /// Serves the page until the user ends it.
    async fn until_ended(self) -> anyhow::Result<()> {
        let (server, address) = Server::bind(self.port).await?;
        let gate = Arc::new(Gate::new(address));
        self.tell(&gate)?;
        let programs = Arc::new(Programs::new(self.own.clone())?);
        if let Some(args) = self.first {
            programs.start(args).await?;
        }
        let mut ended = ended()?;
        // A program reads one object, and nobody presses Enter.
        if !self.json {
            addresses_on_enter(gate.clone())?;
        }
        tokio::select! {
            () = server.serve(gate, programs.clone()) => {}
            _ = ended.recv() => {}
        }
        programs.end().await;
        match programs.last().is_some_and(|last| last.was_broken_off()) {
            true => Err(BrokenOff.into()),
            false => Ok(()),
        }
    }

    fn tell(&self, gate: &Gate) -> anyhow::Result<()> {
        let address = gate.new_address();
        match self.json {
            true => show_json("table", &json!({ "address": address }))?,
            false => show(&format!(
                "The table is on a page of your browser, on this machine alone:\n\n{address}\n\n\
                 The address can be used once; Enter prints another. Ctrl-C ends the program."
            ))?,
        }
        if self.opens && open::that_detached(&address).is_err() {
            say("No browser could be opened: open the address yourself.");
        }
        Ok(())
    }
}

/// Ctrl-C, the end of the terminal, the wish of the system. The second time the process ends at once.
fn ended() -> anyhow::Result<UnboundedReceiver<()>> {
    let (sender, ended) = unbounded_channel();
    let mut asked = false;
    ctrlc::set_handler(move || {
        if asked || sender.send(()).is_err() {
            std::process::exit(crate::failure::BROKEN_OFF.into());
        }
        asked = true;
    })?;
    Ok(ended)
}

/// Prints another address whenever Enter is pressed, where a person sits at the terminal.
fn addresses_on_enter(gate: Arc<Gate>) -> io::Result<()> {
    if !io::stdin().is_terminal() {
        return Ok(());
    }
    let read = move || {
        for line in io::stdin().lock().lines() {
            if line.is_err() || show(&gate.new_address()).is_err() {
                break;
            }
        }
    };
    let thread = thread::Builder::new().name("enter".into());
    thread.spawn(read).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_behind_the_page_gets_the_same_arguments() {
        let args = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        let given = args("join --browser --name Anna --no-open -- Bert");
        let passed = same_arguments(given.into_iter());
        assert_eq!(passed, args("join --json --pause --name Anna -- Bert"));
    }
}
