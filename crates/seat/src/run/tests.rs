//! A session in memory.

mod audits;
mod lost_end;
mod settled;
mod tables;
mod wires;

use std::cell::{RefCell, RefMut};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use dealerless::mpc::Attempts;
use dealerless_connection::identity::Identity;
use dealerless_connection::storage::{MemoryStorage, Storage as _, TwoSlots};
use dealerless_connection::{Happened, Place, PolledConnection, PolledDoor, Sockets};
use dealerless_table::Seat;
use dealerless_table::play::{DealCircuit, Order};
use serde_json::{Value, json};

use super::door::door_at_relay;
use super::own::Own;
use super::page::HostRequest;
use super::{Files, Input, SeatWorld, Session, World};
use crate::event::Event;
use crate::words::Narrator;

const HOUR: Duration = Duration::from_secs(3600);

/// A world without peers and without an engine.
#[derive(Clone, Default)]
struct Memory(Rc<RefCell<State>>);

#[derive(Default)]
struct State {
    events: Vec<Value>,
    answers: Vec<(u32, u16, Value)>,
    exit_codes: Vec<u8>,
    files: BTreeMap<String, MemoryStorage>,
    /// The files that another program uses.
    in_use: BTreeSet<String>,
    /// The number of files that were read as a whole.
    reads: u32,
    last: u32,
    open: BTreeSet<u32>,
    sent: Vec<u8>,
}

impl Sockets for Memory {
    fn open(&self, _: &Place) -> u32 {
        let mut state = self.0.borrow_mut();
        state.last += 1;
        let number = state.last;
        state.open.insert(number);
        number
    }

    fn send(&self, socket: u32, bytes: &[u8]) -> bool {
        let mut state = self.0.borrow_mut();
        assert!(state.open.contains(&socket));
        state.sent.extend(bytes);
        true
    }

    fn close(&self, socket: u32) {
        self.0.borrow_mut().open.remove(&socket);
    }
}

impl SeatWorld for Memory {
    type Sockets = Self;
    type Files = Self;

    const IN_PAGE: bool = true;

    fn sockets(&self) -> &Self {
        self
    }

    fn report(&self, event: &Event) {
        let line = Narrator::default().line(event).unwrap();
        let event = serde_json::from_str(&line).unwrap();
        self.0.borrow_mut().events.push(event);
    }

    fn attach_engine(&self, _: u32, _: Box<dyn Attempts>) {}

    fn detach_engine(&self) {}

    fn is_engine_settled(&self) -> bool {
        true
    }

    fn start_engine(
        &self,
        _: &mut PolledConnection<Self::Sockets>,
        _: Seat,
        _: &Arc<DealCircuit>,
    ) -> io::Result<()> {
        Ok(())
    }

    fn order_engine(&self, _: Order) {}

    fn count_voided_run(&self) -> io::Result<()> {
        Ok(())
    }
}

impl World for Memory {
    fn files(&self) -> Self {
        self.clone()
    }

    fn respond(&self, request: u32, status: u16, body: &str) {
        let body = serde_json::from_str(body).unwrap();
        self.0.borrow_mut().answers.push((request, status, body));
    }

    fn ended(&self, exit_code: u8) {
        self.0.borrow_mut().exit_codes.push(exit_code);
    }

    fn log(&self, text: &str) {
        panic!("{text}");
    }
}

impl Files for Memory {
    type File = MemoryStorage;
    type Value = TwoSlots<MemoryStorage>;

    fn unix() -> u64 {
        1_790_000_000
    }

    fn open_file(&self, name: &str) -> io::Result<Option<MemoryStorage>> {
        if self.0.borrow().in_use.contains(name) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(self.0.borrow().files.get(name).cloned())
    }

    fn read_file(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let mut state = self.0.borrow_mut();
        state.reads += 1;
        let file = state.files.get(name).cloned();
        file.map(|mut file| file.read()).transpose()
    }

    fn open_or_create_file(&self, name: &str) -> io::Result<MemoryStorage> {
        let mut state = self.0.borrow_mut();
        Ok(state.files.entry(name.to_owned()).or_default().clone())
    }

    fn remove_file(&self, name: &str) -> io::Result<()> {
        self.0.borrow_mut().files.remove(name);
        Ok(())
    }

    fn file_names(&self, ending: &str) -> io::Result<Vec<(String, u64)>> {
        let state = self.0.borrow();
        let names = state.files.keys().filter(|name| name.ends_with(ending));
        Ok(names.map(|name| (name.clone(), Self::unix())).collect())
    }

    fn check_free_files(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn open_value(&self, name: &str) -> io::Result<Self::Value> {
        let slot = |slot| self.open_or_create_file(&format!("{name}.{slot}"));
        Ok(TwoSlots::new([slot(0)?, slot(1)?]))
    }

    fn remove_value(&self, name: &str) -> io::Result<()> {
        (0..2).try_for_each(|slot| self.remove_file(&format!("{name}.{slot}")))
    }
}

/// A session in a world.
struct Player {
    session: Session<Memory>,
    world: Memory,
    requests: u32,
}

impl Player {
    fn new(world: Memory) -> Self {
        Player {
            session: Session::open(world.clone()).unwrap(),
            world,
            requests: 0,
        }
    }

    /// The answer to a request.
    fn ask(&mut self, is_post: bool, path: &str, body: &Value, now: Duration) -> (u16, Value) {
        let body = body.to_string();
        self.requests += 1;
        let number = self.requests;
        (self.session).request(number, is_post, path, body.as_bytes(), now);
        let mut answers = std::mem::take(&mut self.state().answers);
        let (answered, status, answer) = answers.pop().unwrap();
        assert!(answered == number && answers.is_empty());
        (status, answer)
    }

    fn state(&self) -> RefMut<'_, State> {
        self.world.0.borrow_mut()
    }
}

fn hosts() -> Value {
    json!({ "name": "Anna", "relay": "wss://relay", "game": "deck", "hands": 1, "cards": 3, "draw": 2 })
}

#[test]
fn sessions_in_one_world_have_one_identity() {
    let mut first = Player::new(Memory::default());
    let identity = first.ask(false, "/identity", &Value::Null, HOUR);
    let mut again = Player::new(first.world);
    assert_eq!(again.ask(false, "/identity", &Value::Null, HOUR), identity);
    assert_eq!(again.ask(false, "/else", &Value::Null, HOUR).0, 404);
}

#[test]
fn host_waits_on_one_connection_until_it_ends() {
    let mut host = Player::new(Memory::default());
    assert_eq!(host.ask(true, "/host", &hosts(), HOUR).0, 200);
    assert_eq!(host.state().events.last().unwrap()["event"], "invite");
    let mut now = HOUR;
    for number in 1..4 {
        let next = host.session.step(now).unwrap();
        assert_eq!(host.state().open, [number].into());
        (host.session).input(Input::Socket(number, Happened::Opened), now);
        let sent = std::mem::take(&mut host.state().sent);
        assert!(sent.starts_with(b"please relay "));
        assert_eq!(next, now + PolledDoor::<Memory>::RENEW);
        now = next;
        // The relay has paired nobody.
        host.session.step(now);
    }
    host.ask(true, "/end", &json!({}), now);
    let state = host.state();
    assert!(state.open.is_empty() && state.exit_codes == [130]);
}

#[test]
fn host_tries_a_relay_again_after_a_pause() {
    let mut host = Player::new(Memory::default());
    host.ask(true, "/host", &hosts(), HOUR);
    host.session.step(HOUR);
    let refused = Happened::Closed(io::ErrorKind::ConnectionRefused.into());
    host.session.input(Input::Socket(1, refused), HOUR);
    let text = host.state().events.last().unwrap().to_string();
    assert!(text.contains("Still trying"), "{text}");
    let next = host.session.step(HOUR).unwrap();
    assert_eq!(next, HOUR + Duration::from_secs(2));
    assert!(host.state().open.is_empty());
    host.session.step(next);
    assert_eq!(host.state().open, [2].into());
}

#[test]
fn page_that_waits_again_shows_the_link_that_has_replaced_the_first_one() {
    let world = Memory::default();
    let links = |world: &Memory| -> Vec<Value> {
        let events = &world.0.borrow().events;
        let links = events.iter().filter(|event| event["event"] == "invite");
        links.map(|event| event["invite"].clone()).collect()
    };
    let without_code = HOUR + Duration::from_secs(31);
    let mut host = Player::new(world.clone());
    let table = json!({ "relay": "wss://relay", "game": "holdem", "seats": 3 });
    assert_eq!(host.ask(true, "/host", &table, HOUR).0, 200);
    host.session.step(without_code);
    host.session.command(br#"{"do":"link-new"}"#, without_code);
    let shown = links(&world);
    assert_eq!(shown.len(), 2);
    assert_ne!(shown[0], shown[1]);
    let mut again = Player::new(world.clone());
    let body = json!({ "again": true });
    assert_eq!(again.ask(true, "/host", &body, HOUR).0, 200);
    again.session.step(without_code);
    assert_eq!(links(&world)[2], shown[1]);
}

#[test]
fn door_that_has_stopped_has_no_timer_and_waits_again_at_once() {
    let (identity, second) = (Identity::from_seed([1; 32]), Duration::from_secs(1));
    let request: HostRequest = serde_json::from_value(hosts()).unwrap();
    let (proposal, peer) = (request.proposal().unwrap(), Some(identity.public()));
    let own = Own::open(Memory::default()).unwrap();
    let mut door = door_at_relay(&own, "wss://relay", &proposal, None, peer, HOUR);
    assert_eq!(door.timer(), HOUR);
    door.stop();
    assert_eq!(door.timer(), Duration::MAX);
    door.begin(second);
    assert_eq!(door.timer(), second);
}

#[test]
fn invite_without_a_relay_needs_the_relay_of_the_request() {
    let mut host = Player::new(Memory::default());
    host.ask(true, "/host", &hosts(), HOUR);
    let invite = host.state().events.last().unwrap()["invite"].clone();
    let mut guest = Player::new(Memory::default());
    let (status, answer) = guest.ask(true, "/join", &json!({ "whom": invite }), HOUR);
    let message = answer["error"]["message"].to_string();
    assert!(
        status == 500 && message.contains("enter the relay of the host"),
        "{message}"
    );
    let join = json!({ "whom": invite, "relay": "wss://relay" });
    assert_eq!(guest.ask(true, "/join", &join, HOUR).0, 200);
    guest.session.step(HOUR);
    assert_eq!(guest.state().open, [1].into());
}
