//! Tests with two seats at one table in this process, over an encrypted connection.

mod early;
mod json_match;
mod last_call;
mod seats;
mod void_tries;
