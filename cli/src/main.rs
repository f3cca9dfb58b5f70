//! The command-line program `dealerless`.

fn main() -> std::process::ExitCode {
    dealerless_cli::run()
}
