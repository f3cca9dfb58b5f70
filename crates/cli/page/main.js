// The start of the page: the session, navigation, and the events of the program.

import { announce, buttonTo, clear, complain, h, keepsStill, setAttribute } from "./dom.js";
import * as server from "./server.js";
import * as settings from "./settings.js";
import { apply, isMyTurn, isRunOut, newMatch } from "./match.js";
import { problem } from "./words.js";
import { tablePage } from "./table.js";
import { lobby } from "./lobby.js";
import { after } from "./after.js";
import { verify } from "./verify.js";

/** The key in `sessionStorage` for the number of the program that this tab plays. */
const PLAYS = "dealerless-plays";
/** The key for the number of the last program whose end was shown. */
const SEEN = "dealerless-seen";

/** The delay before the next request to the server, in milliseconds. */
const PAUSE = 1000;
/** The delay before a guest looks again for the host of a rematch, in milliseconds. */
const RETRY = 3000;

/** @type {App} */
const app = {
  match: newMatch(),
  state: null,
  role: "none",
  gone: false,
  rematch: null,
  send: server.send,
  go,
  get: server.get,
  post: server.post,
  begin,
  end,
  take: () => follow("take"),
  update: () => table.update(),
  refresh,
};

const main = /** @type {HTMLElement} */ (document.getElementById("page"));
/** @type {Page | null} */
let shown = null;
/** @type {PageName | null} */
let name = null;
/** The table page, kept with its log while its program runs. */
let table = tablePage(app);
/** The number of the current `follow`. Callbacks of earlier calls are ignored. */
let reading = 0;

/** The delay before each street after an all-in, in milliseconds. */
const STREET = 800;
/** @type {Message[]} */
let queue = [];
/** @type {ReturnType<typeof setTimeout> | undefined} */
let street;

/** The number of the program whose events are read. @type {number | undefined} */
let followed;

/** @param {PageName} to @param {any} [data] */
function go(to, data) {
  const program = app.state?.program;
  // Another page may have started a program.
  if (to === "table" && program?.running && program.number !== followed) void follow(howToRead());
  if (to === "lobby") app.rematch = null;
  if (to === "lobby" && program?.running === false) sessionStorage.setItem(SEEN, String(program.number));
  shown?.close?.();
  const page = pageOf(to, data);
  shown = page;
  name = to;
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

/**
 * @param {"/host" | "/join" | "/resume"} path
 * @param {object} body
 * @param {App["rematch"]} [rematch]
 */
async function begin(path, body, rematch = null) {
  await server.post(path, body);
  await refresh();
  app.rematch = rematch;
  void follow("play");
  go("table");
}

async function end() {
  app.rematch = null;
  await server.post("/end");
  table.update();
}

/** @param {number} mine */
async function lookAgain(mine) {
  const join = app.rematch?.join;
  if (mine !== reading || !join) return;
  await server.post("/join", join).catch(complain);
  await refresh();
  void follow("play", true);
}

/**
 * Reads the events of the program to its end.
 * @param {"play" | "take" | "watch"} how
 * @param {boolean} [again] whether to keep the table page
 */
async function follow(how, again = false) {
  reading += 1;
  const mine = reading;
  app.match = newMatch(how === "watch");
  app.role = how === "watch" ? "watch" : "play";
  followed = app.state?.program?.number;
  clearTimeout(street);
  [queue, street] = [[], undefined];
  if (!again) {
    table.dispose();
    table = tablePage(app);
  }
  if (name === "table" && !again) go("table");
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
  // Queued events are shown before the end.
  while (mine === reading && queue.length > 0) await new Promise((done) => { setTimeout(done, PAUSE / 4); });
  if (mine === reading) await ended(mine);
}

/** @returns {"play" | "watch"} */
function howToRead() {
  const program = app.state?.program;
  return program?.running && program.played ? "watch" : "play";
}

/** After the last event: the program ended, another page plays, or the server is gone. @param {number} mine */
async function ended(mine) {
  // No choice is possible any more, and no clock runs.
  app.match.turn = null;
  try {
    const { program } = await refresh();
    app.gone = false;
    if (mine !== reading) return;
    if (!program?.running) {
      // The host may not be ready, or may still be in the last match.
      if (app.rematch?.join && [0, 3].includes(program?.exit_code ?? -1)) setTimeout(() => lookAgain(mine).catch(complain), RETRY);
      else app.rematch = null;
    }
    if (program?.running) {
      sessionStorage.removeItem(PLAYS);
      setTimeout(() => mine === reading && follow(howToRead()), PAUSE / 4);
      return;
    }
  } catch {
    app.gone = true;
    announce("The program that serves this page does not respond.");
    setTimeout(() => mine === reading && ended(mine), PAUSE);
  }
  table.update();
  title();
}

/** @param {Message[]} events */
function take(events) {
  queue.push(...events);
  const hurries = keepsStill() || queue.some(({ event }) => event === "your-turn" || event === "dealt");
  if (street === undefined || hurries) show(hurries);
}

/**
 * Shows queued events.
 * @param {boolean} hurries whether to omit delays
 * @param {boolean} [waited] whether the delay of the first event is over
 */
function show(hurries, waited = false) {
  clearTimeout(street);
  street = undefined;
  const wasTurn = app.match.turn;
  for (let event = queue[0]; event; event = queue[0]) {
    if (!hurries && !waited && isRunOut(app.match, event)) {
      street = setTimeout(() => show(false, true), STREET);
      break;
    }
    waited = false;
    queue.shift();
    try {
      apply(app.match, event, began(event));
      if (["ask-sit", "ask-table", "seated"].includes(event.event)) app.rematch = null;
      // While a guest looks for the host, the same error would repeat.
      if (!app.rematch?.join || event.event !== "error") table.tell(event);
    } catch (error) {
      // An unknown event must not hide the following events.
      console.error(event.event, error);
    }
  }
  table.update();
  title();
  const turn = app.match.turn;
  if (isMyTurn(app.match) && turn?.turn !== wasTurn?.turn && app.role === "play") settings.callPlayer(table.title);
}

/**
 * The time of an event. A turn received before the page was reloaded keeps its first time.
 * @param {Message} event
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
  document.getElementById("settings")?.addEventListener("click", settings.open);
  try {
    await server.session(settings.start);
    const { program } = await refresh();
    const number = String(program?.number);
    const mine = sessionStorage.getItem(PLAYS) === number;
    // All pages show an abnormal end. Only the page that played shows a normal end.
    const showsEnd = program && (mine || program.by_signal || program.exit_code !== 0) && sessionStorage.getItem(SEEN) !== number;
    if (!program?.running && !showsEnd) return go("lobby");
    // A reloaded tab keeps its seat, even if the server has not noticed the reload.
    void follow(program?.running && mine ? "take" : howToRead());
    go("table");
  } catch (error) {
    clear(main, h("section.panel.narrow",
      h("h1", "This page cannot be used"),
      h("p", problem(error))));
  }
}

void start();
