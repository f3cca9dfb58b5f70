"""Records dropped onto the page, and the report about what they prove."""

import base64
import os

from case import Case
from programs import Folder, Player

DROP = """
const [selector, files] = arguments;
const transfer = new DataTransfer();
for (const [name, text] of files) {
  transfer.items.add(new File([Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0))], name));
}
const place = document.querySelector(selector);
for (const kind of ["dragenter", "dragover", "drop"]) {
  place.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: transfer }));
}
"""


def played_by_bots(test):
    """The records of both players of a match."""
    anna, bert = Folder(test), Folder(test)
    args = ["host", "--listen=127.0.0.1:0", "--name=Anna", "--hands=2", "--auto"]
    host = Player(test, args, anna)
    guest = Player(test, ["join", host.event()["invite"], "--name=Bert", "--auto"], bert)
    for player in (host, guest):
        player.until("over")
    return [anna.record(), bert.record()]


def with_a_flipped_signature(record):
    """A record with one flipped bit in the signature of its middle part (docs/records.md, "The file")."""
    signatures, at = [], 0
    while at < len(record):
        content = at + 20
        if record[content] == 1:
            signatures.append(content + 10)
        at = content + int.from_bytes(record[at : at + 4], "little") + 32
    changed = bytearray(record)
    changed[signatures[len(signatures) // 2]] ^= 1
    return bytes(changed)


class Records(Case):
    def setUp(self):
        super().setUp()
        self.records = played_by_bots(self)
        self.page = self.lobby("Clara")
        self.page.press("Verify")

    def drop(self, *files):
        read = [(name, base64.b64encode(content).decode()) for name, content in files]
        self.page.run(DROP, ".drop", read)

    def content(self, at):
        with open(self.records[at], "rb") as file:
            return file.read()

    def test_report_on_both_records_of_a_match(self):
        self.drop(("anna.log", self.content(0)), ("bert.log", self.content(1)))
        page = self.page
        page.find("h2", "Both records are good, and they agree.")
        page.reads("Both records agree")
        for proof in (
            "The file is complete",
            "Two keys played",
            "Every signature is valid, in [0-9]+ steps",
            "Each opened card is the sealed one",
            "The chips follow from the rules",
            "2 of 2 hands played",
            "What this does not prove",
        ):
            page.reads(proof)
        page.unfold("Results")
        page.reads("Hand 1")
        page.picture("verify-good")

    def test_report_on_one_record_shows_its_hands(self):
        page = self.page
        page.driver.find_element("id", "records").send_keys(self.records[1])
        page.find("h2", "This record is good.")
        page.reads(os.path.basename(self.records[1]))
        page.unfold("All hands")
        page.reads("Bert")

    def test_report_on_a_damaged_record_names_the_damaged_step(self):
        changed = with_a_flipped_signature(self.content(0))
        self.drop(("changed.log", changed))
        page = self.page
        page.find("h2", "This is not a good record.")
        page.reads(r"Hand \d, step \d+ \(byte \d+ of the file\)")
        page.reads("Anybody who had the file could have changed it, so this proves nothing against a player")
        page.picture("verify-bad")

        # The damaged record together with a good one, and then files that are not records.
        self.drop(("anna.log", self.content(0)), ("changed.log", changed))
        page.find("h2", "At least one of these is not a good record.")
        self.drop(("noise.log", b"<script>alert(1)</script>" * 100))
        page.find("h2", "This is not a good record.")
        self.drop(("empty.log", b""))
        page.reads("One of these is a folder or an empty file")
