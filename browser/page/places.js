// The addresses that a player can enter: a page connects only through the WebSocket of a relay.

/** @type {AddressField} */
const RELAY = ["relay", "Relay", "wss://relay.example.org/",
  "The WebSocket address of a Magic Wormhole transit relay, through which a page connects. It sees no content."];
/** @type {[string, AddressField[]]} */
const ONLY = ["Relay", [RELAY]];

/** The fields of each form, and their title. @type {Record<"host" | "join" | "openHost" | "openGuest", [string, AddressField[]]>} */
export const PLACES = { host: ONLY, join: ONLY, openHost: ONLY, openGuest: ONLY };

/** The problem with the address of a relay; empty if it is valid. @param {string} text */
export function badAddress(text) {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isLocal = url?.protocol === "ws:" && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  return url?.protocol === "wss:" || isLocal ? "" : "Enter the WebSocket address of a relay, such as wss://relay.example.org/.";
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
