"""The program behind the page is killed, and the match is resumed from the page with the same cards."""

import os
import signal

from case import Case
from programs import free_address

DECK = "A deck without rules, and dice"


class Killed(Case):
    def test_a_program_that_was_killed_is_resumed_and_the_cards_are_the_same(self):
        at = free_address()
        anna, bert = self.two_at_a_table(DECK, at, Cards_that_can_be_opened="4")
        anna.press("Draw card 1")
        drawn = anna.name("button", "Card 1: .*, only you see it.*")
        bert.press("Draw card 2")
        other = bert.name("button", "Card 2: .*, only you see it.*")
        anna.until(lambda: anna.has_button("Roll"), "Anna's turn")

        os.kill(bert.page.player(), signal.SIGKILL)
        bert.find("h2", "Your program was ended from outside")
        for told in ("What happened", "was killed", "What is safe", "The cards stay sealed", "What to do"):
            bert.reads(told)
        bert.picture("killed")
        # A page that is loaded afterwards says it too.
        bert.open("about:blank")
        bert.open(bert.page.origin + "/")
        bert.find("h2", "Your program was ended from outside")
        anna.find("h2", "The line is lost")
        anna.unfold("What happened, and what is safe")
        anna.reads("The cards stay sealed")
        anna.picture("line-lost")

        bert.press("Resume the match")
        self.assertEqual(bert.name("button", "Card 2: .*, only you see it.*"), other)
        self.line_is_back(anna)
        self.assertEqual(anna.name("button", "Card 1: .*, only you see it.*"), drawn)

        # The same at the host, which is resumed from its lobby.
        os.kill(anna.page.player(), signal.SIGKILL)
        anna.find("h2", "Your program was ended from outside")
        anna.press("Lobby")
        anna.find("h2", "Open matches")
        anna.picture("lobby-open-match")
        anna.unfold("Another address, or a relay")
        anna.fill("Wait at", at)
        anna.press("Resume the match with Bert")
        self.assertEqual(anna.name("button", "Card 1: .*, only you see it.*"), drawn)
        self.line_is_back(bert)

        # Both go on: what was closed is opened now.
        anna.press("To all")
        anna.press("Card 3: closed.*")
        anna.press("Propose")
        bert.press("Agree")
        shown = anna.name("button", "Card 3: .*, all see it.*")
        self.assertEqual(bert.name("button", "Card 3: .*, all see it.*"), shown)

    def line_is_back(self, browser):
        browser.until(lambda: "The line is lost" not in browser.text(), "the line is back")

    def test_a_match_that_is_broken_off_says_so_and_a_server_that_is_gone_is_missed(self):
        anna, bert = self.two_at_a_table(DECK, Cards_that_can_be_opened="4")
        anna.until(lambda: anna.has_button("Roll"), "Anna's turn")
        bert.unfold("Match")
        bert.press("Break off")
        bert.press("Break off")  # It asks again.
        bert.find("h2", "Broken off")
        bert.reads("The match stays open")
        anna.page.process.kill()
        anna.page.process.wait()
        anna.find("h2", "The program on this machine does not answer")
        self.provoked = ["ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET", "ERR_INCOMPLETE_CHUNKED"]
