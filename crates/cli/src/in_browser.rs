//! The options to play a match on a page in a browser.

use crate::table::OwnArgs;
#[cfg(feature = "browser")]
use crate::table::SCREEN;

/// The options to play on a page.
#[derive(clap::Args)]
pub(crate) struct InBrowser {
    /// Play in your browser, on a page that this program serves on this machine.
    #[cfg(feature = "browser")]
    #[arg(long, conflicts_with = "json", help_heading = SCREEN)]
    browser: bool,
    /// With --browser: print the address of the page and do not open a browser.
    #[cfg(feature = "browser")]
    #[arg(long, requires = "browser", help_heading = SCREEN)]
    no_open: bool,
}

impl InBrowser {
    /// Serves the page instead of the command if `--browser` was given, otherwise returns `None`.
    /// `first_line` is what the command has read from standard input.
    #[cfg(feature = "browser")]
    pub(crate) fn instead(
        &self,
        own: &OwnArgs,
        first_line: Option<String>,
    ) -> Option<anyhow::Result<()>> {
        self.browser
            .then(|| own.in_browser(first_line, !self.no_open))
    }

    /// `None`: this program was built without the page.
    #[cfg(not(feature = "browser"))]
    pub(crate) fn instead(&self, _: &OwnArgs, _: Option<String>) -> Option<anyhow::Result<()>> {
        None
    }
}
