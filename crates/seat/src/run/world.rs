//! The interface of a session to the program that runs it.

use std::io;
use std::sync::Arc;

use dealerless::mpc::Attempts;
use dealerless_connection::identity::Name;
use dealerless_connection::storage::{Storage, Vault};
use dealerless_table::Seat;
use dealerless_table::log::MatchId;
use dealerless_table::play::{DealCircuit, Order};

use super::matches::RECORD;
use crate::event::Event;
use dealerless_connection::{PolledConnection, Sockets, hex};

/// The files and values of a player. A value of this type is a handle: its clones are the same files.
pub trait Files: Clone + 'static {
    /// A file to which bytes are appended. When it is opened, what an earlier program has written to it is
    /// synced.
    type File: Storage + 'static;
    /// A value that is replaced as a whole.
    type Value: Vault + 'static;

    /// The seconds since 1970 began, in UTC.
    fn unix() -> u64;

    /// The name of the record of a match with this player. It begins with the digits of the match's id that are
    /// [shown](std::fmt::Display), and ends in [`RECORD`].
    fn record_name(&self, of: &MatchId, _with: &Name) -> String {
        hex(of.as_bytes()) + RECORD
    }

    /// A file, as it is named to the player.
    fn shown(&self, name: &str) -> String {
        name.to_owned()
    }

    /// Opens a file. `None` if no file has this name.
    ///
    /// # Errors
    /// If it cannot be opened, or another program uses it.
    fn open_file(&self, name: &str) -> io::Result<Option<Self::File>>;

    /// The bytes of a file, even if another program uses it. `None` if no file has this name.
    ///
    /// # Errors
    /// If it cannot be read.
    fn read_file(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.open_file(name)?
            .map(|mut file| file.read())
            .transpose()
    }

    /// Opens a file, or creates an empty one. Its name is on the disk when this returns.
    ///
    /// # Errors
    /// If it cannot be written.
    fn open_or_create_file(&self, name: &str) -> io::Result<Self::File>;

    /// Removes a file if it exists.
    ///
    /// # Errors
    /// If it cannot be written, or a record is in use.
    fn remove_file(&self, name: &str) -> io::Result<()>;

    /// The names of the files with this ending, the newest first, and their times in seconds since 1970.
    ///
    /// # Errors
    /// If they cannot be listed.
    fn file_names(&self, ending: &str) -> io::Result<Vec<(String, u64)>>;

    /// Checks that this number of files can be created.
    ///
    /// # Errors
    /// If not.
    fn check_free_files(&self, files: usize) -> io::Result<()>;

    /// Opens a value, or creates it.
    ///
    /// # Errors
    /// If it cannot be written.
    fn open_value(&self, name: &str) -> io::Result<Self::Value>;

    /// Removes a value if it exists.
    ///
    /// # Errors
    /// If it cannot be written.
    fn remove_value(&self, name: &str) -> io::Result<()>;
}

/// Everything outside a seat in play: its player, connections, files, the clock and the engine. A value of
/// this type is a handle: its clones are the same world.
///
/// A [`SeatInPlay`](super::SeatInPlay) or [`Session`](super::Session) calls these functions while it is
/// borrowed. They must not call it, and they do not wait for the engine or for other players.
pub trait SeatWorld: Clone + 'static {
    /// The sockets of the program.
    type Sockets: Sockets + 'static;
    /// The files of the player.
    type Files: Files;

    /// Whether the player plays in a page in a browser, which the seat tells its peers.
    const IN_PAGE: bool;

    /// The sockets of the program.
    fn sockets(&self) -> &Self::Sockets;

    /// Reports an event to the player.
    fn report(&self, event: &Event);

    /// Attaches a session of the engine to this connection, in place of the previous one.
    fn attach_engine(&self, connection: u32, attempts: Box<dyn Attempts>);

    /// Ends the session of the engine, because its connection was lost.
    fn detach_engine(&self);

    /// Whether the engine has stopped: no session is attached, and no earlier one still runs. Only then is a
    /// new connection made.
    fn is_engine_settled(&self) -> bool;

    /// Starts the engine on this connection, unless it was started before. Does nothing if no session is
    /// attached.
    ///
    /// # Errors
    /// If the connection has ended.
    fn start_engine(
        &self,
        connection: &mut PolledConnection<Self::Sockets>,
        seat: Seat,
        circuit: &Arc<DealCircuit>,
    ) -> io::Result<()>;

    /// Gives the engine an order. Does nothing if no session is attached.
    fn order_engine(&self, order: Order);

    /// Counts an attempt: the peer has declared the outcome of a run void, and may have cheated in it. Does
    /// nothing if no session is attached.
    ///
    /// # Errors
    /// If no further attempt is allowed, or the count cannot be stored.
    fn count_voided_run(&self) -> io::Result<()>;
}

/// Everything outside a session in a page.
pub trait World: SeatWorld {
    /// The files of the player.
    fn files(&self) -> Self::Files;

    /// Answers the request with this number: an HTTP status, and a JSON object.
    fn respond(&self, request: u32, status: u16, body: &str);

    /// Reports that a match that was hosted, joined or resumed has ended here, with the exit code of the native
    /// program. An audit answers its request instead.
    fn ended(&self, exit_code: u8);

    /// Logs a diagnostic message.
    fn log(&self, text: &str);
}
