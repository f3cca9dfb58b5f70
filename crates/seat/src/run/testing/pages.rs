//! Two programs in pages: a host and its guest, from the invite on. They play until a match is over on both sides.

use std::time::Duration;

use dealerless_connection::PolledConnection;
use rand::RngExt;
use serde_json::{Value, json};

use super::RELAY;
use super::pages_checks::{self, Checks};
use super::simulation::{Code, Counts, Game, MINUTE, Simulation};
use super::world::{Happening, OfSocket, Shared, Simulated};
use crate::run::{Input, Session};
use crate::seat::LAST_CALL;

/// A page, and its world.
pub(super) struct Page(Session<Simulated>, Simulated);

impl Code for Page {
    fn input(&mut self, input: Input<'_>, now: Duration) {
        self.0.input(input, now);
    }

    fn command(&mut self, line: &str, now: Duration) {
        self.0.command(line.as_bytes(), now);
    }

    fn step(&mut self, now: Duration) -> Option<Duration> {
        self.0.step(now)
    }

    fn has_ended_connection(&mut self) -> bool {
        let connection = self.1.connection_of_engine();
        let connection = connection.and_then(|number| self.0.connection(number));
        connection.is_some_and(|connection| connection.core.ended().is_some())
    }

    fn uses(&mut self, socket: u32) -> bool {
        self.0.has(socket)
    }

    fn connection(&mut self, socket: u32) -> Option<&mut PolledConnection<Simulated>> {
        self.0.connection(socket)
    }
}

/// The state of a player.
#[derive(Default)]
struct Player {
    /// Whether a match was begun or resumed, and has not ended here.
    is_running: bool,
    /// Whether the player knows that the last match is over.
    is_over: bool,
    /// Whether it waits for the guest of an invite.
    invites: bool,
    /// The time of the last event of the match.
    progress: Duration,
    requests: u32,
}

/// Two players, and what is checked.
pub(super) struct Pages {
    players: [Player; 2],
    checks: Checks,
    terms: Value,
    invite: Option<String>,
    was_restored: bool,
    /// Whether a player has closed a match.
    was_closed: bool,
    is_settled: bool,
}

fn terms(shared: &mut Shared) -> Value {
    let rng = &mut shared.rng;
    let time = ["", "none", "30+120", "5+10"][rng.random_range(0..4)];
    let mut terms = match rng.random_range(0..4) {
        0 => json!({ "game": "deck", "cards": 5, "draw": 3 }),
        1 => json!({ "game": "draw", "stack": 20, "ante": "1/2" }),
        2 => json!({ "game": "fixed-holdem", "stack": 15, "blinds": "1/2" }),
        _ => json!({ "game": "holdem", "stack": 20, "blinds": "1/2" }),
    };
    terms["hands"] = rng.random_range(1..=3).into();
    terms["time"] = time.into();
    terms["name"] = "Anna".into();
    terms["relay"] = RELAY.into();
    terms
}

impl Simulation<Pages> {
    pub(super) fn new(seed: u64, given: &[u8]) -> Self {
        let game = |shared: &mut Shared| Pages {
            players: Default::default(),
            checks: Checks::default(),
            terms: terms(shared),
            invite: None,
            was_restored: false,
            was_closed: false,
            is_settled: false,
        };
        Self::with(seed, given, |shared| (game(shared), 2))
    }

    /// Plays until a match is over on both sides.
    pub(super) fn play(&mut self) {
        self.play_until(|this| {
            let is_idle =
                |at: usize| this.programs[at].code.is_some() && !this.game.players[at].is_running;
            this.game.is_settled && is_idle(0) && is_idle(1)
        });
    }

    /// Plays until the match is over for one player. Then a fault, which gets the number of the other program, takes
    /// the last messages from the other player. Checks that the first player waits for the other one.
    pub(super) fn play_with_lost_end(&mut self, fault: impl FnOnce(&mut Self, usize)) {
        // There is a fault, so the end may take long.
        self.pause = Some(0);
        self.play_until(|this| this.game.players.iter().any(|player| player.is_over));
        let other = usize::from(self.game.players[0].is_over);
        let begun = self.now();
        self.note(other, "loses the end");
        fault(self, other);
        self.play_until(|this| !this.game.players[1 - other].is_running);
        let waited = self.now() - begun;
        assert!(
            self.game.players[other].is_over || waited >= LAST_CALL,
            "match {}: the first player waits only {waited:?}",
            self.seed
        );
        self.play();
    }

    /// The connections are cut without a sign.
    pub(super) fn cut_silently(&mut self, program: usize) {
        self.shared().lose_all(program);
    }

    /// A few operations of a disk fail.
    pub(super) fn fill_disk(&mut self, program: usize) {
        self.disks[program].fail(3);
    }

    /// Both players audit the match that is over. Their connection is cut before message number `cut` arrives.
    /// Returns the answers.
    pub(super) fn audit(&mut self, cut: usize) -> [(u16, Value); 2] {
        let body = json!({ "match": pages_checks::settled(&self.disks), "relay": RELAY });
        let mut answers = [0, 1].map(|program| self.ask(program, true, "/audit", &body));
        // The host waits for 10 minutes if its guest does not come again.
        let (mut arrivals, deadline) = (0, self.now() + 15 * MINUTE);
        loop {
            if let [Some(host), Some(guest)] = answers {
                return [host, guest];
            }
            let what = self.next();
            assert!(self.now() < deadline, "the audit does not end");
            if let Happening::OfSocket(socket, OfSocket::Received(_)) = what
                && self.shared().network.peer(socket).is_some()
            {
                arrivals += 1;
                if arrivals == cut {
                    self.shared().cut(socket);
                }
            }
            self.happens(what);
            for (program, answer) in answers.iter_mut().enumerate() {
                let answered = self.shared().outside[program].answers.pop();
                *answer = (answer.take()).or(answered.map(|(_, status, body)| (status, body)));
            }
        }
    }

    /// Checks the records, and returns the trace of the run.
    pub(super) fn ends(mut self) -> (Vec<String>, Counts) {
        pages_checks::agree(&self.disks, self.game.was_restored);
        if !self.game.was_restored && !self.game.was_closed {
            pages_checks::end_together(&self.disks);
        }
        let end = pages_checks::ends(&self.disks);
        self.count(&format!("ended: {end}"));
        for program in 0..2 {
            let (_, peers) = self.ask(program, false, "/peers", &Value::Null).unwrap();
            for peer in peers["peers"].as_array().unwrap() {
                assert_eq!(peer["failed_checks"], 0, "match {}: {peer}", self.seed);
            }
        }
        self.into_trace()
    }

    /// The answer to a request, unless the program is killed.
    fn ask(
        &mut self,
        program: usize,
        is_post: bool,
        path: &str,
        body: &Value,
    ) -> Option<(u16, Value)> {
        let this = &mut self.game.players[program];
        this.requests += 1;
        let number = this.requests;
        let text = body.to_string();
        self.note(program, &format!("asks {path} {text}"));
        self.enter(program, |page, now| {
            page.0.request(number, is_post, path, text.as_bytes(), now);
        });
        let (answered, status, answer) = self.shared().outside[program].answers.pop()?;
        assert_eq!(answered, number);
        if status != 200 {
            self.note(program, &answer.to_string());
        }
        Some((status, answer))
    }
}

impl Game for Pages {
    type Code = Page;

    const PAUSES: [u64; 3] = [120_000, 40_000, 15_000];

    fn open(&mut self, world: Simulated, _: Duration) -> anyhow::Result<Page> {
        let session = Session::open(world.clone()).expect("a program that starts");
        Ok(Page(session, world))
    }

    fn may_restore(this: &mut Simulation<Self>, _: usize) -> bool {
        // Once the match is over on both sides, the other player does not come back for it.
        !pages_checks::is_settled(&this.disks)
    }

    fn starts(this: &mut Simulation<Self>, program: usize, is_restored: bool) {
        if is_restored {
            this.game.was_restored = true;
            this.game.checks.restored(program);
        }
    }

    fn died(this: &mut Simulation<Self>, program: usize) {
        this.game.is_settled = false;
        this.game.players[program].is_running = false;
        this.game.checks.ended(program);
        pages_checks::agree(&this.disks, this.game.was_restored);
    }

    fn ran(this: &mut Simulation<Self>, program: usize) {
        let ended = std::mem::take(&mut this.shared().outside[program].ended);
        for code in ended {
            let now = this.now();
            let player = &mut this.game.players[program];
            player.is_running = false;
            let took = now - player.progress;
            if this.pause.is_none() && code == 0 {
                assert!(took < Duration::from_secs(3), "the end takes {took:?}");
                let other = &this.game.players[1 - program];
                assert!(
                    other.is_over || !other.is_running,
                    "only one side knows the end"
                );
            }
            this.game.checks.ended(program);
            this.game.checks.keeps(program, &this.disks[program]);
            this.note(program, &format!("ended with {code}"));
            this.count(&format!("exit code {code}"));
        }
    }

    fn event(this: &mut Simulation<Self>, program: usize, event: &Value) {
        let kind = event["event"].as_str().unwrap();
        let now = this.now();
        let game = &mut this.game;
        game.checks.event(program, event);
        game.was_closed |= kind == "closed";
        if kind == "over" {
            game.players[program].is_over = true;
        }
        if kind == "invite" {
            game.invite = event["invite"].as_str().map(str::to_owned);
        }
        if !["waiting", "notice", "line-lost", "hello"].contains(&kind) {
            game.players[program].progress = now;
        }
        if ["again", "out-of-time", "line-lost", "resumed", "ask-again"].contains(&kind) {
            this.count(kind);
        }
    }

    fn asks(this: &mut Simulation<Self>, program: usize, is_post: bool, path: &str, body: &Value) {
        if let Some((status, answer)) = this.ask(program, is_post, path, body) {
            assert_eq!(status, 200, "{path}: {answer}");
        }
    }

    /// A player without a match begins or resumes one. A player who waits in vain ends the program.
    fn decides(this: &mut Simulation<Self>, program: usize) {
        let now = this.now();
        let players = &this.game.players;
        let waited = now - players[program].progress;
        if players[program].is_running {
            // After the faults, two programs in one match find each other without their players.
            let waits = |player: &Player| player.is_running && player.progress + 5 * MINUTE < now;
            let is_stuck = players.iter().all(waits) && this.game.checks.is_one_match();
            assert!(!is_stuck || this.shared().is_faulty, "both programs wait");
            if waited > 6 * MINUTE && this.shared().once_in(3) {
                this.ask(program, true, "/end", &json!({}));
            }
            return;
        }
        this.game.is_settled = pages_checks::is_settled(&this.disks);
        if this.game.is_settled {
            return;
        }
        let Some((_, answer)) = this.ask(program, false, "/matches", &Value::Null) else {
            return;
        };
        let matches = answer["matches"].as_array().unwrap();
        let mut open = matches.iter().filter(|open| open["closed"] == false);
        let open = open.next().map(|open| open["match"].clone());
        if let Some(of) = &open
            && !pages_checks::has(&this.disks[1 - program], of.as_str().unwrap())
        {
            // The other player has lost the match.
            this.game.was_closed = true;
            let body = json!({ "match": of, "close": true });
            this.ask(program, true, "/resume", &body);
            return;
        }
        let host = &this.game.players[0];
        let joins = program == 1 && host.is_running && host.invites;
        let resumes = open.filter(|_| this.shared().once_in(4) == joins);
        let (path, body) = match (resumes, program) {
            (Some(of), _) => ("/resume", json!({ "match": of, "relay": RELAY })),
            (None, 0) => {
                let Some((_, state)) = this.ask(0, false, "/state", &Value::Null) else {
                    return;
                };
                let waits = state["hosting"].is_object() && !this.shared().once_in(4);
                let again = json!({ "again": true });
                (
                    "/host",
                    if waits {
                        again
                    } else {
                        this.game.terms.clone()
                    },
                )
            }
            (None, _) => {
                let Some(invite) = this.game.invite.clone() else {
                    return;
                };
                let is_known = this.shared().once_in(4);
                let whom = if is_known { "Anna".into() } else { invite };
                let body = json!({ "name": "Bert", "whom": whom, "relay": RELAY });
                ("/join", body)
            }
        };
        let player = &mut this.game.players[program];
        (player.is_running, player.is_over) = (true, false);
        player.invites = path == "/host";
        player.progress = now;
        let answer = this.ask(program, true, path, &body);
        if answer.is_some_and(|(status, _)| status != 200) {
            this.game.players[program].is_running = false;
        }
    }
}
