// What the deal cost, and what was checked: on demand.

import { clear, h, quiet } from "./dom.js";
import { amount, bytes } from "./words.js";

/** @import { Cost } from "./protocol.js" */
/** @import { Match } from "./types.js" */

export function costView() {
  const content = h("div", { class: "cost-content" });
  const root = h("details", { class: "panel cost", hidden: true }, h("summary", null, "What the deal cost"), content);
  /** The seal that is shown. */
  let shown = "";
  /** @type {Match | null} */
  let last = null;
  const draw = () => {
    const sealed = last?.deal?.sealed;
    if (!root.open || !sealed || sealed.seal === shown) return;
    shown = sealed.seal;
    clear(content, ...costParts(sealed.cost),
      h("h3", null, `Seal of hand ${amount(sealed.hand)}`),
      h("p", { class: "code" }, sealed.seal),
      quiet("This is the hash of all that both sides have said up to the sealed deck. If you publish it before a card "
        + "is opened, you can show later, with the record, that nothing was changed since."));
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
    return [h("p", null, "This hand was taken up again after a break: what its shuffle cost is not told again.")];
  }
  const row = (/** @type {string} */ name, /** @type {string} */ value) => [h("dt", null, name), h("dd", null, value)];
  const ahead = cost.prepared_hands > 0
    ? `${milliseconds(cost.prepared_ms)}, ${bytes(cost.prepared_bytes)}, for ${amount(cost.prepared_hands)} ${cost.prepared_hands === 1 ? "hand" : "hands"}`
    : "nothing since the last deal";
  return [
    h("dl", { class: "facts" },
      ...row("The shuffle", `${milliseconds(cost.shuffle_ms)}, ${bytes(cost.shuffle_bytes)} both ways`),
      ...row("Made ahead", ahead)),
    h("h3", null, "What was checked"),
    h("p", null, `Both programs shuffled the deck together, by a circuit in which ${amount(cost.ands)} AND gates have inputs that depend `
      + "on both. Neither program knows the order of the cards."),
    h("p", null, "Both checked the result of each of these gates, by tags that only the other side’s secret key makes. Each proved that "
      + "it computed rightly what it computed alone, and that what it entered is in range."),
    h("p", null, "The random bits that were made ahead were compared and combined, so that wrong ones pass unnoticed with a chance of at "
      + `most 1 in 2^${cost.statistical_security} for each batch. The other checks let a lie pass far more seldom.`),
    h("p", null, "The deck counts as sealed only after all checks have passed; one that fails ends the line before a card is opened."),
  ];
}

/** @param {number} time */
function milliseconds(time) {
  return time >= 1000 ? `${(time / 1000).toPrecision(3)} s` : `${Number(time.toPrecision(3))} ms`;
}
