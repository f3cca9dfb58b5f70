// After a match: its result, its hands, where the record lies, and how to verify it.

import { clear, h } from "./dom.js";
import { copyButton } from "./invite.js";
import { trouble } from "./trouble.js";
import { chipsTable, longText, namesIn } from "./verify.js";

/** @import { App, Page } from "./main.js" */
/** @import { Match } from "./match.js" */

/**
 * The page of a match that has ended, or of one from the list of past ones.
 * @param {App} app
 * @param {string} id of the match, or its beginning
 * @param {Match} match the last one that was played here
 * @returns {Page}
 */
export function after(app, id, match) {
  const body = h("div", { class: "stack" }, h("p", { class: "muted" }, "…"));
  const played = match.seated?.match.startsWith(id) ?? false;
  const log = (played && match.seated?.log) || "";
  const root = h("div", { class: "after stack" }, h("h1", {}, "The match"), played && trouble(app, match), body);

  /** @param {string} file */
  const record = (file) => h("section", { class: "panel", "aria-labelledby": "record" },
    h("h2", { id: "record" }, "The record"),
    h("p", {}, "Every signature, card and choice of this match is in a file on this machine. It is kept until you delete it."),
    file && h("p", { class: "code" }, file),
    h("p", {}, "The other player has a record too. Ask for that file, and drop both onto the page “Verify”: it shows whether they "
      + "tell the same. You can hand yours on: cards that only you saw cannot be read in it by others."),
    h("div", { class: "row" },
      h("button", { type: "button", onclick: () => app.go("verify") }, "Verify a record"),
      file && copyButton("Copy the path", () => file)));

  const load = async () => {
    try {
      const { text, show } = await app.get(`/show?match=${encodeURIComponent(id)}`);
      const past = log ? null : await app.get("/history");
      const file = log || (past?.matches.find((/** @type {{ match: string }} */ one) => id.startsWith(one.match))?.file ?? "");
      const { record: of } = show;
      const chips = of.bought.some((/** @type {number} */ amount) => amount > 0);
      const hands = longText("All hands", text);
      hands.open = true;
      clear(body,
        h("section", { class: "panel", "aria-labelledby": "result" },
          h("h2", { id: "result" }, of.message),
          h("p", {}, `${of.names.join(" and ")}: ${of.game}, ${of.hands} of ${of.of} played.`),
          chips && chipsTable(namesIn(of), of.stacks, of.bought)),
        record(file),
        h("section", { class: "panel", "aria-labelledby": "hands" }, h("h2", { id: "hands" }, "Hand history"), hands));
    } catch (error) {
      clear(body, h("p", { class: "form-error", role: "alert" }, error instanceof Error ? error.message : String(error)), record(log));
    }
  };
  void load();
  return { root, title: "After the match" };
}
