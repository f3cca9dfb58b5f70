// The view before both players are connected: addresses, and the invite as text and QR code.

import { announce, buttonTo, clear, complain, h, quiet, setText, svg } from "./dom.js";
import { hasEnded } from "./match.js";
import { forPage } from "./words.js";

/**
 * @param {string} label
 * @param {() => string} content
 * @param {string} [name] the accessible name, if the label is too short
 */
export function copyButton(label, content, name) {
  const button = h("button", { type: "button", "aria-label": name }, label);
  button.addEventListener("click", async () => {
    const copied = await navigator.clipboard.writeText(content()).then(() => true, () => false);
    const text = copied ? "Copied" : "Could not copy. Select the text instead.";
    setText(button, text);
    announce(text);
    setTimeout(() => setText(button, label), 2500);
  });
  return button;
}

/** @param {number} seconds since 1970 */
export function dateOf(seconds) {
  const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
  return format.format(new Date(seconds * 1000));
}

/** A QR code as one path. @param {{ size: number, rows: string[] }} code */
function picture(code) {
  const margin = 4;
  const side = code.size + 2 * margin;
  const squares = code.rows.flatMap((row, y) =>
    [...row.matchAll(/1+/g)].map((run) => `M${margin + run.index} ${margin + y}h${run[0].length}v1h-${run[0].length}z`));
  return svg("svg", { class: "qr", viewBox: `0 0 ${side} ${side}`, role: "img", "aria-label": "The invite as a QR code" },
    svg("path", { d: squares.join("") }));
}

/**
 * The view of a host who waits for a guest, or of a guest who looks for the host.
 * @param {App} app
 * @returns {View}
 */
export function inviteView(app) {
  let invite = "";
  let shownNotices = "";
  /** Whether the host has been found. */
  let found = false;
  const text = h("p.invite-text.code", { tabindex: "0", "aria-label": "Invite" });
  const code = h("div.qr-place");
  const sent = h("div.invite", { hidden: true },
    h("div.invite-said",
      h("ol.steps",
        h("li", "Send this invite to the other player over a channel you trust. ",
          h("strong", "Anyone who has it can take the seat, once.")),
        h("li", "The other player pastes it under “Join”, or runs the command in a terminal. A player you have met can join by your name, and you are asked first."),
        h("li", "The match begins when both players are here.")),
      text,
      h("div.row",
        copyButton("Copy the invite", () => invite),
        copyButton("Copy the command for a terminal", () => `dealerless join ${invite}`))),
    code);
  const places = quiet();
  const meets = h("p");
  const notices = h("ul.notices");
  const stop = buttonTo("Stop", () => app.end().catch(complain));
  const title = h("h2", { id: "invite-title" });
  const root = h("section.panel", { "aria-labelledby": "invite-title" }, title, meets,
    sent, places, notices,
    h("div.row", stop));

  const draw = async (/** @type {string} */ of) => {
    try {
      const qr = await app.post("/qr", of);
      if (of === invite) clear(code, picture(qr));
    } catch {
      clear(code);
    }
  };
  /** @param {Match} match */
  const update = (match) => {
    if (match.invite && match.invite !== invite) {
      invite = match.invite;
      setText(text, invite);
      draw(invite);
    }
    const again = app.rematch;
    const hosts = app.state?.program?.command === "host" || match.addresses.length > 0;
    found ||= match.askSit !== null;
    root.hidden = app.gone || match.askSit !== null || (!again && (hasEnded(match) || app.state?.program?.running === false));
    sent.hidden = !invite;
    setText(title, again ? `Rematch with ${again.name}` : hosts ? "Waiting for the other player" : found ? "Waiting for the host" : "Looking for the host");
    setText(meets, !again ? "" : hosts ? `${again.name} needs no invite and can press “Rematch” to find you. If that fails, send this invite.`
      : `Your program tries every few seconds to reach ${again.name} at the last known address. `
        + "If that fails, ask for an invite and join in the lobby.");
    setText(places, !hosts ? !again && !found && "Your program is connecting to the host." || ""
      : match.addresses.length > 0 ? `Your program listens at ${match.addresses.join(", ")}.` : "");
    if (match.notices.join("\n") !== shownNotices) {
      shownNotices = match.notices.join("\n");
      clear(notices, ...match.notices.map((notice) => h("li.warning", forPage(notice))));
    }
  };
  return { root, update };
}
