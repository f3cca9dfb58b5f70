"""Several pages, and programs, at a table with one link."""

import re

from guests import CHOICES, KEEP_SAVED, Guests
from programs import Player

NAMES = ["Anna", "Bert", "Clara", "Dora", "Emil", "Fred"]


class Table(Guests):
    def opens(self, host, seats, **fields):
        """Opens a table in this browser. Returns its link."""
        host.before_each_page(KEEP_SAVED)
        host.open(self.site.address)
        host.fill("Your name", NAMES[0])
        host.fill("Players", str(seats))
        for label, value in fields.items():
            host.fill(label.replace("_", " "), value)
        host.unfold("Relay")
        host.fill("Relay", self.relay.url)
        host.press("Host")
        link = host.find(".invite-text", "Link").text
        self.assertTrue(link.startswith(self.site.address + "#dealerless"), link)
        return link

    def comes(self, host, link, name):
        """A page that has come by the link, and was accepted."""
        guest = self.guest_of(link, name)
        host.press(f"Accept {name}")
        return guest

    def hand(self, browsers, number):
        """The number of the hand that all browsers show from now on, at least `number`."""

        def shown():
            self.choose_all(browsers)
            hands = [re.search(r"Hand (\d+) of", browser.text()) for browser in browsers]
            return all(hands) and min(int(hand[1]) for hand in hands) >= number

        browsers[0].until(shown, f"hand {number}", 90)

    def choose_all(self, browsers):
        for browser in browsers:
            self.chooses(browser, CHOICES + "|All in call .*|I am back")

    def test_evening_of_pages_and_a_program_at_one_link(self):
        host = self.browser()
        link = self.opens(host, 3, Seconds_per_move="20", Seconds_in_the_bank="0")
        bert, clara = [self.comes(host, link, name) for name in NAMES[1:3]]
        clara.phone(390, 844)
        pages = [host, bert, clara]
        self.hand(pages, 2)
        clara.picture("table-of-pages")
        bert.driver.refresh()
        self.hand(pages, 4)
        # Bert leaves, and a program that has the same link takes the seat.
        dora = Player(self, ["join", link, "--name=Dora", "--auto"])
        bert.unfold("Match")
        bert.press("Leave the table")
        bert.press("Leave")
        host.press("Door: 1")
        host.press("Accept Dora")
        rest = [host, clara]
        host.until(lambda: self.choose_all([*rest, bert]) or "Dora" in clara.text(), "a late player", 90)
        bert.find("h2", "The list of the table")
        dora.until("seated")
        self.hand(rest, 2)
        # The page that hosts is closed.
        host.kill()
        self.browsers.remove(host)
        clara.until(lambda: self.choose_all([clara]) or clara.all("summary", "The link of this table"), "a new link", 180)
        clara.picture("table-without-host")
        self.hand([clara], 2)

    def test_page_that_sleeps_past_its_clock_comes_back_by_itself(self):
        host = self.browser()
        link = self.opens(host, 3, Seconds_per_move="5", Seconds_in_the_bank="0")
        bert, clara = [self.comes(host, link, name) for name in NAMES[1:3]]
        clara.phone(390, 844)
        self.hand([host, bert, clara], 2)
        clara.sleep()
        others = [host, bert]
        host.until(lambda: self.choose_all(others) or len(host.all(".seat", ".*")) == 2, "a match without Clara", 180)
        clara.wake()
        host.until(lambda: self.choose_all([*others, clara]) or len(host.all(".seat", ".*")) == 3, "a match with Clara", 180)
        clara.picture("table-after-sleep")
