// Keeps the screen on in a match, and reports to the player what the clock did while the page was hidden, or the screen
// was locked.

import { buttonTo, clear, h } from "./dom.js";
import { apply, isMyTurn, newMatch, timeLeft } from "./match.js";

/** Absences shorter than this are not reported, in milliseconds. */
const SHORT = 3000;
/** The delay of the report, in milliseconds. The events of the absence arrive before it. */
const ARRIVES = 400;

let match = newMatch();
/** @type {WakeLockSentinel | null} */
let screenLock = null;
let hiddenSince = 0;
/** Whether the program has chosen for its late player while the page was hidden. */
let isLate = false;

/** Starts to watch whether the page is hidden. @param {HTMLElement} place the element for the report */
export function watchHiding(place) {
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      hiddenSince = Date.now();
      isLate = false;
      return;
    }
    keepScreenOn();
    const absent = Date.now() - hiddenSince;
    if (absent >= SHORT) setTimeout(() => report(place, absent), ARRIVES);
  });
}

/** The browser ends this by itself when the page is hidden, and refuses it, for example, with an empty battery. */
function keepScreenOn() {
  const isOn = screenLock !== null && !screenLock.released;
  if (match.seated && !match.over && !match.closed && !isOn) {
    navigator.wakeLock?.request("screen").then((lock) => { screenLock = lock; }, () => {});
  }
}

function letScreenSleep() {
  screenLock?.release().catch(() => {});
  screenLock = null;
}

/** The events of another program follow. */
export function forgetClock() {
  match = newMatch();
  letScreenSleep();
}

/** @param {Message} event */
export function noteClock(event) {
  apply(match, event, Date.now());
  if (event.event === "seated") keepScreenOn();
  if (match.over || match.closed) letScreenSleep();
  isLate ||= document.hidden && match.late !== null;
}

/** @param {number} seconds */
function spelled(seconds) {
  return seconds < 120 ? `${Math.floor(seconds)} s` : `${Math.floor(seconds / 60)} min`;
}

/** @param {HTMLElement} place @param {number} absent in milliseconds */
function report(place, absent) {
  if (!match.seated?.clock || match.over || match.closed) return;
  clear(place, h("p", `The page was hidden for ${spelled(absent / 1000)}, and the clock went on. ${clockNow()}`),
    buttonTo("OK", () => clear(place)));
}

/** The state of the clock after the absence. */
function clockNow() {
  if (isLate) return "Your time ran out, and your program chose for you.";
  if (!isMyTurn(match)) return "It is not your turn.";
  const left = timeLeft(match, Date.now());
  if (!left) return "It is your turn, and no time is counted now.";
  if (left.move + left.bank === 0) return "Your time is up.";
  return `It is your turn: you have ${spelled(left.move)} for the move and ${spelled(left.bank)} in the bank.`;
}
