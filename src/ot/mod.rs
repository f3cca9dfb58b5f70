//! The room `ot`.
