//! Who sits where in the match that begins on a line, and with which circuit.

use std::sync::Arc;

use dealerless::net;
use dealerless::shuffle::Algorithm;

use super::deal_circuit::{DealCircuit, NoCircuit};
use crate::connection::{Connection, MAX_HEADER};
use crate::identity::{Name, PublicIdentity};
use crate::log::{CannotSit, Clock, Header, HeaderError, Match, Player, Sitting};
use crate::rules::{Edition, Stakes};

/// The oldest version of the engine with which a match can have begun that this program resumes. What
/// has changed since then is only in semi-honest sessions, which no table uses.
const OLDEST_ENGINE: u16 = 5;

// A host can say the longest header.
const _: () = assert!(Header::MAX_LEN <= MAX_HEADER);

/// A match that can begin: who plays it, and the circuit by which its decks are shuffled.
pub struct Seating {
    /// The match.
    pub sitting: Sitting,
    /// The circuit.
    pub circuit: Arc<DealCircuit>,
}

/// No match can begin on this line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CannotBegin {
    /// What the host says of the match makes no sense here.
    #[error("the host proposes a match that this program cannot play")]
    Header(#[from] HeaderError),
    /// The host's program begins matches with another version of the log.
    #[error(
        "the host's match has version {} of the log, this program begins matches with version {}: \
         the older of the two programs needs an update",
        .theirs.number(),
        .ours.number()
    )]
    Log {
        /// Of the host.
        theirs: Edition,
        /// Of this program.
        ours: Edition,
    },
    /// The two speak different versions of the engine.
    #[error("the host's engine speaks version {theirs}, this one version {ours}")]
    Engine {
        /// Of the host.
        theirs: u16,
        /// Of this program.
        ours: u16,
    },
    /// There is no such shuffle.
    #[error("the host proposes a shuffle that there is not")]
    Shuffle(#[from] NoCircuit),
    /// The host means another circuit by this name.
    #[error("the host means another circuit by {0}: its program is another version, or changed")]
    Circuit(Algorithm),
    /// These players cannot sit down.
    #[error(transparent)]
    Players(#[from] CannotSit),
}

impl Seating {
    /// What the host says of a match for these stakes, and the circuit for it.
    ///
    /// # Errors
    /// If there is no such shuffle.
    pub fn propose(
        stakes: Stakes,
        algorithm: Algorithm,
        clock: Clock,
    ) -> Result<(Header, Arc<DealCircuit>), NoCircuit> {
        let circuit = DealCircuit::of(&stakes, algorithm)?;
        let header = Header {
            log_version: Header::LOG_VERSION,
            engine_version: net::VERSION,
            algorithm,
            circuit: circuit.circuit().digest(),
            validity: if circuit.checks_inputs() {
                stakes.seats() as u8
            } else {
                0
            },
            clock,
            stakes,
        };
        Ok((header, Arc::new(circuit)))
    }

    /// The new match that a host proposes by these bytes.
    ///
    /// # Errors
    /// [`CannotBegin`], also if a match of an older version could only be resumed here.
    pub fn proposal(bytes: &[u8]) -> Result<Header, CannotBegin> {
        let header = Header::decode(bytes)?;
        let (theirs, ours) = (header.log_version, Header::LOG_VERSION);
        match theirs == ours {
            true => Ok(header),
            false => Err(CannotBegin::Log { theirs, ours }),
        }
    }

    /// The match that begins on a line, if this seat wants to play what `header` says.
    ///
    /// # Errors
    /// [`CannotBegin`].
    pub fn of_connection(
        connection: &Connection,
        header: Header,
        own: (&PublicIdentity, &Name),
    ) -> Result<Self, CannotBegin> {
        let circuit = proposed_circuit(&header, net::VERSION)?;
        let both = [own, (&connection.peer, &connection.peer_name)];
        let mut players: Vec<_> = both.into_iter().collect();
        // The host comes first.
        players.rotate_left(connection.seat.index());
        let names = players.iter().map(|(_, name)| (*name).clone()).collect();
        let players = players.iter().zip(connection.nonces);
        let players = players.map(|((identity, _), nonce)| Player {
            identity: (*identity).clone(),
            nonce,
        });
        let sitting = Sitting {
            match_info: Match::new(header, players.collect())?,
            seat: connection.seat,
            names,
        };
        Ok(Seating {
            sitting,
            circuit: Arc::new(circuit),
        })
    }

    /// A match that is taken up again, as it stands in its file.
    ///
    /// # Errors
    /// [`CannotBegin`], if this program cannot shuffle as that one did with which it was begun.
    pub fn of_file(sitting: Sitting) -> Result<Self, CannotBegin> {
        let circuit = Arc::new(proposed_circuit(
            sitting.match_info.header(),
            OLDEST_ENGINE,
        )?);
        Ok(Seating { sitting, circuit })
    }
}

impl Seating {
    /// The circuit that a header means, for who only computes decks anew.
    ///
    /// # Errors
    /// [`CannotBegin`], if this program does not know it.
    pub fn circuit_of(header: &Header) -> Result<DealCircuit, CannotBegin> {
        proposed_circuit(header, OLDEST_ENGINE)
    }
}

/// The circuit that a header means, if this program knows it and the header names no older version of the
/// engine than `oldest`.
fn proposed_circuit(header: &Header, oldest: u16) -> Result<DealCircuit, CannotBegin> {
    let (theirs, ours) = (header.engine_version, net::VERSION);
    if !(oldest..=ours).contains(&theirs) {
        return Err(CannotBegin::Engine { theirs, ours });
    }
    let circuit = DealCircuit::of(&header.stakes, header.algorithm)?;
    let same = circuit.circuit().digest() == header.circuit;
    if !same || circuit.checks_inputs() != (header.validity > 0) {
        return Err(CannotBegin::Circuit(header.algorithm));
    }
    Ok(circuit)
}
