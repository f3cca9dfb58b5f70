//! Whole matches in simulated time, from the invites on, of two pages or of several programs, with faults of all kinds:
//! delays, cuts, crashes, full disks, older disks, suspended programs and wrong clocks. Chips are conserved, nobody signs
//! two parts for one step, nobody honest is convicted or removed without reason, and all records agree at the end.
//!
//! Input: which match, and the first choices in it. A seed makes the choices after them.

#![no_main]

use dealerless_seat::run::testing::play;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| play(input));
