// Runs the seat: the WebAssembly module with the functions that it calls. No function of the seat is
// called while another one runs; only `engine` is suspended while others are called.

import { SPARE, fileFunctions } from "./files.js";
import { asyncify, native } from "./suspension.js";

/** The maximum number of bytes in a message from a socket. A relay sends far fewer. */
const LONGEST = 1 << 20;
/** `crypto.getRandomValues` fills at most this many bytes. */
const RANDOM = 1 << 16;
/** The pause after files could not be added, in milliseconds. */
const AGAIN = 60_000;
/** The longest time of a timer, in milliseconds. */
const FOREVER = 0x7fff_ffff;

/** @typedef {{ status: number, body: Uint8Array<ArrayBuffer> }} Answer */
/**
 * @typedef {object} Owner what the seat reports
 * @property {(line: string) => void} line an event line of the program that plays
 * @property {(exitCode: number) => void} ended the program that plays has ended
 * @property {(message: string) => void} failed the seat has failed, and does nothing any more
 * @property {(files: FileSystemSyncAccessHandle[]) => Promise<void>} addFiles adds empty files to those of the seat
 */

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** @param {string} message @returns {Answer} */
function failed(message) {
  return { status: 500, body: encoder.encode(JSON.stringify({ error: { message } })) };
}

export class Seat {
  /** @type {import("./suspension.js").Seat} */
  #exports = {};
  /** @type {import("./suspension.js").Suspension} */
  #engine;
  #isRunning = false;
  #isQueued = false;
  /** Whether files are being added. */
  #isGrowing = false;
  /** @type {FileSystemSyncAccessHandle[]} */
  #files = [];
  /** Why the seat has failed; empty while it runs. */
  #failure = "";
  #printed = "";
  /** @type {Owner} */
  #owner;
  /** @type {Map<number, WebSocket>} */
  #sockets = new Map();
  /** @type {Map<number, (answer: Answer) => void>} */
  #requests = new Map();
  #lastRequest = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {Owner} owner @param {boolean} isNative whether the browser suspends the engine */
  constructor(owner, isNative) {
    this.#owner = owner;
    const onWait = () => this.#queue();
    this.#engine = isNative ? native(onWait) : asyncify(onWait);
  }

  /**
   * Starts the module on its files.
   * @param {WebAssembly.Module} module
   * @param {FileSystemSyncAccessHandle[]} files
   * @throws if the seat cannot start
   */
  async start(module, files) {
    this.#files = files;
    const host = { ...fileFunctions(files, this.#memory), ...this.#functions() };
    this.#exports = (await WebAssembly.instantiate(module, { host })).exports;
    this.#engine.attach(this.#exports);
    this.#enter((seat) => {
      if (seat.start(files.length) !== 0) throw new Error("its files cannot be read");
    });
    if (this.#failure) throw new Error(this.#failure);
  }

  /** @param {boolean} isPost @param {string} path @param {Uint8Array} body @returns {Promise<Answer>} */
  request(isPost, path, body) {
    this.#lastRequest += 1;
    const id = this.#lastRequest;
    return new Promise((done) => {
      if (this.#failure) return done(failed(this.#failure));
      this.#requests.set(id, done);
      this.#enter((seat) => seat.request(id, isPost ? 1 : 0, ...this.#give(encoder.encode(path)), ...this.#give(body)));
    });
  }

  /** @param {string} line */
  command(line) {
    this.#enter((seat) => seat.command(...this.#give(encoder.encode(line))));
  }

  /** Ends everything. @param {string} message */
  fail(message) {
    if (this.#failure) return;
    this.#failure = message;
    clearTimeout(this.#timer);
    for (const socket of this.#sockets.values()) socket.close();
    this.#sockets.clear();
    for (const done of this.#requests.values()) done(failed(message));
    this.#requests.clear();
    this.#owner.failed(message);
  }

  /** @param {number} at @param {number} length @returns {Uint8Array<ArrayBuffer>} */
  #memory = (at, length) => new Uint8Array(this.#exports.memory.buffer, at >>> 0, length >>> 0);

  /** @param {number} at @param {number} length */
  #text = (at, length) => decoder.decode(this.#memory(at, length));

  /** Copies bytes into the memory of the seat, which owns them. @param {Uint8Array} bytes @returns {[number, number]} */
  #give(bytes) {
    const at = this.#exports.alloc(bytes.length);
    this.#memory(at, bytes.length).set(bytes);
    return [at, bytes.length];
  }

  /** The functions that the seat calls. None of them calls the seat. */
  #functions() {
    return {
      now: () => performance.now(),
      unix: () => Date.now() / 1000,
      random: (/** @type {number} */ at, /** @type {number} */ length) => {
        for (let from = 0; from < length; from += RANDOM) {
          crypto.getRandomValues(this.#memory(at + from, Math.min(RANDOM, length - from)));
        }
      },
      print: (/** @type {number} */ at, /** @type {number} */ length) => {
        this.#printed = this.#text(at, length);
        console.error(this.#printed);
      },
      respond: (/** @type {number} */ id, /** @type {number} */ status, /** @type {number} */ at, /** @type {number} */ length) => {
        this.#requests.get(id)?.({ status, body: this.#memory(at, length).slice() });
        this.#requests.delete(id);
      },
      line: (/** @type {number} */ at, /** @type {number} */ length) => this.#owner.line(this.#text(at, length)),
      ended: (/** @type {number} */ exitCode) => this.#owner.ended(exitCode),
      socket_open: (/** @type {number} */ number, /** @type {number} */ at, /** @type {number} */ length) =>
        this.#open(number, this.#text(at, length)),
      socket_send: (/** @type {number} */ number, /** @type {number} */ at, /** @type {number} */ length) => {
        const socket = this.#sockets.get(number);
        if (socket?.readyState === WebSocket.OPEN) socket.send(this.#memory(at, length).slice());
      },
      // The seat is not told about the end of a socket that it has closed itself.
      socket_close: (/** @type {number} */ number) => {
        const socket = this.#sockets.get(number);
        this.#sockets.delete(number);
        socket?.close();
      },
      engine_wait: this.#engine.wait,
    };
  }

  /** @param {number} number @param {string} url */
  #open(number, url) {
    const closed = () => {
      if (this.#sockets.get(number) !== socket) return;
      this.#sockets.delete(number);
      this.#enter((seat) => seat.socket_closed(number));
    };
    /** @type {WebSocket | undefined} */
    let socket;
    try {
      socket = new WebSocket(url);
    } catch {
      // An invalid address.
      setTimeout(() => this.#enter((seat) => seat.socket_closed(number)));
      return;
    }
    this.#sockets.set(number, socket);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.#sockets.get(number) === socket && this.#enter((seat) => seat.socket_opened(number));
    socket.onclose = closed;
    socket.onmessage = ({ data }) => {
      if (this.#sockets.get(number) !== socket) return;
      if (!(data instanceof ArrayBuffer) || data.byteLength > LONGEST) {
        socket?.close();
        return closed();
      }
      this.#enter((seat) => seat.socket_received(number, ...this.#give(new Uint8Array(data))));
    };
  }

  /** Calls the seat, then lets it do all that is due. @param {(seat: import("./suspension.js").Seat) => void} act */
  #enter(act) {
    if (this.#failure) return;
    try {
      act(this.#exports);
      this.#step();
    } catch (error) {
      this.#trap(error);
    }
  }

  /** Lets the seat do all that is due, soon. */
  #queue() {
    if (this.#isQueued) return;
    this.#isQueued = true;
    queueMicrotask(() => {
      this.#isQueued = false;
      this.#enter(() => {});
    });
  }

  #step() {
    clearTimeout(this.#timer);
    const wait = this.#exports.step();
    if (this.#exports.engine_wants() !== 0) this.#wakeEngine();
    if (this.#exports.free_files() < SPARE) this.#grow();
    if (wait < Infinity) this.#timer = setTimeout(() => this.#enter(() => {}), Math.min(wait, FOREVER));
  }

  /** Adds files long before they are needed: the name of a new file can be lost in a crash. */
  #grow() {
    if (this.#isGrowing) return;
    this.#isGrowing = true;
    this.#owner.addFiles(this.#files).then(() => {
      this.#isGrowing = false;
      this.#enter((seat) => seat.add_files(this.#files.length));
    }, (error) => {
      // The page plays on until no file is free.
      console.error(error);
      setTimeout(() => { this.#isGrowing = false; }, AGAIN);
    });
  }

  #wakeEngine() {
    if (this.#isRunning) return this.#engine.wake();
    this.#isRunning = true;
    this.#engine.run().then(() => {
      this.#isRunning = false;
      this.#queue();
    }, (error) => this.#trap(error));
  }

  /** @param {unknown} error */
  #trap(error) {
    const why = this.#printed || (error instanceof Error ? error.message : String(error));
    this.fail(`The part of this page that plays has failed: ${why}`);
  }
}
