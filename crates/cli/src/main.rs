//! The command-line program `dealerless`.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    dealerless_cli::run()
}
