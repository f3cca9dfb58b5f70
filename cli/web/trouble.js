// What went wrong: what happened, what is safe, what to do. The words keep to docs/threat-model.md.

import { buttonTo, complain, h } from "./dom.js";
import { hasEnded, isPoker } from "./match.js";
import { mayRematch, rematch } from "./rematch.js";
import { amount, asSentence, called, forgive, nameOf, terms } from "./words.js";

const WRITTEN = "What you chose is signed, and on your disk.";
const OPEN = "The match stays open. A hand that is sealed goes on with the same cards, or not at all.";
const STANDS = "What was played before stands, and can be verified.";
const UNDONE = "The hand is undecided, and the chips are as they were before it.";
const KEEP = "Keep the record, whose file is named below.";
const FRESH = "No match had begun here, so nothing is lost.";
const CLOSE = "Or close the match here. It can be resumed from the lobby.";

/** What a program does for a player whose time is out. @type {Record<string, string>} */
const DONE = {
  check: "checked", fold: "folded", exchange: "kept all cards", show: "showed your cards", muck: "mucked your cards", pass: "passed",
};

/** @param {App} app @param {Command} said */
function say(app, said) {
  app.send(said).catch(complain);
  app.update();
}

/** @param {Match} match */
function sealed({ deal }) {
  return deal?.sealed ? ["The cards stay sealed: nobody can look at a closed one, or change one."] : [];
}

/** What to do about a player who has cheated, or may have. @param {Match} match @param {string} [when] */
function stopPlaying({ seated, own }, when = "Do") {
  return `${when} not play with this player again, unless you know why it happened. Your program asks you first.`
    + (seated ? ` ${forgive(seated.fingerprints[1 - own])}` : "");
}

/** What a message of the program says, without what is for a terminal alone. @param {string} message */
function sentences(message) {
  return message.split("\n").map((line) => line.trim()).filter((line) => line && !line.includes("'--help'")).map(asSentence);
}

/** @param {App} app @returns {Act} */
function toLobby(app) {
  return ["Lobby", () => app.go("lobby")];
}

/** @param {Match} match */
function otherName(match) {
  return match.seated ? nameOf(match, 1 - match.own) : "The other player";
}

/** The match has ended, and not only because all was played. @type {Finds} */
function ofEnd(app, match) {
  const { closed, over, stopped } = match;
  const lobby = toLobby(app);
  if (closed) {
    return ["ask", "The match is closed here", ["That is your word alone."], [WRITTEN, OPEN],
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
  if (mayRematch(app)) acts.unshift(["Rematch", () => rematch(app)]);
  switch (over.how) {
    case "disputed":
      return ["cheat", "Dispute: one of the two cheated", [
        self ? `Your program says that what ${other} opened${step} is not what was sealed.`
          : `${other} says that what you opened${step} is not what was sealed.`,
        "A false opening and a false complaint look alike to others.",
      ], [UNDONE, STANDS], [stop, KEEP], acts];
    case "bad-cards":
      return ["cheat", "Cards came out that this deck does not have", told, ["The chips are as they were before the hand.", STANDS],
        [stop, KEEP], acts];
    case "foul":
      return ["cheat", own ? "Your program signed what the rules do not allow" : `${other} broke the rules`,
        [...told, "That proves it to anybody."], ["It wins nothing.", STANDS],
        [own ? "Your program is faulty, or was changed. Please report it." : stop, KEEP], acts];
    case "fork":
      return ["cheat", `${own ? "You" : other} signed two different things for one step`,
        [...told, "It was a cheat, or a program that went on from an older copy of its files."], [STANDS],
        [own ? "Never put back an older copy of the folder: no backup, no second machine." : stop, KEEP], acts];
    case "forfeited":
      return ["ask", `${own ? "You" : other} could not go on with the hand`,
        [...told, "What is needed to open its cards is lost. No other deck is dealt for it."], [STANDS],
        ["The match is over for good."], acts];
    case "left":
      return ["ask", self ? "You have left the match" : `${other} has left the match`, told,
        ["Cards that were not opened stay closed for ever.", STANDS],
        ["The match is over for good."], acts];
    default:
      return isPoker(match) ? null : ["ask", "The match is over", told, ["What is closed stays closed for ever.", STANDS],
        ["The record shows what was opened to whom."], acts];
  }
}

/** @type {Finds} */
function ofProgram(app, match) {
  const { failed, seated } = match;
  const program = app.state?.program;
  if (match.over || match.closed || (app.rematch && !seated)) return null;
  const lobby = toLobby(app);
  // A host waits where it waited: the guest looks for it there.
  const listen = match.own === 0 ? match.addresses[0] : undefined;
  const resume = () => app.begin("/resume", { match: seated?.match, listen }).catch((error) => {
    app.go("lobby");
    complain(error);
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
      return ["ask", seated ? "Broken off" : "Ended", ["You have ended it, here or in the terminal."], safe, [again], acts];
    case 2:
      return ["cheat", "The other side did not keep to the protocol", [...told,
        "If a check failed, the other side tried to cheat: nobody else can change what passes on this line."],
      ["Your program stopped at once. The other side has seen no sealed card, but for a chance of 2^-56.", ...(seated ? [WRITTEN] : [])],
      [stopPlaying(match, "After a failed check, do"), ...(open ? ["The match stays open, if you want to go on with it."] : []),
        ...(seated ? [KEEP] : [])], [lobby]];
    case 4:
      return ["ask", "You do not sit at this table", told, safe, [again], acts];
    case 3:
      return ["ask", "Nobody was reached", told, safe,
        ["See whether the other player hosts now. If its address has changed, write it in the lobby, or join by a new invite.",
          open ? again : "An invite is for one meeting only.", "Behind a router the host forwards a port, or both use a relay."], acts];
    case undefined:
      break;
    default:
      return seated ? ["ask", "Your program could not go on", told, [WRITTEN, OPEN], [again], acts]
        : ["ask", "It could not begin", told, safe, ["Look at what you entered.", again], acts];
  }
  if (!program || program.running || app.role === "none" || hasEnded(match)) return null;
  if (program.exit_code === 0) return ["ask", "Your program has ended", match.notices.slice(-1), safe, [again], acts];
  const code = program.exit_code === null ? "" : ` (exit code ${program.exit_code})`;
  return ["ask", "Your program was ended from outside", [program.by_signal
    ? "It was killed, by somebody or for lack of memory."
    : `It has stopped without a word${code}.`],
  safe, [again], acts];
}

/** @type {Finds} */
function ofQuestion(app, match) {
  const { askSit, askAdmit } = match;
  if (askSit) {
    /** @type {(agree: boolean) => void} */
    const sit = (agree) => {
      match.askSit = null;
      say(app, { do: "sit", agree });
    };
    const host = nameOf({ ...match, own: askSit.seat, seated: { ...askSit, event: "seated" } }, 0);
    return ["ask", "Sit down on these terms?", [`${host} (fingerprint ${askSit.fingerprints[0]}) proposes:`,
      ...terms(askSit).map(asSentence)], [], ["If you decline, the host is told."],
    [["Sit down", () => sit(true)], ["Decline", () => sit(false)]]];
  }
  if (askAdmit) {
    const { name, fingerprint, hands } = askAdmit;
    /** @type {(agree: boolean) => void} */
    const admit = (agree) => say(app, { do: "admit", fingerprint, agree });
    const who = `\u2068${called(name)}\u2069`;
    return ["ask", `Play with ${who}?`, [`${who} is at the door and wants to play.`,
      `Fingerprint: ${fingerprint}. Hands that you have played with these keys: ${amount(hands)}.`,
      "You have not invited this player. The seat stays free for the guest of your invite."], [], ["A player that you decline cannot ask again."],
      [["Accept", () => admit(true)], ["Decline", () => admit(false)]]];
  }
  return null;
}

/** @type {Finds} */
function ofWaiting(app, match) {
  const { askAgain, outOfTime, lineLost } = match;
  const clock = match.seated?.clock;
  const other = otherName(match);
  /** @type {Act} */
  const close = ["Close here", () => say(app, { do: "close" })];
  if (askAgain) {
    /** @type {Act[]} */
    const [again, stop] = [["Try again", () => say(app, { do: "again" })], ["End for now", () => void app.end()]];
    return ["ask", "Connect again?", [
      `Attempts in a row that did not end well: ${askAgain.in_a_row}. Checks that failed: ${askAgain.failed_checks}.`,
      "A bad line does that. So does a cheater who cuts the line when about to be caught.",
    ], ["An attempt to cheat gets through with a chance of 2^-56, and at most 2^16 are allowed.", ...sealed(match)], [
      askAgain.failed_checks > 0 ? "Go on only if you know why a check failed."
        : "If the connection was bad, try again. Otherwise ask the other player.",
    ], askAgain.failed_checks > 0 ? [stop, again] : [again, stop]];
  }
  if (outOfTime && outOfTime.seat !== match.own) {
    const title = clock ? `The time of ${other} is out` : `${other} is silent`;
    const time = clock ? `for as long as ${other} had time` : "for ten minutes";
    return ["wait", outOfTime.away ? `${other} is away` : title, [outOfTime.away
      ? `There was no line ${time}.`
      : `Neither ${other} nor its program has said anything ${time}.`],
    [...sealed(match), "No chips move while you wait, or if you close the match.",
      ...(clock ? ["Your program has noted it, until the match goes on."] : [])],
    ["Wait as long as you like.", CLOSE], [close]];
  }
  if (lineLost !== null) {
    return ["wait", "The line is lost", sentences(lineLost), [...sealed(match), WRITTEN, ...(clock ? ["Your own time stands still."] : [])],
      ["Wait: your program connects again by itself. What you choose now is kept until then.",
        `If ${other} stays away ${clock ? "for as long as it has time" : "for ten minutes"}, you can close the match.`], []];
  }
  if (match.sitsOut) {
    const back = () => {
      match.sitsOut = false;
      say(app, { do: "back" });
    };
    const done = DONE[match.late?.do ?? ""];
    return ["wait", "You sit out", [done ? "Your program chose what costs nothing more." : "You wanted to."],
      ["The next hand waits for you."], [`${done ? `Your time was out, and your program ${done} for you. ` : ""}You sit out from the next hand `
        + "on, until you press “I am back”."], [["I am back", back]]];
  }
  return null;
}

/** @type {Finds} */
function ofPage(app, match) {
  if (app.gone) {
    const { over, seated } = match;
    return ["wait", "The program on this machine does not answer", ["It was ended, or the machine slept."],
      over ? [STANDS] : seated ? [...sealed(match), WRITTEN, OPEN] : [FRESH],
      [`If it has ended, start it again${seated && !over ? ", and resume the match" : ""}.`], []];
  }
  if (app.role !== "watch") return null;
  return ["wait", "Another page plays", ["This page only shows the match."],
    ["One page plays at a time."], ["Go on in the other one, or take the seat here."], [["Play here", () => void app.take()]]];
}

/** @param {Trouble} trouble @param {Match} match */
function screen([kind, title, happened, safe, todo, acts], match) {
  const block = (/** @type {string[]} */ said, /** @type {Child} */ of = null) => h("div", of && h("h3", of), ...said.map((line) => h("p", line)));
  const blocks = safe.length === 0 ? block([...happened, ...todo]) : h("div.trouble-blocks",
    block(happened, "What happened"), block(safe, "What is safe"), block(todo, "What to do"));
  const buttons = acts.map(([label, act], at) =>
    buttonTo(label, act, { class: at === 0 && label !== "Close here" && "main" }));
  return h("section", { class: `trouble ${kind}`, "aria-labelledby": "trouble-title" },
    h("h2", { id: "trouble-title" }, title),
    kind === "wait" && h("p", todo[0]),
    kind === "wait" ? h("details.more", h("summary", "What happened, and what is safe"), blocks) : blocks,
    kind === "cheat" && match.seated?.log && h("p.code", match.seated.log),
    buttons.length > 0 && h("div.row", ...buttons));
}

/** What is shown now: it stays the same element, so that a button keeps the focus while events come. */
let shown = { key: "", element: /** @type {HTMLElement | null} */ (null) };

/** @param {App} app @param {Match} match @returns {HTMLElement | null} */
export function trouble(app, match) {
  const found = ofEnd(app, match) ?? (app.gone ? null : ofProgram(app, match)) ?? ofPage(app, match) ?? ofQuestion(app, match)
    ?? ofWaiting(app, match);
  const key = found ? JSON.stringify([match.seated?.match, found.slice(0, 5)]) : "";
  if (key !== shown.key) shown = { key, element: found && screen(found, match) };
  return shown.element;
}
