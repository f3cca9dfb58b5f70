//! The street-by-street display of the board after an all-in, for a person at a terminal. Only the
//! display waits; the match continues.

use std::collections::VecDeque;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use dealerless_seat::event::Event;
use dealerless_seat::seat::STREET;

use super::Screen;

/// The events whose display is delayed.
pub(super) struct RunOut {
    later: VecDeque<Event>,
    /// The time at which the first of these events is shown.
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
    /// Shows an event, at once or after the pending streets. `asks` is whether the player can
    /// answer questions.
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

    /// Whether the event is the next street or the result of a hand in which all cards are face up.
    fn is_next_street(&self, event: &Event) -> bool {
        let streets = matches!(event, Event::Board { .. } | Event::Result(_));
        let turned_up = !self.hand.showed && self.hand.turned_up;
        self.output.is_live() && self.asks && streets && turned_up
    }

    /// The time until the next pending event is shown.
    pub(crate) fn due(&self) -> Option<Duration> {
        let waits = !self.run_out.later.is_empty();
        waits.then(|| self.run_out.at.saturating_duration_since(Instant::now()))
    }

    /// Shows the next pending street if it is due, with the events that follow it.
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

    /// Shows all pending events at once.
    pub(super) fn hurry(&mut self) -> io::Result<()> {
        while let Some(event) = self.run_out.later.pop_front() {
            self.show(&event)?;
        }
        Ok(())
    }

    /// Shows all pending events, each street at its time.
    pub(crate) fn show_rest(&mut self) -> io::Result<()> {
        while let Some(left) = self.due() {
            thread::sleep(left);
            self.show_due()?;
        }
        Ok(())
    }
}
