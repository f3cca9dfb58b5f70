//! The promises of the command line: fields, exit codes, help, and refusals.

mod demo;
mod files;
mod usage;
