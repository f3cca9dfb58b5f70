// The sentences of the page. There is no DOM here: a sentence is a list of texts and cards.

import { areSeveral, isPoker } from "./match.js";
import { IN_PAGE } from "./server.js";

/** @param {number} number */
export function amount(number) {
  return number.toLocaleString("en");
}

const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });

/** A number of chips in short form: 1,000, or 12.35M. @param {number} number */
export function shortAmount(number) {
  return number < 1e6 ? amount(number) : SHORT.format(number);
}

/** @param {number} number */
export function bytes(number) {
  if (number < 1000) return `${number} bytes`;
  if (number < 1e6) return `${(number / 1000).toPrecision(3)} kB`;
  return `${(number / 1e6).toPrecision(3)} MB`;
}

const SUITS = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
/** @type {Record<string, string>} */
const RANKS = {
  A: "ace", K: "king", Q: "queen", J: "jack", T: "ten", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight",
  9: "nine",
};
export const SEATS = ["North", "East", "South", "West"];

/**
 * The rank and suit, if `card` is in the 52-card deck.
 * @param {string} card
 * @returns {{ rank: string, suit: "c" | "d" | "h" | "s" } | null}
 */
export function rankAndSuit(card) {
  const found = /^([2-9TJQKA])([cdhs])$/.exec(card);
  return found && { rank: found[1], suit: /** @type {"c" | "d" | "h" | "s"} */ (found[2]) };
}

/**
 * The spoken name of a card: "ace of spades", "knight number 4", or the ranks of a bridge hand.
 * @param {string} card
 */
export function cardName(card) {
  const known = rankAndSuit(card);
  if (known) return `${RANKS[known.rank]} of ${SUITS[known.suit]}`;
  if (card.includes("#")) return card.replace("#", " number ");
  if (/^\d+$/.test(card)) return `number ${card}`;
  const suits = card.split(".");
  if (suits.length !== 4) return card;
  const names = ["spades", "hearts", "diamonds", "clubs"];
  return names.map((name, at) => `${name} ${suits[at].split("").join(" ") || "none"}`).join(", ");
}

/** The shortest name of a card: "A♠". @param {string} card */
export function cardSign(card) {
  const known = rankAndSuit(card);
  if (!known) return card;
  const sign = { c: "♣", d: "♦", h: "♥", s: "♠" }[known.suit];
  return `${known.rank === "T" ? "10" : known.rank}${sign}\ufe0e`;
}

/**
 * The name of a position, counted from 1: "card 3", or in bridge "the South hand of board 2".
 * @param {Match} match
 * @param {number} position
 */
function placeName(match, position) {
  if (match.seated?.game !== "bridge") return `card ${position + 1}`;
  return `the ${SEATS[position % 4]} hand of board ${Math.floor(position / 4) + 1}`;
}

/** The letters of "all" and "you", each followed by the letters that resemble it. */
const LIKE = [
  "aA\u0251\u0391\u03b1\u0410\u0430", "lLI1|!\u0131\u0399\u03b9\u0406\u0456\u04c0\u04cf\u01c0\u217c",
  "yY\u03a5\u03b3\u0423\u0443\u04ae\u04af", "oO0\u039f\u03bf\u041e\u043e", "uU\u03c5\u057d",
];

const FROM_THE_RIGHT = /[\u0590-\u08ff\ufb1d-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** The letter of "all" or "you" that `letter` resembles, or itself. @param {string} letter */
function looksLike(letter) {
  const narrow = letter.normalize("NFKC");
  return LIKE.find((alike) => alike.includes(narrow))?.[0] ?? narrow;
}

/** Whether a name could be read as "all", "you" or a list. @param {string} name */
export function misleads(name) {
  if (/[,;\u201a\uff0c\u3001]/.test(name)) return true;
  const words = name.split(/[^\p{L}\p{N}|!\uff5c\uff01]/u);
  return words.some((word) => ["all", "you"].includes([...word].map(looksLike).join("")));
}

const PLAIN_WORD = /^[\p{Alphabetic}\p{N}]+([-_'.][\p{Alphabetic}\p{N}]+)*$/u;
const QUOTATION_MARKS = /["\u00ab\u00bb\u02ba\u02dd\u02ee\u2033\u2036\u201c-\u201f\u275d\u275e\u301d-\u301f\uff02]/g;

/**
 * A name for a sentence, in quotation marks unless it is plain: up to two plain words, shorter than a
 * fingerprint, without a digit at its beginning. `Display` of `Name` in Rust has the same rule.
 * @param {string} name
 */
export function called(name) {
  const words = name.split(" ");
  if (/^\D.{0,22}$/u.test(name) && words.length <= 2 && words.every((word) => PLAIN_WORD.test(word))) return name;
  return `"${name.replace(QUOTATION_MARKS, "'")}"`;
}

/**
 * "You", the player's name, or the seat's number if the name is misleading.
 * @param {Match} match
 * @param {number} seat
 */
export function nameOf(match, seat) {
  if (seat === match.own) return "You";
  const name = match.seated?.names[seat];
  if (name === undefined || name === "" || misleads(name)) return `Seat ${seat}`;
  if (match.seated?.names.some((other, at) => other === name && at !== seat && at !== match.own)) return `${called(name)} (seat ${seat})`;
  // A right-to-left name must not change the order of the text around it.
  return FROM_THE_RIGHT.test(name) ? `\u2068${called(name)}\u2069` : called(name);
}

/** @param {Match} match */
export function theOthers(match) {
  return areSeveral(match) ? "the other players" : "the other player";
}

/** @param {Match} match @param {number[]} seats */
export function namesOf(match, seats) {
  return new Intl.ListFormat("en-GB").format(seats.map((seat) => nameOf(match, seat)));
}

/** "You fold", or "Bert folds". @param {Match} match @param {number} seat @param {string} verb */
export function does(match, seat, verb) {
  const name = nameOf(match, seat);
  if (seat === match.own) return `${name} ${verb}`;
  if (verb === "have") return `${name} has`;
  return `${name} ${verb}${verb === "pass" ? "es" : "s"}`;
}

/** @param {SeatedFields} seated */
export function gameName(seated) {
  return {
    holdem: "No-limit hold’em",
    "fixed-holdem": "Fixed-limit hold’em",
    draw: `${seated.fixed_limit ? "Fixed-limit five" : "Five"}-card draw`,
    deck: "A deck without rules",
    bridge: "Boards of bridge",
  }[seated.game];
}

/** @param {SeatedFields} seated */
function clockOf({ clock }) {
  return clock ? `${amount(clock.move)} s for each move, and a bank of ${amount(clock.bank)} s` : "no clock";
}

/**
 * All terms of a host, for the question to the guest.
 * @param {SeatedFields} seated
 * @returns {string[]}
 */
export function terms(seated) {
  const { game, hands, stack, cards, drawn, shuffle, continues, names, kinds = [] } = seated;
  const number = game === "bridge" ? `${drawn / 4} boards dealt together, ${hands === 1 ? "once" : `${amount(hands)} times`}`
    : hands === 1 ? "1 hand" : `${amount(hands)} hands`;
  const parts = [gameName(seated), number];
  if (game === "deck") parts.push(`${amount(drawn)} of ${amount(cards)} cards drawn`);
  if (kinds.length > 0) parts.push(kinds.map((kind) => `${amount(kind.count)} ${kind.name}`).join(", "));
  if (stack !== undefined) parts.push(`${amount(stack)} chips ${continues ? "for a new player" : "each"}`);
  if (continues) {
    const chips = names.map((name, seat) => `${called(name)} ${amount(continues.stacks[seat] ?? 0)}`);
    parts.push(`the chips of match ${continues.match.slice(0, 16)}: ${chips.join(", ")}`);
    for (const { fingerprint, chips } of continues.without ?? []) {
      parts.push(`that match is settled without the player with the fingerprint ${fingerprint}, who has ${amount(chips)} chips`);
    }
  }
  parts.push(...stakes(seated));
  parts.push(clockOf(seated));
  if (shuffle) parts.push(`shuffled by ${shuffle}`);
  return parts;
}

/**
 * The number of players who can play two tables at once with honest players, if they can also cut the connections
 * between these.
 * @param {number} seats @param {number} opens
 */
export const twoTables = (seats, opens) => Math.max(1, 2 * opens - seats);

/** Whether the others go on if a player disappears. @param {SeatedFields | null} seated */
export const mayDisappear = (seated) => seated?.opens !== undefined && seated.opens < seated.names.length;

/**
 * What the players have to trust each other with, if `opens` of the `seats` players open each card together.
 * @param {number} seats @param {number} opens
 */
export function risks(seats, opens) {
  const cheats = twoTables(seats, opens);
  return [...(opens === seats ? ["If a player disappears during a hand, the hand cannot be finished.",
    `All ${seats} players together can read every card, also later. The others together cannot read yours, and cannot play a second table with you.`]
    : [`The hand goes on if ${seats - opens === 1 ? "one player disappears" : `up to ${seats - opens} players disappear`}.`,
      `Any ${opens} players together can read every card, also later.`,
      `${cheats === 1 ? "One player" : `${cheats} players together`} who can also cut the connections between honest players can play two tables at once with them. The records of both tables convict a cheat.`,
      ...(2 * opens > seats ? [] : ["If connections fail for long, two groups of honest players can each go on alone."])]),
    "Players can tell each other their cards, and two players can be the same person: play with people you trust.",
    "All players learn each other's network addresses."];
}

/** @param {SeatedFields} seated @returns {string[]} */
export function stakes(seated) {
  const parts = [];
  if (seated.blinds) parts.push(`blinds ${seated.blinds.map(amount).join("/")}`);
  if (seated.ante) parts.push(`ante ${amount(seated.ante[0])}, smallest bet ${amount(seated.ante[1])}`);
  return parts;
}

/** @param {Match} match @param {Reveal[]} cards */
export function reveals(match, cards) {
  const to = (/** @type {number | "all"} */ who) => (who === "all" ? "all" : nameOf(match, who).replace(/^You$/, "you"));
  return cards.map((card) => `${placeName(match, card.position)} to ${to(card.to)}`).join(", ");
}

/**
 * The sentence for a choice that was applied to `match`.
 * @param {Match} match
 * @param {Chose} chose
 */
function chosen(match, chose) {
  const who = (/** @type {string} */ verb) => does(match, chose.seat, verb);
  const own = chose.seat === match.own;
  const allIn = match.stacks[chose.seat] === 0 ? " and are all in" : "";
  const all = own ? allIn : allIn.replace("are", "is");
  switch (chose.do) {
    case "call": return `${who("call")} ${match.deal?.added ? amount(match.deal.added) : ""}`.trimEnd() + `${all}.`;
    case "bet": return `${who("bet")} ${amount(chose.to)}${all}.`;
    case "raise": return `${who("raise")} to ${amount(chose.to)}${all}.`;
    case "exchange": {
      const number = chose.places.length;
      if (number === 0) return `${who("keep")} all cards.`;
      return `${who("exchange")} ${number === 1 ? "one card" : `${number} cards`}.`;
    }
    case "show": return `${who("show")} ${own ? "your" : "the"} cards.`;
    case "muck": return `${who("muck")}: the cards stay closed.`;
    case "propose": return `${who("propose")} to open ${reveals(match, chose.cards)}.`;
    case "agree": return `${who("agree")} to proposal ${chose.proposal}.`;
    case "refuse": return `${who("refuse")} proposal ${chose.proposal}.`;
    case "roll": return `${who("roll")} ${chose.dice}.`;
    case "draw": return `${who("draw")} a card.`;
    case "show-card": return `${who("show")} ${placeName(match, chose.position)}, and ${own ? "keep" : "keeps"} it.`;
    case "reveal": return `${who("reveal")} ${placeName(match, chose.position)}.`;
    case "steal": {
      const from = chose.from === match.own ? "your hand" : `the hand of ${nameOf(match, chose.from)}`;
      return `${who("steal")} a card from ${from}.`;
    }
    default: return `${who(chose.do)}.`;
  }
}

/** The choice of a seat in short form, for its place at the table. @param {Chose} chose */
export function didShort(chose) {
  if (chose.do !== "exchange") return `${chose.do}s`;
  return chose.places.length === 0 ? "keeps all" : `exchanges ${chose.places.length}`;
}

/** @param {Match} match @param {Result} result @returns {string[]} */
function winnings(match, result) {
  const several = result.pots.length > 1;
  return result.pots.flatMap((pot, number) => {
    let which = "";
    if (several) which = number === 0 ? " of the main pot" : ` of side pot ${number}`;
    const split = pot.winners.length > 1 ? ": the pot is split" : "";
    return pot.winners.map((winner) => `${does(match, winner.seat, "win")} ${amount(winner.chips)}${which}${split}.`);
  });
}

/** The total win of each seat. @param {Match} match @param {Result} result */
export function inShort(match, result) {
  const wins = [...won(result)].map(([seat, chips]) => `${does(match, seat, "win")} ${amount(chips)}`).join(", ");
  return wins ? `${wins}.` : "The hand is over.";
}

/** The chips won, by seat. @param {Result} result @returns {Map<number, number>} */
export function won(result) {
  const chips = new Map();
  for (const winner of result.pots.flatMap((pot) => pot.winners)) {
    chips.set(winner.seat, (chips.get(winner.seat) ?? 0) + winner.chips);
  }
  return chips;
}

/**
 * "Hand 3: Bert won 40 with two pair, kings and fours".
 * @param {Match} match
 * @param {Result} result
 */
export function lastHand(match, result) {
  const wins = [...won(result)].map(([seat, chips]) => {
    const worth = result.shown.find((of) => of.seat === seat)?.worth;
    return `${nameOf(match, seat)} won ${amount(chips)}${worth ? ` with ${worth}` : ""}`;
  });
  return `Hand ${amount(result.hand)}: ${wins.join("; ")}`;
}

/** @param {Time} time */
export function timeWords({ move, bank }) {
  const left = `${Math.ceil(bank)} s from the bank`;
  return move > 0 ? `${Math.ceil(move)} s, then ${left}` : left;
}

/** @param {Match} match @param {Waiting} waiting */
export function waitingFor(match, { for: awaited, seats, seconds, left }) {
  const alone = awaited === "line" ? "a connection" : areSeveral(match) ? "your program" : "the shuffle on this machine";
  const what = seats.length > 0 && {
    line: " to reconnect", history: " to resume the match", deal: " to deal", keys: " to agree on keys",
    shuffle: areSeveral(match) ? " to shuffle" : " to seal the deck", cards: " to open cards",
    dice: " to roll", move: " to choose", result: " to agree to the result", vote: " to vote on a call", back: " to sit in again",
  }[awaited];
  const time = (of = 0) => of < 120 ? `${of} s` : `${Math.floor(of / 60)} min`;
  const out = left === undefined ? "" : `, out of time${left ? ` in ${time(left)}` : ""}`;
  return `Waiting for ${what ? namesOf(match, seats) + what : alone}: ${time(seconds)}${out}.`;
}

/**
 * The sentence for an event that was applied to `match`; empty if there is none.
 * @param {Match} match
 * @param {Message} event
 * @returns {Part[]}
 */
export function sentence(match, event) {
  switch (event.event) {
    case "invite": return ["The invite is ready."];
    case "listening": return [`Waiting at ${event.addresses.join(", ")}.`];
    case "notice": return [forPage(event.text)];
    case "ask-sit": return [`${called(event.names[0])} proposes: ${terms(event).join(", ")}.`];
    case "leaving":
    case "ask-admit":
    case "admit-lapsed": return [asSentence(event.message)];
    case "seated": {
      const others = event.names.map((_, seat) => seat).filter((seat) => seat !== event.seat);
      const sit = event.resumed ? "are back at the table" : "sit at a table";
      return [`You ${sit} with ${namesOf(match, others)}: ${[gameName(event), ...stakes(event), clockOf(event)].join(", ")}.`];
    }
    case "line-lost": return [`${asSentence(event.message)} The program reconnects automatically.`];
    case "waiting": return [waitingFor(match, event)];
    case "resumed": return ["Connected again. The match continues."];
    case "ask-again": return [asSentence(event.message)];
    case "out-of-time": return [outOfTime(match, event)];
    case "roll-call": return [rollCall(match, event)];
    case "gone": return [`${nameOf(match, event.seat)} ${event.seat === match.own ? "are" : "is"} gone, and the others play on.`];
    case "stays": return ["You stay."];
    case "sits-out": return ["You sit out. The next hand waits for you."];
    case "dealt": return [`Hand ${event.hand}${event.try > 0 ? `, dealt again (try ${event.try + 1})` : ""}.`];
    case "again": return [`${does(match, event.seat, "have")} declared the deal void. Nobody has seen any of its cards.`];
    case "sealed": return ["The deck is sealed: nobody knows the cards, and nobody can change them."];
    case "card": return seen(match, event);
    case "board": return ["Board: ", ...spaced(event.cards), "."];
    case "chose": return [chosen(match, event)];
    case "not-stolen": return ["The hand could not be reshuffled. Nobody has seen a card of the new order."];
    case "rolled": return [`${event.dice}: ${event.faces.length > 1 ? `${event.faces.map(amount).join(" + ")} = ` : ""}${amount(event.sum)}.`];
    case "result": return resultParts(match, event);
    case "ask-rebuy": return [`${namesOf(match, event.seats)} ${event.seats.includes(match.own) || event.seats.length > 1 ? "have" : "has"} no chips left.`];
    case "stopped": return [stopped(match, event)];
    case "over":
    case "closed":
    case "error": return [asSentence(event.message)];
    default: return [];
  }
}

/** @param {Match} match @param {OutOfTime} event */
function outOfTime(match, event) {
  if (event.seat === match.own) return "Your time is up. The program chooses for you, at no further cost.";
  const clock = match.seated?.clock;
  if (event.away) return `${does(match, event.seat, "have")} been disconnected for ${clock ? "longer than the clock allows" : "ten minutes"}.`;
  return clock ? `${does(match, event.seat, "have")} run out of time.` : `${nameOf(match, event.seat)} has not responded for ten minutes.`;
}

/** @param {Match} match @param {RollCall} event */
function rollCall(match, { seat, missing }) {
  const who = seat === match.own ? "Your program lacks" : does(match, seat, "lack");
  const isOwn = missing.length === 1 && missing[0] === match.own;
  const [whom, time, them] = isOwn ? ["you", "your", "you"]
    : missing.length === 1 ? [namesOf(match, missing), "the", "that player"] : [namesOf(match, missing), "their", "them"];
  return `${who} something of ${whom}, and ${time} time is over. If nobody else has it, the match goes on without ${them}.`;
}

/** @param {Match} match @param {CardSeen} event @returns {Part[]} */
function seen(match, event) {
  if (!isPoker(match)) {
    const whom = event.holder === undefined ? "All see" : "Only you see";
    return [`${whom} ${placeName(match, event.position)}: `, { card: event.card }, "."];
  }
  if (event.holder === undefined) return [];
  const cards = [...match.deal?.cards.values() ?? []].filter((card) => card.holder === event.holder);
  const own = event.holder === match.own && match.deal?.own.map((position) => cards.find((card) => card.position === position));
  const known = (own || cards).flatMap((card) => card?.card ?? []);
  const [card, it] = known.length > 1 ? ["cards", "them"] : ["card", "it"];
  if (own) return [`Your ${card}: `, ...spaced(known), `. Only you see ${it}.`];
  return [`The ${card} of ${nameOf(match, event.holder)}: `, ...spaced(known), "."];
}

/**
 * The topic of an event's log entry, if any. An entry replaces the last one if it has the same topic.
 * @param {Match} match
 * @param {Message} event
 */
export function topic(match, event) {
  if (event.event === "waiting" || event.event === "invite") return event.event;
  return event.event === "card" && event.holder !== undefined && isPoker(match) ? `cards of ${event.holder}` : "";
}

/** @param {Match} match @param {Result} result @returns {Part[]} */
function resultParts(match, result) {
  /** @type {Part[]} */
  const parts = [];
  for (const shown of result.shown) {
    parts.push(`${nameOf(match, shown.seat)}: `, ...spaced(shown.cards), `, ${shown.worth}. `);
  }
  return [...parts, winnings(match, result).join(" ") || "The hand is over."];
}

/** @param {Match} match @param {Stopped} event */
function stopped(match, event) {
  switch (event.how) {
    case "leave": return `${does(match, event.seat, "leave")} the match.`;
    case "forfeit": return `${nameOf(match, event.seat)} cannot continue the hand.`;
    default: return `${does(match, event.seat, "report")} that a card opened in step ${event.step ?? "?"} is not the sealed one.`;
  }
}

/** @param {string[]} cards @returns {Part[]} */
function spaced(cards) {
  return cards.flatMap((card, at) => (at === 0 ? [{ card }] : [" ", { card }]));
}

/** The names of options and commands on this page. @type {Record<string, string>} */
const FIELDS = {
  listen: "Wait at", advertise: "Address in the invite", relay: "Relay", at: "Where the host is now",
  stay: "Stay after all", close: "Close here", leave: "Leave for good",
};
/** Advice for the terminal, and its replacement on this page. @type {[RegExp, string][]} */
const ADVICE = [
  [/ \((--map-port|`dealerless config relay`)[^)]*\)/g, ""],
  [/, or to run: dealerless host --for \S+/g, ""],
  [/(, run)?: dealerless resume --close( [0-9a-f]+)?/g, " by “Close” in the lobby"],
  [/`dealerless resume`/g, "“Resume” in the lobby"],
  [/`dealerless join`/g, "“Join”"],
  [/\(see `dealerless peers`\)/g, "(see the lobby)"],
  [/Ctrl-C does no harm/g, "you need not wait for it"],
  [/run: (?=dealerless)/g, "run in a terminal: "],
  [/`(?=dealerless )/g, "in a terminal `"],
];

/** A message of the program, with the names that this page uses. @param {string} message */
export function forPage(message) {
  const text = ADVICE.reduce((text, [from, to]) => text.replace(from, to), message);
  return text.replace(/'?--([a-z]+)(?: <[^']+'| HOST:PORT)?|`([a-z]+)`/g,
    (whole, option, command) => (FIELDS[option ?? command] ? `“${FIELDS[option ?? command]}”` : whole));
}

/** @param {string} fingerprint */
export function forgive(fingerprint) {
  return IN_PAGE ? "" : `To forgive this player, run in a terminal: dealerless peers forgive ${fingerprint}`;
}

/** @param {string} message */
export function asSentence(message) {
  const text = forPage(message).replace(/\.+$/, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith("?") ? "" : "."}`;
}

/** @param {unknown} error */
export function problem(error) {
  return asSentence(error instanceof Error ? error.message : String(error));
}

/** A sentence as text, as a screen reader speaks it. @param {Part[]} parts */
export function spoken(parts) {
  return parts.map((part) => (typeof part === "string" ? part : cardName(part.card))).join("");
}
