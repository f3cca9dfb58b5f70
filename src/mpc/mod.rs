//! The room `mpc`.
