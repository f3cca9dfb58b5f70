//! Ctrl-C, which ends long work early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dealerless_command_line::failure::BROKEN_OFF;
use dealerless_command_line::output::say;

/// Whether the user has pressed Ctrl-C.
#[derive(Clone, Default)]
pub(crate) struct Stop {
    asked: Arc<AtomicBool>,
    /// Whether a result still has to be written.
    unsaved: Arc<AtomicBool>,
    /// Whether the next Ctrl-C ends the program.
    ends: Arc<AtomicBool>,
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
            if flags.ends.load(Ordering::SeqCst) {
                std::process::exit(BROKEN_OFF.into());
            }
            flags.asked.store(true, Ordering::SeqCst);
            if !flags.unsaved.load(Ordering::SeqCst) {
                flags.ends.store(true, Ordering::SeqCst);
            }
            say(what);
        })?;
        Ok(stop)
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// A result has to be written, and until [`saved`](Self::saved) no Ctrl-C ends the program.
    pub(crate) fn unsaved(&self) {
        self.unsaved.store(true, Ordering::SeqCst);
    }

    /// The result is written. From now on, the next Ctrl-C ends the program.
    pub(crate) fn saved(&self) {
        self.ends.store(true, Ordering::SeqCst);
    }
}
