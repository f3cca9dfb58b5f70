//! Opened inputs, and the decks that follow from them.

use std::collections::BTreeMap;

use dealerless::deck::Card;

use crate::log::{Attempt, Input, MatchLog};
use crate::play::DealCircuit;
use crate::record::Record;
use crate::seat::Seat;
use crate::wire::{Malformed, Reader, Writer};

/// How an encoding begins.
const MAGIC: &[u8; 16] = b"dealerlessaudit1";

/// The inputs of all seats, as far as all have kept theirs. They are no secret any more.
#[derive(Clone, PartialEq, Eq)]
pub struct Audit {
    /// The match.
    pub of: [u8; 32],
    /// The tries, in order; of each the inputs in order of the seats.
    pub tries: Vec<Vec<Input>>,
}

/// A try whose deck was computed anew, and agrees with all that was opened of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditedTry {
    /// The number of the hand, from 1.
    pub hand: u32,
    /// The number of the try, from 0.
    pub attempt: u32,
    /// Whether it was declared void. Nobody has seen a card of it then.
    pub void: bool,
    /// The drawn cards, by position.
    pub cards: Vec<Card>,
    /// The positions of those that everybody has seen. Cards that were shuffled again, for one to be
    /// stolen, are not among them: no audit covers that.
    pub public: Vec<usize>,
}

/// What an audit shows to be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The bytes are not what [`Audit::encode`] writes.
    #[error("the file holds no opened inputs of a match")]
    Malformed,
    /// It is of another match.
    #[error("the audit is of another match than the record")]
    OtherMatch,
    /// There is no such try.
    #[error("the audit has a try of hand {hand} that the record has not")]
    NoSuchTry {
        /// The number of the hand.
        hand: u32,
    },
    /// A try is there twice, or out of order.
    #[error("the audit has the tries of the match twice, or in another order")]
    Order,
    /// A seat opens something else than it has committed itself to, or something of another shape.
    #[error("{seat} has not entered into the shuffle of hand {hand} what it says")]
    Commitment {
        /// Who.
        seat: Seat,
        /// The number of the hand.
        hand: u32,
        /// The number of the try.
        attempt: u32,
    },
    /// The deck has another card where one was opened. One of the seats has lied; nobody can tell
    /// which.
    #[error("in hand {hand} the card at position {position} is not the one that was opened")]
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
    /// The bytes that stand for it, to be kept beside the record. Whoever has both can check them.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.raw(MAGIC).raw(&self.of);
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

    /// The audit for which these bytes stand. Nothing in it is verified.
    ///
    /// # Errors
    /// If they are not what [`encode`](Self::encode) writes.
    pub fn decode(bytes: &[u8]) -> Result<Self, AuditError> {
        let mut reader = Reader::new(bytes);
        let (magic, of) = (reader.array()?, reader.array()?);
        if magic != *MAGIC {
            return Err(AuditError::Malformed);
        }
        // Grows as the bytes turn up: a count alone allocates nothing.
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

    /// Computes all decks anew, and compares them with the record.
    ///
    /// # Errors
    /// [`AuditError`], at the first try that is wrong.
    pub fn check(
        &self,
        record: &Record,
        circuit: &DealCircuit,
    ) -> Result<Vec<AuditedTry>, AuditError> {
        if self.of != record.log.of().id() {
            return Err(AuditError::OtherMatch);
        }
        let commitments = Commitments::of(&record.log);
        // A try that is told twice must not stand in for one that is not told.
        let of = |inputs: &Vec<Input>| {
            inputs
                .first()
                .map(|input| (input.of.hand, input.of.attempt))
        };
        if !self.tries.is_sorted_by(|one, next| of(one) < of(next)) {
            return Err(AuditError::Order);
        }
        let audited = self.tries.iter().map(|inputs| {
            let of = inputs.first().ok_or(AuditError::OtherMatch)?.of;
            commitments.check(&of, inputs)?;
            audit(record, circuit, &of, inputs)
        });
        audited.collect()
    }
}

/// What the seats have committed themselves to, by hand and try.
pub(super) struct Commitments {
    seats: usize,
    by_try: BTreeMap<(u32, u32), Vec<Option<[u8; 32]>>>,
}

impl Commitments {
    /// Those of a log in which nothing was forgotten.
    pub(super) fn of(log: &MatchLog) -> Self {
        let seats = log.of().seats();
        let mut by_try = BTreeMap::new();
        for seat in Seat::all(seats) {
            for deal in log.deals(seat) {
                let of_try = by_try.entry((deal.hand, deal.attempt));
                let all: &mut Vec<_> = of_try.or_insert_with(|| vec![None; seats]);
                all[seat.index()] = Some(deal.deck.input);
            }
        }
        Commitments { seats, by_try }
    }

    /// The tries that all seats have dealt, in order.
    pub(super) fn tries(&self) -> Vec<(u32, u32)> {
        let dealt = self.by_try.iter().filter(|(_, all)| !all.contains(&None));
        dealt.map(|(of, _)| *of).collect()
    }

    /// Whether this opens what the seat has committed itself to.
    pub(super) fn opens(&self, seat: Seat, input: &Input) -> bool {
        let all = self.by_try.get(&(input.of.hand, input.of.attempt));
        let commitment = all.and_then(|all| *all.get(seat.index())?);
        let (bits, nonce) = (&input.bits, &input.nonce);
        commitment == Some(input.of.input_commitment(seat, bits, nonce))
    }

    fn check(&self, of: &Attempt, inputs: &[Input]) -> Result<(), AuditError> {
        let (hand, attempt) = (of.hand, of.attempt);
        if !self.by_try.contains_key(&(hand, attempt)) || inputs.len() != self.seats {
            return Err(AuditError::NoSuchTry { hand });
        }
        for (seat, input) in Seat::all(self.seats).zip(inputs) {
            if input.of != *of || !self.opens(seat, input) {
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

/// Computes the deck of a try, and compares it with what was opened of it.
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
    // What was opened was opened of the last try of its hand.
    let played = record.hands.iter().find(|played| played.begun.hand == hand);
    let last = played.is_some_and(|played| played.voided.len() == attempt as usize);
    let mut public = Vec::new();
    if let Some(played) = played.filter(|_| last) {
        // What was shuffled again for a steal is not what was drawn there.
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
