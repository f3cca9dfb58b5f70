// The audit of a match that is over: both players open their inputs to its shuffles.

import { announce, buttonTo, clear, confirmed, errorLine, h, panel, quiet, setText } from "./dom.js";
import { textBox } from "./verify.js";
import { problem } from "./words.js";

/**
 * The part of the page of a past match that audits it; null if it cannot be audited.
 * @param {App} app @param {string} id the id of the match, or a prefix of it
 * @param {"made" | "possible" | null | undefined} state whether it was audited, or can be
 */
export function auditing(app, id, state) {
  if (!state) return null;
  const body = h("div.stack");
  const failed = errorLine();
  /** @param {() => Promise<unknown>} act */
  const button = (act) => () => {
    setText(failed, "");
    act().catch((error) => {
      setText(failed, problem(error));
      offer();
    });
  };
  /** @param {{ text: string, agrees: boolean, file: Blob }} audit */
  const show = ({ text, agrees, file }) => {
    const url = URL.createObjectURL(file);
    clear(body, h(agrees ? "p" : "p.warning", agrees ? "The decks agree with the record." : "The audit does not agree with the record."),
      textBox("All decks", text),
      h("div.row", buttonTo("Save the audit", () => h("a", { href: url, download: `${id.slice(0, 16)}.audit` }).click())),
      quiet("Anybody can check it with the record: dealerless verify FILE --audit AUDIT."));
  };
  const audit = async () => {
    const text = "This reveals all cards of the match to the other player, and theirs to you, also those that stayed closed. "
      + "Both players must audit it at the same time.";
    if (!await confirmed("Audit this match?", text, "Audit")) return;
    clear(body, h("p", { role: "status" }, "Waiting for the other player, for at most ten minutes…"),
      h("div.row", buttonTo("Cancel", () => app.post("/end", {}).catch(() => {}))));
    show(await app.post("/audit", { match: id }));
  };
  const decline = async () => {
    const text = "Nobody can then audit this match. The page destroys them by itself when it is opened more than 30 days after the match began.";
    if (!await confirmed("Destroy your inputs to the shuffles?", text, "Destroy them")) return;
    await app.post("/audit", { match: id, decline: true });
    announce("Your inputs are destroyed.");
    clear(body, quiet("Your inputs are destroyed. This match cannot be audited."));
  };
  const offer = () => {
    if (state === "made") {
      clear(body, h("div.row", buttonTo("Show all decks", button(async () => show(await app.get(`/audit?match=${encodeURIComponent(id)}`))))));
    } else {
      clear(body, h("p", "You and the other player can open your inputs to the shuffles. All decks are then computed again, with all cards."),
        h("div.row", buttonTo("Audit", button(audit)), buttonTo("Destroy your inputs", button(decline))));
    }
  };
  offer();
  return panel("audit", "Audit", body, failed);
}
