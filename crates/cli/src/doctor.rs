//! `doctor`: checks what this machine can do at a table before another player waits for it.

use std::io::{self, Write};
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use dealerless_command_line::arguments::address;
use dealerless_connection::ask_relay;
use dealerless_connection::identity::Address;
use dealerless_connection::storage::make_folder;
use serde::Serialize;

use crate::output::{lines, milliseconds, show, show_json};
use crate::settings::Settings;
use crate::table::door::{LISTEN, addresses_of, resolve};
use crate::table::{FolderArgs, RelayArgs};

/// Reports how other players can reach this machine, whether the relay answers, and how long a
/// synced write takes.
///
/// Each step of a match is written to disk before it is sent. A hand needs nine synced writes, one
/// after another.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  \
    dealerless doctor\n  \
    dealerless doctor --relay transit.magic-wormhole.io:4001")]
pub(crate) struct Args {
    /// Address on which `host` would listen.
    #[arg(long, value_name = "ADDRESS", default_value = LISTEN, value_parser = address)]
    listen: String,
    #[command(flatten)]
    relay: RelayArgs,
    #[command(flatten)]
    folder: FolderArgs,
    /// Print one JSON object; everything else goes to standard error.
    #[arg(long)]
    json: bool,
}

/// The results.
#[derive(Serialize)]
struct Report {
    /// The error of listening on the port; absent if listening succeeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    listen_error: Option<String>,
    addresses: Vec<String>,
    /// Whether one of the addresses is public.
    public: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    relay: Option<Relay>,
    /// The ways for other players to reach a host on this machine.
    ways: Vec<Way>,
    synced_write_ms: f64,
}

/// A way for other players to reach a host.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Way {
    SameNetwork,
    PublicAddress,
    Relay,
}

#[derive(Serialize)]
struct Relay {
    at: String,
    /// Time to the answer; `null` if there is no answer, or if it is not the answer of a relay.
    answered_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Timeout for the answer of a relay.
const RELAY_TIMEOUT: Duration = Duration::from_secs(8);
/// The number of measured writes.
const WRITES: usize = 20;

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let listen = resolve(std::slice::from_ref(&args.listen))?;
    let addresses = addresses_of(&listen)?;
    let folder = args.folder.folder()?;
    make_folder(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let relays = args.relay.relays(&Settings::read(&folder)?)?;
    let relay = relays.own().map(|relay| ask(&relay.tcp));
    let report = Report {
        listen_error: TcpListener::bind(&*args.listen)
            .err()
            .map(|error| error.to_string()),
        public: addresses.iter().any(|address| !address.is_private()),
        addresses: addresses.iter().map(Address::to_string).collect(),
        ways: ways(&addresses, relay.as_ref()),
        relay,
        synced_write_ms: milliseconds(
            synced_write(&folder)
                .with_context(|| format!("cannot write in {}", folder.display()))?,
        ),
    };
    if args.json {
        show_json("doctor", &report)
    } else {
        show(&describe(&args.listen, reach(&addresses), &report))
    }
}

/// Returns how other players can reach a host with these addresses or this relay.
fn ways(addresses: &[Address], relay: Option<&Relay>) -> Vec<Way> {
    let any = |is: fn(&Address) -> bool| addresses.iter().any(is);
    let ways = [
        (Way::SameNetwork, any(|address| !address.is_loopback())),
        (Way::PublicAddress, any(|address| !address.is_private())),
        (
            Way::Relay,
            relay.is_some_and(|relay| relay.answered_ms.is_some()),
        ),
    ];
    ways.into_iter()
        .filter(|way| way.1)
        .map(|way| way.0)
        .collect()
}

/// The networks from which these addresses can be reached.
fn reach(addresses: &[Address]) -> &'static str {
    if addresses.iter().all(Address::is_loopback) {
        "Only programs on this machine can reach these addresses. To be reachable for others, listen \
         on 0.0.0.0 or on an address of the network, or use a relay."
    } else if addresses.iter().all(Address::is_private) {
        "All of these addresses are private: players in the same network can reach them. For others, \
         forward a port and give it with host --advertise HOST:PORT (host --map-port does both), or use a \
         relay."
    } else {
        "One of these addresses is public: others can reach it unless a firewall blocks it."
    }
}

fn describe(listen: &str, reach: &str, report: &Report) -> String {
    let listens = match &report.listen_error {
        None => format!("Can listen on {listen}."),
        Some(error) => {
            format!("Cannot listen on {listen}: {error}. Give another address with --listen.")
        }
    };
    let relay = match &report.relay {
        None => "No relay was tested. Name one with --relay RELAY, or once for all commands: dealerless \
                 config relay RELAY"
            .to_owned(),
        Some(Relay {
            at,
            error,
            answered_ms,
        }) => match (answered_ms, error) {
            (Some(ms), _) => format!("The relay {at} answers in {ms:.0} ms."),
            (None, error) => {
                let error = error.as_deref().unwrap_or_default();
                format!("No transit relay answers at {at}: {error}.")
            }
        },
    };
    let ways = report.ways.iter().map(|way| match way {
        Way::SameNetwork => "from the same network",
        Way::PublicAddress => "at a public address, unless a firewall blocks it",
        Way::Relay => "through the relay",
    });
    let ways = match ways.collect::<Vec<_>>().join("; ") {
        none if none.is_empty() => "Other players cannot reach you from elsewhere.".to_owned(),
        ways => format!("Other players reach you: {ways}."),
    };
    let text = format!(
        "{listens}\nThe addresses of an invite are {}.\n{reach}\n{relay}\n{ways}\nA synced write takes {:.1} ms \
         here, which adds about {:.0} ms to a hand.",
        report.addresses.join(", "),
        report.synced_write_ms,
        9.0 * report.synced_write_ms
    );
    text.lines().map(lines).collect::<Vec<_>>().join("\n")
}

fn ask(relay: &Address) -> Relay {
    let begun = Instant::now();
    let asked = ask_relay(relay, RELAY_TIMEOUT);
    let took = milliseconds(begun.elapsed());
    Relay {
        at: relay.to_string(),
        answered_ms: asked.is_ok().then_some(took),
        error: asked.err().map(|error| error.to_string()),
    }
}

/// The median time of a synced write.
fn synced_write(folder: &Path) -> io::Result<Duration> {
    let mut file = tempfile::tempfile_in(folder)?;
    let mut times = Vec::new();
    for _ in 0..WRITES {
        let begun = Instant::now();
        file.write_all(&[0; 512])?;
        file.sync_data()?;
        times.push(begun.elapsed());
    }
    times.sort();
    Ok(times[WRITES / 2])
}

#[cfg(test)]
mod tests {
    use dealerless::testing::line::NOBODY;
    use std::io::Read;

    use super::*;

    #[test]
    fn loopback_addresses_are_reported_as_unreachable() {
        let reach = |addresses: &[&str]| {
            let addresses = addresses.iter().map(|address| address.parse().unwrap());
            reach(&addresses.collect::<Vec<Address>>())
        };
        for loopback in [
            &["127.0.0.1:1", "[::1]:1"][..],
            &["localhost:1"],
            &["127.9.9.9:1"],
        ] {
            let text = reach(loopback);
            assert!(text.starts_with("Only programs on this machine"), "{text}");
            assert!(!text.contains("others can reach it"), "{text}");
        }
        let text = reach(&["127.0.0.1:1", "10.0.0.1:1"]);
        assert!(text.contains("in the same network"), "{text}");
        let text = reach(&["127.0.0.1:1", "198.51.100.7:1"]);
        assert!(text.contains("others can reach it"), "{text}");
    }

    #[test]
    fn a_server_that_is_not_a_relay_is_detected() {
        let relay = |answer: &'static [u8]| {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let at = Address::from(listener.local_addr().unwrap());
            std::thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                stream.read_exact(&mut [0; 16]).unwrap();
                stream.write_all(answer).unwrap();
            });
            ask(&at)
        };
        assert!(relay(b"bad handshake\n").answered_ms.is_some());
        assert!(relay(b"HTTP/1.1 400\n").answered_ms.is_none());
        assert!(ask(&NOBODY.parse().unwrap()).error.is_some());
    }

    #[test]
    fn measuring_a_write_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        assert!(synced_write(folder.path()).unwrap() > Duration::ZERO);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
