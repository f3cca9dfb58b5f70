// What one can choose for this browser: how the page looks, and whether it makes itself heard.

import { h, setText } from "./dom.js";

/** @import { Settings } from "./types.js" */

// A cookie, and not the storage of the page: that belongs to a port, and each start of the program may have another.
const STORED = "dealerless-settings";
const YEAR = 365 * 24 * 60 * 60;

/** @type {Settings} */
const settings = { theme: "system", fourColours: false, sound: false, notices: false };

/** @type {AudioContext | null} */
let audio = null;

/** Reads what was chosen before, and makes the page look so. */
export function start() {
  try {
    const cookie = document.cookie.split("; ").find((pair) => pair.startsWith(`${STORED}=`)) ?? `${STORED}={}`;
    // Any server on this machine may have written it.
    const stored = JSON.parse(decodeURIComponent(cookie.slice(STORED.length + 1)));
    if (["system", "dark", "light"].includes(stored.theme)) settings.theme = stored.theme;
    settings.fourColours = stored.fourColours === true;
    settings.sound = stored.sound === true;
    settings.notices = stored.notices === true;
  } catch {
    // What is stored is no JSON: the page looks as if nothing was.
  }
  look();
}

function look() {
  const root = document.documentElement;
  root.dataset.theme = settings.theme;
  root.dataset.suits = settings.fourColours ? "four" : "two";
}

function keep() {
  document.cookie = `${STORED}=${encodeURIComponent(JSON.stringify(settings))}; SameSite=Strict; Path=/; Max-Age=${YEAR}`;
  look();
}

/** The settings as a dialog of the page. */
export function open() {
  const note = h("p", { class: "muted", role: "status" });
  /** @param {"system" | "dark" | "light"} theme @param {string} name */
  const theme = (theme, name) => h("label", { class: "choice" },
    h("input", {
      type: "radio", name: "theme", value: theme, checked: settings.theme === theme,
      onchange: () => { settings.theme = theme; keep(); },
    }), name);
  /** @param {"fourColours" | "sound" | "notices"} key @param {string} name @param {() => void} [also] */
  const toggle = (key, name, also) => h("label", { class: "choice" },
    h("input", {
      type: "checkbox", checked: settings[key],
      onchange: (/** @type {{ target: HTMLInputElement }} */ { target }) => {
        settings[key] = target.checked;
        keep();
        if (target.checked) also?.();
      },
    }), name);
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": "settings-title" },
    h("h2", { id: "settings-title" }, "Settings"),
    h("fieldset", null, h("legend", null, "Colours"),
      theme("system", "As the system"), theme("light", "Light"), theme("dark", "Dark")),
    h("fieldset", null, h("legend", null, "Cards"),
      toggle("fourColours", "A colour for each suit")),
    h("fieldset", null, h("legend", null, "When it is your turn"),
      toggle("sound", "A short sound", beep),
      toggle("notices", "A notice of the browser, if you look elsewhere", () => askForNotices(note)),
      note),
    h("form", { class: "row end", method: "dialog" }, h("button", { class: "main" }, "Done")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {HTMLElement} note */
async function askForNotices(note) {
  const allowed = "Notification" in window && (await Notification.requestPermission()) === "granted";
  setText(note, allowed ? "" : "The browser does not allow notices for this page.");
}

/** A short tone, made here. */
function beep() {
  audio ??= new AudioContext();
  const start = audio.currentTime;
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = 660;
  volume.gain.setValueAtTime(0.0001, start);
  volume.gain.exponentialRampToValueAtTime(0.15, start + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.25);
  tone.connect(volume).connect(audio.destination);
  tone.start(start);
  tone.stop(start + 0.3);
}

/** It is one's turn: makes itself heard, if that was chosen. @param {string} text */
export function callPlayer(text) {
  if (settings.sound) beep();
  if (settings.notices && document.hidden && "Notification" in window && Notification.permission === "granted") {
    const notice = new Notification("Your turn", { body: text, tag: "dealerless-turn" });
    notice.onclick = () => window.focus();
  }
}

/** The title of the window, which tells when it is one's turn. @param {string} title @param {boolean} myTurn */
export function setTitle(title, myTurn) {
  const text = `${myTurn ? "● Your turn – " : ""}${title} – Dealerless`;
  if (document.title !== text) document.title = text;
}
