//! The promises of the relay, over real sockets on this machine.

mod clients;
mod codes;
mod endings;
mod floods;
mod pages;
mod rooms;
mod sockets_of_pages;
mod status;
