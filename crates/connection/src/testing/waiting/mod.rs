//! A door, a guest and a connection for tests with threads of their own, which wait for what happens.

mod door;
mod join;
mod live;
mod machine;
#[cfg(test)]
mod tests;

pub use door::Door;
pub use join::{Guest, use_code};
pub use live::Connection;
