"""The end of a hand: the winner, the winning cards, and the streets of an all-in."""

from case import Case
from fed import DEALT, SEATED, fed, feed
from programs import Page

SEALED = {"event": "sealed", "hand": 1, "seal": "9f" * 32}
BOARD = ["Td", "Kh", "Ks", "3s", "5d"]
OWN = [{"event": "card", "hand": 1, "position": at, "card": card, "holder": 0} for at, card in ((0, "6h"), (2, "4d"))]
OTHERS = [{"event": "card", "hand": 1, "position": at, "card": card, "holder": 1} for at, card in ((1, "Kc"), (3, "3c"))]
STREETS = [{"event": "board", "hand": 1, "cards": BOARD[:number]} for number in (3, 4, 5)]
RESULT = {
    "event": "result", "sentences": [["You: ", {"cards": ["6h", "4d"]}, ", pair, kings."],
                                     [{"name": "Bert"}, ": ", {"cards": ["Kc", "3c"]}, ", full house, kings over threes."],
                                     [{"name": "Bert"}, " wins 40."], ["You have 160 chips, ", {"name": "Bert"}, " has 240 chips."]],
    "hand": 1, "stacks": [160, 240], "pots": [{"chips": 40, "winners": [{"seat": 1, "chips": 40}]}],
    "shown": [
        {"seat": 0, "cards": ["6h", "4d"], "worth": "pair, kings"},
        {"seat": 1, "cards": ["Kc", "3c"], "worth": "full house, kings over threes", "best": ["Kc", "Kh", "Ks", "3c", "3s"]},
    ],
}
TURN = {
    "event": "your-turn", "hand": 2, "turn": 3, "button": 1, "pot": 3, "stacks": [158, 239], "bets": [2, 1], "cards": ["9h", "8d"],
    "positions": [0, 2], "held": [[0, 2], [1, 3]], "board": [], "ask": "bet", "call": None, "bet": None, "raise": {"min": 4, "max": 160},
}
LINE = "Hand 1: Bert wins 40."

# Records the states of the table: the number of board cards, and whether there is a winner.
RECORD = """
window.states = [];
new MutationObserver(() => {
  const state = `${document.querySelectorAll(".community .card.open").length}${document.querySelector(".winner") ? " won" : ""}`;
  if (states.at(-1) !== state) states.push(state);
}).observe(document.querySelector(".table"), { subtree: true, childList: true, attributes: true });
"""


class Result(Case):
    def table(self, *events):
        browser = self.browser()
        fed(browser, Page(self, "Anna"))
        feed(browser, SEATED, DEALT, SEALED, *OWN, *events)
        browser.reads("Pot 3|wins")
        return browser

    def test_winning_cards_are_marked_and_the_result_stays_until_the_own_turn(self):
        browser = self.table(*STREETS, RESULT, {"event": "pause", "milliseconds": 2500})
        best = browser.run("return [...document.querySelectorAll('.card.best')].map((one) => one.ariaLabel.split(',')[0])")
        self.assertEqual(best, ["king of clubs", "three of clubs", "king of hearts", "king of spades", "three of spades"])
        browser.run("window.commands = []; const sent = fetch; window.fetch = (path, init) => path === '/command' "
                    "? (commands.push(JSON.parse(init.body)), Promise.resolve(new Response('{}'))) : sent(path, init)")
        browser.press("Next hand")
        browser.until(lambda: browser.run("return commands.length"), "a command")
        self.assertEqual(browser.run("return commands.map((one) => one.do)"), ["next"])
        feed(browser, {**DEALT, "hand": 2, "stacks": [158, 239]}, {**SEALED, "hand": 2})
        browser.reads(LINE)
        self.assertFalse(browser.has_button("Next hand"))
        feed(browser, TURN)
        browser.reads("Nothing to call")
        self.assertNotIn(LINE, browser.run("return document.querySelector('.table').innerText"))

    def test_all_in_streets_are_shown_one_by_one_without_delaying_a_turn(self):
        browser = self.table()
        browser.run(RECORD)
        feed(browser, *OTHERS, *STREETS, RESULT)
        browser.reads("Bert wins 40")
        self.assertEqual(browser.run("return states"), ["0", "3", "4", "5", "5 won"])

        hurried = self.table()
        hurried.run(RECORD)
        feed(hurried, *OTHERS, *STREETS, RESULT, {**DEALT, "hand": 2}, TURN)
        hurried.reads("Nothing to call")
        self.assertNotIn("3", hurried.run("return states"))

        still = self.browser()
        still.colours("light")
        fed(still, Page(self, "Anna"))
        feed(still, SEATED, DEALT, SEALED, *OWN)
        still.reads("Pot 3")
        still.run(RECORD)
        feed(still, *OTHERS, *STREETS, RESULT)
        still.reads("Bert wins 40")
        self.assertEqual(still.run("return states"), ["5 won"])
