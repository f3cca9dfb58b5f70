// Requests to the worker of this page, which plays. The same interface as the `server.js` of a page
// that a program serves.

import { EventReader, Gone, Refused } from "./answers.js";
import { complain } from "./dom.js";
import { forgetClock, noteClock, watchHiding } from "./hidden.js";
import { invited } from "./invited.js";
import { forgetLink, storedLinks, takeFromAddress } from "./link.js";
import { keepOffline } from "./offline.js";
import { isCode, keepRelay, lastRelay, relayOfPage } from "./places.js";
import { keepFiles, warnCleared, whatIsMissing } from "./storage.js";
import { alone } from "./tabs.js";

export { auditing } from "./auditing.js";
export { moving } from "./moving.js";
export { Gone, Refused };

/** Whether the player's program runs in this page. */
export const IN_PAGE = true;

/** The storage key for the last match: `{ match, relay, isStopped }`. */
const MATCH = "dealerless-match";
/** The storage key for the player's name. */
const NAME = "dealerless-name";

/** @type {Worker} */
let worker;
/** @typedef {{ status: number, body: Uint8Array }} Answer */
/** @type {Map<number, { done: (answer: Answer) => void, fail: (error: Error) => void }>} */
const requests = new Map();
let lastId = 0;
/** The stream of events that is read. @type {{ id: number, read: (text: string) => void, over: () => void } | null} */
let stream = null;
/** The relay of the program that plays. */
let relay = "";
/** The invite that the running program uses, or empty. A stored link can have the same invite. */
let usedInvite = "";
let hasCrashed = false;

/** @param {string} id */
function place(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * Starts the worker, after this tab has become the only one. Resumes the match that was being played,
 * asks a guest who has opened a link, or waits again for the guest of the last invite.
 * @throws {Refused} if this browser cannot play
 * @param {() => void} onKept called when `kept` can be used
 */
export async function session(onKept) {
  onKept();
  const missing = whatIsMissing();
  if (missing) throw new Refused(missing, 403);
  takeFromAddress();
  addEventListener("hashchange", () => takeFromAddress() && location.reload());
  const main = place("page");
  await alone(main, () => ask({ kind: "close" }));
  // The policy of the page allows one object to make addresses of scripts. Only these two are made.
  const urls = /** @type {any} */ (window).trustedTypes
    ?.createPolicy("dealerless", { createScriptURL: (/** @type {string} */ url) => url });
  const script = (/** @type {string} */ url) => /** @type {string} */ (urls?.createScriptURL(url) ?? url);
  keepOffline(script(new URL("../sw.js", import.meta.url).href), place("newer")).catch(console.error);
  // Some browsers ask their user first.
  keepFiles(place("storage")).catch(console.error);
  watchHiding(place("hidden"));
  await launch(script(new URL("worker.js", import.meta.url).href));
  if (await resumed().catch(report)) return;
  await invited(main, localStorage.getItem(NAME) ?? "", (request) => post("/join", request));
  await waited().catch(report);
}

/** What a guest can do whose invite has led to no connection. @returns {Act[]} */
export function retry() {
  return storedLinks().length > 0 ? [["Try again", () => location.reload()]] : [];
}

/** @param {string} script */
async function launch(script) {
  worker = new Worker(script, { type: "module" });
  worker.onmessage = ({ data }) => received(data);
  worker.onerror = () => {
    hasCrashed = true;
    for (const { fail } of requests.values()) fail(gone());
    requests.clear();
    stream?.over();
  };
  try {
    json(await ask({ kind: "start", asyncify: new URLSearchParams(location.search).has("asyncify") }));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Refused(/SecurityError|NotAllowed/.test(why)
      ? `This window cannot keep the files of a match. Private windows of some browsers cannot. (${why})`
      : why, 500);
  }
}

function gone() {
  return new Gone("The part of this page that plays has ended. Reload the page.");
}

/** @param {Error} error */
function report(error) {
  complain(error);
  return false;
}

/** Resumes the match that was being played here. Returns whether there is one. */
async function resumed() {
  const last = lastMatch();
  /** @type {{ matches: Listed[] }} */
  const { matches } = await get("/matches");
  const open = matches.filter((one) => !one.closed);
  // What this page stores last can be lost if the browser is killed. The files are never lost.
  const found = last ? open.find((one) => !last.isStopped && last.match.startsWith(one.match)) : open.length === 1 && open[0];
  if (!found) return false;
  await post("/resume", { match: found.match, ...(last?.relay && { relay: last.relay }) });
  return true;
}

/** Waits again for the guest of the last invite, if the page was closed while it waited. */
async function waited() {
  /** @type {{ hosting?: { relay: string } }} */
  const { hosting } = await get("/state");
  if (hosting) await post("/host", { again: true, relay: hosting.relay });
}

/** @returns {{ match: string, relay: string, isStopped: boolean } | null} */
function lastMatch() {
  try {
    const last = JSON.parse(localStorage.getItem(MATCH) ?? "null");
    return typeof last?.match === "string" && typeof last.relay === "string" ? last : null;
  } catch {
    return null;
  }
}

function stopped() {
  const last = lastMatch();
  if (last) localStorage.setItem(MATCH, JSON.stringify({ ...last, isStopped: true }));
}

/** @param {{ hex?: string, file?: Blob }} answer its bytes are put into `file` @returns {any} */
function withFile(answer) {
  const { hex } = answer;
  if (hex) answer.file = new Blob([Uint8Array.from({ length: hex.length / 2 }, (_, at) => parseInt(hex.slice(2 * at, 2 * at + 2), 16))]);
  return answer;
}

/** @param {string} path @returns {Promise<any>} a `Blob` for a record, otherwise an object */
export async function get(path) {
  const answer = withFile(json(await request(false, path, new Uint8Array())));
  if (path.startsWith("/record?")) return answer.file;
  if (path === "/identity") answer.player ??= localStorage.getItem(NAME);
  return answer;
}

/**
 * @param {string} path
 * @param {string | Blob | object} [body] text, bytes, or an object for JSON
 * @returns {Promise<any>}
 */
export async function post(path, body = "") {
  if (["/host", "/join", "/resume"].includes(path)) {
    const fields = /** @type {{ name?: string, whom?: string, relay?: string }} */ (body);
    usedInvite = path === "/join" ? fields.whom ?? "" : "";
    // A rematch takes place at the same relay.
    if (path === "/host") fields.relay ??= lastRelay();
    if (path === "/join" && isCode(fields.whom)) fields.relay ??= lastRelay() || relayOfPage();
    if (fields.relay) keepRelay(fields.relay);
    if (fields.name) localStorage.setItem(NAME, fields.name);
    relay = fields.relay ?? (path === "/resume" ? lastMatch()?.relay : "") ?? "";
  }
  if (path === "/end") stopped();
  const text = typeof body === "string" || body instanceof Blob ? body : JSON.stringify(body);
  const bytes = await new Response(text).arrayBuffer();
  return withFile(json(await request(true, path, new Uint8Array(bytes))));
}

/** @param {string} name @returns {Record<string, unknown>} */
export function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(`dealerless-${name}`) ?? "null") ?? {};
  } catch {
    return {};
  }
}

/** @param {string} name @param {object} value */
export function keep(name, value) {
  localStorage.setItem(`dealerless-${name}`, JSON.stringify(value));
}

/** Sends a command. Its effect arrives as an event. @param {Command} command */
export async function send(command) {
  json(await ask({ kind: "command", line: JSON.stringify(command) }));
}

/**
 * Reads the events of the program until it ends. This page is the only one, so it always plays.
 * @param {"play" | "take" | "watch"} _how
 * @param {(events: Message[]) => void} onEvents called with the events that arrive together
 * @param {() => void} [onOpen] called at once
 */
export async function events(_how, onEvents, onOpen) {
  if (hasCrashed) throw gone();
  onOpen?.();
  forgetClock();
  const lines = new EventReader();
  lastId += 1;
  const id = lastId;
  stream?.over();
  await new Promise((done) => {
    stream = {
      id,
      read(text) {
        const read = lines.read(text);
        for (const event of read) note(event);
        if (read.length > 0) onEvents(read);
      },
      over: () => done(undefined),
    };
    worker.postMessage({ kind: "play", id });
  });
}

/** Remembers what a reload needs. @param {Message} event */
function note(event) {
  noteClock(event);
  if (event.event === "seated") {
    forgetLink(usedInvite);
    localStorage.setItem(MATCH, JSON.stringify({ match: event.match, relay, isStopped: false }));
  } else if (event.event === "over" || event.event === "closed" || (event.event === "error" && event.exit_code !== undefined)) {
    // The guest or the host has declined.
    if (event.event === "error" && event.exit_code === 4) forgetLink(usedInvite);
    stopped();
  }
}

/** @param {any} data a message of the worker */
function received(data) {
  switch (data.kind) {
    case "answer":
      requests.get(data.id)?.done(data);
      requests.delete(data.id);
      break;
    case "lines":
      if (stream?.id === data.id) stream?.read(data.text);
      break;
    case "over":
      if (stream?.id === data.id) stream?.over();
      break;
    case "cleared":
      warnCleared(place("cleared"));
      break;
  }
}

/** @param {boolean} isPost @param {string} path @param {Uint8Array} body @returns {Promise<Answer>} */
function request(isPost, path, body) {
  return ask({ kind: "request", isPost, path, body });
}

/** @param {object} message @returns {Promise<Answer>} */
function ask(message) {
  if (hasCrashed) return Promise.reject(gone());
  lastId += 1;
  return new Promise((done, fail) => {
    requests.set(lastId, { done, fail });
    worker.postMessage({ ...message, id: lastId });
  });
}

/** @param {Answer} answer @returns {any} */
function json({ status, body }) {
  const text = new TextDecoder().decode(body);
  const object = text === "" ? null : JSON.parse(text);
  if (status >= 300) throw new Refused(object?.error?.message ?? `The program responded with ${status}.`, status);
  return object;
}
