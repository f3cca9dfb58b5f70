// Pages without a browser: one hosts, the others join by its invite or link, and they play a match with the
// real shuffles. Each is an instance with Asyncify; the relay and the files are in memory. FOLDER is `v-…` in the
// folder of `crates/web/build`.
//
//     node seats.mjs FOLDER [HANDS] [SEATS]
//     jsc -m seats.mjs -- FOLDER [HANDS] [SEATS]      the engine of Safari

const shell = globalThis.process
  ? { args: process.argv.slice(2), read: (await import("node:fs/promises")).readFile, exit: process.exit }
  : await import("./jsc.mjs");
const { Seat } = await import("../guest/seat.js");

const [folder, hands = "3", seats = "2"] = shell.args;
const module = await WebAssembly.compile(await shell.read(`${folder}/asyncify.wasm`));
const RELAY = "ws://relay";
/** The memories of the seats. */
const memories = [];
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...args) => {
  const instance = await instantiate(...args);
  memories.push(instance.exports.memory);
  return instance;
};
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A file in memory, with the interface of the browser's. */
class File {
  bytes = new Uint8Array();

  getSize() { return this.bytes.length; }

  read(into, { at }) {
    const part = this.bytes.subarray(at, at + into.length);
    into.set(part);
    return part.length;
  }

  write(bytes, { at }) {
    const longer = new Uint8Array(Math.max(this.bytes.length, at + bytes.length));
    longer.set(this.bytes);
    longer.set(bytes, at);
    this.bytes = longer;
    return bytes.length;
  }

  truncate(length) { this.bytes = this.bytes.slice(0, length); }

  flush() {}
}

/** The sockets that wait at the relay, by the token of their request. */
const waiting = new Map();
let relayed = 0;

/** A WebSocket to the relay. */
class Socket {
  static OPEN = 1;
  readyState = 0;

  constructor() {
    setTimeout(() => {
      this.readyState = 1;
      this.onopen();
    });
  }

  send(bytes) {
    relayed += bytes.length;
    if (this.peer) return this.peer.receive(bytes);
    // The first message is the request.
    const [, asks, token] = decoder.decode(bytes).split(" ");
    // This relay knows no codes.
    if (asks !== "relay") return this.receive(encoder.encode("bad handshake\n"));
    this.token = token;
    const other = waiting.get(token);
    if (!other) return waiting.set(token, this);
    waiting.delete(token);
    [this.peer, other.peer] = [other, this];
    for (const side of [this, other]) side.receive(encoder.encode("ok\n"));
  }

  receive(bytes) {
    const data = bytes.slice().buffer;
    setTimeout(() => { if (this.readyState === 1) this.onmessage({ data }); });
  }

  close() {
    if (this.readyState > 1) return;
    this.readyState = 3;
    if (waiting.get(this.token) === this) waiting.delete(this.token);
    const { peer } = this;
    setTimeout(() => {
      this.onclose();
      if (peer && peer.readyState === 1) peer.close();
    });
  }
}
globalThis.WebSocket = Socket;

/** A page whose player checks, calls and shows. */
class Player {
  constructor(name) {
    this.name = name;
    this.hands = [];
    this.files = Array.from({ length: 32 }, () => new File());
    this.over = new Promise((done, fail) => Object.assign(this, { done, fail }));
    this.seat = new Seat({
      line: (line) => queueMicrotask(() => this.answer(JSON.parse(line))),
      ended: (code) => (code === 0 ? this.done() : this.fail(new Error(`${name} ended with ${code}`))),
      failed: (message) => this.fail(new Error(message)),
      addFiles: async (files) => { files.push(...Array.from({ length: 32 }, () => new File())); },
    }, false);
  }

  start() { return this.seat.start(module, this.files); }

  async request(isPost, path, body = new Uint8Array()) {
    const { status, body: answer } = await this.seat.request(isPost, path, body);
    const object = JSON.parse(decoder.decode(answer));
    if (status !== 200) throw new Error(object.error.message);
    return object;
  }

  post(path, object) { return this.request(true, path, encoder.encode(JSON.stringify(object))); }

  say(command) { this.seat.command(JSON.stringify(command)); }

  answer(event) {
    switch (event.event) {
      case "invite": return this.invited(event.invite);
      case "table": return this.atTable?.(event.players.length);
      case "ask-sit":
      case "ask-table": return this.say({ do: "sit", agree: true });
      case "dealt": this.hands.push(performance.now()); return undefined;
      case "pause": return this.say({ do: "next" });
      case "your-turn": return this.choose(event);
      case "over": this.overEvent = event; return undefined;
      case "error": return this.fail(new Error(event.message));
    }
  }

  choose({ ask, call }) {
    if (ask === "show-or-muck") return this.say({ do: "show" });
    return this.say({ do: call ? "call" : "check" });
  }

  async record() {
    const { matches } = await this.request(false, "/history");
    const { hex } = await this.request(false, `/record?match=${matches[0].match}`);
    return Uint8Array.from(hex.match(/../g), (byte) => parseInt(byte, 16));
  }
}

const names = ["Anna", "Bert", "Carl", "Dora", "Emil", "Fred", "Gina", "Hugo", "Ines", "Jonas"];
const players = names.slice(0, Number(seats)).map((name) => new Player(name));
const [host, ...guests] = players;
await Promise.all(players.map((player) => player.start()));
const joins = (guest, whom) => guest?.post("/join", { name: guest.name, whom, relay: RELAY });
host.invited = (whom) => {
  // One after the other: this relay would pair two guests of one link with each other.
  host.atTable = (there) => joins(players[there], whom);
  if (seats === "2") joins(guests[0], whom);
};
const begun = performance.now();
await host.post("/host", { name: host.name, relay: RELAY, game: "holdem", hands: Number(hands), seats: Number(seats), open: true });
await Promise.all(players.map((player) => player.over));
const time = performance.now() - begun;
const records = await Promise.all(players.slice(0, 2).map((player) => player.record()));
const both = new Uint8Array(records[0].length + records[1].length);
both.set(records[0]);
both.set(records[1], records[0].length);
const verified = await host.request(true, `/verify?lengths=${records.map((record) => record.length)}`, both);
const gaps = host.hands.slice(1).map((hand, at) => hand - host.hands[at]).sort((a, b) => a - b);
console.log(`${host.overEvent.hands} hands of ${seats} seats in ${time.toFixed(0)} ms, from hand to hand ${gaps[gaps.length >> 1]?.toFixed(0)} ms; `
  + `${relayed} bytes through the relay; ${Math.max(...memories.map(({ buffer }) => buffer.byteLength)) >> 20} MiB a seat`);
if (host.overEvent.hands !== Number(hands) || verified.exit_code !== 0) {
  console.error(verified.text);
  shell.exit(1);
}
shell.exit(0);
