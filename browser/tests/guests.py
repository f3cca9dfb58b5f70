"""The base class of the tests of a guest in a browser. Its host is a native program."""

import base64
import os
import subprocess
from urllib.parse import quote

from browsers import is_pressable
from case import Case
from programs import PROGRAM, Folder, Player
from served import Relay, Site

# Keeps the files that the page saves.
KEEP_SAVED = """
window.saved = [];
const make = URL.createObjectURL;
URL.createObjectURL = (blob) => {
  window.saved.push(blob);
  return make.call(URL, blob);
};
"""
READ_SAVED = """
const done = arguments[0];
const reader = new FileReader();
reader.onload = () => done(reader.result.split(",")[1] ?? "");
reader.readAsDataURL(window.saved.at(-1));
"""
CHOICES = "Check|Call .*|Show.*|Muck.*|Deal the next hand.*|Next hand.*"


class Guests(Case):
    def setUp(self):
        super().setUp()
        self.relay = Relay(self)
        self.site = Site(self)
        # Chromium reports each attempt to connect that fails.
        self.provoked = ["WebSocket connection to"]

    def host_of(self, *args):
        """A host who waits at the relay, and the link of its invite."""
        args = ["host", "--listen=127.0.0.1:0", "--name=Anna", "--relay=" + self.relay.tcp, *args]
        host = Player(self, args)
        invite = host.until("invite")["invite"]
        return host, f"{self.site.address}#{invite}&relay={quote(self.relay.url, safe='')}"

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

    def is_over(self, browser):
        return browser.has_button("Match history")

    def all_check_to_the_end(self, *browsers):
        """Each browser checks, calls and shows until the match is over."""

        def is_over():
            for browser in browsers:
                for button in browser.all("button", CHOICES):
                    if is_pressable(button):
                        button.click()
                        break
            return all(self.is_over(browser) for browser in browsers)

        browsers[0].until(is_over, "the end of the match", 90)

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
