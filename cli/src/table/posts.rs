//! Messages to a seat from other threads: new connections, notices, requests to end the program,
//! and typed lines. They are queued until somebody sits at a table, and then sent there.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dealerless_events::event::Event;
use dealerless_table::connection::Connection;
use dealerless_table::play::Mailbox;

use super::input;
use crate::failure::BROKEN_OFF;

/// A message to a seat that is not a command of its table.
pub(crate) enum Post {
    /// A new connection to the other player, on which to resume the match.
    Connection(Box<Connection>),
    /// An event for the player.
    Tell(Event),
    /// The player asks what it costs to leave.
    AskLeave,
    /// The player's input has ended.
    InputEnded,
    /// The program is asked to end.
    BreakOff,
}

/// A message that arrives while nobody sits at a table.
pub(crate) enum Early {
    /// A line that may answer a question before the match.
    Typed(input::TypedLine),
    Post(Post),
}

/// The queue of messages to a seat, for any thread.
#[derive(Clone, Default)]
pub(crate) struct Posts(Arc<(Mutex<Destination>, Condvar)>);

enum Destination {
    /// Nobody sits at a table.
    Waiting {
        early: VecDeque<Early>,
        /// A thread is waiting for a message.
        has_reader: bool,
    },
    At(Mailbox<Post>),
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

    /// Sends a message. Returns whether anything can still receive it.
    pub(crate) fn put(&self, post: Post) -> bool {
        match &mut *self.lock() {
            Destination::At(mailbox) => mailbox.post(post),
            Destination::Waiting { early, .. } => {
                early.push_back(Early::Post(post));
                self.0.1.notify_all();
                true
            }
        }
    }

    /// Queues a typed line while nobody sits at a table. Otherwise returns it with the mailbox of
    /// the table.
    pub(crate) fn typed(
        &self,
        line: input::TypedLine,
    ) -> Option<(input::TypedLine, Mailbox<Post>)> {
        match &mut *self.lock() {
            Destination::At(mailbox) => Some((line, mailbox.clone())),
            Destination::Waiting { early, .. } => {
                early.push_back(Early::Typed(line));
                self.0.1.notify_all();
                None
            }
        }
    }

    /// Sends all further messages to a table, the queued ones first. Lines that were typed before
    /// belong to no match and are dropped. Returns whether any were dropped.
    pub(crate) fn go_to(&self, mailbox: Mailbox<Post>) -> bool {
        let mut place = self.lock();
        let mut dropped = false;
        if let Destination::Waiting { early, .. } = &mut *place {
            for early in early.drain(..) {
                match early {
                    Early::Typed(_) => dropped = true,
                    Early::Post(post) => _ = mailbox.post(post),
                }
            }
        }
        *place = Destination::At(mailbox);
        dropped
    }

    /// Returns to queueing after the table is left.
    pub(crate) fn come_back(&self) {
        *self.lock() = Destination::default();
    }

    /// Waits for the next message while nobody sits at a table.
    pub(crate) fn next(&self, within: Duration) -> Option<Early> {
        let empty = |place: &mut Destination| match place {
            Destination::Waiting { early, has_reader } => {
                *has_reader = true;
                early.is_empty()
            }
            Destination::At(_) => false,
        };
        let (mut place, _) = (self.0.1)
            .wait_timeout_while(self.lock(), within, empty)
            .unwrap_or_else(PoisonError::into_inner);
        match &mut *place {
            Destination::Waiting { early, has_reader } => {
                *has_reader = false;
                early.pop_front()
            }
            Destination::At(_) => None,
        }
    }

    /// The next queued message, without waiting.
    pub(crate) fn take(&self) -> Option<Early> {
        match &mut *self.lock() {
            Destination::Waiting { early, .. } => early.pop_front(),
            Destination::At(_) => None,
        }
    }

    /// Whether nobody sits at a table and no thread waits for a message.
    pub(crate) fn has_no_reader(&self) -> bool {
        matches!(
            &*self.lock(),
            Destination::Waiting {
                has_reader: false,
                ..
            }
        )
    }

    /// Breaks the match off on Ctrl-C, when the terminal is closed, or on a signal to terminate,
    /// and leaves it open. If no match is in play, or on the second signal, the process ends at
    /// once.
    ///
    /// # Errors
    /// If the signal handler cannot be installed.
    pub(crate) fn break_off_by_signal(&self) -> Result<(), ctrlc::Error> {
        let posts = self.clone();
        let mut asked = false;
        ctrlc::set_handler(move || {
            let at_table = matches!(&*posts.lock(), Destination::At(_));
            if asked || !at_table || !posts.put(Post::BreakOff) {
                // All parts are in the file, each whole or not at all.
                std::process::exit(BROKEN_OFF.into());
            }
            asked = true;
        })
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_waiting_thread_receives_typed_lines() {
        let posts = Posts::default();
        assert!(posts.has_no_reader());
        let asks = posts.clone();
        let asked = thread::spawn(move || asks.next(Duration::from_secs(60)));
        let begun = Instant::now();
        while posts.has_no_reader() {
            assert!(begun.elapsed() < Duration::from_secs(20));
            thread::yield_now();
        }
        assert!(posts.typed(input::TypedLine::TooLong).is_none());
        let received = asked.join().unwrap();
        assert!(matches!(
            received,
            Some(Early::Typed(input::TypedLine::TooLong))
        ));
        // The answer was received, so nothing waits any more.
        assert!(posts.has_no_reader());
    }
}
