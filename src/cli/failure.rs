//! What an error means for the caller of the program.

use dealerless::Error;

/// The exit code of wrong usage and of local faults.
pub(crate) const LOCAL: u8 = 1;
/// The exit code when the peer broke the protocol or aborted.
const PEER: u8 = 2;
/// The exit code when the connection was lost or timed out.
const LOST: u8 = 3;

/// The exit code that says whose fault it is.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<Error>() {
        Some(Error::Protocol { .. } | Error::Aborted) => PEER,
        Some(Error::Lost { .. } | Error::Timeout { .. }) => LOST,
        Some(Error::Usage(_) | Error::Failed) | None => LOCAL,
    }
}

/// The message, and how to go on.
pub(crate) fn explain(error: &anyhow::Error) -> String {
    match exit_code(error) {
        LOST => format!("{error:#}\nThe session is over. Begin anew: start both sides again."),
        _ => format!("{error:#}"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use anyhow::Context;

    use super::*;

    #[test]
    fn the_exit_code_tells_the_peer_from_the_line_and_from_this_side() {
        let limit = Duration::from_secs(1);
        for (error, code) in [
            (Error::protocol("a check"), 2),
            (Error::Aborted, 2),
            (
                Error::Lost {
                    during: "testing",
                    cause: "reset".into(),
                },
                3,
            ),
            (
                Error::Timeout {
                    during: "testing",
                    limit,
                },
                3,
            ),
            (Error::usage("misuse"), 1),
            (Error::Failed, 1),
        ] {
            assert_eq!(exit_code(&error.into()), code);
        }
        assert_eq!(exit_code(&anyhow::anyhow!("no such file")), 1);
    }

    #[test]
    fn context_hides_neither_the_exit_code_nor_the_check() {
        let outcome: dealerless::Result<()> = Err(Error::protocol("the name of the check"));
        let error = outcome.context("while playing").unwrap_err();
        assert_eq!(exit_code(&error), 2);
        assert!(explain(&error).contains("the name of the check"));
    }

    #[test]
    fn a_lost_connection_comes_with_how_to_go_on() {
        let error = Error::Lost {
            during: "testing",
            cause: "reset".into(),
        };
        assert!(explain(&error.into()).contains("Begin anew"));
    }
}
