"""The table for people: the made hand, the clock, warnings before costly choices, rematches."""

import re

from selenium.webdriver.common.keys import Keys

from case import Case
from fed import DEALT, SEATED, again, end, fed, feed
from programs import Page

HOLDEM = "Texas hold’em, no limit"
SEALED = {"event": "sealed", "hand": 1, "seal": "9f" * 32}
OWN = [{"event": "card", "hand": 1, "position": at, "card": card, "holder": 0} for at, card in ((0, "6h"), (2, "4d"))]
BOARD = ["Td", "Kh", "Ks", "3s", "5d"]
OTHERS = [{"event": "card", "hand": 1, "position": at, "card": card, "holder": 1} for at, card in ((1, "Kc"), (3, "3c"))]
SHOWN = {
    "event": "result", "hand": 1, "stacks": [196, 204], "pots": [{"chips": 8, "winners": [{"seat": 1, "chips": 8}]}],
    "shown": [{"seat": 1, "cards": ["Kc", "3c"], "worth": "pair, kings"}],
}
CLOCKED = {**SEATED, "clock": {"move": 30, "bank": 120}}
TURN = {
    "hand": 1, "turn": 7, "button": 0, "pot": 8, "stacks": [196, 196], "bets": [0, 0], "held": [[0, 2], [1, 3]],
}
OURS = {
    **TURN, "event": "your-turn", "cards": ["6h", "4d"], "positions": [0, 2], "board": BOARD[:3], "ask": "bet", "call": None,
    "bet": {"min": 2, "max": 196}, "raise": None,
}
# Records the commands that the page sends to its program.
RECORD_COMMANDS = """
window.commands = [];
const sent = fetch;
window.fetch = (path, init) => path === "/command"
  ? (commands.push(JSON.parse(init.body)), Promise.resolve(new Response("{}"))) : sent(path, init);
"""
# Messages of the program that name options and commands.
ADVICE = [
    "Otherwise forward a port and give its address with --advertise (--map-port does both), or use --relay "
    "(`dealerless config relay` sets it once).",
    "no address of Bert is known; give it with --at HOST:PORT",
    "\"Zoe\" is neither an invite, which begins with dealerless2-, nor a code such as 70213-crossbow-guitar, nor the name of a known player (see "
    "`dealerless peers`). To give a player's address, use --at HOST:PORT, for example 192.0.2.1:5252",
    "The host declined to play with you now. Ask the host for an invite, or to run: dealerless host --for YOUR-NAME",
    "To give it up, run: dealerless resume --close 3f2a9c0d",
    "You cannot begin a new match until you close the old one: dealerless resume --close 3f2a9c0d",
    "Interrupted. The match stays open; `dealerless resume` continues it.",
    "the other player has run out of time: `close` closes the match here",
    "invalid value 'x' for '--listen <ADDRESS>': expected a port",
    "the other side may not know yet. Waiting up to 30 s for it to reconnect; Ctrl-C does no harm.",
]


class People(Case):
    def table(self, *events):
        browser = self.browser()
        fed(browser, Page(self, "Anna"))
        feed(browser, CLOCKED, DEALT, SEALED, *OWN, *events)
        browser.run(RECORD_COMMANDS)
        return browser

    def commands(self, browser, number=1):
        browser.until(lambda: browser.run("return commands.length") >= number, "a command")
        return browser.run("return commands.map((one) => one.do)")

    def test_made_hand_is_shown_until_the_cards_change(self):
        browser = self.table({"event": "board", "hand": 1, "cards": BOARD[:3]}, {**OURS, "made": "pair, kings"})
        made = lambda: browser.run("return document.querySelector('.own .worth').textContent")
        browser.reads("Nothing to call")
        self.assertEqual(made(), "pair, kings")
        feed(browser, {"event": "chose", "hand": 1, "seat": 0, "do": "check"}, {**TURN, "event": "their-turn", "seat": 1})
        browser.reads("Waiting for Bert to choose")
        self.assertEqual(made(), "pair, kings")
        feed(browser, {"event": "chose", "hand": 1, "seat": 1, "do": "check"}, {"event": "board", "hand": 1, "cards": BOARD[:4]},
             {**TURN, "event": "their-turn", "seat": 1, "turn": 9})
        browser.until(lambda: browser.all("[role=group]", "Board: .*three of spades"), "the turn card")
        self.assertEqual(made(), "")
        feed(browser, {**OURS, "turn": 10, "board": BOARD[:4], "made": "two pair, kings and threes"})
        browser.until(lambda: made() == "two pair, kings and threes", "the new hand")
        feed(browser, {"event": "chose", "hand": 1, "seat": 0, "do": "fold"})
        browser.until(lambda: made() == "", "no hand")

    def test_page_asks_once_before_a_pot_is_given_up(self):
        browser = self.table(OURS)
        browser.until(lambda: browser.has_button("Fold"), "a turn")
        browser.press("Fold")
        browser.reads("Fold\\? Checking costs nothing")
        self.assertEqual(browser.run("return document.activeElement.textContent"), "Go back")
        self.assertIn("Fold?", browser.run("return document.getElementById('urgent').textContent"))
        # The key that opened the question does not answer it.
        browser.key("f")
        browser.key("c")
        browser.key(Keys.ESCAPE)
        browser.until(lambda: browser.has_button("Check"), "the choices")
        self.assertEqual(browser.run("return document.activeElement.textContent"), "Foldf")
        browser.key("f")
        browser.reads("Fold\\? Checking costs nothing")
        self.assertEqual(browser.run("return commands"), [])
        browser.key(Keys.TAB)
        browser.key(Keys.ENTER)
        self.assertEqual(self.commands(browser), ["fold"])
        # Folding to a bet needs no question.
        feed(browser, {**OURS, "turn": 9, "bets": [0, 4], "call": 4})
        browser.press("Fold")
        self.assertEqual(self.commands(browser, 2), ["fold", "fold"])
        for turn, wins in ((11, False), (13, True)):
            feed(browser, {**OURS, "turn": turn, "ask": "show-or-muck", "wins": wins})
            browser.press("Muck.*")
        self.assertEqual(self.commands(browser, 3), ["fold", "fold", "muck"])
        browser.reads("Muck\\? No shown hand beats yours")
        browser.press("Muck")
        self.assertEqual(self.commands(browser, 4)[3:], ["muck"])
        # The question can be switched off.
        browser.press("Settings")
        browser.find("input", "Ask before I give up a pot").click()
        browser.press("Done")
        feed(browser, {**OURS, "turn": 15})
        browser.press("Fold")
        self.assertEqual(self.commands(browser, 5)[4:], ["fold"])

    def test_clock_shows_the_bank_and_a_late_player_sees_the_choice_made(self):
        browser = self.table({**OURS, "time": {"move": 25, "bank": 112}})
        browser.reads(r"\d+ s, then 112 s from the bank")
        feed(browser, {**OURS, "turn": 9, "time": {"move": 0, "bank": 112}})
        browser.reads(r"Nothing to call\. \d+ s from the bank")
        feed(browser, {"event": "out-of-time", "seat": 0}, {"event": "chose", "hand": 1, "seat": 0, "do": "check"}, {"event": "sits-out"})
        browser.reads("You ran out of time, and your program checked for you. You sit out until you press “I am back”")
        browser.press("I am back")
        self.assertEqual(self.commands(browser), ["back"])
        browser.until(lambda: not browser.has_button("I am back"), "the table")

    def test_late_player_of_several_sees_that_it_sits_out_and_can_come_back(self):
        browser = self.browser()
        fed(browser, Page(self, "Anna"))
        seated = {**CLOCKED, "called": ["Anna", "Bert", "Clara"], "names": ["Anna", "Bert", "Clara"], "fingerprints": SEATED["fingerprints"][:1] * 3}
        dealt = {**DEALT, "stacks": [200, 199, 198], "bets": [0, 1, 2], "playing": [0, 1, 2]}
        feed(browser, seated, dealt, {"event": "out-of-time", "seat": 0}, {"event": "chose", "hand": 1, "seat": 0, "do": "fold"},
             {**dealt, "hand": 2, "playing": [1, 2]})
        browser.run(RECORD_COMMANDS)
        browser.reads("You ran out of time, and your program folded for you. You sit out until you press “I am back”")
        browser.press("I am back")
        self.assertEqual(self.commands(browser), ["back"])
        browser.until(lambda: not browser.has_button("I am back"), "the table")

    def test_sitting_out_after_a_showdown_offers_no_next_hand(self):
        browser = self.table(SHOWN, {"event": "pause", "milliseconds": 2500})
        browser.find("button", "Next hand")
        feed(browser, {"event": "sits-out"})
        self.assertIn("main", browser.find("button", "I am back").get_attribute("class"))
        self.assertFalse(browser.has_button("Next hand"))
        browser.press("I am back")
        self.assertEqual(self.commands(browser), ["back"])
        browser.until(lambda: not browser.has_button("I am back"), "the table")
        self.assertFalse(browser.has_button("Next hand"))

    def test_no_chips_are_on_the_table_after_a_leave(self):
        browser = self.table({**OURS, "bets": [0, 12], "pot": 24, "stacks": [156, 60]})
        browser.reads("Pot 24")
        feed(browser, {"event": "stopped", "seat": 0, "how": "leave"},
             {"event": "over", "how": "left", "hands": 1, "stacks": [168, 72], "log": None, "exit_code": 0, "message": "You have left."})
        browser.reads("You have left the match")
        chips = browser.run("return [...document.querySelectorAll('.amount, .bet, .pot, .did')].map((one) => one.textContent).filter(Boolean)")
        self.assertEqual(sorted(chips), ["168", "72"])

    def test_own_cards_are_marked_as_seen_by_all_after_an_all_in_or_show(self):
        browser = self.table(*OTHERS)
        own = lambda: browser.run("return [...document.querySelectorAll('.own .card')].map((one) => one.ariaLabel)")
        browser.until(lambda: browser.all("[role=img]", "king of clubs.*"), "the cards of the other player")
        self.assertEqual(own(), ["six of hearts, seen by all", "four of diamonds, seen by all"])
        browser = self.table({"event": "chose", "hand": 1, "seat": 1, "do": "show"}, *OTHERS)
        browser.until(lambda: browser.all("[role=img]", "king of clubs.*"), "the cards of the other player")
        self.assertEqual(own(), ["six of hearts, seen by only you", "four of diamonds, seen by only you"])

    def test_no_time_is_counted_while_the_connection_is_lost(self):
        browser = self.table({**TURN, "event": "their-turn", "seat": 1, "time": {"move": 0, "bank": 112}})
        browser.reads(r"\d+ s from the bank")
        feed(browser, {"event": "line-lost", "message": "the connection was closed"})
        browser.find("h2", "Connection lost")
        self.assertNotRegex(browser.run("return document.querySelector('.play').innerText"), r"\d+ s\b")

    def test_amount_out_of_range_is_refused_while_typing(self):
        browser = self.table(OURS)
        amount = browser.find("input[type=number]", "Amount")
        amount.send_keys(Keys.CONTROL, "a")
        amount.send_keys("12000")
        browser.reads("Enter an amount from 2 to 196")
        self.assertFalse(browser.has_button("Bet 12,000.*"))
        amount.send_keys(Keys.CONTROL, "a")
        amount.send_keys("20")
        browser.press("Bet 20")
        self.assertEqual(self.commands(browser), ["bet"])

    def test_last_choice_is_cleared_at_the_next_turn(self):
        browser = self.table({"event": "chose", "hand": 1, "seat": 0, "do": "check"})
        did = lambda: browser.run("return document.querySelector('.own .did').textContent")
        browser.until(lambda: did() == "checks", "a check")
        feed(browser, {**OURS, "bets": [0, 4], "call": 4})
        browser.reads("4 to call")
        self.assertEqual(did(), "")

    def test_terms_are_shown_as_a_question(self):
        browser = self.browser()
        fed(browser, Page(self, "Anna"))
        browser.before_each_page("window.program.command = 'join'")
        again(browser)
        feed(browser, {**SEATED, "event": "ask-sit", "seat": 1, "shuffle": "fisher-yates",
                       "sentences": [[{"name": "Anna"}, " wants to play:"], ["  200 chips each"]]})
        browser.find("h2", "Do you accept these terms\\?")
        text = browser.text()
        self.assertRegex(text, "Anna wants to play:\\n\\s*200 chips each")
        for wrong in ("What happened", "What is safe", "Looking for the host"):
            self.assertNotIn(wrong, text)
        self.assertEqual(browser.run("return document.querySelectorAll('[data-kind=loud]').length"), 0)
        browser.run(RECORD_COMMANDS)
        browser.press("Sit down")
        self.assertEqual(self.commands(browser), ["sit"])
        browser.find("h2", "Waiting for the host")

    def test_stopping_shows_when_the_match_may_be_closed(self):
        browser = self.table()
        browser.unfold("Match")
        browser.reads("the match stays open. The other player may close it when your time is up")

    def test_all_in_is_labelled_and_fixed_limit_has_no_amount(self):
        browser = self.table({**OURS, "bets": [0, 250], "call": 196, "bet": None})
        browser.find("button", "All in call 196")
        feed(browser, {**OURS, "turn": 9})
        browser.press("All in: 196")
        browser.press("All in 196")
        self.assertEqual(self.commands(browser), ["bet"])
        feed(browser, {"event": "chose", "hand": 1, "seat": 0, "do": "bet", "to": 196})
        browser.until(lambda: "all in" in browser.run("return document.querySelector('.own .plate').innerText"), "an all-in")
        limit = self.browser()
        fed(limit, Page(self, "Anna"))
        feed(limit, {**SEATED, "game": "fixed-holdem"}, DEALT, SEALED, *OWN, {**OURS, "bet": {"min": 2, "max": 2}})
        limit.run(RECORD_COMMANDS)
        limit.reads("Nothing to call")
        self.assertEqual(limit.all("input", "Amount"), [])
        limit.press("Bet 2")
        self.assertEqual(self.commands(limit), ["bet"])

    def test_advice_uses_the_names_of_the_page(self):
        browser = self.browser()
        fed(browser, Page(self, "Anna"))
        feed(browser, SEATED, *({"event": "notice", "text": text, "sentences": [[text]]} for text in ADVICE))
        text = browser.reads("you need not wait")[0] + browser.run("return document.querySelector('.log').innerText")
        self.assertEqual(re.findall(r"--[a-z]+|`[^`]*`|run: .*", text), [])
        for field in ("Address in the invite", "Relay", "Where the host is now", "Close", "Resume", "Wait at"):
            self.assertIn(f"“{field}”", text)
        feed(browser, {"event": "error", "exit_code": 3, "message": ADVICE[1]})
        end(browser, 3)
        browser.reads("give it with “Where the host is now”")

    def test_settings_and_terms_survive_a_restart(self):
        anna = self.lobby("Anna")
        anna.until(lambda: anna.find("input", "Your name").get_property("value") == "Anna", "the name of the command line")
        anna.press("Settings")
        anna.find("input", "Dark").click()
        anna.find("input", "Ask before I give up a pot").click()
        anna.press("Done")
        anna.fill("Your name", "Zoe")
        guest = self.guest(self.host(
            anna, "Five-card draw", Hands="3", Ante="5", Smallest_bet="10", Seconds_per_move="20"))
        self.assertEqual(guest.events[-1]["names"], ["Zoe", "Bert"])
        anna.page.process.terminate()
        anna.page.process.wait()
        self.provoked = ["ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE_CHUNKED"]
        anna.console()
        page = Page(self, "Anna", anna.page.folder)
        self.assertNotEqual(page.origin, anna.page.origin)
        anna.open(page.address)
        for label, value in (("Hands", "3"), ("Ante", "5"), ("Smallest bet", "10"), ("Seconds per move", "20")):
            self.assertEqual(anna.find("input", label).get_property("value"), value)
        self.assertEqual(anna.find("select", "Game").get_property("value"), "draw")
        self.assertEqual(anna.run("return document.documentElement.dataset.theme"), "dark")
        anna.press("Settings")
        self.assertFalse(anna.find("input", "Ask before I give up a pot").is_selected())

    def test_rematch_needs_no_invite_in_either_order(self):
        anna, bert = self.two_at_a_table(HOLDEM, Hands="1", Chips_per_player="90")
        for first, second in ((anna, bert), (bert, anna)):
            anna.until(lambda: anna.has_button("Fold"), "a turn")
            anna.press("Fold")
            for browser in (first, second):
                browser.reads("played to its end")
            first.press("Rematch")
            first.find("h2", "Rematch with (Anna|Bert)")
            if first is bert:
                # The guest does not find the host at first.
                bert.until(lambda: bert.run("return performance.getEntriesByType('resource').filter("
                                            "(one) => one.name.endsWith('/join')).length > 2"), "more than one attempt")
            second.press("Rematch")
            for term in ("1 hand", "90 chips each", "blinds 1/2", "30 s for a move"):
                bert.reads(term)
            bert.press("Sit down")
        anna.until(lambda: anna.has_button("Fold"), "a third match")
