//! Tests that need the private parts of the engine: a failed or aborted session holds no secrets.

mod numbers;

use super::SemiHonest;
use crate::testing::failed::secrets_are_gone_after_a_failure;

#[test]
fn secrets_are_wiped_after_an_error_or_abort_but_not_after_a_usage_error() {
    secrets_are_gone_after_a_failure(|session: &SemiHonest| session.live.secrets().is_ok());
}
