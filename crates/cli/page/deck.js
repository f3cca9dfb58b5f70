// A deck without rules, and dice: the cards, the players who see them, proposals and other moves.

import { buttonTo, clear, complain, confirmed, h, quiet, setAttribute, setText, svg } from "./dom.js";
import { written } from "./cards.js";
import { amount, asSentence, cardName, cardSign, nameOf, rankAndSuit, sentencesOf, timeWords } from "./words.js";

/** The cards shown at once. */
const PAGE = 104;
const MOST_PROPOSED = 64;

/** This side's turn; null if it has none or another page plays. @param {Match} match */
export function ownTurn({ turn, watches }) {
  return !watches && turn?.event === "your-turn" && turn.ask === "speak" ? turn : null;
}

/** @param {Send} send @param {Match} match @param {Choice} choice */
export function speak(send, match, choice) {
  const turn = ownTurn(match);
  if (turn) send({ ...choice, turn: turn.turn }).catch(complain);
}

/**
 * Text: whose turn it is, the time left, and why the last command was refused.
 * @param {Match} match
 * @param {string} words shown at this side's turn
 */
export function turnWords(match, words) {
  const turn = ownTurn(match);
  const time = turn?.time ? ` You have ${timeWords(turn.time)}.` : "";
  const not = match.watches ? "Another page is playing." : "It is not your turn.";
  return `${turn ? words + time : not} ${match.refused ? asSentence(match.refused.message) : ""}`;
}

/** @param {Match} match @param {Learner} to */
export function whom(match, to) {
  return to === "all" ? "all" : to === match.own ? "you" : nameOf(match, to);
}

/** @param {Match} match @returns {Place[]} */
export function placesOf({ deal, own, seated }) {
  const opened = new Map((deal?.open ?? []).map((one) => [one.position, one]));
  const holders = new Map((deal?.held ?? []).flatMap((held, seat) => held.map((position) => [position, seat])));
  return Array.from({ length: seated?.drawn ?? 0 }, (_, position) => {
    const open = opened.get(position);
    const seen = deal?.cards.get(position);
    const holder = holders.get(position) ?? null;
    // A steal since the last turn may have put another card here.
    if (open && (!seen || seen.card === open.card)) return { lies: "open", card: open.card, holder: open.holder ?? holder };
    if (seen) return { lies: seen.holder === own ? "mine" : "open", card: seen.card, holder: seen.holder ?? holder };
    return { lies: holder === null ? "closed" : "theirs", card: null, holder };
  });
}

/** @param {Place} place @param {Learner} to */
export function mayLearn({ lies }, to) {
  return lies === "closed" || (lies !== "open" && to === "all");
}

/**
 * Parses numbers from 1 to `most`, such as "1-4, 7" or "all". Null if the text is invalid.
 * @param {string} text
 * @param {number} most
 */
export function numbersIn(text, most) {
  const found = new Set();
  for (const part of text.trim() === "all" ? [`1-${most}`] : text.split(/[\s,]+/).filter(Boolean)) {
    const [, from, to = from] = /^(\d{1,4})(?:[-–](\d{1,4}))?$/.exec(part) ?? [];
    if (!(Number(from) >= 1 && Number(from) <= Number(to) && Number(to) <= most)) return null;
    for (let number = Number(from); number <= Number(to); number += 1) found.add(number);
  }
  return found.size === 0 ? null : [...found].sort((a, b) => a - b);
}

/** @param {string} id @param {string} title @param {...Child} inside */
export function part(id, title, ...inside) {
  return h("section", { "aria-labelledby": id }, h("h3", { id }, title), ...inside);
}

/** The open proposals, with the buttons to answer them. @param {(choice: Choice) => void} say */
export function proposalList(say) {
  const list = h("ul.items");
  const root = part("proposals", "Proposals", list);
  let shown = "";
  /** @param {Match} match */
  const update = (match) => {
    const turn = ownTurn(match);
    const proposals = turn?.proposals ?? [];
    const sentences = turn ? sentencesOf(turn) : [];
    root.hidden = proposals.length === 0;
    if (JSON.stringify(proposals) === shown) return;
    shown = JSON.stringify(proposals);
    clear(list, ...proposals.map(({ proposal, by, agreed }, at) => h("li.item",
      h("p.item-text", ...written(sentences[at] ?? [])),
      h("div.row",
        by !== match.own && !agreed.includes(match.own)
          && buttonTo("Agree", () => say({ do: "agree", proposal }), { class: "main" }),
        buttonTo(by === match.own ? "Withdraw" : "Refuse", () => say({ do: "refuse", proposal }))))));
  };
  return { root, update };
}

/** @param {(choice: Choice) => void} say @param {string} warning */
export function passButton(say, warning) {
  const pass = async () => {
    if (await confirmed("Pass?", warning, "Pass")) say({ do: "pass" });
  };
  return buttonTo("Pass", pass);
}

/** @param {number} face @param {number} sides */
function die(face, sides) {
  const spots = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]][face];
  if (sides !== 6 || !spots) return h("span.die.number", amount(face));
  return svg("svg", { class: "die", viewBox: "0 0 32 32" },
    ...spots.map((at) => svg("circle", { cx: 8 + 8 * (at % 3), cy: 8 + 8 * Math.floor(at / 3), r: 3 })));
}

/** @param {(choice: Choice) => void} say */
function diceView(say) {
  const [dice, sides] = [["Dice", 100, 2], ["Sides", 1_000_000, 6]].map(([name, max, value]) =>
    h("input", { type: "number", "aria-label": name, min: 1, max, value, required: true }));
  const roll = h("button", { type: "submit" }, "Roll");
  const last = h("div");
  const form = h("form.row", dice, "dice", sides, "sides", roll);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    say({ do: "roll", dice: `${dice.valueAsNumber}d${sides.valueAsNumber}` });
  });
  /** @type {Rolled | undefined} */
  let shown;
  /** @param {Match} match */
  const update = (match) => {
    roll.disabled = !ownTurn(match);
    const rolled = match.deal?.rolled.at(-1);
    if (rolled === shown) return;
    shown = rolled;
    const who = rolled?.seat === match.own ? "You roll" : `${nameOf(match, rolled?.seat ?? 0)} rolls`;
    clear(last, rolled && h("p", `${who} ${rolled.dice}: ${amount(rolled.sum)}`),
      rolled && h("div.row", { role: "img", "aria-label": `The dice show ${rolled.faces.join(", ")}` },
        ...rolled.faces.map((face) => die(face, Number(rolled.dice.split("d")[1])))));
  };
  return { root: part("dice", "Dice", form, last), update };
}

/** @param {Send} send @returns {View} */
export function deckView(send) {
  /** @type {Match} */
  let match;
  /** @type {Place[]} */
  let places = [];
  let page = 0;
  /** The cell of the grid that the tab key focuses. */
  let focused = 0;
  /** The cards marked for the next proposal. @type {Map<number, Learner>} */
  const marked = new Map();
  /** @type {Learner} */
  let learner = "all";
  const say = (/** @type {Choice} */ choice) => speak(send, match, choice);
  const other = () => 1 - match.own;
  const proposed = () => [...marked].sort(([a], [b]) => a - b).map(([position, to]) => ({ position, to }));

  /** @param {number} position */
  const described = (position) => {
    const { lies, card, holder } = places[position];
    const name = card ? cardName(card) : "";
    const holds = holder === null ? "" : holder === match.own ? "; you hold it" : `; ${nameOf(match, holder)} holds it`;
    const what = {
      closed: "closed to all",
      open: `${name}, seen by all${holds}`,
      mine: `${name}, seen by only you`,
      theirs: `closed${holds}, and nobody else sees it`,
    }[lies];
    const to = marked.get(position);
    return `Card ${position + 1}: ${what}${to === undefined ? "" : `. Marked to open to ${whom(match, to)}`}.`;
  };

  // Cells are changed in place, so that they keep the focus.
  const grid = h("div.cells", { role: "group", "aria-label": "Cards. Use the arrow keys to move between them." });
  const cell = () => {
    const [number, face, sign] = ["number", "face sign", "mark"].map((of) => h("span", { class: `cell-${of}`, "aria-hidden": "true" }));
    const name = h("span.unseen");
    const button = h("button", { type: "button" }, number, face, sign, name);
    grid.append(button);
    return { button, number, face, sign, name };
  };
  /** @type {ReturnType<typeof cell>[]} */
  const cells = [];
  const pages = h("select.pages", { "aria-label": "Cards shown" });
  pages.addEventListener("change", () => { page = Number(pages.value); draw(); });
  /** Marks a card. Returns why this is not possible; empty if done. @param {number} position */
  const mark = (position) => {
    if (!mayLearn(places[position], learner)) return `${described(position)} It cannot be opened to ${whom(match, learner)}.`;
    if (!marked.has(position) && marked.size === MOST_PROPOSED) return `A proposal can have at most ${MOST_PROPOSED} cards.`;
    marked.set(position, learner);
    return "";
  };
  grid.addEventListener("click", (event) => {
    const place = cells.findIndex((one) => one.button.contains(/** @type {Node} */ (event.target)));
    if (place < 0) return;
    focused = place;
    const position = page * PAGE + place;
    const problem = marked.get(position) === learner && marked.delete(position) ? "" : mark(position);
    draw();
    if (problem) setText(picked, problem);
  });
  grid.addEventListener("keydown", (event) => {
    const row = getComputedStyle(grid).gridTemplateColumns.split(" ").length;
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -row, ArrowDown: row, Home: -focused, End: cells.length - 1 - focused }[event.key];
    if (by === undefined || !cells[focused + by]) return;
    event.preventDefault();
    focused += by;
    cells.forEach(({ button }, place) => { button.tabIndex = place === focused ? 0 : -1; });
    cells[focused].button.focus();
  });

  const learners = h("div.row", { role: "group", "aria-label": "Open the cards to" });
  const numbers = h("input", { type: "text", autocomplete: "off", placeholder: "1-5, 9", "aria-label": "Card numbers" });
  const picked = h("p", { "aria-live": "polite" });
  const propose = buttonTo("Propose", () => {
    const cards = proposed();
    marked.clear();
    say({ do: "propose", cards });
  }, { class: "main" });
  const unmark = buttonTo("Unmark all", () => { marked.clear(); draw(); });
  const byNumber = h("form.row", numbers, h("button", { type: "submit" }, "Mark"));
  byNumber.addEventListener("submit", (event) => {
    event.preventDefault();
    const found = numbersIn(numbers.value, places.length);
    const problem = found ? found.map((number) => mark(number - 1)).find(Boolean) : `Enter numbers from 1 to ${places.length}, such as 1-5, 9.`;
    draw();
    if (problem) setText(picked, problem);
  });

  const drawOne = buttonTo("", () => say({ do: "draw" }));
  const steal = buttonTo("", () => say({ do: "steal", from: other() }));
  const pass = passButton(say, "When both have passed, the hand is over. Closed cards then stay closed forever.");
  const own = h("ul.items");
  const ownPart = part("own-cards", "Your cards",
    quiet("Show: all see the card, and you keep it. Lay down: all see it, and nobody holds it."), own);
  const summary = quiet();
  const turn = quiet();
  const proposals = proposalList(say);
  const dice = diceView(say);
  const root = h("div.deck-view", h("section.panel.sides", { "aria-labelledby": "deck-title" },
    h("div", h("h2", { id: "deck-title" }, "Deck"), summary, pages, grid),
    h("div.deck-moves", proposals.root,
      part("proposing", "Propose to open", quiet("Choose who will see the cards, then click them or enter their numbers."),
        learners, byNumber, picked, h("div.row", propose, unmark)),
      part("moves", "Without agreement", turn, h("div.row", drawOne, steal, pass)),
      ownPart, dice.root)));

  let ownKey = "";
  const drawOwn = () => {
    const held = (match.deal?.held[match.own] ?? match.deal?.own ?? []).flatMap((position) =>
      (position === null ? [] : [{ position, ...places[position] }]));
    const key = JSON.stringify([held, Boolean(ownTurn(match))]);
    ownPart.hidden = held.length === 0;
    if (key === ownKey) return;
    ownKey = key;
    clear(own, ...held.map(({ position, card, lies }) => {
      const name = card ? cardName(card) : `card ${position + 1}`;
      const act = (/** @type {string} */ label, /** @type {Choice} */ choice) => buttonTo(label, () => say(choice), {
        disabled: !ownTurn(match), "aria-label": `${label}: ${name}`,
      });
      return h("li.item",
        h("p.item-text", `${name}: ${lies === "open" ? "seen by all" : "seen by only you"}`),
        h("div.row", lies !== "open" && act("Show", { do: "show-card", position }), act("Lay down", { do: "reveal", position })));
    }));
  };
  const drawLearners = () => {
    const all = /** @type {Learner[]} */ (["all", match.own, other()]);
    if (!learners.firstChild) {
      learners.append(...all.map((to) => buttonTo(`To ${whom(match, to)}`, () => { learner = to; draw(); })));
    }
    [...learners.children].forEach((button, place) => setAttribute(button, "aria-pressed", String(learner === all[place])));
  };
  const drawCells = () => {
    const shown = Math.min(PAGE, places.length - page * PAGE);
    while (cells.length > shown) cells.pop()?.button.remove();
    while (cells.length < shown) cells.push(cell());
    focused = Math.min(focused, Math.max(0, shown - 1));
    cells.forEach(({ button, number, face, sign, name }, place) => {
      const position = page * PAGE + place;
      const { lies, card, holder } = places[position];
      const [kind, copy] = (card ?? "").split("#");
      const to = marked.get(position);
      setText(number, amount(position + 1));
      setText(face, copy ? kind : card ? cardSign(card) : "");
      setAttribute(face, "data-suit", card && rankAndSuit(card)?.suit);
      setText(sign, to !== undefined ? `→ ${whom(match, to)}` : [copy && `#${copy}`, holder !== null && whom(match, holder)].filter(Boolean).join(" "));
      setAttribute(button, "class", `cell ${lies}${copy ? " kind" : ""}`);
      setAttribute(button, "aria-pressed", String(to !== undefined));
      setText(name, described(position));
      face.title = name.textContent ?? "";
      button.tabIndex = place === focused ? 0 : -1;
    });
  };
  const draw = () => {
    const now = ownTurn(match);
    for (const [position, to] of marked) if (!mayLearn(places[position], to)) marked.delete(position);
    const number = (/** @type {Place["lies"]} */ lies) => amount(places.filter((one) => one.lies === lies).length);
    const next = places.findIndex((one) => one.lies === "closed");
    const name = nameOf(match, other());
    setText(summary, `${number("closed")} closed, ${number("open")} open to all, ${number("mine")} seen by only you, `
      + `${number("theirs")} by only ${name}.`);
    const count = Math.ceil(places.length / PAGE);
    pages.hidden = count < 2;
    if (pages.options.length !== count) {
      clear(pages, ...Array.from({ length: count }, (_, one) =>
        h("option", { value: one }, `Cards ${amount(one * PAGE + 1)} to ${amount(Math.min(places.length, (one + 1) * PAGE))}`)));
    }
    drawLearners();
    drawCells();
    drawOwn();
    setText(picked, marked.size === 0 ? "" : `To open: ${proposed().map(({ position, to }) => `card ${position + 1} to ${whom(match, to)}`).join(", ")}.`);
    propose.disabled = !now?.may_propose || marked.size === 0;
    unmark.disabled = marked.size === 0;
    drawOne.disabled = !now?.may_draw;
    steal.disabled = !now || match.deal?.held[other()]?.length === 0;
    pass.disabled = !now;
    setText(drawOne, next < 0 || !match.deal?.held.length ? "Draw" : `Draw card ${amount(next + 1)}`);
    setText(steal, `Steal from ${name}`);
    setText(turn, turnWords(match, "Only you see a card you draw. A stolen card is random, and all see it."));
    proposals.update(match);
    dice.update(match);
  };
  return {
    root,
    update: (now) => {
      match = now;
      places = placesOf(match);
      draw();
    },
  };
}
