// The addresses that a player can enter, to be reached or to reach another one.

/** @type {AddressField} */
const LISTEN = ["listen", "Wait at", "0.0.0.0:5252", "If empty: port 5252 on all addresses."];
/** @type {AddressField} */
const AT = ["at", "Where the host is now", "192.0.2.1:5252", "If empty: where you met last."];
/** @type {AddressField} */
const RELAY = ["relay", "Relay", "wss://relay.example.org/",
  "If neither of you can reach the other. Its URL, or host and port; both enter the same relay. It sees no content. If empty: that of “dealerless config relay”."];

/** The fields of each form, and their title. @type {Record<"host" | "join" | "openHost" | "openGuest", [string, AddressField[]]>} */
export const PLACES = {
  host: ["How others reach this machine", [LISTEN,
    ["advertise", "Address in the invite", "table.example.org:5252", "For example, that of a forwarded port."], RELAY]],
  join: ["A player you have met", [AT, RELAY]],
  openHost: ["Another address, or a relay", [LISTEN, RELAY]],
  openGuest: ["Another address, or a relay", [AT, RELAY]],
};

/** The problem with an address or the URL of a relay; empty if it is valid. @param {string} text */
export function badAddress(text) {
  if (/^wss?:\/\/[^\s#]+$/.test(text)) return "";
  const parts = /^(\[[0-9a-f:.%a-z]+\]|[^\s:[\]]+):(\d{1,5})$/i.exec(text);
  return parts && Number(parts[2]) < 65536 ? "" : "Enter a host and a port, such as table.example.org:5252.";
}

/** What a host can send to invite a guest: the label of the button that copies it, and the text. @param {string} invite @returns {[string, string][]} */
export function waysToInvite(invite) {
  return [["Copy the invite", invite], ["Copy the command for a terminal", `dealerless join ${invite}`]];
}

/** The relay in a pasted link, as a field of a request. @param {string} pasted @returns {Record<string, string>} */
export function placesIn(pasted) {
  const found = /dealerless\d+-[0-9a-z]+&relay=([^\s&]*)/i.exec(pasted);
  try {
    const relay = decodeURIComponent(found?.[1] ?? "");
    return relay ? { relay } : {};
  } catch {
    return {};
  }
}
