//! Two sides joined in memory, with simulated time.

mod cores;
mod dial;
mod doors;
mod meetings;
mod polled;
mod spoken;
