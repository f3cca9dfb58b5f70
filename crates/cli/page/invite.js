// The view before all players are connected: addresses, and each invite as text and QR code.

import { announce, buttonTo, clear, complain, h, quiet, setText, svg } from "./dom.js";
import { hasEnded } from "./match.js";
import { waysToInvite } from "./places.js";
import { IN_PAGE } from "./server.js";
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

/** @param {number} guests */
function steps(guests) {
  const several = guests > 1;
  return h("ol.steps",
    h("li", `Send ${several ? "each invite to one player" : "this invite to the other player"} over a channel you trust. `,
      h("strong", "Anyone who has it can take the seat, once.")),
    h("li", `${IN_PAGE ? "A guest opens it in a browser, or pastes it under “Join”." : "A guest pastes it under “Join”, or runs the command in a terminal."} A player you have met can join by your name, and you are asked first.`),
    h("li", `The match begins when ${several ? `all ${guests + 1}` : "both"} players are here.`));
}

/**
 * The view of a host who waits for a guest, or of a guest who looks for the host.
 * @param {App} app
 * @returns {View}
 */
export function inviteView(app) {
  let shownInvites = 0;
  let shownNotices = "";
  /** Whether the host has been found. */
  let found = false;
  let several = false;
  const sent = h("div.invite", { hidden: true });
  const places = quiet();
  const meets = h("p");
  const notices = h("ul.notices");
  const stop = buttonTo("Stop", () => app.end().catch(complain));
  const title = h("h2", { id: "invite-title" });
  const root = h("section.panel", { "aria-labelledby": "invite-title" }, title, meets,
    sent, places, notices,
    h("div.row", stop));

  /** @param {string} invite @param {string} of the number of the invite, if there are several */
  const parts = (invite, of) => {
    const code = h("div");
    app.post("/qr", invite).then((qr) => clear(code, picture(qr)), () => {});
    const ways = waysToInvite(invite);
    const text = h("p.invite-text.code", { tabindex: "0", "aria-label": `Invite${of}` }, ways[0][1]);
    return [code, text, h("div.row", ...ways.map(([label, content]) => copyButton(label, () => content, label + of)))];
  };
  /** @param {string} link */
  const linked = (link) => [
    h("p", "Or send this link instead. The guest opens it in a browser and needs no program."),
    h("p.invite-text.code", { tabindex: "0", "aria-label": "Link" }, link),
    h("div.row", copyButton("Copy the link", () => link))];
  /** @param {string} code */
  const spoken = (code) => [
    h("p", "Or tell the other player this code, which serves once within an hour. The guest’s program needs the same relay."),
    h("p.invite-text.code", { tabindex: "0", "aria-label": "Code" }, code)];
  /** @param {Match} match */
  const showInvites = ({ invites, link, code: words }) => {
    shownInvites = invites.length;
    sent.hidden = false;
    if (invites.length === 1) {
      const [code, ...said] = parts(invites[0], "");
      return clear(sent, h("div", steps(1), ...said, ...words ? spoken(words) : [], ...link ? linked(link) : []), code);
    }
    meets.after(notices);
    clear(sent, h("div", steps(invites.length), h("ul.items", ...invites.map((invite, at) => {
      const [code, text, copy] = parts(invite, ` ${at + 1}`);
      return h("li.item", h("h3", `Invite ${at + 1}`), copy, h("details.more", h("summary", "Text and QR code"), text, code));
    }))));
  };
  /** @param {Match} match */
  const update = (match) => {
    if (match.invites.length > shownInvites) showInvites(match);
    several ||= shownInvites > 1 || match.notices.some((text) => /^\d+ of \d+ players are here/.test(text));
    const again = app.rematch;
    const hosts = app.state?.program?.command === "host" || match.addresses.length > 0;
    found ||= match.askSit !== null || several;
    root.hidden = app.gone || match.askSit !== null || (!again && (hasEnded(match) || app.state?.program?.running === false));
    setText(title, again ? `Rematch with ${again.name}` : several ? "Waiting for the other players" : hosts ? "Waiting for the other player" : found ? "Waiting for the host" : "Looking for the host");
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
