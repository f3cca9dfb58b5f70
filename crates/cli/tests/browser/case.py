"""The base class of all tests here."""

import re
import signal
import unittest

from browsers import Browser
from programs import Page, Player

# The time limit of a test, in seconds.
LIMIT = 900


class Case(unittest.TestCase):
    """A test with browsers. It fails if a browser console has errors."""

    maxDiff = None

    def setUp(self):
        self.browsers = []
        # Regular expressions of console errors that the test expects.
        self.provoked = []

        def late(*_):
            raise AssertionError(f"the test took longer than {LIMIT} s")

        signal.signal(signal.SIGALRM, late)
        self.limit()
        self.addCleanup(signal.alarm, 0)

    def limit(self):
        """Lets what follows take as long as a test may take."""
        signal.alarm(LIMIT)

    def tearDown(self):
        for browser in self.browsers:
            self.assertEqual(self.complaints(browser), [])

    def complaints(self, browser):
        return [
            entry["message"]
            for entry in browser.console()
            if (entry["level"] == "SEVERE" or "Content Security Policy" in entry["message"])
            and not any(re.search(provoked, entry["message"]) for provoked in self.provoked)
        ]

    def browser(self, *arguments, **options):
        browser = Browser(self, *arguments, **options)
        self.browsers.append(browser)
        return browser

    def lobby(self, name, folder=None):
        """A browser that shows the lobby of its own program."""
        page = Page(self, name, folder)
        browser = self.browser()
        browser.page = page
        browser.open(page.address)
        browser.find("button", "Host")
        return browser

    def host(self, browser, game, at="127.0.0.1:0", **fields):
        """Hosts a match with the form, at an address. Returns the invite."""
        browser.fill("Game", game)
        for label, value in fields.items():
            browser.fill(label.replace("_", " "), value)
        browser.unfold("How others reach this machine")
        browser.fill("Wait at", at)
        browser.press("Host")
        invite = "return document.querySelector('.invite-text')?.textContent"
        return browser.until(lambda: browser.run(invite), "an invite")

    def join(self, browser, invite):
        browser.fill("Invite", invite)
        browser.press("Join")
        browser.press("Sit down")

    def two_at_a_table(self, game, *at, **fields):
        """Anna hosts and Bert joins, each in a browser."""
        anna, bert = self.lobby("Anna"), self.lobby("Bert")
        self.join(bert, self.host(anna, game, *at, **fields))
        return anna, bert

    def guest(self, invite, name="Bert"):
        """A guest that is a script without a browser."""
        guest = Player(self, ["join", invite, "--name=" + name])
        guest.until("seated")
        return guest

    def own_cards(self, browser):
        """The accessible names of the player's own cards."""
        return self.cards(browser, "Your cards.*")

    def cards(self, browser, whose):
        group = browser.find("[role=group]", whose)
        cards = group.find_elements("css selector", "[role=img]")
        return [card.accessible_name for card in cards if card.is_displayed()]

    def mucks(self, browser):
        """Mucks, and confirms if the page asks because no shown hand is better."""
        browser.press("Muck.*")
        if "No shown hand beats yours" in browser.text():
            browser.press("Muck")

    def checked_to_the_showdown(self, browser, guest, rounds=3):
        """Both players check through `rounds` betting rounds. The guest then shows its cards."""
        for _ in range(rounds):
            guest.until("your-turn")
            guest.say("check")
            browser.press("Check")
        guest.until("your-turn", ask="show-or-muck")
        guest.say("show")
