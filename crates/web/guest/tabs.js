// One tab plays at a time: it holds a lock. Another tab can take over.

import { buttonTo, clear, errorLine, h, setText } from "./dom.js";

const NAME = "dealerless-plays";
/** The key in `sessionStorage` for whether another tab has taken over from this one. */
const RELEASED = "dealerless-released";
/** Timeout for a page that is closing, for example because it was reloaded, in milliseconds. */
const CLOSING = 2000;
/** Timeout for the other tab to release the lock, in milliseconds. */
const PATIENCE = 10_000;

/**
 * Resolves when no other tab plays. If another tab plays, the player decides here whether this one takes over.
 * @param {HTMLElement} main
 * @param {() => Promise<unknown>} release closes the files, before another tab takes over
 */
export async function alone(main, release) {
  const channel = new BroadcastChannel(NAME);
  if (!await locked({ signal: AbortSignal.timeout(CLOSING) })) await refused(main, channel);
  sessionStorage.removeItem(RELEASED);
  channel.onmessage = async () => {
    sessionStorage.setItem(RELEASED, "yes");
    // It fails only if nothing has been opened yet.
    await release().catch(() => {});
    // Releases the lock, and shows `refused`.
    location.reload();
  };
}

/**
 * Takes the lock until the tab is closed or reloaded. Resolves to false if `signal` ended the wait.
 * @param {LockOptions} options
 * @returns {Promise<boolean>}
 */
function locked(options) {
  return new Promise((done) => {
    navigator.locks.request(NAME, options, () => {
      done(true);
      return new Promise(() => {});
    }).catch(() => done(false));
  });
}

/** @param {HTMLElement} main @param {BroadcastChannel} channel */
function refused(main, channel) {
  const failed = errorLine();
  const hasReleased = sessionStorage.getItem(RELEASED) !== null;
  return /** @type {Promise<void>} */ (new Promise((done) => {
    const button = buttonTo("Play here", async () => {
      button.disabled = true;
      const slow = setTimeout(() => {
        setText(failed, "The other tab does not answer. Close it: this tab then continues by itself.");
      }, PATIENCE);
      channel.postMessage("release");
      await locked({});
      clearTimeout(slow);
      clear(main);
      done();
    }, { class: "main" });
    clear(main, h("section.panel.narrow", { "aria-labelledby": "tabs-title" },
      h("h1", { id: "tabs-title" }, hasReleased ? "Another tab has taken over" : "This page is open in another tab"),
      h("p", "Only one tab plays at a time, because both would use the same keys and matches."
        + `${hasReleased ? " This tab has stopped, and nothing is lost." : " The other tab stops if you play here, and nothing is lost."}`),
      failed, h("div.row", button)));
  }));
}
