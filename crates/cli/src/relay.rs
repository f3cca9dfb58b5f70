//! `relay`: forwards bytes between two players who can only make outgoing connections.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context;
use dealerless_command_line::arguments::address;
use dealerless_relay::{Page, Relay, Settings};
use serde_json::json;

use crate::output::{show, show_json};
use crate::table::door::resolve;

/// The address on which a relay listens by default: the usual port of transit relays.
const LISTEN: &str = "[::]:4001";

/// Runs a relay for players who can only make outgoing connections.
///
/// It joins two connections and forwards encrypted bytes that it cannot read. One port serves the
/// program over TCP and pages in browsers over WebSocket. It writes no log.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless relay\n  \
    dealerless relay --listen 127.0.0.1:4001 --behind-proxy --page site\n\n\
    Players then use host --relay HOST:4001, or a page with ws://HOST:4001/. docs/relay.md has a\n\
    proxy for wss:// and a unit for systemd. Ctrl-C ends the relay, and all of its connections.")]
pub(crate) struct Args {
    /// Address on which to listen; repeatable. `[::]` also accepts IPv4.
    #[arg(long, value_name = "ADDRESS", default_value = LISTEN, value_parser = address)]
    listen: Vec<String>,
    /// Also serve the page of a guest: a folder that `crates/web/build` has written. Its files are read
    /// once, at the start.
    #[arg(long, value_name = "FOLDER")]
    page: Option<PathBuf>,
    /// HTTP requests from this machine come from a proxy: limits of an address apply to the last
    /// address in X-Forwarded-For; without one, a request is refused.
    #[arg(long)]
    behind_proxy: bool,
    /// Print one JSON object with the addresses; everything else goes to standard error.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let page = args.page.as_ref().map(|folder| {
        Page::read(folder).with_context(|| format!("cannot serve the page in {}", folder.display()))
    });
    let page = page.transpose()?;
    let settings = Settings {
        behind_proxy: args.behind_proxy,
        page,
        ..Settings::default()
    };
    let relay = Relay::listen(&resolve(&args.listen)?, settings);
    let relay = relay.context("cannot listen; give another address with --listen")?;
    let stop = relay.stopper();
    ctrlc::set_handler(move || stop.stop())?;
    let addresses = relay.addresses();
    if args.json {
        show_json("relay", &json!({ "addresses": addresses }))?;
    } else {
        let addresses: Vec<_> = addresses.iter().map(SocketAddr::to_string).collect();
        show(&format!(
            "The relay listens on {}.",
            addresses.join(" and ")
        ))?;
    }
    Ok(relay.run()?)
}
