// Where the page starts: the session, which page is shown, and the events of the program.

import { announce, clear, h, setAttribute } from "./dom.js";
import * as server from "./server.js";
import * as settings from "./settings.js";
import { apply, isMyTurn, newMatch } from "./match.js";
import { asSentence } from "./words.js";
import { tablePage } from "./table.js";
import { lobby } from "./lobby.js";
import { after } from "./after.js";
import { verify } from "./verify.js";

/** @import { Event } from "./protocol.js" */
/** @import { State } from "./server.js" */

/** @typedef {import("./types.js").Page} Page */
/** @typedef {import("./types.js").PageName} PageName */
/** @typedef {import("./types.js").App} App */

/** Where this tab remembers which program it plays. */
const PLAYS = "dealerless-plays";

/** How long until the server is asked again, in milliseconds. */
const PAUSE = 1000;

/** @type {App} */
const app = {
  match: newMatch(),
  state: null,
  role: "none",
  gone: false,
  send: server.command,
  go,
  get: server.get,
  post: server.post,
  begin,
  end,
  take: () => follow("take"),
  refresh,
};

/** @type {Page | null} */
let shown = null;
/** @type {PageName | null} */
let name = null;
/** The table stays while its program runs, with its log. */
let table = tablePage(app);
/** Counts the times that this page began to read events: what belongs to an earlier time is left alone. */
let reading = 0;

/** @type {Record<"lobby" | "verify", string>} */
const LINKS = { lobby: "Lobby", verify: "Verify" };

/** @param {PageName} to @param {any} [data] */
function go(to, data) {
  shown?.close?.();
  const page = pageOf(to, data);
  shown = page;
  name = to;
  const main = /** @type {HTMLElement} */ (document.getElementById("page"));
  clear(main, page.root);
  main.dataset.page = to;
  links();
  title();
  scrollTo(0, 0);
  main.focus({ preventScroll: true });
}

/** @param {PageName} to @param {any} data @returns {Page} */
function pageOf(to, data) {
  switch (to) {
    case "lobby": return lobby(app);
    // The program calls a record by the first 16 digits of the match.
    case "after": return after(app, String(data ?? ""), app.match);
    case "verify": return verify(app);
    case "table": return table;
  }
}

/** The links of the header. */
function links() {
  const nav = /** @type {HTMLElement} */ (document.getElementById("nav"));
  const link = (/** @type {PageName} */ to, /** @type {string} */ text) => {
    const button = h("button", { class: "plain", type: "button", onclick: () => go(to) }, text);
    setAttribute(button, "aria-current", to === name ? "page" : null);
    return button;
  };
  clear(nav,
    app.role !== "none" && link("table", "Table"),
    link("lobby", LINKS.lobby),
    link("verify", LINKS.verify));
}

function title() {
  const runs = !app.gone && app.state?.program?.running === true;
  settings.setTitle(shown?.title ?? "Table", runs && isMyTurn(app.match));
}

async function refresh() {
  app.state = /** @type {State} */ (await server.get("/state"));
  return app.state;
}

/** @param {"/host" | "/join" | "/resume"} path @param {object} body */
async function begin(path, body) {
  await server.post(path, body);
  await refresh();
  void follow("play");
  go("table");
}

async function end() {
  await server.post("/end");
}

/**
 * Reads the events of the program, to its end: as the page that plays or, where another one does, as one that watches.
 * @param {"play" | "take" | "watch"} how
 */
async function follow(how) {
  reading += 1;
  const mine = reading;
  app.match = newMatch();
  app.role = how === "watch" ? "watch" : "play";
  table.dispose();
  table = tablePage(app);
  if (name === "table") go("table");
  else links();
  const number = String(app.state?.program?.number ?? "");
  try {
    await server.events(how, (events) => mine === reading && take(events), () => {
      if (how !== "watch") sessionStorage.setItem(PLAYS, number);
    });
  } catch (error) {
    if (mine !== reading) return;
    if (error instanceof server.Refused && error.status === 409 && how === "play") return follow("watch");
    if (!(error instanceof server.Gone)) return table.fail(asSentence(/** @type {Error} */ (error).message));
  }
  if (mine === reading) await ended(mine);
}

/**
 * The events have ended: the program has, or another page plays, or the server is gone.
 * @param {number} mine
 */
async function ended(mine) {
  const before = app.state?.program?.number;
  try {
    const { program } = await refresh();
    app.gone = false;
    if (mine !== reading) return;
    if (program?.running && program.number === before) {
      sessionStorage.removeItem(PLAYS);
      setTimeout(() => mine === reading && follow(program.played ? "watch" : "play"), PAUSE / 4);
      return;
    }
  } catch {
    app.gone = true;
    announce("The program that serves this page does not answer.");
    setTimeout(() => mine === reading && ended(mine), PAUSE);
  }
  table.update();
  title();
}

/** Shows what has come, in the task in which it came. @param {Event[]} events */
function take(events) {
  const wasTurn = app.match.turn;
  for (const event of events) {
    apply(app.match, event, began(event));
    table.tell(event);
  }
  table.update();
  title();
  const turn = app.match.turn;
  if (isMyTurn(app.match) && turn?.turn !== wasTurn?.turn && app.role === "play") settings.callPlayer(table.title);
}

/**
 * When an event came: for a turn that was told before the page was loaded again, when it was told first.
 * @param {Event} event
 * @returns {number}
 */
function began(event) {
  const now = Date.now();
  if (event.event !== "your-turn" && event.event !== "their-turn") return now;
  const of = `${app.match.seated?.match} ${event.hand} ${event.turn} `;
  const known = sessionStorage.getItem("dealerless-turn");
  if (known?.startsWith(of)) return Number(known.slice(of.length));
  sessionStorage.setItem("dealerless-turn", of + now);
  return now;
}

async function start() {
  settings.start();
  document.getElementById("settings")?.addEventListener("click", settings.open);
  try {
    await server.session();
    const { program } = await refresh();
    if (program?.running) {
      go("table");
      // A tab that is loaded again goes on in its seat, although the server may not have seen it go.
      const mine = sessionStorage.getItem(PLAYS) === String(program.number);
      if (mine) void follow("take");
      else void follow(program.played ? "watch" : "play");
    } else {
      go("lobby");
    }
  } catch (error) {
    const main = /** @type {HTMLElement} */ (document.getElementById("page"));
    clear(main, h("section", { class: "panel narrow" },
      h("h1", null, "This page has no seat"),
      h("p", null, asSentence(/** @type {Error} */ (error).message))));
  }
}

void start();
