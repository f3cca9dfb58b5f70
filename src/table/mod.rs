//! What people play.
