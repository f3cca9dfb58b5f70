//! What a player keeps: files to which bytes are [appended](Storage), and values that are
//! [replaced](Vault) as a whole. Everything above this module works over these two traits.

mod appended;
#[cfg(not(target_family = "wasm"))]
mod disk_storage;
#[cfg(not(target_family = "wasm"))]
mod file_vault;
mod two_slots;
mod vault;
#[cfg(not(target_family = "wasm"))]
mod whole_file;

pub use appended::{MemoryStorage, Storage};
#[cfg(not(target_family = "wasm"))]
pub use disk_storage::{DiskStorage, check_regular};
#[cfg(not(target_family = "wasm"))]
pub use file_vault::FileVault;
pub use two_slots::TwoSlots;
pub use vault::{MemoryVault, Vault};
#[cfg(not(target_family = "wasm"))]
pub(crate) use whole_file::{Existing, remove_unfinished, write_whole};
#[cfg(not(target_family = "wasm"))]
pub use whole_file::{make_folder, open_lock};
