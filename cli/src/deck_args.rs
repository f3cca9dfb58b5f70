//! The options that say what is played and how it is shuffled.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use dealerless::deck::Choice;
use dealerless::mpc::Security;
use dealerless::shuffle::Algorithm;
use dealerless_program::arguments::algorithm;
use dealerless_table::{Game, Terms};

use crate::memory::MemoryArgs;

/// What a command plays.
#[derive(clap::Args)]
pub(crate) struct DeckArgs {
    /// Heads-up hold'em, five-card draw, or a bare deck opened to both.
    #[arg(long, value_name = "GAME", default_value_t = Game::Holdem, value_parser = game())]
    pub(crate) game: Game,
    /// Cards in the deck; only for --game deck [default: 52].
    #[arg(long, value_name = "N")]
    pub(crate) cards: Option<usize>,
    /// Cards drawn from it; only for --game deck [default: all].
    #[arg(long, value_name = "M")]
    pub(crate) draw: Option<usize>,
    /// How the deck is shuffled; auto is the one of which the least is garbled.
    #[arg(long, value_name = "ALGORITHM", default_value_t = Choice::Given(Algorithm::FisherYates),
          value_parser = algorithm())]
    pub(crate) algorithm: Choice,
    /// Hands to play; the deck is shuffled for each.
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub(crate) hands: u32,
    #[command(flatten)]
    pub(crate) limit: MemoryArgs,
}

impl DeckArgs {
    /// The terms that these options ask for, in a session of this security of which this process
    /// is so many `parties`.
    ///
    /// # Errors
    /// When they do not go together, or take too much memory.
    pub(crate) fn terms(&self, security: Security, parties: u64) -> anyhow::Result<Terms> {
        let (cards, draw) = self.game.deck().unzip();
        let cards = self.cards.or(cards).unwrap_or(52);
        let draw = self.draw.or(draw).unwrap_or(cards);
        let spec = self.algorithm.spec(cards, draw)?;
        let terms = Terms::new(self.game, spec, self.hands)?;
        (self.limit.memory).check_session(spec, security, parties, 1)?;
        Ok(terms)
    }
}

/// Parses the name of a game, and lists them in the help.
pub(crate) fn game() -> impl TypedValueParser<Value = Game> {
    PossibleValuesParser::new(Game::ALL.map(Game::name)).try_map(|name| name.parse::<Game>())
}
