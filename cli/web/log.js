// The log: what has happened, in words. It only grows, hand by hand, and what is out of sight costs nothing to lay out.

import { h } from "./dom.js";
import { written } from "./cards.js";

/** @import { Event } from "./protocol.js" */
/** @import { Part } from "./words.js" */

/** Events that are set apart from the moves of a hand. */
const LOUD = ["line-lost", "ask-again", "out-of-time", "stopped", "error", "again"];

export function logView() {
  const hands = h("ol", { class: "log-hands" });
  // The newest entry stays in sight: the box is laid out from its end.
  const box = h("div", { class: "log", role: "log", "aria-live": "off", "aria-label": "Log", tabindex: "0" }, hands);
  const root = h("section", { class: "panel log-panel", "aria-labelledby": "log-title" },
    h("h2", { id: "log-title" }, "Log"), box);
  let entries = group("");
  /** The last entry, if it only told for how long something is waited for. @type {HTMLElement | null} */
  let waited = null;

  /** @param {string} title */
  function group(title) {
    const list = h("ol");
    hands.append(h("li", { class: "log-hand" }, title && h("h3", null, title), list));
    return list;
  }

  return {
    root,
    /** @param {Event} event @param {Part[]} parts */
    add(event, parts) {
      if (event.event === "dealt" && event.try === 0) {
        entries = group(`Hand ${event.hand}`);
        return;
      }
      if (parts.length === 0 || parts[0] === "") return;
      const bad = LOUD.includes(event.event) || (event.event === "over" && event.exit_code !== 0);
      const kind = bad ? "loud" : event.event;
      const entry = h("li", { "data-kind": kind }, ...written(parts));
      if (event.event === "waiting" && waited) waited.replaceWith(entry);
      else entries.append(entry);
      waited = event.event === "waiting" ? entry : null;
    },
  };
}
