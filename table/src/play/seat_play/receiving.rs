//! What a seat does with what it hears: it takes parts in, checks seals, learns cards.

use dealerless::deck::{self, Card};
use rand::CryptoRng;
use zeroize::Zeroizing;

use super::super::cost::{DealCost, Spent};
use super::super::deck::Shuffled;
use super::super::error::PlayError;
use super::super::hand_cards::HandCards;
use super::super::news::News;
use super::super::vault::Vault;
use super::{Play, Trouble};
use crate::log::{
    Accepted, CardOpening, LogEvent, LogMessage, Part, Phase, Refused, Seal, Seen, SignedPart,
    Storage, ToDo,
};
use crate::rules::Learners;
use crate::seat::Seat;

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// The engine has shuffled.
    pub(super) fn keep(
        &mut self,
        shuffled: Box<dyn Shuffled>,
        spent: Spent,
    ) -> Result<(), PlayError> {
        // The engine does what it is told in that order, and so it is told what it has done.
        let Some(connected) = &mut self.connected else {
            return Ok(());
        };
        if connected.stale > 0 {
            connected.stale -= 1;
            return Ok(());
        }
        if matches!(self.set.log.phase(), Phase::Over(_)) {
            return Ok(());
        }
        connected.run.live = true;
        let mut secret = Zeroizing::new([0; 32]);
        self.set.rng.fill_bytes(&mut *secret);
        let deck = shuffled.seated(self.set.log.attempt(), self.set.seat, secret);
        let deck = HandCards::new(deck);
        // Before the seal is said.
        self.keep_hand(&deck.to_bytes(), None)?;
        self.hand.deck = Some(deck);
        self.hand.shuffle = Some(spent);
        // The host's seal may have been faster.
        if let Some(seal) = self.set.log.seals().first().cloned() {
            self.check_seal(&seal);
        }
        Ok(())
    }

    /// Another seat has sent a message.
    pub(super) fn hear_message(&mut self, bytes: &[u8]) -> Result<(), PlayError> {
        let message = LogMessage::decode(bytes).map_err(|_| PlayError::NoMessage)?;
        let Some(connected) = &mut self.connected else {
            return Ok(());
        };
        let knew = connected.told.is_complete();
        let to_do = connected.told.receive(&self.set.log, message);
        match to_do.map_err(PlayError::Resume)? {
            ToDo::Nothing => {}
            ToDo::Accept(part) => self.take(part)?,
            ToDo::RequestAll => {
                self.recall()?;
                if let Some(connected) = &mut self.connected {
                    connected.unsent.push(LogMessage::RequestAll);
                }
            }
            ToDo::SendAll => {
                self.recall()?;
                self.tell_from(0);
            }
        }
        match !knew && self.is_synced() {
            true => self.resumed(),
            false => Ok(()),
        }
    }

    fn take(&mut self, signed: SignedPart) -> Result<(), PlayError> {
        let seat = signed.seat;
        let before = self.set.log.phase();
        match self.set.log.accept(signed.clone()) {
            Ok(Accepted::Known) => Ok(()),
            Ok(Accepted::New(part, events)) => {
                let step = signed.step;
                self.unwritten.push(signed);
                self.added(seat, step, &part, &before, events)
            }
            Err(Refused::Foul(proof)) => {
                self.unwritten.push(proof.part.clone());
                self.set.log.record_foul(*proof);
                self.write()?;
                self.over();
                Ok(())
            }
            // Its file still has the step.
            Err(Refused::Forgotten { .. }) if !self.set.log.is_whole() => {
                self.recall()?;
                self.take(signed)
            }
            // A match ends once, and so does its record: who is convicted may say more of that kind on
            // each line.
            Err(Refused::Fork(_)) if self.set.log.is_convicted() => Ok(()),
            Err(Refused::Fork(evidence)) => {
                self.write()?;
                self.set.journal.append_evidence(&evidence)?;
                // It was made of this log's own part.
                let _ = self.set.log.record_fork(*evidence);
                self.over();
                Ok(())
            }
            // What was said after the end of which only this side knows.
            Err(Refused::Over) if self.set.log.is_convicted() => Ok(()),
            Err(refused) => Err(PlayError::Refused(refused)),
        }
    }

    /// A part has been added to the log, which was in the phase `before`, and this is what it brought about.
    pub(super) fn added(
        &mut self,
        seat: Seat,
        step: u64,
        part: &Part,
        before: &Phase,
        events: Vec<LogEvent>,
    ) -> Result<(), PlayError> {
        for event in events {
            self.happened(step, event)?;
        }
        let theirs = seat != self.set.seat;
        match (part, before) {
            (Part::Seal(seal), _) if theirs => self.check_seal(seal),
            (Part::Open(cards), Phase::Open(openings)) if theirs => {
                let due = openings.iter().filter(|opening| opening.opener == seat);
                let learners = due.flat_map(|opening| &opening.cards);
                let learners = learners.map(|(_, learners)| *learners);
                let opened: Vec<_> = cards.iter().cloned().zip(learners).collect();
                self.learn(step, &opened)?;
            }
            _ => {}
        }
        self.note_due();
        self.over();
        Ok(())
    }

    /// Takes in an event of this step, and tells the player.
    pub(super) fn happened(&mut self, step: u64, event: LogEvent) -> Result<(), PlayError> {
        match &event {
            LogEvent::Begun(_) => {
                let (_, drawn) = self.set.log.match_info().header().stakes.deck();
                self.hand.known = vec![None; drawn];
            }
            LogEvent::Sealed { .. } => {
                self.tell_sealed();
                return Ok(());
            }
            LogEvent::Void { seat } => {
                self.voided += u32::from(*seat != self.set.seat);
                if let Some(connected) = &mut self.connected {
                    let runs = connected.run.ordered && self.hand.deck.is_none();
                    connected.stale += usize::from(runs);
                }
                // What is wrong with a seal is told once all have heard that the try is void.
                self.end_try();
            }
            LogEvent::NotStolen { seat } => {
                // The choice lies one step or two before. If the engines ran for it, this is one more
                // run that did not end well.
                let ran = |choice| step <= choice + 2;
                let theirs = *seat != self.set.seat;
                let reshuffled = self.connected.as_ref().and_then(|now| now.run.reshuffled);
                self.voided += u32::from(theirs && reshuffled.is_some_and(ran));
                self.settled(&[]);
            }
            LogEvent::Reshuffled { positions, .. } => self.settled(positions),
            LogEvent::HandOver { outcome, .. } => {
                self.paused = self.pauses && !outcome.shown.is_empty();
                // What was said of its cards is not to be taken back after a crash.
                self.write()?;
                // After a state was put back the vault may hold that of a later hand.
                if self.hand.deck.is_some() {
                    self.destroy_deck()?;
                }
                // What failed a check is told when all have signed the result.
                self.end_try();
                self.set.log.forget_older_hands();
            }
            _ => {}
        }
        self.news.push_back(News::Log(event));
        Ok(())
    }

    /// Tells once that the deck is sealed. Before the host's first opening the try can still be void.
    pub(super) fn tell_sealed(&mut self) {
        let sealed = self.set.log.seal_hash().is_some();
        if sealed && !std::mem::replace(&mut self.hand.told_sealed, true) {
            let cost = self.hand.shuffle.take().map(|shuffle| DealCost {
                shuffle,
                prepared: std::mem::take(&mut self.made_ahead),
                ands: self.set.circuit.joint_ands(),
            });
            self.news.push_back(News::Sealed { cost });
        }
    }

    /// Tells once that the match is over.
    pub(super) fn over(&mut self) {
        if let Phase::Over(end) = self.set.log.phase()
            && !self.news.iter().any(|news| matches!(news, News::Over(_)))
        {
            self.news.push_back(News::Over(end));
        }
    }

    /// Checks what another seat has sealed: the masked values, and that its seeds are in range.
    pub(super) fn check_seal(&mut self, seal: &Seal) {
        let checked = self.hand.deck.as_mut().map(|deck| deck.check(seal));
        if let Some(Err(error)) = checked {
            self.hand.trouble = Some(Trouble::Seal(error));
        }
    }

    /// Notes a card in the file that only this seat has seen: the log alone never shows it.
    fn note(&mut self, position: usize, card: Card, learners: Learners) {
        if learners == Learners::Seat(self.set.seat) {
            let log = &self.set.log;
            self.set.journal.note(&Seen {
                attempt: log.attempt(),
                position: position as u16,
                since: log.resealed(position).map_or(0, |(step, _)| step),
                card,
                wide: log.match_info().header().stakes.word_bits() > u16::BITS,
            });
        }
    }

    /// Learns what another seat has opened to this one. A share that opens its commitment but whose
    /// MACs do not fit is no proof for others: this seat disputes it.
    pub(super) fn learn(
        &mut self,
        step: u64,
        cards: &[(CardOpening, Learners)],
    ) -> Result<(), PlayError> {
        for (card, learners) in cards {
            let mine = [Learners::All, Learners::Seat(self.set.seat)].contains(learners);
            let Some(deck) = self.hand.deck.as_mut().filter(|_| mine) else {
                continue;
            };
            match deck.learn(&self.set.log, card) {
                Ok(face) => {
                    let position = usize::from(card.position);
                    self.hand.known[position] = Some(face);
                    self.note(position, face, *learners);
                    let card = face;
                    self.news.push_back(News::Card { position, card });
                }
                Err(error @ deck::Error::Check(_)) => self.note_bad_macs(step, error),
                Err(error) => return Err(PlayError::Engine(error)),
            }
        }
        Ok(())
    }
}
