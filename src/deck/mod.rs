//! The room `deck`.
