// The first screen of a guest who has opened the link of an invite.

import { buttonTo, clear, errorLine, h, quiet, setAttribute, setText } from "./dom.js";
import { dateOf } from "./invite.js";
import { MOST, forgetLink, storedLinks } from "./link.js";
import { badAddress, lastRelay } from "./places.js";
import { problem } from "./words.js";

/** @typedef {import("./link.js").Link} Link */

/**
 * Asks the guest for a name, and joins. Resolves when the program has started, or when the guest has
 * put the invites away. Resolves at once if there is no link.
 * @param {HTMLElement} main
 * @param {string} known the last name of the guest
 * @param {(request: { name: string, whom: string, relay: string }) => Promise<void>} join
 * @returns {Promise<void>}
 */
export async function invited(main, known, join) {
  for (;;) {
    const links = storedLinks();
    if (links.length === 0) return;
    const link = links.length === 1 ? links[0] : await chosen(main, links);
    if (await joined(main, link, known, join)) return;
    forgetLink(link.invite);
  }
}

/** Asks which of several unused invites the guest wants to use now. @param {HTMLElement} main @param {Link[]} links @returns {Promise<Link>} */
function chosen(main, links) {
  main.dataset.page = "invited";
  return new Promise((done) => {
    const choices = [...links].reverse().map((link) =>
      h("li.item", h("h3", `Opened ${dateOf(link.opened)}`), h("p.code", `…${link.invite.slice(-8)}`),
        buttonTo("Use this invite", () => done(link), { "aria-label": `Use the invite that ends with ${link.invite.slice(-8)}` })));
    clear(main, h("section.panel.narrow", { "aria-labelledby": "invited-title" },
      h("h1", { id: "invited-title" }, "You have several invites"),
      h("p", "You have not used these invites. Those that you do not choose now are kept. Their last letters are shown."),
      links.length === MOST && h("p", "The page keeps no more than these. Put one away before you open another link."),
      h("ul.items", ...choices)));
  });
}

/**
 * Asks the guest for a name, and joins. Resolves to whether the program has started; otherwise the guest
 * puts the invite away.
 * @param {HTMLElement} main
 * @param {Link} link
 * @param {string} known
 * @param {(request: { name: string, whom: string, relay: string }) => Promise<void>} join
 * @returns {Promise<boolean>}
 */
function joined(main, link, known, join) {
  const name = h("input", { id: "guest-name", type: "text", autocomplete: "nickname", spellcheck: "false", value: known, maxlength: 64 });
  const relay = h("input", {
    id: "guest-relay", type: "text", inputmode: "url", autocomplete: "off", autocapitalize: "off", spellcheck: "false", value: link.relay || lastRelay(),
    placeholder: "wss://relay.example.org/",
  });
  const place = h("div.field", h("label", { for: relay.id }, "Relay"), relay,
    h("p.field-hint", "The server through which all players connect. It sees no content."));
  const failed = errorLine();
  const go = h("button.main", { type: "submit" }, "Continue");
  const later = h("button", { type: "button" }, "Put the invite away");
  const form = h("form.form", { novalidate: true },
    h("div.field", h("label", { for: name.id }, "Your name"), name),
    link.relay ? h("details.more", h("summary", "Relay"), place) : place,
    failed, h("div.row", go, later));
  const root = h("section.panel.narrow", { "aria-labelledby": "invited-title" },
    h("h1", { id: "invited-title" }, "You are invited to a table"),
    h("p", "Next you see who invites you, with the terms of the match. Then you sit down or decline."),
    quiet("Do not pass the link on. In a match of two, the link works only once."), form);
  clear(main, root);
  main.dataset.page = "invited";
  return new Promise((done) => {
    later.addEventListener("click", () => done(false));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const request = { name: name.value.trim(), whom: link.invite, relay: relay.value.trim() };
      /** @type {[HTMLInputElement, string][]} */
      const checks = [[name, request.name ? "" : "Enter a name."], [relay, badAddress(request.relay)]];
      for (const [input, wrong] of checks) setAttribute(input, "aria-invalid", wrong ? "true" : null);
      const wrong = checks.find(([, wrong]) => wrong);
      setText(failed, wrong?.[1] ?? "");
      if (wrong) return wrong[0].focus();
      go.disabled = true;
      await join(request).then(() => done(true), (error) => setText(failed, problem(error)));
      go.disabled = false;
    });
  });
}
