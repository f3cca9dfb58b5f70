//! A cheating seat. Its keys and its share of the deck are valid, but it changes parts before it
//! signs them.

use dealerless::circuit::Party;
use dealerless::shuffle::Randomness;
use dealerless_table::Seat;
use dealerless_table::log::{
    AfterHand, CardOpening, LogMessage, MatchLog, Part, Phase, SignedPart,
};
use dealerless_table::play::{DealCircuit, Done, Event, HandDeck, Order, Orders, Outbox, role};
use dealerless_table::rules::Legal;
use dealerless_table::testing::threads::Wiring;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use zeroize::Zeroizing;

/// Changes a part before the seat signs it.
pub(crate) type Twist = fn(&mut Part);

/// Plays a seat by the rules, except for the twist.
pub(crate) struct Puppet {
    pub(crate) log: MatchLog,
    wiring: Wiring,
    deck: Option<Box<dyn HandDeck>>,
    twist: Twist,
    /// Whether the puppet declares the first try void as soon as both engines run.
    pub(crate) voids: bool,
    /// Creates the input to the shuffle; `None` for an honest input.
    pub(crate) dishonest_input: Option<fn(&DealCircuit, Party) -> Randomness>,
    /// Whether the puppet seals a try with the deck of the previous try.
    pub(crate) seals_old: bool,
    /// The hand at whose first choice the puppet signs a part for an old step: the step in which
    /// the guest sealed the first hand.
    pub(crate) late_in: Option<u32>,
    /// The hand and the try for which a shuffle was ordered.
    ordered: Option<(u32, u32)>,
    /// Whether the engine still runs for a void try.
    running_void: bool,
}

const SECRET: [u8; 32] = [9; 32];

impl Puppet {
    pub(crate) fn new(wiring: Wiring, log: MatchLog, twist: Twist) -> Self {
        Puppet {
            log,
            wiring,
            deck: None,
            twist,
            voids: false,
            dishonest_input: None,
            seals_old: false,
            late_in: None,
            ordered: None,
            running_void: false,
        }
    }

    fn seat(&self) -> Seat {
        self.wiring.seat
    }

    /// Plays until the match is over or the peer is gone.
    pub(crate) fn run(&mut self) {
        loop {
            while let Some(mut part) = self.part() {
                (self.twist)(&mut part);
                let (identity, seat) = (&self.wiring.identity, self.wiring.seat);
                let (signed, _) = self.log.sign(identity, seat, &part).expect("no foul");
                if self
                    .wiring
                    .wire
                    .send(self.wiring.seat.next(2), LogMessage::Part(signed).encode())
                    .is_err()
                {
                    return;
                }
            }
            if self.order() {
                continue;
            }
            if self.late_in == Some(self.log.attempt().hand)
                && let Phase::Choose { .. } = self.log.phase()
            {
                self.late_in = None;
                let late = LogMessage::Part(self.out_of_turn(2));
                // The peer may be gone.
                let _ = self
                    .wiring
                    .wire
                    .send(self.wiring.seat.next(2), late.encode());
            }
            if let Phase::Over(_) = self.log.phase() {
                return;
            }
            match self.wiring.events.recv() {
                Ok(Event::Received(_, bytes)) => match LogMessage::decode(&bytes) {
                    Ok(LogMessage::Part(part)) => drop(self.log.accept(part).unwrap()),
                    _ => return,
                },
                Ok(Event::Done(Done::Shuffled { deck, .. })) => {
                    let old = std::mem::take(&mut self.running_void);
                    if !old || self.seals_old {
                        let secret = Zeroizing::new(SECRET);
                        let seated = deck.seated(self.log.attempt(), None, self.seat(), secret);
                        self.deck.get_or_insert(seated);
                    }
                }
                Ok(Event::Done(Done::Prepared(_) | Done::Reshuffled { .. })) => {}
                Ok(Event::Done(Done::Failed(_))) | Err(_) => return,
            }
        }
    }

    /// A part of this seat for a step that is complete without it.
    fn out_of_turn(&self, step: u64) -> SignedPart {
        let (id, seat, part) = (self.log.match_info().id(), self.seat(), vec![7]);
        let before = self.log.hash_before(step).expect("the log keeps this step");
        let (number, place) = (step.to_le_bytes(), [seat.number()]);
        let fields: [&[u8]; 5] = [id.as_bytes(), &number, &before, &place, &part];
        let signature = self.wiring.identity.sign("part", &fields);
        SignedPart {
            step,
            seat,
            part,
            signature,
        }
    }

    /// Orders a shuffle if a new try needs it. Returns whether it was ordered.
    fn order(&mut self) -> bool {
        let attempt = self.log.attempt();
        let now = Some((attempt.hand, attempt.attempt));
        let due = self.log.phase() == Phase::Seal(Seat::HOST) && self.ordered != now;
        if due {
            self.ordered = now;
            let mut rng = UnwrapErr(SysRng);
            let (circuit, party) = (&self.wiring.circuit, role(self.seat()));
            let seeds = match self.dishonest_input {
                Some(input) => input(circuit, party),
                None => circuit.sample(party, &mut rng),
            };
            let name = dealerless_table::play::deck_name(&self.log).unwrap();
            self.wiring.dealer.order(Order::Shuffle(seeds, name));
        }
        due
    }

    fn part(&mut self) -> Option<Part> {
        if self.log.may_sign(self.seat()).is_empty() {
            return None;
        }
        match self.log.phase() {
            Phase::Seal(_) if self.voids && self.ordered == Some((1, 0)) => {
                self.voids = false;
                self.running_void = true;
                Some(Part::Again)
            }
            Phase::Deal => Some(Part::Deal(
                self.log
                    .deal(self.log.sealed_input([0; 32], 0).unwrap(), vec![false; 2]),
            )),
            Phase::Seal(_) => self
                .deck
                .as_ref()
                .map(|deck| Part::Seal(deck.seal().unwrap())),
            Phase::Open(openings) => {
                let due = openings
                    .iter()
                    .filter(|opening| opening.opener == self.seat());
                let cards = due.flat_map(|opening| &opening.cards);
                Some(Part::Open(
                    cards.map(|&(position, _)| self.open(position)).collect(),
                ))
            }
            Phase::Choose {
                legal: Legal::Bet { call, .. },
                ..
            } => Some(Part::Move(match call {
                Some(_) => dealerless_table::rules::Choice::Call,
                None => dealerless_table::rules::Choice::Check,
            })),
            Phase::Choose { .. } => Some(Part::Move(dealerless_table::rules::Choice::Show)),
            Phase::Result(outcome) => {
                self.deck = None;
                Some(Part::Result {
                    stacks: outcome.stacks,
                    next: AfterHand::Stay,
                    buy: 0,
                })
            }
            _ => None,
        }
    }

    fn open(&self, position: usize) -> CardOpening {
        self.deck.as_ref().unwrap().open(position).unwrap()
    }
}
