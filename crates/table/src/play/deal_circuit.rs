//! The circuit that deals the hands of a match.

use dealerless::circuit::{Circuit, Party};
use dealerless::deck::{self, Card, Estimate, KeptDeck, UncheckedDeck};
use dealerless::mpc::{Demand, EngineKind, Keep, Security};
use dealerless::shuffle::split::{Split, SplitCircuit, SplitError};
use dealerless::shuffle::{Algorithm, Randomness, ShuffleCircuit, Spec, SpecError};
use rand::CryptoRng;

use crate::rules::Stakes;

/// The circuit that deals the hands of a match. It draws cards of a deck, or deals the hands of
/// boards.
#[derive(Clone, Debug)]
pub enum DealCircuit {
    /// A shuffle of a deck.
    Cards(ShuffleCircuit),
    /// The hands of boards.
    Boards(SplitCircuit),
}

/// Why a circuit does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoCircuit {
    /// The deck cannot be shuffled in this way.
    #[error(transparent)]
    Shuffle(#[from] SpecError),
    /// The boards cannot be dealt in this way.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// Boards can only be dealt by a Waksman network.
    #[error("boards are dealt by a Waksman network, not by {0}")]
    Algorithm(Algorithm),
}

impl DealCircuit {
    /// The algorithm that deals boards.
    const OF_BOARDS: Algorithm = Algorithm::Waksman;

    /// The maximum number of hands in a batch of preprocessing. Large batches need smaller buckets.
    pub const BATCH: u32 = 12;

    /// The algorithm that `choice` selects for the given stakes.
    ///
    /// # Errors
    /// If no algorithm can shuffle the deck.
    pub fn algorithm_for(choice: deck::Choice, stakes: &Stakes) -> Result<Algorithm, SpecError> {
        let (cards, drawn) = stakes.deck();
        match (choice, stakes.boards()) {
            (deck::Choice::Cheapest, Some(_)) => Ok(Self::OF_BOARDS),
            (deck::Choice::Given(algorithm), Some(_)) => Ok(algorithm),
            (choice, None) => Ok(choice.spec(cards, drawn)?.algorithm()),
        }
    }

    /// The estimated size of the circuit and memory of its session, before it is built.
    ///
    /// # Errors
    /// [`NoCircuit`].
    pub fn estimate(stakes: &Stakes, algorithm: Algorithm) -> Result<Estimate, NoCircuit> {
        let at_once = Self::BATCH.min(stakes.hands());
        let (cards, drawn) = stakes.deck();
        let Some(boards) = stakes.boards() else {
            let spec = Spec::new(cards, drawn, algorithm)?;
            return Ok(Estimate::of(spec, EngineKind::Malicious, at_once));
        };
        let ands = Split::new(cards / 4, boards as usize)?.estimated_ands();
        Ok(Estimate::of_ands(ands, EngineKind::Malicious, at_once))
    }

    /// The circuit for the given stakes and algorithm.
    ///
    /// # Errors
    /// [`NoCircuit`].
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn of(stakes: &Stakes, algorithm: Algorithm) -> Result<Self, NoCircuit> {
        let (cards, drawn) = stakes.deck();
        let Some(boards) = stakes.boards() else {
            let spec = Spec::new(cards, drawn, algorithm)?;
            let shuffle = deck::circuit(spec, Security::Malicious);
            return Ok(DealCircuit::Cards(shuffle));
        };
        if algorithm != Self::OF_BOARDS {
            return Err(NoCircuit::Algorithm(algorithm));
        }
        let split = Split::new(cards / 4, boards as usize)?;
        Ok(DealCircuit::Boards(SplitCircuit::build(split)))
    }

    /// The algorithm of the circuit.
    #[cfg(feature = "internals")]
    pub fn algorithm(&self) -> Algorithm {
        match self {
            DealCircuit::Cards(shuffle) => shuffle.spec().algorithm(),
            DealCircuit::Boards(_) => Self::OF_BOARDS,
        }
    }

    /// The Boolean circuit.
    pub fn circuit(&self) -> &Circuit {
        match self {
            DealCircuit::Cards(shuffle) => shuffle.circuit(),
            DealCircuit::Boards(split) => split.circuit(),
        }
    }

    /// The number of AND gates that both parties compute jointly.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn joint_ands(&self) -> usize {
        Demand::of(self.circuit()).ands
    }

    /// Whether the outputs tell if the inputs of each party are in range.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn checks_inputs(&self) -> bool {
        match self {
            DealCircuit::Cards(shuffle) => shuffle.validity().is_some(),
            DealCircuit::Boards(_) => true,
        }
    }

    /// Draws the random input of a party.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn sample(&self, party: Party, rng: &mut impl CryptoRng) -> Randomness {
        match self {
            DealCircuit::Cards(shuffle) => shuffle.sample(party, rng),
            DealCircuit::Boards(split) => split.sample(party, rng),
        }
    }

    /// Decodes the output bits to cards, by position.
    pub(crate) fn decode(&self, outputs: &[Vec<bool>]) -> Vec<Card> {
        match self {
            DealCircuit::Cards(shuffle) => {
                let cards = shuffle.decode(outputs).into_iter();
                cards.map(|card| Card(card.into())).collect()
            }
            DealCircuit::Boards(split) => split.decode(outputs).into_iter().map(Card).collect(),
        }
    }

    /// Does the preprocessing for `hands` hands of a match.
    pub(super) fn prepare(&self, session: &mut impl Keep, hands: usize) -> deck::Result<()> {
        Ok(session.prepare(Demand::of(self.circuit()).times(hands))?)
    }

    /// Deals with the input of this party. Returns the deck to keep, and the deck from which hands
    /// can be reshuffled while the session lives. Boards cannot be reshuffled.
    pub(super) fn deal<S: Keep>(
        &self,
        session: &mut S,
        input: &Randomness,
        name: &[u8],
    ) -> deck::Result<(KeptDeck, Option<UncheckedDeck<S::Shared>>)> {
        match self {
            DealCircuit::Cards(shuffle) => {
                let dealt = KeptDeck::shuffle_live(session, shuffle, input, name);
                dealt.map(|(kept, unchecked)| (kept, Some(unchecked)))
            }
            DealCircuit::Boards(split) => {
                let kept = KeptDeck::split(session, split, input, name);
                kept.map(|kept| (kept, None))
            }
        }
    }
}
