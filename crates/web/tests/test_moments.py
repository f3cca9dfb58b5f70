"""The browser of a guest is killed at moments of a hand, and continues with the same cards."""

import os
import threading

from between import Between
from guests import CHOICES, KEEP_SAVED, RETURNS, Guests

# The messages of a match of one hand, from its first deal to the last action. If the last message of the host is
# lost, its program has ended, and the guest waits for it.
MOMENTS = [10 + at * 46 // 30 for at in range(30)] if "DEALERLESS_SOAK" in os.environ else [13, 27, 45]
# How long a message is kept while the browser is killed, in seconds.
KEPT = 60


class Moments(Guests):
    def setUp(self):
        super().setUp()
        self.between = Between(self, self.relay)
        self.relay.url = self.between.url

    def test_browser_that_is_killed_at_any_moment_of_a_hand_continues_with_the_same_cards(self):
        for moment in MOMENTS:
            self.limit()
            with self.subTest(moment=moment):
                self.killed_at(moment)

    def killed_at(self, moment):
        reached, killed = threading.Event(), threading.Event()

        def act(message):
            if message.number == moment:
                reached.set()
                killed.wait(KEPT)
            return [message.frame]

        self.between.begin(act)
        host, link, end = self.passive_host("--hands=1", "--time=none")
        guest = self.guest_of(link)
        guest.until(lambda: reached.is_set() or self.chooses(guest), f"message {moment}")
        cards = self.shown(guest)
        self.browsers.remove(guest)
        guest.kill()
        killed.set()
        again = self.browser(profile=guest.profile)
        again.before_each_page(KEEP_SAVED)
        again.open(self.site.address)

        def is_over():
            # What the page stores last can be lost. The link is in the message of the host.
            if again.all("h2", "You") and "Open matches" not in again.text():
                again.open(link)
                again.fill("Your name", "Bert")
            shown = self.shown(again)
            if shown:
                cards[:] = cards or shown
                self.assertEqual(shown, cards)
            self.chooses(again, f"{CHOICES}|{RETURNS}")
            return self.is_over(again)

        again.until(is_over, "the end of the match", 90)
        self.assertEqual(len(cards), 2)
        self.assert_played(end, 1)
        self.assert_agree(host, self.saved_record(again))
        self.browsers.remove(again)
        self.assertEqual(self.complaints(again), [])
        again.driver.quit()

    def shown(self, browser):
        """The own cards that the page shows now."""
        groups = browser.all("[role=group]", "Your cards.*")
        cards = groups[0].find_elements("css selector", "[role=img]") if groups else []
        return [card.accessible_name for card in cards if card.is_displayed()]
