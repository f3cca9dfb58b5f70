#!/usr/bin/env python3
"""A player in one page of Python, which joins a table and plays with --json.

    python3 examples/bot.py INVITE [--hands 20] [other options of `dealerless join`]

The variable DEALERLESS is the path of `dealerless`, if that is not in PATH. docs/table-protocol.md
describes the protocol.
"""

import json
import os
import random
import subprocess
import sys


def answer(event):
    """Returns the command for an event, or None."""
    if event["event"] == "ask-rebuy":
        return {"do": "rebuy", "agree": True}
    if event["event"] != "your-turn":
        return None
    if event["ask"] == "exchange":
        return {"do": "exchange", "places": to_throw(event["cards"])}
    if event["ask"] == "show-or-muck":
        return {"do": "show"}
    if event["ask"] == "speak":
        return speak(event)
    return bet(event)


def bet(event):
    """Raises with good cards, calls with fair cards, and folds bad cards if the call is expensive."""
    good = strength(event["cards"] + event["board"])
    expensive = event["call"] is not None and event["call"] > event["pot"] / 2
    more = event["bet"] or event["raise"]
    if more and random.random() < good:
        to = min(more["max"], more["min"] + event["pot"] // 2)
        return {"do": "bet" if event["bet"] else "raise", "to": to}
    if event["call"] is None:
        return {"do": "check"}
    return {"do": "fold"} if expensive and random.random() > good else {"do": "call"}


def strength(cards):
    """Returns the strength of the cards, from 0 to 1: more cards of the same rank and higher ranks count."""
    ranks = ["23456789TJQKA".index(card[0]) for card in cards]
    same = sum(ranks.count(rank) - 1 for rank in ranks)
    return min(0.9, 0.15 * same + max(ranks) / 40)


def to_throw(cards):
    """Returns the places of the cards that are neither part of a pair nor high."""
    ranks = [card[0] for card in cards]
    return [i for i, rank in enumerate(ranks) if ranks.count(rank) == 1 and rank not in "KA"]


def speak(event):
    """In a deck without rules, agrees with the first open proposal, or passes."""
    for proposal in event["proposals"]:
        return {"do": "agree", "proposal": proposal["proposal"]}
    return {"do": "pass"}


def main():
    program = os.environ.get("DEALERLESS", "dealerless")
    table = subprocess.Popen(
        [program, "join", "--json", "--yes", *sys.argv[1:]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    for line in table.stdout:
        event = json.loads(line)
        if event["event"] == "result":
            print("hand", event["hand"], "chips", event["stacks"])
        elif event["event"] in ("notice", "over", "error"):
            print(event.get("text") or event["message"])
        command = answer(event)
        if command:
            if "turn" in event:
                command["turn"] = event["turn"]
            table.stdin.write(json.dumps(command) + "\n")
            table.stdin.flush()
    return table.wait()


if __name__ == "__main__":
    sys.exit(main())
