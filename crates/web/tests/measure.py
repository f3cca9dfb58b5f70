"""Measures a guest in Chromium at a native host on the same machine, as docs/measurements.md shows it:
`crates/web/tests/run measure`. It asserts no times."""

import statistics
import time
from urllib.parse import unquote

from guests import Guests

# Joins by the link, checks, calls and shows until the match is over, and returns what was measured.
PLAY = """
const [whom, relay, done] = arguments;
(async () => {
  const base = document.querySelector("script[type=module]").src;
  const server = await import(new URL("server.js", base));
  const at = { begin: performance.now() };
  const costs = [], hands = [];
  let mine = 1, cards = 0;
  const answers = {
    "ask-sit": () => { at.sit = performance.now(); return { do: "sit", agree: true }; },
    pause: () => ({ do: "next" }),
    "ask-rebuy": () => ({ do: "rebuy", agree: true }),
    "your-turn": ({ ask, call }) => ({ do: ask === "show-or-muck" ? "show" : call ? "call" : "check" }),
  };
  await server.post("/join", { name: "Bert", whom, relay });
  server.events("play", (events) => {
    for (const event of events) {
      const now = performance.now();
      if (event.event === "seated") mine = event.seat;
      if (event.event === "dealt") hands.push(now);
      if (event.event === "sealed" && event.cost) costs.push(event.cost);
      if (event.event === "card" && event.holder === mine && ++cards === 2) at.cards ??= now;
      if (event.event === "over") done({ ...at, over: now, costs, hands });
      if (event.event === "error") done(event);
      const answer = answers[event.event]?.(event);
      if (answer) server.send(answer).catch(() => {});
    }
  });
})().catch((error) => done({ message: String(error) }));
"""
TRANSFERRED = """
const parts = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
return parts.reduce((sum, part) => sum + part.encodedBodySize, 0);
"""


class Measure(Guests):
    def match(self, browser, hands, query="", relay=None):
        host, link = self.host_of(f"--hands={hands}", "--auto", "--time=none")
        whom, relay = link.split("#")[1].split("&relay=")
        begun = time.monotonic()
        browser.open(self.site.address + query)
        browser.find("h1", ".*")
        loaded = time.monotonic() - begun
        browser.driver.set_script_timeout(120)
        result = browser.driver.execute_async_script(PLAY, whom, unquote(relay))
        self.assertIn("over", result, result)
        return loaded, result

    def report(self, name, loaded, result):
        deals = [cost for cost in result["costs"]]
        print(f"\n{name}: page {1000 * loaded:.0f} ms; join to the terms {result['sit'] - result['begin']:.0f} ms; "
              f"sitting down to two cards {result['cards'] - result['sit']:.0f} ms; "
              f"the match {result['over'] - result['sit']:.0f} ms")
        for cost in deals[:2]:
            print("  ", cost)

    def test_times_of_a_guest(self):
        for query in ["", "?asyncify"]:
            browser = self.browser()
            for visit in ["first visit", "cached page"]:
                loaded, result = self.match(browser, 3, query)
                self.report(f"{query or 'jspi'}, {visit}", loaded, result)
            loaded, result = self.match(browser, 100, query)
            self.report(f"{query or 'jspi'}, 100 hands", loaded, result)
            gaps = [later - hand for hand, later in zip(result["hands"], result["hands"][1:])]
            print(f"   from hand to hand: median {statistics.median(gaps):.1f} ms, most {max(gaps):.1f} ms")
            print(f"   the page transferred {browser.run(TRANSFERRED)} bytes, not compressed")
