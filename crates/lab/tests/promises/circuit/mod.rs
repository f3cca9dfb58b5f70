//! The promises of `circuit`: fields, exit codes, and refusals.

mod compare;
mod export;
mod files;
mod formats;
mod hostile;
mod two_parties;
