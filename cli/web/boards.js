// Boards of bridge: which hands are open to whom, and what one can propose.

import { clear, confirmed, h, setText } from "./dom.js";
import { copyButton } from "./invite.js";
import { numbersIn, otherSeat, placeAt, proposalList, speaks } from "./deck.js";
import { nameOf } from "./words.js";

/** @import { Send } from "./deck.js" */
/** @import { Match } from "./match.js" */
/** @import * as P from "./protocol.js" */

const SEATS = ["North", "East", "South", "West"];
const SUITS = [["♠", "spades"], ["♥", "hearts"], ["♦", "diamonds"], ["♣", "clubs"]];
/** Who is vulnerable on boards 1 to 16; it then begins anew. */
const VULNERABLE = ["None", "N-S", "E-W", "All", "N-S", "E-W", "All", "None", "E-W", "All", "None", "N-S", "All", "None", "N-S", "E-W"];

/**
 * Numbers in order as ranges: 1-4, 7.
 * @param {number[]} numbers
 */
export function ranges(numbers) {
  /** @type {number[][]} */
  const found = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
}

/**
 * Which hands of which boards are to be opened to whom: boards of which the same is to happen are named together.
 * @param {Match} match
 * @param {P.Reveal[]} cards
 */
export function boardsInWords(match, cards) {
  /** @type {Map<number, string[]>} */
  const byBoard = new Map();
  for (const { position, to } of cards) {
    const board = Math.floor(position / 4) + 1;
    const whom = to === "all" ? "all" : to === match.own ? "you" : nameOf(match, to);
    byBoard.set(board, [...(byBoard.get(board) ?? []), `${SEATS[position % 4]} to ${whom}`]);
  }
  /** @type {Map<string, number[]>} */
  const alike = new Map();
  for (const [board, hands] of byBoard) {
    const whole = hands.length === 4 && hands.every((hand) => hand.endsWith(" to all"));
    const what = whole ? "all hands to all" : hands.join(", ");
    alike.set(what, [...(alike.get(what) ?? []), board]);
  }
  return [...alike].map(([what, boards]) => `${boards.length > 1 ? "boards" : "board"} ${ranges(boards)}: ${what}`).join("; ");
}

/**
 * The view of boards.
 * @param {Send} send
 * @returns {{ root: HTMLElement, update: (match: Match) => void }}
 */
export function boardsView(send) {
  /** @type {Match} */
  let match;
  /** @param {P.Choice} choice */
  const say = (choice) => {
    const turn = speaks(match);
    if (turn) send({ ...choice, turn: turn.turn });
  };
  const count = () => (match.seated?.drawn ?? 0) / 4;

  const seal = h("p", { class: "code seal", tabindex: "0", "aria-label": "Seal" });
  const sealed = h("section", { "aria-labelledby": "seal" }, h("h3", { id: "seal" }, "Seal"),
    h("p", {}, "The boards are sealed: nobody knows them, and nobody can change a card. Publish this before the play: "
      + "it shows later, with the record, that these boards were dealt before."),
    seal, h("div", { class: "row" }, copyButton("Copy the seal", () => seal.textContent ?? "")));

  // The proposal that is being made.
  const numbers = h("input", { id: "boards-numbers", type: "text", autocomplete: "off", value: "all", "aria-describedby": "boards-problem" });
  const problem = h("p", { class: "field-error", id: "boards-problem", role: "alert" });
  const choices = SEATS.map((seat) => h("select", { id: `boards-${seat}` }));
  const propose = h("button", { type: "submit", class: "main" }, "Propose");
  const form = h("form", { class: "form" },
    h("div", { class: "field" }, h("label", { for: "boards-numbers" }, "Boards, such as 1-4, 7, or all"), numbers, problem),
    h("div", { class: "fields four" }, ...SEATS.map((seat, place) =>
      h("div", { class: "field" }, h("label", { for: `boards-${seat}` }, seat), choices[place]))),
    h("div", { class: "row" }, propose));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const boards = numbersIn(numbers.value, count());
    /** @type {P.Reveal[]} */
    const cards = (boards ?? []).flatMap((board) => choices.flatMap(({ value }, seat) => {
      const position = 4 * (board - 1) + seat;
      const to = value === "all" ? value : Number(value);
      const { lies } = placeAt(match, position);
      const closed = lies === "closed" || (lies !== "open" && to === "all");
      return value !== "" && closed ? [{ position, to }] : [];
    }));
    setText(problem, !boards?.length ? `Write numbers from 1 to ${count()}, such as 1-4, 7.`
      : cards.length === 0 ? "These hands are open to them already." : "");
    if (problem.textContent) numbers.focus();
    else say({ do: "propose", cards });
  });
  const making = h("section", { "aria-labelledby": "proposing" }, h("h3", { id: "proposing" }, "Propose to open"), form);
  const proposals = proposalList(() => match, say, boardsInWords);

  const pass = h("button", { type: "button" }, "Pass");
  pass.addEventListener("click", async () => {
    const text = "What is still closed when both have passed stays closed for ever. Do not pass before the play: "
      + "the sealed boards wait on both disks, and the match can be resumed.";
    if (await confirmed("Pass?", text, "Pass")) say({ do: "pass" });
  });
  const turn = h("p", { class: "muted" });
  const summary = h("p", { class: "muted" });
  const boards = h("ul", { class: "boards" });
  const root = h("section", { class: "panel", "aria-labelledby": "boards-title" },
    h("h2", { id: "boards-title" }, "Boards"), summary,
    h("div", { class: "columns" },
      h("div", { class: "column" }, sealed, proposals.root),
      h("div", { class: "column" }, making,
        h("section", { "aria-labelledby": "ending" }, h("h3", { id: "ending" }, "End the set"), turn, h("div", { class: "row" }, pass)))),
    boards);

  /** @param {number} position */
  const hand = (position) => {
    const { lies, card, holder } = placeAt(match, position);
    const seat = SEATS[position % 4];
    const board = Math.floor(position / 4) + 1;
    const who = { closed: "closed", theirs: `only ${nameOf(match, otherSeat(match))}`, mine: "only you", open: "" }[lies];
    const note = holder !== null && lies === "open" ? `shown by ${nameOf(match, holder).replace("You", "you")}` : who;
    const suits = card?.split(".") ?? [];
    return h("div", { class: `bridge-hand ${seat.toLowerCase()} ${lies}` },
      h("p", { class: "bridge-seat" }, h("span", { class: "unseen" }, seat), h("span", { "aria-hidden": "true" }, seat[0]),
        note && h("span", { class: "muted" }, ` ${note}`)),
      suits.length === 4 && h("ul", {}, ...SUITS.map(([sign, name], at) => h("li", {},
        h("span", { class: `suit-${name[0]}`, "aria-hidden": "true" }, `${sign}\ufe0e`), h("span", { class: "unseen" }, name),
        ` ${suits[at].replace("T", "10") || "–"}`))),
      lies === "mine" && speaks(match) && h("button", {
        type: "button", "aria-label": `Show the ${seat} hand of board ${board} to all`,
        onclick: () => say({ do: "show-card", position }),
      }, "Show"));
  };
  /** @param {number} board from 0 */
  const diagram = (board) => h("li", { class: "board" },
    h("div", { class: "board-name" }, h("h3", {}, `Board ${board + 1}`),
      h("p", {}, `Dealer ${SEATS[board % 4]}`), h("p", {}, `Vul. ${VULNERABLE[board % 16]}`)),
    ...[0, 3, 1, 2].map((seat) => hand(4 * board + seat)));

  let shown = "";
  /** @param {Match} now */
  const update = (now) => {
    match = now;
    const own = speaks(match);
    setText(seal, match.deal?.sealed?.seal ?? "");
    sealed.hidden = !seal.textContent;
    if (choices[0].options.length === 0 && match.seated) {
      const whom = [["all", "to all"], [match.own, "to you"], [otherSeat(match), `to ${nameOf(match, otherSeat(match))}`], ["", "stays closed"]];
      for (const choice of choices) choice.append(...whom.map(([value, words]) => h("option", { value }, words)));
    }
    propose.disabled = !own?.may_propose;
    pass.disabled = !own;
    setText(turn, own ? "Both pass when nothing more is to be opened." : "It is not your turn to speak.");
    proposals.update();
    const lies = Array.from({ length: 4 * count() }, (_, position) => placeAt(match, position));
    const all = Array.from({ length: count() }, (_, board) => board);
    const closed = all.filter((board) => lies.slice(4 * board, 4 * board + 4).every((one) => one.lies === "closed"));
    setText(summary, closed.length === 0 ? `${count()} boards.` : `${count()} boards. Closed to everybody: ${ranges(closed.map((board) => board + 1))}.`);
    const key = JSON.stringify([lies, Boolean(own)]);
    if (key === shown) return;
    shown = key;
    clear(boards, ...all.filter((board) => !closed.includes(board)).map(diagram));
  };
  return { root, update };
}
