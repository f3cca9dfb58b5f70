//! A session that has failed or was aborted holds no secrets.

use super::Malicious;
use crate::common::failed::secrets_are_gone_after_a_failure;
use crate::common::line::End;

#[test]
fn the_secrets_are_gone_after_an_error_or_an_abort_and_stay_after_a_misuse() {
    secrets_are_gone_after_a_failure(|session: &Malicious<End>| session.secrets.is_some());
}
