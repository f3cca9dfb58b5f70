//! A player's session: answers requests, and runs one program at a time that hosts, joins, resumes or audits
//! a match.

use std::time::Duration;

use anyhow::{Context, ensure};
use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::{Invite, Place, PolledConnection};
use dealerless_table::Seat;
use dealerless_table::log::Phase;
use serde::Deserialize;
use serde_json::{Value, json};

use super::errors::{exit_code, explain, is_by_player};
use super::joining::Guest;
use super::matches::{self, Kept};
use super::moving::{self, MoveRequest, SucceedRequest};
use super::own::Own;
use super::page::{self, HostRequest, InPage, NEEDS, route_at};
use super::program::{Input, Program};
use super::world::World;
use crate::VERSION;
use crate::command;
use crate::event::Event;
use crate::json;
use crate::records::answers;
use crate::records::history::{self, RecordFile};
use crate::records::show;
use crate::records::words::Moment;
use crate::stored::{self, OpenMatch, UnreadMatch};

/// The maximum length of a command line.
const MAX_COMMAND: usize = 8 << 10;
/// The maximum size of two records together, in bytes.
const MAX_RECORDS: usize = 32 << 20;

/// The error of a guest who names no relay.
const ENTER_RELAY: &str =
    "enter the relay of the host, such as wss://relay.example.org/, in the field Relay";

/// A program, and for an audit the number of the request that it will answer and the name of the record.
struct Running<W: World> {
    program: Box<dyn Program<W>>,
    audit: Option<(u32, String)>,
}

/// The answer to a request.
enum Answer {
    Now(Value),
    /// An audit answers when it ends.
    Later,
    NotFound,
}

/// A player's session. It plays or audits at most one match at a time, and answers requests about stored
/// matches. The caller passes everything that happens, and calls [`step`](Self::step) afterwards.
pub struct Session<W: World> {
    own: Own<W>,
    running: Option<Running<W>>,
}

impl<W: World> Session<W> {
    /// Reads what the player has kept. At the first visit, makes an identity.
    ///
    /// # Errors
    /// If a file is damaged, or cannot be read or written.
    pub fn open(world: W) -> anyhow::Result<Self> {
        let own = Own::open(world)?;
        if let Err(error) = matches::destroy_old_inputs(&own) {
            own.world
                .log(&format!("cannot remove old inputs to shuffles: {error:#}"));
        }
        Ok(Session { own, running: None })
    }

    /// The connection with this number, if the program uses it.
    pub fn connection(&mut self, number: u32) -> Option<&mut PolledConnection<W::Sockets>> {
        self.running.as_mut()?.program.connection(number)
    }

    /// Whether a socket belongs to the program that runs.
    pub fn has(&mut self, number: u32) -> bool {
        let running = self.running.as_mut();
        running.is_some_and(|running| running.program.has(number))
    }

    /// Passes an input to the program that runs, if there is one.
    pub fn input(&mut self, input: Input<'_>, now: Duration) {
        if let Some(Running { program, .. }) = &mut self.running
            && let Err(error) = program.input(&mut self.own, input, now)
        {
            self.ended(Err(error));
        }
    }

    /// Does all that is due. Returns when to call this again. `None` means after the next event.
    pub fn step(&mut self, now: Duration) -> Option<Duration> {
        let Some(Running { program, .. }) = &mut self.running else {
            return None;
        };
        match program.step(&mut self.own, now) {
            Ok(false) => {}
            Ok(true) => self.ended(Ok(())),
            Err(error) => self.ended(Err(error)),
        }
        Some(self.running.as_mut()?.program.timer(now))
    }

    /// A command of the player: a line of JSON.
    pub fn command(&mut self, line: &[u8], now: Duration) {
        let text = std::str::from_utf8(line).unwrap_or_default();
        if text.len() > MAX_COMMAND {
            return;
        }
        let input = match command::parse(text) {
            Ok((said, turn)) => Input::Said(said, turn),
            Err(complaint) => Input::Refused(complaint),
        };
        self.input(input, now);
    }

    /// A request, which [`World::respond`] answers now or later. `docs/browser-guest.md` describes the
    /// requests.
    pub fn request(&mut self, number: u32, is_post: bool, path: &str, body: &[u8], now: Duration) {
        let answer = match (is_post, path) {
            (true, "/audit") => self.audit(number, body, now),
            _ => self.answer(is_post, path, body, now),
        };
        match answer {
            Ok(Answer::Later) => {}
            Ok(Answer::Now(object)) => self.respond(number, Ok(object)),
            Ok(Answer::NotFound) => {
                let body = error("not found").to_string();
                self.own.world.respond(number, 404, &body);
            }
            Err(why) => self.respond(number, Err(format!("{why:#}"))),
        }
    }

    /// Answers the request with this number: with an object, or with the message of an error.
    fn respond(&self, number: u32, answer: Result<Value, String>) {
        let (status, body) = match answer {
            Ok(object) => (200, object),
            Err(message) => (500, error(&message)),
        };
        self.own.world.respond(number, status, &body.to_string());
    }
}

fn error(message: &str) -> Value {
    json!({ "error": { "message": message } })
}

/// A request to wait again for the guest of an invite, in a new session.
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
    /// The URL of the relay.
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

impl<W: World> Session<W> {
    /// The answer to a request. `None` if there is no such request.
    fn answer(
        &mut self,
        is_post: bool,
        path: &str,
        body: &[u8],
        now: Duration,
    ) -> anyhow::Result<Answer> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        Ok(Answer::Now(match (is_post, path) {
            (false, "/state") => self.state(),
            (false, "/identity") => {
                let own = &self.own.identity;
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
                let own = self.own.identity.public().fingerprint();
                stored::peers(own, self.own.peers.lock().peers())
            }
            (false, "/matches") => self.matches()?,
            (false, "/history") => self.history()?,
            (false, "/show") => self.show(query)?,
            (false, "/record") => {
                let record = matches::read(&self.own.files, &self.called(query)?.0)?;
                json!({ "hex": dealerless_connection::hex(&record) })
            }
            (false, "/audit") => page::audited(
                &self.own.files,
                &self.kept(query.strip_prefix("match=").unwrap_or(""))?.name,
            )?,
            (true, "/verify") => verify(query, body)?,
            (true, "/host") => self.host(body, now)?,
            (true, "/join") => self.join(json::read(body)?, now)?,
            (true, "/resume") => self.resume(json::read(body)?, now)?,
            (true, "/move") => self.move_away(&json::read(body)?, now)?,
            (true, "/succeed") => self.succeed(&json::read(body)?, now)?,
            (true, "/end") => {
                self.input(Input::BreakOff, now);
                json!({})
            }
            _ => return Ok(Answer::NotFound),
        }))
    }

    /// Ends an audit.
    ///
    /// # Errors
    /// If a match is being played.
    fn must_be_free(&mut self, now: Duration) -> anyhow::Result<()> {
        if self
            .running
            .as_ref()
            .is_some_and(|running| running.audit.is_some())
        {
            self.input(Input::BreakOff, now);
        }
        ensure!(
            self.running.is_none(),
            "a match is being played: end it first"
        );
        Ok(())
    }

    fn move_away(&mut self, request: &MoveRequest, now: Duration) -> anyhow::Result<Value> {
        self.must_be_free(now)?;
        let moved = moving::move_away(&mut self.own, request);
        if moved.is_err() {
            // A write that has failed may have marked the identity as moved. If its files cannot be read any
            // more, it does not play either.
            self.own.has_moved();
            self.own = Own::open(self.own.world.clone())?;
        }
        moved
    }

    fn succeed(&mut self, request: &SucceedRequest, now: Duration) -> anyhow::Result<Value> {
        self.must_be_free(now)?;
        self.own.can_play()?;
        let succeeded = moving::succeed(&self.own, request);
        self.own = Own::open(self.own.world.clone())?;
        succeeded
    }

    fn matches(&self) -> anyhow::Result<Value> {
        let (mut kept, unread) = matches::all(&self.own)?;
        kept.retain(|kept| !kept.is_over() && kept.is_begun());
        let open: Vec<_> = matches::with_tables(&self.own, kept)?
            .iter()
            .map(|kept| OpenMatch::of(&kept.opened, kept.name.clone(), kept.time))
            .collect();
        let unread: Vec<_> = unread
            .into_iter()
            .map(|(name, error)| UnreadMatch {
                of: name.chars().take(16).collect(),
                peer: String::new(),
                message: format!("{error:#}"),
                log: name,
            })
            .collect();
        Ok(stored::open_matches(&open, &unread))
    }

    fn history(&self) -> anyhow::Result<Value> {
        let identity = &self.own.identity;
        let files = matches::records(&self.own)?
            .into_iter()
            .map(|(name, changed)| {
                let bytes =
                    matches::read(&self.own.files, &name).map_err(|error| format!("{error:#}"));
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
        Ok(json!({ "matches": history::list(files) }))
    }

    fn show(&self, query: &str) -> anyhow::Result<Value> {
        let (name, created) = self.called(query)?;
        let record = show::read(
            &matches::read(&self.own.files, &name)?,
            Some(&self.own.identity),
        )?;
        let date = Moment::of_file(Duration::from_secs(created));
        let mut shown = answers::shown(&record, date);
        if matches!(record.log.phase(), Phase::Over(_)) {
            shown["audit"] = matches::audit_state(&self.own.files, &name).into();
        }
        Ok(shown)
    }

    fn state(&self) -> Value {
        let mut state = json!({ "version": env!("CARGO_PKG_VERSION"), "browser": true });
        if let Some(kept) = self.own.hosting()
            && self.running.is_none()
            && self.own.can_play().is_ok()
        {
            state["hosting"] = json!({ "relay": kept.relay });
        }
        state
    }

    fn host(&mut self, body: &[u8], now: Duration) -> anyhow::Result<Value> {
        self.must_be_free(now)?;
        self.own.can_play()?;
        let again = json::read::<HostAgain>(body)?.again;
        let hosting = if again {
            let kept = self.own.hosting().cloned();
            let kept = kept.context("no invite waits here")?;
            let hosting = page::waiting_again(&self.own, kept, now);
            if hosting.is_err() {
                self.own.keep_hosting(None)?;
            }
            hosting?
        } else {
            let request: HostRequest = json::read(body)?;
            if let Some(name) = &request.name {
                self.own.rename(name).context("cannot keep your name")?;
            }
            page::inviting(&mut self.own, request, now)?
        };
        self.play(Box::new(hosting));
        Ok(json!({}))
    }

    fn join(&mut self, join: Join, now: Duration) -> anyhow::Result<Value> {
        self.must_be_free(now)?;
        self.own.can_play()?;
        if let Some(name) = &join.name {
            self.own.rename(name).context("cannot keep your name")?;
        }
        if let Ok(code) = join.whom.parse() {
            let relay = join.relay.context(ENTER_RELAY)?;
            self.own.world.report(&Event::Hello { version: VERSION });
            let (requires, relay) = (Box::new(InPage(relay.clone())), Place::Url(relay));
            let guest = Guest::using_code(&self.own, requires, NEEDS, code, relay, now);
            self.play(Box::new(guest));
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
        let relay = relay.context(ENTER_RELAY)?.to_owned();
        let requires = Box::new(InPage(relay.clone()));
        let route = route_at(relay, invite, peer);
        self.own.world.report(&Event::Hello { version: VERSION });
        let guest = Guest::joining(&self.own, requires, NEEDS, route, now)?;
        self.play(Box::new(guest));
        Ok(json!({}))
    }

    /// The name of the record that a query names, as `match=` and its id or the first digits of the id, and the
    /// time of its creation in seconds since 1970.
    fn called(&self, query: &str) -> anyhow::Result<(String, u64)> {
        let called = query.strip_prefix("match=").unwrap_or("");
        let mut names = matches::records(&self.own)?.into_iter();
        let is_called = |(name, _): &(String, u64)| {
            show::is_id_of(called, name.strip_suffix(matches::RECORD).unwrap_or(name))
        };
        names.find(is_called).context("there is no such match here")
    }

    /// The match that begins with these digits of its id.
    fn kept(&self, called: &str) -> anyhow::Result<Kept<W::Files>> {
        let (kept, _) = matches::all(&self.own)?;
        let is_called = |kept: &Kept<_>| {
            dealerless_connection::hex(kept.id().as_bytes()).starts_with(called)
                && called.len() >= 4
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
    fn audit(&mut self, number: u32, body: &[u8], now: Duration) -> anyhow::Result<Answer> {
        let request: AuditRequest = json::read(body)?;
        self.must_be_free(now)?;
        let kept = self.kept(&request.of)?;
        if request.decline {
            ensure!(kept.is_over(), "this match is not over");
            matches::destroy_inputs(&self.own.files, &kept.name)?;
            return Ok(Answer::Now(json!({ "destroyed": true })));
        }
        self.own.can_play()?;
        let relay = self.relay(request.relay, kept.peer())?;
        let auditor = page::auditing(&self.own, &kept, relay, now)?;
        self.running = Some(Running {
            program: Box::new(auditor),
            audit: Some((number, kept.name)),
        });
        Ok(Answer::Later)
    }

    fn resume(&mut self, resume: Resume, now: Duration) -> anyhow::Result<Value> {
        self.must_be_free(now)?;
        self.own.can_play()?;
        let kept = self.kept(&resume.of)?;
        if resume.close {
            kept.close()?;
            return Ok(json!({}));
        }
        let peer = kept.peer().clone();
        let relay = self.relay(resume.relay, &peer)?;
        self.own.world.report(&Event::Hello { version: VERSION });
        if kept.seat() == Seat::HOST && !kept.is_without_seat(&self.own) {
            self.play(page::resuming(&self.own, relay, kept, now)?);
            return Ok(json!({}));
        }
        let requires = Box::new(InPage(relay.clone()));
        let route = route_at(relay, None, Some(peer));
        let guest = Guest::resuming(&self.own, requires, NEEDS, route, kept, now)?;
        self.play(Box::new(guest));
        Ok(json!({}))
    }

    fn play(&mut self, program: Box<dyn Program<W>>) {
        let audit = None;
        self.running = Some(Running { program, audit });
    }

    /// The program has ended.
    fn ended(&mut self, ended: anyhow::Result<()>) {
        if let Some((number, record)) = self.running.take().and_then(|running| running.audit) {
            let audited = ended.and_then(|()| page::audited(&self.own.files, &record));
            let answer = audited.map_err(|error| match is_by_player(&error) {
                true => "the audit was cancelled".to_owned(),
                false => explain(&error),
            });
            return self.respond(number, answer);
        }
        self.own.world.detach_engine();
        if let Err(error) = self.own.keep_hosting(None) {
            // The next session waits again, and its player ends it again.
            self.own.world.log(&format!("{error:#}"));
        }
        let code = match &ended {
            Ok(()) => 0,
            Err(error) => exit_code(error),
        };
        if let Err(error) = ended.as_ref()
            && !is_by_player(error)
        {
            self.own.world.report(&Event::Error {
                code: None,
                exit_code: Some(code),
                message: explain(error),
            });
        }
        self.own.world.ended(code);
    }
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
