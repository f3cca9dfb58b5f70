//! The sessions of the honest parties. No other file of these tests uses the sessions of the
//! library.

use dealerless::circuit::{Circuit, Party};
use dealerless::deck::{self, Card, SealedDeck};
use dealerless::mpc::{
    Audience, EngineKind, Greeting, Input, Malicious, Offer, Opening, Result, Run, SemiHonest,
    TwoParty, Words,
};
use dealerless::net::{Channel, Deadlines};
use dealerless::shuffle::ShuffleCircuit;
use dealerless::testing::circuits::bits;
use dealerless::testing::line::End;
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;

/// The seed of a session. In sessions with the same seed, a party sends the same bits as long as it
/// receives the same bits.
pub(crate) type Seed = [u8; 32];

/// The terms in the hellos.
const TERMS: &[u8] = b"a game";

/// An engine that games can use.
pub(crate) trait Engine: TwoParty<Shared: Send> + Sized {
    const ENGINE: EngineKind;

    fn made(greeting: Greeting, rng: &mut ChaCha20Rng) -> Result<Self>;

    fn dealt(greeting: Greeting, seed: Seed, rng: &mut ChaCha20Rng) -> Result<Self>;
}

impl Engine for SemiHonest {
    const ENGINE: EngineKind = EngineKind::SemiHonest;

    fn made(greeting: Greeting, rng: &mut ChaCha20Rng) -> Result<Self> {
        SemiHonest::setup(greeting, rng)
    }

    fn dealt(greeting: Greeting, seed: Seed, _: &mut ChaCha20Rng) -> Result<Self> {
        SemiHonest::dealt(greeting, seed)
    }
}

impl Engine for Malicious {
    const ENGINE: EngineKind = EngineKind::Malicious;

    fn made(greeting: Greeting, rng: &mut ChaCha20Rng) -> Result<Self> {
        Malicious::setup(greeting, rng)
    }

    fn dealt(greeting: Greeting, seed: Seed, rng: &mut ChaCha20Rng) -> Result<Self> {
        Malicious::dealt(greeting, seed, rng)
    }
}

/// The source of the correlated OTs of a session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setup {
    /// The setup protocol.
    Made,
    /// A trusted dealer. It is so fast that the tests can run a session for each changed bit.
    Dealt,
}

/// The result of one opening at a party.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opened {
    pub(crate) audience: Audience,
    pub(crate) value: Option<Vec<u32>>,
    /// The expected value, if the game knows it.
    pub(crate) clear: Option<Vec<u32>>,
}

/// A party in a game.
pub(crate) struct Player<E> {
    session: E,
    /// Randomness that both parties share. The inputs are drawn from `coins`, so that a game knows
    /// the expected outputs.
    coins: ChaCha20Rng,
    /// The randomness of this party alone.
    rng: ChaCha20Rng,
    pub(crate) seen: Vec<Opened>,
}

impl<E: Engine> Player<E> {
    /// Starts a session in the given role.
    pub(crate) fn begin(
        role: Party,
        end: End,
        setup: Setup,
        seed: Seed,
        deadlines: Deadlines,
    ) -> Result<Self> {
        let coins = ChaCha20Rng::from_seed(seed);
        let mut rng = ChaCha20Rng::from_seed(seed);
        rng.set_stream(1 + role as u64);
        let channel = Channel::new(end, deadlines);
        let offer = Offer::new(role, E::ENGINE).terms(TERMS);
        let greeting = Greeting::exchange(channel, offer, &mut rng)?;
        let session = match setup {
            Setup::Made => E::made(greeting, &mut rng),
            Setup::Dealt => E::dealt(greeting, seed, &mut rng),
        }?;
        Ok(Player {
            session,
            coins,
            rng,
            seen: Vec::new(),
        })
    }

    /// Draws bits that both parties know.
    pub(crate) fn coins(&mut self, count: usize) -> Vec<bool> {
        bits(&mut self.coins, count)
    }

    /// Runs a circuit. Each party enters its own bits of `entered`.
    pub(crate) fn run(
        &mut self,
        circuit: &Circuit,
        inputs: &[Input<'_, E::Shared>],
        entered: &[Vec<bool>; 2],
    ) -> Result<Words<E::Shared>> {
        let mine = &entered[self.session.role() as usize];
        self.session.run(Run::new(circuit, inputs, mine))
    }

    /// Opens each word to an audience. `clear` holds the expected values.
    pub(crate) fn open(
        &mut self,
        words: &[(Audience, &[E::Shared])],
        clear: &[Vec<bool>],
    ) -> Result<()> {
        let openings: Vec<Opening<'_, E::Shared>> = (words.iter())
            .map(|&(to, bits)| Opening { to, bits })
            .collect();
        let opened = self.session.open(&openings)?;
        let numbers = |bits: &[bool]| bits.iter().copied().map(u32::from).collect();
        for ((&(audience, _), bits), clear) in words.iter().zip(opened.iter()).zip(clear) {
            self.seen.push(Opened {
                audience,
                value: bits.map(numbers),
                clear: Some(numbers(clear)),
            });
        }
        Ok(())
    }

    pub(crate) fn shuffle(
        &mut self,
        shuffle: &ShuffleCircuit,
    ) -> deck::Result<SealedDeck<E::Shared>> {
        SealedDeck::shuffle(&mut self.session, shuffle, &mut self.rng)
    }

    pub(crate) fn open_cards(
        &mut self,
        deck: &mut SealedDeck<E::Shared>,
        cards: &[(usize, Audience)],
    ) -> deck::Result<()> {
        let opened = deck.open(&mut self.session, cards)?;
        for (&(_, audience), card) in cards.iter().zip(opened) {
            let value = card.map(|Card(number)| vec![number as u32]);
            self.seen.push(Opened {
                audience,
                value,
                clear: None,
            });
        }
        Ok(())
    }
}
