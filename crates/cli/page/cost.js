// A folded panel: the cost of the last deal, and the checks made.

import { clear, h, quiet } from "./dom.js";
import { amount, bytes } from "./words.js";

export function costView() {
  const content = h("div");
  const root = h("details.panel.cost", { hidden: true }, h("summary", "Cost of the deal"), content);
  let shown = "";
  /** @type {Match | null} */
  let last = null;
  const draw = () => {
    const sealed = last?.deal?.sealed;
    if (!root.open || !sealed || sealed.seal === shown) return;
    shown = sealed.seal;
    clear(content, ...costParts(sealed.cost),
      h("h3", `Seal of hand ${amount(sealed.hand)}`),
      h("p.code", sealed.seal),
      quiet("The seal is the hash of all messages up to the sealed deck. Publish it before a card is opened: "
        + "with the record, it proves later that nothing has changed."));
  };
  root.addEventListener("toggle", draw);
  return {
    root,
    /** @param {Match} match */
    update(match) {
      last = match;
      root.hidden = !match.deal?.sealed && shown === "";
      draw();
    },
  };
}

/** @param {Cost | undefined} cost */
function costParts(cost) {
  if (!cost) {
    return [h("p", "The cost of this shuffle is not known.")];
  }
  const row = (/** @type {string} */ name, /** @type {string} */ value) => [h("dt", name), h("dd", value)];
  const ahead = cost.prepared_hands > 0
    ? `${milliseconds(cost.prepared_ms)}, ${bytes(cost.prepared_bytes)}, for ${amount(cost.prepared_hands)} ${cost.prepared_hands === 1 ? "hand" : "hands"}`
    : "nothing since the last deal";
  return [
    h("dl.facts",
      ...row("The shuffle", `${milliseconds(cost.shuffle_ms)}, ${bytes(cost.shuffle_bytes)} both ways`),
      ...row("Prepared ahead", ahead)),
    h("h3", "Checks"),
    h("p", `The two programs shuffled the deck together, in a circuit of ${amount(cost.ands)} AND gates. Neither knows the order of the cards. `
      + "Both checked the result of each gate, and proved that their inputs are in range."),
    h("p", `Cheating goes unnoticed with a chance of at most 1 in 2^${cost.statistical_security} for each batch of random bits `
      + "prepared ahead. The deck is sealed only after all checks. A failed check ends the connection before a card is opened."),
  ];
}

/** @param {number} time */
function milliseconds(time) {
  return time >= 1000 ? `${(time / 1000).toPrecision(3)} s` : `${Number(time.toPrecision(3))} ms`;
}
