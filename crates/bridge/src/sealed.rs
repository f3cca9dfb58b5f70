//! Sealed boards that two parties deal jointly and open hand by hand.
//!
//! [`SealedBoards::deal`] runs a [`SplitCircuit`] over any [`TwoParty`]. Afterwards neither party
//! knows any deal. The parties then open each hand to the party that may see it, and after the play
//! all hands to both parties. The example `bridge` shows this.

use rand::CryptoRng;
use zeroize::Zeroizing;

use super::{Board, Card, Compass, Deal, Hand};
use dealerless::circuit::{ByParty, Party};
use dealerless::deck::{self, Error, Pack, Result};
use dealerless::mpc::{Audience, Demand, Input, Opening, Run, TwoParty};
use dealerless::shuffle::split::SplitCircuit;

/// Jointly dealt boards. The bits of the hands are secret-shared between the parties, so there is
/// no `Debug`. The methods count boards from 0.
pub struct SealedBoards<S> {
    /// This party's shares of the hands, with a bit for each card. The four hands of board 0 come
    /// first, clockwise from North.
    hands: Vec<Vec<S>>,
    /// The hands that this party has seen.
    seen: Zeroizing<Vec<Option<Hand>>>,
    /// For each hand, the parties to which it has been opened.
    opened: Vec<ByParty<bool>>,
}

impl<S: Clone> SealedBoards<S> {
    /// Does the preprocessing for `count` later calls of [`deal`](Self::deal), which then take less
    /// time; see [`TwoParty::prepare`]. Both parties must pass the same circuit and count.
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

    /// Deals all boards of the circuit. Both parties must pass the same circuit and the same
    /// `context`, which identifies the purpose of the boards, such as the digest of a log. The
    /// input of this party is drawn from `rng`, which must be the operating system's generator or
    /// equally secure.
    ///
    /// Before this returns, both parties learn whether each input is valid: whether each of its
    /// *words* (see [`split`](dealerless::shuffle::split)) contains each hand 13 times.
    ///
    /// # Errors
    /// A usage error if the circuit is not for packs of 52 cards; nothing is sent in this case.
    /// [`deck::Check::SeedsOutOfRange`], with the party whose input is invalid. Any error of the
    /// session.
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

    /// Whether there are no boards. Always `false`, since at least one board is dealt.
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

    /// The boards, numbered from `first`, if this party has seen all of their hands. `None` also if
    /// a board number would exceed [`u32::MAX`].
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

    /// Opens the hand of each board and seat in `openings` to the given audience, in a single
    /// exchange. Returns the hands in the same order, with `None` for each hand that was opened
    /// only to the peer. The peer must pass the same `openings`, in the same order.
    ///
    /// A hand can be opened only once to a party. A hand that one party has seen can later be
    /// opened only to the other party, not to both.
    ///
    /// # Errors
    /// A usage error if a board does not exist, a hand is named twice, or a hand has already been
    /// opened to a party in its audience; nothing is sent in this case. [`deck::Check::NotInDeck`]
    /// if an opened hand does not have 13 cards. [`deck::Check::OpenedTwice`] if it has a card of
    /// another hand that this party has seen on the same board. Any error of the session.
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

    /// Opens, in a single exchange, each hand to each party to which it has not been opened.
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

    /// The index of a hand in `hands`, if the board exists.
    fn place(&self, board: usize, seat: Compass) -> Option<usize> {
        (board < self.len()).then(|| board * Compass::ALL.len() + seat as usize)
    }

    /// Checks that all `openings` are possible, and returns the indices of the hands.
    fn check(&self, openings: &[(usize, Compass, Audience)]) -> Result<Vec<usize>> {
        let mut places = Vec::with_capacity(openings.len());
        for &(board, seat, to) in openings {
            let Some(place) = self.place(board, seat) else {
                return Err(Error::Usage(format!(
                    "board {board} does not exist: the {} boards are counted from 0",
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

    /// Checks an opened hand that this party has not seen before, and stores it in `seen`.
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
    /// Converts a set of cards, as dealt by a [split](dealerless::shuffle::split), to a hand.
    pub fn of_set(set: deck::Card) -> Hand {
        Card::all()
            .filter(|card| set.0 >> card.number() & 1 == 1)
            .collect()
    }

    /// The hand as a set of cards: bit `c` is set if the hand contains card `c`.
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
