"""The base class of the tests of a guest in a browser. Its host is a native program."""

import base64
import concurrent.futures
import os
import subprocess
from urllib.parse import quote

import axe
from browsers import is_pressable
from case import Case
from programs import DEADLINE, PROGRAM, Folder, Player
from served import Relay, Site

# Keeps the files that the page saves.
KEEP_SAVED = """
if (!window.saved) {
  window.saved = [];
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    window.saved.push(blob);
    return make.call(URL, blob);
  };
}
"""
READ_SAVED = """
const done = arguments[0];
const reader = new FileReader();
reader.onload = () => done(reader.result.split(",")[1] ?? "");
reader.readAsDataURL(window.saved.at(-1));
"""
# The choices of a passive player.
CHOICES = "Check|Call .*|Show.*|Muck.*|Deal the next hand.*|Next hand.*"
# The buttons by which a guest sits down, and continues when its connection or its program was lost.
RETURNS = "Sit down|Continue|Try again|Resume the match"


class Guests(Case):
    def setUp(self):
        super().setUp()
        self.relay = Relay(self)
        self.site = Site(self)
        # Chromium reports each attempt to connect that fails.
        self.provoked = ["WebSocket connection to"]

    def host_of(self, *args):
        """A host who waits at the relay, and the link that it prints, with the WebSocket for the guest."""
        relay = f"ws://{self.relay.tcp}/"
        args = ["--listen=127.0.0.1:0", "--name=Anna", "--relay=" + relay, *args]
        host = Player(self, ["host", *args, "--page=" + self.site.address])
        link = host.until("invite")["link"]
        return host, link.replace(quote(relay, safe=""), quote(self.relay.url, safe=""))

    def passive_host(self, *args):
        """A host that checks, calls and shows, its link, and the future event of its end."""
        host, link = self.host_of(*args)

        def plays():
            while True:
                event = host.event()
                if event["event"] == "your-turn":
                    host.say("show" if event["ask"] == "show-or-muck" else "call" if event.get("call") else "check")
                elif "exit_code" in event:
                    return event

        pool = concurrent.futures.ThreadPoolExecutor(1)
        self.addCleanup(pool.shutdown, wait=False)
        return host, link, pool.submit(plays)

    def guest_of(self, link, name="Bert", query="", **options):
        """A browser whose guest has sat down."""
        browser = self.browser(**options)
        self.sit(browser, link.replace("#", query + "#"), name)
        return browser

    def sit(self, browser, link, name="Bert"):
        browser.before_each_page(KEEP_SAVED)
        browser.open(link)
        browser.fill("Your name", name)
        browser.press("Continue")
        browser.press("Sit down")

    def joins_by_code(self, browser, code):
        browser.press("Lobby")
        browser.fill("Invite", code)
        browser.fill("Your name", "Bert")
        browser.press("Join")

    def page_that_hosts(self, host):
        """Hosts a match of one hand in this browser. Returns the browser, and the link for a guest."""
        host.before_each_page(KEEP_SAVED)
        host.open(self.site.address)
        host.fill("Your name", "Anna")
        host.fill("Hands", "1")
        host.unfold("Relay")
        host.fill("Relay", self.relay.url)
        host.press("Host")
        link = host.find(".invite-text", "Invite").text
        self.assertTrue(link.startswith(self.site.address + "#dealerless"), link)
        return host, link

    def chooses(self, browser, choices=CHOICES):
        """Presses one of these buttons if there is one."""
        for button in browser.all("button", choices):
            if is_pressable(button):
                button.click()
                return

    def is_over(self, browser):
        return browser.has_button("Match history")

    def all_check_to_the_end(self, *browsers):
        """Each browser checks, calls and shows until the match is over."""

        def is_over():
            for browser in browsers:
                self.chooses(browser)
            return all(self.is_over(browser) for browser in browsers)

        browsers[0].until(is_over, "the end of the match", 90)

    def looks(self, browser, source, name):
        """Takes a picture, and returns what is too wide for the screen, or not accessible."""
        browser.picture("guest-" + name)
        wide = browser.run("return document.scrollingElement.scrollWidth > innerWidth ? ['too wide'] : []")
        return [f"{name}: {one}" for one in wide + (axe.violations(browser, source) if source else [])]

    def assert_played(self, end, hands):
        """The match of a passive host ended after all hands."""
        event = end.result(DEADLINE)
        self.assertEqual((event["event"], event.get("hands"), event.get("how")), ("over", hands, "played"), event)

    def saved_record(self, browser):
        """The record that the page saves after the match."""
        browser.press("Match history")
        browser.press("Save the record")
        browser.until(lambda: browser.run("return window.saved.length > 0"), "a saved record")
        return base64.b64decode(browser.driver.execute_async_script(READ_SAVED))

    def assert_agree(self, host, record):
        """`dealerless verify` finds that this record and the one of a native host agree."""
        with open(host.folder.record(), "rb") as file:
            self.assert_records_agree(file.read(), record)

    def assert_records_agree(self, *records):
        """`dealerless verify` finds that two records agree."""
        folder = Folder(self).path
        paths = [os.path.join(folder, f"{at}.log") for at in range(2)]
        for path, record in zip(paths, records):
            with open(path, "wb") as file:
                file.write(record)
        run = subprocess.run([PROGRAM, "verify", *paths], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("Both records", run.stdout)
