// The log of the match in sentences, grouped by hand. Entries out of sight are not laid out.

import { h, panel } from "./dom.js";
import { written } from "./cards.js";

/** Events that stand out from the moves of a hand. */
const LOUD = ["line-lost", "ask-again", "out-of-time", "roll-call", "gone", "stopped", "error", "again"];

/** Events whose entry replaces that of the same event before. */
const REPLACED = ["waiting", "invite", "at-door", "table"];

/** The number of hands kept. */
const KEPT = 200;

export function logView() {
  const hands = h("ol.log-hands");
  // The box is laid out from its end, so that the newest entry stays in sight.
  const box = h("div.log", { role: "log", "aria-live": "off", "aria-label": "Log", tabindex: "0" }, hands);
  const root = panel("log-title", "Log", box);
  root.classList.add("log-panel");
  let entries = group([]);
  /** The last entry, and its topic. */
  let last = { topic: "", entry: /** @type {HTMLElement} */ (hands) };

  /** @param {Part[]} title */
  function group(title) {
    const list = h("ol");
    hands.append(h("li.log-hand", title.length > 0 && h("h3", ...written(title)), list));
    return list;
  }

  return {
    root,
    /**
     * Adds an entry. Returns whether it replaced the last entry, because both are about the same wait, invite or table.
     * @param {Message} event
     * @param {Part[][]} sentences
     */
    add(event, sentences) {
      if (event.event === "dealt" && event.try === 0) {
        entries = group(sentences[0] ?? []);
        if (hands.children.length > KEPT) hands.firstChild?.remove();
        last.topic = "";
        return false;
      }
      if (sentences.length === 0) return false;
      const bad = LOUD.includes(event.event) || (event.event === "over" && event.exit_code !== 0);
      const kind = bad ? "loud" : event.event;
      const entry = h("li", { "data-kind": kind }, ...sentences.map((parts) => h("p", ...written(parts))));
      const topic = REPLACED.includes(event.event) ? event.event : "";
      const same = topic !== "" && topic === last.topic;
      if (same) last.entry.replaceWith(entry);
      else entries.append(entry);
      last = { topic, entry };
      return same;
    },
  };
}
