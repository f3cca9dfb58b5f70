//! The start of a match on a connection: the seats and the circuit.

use std::sync::Arc;

use dealerless::net;
use dealerless::shuffle::Algorithm;
use dealerless_connection::identity::{Name, PublicIdentity};
use dealerless_connection::{MAX_HEADER, Met};

use super::deal_circuit::{DealCircuit, NoCircuit};
use crate::log::{
    CannotSit, Clock, DeckTerms, Header, HeaderError, Match, Player, SealedTerms, Sitting,
};
use crate::rules::Stakes;
use crate::seat::Seat;

// The longest header fits the limit of a connection.
const _: () = assert!(Header::MAX_LEN <= MAX_HEADER);

/// A match that can begin: its players and seats, and the circuit that shuffles its decks.
pub struct Seating {
    /// The match.
    pub sitting: Sitting,
    /// The circuit.
    pub circuit: Arc<DealCircuit>,
}

/// Why no match can begin on this connection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CannotBegin {
    /// The header of the host is not valid here.
    #[error("the host proposes a match that this program cannot play")]
    Header(#[from] HeaderError),
    /// The two programs use different engine versions.
    #[error("the host's engine has version {theirs}, but this one has version {ours}")]
    Engine {
        /// The version of the host.
        theirs: u16,
        /// The version of this program.
        ours: u16,
    },
    /// The proposed shuffle does not exist.
    #[error("the host proposes an unknown shuffle")]
    Shuffle(#[from] NoCircuit),
    /// The host has a different circuit for this algorithm.
    #[error(
        "the host has a different circuit for {0}: its program is a different version or was modified"
    )]
    Circuit(Algorithm),
    /// The match is not played with a sealed deck.
    #[error("the match is not played with a deck that two seats shuffle by a circuit")]
    OtherDeck,
    /// The host's list of players is not for this guest.
    #[error("the host's list of players has another player or another nonce at this seat")]
    Roster,
    /// These players cannot play this match.
    #[error(transparent)]
    Players(#[from] CannotSit),
}

impl Seating {
    /// Makes the header that a host proposes for these stakes, and the circuit for it.
    ///
    /// # Errors
    /// If the shuffle does not exist.
    pub fn propose(
        stakes: Stakes,
        algorithm: Algorithm,
        clock: Clock,
    ) -> Result<(Header, Arc<DealCircuit>), NoCircuit> {
        let circuit = DealCircuit::of(&stakes, algorithm)?;
        let header = Header {
            deck: DeckTerms::Sealed(SealedTerms {
                engine_version: net::VERSION,
                algorithm,
                circuit: circuit.circuit().digest(),
                validity: if circuit.checks_inputs() {
                    stakes.seats() as u8
                } else {
                    0
                },
            }),
            clock,
            stakes,
            table: None,
        };
        Ok((header, Arc::new(circuit)))
    }

    /// The match that starts after a meeting, with the given header. `own` is the player of this
    /// side.
    ///
    /// # Errors
    /// [`CannotBegin`].
    pub fn of_meeting(
        met: &Met,
        header: Header,
        own: (&PublicIdentity, &Name),
    ) -> Result<Self, CannotBegin> {
        let circuit = Self::circuit_of(&header)?;
        let both = [own, (&met.peer, &met.peer_name)];
        let mut players: Vec<_> = both.into_iter().collect();
        // The host comes first.
        let seat = Seat::from(met.side);
        players.rotate_left(seat.index());
        let names = players.iter().map(|(_, name)| (*name).clone()).collect();
        let players = players.iter().zip(met.nonces);
        let players = players.map(|((identity, _), nonce)| Player {
            identity: (*identity).clone(),
            nonce,
        });
        let sitting = Sitting {
            match_info: Match::new(header, players.collect())?,
            seat,
            names,
        };
        Ok(Seating {
            sitting,
            circuit: Arc::new(circuit),
        })
    }

    /// The match of a match file, which is to be resumed.
    ///
    /// # Errors
    /// [`CannotBegin`], if this program cannot shuffle like the one that began the match.
    pub fn of_file(sitting: Sitting) -> Result<Self, CannotBegin> {
        let circuit = Self::circuit_of(sitting.match_info.header())?;
        Ok(Seating {
            sitting,
            circuit: Arc::new(circuit),
        })
    }

    /// The circuit of a header.
    ///
    /// # Errors
    /// [`CannotBegin`], if the engine has another version or this program does not know the circuit.
    pub fn circuit_of(header: &Header) -> Result<DealCircuit, CannotBegin> {
        let terms = header.sealed().ok_or(CannotBegin::OtherDeck)?;
        let (theirs, ours) = (terms.engine_version, net::VERSION);
        if theirs != ours {
            return Err(CannotBegin::Engine { theirs, ours });
        }
        let circuit = DealCircuit::of(&header.stakes, terms.algorithm)?;
        let same = circuit.circuit().digest() == terms.circuit;
        if !same || circuit.checks_inputs() != (terms.validity > 0) {
            return Err(CannotBegin::Circuit(terms.algorithm));
        }
        Ok(circuit)
    }
}
