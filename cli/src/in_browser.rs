//! The options to play a match on a page in a browser.

use crate::table::OwnArgs;
#[cfg(feature = "browser")]
use crate::table::SCREEN;

/// Whether a match is played on a page.
#[derive(clap::Args)]
pub(crate) struct InBrowser {
    /// Play on a page in your browser, which this program serves on this machine.
    #[cfg(feature = "browser")]
    #[arg(long, conflicts_with = "json", help_heading = SCREEN)]
    browser: bool,
    /// With --browser: print the address of the page, and open no browser.
    #[cfg(feature = "browser")]
    #[arg(long, requires = "browser", help_heading = SCREEN)]
    no_open: bool,
}

impl InBrowser {
    /// Plays on a page what this process was started for, if that was asked for. None if it was not.
    #[cfg(feature = "browser")]
    pub(crate) fn instead(&self, own: &OwnArgs) -> Option<anyhow::Result<()>> {
        self.browser
            .then(|| crate::browser::play(own.again(), !self.no_open))
    }

    /// This program was built without browsers.
    #[cfg(not(feature = "browser"))]
    pub(crate) fn instead(&self, _: &OwnArgs) -> Option<anyhow::Result<()>> {
        None
    }
}
