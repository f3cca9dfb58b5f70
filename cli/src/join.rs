//! `join`: goes to the other player's table, and evaluates.

use std::fmt::Display;

use anyhow::{Context, bail};
use dealerless::circuit::Party;
use dealerless::deck::Choice;
use dealerless::mpc::Security;
use dealerless::net::TcpTransport;
use dealerless_table::{Game, Terms};

use crate::console::Console;
use crate::deck_args::{algorithm, game};
use crate::memory::{self, Limit};
use crate::output::count;
use crate::play::Table;
use crate::seat::take_seat;
use crate::session::{Greeting, PLAIN_LINE, SessionArgs, address};

/// The most hands that a host may propose without being asked for them.
const UNASKED_HANDS: u32 = 100;

/// Joins a player who hosts.
///
/// The host proposes what is played; the options refuse everything else.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless join 192.0.2.1:5252\n  \
    dealerless join 192.0.2.1:5252 --game holdem --hands 3\n\n\
    With --json standard output carries JSON Lines, one object an event:\n\
    connected, terms, sealed, opened, done, error.")]
pub(crate) struct Args {
    /// Where the other player waits, as its screen says.
    #[arg(value_name = "ADDRESS", value_parser = address)]
    address: String,
    #[command(flatten)]
    wishes: Wishes,
    #[command(flatten)]
    session: SessionArgs,
    /// Print JSON Lines; everything else goes to standard error.
    #[arg(long)]
    json: bool,
}

/// What the joiner insists on.
#[derive(clap::Args)]
struct Wishes {
    /// Play only this game.
    #[arg(long, value_name = "GAME", value_parser = game())]
    game: Option<Game>,
    /// Play only with a deck of so many cards.
    #[arg(long, value_name = "N")]
    cards: Option<usize>,
    /// Play only if so many cards are drawn.
    #[arg(long, value_name = "M")]
    draw: Option<usize>,
    /// Play only with this shuffle; auto is the one with the fewest AND gates.
    #[arg(long, value_name = "ALGORITHM", value_parser = algorithm())]
    algorithm: Option<Choice>,
    /// Play only so many hands; above 100 this must be said.
    #[arg(long, value_name = "K")]
    hands: Option<u32>,
    /// Refuse what takes more memory than this, by an estimate: 500M or 4G, for example.
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = memory::limit)]
    memory: Limit,
}

impl Wishes {
    /// # Errors
    /// When the host's terms are not what this side insists on.
    fn check(&self, terms: &Terms, security: Security) -> anyhow::Result<()> {
        let spec = terms.spec();
        agree("--game", self.game, terms.game())?;
        agree("--cards", self.cards, spec.cards())?;
        agree("--draw", self.draw, spec.draw())?;
        if let Some(choice) = self.algorithm {
            let wish = choice.spec(spec.cards(), spec.draw(), security)?;
            agree("--algorithm", Some(wish.algorithm()), spec.algorithm())?;
        }
        agree("--hands", self.hands, terms.hands())?;
        if self.hands.is_none() && terms.hands() > UNASKED_HANDS {
            bail!(
                "the host proposes {} hands; to play more than {UNASKED_HANDS} say so with --hands",
                count(terms.hands().into())
            );
        }
        (self.memory.check_session(spec, security, 1, 1)).context("the host proposes too much")
    }
}

fn agree<V: PartialEq + Display>(option: &str, wish: Option<V>, proposed: V) -> anyhow::Result<()> {
    match wish {
        Some(wish) if wish != proposed => {
            bail!("{option} {wish} was asked for, and the host proposes {proposed}")
        }
        _ => Ok(()),
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let console = Console::new(Party::Evaluator, args.json);
    join(args, &console).inspect_err(|error| console.failed(error))
}

fn join(args: &Args, console: &Console) -> anyhow::Result<()> {
    console.notice(&format!("{}\n{PLAIN_LINE}\n", args.session.notice()))?;
    let transport = TcpTransport::connect(args.address.as_str(), args.session.message())?;
    console.connected()?;
    let greeting = Greeting::exchange(transport, Party::Evaluator, &args.session, &[])?;
    let agreed = Terms::decode(greeting.peer_terms())
        .map_err(anyhow::Error::from)
        .and_then(|terms| {
            args.wishes
                .check(&terms, args.session.security)
                .map(|()| terms)
        });
    let terms = match agreed {
        Ok(terms) => terms,
        Err(error) => {
            greeting.refuse();
            return Err(error);
        }
    };
    let table = Table::lay(terms, args.session.security);
    console.terms(&table, args.session.security)?;
    take_seat(greeting.set_up()?, &table, console)
}
