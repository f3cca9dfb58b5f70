// Whether the browser keeps the files of a match, and the warning about it.

import { clear, h, setText } from "./dom.js";

const LOSES = "Until a match is over, its cards exist only in this browser. If you clear the data of this site, or play in a private window and "
  + "close it, you forfeit the match.";

const CLEARED = "The data of this site were cleared. A match that is being played here can only be finished in this tab: do not close or "
  + "reload it before the end.";

/** Shows the warning, and asks the browser to keep the files. @param {HTMLElement} place */
export async function keepFiles(place) {
  setText(place, LOSES);
  place.hidden = false;
  const isKept = await navigator.storage.persisted() || await navigator.storage.persist();
  if (!isKept) setText(place, `${LOSES} This browser may also clear the data by itself when the disk is full.`);
}

/** Warns that the files are gone. @param {HTMLElement} place */
export function warnCleared(place) {
  clear(place, h("p", CLEARED));
}

/** The reason why this browser cannot play; empty if it can. */
export function whatIsMissing() {
  const isTop = window.top === window.self;
  if (!isTop) return "This page does not work inside another page. Open it in its own tab.";
  if (!isSecureContext) return "This page works only over HTTPS.";
  if (!("locks" in navigator) || !("getDirectory" in (navigator.storage ?? {})) || !("WebAssembly" in window)) {
    return "This browser cannot play: it has no private files, locks or WebAssembly. Use a current version of Firefox, Chrome or Safari.";
  }
  return "";
}
