//! The session of the page, and what the worker does for it.

use std::cell::{Cell, RefCell};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use dealerless::mpc::Attempts;
use dealerless_connection::{Happened, Place, PolledConnection, Sockets};
use dealerless_seat::event::Event;
use dealerless_seat::run::{Files, Input, SeatWorld, Session, World};
use dealerless_seat::words::Narrator;
use dealerless_table::Seat;
use dealerless_table::play::{DealCircuit, Order};

use crate::files::{self, NamedFile, Value};
use crate::{engine, host};

thread_local! {
    static SESSION: RefCell<Option<Session<Page>>> = const { RefCell::new(None) };
    /// It has the names of the match that was played last.
    static NARRATOR: RefCell<Narrator> = RefCell::default();
    /// The number of the last socket.
    static LAST: Cell<u32> = const { Cell::new(0) };
}

/// Reads what the player has kept in the files 0 to `count`.
///
/// # Errors
/// If a file is damaged, or cannot be read or written.
pub(crate) fn start(count: u32) -> anyhow::Result<()> {
    files::open(count).context("cannot read the files of this page")?;
    SESSION.set(Some(Session::open(Page)?));
    Ok(())
}

/// Does something with the session, if the page has started.
pub(crate) fn with_session<R>(work: impl FnOnce(&mut Session<Page>) -> R) -> Option<R> {
    SESSION.with_borrow_mut(|session| session.as_mut().map(work))
}

/// The connection with this socket, if there is one.
pub(crate) fn with_connection<R>(
    socket: u32,
    work: impl FnOnce(&mut PolledConnection<Page>) -> R,
) -> Option<R> {
    with_session(|session| session.connection(socket).map(work)).flatten()
}

/// Something has happened to a socket.
pub(crate) fn happened(socket: u32, what: Happened<'_>) {
    with_session(|session| session.input(Input::Socket(socket, what), host::now()));
}

/// A command of the player: a line of JSON.
pub(crate) fn command(line: &[u8]) {
    with_session(|session| session.command(line, host::now()));
}

/// Does all that is due. Returns the time until this must be called again.
pub(crate) fn step() -> Duration {
    let now = host::now();
    let next = with_session(|session| session.step(now)).flatten();
    next.map_or(Duration::MAX, |next| next.saturating_sub(now))
}

/// Answers a request of the page.
pub(crate) fn request(number: u32, is_post: bool, path: &str, body: &[u8]) {
    let now = host::now();
    let started = with_session(|session| session.request(number, is_post, path, body, now));
    if started.is_none() {
        let error = r#"{"error":{"message":"this page has not started"}}"#;
        host::respond(number, 500, error);
    }
}

/// The world of a seat in this page. A worker has one page.
#[derive(Clone, Copy)]
pub(crate) struct Page;

impl Sockets for Page {
    fn open(&self, place: &Place) -> u32 {
        let number = LAST.get() + 1;
        LAST.set(number);
        host::socket_open(number, &place.to_string());
        number
    }

    fn send(&self, socket: u32, bytes: &[u8]) -> bool {
        host::socket_send(socket, bytes);
        true
    }

    fn close(&self, socket: u32) {
        host::socket_close(socket);
    }
}

impl SeatWorld for Page {
    type Sockets = Self;
    type Files = Self;

    const IN_PAGE: bool = true;

    fn sockets(&self) -> &Self {
        self
    }

    fn report(&self, event: &Event) {
        match NARRATOR.with_borrow_mut(|narrator| narrator.line(event)) {
            Ok(line) => host::line(&(line + "\n")),
            Err(error) => host::print(&error.to_string()),
        }
    }

    fn attach_engine(&self, connection: u32, attempts: Box<dyn Attempts>) {
        engine::attach(connection, attempts);
    }

    fn detach_engine(&self) {
        engine::detach();
    }

    fn is_engine_settled(&self) -> bool {
        engine::is_settled()
    }

    fn start_engine(
        &self,
        connection: &mut PolledConnection<Self::Sockets>,
        seat: Seat,
        circuit: &Arc<DealCircuit>,
    ) -> io::Result<()> {
        engine::start(connection, seat, circuit)
    }

    fn order_engine(&self, order: Order) {
        engine::order(order);
    }

    fn count_voided_run(&self) -> io::Result<()> {
        engine::count_voided()
    }
}

impl World for Page {
    fn files(&self) -> Self {
        *self
    }

    fn respond(&self, request: u32, status: u16, body: &str) {
        host::respond(request, status, body);
    }

    fn ended(&self, exit_code: u8) {
        host::ended(exit_code);
    }

    fn log(&self, text: &str) {
        host::print(text);
    }
}

impl Files for Page {
    type File = NamedFile;
    type Value = Value;

    fn unix() -> u64 {
        host::unix()
    }

    fn open_file(&self, name: &str) -> io::Result<Option<NamedFile>> {
        Ok(NamedFile::open(name))
    }

    fn open_or_create_file(&self, name: &str) -> io::Result<NamedFile> {
        NamedFile::open_or_create(name)
    }

    fn remove_file(&self, name: &str) -> io::Result<()> {
        NamedFile::remove(name)
    }

    fn file_names(&self, ending: &str) -> io::Result<Vec<(String, u64)>> {
        Ok(files::names(ending))
    }

    fn check_free_files(&self, files: usize) -> io::Result<()> {
        files::check_free(files)
    }

    fn open_value(&self, name: &str) -> io::Result<Value> {
        Ok(files::value(name))
    }

    fn remove_value(&self, name: &str) -> io::Result<()> {
        files::remove_value(name)
    }
}
