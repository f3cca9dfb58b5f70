//! A bar for work that takes a while.

use std::thread;
use std::time::Duration;

use dealerless::shuffle::Spec;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::count;

/// Work that is over sooner needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

const REDRAW: Duration = Duration::from_millis(200);

/// Shows on standard error, if that is a terminal, how much of the work is done. Gone when dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// Begins work in so many steps; `what` says what they are.
    pub fn begin(steps: usize, what: &'static str) -> Self {
        Self::show_later(
            "{bar:40} {pos} of {len} {msg}",
            Some(steps as u64),
            what.into(),
        )
    }

    /// Begins work of one step; `what` says which.
    pub fn of_one_step(what: String) -> Self {
        Self::show_later("{spinner} {elapsed} {msg}", None, what)
    }

    /// Begins to build a circuit, which is one step.
    pub fn of_building(spec: Spec) -> Self {
        let ands = count(spec.estimated_ands(true) as u64);
        Self::of_one_step(format!("building a circuit of about {ands} AND gates"))
    }

    /// Says how far the present step is.
    pub fn say(&self, what: String) {
        self.0.set_message(what);
    }

    fn show_later(template: &str, steps: Option<u64>, what: String) -> Self {
        let bar = ProgressBar::with_draw_target(steps, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(template).expect("the template is well-formed");
        bar.set_style(style);
        bar.set_message(what);
        // A thread, since the first step may take longer than the user's patience.
        if !ProgressDrawTarget::stderr().is_hidden() {
            let bar = bar.clone();
            thread::spawn(move || {
                thread::sleep(PATIENCE);
                if !bar.is_finished() {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(REDRAW);
                }
            });
        }
        Progress(bar)
    }

    /// One more step is done, which may be one more than was foreseen.
    pub fn step(&self) {
        let done = self.0.position() + 1;
        if self.0.length().is_some_and(|foreseen| done > foreseen) {
            self.0.set_length(done);
        }
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
