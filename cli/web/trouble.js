// What went wrong: what happened, what is safe, what to do. The words keep to docs/threat-model.md.

import { announce, h } from "./dom.js";
import { hasEnded } from "./match.js";
import { nameOf } from "./words.js";

/** @import { App } from "./main.js" */
/** @import { Match } from "./match.js" */
/** @import { Command } from "./protocol.js" */

/**
 * @typedef {object} Trouble
 * @property {string} key the same as long as it is the same trouble
 * @property {"wait" | "ask" | "ended" | "cheat"} kind
 * @property {string} title
 * @property {string[]} happened
 * @property {string[]} safe
 * @property {string[]} todo
 * @property {[label: string, act: () => void][]} [acts] the first is what most people want
 */

const SEALED = "The cards stay sealed. Nobody can look at one or change one meanwhile.";
const WRITTEN = "All that was said is signed, and written on the disks of both.";
const RECORD = "Keep the record: it is the file named below. Verify shows to anybody what it proves.";
const OPEN = "The match stays open. The hand goes on with the same cards, or not at all.";
const NOT_AGAIN = "Do not play with this player, unless you know why it happened. "
  + "Your program does not either, until you run: dealerless peers forgive";
const SOUND = "What was played before stands: each signature, card and result of it can be verified.";

/**
 * What a message means, behind its first line.
 * @param {string} message
 */
function lines(message) {
  return message.split("\n").map((line) => line.trim()).filter(Boolean);
}

/**
 * The end of a match that is no good end, or is not a matter of course.
 * @param {App} app
 * @param {Match} match
 * @returns {Trouble | null}
 */
function ofEnd(app, match) {
  const over = match.over;
  if (!over) return null;
  const mine = over.exit_code === 1;
  const other = otherName(match);
  /** @type {[string, () => void][]} */
  const acts = [["Verify the record", () => app.go("verify")], ["Lobby", () => app.go("lobby")]];
  /** @type {Omit<Trouble, "key" | "acts"> | null} */
  let said = null;
  if (over.how === "disputed") {
    const step = match.stopped?.step;
    said = {
      kind: "cheat",
      title: "Dispute: one of the two cheated",
      happened: [
        match.stopped?.seat === match.own
          ? `Your program says that what ${other} opened${at(step)} is not what was sealed.`
          : `${other} says that what you opened${at(step)} is not what was sealed.`,
        "You know whether your own program is sound. Nobody else can tell who lied: a false opening and a false complaint look alike.",
      ],
      safe: ["The hand is undecided, and the chips are as they were before it.", SOUND],
      todo: [NOT_AGAIN, RECORD],
    };
  } else if (over.how === "bad-cards") {
    said = {
      kind: "cheat",
      title: "Cards came out that this deck does not have",
      happened: [...lines(over.message), "One of the two cheated, and nobody else can tell which."],
      safe: ["The hand is undecided, and the chips are as they were before it.", SOUND],
      todo: [NOT_AGAIN, RECORD],
    };
  } else if (over.how === "foul") {
    said = {
      kind: "cheat",
      title: mine ? "Your program signed what the rules do not allow" : `${other} broke the rules`,
      happened: [...lines(over.message), "The signature on it is in the record, and proves it to anybody."],
      safe: ["The match has ended there. A move that the rules do not allow wins nothing.", SOUND],
      todo: mine ? ["This is a fault of the program, or of a changed one. Please report it.", RECORD] : [NOT_AGAIN, RECORD],
    };
  } else if (over.how === "fork") {
    said = {
      kind: "cheat",
      title: mine ? "You signed two different things for one step" : `${other} signed two different things for one step`,
      happened: [
        ...lines(over.message),
        "It is either a cheat, or a program that went on from an older copy of its files. Both signatures prove it to anybody.",
      ],
      safe: ["The match has ended there.", SOUND],
      todo: mine
        ? ["Never put back an older copy of the folder: not from a backup, and not on a second machine.", RECORD]
        : [NOT_AGAIN, RECORD],
    };
  } else if (over.how === "forfeited") {
    said = {
      kind: "ended",
      title: mine ? "You could not go on with the hand" : `${other} could not go on with the hand`,
      happened: [...lines(over.message), "Somebody lost what is needed to open its cards: the file of the deck, or dice that were drawn."],
      safe: ["No deck is dealt again for it, so nobody gains by losing a file.", SOUND],
      todo: ["You can begin another match from the lobby."],
    };
  } else if (over.how === "left") {
    const self = match.stopped?.seat === match.own;
    said = {
      kind: "ended",
      title: self ? "You have left the match" : `${other} has left the match`,
      happened: lines(over.message),
      safe: ["Cards that were not opened stay closed for ever.", SOUND],
      todo: ["The match is over for good. You can begin another one from the lobby."],
    };
  }
  return said && { ...said, key: `over-${over.how}`, acts };
}

/** @param {number | undefined} step */
function at(step) {
  return step === undefined ? "" : ` in step ${step}`;
}

/** @param {Match} match */
function otherName(match) {
  return match.seated ? nameOf(match, 1 - match.own) : "The other player";
}

/**
 * The program has ended, or was ended, before the match did.
 * @param {App} app
 * @param {Match} match
 * @returns {Trouble | null}
 */
function ofProgram(app, match) {
  if (match.over || match.closed) return null;
  const program = app.state?.program;
  const failed = match.failed;
  const seated = match.seated !== null;
  /** @type {[string, () => void]} */
  const toLobby = ["Lobby", () => app.go("lobby")];
  /** @type {[string, () => void]} */
  const again = ["Resume the match", () => resume(app, match)];
  const acts = seated ? [again, toLobby] : [toLobby];
  const safe = seated ? [SEALED, WRITTEN, OPEN] : ["No match had begun, so nothing is lost."];
  if (failed && failed.exit_code === 130) {
    return {
      key: "error-130",
      kind: "ended",
      title: seated ? "Broken off" : "Ended",
      happened: lines(failed.message),
      safe,
      todo: [seated ? "Go on when both are there: resume it here, or later from the lobby." : "You can begin again from the lobby."],
      acts,
    };
  }
  if (failed && failed.exit_code === 2) {
    return {
      key: "error-2",
      kind: "cheat",
      title: "The other side did not keep to the protocol",
      happened: [
        ...lines(failed.message),
        "If it says that a check failed, the other side tried to cheat: only the two ends can change what passes on this line. "
          + "If it says that the other side declined or broke off, that means less.",
      ],
      safe: [
        "Your program stopped at once. The other side learns that it stopped, not which check failed.",
        "No sealed card of yours was shown, but for a chance of 2^-56 in each attempt, which are counted.",
        ...(seated ? [WRITTEN] : []),
      ],
      todo: ["If a check failed: stop playing with this player, and keep the record.",
        "Before it plays with these keys after a failed check, your program wants to hear: dealerless peers forgive"],
      acts: [toLobby],
    };
  }
  if (failed && failed.exit_code === 3) {
    return {
      key: "error-3",
      kind: "ended",
      title: "Nobody was reached",
      happened: lines(failed.message),
      safe,
      todo: [
        "See whether the other player hosts right now, and at which address. An invite is for one meeting only.",
        "Behind a router, the host forwards a port, or both use a relay.",
      ],
      acts,
    };
  }
  if (failed) {
    return {
      key: "error-1",
      kind: "ended",
      title: "Your program could not go on",
      happened: lines(failed.message),
      safe: seated ? [WRITTEN, OPEN] : safe,
      todo: ["This is a matter of this machine, not of the other player. When it is mended, begin again from the lobby."],
      acts,
    };
  }
  if (!program || program.running || app.role === "none" || hasEnded(match)) return null;
  return {
    key: "killed",
    kind: "ended",
    title: "Your program was ended from outside",
    happened: [
      program.by_signal
        ? "The program that plays was killed: by you, by the system, or by a machine that ran out of memory."
        : `The program that plays has stopped without a word${program.exit_code ? ` (exit code ${program.exit_code})` : ""}.`,
    ],
    safe: seated ? [SEALED, "What you have signed was on the disk before it was sent.", OPEN] : safe,
    todo: [seated ? "Resume. The other side waits for the line, and your cards are the same." : "You can begin again from the lobby."],
    acts,
  };
}

/**
 * Starts the program again, for this match.
 * @param {App} app
 * @param {Match} match
 */
async function resume(app, match) {
  try {
    await app.begin("/resume", { match: match.seated?.match });
  } catch (error) {
    app.go("lobby");
    announce(error instanceof Error ? error.message : String(error), true);
  }
}

/**
 * @param {App} app
 * @param {Command} said
 */
function say(app, said) {
  app.send(said).catch((error) => announce(error.message, true));
}

/**
 * Another player is awaited, or the line.
 * @param {App} app
 * @param {Match} match
 * @returns {Trouble | null}
 */
function ofWaiting(app, match) {
  const other = otherName(match);
  /** @type {[string, () => void]} */
  const close = ["Close the match here", () => say(app, { do: "close" })];
  const closed = "Or close the match here. It is not over by that, and nobody wins it. It can be resumed from the lobby.";
  if (match.askAgain) {
    const { in_a_row: attempts, failed_checks: checks, message } = match.askAgain;
    const failed = checks === 1 ? "1 check failed" : `${checks} checks failed`;
    return {
      key: `again-${attempts}-${checks}`,
      kind: "ask",
      title: "Connect again?",
      happened: [
        ...lines(message).slice(0, 1),
        "A bad line does this. So does somebody who tries to cheat, and cuts the line when it is about to be caught. "
          + "Your program counts, and asks you now.",
      ],
      safe: [
        "One attempt to cheat gets through with a chance of 2^-56; 2^16 attempts in all are allowed.",
        "The match stays open, and its cards stay sealed.",
      ],
      todo: [checks > 0
        ? `${failed}: that is no bad line. Go on only if you know why.`
        : "If the line was bad, try again. Otherwise end here, and ask the other player by another way."],
      acts: [["Try again", () => say(app, { do: "again" })], ["End for now", () => app.end()]],
    };
  }
  const late = match.outOfTime;
  if (late && late.seat !== match.own) {
    return {
      key: `late-${late.seat}-${Boolean(late.away)}`,
      kind: "ask",
      title: late.away ? `${other} is away` : `The time of ${other} is out`,
      happened: [late.away
        ? `There has been no line for as long as ${other} had time.`
        : `${other} has not chosen in its time, and its program has not done so either.`],
      safe: [SEALED, "Your program has noted it beside the record. It is your word alone, and void as soon as the match goes on."],
      todo: ["Wait as long as you like.", closed],
      acts: [close],
    };
  }
  if (match.lineLost) {
    const mayClose = !match.seated?.clock;
    return {
      key: `line-${mayClose}`,
      kind: "wait",
      title: "The line is lost",
      happened: lines(match.lineLost),
      safe: [SEALED, WRITTEN, ...(match.seated?.clock ? ["Your own time stands still."] : [])],
      todo: ["Wait: your program connects again by itself. What you choose now is kept until then.",
        mayClose ? closed : `If ${other} stays away for as long as it has time, you can close the match.`],
      acts: mayClose ? [close] : [],
    };
  }
  if (match.sitsOut) {
    return {
      key: "sits-out",
      kind: "ask",
      title: "You sit out",
      happened: ["Your time was out. Your program has done what costs nothing more, and the next hand waits for you."],
      safe: ["Nothing is dealt until you are back."],
      todo: ["Say when you are back."],
      acts: [["I am back", () => say(app, { do: "back" })]],
    };
  }
  return null;
}

/**
 * Another page of this program plays.
 * @param {App} app
 * @returns {Trouble | null}
 */
function ofSeat(app) {
  if (app.role !== "watch") return null;
  return {
    key: "seat",
    kind: "wait",
    title: "Another page plays",
    happened: ["This match is played in another tab or window. This one only shows it."],
    safe: ["Nothing is lost, and nothing is chosen twice: one page plays at a time."],
    todo: ["Go on in the other one, or take the seat here."],
    acts: [["Play here", () => app.take()]],
  };
}

/**
 * The program that serves this page does not answer.
 * @param {App} app
 * @returns {Trouble | null}
 */
function ofServer(app) {
  return app.gone ? {
    key: "gone",
    kind: "wait",
    title: "The program on this machine does not answer",
    happened: ["The program that serves this page was ended, or this machine slept."],
    safe: ["What was signed is on the disk. A match that was begun stays open, with the same cards."],
    todo: ["This page asks again each second. If the program has ended, start it again: dealerless table, and resume the match."],
  } : null;
}

/** What is shown now, so that a button keeps the focus while events come. */
let shown = { key: "", element: /** @type {HTMLElement | null} */ (null) };

/**
 * The trouble that there is, as a part of the page.
 * @param {App} app
 * @param {Match} match
 * @returns {HTMLElement | null}
 */
export function trouble(app, match) {
  const found = ofServer(app) ?? ofEnd(app, match) ?? ofProgram(app, match) ?? ofSeat(app) ?? ofWaiting(app, match);
  if (!found) {
    shown = { key: "", element: null };
    return null;
  }
  const key = `${match.seated?.match} ${found.key}`;
  if (key !== shown.key || !shown.element) shown = { key, element: screen(found, match) };
  return shown.element;
}

/**
 * @param {string} title
 * @param {string[]} said
 */
function block(title, said) {
  return h("div", { class: "trouble-block" }, h("h3", {}, title), ...said.map((line) => h("p", {}, line)));
}

/**
 * @param {Trouble} of
 * @param {Match} match
 */
function screen(of, match) {
  const acts = (of.acts ?? []).map(([label, act], place) =>
    h("button", { type: "button", class: place === 0 ? "main" : null, onclick: act }, label));
  const blocks = h("div", { class: "trouble-blocks" },
    block("What happened", of.happened), block("What is safe", of.safe), block("What to do", of.todo));
  const log = of.kind === "cheat" && match.seated?.log && h("p", { class: "muted code" }, match.seated.log);
  return h("section", { class: `trouble ${of.kind}`, "aria-labelledby": "trouble-title" },
    h("h2", { id: "trouble-title" }, of.title), blocks, log, acts.length > 0 && h("div", { class: "row" }, ...acts));
}
