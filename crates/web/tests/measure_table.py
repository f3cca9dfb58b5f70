"""Measures six pages in Chromium at one table and one relay on the same machine:
`crates/web/tests/run measure_table`. It asserts no times."""

import statistics
import time

from guests import Guests

# Hosts or joins, checks, calls and shows, and keeps the time of each event in milliseconds since 1970.
PLAY = """
const [path, request, done] = arguments;
(async () => {
  const base = document.querySelector("script[type=module]").src;
  const server = await import(new URL("server.js", base));
  window.times = [];
  window.say = server.send;
  const answers = {
    "ask-table": () => ({ do: "sit", agree: true }),
    pause: () => ({ do: "next" }),
    "your-turn": ({ ask, call }) => ({ do: ask === "show-or-muck" ? "show" : call ? "call" : "check" }),
  };
  await server.post(path, request);
  let mine = -1;
  server.events("play", (events) => {
    for (const event of events) {
      const now = performance.timeOrigin + performance.now();
      if (event.event === "seated") mine = event.seat;
      if (event.event === "invite") window.invite = event.invite;
      if (event.event !== "card" || event.holder === mine) window.times.push([event.event, now]);
      const answer = answers[event.event]?.(event);
      if (answer) server.send(answer).catch(() => {});
    }
  });
  done();
})().catch((error) => done(String(error)));
"""


class MeasureTable(Guests):
    def plays(self, path, **request):
        browser = self.browser()
        browser.open(self.site.address)
        browser.find("button", "Host")
        failed = browser.driver.execute_async_script(PLAY, path, {"relay": self.relay.url, **request})
        self.assertIsNone(failed)
        return browser

    def times(self, browser, kind):
        return [at for event, at in browser.run("return window.times") if event == kind]

    def until_times(self, browsers, kind, number):
        """The time of an event in the last of these browsers that has it."""

        def all_have():
            times = [self.times(browser, kind) for browser in browsers]
            return [of[number] for of in times] if all(len(of) > number for of in times) else None

        return max(browsers[0].until(all_have, kind))

    def test_six_pages_at_one_table(self):
        host = self.plays("/host", name="Anna", game="holdem", seats=6, open=True, time="none")
        whom = host.until(lambda: host.run("return window.invite"), "an invite")
        guests = [self.plays("/join", name=f"Guest {at}", whom=whom) for at in range(4)]
        sat = self.until_times(guests, "ask-table", 0)
        host.until(lambda: host.run("return window.times.filter(([kind]) => kind === 'table').length >= 5"), "five players")
        started = 1000 * time.time()
        host.run("window.say({ do: 'start' })")
        cards = self.until_times([host, *guests], "card", 1)
        print(f"\nfive pages: from the terms of the last guest to the start {started - sat:.0f} ms; "
              f"from the start to the cards of all {cards - started:.0f} ms")
        self.until_times([host], "dealt", 11)
        before = time.time()
        guests.append(self.plays("/join", name="Guest 4", whom=whom))
        asked = self.times(guests[-1], "ask-table") or [1000 * before]
        cards = self.until_times(guests[-1:], "card", 1)
        between = self.until_times([host], "between-matches", 0)
        print(f"a late page: from its terms to its cards {cards - asked[0]:.0f} ms; "
              f"from the end of the match before {cards - between:.0f} ms")
        after = len(self.times(host, "dealt"))
        self.until_times([host], "dealt", after + 20)
        dealt = self.times(host, "dealt")[after:]
        gaps = [later - hand for hand, later in zip(dealt, dealt[1:])]
        print(f"six pages: from hand to hand: median {statistics.median(gaps):.0f} ms, most {max(gaps):.0f} ms")
