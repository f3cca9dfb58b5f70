// A rematch on the same terms. The host waits for the same player, who needs no invite.

import { complain } from "./dom.js";
import { areSeveral } from "./match.js";
import { nameOf } from "./words.js";

/** @param {App} app */
export function mayRematch({ match, role }) {
  return role === "play" && !areSeveral(match) && ["played", "no-chips", "left", "forfeited"].includes(match.over?.how ?? "");
}

/** The proposal of the host: the terms of the last match. @param {Seated} seated */
function proposal({ game, hands, stack, blinds, ante, cards, drawn, kinds, clock, shuffle }) {
  const deck = game === "deck";
  return {
    game, hands, stack,
    blinds: blinds?.join("/"),
    ante: ante?.join("/"),
    cards: deck && !kinds ? cards : undefined,
    kinds: kinds?.map(({ name, count }) => `${name}=${count}`).join(","),
    draw: deck ? drawn : undefined,
    boards: game === "bridge" ? drawn / 4 : undefined,
    time: clock ? `${clock.move}+${clock.bank}` : "none",
    algorithm: shuffle,
  };
}

let starting = false;

/** Starts a rematch. The host listens at its last address: the guest connects there. @param {App} app */
export async function rematch(app) {
  const { seated, own, addresses } = app.match;
  if (!seated || starting) return;
  starting = true;
  const [name, peer, other] = [seated.names[own], seated.fingerprints[1 - own], nameOf(app.match, 1 - own)];
  const join = { name, whom: peer };
  try {
    // The program may still be waiting for the last messages.
    await app.end();
    await (own === 0 ? app.begin("/host", { ...proposal(seated), name, for: peer, listen: addresses[0] }, { name: other, join: null })
      : app.begin("/join", join, { name: other, join }));
  } catch (error) {
    app.go("lobby");
    complain(/** @type {Error} */ (error));
  }
  starting = false;
}
