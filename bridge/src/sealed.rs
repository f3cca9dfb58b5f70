//! Boards that two parties deal jointly: sealed, and opened hand by hand.
//!
//! [`SealedBoards::deal`] runs a [`SplitCircuit`] over any [`TwoParty`]. Neither party then knows a deal. The
//! parties open each hand to those who may see it, and all hands to both after the play, as in the
//! example `bridge`.

use rand::CryptoRng;
use zeroize::Zeroizing;

use super::{Board, Card, Compass, Deal, Hand};
use dealerless::circuit::{ByParty, Party};
use dealerless::deck::{self, Error, Pack, Result};
use dealerless::mpc::{Audience, Demand, Input, Opening, Run, TwoParty};
use dealerless::shuffle::split::SplitCircuit;

/// The hands of jointly dealt boards. Their bits are shared between the parties: the boards alone show
/// nothing, which is why they have no `Debug`. Boards are counted from 0.
pub struct SealedBoards<S> {
    /// For each hand a bit for each card; the four hands of a board one after the other, from North on.
    hands: Vec<Vec<S>>,
    /// The hands that this party has seen.
    seen: Zeroizing<Vec<Option<Hand>>>,
    /// Which hands have been opened to whom.
    opened: Vec<ByParty<bool>>,
}

impl<S: Clone> SealedBoards<S> {
    /// Makes ahead what `count` deals take: both parties call this with the same circuit. A deal is
    /// faster then; see [`TwoParty::prepare`].
    ///
    /// # Errors
    /// A misuse if the circuit is not for packs of 52 cards; any error of the session.
    pub fn prepare<P: TwoParty<Shared = S>>(
        session: &mut P,
        circuit: &SplitCircuit,
        count: usize,
    ) -> Result<()> {
        check_circuit(circuit)?;
        Ok(session.prepare(Demand::of(circuit.circuit()).times(count))?)
    }

    /// Deals all boards of the circuit: both parties call this with the same circuit and the same
    /// `context`, which says what the boards are for, such as the digest of a log. What this party enters
    /// is drawn from `rng`, which must be the operating system's generator or as good.
    ///
    /// Whether each party has entered what an honest one can is opened to both before there are any boards.
    ///
    /// # Errors
    /// A misuse if the circuit is not for packs of 52 cards: nothing is sent then.
    /// [`deck::Check::SeedsOutOfRange`], naming the party, if its words are not balanced. Any error of
    /// the session.
    pub fn deal<P: TwoParty<Shared = S>>(
        session: &mut P,
        circuit: &SplitCircuit,
        context: &[u8],
        rng: &mut impl CryptoRng,
    ) -> Result<Self> {
        check_circuit(circuit)?;
        let entered = circuit.sample(session.role(), rng);
        let run = Run::new(circuit.circuit(), &Input::ONE_EACH, entered.bits());
        let words = session.run(run.in_context(context))?;
        deck::check_validity(session, &words[circuit.validity()])?;
        let count = circuit.split().hands();
        Ok(SealedBoards {
            hands: words.iter().take(count).map(<[S]>::to_vec).collect(),
            seen: Zeroizing::new(vec![None; count]),
            opened: vec![ByParty::default(); count],
        })
    }

    /// How many boards there are.
    pub fn len(&self) -> usize {
        self.hands.len() / Compass::ALL.len()
    }

    /// Whether there is no board. (A deal has at least one.)
    pub fn is_empty(&self) -> bool {
        self.hands.is_empty()
    }

    /// The hand of a seat, if this party has seen it.
    pub fn seen(&self, board: usize, seat: Compass) -> Option<Hand> {
        self.place(board, seat).and_then(|place| self.seen[place])
    }

    /// The deal of a board, if this party has seen all four hands.
    pub fn deal_of(&self, board: usize) -> Option<Deal> {
        let mut owners = [Compass::North; 52];
        for seat in Compass::ALL {
            for card in self.seen(board, seat)?.cards() {
                owners[card.number()] = seat;
            }
        }
        // Four hands of 13 with no card twice are all cards.
        Deal::new(owners).ok()
    }

    /// The boards, the first of which has this number, if this party has seen all of their hands.
    pub fn boards(&self, first: u32) -> Option<Vec<Board>> {
        (0..self.len())
            .map(|board| {
                Some(Board {
                    number: first.checked_add(u32::try_from(board).ok()?)?,
                    deal: self.deal_of(board)?,
                })
            })
            .collect()
    }

    /// Opens hands, all in one exchange, and gives for each what this party learned. The peer must open
    /// the same hands to the same audience, in the same order.
    ///
    /// A hand is opened to a party once. A hand that one party has seen is later opened to the other party
    /// alone, not to both.
    ///
    /// # Errors
    /// A misuse if there is no such board, or a hand is named twice or was opened to that party before:
    /// nothing is sent then. [`deck::Check::NotInDeck`] or [`deck::Check::OpenedTwice`] if what comes out
    /// cannot be. Any error of the session.
    pub fn open<P: TwoParty<Shared = S>>(
        &mut self,
        session: &mut P,
        openings: &[(usize, Compass, Audience)],
    ) -> Result<Vec<Option<Hand>>> {
        let places = self.check(openings)?;
        let requests: Vec<Opening<'_, S>> = (openings.iter().zip(&places))
            .map(|(&(.., to), &place)| Opening {
                to,
                bits: &self.hands[place],
            })
            .collect();
        let opened = session.open(&requests)?;
        for (&(.., to), &place) in openings.iter().zip(&places) {
            for learner in Party::BOTH {
                self.opened[place][learner] |= to.includes(learner);
            }
        }
        let mut learned = Vec::with_capacity(places.len());
        for (&place, bits) in places.iter().zip(opened.iter()) {
            let hand = bits.map(|bits| self.see(place, bits));
            learned.push(hand.transpose().inspect_err(|_| session.abort())?);
        }
        Ok(learned)
    }

    /// Opens to each party all that it has not seen, in one exchange.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn open_all<P: TwoParty<Shared = S>>(&mut self, session: &mut P) -> Result<()> {
        let openings: Vec<_> = (0..self.len())
            .flat_map(|board| Compass::ALL.map(|seat| (board, seat)))
            .zip(&self.opened)
            .filter_map(|((board, seat), opened)| {
                let to = match Party::BOTH.map(|party| opened[party]) {
                    [true, true] => return None,
                    [false, false] => Audience::Both,
                    [true, false] => Audience::Only(Party::Evaluator),
                    [false, true] => Audience::Only(Party::Garbler),
                };
                Some((board, seat, to))
            })
            .collect();
        self.open(session, &openings).map(drop)
    }

    /// Where a hand is, if there is such a board.
    fn place(&self, board: usize, seat: Compass) -> Option<usize> {
        (board < self.len()).then(|| board * Compass::ALL.len() + seat as usize)
    }

    /// The places of the hands, if they may be opened.
    fn check(&self, openings: &[(usize, Compass, Audience)]) -> Result<Vec<usize>> {
        let mut places = Vec::with_capacity(openings.len());
        for &(board, seat, to) in openings {
            let Some(place) = self.place(board, seat) else {
                return Err(Error::Usage(format!(
                    "board {board} was not dealt: there are {}, counted from 0",
                    self.len()
                )));
            };
            let hand = format!("the hand of {seat:?} on board {board}");
            deck::check_closed(&hand, &self.opened[place], to)?;
            if places.contains(&place) {
                return Err(Error::Usage(format!(
                    "{hand} is named twice in one opening"
                )));
            }
            places.push(place);
        }
        Ok(places)
    }

    /// Takes in an opened hand, which this party has not seen before.
    fn see(&mut self, place: usize, bits: &[bool]) -> Result<Hand> {
        let held = Card::all().zip(bits).filter(|(_, held)| **held);
        let hand: Hand = held.map(|(card, _)| card).collect();
        let seen = self.seen.iter().enumerate();
        let seen = seen.filter_map(|(place, hand)| Some((place, hand.as_ref()?.as_set())));
        let checked = Pack::Hands(13).check((place, hand.as_set()), seen);
        checked.map_err(Error::Check)?;
        self.seen[place] = Some(hand);
        Ok(hand)
    }
}

impl Hand {
    /// The hand whose cards are the set bits of `set`, as a [split](dealerless::shuffle::split) deals it.
    pub fn of_set(set: deck::Card) -> Hand {
        Card::all()
            .filter(|card| set.0 >> card.number() & 1 == 1)
            .collect()
    }

    /// The hand as a set: bit c is set if card c is in the hand.
    pub fn as_set(self) -> deck::Card {
        deck::Card(self.0)
    }
}

fn check_circuit(circuit: &SplitCircuit) -> Result<()> {
    match circuit.split().cards() {
        52 => Ok(()),
        cards => Err(Error::Usage(format!(
            "a board is dealt from 52 cards, not {cards}"
        ))),
    }
}
