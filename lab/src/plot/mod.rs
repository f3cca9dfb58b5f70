//! Pictures.

pub mod ink;
