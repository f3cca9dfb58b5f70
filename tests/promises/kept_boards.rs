//! Kept boards are opened hand by hand after their session has ended. The opened hands are those
//! that the entries of both parties determine, and wrong shares open no hand.

use dealerless::circuit::Party;
use dealerless::deck::{Card, Check, Error, KeptDeck, Share};
use dealerless::mpc::{self, Disagreement, Malicious, TwoParty};
use dealerless::shuffle::Randomness;
use dealerless::shuffle::split::{Entry, Split, SplitCircuit};
use dealerless::testing::session::{in_memory, sessions, system_rng};

const BOARDS: usize = 5;

fn circuit() -> SplitCircuit {
    SplitCircuit::build(Split::new(13, BOARDS).unwrap())
}

fn sampled(circuit: &SplitCircuit) -> [Randomness; 2] {
    Party::BOTH.map(|party| circuit.sample(party, &mut system_rng()))
}

fn dealt(circuit: &SplitCircuit, entered: &[Randomness; 2]) -> [KeptDeck; 2] {
    sessions(in_memory(), |session: &mut Malicious| {
        let entered = &entered[session.role() as usize];
        KeptDeck::split(session, circuit, entered, b"set 1").unwrap()
    })
}

/// The hands that the entries of both parties determine.
fn hands(circuit: &SplitCircuit, entered: &[Randomness; 2]) -> Vec<u64> {
    let bits = [0, 1].map(|party: usize| entered[party].bits().to_vec());
    circuit.decode(&circuit.circuit().evaluate(&bits).unwrap())
}

#[test]
fn hands_open_as_dealt_to_the_party_that_gets_the_share() {
    let circuit = circuit();
    let entered = sampled(&circuit);
    let expected = hands(&circuit, &entered);
    // Write and read the boards, and open them without the sessions.
    let [mut garbler, mut evaluator] = dealt(&circuit, &entered)
        .map(|boards| KeptDeck::from_bytes(&boards.to_bytes(), b"set 1").unwrap());
    assert_eq!(garbler.len(), 4 * BOARDS);
    let early = garbler.open(0, &evaluator.share(0).unwrap());
    assert!(matches!(early, Err(Error::Usage(_))));
    garbler.check_seeds(&evaluator.validity()).unwrap();
    evaluator.check_seeds(&garbler.validity()).unwrap();
    for (position, &hand) in expected.iter().enumerate() {
        let theirs = evaluator.share(position).unwrap();
        assert_eq!(garbler.open(position, &theirs).unwrap(), Card(hand));
        assert_eq!(evaluator.seen(position), None);
        let theirs = garbler.share(position).unwrap();
        assert_eq!(evaluator.open(position, &theirs).unwrap(), Card(hand));
    }
}

#[test]
fn every_bit_of_a_share_and_its_digest_are_bound() {
    let circuit = circuit();
    let [mut garbler, evaluator] = dealt(&circuit, &sampled(&circuit));
    garbler.check_seeds(&evaluator.validity()).unwrap();
    let share = evaluator.share(7).unwrap();
    let mut refuse = |share: &Share| {
        let refused = garbler.open(7, share);
        assert!(
            matches!(refused, Err(Error::Check(Check::KeptMacs))),
            "{refused:?}"
        );
    };
    for bit in 0..52 {
        let mut other = share.clone();
        other.bits[bit] ^= true;
        refuse(&other);
    }
    for byte in 0..32 {
        let mut other = share.clone();
        other.macs[byte] ^= 1;
        refuse(&other);
    }
    // The share of another hand, and a share of the wrong length.
    refuse(&evaluator.share(8).unwrap());
    let mut longer = share.clone();
    longer.bits.push(false);
    refuse(&longer);
    assert!(garbler.open(7, &share).is_ok());
}

#[test]
fn boards_need_the_same_name_on_both_sides() {
    let circuit = circuit();
    let entered = sampled(&circuit);
    let names: [&[u8]; 2] = [b"set 1", b"set 2"];
    let outcomes = sessions(in_memory(), |session: &mut Malicious| {
        let own = session.role() as usize;
        KeptDeck::split(session, &circuit, &entered[own], names[own]).map(drop)
    });
    let errors = outcomes.map(Result::unwrap_err);
    let detected = |error: &Error| matches!(error, Error::Session(mpc::Error::Disagreement(of)) if *of == Disagreement::Plan);
    assert!(errors.iter().any(detected), "{errors:?}");
}

#[test]
fn party_with_an_unbalanced_entry_is_named_before_a_hand_is_opened() {
    let circuit = circuit();
    for cheater in Party::BOTH {
        let mut entered = sampled(&circuit);
        let own = &mut entered[cheater as usize];
        let mut entries = circuit.entered(cheater, own.bits()).unwrap();
        let word = entries.iter_mut().find_map(|entry| match entry {
            Entry::Hands(word) => Some(word),
            Entry::Places(_) => None,
        });
        // A card moves to North, which then has 14 cards. Its former owner then has 12.
        let word = word.unwrap();
        let place = word.iter().position(|&hand| hand != 0).unwrap();
        word[place] = 0;
        *own = circuit.encode(cheater, &entries).unwrap();
        let [mut garbler, mut evaluator] = dealt(&circuit, &entered);
        let outcomes = [
            garbler.check_seeds(&evaluator.validity()),
            evaluator.check_seeds(&garbler.validity()),
        ];
        for outcome in outcomes {
            match outcome {
                Err(Error::Check(Check::SeedsOutOfRange(party))) => assert_eq!(party, cheater),
                other => panic!("{other:?}"),
            }
        }
        let share = evaluator.share(0).unwrap();
        assert!(matches!(garbler.open(0, &share), Err(Error::Usage(_))));
    }
}

#[test]
fn damaged_boards_are_not_read() {
    let circuit = circuit();
    let [boards, _] = dealt(&circuit, &sampled(&circuit));
    let bytes = boards.to_bytes();
    assert!(KeptDeck::from_bytes(&bytes, b"set 1").is_some());
    assert!(KeptDeck::from_bytes(&bytes, b"set 2").is_none());
    assert!(KeptDeck::from_bytes(&bytes[..bytes.len() - 1], b"set 1").is_none());
    for at in (0..bytes.len()).step_by(977).chain(0..40) {
        let mut other = bytes.to_vec();
        other[at] ^= 4;
        assert!(KeptDeck::from_bytes(&other, b"set 1").is_none(), "{at}");
    }
}
