// The first screen of a guest who has opened the link of an invite.

import { clear, errorLine, h, quiet, setAttribute, setText } from "./dom.js";
import { forgetLink, storedLink } from "./link.js";
import { badAddress, lastRelay } from "./places.js";
import { problem } from "./words.js";

/**
 * Asks the guest for a name, and joins. Resolves when the program has started, or when the guest has
 * put the invite away. Resolves at once if there is no link.
 * @param {HTMLElement} main
 * @param {string} known the last name of the guest
 * @param {(request: { name: string, whom: string, relay: string }) => Promise<void>} join
 * @returns {Promise<void>}
 */
export function invited(main, known, join) {
  const link = storedLink();
  if (!link) return Promise.resolve();
  const name = h("input", { id: "guest-name", type: "text", autocomplete: "nickname", spellcheck: "false", value: known, maxlength: 64 });
  const relay = h("input", {
    id: "guest-relay", type: "text", inputmode: "url", autocomplete: "off", autocapitalize: "off", spellcheck: "false", value: link.relay || lastRelay(),
    placeholder: "wss://relay.example.org/",
  });
  const place = h("div.field", h("label", { for: relay.id }, "Relay"), relay,
    h("p.field-hint", "The server through which both of you connect. It sees no content."));
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
    quiet("The invite works once, and only for you: do not pass the link on."), form);
  clear(main, root);
  main.dataset.page = "invited";
  return new Promise((done) => {
    later.addEventListener("click", () => {
      forgetLink();
      done();
    });
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
      await join(request).then(done, (error) => setText(failed, problem(error)));
      go.disabled = false;
    });
  });
}
