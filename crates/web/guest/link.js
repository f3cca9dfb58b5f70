// The links of invites: `#dealerless2-…&relay=wss://…`. A link is stored before it leaves the address, so
// that a reload keeps it, until its player sits down or puts it away. Another link does not replace it.

import { placesIn } from "./places.js";

const KEY = "dealerless-links";
/** The number of links that are kept. */
export const MOST = 8;

/** @typedef {{ invite: string, relay: string, opened: number }} Link `relay` is empty if the link names none; `opened` is in seconds since 1970 */

/** Stores the link of the address, then removes it there. Returns whether there was one. */
export function takeFromAddress() {
  if (location.hash.length <= 1) return false;
  const [invite] = /dealerless\d+-[0-9a-z]+/i.exec(location.hash) ?? [];
  const link = invite && { invite, relay: placesIn(location.hash).relay ?? "", opened: Math.floor(Date.now() / 1000) };
  if (link) keepLinks([...withoutInvite(invite), link].slice(0, MOST));
  history.replaceState(null, "", location.pathname + location.search);
  return Boolean(link);
}

/** The stored links, in the order in which they were opened. @returns {Link[]} */
export function storedLinks() {
  try {
    const links = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return links.filter((/** @type {any} */ link) => typeof link?.invite === "string" && typeof link.relay === "string" && link.opened > 0 && link.opened < 1e11);
  } catch {
    return [];
  }
}

/** @param {string} invite */
export function forgetLink(invite) {
  keepLinks(withoutInvite(invite));
}

/** @param {Link[]} links */
function keepLinks(links) {
  localStorage.setItem(KEY, JSON.stringify(links));
}

/** @param {string} invite */
function withoutInvite(invite) {
  return storedLinks().filter((link) => link.invite !== invite);
}
