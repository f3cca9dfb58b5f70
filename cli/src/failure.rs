//! What an error means for the caller of the program.

use dealerless::{Blame, Error, net};
use dealerless_table::OfferError;

/// The exit code of wrong usage and of local faults.
pub(crate) const LOCAL: u8 = 1;
/// The exit code when a check failed, the peer broke the protocol, disagreed or aborted.
const PEER: u8 = 2;
/// The exit code when the connection was lost or timed out.
const LOST: u8 = 3;

/// Why a check that fails does not prove that the other side cheated.
const LINE: &str = "\
The line can do it too: it is not encrypted, so whoever is on it can change what passes,
and TCP's own checksum finds most accidents, not all.";

/// The peer came for something else than this side offers. Both may be honest.
#[derive(Debug, thiserror::Error)]
#[error("the two sides do not agree: {0}")]
pub(crate) struct OtherTerms(pub(crate) &'static str);

fn blame(error: &anyhow::Error) -> Blame {
    if let Some(error) = error.downcast_ref::<Error>() {
        error.blame()
    } else if let Some(error) = error.downcast_ref::<net::Error>() {
        error.blame()
    } else if error.is::<OfferError>() {
        Blame::ProgramOrLine
    } else if error.is::<OtherTerms>() {
        Blame::Either
    } else {
        Blame::ThisSide
    }
}

/// The exit code that says whose fault it is.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    match blame(error) {
        Blame::Connection => LOST,
        Blame::ThisSide => LOCAL,
        _ => PEER,
    }
}

/// The message, what it means, and how to go on.
pub(crate) fn explain(error: &anyhow::Error) -> String {
    match blame(error) {
        Blame::ThisSide => format!("{error:#}"),
        blame @ Blame::CheatOrLine => format!("{error:#}\n{blame}\n{LINE}"),
        blame => format!("{error:#}\n{blame}"),
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::time::Duration;

    use anyhow::Context;
    use dealerless::net::Malformed;
    use dealerless::{Check, Disagreement, OtCheck};

    use super::*;

    /// An error for each blame, with its exit code and a part of the advice.
    fn errors() -> [(anyhow::Error, u8, &'static str); 11] {
        let during = "testing";
        let source = io::ErrorKind::ConnectionReset.into();
        let limit = Duration::from_secs(1);
        [
            (
                Error::Check(Check::AndGates).into(),
                2,
                "cheated, or the line corrupts data: stop playing",
            ),
            (
                net::Error::Malformed(Malformed::Stranger).into(),
                2,
                "another program or version",
            ),
            (
                OfferError::UnknownGame.into(),
                2,
                "another program or version",
            ),
            (
                Error::Disagreement(Disagreement::SameRole).into(),
                2,
                "Nobody need have cheated",
            ),
            (OtherTerms("testing").into(), 2, "Nobody need have cheated"),
            (net::Error::Aborted.into(), 2, "does not say why"),
            (
                net::Error::Lost { during, source }.into(),
                3,
                "connection reset\nThe session is over. Begin anew",
            ),
            (
                Error::Channel(net::Error::Timeout { during, limit }).into(),
                3,
                "Begin anew",
            ),
            (
                net::Error::Address(io::ErrorKind::NotFound.into()).into(),
                1,
                "not found",
            ),
            (Error::usage("misuse").into(), 1, ""),
            (Error::Failed.into(), 1, ""),
        ]
    }

    #[test]
    fn the_exit_code_tells_the_peer_from_the_line_and_from_this_side() {
        for (error, code, _) in errors() {
            assert_eq!(exit_code(&error), code);
        }
        assert_eq!(exit_code(&anyhow::anyhow!("no such file")), 1);
    }

    #[test]
    fn every_error_of_a_session_comes_with_what_it_means_and_none_of_this_side_does() {
        for (error, code, advice) in errors() {
            let text = error.to_string();
            let explained = explain(&error);
            assert!(explained.starts_with(&text), "{explained}");
            assert!(explained.contains(advice), "{explained}");
            assert_eq!(explained.contains('\n'), code != LOCAL, "{explained}");
        }
    }

    #[test]
    fn context_hides_neither_the_exit_code_nor_the_check() {
        let outcome: dealerless::Result<()> = Err(Error::Check(Check::Ot(OtCheck::CotConsistency)));
        let error = outcome.context("while playing").unwrap_err();
        assert_eq!(exit_code(&error), 2);
        assert!(explain(&error).contains("correlated OT: the consistency check"));
    }
}
