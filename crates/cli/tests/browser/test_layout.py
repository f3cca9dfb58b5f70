"""The table at many screen sizes: nothing overlaps, and every control is reachable."""

from case import Case
from fed import DEALT, SEATED, again, fed, feed
from programs import Page

# Width, height and device pixels for each CSS pixel. The last size is 1280x800 at a zoom of 200 %.
SIZES = [
    (320, 568, 1), (360, 640, 1), (640, 360, 1), (640, 400, 1), (683, 325, 1), (844, 390, 1), (768, 1024, 1), (1280, 720, 1),
    (1280, 800, 1), (1366, 650, 1), (1440, 760, 1), (2560, 1440, 1), (640, 400, 2),
]

# The layout problems of the current page: overlaps, and elements outside of the window, table or button.
PROBLEMS = """
const seen = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility({ visibilityProperty: true })
  && one.getBoundingClientRect().width > 1 && one.getBoundingClientRect().height > 1 && !one.closest(".unseen"));
const named = (one) => `${one.closest(".own") ? "own " : ""}${one.className || one.tagName}`;
const inside = (inner, outer) => inner.left >= outer.left - 1 && inner.top >= outer.top - 1
  && inner.right <= outer.right + 1 && inner.bottom <= outer.bottom + 1;
const box = (one) => one.getBoundingClientRect();
const found = [];
const parts = seen(".community, .cards, .plate, .did, .bet, .worth, .sees, .pot, .outcome, .actions, .table-head, .top");
parts.forEach((one, at) => parts.slice(at + 1).forEach((other) => {
  const [a, b] = [box(one), box(other)];
  const [width, height] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
  if (width > 1 && height > 1) found.push(`${named(one)} and ${named(other)} overlap by ${Math.round(width)}x${Math.round(height)}`);
}));
const text = document.createRange();
seen(".say").forEach((one) => text.selectNodeContents(one));
for (const one of seen(".actions :is(button, input)")) {
  if (box(one).top < box(text).bottom - 1) found.push(`${named(one)} "${one.textContent}" covers the text of the turn`);
}
const [table] = seen(".table");
for (const one of seen(".table :is(.community, .card, .plate, .did, .bet, .worth, .pot, .outcome)")) {
  if (!inside(box(one), box(table))) found.push(`${named(one)} is outside of the table`);
}
const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
for (const one of seen(":is(.top, .table-head, .stage) :is(button, input, summary, [role=button])")) {
  if (!inside(box(one), view)) found.push(`${named(one)} "${one.textContent}" is outside of the window`);
  if (one.scrollWidth > one.clientWidth + 1) found.push(`${named(one)} "${one.textContent}" is cut off`);
}
if (innerWidth >= 1280 && document.scrollingElement.scrollHeight > innerHeight) {
  found.push(`the page is ${document.scrollingElement.scrollHeight} high in a window of ${innerHeight}`);
}
return found;
"""
TWO_FRAMES = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))"

BOARD = ["Td", "Kh", "Ks", "3s", "5d"]
HANDS = [["6h", "4d", "6s", "9c", "9d"], ["Kc", "3c", "Jh", "Js", "2d"]]
WORTHS = ["two pair, sixes and fives", "full house, kings over threes"]


def hand(cards, seats, draw, **fields):
    """The events of a hand up to a turn. Each seat holds `cards` cards."""
    held = [list(range(seat, seats * cards, seats)) for seat in range(seats)]
    names = ["Anna", "Bartholomew the Great", "Clara"] + [f"Player {seat}" for seat in range(3, seats)]
    seated = {**SEATED, "names": names[:seats], "called": names[:seats], "fingerprints": SEATED["fingerprints"][:1] * seats, "stack": 12000,
              "game": "draw" if draw else "holdem", "clock": {"move": 30, "bank": 120}}
    stacks = [11000] * seats
    dealt = {**DEALT, "stacks": stacks, "bets": [0] * seats, "pot": 100 * seats}
    seen = [{"event": "card", "hand": 1, "position": position, "card": card, "holder": 0}
            for position, card in zip(held[0], HANDS[0])]
    board = [] if draw else [{"event": "board", "hand": 1, "cards": BOARD}]
    turn = {"event": "your-turn", "hand": 1, "turn": 30, "button": 0, "pot": 3000, "stacks": stacks,
            "bets": [200] + [1000] * (seats - 1), "cards": HANDS[0][:cards], "positions": held[0], "held": held,
            "board": [] if draw else BOARD, "time": {"move": 30, "bank": 112}, "made": WORTHS[0]}
    return [seated, dealt, {"event": "sealed", "hand": 1, "seal": "9f" * 32}, *seen, *board, {**turn, **fields}]


def bet(cards=2, seats=2, draw=False, **fields):
    ask = {"ask": "bet", "call": 800, "bet": None, "raise": {"min": 1800, "max": 11200}, **fields}
    raised = {"event": "chose", "hand": 1, "seat": 1, "do": "raise", "to": 1000}
    before = hand(cards, seats, draw, **ask)
    return [*before[:-1], raised, before[-1]]


def showdown(cards, draw, seats=2):
    """The result of a hand in which each seat shows its cards."""
    shown = [{"seat": seat, "cards": HANDS[min(seat, 1)][:cards], "worth": WORTHS[min(seat, 1)],
              "best": HANDS[min(seat, 1)] if draw else ["Kc", "Kh", "Ks", "3c", "3s"]} for seat in range(seats)]
    result = {"event": "result", "hand": 1, "stacks": [9000, 15000] + [0] * (seats - 2),
              "pots": [{"chips": 6000, "winners": [{"seat": 1, "chips": 6000}]}], "shown": shown}
    return [*bet(cards, seats, draw), result]


def departures(seats):
    """The turn of another seat. Other seats are all in, have folded, have left, or sit out."""
    *before, turn = bet(seats=seats)
    stacks = [10000] * (seats - 2) + [0, 0]
    held = [[] if seat == seats - 3 else cards for seat, cards in enumerate(turn["held"])]
    theirs = {key: turn[key] for key in ("hand", "button", "bets", "pot", "time")}
    return [*before, {"event": "chose", "hand": 1, "seat": 2, "do": "fold"}, {"event": "stopped", "seat": 3, "how": "leave"},
            {**theirs, "event": "their-turn", "turn": 31, "seat": 1, "stacks": stacks, "held": held,
             "playing": [0, 1, *range(4, seats - 3), seats - 2, seats - 1]}]


SCENES = {
    "bet": bet(),
    "showdown": showdown(2, draw=False),
    "exchange": hand(5, 2, draw=True, ask="exchange"),
    "draw-bet": bet(5, draw=True),
    "draw-showdown": showdown(5, draw=True),
    "large-bet": bet(call=10000, **{"raise": {"min": 10800, "max": 11200}}),
    "next-hand": [*showdown(2, draw=False), {**DEALT, "hand": 2, "stacks": [8900, 14900], "bets": [100, 200], "pot": 300}],
    "muck": hand(2, 2, draw=False, ask="show-or-muck"),
    "all-in": bet(stacks=[800, 0]),
    "over": [*showdown(2, draw=False), {"event": "over", "how": "played", "hands": 1, "stacks": [9000, 15000], "log": None,
                                        "exit_code": 0, "message": "The match was played to its end."}],
    "three-seats": bet(seats=3),
    "three-seats-showdown": showdown(2, draw=False, seats=3),
    "five-seats-draw": bet(5, seats=5, draw=True),
    "five-seats-draw-showdown": showdown(5, draw=True, seats=5),
    "six-seats": bet(seats=6),
    "six-seats-gone": departures(6),
    "six-seats-showdown": showdown(2, draw=False, seats=6),
    "ten-seats": bet(seats=10),
    "ten-seats-gone": departures(10),
    "ten-seats-showdown": showdown(2, draw=False, seats=10),
}


class Layout(Case):
    def test_nothing_overlaps_or_leaves_the_window(self):
        browser = self.browser()
        browser.colours("light")
        fed(browser, Page(self, "Anna"))
        problems = []
        for scene, events in SCENES.items():
            feed(browser, *events)
            browser.until(lambda: browser.all(".plate", ".*Bartholomew the Great.*"), "the table")
            for size in SIZES:
                browser.resize(*size)
                browser.driver.execute_async_script(TWO_FRAMES)
                browser.picture("layout-{}-{}x{}@{}".format(scene, *size))
                # Several other seats on a phone in portrait need more than one screen.
                scrolls = "seats" in scene and size[0] < 640
                problems += [f"{scene}, {size}: {problem}" for problem in browser.run(PROBLEMS)
                             if not (scrolls and "outside of the window" in problem)]
            again(browser)
        self.assertEqual(problems, [], "\n".join(problems))
