// The addresses that a player can enter: a page connects only through the WebSocket of a relay.

/** The storage key for the relay that was used last. */
const LAST = "dealerless-relay";

/** The relay that was used last; empty if there is none. */
export function lastRelay() {
  return localStorage.getItem(LAST) ?? "";
}

/** @param {string} relay */
export function keepRelay(relay) {
  localStorage.setItem(LAST, relay);
}

/** The relay at the address of this page: `dealerless relay --page` is both. */
export function relayOfPage() {
  return `${location.protocol.replace("http", "ws")}//${location.host}/`;
}

/** Whether a text begins as a code that can be spoken does, such as `70213-crossbow-guitar`. @param {string} [whom] */
export function isCode(whom = "") {
  return /^\d+[^\da-z]/i.test(whom);
}

/** @type {AddressField} */
const RELAY = ["relay", "Relay", "wss://relay.example.org/",
  "The WebSocket address of the relay through which a page connects. It sees no content."];
/** @type {AddressField} */
const LAST_RELAY = [RELAY[0], RELAY[1], RELAY[2], RELAY[3], lastRelay()];
/** @type {[string, AddressField[]]} */
const ONLY = ["Relay", [RELAY]];

/** The fields of each form, and their title. @type {Record<"host" | "join" | "openHost" | "openGuest", [string, AddressField[]]>} */
export const PLACES = { host: ["Relay", [LAST_RELAY]], join: ONLY, openHost: ONLY, openGuest: ONLY };

/** The problem with the address of a relay; empty if it is valid. @param {string} text */
export function badAddress(text) {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isLocal = url?.protocol === "ws:" && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  return url?.protocol === "wss:" || isLocal ? "" : "Enter the WebSocket address of a relay, such as wss://relay.example.org/.";
}

/** The link that a host sends. @param {string} invite @returns {[string, string][]} */
export function waysToInvite(invite) {
  const page = new URL(location.pathname, location.origin);
  return [["Copy the link", `${page}#${invite}&relay=${encodeURIComponent(lastRelay())}`]];
}

/** The relay in a pasted link, as a field of a request. @param {string} pasted @returns {Record<string, string>} */
export function placesIn(pasted) {
  const found = /dealerless\d+-[0-9a-z]+&relay=([^\s&]*)/i.exec(pasted);
  try {
    const relay = decodeURIComponent(found?.[1] ?? "");
    return badAddress(relay) ? {} : { relay };
  } catch {
    return {};
  }
}
