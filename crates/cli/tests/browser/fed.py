"""A page whose events come from the test instead of a program."""

import json

# Answers the page's requests for the program's state and events.
FAKE_PROGRAM = """
const sent = window.fetch;
window.program = { number: 1, command: "host", running: true, played: false, exit_code: null, by_signal: false };
window.fetch = (path, init) => {
  if (path === "/state") return Promise.resolve(Response.json({ version: "0", program: window.program }));
  if (!path.startsWith("/play")) return sent(path, init);
  const source = {
    start(controller) {
      const encoder = new TextEncoder();
      window.feed = (text) => controller.enqueue(encoder.encode(text));
      window.end = () => controller.close();
    },
  };
  return Promise.resolve(new Response(new ReadableStream(source), { headers: { "Dealerless-Page": "1" } }));
};
"""

SEATED = {
    "event": "seated", "version": 2, "seat": 0, "names": ["Anna", "Bert"], "called": ["Anna", "Bert"],
    "title": "No-limit hold'em",
    "fingerprints": ["15b6-bd02-6a7y-t711-6453-knx7", "t0zf-9ew9-qbry-wavd-q8ma-gd2p"],
    "game": "holdem", "hands": 3, "stack": 200, "blinds": [1, 2], "cards": 52, "drawn": 9,
    "match": "b7c9a3e4840cb8c8b4bd0fd5729906c5702738857fbb23174b4be72c2a501a7d",
    "log": "/home/anna/.local/share/dealerless/matches/b7c9a3e4840cb8c8-Bert.log",
}
DEALT = {"event": "dealt", "hand": 1, "try": 0, "button": 0, "stacks": [199, 198], "bets": [1, 2], "pot": 3}


def fed(browser, page):
    """Opens a page whose events come from the test."""
    browser.before_each_page(FAKE_PROGRAM)
    browser.open(page.address)
    browser.until(lambda: browser.run("return typeof window.feed === 'function'"), "a page that reads events")


def again(browser):
    """Reloads the page."""
    browser.driver.refresh()
    browser.until(lambda: browser.run("return typeof window.feed === 'function'"), "a page that reads events")


def feed(browser, *events):
    browser.run("feed(arguments[0])", "".join(json.dumps(event) + "\n" for event in events))


def end(browser, exit_code, by_signal=False):
    """Ends the program."""
    ended = {"running": False, "exit_code": exit_code, "by_signal": by_signal}
    browser.run("Object.assign(program, arguments[0]); end()", ended)
