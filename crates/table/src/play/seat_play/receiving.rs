//! Processing of received events: adding parts, checking seals, learning cards.

use dealerless_connection::storage::Storage;
use dealerless_connection::storage::Vault;
use rand::CryptoRng;

use super::super::error::PlayError;
use super::super::news::News;
use super::own_deck::OwnDeck;
use super::{HandState, Play};
use crate::log::{
    Accepted, CardOpening, Early, Evidence, LogEvent, LogMessage, Part, Phase, Refused, Signed,
    Statement, ToDo,
};
use crate::rules::Learners;
use crate::seat::Seat;

/// The connection on which a statement came.
#[derive(Clone, Copy)]
struct Source {
    from: Seat,
    /// Whether it was part of the history that the seat sends on a new connection.
    in_history: bool,
}

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Processes a message from the connection to `from`.
    pub(super) fn receive_message(&mut self, from: Seat, bytes: &[u8]) -> Result<(), PlayError> {
        let message = LogMessage::decode(bytes).map_err(|_| PlayError::NoMessage)?;
        let was_synced = self.is_synced();
        let Some(peer) = self.peers.get_mut(&from) else {
            return Ok(());
        };
        let was_complete = peer.history.is_complete();
        let source = Source {
            from,
            in_history: !was_complete,
        };
        let to_do = peer.history.receive(&self.setting.log, message);
        match to_do.map_err(PlayError::Resume)? {
            ToDo::Nothing => {}
            ToDo::Accept(part) => self.accept(source, Signed::Part(part), None)?,
            ToDo::AcceptStatement(Statement { before, signed }) => {
                self.accept(source, signed, Some(before))?;
            }
            ToDo::Convict(evidence) => self.convict(from, evidence)?,
            ToDo::RequestAll => {
                self.reload_log()?;
                self.send(from, LogMessage::RequestAll);
            }
            ToDo::SendAll => {
                self.reload_log()?;
                self.send_history_from(from, 0);
            }
            ToDo::SendFrom(step) => self.answer(from, step),
        }
        let peer = self.peers.get(&from);
        let is_heard = !was_complete && peer.is_some_and(|peer| peer.history.is_complete());
        if is_heard {
            self.heard.insert(from);
            self.merge(true)?;
        }
        if self.is_synced() && (!was_synced || is_heard && from == Seat::HOST) {
            self.finish_resume()?;
        }
        self.send_own_history()
    }

    /// Accepts the early statements whose steps the log has reached, up to the given step. Drops the
    /// connection to a seat whose statement is refused.
    pub(super) fn accept_early(&mut self, end: u64) -> Result<(), PlayError> {
        loop {
            let log = &self.setting.log;
            let next = Early::take(&mut self.early, log, end);
            let Some((from, Statement { before, signed })) = next else {
                return Ok(());
            };
            let source = Source {
                from,
                in_history: self.is_restarted && log.match_info().has_roll_calls(),
            };
            match self.accept_now(source, signed, Some(before)) {
                Err(error @ PlayError::Refused(_)) => {
                    self.early.remove(&from);
                    if self.peers.contains_key(&from) {
                        self.lose_connection(from);
                        self.failed.insert(from, error);
                    }
                }
                accepted => accepted?,
            }
        }
    }

    /// A seat whose connection was dropped because of an early statement, and the error.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn failed(&mut self) -> Option<(Seat, PlayError)> {
        self.failed.pop_first()
    }

    /// Queues a message for a connected seat.
    fn send(&mut self, to: Seat, message: LogMessage) {
        if let Some(peer) = self.peers.get_mut(&to) {
            peer.unsent.push(message);
        }
    }

    /// Queues a message that came from one seat for all other connected seats that have the history
    /// of this side. The history contains what is not forwarded.
    fn forward(&mut self, from: Seat, message: &LogMessage) {
        for (seat, peer) in &mut self.peers {
            if *seat != from && peer.has_own {
                peer.unsent.push(message.clone());
            }
        }
    }

    /// Requests the statements that this seat lacks from all connected seats, if it waits for another
    /// seat. A cheat can send a statement to some seats only.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn request_missing(&mut self) {
        let log = &self.setting.log;
        let waits = log
            .waits_for()
            .iter()
            .any(|seat| *seat != self.setting.seat);
        if !waits || log.match_info().seats() == 2 {
            return;
        }
        let request = LogMessage::RequestFrom(log.step());
        for peer in self.peers.values_mut() {
            if peer.has_own && peer.history.is_complete() {
                peer.unsent.push(request.clone());
            }
        }
    }

    /// Queues the statements from step `from` on for a connected seat, as far as no earlier request
    /// on this connection was answered with them.
    pub(super) fn answer(&mut self, to: Seat, from: u64) {
        let Some(peer) = self.peers.get_mut(&to).filter(|peer| peer.has_own) else {
            return;
        };
        let log = &self.setting.log;
        let (step, places) = &peer.answered;
        if from > log.step() {
            return;
        }
        let from = from.max(*step);
        let place = |statement: &Statement| (statement.signed.head(), statement.place());
        let is_new = |statement: &Statement| {
            let Statement { signed, .. } = statement;
            let is_due = signed.head().is_some() || signed.step() >= from;
            is_due && !places.contains(&place(statement))
        };
        let new: Vec<_> = log.statements(from).into_iter().filter(is_new).collect();
        let now = log.statements(log.step());
        peer.answered = (log.step(), now.iter().map(place).collect());
        peer.unsent
            .extend(new.into_iter().map(LogMessage::Statement));
    }

    /// Whether this seat passes on a new statement from this source. The host does so always. A guest
    /// passes on what another guest's history brings, because the host can lack it, too. Each seat passes
    /// on votes, so that a cut connection does not keep a refusal from those who signed the call.
    fn passes_on(&self, source: Source, signed: &Signed) -> bool {
        let is_host = self.setting.seat == Seat::HOST;
        let is_vote = matches!(signed, Signed::Vote(_));
        is_host || is_vote || source.in_history && source.from != Seat::HOST
    }

    /// Accepts a part or an ack. With more than two seats, `history` is the hash of the history for
    /// which it was signed. While this seat [merges](Self::is_merging) histories, it keeps all statements
    /// except those for complete steps, which no longer change.
    fn accept(
        &mut self,
        source: Source,
        signed: Signed,
        history: Option<[u8; 32]>,
    ) -> Result<(), PlayError> {
        let is_complete = signed.head().is_none() && signed.step() < self.setting.log.step();
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

    /// Keeps a statement that came from the connection to `from` and cannot be accepted yet.
    fn keep_early(&mut self, from: Seat, statement: Statement) -> Result<(), Refused> {
        let max = match self.is_merging() {
            true => Early::MAX_BYTES_AT_START,
            false => Early::MAX_BYTES,
        };
        let Statement { signed, .. } = &statement;
        let is_own = signed.head().is_none() && signed.seat() == self.setting.seat;
        let step = signed.step();
        let early = self.early.entry(from).or_default();
        early.keep(&self.setting.log, statement, max)?;
        self.signed_in = self.signed_in.max(is_own.then_some(step));
        Ok(())
    }

    fn accept_now(
        &mut self,
        source: Source,
        signed: Signed,
        history: Option<[u8; 32]>,
    ) -> Result<(), PlayError> {
        let (seat, step) = (signed.seat(), signed.step());
        let is_ahead = matches!(signed, Signed::Ahead(_));
        let before = self.setting.log.phase();
        let evidence = self.setting.log.evidence().len();
        let statement = history.map(|before| Statement {
            before,
            signed: signed.clone(),
        });
        let accepted = match statement.clone() {
            Some(statement) => self.setting.log.accept_statement(statement),
            None => self.setting.log.accept_signed(signed.clone()),
        };
        let is_new = match &accepted {
            Ok(accepted) => *accepted != Accepted::Known,
            Err(Refused::Foul(proof)) => self.setting.log.record_foul((**proof).clone()),
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
            self.forward(from, &LogMessage::Statement(statement.clone()));
        }
        let is_convicted = self.setting.log.is_convicted();
        let has_several = self.setting.log.match_info().seats() > 2;
        match accepted {
            Ok(Accepted::Known) => Ok(()),
            Ok(Accepted::Ack | Accepted::Ahead | Accepted::Void) => {
                self.keep(signed);
                self.report_confirmed_end();
                Ok(())
            }
            Ok(Accepted::Vote(events)) => {
                self.keep(signed.clone());
                // What it carries can conflict with another statement, which the others do not have.
                let proven = self.setting.log.evidence()[evidence..].to_vec();
                for evidence in proven {
                    let message = LogMessage::Evidence(Box::new(evidence));
                    self.forward(from, &message);
                    self.send(from, message);
                }
                match &signed {
                    Signed::Vote(vote) => self.after_their_vote(vote, events),
                    _ => Ok(()),
                }
            }
            Ok(Accepted::New(part, events)) => {
                self.keep(signed);
                self.after_part(seat, step, &part, &before, events)
            }
            // The log knows an earlier foul of the seat.
            Err(Refused::Foul(_)) if !is_new => Ok(()),
            Err(Refused::Foul(proof)) => {
                self.unwritten.push(Signed::Part(proof.part));
                self.write()?;
                self.report_end();
                Ok(())
            }
            // With several seats, a statement must not make this side read its file again. The seat can have
            // signed another one for this step; evidence of that contains both.
            Err(Refused::Forgotten { .. }) if has_several => Ok(()),
            // The match file still has the step.
            Err(Refused::Forgotten { .. }) if !self.setting.log.is_whole() => {
                self.reload_log()?;
                self.accept_now(source, signed, history)
            }
            // The others have removed this seat or the signer, which may not know it yet. Its history
            // and this one part there.
            Err(Refused::TooEarly { .. } | Refused::Over | Refused::OtherHistory { .. })
                if self.setting.log.is_removed() || self.setting.log.gone().contains(&seat) =>
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
            Err(Refused::OtherHistory { seat, step }) if seat == self.setting.seat && !is_ahead => {
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

    /// Adds an accepted part or ack to those that are not on the disk yet. One of this seat, which a
    /// restored file did not have, must be on the disk before it is sent again.
    fn keep(&mut self, signed: Signed) {
        self.owes_write |= signed.seat() == self.setting.seat;
        self.unwritten.push(signed);
    }

    /// Ends the match with evidence that came from the connection to `from`.
    fn convict(&mut self, from: Seat, evidence: Box<Evidence>) -> Result<(), PlayError> {
        let has_several = self.setting.log.match_info().seats() > 2;
        // With two seats, the match has ended. A convicted seat can send more forks.
        if self.setting.log.is_convicted() && !has_several {
            return Ok(());
        }
        let recorded = self.setting.log.record_fork((*evidence).clone());
        if !recorded.map_err(PlayError::NoEvidence)? {
            return Ok(());
        }
        self.write()?;
        self.setting.journal.append_evidence(&evidence)?;
        if has_several {
            let message = LogMessage::Evidence(evidence);
            self.forward(from, &message);
            // The seat may not know that the statements which it has sent prove this.
            self.send(from, message);
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
        let theirs = seat != self.setting.seat;
        if !theirs {
            self.player.forget_choice();
        }
        match (part, before) {
            (Part::Seal(seal), _) if theirs => {
                if let OwnDeck::Sealed(deck) = &mut self.deck {
                    deck.check_seal(seal);
                }
            }
            (Part::Open(cards), Phase::Open(openings)) if theirs => {
                let due = openings.iter().filter(|opening| opening.opener == seat);
                let learners = due.flat_map(|opening| &opening.cards);
                let learners = learners.map(|(_, learners)| *learners);
                let opened: Vec<_> = cards.iter().cloned().zip(learners).collect();
                self.learn(step, &opened)?;
            }
            _ => {}
        }
        self.queue_orders();
        self.report_end();
        Ok(())
    }

    /// Processes an event of this step and reports it to the player.
    pub(super) fn handle_event(&mut self, step: u64, event: LogEvent) -> Result<(), PlayError> {
        match &event {
            LogEvent::Begun(_) => self.hand.begin(&self.setting.log),
            LogEvent::Sealed { .. } => {
                self.report_sealed();
                return Ok(());
            }
            LogEvent::Void { .. } => self.hand = HandState::default(),
            LogEvent::Reshuffled { positions, .. } => self.hand.forget(positions),
            LogEvent::HandOver { outcome, .. } => {
                self.player.after_hand(outcome);
                // A crash must not undo the parts that opened cards of this hand.
                self.write()?;
                self.hand = HandState::default();
                self.setting.log.forget_older_hands();
            }
            _ => {}
        }
        let (setting, reports) = (&mut self.setting, &mut self.reports);
        match &mut self.deck {
            OwnDeck::Sealed(deck) => deck.handle_event(step, &event, &setting.log, setting.seat)?,
            OwnDeck::Verifiable(deck) => {
                deck.learn_opened(&event, setting, &mut self.hand, reports);
            }
        }
        reports.push(News::Log(event));
        Ok(())
    }

    /// Queues the orders that the engine of a sealed deck is due, once this seat may sign.
    pub(super) fn queue_orders(&mut self) {
        let is_synced = self.is_synced();
        if let OwnDeck::Sealed(deck) = &mut self.deck
            && is_synced
        {
            deck.queue_orders(&self.setting.log, self.setting.seat);
        }
    }

    /// Reports once that the deck is final. Before the host's first opening the try can still
    /// become void.
    pub(super) fn report_sealed(&mut self) {
        if self.setting.log.seal_hash().is_some() && self.hand.report_sealed() {
            let cost = match &mut self.deck {
                OwnDeck::Sealed(deck) => deck.take_cost(),
                OwnDeck::Verifiable(_) => None,
            };
            self.reports.push(News::Sealed { cost });
        }
    }

    /// Reports that the match is over. After a conviction with several seats, this waits until all
    /// remaining seats have confirmed the end of the log.
    pub(super) fn report_end(&mut self) {
        if self.setting.log.unconfirmed().is_empty() {
            self.report_unconfirmed_end();
        }
    }

    /// Reports once that the match is over, if an ack was the last confirmation after a conviction.
    pub(super) fn report_confirmed_end(&mut self) {
        if self.setting.log.is_convicted() && !self.reports.has_ended() {
            self.report_end();
        }
    }

    /// Reports that the match is over, even if the final chips can still change.
    pub(in crate::play) fn report_unconfirmed_end(&mut self) {
        if let Phase::Over(end) = self.setting.log.phase() {
            self.reports.end(end);
        }
    }

    /// Learns the cards of a sealed deck that another seat has opened to this one.
    pub(super) fn learn(
        &mut self,
        step: u64,
        cards: &[(CardOpening, Learners)],
    ) -> Result<(), PlayError> {
        let OwnDeck::Sealed(deck) = &mut self.deck else {
            return Ok(());
        };
        let setting = &mut self.setting;
        let own = [Learners::All, Learners::Seat(setting.seat)];
        for (card, learners) in cards.iter().filter(|(_, learners)| own.contains(learners)) {
            if let Some(face) = deck.learn(step, card, &setting.log)? {
                let position = usize::from(card.position);
                setting.note(position, face, *learners);
                self.hand.learn(position, face, &mut self.reports);
            }
        }
        Ok(())
    }
}
