//! A seat accepts received statements and evidence, and acts on each part that its log accepts.

use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;

use super::super::error::PlayError;
use super::super::news::News;
use super::Play;
use super::exchange::Source;
use super::own_deck::OwnDeck;
use super::reports::HandState;
use crate::log::{
    Accepted, Evidence, LogEvent, LogMessage, Part, Phase, Refused, Signed, Statement,
};
use crate::seat::Seat;

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Accepts a part or an ack. With more than two seats, `history` is the hash of the history for
    /// which it was signed. While this seat [merges](Self::is_merging) histories, it keeps all statements
    /// except those for complete steps, which no longer change.
    pub(super) fn accept(
        &mut self,
        source: Source,
        signed: Signed,
        history: Option<[u8; 32]>,
    ) -> Result<(), PlayError> {
        let is_complete = signed.head().is_none() && signed.step() < self.own.log.step();
        match history.filter(|_| self.is_merging() && !is_complete) {
            Some(before) => {
                let statement = Statement { before, signed };
                let mut kept = self.keep_early(source.from, statement.clone());
                if matches!(kept, Err(Refused::TooEarly { .. })) {
                    self.merge_signed_steps()?;
                    if !self.is_merging() {
                        return self.accept_now(source, statement.signed, history);
                    }
                    kept = self.keep_early(source.from, statement);
                }
                kept.map_err(PlayError::Refused)
            }
            None => self.accept_now(source, signed, history),
        }
    }

    pub(super) fn accept_now(
        &mut self,
        source: Source,
        signed: Signed,
        history: Option<[u8; 32]>,
    ) -> Result<(), PlayError> {
        let (seat, step) = (signed.seat(), signed.step());
        let is_ahead = matches!(signed, Signed::Ahead(_));
        let before = self.own.log.phase();
        let evidence = self.own.log.evidence().len();
        let statement = history.map(|before| Statement {
            before,
            signed: signed.clone(),
        });
        let accepted = match statement.clone() {
            Some(statement) => self.own.log.accept_statement(statement),
            None => self.own.log.accept_signed(signed.clone()),
        };
        let is_new = match &accepted {
            Ok(accepted) => *accepted != Accepted::Known,
            Err(Refused::Foul(proof)) => self.own.log.record_foul((**proof).clone()),
            // It has ended the ahead chain. The second time it is known.
            Err(Refused::Ahead { .. }) => true,
            Err(Refused::OtherHistory { .. }) => is_ahead,
            Err(_) => false,
        };
        // Every seat must learn of a foul, and of what has ended an ahead chain.
        let concerns_all = accepted.is_err();
        let from = source.from;
        if is_new
            && (concerns_all || self.passes_on(source, &signed))
            && let Some(statement) = &statement
        {
            self.exchange
                .forward(from, &LogMessage::Statement(statement.clone()));
        }
        let is_convicted = self.own.log.is_convicted();
        let has_several = self.has_several();
        match accepted {
            Ok(Accepted::Known) => Ok(()),
            Ok(Accepted::Ack | Accepted::Ahead | Accepted::Void) => {
                self.own.keep(signed);
                self.report_confirmed_end();
                Ok(())
            }
            Ok(Accepted::Vote(events)) => {
                self.own.keep(signed.clone());
                // What it carries can conflict with another statement, which the others do not have.
                let proven = self.own.log.evidence()[evidence..].to_vec();
                for evidence in proven {
                    let message = LogMessage::Evidence(Box::new(evidence));
                    self.exchange.forward(from, &message);
                    self.exchange.send(from, message);
                }
                match &signed {
                    Signed::Vote(vote) => self.after_their_vote(vote, events),
                    _ => Ok(()),
                }
            }
            Ok(Accepted::New(part, events)) => {
                self.own.keep(signed);
                self.after_part(seat, step, &part, &before, events)
            }
            // The log knows an earlier foul of the seat.
            Err(Refused::Foul(_)) if !is_new => Ok(()),
            Err(Refused::Foul(proof)) => {
                self.own.keep(Signed::Part(proof.part));
                self.own.write()?;
                self.report_end();
                Ok(())
            }
            // With several seats, a statement must not make this side read its file again. The seat can have
            // signed another one for this step; evidence of that contains both.
            Err(Refused::Forgotten { .. }) if has_several => Ok(()),
            // The match file still has the step.
            Err(Refused::Forgotten { .. }) if !self.own.log.is_whole() => {
                self.own.reload_log()?;
                self.accept_now(source, signed, history)
            }
            // The others have removed this seat or the signer, which may not know it yet. Its history
            // and this one part there.
            Err(Refused::TooEarly { .. } | Refused::Over | Refused::OtherHistory { .. })
                if self.own.log.is_removed() || self.own.log.gone().contains(&seat) =>
            {
                Ok(())
            }
            Err(refused @ Refused::TooEarly { .. }) => {
                let statement = statement.ok_or(PlayError::Refused(refused))?;
                match self.keep_early(from, statement) {
                    Err(_) if is_convicted => Ok(()),
                    kept => kept.map_err(PlayError::Refused),
                }
            }
            // The evidence contains a statement of this log, so it is valid.
            Err(Refused::Fork(evidence)) => self.convict(from, evidence),
            // The seat signed this before it learned that the match is over, or after its history
            // and this one parted.
            Err(Refused::Over | Refused::OtherHistory { .. }) if is_convicted => Ok(()),
            // Another statement of this seat would convict it.
            Err(Refused::OtherHistory { seat, step }) if seat == self.own.seat && !is_ahead => {
                Err(PlayError::OwnHistory { step })
            }
            // A shuffle that the next hand cannot use. It delays nobody.
            Err(
                Refused::OtherChain(_)
                | Refused::Ahead { .. }
                | Refused::OtherHistory { .. }
                | Refused::Over,
            ) if is_ahead => Ok(()),
            Err(refused) => Err(PlayError::Refused(refused)),
        }
    }

    /// Ends the match with evidence that came from the connection to `from`.
    pub(super) fn convict(&mut self, from: Seat, evidence: Box<Evidence>) -> Result<(), PlayError> {
        let has_several = self.has_several();
        // With two seats, the match has ended. A convicted seat can send more forks.
        if self.own.log.is_convicted() && !has_several {
            return Ok(());
        }
        let recorded = self.own.log.record_fork((*evidence).clone());
        if !recorded.map_err(PlayError::NoEvidence)? {
            return Ok(());
        }
        self.own.write_evidence(&evidence)?;
        if has_several {
            let message = LogMessage::Evidence(evidence);
            self.exchange.forward(from, &message);
            // The seat may not know that the statements which it has sent prove this.
            self.exchange.send(from, message);
        }
        self.report_end();
        Ok(())
    }

    /// Reacts to a part that was added to the log. The log was in the phase `before`, and the part
    /// caused `events`.
    pub(super) fn after_part(
        &mut self,
        seat: Seat,
        step: u64,
        part: &Part,
        before: &Phase,
        events: Vec<LogEvent>,
    ) -> Result<(), PlayError> {
        for event in events {
            self.handle_event(step, event)?;
        }
        if seat == self.own.seat {
            self.own.player.forget_choice();
        } else if let OwnDeck::Sealed(deck) = &mut self.deck {
            deck.receive_part(seat, step, part, before, &mut self.own)?;
        }
        self.queue_orders();
        self.report_end();
        Ok(())
    }

    /// Processes an event of this step and reports it to the player.
    pub(super) fn handle_event(&mut self, step: u64, event: LogEvent) -> Result<(), PlayError> {
        match &event {
            LogEvent::Begun(_) => self.own.begin_hand(),
            LogEvent::Void { .. } => self.own.hand = HandState::default(),
            LogEvent::Reshuffled { positions, .. } | LogEvent::Mixed { positions, .. } => {
                self.own.hand.forget(positions);
            }
            LogEvent::HandOver { outcome, .. } => {
                self.own.player.after_hand(outcome);
                // A crash must not undo the parts that opened cards of this hand.
                self.own.write()?;
                self.own.hand = HandState::default();
                self.own.log.forget_older_hands();
            }
            _ => {}
        }
        match &mut self.deck {
            OwnDeck::Sealed(deck) => deck.handle_event(step, &event, &mut self.own)?,
            OwnDeck::Verifiable(deck) => deck.handle_event(&event, &mut self.own),
        }
        if !matches!(event, LogEvent::Sealed { .. }) {
            self.report(News::Log(event));
        }
        Ok(())
    }
}
