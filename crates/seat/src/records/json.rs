//! Records, their comparisons and their hands as JSON.

use std::collections::BTreeMap;

use dealerless_connection::hex;
use dealerless_connection::identity::Name;
use dealerless_table::Seat;
use dealerless_table::log::{
    Chosen, Claim, Claimed, Face, LogEvent, MatchId, Member, Stop, Unsettled,
};
use dealerless_table::record::{
    BadRecord, Compared, MatchState, Payment, Record, RecordedHand, RecordedTable, payments,
};
use dealerless_table::rules::Learners;
use serde_json::{Value, json};

use super::verify::{Pair, Read};
use super::words::{self, Dispute, Who};
use crate::cards::CardNames;
use crate::command::Said;
use crate::ending::due;
use crate::game_name;
use crate::seated::{Kind, Missing};
use crate::story::pending;

pub(super) fn of_file(read: &Read) -> Value {
    match &read.record {
        Err(error) => json!({ "file": read.file, "error": of_error(error) }),
        Ok(record) => json!({ "file": read.file, "record": of_record(record) }),
    }
}

fn of_error(error: &BadRecord) -> Value {
    let place = error.place();
    let evidence = error.evidence();
    json!({
        "message": words::bad(error),
        "hand": place.map(|place| place.hand),
        "step": place.map(|place| place.step),
        "byte": place.map(|place| place.at),
        "cheat": evidence.map(|evidence| evidence.seat().number()),
        "evidence": evidence.map(|evidence| hex(&evidence.encode())),
    })
}

pub(super) fn of_record(record: &Record) -> Value {
    let state = record.state();
    let who = Who::of(record);
    let players = record.log.match_info().players().iter();
    let fingerprints: Vec<String> = players
        .map(|player| player.identity.fingerprint().to_string())
        .collect();
    let waits_for = pending(&record.log).0.into_iter();
    let waits_for: Vec<u8> = waits_for.map(Seat::number).collect();
    let stakes = &record.log.match_info().header().stakes;
    json!({
        "match": hex(record.log.match_info().id().as_bytes()),
        "owner": record.owner.number(),
        "names": record.names.iter().map(Name::as_str).collect::<Vec<_>>(),
        "called": who.all(),
        "fingerprints": fingerprints,
        "game": game_name::title(stakes),
        "kinds": Kind::of(stakes),
        "hands": record.played(),
        "of": stakes.hands(),
        "steps": record.log.step(),
        "state": if matches!(state, MatchState::Over(_)) { "over" } else { "open" },
        "waits_for": waits_for,
        "gone": words::gone(record).iter().map(|seat| seat.number()).collect::<Vec<_>>(),
        "message": words::state(&who, record),
        "due": (!waits_for.is_empty()).then(|| due(&record.log)),
        "unsettled": record.log.unsettled().map(|unsettled| of_unsettled(&unsettled)),
        "cheat": words::convicted(&state).map(Seat::number),
        "breach": words::is_breach(&state),
        "disputes": Dispute::all(record).iter().map(of_dispute).collect::<Vec<_>>(),
        "continues": record.log.match_info().header().past().map(|past| json!({
            "match": hex(past.match_id.as_bytes()),
            "steps": past.steps,
            "stacks": record.log.match_info().first_stacks(),
            "without": Missing::all(past),
        })),
        "stacks": record.log.final_stacks(),
        "bought": record.bought(),
        "notes": record.notes,
        "claims": record.claims.iter().map(|claim| of_claim(record, claim)).collect::<Vec<_>>(),
        "torn": record.torn,
        "unproven": if record.read_by_owner { Vec::new() } else { vec!["owner", "names", "notes", "claims"] },
    })
}

/// The state of a hand without a signed result, as its signed parts decide it.
fn of_unsettled(unsettled: &Unsettled) -> Value {
    match unsettled {
        Unsettled::Decided(outcome) => json!({ "decided": true, "stacks": outcome.stacks }),
        Unsettled::Undecided { pot } => json!({ "decided": false, "pot": pot }),
    }
}

/// A dispute: the seat that raised it, the seats that opened the cards, and the chips in the pot.
fn of_dispute(dispute: &Dispute) -> Value {
    let against: Vec<u8> = dispute.against.iter().map(|seat| seat.number()).collect();
    json!({
        "by": dispute.by.number(),
        "against": against,
        "step": dispute.step,
        "pot": dispute.pot,
    })
}

/// A claim by the owner of a file. The claim is void if the seat in it has signed the step, or if
/// the match has continued.
fn of_claim(record: &Record, claim: &Claim) -> Value {
    let what = match claim.what {
        Claimed::OutOfTime => "out-of-time",
        Claimed::Closed => "closed",
        Claimed::Away => "away",
        Claimed::Back => "back",
        _ => "other",
    };
    json!({
        "what": what,
        "step": claim.step,
        "seat": claim.seat.number(),
        "time": claim.time,
        "void": !claim.is_valid(&record.log),
    })
}

/// A table: its matches, its list of players, and who owes whom.
pub(super) fn of_table(table: &RecordedTable) -> Value {
    let ids = |of: &[MatchId]| of.iter().map(|of| hex(of.as_bytes())).collect::<Vec<_>>();
    let members: Vec<Member> = table.list.iter().map(|(_, member)| *member).collect();
    let player = |(name, member): &(Name, Member)| {
        json!({
            "fingerprint": member.player.to_string(),
            "name": name.as_str(),
            "chips": member.chips,
            "bought": member.bought,
            "won": i128::from(member.chips) - i128::from(member.bought),
        })
    };
    let payments = payments(&members).into_iter();
    let payment = |due: Payment| json!({ "from": due.from, "to": due.to, "chips": due.chips });
    let twice = table.twice.iter().map(ToString::to_string);
    json!({
        "table": hex(table.id.as_bytes()),
        "matches": ids(&table.matches),
        "missing": ids(&table.missing),
        "broken": ids(&table.broken),
        "players": table.list.iter().map(player).collect::<Vec<_>>(),
        "payments": payments.map(payment).collect::<Vec<_>>(),
        "twice": twice.collect::<Vec<_>>(),
    })
}

/// A comparison with the places of the two files in `records`.
pub(super) fn of_pair(pair: &Pair) -> Value {
    let mut value = of_both(&pair.compared);
    value["files"] = json!(pair.files);
    value
}

pub(super) fn of_both(compared: &Compared) -> Value {
    match compared {
        Compared::Together {
            more,
            renamed,
            same_owner,
        } => json!({
            "how": "together",
            "more": more,
            "renamed": renamed.iter().map(|seat| seat.number()).collect::<Vec<_>>(),
            "same_owner": same_owner,
        }),
        Compared::OtherMatch => json!({ "how": "other-match" }),
        Compared::SameTable => json!({ "how": "same-table" }),
        Compared::Continues {
            agrees,
            unsigned,
            beyond,
        } => {
            let numbers =
                |seats: &[Seat]| seats.iter().map(|seat| seat.number()).collect::<Vec<_>>();
            let mut compared = json!({ "how": "continues", "agrees": agrees });
            for (field, seats) in [("unsigned", unsigned), ("beyond", beyond)] {
                if !seats.is_empty() {
                    compared[field] = json!(numbers(seats));
                }
            }
            compared
        }
        Compared::Forked { hand, evidence } => json!({
            "how": "forked",
            "hand": hand,
            "step": evidence.step(),
            "cheat": evidence.seat().number(),
            "evidence": hex(&evidence.encode()),
        }),
        _ => json!({ "how": "different" }),
    }
}

pub(super) fn of_hand(hand: &RecordedHand, names: &CardNames) -> Value {
    let faces = |cards: &BTreeMap<usize, dealerless::deck::Card>| -> BTreeMap<usize, String> {
        let face = |(&position, &card): (&usize, &_)| (position, names.at(position, card));
        cards.iter().map(face).collect()
    };
    let posts = hand.begun.posts.iter();
    let posts: Vec<Value> = posts
        .map(|post| json!({ "seat": post.seat.number(), "chips": post.chips }))
        .collect();
    let numbers = |seats: &[Seat]| -> Vec<u8> { seats.iter().map(|seat| seat.number()).collect() };
    let events: Vec<Value> = hand
        .events
        .iter()
        .map(|event| of_event(event, names))
        .collect();
    json!({
        "hand": hand.begun.hand,
        "step": hand.step,
        "button": hand.begun.button.number(),
        "stacks": hand.begun.stacks,
        "rebuys": numbers(&hand.begun.rebuys),
        "voided": numbers(&hand.voided),
        "posts": posts,
        "sealed": hand.seal.is_some(),
        "seal": hand.seal.map(|seal| hex(&seal)),
        "events": events,
        "held": hand.held,
        "public": faces(&hand.public),
        "seen": faces(&hand.seen),
        "over": hand.outcome.is_some(),
        "stacks_after": hand.outcome.as_ref().map(|outcome| &outcome.stacks),
    })
}

fn of_event(event: &LogEvent, names: &CardNames) -> Value {
    let faces = |cards: &[Face]| -> Vec<String> {
        cards.iter().map(|face| names.name(face.card)).collect()
    };
    match event {
        LogEvent::Dealt { seat, positions } => {
            json!({ "event": "dealt", "seat": seat.number(), "positions": positions })
        }
        LogEvent::Board(cards) => json!({ "event": "board", "cards": faces(cards) }),
        LogEvent::Shown { seat, cards } => {
            json!({ "event": "shown", "seat": seat.number(), "cards": faces(cards) })
        }
        LogEvent::Opened { position, to, .. } => {
            json!({ "event": "opened", "position": position, "to": of_learners(*to) })
        }
        LogEvent::Chose(chosen) => of_choice(chosen),
        LogEvent::NotStolen { seat } => {
            json!({ "event": "not-stolen", "seat": seat.number() })
        }
        LogEvent::Reshuffled {
            seat, positions, ..
        } => {
            json!({ "event": "reshuffled", "seat": seat.number(), "positions": positions })
        }
        LogEvent::Rolled(rolled) => json!({
            "event": "rolled",
            "seat": rolled.by.number(),
            "dice": rolled.dice.to_string(),
            "faces": rolled.faces,
        }),
        LogEvent::Mixed { seat, positions } => {
            json!({ "event": "mixed", "seat": seat.number(), "positions": positions })
        }
        LogEvent::Stolen(stolen) => json!({
            "event": "stolen",
            "seat": stolen.thief.number(),
            "from": stolen.owner.number(),
            "position": stolen.position,
        }),
        LogEvent::Returned { seat, chips } => {
            json!({ "event": "returned", "seat": seat.number(), "chips": chips })
        }
        LogEvent::Removed { seats } => {
            let seats: Vec<u8> = seats.iter().map(|seat| seat.number()).collect();
            json!({ "event": "removed", "seats": seats })
        }
        LogEvent::Stopped { seat, stop } => {
            let how = match stop {
                Stop::Leave => "left",
                Stop::Forfeit => "forfeited",
                Stop::Dispute { .. } => "disputed",
            };
            json!({ "event": "stopped", "seat": seat.number(), "how": how })
        }
        _ => json!({ "event": "other" }),
    }
}

fn of_learners(to: Learners) -> Value {
    match to {
        Learners::All => json!("all"),
        Learners::Seat(seat) => json!(seat.number()),
    }
}

fn of_choice(chosen: &Chosen) -> Value {
    json!({
        "event": "chose",
        "seat": chosen.seat.number(),
        // As in the table protocol.
        "choice": Said::from(&chosen.choice),
        "paid": chosen.paid,
        "all_in": chosen.all_in,
    })
}
