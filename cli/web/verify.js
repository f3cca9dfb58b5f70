// Verify: one or two records are dropped onto the page, and it says step by step what they prove.

import { announce, clear, errorLine, h, panel, quiet, setText } from "./dom.js";
import { amount, called, misleads, problem } from "./words.js";

const MOST = 32 * 1024 * 1024;

/** @param {number} of @param {string} one */
export const many = (of, one) => `${amount(of)} ${one}${of === 1 ? "" : "s"}`;

/** The names in a record, with their seats if they are alike or read like something else. @param {Checked} record */
function namesIn({ names }) {
  const alike = new Set(names).size < names.length;
  return names.map((name, seat) => (alike || misleads(name) ? `${called(name)} (seat ${seat})` : called(name)));
}

/** @param {Checked} record */
export function chipsTable(record) {
  const rows = namesIn(record).map((name, seat) => {
    const won = record.stacks[seat] - record.bought[seat];
    return h("tr", h("th", { scope: "row" }, name), h("td", amount(record.stacks[seat])),
      h("td", { class: won < 0 ? "lost" : won > 0 && "won" }, `${won > 0 ? "+" : won < 0 ? "−" : "±"}${amount(Math.abs(won))}`));
  });
  const head = ["Player", "Chips", "Won or lost"].map((title) => h("th", { scope: "col" }, title));
  return h("table.chips", h("thead", h("tr", ...head)), h("tbody", ...rows));
}

/** @param {string} name @param {string} [text] */
export function textBox(name, text = "") {
  return h("pre.history", { tabindex: 0, role: "region", "aria-label": name }, text);
}

/** The same, closed at first: it is laid out when it is opened. @param {string} title @param {string} text */
function folded(title, text) {
  const box = textBox(title);
  return h("details.more", { ontoggle: () => setText(box, text) }, h("summary", title), box);
}

/**
 * A step of the proof.
 * @param {"good" | "bad" | "note"} mark
 * @param {string} title
 * @param {...Child} more texts become paragraphs
 */
function step(mark, title, ...more) {
  const [sign, said] = { good: ["✓", "Proved: "], bad: ["✗", "Not good: "], note: ["i", "Note: "] }[mark];
  return h("li", { class: `proof ${mark}` }, h("span.proof-mark", { "aria-hidden": "true" }, sign),
    h("div", h("p.proof-title", h("span.unseen", said), title),
      ...more.map((one) => (typeof one === "string" ? h("p", one) : one))));
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
    sets: lines.flatMap((line, at) => (/^Set \d+ /.test(line) ? [line, h("p.code", (lines[at + 1] ?? "").trim())] : [])),
  };
}

/** @param {Checked} record @param {ReturnType<typeof told>} words */
function proofs(record, { claims, hands, sets }) {
  const names = namesIn(record);
  const boards = record.game === "bridge";
  const who = names.flatMap((name, seat) => [h("dt", name), h("dd.code", record.fingerprints[seat])]);
  const end = record.cheat !== null
    ? step("bad", `${names[record.cheat]} broke the rules`, record.message, "It has signed that itself, so it is proved to anybody.")
    : record.breach ? step("bad", "One of the two cheated", record.message)
      : record.state === "over" ? step("good", record.message)
        : step("note", record.message, "That is all that this file has. The other side may have more.");
  return [
    record.torn === 0 ? step("good", "The file is whole")
      : step("note", `The last ${many(record.torn, "byte")} are no complete record`,
        "A crash leaves that, or somebody has cut the file there."),
    step("good", `Two keys have played: ${record.game}`, h("dl.facts", ...who),
      "The fingerprints are proved: compare them. Whoever had the file can have changed names, owner, notes and claims."),
    step("good", `Every signature is good, in ${many(record.steps, "step")}`,
      "Who said what, and in which order, cannot be denied."),
    step("good", `Each ${boards ? "hand" : "card"} that was opened is the one that both had sealed`, ...sets),
    record.bought.some((chips) => chips > 0) && step("good", "The chips follow from the rules", chipsTable(record),
      "Each choice was allowed where it was made, and each pot went where the rules send it."),
    step("good", `${amount(record.hands)} of ${many(record.of, boards ? "set" : "hand")} played`,
      hands.length > 0 && folded("What came of each", hands.join("\n"))),
    end,
    ...claims.map((claim) => step("note", claim)),
    record.notes > 0 && step("note", `${many(record.notes, "card")} that only ${names[record.owner]} saw`,
      "Only the owner can read these notes. They prove nothing."),
  ];
}

/** @param {Bad} bad */
function failure(bad) {
  const [first, ...rest] = bad.message.split("\n");
  return step("bad", first,
    ...(rest.length > 0 ? rest : ["That proves nothing against a player: whoever had the file can have changed it."]),
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
      if (compared.renamed.length > 0) {
        return step("bad", "The records do not agree on the names of the players",
          "What is signed is the same. Nobody signs a name.");
      }
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

/** @param {Answer["verify"]} verify */
function verdict({ good, records, compared }) {
  const two = records.length > 1;
  if (good) return two ? "Both records are good, and they agree." : "This record is good.";
  if (records.some((one) => one.error)) return two ? "Not both are good records." : "This is no good record.";
  return compared && (compared.how !== "together" || compared.renamed.length > 0) ? "The records do not agree." : "The record is genuine, and shows that somebody cheated.";
}

/** @param {Answer} answer @param {string[]} files their names */
function report({ verify, text, shown }, files) {
  let good = -1;
  const title = h("h2", { class: `verdict ${verify.good ? "won" : "lost"}`, tabindex: -1 }, verdict(verify));
  const records = verify.records.map(({ record, error }, at) => {
    if (record) good += 1;
    const steps = record ? proofs(record, told(text, good)) : [error && failure(error)];
    return panel(`record-${at}`, files[at], h("ol.proofs", ...steps), shown[at] && folded("All hands", shown[at] ?? ""));
  });
  const root = h("div.report", title,
    verify.compared && panel("both", "Both together",
      h("ol.proofs", comparison(verify.compared, files, verify.records[0].record))),
    h("div.columns", ...records),
    panel("unproved", "What this does not prove", h("ul",
      h("li", "That a shuffle took place: two players who act together can sign what they like."),
      h("li", "Who lied in a dispute."),
      h("li", "Who went away from a match that is open, or when."))));
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
    quiet("A record is the .log file of a match. The page of a past match says where it lies."));
  let latest = 0;

  /** @param {FileList | null | undefined} list */
  const check = async (list) => {
    const files = [...(list ?? [])];
    const round = latest += 1;
    const wrong = files.length < 1 || files.length > 2 ? "One or two files are verified at a time."
      : files.some((file) => file.size === 0) ? "A file is empty, or a folder."
        : files.reduce((sum, file) => sum + file.size, 0) > MOST
          ? "Together these have more than 32 MiB. In a terminal, run: dealerless verify" : "";
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
  const root = h("div.verify", h("h1", "Verify a record"),
    h("p", "A record proves to anybody who said what in a match, and that each opened card is the one that was sealed. "
      + "No file leaves this machine. The records of both sides are compared too."),
    drop, failed, result);
  return { root, title: "Verify", close };
}
