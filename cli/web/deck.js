// A deck without rules, and dice: what lies where, who sees it, and what one can propose or do.

import { announce, clear, confirmed, h, setAttribute, setText, svg } from "./dom.js";
import { cardName, cardSign, does, nameOf, rankAndSuit, reveals } from "./words.js";

/** @import { Match } from "./match.js" */
/** @import * as P from "./protocol.js" */

/** @typedef {(said: P.Command) => void} Send */
/** @typedef {{ lies: "closed" | "open" | "mine" | "theirs", card: string | null, holder: number | null }} Place */

/** How many cards are shown at once. */
const PAGE = 104;
/** How many cards a proposal may name. */
const MOST_PROPOSED = 64;

/** The turn, if this side is to speak. @param {Match} match */
export function speaks(match) {
  const turn = match.turn;
  return turn?.event === "your-turn" && turn.ask === "speak" ? turn : null;
}

/** The other of two seats. @param {Match} match */
export function otherSeat(match) {
  return match.own === 0 ? 1 : 0;
}

/**
 * What lies at a position, and who sees it.
 * @param {Match} match
 * @param {number} position
 * @returns {Place}
 */
export function placeAt(match, position) {
  const deal = match.deal;
  const open = deal?.open.find((one) => one.position === position);
  if (open) return { lies: "open", card: open.card, holder: open.holder ?? null };
  const seen = deal?.cards.get(position);
  if (seen) return { lies: seen.holder === match.own ? "mine" : "open", card: seen.card, holder: seen.holder ?? null };
  const holder = deal?.held.findIndex((held) => held.includes(position)) ?? -1;
  return { lies: holder >= 0 ? "theirs" : "closed", card: null, holder: holder >= 0 ? holder : null };
}

/**
 * Numbers as people write them: "1-4, 7". Those that are not from 1 to `most` make it null.
 * @param {string} said
 * @param {number} most
 * @returns {number[] | null} from 1, in order
 */
export function numbersIn(said, most) {
  if (said.trim() === "all") return Array.from({ length: most }, (_, at) => at + 1);
  const found = new Set();
  for (const part of said.split(/[\s,]+/).filter(Boolean)) {
    const range = /^(\d{1,4})(?:[-–](\d{1,4}))?$/.exec(part);
    const [first, last] = range ? [Number(range[1]), Number(range[2] ?? range[1])] : [0, 0];
    if (first < 1 || last < first || last > most) return null;
    for (let number = first; number <= last; number += 1) found.add(number);
  }
  return [...found].sort((a, b) => a - b);
}

/**
 * The proposals that stand, with what can be answered.
 * @param {() => Match} now
 * @param {(said: P.Choice) => void} say
 * @param {(match: Match, cards: P.Reveal[]) => string} words
 */
export function proposalList(now, say, words) {
  const list = h("ul", { class: "items" });
  const none = h("p", { class: "muted" }, "None stands.");
  const root = h("section", { "aria-labelledby": "proposals" }, h("h3", { id: "proposals" }, "Proposals"), none, list);
  let shown = "";
  const update = () => {
    const match = now();
    const proposals = speaks(match)?.proposals ?? [];
    const key = JSON.stringify(proposals);
    none.hidden = proposals.length > 0;
    if (key === shown) return;
    shown = key;
    clear(list, ...proposals.map((one) => {
      const own = one.by === match.own;
      const what = `${does(match, one.by, "propose")} to open ${words(match, one.cards)}.`;
      const refuse = h("button", { type: "button", onclick: () => say({ do: "refuse", proposal: one.proposal }) },
        own ? "Withdraw" : "Refuse");
      const agree = h("button", { type: "button", class: "main", onclick: () => say({ do: "agree", proposal: one.proposal }) }, "Agree");
      const answered = own || one.agreed.includes(match.own);
      return h("li", { class: "item" }, h("p", { class: "item-text" }, what), h("div", { class: "row" }, !answered && agree, refuse));
    }));
  };
  return { root, update };
}

/**
 * A die as a picture.
 * @param {number} face
 * @param {number} sides
 */
function die(face, sides) {
  const spots = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]][face];
  if (sides !== 6 || !spots) return h("span", { class: "die number" }, face.toLocaleString("en"));
  return svg("svg", { class: "die", viewBox: "0 0 32 32", "aria-hidden": "true" },
    ...spots.map((at) => svg("circle", { cx: 8 + 8 * (at % 3), cy: 8 + 8 * Math.floor(at / 3), r: 3 })));
}

/**
 * The dice: a form, and what was rolled.
 * @param {(said: P.Choice) => void} say
 */
function diceView(say) {
  const count = h("input", { id: "dice-count", type: "number", min: 1, max: 100, value: 2, required: true });
  const sides = h("input", { id: "dice-sides", type: "number", min: 1, max: 1_000_000, value: 6, required: true });
  const roll = h("button", { type: "submit" }, "Roll");
  const form = h("form", { class: "row dice-form" },
    h("label", { for: "dice-count" }, "Dice"), count, h("label", { for: "dice-sides" }, "Sides"), sides, roll);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    say({ do: "roll", dice: `${count.valueAsNumber}d${sides.valueAsNumber}` });
  });
  const last = h("div", { class: "rolled" });
  const root = h("section", { "aria-labelledby": "dice" }, h("h3", { id: "dice" }, "Dice"), form, last);
  /** @type {P.Rolled | undefined} */
  let shown;
  /** @param {Match} match */
  const update = (match) => {
    roll.disabled = !speaks(match);
    const rolled = match.deal?.rolled.at(-1);
    if (rolled === shown) return;
    shown = rolled;
    clear(last);
    if (!rolled) return;
    const sidesOf = Number(rolled.dice.split("d")[1]);
    const said = `${does(match, rolled.seat, "roll")} ${rolled.dice}`;
    const label = `${rolled.faces.join(", ")}: ${rolled.sum} in all`;
    last.append(h("p", {}, `${said}: ${rolled.sum.toLocaleString("en")}`),
      h("div", { class: "dice", role: "img", "aria-label": label }, ...rolled.faces.map((face) => die(face, sidesOf))));
  };
  return { root, update };
}

/**
 * A card of the grid, whose parts are changed in place, so that it keeps the focus.
 */
function cell() {
  const number = h("span", { class: "cell-number" });
  const face = h("span", { class: "cell-face" });
  const mark = h("span", { class: "cell-mark" });
  const button = h("button", { type: "button", class: "cell", tabindex: -1 }, number, face, mark);
  return { button, number, face, mark };
}

/**
 * The view of a deck without rules.
 * @param {Send} send
 * @returns {{ root: HTMLElement, update: (match: Match) => void }}
 */
export function deckView(send) {
  /** @type {Match} */
  let match;
  let page = 0;
  /** The card of the grid that the tab key comes to. */
  let focused = 0;
  /** @type {Map<number, number | "all">} the cards of the proposal that is being made */
  const marked = new Map();
  /** @type {number | "all"} */
  let learner = "all";

  /** @param {P.Choice} choice */
  const say = (choice) => {
    const turn = speaks(match);
    if (turn) send({ ...choice, turn: turn.turn });
  };
  const size = () => match.seated?.drawn ?? 0;
  const toWhom = (/** @type {number | "all"} */ to) => (to === "all" ? "all" : to === match.own ? "you" : nameOf(match, to));
  const mayLearn = (/** @type {number} */ position, /** @type {number | "all"} */ to) => {
    const { lies } = placeAt(match, position);
    return lies === "closed" || (lies === "theirs" && to === "all");
  };
  /** @param {number} position */
  const described = (position) => {
    const { lies, card, holder } = placeAt(match, position);
    const name = card ? cardName(card) : "";
    const holds = holder === null ? "" : `, ${does(match, holder, "hold")} it`.replace("You", "you");
    const what = {
      closed: "closed, nobody sees it",
      open: `${name}, all see it${holds}`,
      mine: `${name}, only you see it`,
      theirs: `closed${holds}, and nobody else sees it`,
    }[lies];
    const to = marked.get(position);
    return `Card ${position + 1}: ${what}${to === undefined ? "" : `. Marked for ${toWhom(to)}`}`;
  };

  const summary = h("p", { class: "muted" });
  const info = h("p", { class: "cell-info" });
  const grid = h("div", { class: "cells", role: "group", "aria-label": "Cards of the deck. Arrow keys go from one to the next." });
  const pages = h("select", { "aria-label": "Cards shown" });
  const pager = h("div", { class: "row pager" }, h("span", { "aria-hidden": "true" }, "Shown:"), pages);
  /** @type {ReturnType<typeof cell>[]} */
  const cells = [];

  const mark = (/** @type {number} */ position) => {
    if (marked.get(position) === learner) marked.delete(position);
    else if (!mayLearn(position, learner)) announce(`${described(position)}. It cannot be opened to ${toWhom(learner)}.`);
    else if (marked.size < MOST_PROPOSED || marked.has(position)) marked.set(position, learner);
    else announce(`A proposal names at most ${MOST_PROPOSED} cards.`);
    draw();
  };
  const at = (/** @type {Event} */ event) => cells.findIndex((one) => one.button.contains(/** @type {Node} */ (event.target)));
  grid.addEventListener("click", (event) => {
    const place = at(event);
    if (place < 0) return;
    focused = place;
    mark(page * PAGE + place);
  });
  const tell = (/** @type {Event} */ event) => {
    const place = at(event);
    if (place >= 0) setText(info, `${described(page * PAGE + place)}.`);
  };
  grid.addEventListener("focusin", tell);
  grid.addEventListener("mouseover", tell);
  grid.addEventListener("keydown", (event) => {
    const columns = getComputedStyle(grid).gridTemplateColumns.split(" ").length;
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, Home: -focused, End: cells.length - 1 - focused }[event.key];
    if (by === undefined || !cells[focused + by]) return;
    event.preventDefault();
    cells[focused].button.tabIndex = -1;
    focused += by;
    cells[focused].button.tabIndex = 0;
    cells[focused].button.focus();
  });
  pages.addEventListener("change", () => {
    page = Number(pages.value);
    focused = 0;
    draw();
  });

  // The proposal that is being made.
  const learners = h("div", { class: "choices", role: "group", "aria-label": "Who is to see the cards that you click" });
  const numbers = h("input", { id: "deck-numbers", type: "text", autocomplete: "off", placeholder: "1-5, 9" });
  const problem = h("p", { class: "field-error", role: "alert" });
  const picked = h("p", { class: "picked", "aria-live": "polite" });
  const propose = h("button", { type: "button", class: "main" }, "Propose");
  const unmark = h("button", { type: "button" }, "Unmark all");
  propose.addEventListener("click", () => {
    const cards = [...marked].sort(([a], [b]) => a - b).map(([position, to]) => ({ position, to }));
    marked.clear();
    say({ do: "propose", cards });
  });
  unmark.addEventListener("click", () => {
    marked.clear();
    draw();
  });
  const byNumber = h("form", { class: "row" },
    h("label", { for: "deck-numbers" }, "By number"), numbers, h("button", { type: "submit" }, "Mark"));
  byNumber.addEventListener("submit", (event) => {
    event.preventDefault();
    const found = numbersIn(numbers.value, size());
    setText(problem, found === null || found.length === 0 ? `Write numbers from 1 to ${size()}: 1-5, 9, for example.` : "");
    for (const number of found ?? []) {
      if (mayLearn(number - 1, learner) && marked.size < MOST_PROPOSED) marked.set(number - 1, learner);
    }
    draw();
  });

  // What needs no agreement.
  const drawOne = h("button", { type: "button", onclick: () => say({ do: "draw" }) }, "Draw");
  const steal = h("button", { type: "button", onclick: () => say({ do: "steal", from: otherSeat(match) }) }, "Steal a card");
  const pass = h("button", { type: "button" }, "Pass");
  pass.addEventListener("click", async () => {
    const text = "When both have passed, one after the other, the hand is over. Cards that are closed then stay closed for ever.";
    if (await confirmed("Pass?", text, "Pass")) say({ do: "pass" });
  });
  const moves = h("p", { class: "muted" });
  const own = h("ul", { class: "items" });
  const ownSection = h("section", { "aria-labelledby": "own-cards" }, h("h3", { id: "own-cards" }, "Your cards"),
    h("p", { class: "muted" }, "Show: all see it, and you keep it. Lay down: all see it, and nobody holds it any more."), own);
  const proposals = proposalList(() => match, say, reveals);
  const dice = diceView(say);
  const making = h("section", { "aria-labelledby": "proposing" }, h("h3", { id: "proposing" }, "Propose to open"),
    learners, byNumber, problem, picked, h("div", { class: "row" }, propose, unmark));
  const root = h("section", { class: "deck panel", "aria-labelledby": "deck-title" },
    h("h2", { id: "deck-title" }, "Deck"), summary, pager, grid, info,
    h("div", { class: "columns" },
      h("div", { class: "column" }, proposals.root, making),
      h("div", { class: "column" },
        h("section", { "aria-labelledby": "moves" }, h("h3", { id: "moves" }, "Without agreement"),
          h("div", { class: "row" }, drawOne, steal, pass), moves),
        ownSection, dice.root)));

  let ownKey = "";
  const drawOwn = () => {
    const held = match.deal?.held[match.own] ?? match.deal?.own.filter((one) => one !== null) ?? [];
    const shown = held.map((position) => ({ position, ...placeAt(match, position) }));
    const may = Boolean(speaks(match));
    const key = JSON.stringify([shown, may]);
    ownSection.hidden = shown.length === 0;
    if (key === ownKey) return;
    ownKey = key;
    clear(own, ...shown.map(({ position, card, lies }) => {
      const name = card ? cardName(card) : `card ${position + 1}`;
      const act = (/** @type {string} */ label, /** @type {P.Choice} */ choice) =>
        h("button", { type: "button", disabled: !may, "aria-label": `${label} ${name}`, onclick: () => say(choice) }, label);
      return h("li", { class: "item" },
        h("p", { class: "item-text" }, `${name}: ${lies === "open" ? "all see it, you hold it" : "only you see it"}`),
        h("div", { class: "row" }, lies !== "open" && act("Show", { do: "show-card", position }), act("Lay down", { do: "reveal", position })));
    }));
  };
  const drawLearners = () => {
    const all = /** @type {(number | "all")[]} */ ([match.own, otherSeat(match), "all"]);
    if (learners.children.length === 0) {
      learners.append("To ", ...all.map((to) => h("button", {
        type: "button",
        onclick: () => {
          learner = to;
          draw();
        },
      })));
    }
    [...learners.querySelectorAll("button")].forEach((button, place) => {
      setText(button, toWhom(all[place]));
      setAttribute(button, "aria-pressed", String(learner === all[place]));
    });
  };
  const drawCells = () => {
    const shown = Math.min(PAGE, size() - page * PAGE);
    while (cells.length > shown) cells.pop()?.button.remove();
    while (cells.length < shown) {
      const one = cell();
      cells.push(one);
      grid.append(one.button);
    }
    focused = Math.min(focused, Math.max(0, cells.length - 1));
    cells.forEach(({ button, number, face, mark: sign }, place) => {
      const position = page * PAGE + place;
      const { lies, card, holder } = placeAt(match, position);
      const [kind, copy] = (card ?? "").split("#");
      const suit = card ? rankAndSuit(card)?.suit : null;
      const to = marked.get(position);
      setText(number, String(position + 1));
      setText(face, card ? (copy ? kind : cardSign(card)) : "");
      setText(sign, to !== undefined ? `→ ${toWhom(to)}` : holder !== null ? toWhom(holder) : copy ? `#${copy}` : "");
      setAttribute(button, "class", `cell ${lies}${suit ? ` suit-${suit}` : ""}${copy ? " kind" : ""}`);
      setAttribute(button, "aria-pressed", String(to !== undefined));
      setAttribute(button, "aria-label", described(position));
      button.tabIndex = place === focused ? 0 : -1;
    });
  };
  const draw = () => {
    const turn = speaks(match);
    for (const [position, to] of marked) if (!mayLearn(position, to)) marked.delete(position);
    const of = Array.from({ length: size() }, (_, position) => placeAt(match, position).lies);
    const number = (/** @type {string} */ lies) => of.filter((one) => one === lies).length;
    const next = of.indexOf("closed");
    const other = nameOf(match, otherSeat(match));
    setText(summary, `${size()} cards: ${number("closed")} closed, ${number("open")} open to all, ${number("mine")} only you see, `
      + `${number("theirs")} only ${other} sees.`);
    const count = Math.ceil(size() / PAGE);
    pager.hidden = count < 2;
    if (pages.options.length !== count) {
      clear(pages, ...Array.from({ length: count }, (_, one) =>
        h("option", { value: one }, `${one * PAGE + 1} to ${Math.min(size(), (one + 1) * PAGE)}`)));
    }
    pages.value = String(page);
    drawLearners();
    drawCells();
    drawOwn();
    const cards = [...marked].sort(([a], [b]) => a - b).map(([position, to]) => ({ position, to }));
    setText(picked, cards.length === 0 ? "Click cards of the deck, or write their numbers." : `To open: ${reveals(match, cards)}.`);
    propose.disabled = !turn?.may_propose || cards.length === 0;
    unmark.disabled = cards.length === 0;
    drawOne.disabled = !turn?.may_draw;
    steal.disabled = !turn || (match.deal?.held[otherSeat(match)] ?? []).length === 0;
    pass.disabled = !turn;
    setText(drawOne, next < 0 ? "Draw" : `Draw card ${next + 1}`);
    setText(steal, `Steal from ${other}`);
    setText(moves, turn ? "Draw: only you see the card. Steal: a random card of the other hand, which all see." : "It is not your turn to speak.");
    proposals.update();
    dice.update(match);
  };
  return {
    root,
    update: (now) => {
      match = now;
      draw();
    },
  };
}
