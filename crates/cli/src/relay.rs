//! `relay`: forwards bytes between two players who can only make outgoing connections.

use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::path::PathBuf;

use anyhow::Context;
use dealerless_command_line::arguments::address;
use dealerless_relay::{Page, Relay, Settings};
use serde_json::json;

use crate::link::Url;
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
    dealerless relay --listen 127.0.0.1:4001 --behind-proxy --page site\n  \
    dealerless relay --status 127.0.0.1:4002 --max-rate 2000000\n\n\
    Players then use host --relay HOST:4001, or a page with ws://HOST:4001/. docs/relay.md has a\n\
    proxy for wss:// and a unit for systemd. After Ctrl-C, the relay listens no more and ends with\n\
    its last room; a second Ctrl-C ends it, and all of its connections.")]
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
    /// Answer only pages of this origin, such as `https://page.example.org`, and programs; repeatable
    /// [default: all pages].
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    allow_page: Vec<String>,
    /// Bytes that a room may forward in a second, in both directions together; at least 1024
    /// [default: no limit].
    #[arg(long, value_name = "BYTES", value_parser = rate)]
    max_rate: Option<NonZeroU64>,
    /// Loopback address of an HTTP server for the operator: it reports the numbers of connections,
    /// rooms, bytes and refusals to Prometheus.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    status: Option<String>,
    /// Print one JSON object with the addresses; everything else goes to standard error.
    #[arg(long)]
    json: bool,
}

/// The origin of a page, as browsers send it: without a path, and in lower case.
fn origin(text: &str) -> Result<String, &'static str> {
    let url = Url::of(text).filter(|url| matches!(url.scheme, "http" | "https"));
    let has_path = text.matches('/').count() > 2 || text.contains('?');
    let origin = url.filter(|_| !has_path).map(|_| text.to_ascii_lowercase());
    origin.ok_or("expected the origin of a page, without a path, such as https://page.example.org")
}

/// The bytes in a second of a room. With fewer than these, a page would seem dead while it waits.
fn rate(text: &str) -> Result<NonZeroU64, &'static str> {
    let rate = text
        .parse()
        .ok()
        .filter(|rate: &NonZeroU64| rate.get() >= 1024);
    rate.ok_or("expected a number of bytes, at least 1024")
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
        allowed_pages: args.allow_page.clone(),
        max_rate: args.max_rate,
        status: resolve(args.status.as_slice())?.pop(),
        ..Settings::default()
    };
    let relay = Relay::listen(&resolve(&args.listen)?, settings);
    let relay = relay.context("cannot listen; give another address with --listen or --status")?;
    let stop = relay.stopper();
    let mut is_finishing = false;
    ctrlc::set_handler(move || {
        if std::mem::replace(&mut is_finishing, true) {
            stop.stop();
        } else {
            stop.finish();
        }
    })?;
    let (addresses, status) = (relay.addresses(), relay.status_address());
    if args.json {
        let mut report = json!({ "addresses": addresses });
        if let Some(status) = status {
            report["status"] = json!(status);
        }
        show_json("relay", &report)?;
    } else {
        let addresses: Vec<_> = addresses.iter().map(SocketAddr::to_string).collect();
        let status = status.map(|at| format!(" Its counts are at http://{at}/metrics."));
        show(&format!(
            "The relay listens on {}.{}",
            addresses.join(" and "),
            status.unwrap_or_default()
        ))?;
    }
    Ok(relay.run()?)
}
