// The link of an invite: `#dealerless2-…&relay=wss://…`. It is stored before it leaves the address, so
// that a reload keeps it, until its player sits down or puts it away.

const KEY = "dealerless-link";

/** @typedef {{ invite: string, relay: string }} Link `relay` is empty if the link names none */

/** The problem with the address of a relay; empty if it is valid. @param {string} text */
export function badRelay(text) {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isLocal = url?.protocol === "ws:" && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  return url?.protocol === "wss:" || isLocal ? "" : "Enter the WebSocket address of a relay, such as wss://relay.example.org/.";
}

/**
 * The link in a text: a whole link, its part after `#`, or an invite alone.
 * @param {string} text
 * @returns {Link | null}
 */
export function linkIn(text) {
  const found = /(dealerless\d+-[0-9a-z]+)(?:&relay=([^\s&]*))?/i.exec(text);
  if (!found) return null;
  let relay = "";
  try {
    relay = decodeURIComponent(found[2] ?? "");
  } catch {
    // Not an address.
  }
  return { invite: found[1], relay: relay && badRelay(relay) === "" ? relay : "" };
}

/** Stores the link of the address, then removes it there. Returns whether there was one. */
export function takeFromAddress() {
  if (location.hash.length <= 1) return false;
  const link = linkIn(location.hash);
  if (link) localStorage.setItem(KEY, JSON.stringify(link));
  history.replaceState(null, "", location.pathname + location.search);
  return link !== null;
}

/** The stored link. @returns {Link | null} */
export function storedLink() {
  try {
    const link = JSON.parse(localStorage.getItem(KEY) ?? "null");
    return typeof link?.invite === "string" && typeof link.relay === "string" ? link : null;
  } catch {
    return null;
  }
}

export function forgetLink() {
  localStorage.removeItem(KEY);
}
