"""The questions before a match: the terms for a guest, and a known player at the host."""

from case import Case
from fed import fed, feed
from programs import Folder, Page, Player
from test_looks import FINGERPRINTS, door, table

BOTS = ["--auto", "--game=deck", "--cards=3", "--draw=1", "--hands=1", "--listen=127.0.0.1:0"]
HOLDEM = "Texas hold’em, no limit"


class Door(Case):
    def test_guest_declines_or_accepts_the_terms(self):
        unfair = ["--hands=1", "--stack=100", "--blinds=1/100", "--time=1+0", "--listen=127.0.0.1:0"]
        host = Player(self, ["host", "--name=Anna", *unfair])
        invite = host.until("invite")["invite"]
        bert = self.lobby("Bert")
        bert.fill("Invite", invite)
        bert.press("Join")
        for term in ("Anna \\(fingerprint .*", "1 hand", "100 chips each", "blinds 1/100", "1 s for a move"):
            bert.reads(term)
        bert.picture("ask-sit")
        bert.press("Decline")
        bert.reads("You declined, and the host was told")
        bert.press("Lobby")
        self.join(bert, invite)
        host.until("seated")
        bert.reads("Anna")

    def test_host_accepts_or_declines_a_known_player(self):
        folder, guests = Folder(self), [Folder(self), Folder(self)]
        for name, guest in zip(("Carla", "Dora"), guests):
            host = Player(self, ["host", "--name=Anna", *BOTS], folder)
            invite = host.until("invite")["invite"]
            Player(self, ["join", invite, "--auto", "--name=" + name], guest).until("over")
            host.process.wait()
        anna = self.lobby("Anna", folder)
        self.host(anna, HOLDEM, Hands="1")
        at = anna.reads(r"listens at (127\.0\.0\.1:\d+)")[1]
        carla, dora = (
            Player(self, ["join", "--at=" + at, "Anna"], guest) for guest in guests
        )
        # Both wait, and are answered in any order.
        for name in ("Carla", "Dora"):
            anna.reads(name + ".* wants to play")
        anna.picture("at-door")
        anna.press("Decline Carla")
        carla.until("error", exit_code=4)
        anna.press("Accept Dora")
        dora.until("seated")

    def test_list_of_players_at_the_door_keeps_the_focus(self):
        browser = self.browser()
        fed(browser, Page(self, "Anna"))

        def at_door(*names):
            feed(browser, {"event": "at-door", "players": [door(name) for name in names],
                           "sentences": [[f"{name} is at the door."] for name in names]})

        at_door("Carla")
        browser.run("arguments[0].focus()", browser.find("button", "Accept Carla"))
        at_door("Carla", "Dora")
        browser.find("button", "Decline Dora")
        self.assertEqual(browser.run("return document.activeElement.ariaLabel"), "Accept Carla")
        at_door("Dora")
        browser.until(lambda: not browser.has_button("Accept Carla"), "a list without Carla")
        at_door()
        browser.until(lambda: "At the door" not in browser.text(), "an empty door")

    def test_guest_sees_its_place_in_the_queue_and_then_who_is_missing(self):
        browser = self.browser()
        fed(browser, Page(self, "Carla"))
        waits = "The host's program has your request, but the host has not accepted it yet."
        feed(browser, {"event": "hello", "version": 2}, {"event": "notice", "text": waits, "sentences": [[waits]]})
        browser.find("li", waits)
        feed(browser, table([], place=2))
        browser.reads("Your place in the queue is 2")
        self.assertEqual(browser.all(".notices li", ".*"), [])
        feed(browser, table([]))
        browser.reads("2 of 6 seats are taken. The match begins when 4 more players are here, or when the host starts it")
        self.assertFalse(browser.has_button("Start|New link"))
        feed(browser, table(FINGERPRINTS))
        browser.reads(FINGERPRINTS[1])
