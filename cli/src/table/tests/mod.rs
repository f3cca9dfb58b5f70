//! Two seats at one table, in this process, over lines in memory.

mod examples;
mod json_match;
mod seats;
