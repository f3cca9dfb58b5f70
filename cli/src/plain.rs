//! A fixed hand over a line in the clear, as benches and tests want it: the host garbles, the guest
//! evaluates, and nobody decides anything.

use std::fmt::Display;

use anyhow::{Context, bail, ensure};
use dealerless::circuit::Party;
use dealerless::deck::Choice;
use dealerless::mpc::Security;
use dealerless::net::TcpTransport;
use dealerless::shuffle::Algorithm;
use dealerless_table::{Game, Terms};

use crate::console::Console;
use crate::deck_args::DeckArgs;
use crate::failure::OtherTerms;
use crate::memory::Limit;
use crate::output::count;
use crate::play::Table;
use crate::seat::take_seat;
use crate::session::{Greeting, PLAIN_LINE, SessionArgs, listen};
use crate::table::{GameName, StakesArgs, Wishes};

/// The most hands that a host may propose without being asked for them.
const UNASKED_HANDS: u32 = 100;

const NO_KINDS: &str = "--insecure-plain plays without kinds of cards";

/// The game by this name that has a fixed script.
///
/// # Errors
/// If it has none.
fn game(name: GameName) -> anyhow::Result<Game> {
    match name {
        GameName::Holdem => Ok(Game::Holdem),
        GameName::Draw => Ok(Game::Draw),
        GameName::Deck => Ok(Game::Deck),
        GameName::FixedHoldem => bail!("--insecure-plain plays without bets"),
    }
}

/// Waits for a guest, and deals.
///
/// # Errors
/// Those of the session.
pub(crate) fn host(
    at: &str,
    stakes: &StakesArgs,
    limit: Limit,
    session: &SessionArgs,
    json: bool,
) -> anyhow::Result<()> {
    ensure!(stakes.kinds.is_none(), NO_KINDS);
    let console = Console::new(Party::Garbler, json);
    let deck = DeckArgs {
        game: game(stakes.game)?,
        cards: stakes.cards,
        draw: stakes.draw,
        algorithm: (stakes.algorithm).unwrap_or(Choice::Given(Algorithm::FisherYates)),
        hands: stakes.hands.unwrap_or(1),
        limit: limit.into(),
    };
    wait(at, &deck, session, &console).inspect_err(|error| console.failed(error))
}

fn wait(at: &str, deck: &DeckArgs, session: &SessionArgs, console: &Console) -> anyhow::Result<()> {
    // Before anybody waits for it.
    let security = session.security;
    let table = Table::lay(deck.terms(security, 1)?, security);
    let (listener, address) = listen(at)?;
    console.notice(&format!("{}\n{PLAIN_LINE}\n", session.notice()))?;
    console.listening(address)?;
    let transport = TcpTransport::accept(&listener, session.patience())?;
    drop(listener);
    console.connected()?;
    console.terms(&table, security)?;

    let terms = table.terms.encode();
    let greeting = Greeting::exchange(transport, Party::Garbler, session, &terms)?;
    if !greeting.peer_terms().is_empty() {
        greeting.refuse();
        return Err(OtherTerms("it did not come to join a game").into());
    }
    take_seat(greeting.set_up()?, &table, console)
}

/// Goes to a host.
///
/// # Errors
/// Those of the session, and if the host's terms are not what this side insists on.
pub(crate) fn join(
    at: &str,
    wishes: &Wishes,
    limit: Limit,
    session: &SessionArgs,
    json: bool,
) -> anyhow::Result<()> {
    let console = Console::new(Party::Evaluator, json);
    go(at, wishes, limit, session, &console).inspect_err(|error| console.failed(error))
}

fn go(
    at: &str,
    wishes: &Wishes,
    limit: Limit,
    session: &SessionArgs,
    console: &Console,
) -> anyhow::Result<()> {
    console.notice(&format!("{}\n{PLAIN_LINE}\n", session.notice()))?;
    let transport = TcpTransport::connect(at, session.message())?;
    console.connected()?;
    let greeting = Greeting::exchange(transport, Party::Evaluator, session, &[])?;
    let agreed = Terms::decode(greeting.peer_terms())
        .map_err(anyhow::Error::from)
        .and_then(|terms| check(wishes, limit, &terms, session.security).map(|()| terms));
    let terms = match agreed {
        Ok(terms) => terms,
        Err(error) => {
            greeting.refuse();
            return Err(error);
        }
    };
    let table = Table::lay(terms, session.security);
    console.terms(&table, session.security)?;
    take_seat(greeting.set_up()?, &table, console)
}

/// # Errors
/// When the host's terms are not what this side insists on.
fn check(wishes: &Wishes, limit: Limit, terms: &Terms, security: Security) -> anyhow::Result<()> {
    ensure!(wishes.kinds.is_none(), NO_KINDS);
    let spec = terms.spec();
    let wish = wishes.game.map(game).transpose()?;
    agree("--game", wish, terms.game())?;
    agree("--cards", wishes.cards, spec.cards())?;
    agree("--draw", wishes.draw, spec.draw())?;
    if let Some(choice) = wishes.algorithm {
        let wish = choice.spec(spec.cards(), spec.draw(), security)?;
        agree("--algorithm", Some(wish.algorithm()), spec.algorithm())?;
    }
    agree("--hands", wishes.hands, terms.hands())?;
    if wishes.hands.is_none() && terms.hands() > UNASKED_HANDS {
        bail!(
            "the host proposes {} hands; to play more than {UNASKED_HANDS} say so with --hands",
            count(terms.hands().into())
        );
    }
    (limit.check_session(spec, security, 1, 1)).context("the host proposes too much")
}

fn agree<V: PartialEq + Display>(option: &str, wish: Option<V>, proposed: V) -> anyhow::Result<()> {
    match wish {
        Some(wish) if wish != proposed => {
            bail!("{option} {wish} was asked for, and the host proposes {proposed}")
        }
        _ => Ok(()),
    }
}
