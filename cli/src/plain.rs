//! A fixed hand over a line in the clear, as benches and tests want it: the host garbles, the guest
//! evaluates, and nobody decides anything.

use std::fmt::Display;

use anyhow::{Context, bail, ensure};
use dealerless::circuit::Party;
use dealerless::deck::Choice;
use dealerless::mpc::Security;
use dealerless::net::TcpTransport;
use dealerless::shuffle::Algorithm;
use dealerless_lab::session::{Evaluates, Greeting, PLAIN_LINE, SessionArgs, listen};
use dealerless_table::{Game, Terms};
use serde::{Deserialize, Serialize};

use crate::console::Console;
use crate::deck_args::DeckArgs;
use crate::failure::OtherTerms;
use crate::memory::Limit;
use crate::output::count;
use crate::play::Table;
use crate::seat::take_seat;
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
        GameName::Bridge => bail!("--insecure-plain plays without boards"),
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
        game: game(stakes.game())?,
        cards: stakes.cards,
        draw: stakes.draw,
        algorithm: (stakes.algorithm).unwrap_or(Choice::Given(Algorithm::FisherYates)),
        hands: stakes.hands.unwrap_or(1),
        limit: limit.into(),
    };
    wait(at, &deck, session, &console)
}

fn wait(at: &str, deck: &DeckArgs, session: &SessionArgs, console: &Console) -> anyhow::Result<()> {
    // Before anybody waits for it.
    let security = session.security;
    let table = Table::lay(deck.terms(security, 1)?, security);
    let (listener, address) = listen(at)?;
    console.notice(&format!(
        "{}\n{PLAIN_LINE}\n",
        session.notice(Evaluates::Deck)
    ))?;
    console.listening(address)?;
    let transport = TcpTransport::accept(&listener, session.patience())?;
    drop(listener);
    console.connected()?;
    console.terms(&table, security)?;

    let terms = table.terms.encode();
    let greeting = Greeting::exchange(transport, Party::Garbler, session, &terms)?;
    if let Err(error) = hear(greeting.peer_terms(), &table.terms, security) {
        greeting.refuse();
        return Err(error.into());
    }
    take_seat(greeting.set_up()?, &table, console)
}

/// Hears what a guest insists on, whatever it sends.
///
/// # Errors
/// If that is no wish, or another than the terms that are offered.
fn hear(wishes: &[u8], terms: &Terms, security: Security) -> Result<(), OtherTerms> {
    let differs = |error| OtherTerms(format!("{error:#}"));
    (Insists::decode(wishes)?.check(terms, security)).map_err(differs)
}

/// What a host of these terms says of any wishes of a guest, if it does not agree.
pub fn answer_to_wishes(wishes: &[u8], terms: &Terms) -> Option<String> {
    let outcome = hear(wishes, terms, Security::Malicious);
    outcome.err().map(|error| error.to_string())
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
    go(at, &Insists::on(wishes, limit)?, session, &console)
}

fn go(at: &str, insists: &Insists, session: &SessionArgs, console: &Console) -> anyhow::Result<()> {
    console.notice(&format!(
        "{}\n{PLAIN_LINE}\n",
        session.notice(Evaluates::Deck)
    ))?;
    let transport = TcpTransport::connect(at, session.message())?;
    console.connected()?;
    let greeting = Greeting::exchange(transport, Party::Evaluator, session, &insists.encode()?)?;
    let agreed = Terms::decode(greeting.peer_terms())
        .map_err(anyhow::Error::from)
        .and_then(|terms| insists.check(&terms, session.security).map(|()| terms));
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

/// What a guest insists on. Its hello says so: where the two sides do not agree, both know why.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Insists {
    game: Option<String>,
    cards: Option<usize>,
    draw: Option<usize>,
    algorithm: Option<String>,
    hands: Option<u32>,
    memory: Limit,
}

impl Insists {
    fn on(wishes: &Wishes, memory: Limit) -> anyhow::Result<Self> {
        ensure!(wishes.kinds.is_none(), NO_KINDS);
        let game = wishes.game.map(game).transpose()?;
        Ok(Insists {
            game: game.map(|game| game.name().to_owned()),
            cards: wishes.cards,
            draw: wishes.draw,
            algorithm: wishes.algorithm.map(|choice| choice.to_string()),
            hands: wishes.hands,
            memory,
        })
    }

    fn encode(&self) -> anyhow::Result<Vec<u8>> {
        Ok(serde_json::to_vec(self)?)
    }

    /// # Errors
    /// When the bytes are something else, or name what is not known: no text of a peer reaches the
    /// screen.
    fn decode(bytes: &[u8]) -> Result<Self, OtherTerms> {
        let insists: Insists = serde_json::from_slice(bytes)
            .map_err(|_| OtherTerms("it did not come to join a game".into()))?;
        let game = |name: &String| name.parse::<Game>().is_ok();
        let algorithm = |name: &String| name.parse::<Choice>().is_ok();
        if !insists.game.as_ref().is_none_or(game) {
            return Err(OtherTerms("it wants a game that is not known here".into()));
        }
        if !insists.algorithm.as_ref().is_none_or(algorithm) {
            let what = "it wants an algorithm that is not known here";
            return Err(OtherTerms(what.into()));
        }
        Ok(insists)
    }

    /// # Errors
    /// When the host's terms are others. Both sides tell their players so.
    fn check(&self, terms: &Terms, security: Security) -> anyhow::Result<()> {
        let spec = terms.spec();
        agree("--game", self.game.as_deref(), terms.game().name())?;
        agree("--cards", self.cards, spec.cards())?;
        agree("--draw", self.draw, spec.draw())?;
        if let Some(name) = &self.algorithm {
            let choice: Choice = name.parse()?;
            let wish = choice.spec(spec.cards(), spec.draw())?;
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

#[cfg(test)]
mod tests {
    use dealerless::mpc::MAX_TERMS;

    use super::*;

    #[test]
    fn the_longest_wishes_fit_into_a_hello() {
        let longest = |names: Vec<&'static str>| names.into_iter().max_by_key(|name| name.len());
        let insists = Insists {
            game: longest(Game::ALL.map(Game::name).to_vec()).map(str::to_owned),
            cards: Some(usize::MAX),
            draw: Some(usize::MAX),
            algorithm: longest(Algorithm::ALL.map(Algorithm::name).to_vec()).map(str::to_owned),
            hands: Some(u32::MAX),
            memory: Limit::megabytes(u32::MAX.into()),
        };
        let bytes = insists.encode().unwrap();
        assert!(bytes.len() <= MAX_TERMS, "{} bytes", bytes.len());
        assert_eq!(Insists::decode(&bytes).unwrap(), insists);
    }

    #[test]
    fn what_is_no_wish_is_refused() {
        for bytes in [
            &b""[..],
            b"bench",
            b"{}",
            b"[[[[",
            b"{\"cards\":-1}",
            &[255; 9],
        ] {
            assert!(Insists::decode(bytes).is_err());
        }
    }

    #[test]
    fn a_host_says_nothing_that_a_guest_has_written() {
        let terms = Terms::decode(b"holdem 52 9 fisher-yates 1").unwrap();
        let says = |field: &str, name: &str| {
            let wishes = serde_json::json!({ field: name, "memory": 1_u64 << 40 });
            answer_to_wishes(wishes.to_string().as_bytes(), &terms)
        };
        assert_eq!(says("game", "holdem"), None);
        assert!(says("game", "draw").unwrap().contains("--game draw"));
        for field in ["game", "algorithm"] {
            let said = says(field, "\u{1b}[2J").unwrap();
            assert!(said.contains("not known here"), "{said}");
        }
    }
}
