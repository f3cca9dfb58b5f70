// What went wrong: what happened, what is safe, what to do. The words keep to docs/threat-model.md.

import { announce, buttonTo, complain, h } from "./dom.js";
import { hasEnded, isPoker } from "./match.js";
import { asSentence, nameOf } from "./words.js";

/** @import { Act, App, Match, Trouble } from "./types.js" */
/** @import { Command } from "./protocol.js" */

const WRITTEN = "What you said is signed, and was on your disk before it was sent.";
const OPEN = "The match stays open. A hand that is sealed goes on with the same cards, or not at all.";
const STANDS = "What was played before stands, and can be verified.";
const UNDONE = "The hand is undecided, and the chips are as they were before it.";
const KEEP = "Keep the record, whose file is named below. Whoever verifies it sees what it proves.";
const FRESH = "No match had begun here, so nothing is lost.";
const CLOSE = "Or close the match here. It is not over then, and nobody wins it. It can be resumed from the lobby.";

/** @param {App} app @param {Command} said */
function say(app, said) {
  app.send(said).catch(complain);
}

/** What is safe while a hand is open. @param {Match} match */
function sealed({ deal }) {
  return deal?.sealed ? ["The cards stay sealed: nobody can look at a closed one, or change one."] : [];
}

/** What to do about a player who has cheated, or may have. @param {Match} match @param {string} [when] */
function stopPlaying({ seated, own }, when = "Do") {
  return `${when} not play with this player again, unless you know why it happened. Your program asks you first.`
    + (seated ? ` To forget it for good, run: dealerless peers forgive ${seated.fingerprints[1 - own]}` : "");
}

/** What a message of the program says, without what is for a terminal alone. @param {string} message */
function sentences(message) {
  return message.split("\n").map((line) => line.trim()).filter((line) => line && !line.includes("'--help'")).map(asSentence);
}

/** The other of two seats. @param {Match} match */
function otherName(match) {
  return match.seated ? nameOf(match, 1 - match.own) : "The other player";
}

/** The match has ended, and not only because all was played. @param {App} app @param {Match} match @returns {Trouble | null} */
function ofEnd(app, match) {
  const { closed, over, stopped } = match;
  /** @type {Act} */
  const lobby = ["Lobby", () => app.go("lobby")];
  if (closed) {
    return ["ask", "The match is closed here", ["Your file says that you closed it. That is your word alone."], [WRITTEN, OPEN],
      ["It can be resumed from the lobby."], [lobby]];
  }
  if (!over) return null;
  const other = otherName(match);
  const told = sentences(over.message);
  const own = over.exit_code === 1;
  const self = stopped?.seat === match.own;
  const stop = stopPlaying(match);
  const step = stopped?.step === undefined ? "" : ` in step ${stopped.step}`;
  /** @type {Act[]} */
  const acts = [["What was played", () => app.go("after", match.seated?.match)], lobby];
  switch (over.how) {
    case "disputed":
      return ["cheat", "Dispute: one of the two cheated", [
        self ? `Your program says that what ${other} opened${step} is not what was sealed.`
          : `${other} says that what you opened${step} is not what was sealed.`,
        "Nobody else can tell who lied: a false opening and a false complaint look alike.",
      ], [UNDONE, STANDS], [stop, KEEP], acts];
    case "bad-cards":
      return ["cheat", "Cards came out that this deck does not have", told, ["The chips are as they were before the hand.", STANDS],
        [stop, KEEP], acts];
    case "foul":
      return ["cheat", own ? "Your program signed what the rules do not allow" : `${other} broke the rules`,
        [...told, "That proves it to anybody."],
        ["What the rules do not allow wins nothing: the match has ended there.", STANDS],
        [own ? "Your program is faulty, or was changed. Please report it." : stop, KEEP], acts];
    case "fork":
      return ["cheat", `${own ? "You" : other} signed two different things for one step`,
        [...told, "They prove it to anybody. It was a cheat, or a program that went on from an older copy of its files."],
        ["The match has ended there.", STANDS],
        [own ? "Never put back an older copy of the folder: no backup, no second machine." : stop, KEEP], acts];
    case "forfeited":
      return ["ask", `${own ? "You" : other} could not go on with the hand`,
        [...told, "What is needed to open its cards is lost: the file of the deck, or dice that were drawn."],
        ["No other deck is dealt for it, so nobody gains by losing a file.", STANDS],
        ["Another match begins in the lobby."], acts];
    case "left":
      return ["ask", self ? "You have left the match" : `${other} has left the match`, told,
        ["Cards that were not opened stay closed for ever.", STANDS],
        ["The match is over for good. Another one begins in the lobby."], acts];
    default:
      // The table of poker says so itself.
      return isPoker(match) ? null : ["ask", "The match is over", told, ["What is closed stays closed for ever.", STANDS],
        ["The record shows what was opened to whom, and in which order."], acts];
  }
}

/** The program has ended before the match did. @param {App} app @param {Match} match @returns {Trouble | null} */
function ofProgram(app, match) {
  const { failed, seated } = match;
  const program = app.state?.program;
  if (match.over || match.closed) return null;
  /** @type {Act} */
  const lobby = ["Lobby", () => app.go("lobby")];
  // A host waits where it waited: the guest looks for it there.
  const listen = match.own === 0 ? match.addresses[0] : undefined;
  const resume = () => app.begin("/resume", { match: seated?.match, listen }).catch((error) => {
    app.go("lobby");
    announce(error.message, true);
  });
  /** @type {Act[]} */
  const acts = seated ? [["Resume the match", resume], lobby] : [lobby];
  const open = seated || program?.command === "resume";
  const safe = seated ? [...sealed(match), WRITTEN, OPEN] : [open ? OPEN : FRESH];
  const clock = seated?.clock ? " The other side measures your time meanwhile." : "";
  const again = seated ? `Resume it here, or later in the lobby.${clock}` : `You can ${open ? "resume it" : "begin again"} in the lobby.`;
  const told = failed ? sentences(failed.message) : [];
  switch (failed?.exit_code) {
    case 130:
      return ["ask", seated ? "Broken off" : "Ended", ["It was ended here, in the page or in the terminal."], safe, [again], acts];
    case 2:
      return ["cheat", "The other side did not keep to the protocol", [...told,
        "If a check failed, the other side tried to cheat: nobody else can change what passes on this line. If it only declined, "
          + "or broke off, that means less."],
      ["Your program stopped at once. The other side is not told which check failed.",
        "It has seen no sealed card, but for a chance of 2^-56 in each attempt, and attempts are counted.", ...(seated ? [WRITTEN] : [])],
      [stopPlaying(match, "After a failed check, do"), ...(open ? ["The match stays open, if you want to go on with it."] : []),
        ...(seated ? [KEEP] : [])], [lobby]];
    case 3:
      return ["ask", "Nobody was reached", told, safe,
        ["See whether the other player hosts now, and where.", open ? again : "An invite is for one meeting only.",
          "Behind a router the host forwards a port, or both use a relay."], acts];
    case undefined:
      break;
    default:
      return seated ? ["ask", "Your program could not go on", told, [WRITTEN, OPEN], ["This is a matter of this machine.", again], acts]
        : ["ask", "It could not begin", told, safe, ["Look at what you entered.", again], acts];
  }
  if (!program || program.running || app.role === "none" || hasEnded(match)) return null;
  if (program.exit_code === 0) return ["ask", "Your program has ended", match.notices.slice(-1), safe, [again], acts];
  const code = program.exit_code === null ? "" : ` (exit code ${program.exit_code})`;
  return ["ask", "Your program was ended from outside", [program.by_signal
    ? "It was killed: by somebody, or by a system that ran out of memory."
    : `It has stopped without a word${code}.`],
  safe, [again], acts];
}

/** The line or the other player is awaited. @param {App} app @param {Match} match @returns {Trouble | null} */
function ofWaiting(app, match) {
  const { askAgain, outOfTime, lineLost } = match;
  const clock = match.seated?.clock;
  const other = otherName(match);
  /** @type {Act} */
  const close = ["Close the match here", () => say(app, { do: "close" })];
  if (askAgain) {
    /** @type {Act[]} */
    const [again, stop] = [["Try again", () => say(app, { do: "again" })], ["End for now", () => void app.end()]];
    return ["ask", "Connect again?", [
      `Attempts in a row that did not end well: ${askAgain.in_a_row}. Checks that failed: ${askAgain.failed_checks}.`,
      "A bad line does that. So does somebody who tries to cheat, and cuts the line when it is about to be caught.",
    ], ["An attempt to cheat gets through with a chance of 2^-56, and at most 2^16 are allowed.", ...sealed(match)], [
      askAgain.failed_checks > 0 ? "A failed check is no bad line. Go on only if you know why."
        : "If the line was bad, try again. Otherwise ask the other player by another way.",
    ], askAgain.failed_checks > 0 ? [stop, again] : [again, stop]];
  }
  if (outOfTime && outOfTime.seat !== match.own) {
    return ["wait", outOfTime.away ? `${other} is away` : `The time of ${other} is out`, [outOfTime.away
      ? `There was no line for as long as ${other} had time.`
      : `Neither ${other} nor its program has chosen in time.`],
    [...sealed(match), "Your program has noted it. It is your word alone, and void as soon as the match goes on."],
    ["Wait as long as you like.", CLOSE], [close]];
  }
  if (lineLost !== null) {
    return ["wait", "The line is lost", sentences(lineLost), [...sealed(match), WRITTEN, ...(clock ? ["Your own time stands still."] : [])],
      ["Wait: your program connects again by itself. What you choose now is kept until then.",
        clock ? `If ${other} stays away for as long as it has time, you can close the match.` : CLOSE], clock ? [] : [close]];
  }
  if (match.sitsOut) {
    const back = () => {
      match.sitsOut = false;
      say(app, { do: "back" });
    };
    return ["wait", "You sit out", ["If your time was out, your program has said what costs nothing more."],
      ["The next hand waits for you."], ["Say when you are back."], [["I am back", back]]];
  }
  return null;
}

/** @param {App} app @param {Match} match @returns {Trouble | null} */
function ofPage(app, match) {
  if (app.gone) {
    const { over, seated } = match;
    return ["wait", "The program on this machine does not answer", ["It was ended, or the machine slept."],
      over ? [STANDS] : seated ? [...sealed(match), WRITTEN, OPEN] : [FRESH],
      [`If it has ended, start it again${seated && !over ? ", and resume the match" : ""}. This page asks each second.`], []];
  }
  if (app.role !== "watch") return null;
  return ["wait", "Another page plays", ["This match is played in another tab or window. This one only shows it."],
    ["One page plays at a time, so nothing is chosen twice."],
    ["Go on in the other one, or take the seat here."], [["Play here", () => void app.take()]]];
}

/** @param {Trouble} trouble @param {Match} match */
function screen([kind, title, happened, safe, todo, acts], match) {
  const block = (/** @type {string} */ of, /** @type {string[]} */ said) =>
    h("div", null, h("h3", null, of), ...said.map((line) => h("p", null, line)));
  const blocks = h("div", { class: "trouble-blocks" },
    block("What happened", happened), block("What is safe", safe), block("What to do", todo));
  const buttons = acts.map(([label, act], at) =>
    buttonTo(label, act, { class: at === 0 && kind !== "wait" && "main" }));
  return h("section", { class: `trouble ${kind}`, "aria-labelledby": "trouble-title" },
    h("h2", { id: "trouble-title" }, title),
    // What passes by itself leaves room for the table.
    kind === "wait" && h("p", null, todo[0]),
    kind === "wait" ? h("details", { class: "more" }, h("summary", null, "What happened, and what is safe"), blocks) : blocks,
    kind === "cheat" && match.seated?.log && h("p", { class: "code" }, match.seated.log),
    buttons.length > 0 && h("div", { class: "row" }, ...buttons));
}

/** What is shown now: it stays the same element, so that a button keeps the focus while events come. */
let shown = { key: "", element: /** @type {HTMLElement | null} */ (null) };

/** The trouble that there is, as a part of the page. @param {App} app @param {Match} match @returns {HTMLElement | null} */
export function trouble(app, match) {
  const found = ofEnd(app, match) ?? (app.gone ? null : ofProgram(app, match)) ?? ofPage(app, match) ?? ofWaiting(app, match);
  const key = found ? JSON.stringify([match.seated?.match, found.slice(0, 5)]) : "";
  if (key !== shown.key) shown = { key, element: found && screen(found, match) };
  return shown.element;
}
