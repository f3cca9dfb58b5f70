//! A host that lies when a card is stolen out of its hand.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use dealerless::Blame;
use dealerless_table::Seat;
use dealerless_table::identity::Identity;
use dealerless_table::log::{
    Accepted, End, LogEvent, LogMessage, Match, MatchLog, Part, Phase, Stop,
};
use dealerless_table::play::{Command, Event, News, Outbox, PlayError};
use dealerless_table::rules::{Choice, Stakes, Variety};

use super::seats::{Side, Wire, both, wirings};
use super::shuffle_for;
use super::watched::{Deed, Watched};

/// What a host says in place of a part that it should say then; none if it says that.
type Lie = fn(&MatchLog, &Part) -> Option<Part>;

/// A host that follows the protocol until it lies.
struct Liar<'a> {
    wire: &'a mut Wire,
    identity: Arc<Identity>,
    /// What both have said.
    log: MatchLog,
    lie: Lie,
    lied: Option<Part>,
}

impl Outbox for Liar<'_> {
    fn send(&mut self, message: Vec<u8>) -> std::io::Result<()> {
        let Ok(LogMessage::Part(signed)) = LogMessage::decode(&message) else {
            panic!("nothing else is sent on a first line");
        };
        let lie = match self.log.clone().accept(signed.clone()) {
            Ok(Accepted::New(part, _)) => (self.lie)(&self.log, &part),
            taken => panic!("{taken:?}"),
        };
        let Some(lie) = lie else {
            self.log.accept(signed).unwrap();
            return self.wire.send(message);
        };
        let (signed, _) = self.log.sign(&self.identity, Seat::HOST, &lie).unwrap();
        self.lied = Some(lie);
        self.wire.send(LogMessage::Part(signed).encode())
    }
}

impl Liar<'_> {
    /// Passes until the other has ended the match. What it has itself no longer fits its lie.
    fn passes(&mut self, events: &Receiver<Event>) {
        while !matches!(self.log.phase(), Phase::Over(_)) {
            if let Phase::Choose {
                seat: Seat::HOST, ..
            } = self.log.phase()
            {
                let pass = Part::Move(Choice::Pass);
                let (signed, _) = self.log.sign(&self.identity, Seat::HOST, &pass).unwrap();
                self.wire.send(LogMessage::Part(signed).encode()).unwrap();
            }
            if let Event::Received(bytes) = events.recv().unwrap() {
                let Ok(LogMessage::Part(part)) = LogMessage::decode(&bytes) else {
                    return;
                };
                self.log.accept(part).unwrap();
            }
        }
    }
}

/// Draws a card as the host, which then does not go on behind its lie.
fn host_that_lies(mut host: Side, of: &Match, lie: Lie) {
    let Side { play, wiring } = &mut host;
    let mut liar = Liar {
        wire: &mut wiring.wire,
        identity: wiring.identity.clone(),
        log: MatchLog::new(of.clone()),
        lie,
        lied: None,
    };
    loop {
        play.advance(&mut liar, &mut wiring.dealer).unwrap();
        while let Some(news) = play.news() {
            if let News::YourTurn { .. } = news {
                play.command(Command::Choose(Choice::Draw)).unwrap();
                play.advance(&mut liar, &mut wiring.dealer).unwrap();
            }
        }
        match liar.lied {
            // The guest says no more where it need not seal anything.
            Some(Part::Void) => return,
            Some(Part::Open(_)) => return liar.passes(&wiring.events),
            _ => {}
        }
        let event = wiring.events.recv().unwrap();
        if let Event::Received(bytes) = &event {
            let Ok(LogMessage::Part(part)) = LogMessage::decode(bytes) else {
                return;
            };
            liar.log.accept(part).unwrap();
            if liar.lied.is_some() {
                return;
            }
        }
        play.receive(event).unwrap();
    }
}

/// How a guest goes on that steals from a host that lies.
fn steals_from(lie: Lie) -> (Result<(), PlayError>, Watched) {
    let variety = Variety::Deck {
        cards: 25,
        drawn: 8,
    };
    let stakes = Stakes::new(variety, 2, 1).unwrap();
    let (wirings, of) = wirings(&stakes, &shuffle_for(&stakes));
    let ends = both(wirings, |wiring| {
        if wiring.seat == Seat::HOST {
            host_that_lies(Side::new(wiring, &of), &of, lie);
            return None;
        }
        let mut guest = Watched::new(wiring, &MatchLog::new(of.clone()));
        let mut steal = || {
            loop {
                guest.advance()?;
                while let Some(news) = guest.play.news() {
                    match news {
                        News::YourTurn { .. } => {
                            let steal = Choice::Steal(Seat::HOST);
                            guest.play.command(Command::Choose(steal)).unwrap();
                            guest.advance()?;
                        }
                        News::Log(LogEvent::NotStolen { .. }) => return guest.advance(),
                        News::Over(_) => return Ok(()),
                        _ => {}
                    }
                }
                guest.receive()?;
            }
        };
        let end = steal();
        Some((end, guest))
    });
    ends.into_iter().flatten().next().unwrap()
}

#[test]
fn a_host_that_says_a_hand_is_not_stolen_from_after_the_engines_ran_has_made_an_attempt() {
    let (end, guest) = steals_from(|_, part| match part {
        Part::Reseal(_) => Some(Part::Void),
        _ => None,
    });
    end.unwrap();
    let voided = guest
        .deeds
        .all()
        .into_iter()
        .filter(|deed| *deed == Deed::Voided);
    assert_eq!(voided.count(), 1);
}

#[test]
fn other_masked_values_of_a_hand_that_was_shuffled_again_are_a_failed_check() {
    let (end, guest) = steals_from(|_, part| match part {
        Part::Reseal(reseal) => {
            let mut reseal = reseal.clone();
            reseal.masked[0] ^= 1;
            Some(Part::Reseal(reseal))
        }
        _ => None,
    });
    assert!(
        matches!(&end, Err(error @ PlayError::Seal(_)) if error.blame() == Blame::CheatOrConnection),
        "{end:?}"
    );
    // It has said that nothing is stolen, and the hand lies there as before.
    let log = guest.play.log();
    assert!(log.stolen_in().is_none() && log.resealed(0).is_none());
    assert!(matches!(log.phase(), Phase::Choose { .. }));
}

#[test]
fn a_stolen_card_that_is_opened_with_macs_that_do_not_fit_is_disputed() {
    // The commitment that was made anew fits, so nobody else can tell.
    let (end, guest) = steals_from(|log, part| match part {
        Part::Open(cards) if log.resealed(0).is_some() => {
            let mut cards = cards.clone();
            cards[0].macs[31] ^= 0x80;
            Some(Part::Open(cards))
        }
        _ => None,
    });
    end.unwrap();
    let Phase::Over(End::Stopped(stops)) = guest.play.log().phase() else {
        panic!("it is not over");
    };
    assert!(matches!(
        stops[..],
        [(Seat::GUEST, Stop::Dispute { step: _ })]
    ));
}
