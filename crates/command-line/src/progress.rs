//! A progress bar for long work.

use std::thread;
use std::time::Duration;

use dealerless::shuffle::Spec;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::{count, harmless};

/// The time until the bar appears. Shorter work shows no bar.
const DELAY: Duration = Duration::from_secs(1);

/// The interval between two redraws.
const REDRAW: Duration = Duration::from_millis(200);

/// A progress bar, shown if standard error is a terminal. Dropping the value removes the bar.
pub struct Progress(ProgressBar);

impl Progress {
    /// Starts a bar of `steps` steps. `what` names the steps.
    pub fn begin(steps: usize, what: &'static str) -> Self {
        Self::show_later(
            "{bar:40} {pos} of {len} {msg}",
            Some(steps as u64),
            what.into(),
        )
    }

    /// Starts a display for work of unknown length. `what` names the work.
    pub fn of_one_step(what: String) -> Self {
        Self::show_later("{spinner} {elapsed} {msg}", None, what)
    }

    /// Starts a display for building a circuit.
    pub fn of_building(spec: Spec) -> Self {
        let ands = count(spec.estimated_ands(true) as u64);
        Self::of_one_step(format!("building a circuit of about {ands} AND gates"))
    }

    /// Sets the message of the current step.
    pub fn say(&self, what: String) {
        self.0.set_message(harmless(&what).into_owned());
    }

    fn show_later(template: &str, steps: Option<u64>, what: String) -> Self {
        let bar = ProgressBar::with_draw_target(steps, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(template).expect("the template is well-formed");
        bar.set_style(style);
        bar.set_message(harmless(&what).into_owned());
        // A thread shows the bar, because the first step alone may take longer than the delay.
        if !ProgressDrawTarget::stderr().is_hidden() {
            let bar = bar.clone();
            thread::spawn(move || {
                thread::sleep(DELAY);
                if !bar.is_finished() {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(REDRAW);
                }
            });
        }
        Progress(bar)
    }

    /// Counts a finished step. More steps than expected extend the bar.
    pub fn step(&self) {
        let done = self.0.position() + 1;
        if self.0.length().is_some_and(|expected| done > expected) {
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
