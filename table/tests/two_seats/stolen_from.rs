//! A host that lies when a card is stolen out of its hand.

use std::sync::Arc;

use dealerless_table::{
    Choice, Command, Event, Identity, LogMessage, Match, MatchLog, News, Outbox, Part, Phase,
    PlayError, Reseal, Seat, Stakes, Taken, Variety,
};

use crate::seats::{Side, Wire, both, wirings};
use crate::shuffle_for;
use crate::watched::{Deed, Watched};

/// A host that follows the protocol, and says something else in place of its `Reseal`.
struct Liar<'a> {
    wire: &'a mut Wire,
    identity: Arc<Identity>,
    /// What both have said.
    log: MatchLog,
    lie: fn(Reseal) -> Part,
    lied: Option<Part>,
}

impl Outbox for Liar<'_> {
    fn send(&mut self, message: Vec<u8>) -> std::io::Result<()> {
        let Ok(LogMessage::Part(signed)) = LogMessage::decode(&message) else {
            panic!("nothing else is sent on a first line");
        };
        let lie = match self.log.clone().take(signed.clone()) {
            Ok(Taken::New(Part::Reseal(reseal))) => (self.lie)(reseal),
            taken => {
                taken.unwrap();
                self.log.take(signed).unwrap();
                return self.wire.send(message);
            }
        };
        let signed = self.log.say(&self.identity, Seat::HOST, &lie).unwrap();
        self.lied = Some(lie);
        self.wire.send(LogMessage::Part(signed).encode())
    }
}

/// Draws a card as the host, which then does not go on behind its lie.
fn host_that_lies(mut host: Side, of: &Match, lie: fn(Reseal) -> Part) {
    let Side { play, wiring } = &mut host;
    let mut liar = Liar {
        wire: &mut wiring.wire,
        identity: wiring.identity.clone(),
        log: MatchLog::new(of.clone()),
        lie,
        lied: None,
    };
    loop {
        play.go_on(&mut liar, &mut wiring.dealer).unwrap();
        while let Some(news) = play.news() {
            if let News::YourTurn { .. } = news {
                play.command(Command::Choose(Choice::Draw)).unwrap();
                play.go_on(&mut liar, &mut wiring.dealer).unwrap();
            }
        }
        // The guest says no more where it need not seal anything.
        if matches!(liar.lied, Some(Part::Void)) {
            return;
        }
        let event = wiring.events.recv().unwrap();
        if let Event::Said(bytes) = &event {
            let Ok(LogMessage::Part(part)) = LogMessage::decode(bytes) else {
                return;
            };
            liar.log.take(part).unwrap();
            if liar.lied.is_some() {
                return;
            }
        }
        play.hear(event).unwrap();
    }
}

/// How a guest goes on that steals from a host that lies.
fn steals_from(lie: fn(Reseal) -> Part) -> (Result<(), PlayError>, Watched) {
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
                guest.go_on()?;
                while let Some(news) = guest.play.news() {
                    match news {
                        News::YourTurn { .. } => {
                            let steal = Choice::Steal(Seat::HOST);
                            guest.play.command(Command::Choose(steal)).unwrap();
                            guest.go_on()?;
                        }
                        News::NotStolen { .. } => return guest.go_on(),
                        _ => {}
                    }
                }
                guest.hear()?;
            }
        };
        let end = steal();
        Some((end, guest))
    });
    ends.into_iter().flatten().next().unwrap()
}

#[test]
fn a_host_that_says_a_hand_is_not_stolen_from_after_the_engines_ran_has_made_an_attempt() {
    let (end, guest) = steals_from(|_| Part::Void);
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
    let (end, guest) = steals_from(|mut reseal| {
        reseal.masked[0] ^= 1;
        Part::Reseal(reseal)
    });
    assert!(
        matches!(&end, Err(error @ PlayError::Seal(_)) if error.is_failed_check()),
        "{end:?}"
    );
    // It has said that nothing is stolen, and the hand lies there as before.
    let log = guest.play.log();
    assert!(log.stolen_in().is_none() && log.resealed(0).is_none());
    assert!(matches!(log.phase(), Phase::Choose { .. }));
}
