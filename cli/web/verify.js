// Verify: one or two records are dropped onto the page, and it says step by step what they prove.

import { announce, clear, errorLine, h, quiet, setText } from "./dom.js";
import { amount, problem } from "./words.js";

/** @import { Answer, App, Bad, Checked, Child, Page } from "./types.js" */

/** The most bytes of both records. */
const MOST = 32 * 1024 * 1024;

/** How many there are of something. @param {number} of @param {string} one */
export const many = (of, one) => `${amount(of)} ${one}${of === 1 ? "" : "s"}`;

/** Chips that were won or lost. @param {number} won */
export const signed = (won) => `${won > 0 ? "+" : won < 0 ? "−" : "±"}${amount(Math.abs(won))}`;

/** The names in a record, with their seats if they are alike. @param {Checked} record */
function namesIn({ names }) {
  return names.map((name, seat) => (new Set(names).size < names.length ? `${name} (seat ${seat})` : name));
}

/** The chips of each seat, and what it won or lost. @param {Checked} record */
export function chipsTable(record) {
  const rows = namesIn(record).map((name, seat) => {
    const won = record.stacks[seat] - record.bought[seat];
    return h("tr", null, h("th", { scope: "row" }, name), h("td", null, amount(record.stacks[seat])),
      h("td", { class: won < 0 ? "lost" : won > 0 && "won" }, signed(won)));
  });
  const head = ["Player", "Chips", "Won or lost"].map((title) => h("th", { scope: "col" }, title));
  return h("table", { class: "chips" }, h("thead", null, h("tr", null, ...head)), h("tbody", null, ...rows));
}

/** A long text in a box of its own. @param {string} name @param {string} [text] */
export function textBox(name, text = "") {
  return h("pre", { class: "history", tabindex: 0, role: "region", "aria-label": name }, text);
}

/** The same, closed at first: it is laid out when it is opened. @param {string} title @param {string} text */
function folded(title, text) {
  const box = textBox(title);
  return h("details", { class: "more", ontoggle: () => setText(box, text) }, h("summary", null, title), box);
}

/**
 * A step of the proof.
 * @param {"good" | "bad" | "note"} mark
 * @param {string} title
 * @param {...Child} more texts become paragraphs
 */
function step(mark, title, ...more) {
  const [sign, said] = { good: ["✓", "Proved: "], bad: ["✗", "Not good: "], note: ["i", "Note: "] }[mark];
  return h("li", { class: `proof ${mark}` }, h("span", { class: "proof-mark", "aria-hidden": "true" }, sign),
    h("div", null, h("p", { class: "proof-title" }, h("span", { class: "unseen" }, said), title),
      ...more.map((one) => (typeof one === "string" ? h("p", null, one) : one))));
}

/**
 * What the program says in its text of each hand, of each set of boards with its seal, and of what the owner claims.
 * @param {string} text
 * @param {number} place of the record among the good ones
 */
function told(text, place) {
  const lines = (text.split(/^Match (?=[0-9a-f]{16}: )/m)[place + 1] ?? "").split("\n");
  return {
    claims: lines.filter((line) => / program noted | closed the match here on /.test(line)),
    hands: lines.filter((line) => /^ {2}Hand \d/.test(line)).map((line) => line.trim()),
    sets: lines.flatMap((line, at) => (/^Set \d+ /.test(line) ? [line, h("p", { class: "code" }, (lines[at + 1] ?? "").trim())] : [])),
  };
}

/** What a good record proves. @param {Checked} record @param {ReturnType<typeof told>} words */
function proofs(record, { claims, hands, sets }) {
  const names = namesIn(record);
  const boards = record.game === "bridge";
  const who = names.flatMap((name, seat) => [h("dt", null, name), h("dd", { class: "code" }, record.fingerprints[seat])]);
  const end = record.cheat !== null
    ? step("bad", `${names[record.cheat]} broke the rules`, record.message, "It has signed that itself, so it is proved to anybody.")
    : record.breach ? step("bad", "One of the two cheated", record.message)
      : record.state === "over" ? step("good", record.message)
        : step("note", record.message, "That is all that this file has. The other side may have more.");
  return [
    record.torn === 0 ? step("good", "The file is whole")
      : step("note", `The last ${many(record.torn, "byte")} are no complete record`,
        "A crash leaves that, and then they were never sent. Or somebody has cut the file there."),
    step("good", `Two keys have played: ${record.game}`, h("dl", { class: "facts" }, ...who),
      "The names are only what the file says. The fingerprints are proved: compare them."),
    step("good", `Every signature is good, in ${many(record.steps, "step")}`,
      "Who said what, and in which order, cannot be denied or changed."),
    step("good", `Each ${boards ? "hand" : "card"} that was opened is the one that both had sealed`, ...sets),
    record.bought.some((chips) => chips > 0) && step("good", "The chips follow from the rules", chipsTable(record),
      "Each choice was allowed where it was made, and each pot went where the rules send it."),
    step("good", `${amount(record.hands)} of ${many(record.of, boards ? "set" : "hand")} played`,
      hands.length > 0 && folded("What came of each", hands.join("\n"))),
    end,
    ...claims.map((claim) => step("note", claim)),
    record.notes > 0 && step("note", `${many(record.notes, "card")} that only ${names[record.owner]} saw`,
      "They are noted in the file so that only its owner can read them. They prove nothing."),
  ];
}

/** What is wrong with a file. @param {Bad} bad */
function failure(bad) {
  const [first, ...rest] = bad.message.split("\n");
  return step("bad", first,
    ...(rest.length > 0 ? rest : ["Whoever had the file can have changed it: that proves nothing against a player."]),
    bad.cheat !== null && `The file holds signatures of seat ${bad.cheat} that convict it.`);
}

/**
 * How two records compare.
 * @param {Record<string, any>} compared
 * @param {string[]} files their names
 * @param {Checked | undefined} record
 */
function comparison(compared, files, record) {
  switch (compared.how) {
    case "together": {
      const longer = compared.more.findIndex((/** @type {number} */ parts) => parts > 0);
      return longer < 0 ? step("good", "Both records tell the same")
        : step("good", "Both records tell the same, as far as both go",
          `${files[longer]} goes further, by ${many(compared.more[longer], "signed part")}.`);
    }
    case "forked": {
      const name = record ? namesIn(record)[compared.cheat] : `Seat ${compared.cheat}`;
      return step("bad", `${name} signed two different things`,
        `The records part in hand ${compared.hand}, step ${compared.step}. Both signatures prove it to anybody: `
          + `${name} cheated, or went on from an older copy of its files.`);
    }
    case "other-match": return step("bad", "These are records of two different matches");
    default: return step("bad", "The two records do not agree");
  }
}

/** What came of it, in one sentence. @param {Answer["verify"]} verify */
function verdict({ good, records, compared }) {
  const two = records.length > 1;
  if (good) return two ? "Both records are good, and they agree." : "This record is good.";
  if (records.some((one) => one.error)) return two ? "Not both are good records." : "This is no good record.";
  return compared && compared.how !== "together" ? "The records do not agree." : "The record is genuine, and shows that somebody cheated.";
}

/** @param {string} id @param {string} title @param {...Child} inside */
function part(id, title, ...inside) {
  return h("section", { class: "panel", "aria-labelledby": id }, h("h3", { id }, title), ...inside);
}

/** @param {Answer} answer @param {string[]} files their names */
function report({ verify, text, shown }, files) {
  let good = -1;
  const title = h("h2", { class: verify.good ? "verdict won" : "verdict lost", tabindex: -1 }, verdict(verify));
  const records = verify.records.map(({ record, error }, at) => {
    if (record) good += 1;
    const steps = record ? proofs(record, told(text, good)) : [error && failure(error)];
    return part(`record-${at}`, files[at], h("ol", { class: "proofs" }, ...steps), shown[at] && folded("All hands", shown[at] ?? ""));
  });
  const root = h("div", { class: "report" }, title,
    verify.compared && part("both", "Both together",
      h("ol", { class: "proofs" }, comparison(verify.compared, files, verify.records[0].record))),
    h("div", { class: "columns" }, ...records),
    part("unproved", "What this does not prove", h("ul", null,
      h("li", null, "That a shuffle took place: two players who act together can sign what they like."),
      h("li", null, "Who lied in a dispute: a false opening and a false complaint look alike."),
      h("li", null, "Who went away from a match that is open, or when: a record has no time of day."))));
  return { title, root };
}

/** The page on which records are verified. @param {App} app @returns {Page} */
export function verify(app) {
  const failed = errorLine();
  const result = h("div");
  const input = h("input", { id: "records", class: "unseen", type: "file", multiple: true });
  const drop = h("div", { class: "drop" }, input,
    h("p", { class: "item-title" }, "Drop one or two records here"),
    h("label", { for: "records" }, "Choose files…"),
    quiet("A record is the .log file of a match. The page of a past match says where it lies."));
  let latest = 0;

  /** @param {FileList | null | undefined} list */
  const check = async (list) => {
    const files = [...(list ?? [])];
    const round = latest += 1;
    const wrong = files.length < 1 || files.length > 2 ? "One or two files are verified at a time."
      : files.some((file) => file.size === 0) ? "A file is empty, or a folder."
        : files.reduce((sum, file) => sum + file.size, 0) > MOST
          ? "Together these have more than 32 MiB. In a terminal, larger ones are verified too: dealerless verify" : "";
    setText(failed, wrong);
    clear(result, !wrong && quiet("Every signature is checked…"));
    if (wrong) return;
    announce("Every signature is checked.");
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
  // All over the page: a file that misses the box would be opened in place of the page.
  const types = /** @type {const} */ (["dragover", "dragleave", "drop"]);
  for (const type of types) document.addEventListener(type, over);
  const close = () => types.forEach((type) => document.removeEventListener(type, over));
  const root = h("div", { class: "verify" }, h("h1", null, "Verify a record"),
    h("p", null, "A record proves to anybody who said what in a match, and that each opened card is the one that was sealed. "
      + "No key is needed, and no file leaves this machine. With the records of both sides, the two are compared too."),
    drop, failed, result);
  return { root, title: "Verify", close };
}
