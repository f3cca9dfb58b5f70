//! Messages to a seat from other threads: connections that were dialled or let in, notices, the wish
//! to break off, and typed lines. They wait until somebody sits at a table, and then go there.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dealerless_events::event::Event;
use dealerless_table::connection::Connection;
use dealerless_table::play::Mailbox;

use super::input;
use crate::failure::BROKEN_OFF;

/// A message to a seat that is no command of its table.
pub(crate) enum Post {
    /// Another line to the other player, on which the match goes on.
    Connection(Box<Connection>),
    /// An event for the player.
    Tell(Event),
    /// The player wants to know what it costs to leave.
    AskLeave,
    /// The input of the player has ended.
    InputEnded,
    /// The program is to end.
    BreakOff,
}

/// A message that comes while nobody sits at a table.
pub(crate) enum Early {
    /// A line that answers a question before the match, or nothing.
    Typed(input::TypedLine),
    Post(Post),
}

/// Where it is put, from any thread.
#[derive(Clone, Default)]
pub(crate) struct Posts(Arc<(Mutex<Destination>, Condvar)>);

enum Destination {
    /// Nobody sits at a table.
    Waiting {
        early: VecDeque<Early>,
        /// Somebody waits for what comes.
        heard: bool,
    },
    At(Mailbox<Post>),
}

impl Default for Destination {
    fn default() -> Self {
        Destination::Waiting {
            early: VecDeque::new(),
            heard: false,
        }
    }
}

impl Posts {
    fn lock(&self) -> MutexGuard<'_, Destination> {
        // Each change leaves it whole.
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts something there. Says whether anybody can still want it.
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

    /// Keeps a typed line while nobody sits at a table. Otherwise returns it with the mailbox of the table.
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

    /// From now on everything goes to a table, what waits first. Lines that were typed before belong to no
    /// match and are dropped. Returns whether there were any.
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

    /// The table is left. What comes now waits again.
    pub(crate) fn come_back(&self) {
        *self.lock() = Destination::default();
    }

    /// Waits for what comes while nobody sits at a table.
    pub(crate) fn next(&self, within: Duration) -> Option<Early> {
        let empty = |place: &mut Destination| match place {
            Destination::Waiting { early, heard } => {
                *heard = true;
                early.is_empty()
            }
            Destination::At(_) => false,
        };
        let (mut place, _) = (self.0.1)
            .wait_timeout_while(self.lock(), within, empty)
            .unwrap_or_else(PoisonError::into_inner);
        match &mut *place {
            Destination::Waiting { early, heard } => {
                *heard = false;
                early.pop_front()
            }
            Destination::At(_) => None,
        }
    }

    /// What has come while nobody sits at a table, if anything has.
    pub(crate) fn take(&self) -> Option<Early> {
        match &mut *self.lock() {
            Destination::Waiting { early, .. } => early.pop_front(),
            Destination::At(_) => None,
        }
    }

    /// Whether nobody sits at a table and nobody waits for what comes.
    pub(crate) fn is_unheard(&self) -> bool {
        matches!(&*self.lock(), Destination::Waiting { heard: false, .. })
    }

    /// Ctrl-C, the end of the terminal and the wish of the system break the match off, and leave it
    /// open. Where no match is played the process ends at once, and so it does the second time.
    ///
    /// # Errors
    /// If the system does not allow it.
    pub(crate) fn break_off_by_signal(&self) -> Result<(), ctrlc::Error> {
        let posts = self.clone();
        let mut asked = false;
        ctrlc::set_handler(move || {
            let at_table = matches!(&*posts.lock(), Destination::At(_));
            if asked || !at_table || !posts.put(Post::BreakOff) {
                // Whatever was said is in its file, whole or not at all.
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
    fn what_is_typed_is_heard_while_somebody_waits_for_it() {
        let posts = Posts::default();
        assert!(posts.is_unheard());
        let asks = posts.clone();
        let asked = thread::spawn(move || asks.next(Duration::from_secs(60)));
        let begun = Instant::now();
        while posts.is_unheard() {
            assert!(begun.elapsed() < Duration::from_secs(20));
            thread::yield_now();
        }
        assert!(posts.typed(input::TypedLine::TooLong).is_none());
        let heard = asked.join().unwrap();
        assert!(matches!(
            heard,
            Some(Early::Typed(input::TypedLine::TooLong))
        ));
        // The answer was given: nobody waits for more.
        assert!(posts.is_unheard());
    }
}
