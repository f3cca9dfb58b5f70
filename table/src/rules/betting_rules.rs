//! How chips are bet: the limit, and what is bet before the cards.

use super::stakes::{Stakes, StakesError};
use crate::wire::{Malformed, Reader, Writer};

/// How chips are bet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BettingRules {
    /// The chips with which each seat begins, and which a rebuy brings.
    pub stack: u64,
    /// How much may be bet.
    pub limit: Limit,
    /// What is bet before the cards.
    pub posts: Posts,
}

/// How much may be bet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// From the smallest bet to all that one has.
    NoLimit,
    /// Only in bets of one size, which is double in the second half of the rounds (the turn and the
    /// river, or after the exchange), and at most four in a round: a bet and three raises.
    Fixed,
}

/// What is bet before the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posts {
    /// Two seats bet. The smallest bet is the big blind.
    Blinds {
        /// Of the first seat left of the button; with two in play, of the button.
        small: u64,
        /// Of the next.
        big: u64,
    },
    /// All seats pay alike.
    Antes {
        /// What each seat pays into the pot.
        ante: u64,
        /// The smallest bet.
        bet: u64,
    },
}

impl BettingRules {
    /// The smallest bet; with a fixed limit the size of a bet in the first half of the rounds.
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
        let limit = match self.limit {
            Limit::NoLimit => 0,
            Limit::Fixed => 1,
        };
        writer.u64(self.stack).u8(limit);
        match self.posts {
            Posts::Blinds { small, big } => writer.u8(0).u64(small).u64(big),
            Posts::Antes { ante, bet } => writer.u8(1).u64(ante).u64(bet),
        };
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let stack = reader.u64()?;
        let limit = match reader.u8()? {
            0 => Limit::NoLimit,
            1 => Limit::Fixed,
            _ => return Err(Malformed),
        };
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
