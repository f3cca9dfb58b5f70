//! Tables over real connections.

mod rosters;
mod tables;
