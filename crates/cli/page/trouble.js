// Problem reports. Their texts follow docs/threat-model.md.

import { buttonTo, complain, h } from "./dom.js";
import { written } from "./cards.js";
import { areSeveral, hasEnded, isAtTable, isPoker } from "./match.js";
import { mayRematch, rematch } from "./rematch.js";
import { IN_PAGE, retry } from "./server.js";
import { asSentence, forgive, mayDisappear, nameOf, sentencesOf } from "./words.js";

const WRITTEN = "Your choices are signed and on your disk.";
const OPEN = "The match stays open. A sealed hand continues with the same cards, or not at all.";
const FINAL = "Everything played before is final, and can be verified.";
const UNDONE = "The hand is undecided, and the chips are as they were before it.";
const KEEP = "Keep the record. Its file is named below.";
const FRESH = "No match had begun here, so nothing is lost.";
const OVER = "The match is over for good.";
const PLAYED_ON = "The others play on at the table. You keep your chips in its list, and can come back by the link.";
const CLOSE = "Or close the match here. It can be resumed from the lobby.";

/** The program's choice for a late player. @type {Record<string, string>} */
const DONE = {
  check: "checked", fold: "folded", exchange: "kept all cards", show: "showed your cards", muck: "mucked your cards", pass: "passed",
};

/** @param {App} app @param {Command} command */
function send(app, command) {
  app.send(command).catch(complain);
  app.update();
}

/** @param {Match} match */
function sealed({ deal }) {
  return deal?.sealed ? ["The cards stay sealed: nobody can look at a closed card or change a card."] : [];
}

/** @param {Match} match @param {string} [when] the start of the sentence */
function stopPlaying(match, when = "Do") {
  const { seated, own } = match;
  return `${when} not play with this player again unless you know why it happened. Your program will ask you first.`
    + (seated && !areSeveral(match) ? ` ${forgive(seated.fingerprints[1 - own])}` : "");
}

/** The sentences of a program's message, without advice to use `--help`. @param {string} message */
function sentences(message) {
  return message.split("\n").map((line) => line.trim()).filter((line) => line && !line.includes("'--help'")).map(asSentence);
}

/** @param {App} app @returns {Act} */
function toLobby(app) {
  return ["Lobby", () => app.go("lobby")];
}

/** The player at `seat`. Of two players, the other one need not be known. @param {Match} match @param {number} [seat] */
function otherName(match, seat) {
  if (areSeveral(match)) return seat === undefined ? "Another player" : nameOf(match, seat);
  return match.seated ? nameOf(match, 1 - match.own) : "The other player";
}

/** Reports the end of the match, unless a poker match ended normally. @type {Finds} */
function ofEnd(app, match) {
  const { closed, over, stopped } = match;
  const lobby = toLobby(app);
  if (closed) {
    return ["ask", "The match is closed here", ["The record notes that you closed it, but nothing proves that note."], [WRITTEN, OPEN],
      ["It can be resumed from the lobby."], [lobby]];
  }
  if (!over) return null;
  const other = otherName(match, stopped?.seat);
  const message = sentences(over.message);
  const own = over.exit_code === 1;
  const self = stopped?.seat === match.own;
  const stop = stopPlaying(match);
  const step = stopped?.step === undefined ? "" : ` in step ${stopped.step}`;
  /** @type {Act[]} */
  const acts = [["Match history", () => app.go("after", match.seated?.match)], lobby];
  if (mayRematch(app)) acts.unshift(["Rematch", () => rematch(app)]);
  switch (over.how) {
    case "disputed":
      return ["cheat", "Dispute: one of the two cheated", [
        self ? `Your program reports that a card ${other} opened${step} is not the sealed one.`
          : `${other} reports that a card you opened${step} is not the sealed one.`,
        "Others cannot tell a false opening from a false complaint.",
      ], [UNDONE, FINAL], [stop, KEEP], acts];
    case "bad-cards":
      return ["cheat", "Cards appeared that are not in this deck", message, ["The chips are as they were before the hand.", FINAL],
        [stop, KEEP], acts];
    case "foul":
      return ["cheat", own ? "Your program signed a move against the rules" : `${other} broke the rules`,
        [...message, "The signature proves it to anybody."], ["Nothing is won by it.", FINAL],
        [own ? "Your program is faulty, or was changed. Please report it." : stop, KEEP], acts];
    case "fork":
      return ["cheat", `${own ? "You" : other} signed two different things for one step`,
        [...message, "Either somebody cheated, or a program continued from an older copy of its files."], [FINAL],
        [own ? "Never restore an older copy of the folder, from a backup or from a second machine." : stop, KEEP], acts];
    case "forfeited":
      return ["ask", `${own ? "You" : other} could not continue the hand`,
        [...message, "The data to open its cards is lost. The hand is not dealt again."], [FINAL],
        [OVER], acts];
    case "left":
      return ["ask", self ? "You have left the match" : `${other} has left the match`, message,
        [areSeveral(match) ? "Closed cards stay closed. But all other players together may be able to read the cards of a player who left."
          : "Cards that were not opened stay closed forever.", FINAL],
        isAtTable(match) ? self ? [PLAYED_ON] : [] : [OVER], acts];
    case "removed":
      return ["ask", "The others play on without you", message, ["Closed cards stay closed."],
        ["Your connection was lost for too long, or your program was not running."], acts];
    case "too-few":
      return ["ask", "Too few players are left", message, ["Closed cards stay closed.", FINAL], [], acts];
    default:
      return isPoker(match) ? null : ["ask", "The match is over", message, ["Closed cards stay closed forever.", FINAL],
        ["The record shows which cards were opened, and to whom."], acts];
  }
}

/** Reports a program that ended before the match did. @type {Finds} */
function ofProgram(app, match) {
  const { failed, seated } = match;
  const program = app.state?.program;
  if (match.over || match.closed || (app.rematch && !seated)) return null;
  const lobby = toLobby(app);
  // The host listens at its last address: the guest connects there.
  const listen = match.own === 0 ? match.addresses[0] : undefined;
  const resume = () => app.begin("/resume", { match: seated?.match, listen }).catch((error) => {
    app.go("lobby");
    complain(error);
  });
  /** @type {Act[]} */
  const acts = seated ? [["Resume the match", resume], lobby] : [lobby];
  const open = seated || program?.command === "resume";
  const safe = seated ? [...sealed(match), WRITTEN, OPEN] : [open ? OPEN : FRESH];
  const clock = seated?.clock ? " Your clock runs." : "";
  const again = seated ? `Resume it here, or later in the lobby.${clock}` : `You can ${open ? "resume it" : "start again"} in the lobby.`;
  const message = failed ? sentences(failed.message) : [];
  switch (failed?.exit_code) {
    case 130:
      return ["ask", seated ? "Stopped" : "Ended", ["You stopped your program, here or in the terminal."], safe, [again], acts];
    case 2:
      return ["cheat", "The other player violated the protocol", [...message,
        "If a check failed, the other player tried to cheat: nobody else can change data on this connection."],
      ["Your program stopped at once.", ...(areSeveral(match) ? [] : ["The other player has seen no sealed card, except with a chance of 2^-56."]), ...(seated ? [WRITTEN] : [])],
      [stopPlaying(match, "After a failed check, do"), ...(open ? ["The match stays open, in case you want to continue it."] : []),
        ...(seated ? [KEEP] : [])], [lobby]];
    case 4:
      return ["ask", "You do not have a seat at this table", message, safe, [again], acts];
    case 3:
      return ["ask", "Could not connect", message, safe,
        ["Is the other player hosting now? If the address has changed, enter it in the lobby, or join with a new invite.",
          open ? again : "An invite for two works only once, and a host can replace the link of a table.", ...(IN_PAGE ? [] : ["Behind a router, the host must forward a port, or both must use a relay."])],
        open ? acts : [...retry(), ...acts]];
    case undefined:
      break;
    default:
      return seated ? ["ask", "Your program could not continue", message, [WRITTEN, OPEN], [again], acts]
        : ["ask", "Your program could not start", message, safe, ["Check your entries.", again], acts];
  }
  if (!program || program.running || app.role === "none" || hasEnded(match)) return null;
  if (program.exit_code === 0) return ["ask", "Your program has ended", match.notices.slice(-1), safe, [again], acts];
  const code = program.exit_code === null ? "" : ` (exit code ${program.exit_code})`;
  return ["ask", "Your program ended unexpectedly", [program.by_signal
    ? "It was killed, by somebody or because memory ran out."
    : `It stopped without an error message${code}.`],
  safe, [again], acts];
}

/** What a guest in a page reads before sitting down at a table. */
const LOCKED = "While your screen is locked or this page is closed, you cannot act. The others then play on without you, and you can "
  + "lose what you have bet in that hand. When you return, this page asks for your seat again.";

/** @type {Finds} */
function ofQuestion(app, match) {
  const { askSit, askTable } = match;
  const terms = askSit ?? askTable;
  if (!terms) return null;
  /** @type {(agree: boolean) => void} */
  const sit = (agree) => {
    Object.assign(match, { askSit: null, askTable: null });
    send(app, { do: "sit", agree });
  };
  const away = askTable && IN_PAGE ? [LOCKED] : [];
  return ["ask", "Do you accept these terms?", [...sentencesOf(terms), ...away], [], ["If you decline, the host is notified."],
    [["Sit down", () => sit(true)], ["Decline", () => sit(false)]], askTable?.details];
}

/** @type {Finds} */
function ofWaiting(app, match) {
  const { askAgain, outOfTime, connectionLost } = match;
  const clock = match.seated?.clock;
  const other = otherName(match, outOfTime?.seat);
  /** @type {Act} */
  const close = ["Close here", () => send(app, { do: "close" })];
  if (askAgain) {
    /** @type {Act[]} */
    const [again, stop] = [["Try again", () => send(app, { do: "again" })], ["Stop for now", () => void app.end()]];
    return ["ask", "Connect again?", [
      `Failed attempts in a row: ${askAgain.in_a_row}. Failed checks: ${askAgain.failed_checks}.`,
      "The cause can be a bad connection, or a cheater who disconnects when about to be caught.",
    ], ["An attempt to cheat succeeds with a chance of 2^-56, and at most 2^16 attempts are allowed.", ...sealed(match)], [
      askAgain.failed_checks > 0 ? "Continue only if you know why a check failed."
        : "If the connection was bad, try again. Otherwise ask the other player.",
    ], askAgain.failed_checks > 0 ? [stop, again] : [again, stop]];
  }
  if (outOfTime && outOfTime.seat !== match.own) {
    const title = clock ? `${other} has run out of time` : `${other} does not respond`;
    const time = clock ? `for as long as ${other} had time` : "for ten minutes";
    if (outOfTime.asks) {
      return ["wait", title, [`Nothing has come from ${other} ${time}.`, "Your program signs a call that names this player. If nobody has what is missing, you all play on without this player."],
        sealed(match), [], []];
    }
    return ["wait", outOfTime.away ? `${other} is disconnected` : title, [outOfTime.away
      ? `There was no connection ${time}.`
      : `Nothing has come from ${other} ${time}.`,
    ...(mayDisappear(match.seated) ? ["Too few players would be left without this one."] : [])],
    [...sealed(match), "No chips move while you wait, or if you close the match.",
      ...(clock ? ["Your program has noted the timeout. The note lasts until the match continues."] : [])],
    ["Wait as long as you like.", CLOSE], [close]];
  }
  if (connectionLost !== null) {
    return ["wait", "Connection lost", sentences(connectionLost), [...sealed(match), WRITTEN, ...(clock ? [mayDisappear(match.seated) ? "If this takes too long, the others play on without you." : "Your own clock is stopped."] : [])],
      ["Wait: your program reconnects automatically. It then sends the choice that you make now.",
        `You can close the match if ${other} ${clock ? "runs out of time" : "stays away for ten minutes"}.`], []];
  }
  if (match.sitsOut) {
    const back = () => {
      match.sitsOut = false;
      send(app, { do: "back" });
    };
    const done = DONE[match.late?.do ?? ""];
    const why = done ? `You ran out of time, and your program ${done} for you.` : "You chose to sit out.";
    return ["wait", "You sit out", [why], [
      areSeveral(match) ? "From the next hand on you get no cards. Your program shuffles and opens cards for the others." : "The next hand waits for you.",
    ], [`${why} You sit out until you press “I am back”.`],
      [["I am back", back]]];
  }
  return null;
}

/** @type {Finds} */
function ofPage(app, match) {
  if (app.gone) {
    const { over, seated } = match;
    const safe = over ? [FINAL] : seated ? [...sealed(match), WRITTEN, OPEN] : [FRESH];
    if (IN_PAGE) return ["wait", "The part of this page that plays has ended", ["The browser has ended it."], safe, ["Reload the page."], []];
    return ["wait", "The program on this machine does not respond", ["It has ended, or the machine was asleep."], safe,
      [`If it has ended, start it again${seated && !over ? ", and resume the match" : ""}.`], []];
  }
  if (app.role !== "watch") return null;
  return ["wait", "Another page is playing", ["This page only shows the match."],
    ["Only one page plays at a time."], ["Continue on the other page, or take the seat here."], [["Play here", () => void app.take()]]];
}

/** @param {Trouble} trouble @param {Match} match */
function screen([kind, title, happened, safe, todo, acts, more], match) {
  const block = (/** @type {(string | Part[])[]} */ texts, /** @type {Child} */ heading = null) =>
    h("div", heading && h("h3", heading), ...texts.map((text) => h("p", ...written([text].flat()))));
  const blocks = safe.length === 0 ? block([...happened, ...todo]) : h("div.trouble-blocks",
    block(happened, "What happened"), block(safe, "What is safe"), block(todo, "What to do"));
  const buttons = acts.map(([label, act], at) =>
    buttonTo(label, act, { class: at === 0 && label !== "Close here" && "main" }));
  return h("section", { class: `trouble ${kind}`, "aria-labelledby": "trouble-title" },
    h("h2", { id: "trouble-title" }, title),
    kind === "wait" && h("p", todo[0]),
    kind === "wait" ? h("details.more", h("summary", "What happened, and what is safe"), blocks) : blocks,
    (more?.length ?? 0) > 0 && h("details.more", h("summary", "More about the risks"), block(more ?? [])),
    kind === "cheat" && match.seated?.log && h("p.code", match.seated.log),
    buttons.length > 0 && h("div.row", ...buttons));
}

/** The shown report. Its element stays while events arrive, so that buttons keep the focus. */
let shown = { key: "", element: /** @type {HTMLElement | null} */ (null) };

/** @param {App} app @param {Match} match @returns {HTMLElement | null} */
export function trouble(app, match) {
  const found = ofEnd(app, match) ?? (app.gone ? null : ofProgram(app, match)) ?? ofPage(app, match) ?? ofQuestion(app, match)
    ?? ofWaiting(app, match);
  const key = found ? JSON.stringify([match.seated?.match, found.slice(0, 5)]) : "";
  if (key !== shown.key) shown = { key, element: found && screen(found, match) };
  return shown.element;
}
