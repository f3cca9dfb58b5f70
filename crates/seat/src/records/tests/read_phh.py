"""Reads the hand histories of a folder, plays every hand, and compares the chips and the date."""

import datetime
import pathlib
import sys

from pokerkit import HandHistory


def date(history):
    return (history.year, history.month, history.day, history.time)


expected = (2026, 11, 22, datetime.time(8, 15, 3))
folder = pathlib.Path(sys.argv[1])
hands = 0
for path in sorted(folder.glob("*.phhs")):
    with path.open("rb") as file:
        for history in HandHistory.load_all(file):
            try:
                state = list(history)[-1]
            except (AssertionError, ValueError) as error:
                sys.exit(f"{path.name}, hand {history.hand}: {error!r}\n{history.dumps()}")
            if state.status or list(state.stacks) != history.finishing_stacks:
                sys.exit(f"{path.name}, hand {history.hand}: {state.stacks}\n{history.dumps()}")
            if date(history) != expected or history.time_zone != "UTC":
                sys.exit(f"{path.name}, hand {history.hand}: {date(history)}")
            hands += 1
texts = 0
for path in sorted(folder.glob("*.txt")):
    for history in HandHistory.from_pokerstars(path.read_text(), error_status=True):
        list(history)
        if date(history) != expected:
            sys.exit(f"{path.name}: {date(history)}")
        texts += 1
if not texts:
    sys.exit("no hand in the format of PokerStars was read")
print(f"{hands} hands, {texts} in the format of PokerStars")
