// What Node has and the shell of JavaScriptCore lacks, for `seats.mjs`.

/** The functions of the shell. */
const { print, quit, readFile, setTimeout } = globalThis;

/** The arguments after `--`. */
export const args = [...globalThis.arguments];

export const read = async (/** @type {string} */ path) => readFile(path, "binary");

export const exit = quit;

const characters = (bytes) => bytes.reduce((text, byte) => text + String.fromCharCode(byte), "");

/** The functions of the timers that were not cleared. */
const timers = new Map();
let lastTimer = 0;

Object.assign(globalThis, {
  setTimeout(act, ms = 0) {
    lastTimer += 1;
    const timer = lastTimer;
    timers.set(timer, act);
    setTimeout(() => {
      const due = timers.get(timer);
      timers.delete(timer);
      due?.();
    }, ms);
    return timer;
  },
  clearTimeout: (timer) => void timers.delete(timer),
  console: { log: print, error: print },
  // The randomness of this test is not secret.
  crypto: { getRandomValues: (bytes) => bytes.forEach((_, at) => { bytes[at] = Math.random() * 256; }) },
  queueMicrotask: (act) => void Promise.resolve().then(act),
  TextDecoder: class {
    decode(bytes) { return decodeURIComponent(escape(characters(bytes))); }
  },
  TextEncoder: class {
    encode(text) { return Uint8Array.from(unescape(encodeURIComponent(text)), (one) => one.charCodeAt(0)); }
  },
});
