"""A table of three players in three pages, one of them on a phone."""

import re

import axe
from case import Case
from test_looks import WIDE

INVITES = "return [...document.querySelectorAll('.invite-text')].map((one) => one.textContent)"
SEATS = """
return [...document.querySelectorAll('.seat')].map((seat) => [seat.querySelector('.name').textContent, seat.querySelector('.did').textContent])
"""


class Several(Case):
    def looks(self, browsers, name):
        """Checks the current page of each player."""
        source = axe.source()
        for player, browser in browsers.items():
            browser.picture(f"several-{name}-{player}")
            found = browser.run(WIDE) + (axe.violations(browser, source) if source else [])
            self.assertEqual(found, [], f"{name}, {player}")

    def three_at_a_table(self, **fields):
        """Anna hosts, and Bert and Clara join. Clara has a phone."""
        anna, bert, clara = (self.lobby(name) for name in ("Anna", "Bert", "Clara"))
        clara.resize(360, 640)
        anna.fill("Players", "3")
        self.host(anna, "Texas hold’em, no limit", **fields)
        invites = anna.until(lambda: len(found := anna.run(INVITES)) == 2 and found, "two invites")
        self.assertNotEqual(*invites)
        players = {"anna": anna, "bert": bert, "clara": clara}
        self.looks({"anna": anna}, "invites")
        bert.fill("Invite", invites[0])
        bert.press("Join")
        anna.reads("Bert is here: 2 of 3 players")
        bert.find("h2", "Waiting for the other players")
        bert.reads("2 of 3 players are here")
        clara.fill("Invite", f"dealerless join {invites[1]}")
        clara.press("Join")
        for guest, other in ((bert, "Clara"), (clara, "Bert")):
            guest.find("h2", "Do you accept these terms\\?")
            for text in (r"Anna \(fingerprint [\w-]+\) proposes", rf"{other} \(fingerprint [\w-]+\)", "All 3 players together can read every card"):
                guest.reads(text)
        self.looks({"bert": bert, "clara": clara}, "terms")
        bert.press("Sit down")
        bert.find("h2", "Waiting for the other players")
        clara.press("Sit down")
        return players

    def asked(self, players):
        """The name of the player whose turn it is."""
        def found():
            return [name for name, browser in players.items() if browser.has_button("Fold")]

        return next(iter(players.values())).until(found, "a turn")[0]

    def test_three_players_play_a_hand_in_three_pages(self):
        players = self.three_at_a_table(Hands="1")
        anna, bert, clara = players.values()
        # The player at the button, Anna, is the first to choose. Bert has the small blind.
        self.assertEqual(self.asked(players), "anna")
        self.assertEqual([name for name, _ in anna.run(SEATS)], ["Bert", "Clara", "You"])
        self.assertEqual([name for name, _ in clara.run(SEATS)], ["Anna", "Bert", "You"])
        self.looks(players, "turn")
        anna.press("Call 2")
        bert.press("Fold")
        clara.reads("Bert folds")
        clara.press("Check")
        clara.until(lambda: ["Bert", "folded"] in clara.run(SEATS), "a folded hand")
        # Without Bert, Clara is the first to choose.
        for street in ("flop", "turn"):
            clara.press("Check")
            anna.press("Check")
        clara.press("All in.*")
        clara.press("All in 198")
        bert.reads("Clara bets 198 and is all in")
        self.looks(players, "all-in")
        anna.press("All in.*")
        for browser in players.values():
            browser.reads("played to its end")
            chips = re.findall(r"\bwins? (\d+)", browser.text())
            self.assertEqual(sum(map(int, set(chips))), 401, browser.text())
            self.assertFalse(browser.has_button("Rematch"))
        self.looks(players, "over")
