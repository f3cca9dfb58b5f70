//! Betting rules: the limit, and the blinds or antes.

use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::stakes::{Stakes, StakesError};

/// The betting rules of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BettingRules {
    /// The chips of each seat at the start and after a rebuy.
    pub stack: u64,
    /// The limit on bets.
    pub limit: Limit,
    /// The bets before the deal.
    pub posts: Posts,
}

/// The limit on bets, with its number in the encoded rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::FromRepr)]
#[repr(u8)]
pub enum Limit {
    /// A bet may be any amount from the smallest bet to all chips of the seat.
    NoLimit = 0,
    /// Bets of a fixed size, at most four in a round: a bet and three raises. The size is doubled
    /// in the second half of the rounds (the turn and the river, or after the exchange).
    Fixed = 1,
}

impl Limit {
    /// The word for the limit before the title of a game.
    pub fn title(self) -> &'static str {
        match self {
            Limit::NoLimit => "no-limit",
            Limit::Fixed => "fixed-limit",
        }
    }
}

/// The bets before the deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posts {
    /// Two seats post blinds. The smallest bet is the big blind.
    Blinds {
        /// The blind of the first seat left of the button. With two seats in the hand, the blind of
        /// the button.
        small: u64,
        /// The blind of the seat to the left of the small blind.
        big: u64,
    },
    /// All seats pay the same ante.
    Antes {
        /// The chips that each seat pays into the pot.
        ante: u64,
        /// The smallest bet.
        bet: u64,
    },
}

impl BettingRules {
    /// The smallest bet. With a fixed limit, the size of a bet in the first half of the rounds.
    pub fn smallest_bet(&self) -> u64 {
        match self.posts {
            Posts::Blinds { big, .. } => big,
            Posts::Antes { bet, .. } => bet,
        }
    }

    pub(super) fn check(&self) -> Result<(), StakesError> {
        let stack = self.stack;
        if !(1..=Stakes::MAX_STACK).contains(&stack) {
            return Err(StakesError::Stack(stack));
        }
        let in_order = |low, high| 1 <= low && low <= high && high <= stack;
        match self.posts {
            Posts::Blinds { small, big } if !in_order(small, big) => {
                Err(StakesError::Blinds { small, big, stack })
            }
            Posts::Antes { ante, bet } if !in_order(ante, bet) => {
                Err(StakesError::Antes { ante, bet, stack })
            }
            _ => Ok(()),
        }
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        writer.u64(self.stack).u8(self.limit as u8);
        match self.posts {
            Posts::Blinds { small, big } => writer.u8(0).u64(small).u64(big),
            Posts::Antes { ante, bet } => writer.u8(1).u64(ante).u64(bet),
        };
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let stack = reader.u64()?;
        let limit = Limit::from_repr(reader.u8()?).ok_or(Malformed)?;
        let kind = reader.u8()?;
        let (low, high) = (reader.u64()?, reader.u64()?);
        let posts = match kind {
            0 => Posts::Blinds {
                small: low,
                big: high,
            },
            1 => Posts::Antes {
                ante: low,
                bet: high,
            },
            _ => return Err(Malformed),
        };
        Ok(BettingRules {
            stack,
            limit,
            posts,
        })
    }
}
