//! The room `shuffle`.
