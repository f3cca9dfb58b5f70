"""Tables of three and of six players, in pages, in terminals and by a script."""

import os
import re
import signal
import subprocess

import axe
from case import Case
from programs import PROGRAM, Player, Typist, free_address
from test_looks import WIDE

OWN_CARDS = "return [...document.querySelectorAll('.own .card')].map((one) => one.ariaLabel)"
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
        invite = self.host(anna, "Texas hold’em, no limit", **fields)
        players = {"anna": anna, "bert": bert, "clara": clara}
        anna.reads("Everybody who has it can ask for a seat")
        self.looks({"anna": anna}, "link")
        for guest, text in ((bert, invite), (clara, f"dealerless join {invite}")):
            guest.fill("Invite", text)
            guest.press("Join")
            guest.find("h2", "Do you accept these terms\\?")
            for term in (r"Anna \(fingerprint [\w-]+\)", "up to 3 players", "all other players together cannot read them"):
                guest.reads(term)
            guest.unfold("More about the risks")
            guest.reads("Only all 3 players together can read every card")
        self.looks({"bert": bert, "clara": clara}, "terms")
        self.assertFalse(anna.has_button("Start"))
        for name, guest in (("Clara", clara), ("Bert", bert)):
            guest.press("Sit down")
            anna.find("button", f"Accept {name}")
        self.looks({"anna": anna, "clara": clara}, "door")
        # In the other order than they came.
        anna.press("Accept Bert")
        bert.find("h2", "Waiting for the other players")
        for page in (anna, bert):
            page.reads("2 of 3 seats are taken")
        anna.until(lambda: anna.has_button("Start"), "a match that can begin")
        self.looks({"anna": anna, "bert": bert}, "two-here")
        anna.press("Accept Clara")
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
        bert.reads("Clara bets 198, all in")
        self.looks(players, "all-in")
        anna.press("All in.*")
        for browser in players.values():
            browser.reads("played to its end")
            chips = re.findall(r"\bwins? (\d+)", browser.text())
            self.assertEqual(sum(map(int, set(chips))), 401, browser.text())
            self.assertFalse(browser.has_button("Rematch"))
        self.looks(players, "over")

    def test_table_goes_on_when_a_player_leaves_and_another_comes(self):
        players = self.three_at_a_table(Hands="100")
        anna, bert, clara = players.values()
        self.asked(players)
        link = anna.run("return document.querySelector('.invite-text').textContent")
        dora = Player(self, ["join", link, "--name=Dora"])
        anna.press("Door: 1")
        self.looks({"anna": anna}, "late-guest")
        bert.unfold("Match")
        bert.press("Leave the table")
        bert.reads("You can come back by the link|can come back by the link")
        bert.press("Leave")
        anna.press("Fold")
        bert.find("h2", "The list of the table")
        bert.reads("You have left the table|You leave the table")
        self.looks({"bert": bert}, "left")
        anna.reads("Bert leaves the table with")
        anna.press("Accept Dora")
        clara.press("Fold")
        dora.until("seated")
        anna.unfold("Chips of all players")
        self.looks({"anna": anna, "clara": clara}, "next-match")

    def test_next_player_hosts_and_a_player_without_chips_sits_down_again(self):
        players = self.three_at_a_table(Hands="100")
        anna, bert, clara = players.values()
        self.asked(players)

        def without_chips():
            # A pot that is split leaves both with chips, so they go all in again.
            if anna.has_button("Fold"):
                anna.press("Fold")
            for page in (bert, clara):
                for button in (r"All in \d+", r"All in: \d+", "All in call.*"):
                    if page.has_button(button):
                        page.press(button)
                        break
            return [page for page in (bert, clara) if page.has_button("Sit down again.*")]

        loser = anna.until(without_chips, "a player without chips")[0]
        self.looks({"loser": loser}, "without-chips")
        loser.press("Sit down again.*")
        loser.reads("You buy 200 chips after this hand|You have a seat in the next match")
        self.looks({"loser": loser}, "sits-again")
        asked = self.asked(players)
        players[asked].press("Fold")
        anna.until(lambda: len(anna.run(SEATS)) == 3, "a match of three")
        loser.unfold("Chips of all players")
        self.looks({"loser": loser}, "back")
        # Anna leaves, and the player in the next seat hosts.
        anna.unfold("Match")
        anna.press("Leave the table")
        anna.reads("can come back by the link")
        anna.press("Leave")
        guests = {"bert": bert, "clara": clara}
        new = "return [...document.querySelectorAll('summary')].some((one) => one.checkVisibility() && one.textContent === 'The link of this table')"

        def hosts():
            for page in guests.values():
                if page.has_button("Fold"):
                    page.press("Fold")
            return [page for page in guests.values() if page.run(new)]

        host = bert.until(hosts, "a new host")[0]
        host.unfold("The link of this table")
        host.until(lambda: host.run("return document.querySelector('.side svg[role=img] path') !== null"), "a QR code")
        self.looks({"host": host}, "new-host")

    def six_at_a_table(self):
        """Anna hosts; Bert and Clara join in pages, Dora and Emil in terminals, Frieda by a script.
        The guests come one after the other, so that their seats are known."""
        anna = self.lobby("Anna")
        anna.fill("Players", "6")
        invite = self.host(anna, "Texas hold’em, no limit", free_address(), Hands="2")
        pages = {"anna": anna, "bert": self.lobby("Bert"), "clara": self.lobby("Clara")}
        for name in ("Bert", "Clara"):
            self.join(pages[name.lower()], invite)
            anna.press(f"Accept {name}")
        typists = []
        for name in ("Dora", "Emil"):
            typists.append(Typist(self, ["join", invite, "--name=" + name]))
            typists[-1].until("Sit down?")
            typists[-1].type("y")
            anna.press(f"Accept {name}")
        anna.reads("5 of 6 seats are taken")
        frieda = Player(self, ["join", invite, "--name=Frieda"])
        anna.press("Accept Frieda")
        frieda.until("seated")
        return pages, *typists, frieda

    def test_host_begins_with_fewer_and_replaces_the_link(self):
        anna = self.lobby("Anna")
        anna.fill("Players", "6")
        old = self.host(anna, "Texas hold’em, no limit", Hands="1")
        anna.press("New link")
        shown = "return document.querySelector('.invite-text').textContent"
        new = anna.until(lambda: (found := anna.run(shown)) != old and found, "a new link")
        dora = Player(self, ["join", new, "--name=Dora"])
        anna.press("Decline Dora")
        dora.until("error", exit_code=4)
        bert = Player(self, ["join", new, "--name=Bert"])
        anna.press("Accept Bert")
        bert.until("table", place=0)
        anna.press("Start")
        bert.until("seated")
        anna.find("h1", "No-limit hold'em")

    def test_open_table_seats_everybody_who_has_the_link(self):
        anna = self.lobby("Anna")
        anna.fill("Players", "3")
        anna.find("input", "Let everybody who has the link sit down.*").click()
        anna.reads("with several identities")
        self.looks({"anna": anna}, "open")
        invite = self.host(anna, "Texas hold’em, no limit", Hands="1")
        guests = [Player(self, ["join", invite, "--name=" + name]) for name in ("Bert", "Clara")]
        for guest in guests:
            guest.until("seated")

    def test_six_players_play_on_after_one_is_killed_and_one_leaves(self):
        pages, dora, emil, frieda = self.six_at_a_table()
        anna, bert, clara = pages.values()

        def typed(typist, line):
            typist.until("Your turn:")
            typist.type(line)

        def said(**command):
            turn = frieda.until("your-turn")["turn"]
            frieda.say(turn=turn, **command)

        # Anna has the button, so Dora is the first to choose.
        typed(dora, "c")
        typed(emil, "c")
        said(do="call")
        anna.press("Call 2")
        bert.find("button", "Call 1")
        cards = bert.run(OWN_CARDS)
        self.assertEqual(len(cards), 2)
        self.looks(pages, "six")

        os.kill(bert.page.player(), signal.SIGKILL)
        bert.find("h2", "Your program ended unexpectedly")
        bert.press("Resume the match")
        bert.find("button", "Call 1")
        self.assertEqual(bert.run(OWN_CARDS), cards)
        bert.press("Call 1")
        clara.press("Check")

        bert.press("Check")
        clara.press("Check")
        typed(dora, "k")
        # The first line asks what leaving costs; the second one confirms.
        typed(emil, "q")
        emil.until("again")
        emil.type("q")
        clara.reads("Emil leaves")
        said(do="check")
        anna.press("Check")
        self.looks(pages, "six-left")
        for _ in ("turn", "river"):
            bert.press("Check")
            clara.press("Check")
            typed(dora, "k")
            said(do="check")
            anna.press("Check")
        for page in (bert, clara):
            page.press("Show.*")
        typed(dora, "s")
        said(do="show")
        anna.press("Show.*")
        for page in pages.values():
            page.reads("Emil leaves the table with")
        self.looks(pages, "six-next")
        dora.until("Emil leaves the table with")
        frieda.until("seated")
        emil.until("The list of the table:")
        verified = subprocess.run([PROGRAM, "verify", emil.folder.record()], capture_output=True, text=True)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
