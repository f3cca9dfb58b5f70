//! The options for reconnecting two players to a match that is in a file.

use anyhow::Context;
use dealerless_command_line::arguments::address;
use dealerless_connection::identity::{Address, PublicIdentity};
use dealerless_seat::run::{Route, keep_listeners, kept_listeners};

use super::door::{LISTEN, OpenDoor};
use super::headings::CONNECTION;
use super::open::MatchFile;
use super::own::Own;
use super::relays::RelayArgs;
use super::route::route_to;

/// The match to resume, and how to reach the other player.
#[derive(clap::Args)]
pub(crate) struct MeetAgainArgs {
    /// The name or fingerprint of the other player, or the first digits of the match's id. Optional
    /// if there is only one match to choose from.
    #[arg(value_name = "MATCH|NAME")]
    which: Vec<String>,
    /// Address to listen on [default: where you listened last; otherwise 0.0.0.0:5252 for the host,
    /// and a free port for a guest].
    #[arg(long, value_name = "ADDRESS", value_parser = address, help_heading = CONNECTION)]
    listen: Vec<String>,
    /// For the guest: the host's current address, if it has changed since you last met.
    #[arg(long, value_name = "HOST:PORT", help_heading = CONNECTION)]
    at: Vec<Address>,
    #[command(flatten)]
    pub(crate) relay: RelayArgs,
}

/// Error message when the earlier address of the host is not available.
const TAKEN: &str = "cannot listen on the address at which the match was hosted before. End the program that uses it, or \
                     give another address with --listen; the guest then needs --at";

impl MeetAgainArgs {
    /// The given name of the match or of the other player, or an empty text.
    pub(crate) fn which(&self) -> String {
        self.which.join(" ")
    }

    /// The given addresses to listen on.
    pub(crate) fn listen(&self) -> &[String] {
        &self.listen
    }

    /// Opens the host's door.
    ///
    /// # Errors
    /// If the door cannot be opened.
    pub(crate) fn door(&self, own: &Own, file: &MatchFile) -> anyhow::Result<OpenDoor> {
        let header = file.opened.sitting.match_info.header().clone().into();
        let door = match &self.listen[..] {
            [] => match kept_listeners(own, &file.name)? {
                None => OpenDoor::open(own, &header, &[LISTEN.to_owned()])?,
                Some(kept) => OpenDoor::open(own, &header, &kept).with_context(|| TAKEN)?,
            },
            given => OpenDoor::open(own, &header, given)?,
        };
        keep_listeners(own, &file.name, &door.listens_at())?;
        Ok(door)
    }

    /// The route by which a guest reaches the host of its match.
    ///
    /// # Errors
    /// If no address of the host is known.
    pub(crate) fn route(&self, own: &Own, host: &PublicIdentity) -> anyhow::Result<Route> {
        let known = own.peers.lock().get(host).cloned();
        let known = known.context("the host of this match is not in the list of known peers")?;
        route_to(&own.relays, &known, &self.at)
    }
}
