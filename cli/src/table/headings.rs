//! The headings of the options of `host`, `join` and `resume` in their help.

/// What is played.
pub(crate) const GAME: &str = "Game";
/// How the two players meet.
pub(crate) const CONNECTION: &str = "Connection";
/// Who plays here, and the folder with the files.
pub(super) const IDENTITY: &str = "Identity and files";
/// What a person sees.
pub(crate) const SCREEN: &str = "Screen";
/// Who plays instead of a person.
pub(super) const PROGRAMS: &str = "Programs";
