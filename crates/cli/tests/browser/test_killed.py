"""The program of the page is killed, and the page resumes the match with the same cards."""

import os
import signal

from case import Case
from programs import free_address

DECK = "A deck without rules, and dice"


class Killed(Case):
    def test_match_of_a_killed_program_is_resumed_with_the_same_cards(self):
        at = free_address()
        anna, bert = self.two_at_a_table(DECK, at, Cards_that_can_be_opened="4")
        anna.press("Draw card 1")
        drawn = anna.name("button", "Card 1: .*, seen by only you.*")
        bert.press("Draw card 2")
        other = bert.name("button", "Card 2: .*, seen by only you.*")
        anna.until(lambda: anna.has_button("Roll"), "Anna's turn")

        os.kill(bert.page.player(), signal.SIGKILL)
        bert.find("h2", "Your program ended unexpectedly")
        for text in ("What happened", "was killed", "What is safe", "The cards stay sealed", "What to do"):
            bert.reads(text)
        bert.picture("killed")
        # A page that is loaded after the kill shows the same report.
        bert.open("about:blank")
        bert.open(bert.page.origin + "/")
        bert.find("h2", "Your program ended unexpectedly")
        anna.find("h2", "Connection lost")
        anna.unfold("What happened, and what is safe")
        anna.reads("The cards stay sealed")
        anna.picture("line-lost")

        bert.press("Resume the match")
        self.assertEqual(bert.name("button", "Card 2: .*, seen by only you.*"), other)
        self.wait_for_connection(anna)
        self.assertEqual(anna.name("button", "Card 1: .*, seen by only you.*"), drawn)

        # The host's program is killed too, and the host resumes from its lobby.
        os.kill(anna.page.player(), signal.SIGKILL)
        anna.find("h2", "Your program ended unexpectedly")
        anna.press("Lobby")
        anna.find("h2", "Open matches")
        anna.picture("lobby-open-match")
        anna.unfold("Another address, or a relay")
        anna.fill("Wait at", at)
        anna.press("Resume the match with Bert")
        self.assertEqual(anna.name("button", "Card 1: .*, seen by only you.*"), drawn)
        self.wait_for_connection(bert)

        # Both players continue, and open a closed card.
        anna.press("To all")
        anna.press("Card 3: closed.*")
        anna.press("Propose")
        bert.press("Agree")
        shown = anna.name("button", "Card 3: .*, seen by all.*")
        self.assertEqual(bert.name("button", "Card 3: .*, seen by all.*"), shown)

    def wait_for_connection(self, browser):
        browser.until(lambda: "Connection lost" not in browser.text(), "a new connection")

    def test_stopped_match_and_missing_server_are_reported(self):
        anna, bert = self.two_at_a_table(DECK, Cards_that_can_be_opened="4")
        anna.until(lambda: anna.has_button("Roll"), "Anna's turn")
        bert.unfold("Match")
        bert.press("Stop for now")
        bert.press("Stop for now")  # Confirms.
        bert.find("h2", "Stopped")
        bert.reads("The match stays open")
        anna.page.process.kill()
        anna.page.process.wait()
        anna.find("h2", "The program on this machine does not respond")
        self.provoked = ["ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET", "ERR_INCOMPLETE_CHUNKED"]
