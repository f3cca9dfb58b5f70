//! `table`, and `--browser` of `host`, `join` and `resume`: the match on a page that this program
//! serves to a browser on the same machine.
//!
//! The process that serves the page never opens the keys. It starts the same program again with
//! `--json`, and relays the lines of docs/table-protocol.md between that child and the page. The
//! lobby shows the output of commands with `--json`. So the page gets no information that other
//! programs do not get. The input from a browser is parsed by a process that has no secrets except
//! the cookie, the key and the tokens of the page.
//!
//! docs/browser.md describes the protocol between the page and the program.

mod answers;
mod assets;
mod gate;
mod lines;
mod page_lines;
mod printed;
mod programs;
mod qr;
mod requests;
mod routes;
mod server;

use std::ffi::OsString;
use std::io::{self, BufRead, IsTerminal};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::Arc;
use std::thread;

use anyhow::Context;
use dealerless_command_line::system_rng;
use rand::RngExt;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::failure::BrokenOff;
use crate::output::{say, show, show_json};
use crate::table::FolderArgs;
use gate::Gate;
use programs::{ProgramArgs, Programs, Start};
use server::Server;

/// Opens the table in a browser: host, join or resume a match, or look at records.
///
/// This program serves the page on this machine, and only to this machine. The page gets no
/// information that the terminal does not get. Keys and files stay with the program.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless table\n  \
    dealerless table --no-open --address 127.0.0.1 --port 41952 --name Anna\n\n\
    The printed address can be used once. Enter prints a new address. Ctrl-C ends the program, and\n\
    leaves a match in play open.")]
pub(crate) struct Args {
    #[command(flatten)]
    folder: FolderArgs,
    /// Your name, as the other player sees it [default: your user name].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The port of the page; 0 takes a free one. On Linux and Windows, a port that you choose has a random
    /// address in 127.0.0.0/8, because a browser may keep parts of what another server has shown at the same
    /// address and port.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// The address of the page, in 127.0.0.0/8 [default: 127.0.0.1, or a random one with --port].
    #[arg(long, value_name = "ADDRESS", value_parser = loopback)]
    address: Option<Ipv4Addr>,
    /// Do not open a browser.
    #[arg(long)]
    no_open: bool,
    /// Print one JSON object with the address; everything else goes to standard error.
    #[arg(long)]
    json: bool,
}

/// Runs `table`.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let own = ProgramArgs::new(&args.folder, args.name.as_deref());
    Page {
        own,
        at: place(args.address, args.port),
        opens: !args.no_open,
        json: args.json,
        first: None,
    }
    .serve()
}

/// Serves a page for the match of this process's command line, with this folder and name. `first_line` is
/// passed to the standard input of the program that plays.
pub(crate) fn play(
    folder: &FolderArgs,
    name: Option<&str>,
    first_line: Option<String>,
    opens: bool,
) -> anyhow::Result<()> {
    let args = same_arguments(std::env::args_os().skip(1));
    Page {
        own: ProgramArgs::new(folder, name),
        at: place(None, 0),
        opens,
        json: false,
        first: Some(Start { args, first_line }),
    }
    .serve()
}

/// The address of the page. An origin at a chosen port outlives this program: another user's server at the
/// same address can have left a worker there, which the browser would run in place of the page. So a
/// chosen port has a random address, where the system has all of 127.0.0.0/8.
fn place(address: Option<Ipv4Addr>, port: u16) -> SocketAddrV4 {
    let has_all = cfg!(any(target_os = "linux", target_os = "windows"));
    let is_random = address.is_none() && port != 0 && has_all;
    let address = if is_random {
        // Neither the first nor the last address, and not the usual one.
        Ipv4Addr::from_bits(0x7f00_0000 | system_rng().random_range(2..0x00ff_ffff))
    } else {
        address.unwrap_or(Ipv4Addr::LOCALHOST)
    };
    if port != 0 && !is_random {
        say(
            "The browser may still run parts of a page that another server has shown at this address and \
             port. Choose a port that no other server uses, or open the address in a private window.",
        );
    }
    SocketAddrV4::new(address, port)
}

fn loopback(text: &str) -> Result<Ipv4Addr, &'static str> {
    let address: Option<Ipv4Addr> = text.parse().ok();
    let address = address.filter(Ipv4Addr::is_loopback);
    address.ok_or("expected an address in 127.0.0.0/8")
}

/// The arguments of this process, changed for the program behind the page.
fn same_arguments(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let of_page = |arg: &OsString| arg == "--browser" || arg == "--no-open";
    let mut args: Vec<OsString> = args.filter(|arg| !of_page(arg)).collect();
    // After the subcommand, and before a `--`, which ends the options.
    let at = 1.min(args.len());
    args.splice(at..at, ["--json".into(), "--pause".into()]);
    args
}

/// The settings of the server.
struct Page {
    own: ProgramArgs,
    at: SocketAddrV4,
    opens: bool,
    json: bool,
    /// The arguments of the program that starts together with the page.
    first: Option<Start>,
}

impl Page {
    fn serve(self) -> anyhow::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("cannot start the server of the page")?;
        runtime.block_on(self.until_ended())
    }

    /// Serves the page until the user ends it.
    async fn until_ended(self) -> anyhow::Result<()> {
        let (server, address) = Server::bind(self.at).await?;
        let gate = Arc::new(Gate::new(address));
        self.announce(&gate)?;
        let programs = Arc::new(Programs::new(self.own.clone())?);
        if let Some(first) = self.first {
            programs.start(first).await?;
        }
        let mut ended = ended()?;
        // With --json there is nobody who presses Enter.
        if !self.json {
            addresses_on_enter(gate.clone())?;
        }
        tokio::select! {
            () = server.serve(gate, programs.clone()) => {}
            _ = ended.recv() => {}
        }
        programs.end().await;
        if programs.last().is_some_and(|last| last.was_broken_off()) {
            Err(BrokenOff.into())
        } else {
            Ok(())
        }
    }

    fn announce(&self, gate: &Gate) -> anyhow::Result<()> {
        let address = gate.new_address();
        if self.json {
            show_json("table", &json!({ "address": address }))?
        } else {
            show(&format!(
                "Open the table in a browser on this machine:\n\n{address}\n\n\
                 The address can be used once. Enter prints a new address. Ctrl-C ends the program."
            ))?
        }
        if self.opens && open::that_detached(&address).is_err() {
            say("No browser could be opened: open the address yourself.");
        }
        Ok(())
    }
}

/// Returns a channel that receives Ctrl-C, the end of the terminal and the signal to terminate. The
/// second signal ends the process at once.
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

/// Prints another address whenever Enter is pressed, if standard input is a terminal.
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
