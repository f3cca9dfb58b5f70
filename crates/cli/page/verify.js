// The page that verifies one or two records, and shows step by step what they prove.

import { announce, clear, errorLine, h, panel, quiet, setText } from "./dom.js";
import { amount, problem } from "./words.js";

const MOST = 32 * 1024 * 1024;

/** A number with its noun: "1 hand", "2 hands". @param {number} of @param {string} one */
export const many = (of, one) => `${amount(of)} ${one}${of === 1 ? "" : "s"}`;

/** @param {Checked} record */
export function chipsTable(record) {
  const rows = record.called.map((name, seat) => {
    const won = record.stacks[seat] - record.bought[seat];
    return h("tr", h("th", { scope: "row" }, name), h("td", amount(record.stacks[seat])), h("td", amount(record.bought[seat])),
      h("td", { class: won < 0 ? "lost" : won > 0 && "won" }, `${won > 0 ? "+" : won < 0 ? "−" : "±"}${amount(Math.abs(won))}`));
  });
  const head = ["Player", "Chips", "Bought", "Won or lost"].map((title) => h("th", { scope: "col" }, title));
  return h("table.chips", h("thead", h("tr", ...head)), h("tbody", ...rows));
}

/** @param {string} name @param {string} [text] */
export function textBox(name, text = "") {
  return h("pre.history", { tabindex: 0, role: "region", "aria-label": name }, text);
}

/** A folded text box, filled when it is opened. @param {string} title @param {string} text */
function folded(title, text) {
  const box = textBox(title);
  return h("details.more", { ontoggle: () => setText(box, text) }, h("summary", title), box);
}

/**
 * @param {"good" | "bad" | "note"} mark
 * @param {string} title
 * @param {...Child} more texts become paragraphs
 */
function step(mark, title, ...more) {
  const [sign, spoken] = { good: ["✓", "Proved: "], bad: ["✗", "Failed: "], note: ["i", "Note: "] }[mark];
  return h("li", { class: `proof ${mark}` }, h("span.proof-mark", { "aria-hidden": "true" }, sign),
    h("div", h("p.proof-title", h("span.unseen", spoken), title),
      ...more.map((one) => (typeof one === "string" ? h("p", one) : one))));
}

/**
 * The lines in the program's text about hands, sets of boards and the owner's claims.
 * @param {string} text
 * @param {number} place the index of the record among the valid ones
 */
function textLines(text, place) {
  const lines = (text.split(/^Match (?=[0-9a-f]{16}: )/m)[place + 1] ?? "").split("\n");
  return {
    claims: lines.filter((line) => / program noted | closed the match here on /.test(line)),
    hands: lines.filter((line) => /^ {2}Hand \d/.test(line)).map((line) => line.trim()),
    sets: lines.flatMap((line, at) => (/^Set \d+ /.test(line) ? [line, h("p.code", (lines[at + 1] ?? "").trim())] : [])),
  };
}

/** @param {Checked} record @param {ReturnType<typeof textLines>} words */
function proofs(record, { claims, hands, sets }) {
  const names = record.called;
  const boards = record.game === "bridge";
  const who = names.flatMap((name, seat) => [h("dt", name), h("dd.code", record.fingerprints[seat])]);
  const end = record.cheat !== null
    ? step("bad", `${names[record.cheat]} broke the rules`, record.message, "The proof is this player’s own signature, so anybody can check it.")
    : record.breach ? step("bad", "One of the two cheated", record.message)
      : record.state === "over" ? step("good", record.message)
        : step("note", record.message, "This file ends here. The other player’s file may go further.");
  return [
    record.torn === 0 ? step("good", "The file is complete")
      : step("note", `The last ${many(record.torn, "byte")} of the file are an incomplete entry`,
        "A crash can cause this, or somebody has cut off the file."),
    step("good", `${names.length === 2 ? "Two" : names.length} keys played: ${record.game}`, h("dl.facts", ...who),
      "The fingerprints are proved: compare them. Names, owner, notes and claims can be changed by anybody who has the file."),
    step("good", `Every signature is valid, in ${many(record.steps, "step")}`,
      "No player can deny a move or the order of the moves."),
    step("good", `Each opened ${boards ? "hand" : "card"} is the sealed one`, ...sets),
    record.bought.some((chips) => chips > 0) && step("good", "The chips follow from the rules", chipsTable(record),
      "Each choice was allowed, and each pot went to the right player."),
    step("good", `${amount(record.hands)} of ${many(record.of, boards ? "set" : "hand")} played`,
      hands.length > 0 && folded("Results", hands.join("\n"))),
    end,
    ...claims.map((claim) => step("note", claim)),
    record.notes > 0 && step("note", `${many(record.notes, "card")} seen only by ${names[record.owner]}`,
      "Only the owner can read these notes. They prove nothing."),
  ];
}

/** @param {Bad} bad */
function failure(bad) {
  const [first, ...rest] = bad.message.split("\n");
  return step("bad", first,
    ...(rest.length > 0 ? rest : ["This proves nothing against a player: anybody who has the file can change it."]),
    bad.cheat !== null && `The file holds signatures of seat ${bad.cheat} that prove its cheating.`);
}

/**
 * @param {Record<string, any>} compared
 * @param {string[]} files the names of the files
 * @param {Checked | undefined} record
 */
function comparison(compared, files, record) {
  switch (compared.how) {
    case "together": {
      if (compared.renamed.length > 0) {
        return step("bad", "The records disagree about the names of the players",
          "The signed parts are the same. Names are not signed.");
      }
      const longer = compared.more.findIndex((/** @type {number} */ parts) => parts > 0);
      return longer < 0 ? step("good", "Both records agree")
        : step("good", "Both records agree, up to the end of the shorter one",
          `${files[longer]} has ${many(compared.more[longer], "more signed part")}.`);
    }
    case "forked": {
      const name = record ? record.called[compared.cheat] : `Seat ${compared.cheat}`;
      return step("bad", `${name} signed two different things`,
        `The records diverge in hand ${compared.hand}, step ${compared.step}. The two signatures prove it: `
          + `${name} cheated, or continued from an older copy of the files.`);
    }
    case "continues": return compared.agrees ? step("good", "One match continues the other with the chips of its end")
      : step("bad", "One match claims to continue the other, but from another end");
    case "other-match": return step("bad", "These records are of two different matches");
    default: return step("bad", "The two records disagree");
  }
}

/** @param {Answer["verify"]} verify */
function verdict({ good, records, compared }) {
  const two = records.length > 1;
  if (good) return two ? "Both records are good, and they agree." : "This record is good.";
  if (records.some((one) => one.error)) return two ? "At least one of these is not a good record." : "This is not a good record.";
  return compared && (compared.how !== "together" || compared.renamed.length > 0) && !compared.agrees ? "The records disagree." : "The record is genuine, and shows that somebody cheated.";
}

/** @param {Answer} answer @param {string[]} files the names of the files */
function report({ verify, text, shown }, files) {
  let good = -1;
  const title = h("h2", { class: `verdict ${verify.good ? "won" : "lost"}`, tabindex: -1 }, verdict(verify));
  const records = verify.records.map(({ record, error }, at) => {
    if (record) good += 1;
    const steps = record ? proofs(record, textLines(text, good)) : [error && failure(error)];
    return panel(`record-${at}`, files[at], h("ol.proofs", ...steps), shown[at] && folded("All hands", shown[at] ?? ""));
  });
  const root = h("div.report", title,
    verify.compared && panel("both", "Both together",
      h("ol.proofs", comparison(verify.compared, files, verify.records[0].record))),
    h("div.columns", ...records),
    panel("unproved", "What this does not prove", h("ul",
      h("li", "That a shuffle took place: two players who collude can sign anything."),
      h("li", "Which player lied in a dispute."),
      h("li", "Which player left an open match, or when."))));
  return { title, root };
}

/** @param {App} app @returns {Page} */
export function verify(app) {
  const failed = errorLine();
  const result = h("div");
  const input = h("input", { id: "records", class: "unseen", type: "file", multiple: true });
  const drop = h("div.drop", input,
    h("p.item-title", "Drop one or two records here"),
    h("label", { for: "records" }, "Choose files…"),
    quiet("A record is the .log file of a match. The page of a past match shows its path, or saves it."));
  let latest = 0;

  /** @param {FileList | null | undefined} list */
  const check = async (list) => {
    const files = [...(list ?? [])];
    const round = latest += 1;
    const wrong = files.length < 1 || files.length > 2 ? "Choose one or two files."
      : files.some((file) => file.size === 0) ? "One of these is a folder or an empty file."
        : files.reduce((sum, file) => sum + file.size, 0) > MOST
          ? "These files are larger than 32 MiB together. Run in a terminal: dealerless verify" : "";
    setText(failed, wrong);
    clear(result, !wrong && quiet("Checking every signature…"));
    if (wrong) return;
    announce("Checking every signature.");
    try {
      const lengths = files.map((file) => file.size).join(",");
      const answer = await app.post(`/verify?lengths=${lengths}`, new Blob(files));
      if (round !== latest) return;
      const { title, root } = report(answer, files.map((file) => file.name));
      clear(result, root);
      title.focus();
    } catch (error) {
      if (round !== latest) return;
      clear(result);
      setText(failed, problem(error));
    }
  };
  input.addEventListener("change", () => {
    void check(input.files);
    input.value = "";
  });
  const over = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    drop.classList.toggle("over", event.type === "dragover");
    if (event.type === "drop") void check(event.dataTransfer?.files);
  };
  // The whole page takes drops: the browser would open a file that misses the box.
  const types = /** @type {const} */ (["dragover", "dragleave", "drop"]);
  for (const type of types) document.addEventListener(type, over);
  const close = () => types.forEach((type) => document.removeEventListener(type, over));
  const root = h("div.verify", h("h1", "Verify a record"),
    h("p", "A record proves to anybody each move of a match, and that each opened card is the sealed one. "
      + "The records of both players are also compared. No file leaves this machine."),
    drop, failed, result);
  return { root, title: "Verify", close };
}
