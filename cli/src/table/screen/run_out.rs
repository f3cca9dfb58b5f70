//! An all-in before the last street: a person at a terminal sees the board street by street. Only the display
//! waits; the match goes on.

use std::collections::VecDeque;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use dealerless_events::event::Event;

use super::Screen;

/// The time for each street, and for the result after them.
pub(crate) const STREET: Duration = Duration::from_millis(800);

/// The events that wait.
pub(super) struct RunOut {
    later: VecDeque<Event>,
    /// When the first of them is shown.
    pub(super) at: Instant,
}

impl Default for RunOut {
    fn default() -> Self {
        RunOut {
            later: VecDeque::new(),
            at: Instant::now(),
        }
    }
}

impl Screen {
    /// Shows what happened, at once or behind the streets that wait. `asks` says whether somebody is there to
    /// answer.
    pub(crate) fn tell(&mut self, event: &Event, asks: bool) -> io::Result<()> {
        self.asks = asks;
        match event {
            Event::YourTurn(_) | Event::Dealt { .. } => self.hurry()?,
            Event::Waiting { .. } if !self.run_out.later.is_empty() => return Ok(()),
            _ => {}
        }
        match (self.run_out.later.is_empty(), self.is_next_street(event)) {
            (true, false) => return self.show(event),
            (true, true) => self.run_out.at = Instant::now() + STREET,
            (false, _) => {}
        }
        self.run_out.later.push_back(event.clone());
        Ok(())
    }

    /// Whether this is the next street, or the result, of a hand in which all cards are turned up.
    fn is_next_street(&self, event: &Event) -> bool {
        let streets = matches!(event, Event::Board { .. } | Event::Result(_));
        let own = self.own_seat();
        let turned_up = !self.hand.showed && self.hand.held.keys().any(|&seat| seat != own);
        self.output.is_live() && self.asks && streets && turned_up
    }

    /// The time until something that waits is shown.
    pub(crate) fn due(&self) -> Option<Duration> {
        let waits = !self.run_out.later.is_empty();
        waits.then(|| self.run_out.at.saturating_duration_since(Instant::now()))
    }

    /// Shows the next street that waits, if its time has come, and what came after it.
    pub(crate) fn show_due(&mut self) -> io::Result<()> {
        if self.due().is_none_or(|left| !left.is_zero()) {
            return Ok(());
        }
        while let Some(event) = self.run_out.later.pop_front() {
            self.show(&event)?;
            let next = self.run_out.later.front();
            if next.is_some_and(|next| self.is_next_street(next)) {
                self.run_out.at = Instant::now() + STREET;
                break;
            }
        }
        Ok(())
    }

    /// Shows all that waits at once.
    pub(super) fn hurry(&mut self) -> io::Result<()> {
        while let Some(event) = self.run_out.later.pop_front() {
            self.show(&event)?;
        }
        Ok(())
    }

    /// Shows all that waits, each street at its time.
    pub(crate) fn show_rest(&mut self) -> io::Result<()> {
        while let Some(left) = self.due() {
            thread::sleep(left);
            self.show_due()?;
        }
        Ok(())
    }
}
