//! The options of how two players meet again for a match that is in a file.

use anyhow::Context;
use dealerless_program::arguments::address;
use dealerless_table::connection::Door;
use dealerless_table::identity::{Address, PublicIdentity};

use super::dial::Way;
use super::door::{LISTEN, keep_addresses, kept_addresses, listening, open_door, wait_at_relays};
use super::headings::CONNECTION;
use super::open::MatchFile;
use super::own::Own;
use super::player::Player;

/// Which match, and how the other player is met.
#[derive(clap::Args)]
pub(crate) struct MeetAgainArgs {
    /// The name or fingerprint of the other player, or the first digits of the match. Not needed if
    /// there is only one to choose.
    #[arg(value_name = "MATCH|NAME")]
    which: Vec<String>,
    /// Where to wait for the other player, at the host's seat [default: where the match was hosted last,
    /// or 0.0.0.0:5252].
    #[arg(long, value_name = "ADDRESS", value_parser = address, help_heading = CONNECTION)]
    listen: Vec<String>,
    /// Where the host is now, at the guest's seat, instead of where it was met last.
    #[arg(long, value_name = "HOST:PORT", help_heading = CONNECTION)]
    at: Vec<Address>,
    /// The relay at which both wait.
    #[arg(long, value_name = "HOST:PORT", help_heading = CONNECTION)]
    relay: Option<Address>,
}

/// Why a match is not waited for where it was hosted.
const TAKEN: &str = "the match was hosted here before, and the address cannot be used now. End the program that uses it, or \
                     give another address with --listen; the guest then needs --at";

impl MeetAgainArgs {
    /// What the match, or the other player, is called; empty if nothing was said.
    pub(crate) fn which(&self) -> String {
        self.which.join(" ")
    }

    /// Opens the door at which the host of a match waits, and tells where it is.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(crate) fn door(
        &self,
        own: &Own,
        file: &MatchFile,
        player: &mut Player,
    ) -> anyhow::Result<Door> {
        let header = file.opened.sitting.match_info.header();
        let door = match &self.listen[..] {
            [] => match kept_addresses(&file.path)? {
                None => open_door(own, header, &[LISTEN.to_owned()])?,
                Some(kept) => {
                    let kept: Vec<String> = kept.iter().map(ToString::to_string).collect();
                    open_door(own, header, &kept).with_context(|| TAKEN)?
                }
            },
            given => open_door(own, header, given)?,
        };
        keep_addresses(&file.path, door.addresses())?;
        wait_at_relays(own, &door, self.relay.as_ref())?;
        player.tell(&listening(&door))?;
        Ok(door)
    }

    /// How a guest finds the host of its match.
    ///
    /// # Errors
    /// If it is not known where that is.
    pub(crate) fn way(&self, own: &Own, host: &PublicIdentity) -> anyhow::Result<Way> {
        let known = own.peers.lock().get(host).cloned();
        let known = known.context("the host of this match is not among the known peers")?;
        Way::to(&known, &self.at, self.relay.as_ref())
    }
}
