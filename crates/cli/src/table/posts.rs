//! Messages to the player's program from other threads: requests to end it, and typed lines. They are queued until the
//! program runs, which then gets them.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use dealerless_native::{Input, ProgramInput};
use dealerless_seat::event::Refusal;

use super::input;
use crate::failure::BROKEN_OFF;

/// A message that arrives before the program runs.
pub(crate) enum Early {
    /// A line that may answer a question before the match.
    Typed(input::TypedLine),
    Input(Input<'static>),
}

/// The queue of messages to a program, for any thread.
#[derive(Clone, Default)]
pub(crate) struct Posts(Arc<(Mutex<Destination>, Condvar)>);

enum Destination {
    /// No program runs yet: messages are queued.
    Waiting {
        early: VecDeque<Early>,
        /// Whether a thread is waiting for a message.
        has_reader: bool,
    },
    /// A program runs.
    Program(ProgramInput),
}

impl Default for Destination {
    fn default() -> Self {
        Destination::Waiting {
            early: VecDeque::new(),
            has_reader: false,
        }
    }
}

impl Posts {
    fn lock(&self) -> MutexGuard<'_, Destination> {
        // Every change leaves the value consistent.
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends or queues an input. Returns `false` if the program no longer exists.
    pub(crate) fn put(&self, input: Input<'static>) -> bool {
        match &mut *self.lock() {
            Destination::Program(seat) => seat.put(input),
            Destination::Waiting { early, .. } => {
                early.push_back(Early::Input(input));
                self.0.1.notify_all();
                true
            }
        }
    }

    /// Queues a typed line if no program runs. Otherwise returns the line with the program's input.
    pub(crate) fn typed(&self, line: input::TypedLine) -> Option<(input::TypedLine, ProgramInput)> {
        match &mut *self.lock() {
            Destination::Program(seat) => Some((line, seat.clone())),
            Destination::Waiting { early, .. } => {
                early.push_back(Early::Typed(line));
                self.0.1.notify_all();
                None
            }
        }
    }

    /// Sends the queued messages and all later ones to a program. Queued lines are dropped, and the player is told.
    pub(crate) fn go_to(&self, seat: ProgramInput) {
        let mut place = self.lock();
        if let Destination::Waiting { early, .. } = &mut *place {
            let is_typed = |early: &Early| matches!(early, Early::Typed(_));
            if early.iter().any(is_typed) {
                let dropped = "input from before the match began was dropped".to_owned();
                seat.put(Input::Refused((Refusal::NotAllowed, dropped)));
            }
            for early in early.drain(..) {
                if let Early::Input(input) = early {
                    seat.put(input);
                }
            }
        }
        *place = Destination::Program(seat);
    }

    /// Waits for the next queued message, before a program runs.
    pub(crate) fn next(&self) -> Early {
        let mut place = self.lock();
        loop {
            if let Destination::Waiting { early, has_reader } = &mut *place {
                if let Some(early) = early.pop_front() {
                    *has_reader = false;
                    return early;
                }
                *has_reader = true;
            }
            place = (self.0.1)
                .wait(place)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether no program runs and no thread waits for a message.
    pub(crate) fn has_no_reader(&self) -> bool {
        matches!(
            &*self.lock(),
            Destination::Waiting {
                has_reader: false,
                ..
            }
        )
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

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_waiting_thread_receives_typed_lines() {
        let posts = Posts::default();
        assert!(posts.has_no_reader());
        let asks = posts.clone();
        let asked = thread::spawn(move || asks.next());
        let begun = Instant::now();
        while posts.has_no_reader() {
            assert!(begun.elapsed() < Duration::from_secs(20));
            thread::yield_now();
        }
        assert!(posts.typed(input::TypedLine::TooLong).is_none());
        let received = asked.join().unwrap();
        assert!(matches!(received, Early::Typed(input::TypedLine::TooLong)));
        // The thread has received the line and no longer waits.
        assert!(posts.has_no_reader());
    }
}
