//! A session that has failed or was aborted holds no secrets.

use super::Malicious;
use crate::circuit::{Builder, Circuit, Party};
use crate::common::line::End;
use crate::common::session::{in_memory, input_of, sessions};
use crate::mpc::{Opening, To, TwoParty};

fn ands(width: usize) -> Circuit {
    let mut builder = Builder::new(&[width, width]);
    let (a, b) = (builder.input(0), builder.input(1));
    let products = a.iter().zip(&b).map(|(&a, &b)| builder.and(a, b)).collect();
    builder.build(vec![products])
}

#[test]
fn the_secrets_are_gone_after_an_error_or_an_abort_and_stay_after_a_misuse() {
    sessions(in_memory(), |session: &mut Malicious<End>| {
        assert!(session.run(&ands(1), &[]).is_err());
        assert!(session.secrets.is_some());
        // The parties mean different circuits.
        let width = 1 + session.party() as usize;
        let value = vec![true; width];
        let inputs = [Party::Garbler, Party::Evaluator].map(|p| input_of(p, session, &value));
        assert!(session.run(&ands(width), &inputs).is_err());
        assert!(session.secrets.is_none());
    });
    sessions(in_memory(), |session: &mut Malicious<End>| {
        let value = [true];
        let inputs = [Party::Garbler, Party::Evaluator].map(|p| input_of(p, session, &value));
        let shared = session.run(&ands(1), &inputs).unwrap();
        assert!(session.secrets.is_some());
        // One opens another number of bits.
        let bits = &shared[0][..session.party() as usize];
        assert!(session.open(&[Opening { to: To::Both, bits }]).is_err());
        assert!(session.secrets.is_none());
    });
    sessions(in_memory(), |session: &mut Malicious<End>| {
        session.abort();
        assert!(session.secrets.is_none());
    });
}
