// The state of a match that the pages show, computed from its events alone. No DOM and
// no clock is used here: functions that need the time take it as a parameter.

/** The events that clear `outOfTime`. */
const PROGRESS = ["dealt", "again", "sealed", "card", "board", "your-turn", "chose", "rolled", "not-stolen", "result", "gone"];
/** For some kinds of events, the field of `Match` that keeps the last one. @type {Record<string, keyof Match>} */
const LAST = {
  invite: "invite", "at-door": "atDoor", table: "table", "between-matches": "between", "ask-table": "askTable", "ask-sit": "askSit", "ask-again": "askAgain", "ask-rebuy": "askRebuy", pause: "pause", waiting: "waiting",
  "out-of-time": "outOfTime", leaving: "leaving", stopped: "stopped", over: "over", closed: "closed",
};
/** The values without open questions, after the time before a match, and with a connection. */
const NOTHING = { connectionLost: null, askAgain: null, askSit: null, askTable: null, invite: null, atDoor: null, table: null, between: null };
/** The number of notices and rolls kept. */
const KEPT = 20;

/** @param {boolean} [watches] @returns {Match} */
export function newMatch(watches = false) {
  return {
    watches,
    seated: null, own: 0, left: [], removed: [], addresses: [], notices: [],
    deal: null, button: 0, stacks: [], bets: [], pot: 0,
    turn: null, since: 0, previous: null, list: null, buying: 0, settlement: null,
    ...NOTHING, waiting: null, outOfTime: null, late: null, leaving: null, sitsOut: false,
    askRebuy: null, pause: null,
    refused: null, stopped: null, over: null, closed: null, failed: null,
  };
}

/** @param {Match} match */
export function isMyTurn(match) {
  return match.turn?.event === "your-turn";
}

/** @param {Match} match @returns {number | null} */
export function seatToChoose(match) {
  if (!match.turn) return null;
  return match.turn.event === "your-turn" ? match.own : match.turn.seat;
}

/** @param {Match} match */
export function isShuffling(match) {
  const { deal } = match;
  return deal !== null && !deal.sealed && deal.cards.size === 0 && !deal.result && !match.turn;
}

/** @param {Match} match */
export function hasEnded(match) {
  return match.over !== null || match.closed !== null || match.failed !== null;
}

/** Whether the hands are open because of an all-in, before a showdown. @param {Match} match */
export function isOpen({ deal, own }) {
  return deal !== null && !deal.shows.includes(true)
    && [...deal.cards.values()].some(({ holder }) => holder !== undefined && holder !== own);
}

/**
 * Whether `event`, not applied yet, is a street or the result after an all-in.
 * @param {Match} match
 * @param {Message} event
 */
export function isRunOut(match, event) {
  return (event.event === "board" || event.event === "result") && isOpen(match);
}

/** @param {Match} match @returns {Set<string>} */
export function winningCards({ deal }) {
  const winners = deal?.result?.pots.flatMap((pot) => pot.winners.map((winner) => winner.seat)) ?? [];
  return new Set(deal?.result?.shown.flatMap(({ seat, best }) => (winners.includes(seat) ? best ?? [] : [])));
}

/** Whether the game has chips and betting. @param {Match} match */
export function isPoker(match) {
  const game = match.seated?.game;
  return game !== "deck" && game !== "bridge";
}

/** @param {Match} match */
export function seats(match) {
  return Math.max(2, match.seated?.names.length ?? match.stacks.length);
}

/** @param {Match} match */
export function areSeveral(match) {
  return seats(match) > 2;
}

/** Whether the match is one of a table, whose players come and go. @param {Match} match */
export function isAtTable(match) {
  return match.seated?.opens !== undefined;
}

/** The chips that a player at a table misses to a full stack. @param {Match} match */
export function missingChips({ seated, stacks, own }) {
  return Math.max(0, (seated?.stack ?? 0) - (stacks[own] ?? 0));
}

/** Whether the player at a table has no chips, plays no hand, and has not bought chips or asked for a seat. @param {Match} match */
export function maySitAgain(match) {
  const { between, table, seated, own, buying, stacks, deal } = match;
  if (!isAtTable(match) || buying > 0 || hasEnded(match)) return false;
  const member = between?.members.find(({ fingerprint }) => fingerprint === seated?.fingerprints[own]);
  if (between) return member?.chips === 0 && table === null;
  return stacks[own] === 0 && deal !== null && (deal.result !== null || !isPlaying(match, own));
}

/** Whether a seat can still win a pot. @param {Match} match @param {number} seat */
export function isPlaying({ deal, left, removed }, seat) {
  return deal !== null && !deal.folded[seat] && deal.playing?.includes(seat) !== false && !left.includes(seat) && !removed.includes(seat);
}

/** Whether a seat is known to be disconnected. @param {Match} match @param {number} seat */
export function isAway({ waiting, outOfTime }, seat) {
  return (waiting?.for === "line" && waiting.seats.includes(seat)) || (outOfTime?.away === true && outOfTime.seat === seat);
}

/**
 * The chips in each pot, the main pot first. Empty if there is only one, or if the start of the hand is unknown.
 * @param {Match} match @returns {number[]}
 */
export function pots(match) {
  const { deal, stacks, pot } = match;
  const sum = (/** @type {number[]} */ parts) => parts.reduce((all, part) => all + part, 0);
  const paid = deal?.start.map((chips, seat) => chips - (stacks[seat] ?? 0)) ?? [];
  const levels = paid.filter((_, seat) => stacks[seat] === 0 && isPlaying(match, seat)).sort((a, b) => a - b);
  let below = 0;
  const all = [...levels, Math.max(...paid)].map((level) => {
    const parts = paid.map((chips) => Math.min(chips, level) - below).filter((part) => part > 0);
    below = level;
    // Chips that nobody has called are in no pot.
    return parts.length > 1 ? sum(parts) : 0;
  }).filter((chips) => chips > 0);
  return all.length > 1 && sum(paid) === pot ? all : [];
}

/**
 * The time left to choose, in seconds; null without a clock or a connection.
 * @param {Match} match
 * @param {number} now
 * @returns {{ move: number, bank: number, of: Time } | null}
 */
export function timeLeft(match, now) {
  const time = match.turn?.time;
  if (!time || match.connectionLost !== null) return null;
  const gone = Math.max(0, (now - match.since) / 1000);
  const over = Math.max(0, gone - time.move);
  return { move: Math.max(0, time.move - gone), bank: Math.max(0, time.bank - over), of: time };
}

/**
 * Applies an event. The first events of a long match may be missing.
 * @param {Match} match changed in place
 * @param {Message} event
 * @param {number} now in milliseconds
 * @returns {Match} the same match
 */
export function apply(match, event, now) {
  if (!["notice", "error", "waiting"].includes(event.event)) match.waiting = null;
  const { outOfTime } = match;
  if (PROGRESS.includes(event.event)) match.outOfTime = null;
  const kept = LAST[event.event];
  if (kept) Object.assign(match, { [kept]: event });
  switch (event.event) {
    case "listening":
      match.addresses = event.addresses;
      break;
    case "notice":
      match.notices = [...match.notices, event.text].slice(-KEPT);
      if (event.text.startsWith("The list of the table:")) match.settlement = event.text;
      break;
    case "table":
      // The host has answered, so the notice of the wait for the answer is stale.
      match.notices = match.notices.filter((text) => !text.includes("has not accepted it yet"));
      break;
    case "between-matches":
      Object.assign(match, { turn: null, leaving: null, table: null, list: event });
      break;
    case "seated":
      sit(match, event);
      break;
    case "dealt":
      deal(match, event);
      match.askAgain = null;
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
      Object.assign(dealOf(match, event.hand), { board: event.cards, made: "" });
      newRound(match);
      break;
    case "your-turn":
    case "their-turn":
      ask(match, event, now);
      break;
    case "chose":
      choose(match, dealOf(match, event.hand), event);
      if (event.seat === match.own) match.late = outOfTime?.seat === match.own ? event : null;
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
      match.pause = null;
      break;
    case "line-lost":
      match.connectionLost = event.message;
      break;
    case "resumed":
      match.since = now;
      match.connectionLost = null;
      match.askAgain = null;
      if (match.outOfTime?.away) match.outOfTime = null;
      break;
    case "stopped":
      if (event.how === "leave" && areSeveral(match)) match.left.push(event.seat);
      break;
    case "gone":
      match.removed.push(event.seat);
      break;
    case "stays":
      match.leaving = null;
      break;
    case "buys":
      match.buying = event.chips;
      break;
    case "out-of-time":
      // With two players, the event "sits-out" follows.
      if (event.seat === match.own && areSeveral(match)) match.sitsOut = true;
      break;
    case "sits-out":
      match.sitsOut = true;
      match.pause = null;
      break;
    case "over":
      Object.assign(match, { stacks: event.stacks, pot: 0 });
      newRound(match);
      end(match);
      break;
    case "closed":
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
  }
  return match;
}

/** @param {Match} match @param {Seated} seated */
function sit(match, seated) {
  const other = match.seated?.match !== seated.match;
  const { invite, atDoor } = match;
  const continues = seated.continues !== undefined && seated.continues.match === match.seated?.match;
  match.seated = seated;
  Object.assign(match, NOTHING, { own: seated.seat, sitsOut: false, buying: 0 });
  // The first seat hosts the table, and guests can come during the match.
  if (isAtTable(match) && seated.seat === 0) Object.assign(match, { invite, atDoor });
  if (other) {
    match.deal = null;
    if (!continues) match.previous = null;
    match.left = [];
    match.removed = [];
    match.stacks = seated.continues?.stacks ?? seated.names.map(() => seated.stack ?? 0);
    match.bets = seated.names.map(() => 0);
    match.pot = 0;
  }
}

/** @param {Match} match @param {Dealt} dealt */
function deal(match, dealt) {
  match.deal = newDeal(match, dealt.hand, dealt.try);
  match.deal.playing = dealt.playing;
  match.deal.start = dealt.stacks.map((chips, seat) => chips + (dealt.posted?.[seat] ?? 0));
  // With several players, a hand is dealt without those who sit out.
  const sitsOut = areSeveral(match) && match.sitsOut;
  Object.assign(match, chipsOf(dealt), { turn: null, sitsOut, late: sitsOut ? match.late : null, askRebuy: null, pause: null });
}

/** @param {Dealt | YourTurn | TheirTurn} event */
function chipsOf({ button, stacks, bets, pot }) {
  return { button, stacks, bets, pot };
}

/** @param {Match} match @param {number} number @param {number} attempt @returns {Deal} */
function newDeal(match, number, attempt) {
  const each = Array.from({ length: seats(match) }, () => null);
  return {
    number, attempt, start: [], sealed: null, cards: new Map(), board: [], held: [], own: [],
    folded: each.map(() => false), did: each, shows: each.map(() => false),
    open: [], rolled: [], asked: false, made: "", result: null,
  };
}

/**
 * The deal of this hand; a new one if the hand's first events are missing.
 * @param {Match} match @param {number} number @returns {Deal}
 */
function dealOf(match, number) {
  if (match.deal?.number !== number) match.deal = newDeal(match, number, 0);
  return match.deal;
}

/** @param {Match} match @param {Deal} deal @param {CardSeen} seen */
function see(match, deal, seen) {
  deal.cards.set(seen.position, seen);
  if (seen.holder === match.own && !deal.own.includes(seen.position)) {
    const gap = deal.own.indexOf(null);
    if (gap >= 0) deal.own[gap] = seen.position;
    else deal.own.push(seen.position);
    deal.made = "";
  }
}

/** @param {Match} match @param {YourTurn | TheirTurn} turn @param {number} now */
function ask(match, turn, now) {
  const deal = dealOf(match, turn.hand);
  // After a reconnection the same turn may be sent again.
  if (match.turn?.turn !== turn.turn || match.turn.event !== turn.event) match.since = now;
  if (match.bets.some((bet) => bet > 0) && turn.bets.every((bet) => bet === 0)) newRound(match);
  Object.assign(match, chipsOf(turn), { turn, refused: null });
  deal.playing = turn.playing;
  if (turn.held) {
    deal.held = turn.held;
    deal.own = turn.held[match.own] ?? deal.own;
  }
  if (turn.event === "their-turn") return;
  deal.asked = true;
  deal.own = turn.positions;
  deal.board = turn.board;
  deal.open = turn.open ?? [];
  deal.made = turn.made ?? "";
  turn.positions.forEach((position, place) => {
    const card = turn.cards[place];
    const known = deal.cards.get(position);
    if (card && known?.card !== card) {
      deal.cards.set(position, { event: "card", hand: turn.hand, position, card, holder: match.own });
    }
  });
}

/** @param {Match} match @param {Deal} deal @param {Chose} chose */
function choose(match, deal, chose) {
  const seat = chose.seat;
  match.turn = null;
  match.refused = null;
  deal.did = deal.did.map((did, at) => (at === seat ? chose : did));
  switch (chose.do) {
    case "fold":
      deal.folded = deal.folded.map((folded, at) => folded || at === seat);
      break;
    case "call":
      bet(match, seat, Math.max(0, ...match.bets));
      break;
    case "bet":
    case "raise":
      bet(match, seat, chose.to);
      break;
    case "exchange":
      if (seat !== match.own || chose.places.length === 0) break;
      deal.own = deal.own.map((position, place) => (chose.places.includes(place) ? null : position));
      deal.made = "";
      break;
    case "show":
      deal.shows = deal.shows.map((shows, at) => shows || at === seat);
      break;
  }
}

/** @param {Match} match @param {number} seat @param {number} to */
function bet(match, seat, to) {
  const stack = match.stacks[seat] ?? 0;
  const before = match.bets[seat] ?? 0;
  const added = Math.max(0, Math.min(to - before, stack));
  match.stacks = match.stacks.map((chips, at) => (at === seat ? chips - added : chips));
  match.bets = match.bets.map((chips, at) => (at === seat ? chips + added : chips));
  match.pot += added;
}

/** Starts a betting round: clears the bets and last choices. @param {Match} match */
function newRound(match) {
  match.bets = match.bets.map(() => 0);
  if (match.deal) match.deal.did = match.deal.did.map(() => null);
}

/** @param {Match} match @param {Deal} deal @param {Result} result */
function finish(match, deal, result) {
  deal.result = result;
  match.stacks = result.stacks;
  match.bets = match.bets.map(() => 0);
  match.turn = null;
  deal.did = deal.did.map(() => null);
  for (const shown of result.shown) deal.shows[shown.seat] = true;
  match.previous = result;
}

/** @param {Match} match */
function end(match) {
  Object.assign(match, NOTHING, { turn: null, leaving: null, waiting: null, askRebuy: null, pause: null });
}
