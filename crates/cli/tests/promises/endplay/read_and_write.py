"""Reads the boards of set.pbn and set.lin with endplay, and writes them again."""

import sys
from pathlib import Path

from endplay.parsers import lin, pbn
from endplay.types import Player

folder = Path(sys.argv[1])
for name, parser in [("pbn", pbn), ("lin", lin)]:
    with open(folder / f"set.{name}", encoding="ascii") as file:
        boards = parser.load(file)
    for board in boards:
        deal = board.deal.to_pbn(Player.north)
        print(name, board.board_num, board.dealer.abbr, board.vul.name, deal, sep="|")
    with open(folder / f"again.{name}", "w", encoding="ascii") as file:
        parser.dump(boards, file)
