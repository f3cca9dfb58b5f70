//! A session that has failed or was aborted holds no secrets.

use crate::circuit::{Builder, Circuit, Party};
use crate::mpc::{Opening, To};

use super::session::{Engine, in_memory, input_of, sessions};

fn ands(width: usize) -> Circuit {
    let mut builder = Builder::new(&[width, width]);
    let (a, b) = (builder.input(0), builder.input(1));
    let products = a.iter().zip(&b).map(|(&a, &b)| builder.and(a, b)).collect();
    builder.build(vec![products])
}

/// Lets sessions fail in several ways; `has_secrets` looks into an engine.
pub fn secrets_are_gone_after_a_failure<E: Engine>(has_secrets: impl Fn(&E) -> bool + Sync) {
    sessions(in_memory(), |session: &mut E| {
        assert!(session.run(&ands(1), &[]).is_err());
        assert!(has_secrets(session), "a misuse is no failure");
        // The parties mean different circuits.
        let width = 1 + session.party() as usize;
        let value = vec![true; width];
        let inputs = [Party::Garbler, Party::Evaluator].map(|p| input_of(p, session, &value));
        assert!(session.run(&ands(width), &inputs).is_err());
        assert!(!has_secrets(session));
    });
    sessions(in_memory(), |session: &mut E| {
        let value = [true];
        let inputs = [Party::Garbler, Party::Evaluator].map(|p| input_of(p, session, &value));
        let shared = session.run(&ands(1), &inputs).unwrap();
        assert!(has_secrets(session));
        // One opens another number of bits.
        let bits = &shared[0][..session.party() as usize];
        assert!(session.open(&[Opening { to: To::Both, bits }]).is_err());
        assert!(!has_secrets(session));
    });
    sessions(in_memory(), |session: &mut E| {
        session.abort();
        assert!(!has_secrets(session));
    });
}
