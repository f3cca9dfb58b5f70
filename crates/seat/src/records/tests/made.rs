//! Test matches whose seats all play in this process, with fixed decks instead of an engine.

use std::sync::Arc;

use dealerless::deck::Card;
use dealerless::shuffle::Algorithm;
use dealerless_connection::identity::{Identity, Name};
use dealerless_connection::storage::MemoryStorage;
use dealerless_table::Seat;
use dealerless_table::log::{
    AfterHand, CardOpening, Claim, Claimed, Clock, DeckTerms, Header, Journal, Masked, MatchLog,
    Opening, Part, PartKind, Phase, Seal, SealedTerms, Seen, SignedPart, Sitting,
};
use dealerless_table::record::Record;
use dealerless_table::rules::{BettingRules, Choice, Learners, Legal, Limit, Stakes, Variety};
use dealerless_table::testing::test_match::{self, TestMatch};

/// A test match with the file of each seat.
pub(super) struct Made {
    identities: Vec<Arc<Identity>>,
    pub(super) log: MatchLog,
    journals: Vec<(Journal<MemoryStorage>, MemoryStorage)>,
    /// The card at position p of hand h is `first * h + step * p`.
    first: u32,
    step: u32,
}

/// Stakes with blinds of 1 and 2.
pub(super) fn rules(limit: Limit, stack: u64) -> BettingRules {
    BettingRules {
        stack,
        ..test_match::rules(limit)
    }
}

impl Made {
    pub(super) fn new(variety: Variety, seats: u8, hands: u32, deck: [u32; 2]) -> Self {
        Made::of(Stakes::new(variety, seats, hands).unwrap(), deck)
    }

    pub(super) fn of(stakes: Stakes, [first, step]: [u32; 2]) -> Self {
        let seats = stakes.seats() as u8;
        let of = TestMatch::of(Header {
            stakes,
            deck: DeckTerms::Sealed(SealedTerms {
                engine_version: 3,
                algorithm: Algorithm::Waksman,
                circuit: [7; 32],
                validity: seats,
            }),
            clock: Clock {
                each_move: 0,
                bank: 0,
            },
            table: None,
        });
        let names = ["Anna", "Bert", "Carla"].map(Name::clean);
        let journal = |seat: Seat| {
            let memory = MemoryStorage::default();
            let sitting = Sitting {
                match_info: of.match_info.clone(),
                seat,
                names: names[..usize::from(seats)].to_vec(),
            };
            let key = of.identities[seat.index()].file_key();
            let journal = Journal::create(memory.clone(), key, &sitting);
            (journal.unwrap(), memory)
        };
        Made {
            journals: Seat::all(seats.into()).map(journal).collect(),
            log: of.log(),
            identities: of.identities,
            first,
            step,
        }
    }

    pub(super) fn file(&self, seat: Seat) -> Vec<u8> {
        self.journals[seat.index()].1.bytes()
    }

    pub(super) fn identity(&self, seat: Seat) -> &Identity {
        &self.identities[seat.index()]
    }

    /// The record of a seat, as its owner reads it.
    pub(super) fn own(&self, seat: Seat) -> Record {
        Record::read(&self.file(seat), Some(self.identity(seat))).unwrap()
    }

    /// The record of a seat, as anybody can read it.
    pub(super) fn record(&self, seat: Seat) -> Record {
        Record::read(&self.file(seat), None).unwrap()
    }

    /// Plays until `choose` returns `None`.
    pub(super) fn play(&mut self, mut choose: impl FnMut(Seat, &Legal) -> Option<Choice>) {
        while let Some(&seat) = self.log.waits_for().first() {
            let part = match self.log.phase() {
                Phase::Choose { legal, .. } => match choose(seat, &legal) {
                    Some(choice) => Part::Move(choice),
                    None => return,
                },
                phase => self.due(seat, &phase),
            };
            self.sign(seat, &part);
        }
    }

    /// Plays until this seat has to seal a deal, and declares the deal void.
    pub(super) fn void(&mut self, seat: Seat) {
        self.play_until(&Phase::Seal(seat));
        self.sign(seat, &Part::Again);
    }

    /// Deals without sealing.
    pub(super) fn deal(&mut self) {
        self.play_until(&Phase::Seal(Seat::HOST));
    }

    fn play_until(&mut self, phase: &Phase) {
        while self.log.phase() != *phase {
            let next = self.log.waits_for()[0];
            let part = self.due(next, &self.log.phase());
            self.sign(next, &part);
        }
    }

    /// Signs a part for a seat, and writes it to all files.
    pub(super) fn sign(&mut self, seat: Seat, part: &Part) {
        let phase = self.log.phase();
        let signed = self.log.sign(&self.identities[seat.index()], seat, part);
        let (signed, _) = signed.unwrap();
        if let Phase::Open(openings) = &phase
            && self.log.phase() != phase
        {
            self.note(openings);
        }
        self.write(&signed);
    }

    pub(super) fn write(&mut self, signed: &SignedPart) {
        for (journal, _) in &mut self.journals {
            journal.append([signed]).unwrap();
        }
    }

    /// Writes a claim of the owner about another seat to the owner's file.
    pub(super) fn claim(&mut self, owner: Seat, seat: Seat, what: Claimed) {
        let claim = Claim {
            step: self.log.step(),
            seat,
            time: 1_795_334_400,
            what,
        };
        let (journal, _) = &mut self.journals[owner.index()];
        journal.append_claim(&claim).unwrap();
    }

    /// Notes the cards that are opened to a single seat in the file of that seat.
    fn note(&mut self, openings: &[Opening]) {
        for &(position, to) in openings.iter().flat_map(|opening| &opening.cards) {
            if let Learners::Seat(seat) = to {
                let seen = Seen {
                    attempt: self.log.attempt(),
                    position: position as u16,
                    since: 0,
                    card: self.card(position),
                    wide: self.log.match_info().header().stakes.boards().is_some(),
                };
                self.journals[seat.index()].0.note(&seen);
            }
        }
    }

    fn card(&self, position: usize) -> Card {
        let (cards, _) = self.log.match_info().header().stakes.deck();
        if self.log.match_info().header().stakes.boards().is_some() {
            return Card(((1 << 13) - 1) << (13 * (position % 4)));
        }
        let number = self.first * self.log.attempt().hand + self.step * position as u32;
        Card(u64::from(number) % cards as u64)
    }

    /// The share of a seat in the card at a position.
    fn share(seat: Seat, position: usize) -> u64 {
        ((seat.index() + 1) * position % 32) as u64
    }

    fn nonce(seat: Seat) -> [u8; 32] {
        [seat.number() + 50; 32]
    }

    fn due(&self, seat: Seat, phase: &Phase) -> Part {
        match phase {
            Phase::Seal(_) => Part::Seal(self.seal(seat)),
            Phase::Open(openings) => {
                let mine = openings.iter().find(|opening| opening.opener == seat);
                let cards = mine.iter().flat_map(|opening| &opening.cards);
                Part::Open(cards.map(|&(at, _)| Self::opening(seat, at)).collect())
            }
            Phase::Result(outcome) => Part::Result {
                stacks: outcome.stacks.clone(),
                next: AfterHand::Stay,
                buy: 0,
            },
            _ => {
                let seats = self.log.match_info().seats();
                let broke = |place: usize| self.log.stacks()[place] == 0;
                let chips = self.log.match_info().header().stakes.betting().is_some();
                let rebuys = (0..seats).map(|place| chips && broke(place)).collect();
                Part::Deal(self.log.deal(
                    self.log.sealed_input([seat.number() + 1; 32], 0).unwrap(),
                    rebuys,
                ))
            }
        }
    }

    fn opening(seat: Seat, position: usize) -> CardOpening {
        CardOpening {
            position: position as u16,
            share: Self::share(seat, position),
            nonce: Self::nonce(seat),
            macs: [seat.number(); 32],
        }
    }

    fn seal(&self, seat: Seat) -> Seal {
        let (_, drawn) = self.log.match_info().header().stakes.deck();
        let seats = self.log.match_info().seats();
        let attempt = self.log.attempt();
        let masked = |position: usize| {
            let shares = Seat::all(seats).map(|seat| Self::share(seat, position));
            shares.fold(self.card(position).0, |sum, share| sum ^ share)
        };
        let commit = |position: usize| {
            let share = Self::share(seat, position);
            attempt.share_commitment(seat, position, share, &Self::nonce(seat))
        };
        Seal {
            masked: (seat == Seat::HOST).then(|| Masked {
                cards: (0..drawn).map(masked).collect(),
                validity: vec![true; seats],
            }),
            commitments: (0..drawn).map(commit).collect(),
            validity: vec![true; seats],
            validity_macs: [3; 32],
        }
    }

    /// Writes an invalid part of this seat, with a valid signature.
    pub(super) fn foul(&mut self, seat: Seat) {
        let mut part = vec![PartKind::Leave as u8];
        part.resize(40, 9);
        let (of, step, before) = (self.log.match_info().id(), self.log.step(), self.log.hash());
        let number = step.to_le_bytes();
        let fields: [&[u8]; 5] = [of.as_bytes(), &number, &before, &[seat.number()], &part];
        let signature = self.identities[seat.index()].sign("part", &fields);
        self.write(&SignedPart {
            step,
            seat,
            part,
            signature,
        });
    }
}

/// The choice of a seat that never bets, and shows its cards.
pub(super) fn passive(legal: &Legal) -> Choice {
    match legal {
        Legal::Bet { call: Some(_), .. } => Choice::Call,
        Legal::Bet { .. } => Choice::Check,
        Legal::Exchange => Choice::Exchange(vec![0, 3]),
        Legal::ShowOrMuck => Choice::Show,
        _ => Choice::Pass,
    }
}
