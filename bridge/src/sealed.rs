//! Sealed boards that two parties deal jointly and open hand by hand.
//!
//! [`SealedBoards::deal`] runs a [`SplitCircuit`] over any [`TwoParty`]. Afterwards neither party
//! knows any deal. The parties open each hand to those who may see it, and all hands to both after
//! the play, as in the example `bridge`.

use rand::CryptoRng;
use zeroize::Zeroizing;

use super::{Board, Card, Compass, Deal, Hand};
use dealerless::circuit::{ByParty, Party};
use dealerless::deck::{self, Error, Pack, Result};
use dealerless::mpc::{Audience, Demand, Input, Opening, Run, TwoParty};
use dealerless::shuffle::split::SplitCircuit;

/// The hands of jointly dealt boards. Their bits are secret-shared between the parties. One party's
/// shares reveal nothing, so there is no `Debug`. Boards are counted from 0.
pub struct SealedBoards<S> {
    /// The hands, each with a bit per card. The four hands of a board follow each other, starting
    /// with North.
    hands: Vec<Vec<S>>,
    /// The hands that this party has seen.
    seen: Zeroizing<Vec<Option<Hand>>>,
    /// For each hand, the parties to which it has been opened.
    opened: Vec<ByParty<bool>>,
}

impl<S: Clone> SealedBoards<S> {
    /// Precomputes the resources for `count` deals, which makes the deals faster; see
    /// [`TwoParty::prepare`]. Both parties must call this with the same circuit.
    ///
    /// # Errors
    /// A usage error if the circuit is not for packs of 52 cards; any error of the session.
    pub fn prepare<P: TwoParty<Shared = S>>(
        session: &mut P,
        circuit: &SplitCircuit,
        count: usize,
    ) -> Result<()> {
        check_circuit(circuit)?;
        Ok(session.prepare(Demand::of(circuit.circuit()).times(count))?)
    }

    /// Deals all boards of the circuit. Both parties must call this with the same circuit and the
    /// same `context`, which identifies the purpose of the boards, such as the digest of a log. The
    /// input of this party is drawn from `rng`, which must be the operating system's generator or
    /// equally secure.
    ///
    /// Before any boards exist, the validity of both parties' inputs is opened to both.
    ///
    /// # Errors
    /// A usage error if the circuit is not for packs of 52 cards; nothing is sent in this case.
    /// [`deck::Check::SeedsOutOfRange`], naming the party, if its words are not balanced. Any error
    /// of the session.
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

    /// The number of boards.
    pub fn len(&self) -> usize {
        self.hands.len() / Compass::ALL.len()
    }

    /// Whether there are no boards. (A deal has at least one.)
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
        // Four hands of 13 different cards make up the whole pack.
        Deal::new(owners).ok()
    }

    /// The boards, numbered from `first`, if this party has seen all of their hands.
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

    /// Opens hands in a single exchange. Returns each hand, or `None` if it was not opened to this
    /// party. The peer must open the same hands to the same audience, in the same order.
    ///
    /// A hand can be opened only once to a party. A hand that one party has seen can later be
    /// opened only to the other party, not to both.
    ///
    /// # Errors
    /// A usage error if a board does not exist, or if a hand is named twice or was already opened
    /// to the party; nothing is sent in this case. [`deck::Check::NotInDeck`] or
    /// [`deck::Check::OpenedTwice`] if an opened hand is impossible. Any error of the session.
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

    /// Opens to each party all hands that it has not seen, in a single exchange.
    ///
    /// # Errors
    /// Same as [`open`](Self::open).
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

    /// The index of a hand, if the board exists.
    fn place(&self, board: usize, seat: Compass) -> Option<usize> {
        (board < self.len()).then(|| board * Compass::ALL.len() + seat as usize)
    }

    /// Checks that the hands may be opened, and returns their indices.
    fn check(&self, openings: &[(usize, Compass, Audience)]) -> Result<Vec<usize>> {
        let mut places = Vec::with_capacity(openings.len());
        for &(board, seat, to) in openings {
            let Some(place) = self.place(board, seat) else {
                return Err(Error::Usage(format!(
                    "board {board} does not exist: {} boards were dealt, counted from 0",
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

    /// Checks and stores an opened hand, which this party has not seen before.
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
    /// The hand of a set of cards, as dealt by a [split](dealerless::shuffle::split).
    pub fn of_set(set: deck::Card) -> Hand {
        Card::all()
            .filter(|card| set.0 >> card.number() & 1 == 1)
            .collect()
    }

    /// The hand as a set of cards: bit c is set if the hand holds card c.
    pub fn as_set(self) -> deck::Card {
        deck::Card(self.0)
    }
}

fn check_circuit(circuit: &SplitCircuit) -> Result<()> {
    match circuit.split().cards() {
        52 => Ok(()),
        cards => Err(Error::Usage(format!(
            "a board needs a pack of 52 cards, not {cards}"
        ))),
    }
}
