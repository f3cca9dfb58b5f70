//! Tests of the texts and objects about records, with matches whose seats all play in this process.

mod answers;
mod boards;
mod made;
mod names;
mod pokerkit;
mod screens;
