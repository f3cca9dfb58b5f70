//! A host that cheats when a card is stolen from its hand.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use dealerless::Blame;
use dealerless_connection::identity::Identity;
use dealerless_table::Seat;
use dealerless_table::log::{
    Accepted, End, LogEvent, LogMessage, Match, MatchLog, Part, Phase, Stop,
};
use dealerless_table::play::{Command, Event, News, Outbox, PlayError};
use dealerless_table::rules::{Choice, Stakes, Variety};
use dealerless_table::testing::threads::{Side, Wire, both, wirings};

use super::shuffle_for;
use super::watched::{Action, Watched};

/// Returns the part that a host signs instead of the honest part; `None` to sign the honest part.
type Lie = fn(&MatchLog, &Part) -> Option<Part>;

/// A host that is honest until it lies.
struct Liar<'a> {
    wire: &'a mut Wire,
    identity: Arc<Identity>,
    /// The log as the guest sees it, with the lie instead of the honest part.
    log: MatchLog,
    lie: Lie,
    lied: Option<Part>,
}

impl Outbox for Liar<'_> {
    fn send(&mut self, to: Seat, message: Vec<u8>) -> std::io::Result<()> {
        let Ok(LogMessage::Part(signed)) = LogMessage::decode(&message) else {
            panic!("only parts are sent on a first connection");
        };
        let lie = match self.log.clone().accept(signed.clone()) {
            Ok(Accepted::New(part, _)) => (self.lie)(&self.log, &part),
            accepted => panic!("{accepted:?}"),
        };
        let Some(lie) = lie else {
            self.log.accept(signed).unwrap();
            return self.wire.send(to, message);
        };
        let (signed, _) = self.log.sign(&self.identity, Seat::HOST, &lie).unwrap();
        self.lied = Some(lie);
        self.wire.send(to, LogMessage::Part(signed).encode())
    }
}

impl Liar<'_> {
    /// Passes at each turn until the guest has ended the match. The host's own program does not
    /// know the lie, and cannot continue.
    fn pass(&mut self, events: &Receiver<Event>) {
        while !matches!(self.log.phase(), Phase::Over(_)) {
            if let Phase::Choose {
                seat: Seat::HOST, ..
            } = self.log.phase()
            {
                let pass = Part::Move(Choice::Pass);
                let (signed, _) = self.log.sign(&self.identity, Seat::HOST, &pass).unwrap();
                let bytes = LogMessage::Part(signed).encode();
                self.wire.send(Seat::GUEST, bytes).unwrap();
            }
            if let Event::Received(_, bytes) = events.recv().unwrap() {
                let Ok(LogMessage::Part(part)) = LogMessage::decode(&bytes) else {
                    return;
                };
                self.log.accept(part).unwrap();
            }
        }
    }
}

/// Plays a host that draws a card and then lies.
fn run_lying_host(mut host: Side, info: &Match, lie: Lie) {
    let Side { play, wiring } = &mut host;
    let mut liar = Liar {
        wire: &mut wiring.wire,
        identity: wiring.identity.clone(),
        log: MatchLog::new(info.clone(), Seat::HOST),
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
            // After `Void` the guest need not reseal, and sends nothing.
            Some(Part::Void) => return,
            Some(Part::Open(_)) => return liar.pass(&wiring.events),
            _ => {}
        }
        let event = wiring.events.recv().unwrap();
        if let Event::Received(_, bytes) = &event {
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

/// Plays a guest that steals from a lying host. Returns the result, and the guest.
fn steal_from(lie: Lie) -> (Result<(), PlayError>, Watched) {
    let variety = Variety::Deck {
        cards: 25,
        drawn: 8,
    };
    let stakes = Stakes::new(variety, 2, 1).unwrap();
    let (wirings, info) = wirings(&stakes, &shuffle_for(&stakes));
    let ends = both(wirings, |wiring| {
        if wiring.seat == Seat::HOST {
            run_lying_host(Side::new(wiring, &info), &info, lie);
            return None;
        }
        let mut guest = Watched::new(wiring, &MatchLog::new(info.clone(), Seat::GUEST));
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
fn cancelled_steal_after_the_engines_ran_counts_as_an_attempt() {
    let (end, guest) = steal_from(|_, part| match part {
        Part::Reseal(_) => Some(Part::Void),
        _ => None,
    });
    end.unwrap();
    let voided = guest
        .actions
        .all()
        .into_iter()
        .filter(|action| *action == Action::Voided);
    assert_eq!(voided.count(), 1);
}

#[test]
fn false_masked_values_of_a_reshuffled_hand_fail_the_check() {
    let (end, guest) = steal_from(|_, part| match part {
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
    // The steal is cancelled, and the hand is unchanged.
    let log = guest.play.log();
    assert!(log.stolen_in().is_none() && log.resealed(0).is_none());
    assert!(matches!(log.phase(), Phase::Choose { .. }));
}

#[test]
fn stolen_card_opened_with_invalid_macs_is_disputed() {
    // The new commitment is valid, so only the guest can detect the invalid MACs.
    let (end, guest) = steal_from(|log, part| match part {
        Part::Open(cards) if log.resealed(0).is_some() => {
            let mut cards = cards.clone();
            cards[0].macs[31] ^= 0x80;
            Some(Part::Open(cards))
        }
        _ => None,
    });
    end.unwrap();
    let Phase::Over(End::Stopped(stops)) = guest.play.log().phase() else {
        panic!("the match is not over");
    };
    assert!(matches!(
        stops[..],
        [(Seat::GUEST, Stop::Dispute { step: _ })]
    ));
}
