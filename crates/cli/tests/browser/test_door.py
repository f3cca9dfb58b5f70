"""The questions before a match: the terms for a guest, and a known player at the host."""

from case import Case
from programs import Folder, Player

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
        asking = anna.reads("(Carla|Dora).* wants to play")[1]
        anna.picture("ask-admit")
        first = carla if asking == "Carla" else dora
        anna.press("Decline")
        first.until("error", exit_code=4)
        # The other player came while the host was deciding.
        other = dora if first is carla else carla
        other.until("error", exit_code=4)
        other.process.wait()
        again = Player(self, ["join", "--at=" + at, "Anna"], other.folder)
        anna.reads("wants to play")
        anna.press("Accept")
        again.until("seated")
