//! The interface of a session to the program that runs it.

use std::io;
use std::sync::Arc;

use dealerless::mpc::Attempts;
use dealerless_connection::storage::{Storage, Vault};
use dealerless_table::Seat;
use dealerless_table::play::{DealCircuit, Order};

use crate::event::Event;
use dealerless_connection::{PolledConnection, Sockets};

/// Everything outside a seat in play: its player, connections, files, the clock and the engine. A value of
/// this type is a handle: its clones are the same world.
///
/// A [`SeatInPlay`](super::SeatInPlay) or [`Session`](super::Session) calls these functions while it is
/// borrowed. They must not call it, and they do not wait for the engine or for other players.
pub trait SeatWorld: Clone + 'static {
    /// The sockets of the program.
    type Sockets: Sockets + 'static;
    /// A file to which bytes are appended. When it is opened, what an earlier program has written to it is
    /// synced.
    type File: Storage + 'static;
    /// A value that is replaced as a whole.
    type Value: Vault + 'static;

    /// Whether the player plays in a page in a browser, which the seat tells its peers.
    const IN_PAGE: bool;

    /// The sockets of the program.
    fn sockets(&self) -> &Self::Sockets;

    /// The seconds since 1970 began, in UTC.
    fn unix() -> u64;

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

/// Everything outside a session: the world of its seats, and what it keeps.
pub trait World: SeatWorld {
    /// Answers the request with this number: an HTTP status, and a JSON object.
    fn respond(&self, request: u32, status: u16, body: &str);

    /// Reports that a match that was hosted, joined or resumed has ended here, with the exit code of the native
    /// program. An audit answers its request instead.
    fn ended(&self, exit_code: u8);

    /// Logs a diagnostic message.
    fn log(&self, text: &str);

    /// Opens a file. `None` if no file has this name.
    fn open_file(&self, name: &str) -> Option<Self::File>;

    /// Opens a file, or creates an empty one. Its name is on the disk when this returns.
    ///
    /// # Errors
    /// If it cannot be written.
    fn open_or_create_file(&self, name: &str) -> io::Result<Self::File>;

    /// Removes a file if it exists.
    ///
    /// # Errors
    /// If it cannot be written.
    fn remove_file(&self, name: &str) -> io::Result<()>;

    /// The names of the files with this ending, and the times of their creation in seconds since 1970. The
    /// newest are first.
    fn file_names(&self, ending: &str) -> Vec<(String, u64)>;

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
