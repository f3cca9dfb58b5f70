// Names, cards and numbers as text, and the program's sentences for this page. There is no DOM here.

import { areSeveral } from "./match.js";
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

/** Letters that are written from right to left. */
const FROM_THE_RIGHT = /[\u0590-\u08ff\ufb1d-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** "You", or the name that the program gives the player at `seat` in sentences. @param {Match} match @param {number} seat */
export function nameOf(match, seat) {
  if (seat === match.own) return "You";
  const name = match.seated?.called[seat] ?? `Seat ${seat}`;
  // A right-to-left name must not change the order of the text around it.
  return FROM_THE_RIGHT.test(name) ? `\u2068${name}\u2069` : name;
}

/** @param {Match} match */
export function theOthers(match) {
  return areSeveral(match) ? "the other players" : "the other player";
}

/** Whether the others go on if a player disappears. @param {SeatedFields | null} seated */
export const mayDisappear = (seated) => seated?.opens !== undefined && seated.opens < seated.names.length;

/** The choice of a seat in short form, for its place at the table. @param {Chose} chose */
export function didShort(chose) {
  if (chose.do !== "exchange") return `${chose.do}s`;
  return chose.places.length === 0 ? "keeps all" : `exchanges ${chose.places.length}`;
}

/** Who wins how much, in words. @param {Result} result */
export function winsOf(result) {
  // The sentences about shown hands come first, that about the chips of all last.
  return spoken(sentencesOf(result).slice(result.shown.length, -1)) || "The hand is over.";
}

/** The chips won, by seat. @param {Result} result @returns {Map<number, number>} */
export function won(result) {
  const chips = new Map();
  for (const winner of result.pots.flatMap((pot) => pot.winners)) {
    chips.set(winner.seat, (chips.get(winner.seat) ?? 0) + winner.chips);
  }
  return chips;
}

/** @param {Time} time */
export function timeWords({ move, bank }) {
  const left = `${Math.ceil(bank)} s from the bank`;
  if (move <= 0) return left;
  return bank > 0 ? `${Math.ceil(move)} s, then ${left}` : `${Math.ceil(move)} s`;
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
  [/`buy (\d+)` sits down again\.( `sit` sits down with as many\.)?/g, "“Sit down again” buys $1."],
  [/The old link is void; the new one is \S+/g, "The old link is void; the new one is under “Guests”."],
  [/--may-leave\b/g, "“Players who may disappear”"],
  [/--accept-two-tables/g, "“One player may cheat”"],
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

/** The program's sentences for an event. @param {{ sentences?: Part[][] }} event @returns {Part[][]} */
export function sentencesOf({ sentences = [] }) {
  return sentences.map((parts) => parts.map((part) => (typeof part === "string" ? forPage(part) : part)));
}

/** Sentences as text, as a screen reader speaks them. @param {Part[][]} sentences */
export function spoken(sentences) {
  return sentences.map((parts) => parts.map((part) => {
    if (typeof part === "string") return part;
    return "name" in part ? part.name : part.cards.map(cardName).join(", ");
  }).join("").replace(/[^.:?]$/, "$&.")).join(" ");
}
