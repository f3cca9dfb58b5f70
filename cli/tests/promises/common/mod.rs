//! What several tests of the program share.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

pub mod cuts;
pub mod matches;
pub mod page;
pub mod processes;
pub mod proxy;
pub mod relay;
pub mod side;
