// The event lines of a program, stored for a page that asks again.

/** The maximum number of stored characters: about ten thousand events of poker. */
const MOST = 8 << 20;
/** The beginnings of events that a page needs to know what is played. The last one of each kind is always kept. */
const KEPT = ["invite", "listening", "seated"].map((event) => `{"event":"${event}"`);

export class Transcript {
  /** @type {string[]} the last dropped line of each kind in `KEPT` */
  #head = KEPT.map(() => "");
  /** @type {string[]} */
  #lines = [];
  #length = 0;

  /** @param {string} line with its line ending */
  push(line) {
    this.#length += line.length;
    this.#lines.push(line);
    while (this.#length > MOST) {
      const old = this.#lines.shift();
      if (old === undefined) return;
      this.#length -= old.length;
      const kind = KEPT.findIndex((start) => old.startsWith(start));
      if (kind >= 0) this.#head[kind] = old;
    }
  }

  /** All stored lines, as one text. */
  text() {
    return [...this.#head, ...this.#lines].join("");
  }
}
