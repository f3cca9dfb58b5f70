// Verify: one or two records are dropped onto the page, and it says step by step what they prove.

import { announce, clear, h, setText } from "./dom.js";
import { dateOf } from "./invite.js";
import { amount } from "./words.js";

/** @import { Child } from "./dom.js" */
/** @import { App, Page } from "./main.js" */

/**
 * @typedef {{ what: string, step: number, seat: number, time: number, void: boolean }} Claim
 * @typedef {object} Checked a record, as `verify --json` says
 * @property {string} match
 * @property {number} owner
 * @property {string[]} names
 * @property {string[]} fingerprints
 * @property {string} game
 * @property {number} hands
 * @property {number} of
 * @property {number} steps
 * @property {"over" | "open"} state
 * @property {string} message
 * @property {number | null} cheat
 * @property {boolean} breach
 * @property {number[]} stacks
 * @property {number[]} bought
 * @property {number} notes
 * @property {Claim[]} claims
 * @property {number} torn
 *
 * @typedef {{ message: string, hand: number | null, step: number | null, byte: number | null, cheat: number | null }} Bad
 * @typedef {{ how: "together", more: number[] } | { how: "forked", hand: number, step: number, cheat: number }
 *   | { how: "other-match" | "different" }} Compared
 * @typedef {{ exit_code: number, text: string, shown: (string | null)[], verify: { good: boolean,
 *   records: { record?: Checked, error?: Bad }[], compared: Compared | null } }} Answer
 */

/** The most bytes of both records. */
const MOST = 32 * 1024 * 1024;

/**
 * How many there are of something.
 * @param {number} of
 * @param {string} one
 */
export const many = (of, one) => `${amount(of)} ${one}${of === 1 ? "" : "s"}`;

/**
 * Chips that were won or lost.
 * @param {number} won
 */
export const signed = (won) => `${won > 0 ? "+" : won < 0 ? "−" : "±"}${amount(Math.abs(won))}`;

/**
 * A step of the proof.
 * @param {"good" | "bad" | "note"} mark
 * @param {string} title
 * @param {...Child} more
 */
function step(mark, title, ...more) {
  const [sign, said] = { good: ["✓", "Proved: "], bad: ["✗", "Not good: "], note: ["i", "Note: "] }[mark];
  return h("li", { class: `proof ${mark}` },
    h("span", { class: "proof-mark", "aria-hidden": "true" }, sign),
    h("div", {}, h("p", { class: "proof-title" }, h("span", { class: "unseen" }, said), title), ...more));
}

/**
 * Something long that is opened by a click.
 * @param {string} title
 * @param {string} text
 */
export function longText(title, text) {
  const place = h("pre", { class: "history", tabindex: "0", role: "region", "aria-label": title });
  const details = h("details", { class: "more" }, h("summary", {}, title), place);
  details.addEventListener("toggle", () => setText(place, text));
  return details;
}

/**
 * The chips of each seat, and what it won or lost.
 * @param {string[]} names
 * @param {number[]} stacks
 * @param {number[]} bought
 */
export function chipsTable(names, stacks, bought) {
  const rows = names.map((name, seat) => {
    const won = stacks[seat] - bought[seat];
    return h("tr", {},
      h("th", { scope: "row" }, name),
      h("td", {}, amount(stacks[seat])),
      h("td", { class: won < 0 ? "lost" : "won" }, signed(won)));
  });
  const head = ["Player", "Chips", "Won or lost"].map((title) => h("th", { scope: "col" }, title));
  return h("table", { class: "chips" }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows));
}

/**
 * The names in a record: if both are alike, with their seats.
 * @param {Checked} record
 */
export function namesIn(record) {
  const alike = new Set(record.names).size < record.names.length;
  return record.names.map((name, seat) => (alike ? `${name} (seat ${seat})` : name));
}

/**
 * What the owner of a file claims.
 * @param {Checked} record
 * @param {Claim} claim
 */
function claimed(record, claim) {
  const names = namesIn(record);
  const [owner, other] = [names[record.owner], names[claim.seat]];
  const what = {
    "out-of-time": `the time of ${other} was out in step ${claim.step}`,
    away: `${other} was away in step ${claim.step}`,
    closed: `the match was closed there in step ${claim.step}`,
  }[claim.what] ?? `something that this page does not know, in step ${claim.step}`;
  const worth = claim.what !== "closed" && claim.void
    ? "That is void: the match went on since."
    : `It is the word of ${owner} alone, and proves nothing.`;
  return step("note", `The program of ${owner} noted on ${dateOf(claim.time)} that ${what}`, h("p", {}, worth));
}

/**
 * What came of each hand, from the text of the program.
 * @param {string} text
 * @param {number} place of the record
 */
function handsIn(text, place) {
  const parts = text.split(/^Match (?=[0-9a-f]{16}: )/m).slice(1);
  const lines = (parts[place] ?? "").split("\n");
  return {
    hands: lines.filter((line) => /^ {2}Hand \d/.test(line)).map((line) => line.trim()),
    sets: lines.flatMap((line, at) => (/^Set \d+ /.test(line) ? [[line, (lines[at + 1] ?? "").trim()]] : [])),
  };
}

/**
 * What a good record proves.
 * @param {Checked} record
 * @param {{ hands: string[], sets: string[][] }} told
 */
function proofs(record, told) {
  const names = namesIn(record);
  const chips = record.bought.some((amount) => amount > 0);
  const boards = record.game === "bridge";
  const card = boards ? "hand" : "card";
  const who = h("dl", { class: "who" },
    ...names.flatMap((name, seat) => [h("dt", {}, name), h("dd", { class: "code" }, record.fingerprints[seat])]));
  const steps = [
    record.torn === 0
      ? step("good", "The file is whole")
      : step("note", `The last ${many(record.torn, "byte")} are no complete record`,
        h("p", {}, "A crash leaves that, and then they were never sent; or somebody has cut the file there.")),
    step("good", `Two keys have played: ${record.game}`, who,
      h("p", {}, "The names are only what the file says. The fingerprints are proved: compare them.")),
    step("good", `Every signature is good, in ${many(record.steps, "step")}`,
      h("p", {}, "Who said what, and in which order, cannot be denied or changed.")),
    step("good", `Each ${card} that was opened is the one that both had sealed`,
      h("p", {}, `Nobody has exchanged a ${card} after the deal.`),
      ...told.sets.flatMap(([line, seal]) => [h("p", {}, line), h("p", { class: "code" }, seal)])),
  ];
  if (chips) {
    steps.push(step("good", "The chips follow from the rules", chipsTable(names, record.stacks, record.bought),
      h("p", {}, "Each choice was allowed where it was made, and each pot went to the best hand.")));
  }
  const played = `${amount(record.hands)} of ${many(record.of, boards ? "set" : "hand")} played`;
  steps.push(step("good", played, told.hands.length > 0 && longText("What came of each", told.hands.join("\n"))));
  if (record.cheat !== null) {
    steps.push(step("bad", `${names[record.cheat]} broke the rules`, h("p", {}, record.message),
      h("p", {}, "It has signed that itself, so it is proved to anybody.")));
  } else if (record.breach) {
    steps.push(step("bad", "One of the two cheated", h("p", {}, record.message)));
  } else {
    steps.push(step(record.state === "over" ? "good" : "note", record.message,
      record.state === "open" && h("p", {}, "That is all that this file has. The other side may have more.")));
  }
  steps.push(...record.claims.map((claim) => claimed(record, claim)));
  if (record.notes > 0) {
    steps.push(step("note", `${many(record.notes, "card")} that only ${names[record.owner]} saw`,
      h("p", {}, "They are noted in the file so that only its owner can read them. They prove nothing.")));
  }
  return steps;
}

/**
 * What is wrong with a bad record.
 * @param {Bad} bad
 */
function failures(bad) {
  const [first, ...rest] = bad.message.split("\n");
  const place = [["Hand", bad.hand], ["Step", bad.step], ["Byte of the file", bad.byte]].flatMap(([name, at]) =>
    (typeof at === "number" ? [h("dt", {}, name), h("dd", {}, amount(at))] : []));
  const more = rest.length > 0 ? rest.map((line) => h("p", {}, line))
    : [h("p", {}, "Whoever had the file can have changed it: that proves nothing against a player.")];
  return [step("bad", first, place.length > 0 && h("dl", { class: "where" }, ...place),
    ...more,
    bad.cheat !== null && h("p", {}, `The file holds two signatures of seat ${bad.cheat} that convict it.`))];
}

/**
 * How two records compare.
 * @param {Compared} compared
 * @param {string[]} names of the files
 * @param {Checked | undefined} record
 */
function comparison(compared, names, record) {
  if (compared.how === "together") {
    const more = compared.more.findIndex((parts) => parts > 0);
    if (more < 0) return step("good", "Both records tell the same");
    return step("good", "Both records tell the same, as far as both go",
      h("p", {}, `${names[more]} goes further, by ${many(compared.more[more], "signed part")}.`));
  }
  if (compared.how === "forked") {
    const name = record ? namesIn(record)[compared.cheat] : `Seat ${compared.cheat}`;
    return step("bad", `${name} signed two different things`,
      h("p", {}, `The records part in hand ${compared.hand}, step ${compared.step}. Both signatures prove it to anybody: `
        + `${name} cheated, or went on from an older copy of its files.`));
  }
  return compared.how === "other-match"
    ? step("bad", "These are records of two different matches")
    : step("bad", "The two records do not agree");
}

/** What no record proves. */
function unproved() {
  return h("section", { class: "panel", "aria-labelledby": "unproved" },
    h("h2", { id: "unproved" }, "What this does not prove"),
    h("ul", {},
      h("li", {}, "That a shuffle took place: two players who act together can sign what they like."),
      h("li", {}, "Who lied in a dispute: a false opening and a false complaint look alike."),
      h("li", {}, "Who went away from a match that is open, or when: a record has no time of day."),
      h("li", {}, "That a player is who its name says. The fingerprint does.")));
}

/**
 * What came of it, in one sentence.
 * @param {Answer} answer
 */
function verdict({ verify }) {
  const bad = verify.records.some((one) => one.error);
  if (verify.good) return verify.compared ? "Both records are good, and they agree." : "This record is good.";
  if (bad) return verify.compared || verify.records.length > 1 ? "Not both records are good." : "This is no good record.";
  const how = verify.compared?.how;
  return how && how !== "together" ? "The records do not agree." : "The signatures are good, and they show that somebody cheated.";
}

/**
 * @param {Answer} answer
 * @param {string[]} names of the files
 */
function report(answer, names) {
  let place = -1;
  const title = h("h2", { class: answer.verify.good ? "verdict good" : "verdict bad", tabindex: "-1" }, verdict(answer));
  const records = answer.verify.records.map(({ record, error }, at) => {
    if (record) place += 1;
    const shown = answer.shown[at];
    return h("section", { class: "panel", "aria-labelledby": `record-${at}` },
      h("h3", { id: `record-${at}`, class: "file-name" }, names[at]),
      h("ol", { class: "proofs" }, ...(record ? proofs(record, handsIn(answer.text, place)) : error ? failures(error) : [])),
      shown && longText("All hands", shown));
  });
  const { compared } = answer.verify;
  const both = compared && h("section", { class: "panel", "aria-labelledby": "both" },
    h("h3", { id: "both" }, "Both together"),
    h("ol", { class: "proofs" }, comparison(compared, names, answer.verify.records[0].record)));
  return { title, root: h("div", { class: "report" }, title, both, h("div", { class: "columns" }, ...records), unproved()) };
}

/**
 * The page on which records are verified.
 * @param {App} app
 * @returns {Page}
 */
export function verify(app) {
  const failed = h("p", { class: "form-error", role: "alert" });
  const result = h("div", {});
  const input = h("input", { id: "records", class: "unseen", type: "file", multiple: true, accept: ".log" });
  const drop = h("div", { class: "drop" },
    input,
    h("p", { class: "drop-title" }, "Drop one or two records here"),
    h("label", { for: "records", class: "button main" }, "Choose files…"),
    h("p", { class: "muted" }, "A record is the .log file of a match. The lobby and the end of a match say where it lies."));
  let latest = 0;

  /** @param {File[]} files */
  const check = async (files) => {
    const round = latest += 1;
    setText(failed, "");
    const bytes = files.reduce((sum, file) => sum + file.size, 0);
    const problem = files.length === 0 ? "No file was dropped."
      : files.length > 2 ? "One or two records are verified at a time, not more."
        : files.some((file) => file.size === 0) ? "One of these is empty, or a folder."
          : bytes > MOST ? "Together these are more than 32 MiB. Larger records are verified in a terminal: dealerless verify"
            : "";
    clear(result);
    if (problem) return setText(failed, problem);
    result.append(h("p", { class: "muted" }, "Every signature is checked…"));
    announce("Verifying.");
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
      setText(failed, error instanceof Error ? error.message : String(error));
    }
  };
  input.addEventListener("change", () => {
    check([...(input.files ?? [])]);
    input.value = "";
  });
  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    check([...(event.dataTransfer?.files ?? [])]);
  });
  const root = h("div", { class: "verify" },
    h("h1", {}, "Verify a record"),
    h("p", {}, "A record proves to anybody who said what in a match, and that each opened card is the one that was sealed. "
      + "No key is needed, and the files do not leave this machine. With the records of both sides, the two are compared too."),
    drop, failed, result);
  return { root, title: "Verify" };
}
