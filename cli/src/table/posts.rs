//! What comes to a seat beside its match: lines that were dialled or let in, what is typed, the wish
//! to break off. It waits until somebody sits at a table, and then goes there.

use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use dealerless_table::line::Line;
use dealerless_table::play::Mailbox;

use super::input;
use crate::failure::BROKEN_OFF;

/// Something for a seat.
pub(crate) enum Post {
    /// Another line to the other player, on which the match goes on.
    Line(Box<Line>),
    /// Something that was typed.
    Typed(input::Line),
    /// Something for the player.
    Notice(String),
    /// The program is to end.
    BreakOff,
}

/// Where it is put, from any thread.
#[derive(Clone, Default)]
pub(crate) struct Posts(Arc<(Mutex<Place>, Condvar)>);

enum Place {
    /// Nobody sits at a table.
    Waiting {
        posts: VecDeque<Post>,
        /// Somebody waits for what comes.
        heard: bool,
    },
    At(Mailbox<Post>),
}

impl Default for Place {
    fn default() -> Self {
        Place::Waiting {
            posts: VecDeque::new(),
            heard: false,
        }
    }
}

impl Posts {
    fn lock(&self) -> MutexGuard<'_, Place> {
        // Each change leaves it whole.
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts something there. Says whether anybody can still want it.
    pub(crate) fn put(&self, post: Post) -> bool {
        match &mut *self.lock() {
            Place::At(mailbox) => mailbox.post(post),
            Place::Waiting { posts, .. } => {
                posts.push_back(post);
                self.0.1.notify_all();
                true
            }
        }
    }

    /// From now on everything goes to a table, what waits first. Lines that were typed before belong to no
    /// match and are dropped. Returns whether there were any.
    pub(crate) fn go_to(&self, mailbox: Mailbox<Post>) -> bool {
        let mut place = self.lock();
        let mut dropped = false;
        if let Place::Waiting { posts, .. } = &mut *place {
            for post in posts.drain(..) {
                match post {
                    Post::Typed(input::Line::Text(_) | input::Line::TooLong) => dropped = true,
                    post => _ = mailbox.post(post),
                }
            }
        }
        *place = Place::At(mailbox);
        dropped
    }

    /// The table is left. What comes now waits again.
    pub(crate) fn come_back(&self) {
        *self.lock() = Place::default();
    }

    /// Waits for what comes while nobody sits at a table.
    pub(crate) fn next(&self, within: Duration) -> Option<Post> {
        let empty = |place: &mut Place| match place {
            Place::Waiting { posts, heard } => {
                *heard = true;
                posts.is_empty()
            }
            Place::At(_) => false,
        };
        let (mut place, _) = (self.0.1)
            .wait_timeout_while(self.lock(), within, empty)
            .unwrap_or_else(PoisonError::into_inner);
        match &mut *place {
            Place::Waiting { posts, heard } => {
                *heard = false;
                posts.pop_front()
            }
            Place::At(_) => None,
        }
    }

    /// What has come while nobody sits at a table, if anything has.
    pub(crate) fn take(&self) -> Option<Post> {
        match &mut *self.lock() {
            Place::Waiting { posts, .. } => posts.pop_front(),
            Place::At(_) => None,
        }
    }

    /// Reads what is typed, until nothing comes any more. If it `ends` the program, the process ends then
    /// when nobody sits at a table and nobody waits for what is typed.
    ///
    /// # Errors
    /// If there is no thread for it.
    pub(crate) fn read(
        &self,
        mut input: impl BufRead + Send + 'static,
        ends: bool,
    ) -> io::Result<()> {
        let posts = self.clone();
        let read = move || {
            loop {
                let line = input::next_line(&mut input);
                let ended = line == input::Line::End;
                if ended && ends && posts.is_unheard() {
                    // Nothing has begun that could be broken off.
                    std::process::exit(BROKEN_OFF.into());
                }
                if !posts.put(Post::Typed(line)) || ended {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().name("player-input".into());
        thread.spawn(read).map(|_| ())
    }

    fn is_unheard(&self) -> bool {
        matches!(&*self.lock(), Place::Waiting { heard: false, .. })
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
            let at_table = matches!(&*posts.lock(), Place::At(_));
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
        assert!(posts.put(Post::Typed(input::Line::End)));
        let heard = asked.join().unwrap();
        assert!(matches!(heard, Some(Post::Typed(input::Line::End))));
        // The answer was given: nobody waits for more.
        assert!(posts.is_unheard());
    }
}
