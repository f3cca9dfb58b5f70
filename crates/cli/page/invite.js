// The view before a match: the invite as text and QR code, the players at the door, and those who have a seat.

import { written } from "./cards.js";
import { announce, buttonTo, clear, complain, errorLine, h, panel, quiet, setText, svg } from "./dom.js";
import { hasEnded } from "./match.js";
import { waysToInvite } from "./places.js";
import { IN_PAGE } from "./server.js";
import { forPage, problem, sentencesOf } from "./words.js";

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

/** Who can come in, and how. @param {number | undefined} seats of a table */
function steps(seats) {
  const from = IN_PAGE ? "A guest opens it in a browser, or pastes it under “Join”." : "A guest pastes it under “Join”, or runs the command in a terminal.";
  return h("ol.steps",
    h("li", `Send this ${seats ? "link to your friends" : "invite to the other player"} over a channel you trust. `,
      h("strong", seats ? "Everybody who has it can ask for a seat: you accept each player, unless you let everybody sit down."
        : "Anyone who has it can take the seat, once.")),
    h("li", from, !seats && " A player you have met can join by your name, and you are asked first."),
    !seats && h("li", "The match begins when both players are here."));
}

/** @param {Invite} event */
function inviteParts({ invite, link, code, seats }) {
  const qr = h("div");
  const ways = waysToInvite(invite);
  const text = (/** @type {string} */ label, /** @type {string} */ content) => h("p.invite-text.code", { tabindex: "0", "aria-label": label }, content);
  const copies = ways.map(([label, content]) => copyButton(seats ? label.replace("invite", "link") : label, () => content));
  return { qr, root: h("div", steps(seats), text(seats ? "Link" : "Invite", ways[0][1]), h("div.row", ...copies),
    ...code ? [h("p", `Or tell ${seats ? "them" : "the other player"} this code, which serves ${seats ? "all of them" : "once within an hour"}. A guest’s program needs the same relay.`),
      text("Code", code)] : [],
    ...link ? [h("p", "Or send this link instead. The guest opens it in a browser and needs no program."),
      text("Link", link), h("div.row", copyButton("Copy the link", () => link))] : []) };
}

/**
 * The players at the door, with a button for each answer. Those who stay keep their elements, so that buttons keep the focus.
 * @param {(command: Command) => void} say
 */
function doorView(say) {
  const list = h("ul.items");
  const root = h("div.before", h("h3", "At the door"), list);
  /** @type {Map<string, HTMLElement>} */
  let items = new Map();
  /** @param {AtDoor | null} atDoor */
  const update = (atDoor) => {
    const sentences = atDoor ? sentencesOf(atDoor) : [];
    const here = new Map((atDoor?.players ?? []).map(({ name, fingerprint, message }, at) => {
    const key = fingerprint + message;
      const button = (/** @type {string} */ label, /** @type {"accept" | "decline"} */ act) =>
        buttonTo(label, () => say({ do: act, fingerprint }), { class: act === "accept" && "main", "aria-label": `${label} ${name}` });
      return [key, items.get(key) ?? h("li.item", h("div.item-text", ...written(sentences[at] ?? [])),
        h("div.row", button("Accept", "accept"), button("Decline", "decline")))];
    }));
    for (const [of, element] of items) if (!here.has(of)) element.remove();
    for (const [of, element] of here) if (!items.has(of)) list.append(element);
    items = here;
    root.hidden = here.size === 0;
  };
  return { root, update };
}

/** The invite of a host, with its QR code. @param {App} app */
function linkView(app) {
  const root = h("div.invite", { hidden: true });
  /** @type {Invite | null} */
  let shown = null;
  const update = (/** @type {Invite | null} */ invite) => {
    if (!invite || invite === shown) return;
    shown = invite;
    root.hidden = false;
    const { root: said, qr } = inviteParts(invite);
    clear(root, said, qr);
    app.post("/qr", invite.invite).then((code) => clear(qr, picture(code)), () => {});
  };
  return { root, update };
}

/** The line of an error, and a function that sends a command and shows its error there. @param {App} app */
function sayer(app) {
  const failed = errorLine();
  const say = (/** @type {Command} */ command) => {
    setText(failed, "");
    app.send(command).catch((error) => setText(failed, problem(error)));
  };
  return { failed, say };
}

/** The guests of a host whose table plays: the door and the link. `call` is a button that leads there. @param {App} app */
export function guestsView(app) {
  const { failed, say } = sayer(app);
  const [door, link] = [doorView(say), linkView(app)];
  const root = panel("guests", "Guests", failed, door.root,
    h("details.more", h("summary", "The link of this table"), link.root, h("div.row", buttonTo("New link", () => say({ do: "link-new" })), OLD_LINK())));
  root.tabIndex = -1;
  const call = buttonTo("", () => root.focus(), { class: "main" });
  const update = (/** @type {Match} */ match) => {
    root.hidden = match.seated === null || match.invite?.seats === undefined || app.role !== "play";
    const waiting = match.atDoor?.players.length ?? 0;
    call.hidden = root.hidden || waiting === 0;
    setText(call, `Door: ${waiting}`);
    door.update(match.atDoor);
    link.update(match.invite);
  };
  return { root, call, update };
}

const OLD_LINK = () => h("span.muted", "The old link then gets no answer.");

/**
 * Those who have a seat at a table, and what is missing.
 * @param {(command: Command) => void} say
 */
function seatsView(say) {
  const [list, missing] = [h("ul.items"), h("p")];
  const start = buttonTo("Start", () => say({ do: "start" }), { class: "main", disabled: true });
  const acts = h("div.row", start, buttonTo("New link", () => say({ do: "link-new" })), OLD_LINK());
  const root = h("div.before", h("h3", "At the table"), list, missing, acts);
  /** @type {TableBefore | null} */
  let shown = null;
  /** @param {TableBefore | null} table @param {number | undefined} seats those of the host's link */
  const update = (table, seats) => {
    acts.hidden = seats === undefined;
    root.hidden = !table && acts.hidden;
    if (seats && !table) setText(missing, `The first match begins when ${seats} players are here. With two or more, you can start it. Others can come later.`);
    if (!table || table === shown) return;
    shown = table;
    const { players, place } = table;
    start.disabled = players.length < 2;
    clear(list, ...players.map(({ name, fingerprint, away }, at) =>
      h("li", ...written([{ name }]), at === 0 && ", the host", away && " (away)", fingerprint && h("span.muted.code", ` ${fingerprint}`))));
    const free = table.seats - players.length;
    const when = `when ${free === 1 ? "one more player is" : `${free} more players are`} here, or when ${seats ? "you press “Start”" : "the host starts it"}`;
    setText(missing, place > 0 ? `No seat is free. Your place in the queue is ${place}.`
      : `${players.length} of ${table.seats} seats are taken. The match begins ${free > 0 ? when : "now"}.${seats ? "" : " If the table plays already, you sit down after the hand in play."}`);
  };
  return { root, update };
}

/**
 * The view of a host who waits for guests, or of a guest who looks for the host or waits for others.
 * @param {App} app
 * @returns {View}
 */
export function inviteView(app) {
  let shownNotices = "";
  /** Whether the host has been found. */
  let found = false;
  const { failed, say } = sayer(app);
  const [door, atTable, sent] = [doorView(say), seatsView(say), linkView(app)];
  const places = quiet();
  const meets = h("p");
  const notices = h("ul.notices");
  const stop = buttonTo("Stop", () => app.end().catch(complain));
  const title = h("h2", { id: "invite-title" });
  const root = h("section.panel", { "aria-labelledby": "invite-title" }, title, meets,
    failed, door.root, atTable.root, sent.root, places, notices,
    h("div.row", stop));

  /** @param {Match} match */
  const update = (match) => {
    const { invite, table } = match;
    sent.update(invite);
    door.update(match.atDoor);
    atTable.update(table, invite?.seats);
    const question = match.askSit ?? match.askTable;
    const again = app.rematch;
    const hosts = app.state?.program?.command === "host" || match.addresses.length > 0;
    const several = table !== null || invite?.seats !== undefined;
    found ||= question !== null || table !== null;
    root.hidden = app.gone || question !== null || (!again && (hasEnded(match) || app.state?.program?.running === false));
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
