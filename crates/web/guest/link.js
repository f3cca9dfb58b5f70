// The link of an invite: `#dealerless2-…&relay=wss://…`. It is stored before it leaves the address, so
// that a reload keeps it, until its player sits down or puts it away.

import { placesIn } from "./places.js";

const KEY = "dealerless-link";

/** @typedef {{ invite: string, relay: string }} Link `relay` is empty if the link names none */

/** Stores the link of the address, then removes it there. Returns whether there was one. */
export function takeFromAddress() {
  if (location.hash.length <= 1) return false;
  const [invite] = /dealerless\d+-[0-9a-z]+/i.exec(location.hash) ?? [];
  const link = invite && { invite, relay: placesIn(location.hash).relay ?? "" };
  if (link) localStorage.setItem(KEY, JSON.stringify(link));
  history.replaceState(null, "", location.pathname + location.search);
  return Boolean(link);
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
