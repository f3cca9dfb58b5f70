// A card as an element: its face, its back, its accessible name, and the players who can see it.

import { clear, h, setAttribute, setText, svg } from "./dom.js";
import { cardName, cardSign, rankAndSuit } from "./words.js";

/** The outlines of the suit signs, in a square of 24. */
const SIGNS = {
  s: "M12 2C9.5 6.5 3 9.6 3 15a4.6 4.6 0 0 0 7.9 3.2c-.3 1.7-1 3-2.3 3.8h6.8c-1.3-.8-2-2.1-2.3-3.8A4.6 4.6 0 0 0 21 15c0-5.4-6.5-8.5-9-13z",
  h: "M12 21.5C6 17 2.5 13.4 2.5 8.9A5.2 5.2 0 0 1 12 6.1a5.2 5.2 0 0 1 9.5 2.8c0 4.5-3.5 8.1-9.5 12.6z",
  d: "M12 1.8 20 12l-8 10.2L4 12z",
  c: "M12 2a4.7 4.7 0 0 0-4.2 6.8 4.8 4.8 0 1 0 3.1 8.2c-.2 2.2-.9 3.8-2.3 5h6.8c-1.4-1.2-2.1-2.8-2.3-5a4.8 4.8 0 1 0 3.1-8.2A4.7 4.7 0 0 0 12 2z",
};

const EYE = "M12 5C6.5 5 2.7 9.3 1.3 12c1.4 2.7 5.2 7 10.7 7s9.3-4.3 10.7-7C21.3 9.3 17.5 5 12 5zm0 11a4 4 0 1 1 0-8 4 4 0 0 1 0 8z";

/** The view of a card, initially closed. `show` turns it over. @returns {CardView} */
export function cardView() {
  const face = h("span.face");
  const root = h("span.card", { role: "img" }, h("span.turning", face, h("span.back")));
  /** @type {string | null | undefined} */
  let shown;
  return {
    root,
    show(card, sees = "") {
      if (card !== shown) {
        shown = card;
        if (card !== null) drawFace(root, face, card);
        root.classList.toggle("open", card !== null);
      }
      setAttribute(root, "aria-label", card === null ? "closed card" : `${cardName(card)}, seen by ${sees}`);
    },
  };
}

/** A tag that names the players who can see cards: "only you", or "all". */
export function seesTag() {
  const text = h("span");
  const root = h("span.sees", { hidden: true },
    svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: EYE })), text);
  return {
    root,
    /** @param {string} who empty for nobody */
    show(who) {
      root.hidden = who === "";
      setText(text, who);
    },
  };
}

/** @param {HTMLElement} root @param {HTMLElement} face @param {string} card */
function drawFace(root, face, card) {
  const known = rankAndSuit(card);
  root.dataset.suit = known?.suit ?? "";
  clear(face, known ? cardPicture(known.rank === "T" ? "10" : known.rank, known.suit) : card);
}

/** @param {string} rank @param {"c" | "d" | "h" | "s"} suit */
function cardPicture(rank, suit) {
  return svg("svg", { viewBox: "0 0 60 84", "aria-hidden": "true" },
    svg("text", { x: rank.length > 1 ? 5 : 7, y: 29, class: rank.length > 1 ? "rank two" : "rank" }, rank),
    svg("path", { d: SIGNS[suit], transform: "translate(7.5 34) scale(0.66)" }),
    svg("path", { d: SIGNS[suit], transform: "translate(21 44) scale(1.5)" }));
}

/** @param {Part[]} parts @returns {(string | HTMLElement)[]} */
export function written(parts) {
  return parts.flatMap((part) => {
    if (typeof part === "string") return [part];
    if ("name" in part) return [h("bdi", part.name)];
    return part.cards.flatMap((card, at) => [at > 0 ? " " : "", signOf(card)]);
  });
}

/** A card in a sentence. @param {string} card */
function signOf(card) {
  const suit = rankAndSuit(card)?.suit;
  if (!suit) return h("b", card);
  return h("b.sign", { role: "img", "data-suit": suit, "aria-label": cardName(card) }, cardSign(card));
}
