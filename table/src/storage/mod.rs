//! What a player keeps: files to which bytes are [appended](Storage), and values that are
//! [replaced](Vault) as a whole. Everything above this module works over these two traits.

mod appended;
mod two_slots;
mod vault;
mod whole_file;

pub use appended::{DiskStorage, MemoryStorage, Storage, check_regular};
pub use two_slots::TwoSlots;
pub use vault::{FileVault, MemoryVault, Vault};
pub(crate) use whole_file::{Existing, remove_unfinished, write_whole};
