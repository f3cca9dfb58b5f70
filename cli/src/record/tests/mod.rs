//! Tests of what is printed of records, with matches whose seats all play here.

mod boards;
mod made;
mod pokerkit;
mod screens;
mod sizes;
