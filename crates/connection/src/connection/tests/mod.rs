//! Two sides joined in memory, with simulated time.

mod cores;
mod meetings;
mod polled;
mod spoken;
