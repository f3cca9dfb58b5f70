//! The room `circuit`.
