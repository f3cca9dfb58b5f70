//! Test tools for this crate, the other crates of the workspace and the fuzz targets: parties in
//! threads, connections with a tap that can change frames, statistics, and linear algebra over
//! observed bits.
//!
//! The tools panic to make a test fail.
#![allow(
    missing_docs,
    reason = "the names of fields and constructors are self-explanatory"
)]

pub mod affine;
pub mod binomial;
pub mod bristol_evaluator;
pub mod chi_square;
pub mod circuits;
pub mod failed;
pub mod forgery;
pub mod form;
pub mod kind;
pub mod line;
pub mod numbers;
pub mod reader;
pub mod session;
pub mod shuffles;
pub mod soak;
pub mod table_frame;
pub mod tap;
pub mod view;
