"""The storage of a guest: it is full, or is cleared during a match."""

from guests import Guests

# The free space is in the files that the browser has already made larger. After a reload there is none.
NOTHING = 1000


class Stored(Guests):
    def setUp(self):
        super().setUp()
        # Chromium reports each file that cannot be written.
        self.provoked.append("QuotaExceededError|disk space")

    def quota(self, browser, **size):
        """Sets the share of the disk of this origin; without a size, the one that the browser has chosen."""
        origin = self.site.address.rstrip("/")
        browser.driver.execute_cdp_cmd("Storage.overrideQuotaForOrigin", {"origin": origin, **size})

    def at_a_turn(self, *args):
        host, link = self.host_of("--hands=1", *args)
        guest = self.guest_of(link)
        host.until("your-turn")
        host.say("call")
        guest.until(lambda: guest.has_button("Check"), "a turn")
        return host, guest, self.own_cards(guest)

    def test_match_stops_while_the_disk_is_full_and_is_resumed_when_there_is_space(self):
        host, guest, cards = self.at_a_turn("--time=none")
        self.quota(guest, quotaSize=NOTHING)
        guest.driver.refresh()
        guest.find("h2", "Your program could not continue")
        guest.reads("the browser cannot use a file of this page: free disk space, and try again")
        guest.picture("guest-full")
        self.quota(guest)
        guest.press("Resume the match")
        guest.until(lambda: guest.has_button("Check"), "the same turn")
        self.assertEqual(self.own_cards(guest), cards)
        guest.press("Check")
        host.until("chose", do="check")

    def test_first_visit_with_a_full_disk_is_refused_until_there_is_space(self):
        _, link = self.host_of("--hands=1")
        browser = self.browser()
        browser.open("about:blank")
        self.quota(browser, quotaSize=NOTHING)
        browser.open(link)
        browser.find("h1", "This page cannot be used")
        browser.reads("free disk space, and try again")
        browser.picture("guest-full-first")
        self.quota(browser)
        browser.driver.refresh()
        browser.find("h1", "You are invited to a table")

    def test_data_cleared_during_a_match_are_reported_and_the_match_can_be_finished_in_the_tab(self):
        host, guest, cards = self.at_a_turn("--time=60+60")
        self.clear(guest)
        guest.reads("The data of this site were cleared")
        guest.picture("guest-cleared")
        self.assertEqual(self.own_cards(guest), cards)
        guest.press("Check")
        host.until("chose", do="check")

    def test_match_whose_data_were_cleared_is_lost_and_another_one_begins(self):
        host, guest, _ = self.at_a_turn("--time=3+0")
        self.clear(guest)
        guest.driver.refresh()
        guest.find("h2", "You")
        self.assertNotIn("Open matches", guest.text())
        # For the host, the guest has fallen silent.
        host.until("line-lost")
        host.until("out-of-time", seat=1)
        host.say("close")
        host.until("closed")
        other, link = self.host_of("--hands=1", "--auto")
        self.sit(guest, link)
        self.all_check_to_the_end(guest)
        self.assert_agree(other, self.saved_record(guest))

    def clear(self, guest):
        origin = self.site.address.rstrip("/")
        guest.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
