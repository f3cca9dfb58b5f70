// What `server.js` gives to the page: errors, and events from lines of text.

/** The request was refused. */
export class Refused extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** There is no answer. */
export class Gone extends Error {}

/** Splits a stream of text into the events of its lines. */
export class EventReader {
  #rest = "";

  /** The events of the lines that `text` completes. Other lines are skipped. @param {string} text @returns {Message[]} */
  read(text) {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.map(parsed).filter((event) => event !== null);
  }
}

/** @param {string} line @returns {Message | null} */
function parsed(line) {
  try {
    const event = JSON.parse(line);
    return event && typeof event.event === "string" ? event : null;
  } catch {
    return null;
  }
}
