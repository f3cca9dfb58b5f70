//! `config`: the options that later commands keep.

use clap::ArgAction;
use clap::builder::BoolishValueParser;
use dealerless_connection::identity::Name;
use serde::Serialize;

use crate::link::{NONE, page};
use crate::output::{lines, show, show_json};
use crate::settings::Settings;
use crate::table::{FolderArgs, RelayChoice};

/// Shows the settings that all commands use, or changes one.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless config\n  \
    dealerless config name Anna\n  \
    dealerless config relay wss://relay.example.org/\n  \
    dealerless config relay transit.magic-wormhole.io:4001\n  \
    dealerless config relay none")]
pub(crate) struct Args {
    #[command(subcommand)]
    setting: Option<Setting>,
    #[command(flatten)]
    folder: FolderArgs,
    /// Print one JSON object; everything else goes to standard error.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Setting {
    /// Sets your name, as other players see it.
    Name {
        /// The name.
        #[arg(value_name = "NAME", required = true)]
        name: Vec<String>,
    },
    /// Sets whether you are asked again before you give a hand away.
    Confirm {
        /// Whether to ask.
        #[arg(value_name = "yes|no", action = ArgAction::Set, value_parser = BoolishValueParser::new(),
              hide_possible_values = true)]
        confirm: bool,
    },
    /// Sets the page to which the links of your invites lead.
    Page {
        /// The URL of the page, or `none`.
        #[arg(value_name = "URL", value_parser = page)]
        page: String,
    },
    /// Sets the relay for players whom you cannot reach directly.
    ///
    /// `host`, `join NAME` and `resume` use it. A page needs the URL of the WebSocket.
    Relay {
        /// HOST:PORT, or the URL of the relay's WebSocket, or `none`.
        #[arg(value_name = "RELAY")]
        relay: RelayChoice,
    },
}

/// The settings in the JSON output.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    confirm: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relay: Option<&'a str>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let folder = args.folder.folder()?;
    let settings = match &args.setting {
        None => Settings::read(&folder)?,
        Some(setting) => {
            // Creates a missing folder, and refuses one that others can write to.
            let _home = args.folder.open()?;
            Settings::change(&folder, |settings| {
                change(setting, settings);
                Ok(true)
            })?
        }
    };
    let report = Report {
        name: settings.name().map(|name| name.as_str().to_owned()),
        confirm: settings.confirm.unwrap_or(true),
        page: settings.page.as_deref(),
        relay: settings.relay.as_deref(),
    };
    if args.json {
        return show_json("config", &report);
    }
    show(&describe(&report))
}

fn change(setting: &Setting, settings: &mut Settings) {
    match setting {
        Setting::Name { name } => {
            settings.replace(Some(&Name::clean(&name.join(" "))), None);
        }
        Setting::Confirm { confirm } => settings.confirm = Some(*confirm),
        Setting::Page { page } => settings.page = Some(page.clone()).filter(|page| page != NONE),
        Setting::Relay { relay } => {
            settings.relay = match relay {
                RelayChoice::None => None,
                RelayChoice::At(relay) => Some(relay.to_string()),
            };
        }
    }
}

/// The settings as text for people. The file may have been changed by hand.
fn describe(report: &Report) -> String {
    let shown = |text: Option<&str>| match text {
        Some(text) => text.chars().filter(|c| !c.is_control()).collect(),
        None => NONE.to_owned(),
    };
    let confirm = if report.confirm { "yes" } else { "no" };
    let name = report.name.as_deref();
    let text = [
        format!("name     {}", name.unwrap_or("that of your user account")),
        format!("confirm  {confirm}"),
        format!("page     {}", shown(report.page)),
        format!("relay    {}", shown(report.relay)),
    ];
    text.map(|line| lines(&line)).join("\n")
}
