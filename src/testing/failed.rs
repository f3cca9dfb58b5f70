//! Tests that a failed or aborted session holds no secrets.

use crate::circuit::{Builder, Circuit};
use crate::mpc::{Audience, Input, Opening, Run};

use super::session::{Engine, in_memory, sessions};

fn ands(width: usize) -> Circuit {
    let mut builder = Builder::new(&[width, width]);
    let (a, b) = (builder.input(0), builder.input(1));
    let products = a.iter().zip(&b).map(|(&a, &b)| builder.and(a, b)).collect();
    builder.build(vec![products])
}

/// Makes sessions fail in several ways, and asserts that they hold no secrets afterwards.
/// `has_secrets` returns `true` if an engine holds secrets.
pub fn secrets_are_gone_after_a_failure<E: Engine>(has_secrets: impl Fn(&E) -> bool + Sync) {
    sessions(in_memory(), |session: &mut E| {
        assert!(session.run(Run::new(&ands(1), &[], &[])).is_err());
        assert!(
            has_secrets(session),
            "a usage error does not end the session"
        );
        // The parties run different circuits.
        let width = 1 + session.role() as usize;
        let value = vec![true; width];
        let circuit = ands(width);
        let run = Run::new(&circuit, &Input::ONE_EACH, &value);
        assert!(session.run(run).is_err());
        assert!(!has_secrets(session));
    });
    sessions(in_memory(), |session: &mut E| {
        let circuit = ands(1);
        let run = Run::new(&circuit, &Input::ONE_EACH, &[true]);
        let shared = session.run(run).unwrap();
        assert!(has_secrets(session));
        // The parties open different numbers of bits.
        let (to, bits) = (Audience::Both, &shared[0][..session.role() as usize]);
        assert!(session.open(&[Opening { to, bits }]).is_err());
        assert!(!has_secrets(session));
    });
    sessions(in_memory(), |session: &mut E| {
        session.abort();
        assert!(!has_secrets(session));
    });
}
