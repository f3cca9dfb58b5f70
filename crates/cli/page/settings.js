// The settings: the look of the page, and how it signals a turn.

import { h, setText } from "./dom.js";
import { keep, kept } from "./server.js";

/** @type {Settings} */
export const settings = { theme: "system", fourColours: false, sound: false, notices: false, asks: true };

const TOGGLES = /** @type {const} */ (["fourColours", "sound", "notices", "asks"]);

/** @type {AudioContext | null} */
let audio = null;

export function start() {
  const { theme, ...toggles } = kept("settings");
  if (theme === "dark" || theme === "light") settings.theme = theme;
  for (const key of TOGGLES) if (typeof toggles[key] === "boolean") settings[key] = toggles[key];
  look();
}

function look() {
  const root = document.documentElement;
  root.dataset.theme = settings.theme;
  root.dataset.suits = settings.fourColours ? "four" : "two";
}

function changed() {
  keep("settings", settings);
  look();
}

export function open() {
  const note = h("p.muted", { role: "status" });
  /** @param {"system" | "dark" | "light"} theme @param {string} name */
  const theme = (theme, name) => h("label.choice",
    h("input", {
      type: "radio", name: "theme", value: theme, checked: settings.theme === theme,
      onchange: () => { settings.theme = theme; changed(); },
    }), name);
  /** @param {typeof TOGGLES[number]} key @param {string} name @param {() => void} [also] */
  const toggle = (key, name, also) => h("label.choice",
    h("input", {
      type: "checkbox", checked: settings[key],
      onchange: (/** @type {{ target: HTMLInputElement }} */ { target }) => {
        settings[key] = target.checked;
        changed();
        if (target.checked) also?.();
      },
    }), name);
  const dialog = h("dialog.dialog", { "aria-labelledby": "settings-title" },
    h("h2", { id: "settings-title" }, "Settings"),
    h("fieldset", h("legend", "Colours"),
      theme("system", "Same as system"), theme("light", "Light"), theme("dark", "Dark")),
    h("fieldset", h("legend", "Cards"),
      toggle("fourColours", "Four suit colours")),
    h("fieldset", h("legend", "When it is your turn"),
      toggle("asks", "Ask before I give up a pot"),
      toggle("sound", "Play a short sound", beep),
      toggle("notices", "Show a browser notification if the page is hidden", () => askForNotices(note)),
      note),
    h("form.row.end", { method: "dialog" }, h("button.main", "Done")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {HTMLElement} note */
async function askForNotices(note) {
  const allowed = "Notification" in window && (await Notification.requestPermission()) === "granted";
  setText(note, allowed ? "" : "The browser does not allow notifications for this page.");
}

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

/** Signals a turn as the settings say. @param {string} text */
export function callPlayer(text) {
  if (settings.sound) beep();
  if (settings.notices && document.hidden && "Notification" in window && Notification.permission === "granted") {
    try {
      const notice = new Notification("Your turn", { body: text, tag: "dealerless-turn" });
      notice.onclick = () => window.focus();
    } catch {
      // Browsers of phones show no notifications of a page.
    }
  }
}

/** @param {string} title @param {boolean} myTurn */
export function setTitle(title, myTurn) {
  const text = `${myTurn ? "● Your turn – " : ""}${title} – Dealerless`;
  if (document.title !== text) document.title = text;
}
