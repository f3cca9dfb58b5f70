"""Every page and state, on a small and a wide screen: nothing is too wide, and all is accessible."""

import os
import signal

import axe
from case import Case
from fed import DEALT, SEATED, again, end, fed, feed
from programs import Page, Player
from test_records import played_by_bots

SIZES = {"light": (1440, 900), "dark": (360, 640)}
TWO_FRAMES = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))"
# The elements that are wider than the window without its scroll bar.
WIDE = """
const { scrollWidth, clientWidth } = document.scrollingElement;
if (scrollWidth <= clientWidth) return [];
const out = [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > clientWidth + 0.5);
return [`${scrollWidth} wide in ${clientWidth}: ` + out.slice(0, 5).map((one) => `${one.tagName}.${one.className}`)];
"""

LOST = {"event": "line-lost", "message": "the connection was lost: the connection was interrupted"}
SEALED = {"event": "sealed", "hand": 1, "seal": "9f" * 32}
TERMS = [[{"name": "Anna"}, f" (fingerprint {SEATED['fingerprints'][0]}) wants to play:"],
         ["  No-limit Texas hold'em, 200 chips each, blinds 1/2, 3 hands. No clock. Shuffled by fisher-yates."]]
FINGERPRINTS = SEATED["fingerprints"]
TABLE_TERMS = [["The table of ", {"name": "Anna"}, f" (fingerprint {FINGERPRINTS[0]}): no-limit hold'em, up to 6 players, 200 chips each, "
                "blinds 1/2. Time: 30 s for a move, and a bank of 120 s."],
               ["Only you see your cards: all other players together cannot read them."],
               ["If somebody disappears, the hand waits until that player is out of time. Then it is settled, and the others play on."],
               ["The host decides who sits down; players who are one person, or friends, can show each other their cards."],
               ["The players learn each other's network addresses."]]
RISKS = ["If one player disappears, the hand cannot go on without that player: it is settled when the time is over, and the others play on in the next match.", "Only all 6 players together can read every card."]
TABLE_LINK = {"event": "invite", "version": 2, "invite": "dealerless2-" + "0123456789abcdefghjkmnpqrstvwxyz" * 5, "seats": 6,
              "code": "4821-apron-lemon-tulip"}


def door(name, hands=0):
    return {"name": name, "fingerprint": FINGERPRINTS[1] + name, "hands": hands, "message": f"{name} is at the door and wants to play"}


def table(fingerprints, place=0):
    """Anna and Bert have a seat; only the host gets the fingerprints."""
    players = [{"name": name} for name in SEATED["names"]]
    for player, fingerprint in zip(players, fingerprints):
        player["fingerprint"] = fingerprint
    players[1]["away"] = True
    return {"event": "table", "players": players, "seats": 6, "place": place,
            "sentences": [["Here: ", {"name": "Anna"}, ", ", {"name": "Bert"}, " (away)", " (2 of 6 seats)."]]}


OVER = {"event": "over", "hands": 1, "stacks": [200, 200], "log": SEATED["log"], "exit_code": 2}
RESULT = {
    "event": "result", "hand": 1, "stacks": [202, 198], "sentences": [
        ["You: ", {"cards": ["6h", "4d"]}, ", two pair, sixes and fives."],
        [{"name": "Bert"}, ": ", {"cards": ["Kc", "3c"]}, ", pair, fives."],
        ["You win 8."], ["You have 202 chips, ", {"name": "Bert"}, " has 198 chips."],
    ], "pots": [{"chips": 8, "winners": [{"seat": 0, "chips": 8}]}],
    "shown": [
        {"seat": 0, "cards": ["6h", "4d"], "worth": "two pair, sixes and fives"},
        {"seat": 1, "cards": ["Kc", "3c"], "worth": "pair, fives"},
    ],
}


def clocked(**clock):
    return {**SEATED, "clock": {"move": 30, "bank": 120}, **clock}


def error(code, message):
    return {"event": "error", "exit_code": code, "message": message}


THREE = clocked(names=["Anna", "Bert", "Clara"], called=["Anna", "Bert", "Clara"], fingerprints=[*FINGERPRINTS, "2m4k-7q1x-9d0r-c3tn-k8yz-pw5e"], opens=3)
DEALT_TO_THREE = {**DEALT, "stacks": [150, 199, 198], "bets": [0, 1, 2], "button": 0, "playing": [0, 1, 2]}


def between(message, *chips):
    """The list of a table after a match of three, and a player who has left before."""
    called = zip([*THREE["names"], "Dora"], [*THREE["fingerprints"], "9d0r-c3tn-k8yz-pw5e-2m4k-7q1x"], chips)
    members = [{"name": name, "fingerprint": fingerprint, "chips": held, "bought": 200} for name, fingerprint, held in called]
    return {"event": "between-matches", "message": message, "members": members, "sentences": [[message]]}


SETTLED = {"event": "notice", "text": "The list of the table:\n  Anna   1,480 chips, bought 1,200: won 280\n  Bert   0 chips, bought 200: lost 200\n"
           "  Clara   120 chips, bought 200: lost 80\n  Bert owes Anna 200 chips.\n  Clara owes Anna 80 chips."}
LATE = {"event": "at-door", "players": [door("Emil")], "sentences": [[f"Emil (fingerprint {FINGERPRINTS[1]}, new here) is at the door and wants to play."]]}

# Problems at a table: the events of the program, and its exit code if it has ended.
TROUBLES = {
    "shuffling": ([SEATED, DEALT], None),
    "line-lost": ([SEATED, DEALT, SEALED, LOST, {"event": "waiting", "seats": [1], "for": "line", "seconds": 15, "sentences": [
        ["Waiting for ", {"name": "Bert"}, " to reconnect: 15 s"]]}], None),
    "ask-again": ([SEATED, DEALT, {"event": "ask-again", "in_a_row": 8, "failed_checks": 1,
                   "message": "The last 8 attempts with Bert failed, and 1 check failed"}], None),
    "ask-sit": ([{"event": "hello", "version": 2}, {**SEATED, "event": "ask-sit", "seat": 1, "sentences": TERMS}], None),
    "ask-table": ([{"event": "hello", "version": 2}, {"event": "ask-table", "sentences": TABLE_TERMS, "details": RISKS}], None),
    "table-host": ([TABLE_LINK, {"event": "at-door", "players": [door("Carla", 12), door("Dora")],
                    "sentences": [[f"{name} (fingerprint {FINGERPRINTS[1]}, new here) is at the door and wants to play."] for name in ("Carla", "Dora")]},
                    table(FINGERPRINTS)], None),
    "table-guest": ([{"event": "hello", "version": 2}, table([])], None),
    "table-queue": ([{"event": "hello", "version": 2}, table([], place=2)], None),
    "declined": ([{"event": "hello", "version": 2}, error(4, "The host declined to play with you now.")], 4),
    "between": ([THREE, DEALT_TO_THREE, {**RESULT, "stacks": [202, 198, 200]},
                 between("Bert leaves the table with 198 chips. Clara buys 50 chips. The next match begins.", 202, 198, 150, 250)], None),
    "without-chips": ([THREE, DEALT_TO_THREE, between("You have no chips left; `buy 200` sits down again. The others play on.", 0, 198, 402, 200)], None),
    "hosts-now": ([THREE, DEALT_TO_THREE, TABLE_LINK, between("You host the table now. The next match begins.", 200, 200, 200, 200),
                   {**THREE, "match": "1" * 64, "continues": {"match": THREE["match"], "stacks": [200] * 3}}, DEALT_TO_THREE, LATE], None),
    "settled": ([THREE, DEALT_TO_THREE, SETTLED, {**OVER, "how": "played", "exit_code": 0, "message": "The match was played to its end."}], 0),
    "out-of-time": ([clocked(), DEALT, SEALED, {"event": "out-of-time", "seat": 1}], None),
    "silent": ([SEATED, DEALT, SEALED, {"event": "out-of-time", "seat": 1}], None),
    "away": ([clocked(), DEALT, SEALED, LOST, {"event": "out-of-time", "seat": 1, "away": True}], None),
    "sits-out": ([clocked(), DEALT, {"event": "out-of-time", "seat": 0}, {"event": "chose", "hand": 1, "seat": 0, "do": "fold"},
                  {"event": "sits-out"}], None),
    "rebuy": ([SEATED, DEALT, SEALED, RESULT, {"event": "ask-rebuy", "seats": [1], "chips": 200, "sentences": [
        [{"name": "Bert"}, " has no chips. Buy in again for 200? Both must agree."]]}], None),
    "result": ([SEATED, DEALT, SEALED, RESULT], None),
    "disputed": ([SEATED, DEALT, SEALED, {"event": "stopped", "seat": 1, "how": "dispute", "step": 17},
                  {**OVER, "how": "disputed", "message": "One of the two cheated."}], 2),
    "bad-cards": ([SEATED, DEALT, {**OVER, "how": "bad-cards", "message": "The cards do not belong to this deck."}], 2),
    "foul": ([SEATED, DEALT, {**OVER, "how": "foul", "message": "Bert signed what the rules do not allow."}], 2),
    "fork": ([SEATED, DEALT, {**OVER, "how": "fork", "message": "Bert signed two different parts for one step."}], 2),
    "forfeited": ([SEATED, DEALT, {"event": "stopped", "seat": 1, "how": "forfeit"},
                   {**OVER, "how": "forfeited", "exit_code": 0, "message": "Bert could not continue."}], 0),
    "left": ([SEATED, DEALT, {"event": "stopped", "seat": 1, "how": "leave"},
              {**OVER, "how": "left", "exit_code": 0, "message": "Bert has left."}], 0),
    "fault": ([SEATED, DEALT, error(1, "the disk is full")], 1),
    "protocol-broken": ([SEATED, DEALT, error(2, "a check failed: the other side cheats")], 2),
    "nobody-reached": ([{"event": "hello", "version": 2}, error(3, "nobody answers at 192.0.2.1:5252")], 3),
}


class Looks(Case):
    def setUp(self):
        super().setUp()
        self.axe = axe.source()
        self.problems = []

    def tearDown(self):
        if not self.axe:
            print("DEALERLESS_AXE names no axe-core: accessibility was not checked")
        super().tearDown()

    def looks(self, browser, name):
        """Checks the current page at both sizes, light and dark."""
        for scheme, size in SIZES.items():
            browser.resize(*size)
            browser.colours(scheme)
            browser.driver.execute_async_script(TWO_FRAMES)
            browser.picture(f"{name}-{size[0]}-{scheme}")
            found = browser.run(WIDE)
            if self.axe:
                found = found + axe.violations(browser, self.axe)
            self.problems += [f"{name}, {size}, {scheme}: {one}" for one in found]

    def all_good(self):
        self.assertEqual(self.problems, [], "\n".join(self.problems))

    def test_lobby_and_verify(self):
        records = played_by_bots(self)
        anna = self.lobby("Anna")
        self.looks(anna, "lobby")
        anna.press("Settings")
        self.looks(anna, "settings")
        anna.press("Done")
        for game in ("Five-card draw", "A deck without rules, and dice", "Boards of bridge"):
            anna.fill("Game", game)
            self.looks(anna, "lobby-" + game.split()[1])
        anna.fill("Game", "Texas hold’em, no limit")
        anna.unfold("How others reach this machine")
        anna.fill("Hands", "none")
        anna.fill("Wait at", "nowhere")
        anna.press("Host")
        anna.reads("Enter a whole number")
        self.looks(anna, "lobby-wrong")
        anna.press("Verify")
        self.looks(anna, "verify")
        records_field = anna.driver.find_element("id", "records")
        records_field.send_keys("\n".join(records))
        anna.find("h2", "Both records are good, and they agree.")
        self.looks(anna, "verify-both")
        spoiled = os.path.join(anna.page.folder.path, "spoiled.log")
        with open(records[0], "rb") as record, open(spoiled, "wb") as copy:
            copy.write(record.read()[:-3] + b"...")
        records_field.send_keys(spoiled)
        anna.reads("Failed|Note:")
        self.looks(anna, "verify-one")
        stranger = self.browser()
        stranger.open(anna.page.origin + "/")
        stranger.reads("This page cannot be used")
        self.looks(stranger, "no-seat")
        self.all_good()

    def test_match_from_invite_to_history(self):
        anna = self.lobby("Anna")
        invite = self.host(anna, "Texas hold’em, no limit", Hands="1")
        anna.until(lambda: anna.run("return document.querySelector('svg[role=img] path') !== null"), "a QR code")
        self.looks(anna, "invite")
        guest = self.guest(invite)
        anna.until(lambda: anna.has_button("Fold"), "Anna's turn")
        self.looks(anna, "turn")
        for details in ("Match", "Cost of the deal"):
            anna.unfold(details)
            self.looks(anna, details.split()[0].lower())
            anna.unfold(details)
        anna.press("Lobby")
        anna.reads("A match is being played")
        self.looks(anna, "lobby-while-playing")
        anna.press("Table")
        anna.press("Call 1")
        anna.reads("Waiting for Bert to choose")
        self.looks(anna, "turn-of-the-other-player")
        guest.until("your-turn")
        guest.say("check")
        guest.until("your-turn")
        guest.say("check")
        anna.until(lambda: anna.has_button("Check"), "a check that costs nothing")
        anna.press("Fold")
        anna.reads("Checking costs nothing")
        self.looks(anna, "giving-away")
        anna.press("Go back")
        anna.press("Check")
        self.checked_to_the_showdown(anna, guest, 2)
        anna.until(lambda: anna.has_button("Muck.*"), "a choice to muck")
        self.looks(anna, "show-or-muck")
        self.mucks(anna)
        anna.reads("played to its end")
        self.looks(anna, "over")
        anna.press("Lobby")
        anna.find("h2", "Past matches")
        anna.reads(r"with Bert · you (won|lost) \d")
        self.looks(anna, "lobby-past")
        anna.press("Hands.*")
        anna.reads("The match was played to its end")
        self.looks(anna, "after")
        self.all_good()

    def test_cards_by_agreement(self):
        anna = self.lobby("Anna")
        guest = self.guest(self.host(anna, "A deck without rules, and dice"))
        anna.press("Draw card 1")
        guest.until("your-turn")
        guest.say("draw")
        anna.press("Roll")
        guest.until("rolled")
        guest.until("your-turn")
        guest.say("propose", cards=[{"position": 2, "to": "all"}, {"position": 3, "to": 0}])
        anna.press("Agree")
        guest.until("your-turn")
        guest.say("propose", cards=[{"position": 4, "to": 0}])
        anna.reads("Bert proposes to open card 5")
        anna.press("To all")
        anna.press("Card 7: closed.*")
        self.looks(anna, "deck")
        anna.press("Pass")
        self.looks(anna, "dialog")
        anna.press("Cancel")
        os.kill(anna.page.player(), signal.SIGKILL)
        anna.find("h2", "Your program ended unexpectedly")
        self.looks(anna, "killed")
        guest.kill()
        anna.press("Lobby")
        anna.find("h2", "Open matches")
        self.looks(anna, "lobby-open")

        guest = self.guest(self.host(anna, "Boards of bridge", Boards="2"), "Clara")
        anna.fill("Boards.*", "2")
        anna.press("Propose")
        guest.until("your-turn")
        guest.say("agree", proposal=0)
        anna.find("li", "Board 2.*")
        self.looks(anna, "boards")
        self.all_good()

    def test_problems_at_a_table(self):
        browser = self.browser()
        fed(browser, Page(self, "Anna"))
        for name, (events, exit_code) in TROUBLES.items():
            feed(browser, *events)
            if exit_code is not None:
                end(browser, exit_code)
            browser.until(lambda: browser.text().count("\n") > 5, name)
            self.looks(browser, name)
            again(browser)
        self.all_good()
