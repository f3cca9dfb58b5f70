"""A relay that changes, drops, repeats, reorders or cuts what it carries. It gains nothing: the match ends as an
honest one, and both records agree. With `DEALERLESS_SOAK`, it does so at each message of a match."""

import os

from between import Between, Cut
from guests import CHOICES, KEEP_SAVED, RETURNS, Guests

# The messages of a match of one hand, about. The first five belong to the meeting.
MESSAGES = 60
SOAKS = "DEALERLESS_SOAK" in os.environ


def flips_the_last_byte(at):
    return lambda message: [message.flipped(-1) if message.number == at else message.frame]


def flips_the_first_byte(at):
    return lambda message: [message.flipped(0) if message.number == at else message.frame]


def drops(at):
    return lambda message: [] if message.number == at else [message.frame]


def repeats(at):
    return lambda message: [message.frame] * (2 if message.number == at else 1)


def swaps(at):
    """Keeps a message until the next one in its direction has been sent."""
    kept = []

    def act(message):
        if message.number == at:
            kept.append(message)
            return []
        if kept and kept[0].to_page == message.to_page:
            return [message.frame, kept.pop().frame]
        return [message.frame]

    return act


def cuts(at):
    def act(message):
        if message.number == at:
            raise Cut
        return [message.frame]

    return act


CHANGES = [flips_the_last_byte, drops, repeats, swaps, flips_the_first_byte]


class HostileRelay(Guests):
    def setUp(self):
        super().setUp()
        self.between = Between(self, self.relay)
        self.relay.url = self.between.url

    def plays(self, browser, act):
        """A guest plays a match of one hand, during which the relay acts, and which then ends."""
        self.limit()
        self.between.begin(act)
        host, link, end = self.passive_host("--hands=1", "--time=none")
        # Nothing of the previous match is left on the page.
        browser.open("about:blank")
        browser.open(link)

        def is_over():
            self.assertNotRegex(browser.text(), "cheat|violated")
            self.chooses(browser, f"{CHOICES}|{RETURNS}")
            return self.is_over(browser)

        browser.fill("Your name", "Bert")
        browser.until(is_over, "the end of the match", 120)
        self.assert_played(end, 1)
        self.assert_agree(host, self.saved_record(browser))

    def test_changed_message_has_no_other_effect_than_a_lost_one(self):
        browser = self.browser()
        browser.before_each_page(KEEP_SAVED)
        numbers = range(MESSAGES) if SOAKS else [3, 12, 24, 36, 20]
        for at in numbers:
            for change in CHANGES if SOAKS else [CHANGES[at % len(CHANGES)]]:
                with self.subTest(change=change.__name__, at=at):
                    self.plays(browser, change(at))

    def test_connection_can_be_cut_at_each_message(self):
        browser = self.browser()
        browser.before_each_page(KEEP_SAVED)
        for at in range(MESSAGES) if SOAKS else [5, 9, 23, 41]:
            with self.subTest(at=at):
                self.plays(browser, cuts(at))
