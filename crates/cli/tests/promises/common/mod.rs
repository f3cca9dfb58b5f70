//! Tools shared by several tests.
#![allow(dead_code, unreachable_pub, reason = "each test uses some of these")]

pub mod cuts;
pub mod matches;
pub mod page;
pub mod processes;
pub mod proxy;
pub mod relay;
pub mod side;

use std::time::Duration;

/// The limit for everything that must happen, even on a busy machine.
pub const LIMIT: Duration = Duration::from_secs(300);
