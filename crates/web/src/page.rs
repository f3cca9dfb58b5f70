//! The requests of the page, and the program that plays: hosting, joining and resuming are programs, of
//! which one runs at a time.

use std::cell::RefCell;
use std::time::Duration;

use anyhow::{Context, ensure};
use dealerless_connection::Invite;
use dealerless_connection::identity::PublicIdentity;
use dealerless_seat::VERSION;
use dealerless_seat::command::{self, Complaint};
use dealerless_seat::event::Event;
use dealerless_seat::json;
use dealerless_seat::records::answers;
use dealerless_seat::records::history::{self, RecordFile};
use dealerless_seat::records::show;
use dealerless_seat::records::words::Moment;
use dealerless_seat::stored::{self, OpenMatch, UnreadMatch};
use dealerless_seat::words::Narrator;
use dealerless_table::Seat;
use dealerless_table::log::Phase;
use dealerless_table::play::Done;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::auditing::{self, Auditor};
use crate::failure::{BrokenOff, exit_code, explain};
use crate::guest::Guest;
use crate::hosting::{HostRequest, Hosting};
use crate::line::{Happened, Line, Route};
use crate::moving::{self, MoveRequest, SucceedRequest};
use crate::own::Own;
use crate::program::Program;
use crate::{engine, files, host, matches};

/// The maximum length of a command line.
const MAX_COMMAND: usize = 8 << 10;
/// The maximum size of two records together, in bytes.
const MAX_RECORDS: usize = 32 << 20;

struct Page {
    own: Own,
    /// The program that plays.
    program: Option<Box<dyn Program>>,
}

thread_local! {
    static PAGE: RefCell<Option<Page>> = const { RefCell::new(None) };
    /// It has the names of the match that was played last.
    static NARRATOR: RefCell<Narrator> = RefCell::default();
}

/// Reads what the player has kept in the files 0 to `count`.
///
/// # Errors
/// If a file is damaged, or cannot be read or written.
pub(crate) fn start(count: u32) -> anyhow::Result<()> {
    files::open(count).context("cannot read the files of this page")?;
    let own = Own::open()?;
    if let Err(error) = matches::destroy_old_inputs(&own) {
        host::print(&format!("cannot remove old inputs to shuffles: {error}"));
    }
    PAGE.set(Some(Page { own, program: None }));
    Ok(())
}

fn with_page<R>(work: impl FnOnce(&mut Page) -> R) -> Option<R> {
    PAGE.with_borrow_mut(|page| page.as_mut().map(work))
}

/// Reports an event to the player.
pub(crate) fn tell(event: &Event) {
    match NARRATOR.with_borrow_mut(|narrator| narrator.line(event)) {
        Ok(line) => host::line(&(line + "\n")),
        Err(error) => host::print(&error.to_string()),
    }
}

/// Reports to the player why a command was refused.
pub(crate) fn refuse((code, message): Complaint) {
    tell(&Event::refused(code, message));
}

/// The connection with this socket, if there is one.
pub(crate) fn with_line<R>(socket: u32, work: impl FnOnce(&mut Line) -> R) -> Option<R> {
    with_page(|page| page.program.as_mut()?.line(socket).map(work)).flatten()
}

/// A result of the engine on the connection with this socket.
pub(crate) fn engine_done(socket: u32, done: Done) {
    with_page(|page| {
        if let Some(program) = &mut page.program {
            program.engine_done(socket, done);
        }
    });
}

/// Something has happened to a socket.
pub(crate) fn happened(socket: u32, what: Happened<'_>) {
    with_page(|page| {
        let Some(program) = &mut page.program else {
            return;
        };
        let happened = program.happened(&mut page.own, socket, what, host::now());
        if let Err(error) = happened {
            page.ended(Err(error));
        }
    });
}

/// Does all that is due. Returns the time until this must be called again.
pub(crate) fn step() -> Duration {
    with_page(|page| {
        let now = host::now();
        let Some(program) = &mut page.program else {
            return Duration::MAX;
        };
        if let Some(ended) = program.step(&mut page.own, now) {
            page.ended(ended);
            return Duration::MAX;
        }
        match &mut page.program {
            Some(program) => program.timer(now).saturating_sub(now),
            None => Duration::MAX,
        }
    })
    .unwrap_or(Duration::MAX)
}

/// A command of the player: a line of JSON.
pub(crate) fn command(line: &[u8]) {
    with_page(|page| {
        let Some(program) = &mut page.program else {
            return;
        };
        let text = std::str::from_utf8(line).unwrap_or_default();
        if text.len() > MAX_COMMAND {
            return;
        }
        match command::parse(text) {
            Ok((said, turn)) => {
                let said = program.said(&mut page.own, said, turn, host::now());
                if let Err(error) = said {
                    page.ended(Err(error));
                }
            }
            Err(complaint) => refuse(complaint),
        }
    });
}

/// Answers a request of the page.
pub(crate) fn request(number: u32, is_post: bool, path: &str, body: &[u8]) {
    let answered = with_page(|page| match (is_post, path) {
        // It is answered at the end of the audit.
        (true, "/audit") => match page.audit(number, body) {
            Ok(answer) => answer.map(|answer| Ok(Some(answer))),
            Err(error) => Some(Err(error)),
        },
        _ => Some(page.answer(is_post, path, body)),
    });
    match answered {
        None => respond(number, Err("this page has not started".into())),
        Some(None) => {}
        Some(Some(Ok(Some(object)))) => respond(number, Ok(object)),
        Some(Some(Ok(None))) => host::respond(number, 404, &error("not found").to_string()),
        Some(Some(Err(why))) => respond(number, Err(format!("{why:#}"))),
    }
}

/// Answers the request with this number: with an object, or with the message of an error.
pub(crate) fn respond(number: u32, answer: Result<Value, String>) {
    let (status, body) = match answer {
        Ok(object) => (200, object),
        Err(message) => (500, error(&message)),
    };
    host::respond(number, status, &body.to_string());
}

fn error(message: &str) -> Value {
    json!({ "error": { "message": message } })
}

/// A request to wait again for the guest of an invite, after the page was loaded again.
#[derive(Deserialize)]
struct HostAgain {
    #[serde(default)]
    again: bool,
}

/// A request to join a host.
#[derive(Deserialize)]
struct Join {
    name: Option<String>,
    /// An invite, a code, or the name or fingerprint of a known player.
    whom: String,
    /// The relay: the URL of a WebSocket.
    relay: Option<String>,
}

/// A request to resume a match, or to close it here.
#[derive(Deserialize)]
struct Resume {
    #[serde(rename = "match")]
    of: String,
    relay: Option<String>,
    #[serde(default)]
    close: bool,
}

/// A request to audit a match with the other player, or to destroy this player's inputs to its shuffles.
#[derive(Deserialize)]
struct AuditRequest {
    #[serde(rename = "match")]
    of: String,
    relay: Option<String>,
    #[serde(default)]
    decline: bool,
}

impl Page {
    /// The answer to a request. `None` if there is no such request.
    fn answer(&mut self, is_post: bool, path: &str, body: &[u8]) -> anyhow::Result<Option<Value>> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        Ok(Some(match (is_post, path) {
            (false, "/state") => self.state(),
            (false, "/identity") => {
                let own = self.own.identity();
                let past = stored::past(own.succession());
                let fingerprint = own.public().fingerprint();
                let name = self.own.chosen_name();
                let mut shown = stored::identity(fingerprint, "identity", &past, None, name);
                if self.own.can_play().is_err() {
                    shown["moved"] = true.into();
                }
                shown
            }
            (false, "/peers") => {
                let own = self.own.identity().public().fingerprint();
                stored::peers(own, self.own.peers.lock().peers())
            }
            (false, "/matches") => self.matches(),
            (false, "/history") => self.history(),
            (false, "/show") => self.show(query)?,
            (false, "/record") => {
                let record = matches::record(&called(query)?.0)?;
                json!({ "hex": dealerless_connection::hex(&record) })
            }
            (false, "/audit") => {
                auditing::made(&self.kept(query.strip_prefix("match=").unwrap_or(""))?.id())?
            }
            (true, "/verify") => verify(query, body)?,
            (true, "/host") => self.host(body)?,
            (true, "/join") => self.join(json::read(body)?)?,
            (true, "/resume") => self.resume(json::read(body)?)?,
            (true, "/move") => self.move_away(&json::read(body)?)?,
            (true, "/succeed") => self.succeed(&json::read(body)?)?,
            (true, "/end") => {
                self.end();
                json!({})
            }
            _ => return Ok(None),
        }))
    }

    /// Ends an audit.
    ///
    /// # Errors
    /// If a match is being played.
    fn must_be_free(&mut self) -> anyhow::Result<()> {
        if self
            .program
            .as_ref()
            .is_some_and(|program| program.is_audit())
        {
            self.end();
        }
        ensure!(
            self.program.is_none(),
            "a match is being played: end it first"
        );
        Ok(())
    }

    fn move_away(&mut self, request: &MoveRequest) -> anyhow::Result<Value> {
        self.must_be_free()?;
        let moved = moving::move_away(&mut self.own, request);
        if moved.is_err() {
            // A write that has failed may have marked the identity as moved. If its files cannot be read any
            // more, it does not play either.
            self.own.has_moved();
            self.own = Own::open()?;
        }
        moved
    }

    fn succeed(&mut self, request: &SucceedRequest) -> anyhow::Result<Value> {
        self.must_be_free()?;
        self.own.can_play()?;
        let succeeded = moving::succeed(&self.own, request);
        self.own = Own::open()?;
        succeeded
    }

    fn matches(&self) -> Value {
        let (kept, unread) = matches::all(&self.own);
        let open: Vec<_> = kept
            .iter()
            .filter(|kept| matches::is_open(kept))
            .map(|kept| OpenMatch::of(&kept.opened, matches::record_name(&kept.id()), kept.created))
            .collect();
        let unread: Vec<_> = unread
            .into_iter()
            .map(|(name, _, error)| UnreadMatch {
                of: name.chars().take(16).collect(),
                peer: String::new(),
                message: format!("{error:#}"),
                log: name,
            })
            .collect();
        stored::open_matches(&open, &unread)
    }

    fn history(&self) -> Value {
        let identity = self.own.identity();
        let files = files::names(matches::RECORD)
            .into_iter()
            .map(|(name, changed)| {
                let bytes = matches::record(&name).map_err(|error| format!("{error:#}"));
                let file = RecordFile {
                    match_id: name.chars().take(16).collect(),
                    file: name,
                    peer: String::new(),
                    bytes: bytes.as_ref().map_or(0, |bytes| bytes.len() as u64),
                    changed,
                };
                let record = bytes.map(|bytes| show::read(&bytes, Some(identity)));
                (file, record)
            });
        json!({ "matches": history::list(files) })
    }

    fn show(&self, query: &str) -> anyhow::Result<Value> {
        let (name, created) = called(query)?;
        let record = show::read(&matches::record(&name)?, Some(self.own.identity()))?;
        let date = Moment::of_file(Duration::from_secs(created));
        let mut shown = answers::shown(&record, date);
        if matches!(record.log.phase(), Phase::Over(_)) {
            let of = record.log.match_info().id();
            shown["audit"] = matches::audit_state(&of).into();
        }
        Ok(shown)
    }

    fn state(&self) -> Value {
        let mut state = json!({ "version": env!("CARGO_PKG_VERSION"), "browser": true });
        if let Some(kept) = self.own.hosting()
            && self.program.is_none()
            && self.own.can_play().is_ok()
        {
            state["hosting"] = json!({ "relay": kept.request.relay });
        }
        state
    }

    fn host(&mut self, body: &[u8]) -> anyhow::Result<Value> {
        self.must_be_free()?;
        self.own.can_play()?;
        let again = json::read::<HostAgain>(body)?.again;
        let hosting = if again {
            let kept = self.own.hosting().cloned();
            let hosting = Hosting::again(kept.context("no invite waits here")?, host::now());
            if hosting.is_err() {
                self.own.keep_hosting(None)?;
            }
            hosting?
        } else {
            let request: HostRequest = json::read(body)?;
            if let Some(name) = &request.name {
                self.own.rename(name).context("cannot keep your name")?;
            }
            Hosting::inviting(&mut self.own, request, host::now())?
        };
        self.program = Some(Box::new(hosting));
        Ok(json!({}))
    }

    fn join(&mut self, join: Join) -> anyhow::Result<Value> {
        self.must_be_free()?;
        self.own.can_play()?;
        if let Some(name) = &join.name {
            self.own.rename(name).context("cannot keep your name")?;
        }
        if let Ok(code) = join.whom.parse() {
            let relay = join.relay.context("enter the relay of the host")?;
            tell(&Event::Hello { version: VERSION });
            let guest = Guest::using_code(code, relay, host::now());
            self.program = Some(Box::new(guest));
            return Ok(json!({}));
        }
        let (invite, peer) = match join.whom.parse::<Invite>() {
            Ok(invite) => (Some(Box::new(invite)), None),
            Err(error) if join.whom.starts_with("dealerless") => return Err(error.into()),
            Err(_) => {
                let peers = self.own.peers.lock();
                (None, Some(peers.find(&join.whom)?.identity.clone()))
            }
        };
        let kept = peer.as_ref().and_then(|peer| self.own.relay_of(peer));
        let relay = join.relay.as_deref().or(kept);
        let relay = relay
            .context("the link names no relay: ask for a new one")?
            .to_owned();
        let route = Route {
            relay,
            invite,
            peer,
        };
        tell(&Event::Hello { version: VERSION });
        self.program = Some(Box::new(Guest::joining(&self.own, route, host::now())?));
        Ok(json!({}))
    }

    /// The match that begins with these digits of its id.
    fn kept(&self, called: &str) -> anyhow::Result<matches::Kept> {
        let (kept, _) = matches::all(&self.own);
        let is_called = |kept: &matches::Kept| {
            dealerless_connection::hex(&kept.id()).starts_with(called) && called.len() >= 4
        };
        let found = kept.into_iter().find(is_called);
        found.context("there is no such match here")
    }

    /// Returns `given`, or the relay of the last meeting with this player.
    fn relay(&self, given: Option<String>, peer: &PublicIdentity) -> anyhow::Result<String> {
        let kept = || self.own.relay_of(peer).map(str::to_owned);
        let relay = given.or_else(kept);
        relay.context("the relay of the other player is unknown: enter it")
    }

    /// Begins an audit, which answers the request, or answers now.
    fn audit(&mut self, number: u32, body: &[u8]) -> anyhow::Result<Option<Value>> {
        let request: AuditRequest = json::read(body)?;
        self.must_be_free()?;
        let kept = self.kept(&request.of)?;
        if request.decline {
            ensure!(kept.is_over(), "this match is not over");
            matches::destroy_inputs(&kept.id())?;
            return Ok(Some(json!({ "destroyed": true })));
        }
        self.own.can_play()?;
        let relay = self.relay(request.relay, kept.peer())?;
        let auditor = Auditor::new(&self.own, &kept, relay, number, host::now())?;
        self.program = Some(Box::new(auditor));
        Ok(None)
    }

    fn resume(&mut self, resume: Resume) -> anyhow::Result<Value> {
        self.must_be_free()?;
        self.own.can_play()?;
        let kept = self.kept(&resume.of)?;
        if resume.close {
            kept.close()?;
            return Ok(json!({}));
        }
        let peer = kept.peer().clone();
        let relay = self.relay(resume.relay, &peer)?;
        tell(&Event::Hello { version: VERSION });
        if kept.opened.sitting.seat == Seat::HOST {
            self.program = Some(Box::new(Hosting::resuming(
                &self.own,
                relay,
                kept,
                host::now(),
            )?));
            return Ok(json!({}));
        }
        let route = Route {
            relay,
            invite: None,
            peer: Some(peer),
        };
        self.program = Some(Box::new(Guest::resuming(
            &self.own,
            route,
            kept,
            host::now(),
        )?));
        Ok(json!({}))
    }

    fn end(&mut self) {
        if let Some(program) = &mut self.program
            && let Err(error) = program.break_off(host::now())
        {
            self.ended(Err(error));
        }
    }

    /// The program that plays has ended.
    fn ended(&mut self, ended: anyhow::Result<()>) {
        let ended_audit = (self.program.take()).is_some_and(|program| program.is_audit());
        if ended_audit {
            // It has answered its request.
            return;
        }
        engine::detach();
        if let Err(error) = self.own.keep_hosting(None) {
            // The next page waits again, and its player ends it again.
            host::print(&format!("{error:#}"));
        }
        let code = match &ended {
            Ok(()) => 0,
            Err(error) => exit_code(error),
        };
        if let Err(error) = ended.as_ref()
            && !error.is::<BrokenOff>()
        {
            tell(&Event::Error {
                code: None,
                exit_code: Some(code),
                message: explain(error),
            });
        }
        host::ended(code);
    }
}

/// The name of the record that a query names, as `match=` and its id or the first digits of the id, and the
/// time of its creation in seconds since 1970.
fn called(query: &str) -> anyhow::Result<(String, u64)> {
    let called = query.strip_prefix("match=").unwrap_or("");
    let mut names = files::names(matches::RECORD).into_iter();
    let is_called = |(name, _): &(String, u64)| {
        show::is_id_of(called, name.strip_suffix(matches::RECORD).unwrap_or(name))
    };
    names.find(is_called).context("there is no such match here")
}

/// Verifies one or two records. The body is their concatenation, and the query has their lengths.
fn verify(query: &str, body: &[u8]) -> anyhow::Result<Value> {
    ensure!(body.len() <= MAX_RECORDS, "the records are too long");
    let lengths = query.strip_prefix("lengths=").unwrap_or("");
    let lengths: Vec<usize> = lengths
        .split(',')
        .filter_map(|length| length.parse().ok())
        .collect();
    let records = match lengths[..] {
        [length] if length == body.len() => vec![body],
        [a, b] if a.checked_add(b) == Some(body.len()) => vec![&body[..a], &body[a..]],
        _ => anyhow::bail!("give the lengths of one or two records"),
    };
    Ok(answers::verified(&records, None))
}
