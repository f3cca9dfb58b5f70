// Moves the identity of this page to another place, or the identity of another place to this page.

import { announce, buttonTo, confirmed, errorLine, h, quiet, setText } from "./dom.js";
import { problem } from "./words.js";

/**
 * The part of “You” in the lobby that moves identities.
 * @param {App} app @param {Listed} own the answer to `/identity` @param {() => void} renew shows the lobby again
 */
export function moving(app, own, renew) {
  const failed = errorLine();
  const fail = (/** @type {unknown} */ error) => setText(failed, problem(error));
  const save = async (/** @type {boolean} */ abandons) => {
    const { text } = await app.post("/move", { leave_open_matches: abandons });
    const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    h("a", { href: url, download: "dealerless-moved" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
    announce("The file with your moved identity is saved.");
    renew();
  };
  if (own.moved) {
    return h("div",
      h("p.warning", "This identity was moved away and never plays again. You can still save your records."),
      h("div.row", buttonTo("Save its file again", () => save(true).catch(fail))), failed);
  }
  const away = async () => {
    const { matches, unread } = await app.get("/matches");
    const open = matches.length + unread.length;
    const text = `${open > 0 ? `You abandon ${open === 1 ? "your open match" : `your ${open} open matches`}: nobody can resume them for you. ` : ""}`
      + "This page saves a file with your secret keys, and never plays with this identity again. "
      + "Your fingerprints and the players you have met move; open matches and records do not.";
    if (await confirmed("Move your identity away?", text, "Move it away")) await save(open > 0);
  };
  const file = h("input", { id: "moved-file", type: "file" });
  const here = async () => {
    const [chosen] = file.files ?? [];
    if (!chosen) return file.focus();
    const { peers } = await app.post("/succeed", { text: await chosen.text() });
    announce(`Your identity has moved here. Players you have met: ${peers}.`);
    renew();
  };
  return h("details.more", h("summary", "Move your identity"),
    quiet("To another browser or to the program: save it as a file. There, a new identity succeeds it "
      + "(in the program: dealerless identity succeed FILE). Then delete the file."),
    h("div.row", buttonTo("Move it away", () => away().catch(fail))),
    quiet("From another browser, or from the program (dealerless identity move FILE): only an identity that has not played yet can succeed another one."),
    h("label", { for: "moved-file" }, "The file of the moved identity"), file,
    h("div.row", buttonTo("Move it here", () => here().catch(fail))), failed);
}
