// Where the page starts: the session, which page is shown, and the events of the program.

import { announce, buttonTo, clear, h, setAttribute } from "./dom.js";
import * as server from "./server.js";
import * as settings from "./settings.js";
import { apply, isMyTurn, newMatch } from "./match.js";
import { problem } from "./words.js";
import { tablePage } from "./table.js";
import { lobby } from "./lobby.js";
import { after } from "./after.js";
import { verify } from "./verify.js";

/** @import { Event } from "./protocol.js" */
/** @import { App, Page, PageName, State } from "./types.js" */

/** Where this tab remembers which program it plays. */
const PLAYS = "dealerless-plays";
/** And the last one whose end was seen here. */
const SEEN = "dealerless-seen";

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

/** The number of the program whose events are read. @type {number | undefined} */
let followed;

/** @param {PageName} to @param {any} [data] */
function go(to, data) {
  const program = app.state?.program;
  // Another page may have started a program since.
  if (to === "table" && program?.running && program.number !== followed) void follow(howToRead());
  if (to === "lobby" && program?.running === false) sessionStorage.setItem(SEEN, String(program.number));
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
    case "after": return after(app, String(data ?? ""), app.match);
    case "verify": return verify(app);
    case "table": return table;
  }
}

/** The links of the header. */
function links() {
  const nav = /** @type {HTMLElement} */ (document.getElementById("nav"));
  const link = (/** @type {PageName} */ to, /** @type {string} */ text) => {
    const button = buttonTo(text, () => go(to), { class: "plain" });
    setAttribute(button, "aria-current", to === name ? "page" : null);
    return button;
  };
  clear(nav,
    app.role !== "none" && link("table", "Table"),
    link("lobby", "Lobby"),
    link("verify", "Verify"));
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
  app.match = newMatch(how === "watch");
  app.role = how === "watch" ? "watch" : "play";
  followed = app.state?.program?.number;
  table.dispose();
  table = tablePage(app);
  if (name === "table") go("table");
  else links();
  const number = String(followed);
  try {
    await server.events(how, (events) => mine === reading && take(events), () => {
      if (how !== "watch") sessionStorage.setItem(PLAYS, number);
    });
  } catch (error) {
    if (mine !== reading) return;
    if (error instanceof server.Refused && error.status === 409 && how === "play") return follow("watch");
    if (!(error instanceof server.Gone)) return table.fail(problem(error), () => void follow(how));
  }
  if (mine === reading) await ended(mine);
}

/** @returns {"play" | "watch"} */
function howToRead() {
  const program = app.state?.program;
  return program?.running && program.played ? "watch" : "play";
}

/** The events have ended: the program has, or another page plays, or the server is gone. @param {number} mine */
async function ended(mine) {
  // Nothing can be chosen any more, and no clock is known.
  app.match.turn = null;
  try {
    const { program } = await refresh();
    app.gone = false;
    if (mine !== reading) return;
    if (program?.running) {
      sessionStorage.removeItem(PLAYS);
      setTimeout(() => mine === reading && follow(howToRead()), PAUSE / 4);
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
    try {
      apply(app.match, event, began(event));
      table.tell(event);
    } catch (error) {
      // An event of another version must not hide those that follow.
      console.error(event.event, error);
    }
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
    const number = String(program?.number);
    const mine = sessionStorage.getItem(PLAYS) === number;
    // How a program has ended is told to who played it, and to all if it ended otherwise than it should.
    const tells = program && (mine || program.by_signal || program.exit_code !== 0) && sessionStorage.getItem(SEEN) !== number;
    if (!program?.running && !tells) return go("lobby");
    // A tab that is loaded again goes on in its seat, although the server may not have seen it go.
    void follow(program?.running && mine ? "take" : howToRead());
    go("table");
  } catch (error) {
    const main = /** @type {HTMLElement} */ (document.getElementById("page"));
    clear(main, h("section", { class: "panel narrow" },
      h("h1", null, "This page has no seat"),
      h("p", null, problem(error))));
  }
}

void start();
