//! Opened inputs, and the decks computed from them.

use std::collections::BTreeMap;

use dealerless::deck::Card;
use dealerless_connection::wire::{Malformed, Reader, Writer};

use crate::log::{Attempt, Input, MatchId, MatchLog};
use crate::play::DealCircuit;
use crate::record::Record;
use crate::seat::Seat;

/// The first bytes of an encoded audit.
const MAGIC: &[u8; 16] = b"dealerlessaudit1";

/// The opened inputs of all seats, for all tries for which all seats have kept their inputs. A
/// *try* is one attempt to deal a hand.
#[derive(Clone, PartialEq, Eq)]
pub struct Audit {
    /// The id of the match.
    pub of: MatchId,
    /// The tries in order, each with the inputs in seat order.
    pub tries: Vec<Vec<Input>>,
}

/// A try whose recomputed deck agrees with every card opened in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditedTry {
    /// The number of the hand, from 1.
    pub hand: u32,
    /// The number of the try, from 0.
    pub attempt: u32,
    /// Whether the try was declared void. Nobody has seen a card of a void try.
    pub void: bool,
    /// The drawn cards, by position.
    pub cards: Vec<Card>,
    /// The positions whose cards everybody has seen. Positions that were reshuffled for a steal are
    /// not included, because an audit does not cover reshuffles.
    pub public: Vec<usize>,
}

/// The reason why an audit is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The bytes are not what [`Audit::encode`] writes.
    #[error("the file is not an audit of a match")]
    Malformed,
    /// The audit belongs to a different match.
    #[error("the audit belongs to a different match than the record")]
    OtherMatch,
    /// The record does not contain the try.
    #[error("the audit contains a try of hand {hand} that is not in the record")]
    NoSuchTry {
        /// The number of the hand.
        hand: u32,
    },
    /// A try appears twice or out of order.
    #[error("a try appears twice or out of order in the audit")]
    Order,
    /// The opened input of a seat does not match its commitment, or does not fit the circuit.
    #[error(
        "the input that {seat} opened for hand {hand} does not match its commitment or the circuit"
    )]
    Commitment {
        /// The seat that opened the input.
        seat: Seat,
        /// The number of the hand.
        hand: u32,
        /// The number of the try.
        attempt: u32,
    },
    /// The recomputed deck has a different card at an opened position. One of the seats has lied
    /// about its input, and nobody can tell which.
    #[error(
        "in hand {hand}, the computed card at position {position} differs from the opened card"
    )]
    OtherCard {
        /// The number of the hand.
        hand: u32,
        /// The position of the card.
        position: usize,
    },
}

impl From<Malformed> for AuditError {
    fn from(Malformed: Malformed) -> Self {
        AuditError::Malformed
    }
}

impl Audit {
    /// Encodes the audit, to be stored next to the record. Anybody can check the two together.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.raw(MAGIC).raw(self.of.as_bytes());
        writer.u32(self.tries.len() as u32);
        for inputs in &self.tries {
            writer.u8(inputs.len() as u8);
            for input in inputs {
                let input = input.encode();
                writer.u32(input.len() as u32).raw(&input);
            }
        }
        writer.finish()
    }

    /// Decodes an audit. Does not [`check`](Self::check) the inputs.
    ///
    /// # Errors
    /// If the bytes are not an output of [`encode`](Self::encode).
    pub fn decode(bytes: &[u8]) -> Result<Self, AuditError> {
        let mut reader = Reader::new(bytes);
        let (magic, of) = (reader.array()?, MatchId::new(reader.array()?));
        if magic != *MAGIC {
            return Err(AuditError::Malformed);
        }
        // The vector grows as inputs are read, so that a large count in a short file allocates no
        // memory.
        let mut tries = Vec::new();
        for _ in 0..reader.u32()? {
            let mut inputs = Vec::new();
            for _ in 0..reader.u8()? {
                let len = reader.u32()? as usize;
                inputs.push(Input::decode(reader.raw(len)?, of)?);
            }
            tries.push(inputs);
        }
        reader.finish()?;
        Ok(Audit { of, tries })
    }

    /// Recomputes all decks and compares them with the record.
    ///
    /// # Errors
    /// The [`AuditError`] of the first invalid try.
    pub fn check(
        &self,
        record: &Record,
        circuit: &DealCircuit,
    ) -> Result<Vec<AuditedTry>, AuditError> {
        if self.of != record.log.match_info().id() {
            return Err(AuditError::OtherMatch);
        }
        let commitments = Commitments::of(&record.log);
        // Refuse repeated tries: a repeated try could hide a missing one.
        let of = |inputs: &Vec<Input>| {
            inputs
                .first()
                .map(|input| (input.attempt.hand, input.attempt.attempt))
        };
        if !self.tries.is_sorted_by(|one, next| of(one) < of(next)) {
            return Err(AuditError::Order);
        }
        let audited = self.tries.iter().map(|inputs| {
            let of = inputs.first().ok_or(AuditError::OtherMatch)?.attempt;
            commitments.check(&of, inputs)?;
            audit(record, circuit, &of, inputs)
        });
        audited.collect()
    }
}

/// The commitments of the seats to their inputs, by hand and try.
pub(super) struct Commitments {
    seats: usize,
    by_try: BTreeMap<(u32, u32), Vec<Option<[u8; 32]>>>,
}

impl Commitments {
    /// The commitments in a log with its whole history.
    pub(super) fn of(log: &MatchLog) -> Self {
        let seats = log.match_info().seats();
        let mut by_try = BTreeMap::new();
        for seat in Seat::all(seats) {
            for deal in log.deals(seat) {
                let of_try = by_try.entry((deal.hand, deal.attempt));
                let all: &mut Vec<_> = of_try.or_insert_with(|| vec![None; seats]);
                all[seat.index()] = deal.deck.sealed().map(|input| input.input);
            }
        }
        Commitments { seats, by_try }
    }

    /// The tries that all seats have dealt, as hand and attempt, in order.
    pub(super) fn tries(&self) -> Vec<(u32, u32)> {
        let dealt = self.by_try.iter().filter(|(_, all)| !all.contains(&None));
        dealt.map(|(of, _)| *of).collect()
    }

    /// Whether the input matches the seat's commitment.
    pub(super) fn opens(&self, seat: Seat, input: &Input) -> bool {
        let all = self
            .by_try
            .get(&(input.attempt.hand, input.attempt.attempt));
        let commitment = all.and_then(|all| *all.get(seat.index())?);
        let (bits, nonce) = (&input.bits, &input.nonce);
        commitment == Some(input.attempt.input_commitment(seat, bits, nonce))
    }

    fn check(&self, of: &Attempt, inputs: &[Input]) -> Result<(), AuditError> {
        let (hand, attempt) = (of.hand, of.attempt);
        if !self.by_try.contains_key(&(hand, attempt)) || inputs.len() != self.seats {
            return Err(AuditError::NoSuchTry { hand });
        }
        for (seat, input) in Seat::all(self.seats).zip(inputs) {
            if input.attempt != *of || !self.opens(seat, input) {
                return Err(AuditError::Commitment {
                    seat,
                    hand,
                    attempt,
                });
            }
        }
        Ok(())
    }
}

/// Computes the deck of a try and compares it with the cards opened in it.
fn audit(
    record: &Record,
    circuit: &DealCircuit,
    of: &Attempt,
    inputs: &[Input],
) -> Result<AuditedTry, AuditError> {
    let Attempt { hand, attempt, .. } = *of;
    for ((seat, input), &bits) in
        (Seat::all(inputs.len()).zip(inputs)).zip(circuit.circuit().inputs())
    {
        if input.bits.len() != bits {
            return Err(AuditError::Commitment {
                seat,
                hand,
                attempt,
            });
        }
    }
    let bits: Vec<Vec<bool>> = inputs.iter().map(|input| input.bits.to_vec()).collect();
    let outputs = circuit.circuit().evaluate(&bits);
    let outputs = outputs.map_err(|_| AuditError::NoSuchTry { hand })?;
    let cards: Vec<Card> = circuit.decode(&outputs);
    // Cards are only opened in the last try of a hand: earlier tries are void.
    let played = record.hands.iter().find(|played| played.begun.hand == hand);
    let last = played.is_some_and(|played| played.voided.len() == attempt as usize);
    let mut public = Vec::new();
    if let Some(played) = played.filter(|_| last) {
        // A position that was reshuffled for a steal no longer holds the card from the deal.
        let drawn = |(position, _): &(&usize, &Card)| played.since(**position) == 0;
        for (&position, card) in played.public.iter().filter(drawn) {
            if cards.get(position) != Some(card) {
                return Err(AuditError::OtherCard { hand, position });
            }
            public.push(position);
        }
    }
    Ok(AuditedTry {
        hand,
        attempt,
        void: !last,
        cards,
        public,
    })
}
