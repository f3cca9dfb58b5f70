"""Matches between a browser and a player in a terminal."""

from case import Case
from programs import Typist

HOLDEM = "Texas hold’em, no limit"


class Terminal(Case):
    def test_browser_plays_with_a_json_program(self):
        anna = self.lobby("Anna")
        guest = self.guest(self.host(anna, HOLDEM, Hands="1"))
        anna.press("Call 1")
        turn = guest.until("your-turn")
        guest.say("raise", to=6, turn=turn["turn"])
        anna.reads("Bert raises to 6")
        anna.press("Call 4")
        self.checked_to_the_showdown(anna, guest)
        self.mucks(anna)
        result = guest.until("result")
        self.assertEqual(result["pots"], [{"chips": 12, "winners": [{"seat": 1, "chips": 12}]}])
        anna.reads(r"Bert wins 12\b")
        self.assertEqual(guest.until("over")["stacks"], [194, 206])
        anna.reads("played to its end")

    def test_browser_plays_with_a_person_at_a_terminal(self):
        anna = self.lobby("Anna")
        invite = self.host(anna, HOLDEM, Hands="1")
        bert = Typist(self, ["join", invite, "--name=Bert"])
        bert.until("Sit down?")
        bert.type("y")
        anna.press("Call 1")
        bert.until("Your turn:")
        bert.type("r 6")
        bert.until("You raise to 6.")
        anna.reads("Bert raises to 6")
        anna.key("c")
        bert.until("Anna calls.")
        bert.until("Your turn:")
        bert.type("b 10")
        anna.reads("Bert bets 10")
        anna.key("f")
        bert.until("Anna folds.")
        anna.reads(r"Bert wins 12\b")
        bert.until("played to its end")
        anna.reads("played to its end")
