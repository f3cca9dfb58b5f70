// The page of a match that has ended: its result, its hands, and its record.

import { buttonTo, clear, complain, h, panel, quiet } from "./dom.js";
import { copyButton } from "./invite.js";
import { IN_PAGE, auditing } from "./server.js";
import { trouble } from "./trouble.js";
import { chipsTable, many, textBox } from "./verify.js";
import { problem } from "./words.js";

/**
 * @param {App} app
 * @param {string} id the id of the match, or a prefix of it
 * @param {Match} match the last match played here
 * @returns {Page}
 */
export function after(app, id, match) {
  const last = match.seated?.match.startsWith(id) ? match.seated : null;
  const body = h("div.stack", quiet("…"));
  const root = h("div.after.stack", h("h1", "After the match"), last && trouble(app, match), body);

  /** @param {string | null | undefined} file its path, if it is on a disk */
  const recordPart = (file) => panel("record", "The record",
    h("p", IN_PAGE ? "This browser holds all signatures, cards and choices, until you clear the data of this site."
      : "A file on this machine holds all signatures, cards and choices, until you delete it."),
    !IN_PAGE && file && h("p.code", file),
    h("p", "Each player has one. Drop two onto “Verify” to see whether they agree. "
      + "The cards that only you saw cannot be read by others."),
    h("div.row",
      buttonTo("Verify a record", () => app.go("verify")),
      IN_PAGE ? buttonTo("Save the record", () => save().catch(complain)) : file && copyButton("Copy the path", () => file)));

  const save = async () => {
    const url = URL.createObjectURL(await app.get(`/record?match=${encodeURIComponent(id)}`));
    h("a", { href: url, download: `${id.slice(0, 16)}.log` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  };

  const load = async () => {
    try {
      const { text, show: { record }, audit } = await app.get(`/show?match=${encodeURIComponent(id)}`);
      const past = last?.log ? [] : (await app.get("/history")).matches;
      const file = last?.log ?? past.find((/** @type {{ match: string }} */ one) => id.startsWith(one.match))?.file;
      const chips = record.bought.some((/** @type {number} */ bought) => bought > 0);
      clear(body, panel("result", record.message,
        h("p", `${record.called.join(" and ")}: ${record.game}, ${record.hands} of `
          + `${many(record.of, record.game === "bridge" ? "set" : "hand")} played.`),
        chips && chipsTable(record)),
      recordPart(file), auditing(app, id, audit),
      panel("hands", "All hands", textBox("All hands", text)));
    } catch (error) {
      clear(body, h("p.error", { role: "alert" }, problem(error)),
        recordPart(last?.log));
    }
  };
  void load();
  return { root, title: "After the match" };
}
