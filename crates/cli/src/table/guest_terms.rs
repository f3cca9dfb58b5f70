//! The guest's requirements for the terms of a match.

use std::fmt;

use dealerless::deck::Choice;
use dealerless_command_line::arguments;
use dealerless_seat::game_name::GameName;
use dealerless_seat::run::Differs;
use dealerless_seat::seated::opens;
use dealerless_seat::words;
use dealerless_table::log::Header;
use dealerless_table::play::{DealCircuit, Term};
use dealerless_table::rules::{NamedKinds, Posts, Stakes};

use super::headings::GAME;
use super::stakes::{Pair, TWO_TABLES, Time, check_memory, game_name};
use crate::memory::Limit as Memory;

/// The guest's requirements.
#[derive(Clone, clap::Args)]
#[command(next_help_heading = GAME)]
pub(crate) struct GuestTerms {
    /// Play only this game.
    #[arg(long, value_name = "GAME", value_parser = game_name(|_| true))]
    game: Option<GameName>,
    /// Play only if this number of players may disappear in a hand.
    #[arg(long, value_name = "K")]
    may_leave: Option<u8>,
    /// With --yes or --auto: sit down even if one player who also cuts the connections between others
    /// can play two tables at once.
    #[arg(long)]
    accept_two_tables: bool,
    /// Play only this number of hands.
    #[arg(long, value_name = "K")]
    hands: Option<u32>,
    /// Play only with this number of chips at the start.
    #[arg(long, value_name = "CHIPS")]
    stack: Option<u64>,
    /// Play only with these blinds.
    #[arg(long, value_name = "A/B")]
    blinds: Option<Pair>,
    /// Play only with this ante and smallest bet.
    #[arg(long, value_name = "A/BET")]
    ante: Option<Pair>,
    /// Play only with this clock; `none` means without a clock.
    #[arg(long, value_name = "MOVE+BANK|none")]
    time: Option<Time>,
    /// Play only with a deck of this number of cards.
    #[arg(long, value_name = "N")]
    cards: Option<usize>,
    /// Play only with cards of these kinds.
    #[arg(long, value_name = "KINDS")]
    kinds: Option<NamedKinds>,
    /// Play only if this number of cards is drawn.
    #[arg(long, value_name = "M")]
    draw: Option<usize>,
    /// Play only if this number of boards is dealt together.
    #[arg(long, value_name = "N")]
    boards: Option<u32>,
    /// Play only with this shuffle; auto is the one with the smallest garbled circuit.
    #[arg(long, value_name = "ALGORITHM", value_parser = arguments::algorithm())]
    algorithm: Option<Choice>,
}

impl GuestTerms {
    /// Checks the host's stakes.
    ///
    /// # Errors
    /// If the stakes do not meet the requirements.
    pub(crate) fn check(&self, stakes: &Stakes) -> anyhow::Result<()> {
        let (cards, drawn) = stakes.deck();
        let game = GameName::of(stakes);
        agree(Term::Game, "--game", self.game, Some(game))?;
        agree(Term::Cards, "--cards", self.cards, Some(cards))?;
        agree(Term::Kinds, "--kinds", self.kinds.as_ref(), stakes.kinds())?;
        agree(Term::Draw, "--draw", self.draw, Some(drawn))?;
        agree(Term::Draw, "--boards", self.boards, stakes.boards())?;
        agree(Term::Hands, "--hands", self.hands, Some(stakes.hands()))?;
        let rules = stakes.betting();
        let stack = rules.map(|rules| rules.stack);
        agree(Term::Stack, "--stack", self.stack, stack)?;
        let (blinds, ante) = match rules.map(|rules| rules.posts) {
            None => (None, None),
            Some(Posts::Blinds { small, big }) => (Some(Pair(small, big)), None),
            Some(Posts::Antes { ante, bet }) => (None, Some(Pair(ante, bet))),
        };
        agree(Term::Blinds, "--blinds", self.blinds, blinds)?;
        agree(Term::Ante, "--ante", self.ante, ante)?;
        // The number of hands needs no limit: a seat may leave at any time, and only a few hands
        // are prepared at once.
        Ok(())
    }

    /// Checks how many players may disappear. `asks` means that the player is asked about all terms.
    ///
    /// # Errors
    /// If the number does not meet the requirements, or the player is not asked and has not accepted
    /// it.
    pub(crate) fn check_may_leave(&self, header: &Header, asks: bool) -> Result<(), Differs> {
        let seats = header.stakes.seats();
        let opens = opens(header).map_or(seats, usize::from);
        let may_leave = seats - opens;
        let term = Term::MayLeave;
        let required = self.may_leave.map(usize::from);
        agree(term, "--may-leave", required, Some(may_leave))?;
        let is_accepted = asks || self.accept_two_tables;
        if may_leave > 0 && words::two_tables(seats, opens) == 1 && !is_accepted {
            let message = format!(
                "{may_leave} of {seats} players may disappear, and {TWO_TABLES}. To accept this, use \
                 --accept-two-tables, or leave out --yes and --auto"
            );
            return Err(Differs { term, message });
        }
        Ok(())
    }

    /// Checks the clock and the shuffle, before the circuit is built.
    ///
    /// # Errors
    /// If they do not meet the requirements, or the shuffle takes too much memory.
    pub(crate) fn check_clock_and_shuffle(
        &self,
        header: &Header,
        memory: Memory,
    ) -> anyhow::Result<()> {
        agree(Term::Clock, "--time", self.time, Some(Time(header.clock)))?;
        // A verifiable deck is shuffled without a circuit.
        let Some(terms) = header.sealed() else {
            return Ok(());
        };
        if let Some(choice) = self.algorithm {
            let required = DealCircuit::algorithm_for(choice, &header.stakes)?;
            agree(
                Term::Shuffle,
                "--algorithm",
                Some(required),
                Some(terms.algorithm),
            )?;
        }
        check_memory(&header.stakes, terms.algorithm, memory).map_err(|error| Differs {
            term: Term::Memory,
            message: format!("the host's proposal takes too much memory: {error:#}"),
        })?;
        Ok(())
    }
}

fn agree<V: PartialEq + fmt::Display>(
    term: Term,
    option: &str,
    required: Option<V>,
    proposed: Option<V>,
) -> Result<(), Differs> {
    let message = match (required, proposed) {
        (None, _) => return Ok(()),
        (Some(required), Some(proposed)) if required == proposed => return Ok(()),
        (Some(required), Some(proposed)) => {
            format!("you asked for {option} {required}, but the host proposes {proposed}")
        }
        (Some(required), None) => {
            format!("you asked for {option} {required}, but the host proposes a game without it")
        }
    };
    Err(Differs { term, message })
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command};

    use super::super::stakes::StakesArgs;
    use super::*;
    use crate::memory::limit;

    fn read<A: Args>(line: &str) -> A {
        let command = A::augment_args(Command::new("test").no_binary_name(true));
        let matches = command.get_matches_from(line.split_whitespace());
        A::from_arg_matches(&matches).unwrap()
    }

    /// The error of a guest with these options, if it refuses the offer.
    fn refusal(offer: &str, terms: &str, memory: &str) -> Option<String> {
        let offer: StakesArgs = read(offer);
        let (header, _) = offer.propose(limit("2G").unwrap()).unwrap();
        let terms: GuestTerms = read(terms);
        let memory = limit(memory).unwrap();
        let checked = (terms.check(&header.stakes))
            .and_then(|()| terms.check_clock_and_shuffle(&header, memory));
        checked.err().map(|error| error.to_string())
    }

    #[test]
    fn a_guest_plays_only_on_its_own_terms() {
        let offer = "--game deck --cards 20 --draw 3 --hands 2 --algorithm cut --time 5+10";
        assert_eq!(refusal(offer, "", "256M"), None);
        assert_eq!(refusal(offer, offer, "256M"), None);
        for required in [
            "--game draw",
            "--cards 21",
            "--draw 4",
            "--hands 3",
            "--algorithm bubble",
            "--time none",
            "--kinds 3,2",
        ] {
            let refusal = refusal(offer, required, "256M").unwrap_or_default();
            let asked = refusal.contains(&format!("you asked for {required}"));
            assert!(asked || required.contains("kinds"), "{required}: {refusal}");
            assert!(
                refusal.contains("the host proposes"),
                "{required}: {refusal}"
            );
        }
        let poker = "--stack 100 --blinds 2/4";
        assert_eq!(refusal(poker, poker, "256M"), None);
        for required in ["--stack 200", "--blinds 1/2", "--ante 1/2", "--boards 24"] {
            let refusal = refusal(poker, required, "256M").unwrap_or_default();
            assert!(refusal.contains("you asked for"), "{required}: {refusal}");
        }
    }

    #[test]
    fn a_guest_refuses_a_match_over_its_memory_limit() {
        let large = "--game deck --cards 130 --algorithm fisher-yates --hands 1";
        let complaint = refusal(large, large, "64M").unwrap();
        assert!(
            complaint.contains("the host's proposal takes too much memory"),
            "{complaint}"
        );
        let (_, enough) = complaint.rsplit_once("--memory ").unwrap();
        assert_eq!(refusal(large, "", enough), None);
    }
}
