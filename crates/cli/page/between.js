// The list of a table: the chips of all its players after the last match, and who owes whom at the end.

import { clear, h, panel } from "./dom.js";
import { chipsTable } from "./verify.js";
import { nameOf } from "./words.js";

/** The line of a player in the list at the end. The other lines are payments. */
const PLAYER = /^ *(.+) {3}([\d,]+) chips?, bought ([\d,]+): /;

/** A folded panel with the list after the last match. @returns {View} */
export function membersView() {
  const content = h("div");
  const root = h("details.panel.cost", { hidden: true }, h("summary", "Chips of all players"), content);
  /** @type {Between | null} */
  let shown = null;
  return {
    root,
    update(match) {
      const { list, seated } = match;
      root.hidden = list === null;
      if (!list || list === shown) return;
      shown = list;
      const { members } = list;
      const called = members.map(({ name, fingerprint }) => {
        const seat = seated?.fingerprints.indexOf(fingerprint) ?? -1;
        return seat < 0 ? `${name} (${fingerprint})` : nameOf(match, seat);
      });
      clear(content, h("p.muted", "After the last match."),
        chipsTable({ called, stacks: members.map(({ chips }) => chips), bought: members.map(({ bought }) => bought) }));
    },
  };
}

/** The list at the end, with the payments. @returns {View} */
export function settlementView() {
  const root = h("div", { hidden: true });
  return {
    root,
    update({ settlement }) {
      if (settlement === null || !root.hidden) return;
      root.hidden = false;
      const lines = settlement.split("\n").slice(1);
      const players = lines.map((line) => PLAYER.exec(line)).filter((found) => found !== null);
      const chips = (/** @type {number} */ group) => players.map((found) => Number(found[group].replaceAll(",", "")));
      root.append(panel("settlement", "The list of the table",
        chipsTable({ called: players.map((found) => found[1]), stacks: chips(2), bought: chips(3) }),
        ...lines.filter((line) => !PLAYER.test(line)).map((line) => h("p", line.trim()))));
    },
  };
}
