//! The headings of the options of `host`, `join` and `resume` in their help.

/// The options of the game and its stakes.
pub(crate) const GAME: &str = "Game";
/// The options of the connection between the two players.
pub(crate) const CONNECTION: &str = "Connection";
/// The options of the player's identity and of the folder with its files.
pub(super) const IDENTITY: &str = "Identity and files";
/// The options of the screen.
pub(crate) const SCREEN: &str = "Screen";
/// The options of programs and bots that play instead of a person.
pub(super) const PROGRAMS: &str = "Programs";
