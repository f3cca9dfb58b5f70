"""Poker between two browsers, with buttons and keys."""

import re

from selenium.webdriver.common.keys import Keys

from case import Case
from fed import DEALT, SEATED, fed, feed
from programs import Page

HOLDEM = "Texas hold’em, no limit"


class Poker(Case):
    def is_asked(self, browser, button="Fold"):
        browser.until(lambda: browser.has_button(button), f"a turn with {button!r}")

    def test_raise_fold_and_showdown_with_a_muck(self):
        anna, bert = self.two_at_a_table(HOLDEM, Hands="2")
        # Anna has the button and the small blind. The first hand is played with keys.
        self.is_asked(anna)
        for browser in (anna, bert):
            seen = self.own_cards(browser)
            self.assertEqual(len(seen), 2)
            for card in seen:
                self.assertRegex(card, r"^\w+ of \w+, seen by only you$")
        self.assertEqual(self.cards(bert, "Cards of Anna"), ["closed card"] * 2)
        self.assertFalse(bert.has_button("Fold"))
        self.assertIn("Your turn", anna.driver.title)
        self.assertNotIn("Your turn", bert.driver.title)
        anna.picture("table-my-turn")
        anna.key("r")
        anna.key("7")
        anna.find("button", "Raise to 7")
        anna.key(Keys.ENTER)
        bert.reads("Anna raises to 7")
        self.is_asked(bert)
        bert.key("f")
        for browser, line in ((anna, "Bert folds"), (bert, "You fold")):
            browser.reads(line)
        anna.reads(r"You win 4\b")
        bert.reads(r"Anna wins 4\b")

        # The second hand is played with buttons and keys.
        anna.reads("Hand 2 of 2")
        self.is_asked(bert)
        bert.press(r"Call 1")
        self.is_asked(anna)
        anna.key("c")
        for street in ("flop", "turn", "river"):
            self.is_asked(anna, "Check")
            if street == "turn":
                anna.press("Pot: .*")
                anna.press("Bet 4")
                bert.reads("Anna bets 4")
                self.is_asked(bert, "Call 4")
                bert.picture("table-turn")
                bert.key("c")
            else:
                anna.key("c")
                self.is_asked(bert, "Check")
                bert.key("c")
        board = anna.find("[role=group]", "Board: .*").accessible_name
        self.assertEqual(len(board.split(", ")), 5, board)
        self.assertEqual(bert.find("[role=group]", "Board: .*").accessible_name, board)
        # Anna bet last and shows; Bert mucks.
        self.is_asked(anna, "Show.*")
        shown = [card.split(",")[0] for card in self.own_cards(anna)]
        anna.press("Show.*")
        self.is_asked(bert, "Muck.*")
        bert.picture("table-show-or-muck")
        self.mucks(bert)
        anna.reads("Bert mucks")
        for browser in (anna, bert):
            browser.reads("played to its end")
        cards = self.cards(bert, "Cards of Anna")
        self.assertEqual([card.split(",")[0] for card in cards], shown)
        self.assertTrue(all(card.endswith("seen by all") for card in cards), cards)
        self.assertEqual(self.cards(anna, "Cards of Bert"), ["closed card"] * 2)
        anna.reads(r"You win 12\b")
        bert.reads(r"Anna wins 12\b")
        anna.picture("table-over")

        # Both see the same history.
        for browser in (anna, bert):
            browser.press("Lobby")
            browser.press("Hands.*")
            browser.reads("The match was played to its end")
            browser.reads("The record")
            browser.picture("after")
        self.assertEqual(self.won(anna), {"Anna": "+8", "Bert": "−8"})
        self.assertEqual(self.won(bert), self.won(anna))

    def won(self, browser):
        rows = re.findall(r"(Anna|Bert)\s+[0-9,]+\s+[0-9,]+\s+([+−±][0-9,]+)", browser.text())
        return dict(rows)

    def test_cards_are_exchanged_in_five_card_draw(self):
        anna, bert = self.two_at_a_table("Five-card draw", Hands="1")
        before = {}

        def who_exchanges():
            for browser in (anna, bert):
                if browser not in before and browser.has_button("Keep all"):
                    return browser
                if browser.has_button("Check"):
                    browser.key("c")
            return None

        for _ in range(2):
            asked = anna.until(who_exchanges, "a player who may exchange cards")
            before[asked] = self.own_cards(asked)
            self.assertEqual(len(before[asked]), 5)
            if asked is anna:
                # Picks the second card by mouse and the fourth by key.
                hand = anna.find("[role=group]", "Your cards.*")
                hand.find_elements("css selector", "[role=button]")[1].click()
                anna.key("4")
                anna.picture("draw-exchange")
                anna.press("Exchange 2 cards")
                bert.reads("Anna exchanges 2 cards")
            else:
                bert.press("Keep all")
                anna.reads("Bert keeps all cards")
        anna.until(lambda: any(one.has_button("Check") for one in (anna, bert)), "the second round")
        after = self.own_cards(anna)
        self.assertEqual([after[at] for at in (0, 2, 4)], [before[anna][at] for at in (0, 2, 4)])
        self.assertFalse({after[1], after[3]} & {*before[anna], "closed card"}, after)
        self.assertEqual(self.own_cards(bert), before[bert])

    def test_leaving_shows_its_cost_and_can_be_taken_back(self):
        anna = self.lobby("Anna")
        guest = self.guest(self.host(anna, HOLDEM, Hands="2"))
        anna.reads("30 s for a move, and a bank of 120 s")
        anna.press("Call 1")
        guest.until("your-turn")
        anna.unfold("Match")
        anna.press("Leave for good")
        anna.reads("The match ends at your next turn, and the other player gets the pot of the hand in play")
        anna.press("Leave")
        anna.reads("You leave the match at your next turn. The pot of 4 goes to the other player; 2 of these chips are yours. "
                   "Until your next turn, “Stay after all” cancels this")
        anna.press("Stay after all")
        anna.reads("You stay")
        guest.say("check")
        guest.until("your-turn")
        guest.say("check")
        self.is_asked(anna, "Check")

    def test_closing_is_offered_while_the_other_player_is_out_of_time(self):
        anna = self.browser()
        fed(anna, Page(self, "Anna"))
        feed(anna, SEATED, DEALT)
        anna.unfold("Match")
        self.assertFalse(anna.has_button("Close here"))
        feed(anna, {"event": "out-of-time", "seat": 1})
        anna.reads("Bert does not respond")
        anna.find("button", "Close here")
        anna.press("Leave for good")
        anna.reads("“Close here” costs nothing, because the other player is out of time")
        anna.press("Cancel")
        # The match continues.
        feed(anna, {"event": "sealed", "hand": 1, "seal": "9f" * 32})
        anna.until(lambda: not anna.has_button("Close here"), "no button to close")
