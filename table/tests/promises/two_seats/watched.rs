//! A seat that follows the protocol, and whose deeds are written down.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dealerless_table::log::{End, Journal, MatchLog, Sitting, Storage};
use dealerless_table::play::{
    Command, Event, News, Order, Orders, Outbox, Play, PlayError, Setting, Vault,
};
use dealerless_table::rules::{Choice, Legal};
use dealerless_table::{SystemRng, system_rng};

use zeroize::Zeroizing;

use super::seats::{Wiring, inputs};

/// What a seat does that outlives it, or that others see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Append(Vec<u8>),
    Sync,
    Keep(Vec<u8>),
    Destroy,
    Send(Vec<u8>),
    /// The bits, the name.
    Shuffle(Vec<bool>, Vec<u8>),
    Voided,
}

/// What a seat did, in its order.
#[derive(Clone, Default)]
pub(crate) struct Deeds(Arc<Mutex<Vec<Deed>>>);

impl Deeds {
    fn add(&self, deed: Deed) -> io::Result<()> {
        self.0.lock().unwrap().push(deed);
        Ok(())
    }

    pub(crate) fn all(&self) -> Vec<Deed> {
        self.0.lock().unwrap().clone()
    }

    /// What was written.
    pub(crate) fn written(&self) -> Vec<u8> {
        let bytes = |deed| match deed {
            Deed::Append(bytes) => bytes,
            _ => Vec::new(),
        };
        self.all().into_iter().flat_map(bytes).collect()
    }
}

impl Storage for Deeds {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.written())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.add(Deed::Append(bytes.to_vec()))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.add(Deed::Sync)
    }

    fn truncate(&mut self, _: u64) -> io::Result<()> {
        unreachable!("nothing was there")
    }
}

impl Vault for Deeds {
    fn keep(&mut self, deck: &[u8]) -> io::Result<()> {
        self.add(Deed::Keep(deck.to_vec()))
    }

    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        Ok(None)
    }

    fn destroy(&mut self) -> io::Result<()> {
        self.add(Deed::Destroy)
    }
}

/// A seat that follows the protocol, watched.
pub(crate) struct Watched {
    pub(crate) play: Play<Deeds, Deeds, SystemRng>,
    pub(crate) wiring: Wiring,
    pub(crate) deeds: Deeds,
    /// It takes in all that has come before it says something.
    pub(crate) lazy: bool,
}

struct Mouth<'a, W>(&'a mut W, &'a Deeds);

impl<W: Outbox> Outbox for Mouth<'_, W> {
    fn send(&mut self, part: Vec<u8>) -> io::Result<()> {
        self.1.add(Deed::Send(part.clone()))?;
        self.0.send(part)
    }
}

struct Hands<'a, O>(&'a mut O, &'a Deeds);

impl<O: Orders> Orders for Hands<'_, O> {
    fn order(&mut self, order: Order) {
        if let Order::Shuffle(seeds, name) = &order {
            let deed = Deed::Shuffle(seeds.bits().to_vec(), name.clone());
            self.1.add(deed).unwrap();
        }
        self.0.order(order);
    }

    fn voided(&mut self) -> io::Result<()> {
        self.1.add(Deed::Voided)
    }
}

/// What is left of a watched seat when it has played.
pub(crate) struct Seen {
    pub(crate) play: Play<Deeds, Deeds, SystemRng>,
    pub(crate) deeds: Deeds,
}

impl Watched {
    pub(crate) fn new(wiring: Wiring, log: &MatchLog) -> Self {
        let deeds = Deeds::default();
        let sitting = Sitting {
            match_info: log.match_info().clone(),
            seat: wiring.seat,
            names: Vec::new(),
        };
        let key = wiring.identity.file_key();
        let mut play = Play::new(Setting {
            identity: wiring.identity.clone(),
            seat: wiring.seat,
            log: log.clone(),
            journal: Journal::create(deeds.clone(), key, &sitting).unwrap(),
            inputs: inputs(Deeds::default(), &wiring.identity, log.match_info()),
            vault: deeds.clone(),
            circuit: wiring.circuit.clone(),
            rng: system_rng(),
        })
        .unwrap();
        play.begin();
        Watched {
            play,
            wiring,
            deeds,
            lazy: false,
        }
    }

    pub(crate) fn advance(&mut self) -> Result<(), PlayError> {
        let Wiring { wire, dealer, .. } = &mut self.wiring;
        let deeds = &self.deeds;
        (self.play).advance(&mut Mouth(wire, deeds), &mut Hands(dealer, deeds))
    }

    /// Takes in what comes next, and in a lazy seat what comes soon after it.
    pub(crate) fn receive(&mut self) -> Result<(), PlayError> {
        let mut next = Some(self.wiring.events.recv().unwrap());
        while let Some(event) = next.take() {
            if let Event::Received(bytes) = &event
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

    /// Plays until the match is over: checks, calls and shows, but what `player` says goes before.
    pub(crate) fn run(
        &mut self,
        mut player: impl FnMut(&Play<Deeds, Deeds, SystemRng>, &News) -> Option<Command>,
    ) -> Result<End, PlayError> {
        loop {
            self.advance()?;
            let mut said = false;
            while let Some(news) = self.play.news() {
                if let Some(command) = player(&self.play, &news).or_else(|| calls(&news)) {
                    self.play.command(command).unwrap();
                    said = true;
                }
                if let News::Over(end) = news {
                    return Ok(end);
                }
            }
            if !said {
                self.receive()?;
            }
        }
    }
}

/// What somebody says who calls and shows.
pub(crate) fn calls(news: &News) -> Option<Command> {
    let legal = match news {
        News::YourTurn { legal } => legal,
        News::Voided { .. } => return Some(Command::DealAgain),
        _ => return None,
    };
    Some(Command::Choose(match legal {
        Legal::Bet { call: None, .. } => Choice::Check,
        Legal::Bet { .. } => Choice::Call,
        _ => Choice::Show,
    }))
}
