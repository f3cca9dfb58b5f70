//! Tools of the tests of this crate, of the crates beside it and of the fuzz targets: parties in
//! threads, lines that are tapped or lie, statistics, linear algebra over what was seen.
//!
//! They panic where a test is to fail.
#![allow(
    missing_docs,
    reason = "fields and constructors that their names explain"
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
