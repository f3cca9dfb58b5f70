//! Matches between players who have met over real connections.

mod engine_versions;
