// Boards of bridge: the open hands, and proposals to open hands.

import { buttonTo, clear, h, panel, quiet, setText } from "./dom.js";
import { mayLearn, numbersIn, part, passButton, placesOf, proposalList, speak, ownTurn, turnWords, whom } from "./deck.js";
import { copyButton } from "./invite.js";
import { SEATS } from "./words.js";

const SUITS = [["♠", "s", "spades"], ["♥", "h", "hearts"], ["♦", "d", "diamonds"], ["♣", "c", "clubs"]];
/** The vulnerability of four boards. The next four use this list rotated by one. */
const VULNERABLE = ["None", "N-S", "E-W", "All"];

/** Sorted numbers as ranges: 1–4, 7. @param {number[]} numbers */
function ranges(numbers) {
  /** @type {number[][]} */
  const found = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
}

/** @param {Send} send @returns {View} */
export function boardsView(send) {
  /** @type {Match} */
  let match;
  /** @type {Place[]} */
  let places = [];
  const say = (/** @type {Choice} */ choice) => speak(send, match, choice);
  const count = () => places.length / 4;

  const seal = h("p.code.seal", { tabindex: 0 });
  const sealPart = part("seal", "Seal",
    h("p", "Nobody knows the boards, and nobody can change a card. Publish the seal before play: with the record it proves that the boards were dealt before play."),
    seal, h("div.row", copyButton("Copy the seal", () => seal.textContent ?? "")));

  const numbers = h("input", { id: "boards", type: "text", autocomplete: "off", value: "all" });
  const problem = h("p.error", { role: "alert" });
  const choices = SEATS.map((seat) => h("select", { id: `to-${seat}` }));
  const propose = h("button", { type: "submit", class: "main" }, "Propose");
  const field = (/** @type {string} */ label, /** @type {HTMLElement} */ input) =>
    h("div.field", h("label", { for: input.id }, label), input);
  const form = h("form.form", field("Boards, such as 1-4, 7, or all", numbers), problem,
    h("div.four", ...SEATS.map((seat, at) => field(seat, choices[at]))), h("div.row", propose));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const boards = numbersIn(numbers.value, count());
    const cards = (boards ?? []).flatMap((board) => choices.flatMap(({ value }, seat) => {
      const position = 4 * (board - 1) + seat;
      const to = /** @type {Learner} */ (value === "all" ? value : Number(value));
      return value !== "" && mayLearn(places[position], to) ? [{ position, to }] : [];
    }));
    setText(problem, !boards ? `Enter numbers from 1 to ${count()}, such as 1-4, 7.`
      : cards.length === 0 ? "Choose at least one hand that can be opened." : "");
    if (cards.length > 0) say({ do: "propose", cards });
  });
  const pass = passButton(say, "When both have passed, closed hands stay closed forever. Do not pass before play: the match can be resumed.");
  const proposals = proposalList(say);
  const turn = quiet();
  const summary = quiet();
  const boards = h("ul.boards");
  const root = panel("boards-title", "Boards", summary,
    h("div.columns",
      h("div.column", proposals.root, part("proposing", "Propose to open", form)),
      h("div.column", sealPart, part("ending", "End the set", turn, h("div.row", pass)))),
    boards);

  /** @param {number} position */
  const hand = (position) => {
    const { lies, card, holder } = places[position];
    const seat = SEATS[position % 4];
    const holds = holder === null ? "" : whom(match, holder);
    const note = { closed: "closed", theirs: `only ${holds}`, mine: "only you", open: holds && `shown by ${holds}` }[lies];
    const suits = card?.split(".") ?? [];
    return h("div", { class: `bridge-hand ${seat.toLowerCase()} ${lies}` },
      h("p", h("strong", seat), note && h("span.muted", ` ${note}`)),
      suits.length === 4 && h("ul", ...SUITS.map(([sign, suit, name], at) => h("li",
        h("span.sign", { "data-suit": suit, "aria-hidden": "true" }, `${sign}\ufe0e `), h("span.unseen", name),
        suits[at].replace("T", "10") || "–"))),
      lies === "mine" && ownTurn(match) && buttonTo("Show", () => say({ do: "show-card", position }), {
        "aria-label": `Show ${seat} of board ${Math.floor(position / 4) + 1} to all`,
      }));
  };
  /** @param {number} board from 0 */
  const diagram = (board) => h("li.board",
    h("div", h("h3", `Board ${board + 1}`), quiet(`Dealer ${SEATS[board % 4]}`),
      quiet(`Vul. ${VULNERABLE[(board + Math.floor(board / 4)) % 4]}`)),
    ...[0, 3, 1, 2].map((seat) => hand(4 * board + seat)));

  let shown = "";
  /** @param {Match} now */
  const update = (now) => {
    match = now;
    places = placesOf(match);
    const own = ownTurn(match);
    setText(seal, match.deal?.sealed?.seal ?? "");
    sealPart.hidden = !seal.textContent;
    if (choices[0].options.length === 0) {
      const learners = /** @type {Learner[]} */ (["all", match.own, 1 - match.own]).map((to) => [to, `to ${whom(match, to)}`]);
      for (const choice of choices) choice.append(...[...learners, ["", "closed"]].map(([value, words]) => h("option", { value }, words)));
    }
    propose.disabled = !own?.may_propose;
    pass.disabled = !own;
    setText(turn, turnWords(match, "The set ends when both pass."));
    proposals.update(match);
    const all = Array.from({ length: count() }, (_, board) => board);
    const closed = all.filter((board) => places.slice(4 * board, 4 * board + 4).every((one) => one.lies === "closed"));
    setText(summary, `${count()} boards.${closed.length > 0 ? ` Closed: ${ranges(closed.map((board) => board + 1))}.` : ""}`);
    const key = JSON.stringify([places, Boolean(own)]);
    if (key === shown) return;
    shown = key;
    clear(boards, ...all.filter((board) => !closed.includes(board)).map(diagram));
  };
  return { root, update };
}
