// All that the pages show of a match, made from its events alone. There is no DOM here, and no clock: what needs
// the time is told it.

/** @import * as P from "./protocol.js" */
/** @import { Deal, Match } from "./types.js" */

/** How many notices and rolls are kept. */
const KEPT = 20;

/** @param {boolean} [watches] another page plays @returns {Match} */
export function newMatch(watches = false) {
  return {
    watches, events: 0,
    seated: null, own: 0, invite: null, addresses: [], notices: [],
    deal: null, button: 0, stacks: [], bets: [], pot: 0,
    turn: null, since: 0, previous: null,
    waiting: null, lineLost: null, askAgain: null, outOfTime: null, sitsOut: false, askRebuy: null,
    refused: null, stopped: null, over: null, closed: null, failed: null,
  };
}

/** @param {Match} match */
export function isMyTurn(match) {
  return match.turn?.event === "your-turn";
}

/** The seat that is to choose. @param {Match} match @returns {number | null} */
export function seatToChoose(match) {
  if (!match.turn) return null;
  return match.turn.event === "your-turn" ? match.own : match.turn.seat;
}

/** The cards of the hand are not there yet. @param {Match} match */
export function isShuffling(match) {
  const { deal } = match;
  return deal !== null && !deal.sealed && deal.cards.size === 0 && !deal.result && !match.turn;
}

/** Whether the match, or the program that plays it, has come to its end. @param {Match} match */
export function hasEnded(match) {
  return match.over !== null || match.closed !== null || match.failed !== null;
}

/** Cards are played with chips and turns, not opened by agreement. @param {Match} match */
export function isPoker(match) {
  const game = match.seated?.game;
  return game !== "deck" && game !== "bridge";
}

/** How many seats there are. @param {Match} match */
export function seats(match) {
  return Math.max(2, match.seated?.names.length ?? match.stacks.length);
}

/**
 * What is left of the time of who is to choose, in seconds.
 * @param {Match} match
 * @param {number} now
 * @returns {{ move: number, bank: number, of: P.Time } | null}
 */
export function timeLeft(match, now) {
  const time = match.turn?.time;
  if (!time) return null;
  const gone = Math.max(0, (now - match.since) / 1000);
  const over = Math.max(0, gone - time.move);
  return { move: Math.max(0, time.move - gone), bank: Math.max(0, time.bank - over), of: time };
}

/**
 * Takes an event in. Any order is good: the events of a long match may begin late.
 * @param {Match} match is changed
 * @param {P.Event} event
 * @param {number} now milliseconds
 * @returns {Match} the same
 */
export function apply(match, event, now) {
  match.events += 1;
  if (!["notice", "error", "waiting"].includes(event.event)) match.waiting = null;
  switch (event.event) {
    case "invite":
      match.invite = event.invite;
      break;
    case "listening":
      match.addresses = event.addresses;
      break;
    case "notice":
      match.notices = [...match.notices, event.text].slice(-KEPT);
      break;
    case "seated":
      sit(match, event);
      break;
    case "dealt":
      deal(match, event);
      break;
    case "again":
      match.turn = null;
      break;
    case "sealed":
      dealOf(match, event.hand).sealed = event;
      break;
    case "card":
      see(match, dealOf(match, event.hand), event);
      break;
    case "board":
      dealOf(match, event.hand).board = event.cards;
      newRound(match);
      break;
    case "your-turn":
    case "their-turn":
      ask(match, event, now);
      break;
    case "chose":
      choose(match, dealOf(match, event.hand), event);
      break;
    case "rolled": {
      const of = dealOf(match, event.hand);
      of.rolled = [...of.rolled, event].slice(-KEPT);
      match.turn = null;
      break;
    }
    case "result":
      finish(match, dealOf(match, event.hand), event);
      break;
    case "ask-rebuy":
      match.askRebuy = event;
      break;
    case "waiting":
      match.waiting = event;
      break;
    case "line-lost":
      match.lineLost = event.message;
      break;
    case "resumed":
      match.lineLost = null;
      match.askAgain = null;
      if (match.outOfTime?.away) match.outOfTime = null;
      break;
    case "ask-again":
      match.askAgain = event;
      break;
    case "out-of-time":
      match.outOfTime = event;
      break;
    case "sits-out":
      match.sitsOut = true;
      break;
    case "stopped":
      match.stopped = event;
      break;
    case "over":
      match.over = event;
      match.stacks = event.stacks;
      end(match);
      break;
    case "closed":
      match.closed = event;
      end(match);
      break;
    case "error":
      if (event.exit_code === undefined) {
        match.refused = event;
      } else {
        match.failed = event;
        end(match);
      }
      break;
    default:
      // Something that a later version tells.
      break;
  }
  return match;
}

/** @param {Match} match @param {P.Seated} seated */
function sit(match, seated) {
  const other = match.seated?.match !== seated.match;
  match.seated = seated;
  match.own = seated.seat;
  match.lineLost = null;
  match.askAgain = null;
  match.invite = null;
  if (other) {
    match.deal = null;
    match.previous = null;
    match.stacks = seated.names.map(() => seated.stack ?? 0);
    match.bets = seated.names.map(() => 0);
    match.pot = 0;
  }
}

/** @param {Match} match @param {P.Dealt} dealt */
function deal(match, dealt) {
  match.deal = newDeal(match, dealt.hand, dealt.try);
  match.button = dealt.button;
  match.stacks = dealt.stacks;
  match.bets = dealt.bets;
  match.pot = dealt.pot;
  match.turn = null;
  match.sitsOut = false;
  match.askRebuy = null;
  match.outOfTime = null;
}

/** @param {Match} match @param {number} number @param {number} attempt @returns {Deal} */
function newDeal(match, number, attempt) {
  const each = Array.from({ length: seats(match) }, () => null);
  return {
    number, attempt, sealed: null, cards: new Map(), board: [], held: [], own: [],
    folded: each.map(() => false), did: each, added: 0, shows: each.map(() => false),
    open: [], rolled: [], result: null,
  };
}

/**
 * The hand of that number; a new one if its beginning was not told.
 * @param {Match} match
 * @param {number} number
 * @returns {Deal}
 */
function dealOf(match, number) {
  if (match.deal?.number !== number) match.deal = newDeal(match, number, 0);
  return match.deal;
}

/** @param {Match} match @param {Deal} deal @param {P.CardSeen} seen */
function see(match, deal, seen) {
  deal.cards.set(seen.position, seen);
  if (seen.holder === match.own && !deal.own.includes(seen.position)) {
    const gap = deal.own.indexOf(null);
    if (gap >= 0) deal.own[gap] = seen.position;
    else deal.own.push(seen.position);
  }
}

/** @param {Match} match @param {P.YourTurn | P.TheirTurn} turn @param {number} now */
function ask(match, turn, now) {
  const deal = dealOf(match, turn.hand);
  // The same turn may be told again when a line is back.
  if (match.turn?.turn !== turn.turn || match.turn.event !== turn.event) match.since = now;
  match.turn = turn;
  match.button = turn.button;
  match.stacks = turn.stacks;
  if (match.bets.some((bet) => bet > 0) && turn.bets.every((bet) => bet === 0)) newRound(match);
  match.bets = turn.bets;
  match.pot = turn.pot;
  match.refused = null;
  if (turn.held) {
    deal.held = turn.held;
    deal.own = turn.held[match.own] ?? deal.own;
  }
  if (turn.event === "their-turn") return;
  deal.own = turn.positions;
  deal.board = turn.board;
  deal.open = turn.open ?? [];
  turn.positions.forEach((position, place) => {
    const card = turn.cards[place];
    const known = deal.cards.get(position);
    if (card && known?.card !== card) {
      deal.cards.set(position, { event: "card", hand: turn.hand, position, card, holder: match.own });
    }
  });
}

/** @param {Match} match @param {Deal} deal @param {P.Chose} chose */
function choose(match, deal, chose) {
  const seat = chose.seat;
  match.turn = null;
  match.refused = null;
  if (match.outOfTime && match.outOfTime.seat === seat && seat !== match.own) match.outOfTime = null;
  deal.did = deal.did.map((did, at) => (at === seat ? chose : did));
  deal.added = 0;
  switch (chose.do) {
    case "fold":
      deal.folded = deal.folded.map((folded, at) => folded || at === seat);
      break;
    case "call":
      bet(match, deal, seat, Math.max(0, ...match.bets));
      break;
    case "bet":
    case "raise":
      bet(match, deal, seat, chose.to);
      break;
    case "exchange":
      if (seat === match.own) deal.own = deal.own.map((position, place) => (chose.places.includes(place) ? null : position));
      break;
    case "show":
      deal.shows = deal.shows.map((shows, at) => shows || at === seat);
      break;
    default:
      break;
  }
}

/** @param {Match} match @param {Deal} deal @param {number} seat @param {number} to */
function bet(match, deal, seat, to) {
  const stack = match.stacks[seat] ?? 0;
  const before = match.bets[seat] ?? 0;
  deal.added = Math.max(0, Math.min(to - before, stack));
  match.stacks = match.stacks.map((chips, at) => (at === seat ? chips - deal.added : chips));
  match.bets = match.bets.map((chips, at) => (at === seat ? chips + deal.added : chips));
  match.pot += deal.added;
}

/** The bets lie in the pot, and nobody has chosen yet. @param {Match} match */
function newRound(match) {
  match.bets = match.bets.map(() => 0);
  if (match.deal) match.deal.did = match.deal.did.map(() => null);
}

/** @param {Match} match @param {Deal} deal @param {P.Result} result */
function finish(match, deal, result) {
  deal.result = result;
  match.stacks = result.stacks;
  match.bets = match.bets.map(() => 0);
  match.turn = null;
  deal.did = deal.did.map(() => null);
  for (const shown of result.shown) deal.shows[shown.seat] = true;
  match.previous = { number: result.hand, board: deal.board, result };
}

/** @param {Match} match */
function end(match) {
  match.turn = null;
  match.waiting = null;
  match.lineLost = null;
  match.askAgain = null;
  match.askRebuy = null;
}
