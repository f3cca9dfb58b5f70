//! The host's options for the stakes of a match, and the values of options that the guest has, too.

use std::sync::Arc;

use anyhow::ensure;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use dealerless::deck::Choice;
use dealerless::mpc::EngineKind;
use dealerless::shuffle::{Algorithm, Spec};
use dealerless_command_line::arguments;
use dealerless_seat::game_name::GameName;
pub(super) use dealerless_seat::terms::{Pair, TWO_TABLES, Time};
use dealerless_seat::terms::{TableOptions, Terms};
use dealerless_seat::words;
use dealerless_table::log::Header;
use dealerless_table::play::{DealCircuit, Proposal, Seating, TableTerms};
use dealerless_table::rules::{NamedKinds, Stakes};

use super::headings::GAME;
use crate::memory::Limit as Memory;

/// A parser of the names of these games that lists them in the help.
pub(crate) fn game_name(is_one: fn(&GameName) -> bool) -> impl TypedValueParser<Value = GameName> {
    let value = |game: GameName| PossibleValue::new(game.as_str()).help(about(game));
    let find = |name: String| GameName::ALL.into_iter().find(|game| game.as_str() == name);
    PossibleValuesParser::new(GameName::ALL.into_iter().filter(is_one).map(value))
        .map(move |name| find(name).expect("a possible value"))
}

fn about(game: GameName) -> String {
    let title = words::capitalized(&game.title(false));
    match (game.poker(), game) {
        (Some(_), _) => title,
        (None, GameName::Bridge) => {
            "Boards of bridge: the players agree who sees which hands".into()
        }
        (None, _) => format!("{title}: the players agree who sees which cards"),
    }
}

/// The host's offer.
#[derive(Clone, Default, PartialEq, clap::Args)]
#[command(next_help_heading = GAME)]
pub(crate) struct StakesArgs {
    /// The game to play [default: holdem].
    #[arg(long, value_name = "GAME", value_parser = game_name(|_| true))]
    game: Option<GameName>,
    /// Maximum number of players. With more than two, the invite is a link for all guests, and each
    /// player shuffles in turn with a proof; only for poker, with at most 10 players (5 in draw) [default: 2].
    #[arg(long, value_name = "N")]
    seats: Option<u8>,
    /// Let everybody who has the link of the table take a free seat, without asking you. One person can
    /// then take several seats.
    #[arg(long)]
    pub(crate) open: bool,
    /// Players who may disappear in a hand; the others then finish it. Any N - K players together can
    /// read all cards; only with more than two players and a clock [default: 0].
    #[arg(long, value_name = "K")]
    may_leave: Option<u8>,
    /// Accept --may-leave K although one player who also cuts the connections between others could then
    /// play two tables at once.
    #[arg(long)]
    accept_two_tables: bool,
    /// Hands in the match; in bridge, sets of boards. A table of more than two lasts until its players leave; K
    /// hands without a change of players close it [default: 10; in bridge 1; at a table 1000].
    #[arg(long, value_name = "K")]
    hands: Option<u32>,
    /// Chips of each player at the start; at a table, those of a player who buys in [default: 200].
    #[arg(long, value_name = "CHIPS")]
    stack: Option<u64>,
    /// How often each player may buy a full stack again; only with more than two players [default: any
    /// number of times].
    #[arg(long, value_name = "N")]
    rebuys: Option<u8>,
    /// The small and the big blind [default: 1/2].
    #[arg(long, value_name = "A/B", conflicts_with = "ante")]
    blinds: Option<Pair>,
    /// The ante and the smallest bet, instead of blinds.
    #[arg(long, value_name = "A/BET")]
    ante: Option<Pair>,
    /// Seconds for each move and in each player's time bank, or `none`. When both have run out, the
    /// player checks or folds, and sits out; in deck and bridge the player passes [default: 30+120;
    /// in deck and bridge none].
    #[arg(long, value_name = "MOVE+BANK")]
    time: Option<Time>,
    /// Cards in the deck; only for --game deck [default: 52].
    #[arg(long, value_name = "N")]
    cards: Option<usize>,
    /// Kinds of cards with the number of each: knight=14,castle=5,road=2, or 14,5,2; only for
    /// --game deck.
    #[arg(long, value_name = "KINDS", conflicts_with = "cards")]
    kinds: Option<NamedKinds>,
    /// Cards drawn from the deck; only for --game deck [default: all].
    #[arg(long, value_name = "M")]
    draw: Option<usize>,
    /// Boards dealt together, 1 to 100; only for --game bridge [default: 24].
    #[arg(long, value_name = "N")]
    boards: Option<u32>,
    /// Shuffle algorithm; auto chooses the one with the smallest garbled circuit [default: auto].
    #[arg(long, value_name = "ALGORITHM", value_parser = arguments::algorithm())]
    algorithm: Option<Choice>,
}

impl StakesArgs {
    fn game(&self) -> GameName {
        self.game.unwrap_or(GameName::Holdem)
    }

    /// Whether any of these options was given.
    pub(crate) fn are_given(&self) -> bool {
        *self != StakesArgs::default()
    }

    /// The stakes of these options.
    ///
    /// # Errors
    /// If the options contradict each other.
    pub(crate) fn stakes(&self) -> anyhow::Result<Stakes> {
        Ok(self.terms().stakes()?)
    }

    fn terms(&self) -> Terms {
        Terms {
            game: self.game(),
            seats: self.seats,
            hands: self.hands,
            stack: self.stack,
            blinds: self.blinds,
            ante: self.ante,
            cards: self.cards,
            kinds: self.kinds.clone(),
            draw: self.draw,
            boards: self.boards,
        }
    }

    /// What the host proposes: a match of two, or a table.
    ///
    /// # Errors
    /// If the options contradict each other, or the circuit takes too much memory.
    pub(crate) fn proposal(&self, memory: Memory) -> anyhow::Result<Proposal> {
        if self.seats.is_none_or(|seats| seats == 2) {
            ensure!(
                self.may_leave.unwrap_or(0) == 0,
                "--may-leave requires more than two players: give their number with --seats"
            );
            ensure!(
                !self.open,
                "--open is for a table: give the number of its players with --seats"
            );
            ensure!(
                self.rebuys.is_none(),
                "--rebuys is for a table: give the number of its players with --seats"
            );
            // The circuit is dropped. Building it again when the guest has come takes only a moment.
            return Ok(self.propose(memory)?.0.into());
        }
        Ok(self.table()?.into())
    }

    /// The terms of a table.
    ///
    /// # Errors
    /// If the options contradict each other.
    fn table(&self) -> anyhow::Result<TableTerms> {
        ensure!(
            self.algorithm.is_none(),
            "--algorithm is for two players: with more, the deck is shuffled without a circuit"
        );
        let options = TableOptions {
            may_leave: self.may_leave.unwrap_or(0),
            accepts_two_tables: self.accept_two_tables,
            is_open: self.open,
            rebuys: self.rebuys,
        };
        Ok(self.terms().table(options, self.time)?)
    }

    /// The header of a match of two players, and the circuit for it.
    ///
    /// # Errors
    /// If the options contradict each other, or the circuit takes too much memory.
    pub(crate) fn propose(&self, memory: Memory) -> anyhow::Result<(Header, Arc<DealCircuit>)> {
        let stakes = self.stakes()?;
        let algorithm =
            DealCircuit::algorithm_for(self.algorithm.unwrap_or(Choice::Cheapest), &stakes)?;
        check_memory(&stakes, algorithm, memory)?;
        let time = self.time.unwrap_or_else(|| Time::default_of(self.game()));
        Ok(Seating::propose(stakes, algorithm, time.0)?)
    }
}

/// Checks the memory of a session for these stakes, before the circuit is built.
pub(super) fn check_memory(
    stakes: &Stakes,
    algorithm: Algorithm,
    memory: Memory,
) -> anyhow::Result<()> {
    let at_once = DealCircuit::BATCH.min(stakes.hands());
    let Some(boards) = stakes.boards() else {
        let (cards, drawn) = stakes.deck();
        let spec = Spec::new(cards, drawn, algorithm)?;
        return memory.check_session(spec, EngineKind::Malicious, 1, at_once);
    };
    let ands = DealCircuit::estimate(stakes, algorithm)?.ands();
    let name = format!("the deal of {boards} boards");
    memory.check_session_of(name, ands, EngineKind::Malicious, 1, at_once)
}
