// After a match: its result, its hands, where the record lies, and how to verify it.

import { buttonTo, clear, h, panel, quiet } from "./dom.js";
import { copyButton } from "./invite.js";
import { trouble } from "./trouble.js";
import { chipsTable, many, textBox } from "./verify.js";
import { problem } from "./words.js";

/** @import { App, Match, Page } from "./types.js" */

/**
 * The page of a match that has ended: of the last one, or of one from the list of past ones.
 * @param {App} app
 * @param {string} id of the match, or its beginning
 * @param {Match} match the last one that was played here
 * @returns {Page}
 */
export function after(app, id, match) {
  const last = match.seated?.match.startsWith(id) ? match.seated : null;
  const body = h("div", { class: "stack" }, quiet("…"));
  const root = h("div", { class: "after stack" }, h("h1", null, "After the match"), last && trouble(app, match), body);

  /** @param {string | null | undefined} file */
  const recordPart = (file) => panel("record", "The record",
    h("p", null, "Every signature, card and choice of this match is in a file on this machine, until you delete it."),
    file && h("p", { class: "code" }, file),
    h("p", null, "The other player has a record too. Ask for that file, and drop both onto “Verify”: it shows whether they tell the "
      + "same. You can hand yours on: others cannot read in it the cards that only you saw."),
    h("div", { class: "row" },
      buttonTo("Verify a record", () => app.go("verify")),
      file && copyButton("Copy the path", () => file)));

  const load = async () => {
    try {
      const { text, show: { record } } = await app.get(`/show?match=${encodeURIComponent(id)}`);
      const past = last?.log ? [] : (await app.get("/history")).matches;
      const file = last?.log ?? past.find((/** @type {{ match: string }} */ one) => id.startsWith(one.match))?.file;
      const chips = record.bought.some((/** @type {number} */ bought) => bought > 0);
      clear(body, panel("result", record.message,
        h("p", null, `${record.names.join(" and ")}: ${record.game}, ${record.hands} of `
          + `${many(record.of, record.game === "bridge" ? "set" : "hand")} played.`),
        chips && chipsTable(record)),
      recordPart(file),
      panel("hands", "All hands", textBox("All hands", text)));
    } catch (error) {
      clear(body, h("p", { class: "error", role: "alert" }, problem(error)),
        recordPart(last?.log));
    }
  };
  void load();
  return { root, title: "After the match" };
}
