// The table page.

import { h } from "./dom.js";

/** @import { App } from "./main.js" */
/** @import { Event } from "./protocol.js" */

/** @param {App} app */
export function tablePage(app) {
  const root = h("div", { class: "table-page" });
  return {
    root,
    title: "Table",
    /** @param {Event} _event */
    tell(_event) {},
    update() { root.textContent = `${app.match.events}`; },
    /** @param {string} _message */
    fail(_message) {},
    close() {},
  };
}
