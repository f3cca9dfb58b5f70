//! The command-line program `dealerless`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
