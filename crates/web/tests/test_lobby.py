"""The lobby of the page: hosting, moving identities and past matches, on a phone and for assistive programs."""

import axe
from guests import KEEP_SAVED, Guests


class Lobby(Guests):
    def test_lobby_is_accessible_and_fits_a_phone(self):
        source = axe.source()
        browser = self.browser()
        browser.before_each_page(KEEP_SAVED)
        browser.phone(360, 640)
        browser.open(self.site.address)
        browser.find("h2", "You")
        found = self.looks(browser, source, "lobby")
        self.plays_as_host(browser, source, found)
        browser.tap("Match history")
        browser.find("h1", "After the match")
        found += self.looks(browser, source, "history")
        browser.tap("Verify a record")
        browser.find("h1", "Verify.*")
        found += self.looks(browser, source, "verify")
        browser.tap("Lobby")
        browser.find("h2", "Past matches")
        browser.reads("1 hand")
        found += self.looks(browser, source, "past")
        self.moves(browser, source, found)
        self.assertEqual(found, [])

    def plays_as_host(self, browser, source, found):
        self.assertEqual(browser.find("input", "Your name").get_property("value"), "")
        browser.fill("Your name", "Anna")
        browser.fill("Hands", "1")
        browser.unfold("Relay")
        browser.fill("Relay", self.relay.url)
        found += self.looks(browser, source, "hosting")
        browser.tap("Host")
        link = browser.find(".invite-text", "Invite").text
        found += self.looks(browser, source, "invite")
        guest = self.guest_of(link)
        self.all_check_to_the_end(browser, guest)
        found += self.looks(browser, source, "over")

    def moves(self, browser, source, found):
        browser.run("scrollTo(0, 0)")
        browser.unfold("Move your identity")
        found += self.looks(browser, source, "move")
        browser.tap("Move it away")
        browser.find("h2", "Move your identity away\\?")
        found += self.looks(browser, source, "move-asks")
        browser.tap("Move it away")
        browser.reads("This identity was moved away and never plays again")
        found += self.looks(browser, source, "moved")
