//! Audits of a match without real shuffles: the test invents the opened cards.

use dealerless::circuit::Party;
use dealerless::shuffle::Algorithm;
use rand::SeedableRng;
use rand::rngs::StdRng;
use zeroize::Zeroizing;

use super::{Audit, AuditError};
use crate::log::tests::test_match::holdem;
use crate::log::{Input, Journal, Part, Phase};
use crate::play::DealCircuit;
use crate::record::Record;
use crate::seat::Seat;

#[test]
fn a_deck_that_disagrees_with_the_inputs_is_detected() {
    let table = holdem(2, 1);
    let stakes = &table.match_info.header().stakes;
    let circuit = DealCircuit::of(stakes, Algorithm::Waksman).unwrap();
    let mut rng = StdRng::seed_from_u64(5);
    let mut log = table.log();
    let mut inputs = Vec::new();
    for (seat, party) in table.seats().zip(Party::BOTH) {
        let input = Input {
            attempt: log.attempt(),
            bits: Zeroizing::new(circuit.sample(party, &mut rng).bits().to_vec()),
            nonce: Zeroizing::new([3; 32]),
        };
        let commitment = (input.attempt).input_commitment(seat, &input.bits, &input.nonce);
        let deal = log.deal(log.sealed_input(commitment, 0).unwrap(), vec![false; 2]);
        let identity = &table.identities[seat.index()];
        log.sign(identity, seat, &Part::Deal(deal)).unwrap();
        inputs.push(input);
    }
    table.play_until(&mut log, |log| matches!(log.phase(), Phase::Over(_)));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.log");
    let storage = dealerless_connection::storage::DiskStorage::create(&path).unwrap();
    let key = table.identities[0].file_key();
    let mut journal = Journal::create(storage, key, &table.sitting(Seat::HOST)).unwrap();
    journal.append(log.history(0)).unwrap();
    let record = Record::read(&std::fs::read(&path).unwrap(), None).unwrap();
    let audit = Audit {
        of: table.match_info.id(),
        tries: vec![inputs],
    };
    // Both inputs match their commitments, but one of the two players has lied.
    let error = audit.check(&record, &circuit).unwrap_err();
    assert!(matches!(error, AuditError::OtherCard { hand: 1, .. }));
}
