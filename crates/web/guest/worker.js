// The worker of the page. It has the files, the seat, and the programs: hosting, joining and resuming
// are programs, of which one runs at a time. `server.js` posts to this worker.

import { addFiles, openFiles, watchFiles } from "./files.js";
import { Seat } from "./seat.js";
import { CAN_SUSPEND } from "./suspension.js";
import { Transcript } from "./transcript.js";

/** Timeout of a request for the program that plays to end, in milliseconds. */
const TURN = 5000;
/** Timeout for a program to end, in milliseconds. */
const GRACE = 15_000;
/** The exit code of a program that its user has ended. */
const BROKEN_OFF = 130;
const CLOSED = "Another tab plays.";
/** The requests that wait until no program plays. */
const WAITS = ["/host", "/join", "/resume", "/matches"];

/** @typedef {import("./seat.js").Answer} Answer */
/** @typedef {{ number: number, command: string, lines: Transcript, exitCode: number | null }} Program */

/** @type {FileSystemSyncAccessHandle[]} */
let files = [];
/** @type {WebAssembly.Module} */
let module;
let isNative = CAN_SUSPEND;
/** The seat that runs or starts; null before the first start and after a failure. @type {Promise<Seat> | null} */
let seat = null;
/** The program that was started last. @type {Program | null} */
let program = null;
/** Called when the program ends. @type {(() => void)[]} */
let waiting = [];
/** The number of the stream that gets the lines of the program; 0 if there is none. */
let reader = 0;
/** The lines not posted yet. */
let unsent = "";

const encoder = new TextEncoder();

/** @param {number} status @param {object} object @returns {Answer} */
function json(status, object) {
  return { status, body: encoder.encode(JSON.stringify(object)) };
}

/** @param {number} status @param {string} message */
function refusal(status, message) {
  return json(status, { error: { message } });
}

function isPlaying() {
  return program !== null && program.exitCode === null;
}

/** The lines that arrive together are posted together. @param {string} line */
function push(line) {
  program?.lines.push(line);
  if (reader === 0) return;
  if (unsent === "") queueMicrotask(flush);
  unsent += line;
}

function flush() {
  if (reader !== 0 && unsent !== "") postMessage({ kind: "lines", id: reader, text: unsent });
  unsent = "";
}

function endStream() {
  flush();
  if (reader !== 0) postMessage({ kind: "over", id: reader });
  reader = 0;
}

/** @param {number} exitCode */
function ended(exitCode) {
  if (!program || program.exitCode !== null) return;
  program.exitCode = exitCode;
  endStream();
  for (const done of waiting.splice(0)) done();
}

/** Resolves to whether the program that plays has ended in time. @param {number} ms @returns {Promise<boolean>} */
function untilEnded(ms) {
  if (!isPlaying()) return Promise.resolve(true);
  return new Promise((done) => {
    const timer = setTimeout(() => done(false), ms);
    waiting.push(() => {
      clearTimeout(timer);
      done(true);
    });
  });
}

/** The seat. After a failure it starts again from its files. @returns {Promise<Seat>} */
function running() {
  seat ??= started();
  return seat;
}

async function started() {
  const one = new Seat({
    line: push,
    ended,
    addFiles,
    failed(message) {
      seat = null;
      if (!isPlaying()) return;
      push(`${JSON.stringify({ event: "error", exit_code: 1, message })}\n`);
      ended(1);
    },
  }, isNative);
  try {
    await one.start(module, files);
  } catch (error) {
    seat = null;
    throw error;
  }
  return one;
}

/** Whether a request only closes a match. @param {Uint8Array} body */
function closes(body) {
  try {
    return JSON.parse(new TextDecoder().decode(body)).close === true;
  } catch {
    return false;
  }
}

/** Starts a program. @param {string} path @param {Uint8Array} body @returns {Promise<Answer>} */
async function play(path, body) {
  const before = program;
  // The page also remembers numbers over a reload.
  program = { number: (before?.number ?? Date.now()) + 1, command: path.slice(1), lines: new Transcript(), exitCode: null };
  const { number } = program;
  try {
    const answer = await (await running()).request(true, path, body);
    if (answer.status < 300) return json(200, { number });
    program = before;
    return answer;
  } catch (error) {
    program = before;
    throw error;
  }
}

/** @returns {Promise<Answer>} */
async function state() {
  const answer = await (await running()).request(false, "/state", new Uint8Array());
  const known = answer.status === 200 ? JSON.parse(new TextDecoder().decode(answer.body)) : {};
  const last = program && {
    number: program.number, command: program.command, running: program.exitCode === null, played: reader !== 0,
    exit_code: program.exitCode, by_signal: false,
  };
  return json(200, { ...known, program: last });
}

/** @returns {Promise<Answer>} */
async function end() {
  const playing = await running();
  // It also ends an audit.
  const answer = await playing.request(true, "/end", new Uint8Array());
  if (isPlaying() && answer.status < 300 && !(await untilEnded(GRACE))) {
    ended(BROKEN_OFF);
    playing.fail("It did not end in time.");
  }
  return answer;
}

/** @param {boolean} isPost @param {string} path @param {Uint8Array} body @returns {Promise<Answer>} */
async function answer(isPost, path, body) {
  if (!isPost && path === "/state") return state();
  if (isPost && path === "/end") return end();
  if (WAITS.includes(path) && !(await untilEnded(TURN))) {
    return refusal(409, "a match is being played or waited for: end it first");
  }
  if (isPost && ["/host", "/join", "/resume"].includes(path) && !closes(body)) return play(path, body);
  return (await running()).request(isPost, path, body);
}

/** @param {string} line @returns {Promise<Answer>} */
async function command(line) {
  if (!isPlaying()) return refusal(410, "the program has ended, or no longer accepts commands");
  (await running()).command(line);
  return json(200, {});
}

/** @param {{ asyncify: boolean }} options */
async function start({ asyncify }) {
  isNative = CAN_SUSPEND && !asyncify;
  const bytes = fetch(new URL(isNative ? "jspi.wasm" : "asyncify.wasm", import.meta.url)).then((answer) => {
    if (!answer.ok) throw new Error(`The server of this page responded with ${answer.status} ${answer.statusText}.`);
    return answer.arrayBuffer();
  });
  const [opened, compiled] = await Promise.all([openFiles(), bytes.then((bytes) => WebAssembly.compile(bytes))]);
  [files, module] = [opened, compiled];
  await running();
  watchFiles(() => postMessage({ kind: "cleared" }));
}

/** Lets another tab have the files. The match stays open. @returns {Promise<Answer>} */
async function close() {
  program = null;
  (await seat)?.fail(CLOSED);
  seat = Promise.reject(new Error(CLOSED));
  seat.catch(() => {});
  for (const file of files.splice(0)) file.close();
  return json(200, {});
}

onmessage =  ({ data }) => {
  const { kind, id } = data;
  /** @param {Promise<Answer>} promise */
  const respond = async (promise) => {
    const { status, body } = await promise.catch((error) => refusal(500, String(error).replace(/^Error: /, "")));
    postMessage({ kind: "answer", id, status, body }, { transfer: [body.buffer] });
  };
  switch (kind) {
    case "start":
      return respond(start(data).then(() => json(200, {})));
    case "request":
      return respond(answer(data.isPost, data.path, data.body));
    case "command":
      return respond(command(data.line));
    case "play": {
      endStream();
      if (!program) return postMessage({ kind: "over", id });
      reader = id;
      unsent = program.lines.text();
      flush();
      if (!isPlaying()) endStream();
      return;
    }
    case "close":
      return respond(close());
  }
};
