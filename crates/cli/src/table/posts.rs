//! Messages to the player's program from other threads: requests to end it, and typed lines. They are queued until the
//! program runs, which then gets them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dealerless_native::{Input, ProgramInput};
use dealerless_seat::event::Refusal;

use super::input;
use crate::failure::BROKEN_OFF;

/// The queue of messages to a program, for any thread.
#[derive(Clone, Default)]
pub(crate) struct Posts(Arc<Mutex<Destination>>);

enum Destination {
    /// No program runs yet: inputs are queued, and typed lines are dropped.
    Waiting {
        early: Vec<Input<'static>>,
        has_dropped: bool,
    },
    /// A program runs.
    Program(ProgramInput),
}

impl Default for Destination {
    fn default() -> Self {
        Destination::Waiting {
            early: Vec::new(),
            has_dropped: false,
        }
    }
}

impl Posts {
    fn lock(&self) -> MutexGuard<'_, Destination> {
        // Every change leaves the value consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends or queues an input. Returns `false` if the program no longer exists.
    pub(crate) fn put(&self, input: Input<'static>) -> bool {
        match &mut *self.lock() {
            Destination::Program(seat) => seat.put(input),
            Destination::Waiting { early, .. } => {
                early.push(input);
                true
            }
        }
    }

    /// Drops a typed line if no program runs. Otherwise returns the line with the program's input.
    pub(crate) fn typed(&self, line: input::TypedLine) -> Option<(input::TypedLine, ProgramInput)> {
        match &mut *self.lock() {
            Destination::Program(seat) => Some((line, seat.clone())),
            Destination::Waiting { has_dropped, .. } => {
                *has_dropped = true;
                None
            }
        }
    }

    /// Sends the queued messages and all later ones to a program. The player is told about dropped lines.
    pub(crate) fn go_to(&self, seat: ProgramInput) {
        let mut place = self.lock();
        if let Destination::Waiting { early, has_dropped } = &mut *place {
            if *has_dropped {
                let dropped = "input from before the match began was dropped".to_owned();
                seat.put(Input::Refused((Refusal::NotAllowed, dropped)));
            }
            for input in early.drain(..) {
                seat.put(input);
            }
        }
        *place = Destination::Program(seat);
    }

    /// Whether no program runs.
    pub(crate) fn is_waiting(&self) -> bool {
        matches!(&*self.lock(), Destination::Waiting { .. })
    }

    /// Installs a handler for Ctrl-C, a closed terminal and the signal to terminate. The first signal asks the running
    /// program to end, which leaves a match open. Before a program runs, and on the second signal, the process ends at
    /// once.
    ///
    /// # Errors
    /// If the signal handler cannot be installed.
    pub(crate) fn break_off_by_signal(&self) -> Result<(), ctrlc::Error> {
        let posts = self.clone();
        let mut asked = false;
        ctrlc::set_handler(move || {
            let is_running = matches!(&*posts.lock(), Destination::Program(_));
            if asked || !is_running || !posts.put(Input::BreakOff) {
                // This is safe: the file contains each part either completely or not at all.
                std::process::exit(BROKEN_OFF.into());
            }
            asked = true;
        })
    }
}
