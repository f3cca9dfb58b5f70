"""A relay that changes, drops, repeats, reorders or cuts what it carries. It gains nothing: the match ends as an
honest one, and both records agree. With `DEALERLESS_SOAK`, it does so at each message of a match."""

import os

from between import Between, Cut
from guests import CHOICES, KEEP_SAVED, Guests

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


class HostileRelay(Guests):
    def setUp(self):
        super().setUp()
        self.between = Between(self, self.relay)
        self.relay.url = self.between.url

    def plays(self, browser, act):
        """Plays a match of one hand, during which the relay acts."""
        self.between.begin(act)
        host, link = self.host_of("--hands=1", "--auto")
        self.sit(browser, link)
        self.all_check_to_the_end(browser)
        over = host.until("over")
        self.assertEqual(over["hands"], 1)
        self.assert_agree(host, self.saved_record(browser))
