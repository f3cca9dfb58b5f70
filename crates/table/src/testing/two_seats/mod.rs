//! Two seats with the real engine, their disks, and connections that can break at any message.

pub mod games;
pub mod side;
pub mod world;
