//! `host`: waits for the other player, and garbles.

use dealerless::circuit::Party;
use dealerless::net::TcpTransport;

use crate::console::Console;
use crate::deck_args::DeckArgs;
use crate::failure::OtherTerms;
use crate::play::Table;
use crate::seat::take_seat;
use crate::session::{Greeting, PLAIN_LINE, SessionArgs, address, listen};

/// Waits for another player to join, and plays with it.
///
/// The host proposes what is played, and garbles.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  \
    dealerless host --listen 0.0.0.0:5252 --game holdem --hands 3\n\n\
    It waits for the other player as long as it takes, unless --timeout is given.\n\n\
    With --json standard output carries JSON Lines, one object an event:\n\
    listening, connected, terms, sealed, opened, done, error.")]
pub(crate) struct Args {
    /// Where to wait for the other player; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:5252", value_parser = address)]
    listen: String,
    #[command(flatten)]
    deck: DeckArgs,
    #[command(flatten)]
    session: SessionArgs,
    /// Print JSON Lines; everything else goes to standard error.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let console = Console::new(Party::Garbler, args.json);
    host(args, &console).inspect_err(|error| console.failed(error))
}

fn host(args: &Args, console: &Console) -> anyhow::Result<()> {
    // Before anybody waits for it.
    let security = args.session.security;
    let table = Table::lay(args.deck.terms(security, 1)?, security);
    let (listener, address) = listen(&args.listen)?;
    console.notice(&format!("{}\n{PLAIN_LINE}\n", args.session.notice()))?;
    console.listening(address)?;
    let transport = TcpTransport::accept(&listener, args.session.patience())?;
    drop(listener);
    console.connected()?;
    console.terms(&table, security)?;

    let terms = table.terms.encode();
    let greeting = Greeting::exchange(transport, Party::Garbler, &args.session, &terms)?;
    if !greeting.peer_terms().is_empty() {
        greeting.refuse();
        return Err(OtherTerms("it did not come to join a game").into());
    }
    take_seat(greeting.set_up()?, &table, console)
}
