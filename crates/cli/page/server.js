// Requests to the program that serves this page. docs/browser.md describes them.

import { EventReader, Gone, Refused } from "./answers.js";
import { complain } from "./dom.js";

export { Gone, Refused };

/** Whether the player's program runs in this page. */
export const IN_PAGE = false;

/** @returns {Act[]} */
export const retry = () => [];

/** The program makes audits: `dealerless audit`. @type {(app: App, id: string, state: any) => Child} */
export const auditing = () => null;

/** The program moves identities: `dealerless identity succeed`. @type {(app: App, own: Listed, renew: () => void) => Child} */
export const moving = () => null;

const KEY = "dealerless-key";
let key = "";
/** What the program keeps for this page, by name. @type {Record<string, Record<string, unknown>>} */
let stored = {};
/** The end of the last request that stores. @type {Promise<void>} */
let saved = Promise.resolve();
/** The number that the server gave this page. */
let page = "";

/**
 * Exchanges the one-time token in the address for the key of this session, or uses the stored key.
 * @throws {Refused} if there is no token and no key
 * @param {() => void} onKept called when `kept` has what the program keeps
 */
export async function session(onKept) {
  const token = location.hash.slice(1);
  if (/^[0-9a-f]{32}$/.test(token)) {
    history.replaceState(null, "", location.pathname);
    try {
      key = (await json(await ask("/session", { method: "POST", body: token }))).key;
      localStorage.setItem(KEY, key);
      // This tab's stored data is from another server.
      sessionStorage.clear();
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 410) throw error;
      await takeStored();
    }
  } else {
    key = localStorage.getItem(KEY) ?? "";
    if (!key) throw new Refused("Open the address that the program printed. You cannot play here without it.", 403);
  }
  await get("/settings").then((kept) => (stored = kept), complain);
  onKept();
}

/** Uses the stored key, because this browser or somebody else has used the token. */
async function takeStored() {
  key = localStorage.getItem(KEY) ?? "";
  try {
    await get("/state");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new Refused("This address has already been used. If you did not open it, end the program and start it again.", 410);
  }
}

/** What the program has stored under a name, or an empty object. @param {string} name */
export function kept(name) {
  return stored[name] ?? {};
}

/** @param {string} name @param {Record<string, unknown>} value */
export function keep(name, value) {
  stored[name] = value;
  saved = saved.then(() => post("/settings", { [name]: value })).catch(complain);
}

/** @param {string} path @returns {Promise<any>} */
export async function get(path) {
  return json(await ask(path, {}));
}

/**
 * @param {string} path
 * @param {string | Blob | object} [body] text, bytes, or an object for JSON
 * @returns {Promise<any>}
 */
export async function post(path, body = "") {
  const raw = typeof body === "string" || body instanceof Blob;
  const sent = raw ? /** @type {BodyInit} */ (body) : JSON.stringify(body);
  return json(await ask(path, { method: "POST", body: sent }));
}

/** Sends a command. Its effect arrives as an event. @param {Command} command */
export async function send(command) {
  const headers = { "Dealerless-Page": page };
  await ask("/command", { method: "POST", body: JSON.stringify(command), headers });
}

/**
 * Reads the events of the program until it ends, or until another page takes the seat.
 * @param {"play" | "take" | "watch"} how `take` plays even if another page plays
 * @param {(events: Message[]) => void} onEvents called with the events that arrive together
 * @param {() => void} [onOpen] called when the program has accepted this page
 */
export async function events(how, onEvents, onOpen) {
  const path = { play: "/play", take: "/play?take", watch: "/watch" }[how];
  const answer = await ask(path, {});
  page = answer.headers.get("Dealerless-Page") ?? "";
  onOpen?.();
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();
  const decoder = new TextDecoder();
  const lines = new EventReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      const read = lines.read(decoder.decode(value, { stream: !done }));
      if (read.length > 0) onEvents(read);
      if (done) return;
    }
  } finally {
    // Ends the stream, even after an error: another page may play.
    await reader.cancel().catch(() => {});
  }
}

/** @param {string} path @param {RequestInit} init */
async function ask(path, init) {
  const headers = { ...init.headers, ...(key && { "Dealerless-Key": key }) };
  let answer;
  try {
    answer = await fetch(path, { ...init, headers, cache: "no-store" });
  } catch {
    throw new Gone("The program that serves this page does not respond. If it has ended, start it again.");
  }
  if (answer.ok) return answer;
  const { error } = await answer.json().catch(() => ({ error: null }));
  const message = error?.message ?? `The program responded with ${answer.status} ${answer.statusText}.`;
  throw new Refused(message, answer.status);
}

/** @param {Response} answer */
async function json(answer) {
  const text = await answer.text();
  return text === "" ? null : JSON.parse(text);
}
