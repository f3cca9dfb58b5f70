//! The room `crypto`.
