//! Tests that need the private parts of the engine. A session that has failed or was aborted holds
//! no secrets.

mod numbers;

use super::SemiHonest;
use crate::testing::failed::secrets_are_gone_after_a_failure;

#[test]
fn the_secrets_are_gone_after_an_error_or_an_abort_and_stay_after_a_misuse() {
    secrets_are_gone_after_a_failure(|session: &SemiHonest| session.live.secrets().is_ok());
}
