// Plays a match of two seats in WebAssembly. Each seat is an instance of its own, built with Asyncify:
// `node run.mjs MODULE.wasm [HANDS]`. Both logs must be the same.

import { readFile } from "node:fs/promises";

const [file, hands = "3"] = process.argv.slice(2);
const module = await WebAssembly.compile(await readFile(file));
const STACK = 1 << 20;
const UNWINDING = 1, REWINDING = 2;
const text = new TextDecoder();

class Seat {
  constructor(number) {
    this.number = number;
    this.messages = []; // messages of the other seat, not yet received
    this.bytes = []; // chunks for the engine of this seat
    this.isWaiting = false; // whether the engine waits for bytes
    this.isStarted = false;
    this.printed = [];
    this.over = false;
    this.received = 0;
    this.waits = 0;
  }

  async sit(other) {
    const at = (start, len) => new Uint8Array(this.memory.buffer, start, len);
    const host = {
      message: (start, len) => { other.messages.push(at(start, len).slice()); },
      engine_send: (start, len) => { other.bytes.push(at(start, len).slice()); },
      engine_recv: (start, len, _) => {
        if (this.exports.asyncify_get_state() === REWINDING) this.exports.asyncify_stop_rewind();
        if (this.bytes.length === 0) {
          this.waits += 1;
          this.isWaiting = true;
          this.exports.asyncify_start_unwind(this.stack);
          return 0;
        }
        const [first] = this.bytes;
        const taken = first.subarray(0, len);
        at(start, len).set(taken);
        if (taken.length === first.length) this.bytes.shift();
        else this.bytes[0] = first.subarray(taken.length);
        this.received += taken.length;
        return taken.length;
      },
      now: () => performance.now(),
      random: (start, len) => { crypto.getRandomValues(at(start, len)); },
      print: (start, len) => { this.printed.push(text.decode(at(start, len).slice())); },
    };
    const { exports } = await WebAssembly.instantiate(module, { host });
    this.exports = exports;
    this.memory = exports.memory;
    this.stack = exports.alloc(STACK);
    exports.sit(this.number, Number(hands));
  }

  // Runs the engine, if there is something to do, until it waits or has executed its orders.
  engine() {
    const { exports, stack } = this;
    if (this.isWaiting) {
      if (this.bytes.length === 0) return;
      this.isWaiting = false;
      exports.asyncify_start_rewind(stack);
    } else {
      if (this.isStarted && !exports.has_orders()) return;
      this.isStarted = true;
      const words = new Uint32Array(this.memory.buffer);
      words[stack >> 2] = stack + 8;
      words[(stack >> 2) + 1] = stack + STACK;
    }
    const lives = exports.engine();
    if (exports.asyncify_get_state() === UNWINDING) exports.asyncify_stop_unwind();
    else if (!lives) throw new Error("the engine has failed");
  }

  step() {
    for (const message of this.messages.splice(0)) {
      const at = this.exports.alloc(message.length);
      new Uint8Array(this.memory.buffer, at, message.length).set(message);
      this.exports.receive(at, message.length);
    }
    if (!this.over) this.over = this.exports.step() !== 0;
  }
}

const seats = [new Seat(0), new Seat(1)];
await Promise.all(seats.map((seat, index) => seat.sit(seats[1 - index])));
const begun = performance.now();
// The match takes far fewer rounds.
for (let round = 0; round < 1_000_000 && !seats.every((seat) => seat.over); round += 1) {
  for (const seat of seats) {
    seat.step();
    seat.engine();
  }
}
const time = performance.now() - begun;
for (const { number, printed } of seats) console.log(`seat ${number}: ${printed.join("; ")}`);
const [host, guest] = seats;
console.log(`${time.toFixed(0)} ms; ${host.received + guest.received} bytes of the engines; `
  + `${host.waits + guest.waits} waits; ${host.memory.buffer.byteLength >> 20} MiB a seat`);
const isWhole = seats.every((seat) => seat.over && seat.printed.length === 1
  && seat.printed[0].startsWith(`${hands} hands, Played, `));
if (!isWhole || host.printed[0] !== guest.printed[0]) {
  console.error("the seats have not played the same match");
  process.exit(1);
}
