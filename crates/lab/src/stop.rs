//! Ctrl-C, which ends long work early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dealerless_command_line::failure::BROKEN_OFF;
use dealerless_command_line::output::say;

/// Whether the user has pressed Ctrl-C.
#[derive(Clone, Default)]
pub(crate) struct Stop {
    asked: Arc<AtomicBool>,
    has_unsaved: Arc<AtomicBool>,
}

impl Stop {
    /// Installs a signal handler: the first Ctrl-C sets the flag and says `what` happens now, and
    /// the second ends the program.
    ///
    /// # Errors
    /// If the handler cannot be installed.
    pub(crate) fn by_signal(what: &'static str) -> Result<Self, ctrlc::Error> {
        let stop = Stop::default();
        let flags = stop.clone();
        ctrlc::set_handler(move || {
            let again = flags.asked.swap(true, Ordering::Relaxed);
            if again && !flags.has_unsaved.load(Ordering::Relaxed) {
                std::process::exit(BROKEN_OFF.into());
            }
            say(what);
        })?;
        Ok(stop)
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Sets whether there is a result to be written. Meanwhile, the second Ctrl-C does not end the
    /// program.
    pub(crate) fn keep_running(&self, has_unsaved: bool) {
        self.has_unsaved.store(has_unsaved, Ordering::Relaxed);
    }
}
