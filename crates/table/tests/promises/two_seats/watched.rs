//! An honest seat whose actions are recorded.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dealerless_connection::SystemRng;
use dealerless_connection::storage::{Storage, Vault};
use dealerless_table::Seat;
use dealerless_table::log::{End, MatchLog};
use dealerless_table::play::{Command, Event, News, Order, Orders, Outbox, Play, PlayError};
use dealerless_table::testing::choices;
use dealerless_table::testing::threads::Wiring;
use zeroize::Zeroizing;

/// An action of a seat whose effect outlives the program or reaches the peer or the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Append(Vec<u8>),
    Sync,
    Keep(Vec<u8>),
    Destroy,
    Send(Vec<u8>),
    /// The bits of the input, and the name of the deck.
    Shuffle(Vec<bool>, Vec<u8>),
    Voided,
}

/// The actions of a seat, in order.
#[derive(Clone, Default)]
pub(crate) struct Actions(Arc<Mutex<Vec<Action>>>);

impl Actions {
    fn add(&self, action: Action) -> io::Result<()> {
        self.0.lock().unwrap().push(action);
        Ok(())
    }

    pub(crate) fn all(&self) -> Vec<Action> {
        self.0.lock().unwrap().clone()
    }

    /// The bytes written so far.
    pub(crate) fn written(&self) -> Vec<u8> {
        let bytes = |action| match action {
            Action::Append(bytes) => bytes,
            _ => Vec::new(),
        };
        self.all().into_iter().flat_map(bytes).collect()
    }
}

impl Storage for Actions {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.written())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.add(Action::Append(bytes.to_vec()))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.add(Action::Sync)
    }

    fn truncate(&mut self, _: u64) -> io::Result<()> {
        unreachable!("a new file is not truncated")
    }
}

impl Vault for Actions {
    fn keep(&mut self, deck: &[u8]) -> io::Result<()> {
        self.add(Action::Keep(deck.to_vec()))
    }

    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        Ok(None)
    }

    fn destroy(&mut self) -> io::Result<()> {
        self.add(Action::Destroy)
    }
}

/// An honest seat whose actions are recorded.
pub(crate) struct Watched {
    pub(crate) play: Play<Actions, Actions, SystemRng>,
    pub(crate) wiring: Wiring,
    pub(crate) actions: Actions,
    /// Whether the seat receives all pending events before it signs anything.
    pub(crate) lazy: bool,
}

struct WatchedOutbox<'a, W>(&'a mut W, &'a Actions);

impl<W: Outbox> Outbox for WatchedOutbox<'_, W> {
    fn send(&mut self, to: Seat, part: Vec<u8>) -> io::Result<()> {
        self.1.add(Action::Send(part.clone()))?;
        self.0.send(to, part)
    }
}

struct WatchedOrders<'a, O>(&'a mut O, &'a Actions);

impl<O: Orders> Orders for WatchedOrders<'_, O> {
    fn order(&mut self, order: Order) {
        if let Order::Shuffle(seeds, name) = &order {
            let action = Action::Shuffle(seeds.bits().to_vec(), name.clone());
            self.1.add(action).unwrap();
        }
        self.0.order(order);
    }

    fn voided(&mut self) -> io::Result<()> {
        self.1.add(Action::Voided)
    }
}

/// A watched seat after the match.
pub(crate) struct Finished {
    pub(crate) play: Play<Actions, Actions, SystemRng>,
    pub(crate) actions: Actions,
}

impl Watched {
    pub(crate) fn new(wiring: Wiring, log: &MatchLog) -> Self {
        let actions = Actions::default();
        let files = (Actions::default(), actions.clone());
        let play = wiring.play(log.clone(), actions.clone(), files);
        Watched {
            play,
            wiring,
            actions,
            lazy: false,
        }
    }

    pub(crate) fn advance(&mut self) -> Result<(), PlayError> {
        let Wiring { wire, dealer, .. } = &mut self.wiring;
        let actions = &self.actions;
        (self.play).advance(
            &mut WatchedOutbox(wire, actions),
            &mut WatchedOrders(dealer, actions),
        )
    }

    /// Receives the next event. A lazy seat also receives the events shortly after it.
    pub(crate) fn receive(&mut self) -> Result<(), PlayError> {
        let mut next = Some(self.wiring.events.recv().unwrap());
        while let Some(event) = next.take() {
            if let Event::Received(_, bytes) = &event
                && bytes.is_empty()
            {
                return Err(PlayError::NoMessage);
            }
            self.play.receive(event)?;
            if self.lazy {
                let soon = Duration::from_millis(50);
                next = self.wiring.events.recv_timeout(soon).ok();
            }
        }
        Ok(())
    }

    /// Plays until the match is over: checks, calls and shows, unless `player` returns a command.
    pub(crate) fn run(
        &mut self,
        mut player: impl FnMut(&Play<Actions, Actions, SystemRng>, &News) -> Option<Command>,
    ) -> Result<End, PlayError> {
        loop {
            self.advance()?;
            let mut commanded = false;
            while let Some(news) = self.play.news() {
                if let Some(command) = player(&self.play, &news).or_else(|| call_and_show(&news)) {
                    self.play.command(command).unwrap();
                    commanded = true;
                }
                if let News::Over(end) = news {
                    return Ok(end);
                }
            }
            if !commanded {
                self.receive()?;
            }
        }
    }
}

/// The command of a player who calls and shows.
pub(crate) fn call_and_show(news: &News) -> Option<Command> {
    let legal = match news {
        News::YourTurn { legal } => legal,
        News::Voided { .. } => return Some(Command::DealAgain),
        _ => return None,
    };
    Some(Command::Choose(choices::passive(legal)))
}
